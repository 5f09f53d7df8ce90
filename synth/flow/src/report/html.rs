//! The report as one HTML page without any other file: pictures are inline SVG.

use super::{ClockReport, SynthReport};
use std::fmt::Write;

const STYLE: &str = "body{font:15px/1.45 system-ui,sans-serif;max-width:1040px;margin:2rem auto;padding:0 1rem;\
color:#1c2733;background:#fff}h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}table{border-collapse:collapse}\
td,th{padding:.25rem .8rem .25rem 0;text-align:left;border-bottom:1px solid #dde3ea}td.n,th.n{text-align:right}\
td.w{overflow-wrap:anywhere;min-width:12rem}code{font-size:.9em}svg{max-width:100%;height:auto}svg text{font:12px system-ui,sans-serif;fill:#1c2733}\
.bar{fill:#3b7dd8}.low{fill:#c8553d}.room{fill:#e8edf3}.line{stroke:#1c2733;stroke-dasharray:4 3}.note{color:#7a4b00}";

const WIDTH: f64 = 1000.0;
const ROW: f64 = 22.0;
/// Width of a letter at most, and the gap between text and bar.
const LETTER: f64 = 7.0;
const GAP: f64 = 10.0;
/// Length of a whole bar at least; with longer labels the picture becomes wider, and is drawn smaller.
const SPAN: f64 = 200.0;

impl SynthReport {
    /// The report as a self-contained page.
    pub fn to_html(&self) -> String {
        let title = match &self.made {
            Some(made) => {
                format!("{} on {} ({})", escape(&made.design), escape(&made.board), escape(&self.device))
            }
            None => format!("{} on {}", escape(&self.block), escape(&self.device)),
        };
        let mut page = format!(
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title>\
             <style>{STYLE}</style><h1>{title}</h1>\n"
        );
        if let Some(made) = &self.made {
            let (date, seed) = (escape(&made.date), made.seed);
            let _ = writeln!(page, "<p>Built {date}; the bitstream is that of seed {seed}.</p>");
        }
        page += &self.summary();
        for note in &self.notes {
            let _ = write!(page, "<p class=\"note\">{}</p>", escape(note));
        }
        for clock in &self.clocks {
            let _ = write!(page, "<h2>Fmax of {} by seed</h2>{}", escape(&clock.name), fmax_bars(clock));
        }
        if self.area_by_instance.len() > 1 {
            let _ = write!(page, "<h2>Area by instance (LUT4)</h2>{}", self.area_bars());
        }
        if !self.critical_paths.is_empty() {
            page += &self.path_table();
        }
        if !self.utilisation.is_empty() {
            let _ = write!(page, "<h2>Use of the device</h2>{}", self.utilisation_bars());
        }
        let tools: Vec<String> = self.tools.iter().map(|(n, v)| escape(&format!("{n} {v}"))).collect();
        let _ = writeln!(page, "<p>Tools: {}.</p></html>", tools.join(", "));
        page
    }

    fn summary(&self) -> String {
        let a = &self.area;
        let fmax = self.fmax_mhz.map_or("not placed".into(), |f| format!("{:.1}", f.median));
        let cells = [a.lut4, a.ff, a.ebr, a.dsp].map(|v| format!("<td class=\"n\">{v}</td>")).concat();
        format!(
            "<table><tr><th class=\"n\">LUT4</th><th class=\"n\">FF</th><th class=\"n\">block RAM</th>\
             <th class=\"n\">DSP</th><th class=\"n\">Fmax, median MHz</th></tr>\
             <tr>{cells}<td class=\"n\">{fmax}</td></tr></table>\n"
        )
    }

    fn area_bars(&self) -> String {
        let largest = self.area_by_instance.values().map(|a| a.lut4).max().unwrap_or(1).max(1) as f64;
        let mut rows: Vec<_> = self.area_by_instance.iter().filter(|(path, _)| !path.is_empty()).collect();
        rows.sort_by(|a, b| b.1.lut4.cmp(&a.1.lut4).then(a.0.cmp(b.0)));
        let rows = rows.into_iter().take(40).map(|(path, area)| Bar {
            label: path.clone(),
            share: area.lut4 as f64 / largest,
            figure: format!("{} LUT4, {} FF", area.lut4, area.ff),
            low: false,
        });
        bars(&rows.collect::<Vec<_>>(), None)
    }

    fn utilisation_bars(&self) -> String {
        let rows = self.utilisation.iter().map(|(kind, u)| Bar {
            label: kind.clone(),
            share: u.used as f64 / u.available.max(1) as f64,
            figure: format!("{} of {}", u.used, u.available),
            low: false,
        });
        bars(&rows.collect::<Vec<_>>(), None)
    }

    fn path_table(&self) -> String {
        let mut text = "<h2>Critical paths</h2><table><tr><th>from</th><th>to</th><th class=\"n\">ns</th>\
            <th class=\"n\">logic</th><th class=\"n\">routing</th><th class=\"n\">levels</th></tr>"
            .to_string();
        for path in &self.critical_paths {
            let through: Vec<String> = path.through.iter().map(|p| p.text()).collect();
            let _ = write!(
                text,
                "<tr title=\"{}\"><td class=\"w\"><code>{}</code></td><td class=\"w\"><code>{}</code></td><td class=\"n\">{:.2}</td>\
                 <td class=\"n\">{:.2}</td><td class=\"n\">{:.2}</td><td class=\"n\">{}</td></tr>",
                escape(&through.join(" → ")),
                escape(&path.start.text()),
                escape(&path.end.text()),
                path.delay_ns,
                path.logic_ns,
                path.routing_ns,
                path.levels
            );
        }
        text + "</table>"
    }
}

struct Bar {
    label: String,
    /// Length, 1 = the whole row.
    share: f64,
    figure: String,
    low: bool,
}

fn fmax_bars(clock: &ClockReport) -> String {
    let top = clock.target_mhz.unwrap_or(0.0).max(clock.fmax_mhz.max).max(1.0);
    let rows: Vec<Bar> = clock
        .seeds
        .iter()
        .map(|seed| Bar {
            label: format!("seed {}", seed.seed),
            share: seed.mhz / top,
            figure: format!("{:.1} MHz", seed.mhz),
            low: clock.target_mhz.is_some_and(|t| seed.mhz < t),
        })
        .collect();
    bars(&rows, clock.target_mhz.map(|t| (t / top, format!("target {t:.0} MHz"))))
}

/// Horizontal bars, with an upright line at a share of the whole.
fn bars(rows: &[Bar], mark: Option<(f64, String)>) -> String {
    let widest = |text: fn(&Bar) -> &str| {
        let letters = rows.iter().map(|bar| text(bar).chars().count()).max().unwrap_or_default();
        letters as f64 * LETTER + GAP
    };
    let (label, figure) = (widest(|bar| &bar.label), widest(|bar| &bar.figure));
    let span = (WIDTH - label - figure).max(SPAN);
    let width = label + span + figure;
    let height = ROW * rows.len() as f64 + if mark.is_some() { 24.0 } else { 4.0 };
    let mut svg = format!("<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" role=\"img\">");
    for (index, bar) in rows.iter().enumerate() {
        let y = ROW * index as f64;
        let length = span * bar.share.clamp(0.0, 1.0);
        let class = if bar.low { "low" } else { "bar" };
        let _ = write!(
            svg,
            "<text x=\"0\" y=\"{:.1}\">{}</text><rect class=\"room\" x=\"{label}\" y=\"{:.1}\" width=\"{span:.1}\" \
             height=\"14\"/><rect class=\"{class}\" x=\"{label}\" y=\"{:.1}\" width=\"{length:.1}\" height=\"14\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            y + 14.0,
            escape(&bar.label),
            y + 3.0,
            y + 3.0,
            label + span + GAP,
            y + 14.0,
            escape(&bar.figure)
        );
    }
    if let Some((share, text)) = mark {
        let x = label + span * share.clamp(0.0, 1.0);
        let bottom = ROW * rows.len() as f64;
        let _ = write!(
            svg,
            "<line class=\"line\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"0\" y2=\"{bottom:.1}\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            bottom + 16.0,
            escape(&text)
        );
    }
    svg + "</svg>\n"
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{sample, Made};

    #[test]
    fn the_page_is_whole_and_needs_no_other_file() {
        let mut report = sample();
        report.block = "a<b>".into();
        let page = report.to_html();
        assert!(page.contains("a&lt;b&gt; on lfe5u-85f-6") && !page.contains("a<b>"));
        for part in
            ["target 250 MHz", "seed 2", "210.0 MHz", "<code>inner/count</code>", "7 LUT4, 8 FF", "9 of 90"]
        {
            assert!(page.contains(part), "`{part}` is missing");
        }
        for outside in ["http://", "https://", "src=", "href=", "<script"] {
            assert!(!page.contains(outside), "{outside}");
        }
        for tag in ["svg", "table", "text"] {
            let count = |what: String| page.matches(&what).count();
            assert_eq!(count(format!("<{tag}")), count(format!("</{tag}>")), "{tag}");
        }
    }

    #[test]
    fn labels_are_whole_and_nothing_stands_on_a_bar() {
        let label = "panel.line.port.registers.store.of.a.deep.hierarchy.with.a.long.name".to_owned();
        let bar = |label: &str, figure: &str| Bar {
            label: label.into(),
            share: 1.0,
            figure: figure.into(),
            low: false,
        };
        let picture = bars(&[bar(&label, "123456 LUT4, 654321 FF"), bar("a", "1 LUT4, 1 FF")], None);
        let numbers = |name: &str| -> Vec<f64> {
            let before = format!(" {name}=\"");
            let parts = picture.split(&before).skip(1);
            parts.filter_map(|part| part.split('"').next()?.parse().ok()).collect()
        };
        let (left, lengths) = (numbers("x")[1], numbers("width"));
        assert!(picture.contains(&format!(">{label}<")) && left >= label.len() as f64 * LETTER);
        let figure = left + lengths[1] + GAP;
        assert!(numbers("x").contains(&figure), "{picture}");
        assert!(figure + 22.0 * LETTER <= lengths[0] + GAP, "{picture}");
    }

    #[test]
    fn a_board_has_its_name_date_and_seed() {
        let mut report = sample();
        let made = Made { design: "blink".into(), board: "icepi".into(), date: "2026-01-02".into(), seed: 7 };
        report.made = Some(made);
        let page = report.to_html();
        for part in ["<h1>blink on icepi (lfe5u-85f-6)</h1>", "2026-01-02", "seed 7"] {
            assert!(page.contains(part), "`{part}` is missing");
        }
    }

    #[test]
    fn seeds_below_the_target_are_marked_and_the_longest_bar_is_full() {
        let mut report = sample();
        assert_eq!(report.to_html().matches("class=\"low\"").count(), 3);
        report.clocks[0].target_mhz = Some(205.0);
        assert_eq!(report.to_html().matches("class=\"low\"").count(), 1);
    }
}
