//! Two instances over a line: commands arrive once, in order and unaltered, whatever the line does.

pub mod end;

mod axi;
mod dispatch;
mod host;
mod merge;
mod shares;
mod storm;
mod strict;
mod tables;
mod two;

use end::{program, End, Setup, IDLE, VCS};
use flitforge_hdl_sue::top::{RECEIVE_LATENCY, SEND_LATENCY};
use flitforge_protocol::register::RegisterValue;
use flitforge_protocol::sue_port_registers::{FlowControl, PortCounter};
use flitforge_protocol::sue_registers::{self as page, Event, SueCounter};
use flitforge_sim::kit::{rng, seed, Rng};
use flitforge_testkit::{Clocked, CompiledBlock};
use rand::Rng as _;
use std::collections::VecDeque;

/// Columns on their way in each direction.
pub const DELAY: usize = 20;

/// Two ends and what is between them.
pub struct Line {
    pub ends: [End; 2],
    pub wires: [VecDeque<(u64, u64)>; 2],
    random: Rng,
    /// Chance that a column has a wrong bit.
    pub faults: f64,
    /// By end: nothing of what it sends arrives.
    pub cut: [bool; 2],
    pub damaged: u64,
    pub now: u64,
}

impl Line {
    pub fn new(setup: Setup, faults: f64, seed: u64) -> Self {
        let end = |own: u64| End::new(own, rng(seed, if own == 0 { "first" } else { "second" }), setup);
        let wire = || VecDeque::from(vec![IDLE; DELAY]);
        let mut line = Self {
            ends: [end(0), end(1)],
            wires: [wire(), wire()],
            random: rng(seed, "line"),
            faults: 0.0,
            cut: [false; 2],
            damaged: 0,
            now: 0,
        };
        if !setup.lite {
            line.connect(20_000);
        }
        line.faults = faults;
        line
    }

    /// Until each end reaches the other one.
    pub fn connect(&mut self, limit: u64) {
        let end = self.now + limit;
        while !self.ends.each_mut().map(End::reaches).iter().all(|reaches| *reaches) {
            assert!(self.now < end, "not connected after {limit} clocks");
            self.settle(100);
        }
    }

    pub fn clock(&mut self) {
        for index in 0..2 {
            let mut column = self.ends[index].say();
            if self.random.random_bool(self.faults) {
                self.damaged += 1;
                let bit = self.random.random_range(0..72);
                if bit < 64 {
                    column.0 ^= 1 << bit;
                } else {
                    column.1 ^= 1 << (bit - 64);
                }
            }
            self.wires[index].push_back(if self.cut[index] { IDLE } else { column });
        }
        for index in 0..2 {
            let column = self.wires[1 - index].pop_front().expect("the wire is as long as it is");
            self.ends[index].hear(column);
            self.ends[index].clock();
        }
        self.now += 1;
    }

    /// Until each end has delivered so many commands of its peer.
    pub fn run(&mut self, commands: u64, bytes: usize, limit: u64) {
        let offered: Vec<u64> = self.ends.iter().map(|end| end.delivered).collect();
        let mut left = [commands; 2];
        while (0..2).any(|index| self.ends[index].delivered < offered[index] + commands) {
            for (end, left) in self.ends.iter_mut().zip(&mut left) {
                if end.waiting() < 8 && *left > 0 {
                    *left -= 1;
                    let vc = self.random.random_range(0..VCS);
                    end.offer(vc, self.random.random_range(0..=bytes));
                }
            }
            self.clock();
            assert!(
                self.now < limit,
                "{:?} of {commands} after {limit} clocks",
                self.ends.each_ref().map(|end| end.delivered)
            );
        }
    }

    /// Until nothing is outstanding any more.
    pub fn settle(&mut self, clocks: u64) {
        (0..clocks).for_each(|_| self.clock());
    }
}

/// LIMIT in cells of 256 octets: three quarters of a ring of the receive buffer.
const LIMIT: u64 = 12;
pub const PLAIN: Setup = Setup {
    retry: false,
    flow: FlowControl::None,
    rto: 1_500,
    generations: false,
    lite: false,
    ports: 1,
    limits: [LIMIT; 4],
    strict: false,
};

#[test]
fn commands_arrive() {
    let mut line = Line::new(PLAIN, 0.0, seed(0x701));
    line.run(300, 200, 200_000);
    line.settle(2_000);
    for end in &mut line.ends {
        assert_eq!(end.failed, 0);
        let [bodies, again, gaps] =
            [SueCounter::BodyTx, SueCounter::Replay, SueCounter::Gap].map(|counter| end.count(counter));
        assert_eq!((end.completed, again, gaps), (bodies, 0, 0));
        assert_eq!((end.dispatched[0], end.commands_sent, end.commands_done), (bodies, 300, 300));
        assert_eq!(end.count(SueCounter::CommandIn), 300);
        assert_eq!(end.count(SueCounter::CommandOut), 300);
        assert_eq!(end.port_count(PortCounter::Fcs), 0);
    }
}

/// Every injected fault is found in a counter of the port or harms nothing, and go-back-N repairs what is lost.
#[test]
fn go_back_n_repairs_a_bad_line() {
    let mut line = Line::new(PLAIN, 2e-3, seed(0x702));
    line.run(600, 200, 2_000_000);
    line.faults = 0.0;
    line.settle(30_000);
    assert!(line.damaged > 20, "{} columns", line.damaged);
    let mut lost = 0;
    for end in &mut line.ends {
        assert_eq!(end.failed, 0);
        assert_eq!(end.count(SueCounter::BodyTx), end.completed);
        assert!(end.count(SueCounter::Replay) > 0);
        lost += [PortCounter::Fcs, PortCounter::Code, PortCounter::Runt]
            .map(|counter| end.port_count(counter))
            .iter()
            .sum::<u64>();
    }
    assert!(lost > 0);
    let ends = &mut line.ends;
    let bodies = ends.each_mut().map(|end| (end.count(SueCounter::BodyTx), end.count(SueCounter::BodyRx)));
    assert_eq!((bodies[0].0, bodies[1].0), (bodies[1].1, bodies[0].1), "each body accepted once");
}

/// Link-layer retry repairs the line, so that go-back-N has nothing to do.
#[test]
fn link_layer_retry_repairs_a_bad_line() {
    let setup = Setup { retry: true, rto: 100_000, ..PLAIN };
    let mut line = Line::new(setup, 2e-3, seed(0x703));
    line.run(600, 200, 2_000_000);
    line.faults = 0.0;
    line.settle(30_000);
    for end in &mut line.ends {
        assert_eq!((end.count(SueCounter::Replay), end.count(SueCounter::Gap), end.failed), (0, 0, 0));
        assert!(end.port_count(PortCounter::RetryReplay) > 0);
        assert_eq!(end.count(SueCounter::BodyTx), end.completed);
    }
}

/// An XPU that takes nothing for long: the receive buffer fills, PFC stops the peer, nothing is lost.
#[test]
fn a_slow_xpu_pauses_its_peer() {
    let setup = Setup { flow: FlowControl::Pause, rto: 100_000, ..PLAIN };
    let mut line = Line::new(setup, 0.0, seed(0x704));
    line.ends[0].takes = 0.05;
    line.run(800, 256, 2_000_000);
    line.settle(5_000);
    let [slow, fast] = &mut line.ends;
    let pauses = [PortCounter::PauseTx0, PortCounter::PauseTx1, PortCounter::PauseTx2, PortCounter::PauseTx3];
    assert!(pauses.iter().any(|counter| slow.port_count(*counter) > 0));
    let heard = [PortCounter::PauseRx0, PortCounter::PauseRx1, PortCounter::PauseRx2, PortCounter::PauseRx3];
    assert_eq!(pauses.map(|counter| slow.port_count(counter)), heard.map(|counter| fast.port_count(counter)));
    assert_eq!(slow.count(SueCounter::ReceiveFull), 0);
    assert_eq!((fast.count(SueCounter::Replay), fast.failed), (0, 0));
}

/// The same without flow control: what has no room is dropped, and go-back-N brings it again.
#[test]
fn a_slow_xpu_without_flow_control_costs_replays() {
    let mut line = Line::new(PLAIN, 0.0, seed(0x705));
    line.ends[0].takes = 0.05;
    line.run(400, 256, 2_000_000);
    line.settle(30_000);
    let [slow, fast] = &mut line.ends;
    assert!(slow.count(SueCounter::ReceiveFull) > 0);
    assert!(fast.count(SueCounter::Replay) > 0);
    assert_eq!((fast.count(SueCounter::BodyTx), 0), (fast.completed, fast.failed));
}

/// Both ends are switched off and on again in the middle of everything: what was on its way is gone, what comes then arrives.
#[test]
fn both_ends_begin_anew() {
    let mut line = Line::new(PLAIN, 1e-3, seed(0x706));
    for round in 0..4 {
        for end in &mut line.ends {
            (0..30).for_each(|number| end.offer(number % VCS, 100));
        }
        line.settle(500 + 333 * round);
        line.ends.iter_mut().for_each(End::restart);
        line.wires = [0, 1].map(|_| VecDeque::from(vec![IDLE; DELAY]));
        line.connect(20_000);
        let limit = line.now + 400_000;
        line.run(50, 150, limit);
    }
}

/// One end alone is switched off and on: PSNs do not match, so connections fail, and are opened again. Never a silent stall, four times.
#[test]
fn one_end_begins_anew() {
    let setup = Setup { rto: 400, ..PLAIN };
    let mut line = Line::new(setup, 0.0, seed(0x70A));
    line.ends.iter_mut().for_each(|end| end.lossy = true);
    for round in 0..4_u64 {
        let limit = line.now + 400_000;
        line.run(100, 150, limit);
        for end in &mut line.ends {
            (0..30).for_each(|number| end.offer(number % VCS, 100));
        }
        line.settle(500 + 111 * round);
        line.ends[0].restart();
        // Both ends go on asking for what they have, so that each finds out.
        for _ in 0..40 {
            for end in &mut line.ends {
                (0..VCS).for_each(|vc| end.offer(vc, 50));
            }
            line.settle(2_000);
        }
        line.connect(100_000);
        line.settle(10_000);
        let delivered = line.ends.each_ref().map(|end| end.delivered);
        let limit = line.now + 400_000;
        line.run(50, 150, limit);
        for (end, before) in line.ends.iter_mut().zip(delivered) {
            assert_eq!(end.delivered, before + 50, "all that is offered to an open connection comes");
        }
    }
    for end in &mut line.ends {
        assert!(end.failed > 0);
        let events = end.read(page::EVENT);
        assert_eq!(events >> (Event::ConnectionFailed as u64) & 1, 1, "{events:#x}");
        assert_eq!(events >> (Event::PeerLost as u64) & 1, 1, "{events:#x}");
    }
}

/// One host flushes all under load: what this end held is gone, both ends find out, and what is offered after it arrives.
#[test]
fn one_host_flushes_all() {
    let setup = Setup { rto: 400, ..PLAIN };
    let mut line = Line::new(setup, 0.0, seed(0x70E));
    line.ends.iter_mut().for_each(|end| end.lossy = true);
    for round in 0..3_u64 {
        let limit = line.now + 400_000;
        line.run(60, 150, limit);
        line.settle(5_000);
        for end in &mut line.ends {
            (0..30).for_each(|number| end.offer(number % VCS, 100));
        }
        let end = &line.ends[0];
        let before = (end.dispatched[0], end.completed + end.failed);
        line.settle(150 + 50 * round);
        let end = &mut line.ends[0];
        let (sent, done) = (end.dispatched[0] - before.0, end.completed + end.failed - before.1);
        assert!(sent > done, "{sent} bodies, {done} of them have a status: some are on their way");
        end.flush();
        // Both ends go on asking for what they have, so that each finds out.
        for _ in 0..40 {
            for end in &mut line.ends {
                (0..VCS).for_each(|vc| end.offer(vc, 50));
            }
            line.settle(2_000);
        }
        line.connect(100_000);
        line.settle(10_000);
        let delivered = line.ends.each_ref().map(|end| end.delivered);
        let limit = line.now + 400_000;
        line.run(50, 150, limit);
        for (end, before) in line.ends.iter_mut().zip(delivered) {
            assert_eq!(end.delivered, before + 50, "all that is offered to an open connection comes");
        }
    }
    for end in &mut line.ends {
        let events = end.read(page::EVENT);
        assert_eq!(events >> (Event::ConnectionFailed as u64) & 1, 1, "{events:#x}");
        assert_eq!(events >> (Event::ConfigurationBad as u64) & 1, 0, "{events:#x}");
    }
}

/// CBFC: an XPU that takes little; credits run out, come back by CF_Update, and nothing is dropped.
#[test]
fn credits_hold_a_fast_peer_back() {
    let setup = Setup { flow: FlowControl::Credits, rto: 100_000, ..PLAIN };
    let mut line = Line::new(setup, 0.0, seed(0x709));
    line.ends[0].takes = 0.05;
    line.run(800, 256, 2_000_000);
    line.ends[0].takes = 1.0;
    line.settle(5_000);
    for end in &mut line.ends {
        let [replays, full] = [SueCounter::Replay, SueCounter::ReceiveFull].map(|counter| end.count(counter));
        assert_eq!((replays, full, end.failed), (0, 0, 0));
        assert_eq!(end.port_count(PortCounter::ConsumedHeal), 0, "no frame was lost, so none is healed");
        assert!(end.port_count(PortCounter::FreedTx) > 0);
        assert!(end.port_count(PortCounter::FreedRx) > 0);
    }
}

/// CBFC over a line that loses frames: their credits are healed by CC_Update, so that traffic never stops.
#[test]
fn credits_of_lost_frames_are_healed() {
    let setup = Setup { flow: FlowControl::Credits, ..PLAIN };
    let mut line = Line::new(setup, 2e-3, seed(0x70B));
    line.run(600, 200, 4_000_000);
    line.faults = 0.0;
    line.settle(30_000);
    for end in &mut line.ends {
        assert_eq!((end.count(SueCounter::BodyTx), 0), (end.completed, end.failed));
        assert!(end.port_count(PortCounter::ConsumedHeal) > 0);
    }
    // All credits are back: as much as ever goes through.
    let healed = line.ends.each_mut().map(|end| end.port_count(PortCounter::ConsumedHeal));
    let limit = line.now + 200_000;
    line.run(400, 200, limit);
    assert_eq!(line.ends.each_mut().map(|end| end.port_count(PortCounter::ConsumedHeal)), healed);
}

/// Frames that one host injects among commands, and the other one extracts.
#[test]
fn frames_of_the_host_pass_among_commands() {
    let mut line = Line::new(PLAIN, 0.0, seed(0x70C));
    // To the address of LLDP, which no bridge forwards.
    let mut frame = vec![0x01, 0x80, 0xC2, 0, 0, 0x0E, 2, 0, 0, 0, 0, 0, 0x88, 0xCC];
    frame.extend((0..86).map(|octet| octet as u8));
    for word in frame.chunks(8) {
        let mut octets = [0; 8];
        octets[..word.len()].copy_from_slice(word);
        line.ends[0].write(page::INJ_DATA, u64::from_le_bytes(octets));
    }
    let order = frame.len() as u64 | 1 << page::inj_ctl::go::LOW;
    line.ends[0].write(page::INJ_CTL, order);
    let limit = line.now + 200_000;
    line.run(100, 200, limit);
    line.settle(2_000);
    let end = &mut line.ends[1];
    let front = page::ext_ctl::Value::decode(end.read(page::EXT_CTL));
    assert_eq!((front.octets, front.port, front.valid), (frame.len() as u64, 0, 1));
    let words = frame.len().div_ceil(8);
    let mut found: Vec<u8> = (0..words).flat_map(|_| end.read(page::EXT_DATA).to_le_bytes()).collect();
    found.truncate(frame.len());
    assert_eq!(found, frame);
    assert_eq!(page::ext_ctl::Value::decode(end.read(page::EXT_CTL)).valid, 0);
    assert_eq!(end.port_count(PortCounter::Extract), 1);
    assert_eq!(line.ends[0].port_count(PortCounter::Inject), 1);
    assert_eq!(line.ends[0].read(page::EVENT), 0);
}

/// `conn_clr` under load (chapter 40, step WIPE): nothing old is delivered after it, both ends begin with PSN 0, and an end that is late makes no connection fail.
#[test]
fn a_generation_ends_under_load() {
    let setup = Setup { generations: true, ..PLAIN };
    let mut line = Line::new(setup, 0.0, seed(0x70D));
    for generation in 1..5_u64 {
        for end in &mut line.ends {
            (0..40).for_each(|number| end.offer(number % VCS, 120));
        }
        line.settle(700 + 97 * generation);
        for index in [0, 1] {
            line.ends[index].block.set("conn_clr", 1);
            while line.ends[index].block.get("cleared") == 0 {
                line.clock();
            }
            // Whatever it has of the other end is of the old generation from here on.
            line.ends[index].block.set("generation", generation << 3).set("conn_clr", 0);
            if index == 0 && generation % 2 == 0 {
                // The first end sends, and the second one drops it.
                (0..10).for_each(|number| line.ends[0].offer(number % VCS, 60));
                line.settle(20_000);
            }
        }
        line.connect(20_000);
        let limit = line.now + 400_000;
        line.run(60, 150, limit);
    }
    let skews = line.ends.each_mut().map(|end| {
        assert_eq!(end.failed, 0);
        let events = end.read(page::EVENT);
        assert_eq!(events >> (Event::ConnectionFailed as u64) & 1, 0);
        events >> (Event::GenerationSkew as u64) & 1
    });
    assert_eq!(skews[0], 1);
    assert!(line.ends[1].count(SueCounter::GenerationDrop) > 0);
}

/// From the last word of a command to the start of its frame, and from the end of the frame to the first word of the command; nothing else on the way.
#[test]
fn an_idle_instance_takes_as_long_as_it_says() {
    for (vc, bytes) in [(0, 0), (1, 8), (2, 64), (3, 200)] {
        // Header, 12 octets of control, data: the body, which is stored before it is sent.
        let words = (14 + bytes as u64).div_ceil(8);
        let mut line = Line::new(PLAIN, 0.0, seed(0x707));
        line.settle(1_000);
        line.ends[0].offer(vc, bytes);
        let (mut given, mut starts, mut ended, mut comes) = (None, None, None, None);
        for clock in 0..1_000_u64 {
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

/// Places without a register read 0 and take no write; a port that is not there neither.
#[test]
fn requests_beyond_the_pages_are_answered() {
    let mut end = End::new(0, rng(seed(0x708), "end"), PLAIN);
    for offset in [0x0FF8, 0x13F8, 0x1400, 0x1FF8] {
        end.write(offset, u64::MAX);
        assert_eq!(end.read(offset), 0, "{offset:#x}");
    }
}

/// Before the host has written anything the line is idle and nothing is taken.
#[test]
fn an_instance_is_off_after_power_on() {
    let mut block = CompiledBlock::new(program());
    block.set("pcs_up", 1).set("commands.valid", 1).set("rxd[0]", IDLE.0).set("rxc[0]", IDLE.1);
    for _ in 0..2_000 {
        assert_eq!((block.get("commands.ready"), block.get("credits.valid"), block.get("up")), (0, 0, 0));
        assert_eq!((block.get("txd[0]"), block.get("txc[0]")), IDLE);
        block.step();
    }
}
