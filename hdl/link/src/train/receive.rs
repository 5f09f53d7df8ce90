//! Training sets from one lane.

use super::set_crc::SetCrc;
use crate::lane::LANE_IN_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::LutRam;
use flitforge_protocol::lane_word::{
    ControlWordKind, COMMA, TRAINING_PATTERN, TS1_INVERTED, TS2_INVERTED, VERSION,
};

/// Finds the training sets of one lane and keeps the last good one; see the [module](super).
///
/// Two clocks from the last word of a set to `received`. Polarity: word 0 with byte 1 turned over turns `invert`; the next
/// 31 words are then not looked at for that, for they may still come the old way. Word boundary: without `lane_lock`,
/// 64 words without a set's beginning give one `slip`. Both only with `may_turn`.
#[block("link_train_rx", new)]
pub struct TrainSetRx {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear: no set is there, the lane is not inverted.
    clear: In<Bit>,
    /// Polarity and word boundary may change: the link is in training.
    may_turn: In<Bit>,
    /// The PHY has a signal; without one, words do not count.
    signal_ok: In<Bit>,
    /// The PHY has found the word boundary itself.
    lane_lock: In<Bit>,
    /// Lane words: word in bits 31..0, ctl in bit 32, code_err in bit 33.
    pub lane: FlowIn<Bits<LANE_IN_BITS>>,
    /// The last good set is to be read now.
    hold: In<Bit>,
    /// Word of that set. Word i is there from 1 to i clocks after `hold`; then the next but one set may overwrite it.
    read_word: In<Bits<3>>,
    /// That word, 1 clock later.
    word: Out<Bits<32>>,
    /// The last set was good, and nothing but sets came since.
    present: Out<Bit>,
    /// A good set has come; with it change the five below.
    received: Out<Bit>,
    /// Lane number that the last good set names.
    number: Out<Bits<2>>,
    /// Bond index that it names.
    bond: Out<Bits<2>>,
    /// It is a TS2.
    is_ts2: Out<Bit>,
    /// Its count.
    count: Out<Bits<8>>,
    /// Words that came after it.
    words_after: Out<Bits<4>>,
    /// The PHY is to invert the lane.
    invert: Out<Bit>,
    /// Pulse: the PHY is to move the word boundary by one bit.
    slip: Out<Bit>,

    #[wire(clock)]
    crc: SetCrc,
    #[wire(clock)]
    sets: LutRam<Bits<32>, 4>,
    // The word that came last, and what it looks like.
    valid: Reg<Bit>,
    last_word: Reg<Bits<32>>,
    is_control: Reg<Bit>,
    is_data: Reg<Bit>,
    has_comma: Reg<Bit>,
    turned_comma: Reg<Bit>,
    ts1: Reg<Bit>,
    ts2: Reg<Bit>,
    turned_kind: Reg<Bit>,
    has_version: Reg<Bit>,
    has_pattern: Reg<Bit>,
    // The set that is coming.
    busy: Reg<Bit>,
    index: Reg<Bits<3>>,
    half: Reg<Bit>,
    coming_number: Reg<Bits<2>>,
    coming_bond: Reg<Bits<2>>,
    coming_ts2: Reg<Bit>,
    coming_count: Reg<Bits<8>>,
    pattern_seen: Reg<Bit>,
    check: Reg<Bit>,
    low_right: Reg<Bit>,
    high_right: Reg<Bit>,
    // The last good set.
    is_present: Reg<Bit>,
    has_come: Reg<Bit>,
    good_half: Reg<Bit>,
    good_number: Reg<Bits<2>>,
    good_bond: Reg<Bits<2>>,
    good_ts2: Reg<Bit>,
    good_count: Reg<Bits<8>>,
    after_count: Reg<Bits<4>>,
    held_half: Reg<Bit>,
    read: Reg<Bits<32>>,
    // Polarity and word boundary.
    inverted: Reg<Bit>,
    settling: Reg<Bits<5>>,
    hunting: Reg<Bits<6>>,
    slips: Reg<Bit>,

    comma: Constant<Bits<8>>,
    comma_inverted: Constant<Bits<8>>,
    ts1_kind: Constant<Bits<8>>,
    ts2_kind: Constant<Bits<8>>,
    ts1_turned: Constant<Bits<8>>,
    ts2_turned: Constant<Bits<8>>,
    #[init(VERSION)]
    version: Constant<Bits<4>>,
    pattern: Constant<Bits<32>>,
    begins: Local<Bit>,
    turned: Local<Bit>,
    goes_on: Local<Bit>,
    breaks: Local<Bit>,
    ends: Local<Bit>,
    good: Local<Bit>,
    turns: Local<Bit>,
}

#[logic]
impl TrainSetRx {
    /// A receiver; the same for every lane.
    pub fn new() -> Result<Self, ConfigError> {
        let byte = |byte: u8| Constant::new(u64::from(byte).into());
        Ok(Self {
            crc: SetCrc::new()?,
            comma: byte(COMMA),
            comma_inverted: byte(!COMMA),
            ts1_kind: byte(ControlWordKind::Ts1.code()),
            ts2_kind: byte(ControlWordKind::Ts2.code()),
            ts1_turned: byte(TS1_INVERTED),
            ts2_turned: byte(TS2_INVERTED),
            pattern: Constant::new(u64::from(TRAINING_PATTERN).into()),
            ..
        })
    }

    fn update(&mut self) {
        self.look();
        self.judge_set();

        if hold {
            held_half = good_half;
        }
        sets.read_address = bit_cast::<4, 3>(read_word) | (bit_cast::<4, 1>(held_half.into()) << 3);
        read = sets.read_data;

        self.turn();

        if clear {
            busy = false;
            is_present = false;
            has_come = false;
            inverted = false;
            settling = 0;
            hunting = 0;
            slips = false;
        }
        word = read;
        present = is_present;
        received = has_come;
        number = good_number;
        bond = good_bond;
        is_ts2 = good_ts2;
        count = good_count;
        words_after = after_count;
        invert = inverted;
        slip = slips;
    }

    /// Compared now, looked at in the next clock.
    fn look(&mut self) {
        valid = (lane.valid & signal_ok) & !clear;
        last_word = lane.data.bits::<32>(0);
        is_control = lane.data.bits::<2>(32) == 1;
        is_data = lane.data.bits::<2>(32) == 0;
        has_comma = lane.data.bits::<8>(0) == comma;
        turned_comma = lane.data.bits::<8>(0) == comma_inverted;
        ts1 = lane.data.bits::<8>(8) == ts1_kind;
        ts2 = lane.data.bits::<8>(8) == ts2_kind;
        turned_kind = (lane.data.bits::<8>(8) == ts1_turned) | (lane.data.bits::<8>(8) == ts2_turned);
        has_version = lane.data.bits::<4>(20) == version;
        has_pattern = lane.data.bits::<32>(0) == pattern;

        begins = ((valid & is_control) & (has_comma & has_version)) & (ts1 | ts2);
        turned = ((valid & is_control) & (has_comma | turned_comma)) & turned_kind;
        goes_on = (valid & busy) & is_data;
        ends = goes_on & index.all();
        // A word that belongs to no set, or a set cut off by the next.
        breaks = (valid & !goes_on) & (!begins | busy);

        let mut address = index;
        if begins {
            address = 0;
            index = 1;
            coming_number = last_word.bits::<2>(16);
            coming_bond = last_word.bits::<2>(18);
            coming_ts2 = ts2;
            coming_count = last_word.bits::<8>(24);
        }
        if goes_on {
            index = index + 1;
            pattern_seen = has_pattern;
            // Kept until word 7 has been compared: word 6 is the one before it.
            if index.all() {
                pattern_seen = pattern_seen;
            }
        }
        if valid {
            busy = begins | (goes_on & !ends);
        }
        sets.write_enable = begins | goes_on;
        sets.write_address = bit_cast::<4, 3>(address) | (bit_cast::<4, 1>(half.into()) << 3);
        sets.write_data = last_word;
        crc.word = last_word;
        // Looked at only after a set: what goes into it between sets means nothing.
        crc = In { first: is_control, enable: valid };
        low_right = last_word.bits::<16>(0) == crc.value;
        high_right = last_word.bits::<16>(16) == !crc.value;
        check = ends & !clear;
    }

    /// The verdict, one clock after word 7.
    fn judge_set(&mut self) {
        good = check & (low_right & high_right) & pattern_seen;
        has_come = good;
        if valid {
            after_count = after_count + 1;
        }
        if good {
            is_present = true;
            // Only now: what comes after a bad set must not overwrite the good one before it. Word 0 is not read.
            half = !half;
            good_half = half;
            good_number = coming_number;
            good_bond = coming_bond;
            good_ts2 = coming_ts2;
            good_count = coming_count;
            after_count = bit_cast::<4, 1>(valid.into());
        }
        if (check & !good) | breaks | !signal_ok {
            is_present = false;
        }
    }

    /// Polarity and word boundary.
    fn turn(&mut self) {
        turns = (turned & may_turn) & !settling.any();
        if valid & settling.any() {
            settling = settling - 1;
        }
        if turns {
            inverted = !inverted;
            settling = 31;
        }
        slips = false;
        if valid {
            hunting = hunting + 1;
            slips = hunting.all();
        }
        if begins | turned | lane_lock | !may_turn {
            hunting = 0;
            slips = false;
        }
    }
}
