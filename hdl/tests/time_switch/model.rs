//! A switch of models: extraction at each port, both rings, injection at each port.

use flitforge_hdl::time::lag_meter::{RX_CLOCKS, TX_LOOK_AHEAD};
use flitforge_model::flit::Flit;
use flitforge_model::time::clocked::{ClockedExtractor, ExtractInputs};
use flitforge_model::time::inject::{Injector, LinkClock};
use flitforge_model::time::lag::lag;
use flitforge_model::time::ring::{DualRing, RingCopy, StopPath};
use flitforge_model::time::{RingContent, RingSlot, TimeConfig, TimeFlit};
use flitforge_protocol::time_ring::{slot_control, RingDirection};
use std::collections::VecDeque;

/// Ports, one at each stop; where nothing else is said.
pub const PORTS: usize = 4;
/// Core and word clock, fs.
pub const CORE_FS: u64 = 6_400_000;
/// WPER, 6.20 ns; RPER is the Mth part of it.
pub const PERIOD: u32 = 0x66_6666;
/// Copies that can wait between ring and core.
const GATE_PLACES: usize = 2;
/// Most ring cycles that a slot can have waited.
const MOST_WAIT: u32 = (1 << slot_control::wait::WIDTH) - 1;
/// Clocks from `spc_out` to plane R.
pub const TO_R: usize = RX_CLOCKS;

/// Words sent and received at each port: what its lags are made of. Positions are 0.
pub const fn words(port: usize) -> [u64; 2] {
    [3 * port as u64 + 1, 5 * port as u64 + 2]
}

pub struct SwitchModel {
    /// M.
    ratio: u32,
    /// Copies that wait for a core edge, by port and ring.
    gates: Vec<[VecDeque<RingSlot>; 2]>,
    /// Copies that waited there for others to go.
    pub late: u64,
    /// Copies dropped there, by port.
    pub dropped: Vec<u64>,
    extractors: Vec<ClockedExtractor>,
    pub rings: DualRing,
    injectors: Vec<Injector>,
    special: Vec<VecDeque<Option<Flit>>>,
    pub up: Vec<[bool; 4]>,
}

impl SwitchModel {
    pub fn new(ports: usize, ratio: u32) -> Self {
        let config = TimeConfig { stops: ports as u32, ring_ratio: (ratio, 1), ..TimeConfig::default() };
        let mut injectors = vec![Injector::default(); ports];
        injectors.iter_mut().for_each(|injector| injector.pairs = false);
        Self {
            ratio,
            gates: vec![Default::default(); ports],
            late: 0,
            dropped: vec![0; ports],
            extractors: vec![ClockedExtractor::default(); ports],
            rings: DualRing::new(&config).expect("valid"),
            injectors,
            special: vec![VecDeque::from(vec![None; TO_R]); ports],
            up: vec![[false; 4]; ports],
        }
    }

    /// ROLE and PATH of a port for a tree; `source` where it is downstream.
    pub fn set(&mut self, port: usize, tree: usize, up: bool, source: Option<(usize, RingDirection)>) {
        self.up[port][tree] = up;
        let (from, ring) = source.unwrap_or((0, RingDirection::Clockwise));
        let path = StopPath { enabled: source.is_some(), source: from as u8, ring };
        self.rings.set_path(port as u8, tree as u8, path);
    }

    pub fn rx_lag(port: usize) -> i32 {
        lag(true, (words(port)[1] as u32) << 12, 0, CORE_FS, 0).0
    }

    pub fn tx_lag(port: usize) -> i32 {
        // The meter takes the words TX_LOOK_AHEAD clocks and its own latency before X, and adds those of a line that goes on.
        lag(false, (words(port)[0] as u32 + (RX_CLOCKS + TX_LOOK_AHEAD) as u32) << 12, 0, CORE_FS, 0).0
    }

    /// Highs that a newer one of their tree replaced at a port: counted nowhere.
    pub fn highs_replaced(&self, port: usize) -> u64 {
        self.injectors[port].highs_replaced
    }

    /// What a port offers in this clock.
    pub fn offered(&self, port: usize) -> Option<TimeFlit> {
        self.injectors[port].offered(Self::tx_lag(port)).map(|beat| beat.first)
    }

    /// An edge; the links take what is offered, as they do while they discard it.
    pub fn clock(&mut self, flits: &[Option<Flit>], clear: bool) {
        for (port, &flit) in flits.iter().enumerate() {
            self.injectors[port].clock(PERIOD, Self::tx_lag(port), LinkClock::Closed);
            self.special[port].push_back(flit.filter(|_| !clear));
            let beat = self.special[port].pop_front().flatten().map(|flit| vec![flit]);
            let inputs = ExtractInputs {
                clear,
                beat,
                lag: Self::rx_lag(port),
                phase_ok: true,
                up_en: self.up[port],
                rx_corr: 0,
            };
            self.extractors[port].clock(&inputs);
            let found = self.extractors[port].outputs();
            let contents = [found.low.map(RingContent::Low), found.high.map(RingContent::High)];
            contents.into_iter().flatten().for_each(|content| self.rings.offer(port as u8, content));
        }
        let copies = self.rings.ring_edge();
        let between: usize = (1..self.ratio).map(|_| self.rings.ring_edge().len()).sum();
        assert_eq!(between, 0, "only core edges load core registers");
        copies.into_iter().for_each(|copy| self.arrive(copy));
        (0..self.gates.len()).for_each(|port| self.land(port));
        if clear {
            self.rings.clear();
            self.gates.fill(Default::default());
            self.injectors.iter_mut().for_each(Injector::clear);
            self.special.iter_mut().for_each(|special| special.iter_mut().for_each(|flit| *flit = None));
        }
    }

    /// A copy of the core clock that ends: in the copy register in its last ring clock, or it needs a place.
    fn arrive(&mut self, copy: RingCopy) {
        let port = usize::from(copy.stop);
        let gate = &mut self.gates[port][copy.ring as usize];
        let last = (copy.edge + 1) % u64::from(self.ratio) == 0;
        if last || gate.len() < GATE_PLACES {
            gate.push_back(copy.slot);
        } else {
            self.dropped[port] += 1;
        }
    }

    /// The oldest copy of each ring goes to the port; the others have waited a core clock more.
    fn land(&mut self, port: usize) {
        for gate in &mut self.gates[port] {
            let Some(slot) = gate.pop_front() else { continue };
            let injector = &mut self.injectors[port];
            match slot.content {
                RingContent::Low(low) => injector.low(low, slot.wait.into(), PERIOD / self.ratio),
                RingContent::High(high) => injector.high(high),
                RingContent::Token { .. } => {}
            }
            self.late += gate.len() as u64;
            let before = gate.len();
            gate.retain_mut(|slot| {
                let is_low = matches!(slot.content, RingContent::Low(_));
                let wait = u32::from(slot.wait) + if is_low { self.ratio } else { 0 };
                slot.wait = wait.min(MOST_WAIT) as u8;
                wait <= MOST_WAIT
            });
            self.dropped[port] += (before - gate.len()) as u64;
        }
    }

    /// Nothing is on its way.
    pub fn is_empty(&self) -> bool {
        self.rings.is_empty() && self.gates.iter().flatten().all(VecDeque::is_empty)
    }
}
