//! The Low that is offered.

use super::{TreeWait, RUNNING_BITS, STORED_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time::{master_time_low, TX_WAIT_BITS, VALUE_BITS};

/// Chooses among the Lows that have just come and the stored one of the lowest tree (chapter 20, 4.5 rules 1 to 3).
///
/// A Low is stored in the clock in which it came, and read in the one before it is offered again, unless a beat is taken in that.
/// Indices are those of the rings, clockwise first. `clear` forgets all Lows.
#[block("inject_lows")]
pub struct InjectLows {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// By tree: a Low has come.
    arrived: [In<Bits<4>>; 2],
    /// Its value in this clock, 1/16 ns.
    value: [In<Bits<VALUE_BITS>>; 2],
    /// Its era.
    era: [In<Bits<2>>; 2],
    /// The stored Low of `read_tree`, see [`STORED_BITS`].
    stored: [In<Bits<STORED_BITS>>; 2],
    /// Added to it, see [`super::RunningWait`].
    total: In<Bits<RUNNING_BITS>>,
    /// TX_WAIT_MAX.
    limit: In<Bits<TX_WAIT_BITS>>,
    /// EPOCH_HOLD.
    hold: In<Bit>,
    /// The link is closed and Lows wait for it.
    closed: In<Bit>,
    /// A beat is taken in this clock.
    taken: In<Bit>,
    /// A Low will be here in the next clock, unless a beat is taken or `hold` removes it.
    pending: Out<Bit>,
    /// Its tree, the lowest; its stored Low is read.
    read_tree: Out<Bits<2>>,
    /// A Low is offered.
    offered: Out<Bit>,
    /// It was read in the clock before.
    is_late: Out<Bit>,
    /// Its payload.
    payload: Out<Bits<48>>,
    /// Event by tree: ADVANCED.
    advanced: Out<Bits<4>>,
    /// Event by tree: replaced by a newer one.
    overtaken: Out<Bits<4>>,
    /// Event by tree: waited too long.
    expired: Out<Bits<4>>,
    /// Event by tree: removed by `hold`.
    held_back: Out<Bits<4>>,
    #[wire(clock, clear)]
    wait: [TreeWait; 4],
    limit_now: Reg<Bits<TX_WAIT_BITS>>,
    limit_is_none: Reg<Bit>,
    limit_is_one: Reg<Bit>,
    /// By tree: its stored Low is in `read`.
    late: Reg<Bits<4>>,
    read: Reg<Bits<STORED_BITS>>,
    /// By tree: ring its stored Low came on.
    ring: Reg<Bits<4>>,
    any_arrived: Local<Bits<4>>,
    choice: Local<Bits<4>>,
    goes: Local<Bit>,
    /// By tree: one of this or a lower tree has come.
    lower: Local<Bits<4>>,
    late_goes: Local<Bit>,
    first: Local<Bits<2>>,
    now: Local<Bits<VALUE_BITS>>,
    now_era: Local<Bits<2>>,
    staying: Local<Bits<4>>,
    following: Local<Bits<2>>,
    next_late: Local<Bits<4>>,
    #[init(0)]
    nobody: Constant<Bits<4>>,
    #[init(1)]
    single: Constant<Bits<TX_WAIT_BITS>>,
    #[init(|tree| tree)]
    number: [Constant<Bits<2>>; 4],
}

#[logic]
impl InjectLows {
    fn update(&mut self) {
        // The Low of this clock: the lowest tree of those that came and the one that was read.
        any_arrived = arrived[0] | arrived[1];
        choice = any_arrived | late;
        goes = choice.any() & !hold;
        first = number[3];
        for i in 0..3 {
            if choice[2 - i] {
                first = number[2 - i];
            }
        }
        let word = read;
        let sum = word.bits::<RUNNING_BITS>(0) + total;
        now = sum.bits::<VALUE_BITS>(16);
        now_era = word.bits::<2>(60);
        // The one that was read goes unless one of its tree or a lower one has come.
        lower = any_arrived;
        for i in 1..4 {
            lower = lower.with(i, lower[i - 1] | any_arrived[i]);
        }
        late_goes = (late & !lower).any();
        is_late = late_goes;
        if !late_goes {
            now = value[0];
            now_era = era[0];
            if arrived[1][first] {
                now = value[1];
                now_era = era[1];
            }
        }
        offered = goes;
        payload = bit_cast::<48, 40>(now.bits::<40>(4))
            | (bit_cast::<48, 2>(first) << 40)
            | (bit_cast::<48, 2>(now_era) << 42)
            | (bit_cast::<48, 4>(now.bits::<4>(0)) << 44);

        // What stays.
        limit_now = limit;
        limit_is_none = !limit.any();
        limit_is_one = limit == single;
        staying = nobody;
        advanced = nobody;
        overtaken = nobody;
        expired = nobody;
        held_back = nobody;
        for i in 0..4 {
            wait[i] = In { arrived: any_arrived[i], limit: limit_now, limit_is_none, limit_is_one };
            wait[i] = In { taken: taken & goes & (first == number[i]), hold, closed };
            staying = staying.with(i, wait[i].pending);
            advanced = advanced.with(i, wait[i].advanced);
            overtaken = overtaken.with(i, wait[i].overtaken);
            expired = expired.with(i, wait[i].expired);
            held_back = held_back.with(i, wait[i].held_back);
        }

        // The Low that is read for the next clock.
        following = number[3];
        next_late = nobody.with(3, staying[3]);
        for i in 0..3 {
            if staying[2 - i] {
                following = number[2 - i];
                next_late = nobody.with(2 - i, true);
            }
        }
        late = next_late;
        if taken | hold | clear {
            late = nobody;
        }
        ring = (ring & !arrived[0]) | arrived[1];
        pending = staying.any();
        read_tree = following;
        read = stored[0];
        if ring[following] {
            read = stored[1];
        }
    }
}

const _: () = assert!(
    master_time_low::tree::LOW == 40 && master_time_low::era::LOW == 42 && master_time_low::frac::LOW == 44
);
const _: () = assert!(RUNNING_BITS == 60 && VALUE_BITS == 44);
