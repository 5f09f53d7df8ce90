//! `time_gen`: the master that sends its SyncTime (chapter 20, 4.6).
//!
//! Every period a Low is offered to the link, and now and then a High. The value offered in a clock is SyncTime of that
//! clock, so a Low that waits for the link is never old.
//!
//! - Latency: a Low is offered 4 clocks after the SyncTime at which it is due.
//! - Throughput: one beat per clock; `time_out.data` changes while it waits (chapter 10 allows that for `time_in`).
//! - `sync` is SyncTime of this clock, `look_ahead` that of two clocks later, `lag` the tx lag of a flit taken three clocks
//!   later. A step of SyncTime is told by `stepped` in the first clock of the new time.
//! - `start` (MSTR_CTL written with GEN_EN) begins with an era, `new_era` (SET_CMD) raises it; both arm the
//!   generator for a period later. `enable` low stops at once, also what is offered. The rest of the configuration holds
//!   still while `enable` is high. GEN_PERIOD 0: off; HIGH_EVERY 0 counts as 1.
//! - `clear`: nothing is offered, the next Low is due a period after SyncTime 0 and has a High; the generator runs on.
//! - `time_out` is one LUT after registers: it chooses between Low and High.

mod due;
mod now;

pub use due::TimeDue;
pub use now::{TimeNow, NOW_BITS};

use super::slave::TIME_WORD_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::flit::{control, spc, Opcode, SpcSubtype, FLIT_BITS};
use flitforge_protocol::time::{master_time_high, master_time_low, LAG_BITS};
use flitforge_protocol::time_servo::GEN_CLOCKS;

/// Bits of a beat: slot 0 a Low or a High, slot 1 the High of the Low in slot 0, or Idle.
pub const BEAT_BITS: usize = 2 * FLIT_BITS;

/// The generator of one tree; see the [module](self).
#[block("time_gen")]
pub struct TimeGen {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// GEN_EN.
    enable: In<Bit>,
    /// Begins with this era.
    pub start: FlowIn<Bits<2>>,
    /// SET_CMD stepped SyncTime: with `stepped`.
    new_era: In<Bit>,
    /// `sync` is the first after a step.
    stepped: In<Bit>,
    /// SyncTime, 64.32 ns.
    sync: In<Bits<TIME_WORD_BITS>>,
    /// SyncTime two clocks later, 64.32 ns.
    look_ahead: In<Bits<TIME_WORD_BITS>>,
    /// tx lag of a flit taken three clocks later, signed, 1/256 ns.
    lag: In<Bits<LAG_BITS>>,
    /// GEN_PERIOD, 2^20 ns; 0 = off.
    period: In<Bits<12>>,
    /// GEN_PHASE, 2^12 ns.
    phase: In<Bits<16>>,
    /// HIGH_EVERY, Lows.
    high_every: In<Bits<8>>,
    /// HIGH_MODE: a High has a beat of its own, before its Low.
    separate: In<Bit>,
    /// Master id.
    tree: In<Bits<2>>,
    /// Master index.
    index: In<Bits<8>>,
    /// Quality.
    quality: In<Bits<4>>,
    /// Beats for the link, see [`BEAT_BITS`].
    pub time_out: StreamOut<Bits<BEAT_BITS>>,
    /// Event: a Low was taken (GEN_LOW).
    sent_low: Out<Bit>,
    /// Event: a High was taken (GEN_HIGH).
    sent_high: Out<Bit>,
    #[wire(clock)]
    schedule: TimeDue,
    #[wire(clock)]
    time: TimeNow,
    cleared: Reg<Bit>,
    #[wire(d = _)]
    starting: [Reg<Bit>; 3],
    #[wire(d = _)]
    start_era: [Reg<Bits<2>>; 3],
    #[wire(d = _)]
    renewing: [Reg<Bit>; 3],
    running: Reg<Bit>,
    era: Reg<Bits<2>>,
    /// No High has gone in this era.
    first: Reg<Bit>,
    lows: Reg<Bits<8>>,
    enough: Reg<Bit>,
    low_waits: Reg<Bit>,
    high_waits: Reg<Bit>,
    low_sent: Reg<Bit>,
    high_sent: Reg<Bit>,
    act: Local<Bit>,
    high_due: Local<Bit>,
    with_low: Local<Bit>,
    renew: Local<Bit>,
    more: Local<Bits<9>>,
    head: Local<Bits<FLIT_BITS>>,
    low_flit: Local<Bits<FLIT_BITS>>,
    high_flit: Local<Bits<FLIT_BITS>>,
    second: Local<Bits<FLIT_BITS>>,
    #[init(header(SpcSubtype::MasterTimeLow))]
    low_header: Constant<Bits<FLIT_BITS>>,
    #[init(header(SpcSubtype::MasterTimeHigh))]
    high_header: Constant<Bits<FLIT_BITS>>,
    #[init(1)]
    one: Constant<Bits<9>>,
    #[init(1)]
    one_low: Constant<Bits<8>>,
    #[init(1)]
    next_era: Constant<Bits<2>>,
}

/// The upper bits of a time flit: opcode and subtype.
fn header(subtype: SpcSubtype) -> Bits<FLIT_BITS> {
    let special = spc::subtype::FIELD.set(0, subtype.code().into());
    let payload = control::payload::FIELD.set(0, special as u64);
    (control::opcode::FIELD.set(payload, Opcode::Spc.code().into()) as u64).into()
}

#[logic]
impl TimeGen {
    fn update(&mut self) {
        // Starts and steps go with the SyncTime they belong to.
        cleared = clear;
        starting[0] = start.valid & enable;
        start_era[0] = start.data;
        renewing[0] = new_era & enable;
        for i in 0..2 {
            starting[i + 1] = starting[i] & enable;
            start_era[i + 1] = start_era[i];
            renewing[i + 1] = renewing[i] & enable;
        }
        schedule = In { sync: sync.bits::<64>(32), arm: start.valid | new_era | stepped | cleared, period };
        schedule.phase = phase;
        act = schedule.due & running & enable & period.any();
        schedule.act = act;

        self.choose();

        // The beat.
        time = In { look_ahead, lag };
        let now = time.now;
        head = (bit_cast::<FLIT_BITS, 2>(tree) << 40) | (bit_cast::<FLIT_BITS, 2>(era) << 42);
        low_flit = low_header
            | head
            | bit_cast::<FLIT_BITS, 40>(now.bits::<40>(4))
            | (bit_cast::<FLIT_BITS, 4>(now.bits::<4>(0)) << 44);
        high_flit = high_header
            | head
            | bit_cast::<FLIT_BITS, 32>(now.bits::<32>(36))
            | (bit_cast::<FLIT_BITS, 8>(index) << 32)
            | (bit_cast::<FLIT_BITS, 4>(quality) << 44);
        second = 0;
        time_out.data = bit_cast::<BEAT_BITS, FLIT_BITS>(high_flit);
        if with_low {
            if high_waits {
                second = high_flit;
            }
            time_out.data =
                bit_cast::<BEAT_BITS, FLIT_BITS>(low_flit) | (bit_cast::<BEAT_BITS, FLIT_BITS>(second) << 65);
        }
        time_out.valid = low_waits | high_waits;
        sent_low = low_sent;
        sent_high = high_sent;
    }

    /// What was taken, then what is due.
    fn choose(&mut self) {
        with_low = low_waits & !(separate & high_waits);
        low_sent = time_out.ready & with_low;
        high_sent = time_out.ready & high_waits;
        if time_out.ready {
            high_waits = false;
            if with_low {
                low_waits = false;
            }
        }
        more = bit_cast::<9, 8>(lows) + one;
        enough = more >= bit_cast::<9, 8>(high_every);
        high_due = first | enough;
        renew = renewing[2] & running;
        if act {
            low_waits = true;
            first = false;
            lows = lows + one_low;
            if high_due {
                high_waits = true;
                lows = 0;
            }
        }
        if renew {
            era = era + next_era;
            first = true;
        }
        if starting[2] {
            running = true;
            era = start_era[2];
            first = true;
        }
        if !enable {
            running = false;
            low_waits = false;
            high_waits = false;
        }
        if clear {
            low_waits = false;
            high_waits = false;
            low_sent = false;
            high_sent = false;
            first = true;
        }
    }
}

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
