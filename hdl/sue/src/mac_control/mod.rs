//! What the receivers of MAC control frames have in common (chapter 50, 3.7): the beginning of the frame, and its verdict.
//!
//! - [`ControlHead`] keeps a word for a clock and says which word of its frame it is, and whether the frame is so far a MAC control frame with the
//!   opcode asked for. Frames of any kind may come.
//! - [`ControlVerdicts`] gives each frame that was recognised a slot for what it says, until its verdict has come and it has been carried out. Good ones
//!   are offered in their order, others are forgotten.

use crate::frame::{FrameWord, VERDICTS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::link_control::{MAC_CONTROL_DESTINATION, MAC_CONTROL_ETHERTYPE};

/// The destination as it stands in the first six octets of a frame, octet 0 in the lowest bits.
pub const DESTINATION: u64 = (MAC_CONTROL_DESTINATION << 16).swap_bytes();
/// The Ethertype as it stands in its two octets.
pub const ETHERTYPE: u64 = MAC_CONTROL_ETHERTYPE.swap_bytes() as u64;
/// The word after those that are told apart.
pub const BEYOND: usize = 31;
/// Slots for frames that were recognised.
pub const SLOTS: usize = 4;
/// Frames whose verdict may be due.
const FRAMES: usize = 8;

const _: () = assert!(VERDICTS < FRAMES);

/// The beginning of frames; see the [module](self).
#[block("control_head")]
pub struct ControlHead {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets the frame under way.
    clear: In<Bit>,
    /// Words of frames.
    pub frames: FlowIn<FrameWord>,
    /// The opcode, octet 14 in the upper half.
    opcode: In<Bits<16>>,
    /// The word a clock later.
    pub words: FlowOut<FrameWord>,
    /// Its number in its frame, at most [`BEYOND`].
    place: Out<Bits<5>>,
    /// The destination, the Ethertype and the opcode are right. Counts from word 2 on.
    is_control: Out<Bit>,

    #[wire(d = _)]
    word: Reg<FrameWord>,
    #[wire(enable = true)]
    arrived: Register<Bit>,
    number: Register<Bits<5>>,
    right: Register<Bit>,
}

#[logic]
impl ControlHead {
    fn update(&mut self) {
        word = frames.data;
        arrived = frames.valid;
        number.enable = arrived;
        number = if word.last {
            0
        } else if number == BEYOND {
            number
        } else {
            number + 1
        };
        let octets = word.data;
        let asked: Bits<16> = cat(opcode[8..16], opcode[0..8]);
        let goes_there = octets[0..48] == DESTINATION;
        let is_type = (octets[32..48] == ETHERTYPE) & (octets[48..64] == asked);
        right.enable = arrived;
        right = if number == 0 {
            goes_there
        } else if number == 1 {
            right & is_type
        } else {
            right
        };
        words = In { data: word, valid: arrived };
        place = number;
        is_control = right;
    }
}

/// The verdicts of frames; see the [module](self).
#[block("control_verdicts")]
pub struct ControlVerdicts {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets frames.
    clear: In<Bit>,
    /// A frame has ended: high one clock after its last word.
    ended: In<Bit>,
    /// With `ended`: it was recognised, and `room` was high: what it says stands in `slot`.
    recognised: In<Bit>,
    /// Whether a frame is good, once for each in their order, after its last word.
    pub verdicts: FlowIn<Bit>,
    /// Where what the frame says that comes in goes.
    slot: Out<Bits<2>>,
    /// It may go there.
    room: Out<Bit>,
    /// At most one slot is in use.
    room_for_two: Out<Bit>,
    /// A good frame is to be carried out.
    offered: Out<Bit>,
    /// Where what it says stands.
    offered_slot: Out<Bits<2>>,
    /// It has been.
    done: In<Bit>,

    #[wire(enable = true)]
    comes: Register<Bit>,
    #[wire(d = _)]
    is_good: Reg<Bit>,
    /// Frames by number: those recognised.
    kinds: Reg<Bits<FRAMES>>,
    /// Numbers of the next frame to end and of the next verdict.
    next_end: Register<Bits<3>>,
    next_verdict: Register<Bits<3>>,
    /// Slots by number: those of good frames.
    good: Reg<Bits<SLOTS>>,
    /// Numbers of the next slot to fill, to be judged, and to be carried out.
    filled: Register<Bits<3>>,
    judged: Register<Bits<3>>,
    carried: Register<Bits<3>>,
}

#[logic]
impl ControlVerdicts {
    fn update(&mut self) {
        // A verdict a clock later: its frame is entered by then.
        comes = verdicts.valid;
        is_good = verdicts.data;
        let there = next_end != next_verdict;
        let judges = comes & there;
        let judged_slot: Bits<2> = judged[0..2];
        let is_kind = kinds[next_verdict];
        let mut kinds_now = kinds;
        let mut good_now = good;
        for i in 0..FRAMES {
            if ended & (next_end == i) {
                kinds_now = kinds_now.with(i, recognised);
            }
        }
        for i in 0..SLOTS {
            if judges & is_kind & (judged_slot == i) {
                good_now = good_now.with(i, is_good);
            }
        }
        kinds = kinds_now;
        good = good_now;
        next_end.enable = ended;
        next_end = next_end + 1;
        next_verdict.enable = judges;
        next_verdict = next_verdict + 1;

        // What was recognised, from the slot that is filled to the one that is carried out.
        let used = filled - carried;
        room = !used[2];
        room_for_two = !used[2] & !used[1];
        slot = filled[0..2];
        filled.enable = ended & recognised;
        filled = filled + 1;
        judged.enable = judges & is_kind;
        judged = judged + 1;
        let waits = judged != carried;
        let carried_slot: Bits<2> = carried[0..2];
        let is_to_do = good[carried_slot];
        offered = waits & is_to_do;
        offered_slot = carried_slot;
        carried.enable = waits & (!is_to_do | done);
        carried = carried + 1;
    }
}
