//! Credit-based flow control of chapter 50: the twelve cases of the SONiC scale-up test standard, draft v0.4 of
//! 2 June 2026 (`doc/SONiC-ScaleUp-Test-Standard.md`, section 4.2), in both profiles. Section 9 point 10 is in
//! `chapter50_cbfc_faults`.
//!
//! | case | goal in the standard | what is special here |
//! |---|---|---|
//! | CBFC-01, 02 | credits of sender and receiver by the formula, all sizes | |
//! | CBFC-03 | 100 corrupted frames; CC_Update heals | the class is not under LLR; S_P_CU is `used` |
//! | CBFC-04 | drain rates 100, 50, 0 % | |
//! | CBFC-05 to 07 | PCP and DEI, IPv4 DSCP, IPv6 DSCP to a virtual channel | DEI is ignored (3.5) |
//! | CBFC-08, 09 | credits per virtual channel, per port | a full pool blocks both virtual channels |
//! | CBFC-10, 11 | incast of three, lossless; with best effort | three links into ports with one reader |
//! | CBFC-12 | buffer capacity at 500 m | the standard's "500m RTT" read as 5 us, 1000 clocks of 200 MHz |

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::sue_frames::{port_of, rules, write};
use crate::sue_link::{is_data, plain, quiet, sizes, Harness, BREAK};
use flitforge_model::sue::format::classes::ClassTable;
use flitforge_model::sue::format::network::{Framing, InternetVersion, Route, Tagging};
use flitforge_model::sue::format::overhead::CellRule;
use flitforge_model::sue::format::{Pdu, Profile};
use flitforge_model::sue::link::{
    class_of_frame, CreditLimit, CreditSettings, Eligibility, Fault, FlowControl, PortConfig, WireItem,
};
use flitforge_protocol::sue::class::{ClassUse, CLASSES};
use flitforge_protocol::sue::link_control::CBFC_VCS;

const A: ClassUse = ClassUse::Requests;
const B: ClassUse = ClassUse::Responses;

/// Cells of 256 octets, PKT_OVHD of the profile, the same LIMIT for every lossless class's virtual channel.
pub fn settings(profile: Profile, limit: u16) -> CreditSettings {
    let mut limits = [0; CBFC_VCS];
    limits[..5].fill(limit);
    let rule = CellRule::new(3, profile.packet_overhead()).expect("a rule");
    CreditSettings::new(rule, CreditLimit::PerVc(limits))
}

pub fn port(profile: Profile, credit: CreditSettings) -> PortConfig {
    PortConfig {
        flow: FlowControl::Cbfc(credit),
        eligible: [Eligibility::Standard; CLASSES],
        ..plain(profile)
    }
}

/// Cells of a frame by the chapter's words: octets and overhead, in parts of 256, rounded up.
pub fn cells(profile: Profile, bytes: usize) -> u64 {
    let overhead: i64 = match profile {
        Profile::Sue1 => 20,
        Profile::Ue103 => -4,
    };
    ((bytes as i64 + overhead + 255) / 256) as u64
}

/// Frames of all sizes on virtual channel 0, none read: what the sender and the receiver count, then all are read.
fn count_credits(profile: Profile) -> Harness {
    let mut harness = Harness::new(port(profile, settings(profile, 1000)), 10);
    harness.reads[1][A as usize] = false;
    sizes().into_iter().for_each(|bytes| harness.offer(0, A, bytes));
    assert!(harness.run(100_000, quiet, Harness::is_complete));
    harness
}

#[test]
fn cbfc_01_sender_credits() {
    for &profile in Profile::ALL {
        let expected: u64 = sizes().into_iter().map(|bytes| cells(profile, bytes)).sum();
        let mut harness = count_credits(profile);
        let counts = |harness: &Harness| {
            let sender = harness.link.ports[0].credit_sender().expect("CBFC");
            [sender.used(0), sender.consumed(0), sender.freed(0)].map(u64::from)
        };
        assert_eq!(counts(&harness), [expected, expected, 0]);
        harness.reads[1][A as usize] = true;
        harness.run(5000, quiet, |_| false);
        assert_eq!(counts(&harness), [0, expected, expected]);
    }
}

#[test]
fn cbfc_02_receiver_credits() {
    for &profile in Profile::ALL {
        let expected: u64 = sizes().into_iter().map(|bytes| cells(profile, bytes)).sum();
        let mut harness = count_credits(profile);
        let counts = |harness: &Harness| {
            let receiver = harness.link.ports[1].credit_receiver().expect("CBFC");
            [receiver.occupied(0), receiver.consumed(0), receiver.freed(0)].map(u64::from)
        };
        assert_eq!(counts(&harness), [expected, expected, 0]);
        let mut freed = 0;
        for bytes in sizes() {
            assert_eq!(harness.link.ports[1].read(A).expect("a frame").bytes, bytes);
            freed += cells(profile, bytes);
            assert_eq!(counts(&harness), [expected - freed, expected, freed]);
        }
    }
}

#[test]
fn cbfc_03_lost_credits() {
    for &profile in Profile::ALL {
        let credit = CreditSettings { cc_timer: 3000, ..settings(profile, 200) };
        let mut harness = Harness::new(port(profile, credit), 10);
        let broken = |_, _, item: &WireItem| match item {
            WireItem::Control(..) => Fault::Lose,
            WireItem::Data(..) => BREAK,
            WireItem::Set(_) => Fault::None,
        };
        (0..100).for_each(|_| harness.offer(0, A, 256));
        harness.run(10_000, broken, |_| false);
        let lost = (100 * cells(profile, 256)) as u16;
        let receiver = harness.link.ports[1].credit_receiver().expect("CBFC");
        assert_eq!((receiver.consumed(0), receiver.freed(0)), (0, 0));
        assert_eq!(harness.link.ports[0].credit_sender().expect("CBFC").used(0), lost);
        harness.run(10_000, quiet, |_| false);
        let receiver = harness.link.ports[1].credit_receiver().expect("CBFC");
        let sender = harness.link.ports[0].credit_sender().expect("CBFC");
        assert_eq!((receiver.consumed(0), receiver.freed(0)), (lost, lost));
        assert_eq!((sender.consumed(0), sender.freed(0), sender.used(0)), (lost, lost, 0));
        assert_eq!(receiver.counters().cc_heal, u64::from(lost));
    }
}

/// Share of the line rate when class A is read at `percent` of it.
fn throughput(profile: Profile, bytes: usize, percent: u64) -> f64 {
    let mut harness = Harness::new(port(profile, settings(profile, 120)), 20);
    harness.reads[1][A as usize] = false;
    let (line, clocks) = ((bytes + 20) as u64, 40_000);
    (0..clocks * 8 / line + 100).for_each(|_| harness.offer(0, A, bytes));
    let mut budget = 0;
    for _ in 0..clocks {
        harness.step(quiet);
        budget += 8 * percent;
        while budget >= 100 * line && percent > 0 {
            budget =
                if harness.link.ports[1].read(A).is_some() { budget - 100 * line } else { 100 * line - 1 };
        }
    }
    assert_eq!(harness.link.ports[1].counters().rx_full, 0);
    harness.received[1][0].len() as f64 * line as f64 / (8 * clocks) as f64
}

#[test]
fn cbfc_04_backpressure() {
    for &profile in Profile::ALL {
        for bytes in sizes() {
            let full = throughput(profile, bytes, 100);
            assert!(full > 0.95, "{bytes}: {full}");
            let half = throughput(profile, bytes, 50);
            // what the buffer takes at the start comes on top
            assert!((0.45..0.75).contains(&half), "{bytes}: {half}");
            let none = throughput(profile, bytes, 0);
            assert!(none <= 120.0 * (bytes + 20) as f64 / (cells(profile, bytes) * 320_000) as f64 + 0.001);
        }
    }
}

/// Frames of every class in a format, as they leave; `alter` may change them. Each goes to its class's virtual channel.
fn maps(framing: Framing, alter: impl Fn(&mut Vec<u8>)) {
    // the virtual channels of the default classes
    let vcs = [0, 1, 2, 3, 4, 5];
    let body = rules(framing).build(&[write()]).expect("a body");
    let pdu = Pdu { header: crate::sue_frames::E2_HEADER, body }.encode().expect("a PDU");
    let classes = ClassTable::default();
    for (class, expected) in ClassUse::ALL.iter().zip(vcs) {
        let route = Route { peer: 7, vc: 0, class: *class };
        let mut frame = port_of(5, framing).encapsulate(route, &pdu).expect("a frame");
        alter(&mut frame);
        let found = class_of_frame(&frame, &classes).expect("long enough").expect("a class");
        assert_eq!((found, classes.class(found).cbfc_vc), (*class, expected));
    }
}

#[test]
fn cbfc_05_vlan_priority_and_dei() {
    for version in [InternetVersion::V4, InternetVersion::V6] {
        let framing = Framing::Standard { version, tagging: Tagging::Tagged };
        maps(framing, |_| {});
        // DEI is the bit below the priority in octet 14 of a tagged frame; and the DSCP does not matter
        maps(framing, |frame| frame[14] |= 0x10);
        maps(framing, |frame| frame[19] = 0xFF);
    }
}

#[test]
fn cbfc_06_ipv4_dscp() {
    let framing = Framing::Standard { version: InternetVersion::V4, tagging: Tagging::Untagged };
    maps(framing, |_| {});
    maps(framing, |frame| frame[15] |= 3);
}

#[test]
fn cbfc_07_ipv6_dscp() {
    let framing = Framing::Standard { version: InternetVersion::V6, tagging: Tagging::Untagged };
    maps(framing, |_| {});
    // congestion marks: the lower bits of TC, upper half of octet 15
    maps(framing, |frame| frame[15] |= 0x30);
    maps(Framing::AfhGen2, |_| {});
    assert!(class_of_frame(&[2; 10], &ClassTable::default()).is_err());
}

/// Two classes at once, class A not read; how many of B's 300 frames came.
fn beside_blocked(profile: Profile, credit: CreditSettings) -> (usize, Harness) {
    let mut harness = Harness::new(port(profile, credit), 20);
    harness.reads[1][A as usize] = false;
    for _ in 0..300 {
        harness.offer(0, A, 512);
        harness.offer(0, B, 512);
    }
    harness.run(60_000, quiet, |_| false);
    (harness.received[1][B as usize].len(), harness)
}

#[test]
fn cbfc_08_per_vc_credit() {
    for &profile in Profile::ALL {
        let (came, mut harness) = beside_blocked(profile, settings(profile, 60));
        assert_eq!(came, 300);
        let expected = 60 / cells(profile, 512);
        assert_eq!(harness.received[1][A as usize].len() as u64, expected);
        harness.reads[1][A as usize] = true;
        assert!(harness.run(60_000, quiet, Harness::is_complete));
    }
}

#[test]
fn cbfc_09_per_port_credit() {
    for &profile in Profile::ALL {
        let credit = CreditSettings { limit: CreditLimit::Pool(60), ..settings(profile, 0) };
        let mut free = Harness::new(port(profile, credit), 20);
        for _ in 0..300 {
            free.offer(0, A, 512);
            free.offer(0, B, 512);
        }
        assert!(free.run(50_000, quiet, Harness::is_complete));
        let share = 600.0 * 532.0 / (8 * free.link.now()) as f64;
        assert!(share > 0.95, "no backpressure: {share}");
        let (came, mut harness) = beside_blocked(profile, credit);
        assert!(came < 300, "the pool is full of the other virtual channel");
        let sender = harness.link.ports[0].credit_sender().expect("CBFC");
        assert!(sender.used(0) + sender.used(1) <= 60);
        harness.reads[1][A as usize] = true;
        assert!(harness.run(60_000, quiet, Harness::is_complete));
    }
}

/// Three links at line rate into one reader of line rate. Gives the received shares of classes A and MGMT, and the
/// harnesses.
fn incast(profile: Profile, with_best_effort: bool) -> [Harness; 3] {
    let mut config = port(profile, settings(profile, 120));
    config.rx_capacity[ClassUse::Management as usize] = 8192;
    let mut links = [0, 1, 2].map(|_| Harness::new(config, 20));
    for harness in &mut links {
        harness.reads[1] = [false; CLASSES];
        for _ in 0..200 {
            harness.offer(0, A, 1024);
            if with_best_effort {
                harness.offer(0, ClassUse::Management, 1024);
            }
        }
    }
    let (mut budget, mut turn) = (0, 0);
    for _ in 0..400_000 {
        links.iter_mut().for_each(|harness| harness.step(quiet));
        budget = (budget + 8).min(2 * 1044);
        for _ in 0..3 {
            if budget < 1044 {
                break;
            }
            turn += 1;
            let port = &mut links[turn % 3].link.ports[1];
            // best effort has what the lossless class leaves, and one turn in eight
            let order = if turn % 8 == 0 { [ClassUse::Management, A] } else { [A, ClassUse::Management] };
            if order.into_iter().find_map(|class| port.read(class)).is_some() {
                budget -= 1044;
            }
        }
    }
    links
}

#[test]
fn cbfc_10_incast_lossless() {
    for &profile in Profile::ALL {
        for harness in incast(profile, false) {
            assert!(harness.is_complete());
            let cf = harness.link.ports[0].credit_sender().expect("CBFC").counters();
            assert!(cf.cf_rx > 100 && cf.ctlos_bad == 0);
        }
    }
    // flow control has acted: a third of the rate each
    let mut config = port(Profile::Sue1, settings(Profile::Sue1, 120));
    config.rx_capacity = [120 * 256; CLASSES];
    let mut harness = Harness::new(config, 20);
    harness.reads[1][A as usize] = false;
    (0..200).for_each(|_| harness.offer(0, A, 1024));
    harness.run(10_000, quiet, |_| false);
    assert!(harness.link.ports[0].waiting(A) > 100 && harness.link.ports[1].counters().rx_full == 0);
}

#[test]
fn cbfc_11_incast_with_best_effort() {
    for &profile in Profile::ALL {
        let mut lost = 0;
        for harness in incast(profile, true) {
            assert_eq!(harness.received[1][A as usize].len(), 200);
            let best_effort = harness.received[1][ClassUse::Management as usize].len() as u64;
            assert!(best_effort > 0);
            assert_eq!(harness.link.ports[1].counters().rx_full, 200 - best_effort);
            lost += 200 - best_effort;
        }
        assert!(lost > 0, "normal degradation");
    }
}

#[test]
fn cbfc_12_buffer_capacity() {
    for &profile in Profile::ALL {
        for (bytes, count) in [(9216, 200), (64, 20_000)] {
            // RTT · rate in cells of frames on the line, and two of the largest frames, CELL_BATCH for CF_Update
            let line = bytes as u64 + 20;
            let in_flight = (1000 * 8_u64).div_ceil(line) * cells(profile, bytes);
            let limit = in_flight + 2 * cells(profile, bytes) + 8;
            let share = |limit: u64| {
                let mut harness = Harness::new(port(profile, settings(profile, limit as u16)), 500);
                (0..count).for_each(|_| harness.offer(0, A, bytes));
                assert!(harness.run(20_000_000, quiet, Harness::is_complete));
                (count * line) as f64 / (8 * (harness.link.now() - 500)) as f64
            };
            let full = share(limit);
            assert!(full > 0.99, "{bytes}: {full}");
            let short = share(limit / 2);
            assert!(short < 0.8, "half of it does not fill the line: {bytes}: {short}");
        }
    }
}

/// Without LLR a broken frame is lost, and only it.
#[test]
fn broken_frames_are_not_delivered() {
    let mut harness = Harness::new(port(Profile::Sue1, settings(Profile::Sue1, 60)), 10);
    (0..10).for_each(|_| harness.offer(0, A, 64));
    let mut data = 0;
    harness.run(
        2000,
        |_, _, item| {
            data += u64::from(is_data(item));
            if is_data(item) && data == 4 {
                BREAK
            } else {
                Fault::None
            }
        },
        |_| false,
    );
    assert_eq!(harness.received[1][0], [0, 1, 2, 4, 5, 6, 7, 8, 9]);
}
