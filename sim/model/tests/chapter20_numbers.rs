//! Chapter 20, section 9: T1, T2 and T9 with their counts, and what is refused.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::support::random;
use flitforge_model::time::config::increment;
use flitforge_model::time::link_delay::{rx_correction, LinkDelay, LinkDelayRun, RunStatus};
use flitforge_model::time::slot::SlotBits;
use flitforge_model::time::{
    join, Generator, GeneratorConfig, RingContent, RingSlot, ServoConfig, TimeConfig, TimeFlit, TimeHigh,
    TimeLow, TimeSource, TimeValue, TreeSlave,
};
use flitforge_model::Flit;
use flitforge_protocol::time::PhaseSource;
use flitforge_protocol::time_ring::Embed;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

fn random_low(rng: &mut ChaCha8Rng) -> TimeLow {
    let value = TimeValue::from_sixteenths(rng.random());
    TimeLow { value, tree: rng.random_range(0..4), era: rng.random_range(0..4) }
}

fn random_high(rng: &mut ChaCha8Rng) -> TimeHigh {
    TimeHigh {
        time: rng.random(),
        index: rng.random(),
        tree: rng.random_range(0..4),
        era: rng.random_range(0..4),
        quality: rng.random_range(0..16),
    }
}

#[test]
fn t1_a_million_flits_come_back() {
    let mut rng = random("T1 flits");
    for _ in 0..1_000_000 {
        let flit = match rng.random_range(0..4) {
            0 => TimeFlit::Low(random_low(&mut rng)),
            1 => TimeFlit::High(random_high(&mut rng)),
            2 => TimeFlit::DelayReq { tag: rng.random() },
            _ => TimeFlit::DelayResp {
                turnaround: rng.random(),
                tag: rng.random(),
                phase_valid: rng.random(),
                locked: rng.random(),
            },
        };
        assert_eq!(TimeFlit::decode(flit.encode().expect("fits")), Some(flit));
    }
}

#[test]
fn t1_a_million_slots_come_back_and_no_flipped_bit_does() {
    let mut rng = random("T1 slots");
    for number in 0..1_000_000 {
        let content = match rng.random_range(0..3) {
            0 => RingContent::Low(random_low(&mut rng)),
            1 => RingContent::High(random_high(&mut rng)),
            _ => RingContent::Token {
                target: rng.random_range(0..64),
                returning: rng.random(),
                tag: rng.random(),
                waited: rng.random(),
            },
        };
        let slot = RingSlot {
            content,
            src: rng.random_range(0..64),
            wait: rng.random_range(0..16),
            mon: rng.random(),
        };
        let embed = [Embed::Value, Embed::Flit][number % 2];
        let bits = slot.encode(embed).expect("fits");
        assert_eq!(RingSlot::decode(bits, embed), SlotBits::Occupied(slot));
        let damaged = RingSlot::decode(bits ^ 1 << rng.random_range(0..embed.slot_bits()), embed);
        let harmless = SlotBits::Occupied(RingSlot { mon: !slot.mon, ..slot });
        assert!(
            damaged == SlotBits::Damaged || damaged == SlotBits::Empty || damaged == harmless,
            "{damaged:?}"
        );
    }
}

#[test]
fn t1_values_that_do_not_fit_are_refused() {
    let low = TimeLow { value: TimeValue::new(0, 0), tree: 4, era: 0 };
    assert!(TimeFlit::Low(low).encode().expect_err("tree 4").to_string().contains("tree"));
    let high = TimeHigh { time: 0, index: 0, tree: 0, era: 0, quality: 16 };
    assert!(TimeFlit::High(high).encode().is_err());
    let token = RingContent::Token { target: 64, returning: false, tag: 0, waited: 0 };
    assert!(RingSlot::new(token, 0, 0).encode(Embed::Value).is_err());
    assert!(RingSlot::new(RingContent::Low(TimeLow { tree: 0, ..low }), 0, 16).encode(Embed::Value).is_err());
    assert_eq!(TimeFlit::decode(Flit::IDLE), None);
    assert_eq!(RingSlot::decode(0, Embed::Value), SlotBits::Empty);
}

/// T2's reference: sums of products from the last write on, in 128 bits, instead of one addition per clock.
struct Reference {
    base: u128,
    clocks: u64,
    increment: u64,
    f_acc: i64,
    slew: (i64, u32),
}

impl Reference {
    fn sync(&self) -> u128 {
        let clocks = i128::from(self.clocks);
        let slewed = i128::from(self.clocks.min(self.slew.1.into()));
        let sum = clocks * i128::from(self.increment)
            + clocks * i128::from(self.f_acc.div_euclid(1 << 16))
            + slewed * i128::from(self.slew.0);
        (self.base as i128 + sum).rem_euclid(1 << 96) as u128
    }
}

#[test]
fn t2_time_source_equals_big_integers_over_ten_million_clocks_with_random_writes() {
    let mut rng = random("T2");
    let mut source = TimeSource::new(increment(6_400_000)).expect("156.25 MHz");
    source.set(u64::MAX - 3_000_000); // so that the counter wraps on the way
    let mut reference =
        Reference { base: source.sync(), clocks: 0, increment: source.inc_nom(), f_acc: 0, slew: (0, 0) };
    let (mut epoch, mut steps, mut last) = (source.epoch(), 1u32, source.sync());
    for clock in 0..10_000_000u64 {
        source.clock();
        reference.clocks += 1;
        let (now, wrapped) = (source.sync(), last >> 95 == 1 && source.sync() >> 95 == 0);
        assert!(now > last || wrapped, "clock {clock}: SyncTime ran backward");
        if rng.random_range(0..200) == 0 {
            assert_eq!(now, reference.sync(), "clock {clock}");
            match rng.random_range(0..4) {
                0 => source.write_f_acc(rng.random_range(-1 << 42..1 << 42)),
                1 => source.write_slew(rng.random_range(-1 << 26..1 << 26), rng.random_range(0..400)),
                2 => assert!(source.write_limits(source.inc_nom(), 0).is_err()),
                _ => {
                    source.step(rng.random_range(-1 << 60..1 << 60));
                    (epoch, steps) = (epoch.wrapping_add(1), steps + 1);
                }
            }
            reference = Reference {
                base: source.sync(),
                clocks: 0,
                f_acc: source.f_acc(),
                slew: source.slew(),
                ..reference
            };
        }
        assert_eq!(source.epoch(), epoch, "clock {clock}");
        last = source.sync();
    }
    assert_eq!(source.local(), 10_000_000 * u128::from(source.inc_nom()), "LocalTime is never written");
    let (counted, clamps, refused) = source.counters();
    assert!(counted == steps && clamps > 1000 && refused > 1000, "{counted} {clamps} {refused}");
}

#[test]
fn t2_many_clocks_at_once_are_the_same_as_one_by_one() {
    let mut rng = random("T2 advance");
    let mut one = TimeSource::new(increment(6_400_000)).expect("156.25 MHz");
    one.write_f_acc(-12_345_678_901);
    for _ in 0..1000 {
        one.write_slew(rng.random_range(-1 << 22..1 << 22), rng.random_range(0..300));
        let mut many = one.clone();
        let clocks = rng.random_range(0..500);
        let ahead = one.sync_after(clocks);
        (0..clocks).for_each(|_| one.clock());
        many.advance(clocks);
        assert_eq!((&one, one.sync()), (&many, ahead));
    }
}

#[test]
fn t2_clear_gives_zero_and_keeps_the_configuration() {
    let mut source = TimeSource::new(increment(6_400_000)).expect("156.25 MHz");
    source.write_limits(1 << 20, 1 << 21).expect("small limits");
    source.write_f_acc(i64::MAX);
    source.write_slew(i64::MIN, 9);
    source.set(77);
    source.clear();
    assert_eq!((source.local(), source.sync(), source.f_acc(), source.epoch()), (0, 0, 0, 0));
    source.write_f_acc(i64::MAX);
    assert_eq!(source.f_acc(), 1 << 36, "F_LIMIT is still there");
    assert_eq!(source.counters(), (1, 3, 0));
}

/// T9's reference: the whole 64-bit time is known; a High was sent `age` before the Low.
#[test]
fn t9_join_equals_the_full_time_over_ten_million_cases() {
    let mut rng = random("T9");
    let corner = |rng: &mut ChaCha8Rng| -> u64 {
        let around = rng.random_range(-2_000_000i64..2_000_000) as u64;
        match rng.random_range(0..4) {
            0 => around,                                           // 2^64
            1 => (rng.random::<u64>() << 40).wrapping_add(around), // 2^40
            2 => (rng.random::<u64>() << 32).wrapping_add(around), // the overlap byte
            _ => rng.random(),
        }
    };
    let (mut joined, mut refused) = (0u64, 0u64);
    for case in 0..10_000_000u64 {
        let time = corner(&mut rng);
        let age = match rng.random_range(0..3) {
            0 => rng.random_range(0..2_000_000_000),
            1 => rng.random_range(0..12_000_000_000),
            _ => rng.random_range(0..900_000_000_000),
        };
        let sent = time.wrapping_sub(age);
        // The local clock is up to 200 ppm off, which stays below the slack of 1 ms for 5 s.
        let measured =
            (age as i64 + rng.random_range(-1..=1) * (age.min(4_900_000_000) as i64 / 5000)) as u64;
        let high = (sent >> 32) as u32;
        assert_eq!(
            join(high, measured, time & 0xFF_FFFF_FFFF),
            Some(time),
            "case {case}: {time:X}, age {age}"
        );
        // A lost High: the last one is older than its age says by whole multiples of 2^32 ns.
        let older = high.wrapping_sub(rng.random_range(2..200));
        joined += 1;
        refused += u64::from(join(older, measured.min(1 << 31), time & 0xFF_FFFF_FFFF).is_none());
    }
    println!("T9: {joined} joined, {refused} of as many wrong pairs refused");
    assert_eq!(joined, 10_000_000);
    assert!(refused > 9_000_000, "only {refused} wrong pairs were refused");
}

#[test]
fn impossible_parameters_are_refused_with_the_reason() {
    let good = TimeConfig::default();
    good.check().expect("the defaults");
    let cases: Vec<(&str, TimeConfig)> = vec![
        ("N_STOPS", TimeConfig { stops: 3, ..good.clone() }),
        ("N_STOPS", TimeConfig { stops: 65, ..good.clone() }),
        ("S", TimeConfig { hop_registers: 3, ..good.clone() }),
        ("M", TimeConfig { ring_ratio: (3, 2), ..good.clone() }),
        ("M", TimeConfig { ring_ratio: (5, 1), ..good.clone() }),
        ("M", TimeConfig { ring_ratio: (1, 0), ..good.clone() }),
        ("N_TREES", TimeConfig { trees: 5, ..good.clone() }),
        ("RING_WAIT_MAX", TimeConfig { ring_wait_max: 16, ..good.clone() }),
        ("FIFO_DEPTH", TimeConfig { fifo_depth: 65, ..good.clone() }),
        ("K", TimeConfig { ldm_rounds_log2: 9, ..good.clone() }),
        ("INC_NOM", TimeConfig { inc_nom: 0, ..good.clone() }),
        (
            "F_LIMIT + SLEW_LIMIT",
            TimeConfig { limits: (u32::MAX.into(), u32::MAX.into()), inc_nom: 1 << 32, ..good.clone() },
        ),
        ("GEN_PERIOD", TimeConfig { gen_period: 4096, ..good.clone() }),
        ("HIGH_EVERY", TimeConfig { high_every: 0, ..good.clone() }),
        ("HIGH_EVERY", TimeConfig { high_every: 41, ..good.clone() }),
        ("PHASE_SRC", TimeConfig { word_period_fs: 6_400_000, ..good.clone() }),
        ("PHASE_SRC", TimeConfig { word_period_fs: 4_803_000, ..good.clone() }),
    ];
    for (parameter, config) in cases {
        let refusal = config.check().expect_err(parameter);
        assert_eq!(refusal.parameter, parameter, "{refusal}");
        assert!(refusal.to_string().contains("expected"));
    }
    // The same periods are no obstacle to the other phase sources, and one High per Low needs no limit.
    for phase_source in [PhaseSource::None, PhaseSource::Ddmtd, PhaseSource::Phy] {
        TimeConfig { word_period_fs: 6_400_000, phase_source, ..good.clone() }
            .check()
            .expect("no beat needed");
    }
    TimeConfig { gen_period: 4095, high_every: 1, ..good }.check().expect("every Low has its High");
}

#[test]
fn blocks_refuse_what_their_registers_cannot_hold() {
    assert!(TimeSource::new(0).is_err() && TimeSource::new(1 << 38).is_err());
    assert!(TreeSlave::new(3).is_err() && TreeSlave::new(65).is_err());
    assert!(LinkDelayRun::new(9, 1638).is_err());
    assert!(ServoConfig::new(0, increment(6_400_000)).is_err());
    assert!(ServoConfig::new(4095, 1).is_err(), "more clocks than NCLK holds");
    let config = GeneratorConfig {
        period: 4095,
        phase: 0,
        high_every: 10,
        separate: false,
        tree: 0,
        index: 0,
        quality: 0,
    };
    assert!(Generator::new(config).is_err());
}

#[test]
fn link_delay_runs_void_what_a_replay_delayed() {
    let period = 1638;
    let mut run = LinkDelayRun::new(2, period).expect("K = 2");
    assert_eq!(run.round(100_000), RunStatus::Running);
    assert_eq!(run.round(100_000 + period + 1), RunStatus::Running, "void");
    assert_eq!(
        (run.round(100_003), run.round(99_998), run.voids()),
        (RunStatus::Running, RunStatus::Running, 1)
    );
    let done = RunStatus::Done(LinkDelay { mean: 100_000, min: 99_998, max: 100_003 });
    assert_eq!(run.round(99_999), done);
    assert_eq!(run.round(0), done, "a finished run does not change");

    // The delayed round comes first: the smaller ones make it void.
    let mut run = LinkDelayRun::new(1, period).expect("K = 1");
    run.round(200_000);
    run.round(100_000);
    assert_eq!(run.round(100_001), RunStatus::Done(LinkDelay { mean: 100_001, min: 100_000, max: 100_001 }));
    assert_eq!(run.voids(), 1);

    let mut dead = LinkDelayRun::new(0, period).expect("K = 0");
    assert!((0..15).all(|_| dead.void() == RunStatus::Running));
    assert_eq!((dead.void(), dead.round(1)), (RunStatus::Failed, RunStatus::Failed));
    assert_eq!((rx_correction(100_008, 100_000), rx_correction(100_000, 100_009)), (1, -1));
}
