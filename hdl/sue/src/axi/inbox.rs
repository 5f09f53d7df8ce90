//! Commands that have come for one side, and credits for their cells.

use super::ports::ReceivedCommand;
use crate::unpack::OutCredit;
use flitforge_hdl_prim::fifo::Fifo;
use flitforge_hdl_prim::prelude::*;

/// Cells of 64 octets that are announced after a clear. A cell has at most 9 words here, so they fit.
pub const INBOX_CELLS: usize = 32;

/// A FIFO for the commands of virtual channel `V`. It announces 32 cells after a clear, and each one again as its first word leaves. Latency 4 clocks,
/// throughput a word per clock. `clear` empties it.
#[block("sue_axi_inbox", new, vc = V)]
#[derive(Clone, Debug)]
pub struct AxiInbox<const V: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Empties it.
    clear: In<Bit>,
    /// Words in.
    pub commands: StreamIn<ReceivedCommand>,
    /// Words out.
    pub commands_out: StreamOut<ReceivedCommand>,
    /// Room for commands.
    pub credits: FlowOut<OutCredit>,

    #[wire(clock, clear)]
    words: Fifo<ReceivedCommand, 9, 10>,
    announced: Register<Bit>,
    /// Octets of the command less one, modulo a cell.
    place: Reg<Bits<6>>,
    count: Reg<Bits<8>>,
    gives: Register<Bit>,
}

#[logic]
impl<const V: usize> AxiInbox<V> {
    pub(super) fn new() -> Result<Self, ConfigError> {
        Ok(Self { words: Fifo::new()?, .. })
    }

    fn update(&mut self) {
        link(commands, words.words_in);
        let left = words.words_out.data;
        let word = left.word;
        commands_out = In { data: left, valid: words.words_out.valid };
        words.words_out.ready = commands_out.ready;
        let goes = words.words_out.valid & commands_out.ready;

        let more: Bits<7> = bit_cast::<7, 4>(word.bytes);
        let before: Bits<7> = if word.first { 0x7F } else { cat(place, false) };
        let after = before + more;
        if goes {
            place = after[0..6];
        }
        announced = true;
        count = if announced { 1 } else { INBOX_CELLS };
        gives = !announced | (goes & (word.first | after[6]));
        let given = OutCredit { vc: V, count };
        credits = In { data: given, valid: gives };
    }
}
