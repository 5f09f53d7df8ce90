//! A switch of `time_extract`, `time_ring` and `time_inject`: R to X takes D(h) clocks, and what a Low waited for a slot is
//! in its value. The ring has M edges per core clock; every core edge is a ring edge, too. Between the clocks stand what waits for a
//! slot, which holds still for a core clock and longer, and what holds copies until the next core edge.

use crate::support::build;
use flitforge_hdl::time::ring::STOPS;
use flitforge_model::time::delay::RingShape;
use flitforge_model::time::{TimeFlit, TimeHigh, TimeLow, TimeValue};
use flitforge_protocol::time_ring::{
    slot_control, RingDirection, SlotKind, MAX_HOP_REGISTERS, MAX_RING_RATIO,
};
use flitforge_sim::{open, Bench};
use flitforge_testkit::flits::{beat_value, flits_of};
use flitforge_testkit::wide::{drive_wide, wide};
use flitforge_testkit::{drive_all, is_full};
use std::collections::VecDeque;

const SHAPE: RingShape = RingShape { stops: 8, hop_registers: 1, ratio: 1 };
/// Core clock, 6.20 ns: 6.4 ns.
const PERIOD: u32 = 0x66_6666;
const RX_LAG: i32 = 0x29A;
const TX_LAG: i32 = -0x19A;
const TREE: u8 = 2;
const LOW: TimeLow = TimeLow { value: TimeValue::new(0x67_89AB_CDEF, 10), tree: TREE, era: 1 };
const HIGH: TimeHigh = TimeHigh { time: 0x0123_4567, index: 0x2C, tree: TREE, era: 1, quality: 1 };

/// Ports of a ring are named after it.
const RINGS: [&str; 2] = ["cw", "ccw"];

struct Switch {
    shape: RingShape,
    extract: Box<dyn Bench>,
    ring: Box<dyn Bench>,
    inject: Box<dyn Bench>,
    /// What waits at the upstream port's stop, by ring.
    pending: [VecDeque<u64>; 2],
    /// Copies for the coming core edge: control bits and data. One is taken at each; a Low never waits for the one behind.
    landed: VecDeque<(u64, u128)>,
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
    drive_all(bench, &[(path, value)]).expect("port");
}

/// {data, parity, tree, kind} of a payload.
fn insertion(kind: SlotKind, payload: u64) -> u64 {
    let data = payload & ((1 << 40) - 1) | (payload >> 44) << 40 | (payload >> 42 & 3) << 44;
    let head = u64::from(kind.code()) | (payload >> 40 & 3) << 2;
    data << 5 | u64::from((data.count_ones() + head.count_ones()) % 2) << 4 | head
}

impl Switch {
    fn new(shape: RingShape) -> Self {
        let settings = [
            ("stops", shape.stops.into()),
            ("hop_registers", shape.hop_registers.into()),
            ("core_edges", u64::from(shape.ratio > 1)),
        ];
        let mut switch = Self {
            shape,
            extract: bench("time_extract"),
            ring: open("time_ring", build("time_ring", &settings).block).expect("bench"),
            inject: bench("time_inject"),
            pending: Default::default(),
            landed: VecDeque::new(),
        };
        drive_all(switch.extract.as_mut(), &[("lag", lag(RX_LAG)), ("phase_ok", 1), ("up_en", 15)])
            .expect("ports");
        for direction in RINGS {
            (0..shape.stops)
                .for_each(|stop| write(switch.ring.as_mut(), &format!("trees_{direction}[{stop}]"), 15));
        }
        let inputs = [
            ("lag", lag(TX_LAG)),
            ("rper", (PERIOD / shape.ratio).into()),
            ("wper", PERIOD.into()),
            ("tx_open", 1),
            ("time_out.ready", 1),
            ("tx_wait_max", 4096),
        ];
        drive_all(switch.inject.as_mut(), &inputs).expect("ports");
        (0..40).for_each(|_| switch.idle());
        switch
    }

    /// A ring edge.
    fn ring_edge(&mut self) {
        self.ring.step().expect("steps");
    }

    /// A core edge, which is a ring edge, too.
    fn core_edge(&mut self) {
        self.ring_edge();
        [&mut self.extract, &mut self.inject].into_iter().for_each(|bench| bench.step().expect("steps"));
    }

    /// A core clock in which nothing is offered.
    fn idle(&mut self) {
        (1..self.shape.ratio).for_each(|_| self.ring_edge());
        self.core_edge();
    }

    /// What `time_extract` gives in a core clock may enter both rings at its end.
    fn extracted(&mut self) {
        for (kind, name) in [(SlotKind::Low, "low"), (SlotKind::High, "high")] {
            if read(self.extract.as_mut(), &format!("{name}.valid")) == 1 {
                let payload = read(self.extract.as_mut(), &format!("{name}.data"));
                let insertion = insertion(kind, payload);
                self.pending.iter_mut().for_each(|queue| queue.push_back(insertion));
            }
        }
    }

    /// What waits at the stop of the upstream port is offered all the time.
    fn offer_at(&mut self, stop: u32) {
        for (direction, queue) in RINGS.iter().zip(&self.pending) {
            let offered = queue.front();
            let path = format!("insert_{direction}[{stop}]");
            write(self.ring.as_mut(), &format!("{path}.valid"), offered.is_some().into());
            let insertion = offered.copied().unwrap_or(0);
            write(self.ring.as_mut(), &format!("{path}.data"), insertion);
        }
    }

    /// What enters the rings in this clock does not wait any more.
    fn entered_at(&mut self, stop: u32) {
        for (direction, queue) in RINGS.iter().zip(&mut self.pending) {
            let path = format!("insert_{direction}[{stop}]");
            let offered = read(self.ring.as_mut(), &format!("{path}.valid"));
            if offered & read(self.ring.as_mut(), &format!("{path}.ready")) == 1 {
                queue.pop_front();
            }
        }
    }

    /// What a stop copied is held for the core edge.
    fn land_from(&mut self, stop: u32, ring: usize) {
        let (name, bench) = (RINGS[ring], self.ring.as_mut());
        if read(bench, &format!("copy_{name}[{stop}].valid")) == 1 {
            let control = read(bench, &format!("control_{name}[{stop}]"));
            let data = bench.get(bench.port(&format!("copy_{name}[{stop}].data")).expect("port"));
            self.landed.push_back((control, wide(&data)));
        }
    }

    /// One copy goes to the downstream port.
    fn deliver(&mut self, ring: usize) {
        let kind = |control: u64| slot_control::kind::FIELD.get(control.into()) as u8;
        let later = self.landed.iter().skip(1);
        assert!(later.into_iter().all(|(control, _)| kind(*control) != SlotKind::Low.code()), "a Low waits");
        let landed = self.landed.pop_front();
        let (control, data) = landed.unwrap_or_default();
        let inject = self.inject.as_mut();
        write(inject, &format!("copy[{}].valid", 1 - ring), 0);
        write(inject, &format!("copy[{ring}].valid"), landed.is_some().into());
        write(inject, &format!("copy_control[{ring}]"), control);
        drive_wide(inject, &format!("copy[{ring}].data"), data).expect("port");
    }

    /// The first flit of the beat that the link takes in this clock.
    fn leaves(&mut self) -> Option<TimeFlit> {
        let taken = read(self.inject.as_mut(), "time_out.valid") == 1;
        let data = self.inject.port("time_out.data").expect("port");
        taken.then(|| TimeFlit::decode(flits_of(&self.inject.get(data))[0]).expect("a time flit"))
    }

    /// A Low and a High of one beat from one port to another, `busy` slots of the ring being taken at the core edges at which the Low would enter:
    /// the clocks from R to X of both, and the Low at X.
    fn cross(&mut self, from: u32, to: u32, direction: RingDirection, busy: u64) -> ([u64; 2], TimeLow) {
        let ring = direction as usize;
        write(self.inject.as_mut(), "sources", u64::from(from) << (6 * TREE));
        let pair = [TimeFlit::Low(LOW), TimeFlit::High(HIGH)].map(|flit| flit.encode().expect("fits"));
        let port = self.extract.port("spc_out.data").expect("port");
        self.extract.set(port, &beat_value(&pair));
        let stops = self.shape.stops;
        let hops = self.shape.ratio;
        let before = [from + stops - hops, from + hops][ring] % stops;
        let noise = format!("insert_{}[{before}]", RINGS[ring]);
        write(self.ring.as_mut(), &format!("{noise}.data"), SlotKind::Token.code().into());
        let mut low = None;
        for clock in 1..2 * self.shape.clocks(stops) {
            write(self.extract.as_mut(), "spc_out.valid", u64::from(clock == 1));
            self.extracted();
            // The Low is tried first at the end of the fourth core clock. Tokens enter at the ends of core clocks, and are at the upstream
            // port's stop M S ring clocks later.
            let first = 4 - u64::from(self.shape.hop_registers);
            write(
                self.ring.as_mut(),
                &format!("{noise}.valid"),
                (first..first + busy).contains(&clock).into(),
            );
            for later in (0..self.shape.ratio).rev() {
                if self.shape.ratio > 1 {
                    write(self.ring.as_mut(), "core_edge[0]", u64::from(later == 0));
                }
                self.offer_at(from);
                self.land_from(to, ring);
                self.entered_at(from);
                if later > 0 {
                    self.ring_edge();
                }
            }
            self.deliver(ring);
            let gone = self.leaves();
            self.core_edge();
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
        for direction in RINGS {
            let valid = (0..self.shape.stops).map(|stop| format!("insert_{direction}[{stop}].valid"));
            valid.for_each(|path| write(self.ring.as_mut(), &path, 0));
        }
        (0..2).for_each(|ring| write(self.inject.as_mut(), &format!("copy[{ring}].valid"), 0));
        let length = self.shape.stops * self.shape.hop_registers;
        (0..length.div_ceil(self.shape.ratio) + 8).for_each(|_| self.idle());
        assert!(self.landed.is_empty());
    }
}

fn pairs(stops: u32) -> impl Iterator<Item = (u32, u32, RingDirection)> {
    let pairs = (0..stops).flat_map(move |from| (0..stops).map(move |to| (from, to)));
    let pairs = pairs.filter(|(from, to)| from != to);
    pairs.flat_map(|(from, to)| RingDirection::ALL.map(|direction| (from, to, direction)))
}

/// Chapter 20, 4.4 rule 7 and T3, T5: every pair of stops, both rings, S = 1 and 2, M = 1 to 4. Sizes above 16 in a full run only.
#[test]
fn every_pair_of_ports_takes_the_delay_of_the_chapter() {
    let full = is_full();
    for stops in STOPS.iter().map(|stops| *stops as u32).filter(|stops| full || *stops <= 16) {
        for (hop_registers, ratio) in
            (1..=MAX_HOP_REGISTERS).flat_map(|registers| (1..=MAX_RING_RATIO).map(move |m| (registers, m)))
        {
            let shape = RingShape { stops, hop_registers, ratio };
            let mut switch = Switch::new(shape);
            for (from, to, direction) in pairs(stops) {
                let delay = shape.path_on(direction, from, to).clocks;
                let (found, low) = switch.cross(from, to, direction, 0);
                let said = format!("{shape:?}, {from} to {to}, {direction:?}");
                assert_eq!(found, [delay, delay + 2], "{said}: the High comes a clock later and goes alone");
                let value = LOW.value.received(RX_LAG, 0).offered(0, PERIOD, TX_LAG);
                assert_eq!(low, TimeLow { value, ..LOW }, "{said}");
            }
        }
    }
}

/// A Low that waits for a slot is late by the clocks its value says: whole core clocks, however many ring clocks the slots were taken.
#[test]
fn a_busy_ring_delays_a_low_by_what_its_value_says() {
    let mut waits = 0;
    for (hop_registers, ratio) in [(1, 1), (2, 1), (1, 2), (2, 2), (1, 3), (2, 4)] {
        let shape = RingShape { hop_registers, ratio, ..SHAPE };
        let mut switch = Switch::new(shape);
        for busy in 0..=7 / ratio {
            let cycles = busy * ratio;
            waits = waits.max(cycles);
            for (from, to, direction) in pairs(shape.stops).filter(|(from, to, _)| (from + to) % 3 == 0) {
                let ([low_at, _], low) = switch.cross(from, to, direction, busy.into());
                let said = format!("{shape:?}, {from} to {to}, {direction:?}, {busy} slots");
                assert_eq!(low_at, shape.path_on(direction, from, to).clocks + u64::from(busy), "{said}");
                let received = LOW.value.received(RX_LAG, 0).waited_on_ring(cycles, PERIOD / ratio);
                let value = received.offered(0, PERIOD, TX_LAG);
                assert_eq!(low, TimeLow { value, ..LOW }, "{said}");
            }
        }
    }
    assert!(waits > 6, "waited {waits} ring clocks at most");
}
