//! What the sets of all lanes say together.

use super::skew::{TrainOutlier, TrainSkew, PAIRS, POSITION_BITS};
use super::transmit::OFFER_BITS;
use crate::config::ConfigError;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::lane_word::training_set_2;

/// Bits of word 1 with `fresh`.
const WORD_1_BITS: usize = OFFER_BITS + 1;
/// Bits of word 2 below `epoch`: masks and requests.
const MASK_BITS: usize = training_set_2::epoch::LOW;
const _: () = assert!(
    training_set_2::request::LOW == 8 && training_set_2::answer::LOW == 12,
    "`update` has these places as numbers"
);

/// Looks at the last sets of all lanes at each `tick`, one word after the other: phases 1 to 8 in the clocks behind it.
///
/// A tick counts if no lane is owed a set: one that had a set in the clock before but no new one since the last tick is
/// waited for, for two ticks; then its set is gone. So lanes of another clock neither lose nor repeat a set. A tick before
/// phase 8 of the last one does not count either.
#[derive(LogicBlock)]
pub struct TrainView {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// A training-set time is over.
    pub tick: Signal<In, Bit>,
    /// Lanes (by the receiver's numbers) whose last set was good.
    pub present: Signal<In, Bits<4>>,
    /// Lanes on which a good set came.
    pub came: Signal<In, Bits<4>>,
    /// Lanes whose set is a TS2.
    pub is_ts2: Signal<In, Bits<4>>,
    /// Lane number in the set.
    pub number: [Signal<In, Bits<2>>; 4],
    /// Count in the set.
    pub count: [Signal<In, Bits<8>>; 4],
    /// Words behind the set.
    pub behind: [Signal<In, Bits<4>>; 4],
    /// Word of the set held.
    pub word: [Signal<In, Bits<32>>; 4],
    /// Lanes (by the sender's numbers) that the peer is asked to use.
    pub rx_ok: Signal<In, Bits<4>>,
    /// Number of what it is asked for.
    pub request: Signal<In, Bits<4>>,
    /// What was seen becomes what the peer says.
    pub keep: Signal<In, Bit>,
    /// The lanes hold their sets.
    pub hold: Signal<Out, Bit>,
    /// Word to read.
    pub read_word: Signal<Out, Bits<3>>,
    /// Clocks since the tick, 1 to 8, or 0.
    pub phase: Signal<Out, Bits<4>>,
    /// From phase 2. Lanes with a set whose number no other lane names.
    pub valid: Signal<Out, Bits<4>>,
    /// From phase 1. Their numbers.
    pub numbers: [Signal<Out, Bits<2>>; 4],
    /// From phase 2. Those with TS1.
    pub ts1: Signal<Out, Bits<4>>,
    /// In phases 8 to 14. All valid lanes say the same, and every lane of `used` has a set.
    pub agreed: Signal<Out, Bit>,
    /// In phases 8 to 14. All lanes of `used` have a TS2.
    pub all_ts2: Signal<Out, Bit>,
    /// In phase 8. It is what the peer said before.
    pub same: Signal<Out, Bit>,
    /// In phases 8 to 14. The lanes of `used` are within 14 words.
    pub lined_up: Signal<Out, Bit>,
    /// In phases 8 to 14. If they are not: the lane to leave out, by the sender's numbers.
    pub late: Signal<Out, Bits<4>>,
    /// From phase 5. Lanes that the sender drives and is asked to use, by its numbers.
    pub used: Signal<Out, Bits<4>>,
    /// From phase 4. Lanes that this end is asked to use.
    pub asked: Signal<Out, Bits<4>>,
    /// From phase 5. The peer has seen `request`.
    pub answered: Signal<Out, Bit>,
    /// From phase 3. Word 1 of the sets, without `fresh`.
    pub offer: Signal<Out, Bits<OFFER_BITS>>,
    /// In phases 8 to 14. Lane (by the receiver's numbers) that each of the sender's lanes comes in at.
    pub source: [Signal<Out, Bits<2>>; 4],
    /// In phases 8 to 14. Lanes, by the receiver's numbers, that the lanes of `used` come in at.
    pub used_wires: Signal<Out, Bits<4>>,
    /// What the peer says: word 1.
    pub peer_offer: Signal<Out, Bits<OFFER_BITS>>,
    /// Its request.
    pub peer_request: Signal<Out, Bits<4>>,
    /// It keeps nothing from before.
    pub peer_fresh: Signal<Out, Bit>,
    /// Its epoch.
    pub peer_epoch: Signal<Out, Bits<16>>,
    /// Its GUID, low half.
    pub peer_guid_low: Signal<Out, Bits<32>>,
    /// Its GUID, high half.
    pub peer_guid_high: Signal<Out, Bits<32>>,

    skew: TrainSkew,
    outlier: TrainOutlier,
    late_lane: DFF<Bits<4>>,
    late_now: Signal<Local, Bits<4>>,
    count_phase: DFF<Bits<4>>,
    /// `count_phase` is 0 or 8.
    is_idle: DFF<Bit>,
    /// `present` of the clock before.
    was_present: DFF<Bits<4>>,
    /// What of it is owed a set, known a clock ahead.
    is_owed: DFF<Bit>,
    is_new: DFF<Bits<4>>,
    waited: [DFF<Bits<2>>; 4],
    taken: DFF<Bits<4>>,
    taken_ts2: DFF<Bits<4>>,
    taken_number: [DFF<Bits<2>>; 4],
    position: [DFF<Bits<POSITION_BITS>>; 4],
    is_valid: DFF<Bits<4>>,
    seen: DFF<Bits<4>>,
    seen_ts2: DFF<Bits<4>>,
    unlike: DFF<Bits<PAIRS>>,
    differ: DFF<Bit>,
    word_1: DFF<Bits<WORD_1_BITS>>,
    masks: DFF<Bits<MASK_BITS>>,
    is_answered: DFF<Bit>,
    epoch: DFF<Bits<16>>,
    guid_low: DFF<Bits<32>>,
    guid_high: DFF<Bits<32>>,
    used_lanes: DFF<Bits<4>>,
    on_used: DFF<Bits<4>>,
    has_agreed: DFF<Bit>,
    has_all_ts2: DFF<Bit>,
    equal: DFF<Bits<4>>,
    is_lined_up: DFF<Bit>,
    from: [DFF<Bits<2>>; 4],
    wires_in_use: DFF<Bits<4>>,
    kept_word_1: DFF<Bits<WORD_1_BITS>>,
    kept_masks: DFF<Bits<MASK_BITS>>,
    kept_epoch: DFF<Bits<16>>,
    kept_low: DFF<Bits<32>>,
    kept_high: DFF<Bits<32>>,

    one_count: Signal<Local, Bits<8>>,
    one_behind: Signal<Local, Bits<4>>,
    may_go: Signal<Local, Bit>,
    there: Signal<Local, Bits<4>>,
    owed: Signal<Local, Bit>,
    go: Signal<Local, Bit>,
    numbered: [Signal<Local, Bits<4>>; 4],
    single: Signal<Local, Bits<4>>,
    first: Signal<Local, Bits<4>>,
    seen_now: Signal<Local, Bits<4>>,
    ts2_now: Signal<Local, Bits<4>>,
    merged: Signal<Local, Bits<32>>,
    unlike_now: Signal<Local, Bits<PAIRS>>,
    valid_pair: Signal<Local, Bits<PAIRS>>,
    used_pair: Signal<Local, Bits<PAIRS>>,
    equal_now: Signal<Local, Bits<4>>,
    on_used_now: Signal<Local, Bits<4>>,
    wires: [Signal<Local, Bits<4>>; 4],
    from_now: [Signal<Local, Bits<2>>; 4],
}

impl TrainView {
    /// For up to four lanes.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            outlier: Default::default(),
            late_lane: Default::default(),
            late_now: Default::default(),
            skew: TrainSkew::new()?,
            clock: Default::default(),
            clear: Default::default(),
            tick: Default::default(),
            present: Default::default(),
            came: Default::default(),
            is_ts2: Default::default(),
            number: Default::default(),
            count: Default::default(),
            behind: Default::default(),
            word: Default::default(),
            rx_ok: Default::default(),
            request: Default::default(),
            keep: Default::default(),
            hold: Default::default(),
            read_word: Default::default(),
            phase: Default::default(),
            valid: Default::default(),
            numbers: Default::default(),
            ts1: Default::default(),
            agreed: Default::default(),
            all_ts2: Default::default(),
            same: Default::default(),
            late: Default::default(),
            lined_up: Default::default(),
            used: Default::default(),
            asked: Default::default(),
            answered: Default::default(),
            offer: Default::default(),
            source: Default::default(),
            peer_offer: Default::default(),
            peer_request: Default::default(),
            peer_fresh: Default::default(),
            peer_epoch: Default::default(),
            peer_guid_low: Default::default(),
            peer_guid_high: Default::default(),
            count_phase: Default::default(),
            is_idle: Default::default(),
            was_present: Default::default(),
            is_owed: Default::default(),
            is_new: Default::default(),
            waited: Default::default(),
            taken: Default::default(),
            taken_ts2: Default::default(),
            taken_number: Default::default(),
            position: Default::default(),
            is_valid: Default::default(),
            seen: Default::default(),
            seen_ts2: Default::default(),
            unlike: Default::default(),
            differ: Default::default(),
            word_1: Default::default(),
            masks: Default::default(),
            is_answered: Default::default(),
            epoch: Default::default(),
            guid_low: Default::default(),
            guid_high: Default::default(),
            used_lanes: Default::default(),
            on_used: Default::default(),
            has_agreed: Default::default(),
            has_all_ts2: Default::default(),
            equal: Default::default(),
            is_lined_up: Default::default(),
            from: Default::default(),
            wires_in_use: Default::default(),
            used_wires: Default::default(),
            kept_word_1: Default::default(),
            kept_masks: Default::default(),
            kept_epoch: Default::default(),
            kept_low: Default::default(),
            kept_high: Default::default(),
            one_count: Default::default(),
            one_behind: Default::default(),
            may_go: Default::default(),
            there: Default::default(),
            owed: Default::default(),
            go: Default::default(),
            numbered: Default::default(),
            single: Default::default(),
            first: Default::default(),
            seen_now: Default::default(),
            ts2_now: Default::default(),
            merged: Default::default(),
            unlike_now: Default::default(),
            valid_pair: Default::default(),
            used_pair: Default::default(),
            equal_now: Default::default(),
            on_used_now: Default::default(),
            wires: Default::default(),
            from_now: Default::default(),
        })
    }
}

impl Logic for TrainView {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count_phase, is_idle, was_present, is_owed, is_new, taken, taken_ts2);
        dff_setup!(self, clock, is_valid, seen, seen_ts2);
        dff_setup!(
            self,
            clock,
            unlike,
            differ,
            word_1,
            masks,
            is_answered,
            epoch,
            guid_low,
            guid_high,
            used_lanes,
            on_used
        );
        dff_setup!(self, clock, has_agreed, has_all_ts2, equal, is_lined_up, wires_in_use);
        dff_setup!(self, clock, kept_word_1, kept_masks, kept_epoch, kept_low, kept_high);
        dff_setup!(self, clock, late_lane);
        clock!(self, clock, skew, outlier);

        // Phase 0: is a lane owed a set? If not, everything that goes with the sets is taken.
        self.may_go.next = self.tick.val() & self.is_idle.q.val();
        self.there.next = 0.into();
        self.owed.next = false;
        for i in 0..4 {
            self.waited[i].clock.next = self.clock.val();
            self.waited[i].d.next = self.waited[i].q.val();
            self.there.next = self.there.val().replace_bit(
                i,
                self.was_present.q.val().get_bit(i)
                    & (self.is_new.q.val().get_bit(i) | !self.waited[i].q.val().get_bit(1)),
            );
            if (self.present.val().get_bit(i) & !self.came.val().get_bit(i))
                & (!self.is_new.q.val().get_bit(i) & !self.waited[i].q.val().get_bit(1))
            {
                self.owed.next = true;
            }
        }
        self.was_present.d.next = self.present.val();
        self.is_owed.d.next = self.owed.val();
        self.go.next = self.may_go.val() & !self.is_owed.q.val();
        self.hold.next = self.go.val();
        self.is_new.d.next = self.is_new.q.val() | self.came.val();
        if self.go.val() {
            self.is_new.d.next = self.came.val();
            self.taken.d.next = self.there.val();
            self.taken_ts2.d.next = self.is_ts2.val();
        }
        for i in 0..4 {
            self.taken_number[i].clock.next = self.clock.val();
            self.taken_number[i].d.next = self.taken_number[i].q.val();
            self.position[i].clock.next = self.clock.val();
            self.position[i].d.next = self.position[i].q.val();
            self.one_count.next = self.count[i].val();
            self.one_behind.next = self.behind[i].val();
            if self.go.val() {
                self.taken_number[i].d.next = self.number[i].val();
                self.position[i].d.next = (bit_cast::<POSITION_BITS, 8>(self.one_count.val()) << 3)
                    + bit_cast::<POSITION_BITS, 4>(self.one_behind.val());
            }
            if self.may_go.val() {
                self.waited[i].d.next = 0.into();
                if !self.is_new.q.val().get_bit(i) & !self.waited[i].q.val().get_bit(1) {
                    self.waited[i].d.next = self.waited[i].q.val() + 1;
                }
                if !self.is_new.q.val().get_bit(i) & self.waited[i].q.val().get_bit(1) {
                    self.waited[i].d.next = self.waited[i].q.val();
                }
            }
            self.numbers[i].next = self.taken_number[i].q.val();
            self.skew.position[i].next = self.position[i].q.val();
        }
        self.count_phase.d.next = 0.into();
        if self.count_phase.q.val().any() & !self.count_phase.q.val().get_bit(3) {
            self.count_phase.d.next = self.count_phase.q.val() + 1;
        }
        self.is_idle.d.next = !self.count_phase.q.val().any()
            | self.count_phase.q.val().get_bit(3)
            | (self.count_phase.q.val() == 7);
        if self.go.val() {
            self.count_phase.d.next = 1.into();
            self.is_idle.d.next = false;
        }
        self.phase.next = self.count_phase.q.val();

        // Phase 1: a number that two lanes name counts on neither; the first lane left is the reference.
        for i in 0..4 {
            self.numbered[i].next = 0.into();
            for j in 0..4 {
                self.numbered[i].next = self.numbered[i].val().replace_bit(
                    j,
                    self.taken.q.val().get_bit(j) & (self.taken_number[j].q.val().index() == i),
                );
            }
        }
        self.single.next = 0.into();
        for i in 0..4 {
            if ((self.numbered[i].val() == 1) | (self.numbered[i].val() == 2))
                | ((self.numbered[i].val() == 4) | (self.numbered[i].val() == 8))
            {
                self.single.next = self.single.val() | self.numbered[i].val();
            }
        }
        self.is_valid.d.next = self.single.val();
        self.valid.next = self.is_valid.q.val();
        self.ts1.next = self.is_valid.q.val() & !self.taken_ts2.q.val();

        // Phase 2: the first lane, and what numbers are seen.
        self.first.next = 0.into();
        for i in 0..4 {
            if self.is_valid.q.val().get_bit(i) & !self.first.val().any() {
                self.first.next = self.first.val().replace_bit(i, true);
            }
        }
        self.seen_now.next = 0.into();
        self.ts2_now.next = 0.into();
        for i in 0..4 {
            if (self.numbered[i].val() & self.is_valid.q.val()).any() {
                self.seen_now.next = self.seen_now.val().replace_bit(i, true);
                self.ts2_now.next = self.ts2_now.val().replace_bit(
                    i,
                    ((self.numbered[i].val() & self.is_valid.q.val()) & self.taken_ts2.q.val()).any(),
                );
            }
        }
        self.seen.d.next = self.seen_now.val();
        self.seen_ts2.d.next = self.ts2_now.val();

        // Phases 1 to 4 read words 1, 2, 4 and 5; in 2 to 5 they are here. All valid lanes must have the same.
        self.read_word.next = 1.into();
        if self.count_phase.q.val() == 2 {
            self.read_word.next = 2.into();
        }
        if self.count_phase.q.val() == 3 {
            self.read_word.next = 4.into();
        }
        if self.count_phase.q.val() == 4 {
            self.read_word.next = 5.into();
        }
        self.merged.next = 0.into();
        for i in 0..4 {
            if self.first.val().get_bit(i) {
                self.merged.next = self.merged.val() | self.word[i].val();
            }
        }
        if self.count_phase.q.val() == 2 {
            self.word_1.d.next = self.merged.val().get_bits::<WORD_1_BITS>(0);
        }
        if self.count_phase.q.val() == 3 {
            self.masks.d.next = self.merged.val().get_bits::<MASK_BITS>(0);
            self.epoch.d.next = self.merged.val().get_bits::<16>(16);
        }
        if self.count_phase.q.val() == 4 {
            self.guid_low.d.next = self.merged.val();
        }
        if self.count_phase.q.val() == 5 {
            self.guid_high.d.next = self.merged.val();
        }
        self.unlike_now.next = 0.into();
        self.valid_pair.next = 0.into();
        self.used_pair.next = 0.into();
        for i in 0..3 {
            self.unlike_now.next =
                self.unlike_now.val().replace_bit(i, self.word[0].val() != self.word[i + 1].val());
            self.valid_pair.next = self
                .valid_pair
                .val()
                .replace_bit(i, self.is_valid.q.val().get_bit(0) & self.is_valid.q.val().get_bit(i + 1));
            self.used_pair.next = self
                .used_pair
                .val()
                .replace_bit(i, self.on_used.q.val().get_bit(0) & self.on_used.q.val().get_bit(i + 1));
        }
        for i in 0..2 {
            self.unlike_now.next =
                self.unlike_now.val().replace_bit(i + 3, self.word[1].val() != self.word[i + 2].val());
            self.valid_pair.next = self
                .valid_pair
                .val()
                .replace_bit(i + 3, self.is_valid.q.val().get_bit(1) & self.is_valid.q.val().get_bit(i + 2));
            self.used_pair.next = self
                .used_pair
                .val()
                .replace_bit(i + 3, self.on_used.q.val().get_bit(1) & self.on_used.q.val().get_bit(i + 2));
        }
        self.unlike_now.next = self.unlike_now.val().replace_bit(5, self.word[2].val() != self.word[3].val());
        self.valid_pair.next = self
            .valid_pair
            .val()
            .replace_bit(5, self.is_valid.q.val().get_bit(2) & self.is_valid.q.val().get_bit(3));
        self.used_pair.next = self
            .used_pair
            .val()
            .replace_bit(5, self.on_used.q.val().get_bit(2) & self.on_used.q.val().get_bit(3));
        self.unlike.d.next = self.unlike_now.val();
        self.differ.d.next = (self.unlike.q.val() & self.valid_pair.val()).any();
        if self.count_phase.q.val() != 3 {
            self.differ.d.next = self.differ.q.val();
            if (self.count_phase.q.val() >= 4) & (self.count_phase.q.val() <= 6) {
                self.differ.d.next =
                    self.differ.q.val() | (self.unlike.q.val() & self.valid_pair.val()).any();
            }
        }

        // Phases 4 to 6: which lanes are used, and by which wires; what has changed against the peer's last.
        self.used_lanes.d.next = self.masks.q.val().get_bits::<4>(0) & self.rx_ok.val();
        self.used.next = self.used_lanes.q.val();
        self.asked.next = self.masks.q.val().get_bits::<4>(4);
        self.is_answered.d.next = self.masks.q.val().get_bits::<4>(12) == self.request.val();
        self.answered.next = self.is_answered.q.val();
        self.offer.next = self.word_1.q.val().get_bits::<OFFER_BITS>(0);
        self.on_used_now.next = 0.into();
        for i in 0..4 {
            if self.used_lanes.q.val().get_bit(i) {
                self.on_used_now.next =
                    self.on_used_now.val() | (self.numbered[i].val() & self.is_valid.q.val());
            }
        }
        self.on_used.d.next = self.on_used_now.val();
        self.equal_now.next = 0.into();
        self.equal_now.next = self.equal_now.val().replace_bit(
            0,
            (self.word_1.q.val() == self.kept_word_1.q.val())
                & (self.masks.q.val() == self.kept_masks.q.val()),
        );
        self.equal_now.next =
            self.equal_now.val().replace_bit(1, self.epoch.q.val() == self.kept_epoch.q.val());
        self.equal_now.next =
            self.equal_now.val().replace_bit(2, self.guid_low.q.val() == self.kept_low.q.val());
        self.equal_now.next =
            self.equal_now.val().replace_bit(3, self.guid_high.q.val() == self.kept_high.q.val());
        self.equal.d.next = self.equal_now.val();
        self.same.next = self.equal.q.val().all();

        // Phase 7: the results.
        self.outlier.far.next = self.skew.far.val();
        self.outlier.in_use.next = self.on_used.q.val();
        self.late_now.next = 0.into();
        for i in 0..4 {
            if ((self.numbered[i].val() & self.is_valid.q.val()) & self.outlier.lane.val()).any() {
                self.late_now.next = self.late_now.val().replace_bit(i, true);
            }
        }
        for i in 0..4 {
            self.from[i].clock.next = self.clock.val();
            self.from[i].d.next = self.from[i].q.val();
            self.wires[i].next = self.numbered[i].val() & self.is_valid.q.val();
            self.from_now[i].next = 0.into();
            self.from_now[i].next = self.from_now[i]
                .val()
                .replace_bit(0, self.wires[i].val().get_bit(1) | self.wires[i].val().get_bit(3));
            self.from_now[i].next = self.from_now[i]
                .val()
                .replace_bit(1, self.wires[i].val().get_bit(2) | self.wires[i].val().get_bit(3));
            self.source[i].next = self.from[i].q.val();
        }
        if self.count_phase.q.val() == 7 {
            self.has_agreed.d.next = (self.used_lanes.q.val().any() & !self.differ.q.val())
                & !(self.used_lanes.q.val() & !self.seen.q.val()).any();
            self.has_all_ts2.d.next = !(self.used_lanes.q.val() & !self.seen_ts2.q.val()).any();
            self.wires_in_use.d.next = self.on_used.q.val();
            self.late_lane.d.next = self.late_now.val();
            self.is_lined_up.d.next = !(self.skew.far.val() & self.used_pair.val()).any();
            for i in 0..4 {
                self.from[i].d.next = self.from_now[i].val();
            }
        }
        self.used_wires.next = self.wires_in_use.q.val();
        self.agreed.next = self.has_agreed.q.val();
        self.all_ts2.next = self.has_all_ts2.q.val();
        self.lined_up.next = self.is_lined_up.q.val();
        self.late.next = self.late_lane.q.val();

        if self.keep.val() {
            self.kept_word_1.d.next = self.word_1.q.val();
            self.kept_masks.d.next = self.masks.q.val();
            self.kept_epoch.d.next = self.epoch.q.val();
            self.kept_low.d.next = self.guid_low.q.val();
            self.kept_high.d.next = self.guid_high.q.val();
        }
        self.peer_offer.next = self.kept_word_1.q.val().get_bits::<OFFER_BITS>(0);
        self.peer_request.next = self.kept_masks.q.val().get_bits::<4>(8);
        self.peer_fresh.next = self.kept_word_1.q.val().get_bit(20);
        self.peer_epoch.next = self.kept_epoch.q.val();
        self.peer_guid_low.next = self.kept_low.q.val();
        self.peer_guid_high.next = self.kept_high.q.val();
        if self.clear.val() {
            self.count_phase.d.next = 0.into();
            self.is_idle.d.next = true;
            self.is_new.d.next = 0.into();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("train_view", &[])
    }
}

drive_ports!(impl[] TrainView {
    clock, clear, tick, present, came, is_ts2, number, count, behind, word, rx_ok, request, keep, hold, read_word, phase, valid,
    numbers, ts1, agreed, all_ts2, same, lined_up, late, used, asked, answered, offer, source, used_wires, peer_offer, peer_request, peer_fresh, peer_epoch,
    peer_guid_low, peer_guid_high,
});
