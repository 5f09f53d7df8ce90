//! The receiver's stack.

use flitforge_hdl_prim::prelude::*;

/// Which of `M` lanes have a packet in progress, and in what order. One beat per clock: the lane it names goes to the top, a
/// lane whose packet ends is taken off it. What is said of the stack is said of it before the beat.
#[block("vl_stack", lanes = M)]
pub struct VlStack<const M: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// The stack is empty.
    clear: In<Bit>,
    /// A beat counts on this edge.
    step: In<Bit>,
    /// The lane it names, or none.
    lane: In<Bits<M>>,
    /// It names one.
    names: In<Bit>,
    /// A packet ends with it.
    ends: In<Bit>,
    /// The lane on top, or none.
    top: Out<Bits<M>>,
    /// There is one.
    some: Out<Bit>,
    /// The lane that the beat names is in the stack.
    known: Out<Bit>,

    current: Reg<Bits<M>>,
    is_some: Reg<Bit>,
    /// Lanes below it.
    rest: Reg<Bits<M>>,
    /// Bit j of entry v: lane j lies above lane v, if both are in the stack.
    #[wire(d = _)]
    under: [Reg<Bits<M>>; M],
    next_above: Local<Bits<M>>,
    #[init((0..M).map(|lane| Constant::new(bits_where(|other| other != lane))).collect())]
    others: Vec<Constant<Bits<M>>>,
}

#[logic]
impl<const M: usize> VlStack<M> {
    fn update(&mut self) {
        top = current;
        some = is_some;
        known = (lane & (current | rest)).any();

        // The one that comes up when the top goes.
        let mut second: Bits<M> = 0;
        for v in 0..M {
            second = second.with(v, rest[v] & !(under[v] & rest).any());
        }
        let is_top = (lane & current).any();
        let pops = ends & (!names | is_top);

        // A lane that is named and ends was never there for the others.
        if step {
            rest = rest & !lane;
            if pops {
                current = second;
                is_some = rest.any();
                rest = rest & !lane & !second;
            }
            if names & !ends {
                current = lane;
                is_some = true;
                rest = (rest | current) & !lane;
            }
        }
        if clear {
            current = 0;
            is_some = false;
            rest = 0;
        }
        for v in 0..M {
            under[v] = under[v];
            next_above = (under[v] | lane) & others[v];
            if lane[v] {
                next_above = 0;
            }
            if step {
                under[v] = next_above;
            }
        }
    }
}
