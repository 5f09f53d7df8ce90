//! PFC of chapter 50, 4.7: section 9 point 10, and the watchdog of section 0.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::sue_link::{lossless, plain, quiet, Harness};
use crate::support::random;
use flitforge_model::sue::format::classes::ClassTable;
use flitforge_model::sue::format::{PriorityPause, Profile};
use flitforge_model::sue::link::{
    headroom, Fault, FlowControl, PauseConfig, PauseConfigError, PauseSource, PauseThreshold, PauseTimers,
    PortConfig, PortEvent, WireItem,
};
use flitforge_protocol::sue::class::{ClassUse, CLASSES};
use rand::Rng;
use std::collections::VecDeque;

const REQUESTS: ClassUse = ClassUse::Requests;

fn config(xoff: usize, xon: usize) -> PauseConfig {
    PauseConfig::new(ClassTable::default(), [PauseThreshold { xoff, xon }; CLASSES], 0x0200_0000_0050)
}

fn pause(priority: usize, quanta: u16) -> PriorityPause {
    let mut all = [None; 8];
    all[priority] = Some(quanta);
    PriorityPause { source: 1, quanta: all }
}

#[test]
fn eight_timers_count_for_themselves() {
    let mut timers = PauseTimers::new(config(100, 50)).expect("settings");
    // default priorities of VC0, VC1, VC2, VC3, ACK, MGMT: 3 4 2 1 5 0
    let priorities = [3, 4, 2, 1, 5, 0];
    for (class, priority) in ClassUse::ALL.iter().zip(priorities) {
        timers.receive(&pause(priority, 10 * (priority as u16 + 1)), 0);
        assert!(timers.is_paused(*class, 0));
    }
    for now in 0..600 {
        for (class, priority) in ClassUse::ALL.iter().zip(priorities) {
            // a quantum is 512 bit times, 8 clocks of 64 bits
            assert_eq!(timers.is_paused(*class, now), now < 80 * (priority as u64 + 1), "{class:?} {now}");
        }
    }
    timers.receive(&pause(3, 0xFFFF), 600);
    timers.receive(&pause(3, 0), 700);
    assert!(!timers.is_paused(REQUESTS, 700));
    assert_eq!(timers.counters().pfc_rx[REQUESTS as usize], 3);
}

#[test]
fn thresholds_ask_and_renew() {
    let mut source = PauseSource::new(config(1000, 400)).expect("settings");
    source.receive(REQUESTS, 999);
    assert_eq!(source.due(0), None);
    source.receive(REQUESTS, 1);
    assert_eq!(source.due(5).expect("XOFF").quanta, pause(3, 0xFFFF).quanta);
    // half of 65535 quanta of 8 clocks
    assert_eq!(source.due(5 + 262_139), None);
    assert_eq!(source.due(5 + 262_140).expect("renewed").quanta, pause(3, 0xFFFF).quanta);
    source.free(REQUESTS, 599);
    assert_eq!(source.due(300_000), None);
    source.free(REQUESTS, 1);
    assert_eq!(source.due(300_000).expect("XON").quanta, pause(3, 0).quanta);
    source.receive(ClassUse::Management, 5000);
    assert_eq!(source.due(300_001), None, "a lossy class never asks");
    assert_eq!(source.counters().pfc_tx[REQUESTS as usize], 3);
    let error = PauseSource::new(config(400, 400)).expect_err("refused");
    assert_eq!(error, PauseConfigError::Threshold { class: REQUESTS, xon: 400, xoff: 400 });
}

/// All classes paused for ten PFC_WD: one event each, however often the pause is renewed; again after its end.
#[test]
fn watchdog_fires_once_per_pause() {
    let wd = 153 * 1024;
    let mut timers = PauseTimers::new(config(100, 50)).expect("settings");
    for round in 1..=2_u64 {
        let start = round * 100 * wd;
        let mut fired = Vec::new();
        for now in start..start + 10 * wd {
            if (now - start) % 200_000 == 0 {
                (0..8).for_each(|priority| timers.receive(&pause(priority, 0xFFFF), now));
            }
            fired.extend(timers.expire(now).into_iter().map(|class| (class, now - start)));
        }
        let expected: Vec<_> = ClassUse::ALL.iter().map(|class| (*class, wd + 1)).collect();
        assert_eq!(fired, expected);
        (0..8).for_each(|priority| timers.receive(&pause(priority, 0), start + 10 * wd));
        assert_eq!(timers.counters().pfc_wd, 6 * round);
    }
}

/// A line of eight octets a clock. Frames and gaps as they come; what is still to be sent of the frame under way.
struct Line {
    cable: VecDeque<usize>,
    left: usize,
    gap: usize,
}

/// Octets beyond XOFF that the buffer came to hold, word by word, with frames of these sizes both ways.
fn overrun(cable: usize, frames: (usize, usize), seed: u64, random: &mut impl Rng) -> usize {
    let (smallest, largest) = frames;
    let xoff = 4 * largest;
    let mut source = PauseSource::new(config(xoff, xoff / 2)).expect("settings");
    let mut timers = PauseTimers::new(config(xoff, xoff / 2)).expect("settings");
    let mut data = Line { cable: VecDeque::new(), left: 0, gap: 0 };
    // clocks until the frame under way on the way back has left; PFC frames on the wire
    let (mut back, mut flying) =
        (random.random_range(0..largest as u64 / 8), Vec::<(u64, PriorityPause)>::new());
    let (mut most, mut drains) = (0, true);
    for now in 0..20_000_u64 {
        if now % 4096 == seed % 4096 {
            drains = !drains;
        }
        flying.retain(|(at, pause)| {
            let is_here = *at == now;
            if is_here {
                timers.receive(pause, now);
            }
            !is_here
        });
        // sender: 8 octets a clock, 20 of preamble and gap around a frame
        if data.left == 0 && data.gap == 0 && !timers.is_paused(REQUESTS, now) {
            (data.left, data.gap) = (random.random_range(smallest..=largest), 20);
        }
        let word = data.left.min(8);
        data.left -= word;
        data.gap = data.gap.saturating_sub(8 - word);
        data.cable.push_back(word);
        if data.cable.len() > cable / 8 {
            source.receive(REQUESTS, data.cable.pop_front().unwrap_or(0));
        }
        most = most.max(source.occupied(REQUESTS));
        if drains {
            source.free(REQUESTS, 8);
        }
        // way back: always busy with frames; a PFC frame of 84 octets goes before the next
        if back == 0 {
            back = ((random.random_range(smallest..=largest) + 20) as u64).div_ceil(8);
            if let Some(pause) = source.due(now) {
                back = 84_u64.div_ceil(8);
                flying.push((now + back + (cable / 8) as u64, pause));
            }
        }
        back -= 1;
    }
    assert!(most >= xoff, "the threshold was reached");
    most - xoff
}

#[test]
fn computed_headroom_drops_nothing() {
    let mut random = random("computed_headroom_drops_nothing");
    let (mut most, mut beyond): (f64, usize) = (0.0, 0);
    for cable in [0, 400, 4000, 16_000] {
        for (smallest, largest) in [(64, 64), (64, 1518), (1518, 1518), (64, 9216), (9216, 9216)] {
            let room = headroom(cable, largest);
            for seed in 0..40 {
                let used = overrun(cable, (smallest, largest), seed * 511, &mut random);
                assert!(used <= room, "cable {cable}, frames to {largest}: {used} of {room}");
                most = most.max(used as f64 / room as f64);
                beyond += usize::from(used > 2 * cable + 2 * largest);
            }
        }
    }
    println!("at most {:.0} % was used; {beyond} runs needed more than 2 cables and 2 frames", 100.0 * most);
    assert!(most > 0.5, "the bound is not idle");
    // 2 · 1000 + 2 · (1518 + 20) + 84
    assert_eq!(headroom(1000, 1518), 2000 + 3076 + 84);
}

fn paused_port(profile: Profile) -> PortConfig {
    PortConfig { flow: FlowControl::Pfc(config(8192, 2048)), ..plain(profile) }
}

/// Cyclic request and response: neither end takes requests for 1 ms, responses and acknowledgments flow on. Then the
/// requests come, none lost.
#[test]
fn requests_paused_while_responses_and_acknowledgments_flow() {
    let millisecond = 200_000;
    for &profile in Profile::ALL {
        let mut harness = Harness::new(paused_port(profile), 50);
        let free = [ClassUse::Responses, ClassUse::Acknowledgments];
        harness.reads = [0, 1].map(|_| {
            let mut reads = [true; CLASSES];
            reads[REQUESTS as usize] = false;
            reads
        });
        for _ in 0..millisecond / 100 {
            for end in 0..2 {
                harness.offer(end, REQUESTS, 256);
                free.iter().for_each(|class| harness.offer(end, *class, 128));
            }
            harness.run(100, quiet, |_| false);
        }
        for end in 0..2 {
            let port = &harness.link.ports[end];
            assert!(port.pause_timers().expect("PFC").is_paused(REQUESTS, harness.link.now()));
            // the ports count a frame when it has come whole, so one more may have begun
            let room = 8192 + headroom(50 * 8, 256) + 256;
            assert!((8192..=room).contains(&port.buffered(REQUESTS)));
            for class in free {
                let came = harness.received[end][class as usize].len() as u64;
                assert!(came + 4 >= harness.offered[1 - end][class as usize], "{class:?}: {came}");
            }
            // the pause has lasted longer than PFC_WD, 153 · 1024 clocks
            let fired = (end, PortEvent::Watchdog(REQUESTS));
            assert_eq!(harness.events.iter().filter(|event| **event == fired).count(), 1);
        }
        harness.reads = [[true; CLASSES]; 2];
        assert!(harness.run(500_000, quiet, Harness::is_complete));
        assert!(harness.link.ports.iter().all(|port| port.counters().rx_full == 0));
    }
}

/// Every class by itself, and all lossless ones together, with the buffer that headroom gives: nothing is dropped.
#[test]
fn each_class_pauses_alone() {
    for stopped in lossless() {
        let mut config = paused_port(Profile::Sue1);
        config.rx_capacity = [8192 + headroom(50 * 8, 1000); CLASSES];
        let mut harness = Harness::new(config, 50);
        harness.reads[1][stopped as usize] = false;
        lossless().iter().for_each(|class| (0..100).for_each(|_| harness.offer(0, *class, 1000)));
        harness.run(100_000, quiet, |_| false);
        for class in lossless() {
            assert_eq!(harness.received[1][class as usize].len() == 100, class != stopped, "{class:?}");
        }
        harness.reads[1][stopped as usize] = true;
        assert!(harness.run(200_000, quiet, Harness::is_complete));
        assert_eq!(harness.link.ports[1].counters().rx_full, 0);
    }
}

/// A lost XON costs at most the rest of the pause.
#[test]
fn a_lost_xon_ends_with_its_timer() {
    let mut harness = Harness::new(paused_port(Profile::Ue103), 50);
    harness.reads[1][0] = false;
    (0..100).for_each(|_| harness.offer(0, REQUESTS, 1000));
    harness.run(20_000, quiet, |_| false);
    harness.reads[1][0] = true;
    let lose = |_, _, item: &WireItem| match item {
        WireItem::Control(..) => Fault::Lose,
        _ => Fault::None,
    };
    assert!(harness.run(70_000 * 8, lose, Harness::is_complete));
    assert!(harness.link.now() > 65_535 * 8, "the timer ended it");
}
