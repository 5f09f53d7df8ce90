//! The report as text.

use crate::report::{PairDelay, RingReport};
use crate::seed::PathRow;
use flitforge_flow::report::markdown::table;
use flitforge_flow::report::Spread;
use std::fmt::Write;

/// Hops and pairs of larger rings are in the JSON only.
const MOST_STOPS: u32 = 12;

impl RingReport {
    /// The six parts as Markdown. Of rings with more than 12 stops the rows of single pairs are left to the JSON.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let header = &self.header;
        let mut text = format!("# Time ring of {} stops on {}\n\n", header.stops, header.device);
        self.header_part(&mut text);
        self.hop_part(&mut text);
        self.clock_part(&mut text);
        self.pair_part(&mut text);
        self.column_part(&mut text);
        self.area_part(&mut text);
        for note in &self.notes {
            let _ = writeln!(text, "- {note}");
        }
        text
    }

    fn header_part(&self, text: &mut String) {
        let header = &self.header;
        let seeds: Vec<String> = header.seeds.iter().map(u64::to_string).collect();
        let tools: Vec<String> =
            header.tools.iter().map(|(name, version)| format!("{name} {version}")).collect();
        let rows = [
            ("design", format!("`{}`, SHA-256 of its Verilog {}", header.design, header.verilog)),
            ("device", format!("{}, speed {}", header.device, header.speed)),
            ("seeds", seeds.join(", ")),
            ("tools", tools.join(", ")),
            ("effort", header.effort.clone()),
            ("floorplan", header.floorplan.clone()),
            ("ring clock wanted", format!("{:.1} MHz", header.target_mhz)),
            ("N, S, EMBED", format!("{}, {}, {}", header.stops, header.hop_registers, header.embed)),
            ("core clock", format!("{:.2} MHz; M = 1 to {}", header.core_mhz, self.supported.len())),
        ];
        text.push_str("## 1. What was measured\n\n");
        table(text, &["", ""], rows.map(|(name, value)| vec![name.to_string(), value]));
    }

    fn hop_part(&self, text: &mut String) {
        let header = &self.header;
        text.push_str(
            "## 2. Hops\n\nSlowest path from any register of the first stop to any of the second one",
        );
        text.push_str(match header.hop_registers {
            1 => ".\n\n",
            _ => "; part 1 ends at the second register of the hop, part 2 begins there.\n\n",
        });
        let rows = self.hops.iter().map(|hop| {
            let part = (header.hop_registers > 1).then(|| hop.part.to_string());
            let place = [hop.ring.clone(), hop.from.to_string(), hop.to.to_string()]
                .into_iter()
                .chain(part)
                .collect();
            [place, spread(hop.mhz), vec![format!("{:.3}", hop.slack_ns)], path(&hop.path)].concat()
        });
        let part = (header.hop_registers > 1).then_some("part");
        let head = ["ring", "from", "to"].into_iter().chain(part);
        let figures = ["median MHz", "lowest", "highest", "slack, ns", "ns", "path"];
        table(text, &head.chain(figures).collect::<Vec<_>>(), rows);
    }

    fn clock_part(&self, text: &mut String) {
        text.push_str("## 3. Ring clock\n\n");
        let clock = &self.clock;
        let kinds = [("all paths of the ring's domain", clock.mhz), ("hops alone", clock.hops_mhz)];
        let of_kind = clock.others.iter().map(|other| (other.kind.as_str(), other.mhz));
        let rows =
            kinds.into_iter().chain(of_kind).map(|(name, mhz)| [vec![name.into()], spread(mhz)].concat());
        table(text, &["paths", "median MHz", "lowest", "highest"], rows);
        let rows = clock.seeds.iter().map(|seed| {
            let figures = [seed.mhz, seed.hops_mhz, seed.tool_mhz].map(|mhz| format!("{mhz:.1}"));
            [vec![seed.seed.to_string()], figures.to_vec(), vec![format!("`{}`", seed.limit)]].concat()
        });
        table(text, &["seed", "MHz", "hops, MHz", "placer's own, harness included", "limited by"], rows);
        let rows = clock.others.iter().map(|other| [vec![other.kind.clone()], path(&other.path)].concat());
        table(text, &["no hop", "ns", "path"], rows);
    }

    fn pair_part(&self, text: &mut String) {
        let _ = writeln!(
            text,
            "## 4. Pairs\n\nD(h) from R of the upstream port to X of the downstream port, in core clocks and ns, at each supported \
             ring clock. The ring reaches {:.1} MHz (median).\n",
            self.clock.mhz.median
        );
        let rows = self.supported.iter().map(|clock| {
            let longest = self.pairs.iter().filter_map(|pair| pair.delays.get(clock.ratio as usize - 1));
            let longest = longest.max_by_key(|delay| delay.clocks).map_or(String::new(), delay);
            vec![clock.ratio.to_string(), format!("{:.2}", clock.mhz), met(clock.met).into(), longest]
        });
        table(text, &["M", "ring clock, MHz", "", "longest D(h)"], rows);
        let gained: u32 = self.pairs.iter().map(|pair| pair.gain_cycles).sum();
        let pairs = self.pairs.len().max(1) as f64;
        let mean = self.pairs.iter().map(|pair| pair.ring_cycles).sum::<u32>() as f64 / pairs;
        let _ = writeln!(
            text,
            "{} pairs, {mean:.3} ring cycles on average, {:.3} less than over one ring.\n",
            self.pairs.len(),
            f64::from(gained) / pairs
        );
        if self.header.stops > MOST_STOPS {
            return text.push_str("The pairs one by one are in the JSON.\n\n");
        }
        let mut head = vec![
            "from".into(),
            "to".into(),
            "cw".into(),
            "ccw".into(),
            "ring".into(),
            "h S".into(),
            "ns".into(),
        ];
        head.extend(self.supported.iter().map(|clock| format!("M = {}", clock.ratio)));
        head.push("gain".into());
        let head: Vec<&str> = head.iter().map(String::as_str).collect();
        let rows = self.pairs.iter().map(|pair| {
            let numbers = [pair.from, pair.to, pair.hops_cw, pair.hops_ccw].map(|n| n.to_string());
            let way =
                vec![pair.ring.clone(), pair.ring_cycles.to_string(), format!("{:.2}", pair.achieved_ns)];
            let delays = pair.delays.iter().map(delay).collect();
            [numbers.to_vec(), way, delays, vec![pair.gain_cycles.to_string()]].concat()
        });
        table(text, &head, rows);
    }

    fn column_part(&self, text: &mut String) {
        text.push_str("## 5. Ring cycles, found in three ways\n\n");
        let equal = self.pairs.iter().filter(|pair| {
            [pair.static_cycles, pair.simulated_cycles, pair.token_cycles] == [pair.ring_cycles; 3]
        });
        let _ = writeln!(
            text,
            "Registers of the design, simulation and tokens agree with the chapter on {} of {} pairs, and on every pair of the other \
             ring, too.\n",
            equal.count(),
            self.pairs.len()
        );
        if self.header.stops > MOST_STOPS {
            return;
        }
        let rows = self.pairs.iter().map(|pair| {
            let cycles = [pair.ring_cycles, pair.static_cycles, pair.simulated_cycles, pair.token_cycles];
            let place = [pair.from, pair.to].map(|n| n.to_string()).to_vec();
            [place, vec![pair.ring.clone()], cycles.map(|n| n.to_string()).to_vec()].concat()
        });
        table(text, &["from", "to", "ring", "h S", "static", "simulated", "token"], rows);
    }

    fn area_part(&self, text: &mut String) {
        text.push_str("## 6. Area and goal\n\n");
        let area = &self.area;
        let a_stop = match self.header.hop_registers {
            1 => "a stop of one ring",
            _ => "a stop of one ring and the second register in front of it",
        };
        let stops = || area.stops.iter();
        let range = |figure: &dyn Fn(&crate::seed::StopArea) -> u64| {
            let (low, high) =
                stops().map(figure).fold((u64::MAX, 0), |(low, high), n| (low.min(n), high.max(n)));
            format!("{low} to {high}")
        };
        let rows = [
            vec!["both rings".into(), area.total.lut4.to_string(), area.total.ff.to_string()],
            vec![a_stop.into(), range(&|stop| stop.lut4), range(&|stop| stop.ff)],
        ];
        table(text, &["", "LUT4", "FF"], rows);
        let goal = &self.goal;
        let _ = writeln!(
            text,
            "Goal: {:.0} MHz for every hop. The slowest one reaches {:.1} MHz (median): {}.\n",
            goal.mhz,
            goal.slowest_hop_mhz,
            met(goal.met)
        );
    }
}

/// The summary of several rings.
#[must_use]
pub fn summary(reports: &[RingReport]) -> String {
    let mut text = String::from("# Time rings\n\n");
    let rows = reports.iter().map(|report| {
        let header = &report.header;
        let stops = match header.hop_registers {
            1 => header.stops.to_string(),
            registers => format!("{}, S = {registers}", header.stops),
        };
        let name = vec![stops, header.embed.clone(), header.device.clone()];
        let hop = vec![format!("{:.1}", report.goal.slowest_hop_mhz), met(report.goal.met).into()];
        let area = [report.area.total.lut4, report.area.total.ff].map(|n| n.to_string());
        [name, spread(report.clock.hops_mhz), hop, spread(report.clock.mhz), area.to_vec()].concat()
    });
    let head = [
        "N",
        "EMBED",
        "device",
        "hops, median MHz",
        "lowest",
        "highest",
        "slowest hop, median",
        "goal",
        "ring, median MHz",
        "lowest",
        "highest",
        "LUT4",
        "FF",
    ];
    table(&mut text, &head, rows);
    text
}

const fn met(met: bool) -> &'static str {
    if met {
        "met"
    } else {
        "not met"
    }
}

fn delay(delay: &PairDelay) -> String {
    let miss = if delay.met { "" } else { ", not met" };
    format!("{} ({:.1} ns){miss}", delay.clocks, delay.ns)
}

fn spread(mhz: Spread) -> Vec<String> {
    [mhz.median, mhz.min, mhz.max].map(|mhz| format!("{mhz:.1}")).to_vec()
}

/// Nanoseconds, and every cell and wire.
fn path(path: &PathRow) -> Vec<String> {
    let segments: Vec<String> =
        path.segments.iter().map(|segment| format!("{} {:.3}", segment.kind, segment.ns)).collect();
    vec![
        format!("{:.3}", path.delay_ns),
        format!("`{}` to `{}`: {}", path.start, path.end, segments.join(", ")),
    ]
}
