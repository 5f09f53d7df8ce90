//! The sender of link-layer retry against the golden model, on all simulators.

use crate::rooms::llr_tx_rig::{Rig, SetBits, Setup, LONGEST, ROOM};

use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::llr_set::{LlrSet, LlrSetKind};
use flitforge_hdl_sue::llr_tx::EthLlrTx;

use flitforge_model::sue::format::link_control::CreditCount;
use flitforge_model::sue::format::{OrderedSet, Sequence};
use flitforge_model::sue::link::{LlrTxConfig, Reinit, ReplayLimit, WaitingFrames};

use flitforge_sim::cosim::FULL_CLOCKS;
use flitforge_sim::kit::{
    seed, ClearDriver, Coverage, Pace, Rng, StreamMonitor, StreamSink, StreamSource, Testbench,
};
use flitforge_sim::{CosimPlan, SimError};
use flitforge_testkit::{compiled, depth, Clocked, CompiledBlock};
use rand::Rng as _;
use std::cell::RefCell;
use std::rc::Rc;

type Sender = EthLlrTx<6, 7>;

fn stimulus(
    testbench: &mut Testbench<'_>,
    setup: Setup,
    seed: u64,
    seen: &Rc<RefCell<Coverage>>,
) -> Result<(), SimError> {
    testbench.add(Rig::new(setup, testbench.bench(), seed, seen.clone())?);
    testbench.add(ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.000_3, 1..=3));
    let answer = |random: &mut Rng, _| {
        let kind = match random.random_range(0..3) {
            0 => LlrSetKind::Ack,
            1 => LlrSetKind::Nack,
            _ => LlrSetKind::Echo,
        };
        let data = if kind == LlrSetKind::Echo { random.random_range(0..1 << 16) } else { 0 };
        let sequence = random.random_range(0..1_u64 << 20);
        let bits: SetBits = LlrSet { kind, sequence: sequence.into(), data: data.into() }.into();
        Some(bits.to_value())
    };
    let credit = |random: &mut Rng, _| {
        let mut count =
            || CreditCount { vc: random.random_range(0..32), cells: random.random_range(0..1 << 15) };
        let octets = OrderedSet::CfUpdate([count(), count()]).encode().ok()?;
        Some(Value::from_u64(64, u64::from_le_bytes(octets)))
    };
    let seldom = Pace::Random(0.05);
    testbench.add(StreamSource::new(testbench.bench(), "answers", seed)?.pace(seldom.clone()).items(answer));
    testbench.add(StreamSource::new(testbench.bench(), "credits", seed)?.pace(seldom).items(credit));
    testbench.add(StreamSink::new(testbench.bench(), "frames", seed)?);
    testbench.add(StreamSink::new(testbench.bench(), "control", seed)?);
    for stream in ["frame", "answers", "credits", "frames", "control"] {
        testbench.add(StreamMonitor::new(testbench.bench(), stream)?);
    }
    Ok(())
}

fn plan(name: &str, setup: Setup, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let make = || Box::new(Sender::new().expect("valid")) as _;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0x11e), make, move |testbench: &mut Testbench<'_>, seed| {
        stimulus(testbench, setup, seed, &seen)
    })
}

/// Timers of tens of clocks; sequence numbers begin before their wrap.
fn setup(waiting: WaitingFrames, reinit: Reinit) -> Setup {
    let model = LlrTxConfig {
        first: Sequence::new(0xF_FFF0).expect("20 bits"),
        init_interval: 60,
        replay_timer: 90,
        replay_limit: ReplayLimit::Max(2),
        frames_max: 6,
        bytes_max: 8 * (ROOM + LONGEST) as usize,
        waiting,
        reinit,
        ..LlrTxConfig::default()
    };
    Setup { model, twice: false, host: 0.002 }
}

const SEEN: [&str; 19] = [
    "Off",
    "Init",
    "Advance",
    "Replay",
    "Flush",
    "started",
    "acknowledged",
    "replay by NACK",
    "replay by timer",
    "flush by replays",
    "flush by host",
    "taken",
    "ignored",
    "plain",
    "between replays",
    "LLR_INIT",
    "answer",
    "CF_Update",
    "clear",
];

#[test]
fn every_transition_is_that_of_the_model() {
    let discard = Setup { twice: true, ..setup(WaitingFrames::Discard, Reinit::Automatic) };
    let mut effort = setup(WaitingFrames::BestEffort, Reinit::ByHost);
    effort.model.replay_limit = ReplayLimit::Unlimited;
    for (name, setup, waits, never) in [
        ("eth_llr_tx", setup(WaitingFrames::Block, Reinit::ByHost), "clear", ""),
        ("eth_llr_tx_discard", discard, "discarded", ""),
        ("eth_llr_tx_best_effort", effort, "unprotected", "flush by replays"),
    ] {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        plan(name, setup, &seen)
            .clocks(FULL_CLOCKS)
            .stock_limit(3_000, "a quick run: rust-hdl itself is slow")
            .to_depth(depth())
            .run()
            .expect("equal");
        let wanted: Vec<&str> = SEEN.into_iter().filter(|what| *what != never).chain([waits]).collect();
        seen.borrow().require(name, &wanted).expect("everything happened");
    }
}

const ADVANCE: u64 = 2;
const FIRST: u64 = 100;

fn set(kind: LlrSetKind, sequence: u64, data: u64) -> u64 {
    kind as u64 | sequence << 2 | data << 22
}

/// A sender in ADVANCE whose MAC takes everything.
fn running() -> CompiledBlock {
    let mut rig = CompiledBlock::new(&compiled("eth_llr_tx", &Sender::new().expect("valid")));
    rig.set_all(&[
        ("settings.first", FIRST),
        ("settings.replay_timer", 5000),
        ("settings.init_interval", 500),
        ("settings.replays_max", 3),
        ("settings.frames_max", 64),
        ("settings.room_words", ROOM),
        ("settings.eligible", 0xff),
        ("enable", 1),
        ("pcs_up", 1),
        ("frames.ready", 1),
        ("control.ready", 1),
    ]);
    rig.until_high("control.valid", 10);
    let nonce = rig.get("control.data") >> 40 & 0xffff;
    give(&mut rig, LlrSetKind::Echo, FIRST, nonce);
    rig.until("ADVANCE", 5, |rig| rig.get("state") == ADVANCE);
    rig
}

fn give(rig: &mut CompiledBlock, kind: LlrSetKind, sequence: u64, data: u64) {
    rig.set("sets.data", set(kind, sequence, data));
    rig.pulse("sets.valid");
}

/// A word of a frame, taken at once.
fn word(rig: &mut CompiledBlock, last: bool) {
    rig.set_wide("frame.data", 8 << 64 | u128::from(last) << 68);
    rig.set("frame.valid", 1);
    rig.until_high("frame.ready", 5);
    rig.clock();
    rig.set("frame.valid", 0);
}

fn frame(rig: &mut CompiledBlock, words: u64) {
    (1..=words).for_each(|place| word(rig, place == words));
}

/// Ordered sets that were taken and ignored within some clocks.
fn judged(rig: &mut CompiledBlock, clocks: u64) -> [u64; 2] {
    let mut counts = [0; 2];
    for _ in 0..clocks {
        counts[0] += rig.get("events.control_taken");
        counts[1] += rig.get("events.control_bad");
        rig.clock();
    }
    counts
}

/// What is still being sent cannot have arrived.
#[test]
fn an_acknowledgment_of_a_frame_under_way_is_ignored() {
    let mut rig = running();
    frame(&mut rig, 3);
    word(&mut rig, false);
    give(&mut rig, LlrSetKind::Ack, FIRST + 1, 0);
    assert_eq!(judged(&mut rig, 8), [0, 1]);
    give(&mut rig, LlrSetKind::Ack, FIRST, 0);
    assert_eq!(judged(&mut rig, 8), [1, 0]);
    assert_eq!(rig.get("empty"), 0, "the frame under way is held");
    word(&mut rig, true);
    give(&mut rig, LlrSetKind::Ack, FIRST + 1, 0);
    assert_eq!((judged(&mut rig, 8), rig.get("empty")), ([1, 0], 1));
}

/// Of acknowledgments in neighbouring clocks the last one counts, and says it all.
#[test]
fn acknowledgments_without_a_gap() {
    let mut rig = running();
    (0..6).for_each(|_| frame(&mut rig, 2));
    for sequence in FIRST..FIRST + 6 {
        give(&mut rig, LlrSetKind::Ack, sequence, 0);
    }
    let [taken, ignored] = judged(&mut rig, 12);
    assert!((1..6).contains(&taken) && ignored == 0, "{taken} {ignored}");
    assert_eq!(rig.get("empty"), 1);
}

/// Words, frames: at every limit, one more has to wait, and goes on once an acknowledgment came.
#[test]
fn a_full_buffer_stalls() {
    for (words, most, fits) in [(1, 4, 4), (12, 64, 5), (3, 64, 17)] {
        let mut rig = running();
        rig.set("settings.frames_max", most);
        (0..fits).for_each(|_| frame(&mut rig, words));
        rig.set_wide("frame.data", 8 << 64 | u128::from(words == 1) << 68);
        rig.set("frame.valid", 1);
        assert_eq!(rig.run_until(50, |rig| rig.get("frame.ready") == 1), None, "{words} words");
        assert_eq!(rig.get("is_open"), 0);
        give(&mut rig, LlrSetKind::Ack, FIRST, 0);
        rig.until_high("frame.ready", 12);
    }
}

/// A longest frame takes one word per clock, whatever is acknowledged meanwhile, and the next one begins two clocks after it.
#[test]
fn one_word_per_clock() {
    let mut rig = running();
    rig.set("frame.valid", 1);
    let (mut taken, mut pauses) = (0, 0);
    for clock in 0..140 {
        let place = taken % LONGEST;
        rig.set_wide("frame.data", 8 << 64 | u128::from(place + 1 == LONGEST) << 68);
        if clock % 14 == 13 {
            rig.set("sets.data", set(LlrSetKind::Ack, FIRST + clock / 14, 0));
        }
        rig.set("sets.valid", u64::from(clock % 14 == 13));
        let ready = rig.get("frame.ready");
        taken += ready;
        pauses += u64::from(ready == 0);
        assert!(ready == 1 || place == 0, "a pause inside a frame");
        rig.clock();
    }
    assert_eq!((taken, pauses), (10 * LONGEST, 10 * 2));
}

#[test]
fn buffers_that_are_too_large_are_refused() {
    let error = EthLlrTx::<13, 14>::new().err().expect("A").to_string();
    assert!(error.contains("eth_llr"), "{error}");
}
