//! Waits on the ring in time.

use super::RING_WAIT_BITS;
use crate::ring::WAIT_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::LutRam;
use flitforge_protocol::time_servo::PERIOD_BITS;

/// Bits of the largest wait times RPER, with half a unit: 15 (2^26 - 1) + 2^15 is below 2^30.
const PRODUCT_BITS: usize = 30;

/// (w RPER + 2^15) >> 16 for the waits of both rings (chapter 20, 4.4 rule 3), from a table that is calculated all the
/// time: a new RPER counts after 32 clocks. Latency 0. No clear: nothing but RPER counts.
#[block("ring_wait")]
pub struct RingWait {
    /// Rising edge counts.
    clock: In<Clock>,
    /// RPER, 6.20 ns.
    rper: In<Bits<PERIOD_BITS>>,
    /// Ring cycles waited, by ring.
    cycles: [In<Bits<WAIT_BITS>>; 2],
    /// The same in 1/16 ns.
    time: [Out<Bits<RING_WAIT_BITS>>; 2],
    #[wire(clock)]
    table: [LutRam<Bits<RING_WAIT_BITS>, WAIT_BITS>; 2],
    index: Reg<Bits<WAIT_BITS>>,
    product: Reg<Bits<PRODUCT_BITS>>,
    #[init(0x8000)]
    half: Constant<Bits<PRODUCT_BITS>>,
    #[init(1)]
    one: Constant<Bits<WAIT_BITS>>,
}

#[logic]
impl RingWait {
    fn update(&mut self) {
        index = index + one;
        product = product + bit_cast::<PRODUCT_BITS, PERIOD_BITS>(rper);
        if index.all() {
            product = half;
        }
        for i in 0..2 {
            table[i] = In { write_enable: true, write_address: index };
            table[i] = In { write_data: product.bits::<RING_WAIT_BITS>(16), read_address: cycles[i] };
            time[i] = table[i].read_data;
        }
    }
}

const _: () = assert!(WAIT_BITS == 4 && RING_WAIT_BITS + 16 == PRODUCT_BITS);
