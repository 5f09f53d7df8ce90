//! LLDP of a link: what is malformed is refused, what is sent is read, and both ends decide the same (chapter 50, 0).

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::support::{count, random};
use flitforge_model::sue::format::ClassTable;
use flitforge_model::sue::lldp::{
    decide, Advertisement, CreditOffer, LinkOptions, LldpError, Neighbour, Reason,
};
use flitforge_protocol::sue::lldp::TlvType;
use flitforge_protocol::sue_port_registers::FlowControl;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Cells of the largest frame.
const LARGEST: u16 = 9;
/// Where the TLVs of the link begin in a frame of ours: addresses, Ethertype, chassis, port, time to live.
const OPTIONS_AT: usize = 14 + 9 + 9 + 4;
/// Where the second one begins.
const CREDITS_AT: usize = OPTIONS_AT + 8;

fn offer() -> CreditOffer {
    CreditOffer::of(&ClassTable::default(), 320)
}

fn advertisement(retry: bool, credits: bool) -> Advertisement {
    Advertisement {
        options: LinkOptions { retry, credits, ..LinkOptions::default() },
        credits: credits.then(offer),
    }
}

fn neighbour(advertisement: Advertisement) -> Neighbour {
    Neighbour { source: 0x0200_0000_0050, time_to_live: 120, advertisement: Some(advertisement) }
}

fn frame() -> Vec<u8> {
    neighbour(advertisement(true, true)).encode().expect("a frame")
}

/// A frame with an octet changed.
fn with(at: usize, octet: u8) -> Result<Neighbour, LldpError> {
    let mut frame = frame();
    frame[at] = octet;
    Neighbour::decode(&frame)
}

#[test]
fn malformed_frames_are_refused_with_a_reason() {
    let (options, credits) = ("UE link negotiation", "UE CBFC");
    let length = |name, found, exact| LldpError::Length { name, found, least: exact, most: exact };
    let cases = [
        (with(0, 0x02), LldpError::Foreign { destination: 0x0280_C200_000E, ethertype: 0x88CC }),
        (with(13, 0xCD), LldpError::Foreign { destination: 0x0180_C200_000E, ethertype: 0x88CD }),
        (with(14, 4), LldpError::Order { found: 2, expected: TlvType::Chassis }),
        (with(23, 2), LldpError::Order { found: 1, expected: TlvType::Port }),
        (with(32, 4), LldpError::Order { found: 2, expected: TlvType::TimeToLive }),
        (with(OPTIONS_AT, 6), LldpError::Twice { name: "time to live" }),
        (with(OPTIONS_AT + 6, 0xC4), LldpError::Reserved { name: options, found: 4 }),
        (with(CREDITS_AT + 5, 1), length(options, 9, 2)),
        (with(CREDITS_AT + 6, 0), LldpError::Channels { channels: 0 }),
        (with(CREDITS_AT + 6, 33), LldpError::Channels { channels: 33 }),
        (with(CREDITS_AT + 6, 4), LldpError::Lossless { lossless: 0x1F, channels: 4 }),
        (with(CREDITS_AT + 13, 1), LldpError::Reserved { name: credits, found: 0x100 }),
        // The subtype of another TLV, the organisation of another: passed over.
        (with(CREDITS_AT + 5, 9), LldpError::NoCredits),
        (with(OPTIONS_AT + 2, 0), LldpError::NoOptions),
    ];
    for (number, (found, wanted)) in cases.into_iter().enumerate() {
        assert_eq!(found, Err(wanted), "case {number}: {wanted}");
    }
    let mut empty = frame();
    empty[CREDITS_AT + 7..CREDITS_AT + 9].fill(0);
    assert_eq!(Neighbour::decode(&empty), Err(LldpError::Pool));
    let mut longer = frame();
    longer[OPTIONS_AT + 1] += 1;
    assert_eq!(Neighbour::decode(&longer), Err(length(options, 3, 2)));
    let doubled = [&frame()[..CREDITS_AT], &frame()[OPTIONS_AT..]].concat();
    assert_eq!(Neighbour::decode(&doubled), Err(LldpError::Twice { name: options }));
}

/// A frame that ends anywhere before its last TLV is refused, or says less, never something else.
#[test]
fn frames_that_end_early_say_nothing_wrong() {
    let frame = frame();
    let whole = Neighbour::decode(&frame).expect("a frame");
    let end = CREDITS_AT + 15;
    for bytes in 0..frame.len() {
        let found = Neighbour::decode(&frame[..bytes]);
        match bytes {
            _ if bytes >= end + 2 || bytes == end => assert_eq!(found, Ok(whole), "{bytes}"),
            OPTIONS_AT => assert_eq!(found.map(|found| found.advertisement), Ok(None)),
            // CBFC is wanted, and the credits are gone.
            CREDITS_AT => assert_eq!(found, Err(LldpError::NoCredits)),
            _ => assert!(matches!(found, Err(LldpError::CutOff(_))), "{bytes}: {found:?}"),
        }
    }
}

#[test]
fn what_cannot_be_said_is_not_sent() {
    let encode = |advertisement| neighbour(advertisement).encode();
    let wanted = Advertisement { credits: None, ..advertisement(true, true) };
    assert_eq!(encode(wanted), Err(LldpError::NoCredits));
    let without = Advertisement { credits: Some(CreditOffer { pool: 0, ..offer() }), ..wanted };
    assert_eq!(encode(without), Err(LldpError::Pool));
    let beyond = Neighbour { source: 1 << 48, ..neighbour(advertisement(true, false)) };
    assert!(matches!(beyond.encode(), Err(LldpError::Field(_))));
}

/// The octets of a frame, by hand.
#[test]
fn a_frame_has_these_octets() {
    let wanted = [
        "0180C200000E02000000005088CC",
        "020704020000000050",
        "040707020000000050",
        "06020078",
        "FE06FA7ACB01C001",
        "FE0DFA7ACB020501400000001F0000",
        "0000",
    ];
    let found: String = frame().iter().map(|octet| format!("{octet:02X}")).collect();
    assert_eq!(found, wanted.concat());
}

fn any(random: &mut ChaCha8Rng) -> Advertisement {
    let channels = random.random_range(1..=32);
    let lossless = (random.random::<u64>() & ((1 << channels) - 1)) as u32;
    let credits = CreditOffer { channels, pool: random.random_range(1..=400), lossless };
    let credits = if random.random() { credits } else { CreditOffer { pool: credits.pool, ..offer() } };
    let credits = random.random_bool(0.8).then_some(credits);
    let options = LinkOptions {
        retry: random.random(),
        credits: credits.is_some() && random.random(),
        version: random.random(),
    };
    Advertisement { options, credits }
}

#[test]
fn what_is_sent_is_read_and_both_ends_decide_the_same() {
    let mut random = random("what_is_sent_is_read_and_both_ends_decide_the_same");
    let (mut retries, mut credits) = (0, 0);
    for _ in 0..count(20_000, 200_000) {
        let ends = [any(&mut random), any(&mut random)];
        let heard = ends.map(|end| {
            let sent = Neighbour { time_to_live: random.random_range(1..=u16::MAX), ..neighbour(end) };
            let frame = sent.encode().expect("a frame");
            assert!(frame.len() >= 60);
            assert_eq!(Neighbour::decode(&frame), Ok(sent));
            sent
        });
        let fallback = FlowControl::Pause;
        let [one, two] = [0, 1].map(|end| decide(&ends[end], Some(&heard[1 - end]), fallback, LARGEST));
        assert_eq!((one.retry, one.flow), (two.retry, two.flow), "{ends:?}");
        for (end, agreed) in [&one, &two].into_iter().enumerate() {
            assert!(!agreed.retry || ends[end].options.retry);
            let is_credits = agreed.flow == FlowControl::Credits;
            assert!(!is_credits || ends[end].options.credits && agreed.limit >= LARGEST);
            let missed = ends[end].options.retry && !agreed.retry || ends[end].options.credits && !is_credits;
            assert_eq!(missed, !agreed.reasons.is_empty(), "{agreed:?}");
        }
        retries += u64::from(one.retry);
        credits += u64::from(one.flow == FlowControl::Credits);
    }
    assert!(retries > 1_000 && credits > 200, "{retries} {credits}");
}

#[test]
fn each_reason_has_its_case() {
    let own = advertisement(true, true);
    let hear = |other| decide(&own, Some(&neighbour(other)), FlowControl::None, LARGEST);
    let agreed = hear(own);
    assert_eq!((agreed.retry, agreed.flow, agreed.limit), (true, FlowControl::Credits, 320 / 5));
    assert_eq!(agreed.reasons, []);
    let of_pool = |pool| Some(CreditOffer { pool, ..offer() });
    assert_eq!(hear(Advertisement { credits: of_pool(45), ..own }).limit, 9, "each its share of the other's");
    let cases = [
        (hear(Advertisement { credits: of_pool(44), ..own }), true, Reason::SmallPool),
        (hear(advertisement(true, false)), true, Reason::NoCredits),
        (
            hear(Advertisement { credits: Some(CreditOffer { lossless: 0xF, ..offer() }), ..own }),
            true,
            Reason::OtherChannels,
        ),
        (decide(&own, None, FlowControl::None, LARGEST), false, Reason::Silent),
    ];
    for (agreed, retry, reason) in cases {
        assert_eq!((agreed.retry, agreed.flow, agreed.limit), (retry, FlowControl::None, 0), "{reason:?}");
        assert_eq!(agreed.reasons, [reason], "{}", reason.text());
    }
    assert_eq!(hear(advertisement(false, true)).reasons, [Reason::NoRetry]);
    let goodbye = Neighbour { time_to_live: 0, ..neighbour(own) };
    assert_eq!(decide(&own, Some(&goodbye), FlowControl::Pause, LARGEST).reasons, [Reason::Silent]);
    let silent = decide(&advertisement(false, false), None, FlowControl::Pause, LARGEST);
    assert_eq!((silent.flow, silent.reasons), (FlowControl::Pause, vec![]));
}

/// Octets by chance behind the first three TLVs, and bits turned in good frames: no panic, and what is taken is in range.
#[test]
fn random_octets_are_refused_or_in_range() {
    let mut random = random("random_octets_are_refused_or_in_range");
    let good = frame();
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..count(100_000, 1_000_000) {
        let mut octets = good.clone();
        if random.random() {
            let bytes = random.random_range(0..80);
            octets.truncate(OPTIONS_AT);
            octets.extend((0..bytes).map(|_| random.random::<u8>()));
        } else {
            for _ in 0..random.random_range(1..6) {
                let bit = random.random_range(0..8 * octets.len());
                octets[bit / 8] ^= 1 << (bit % 8);
            }
        }
        let Ok(found) = Neighbour::decode(&octets) else {
            refused += 1;
            continue;
        };
        taken += 1;
        let Some(advertisement) = found.advertisement else { continue };
        assert!(advertisement.credits.is_some() || !advertisement.options.credits);
        if let Some(CreditOffer { channels, pool, lossless }) = advertisement.credits {
            assert!((1..=32).contains(&channels) && pool > 0 && u64::from(lossless) < 1 << channels);
        }
        assert_eq!(Neighbour::decode(&found.encode().expect("in range")), Ok(found));
    }
    assert!(taken > 1_000 && refused > 10_000, "{taken} {refused}");
}
