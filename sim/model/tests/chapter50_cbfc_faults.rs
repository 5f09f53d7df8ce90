//! Credit-based flow control of chapter 50 under faults: section 9 point 10.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::chapter50_cbfc::{cells, port, settings};
use crate::chapter50_llr::short;
use crate::sue_link::{is_data, quiet, with_llr, Harness, BREAK};
use crate::support::{count, random};
use flitforge_model::sue::format::link_control::CreditCount;
use flitforge_model::sue::format::overhead::CellRule;
use flitforge_model::sue::format::Profile;
use flitforge_model::sue::link::{
    CreditConfigError, CreditLimit, CreditReceiver, CreditRefusal, CreditSender, CreditSettings, CtlTwice,
    Fault, FlowControl, Healing, PortConfig, WireItem, LIMIT_MAX,
};
use flitforge_protocol::sue::class::ClassUse;
use rand::Rng;

const A: ClassUse = ClassUse::Requests;
const LIMIT: u16 = 60;

fn credit(profile: Profile) -> CreditSettings {
    CreditSettings { cf_timer: 300, cc_timer: 2000, ..settings(profile, LIMIT) }
}

/// At any time: neither end ever sees more than LIMIT in use.
fn assert_within_limit(harness: &Harness) {
    for port in &harness.link.ports {
        for vc in 0..5 {
            assert!(port.credit_sender().expect("CBFC").used(vc) <= LIMIT);
            assert!(port.credit_receiver().expect("CBFC").occupied(vc) <= LIMIT);
        }
    }
}

/// Counts pass 2^15 several times at every LIMIT that is allowed, with lagging readers.
#[test]
fn counts_wrap() {
    for limit in [1, 4, 100, LIMIT_MAX] {
        let settings = settings(Profile::Sue1, limit);
        let mut sender = CreditSender::new(settings).expect("settings");
        let mut receiver = CreditReceiver::new(settings).expect("settings");
        let mut used = 0_u64;
        for now in 0..150_000_u64 {
            // one cell each: 236 octets and 20 are 256
            while used < limit.into() && sender.send(0, 236).is_ok() {
                receiver.receive(0, 236);
                used += 1;
            }
            assert_eq!(u64::from(sender.available(0)), u64::from(limit) - used);
            receiver.free(0, 236);
            if let Some(counts) = receiver.cf_update(now) {
                sender.receive_cf(counts);
                if counts.iter().any(|count| count.vc == 0) {
                    used = u64::from(receiver.occupied(0));
                }
            }
        }
        assert_eq!((sender.counters().ctlos_bad, receiver.counters().cc_heal), (0, 0));
        assert!(sender.counters().cf_rx > 100, "{limit}");
    }
}

/// Random losses of frames, of CF_Update and of CC_Update, without LLR: every leak is healed, and LIMIT is kept.
#[test]
fn leaks_are_healed() {
    for &profile in Profile::ALL {
        let mut random = random("leaks_are_healed");
        let mut harness = Harness::new(port(profile, credit(profile)), 20);
        let (mut lost, mut healed) = ([0_u64; 2], [0_u64; 2]);
        let frames = count(3000, 100_000);
        for _ in 0..frames {
            let bytes = random.random_range(64..2000);
            (0..2).for_each(|end| harness.offer(end, A, bytes));
        }
        while (0..2).any(|end| harness.link.ports[end].waiting(A) > 0) {
            harness.step(|end, _, item| match item {
                WireItem::Data(_, frame) if random.random_bool(0.02) => {
                    lost[end] += cells(profile, frame.bytes);
                    BREAK
                }
                WireItem::Set(_) | WireItem::Control(..) if random.random_bool(0.1) => Fault::Lose,
                _ => Fault::None,
            });
            assert_within_limit(&harness);
            assert!(harness.link.now() < frames * 5000, "a leak has stopped the sender");
        }
        harness.run(10_000, quiet, |_| false);
        for (end, healed) in healed.iter_mut().enumerate() {
            *healed = harness.link.ports[1 - end].credit_receiver().expect("CBFC").counters().cc_heal;
            assert_eq!(harness.link.ports[end].credit_sender().expect("CBFC").used(0), 0);
        }
        assert_eq!(healed, lost);
        assert!(lost[0] > 0 && lost[1] > 0);
    }
}

/// With LLR nothing is lost, so nothing may be healed: CC_Update waits for the replay buffer.
#[test]
fn replays_are_not_taken_for_leaks() {
    for &profile in Profile::ALL {
        let mut random = random("replays_are_not_taken_for_leaks");
        let config = PortConfig { flow: FlowControl::Cbfc(credit(profile)), ..with_llr(profile, short()) };
        let mut harness = Harness::new(config, 20);
        (0..3000).for_each(|_| (0..2).for_each(|end| harness.offer(end, A, random.random_range(64..1000))));
        while !harness.is_complete() {
            harness.step(|_, _, item| match item {
                item if is_data(item) && random.random_bool(0.02) => BREAK,
                WireItem::Set(_) if random.random_bool(0.02) => Fault::Lose,
                _ => Fault::None,
            });
            assert_within_limit(&harness);
            assert!(harness.link.now() < 10_000_000);
        }
        for port in &harness.link.ports {
            assert_eq!(port.credit_receiver().expect("CBFC").counters().cc_heal, 0);
            assert!(port.credit_sender().expect("CBFC").counters().cc_tx > 10);
        }
    }
}

/// Ordered sets with bits inverted: with CTL_TWICE nothing is overrun, and afterwards all credits are there.
#[test]
fn corrupted_ordered_sets_overrun_nothing() {
    let twice = CtlTwice::Twice { within: 100 };
    let mut random = random("corrupted_ordered_sets_overrun_nothing");
    let mut harness = Harness::new(PortConfig { twice, ..port(Profile::Ue103, credit(Profile::Ue103)) }, 20);
    (0..4000).for_each(|_| (0..2).for_each(|end| harness.offer(end, A, random.random_range(64..1000))));
    while !harness.is_complete() {
        harness.step(|_, _, item| match item {
            WireItem::Set(_) if random.random_bool(0.1) => Fault::Corrupt { bit: random.random_range(0..64) },
            _ => Fault::None,
        });
        assert_within_limit(&harness);
        assert!(harness.link.now() < 10_000_000);
    }
    harness.run(5000, quiet, |_| false);
    for port in &harness.link.ports {
        assert_eq!(port.credit_sender().expect("CBFC").used(0), 0);
    }
}

/// CF never moves backward, nor beyond CC.
#[test]
fn counts_outside_the_window_are_ignored() {
    let mut sender = CreditSender::new(settings(Profile::Sue1, 100)).expect("settings");
    (0..50).for_each(|_| assert_eq!(sender.send(3, 236), Ok(1)));
    let update = |cells| [CreditCount { vc: 3, cells }, CreditCount { vc: 9, cells: 0 }];
    sender.receive_cf(update(20));
    assert_eq!((sender.freed(3), sender.used(3), sender.available(3)), (20, 30, 70));
    for wrong in [19, 0, 51, 0x4000, 0x7FFF] {
        sender.receive_cf(update(wrong));
        assert_eq!(sender.freed(3), 20, "{wrong}");
    }
    assert_eq!(sender.counters().ctlos_bad, 5);
    let mut receiver = CreditReceiver::new(settings(Profile::Sue1, 100)).expect("settings");
    (0..5).for_each(|_| receiver.receive(3, 236));
    let told = |cells| [CreditCount { vc: 3, cells }];
    assert_eq!(receiver.receive_cc(&told(4)), [], "a late message");
    assert_eq!(receiver.receive_cc(&told(5)), []);
    assert_eq!(receiver.receive_cc(&told(12)), [Healing { vc: 3, cells: 7 }]);
    assert_eq!((receiver.consumed(3), receiver.freed(3), receiver.occupied(3)), (12, 7, 5));
    assert_eq!(receiver.counters().cc_bad, 1);
}

#[test]
fn costs_limits_and_settings() {
    // cells of 32 octets with the least overhead, of 2048 with the most
    for (exponent, overhead, bytes, expected) in [
        (0, -16, 64, 2),
        (0, -16, 48, 1),
        (6, 127, 9216, 5),
        (6, 127, 1921, 1),
        (6, 127, 1922, 2),
        (3, -4, 260, 1),
    ] {
        let rule = CellRule::new(exponent, overhead).expect("a rule");
        assert_eq!(CreditSettings::new(rule, CreditLimit::Pool(9)).cells(bytes), expected);
    }
    let sender = CreditSender::new(settings(Profile::Sue1, 2)).expect("settings");
    assert_eq!(sender.check(0, 493), Err(CreditRefusal::Never { vc: 0, cells: 3, limit: 2 }));
    assert_eq!(sender.check(0, 492), Ok(2));
    assert_eq!(sender.check(31, 64), Err(CreditRefusal::Never { vc: 31, cells: 1, limit: 0 }));
    let wide = settings(Profile::Sue1, 1 << 14);
    assert_eq!(
        CreditSender::new(wide).expect_err("refused"),
        CreditConfigError::Limit { vc: 0, limit: 1 << 14 }
    );
    let zero = CreditSettings { cell_batch: 0, ..settings(Profile::Sue1, 5) };
    assert_eq!(CreditReceiver::new(zero).expect_err("refused"), CreditConfigError::Zero);
}

/// CELL_BATCH freed cells, or CF_TIMER; the least recently told virtual channel is the second one.
#[test]
fn updates_come_by_batch_and_by_timer() {
    let mut receiver = CreditReceiver::new(settings(Profile::Sue1, 100)).expect("settings");
    (0..10).for_each(|_| receiver.receive(2, 236));
    (0..3).for_each(|_| receiver.free(2, 236));
    assert_eq!(receiver.cf_update(1), None);
    receiver.free(2, 236);
    let [first, second] = receiver.cf_update(2).expect("due");
    assert_eq!((first, second), (CreditCount { vc: 2, cells: 4 }, CreditCount { vc: 0, cells: 0 }));
    receiver.free(2, 236);
    assert_eq!(receiver.cf_update(1023), None);
    let told: Vec<u8> =
        std::iter::from_fn(|| receiver.cf_update(1024)).flatten().map(|count| count.vc).collect();
    assert_eq!(told, [1, 3, 4, 0], "VC 0 and 2 were told at clock 2; VC 0 fills the second place");
    let counts = receiver.cf_update(1026).expect("VC 2 is due");
    assert_eq!(counts.map(|count| (count.vc, count.cells)), [(2, 5), (0, 0)]);
}
