//! Connections that the host looks at, beside their events.

use super::{Reference, NUMBERS};
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::send_table::SendEntry;
use flitforge_sim::kit::{rng, FlowMonitor, StreamMonitor, StreamSource, Testbench};
use flitforge_sim::SimError;
use flitforge_testkit::OnBit;
use rand::Rng;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::rc::Rc;

/// Clocks from a look to what it shows: it waits for a clock in which no event reads or writes.
const LOOK_LATENCY: RangeInclusive<u64> = 5..=10;
type EntryBits = Bits<{ <SendEntry as Synth>::BITS }>;

/// When it was asked for, and the connection.
type Look = (u64, usize);

/// The host looks at connections, often: each look shows what the events that were written before it have made of the connection, and no event is late or lost for it.
pub(super) fn look(
    reference: &Rc<RefCell<Reference>>,
    testbench: &mut Testbench<'static>,
    seed: u64,
) -> Result<(), SimError> {
    let looks: Rc<RefCell<VecDeque<Look>>> = Rc::default();
    let (asked, states) = (reference.clone(), reference.clone());
    let (shown, came, cleared) = (looks.clone(), looks.clone(), looks);
    let mut random = rng(seed, "looks");
    testbench.add(
        StreamSource::new(testbench.bench(), "looks", seed ^ 1)?
            .items(move |_, _| {
                Some(Value::from_u64(12, NUMBERS[random.random_range(0..NUMBERS.len())] as u64))
            })
            .on_transfer(move |clock, value| {
                shown.borrow_mut().push_back((clock, value.to_u64().expect("12 bits") as usize));
                asked.borrow_mut().seen.hit("looked at");
                Ok(())
            }),
    );
    testbench.add(FlowMonitor::new(testbench.bench(), "looked")?.on_transfer(move |clock, value| {
        let entry: SendEntry = EntryBits::from_value(value).into();
        let came_now =
            [entry.unacknowledged, entry.next_psn, entry.send, u64::from(entry.retry).into()].map(u64::from);
        let Some((asked, number)) = came.borrow_mut().pop_front() else {
            return Err(SimError::Check { clock, problem: "an entry is shown that nobody looks at".into() });
        };
        let expected = states.borrow().shown_at(number, clock);
        if (came_now, LOOK_LATENCY.contains(&(clock - asked))) == (expected, true) {
            return Ok(());
        }
        let problem = format!(
            "{came_now:?} is shown {} clocks later, expected {expected:?} in {LOOK_LATENCY:?}",
            clock - asked
        );
        Err(SimError::Check { clock, problem })
    }));
    testbench.add(StreamMonitor::new(testbench.bench(), "looks")?);
    testbench.add(OnBit::new(testbench.bench(), "clear", move |_| {
        cleared.borrow_mut().clear();
        Ok(())
    })?);
    Ok(())
}
