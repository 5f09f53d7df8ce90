//! Waits on the ring in time.

use super::RING_WAIT_BITS;
use crate::prim::LutRam;
use crate::time::ring::WAIT_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_servo::PERIOD_BITS;

/// Bits of the largest wait times RPER, with half a unit: 15 (2^26 - 1) + 2^15 is below 2^30.
const PRODUCT_BITS: usize = 30;

/// (w RPER + 2^15) >> 16 for the waits of both rings (chapter 20, 4.4 rule 3), from a table that is calculated all the
/// time: a new RPER counts after 32 clocks. Latency 0. No clear: nothing but RPER counts.
#[derive(LogicBlock)]
pub struct RingWait {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// RPER, 6.20 ns.
    pub rper: Signal<In, Bits<PERIOD_BITS>>,
    /// Ring cycles waited, by ring.
    pub cycles: [Signal<In, Bits<WAIT_BITS>>; 2],
    /// The same in 1/16 ns.
    pub time: [Signal<Out, Bits<RING_WAIT_BITS>>; 2],
    table: [LutRam<Bits<RING_WAIT_BITS>, WAIT_BITS>; 2],
    index: DFF<Bits<WAIT_BITS>>,
    product: DFF<Bits<PRODUCT_BITS>>,
    half: Constant<Bits<PRODUCT_BITS>>,
    one: Constant<Bits<WAIT_BITS>>,
}

impl Default for RingWait {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            rper: Default::default(),
            cycles: Default::default(),
            time: Default::default(),
            table: Default::default(),
            index: Default::default(),
            product: Default::default(),
            half: Constant::new(0x8000.into()),
            one: Constant::new(1.into()),
        }
    }
}

impl Logic for RingWait {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, index, product);
        self.index.d.next = self.index.q.val() + self.one.val();
        self.product.d.next = self.product.q.val() + bit_cast::<PRODUCT_BITS, PERIOD_BITS>(self.rper.val());
        if self.index.q.val().all() {
            self.product.d.next = self.half.val();
        }
        for i in 0..2 {
            self.table[i].clock.next = self.clock.val();
            self.table[i].write_enable.next = true;
            self.table[i].write_address.next = self.index.q.val();
            self.table[i].write_data.next = self.product.q.val().get_bits::<RING_WAIT_BITS>(16);
            self.table[i].read_address.next = self.cycles[i].val();
            self.time[i].next = self.table[i].read_data.val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("ring_wait", &[])
    }
}

drive_ports!(impl[] RingWait { clock, rper, cycles, time });

const _: () = assert!(WAIT_BITS == 4 && RING_WAIT_BITS + 16 == PRODUCT_BITS);
