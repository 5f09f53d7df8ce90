//! `sue_ack_timers`: the acknowledgment timers of a go-back-N receiver (chapter 50, 4.6 rule 2).
//!
//! - `arms` names a connection and the number of the arming; both come back at `expired` `duration` clocks later. Nothing is ever stopped: the table knows
//!   by the number which arming counts.
//! - All timers run equally long, so they run out in the order in which they were armed: a FIFO of connections with the time at which each was armed.
//! - At most 2^A of them run. With 16 places left the oldest runs out `early`: its acknowledgment comes too soon, which does no harm. Without any place an
//!   arming is `lost`: that can only be if nobody takes what has run out, and the sender's timer repairs it.
//! - `expired.valid` comes `duration` + 3 clocks after `arms`, 7 at least, if armings are 3 clocks apart as those of the table are; never before `duration`. What
//!   has run out has to be taken within 2^16 - `duration` clocks: times are numbers of 16 bits.
//! - An arming every clock; an expiry every 3 clocks. `clear` forgets all timers.

use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::Fifo;

/// An arming of the timer of a connection.
#[packed]
pub struct AckTimer {
    /// The connection.
    connection: Bits<12>,
    /// Number of the arming.
    timer: Bits<8>,
}

/// An arming, and when it was.
#[packed]
pub struct ArmedTimer {
    /// What is armed.
    armed: AckTimer,
    /// The time.
    since: Bits<16>,
}

/// Places that are left when the oldest timer runs out early.
pub const RESERVE: usize = 16;

/// 2^`A` timers; `C` = `A` + 1. See the [module](self).
#[block("sue_ack_timers", new, timers = 1usize << A)]
pub struct SueAckTimers<const A: usize, const C: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets all timers.
    clear: In<Bit>,
    /// Clocks that a timer runs (ACK_TIMER).
    duration: In<Bits<16>>,
    /// A timer is armed.
    pub arms: FlowIn<AckTimer>,
    /// It has run out.
    pub expired: StreamOut<AckTimer>,
    /// It has run out before its time.
    early: Out<Bit>,
    /// There was no place for an arming.
    lost: Out<Bit>,

    now: Reg<Bits<16>>,
    #[wire(clock, clear)]
    armed: Fifo<ArmedTimer, A, C>,
    /// Timers that run.
    count: Register<Bits<C>>,
    crowded: Register<Bit>,
    /// The oldest timer was looked at one clock ago, two clocks ago.
    looked: Register<Bits<2>>,
    #[wire(d = _)]
    age: Reg<Bits<16>>,
    #[wire(d = _)]
    due: Reg<Bit>,
    told_valid: Register<Bit>,
    told: Reg<AckTimer>,
    early_now: Register<Bit>,
    lost_now: Register<Bit>,
}

#[logic]
impl<const A: usize, const C: usize> SueAckTimers<A, C> {
    /// Timers that do not run.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("sue_ack_timers", "A", A as u64, 5, 12)?;
        Ok(Self { armed: Fifo::new()?, .. })
    }

    fn update(&mut self) {
        now = now + 1;
        armed.words_in.valid = arms.valid;
        armed.words_in.data = ArmedTimer { armed: arms.data, since: now };
        let enters = arms.valid & armed.words_in.ready;
        lost_now = arms.valid & !armed.words_in.ready;
        lost = lost_now;

        // The oldest: its age, a clock later whether that is enough, a clock later it goes.
        let oldest = armed.words_out.data;
        let waits = armed.words_out.valid;
        age = now - oldest.since;
        due = age >= duration;
        let known = looked[1];
        let runs_out = waits & known & (due | crowded) & !told_valid;
        looked = if runs_out { 0 } else { cat(waits, looked[0]) };
        armed.words_out.ready = runs_out;
        early_now = runs_out & !due;
        early = early_now;
        if runs_out {
            told = oldest.armed;
        }
        told_valid = runs_out | (told_valid & !expired.ready);
        expired = In { data: told, valid: told_valid };

        // How many run: all but the last places.
        count.enable = enters ^ runs_out;
        count = if enters { count + 1 } else { count - 1 };
        crowded = count >= (1 << A) - RESERVE;
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_ack_timers",
    chapter: "50-sue",
    summary: "acknowledgment timers of a go-back-N receiver",
    parameters: &[ParameterInfo::new(
        "timers",
        512,
        Allowed::PowerOfTwo(32, 4096),
        "that run, a power of two",
    )],
    presets: &[Preset { name: "default", values: &[] }, Preset { name: "small", values: &[("timers", 32)] }],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (timers) => build_as [log2(timers), log2(timers) + 1];
        presets { (512) (32) }
    }
}

/// Builds the block with these const parameters; see [`SueAckTimers`].
pub fn build_as<const A: usize, const C: usize>(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [("arms", FlowSink), ("expired", StreamSource)];
    let interface = InterfaceInfo::clocked(&streams, None, "duration + 3 clocks from arms to expired.valid");
    Ok(BuiltBlock::new(SueAckTimers::<A, C>::new()?, interface))
}
