//! Link control of chapter 50: E10, E11, CC_Update of both profiles, classes, FCS and cells.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::sue_frames::hex;
use flitforge_model::sue::format::classes::{Class, ClassError, ClassTable};
use flitforge_model::sue::format::frame::{fcs_of, open, seal, FcsError, FrameState};
use flitforge_model::sue::format::link_control::CreditCount;
use flitforge_model::sue::format::overhead::{CellError, CellRule};
use flitforge_model::sue::format::{
    CreditsConsumed, FcsCover, LinkControlError, MacControlError, OrderedSet, Preamble, PriorityPause,
    Profile, Sequence,
};
use flitforge_protocol::sue::class::{ClassUse, Loss, CLASSES};
use flitforge_protocol::sue::link_control::{CC_OPCODE, PRIORITIES};

fn eight(text: &str) -> [u8; 8] {
    hex(text).try_into().expect("eight octets")
}

fn sequence(value: u32) -> Sequence {
    Sequence::new(value).expect("20 bits")
}

#[test]
fn e10_ordered_sets() {
    let init = OrderedSet::LlrInit { sequence: sequence(0), data: 0xBEEF };
    let freed =
        OrderedSet::CfUpdate([CreditCount { vc: 0, cells: 0x1234 }, CreditCount { vc: 1, cells: 0x7FFF }]);
    for (set, text) in [
        (OrderedSet::LlrAck(sequence(0x12345)), "5C 01 12 34 56 00 00 00"),
        (OrderedSet::LlrNack(sequence(0xFFFFF)), "5C 02 FF FF F6 00 00 00"),
        (init, "5C 03 00 00 06 EF BE 00"),
        (OrderedSet::LlrInitEcho { sequence: sequence(0), data: 0xBEEF }, "5C 04 00 00 06 EF BE 00"),
        (freed, "5C 10 01 23 46 0F FF F0"),
    ] {
        assert_eq!(set.encode().expect("fits"), eight(text));
        assert_eq!(OrderedSet::decode(eight(text)), Ok(set));
    }
}

#[test]
fn e10_preambles() {
    let llr = Preamble::Llr { sequence: sequence(0x12345), flags: 0 };
    for (preamble, text) in
        [(llr, "FB 55 55 DD 01 23 45 00"), (Preamble::Standard, "FB 55 55 55 55 55 55 D5")]
    {
        assert_eq!(preamble.encode().expect("fits"), eight(text));
        assert_eq!(Preamble::decode(eight(text)), Ok(preamble));
    }
    for text in [
        "FB 55 55 DD 11 23 45 00",
        "FB 55 54 DD 01 23 45 00",
        "FA 55 55 DD 01 23 45 00",
        "FB 55 55 55 55 55 55 D4",
        "00 00 00 00 00 00 00 00",
    ] {
        assert!(matches!(Preamble::decode(eight(text)), Err(LinkControlError::Preamble { .. })), "{text}");
    }
}

#[test]
fn ordered_sets_that_are_ignored() {
    let refused = |text: &str| OrderedSet::decode(eight(text)).expect_err("refused");
    assert_eq!(refused("5D 01 12 34 56 00 00 00"), LinkControlError::Start { found: 0x5D });
    assert_eq!(refused("5C 01 12 34 57 00 00 00"), LinkControlError::OCode { found: 7 });
    let known = [1, 2, 3, 4, 0x10];
    for kind in (0..=255u8).filter(|kind| !known.contains(kind)) {
        let octets = [0x5C, kind, 0, 0, 6, 0, 0, 0];
        assert_eq!(OrderedSet::decode(octets), Err(LinkControlError::Type { found: kind }));
    }
    assert!(Sequence::new(1 << 20).is_err());
    assert_eq!(sequence(0xFFFFF).next(), sequence(0));
    let wide = CreditCount { vc: 0, cells: 0x8000 };
    assert!(OrderedSet::CfUpdate([wide, wide]).encode().is_err());
}

const SOURCE: u64 = 0x0200_0000_0050;

#[test]
fn e11_pause() {
    let mut quanta = [None; PRIORITIES];
    quanta[3] = Some(0xFFFF);
    let pause = PriorityPause { source: SOURCE, quanta };
    let head = "01 80 C2 00 00 01 02 00 00 00 00 50 88 08 01 01 00 08 00 00 00 00 00 00 FF FF";
    let mut frame = hex(head);
    frame.resize(60, 0);
    assert_eq!(pause.encode().expect("a frame"), frame);
    assert_eq!(fcs_of(&frame, FcsCover::Frame).expect("an FCS").to_le_bytes(), *hex("E9 3A A2 DB"));
    assert_eq!(PriorityPause::decode(&frame), Ok(pause));
    for (place, octet, counter) in
        [(5, 2, "destination"), (13, 9, "Ethertype"), (15, 2, "opcode"), (16, 1, "PFC")]
    {
        let mut wrong = frame.clone();
        wrong[place] = octet;
        let text = PriorityPause::decode(&wrong).expect_err("refused").to_string();
        assert!(text.contains(counter), "{text}");
    }
    assert!(matches!(PriorityPause::decode(&frame[..33]), Err(MacControlError::CutOff(_))));
}

fn counts(vcs: impl IntoIterator<Item = u8>) -> Vec<CreditCount> {
    vcs.into_iter().map(|vc| CreditCount { vc, cells: 0x1234 }).collect()
}

#[test]
fn credits_consumed_of_profile_sue1() {
    let message = CreditsConsumed { source: SOURCE, counts: counts([0, 4]) };
    let head = "01 80 C2 00 00 01 02 00 00 00 00 50 88 08 0F FE \
                11 01 23 40 00 00 00 00 11 21 23 40 00 00 00 00";
    let mut frame = hex(head);
    frame.resize(60, 0);
    assert_eq!(message.encode(Profile::Sue1, CC_OPCODE).expect("a frame"), frame);
    assert_eq!(CreditsConsumed::decode(&frame, Profile::Sue1, CC_OPCODE), Ok(message));
    let refused = |place: usize, octet: u8| {
        let mut wrong = frame.clone();
        wrong[place] = octet;
        CreditsConsumed::decode(&wrong, Profile::Sue1, CC_OPCODE).expect_err("refused")
    };
    assert_eq!(refused(16, 0x12), MacControlError::EntryKind { found: 0x12 });
    assert_eq!(refused(59, 1), MacControlError::Padding { found: 1 });
    assert!(matches!(refused(25, 0x01), MacControlError::VirtualChannels { .. }), "VC 0 twice");
    assert!(CreditsConsumed { source: SOURCE, counts: vec![] }.encode(Profile::Sue1, CC_OPCODE).is_err());
}

#[test]
fn credits_consumed_of_profile_ue103() {
    for vcs in [0..16u8, 16..32] {
        let message = CreditsConsumed { source: SOURCE, counts: counts(vcs.clone()) };
        let frame = message.encode(Profile::Ue103, CC_OPCODE).expect("a frame");
        assert_eq!(frame[..19], hex("01 80 C2 00 00 01 02 00 00 00 00 50 88 08 0F FE FA 7A CB"));
        assert_eq!(frame.len(), 19 + 16 * 8);
        for (entry, vc) in frame[19..].chunks(8).zip(vcs) {
            assert_eq!(entry, [0x11, vc << 3 | 1, 0x23, 0x40, 0, 0, 0, 0]);
        }
        assert_eq!(CreditsConsumed::decode(&frame, Profile::Ue103, CC_OPCODE), Ok(message));
        assert!(CreditsConsumed::decode(&frame, Profile::Sue1, CC_OPCODE).is_err());
    }
    let eight_to_23 = CreditsConsumed { source: SOURCE, counts: counts(8..24) };
    assert!(eight_to_23.encode(Profile::Ue103, CC_OPCODE).is_err());
    let sue1 = CreditsConsumed { source: SOURCE, counts: counts(0..16) };
    let frame = sue1.encode(Profile::Sue1, CC_OPCODE).expect("a frame");
    let refused = CreditsConsumed::decode(&frame, Profile::Ue103, CC_OPCODE).expect_err("refused");
    assert_eq!(refused, MacControlError::Organisation { found: 0x0011_0123 });
}

#[test]
fn an_inverted_fcs_is_a_poisoned_frame() {
    let frame = hex("00 11 22 33 44 55 66 77");
    for cover in [FcsCover::Frame, FcsCover::SequenceAndFrame { sequence: sequence(0xFFFFF), flags: 0 }] {
        let good = seal(&frame, cover, FrameState::Good).expect("sealed");
        let poisoned = seal(&frame, cover, FrameState::Poisoned).expect("sealed");
        assert!((8..12).all(|place| good[place] == !poisoned[place]));
        assert_eq!(open(&good, cover), Ok(frame.as_slice()));
        assert!(matches!(open(&poisoned, cover), Err(FcsError::Poisoned { .. })));
        for bit in 0..8 * poisoned.len() {
            let mut wrong = poisoned.clone();
            wrong[bit / 8] ^= 1 << (bit % 8);
            assert!(matches!(open(&wrong, cover), Err(FcsError::Wrong { .. })), "bit {bit}");
        }
    }
    assert!(matches!(open(&[1, 2, 3], FcsCover::Frame), Err(FcsError::CutOff(_))));
}

#[test]
fn default_classes_are_those_of_the_chapter() {
    let table = ClassTable::default();
    let tcs = ClassUse::ALL.iter().map(|&class| table.traffic_class(class).expect("6 bits"));
    assert_eq!(tcs.collect::<Vec<_>>(), [0x68, 0x88, 0x48, 0x28, 0xB8, 0x00]);
    assert_eq!(
        [0x68, 0x8B, 0x48, 0x28, 0xB8].map(|tc| table.vc_of(tc)),
        [Some(0), Some(1), Some(2), Some(3), None]
    );
    for &class in ClassUse::ALL {
        let row = table.class(class);
        assert_eq!(Class::from_register(row.register().expect("fits")), row);
    }
    // CBFC VC 0, DSCP 26, PCP 3, lossless.
    assert_eq!(table.class(ClassUse::Requests).register(), Ok(26 << 4 | 3 << 1 | 1));
}

#[test]
fn tables_of_classes_that_are_refused() {
    let rows = || {
        <[Class; CLASSES]>::try_from(
            ClassUse::ALL.iter().map(|&c| ClassTable::default().class(c)).collect::<Vec<_>>(),
        )
        .expect("six")
    };
    assert_eq!(ClassTable::new(rows()), Ok(ClassTable::default()));
    let with = |change: &dyn Fn(&mut [Class; CLASSES])| {
        let mut classes = rows();
        change(&mut classes);
        ClassTable::new(classes)
    };
    let one_lossless = with(&|rows| rows[1..].iter_mut().for_each(|row| row.loss = Loss::Lossy));
    assert_eq!(one_lossless, Err(ClassError::TooFewLossless { found: 1 }));
    assert_eq!(with(&|rows| rows[0].pcp = 5), Err(ClassError::SharedPriority { pcp: 5 }));
    assert_eq!(with(&|rows| rows[4].cbfc_vc = 0), Err(ClassError::SharedCredits { vc: 0 }));
    for change in
        [|row: &mut Class| row.pcp = 8, |row: &mut Class| row.dscp = 64, |row: &mut Class| row.cbfc_vc = 32]
    {
        assert!(matches!(with(&|rows| change(&mut rows[2])), Err(ClassError::Field(_))));
    }
    let shared = with(&|rows| rows[3].dscp = 18).expect("only SUE Lite minds");
    assert_eq!(shared.check_lite(), Err(ClassError::SharedDscp { dscp: 18 }));
}

/// P_CELL: 256 octets, n = 3; PKT_OVHD of the profile.
#[test]
fn cells_of_a_frame() {
    let cells =
        |profile: Profile, bytes| CellRule::new(3, profile.packet_overhead()).expect("a rule").cells(bytes);
    assert_eq!([64, 236, 237, 2048].map(|bytes| cells(Profile::Sue1, bytes)), [1, 1, 2, 9]);
    assert_eq!([64, 260, 261, 2048].map(|bytes| cells(Profile::Ue103, bytes)), [1, 1, 2, 8]);
    assert_eq!(CellRule::new(7, 0), Err(CellError::Exponent { exponent: 7 }));
    assert_eq!(CellRule::new(0, -17), Err(CellError::Overhead { overhead: -17 }));
}
