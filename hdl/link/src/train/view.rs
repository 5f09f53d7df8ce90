//! What the sets of all lanes say together.

use super::skew::{TrainOutlier, TrainSkew, PAIRS, POSITION_BITS};
use super::transmit::OFFER_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::lane_word::training_set_2;

/// Bits of word 1 with `fresh`.
const WORD_1_BITS: usize = OFFER_BITS + 1;
/// Bits of word 2 below `epoch`: masks and requests.
const MASK_BITS: usize = training_set_2::epoch::LOW;
const _: () = assert!(
    training_set_2::request::LOW == 8 && training_set_2::answer::LOW == 12,
    "`update` has these places as numbers"
);

/// Looks at the last sets of all lanes at each `tick`, one word after the other: phases 1 to 8 in the clocks after it.
///
/// A tick counts if no lane is owed a set: one that had a set in the clock before but no new one since the last tick is
/// waited for, for two ticks; then its set is gone. So lanes of another clock neither lose nor repeat a set. A tick before
/// phase 8 of the last one does not count either.
#[block("train_view", new)]
pub struct TrainView {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// A training-set time is over.
    tick: In<Bit>,
    /// Lanes (by the receiver's numbers) whose last set was good.
    present: In<Bits<4>>,
    /// Lanes on which a good set came.
    received: In<Bits<4>>,
    /// Lanes whose set is a TS2.
    is_ts2: In<Bits<4>>,
    /// Lane number in the set.
    number: [In<Bits<2>>; 4],
    /// Count in the set.
    count: [In<Bits<8>>; 4],
    /// Words after the set.
    words_after: [In<Bits<4>>; 4],
    /// Word of the set held.
    word: [In<Bits<32>>; 4],
    /// Lanes (by the sender's numbers) that the peer is asked to use.
    rx_ok: In<Bits<4>>,
    /// Number of what it is asked for.
    request: In<Bits<4>>,
    /// What was seen becomes what the peer says.
    keep: In<Bit>,
    /// The lanes hold their sets.
    hold: Out<Bit>,
    /// Word to read.
    read_word: Out<Bits<3>>,
    /// Clocks since the tick, 1 to 8, or 0.
    phase: Out<Bits<4>>,
    /// From phase 2. Lanes with a set whose number no other lane names.
    valid: Out<Bits<4>>,
    /// From phase 1. Their numbers.
    numbers: [Out<Bits<2>>; 4],
    /// From phase 2. Those with TS1.
    ts1: Out<Bits<4>>,
    /// In phases 8 to 14. All valid lanes say the same, and every lane of `used` has a set.
    agreed: Out<Bit>,
    /// In phases 8 to 14. All lanes of `used` have a TS2.
    all_ts2: Out<Bit>,
    /// In phase 8. It is what the peer said before.
    same: Out<Bit>,
    /// In phases 8 to 14. The lanes of `used` are within 14 words.
    lined_up: Out<Bit>,
    /// In phases 8 to 14. If they are not: the lane to leave out, by the sender's numbers.
    late: Out<Bits<4>>,
    /// From phase 5. Lanes that the sender drives and is asked to use, by its numbers.
    used: Out<Bits<4>>,
    /// From phase 4. Lanes that this end is asked to use.
    asked: Out<Bits<4>>,
    /// From phase 5. The peer has seen `request`.
    answered: Out<Bit>,
    /// From phase 3. Word 1 of the sets, without `fresh`.
    offer: Out<Bits<OFFER_BITS>>,
    /// In phases 8 to 14. Lane (by the receiver's numbers) that each of the sender's lanes comes in at.
    source: [Out<Bits<2>>; 4],
    /// In phases 8 to 14. Lanes, by the receiver's numbers, that the lanes of `used` come in at.
    used_wires: Out<Bits<4>>,
    /// What the peer says: word 1.
    peer_offer: Out<Bits<OFFER_BITS>>,
    /// Its request.
    peer_request: Out<Bits<4>>,
    /// It keeps nothing from before.
    peer_fresh: Out<Bit>,
    /// Its epoch.
    peer_epoch: Out<Bits<16>>,
    /// Its GUID, low half.
    peer_guid_low: Out<Bits<32>>,
    /// Its GUID, high half.
    peer_guid_high: Out<Bits<32>>,

    #[wire(clock)]
    skew: TrainSkew,
    #[wire(clock)]
    outlier: TrainOutlier,
    late_lane: Reg<Bits<4>>,
    late_now: Local<Bits<4>>,
    count_phase: Reg<Bits<4>>,
    /// `count_phase` is 0 or 8.
    is_idle: Reg<Bit>,
    /// `present` of the clock before.
    was_present: Reg<Bits<4>>,
    /// What of it is owed a set, known a clock ahead.
    is_owed: Reg<Bit>,
    is_new: Reg<Bits<4>>,
    #[wire(d = _)]
    waited: [Reg<Bits<2>>; 4],
    taken: Reg<Bits<4>>,
    taken_ts2: Reg<Bits<4>>,
    #[wire(d = _)]
    taken_number: [Reg<Bits<2>>; 4],
    #[wire(d = _)]
    position: [Reg<Bits<POSITION_BITS>>; 4],
    is_valid: Reg<Bits<4>>,
    seen: Reg<Bits<4>>,
    seen_ts2: Reg<Bits<4>>,
    unlike: Reg<Bits<PAIRS>>,
    differ: Reg<Bit>,
    word_1: Reg<Bits<WORD_1_BITS>>,
    masks: Reg<Bits<MASK_BITS>>,
    is_answered: Reg<Bit>,
    epoch: Reg<Bits<16>>,
    guid_low: Reg<Bits<32>>,
    guid_high: Reg<Bits<32>>,
    used_lanes: Reg<Bits<4>>,
    on_used: Reg<Bits<4>>,
    has_agreed: Reg<Bit>,
    has_all_ts2: Reg<Bit>,
    equal: Reg<Bits<4>>,
    is_lined_up: Reg<Bit>,
    #[wire(d = _)]
    from: [Reg<Bits<2>>; 4],
    wires_in_use: Reg<Bits<4>>,
    kept_word_1: Reg<Bits<WORD_1_BITS>>,
    kept_masks: Reg<Bits<MASK_BITS>>,
    kept_epoch: Reg<Bits<16>>,
    kept_low: Reg<Bits<32>>,
    kept_high: Reg<Bits<32>>,

    one_count: Local<Bits<8>>,
    one_after: Local<Bits<4>>,
    may_go: Local<Bit>,
    there: Local<Bits<4>>,
    owed: Local<Bit>,
    go: Local<Bit>,
    numbered: [Local<Bits<4>>; 4],
    single: Local<Bits<4>>,
    first: Local<Bits<4>>,
    seen_now: Local<Bits<4>>,
    ts2_now: Local<Bits<4>>,
    merged: Local<Bits<32>>,
    unlike_now: Local<Bits<PAIRS>>,
    valid_pair: Local<Bits<PAIRS>>,
    used_pair: Local<Bits<PAIRS>>,
    equal_now: Local<Bits<4>>,
    on_used_now: Local<Bits<4>>,
    wires: [Local<Bits<4>>; 4],
    from_now: [Local<Bits<2>>; 4],
}

#[logic]
impl TrainView {
    /// For up to four lanes.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { skew: TrainSkew::new()?, .. })
    }

    fn update(&mut self) {
        self.take_sets();
        self.find_numbers();
        self.see_numbers();
        self.read_words();
        self.compare_with_kept();
        self.show_results();

        if keep {
            kept_word_1 = word_1;
            kept_masks = masks;
            kept_epoch = epoch;
            kept_low = guid_low;
            kept_high = guid_high;
        }
        peer_offer = kept_word_1.bits::<OFFER_BITS>(0);
        peer_request = kept_masks.bits::<4>(8);
        peer_fresh = kept_word_1[20];
        peer_epoch = kept_epoch;
        peer_guid_low = kept_low;
        peer_guid_high = kept_high;
        if clear {
            count_phase = 0;
            is_idle = true;
            is_new = 0;
        }
    }

    /// Phase 0: is a lane owed a set? If not, everything that goes with the sets is taken.
    fn take_sets(&mut self) {
        may_go = tick & is_idle;
        there = 0;
        owed = false;
        for i in 0..4 {
            waited[i] = waited[i];
            there = there.with(i, was_present[i] & (is_new[i] | !waited[i][1]));
            if (present[i] & !received[i]) & (!is_new[i] & !waited[i][1]) {
                owed = true;
            }
        }
        was_present = present;
        is_owed = owed;
        go = may_go & !is_owed;
        hold = go;
        is_new = is_new | received;
        if go {
            is_new = received;
            taken = there;
            taken_ts2 = is_ts2;
        }
        for i in 0..4 {
            taken_number[i] = taken_number[i];
            position[i] = position[i];
            one_count = count[i];
            one_after = words_after[i];
            if go {
                taken_number[i] = number[i];
                position[i] =
                    (bit_cast::<POSITION_BITS, 8>(one_count) << 3) + bit_cast::<POSITION_BITS, 4>(one_after);
            }
            if may_go {
                waited[i] = 0;
                if !is_new[i] & !waited[i][1] {
                    waited[i] = waited[i] + 1;
                }
                if !is_new[i] & waited[i][1] {
                    waited[i] = waited[i];
                }
            }
            numbers[i] = taken_number[i];
            skew.position[i] = position[i];
        }
        count_phase = 0;
        if count_phase.any() & !count_phase[3] {
            count_phase = count_phase + 1;
        }
        is_idle = !count_phase.any() | count_phase[3] | (count_phase == 7);
        if go {
            count_phase = 1;
            is_idle = false;
        }
        phase = count_phase;
    }

    /// Phase 1: a number that two lanes name counts on neither; the first lane left is the reference.
    fn find_numbers(&mut self) {
        for i in 0..4 {
            numbered[i] = 0;
            for j in 0..4 {
                numbered[i] = numbered[i].with(j, taken[j] & (taken_number[j] == i));
            }
        }
        single = 0;
        for i in 0..4 {
            if ((numbered[i] == 1) | (numbered[i] == 2)) | ((numbered[i] == 4) | (numbered[i] == 8)) {
                single = single | numbered[i];
            }
        }
        is_valid = single;
        valid = is_valid;
        ts1 = is_valid & !taken_ts2;
    }

    /// Phase 2: the first lane, and what numbers are seen.
    fn see_numbers(&mut self) {
        first = 0;
        for i in 0..4 {
            if is_valid[i] & !first.any() {
                first = first.with(i, true);
            }
        }
        seen_now = 0;
        ts2_now = 0;
        for i in 0..4 {
            if (numbered[i] & is_valid).any() {
                seen_now = seen_now.with(i, true);
                ts2_now = ts2_now.with(i, ((numbered[i] & is_valid) & taken_ts2).any());
            }
        }
        seen = seen_now;
        seen_ts2 = ts2_now;
    }

    /// Phases 1 to 4 read words 1, 2, 4 and 5; in 2 to 5 they are here. All valid lanes must have the same.
    fn read_words(&mut self) {
        read_word = 1;
        if count_phase == 2 {
            read_word = 2;
        }
        if count_phase == 3 {
            read_word = 4;
        }
        if count_phase == 4 {
            read_word = 5;
        }
        merged = 0;
        for i in 0..4 {
            if first[i] {
                merged = merged | word[i];
            }
        }
        if count_phase == 2 {
            word_1 = merged.bits::<WORD_1_BITS>(0);
        }
        if count_phase == 3 {
            masks = merged.bits::<MASK_BITS>(0);
            epoch = merged.bits::<16>(16);
        }
        if count_phase == 4 {
            guid_low = merged;
        }
        if count_phase == 5 {
            guid_high = merged;
        }
        unlike_now = 0;
        valid_pair = 0;
        used_pair = 0;
        for i in 0..3 {
            unlike_now = unlike_now.with(i, word[0] != word[i + 1]);
            valid_pair = valid_pair.with(i, is_valid[0] & is_valid[i + 1]);
            used_pair = used_pair.with(i, on_used[0] & on_used[i + 1]);
        }
        for i in 0..2 {
            unlike_now = unlike_now.with(i + 3, word[1] != word[i + 2]);
            valid_pair = valid_pair.with(i + 3, is_valid[1] & is_valid[i + 2]);
            used_pair = used_pair.with(i + 3, on_used[1] & on_used[i + 2]);
        }
        unlike_now = unlike_now.with(5, word[2] != word[3]);
        valid_pair = valid_pair.with(5, is_valid[2] & is_valid[3]);
        used_pair = used_pair.with(5, on_used[2] & on_used[3]);
        unlike = unlike_now;
        differ = (unlike & valid_pair).any();
        if count_phase != 3 {
            differ = differ;
            if (count_phase >= 4) & (count_phase <= 6) {
                differ = differ | (unlike & valid_pair).any();
            }
        }
    }

    /// Phases 4 to 6: which lanes are used, and by which wires; what has changed against the peer's last.
    fn compare_with_kept(&mut self) {
        used_lanes = masks.bits::<4>(0) & rx_ok;
        used = used_lanes;
        asked = masks.bits::<4>(4);
        is_answered = masks.bits::<4>(12) == request;
        answered = is_answered;
        offer = word_1.bits::<OFFER_BITS>(0);
        on_used_now = 0;
        for i in 0..4 {
            if used_lanes[i] {
                on_used_now = on_used_now | (numbered[i] & is_valid);
            }
        }
        on_used = on_used_now;
        equal_now = 0;
        equal_now = equal_now.with(0, (word_1 == kept_word_1) & (masks == kept_masks));
        equal_now = equal_now.with(1, epoch == kept_epoch);
        equal_now = equal_now.with(2, guid_low == kept_low);
        equal_now = equal_now.with(3, guid_high == kept_high);
        equal = equal_now;
        same = equal.all();
    }

    /// Phase 7: the results.
    fn show_results(&mut self) {
        outlier = In { far: skew.far, in_use: on_used };
        late_now = 0;
        for i in 0..4 {
            if ((numbered[i] & is_valid) & outlier.lane).any() {
                late_now = late_now.with(i, true);
            }
        }
        for i in 0..4 {
            from[i] = from[i];
            wires[i] = numbered[i] & is_valid;
            from_now[i] = 0;
            from_now[i] = from_now[i].with(0, wires[i][1] | wires[i][3]);
            from_now[i] = from_now[i].with(1, wires[i][2] | wires[i][3]);
            source[i] = from[i];
        }
        if count_phase == 7 {
            has_agreed = (used_lanes.any() & !differ) & !(used_lanes & !seen).any();
            has_all_ts2 = !(used_lanes & !seen_ts2).any();
            wires_in_use = on_used;
            late_lane = late_now;
            is_lined_up = !(skew.far & used_pair).any();
            for i in 0..4 {
                from[i] = from_now[i];
            }
        }
        used_wires = wires_in_use;
        agreed = has_agreed;
        all_ts2 = has_all_ts2;
        lined_up = is_lined_up;
        late = late_lane;
    }
}
