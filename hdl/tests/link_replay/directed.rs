//! One case at a time: bad pointers, requests at bad moments, freeze, pad, parity, clear, Init without an answer. The
//! other end is a script; the expected LTPs are those of the chapter's rules, and the rig holds all to the model.

use crate::link_replay::rig::Rig;
use flitforge_model::control::{Control, Half};
use flitforge_model::retry::{Arrival, Fault, LinkLtp, Origin, RetryConfig, Sent, Token};
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::flit::RetrainKind;
use flitforge_protocol::retry::INIT_LTPS;
use flitforge_sim::kit::seed;
use flitforge_testkit::Clocked;

fn config() -> RetryConfig {
    RetryConfig { slots: 16, ..RetryConfig::default() }
}

fn null(control: Control) -> Arrival<Token> {
    Arrival::Good(LinkLtp::Null(control))
}

fn request(pointer: u16) -> Arrival<Token> {
    null(Control::RetryReq { half: Half::First, next_rx_ltp: pointer })
}

fn init(kind: RetrainKind, fresh: bool, next_rx: u16) -> Arrival<Token> {
    null(Control::Retrain { kind: kind.code(), half: Half::First, fresh, next_rx_ltp: next_rx })
}

/// What an LTP is, in short: `O` and `R` with the sequence number, or the Null LTP's name with what it carries.
fn name(sent: &Sent<Token>) -> String {
    let half = |half: Half| u8::from(half == Half::Second);
    match (sent.origin, &sent.ltp) {
        (Origin::Original(sequence), _) => format!("O{sequence}"),
        (Origin::Replayed(sequence), _) => format!("R{sequence}{}", if sent.corrupted { "!" } else { "" }),
        (Origin::Null, LinkLtp::Null(control)) => match *control {
            Control::RetryReq { half: which, next_rx_ltp } => format!("req.{} {next_rx_ltp}", half(which)),
            Control::RetryMrkr { half: which, first_replayed, next_write_ltp } => {
                format!("mark.{} {first_replayed} {next_write_ltp}", half(which))
            }
            Control::RndTripMrkr { half: which, token, reply } => {
                format!("{}.{} {token}", if reply { "answer" } else { "trip" }, half(which))
            }
            Control::Retrain { kind, half: which, .. } => {
                let kind = RetrainKind::from_code(kind).expect("a kind");
                match kind {
                    RetrainKind::Filler => "filler".into(),
                    kind => format!("{}.{}", kind.name(), half(which)),
                }
            }
            other => panic!("{other:?} is no Null LTP"),
        },
        (Origin::Null, ltp) => panic!("{ltp:?} is no Null LTP"),
    }
}

/// The names of the next LTPs on the wire.
fn next(rig: &mut Rig, count: usize) -> Vec<String> {
    let mut names = vec![];
    for _ in 0..count * 200 {
        names.extend(rig.step().as_ref().map(name));
        if names.len() == count {
            return names;
        }
    }
    panic!("no LTP: {names:?}");
}

/// Skips LTPs up to the one with this name.
fn skip_to(rig: &mut Rig, wanted: &str) {
    let mut before = vec![];
    for _ in 0..2_000 {
        let found = next(rig, 1).remove(0);
        if found.starts_with(wanted) {
            return;
        }
        before.push(found);
    }
    panic!("no {wanted} after {:?}", &before[before.len() - 20..]);
}

/// The receiver takes this LTP soon after a decision, so that the next one knows of it.
fn arrive(rig: &mut Rig, arrival: impl FnOnce(u16) -> Arrival<Token>) {
    while !rig.has_just_decided() {
        rig.step();
    }
    let next_write = rig.near.tx().next_write();
    rig.arrive(arrival(next_write));
    rig.step();
}

/// Through Init into NORMAL, the answer to the RndTripMrkr so many LTPs after it.
fn active(config: RetryConfig, answer_after: usize) -> Rig {
    let mut rig = Rig::new(config, false, seed(0x42_80));
    rig.start();
    assert_eq!(next(&mut rig, 2), ["InitReq.0", "InitReq.1"]);
    arrive(&mut rig, |_| init(RetrainKind::InitReq, true, 0));
    skip_to(&mut rig, "trip.1 0");
    arrive(&mut rig, |_| init(RetrainKind::InitAck, true, 0));
    next(&mut rig, answer_after);
    arrive(&mut rig, |_| null(Control::RndTripMrkr { half: Half::First, token: 0, reply: true }));
    skip_to(&mut rig, "mark.1 0 0");
    assert_eq!(next(&mut rig, 1), ["filler"], "nothing is written before the peer is Active");
    for half in [Half::First, Half::Second] {
        arrive(&mut rig, |_| null(Control::RetryMrkr { half, first_replayed: 0, next_write_ltp: 0 }));
    }
    skip_to(&mut rig, "O0");
    rig
}

/// Runs until `faults` have been found, and until OFF.
fn until_off(rig: &mut Rig, fault: Fault) {
    for _ in 0..2_000 {
        rig.step();
        if rig.is_off() {
            assert_eq!(rig.faults.pop(), Some(fault));
            return;
        }
    }
    panic!("not OFF");
}

#[test]
fn pointers_outside_the_buffer_ask_for_retraining() {
    for behind in [17u16, 0xFFFF, 0x8000, 5_000] {
        let mut rig = active(config(), 2);
        next(&mut rig, 40);
        arrive(&mut rig, |next_write| request(next_write.wrapping_sub(behind)));
        until_off(&mut rig, Fault::BadPointer);
        rig.finish();
        assert_eq!(rig.hardware.count(LinkCounter::BadPointer), 1, "{behind} behind");
    }
    let mut rig = active(config(), 2);
    arrive(&mut rig, |_| request(0xFFFF)); // never written, though fewer than R after
    until_off(&mut rig, Fault::BadPointer);
}

#[test]
fn the_whole_buffer_and_nothing_of_it_can_be_asked_for() {
    for behind in [0u16, 1, 16] {
        let mut rig = active(config(), 2);
        next(&mut rig, 40);
        let mut pointer = 0;
        arrive(&mut rig, |next_write| {
            pointer = next_write - behind;
            request(pointer)
        });
        let end = pointer + behind;
        skip_to(&mut rig, &format!("mark.1 {pointer} {end}"));
        let replayed = (pointer..end).map(|sequence| format!("R{sequence}"));
        let expected: Vec<String> = replayed.chain([format!("O{end}")]).collect();
        assert_eq!(next(&mut rig, expected.len()), expected);
        rig.finish();
    }
}

#[test]
fn a_request_in_the_middle_of_a_replay_restarts_it() {
    let mut rig = active(config(), 2);
    next(&mut rig, 40);
    let mut end = 0;
    arrive(&mut rig, |next_write| {
        end = next_write;
        request(end - 10)
    });
    skip_to(&mut rig, &format!("R{}", end - 8));
    arrive(&mut rig, |_| request(end - 9));
    skip_to(&mut rig, &format!("mark.0 {} {end}", end - 9));
    assert_eq!(next(&mut rig, 2), [format!("mark.1 {} {end}", end - 9), format!("R{}", end - 9)]);
    skip_to(&mut rig, &format!("O{end}"));
    rig.finish();
}

#[test]
fn a_request_while_the_marker_pair_goes_out_waits_for_its_second() {
    let mut rig = active(config(), 2);
    next(&mut rig, 40);
    let mut end = 0;
    arrive(&mut rig, |next_write| {
        end = next_write;
        request(end - 4)
    });
    while !rig.is_marking() {
        rig.step();
    }
    rig.arrive(request(end - 7));
    skip_to(&mut rig, "mark.0");
    let mark = |half, pointer| format!("mark.{half} {pointer} {end}");
    let expected = [mark(1, end - 4), mark(0, end - 7), mark(1, end - 7), format!("R{}", end - 7)];
    assert_eq!(next(&mut rig, 4), expected);
    rig.finish();
}

#[test]
fn two_bad_ltps_freeze_until_the_peer_names_its_pointer() {
    let mut rig = active(RetryConfig { freeze_ltps: 6, ..config() }, 2);
    next(&mut rig, 20);
    arrive(&mut rig, |_| Arrival::Bad);
    arrive(&mut rig, |_| Arrival::Bad);
    skip_to(&mut rig, "RetrainRetryReq.0");
    let frozen_at = rig.near.tx().next_write();
    let again = ["RetrainRetryReq.1", "filler", "filler", "filler", "filler", "RetrainRetryReq.0"];
    assert_eq!(next(&mut rig, 6), again, "FREEZE_LTPS = 6");
    arrive(&mut rig, |_| request(frozen_at - 2));
    skip_to(&mut rig, &format!("mark.1 {} {frozen_at}", frozen_at - 2));
    assert_eq!(next(&mut rig, 2), [format!("R{}", frozen_at - 2), format!("R{}", frozen_at - 1)]);
    rig.finish();
    assert_eq!(rig.hardware.count(LinkCounter::Freeze), 1);
}

#[test]
fn a_request_cancels_the_rest_of_a_pad() {
    let mut rig = active(config(), 12);
    let pad = rig.near.tx().pad() as usize;
    assert!(pad >= 4, "{pad}");
    skip_to(&mut rig, "O15");
    assert_eq!(next(&mut rig, pad + 1), [vec!["filler".to_string(); pad], vec!["O16".into()]].concat());
    skip_to(&mut rig, "O31");
    arrive(&mut rig, |_| request(30));
    skip_to(&mut rig, "mark.1 30 32");
    let replay = [vec!["R30".into(), "R31".into()], vec!["filler".to_string(); pad], vec!["O32".into()]];
    assert_eq!(next(&mut rig, pad + 3), replay.concat(), "a pad behind slot R-1 of a replay, too");
    rig.finish();
}

#[test]
fn a_parity_error_corrupts_the_replayed_ltp() {
    for damaged in [0, 1] {
        let mut rig = active(config(), 2);
        rig.damages = damaged == 1;
        next(&mut rig, 12);
        rig.damages = false;
        let mut end = 0;
        arrive(&mut rig, |next_write| {
            end = next_write;
            request(end - 9)
        });
        skip_to(&mut rig, "mark.1");
        let corrupted = next(&mut rig, 9).iter().filter(|name| name.ends_with('!')).count();
        rig.finish();
        assert_eq!(corrupted > 4, damaged == 1, "{corrupted} corrupted");
        assert_eq!(rig.hardware.count(LinkCounter::ReplayParity), corrupted as u64);
    }
}

#[test]
fn retry_limit_and_reinit_limit_lead_to_retraining_and_down() {
    let mut rig = active(RetryConfig { retry_limit: 3, reinit_limit: 2, ..config() }, 2);
    next(&mut rig, 12);
    let stuck = rig.near.tx().next_write() - 5;
    for retraining in 0..2 {
        for _ in 0..3 {
            arrive(&mut rig, |_| request(stuck));
            skip_to(&mut rig, "mark.1");
        }
        assert!(rig.faults.is_empty());
        arrive(&mut rig, |_| request(stuck));
        until_off(&mut rig, Fault::ReplayLimit);
        assert_eq!(rig.downs, retraining, "Down with the second");
        if retraining == 0 {
            rig.start();
            arrive(&mut rig, |_| init(RetrainKind::InitAck, false, stuck));
            skip_to(&mut rig, "trip.1");
            arrive(&mut rig, |_| null(Control::RndTripMrkr { half: Half::First, token: 0, reply: true }));
            skip_to(&mut rig, &format!("R{stuck}"));
        }
    }
    rig.finish();
}

#[test]
fn clear_in_mid_replay_forgets_everything() {
    let mut rig = active(config(), 2);
    next(&mut rig, 20);
    arrive(&mut rig, |next_write| request(next_write - 10));
    skip_to(&mut rig, "R");
    for _ in 0..3 {
        rig.step();
    }
    rig.clear();
    let zero =
        ["state", "next_tx", "next_write", "round_trip", "init_done", "retrain", "tx_seq", "wire_out.valid"];
    for name in zero {
        assert_eq!(rig.hardware.get(name), 0, "{name}");
    }
    rig.start();
    assert_eq!(next(&mut rig, 2), ["InitReq.0", "InitReq.1"]);
    arrive(&mut rig, |_| init(RetrainKind::InitReq, true, 0));
    skip_to(&mut rig, "trip.0 0");
}

#[test]
fn init_without_an_answer_measures_again_and_times_out() {
    let mut rig = Rig::new(config(), false, seed(0x42_90));
    (rig.load, rig.ready) = (0.0, 1.0);
    rig.start();
    arrive(&mut rig, |_| init(RetrainKind::InitReq, true, 0));
    let mut sent = vec![];
    while !rig.near.is_off() || rig.faults.is_empty() {
        sent.extend(rig.step().as_ref().map(name));
    }
    until_off(&mut rig, Fault::InitTimeout);
    let trips: Vec<usize> = (0..sent.len()).filter(|&at| sent[at].starts_with("trip.0")).collect();
    assert_eq!(trips[1] - trips[0], 1026, "every 1024 LTPs");
    assert!(sent.len() as u32 >= INIT_LTPS - 2, "{} LTPs", sent.len());
}
