//! Lossy channels and oscillators: deterministic under a seed, and as bad as they were asked to be. Bounds are five
//! standard deviations around the expected value, and hold for these seeds for ever.
#![allow(clippy::expect_used)] // helpers of tests

use flitforge_sim::kit::channel::{BitErrors, Bursts, LaneFaults, Lanes, PacketChannel, PacketFaults};
use flitforge_sim::kit::{seed, Oscillator};

/// True if `count` of `trials` fits a probability within five standard deviations.
fn fits(count: u64, trials: u64, probability: f64) -> bool {
    let (count, trials) = (count as f64, trials as f64);
    let deviation = (trials * probability * (1.0 - probability)).sqrt();
    (count - trials * probability).abs() <= 5.0 * deviation + 1.0
}

#[test]
fn bit_errors_come_at_their_rate_on_every_bit() {
    let seed = seed(0xbe01);
    for rate in [1e-1, 1e-3, 1e-5] {
        let mut channel = BitErrors::new(rate, seed, "a");
        let words = 400_000;
        let mut per_bit = [0u64; 32];
        for _ in 0..words {
            let wrong = channel.word(0x1234_5678, 32) ^ 0x1234_5678;
            per_bit.iter_mut().enumerate().for_each(|(bit, count)| *count += wrong >> bit & 1);
        }
        assert_eq!((channel.bits(), channel.flipped()), (32 * words, per_bit.iter().sum()));
        assert!(fits(channel.flipped(), channel.bits(), rate), "{} at {rate}", channel.flipped());
        assert!(per_bit.iter().all(|count| fits(*count, words, rate)), "{per_bit:?} at {rate}");
    }
    assert_eq!(BitErrors::new(0.0, seed, "a").word(5, 3), 5);
    assert_eq!(BitErrors::new(1.0, seed, "a").word(0, 64), u64::MAX);
}

#[test]
fn the_same_seed_does_the_same_and_another_does_not() {
    let run = |seed, name| {
        let mut errors = BitErrors::new(0.01, seed, name);
        let mut bursts = Bursts::new(0.001, 2..=9, 0.5, seed, name);
        (0..1000).map(|word| bursts.word(errors.word(word, 64), 64)).collect::<Vec<_>>()
    };
    assert_eq!(run(1, "a"), run(1, "a"));
    assert_ne!(run(1, "a"), run(2, "a"));
    assert_ne!(run(1, "a"), run(1, "b"));
}

#[test]
fn bursts_have_their_rate_length_and_density() {
    let seed = seed(0xbe02);
    let (rate, length, density) = (1e-3, 8u32, 0.5);
    let mut channel = Bursts::new(rate, length..=length, density, seed, "a");
    let words = 200_000u64;
    let wrong: Vec<u64> = (0..words).map(|_| channel.word(0, 64)).collect();
    let bits: Vec<bool> =
        wrong.iter().flat_map(|word| (0..64).map(move |bit| word >> bit & 1 == 1)).collect();
    // A burst and the gap before it take eight bits and 1 / rate - 1 bits.
    let outside = words * 64 - channel.bursts() * u64::from(length);
    assert!(fits(channel.bursts(), outside, rate), "{}", channel.bursts());
    let inner = channel.flipped() - 2 * channel.bursts();
    assert!(fits(inner, channel.bursts() * u64::from(length - 2), density), "{inner}");
    // From the first wrong bit after a long silence to the last of the burst: exactly the length.
    let mut at = 0;
    let mut seen = 0;
    while let Some(first) = bits[at..].iter().position(|wrong| *wrong).map(|gap| at + gap) {
        let last = (first..(first + 8).min(bits.len())).rev().find(|bit| bits[*bit]).expect("the first");
        if last + 1 < bits.len() && first + 8 <= bits.len() {
            assert_eq!(last - first + 1, 8, "burst at bit {first}");
            seen += 1;
        }
        at = (first + 8).min(bits.len());
    }
    assert!(seen + 1 >= channel.bursts(), "{seen} of {}", channel.bursts());
}

#[test]
fn lanes_are_late_slip_and_get_lost() {
    let faults = |skew_words, slip_bits| LaneFaults { skew_words, slip_bits, ..LaneFaults::default() };
    let mut lanes = Lanes::new(8, vec![faults(0, 0), faults(2, 0), faults(1, 3)], 1);
    let sent: Vec<u64> = (0..40u64).map(|word| word.wrapping_mul(37) & 0xff).collect();
    let got: Vec<Vec<u64>> = sent.iter().map(|word| lanes.words(&[*word; 3])).collect();
    let stream: Vec<u64> = sent.iter().flat_map(|word| (0..8).map(move |bit| word >> bit & 1)).collect();
    for index in 3..40 {
        assert_eq!(got[index][0], sent[index]);
        assert_eq!(got[index][1], sent[index - 2]);
        let from = index * 8 - 11;
        let straddling = (0..8).fold(0, |word, bit| word | stream[from + bit] << bit);
        assert_eq!(got[index][2], straddling, "eleven bits late");
    }
    // Two bits lost: from then on nine bits late.
    lanes.slip(2, -2);
    let more: Vec<u64> = (0..8u64).map(|word| (word * 91) & 0xff).collect();
    let after: Vec<u64> = more.iter().map(|word| lanes.words(&[0, 0, *word])[2]).collect();
    for index in 2..8 {
        let late = (more[index - 2] >> 7 | more[index - 1] << 1) & 0xff;
        assert_eq!(after[index], late, "word {index}");
    }
    lanes.set_lost(0, true);
    let noise: Vec<u64> = (0..2000).map(|_| lanes.words(&[0xff])[0]).collect();
    let ones: u64 = noise.iter().map(|word| u64::from(word.count_ones())).sum();
    assert!(fits(ones, 16_000, 0.5), "{ones}");
    lanes.set_lost(0, false);
    assert_eq!(lanes.words(&[0x5a])[0], 0x5a);
}

#[test]
fn packets_are_dropped_doubled_and_overtaken_at_their_rates() {
    let seed = seed(0xbe03);
    let faults = PacketFaults { drop: 0.1, duplicate: 0.05, reorder: 0.02, late: 5..=20, delay: 3..=7 };
    let mut channel = PacketChannel::new(faults, seed, "a");
    let all = 100_000u64;
    let mut arrived: Vec<(u64, u64)> = vec![];
    for step in 0..all + 100 {
        if step < all {
            channel.send(step);
        }
        arrived.extend(channel.step().into_iter().map(|packet| (step, packet)));
    }
    let counts = channel.counts();
    assert_eq!((counts.sent, channel.flying()), (all, 0));
    assert!(fits(counts.dropped, all, 0.1), "{counts:?}");
    assert!(fits(counts.duplicated, all - counts.dropped, 0.05), "{counts:?}");
    assert!(fits(counts.reordered, all - counts.dropped + counts.duplicated, 0.02), "{counts:?}");
    assert_eq!(counts.arrived, all - counts.dropped + counts.duplicated);
    assert_eq!(arrived.len() as u64, counts.arrived);
    assert!(arrived.iter().all(|(step, packet)| (3..=7 + 5 + 20 + 7).contains(&(step - packet))));
    let back = arrived.windows(2).filter(|pair| pair[1].1 < pair[0].1).count() as u64;
    assert!(back > 0 && back <= 2 * counts.reordered, "{back} steps back");

    let mut good = PacketChannel::new(PacketFaults { delay: 0..=9, ..PacketFaults::default() }, seed, "b");
    let mut got = vec![];
    for packet in 0..1000u64 {
        good.send(packet);
        got.extend(good.step());
    }
    (0..10).for_each(|_| got.extend(good.step()));
    assert_eq!(got, (0..1000).collect::<Vec<_>>(), "delay alone keeps the order");
}

fn edges(oscillator: Oscillator, count: usize) -> Vec<u64> {
    oscillator.take(count).collect()
}

#[test]
fn an_oscillator_keeps_its_frequency_exactly() {
    let ideal = edges(Oscillator::new(6_400, 100, 1, "a"), 1001);
    assert!(ideal.iter().enumerate().all(|(edge, time)| *time == 100 + 6_400 * edge as u64));
    // 100 ppm fast: after a million periods of 6.4 ns, 1000000 * 6400 / 1.0001 ps.
    let fast = edges(Oscillator::new(6_400, 0, 1, "a").offset_ppb(100_000), 1_000_001);
    assert_eq!(fast[1_000_000], 6_399_360_063, "rounded down, less than 2 ps of rounding");
    let slow = edges(Oscillator::new(6_400, 0, 1, "a").offset_ppb(-100_000), 1_000_001);
    assert_eq!(slow[1_000_000], 6_400_640_064);
}

#[test]
fn a_ramp_moves_the_frequency_and_stops() {
    // 1 ms at 1 GHz, 50 ppm per millisecond.
    let mut ramp = Oscillator::new(1_000, 0, 1, "a").ramp_ppb(50_000_000, 50_000);
    let last = ramp.by_ref().take(1_000_001).last().expect("edges");
    // On average half the offset: 25 ppm of 1 ms is 25 ns early.
    assert!((999_974_900..=999_975_100).contains(&last), "{last}");
    ramp.by_ref().take(10_000).for_each(drop);
    assert_eq!(ramp.offset_now(), 50_000);
}

#[test]
fn jitter_does_not_add_up_and_wander_does() {
    let seed = seed(0xbe04);
    let jitter = edges(Oscillator::new(1_000, 5_000, seed, "a").jitter(50), 100_000);
    let deviations: Vec<i64> =
        jitter.iter().enumerate().map(|(edge, time)| *time as i64 - (5_000 + 1_000 * edge as i64)).collect();
    assert_eq!(deviations.iter().map(|d| d.abs()).max(), Some(50));
    let sum: i64 = deviations.iter().sum();
    // Uniform on -50..=50: variance 850 per edge.
    assert!((sum.abs() as f64) < 5.0 * (850.0 * 100_000.0_f64).sqrt(), "{sum}");
    assert!(jitter.windows(2).all(|pair| pair[0] < pair[1]));
    assert_eq!(jitter, edges(Oscillator::new(1_000, 5_000, seed, "a").jitter(50), 100_000));

    let wander = edges(Oscillator::new(1_000, 0, seed, "a").wander_ppb(1_000, 100_000), 100_000);
    let worst = wander.iter().enumerate().map(|(edge, time)| time.abs_diff(1_000 * edge as u64)).max();
    let worst = worst.expect("edges");
    assert!((100..=10_000).contains(&worst), "{worst} ps after 100 us within 100 ppm");
}
