//! What happens in an instance beside its ports.

use crate::failover::FailoverEventsIn;
use crate::registers::{counted_place, COUNTED, EVENTS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue_registers::{Event, SueCounter};

const COMMAND_BAD: usize = counted_place(SueCounter::CommandBad);
const BODY_BAD: usize = counted_place(SueCounter::BodyBad);
const COMMAND_IN: usize = counted_place(SueCounter::CommandIn);
const CREDIT_VIOLATION: usize = counted_place(SueCounter::CreditViolation);
const FAILOVER: usize = counted_place(SueCounter::Failover);
const ON_COMMAND_BAD: usize = Event::CommandBad as usize;
const ON_CREDIT_VIOLATION: usize = Event::CreditViolation as usize;
const ON_BODY_BAD: usize = Event::BodyBad as usize;
const ON_PEER_LOST: usize = Event::PeerLost as usize;

/// Events and counters of command interface and connection management, a clock later.
#[block("sue_instance_events")]
pub struct InstanceEvents {
    /// Rising edge counts.
    clock: In<Clock>,
    /// A command was taken from the XPU.
    accepted: In<Bit>,
    /// A command of the XPU was bad; had no end; words were outside of one.
    bad: In<Bits<3>>,
    /// The XPU has used more cells than it has credits.
    overrun: In<Bit>,
    /// Connection management.
    pub management: FailoverEventsIn,
    /// Events of each counter.
    counted: [Out<Bits<2>>; COUNTED],
    /// Bits of EVENT but CFG_BAD.
    happened: Out<Bits<{ EVENTS - 1 }>>,

    #[wire(d = _)]
    once: Reg<Bits<COUNTED>>,
    #[wire(d = _)]
    bad_commands: Reg<Bits<2>>,
    #[wire(d = _)]
    now: Reg<Bits<{ EVENTS - 1 }>>,
}

#[logic]
impl InstanceEvents {
    fn update(&mut self) {
        let mut single: Bits<COUNTED> = 0;
        single = single.with(COMMAND_IN, accepted);
        single = single.with(CREDIT_VIOLATION, overrun);
        single = single.with(BODY_BAD, management.record_bad);
        single = single.with(FAILOVER, management.failed_over);
        once = single;
        for i in 0..COUNTED {
            counted[i] = bit_cast::<2, 1>(once.bits::<1>(i));
        }
        let first: Bits<2> = bit_cast::<2, 1>(bad.bits::<1>(0));
        let second: Bits<2> = bit_cast::<2, 1>(bad.bits::<1>(1));
        let third: Bits<2> = bit_cast::<2, 1>(bad.bits::<1>(2));
        bad_commands = first + second + third;
        counted[COMMAND_BAD] = bad_commands;
        let mut bits_now: Bits<{ EVENTS - 1 }> = 0;
        bits_now = bits_now.with(ON_COMMAND_BAD, bad.any());
        bits_now = bits_now.with(ON_CREDIT_VIOLATION, overrun);
        bits_now = bits_now.with(ON_BODY_BAD, management.record_bad);
        bits_now = bits_now.with(ON_PEER_LOST, management.peer_lost);
        now = bits_now;
        happened = now;
    }
}
