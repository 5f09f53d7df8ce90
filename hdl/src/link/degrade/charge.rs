//! What retries have cost, and what the next lane that is named is charged.

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
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
fn limits() -> [Constant<Bits<PENDING_BITS>>; SAFE_CODES * MAX_LANES] {
    std::array::from_fn(|place| {
        let (lanes, safe) = (place / SAFE_CODES + 1, place % SAFE_CODES);
        let limit = u64::from(safe_ltps(safe as u8)) / lanes as u64;
        Constant::new(limit.min(u64::from(PENDING_MAX)).into())
    })
}

const _: () = assert!(PENDING_MAX + 1 == 1 << PENDING_BITS, "it stays where the count ends");
const _: () = assert!(safe_ltps(7) < 1 << CHARGE_BITS);

/// Counts LTP times that retries cost; a verdict takes them.
#[derive(LogicBlock)]
pub struct DegradeCharge {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Nothing is pending.
    pub clear: Signal<In, Bit>,
    /// An LTP time.
    pub ltp: Signal<In, Bit>,
    /// With `ltp`: the LTP was tossed.
    pub tossed: Signal<In, Bit>,
    /// With `ltp`: a lane in use is charged.
    pub verdict: Signal<In, Bit>,
    /// A RetryReq pair goes out; with `ltp` it counts before it.
    pub request: Signal<In, Bit>,
    /// Lanes in use, L.
    pub lanes: Signal<In, Bits<3>>,
    /// Register DEGRADE, SAFE.
    pub safe: Signal<In, Bits<3>>,
    /// The charge, from 2 clocks behind `verdict` to the next.
    pub charge: Signal<Out, Bits<CHARGE_BITS>>,

    pending: DFF<Bits<PENDING_BITS>>,
    taken: DFF<Bits<PENDING_BITS>>,
    due: DFF<Bits<CHARGE_BITS>>,
    least: DFF<Bits<CHARGE_BITS>>,
    /// L, one clock ago.
    count: DFF<Bits<3>>,
    /// More than so many LTP times cost more than `least`.
    limit: DFF<Bits<PENDING_BITS>>,
    more: Signal<Local, Bits<9>>,
    sum: Signal<Local, Bits<9>>,
    sum_with: Signal<Local, Bits<9>>,
    total: Signal<Local, Bits<PENDING_BITS>>,
    cost: Signal<Local, Bits<COST_BITS>>,
    single: Signal<Local, Bits<COST_BITS>>,
    double: Signal<Local, Bits<COST_BITS>>,
    triple: Signal<Local, Bits<COST_BITS>>,
    quadruple: Signal<Local, Bits<COST_BITS>>,
    safe_codes: [Constant<Bits<3>>; SAFE_CODES],
    least_charges: [Constant<Bits<CHARGE_BITS>>; SAFE_CODES],
    limits: [Constant<Bits<PENDING_BITS>>; SAFE_CODES * MAX_LANES],
    for_request: Constant<Bits<9>>,
    for_both: Constant<Bits<9>>,
    one: Constant<Bits<9>>,
    most: Constant<Bits<PENDING_BITS>>,
}

impl Default for DegradeCharge {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            ltp: Default::default(),
            tossed: Default::default(),
            verdict: Default::default(),
            request: Default::default(),
            lanes: Default::default(),
            safe: Default::default(),
            charge: Default::default(),
            pending: Default::default(),
            taken: Default::default(),
            due: Default::default(),
            more: Default::default(),
            sum: Default::default(),
            sum_with: Default::default(),
            total: Default::default(),
            cost: Default::default(),
            single: Default::default(),
            double: Default::default(),
            triple: Default::default(),
            quadruple: Default::default(),
            least: Default::default(),
            count: Default::default(),
            limit: Default::default(),
            safe_codes: std::array::from_fn(|code| Constant::new((code as u64).into())),
            least_charges: std::array::from_fn(|code| Constant::new(u64::from(safe_ltps(code as u8)).into())),
            limits: limits(),
            for_request: Constant::new(u64::from(REQUEST_LTPS).into()),
            for_both: Constant::new((u64::from(REQUEST_LTPS) + 1).into()),
            one: Constant::new(1.into()),
            most: Constant::new(u64::from(PENDING_MAX).into()),
        }
    }
}

impl Logic for DegradeCharge {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, pending, taken, due, least, count, limit);
        // With an LTP and without one at once: whether one counts is known late.
        self.more.next = 0.into();
        if self.request.val() {
            self.more.next = self.for_request.val();
        }
        self.sum.next = bit_cast::<9, PENDING_BITS>(self.pending.q.val()) + self.more.val();
        if self.tossed.val() {
            self.more.next = self.one.val();
            if self.request.val() {
                self.more.next = self.for_both.val();
            }
        }
        self.sum_with.next = bit_cast::<9, PENDING_BITS>(self.pending.q.val()) + self.more.val();
        self.total.next = self.sum.val().get_bits::<PENDING_BITS>(0);
        if self.sum.val().get_bit(8) {
            self.total.next = self.most.val();
        }
        if self.ltp.val() {
            self.total.next = self.sum_with.val().get_bits::<PENDING_BITS>(0);
            if self.sum_with.val().get_bit(8) {
                self.total.next = self.most.val();
            }
        }
        self.pending.d.next = self.total.val();
        if self.ltp.val() & self.verdict.val() {
            self.pending.d.next = 0.into();
            self.taken.d.next = self.total.val();
        }

        // L times that, SAFE at least: which of them is known before the product.
        self.count.d.next = self.lanes.val();
        self.single.next = bit_cast::<COST_BITS, PENDING_BITS>(self.taken.q.val());
        self.double.next = bit_cast::<COST_BITS, PENDING_BITS>(self.taken.q.val()) << 1;
        self.triple.next = self.single.val() + self.double.val();
        self.quadruple.next = bit_cast::<COST_BITS, PENDING_BITS>(self.taken.q.val()) << 2;
        self.cost.next = self.single.val();
        if self.count.q.val().get_bit(1) {
            self.cost.next = self.double.val();
            if self.count.q.val().get_bit(0) {
                self.cost.next = self.triple.val();
            }
        }
        if self.count.q.val().get_bit(2) {
            self.cost.next = self.quadruple.val();
        }
        self.least.d.next = 0.into();
        self.limit.d.next = 0.into();
        for i in 0..8 {
            if self.safe.val() == self.safe_codes[i].val() {
                self.least.d.next = self.least_charges[i].val();
                self.limit.d.next = self.limits[i].val();
                if self.lanes.val().get_bit(1) {
                    self.limit.d.next = self.limits[i + 8].val();
                    if self.lanes.val().get_bit(0) {
                        self.limit.d.next = self.limits[i + 16].val();
                    }
                }
                if self.lanes.val().get_bit(2) {
                    self.limit.d.next = self.limits[i + 24].val();
                }
            }
        }
        self.due.d.next = self.least.q.val();
        if self.taken.q.val() > self.limit.q.val() {
            self.due.d.next = bit_cast::<CHARGE_BITS, COST_BITS>(self.cost.val());
        }
        self.charge.next = self.due.q.val();
        if self.clear.val() {
            self.pending.d.next = 0.into();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("degrade_charge", &[])
    }
}

drive_ports!(impl[] DegradeCharge { clock, clear, ltp, tossed, verdict, request, lanes, safe, charge });
