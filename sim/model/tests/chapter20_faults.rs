//! Chapter 20, section 9, T6: every row of section 6 on the golden models, at random. Short by default; `FLITFORGE_FULL=1` makes the
//! chapter's 10^5 of each. The hardware is held to these models clock by clock, the same faults included.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::support::{count, random};
use flitforge_model::time::config::increment;
use flitforge_model::time::inject::{LinkClock, Offer};
use flitforge_model::time::ring::StopPath;
use flitforge_model::time::slave::SampleVerdict;
use flitforge_model::time::{
    DualRing, Extractor, Injector, RingContent, Servo, ServoConfig, TimeConfig, TimeFlit, TimeHigh, TimeLow,
    TimeSource, TimeValue, TreeSlave,
};
use flitforge_model::Flit;
use flitforge_protocol::flit::Opcode;
use flitforge_protocol::time::PhaseSource;
use flitforge_protocol::time_ring::RingDirection;
use flitforge_protocol::time_servo::ServoState;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// T of 6.4 ns in 1/16 ns and 2^-20 ns, and its increment.
const CLOCK_TENTHS_OF_SIXTEENTHS: u64 = 1024;
const WPER: u32 = 0x66_6666;
const INC: u64 = 0x06_6666_6666;
/// Stops of the rings that are upset.
const STOPS: u8 = 8;
/// 2^32 ns, what High and Low overlap beyond.
const OVERLAP_NS: u64 = 1 << 32;

fn times() -> u64 {
    count(2_000, 100_000)
}

fn a_low(rng: &mut ChaCha8Rng, tree: u8, era: u8) -> TimeLow {
    TimeLow { value: TimeValue::from_sixteenths(rng.random::<u64>() >> 20), tree, era }
}

fn a_high(rng: &mut ChaCha8Rng, tree: u8, era: u8) -> TimeHigh {
    TimeHigh { time: rng.random(), index: rng.random(), tree, era, quality: rng.random_range(0..16) }
}

fn flit(flit: TimeFlit) -> Flit {
    flit.encode().expect("fits")
}

/// The port takes no trees, or others than those that come.
#[test]
fn t6_time_of_a_tree_without_upstream_port_is_removed() {
    let mut rng = random("T6 not upstream");
    let mut extract = Extractor::new(PhaseSource::Beat);
    for fault in 1..=times() {
        let tree = rng.random_range(0..4u8);
        extract.up_en = std::array::from_fn(|other| other != usize::from(tree) && rng.random());
        let low = rng.random::<bool>();
        let flit = match low {
            true => flit(TimeFlit::Low(a_low(&mut rng, tree, 0))),
            false => flit(TimeFlit::High(a_high(&mut rng, tree, 0))),
        };
        let out = extract.beat(&[flit], rng.random_range(-20_000..20_000), true);
        assert_eq!((out.low, out.high, out.marker), (None, None, None));
        assert_eq!((u64::from(extract.counters.not_upstream), extract.counters.extracted), (fault, 0));
    }
}

#[test]
fn t6_a_low_without_a_phase_is_dropped_and_a_high_is_not() {
    let mut rng = random("T6 phase");
    let mut extract = Extractor::new(PhaseSource::Beat);
    extract.up_en = [true; 4];
    for fault in 1..=times() {
        let (low, high) = (a_low(&mut rng, 1, 0), a_high(&mut rng, 1, 0));
        let beat = [flit(TimeFlit::Low(low)), flit(TimeFlit::High(high))];
        let out = extract.beat(&beat, rng.random_range(-20_000..20_000), false);
        assert_eq!((out.low, out.high), (None, Some(high)));
        let counters = &extract.counters;
        assert_eq!((u64::from(counters.phase_invalid), u64::from(counters.extracted)), (fault, fault));
    }
}

#[test]
fn t6_reserved_subtypes_are_removed() {
    let mut rng = random("T6 subtypes");
    let mut extract = Extractor::new(PhaseSource::None);
    extract.up_en = [true; 4];
    for fault in 1..=times() {
        let subtype = [0u64, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15][rng.random_range(0..12)];
        let payload = rng.random::<u64>() & ((1 << 48) - 1);
        let out = extract.beat(&[Flit::control(Opcode::Spc, subtype << 48 | payload)], 0, true);
        assert_eq!((out.low, out.high, out.marker), (None, None, None), "subtype {subtype}");
        assert_eq!((u64::from(extract.counters.unknown_sub), extract.counters.extracted), (fault, 0));
    }
}

/// DROP: the value is gone, counted by the link. ADVANCE: it is late by what is added to it.
#[test]
fn t6_a_low_that_cannot_go_is_dropped_or_advanced() {
    let mut rng = random("T6 closed");
    for advance in [false, true] {
        let mut inject = Injector::default();
        inject.advance = advance;
        for fault in 1..=times() {
            let tree = rng.random_range(0..4);
            let low = a_low(&mut rng, tree, 0);
            inject.low(low, 0, 0);
            let closed = rng.random_range(1..40u64);
            let offers: Vec<Offer> =
                (0..closed).map(|_| inject.clock(WPER, 0, LinkClock::Closed).0).collect();
            let dropped = offers.iter().filter(|offer| matches!(offer, Offer::Dropped(_))).count();
            // What waits is stored in one clock and offered again from the next but one on.
            let after: Vec<(u64, Offer)> = (closed..closed + 3)
                .map(|clock| (clock, inject.clock(WPER, 0, LinkClock::Takes).0))
                .collect();
            let sent = after.iter().find_map(|(clock, offer)| match offer {
                Offer::Sent(beat) => Some((*clock, beat.first)),
                _ => None,
            });
            assert_eq!((dropped, sent.is_some()), if advance { (0, true) } else { (1, false) });
            if let Some((clock, TimeFlit::Low(late))) = sent {
                let waited = late.value.sixteenths().wrapping_sub(low.value.sixteenths()) & ((1 << 44) - 1);
                let exact = clock * CLOCK_TENTHS_OF_SIXTEENTHS;
                assert!((waited * 10).abs_diff(exact) <= 6, "{clock} clocks: {waited} / 16 ns");
            }
            let counters = &inject.counters;
            assert_eq!(u64::from(counters.injected), fault);
            assert_eq!(u64::from(counters.advanced), if advance { fault } else { 0 });
        }
    }
}

#[test]
fn t6_a_link_with_a_new_latency_sends_no_time() {
    let mut rng = random("T6 epoch");
    let mut inject = Injector::default();
    inject.hold = true;
    for fault in 1..=times() {
        let tree = rng.random_range(0..4);
        inject.low(a_low(&mut rng, tree, 0), 0, 0);
        inject.high(a_high(&mut rng, tree, 0));
        for _ in 0..3 {
            assert_eq!(inject.clock(WPER, 0, LinkClock::Takes).0, Offer::Nothing);
        }
        assert_eq!((u64::from(inject.counters.epoch_hold), inject.counters.injected), (2 * fault, 0));
    }
}

fn one_edge_per_clock() -> TimeConfig {
    TimeConfig { hop_registers: 1, ring_ratio: (1, 1), ..TimeConfig::default() }
}

/// Tree 0 from stop 0 to all others, clockwise.
fn rings() -> DualRing {
    let config = TimeConfig { stops: STOPS.into(), ..one_edge_per_clock() };
    let mut rings = DualRing::new(&config).expect("a good configuration");
    for stop in 1..STOPS {
        let path = StopPath { enabled: true, source: 0, ring: RingDirection::Clockwise };
        rings.set_path(stop, 0, path);
    }
    rings
}

/// The stops that copy, from now until the rings are empty.
fn copies(rings: &mut DualRing) -> Vec<u8> {
    let mut found = vec![];
    while !rings.is_empty() {
        found.extend(rings.ring_edge().iter().map(|copy| copy.stop));
    }
    found.extend((0..3).flat_map(|_| rings.ring_edge()).map(|copy| copy.stop));
    found
}

/// Brings a Low of tree 0, inserted at `source`, to the ring register of a random stop after it.
fn on_its_way(rings: &mut DualRing, rng: &mut ChaCha8Rng, source: u8) -> (u8, Vec<u8>) {
    let low = a_low(rng, 0, 0);
    rings.offer(source, RingContent::Low(low));
    let hops = rng.random_range(1..STOPS);
    // An edge until it is offered and one into the ring register of its own stop.
    let before = (0..hops + 2).flat_map(|_| rings.ring_edge()).map(|copy| copy.stop).collect();
    ((source + hops) % STOPS, before)
}

#[test]
fn t6_an_upset_slot_is_copied_nowhere_after_the_upset() {
    let mut rng = random("T6 upset");
    let mut rings = rings();
    let mut parity = 0;
    for _ in 0..times() {
        let (stop, before) = on_its_way(&mut rings, &mut rng, 0);
        assert!(rings.damage(stop, RingDirection::Clockwise), "the slot is at stop {stop}");
        let behind = STOPS - stop;
        parity += u32::from(behind);
        let good: Vec<u8> = before.into_iter().chain(copies(&mut rings)).collect();
        assert_eq!(good, (1..stop).collect::<Vec<u8>>(), "damaged at stop {stop}");
        assert_eq!((rings.counters.parity, rings.counters.wrong_src), (parity, 0));
    }
}

#[test]
fn t6_a_second_upstream_port_is_not_believed() {
    let mut rng = random("T6 source");
    let mut rings = rings();
    let mut wrong = 0;
    for _ in 0..times() {
        let source = rng.random_range(1..STOPS);
        let low = a_low(&mut rng, 0, 0);
        rings.offer(source, RingContent::Low(low));
        assert_eq!(copies(&mut rings), [0u8; 0]);
        // All that listen, but the source, at which no slot of its own stays.
        wrong += u32::from(STOPS) - 1;
        assert_eq!((rings.counters.wrong_src, rings.counters.parity), (wrong, 0), "from stop {source}");
    }
}

/// The slot goes round until stop 0 sees it a second time.
#[test]
fn t6_a_slot_that_its_source_does_not_know_is_removed_by_the_monitor() {
    let mut rng = random("T6 orphan");
    let mut rings = rings();
    for fault in 1..=times() {
        let source = rng.random_range(0..STOPS);
        let (stop, _) = on_its_way(&mut rings, &mut rng, source);
        let unknown = rng.random_range(STOPS..64);
        assert!(rings.orphan(stop, RingDirection::Clockwise, unknown));
        let mut edges = 0;
        while !rings.is_empty() {
            rings.ring_edge();
            edges += 1;
            assert!(edges <= 2 * u32::from(STOPS) + 2, "removed at the second visit of stop 0");
        }
        assert_eq!(u64::from(rings.counters.orphan), fault);
    }
}

/// Values of other sources hold the ring at a stop for longer than RING_WAIT_MAX.
#[test]
fn t6_a_low_that_waits_too_long_for_the_ring_is_dropped() {
    let mut rng = random("T6 wait");
    let config = TimeConfig { stops: 4, ring_wait_max: 1, ..one_edge_per_clock() };
    let mut rings = DualRing::new(&config).expect("a good configuration");
    rings.set_path(2, 0, StopPath { enabled: true, source: 0, ring: RingDirection::Clockwise });
    for fault in 1..=times() as u32 {
        for _ in 0..4 {
            let low = a_low(&mut rng, 0, 0);
            rings.offer(0, RingContent::Low(low));
        }
        assert_eq!(copies(&mut rings), [2, 2], "two of four");
        // Both rings, and two of four on each.
        assert_eq!((rings.counters.wait_over, rings.counters.busy), (4 * fault, 2 * fault));
    }
}

fn slave(offset: i64) -> TreeSlave {
    let mut slave = TreeSlave::new(8).expect("depth 8");
    slave.set_offset(0, Some(offset));
    slave.set_offset(1, Some(offset));
    slave
}

fn local(nanoseconds: u64) -> u128 {
    u128::from(nanoseconds) << 32
}

/// A High of another time: it and the Low are 2 to 255 times 2^32 ns apart, and by its age it is one at most.
#[test]
fn t6_a_high_that_disagrees_is_not_used() {
    let mut rng = random("T6 overlap");
    let mut slave = slave(0);
    for fault in 1..=times() as u32 {
        let now = rng.random_range(1 << 48..1u64 << 60);
        let age = rng.random_range(2_000_000..OVERLAP_NS - 2_000_000);
        let wrong = rng.random_range(2..=254u64) * OVERLAP_NS;
        let high_time = now.wrapping_sub(age).wrapping_sub(wrong) >> 32;
        let high = TimeHigh { time: high_time as u32, index: 0, tree: 0, era: 0, quality: 0 };
        slave.receive_high(high, local(1_000));
        let value = TimeValue::new(now & ((1 << 40) - 1), 0);
        let verdict = slave.receive_low(TimeLow { value, tree: 0, era: 0 }, local(1_000 + age), 0);
        assert_eq!((verdict, slave.counters.overlap_bad), (SampleVerdict::NotFull, fault));
        assert_eq!(slave.counters.ok, 0);
        assert!(slave.pop().is_some_and(|sample| sample.full.is_none()));
    }
}

/// The master that was replaced goes on sending.
#[test]
fn t6_time_of_an_old_era_is_dropped() {
    let mut rng = random("T6 era");
    let mut slave = slave(0);
    let mut era = 0u8;
    let mut ok = 0;
    for fault in 1..=times() as u32 {
        let (times, old) = (rng.random_range(1..3), (era + 3) % 4);
        for _ in 0..times {
            let low = a_low(&mut rng, 0, era);
            slave.receive_high(
                TimeHigh { time: (low.value.nanoseconds() >> 32) as u32, ..a_high(&mut rng, 0, era) },
                0,
            );
            assert!(matches!(slave.receive_low(low, 0, 0), SampleVerdict::Use { .. }));
            slave.pop();
            ok += 1;
        }
        let low = a_low(&mut rng, 0, old);
        slave.receive_high(a_high(&mut rng, 0, old), 0);
        assert_eq!(slave.receive_low(low, 0, 0), SampleVerdict::OldEra);
        assert_eq!((slave.level(), slave.era()), (0, Some(era)), "nothing of it is kept");
        assert_eq!((slave.counters.old_era, slave.counters.ok), (fault, ok));
        era = (era + u8::from(rng.random::<bool>())) % 4;
    }
}

#[test]
fn t6_a_fifo_that_nobody_reads_loses_its_oldest() {
    let mut rng = random("T6 fifo");
    let mut slave = slave(0);
    let mut kept = std::collections::VecDeque::new();
    for number in 0..times() + 8 {
        let low = a_low(&mut rng, 0, 0);
        kept.push_back(low);
        slave.receive_low(low, local(number), 0);
        if kept.len() > 8 {
            kept.pop_front();
        }
        assert_eq!(
            (slave.level(), u64::from(slave.counters.over)),
            (kept.len(), (number + 1).saturating_sub(8))
        );
    }
    let left: Vec<TimeLow> = std::iter::from_fn(|| slave.pop()).map(|sample| sample.low).collect();
    assert_eq!(left, Vec::from(kept));
}

fn tracking() -> (Servo, TimeSource) {
    let mut source = TimeSource::new(INC).expect("156.25 MHz");
    let mut servo = Servo::new(ServoConfig::new(1, INC).expect("1.05 ms"));
    let period = u64::from(servo.config().nclk);
    for _ in 0..6 {
        servo.elapse(period);
        servo.sample(&mut source, 0, false);
    }
    assert_eq!(servo.state(), ServoState::Track);
    (servo, source)
}

/// Wrong values that no CRC caught, never eight of a sign in a row.
#[test]
fn t6_a_wrong_value_moves_nothing() {
    let mut rng = random("T6 outlier");
    let (mut servo, mut source) = tracking();
    let threshold = i128::from(servo.config().outlier_thr);
    let period = u64::from(servo.config().nclk);
    for fault in 1..=times() as u32 {
        let before = (source.f_acc(), source.epoch());
        servo.elapse(period);
        let size = rng.random_range(threshold + 1..1 << 60);
        let events = servo.sample(&mut source, if rng.random() { size } else { -size }, false);
        assert_eq!((servo.outliers(), events.outlier_run), (fault, false));
        assert_eq!((source.f_acc(), source.epoch(), servo.state()), (before.0, before.1, ServoState::Track));
        servo.elapse(period);
        servo.sample(&mut source, 0, false);
    }
}

/// Silence of random length: HOLDOVER after HOLD_N periods and not before, with the frequency that was found.
#[test]
fn t6_a_lost_master_leads_to_holdover() {
    let mut rng = random("T6 master");
    let (mut servo, mut source) = tracking();
    let period = u64::from(servo.config().nclk);
    let hold = u64::from(servo.config().hold_n) * period;
    for _ in 0..times() {
        let found = source.f_acc();
        let first = rng.random_range(1..hold);
        assert_eq!(servo.elapse(first), Default::default());
        let events = servo.elapse(hold - first);
        assert!(events.holdover && !events.invalid && servo.state() == ServoState::Holdover);
        assert_eq!(source.f_acc(), found);
        servo.sample(&mut source, rng.random_range(-512..=512), false);
        assert_eq!((servo.state(), source.f_acc()), (ServoState::Track, found), "slews back");
        servo.elapse(period);
        servo.sample(&mut source, 0, false);
    }
}

/// Limits whose sum reaches the increment, and increments that the limits reach.
#[test]
fn t6_impossible_values_are_refused_and_the_old_ones_stay() {
    let mut rng = random("T6 refused");
    let nominal = increment(6_400_000);
    let mut source = TimeSource::new(nominal).expect("156.25 MHz");
    let limits = source.limits();
    for fault in 1..=times() as u32 {
        if rng.random() {
            let first = rng.random_range(0..=nominal);
            let second = rng.random_range(nominal - first..=nominal);
            source.write_limits(first, second).expect_err("the sum reaches INC_NOM");
        } else {
            source.write_inc_nom(rng.random_range(0..=limits.0 + limits.1)).expect_err("below the limits");
        }
        assert_eq!((source.inc_nom(), source.limits(), source.counters().2), (nominal, limits, fault));
    }
}
