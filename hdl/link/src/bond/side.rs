//! Sideband messages of several ports as those of one.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::link::{sideband_message, SIDEBAND_PLACE_BITS};

const MESSAGE_BITS: usize = sideband_message::WIDTH;

/// Collects the messages of `B` ports, 2 bits per LTP, and gives them on as four clocks each; see the [module](super).
///
/// A port's messages are at least 16 clocks apart (four LTPs of 16 / F beats), four clocks for each of up to four ports: a message
/// that waits is gone before the next one of its port is complete.
#[block("bond_side", links = B)]
pub struct BondSide<const B: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Drops what is collected and what waits.
    clear: In<Bit>,
    /// Sideband of an accepted LTP of each port.
    pub side_in: [FlowIn<Bits<2>>; B],
    /// With it: the LTP's sequence number mod 4.
    side_in_place: [In<Bits<SIDEBAND_PLACE_BITS>>; B],
    /// Messages, 2 bits per clock.
    pub side_out: FlowOut<Bits<2>>,
    /// With them: place in the message.
    side_place: Out<Bits<SIDEBAND_PLACE_BITS>>,
    #[wire(d = _)]
    collected: [Reg<Bits<MESSAGE_BITS>>; B],
    #[wire(d = _)]
    waiting: [Reg<Bits<MESSAGE_BITS>>; B],
    #[wire(d = _)]
    waits: [Reg<Bit>; B],
    current: Reg<Bits<MESSAGE_BITS>>,
    busy: Reg<Bit>,
    place: Reg<Bits<SIDEBAND_PLACE_BITS>>,
    two: Local<Bits<2>>,
    shifted: Local<Bits<MESSAGE_BITS>>,
    message: Local<Bits<MESSAGE_BITS>>,
}

#[logic]
impl<const B: usize> BondSide<B> {
    fn update(&mut self) {
        // The message that goes out.
        let free = !busy | place.all();
        if busy {
            place = place + 1;
            current = current >> 2;
        }
        if free {
            busy = false;
        }
        let mut takes = free;
        for i in 0..B {
            collected[i] = collected[i];
            waiting[i] = waiting[i];
            waits[i] = waits[i];
            // The lowest port first.
            if takes & waits[i] {
                current = waiting[i];
                busy = true;
                waits[i] = false;
            }
            takes = takes & !waits[i];

            // LTPs come in order: four of them shift a message in.
            two = side_in[i].data;
            shifted = collected[i] >> 2;
            message = (bit_cast::<MESSAGE_BITS, 2>(two) << 6) | shifted;
            if side_in[i].valid {
                collected[i] = message;
                if side_in_place[i].all() & message.any() {
                    waiting[i] = message;
                    waits[i] = true;
                }
            }
            if clear {
                collected[i] = 0;
                waits[i] = false;
            }
        }
        if clear {
            busy = false;
            place = 0;
        }
        side_out = In { valid: busy, data: current.bits::<2>(0) };
        side_place = place;
    }
}
