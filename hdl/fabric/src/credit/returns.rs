//! Which lanes get credits back next.

use super::gain::CODE_BITS;
use flitforge_hdl_prim::prelude::*;

/// Chooses among `N` lanes that are due: all of them for a CrdtRet, or one in turn for a sideband message; then leads the search for their codes
/// through the credit table. Thirteen clocks from one to the next.
#[block("credit_returns", lanes = N)]
pub struct CreditReturns<const N: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// No search, lane 0 has the turn.
    clear: In<Bit>,
    /// Returns go by sideband, and by CrdtRet if more than two lanes are due.
    sideband: In<Bit>,
    /// Lanes that are due.
    due: In<Bits<N>>,
    /// A CrdtRet has room.
    flit_free: In<Bit>,
    /// A message has room.
    message_free: In<Bit>,
    /// A search begins.
    begins: Out<Bit>,
    /// For these lanes.
    chosen: Out<Bits<N>>,
    /// Entry of the table that is read, 0: none.
    code: Out<Bits<CODE_BITS>>,
    /// The search is over.
    ends: Out<Bit>,
    /// It counts in all registers from the next clock on.
    settles: Out<Bit>,
    /// It was for a message.
    by_message: Out<Bit>,
    /// The lane of the message.
    lane: Out<Bits<N>>,

    entry: Reg<Bits<CODE_BITS>>,
    last: Reg<Bit>,
    over: Reg<Bit>,
    /// Clocks after a search until `due` is of now: bit 0 first.
    rests: Reg<Bits<3>>,
    is_message: Reg<Bit>,
    message_lane: Reg<Bits<N>>,
    /// Lanes whose turn comes before lane 0's.
    later: Reg<Bits<N>>,

    one: Local<Bit>,
    two: Local<Bit>,
    three: Local<Bit>,
    waiting: Local<Bits<N>>,
    first: Local<Bits<N>>,
    after_first: Local<Bits<N>>,
    #[init(1)]
    next_entry: Constant<Bits<CODE_BITS>>,
}

#[logic]
impl<const N: usize> CreditReturns<N> {
    fn update(&mut self) {
        // How many are due, up to three, and which has the turn.
        one = false;
        two = false;
        three = false;
        for v in 0..N {
            three = three | (two & due[v]);
            two = two | (one & due[v]);
            one = one | due[v];
        }
        waiting = due & later;
        if !(due & later).any() {
            waiting = due;
        }
        let mut seen = false;
        first = 0;
        after_first = 0;
        for v in 0..N {
            first = first.with(v, waiting[v] & !seen);
            after_first = after_first.with(v, seen);
            seen = seen | waiting[v];
        }

        // What is due as of the clock before is not changed by the search before that.
        let message = sideband & !three;
        let starts = !entry.any()
            & !last
            & !over
            & !rests.any()
            & one
            & ((message & message_free) | (!message & flit_free));
        begins = starts;
        chosen = due;
        if message {
            chosen = first;
        }
        // An entry is read in one clock and looked at in the next.
        last = entry.all();
        over = last;
        rests = (rests << 1) | bit_cast::<3, 1>(over.into());
        if entry.any() {
            entry = entry + next_entry;
        }
        if starts {
            entry = next_entry;
            is_message = message;
            message_lane = first;
            if message {
                later = after_first;
            }
        }
        if clear {
            entry = 0;
            last = false;
            over = false;
            // The first look at the buffers comes as late as after a search.
            rests = 2;
            later = 0;
        }
        code = entry;
        ends = over;
        settles = rests[1];
        by_message = is_message;
        lane = message_lane;
    }
}
