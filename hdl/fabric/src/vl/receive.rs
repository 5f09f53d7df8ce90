//! The receiver.

use super::classifier::{VlClassifier, FLITS_BITS};
use super::kinds::VL_BITS;
use super::lengths::VlLengths;
use crate::packet::LEN_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::{flit_beat_bits, FLITS_PER_BEAT};
use flitforge_protocol::flit::{control, tail_bad, BadReason, Opcode, FLIT_BITS};
use flitforge_protocol::link_registers::MAX_VLS;
use flitforge_protocol::packet::{head, lane_beat, lane_flits, word_count_bits};

/// Bits of what is said of flits that came.
pub const LANE_FLITS_BITS: usize = lane_flits::WIDTH;
/// Bits that stand above a beat.
pub const LANE_BEAT_BITS: usize = lane_beat::WIDTH;

/// `fab_vl_rx`: the beats of one link sorted by virtual lane; see the [module](super). `N` lanes, `M` = `N` + 1, `F` flits per beat,
/// `FLITS_W` = 65 `F`, `OUT_W` = 65 `F` + 9, `BYTES_W` bits that count a word's bytes.
#[block("fab_vl_rx", new, f = F, lanes = N)]
pub struct VlRx<
    const F: usize,
    const FLITS_W: usize,
    const OUT_W: usize,
    const BYTES_W: usize,
    const N: usize,
    const M: usize,
> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Beats of the link.
    pub beats_in: StreamIn<Bits<FLITS_W>>,
    /// With `beats_in`: slots with an Idle that came as an undefined opcode.
    undefined: In<Bits<F>>,
    /// Beats with packet flits, and above each what it is (`lane_beat`).
    pub beats_out: StreamOut<Bits<OUT_W>>,
    /// Event: packet flits of a lane have come (`lane_flits`), delivered or not.
    pub arrived: FlowOut<Bits<LANE_FLITS_BITS>>,
    /// Event: a beat that no sender makes here (STACK_ERR).
    stack_error: Out<Bit>,

    #[wire(clock, clear)]
    classifier: VlClassifier<F, FLITS_W, BYTES_W, N, M>,
    #[wire(clock)]
    lengths: VlLengths<F>,
    /// Lanes whose packet in progress is delivered.
    delivering: Reg<Bits<N>>,
    // What goes out.
    out_there: Reg<Bit>,
    out_beat: Reg<Bits<FLITS_W>>,
    out_packet: Reg<Bits<F>>,
    out_closes: Reg<Bits<F>>,
    /// The packet is cut; it ends with a Tail that has to fit.
    out_cut: Reg<Bit>,
    out_checks: Reg<Bit>,
    out_len_wrong: Reg<Bit>,
    out_place_wrong: Reg<Bit>,
    out_number: Reg<Bits<VL_BITS>>,
    out_flits: Reg<Bits<FLITS_BITS>>,
    out_opens: Reg<Bit>,
    out_ends: Reg<Bit>,
    event_error: Reg<Bit>,
    event_checks: Reg<Bit>,
    event_arrived: Reg<Bit>,
    event_flits: Reg<Bits<LANE_FLITS_BITS>>,

    moves: Local<Bit>,
    flits: Local<Bits<FLITS_BITS>>,
    delivers: Local<Bit>,
    accepted: Local<Bit>,
    cuts: Local<Bit>,
    checks: Local<Bit>,
    wrong: Local<Bit>,
    ended: Local<Bits<F>>,
    last: Local<Bit>,
    tossed: Local<Bits<FLITS_BITS>>,
    ending: Local<Bits<FLIT_BITS>>,
    flit: Local<Bits<FLIT_BITS>>,
    #[init(1)]
    one: Constant<Bits<FLITS_BITS>>,
    slot_0: Constant<Bits<F>>,
    tail_flit: Constant<Bits<FLIT_BITS>>,
    #[init(FLITS_W)]
    descriptor_shift: Constant<Bits<9>>,
    flit_shift: Vec<Constant<Bits<9>>>,
}

#[logic]
impl<
        const F: usize,
        const FLITS_W: usize,
        const OUT_W: usize,
        const BYTES_W: usize,
        const N: usize,
        const M: usize,
    > VlRx<F, FLITS_W, OUT_W, BYTES_W, N, M>
{
    /// A receiver, or the reason why not.
    pub fn new() -> Result<Self, ConfigError> {
        let name = "fab_vl_rx";
        check_one_of(name, "flits", F as u64, &FLITS_PER_BEAT.map(|f| f as u64))?;
        check_range(name, "lanes", N as u64, 1, MAX_VLS as u64)?;
        check_derived(name, "FLITS_W", FLITS_W as u64, "65 F", flit_beat_bits(F) as u64)?;
        let out = flit_beat_bits(F) + LANE_BEAT_BITS;
        check_derived(name, "OUT_W", OUT_W as u64, "65 F + 9", out as u64)?;
        check_derived(name, "BYTES_W", BYTES_W as u64, "log2(8 F) + 1", word_count_bits(F) as u64)?;
        check_derived(name, "M", M as u64, "lanes + 1", N as u64 + 1)?;
        let payload = tail_bad::reason::FIELD.set(0, BadReason::Protocol.code().into());
        let word = control::opcode::FIELD.set(payload, Opcode::TailBad.code().into()) as u64;
        Ok(Self {
            slot_0: Constant::new(Bits::<F>::default().replace_bit(0, true)),
            tail_flit: Constant::new(word.into()),
            flit_shift: (0..F).map(|slot| Constant::new(((FLIT_BITS * slot) as u64).into())).collect(),
            ..
        })
    }

    fn update(&mut self) {
        moves = !out_there | beats_out.ready;
        beats_in.ready = moves & !clear;
        classifier = In { moves, valid: beats_in.valid, beat: beats_in.data, undefined };

        self.follow_packet();
        if clear {
            delivering = 0;
            out_there = false;
        }

        // Events, once per beat.
        event_error = moves & !clear & classifier.wrong;
        event_checks = moves & !clear & classifier.there & checks;
        event_arrived = moves & !clear & classifier.there & classifier.lane.any();
        event_flits = bit_cast::<LANE_FLITS_BITS, VL_BITS>(classifier.number)
            | (bit_cast::<LANE_FLITS_BITS, FLITS_BITS>(classifier.count) << 4)
            | (bit_cast::<LANE_FLITS_BITS, 1>(last.into()) << 7)
            | (bit_cast::<LANE_FLITS_BITS, 1>(classifier.opens.into()) << 8)
            | (bit_cast::<LANE_FLITS_BITS, FLITS_BITS>(tossed) << 9)
            | (bit_cast::<LANE_FLITS_BITS, 1>(cuts.into()) << 12);
        arrived = In { valid: event_arrived, data: event_flits };
        wrong = out_len_wrong | out_place_wrong;
        stack_error = event_error | (event_checks & wrong);

        // Idle where no packet flits are, TailBad where a packet ends badly.
        ending = tail_flit | (bit_cast::<FLIT_BITS, VL_BITS>(out_number) << 8);
        ended = 0;
        if out_checks & wrong {
            ended = out_closes;
        }
        if out_cut {
            ended = slot_0;
        }
        let mut joined: Bits<FLITS_W> = 0;
        for i in 0..F {
            flit = 0;
            if out_packet[i] {
                flit = out_beat.bits::<FLIT_BITS>(i * 65);
            }
            if ended[i] {
                flit = ending;
            }
            joined = joined | (bit_cast::<FLITS_W, FLIT_BITS>(flit) << flit_shift[i]);
        }
        let descriptor: Bits<LANE_BEAT_BITS> = bit_cast::<LANE_BEAT_BITS, VL_BITS>(out_number)
            | (bit_cast::<LANE_BEAT_BITS, FLITS_BITS>(out_flits) << 4)
            | (bit_cast::<LANE_BEAT_BITS, 1>(out_ends.into()) << 7)
            | (bit_cast::<LANE_BEAT_BITS, 1>(out_opens.into()) << 8);
        beats_out.data = bit_cast::<OUT_W, FLITS_W>(joined)
            | (bit_cast::<OUT_W, LANE_BEAT_BITS>(descriptor) << descriptor_shift);
        beats_out.valid = out_there;
    }

    /// Delivered, tossed, or the end of the packet that was there.
    fn follow_packet(&mut self) {
        delivers = (delivering & classifier.lane).any();
        accepted = delivers & !classifier.corrupts;
        if classifier.opens {
            accepted = classifier.fresh;
        }
        cuts = delivers & (classifier.corrupts | classifier.opens);
        last = classifier.closes.any();
        lengths = In {
            step: moves & classifier.there & accepted,
            number: classifier.number,
            opens: classifier.opens,
        };
        lengths = In { len: classifier.flits.bits::<LEN_BITS>(36), tail_beat: classifier.tail_beat };
        lengths = In { tail_slot: classifier.tail_slot, sized: classifier.sized, closes: classifier.closes };
        lengths.len2 = classifier.len2;
        checks = accepted & classifier.is_tail;
        flits = classifier.count;
        tossed = classifier.count;
        if cuts {
            flits = one;
            tossed = classifier.count - one;
        }
        if accepted {
            tossed = 0;
        }
        if moves {
            if classifier.there {
                delivering = delivering & !classifier.lane;
                if accepted & !last {
                    delivering = delivering | classifier.lane;
                }
            }
            out_there = classifier.there & (accepted | cuts);
            out_beat = classifier.flits;
            out_packet = 0;
            if accepted {
                out_packet = classifier.packet;
            }
            out_closes = classifier.closes;
            out_cut = cuts;
            out_checks = checks;
            Out { len_wrong: out_len_wrong, place_wrong: out_place_wrong } = lengths;
            out_number = classifier.number;
            out_flits = flits;
            out_opens = classifier.opens & accepted;
            out_ends = last | cuts;
        }
    }
}

const _: () = assert!(head::len::LOW == 36 && tail_bad::vl::LOW == 8 && tail_bad::vl::WIDTH == VL_BITS);
const _: () = assert!(lane_beat::vl::LOW == 0 && lane_beat::flits::LOW == 4 && lane_beat::ends::LOW == 7);
const _: () = assert!(lane_flits::vl::LOW == 0 && lane_flits::flits::LOW == 4 && lane_flits::ends::LOW == 7);
const _: () = assert!(lane_beat::opens::LOW == 8 && lane_flits::opens::LOW == 8);
const _: () = assert!(lane_flits::tossed::LOW == 9 && lane_flits::cut::LOW == 12);
