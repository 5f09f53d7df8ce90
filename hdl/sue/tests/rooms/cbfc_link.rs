//! Credit-based flow control over a line with faults: the cases of the SONiC scale-up test standard that concern these blocks, by name, and leaks, wraps
//! and LIMIT. CBFC-05 to 07 are about which class a frame has, which is told elsewhere: they stand at the golden model only.

mod rig;

use super::cbfc::{between, Registers};
use flitforge_model::sue::format::Profile;
use flitforge_protocol::sue::class::{ClassUse, CLASSES};
use flitforge_protocol::sue::link_control::CREDIT_BITS;
use flitforge_sim::kit::rng;
use flitforge_testkit::Clocked;
use rand::Rng;
use rig::{cells, Fate, Item, Rig};

const A: usize = 0;
const B: usize = 1;
const BEST_EFFORT: usize = ClassUse::Management as usize;

/// Frame sizes without FCS.
const SIZES: [usize; 7] = [60, 124, 252, 508, 1020, 1496, 1500];
const PROFILES: [Profile; 2] = [Profile::Sue1, Profile::Ue103];

fn no_wrap(count: u64) -> u16 {
    (count & ((1 << CREDIT_BITS) - 1)) as u16
}

/// Frames of all sizes on virtual channel 0, none read: CC is by the formula, CF is 0; then all are read.
#[test]
fn cbfc_01_sender_credits() {
    for profile in PROFILES {
        let mut rig = Rig::new(Registers::new(profile, 1000), 10);
        rig.ends[1].reads[A] = false;
        SIZES.iter().for_each(|octets| rig.offer(0, A, *octets));
        rig.run(6000);
        let expected: u64 = SIZES.iter().map(|octets| cells(&rig.registers, *octets)).sum();
        assert_eq!((rig.consumed[0][0], rig.told[1][0]), (no_wrap(expected), 0));
        rig.ends[1].reads[A] = true;
        rig.run(6000);
        assert_eq!((rig.consumed[0][0], rig.told[1][0]), (no_wrap(expected), no_wrap(expected)));
    }
}

/// Read one by one: CF is by the formula after each.
#[test]
fn cbfc_02_receiver_credits() {
    for profile in PROFILES {
        let mut rig = Rig::new(Registers { cell_batch: 1, ..Registers::new(profile, 1000) }, 10);
        rig.ends[1].rate = 0;
        SIZES.iter().for_each(|octets| rig.offer(0, A, *octets));
        rig.run(3000);
        let mut freed = 0;
        for octets in SIZES {
            (rig.ends[1].rate, rig.ends[1].reader) = (100, 0);
            rig.run(1);
            rig.ends[1].rate = 0;
            rig.run(40);
            freed += cells(&rig.registers, octets);
            assert_eq!(rig.told[1][0], no_wrap(freed), "{octets} octets");
        }
    }
}

/// A hundred frames and all CC_Update are lost; the first CC_Update after that heals all.
#[test]
fn cbfc_03_lost_credits() {
    for profile in PROFILES {
        // 100 frames, and one of the largest size has to fit before each.
        let registers = Registers::new(profile, 0);
        let limit = 99 * cells(&registers, 252) + cells(&registers, registers.largest);
        let mut rig = Rig::new(Registers::new(profile, limit as u16), 10);
        (0..100).for_each(|_| rig.offer(0, A, 252));
        for _ in 0..10_000 {
            rig.step(|_, item| if matches!(item, Item::Set(_)) { Fate::Comes } else { Fate::Lost });
        }
        let lost = 100 * cells(&rig.registers, 252);
        assert_eq!((rig.told[1][0], rig.consumed[0][0]), (0, no_wrap(lost)));
        assert_eq!((rig.lost[0], rig.ends[1].healed), (lost, 0));
        rig.run(10_000);
        assert_eq!((rig.told[1][0], rig.ends[1].healed), (no_wrap(lost), lost));
        assert_eq!(rig.ends[0].block.get("ready"), 0x3F);
    }
}

/// Share of the line when class A is read at `percent` of it.
fn throughput(profile: Profile, octets: usize, percent: u64) -> f64 {
    let mut rig = Rig::new(Registers::new(profile, 120), 20);
    rig.ends[1].rate = percent;
    let (line, clocks) = ((octets as u64 + 24).div_ceil(8), 20_000);
    (0..clocks / line + 100).for_each(|_| rig.offer(0, A, octets));
    for _ in 0..clocks {
        rig.run(1);
        assert!(rig.in_use(0, A) <= 120);
    }
    rig.ends[1].received[A].len() as f64 * line as f64 / clocks as f64
}

#[test]
fn cbfc_04_backpressure() {
    for profile in PROFILES {
        for octets in [60, 1020, 1500] {
            let full = throughput(profile, octets, 100);
            assert!(full > 0.95, "{octets}: {full}");
            let half = throughput(profile, octets, 50);
            // what the buffer takes at the start comes on top
            assert!((0.45..0.75).contains(&half), "{octets}: {half}");
            assert!(throughput(profile, octets, 0) < 0.25);
        }
    }
}

/// Two classes at once, class A not read.
fn beside_blocked(registers: Registers) -> Rig {
    let mut rig = Rig::new(registers, 20);
    rig.ends[1].reads[A] = false;
    for _ in 0..200 {
        rig.offer(0, A, 508);
        rig.offer(0, B, 508);
    }
    rig.run(30_000);
    rig
}

#[test]
fn cbfc_08_per_vc_credit() {
    for profile in PROFILES {
        let registers = Registers { largest: 508, ..Registers::new(profile, 60) };
        let mut rig = beside_blocked(registers);
        assert_eq!(rig.ends[1].received[B].len(), 200);
        assert_eq!(rig.ends[1].received[A].len() as u64, 60 / cells(&registers, 508));
        rig.ends[1].reads[A] = true;
        rig.run(30_000);
        assert_eq!(rig.ends[1].received[A].len(), 200);
    }
}

#[test]
fn cbfc_09_per_port_credit() {
    for profile in PROFILES {
        let limits = [60, 0, 0, 0, 0, 0];
        let registers = Registers { pool: true, limits, largest: 508, ..Registers::new(profile, 0) };
        let mut rig = beside_blocked(registers);
        assert!(rig.ends[1].received[B].len() < 200, "the pool is full of the other virtual channel");
        assert!(rig.in_use(0, A) + rig.in_use(0, B) <= 60);
        rig.ends[1].reads[A] = true;
        rig.run(40_000);
        assert_eq!([A, B].map(|class| rig.ends[1].received[class].len()), [200; 2]);
    }
}

/// Three links at line rate into one reader of line rate: a third each, and LIMIT is kept.
#[test]
fn cbfc_10_incast_lossless() {
    for profile in PROFILES {
        let mut rigs = [0; 3].map(|_| Rig::new(Registers::new(profile, 120), 20));
        for rig in &mut rigs {
            rig.ends[1].rate = 33;
            (0..100).for_each(|_| rig.offer(0, A, 1020));
        }
        for clock in 0..45_000 {
            for rig in &mut rigs {
                rig.run(1);
                assert!(rig.in_use(0, A) <= 120);
            }
            if clock == 20_000 {
                assert!(rigs.iter().all(|rig| !rig.ends[0].queues[A].is_empty()), "flow control has acted");
            }
        }
        assert!(rigs.iter().all(|rig| rig.ends[1].received[A].len() == 100));
    }
}

/// The same with a lossy class beside it, whose buffer has room for eight frames: it loses what does not fit, the other one nothing.
#[test]
fn cbfc_11_incast_with_best_effort() {
    for profile in PROFILES {
        let mut rigs = [0; 3].map(|_| Rig::new(Registers::new(profile, 120), 20));
        for rig in &mut rigs {
            rig.ends[1].rate = 33;
            for _ in 0..60 {
                rig.offer(0, A, 1020);
                rig.offer(0, BEST_EFFORT, 1020);
            }
        }
        let mut lost = 0;
        for _ in 0..60_000 {
            for rig in &mut rigs {
                rig.run(1);
                assert!(rig.in_use(0, A) <= 120);
                let ready = rig.ends[0].block.get("ready");
                assert_eq!(ready >> BEST_EFFORT & 1, 1, "a lossy class needs no credits");
                let buffer = &mut rig.ends[1].buffers[BEST_EFFORT];
                if buffer.len() > 8 {
                    buffer.pop_back();
                    lost += 1;
                }
            }
        }
        for rig in &rigs {
            assert_eq!([A, BEST_EFFORT].map(|class| rig.ends[1].received[class].len()), [60; 2]);
            assert_eq!((rig.in_use(0, A), rig.ends[1].healed), (0, 0));
        }
        assert!((1..180).contains(&lost), "normal degradation: {lost}");
    }
}

/// Share of the line of `count` frames over a round trip of 1000 clocks.
fn share(base: Registers, octets: usize, count: usize, limit: u64) -> f64 {
    let registers = Registers { limits: [limit as u16; CLASSES], cc_timer: 0xFFFF, ..base };
    let mut rig = Rig::new(registers, 500);
    (0..count).for_each(|_| rig.offer(0, A, octets));
    while rig.ends[1].received[A].len() < count {
        rig.run(1);
        assert!(rig.now < 1_000_000);
    }
    let line = (octets as u64 + 24).div_ceil(8);
    (count as u64 * line) as f64 / (rig.now - 500) as f64
}

/// LIMIT for a round trip of 1000 clocks fills the line; half of it does not.
#[test]
fn cbfc_12_buffer_capacity() {
    for profile in PROFILES {
        for (octets, count) in [(1500, 300), (60, 5000)] {
            let base = Registers { largest: octets, ..Registers::new(profile, 1) };
            let line = (octets as u64 + 24).div_ceil(8);
            let in_flight = 1000_u64.div_ceil(line) * cells(&base, octets);
            // and the clocks that counting takes
            let limit = in_flight + 4 * cells(&base, octets) + 8;
            let full = share(base, octets, count, limit);
            assert!(full > 0.98, "{octets}: {full}");
            let short = share(base, octets, count, limit / 2);
            assert!(short < 0.8, "{octets}: {short}");
        }
    }
}

/// Random losses of frames, of CF_Update and of CC_Update: every leak is healed, and LIMIT is kept.
#[test]
fn leaks_are_healed() {
    for profile in PROFILES {
        let mut random = rng(profile as u64, "leaks");
        let mut rig = Rig::new(Registers { cf_timer: 300, ..Registers::new(profile, 60) }, 20);
        for _ in 0..600 {
            (0..2).for_each(|end| rig.offer(end, A, random.random_range(60..1500)));
        }
        while rig.ends.iter().any(|end| !end.queues[A].is_empty()) {
            rig.step(|_, item| match item {
                Item::Data(..) if random.random_bool(0.02) => Fate::Lost,
                Item::Set(_) if random.random_bool(0.1) => Fate::Lost,
                Item::Word(word) if word >> 68 & 1 == 1 && random.random_bool(0.1) => Fate::Broken,
                _ => Fate::Comes,
            });
            for end in 0..2 {
                assert!(rig.in_use(end, A) - rig.ends[1 - end].healed <= 60);
            }
            assert!(rig.now < 1_000_000, "a leak has stopped the sender");
        }
        rig.run(10_000);
        for end in 0..2 {
            assert_eq!(rig.ends[1 - end].healed, rig.lost[end]);
            assert_eq!(rig.told[1 - end][0], no_wrap(rig.ends[end].sent[A]), "all credits are back");
        }
        assert!(rig.lost.iter().all(|lost| *lost > 0));
    }
}

/// Counts pass 2^15 three times, with the largest LIMIT and with a small one.
#[test]
fn counts_wrap() {
    for limit in [60, (1 << 14) - 1] {
        let registers = Registers { cell: 0, largest: 1500, ..Registers::new(Profile::Sue1, limit) };
        let mut rig = Rig::new(registers, 5);
        let each = cells(&registers, 1500);
        let frames = (3 << CREDIT_BITS) / each + 10;
        (0..frames).for_each(|_| rig.offer(0, A, 1500));
        rig.ends[1].rate = 90;
        while (rig.ends[1].received[A].len() as u64) < frames {
            rig.run(1);
            assert!(rig.in_use(0, A) <= u64::from(limit) && rig.now < 2_000_000);
        }
        // The reader is slower than the line: what LIMIT let come waits in the buffer.
        while !rig.ends[1].buffers[A].is_empty() {
            rig.run(1);
        }
        rig.run(3000);
        assert_eq!(rig.told[1][0], no_wrap(frames * each));
        assert_eq!((rig.ends[1].healed, between(rig.told[1][0], rig.consumed[0][0])), (0, 0));
    }
}
