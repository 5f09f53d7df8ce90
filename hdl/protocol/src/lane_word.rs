//! Lane words: start row, training sets, ALN rows, scrambler, sequence state (chapter 10, 3.6).
//!
//! A lane word is `{ctl, word[31:0]}`. Word n of an LTP is its bits 32n to 32n+31, bit 0 of the word first.

/// Bits of a lane word with its control flag.
pub const LANE_WORD_BITS: usize = 33;
/// Most lanes of one link.
pub const MAX_LANES: usize = 4;
/// Data rows between two ALN rows.
pub const ALN_INTERVAL_ROWS: usize = 4096;
/// Whole words of a line position (chapter 10, 4.7), modulo 2^16.
pub const LINE_POSITION_WORD_BITS: usize = 16;
/// Fraction bits of a line position: 1/256 of a word.
pub const LINE_POSITION_FRACTION_BITS: usize = 8;
/// Low byte of every control word: K28.5 on a coded lane.
pub const COMMA: u8 = 0xBC;
/// Words of a training set.
pub const TRAINING_SET_WORDS: usize = 8;
/// Version in word 0 of a training set.
pub const VERSION: u64 = 1;
/// Byte 3 of SDS.
pub const SDS_MARK: u8 = 0xA5;
/// Word 6 of a training set.
pub const TRAINING_PATTERN: u32 = 0x0F1E_2D3C;
/// Bits of a training set under its CRC: words 0 to 6.
pub const TRAINING_CRC_BITS: usize = 224;
/// What the frame pair of `phy_lvds` sends beside a data word, bit 0 first (chapter 10, 4.7).
pub const FRAME_DATA: u32 = 0x0000_FFFF;
/// What the frame pair of `phy_lvds` sends beside a control word, bit 0 first.
pub const FRAME_CONTROL: u32 = 0x00FF_FFFF;
/// Core clocks per 1,000 words of a lane of `phy_lvds` at least (chapter 10, 4.7): a pause in the rows is an error.
pub const LVDS_CLOCKS_PER_1000_WORDS: u64 = 1_030;
/// Core clocks per 1,000 words of a lane of `phy_ecp5` at least: what a port at its limit lacks in a replay, the core has to make up.
pub const SERDES_CLOCKS_PER_1000_WORDS: u64 = 1_030;
/// Good frame words of `phy_lvds` in a row that lock, bad ones in a row that unlock.
pub const FRAMES_TO_LOCK: u32 = 4;

coded_enum! {
    /// Byte 1 of a control word (chapter 10, 3.6).
    ControlWordKind: u8, {
        Ts1 = 0x4A, "TS1", "training set 1, word 0";
        Ts2 = 0x45, "TS2", "training set 2, word 0";
        Sds = 0x2D, "SDS", "start row: data follows";
        Aln = 0x1C, "ALN", "alignment row";
    }
}

/// Byte 1 of a TS1 on an inverted lane: the complement of 4A.
pub const TS1_INVERTED: u8 = !ControlWordKind::Ts1.code();
/// Byte 1 of a TS2 on an inverted lane: the complement of 45.
pub const TS2_INVERTED: u8 = !ControlWordKind::Ts2.code();

layout! {
    /// A lane word with its control flag, as it crosses the lane interface.
    lane_word, "Lane word", 33 bits, "chapter 10, 3.6 and 4.7", {
        word [0 +: 32] "data or control word";
        ctl [32 +: 1] "1: control word";
    }
}
layout! {
    /// Word 0 of TS1 and TS2, a control word.
    training_set_0, "TS1 / TS2 word 0 (ctl = 1)", 32 bits, "chapter 10, 3.6", {
        comma [0 +: 8] "BC";
        kind [8 +: 8] "4A: TS1, 45: TS2; complemented on an inverted lane";
        lane [16 +: 2] "physical lane of the sender";
        bond [18 +: 2] "bond index";
        version [20 +: 4] "1";
        count [24 +: 8] "TS count";
    }
}
layout! {
    /// Start row, a control word.
    sds, "SDS, start row (ctl = 1)", 32 bits, "chapter 10, 3.6", {
        comma [0 +: 8] "BC";
        kind [8 +: 8] "2D";
        lane [16 +: 2] "physical lane of the sender";
        bond [18 +: 2] "bond index";
        crc_mode [20 +: 2] "CRC mode";
        lanes_minus_1 [22 +: 2] "number of active lanes L, minus 1";
        mark [24 +: 8] "A5";
    }
}
layout! {
    /// Alignment word, a control word.
    aln, "ALN (ctl = 1)", 32 bits, "chapter 10, 3.6", {
        comma [0 +: 8] "BC";
        kind [8 +: 8] "1C";
        number [16 +: 16] "ALN number a mod 65536, from 1";
    }
}
layout! {
    /// Training set word 1.
    training_set_1, "Training set word 1", 32 bits, "chapter 10, 3.6", {
        cap_14b [0 +: 1] "can do mode 1";
        cap_48b [1 +: 1] "can do mode 2";
        cap_per_lane [2 +: 1] "can do mode 3";
        preferred [3 +: 3] "preferred CRC mode";
        bonded [6 +: 1] "part of a bond";
        log2_flits_per_beat [7 +: 2] "log2 of FLITS_PER_BEAT";
        log2_replay_slots [9 +: 4] "log2 of the replay slots";
        v_au [13 +: 3] "vAU: an allocation unit is 8 * 2^vAU bytes";
        vls_minus_1 [16 +: 4] "number of virtual lanes, minus 1";
        fresh [20 +: 1] "no state from before";
    }
}
layout! {
    /// Training set word 2.
    training_set_2, "Training set word 2", 32 bits, "chapter 10, 3.6", {
        tx_mask [0 +: 4] "lanes I drive";
        rx_ok [4 +: 4] "lanes I ask you to use";
        request [8 +: 4] "number of what I ask for, 1 to 15 and round again; 0 = I have asked for nothing yet";
        answer [12 +: 4] "the last request of yours that I have seen; 0 = none";
        epoch [16 +: 16] "epoch";
    }
}
layout! {
    /// Training set word 3.
    training_set_3, "Training set word 3", 32 bits, "chapter 10, 3.6", {
        next_rx_ltp [0 +: 16] "NxtRxLTP";
    }
}
layout! {
    /// Training set word 4.
    training_set_4, "Training set word 4", 32 bits, "chapter 10, 3.6", {
        guid_low [0 +: 32] "GUID, low half";
    }
}
layout! {
    /// Training set word 5.
    training_set_5, "Training set word 5", 32 bits, "chapter 10, 3.6", {
        guid_high [0 +: 32] "GUID, high half";
    }
}
layout! {
    /// Training set word 6.
    training_set_6, "Training set word 6", 32 bits, "chapter 10, 3.6", {
        pattern [0 +: 32] "0F1E2D3C";
    }
}
layout! {
    /// Training set word 7.
    training_set_7, "Training set word 7", 32 bits, "chapter 10, 3.6", {
        crc [0 +: 16] "CRC16 (0x11753) of words 0 to 6";
        crc_complement [16 +: 16] "complement of the CRC";
    }
}

/// The additive scrambler of data words (chapter 10, 3.6). Control words neither are scrambled nor advance it.
pub mod scrambler {
    /// Bits of the register.
    pub const WIDTH: usize = 23;
    /// Register bit that is the output.
    pub const OUTPUT_BIT: usize = 22;
    /// Register bits XORed into the new bit 0.
    pub const TAPS: [usize; 6] = [22, 20, 15, 7, 4, 1];
    /// The taps as a mask of the register.
    pub const TAP_MASK: u32 = (1 << 22) | (1 << 20) | (1 << 15) | (1 << 7) | (1 << 4) | (1 << 1);
    /// Period of the sequence in bits.
    pub const PERIOD: u32 = 8_388_607;
    /// Start values of physical lanes 0 to 3, loaded at the start row.
    pub const SEEDS: [u32; 4] = [0x1D_BFBC, 0x06_07BB, 0x1E_C760, 0x18_C0DB];
}

/// Lane of word 0 of LTP n, the *sequence state* s = (N n) mod L (chapter 10, 3.6).
///
/// `ltp_words` is N, 33 or 34; `ltp_number` counts every LTP on the wire from 0 at the start row.
#[must_use]
pub const fn sequence_state(ltp_words: usize, lanes: usize, ltp_number: u64) -> usize {
    ((ltp_words as u64 % lanes as u64) * (ltp_number % lanes as u64) % lanes as u64) as usize
}

/// Sequence state of the LTP behind one with state `state`: s + N mod L, without a multiplier.
#[must_use]
pub const fn next_sequence_state(ltp_words: usize, lanes: usize, state: usize) -> usize {
    (state + ltp_words % lanes) % lanes
}

/// Number of different sequence states (chapter 10, 3.6, table).
#[must_use]
pub const fn sequence_states(ltp_words: usize, lanes: usize) -> usize {
    let mut state = next_sequence_state(ltp_words, lanes, 0);
    let mut count = 1;
    while state != 0 {
        state = next_sequence_state(ltp_words, lanes, state);
        count += 1;
    }
    count
}

/// Transfer group of word `word` of an LTP: `word` mod L.
#[must_use]
pub const fn transfer_group(lanes: usize, word: usize) -> usize {
    word % lanes
}

/// Words of transfer group `group` in an LTP of `ltp_words` words.
#[must_use]
pub const fn group_words(ltp_words: usize, lanes: usize, group: usize) -> usize {
    (ltp_words + lanes - 1 - group) / lanes
}

/// Logical lane a transfer group rides in an LTP with this sequence state: (g + s) mod L.
#[must_use]
pub const fn group_lane(lanes: usize, group: usize, state: usize) -> usize {
    (group + state) % lanes
}

/// Logical lane of global word index G: G mod L.
#[must_use]
pub const fn word_lane(lanes: usize, global_word: u64) -> usize {
    (global_word % lanes as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_and_groups_are_those_of_the_table() {
        let row = |words: usize, lanes: usize| {
            let groups = (0..lanes).map(|group| group_words(words, lanes, group)).collect::<Vec<_>>();
            (groups, sequence_states(words, lanes))
        };
        assert_eq!(row(33, 4), (vec![9, 8, 8, 8], 4));
        assert_eq!(row(34, 4), (vec![9, 9, 8, 8], 2));
        assert_eq!(row(33, 3), (vec![11, 11, 11], 1));
        assert_eq!(row(34, 3), (vec![12, 11, 11], 3));
        assert_eq!(row(33, 2), (vec![17, 16], 2));
        assert_eq!(row(34, 2), (vec![17, 17], 1));
        assert_eq!(row(33, 1), (vec![33], 1));
        assert_eq!(row(34, 1), (vec![34], 1));
    }

    #[test]
    fn the_state_is_the_lane_of_the_first_word() {
        for words in [33, 34] {
            for lanes in 1..=4 {
                let mut state = 0;
                for ltp in 0..24 {
                    assert_eq!(sequence_state(words, lanes, ltp), word_lane(lanes, words as u64 * ltp));
                    assert_eq!(sequence_state(words, lanes, ltp), state);
                    state = next_sequence_state(words, lanes, state);
                }
            }
        }
    }

    #[test]
    fn the_tap_mask_is_the_taps() {
        let mask = scrambler::TAPS.iter().fold(0, |mask, tap| mask | 1 << tap);
        assert_eq!(scrambler::TAP_MASK, mask);
    }

    #[test]
    fn inverted_training_sets_read_as_the_chapter_says() {
        assert_eq!((TS1_INVERTED, TS2_INVERTED), (0xB5, 0xBA));
    }
}
