//! When a Low is due.

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::{GEN_PERIOD_SHIFT, GEN_PHASE_SHIFT};

/// Bits of the period count P\[63:20\].
const COUNT: usize = 44;
/// Bits of half of time\[63:12\] less the phase.
const HALF: usize = 26;

/// Compares SyncTime less GEN_PHASE with the next multiple of the period (chapter 20, 4.6 rule 1).
///
/// `due` follows 3 clocks after the `sync` that reached it, and moves the next one on if `act`; it is never set in two
/// clocks in a row. `arm` with a `sync` makes the next one due a period after that. No clear: without `arm` nothing
/// counts.
#[derive(LogicBlock, Default)]
pub struct TimeDue {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// SyncTime, whole ns.
    pub sync: Signal<In, Bits<64>>,
    /// The next one is due a period after this `sync`.
    pub arm: Signal<In, Bit>,
    /// GEN_PERIOD, 2^20 ns.
    pub period: Signal<In, Bits<12>>,
    /// GEN_PHASE, 2^12 ns.
    pub phase: Signal<In, Bits<16>>,
    /// `due` is acted on in this clock.
    pub act: Signal<In, Bit>,
    /// The next one is due.
    pub due: Signal<Out, Bit>,
    low: DFF<Bits<27>>,
    high: DFF<Bits<HALF>>,
    /// P\[63:20\].
    count: DFF<Bits<COUNT>>,
    armed: [DFF<Bit>; 2],
    after: DFF<Bits<COUNT>>,
    is_due: DFF<Bit>,
    minuend: Signal<Local, Bits<HALF>>,
    borrow: Signal<Local, Bits<HALF>>,
    upper: Signal<Local, Bits<HALF>>,
    kept: Signal<Local, Bits<27>>,
    start: Signal<Local, Bits<COUNT>>,
    behind: Signal<Local, Bits<COUNT>>,
}

impl Logic for TimeDue {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, low, high, count, after, is_due);
        for i in 0..2 {
            self.armed[i].clock.next = self.clock.val();
        }
        // P in two clocks.
        self.minuend.next = self.sync.val().get_bits::<HALF>(12);
        self.low.d.next = bit_cast::<27, HALF>(self.minuend.val()) - bit_cast::<27, 16>(self.phase.val());
        self.high.d.next = self.sync.val().get_bits::<HALF>(38);
        self.borrow.next = 0.into();
        self.borrow.next = self.borrow.val().replace_bit(0, self.low.q.val().get_bit(26));
        self.upper.next = self.high.q.val() - self.borrow.val();
        self.kept.next = self.low.q.val();
        self.count.d.next = bit_cast::<COUNT, 18>(self.kept.val().get_bits::<18>(8))
            | (bit_cast::<COUNT, HALF>(self.upper.val()) << 18);
        self.armed[0].d.next = self.arm.val();
        self.armed[1].d.next = self.armed[0].q.val();

        // Counts wrap: the sign of the difference says which is ahead.
        self.behind.next = self.count.q.val() - self.after.q.val();
        self.is_due.d.next = !self.behind.val().get_bit(43) & !self.is_due.q.val() & !self.armed[1].q.val();
        self.start.next = self.after.q.val();
        if self.armed[1].q.val() {
            self.start.next = self.count.q.val();
        }
        if self.act.val() | self.armed[1].q.val() {
            self.after.d.next = self.start.val() + bit_cast::<COUNT, 12>(self.period.val());
        }
        self.due.next = self.is_due.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("time_due", &[])
    }
}

drive_ports!(impl[] TimeDue { clock, sync, arm, period, phase, act, due });

const _: () =
    assert!(GEN_PERIOD_SHIFT == 20 && GEN_PHASE_SHIFT == 12 && COUNT == 64 - GEN_PERIOD_SHIFT as usize);
