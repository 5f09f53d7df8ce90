//! What is kept of the first event.

use super::types::EventDetails;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue_registers::{capture_cause, capture_missed, Event};

/// Events of EVENT.
pub const EVENTS: usize = Event::ALL.len();
/// Bits of the number of an event.
const CAUSE_BITS: usize = capture_cause::cause::WIDTH;
/// Bits of the number of clocks whose events were missed.
const MISSED_BITS: usize = capture_missed::clocks::WIDTH;

/// Keeps the details of the first event until the bit of that event is written into EVENT.
///
/// - Of several events of a clock that of the lowest bit is the cause. An event of the clock of the write is captured anew.
/// - It is shown 2 clocks after the event. Clocks with events are counted meanwhile; the count stays at its end.
/// - `clear` changes nothing.
#[block("sue_event_capture")]
pub struct EventCapture {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Bits of EVENT.
    happened: In<Bits<EVENTS>>,
    /// What there is to say of them.
    details: In<EventDetails>,
    /// EVENT was written, in the clock before.
    written: In<Bit>,
    /// What was written.
    data: In<Bits<EVENTS>>,
    /// An event was captured.
    full: Out<Bit>,
    /// Its number.
    cause: Out<Bits<CAUSE_BITS>>,
    /// Its details.
    captured: Out<EventDetails>,
    /// Clocks with events since.
    missed: Out<Bits<MISSED_BITS>>,
    happened_before: Reg<Bits<EVENTS>>,
    details_before: Reg<EventDetails>,
    is_full: Reg<Bit>,
    chosen: Reg<Bits<EVENTS>>,
    number: Reg<Bits<CAUSE_BITS>>,
    kept: Reg<EventDetails>,
    count: Reg<Bits<MISSED_BITS>>,
}

#[logic]
impl EventCapture {
    fn update(&mut self) {
        happened_before = happened;
        details_before = details;
        let mut lowest: Bits<EVENTS> = 0;
        let mut lowest_number: Bits<CAUSE_BITS> = 0;
        let mut found = happened_before.bits::<1>(0);
        lowest = lowest.with(0, happened_before[0]);
        for i in 1..EVENTS {
            if happened_before[i] & (found == 0) {
                lowest = lowest.with(i, true);
                lowest_number = i;
            }
            found = found | happened_before.bits::<1>(i);
        }
        let anything = happened_before.any();
        let freed = chosen & data;
        let frees = written & freed.any();
        if !is_full | frees {
            is_full = anything;
            chosen = lowest;
            number = lowest_number;
            kept = details_before;
            count = 0;
        } else if anything & !count.all() {
            count = count + 1;
        }
        full = is_full;
        cause = number;
        captured = kept;
        missed = count;
    }
}
