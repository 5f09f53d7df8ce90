//! Which body has become a PDU of which port: each is told of once, a clock after its last word, with what belongs to it.

use crate::rooms::network::value_of;
use flitforge_elaborate::drive::FromValue;
use flitforge_hdl_sue::frame::BodyHead;
use flitforge_hdl_sue::top::{Dispatch, DispatchReport};
use flitforge_sim::compiled::Compiled;
use flitforge_sim::kit::{rng, seed, Coverage};
use flitforge_testkit::{compiled, is_full, Clocked, CompiledBlock};
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;

/// A fault of the block as it would show at its ports.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Planted {
    /// A body is not told of.
    Hidden,
    /// One is told of again when nothing has ended.
    Doubled,
    /// It is told of with another port.
    OtherPort,
    /// It has the head of the clock before.
    LateHead,
    /// Its commands are those of the clock before.
    LateCommands,
    /// One that has moved is told of as a new one.
    Unmoved,
    /// It is told of with another port that it came from.
    OtherOrigin,
    /// `clear` does nothing.
    Uncleared,
    /// Nothing of the highest port is heard.
    Deaf,
}

const ALL: [Planted; 9] = [
    Planted::Hidden,
    Planted::Doubled,
    Planted::OtherPort,
    Planted::LateHead,
    Planted::LateCommands,
    Planted::Unmoved,
    Planted::OtherOrigin,
    Planted::Uncleared,
    Planted::Deaf,
];
/// A planted fault of the output shows at one body of so many.
const RARE: u64 = 23;

/// Port, destination, virtual channel and commands; whether it has moved, and from where.
type Told = (u64, u64, u64, u64, bool, u64);

/// The block with 1, 2 and 4 ports.
fn programs() -> [(usize, Arc<Compiled>); 3] {
    [
        (1, compiled("sue_dispatch_report_1", &DispatchReport::<1>::new().expect("valid"))),
        (2, compiled("sue_dispatch_report_2", &DispatchReport::<2>::new().expect("valid"))),
        (4, compiled("sue_dispatch_report_4", &DispatchReport::<4>::new().expect("valid"))),
    ]
}

/// What the block says in this clock, or what a planted fault makes of it.
fn said(
    block: &mut CompiledBlock,
    planted: Option<Planted>,
    last: Option<Told>,
    count: &mut u64,
) -> Option<Told> {
    if block.get("dispatches.valid") == 0 {
        let again = planted == Some(Planted::Doubled) && *count % RARE == 0;
        return last.filter(|_| again);
    }
    *count += 1;
    let told: Dispatch = Bits::<27>::from_value(&block.get_value("dispatches.data")).into();
    let port = u64::from(told.port);
    let shows = *count % RARE == 0;
    let port = if shows && planted == Some(Planted::OtherPort) { port ^ 1 } else { port };
    let moved = told.moved && !(shows && planted == Some(Planted::Unmoved));
    let from = u64::from(told.from) ^ u64::from(shows && planted == Some(Planted::OtherOrigin));
    let hidden = shows && planted == Some(Planted::Hidden);
    (!hidden).then(|| (port, told.destination.into(), told.vc.into(), told.commands.into(), moved, from))
}

/// Bodies that end at random, against what was given a clock before.
fn told_in_time(ports: usize, program: &Arc<Compiled>, planted: Option<Planted>, clocks: u64) -> Coverage {
    let mut random = rng(seed(0x717), "bodies");
    let mut block = CompiledBlock::new(program);
    let mut seen = Coverage::default();
    let (mut expected, mut last, mut before) = (None, None, (0, 0, 0));
    let mut count = 0;
    for clock in 0..clocks {
        let found = said(&mut block, planted, last, &mut count);
        assert_eq!(found, expected, "{ports} ports, clock {clock}");
        last = found.or(last);
        let clear = random.random_bool(0.05);
        let port = random.random_bool(0.6).then(|| random.random_range(0..ports));
        let now: (u64, u64, u64) =
            (random.random_range(0..1024), random.random_range(0..4), random.random_range(0..1024));
        let (moved, from) = (random.random_bool(0.5), random.random_range(0..4u64));
        block.set("moved", moved.into()).set("from", from);
        for of in 0..ports {
            let deaf = planted == Some(Planted::Deaf) && of == ports - 1;
            block.set(&format!("ends[{of}]"), u64::from(port == Some(of) && !deaf));
        }
        let (destination, vc, _) = if planted == Some(Planted::LateHead) { before } else { now };
        let (.., commands) = if planted == Some(Planted::LateCommands) { before } else { now };
        let head = BodyHead { destination: destination.into(), vc: vc.into(), partition: 7.into() };
        block.set_value("head", &value_of::<_, 22>(head)).set("commands", commands);
        block.set("clear", u64::from(clear && planted != Some(Planted::Uncleared)));
        expected = port.filter(|_| !clear).map(|port| (port as u64, now.0, now.1, now.2, moved, from));
        seen.hit(match (port, clear) {
            (None, _) => "nothing".into(),
            (Some(_), true) => "cleared".into(),
            (Some(port), false) => format!("port {port}"),
        });
        before = now;
        block.step();
    }
    seen
}

#[test]
fn each_body_is_told_of_a_clock_later() {
    for (ports, program) in programs() {
        let seen = told_in_time(ports, &program, None, if is_full() { 1_000_000 } else { 50_000 });
        let all: Vec<String> = (0..ports).map(|port| format!("port {port}")).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).chain(["nothing", "cleared"]).collect();
        seen.require("bodies", &all).expect("everything happened");
    }
}

/// Faults at the ports of the block: the comparison finds each, with any number of ports.
#[test]
fn planted_faults_are_found() {
    for (ports, program) in programs() {
        told_in_time(ports, &program, None, 2_000);
        for planted in ALL {
            let run = || told_in_time(ports, &program, Some(planted), 2_000);
            assert!(
                catch_unwind(AssertUnwindSafe(run)).is_err(),
                "{planted:?} is not found at {ports} ports"
            );
        }
    }
}
