//! When the bond is up, and who goes Down with whom.

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::link::LinkState;

/// Bits of a port's state.
pub const STATE_BITS: usize = flitforge_protocol::link_registers::status::state::WIDTH;

/// Bits of the clocks that a bond stays Down behind its last port: a port that goes Down still gives the LTP that it had accepted, 16 beats
/// at most, and comes to Init no sooner than after two dozen training sets.
const SETTLE_BITS: usize = 6;

/// The state of `B` ports as one; see the [module](super). All outputs are registers, 2 clocks behind the states.
#[derive(LogicBlock)]
pub struct BondControl<const B: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Down.
    pub clear: Signal<In, Bit>,
    /// State of each port (STATUS).
    pub state: [Signal<In, Bits<STATE_BITS>>; B],
    /// A port starts its numbers at 0.
    pub restarted: [Signal<In, Bit>; B],
    /// Every port knows its place.
    pub ordered: Signal<In, Bit>,
    /// A share was lost.
    pub overflow: Signal<In, Bit>,
    /// Wide beats are taken.
    pub up: Signal<Out, Bit>,
    /// What is on its way is forgotten.
    pub restart: Signal<Out, Bit>,
    /// To each port: go Down and begin afresh.
    pub renew: Signal<Out, Bits<B>>,
    is_down: [DFF<Bit>; B],
    is_active: [DFF<Bit>; B],
    /// The port has been Active since the bond began.
    was_active: [DFF<Bit>; B],
    /// It starts afresh all the same.
    broke: [DFF<Bit>; B],
    /// The port was in Init or beyond since the bond began.
    begun: [DFF<Bit>; B],
    /// The port has been Down since the bond began to fall.
    seen: [DFF<Bit>; B],
    falling: DFF<Bit>,
    /// Clocks since all of them have been Down.
    waited: DFF<Bits<SETTLE_BITS>>,
    is_up: DFF<Bit>,
    fell: Signal<Local, Bits<B>>,
    active: Signal<Local, Bits<B>>,
    down: Signal<Local, Bits<B>>,
    falls: Signal<Local, Bit>,
    settles: Signal<Local, Bit>,
    over: Signal<Local, Bit>,
    renewed: Signal<Local, Bits<B>>,
    state_down: Constant<Bits<STATE_BITS>>,
    state_init: Constant<Bits<STATE_BITS>>,
    state_active: Constant<Bits<STATE_BITS>>,
    state_degraded: Constant<Bits<STATE_BITS>>,
}

impl<const B: usize> Default for BondControl<B> {
    fn default() -> Self {
        let state = |state: LinkState| Constant::new(u64::from(state.code()).into());
        Self {
            clock: Default::default(),
            clear: Default::default(),
            state: defaults(),
            restarted: defaults(),
            ordered: Default::default(),
            overflow: Default::default(),
            up: Default::default(),
            restart: Default::default(),
            renew: Default::default(),
            is_down: defaults(),
            is_active: defaults(),
            was_active: defaults(),
            broke: defaults(),
            begun: defaults(),
            seen: defaults(),
            falling: Default::default(),
            waited: Default::default(),
            is_up: Default::default(),
            fell: Default::default(),
            active: Default::default(),
            down: Default::default(),
            falls: Default::default(),
            settles: Default::default(),
            over: Default::default(),
            renewed: Default::default(),
            state_down: state(LinkState::Down),
            state_init: state(LinkState::Init),
            state_active: state(LinkState::Active),
            state_degraded: state(LinkState::Degraded),
        }
    }
}

impl<const B: usize> Logic for BondControl<B> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, falling, waited, is_up);
        self.fell.next = 0.into();
        self.active.next = 0.into();
        self.down.next = 0.into();
        self.renewed.next = 0.into();
        for i in 0..B {
            self.is_down[i].clock.next = self.clock.val();
            self.is_active[i].clock.next = self.clock.val();
            self.was_active[i].clock.next = self.clock.val();
            self.broke[i].clock.next = self.clock.val();
            self.begun[i].clock.next = self.clock.val();
            self.seen[i].clock.next = self.clock.val();
            self.is_down[i].d.next = self.state[i].val() == self.state_down.val();
            self.is_active[i].d.next = (self.state[i].val() == self.state_active.val())
                | (self.state[i].val() == self.state_degraded.val());
            self.begun[i].d.next = (self.begun[i].q.val() | (self.state[i].val() >= self.state_init.val()))
                & !self.falling.q.val();
            self.seen[i].d.next = self.falling.q.val() & (self.seen[i].q.val() | self.is_down[i].q.val());
            self.active.next = self.active.val().replace_bit(i, self.is_active[i].q.val());
            self.down.next = self.down.val().replace_bit(i, self.seen[i].q.val() | self.is_down[i].q.val());
            self.was_active[i].d.next =
                (self.was_active[i].q.val() | self.is_active[i].q.val()) & !self.falling.q.val();
            self.broke[i].d.next =
                (self.was_active[i].q.val() & self.restarted[i].val()) & !self.falling.q.val();
            self.fell.next = self
                .fell
                .val()
                .replace_bit(i, (self.begun[i].q.val() & self.is_down[i].q.val()) | self.broke[i].q.val());
            self.renewed.next =
                self.renewed.val().replace_bit(i, self.falling.q.val() & !self.seen[i].q.val());
        }
        self.falls.next = self.fell.val().any() | self.overflow.val() | self.clear.val();
        self.settles.next = self.falling.q.val() & self.down.val().all();
        self.waited.d.next = 0.into();
        if self.settles.val() {
            self.waited.d.next = self.waited.q.val() + 1;
        }
        self.over.next = (self.settles.val() & self.waited.q.val().all()) & !self.clear.val();

        self.is_up.d.next =
            (self.is_up.q.val() | (self.active.val().all() & self.ordered.val())) & !self.falling.q.val();
        if self.over.val() {
            self.falling.d.next = false;
        }
        if self.falls.val() {
            self.falling.d.next = true;
            self.is_up.d.next = false;
        }
        self.up.next = self.is_up.q.val();
        self.restart.next = self.falling.q.val();
        self.renew.next = self.renewed.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("bond_control", &[("links", B.to_string())])
    }
}

drive_ports!(impl[const B: usize] BondControl<B> {
    clock, clear, state, restarted, ordered, overflow, up, restart, renew,
});
