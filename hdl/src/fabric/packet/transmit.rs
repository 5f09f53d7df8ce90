//! The sender.

use super::composer::PacketComposer;
use super::config::{PacketConfig, PacketWidths};
use super::door::{PacketDoor, REQUEST_BITS};
use super::pacer::PacketPacer;
use crate::config::{check_derived, ConfigError};
use crate::prim::stream::{FlowOut, StreamIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::packet::REFUSAL_BITS;

/// One flit per beat.
pub type PacketTx1 = PacketTx<1, 65, 64, 69, 4, 8, 67, 0>;
/// Two flits per beat.
pub type PacketTx2 = PacketTx<2, 130, 128, 134, 5, 16, 133, 1>;
/// Four flits per beat.
pub type PacketTx4 = PacketTx<4, 260, 256, 263, 6, 32, 265, 2>;

/// `fab_packet_tx`: packets in, beats of flits out; see the [module](super).
#[derive(LogicBlock)]
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
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Packets to send: header [59:0], tag [75:60].
    pub header_in: StreamIn<Bits<REQUEST_BITS>>,
    /// Their payload: data, bytes that count, last.
    pub words_in: StreamIn<Bits<WORD_W>>,
    /// Beats, Head in slot 0, full up to the Tail.
    pub beats_out: StreamOut<Bits<FLITS_W>>,
    /// Event: a packet is refused, and why (`Refusal`).
    pub refused: FlowOut<Bits<REFUSAL_BITS>>,

    door: PacketDoor<F, BYTES_W, MASK_W>,
    pacer: PacketPacer<F, BYTES_W>,
    composer: PacketComposer<F, FLITS_W, DATA_W, MASK_W, HELD_W, STEPS>,
    word: Signal<Local, Bits<WORD_W>>,
    counts: Signal<Local, Bits<WORD_W>>,
    count_shift: Constant<Bits<9>>,
    last_shift: Constant<Bits<9>>,
}

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
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            header_in: Default::default(),
            words_in: Default::default(),
            beats_out: Default::default(),
            refused: Default::default(),
            door: PacketDoor::new(config),
            pacer: Default::default(),
            composer: PacketComposer::new()?,
            word: Default::default(),
            counts: Default::default(),
            count_shift: Constant::new((DATA_W as u64).into()),
            last_shift: Constant::new((WORD_W as u64 - 1).into()),
        })
    }
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const DATA_W: usize,
        const WORD_W: usize,
        const BYTES_W: usize,
        const MASK_W: usize,
        const HELD_W: usize,
        const STEPS: usize,
    > Logic for PacketTx<F, FLITS_W, DATA_W, WORD_W, BYTES_W, MASK_W, HELD_W, STEPS>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, door, pacer, composer);
        self.door.clear.next = self.clear.val();
        self.pacer.clear.next = self.clear.val();
        self.composer.clear.next = self.clear.val();

        StreamIn::<Bits<REQUEST_BITS>>::link(&mut self.header_in, &mut self.door.header_in);
        FlowOut::<Bits<REFUSAL_BITS>>::link(&mut self.refused, &mut self.door.refused);
        self.door.take.next = self.pacer.take.val();
        self.pacer.waiting.next = self.door.waiting.val();
        self.pacer.next_words.next = self.door.words.val();
        self.pacer.next_beat.next = self.door.tail_beat.val();
        self.pacer.next_slot.next = self.door.tail_slot.val();
        self.pacer.next_refused.next = self.door.is_refused.val();
        self.pacer.last_bytes.next = self.door.bytes.val();

        self.word.next = self.words_in.data.val();
        self.counts.next = self.word.val() >> self.count_shift.val();
        self.pacer.word_valid.next = self.words_in.valid.val();
        self.pacer.word_bytes.next = self.counts.val().get_bits::<BYTES_W>(0);
        self.pacer.word_last.next = (self.word.val() >> self.last_shift.val()).any();
        self.words_in.ready.next = self.pacer.word_ready.val();
        self.pacer.room.next = self.composer.room.val();

        self.composer.step.next = self.pacer.step.val();
        self.composer.first.next = self.pacer.first.val();
        self.composer.with_word.next = self.pacer.with_word.val();
        self.composer.last_word.next = self.pacer.last_word.val();
        self.composer.tail_slot.next = self.pacer.tail_slot.val();
        self.composer.wrong.next = self.pacer.wrong.val();
        self.composer.aborted.next = self.pacer.aborted.val();
        self.composer.current.next = self.door.current.val();
        self.composer.byte_mask.next = self.door.byte_mask.val();
        self.composer.word.next = self.word.val().get_bits::<DATA_W>(0);
        StreamOut::<Bits<FLITS_W>>::link(&mut self.beats_out, &mut self.composer.beats_out);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("fab_packet_tx", &[("f", F.to_string())])
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize, const DATA_W: usize, const WORD_W: usize, const BYTES_W: usize, const MASK_W: usize, const HELD_W: usize, const STEPS: usize] PacketTx<F, FLITS_W, DATA_W, WORD_W, BYTES_W, MASK_W, HELD_W, STEPS> {
    clock, clear, header_in, words_in, beats_out, refused,
});
