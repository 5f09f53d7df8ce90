//! Point 15 with whole instances: how much each of two ports carries, when the far end lets one send more than the other; and which port has more credits.

use super::end::{Setup, VCS};
use super::two::{Lines, PORTS, SETUP};
use crate::rooms::bad_input::wire::{pause, put};
use flitforge_protocol::sue_port_registers::{FlowControl, PortCounter};

/// Clocks from one PFC frame to the next, and how many are looked at.
const PERIOD: u64 = 1_600;
const PERIODS: u64 = 60;
/// Times of 512 bits, 8 clocks each, in which each port may not send: it may for a quarter and an eighth of the time.
const QUANTA: [u16; PORTS] = [150, 175];
/// When a port is told, within a period. The instance makes a word per clock, what one port takes: ports that may send at the same time have half of it each,
/// whatever they could send else. So they may send one after the other.
const PHASES: [u64; PORTS] = [0, PERIOD / 2];

/// Octets that left by each port, while those of `links` are up.
fn octets(links: u64) -> [u64; PORTS] {
    let mut lines = Lines::with(Setup { flow: FlowControl::Pause, rto: 50_000, ..SETUP }, 0x713);
    lines.set_links(links);
    lines.run(20_000);
    let mut due = [false; PORTS];
    let sent = |lines: &mut Lines| [0, 1].map(|port| lines.ends[0].port_count_at(port, PortCounter::BytesTx));
    let before = sent(&mut lines);
    for clock in 0..PERIODS * PERIOD {
        for port in 0..PORTS {
            due[port] |= clock % PERIOD == PHASES[port];
            if due[port] && put(&mut lines.wires[port][1], &pause([Some(QUANTA[port]); 8])) {
                due[port] = false;
            }
        }
        if lines.ends[0].waiting() < 8 {
            let vc = lines.ends[0].offered() as usize % VCS;
            lines.ends[0].offer(vc, 150);
        }
        lines.clock();
    }
    let after = sent(&mut lines);
    [0, 1].map(|port| after[port] - before[port])
}

/// A port that may send twice as long has twice the octets of the other one, and none waits for the other.
#[test]
fn shares_are_what_ports_can_send() {
    let [both, first, second] = [3, 1, 2].map(octets);
    println!("both: {both:?}, the first alone: {first:?}, the second alone: {second:?}");
    assert_eq!((first[1], second[0]), (0, 0));
    let share = both[0] as f64 / (both[0] + both[1]) as f64;
    assert!((share / (2.0 / 3.0) - 1.0).abs() < 0.05, "the first port has {share} of the octets");
    for (port, alone) in [first[0], second[1]].into_iter().enumerate() {
        assert!(both[port] * 10 > alone * 9, "port {port} carries {} octets, alone {alone}", both[port]);
    }
}

/// Clocks in which credits come back: CF_TIMER and more.
const IDLES: u64 = 3_000;
/// Commands, one after the other.
const COMMANDS: usize = 24;
/// LIMIT of the ports in cells: both take a largest frame at any time.
const LIMITS: [u64; 4] = [8, 12, 12, 12];

/// With CBFC a body goes by the port whose credits are worth more (4.4, rule 1), though both are idle. Ports with as many take turns.
#[test]
fn credits_decide_which_port() {
    for (limits, expected) in [
        (LIMITS, [0, COMMANDS]),
        ([LIMITS[1], LIMITS[0], LIMITS[2], LIMITS[3]], [COMMANDS, 0]),
        ([12; 4], [COMMANDS / 2; 2]),
    ] {
        let setup = Setup { flow: FlowControl::Credits, rto: 50_000, limits, ..SETUP };
        let mut lines = Lines::with(setup, 0x714);
        lines.run(IDLES);
        let before = lines.ends[0].dispatched.clone();
        for number in 0..COMMANDS {
            lines.ends[0].offer(number % VCS, 100);
            lines.run(IDLES);
        }
        lines.require_all();
        let after = &lines.ends[0].dispatched;
        assert_eq!([0, 1].map(|port| (after[port] - before[port]) as usize), expected, "{limits:?} cells");
    }
}
