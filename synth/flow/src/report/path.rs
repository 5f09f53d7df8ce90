//! Critical paths in the source's words: instance path and signal instead of cell names.

use crate::harness::{HARNESS_INSTANCE, HARNESS_TOP};
use crate::ladder::names::Names;
use crate::ladder::place::{plain_net, RawPath};
use serde::{Deserialize, Serialize};

/// A point of a path: a signal of a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathPoint {
    /// Instance path below the block, such as `lane.crc`; empty for the block itself.
    pub module_path: String,
    /// The signal, with its bit where the tool knows it.
    pub signal: String,
}

impl PathPoint {
    /// From a cell's or net's name.
    ///
    /// Yosys names a cell after the signal it drives, its type and port (`a.b.count_TRELLIS_FF_Q_3`), and chains such
    /// names through logic; what precedes the first cell type is the source's own name.
    pub fn of_name(name: &str) -> PathPoint {
        const TYPES: [&str; 9] = [
            "_TRELLIS_",
            "_LUT4_",
            "_CCU2C_",
            "_PFUMX_",
            "_L6MUX21_",
            "_DP16KD_",
            "_PDPW16KD_",
            "_MULT18X18D_",
            "_ALU54B_",
        ];
        let name = plain_net(name);
        let end = TYPES.iter().filter_map(|t| name.find(t)).min().unwrap_or(name.len());
        let name = name[..end].split('$').next().filter(|n| !n.is_empty()).unwrap_or(&name[..end]);
        let name = name.strip_prefix(&format!("{HARNESS_INSTANCE}.")).unwrap_or(name);
        match name.rsplit_once('.') {
            Some((path, signal)) => PathPoint { module_path: path.into(), signal: signal.into() },
            None => PathPoint { module_path: String::new(), signal: name.into() },
        }
    }

    /// `path/signal`, or the signal alone.
    pub fn text(&self) -> String {
        match self.module_path.is_empty() {
            true => self.signal.clone(),
            false => format!("{}/{}", self.module_path, self.signal),
        }
    }
}

/// One critical path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CriticalPath {
    /// The launching edge, such as `posedge clock`.
    pub from_clock: String,
    /// The capturing edge.
    pub to_clock: String,
    /// The register it starts at.
    pub start: PathPoint,
    /// The register it ends at.
    pub end: PathPoint,
    /// Total in nanoseconds, clock-to-output and set-up included.
    pub delay_ns: f64,
    /// In cells.
    pub logic_ns: f64,
    /// In wires.
    pub routing_ns: f64,
    /// Look-up tables and carry entries passed.
    pub levels: usize,
    /// Signals passed, in order, each once.
    pub through: Vec<PathPoint>,
    /// Lines of the block's source the path touches.
    pub sources: Vec<String>,
}

impl CriticalPath {
    /// From the placer's report, with the netlist's names; `None` for an empty path.
    pub fn of_raw(raw: &RawPath, names: &Names) -> Option<CriticalPath> {
        let (first, last) = (raw.path.first()?, raw.path.last()?);
        let routing_ns: f64 = raw.path.iter().filter(|s| s.kind == "routing").map(|s| s.delay).sum();
        let delay_ns: f64 = raw.path.iter().map(|s| s.delay).sum();
        let origin = |cell: &str| names.origin(cell).cloned().unwrap_or_else(|| PathPoint::of_name(cell));
        let mut through: Vec<PathPoint> = Vec::new();
        for point in raw.path.iter().filter(|s| s.net.is_some()).map(|s| origin(&s.from.cell)) {
            if !through.contains(&point) {
                through.push(point);
            }
        }
        let mut sources: Vec<String> = Vec::new();
        for source in raw.path.iter().flat_map(|s| &s.sources) {
            let of_block = !source.starts_with('/') && !source.contains("/share/");
            if of_block && !sources.contains(source) {
                sources.push(source.clone());
            }
        }
        Some(CriticalPath {
            from_clock: plain_edge(&raw.from),
            to_clock: plain_edge(&raw.to),
            start: origin(&first.from.cell),
            end: origin(&last.to.cell),
            delay_ns,
            logic_ns: delay_ns - routing_ns,
            routing_ns,
            levels: raw.path.iter().filter(|s| s.kind == "logic").count(),
            through,
            sources,
        })
    }

    /// True when both ends belong to the harness: the block is not the limit.
    pub fn is_in_harness(&self) -> bool {
        let outside = |p: &PathPoint| p.module_path.is_empty() && p.signal.contains("_level");
        outside(&self.start) && outside(&self.end)
    }
}

fn plain_edge(edge: &str) -> String {
    match edge.split_once(' ') {
        Some((kind, net)) => format!("{kind} {}", plain_net(net).trim_start_matches(HARNESS_TOP)),
        None => edge.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_map_back_to_module_path_and_signal() {
        let cases = [
            ("dut.lane.crc.state_TRELLIS_FF_Q_15_DI_LUT4_Z_A", "lane.crc", "state"),
            ("dut.value[3]$TRELLIS_IO_OUT", "", "value[3]"),
            ("dut.count_TRELLIS_FF_Q_4_DI_CCU2C_S1$CCU2_COMB0", "", "count"),
            ("$glbnet$clock$TRELLIS_IO_IN", "", "clock"),
            ("clock_chain[7]", "", "clock_chain[7]"),
        ];
        for (name, module_path, signal) in cases {
            let point = PathPoint::of_name(name);
            assert_eq!((point.module_path.as_str(), point.signal.as_str()), (module_path, signal), "{name}");
        }
    }
}
