//! The line positions and word counts that a port gives to chapter 20 (chapter 10, 4.7), held against the words on the line: there
//! the flit of a time beat stands where its position says.

use crate::link_port::rig::{Program, Rig};
use crate::link_port::{narrow, quad, short};
use flitforge_elaborate::Value;
use flitforge_model::{line_position, Scrambler};
use flitforge_protocol::flit::{control, Opcode, FLIT_BITS};
use flitforge_protocol::lane_word::{ControlWordKind, ALN_INTERVAL_ROWS, COMMA};
use flitforge_protocol::link_registers::{ctrl, lanes, CRC_CFG, CTRL, DEGRADE, LANES};
use flitforge_protocol::ltp::{ltp_bits, CrcMode, WORD_BITS};
use flitforge_sim::kit::seed;
use flitforge_testkit::{is_full, Clocked, Noise};
use rand::Rng as _;
use std::collections::VecDeque;

/// The control flag of a lane word.
const CTL: u64 = 1 << 32;

/// A free subtype of SPC flits.
const SUBTYPE: u64 = 0x41;

/// A lone SPC flit with a number, in slot 0.
fn spc(number: u64) -> u128 {
    u128::from(u64::from(Opcode::Spc.code()) << control::opcode::LOW | SUBTYPE << 48 | number)
}

/// True for a word of a start row.
fn starts_rows(word: u64) -> bool {
    let low = u64::from(ControlWordKind::Sds.code()) << 8 | u64::from(COMMA);
    word & CTL != 0 && word & 0xFFFF == low
}

/// The words of the lanes from end 0 since its start row, and what time beats say about them.
struct Line {
    flits: u32,
    /// Lanes in use, ascending.
    lanes: Vec<usize>,
    words: Vec<Vec<u64>>,
    /// Words before the clock before.
    earlier: u64,
    offered: Option<u64>,
    /// Beats taken: number, position.
    taken: VecDeque<(u64, u64)>,
    /// Beats that came, late ones of a replay among them.
    received: Vec<(u64, u64)>,
    /// Those of a replay.
    late: u64,
}

impl Line {
    fn new(flits: u32, lanes: &[usize]) -> Self {
        let lanes = lanes.to_vec();
        let (words, taken) = (vec![vec![]; lanes.len()], VecDeque::new());
        Line { flits, lanes, words, earlier: 0, offered: None, taken, received: vec![], late: 0 }
    }

    /// Words of the first lane after the start row.
    fn count(&self) -> u64 {
        self.words[0].len() as u64
    }

    fn clock(&mut self, rig: &mut Rig, chance: f64) {
        if self.offered.is_none() && rig.rng.random_bool(chance) {
            let number = rig.rng.random_range(0..1u64 << 48);
            self.offered = Some(number);
            let mut beat = Value::zero(FLIT_BITS as u32 * self.flits);
            (0..FLIT_BITS as u32).for_each(|bit| beat.set_bit(bit, spc(number) >> bit & 1 == 1));
            let data = rig.block.handle("time_in[0].data");
            rig.block.instance.set_words(data, beat.words());
        }
        rig.set("time_in[0].valid", self.offered.is_some().into());
        let before = self.count();
        for (rank, lane) in self.lanes.clone().into_iter().enumerate() {
            if rig.get(&format!("line_there[{lane}].valid")) == 1 {
                let word = rig.get(&format!("line_there[{lane}].data"));
                self.words[rank].push(word);
                if starts_rows(word) {
                    self.words[rank].clear();
                }
            }
        }
        if rig.get("spc_out[1].valid") == 1 {
            // The words of this clock come with its edge, and are counted with the next.
            assert_eq!(rig.get("rx_words[1]"), self.earlier & 0xFFFF, "clock {}", rig.clock);
            let number = self.number(rig);
            let position = rig.get("rx_position[1]");
            let taken = self.taken.pop_front();
            assert_eq!(taken.map(|(number, _)| number), Some(number), "clock {}: in order, once", rig.clock);
            if rig.get("beat_late[1]") == 0 {
                assert_eq!(taken, Some((number, position)), "clock {}: both ends say the same", rig.clock);
            } else {
                self.late += 1;
            }
            self.received.push((number, position));
        }
        if let (Some(number), 1, 1) = (self.offered, rig.get("time_in[0].ready"), rig.get("tx_open[0]")) {
            // A word is taken a clock before it is on the line, and counted a clock behind.
            assert_eq!(rig.get("tx_words[0]"), before & 0xFFFF, "clock {}", rig.clock);
            self.taken.push_back((number, rig.get("tx_position[0]")));
            self.offered = None;
        }
        self.earlier = before;
        rig.clock();
    }

    fn number(&self, rig: &mut Rig) -> u64 {
        let out = rig.block.handle("spc_out[1].data");
        rig.block.instance.words(out)[0] & 0xFFFF_FFFF_FFFF
    }

    /// Data bit `bit` of the stream: the words of the LTPs, descrambled, ALN rows left out.
    fn stream(&self) -> Vec<u32> {
        let mut lanes = vec![];
        for (lane, words) in self.lanes.iter().zip(&self.words) {
            let mut scrambler = Scrambler::new(*lane).expect("a lane");
            let data = words.iter().filter(|word| *word & CTL == 0);
            lanes.push(data.map(|word| *word as u32 ^ scrambler.next_word()).collect::<Vec<_>>());
        }
        let rows = lanes.iter().map(Vec::len).min().expect("a lane");
        (0..rows).flat_map(|row| lanes.iter().map(move |lane| lane[row])).collect()
    }

    /// Every beat that came stands on the line where its position says, and the model says the same.
    fn check(&self, mode: CrcMode, what: &str) {
        let (stream, lanes) = (self.stream(), self.lanes.len());
        let flit_at = |bit: usize| {
            (0..FLIT_BITS).fold(0u128, |flit, place| {
                let bit = bit + place;
                flit | u128::from(stream[bit / WORD_BITS] >> (bit % WORD_BITS) & 1) << place
            })
        };
        for &(number, position) in &self.received {
            let (word, inside) = ((position >> 8) as usize, (position & 0xFF) as usize * WORD_BITS / 256);
            // ALN rows stand in words 4096, 8193 ....
            assert_ne!(word % (ALN_INTERVAL_ROWS + 1), ALN_INTERVAL_ROWS, "{what}: in an ALN row");
            let row = word - word / (ALN_INTERVAL_ROWS + 1);
            let bits = (0..lanes).map(|lane| (row * lanes + lane) * WORD_BITS + inside);
            let found: Vec<usize> = bits.filter(|bit| flit_at(*bit) == spc(number)).collect();
            assert_eq!(found.len(), 1, "{what}: flit {number:X} at position {position:X}");
            let (ltp, bit) = (found[0] / ltp_bits(mode), found[0] % ltp_bits(mode));
            let beat = bit / (FLIT_BITS * self.flits as usize);
            let model = line_position::of_beat(mode, lanes, self.flits as usize, ltp as u64, beat);
            assert_eq!(position, model, "{what}: LTP {ltp}, beat {beat}");
        }
    }
}

/// A pair on these lanes in this mode, with errors; positions are checked beyond the last of so many ALN rows, and after Retraining.
fn positions(program: &'static Program, flits: u32, used: &[usize], mode: CrcMode, alns: usize) {
    let what = format!("F = {flits}, lanes {used:?}, {mode:?}");
    let mut rig = Rig::new(program, seed(0x10_F0));
    let allowed = used.iter().fold(0u64, |mask, lane| mask | 1 << lane);
    for end in 0..2 {
        rig.write(end, LANES, allowed << lanes::allowed::LOW);
        rig.write(end, DEGRADE, 0);
        rig.write(end, CRC_CFG, 7 | u64::from(mode.code()) << 3);
    }
    rig.pace(0.8);
    let mut line = Line::new(flits, used);
    (0..2).for_each(|end| rig.enable(end));
    for round in 0..2 {
        let limit = rig.clock + 20_000;
        while rig.clock < limit && !(rig.is_up(0) && rig.is_up(1)) {
            line.clock(&mut rig, 0.0);
        }
        assert!(rig.is_up(0) && rig.is_up(1), "{what}");
        let errors = Noise { bit: 0.002, lanes: allowed, ..Noise::default() };
        rig.noise = [errors; 2];
        // A replay takes the longer the fewer lanes there are.
        let clocks = if round == 0 { ALN_INTERVAL_ROWS * alns + 600 } else { 2_000 / used.len() };
        (0..clocks).for_each(|_| line.clock(&mut rig, 0.05));
        rig.noise = Default::default();
        (0..600).for_each(|_| line.clock(&mut rig, 0.0));
        assert!(line.received.len() > clocks / 100, "{what}: {} beats", line.received.len());
        line.check(mode, &what);
        println!("{what}: {} time beats, {} words, {} late", line.received.len(), line.count(), line.late);
        // Anew from here on.
        line.received.clear();
        rig.write(0, CTRL, 1 << ctrl::enable::LOW | 1 << ctrl::retrain::LOW);
        (0..100).for_each(|_| line.clock(&mut rig, 0.0));
    }
    rig.come_up(&what);
    rig.drain(&what);
    assert_eq!(rig.ends[0].lost + rig.ends[1].lost, 0, "{what}");
}

#[test]
fn a_time_flit_stands_on_the_line_where_its_position_says() {
    let sets: [&[usize]; 4] = [&[0, 1, 2, 3], &[1, 2, 3], &[0, 2], &[3]];
    let alns = if is_full() { 5 } else { 1 };
    sets.iter().for_each(|used| positions(short(), 2, used, CrcMode::Standard, alns));
    sets.iter().take(2).for_each(|used| positions(short(), 2, used, CrcMode::Bits14, alns));
    positions(narrow(), 1, &[0], CrcMode::Bits14, alns);
    positions(quad(), 4, &[0, 1, 2, 3], CrcMode::Standard, alns);
    positions(quad(), 4, &[0, 1, 3], CrcMode::Bits14, alns);
}
