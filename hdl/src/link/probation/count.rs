//! Clean LTP times of the lanes that wait.

use crate::prim::LutRam;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::degrade::{PROBATION_DOUBLINGS, WINDOW_LANES, WINDOW_LTPS};

/// Bits of the number of times that a lane was lost; it stays at the most.
pub const REMOVAL_BITS: usize = 3;
/// Bits that count the LTP times of a window.
const WINDOW_BITS: usize = 24;
/// Bits that count windows: one for each time that the window is doubled.
const WINDOWS_BITS: usize = PROBATION_DOUBLINGS as usize;
/// Bits of a lane's count.
const COUNT_BITS: usize = WINDOW_BITS + WINDOWS_BITS;

const _: () =
    assert!(PROBATION_DOUBLINGS + 2 == 1 << REMOVAL_BITS, "the last doubling is at the most removals");

/// Counts, lane by lane, LTP times in a row without a bad word (chapter 10, 4.5, *Probation*, rules 3 and 4).
///
/// A count has two parts: LTP times of a window of WIN x L/4, and windows; a lane lost k times needs 2^(k-1) of these. One adder
/// and one comparison serve all lanes: behind `ltp` the lanes are visited one after the other, two clocks each. So LTP times are at
/// least 8 clocks apart, as 33 words on four lanes are. A visit to a lane that is not `good` begins its count again; a new WIN or
/// L holds for the window that is running.
///
/// Latency: `back` 9 clocks behind `ltp`. `flush` forgets the visit that is going on, but no count.
#[derive(LogicBlock)]
pub struct ProbationCount {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub flush: Signal<In, Bit>,
    /// Pulse: an LTP time is over.
    pub ltp: Signal<In, Bit>,
    /// Lanes without a bad word in it; holds for 8 clocks behind `ltp`.
    pub good: Signal<In, Bits<4>>,
    /// Lanes that may come back.
    pub waits: Signal<In, Bits<4>>,
    /// Times each lane was lost.
    pub removals: [Signal<In, Bits<REMOVAL_BITS>>; 4],
    /// Lanes in use.
    pub in_use: Signal<In, Bits<4>>,
    /// Register DEGRADE, enable.
    pub enabled: Signal<In, Bit>,
    /// Register DEGRADE, WIN.
    pub window: Signal<In, Bits<3>>,
    /// Lanes that come back, for one clock.
    pub back: Signal<Out, Bits<4>>,

    counts: LutRam<Bits<COUNT_BITS>, 2>,
    /// {busy, lane, second clock}.
    step: DFF<Bits<4>>,
    /// LTP times of a window.
    length: DFF<Bits<WINDOW_BITS>>,
    /// The LTP time that comes next, from 1 on.
    next_ltp: DFF<Bits<WINDOW_BITS>>,
    windows: DFF<Bits<WINDOWS_BITS>>,
    is_good: DFF<Bit>,
    may_return: DFF<Bit>,
    lost: DFF<Bits<REMOVAL_BITS>>,
    found: DFF<Bits<4>>,
    ended: DFF<Bit>,

    lane: Signal<Local, Bits<2>>,
    lanes: Signal<Local, Bits<3>>,
    quarter: Signal<Local, Bits<WINDOW_BITS>>,
    odd_part: Signal<Local, Bits<WINDOW_BITS>>,
    even_part: Signal<Local, Bits<WINDOW_BITS>>,
    ends: Signal<Local, Bit>,
    missing: Signal<Local, Bits<WINDOWS_BITS>>,
    full: Signal<Local, Bit>,
    returns: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    new_ltp: Signal<Local, Bits<WINDOW_BITS>>,
    new_windows: Signal<Local, Bits<WINDOWS_BITS>>,
    codes: [Constant<Bits<3>>; 8],
    quarters: [Constant<Bits<WINDOW_BITS>>; 8],
    numbers: [Constant<Bits<2>>; 4],
    /// Removals from which bit i of `windows` must be set.
    limits: [Constant<Bits<REMOVAL_BITS>>; WINDOWS_BITS],
    first: Constant<Bits<WINDOW_BITS>>,
    one: Constant<Bits<WINDOWS_BITS>>,
    next_step: Constant<Bits<4>>,
    start: Constant<Bits<4>>,
}

impl Default for ProbationCount {
    fn default() -> Self {
        let quarter = |code: usize| Constant::new(u64::from(WINDOW_LTPS[code] / WINDOW_LANES).into());
        Self {
            clock: Default::default(),
            flush: Default::default(),
            ltp: Default::default(),
            good: Default::default(),
            waits: Default::default(),
            removals: Default::default(),
            in_use: Default::default(),
            enabled: Default::default(),
            window: Default::default(),
            back: Default::default(),
            counts: Default::default(),
            step: Default::default(),
            length: Default::default(),
            next_ltp: Default::default(),
            windows: Default::default(),
            is_good: Default::default(),
            may_return: Default::default(),
            lost: Default::default(),
            found: Default::default(),
            ended: Default::default(),
            lane: Default::default(),
            lanes: Default::default(),
            quarter: Default::default(),
            odd_part: Default::default(),
            even_part: Default::default(),
            ends: Default::default(),
            missing: Default::default(),
            full: Default::default(),
            returns: Default::default(),
            writes: Default::default(),
            new_ltp: Default::default(),
            new_windows: Default::default(),
            codes: std::array::from_fn(|code| Constant::new((code as u64).into())),
            quarters: std::array::from_fn(quarter),
            numbers: std::array::from_fn(|lane| Constant::new((lane as u64).into())),
            limits: std::array::from_fn(|bit| Constant::new((bit as u64 + 2).into())),
            first: Constant::new(1.into()),
            one: Constant::new(1.into()),
            next_step: Constant::new(1.into()),
            start: Constant::new(8.into()),
        }
    }
}

impl Logic for ProbationCount {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, length, next_ltp, windows, is_good, may_return, lost, found, ended);
        clock!(self, clock, counts);

        // A quarter of WIN times L.
        self.lanes.next = bit_cast::<3, 1>(self.in_use.val().get_bits::<1>(0))
            + bit_cast::<3, 1>(self.in_use.val().get_bits::<1>(1))
            + bit_cast::<3, 1>(self.in_use.val().get_bits::<1>(2))
            + bit_cast::<3, 1>(self.in_use.val().get_bits::<1>(3));
        self.quarter.next = 0.into();
        for i in 0..8 {
            if self.window.val() == self.codes[i].val() {
                self.quarter.next = self.quarters[i].val();
            }
        }
        self.odd_part.next = 0.into();
        if self.lanes.val().get_bit(0) {
            self.odd_part.next = self.quarter.val();
        }
        self.even_part.next = 0.into();
        if self.lanes.val().get_bit(1) {
            self.even_part.next = self.quarter.val() << 1;
        }
        if self.lanes.val().get_bit(2) {
            self.even_part.next = self.quarter.val() << 2;
        }
        self.length.d.next = self.odd_part.val() + self.even_part.val();

        // First clock of a lane: what is known of it.
        self.lane.next = self.step.q.val().get_bits::<2>(1);
        self.counts.read_address.next = self.lane.val();
        self.next_ltp.d.next = self.counts.read_data.val().get_bits::<WINDOW_BITS>(0);
        self.windows.d.next = self.counts.read_data.val().get_bits::<WINDOWS_BITS>(24);
        self.is_good.d.next = self.good.val().get_bit(self.lane.val().index());
        self.may_return.d.next = self.enabled.val() & self.waits.val().get_bit(self.lane.val().index());
        self.lost.d.next = self.removals[0].val();
        for i in 1..4 {
            if self.lane.val() == self.numbers[i].val() {
                self.lost.d.next = self.removals[i].val();
            }
        }

        // Second clock: its new count. A lane that is due and may not come back stays due.
        self.ends.next = self.next_ltp.q.val() >= self.length.q.val();
        self.missing.next = 0.into();
        for i in 0..6 {
            self.missing.next = self.missing.val().replace_bit(
                i,
                !self.windows.q.val().get_bit(i) & (self.lost.q.val() >= self.limits[i].val()),
            );
        }
        self.full.next = self.ends.val() & !self.missing.val().any();
        self.returns.next = (self.is_good.q.val() & self.may_return.q.val()) & self.full.val();
        self.new_ltp.next = self.next_ltp.q.val() + self.first.val();
        self.new_windows.next = self.windows.q.val();
        if self.ends.val() {
            self.new_ltp.next = self.first.val();
            self.new_windows.next = self.windows.q.val() + self.one.val();
        }
        if self.full.val() {
            self.new_ltp.next = self.next_ltp.q.val();
            self.new_windows.next = self.windows.q.val();
        }
        if !self.is_good.q.val() | self.returns.val() {
            self.new_ltp.next = self.first.val();
            self.new_windows.next = 0.into();
        }
        self.writes.next = self.step.q.val().get_bit(3) & self.step.q.val().get_bit(0);
        self.counts.write_enable.next = self.writes.val();
        self.counts.write_address.next = self.lane.val();
        self.counts.write_data.next = bit_cast::<COUNT_BITS, WINDOW_BITS>(self.new_ltp.val())
            | (bit_cast::<COUNT_BITS, WINDOWS_BITS>(self.new_windows.val()) << 24);

        // From lane to lane.
        self.back.next = 0.into();
        if self.ended.q.val() {
            self.back.next = self.found.q.val();
            self.found.d.next = 0.into();
        }
        if self.writes.val() & self.returns.val() {
            self.found.d.next = self.found.q.val().replace_bit(self.lane.val().index(), true);
        }
        self.ended.d.next = self.step.q.val().all();
        if self.step.q.val().get_bit(3) {
            self.step.d.next = self.step.q.val() + self.next_step.val();
        }
        if self.ltp.val() {
            self.step.d.next = self.start.val();
        }
        if self.flush.val() {
            self.step.d.next = 0.into();
            self.found.d.next = 0.into();
            self.ended.d.next = false;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("probation_count", &[])
    }
}

drive_ports!(impl[] ProbationCount { clock, flush, ltp, good, waits, removals, in_use, enabled, window, back });
