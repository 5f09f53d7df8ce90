//! A tree's Low that waits.

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::TX_WAIT_BITS;

/// Whether a tree has a Low here, and how long it may stay (chapter 20, 4.5 rules 2 and 5). It is offered in the clock
/// of `came` and in at most `limit` more. Events follow 1 clock after what they tell. `clear` forgets the Low.
#[derive(LogicBlock)]
pub struct TreeWait {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// A Low is new in this clock.
    pub came: Signal<In, Bit>,
    /// TX_WAIT_MAX; counts with `came`.
    pub limit: Signal<In, Bits<TX_WAIT_BITS>>,
    /// It is 0.
    pub limit_is_none: Signal<In, Bit>,
    /// It is 1.
    pub limit_is_one: Signal<In, Bit>,
    /// The link takes the Low.
    pub taken: Signal<In, Bit>,
    /// EPOCH_HOLD.
    pub hold: Signal<In, Bit>,
    /// The link is closed and the Low waits for it.
    pub closed: Signal<In, Bit>,
    /// One that came before will be here in the next clock, unless it is taken or removed by `hold`.
    pub stays: Signal<Out, Bit>,
    /// Event: ADVANCED.
    pub advanced: Signal<Out, Bit>,
    /// Event: replaced by a newer one.
    pub overtaken: Signal<Out, Bit>,
    /// Event: waited too long.
    pub expired: Signal<Out, Bit>,
    /// Event: removed by `hold`.
    pub held_back: Signal<Out, Bit>,
    waits: DFF<Bit>,
    left: DFF<Bits<TX_WAIT_BITS>>,
    last: DFF<Bit>,
    met_closed: DFF<Bit>,
    advanced_now: DFF<Bit>,
    overtaken_now: DFF<Bit>,
    expired_now: DFF<Bit>,
    held_now: DFF<Bit>,
    here: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    remains: Signal<Local, Bit>,
    before: Signal<Local, Bit>,
    one: Constant<Bits<TX_WAIT_BITS>>,
}

impl Default for TreeWait {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            came: Default::default(),
            limit: Default::default(),
            limit_is_none: Default::default(),
            limit_is_one: Default::default(),
            taken: Default::default(),
            hold: Default::default(),
            closed: Default::default(),
            stays: Default::default(),
            advanced: Default::default(),
            overtaken: Default::default(),
            expired: Default::default(),
            held_back: Default::default(),
            waits: Default::default(),
            left: Default::default(),
            last: Default::default(),
            met_closed: Default::default(),
            advanced_now: Default::default(),
            overtaken_now: Default::default(),
            expired_now: Default::default(),
            held_now: Default::default(),
            here: Default::default(),
            ends: Default::default(),
            remains: Default::default(),
            before: Default::default(),
            one: Constant::new(1.into()),
        }
    }
}

impl Logic for TreeWait {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            waits,
            left,
            last,
            met_closed,
            advanced_now,
            overtaken_now,
            expired_now,
            held_now
        );
        self.here.next = self.came.val() | self.waits.q.val();
        self.ends.next = self.last.q.val();
        self.before.next = self.met_closed.q.val();
        self.left.d.next = self.left.q.val() - self.one.val();
        self.last.d.next = self.left.q.val() == self.one.val();
        if self.came.val() {
            self.ends.next = self.limit_is_none.val();
            self.before.next = false;
            self.left.d.next = self.limit.val() - self.one.val();
            self.last.d.next = self.limit_is_one.val();
        }
        self.stays.next = self.waits.q.val() & !self.last.q.val() & !self.came.val();
        self.remains.next = self.here.val() & !self.taken.val() & !self.hold.val();
        self.waits.d.next = self.remains.val() & !self.ends.val();
        self.met_closed.d.next = self.before.val() | self.closed.val();
        self.advanced_now.d.next = self.remains.val() & self.closed.val() & !self.before.val();
        self.overtaken_now.d.next = self.came.val() & self.waits.q.val();
        self.expired_now.d.next = self.remains.val() & self.ends.val();
        self.held_now.d.next = self.here.val() & self.hold.val();
        if self.clear.val() {
            self.waits.d.next = false;
            self.advanced_now.d.next = false;
            self.overtaken_now.d.next = false;
            self.expired_now.d.next = false;
            self.held_now.d.next = false;
        }
        self.advanced.next = self.advanced_now.q.val();
        self.overtaken.next = self.overtaken_now.q.val();
        self.expired.next = self.expired_now.q.val();
        self.held_back.next = self.held_now.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("tree_wait", &[])
    }
}

drive_ports!(impl[] TreeWait {
    clock, clear, came, limit, limit_is_none, limit_is_one, taken, hold, closed, stays, advanced, overtaken, expired, held_back,
});
