//! Which lanes get credits back next.

use super::gain::CODE_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Chooses among `N` lanes that are due: all of them for a CrdtRet, or one in turn for a sideband message; then leads the search for their codes
/// through the credit table. Thirteen clocks from one to the next.
#[derive(LogicBlock)]
pub struct CreditReturns<const N: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// No search, lane 0 has the turn.
    pub clear: Signal<In, Bit>,
    /// Returns go by sideband, and by CrdtRet if more than two lanes are due.
    pub sideband: Signal<In, Bit>,
    /// Lanes that are due.
    pub due: Signal<In, Bits<N>>,
    /// A CrdtRet has room.
    pub flit_free: Signal<In, Bit>,
    /// A message has room.
    pub message_free: Signal<In, Bit>,
    /// A search begins.
    pub begins: Signal<Out, Bit>,
    /// For these lanes.
    pub chosen: Signal<Out, Bits<N>>,
    /// Entry of the table that is read, 0: none.
    pub code: Signal<Out, Bits<CODE_BITS>>,
    /// The search is over.
    pub ends: Signal<Out, Bit>,
    /// It counts in all registers from the next clock on.
    pub settles: Signal<Out, Bit>,
    /// It was for a message.
    pub by_message: Signal<Out, Bit>,
    /// The lane of the message.
    pub lane: Signal<Out, Bits<N>>,

    entry: DFF<Bits<CODE_BITS>>,
    last: DFF<Bit>,
    over: DFF<Bit>,
    /// Clocks behind a search until `due` is of now: bit 0 first.
    rests: DFF<Bits<3>>,
    is_message: DFF<Bit>,
    message_lane: DFF<Bits<N>>,
    /// Lanes whose turn comes before lane 0's.
    later: DFF<Bits<N>>,

    one: Signal<Local, Bit>,
    two: Signal<Local, Bit>,
    three: Signal<Local, Bit>,
    waiting: Signal<Local, Bits<N>>,
    first: Signal<Local, Bits<N>>,
    behind: Signal<Local, Bits<N>>,
    seen: Signal<Local, Bit>,
    message: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    next_entry: Constant<Bits<CODE_BITS>>,
}

impl<const N: usize> Default for CreditReturns<N> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            sideband: Default::default(),
            due: Default::default(),
            flit_free: Default::default(),
            message_free: Default::default(),
            begins: Default::default(),
            chosen: Default::default(),
            code: Default::default(),
            ends: Default::default(),
            settles: Default::default(),
            by_message: Default::default(),
            lane: Default::default(),
            entry: Default::default(),
            last: Default::default(),
            over: Default::default(),
            rests: Default::default(),
            is_message: Default::default(),
            message_lane: Default::default(),
            later: Default::default(),
            one: Default::default(),
            two: Default::default(),
            three: Default::default(),
            waiting: Default::default(),
            first: Default::default(),
            behind: Default::default(),
            seen: Default::default(),
            message: Default::default(),
            starts: Default::default(),
            next_entry: Constant::new(1.into()),
        }
    }
}

impl<const N: usize> Logic for CreditReturns<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, entry, last, over, rests, is_message, message_lane, later);
        // How many are due, up to three, and which has the turn.
        self.one.next = false;
        self.two.next = false;
        self.three.next = false;
        for v in 0..N {
            self.three.next = self.three.val() | (self.two.val() & self.due.val().get_bit(v));
            self.two.next = self.two.val() | (self.one.val() & self.due.val().get_bit(v));
            self.one.next = self.one.val() | self.due.val().get_bit(v);
        }
        self.waiting.next = self.due.val() & self.later.q.val();
        if !(self.due.val() & self.later.q.val()).any() {
            self.waiting.next = self.due.val();
        }
        self.seen.next = false;
        self.first.next = 0.into();
        self.behind.next = 0.into();
        for v in 0..N {
            self.first.next =
                self.first.val().replace_bit(v, self.waiting.val().get_bit(v) & !self.seen.val());
            self.behind.next = self.behind.val().replace_bit(v, self.seen.val());
            self.seen.next = self.seen.val() | self.waiting.val().get_bit(v);
        }

        // What is due as of the clock before is not changed by the search before that.
        self.message.next = self.sideband.val() & !self.three.val();
        self.starts.next = !self.entry.q.val().any()
            & !self.last.q.val()
            & !self.over.q.val()
            & !self.rests.q.val().any()
            & self.one.val()
            & ((self.message.val() & self.message_free.val()) | (!self.message.val() & self.flit_free.val()));
        self.begins.next = self.starts.val();
        self.chosen.next = self.due.val();
        if self.message.val() {
            self.chosen.next = self.first.val();
        }
        // An entry is read in one clock and looked at in the next.
        self.last.d.next = self.entry.q.val().all();
        self.over.d.next = self.last.q.val();
        self.rests.d.next = (self.rests.q.val() << 1) | bit_cast::<3, 1>(self.over.q.val().into());
        if self.entry.q.val().any() {
            self.entry.d.next = self.entry.q.val() + self.next_entry.val();
        }
        if self.starts.val() {
            self.entry.d.next = self.next_entry.val();
            self.is_message.d.next = self.message.val();
            self.message_lane.d.next = self.first.val();
            if self.message.val() {
                self.later.d.next = self.behind.val();
            }
        }
        if self.clear.val() {
            self.entry.d.next = 0.into();
            self.last.d.next = false;
            self.over.d.next = false;
            // The first look at the buffers comes as late as behind a search.
            self.rests.d.next = 2.into();
            self.later.d.next = 0.into();
        }
        self.code.next = self.entry.q.val();
        self.ends.next = self.over.q.val();
        self.settles.next = self.rests.q.val().get_bit(1);
        self.by_message.next = self.is_message.q.val();
        self.lane.next = self.message_lane.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("credit_returns", &[("lanes", N.to_string())])
    }
}

drive_ports!(impl[const N: usize] CreditReturns<N> {
    clock, clear, sideband, due, flit_free, message_free, begins, chosen, code, ends, settles, by_message, lane,
});
