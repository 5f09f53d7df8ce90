//! The wire side of `eth_mac`: frames and ordered sets as columns of XGMII with 64 bits (chapter 50, 0, 3.7 and 4.7).

use super::super::format::frame::{seal, FcsCover, FrameState};
use super::super::format::octets::FieldError;
use super::super::format::{LinkControlError, Preamble};
use flitforge_protocol::sue::link_control::{
    FRAME_END, FRAME_START, IDLE, LEAST_GAP, ORDERED_SET_START, PREAMBLE_BYTES,
};
use flitforge_protocol::sue::{INTER_PACKET_GAP, MAX_FRAME_BYTES, MIN_FRAME_BYTES};

/// Octets of a column, and of the two transfers in it.
pub const COLUMN: usize = 8;
const TRANSFER: usize = COLUMN / 2;
/// Most octets that gaps may lack: a frame starts in the first octet of a column.
pub const DEFICIT_MAX: usize = COLUMN - 1;

/// Eight octets of one clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// The octets, in the order of the wire.
    pub octets: [u8; COLUMN],
    /// Bit i: octet i is a control character.
    pub control: u8,
}

impl Column {
    /// Nothing.
    pub const IDLE: Column = Column { octets: [IDLE as u8; COLUMN], control: u8::MAX };

    /// Octets of which the first is a control character: an ordered set or a preamble.
    #[must_use]
    pub const fn marked(octets: [u8; COLUMN]) -> Self {
        Column { octets, control: 1 }
    }

    /// The octets as a word, octet 0 in the lowest bits.
    #[must_use]
    pub const fn word(self) -> u64 {
        u64::from_le_bytes(self.octets)
    }

    /// The two transfers of four octets with their control bits.
    #[must_use]
    pub fn transfers(self) -> [([u8; TRANSFER], u8); 2] {
        let [a, b, c, d, e, f, g, h] = self.octets;
        [([a, b, c, d], self.control & 0xF), ([e, f, g, h], self.control >> TRANSFER)]
    }
}

/// Settings of both directions, as in P_CTRL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct XgmiiConfig {
    /// MINF: octets of the shortest frame without FCS.
    pub minimum: usize,
    /// IPG: octets between frames on the average, the end character included.
    pub gap: usize,
    /// LLR_FCS_SEQ.
    pub fcs_over_sequence: bool,
}

impl Default for XgmiiConfig {
    fn default() -> Self {
        XgmiiConfig { minimum: MIN_FRAME_BYTES, gap: INTER_PACKET_GAP, fcs_over_sequence: true }
    }
}

impl XgmiiConfig {
    /// What the FCS of a frame with this preamble runs over.
    #[must_use]
    pub const fn cover(&self, preamble: Preamble) -> FcsCover {
        match preamble {
            Preamble::Llr { sequence, flags } if self.fcs_over_sequence => {
                FcsCover::SequenceAndFrame { sequence, flags }
            }
            _ => FcsCover::Frame,
        }
    }

    /// The frame as it goes to the wire, with padding and FCS.
    pub fn seal(&self, preamble: Preamble, frame: &[u8], state: FrameState) -> Result<Vec<u8>, FieldError> {
        let mut frame = frame.to_vec();
        frame.resize(frame.len().max(self.minimum), 0);
        seal(&frame, self.cover(preamble), state)
    }
}

/// Counts what gaps lack.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GapDeficit(usize);

impl GapDeficit {
    /// The shortest gap that may follow an end character in octet `end` of its column; the next frame starts in octet 0.
    #[must_use]
    pub fn shortest(self, end: usize, gap: usize) -> usize {
        let allowed = |found: &usize| *found >= LEAST_GAP && self.after(*found, gap).0 <= DEFICIT_MAX;
        (COLUMN - end..).step_by(COLUMN).find(allowed).unwrap_or(usize::MAX)
    }

    /// After a gap of so many octets.
    #[must_use]
    pub const fn after(self, found: usize, gap: usize) -> Self {
        GapDeficit((self.0 + gap).saturating_sub(found))
    }

    /// Octets that the gaps so far lack.
    #[must_use]
    pub const fn octets(self) -> usize {
        self.0
    }
}

/// A sender whose frames always wait.
#[derive(Debug, Clone, Default)]
pub struct XgmiiEncoder {
    config: XgmiiConfig,
    deficit: GapDeficit,
    /// Where the last end character stood.
    end: Option<usize>,
}

impl XgmiiEncoder {
    /// A sender that has sent nothing.
    #[must_use]
    pub fn new(config: XgmiiConfig) -> Self {
        XgmiiEncoder { config, ..Default::default() }
    }

    /// The idle columns before a frame, and the columns of the frame.
    pub fn frame(
        &mut self,
        preamble: Preamble,
        frame: &[u8],
        state: FrameState,
    ) -> Result<Vec<Column>, FieldError> {
        let wire = self.config.seal(preamble, frame, state)?;
        self.sealed(preamble, &wire)
    }

    /// The same of a frame that has its FCS, right or wrong, and is sent as it is.
    pub fn sealed(&mut self, preamble: Preamble, wire: &[u8]) -> Result<Vec<Column>, FieldError> {
        let mut columns = vec![];
        if let Some(end) = self.end {
            let gap = self.deficit.shortest(end, self.config.gap);
            self.deficit = self.deficit.after(gap, self.config.gap);
            columns.resize((gap + end - COLUMN) / COLUMN, Column::IDLE);
        }
        columns.push(Column::marked(preamble.encode()?));
        self.end = Some(wire.len() % COLUMN);
        columns.extend(columns_of(wire));
        Ok(columns)
    }
}

/// The columns of a frame with FCS, its end character included.
fn columns_of(wire: &[u8]) -> Vec<Column> {
    let filled = |part: &[u8]| {
        let mut column = Column::IDLE;
        column.octets[..part.len()].copy_from_slice(part);
        column.control = u8::MAX.checked_shl(part.len() as u32).unwrap_or(0);
        if let Some(end) = column.octets.get_mut(part.len()) {
            *end = FRAME_END as u8;
        }
        column
    };
    let mut columns: Vec<Column> = wire.chunks(COLUMN).map(filled).collect();
    if wire.len() % COLUMN == 0 {
        columns.push(filled(&[]));
    }
    columns
}

/// How a frame ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameEnd {
    /// With its end character.
    Clean,
    /// With something else.
    Code,
    /// It had too many octets.
    Long,
}

/// What is found on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum XgmiiItem {
    /// A frame after a whole preamble.
    Frame {
        /// The preamble.
        preamble: Result<Preamble, LinkControlError>,
        /// Its octets with FCS.
        octets: Vec<u8>,
        /// How it ended.
        end: FrameEnd,
    },
    /// A start without a whole preamble, or too soon after an end.
    NoFrame,
    /// An ordered set, whatever it says.
    Set([u8; PREAMBLE_BYTES]),
}

#[derive(Debug, Clone, Default)]
enum State {
    #[default]
    Between,
    Preamble([u8; TRANSFER]),
    Frame(Result<Preamble, LinkControlError>, Vec<u8>),
}

/// What a transfer of four octets is.
enum Transfer {
    Data([u8; TRANSFER]),
    Start,
    Set,
    /// Octets before the end character.
    End(usize),
    Other,
}

fn classify(octets: [u8; TRANSFER], control: u8) -> Transfer {
    let first = control.trailing_zeros() as usize;
    match u64::from(octets.get(first).copied().unwrap_or_default()) {
        _ if control == 0 => Transfer::Data(octets),
        FRAME_START if control == 1 => Transfer::Start,
        ORDERED_SET_START if control == 1 => Transfer::Set,
        FRAME_END => Transfer::End(first),
        _ => Transfer::Other,
    }
}

/// A receiver.
///
/// The columns are taken as transfers of four octets: frames and ordered sets begin with a transfer. What is no data and no end breaks a frame off
/// together with its whole transfer.
#[derive(Debug, Clone, Default)]
pub struct XgmiiDecoder {
    state: State,
    /// The first half of an ordered set.
    set: Option<[u8; TRANSFER]>,
    /// The last transfer was the upper half of a column, and a frame ended behind its first octet.
    late_end: bool,
}

impl XgmiiDecoder {
    /// Octets of the frame that is being received.
    #[must_use]
    pub fn octets_so_far(&self) -> Option<usize> {
        match &self.state {
            State::Frame(_, octets) => Some(octets.len()),
            _ => None,
        }
    }

    /// Takes a column.
    pub fn column(&mut self, column: Column) -> Vec<XgmiiItem> {
        let mut items = vec![];
        let [low, high] = column.transfers();
        self.transfer(low.0, low.1, &mut items);
        self.late_end = false;
        self.transfer(high.0, high.1, &mut items);
        items
    }

    fn transfer(&mut self, octets: [u8; TRANSFER], control: u8, items: &mut Vec<XgmiiItem>) {
        let found = classify(octets, control);
        let too_soon = std::mem::take(&mut self.late_end);
        if let Some(half) = self.set.take() {
            if let Transfer::Data(rest) = found {
                let mut set = [0; PREAMBLE_BYTES];
                set[..TRANSFER].copy_from_slice(&half);
                set[TRANSFER..].copy_from_slice(&rest);
                items.push(XgmiiItem::Set(set));
                return;
            }
            self.close(FrameEnd::Code, items);
        } else {
            self.state = self.advance(&found, octets, items);
        }
        match found {
            Transfer::Start if too_soon => items.push(XgmiiItem::NoFrame),
            Transfer::Start => self.state = State::Preamble(octets),
            _ => {}
        }
    }

    /// A transfer that is no second half of an ordered set.
    fn advance(&mut self, found: &Transfer, octets: [u8; TRANSFER], items: &mut Vec<XgmiiItem>) -> State {
        match (std::mem::take(&mut self.state), found) {
            (State::Preamble(half), Transfer::Data(rest)) => {
                let mut preamble = [0; PREAMBLE_BYTES];
                preamble[..TRANSFER].copy_from_slice(&half);
                preamble[TRANSFER..].copy_from_slice(rest);
                return State::Frame(Preamble::decode(preamble), vec![]);
            }
            (State::Preamble(_), _) => items.push(XgmiiItem::NoFrame),
            (state, Transfer::Set) => {
                self.set = Some(octets);
                return state;
            }
            (State::Frame(preamble, mut frame), Transfer::Data(more)) => {
                if frame.len() < MAX_FRAME_BYTES {
                    frame.extend(more);
                    return State::Frame(preamble, frame);
                }
                items.push(XgmiiItem::Frame { preamble, octets: frame, end: FrameEnd::Long });
            }
            (State::Frame(preamble, mut frame), Transfer::End(count)) => {
                frame.extend(&octets[..*count]);
                self.late_end = *count > 0;
                let end = if frame.len() > MAX_FRAME_BYTES { FrameEnd::Long } else { FrameEnd::Clean };
                items.push(XgmiiItem::Frame { preamble, octets: frame, end });
            }
            (state, _) => {
                self.state = state;
                self.close(FrameEnd::Code, items);
            }
        }
        State::Between
    }

    /// A frame that is being received breaks off.
    fn close(&mut self, end: FrameEnd, items: &mut Vec<XgmiiItem>) {
        match std::mem::take(&mut self.state) {
            State::Frame(preamble, octets) => {
                let end = if octets.len() == MAX_FRAME_BYTES { FrameEnd::Long } else { end };
                items.push(XgmiiItem::Frame { preamble, octets, end });
            }
            State::Preamble(_) => items.push(XgmiiItem::NoFrame),
            State::Between => {}
        }
    }
}
