//! Training sets, start words and alignment words (chapter 10, 3.6).

use crate::crc::Crc;
use flitforge_protocol::crc::TRAINING_SET;
use flitforge_protocol::lane_word::{
    aln, sds, training_set_0, training_set_1, training_set_2, training_set_3, training_set_7,
    ControlWordKind, COMMA, SDS_MARK, TRAINING_PATTERN, TRAINING_SET_WORDS, TS1_INVERTED, TS2_INVERTED,
    VERSION,
};
use flitforge_protocol::ltp::CrcMode;
use flitforge_protocol::Field;
use thiserror::Error;

/// TS1 or TS2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TrainingKind {
    /// TS1: states Polling, Training, Retraining.
    Ts1,
    /// TS2: masks agreed.
    Ts2,
}

/// Whether a lane's two wires are swapped, as byte 1 of a training set shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Polarity {
    /// As sent.
    Normal,
    /// The receiver has to invert the lane.
    Inverted,
}

/// The content of one training set. Fields wider than their bits are refused by [`TrainingSet::encode`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TrainingSet {
    /// TS1 or TS2.
    pub kind: TrainingKind,
    /// Physical lane of the sender, 0 to 3.
    pub lane: u8,
    /// Bond index, 0 to 3.
    pub bond: u8,
    /// TS count, modulo 256.
    pub count: u8,
    /// CRC capabilities: bit 0 mode 1, bit 1 mode 2, bit 2 mode 3.
    pub capabilities: u8,
    /// Preferred CRC mode, 0 to 7 on the wire, 0 to 3 defined.
    pub preferred: u8,
    /// Part of a bond.
    pub bonded: bool,
    /// log2 of `FLITS_PER_BEAT`.
    pub log2_flits_per_beat: u8,
    /// log2 of the replay slots.
    pub log2_replay_slots: u8,
    /// vAU.
    pub v_au: u8,
    /// Number of virtual lanes minus 1.
    pub vls_minus_1: u8,
    /// No state from before.
    pub fresh: bool,
    /// Lanes the sender drives.
    pub tx_mask: u8,
    /// Lanes the sender asks the peer to use.
    pub rx_ok: u8,
    /// Number of what the sender asks for, 0 to 15.
    pub request: u8,
    /// The peer's last request that the sender has seen, 0 to 15; 0 = none.
    pub answer: u8,
    /// Epoch.
    pub epoch: u16,
    /// `NxtRxLTP`.
    pub next_rx_ltp: u16,
    /// GUID.
    pub guid: u64,
}

/// The start row's word of one lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StartWord {
    /// Physical lane of the sender, 0 to 3.
    pub lane: u8,
    /// Bond index, 0 to 3.
    pub bond: u8,
    /// CRC mode of the direction.
    pub mode: CrcMode,
    /// Active lanes L, 1 to 4.
    pub lanes: u8,
}

/// The word of an ALN row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AlignmentWord {
    /// ALN number a mod 65536; the first row has 1.
    pub number: u16,
}

/// Why words are no training set, start word or alignment word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum TrainingError {
    /// A field does not fit or has a value that is not allowed.
    #[error("control word, field {field}: {value:#x}, expected {expected}")]
    Field {
        /// Name of the field.
        field: &'static str,
        /// Value found or given.
        value: u64,
        /// What is allowed.
        expected: &'static str,
    },
    /// The CRC of a training set is wrong.
    #[error("training set CRC: word 7 is {word:08X}, words 0 to 6 give {crc:04X} and its complement")]
    Crc {
        /// Word 7.
        word: u32,
        /// CRC of the words.
        crc: u32,
    },
}

/// Puts values into a word, remembering the first that does not fit.
struct Builder {
    word: u128,
    error: Option<TrainingError>,
}

impl Builder {
    const fn new() -> Self {
        Builder { word: 0, error: None }
    }

    fn with(mut self, field: Field, value: u64) -> Self {
        if value > field.ones() && self.error.is_none() {
            self.error =
                Some(TrainingError::Field { field: field.name, value, expected: "a value of its width" });
        }
        self.word = field.set(self.word, value);
        self
    }

    fn finish(self) -> Result<u32, TrainingError> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(self.word as u32),
        }
    }
}

fn require(field: Field, word: u32, value: u64, expected: &'static str) -> Result<(), TrainingError> {
    let found = field.get(word.into());
    if found == value {
        Ok(())
    } else {
        Err(TrainingError::Field { field: field.name, value: found, expected })
    }
}

/// The polarity that word 0 of a training set shows; `None` if byte 1 is none of the four values.
#[must_use]
pub fn polarity(word: u32) -> Option<Polarity> {
    const TS1: u8 = ControlWordKind::Ts1.code();
    const TS2: u8 = ControlWordKind::Ts2.code();
    match training_set_0::kind::FIELD.get(word.into()) as u8 {
        TS1 | TS2 => Some(Polarity::Normal),
        TS1_INVERTED | TS2_INVERTED => Some(Polarity::Inverted),
        _ => None,
    }
}

impl TrainingSet {
    /// The eight words; word 0 is a control word, the others unscrambled data words.
    pub fn encode(&self) -> Result<[u32; TRAINING_SET_WORDS], TrainingError> {
        let kind = match self.kind {
            TrainingKind::Ts1 => ControlWordKind::Ts1,
            TrainingKind::Ts2 => ControlWordKind::Ts2,
        };
        let mut words = [0; TRAINING_SET_WORDS];
        words[0] = Builder::new()
            .with(training_set_0::comma::FIELD, COMMA.into())
            .with(training_set_0::kind::FIELD, kind.code().into())
            .with(training_set_0::lane::FIELD, self.lane.into())
            .with(training_set_0::bond::FIELD, self.bond.into())
            .with(training_set_0::version::FIELD, VERSION)
            .with(training_set_0::count::FIELD, self.count.into())
            .finish()?;
        words[1] = self.encode_capabilities()?;
        words[2] = Builder::new()
            .with(training_set_2::tx_mask::FIELD, self.tx_mask.into())
            .with(training_set_2::rx_ok::FIELD, self.rx_ok.into())
            .with(training_set_2::request::FIELD, self.request.into())
            .with(training_set_2::answer::FIELD, self.answer.into())
            .with(training_set_2::epoch::FIELD, self.epoch.into())
            .finish()?;
        words[3] = self.next_rx_ltp.into();
        words[4] = self.guid as u32;
        words[5] = (self.guid >> 32) as u32;
        words[6] = TRAINING_PATTERN;
        words[7] = word_7(&words);
        Ok(words)
    }

    fn encode_capabilities(&self) -> Result<u32, TrainingError> {
        if self.capabilities > 7 {
            let value = self.capabilities.into();
            return Err(TrainingError::Field { field: "capabilities", value, expected: "three bits" });
        }
        let capability = |mode: u32| u64::from(self.capabilities >> mode & 1);
        Builder::new()
            .with(training_set_1::cap_14b::FIELD, capability(0))
            .with(training_set_1::cap_48b::FIELD, capability(1))
            .with(training_set_1::cap_per_lane::FIELD, capability(2))
            .with(training_set_1::preferred::FIELD, self.preferred.into())
            .with(training_set_1::bonded::FIELD, self.bonded.into())
            .with(training_set_1::log2_flits_per_beat::FIELD, self.log2_flits_per_beat.into())
            .with(training_set_1::log2_replay_slots::FIELD, self.log2_replay_slots.into())
            .with(training_set_1::v_au::FIELD, self.v_au.into())
            .with(training_set_1::vls_minus_1::FIELD, self.vls_minus_1.into())
            .with(training_set_1::fresh::FIELD, self.fresh.into())
            .finish()
    }

    /// Reads eight words of a lane with normal [`polarity`]. Comma, kind, version, pattern and CRC must be right.
    pub fn decode(words: &[u32; TRAINING_SET_WORDS]) -> Result<Self, TrainingError> {
        require(training_set_0::comma::FIELD, words[0], COMMA.into(), "BC")?;
        require(training_set_0::version::FIELD, words[0], VERSION, "1")?;
        if words[6] != TRAINING_PATTERN {
            let value = words[6].into();
            return Err(TrainingError::Field { field: "pattern", value, expected: "0F1E2D3C" });
        }
        if words[7] != word_7(words) {
            return Err(TrainingError::Crc { word: words[7], crc: crc(words) });
        }
        let kind = training_set_0::kind::FIELD.get(words[0].into());
        let kind = match ControlWordKind::from_code(kind as u8) {
            Some(ControlWordKind::Ts1) => TrainingKind::Ts1,
            Some(ControlWordKind::Ts2) => TrainingKind::Ts2,
            _ => return Err(TrainingError::Field { field: "kind", value: kind, expected: "4A or 45" }),
        };
        let byte = |word: usize, field: Field| field.get(words[word].into()) as u8;
        let flag = |word: usize, field: Field| field.get(words[word].into()) == 1;
        Ok(TrainingSet {
            kind,
            lane: byte(0, training_set_0::lane::FIELD),
            bond: byte(0, training_set_0::bond::FIELD),
            count: byte(0, training_set_0::count::FIELD),
            capabilities: byte(1, training_set_1::cap_14b::FIELD)
                | byte(1, training_set_1::cap_48b::FIELD) << 1
                | byte(1, training_set_1::cap_per_lane::FIELD) << 2,
            preferred: byte(1, training_set_1::preferred::FIELD),
            bonded: flag(1, training_set_1::bonded::FIELD),
            log2_flits_per_beat: byte(1, training_set_1::log2_flits_per_beat::FIELD),
            log2_replay_slots: byte(1, training_set_1::log2_replay_slots::FIELD),
            v_au: byte(1, training_set_1::v_au::FIELD),
            vls_minus_1: byte(1, training_set_1::vls_minus_1::FIELD),
            fresh: flag(1, training_set_1::fresh::FIELD),
            tx_mask: byte(2, training_set_2::tx_mask::FIELD),
            rx_ok: byte(2, training_set_2::rx_ok::FIELD),
            request: byte(2, training_set_2::request::FIELD),
            answer: byte(2, training_set_2::answer::FIELD),
            epoch: training_set_2::epoch::FIELD.get(words[2].into()) as u16,
            next_rx_ltp: training_set_3::next_rx_ltp::FIELD.get(words[3].into()) as u16,
            guid: u64::from(words[5]) << 32 | u64::from(words[4]),
        })
    }
}

fn crc(words: &[u32; TRAINING_SET_WORDS]) -> u32 {
    let mut crc = Crc::new(TRAINING_SET);
    words[..7].iter().for_each(|&word| crc.push_word(word));
    crc.value()
}

fn word_7(words: &[u32; TRAINING_SET_WORDS]) -> u32 {
    let crc = u64::from(crc(words));
    let word = training_set_7::crc::FIELD.set(0, crc);
    training_set_7::crc_complement::FIELD.set(word, !crc) as u32
}

impl StartWord {
    /// The control word.
    pub fn encode(&self) -> Result<u32, TrainingError> {
        if self.lanes == 0 || self.lanes > 4 {
            let value = self.lanes.into();
            return Err(TrainingError::Field { field: "lanes", value, expected: "1 to 4" });
        }
        Builder::new()
            .with(sds::comma::FIELD, COMMA.into())
            .with(sds::kind::FIELD, ControlWordKind::Sds.code().into())
            .with(sds::lane::FIELD, self.lane.into())
            .with(sds::bond::FIELD, self.bond.into())
            .with(sds::crc_mode::FIELD, self.mode.code().into())
            .with(sds::lanes_minus_1::FIELD, u64::from(self.lanes) - 1)
            .with(sds::mark::FIELD, SDS_MARK.into())
            .finish()
    }

    /// Reads a control word.
    pub fn decode(word: u32) -> Result<Self, TrainingError> {
        require(sds::comma::FIELD, word, COMMA.into(), "BC")?;
        require(sds::kind::FIELD, word, ControlWordKind::Sds.code().into(), "2D")?;
        require(sds::mark::FIELD, word, SDS_MARK.into(), "A5")?;
        let value = sds::crc_mode::FIELD.get(word.into());
        let mode = CrcMode::from_code(value as u8);
        Ok(StartWord {
            lane: sds::lane::FIELD.get(word.into()) as u8,
            bond: sds::bond::FIELD.get(word.into()) as u8,
            mode: mode.ok_or(TrainingError::Field { field: "crc_mode", value, expected: "0 to 3" })?,
            lanes: sds::lanes_minus_1::FIELD.get(word.into()) as u8 + 1,
        })
    }
}

impl AlignmentWord {
    /// The control word.
    #[must_use]
    pub const fn encode(self) -> u32 {
        let word = aln::comma::FIELD.set(0, COMMA as u64);
        let word = aln::kind::FIELD.set(word, ControlWordKind::Aln.code() as u64);
        aln::number::FIELD.set(word, self.number as u64) as u32
    }

    /// Reads a control word.
    pub fn decode(word: u32) -> Result<Self, TrainingError> {
        require(aln::comma::FIELD, word, COMMA.into(), "BC")?;
        require(aln::kind::FIELD, word, ControlWordKind::Aln.code().into(), "1C")?;
        Ok(AlignmentWord { number: aln::number::FIELD.get(word.into()) as u16 })
    }
}
