//! Sequence numbers of frames without acknowledgment, and what acknowledgments do to them.

use super::{FRAMES_BITS, START_BITS, TICK_BITS};
use crate::llr_set::{LlrSet, LlrSetKind};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};
use flitforge_protocol::sue::link_control::SEQUENCE_BITS;

/// What the buffer has of a frame. The table has room for twice as many as there may be, so that the entry of the next frame is free.
#[packed]
struct LlrDescriptor {
    /// Where its first word is.
    start: Bits<START_BITS>,
    /// When it began.
    tick: Bits<TICK_BITS>,
}

/// An LLR_ACK or LLR_NACK, judged.
#[packed]
pub struct WindowDecision {
    /// There is one in this clock.
    valid: Bit,
    /// It lies in the window.
    taken: Bit,
    /// It frees frames.
    moves: Bit,
    /// It is an LLR_NACK.
    nack: Bit,
    /// It names the frame that the last replay began with.
    known: Bit,
    /// Frames remain without acknowledgment.
    remains: Bit,
}

/// The window; `P` is the width of a place in the buffer. One acknowledgment per 3 clocks: of those that come closer, the last one counts.
///
/// | clock | what |
/// |---|---|
/// | 0 | the acknowledgment comes |
/// | 1 | which frame would be the oldest |
/// | 2 | how many frames it frees; its entry is read |
/// | 3 | compared with how many there are |
/// | 4 | the decision |
#[block("eth_llr_window", new, width = P)]
pub struct LlrWindow<const P: usize> {
    clock: In<Clock>,
    clear: In<Bit>,
    /// Starts anew, empty, at `first`.
    begins: In<Bit>,
    first: In<Bits<SEQUENCE_BITS>>,
    /// Nothing is held any more.
    drops: In<Bit>,
    /// Acknowledgments count.
    runs: In<Bit>,
    /// From the receiver; others than acknowledgments are passed over.
    pub sets: FlowIn<LlrSet>,
    /// A numbered frame begins.
    starts: In<Bit>,
    /// One is under way.
    storing: In<Bit>,
    /// One ends.
    ends: In<Bit>,
    /// Where the frame under way, or the next one, begins in the buffer.
    frame_start: In<Bits<P>>,
    /// The time.
    tick: In<Bits<TICK_BITS>>,
    /// A replay begins by the timer.
    timer_replays: In<Bit>,
    /// Most outstanding frames.
    frames_max: In<Bits<FRAMES_BITS>>,
    /// Sequence number of the frame under way, or the next one.
    upcoming: Out<Bits<SEQUENCE_BITS>>,
    /// Sequence number of the oldest frame without acknowledgment.
    oldest: Out<Bits<SEQUENCE_BITS>>,
    /// Where it begins in the buffer.
    oldest_start: Out<Bits<P>>,
    /// When it began.
    oldest_tick: Out<Bits<TICK_BITS>>,
    /// Frames that ended and are not acknowledged, a clock late.
    count: Out<Bits<FRAMES_BITS>>,
    /// One more may be outstanding, two clocks late.
    has_room: Out<Bit>,
    /// There are frames without acknowledgment, also if only one under way.
    held: Out<Bit>,
    decision: Out<WindowDecision>,
    /// With a decision that moves: how many frames it frees.
    freed: Out<Bits<FRAMES_BITS>>,

    waiting: Reg<LlrSet>,
    waiting_valid: Register<Bit>,
    step: Register<Bits<3>>,
    nack: Reg<Bit>,
    target: Reg<Bits<SEQUENCE_BITS>>,
    distance: Reg<Bits<SEQUENCE_BITS>>,
    count_then: Reg<Bits<FRAMES_BITS>>,
    start_then: Reg<Bits<P>>,
    storing_then: Reg<Bit>,
    #[wire(d = _)]
    inside: Reg<Bit>,
    #[wire(d = _)]
    all: Reg<Bit>,
    #[wire(d = _)]
    moves: Reg<Bit>,
    #[wire(d = _)]
    known: Reg<Bit>,
    /// A frame began one clock ago, two clocks ago.
    recent: Register<Bits<2>>,
    frames_oldest: Reg<Bits<SEQUENCE_BITS>>,
    frames_upcoming: Reg<Bits<SEQUENCE_BITS>>,
    replay_from: Reg<Bits<FRAMES_BITS>>,
    #[wire(clear = clear | begins)]
    start: Register<Bits<P>>,
    since: Reg<Bits<TICK_BITS>>,
    #[wire(clear = clear | begins | drops)]
    holds: Register<Bit>,
    #[wire(d = _)]
    counted: Reg<Bits<FRAMES_BITS>>,
    #[wire(d = _)]
    room: Reg<Bit>,
    descriptors: Ram<LlrDescriptor, FRAMES_BITS>,
}

#[logic]
impl<const P: usize> LlrWindow<P> {
    /// An empty window.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("eth_llr_window", "P", P as u64, 5, START_BITS as u64)?;
        Ok(Self { descriptors: Ram::new(RamConfig::block(1 << FRAMES_BITS))?, .. })
    }

    fn update(&mut self) {
        self.judge();
        let decided = self.decide();
        self.move_on(decided);

        upcoming = frames_upcoming;
        oldest = frames_oldest;
        oldest_start = start;
        oldest_tick = since;
        count = counted;
        has_room = room;
        held = holds;
        decision = decided;
        freed = distance.bits::<FRAMES_BITS>(0);
    }

    /// Clocks 0 to 3.
    fn judge(&mut self) {
        let set = sets.data;
        let arrives = sets.valid & ((set.kind == LlrSetKind::Ack) | (set.kind == LlrSetKind::Nack));
        let takes = waiting_valid & !step[0] & !step[1];
        if arrives {
            waiting = set;
        }
        waiting_valid = arrives | (waiting_valid & !takes);
        step = cat(takes, step[0..2]);
        // LLR_ACK names the last frame that arrived, LLR_NACK the one after it.
        let is_nack = waiting.kind == LlrSetKind::Nack;
        if takes {
            nack = is_nack;
            target = waiting.sequence + bit_cast::<SEQUENCE_BITS, 1>((!is_nack).into());
        }
        let upcoming_low = frames_upcoming.bits::<FRAMES_BITS>(0);
        let oldest_low = frames_oldest.bits::<FRAMES_BITS>(0);
        counted = upcoming_low - oldest_low;
        room = counted < frames_max;
        if step[0] {
            distance = target - frames_oldest;
            count_then = upcoming_low - oldest_low;
            start_then = frame_start;
            storing_then = storing;
        }
        let low = distance.bits::<FRAMES_BITS>(0);
        let high = distance[FRAMES_BITS..SEQUENCE_BITS];
        inside = !high.any() & (low <= count_then);
        all = low == count_then;
        moves = low.any();
        known = target.bits::<FRAMES_BITS>(0) == replay_from;
    }

    /// Clock 4. What began since clock 2 remains.
    fn decide(&mut self) -> WindowDecision {
        recent = cat(starts, recent[0]);
        let decided = WindowDecision {
            valid: step[2],
            taken: step[2] & inside & runs,
            moves,
            nack,
            known,
            remains: !all | storing_then | starts | recent.any(),
        };
        decided
    }

    /// The window after the decision.
    fn move_on(&mut self, decided: WindowDecision) {
        descriptors = In { write_clock: clock, read_clock: clock, read_enable: true, output_enable: true };
        descriptors.read_address = target.bits::<FRAMES_BITS>(0);
        descriptors.write_address = frames_upcoming.bits::<FRAMES_BITS>(0);
        descriptors.write_enable = !storing;
        descriptors.write_data = LlrDescriptor { start: bit_cast::<START_BITS, P>(frame_start), tick };
        let descriptor = descriptors.read_data;
        let descriptor_start = descriptor.start;

        if decided.taken {
            frames_oldest = target;
        }
        if ends {
            frames_upcoming = frames_upcoming + 1;
        }
        if begins {
            frames_oldest = first;
            frames_upcoming = first;
        }
        start.enable = decided.taken;
        start = if all { start_then } else { descriptor_start.bits::<P>(0) };
        // Of the next frame there is no entry yet: its age counts from now.
        if decided.taken {
            since = if all { tick } else { descriptor.tick };
        }
        if !holds {
            since = tick;
        }
        holds.enable = starts | (decided.taken & !decided.remains);
        holds = starts;
        if decided.taken & decided.nack {
            replay_from = target.bits::<FRAMES_BITS>(0);
        }
        if timer_replays {
            replay_from = frames_oldest.bits::<FRAMES_BITS>(0);
        }
    }
}
