//! Which lane has the next beat.

use super::ranks::{VlRanks, PRIORITIES_BITS};
use super::waits::{VlWaits, AGE_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::link_registers::{vl_en, MAX_VLS};

/// Bits of MIN_RUN.
pub const RUN_BITS: usize = vl_en::min_run::WIDTH;

/// The stack of `N` lanes and rules 1 to 4 of chapter 10, 4.9. A decision per beat time, in the clock of its `step`; what it needs of stack and
/// ranks is known when the beat time begins.
///
/// The stack is kept as its two upper lanes and who lies under whom, so that moving a lane to the top and taking it off are one step each.
#[block("vl_arbiter", lanes = N)]
pub struct VlArbiter<const N: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// The stack is empty, nobody has waited.
    clear: In<Bit>,
    /// PRIO, register VL_ARB.
    priorities: In<Bits<PRIORITIES_BITS>>,
    /// PREEMPT of all lanes.
    preempt: In<Bits<MAX_VLS>>,
    /// BUBBLE of all lanes.
    bubble: In<Bits<MAX_VLS>>,
    /// MIN_RUN.
    min_run: In<Bits<RUN_BITS>>,
    /// AGE.
    age: In<Bits<AGE_BITS>>,
    /// A beat time ends on this edge.
    step: In<Bit>,
    /// Lanes that have a beat.
    offers: In<Bits<N>>,
    /// Lanes whose beat ends a packet.
    closes: In<Bits<N>>,
    /// The lane that is chosen, or none.
    chosen: Out<Bits<N>>,
    /// The lane whose beat goes; none if it has a marker first.
    taken: Out<Bits<N>>,
    /// A lane is chosen.
    any: Out<Bit>,
    /// The chosen lane has a VlMrkr first; its beat stays.
    marks: Out<Bit>,

    #[wire(clock, clear)]
    ranks: VlRanks<N>,
    #[wire(clock, clear)]
    waits: VlWaits<N>,
    /// Lanes in the stack; the current one, the one under it, and those under both.
    open: Reg<Bits<N>>,
    top: Reg<Bits<N>>,
    second: Reg<Bits<N>>,
    rest: Reg<Bits<N>>,
    /// There is a current one.
    busy: Reg<Bit>,
    /// Bit j of entry v: lane j lies above lane v, if both are in the stack.
    #[wire(d = _)]
    under: [Reg<Bits<N>>; N],
    /// Lanes that may take over from the current one.
    over_may: Reg<Bits<N>>,
    kept: Reg<Bits<RUN_BITS>>,
    keeps: Reg<Bit>,

    fill_may: Local<Bits<N>>,
    over: Local<Bits<N>>,
    fillers: Local<Bits<N>>,
    able: Local<Bits<N>>,
    before: Local<Bits<N>>,
    over_any: Local<Bit>,
    fill_any: Local<Bit>,
    continues: Local<Bit>,
    some: Local<Bit>,
    fills: Local<Bit>,
    goes: Local<Bits<N>>,
    may_send: Local<Bits<N>>,
    may_push: Local<Bits<N>>,
    sent: Local<Bits<N>>,
    ended: Local<Bits<N>>,
    pushed: Local<Bits<N>>,
    pushes: Local<Bit>,
    pops: Local<Bit>,
    third: Local<Bits<N>>,
    eligible: Local<Bits<N>>,
    #[init(1)]
    one: Constant<Bits<RUN_BITS>>,
    #[init(0)]
    nobody: Constant<Bits<N>>,
}

#[logic]
impl<const N: usize> VlArbiter<N> {
    fn update(&mut self) {
        waits = In { age, step, offers };
        ranks = In { priorities, step, aged: waits.aged };

        // Who may fill a bubble, in which the current lane has no beat; without a current lane everybody may begin.
        fill_may = nobody;
        if !keeps {
            fill_may = bubble.bits::<N>(0);
        }
        if !busy {
            fill_may = !nobody;
        }

        self.choose();

        // What it is to the stack: what goes lies on top; what has sent its last beat is off it.
        may_send = !open | top;
        may_push = !top & (open | !closes);
        sent = goes & may_send;
        ended = sent & closes;
        pushed = goes & may_push;
        pushes = pushed.any();
        pops = (offers & top & closes).any() & !over_any;
        taken = sent;
        waits.sent = sent;
        ranks.sent = sent;

        self.move_stack();
        if clear {
            open = 0;
            top = 0;
            second = 0;
            rest = 0;
            busy = false;
            over_may = 0;
            keeps = false;
        }
    }

    /// The first of those that have a beat: who may take over, the current one, who may fill. Which of two comes first is known before it is known
    /// whether they have one.
    fn choose(&mut self) {
        over = offers & over_may;
        fillers = offers & fill_may;
        over_any = over.any();
        fill_any = fillers.any();
        able = offers & (over_may | top | fill_may);
        goes = 0;
        for v in 0..N {
            before = over_may | top | ranks.wins[v];
            if over_may[v] {
                before = over_may & ranks.wins[v];
            } else if top[v] {
                before = over_may;
            }
            goes = goes.with(v, able[v] & !(able & before).any());
        }
        continues = (offers & top).any();
        some = over_any | continues | fill_any;
        fills = busy & fill_any & !continues & !over_any;
        chosen = goes;
        any = some;
        marks = (goes & open & !top).any();
    }

    /// The stack after this beat time, and who may take over then.
    fn move_stack(&mut self) {
        third = 0;
        let mut above_top: Bits<N> = 0;
        let mut above_second: Bits<N> = 0;
        let mut above_pushed: Bits<N> = 0;
        for v in 0..N {
            third = third.with(v, rest[v] & !(under[v] & rest).any());
            under[v] = under[v];
            if step {
                under[v] = under[v] | goes;
                if goes[v] {
                    under[v] = 0;
                }
            }
            if top[v] {
                above_top = above_top | ranks.next_above[v];
            }
            if second[v] {
                above_second = above_second | ranks.next_above[v];
            }
            if pushed[v] {
                above_pushed = above_pushed | ranks.next_above[v];
            }
        }
        eligible = preempt.bits::<N>(0) | waits.aged;
        if step {
            over_may = above_top & eligible;
            if pops {
                top = second;
                second = third;
                rest = rest & !third;
                busy = second.any();
                over_may = above_second & eligible;
            }
            if pushes {
                top = pushed;
                second = top;
                rest = (rest | second) & !pushed;
                busy = true;
                over_may = above_pushed & eligible;
            }
            open = (open | sent) & !ended;
            if keeps {
                kept = kept - one;
                keeps = kept != one;
            }
            if fills {
                kept = min_run - one;
                keeps = min_run > one;
            } else if over_any | (fill_any & !continues) {
                keeps = false;
            }
            if ended.any() {
                keeps = false;
            }
        }
    }
}
