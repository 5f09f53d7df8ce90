//! Which body has become a PDU of which port (chapter 50, 4.1 rule 4).

use crate::frame::BodyHead;
use crate::slot_walker::Completion;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue_registers::MAX_PORTS;

/// Bits of the number of a port.
const PORT_BITS: usize = 2;

/// A body that has become a PDU.
#[packed]
pub struct Dispatch {
    /// The port that sends it.
    port: Bits<PORT_BITS>,
    /// XPU that it goes to.
    destination: Bits<10>,
    /// Its virtual channel.
    vc: Bits<2>,
    /// Commands in it.
    commands: Bits<10>,
    /// It was a PDU of another port before, with `moved`.
    from: Bits<PORT_BITS>,
    /// It has moved: it is told of once more.
    moved: Bit,
}

/// Where a body was of which a completion tells.
#[packed]
pub struct BodyOrigin {
    /// The port whose PDU it was, with `sent`.
    port: Bits<PORT_BITS>,
    /// It was a PDU. Without it no port has taken the body.
    sent: Bit,
}

/// What became of a body, and where it was.
#[packed]
pub struct BodyCompletion {
    /// What became of it.
    completion: Completion,
    /// Where it was.
    origin: BodyOrigin,
}

/// Bodies for `K` ports, one after the other: each is told of a clock after its last word. `clear` forgets it.
#[block("sue_dispatch_report", new)]
pub struct DispatchReport<const K: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets what was not told yet.
    clear: In<Bit>,
    /// By port: it takes the last word of a body that is whole. One port in a clock.
    ends: [In<Bit>; K],
    /// Of the body.
    head: In<BodyHead>,
    /// Commands in it.
    commands: In<Bits<10>>,
    /// The port that it comes from, with `moved`.
    from: In<Bits<PORT_BITS>>,
    /// It comes from a port, not from the packer.
    moved: In<Bit>,
    /// Bodies that have become PDUs.
    pub dispatches: FlowOut<Dispatch>,

    #[wire(d = _)]
    said: Reg<Dispatch>,
    valid: Register<Bit>,
    numbers: [Constant<Bits<PORT_BITS>>; K],
}

#[logic]
impl<const K: usize> DispatchReport<K> {
    /// Nothing is told.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("sue_dispatch_report", "ports", K as u64, 1, MAX_PORTS as u64)?;
        Ok(Self { numbers: std::array::from_fn(|port| Constant::new((port as u64).into())), .. })
    }

    fn update(&mut self) {
        let mut port: Bits<PORT_BITS> = 0;
        let mut any: Bit = false;
        for i in 0..K {
            if ends[i] {
                port = numbers[i];
            }
            any = any | ends[i];
        }
        said = Dispatch { port, destination: head.destination, vc: head.vc, commands, from, moved };
        valid.clear = clear;
        valid = any;
        dispatches = In { data: said, valid };
    }
}
