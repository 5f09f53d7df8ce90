//! Which lane breaks LTPs, and when it has to go.

use crate::config::ConfigError;
use crate::link::degrade::{LinkDegrade, LEVEL_BITS};
use crate::link::gearbox::ROW_BITS;
use crate::link::isolate::LinkIsolate;
use crate::link::ltp_wide::CrcModes;
use crate::prim::stream::FlowIn;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::lane_word::MAX_LANES;

/// Counters behind the bits of [`PortHealth::events`].
pub const HEALTH_COUNTERS: [LinkCounter; HEALTH_EVENTS] = [
    LinkCounter::MultiLane,
    LinkCounter::IsoUnknown,
    LinkCounter::IsoNone,
    LinkCounter::IsoDisagree,
    LinkCounter::RemoveRefused,
    LinkCounter::Crc48Bad1,
    LinkCounter::Crc48Bad2,
    LinkCounter::Crc48Bad3,
    LinkCounter::Crc48Bad4,
];
/// Number of events of isolation and removal.
pub const HEALTH_EVENTS: usize = 9;

/// [`LinkIsolate`] and [`LinkDegrade`]: the verdicts of one fill the buckets of the other. Both read the rows beside the
/// gearbox. Buckets are emptied in Down.
#[derive(LogicBlock)]
pub struct PortHealth<const WIDE: usize = 0> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// CRC mode received in; changes only before a start row.
    pub mode: Signal<In, Bits<2>>,
    /// Lanes received on, by the sender's numbers; changes only before a start row.
    pub active: Signal<In, Bits<4>>,
    /// L - 1.
    pub last_lane: Signal<In, Bits<2>>,
    /// Rows from the lanes.
    pub rows: FlowIn<Bits<ROW_BITS>>,
    /// The next row is the first behind the start row.
    pub row_start: Signal<In, Bit>,
    /// Verdict: a good LTP.
    pub ltp_good: Signal<In, Bit>,
    /// Verdict: a bad LTP.
    pub ltp_bad: Signal<In, Bit>,
    /// If all modes are built, with `ltp_bad`: the CRCs, in mode 3 the groups, that failed.
    pub failed: [Signal<In, Bits<4>>; WIDE],
    /// What to do with the LTP just judged.
    pub action: FlowIn<Bits<2>>,
    /// Active is entered.
    pub enter: Signal<In, Bit>,
    /// The link is Down.
    pub down: Signal<In, Bit>,
    /// Register DEGRADE.
    pub degrade_cfg: Signal<In, Bits<9>>,
    /// Events LANE_ERR, by the sender's numbers.
    pub lane_errors: Signal<Out, Bits<4>>,
    /// Levels of the buckets.
    pub level: [Signal<Out, Bits<LEVEL_BITS>>; MAX_LANES],
    /// Pulse: `remove_lane` has to go.
    pub remove: Signal<Out, Bit>,
    /// That lane, by the sender's number.
    pub remove_lane: Signal<Out, Bits<2>>,
    /// Events of [`HEALTH_COUNTERS`].
    pub events: Signal<Out, Bits<HEALTH_EVENTS>>,

    isolate: LinkIsolate,
    degrade: LinkDegrade,
    full: Signal<Local, Bits<4>>,
}

impl<const WIDE: usize> PortHealth<WIDE> {
    /// Nothing known of any lane.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            mode: Default::default(),
            active: Default::default(),
            last_lane: Default::default(),
            rows: Default::default(),
            row_start: Default::default(),
            ltp_good: Default::default(),
            ltp_bad: Default::default(),
            failed: defaults(),
            action: Default::default(),
            enter: Default::default(),
            down: Default::default(),
            degrade_cfg: Default::default(),
            lane_errors: Default::default(),
            level: Default::default(),
            remove: Default::default(),
            remove_lane: Default::default(),
            events: Default::default(),
            degrade: Default::default(),
            full: Default::default(),
            isolate: LinkIsolate::new()?,
        })
    }
}

impl<const WIDE: usize> Logic for PortHealth<WIDE> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, isolate, degrade);
        self.isolate.clear.next = self.clear.val();
        self.isolate.mode.next = self.mode.val();
        self.isolate.active.next = self.active.val();
        self.isolate.last_lane.next = self.last_lane.val();
        FlowIn::<Bits<ROW_BITS>>::link(&mut self.rows, &mut self.isolate.rows);
        self.isolate.row_start.next = self.row_start.val();
        self.isolate.ltp_good.next = self.ltp_good.val();
        self.isolate.ltp_bad.next = self.ltp_bad.val();
        self.isolate.failed.next = 0.into();
        for i in 0..WIDE {
            self.isolate.failed.next = self.failed[i].val();
        }
        FlowIn::<Bits<2>>::link(&mut self.action, &mut self.isolate.action);

        self.degrade.clear.next = self.clear.val() | self.down.val();
        self.degrade.enter.next = self.enter.val();
        self.degrade.active.next = self.active.val();
        self.degrade.good_ltp.next = self.isolate.good_ltp.val();
        self.degrade.lane_errors.next = self.isolate.lane_errors.val();
        self.degrade.enabled.next = self.degrade_cfg.val().get_bit(0);
        self.degrade.min_lanes.next = self.degrade_cfg.val().get_bits::<2>(1);
        self.degrade.trigger.next = self.degrade_cfg.val().get_bits::<LEVEL_BITS>(3);
        self.degrade.window.next = self.degrade_cfg.val().get_bits::<3>(6);

        self.full.next = self.degrade.remove.val();
        self.remove.next = self.full.val().any();
        self.remove_lane.next = 0.into();
        if self.full.val().get_bit(1) {
            self.remove_lane.next = 1.into();
        }
        if self.full.val().get_bit(2) {
            self.remove_lane.next = 2.into();
        }
        if self.full.val().get_bit(3) {
            self.remove_lane.next = 3.into();
        }
        self.lane_errors.next = self.isolate.lane_errors.val();
        for i in 0..4 {
            self.level[i].next = self.degrade.level[i].val();
        }
        self.events.next = bit_cast::<HEALTH_EVENTS, 1>(self.isolate.multi_lane.val().into())
            | (bit_cast::<HEALTH_EVENTS, 1>(self.isolate.iso_unknown.val().into()) << 1)
            | (bit_cast::<HEALTH_EVENTS, 1>(self.isolate.iso_none.val().into()) << 2)
            | (bit_cast::<HEALTH_EVENTS, 1>(self.isolate.iso_disagree.val().into()) << 3)
            | (bit_cast::<HEALTH_EVENTS, 1>(self.degrade.refused.val().into()) << 4)
            | (bit_cast::<HEALTH_EVENTS, 4>(self.isolate.crc48_bad.val()) << 5);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        match WIDE {
            0 => block_label("port_health", &[]),
            _ => block_label("port_health", &[("modes", CrcModes::All.caps().to_string())]),
        }
    }
}

drive_ports!(impl[const WIDE: usize] PortHealth<WIDE> {
    clock, clear, mode, active, last_lane, rows, row_start, ltp_good, ltp_bad, failed, action, enter, down, degrade_cfg, lane_errors,
    level, remove, remove_lane, events,
});
