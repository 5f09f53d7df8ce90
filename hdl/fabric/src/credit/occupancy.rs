//! The buffer of one virtual lane at the receiver.

use super::gain::{CODE_BITS, UNITS_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::link_registers::credit;

/// Bits of CRDT_DELAY.
pub const DELAY_BITS: usize = credit::delay::WIDTH;

/// Counts AU of a buffer: occupied ones, and free ones that are not given back. Finds the largest credit code of those, one entry of the
/// table per clock. `W` bits count.
#[block("credit_occupancy", w = W)]
pub struct CreditOccupancy<const W: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// The whole buffer is free, and not given back.
    clear: In<Bit>,
    /// A start of the link: what is occupied stays so, all else is free and not given back.
    restart: In<Bit>,
    /// AU of the buffer.
    size: In<Bits<W>>,
    /// An eighth of it.
    share: In<Bits<W>>,
    /// CRDT_DELAY.
    delay: In<Bits<DELAY_BITS>>,
    /// An AU is filled.
    filled: In<Bit>,
    /// An AU is filled by what nobody keeps.
    tossed: In<Bit>,
    /// The reader has emptied an AU.
    released: In<Bit>,
    /// The search for a code begins; this lane takes part if it is chosen.
    begins: In<Bit>,
    /// See `begins`.
    chosen: In<Bit>,
    /// Entry of the table that is looked at, 0: none, and its AU.
    code: In<Bits<CODE_BITS>>,
    /// See `code`.
    units: In<Bits<UNITS_BITS>>,
    /// The search is over; what was found is given back, if this lane takes part.
    ends: In<Bit>,
    /// That counts in `pending` from the next clock on.
    settles: In<Bit>,
    /// A return is due.
    due: Out<Bit>,
    /// The code that was found, or 0.
    found: Out<Bits<CODE_BITS>>,
    /// AU that hold flits, a clock old.
    occupied: Out<Bits<W>>,
    /// AU that are free and not given back, a clock old.
    pending: Out<Bits<W>>,
    /// More came than there is room for.
    overrun: Out<Bit>,
    /// The same, or more was released than there is.
    wrong: Out<Bit>,

    /// AU that the sender may not fill: occupied or pending.
    held: Reg<Bits<W>>,
    frees: Reg<Bit>,
    filled_units: Reg<Bits<W>>,
    filled_view: Reg<Bits<W>>,
    pending_units: Reg<Bits<W>>,
    /// AU that have been given back, one clock later.
    given: Reg<Bits<UNITS_BITS>>,
    waited: Reg<Bits<DELAY_BITS>>,
    is_due: Reg<Bit>,
    /// What was pending when the search began.
    seen: Reg<Bits<UNITS_BITS>>,
    seen_more: Reg<Bit>,
    takes_part: Reg<Bit>,
    best: Reg<Bits<UNITS_BITS>>,
    best_code: Reg<Bits<CODE_BITS>>,

    room: Local<Bit>,
    too_many: Local<Bit>,
    #[init(1)]
    one: Constant<Bits<W>>,
    #[init(bits_where(|_| true))]
    all: Constant<Bits<W>>,
    #[init(0x1FF)]
    minus_one: Constant<Bits<9>>,
    #[init(bits_where(|bit| bit >= 9))]
    sign: Constant<Bits<W>>,
    #[init(1)]
    tick: Constant<Bits<DELAY_BITS>>,
    #[init(UNITS_BITS)]
    byte: Constant<Bits<5>>,
}

#[logic]
impl<const W: usize> CreditOccupancy<W> {
    fn update(&mut self) {
        // AU that come without a grant, or go without being there, do not count.
        room = held != size;
        let comes = (filled | tossed) & room;
        let keeps = filled & room;
        let there = filled_units.any();
        frees = released & !clear;
        let goes = frees & there;
        too_many = (filled | tossed) & !room;
        overrun = too_many;
        wrong = too_many | (frees & !there);
        let mut fill_step: Bits<W> = 0;
        if keeps & !goes {
            fill_step = one;
        }
        if goes & !keeps {
            fill_step = all;
        }
        filled_units = filled_units + fill_step;

        self.give_back(comes);

        // Due.
        let late = waited >= delay;
        is_due = (pending_units >= share) | (pending_units.any() & late);
        if !pending_units.any() | (settles & takes_part) {
            waited = 0;
        } else if !late {
            waited = waited + tick;
        }

        // The largest code, of equal ones the first.
        let fits = (seen_more | (seen >= units)) & (units > best) & code.any();
        if fits {
            best = units;
            best_code = code;
        }
        if begins {
            takes_part = chosen;
            seen = 0;
            seen_more = false;
            if chosen {
                seen = pending_units.bits::<UNITS_BITS>(0);
                seen_more = (pending_units >> byte).any();
            }
            best = 0;
            best_code = 0;
        }
        if clear | restart {
            held = size;
            pending_units = 0;
            given = 0;
            waited = 0;
            is_due = false;
            takes_part = false;
        }
        if clear {
            filled_units = 0;
            filled_view = 0;
        }
        due = is_due;
        found = best_code;
        occupied = filled_view;
        pending = pending_units;
    }

    /// What is given back, less the AU that comes.
    fn give_back(&mut self, comes: Bit) {
        given = 0;
        if ends & takes_part {
            given = best;
        }
        let less = bit_cast::<9, UNITS_BITS>(given) + minus_one;
        let mut back = bit_cast::<9, UNITS_BITS>(given);
        if comes {
            back = less;
        }
        let mut back_more = bit_cast::<W, 9>(back);
        if back[8] {
            back_more = bit_cast::<W, 9>(back) | sign;
        }
        held = held - back_more;
        pending_units = held - filled_units;
        filled_view = filled_units;
    }
}
