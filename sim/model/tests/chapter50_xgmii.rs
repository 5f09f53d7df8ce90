//! Columns of XGMII (chapter 50, 0, 3.7 and 4.7): gaps with a deficit, every length, ordered sets, what breaks off.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use flitforge_model::sue::format::frame::{seal, FcsCover, FrameState};
use flitforge_model::sue::format::{Preamble, Sequence};
use flitforge_model::sue::link::xgmii::{
    Column, FrameEnd, GapDeficit, XgmiiConfig, XgmiiDecoder, XgmiiEncoder, XgmiiItem, COLUMN, DEFICIT_MAX,
};

fn numbered(sequence: u32) -> Preamble {
    Preamble::Llr { sequence: Sequence::new(sequence).expect("20 bits"), flags: 0 }
}

/// A column in the notation of IEEE 802.3: octets in hex, control characters by their letters.
fn column(text: &str) -> Column {
    let mut octets = [0; COLUMN];
    let mut control = 0;
    for (lane, word) in text.split_whitespace().enumerate() {
        let letter = match word {
            "S" => Some(0xFB),
            "T" => Some(0xFD),
            "E" => Some(0xFE),
            "I" => Some(0x07),
            "O" => Some(0x5C),
            _ => None,
        };
        octets[lane] = letter.unwrap_or_else(|| u8::from_str_radix(word, 16).expect("hex"));
        control |= u8::from(letter.is_some()) << lane;
    }
    Column { octets, control }
}

fn decode(columns: &[&str]) -> Vec<XgmiiItem> {
    let mut decoder = XgmiiDecoder::default();
    columns.iter().flat_map(|text| decoder.column(column(text))).collect()
}

fn frame(octets: &[u8], end: FrameEnd) -> XgmiiItem {
    XgmiiItem::Frame { preamble: Ok(Preamble::Standard), octets: octets.to_vec(), end }
}

#[test]
fn frames_and_gaps_by_hand() {
    // 9 octets with FCS: the end stands in octet 1, and 12 octets of gap would end in octet 5; with a deficit of 5, 7 is too short.
    let config = XgmiiConfig { minimum: 0, gap: 12, fcs_over_sequence: true };
    let mut encoder = XgmiiEncoder::new(config);
    let mut send = || encoder.frame(Preamble::Standard, &[1, 2, 3, 4, 5], FrameState::Good).expect("fits");
    let first = send();
    assert_eq!(first.len(), 3);
    assert_eq!(first[0], column("S 55 55 55 55 55 55 D5"));
    assert_eq!(first[1].control, 0);
    assert_eq!(first[2].control, 0b1111_1110);
    assert_eq!(&first[2].octets[1..3], &[0xFD, 0x07]);
    // 7 octets stand behind the end: one idle column, a gap of 15, more than 12.
    assert_eq!(send()[0], Column::IDLE);
}

/// A frame that has its FCS goes as it is, wrong or too short, and its gap is that of others.
#[test]
fn sealed_frames_go_as_they_are() {
    let (mut whole, mut sealed) = (XgmiiEncoder::default(), XgmiiEncoder::default());
    for bytes in [60, 61, 99, 1_500] {
        let octets: Vec<u8> = (0..bytes).map(|octet| octet as u8).collect();
        let wire = seal(&octets, FcsCover::Frame, FrameState::Good).expect("sealed");
        let expected = whole.frame(Preamble::Standard, &octets, FrameState::Good).expect("fits");
        assert_eq!(sealed.sealed(Preamble::Standard, &wire).expect("fits"), expected);
    }
    for wrong in [vec![], vec![1, 2, 3], vec![9; 200]] {
        let columns = sealed.sealed(Preamble::Standard, &wrong).expect("fits");
        let mut decoder = XgmiiDecoder::default();
        let items: Vec<XgmiiItem> = columns.into_iter().flat_map(|column| decoder.column(column)).collect();
        assert_eq!(items, [frame(&wrong, FrameEnd::Clean)]);
    }
}

#[test]
fn gaps_are_right_on_the_average_and_never_short() {
    for gap in 8..40 {
        let mut deficit = GapDeficit::default();
        let (mut sum, mut wanted) = (0, 0);
        for number in 0..1000_usize {
            let found = deficit.shortest(number * number % COLUMN, gap);
            deficit = deficit.after(found, gap);
            assert!(found >= 8 && deficit.octets() <= DEFICIT_MAX);
            (sum, wanted) = (sum + found, wanted + gap);
        }
        assert!(sum + DEFICIT_MAX >= wanted, "{sum} of {wanted}");
        // Beyond the least gap, nothing is wasted.
        assert!(gap < 15 || sum < wanted + COLUMN, "{sum} of {wanted}");
    }
}

#[test]
fn every_length_comes_back() {
    let config = XgmiiConfig { minimum: 8, ..Default::default() };
    let (mut encoder, mut decoder) = (XgmiiEncoder::new(config), XgmiiDecoder::default());
    for length in 1..=130 {
        let sent: Vec<u8> = (0..length).collect();
        let preamble = numbered(u32::from(length) * 4099);
        let columns = encoder.frame(preamble, &sent, FrameState::Good).expect("fits");
        let items: Vec<XgmiiItem> = columns.into_iter().flat_map(|column| decoder.column(column)).collect();
        let octets = config.seal(preamble, &sent, FrameState::Good).expect("fits");
        assert!(matches!(config.cover(preamble), FcsCover::SequenceAndFrame { .. }));
        assert_eq!(octets.len(), sent.len().max(8) + 4);
        assert_eq!(items, [XgmiiItem::Frame { preamble: Ok(preamble), octets, end: FrameEnd::Clean }]);
    }
}

#[test]
fn sets_are_taken_out_wherever_they_stand() {
    let set = XgmiiItem::Set([0x5C, 1, 2, 3, 4, 5, 6, 7]);
    let start = "S 55 55 55 55 55 55 D5";
    assert_eq!(decode(&["O 01 02 03 04 05 06 07"]), std::slice::from_ref(&set));
    assert_eq!(decode(&["I I I I O 01 02 03", "04 05 06 07 I I I I"]), std::slice::from_ref(&set));
    let inside = [start, "01 02 03 04 05 06 07 08", "O 01 02 03 04 05 06 07", "09 T I I I I I I"];
    assert_eq!(decode(&inside), [set.clone(), frame(&[1, 2, 3, 4, 5, 6, 7, 8, 9], FrameEnd::Clean)]);
    let across = [start, "01 02 03 04 O 01 02 03", "04 05 06 07 05 T I I"];
    assert_eq!(decode(&across), [set, frame(&[1, 2, 3, 4, 5], FrameEnd::Clean)]);
    let half = [start, "01 02 03 04 O 01 02 03", "04 T I I I I I I"];
    assert_eq!(decode(&half), [frame(&[1, 2, 3, 4], FrameEnd::Code)]);
}

#[test]
fn what_breaks_off_is_told() {
    let start = "S 55 55 55 55 55 55 D5";
    for broken in ["E 01 02 03 04 05 06 07", "I I I I I I I I", "01 02 E 03 04 T I I", "T 01 I I 00 00 00 00"]
    {
        let expected = match broken {
            "T 01 I I 00 00 00 00" => frame(&[1, 2, 3, 4, 5, 6, 7, 8], FrameEnd::Clean),
            _ => frame(&[1, 2, 3, 4, 5, 6, 7, 8], FrameEnd::Code),
        };
        assert_eq!(decode(&[start, "01 02 03 04 05 06 07 08", broken]), [expected], "{broken}");
    }
    let again = decode(&[start, "01 02 03 04 S 55 55 55", "55 55 55 D5 01 02 03 T"]);
    assert_eq!(again, [frame(&[1, 2, 3, 4], FrameEnd::Code), frame(&[1, 2, 3], FrameEnd::Clean)]);
    assert_eq!(decode(&["S 55 55 55 T I I I"]), [XgmiiItem::NoFrame]);
    assert_eq!(
        decode(&["S 55 55 55 S 55 55 55", "T I I I I I I I"]),
        [XgmiiItem::NoFrame, XgmiiItem::NoFrame]
    );
    let too_soon = decode(&[start, "01 02 03 04 05 T I I", start, "01 T I I I I I I"]);
    assert_eq!(too_soon, [frame(&[1, 2, 3, 4, 5], FrameEnd::Clean), XgmiiItem::NoFrame]);
}
