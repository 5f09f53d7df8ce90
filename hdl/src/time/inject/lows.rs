//! The Low that is offered.

use super::{TreeWait, RUNNING_BITS, STORED_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::{master_time_low, TX_WAIT_BITS, VALUE_BITS};

/// Chooses among the Lows that have just come and the stored one of the lowest tree (chapter 20, 4.5 rules 1 to 3).
///
/// A Low is stored in the clock in which it came, and read in the one before it is offered again, unless a beat is taken in that.
/// Indices are those of the rings, clockwise first. `clear` forgets all Lows.
#[derive(LogicBlock)]
pub struct InjectLows {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// By tree: a Low has come.
    pub came: [Signal<In, Bits<4>>; 2],
    /// Its value in this clock, 1/16 ns.
    pub value: [Signal<In, Bits<VALUE_BITS>>; 2],
    /// Its era.
    pub era: [Signal<In, Bits<2>>; 2],
    /// The stored Low of `read_tree`, see [`STORED_BITS`].
    pub stored: [Signal<In, Bits<STORED_BITS>>; 2],
    /// Added to it, see [`super::RunningWait`].
    pub total: Signal<In, Bits<RUNNING_BITS>>,
    /// TX_WAIT_MAX.
    pub limit: Signal<In, Bits<TX_WAIT_BITS>>,
    /// EPOCH_HOLD.
    pub hold: Signal<In, Bit>,
    /// The link is closed and Lows wait for it.
    pub closed: Signal<In, Bit>,
    /// A beat is taken in this clock.
    pub taken: Signal<In, Bit>,
    /// A Low will be here in the next clock, unless a beat is taken or `hold` removes it.
    pub stays: Signal<Out, Bit>,
    /// Its tree, the lowest; its stored Low is read.
    pub read_tree: Signal<Out, Bits<2>>,
    /// A Low is offered.
    pub offered: Signal<Out, Bit>,
    /// It was read in the clock before.
    pub is_late: Signal<Out, Bit>,
    /// Its payload.
    pub payload: Signal<Out, Bits<48>>,
    /// Event by tree: ADVANCED.
    pub advanced: Signal<Out, Bits<4>>,
    /// Event by tree: replaced by a newer one.
    pub overtaken: Signal<Out, Bits<4>>,
    /// Event by tree: waited too long.
    pub expired: Signal<Out, Bits<4>>,
    /// Event by tree: removed by `hold`.
    pub held_back: Signal<Out, Bits<4>>,
    wait: [TreeWait; 4],
    limit_now: DFF<Bits<TX_WAIT_BITS>>,
    limit_is_none: DFF<Bit>,
    limit_is_one: DFF<Bit>,
    /// By tree: its stored Low is in `read`.
    late: DFF<Bits<4>>,
    read: DFF<Bits<STORED_BITS>>,
    /// By tree: ring its stored Low came on.
    ring: DFF<Bits<4>>,
    any_came: Signal<Local, Bits<4>>,
    choice: Signal<Local, Bits<4>>,
    goes: Signal<Local, Bit>,
    /// By tree: one of this or a lower tree has come.
    lower: Signal<Local, Bits<4>>,
    late_goes: Signal<Local, Bit>,
    first: Signal<Local, Bits<2>>,
    now: Signal<Local, Bits<VALUE_BITS>>,
    now_era: Signal<Local, Bits<2>>,
    staying: Signal<Local, Bits<4>>,
    following: Signal<Local, Bits<2>>,
    next_late: Signal<Local, Bits<4>>,
    word: Signal<Local, Bits<STORED_BITS>>,
    sum: Signal<Local, Bits<RUNNING_BITS>>,
    nobody: Constant<Bits<4>>,
    single: Constant<Bits<TX_WAIT_BITS>>,
    number: [Constant<Bits<2>>; 4],
}

impl Default for InjectLows {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            came: Default::default(),
            value: Default::default(),
            era: Default::default(),
            stored: Default::default(),
            total: Default::default(),
            limit: Default::default(),
            hold: Default::default(),
            closed: Default::default(),
            taken: Default::default(),
            stays: Default::default(),
            read_tree: Default::default(),
            offered: Default::default(),
            is_late: Default::default(),
            payload: Default::default(),
            advanced: Default::default(),
            overtaken: Default::default(),
            expired: Default::default(),
            held_back: Default::default(),
            wait: Default::default(),
            limit_now: Default::default(),
            limit_is_none: Default::default(),
            limit_is_one: Default::default(),
            late: Default::default(),
            read: Default::default(),
            ring: Default::default(),
            any_came: Default::default(),
            choice: Default::default(),
            goes: Default::default(),
            lower: Default::default(),
            late_goes: Default::default(),
            first: Default::default(),
            now: Default::default(),
            now_era: Default::default(),
            staying: Default::default(),
            following: Default::default(),
            next_late: Default::default(),
            word: Default::default(),
            sum: Default::default(),
            nobody: Constant::new(0.into()),
            single: Constant::new(1.into()),
            number: std::array::from_fn(|tree| Constant::new((tree as u64).into())),
        }
    }
}

impl Logic for InjectLows {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, late, read, ring, limit_now, limit_is_none, limit_is_one);

        // The Low of this clock: the lowest tree of those that came and the one that was read.
        self.any_came.next = self.came[0].val() | self.came[1].val();
        self.choice.next = self.any_came.val() | self.late.q.val();
        self.goes.next = self.choice.val().any() & !self.hold.val();
        self.first.next = self.number[3].val();
        for i in 0..3 {
            if self.choice.val().get_bit(2 - i) {
                self.first.next = self.number[2 - i].val();
            }
        }
        self.word.next = self.read.q.val();
        self.sum.next = self.word.val().get_bits::<RUNNING_BITS>(0) + self.total.val();
        self.now.next = self.sum.val().get_bits::<VALUE_BITS>(16);
        self.now_era.next = self.word.val().get_bits::<2>(60);
        // The one that was read goes unless one of its tree or a lower one has come.
        self.lower.next = self.any_came.val();
        for i in 1..4 {
            self.lower.next = self
                .lower
                .val()
                .replace_bit(i, self.lower.val().get_bit(i - 1) | self.any_came.val().get_bit(i));
        }
        self.late_goes.next = (self.late.q.val() & !self.lower.val()).any();
        self.is_late.next = self.late_goes.val();
        if !self.late_goes.val() {
            self.now.next = self.value[0].val();
            self.now_era.next = self.era[0].val();
            if self.came[1].val().get_bit(self.first.val().index()) {
                self.now.next = self.value[1].val();
                self.now_era.next = self.era[1].val();
            }
        }
        self.offered.next = self.goes.val();
        self.payload.next = bit_cast::<48, 40>(self.now.val().get_bits::<40>(4))
            | (bit_cast::<48, 2>(self.first.val()) << 40)
            | (bit_cast::<48, 2>(self.now_era.val()) << 42)
            | (bit_cast::<48, 4>(self.now.val().get_bits::<4>(0)) << 44);

        // What stays.
        self.limit_now.d.next = self.limit.val();
        self.limit_is_none.d.next = !self.limit.val().any();
        self.limit_is_one.d.next = self.limit.val() == self.single.val();
        self.staying.next = self.nobody.val();
        self.advanced.next = self.nobody.val();
        self.overtaken.next = self.nobody.val();
        self.expired.next = self.nobody.val();
        self.held_back.next = self.nobody.val();
        for i in 0..4 {
            self.wait[i].clock.next = self.clock.val();
            self.wait[i].clear.next = self.clear.val();
            self.wait[i].came.next = self.any_came.val().get_bit(i);
            self.wait[i].limit.next = self.limit_now.q.val();
            self.wait[i].limit_is_none.next = self.limit_is_none.q.val();
            self.wait[i].limit_is_one.next = self.limit_is_one.q.val();
            self.wait[i].taken.next =
                self.taken.val() & self.goes.val() & (self.first.val() == self.number[i].val());
            self.wait[i].hold.next = self.hold.val();
            self.wait[i].closed.next = self.closed.val();
            self.staying.next = self.staying.val().replace_bit(i, self.wait[i].stays.val());
            self.advanced.next = self.advanced.val().replace_bit(i, self.wait[i].advanced.val());
            self.overtaken.next = self.overtaken.val().replace_bit(i, self.wait[i].overtaken.val());
            self.expired.next = self.expired.val().replace_bit(i, self.wait[i].expired.val());
            self.held_back.next = self.held_back.val().replace_bit(i, self.wait[i].held_back.val());
        }

        // The Low that is read for the next clock.
        self.following.next = self.number[3].val();
        self.next_late.next = self.nobody.val().replace_bit(3, self.staying.val().get_bit(3));
        for i in 0..3 {
            if self.staying.val().get_bit(2 - i) {
                self.following.next = self.number[2 - i].val();
                self.next_late.next = self.nobody.val().replace_bit(2 - i, true);
            }
        }
        self.late.d.next = self.next_late.val();
        if self.taken.val() | self.hold.val() | self.clear.val() {
            self.late.d.next = self.nobody.val();
        }
        self.ring.d.next = (self.ring.q.val() & !self.came[0].val()) | self.came[1].val();
        self.stays.next = self.staying.val().any();
        self.read_tree.next = self.following.val();
        self.read.d.next = self.stored[0].val();
        if self.ring.q.val().get_bit(self.following.val().index()) {
            self.read.d.next = self.stored[1].val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("inject_lows", &[])
    }
}

drive_ports!(impl[] InjectLows {
    clock, clear, came, value, era, stored, total, limit, hold, closed, taken, stays, read_tree, offered, is_late, payload,
    advanced, overtaken, expired, held_back,
});

const _: () = assert!(
    master_time_low::tree::LOW == 40 && master_time_low::era::LOW == 42 && master_time_low::frac::LOW == 44
);
const _: () = assert!(RUNNING_BITS == 60 && VALUE_BITS == 44);
