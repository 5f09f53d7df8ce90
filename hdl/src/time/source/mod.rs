//! `time_source`: the counters LocalTime and SyncTime (chapter 20, 4.1).
//!
//! Two counters of 64.32 bits. LocalTime adds INC_NOM every clock, SyncTime INC_NOM + F_ACC + SLEW_P; registers and the
//! servo change the rate, SET_CMD and the servo step SyncTime. A carry takes 4 clocks, and all bits of an output are
//! of the same edge.
//!
//! - `local`, `sync` and `epoch` show what happened 7 clocks before: a write begins with its transfer, a change of the servo
//!   one clock after it; a step counts in the clock in which it begins, F_ACC, SLEW_P and INC_NOM from 7 clocks later on.
//!   `ahead` is `sync` 2 clocks earlier. Exact.
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

pub use change::SourceChange;
pub use clamp::Clamp;
pub use counter::{TimeCounter, RATE_BITS};
pub use local::LocalCounter;

use super::slave::TIME_WORD_BITS;
use crate::config::{check_range, ConfigError};
use crate::prim::stream::{FlowIn, StreamIn};
use crate::registry::StreamRole::{FlowSink, StreamSink};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_servo::{
    AHEAD_CLOCKS, DIFFERENCE_BITS, F_ACC_BITS, INC_BITS, INC_NOM_DEFAULT, PERIOD_BITS, SLEW_CNT_BITS,
    SLEW_P_BITS, SOURCE_CLOCKS, SYNC_EPOCH_BITS,
};

/// Bits of a write: [63:0] data as in the register, [66:64] a `SourceWriteCode`.
pub const WRITE_BITS: usize = 67;
/// Clocks from `jump_now` to the last one before SyncTime shows the jump.
const STEP_STAGES: usize = SOURCE_CLOCKS - 2;

/// The counters; see the [module](self).
#[derive(LogicBlock)]
pub struct TimeSource {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// A register write, see [`WRITE_BITS`].
    pub write: StreamIn<Bits<WRITE_BITS>>,
    /// The servo steps SyncTime, signed, 1/256 ns.
    pub step: FlowIn<Bits<DIFFERENCE_BITS>>,
    /// The servo changes the rate: added to F_ACC, signed, 2^-48 ns; with `adjust_slew` the new SLEW_P, lowest 48
    /// bits, 2^-32 ns.
    pub adjust: FlowIn<Bits<64>>,
    /// `adjust` is a slew, for SLEW_N clocks.
    pub adjust_slew: Signal<In, Bit>,
    /// SLEW_N, core clocks.
    pub slew_n: Signal<In, Bits<SLEW_CNT_BITS>>,
    /// LOCAL_TIME is read: the shadow set is loaded.
    pub read: Signal<In, Bit>,
    /// LocalTime, 64.32 ns.
    pub local: Signal<Out, Bits<TIME_WORD_BITS>>,
    /// SyncTime, 64.32 ns.
    pub sync: Signal<Out, Bits<TIME_WORD_BITS>>,
    /// SyncTime of the edge two clocks later.
    pub ahead: Signal<Out, Bits<TIME_WORD_BITS>>,
    /// SYNC_EPOCH.
    pub epoch: Signal<Out, Bits<SYNC_EPOCH_BITS>>,
    /// Event: `sync` is the first after a step (STEPS).
    pub stepped: Signal<Out, Bit>,
    /// WPER, 6.20 ns, two clocks after the registers it is of.
    pub wper: Signal<Out, Bits<PERIOD_BITS>>,
    /// Shadow set: LocalTime.
    pub shadow_local: Signal<Out, Bits<TIME_WORD_BITS>>,
    /// Shadow set: SyncTime.
    pub shadow_sync: Signal<Out, Bits<TIME_WORD_BITS>>,
    /// Shadow set: SYNC_EPOCH.
    pub shadow_epoch: Signal<Out, Bits<SYNC_EPOCH_BITS>>,
    /// INC_NOM.
    pub inc_nom: Signal<Out, Bits<INC_BITS>>,
    /// LIMITS.
    pub limits: Signal<Out, Bits<64>>,
    /// F_ACC.
    pub f_acc: Signal<Out, Bits<F_ACC_BITS>>,
    /// SLEW_P.
    pub slew_p: Signal<Out, Bits<SLEW_P_BITS>>,
    /// SLEW_CNT: clocks left.
    pub slew_left: Signal<Out, Bits<SLEW_CNT_BITS>>,
    /// Event: a value was clamped (CLAMPS).
    pub clamped: Signal<Out, Bit>,
    /// Event: a write was refused (REFUSED).
    pub refused: Signal<Out, Bit>,
    change: SourceChange,
    local_counter: LocalCounter,
    sync_counter: TimeCounter,
    // INC_NOM + F_ACC, then with the slew.
    rate: [DFF<Bits<RATE_BITS>>; 2],
    slew: DFF<Bits<SLEW_P_BITS>>,
    slewing: DFF<Bit>,
    sync_late: [DFF<Bits<TIME_WORD_BITS>>; AHEAD_CLOCKS],
    step_stage: DFF<Bits<STEP_STAGES>>,
    steps: DFF<Bits<SYNC_EPOCH_BITS>>,
    stepped_now: DFF<Bit>,
    read_local: DFF<Bits<TIME_WORD_BITS>>,
    read_sync: DFF<Bits<TIME_WORD_BITS>>,
    read_epoch: DFF<Bits<SYNC_EPOCH_BITS>>,
    frequency: Signal<Local, Bits<INC_BITS>>,
    wide_frequency: Signal<Local, Bits<RATE_BITS>>,
    wide_slew: Signal<Local, Bits<RATE_BITS>>,
    _power_on: u64,
}

impl TimeSource {
    /// With this INC_NOM (2^-32 ns per clock) and the default limits at power-on.
    pub fn new(inc_nom: u64) -> Result<Self, ConfigError> {
        check_range("time_source", "inc_nom", inc_nom, 1, (1 << INC_BITS) - 1)?;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            write: Default::default(),
            step: Default::default(),
            adjust: Default::default(),
            adjust_slew: Default::default(),
            slew_n: Default::default(),
            read: Default::default(),
            local: Default::default(),
            sync: Default::default(),
            ahead: Default::default(),
            epoch: Default::default(),
            stepped: Default::default(),
            wper: Default::default(),
            shadow_local: Default::default(),
            shadow_sync: Default::default(),
            shadow_epoch: Default::default(),
            inc_nom: Default::default(),
            limits: Default::default(),
            f_acc: Default::default(),
            slew_p: Default::default(),
            slew_left: Default::default(),
            clamped: Default::default(),
            refused: Default::default(),
            change: SourceChange::new(inc_nom),
            local_counter: LocalCounter::new()?,
            sync_counter: Default::default(),
            rate: Default::default(),
            slew: Default::default(),
            slewing: Default::default(),
            sync_late: Default::default(),
            step_stage: Default::default(),
            steps: Default::default(),
            stepped_now: Default::default(),
            read_local: Default::default(),
            read_sync: Default::default(),
            read_epoch: Default::default(),
            frequency: Default::default(),
            wide_frequency: Default::default(),
            wide_slew: Default::default(),
            _power_on: inc_nom,
        })
    }

    /// INC_NOM at power-on.
    pub fn power_on(&self) -> u64 {
        self._power_on
    }
}

impl Logic for TimeSource {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            slew,
            slewing,
            step_stage,
            steps,
            stepped_now,
            read_local,
            read_sync,
            read_epoch
        );
        clock!(self, clock, change, local_counter, sync_counter);
        for i in 0..2 {
            self.rate[i].clock.next = self.clock.val();
            self.sync_late[i].clock.next = self.clock.val();
        }
        self.change.clear.next = self.clear.val();
        self.local_counter.clear.next = self.clear.val();
        self.sync_counter.clear.next = self.clear.val();
        StreamIn::<Bits<WRITE_BITS>>::link(&mut self.write, &mut self.change.write);
        FlowIn::<Bits<DIFFERENCE_BITS>>::link(&mut self.step, &mut self.change.step);
        FlowIn::<Bits<64>>::link(&mut self.adjust, &mut self.change.adjust);
        self.change.adjust_slew.next = self.adjust_slew.val();
        self.change.slew_n.next = self.slew_n.val();

        // The rate, two clocks behind its registers.
        self.frequency.next = self.change.f_acc.val().get_bits::<INC_BITS>(16);
        self.wide_frequency.next = bit_cast::<RATE_BITS, INC_BITS>(self.frequency.val())
            .replace_bit(38, self.frequency.val().get_bit(37));
        self.rate[0].d.next =
            bit_cast::<RATE_BITS, INC_BITS>(self.change.inc_nom.val()) + self.wide_frequency.val();
        self.slew.d.next = self.change.slew_p.val();
        self.slewing.d.next = self.change.slew_left.val().any();
        self.wide_slew.next = 0.into();
        if self.slewing.q.val() {
            self.wide_slew.next = bit_cast::<RATE_BITS, SLEW_P_BITS>(self.slew.q.val())
                .replace_bit(38, self.slew.q.val().get_bit(37));
        }
        self.rate[1].d.next = self.rate[0].q.val() + self.wide_slew.val();

        // The counters.
        self.local_counter.increment.next = self.change.inc_nom.val();
        self.sync_counter.rate.next = self.rate[1].q.val();
        self.sync_counter.jump_now.next = self.change.jump_now.val();
        self.sync_counter.zero.next = self.change.jump_zero.val();
        self.sync_counter.jump.next = self.change.jump.val();
        self.sync_late[0].d.next = self.sync_counter.value.val();
        self.sync_late[1].d.next = self.sync_late[0].q.val();
        self.step_stage.d.next = (self.step_stage.q.val() << 1).replace_bit(0, self.change.jump_now.val());
        self.stepped_now.d.next = self.step_stage.q.val().get_bit(4);
        if self.step_stage.q.val().get_bit(4) {
            self.steps.d.next = self.steps.q.val() + 1;
        }
        if self.read.val() {
            self.read_local.d.next = self.local_counter.value.val();
            self.read_sync.d.next = self.sync_late[1].q.val();
            self.read_epoch.d.next = self.steps.q.val();
        }

        if self.clear.val() {
            for i in 0..2 {
                self.rate[i].d.next = 0.into();
                self.sync_late[i].d.next = 0.into();
            }
            self.slew.d.next = 0.into();
            self.slewing.d.next = false;
            self.step_stage.d.next = 0.into();
            self.steps.d.next = 0.into();
            self.stepped_now.d.next = false;
        }
        self.local.next = self.local_counter.value.val();
        self.sync.next = self.sync_late[1].q.val();
        self.ahead.next = self.sync_counter.value.val();
        self.epoch.next = self.steps.q.val();
        self.stepped.next = self.stepped_now.q.val();
        self.wper.next = self.rate[1].q.val().get_bits::<PERIOD_BITS>(12);
        self.shadow_local.next = self.read_local.q.val();
        self.shadow_sync.next = self.read_sync.q.val();
        self.shadow_epoch.next = self.read_epoch.q.val();
        self.inc_nom.next = self.change.inc_nom.val();
        self.limits.next = self.change.limits.val();
        self.f_acc.next = self.change.f_acc.val();
        self.slew_p.next = self.change.slew_p.val();
        self.slew_left.next = self.change.slew_left.val();
        self.clamped.next = self.change.clamped.val();
        self.refused.next = self.change.refused.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("time_source", &[("inc_nom", format!("0x{:x}", self._power_on))])
    }
}

drive_ports!(impl[] TimeSource {
    clock, clear, write, step, adjust, adjust_slew, slew_n, read, local, sync, ahead, epoch, stepped, wper, shadow_local,
    shadow_sync, shadow_epoch, inc_nom, limits, f_acc, slew_p, slew_left, clamped, refused,
});

const _: () = assert!(AHEAD_CLOCKS == 2 && STEP_STAGES == 5 && INC_BITS == 38 && RATE_BITS == 39);

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_source",
    chapter: "20-time",
    summary: "fractional counters LocalTime and SyncTime",
    parameters: &[ParameterInfo {
        name: "inc_nom",
        default: INC_NOM_DEFAULT,
        allowed: Allowed::Range(1, (1 << INC_BITS) - 1),
        doc: "INC_NOM at power-on, 2^-32 ns per clock; the default is 156.25 MHz",
    }],
    presets: &[Preset { name: "default", values: &[] }],
    build: |settings| {
        let streams = [("write", StreamSink), ("step", FlowSink), ("adjust", FlowSink)];
        let note = "begin of a step to sync";
        let interface = InterfaceInfo::clocked(&streams, Some(SOURCE_CLOCKS as u32 + 1), note);
        Ok(BuiltBlock::new(TimeSource::new(settings.get("inc_nom")?)?, interface))
    },
};
