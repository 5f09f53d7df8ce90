//! The packet CRC over beats.

use super::crc_plan::{CrcPlan, CLASSES};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::xor_matrix::XorMatrix;
use flitforge_hdl_prim::{ClearedDelay, Delay, SmallFifo};
use flitforge_protocol::beat::FLITS_PER_BEAT;
use flitforge_protocol::crc::packet::{FINAL_XOR, WIDTH};
use flitforge_protocol::flit::DATA_BITS;

/// CRC-32C (chapter 10, 3.3) of packets on beats of `W` = 64 F data bits, F = 2^`STEPS`.
///
/// A packet is the beats from a `first` to the next `last`, one per clock with `beat.valid`; flits that are not covered are 0.
/// Of the `last` beat, which is never all covered, the last `unused` flits are not, or none of it where `unused` is 0.
/// Results wait in order, up to 17 of them: the caller sees to it that there are no more. Latency 6 + `STEPS` clocks from the last
/// beat to `crc.valid`; nothing is held up on the way. `clear` forgets everything.
#[block("packet_crc", new, w = W)]
pub struct PacketCrc<const W: usize, const STEPS: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets packets and results.
    clear: In<Bit>,
    /// Data bits of the covered flits.
    pub beat: FlowIn<Bits<W>>,
    /// The beat is the first of a packet.
    first: In<Bit>,
    /// The beat is the last of a packet.
    last: In<Bit>,
    /// With `last`: flits after the covered ones.
    unused: In<Bits<2>>,
    /// CRCs, one per packet.
    pub crc: StreamOut<Bits<WIDTH>>,

    classes: XorMatrix<W, CLASSES>,
    class_sum: Reg<Bits<CLASSES>>,
    sums: XorMatrix<CLASSES, WIDTH>,
    addend: Reg<Bits<WIDTH>>,
    feedback: XorMatrix<WIDTH, WIDTH>,
    #[wire(clear = false)]
    state: Register<Bits<WIDTH>>,
    exit: XorMatrix<WIDTH, WIDTH>,
    result: Reg<Bits<WIDTH>>,
    back: Vec<XorMatrix<WIDTH, WIDTH>>,
    #[wire(d = _)]
    run_back: Vec<Reg<Bits<WIDTH>>>,
    #[wire(clock)]
    unused_at_back: Vec<Delay<Bits<2>>>,
    #[wire(clock, clear)]
    results: SmallFifo<Bits<WIDTH>, 4, 5>,

    #[wire(d = _)]
    valid: [Reg<Bit>; 2],
    #[wire(d = _)]
    first_beat: [Reg<Bit>; 2],
    #[wire(d = _)]
    last_beat: [Reg<Bit>; 2],
    #[wire(d = _)]
    skips: [Reg<Bit>; 2],
    #[wire(clock, clear)]
    done: ClearedDelay<Bit>,
    none: Constant<Bits<WIDTH>>,
    first_addend: Constant<Bits<WIDTH>>,
    final_xor: Constant<Bits<WIDTH>>,
}

#[logic]
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
            classes: XorMatrix::new(plan.classes)?,
            sums: XorMatrix::new(plan.sums)?,
            feedback: XorMatrix::new(plan.feedback)?,
            exit: XorMatrix::new(plan.exit)?,
            back: plan.back.into_iter().map(XorMatrix::new).collect::<Result<_, _>>()?,
            run_back: (0..STEPS).map(|_| DFF::default()).collect(),
            unused_at_back: (0..STEPS).map(|step| Delay::new(4 + step)).collect::<Result<_, _>>()?,
            results: SmallFifo::new()?,
            done: ClearedDelay::new(2 + STEPS)?,
            none: constant(0),
            first_addend: constant(plan.first),
            final_xor: constant(FINAL_XOR),
            ..
        })
    }

    fn update(&mut self) {
        // Which beat it is.
        valid[0] = beat.valid & !clear;
        first_beat[0] = first;
        last_beat[0] = last;
        skips[0] = last & !unused.any();
        valid[1] = valid[0] & !clear;
        first_beat[1] = first_beat[0];
        last_beat[1] = last_beat[0];
        skips[1] = skips[0];

        // The data's own share of the register, without feedback.
        classes.data = beat.data;
        class_sum = classes.sum;
        sums.data = class_sum;
        addend = sums.sum;
        if first_beat[0] {
            addend = sums.sum ^ first_addend;
        }

        // The register, in its sparse basis.
        feedback.data = state;
        state.enable = valid[1] & !skips[1];
        state = addend ^ feedback.sum;
        if first_beat[1] {
            state = addend;
        }

        // And out, back over the flits that were not there.
        exit.data = state;
        result = exit.sum;
        let mut value = result;
        for i in 0..STEPS {
            unused_at_back[i].d = unused;
            back[i].data = value;
            run_back[i] = value;
            if unused_at_back[i].q[i] {
                run_back[i] = back[i].sum;
            }
            value = run_back[i];
        }
        done.d = valid[1] & last_beat[1] & !clear;
        results.words_in = In { valid: done.q, data: value };
        crc = In { valid: results.words_out.valid, data: results.words_out.data ^ final_xor };
        results.words_out.ready = crc.ready;
    }
}
