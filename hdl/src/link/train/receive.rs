//! Training sets from one lane.

use super::set_crc::SetCrc;
use crate::config::ConfigError;
use crate::link::lane::LANE_IN_BITS;
use crate::prim::stream::FlowIn;
use crate::prim::LutRam;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::lane_word::{
    ControlWordKind, COMMA, TRAINING_PATTERN, TS1_INVERTED, TS2_INVERTED, VERSION,
};

/// Finds the training sets of one lane and keeps the last good one; see the [module](super).
///
/// Two clocks from the last word of a set to `came`. Polarity: word 0 with byte 1 turned over turns `invert`; the next
/// 31 words are then not looked at for that, for they may still come the old way. Word boundary: without `lane_lock`,
/// 64 words without a set's beginning give one `slip`. Both only with `may_turn`.
#[derive(LogicBlock)]
pub struct TrainSetRx {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear: no set is there, the lane is not inverted.
    pub clear: Signal<In, Bit>,
    /// Polarity and word boundary may change: the link is in training.
    pub may_turn: Signal<In, Bit>,
    /// The PHY has a signal; without one, words do not count.
    pub signal_ok: Signal<In, Bit>,
    /// The PHY has found the word boundary itself.
    pub lane_lock: Signal<In, Bit>,
    /// Lane words: word in bits 31..0, ctl in bit 32, code_err in bit 33.
    pub lane: FlowIn<Bits<LANE_IN_BITS>>,
    /// The last good set is to be read now.
    pub hold: Signal<In, Bit>,
    /// Word of that set. Word i is there from 1 to i clocks behind `hold`; then the next but one set may overwrite it.
    pub read_word: Signal<In, Bits<3>>,
    /// That word, 1 clock later.
    pub word: Signal<Out, Bits<32>>,
    /// The last set was good, and nothing but sets came since.
    pub present: Signal<Out, Bit>,
    /// A good set has come; with it change the five below.
    pub came: Signal<Out, Bit>,
    /// Lane number that the last good set names.
    pub number: Signal<Out, Bits<2>>,
    /// Bond index that it names.
    pub bond: Signal<Out, Bits<2>>,
    /// It is a TS2.
    pub is_ts2: Signal<Out, Bit>,
    /// Its count.
    pub count: Signal<Out, Bits<8>>,
    /// Words that came behind it.
    pub behind: Signal<Out, Bits<4>>,
    /// The PHY is to invert the lane.
    pub invert: Signal<Out, Bit>,
    /// Pulse: the PHY is to move the word boundary by one bit.
    pub slip: Signal<Out, Bit>,

    crc: SetCrc,
    sets: LutRam<Bits<32>, 4>,
    // The word that came last, and what it looks like.
    valid: DFF<Bit>,
    last_word: DFF<Bits<32>>,
    is_control: DFF<Bit>,
    is_data: DFF<Bit>,
    has_comma: DFF<Bit>,
    turned_comma: DFF<Bit>,
    ts1: DFF<Bit>,
    ts2: DFF<Bit>,
    turned_kind: DFF<Bit>,
    has_version: DFF<Bit>,
    has_pattern: DFF<Bit>,
    // The set that is coming.
    busy: DFF<Bit>,
    index: DFF<Bits<3>>,
    half: DFF<Bit>,
    coming_number: DFF<Bits<2>>,
    coming_bond: DFF<Bits<2>>,
    coming_ts2: DFF<Bit>,
    coming_count: DFF<Bits<8>>,
    pattern_seen: DFF<Bit>,
    check: DFF<Bit>,
    low_right: DFF<Bit>,
    high_right: DFF<Bit>,
    // The last good set.
    is_present: DFF<Bit>,
    has_come: DFF<Bit>,
    good_half: DFF<Bit>,
    good_number: DFF<Bits<2>>,
    good_bond: DFF<Bits<2>>,
    good_ts2: DFF<Bit>,
    good_count: DFF<Bits<8>>,
    words_behind: DFF<Bits<4>>,
    held_half: DFF<Bit>,
    read: DFF<Bits<32>>,
    // Polarity and word boundary.
    inverted: DFF<Bit>,
    settling: DFF<Bits<5>>,
    hunting: DFF<Bits<6>>,
    slips: DFF<Bit>,

    comma: Constant<Bits<8>>,
    comma_inverted: Constant<Bits<8>>,
    ts1_kind: Constant<Bits<8>>,
    ts2_kind: Constant<Bits<8>>,
    ts1_turned: Constant<Bits<8>>,
    ts2_turned: Constant<Bits<8>>,
    version: Constant<Bits<4>>,
    pattern: Constant<Bits<32>>,
    begins: Signal<Local, Bit>,
    turned: Signal<Local, Bit>,
    goes_on: Signal<Local, Bit>,
    breaks: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    good: Signal<Local, Bit>,
    turns: Signal<Local, Bit>,
    address: Signal<Local, Bits<3>>,
}

impl TrainSetRx {
    /// A receiver; the same for every lane.
    pub fn new() -> Result<Self, ConfigError> {
        let byte = |byte: u8| Constant::new(u64::from(byte).into());
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            may_turn: Default::default(),
            signal_ok: Default::default(),
            lane_lock: Default::default(),
            lane: Default::default(),
            hold: Default::default(),
            read_word: Default::default(),
            word: Default::default(),
            present: Default::default(),
            came: Default::default(),
            number: Default::default(),
            bond: Default::default(),
            is_ts2: Default::default(),
            count: Default::default(),
            behind: Default::default(),
            invert: Default::default(),
            slip: Default::default(),
            crc: SetCrc::new()?,
            sets: Default::default(),
            valid: Default::default(),
            last_word: Default::default(),
            is_control: Default::default(),
            is_data: Default::default(),
            has_comma: Default::default(),
            turned_comma: Default::default(),
            ts1: Default::default(),
            ts2: Default::default(),
            turned_kind: Default::default(),
            has_version: Default::default(),
            has_pattern: Default::default(),
            busy: Default::default(),
            index: Default::default(),
            half: Default::default(),
            coming_number: Default::default(),
            coming_bond: Default::default(),
            coming_ts2: Default::default(),
            coming_count: Default::default(),
            pattern_seen: Default::default(),
            check: Default::default(),
            low_right: Default::default(),
            high_right: Default::default(),
            is_present: Default::default(),
            has_come: Default::default(),
            good_half: Default::default(),
            good_number: Default::default(),
            good_bond: Default::default(),
            good_ts2: Default::default(),
            good_count: Default::default(),
            words_behind: Default::default(),
            held_half: Default::default(),
            read: Default::default(),
            inverted: Default::default(),
            settling: Default::default(),
            hunting: Default::default(),
            slips: Default::default(),
            comma: byte(COMMA),
            comma_inverted: byte(!COMMA),
            ts1_kind: byte(ControlWordKind::Ts1.code()),
            ts2_kind: byte(ControlWordKind::Ts2.code()),
            ts1_turned: byte(TS1_INVERTED),
            ts2_turned: byte(TS2_INVERTED),
            version: Constant::new(VERSION.into()),
            pattern: Constant::new(u64::from(TRAINING_PATTERN).into()),
            begins: Default::default(),
            turned: Default::default(),
            goes_on: Default::default(),
            breaks: Default::default(),
            ends: Default::default(),
            good: Default::default(),
            turns: Default::default(),
            address: Default::default(),
        })
    }
}

impl Logic for TrainSetRx {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, valid, last_word, is_control, is_data, has_comma, turned_comma, ts1, ts2);
        dff_setup!(self, clock, turned_kind, has_version, has_pattern, busy, index, half, coming_number);
        dff_setup!(self, clock, coming_ts2, coming_count, pattern_seen, check, low_right, high_right);
        dff_setup!(self, clock, is_present, has_come, good_half, good_number, good_ts2, good_count);
        dff_setup!(self, clock, words_behind, held_half, read, inverted, settling, hunting, slips);
        dff_setup!(self, clock, coming_bond, good_bond);
        clock!(self, clock, crc, sets);

        // Compared now, looked at in the next clock.
        self.valid.d.next = (self.lane.valid.val() & self.signal_ok.val()) & !self.clear.val();
        self.last_word.d.next = self.lane.data.val().get_bits::<32>(0);
        self.is_control.d.next = self.lane.data.val().get_bits::<2>(32) == 1;
        self.is_data.d.next = self.lane.data.val().get_bits::<2>(32) == 0;
        self.has_comma.d.next = self.lane.data.val().get_bits::<8>(0) == self.comma.val();
        self.turned_comma.d.next = self.lane.data.val().get_bits::<8>(0) == self.comma_inverted.val();
        self.ts1.d.next = self.lane.data.val().get_bits::<8>(8) == self.ts1_kind.val();
        self.ts2.d.next = self.lane.data.val().get_bits::<8>(8) == self.ts2_kind.val();
        self.turned_kind.d.next = (self.lane.data.val().get_bits::<8>(8) == self.ts1_turned.val())
            | (self.lane.data.val().get_bits::<8>(8) == self.ts2_turned.val());
        self.has_version.d.next = self.lane.data.val().get_bits::<4>(20) == self.version.val();
        self.has_pattern.d.next = self.lane.data.val().get_bits::<32>(0) == self.pattern.val();

        self.begins.next = ((self.valid.q.val() & self.is_control.q.val())
            & (self.has_comma.q.val() & self.has_version.q.val()))
            & (self.ts1.q.val() | self.ts2.q.val());
        self.turned.next = ((self.valid.q.val() & self.is_control.q.val())
            & (self.has_comma.q.val() | self.turned_comma.q.val()))
            & self.turned_kind.q.val();
        self.goes_on.next = (self.valid.q.val() & self.busy.q.val()) & self.is_data.q.val();
        self.ends.next = self.goes_on.val() & self.index.q.val().all();
        // A word that belongs to no set, or a set cut off by the next.
        self.breaks.next =
            (self.valid.q.val() & !self.goes_on.val()) & (!self.begins.val() | self.busy.q.val());

        self.address.next = self.index.q.val();
        if self.begins.val() {
            self.address.next = 0.into();
            self.index.d.next = 1.into();
            self.coming_number.d.next = self.last_word.q.val().get_bits::<2>(16);
            self.coming_bond.d.next = self.last_word.q.val().get_bits::<2>(18);
            self.coming_ts2.d.next = self.ts2.q.val();
            self.coming_count.d.next = self.last_word.q.val().get_bits::<8>(24);
        }
        if self.goes_on.val() {
            self.index.d.next = self.index.q.val() + 1;
            self.pattern_seen.d.next = self.has_pattern.q.val();
            // Kept until word 7 has been compared: word 6 is the one before it.
            if self.index.q.val().all() {
                self.pattern_seen.d.next = self.pattern_seen.q.val();
            }
        }
        if self.valid.q.val() {
            self.busy.d.next = self.begins.val() | (self.goes_on.val() & !self.ends.val());
        }
        self.sets.write_enable.next = self.begins.val() | self.goes_on.val();
        self.sets.write_address.next =
            bit_cast::<4, 3>(self.address.val()) | (bit_cast::<4, 1>(self.half.q.val().into()) << 3);
        self.sets.write_data.next = self.last_word.q.val();
        self.crc.word.next = self.last_word.q.val();
        // Looked at only behind a set: what goes into it between sets means nothing.
        self.crc.first.next = self.is_control.q.val();
        self.crc.enable.next = self.valid.q.val();
        self.low_right.d.next = self.last_word.q.val().get_bits::<16>(0) == self.crc.value.val();
        self.high_right.d.next = self.last_word.q.val().get_bits::<16>(16) == !self.crc.value.val();
        self.check.d.next = self.ends.val() & !self.clear.val();

        // The verdict, one clock behind word 7.
        self.good.next = self.check.q.val()
            & (self.low_right.q.val() & self.high_right.q.val())
            & self.pattern_seen.q.val();
        self.has_come.d.next = self.good.val();
        if self.valid.q.val() {
            self.words_behind.d.next = self.words_behind.q.val() + 1;
        }
        if self.good.val() {
            self.is_present.d.next = true;
            // Only now: what comes after a bad set must not overwrite the good one before it. Word 0 is not read.
            self.half.d.next = !self.half.q.val();
            self.good_half.d.next = self.half.q.val();
            self.good_number.d.next = self.coming_number.q.val();
            self.good_bond.d.next = self.coming_bond.q.val();
            self.good_ts2.d.next = self.coming_ts2.q.val();
            self.good_count.d.next = self.coming_count.q.val();
            self.words_behind.d.next = bit_cast::<4, 1>(self.valid.q.val().into());
        }
        if (self.check.q.val() & !self.good.val()) | self.breaks.val() | !self.signal_ok.val() {
            self.is_present.d.next = false;
        }

        if self.hold.val() {
            self.held_half.d.next = self.good_half.q.val();
        }
        self.sets.read_address.next =
            bit_cast::<4, 3>(self.read_word.val()) | (bit_cast::<4, 1>(self.held_half.q.val().into()) << 3);
        self.read.d.next = self.sets.read_data.val();

        self.turns.next = (self.turned.val() & self.may_turn.val()) & !self.settling.q.val().any();
        if self.valid.q.val() & self.settling.q.val().any() {
            self.settling.d.next = self.settling.q.val() - 1;
        }
        if self.turns.val() {
            self.inverted.d.next = !self.inverted.q.val();
            self.settling.d.next = 31.into();
        }
        self.slips.d.next = false;
        if self.valid.q.val() {
            self.hunting.d.next = self.hunting.q.val() + 1;
            self.slips.d.next = self.hunting.q.val().all();
        }
        if self.begins.val() | self.turned.val() | self.lane_lock.val() | !self.may_turn.val() {
            self.hunting.d.next = 0.into();
            self.slips.d.next = false;
        }

        if self.clear.val() {
            self.busy.d.next = false;
            self.is_present.d.next = false;
            self.has_come.d.next = false;
            self.inverted.d.next = false;
            self.settling.d.next = 0.into();
            self.hunting.d.next = 0.into();
            self.slips.d.next = false;
        }
        self.word.next = self.read.q.val();
        self.present.next = self.is_present.q.val();
        self.came.next = self.has_come.q.val();
        self.number.next = self.good_number.q.val();
        self.bond.next = self.good_bond.q.val();
        self.is_ts2.next = self.good_ts2.q.val();
        self.count.next = self.good_count.q.val();
        self.behind.next = self.words_behind.q.val();
        self.invert.next = self.inverted.q.val();
        self.slip.next = self.slips.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("link_train_rx", &[])
    }
}

drive_ports!(impl[] TrainSetRx {
    clock, clear, may_turn, signal_ok, lane_lock, lane, hold, read_word, word, present, came, number, bond, is_ts2, count,
    behind, invert, slip,
});
