//! Two instances over a line: commands arrive once, in order and unaltered, whatever the line does.

pub mod end;

use end::{program, End, Setup, IDLE, VCS};
use flitforge_hdl_sue::top::{RECEIVE_LATENCY, SEND_LATENCY};
use flitforge_protocol::sue_port_registers::PortCounter;
use flitforge_protocol::sue_registers::SueCounter;
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
        Self {
            ends: [end(0), end(1)],
            wires: [wire(), wire()],
            random: rng(seed, "line"),
            faults,
            cut: [false; 2],
            damaged: 0,
            now: 0,
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

const PLAIN: Setup = Setup { retry: false, pause: false, rto: 1_500, lite: false };

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
    let setup = Setup { pause: true, rto: 100_000, ..PLAIN };
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
        let limit = line.now + 400_000;
        line.run(50, 150, limit);
    }
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
    block.set("pcs_up", 1).set("commands.valid", 1).set("rxd", IDLE.0).set("rxc", IDLE.1);
    for _ in 0..2_000 {
        assert_eq!((block.get("commands.ready"), block.get("credits.valid"), block.get("up")), (0, 0, 0));
        assert_eq!((block.get("txd"), block.get("txc")), IDLE);
        block.step();
    }
}
