//! Chapter 20, T10: link delays measured between oscillators that are off, whatever the link and the turn-around.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::support::random;
use flitforge_model::time::link_delay::{
    one_way, sent_to_received, turnaround, LinkDelay, LinkDelayRun, RunStatus, Stamp,
};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Nominal core clock, femtoseconds.
const PERIOD_FS: i64 = 6_400_000;
/// Nominal word clock, femtoseconds: the coarse step of a meter without a phase source.
const WORD_FS: i64 = 6_241_000;
/// 10^4 links, measured from both ends.
const LINKS: u32 = 10_000;
const ROUNDS_LOG2: u32 = 4;

/// A device's clock: edge n is at phase + n period.
#[derive(Clone, Copy)]
struct Device {
    /// Parts per million by which it is fast.
    ppm: i64,
    period_fs: f64,
    phase_fs: i64,
    /// It converts with its true period instead of the nominal one.
    locked: bool,
}

impl Device {
    fn new(random: &mut ChaCha8Rng, locked: bool) -> Self {
        let ppm = random.random_range(-200..=200);
        let period_fs = PERIOD_FS as f64 / (1.0 + ppm as f64 * 1e-6);
        Self { ppm, period_fs, phase_fs: random.random_range(0..PERIOD_FS), locked }
    }

    fn time_of(&self, edge: u64) -> i64 {
        self.phase_fs + (edge as f64 * self.period_fs).round() as i64
    }

    /// The first edge at or after a time.
    fn edge_from(&self, time: i64) -> u64 {
        let mut edge = ((time - self.phase_fs) as f64 / self.period_fs) as u64;
        while self.time_of(edge) < time {
            edge += 1;
        }
        edge
    }

    /// INC_F in 2^-32 ns.
    fn increment(&self) -> u64 {
        let period = if self.locked { self.period_fs } else { PERIOD_FS as f64 };
        (period / 1e6 * 4_294_967_296.0).round() as u64
    }
}

/// A meter's reading of a lag, 1/256 ns: within T/128 with a phase source, whole words without. What a transmitter has
/// sent of a word makes its lag seem longer, what a receiver has of one makes it seem shorter.
fn reading(random: &mut ChaCha8Rng, lag_fs: i64, phase: bool, transmits: bool) -> i32 {
    let error = match (phase, transmits) {
        (true, _) => random.random_range(-PERIOD_FS / 128..=PERIOD_FS / 128),
        (false, true) => random.random_range(0..WORD_FS),
        (false, false) => -random.random_range(0..WORD_FS),
    };
    ((lag_fs + error) as f64 * 256e-6).round() as i32
}

struct Link {
    ends: [Device; 2],
    delay_fs: i64,
    phase: bool,
    /// Share of markers caught in a replay.
    replayed: f64,
}

impl Link {
    /// A marker leaves at an X edge and arrives at an R edge: both stamps, and the time of arrival.
    fn send(&self, random: &mut ChaCha8Rng, from: usize, x_edge: u64) -> (Stamp, Stamp) {
        let [sender, receiver] = [self.ends[from], self.ends[1 - from]];
        // After X a flit waits for the line, and before R for the receiver's clock.
        let tx_lag = random.random_range(0..2 * WORD_FS);
        let replay = if random.random_bool(self.replayed) { random.random_range(8..100) } else { 0 };
        let arrival = sender.time_of(x_edge) + tx_lag + self.delay_fs + replay * PERIOD_FS;
        let r_edge = receiver.edge_from(arrival + random.random_range(0..2 * WORD_FS));
        let rx_lag = receiver.time_of(r_edge) - arrival;
        let sent = Stamp { clock: x_edge, lag: reading(random, tx_lag, self.phase, true) };
        (sent, Stamp { clock: r_edge, lag: reading(random, rx_lag, self.phase, false) })
    }

    /// One round from an end, with a turn-around of so many clocks.
    fn round(&self, random: &mut ChaCha8Rng, from: usize, start: i64, clocks: u64) -> i64 {
        let [initiator, responder] = [self.ends[from], self.ends[1 - from]];
        let (t1, t2) = self.send(random, from, initiator.edge_from(start));
        let (t3, t4) = self.send(random, 1 - from, t2.clock + clocks);
        let turn = turnaround(t2, t3, responder.increment()).expect("fits");
        one_way(sent_to_received(t1, t4, initiator.increment()), turn, 0)
    }

    /// A run from an end, turn-arounds being about `clocks`.
    fn measure(&self, random: &mut ChaCha8Rng, from: usize, clocks: u64) -> Option<LinkDelay> {
        let mut run = LinkDelayRun::new(ROUNDS_LOG2, PERIOD_FS * 256 / 1_000_000).expect("K = 4");
        let mut start = 0;
        loop {
            start += random.random_range(20_000_000..1_000_000_000);
            let turn = random.random_range(clocks - 8..=clocks);
            match run.round(self.round(random, from, start, turn)) {
                RunStatus::Running => {}
                RunStatus::Done(delay) => return Some(delay),
                RunStatus::Failed => return None,
            }
        }
    }
}

/// Largest error of the mean in femtoseconds that the chapter allows: T/64 with a phase source, T without, and half of what
/// the round trip's rate error makes of devices that are not locked.
fn bound(link: &Link, clocks: u64) -> i64 {
    let meters = if link.phase { PERIOD_FS / 64 } else { PERIOD_FS };
    let round_trip = 2 * link.delay_fs + (clocks as i64 + 16) * PERIOD_FS;
    let rates = link.ends.iter().filter(|end| !end.locked).map(|end| end.ppm.abs()).sum::<i64>();
    meters + round_trip / 1_000_000 * rates / 2
}

fn every_link(name: &str, locked: bool, phase: bool, replayed: f64) {
    let mut random = random(name);
    let (mut worst, mut failed) = (0.0_f64, 0);
    for _ in 0..LINKS {
        let ends = [Device::new(&mut random, locked), Device::new(&mut random, locked)];
        let scale = 10_f64.powf(random.random_range(0.0..4.0));
        let link = Link { ends, delay_fs: (scale * 1e6) as i64, phase, replayed };
        let clocks = 16 + (1 << random.random_range(0..15));
        let bound = bound(&link, clocks);
        let found = [0, 1].map(|from| {
            let delay = link.measure(&mut random, from, clocks)?;
            let error = delay.mean * 1_000_000 / 256 - link.delay_fs;
            assert!(error.abs() <= bound, "{name}: {error} fs, bound {bound} fs");
            worst = worst.max(error.abs() as f64 / bound as f64);
            Some(error)
        });
        match found {
            [Some(there), Some(back)] => assert!((there - back).abs() <= 2 * bound, "both directions agree"),
            _ => failed += 1,
        }
    }
    println!("{name}: worst error {worst:.3} of its bound, {failed} of {LINKS} links without a result");
    assert!(worst > 0.05, "{name}: the bound says nothing");
    // Without a phase the rounds of a run differ by up to two words, so that now and then 16 of them are void.
    assert!(failed <= if phase { 0 } else { LINKS / 1000 }, "{name}: {failed} failed");
}

#[test]
fn locked_devices_measure_to_a_fraction_of_a_clock() {
    every_link("locked, with phase", true, true, 0.0);
    every_link("locked, without phase", true, false, 0.0);
}

#[test]
fn devices_that_are_off_measure_to_their_rate() {
    every_link("not locked, with phase", false, true, 0.0);
    every_link("not locked, without phase", false, false, 0.0);
}

#[test]
fn a_marker_caught_in_a_replay_gives_no_value() {
    every_link("replays", true, true, 0.1);
}
