//! Which lane breaks LTPs, and when it has to go.

use crate::degrade::{LinkDegrade, DEBT_BITS};
use crate::gearbox::ROW_BITS;
use crate::isolate::LinkIsolate;
use crate::ltp_wide::CrcModes;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ClearedDelay;
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::lane_word::MAX_LANES;

/// Counters after the bits of [`PortHealth::events`].
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
#[block(new)]
pub struct PortHealth<const WIDE: usize = 0> {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// CRC mode received in; changes only before a start row.
    mode: In<Bits<2>>,
    /// Lanes received on, by the sender's numbers; changes only before a start row.
    active: In<Bits<4>>,
    /// L - 1.
    last_lane: In<Bits<2>>,
    /// Rows from the lanes.
    pub rows: FlowIn<Bits<ROW_BITS>>,
    /// The next row is the first after the start row.
    row_start: In<Bit>,
    /// Verdict: a good LTP.
    ltp_good: In<Bit>,
    /// Verdict: a bad LTP.
    ltp_bad: In<Bit>,
    /// If all modes are built, with `ltp_bad`: the CRCs, in mode 3 the groups, that failed.
    failed: [In<Bits<4>>; WIDE],
    /// What to do with the LTP just judged.
    pub action: FlowIn<Bits<2>>,
    /// Event RX_TOSSED, up to 2 clocks after the verdict.
    tossed: In<Bit>,
    /// Event RETRY_TX.
    request: In<Bit>,
    /// The receiver asks for Retraining: RETRY_LIMIT or BAD_RUN.
    fault: In<Bit>,
    /// Active is entered.
    enter: In<Bit>,
    /// The link is Down.
    down: In<Bit>,
    /// Register DEGRADE.
    degrade_cfg: In<Bits<11>>,
    /// Events LANE_ERR, by the sender's numbers.
    lane_errors: Out<Bits<4>>,
    /// Debts in 1,024 LTP times.
    debt: [Out<Bits<DEBT_BITS>>; MAX_LANES],
    /// Pulse: `remove_lane` has to go.
    remove: Out<Bit>,
    /// That lane, by the sender's number.
    remove_lane: Out<Bits<2>>,
    /// Events of [`HEALTH_COUNTERS`].
    events: Out<Bits<HEALTH_EVENTS>>,

    #[wire(clock, clear)]
    isolate: LinkIsolate,
    #[wire(clock)]
    degrade: LinkDegrade,
    #[wire(clock, clear)]
    bad_later: ClearedDelay<Bit>,
    /// The LTP of the last verdict was tossed.
    was_tossed: Reg<Bit>,
}

#[logic]
impl<const WIDE: usize> PortHealth<WIDE> {
    /// Nothing known of any lane.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { bad_later: ClearedDelay::new(ISOLATE_CLOCKS)?, isolate: LinkIsolate::new()?, .. })
    }

    fn update(&mut self) {
        isolate = In { mode, active, last_lane };
        link(rows, isolate.rows);
        isolate = In { row_start, ltp_good, ltp_bad, failed: 0 };
        for i in 0..WIDE {
            isolate.failed = failed[i];
        }
        link(action, isolate.action);

        degrade = In { clear: clear | down, enter, active };
        bad_later.d = ltp_bad;
        degrade = In { ltp: isolate.good_ltp | bad_later.q, tossed: was_tossed };
        if isolate.good_ltp | bad_later.q {
            was_tossed = false;
        }
        if tossed {
            was_tossed = true;
        }
        degrade = In { request, fault, lane_errors: isolate.lane_errors, enabled: degrade_cfg[0] };
        degrade = In { min_lanes: degrade_cfg.bits::<2>(1), threshold: degrade_cfg.bits::<3>(3) };
        degrade = In { stand_out: degrade_cfg.bits::<2>(6), safe: degrade_cfg.bits::<3>(8) };

        let full = degrade.remove;
        remove = full.any();
        remove_lane = 0;
        if full[1] {
            remove_lane = 1;
        }
        if full[2] {
            remove_lane = 2;
        }
        if full[3] {
            remove_lane = 3;
        }
        lane_errors = isolate.lane_errors;
        for i in 0..4 {
            debt[i] = degrade.debt[i];
        }
        events = bit_cast::<HEALTH_EVENTS, 1>(isolate.multi_lane.into())
            | (bit_cast::<HEALTH_EVENTS, 1>(isolate.iso_unknown.into()) << 1)
            | (bit_cast::<HEALTH_EVENTS, 1>(isolate.iso_none.into()) << 2)
            | (bit_cast::<HEALTH_EVENTS, 1>(isolate.iso_disagree.into()) << 3)
            | (bit_cast::<HEALTH_EVENTS, 1>(degrade.refused.into()) << 4)
            | (bit_cast::<HEALTH_EVENTS, 4>(isolate.crc48_bad) << 5);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        match WIDE {
            0 => block_label("port_health", &[]),
            _ => block_label("port_health", &[("modes", CrcModes::All.caps().to_string())]),
        }
    }
}
