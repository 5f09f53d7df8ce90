//! A tree's Low that waits.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time::TX_WAIT_BITS;

/// Whether a tree has a Low here, and how long it may stay (chapter 20, 4.5 rules 2 and 5). It is offered in the clock
/// of `arrived` and in at most `limit` more. Events follow 1 clock after what they tell. `clear` forgets the Low.
#[block("tree_wait")]
pub struct TreeWait {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// A Low is new in this clock.
    arrived: In<Bit>,
    /// TX_WAIT_MAX; counts with `arrived`.
    limit: In<Bits<TX_WAIT_BITS>>,
    /// It is 0.
    limit_is_none: In<Bit>,
    /// It is 1.
    limit_is_one: In<Bit>,
    /// The link takes the Low.
    taken: In<Bit>,
    /// EPOCH_HOLD.
    hold: In<Bit>,
    /// The link is closed and the Low waits for it.
    closed: In<Bit>,
    /// One that came before will be here in the next clock, unless it is taken or removed by `hold`.
    pending: Out<Bit>,
    /// Event: ADVANCED.
    advanced: Out<Bit>,
    /// Event: replaced by a newer one.
    overtaken: Out<Bit>,
    /// Event: waited too long.
    expired: Out<Bit>,
    /// Event: removed by `hold`.
    held_back: Out<Bit>,
    waits: Reg<Bit>,
    left: Reg<Bits<TX_WAIT_BITS>>,
    last: Reg<Bit>,
    met_closed: Reg<Bit>,
    advanced_now: Reg<Bit>,
    overtaken_now: Reg<Bit>,
    expired_now: Reg<Bit>,
    held_now: Reg<Bit>,
    here: Local<Bit>,
    ends: Local<Bit>,
    remains: Local<Bit>,
    #[init(1)]
    one: Constant<Bits<TX_WAIT_BITS>>,
}

#[logic]
impl TreeWait {
    fn update(&mut self) {
        here = arrived | waits;
        ends = last;
        let mut before = met_closed;
        left = left - one;
        last = left == one;
        if arrived {
            ends = limit_is_none;
            before = false;
            left = limit - one;
            last = limit_is_one;
        }
        pending = waits & !last & !arrived;
        remains = here & !taken & !hold;
        waits = remains & !ends;
        met_closed = before | closed;
        advanced_now = remains & closed & !before;
        overtaken_now = arrived & waits;
        expired_now = remains & ends;
        held_now = here & hold;
        if clear {
            waits = false;
            advanced_now = false;
            overtaken_now = false;
            expired_now = false;
            held_now = false;
        }
        advanced = advanced_now;
        overtaken = overtaken_now;
        expired = expired_now;
        held_back = held_now;
    }
}
