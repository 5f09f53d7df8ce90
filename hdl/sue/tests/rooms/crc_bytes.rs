//! CRC-32 and CRC-32C over frames of bytes against the `crc` crate, and by bit for the definition.

use crc::{Crc, CRC_32_ISCSI, CRC_32_ISO_HDLC};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Value;
use flitforge_hdl_registry::Settings;
use flitforge_hdl_sue::crc_bytes::{CrcBytes, CrcBytesCheck};
use flitforge_protocol::sue::crc::ByteCrc::{self, Castagnoli, Ethernet};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::cosim::{standard, StandardInterface, FULL_CLOCKS};
use flitforge_sim::kit::{rng, seed, StimulusFn, Testbench};
use flitforge_sim::{Bench, CosimPlan, PortValues, SimError};
use flitforge_testkit::{depth, random, Clocked, StockBlock};
use rand::Rng;
use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

type Crc64 = CrcBytes<64, 8, 4, 3, 240, 128>;
type Check64 = CrcBytesCheck<64, 8, 4, 3, 240, 128>;

/// The CRC of a frame as another implementation has it.
fn crc_of(crc: ByteCrc, bytes: &[u8]) -> u32 {
    match crc {
        Ethernet => Crc::<u32>::new(&CRC_32_ISO_HDLC).checksum(bytes),
        Castagnoli => Crc::<u32>::new(&CRC_32_ISCSI).checksum(bytes),
    }
}

/// How often each thing happened.
#[derive(Default)]
struct Counts {
    frames: Cell<u64>,
    good: Cell<u64>,
    cut_off: Cell<u64>,
    by_bytes: [Cell<u64>; 17],
}

/// What a block says of a frame.
#[derive(Clone, Copy)]
enum Says {
    Crc,
    Good,
}

/// Frames that have ended come out after the latency; of one without its `first` word nothing is known but that it ends.
struct Model {
    crc: ByteCrc,
    says: Says,
    latency: u64,
    clock: u64,
    frame: Option<Vec<u8>>,
    ended: VecDeque<(u64, Option<Vec<u8>>)>,
    counts: Rc<Counts>,
}

impl Model {
    fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        let due = self.ended.front().is_some_and(|(clock, _)| *clock == self.clock);
        let frame = if due { self.ended.pop_front().and_then(|(_, frame)| frame) } else { None };
        match self.says {
            Says::Crc => {
                outputs.set_bit("crc.valid", due)?;
                if let Some(frame) = frame {
                    outputs.set("crc.data", Value::from_u64(32, crc_of(self.crc, &frame).into()))?;
                }
            }
            Says::Good => {
                outputs.set_bit("done", due)?;
                if let Some(frame) = frame {
                    outputs.set_bit("good", self.fits(&frame))?;
                }
            }
        }
        self.clock += 1;
        if inputs.bit("clear")? {
            self.ended.clear();
            self.frame = None;
        } else if inputs.bit("word.valid")? {
            self.take(inputs)?;
        }
        Ok(())
    }

    /// The last four bytes are the CRC of those before, least significant first.
    fn fits(&self, frame: &[u8]) -> bool {
        let fits = frame.len() > 4 && {
            let (data, crc) = frame.split_at(frame.len() - 4);
            crc_of(self.crc, data).to_le_bytes() == crc
        };
        self.counts.good.set(self.counts.good.get() + u64::from(fits));
        fits
    }

    fn take(&mut self, inputs: &PortValues) -> Result<(), SimError> {
        let word = inputs.get("word.data")?;
        if inputs.bit("first")? && self.frame.replace(vec![]).is_some() {
            self.counts.cut_off.set(self.counts.cut_off.get() + 1);
        }
        let all = word.width() as usize / 8;
        let last = inputs.bit("last")?;
        let bytes = if last { inputs.get("bytes")?.low_u64() as usize } else { all };
        let byte = |i: usize| (word.words()[i / 8] >> (8 * (i % 8))) as u8;
        if let Some(frame) = &mut self.frame {
            frame.extend((0..bytes).map(byte));
        }
        if last {
            let (frames, count) = (&self.counts.frames, &self.counts.by_bytes[bytes]);
            frames.set(frames.get() + u64::from(self.frame.is_some()));
            count.set(count.get() + 1);
            self.ended.push_back((self.clock - 1 + self.latency, self.frame.take()));
        }
        Ok(())
    }
}

/// What the source of words sends: frames with their CRC, a third of them damaged, some cut off, gaps within and between.
struct Frames {
    crc: ByteCrc,
    bytes: usize,
    left: Vec<u8>,
    at_start: bool,
}

impl Frames {
    fn word(&mut self, random: &mut impl Rng) -> (Vec<u8>, bool, bool) {
        if self.left.is_empty() || random.random_bool(0.02) {
            let length = random.random_range(1..=5 * self.bytes);
            self.left = (0..length).map(|_| random.random()).collect();
            self.left.extend(crc_of(self.crc, &self.left).to_le_bytes());
            if random.random_bool(0.3) {
                let bit = random.random_range(0..8 * self.left.len());
                self.left[bit / 8] ^= 1 << (bit % 8);
            }
            self.at_start = true;
        }
        let rest = self.left.split_off(self.left.len().min(self.bytes));
        let word = std::mem::replace(&mut self.left, rest);
        (word, std::mem::replace(&mut self.at_start, false), self.left.is_empty())
    }
}

fn stimulus(
    testbench: &mut Testbench<'_>,
    seed: u64,
    (crc, bytes): (ByteCrc, usize),
) -> Result<(), SimError> {
    standard(&StandardInterface { clears: vec!["clear".into()], ..Default::default() }, testbench, seed)?;
    let ports = testbench.bench();
    let names = ["word.valid", "word.data", "first", "last", "bytes"];
    let [valid, data, first, last, count] = names.map(|name| ports.port(name));
    let (valid, data, first, last, count) = (valid?, data?, first?, last?, count?);
    let mut random = rng(seed, "frames");
    let mut frames = Frames { crc, bytes, left: vec![], at_start: true };
    testbench.add(StimulusFn(move |_: u64, bench: &mut dyn Bench| {
        let sends = random.random_bool(0.8);
        bench.set(valid, &Value::from_u64(1, sends.into()));
        // without `valid` the rest is noise
        let (mut word, is_first, is_last) = if sends {
            frames.word(&mut random)
        } else {
            (vec![0xA5; bytes], random.random(), random.random())
        };
        let there = word.len();
        // after the frame's end, too
        word.resize_with(bytes, || random.random());
        let words: Vec<u64> =
            word.chunks(8).map(|eight| u64::from_le_bytes(eight.try_into().expect("eight"))).collect();
        bench.set(data, &Value::from_words(8 * bytes as u32, &words));
        bench.set(first, &Value::from_u64(1, is_first.into()));
        bench.set(last, &Value::from_u64(1, is_last.into()));
        let shown = if is_last { there } else { random.random_range(1..=bytes) };
        bench.set(count, &Value::from_u64(bytes.ilog2() + 1, shown as u64));
        Ok(())
    }));
    Ok(())
}

fn plan(
    name: &str,
    (crc, bytes, says, latency): (ByteCrc, usize, Says, usize),
    make: impl Fn() -> Box<dyn DriveBlock> + 'static,
    counts: &Rc<Counts>,
) -> CosimPlan<'static> {
    let counts = Rc::clone(counts);
    let mut model =
        Model { crc, says, latency: latency as u64, clock: 0, frame: None, ended: VecDeque::new(), counts };
    let stimulus = move |testbench: &mut Testbench<'_>, seed| stimulus(testbench, seed, (crc, bytes));
    CosimPlan::new(name, seed(0xc2c), make, stimulus)
        .model(move |inputs: &PortValues, outputs: &mut PortValues| model.step(inputs, outputs))
}

/// The block of the registry with these settings, and its latency.
fn built(block: &str, settings: &[(&str, u64)]) -> (Box<dyn DriveBlock>, usize) {
    let entry = flitforge_hdl_sue::ENTRIES.iter().find(|entry| entry.name == block).expect("registered");
    let settings: Vec<(String, u64)> = settings.iter().map(|(key, value)| ((*key).into(), *value)).collect();
    let settings = Settings::new(entry, None, &settings).expect("valid");
    let built = (entry.build)(&settings).expect("builds");
    (built.block, built.interface.latency_clocks.expect("known") as usize)
}

fn equal_everywhere(block: &'static str, says: Says, crc: ByteCrc, width: u64) {
    let settings = [("width", width), ("crc", crc as u64)];
    let latency = built(block, &settings).1;
    let counts = Rc::new(Counts::default());
    let bytes = width as usize / 8;
    let name = format!("{block}_{width}_{crc:?}").to_lowercase();
    plan(&name, (crc, bytes, says, latency), move || built(block, &settings).0, &counts)
        .clocks(FULL_CLOCKS)
        .stock_limit(2_000, "a quick run: rust-hdl itself is slow")
        .to_depth(depth())
        .cover(&["clear.pulses"])
        .run()
        .expect("equal");
    assert!(counts.frames.get() > 100 && counts.cut_off.get() > 5);
    assert!((1..=bytes).all(|bytes| counts.by_bytes[bytes].get() > 5), "every number of bytes at the end");
    let good = counts.good.get();
    assert!(matches!(says, Says::Crc) || (good > 30 && good < counts.frames.get()), "{good} good");
}

#[test]
fn faults_are_found() {
    const TOP: &str = "fault_crc_bytes";
    let faults = [
        Fault::replace(
            "no step back over one byte",
            TOP,
            "if (missing_at_back_2_q) begin",
            "if (1'b0) begin",
        ),
        Fault::replace("two bytes back for four", TOP, "= missing[2];", "= missing[1];"),
        Fault::replace(
            "the result is not inverted",
            TOP,
            "assign result_d = ~exit_sum;",
            "assign result_d = exit_sum;",
        ),
        Fault::replace(
            "bytes after the end count",
            "crc_register_w64",
            "if (last & (bytes <= 4'h5)) begin",
            "if (1'b0) begin",
        ),
        Fault::replace(
            "a frame goes on with the register of the one before",
            "crc_register_w64",
            "if (first_at_state_q) begin",
            "if (1'b0) begin",
        ),
        Fault::replace(
            "a frame does not begin with ones",
            "crc_register_w64",
            "if (first_at_share_q) begin",
            "if (1'b0) begin",
        ),
        Fault::replace(
            "a gap is a word",
            "crc_register_w64",
            "if (valid_at_state_q) register_q",
            "register_q",
        ),
    ];
    let make = || Box::new(Crc64::new(Ethernet).expect("valid")) as Box<dyn DriveBlock>;
    let shape = (Ethernet, 8, Says::Crc, Crc64::LATENCY);
    let plan = || {
        plan(TOP, shape, make, &Rc::default())
            .clocks(20_000)
            .stock_limit(200, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn crc_bytes_is_equal_everywhere() {
    equal_everywhere("crc_bytes", Says::Crc, Ethernet, 64);
    equal_everywhere("crc_bytes", Says::Crc, Castagnoli, 64);
    equal_everywhere("crc_bytes", Says::Crc, Ethernet, 128);
}

#[test]
fn crc_bytes_check_is_equal_everywhere() {
    equal_everywhere("crc_bytes_check", Says::Good, Ethernet, 64);
    equal_everywhere("crc_bytes_check", Says::Good, Castagnoli, 64);
    equal_everywhere("crc_bytes_check", Says::Good, Ethernet, 128);
}

/// The CRC of a frame of two words, from rust-hdl's own simulation.
fn of_two_words(bench: &mut StockBlock<Crc64>, frame: &[u8]) -> u64 {
    for (index, word) in frame.chunks(8).enumerate() {
        let mut eight = [0xFF; 8];
        eight[..word.len()].copy_from_slice(word);
        bench
            .set("word.valid", 1)
            .set("word.data", u64::from_le_bytes(eight))
            .set("first", (index == 0).into());
        bench.set("last", (index == 1).into()).set("bytes", word.len() as u64);
        bench.clock();
    }
    bench.set("word.valid", 0);
    for _ in 0..Crc64::LATENCY - 1 {
        bench.clock();
    }
    assert_eq!(bench.get("crc.valid"), 1);
    bench.get("crc.data")
}

/// The sums are affine, so frames with one bit each say all of what a word adds, in the first place and in the last, for every length of the
/// last word.
#[test]
fn every_bit_of_a_word_counts_as_it_should() {
    for crc in ByteCrc::ALL {
        let mut bench = StockBlock::new(Crc64::new(crc).expect("valid"));
        for length in 9..=16 {
            let mut frame = vec![0; length];
            for bit in 0..8 * length {
                frame[bit / 8] = 1 << (bit % 8);
                let wanted = u64::from(crc_of(crc, &frame));
                assert_eq!(of_two_words(&mut bench, &frame), wanted, "{crc:?}, bit {bit} of {length}");
                frame[bit / 8] = 0;
            }
        }
    }
}

#[test]
fn a_frame_with_one_bit_wrong_is_never_good() {
    let mut random = random();
    let mut bench = StockBlock::new(Check64::new(Castagnoli).expect("valid"));
    let mut frame: Vec<u8> = (0..23).map(|_| random.random()).collect();
    frame.extend(crc_of(Castagnoli, &frame).to_le_bytes());
    for wrong in std::iter::once(None).chain((0..8 * frame.len()).map(Some)) {
        if let Some(bit) = wrong {
            frame[bit / 8] ^= 1 << (bit % 8);
        }
        let words = frame.len().div_ceil(8);
        for (index, word) in frame.chunks(8).enumerate() {
            let mut eight = [0; 8];
            eight[..word.len()].copy_from_slice(word);
            bench.set("word.valid", 1).set("word.data", u64::from_le_bytes(eight));
            bench.set("first", (index == 0).into()).set("last", (index + 1 == words).into());
            bench.set("bytes", word.len() as u64).clock();
        }
        bench.set("word.valid", 0);
        for _ in 0..Check64::LATENCY - 1 {
            bench.clock();
        }
        assert_eq!((bench.get("done"), bench.get("good") == 1), (1, wrong.is_none()), "{wrong:?}");
        if let Some(bit) = wrong {
            frame[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

#[test]
fn widths_that_do_not_fit_are_refused() {
    let error = CrcBytes::<32, 4, 3, 2, 120, 64>::new(Ethernet).err().expect("W").to_string();
    assert!(error.contains("crc_bytes") && error.contains("128"), "{error}");
    let error = CrcBytesCheck::<64, 8, 4, 3, 240, 127>::new(Ethernet).err().expect("Q").to_string();
    assert!(error.contains("crc_bytes_check") && error.contains("2 W"), "{error}");
}
