//! A whole sender but for its data, in a loop with golden receivers over a network that loses: every body arrives once and in order, and every event does what the
//! golden sender does. On all simulators.

mod connection;
mod store;
mod world;

use connection::{Connection, Order, Stage};
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::failover::{OrderKind, PortConnection, SenderAnswer, SenderOrder};
use flitforge_hdl_sue::send_table::{SendKind, SendResult, SendTimer};
use flitforge_hdl_sue::sender_core::{PeerAnswer, SendRead, SueSenderCore, LATENCY};
use flitforge_hdl_sue::slot_store::StoredBody;
use flitforge_hdl_sue::slot_walker::{BodyStatus, Completion, ReturnedSlot};
use flitforge_model::sue::{
    Acknowledgment, BodyCheck, ConnectionKey, ConnectionState, Progress, Psn, ReceiverConfig,
    ReceiverConnection, RetryLimit, Room, Sender, SenderConfig, SenderEvent, Status, Verdict,
};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::kit::{
    rng, seed, Agent, Coverage, FlowMonitor, Pace, Rng as KitRng, StimulusFn, StreamMonitor, StreamSink,
    StreamSource, Testbench,
};
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError};
use flitforge_testkit::{compiled, deep, Clocked, CompiledBlock};
use rand::Rng;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use store::Store;
use world::World;

const ADDRESS: usize = 4;
const CONNECTIONS: usize = 1 << ADDRESS;
const SLOT_BITS: usize = 4;
const SLOTS: usize = 1 << SLOT_BITS;
const RTO: u64 = 1_500;
/// Clocks that a frame takes, and the bounds of its way.
const FRAME: u64 = 12;
const WAY: std::ops::Range<u64> = 20..120;
/// Nobody waits longer for what became of a body.
const PATIENCE: u64 = 40_000;
/// An expiry and a restart of the timer are this close when they meet.
const RACE: u64 = 60;

type Core = SueSenderCore<ADDRESS, SLOT_BITS, 4, 5, 2, 3, 5>;

fn bits_of<T: Into<Bits<N>>, const N: usize>(packed: T) -> Value {
    let bits: Bits<N> = packed.into();
    bits.to_value()
}

fn settings(testbench: &mut Testbench<'static>, config: SenderConfig) -> Result<(), SimError> {
    let ports = testbench.bench();
    let RetryLimit::Max(retry_max) = config.retry_limit else { unreachable!("a limit") };
    let values = [
        (ports.port("settings.window")?, u64::from(config.window)),
        (ports.port("settings.retry_max")?, retry_max.into()),
        (ports.port("settings.backoff")?, config.backoff.into()),
        (ports.port("settings.nack_max")?, config.nack_max.into()),
        (ports.port("settings.stuck_fail")?, 0),
        (ports.port("rto")?, config.rto),
        (ports.port("slot_min")?, config.slot_min as u64),
        (ports.port("returns.valid")?, 0),
        (ports.port("damaged.valid")?, 0),
    ];
    testbench.add(StimulusFn(move |_: u64, bench: &mut dyn Bench| {
        values.iter().for_each(|(port, value)| bench.set_u64(*port, *value));
        Ok(())
    }));
    Ok(())
}

fn sources(
    testbench: &mut Testbench<'static>,
    seed: u64,
    world: &Rc<RefCell<World>>,
) -> Result<(), SimError> {
    let (asked, told) = (world.clone(), world.clone());
    testbench.add(
        StreamSource::new(testbench.bench(), "answers", seed)?
            .pace(Pace::Always)
            .items(move |_, _| {
                let mut world = asked.borrow_mut();
                let (number, answer) = world.arrived.pop_front()?;
                world.answers = true;
                let (psn, nack) = match answer {
                    Acknowledgment::Nack(psn) => (psn, true),
                    Acknowledgment::Ack(psn) => (psn, false),
                    Acknowledgment::None => return None,
                };
                let answer = PeerAnswer {
                    connection: (number as u64).into(),
                    psn: u64::from(psn.value()).into(),
                    nack,
                };
                Some(bits_of::<PeerAnswer, 29>(answer))
            })
            .on_transfer(move |_, value| {
                let answer: PeerAnswer = Bits::<29>::from_value(value).into();
                let psn = Psn::new(u64::from(answer.psn) as u16);
                let kind = if answer.nack { Acknowledgment::Nack(psn) } else { Acknowledgment::Ack(psn) };
                let mut world = told.borrow_mut();
                world.answers = false;
                world.taken.push_back((u64::from(answer.connection) as usize, kind));
                Ok(())
            }),
    );
    let (asked, told) = (world.clone(), world.clone());
    testbench.add(
        StreamSource::new(testbench.bench(), "orders", seed)?
            .items(move |_, _| {
                let mut world = asked.borrow_mut();
                let order = world.choose()?;
                world.wish = Some(order);
                let connection = (order.number as u64).into();
                let of = PortConnection { connection, port: 2u64.into() };
                let order = SenderOrder { kind: order.kind, of, psn: u64::from(order.psn).into() };
                Some(bits_of::<SenderOrder, 32>(order))
            })
            .on_transfer(move |clock, _| {
                let mut world = told.borrow_mut();
                world.order = world.wish.take();
                let order = world.order.expect("it was offered");
                let races = world.taken.iter().any(|(of, _)| *of == order.number);
                world.connections[order.number].races = races;
                let done = world.connections[order.number].ordered(order);
                done.map_err(|problem| SimError::Check { clock, problem })
            }),
    );
    Ok(())
}

fn stimulus(
    testbench: &mut Testbench<'static>,
    seed: u64,
    world: &Rc<RefCell<World>>,
    clears: f64,
) -> Result<(), SimError> {
    settings(testbench, world.borrow().config)?;
    // what is offered outlives a clear, so it waits for a clock without
    let (clear, of_clear, mut random) = (testbench.bench().port("clear")?, world.clone(), rng(seed, "clear"));
    testbench.add(StimulusFn(move |clock: u64, bench: &mut dyn Bench| {
        let world = of_clear.borrow();
        let idle = world.wish.is_none() && world.order.is_none() && world.back.is_none();
        let may = world.arrived.is_empty() && !world.answers && world.opened() && idle;
        bench.set_u64(clear, (clock < 2 || (may && random.random_bool(clears))).into());
        Ok(())
    }));
    sources(testbench, seed, world)?;
    let (of_results, of_completions, of_reads) = (world.clone(), world.clone(), world.clone());
    let wrong = |clock: u64| move |problem: String| SimError::Check { clock, problem };
    testbench.add(FlowMonitor::new(testbench.bench(), "results")?.on_transfer(move |clock, value| {
        let bits = Bits::<{ <SendResult as Synth>::BITS }>::from_value(value);
        of_results.borrow_mut().result(bits.into()).map_err(wrong(clock))
    }));
    testbench.add(FlowMonitor::new(testbench.bench(), "completions")?.on_transfer(move |clock, value| {
        of_completions.borrow_mut().complete(Bits::<36>::from_value(value).into()).map_err(wrong(clock))
    }));
    let (of_answers, of_moves) = (world.clone(), world.clone());
    testbench.add(FlowMonitor::new(testbench.bench(), "answered")?.on_transfer(move |clock, value| {
        of_answers.borrow_mut().answered(Bits::<32>::from_value(value).into()).map_err(wrong(clock))
    }));
    testbench.add(
        StreamSink::new(testbench.bench(), "moves", seed)?.on_transfer(move |clock, value| {
            of_moves.borrow_mut().moves(value.low_u64()).map_err(wrong(clock))
        }),
    );
    testbench.add(StreamSink::new(testbench.bench(), "reads", seed)?.on_transfer(move |clock, value| {
        let bits = Bits::<{ <SendRead as Synth>::BITS }>::from_value(value);
        of_reads.borrow_mut().read(bits.into()).map_err(wrong(clock))
    }));
    testbench.add(Store::new(testbench.bench(), world.clone())?);
    for stream in ["answers", "orders", "moves", "returned", "reads", "slots"] {
        testbench.add(StreamMonitor::new(testbench.bench(), stream)?);
    }
    Ok(())
}

fn config(window: u16) -> SenderConfig {
    SenderConfig {
        window,
        slots: 256,
        slot_min: 2,
        vcs: 4,
        rto: RTO,
        backoff: 2,
        retry_limit: RetryLimit::Max(15),
        nack_max: 0,
        ..Default::default()
    }
}

fn plan(
    name: &str,
    window: u16,
    [clears, orders]: [f64; 2],
    seen: &Rc<RefCell<Coverage>>,
) -> CosimPlan<'static> {
    let make = || Box::new(Core::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0xc0e), make, move |testbench: &mut Testbench<'_>, seed| {
        let world = Rc::new(RefCell::new(World::new(config(window), seed)));
        world.borrow_mut().orders = orders;
        stimulus(testbench, seed, &world, clears)?;
        let seen = seen.clone();
        testbench.add(StimulusFn(move |_: u64, _: &mut dyn Bench| {
            *seen.borrow_mut() = world.borrow().seen.clone();
            Ok(())
        }));
        Ok(())
    })
}

#[test]
fn every_body_arrives_once_and_in_order() {
    for (name, window) in
        [("sue_sender_core", 8), ("sue_sender_core_one", 1), ("sue_sender_core_wide", 32_767)]
    {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        deep(plan(name, window, [0.000_05, 0.0], &seen), 60_000, 500).run().expect("equal");
        let all = ["sent", "replayed", "ack", "expired", "freed", "completed", "delivered", "frame lost"];
        seen.borrow().require(name, &all).expect("everything happened");
        if window > 1 {
            seen.borrow().require(name, &["nack"]).expect("and this");
        }
    }
}

/// Connections are stopped, handed over or given up, and opened again, in the middle of everything.
#[test]
fn orders_do_what_the_golden_sender_does() {
    for (name, window) in [("sue_sender_core_orders", 8), ("sue_sender_core_orders_one", 1)] {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        deep(plan(name, window, [0.000_05, 0.02], &seen), 60_000, 500).run().expect("equal");
        let all = [
            "sent",
            "replayed",
            "stopped",
            "stopped empty",
            "handed over",
            "given up",
            "opened",
            "moved",
            "a late body",
            "a body of a closed connection",
            "a body that was wrong fails",
        ];
        seen.borrow().require(name, &all).expect("everything happened");
    }
}

/// From `stored` to `reads.valid`, nothing waiting.
#[test]
fn a_body_is_asked_for_soon_after_it_is_stored() {
    let mut bench = CompiledBlock::new(&compiled("core", &Core::new().expect("valid")));
    bench.set("settings.window", 8).set("settings.retry_max", 7).set("rto", 3200).set("slot_min", 2);
    bench.set("ready", 15).run(100);
    let slot = bench.get("slots.data");
    bench.set("begins.data", 1).pulse("begins.valid");
    bench.run(10);
    let body =
        StoredBody { slot: slot.into(), destination: 2u64.into(), vc: 1u64.into(), commands: 5u64.into() };
    bench.set_value("stored.data", &bits_of::<StoredBody, 30>(body)).set("slots.ready", 1);
    bench.pulse("stored.valid");
    bench.set("slots.ready", 0);
    let more = bench.until("a read", 60, |bench| bench.get("reads.valid") == 1);
    assert_eq!(more + 1, u64::from(LATENCY));
    let read: SendRead = Bits::<37>::from_value(&bench.get_value("reads.data")).into();
    assert_eq!((u64::from(read.slot), u64::from(read.connection), read.replay), (slot, 9, false));
}

#[test]
fn faults_are_found() {
    const TOP: &str = "fault_sue_sender_core";
    let faults = [
        Fault::replace("the lists hear nothing", TOP, ".results_valid(says),", ".results_valid(1'b0),"),
        Fault::replace("slots are not linked", TOP, "walker_links_valid = ", "walker_links_valid = 1'b0 & "),
        Fault::replace(
            "turns are not counted",
            TOP,
            "turns_d = (turns_q + more) - fewer",
            "turns_d = (turns_q + more)",
        ),
    ];
    let plan = || {
        plan(TOP, 8, [0.0, 0.01], &Rc::default())
            .clocks(20_000)
            .stock_limit(100, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn numbers_that_do_not_fit_are_refused() {
    let error = SueSenderCore::<13, 4, 4, 5, 11, 12, 14>::new().err().expect("A").to_string();
    assert!(error.contains("sue_sender_core") && error.contains("12"), "{error}");
}
