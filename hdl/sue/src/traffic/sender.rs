//! Commands with numbers.

use super::line::RandomWord;
use super::PARTITION;
use crate::command_in::{CellCredits, CommandWord};
use crate::frame::{CommandHead, WORD_BYTES};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::class::VCS;
use flitforge_protocol::sue::command::{CommandType, COMMAND_CELL_BYTES, HEADER_BYTES, MAX_DATA_BYTES};
use flitforge_protocol::sue_traffic_registers::control;

const WRITE: usize = CommandType::Write as usize;
const MESSAGE: usize = CommandType::Message as usize;
/// Units of two octets of control.
const CLEN: usize = control::WIDTH / 16;
/// Octets before the data: header and control, a whole word.
const AHEAD: usize = HEADER_BYTES + control::WIDTH / 8;
/// Cells of the largest command.
const MOST_CELLS: usize = (AHEAD + MAX_DATA_BYTES).div_ceil(COMMAND_CELL_BYTES);
const CREDIT_BITS: usize = 12;
const _: () = assert!(AHEAD == WORD_BYTES && COMMAND_CELL_BYTES == 64);

/// What the sender does.
#[packed]
pub enum SendPhase {
    /// It looks for a virtual channel with credits.
    Looks,
    /// It gives the first word.
    Begins,
    /// It gives words of data.
    Goes,
    /// As `Looks`.
    Spare,
}

/// Sends commands; see the [module](super).
#[block("sue_traffic_sender")]
pub struct TrafficSender {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets numbers and credits.
    clear: In<Bit>,
    /// Commands are sent.
    run: In<Bit>,
    /// All have the most data.
    fixed: In<Bit>,
    /// Virtual channels that are used.
    channels: In<Bits<VCS>>,
    /// XPU that they go to.
    peer: In<Bits<8>>,
    /// Number of this XPU.
    own: In<Bits<8>>,
    /// Most data octets.
    most: In<Bits<9>>,
    /// Commands that are sent; 0: without end.
    limit: In<Bits<32>>,
    /// Words of commands.
    pub commands: StreamOut<CommandWord>,
    /// Of the command, from its first word to its last.
    head: Out<CommandHead>,
    /// Credits.
    pub credits: FlowIn<CellCredits>,
    /// Pulse: a command begins.
    begins: Out<Bit>,

    #[wire(clock)]
    random: RandomWord,
    phase: Register<SendPhase>,
    vc: Register<Bits<2>>,
    /// Number of the next command, by virtual channel.
    numbers: [Register<Bits<32>>; VCS],
    pools: [Register<Bits<CREDIT_BITS>>; VCS],
    /// Virtual channels with credits for a largest command.
    rich: Register<Bits<VCS>>,
    /// `rich` counts: the last command has paid.
    fresh: Register<Bit>,
    total: Register<Bits<32>>,
    done: Register<Bit>,
    /// Of the command: source and destination, its number, octets of data, those left, place of the word.
    from: Reg<Bits<8>>,
    to: Reg<Bits<8>>,
    number: Reg<Bits<32>>,
    octets: Reg<Bits<9>>,
    left: Reg<Bits<9>>,
    place: Reg<Bits<6>>,
}

#[logic]
impl TrafficSender {
    fn update(&mut self) {
        let chosen_number = match vc {
            0 => numbers[0],
            1 => numbers[1],
            2 => numbers[2],
            _ => numbers[3],
        };
        let looks = (phase == SendPhase::Looks) | (phase == SendPhase::Spare);
        let first = phase == SendPhase::Begins;
        let may = run & !done & fresh & channels[vc] & rich[vc];
        let starts = looks & may;
        let random_octets = random.value.bits::<9>(7);
        let shorter = random_octets <= most;
        let chosen_octets = if fixed | !shorter { most } else { random_octets };
        // A length beyond the largest would be no command.
        let legal_octets =
            if chosen_octets > MAX_DATA_BYTES { bits::<9>(MAX_DATA_BYTES) } else { chosen_octets };
        if starts {
            from = own;
            to = peer;
            number = chosen_number;
            octets = legal_octets;
            left = legal_octets;
            place = 0;
        }
        let has_data = octets.any();
        let is_last = if first { !has_data } else { left <= WORD_BYTES };
        let offers = !looks;
        let goes = offers & commands.ready;
        if goes & !first {
            left = left - WORD_BYTES;
            place = place + 1;
        }
        phase = match phase {
            SendPhase::Begins => {
                if goes & is_last {
                    SendPhase::Looks
                } else if goes {
                    SendPhase::Goes
                } else {
                    SendPhase::Begins
                }
            }
            SendPhase::Goes => {
                if goes & is_last {
                    SendPhase::Looks
                } else {
                    SendPhase::Goes
                }
            }
            _ => {
                if starts {
                    SendPhase::Begins
                } else {
                    SendPhase::Looks
                }
            }
        };
        self.give(first, has_data, is_last, offers);
        self.keep_credits(starts);
        let ended = goes & is_last;
        vc.enable = (looks & fresh & !starts) | ended;
        vc = vc + 1;
        self.keep_numbers(ended, starts);
        begins = starts;
    }

    /// The word that goes.
    fn give(&mut self, first: Bit, has_data: Bit, is_last: Bit, offers: Bit) {
        let dlen = octets - 1;
        let kind: Bits<4> = if has_data { WRITE } else { MESSAGE };
        let low: Bits<8> = if has_data { dlen.bits::<8>(0) } else { 0 };
        let high: Bits<8> = cat(bits::<4>(CLEN), kind);
        let opening: Bits<64> = cat(high, low, bit_cast::<8, 2>(vc), from, number);
        let follows = !number + bit_cast::<32, 6>(place);
        let data: Bits<64> = cat(number, follows);
        let rest: Bits<4> = if left > WORD_BYTES { WORD_BYTES } else { left.bits::<4>(0) };
        let word = if first { opening } else { data };
        let count: Bits<4> = if first { WORD_BYTES } else { rest };
        commands.data = CommandWord { data: word, bytes: count, first, last: is_last, is_data: !first };
        commands.valid = offers;
        let destination = bit_cast::<10, 8>(to);
        head = CommandHead { destination, vc, partition: bits::<10>(PARTITION), flush: false };
    }

    /// A command uses its credits when it begins.
    fn keep_credits(&mut self, starts: Bit) {
        let padded: Bits<10> = bit_cast::<10, 9>(octets) + (AHEAD + COMMAND_CELL_BYTES - 1);
        let cells = padded.bits::<4>(6);
        let pays_now = (phase == SendPhase::Begins) & commands.ready;
        let given = credits.data;
        let mut enough: Bits<VCS> = 0;
        for i in 0..VCS {
            let gains = credits.valid & (given.vc == i);
            let pays = pays_now & (vc == i);
            let gained: Bits<CREDIT_BITS> = if gains { bit_cast::<CREDIT_BITS, 8>(given.count) } else { 0 };
            let paid: Bits<CREDIT_BITS> = if pays { bit_cast::<CREDIT_BITS, 4>(cells) } else { 0 };
            pools[i].enable = gains | pays;
            pools[i] = pools[i] + gained - paid;
            enough = enough.with(i, pools[i] >= MOST_CELLS);
        }
        rich = enough;
        fresh = !starts & (phase != SendPhase::Begins);
    }

    /// Numbers go on with each command.
    fn keep_numbers(&mut self, ended: Bit, starts: Bit) {
        for i in 0..VCS {
            numbers[i].enable = ended & (vc == i);
            numbers[i] = number + 1;
        }
        // Counted when it begins, so that the one after the last does not.
        total.enable = starts;
        total = total + 1;
        done = limit.any() & (total >= limit);
    }
}
