//! The packet CRC over beats.

use super::crc_plan::{CrcPlan, CLASSES};
use crate::config::{check_derived, check_one_of, ConfigError};
use crate::link::crc::XorMatrix;
use crate::prim::stream::{FlowIn, StreamOut};
use crate::prim::{ClearedDelay, Delay, Register, SmallFifo};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::beat::FLITS_PER_BEAT;
use flitforge_protocol::crc::packet::{FINAL_XOR, WIDTH};
use flitforge_protocol::flit::DATA_BITS;

/// CRC-32C (chapter 10, 3.3) of packets on beats of `W` = 64 F data bits, F = 2^`STEPS`.
///
/// A packet is the beats from a `first` to the next `last`, one per clock with `beat.valid`; flits that are not covered are 0.
/// Of the `last` beat, which is never all covered, the last `unused` flits are not, or none of it where `unused` is 0.
/// Results wait in order, up to 17 of them: the caller sees to it that there are no more. Latency 6 + `STEPS` clocks from the last
/// beat to `crc.valid`; nothing is held up on the way. `clear` forgets everything.
#[derive(LogicBlock)]
pub struct PacketCrc<const W: usize, const STEPS: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Forgets packets and results.
    pub clear: Signal<In, Bit>,
    /// Data bits of the covered flits.
    pub beat: FlowIn<Bits<W>>,
    /// The beat is the first of a packet.
    pub first: Signal<In, Bit>,
    /// The beat is the last of a packet.
    pub last: Signal<In, Bit>,
    /// With `last`: flits behind the covered ones.
    pub unused: Signal<In, Bits<2>>,
    /// CRCs, one per packet.
    pub crc: StreamOut<Bits<WIDTH>>,

    classes: XorMatrix<W, CLASSES>,
    class_sum: DFF<Bits<CLASSES>>,
    sums: XorMatrix<CLASSES, WIDTH>,
    addend: DFF<Bits<WIDTH>>,
    feedback: XorMatrix<WIDTH, WIDTH>,
    state: Register<Bits<WIDTH>>,
    exit: XorMatrix<WIDTH, WIDTH>,
    result: DFF<Bits<WIDTH>>,
    back: Vec<XorMatrix<WIDTH, WIDTH>>,
    run_back: Vec<DFF<Bits<WIDTH>>>,
    unused_at_back: Vec<Delay<Bits<2>>>,
    results: SmallFifo<Bits<WIDTH>, 4, 5>,

    valid: [DFF<Bit>; 2],
    first_beat: [DFF<Bit>; 2],
    last_beat: [DFF<Bit>; 2],
    skips: [DFF<Bit>; 2],
    done: ClearedDelay<Bit>,
    value: Signal<Local, Bits<WIDTH>>,
    none: Constant<Bits<WIDTH>>,
    first_addend: Constant<Bits<WIDTH>>,
    final_xor: Constant<Bits<WIDTH>>,
}

impl<const W: usize, const STEPS: usize> PacketCrc<W, STEPS> {
    /// A CRC over beats, or the reason why not.
    pub fn new() -> Result<Self, ConfigError> {
        let flits = W / DATA_BITS;
        check_one_of("fab_packet", "flits", flits as u64, &FLITS_PER_BEAT.map(|f| f as u64))?;
        check_derived("fab_packet", "W", W as u64, "64 flits", (DATA_BITS * flits) as u64)?;
        check_derived("fab_packet", "STEPS", STEPS as u64, "log2(flits)", flits.ilog2().into())?;
        let plan = CrcPlan::new(flits)?;
        let constant = |value: u32| Constant::new(Bits::from(LiteralType::from(value)));
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            beat: Default::default(),
            first: Default::default(),
            last: Default::default(),
            unused: Default::default(),
            crc: Default::default(),
            classes: XorMatrix::new(plan.classes)?,
            class_sum: Default::default(),
            sums: XorMatrix::new(plan.sums)?,
            addend: Default::default(),
            feedback: XorMatrix::new(plan.feedback)?,
            state: Default::default(),
            exit: XorMatrix::new(plan.exit)?,
            result: Default::default(),
            back: plan.back.into_iter().map(XorMatrix::new).collect::<Result<_, _>>()?,
            run_back: (0..STEPS).map(|_| DFF::default()).collect(),
            unused_at_back: (0..STEPS).map(|step| Delay::new(4 + step)).collect::<Result<_, _>>()?,
            results: SmallFifo::new()?,
            valid: Default::default(),
            first_beat: Default::default(),
            last_beat: Default::default(),
            skips: Default::default(),
            done: ClearedDelay::new(2 + STEPS)?,
            value: Default::default(),
            none: constant(0),
            first_addend: constant(plan.first),
            final_xor: constant(FINAL_XOR),
        })
    }
}

impl<const W: usize, const STEPS: usize> Logic for PacketCrc<W, STEPS> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, class_sum, addend, result);
        clock!(self, clock, state, results, done);
        for i in 0..2 {
            self.valid[i].clock.next = self.clock.val();
            self.first_beat[i].clock.next = self.clock.val();
            self.last_beat[i].clock.next = self.clock.val();
            self.skips[i].clock.next = self.clock.val();
        }

        // Which beat it is.
        self.valid[0].d.next = self.beat.valid.val() & !self.clear.val();
        self.first_beat[0].d.next = self.first.val();
        self.last_beat[0].d.next = self.last.val();
        self.skips[0].d.next = self.last.val() & !self.unused.val().any();
        self.valid[1].d.next = self.valid[0].q.val() & !self.clear.val();
        self.first_beat[1].d.next = self.first_beat[0].q.val();
        self.last_beat[1].d.next = self.last_beat[0].q.val();
        self.skips[1].d.next = self.skips[0].q.val();

        // The data's own share of the register, without feedback.
        self.classes.data.next = self.beat.data.val();
        self.class_sum.d.next = self.classes.sum.val();
        self.sums.data.next = self.class_sum.q.val();
        self.addend.d.next = self.sums.sum.val();
        if self.first_beat[0].q.val() {
            self.addend.d.next = self.sums.sum.val() ^ self.first_addend.val();
        }

        // The register, in its sparse basis.
        self.feedback.data.next = self.state.q.val();
        self.state.clear.next = false;
        self.state.enable.next = self.valid[1].q.val() & !self.skips[1].q.val();
        self.state.d.next = self.addend.q.val() ^ self.feedback.sum.val();
        if self.first_beat[1].q.val() {
            self.state.d.next = self.addend.q.val();
        }

        // And out, back over the flits that were not there.
        self.exit.data.next = self.state.q.val();
        self.result.d.next = self.exit.sum.val();
        self.value.next = self.result.q.val();
        for i in 0..STEPS {
            self.unused_at_back[i].clock.next = self.clock.val();
            self.unused_at_back[i].d.next = self.unused.val();
            self.run_back[i].clock.next = self.clock.val();
            self.back[i].data.next = self.value.val();
            self.run_back[i].d.next = self.value.val();
            if self.unused_at_back[i].q.val().get_bit(i) {
                self.run_back[i].d.next = self.back[i].sum.val();
            }
            self.value.next = self.run_back[i].q.val();
        }
        self.done.clear.next = self.clear.val();
        self.done.d.next = self.valid[1].q.val() & self.last_beat[1].q.val() & !self.clear.val();
        self.results.clear.next = self.clear.val();
        self.results.words_in.valid.next = self.done.q.val();
        self.results.words_in.data.next = self.value.val();
        self.crc.valid.next = self.results.words_out.valid.val();
        self.crc.data.next = self.results.words_out.data.val() ^ self.final_xor.val();
        self.results.words_out.ready.next = self.crc.ready.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("packet_crc", &[("w", W.to_string())])
    }
}

drive_ports!(impl[const W: usize, const STEPS: usize] PacketCrc<W, STEPS> {
    clock, clear, beat, first, last, unused, crc,
});
