//! Test traffic against itself: what it sends it takes for good, what is lost, altered or out of turn it does not. A line with as many wrong bits as asked for.

use super::network::value_of;
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::command_in::{CellCredits, CommandWord};
use flitforge_hdl_sue::frame::{CommandHead, ReceivedHead};
use flitforge_hdl_sue::traffic::SueTraffic;
use flitforge_hdl_sue::unpack::OutCredit;
use flitforge_protocol::register::RegisterValue;
use flitforge_protocol::sue::command::COMMAND_CELL_BYTES;
use flitforge_protocol::sue_traffic_registers::{self as page, traffic, OUT_CREDITS};
use flitforge_sim::kit::{rng, seed, Rng};
use flitforge_testkit::{compiled, Clocked, CompiledBlock};
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::collections::VecDeque;

const OWN: u64 = 2;
const VCS: usize = 4;

/// Words of a command, and its head.
type Passing = (Vec<CommandWord>, CommandHead);

/// Traffic whose commands come back to it, as if its instance were a loop.
struct Loop {
    block: CompiledBlock,
    random: Rng,
    coming: Vec<CommandWord>,
    head: CommandHead,
    /// Commands on their way back.
    waiting: VecDeque<Passing>,
    leaving: VecDeque<(CommandWord, ReceivedHead)>,
    given: VecDeque<(u64, u64)>,
    credits: [i64; VCS],
    out_credits: [i64; VCS],
}

impl Loop {
    fn new(seed: u64, settings: traffic::Value, limit: u64) -> Self {
        let mut block = CompiledBlock::new(&compiled("sue_traffic", &SueTraffic::new().expect("valid")));
        block.set("own", OWN);
        let mut it = Self {
            block,
            random: rng(seed, "loop"),
            coming: vec![],
            head: CommandHead::default(),
            waiting: VecDeque::new(),
            leaving: VecDeque::new(),
            given: (0..VCS as u64).map(|vc| (vc, 12)).collect(),
            credits: [0; VCS],
            out_credits: [0; VCS],
        };
        it.write(page::LIMIT, limit);
        it.write(page::TRAFFIC, settings.encode().expect("fits"));
        it.block.set("on", 1);
        it
    }

    fn request(&mut self, offset: u32, write: Option<u64>) -> u64 {
        self.block.set("bus.address", u64::from(offset / 8)).set("bus.wdata", write.unwrap_or(0));
        self.block.set("bus.write", write.is_some().into()).set("bus.request", 1);
        for _ in 0..20 {
            self.block.step();
            self.block.set("bus.request", 0);
            if self.block.get("bus.ack") == 1 {
                let value = self.block.get("bus.rdata");
                self.block.step();
                return value;
            }
        }
        panic!("{offset:#x}: no answer");
    }

    fn write(&mut self, offset: u32, value: u64) {
        self.request(offset, Some(value));
    }

    fn read(&mut self, offset: u32) -> u64 {
        self.request(offset, None)
    }

    fn value(&mut self, path: &str) -> Value {
        self.block.get_value(path)
    }

    /// A clock; the command that has left in it.
    fn clock(&mut self) -> Option<Passing> {
        let takes = self.random.random_bool(0.8);
        self.block.set("commands.ready", takes.into());
        let mut left = None;
        if takes && self.block.get("commands.valid") == 1 {
            let word: CommandWord = Bits::<71>::from_value(&self.value("commands.data")).into();
            let head: CommandHead = Bits::<23>::from_value(&self.value("head")).into();
            assert_eq!(word.first, self.coming.is_empty());
            if word.first {
                self.head = head;
            }
            assert_eq!(head, self.head, "it holds");
            let vc = u64::from(head.vc) as usize;
            self.coming.push(word);
            if word.last {
                let words = std::mem::take(&mut self.coming);
                self.credits[vc] -= cells(&words) as i64;
                assert!(self.credits[vc] >= 0, "VC {vc}: more cells than credits");
                left = Some((words, head));
            }
        }
        let given = self.given.pop_front().filter(|_| self.block.get("clear") == 0);
        self.block.set("credits.valid", given.is_some().into());
        if let Some((vc, count)) = given {
            self.credits[vc as usize] += count as i64;
            let credit = CellCredits { vc: vc.into(), count: count.into() };
            self.block.set_value("credits.data", &value_of::<CellCredits, 10>(credit));
        }
        self.deliver();
        if self.block.get("out_credits.valid") == 1 {
            let credit: OutCredit = Bits::<10>::from_value(&self.value("out_credits.data")).into();
            self.out_credits[u64::from(credit.vc) as usize] += u64::from(credit.count) as i64;
        }
        self.block.step();
        left
    }

    /// A word back.
    fn deliver(&mut self) {
        if self.leaving.is_empty() {
            let fits = self.waiting.front().is_some_and(|(words, head)| {
                self.out_credits[u64::from(head.vc) as usize] >= cells(words) as i64
            });
            if fits {
                let (words, head) = self.waiting.pop_front().expect("a command");
                let vc = u64::from(head.vc);
                self.out_credits[vc as usize] -= cells(&words) as i64;
                self.given.push_back((vc, cells(&words)));
                let head = ReceivedHead {
                    source: OWN.into(),
                    vc: head.vc,
                    port: 0u64.into(),
                    partition: head.partition,
                };
                self.leaving.extend(words.into_iter().map(|word| (word, head)));
            }
        }
        let offers = self.leaving.front().copied();
        self.block.set("arrivals.valid", offers.is_some().into());
        if let Some((word, head)) = offers {
            self.block.set_value("arrivals.data", &value_of::<CommandWord, 71>(word));
            self.block.set_value("arrived_head", &value_of::<ReceivedHead, 24>(head));
            if self.block.get("arrivals.ready") == 1 {
                self.leaving.pop_front();
            }
        }
    }
}

fn octets(words: &[CommandWord]) -> u64 {
    words.iter().map(|word| u64::from(word.bytes)).sum()
}

fn cells(words: &[CommandWord]) -> u64 {
    octets(words).next_multiple_of(2).div_ceil(COMMAND_CELL_BYTES as u64)
}

fn settings(most: u64, fixed: bool) -> traffic::Value {
    traffic::Value { run: 1, fixed: fixed.into(), stall: 0, channels: 15, peer: OWN, most }
}

#[test]
fn what_is_sent_is_right_when_it_comes() {
    for (most, fixed) in [(256, false), (0, false), (37, true), (256, true)] {
        let mut traffic = Loop::new(seed(0x7AF), settings(most, fixed), 500);
        let (mut sent, mut seen) = (0, [0; VCS]);
        for _ in 0..200_000 {
            if let Some((words, head)) = traffic.clock() {
                let data = octets(&words) - 8;
                assert!(if fixed { data == most } else { data <= most }, "{data} octets of data");
                seen[u64::from(head.vc) as usize] += 1;
                traffic.waiting.push_back((words, head));
                sent += 1;
            }
        }
        assert_eq!(sent, 500, "so many and no more");
        assert!(seen.iter().all(|count| *count > 50), "{seen:?}");
        let counts = [page::SENT, page::RECEIVED, page::WRONG].map(|offset| traffic.read(offset));
        assert_eq!(counts, [500, 500, 0]);
    }
}

#[test]
fn what_is_lost_altered_or_out_of_turn_is_wrong() {
    let mut traffic = Loop::new(seed(0x7B0), settings(200, false), 0);
    let (mut wrong, mut good) = (0, 0);
    for _ in 0..60_000 {
        let Some((mut words, head)) = traffic.clock() else { continue };
        match traffic.random.random_range(0..20) {
            0 => {
                // A bit of the octets that count.
                let at = traffic.random.random_range(0..words.len());
                let bits = 8 * u64::from(words[at].bytes);
                // Not of the header, which the receiver of commands has checked.
                let from = if at == 0 { 16 } else { 0 };
                let bit = traffic.random.random_range(from..bits);
                words[at].data = (u64::from(words[at].data) ^ 1 << bit).into();
                wrong += 1;
                // Another number makes the next one wrong, too.
                wrong += u64::from(at == 0 && bit >= 32);
                good -= i64::from(at == 0 && bit >= 32);
                traffic.waiting.push_back((words, head));
            }
            _ => {
                good += 1;
                traffic.waiting.push_back((words, head));
            }
        }
    }
    let mut run = settings(200, false);
    run.run = 0;
    traffic.write(page::TRAFFIC, run.encode().expect("fits"));
    while traffic.block.get("commands.valid") == 1
        || !traffic.waiting.is_empty()
        || !traffic.leaving.is_empty()
    {
        if let Some(passing) = traffic.clock() {
            good += 1;
            traffic.waiting.push_back(passing);
        }
    }
    (0..10).for_each(|_| drop(traffic.clock()));
    let counts = [page::RECEIVED, page::WRONG].map(|offset| traffic.read(offset) as i64);
    // Two wrong numbers of one virtual channel in a row are one wrong command less.
    assert!(wrong > 20 && counts[1] > 20, "{wrong} {counts:?}");
    assert_eq!(counts[0] + counts[1], traffic.read(page::SENT) as i64, "each counted once");
    assert!(
        (counts[1] - wrong as i64).abs() <= 4 && (counts[0] - good).abs() <= 4,
        "{wrong} {good} {counts:?}"
    );
}

/// Off, all begins anew; credits are given once more.
#[test]
fn it_begins_anew_with_its_instance() {
    let mut traffic = Loop::new(seed(0x7B1), settings(100, false), 0);
    for _ in 0..2 {
        for _ in 0..5_000 {
            if let Some(passing) = traffic.clock() {
                traffic.waiting.push_back(passing);
            }
        }
        let counts = [page::SENT, page::RECEIVED, page::WRONG].map(|offset| traffic.read(offset));
        assert!(counts[0] > 50 && counts[1] > 50 && counts[2] == 0, "{counts:?}");
        traffic.block.set("on", 0);
        traffic.waiting.clear();
        traffic.leaving.clear();
        traffic.coming.clear();
        traffic.block.set("commands.ready", 0).set("arrivals.valid", 0);
        traffic.block.step();
        assert_eq!([page::SENT, page::RECEIVED].map(|offset| traffic.read(offset)), [0, 0]);
        (traffic.credits, traffic.out_credits) = ([0; VCS], [0; VCS]);
        traffic.given = (0..VCS as u64).map(|vc| (vc, 12)).collect();
        traffic.block.set("on", 1);
        (0..6).for_each(|_| drop(traffic.clock()));
        assert_eq!(traffic.out_credits, [OUT_CREDITS as i64; VCS]);
    }
}

/// So many wrong columns of 2^24, each with one wrong bit, and DAMAGED says how many.
#[test]
fn the_line_has_as_many_wrong_bits_as_asked_for() {
    const COLUMNS: u64 = 200_000;
    for chance in [0, 1 << 14, 1 << 20] {
        let mut traffic = Loop::new(seed(0x7B2), settings(0, false), 1);
        traffic.write(page::LOSS, chance);
        let (mut damaged, start) = (0, traffic.read(page::DAMAGED));
        for column in 0..COLUMNS {
            let sent = (column.wrapping_mul(0x9E37_79B9_7F4A_7C15), column & 0xFF);
            traffic.block.set("line_data", sent.0).set("line_control", sent.1);
            traffic.block.step();
            let came = (traffic.block.get("rxd"), traffic.block.get("rxc"));
            if column > 0 {
                let wrong = (came.0 ^ sent.0).count_ones() + (came.1 ^ sent.1).count_ones();
                assert!(wrong <= 1, "{wrong} bits");
                damaged += u64::from(wrong);
            }
        }
        let expected = (COLUMNS * chance) >> 24;
        let spread = 6.0 * (expected as f64).sqrt();
        assert!((damaged as f64 - expected as f64).abs() <= spread, "{damaged}, {expected} expected");
        let counted = traffic.read(page::DAMAGED) - start;
        assert!(counted.abs_diff(damaged) <= 2, "{counted} counted, {damaged} seen");
    }
}
