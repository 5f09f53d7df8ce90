//! Every row of chapter 10, 6 that concerns what a port has: injected, with its reaction and its counter.

use crate::link_port::rig::Rig;
use crate::link_port::{narrow, short, wide};
use flitforge_hdl::link::port::{LinkPort2, PortConfig};
use flitforge_model::control::{Control, Half};
use flitforge_model::{Flit, Ltp, NullLtp};
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::flit::RetrainKind;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::link_registers::{
    event, inject, retry_cfg, rtt, EVENT, INJECT, LANE, RETRY_CFG, RTT,
};
use flitforge_protocol::ltp::{BITS_1056, WORD_BITS};
use flitforge_protocol::retry::INIT_SILENCE_LTPS;
use flitforge_sim::kit::seed;
use flitforge_testkit::relay::Edit;
use flitforge_testkit::{Clocked, Noise};
use std::cell::Cell;
use std::rc::Rc;

/// A link in full traffic with somebody in both lines; R = 16, so that pads go out all the time.
fn relayed() -> Rig {
    let mut rig = Rig::up_relayed(short(), seed(0x10_82), 0.9);
    rig.run(1_500);
    rig
}

fn content(ltp: &Ltp) -> Option<Control> {
    ltp.null().map(|null| Control::decode(null.flit()).expect("a Null LTP"))
}

fn null(content: Control) -> Edit {
    Edit::Replace(Box::new(NullLtp::of(content).expect("a Null LTP").ltp()))
}

fn is_filler(ltp: &Ltp) -> bool {
    content(ltp) == Some(Control::retrain(RetrainKind::Filler))
}

/// Counts of an end before and after something.
fn counts(rig: &mut Rig, end: usize, counters: &[LinkCounter]) -> Vec<u64> {
    counters.iter().map(|counter| rig.count(end, *counter)).collect()
}

/// The first `times` LTPs that `matches` go as `change` says.
fn change(
    rig: &mut Rig,
    end: usize,
    times: u64,
    mut change: impl FnMut(&Ltp) -> Option<Edit> + 'static,
) -> Rc<Cell<u64>> {
    let done = Rc::new(Cell::new(0));
    let seen = done.clone();
    rig.relay(end).edit(move |_, ltp| {
        if seen.get() == times {
            return Edit::Keep;
        }
        change(ltp).map_or(Edit::Keep, |edit| {
            seen.set(seen.get() + 1);
            edit
        })
    });
    done
}

/// Runs until `done` has come to `times`, then some more, and everything must have arrived.
fn settle(rig: &mut Rig, done: &Cell<u64>, times: u64, what: &str) {
    assert!(rig.run_until(60_000, |_| done.get() == times).is_some(), "{what}: {} of {times}", done.get());
    rig.run(1_000);
    rig.come_up(what);
    rig.drain(what);
    assert_eq!(rig.ends[0].lost + rig.ends[1].lost, 0, "{what}");
}

fn corrupt_one(rig: &mut Rig, end: usize) {
    let done = change(rig, end, 1, |ltp| ltp.null().is_none().then_some(Edit::Corrupt));
    settle(rig, &done, 1, "one bad LTP");
}

#[test]
fn bit_errors_in_an_ltp() {
    let mut rig = relayed();
    corrupt_one(&mut rig, 0);
    use LinkCounter::{LateBeats, Replayed, RetryRx, RetryTx, RxBad, RxTossed};
    assert_eq!(counts(&mut rig, 1, &[RxBad, RetryTx]), [1, 1]);
    assert!(rig.count(1, RxTossed) > 2 && rig.count(1, LateBeats) > 8);
    assert_eq!(counts(&mut rig, 0, &[RetryRx, RxBad]), [1, 0]);
    assert!(rig.count(0, Replayed) > 2);
    // The lane is named: word 7 of the LTP was wrong, one lane only.
    let errors: u64 = (0..4).map(|lane| rig.read(1, LANE + 8 * lane) & 0xFFFF_FFFF).sum();
    assert_eq!(errors, 1, "LANE_ERR");
}

/// Register INJECT.
fn injection(lanes: u64, first: u64, words: u64, mask: u64, ltps: u64) -> u64 {
    lanes
        | first << inject::first::LOW
        | words << inject::words::LOW
        | mask << inject::xor_mask::LOW
        | ltps << inject::ltps::LOW
        | 1 << inject::go::LOW
}

#[test]
fn errors_on_request_of_a_register() {
    for (what, program, lanes) in [("four lanes", wide(), 4), ("one lane", narrow(), 1)] {
        let mut rig = Rig::up(program, seed(0x10_8C), 0.9);
        rig.run(500);
        let mut bad = 0;
        // Lanes, first word, words, mask, LTPs; bad LTPs that come of it; lane that is charged.
        let cases = [
            (1 << (lanes - 1), 0, 33, 1, 1, 1, Some(lanes - 1)),
            (0xF, 7, 1, 0x8001, 3, 3, None),
            (0xF, 32, 1, 1 << 31, 2, 2, None),
            (0xF, 40, 5, 1, 4, 0, None),
            (0, 0, 33, 1, 4, 0, None),
            (0xF, 0, 33, 0, 4, 0, None),
        ];
        for (on, first, words, mask, ltps, expected, lane) in cases {
            let errors = |rig: &mut Rig| [0, 1, 2, 3].map(|lane| rig.read(1, LANE + 8 * lane) & 0xFFFF_FFFF);
            let before = errors(&mut rig);
            rig.write(0, INJECT, injection(on, first, words, mask, ltps));
            rig.run(1_500);
            rig.write(0, INJECT, 0);
            bad += expected;
            let case = format!("{what}: lanes {on}, {words} words from {first}, {ltps} LTPs");
            assert_eq!(rig.count(1, LinkCounter::RxBad), bad, "{case}");
            if let (Some(lane), true) = (lane, lanes > 1) {
                let mut expected = before;
                expected[lane] += 1;
                assert_eq!(errors(&mut rig), expected, "{case}: LANE_ERR");
            }
        }
        assert_eq!(rig.count(0, LinkCounter::RxBad), 0, "{what}: the other direction");
        rig.come_up(what);
        rig.drain(what);
        assert_eq!(rig.ends[0].lost + rig.ends[1].lost, 0);
    }
}

#[test]
fn a_retry_request_pair_that_is_lost() {
    let mut rig = relayed();
    // End 0 sends a bad LTP; the RetryReq pair of end 1 is lost whole.
    let lost = change(&mut rig, 1, 2, |ltp| {
        matches!(content(ltp), Some(Control::RetryReq { .. })).then_some(Edit::Corrupt)
    });
    let done = change(&mut rig, 0, 1, |ltp| ltp.null().is_none().then_some(Edit::Corrupt));
    settle(&mut rig, &done, 1, "RetryReq lost");
    assert_eq!(lost.get(), 2);
    use LinkCounter::{Freeze, RetryTx};
    assert_eq!(rig.count(0, Freeze), 1, "two consecutive bad LTPs at the receiver of the pair");
    assert!(rig.count(1, RetryTx) >= 2, "asked again");
}

#[test]
fn a_retry_marker_pair_that_is_lost() {
    let mut rig = relayed();
    let before = rig.count(1, LinkCounter::RetryTx);
    let (mut bad, mut markers) = (0, 0);
    let done = change(&mut rig, 0, 3, move |ltp| match content(ltp) {
        None if bad == 0 => {
            bad += 1;
            Some(Edit::Corrupt)
        }
        Some(Control::RetryMrkr { .. }) if markers < 2 => {
            markers += 1;
            Some(Edit::Corrupt)
        }
        _ => None,
    });
    settle(&mut rig, &done, 3, "RetryMrkr lost");
    let asked = rig.count(1, LinkCounter::RetryTx) - before;
    assert!(asked >= 2, "asked {asked} times");
}

#[test]
fn a_stale_request_and_a_duplicate_replay() {
    let mut rig = relayed();
    let before = counts(&mut rig, 0, &[LinkCounter::RxDup, LinkCounter::UnexpMrkr]);
    // Two fillers of end 0's pad become a RetryReq pair for what end 0 has just had.
    let next = Rc::new(Cell::new(0u64));
    let (now, mut first) = (next.clone(), None);
    let done = change(&mut rig, 0, 2, move |ltp| {
        is_filler(ltp).then(|| {
            let half = if first.is_none() { Half::First } else { Half::Second };
            let next_rx_ltp = first.get_or_insert(now.get() as u16).wrapping_sub(2);
            null(Control::RetryReq { half, next_rx_ltp })
        })
    });
    let asked = rig.run_until(60_000, |rig| {
        next.set(rig.block.peek("near.receive.next_rx"));
        done.get() == 2
    });
    assert!(asked.is_some());
    rig.run(2_000);
    rig.come_up("stale request");
    rig.drain("stale request");
    let after = counts(&mut rig, 0, &[LinkCounter::RxDup, LinkCounter::UnexpMrkr]);
    let asked = rig.count(1, LinkCounter::RetryRx);
    assert!(asked >= 1, "end 1 was asked");
    assert!(after[0] > before[0], "RX_DUP {before:?} {after:?}");
    assert!(after[1] > before[1], "UNEXP_MRKR {before:?} {after:?}");
    assert_eq!(rig.ends[0].lost + rig.ends[1].lost, 0);
}

#[test]
fn a_sequence_gap() {
    let mut rig = relayed();
    let (mut bad, mut shown) = (0, 0);
    let done = change(&mut rig, 0, 3, move |ltp| match content(ltp) {
        None if bad == 0 => {
            bad += 1;
            Some(Edit::Corrupt)
        }
        Some(Control::RetryMrkr { half, first_replayed, next_write_ltp }) if shown < 2 => {
            shown += 1;
            let first_replayed = first_replayed.wrapping_add(2);
            Some(null(Control::RetryMrkr { half, first_replayed, next_write_ltp }))
        }
        _ => None,
    });
    settle(&mut rig, &done, 3, "gap");
    use LinkCounter::{Reinit, RxGap};
    // A second LTP may come before training takes its step.
    assert!((1..=2).contains(&rig.count(1, RxGap)));
    assert_eq!((rig.count(0, Reinit), rig.count(1, Reinit)), (1, 1));
    assert_eq!(rig.read(1, EVENT) >> event::gap::LOW & 1, 1);
}

#[test]
fn a_pointer_out_of_range() {
    let mut rig = relayed();
    let wrong = |ltp: &Ltp| match content(ltp) {
        Some(Control::RetryReq { half, next_rx_ltp }) => {
            Some(null(Control::RetryReq { half, next_rx_ltp: next_rx_ltp.wrapping_sub(200) }))
        }
        _ => None,
    };
    let shown = change(&mut rig, 1, 2, wrong);
    let done = change(&mut rig, 0, 1, |ltp| ltp.null().is_none().then_some(Edit::Corrupt));
    settle(&mut rig, &done, 1, "pointer");
    assert_eq!(shown.get(), 2);
    assert_eq!(rig.count(0, LinkCounter::BadPointer), 1);
    assert_eq!((rig.count(0, LinkCounter::Reinit), rig.count(1, LinkCounter::Reinit)), (1, 1));
    assert_eq!(rig.read(0, EVENT) >> event::gap::LOW & 1, 1);
    assert_eq!(rig.read(0, EVENT) >> event::retry_limit::LOW & 1, 0);
}

#[test]
fn a_null_ltp_of_unknown_kind() {
    let mut rig = relayed();
    let done = change(&mut rig, 0, 5, |ltp| {
        is_filler(ltp)
            .then(|| null(Control::Retrain { kind: 9, half: Half::First, fresh: false, next_rx_ltp: 77 }))
    });
    settle(&mut rig, &done, 5, "unknown kind");
    assert_eq!(rig.count(1, LinkCounter::IllegalNull), 5);
    assert_eq!(counts(&mut rig, 1, &[LinkCounter::RxBad, LinkCounter::Reinit]), [0, 0]);
}

#[test]
fn a_null_ltp_that_is_no_second_of_a_marker() {
    let mut rig = relayed();
    let (mut bad, mut shown) = (0, 0);
    let done = change(&mut rig, 0, 2, move |ltp| match content(ltp) {
        None if bad == 0 => {
            bad += 1;
            Some(Edit::Corrupt)
        }
        Some(Control::RetryMrkr { half: Half::Second, .. }) if shown == 0 => {
            shown += 1;
            Some(null(Control::Retrain { kind: 9, half: Half::First, fresh: false, next_rx_ltp: 77 }))
        }
        _ => None,
    });
    settle(&mut rig, &done, 2, "no second of a marker");
    use LinkCounter::{IllegalNull, Reinit, RetryTx};
    assert_eq!(counts(&mut rig, 1, &[IllegalNull, Reinit, RetryTx]), [1, 0, 1], "taken for it");
}

#[test]
fn an_undefined_opcode_in_a_good_ltp() {
    let mut rig = relayed();
    rig.allows_idle = true;
    let done = change(&mut rig, 0, 4, |ltp| {
        let is_body = |flit: &Flit| flit.bits() >> 64 == 1;
        (is_body(&ltp.flits[2]) && is_body(&ltp.flits[3])).then(|| {
            let mut changed = *ltp;
            changed.flits[3] = Flit::from_bits(0x31 << 56 | 5).expect("65 bits");
            Edit::Replace(Box::new(changed))
        })
    });
    settle(&mut rig, &done, 4, "undefined opcode");
    assert_eq!(rig.count(1, LinkCounter::IllegalFlit), 4);
    assert_eq!(rig.idle_flits, 4, "each became Idle");
    assert_eq!(rig.count(1, LinkCounter::RxBad), 0);
}

#[test]
fn illegal_flits_offered_for_sending() {
    let mut rig = Rig::up(wide(), seed(0x10_83), 0.0);
    let (valid, data) = (rig.block.handle("flits_in[0].valid"), rig.block.handle("flits_in[0].data"));
    let ready = rig.block.handle("flits_in[0].ready");
    // Slot 0 a Null opcode, slot 1 ForceIdle: the beat goes, slot 0 as Idle.
    let beat = [0x22 << 56, 0x02 << 57, 0];
    rig.block.instance.set(valid, 1);
    rig.block.instance.set_words(data, &beat);
    while rig.block.instance.get(ready) == 0 {
        rig.block.instance.set(valid, 1);
        rig.block.instance.set_words(data, &beat);
        rig.block.step();
    }
    rig.block.step();
    rig.block.instance.set(valid, 0);
    let (out, found) = (rig.block.handle("flits_out[1].valid"), rig.block.handle("flits_out[1].data"));
    let came = (0..100).find(|_| {
        let here = rig.block.instance.get(out) == 1;
        if !here {
            rig.block.step();
        }
        here
    });
    assert!(came.is_some(), "the beat comes");
    assert_eq!(rig.block.instance.words(found), [0, 0x02 << 57, 0]);
    rig.block.step();
    assert_eq!(rig.count(0, LinkCounter::TxIllegal), 1);
}

#[test]
fn a_word_slip() {
    let mut rig = relayed();
    rig.relay(0).slip = Some(2);
    rig.run(1_500);
    rig.come_up("slip");
    rig.drain("slip");
    use LinkCounter::{Reinit, RxBad};
    assert!(rig.count(1, RxBad) >= 8, "BAD_RUN");
    assert_eq!((rig.count(0, Reinit), rig.count(1, Reinit)), (1, 1));
    assert_eq!([rig.state(0), rig.state(1)], [LinkState::Active; 2]);
    assert_eq!(rig.ends[0].lost + rig.ends[1].lost, 0);
}

/// The peer's start row is sent once; without it the receiver takes no LTP, good or bad.
#[test]
fn a_start_row_that_is_lost() {
    for (what, program) in [("four lanes", short()), ("one lane", narrow())] {
        let mut rig = Rig::up_relayed(program, seed(0x10_8F), 0.9);
        rig.run(1_500);
        rig.relay(0).slip = Some(0);
        rig.relay(0).corrupt_start = true;
        rig.run_until(5_000, |rig| !rig.relay(0).corrupt_start).expect("a start row");
        let clocks = rig.come_up(what);
        rig.drain(what);
        println!("{what}: up {clocks} clocks behind the start row that was lost");
        let ltp_clocks = (BITS_1056 / WORD_BITS / program.lanes) as u64;
        assert!(clocks > u64::from(INIT_SILENCE_LTPS) * ltp_clocks, "{what}: {clocks}, by the rule of Init");
        use LinkCounter::{LostOnReset, Reinit};
        for end in 0..2 {
            assert_eq!(rig.count(end, Reinit), 1, "{what}: Retraining out of Active");
            assert_eq!((rig.count(end, LostOnReset), rig.ends[end].lost), (0, 0), "{what}");
        }
    }
}

#[test]
fn a_lane_that_dies() {
    let mut rig = Rig::up(wide(), seed(0x10_84), 0.9);
    rig.run(1_000);
    rig.set("alive[0]", 0b1011);
    rig.set("signal_ok[1]", 0b1011);
    rig.run(200);
    assert!(!rig.is_up(0) || !rig.is_up(1), "Retraining");
    rig.come_up("a dead lane");
    rig.run(3_000);
    rig.drain("a dead lane");
    assert_eq!(rig.widths(0), (3, 4));
    assert_eq!(rig.widths(1), (4, 3));
    assert_eq!(rig.state(1), LinkState::Degraded);
    assert_eq!((rig.count(0, LinkCounter::Reinit), rig.count(1, LinkCounter::Reinit)), (1, 1));
    assert_eq!(rig.ends[0].lost + rig.ends[1].lost, 0);
}

#[test]
fn a_lane_that_stops_without_a_word_from_the_phy() {
    let mut rig = Rig::up(wide(), seed(0x10_85), 0.9);
    rig.run(1_000);
    rig.set("alive[1]", 0b0111);
    rig.run(500);
    rig.come_up("a silent lane");
    rig.drain("a silent lane");
    assert!(rig.count(0, LinkCounter::DeskewLost) >= 1);
    assert_eq!(rig.widths(0), (4, 3));
    assert_eq!(rig.ends[0].lost + rig.ends[1].lost, 0);
}

#[test]
fn errors_of_the_replay_ram() {
    let mut rig = Rig::up(wide(), seed(0x10_86), 0.9);
    rig.write(0, RETRY_CFG, retry_config(2, 2));
    rig.run(500);
    // From here on slots are kept with wrong parity; one bad LTP makes end 0 send them again.
    rig.set("damage[0]", 1);
    rig.run(400);
    rig.noise[0] = Noise { bit: 0.5, lanes: 1, ..Noise::default() };
    rig.run(3);
    rig.noise[0] = Noise::default();
    rig.run(4_000);
    rig.set("damage[0]", 0);
    rig.run(4_000);
    rig.come_up("parity");
    rig.drain("parity");
    assert!(rig.count(0, LinkCounter::ReplayParity) >= 4, "found again at each replay");
    assert!(rig.count(0, LinkCounter::LostOnReset) > 0, "Down, fresh: the loss is reported");
    let events = rig.read(0, EVENT);
    for (name, bit) in [
        ("parity", event::parity::LOW),
        ("lost", event::lost::LOW),
        ("down", event::down::LOW),
        ("retrain", event::retrain::LOW),
    ] {
        assert_eq!(events >> bit & 1, 1, "event {name}");
    }
    assert!(rig.ends[1].lost > 0, "what was lost is lost at the receiver");
}

fn retry_config(limit: u64, reinit: u64) -> u64 {
    limit | reinit << retry_cfg::reinit_limit::LOW | 8 << retry_cfg::bad_run::LOW
}

/// Every replay of end 0 is broken on the line; `answered` says whether end 1's requests come through.
fn limits(answered: bool) -> Rig {
    let mut rig = relayed();
    for end in 0..2 {
        rig.write(end, RETRY_CFG, retry_config(3, 2) & !(0xFF << retry_cfg::bad_run::LOW));
    }
    rig.relay(0).edit(|_, ltp| if ltp.null().is_none() { Edit::Corrupt } else { Edit::Keep });
    if !answered {
        rig.relay(1).edit(|_, ltp| match content(ltp) {
            Some(Control::RetryReq { .. }) => Edit::Corrupt,
            _ => Edit::Keep,
        });
    }
    let went_down =
        rig.run_until(200_000, |rig| rig.state(0) == LinkState::Down || rig.state(1) == LinkState::Down);
    assert!(went_down.is_some(), "answered {answered}: REINIT_LIMIT leads to Down");
    rig.relay(0).leave();
    rig.relay(1).leave();
    rig.run(500);
    rig.come_up("after Down");
    rig.drain("after Down");
    rig
}

#[test]
fn retry_and_reinit_limits() {
    for answered in [true, false] {
        let mut rig = limits(answered);
        let events = [rig.read(0, EVENT), rig.read(1, EVENT)];
        let any = events[0] | events[1];
        assert_eq!(any >> event::retry_limit::LOW & 1, 1, "RETRY_LIMIT {events:x?}");
        assert_eq!(any >> event::down::LOW & 1, 1, "{events:x?}");
        assert!(rig.count(0, LinkCounter::Reinit) >= 1);
        assert!(rig.count(0, LinkCounter::LostOnReset) > 0);
    }
}

#[test]
fn a_lane_fifo_of_the_phy() {
    let mut rig = Rig::up(wide(), seed(0x10_87), 0.9);
    rig.run(700);
    rig.pulse("elastic_error[1]");
    rig.run(300);
    rig.come_up("FIFO");
    rig.drain("FIFO");
    assert_eq!(counts(&mut rig, 1, &[LinkCounter::ElasticErr, LinkCounter::Reinit]), [1, 1]);
    assert_eq!(counts(&mut rig, 0, &[LinkCounter::ElasticErr, LinkCounter::Reinit]), [0, 1]);
    assert_eq!(rig.ends[0].lost + rig.ends[1].lost, 0);
}

#[test]
fn a_peer_that_is_reset() {
    let mut rig = Rig::up(wide(), seed(0x10_88), 0.9);
    rig.run(700);
    rig.pulse("clear[1]");
    rig.run(300);
    rig.come_up("reset");
    rig.run(2_000);
    rig.drain("reset");
    assert!(rig.count(0, LinkCounter::LostOnReset) > 0, "end 0 had LTPs under way");
    assert_eq!(rig.read(0, EVENT) >> event::lost::LOW & 1, 1);
    assert!(rig.read(0, RTT) & rtt::clocks::FIELD.ones() > 20, "the round trip is measured anew");
}

#[test]
fn bad_build_parameters_are_refused() {
    let good = PortConfig::new(2, 4, 128);
    good.check().expect("the chapter's");
    for (bad, parameter) in [
        (PortConfig { flits: 3, ..good }, "f"),
        (PortConfig { lanes: 5, ..good }, "lanes"),
        (PortConfig { lanes: 0, ..good }, "lanes"),
        (PortConfig { slots: 8, ..good }, "r"),
        (PortConfig { slots: 100, ..good }, "r"),
        (PortConfig { guard: 5, ..good }, "guard"),
        (PortConfig { mtu: 1, ..good }, "mtu"),
        (PortConfig { vls: 0, ..good }, "vls"),
        (PortConfig { training: PortConfig::new(2, 3, 128).training, ..good }, "training.lanes"),
    ] {
        let error = bad.check().expect_err(parameter);
        assert_eq!(error.parameter, parameter, "{error}");
        assert!(LinkPort2::<4, 7, 10>::new(&bad).is_err(), "{parameter}");
    }
    // A type made for something else.
    let error = LinkPort2::<4, 4, 7>::new(&good).err().expect("16 slots are not 128");
    assert_eq!(error.parameter, "SLOT_W", "{error}");
}
