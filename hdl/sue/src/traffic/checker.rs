//! Whether commands are the right ones.

use crate::command_in::CommandWord;
use crate::frame::{ReceivedHead, WORD_BYTES};
use crate::unpack::OutCredit;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::class::VCS;
use flitforge_protocol::sue::command::{COMMAND_CELL_BYTES, HEADER_BYTES};
use flitforge_protocol::sue_traffic_registers::{control, OUT_CREDITS};

/// Octets before the data.
const AHEAD: usize = HEADER_BYTES + control::WIDTH / 8;
/// Place of the control octets in the first word.
const CONTROL_LOW: usize = 8 * HEADER_BYTES;

/// Checks commands; see the [module](super).
#[block("sue_traffic_checker")]
pub struct TrafficChecker {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets numbers; gives credits anew.
    clear: In<Bit>,
    /// Nothing is taken.
    stall: In<Bit>,
    /// XPU that they come from.
    peer: In<Bits<8>>,
    /// Words of commands.
    pub arrivals: StreamIn<CommandWord>,
    /// Of the command, from its first word to its last.
    head: In<ReceivedHead>,
    /// Credits for the instance.
    pub out_credits: FlowOut<OutCredit>,
    /// Pulse: a command is the right one.
    good: Out<Bit>,
    /// Pulse: it is not.
    wrong: Out<Bit>,

    /// Virtual channels whose first credits are given.
    given: Register<Bits<3>>,
    word: Reg<CommandWord>,
    word_head: Reg<ReceivedHead>,
    came: Register<Bit>,
    /// Number of the next command, by virtual channel.
    numbers: [Register<Bits<32>>; VCS],
    /// Of the command that comes.
    number: Reg<Bits<32>>,
    place: Reg<Bits<6>>,
    octets: Reg<Bits<9>>,
    differs: Register<Bit>,
    good_now: Register<Bit>,
    wrong_now: Register<Bit>,
    credit: Reg<OutCredit>,
    credit_valid: Register<Bit>,
}

#[logic]
impl TrafficChecker {
    fn update(&mut self) {
        arrivals.ready = given[2] & !stall & !clear;
        if arrivals.valid {
            word = arrivals.data;
            word_head = head;
        }
        came = arrivals.valid & arrivals.ready;

        let data = word.data;
        let of = word_head.vc;
        let expected = match of {
            0 => numbers[0],
            1 => numbers[1],
            2 => numbers[2],
            _ => numbers[3],
        };
        let told = data.bits::<{ control::WIDTH }>(CONTROL_LOW);
        let own_number = told[control::number];
        let source = word_head.source;
        let from = (told[control::source] == peer) & (source == bit_cast::<10, 8>(peer));
        let opens = (own_number == expected) & from & (told[control::vc] == bit_cast::<8, 2>(of));
        let same = self.compare();
        let fits = if word.first { opens } else { same };
        let bad = !fits | (differs & !word.first);
        differs.enable = came;
        differs = bad & !word.last;
        if came & word.first {
            number = own_number;
            place = 0;
            octets = 0;
        } else if came {
            place = place + 1;
            octets = octets + WORD_BYTES;
        }
        let ends = came & word.last;
        good_now = ends & !bad;
        wrong_now = ends & bad;
        good = good_now;
        wrong = wrong_now;
        let last_number = if word.first { own_number } else { number };
        for i in 0..VCS {
            numbers[i].enable = ends & (of == i);
            numbers[i] = last_number + 1;
        }
        self.give_credits(ends);
    }

    /// Whether a word of data is the one that follows from number and place.
    fn compare(&mut self) -> Bit {
        let follows = !number + bit_cast::<32, 6>(place);
        let wanted: Bits<64> = cat(number, follows);
        let difference = word.data ^ wanted;
        let mut wrong_octets: Bits<8> = 0;
        for i in 0..WORD_BYTES {
            let counts = word.bytes > i;
            wrong_octets = wrong_octets.with(i, counts & difference.bits::<8>(8 * i).any());
        }
        let same = !wrong_octets.any();
        same
    }

    /// First the credits of a start, then those of commands.
    fn give_credits(&mut self, ends: Bit) {
        let starts = !given[2];
        given.enable = starts;
        given = given + 1;
        let here: Bits<9> = if word.first { 0 } else { octets + bit_cast::<9, 4>(word.bytes) };
        let padded: Bits<10> = bit_cast::<10, 9>(here) + (AHEAD + COMMAND_CELL_BYTES - 1);
        let cells: Bits<8> = bit_cast::<8, 4>(padded.bits::<4>(6));
        credit = if starts {
            OutCredit { vc: given.bits::<2>(0), count: bits::<8>(OUT_CREDITS) }
        } else {
            OutCredit { vc: word_head.vc, count: cells }
        };
        credit_valid = starts | ends;
        out_credits = In { data: credit, valid: credit_valid };
    }
}
