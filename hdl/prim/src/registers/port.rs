//! `RegisterPort`: takes requests for a page.

use super::bus::{RegisterBus, RegisterMaster};
use crate::prelude::*;

/// Takes a request in its first clock, and asks with it one clock long; what is asked stands until the next one. `ack` of the page is passed on.
///
/// - A request may be held until `ack`; none is taken until then.
/// - `page.request` comes 1 clock after the request; `ack` and `rdata` are wires.
/// - `clear` forgets a request in work, which gets no `ack` then; one of its clock is not taken.
#[block("register_port", address = A)]
pub struct RegisterPort<const A: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Requests.
    pub bus: RegisterBus<A>,
    /// The page.
    pub page: RegisterMaster<A>,
    busy: Reg<Bit>,
    #[wire(d = _)]
    asks: Reg<Bit>,
    #[wire(clear = false)]
    address: Register<Bits<A>>,
    #[wire(clear = false)]
    data: Register<Bits<64>>,
    #[wire(clear = false)]
    writes: Register<Bit>,
}

#[logic]
impl<const A: usize> RegisterPort<A> {
    fn update(&mut self) {
        let takes = bus.request & !busy & !clear;
        address.enable = takes;
        address = bus.address;
        data.enable = takes;
        data = bus.wdata;
        writes.enable = takes;
        writes = bus.write;
        asks = takes;
        page = In { request: asks, write: writes, address, wdata: data };
        bus = In { ack: page.ack, rdata: page.rdata };
        busy = (takes | busy) & !page.ack & !clear;
    }
}
