//! Come-up, and flits exactly once in order, whatever the lines do.

use crate::link_port::rig::{Program, Rig};
use crate::link_port::{narrow, quad, short, wide};
use flitforge_protocol::beat::beats_per_ltp;
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::link::LinkState;
use flitforge_sim::kit::seed;
use flitforge_testkit::{is_full, Clocked, Noise};

fn all() -> [(&'static str, &'static Program); 4] {
    [
        ("four lanes, R = 128", wide()),
        ("four lanes, R = 16", short()),
        ("four lanes, F = 4", quad()),
        ("one lane, F = 1", narrow()),
    ]
}

#[test]
fn two_ports_come_up_by_themselves_and_carry_flits() {
    for (what, program) in all() {
        let mut rig = Rig::new(program, seed(0x10_80));
        rig.pace(1.0);
        rig.run(2_000);
        assert_eq!([rig.state(0), rig.state(1)], [LinkState::Down; 2], "{what}: not enabled");
        assert_eq!(rig.ends[0].sent + rig.ends[1].sent, 0, "{what}: nothing is taken in Down");
        rig.enable(0);
        rig.enable(1);
        let clocks = rig.come_up(what);
        assert_eq!([rig.state(0), rig.state(1)], [LinkState::Active; 2], "{what}");
        rig.run(5_000);
        rig.drain(what);
        println!(
            "{what}: up after {clocks} clocks, {} and {} beats",
            rig.ends[1].received, rig.ends[0].received
        );
        for end in 0..2 {
            assert!(rig.ends[end].received > 1_500, "{what}: {:?}", rig.ends[end]);
            for counter in
                [LinkCounter::RxBad, LinkCounter::RxGap, LinkCounter::Reinit, LinkCounter::RxTossed]
            {
                assert_eq!(rig.count(end, counter), 0, "{what}: {}", counter.name());
            }
        }
    }
}

/// Six rounds of noise, `scale` times as much as on four lanes, then a line without errors until everything is there.
fn through_noise(what: &str, program: &Program, seed: u64, scale: f64) -> Rig {
    let clocks = if is_full() { 2_000_000 } else { 60_000 };
    let mut rig = Rig::up(program, seed, 0.9);
    let lanes = if program.lanes == 4 { 0xF } else { 1 };
    for round in 0..6 {
        let rate = [1e-3, 3e-3, 1e-2][round % 3] * scale;
        let noise = match round % 2 {
            0 => Noise { bit: rate, lanes, ..Noise::default() },
            _ => Noise { burst: rate, code: rate / 4.0, lanes, ..Noise::default() },
        };
        rig.noise = [noise, Noise { bit: noise.bit / 2.0, ..noise }];
        rig.run(clocks / 6);
    }
    rig.noise = Default::default();
    rig.come_up(what);
    rig.drain(what);
    rig
}

/// What an end counted, printed; noise there was.
fn counted(what: &str, rig: &mut Rig, end: usize) {
    let counts = [
        LinkCounter::RxBad,
        LinkCounter::RetryTx,
        LinkCounter::Replayed,
        LinkCounter::Freeze,
        LinkCounter::Reinit,
        LinkCounter::LostOnReset,
    ]
    .map(|counter| (counter.name(), rig.count(end, counter)));
    println!("{what}, end {end}: {} beats, {counts:?}, {:?}", rig.ends[end].received, rig.ends[end]);
    assert!(counts[0].1 > 20 && counts[2].1 > 20, "{what}: {counts:?}");
}

/// An LTP takes four times as many clocks on one lane, so a quarter of the noise makes as many of them bad.
#[test]
fn flits_come_exactly_once_under_random_errors() {
    let seed = seed(0x10_81);
    println!("FLITFORGE_SEED={seed}");
    for (what, program) in all() {
        let mut rig = through_noise(what, program, seed, program.lanes as f64 / 4.0);
        for end in 0..2 {
            counted(what, &mut rig, end);
            assert_eq!(rig.ends[end].lost, 0, "{what}");
        }
    }
}

/// One LTP in three is bad in both directions: RETRY_LIMIT and REINIT_LIMIT may take the link Down, and nothing is lost
/// but at a start afresh, with LOST_ON_RESET. That nothing comes twice or altered is the rig's to say.
#[test]
fn what_is_lost_when_every_third_ltp_is_bad_is_reported() {
    let seed = seed(0x10_81);
    println!("FLITFORGE_SEED={seed}");
    let what = "one lane, F = 1, every third LTP bad";
    let mut rig = through_noise(what, narrow(), seed, 1.0);
    let mut reported = 0;
    for end in 0..2 {
        counted(what, &mut rig, end);
        reported += rig.count(end, LinkCounter::LostOnReset);
    }
    let lost = rig.ends[0].lost + rig.ends[1].lost;
    let beats = beats_per_ltp(1) as u64;
    println!("{what}: {lost} beats lost, {reported} LTPs reported");
    assert!(lost <= reported * beats, "{what}: {lost} beats of {beats} per LTP, {reported} LTPs reported");
}
