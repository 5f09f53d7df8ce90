//! A device: its oscillator, counters, servo, slaves of up to four trees, generator and ports.

use crate::oscillator::Oscillator;
use flitforge_model::time::source::Time96;
use flitforge_model::time::{Generator, Servo, TimeSource, TreeSelector, TreeSlave};
use flitforge_protocol::time::MAX_TREES;
use flitforge_protocol::time_registers::{path, role};
use flitforge_protocol::time_servo::{ServoState, INC_FRAC, TIME_BITS};
use flitforge_protocol::Field;

/// EXP_SRC and RING_SEL of a tree in PATH.
pub(crate) const fn path_fields(tree: u8) -> (Field, Field) {
    match tree & 3 {
        0 => (path::source0::FIELD, path::ring0::FIELD),
        1 => (path::source1::FIELD, path::ring1::FIELD),
        2 => (path::source2::FIELD, path::ring2::FIELD),
        _ => (path::source3::FIELD, path::ring3::FIELD),
    }
}

/// ROLE, PATH and measurement registers of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct PortState {
    pub(super) role: u64,
    pub(super) path: u64,
    pub(super) rx_corr: i32,
    pub(super) asymmetry: i32,
    pub(super) control: u64,
    /// LDM_MEAN.
    pub(super) mean: u64,
    /// LDM_RANGE.
    pub(super) range: u64,
    pub(super) link_epoch: u16,
    pub(super) measured_epoch: u16,
    pub(super) not_upstream: u32,
    pub(super) wrong_src: u32,
    pub(super) epoch_hold: u32,
}

impl PortState {
    pub(super) fn up(&self, tree: u8) -> bool {
        role::up_en::FIELD.get(self.role.into()) >> tree & 1 == 1
    }

    pub(super) fn down(&self, tree: u8) -> bool {
        role::dn_en::FIELD.get(self.role.into()) >> tree & 1 == 1
    }

    /// EXP_SRC and RING_SEL of a tree.
    pub(super) fn path_of(&self, tree: u8) -> (u8, u8) {
        let (source, ring) = path_fields(tree);
        (source.get(self.path.into()) as u8, ring.get(self.path.into()) as u8)
    }

    pub(super) fn held(&self) -> bool {
        role::hold_on_epoch::FIELD.get(self.role.into()) == 1 && self.link_epoch != self.measured_epoch
    }
}

/// How a device's time behaved since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NodeHistory {
    /// Samples that fed the servo.
    pub used: u64,
    /// Lows that arrived at plane R of an enabled port.
    pub received: u64,
    /// Simulated time of the first sample, ps.
    pub first_sample: Option<i64>,
    /// Simulated time of the first lock, ps.
    pub locked: Option<i64>,
    /// Steps of SyncTime after the first lock.
    pub steps_after_lock: u32,
    /// Times SyncTime ran backward without a new SYNC_EPOCH.
    pub backward: u32,
    /// Samples dropped because of an old era.
    pub old_era: u32,
    /// Times the servo left TRACK for hold-over.
    pub holdovers: u32,
}

/// A device of the network.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) oscillator: Oscillator,
    pub(super) source: TimeSource,
    /// Core edge the counters stand at.
    pub(super) at: u64,
    pub(super) servo: Option<Servo>,
    pub(super) selector: TreeSelector,
    pub(super) tree_prio: u64,
    pub(super) slaves: [Option<Box<TreeSlave>>; MAX_TREES],
    /// CLOCK_OFFSET registers and the valid bits.
    pub(super) offsets: [[i64; 2]; MAX_TREES],
    pub(super) valid: [u8; MAX_TREES],
    /// Sample last popped.
    pub(super) popped: [Option<flitforge_model::time::slave::Sample>; MAX_TREES],
    pub(super) ports: Vec<PortState>,
    pub(super) port_sel: u8,
    pub(super) generator: Option<Box<Generator>>,
    pub(super) gen_cfg: u64,
    pub(super) mstr_ctl: u64,
    pub(super) set_time: u64,
    pub(super) shadow: (Time96, Time96),
    pub(super) alive: bool,
    pub(super) history: NodeHistory,
    last: (Time96, u8),
}

impl Node {
    pub(super) fn new(
        oscillator: Oscillator,
        source: TimeSource,
        servo: Option<Servo>,
        ports: usize,
    ) -> Self {
        let hold = servo
            .as_ref()
            .map_or(0, |servo| u64::from(servo.config().hold_n) * u64::from(servo.config().nclk));
        let last = (source.sync(), source.epoch());
        Self {
            oscillator,
            source,
            at: 0,
            servo,
            selector: TreeSelector::new([0; MAX_TREES], [true, false, false, false], hold),
            tree_prio: 1 << 8,
            slaves: [const { None }; MAX_TREES],
            offsets: [[0; 2]; MAX_TREES],
            valid: [0; MAX_TREES],
            popped: [None; MAX_TREES],
            ports: vec![PortState { role: 0x200, ..PortState::default() }; ports],
            port_sel: 0,
            generator: None,
            gen_cfg: 0,
            mstr_ctl: 0,
            set_time: 0,
            shadow: (0, 0),
            alive: true,
            history: NodeHistory::default(),
            last,
        }
    }

    /// Brings counters and servo to a core edge; an edge that is past changes nothing.
    pub(super) fn advance(&mut self, edge: u64) {
        let clocks = edge.saturating_sub(self.at);
        if clocks == 0 {
            return;
        }
        self.at = edge;
        self.source.advance(clocks);
        self.selector.elapse(clocks);
        if let Some(servo) = &mut self.servo {
            let events = servo.elapse(clocks);
            self.history.holdovers += u32::from(events.holdover);
        }
        self.check_order();
    }

    /// Counts a SyncTime that is not later than before, unless SYNC_EPOCH says it was stepped.
    pub(super) fn check_order(&mut self) {
        let (before, epoch) = std::mem::replace(&mut self.last, (self.source.sync(), self.source.epoch()));
        if self.source.epoch() == epoch {
            self.history.backward += u32::from(signed(self.source.sync().wrapping_sub(before)) < 0);
        } else if self.history.locked.is_some() {
            self.history.steps_after_lock += 1;
        }
    }

    /// SyncTime at any picosecond, between edges in proportion.
    pub(super) fn time_at(&self, t_ps: i64) -> Time96 {
        let period = self.oscillator.period_fs();
        let ahead = self.oscillator.local_fs(t_ps) - self.at as i64 * period;
        // Edges are cut to a picosecond, so the time of edge `at` may be just before it.
        let clocks = (ahead / period).max(0);
        let rest = ahead - clocks * period;
        let now = self.source.sync_after(clocks as u64);
        let step = signed(self.source.sync_after(clocks as u64 + 1).wrapping_sub(now));
        now.wrapping_add(((step * i128::from(rest)) / i128::from(period)) as u128)
    }

    /// True while the servo holds the time: TRACK or HOLDOVER.
    pub(super) fn is_locked(&self) -> bool {
        let state = self.servo.as_ref().map(Servo::state);
        matches!(state, Some(ServoState::Track | ServoState::Holdover))
    }
}

/// A difference of two times modulo 2^96 as a signed number of 2^-32 ns.
pub(super) const fn signed(difference: Time96) -> i128 {
    let unused = 128 - (TIME_BITS + INC_FRAC);
    ((difference << unused) as i128) >> unused
}
