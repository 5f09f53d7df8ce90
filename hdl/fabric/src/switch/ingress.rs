//! What stands between a link with its virtual lanes and the switch.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::link::LinkState;

/// Bits of a link's state.
const STATE_BITS: usize = flitforge_protocol::link_registers::status::state::WIDTH;
/// Bits that count the clocks of a link that is Down.
const QUIET_BITS: usize = 6;

/// Says when a link is up and when it has lost its state, and keeps from the switch what nobody has granted. `N` lanes, `W` bits of a
/// beat with what it is above it.
///
/// - `up` from Active on until Down or a start of the link; Retraining that is not fresh changes nothing.
/// - `lost` for one clock after a start of the link, and when it has been Down for 64 clocks: what was on its way has come in by then.
/// - A lane that got more than was granted, or a beat that the switch has no room for (`spilled`), stops the link's beats until its next start.
/// - AU that the switch releases are told three clocks later, when those beats that came last have been counted.
#[block("switch_ingress", lanes = N, width = W)]
pub struct SwitchIngress<const N: usize, const W: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear: the link is not up.
    clear: In<Bit>,
    /// State of the link, as STATUS has it.
    state: In<Bits<STATE_BITS>>,
    /// The link starts afresh.
    starts: In<Bit>,
    /// With its last clock.
    begins: In<Bit>,
    /// Lanes for which more came than was granted.
    overrun: In<Bits<N>>,
    /// Beats of the link.
    pub beats_in: FlowIn<Bits<W>>,
    /// Those for the switch, which has room for what was granted; a beat that it does not take is gone.
    pub beats_out: StreamOut<Bits<W>>,
    /// Event: it did not take one.
    spilled: Out<Bit>,
    /// AU that are free in the switch, by lane.
    freed: In<Bits<N>>,
    /// The same, for the credits.
    released: Out<Bits<N>>,
    /// The link is up.
    up: Out<Bit>,
    /// Pulse: it has lost its state.
    lost: Out<Bit>,

    stands: Reg<Bit>,
    quiet: Reg<Bits<QUIET_BITS>>,
    gone: Reg<Bit>,
    stop: Reg<Bit>,
    spills: Reg<Bit>,
    #[wire(d = _)]
    late: [Reg<Bits<N>>; 3],
    #[init(1)]
    one: Constant<Bits<QUIET_BITS>>,
    #[init((1u64 << QUIET_BITS) - 2)]
    last: Constant<Bits<QUIET_BITS>>,
    #[init(LinkState::Down)]
    down: Constant<Bits<STATE_BITS>>,
    #[init(LinkState::Polling)]
    polling: Constant<Bits<STATE_BITS>>,
    #[init(LinkState::Training)]
    training: Constant<Bits<STATE_BITS>>,
    #[init(LinkState::Active)]
    active: Constant<Bits<STATE_BITS>>,
    #[init(LinkState::Degraded)]
    degraded: Constant<Bits<STATE_BITS>>,
}

#[logic]
impl<const N: usize, const W: usize> SwitchIngress<N, W> {
    fn update(&mut self) {
        let is_up = (state == active) | (state == degraded);
        let is_down = (state == down) | (state == polling) | (state == training);
        if is_up {
            stands = true;
        }
        if is_down | starts {
            stands = false;
        }
        up = stands & !starts;

        // The last number stays: a link is lost once.
        if !quiet.all() {
            quiet = quiet + one;
        }
        if !is_down {
            quiet = 0;
        }
        gone = begins | (quiet == last);
        lost = gone;

        // Beats.
        let passes = beats_in.valid & !stop;
        let misses = passes & !beats_out.ready;
        beats_out = In { valid: passes, data: beats_in.data };
        spills = misses;
        spilled = spills;
        if misses | overrun.any() {
            stop = true;
        }
        if begins {
            stop = false;
        }

        // AU.
        late[0] = freed;
        late[1] = late[0];
        late[2] = late[1];
        released = late[2];

        if clear {
            stands = false;
            gone = false;
            stop = false;
            spills = false;
            late[0] = 0;
            late[1] = 0;
            late[2] = 0;
        }
    }
}
