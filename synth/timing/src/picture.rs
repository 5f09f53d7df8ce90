//! Both rings as a picture, every hop coloured by its slack; the clock of several rings as a plot.

use crate::report::{HopReport, RingReport};
use flitforge_fabric::svg::{document, escape, Plot, Series, Style};
use flitforge_flow::report::Spread;
use std::f64::consts::TAU;
use std::fmt::Write;

const SIZE: f64 = 760.0;
const MIDDLE: f64 = SIZE / 2.0;
/// Radius of the clockwise ring, of the stops and of the other ring.
const OUTER: f64 = 300.0;
const STOPS: f64 = 260.0;
const INNER: f64 = 220.0;
/// Slack of a hop, as a share of the clock, that is coloured green; as much less than 0 is red.
const FULL: f64 = 0.25;

impl RingReport {
    /// Both rings: the clockwise one outside. Red hops are slower than the wanted clock, green ones faster.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let header = &self.header;
        let mut body = String::new();
        let title = format!("time_ring, N = {}, {} on {}", header.stops, header.embed, header.device);
        let lines = [
            title,
            format!("{:.0} MHz wanted; colour: slack", header.target_mhz),
            format!("slowest hop {:.1} MHz (median)", self.goal.slowest_hop_mhz),
            "outside clockwise, inside counter-clockwise".into(),
        ];
        for (place, line) in lines.iter().enumerate() {
            let y = MIDDLE - 30.0 + 22.0 * place as f64;
            let _ = writeln!(
                body,
                "<text x=\"{MIDDLE}\" y=\"{y}\" text-anchor=\"middle\">{}</text>",
                escape(line)
            );
        }
        self.hops.iter().for_each(|hop| self.arc(&mut body, hop));
        for stop in 0..header.stops {
            let (x, y) = self.point(STOPS, f64::from(stop));
            let _ = writeln!(
                body,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"13\" fill=\"#e8edf3\" stroke=\"#1c2733\"/>\
                 <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{stop}</text>",
                y + 4.0
            );
        }
        document(SIZE, SIZE, &body)
    }

    /// Where a place between stops is on a circle, stop 0 at the top.
    fn point(&self, radius: f64, place: f64) -> (f64, f64) {
        let angle = TAU * place / f64::from(self.header.stops) - TAU / 4.0;
        (MIDDLE + radius * angle.cos(), MIDDLE + radius * angle.sin())
    }

    fn arc(&self, body: &mut String, hop: &HopReport) {
        let clockwise = hop.ring == "cw";
        let (radius, step) = if clockwise { (OUTER, 1.0) } else { (INNER, -1.0) };
        let from = f64::from(hop.from);
        // A gap on both sides, so that hops and their parts can be told apart.
        let parts = f64::from(self.header.hop_registers);
        let at = |share: f64| self.point(radius, from + (f64::from(hop.part - 1) + share) / parts * step);
        let (start, end) = (at(0.08), at(0.92));
        let colour = colour(hop.slack_ns * self.header.target_mhz / 1000.0);
        let _ = writeln!(
            body,
            "<path d=\"M{:.1} {:.1}A{radius} {radius} 0 0 {} {:.1} {:.1}\" fill=\"none\" stroke=\"{colour}\" \
             stroke-width=\"12\"><title>{} {} to {}: {:.1} MHz, slack {:.3} ns</title></path>",
            start.0,
            start.1,
            u8::from(clockwise),
            end.0,
            end.1,
            hop.ring,
            hop.from,
            hop.to,
            hop.mhz.median,
            hop.slack_ns
        );
    }
}

/// From red over yellow to green, by slack as a share of the clock.
fn colour(slack: f64) -> String {
    let hue = (60.0 + 60.0 * slack / FULL).clamp(0.0, 120.0);
    format!("hsl({hue:.0},70%,42%)")
}

/// The clock of the hops over the number of stops.
#[must_use]
pub fn plot(reports: &[RingReport]) -> String {
    let series =
        |name: &str, colour, figure: &dyn Fn(Spread) -> f64, of: &dyn Fn(&RingReport) -> Spread| Series {
            name: name.into(),
            colour,
            style: Style::Line,
            points: reports.iter().map(|r| (f64::from(r.header.stops), figure(of(r)))).collect(),
        };
    let hops = |report: &RingReport| report.clock.hops_mhz;
    let all = |report: &RingReport| report.clock.mhz;
    let device = reports.first().map_or("", |report| report.header.device.as_str());
    let plot = Plot {
        title: format!("Slowest hop and slowest path of the time rings on {device}"),
        x_label: "stops N".into(),
        y_label: "MHz".into(),
        series: vec![
            series("slowest hop, median", "#0063b1", &|mhz| mhz.median, &hops),
            series("slowest hop, best seed", "#7db8e8", &|mhz| mhz.max, &hops),
            series("all paths, median", "#d97706", &|mhz| mhz.median, &all),
        ],
        limits: reports.first().map(|report| (report.goal.mhz, "wanted".into())).into_iter().collect(),
    };
    plot.svg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_go_from_red_to_green() {
        let colours = [-1.0, -FULL, 0.0, FULL / 2.0, 1.0].map(colour);
        let hues =
            colours.map(|colour| colour[4..].split(',').next().map(str::to_string).unwrap_or_default());
        assert_eq!(hues, ["0", "0", "60", "90", "120"]);
    }
}
