//! Which lane breaks LTPs, and when it has to go.

use crate::config::ConfigError;
use crate::link::degrade::{LinkDegrade, DEBT_BITS};
use crate::link::gearbox::ROW_BITS;
use crate::link::isolate::LinkIsolate;
use crate::link::ltp_wide::CrcModes;
use crate::prim::stream::FlowIn;
use crate::prim::ClearedDelay;
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

/// Clocks from a verdict to what isolation makes of it.
const ISOLATE_CLOCKS: usize = 3;

/// [`LinkIsolate`] and [`LinkDegrade`]: the verdicts of one are the debts of the other. Isolation reads the rows beside the
/// gearbox. Nothing is owed in Down.
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
    /// Event RX_TOSSED, up to 2 clocks behind the verdict.
    pub tossed: Signal<In, Bit>,
    /// Event RETRY_TX.
    pub request: Signal<In, Bit>,
    /// The receiver asks for Retraining: RETRY_LIMIT or BAD_RUN.
    pub fault: Signal<In, Bit>,
    /// Active is entered.
    pub enter: Signal<In, Bit>,
    /// The link is Down.
    pub down: Signal<In, Bit>,
    /// Register DEGRADE.
    pub degrade_cfg: Signal<In, Bits<11>>,
    /// Events LANE_ERR, by the sender's numbers.
    pub lane_errors: Signal<Out, Bits<4>>,
    /// Debts in 1,024 LTP times.
    pub debt: [Signal<Out, Bits<DEBT_BITS>>; MAX_LANES],
    /// Pulse: `remove_lane` has to go.
    pub remove: Signal<Out, Bit>,
    /// That lane, by the sender's number.
    pub remove_lane: Signal<Out, Bits<2>>,
    /// Events of [`HEALTH_COUNTERS`].
    pub events: Signal<Out, Bits<HEALTH_EVENTS>>,

    isolate: LinkIsolate,
    degrade: LinkDegrade,
    bad_later: ClearedDelay<Bit>,
    /// The LTP of the last verdict was tossed.
    was_tossed: DFF<Bit>,
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
            tossed: Default::default(),
            request: Default::default(),
            fault: Default::default(),
            enter: Default::default(),
            down: Default::default(),
            degrade_cfg: Default::default(),
            lane_errors: Default::default(),
            debt: Default::default(),
            remove: Default::default(),
            remove_lane: Default::default(),
            events: Default::default(),
            degrade: Default::default(),
            bad_later: ClearedDelay::new(ISOLATE_CLOCKS)?,
            was_tossed: Default::default(),
            full: Default::default(),
            isolate: LinkIsolate::new()?,
        })
    }
}

impl<const WIDE: usize> Logic for PortHealth<WIDE> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, was_tossed);
        clock!(self, clock, isolate, degrade, bad_later);
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
        self.bad_later.clear.next = self.clear.val();
        self.bad_later.d.next = self.ltp_bad.val();
        self.degrade.ltp.next = self.isolate.good_ltp.val() | self.bad_later.q.val();
        self.degrade.tossed.next = self.was_tossed.q.val();
        if self.isolate.good_ltp.val() | self.bad_later.q.val() {
            self.was_tossed.d.next = false;
        }
        if self.tossed.val() {
            self.was_tossed.d.next = true;
        }
        self.degrade.request.next = self.request.val();
        self.degrade.fault.next = self.fault.val();
        self.degrade.lane_errors.next = self.isolate.lane_errors.val();
        self.degrade.enabled.next = self.degrade_cfg.val().get_bit(0);
        self.degrade.min_lanes.next = self.degrade_cfg.val().get_bits::<2>(1);
        self.degrade.threshold.next = self.degrade_cfg.val().get_bits::<3>(3);
        self.degrade.stand_out.next = self.degrade_cfg.val().get_bits::<2>(6);
        self.degrade.safe.next = self.degrade_cfg.val().get_bits::<3>(8);

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
            self.debt[i].next = self.degrade.debt[i].val();
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
    clock, clear, mode, active, last_lane, rows, row_start, ltp_good, ltp_bad, failed, action, tossed, request, fault, enter, down,
    degrade_cfg, lane_errors, debt, remove, remove_lane, events,
});
