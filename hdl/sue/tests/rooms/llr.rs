//! Link-layer retry of two ports: LLR-01 to LLR-10 of the SONiC scale-up test standard, by the names of the model's tests, in both profiles.
//!
//! What differs from the model: LLR_FRAMES is 64, so frames of 64 octets cannot fill 1,000 clocks there and back (LLR-07).

use crate::rooms::llr_line::{
    cause, quiet, Fault, Frame, Item, Line, Setup, ADVANCE, DISCARD, FLUSH, NACK_SENT, OVERHEAD, REPLAY,
    SEND_ACKS, WORDS,
};

use flitforge_hdl_sue::llr_rx::LlrVerdict;
use flitforge_hdl_sue::llr_tx::{LlrFlushCause, REPLAY_LATENCY};
use flitforge_model::sue::format::Profile;
use flitforge_protocol::sue::class::ClassUse;
use flitforge_testkit::random;
use rand::Rng;

const CLASS: u64 = ClassUse::Requests as u64;
/// Octets of a frame of 64 without its FCS.
const SMALL: u64 = 60;

fn line(setup: Setup) -> Line {
    Line::new(setup, 20)
}

fn offer(line: &mut Line, count: usize) {
    (0..count).for_each(|_| line.offer(0, CLASS, SMALL));
}

/// A fault for the `place`th frame that port 0 sends.
fn at_frame(place: u64, fault: Fault) -> impl FnMut(usize, u64, &Item) -> Fault {
    let mut count = 0;
    move |end, _, item| {
        if end == 0 && item.is_frame() {
            count += 1;
            if count == place + 1 {
                return fault;
            }
        }
        Fault::None
    }
}

fn block_acks(end: usize, _: u64, item: &Item) -> Fault {
    if end == 1 && item.is_ack() {
        Fault::Lose
    } else {
        Fault::None
    }
}

#[test]
fn llr_01_sequence_and_ack() {
    for &profile in Profile::ALL {
        let mut line = line(Setup::new(profile));
        offer(&mut line, 100);
        assert!(line.run(10_000, quiet, Line::is_at_rest));
        line.run(1000, quiet, |_| false);
        let [tester, dut] = &mut line.ports;
        assert_eq!((tester.count("events_tx.sent"), dut.verdicts(LlrVerdict::Delivered)), (100, 100));
        let acks = dut.count("events_rx.ack_sent");
        assert!(acks > 0 && acks == tester.count("events_rx.ack_received"));
        assert_eq!((dut.count("events_rx.nack_sent"), tester.count("events_tx.resent")), (0, 0));
        assert_eq!((tester.get("state_tx"), dut.get("state_rx")), (ADVANCE, SEND_ACKS));
    }
}

#[test]
fn llr_02_retry_by_nack() {
    for &profile in Profile::ALL {
        let mut line = line(Setup::new(profile));
        offer(&mut line, 100);
        assert!(line.run(10_000, at_frame(40, Fault::Lose), Line::is_complete));
        let [tester, dut] = &mut line.ports;
        assert_eq!((tester.count("events_rx.nack_received"), tester.count("events_tx.replay_nack")), (1, 1));
        assert!(tester.count("events_tx.resent") >= 1);
        assert_eq!((tester.count("events_tx.replay_timer"), dut.count("events_rx.replay_seen")), (0, 1));
    }
}

#[test]
fn llr_03_replay_timer() {
    for &profile in Profile::ALL {
        let mut line = line(Setup { waiting: DISCARD, ..Setup::new(profile) });
        assert!(line.run(200, quiet, |line| line.ports[0].get("state_tx") == ADVANCE));
        offer(&mut line, 100);
        assert!(line.run(20_000, block_acks, |line| line.flushes() == 1));
        line.run(1500, block_acks, |_| false);
        let port = &mut line.ports[0];
        assert_eq!(port.get("state_tx"), FLUSH);
        // 64 frames fit; the rest waits for the buffer and is discarded in FLUSH
        assert_eq!((port.count("events_tx.replay_timer"), port.count("events_tx.resent")), (3, 3 * 64));
        assert_eq!((port.count("events_tx.sent"), port.count("events_tx.discarded")), (64, 36));
        assert_eq!(port.flushes, [(64, cause(LlrFlushCause::Replays))]);
    }
}

#[test]
fn llr_04_nack_generation() {
    for &profile in Profile::ALL {
        for (fault, bad) in [(Fault::Corrupt(0), 1), (Fault::Lose, 0)] {
            let mut line = line(Setup::new(profile));
            offer(&mut line, 1000);
            assert!(line.run(50_000, at_frame(500, fault), Line::is_complete));
            let dut = &line.ports[1];
            assert_eq!(dut.verdicts(LlrVerdict::Bad), bad);
            assert_eq!((dut.count("events_rx.nack_sent"), dut.count("events_rx.replay_seen")), (1, 1));
        }
    }
}

#[test]
fn llr_05_poisoned_crc() {
    for &profile in Profile::ALL {
        let mut line = line(Setup::new(profile));
        for number in 0..100 {
            let poisoned = number == 50;
            line.offer_frame(0, Frame { number, class: CLASS, bypass: false, bytes: SMALL, poisoned });
        }
        line.run(20_000, quiet, |line| line.ports[1].delivered[0].len() == 99 || line.flushes() > 0);
        let [tester, dut] = &line.ports;
        let (replays, poison) = (tester.count("events_tx.replay_nack"), dut.verdicts(LlrVerdict::Poisoned));
        match profile {
            Profile::Ue103 => {
                assert_eq!((poison, replays, dut.count("events_rx.nack_sent")), (1, 0, 0));
                assert_eq!((dut.delivered[0].len(), line.flushes()), (99, 0));
            }
            // the frame in the buffer stays poisoned
            Profile::Sue1 => {
                let timer = tester.count("events_tx.replay_timer");
                assert_eq!((poison, replays + timer, line.flushes()), (0, 3, 1));
                assert_eq!(dut.delivered[0].len(), 50);
            }
        }
    }
}

#[test]
fn llr_06_outstanding_frames() {
    for &profile in Profile::ALL {
        let setup = Setup { frames_max: 4, waiting: DISCARD, replay_timer: 400, ..Setup::new(profile) };
        let mut line = line(setup);
        line.run(200, quiet, |_| false);
        offer(&mut line, 100);
        line.run(6_000, block_acks, |_| false);
        let [tester, dut] = &mut line.ports;
        assert_eq!(tester.get("state_tx"), FLUSH);
        assert_eq!((tester.count("events_tx.sent"), tester.count("events_tx.resent")), (4, 12));
        assert_eq!((tester.flushes[0].0, tester.count("events_tx.discarded")), (4, 96));
        assert_eq!((dut.verdicts(LlrVerdict::Delivered), dut.verdicts(LlrVerdict::Duplicate)), (4, 12));
    }
}

/// Share of the line rate of `count` frames, with 500 clocks each way.
fn share(profile: Profile, bytes: u64, count: u64, room_words: u64) -> f64 {
    let mut line = Line::new(Setup { replay_timer: 6000, room_words, ..Setup::new(profile) }, 500);
    assert!(line.run(2000, quiet, |line| line.ports[0].get("state_tx") == ADVANCE));
    let start = line.now;
    (0..count).for_each(|_| line.offer(0, CLASS, bytes));
    assert!(line.run(1_000_000, quiet, Line::is_complete));
    assert_eq!(line.ports[0].count("events_tx.resent"), 0);
    let ideal = count * (bytes.div_ceil(8) + OVERHEAD);
    ideal as f64 / (line.now - start - 500) as f64
}

#[test]
fn llr_07_buffer_capacity() {
    for &profile in Profile::ALL {
        // RTT · rate + two of the largest frames: 8,000 + 2 · 2,048 octets of 16 KB
        for (bytes, count) in [(2044, 100), (252, 800)] {
            let full = share(profile, bytes, count, WORDS - 260);
            assert!(full > 0.98, "{bytes}: {full}");
        }
        let stalled = share(profile, 2044, 100, 500);
        assert!(stalled < 0.7, "a buffer below the chapter's rule stalls: {stalled}");
        let frames = share(profile, SMALL, 1000, WORDS - 260);
        assert!((0.6..0.75).contains(&frames), "64 frames in 1,000 clocks: {frames}");
    }
}

#[test]
fn llr_08_flush_recovery() {
    for &profile in Profile::ALL {
        for automatic in [true, false] {
            let mut line = line(Setup { automatic, replay_timer: 400, ..Setup::new(profile) });
            offer(&mut line, 10);
            assert!(line.run(20_000, block_acks, |line| line.flushes() == 1));
            offer(&mut line, 10);
            let back = line.run(5_000, quiet, Line::is_complete);
            assert_eq!(back, automatic);
            if !automatic {
                line.ports[0].set("restart", 1);
                line.step(&mut quiet);
                line.ports[0].set("restart", 0);
                assert!(line.run(5_000, quiet, Line::is_complete));
                assert_eq!(line.flushes(), 1, "nothing was outstanding");
            }
        }
    }
}

/// Frame sizes of the standard: each, one more and one less, within 64 to 9,216 octets.
fn sizes() -> Vec<u64> {
    let about = |size: u64| [size - 1, size, size + 1];
    let all = [64, 128, 256, 512, 1518, 2048, 4096, 9216].into_iter().flat_map(about);
    all.filter(|size| (64..=9216).contains(size)).collect()
}

#[test]
fn llr_09_frame_sizes() {
    for &profile in Profile::ALL {
        let mut random = random();
        let mut line = line(Setup { replay_timer: 6000, room_words: WORDS - 1160, ..Setup::new(profile) });
        for bytes in (0..3).flat_map(|_| sizes()) {
            (0..2).for_each(|end| line.offer(end, CLASS, bytes - 4));
        }
        let fault = |_, _, _: &Item| if random.random_bool(0.02) { Fault::Corrupt(9) } else { Fault::None };
        assert!(line.run(200_000, fault, Line::is_at_rest));
        assert_eq!((line.flushes(), sizes().len()), (0, 22));
        assert_eq!(line.ports[0].count("events_tx.too_long"), 0);
    }
}

#[test]
fn llr_10_llr_and_other_frames() {
    for &profile in Profile::ALL {
        let mut random = random();
        let other = ClassUse::Vc2 as u64;
        let setup = Setup { eligible: 0xff & !(1 << other), ..Setup::new(profile) };
        for rate in [0.0, 0.05] {
            let mut line = line(setup);
            for number in 0..500 {
                line.offer(0, CLASS, SMALL);
                // every second one is a MAC control frame of the arbiter
                let frame =
                    Frame { number: 0, class: other, bypass: number % 2 == 0, bytes: SMALL, poisoned: false };
                line.offer_frame(0, frame);
            }
            let mut broken = 0;
            let fault = |end, _, item: &Item| match item.is_frame() && end == 0 && random.random_bool(rate) {
                true => {
                    broken += u64::from(item.sequence().is_none());
                    Fault::Corrupt(0)
                }
                false => Fault::None,
            };
            let all = |line: &mut Line| {
                line.ports[1].delivered[CLASS as usize].len() == 500 && line.ports[0].queue.is_empty()
            };
            assert!(line.run(200_000, fault, all));
            line.run(200, quiet, |_| false);
            assert_eq!(line.ports[1].delivered[other as usize].len() as u64, 500 - broken);
            assert_eq!(broken > 0, rate > 0.0);
        }
        let latency = |class| {
            let mut line = line(setup);
            line.run(500, quiet, |_| false);
            line.offer(0, class, 252);
            let start = line.now;
            assert!(line.run(1000, quiet, Line::is_complete));
            line.now - start
        };
        assert_eq!(latency(CLASS), latency(other));
    }
}

/// Without link-layer retry, frames have the standard preamble and losses stay; numbered ones are dropped.
#[test]
fn a_port_without_retry() {
    let mut line = line(Setup::new(Profile::Sue1));
    line.ports.iter_mut().for_each(|port| port.set("enable", 0));
    offer(&mut line, 100);
    line.run(3_000, at_frame(7, Fault::Corrupt(0)), |_| false);
    assert_eq!((line.ports[1].delivered[0].len(), line.ports[0].count("events_tx.sent")), (99, 0));
    line.ports[0].set("enable", 1);
    line.ports[1].set("enable", 1);
    assert!(line.run(500, quiet, |line| line.ports[0].get("state_tx") == ADVANCE));
    line.ports[1].set("enable", 0);
    offer(&mut line, 10);
    line.run(1000, quiet, |_| false);
    assert_eq!((line.ports[1].delivered[0].len(), line.ports[1].verdicts(LlrVerdict::Off)), (99, 10));
}

/// From an LLR_NACK on an idle line to the first word of the replay, and from a bad frame to the LLR_NACK.
#[test]
fn a_replay_begins_soon() {
    let mut line = Line::new(Setup::new(Profile::Ue103), 1);
    line.run(500, quiet, |line| line.ports[0].get("state_tx") == ADVANCE);
    line.run(100, quiet, |_| false);
    offer(&mut line, 1);
    let mut times = [0; 3];
    let mut broken = false;
    for _ in 0..200 {
        line.step(&mut |end, _, item| {
            let first = end == 0 && item.is_frame() && !std::mem::replace(&mut broken, true);
            if first {
                Fault::Corrupt(0)
            } else {
                Fault::None
            }
        });
        let came = [
            line.ports[1].verdicts(LlrVerdict::Bad) == 1,
            line.ports[0].count("events_rx.nack_received") == 1,
            line.ports[0].frames_out == 2,
        ];
        for (time, came) in times.iter_mut().zip(came) {
            if came && *time == 0 {
                *time = line.now;
            }
        }
    }
    println!("verdict, LLR_NACK counted, replay: {times:?}");
    assert!(line.is_at_rest() && times[2] - times[1] <= u64::from(REPLAY_LATENCY), "{times:?}");
    let seen = [(ADVANCE, SEND_ACKS), (REPLAY, SEND_ACKS), (ADVANCE, NACK_SENT)];
    assert!(seen.iter().all(|states| line.states.contains(states)), "{:?}", line.states);
}
