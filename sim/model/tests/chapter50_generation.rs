//! Chapter 50, 4.8: a peer of another generation makes no connection fail, and none of its frames moves one.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use flitforge_model::sue::{
    Acknowledgment, ConnectionKey, ConnectionState, Psn, RetryLimit, Sender, SenderConfig, SenderEvent,
};

const KEY: ConnectionKey = ConnectionKey { port: 0, peer: 7, vc: 0 };
const OTHER: ConnectionKey = ConnectionKey { port: 1, peer: 7, vc: 2 };

/// A sender with two bodies sent on each of two connections.
fn sender() -> Sender<u32> {
    let config = SenderConfig { rto: 100, retry_limit: RetryLimit::Max(2), ..SenderConfig::default() };
    let mut sender = Sender::new(config).expect("settings");
    for key in [KEY, OTHER] {
        for body in 0..2 {
            sender.accept(key, body, 0).expect("window and slots");
            sender.send(key, 0).expect("a turn");
        }
    }
    sender
}

/// What happens to `key` when its timer runs out next.
fn expire(sender: &mut Sender<u32>, key: ConnectionKey) -> Vec<SenderEvent<u32>> {
    let deadline = sender.connection(key).and_then(|found| found.deadline(sender.config())).expect("it runs");
    let of_key = |event: &SenderEvent<u32>| match event {
        SenderEvent::TimedOut { key: of, .. }
        | SenderEvent::GenerationSkew { key: of }
        | SenderEvent::ConnectionFailed { key: of, .. } => *of == key,
        _ => false,
    };
    sender.expire(deadline).into_iter().filter(of_key).collect()
}

#[test]
fn an_expiry_counts_only_without_skew() {
    let mut sender = sender();
    let una = sender.connection(KEY).expect("there").una();
    sender.generation_dropped(KEY.port, KEY.peer);
    for _ in 0..10 {
        assert_eq!(expire(&mut sender, KEY), [SenderEvent::GenerationSkew { key: KEY }]);
        let connection = sender.connection(KEY).expect("there");
        assert_eq!(
            (connection.retry(), connection.una(), connection.snd()),
            (0, una, una),
            "all is sent again"
        );
    }
    // The other port has seen no frame of another generation.
    let failed = sender.connection(OTHER).is_some_and(|found| found.state() == ConnectionState::Failed);
    assert!(failed, "RETRY_MAX on the other port");

    // Progress ends it.
    let events = sender.acknowledge(KEY, Acknowledgment::Ack(Psn::new(0)), 2_000);
    assert_eq!(events.len(), 1);
    assert!(matches!(expire(&mut sender, KEY)[..], [SenderEvent::TimedOut { retry: 1, .. }]));
    sender.set_peer_newer(KEY.peer, true);
    assert_eq!(expire(&mut sender, KEY), [SenderEvent::GenerationSkew { key: KEY }]);
    sender.set_peer_newer(KEY.peer, false);
    assert!(matches!(expire(&mut sender, KEY)[..], [SenderEvent::TimedOut { retry: 2, .. }]));
    assert!(matches!(expire(&mut sender, KEY)[..], [SenderEvent::ConnectionFailed { .. }]));
}

/// What is no progress does not end it: stale and wild acknowledgments, and those of nothing new.
#[test]
fn only_progress_ends_skew() {
    let mut sender = sender();
    sender.generation_dropped(KEY.port, KEY.peer);
    let none =
        [Acknowledgment::None, Acknowledgment::Ack(Psn::new(40_000)), Acknowledgment::Ack(Psn::new(9))];
    for acknowledgment in none {
        sender.acknowledge(KEY, acknowledgment, 10);
        assert_eq!(expire(&mut sender, KEY), [SenderEvent::GenerationSkew { key: KEY }]);
    }
}
