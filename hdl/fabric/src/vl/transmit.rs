//! The sender.

use super::arbiter::{VlArbiter, RUN_BITS};
use super::ingress::VlIngress;
use super::ranks::PRIORITIES_BITS;
use super::waits::AGE_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::{flit_beat_bits, FLITS_PER_BEAT};
use flitforge_protocol::flit::{control, vl_mrkr, Opcode, FLIT_BITS};
use flitforge_protocol::link_registers::MAX_VLS;

/// `fab_vl_tx`: `N` virtual lanes on the beats of one link, `FLITS_W` = 65 `F` bits; see the [module](super).
#[block("fab_vl_tx", new, f = F, lanes = N)]
pub struct VlTx<const F: usize, const FLITS_W: usize, const N: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Beats of packets, one stream per lane.
    pub lanes_in: [StreamIn<Bits<FLITS_W>>; N],
    /// The beat a lane offers ends a packet: a Tail or TailBad is in it.
    ends: In<Bits<N>>,
    /// There is credit for the beat a lane offers.
    credit: In<Bits<N>>,
    /// PRIO of lane v in bits 4v+3..4v (register VL_ARB).
    priorities: In<Bits<PRIORITIES_BITS>>,
    /// PREEMPT by lane (register VL_EN).
    preempt: In<Bits<MAX_VLS>>,
    /// BUBBLE by lane.
    bubble: In<Bits<MAX_VLS>>,
    /// MIN_RUN, beat times.
    min_run: In<Bits<RUN_BITS>>,
    /// AGE, beat times; 0: off.
    age: In<Bits<AGE_BITS>>,
    /// Lanes whose beat is taken on this edge.
    sent: Out<Bits<N>>,
    /// It ends a packet.
    sent_ends: Out<Bits<N>>,
    /// Lanes with a beat that waits for its turn.
    waiting: Out<Bits<N>>,
    /// Beats of all lanes, and markers.
    pub beats_out: StreamOut<Bits<FLITS_W>>,

    #[wire(clock, clear)]
    arbiter: VlArbiter<N>,
    #[wire(clock, clear)]
    ingress: [VlIngress<FLITS_W>; N],
    #[wire(d = _)]
    held: [Reg<Bits<FLITS_W>>; N],
    chosen: Reg<Bits<N>>,
    marks: Reg<Bit>,
    valid: Reg<Bit>,
    moves: Local<Bit>,
    goes: Local<Bits<N>>,
    #[init(0)]
    nothing: Constant<Bits<FLITS_W>>,
    marker: Vec<Constant<Bits<FLITS_W>>>,
}

#[logic]
impl<const F: usize, const FLITS_W: usize, const N: usize> VlTx<F, FLITS_W, N> {
    /// A sender, or the reason why not.
    pub fn new() -> Result<Self, ConfigError> {
        let name = "fab_vl_tx";
        check_one_of(name, "flits", F as u64, &FLITS_PER_BEAT.map(|f| f as u64))?;
        check_derived(name, "FLITS_W", FLITS_W as u64, "65 F", flit_beat_bits(F) as u64)?;
        check_range(name, "lanes", N as u64, 1, MAX_VLS as u64)?;
        let marker = |lane: usize| {
            let payload = vl_mrkr::vl::FIELD.set(0, lane as u64);
            let word = control::opcode::FIELD.set(payload, Opcode::VlMrkr.code().into());
            (0..FLIT_BITS)
                .fold(Bits::<FLITS_W>::default(), |bits, bit| bits.replace_bit(bit, word >> bit & 1 == 1))
        };
        Ok(Self { marker: (0..N).map(|lane| Constant::new(marker(lane))).collect(), .. })
    }

    fn update(&mut self) {
        moves = !valid | beats_out.ready;

        // What the lanes have.
        let mut offers: Bits<N> = 0;
        let mut closes: Bits<N> = 0;
        let mut taken: Bits<N> = 0;
        let mut taken_ends: Bits<N> = 0;
        for v in 0..N {
            link(lanes_in[v], ingress[v].beats_in);
            ingress[v] = In { ends: ends[v], credit: credit[v] };
            offers = offers.with(v, ingress[v].offers);
            closes = closes.with(v, ingress[v].closes);
            taken = taken.with(v, ingress[v].takes);
            taken_ends = taken_ends.with(v, ingress[v].takes_end);
        }
        sent = taken;
        sent_ends = taken_ends;
        waiting = offers;
        arbiter = In { priorities, preempt, bubble, min_run, age, step: moves, offers, closes };

        // The beat of each is kept, the choice after them.
        goes = 0;
        if moves {
            goes = arbiter.taken;
        }
        for v in 0..N {
            ingress[v].goes = goes[v];
            held[v] = held[v];
            if moves {
                held[v] = ingress[v].beat;
            }
        }
        if moves {
            Out { chosen, marks, any: valid } = arbiter;
        }
        if clear {
            valid = false;
        }
        let mut joined = nothing;
        for v in 0..N {
            if chosen[v] {
                if marks {
                    joined = joined | marker[v];
                } else {
                    joined = joined | held[v];
                }
            }
        }
        beats_out = In { data: joined, valid };
    }
}
