//! The master on a port's register bus.

use crate::limits::ACK_CLOCKS;
use crate::port::PortHandles;
use flitforge_protocol::link_registers::{ctrl, CTRL, PAGE_BYTES};
use flitforge_protocol::register::BYTES;
use flitforge_sim::compiled::Instance;
use std::collections::VecDeque;

/// What the register bus is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Byte offset, that of the link's page included.
    pub offset: u32,
    /// Value to write; `None` reads.
    pub write: Option<u64>,
}

impl Request {
    /// Sets this bit of CTRL and CTRL.enable of a link.
    pub fn control(link: usize, bit: usize) -> Self {
        Self::write(link, CTRL, 1 << bit | 1 << ctrl::enable::LOW)
    }

    /// CTRL.disable of a link.
    pub fn disable(link: usize) -> Self {
        Self::write(link, CTRL, 1 << ctrl::disable::LOW)
    }

    /// Reads a register of a link.
    pub fn read(link: usize, offset: u32) -> Self {
        Self { offset: PAGE_BYTES * link as u32 + offset, write: None }
    }

    /// Writes a register of a link.
    pub fn write(link: usize, offset: u32, value: u64) -> Self {
        Self { write: Some(value), ..Self::read(link, offset) }
    }
}

/// Requests one after the other.
#[derive(Clone, Debug, Default)]
pub struct Bus {
    waiting: VecDeque<Request>,
    /// Clocks since the request that is out.
    out: Option<u64>,
    /// What was read, in order.
    pub answers: VecDeque<u64>,
}

impl Bus {
    /// Asks.
    pub fn ask(&mut self, request: Request) {
        self.waiting.push_back(request);
    }

    /// Nothing is asked for or on its way.
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Sets the bus for this clock.
    #[inline]
    pub fn drive(&mut self, port: &mut Instance, handles: &PortHandles) {
        let (Some([addr, wdata, we, re, ..]), Some(request)) = (handles.bus, self.waiting.front()) else {
            return;
        };
        let begins = self.out.is_none();
        if begins {
            port.set(addr, (request.offset / BYTES).into());
            port.set(wdata, request.write.unwrap_or(0));
        }
        port.set(we, u64::from(begins && request.write.is_some()));
        port.set(re, u64::from(begins && request.write.is_none()));
        self.out = Some(self.out.map_or(0, |clocks| clocks + 1));
    }

    /// Looks at the bus of this clock. False if it does not answer.
    #[inline]
    pub fn look(&mut self, port: &mut Instance, handles: &PortHandles) -> bool {
        let (Some([.., rdata, ack]), Some(clocks)) = (handles.bus, self.out) else { return true };
        if port.get(ack) == 1 {
            if self.waiting.pop_front().is_some_and(|request| request.write.is_none()) {
                self.answers.push_back(port.get(rdata));
            }
            self.out = None;
        }
        clocks < ACK_CLOCKS
    }

    /// `clear` takes the answer of a request that is out (chapter 10, 5): it is asked again.
    pub fn cleared(&mut self) {
        self.out = None;
    }

    /// After the clock: no strobe stands without a request.
    #[inline]
    pub fn rest(&self, port: &mut Instance, handles: &PortHandles) {
        if let (Some([_, _, we, re, ..]), None) = (handles.bus, self.out) {
            port.set(we, 0);
            port.set(re, 0);
        }
    }
}
