//! The host and the links around the management, and the golden rules beside it.

use super::frames::any_frame;
use crate::rooms::mac_control::{value_of, words_of, Gather};
use crate::rooms::network::{every_framing, random_config, settings_of};
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::network::NetworkSettings;
use flitforge_model::sue::format::network::Generation;
use flitforge_model::sue::format::{Fid, Network};
use flitforge_model::sue::management::{is_extracted, InjectRefusal, Injector};
use flitforge_protocol::sue_registers::MANAGEMENT_BYTES;
use flitforge_sim::kit::{rng, Agent, Coverage, Rng};
use flitforge_sim::{Bench, PortHandle, SimError};
use flitforge_testkit::failed;
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

type SettingsBits = Bits<{ <NetworkSettings as Synth>::BITS }>;

/// Ports of the block under test.
pub const PORTS: usize = 2;
/// Clocks from the last word of a frame to the pulse that says what became of it.
const TELLS: u64 = 5;
/// Words and frames that are there for certain, and those that never are.
const WORDS: (usize, usize) = (500, 514);
const FRAMES: (usize, usize) = (31, 33);

/// The settings as a port has them.
pub fn settings_value(settings: &NetworkSettings) -> Value {
    let bits: SettingsBits = (*settings).into();
    bits.to_value()
}

/// A link: frames in, and what is kept of them.
#[derive(Default)]
struct Link {
    words: VecDeque<u128>,
    frame: Vec<u8>,
    error: bool,
    /// It comes by `management`.
    by_management: bool,
    gives: bool,
    /// Frames that are told at a clock; `true`: for the host.
    told: VecDeque<(u64, Vec<u8>, bool)>,
    kept: VecDeque<Vec<u8>>,
    /// Octets of the first that were read.
    read: usize,
    out: Gather,
}

impl Link {
    fn kept_words(&self) -> usize {
        self.kept.iter().map(|frame| frame.len().div_ceil(8)).sum::<usize>() - self.read / 8
    }
}

/// See the [module](self).
pub struct Host {
    ports: BTreeMap<String, PortHandle>,
    random: Rng,
    seen: Rc<RefCell<Coverage>>,
    networks: Vec<Network>,
    /// Settings so far: formats take turns.
    settlings: usize,
    links: Vec<Link>,
    injector: Injector,
    /// Words in the FIFO at most, and those since the last order that was taken.
    written: usize,
    fresh: usize,
    /// A frame was ordered and has not left.
    sends: bool,
    /// The order that was given: its clock, octets, port.
    order: Option<(u64, usize, u64)>,
    /// The frame that leaves: its port, and it.
    leaving: Option<(u64, Vec<u8>)>,
    started: Option<u64>,
    refused: Vec<u64>,
    takes: bool,
    /// Clocks of clear that are left.
    clearing: u64,
    settled: u64,
    waits: u64,
    eager: bool,
}

impl Host {
    pub fn new(bench: &dyn Bench, seed: u64, seen: Rc<RefCell<Coverage>>) -> Result<Self, SimError> {
        let ports = bench.ports().list().iter();
        let ports: Result<_, SimError> =
            ports.map(|port| Ok((port.path.clone(), bench.port(&port.path)?))).collect();
        Ok(Self {
            ports: ports?,
            random: rng(seed, "management"),
            seen,
            networks: vec![],
            settlings: 0,
            links: (0..PORTS).map(|_| Link::default()).collect(),
            injector: Injector::new(3),
            written: 0,
            fresh: 0,
            sends: false,
            order: None,
            leaving: None,
            started: None,
            refused: vec![],
            takes: false,
            clearing: 0,
            settled: 0,
            waits: 0,
            eager: true,
        })
    }

    fn port(&self, path: &str) -> PortHandle {
        *self.ports.get(path).unwrap_or_else(|| panic!("no port {path}"))
    }

    fn hit(&self, what: impl Into<String>) {
        self.seen.borrow_mut().hit(what);
    }

    /// New settings, in a clear.
    fn settle(&mut self, bench: &mut dyn Bench) {
        let framings = every_framing();
        let framing = framings[self.settlings % framings.len()];
        self.settlings += 1;
        self.hit(format!("{framing:?}"));
        let enabled = self.random.random_bool(0.5);
        let config = random_config(&mut self.random, framing, enabled);
        bench.set(self.port("settings"), &settings_value(&settings_of(&config)));
        let on = config.generation != Generation::Off;
        bench.set_u64(self.port("generation_enable"), on.into());
        let octet = if on { config.generation.octet() } else { self.random.random() };
        bench.set_u64(self.port("generation"), octet.into());
        let gap = self.random.random_range(3..200);
        bench.set_u64(self.port("inject_gap"), gap);
        self.injector.set_gap(gap);
        let of_port = |port: usize| {
            let own = Fid { port: port as u8, ..config.own };
            Network::new(flitforge_model::sue::format::NetworkConfig { own, ..config.clone() })
        };
        self.networks = (0..PORTS).map(|port| of_port(port).expect("settings")).collect();
        self.eager = self.random.random_bool(0.7);
    }

    fn drive_link(&mut self, port: usize, bench: &mut dyn Bench) {
        if self.links[port].words.is_empty() && self.random.random_bool(0.3) {
            let frame = any_frame(&self.networks[port], &mut self.random);
            let error = self.random.random_bool(0.1);
            let by_management = self.random.random_bool(0.3);
            let mut words: VecDeque<u128> = words_of(&frame).into();
            if let Some(last) = words.back_mut() {
                *last |= u128::from(error) << 69;
            }
            let link = &mut self.links[port];
            (link.words, link.frame, link.error, link.by_management) = (words, frame, error, by_management);
        }
        let gives = !self.links[port].words.is_empty() && self.random.random_bool(0.9);
        self.links[port].gives = gives;
        for (name, mine) in [("data", false), ("management", true)] {
            let valid = gives && self.links[port].by_management == mine;
            let noise: u128 = self.random.random();
            let word = if valid { self.links[port].words[0] } else { noise };
            bench.set(self.port(&format!("{name}[{port}].data")), &value_of(word));
            bench.set_u64(self.port(&format!("{name}[{port}].valid")), valid.into());
        }
        let ready = self.random.random_bool(0.8);
        bench.set_u64(self.port(&format!("frames[{port}].ready")), ready.into());
    }

    /// A frame has ended: what has to become of it.
    fn end_frame(&mut self, clock: u64, port: usize) {
        let link = &mut self.links[port];
        let frame = std::mem::take(&mut link.frame);
        let wanted = !link.error && is_extracted(&frame, &self.networks[port]);
        let error = link.error;
        link.told.push_back((clock + TELLS, frame, wanted));
        self.hit(if error {
            "error"
        } else if wanted {
            "for the host"
        } else {
            "not for the host"
        });
    }

    fn check_link(&mut self, clock: u64, port: usize, bench: &dyn Bench) -> Result<(), SimError> {
        let wrong = |problem: String| Err(failed(clock, format!("port {port}: {problem}")));
        let pulse = |name: &str| bench.get_u64(self.port(&format!("{name}[{port}]"))) == 1;
        let (kept, dropped) = (pulse("extracted"), pulse("dropped"));
        let is_due = self.links[port].told.front().is_some_and(|(at, ..)| *at == clock);
        let due = if is_due { self.links[port].told.pop_front() } else { None };
        let Some((_, frame, true)) = due else {
            return if kept || dropped { wrong(format!("kept {kept}, dropped {dropped}")) } else { Ok(()) };
        };
        let link = &mut self.links[port];
        let words = link.kept_words() + frame.len().div_ceil(8);
        let frames = link.kept.len() + 1;
        let is_long = frame.len() > MANAGEMENT_BYTES;
        let has_room = !is_long && words <= WORDS.0 && frames <= FRAMES.0 && frame.len() > 8;
        let has_none = is_long || words > WORDS.1 || frames > FRAMES.1;
        if kept == dropped || (has_room && dropped) || (has_none && kept) {
            return wrong(format!(
                "kept {kept}, dropped {dropped}: {words} words, {frames} frames, {} octets {frame:02x?} at {:x?}",
                frame.len(),
                self.networks[port].config(),
            ));
        }
        if kept {
            link.kept.push_back(frame);
        }
        self.hit(match (kept, is_long) {
            (true, _) => "kept",
            (false, true) => "too long",
            (false, false) => "dropped",
        });
        Ok(())
    }

    /// The frame that the host sees.
    fn check_reading(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let wrong = |problem: String| Err(failed(clock, problem));
        if bench.get_u64(self.port("extract_valid")) == 0 {
            let waits = self.links.iter().any(|link| !link.kept.is_empty());
            self.waits = if waits { self.waits + 1 } else { 0 };
            return if self.waits > 20 { wrong("a frame is not shown".into()) } else { Ok(()) };
        }
        self.waits = 0;
        let front = bench.get_u64(self.port("front"));
        let (octets, port) = (front as usize & 0xFFF, (front >> 12) as usize);
        let word = bench.get_u64(self.port("extract_word")).to_le_bytes();
        let Some(link) = self.links.get_mut(port) else { return wrong(format!("port {port}")) };
        let read = link.read;
        let Some(frame) = link.kept.front() else { return wrong(format!("port {port} has no frame")) };
        let rest = &frame[read..];
        let shown = &word[..rest.len().min(8)];
        if frame.len() != octets || !rest.starts_with(shown) {
            return wrong(format!("port {port}: {octets} octets, {shown:02x?} at {read} of {frame:02x?}"));
        }
        if self.takes {
            link.read += 8;
            if link.read >= frame.len() {
                link.kept.pop_front();
                link.read = 0;
                self.hit("read to its end");
            }
        }
        Ok(())
    }

    fn drive_injection(&mut self, bench: &mut dyn Bench) {
        let room = self.written < 500;
        let writes = room && self.random.random_bool(0.3);
        let word: u64 = self.random.random();
        bench.set_u64(self.port("inject_words.valid"), writes.into());
        bench.set_u64(self.port("inject_words.data"), word);
        let orders = self.random.random_bool(0.03);
        let octets = match self.random.random_range(0..12) {
            0 => 0,
            1 => self.random.random_range(14..=2048),
            _ => self.random.random_range(14..200),
        };
        let port: u64 = self.random.random_range(0..PORTS as u64 + 1);
        bench.set_u64(self.port("inject.valid"), orders.into());
        bench.set_u64(self.port("inject.data"), octets | port << 12);
    }

    /// Words and orders of this clock, and what was refused before.
    fn check_injection(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let paths = [
            "refused",
            "injecting",
            "inject_words.valid",
            "inject_words.data",
            "inject.valid",
            "inject.data",
        ];
        let [found, busy, writes, word, orders, order] = paths.map(|path| bench.get_u64(self.port(path)));
        if found != u64::from(self.refused.contains(&clock)) {
            return Err(failed(clock, format!("refused is {found}")));
        }
        self.refused.retain(|at| *at > clock);
        let busy = busy == 1;
        if !busy && std::mem::take(&mut self.sends) {
            self.written = self.fresh;
        }
        // An order of the clock before is decided now: words of its clock count.
        if let Some((at, octets, port)) = self.order.take_if(|(at, ..)| *at + 1 == clock) {
            let beyond = self.fresh * 8 >= octets + 8;
            match self.injector.order(octets) {
                Ok(()) => {
                    self.order = Some((at, octets, port));
                    (self.fresh, self.sends) = (0, true);
                    self.hit(if beyond { "words beyond the frame" } else { "words enough" });
                }
                Err(InjectRefusal::Busy) => return Err(failed(clock, "an order while busy".into())),
                Err(refusal) => {
                    self.refused.push(clock + 1);
                    self.hit(match refusal {
                        InjectRefusal::Length { .. } => "refused without octets",
                        _ => "refused as too short",
                    });
                }
            }
        }
        if writes == 1 {
            self.injector.word(word);
            self.written += 1;
            self.fresh += 1;
        }
        if orders == 1 && busy {
            self.refused.push(clock + 1);
            self.hit("refused while injecting");
        } else if orders == 1 {
            self.order = Some((clock, order as usize & 0xFFF, order >> 12));
        }
        Ok(())
    }

    /// The frame that leaves.
    fn check_leaving(&mut self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let wrong = |problem: String| Err(failed(clock, problem));
        let started = self.started.take();
        for port in 0..PORTS {
            let pulse = bench.get_u64(self.port(&format!("injected[{port}]"))) == 1;
            if pulse != (started == Some(port as u64)) {
                return wrong(format!("port {port}: injected is {pulse}"));
            }
            let [valid, ready] =
                ["valid", "ready"].map(|end| bench.get_u64(self.port(&format!("frames[{port}].{end}"))));
            if valid == 0 || ready == 0 {
                continue;
            }
            let word = bench.get(self.port(&format!("frames[{port}].data")));
            let Some((to, frame)) = &self.leaving else { return wrong("a word of no frame".into()) };
            let octets = bench.get_u64(self.port("octets")) as usize;
            if *to != port as u64 || octets != frame.len() || word.bit(69) {
                return wrong(format!(
                    "a word on port {port} with {octets} octets of {self_frame:?}",
                    self_frame = self.leaving
                ));
            }
            if let Some(found) = self.links[port].out.word(&word) {
                if found != *frame {
                    return wrong(format!("{found:02x?}, expected {frame:02x?}"));
                }
                self.leaving = None;
                self.hit(format!("injected on port {port}"));
            }
        }
        if let Some((at, _, to)) = self.order.filter(|(at, ..)| clock >= *at + 2) {
            if let Some(frame) = self.injector.leave(clock) {
                self.order = None;
                self.started = Some(to);
                if clock > at + 2 {
                    self.hit("a token waited for");
                }
                if to < PORTS as u64 {
                    self.leaving = Some((to, frame));
                } else {
                    self.hit("injected to no port");
                }
            }
        }
        Ok(())
    }

    fn forget(&mut self) {
        let within = self.leaving.as_ref().is_some_and(|_| self.started.is_none());
        if within {
            self.hit("clear in a frame out");
        }
        for port in 0..PORTS {
            let link = &self.links[port];
            let total = link.frame.len().div_ceil(8);
            if !link.words.is_empty() && link.words.len() < total {
                self.hit("clear in a frame in");
            }
            if link.read > 0 {
                self.hit("clear while one is read");
            }
            self.links[port] = Link::default();
        }
        self.injector.clear();
        (self.written, self.fresh, self.sends) = (0, 0, false);
        (self.order, self.leaving, self.started) = (None, None, None);
        self.refused.clear();
        self.waits = 0;
    }
}

impl Agent for Host {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if clock == 0 || (self.clearing == 0 && self.random.random_bool(0.0015)) {
            self.clearing = 5;
        }
        let clears = self.clearing > 0;
        bench.set_u64(self.port("clear"), clears.into());
        // Settings change once all is forgotten.
        if self.clearing == 4 {
            self.settle(bench);
        }
        self.clearing = self.clearing.saturating_sub(1);
        self.settled = if clears { 0 } else { self.settled + 1 };
        if self.networks.is_empty() || clears {
            self.quiet(bench);
            return Ok(());
        }
        for port in 0..PORTS {
            self.drive_link(port, bench);
        }
        self.drive_injection(bench);
        self.takes = self.random.random_bool(if self.eager { 0.7 } else { 0.05 });
        let shown = self.takes;
        bench.set_u64(self.port("extract_taken"), shown.into());
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if bench.get_bit(self.port("clear")) {
            // The token of a frame that begins in the first clock of a clear is gone.
            if self.order.is_some_and(|(at, ..)| clock >= at + 2) {
                self.injector.leave(clock);
            }
            self.forget();
            return Ok(());
        }
        if self.networks.is_empty() {
            return Ok(());
        }
        for port in 0..PORTS {
            self.check_link(clock, port, bench)?;
        }
        self.check_reading(clock, bench)?;
        self.check_injection(clock, bench)?;
        self.check_leaving(clock, bench)?;
        for port in 0..PORTS {
            if std::mem::take(&mut self.links[port].gives) {
                self.links[port].words.pop_front();
                if self.links[port].words.is_empty() {
                    self.end_frame(clock, port);
                }
            }
        }
        Ok(())
    }
}

impl Host {
    /// Nothing comes while the block is cleared.
    fn quiet(&mut self, bench: &mut dyn Bench) {
        for path in ["inject_words.valid", "inject.valid", "extract_taken"] {
            bench.set_u64(self.port(path), 0);
        }
        for port in 0..PORTS {
            for path in ["data", "management"] {
                bench.set_u64(self.port(&format!("{path}[{port}].valid")), 0);
            }
        }
        self.takes = false;
    }
}
