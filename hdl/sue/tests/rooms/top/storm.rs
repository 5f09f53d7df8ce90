//! A pause storm at one of two ports (chapter 50, 4.7 and 6): what waits there goes on through the other one, by the timer of go-back-N or because the host says so.

use super::end::{End, Setup, IDLE, VCS};
use super::host::Host;
use super::two::{Lines, PORTS, SETUP};
use crate::rooms::bad_input::wire::{has_body, newest, pause, put};
use flitforge_protocol::sue::class::{ClassUse, DEFAULTS};
use flitforge_protocol::sue_port_registers::{self as port_page, FlowControl, PortCounter};
use flitforge_protocol::sue_registers::connections::{index, sender};
use flitforge_protocol::sue_registers::{self as page, port_page, Event, SueCounter, Table};

/// PFC_WD, 1024 clocks: the storm is told before the connection fails.
const WATCHDOG: u64 = 8;
/// RTO, clocks, and those until a connection fails: RETRY_MAX is 7 and BACKOFF 4.
const RTO: u64 = 400;
const FAILS: u64 = RTO * (1 + 2 + 4 + 8 + 4 * 16);
/// The virtual channel that is paused, and the port.
const VC: usize = 2;
const PORT: usize = 0;
/// Commands each way that pass after a storm.
const MORE: u64 = 100;

/// PFC_WD of both ports; a port is switched off for it.
fn set_watchdog(end: &mut End) {
    for port in (0..PORTS as u32).map(port_page) {
        let control = end.read(port + port_page::P_CTRL);
        end.write(port + port_page::P_CTRL, control & !1);
        let low = port_page::p_pfc1::watchdog::LOW;
        let pause = end.read(port + port_page::P_PFC1);
        end.write(port + port_page::P_PFC1, pause & !(0xFFFF << low) | WATCHDOG << low);
        end.write(port + port_page::P_CTRL, control);
    }
    assert_eq!(end.read(page::EVENT), 0, "no write was refused");
}

/// Priorities of these classes.
fn quanta(classes: &[ClassUse], value: u16) -> [Option<u16>; 8] {
    let mut all = [None; 8];
    classes.iter().for_each(|class| all[usize::from(DEFAULTS[*class as usize].pcp)] = Some(value));
    all
}

impl Host for Lines {
    fn end(&mut self, end: usize) -> &mut End {
        &mut self.ends[end]
    }

    fn one_clock(&mut self) {
        self.clock();
    }
}

impl Lines {
    fn count(&mut self, end: usize, counter: SueCounter) -> u64 {
        self.request(end, page::counter_offset(counter), None)
    }

    fn port_count(&mut self, port: u32, counter: PortCounter) -> u64 {
        self.request(0, port_page(port) + port_page::counter_offset(counter), None)
    }

    /// The first end is told at a port to pause, or that it may go on.
    fn pause(&mut self, port: usize, classes: &[ClassUse], value: u16) {
        let octets = pause(quanta(classes, value));
        for _ in 0..5_000 {
            if put(&mut self.wires[port][1], &octets) {
                return;
            }
            self.clock();
        }
        panic!("the line is never idle");
    }

    /// PDUs of a virtual channel that the first end holds at a port.
    fn outstanding(&mut self, port: usize, vc: usize) -> u64 {
        let of = Self::index_of(port, vc);
        self.request(0, page::TBL_ADDR, Some((Table::Sender as u64) << page::tbl_addr::table::LOW | of));
        let entry = self.request(0, page::TBL_DATA, None);
        let psn = |low: usize| entry >> low & 0xFFFF;
        psn(sender::nxt::LOW).wrapping_sub(psn(sender::una::LOW)) & 0xFFFF
    }

    /// The index of a connection of the first end.
    fn index_of(port: usize, vc: usize) -> u64 {
        (port as u64) << index::port::LOW | 1 << index::peer::LOW | (vc as u64) << index::vc::LOW
    }

    /// Commands of some virtual channels at the first end, as many as it takes; with `loses` nothing that the port sends arrives.
    fn press(&mut self, vcs: &[usize], clocks: u64, loses: bool) {
        for clock in 0..clocks {
            if self.ends[0].waiting() < 8 {
                self.ends[0].offer(vcs[clock as usize % vcs.len()], 100);
            }
            self.clock();
            if loses {
                *self.wires[PORT][0].back_mut().expect("the wire is as long as it is") = IDLE;
            }
        }
    }

    /// A storm begins while the first end has much to send, and what the port has sent last is lost: PDUs of these virtual channels that it holds.
    fn storm(&mut self, classes: &[ClassUse], vcs: &[usize]) -> Vec<u64> {
        self.press(vcs, 2_000, false);
        self.press(vcs, 300, true);
        self.pause(PORT, classes, u16::MAX);
        self.press(vcs, 100, true);
        self.press(vcs, 700, false);
        vcs.iter().map(|vc| self.outstanding(PORT, *vc)).collect()
    }

    /// The storm is over: the port carries the virtual channel again while the other one may not, all comes, and so do more commands.
    fn calm(&mut self, classes: &[ClassUse]) {
        self.pause(PORT, classes, 0);
        self.pause(1 - PORT, &[ClassUse::Vc2], u16::MAX);
        self.run(200);
        let before = self.ends[0].dispatched[PORT];
        self.press(&[VC], 2_000, false);
        assert!(self.ends[0].dispatched[PORT] > before, "the port carries the virtual channel again");
        self.pause(1 - PORT, &[ClassUse::Vc2], 0);
        for end in &mut self.ends {
            (0..MORE).for_each(|number| end.offer(number as usize % VCS, 100));
        }
        self.run(15_000);
        self.require_all();
    }

    /// Events of an end, which are cleared.
    fn events(&mut self, end: usize) -> u64 {
        let found = self.request(end, page::EVENT, None);
        self.request(end, page::EVENT, Some(found));
        found
    }
}

fn stormy(rto: u64, salt: u64) -> Lines {
    let setup = Setup { flow: FlowControl::Pause, rto, ..SETUP };
    let mut lines = Lines::with(setup, salt);
    lines.run(1_000);
    lines.ends.iter_mut().for_each(set_watchdog);
    lines.run(3_000);
    lines.connect();
    lines.ends.iter_mut().for_each(|end| assert_eq!(end.read(page::EVENT), 0));
    lines
}

fn bits(events: &[Event]) -> u64 {
    events.iter().fold(0, |bits, event| bits | 1 << event.code())
}

/// The rule of section 6: event, RTO, failover. What the paused port holds goes on through the other one, by itself.
#[test]
fn a_pause_storm_ends_in_failover() {
    let mut lines = stormy(RTO, 0x713);
    let held = lines.storm(&[ClassUse::Vc2], &[VC])[0];
    println!("{held} PDUs wait");
    assert!(held > 0);
    lines.load = 0.01;
    lines.run((WATCHDOG + 2) * 1024);
    assert_eq!(lines.events(0), bits(&[Event::PauseWatchdog]), "told once, before the connection fails");
    assert_eq!(lines.port_count(PORT as u32, PortCounter::PauseWatchdog), 1);
    assert_eq!((lines.outstanding(PORT, VC), lines.count(0, SueCounter::Failover)), (held, 0));
    lines.run(FAILS);
    lines.load = 0.0;
    lines.run(3_000);
    assert_eq!(lines.count(0, SueCounter::Failover), 1);
    assert_eq!(lines.events(0), bits(&[Event::ConnectionFailed]), "and no PEER_LOST");
    lines.require_all();
    // While the storm lasts all goes through the other port, and nothing more fails.
    let [paused, other] = [0, 1].map(|port| lines.ends[0].dispatched[port]);
    lines.press(&[VC], 3_000, false);
    lines.run(3_000);
    assert_eq!(lines.ends[0].dispatched[PORT], paused, "nothing of the paused class");
    assert!(lines.ends[0].dispatched[1 - PORT] > other);
    lines.calm(&[ClassUse::Vc2]);
    assert_eq!([0, 1].map(|end| lines.count(end, SueCounter::Failover)), [1, 0]);
    assert_eq!([0, 1].map(|end| lines.events(end)), [0, 0]);
}

/// The host does not wait for the timer: CMD.fail_over once it hears of the storm.
#[test]
fn the_host_fails_over_in_a_pause_storm() {
    let mut lines = stormy(400_000, 0x714);
    let held = lines.storm(&[ClassUse::Vc2], &[VC])[0];
    println!("{held} PDUs wait");
    assert!(held > 0);
    lines.run((WATCHDOG + 2) * 1024);
    assert_eq!(lines.events(0), bits(&[Event::PauseWatchdog]));
    let missing = |lines: &Lines| lines.ends[0].offered() - lines.ends[1].delivered;
    assert!(missing(&lines) > 0, "commands wait");
    lines.request(0, page::TBL_ADDR, Some(Lines::index_of(PORT, VC)));
    lines.request(0, page::CMD, Some(1 << page::cmd::fail_over::LOW));
    lines.run(2_000);
    assert_eq!(missing(&lines), 0, "all has come through the other port");
    assert_eq!(lines.count(0, SueCounter::Failover), 1);
    assert_eq!(lines.count(0, SueCounter::Expiries), 0, "no timer has run out");
    lines.run(3_000);
    lines.calm(&[ClassUse::Vc2]);
    assert_eq!([0, 1].map(|end| lines.count(end, SueCounter::Failover)), [1, 0]);
    assert_eq!([0, 1].map(|end| lines.events(end)), [0, 0], "no CONN_FAIL");
}

/// All classes of a port: each virtual channel that holds something there fails over. Acknowledgments and connection management wait as well (two PDUs may have been chosen before), so the other
/// direction of the port fails over, too.
#[test]
fn a_pause_storm_of_all_classes_ends_in_failover() {
    let mut lines = stormy(RTO, 0x715);
    let held = lines.storm(ClassUse::ALL, &[0, 1, 2, 3]);
    println!("{held:?} PDUs wait");
    let stuck = held.iter().filter(|held| **held > 0).count() as u64;
    assert!(stuck > 0);
    lines.load = 0.01;
    let mut left = 0;
    for _ in 0..FAILS + 20_000 {
        lines.clock();
        left += u64::from(newest(&lines.wires[PORT][0]).is_some());
    }
    lines.load = 0.0;
    lines.run(20_000);
    assert_eq!(left, 0, "nothing leaves through the paused port");
    let failovers = [0, 1].map(|end| lines.count(end, SueCounter::Failover));
    println!("{failovers:?} connections went on through the other port");
    assert_eq!(failovers[0], stuck);
    assert!((1..=VCS as u64).contains(&failovers[1]), "the other direction has no acknowledgments");
    assert_eq!(lines.events(0), bits(&[Event::PauseWatchdog, Event::ConnectionFailed]), "and no PEER_LOST");
    assert_eq!(lines.events(1), bits(&[Event::ConnectionFailed]));
    lines.require_all();
    lines.calm(ClassUse::ALL);
    assert_eq!([0, 1].map(|end| lines.count(end, SueCounter::Failover)), failovers);
    assert_eq!([0, 1].map(|end| lines.events(end)), [0, 0]);
}

/// Class ACK alone is paused: data goes on and acknowledges, PDUs that only acknowledge wait until they may go.
#[test]
fn paused_acknowledgments_wait() {
    let mut lines = stormy(400_000, 0x716);
    lines.pause(PORT, &[ClassUse::Acknowledgments], u16::MAX);
    lines.run(500);
    let of_port = |lines: &Lines| lines.wires[PORT][0].iter().filter(|column| **column != IDLE).count();
    assert_eq!(of_port(&lines), 0);
    // The far end sends: nothing is acknowledged at the port, and its window closes.
    let mut before = 0;
    for number in 0..200 {
        lines.ends[1].offer(number % VCS, 100);
        lines.run(40);
        before += u64::from(of_port(&lines) > 0);
    }
    assert_eq!(before, 0, "no acknowledgment has left");
    // Data of the port's own carries what is due.
    for _ in 0..8 {
        (0..VCS).for_each(|vc| lines.ends[0].offer(vc, 100));
        for _ in 0..400 {
            lines.clock();
            if let Some(frame) = newest(&lines.wires[PORT][0]) {
                assert!(has_body(&frame));
                before += 1;
            }
        }
    }
    println!("{before} PDUs with bodies have left");
    assert!(before > 0);
    lines.pause(PORT, &[ClassUse::Acknowledgments], 0);
    lines.run(20_000);
    lines.require_all();
    for end in 0..2 {
        assert_eq!((lines.count(end, SueCounter::Expiries), lines.count(end, SueCounter::Failover)), (0, 0));
    }
}
