//! Two instances of SUE Lite over a line: commands arrive once, in order and unaltered, or their sender hears that they may not have.

mod frames;
mod ledger;
mod receiver;

use super::top::end::{lite_program, End, Setup, IDLE, PARTITION, VCS};
use super::top::{Line, DELAY, PLAIN};
use flitforge_hdl_sue::lite::{RECEIVE_LATENCY, SEND_LATENCY};
use flitforge_protocol::sue_port_registers::{self as port_page, FlowControl, PortCounter};
use flitforge_protocol::sue_registers::{self as page, port_page, Event, SueCounter, Table};
use flitforge_sim::kit::{rng, seed};
use flitforge_testkit::{Clocked, CompiledBlock};
use std::collections::VecDeque;

const LITE: Setup = Setup { retry: true, rto: 3_200, lite: true, ..PLAIN };
/// Clocks in which LLR_INIT and its echo have passed.
const START: u64 = 6_000;
const P_CTRL: u32 = port_page(0) + port_page::P_CTRL;
const RETRY: u64 = 1 << port_page::p_ctrl::retry::LOW;
const RESTART: u64 = 1 << port_page::p_ctrl::retry_restart::LOW;

/// Every body has a status, and what was delivered has arrived.
fn require_all_told(end: &mut End) {
    assert_eq!(end.count(SueCounter::BodyTx), end.completed + end.failed, "each body has one status");
    assert_eq!(end.count(SueCounter::LiteLoss), end.failed);
}

#[test]
fn commands_arrive() {
    let mut line = Line::new(LITE, 0.0, seed(0x801));
    line.run(300, 200, 200_000);
    line.settle(2_000);
    let bodies = line.ends.each_mut().map(|end| {
        require_all_told(end);
        assert_eq!(end.failed, 0);
        assert_eq!((end.count(SueCounter::CommandIn), end.count(SueCounter::CommandOut)), (300, 300));
        assert_eq!(end.port_count(PortCounter::RetryReplay), 0);
        assert_eq!(end.read(page::ID) & 1, 1, "LITE");
        (end.count(SueCounter::BodyTx), end.count(SueCounter::BodyRx))
    });
    assert_eq!((bodies[0].0, bodies[1].0), (bodies[1].1, bodies[0].1));
}

#[test]
fn link_layer_retry_repairs_a_bad_line() {
    let mut line = Line::new(LITE, 2e-3, seed(0x802));
    line.run(600, 200, 2_000_000);
    line.faults = 0.0;
    line.settle(30_000);
    assert!(line.damaged > 20, "{} columns", line.damaged);
    for end in &mut line.ends {
        require_all_told(end);
        assert_eq!(end.failed, 0);
        assert!(end.port_count(PortCounter::RetryReplay) > 0);
        assert_eq!((end.count(SueCounter::HeaderBad), end.count(SueCounter::BodyBad)), (0, 0));
    }
}

/// The line is cut for so long that link-layer retry gives up; after a new start traffic goes on.
#[test]
fn a_flush_is_told_and_traffic_goes_on() {
    let mut line = Line::new(LITE, 0.0, seed(0x803));
    line.ends.iter_mut().for_each(|end| end.lossy = true);
    line.settle(START);
    for round in 0..3 {
        for end in &mut line.ends {
            (0..40).for_each(|number| end.offer(number % VCS, 60));
        }
        line.settle(150 + 70 * round);
        // One direction, then the other, then both.
        line.cut = [round != 1, round != 0];
        line.settle(20_000);
        line.cut = [false; 2];
        let lost: u64 = line.ends.iter().map(|end| end.failed).sum();
        assert!(lost > 0, "round {round}");
        for end in &mut line.ends {
            let events = end.read(page::EVENT);
            let happened = end.failed > 0;
            assert_eq!(events >> Event::LiteLoss.code() & 1 == 1, happened, "{events:#x}");
            let control = end.read(P_CTRL);
            end.write(P_CTRL, control | RESTART);
        }
        line.settle(30_000);
        line.ends.iter_mut().for_each(require_all_told);
        let before = line.ends.each_ref().map(|end| end.delivered);
        line.run(50, 150, line.now + 100_000);
        line.settle(3_000);
        for (end, before) in line.ends.iter_mut().zip(before) {
            assert!(end.delivered >= before + 50);
            require_all_told(end);
            end.write(page::EVENT, u64::MAX);
            end.failed = 0;
            end.completed = 0;
            end.write(page::counter_offset(SueCounter::BodyTx), 0);
            end.write(page::counter_offset(SueCounter::LiteLoss), 0);
        }
    }
    let missing: u64 = line.ends.iter().map(|end| end.missing).sum();
    assert!(missing > 0, "commands were lost");
}

/// P_CTRL of an end is written while everything goes on.
fn switch_port(line: &mut Line, index: usize, value: u64) {
    line.ends[index].block.set("bus.address", u64::from(P_CTRL / 8)).set("bus.wdata", value);
    line.ends[index].block.set("bus.write", 1).set("bus.request", 1);
    for _ in 0..200 {
        line.clock();
        if line.ends[index].block.get("bus.ack") == 1 {
            line.ends[index].block.set("bus.request", 0);
            line.clock();
            return;
        }
    }
    panic!("no answer");
}

/// The port is switched off with frames on their way: each body has a status, and what comes later arrives.
#[test]
fn a_port_that_is_switched_off_loses_what_it_holds() {
    for moment in [60, 133, 200, 277] {
        let mut line = Line::new(LITE, 0.0, seed(0x804));
        line.ends.iter_mut().for_each(|end| end.lossy = true);
        line.settle(START);
        let on = line.ends[0].read(P_CTRL);
        let off = on & !1;
        for end in &mut line.ends {
            (0..30).for_each(|number| end.offer(number % VCS, 100));
        }
        line.settle(moment);
        (0..2).for_each(|index| switch_port(&mut line, index, off));
        line.wires = [0, 1].map(|_| VecDeque::from(vec![IDLE; DELAY]));
        line.settle(moment);
        (0..2).for_each(|index| switch_port(&mut line, index, on));
        line.settle(20_000);
        let failed: u64 = line.ends.iter().map(|end| end.failed).sum();
        assert!(failed > 0, "after {moment} clocks");
        for end in &mut line.ends {
            (0..50).for_each(|number| end.offer(number % VCS, 100));
        }
        line.settle(20_000);
        // The last of each virtual channel shows what is missing before it.
        for end in &mut line.ends {
            let counts =
                [SueCounter::BodyTx, SueCounter::BodyRx, SueCounter::LiteLoss, SueCounter::ReceiveFull]
                    .map(|counter| end.count(counter));
            println!(
                "{moment}: delivered {}, missing {}, completed {}, failed {}, waiting {}, {counts:?}",
                end.delivered,
                end.missing,
                end.completed,
                end.failed,
                end.waiting()
            );
        }
        for end in &mut line.ends {
            assert_eq!((end.delivered + end.missing, end.waiting()), (80, 0), "after {moment} clocks");
            // What was stored and not begun fails without being lost.
            assert!(end.count(SueCounter::LiteLoss) <= end.failed);
            let begun = end.count(SueCounter::BodyTx);
            assert!(begun <= end.completed + end.failed && end.completed <= begun);
            assert_eq!((end.count(SueCounter::HeaderBad), end.count(SueCounter::BodyBad)), (0, 0));
        }
    }
}

/// An XPU that takes nothing for long: with PFC nothing is lost.
#[test]
fn a_slow_xpu_pauses_its_peer() {
    let mut line = Line::new(Setup { flow: FlowControl::Pause, ..LITE }, 0.0, seed(0x805));
    line.ends[0].takes = 0.05;
    line.run(800, 256, 2_000_000);
    line.settle(5_000);
    let [slow, fast] = &mut line.ends;
    let pauses = [PortCounter::PauseTx0, PortCounter::PauseTx1, PortCounter::PauseTx2, PortCounter::PauseTx3];
    assert!(pauses.iter().any(|counter| slow.port_count(*counter) > 0));
    assert_eq!(slow.count(SueCounter::ReceiveFull), 0);
    require_all_told(fast);
    assert_eq!(fast.failed, 0);
}

/// Without flow control what has no room is lost: RX_FULL counts it, and what has room arrives in order.
#[test]
fn a_full_receive_buffer_loses_bodies() {
    let mut line = Line::new(LITE, 0.0, seed(0x806));
    line.ends[0].lossy = true;
    line.ends[0].takes = 0.0;
    line.settle(START);
    for _ in 0..40 {
        (0..8).for_each(|number| line.ends[1].offer(number % VCS, 256));
        line.settle(900);
    }
    line.ends[0].takes = 1.0;
    line.settle(20_000);
    // The last of each virtual channel shows what is missing before it.
    (0..VCS).for_each(|vc| line.ends[1].offer(vc, 8));
    line.settle(3_000);
    let [slow, fast] = &mut line.ends;
    let full = slow.count(SueCounter::ReceiveFull);
    assert!(full > 0 && slow.missing >= full, "{full} bodies, {} commands", slow.missing);
    assert_eq!(slow.read(page::EVENT) >> Event::ReceiveFull.code() & 1, 1);
    assert_eq!(slow.delivered + slow.missing, 40 * 8 + VCS as u64);
    require_all_told(fast);
    assert_eq!(fast.failed, 0, "link-layer retry has brought all");
    assert_eq!(fast.count(SueCounter::BodyTx), slow.count(SueCounter::BodyRx) + full);
}

/// Both ends are switched off with their ports and on again in the middle of everything: what was on its way is gone, what comes then arrives.
#[test]
fn both_ends_begin_anew() {
    let mut line = Line::new(LITE, 1e-3, seed(0x807));
    for round in 0..6 {
        line.settle(START);
        for end in &mut line.ends {
            (0..30).for_each(|number| end.offer(number % VCS, 100));
        }
        line.settle(50 + 133 * round);
        for end in &mut line.ends {
            let control = end.read(P_CTRL);
            end.write(P_CTRL, control & !1);
            end.restart();
            end.write(P_CTRL, control);
        }
        line.wires = [0, 1].map(|_| VecDeque::from(vec![IDLE; DELAY]));
        line.run(50, 150, line.now + 400_000);
    }
}

/// CTRL.enable = 0 in mid-transfer: each frame that has begun comes to its end, and is not torn.
#[test]
fn an_instance_that_is_switched_off_finishes_its_frames() {
    for moment in 0..24 {
        let mut line = Line::new(LITE, 0.0, seed(0x808));
        line.settle(START);
        (0..20).for_each(|number| line.ends[0].offer(number % VCS, 250));
        line.settle(80 + 7 * moment);
        let control = line.ends[0].read(page::CTRL);
        line.ends[0].block.set("commands.valid", 0);
        line.ends[0].write(page::CTRL, control & !1);
        let clearing = |end: &mut End| end.read(page::STATUS) >> page::status::clearing::LOW & 1;
        assert_eq!(clearing(&mut line.ends[0]), 1);
        // What the line loses while the host is at work is repaired.
        line.settle(8_000);
        let [sender, receiver] = &mut line.ends;
        assert_eq!(sender.count(SueCounter::BodyTx), receiver.count(SueCounter::BodyRx), "moment {moment}");
        assert_eq!((receiver.count(SueCounter::HeaderBad), receiver.count(SueCounter::BodyBad)), (0, 0));
        let out = receiver.count(SueCounter::CommandOut);
        assert_eq!(receiver.delivered, out);
    }
}

/// Without link-layer retry no frame leaves, and STATUS says so; once it is on, what waited arrives.
#[test]
fn nothing_leaves_without_link_layer_retry() {
    let mut line = Line::new(Setup { retry: false, ..LITE }, 0.0, seed(0x809));
    for end in &mut line.ends {
        (0..20).for_each(|number| end.offer(number % VCS, 60));
    }
    for _ in 0..5_000 {
        line.clock();
        assert_eq!(line.ends.each_mut().map(End::say), [IDLE; 2]);
    }
    for end in &mut line.ends {
        assert_eq!(end.read(page::STATUS) >> page::status::blocked::LOW & 1, 1);
        let control = end.read(P_CTRL);
        end.write(P_CTRL, control | RETRY);
    }
    line.settle(START + 3_000);
    for end in &mut line.ends {
        assert_eq!(end.delivered, 20);
        assert_eq!(end.read(page::STATUS) >> page::status::blocked::LOW & 1, 0);
        require_all_told(end);
    }
}

/// The partition of the port is checked at both ends.
#[test]
fn the_partition_of_the_port_is_checked_on_both_sides() {
    let mut line = Line::new(LITE, 0.0, seed(0x80A));
    line.settle(START);
    let forget = |end: &mut End| {
        end.write(page::TBL_ADDR, (Table::Partitions as u64) << 28 | PARTITION);
        end.write(page::TBL_DATA, 0);
    };
    forget(&mut line.ends[1]);
    (0..8).for_each(|number| line.ends[0].offer(number % VCS, 40));
    line.settle(3_000);
    let [sender, receiver] = &mut line.ends;
    assert_eq!((receiver.delivered, receiver.count(SueCounter::CommandOut)), (0, 0));
    let bodies = sender.count(SueCounter::BodyTx);
    assert!(bodies > 0);
    assert_eq!(receiver.count(SueCounter::PartitionViolation), bodies);
    let captured = receiver.read(page::CAPTURE_HEADER);
    assert_eq!(captured >> 16 & 0x3FF, PARTITION, "{captured:#x}");
    forget(sender);
    (0..8).for_each(|number| sender.offer(number % VCS, 40));
    line.settle(3_000);
    let [sender, _] = &mut line.ends;
    assert_eq!((sender.count(SueCounter::CommandBad), sender.count(SueCounter::BodyTx)), (8, bodies));
}

/// From the last word of a command to the start of its frame, and from the end of the frame to the first word of the command; nothing else on the way.
#[test]
fn an_idle_instance_takes_as_long_as_it_says() {
    for (vc, bytes) in [(0, 0), (1, 8), (2, 64), (3, 200)] {
        // Header, 12 octets of control, data: the body, which is stored before it is sent.
        let words = (14 + bytes as u64).div_ceil(8);
        let mut line = Line::new(LITE, 0.0, seed(0x80B));
        line.settle(START);
        line.ends[0].offer(vc, bytes);
        let (mut given, mut starts, mut ended, mut comes) = (None, None, None, None);
        for clock in 0..400_u64 {
            let (data, control) = line.ends[0].say();
            if control & 1 == 1 && data & 0xFF == 0xFB {
                starts.get_or_insert(clock);
            }
            let heard = line.wires[0].front().copied().expect("a column");
            let terminates =
                |octet: usize| heard.1 >> octet & 1 == 1 && heard.0 >> (8 * octet) & 0xFF == 0xFD;
            if (0..8).any(terminates) {
                ended.get_or_insert(clock);
            }
            if line.ends[1].block.get("commands_out.valid") == 1 {
                comes.get_or_insert(clock);
            }
            let before = line.ends[0].waiting();
            line.clock();
            if line.ends[0].waiting() < before {
                given.get_or_insert(clock);
            }
        }
        let all = [given, starts, ended, comes].map(|clock| clock.expect("it happened"));
        let clocks = [all[1] - all[0] - words, all[3] - all[2]];
        println!("{bytes} octets: {clocks:?} clocks");
        for (clocks, most) in clocks.into_iter().zip([SEND_LATENCY, RECEIVE_LATENCY]) {
            let most = u64::from(most);
            assert!((most - 1..=most).contains(&clocks), "{clocks} clocks, at most {most} expected");
        }
    }
}

/// Before the host has written anything the line is idle and nothing is taken.
#[test]
fn an_instance_is_off_after_power_on() {
    let mut block = CompiledBlock::new(lite_program());
    block.set("pcs_up", 1).set("commands.valid", 1).set("rxd", IDLE.0).set("rxc", IDLE.1);
    for _ in 0..2_000 {
        assert_eq!((block.get("commands.ready"), block.get("credits.valid"), block.get("up")), (0, 0, 0));
        assert_eq!((block.get("txd"), block.get("txc")), IDLE);
        block.step();
    }
}

/// Settings of go-back-N formats are refused, and bodies of more than 1,024 octets.
#[test]
fn settings_of_others_are_refused() {
    let setup = LITE;
    let mut end = End::new(0, rng(seed(0x80C), "end"), setup);
    let control = end.read(page::CTRL);
    end.write(page::CTRL, control & !1);
    let pack = end.read(page::PACK);
    assert_eq!(pack & 0x1FFF, 1_024);
    for (offset, value) in [(page::PACK, pack & !0x1FFF | 1_026), (page::FMT, 3)] {
        let before = end.read(offset);
        end.write(offset, value);
        assert_eq!(end.read(offset), before, "{offset:#x}");
        assert_eq!(end.read(page::EVENT) >> Event::ConfigurationBad.code() & 1, 1);
        end.write(page::EVENT, u64::MAX);
    }
}
