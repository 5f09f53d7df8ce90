//! A switch of models: extraction at each port, both rings, injection at each port.

use flitforge_hdl::time::lag_meter::{RX_CLOCKS, TX_AHEAD};
use flitforge_model::flit::Flit;
use flitforge_model::time::clocked::{ClockedExtractor, ExtractInputs};
use flitforge_model::time::inject::{Injector, LinkClock};
use flitforge_model::time::lag::lag;
use flitforge_model::time::ring::{DualRing, StopPath};
use flitforge_model::time::{RingContent, TimeConfig, TimeFlit};
use flitforge_protocol::time_ring::RingDirection;
use std::collections::VecDeque;

/// Ports, one at each stop.
pub const PORTS: usize = 4;
/// Core, ring and word clock, fs.
pub const CORE_FS: u64 = 6_400_000;
/// RPER and WPER, 6.20 ns.
pub const PERIOD: u32 = 0x66_6666;
/// Clocks from `spc_out` to plane R.
pub const TO_R: usize = RX_CLOCKS;

/// Words sent and received at each port: what its lags are made of. Positions are 0.
pub const fn words(port: usize) -> [u64; 2] {
    [3 * port as u64 + 1, 5 * port as u64 + 2]
}

pub struct SwitchModel {
    extractors: [ClockedExtractor; PORTS],
    pub rings: DualRing,
    injectors: [Injector; PORTS],
    special: [VecDeque<Option<Flit>>; PORTS],
    pub up: [[bool; 4]; PORTS],
}

impl SwitchModel {
    pub fn new() -> Self {
        let config = TimeConfig { stops: PORTS as u32, ring_ratio: (1, 1), ..TimeConfig::default() };
        Self {
            extractors: std::array::from_fn(|_| ClockedExtractor::default()),
            rings: DualRing::new(&config).expect("valid"),
            injectors: std::array::from_fn(|_| {
                let mut injector = Injector::default();
                injector.pairs = false;
                injector
            }),
            special: std::array::from_fn(|_| VecDeque::from(vec![None; TO_R])),
            up: [[false; 4]; PORTS],
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
        // The meter takes the words TX_AHEAD clocks and its own latency before X, and adds those of a line that goes on.
        lag(false, (words(port)[0] as u32 + (RX_CLOCKS + TX_AHEAD) as u32) << 12, 0, CORE_FS, 0).0
    }

    /// What a port offers in this clock.
    pub fn offered(&self, port: usize) -> Option<TimeFlit> {
        self.injectors[port].offered(Self::tx_lag(port)).map(|beat| beat.first)
    }

    /// An edge; the links take what is offered, as they do while they discard it.
    pub fn clock(&mut self, flits: [Option<Flit>; PORTS], clear: bool) {
        for (port, flit) in flits.into_iter().enumerate() {
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
        for copy in self.rings.ring_edge() {
            let injector = &mut self.injectors[usize::from(copy.stop)];
            match copy.slot.content {
                RingContent::Low(low) => injector.low(low, copy.slot.wait.into(), PERIOD),
                RingContent::High(high) => injector.high(high),
                RingContent::Token { .. } => {}
            }
        }
        if clear {
            self.rings.clear();
            self.injectors.iter_mut().for_each(Injector::clear);
            self.special.iter_mut().for_each(|special| special.iter_mut().for_each(|flit| *flit = None));
        }
    }
}
