//! What stands between a link with its virtual lanes and the switch.

use crate::prim::stream::{FlowIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::link::LinkState;

/// Bits of a link's state.
const STATE_BITS: usize = flitforge_protocol::link_registers::status::state::WIDTH;
/// Bits that count the clocks of a link that is Down.
const QUIET_BITS: usize = 6;

/// Says when a link is up and when it has lost its state, and keeps from the switch what nobody has granted. `N` lanes, `W` bits of a
/// beat with what it is above it.
///
/// - `up` from Active on until Down or a start of the link; Retraining that is not fresh changes nothing.
/// - `lost` for one clock behind a start of the link, and when it has been Down for 64 clocks: what was on its way has come in by then.
/// - A lane that got more than was granted, or a beat that the switch has no room for (`spilled`), stops the link's beats until its next start.
/// - AU that the switch releases are told three clocks later, when those beats that came last have been counted.
#[derive(LogicBlock)]
pub struct SwitchDoor<const N: usize, const W: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear: the link is not up.
    pub clear: Signal<In, Bit>,
    /// State of the link, as STATUS has it.
    pub state: Signal<In, Bits<STATE_BITS>>,
    /// The link starts afresh.
    pub starts: Signal<In, Bit>,
    /// With its last clock.
    pub begins: Signal<In, Bit>,
    /// Lanes for which more came than was granted.
    pub overrun: Signal<In, Bits<N>>,
    /// Beats of the link.
    pub beats_in: FlowIn<Bits<W>>,
    /// Those for the switch, which has room for what was granted; a beat that it does not take is gone.
    pub beats_out: StreamOut<Bits<W>>,
    /// Event: it did not take one.
    pub spilled: Signal<Out, Bit>,
    /// AU that are free in the switch, by lane.
    pub freed: Signal<In, Bits<N>>,
    /// The same, for the credits.
    pub released: Signal<Out, Bits<N>>,
    /// The link is up.
    pub up: Signal<Out, Bit>,
    /// Pulse: it has lost its state.
    pub lost: Signal<Out, Bit>,

    stands: DFF<Bit>,
    quiet: DFF<Bits<QUIET_BITS>>,
    gone: DFF<Bit>,
    stop: DFF<Bit>,
    spills: DFF<Bit>,
    late: [DFF<Bits<N>>; 3],
    is_up: Signal<Local, Bit>,
    is_down: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    misses: Signal<Local, Bit>,
    one: Constant<Bits<QUIET_BITS>>,
    last: Constant<Bits<QUIET_BITS>>,
    down: Constant<Bits<STATE_BITS>>,
    polling: Constant<Bits<STATE_BITS>>,
    training: Constant<Bits<STATE_BITS>>,
    active: Constant<Bits<STATE_BITS>>,
    degraded: Constant<Bits<STATE_BITS>>,
}

impl<const N: usize, const W: usize> Default for SwitchDoor<N, W> {
    fn default() -> Self {
        let code = |state: LinkState| Constant::new(u64::from(state.code()).into());
        Self {
            clock: Default::default(),
            clear: Default::default(),
            state: Default::default(),
            starts: Default::default(),
            begins: Default::default(),
            overrun: Default::default(),
            beats_in: Default::default(),
            beats_out: Default::default(),
            spilled: Default::default(),
            freed: Default::default(),
            released: Default::default(),
            up: Default::default(),
            lost: Default::default(),
            stands: Default::default(),
            quiet: Default::default(),
            gone: Default::default(),
            stop: Default::default(),
            spills: Default::default(),
            late: Default::default(),
            is_up: Default::default(),
            is_down: Default::default(),
            passes: Default::default(),
            misses: Default::default(),
            one: Constant::new(1.into()),
            last: Constant::new(((1u64 << QUIET_BITS) - 2).into()),
            down: code(LinkState::Down),
            polling: code(LinkState::Polling),
            training: code(LinkState::Training),
            active: code(LinkState::Active),
            degraded: code(LinkState::Degraded),
        }
    }
}

impl<const N: usize, const W: usize> Logic for SwitchDoor<N, W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, stands, quiet, gone, stop, spills);
        self.is_up.next = (self.state.val() == self.active.val()) | (self.state.val() == self.degraded.val());
        self.is_down.next = (self.state.val() == self.down.val())
            | (self.state.val() == self.polling.val())
            | (self.state.val() == self.training.val());
        if self.is_up.val() {
            self.stands.d.next = true;
        }
        if self.is_down.val() | self.starts.val() {
            self.stands.d.next = false;
        }
        self.up.next = self.stands.q.val() & !self.starts.val();

        // The last number stays: a link is lost once.
        if !self.quiet.q.val().all() {
            self.quiet.d.next = self.quiet.q.val() + self.one.val();
        }
        if !self.is_down.val() {
            self.quiet.d.next = 0.into();
        }
        self.gone.d.next = self.begins.val() | (self.quiet.q.val() == self.last.val());
        self.lost.next = self.gone.q.val();

        // Beats.
        self.passes.next = self.beats_in.valid.val() & !self.stop.q.val();
        self.misses.next = self.passes.val() & !self.beats_out.ready.val();
        self.beats_out.valid.next = self.passes.val();
        self.beats_out.data.next = self.beats_in.data.val();
        self.spills.d.next = self.misses.val();
        self.spilled.next = self.spills.q.val();
        if self.misses.val() | self.overrun.val().any() {
            self.stop.d.next = true;
        }
        if self.begins.val() {
            self.stop.d.next = false;
        }

        // AU.
        for i in 0..3 {
            self.late[i].clock.next = self.clock.val();
        }
        self.late[0].d.next = self.freed.val();
        self.late[1].d.next = self.late[0].q.val();
        self.late[2].d.next = self.late[1].q.val();
        self.released.next = self.late[2].q.val();

        if self.clear.val() {
            self.stands.d.next = false;
            self.gone.d.next = false;
            self.stop.d.next = false;
            self.spills.d.next = false;
            self.late[0].d.next = 0.into();
            self.late[1].d.next = 0.into();
            self.late[2].d.next = 0.into();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("switch_door", &[("lanes", N.to_string()), ("width", W.to_string())])
    }
}

drive_ports!(impl[const N: usize, const W: usize] SwitchDoor<N, W> {
    clock, clear, state, starts, begins, overrun, beats_in, beats_out, spilled, freed, released, up, lost,
});
