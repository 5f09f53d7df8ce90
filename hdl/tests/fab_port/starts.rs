//! Starts of the link in mid-packet, and packets that senders and lines get wrong.

use crate::fab_port::rig::Rig;
use crate::fab_port::{narrow, wide};
use flitforge_model::{Flit, Ltp};
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::flit::{BadReason, Opcode};
use flitforge_protocol::link_registers::{ctrl, event, CTRL, EVENT};
use flitforge_sim::kit::seed;
use flitforge_testkit::relay::Edit;
use flitforge_testkit::Clocked;
use std::cell::Cell;
use std::rc::Rc;

/// Bad packets of this reason may come.
pub fn allow(rig: &mut Rig, reason: BadReason) {
    rig.sinks.iter_mut().flatten().for_each(|sink| sink.allowed |= 1 << reason.code());
}

/// Bad packets of this reason that came, at both ends.
pub fn bad(rig: &Rig, reason: BadReason) -> u64 {
    rig.sinks.iter().flatten().map(|sink| sink.bad[usize::from(reason.code())]).sum()
}

#[test]
fn a_start_ends_open_packets_and_leaves_what_has_come() {
    for (what, program) in [("four lanes", wide()), ("one lane", narrow())] {
        let mut rig = Rig::up(program, seed(0x10_C1), 0.9);
        allow(&mut rig, BadReason::InputLinkDown);
        rig.sink_pace(0.5);
        for round in 0..8 {
            let end = round % 2;
            // In every other round the readers stand still, so that buffers are full.
            rig.sink_pace([0.5, 0.0][round / 2 % 2]);
            rig.run(400 + 37 * round as u64);
            rig.write(end, CTRL, 1 << ctrl::disable::LOW);
            rig.run(60);
            rig.enable(end);
            let before = rig.starts;
            rig.come_up(what);
            assert!(rig.starts[0] > before[0] && rig.starts[1] > before[1], "{what}: both start afresh");
            rig.run(300);
        }
        rig.drain(what);
        let cut = bad(&rig, BadReason::InputLinkDown);
        let lost: u64 = rig.sources.iter().flatten().map(|source| source.lost).sum();
        let good: u64 = rig.sinks.iter().flatten().map(|sink| sink.good).sum();
        println!("{what}: {good} packets good, {cut} cut, {lost} lost, starts {:?}", rig.starts);
        assert!(cut >= 8 && good > 100, "{what}: {cut} of {good}");
        for end in 0..2 {
            let counted = rig.count(end, LinkCounter::PktBad);
            let seen: u64 = rig.sinks[end].iter().map(|sink| sink.bad.iter().sum::<u64>()).sum();
            assert_eq!(counted, seen, "{what}: PKT_BAD");
            for counter in [LinkCounter::StackErr, LinkCounter::CreditOvf] {
                assert_eq!(rig.count(end, counter), 0, "{what}: {}", counter.name());
            }
        }
    }
}

#[test]
fn clear_of_an_end_forgets_everything_there_and_the_link_starts_afresh() {
    for (what, program) in [("four lanes", wide()), ("one lane", narrow())] {
        let mut rig = Rig::up(program, seed(0x10_C7), 0.9);
        allow(&mut rig, BadReason::InputLinkDown);
        rig.sink_pace(0.5);
        for round in 0..6 {
            rig.run(500 + 41 * round as u64);
            rig.clear_end(round % 2);
            rig.run(20);
            rig.come_up(what);
        }
        rig.run(500);
        rig.drain(what);
        let good: u64 = rig.sinks.iter().flatten().map(|sink| sink.good).sum();
        println!("{what}: {good} packets good, {} cut", bad(&rig, BadReason::InputLinkDown));
        assert!(good > 50 && bad(&rig, BadReason::InputLinkDown) > 1, "{what}");
        for end in 0..2 {
            for counter in [LinkCounter::StackErr, LinkCounter::CreditOvf] {
                assert_eq!(rig.count(end, counter), 0, "{what}: {}", counter.name());
            }
        }
    }
}

/// In the next LTPs from `end`, in which `change` finds something, that is changed.
pub fn change(
    rig: &mut Rig,
    end: usize,
    times: u64,
    mut change: impl FnMut(&mut Ltp) -> bool + 'static,
) -> Rc<Cell<u64>> {
    let done = Rc::new(Cell::new(0));
    let seen = done.clone();
    rig.relays[end].as_mut().expect("a relay").edit(move |_, ltp| {
        let mut changed = *ltp;
        if seen.get() == times || ltp.null().is_some() || !change(&mut changed) {
            return Edit::Keep;
        }
        seen.set(seen.get() + 1);
        Edit::Replace(Box::new(changed))
    });
    done
}

#[test]
fn an_illegal_sequence_is_counted_and_ends_its_packet_badly() {
    let mut rig = Rig::new(wide(), seed(0x10_C2));
    rig.relayed(0);
    allow(&mut rig, BadReason::Protocol);
    rig.start(0.9);
    rig.run(500);
    for round in 0..12 {
        // A head in slot 1 of a full beat.
        let done = change(&mut rig, 0, 1, |ltp| {
            let full = (0..8).find(|beat| (0..2).all(|slot| ltp.flits[2 * beat + slot].bits() >> 64 == 1));
            let Some(beat) = full else { return false };
            ltp.flits[2 * beat + 1] = Flit::other(1 << 63);
            true
        });
        assert!(rig.run_until(4_000, |_| done.get() == 1).is_some(), "round {round}: changed");
        rig.run(300);
    }
    rig.relays[0].as_mut().expect("a relay").leave();
    rig.drain("stack errors");
    let errors = rig.flows[0].stack_errors;
    println!("{errors} stack errors, {} packets bad", bad(&rig, BadReason::Protocol));
    assert_eq!(rig.count(1, LinkCounter::StackErr), errors);
    assert!(errors >= 12 && bad(&rig, BadReason::Protocol) >= 12);
    assert_eq!(rig.count(1, LinkCounter::PktBad), bad(&rig, BadReason::Protocol));
    assert_eq!(rig.read(1, EVENT) >> event::stack::LOW & 1, 1);
    assert_eq!(rig.count(1, LinkCounter::CreditOvf), 0);
}

#[test]
fn credit_that_nobody_gave_leads_to_an_overrun_and_a_fresh_start() {
    let mut rig = Rig::new(wide(), seed(0x10_C3));
    rig.relayed(1);
    allow(&mut rig, BadReason::InputLinkDown);
    rig.start(0.9);
    rig.run(500);
    // The reader of lane 2 at end 1 stands still; end 0 is told that there is room for 64 AU more.
    rig.sinks[1][2].pace = 0.0;
    rig.run(2_000);
    let starts = rig.starts;
    (rig.flows[0].faulty, rig.sinks[1][2].unchecked) = (true, true);
    let done = change(&mut rig, 1, 1, |ltp| {
        let Some(idle) = (0..8).find(|beat| (0..2).all(|slot| ltp.flits[2 * beat + slot].is_idle())) else {
            return false;
        };
        ltp.flits[2 * idle] = Flit::control(Opcode::CrdtRet, 7 << 6);
        true
    });
    rig.pace(0.3);
    let has_started = |rig: &mut Rig| (0..2).all(|end| rig.starts[end] > starts[end]);
    let has_started = rig.run_until(60_000, has_started).is_some();
    assert!(done.get() == 1 && has_started, "{} CrdtRet, starts {:?}", done.get(), rig.starts);
    rig.come_up("afresh");
    rig.sinks[1][2].pace = 1.0;
    rig.flows[0].faulty = false;
    rig.pace(0.9);
    rig.run(3_000);
    rig.drain("afresh");
    println!("starts {:?}, cut {}", rig.starts, bad(&rig, BadReason::InputLinkDown));
    assert!(rig.count(1, LinkCounter::CreditOvf) >= 1);
    assert_eq!(rig.count(0, LinkCounter::CreditOvf), 0);
    assert_eq!(rig.read(1, EVENT) >> event::credit::LOW & 1, 1);
    assert!(rig.sinks[1][2].good > 20, "lane 2 works again");
}
