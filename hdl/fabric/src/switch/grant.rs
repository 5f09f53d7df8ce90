//! Who has one lane of one output.

use super::occupancy::CREDIT_BITS;
use flitforge_hdl_prim::prelude::*;

/// Gives a lane of an output to one of `Q` inputs, in turn, for a packet at a time.
#[block("switch_grant", ports = Q)]
pub struct SwitchGrant<const Q: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Nobody has it.
    clear: In<Bit>,
    /// The link is up; while it is down nobody has it.
    up: In<Bit>,
    /// Inputs that ask.
    requests: In<Bits<Q>>,
    /// The packet's last beat goes.
    done: In<Bit>,
    /// Its input gives up: a TailBad has to go.
    gives_up: In<Bit>,
    /// The TailBad goes.
    ended: In<Bit>,
    /// The input that has it.
    owner: Out<Bits<Q>>,
    /// Nobody has it.
    free: Out<Bit>,
    /// A TailBad has to go.
    ending: Out<Bit>,

    owners: Reg<Bits<Q>>,
    is_ending: Reg<Bit>,
    /// Bit k: an input below k had it last.
    after_last: Reg<Bits<Q>>,
    is_free: Local<Bit>,
    turn: Local<Bits<Q>>,
    chosen: Local<Bits<Q>>,
    passed: Local<Bit>,
    #[init(0)]
    nothing: Constant<Bits<Q>>,
    /// Inputs below i, and all but i.
    #[init((0..Q).map(|input| Constant::new(bits_where(|other| other < input))).collect())]
    lower: Vec<Constant<Bits<Q>>>,
    #[init((0..Q).map(|input| Constant::new(bits_where(|other| other != input))).collect())]
    others: Vec<Constant<Bits<Q>>>,
}

#[logic]
impl<const Q: usize> SwitchGrant<Q> {
    fn update(&mut self) {
        is_free = !owners.any() & !is_ending;

        // The first that asks, beginning after the last that had it, and around.
        chosen = 0;
        for i in 0..Q {
            turn = after_last | lower[i];
            if after_last[i] {
                turn = after_last & lower[i];
            }
            turn = turn & others[i];
            chosen = chosen.with(i, requests[i] & !(requests & turn).any());
        }
        if is_free & up {
            owners = chosen;
        }
        // The turn is known a clock after the grant, before the packet's end can be.
        let mut above: Bits<Q> = 0;
        passed = false;
        for i in 0..Q {
            above = above.with(i, passed);
            passed = passed | owners[i];
        }
        if passed {
            after_last = above;
        }
        if done {
            owners = nothing;
        }
        if gives_up {
            owners = nothing;
            is_ending = true;
        }
        if ended {
            is_ending = false;
        }
        if clear | !up {
            owners = nothing;
            is_ending = false;
        }
        owner = owners;
        free = is_free;
        ending = is_ending;
    }
}

/// AU that a lane of an output has for sure: those of beats that are on their way to the link, and not counted yet, are taken
/// off by a margin until they have left.
#[block("switch_usable")]
pub struct SwitchUsable {
    /// Rising edge counts.
    clock: In<Clock>,
    /// AU there are; a beat counts at most 3 clocks after it has gone.
    credit: In<Bits<CREDIT_BITS>>,
    /// A beat of the lane waits for the interleaver.
    waits: In<Bit>,
    /// The link takes a beat, or has taken the last.
    moves: In<Bit>,
    /// AU for a new packet.
    usable: Out<Bits<CREDIT_BITS>>,
    quiet: Reg<Bits<4>>,
    settled: Reg<Bit>,
    sum: Reg<Bits<CREDIT_BITS>>,
    #[init(1)]
    one: Constant<Bits<4>>,
    #[init(MARGIN_UNITS)]
    margin: Constant<Bits<CREDIT_BITS>>,
}

/// AU of the most beats of a lane that can be on their way uncounted: no more than one each.
pub const MARGIN_UNITS: u64 = 12;

#[logic]
impl SwitchUsable {
    fn update(&mut self) {
        // Eight clocks of the link without a beat of the lane.
        if moves & !quiet[3] {
            quiet = quiet + one;
        }
        if waits {
            quiet = 0;
        }
        settled = quiet[3] & !waits;
        let mut less = credit - margin;
        if credit < margin {
            less = 0;
        }
        sum = less;
        if settled & !waits {
            sum = credit;
        }
        usable = sum;
    }
}
