//! `link_train_tx` against a cycle-exact model; every set that leaves is read back by the model's decoder.

use crate::link_train::{QUICK_CLOCKS, STOCK_CLOCKS};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_hdl::link::train::TrainSetTx;
use flitforge_model::training::TrainingKind;
use flitforge_model::TrainingSet;
use flitforge_sim::kit::{rng, seed, Pace, StimulusFn, StreamSink, Testbench};
use flitforge_sim::model::PortValues;
use flitforge_sim::{Bench, CosimPlan, SimError, Simulator};
use flitforge_testkit::{deep, Count};
use rand::Rng as _;

/// What the sender is told, as the sets say it.
const TOLD: [(&str, u32); 13] = [
    ("send", 4),
    ("ts2", 4),
    ("offer", 20),
    ("fresh", 1),
    ("tx_mask", 4),
    ("rx_ok", 4),
    ("request", 4),
    ("answer", 4),
    ("epoch", 16),
    ("bond_index", 2),
    ("next_rx", 16),
    ("guid_low", 32),
    ("guid_high", 32),
];

/// The cycle-exact model: the fields of the set that goes out, filled in as its words leave.
pub struct Model {
    lanes: usize,
    index: usize,
    sending: u64,
    ts2: u64,
    taken: u64,
    set: TrainingSet,
    next_count: u8,
    sets: Count,
}

impl Model {
    pub fn new(lanes: usize, sets: Count) -> Self {
        let set = TrainingSet {
            kind: TrainingKind::Ts1,
            lane: 0,
            bond: 0,
            count: 0,
            capabilities: 0,
            preferred: 0,
            bonded: false,
            log2_flits_per_beat: 0,
            log2_replay_slots: 0,
            v_au: 0,
            vls_minus_1: 0,
            fresh: false,
            tx_mask: 0,
            rx_ok: 0,
            request: 0,
            answer: 0,
            epoch: 0,
            next_rx_ltp: 0,
            guid: 0,
        };
        Model { lanes, index: 0, sending: 0, ts2: 0, taken: 0, set, next_count: 1, sets }
    }

    /// The word on a lane in this clock.
    pub fn word(&self, lane: usize) -> Option<u64> {
        if self.sending >> lane & 1 == 0 || self.taken >> lane & 1 == 1 {
            return None;
        }
        let kind = if self.ts2 >> lane & 1 == 1 { TrainingKind::Ts2 } else { TrainingKind::Ts1 };
        let set = TrainingSet { kind, lane: lane as u8, ..self.set };
        let words = set.encode().expect("a set");
        Some(u64::from(self.index == 0) << 32 | u64::from(words[self.index]))
    }

    /// Whether the lanes have the last word of a set.
    pub fn at_end(&self) -> bool {
        self.index == 7
    }

    /// Whether a set ends in this clock, with these lanes ready.
    pub fn set_end(&self, ready: u64) -> bool {
        self.advances(ready) && self.index == 7
    }

    fn advances(&self, ready: u64) -> bool {
        self.sending & !self.taken & !ready == 0
    }

    /// The edge.
    pub fn clock(&mut self, ready: u64, clear: bool, told: &dyn Fn(&str) -> u64) {
        if self.advances(ready) {
            self.taken = 0;
            self.take(told);
            self.index = (self.index + 1) % 8;
        } else {
            self.taken |= self.sending & ready;
        }
        if clear {
            let fresh = Model::new(self.lanes, self.sets.clone());
            *self = Model { set: TrainingSet { bond: 0, count: 0, ..self.set }, ts2: self.ts2, ..fresh };
        }
    }

    /// The fields of the word that comes next; when a set ends, what the next one says.
    fn take(&mut self, told: &dyn Fn(&str) -> u64) {
        let field = |field: &str, low: u32, bits: u32| (told(field) >> low & ((1 << bits) - 1)) as u8;
        let set = &mut self.set;
        match self.index {
            0 => {
                set.capabilities = field("offer", 0, 3);
                set.preferred = field("offer", 3, 3);
                set.bonded = field("offer", 6, 1) == 1;
                set.log2_flits_per_beat = field("offer", 7, 2);
                set.log2_replay_slots = field("offer", 9, 4);
                set.v_au = field("offer", 13, 3);
                set.vls_minus_1 = field("offer", 16, 4);
            }
            1 => set.tx_mask = field("tx_mask", 0, 4),
            2 => set.next_rx_ltp = told("next_rx") as u16,
            3 => set.guid = set.guid >> 32 << 32 | told("guid_low"),
            4 => set.guid = set.guid & 0xFFFF_FFFF | told("guid_high") << 32,
            7 => {
                self.sets.add(self.sending.count_ones().into());
                set.count = self.next_count;
                self.next_count = self.next_count.wrapping_add(1);
                set.bond = field("bond_index", 0, 2);
                set.fresh = told("fresh") == 1;
                set.rx_ok = field("rx_ok", 0, 4);
                set.request = field("request", 0, 4);
                set.answer = field("answer", 0, 4);
                set.epoch = told("epoch") as u16;
                self.sending = told("send") & ((1 << self.lanes) - 1);
                self.ts2 = told("ts2");
            }
            _ => (),
        }
    }

    fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        outputs.set_bit("at_end", self.at_end())?;
        let mut ready = 0;
        for lane in 0..self.lanes {
            let word = self.word(lane);
            outputs.set_bit(&format!("training[{lane}].valid"), word.is_some())?;
            if let Some(word) = word {
                outputs.set_u64(&format!("training[{lane}].data"), word)?;
            }
            ready |= u64::from(inputs.bit(&format!("training[{lane}].ready"))?) << lane;
        }
        outputs.set_bit("set_end", self.set_end(ready))?;
        let mut told = vec![];
        for (name, _) in TOLD {
            told.push((name, inputs.u64(name)?));
        }
        let clear = inputs.bit("clear")?;
        self.clock(ready, clear, &|name| told.iter().find(|(port, _)| *port == name).expect("told").1);
        Ok(())
    }
}

/// Reads every set that leaves a lane with the model's decoder.
pub fn plan(name: &str, lanes: usize, make: fn() -> Box<dyn DriveBlock>, sets: Count) -> CosimPlan<'static> {
    let stimulus = move |testbench: &mut Testbench<'_>, seed| {
        let bench = testbench.bench();
        let clear = bench.port("clear")?;
        let told: Vec<_> = TOLD
            .iter()
            .map(|(name, bits)| Ok((bench.port(name)?, *bits)))
            .collect::<Result<_, SimError>>()?;
        let mut sinks = vec![];
        for lane in 0..lanes {
            sinks.push(StreamSink::new(bench, &format!("training[{lane}]"), seed)?.pace(Pace::mixed()));
        }
        let mut rng = rng(seed, "told");
        testbench.add(StimulusFn(move |clock, bench: &mut dyn Bench| {
            bench.set_u64(clear, u64::from(rng.random_bool(0.002)));
            for (port, bits) in &told {
                if clock == 0 || rng.random_bool(0.05) {
                    bench.set_u64(*port, rng.random::<u64>() & ((1 << bits) - 1));
                }
            }
            Ok(())
        }));
        for sink in sinks {
            testbench.add(sink);
        }
        Ok(())
    };
    let mut model = Model::new(lanes, sets);
    CosimPlan::new(name, seed(0x10_71), make, stimulus)
        .simulators(&[Simulator::Icarus])
        .model(move |inputs: &PortValues, outputs: &mut PortValues| model.step(inputs, outputs))
}

fn cosim(name: &str, lanes: usize, make: fn() -> Box<dyn DriveBlock>) {
    let sets = Count::default();
    let clocks =
        deep(plan(name, lanes, make, sets.clone()), QUICK_CLOCKS, STOCK_CLOCKS).run().expect("equal").clocks;
    sets.at_least(clocks / 100, "sets");
}

#[test]
fn four_lanes_are_equal_everywhere() {
    cosim("link_train_tx", 4, || Box::new(TrainSetTx::<4>::new().expect("valid")));
}

#[test]
fn one_lane_is_equal_everywhere() {
    cosim("link_train_tx_1", 1, || Box::new(TrainSetTx::<1>::new().expect("valid")));
}
