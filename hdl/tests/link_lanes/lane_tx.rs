//! `link_lane_tx` against a model around the model's `LaneDistributor`.

use crate::link_lanes::{crc_mode, physical, row_words, QUICK_CLOCKS, STOCK_CLOCKS};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_hdl::link::lane::LinkLaneTx;
use flitforge_model::lanes::{LaneSetup, Row};
use flitforge_model::{LaneDistributor, LaneWord, Scrambler};
use flitforge_protocol::lane_word::{sds, ControlWordKind};
use flitforge_protocol::training::STUCK_CLOCKS;
use flitforge_sim::kit::{rng, seed, Pace, StimulusFn, StreamSink, StreamSource, Testbench};
use flitforge_sim::model::PortValues;
use flitforge_sim::{Bench, CosimPlan, SimError, Simulator};
use flitforge_testkit::{deep, Count};
use rand::Rng as _;
use std::collections::VecDeque;

/// A lane's register.
type Register = Option<u64>;

/// The cycle-exact model.
#[derive(Default)]
struct Model {
    lanes: usize,
    running: bool,
    start_due: bool,
    distributor: Option<LaneDistributor>,
    /// The control row that is due, from the dealer.
    alignment: Option<Row>,
    registers: Vec<Register>,
    /// Clocks for which each register has waited.
    waited: Vec<u32>,
    /// Training words of lanes whose PHY is stuck, thrown away.
    dropped: Count,
    /// Training words that not all lanes had, thrown away.
    cut: Count,
    /// Rows taken that wait, two at most.
    waiting: VecDeque<Vec<u32>>,
    last_lane: u64,
    alignments: Count,
    /// With probation: lanes not in use carry their scramblers' words on request.
    probation: bool,
    /// The PHY of lane 0 stops now and then.
    stops: bool,
    scramblers: Vec<Scrambler>,
    /// Words of scramblers alone.
    blanks: Count,
}

fn lane_bits(word: LaneWord) -> u64 {
    match word {
        LaneWord::Control(word) => 1 << 32 | u64::from(word),
        LaneWord::Data(word) => u64::from(word),
    }
}

impl Model {
    fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        let (clear, active) = (inputs.bit("clear")?, inputs.u64("active")?);
        let list = physical(active);
        let mut free = vec![];
        for (lane, register) in self.registers.iter().enumerate() {
            outputs.set_bit(&format!("lanes[{lane}].valid"), register.is_some())?;
            if let Some(word) = register {
                outputs.set_u64(&format!("lanes[{lane}].data"), *word)?;
            }
            free.push(register.is_none() || inputs.bit(&format!("lanes[{lane}].ready"))?);
        }
        outputs.set_u64("last_lane", self.last_lane)?;
        self.last_lane = (list.len() as u64).wrapping_sub(1) & 3;
        let step = self.running && !list.is_empty() && list.iter().all(|lane| free[*lane]);
        let room = if self.running { 2 } else { 1 };
        let row_ready = self.waiting.len() < room && !clear;
        outputs.set_bit("rows.ready", row_ready)?;
        let in_use: Vec<bool> = (0..self.lanes).map(|lane| self.running && active >> lane & 1 == 1).collect();
        let probe = if self.probation { inputs.u64("probe[0]")? } else { 0 };
        let blank: Vec<bool> = (0..self.lanes).map(|lane| probe >> lane & 1 == 1 && !in_use[lane]).collect();
        outputs.set_bit("row_waits", !self.waiting.is_empty())?;
        // All lanes that train take their words together; a stuck one holds up none. Beside rows they take them with these.
        let stuck: Vec<bool> = self.waited.iter().map(|waited| *waited >= STUCK_CLOCKS).collect();
        let beside = |lane: usize| probe >> lane & 1 == 1 || stuck[lane];
        let has_row = self.start_due || self.alignment.is_some() || !self.waiting.is_empty();
        let moves = self.running && !list.is_empty();
        let train = match moves {
            true => step && has_row,
            false => (0..self.lanes).all(|lane| free[lane] || beside(lane)),
        };
        // What not all lanes have is thrown away before they train together.
        let mut has_training = vec![];
        for lane in 0..self.lanes {
            has_training.push(inputs.bit(&format!("training[{lane}].valid"))?);
        }
        let cut = !moves && !has_training.iter().all(|valid| *valid);
        for lane in 0..self.lanes {
            let waits = !free[lane] && !clear;
            self.waited[lane] = if waits { (self.waited[lane] + 1).min(STUCK_CLOCKS) } else { 0 };
            let ready = blank[lane] || (train || cut) && !in_use[lane] && !clear;
            if ready && stuck[lane] && !free[lane] && !blank[lane] && !cut {
                self.dropped.add(u64::from(has_training[lane]));
            }
            self.cut.add(u64::from(cut && !clear && has_training[lane]));
            outputs.set_bit(&format!("training[{lane}].ready"), ready)?;
        }

        let row = if step && !clear { self.row(inputs, &list)? } else { None };
        let held: Vec<bool> = (0..self.lanes).map(|lane| blank[lane] && !free[lane]).collect();
        let words = self.scrambled(row.as_deref(), &held);
        for lane in (0..self.lanes).filter(|lane| free[*lane]) {
            self.registers[lane] = if in_use[lane] {
                let rank = list.iter().position(|used| *used == lane);
                row.as_ref().zip(rank).map(|(row, rank)| lane_bits(row[rank]))
            } else if blank[lane] {
                self.blanks.add(u64::from(words[lane].is_some()));
                words[lane]
            } else if train && !cut && has_training[lane] {
                Some(inputs.u64(&format!("training[{lane}].data"))?)
            } else {
                None
            };
        }
        if row_ready && inputs.bit("rows.valid")? {
            self.waiting.push_back(row_words(&inputs.get("rows.data")?, 4));
        }
        if inputs.bit("start")? && (train || cut) {
            (self.running, self.start_due) = (true, true);
        }
        if clear {
            (self.running, self.start_due, self.alignment) = (false, false, None);
            self.registers.fill(None);
            self.waiting.clear();
        }
        Ok(())
    }

    /// What a row is on lanes that carry no words of it: control words alike, else the scrambler's word; `held` lanes put it off.
    fn scrambled(&mut self, row: Option<&[LaneWord]>, held: &[bool]) -> Vec<Register> {
        let Some(first) = row.and_then(|row| row.first()) else { return vec![None; self.lanes] };
        if let LaneWord::Control(word) = *first {
            if word & 0xFF00 != u32::from(ControlWordKind::Sds.code()) << 8 {
                return vec![Some(lane_bits(*first)); self.lanes];
            }
            self.scramblers = (0..self.lanes).map(|lane| Scrambler::new(lane).expect("a lane")).collect();
            let own = |lane: usize| word & !(3 << sds::lane::LOW) | (lane as u32) << sds::lane::LOW;
            return (0..self.lanes).map(|lane| Some(lane_bits(LaneWord::Control(own(lane))))).collect();
        }
        let streams = self.scramblers.iter_mut().zip(held);
        streams.map(|(stream, held)| (!held).then(|| stream.next_word().into())).collect()
    }

    /// The row that moves now, if one does.
    fn row(&mut self, inputs: &PortValues, list: &[usize]) -> Result<Option<Row>, SimError> {
        if self.start_due {
            let mode = crc_mode(inputs.u64("crc_mode")?);
            let setup = LaneSetup::new(list, mode).expect("lanes").bonded(inputs.u64("bond_index")? as u8);
            let mut distributor = LaneDistributor::new(setup).expect("distributor");
            let row = distributor.next_row().expect("start row");
            self.distributor = Some(distributor);
            (self.start_due, self.alignment) = (false, None);
            return Ok(row);
        }
        if let Some(row) = self.alignment.take() {
            self.alignments.add(1);
            return Ok(Some(row));
        }
        let Some(words) = self.waiting.pop_front() else { return Ok(None) };
        let distributor = self.distributor.as_mut().expect("started");
        distributor.push(&words[..list.len()]);
        let row = distributor.next_row().expect("data row");
        self.alignment = distributor.next_row().expect("row");
        Ok(row)
    }
}

/// Clears, then starts, in episodes of some hundred or of some thousand clocks.
fn episodes(
    lanes: usize,
    probation: bool,
    bench: &dyn Bench,
    seed: u64,
) -> Result<impl flitforge_sim::kit::Agent, SimError> {
    let port = |name| bench.port(name);
    let (clear, start) = (port("clear")?, port("start")?);
    let (active, mode, bond) = (port("active")?, port("crc_mode")?, port("bond_index")?);
    let probe = if probation { Some(port("probe[0]")?) } else { None };
    let mut rng = rng(seed, "episodes");
    let (mut left, mut age) = (0u64, 0u64);
    Ok(StimulusFn(move |_, bench: &mut dyn Bench| {
        bench.set_u64(clear, u64::from(left == 0));
        // The start comes soon after a clear and waits for a word to leave; a second one is rare, but allowed.
        let starts = (5..9).contains(&age) || rng.random_bool(0.000_1);
        bench.set_u64(start, u64::from(starts));
        age += 1;
        if let Some(probe) = probe {
            // As from Active on: some time after the start.
            if age == 30 {
                bench.set_u64(probe, 1 | rng.random_range(0..1 << lanes));
            } else if left == 0 {
                bench.set_u64(probe, 0);
            }
        }
        if left == 0 {
            age = rng.random_range(0..5);
            left = if rng.random_bool(0.5) { rng.random_range(1..200) } else { rng.random_range(5000..9000) };
            let all = (1 << lanes) - 1;
            let full = !probation && rng.random_bool(0.5);
            bench.set_u64(active, if full { all } else { rng.random_range(0..=all) });
            bench.set_u64(mode, rng.random_range(0..4));
            bench.set_u64(bond, rng.random_range(0..4));
        }
        left = left.saturating_sub(1);
        Ok(())
    }))
}

/// The plan, without its number of clocks; what the model sees is counted in `alignments`.
pub fn plan(
    name: &str,
    lanes: usize,
    make: fn() -> Box<dyn DriveBlock>,
    alignments: Count,
) -> CosimPlan<'static> {
    let (registers, waited) = (vec![None; lanes], vec![0; lanes]);
    let model = Model { lanes, registers, waited, alignments, ..Model::default() };
    plan_of(name, make, model)
}

/// The same with probation of four lanes; what goes out of scramblers alone is counted in `blanks`.
pub fn plan_probation(name: &str, blanks: Count) -> CosimPlan<'static> {
    let make = || -> Box<dyn DriveBlock> { Box::new(LinkLaneTx::<4, 1>::new().expect("valid")) };
    let (registers, waited) = (vec![None; 4], vec![0; 4]);
    let model = Model { lanes: 4, registers, waited, probation: true, blanks, ..Model::default() };
    plan_of(name, make, model)
}

fn plan_of(name: &str, make: fn() -> Box<dyn DriveBlock>, mut model: Model) -> CosimPlan<'static> {
    let (lanes, probation, stops) = (model.lanes, model.probation, model.stops);
    let stimulus = move |testbench: &mut Testbench<'_>, seed| {
        let bench = testbench.bench();
        let agent = episodes(lanes, probation, bench, seed)?;
        let rows = StreamSource::new(bench, "rows", seed)?.pace(Pace::Random(0.97));
        let mut agents = vec![];
        for lane in 0..lanes {
            let pace = match stops && lane == 0 {
                true => Pace::Phases(vec![(300, Pace::Random(0.98)), (100, Pace::Never)]),
                false => Pace::Random(0.98),
            };
            let sink = StreamSink::new(bench, &format!("lanes[{lane}]"), seed)?.pace(pace);
            let training = StreamSource::new(bench, &format!("training[{lane}]"), seed)?;
            agents.push((training.pace(Pace::Random(0.97)), sink));
        }
        testbench.add(agent).add(rows);
        for (training, sink) in agents {
            testbench.add(training).add(sink);
        }
        Ok(())
    };
    CosimPlan::new(name, seed(0x10_51), make, stimulus)
        .simulators(&[Simulator::Icarus])
        .model(move |inputs: &PortValues, outputs: &mut PortValues| model.step(inputs, outputs))
}

fn cosim(name: &str, lanes: usize, make: fn() -> Box<dyn DriveBlock>) {
    let (alignments, cut) = (Count::default(), Count::default());
    let (registers, waited) = (vec![None; lanes], vec![0; lanes]);
    let model = Model {
        lanes,
        registers,
        waited,
        alignments: alignments.clone(),
        cut: cut.clone(),
        ..Model::default()
    };
    let clocks = deep(plan_of(name, make, model), QUICK_CLOCKS, STOCK_CLOCKS).run().expect("equal").clocks;
    alignments.at_least(clocks / 20_000, "ALN rows");
    if lanes > 1 {
        cut.at_least(clocks / 10_000, "training words that not all lanes had, thrown away");
    }
}

#[test]
fn four_lanes_are_equal_everywhere() {
    cosim("link_lane_tx", 4, || Box::new(LinkLaneTx::<4>::new().expect("valid")));
}

#[test]
fn one_lane_is_equal_everywhere() {
    cosim("link_lane_tx_1", 1, || Box::new(LinkLaneTx::<1>::new().expect("valid")));
}

#[test]
fn a_lane_whose_phy_stops_holds_up_no_training() {
    let make = || -> Box<dyn DriveBlock> { Box::new(LinkLaneTx::<4>::new().expect("valid")) };
    let (registers, waited, dropped) = (vec![None; 4], vec![0; 4], Count::default());
    let model =
        Model { lanes: 4, registers, waited, stops: true, dropped: dropped.clone(), ..Model::default() };
    let clocks = deep(plan_of("link_lane_tx_stops", make, model), QUICK_CLOCKS, STOCK_CLOCKS)
        .run()
        .expect("equal")
        .clocks;
    dropped.at_least(clocks / 1_000, "training words of a stuck lane");
}

#[test]
fn lanes_on_probation_are_equal_everywhere() {
    let blanks = Count::default();
    deep(plan_probation("link_lane_tx_probation", blanks.clone()), QUICK_CLOCKS, STOCK_CLOCKS)
        .run()
        .expect("equal");
    blanks.at_least(10_000, "words of a scrambler alone");
}
