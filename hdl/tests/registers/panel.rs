//! The pages of the panel, and what they do besides what every field does.

use super::every_field::{inputs, Access, Pages};
use super::panel_registers;
use super::panel_registers::{COUNTS, ID, PAGE, PLACE, ROW, SET, SLOW, TREES, WINDOW, WINDOW_COUNTS, WORD};
use flitforge_base::prelude::*;
use flitforge_hdl::registers::{described, PageBuild};
use flitforge_protocol::register::{Register as Row, BYTES};
use flitforge_sim::cosim::Depth;
use flitforge_sim::kit::{rng, seed, StimulusFn};
use flitforge_sim::{Bench, CosimPlan};
use rand::Rng;

/// All registers of the panel but the window.
#[register_page(
    panel_registers, "panel_page", address = 6,
    only(ID, CTRL, STATE, WORD, SHAPE, EVENT, EVENT_MASK, OVER, SET, INDEX, LEFT, ROLE, SLOW, TREES, POP, ROW),
    constant(ID), given(INDEX, LEFT.now), loads(WORD), read(STATE), asked(POP), written(CTRL), guarded(ROLE), slow(SLOW),
    masked(TREES), elsewhere(ROW), interrupt(EVENT, EVENT_MASK), counters(COUNTS, STOPPED = 3),
)]
pub struct PanelPage;

/// The window.
#[register_page(
    panel_registers, "panel_window", address = 3, base = WINDOW, only(PLACE), counters(WINDOW_COUNTS),
)]
pub struct PanelWindow;

/// A panel of number 7 without two trees; its counters are about to end.
pub struct Built;

impl PageBuild for Built {
    fn power_on(&self, register: &Row) -> u64 {
        described(register) | if register.offset == ID { 7 << 48 } else { 0 }
    }

    fn writable(&self, register: &Row) -> u64 {
        if register.offset == TREES {
            0x303
        } else {
            u64::MAX
        }
    }

    fn counters(&self) -> Option<u32> {
        Some(u32::MAX - 5)
    }
}

pub fn pages() -> Pages {
    Pages::new(PAGE)
        .page::<PanelPage>(0, &Built, |built| Box::new(PanelPage::new(built).expect("a page")))
        .page::<PanelWindow>(WINDOW, &Built, |built| Box::new(PanelWindow::new(built).expect("a page")))
}

fn page() -> Access {
    Access::new("panel_page", Box::new(PanelPage::new(&Built).expect("a page")), 0)
}

#[test]
fn words_that_name_nothing_read_0_and_are_acknowledged() {
    let mut page = page();
    for offset in [0x1F8, 0x90, 0x180] {
        assert_eq!((page.write(offset, u64::MAX), page.read(offset)), (3, 0), "{offset:#x}");
    }
}

#[test]
fn counters_saturate_and_are_cleared_by_0_alone() {
    let mut page = page();
    page.set("stopped", 3);
    page.set("started", 1);
    page.run(1);
    page.set("stopped", 0);
    page.set("started", 0);
    let of = |name: &str| COUNTS.offset_of(name).expect("a counter");
    assert_eq!(page.read(of("STARTED")), u64::from(u32::MAX) - 4);
    assert_eq!(page.read(of("STOPPED")), u64::from(u32::MAX) - 2);
    assert_eq!(page.read(of("DROPPED")), u64::from(u32::MAX) - 5);
    page.set("stopped", 3);
    page.run(40);
    page.set("stopped", 0);
    assert_eq!(page.read(of("STOPPED")), u64::from(u32::MAX), "full");
    page.write(of("STOPPED"), 1 << 40);
    assert_eq!(page.read(of("STOPPED")), u64::from(u32::MAX), "another value clears nothing");
    page.write(of("STOPPED"), 0);
    assert_eq!((page.read(of("STOPPED")), page.read(of("STARTED"))), (0, u64::from(u32::MAX) - 4));
    let mut window = Access::new("panel_window", Box::new(PanelWindow::new(&Built).expect("a page")), WINDOW);
    window.set("held", 1);
    window.run(2);
    window.set("held", 0);
    assert_eq!(window.read(WINDOW_COUNTS.offset_of("HELD").expect("a counter")), u64::from(u32::MAX) - 3);
    window.write(PLACE, 0xFFFF_FFFF);
    assert_eq!(window.read(PLACE), 0xF_FFFF, "reserved bits read 0");
}

/// What hardware sets wins over a write of the same clock.
#[test]
fn what_hardware_sets_is_kept() {
    let mut page = page();
    page.set("word_load", 1);
    page.set("word_loaded", 0xAB);
    page.write(WORD, 0xCD);
    page.set("word_load", 0);
    assert_eq!((page.get("word"), page.read(WORD)), (0xAB, 0xAB));
    page.set("word_loaded", 0xEF);
    page.write(WORD, 0xCD);
    assert_eq!((page.get("word"), page.read(WORD)), (0xCD, 0xCD));
}

/// An event of the clock in which the page clears it stays.
#[test]
fn an_event_wins_over_its_clearing() {
    for (port, offset, cleared_by) in [("event_ended", 0x28, 1 << 3), ("over_seen", 0x38, 0)] {
        let mut page = page();
        page.set(port, 1);
        page.run(1);
        page.write(offset, cleared_by);
        page.set(port, 0);
        page.run(1);
        assert_ne!(page.read(offset) & (1 << 3 | 1), 0, "{port}");
        page.write(offset, cleared_by);
        assert_eq!(page.read(offset), 0, "{port}");
    }
}

#[test]
fn only_events_of_the_mask_interrupt() {
    let mut page = page();
    page.write(0x30, 1 << 3);
    for (port, expected) in [("event_begun", 0), ("event_lost", 0), ("event_ended", 1)] {
        page.set(port, 1);
        page.run(1);
        page.set(port, 0);
        page.run(1);
        assert_eq!(page.get("interrupt"), expected, "{port}");
    }
}

#[test]
fn a_refused_write_changes_nothing_and_says_so() {
    let mut page = page();
    page.set("role_permit", 1);
    page.write(0x58, 0x3);
    page.set("role_permit", 0);
    page.record(&["role_refused"]);
    page.write(0x58, 0x30);
    assert_eq!(page.recorded("role_refused"), [1], "one pulse");
    assert_eq!(page.read(0x58), 0x3);
}

#[test]
fn a_write_that_takes_longer_is_answered_after_it_is_done() {
    let mut page = page();
    page.hold_done = true;
    page.start(true, SLOW, 77);
    page.run(20);
    assert_eq!((page.get("bus.ack"), page.get("slow_rate")), (0, 9));
    page.set("slow_store", 1);
    page.set("done", 1);
    page.run(1);
    page.set("slow_store", 0);
    page.set("done", 0);
    assert_eq!((page.get("bus.ack"), page.get("slow_rate")), (1, 77));
    page.run(1);
    assert_eq!((page.get("bus.ack"), page.read(SLOW)), (0, 77), "a read is not slow");
}

#[test]
fn what_stands_elsewhere_is_answered_from_there() {
    let mut page = page();
    for index in 0..3 {
        page.start(false, ROW + BYTES * index, 0);
        page.run(1);
        assert_eq!(page.get("elsewhere"), 1);
        page.run(7);
        assert_eq!(page.get("bus.ack"), 0);
        page.set("elsewhere_done", 1);
        page.set("elsewhere_value", 0xABC);
        page.run(1);
        page.set("elsewhere_done", 0);
        assert_eq!((page.get("bus.ack"), page.get("bus.rdata")), (1, 0xABC));
        page.run(1);
        assert_eq!((page.get("bus.ack"), page.get("bus.rdata")), (0, 0));
    }
}

/// Strobes of reads and writes, in the clocks that the pages promise.
#[test]
fn strobes_come_in_their_clocks() {
    for (write, offset, port, clock) in [
        (false, 0x70, "pop_asked", 0),
        (false, 0x10, "state_read", 1),
        (true, SET, "set_write", 1),
        (true, 0x48, "index_write", 1),
        (true, 0x08, "ctrl_written", 2),
    ] {
        let mut page = page();
        page.start(write, offset, 0);
        for now in 0..6 {
            assert_eq!(page.get(port), u64::from(now == clock), "{port} in clock {now}");
            assert_eq!(page.get("bus.ack"), u64::from(now == 3), "{port}, ack in clock {now}");
            page.run(1);
        }
        page.start(!write, offset, 0);
        for now in 0..6 {
            assert_eq!(page.get(port), 0, "{port} in clock {now} of the other kind");
            page.run(1);
        }
    }
}

#[test]
fn a_clear_forgets_the_request_and_keeps_what_was_written() {
    let mut page = page();
    page.write(WORD, 3);
    for at in 0..3 {
        page.start(false, WORD, 0);
        page.run(at);
        page.set("clear", 1);
        page.run(1);
        page.set("clear", 0);
        for _ in 0..10 {
            assert_eq!(page.get("bus.ack"), 0, "cleared in clock {at}");
            page.run(1);
        }
        assert_eq!(page.read(WORD), 3);
    }
}

/// Evaluator, compiled engine, rust-hdl itself and the emitted Verilog.
#[test]
fn the_page_is_equal_everywhere() {
    let make = || Box::new(PanelPage::new(&Built).expect("a page")) as Box<_>;
    let plan = CosimPlan::new("panel_page", seed(0x9AE0), make, |testbench, seed| {
        let inputs: Vec<String> = inputs(testbench.bench(), "").map(ToOwned::to_owned).collect();
        let (mut random, mut age) = (rng(seed, "panel"), 0_u32);
        testbench.add(StimulusFn(move |_: u64, bench: &mut dyn Bench| {
            age += 1;
            let asks = age > 30;
            for path in &inputs {
                let stands = matches!(path.as_str(), "bus.write" | "bus.address" | "bus.wdata") && !asks;
                let port = bench.port(path)?;
                let most = u64::MAX >> (64 - bench.width(port).min(64));
                let value = match path.as_str() {
                    _ if stands => continue,
                    "bus.request" => asks.into(),
                    "clear" => random.random_bool(0.01).into(),
                    _ => {
                        random.random::<u64>()
                            & most
                            & if random.random() { u64::MAX } else { random.random() }
                    }
                };
                bench.set_u64(port, value);
            }
            if asks {
                age = 0;
            }
            Ok(())
        }));
        Ok(())
    });
    let depth = Depth::from_environment().expect("FLITFORGE_COSIM");
    plan.clocks(4_000).stock_limit(400, "a quick run").to_depth(depth).run().expect("equal");
}
