//! The sender.

use super::assembler::PacketAssembler;
use super::config::{PacketConfig, PacketWidths};
use super::ingress::{PacketIngress, REQUEST_BITS};
use super::pacer::PacketPacer;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::packet::REFUSAL_BITS;

/// One flit per beat.
pub type PacketTx1 = PacketTx<1, 65, 64, 69, 4, 8, 67, 0>;
/// Two flits per beat.
pub type PacketTx2 = PacketTx<2, 130, 128, 134, 5, 16, 133, 1>;
/// Four flits per beat.
pub type PacketTx4 = PacketTx<4, 260, 256, 263, 6, 32, 265, 2>;

/// `fab_packet_tx`: packets in, beats of flits out; see the [module](super).
#[block("fab_packet_tx", new, f = F)]
pub struct PacketTx<
    const F: usize,
    const FLITS_W: usize,
    const DATA_W: usize,
    const WORD_W: usize,
    const BYTES_W: usize,
    const MASK_W: usize,
    const HELD_W: usize,
    const STEPS: usize,
> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Packets to send: header [59:0], tag [75:60].
    pub header_in: StreamIn<Bits<REQUEST_BITS>>,
    /// Their payload: data, bytes that count, last.
    pub words_in: StreamIn<Bits<WORD_W>>,
    /// Beats, Head in slot 0, full up to the Tail.
    pub beats_out: StreamOut<Bits<FLITS_W>>,
    /// Event: a packet is refused, and why (`Refusal`).
    pub refused: FlowOut<Bits<REFUSAL_BITS>>,

    #[wire(clock, clear)]
    ingress: PacketIngress<F, BYTES_W, MASK_W>,
    #[wire(clock, clear)]
    pacer: PacketPacer<F, BYTES_W>,
    #[wire(clock, clear)]
    assembler: PacketAssembler<F, FLITS_W, DATA_W, MASK_W, HELD_W, STEPS>,
    #[init(DATA_W)]
    count_shift: Constant<Bits<9>>,
    #[init(WORD_W - 1)]
    last_shift: Constant<Bits<9>>,
}

#[logic]
impl<
        const F: usize,
        const FLITS_W: usize,
        const DATA_W: usize,
        const WORD_W: usize,
        const BYTES_W: usize,
        const MASK_W: usize,
        const HELD_W: usize,
        const STEPS: usize,
    > PacketTx<F, FLITS_W, DATA_W, WORD_W, BYTES_W, MASK_W, HELD_W, STEPS>
{
    /// A sender, or the reason why not.
    pub fn new(config: &PacketConfig) -> Result<Self, ConfigError> {
        let name = "fab_packet_tx";
        config.check(name)?;
        PacketWidths {
            flits: F,
            flits_bits: FLITS_W,
            data_bits: DATA_W,
            word_bits: WORD_W,
            bytes_bits: BYTES_W,
        }
        .check(name)?;
        check_derived(name, "MASK_W", MASK_W as u64, "8 F", 8 * F as u64)?;
        check_derived(name, "HELD_W", HELD_W as u64, "66 F + 1", 66 * F as u64 + 1)?;
        Ok(Self { ingress: PacketIngress::new(config), assembler: PacketAssembler::new()?, .. })
    }

    fn update(&mut self) {
        link(header_in, ingress.header_in);
        link(refused, ingress.refused);
        ingress.take = pacer.take;
        pacer = In { waiting: ingress.waiting, next_words: ingress.words, next_beat: ingress.tail_beat };
        pacer =
            In { next_slot: ingress.tail_slot, next_refused: ingress.is_refused, last_bytes: ingress.bytes };

        let word = words_in.data;
        let counts = word >> count_shift;
        pacer = In { word_valid: words_in.valid, word_bytes: counts.bits::<BYTES_W>(0) };
        pacer.word_last = (word >> last_shift).any();
        words_in.ready = pacer.word_ready;
        pacer.room = assembler.room;

        assembler = In { step: pacer.step, first: pacer.first, with_word: pacer.with_word };
        assembler = In { last_word: pacer.last_word, tail_slot: pacer.tail_slot, wrong: pacer.wrong };
        assembler = In { aborted: pacer.aborted, current: ingress.current, byte_mask: ingress.byte_mask };
        assembler.word = word.bits::<DATA_W>(0);
        link(beats_out, assembler.beats_out);
    }
}
