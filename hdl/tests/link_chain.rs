//! gearbox tx, lane tx, `phy_loop`, lane rx, gearbox rx, wired port by port, against the model: the lanes' words
//! are the dealer's, the received lanes' words collect to the words sent, the beats are the LTPs' wire beats.

#![allow(clippy::expect_used)] // tests

use flitforge_elaborate::Value;
use flitforge_hdl::link::gearbox::{LinkGearboxRx, LinkGearboxTx};
use flitforge_hdl::link::lane::{LinkLaneRx, LinkLaneTx};
use flitforge_hdl::link::phy_loop::PhyLoop;
use flitforge_model::lanes::{LaneSetup, Row};
use flitforge_model::{LaneCollector, LaneDistributor, LaneWord, LtpBits};
use flitforge_protocol::ltp::CrcMode;
use flitforge_sim::kit::{rng, seed, Rng};
use flitforge_testkit::{BenchBlock, Clocked};
use rand::Rng as _;

/// Bits that make a received word bad: {code_err, ctl}.
const BAD: u64 = 3 << 32;

/// Copies an output to an input.
fn carry(from: &mut BenchBlock, output: &str, to: &mut BenchBlock, input: &str) {
    to.set_value(input, &from.get_value(output));
}

/// A wire beat and whether a bad word has bits in it.
type Beat = (Value, bool);

/// What the chain is to do, and what came of it.
struct Chain {
    gear_tx: BenchBlock,
    lane_tx: BenchBlock,
    phy: BenchBlock,
    lane_rx: BenchBlock,
    gear_rx: BenchBlock,
    used: Vec<usize>,
    /// Words taken by the PHY, of each used lane.
    sent: Vec<Vec<u64>>,
    /// The same, as they leave the PHY.
    heard: Vec<Vec<u64>>,
    beats: Vec<Beat>,
}

impl Chain {
    fn new(active: u64, wide: bool, delays: [u64; 4]) -> Self {
        let mut chain = Self {
            gear_tx: BenchBlock::boxed("link_gearbox_tx", Box::new(LinkGearboxTx::default())),
            lane_tx: BenchBlock::boxed("link_lane_tx", Box::new(LinkLaneTx::<4>::new().expect("valid"))),
            phy: BenchBlock::boxed("phy_loop", Box::new(PhyLoop::<4>::new().expect("valid"))),
            lane_rx: BenchBlock::boxed("link_lane_rx", Box::new(LinkLaneRx::<4>::new().expect("valid"))),
            gear_rx: BenchBlock::boxed("link_gearbox_rx", Box::new(LinkGearboxRx::default())),
            used: (0..4).filter(|lane| active >> lane & 1 == 1).collect(),
            sent: vec![vec![]; 4],
            heard: vec![vec![]; 4],
            beats: vec![],
        };
        let last = u64::from(active.count_ones()) - 1;
        for gear in [&mut chain.gear_tx, &mut chain.gear_rx] {
            gear.set("wide", u64::from(wide));
            gear.set("last_lane", last);
        }
        for lane in [&mut chain.lane_tx, &mut chain.lane_rx] {
            lane.set("active", active);
            lane.set("crc_mode", if wide { 2 } else { 0 });
        }
        for (lane, delay) in delays.iter().enumerate() {
            chain.phy.set(&format!("delay[{lane}]"), *delay);
            chain.lane_rx.set(&format!("source[{lane}]"), lane as u64);
        }
        chain.clear(1);
        chain.clock(None);
        chain.clear(0);
        chain.lane_tx.set("start", 1);
        chain.clock(None);
        chain.lane_tx.set("start", 0);
        chain
    }

    fn clear(&mut self, clear: u64) {
        for block in
            [&mut self.gear_tx, &mut self.lane_tx, &mut self.phy, &mut self.lane_rx, &mut self.gear_rx]
        {
            block.set("clear", clear);
        }
    }

    /// One clock with this beat on offer; tells whether it was taken.
    fn clock(&mut self, offer: Option<&Value>) -> bool {
        self.gear_tx.set("wire_in.valid", u64::from(offer.is_some()));
        if let Some(beat) = offer {
            self.gear_tx.set_value("wire_in.data", beat);
        }
        for block in [&mut self.gear_tx, &mut self.phy, &mut self.lane_rx] {
            block.settle();
        }
        for lane in 0..4 {
            let (tx, rx, out) = (format!("tx[{lane}]"), format!("rx[{lane}]"), format!("lanes[{lane}]"));
            carry(&mut self.phy, &format!("{tx}.ready"), &mut self.lane_tx, &format!("{out}.ready"));
            for part in ["valid", "data"] {
                carry(&mut self.phy, &format!("{rx}.{part}"), &mut self.lane_rx, &format!("{out}.{part}"));
            }
        }
        carry(&mut self.gear_tx, "rows.valid", &mut self.lane_tx, "rows.valid");
        carry(&mut self.gear_tx, "rows.data", &mut self.lane_tx, "rows.data");
        self.lane_tx.settle();
        carry(&mut self.lane_tx, "rows.ready", &mut self.gear_tx, "rows.ready");
        for port in ["rows.valid", "rows.data", "row_error", "row_start"] {
            carry(&mut self.lane_rx, port, &mut self.gear_rx, port);
        }
        for lane in 0..4 {
            let (tx, out) = (format!("tx[{lane}]"), format!("lanes[{lane}]"));
            for part in ["valid", "data"] {
                carry(&mut self.lane_tx, &format!("{out}.{part}"), &mut self.phy, &format!("{tx}.{part}"));
            }
        }
        for block in [&mut self.gear_tx, &mut self.phy, &mut self.lane_rx, &mut self.gear_rx] {
            block.settle();
        }
        self.watch();
        let taken = offer.is_some() && self.gear_tx.get("wire_in.ready") == 1;
        for block in
            [&mut self.gear_tx, &mut self.lane_tx, &mut self.phy, &mut self.lane_rx, &mut self.gear_rx]
        {
            block.clock();
        }
        taken
    }

    fn watch(&mut self) {
        for lane in 0..4 {
            if self.phy.get(&format!("tx[{lane}].valid")) & self.phy.get(&format!("tx[{lane}].ready")) == 1 {
                self.sent[lane].push(self.phy.get(&format!("tx[{lane}].data")));
            }
            if self.phy.get(&format!("rx[{lane}].valid")) == 1 {
                self.heard[lane].push(self.phy.get(&format!("rx[{lane}].data")));
            }
        }
        assert_eq!(self.lane_rx.get("deskew_lost"), 0);
        if self.gear_rx.get("wire_out.valid") == 1 {
            let beat = self.gear_rx.get_value("wire_out.data");
            self.beats.push((beat, self.gear_rx.get("code_err") == 1));
        }
    }

    /// Row `index` of what `lanes` carried, as the model writes it.
    fn row(&self, lanes: &[Vec<u64>], index: usize) -> Option<Row> {
        let word = |bits: u64| match bits >> 32 {
            0 => LaneWord::Data(bits as u32),
            _ => LaneWord::Control(bits as u32),
        };
        self.used.iter().map(|lane| lanes[*lane].get(index).copied().map(word)).collect()
    }
}

fn beats(words: &[u32], per_ltp: usize) -> Vec<Value> {
    let ltps = words.chunks_exact(per_ltp).map(|words| LtpBits::from_words(words).expect("an LTP"));
    ltps.flat_map(|ltp| ltp.wire_beats(2).expect("F = 2"))
        .map(|beat| {
            let mut value = Value::zero(136);
            beat.bits().iter().by_vals().zip(0..).for_each(|(bit, place)| value.set_bit(place, bit));
            value
        })
        .collect()
}

/// A fault now and then on one used lane, in data rows only, so that no start is missed and no ALN differs.
fn inject(chain: &mut Chain, rng: &mut Rng, words: &mut [u32], bad: &mut [bool], chance: f64) -> u64 {
    let rank = rng.random_range(0..chain.used.len());
    let lane = chain.used[rank];
    let row = chain.sent[lane].len();
    chain.lane_tx.settle();
    let moves = chain.lane_tx.get(&format!("lanes[{lane}].valid")) == 1;
    // Row 0 is the start row, then every 4097th an ALN row.
    let hits = rng.random_bool(chance) && moves && row > 0 && row % 4097 != 0;
    chain.phy.set("error_enable", u64::from(hits));
    if hits {
        let mask = match rng.random_range(0..3) {
            0 => u64::from(rng.random::<u32>()),
            1 => 1 << 32 | u64::from(rng.random::<u32>()),
            _ => 1 << 33,
        };
        chain.phy.set("error_lanes", 1 << lane);
        chain.phy.set("error_mask", mask);
        let place = (row - 1 - row / 4097) * chain.used.len() + rank;
        words[place] ^= mask as u32;
        bad[place] |= mask & BAD != 0;
    }
    u64::from(hits)
}

fn run(active: u64, wide: bool, delays: [u64; 4], chance: f64) {
    let mut rng = rng(seed(0x10_60 + active), "chain");
    let mut chain = Chain::new(active, wide, delays);
    let (lanes, per_ltp) = (chain.used.len(), if wide { 34 } else { 33 });
    let ltps = (4200 * lanes).div_ceil(per_ltp);
    let words: Vec<u32> = (0..ltps * per_ltp).map(|_| rng.random()).collect();
    let offered = beats(&words, per_ltp);
    // The gearboxes keep the last words until more come: room for the faults in them, but not compared.
    let (mut arriving, mut bad) = (words.clone(), vec![false; words.len()]);
    let (mut taken, mut clocks, mut faults) = (0, 0u64, 0);
    while taken < offered.len() {
        let willing = rng.random_bool(0.95);
        faults += inject(&mut chain, &mut rng, &mut arriving, &mut bad, chance);
        taken += usize::from(chain.clock(offered.get(taken).filter(|_| willing)));
        clocks += 1;
    }
    chain.phy.set("error_enable", 0);
    (0..60).for_each(|_| {
        chain.clock(None);
    });

    let mode = if wide { CrcMode::Overlapping48 } else { CrcMode::Standard };
    let setup = LaneSetup::new(&chain.used, mode).expect("lanes");
    let mut distributor = LaneDistributor::new(setup.clone()).expect("distributor");
    distributor.push(&words);
    let rows = distributor.rows().expect("rows");
    let sent: Vec<Row> = (0..).map_while(|index| chain.row(&chain.sent, index)).collect();
    assert!(sent.len() > 4150 && sent.len() + 3 >= rows.len(), "{} of {} rows", sent.len(), rows.len());
    assert_eq!(sent, rows[..sent.len()], "words on the lanes");

    if faults == 0 {
        let mut collector = LaneCollector::new(setup).expect("collector");
        let heard = (0..).map_while(|index| chain.row(&chain.heard, index));
        let collected: Vec<u32> = heard.flat_map(|row| collector.push(&row).expect("right")).collect();
        assert!(collected.len() > 4100 * lanes, "{} words", collected.len());
        assert_eq!(collected, words[..collected.len()], "words off the lanes");
    }
    let expected = beats(&arriving, per_ltp);
    let width = if wide { 136 } else { 132 };
    let count = chain.beats.len();
    assert!(count + 16 > expected.len(), "{count} of {} beats", expected.len());
    let mut marked = 0;
    for (index, (beat, code_err)) in chain.beats.iter().enumerate() {
        let (from, end) = (index * width / 32, ((index + 1) * width).div_ceil(32));
        let expects = bad[from..end].iter().any(|bad| *bad);
        marked += u64::from(expects);
        assert_eq!((beat, *code_err), (&expected[index], expects), "beat {index}");
    }
    assert_eq!(faults > 0, chance > 0.0, "faults");
    assert_eq!(marked > 0, chance > 0.0, "beats marked bad");
    println!(
        "lanes {active:04b}, wide {wide}: {} rows, {count} beats in {clocks} clocks, {faults} faults, {marked} marked",
        sent.len()
    );
}

#[test]
fn four_lanes_across_an_aln_row() {
    run(0b1111, false, [0; 4], 0.0);
}

#[test]
fn three_lanes_with_skew_in_wide_beats() {
    run(0b1101, true, [7, 0, 0, 14], 0.0);
}

#[test]
fn faults_on_the_lanes_arrive_where_they_were_made_and_nowhere_else() {
    run(0b1111, false, [3, 0, 9, 1], 0.01);
    run(0b0010, true, [0; 4], 0.01);
}
