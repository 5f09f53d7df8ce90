//! Tests of the lanes, first what goes wrong, then vectors and the whole loop.

mod faults;
mod loops;
mod scrambler;
mod vectors;

use flitforge_hdl::link::lane::LinkLaneRx;
use flitforge_protocol::lane_word::scrambler::SEEDS;
use flitforge_testkit::{Clocked, StockBlock};

/// Control flag of a lane word.
const CTL: u64 = 1 << 32;
/// Code error flag of a received lane word.
const CODE_ERR: u64 = 1 << 33;

/// The scrambler, bit by bit as in chapter 10, 3.6.
struct BitScrambler(u32);

impl BitScrambler {
    fn new(lane: usize) -> Self {
        Self(SEEDS[lane])
    }

    fn word(&mut self) -> u32 {
        (0..32).fold(0, |word, bit| {
            let s = |index: u32| self.0 >> index & 1;
            let (out, new) = (s(22), s(22) ^ s(20) ^ s(15) ^ s(7) ^ s(4) ^ s(1));
            self.0 = (self.0 << 1 | new) & 0x7F_FFFF;
            word | out << bit
        })
    }
}

/// What each lane of `active` sends for `words`: start row, data rows, an ALN row after each 4096.
fn lane_streams(active: u64, mode: u64, words: &[u32]) -> Vec<Vec<u64>> {
    let lanes: Vec<usize> = (0..4).filter(|lane| active >> lane & 1 == 1).collect();
    let mut streams = vec![vec![]; 4];
    for (rank, lane) in lanes.iter().enumerate() {
        let field = (lanes.len() as u64 - 1) << 22 | mode << 20 | (*lane as u64) << 16;
        streams[*lane].push(CTL | 0xA500_2DBC | field);
        let mut scrambler = BitScrambler::new(*lane);
        for (row, words) in words.chunks_exact(lanes.len()).enumerate() {
            streams[*lane].push(u64::from(words[rank] ^ scrambler.word()));
            if (row + 1) % 4096 == 0 {
                streams[*lane].push(CTL | 0x1CBC | ((row as u64 + 1) / 4096) << 16);
            }
        }
    }
    streams
}

/// What a receiver said in one run.
#[derive(Default, Debug)]
struct Heard {
    words: Vec<u32>,
    bad_words: Vec<usize>,
    code_errors: [u64; 4],
    lost: u64,
    mismatch: u64,
    starts: u64,
    first_row: Option<usize>,
}

fn clear_receiver(bench: &mut StockBlock<LinkLaneRx<4>>, active: u64, mode: u64) {
    bench.set("clear", 1).set("active", active).set("crc_mode", mode);
    for lane in 0..4 {
        bench.set(&format!("source[{lane}]"), lane).set(&format!("lanes[{lane}].valid"), 0);
    }
    bench.clock();
    bench.set("clear", 0);
}

/// Feeds each lane its stream, one word per clock, `skew[lane]` clocks late, and a few idle clocks.
fn hear(bench: &mut StockBlock<LinkLaneRx<4>>, streams: &[Vec<u64>], skew: [usize; 4]) -> Heard {
    let mut heard = Heard::default();
    let lanes = bench.get("last_lane") as u32 + 1;
    let end = streams.iter().map(Vec::len).max().unwrap_or(0) + 24;
    for clock in 0..end {
        for lane in 0..4 {
            let word = clock.checked_sub(skew[lane]).and_then(|index| streams[lane].get(index));
            bench.set(&format!("lanes[{lane}].valid"), u64::from(word.is_some()));
            bench.set(&format!("lanes[{lane}].data"), word.copied().unwrap_or(0));
        }
        bench.clock();
        if bench.get("rows.valid") == 1 {
            heard.first_row.get_or_insert(clock);
            let (row, errors) = (bench.get_value("rows.data"), bench.get("row_error"));
            for lane in 0..lanes {
                if errors >> lane & 1 == 1 {
                    heard.bad_words.push(heard.words.len());
                }
                heard.words.push(row.slice(32 * lane, 32).low_u64() as u32);
            }
        }
        let code = bench.get("code_errors");
        for lane in 0..4 {
            heard.code_errors[lane] += code >> lane & 1;
        }
        heard.lost += bench.get("deskew_lost");
        heard.mismatch += bench.get("start_mismatch");
        heard.starts += bench.get("row_start");
    }
    heard
}
