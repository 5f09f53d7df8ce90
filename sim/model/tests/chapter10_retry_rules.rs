//! Chapter 10, 4.2, 4.3 and the retry rows of section 6, one rule at a time.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use flitforge_model::control::Half::{self, First, Second};
use flitforge_model::retry::{
    Arrival, Fault, LatchAction, LinkLtp, Origin, Reception, RetryConfig, RetryPort, RetryRx, RxRow, RxState,
    Token,
};
use flitforge_model::Control;
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::flit::RetrainKind;
use flitforge_protocol::retry::RetryState;

fn data(index: u64) -> Arrival<Token> {
    Arrival::Good(LinkLtp::Reliable(Token::new(0, index, 2)))
}

fn null(null: Control) -> Arrival<Token> {
    Arrival::Good(LinkLtp::Null(null))
}

fn marker(half: Half, first_replayed: u16, next_write_ltp: u16) -> Arrival<Token> {
    null(Control::RetryMrkr { half, first_replayed, next_write_ltp })
}

fn retrain(half: Half) -> Arrival<Token> {
    let kind = RetrainKind::RetrainRetryReq.code();
    null(Control::Retrain { kind, half, fresh: false, next_rx_ltp: 0 })
}

/// An Active receiver in NORMAL that has taken LTPs 0 to 9.
fn receiver() -> RetryRx {
    let mut rx = RetryRx::new(RetryConfig { slots: 16, ..RetryConfig::default() });
    rx.activate(10);
    rx.receive(marker(First, 0, 0));
    rx.receive(marker(Second, 0, 0));
    (0..10).for_each(|index| assert_eq!(rx.receive(data(index)).row, RxRow::Deliver));
    assert_eq!((rx.next(), rx.state(), rx.pending_request()), (10, RxState::Normal, None));
    rx
}

fn rows(rx: &mut RetryRx, arrivals: &[Arrival<Token>]) -> Vec<RxRow> {
    arrivals.iter().map(|&arrival| rx.receive(arrival).row).collect()
}

#[test]
fn a_bad_ltp_is_latched_and_asked_for_and_its_replay_compared() {
    let mut rx = receiver();
    let bad = rx.receive(Arrival::<Token>::Bad);
    assert_eq!((bad.row, bad.latch, bad.double_bad), (RxRow::Bad, Some(LatchAction::Latch), false));
    assert_eq!((rx.pending_request(), rx.state()), (Some(10), RxState::Toss));
    rx.request_sent();
    assert_eq!(
        rows(&mut rx, &[data(11), data(12), marker(First, 10, 13), marker(Second, 10, 13)]),
        [RxRow::Toss, RxRow::Toss, RxRow::MarkerFirst, RxRow::MarkerSecond]
    );
    let replayed = rx.receive(data(10));
    let delivered = replayed.delivered.expect("delivered");
    assert_eq!(
        (replayed.latch, delivered.late, delivered.payload.time_flits),
        (Some(LatchAction::Compare), true, 0)
    );
    assert_eq!(rx.receive(data(11)).latch, None);
    assert!(rx.receive(data(12)).delivered.is_some_and(|delivered| delivered.late));
    let original = rx.receive(data(13)).delivered.expect("delivered");
    assert_eq!(
        (original.late, original.payload.time_flits),
        (false, 2),
        "NxtWr of the marker ends the replay"
    );
    let counters = rx.counters();
    assert_eq!((counters.get(LinkCounter::TimeStale), counters.get(LinkCounter::LateBeats)), (6, 24));
    assert_eq!((counters.get(LinkCounter::RxTossed), counters.get(LinkCounter::RxBad)), (2, 1));
    assert_eq!(counters.get(LinkCounter::UnexpMrkr), 0);
}

#[test]
fn the_ltp_after_a_good_marker_is_its_second_whatever_its_crc() {
    let mut rx = receiver();
    rx.receive(Arrival::<Token>::Bad);
    rx.receive(marker(First, 10, 11));
    let second = rx.receive(Arrival::<Token>::Bad);
    assert_eq!((second.row, second.fault, rx.state()), (RxRow::MarkerSecond, None, RxState::Normal));
    assert_eq!(rx.receive(data(10)).row, RxRow::Deliver);
    // something else in its place is taken for it too, and counted
    rx.receive(Arrival::<Token>::Bad);
    assert_eq!(
        rows(&mut rx, &[marker(First, 11, 12), data(99), data(11)]),
        [RxRow::MarkerFirst, RxRow::MarkerSecond, RxRow::Deliver]
    );
    assert_eq!(rx.counters().get(LinkCounter::IllegalNull), 1);
}

#[test]
fn a_marker_nobody_asked_for_is_obeyed_and_its_duplicates_tossed() {
    let mut rx = receiver();
    assert_eq!(
        rows(&mut rx, &[marker(Second, 8, 11), data(8), data(9), data(10)]),
        [RxRow::MarkerAlone, RxRow::Duplicate, RxRow::Duplicate, RxRow::Deliver]
    );
    let counters = rx.counters();
    assert_eq!((counters.get(LinkCounter::UnexpMrkr), counters.get(LinkCounter::RxDup)), (1, 2));
}

#[test]
fn a_bad_duplicate_is_not_latched() {
    let mut rx = receiver();
    rx.receive(marker(Second, 8, 11));
    let bad: Reception<Token> = rx.receive(Arrival::Bad);
    assert_eq!((bad.row, bad.latch, rx.pending_request()), (RxRow::Bad, None, Some(10)));
}

#[test]
fn a_bad_null_has_no_replay_to_compare_with() {
    let mut rx = receiver();
    rx.receive(Arrival::<Token>::Bad);
    rx.receive(marker(First, 10, 10));
    let second = rx.receive(marker(Second, 10, 10));
    assert_eq!(second.latch, Some(LatchAction::Unknown), "the peer has sent nothing behind LTP 9");
    assert_eq!(rx.receive(data(10)).latch, None);
}

#[test]
fn a_gap_calls_for_retraining() {
    for ahead in [1, 2, 0x7FFF, 0x8000] {
        let mut rx = receiver();
        rx.receive(marker(Second, 10 + ahead, 10 + ahead));
        let gap = rx.receive(data(u64::from(ahead)));
        assert_eq!(
            (gap.row, gap.fault, gap.delivered),
            (RxRow::Gap, Some(Fault::Gap), None),
            "{ahead} ahead"
        );
        assert_eq!(rx.counters().get(LinkCounter::RxGap), 1);
    }
}

#[test]
fn unknown_kinds_are_ignored_and_counted() {
    let mut rx = receiver();
    let unknown = Control::Retrain { kind: 9, half: First, fresh: false, next_rx_ltp: 0 };
    assert_eq!(
        rows(&mut rx, &[null(unknown), null(Control::Idle), data(10)]),
        [RxRow::Null, RxRow::Null, RxRow::Deliver]
    );
    assert_eq!(rx.counters().get(LinkCounter::IllegalNull), 2);
}

#[test]
fn every_second_bad_ltp_and_the_timer_ask_again_until_the_limit() {
    let mut rx = receiver();
    let ask = |rx: &mut RetryRx| {
        assert_eq!(rx.pending_request(), Some(10));
        rx.request_sent();
    };
    rx.receive(Arrival::<Token>::Bad);
    ask(&mut rx);
    assert_eq!(
        rows(&mut rx, &[Arrival::Bad, data(0), Arrival::Bad]),
        [RxRow::TossBadPair, RxRow::Toss, RxRow::Toss]
    );
    ask(&mut rx);
    // 2 x 10 + 16 / 4 + 16 LTP times
    assert!((0..39).all(|_| rx.tick().is_none()) && rx.pending_request().is_none());
    assert_eq!((rx.tick(), rx.rows()[RxRow::TossTimer as usize]), (None, 1));
    (3..32).for_each(|_| {
        ask(&mut rx);
        (0..40).for_each(|_| assert_eq!(rx.tick(), None));
    });
    ask(&mut rx);
    assert!((0..39).all(|_| rx.tick().is_none()));
    assert_eq!(rx.tick(), Some(Fault::RequestLimit), "RETRY_LIMIT 32");
}

#[test]
fn bad_run_is_lost_framing_on_the_ltp() {
    let mut rx = receiver();
    assert!((0..7).all(|_| rx.receive(Arrival::<Token>::Bad).fault.is_none()));
    let last: Reception<Token> = rx.receive(Arrival::Bad);
    assert_eq!((last.row, last.fault), (RxRow::BadRun, Some(Fault::BadRun)));
}

#[test]
fn a_pair_of_retrain_requests_asks_once() {
    let mut rx = receiver();
    assert_eq!(rx.receive(retrain(First)).row, RxRow::RetrainRequest);
    assert_eq!((rx.pending_request(), rx.state()), (Some(10), RxState::Toss));
    rx.request_sent();
    assert_eq!((rx.receive(retrain(Second)).row, rx.pending_request()), (RxRow::Null, None));
    assert_eq!(rx.receive(retrain(Second)).row, RxRow::RetrainRequest, "a .1 alone counts");
}

/// Two Active ends, LTPs 0 to 19 and more sent by the first.
fn active_end() -> RetryPort<Token> {
    let mut ends =
        [0, 1].map(|_| RetryPort::new(RetryConfig { slots: 16, ..RetryConfig::default() }, 1).expect("good"));
    ends.iter_mut().for_each(RetryPort::start_init);
    for now in 0..60 {
        let sent = [0, 1].map(|end| {
            let token = Token::new(end, ends[end].tx().next_write().into(), 0);
            ends[end].send(now, || token).sent.expect("linked").ltp
        });
        ends[0].receive(now + 1, Arrival::Good(sent[1]));
        ends[1].receive(now + 1, Arrival::Good(sent[0]));
    }
    assert!(ends[0].is_active() && ends[0].tx().next_write() > 20);
    let [first, _] = ends;
    first
}

fn request(pointer: u16) -> Arrival<Token> {
    null(Control::RetryReq { half: First, next_rx_ltp: pointer })
}

fn send(end: &mut RetryPort<Token>) -> (LinkLtp<Token>, Origin) {
    let token = Token::new(0, end.tx().next_write().into(), 0);
    let sent = end.send(1000, || token).sent.expect("linked");
    (sent.ltp, sent.origin)
}

/// Sends until a RetryMrkr.0 comes: what it says.
fn next_marker(end: &mut RetryPort<Token>) -> (u16, u16) {
    (0..40)
        .find_map(|_| match send(end).0 {
            LinkLtp::Null(Control::RetryMrkr { half: First, first_replayed, next_write_ltp }) => {
                Some((first_replayed, next_write_ltp))
            }
            _ => None,
        })
        .expect("a marker")
}

#[test]
fn a_pointer_outside_the_buffer_calls_for_retraining() {
    let end = active_end();
    let write = end.tx().next_write();
    for (pointer, fault) in [
        (write, None),
        (write - 16, None),
        (write - 17, Some(Fault::BadPointer)),
        (write + 1, Some(Fault::BadPointer)),
    ] {
        let mut end = end.clone();
        assert_eq!(end.receive(1000, request(pointer)).fault, fault, "pointer {pointer} of {write}");
        let counted = end.counters().get(LinkCounter::BadPointer);
        assert_eq!(counted, u64::from(fault.is_some()));
    }
}

#[test]
fn a_request_during_the_marker_pair_waits_for_its_second() {
    let mut end = active_end();
    let write = end.tx().next_write();
    end.receive(1000, request(write - 5));
    assert_eq!(next_marker(&mut end), (write - 5, write));
    end.receive(1001, request(write - 3));
    assert!(
        matches!(send(&mut end).0, LinkLtp::Null(Control::RetryMrkr { half: Second, first_replayed, .. }) if first_replayed == write - 5)
    );
    assert_eq!(next_marker(&mut end), (write - 3, write));
    send(&mut end);
    let replayed: Vec<Origin> =
        (0..4).map(|_| send(&mut end).1).filter(|origin| *origin != Origin::Null).collect();
    let expected = [Origin::Replayed(write - 3), Origin::Replayed(write - 2), Origin::Replayed(write - 1)];
    assert_eq!(replayed[..3], expected);
}

#[test]
fn the_second_of_a_request_pair_is_the_same_request() {
    let mut end = active_end();
    let write = end.tx().next_write();
    end.receive(1000, request(write));
    end.receive(1001, null(Control::RetryReq { half: Second, next_rx_ltp: write }));
    assert_eq!(end.counters().get(LinkCounter::RetryRx), 1);
    end.receive(1002, null(Control::RetryReq { half: Second, next_rx_ltp: write }));
    assert_eq!(end.counters().get(LinkCounter::RetryRx), 2, "a .1 alone is a request");
}

#[test]
fn two_bad_ltps_freeze_until_the_peer_has_named_its_pointer() {
    let mut end = active_end();
    let write = end.tx().next_write();
    assert!(!end.receive(1000, Arrival::Bad).double_bad);
    assert!(end.receive(1001, Arrival::Bad).double_bad);
    assert_eq!(end.tx().state(), RetryState::Freeze);
    let nulls: Vec<Control> = (0..12)
        .filter_map(|_| match send(&mut end).0 {
            LinkLtp::Null(null) => Some(null),
            LinkLtp::Reliable(_) => None,
        })
        .collect();
    assert_eq!((nulls.len(), end.tx().next_write()), (12, write), "no slot is written");
    let kinds: Vec<bool> =
        nulls.iter().map(|null| matches!(null, Control::Retrain { kind: 1, .. })).collect();
    let first = kinds.iter().position(|kind| *kind).expect("a RetrainRetryReq");
    assert!(kinds[first + 1] && kinds.iter().filter(|kind| **kind).count() == 2, "one pair: {nulls:?}");
    end.receive(1020, request(write - 1));
    assert_eq!((end.tx().state(), next_marker(&mut end)), (RetryState::Mark, (write - 1, write)));
    assert_eq!(end.counters().get(LinkCounter::Freeze), 1);
}
