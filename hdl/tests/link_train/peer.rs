//! A peer for `link_train`: the golden model at the other end of random cables, with everything that may go wrong.

use crate::link_train::set_rx;
use crate::link_train::whole::config;
use flitforge_model::train::{ArrivedSet, LaneOutput, LinkTrain, TrainEvent, TrainInput};
use flitforge_model::training::{Polarity, TrainingSet};
use flitforge_model::StartWord;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::ltp::CrcMode;
use flitforge_protocol::training::next_request;
use flitforge_sim::kit::{rng, Agent, Rng, StimulusFn};
use flitforge_sim::{Bench, PortHandle, SimError};
use rand::seq::SliceRandom as _;
use rand::Rng as _;
use std::collections::VecDeque;

/// Control flag of a lane word.
const CTL: u64 = 1 << 32;

struct Peer {
    rng: Rng,
    train: LinkTrain,
    /// The block's sets, as they come in.
    heard: Vec<set_rx::Model>,
    new: [bool; 4],
    start: Option<StartWord>,
    /// Words on their way to the block, by its lanes, each lane as late as its cable.
    words: [VecDeque<u64>; 4],
    wires: [usize; 4],
    inverted: u64,
    /// Both wires 0 and 1 carry the same lane.
    twins: bool,
    errors: f64,
    pace: f64,
    /// Clocks until the block hears of the start row, and whether it is wrong.
    row: Option<(u32, bool)>,
    clock: u64,
    /// Clocks in Init without a set on a lane in use.
    quiet: u32,
    /// The block has a row to send.
    has_row: bool,
    /// Sets to come that answer another request, as over a long line.
    misses: u32,
}

impl Peer {
    /// Other cables.
    fn plug(&mut self) {
        let rng = &mut self.rng;
        self.wires.shuffle(rng);
        self.inverted = if rng.random_bool(0.5) { 0 } else { rng.random_range(0..16) };
        self.twins = rng.random_bool(0.1);
        self.errors = [0.0, 0.0, 0.000_5, 0.01][rng.random_range(0..4)];
        self.pace = [1.0, 1.0, 0.99][rng.random_range(0..3)];
        let spread = [0, 5, 14, 30][rng.random_range(0..4)];
        for words in &mut self.words {
            words.clear();
            let late = rng.random_range(0..=spread);
            words.extend((0..late).map(|_| rng.random_range(0..CTL)));
        }
    }

    /// A training-set time of the peer.
    fn step(&mut self) {
        let mut input = TrainInput { start: self.start.take(), event: self.event(), ..TrainInput::default() };
        for lane in 0..4 {
            let heard = &self.heard[lane];
            let new = std::mem::take(&mut self.new[lane]);
            input.sets[lane] = heard.good.filter(|_| new && heard.present).map(|(_, set)| ArrivedSet {
                set,
                polarity: Polarity::Normal,
                arrival: (1 << 20) - heard.words_after,
            });
        }
        let lanes = self.train.step(&input);
        self.misses = self.misses.saturating_sub(1);
        if self.rng.random_bool(0.005) {
            self.misses = 40;
        }
        for (lane, output) in lanes.iter().enumerate() {
            let words: Vec<u64> = match output {
                LaneOutput::Quiet => vec![],
                LaneOutput::Set(set) => {
                    let answer = if self.misses > 0 { next_request(set.answer) } else { set.answer };
                    let set = TrainingSet { answer, ..*set };
                    let mut words = set.encode().expect("a set").map(u64::from);
                    words[0] |= CTL;
                    words.into()
                }
                LaneOutput::Start(start) => {
                    if self.row.is_none() {
                        self.row = Some((self.rng.random_range(8..30), self.rng.random_bool(0.1)));
                    }
                    let sds = CTL | u64::from(start.encode().expect("a start word"));
                    std::iter::once(sds).chain((0..7).map(|_| self.rng.random_range(0..CTL))).collect()
                }
                LaneOutput::Data | LaneOutput::Prbs => {
                    (0..8).map(|_| self.rng.random_range(0..CTL)).collect()
                }
            };
            let wire = self.wires[lane];
            if self.twins && wire == 0 {
                self.words[1].extend(words.clone());
            }
            if !(self.twins && wire == 1) {
                self.words[wire].extend(words);
            }
        }
    }

    fn event(&mut self) -> Option<TrainEvent> {
        let rng = &mut self.rng;
        match rng.random_range(0..600) {
            0 => Some(TrainEvent::Disable),
            1 => Some(TrainEvent::Retrain),
            2 => Some(TrainEvent::Restore),
            3 => Some(TrainEvent::RemoveLane(rng.random_range(0..4))),
            _ if self.train.state() == LinkState::Down => Some(TrainEvent::Enable),
            4..60 => Some(TrainEvent::InitDone),
            _ => None,
        }
    }
}

/// Ports that the peer drives or looks at.
struct Ports {
    training: Vec<[PortHandle; 3]>,
    lanes: Vec<[PortHandle; 2]>,
    events: Vec<PortHandle>,
    named: Vec<(&'static str, PortHandle)>,
}

const NAMED: [&str; 18] = [
    "clear",
    "enable",
    "allowed",
    "offer",
    "guid_low",
    "guid_high",
    "next_rx",
    "remove_lane",
    "signal_ok",
    "lane_lock",
    "row_start",
    "start_mismatch",
    "init_done",
    "state",
    "invert",
    "tx_lanes",
    "tx_mode",
    "row_waits",
];
const EVENTS: [&str; 7] =
    ["give_up", "remove", "restore", "retrain", "deskew_lost", "bist_end", "bist_start"];

impl Ports {
    fn new(bench: &dyn Bench) -> Result<Self, SimError> {
        let (mut training, mut lanes) = (vec![], vec![]);
        for lane in 0..4 {
            let part = |stream: &str, part: &str| bench.port(&format!("{stream}[{lane}].{part}"));
            training.push([
                part("training", "valid")?,
                part("training", "data")?,
                part("training", "ready")?,
            ]);
            lanes.push([part("lanes", "valid")?, part("lanes", "data")?]);
        }
        let events = EVENTS.iter().map(|name| bench.port(name)).collect::<Result<_, _>>()?;
        let named =
            NAMED.iter().map(|name| Ok((*name, bench.port(name)?))).collect::<Result<_, SimError>>()?;
        Ok(Ports { training, lanes, events, named })
    }

    fn get(&self, name: &str) -> PortHandle {
        self.named.iter().find(|(port, _)| *port == name).expect("listed").1
    }
}

/// The peer of the block on `bench`, which announces `offer` and `guid`.
pub fn peer(bench: &dyn Bench, seed: u64, offer: u64, guid: u64) -> Result<impl Agent, SimError> {
    let ports = Ports::new(bench)?;
    let mut peer = Peer {
        rng: rng(seed, "peer"),
        train: LinkTrain::new(config(0x99AA_BBCC_DDEE_FF00)).expect("valid"),
        heard: (0..4).map(|_| set_rx::Model::new(set_rx::Counts::default())).collect(),
        new: [false; 4],
        start: None,
        words: Default::default(),
        wires: [0, 1, 2, 3],
        inverted: 0,
        twins: false,
        errors: 0.0,
        pace: 1.0,
        row: None,
        clock: 0,
        quiet: 0,
        has_row: false,
        misses: 0,
    };
    Ok(StimulusFn(move |clock, bench: &mut dyn Bench| {
        if clock == 0 {
            for (name, value) in [
                ("enable", 1),
                ("allowed", 0xF),
                ("offer", offer),
                ("guid_low", guid & 0xFFFF_FFFF),
                ("guid_high", guid >> 32),
                ("signal_ok", 0xF),
                ("lane_lock", 0xF),
            ] {
                bench.set_u64(ports.get(name), value);
            }
        }
        peer.hear(&ports, bench);
        if clock % 3_000 == 0 {
            peer.plug();
        }
        peer.drive(&ports, bench);
        Ok(())
    }))
}

impl Peer {
    /// The block's training words. Its start row shows as lanes in use that send no more sets.
    fn hear(&mut self, ports: &Ports, bench: &mut dyn Bench) {
        let state = bench.get_u64(ports.get("state"));
        let used = bench.get_u64(ports.get("tx_lanes"));
        self.quiet += 1;
        for (lane, port) in ports.training.iter().enumerate() {
            let (valid, ready) = (bench.get_bit(port[0]), self.rng.random_bool(0.995));
            bench.set_u64(port[2], u64::from(ready));
            self.heard[lane].clock(set_rx::Input {
                clear: false,
                may_turn: false,
                signal_ok: true,
                lane_lock: true,
                word: (valid && ready).then(|| bench.get_u64(port[1])),
            });
            self.new[lane] |= self.heard[lane].received;
            if used >> lane & 1 == 1 && (valid || state != u64::from(LinkState::Init.code())) {
                self.quiet = 0;
            }
        }
        if self.quiet == 12 && used != 0 {
            let mode = CrcMode::from_code(bench.get_u64(ports.get("tx_mode")) as u8).expect("two bits");
            self.start = Some(StartWord { lane: 0, bond: 0, mode, lanes: used.count_ones() as u8 });
        }
        self.clock += 1;
        if self.clock % 8 == 0 && self.words.iter().all(|words| words.len() < 64) {
            self.step();
        }
    }

    fn drive(&mut self, ports: &Ports, bench: &mut dyn Bench) {
        let state = LinkState::from_code(bench.get_u64(ports.get("state")) as u8).expect("a state");
        let rng = &mut self.rng;
        let invert = bench.get_u64(ports.get("invert"));
        for (lane, port) in ports.lanes.iter().enumerate() {
            let word = if rng.random_bool(self.pace) { self.words[lane].pop_front() } else { None };
            bench.set_u64(port[0], u64::from(word.is_some()));
            let mut word = word.unwrap_or(0);
            if (self.inverted ^ invert) >> lane & 1 == 1 {
                word ^= CTL - 1;
            }
            if rng.random_bool(self.errors) {
                word ^= 1 << rng.random_range(0..34);
            }
            bench.set_u64(port[1], word);
        }
        for event in &ports.events {
            bench.set_u64(*event, u64::from(rng.random_bool(0.000_1)));
        }
        bench.set_u64(ports.get("remove_lane"), rng.random_range(0..4));
        bench.set_u64(ports.get("next_rx"), rng.random_range(0..1 << 16));
        bench.set_u64(ports.get("clear"), u64::from(rng.random_bool(0.000_05)));
        bench.set_u64(ports.get("init_done"), u64::from(state == LinkState::Init && rng.random_bool(0.02)));
        if rng.random_bool(0.000_3) {
            bench.set_u64(ports.get("enable"), 0);
        } else if rng.random_bool(0.05) {
            bench.set_u64(ports.get("enable"), 1);
        }
        // A row comes some time after Init has begun, and stays until it is sent.
        self.has_row = state == LinkState::Init && (self.has_row || rng.random_bool(0.1));
        bench.set_u64(ports.get("row_waits"), u64::from(self.has_row));
        // The start row shows once the block is in Init, as it does with a receiver that waits for it.
        let mut row = None;
        if let Some((clocks, wrong)) = &mut self.row {
            *clocks = clocks.saturating_sub(1);
            if *clocks == 0 && state == LinkState::Init {
                row = Some(*wrong);
            }
        }
        if row.is_some() || state == LinkState::Down {
            self.row = None;
        }
        bench.set_u64(ports.get("row_start"), u64::from(row == Some(false)));
        bench.set_u64(ports.get("start_mismatch"), u64::from(row == Some(true)));
    }
}
