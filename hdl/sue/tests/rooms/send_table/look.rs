//! Connections that the host looks at, beside their events.

use super::{Reference, CONNECTIONS};
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
use std::rc::Rc;

/// Clocks from a look to what it shows.
const LOOK_LATENCY: u64 = 4;
type EntryBits = Bits<{ <SendEntry as Synth>::BITS }>;

/// When, and una, nxt, snd and retry of a connection that is looked at.
type Shown = (u64, [u64; 4]);

/// The host looks at connections, often: each look shows what the events before it have made of the connection, and no event is late or lost for it.
pub(super) fn look(
    reference: &Rc<RefCell<Reference>>,
    testbench: &mut Testbench<'static>,
    seed: u64,
) -> Result<(), SimError> {
    let looks: Rc<RefCell<VecDeque<Shown>>> = Rc::default();
    let (asked, shown, came, cleared) = (reference.clone(), looks.clone(), looks.clone(), looks);
    let mut random = rng(seed, "looks");
    testbench.add(
        StreamSource::new(testbench.bench(), "looks", seed ^ 1)?
            .items(move |_, _| Some(Value::from_u64(12, random.random_range(0..CONNECTIONS as u64))))
            .on_transfer(move |clock, value| {
                let mut reference = asked.borrow_mut();
                let state = reference.shown(value.to_u64().expect("12 bits") as usize);
                shown.borrow_mut().push_back((clock + LOOK_LATENCY, state));
                reference.seen.hit("looked at");
                Ok(())
            }),
    );
    testbench.add(FlowMonitor::new(testbench.bench(), "looked")?.on_transfer(move |clock, value| {
        let entry: SendEntry = EntryBits::from_value(value).into();
        let came_now = (
            clock,
            [entry.unacknowledged, entry.next_psn, entry.send, u64::from(entry.retry).into()].map(u64::from),
        );
        let expected = came.borrow_mut().pop_front();
        if expected == Some(came_now) {
            return Ok(());
        }
        Err(SimError::Check { clock, problem: format!("{came_now:?} is shown, expected {expected:?}") })
    }));
    testbench.add(StreamMonitor::new(testbench.bench(), "looks")?);
    testbench.add(OnBit::new(testbench.bench(), "clear", move |_| {
        cleared.borrow_mut().clear();
        Ok(())
    })?);
    Ok(())
}
