//! Chapter 20, 4.3 to 4.9: the clocked models, rule by rule; bad input and clear first.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::support::random;
use flitforge_model::time::config::increment;
use flitforge_model::time::generator::{sync_sixteenths, GeneratorBeat};
use flitforge_model::time::inject::{LinkClock, Offer};
use flitforge_model::time::slave::{phase_difference, saturate, SampleVerdict};
use flitforge_model::time::{
    Extractor, Generator, GeneratorConfig, Injector, Servo, ServoConfig, TimeFlit, TimeHigh, TimeLow,
    TimeSource, TimeValue, TreeSelector, TreeSlave,
};
use flitforge_model::Flit;
use flitforge_protocol::flit::Opcode;
use flitforge_protocol::time::PhaseSource;
use flitforge_protocol::time_servo::ServoState;
use rand::Rng;

const INC: u64 = 0x06_6666_6666;
const WPER: u32 = 0x66_6666;

fn low(tree: u8, era: u8, nanoseconds: u64) -> TimeLow {
    TimeLow { value: TimeValue::new(nanoseconds, 0), tree, era }
}

fn high(tree: u8, era: u8, time: u32) -> TimeHigh {
    TimeHigh { time, index: 1, tree, era, quality: 0 }
}

fn flit(flit: TimeFlit) -> Flit {
    flit.encode().expect("fits")
}

#[test]
fn extraction_accounts_for_every_special_flit() {
    let mut rng = random("extract");
    let mut extract = Extractor::new(PhaseSource::Beat);
    extract.up_en = [true, false, true, false];
    let (mut special, mut markers, mut foreign) = (0u32, 0u32, 0u32);
    for _ in 0..100_000 {
        let subtype = rng.random_range(0x01..0x18u64);
        let given = match rng.random_range(0..4) {
            0 => flit(TimeFlit::Low(low(rng.random_range(0..4), 0, 5))),
            1 => flit(TimeFlit::High(high(rng.random_range(0..4), 0, 5))),
            2 => Flit::body(rng.random()),
            _ => Flit::control(Opcode::Spc, subtype << 48),
        };
        let code = if given.opcode() == Some(Opcode::Spc) { (given.data() >> 48) as u8 } else { 0xFF };
        special += u32::from(code < 0x10);
        markers += u32::from(code == 3 || code == 4);
        foreign += u32::from((0x10..0x20).contains(&code));
        let out = extract.beat(&[given], 0, rng.random());
        assert_eq!(out.marker.is_some(), code == 3 || code == 4);
        assert!(out.low.is_none_or(|low| [0, 2].contains(&low.tree)));
    }
    let counters = extract.counters;
    let counted = counters.extracted + counters.not_upstream + counters.phase_invalid + counters.unknown_sub;
    assert_eq!(counted, special - markers);
    assert!(foreign > 1000 && counters.phase_invalid > 1000 && counters.unknown_sub > 1000, "{counters:?}");
}

#[test]
fn extraction_corrects_lows_only() {
    let mut extract = Extractor::new(PhaseSource::None);
    (extract.up_en, extract.rx_corr) = ([true; 4], -3);
    let pair = [flit(TimeFlit::Low(low(0, 0, 100))), flit(TimeFlit::High(high(0, 0, 7)))];
    let out = extract.beat(&pair, 0x29A, false);
    assert_eq!(out.low.expect("NONE needs no phase").value, TimeValue::from_sixteenths(1600 + 42 - 3));
    assert_eq!(out.high, Some(high(0, 0, 7)));
}

fn sent(offer: Offer) -> Option<TimeLow> {
    match offer {
        Offer::Sent(beat) | Offer::Dropped(beat) | Offer::Waiting(beat) => match beat.first {
            TimeFlit::Low(low) => Some(low),
            _ => None,
        },
        Offer::Nothing => None,
    }
}

/// A clock without tx lag.
fn step(inject: &mut Injector, link: LinkClock) -> Offer {
    inject.clock(WPER, 0, link).0
}

#[test]
fn a_closed_link_drops_or_delays() {
    let mut inject = Injector::default();
    inject.low(low(0, 0, 1000), 0, 0);
    assert!(matches!(step(&mut inject, LinkClock::Closed), Offer::Dropped(_)));
    assert_eq!(step(&mut inject, LinkClock::Takes), Offer::Nothing);
    assert_eq!((inject.counters.injected, inject.counters.advanced), (1, 0));

    inject.advance = true;
    inject.low(low(0, 0, 1000), 0, 0);
    // It is stored in the clock after it came.
    let waits = |_| matches!(step(&mut inject, LinkClock::Closed), Offer::Waiting(_));
    let offers: Vec<bool> = (0..9).map(waits).collect();
    assert_eq!(offers, [true, false, true, true, true, true, true, true, true]);
    let offer = step(&mut inject, LinkClock::Takes);
    assert!(matches!(offer, Offer::Sent(_)));
    assert_eq!(sent(offer).expect("a Low").value.sixteenths(), 16_000 + 922, "nine clocks of 6.4 ns");
    assert_eq!((inject.counters.injected, inject.counters.advanced), (2, 1));
}

#[test]
fn waiting_ends_at_the_limit_or_with_a_newer_low() {
    let mut inject = Injector::default();
    (inject.advance, inject.tx_wait_max) = (true, 3);
    inject.low(low(2, 0, 1), 0, 0);
    let waits = |_| matches!(step(&mut inject, LinkClock::Closed), Offer::Waiting(_));
    let offers: Vec<bool> = (0..6).map(waits).collect();
    assert_eq!(offers, [true, false, true, true, false, false]);
    inject.low(low(2, 0, 2), 0, 0);
    inject.low(low(2, 0, 3), 0, 0);
    assert_eq!(sent(step(&mut inject, LinkClock::Takes)), Some(low(2, 0, 3)));
    assert_eq!(inject.counters.tx_wait_over, 2);
}

/// 4.5 reading 8: the newer High of a tree goes, that of another tree stays, and no register counts the one that went.
#[test]
fn a_newer_high_replaces_one_that_waits() {
    let mut inject = Injector::default();
    [high(1, 0, 1), high(1, 0, 2), high(3, 0, 1)].into_iter().for_each(|high| inject.high(high));
    let mut highs = vec![];
    for _ in 0..20 {
        if let Offer::Sent(beat) = step(&mut inject, LinkClock::Takes) {
            highs.push(beat.first);
        }
    }
    assert_eq!(highs, [high(1, 0, 2), high(3, 0, 1)].map(TimeFlit::High));
    assert_eq!((inject.highs_replaced, inject.counters.injected, inject.counters.tx_wait_over), (1, 2, 0));
}

/// What goes out of an injector that waits for nothing, with the clock.
fn order(inject: &mut Injector) -> Vec<(u32, u8, bool)> {
    let mut order = vec![];
    for clock in 0..20 {
        if let Offer::Sent(beat) = step(inject, LinkClock::Takes) {
            order.push((clock, beat.first.subtype().code(), beat.second.is_some()));
        }
    }
    order
}

#[test]
fn injection_keeps_the_order_of_the_chapter() {
    let mut inject = Injector::default();
    inject.high(high(3, 0, 1));
    inject.high(high(1, 0, 1));
    inject.marker(TimeFlit::DelayReq { tag: 1 });
    inject.marker(TimeFlit::DelayResp { turnaround: 0, tag: 2, phase_valid: true, locked: true });
    inject.low(low(2, 0, 5), 0, 0);
    inject.low(low(1, 0, 5), 0, 0);
    // What waited after a beat follows two clocks later.
    let lows = [(0, 1, false), (2, 1, false)];
    let expected = [&lows[..], &[(4, 4, false), (6, 3, false), (8, 2, false), (10, 2, false)]].concat();
    assert_eq!(order(&mut inject), expected);
    assert_eq!(inject.counters.injected, 4, "two Lows, two Highs, no markers");
}

#[test]
fn a_low_that_waits_takes_its_high_along() {
    for pairs in [true, false] {
        let mut inject = Injector::default();
        (inject.advance, inject.pairs) = (true, pairs);
        inject.high(high(1, 0, 1));
        inject.low(low(1, 0, 5), 0, 0);
        (0..2).for_each(|_| assert!(!matches!(step(&mut inject, LinkClock::Closed), Offer::Sent(_))));
        let expected = if pairs { vec![(0, 1, true)] } else { vec![(0, 1, false), (2, 2, false)] };
        assert_eq!(order(&mut inject), expected, "a beat of one flit has no room for the High");
    }
}

#[test]
fn a_new_low_needs_no_rest() {
    let mut inject = Injector::default();
    inject.low(low(1, 0, 1), 0, 0);
    inject.low(low(0, 0, 1), 0, 0);
    assert_eq!(sent(step(&mut inject, LinkClock::Takes)), Some(low(0, 0, 1)));
    inject.low(low(3, 0, 1), 0, 0);
    assert_eq!(sent(step(&mut inject, LinkClock::Takes)), Some(low(3, 0, 1)), "new in the clock of rest");
    assert_eq!(step(&mut inject, LinkClock::Takes), Offer::Nothing);
    let late = sent(step(&mut inject, LinkClock::Takes)).expect("the Low of tree 1");
    assert_eq!(late.value.sixteenths(), 16 + 307, "three clocks of 6.4 ns");
}

#[test]
fn a_link_that_must_be_measured_again_sends_no_time() {
    let mut inject = Injector::default();
    inject.hold = true;
    inject.low(low(0, 0, 5), 0, 0);
    inject.high(high(0, 0, 5));
    inject.marker(TimeFlit::DelayReq { tag: 9 });
    assert_eq!(step(&mut inject, LinkClock::Takes), Offer::Nothing);
    let Offer::Sent(beat) = step(&mut inject, LinkClock::Takes) else { panic!("the marker goes") };
    assert_eq!((beat.first, inject.counters.epoch_hold), (TimeFlit::DelayReq { tag: 9 }, 2));
    inject.marker(TimeFlit::DelayReq { tag: 9 });
    inject.clear();
    assert_eq!(order(&mut inject), []);
}

/// WPER moves with the servo: what counts is its sum over the clocks waited.
#[test]
fn a_wait_is_the_sum_of_the_periods_it_lasted() {
    let mut inject = Injector::default();
    inject.advance = true;
    inject.low(low(0, 0, 0), 0, 0);
    for wper in [0x60_0000, 0x70_0000, 0x68_0000] {
        inject.clock(wper, 0, LinkClock::Closed);
    }
    let value = sent(inject.clock(0, 0x29A, LinkClock::Takes).0).expect("a Low").value;
    // 6 + 7 + 6.5 ns and a lag of 2.6 ns, rounded to 42/16 ns.
    assert_eq!(value.sixteenths(), 39 * 8 + 42);
}

#[test]
fn the_correction_of_a_wait_stays_within_its_bound() {
    let mut rng = random("advance");
    for _ in 0..100_000 {
        let (waited, lag) = (rng.random_range(0..4096u64), rng.random_range(-20_000..20_000));
        let start = TimeValue::from_sixteenths(rng.random());
        let moved = start.offered(waited, WPER, lag).sixteenths().wrapping_sub(start.sixteenths()) << 20;
        // In 2^-20 of 1/16 ns: 1/32 ns each for wait and lag, and w * 2^-20 ns for the cut period.
        let exact = ((i128::from(waited) * 64 * 16) << 40) / 10 + (i128::from(lag) << 36);
        let error = (((i128::from(moved as i64) >> 20) << 40) - exact).unsigned_abs();
        assert!(error <= (1 << 40) + (u128::from(waited) << 24), "{waited} clocks, lag {lag}: {error}");
    }
}

fn generator(config: GeneratorConfig) -> Generator {
    let mut generator = Generator::new(config).expect("a good configuration");
    generator.start(2);
    generator
}

const EVERY_PERIOD: GeneratorConfig =
    GeneratorConfig { period: 1, phase: 5, high_every: 3, separate: false, tree: 1, index: 9, quality: 1 };

/// All beats a generator sends in so many periods, with the whole nanoseconds of the clock.
fn beats(generator: &mut Generator, periods: u64, ready_every: u64) -> Vec<(u64, GeneratorBeat)> {
    let mut source = TimeSource::new(increment(10_000_000)).expect("100 MHz");
    let mut found = vec![];
    for clock in 0..periods * 104_858 {
        source.clock();
        let ready = clock % ready_every == 0;
        if let Some(beat) = generator.clock(source.sync(), 0x29A, ready) {
            let low = beat.low.map(|low| low.value.sixteenths());
            let now = (sync_sixteenths(source.sync()) as u64 + 42) & ((1 << 44) - 1);
            assert!(low.is_none_or(|low| low == now), "a value is of the edge it is offered at");
            if ready {
                found.push((source.fabric_time(), beat));
            }
        }
    }
    found
}

#[test]
fn one_low_per_period_and_a_high_with_every_third() {
    let mut generator = generator(EVERY_PERIOD);
    let found = beats(&mut generator, 10, 1);
    let times: Vec<u64> = found.iter().map(|(time, _)| (time - (5 << 12)) >> 20).collect();
    // Before its phase the master counts from below zero: its first period ends at zero.
    assert_eq!(times, (0..10).collect::<Vec<_>>());
    assert!(found.iter().all(|(time, _)| (time - (5 << 12)) & 0xF_FFFF < 10), "within a clock of the phase");
    let highs: Vec<bool> = found.iter().map(|(_, beat)| beat.high.is_some()).collect();
    assert_eq!(highs, [true, false, false, true, false, false, true, false, false, true]);
    let (_, first) = found[0];
    assert_eq!((first.low.map(|low| low.era), first.high.map(|high| high.index)), (Some(2), Some(9)));
    assert_eq!(generator.counters(), (10, 4));
}

#[test]
fn a_separate_high_goes_before_its_low_and_a_busy_link_sends_no_old_value() {
    let mut generator = generator(GeneratorConfig { separate: true, ..EVERY_PERIOD });
    let found = beats(&mut generator, 3, 1000);
    let kinds: Vec<_> = found.iter().map(|(_, beat)| (beat.low.is_some(), beat.high.is_some())).collect();
    assert_eq!(kinds, [(false, true), (true, false), (true, false), (true, false)]);
}

#[test]
fn a_step_of_a_generating_master_raises_the_era_and_stopping_is_at_once() {
    let mut generator = generator(EVERY_PERIOD);
    let mut source = TimeSource::new(increment(10_000_000)).expect("100 MHz");
    generator.clock(source.sync(), 0, true);
    source.set(1 << 50);
    generator.stepped();
    assert_eq!((generator.era(), generator.clock(source.sync(), 0, true)), (3, None));
    source.advance(104_858);
    let beat = generator.clock(source.sync(), 0, false).expect("due one period after the step");
    assert!(beat.high.is_some(), "the first Low of an era has its High");
    generator.stop();
    assert_eq!(generator.clock(source.sync(), 0, true), None);
    generator.stepped();
    assert_eq!(generator.era(), 3, "only a generating master changes its era");
}

fn slave() -> TreeSlave {
    let mut slave = TreeSlave::new(8).expect("depth 8");
    slave.set_offset(0, Some(256 * 100));
    slave
}

/// SyncTime or LocalTime of so many nanoseconds.
const fn at(nanoseconds: u64) -> u128 {
    (nanoseconds as u128) << 32
}

#[test]
fn a_low_without_its_high_is_kept_but_not_used() {
    let mut slave = slave();
    assert_eq!(slave.receive_low(low(0, 0, 50), at(0), at(0)), SampleVerdict::NotFull);
    slave.receive_high(high(0, 2, 0), at(0));
    assert_eq!(slave.receive_low(low(0, 0, 50), at(0), at(0)), SampleVerdict::NotFull, "another era's High");
    slave.receive_high(high(0, 0, 0x0000_0145), at(0));
    assert_eq!(slave.receive_low(low(0, 0, 50), at(0), at(0)), SampleVerdict::NotFull, "overlap");
    assert_eq!((slave.counters.no_high, slave.counters.overlap_bad, slave.level()), (2, 1, 3));
    assert!(slave.pop().is_some_and(|sample| sample.full.is_none() && sample.error == 0));
    slave.clear();
    assert_eq!((slave.level(), slave.era(), slave.pop()), (0, None, None));
}

#[test]
fn eras_follow_the_rule() {
    let mut slave = slave();
    let give = |slave: &mut TreeSlave, era| {
        slave.receive_high(high(0, era, 0), at(0));
        slave.receive_low(low(0, era, 1000), at(0), at(1100))
    };
    let used = |new_era| SampleVerdict::Use { difference: 0, new_era };
    assert_eq!(give(&mut slave, 1), SampleVerdict::BadEra, "bank 1 is not valid");
    assert_eq!((give(&mut slave, 0), give(&mut slave, 0)), (used(false), used(false)));
    assert_eq!(give(&mut slave, 1), SampleVerdict::BadEra, "bank 1 is still not valid");
    slave.set_offset(1, Some(256 * 100));
    assert_eq!(give(&mut slave, 1), used(true));
    assert_eq!((give(&mut slave, 0), slave.era()), (SampleVerdict::OldEra, Some(1)));
    assert_eq!(give(&mut slave, 3), SampleVerdict::BadEra, "two eras ahead");
    let counters = slave.counters;
    assert_eq!((counters.ok, counters.old_era, counters.bad_era), (3, 1, 3));
}

#[test]
fn an_unread_fifo_loses_its_oldest_sample() {
    let mut slave = slave();
    slave.receive_high(high(0, 0, 0), at(0));
    for number in 0..10 {
        slave.receive_low(low(0, 0, number), at(number), at(number + 100));
    }
    assert_eq!((slave.level(), slave.counters.over), (8, 2));
    assert_eq!(slave.pop().map(|sample| (sample.full, sample.local)), Some((Some(2), at(2))));
}

#[test]
fn phase_errors_wrap_with_the_time_and_saturate() {
    let wrapped = phase_difference(u64::MAX, 0, 512, at(3));
    assert_eq!(wrapped, -512, "2 ns added to the last nanosecond, 3 ns after the wrap");
    assert_eq!(phase_difference(10, 8, 0, at(10)), 128);
    assert_eq!(saturate(phase_difference(1 << 40, 0, 0, 0)), i32::MAX);
    assert_eq!(saturate(phase_difference(0, 0, 0, at(1 << 40))), i32::MIN);
}

#[test]
fn the_first_step_crosses_any_distance() {
    let mut source = TimeSource::new(INC).expect("156.25 MHz");
    let mut servo = Servo::new(ServoConfig::new(1, INC).expect("1.05 ms"));
    for target in [1_700_000_000_000_000_000u64, u64::MAX - 5] {
        servo.clear();
        let difference = phase_difference(target, 4, 0, source.sync());
        servo.sample(&mut source, difference, false);
        assert_eq!((source.fabric_time(), source.sync() as u32), (target, 1 << 30));
    }
}

#[test]
fn trees_are_followed_by_priority_while_they_live() {
    let mut trees = TreeSelector::new([2, 0, 1, 3], [true, false, true, true], 100);
    assert_eq!(trees.sample(1), None, "not enabled");
    assert_eq!(trees.sample(3), Some(false), "the first choice is no change");
    assert_eq!((trees.sample(2), trees.sample(3)), (Some(true), None));
    trees.elapse(101);
    assert_eq!((trees.sample(3), trees.followed(), trees.changes()), (Some(true), Some(3), 2));
    assert_eq!(trees.sample(2), Some(true), "the better tree is back");
}

fn tracking() -> (Servo, TimeSource) {
    let mut source = TimeSource::new(INC).expect("156.25 MHz");
    let mut servo = Servo::new(ServoConfig::new(1, INC).expect("1.05 ms"));
    let period = u64::from(servo.config().nclk);
    let mut lock = false;
    servo.sample(&mut source, 1 << 20, false);
    assert_eq!((servo.state(), source.epoch()), (ServoState::Acquire, 1));
    for _ in 0..4 {
        servo.elapse(period);
        assert!(!lock);
        lock = servo.sample(&mut source, 0, false).lock;
    }
    assert!(lock && servo.state() == ServoState::Track);
    (servo, source)
}

#[test]
fn a_tracking_servo_never_steps_and_drops_outliers() {
    let (mut servo, mut source) = tracking();
    let epoch = source.epoch();
    for _ in 0..7 {
        servo.sample(&mut source, 0x4001, false);
    }
    servo.sample(&mut source, -0x4001, false);
    assert_eq!(
        (servo.state(), servo.outliers()),
        (ServoState::Track, 8),
        "seven of one sign, one of the other"
    );
    assert_eq!((source.epoch(), source.slew(), source.f_acc()), (epoch, (0, 0), 0));
    for _ in 0..6 {
        assert!(!servo.sample(&mut source, -0x4001, false).outlier_run);
    }
    assert!(servo.sample(&mut source, -0x4001, false).outlier_run);
    assert_eq!(servo.state(), ServoState::Acquire);

    let (mut servo, mut source) = tracking();
    servo.config_mut().step_en = false;
    let runs = (0..16).filter(|_| servo.sample(&mut source, 0x4001, false).outlier_run).count();
    assert_eq!((runs, servo.state()), (2, ServoState::Track), "without STEP_EN an event only");
}

#[test]
fn silence_leads_to_holdover_and_invalid_and_back() {
    let (mut servo, mut source) = tracking();
    let period = u64::from(servo.config().nclk);
    servo.sample(&mut source, 256, false);
    let f_acc = source.f_acc();
    assert_eq!(servo.elapse(64 * period - 1), Default::default());
    assert!(servo.elapse(1).holdover && servo.state() == ServoState::Holdover);
    assert!(servo.elapse(600 * period).invalid && servo.state() == ServoState::Invalid);
    servo.sample(&mut source, 512, false);
    assert_eq!(
        (servo.state(), source.f_acc()),
        (ServoState::Track, f_acc),
        "slews back, frequency untouched"
    );
    assert!(source.slew().1 > 0);
    servo.clear();
    assert_eq!(servo.state(), ServoState::Free);
}

#[test]
fn lost_updates_and_frozen_servos_do_not_move_the_frequency() {
    let (mut servo, mut source) = tracking();
    let period = u64::from(servo.config().nclk);
    servo.elapse(9 * period);
    servo.sample(&mut source, 1000, false);
    assert_eq!(source.f_acc(), 0, "nine periods are too long");
    servo.config_mut().freeze = true;
    servo.elapse(period);
    servo.sample(&mut source, 77, false);
    assert_eq!((source.f_acc(), servo.last_error()), (0, 77));

    let mut servo = Servo::new(*servo.config());
    servo.config_mut().freeze = false;
    servo.sample(&mut source, 0, false);
    for (periods, moves) in [(1, true), (2, true), (3, false), (4, true), (5, false), (8, true), (16, false)]
    {
        let before = source.f_acc();
        servo.elapse(periods * period);
        servo.sample(&mut source, 32_000, false);
        let gain = i64::from(servo.config().kacq);
        let expected = if moves { (32_000 * gain) >> periods.trailing_zeros() } else { 0 };
        assert_eq!(source.f_acc() - before, expected, "{periods} periods");
    }
}

#[test]
fn a_new_tree_steps_only_beyond_the_threshold() {
    let (mut servo, mut source) = tracking();
    let epoch = source.epoch();
    servo.sample(&mut source, 0x4000, true);
    assert_eq!((source.epoch(), servo.state()), (epoch, ServoState::Track));
    servo.sample(&mut source, 0x4001, true);
    assert_eq!((source.epoch(), servo.state()), (epoch + 1, ServoState::Acquire));
}
