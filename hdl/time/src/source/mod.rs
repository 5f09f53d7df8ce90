//! `time_source`: the counters LocalTime and SyncTime (chapter 20, 4.1).
//!
//! Two counters of 64.32 bits. LocalTime adds INC_NOM every clock, SyncTime INC_NOM + F_ACC + SLEW_P; registers and the
//! servo change the rate, SET_CMD and the servo step SyncTime. A carry takes 4 clocks, and all bits of an output are
//! of the same edge.
//!
//! - `local`, `sync` and `epoch` show what happened 7 clocks before: a write begins with its transfer, a change of the servo
//!   one clock after it; a step counts in the clock in which it begins, F_ACC, SLEW_P and INC_NOM from 7 clocks later on.
//!   `look_ahead` is `sync` 2 clocks earlier. Exact.
//! - Throughput: a change takes 8 clocks, LIMITS 22; `write.ready` waits for it.
//! - Outputs are registers, but `write.ready`: it hangs on registers and `clear`.
//! - `clear`: both times, F_ACC, SLEW_P, SLEW_CNT and SYNC_EPOCH become 0; changes in work or waiting are dropped;
//!   INC_NOM, limits and shadow set stay.
//! - Impossible limits are refused: F_LIMIT + SLEW_LIMIT must stay below INC_NOM.
//!
//! | file | does |
//! |---|---|
//! | `change` | rules 2 and 3: registers, clamping, steps |
//! | `clamp` | the sum of F_ACC and a move, cut to its limit |
//! | `counter` | SyncTime: a counter of 96 bits in four parts |
//! | `local` | LocalTime: in two halves, because nothing steps it |

mod change;
mod clamp;
mod counter;
mod local;
mod queue;

pub use change::SourceChange;
pub use clamp::Clamp;
pub use counter::{TimeCounter, RATE_BITS};
pub use local::LocalCounter;

use super::slave::TIME_WORD_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_servo::{
    DIFFERENCE_BITS, F_ACC_BITS, INC_BITS, INC_NOM_DEFAULT, LOOK_AHEAD_CLOCKS, PERIOD_BITS, SLEW_CNT_BITS,
    SLEW_P_BITS, SOURCE_CLOCKS, SYNC_EPOCH_BITS,
};

/// Bits of a write: [63:0] data as in the register, [66:64] a `SourceWriteCode`.
pub const WRITE_BITS: usize = 67;
/// Clocks from `jump_now` to the last one before SyncTime shows the jump.
const STEP_STAGES: usize = SOURCE_CLOCKS - 2;

/// The counters; see the [module](self).
#[block(new)]
pub struct TimeSource {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// A register write, see [`WRITE_BITS`].
    pub write: StreamIn<Bits<WRITE_BITS>>,
    /// The servo steps SyncTime, signed, 1/256 ns.
    pub step: FlowIn<Bits<DIFFERENCE_BITS>>,
    /// The servo changes the rate: added to F_ACC, signed, 2^-48 ns; with `adjust_slew` the new SLEW_P, lowest 48
    /// bits, 2^-32 ns.
    pub adjust: FlowIn<Bits<64>>,
    /// `adjust` is a slew, for SLEW_N clocks.
    adjust_slew: In<Bit>,
    /// SLEW_N, core clocks.
    slew_n: In<Bits<SLEW_CNT_BITS>>,
    /// LOCAL_TIME is read: the shadow set is loaded.
    read: In<Bit>,
    /// LocalTime, 64.32 ns.
    local: Out<Bits<TIME_WORD_BITS>>,
    /// SyncTime, 64.32 ns.
    sync: Out<Bits<TIME_WORD_BITS>>,
    /// SyncTime of the edge two clocks later.
    look_ahead: Out<Bits<TIME_WORD_BITS>>,
    /// SYNC_EPOCH.
    epoch: Out<Bits<SYNC_EPOCH_BITS>>,
    /// Event: `sync` is the first after a step (STEPS).
    stepped: Out<Bit>,
    /// WPER, 6.20 ns, two clocks after the registers it is of.
    wper: Out<Bits<PERIOD_BITS>>,
    /// Shadow set: LocalTime.
    shadow_local: Out<Bits<TIME_WORD_BITS>>,
    /// Shadow set: SyncTime.
    shadow_sync: Out<Bits<TIME_WORD_BITS>>,
    /// Shadow set: SYNC_EPOCH.
    shadow_epoch: Out<Bits<SYNC_EPOCH_BITS>>,
    /// INC_NOM.
    inc_nom: Out<Bits<INC_BITS>>,
    /// LIMITS.
    limits: Out<Bits<64>>,
    /// F_ACC.
    f_acc: Out<Bits<F_ACC_BITS>>,
    /// SLEW_P.
    slew_p: Out<Bits<SLEW_P_BITS>>,
    /// SLEW_CNT: clocks left.
    slew_left: Out<Bits<SLEW_CNT_BITS>>,
    /// Event: a value was clamped (CLAMPS).
    clamped: Out<Bit>,
    /// Event: a write was refused (REFUSED).
    refused: Out<Bit>,
    #[wire(clock, clear)]
    change: SourceChange,
    #[wire(clock, clear)]
    local_counter: LocalCounter,
    #[wire(clock, clear)]
    sync_counter: TimeCounter,
    // INC_NOM + F_ACC, then with the slew.
    #[wire(d = _)]
    rate: [Reg<Bits<RATE_BITS>>; 2],
    slew: Reg<Bits<SLEW_P_BITS>>,
    slewing: Reg<Bit>,
    #[wire(d = _)]
    sync_late: [Reg<Bits<TIME_WORD_BITS>>; LOOK_AHEAD_CLOCKS],
    step_stage: Reg<Bits<STEP_STAGES>>,
    steps: Reg<Bits<SYNC_EPOCH_BITS>>,
    stepped_now: Reg<Bit>,
    read_local: Reg<Bits<TIME_WORD_BITS>>,
    read_sync: Reg<Bits<TIME_WORD_BITS>>,
    read_epoch: Reg<Bits<SYNC_EPOCH_BITS>>,
    _power_on: u64,
}

#[logic]
impl TimeSource {
    /// With this INC_NOM (2^-32 ns per clock) and the default limits at power-on.
    pub fn new(inc_nom: u64) -> Result<Self, ConfigError> {
        check_range("time_source", "inc_nom", inc_nom, 1, (1 << INC_BITS) - 1)?;
        Ok(Self {
            change: SourceChange::new(inc_nom),
            local_counter: LocalCounter::new()?,
            _power_on: inc_nom,
            ..
        })
    }

    /// INC_NOM at power-on.
    pub fn power_on(&self) -> u64 {
        self._power_on
    }

    fn update(&mut self) {
        link(write, change.write);
        link(step, change.step);
        link(adjust, change.adjust);
        change = In { adjust_slew, slew_n };

        // The rate, two clocks after its registers.
        let frequency = change.f_acc.bits::<INC_BITS>(16);
        let wide_frequency = bit_cast::<RATE_BITS, INC_BITS>(frequency).with(38, frequency[37]);
        rate[0] = bit_cast::<RATE_BITS, INC_BITS>(change.inc_nom) + wide_frequency;
        slew = change.slew_p;
        slewing = change.slew_left.any();
        let mut wide_slew: Bits<RATE_BITS> = 0;
        if slewing {
            wide_slew = bit_cast::<RATE_BITS, SLEW_P_BITS>(slew).with(38, slew[37]);
        }
        rate[1] = rate[0] + wide_slew;

        // The counters.
        local_counter.increment = change.inc_nom;
        sync_counter = In { rate: rate[1], jump_now: change.jump_now, zero: change.jump_zero };
        sync_counter.jump = change.jump;
        sync_late[0] = sync_counter.value;
        sync_late[1] = sync_late[0];
        step_stage = (step_stage << 1).with(0, change.jump_now);
        stepped_now = step_stage[4];
        if step_stage[4] {
            steps = steps + 1;
        }
        if read {
            read_local = local_counter.value;
            read_sync = sync_late[1];
            read_epoch = steps;
        }

        if clear {
            for i in 0..2 {
                rate[i] = 0;
                sync_late[i] = 0;
            }
            slew = 0;
            slewing = false;
            step_stage = 0;
            steps = 0;
            stepped_now = false;
        }
        local = local_counter.value;
        sync = sync_late[1];
        look_ahead = sync_counter.value;
        epoch = steps;
        stepped = stepped_now;
        wper = rate[1].bits::<PERIOD_BITS>(12);
        shadow_local = read_local;
        shadow_sync = read_sync;
        shadow_epoch = read_epoch;
        Out { inc_nom, limits, f_acc, slew_p, slew_left, clamped, refused } = change;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("time_source", &[("inc_nom", format!("0x{:x}", self._power_on))])
    }
}

const _: () = assert!(LOOK_AHEAD_CLOCKS == 2 && STEP_STAGES == 5 && INC_BITS == 38 && RATE_BITS == 39);

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_source",
    chapter: "20-time",
    summary: "fractional counters LocalTime and SyncTime",
    parameters: &[ParameterInfo::new(
        "inc_nom",
        INC_NOM_DEFAULT,
        Allowed::Range(1, (1 << INC_BITS) - 1),
        "INC_NOM at power-on, 2^-32 ns per clock; the default is 156.25 MHz",
    )],
    presets: &[Preset { name: "default", values: &[] }],
    build: |settings| {
        let streams = [("write", StreamSink), ("step", FlowSink), ("adjust", FlowSink)];
        let note = "begin of a step to sync";
        let interface = InterfaceInfo::clocked(&streams, Some(SOURCE_CLOCKS as u32 + 1), note);
        Ok(BuiltBlock::new(TimeSource::new(settings.get("inc_nom")?)?, interface))
    },
};
