//! What retries have cost, and what the next lane that is named is charged.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::degrade::{safe_ltps, PENDING_MAX, REQUEST_LTPS, SAFE_MAX};
use flitforge_protocol::lane_word::MAX_LANES;

/// Bits of what is pending.
const PENDING_BITS: usize = 8;
/// Bits of L times what is pending.
const COST_BITS: usize = PENDING_BITS + 2;
/// Bits of a charge.
pub const CHARGE_BITS: usize = 15;

/// SAFE settings.
const SAFE_CODES: usize = SAFE_MAX as usize + 1;

/// Where L times what is pending is more than SAFE asks for: L 1 to 4, each with every SAFE.
fn limit(place: usize) -> u64 {
    let (lanes, safe) = (place / SAFE_CODES + 1, place % SAFE_CODES);
    let limit = u64::from(safe_ltps(safe as u8)) / lanes as u64;
    limit.min(u64::from(PENDING_MAX))
}

const _: () = assert!(PENDING_MAX + 1 == 1 << PENDING_BITS, "it stays where the count ends");
const _: () = assert!(safe_ltps(7) < 1 << CHARGE_BITS);

/// Counts LTP times that retries cost; a verdict takes them.
#[block("degrade_charge")]
pub struct DegradeCharge {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Nothing is pending.
    clear: In<Bit>,
    /// An LTP time.
    ltp: In<Bit>,
    /// With `ltp`: the LTP was tossed.
    tossed: In<Bit>,
    /// With `ltp`: a lane in use is charged.
    verdict: In<Bit>,
    /// A RetryReq pair goes out; with `ltp` it counts before it.
    request: In<Bit>,
    /// Lanes in use, L.
    lanes: In<Bits<3>>,
    /// Register DEGRADE, SAFE.
    safe: In<Bits<3>>,
    /// The charge, from 2 clocks after `verdict` to the next.
    charge: Out<Bits<CHARGE_BITS>>,

    pending: Reg<Bits<PENDING_BITS>>,
    taken: Reg<Bits<PENDING_BITS>>,
    due: Reg<Bits<CHARGE_BITS>>,
    least: Reg<Bits<CHARGE_BITS>>,
    /// L, one clock ago.
    count: Reg<Bits<3>>,
    /// More than so many LTP times cost more than `least`.
    limit: Reg<Bits<PENDING_BITS>>,
    more: Local<Bits<9>>,
    sum: Local<Bits<9>>,
    sum_with: Local<Bits<9>>,
    total: Local<Bits<PENDING_BITS>>,
    cost: Local<Bits<COST_BITS>>,
    #[init(|code| code)]
    safe_codes: [Constant<Bits<3>>; SAFE_CODES],
    #[init(|code| u64::from(safe_ltps(code as u8)).into())]
    least_charges: [Constant<Bits<CHARGE_BITS>>; SAFE_CODES],
    #[init(|place| limit(place).into())]
    limits: [Constant<Bits<PENDING_BITS>>; SAFE_CODES * MAX_LANES],
    #[init(u64::from(REQUEST_LTPS).into())]
    for_request: Constant<Bits<9>>,
    #[init((u64::from(REQUEST_LTPS) + 1).into())]
    for_both: Constant<Bits<9>>,
    #[init(1)]
    one: Constant<Bits<9>>,
    #[init(u64::from(PENDING_MAX).into())]
    most: Constant<Bits<PENDING_BITS>>,
}

#[logic]
impl DegradeCharge {
    fn update(&mut self) {
        // With an LTP and without one at once: whether one counts is known late.
        more = 0;
        if request {
            more = for_request;
        }
        sum = bit_cast::<9, PENDING_BITS>(pending) + more;
        if tossed {
            more = one;
            if request {
                more = for_both;
            }
        }
        sum_with = bit_cast::<9, PENDING_BITS>(pending) + more;
        total = sum.bits::<PENDING_BITS>(0);
        if sum[8] {
            total = most;
        }
        if ltp {
            total = sum_with.bits::<PENDING_BITS>(0);
            if sum_with[8] {
                total = most;
            }
        }
        pending = total;
        if ltp & verdict {
            pending = 0;
            taken = total;
        }

        // L times that, SAFE at least: which of them is known before the product.
        count = lanes;
        let single = bit_cast::<COST_BITS, PENDING_BITS>(taken);
        let double = bit_cast::<COST_BITS, PENDING_BITS>(taken) << 1;
        let triple = single + double;
        let quadruple = bit_cast::<COST_BITS, PENDING_BITS>(taken) << 2;
        cost = single;
        if count[1] {
            cost = double;
            if count[0] {
                cost = triple;
            }
        }
        if count[2] {
            cost = quadruple;
        }
        least = 0;
        limit = 0;
        for i in 0..8 {
            if safe == safe_codes[i] {
                least = least_charges[i];
                limit = limits[i];
                if lanes[1] {
                    limit = limits[i + 8];
                    if lanes[0] {
                        limit = limits[i + 16];
                    }
                }
                if lanes[2] {
                    limit = limits[i + 24];
                }
            }
        }
        due = least;
        if taken > limit {
            due = bit_cast::<CHARGE_BITS, COST_BITS>(cost);
        }
        charge = due;
        if clear {
            pending = 0;
        }
    }
}
