//! When the bond is up, and who goes Down with whom.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::link::LinkState;

/// Bits of a port's state.
pub const STATE_BITS: usize = flitforge_protocol::link_registers::status::state::WIDTH;

/// Bits of the clocks that a bond stays Down after its last port: a port that goes Down still gives the LTP that it had accepted, 16 beats
/// at most, and comes to Init no sooner than after two dozen training sets.
const SETTLE_BITS: usize = 6;

/// The state of `B` ports as one; see the [module](super). All outputs are registers, 2 clocks after the states.
#[block("bond_control", links = B)]
pub struct BondControl<const B: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Down.
    clear: In<Bit>,
    /// State of each port (STATUS).
    state: [In<Bits<STATE_BITS>>; B],
    /// A port starts its numbers at 0.
    restarted: [In<Bit>; B],
    /// Every port knows its place.
    ordered: In<Bit>,
    /// A share was lost.
    overflow: In<Bit>,
    /// Wide beats are taken.
    up: Out<Bit>,
    /// What is on its way is forgotten.
    restart: Out<Bit>,
    /// To each port: go Down and begin afresh.
    renew: Out<Bits<B>>,
    #[wire(d = _)]
    is_down: [Reg<Bit>; B],
    #[wire(d = _)]
    is_active: [Reg<Bit>; B],
    /// The port has been Active since the bond began.
    #[wire(d = _)]
    was_active: [Reg<Bit>; B],
    /// It starts afresh all the same.
    #[wire(d = _)]
    broke: [Reg<Bit>; B],
    /// The port was in Init or beyond since the bond began.
    #[wire(d = _)]
    begun: [Reg<Bit>; B],
    /// The port has been Down since the bond began to fall.
    #[wire(d = _)]
    seen: [Reg<Bit>; B],
    falling: Reg<Bit>,
    /// Clocks since all of them have been Down.
    waited: Reg<Bits<SETTLE_BITS>>,
    is_up: Reg<Bit>,
    fell: Local<Bits<B>>,
    active: Local<Bits<B>>,
    down: Local<Bits<B>>,
    falls: Local<Bit>,
    settles: Local<Bit>,
    over: Local<Bit>,
    #[init(LinkState::Down)]
    state_down: Constant<Bits<STATE_BITS>>,
    #[init(LinkState::Init)]
    state_init: Constant<Bits<STATE_BITS>>,
    #[init(LinkState::Active)]
    state_active: Constant<Bits<STATE_BITS>>,
    #[init(LinkState::Degraded)]
    state_degraded: Constant<Bits<STATE_BITS>>,
}

#[logic]
impl<const B: usize> BondControl<B> {
    fn update(&mut self) {
        fell = 0;
        active = 0;
        down = 0;
        let mut renewed: Bits<B> = 0;
        for i in 0..B {
            is_down[i] = state[i] == state_down;
            is_active[i] = (state[i] == state_active) | (state[i] == state_degraded);
            begun[i] = (begun[i] | (state[i] >= state_init)) & !falling;
            seen[i] = falling & (seen[i] | is_down[i]);
            active = active.with(i, is_active[i]);
            down = down.with(i, seen[i] | is_down[i]);
            was_active[i] = (was_active[i] | is_active[i]) & !falling;
            broke[i] = (was_active[i] & restarted[i]) & !falling;
            fell = fell.with(i, (begun[i] & is_down[i]) | broke[i]);
            renewed = renewed.with(i, falling & !seen[i]);
        }
        falls = fell.any() | overflow | clear;
        settles = falling & down.all();
        waited = 0;
        if settles {
            waited = waited + 1;
        }
        over = (settles & waited.all()) & !clear;

        is_up = (is_up | (active.all() & ordered)) & !falling;
        if over {
            falling = false;
        }
        if falls {
            falling = true;
            is_up = false;
        }
        up = is_up;
        restart = falling;
        renew = renewed;
    }
}
