//! Chapter 50, 4.5: every row of the sender's table by itself, window, slots, timers, forged acknowledgments, failover.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use flitforge_model::sue::{
    Acknowledgment, ConfigError, ConnectionKey, ConnectionState, FailoverError, Opening, Progress, Psn,
    Refusal, RetryLimit, Sender, SenderConfig, SenderEvent, Status, StuckAction,
};

const KEY: ConnectionKey = key(0);

const fn key(vc: u8) -> ConnectionKey {
    ConnectionKey { port: 0, peer: 7, vc }
}

fn config() -> SenderConfig {
    SenderConfig { rto: 100, ..SenderConfig::default() }
}

fn ack(psn: u16) -> Acknowledgment {
    Acknowledgment::Ack(Psn::new(psn))
}

fn nack(psn: u16) -> Acknowledgment {
    Acknowledgment::Nack(Psn::new(psn))
}

/// A sender whose only connection starts at `first`.
fn starting_at(first: u16, config: SenderConfig) -> Sender<u32> {
    let mut sender = Sender::new(config).expect("a good configuration");
    sender.reconnect(KEY, Psn::new(first));
    assert_eq!(sender.open_response(KEY, Psn::new(first)), Ok(Opening::Open));
    sender
}

/// The same with bodies 0 to `count` - 1 accepted and sent at time 0.
fn in_flight(first: u16, count: u32, config: SenderConfig) -> Sender<u32> {
    let mut sender = starting_at(first, config);
    for body in 0..count {
        let psn = sender.accept(KEY, body, 0).expect("window and slots");
        assert_eq!(psn, Psn::new(first).plus(body as u16));
    }
    assert_eq!(turns(&mut sender, KEY).len(), count as usize);
    sender
}

/// All send turns that a connection has now: PSN and whether it had been sent.
fn turns(sender: &mut Sender<u32>, key: ConnectionKey) -> Vec<(u16, Progress)> {
    std::iter::from_fn(|| sender.send(key, 0).map(|turn| (turn.psn.value(), turn.before))).collect()
}

/// una, snd, nxt, retry.
fn state(sender: &Sender<u32>) -> (u16, u16, u16, u8) {
    let one = sender.connection(KEY).expect("it had traffic");
    (one.una().value(), one.snd().value(), one.nxt().value(), one.retry())
}

/// The bodies of `events`, all delivered.
fn delivered(events: &[SenderEvent<u32>]) -> Vec<u32> {
    let body = |event: &SenderEvent<u32>| match event {
        SenderEvent::Completed { body, status: Status::Delivered, .. } => *body,
        other => panic!("{other:?}"),
    };
    events.iter().map(body).collect()
}

#[test]
fn new_body_takes_a_slot_and_starts_the_timer_if_nothing_was_in_flight() {
    let mut sender = starting_at(0xFFFF, config());
    assert_eq!(sender.accept(KEY, 0, 40), Ok(Psn::new(0xFFFF)));
    assert_eq!(sender.accept(KEY, 1, 60), Ok(Psn::new(0)));
    assert_eq!(state(&sender), (0xFFFF, 0xFFFF, 1, 0));
    assert_eq!((sender.next_expiry(), sender.slots_used(0, 60)), (Some(140), 2));
}

#[test]
fn new_body_is_refused_by_window_slot_and_state() {
    let mut sender = in_flight(0, 16, config());
    let refusal = sender.accept(KEY, 99, 0).expect_err("window 16");
    assert_eq!((refusal.reason, refusal.body), (Refusal::WindowClosed, 99));
    sender.freeze(KEY);
    assert_eq!(sender.may_accept(KEY, 0), Err(Refusal::NotOpen));
    assert_eq!(sender.may_accept(key(4), 0), Err(Refusal::UnknownVc));
    let mut sender = in_flight(0, 4, SenderConfig { slots: 4, slot_min: 1, vcs: 1, ..config() });
    assert_eq!(sender.accept(KEY, 99, 0).map_err(|refused| refused.reason), Err(Refusal::NoSlot));
}

#[test]
fn send_turn_sends_each_body_once_and_replays_before_new_bodies() {
    let mut sender = in_flight(5, 3, config());
    assert_eq!(sender.send(KEY, 0), None, "snd = nxt");
    sender.acknowledge(KEY, nack(6), 1);
    sender.accept(KEY, 3, 2).expect("window and slots");
    let sent = [(6, Progress::Sent), (7, Progress::Sent), (8, Progress::Waiting)];
    assert_eq!(turns(&mut sender, KEY), sent);
    assert_eq!((sender.counters().body_tx, sender.counters().replay), (4, 2));
    // between connections of one VC too
    let other = ConnectionKey { peer: 3, ..KEY };
    sender.accept(other, 9, 3).expect("window and slots");
    assert_eq!(sender.next_turn(0, 0), Some(other));
    sender.acknowledge(KEY, nack(8), 4);
    assert_eq!(sender.next_turn(0, 0), Some(KEY));
    assert_eq!((sender.next_turn(0, 1), sender.next_turn(1, 0)), (None, None));
}

#[test]
fn ack_frees_all_up_to_its_psn_across_the_wrap() {
    let mut sender = in_flight(0xFFFE, 4, config());
    let events = sender.acknowledge(KEY, ack(0), 30);
    assert_eq!(delivered(&events), [0, 1, 2]);
    assert_eq!(state(&sender), (1, 2, 2, 0));
    assert_eq!((sender.next_expiry(), sender.slots_used(0, 30)), (Some(130), 1));
    assert_eq!(delivered(&sender.acknowledge(KEY, ack(1), 31)), [3]);
    assert_eq!(sender.next_expiry(), None, "nothing in flight");
}

#[test]
fn ack_moves_snd_along_and_clears_retry() {
    let mut sender = in_flight(0, 4, config());
    sender.expire(100);
    assert_eq!(state(&sender), (0, 0, 4, 1));
    assert_eq!(delivered(&sender.acknowledge(KEY, ack(1), 110)), [0, 1]);
    assert_eq!(state(&sender), (2, 2, 4, 0));
    assert_eq!(sender.next_expiry(), Some(210));
    assert_eq!(turns(&mut sender, KEY), [(2, Progress::Sent), (3, Progress::Sent)]);
}

#[test]
fn ack_without_progress_changes_nothing() {
    let mut sender = in_flight(10, 2, config());
    sender.expire(100);
    let before = (state(&sender), sender.next_expiry());
    assert_eq!(sender.acknowledge(KEY, ack(9), 150), []);
    assert_eq!((state(&sender), sender.next_expiry()), before);
    assert_eq!((sender.counters().ack_stale, sender.counters().ack_wild), (0, 0));
}

#[test]
fn nack_frees_what_is_before_it_and_goes_back_to_it() {
    let mut sender = in_flight(0xFFFF, 5, config());
    assert_eq!(delivered(&sender.acknowledge(KEY, nack(1), 20)), [0, 1]);
    assert_eq!(state(&sender), (1, 1, 4, 0));
    assert_eq!(sender.next_expiry(), Some(120));
    // a = nxt: all is received, nothing to replay
    turns(&mut sender, KEY);
    assert_eq!(delivered(&sender.acknowledge(KEY, nack(4), 21)), [2, 3, 4]);
    assert_eq!(state(&sender), (4, 4, 4, 0));
}

/// Section 0: it replays, and ends the silence that `retry` counts.
#[test]
fn nack_without_progress_replays_and_does_not_raise_retry() {
    let mut sender = in_flight(0, 3, config());
    sender.expire(100);
    turns(&mut sender, KEY);
    assert_eq!(sender.acknowledge(KEY, nack(0), 150), []);
    assert_eq!(state(&sender), (0, 0, 3, 0));
    assert_eq!(sender.next_expiry(), Some(250));
    let all = [(0, Progress::Sent), (1, Progress::Sent), (2, Progress::Sent)];
    assert_eq!(turns(&mut sender, KEY), all);
}

/// What becomes of an acknowledgment: ignored as stale, as wild, or taken with so many bodies freed.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    Stale,
    Wild,
    Freed(usize),
}

fn fate(acknowledgment: Acknowledgment, first: u16) -> Fate {
    let mut sender = in_flight(first, 3, config());
    let before = (state(&sender), sender.next_expiry());
    let events = sender.acknowledge(KEY, acknowledgment, 1);
    let counters = sender.counters();
    match (counters.ack_stale, counters.ack_wild) {
        (0, 0) => return Fate::Freed(delivered(&events).len()),
        (1, 0) => assert_eq!(events, []),
        (0, 1) => assert_eq!(events, [SenderEvent::AckWild { key: KEY }]),
        other => panic!("{other:?}"),
    }
    assert_eq!((state(&sender), sender.next_expiry()), before);
    if counters.ack_stale == 1 {
        Fate::Stale
    } else {
        Fate::Wild
    }
}

/// Section 0: una - 1, nxt, nxt + 1, nxt + 32767, and the edges between, wherever the window lies.
#[test]
fn forged_acknowledgments_never_free_what_was_not_sent() {
    for una in [0_u16, 1, 0x7FFE, 0xFFFD, 0xFFFE, 0xFFFF] {
        let nxt = una.wrapping_add(3);
        let at = |base: u16, offset: i32| base.wrapping_add(offset as u16);
        assert_eq!(fate(ack(at(una, -2)), una), Fate::Stale);
        assert_eq!(fate(nack(at(una, -1)), una), Fate::Stale);
        assert_eq!(fate(ack(at(una, -1)), una), Fate::Freed(0), "the last one again");
        assert_eq!(fate(ack(at(nxt, -1)), una), Fate::Freed(3));
        assert_eq!(fate(nack(nxt), una), Fate::Freed(3), "everything before nxt is received");
        assert_eq!(fate(ack(nxt), una), Fate::Wild);
        assert_eq!(fate(ack(at(nxt, 1)), una), Fate::Wild);
        assert_eq!(fate(nack(at(nxt, 1)), una), Fate::Wild);
        assert_eq!(fate(nack(at(una, 32767)), una), Fate::Wild, "the last that is not behind");
        assert_eq!(fate(nack(at(una, 32768)), una), Fate::Stale);
        assert_eq!(fate(ack(at(nxt, 32767)), una), Fate::Stale);
        assert_eq!(fate(nack(at(nxt, 32767)), una), Fate::Stale);
    }
    let mut sender = starting_at(9, config());
    assert_eq!(sender.acknowledge(KEY, nack(9 + 32767), 0), [SenderEvent::AckWild { key: KEY }]);
}

#[test]
fn timer_backs_off_and_fails_at_the_expiry_after_the_last_replay() {
    let mut sender = in_flight(0, 2, config());
    let (mut now, mut waits) = (0, Vec::new());
    for retry in 1..=7 {
        let deadline = sender.next_expiry().expect("it runs");
        assert_eq!(sender.expire(deadline - 1), [], "not before its time");
        waits.push(deadline - now);
        now = deadline;
        assert_eq!(sender.expire(now), [SenderEvent::TimedOut { key: KEY, retry }]);
        assert_eq!(turns(&mut sender, KEY), [(0, Progress::Sent), (1, Progress::Sent)]);
    }
    assert_eq!(waits, [100, 200, 400, 800, 1600, 1600, 1600]);
    let failed = SenderEvent::ConnectionFailed { key: KEY, una: Psn::new(0) };
    assert_eq!(sender.next_expiry(), Some(now + 1600));
    assert_eq!(sender.expire(now + 1600), [failed]);
    assert_eq!((sender.counters().rto_cnt, sender.counters().replay), (8, 14));
    assert_eq!((sender.next_expiry(), sender.send(KEY, 0)), (None, None));
    let none = SenderConfig { retry_limit: RetryLimit::Max(0), ..config() };
    let mut sender = in_flight(0, 1, none);
    assert!(matches!(sender.expire(100)[..], [SenderEvent::ConnectionFailed { .. }]));
}

#[test]
fn windows_of_one_and_beyond_the_slots() {
    let mut sender = starting_at(0xFFF0, SenderConfig { window: 1, ..config() });
    for body in 0..40 {
        let psn = sender.accept(KEY, body, 0).expect("one at a time");
        assert_eq!(sender.may_accept(KEY, 0), Err(Refusal::WindowClosed));
        assert_eq!(turns(&mut sender, KEY), [(psn.value(), Progress::Waiting)]);
        assert_eq!(delivered(&sender.acknowledge(KEY, Acknowledgment::Ack(psn), 0)), [body]);
    }
    // WIN 1000, 32 slots, of which the three other VCs keep 2 each
    let mut sender = in_flight(0, 26, SenderConfig { window: 1000, ..config() });
    assert_eq!(sender.may_accept(KEY, 0), Err(Refusal::NoSlot));
    sender.acknowledge(KEY, ack(0), 0);
    assert_eq!(sender.may_accept(KEY, 0), Ok(()));
}

#[test]
fn a_vc_without_slots_does_not_stop_another() {
    let mut sender = in_flight(0, 26, SenderConfig { window: 1000, ..config() });
    for vc in 1..4 {
        for body in 0..2 {
            assert!(sender.accept(key(vc), body, 0).is_ok(), "VC {vc} has its two slots");
        }
        assert_eq!(sender.may_accept(key(vc), 0), Err(Refusal::NoSlot));
    }
    // VC 1 gives one back: it is VC 1's again, not common
    turns(&mut sender, key(1));
    sender.acknowledge(key(1), ack(0), 0);
    assert_eq!((sender.may_accept(KEY, 0), sender.may_accept(key(1), 0)), (Err(Refusal::NoSlot), Ok(())));
}

#[test]
fn a_slot_that_is_being_read_is_reused_only_after_its_frame_has_left() {
    let mut sender = starting_at(0, SenderConfig { slots: 1, slot_min: 1, vcs: 1, ..config() });
    sender.accept(KEY, 0, 0).expect("the slot");
    sender.send(KEY, 50);
    assert_eq!(delivered(&sender.acknowledge(KEY, ack(0), 20)), [0]);
    assert_eq!(sender.may_accept(KEY, 49), Err(Refusal::NoSlot));
    assert_eq!(sender.accept(KEY, 1, 50), Ok(Psn::new(1)));
}

/// Section 0: 254 refusals and progress are nothing, 255 are STUCK once; only STUCK_FAIL fails.
#[test]
fn refusals_without_progress_are_reported_once() {
    let mut sender = in_flight(0, 2, config());
    for time in 0..254 {
        assert_eq!(sender.acknowledge(KEY, nack(0), time), []);
    }
    sender.acknowledge(KEY, ack(0), 254);
    for time in 0..254 {
        assert_eq!(sender.acknowledge(KEY, nack(1), time), []);
    }
    let stuck = SenderEvent::Stuck { key: KEY, una: Psn::new(1) };
    assert_eq!(sender.acknowledge(KEY, nack(1), 300), std::slice::from_ref(&stuck));
    for time in 301..2000 {
        assert_eq!(sender.acknowledge(KEY, nack(1), time), []);
    }
    assert_eq!(turns(&mut sender, KEY), [(1, Progress::Sent)]);
    let fails = SenderConfig { nack_max: 3, stuck_action: StuckAction::Fail, ..config() };
    let mut sender = in_flight(1, 1, fails);
    let events: Vec<_> = (0..3).flat_map(|time| sender.acknowledge(KEY, nack(1), time)).collect();
    assert_eq!(events, [stuck, SenderEvent::ConnectionFailed { key: KEY, una: Psn::new(1) }]);
    assert_eq!(sender.send(KEY, 0), None);
}

#[test]
fn freeze_gives_back_what_was_not_delivered_and_open_continues_after_it() {
    let mut sender = in_flight(0xFFFE, 4, config());
    sender.accept(KEY, 4, 0).expect("window and slots");
    sender.freeze(KEY);
    assert_eq!((sender.send(KEY, 0), sender.next_expiry()), (None, None));
    for outside in [0xFFFD, 4] {
        assert_eq!(sender.freeze_response(KEY, Psn::new(outside)), Err(FailoverError::OutsideWindow));
    }
    let (events, rest) = sender.freeze_response(KEY, Psn::new(1)).expect("inside");
    assert_eq!((delivered(&events), rest), (vec![0, 1, 2], vec![3, 4]));
    assert_eq!((sender.slots_used(0, 0), sender.counters().failover), (0, 1));
    assert_eq!(sender.freeze_response(KEY, Psn::new(1)), Err(FailoverError::NotAsked), "a second answer");
    assert_eq!(sender.may_accept(KEY, 0), Err(Refusal::NotOpen));
    assert_eq!(sender.acknowledge(KEY, ack(1), 0), [], "a late ACK");
    assert_eq!(sender.open_request(KEY), Ok(Psn::new(3)));
    assert_eq!(sender.open_response(KEY, Psn::new(8)), Ok(Opening::AskAgain(Psn::new(8))));
    assert_eq!(sender.open_response(KEY, Psn::new(8)), Ok(Opening::Open));
    assert_eq!(sender.open_response(KEY, Psn::new(8)), Err(FailoverError::NotAsked), "a second answer");
    assert_eq!(sender.accept(KEY, 5, 0), Ok(Psn::new(8)));
}

#[test]
fn without_an_answer_what_was_sent_is_unknown_and_the_rest_failed() {
    let mut sender = in_flight(0, 2, config());
    sender.accept(KEY, 2, 0).expect("window and slots");
    let status = |event: SenderEvent<u32>| match event {
        SenderEvent::Completed { body, status, .. } => (body, status as u8),
        other => panic!("{other:?}"),
    };
    let given_up: Vec<_> = sender.abandon(KEY).into_iter().map(status).collect();
    assert_eq!(given_up, [(0, 3), (1, 3), (2, 1)]);
    let mut sender = in_flight(9, 2, config());
    let flushed: Vec<_> = sender.clear().into_iter().map(status).collect();
    assert_eq!(flushed, [(0, 2), (1, 2)]);
    assert_eq!((sender.slots_used(0, 0), sender.accept(KEY, 0, 0)), (0, Ok(Psn::ZERO)));
}

#[test]
fn a_failed_connection_still_learns_what_arrived() {
    let mut sender = in_flight(0, 2, SenderConfig { retry_limit: RetryLimit::Max(0), ..config() });
    sender.expire(100);
    assert_eq!(delivered(&sender.acknowledge(KEY, ack(0), 120)), [0]);
    assert_eq!(sender.connection(KEY).map(|one| one.state()), Some(ConnectionState::Failed));
    assert_eq!(sender.next_expiry(), None);
}

#[test]
fn settings_out_of_range_are_refused_with_the_reason() {
    let refused = |config| Sender::<u32>::new(config).err();
    for window in [0, 32768] {
        let reason = ConfigError::Window { window, max: 32767 };
        assert_eq!(refused(SenderConfig { window, ..config() }), Some(reason));
    }
    assert_eq!(refused(SenderConfig { window: 32767, ..config() }), None);
    assert!(matches!(refused(SenderConfig { slots: 7, ..config() }), Some(ConfigError::Slots { .. })));
    assert!(matches!(refused(SenderConfig { vcs: 5, ..config() }), Some(ConfigError::Vcs { .. })));
    assert!(matches!(refused(SenderConfig { backoff: 16, ..config() }), Some(ConfigError::Timer { .. })));
}
