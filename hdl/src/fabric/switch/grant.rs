//! Who has one lane of one output.

use super::account::CREDIT_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Gives a lane of an output to one of `Q` inputs, in turn, for a packet at a time.
#[derive(LogicBlock)]
pub struct SwitchGrant<const Q: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Nobody has it.
    pub clear: Signal<In, Bit>,
    /// The link is up; while it is down nobody has it.
    pub up: Signal<In, Bit>,
    /// Inputs that ask.
    pub requests: Signal<In, Bits<Q>>,
    /// The packet's last beat goes.
    pub done: Signal<In, Bit>,
    /// Its input gives up: a TailBad has to go.
    pub gives_up: Signal<In, Bit>,
    /// The TailBad goes.
    pub ended: Signal<In, Bit>,
    /// The input that has it.
    pub owner: Signal<Out, Bits<Q>>,
    /// Nobody has it.
    pub free: Signal<Out, Bit>,
    /// A TailBad has to go.
    pub ending: Signal<Out, Bit>,

    owners: DFF<Bits<Q>>,
    is_ending: DFF<Bit>,
    /// Bit k: an input below k had it last.
    behind: DFF<Bits<Q>>,
    is_free: Signal<Local, Bit>,
    turn: Signal<Local, Bits<Q>>,
    chosen: Signal<Local, Bits<Q>>,
    passed: Signal<Local, Bit>,
    above: Signal<Local, Bits<Q>>,
    nothing: Constant<Bits<Q>>,
    /// Inputs below i, and all but i.
    lower: Vec<Constant<Bits<Q>>>,
    others: Vec<Constant<Bits<Q>>>,
}

impl<const Q: usize> Default for SwitchGrant<Q> {
    fn default() -> Self {
        let set = |member: &dyn Fn(usize) -> bool| {
            (0..Q).fold(Bits::<Q>::default(), |bits, input| bits.replace_bit(input, member(input)))
        };
        Self {
            clock: Default::default(),
            clear: Default::default(),
            up: Default::default(),
            requests: Default::default(),
            done: Default::default(),
            gives_up: Default::default(),
            ended: Default::default(),
            owner: Default::default(),
            free: Default::default(),
            ending: Default::default(),
            owners: Default::default(),
            is_ending: Default::default(),
            behind: Default::default(),
            is_free: Default::default(),
            turn: Default::default(),
            chosen: Default::default(),
            passed: Default::default(),
            above: Default::default(),
            nothing: Constant::new(Bits::default()),
            lower: (0..Q).map(|input| Constant::new(set(&|other| other < input))).collect(),
            others: (0..Q).map(|input| Constant::new(set(&|other| other != input))).collect(),
        }
    }
}

impl<const Q: usize> Logic for SwitchGrant<Q> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, owners, is_ending, behind);
        self.is_free.next = !self.owners.q.val().any() & !self.is_ending.q.val();

        // The first that asks, beginning behind the last that had it, and around.
        self.chosen.next = 0.into();
        for i in 0..Q {
            self.turn.next = self.behind.q.val() | self.lower[i].val();
            if self.behind.q.val().get_bit(i) {
                self.turn.next = self.behind.q.val() & self.lower[i].val();
            }
            self.turn.next = self.turn.val() & self.others[i].val();
            self.chosen.next = self.chosen.val().replace_bit(
                i,
                self.requests.val().get_bit(i) & !(self.requests.val() & self.turn.val()).any(),
            );
        }
        if self.is_free.val() & self.up.val() {
            self.owners.d.next = self.chosen.val();
        }
        // The turn is known a clock behind the grant, before the packet's end can be.
        self.above.next = 0.into();
        self.passed.next = false;
        for i in 0..Q {
            self.above.next = self.above.val().replace_bit(i, self.passed.val());
            self.passed.next = self.passed.val() | self.owners.q.val().get_bit(i);
        }
        if self.passed.val() {
            self.behind.d.next = self.above.val();
        }
        if self.done.val() {
            self.owners.d.next = self.nothing.val();
        }
        if self.gives_up.val() {
            self.owners.d.next = self.nothing.val();
            self.is_ending.d.next = true;
        }
        if self.ended.val() {
            self.is_ending.d.next = false;
        }
        if self.clear.val() | !self.up.val() {
            self.owners.d.next = self.nothing.val();
            self.is_ending.d.next = false;
        }
        self.owner.next = self.owners.q.val();
        self.free.next = self.is_free.val();
        self.ending.next = self.is_ending.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("switch_grant", &[("ports", Q.to_string())])
    }
}

drive_ports!(impl[const Q: usize] SwitchGrant<Q> {
    clock, clear, up, requests, done, gives_up, ended, owner, free, ending,
});

/// AU that a lane of an output has for sure: those of beats that are on their way to the link, and not counted yet, are taken
/// off by a margin until they have left.
#[derive(LogicBlock)]
pub struct SwitchUsable {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// AU there are; a beat counts at most 3 clocks after it has gone.
    pub credit: Signal<In, Bits<CREDIT_BITS>>,
    /// A beat of the lane waits for the interleaver.
    pub waits: Signal<In, Bit>,
    /// The link takes a beat, or has taken the last.
    pub moves: Signal<In, Bit>,
    /// AU for a new packet.
    pub usable: Signal<Out, Bits<CREDIT_BITS>>,
    quiet: DFF<Bits<4>>,
    settled: DFF<Bit>,
    sum: DFF<Bits<CREDIT_BITS>>,
    less: Signal<Local, Bits<CREDIT_BITS>>,
    one: Constant<Bits<4>>,
    margin: Constant<Bits<CREDIT_BITS>>,
}

/// AU of the most beats of a lane that can be on their way uncounted: no more than one each.
pub const MARGIN_UNITS: u64 = 12;

impl Default for SwitchUsable {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            credit: Default::default(),
            waits: Default::default(),
            moves: Default::default(),
            usable: Default::default(),
            quiet: Default::default(),
            settled: Default::default(),
            sum: Default::default(),
            less: Default::default(),
            one: Constant::new(1.into()),
            margin: Constant::new(MARGIN_UNITS.into()),
        }
    }
}

impl Logic for SwitchUsable {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, quiet, settled, sum);
        // Eight clocks of the link without a beat of the lane.
        if self.moves.val() & !self.quiet.q.val().get_bit(3) {
            self.quiet.d.next = self.quiet.q.val() + self.one.val();
        }
        if self.waits.val() {
            self.quiet.d.next = 0.into();
        }
        self.settled.d.next = self.quiet.q.val().get_bit(3) & !self.waits.val();
        self.less.next = self.credit.val() - self.margin.val();
        if self.credit.val() < self.margin.val() {
            self.less.next = 0.into();
        }
        self.sum.d.next = self.less.val();
        if self.settled.q.val() & !self.waits.val() {
            self.sum.d.next = self.credit.val();
        }
        self.usable.next = self.sum.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("switch_usable", &[])
    }
}

drive_ports!(impl[] SwitchUsable { clock, credit, waits, moves, usable });
