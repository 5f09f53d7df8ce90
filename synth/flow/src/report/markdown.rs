//! The report as Markdown.

use super::SynthReport;
use std::fmt::Write;

impl SynthReport {
    /// The report as Markdown: summary, clocks, area by instance, critical paths, notes.
    pub fn to_markdown(&self) -> String {
        let mut text = match &self.made {
            Some(made) => format!(
                "# {} on {} ({})\n\nBuilt {}; the bitstream is that of seed {}.\n\n",
                made.design, made.board, self.device, made.date, made.seed
            ),
            None => format!("# {} on {}\n\n", self.block, self.device),
        };
        let a = &self.area;
        let rows = [
            ("LUT4 (carry and distributed RAM included)", a.lut4),
            ("of these in carry chains (CCU2C cells)", a.ccu2c),
            ("of these distributed RAM", a.lut_ram),
            ("flip-flops", a.ff),
            ("block RAM", a.ebr),
            ("DSP", a.dsp),
        ];
        table(
            &mut text,
            &["area of the block alone", "count"],
            rows.map(|(n, v)| vec![n.into(), v.to_string()]),
        );
        if !self.clocks.is_empty() {
            let rows = self.clocks.iter().map(|c| {
                let seeds: Vec<String> =
                    c.seeds.iter().map(|s| format!("{}: {:.1}", s.seed, s.mhz)).collect();
                let target = c.target_mhz.map_or("-".into(), |t| format!("{t:.1}"));
                let f = c.fmax_mhz;
                let figures = [f.median, f.min, f.max].map(|v| format!("{v:.1}"));
                [vec![c.name.clone()], figures.to_vec(), vec![target, seeds.join(", ")]].concat()
            });
            table(&mut text, &["clock", "median MHz", "lowest", "highest", "target", "by seed"], rows);
        }
        if self.area_by_instance.len() > 1 {
            let rows = self.area_by_instance.iter().map(|(path, a)| {
                let name = if path.is_empty() { "(all)" } else { path };
                [vec![name.to_string()], [a.lut4, a.ff, a.ebr, a.dsp].map(|v| v.to_string()).to_vec()]
                    .concat()
            });
            table(&mut text, &["instance", "LUT4", "FF", "block RAM", "DSP"], rows);
        }
        if !self.critical_paths.is_empty() {
            let rows = self.critical_paths.iter().map(|p| {
                vec![
                    format!("`{}`", p.start.text()),
                    format!("`{}`", p.end.text()),
                    format!("{:.2}", p.delay_ns),
                    format!("{:.2}", p.logic_ns),
                    format!("{:.2}", p.routing_ns),
                    p.levels.to_string(),
                ]
            });
            table(&mut text, &["critical path from", "to", "ns", "logic", "routing", "levels"], rows);
        }
        for note in &self.notes {
            let _ = writeln!(text, "- {note}");
        }
        let tools: Vec<String> = self.tools.iter().map(|(n, v)| format!("{n} {v}")).collect();
        let _ = writeln!(text, "\nMade with effort {}. Tools: {}.", self.effort.name(), tools.join(", "));
        text
    }
}

/// A table with these heads, an empty line after it.
pub fn table(text: &mut String, head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
    let _ = writeln!(text, "| {} |\n|{}", head.join(" | "), "---|".repeat(head.len()));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use crate::report::sample;

    #[test]
    fn every_figure_is_in_the_text() {
        let text = sample().to_markdown();
        for part in
            ["# sample on lfe5u-85f-6", "| flip-flops | 22 |", "| clock | 210.0 | 200.0 | 220.0 | 250.0 |"]
        {
            assert!(text.contains(part), "`{part}` is missing in {text}");
        }
        assert!(text.contains("| `inner/count` | `odd` | 4.00 | 1.50 | 2.50 | 3 |"), "{text}");
        assert!(text.contains("| inner | 7 | 8 | 0 | 0 |") && text.contains("- a note"), "{text}");
    }
}
