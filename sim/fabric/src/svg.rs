//! A small writer of SVG plots: points or steps over two linear axes.

use std::fmt::Write;

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// A dot for each point.
    Dots,
    /// A line through the points.
    Line,
    /// A filled step for each point, from its x to the next.
    Steps,
}

/// One series of points.
#[derive(Debug, Clone)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Colour as in CSS.
    pub colour: &'static str,
    /// Style.
    pub style: Style,
    /// Points by rising x.
    pub points: Vec<(f64, f64)>,
}

/// A plot.
#[derive(Debug, Clone)]
pub struct Plot {
    /// Title.
    pub title: String,
    /// Label of the horizontal axis, with its unit.
    pub x_label: String,
    /// Label of the vertical axis, with its unit.
    pub y_label: String,
    /// Series, drawn in this order.
    pub series: Vec<Series>,
    /// Horizontal lines with their names.
    pub limits: Vec<(f64, String)>,
}

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
/// Heights of the title and of a row of the legend.
const TITLE: f64 = 32.0;
const LEGEND: f64 = 18.0;
/// Width of a letter at most, and of a legend's colour with the gaps around it.
const LETTER: f64 = 7.0;
const SWATCH: f64 = 44.0;
const BOTTOM: f64 = 50.0;
/// Intervals of an axis, about.
const TICKS: f64 = 6.0;

/// Text with the characters that mean something in XML replaced.
#[must_use]
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A whole SVG element on white, of this size in pixels.
#[must_use]
pub fn document(width: f64, height: f64, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n{body}</svg>\n"
    )
}

/// An axis: range of values over range of pixels.
struct Axis {
    values: (f64, f64),
    pixels: (f64, f64),
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, pixels: (f64, f64)) -> Self {
        let finite = values.filter(|value| value.is_finite());
        let (low, high) = finite.fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)));
        let values = match (low, high) {
            (low, high) if low > high => (0.0, 1.0),
            (low, high) if low == high => (low - 0.5, high + 0.5),
            range => range,
        };
        Self { values, pixels }
    }

    fn at(&self, value: f64) -> f64 {
        let (low, high) = self.values;
        self.pixels.0 + (value - low) / (high - low) * (self.pixels.1 - self.pixels.0)
    }

    /// Round values, 1, 2 or 5 times a power of ten apart.
    fn ticks(&self) -> Vec<f64> {
        let rough = (self.values.1 - self.values.0) / TICKS;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|n| n * power).into_iter().find(|step| *step >= rough);
        let step = step.unwrap_or(rough);
        let first = (self.values.0 / step).ceil() as i64;
        let last = (self.values.1 / step).floor() as i64;
        (first..=last).map(|n| n as f64 * step).collect()
    }
}

impl Plot {
    /// The plot as an SVG element.
    #[must_use]
    pub fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|series| series.points.iter());
        let x = Axis::new(points().map(|point| point.0), (LEFT, WIDTH - RIGHT));
        let values = points().map(|point| point.1).chain(self.limits.iter().map(|limit| limit.0));
        let y = Axis::new(values, (HEIGHT - BOTTOM, self.top()));
        let mut out =
            format!("<text x=\"{LEFT}\" y=\"20\" font-size=\"15\">{}</text>\n", escape(&self.title));
        self.axes(&mut out, &x, &y);
        self.series.iter().for_each(|series| draw(&mut out, series, &x, &y));
        for (value, name) in &self.limits {
            let (at, name) = (y.at(*value), escape(name));
            let _ = writeln!(
                out,
                "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#c00\" stroke-dasharray=\"6 4\"/>\
                 <text x=\"{}\" y=\"{:.1}\" fill=\"#c00\" text-anchor=\"end\">{name}</text>",
                WIDTH - RIGHT,
                WIDTH - RIGHT,
                at - 4.0
            );
        }
        document(WIDTH, HEIGHT, &out)
    }

    fn axes(&self, out: &mut String, x: &Axis, y: &Axis) {
        let (top, bottom, right) = (self.top(), HEIGHT - BOTTOM, WIDTH - RIGHT);
        for tick in x.ticks() {
            let at = x.at(tick);
            let _ = writeln!(
                out,
                "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{top}\" y2=\"{bottom}\" stroke=\"#eee\"/>\
                 <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                bottom + 16.0,
                number(tick)
            );
        }
        for tick in y.ticks() {
            let at = y.at(tick);
            let _ = writeln!(
                out,
                "<line x1=\"{LEFT}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#eee\"/>\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 6.0,
                at + 4.0,
                number(tick)
            );
        }
        let middle = (top + bottom) / 2.0;
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\
             <text x=\"16\" y=\"{middle}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {middle})\">{}</text>",
            (LEFT + right) / 2.0,
            HEIGHT - 12.0,
            escape(&self.x_label),
            escape(&self.y_label)
        );
        for ((left, row), series) in self.legend().into_iter().zip(&self.series) {
            let base = TITLE + LEGEND * row as f64;
            let _ = writeln!(
                out,
                "<rect x=\"{left}\" y=\"{}\" width=\"12\" height=\"8\" fill=\"{}\"/><text x=\"{}\" y=\"{}\">{}</text>",
                base - 2.0,
                series.colour,
                left + 18.0,
                base + 6.0,
                escape(&series.name)
            );
        }
    }

    /// Where each series stands in the legend: left edge and row. A name that does not fit into what is left of a row begins another.
    fn legend(&self) -> Vec<(f64, usize)> {
        let (mut left, mut row) = (LEFT, 0);
        let mut places = vec![];
        for series in &self.series {
            let width = SWATCH + LETTER * series.name.chars().count() as f64;
            if left > LEFT && left + width > WIDTH {
                (left, row) = (LEFT, row + 1);
            }
            places.push((left, row));
            left += width;
        }
        places
    }

    /// Upper edge of the field.
    fn top(&self) -> f64 {
        let rows = self.legend().last().map_or(0, |(_, row)| row + 1);
        TITLE + LEGEND * rows as f64
    }
}

fn draw(out: &mut String, series: &Series, x: &Axis, y: &Axis) {
    let colour = series.colour;
    let mut path = String::new();
    for (place, (at, value)) in series.points.iter().enumerate() {
        let (left, top) = (x.at(*at), y.at(*value));
        let _ = match series.style {
            Style::Dots => write!(path, "M{left:.1} {top:.1}h0"),
            Style::Line => write!(path, "{}{left:.1} {top:.1}", if place == 0 { 'M' } else { 'L' }),
            Style::Steps => {
                let next = series.points.get(place + 1).map_or(left + 1.0, |next| x.at(next.0));
                write!(path, "M{left:.1} {:.1}V{top:.1}H{next:.1}V{:.1}Z", y.at(0.0), y.at(0.0))
            }
        };
    }
    let look = match series.style {
        Style::Dots => {
            format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"2.5\" stroke-linecap=\"round\"")
        }
        Style::Line => format!("fill=\"none\" stroke=\"{colour}\""),
        Style::Steps => format!("fill=\"{colour}\" fill-opacity=\"0.6\""),
    };
    let _ = writeln!(out, "<path d=\"{path}\" {look}/>");
}

/// A tick's value without needless digits.
fn number(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".into()
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(points: Vec<(f64, f64)>, style: Style) -> Plot {
        Plot {
            title: "a < b & c".into(),
            x_label: "x".into(),
            y_label: "y".into(),
            series: vec![Series { name: "s".into(), colour: "#06c", style, points }],
            limits: vec![(2.0, "T".into())],
        }
    }

    #[test]
    fn points_come_where_the_axes_say() {
        let svg = plot(vec![(0.0, 0.0), (10.0, 2.0)], Style::Line).svg();
        assert!(svg.contains("M70.0 290.0L880.0 50.0"), "{svg}");
        assert!(svg.contains("a &lt; b &amp; c") && svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    }

    #[test]
    fn names_of_a_legend_do_not_overlap() {
        let mut plot = plot(vec![(0.0, 0.0), (1.0, 1.0)], Style::Line);
        let names = [
            "1 noisy, default",
            "1 noisy, best",
            "a name that is much longer than the others of this legend",
            "s",
        ];
        let series = plot.series.remove(0);
        plot.series = names
            .iter()
            .cycle()
            .take(9)
            .map(|name| Series { name: (*name).into(), ..series.clone() })
            .collect();
        let places = plot.legend();
        for (at, (left, row)) in places.iter().enumerate() {
            let right = left + LETTER * plot.series[at].name.len() as f64;
            assert!(right < WIDTH, "{left} {row}");
            assert!(
                places[at + 1..].iter().all(|(other, below)| below > row || *other > right),
                "{places:?}"
            );
        }
        assert!(plot.top() >= TITLE + 3.0 * LEGEND && plot.top() < HEIGHT / 2.0, "{}", plot.top());
    }

    #[test]
    fn empty_and_flat_series_are_no_division_by_zero() {
        for style in [Style::Dots, Style::Line, Style::Steps] {
            for points in [vec![], vec![(1.0, 2.0)], vec![(f64::NAN, 1.0)]] {
                assert!(!plot(points, style).svg().contains("inf"));
            }
        }
    }
}
