//! Received frames by their kind, on all simulators; overrun, clear and latency on the compiled block.

use super::mac_control::{shared, words_of, wrong, EachClock, FrameFeeder, Gather};
use flitforge_elaborate::Value;
use flitforge_hdl_sue::demux::{EthDemux, LATENCY};
use flitforge_protocol::sue::link_control::LLDP_ETHERTYPE;
use flitforge_protocol::sue::link_control::{
    CC_OPCODE, MAC_CONTROL_DESTINATION, MAC_CONTROL_ETHERTYPE, PFC_OPCODE,
};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::cosim::FULL_CLOCKS;
use flitforge_sim::kit::{seed, ClearDriver, Coverage, FlowMonitor, Rng, StimulusFn, Testbench};
use flitforge_sim::{Bench, CosimPlan, SimError};
use flitforge_testkit::{compiled, depth, random, Clocked, CompiledBlock};
use rand::Rng as _;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// IPv4, ESUN as it may be, a tag: none of them is known here.
const OTHERS: [u16; 3] = [0x0800, 0x8100, 0x1234];

/// Where a frame goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Data,
    Management,
    Control,
    Stray,
}

/// The kind of a frame, by the table of the block's page.
fn kind_of(frame: &[u8]) -> Kind {
    let number = |range: std::ops::Range<usize>| {
        let octets = frame.get(range)?;
        Some(octets.iter().fold(0_u64, |number, octet| number << 8 | u64::from(*octet)))
    };
    let destination = number(0..6);
    match number(12..14).map(|number| number as u16) {
        Some(MAC_CONTROL_ETHERTYPE) => {
            let is_asked =
                number(14..16).is_some_and(|opcode| [PFC_OPCODE, CC_OPCODE].contains(&(opcode as u16)));
            if is_asked && destination == Some(MAC_CONTROL_DESTINATION) {
                Kind::Control
            } else {
                Kind::Stray
            }
        }
        Some(LLDP_ETHERTYPE)
            if destination.is_some_and(|found| found >> 4 == MAC_CONTROL_DESTINATION >> 4) =>
        {
            Kind::Management
        }
        _ => Kind::Data,
    }
}

/// A frame to an address, with a type and an opcode.
fn frame_of(destination: u64, ethertype: u16, opcode: u16, length: usize, random: &mut Rng) -> Vec<u8> {
    let mut frame: Vec<u8> = (0..length.max(16)).map(|_| random.random()).collect();
    frame[..6].copy_from_slice(&destination.to_be_bytes()[2..]);
    frame[12..14].copy_from_slice(&ethertype.to_be_bytes());
    frame[14..16].copy_from_slice(&opcode.to_be_bytes());
    frame.truncate(length);
    frame
}

/// Frames of all kinds, and those that are nearly of another one.
fn any_frame(random: &mut Rng) -> (Vec<u8>, bool) {
    let mut one = |of: &[u16]| of[random.random_range(0..of.len())];
    let ethertype = match one(&[0, 1, 2]) {
        0 => MAC_CONTROL_ETHERTYPE,
        1 => LLDP_ETHERTYPE,
        _ => one(&OTHERS),
    };
    let opcode = one(&[PFC_OPCODE, CC_OPCODE, 0x0001]);
    let destination = match random.random_range(0..6) {
        0..3 => MAC_CONTROL_DESTINATION,
        3 => (MAC_CONTROL_DESTINATION & !15) | random.random_range(0..16),
        4 => MAC_CONTROL_DESTINATION ^ 1 << random.random_range(0..48),
        _ => random.random_range(0..1 << 48),
    };
    let length = match random.random_range(0..4) {
        0 => random.random_range(1..24),
        1 => random.random_range(60..70),
        _ => random.random_range(16..200),
    };
    let mut frame = frame_of(destination, ethertype, opcode, length, random);
    if random.random_bool(0.2) && frame.len() > 12 {
        let bit = random.random_range(12 * 8..frame.len().min(16) * 8);
        frame[bit / 8] ^= 1 << (bit % 8);
    }
    (frame, random.random_bool(0.7))
}

/// What is to leave.
#[derive(Default)]
struct Expected {
    /// Frames of `data` and `management`, and whether they count.
    frames: [VecDeque<(Vec<u8>, bool)>; 2],
    gathers: [Gather; 2],
    dropped: [u64; 2],
    strays: [u64; 2],
    /// Clock of the last verdict.
    last: u64,
    seen: Coverage,
}

impl Expected {
    fn verdict(&mut self, clock: u64, frame: &[u8], good: bool) {
        let kind = kind_of(frame);
        match kind {
            Kind::Data => self.frames[0].push_back((frame.to_vec(), good)),
            Kind::Management => self.frames[1].push_back((frame.to_vec(), good)),
            Kind::Control => {}
            Kind::Stray => self.strays[0] += u64::from(good),
        }
        let leaves = matches!(kind, Kind::Data | Kind::Management);
        self.dropped[0] += u64::from(leaves && !good);
        self.last = clock;
        self.seen.hit(format!("{kind:?} {good}"));
    }

    fn word(&mut self, clock: u64, place: usize, word: &Value) -> Result<(), SimError> {
        let error = word.bit(69);
        let Some(frame) = self.gathers[place].word(word) else {
            return if error { Err(wrong(clock, "error before the end")) } else { Ok(()) };
        };
        let (expected, good) =
            self.frames[place].pop_front().ok_or_else(|| wrong(clock, "a frame too many"))?;
        let is_right = frame == expected && error != good;
        is_right
            .then_some(())
            .ok_or_else(|| wrong(clock, format!("{frame:02x?}, expected {expected:02x?}, good {good}")))
    }

    fn forget(&mut self) {
        *self = Self { seen: std::mem::take(&mut self.seen), ..Self::default() };
    }
}

fn stimulus(
    testbench: &mut Testbench<'static>,
    seed: u64,
    seen: &Rc<RefCell<Coverage>>,
) -> Result<(), SimError> {
    let expected = shared(Expected::default());
    let opcode = testbench.bench().port("credit_opcode")?;
    testbench.add(StimulusFn(move |_: u64, bench: &mut dyn Bench| {
        bench.set_u64(opcode, CC_OPCODE.into());
        Ok(())
    }));
    testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.001, 1..=3));
    let told = expected.clone();
    testbench.add(FrameFeeder::new(
        testbench.bench(),
        seed,
        (2, 0.3),
        any_frame,
        move |clock, frame, good| {
            told.borrow_mut().verdict(clock, frame, good);
        },
    )?);
    for (place, name) in ["data", "management"].into_iter().enumerate() {
        let took = expected.clone();
        testbench.add(
            FlowMonitor::new(testbench.bench(), name)?
                .on_transfer(move |clock, word| took.borrow_mut().word(clock, place, word)),
        );
    }
    let port = |path| testbench.bench().port(path);
    let [clear, dropped, stray, overrun] =
        [port("clear")?, port("dropped")?, port("stray")?, port("overrun")?];
    let same = [
        [port("frames.valid")?, port("control.valid")?],
        [port("verdicts.valid")?, port("control_verdicts.valid")?],
    ];
    let data = [port("frames.data")?, port("control.data")?];
    let verdict = [port("verdicts.data")?, port("control_verdicts.data")?];
    let seen = seen.clone();
    testbench.add(EachClock(move |clock: u64, bench: &mut dyn Bench| {
        let mut expected = expected.borrow_mut();
        for [from, to] in &same {
            if bench.get_bit(*from) != bench.get_bit(*to) {
                return Err(wrong(clock, "flow control does not see what comes"));
            }
        }
        if bench.get(data[0]) != bench.get(data[1])
            || bench.get_u64(verdict[0]) & 1 != bench.get_u64(verdict[1])
        {
            return Err(wrong(clock, "flow control does not see what comes"));
        }
        expected.dropped[1] += bench.get_u64(dropped);
        expected.strays[1] += bench.get_u64(stray);
        if bench.get_bit(overrun) {
            return Err(wrong(clock, "overrun"));
        }
        if bench.get_bit(clear) {
            expected.forget();
        } else if clock == expected.last + 40 {
            let waits = expected.frames.iter().any(|frames| !frames.is_empty());
            if waits || expected.dropped[0] != expected.dropped[1] || expected.strays[0] != expected.strays[1]
            {
                let (dropped, strays) = (expected.dropped, expected.strays);
                return Err(wrong(
                    clock,
                    format!("dropped {dropped:?}, strays {strays:?}, a frame is left: {waits}"),
                ));
            }
            expected.seen.hit("compared");
        }
        *seen.borrow_mut() = expected.seen.clone();
        Ok(())
    }));
    Ok(())
}

fn plan(name: &str, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let seen = seen.clone();
    let make = || Box::new(EthDemux::default()) as _;
    CosimPlan::new(name, seed(0xde3), make, move |testbench: &mut Testbench<'_>, seed| {
        stimulus(testbench, seed, &seen)
    })
}

#[test]
fn frames_go_where_the_table_says() {
    let seen = Rc::new(RefCell::new(Coverage::default()));
    plan("eth_demux", &seen)
        .clocks(FULL_CLOCKS)
        .stock_limit(5_000, "a quick run: rust-hdl itself is slow")
        .to_depth(depth())
        .cover(&["clear.pulses"])
        .run()
        .expect("equal");
    let mut all = vec!["compared".to_string()];
    for kind in [Kind::Data, Kind::Management, Kind::Control, Kind::Stray] {
        all.extend([true, false].map(|good| format!("{kind:?} {good}")));
    }
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    seen.borrow().require("eth_demux", &all).expect("everything happened");
}

/// The block, and what has left it: words of `data` with their clock.
struct Rig {
    block: CompiledBlock,
    now: u64,
    words: Vec<(u64, u128)>,
    overruns: u64,
}

impl Rig {
    fn new() -> Self {
        let mut block = CompiledBlock::new(&compiled("eth_demux", &EthDemux::default()));
        block.set("credit_opcode", CC_OPCODE.into());
        Self { block, now: 0, words: vec![], overruns: 0 }
    }

    fn step(&mut self, word: Option<u128>, verdict: Option<bool>) {
        self.block.set("frames.valid", word.is_some().into()).set_wide("frames.data", word.unwrap_or(0));
        self.block
            .set("verdicts.valid", verdict.is_some().into())
            .set("verdicts.data", verdict.unwrap_or(false).into());
        if self.block.get("data.valid") == 1 {
            self.words.push((self.now, self.block.get_wide("data.data")));
        }
        self.overruns += self.block.get("overrun");
        self.block.step();
        self.now += 1;
    }

    fn idle(&mut self, clocks: u64) {
        (0..clocks).for_each(|_| self.step(None, None));
    }
}

/// Words four clocks after they came, the last one three after its verdict; frames without a gap stay without one.
#[test]
fn words_take_four_clocks_and_one_goes_each() {
    let mut rig = Rig::new();
    let frame = frame_of(2, OTHERS[0], 0, 80, &mut random());
    let words = words_of(&frame);
    let start = rig.now;
    words.iter().for_each(|word| rig.step(Some(*word), None));
    rig.idle(5);
    let verdict = rig.now;
    rig.step(None, Some(true));
    rig.idle(10);
    let at: Vec<u64> = rig.words.iter().map(|(at, _)| *at).collect();
    // The kind is known with the second word.
    let mut expected: Vec<u64> = (4..4 + words.len() as u64 - 1).map(|clocks| start + clocks).collect();
    expected.push(verdict + u64::from(LATENCY));
    assert_eq!(at, expected);
    assert!(rig.words.iter().map(|(_, word)| *word).eq(words.iter().copied()));

    // a hundred frames without gap, each verdict four clocks after its frame
    let mut rig = Rig::new();
    let count = 100 * words.len() as u64;
    for clock in 0..count + 4 {
        let word = (clock < count).then(|| words[clock as usize % words.len()]);
        let verdict =
            (clock >= words.len() as u64 + 3 && (clock - 3) % words.len() as u64 == 0).then_some(true);
        rig.step(word, verdict);
    }
    rig.idle(20);
    assert_eq!(rig.words.len() as u64, count);
    let clocks = rig.words[rig.words.len() - 1].0 - rig.words[0].0 + 1;
    assert!(clocks <= count + 10, "{clocks} clocks for {count} words");
    assert_eq!(rig.overruns, 0);
}

/// Verdicts that stay away: words are lost, frames keep their ends and have `error`; the next ones are whole.
#[test]
fn overrun_marks_frames() {
    let mut rig = Rig::new();
    let mut random = random();
    let frames: Vec<Vec<u8>> = (0..3).map(|_| frame_of(2, OTHERS[0], 0, 150, &mut random)).collect();
    for frame in &frames {
        words_of(frame).into_iter().for_each(|word| rig.step(Some(word), None));
    }
    rig.idle(20);
    assert!(rig.overruns > 0);
    for _ in &frames {
        rig.step(None, Some(true));
        rig.idle(40);
    }
    let ends: Vec<bool> = rig
        .words
        .iter()
        .filter(|(_, word)| word >> 68 & 1 == 1)
        .map(|(_, word)| word >> 69 & 1 == 1)
        .collect();
    assert_eq!(ends, [false, false, true]);
    rig.words.clear();
    let words = words_of(&frames[0]);
    words.iter().for_each(|word| rig.step(Some(*word), None));
    rig.step(None, Some(true));
    rig.idle(10);
    assert!(rig.words.iter().map(|(_, word)| *word).eq(words.iter().copied()), "the next frame is whole");
}

/// Clear after any word of a frame, and around its verdict: nothing of it is left; the next frame is whole.
#[test]
fn clear_forgets_the_frame() {
    let mut random = random();
    for place in 0..16 {
        let mut rig = Rig::new();
        // a verdict without a frame is ignored
        rig.step(None, Some(true));
        let words = words_of(&frame_of(2, OTHERS[1], 0, 80, &mut random));
        words.iter().take(place).for_each(|word| rig.step(Some(*word), None));
        if place >= words.len() {
            rig.step(None, Some(true));
            rig.idle((place - words.len()) as u64);
        }
        rig.block.set("clear", 1);
        rig.idle(1);
        rig.block.set("clear", 0);
        rig.words.clear();
        let words = words_of(&frame_of(3, OTHERS[2], 0, 70, &mut random));
        words.iter().for_each(|word| rig.step(Some(*word), None));
        rig.step(None, Some(true));
        rig.idle(10);
        assert!(rig.words.iter().map(|(_, word)| *word).eq(words.iter().copied()), "cleared after {place}");
    }
}

#[test]
fn faults_are_found() {
    const TOP: &str = "fault_eth_demux";
    let faults = [
        Fault::replace("a bad frame counts", TOP, "is_good_q <= is_good_d", "is_good_q <= 1'b1"),
        Fault::replace("LLDP goes anywhere", TOP, "is_reserved_q <= is_reserved_d", "is_reserved_q <= 1'b1"),
        Fault::replace(
            "MAC control of any opcode counts",
            TOP,
            "is_control_address_q & is_asked",
            "is_control_address_q",
        ),
    ];
    let plan = || plan(TOP, &Rc::default()).clocks(20_000).stock_limit(200, "the faults are in the Verilog");
    find_all(plan, &faults).expect("all are found");
}
