//! A switch of `time_extract`, `time_ring` and `time_inject`: R to X takes D(h) clocks, and what a Low waited for a slot is
//! in its value.

use crate::support::{beat_value, build, flits_of, set, set_wide, wide};
use flitforge_model::time::delay::RingShape;
use flitforge_model::time::{TimeFlit, TimeHigh, TimeLow, TimeValue};
use flitforge_protocol::time_ring::{RingDirection, SlotKind};
use flitforge_sim::{open, Bench};
use std::collections::VecDeque;

const STOPS: u32 = 8;
/// Core and ring clock, 6.20 ns: 6.4 ns.
const PERIOD: u32 = 0x66_6666;
const RX_LAG: i32 = 0x29A;
const TX_LAG: i32 = -0x19A;
const TREE: u8 = 2;
const LOW: TimeLow = TimeLow { value: TimeValue::new(0x67_89AB_CDEF, 10), tree: TREE, era: 1 };
const HIGH: TimeHigh = TimeHigh { time: 0x0123_4567, index: 0x2C, tree: TREE, era: 1, quality: 1 };

/// Ports of a ring are named after it.
const RINGS: [&str; 2] = ["cw", "ccw"];

struct Switch {
    extract: Box<dyn Bench>,
    ring: Box<dyn Bench>,
    inject: Box<dyn Bench>,
    /// What waits at the upstream port's stop, by ring.
    pending: [VecDeque<u64>; 2],
}

const fn lag(lag: i32) -> u64 {
    (lag as u64) & 0xF_FFFF
}

fn bench(block: &str) -> Box<dyn Bench> {
    open(block, build(block, &[]).block).expect("bench")
}

fn read(bench: &mut dyn Bench, path: &str) -> u64 {
    bench.settle().expect("settles");
    bench.get_u64(bench.port(path).expect("port"))
}

fn write(bench: &mut dyn Bench, path: &str, value: u64) {
    set(bench, &[(path, value)]).expect("port");
}

/// {data, parity, tree, kind} of a payload.
fn insertion(kind: SlotKind, payload: u64) -> u64 {
    let data = payload & ((1 << 40) - 1) | (payload >> 44) << 40 | (payload >> 42 & 3) << 44;
    let head = u64::from(kind.code()) | (payload >> 40 & 3) << 2;
    data << 5 | u64::from((data.count_ones() + head.count_ones()) % 2) << 4 | head
}

impl Switch {
    fn new() -> Self {
        let mut switch = Self {
            extract: bench("time_extract"),
            ring: bench("time_ring"),
            inject: bench("time_inject"),
            pending: Default::default(),
        };
        set(switch.extract.as_mut(), &[("lag", lag(RX_LAG)), ("phase_ok", 1), ("up_en", 15)]).expect("ports");
        for direction in RINGS {
            (0..STOPS)
                .for_each(|stop| write(switch.ring.as_mut(), &format!("trees_{direction}[{stop}]"), 15));
        }
        let inputs = [
            ("lag", lag(TX_LAG)),
            ("rper", PERIOD.into()),
            ("wper", PERIOD.into()),
            ("tx_open", 1),
            ("time_out.ready", 1),
            ("tx_wait_max", 4096),
        ];
        set(switch.inject.as_mut(), &inputs).expect("ports");
        (0..40).for_each(|_| switch.step());
        switch
    }

    fn step(&mut self) {
        for bench in [&mut self.extract, &mut self.ring, &mut self.inject] {
            bench.step().expect("steps");
        }
    }

    /// What `time_extract` gives waits for a slot of both rings at the stop of the upstream port.
    fn offer_at(&mut self, stop: u32) {
        for (kind, name) in [(SlotKind::Low, "low"), (SlotKind::High, "high")] {
            if read(self.extract.as_mut(), &format!("{name}.valid")) == 1 {
                let payload = read(self.extract.as_mut(), &format!("{name}.data"));
                self.pending.iter_mut().for_each(|queue| queue.push_back(insertion(kind, payload)));
            }
        }
        for (direction, queue) in RINGS.iter().zip(&self.pending) {
            let path = format!("insert_{direction}[{stop}]");
            write(self.ring.as_mut(), &format!("{path}.valid"), queue.front().is_some().into());
            write(self.ring.as_mut(), &format!("{path}.data"), queue.front().copied().unwrap_or(0));
        }
    }

    /// What enters the rings in this clock does not wait any more.
    fn entered_at(&mut self, stop: u32) {
        for (direction, queue) in RINGS.iter().zip(&mut self.pending) {
            if read(self.ring.as_mut(), &format!("insert_{direction}[{stop}].ready")) == 1 {
                queue.pop_front();
            }
        }
    }

    /// The copy register of a stop goes to the downstream port.
    fn copy_from(&mut self, stop: u32, ring: usize) {
        let (name, bench) = (RINGS[ring], self.ring.as_mut());
        let valid = read(bench, &format!("copy_{name}[{stop}].valid"));
        let control = read(bench, &format!("control_{name}[{stop}]"));
        let data = wide(&bench.get(bench.port(&format!("copy_{name}[{stop}].data")).expect("port")));
        let inject = self.inject.as_mut();
        write(inject, &format!("copy[{}].valid", 1 - ring), 0);
        write(inject, &format!("copy[{ring}].valid"), valid);
        write(inject, &format!("copy_control[{ring}]"), control);
        set_wide(inject, &format!("copy[{ring}].data"), data).expect("port");
    }

    /// The first flit of the beat that the link takes in this clock.
    fn leaves(&mut self) -> Option<TimeFlit> {
        let taken = read(self.inject.as_mut(), "time_out.valid") == 1;
        let data = self.inject.port("time_out.data").expect("port");
        taken.then(|| TimeFlit::decode(flits_of(&self.inject.get(data))[0]).expect("a time flit"))
    }

    /// A Low and a High of one beat from one port to another, `busy` slots of the ring being taken when the Low would enter:
    /// the clocks from R to X of both, and the Low at X.
    fn cross(&mut self, from: u32, to: u32, direction: RingDirection, busy: u64) -> ([u64; 2], TimeLow) {
        let ring = direction as usize;
        write(self.inject.as_mut(), "sources", u64::from(from) << (6 * TREE));
        let pair = [TimeFlit::Low(LOW), TimeFlit::High(HIGH)].map(|flit| flit.encode().expect("fits"));
        let port = self.extract.port("spc_out.data").expect("port");
        self.extract.set(port, &beat_value(&pair));
        let before = [from + STOPS - 1, from + 1][ring] % STOPS;
        let noise = format!("insert_{}[{before}]", RINGS[ring]);
        write(self.ring.as_mut(), &format!("{noise}.data"), SlotKind::Token.code().into());
        let mut low = None;
        for clock in 1..60 {
            write(self.extract.as_mut(), "spc_out.valid", u64::from(clock == 1));
            self.offer_at(from);
            // Tokens of the stop before are at this stop a clock later.
            write(self.ring.as_mut(), &format!("{noise}.valid"), u64::from((3..3 + busy).contains(&clock)));
            self.copy_from(to, ring);
            let gone = self.leaves();
            self.entered_at(from);
            self.step();
            match (gone, low) {
                (Some(TimeFlit::Low(value)), None) => low = Some((clock, value)),
                (Some(TimeFlit::High(high)), Some((low_clock, low))) => {
                    assert_eq!(high, HIGH);
                    self.empty();
                    return ([low_clock, clock], low);
                }
                (None, _) => {}
                gone => panic!("{gone:?}"),
            }
        }
        panic!("nothing came from {from} to {to}");
    }

    /// Until the slots are back at their sources.
    fn empty(&mut self) {
        for _ in 0..2 * STOPS {
            (0..2).for_each(|ring| write(self.inject.as_mut(), &format!("copy[{ring}].valid"), 0));
            self.step();
        }
    }
}

fn pairs() -> impl Iterator<Item = (u32, u32, RingDirection)> {
    let stops = (0..STOPS).flat_map(|from| (0..STOPS).map(move |to| (from, to)));
    let pairs = stops.filter(|(from, to)| from != to);
    pairs.flat_map(|(from, to)| RingDirection::ALL.map(|direction| (from, to, direction)))
}

/// Chapter 20, 4.4 rule 7 and T3, T5: every pair of stops, both rings.
#[test]
fn every_pair_of_ports_takes_the_delay_of_the_chapter() {
    let shape = RingShape { stops: STOPS, hop_registers: 1, ratio: 1 };
    let mut switch = Switch::new();
    for (from, to, direction) in pairs() {
        let delay = shape.path_on(direction, from, to).clocks;
        let ([low_at, high_at], low) = switch.cross(from, to, direction, 0);
        assert_eq!(
            (low_at, high_at),
            (delay, delay + 2),
            "{from} to {to}: the High comes a clock later and goes alone"
        );
        assert_eq!(low, TimeLow { value: LOW.value.received(RX_LAG, 0).offered(0, PERIOD, TX_LAG), ..LOW });
    }
}

/// A Low that waits for a slot is late by the clocks its value says.
#[test]
fn a_busy_ring_delays_a_low_by_what_its_value_says() {
    let shape = RingShape { stops: STOPS, hop_registers: 1, ratio: 1 };
    let mut switch = Switch::new();
    for busy in 0..=7_u32 {
        for (from, to, direction) in pairs().filter(|(from, to, _)| (from + to) % 3 == 0) {
            let ([low_at, _], low) = switch.cross(from, to, direction, busy.into());
            assert_eq!(low_at, shape.path_on(direction, from, to).clocks + u64::from(busy));
            let received = LOW.value.received(RX_LAG, 0).waited_on_ring(busy, PERIOD);
            assert_eq!(low, TimeLow { value: received.offered(0, PERIOD, TX_LAG), ..LOW });
        }
    }
}
