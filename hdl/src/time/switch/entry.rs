//! How the Lows and Highs of a port come into the rings.

use crate::prim::stream::{FlowIn, StreamOut};
use crate::prim::Register;
use crate::time::ring::{INSERT_EXTRA_BITS, VALUE_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::{master_time_high, master_time_low};
use flitforge_protocol::time_ring::SlotKind;

/// Bits of an insertion: {data, parity, tree, kind}.
pub const INSERT_BITS: usize = VALUE_BITS + INSERT_EXTRA_BITS;

/// Offers each Low and High to both rings (chapter 20, 4.4 rule 2 and reading 8), as the fields that EMBED=VALUE carries.
///
/// - A Low or High is in `insert` in the clock in which it comes; what is not taken then waits, one Low and one High for each ring. The Low
///   goes first, and the High gives way to a Low that comes.
/// - A Low that comes while another one waits for the same ring, and a High that comes while one goes on waiting, are dropped
///   (`dropped`, a clock later): their wait could not be told.
/// - `insert.data` is a gate behind the payload: its parity.
/// - `clear` drops what waits and what comes.
#[derive(LogicBlock)]
pub struct RingEntry {
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Payload of a MasterTimeLow.
    pub low: FlowIn<Bits<48>>,
    /// Payload of a MasterTimeHigh.
    pub high: FlowIn<Bits<48>>,
    /// Insertions, clockwise and counter-clockwise.
    pub insert: [StreamOut<Bits<INSERT_BITS>>; 2],
    /// Event by ring: a Low \[1:0\], a High \[3:2\] was dropped.
    pub dropped: Signal<Out, Bits<4>>,
    low_waits: [DFF<Bit>; 2],
    high_waits: [DFF<Bit>; 2],
    waiting_low: [Register<Bits<INSERT_BITS>>; 2],
    waiting_high: [Register<Bits<INSERT_BITS>>; 2],
    dropped_now: DFF<Bits<4>>,
    drops: Signal<Local, Bits<4>>,
    payload: Signal<Local, Bits<48>>,
    low_data: Signal<Local, Bits<INSERT_BITS>>,
    high_data: Signal<Local, Bits<INSERT_BITS>>,
    has_low: Signal<Local, Bit>,
    has_high: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    low_kind: Constant<Bits<INSERT_BITS>>,
    high_kind: Constant<Bits<INSERT_BITS>>,
}

impl Default for RingEntry {
    fn default() -> Self {
        let kind = |kind: SlotKind| Constant::new(u64::from(kind.code()).into());
        Self {
            clock: Default::default(),
            clear: Default::default(),
            low: Default::default(),
            high: Default::default(),
            insert: Default::default(),
            dropped: Default::default(),
            low_waits: Default::default(),
            high_waits: Default::default(),
            waiting_low: Default::default(),
            waiting_high: Default::default(),
            dropped_now: Default::default(),
            drops: Default::default(),
            payload: Default::default(),
            low_data: Default::default(),
            high_data: Default::default(),
            has_low: Default::default(),
            has_high: Default::default(),
            takes: Default::default(),
            low_kind: kind(SlotKind::Low),
            high_kind: kind(SlotKind::High),
        }
    }
}

impl Logic for RingEntry {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, dropped_now);
        // Either kind has one bit, so parity is odd without it.
        self.payload.next = self.low.data.val();
        self.low_data.next = (bit_cast::<INSERT_BITS, 40>(self.payload.val().get_bits::<40>(0)) << 5)
            | (bit_cast::<INSERT_BITS, 4>(self.payload.val().get_bits::<4>(44)) << 45)
            | (bit_cast::<INSERT_BITS, 2>(self.payload.val().get_bits::<2>(42)) << 49)
            | (bit_cast::<INSERT_BITS, 2>(self.payload.val().get_bits::<2>(40)) << 2)
            | self.low_kind.val();
        self.low_data.next = self.low_data.val().replace_bit(4, !self.payload.val().xor());
        self.payload.next = self.high.data.val();
        self.high_data.next = (bit_cast::<INSERT_BITS, 40>(self.payload.val().get_bits::<40>(0)) << 5)
            | (bit_cast::<INSERT_BITS, 4>(self.payload.val().get_bits::<4>(44)) << 45)
            | (bit_cast::<INSERT_BITS, 2>(self.payload.val().get_bits::<2>(42)) << 49)
            | (bit_cast::<INSERT_BITS, 2>(self.payload.val().get_bits::<2>(40)) << 2)
            | self.high_kind.val();
        self.high_data.next = self.high_data.val().replace_bit(4, !self.payload.val().xor());

        self.drops.next = 0.into();
        for i in 0..2 {
            self.low_waits[i].clock.next = self.clock.val();
            self.high_waits[i].clock.next = self.clock.val();
            self.waiting_low[i].clock.next = self.clock.val();
            self.waiting_low[i].clear.next = false;
            self.waiting_high[i].clock.next = self.clock.val();
            self.waiting_high[i].clear.next = false;

            // What is offered.
            self.has_low.next = self.low.valid.val() | self.low_waits[i].q.val();
            self.has_high.next = self.high.valid.val() | self.high_waits[i].q.val();
            self.takes.next = self.insert[i].ready.val();
            self.insert[i].valid.next = self.has_low.val() | self.has_high.val();
            self.insert[i].data.next = self.high_data.val();
            if self.high_waits[i].q.val() {
                self.insert[i].data.next = self.waiting_high[i].q.val();
            }
            if self.low.valid.val() {
                self.insert[i].data.next = self.low_data.val();
            }
            if self.low_waits[i].q.val() {
                self.insert[i].data.next = self.waiting_low[i].q.val();
            }

            // What goes on waiting.
            self.waiting_low[i].enable.next = !self.low_waits[i].q.val();
            self.waiting_low[i].d.next = self.low_data.val();
            self.low_waits[i].d.next = self.has_low.val() & !self.takes.val() & !self.clear.val();
            self.waiting_high[i].enable.next =
                !self.high_waits[i].q.val() | (self.takes.val() & !self.has_low.val());
            self.waiting_high[i].d.next = self.high_data.val();
            self.high_waits[i].d.next = ((self.high_waits[i].q.val() & self.high.valid.val())
                | (self.has_high.val() & (self.has_low.val() | !self.takes.val())))
                & !self.clear.val();
            self.drops.next = self
                .drops
                .val()
                .replace_bit(i, self.low.valid.val() & self.low_waits[i].q.val() & !self.clear.val())
                .replace_bit(
                    i + 2,
                    self.high.valid.val()
                        & self.high_waits[i].q.val()
                        & (self.has_low.val() | !self.takes.val())
                        & !self.clear.val(),
                );
        }
        self.dropped_now.d.next = self.drops.val();
        self.dropped.next = self.dropped_now.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("ring_entry", &[])
    }
}

drive_ports!(impl[] RingEntry { clock, clear, low, high, insert, dropped });

const _: () = assert!(master_time_low::frac::LOW == 44 && master_time_low::era::LOW == 42);
const _: () = assert!(master_time_high::quality::LOW == 44 && master_time_high::era::LOW == 42);
const _: () = assert!(master_time_low::tree::LOW == 40 && master_time_high::tree::LOW == 40);
const _: () = assert!(SlotKind::Low.code() == 1 && SlotKind::High.code() == 2 && VALUE_BITS == 46);
