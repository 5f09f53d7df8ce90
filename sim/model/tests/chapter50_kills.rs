//! Ports that die at random times (chapter 50, 9, point 11): exactly once, in order where that is promised, and every command gets
//! a status that is true. `FLITFORGE_FULL=1` kills a thousand times in each mode.

#![allow(clippy::expect_used)] // helpers of a test

use crate::support::count;
use flitforge_model::sue::failover::{
    failover, FailoverError, FailoverMode, FailoverParameters, FailoverReport,
};
use flitforge_model::sue::{
    BodyCheck, ConnectionKey, Endpoint, OpenAnswer, Opening, ReceiverConfig, Room, SenderConfig,
};

fn parameters(ports: u8, mode: FailoverMode) -> FailoverParameters {
    FailoverParameters {
        xpus: 3,
        ports,
        vcs: 2,
        mode,
        kills: count(60, 1_000),
        gap: 300,
        blackouts: 0,
        loss: 5_000,
        late: 80,
        down: 1_200,
        quiet: 200,
    }
}

fn run(parameters: &FailoverParameters, seed: u64) -> FailoverReport {
    let report = failover(parameters, seed, &mut |_, _| ()).expect("every promise holds");
    println!("{report:?}");
    let status = report.status;
    assert_eq!(status.delivered + status.failed + status.unknown, report.commands);
    assert_eq!(status.delivered + status.unknown_delivered, report.delivered);
    report
}

#[test]
fn ports_that_die_lose_and_double_nothing() {
    for ports in [2, 4] {
        for mode in [FailoverMode::Unordered, FailoverMode::StrictFailover] {
            let report = run(&parameters(ports, mode), 11);
            assert_eq!(report.kills.iter().sum::<u64>(), count(60, 1_000));
            assert!(report.failovers > 100 && report.handed_over > 100 && report.reopened > 100);
            assert!(report.connections_failed > 0 && report.late > 50 && report.commands > 10_000);
        }
    }
}

/// Without STRICT_FO a dead port ends what it holds: status 1 and 3, and nothing is handed over.
#[test]
fn strict_mode_without_failover_tells_what_became_of_each_command() {
    let report = run(&parameters(2, FailoverMode::Strict), 12);
    assert_eq!((report.failovers, report.handed_over), (0, 0));
    assert!(report.status.failed > 100 && report.status.unknown > 100, "{report:?}");
}

/// Both ends of every port dead: nobody can be asked.
#[test]
fn an_xpu_without_ports_gives_every_command_a_status() {
    for ports in [2, 4] {
        for mode in FailoverMode::ALL {
            let report = run(&FailoverParameters { blackouts: 100, ..parameters(ports, mode) }, 13);
            assert_eq!(report.kills[2], count(60, 1_000));
            assert!(report.peer_lost > 100, "{report:?}");
            assert!(report.status.failed > 100 && report.status.unknown > 100, "{report:?}");
            assert!(report.status.unknown_delivered > 10 && report.status.delivered > 1_000, "{report:?}");
        }
    }
}

#[test]
fn numbers_that_cannot_work_are_refused() {
    let three = FailoverParameters { ports: 3, ..parameters(2, FailoverMode::Strict) };
    assert_eq!(failover(&three, 1, &mut |_, _| ()), Err(FailoverError::Ports { ports: 3 }));
}

/// Why a connection rests before it is opened again: FREEZE_RSP says nothing of the request that it answers. One that was held back since an
/// earlier freeze names a PSN inside the window, and what was delivered after it would be sent again through another port.
#[test]
fn a_freeze_answer_that_is_older_than_the_connection_says_too_little() {
    let end = |xpu| {
        Endpoint::<char>::new(xpu, SenderConfig::default(), ReceiverConfig::default()).expect("defaults")
    };
    let (mut here, mut there) = (end(0), end(1));
    let key = |peer| ConnectionKey { port: 0, peer, vc: 0 };
    let deliver = |here: &mut Endpoint<char>, there: &mut Endpoint<char>, body| {
        here.accept(key(1), body, 0).expect("window and slots");
        let pdu = here.transmit(0, 0, 0).expect("a body");
        assert_eq!(there.receive(pdu, Room::Free, BodyCheck::Good, 0).delivered, Some(body));
    };
    deliver(&mut here, &mut there, 'a');
    here.sender_mut().freeze(key(1));
    let answer = there.receiver_mut().freeze(key(0));
    let (_, rest) = here.sender_mut().freeze_response(key(1), answer).expect("inside the window");
    assert!(rest.is_empty(), "it was delivered");
    let asked = here.sender().open_request(key(1)).expect("closed");
    assert_eq!(there.receiver_mut().open(key(0), asked), OpenAnswer::Opened(asked));
    assert_eq!(here.sender_mut().open_response(key(1), asked), Ok(Opening::Open));
    deliver(&mut here, &mut there, 'b');
    here.sender_mut().freeze(key(1));
    // a second copy of the first answer
    let (_, rest) = here.sender_mut().freeze_response(key(1), answer).expect("inside the window");
    assert_eq!(rest, ['b'], "delivered, and taken as undelivered");
    assert_ne!(there.receiver_mut().freeze(key(0)), answer, "the true answer");
}
