//! `time_gen`: the master that sends its SyncTime (chapter 20, 4.6).
//!
//! Every period a Low is offered to the link, and now and then a High. The value offered in a clock is SyncTime of that
//! clock, so a Low that waits for the link is never old.
//!
//! - Latency: a Low is offered 4 clocks after the SyncTime at which it is due.
//! - Throughput: one beat per clock; `time_out.data` changes while it waits (chapter 10 allows that for `time_in`).
//! - `sync` is SyncTime of this clock, `ahead` that of two clocks later, `lag` the tx lag of a flit taken three clocks
//!   later. A step of SyncTime is told by `stepped` in the first clock of the new time.
//! - `start` (MSTR_CTL written with GEN_EN) begins with an era, `new_era` (SET_CMD) raises it; both arm the
//!   generator for a period later. `enable` low stops at once, also what is offered. The rest of the configuration holds
//!   still while `enable` is high. GEN_PERIOD 0: off; HIGH_EVERY 0 counts as 1.
//! - `clear`: nothing is offered, the next Low is due a period after SyncTime 0 and has a High; the generator runs on.
//! - `time_out` is one LUT behind registers: it chooses between Low and High.

mod due;
mod now;

pub use due::TimeDue;
pub use now::{TimeNow, NOW_BITS};

use super::slave::TIME_WORD_BITS;
use crate::prim::stream::{FlowIn, StreamOut};
use crate::registry::StreamRole::{FlowSink, StreamSource};
use crate::registry::{BlockEntry, BuiltBlock, InterfaceInfo, Preset};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::flit::{control, spc, Opcode, SpcSubtype, FLIT_BITS};
use flitforge_protocol::time::{master_time_high, master_time_low, LAG_BITS};
use flitforge_protocol::time_servo::GEN_CLOCKS;

/// Bits of a beat: slot 0 a Low or a High, slot 1 the High of the Low in slot 0, or Idle.
pub const BEAT_BITS: usize = 2 * FLIT_BITS;

/// The generator of one tree; see the [module](self).
#[derive(LogicBlock)]
pub struct TimeGen {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// GEN_EN.
    pub enable: Signal<In, Bit>,
    /// Begins with this era.
    pub start: FlowIn<Bits<2>>,
    /// SET_CMD stepped SyncTime: with `stepped`.
    pub new_era: Signal<In, Bit>,
    /// `sync` is the first after a step.
    pub stepped: Signal<In, Bit>,
    /// SyncTime, 64.32 ns.
    pub sync: Signal<In, Bits<TIME_WORD_BITS>>,
    /// SyncTime two clocks later, 64.32 ns.
    pub ahead: Signal<In, Bits<TIME_WORD_BITS>>,
    /// tx lag of a flit taken three clocks later, signed, 1/256 ns.
    pub lag: Signal<In, Bits<LAG_BITS>>,
    /// GEN_PERIOD, 2^20 ns; 0 = off.
    pub period: Signal<In, Bits<12>>,
    /// GEN_PHASE, 2^12 ns.
    pub phase: Signal<In, Bits<16>>,
    /// HIGH_EVERY, Lows.
    pub high_every: Signal<In, Bits<8>>,
    /// HIGH_MODE: a High has a beat of its own, before its Low.
    pub separate: Signal<In, Bit>,
    /// Master id.
    pub tree: Signal<In, Bits<2>>,
    /// Master index.
    pub index: Signal<In, Bits<8>>,
    /// Quality.
    pub quality: Signal<In, Bits<4>>,
    /// Beats for the link, see [`BEAT_BITS`].
    pub time_out: StreamOut<Bits<BEAT_BITS>>,
    /// Event: a Low was taken (GEN_LOW).
    pub sent_low: Signal<Out, Bit>,
    /// Event: a High was taken (GEN_HIGH).
    pub sent_high: Signal<Out, Bit>,
    schedule: TimeDue,
    time: TimeNow,
    cleared: DFF<Bit>,
    starting: [DFF<Bit>; 3],
    start_era: [DFF<Bits<2>>; 3],
    renewing: [DFF<Bit>; 3],
    running: DFF<Bit>,
    era: DFF<Bits<2>>,
    /// No High has gone in this era.
    first: DFF<Bit>,
    lows: DFF<Bits<8>>,
    enough: DFF<Bit>,
    low_waits: DFF<Bit>,
    high_waits: DFF<Bit>,
    low_sent: DFF<Bit>,
    high_sent: DFF<Bit>,
    act: Signal<Local, Bit>,
    high_due: Signal<Local, Bit>,
    with_low: Signal<Local, Bit>,
    renew: Signal<Local, Bit>,
    more: Signal<Local, Bits<9>>,
    head: Signal<Local, Bits<FLIT_BITS>>,
    low_flit: Signal<Local, Bits<FLIT_BITS>>,
    high_flit: Signal<Local, Bits<FLIT_BITS>>,
    second: Signal<Local, Bits<FLIT_BITS>>,
    now: Signal<Local, Bits<NOW_BITS>>,
    low_header: Constant<Bits<FLIT_BITS>>,
    high_header: Constant<Bits<FLIT_BITS>>,
    one: Constant<Bits<9>>,
    one_low: Constant<Bits<8>>,
    next_era: Constant<Bits<2>>,
}

impl Default for TimeGen {
    fn default() -> Self {
        let header = |subtype: SpcSubtype| {
            let special = spc::subtype::FIELD.set(0, subtype.code().into());
            let payload = control::payload::FIELD.set(0, special as u64);
            Constant::new((control::opcode::FIELD.set(payload, Opcode::Spc.code().into()) as u64).into())
        };
        Self {
            clock: Default::default(),
            clear: Default::default(),
            enable: Default::default(),
            start: Default::default(),
            new_era: Default::default(),
            stepped: Default::default(),
            sync: Default::default(),
            ahead: Default::default(),
            lag: Default::default(),
            period: Default::default(),
            phase: Default::default(),
            high_every: Default::default(),
            separate: Default::default(),
            tree: Default::default(),
            index: Default::default(),
            quality: Default::default(),
            time_out: Default::default(),
            sent_low: Default::default(),
            sent_high: Default::default(),
            schedule: Default::default(),
            time: Default::default(),
            cleared: Default::default(),
            starting: Default::default(),
            start_era: Default::default(),
            renewing: Default::default(),
            running: Default::default(),
            era: Default::default(),
            first: Default::default(),
            lows: Default::default(),
            enough: Default::default(),
            low_waits: Default::default(),
            high_waits: Default::default(),
            low_sent: Default::default(),
            high_sent: Default::default(),
            act: Default::default(),
            high_due: Default::default(),
            with_low: Default::default(),
            renew: Default::default(),
            more: Default::default(),
            head: Default::default(),
            low_flit: Default::default(),
            high_flit: Default::default(),
            second: Default::default(),
            now: Default::default(),
            low_header: header(SpcSubtype::MasterTimeLow),
            high_header: header(SpcSubtype::MasterTimeHigh),
            one: Constant::new(1.into()),
            one_low: Constant::new(1.into()),
            next_era: Constant::new(1.into()),
        }
    }
}

impl Logic for TimeGen {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, cleared, running, era, first, lows, enough, low_waits, high_waits, low_sent,
            high_sent
        );
        clock!(self, clock, schedule, time);
        for i in 0..3 {
            self.starting[i].clock.next = self.clock.val();
            self.start_era[i].clock.next = self.clock.val();
            self.renewing[i].clock.next = self.clock.val();
        }
        // Starts and steps go with the SyncTime they belong to.
        self.cleared.d.next = self.clear.val();
        self.starting[0].d.next = self.start.valid.val() & self.enable.val();
        self.start_era[0].d.next = self.start.data.val();
        self.renewing[0].d.next = self.new_era.val() & self.enable.val();
        for i in 0..2 {
            self.starting[i + 1].d.next = self.starting[i].q.val() & self.enable.val();
            self.start_era[i + 1].d.next = self.start_era[i].q.val();
            self.renewing[i + 1].d.next = self.renewing[i].q.val() & self.enable.val();
        }
        self.schedule.sync.next = self.sync.val().get_bits::<64>(32);
        self.schedule.arm.next =
            self.start.valid.val() | self.new_era.val() | self.stepped.val() | self.cleared.q.val();
        self.schedule.period.next = self.period.val();
        self.schedule.phase.next = self.phase.val();
        self.act.next =
            self.schedule.due.val() & self.running.q.val() & self.enable.val() & self.period.val().any();
        self.schedule.act.next = self.act.val();

        // What was taken, then what is due.
        self.with_low.next = self.low_waits.q.val() & !(self.separate.val() & self.high_waits.q.val());
        self.low_sent.d.next = self.time_out.ready.val() & self.with_low.val();
        self.high_sent.d.next = self.time_out.ready.val() & self.high_waits.q.val();
        if self.time_out.ready.val() {
            self.high_waits.d.next = false;
            if self.with_low.val() {
                self.low_waits.d.next = false;
            }
        }
        self.more.next = bit_cast::<9, 8>(self.lows.q.val()) + self.one.val();
        self.enough.d.next = self.more.val() >= bit_cast::<9, 8>(self.high_every.val());
        self.high_due.next = self.first.q.val() | self.enough.q.val();
        self.renew.next = self.renewing[2].q.val() & self.running.q.val();
        if self.act.val() {
            self.low_waits.d.next = true;
            self.first.d.next = false;
            self.lows.d.next = self.lows.q.val() + self.one_low.val();
            if self.high_due.val() {
                self.high_waits.d.next = true;
                self.lows.d.next = 0.into();
            }
        }
        if self.renew.val() {
            self.era.d.next = self.era.q.val() + self.next_era.val();
            self.first.d.next = true;
        }
        if self.starting[2].q.val() {
            self.running.d.next = true;
            self.era.d.next = self.start_era[2].q.val();
            self.first.d.next = true;
        }
        if !self.enable.val() {
            self.running.d.next = false;
            self.low_waits.d.next = false;
            self.high_waits.d.next = false;
        }
        if self.clear.val() {
            self.low_waits.d.next = false;
            self.high_waits.d.next = false;
            self.low_sent.d.next = false;
            self.high_sent.d.next = false;
            self.first.d.next = true;
        }

        // The beat.
        self.time.ahead.next = self.ahead.val();
        self.time.lag.next = self.lag.val();
        self.now.next = self.time.now.val();
        self.head.next = (bit_cast::<FLIT_BITS, 2>(self.tree.val()) << 40)
            | (bit_cast::<FLIT_BITS, 2>(self.era.q.val()) << 42);
        self.low_flit.next = self.low_header.val()
            | self.head.val()
            | bit_cast::<FLIT_BITS, 40>(self.now.val().get_bits::<40>(4))
            | (bit_cast::<FLIT_BITS, 4>(self.now.val().get_bits::<4>(0)) << 44);
        self.high_flit.next = self.high_header.val()
            | self.head.val()
            | bit_cast::<FLIT_BITS, 32>(self.now.val().get_bits::<32>(36))
            | (bit_cast::<FLIT_BITS, 8>(self.index.val()) << 32)
            | (bit_cast::<FLIT_BITS, 4>(self.quality.val()) << 44);
        self.second.next = 0.into();
        self.time_out.data.next = bit_cast::<BEAT_BITS, FLIT_BITS>(self.high_flit.val());
        if self.with_low.val() {
            if self.high_waits.q.val() {
                self.second.next = self.high_flit.val();
            }
            self.time_out.data.next = bit_cast::<BEAT_BITS, FLIT_BITS>(self.low_flit.val())
                | (bit_cast::<BEAT_BITS, FLIT_BITS>(self.second.val()) << 65);
        }
        self.time_out.valid.next = self.low_waits.q.val() | self.high_waits.q.val();
        self.sent_low.next = self.low_sent.q.val();
        self.sent_high.next = self.high_sent.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("time_gen", &[])
    }
}

drive_ports!(impl[] TimeGen {
    clock, clear, enable, start, new_era, stepped, sync, ahead, lag, period, phase, high_every, separate, tree, index,
    quality, time_out, sent_low, sent_high,
});

const _: () = assert!(FLIT_BITS == 65 && GEN_CLOCKS == 4);
const _: () = assert!(
    master_time_low::tree::LOW == 40 && master_time_low::era::LOW == 42 && master_time_low::frac::LOW == 44
);
const _: () = assert!(master_time_high::tree::LOW == 40 && master_time_high::era::LOW == 42);
const _: () = assert!(master_time_high::index::LOW == 32 && master_time_high::quality::LOW == 44);

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_gen",
    chapter: "20-time",
    summary: "master that sends its SyncTime",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build: |_| {
        let streams = [("start", FlowSink), ("time_out", StreamSource)];
        let interface = InterfaceInfo::clocked(
            &streams,
            Some(GEN_CLOCKS as u32),
            "SyncTime at which a Low is due to its offer",
        );
        Ok(BuiltBlock::new(TimeGen::default(), interface))
    },
};
