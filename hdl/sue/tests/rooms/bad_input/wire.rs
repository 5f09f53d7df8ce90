//! Frames on their way over a line of columns: seen whole, altered where they are, taken away, or put where the line is idle.

use crate::rooms::top::end::IDLE;
use flitforge_model::sue::format::frame::seal;
use flitforge_model::sue::format::reliability::r_crc_of;
use flitforge_model::sue::format::{frame::FrameState, FcsCover, Framing, PriorityPause, ReliabilityHeader};
use flitforge_protocol::sue::crc::CRC_BYTES;
use flitforge_protocol::sue::reliability::HEADER_BYTES;
use std::collections::VecDeque;

/// Columns of a line on which the largest frame of the tests is whole for a while.
pub const LENGTH: usize = 120;
/// Columns that stay idle on both sides of a frame that is put on the line.
const GAP: usize = 3;
/// Characters that begin and end a frame, and the octets from /S/ to its first one.
const START: u8 = 0xFB;
const TERMINATE: u8 = 0xFD;
const PREAMBLE: [u8; 8] = [START, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0xD5];
/// Where the reliability header and the body are in a frame of Gen 2 with 12 octets, the format after power-on.
pub const RH: usize = 14;
pub const BODY: usize = RH + HEADER_BYTES;

type Wire = VecDeque<(u64, u64)>;

fn octet(wire: &Wire, place: usize) -> (u8, bool) {
    let (data, control) = wire[place / 8];
    ((data >> (8 * (place % 8))) as u8, control >> (place % 8) & 1 == 1)
}

fn set_octet(wire: &mut Wire, place: usize, value: u8, control: bool) {
    let (column, lane) = (place / 8, place % 8);
    let (data, marks) = &mut wire[column];
    *data = *data & !(0xFF << (8 * lane)) | u64::from(value) << (8 * lane);
    *marks = *marks & !(1 << lane) | u64::from(control) << lane;
}

/// A frame and where it is.
#[derive(Clone)]
pub struct OnWire {
    /// Place of /S/.
    at: usize,
    /// From the first octet of the address to the FCS.
    pub octets: Vec<u8>,
}

/// The frame whose end is in the column that has just begun its way.
pub fn newest(wire: &Wire) -> Option<OnWire> {
    let first = 8 * (wire.len() - 1);
    let end = (first..first + 8).find(|place| octet(wire, *place) == (TERMINATE, true))?;
    let at = (0..end).rev().find(|place| octet(wire, *place) == (START, true))?;
    let octets = (at + PREAMBLE.len()..end).map(|place| octet(wire, place).0).collect();
    Some(OnWire { at, octets })
}

/// The frame becomes another one of the same size.
pub fn alter(wire: &mut Wire, frame: &OnWire) {
    for (place, value) in frame.octets.iter().enumerate() {
        set_octet(wire, frame.at + PREAMBLE.len() + place, *value, false);
    }
}

/// The frame never was.
pub fn take_away(wire: &mut Wire, frame: &OnWire) {
    for place in frame.at..=frame.at + PREAMBLE.len() + frame.octets.len() {
        set_octet(wire, place, IDLE.0 as u8, true);
    }
}

/// A frame with its FCS begins its way, if the line is idle for so long.
pub fn put(wire: &mut Wire, octets: &[u8]) -> bool {
    let columns = (PREAMBLE.len() + octets.len() + 1).div_ceil(8);
    let from = wire.len() - columns - GAP;
    if wire.iter().skip(from - GAP).any(|column| *column != IDLE) {
        return false;
    }
    for (place, value) in PREAMBLE.iter().chain(octets).enumerate() {
        set_octet(wire, 8 * from + place, *value, place == 0);
    }
    set_octet(wire, 8 * from + PREAMBLE.len() + octets.len(), TERMINATE, true);
    true
}

/// The FCS of a frame is right again.
pub fn reseal(octets: &mut Vec<u8>) {
    let open = octets.len() - CRC_BYTES;
    *octets = seal(&octets[..open], FcsCover::Frame, FrameState::Good).expect("an FCS");
}

/// R-CRC and FCS are.
pub fn reseal_pdu(octets: &mut Vec<u8>) {
    assert_eq!(Framing::AfhGen2.header_bytes(), RH);
    let end = octets.len() - 2 * CRC_BYTES;
    let crc = r_crc_of(&octets[RH..end]);
    octets[end..end + CRC_BYTES].copy_from_slice(&crc.to_le_bytes());
    reseal(octets);
}

/// The reliability header is another one, all else as it was.
pub fn with_header(octets: &mut Vec<u8>, change: impl Fn(&mut ReliabilityHeader)) {
    let mut header = ReliabilityHeader::decode(&octets[RH..]).expect("a header");
    change(&mut header);
    octets[RH..BODY].copy_from_slice(&header.encode().expect("it fits"));
    reseal_pdu(octets);
}

/// Whether a frame carries commands.
pub fn has_body(frame: &OnWire) -> bool {
    frame.octets.len() > BODY && frame.octets[BODY..BODY + 2] != [0, 0]
}

/// The reliability header of a frame.
pub fn header_of(frame: &OnWire) -> ReliabilityHeader {
    ReliabilityHeader::decode(&frame.octets[RH..]).expect("a header")
}

/// A PFC frame with its FCS, as it is on the line: quanta by priority.
pub fn pause(quanta: [Option<u16>; 8]) -> Vec<u8> {
    let frame = PriorityPause { source: 0x0200_0000_0010, quanta };
    seal(&frame.encode().expect("a frame"), FcsCover::Frame, FrameState::Good).expect("an FCS")
}
