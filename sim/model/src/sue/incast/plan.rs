//! The runs that chapter 50, 9, points 18 and 19 ask for.

use super::{CreditUnit, FlowKind, IncastParameters, Pattern};

/// Data octets and commands of a full body in SUE-Sim.
const SUE_SIM_COMMANDS: u32 = 8;

/// How much of the campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// 64 XPUs, shorter.
    Short,
    /// 64 and 1,024 XPUs.
    Full,
}

/// A run with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedRun {
    /// Its name.
    pub name: String,
    /// What is run.
    pub parameters: IncastParameters,
}

impl IncastParameters {
    /// SUE-Sim's defaults as far as they are about the same things: 4 XPUs, 4 virtual channels, 256 octets per transaction, up to 8 of them in
    /// a body, 85 credits of one frame each given back one by one, 200 Gb/s, 10 ns of link, 130 ns of switch.
    #[must_use]
    pub fn sue_sim() -> Self {
        let base = IncastParameters::default();
        IncastParameters {
            pattern: Pattern::Uniform,
            xpus: 4,
            pack_max: SUE_SIM_COMMANDS * (base.data + super::xpu::COMMAND_OVERHEAD),
            // 30 KB for each of the 12 queues
            pool: 12 * 110,
            limit: 85,
            credit_unit: CreditUnit::Frames,
            cell_batch: 1,
            ..base
        }
    }
}

/// All runs: every pattern with windows of 16 and 64 and both kinds of flow control, then SUE-Sim's.
#[must_use]
pub fn campaign(size: Size) -> Vec<PlannedRun> {
    let sizes: &[u16] = match size {
        Size::Short => &[64],
        Size::Full => &[64, 1_024],
    };
    let mut runs = vec![];
    for xpus in sizes {
        for pattern in [Pattern::Incast, Pattern::AllToAll, Pattern::Permutation, Pattern::Mesh] {
            if pattern == Pattern::Mesh && *xpus != sizes[0] {
                continue;
            }
            for (flow, flow_name) in [(FlowKind::Cbfc, "CBFC"), (FlowKind::Pfc, "PFC")] {
                for window in [16, 64] {
                    let parameters = run(pattern, *xpus, size);
                    let xpus = parameters.xpus;
                    let name = format!("{}, {xpus} XPUs, {flow_name}, WIN {window}", pattern.name());
                    runs.push(PlannedRun {
                        name,
                        parameters: IncastParameters { flow, window, ..parameters },
                    });
                }
            }
        }
    }
    let time = if size == Size::Full { 1_000_000 } else { 100_000 };
    let parameters = IncastParameters { time, sample: time / 100, ..IncastParameters::sue_sim() };
    runs.push(PlannedRun { name: "SUE-Sim's shapes, 4 XPUs, CBFC".into(), parameters });
    runs
}

fn run(pattern: Pattern, xpus: u16, size: Size) -> IncastParameters {
    let xpus = if pattern == Pattern::Mesh { 4 } else { xpus };
    let is_large = xpus > 64;
    // a rotation over all others has to fit a few times, or what is measured is its beginning
    // what waits in the switch has to pass some times, and a rotation over all others too, or what is measured is the beginning
    let time = match (pattern, size) {
        (Pattern::Incast, Size::Full) if is_large => 20_000_000,
        (Pattern::Incast, _) => 3_000_000,
        (Pattern::AllToAll, _) if is_large => 120_000,
        (Pattern::Permutation, _) if is_large => 20_000,
        (_, Size::Full) => 200_000,
        (_, Size::Short) => 30_000,
    };
    // an incast waits for all that is before it in the switch
    let rto = if is_large { 20_000_000 } else { 4_000_000 };
    // with a thousand peers the model goes over all connections at every frame: one virtual channel
    let vcs = if is_large { 1 } else { 4 };
    IncastParameters { pattern, xpus, vcs, time, rto, sample: time / 100, ..IncastParameters::default() }
}
