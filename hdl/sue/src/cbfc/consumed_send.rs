//! CC_Update to the peer: when, and the frames.
//!
//! It tells what all frames before it have consumed. So it waits until the link has none outstanding, and no frame was counted for some clocks;
//! meanwhile `hold` keeps others from beginning. Counts are read while the frame leaves, when nothing else can.

use super::operation::{ConsumedEntry, CELLS_BITS};
use crate::frame::FrameWord;
use crate::mac_control::{DESTINATION, ETHERTYPE};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::class::CLASSES;
use flitforge_protocol::sue::link_control::{CBFC_VCS, CC_ENTRY_KIND, CC_ORGANISATION, CC_VCS_PER_MESSAGE};

/// The organisation identifier as it stands in its three octets, and how many they are.
const ORGANISATION: u64 = (CC_ORGANISATION << 40).swap_bytes();
const ORGANISATION_OCTETS: usize = 3;
/// Words before the entries.
const HEADER: usize = 2;
/// The last word of the one message, and that of the two.
const LAST_OF_ONE: usize = HEADER + CBFC_VCS - 1;
const LAST_OF_TWO: usize = HEADER + CC_VCS_PER_MESSAGE;

/// CC_Update; see the [module](self).
#[block("consumed_send")]
pub struct ConsumedSend {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Starts over.
    clear: In<Bit>,
    /// Messages are sent.
    enable: In<Bit>,
    /// CC_TIMER in 64 clocks.
    cc_timer: In<Bits<16>>,
    /// CC_OPC.
    opcode: In<Bits<16>>,
    /// PROFILE ue103.
    two_messages: In<Bit>,
    /// Own address.
    source: In<Bits<48>>,
    /// A frame begins.
    counted: In<Bit>,
    /// Frames are in the replay buffer.
    outstanding: In<Bit>,
    /// Virtual channels of the classes.
    virtual_channels: [In<Bits<5>>; CLASSES],
    /// Lossless classes.
    lossless: In<Bits<CLASSES>>,
    /// Whose CC is read: its first class.
    slot: Out<Bits<3>>,
    /// The CC of `slot`.
    cells: In<Bits<CELLS_BITS>>,
    /// No other frame may begin.
    hold: Out<Bit>,
    /// CC_Update frames without FCS.
    pub frame: StreamOut<FrameWord>,
    /// All messages were sent.
    sent: Out<Bit>,

    #[wire(enable = true)]
    clocks: Register<Bits<6>>,
    elapsed: Register<Bits<16>>,
    due: Register<Bit>,
    /// Clocks since a frame began, at most 7.
    #[wire(enable = true)]
    quiet: Register<Bits<3>>,
    sends: Register<Bit>,
    /// It is the second message.
    upper: Register<Bit>,
    place: Register<Bits<6>>,
    // One move ahead of the word, and two: the virtual channel, and where its count is.
    ahead: Register<Bits<5>>,
    near_vc: Register<Bits<5>>,
    near_slot: Register<Bits<3>>,
    near_known: Register<Bit>,
    here_vc: Register<Bits<5>>,
    here_cells: Register<Bits<CELLS_BITS>>,
    #[wire(enable = true)]
    told: Register<Bit>,
}

#[logic]
impl ConsumedSend {
    fn update(&mut self) {
        let last = if two_messages { place == LAST_OF_TWO } else { place == LAST_OF_ONE };
        let moves = sends & frame.ready;
        let ends = moves & last & (upper | !two_messages);
        self.wait(ends);
        self.look_up(moves, last);
        self.write(last);
        place.enable = moves;
        place = if last { 0 } else { place + 1 };
        upper.enable = moves & last;
        upper = two_messages & !upper;
        told = ends;
        sent = told;
    }

    /// CC_TIMER, and whether frames may leave.
    fn wait(&mut self, ends: Bit) {
        clocks = clocks + 1;
        let is_time = elapsed == cc_timer;
        elapsed.enable = clocks.all() & !is_time;
        elapsed = elapsed + 1;
        elapsed.clear = clear | ends;
        due.enable = is_time | ends;
        due = !ends & enable;
        hold = due;
        quiet = if counted {
            0
        } else if quiet.all() {
            quiet
        } else {
            quiet + 1
        };
        let begins = due & !outstanding & quiet.all() & !counted;
        sends.enable = ends | begins;
        sends = !ends;
    }

    /// Counts, ahead of the words that they go into.
    fn look_up(&mut self, moves: Bit, last: Bit) {
        let mut found: Bits<3> = 0;
        let mut free: Bit = true;
        for i in 0..CLASSES {
            let is_this = free & lossless[i] & (virtual_channels[i] == ahead);
            if is_this {
                found = found | i;
            }
            free = free & !is_this;
        }
        let next_base = two_messages & !upper;
        ahead.enable = moves;
        ahead = if last { cat(bits::<4>(0), next_base) } else { ahead + 1 };
        near_vc.enable = moves;
        near_vc = ahead;
        near_slot.enable = moves;
        near_slot = found;
        near_known.enable = moves;
        near_known = !free;
        slot = near_slot;
        here_vc.enable = moves;
        here_vc = near_vc;
        here_cells.enable = moves;
        here_cells = if near_known { cells } else { 0 };
    }

    /// The words of a message.
    fn write(&mut self, last: Bit) {
        let begin: Bits<64> = cat(bits::<48>(DESTINATION), source[40..48], source[32..40]);
        let kind: Bits<64> = cat(
            source[24..32],
            source[16..24],
            source[8..16],
            source[0..8],
            bits::<16>(ETHERTYPE),
            opcode[8..16],
            opcode[0..8],
        );
        let entry = ConsumedEntry { below: 0, cnt: here_cells, vc: here_vc, kind: CC_ENTRY_KIND };
        let turned: Bits<64> = entry.into();
        let octets: Bits<32> = cat(turned[56..64], turned[48..56], turned[40..48], turned[32..40]);
        let is_first = place == HEADER;
        let organisation = if is_first { bits::<24>(ORGANISATION) } else { bits::<24>(0) };
        let tail = two_messages & last;
        let shown = if tail { bits::<32>(0) } else { octets };
        let body: Bits<64> =
            if two_messages { cat(organisation, shown, bits::<8>(0)) } else { cat(shown, bits::<32>(0)) };
        let data = if place == 0 {
            begin
        } else if place == 1 {
            kind
        } else {
            body
        };
        let bytes = if tail { bits::<4>(ORGANISATION_OCTETS) } else { bits::<4>(8) };
        frame.data = FrameWord { data, bytes, last, error: false };
        frame.valid = sends;
    }
}
