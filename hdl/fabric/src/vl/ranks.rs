//! Which of two virtual lanes goes first.

use flitforge_hdl_prim::prelude::*;

/// Bits of the PRIO of all lanes (register VL_ARB).
pub const PRIORITIES_BITS: usize = 64;

/// PRIO, ageing and round robin of `N` lanes as relations between two of them. PRIO is compared ahead, and who wins against whom is known when a
/// beat time begins: a change of PRIO counts from the third beat time on, an age with the next one.
#[block("vl_ranks", lanes = N)]
pub struct VlRanks<const N: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Lane 0 has the next turn.
    clear: In<Bit>,
    /// PRIO of lane v in bits 4v+3..4v.
    priorities: In<Bits<PRIORITIES_BITS>>,
    /// A beat time ends on this edge.
    step: In<Bit>,
    /// Lanes that pass every PRIO but 15, from the next beat time on.
    aged: In<Bits<N>>,
    /// The lane whose beat goes with it, or none.
    sent: In<Bits<N>>,
    /// Bit j of entry v: lane j ranks above lane v in the next beat time.
    next_above: [Out<Bits<N>>; N],
    /// Bit j of entry v: lane j ranks above lane v, or equal and its turn comes first.
    wins: [Out<Bits<N>>; N],
    greater: [Reg<Bits<N>>; N],
    /// All, until PRIO is compared: one of two wins at any time.
    #[init(bits_where(|_| true))]
    equal: [Register<Bits<N>>; N],
    top: Reg<Bits<N>>,
    /// Bit k: the lane that had the last beat is below k.
    below: Reg<Bits<N>>,
    #[init(|lane| bits_where(|other| other < lane))]
    winners: [Register<Bits<N>>; N],
    one: Local<Bits<4>>,
    other: Local<Bits<4>>,
    tops: Local<Bits<N>>,
    more: Local<Bits<N>>,
    same: Local<Bits<N>>,
    passed: Local<Bits<N>>,
    seen: Local<Bit>,
    next_below: Local<Bits<N>>,
    ranks_above: Local<Bits<N>>,
    ranks_equal: Local<Bits<N>>,
    turn: Local<Bits<N>>,
    /// Lanes below v, and all but v.
    #[init((0..N).map(|lane| Constant::new(bits_where(|other| other < lane))).collect())]
    lower: Vec<Constant<Bits<N>>>,
    #[init((0..N).map(|lane| Constant::new(bits_where(|other| other != lane))).collect())]
    others: Vec<Constant<Bits<N>>>,
}

#[logic]
impl<const N: usize> VlRanks<N> {
    fn update(&mut self) {
        tops = 0;
        for v in 0..N {
            equal[v].clear = false;
            one = priorities.bits::<4>(v * 4);
            tops = tops.with(v, one.all());
            more = 0;
            same = 0;
            for j in 0..N {
                other = priorities.bits::<4>(j * 4);
                more = more.with(j, other > one);
                same = same.with(j, other == one);
            }
            greater[v] = more;
            equal[v] = same;
        }
        top = tops;

        // Whose turn it is behind this beat time; bit k: no lane from k on has sent.
        seen = false;
        passed = 0;
        for v in 0..N {
            passed = passed.with(v, !seen);
            seen = seen | sent[v];
        }
        next_below = below;
        if sent.any() {
            next_below = !passed;
        }
        if step {
            below = next_below;
        }
        if clear {
            below = 0;
        }

        for v in 0..N {
            // PRIO 15 is above ageing, ageing above every other PRIO.
            ranks_above = greater[v] | aged;
            ranks_equal = equal[v] & !aged;
            if aged[v] {
                ranks_above = 0;
                ranks_equal = aged;
            }
            ranks_equal = ranks_equal & !top;
            ranks_above = ranks_above | top;
            if top[v] {
                ranks_above = 0;
                ranks_equal = top;
            }
            next_above[v] = ranks_above & others[v];
            // Behind the lane that had the last beat, upwards, and around.
            turn = next_below & lower[v];
            if !next_below[v] {
                turn = next_below | lower[v];
            }
            winners[v].enable = step;
            winners[v] = (ranks_above | (ranks_equal & turn)) & others[v];
            wins[v] = winners[v];
        }
    }
}
