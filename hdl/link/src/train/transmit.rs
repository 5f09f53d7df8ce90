//! Training sets to the lanes.

use super::set_crc::{change_by_word_0, SetCrc, CRC_BITS};
use crate::lane::{check_lanes, LANE_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::lane_word::{
    training_set_0, training_set_2, ControlWordKind, COMMA, TRAINING_PATTERN, VERSION,
};
use std::array;

/// Bits of word 1 below `fresh`.
pub const OFFER_BITS: usize = 20;

/// Word 0 of TS1 on lane 0 with count 0 and bond index 0.
const FIRST_WORD: u64 = COMMA as u64
    | (ControlWordKind::Ts1.code() as u64) << training_set_0::kind::LOW
    | VERSION << training_set_0::version::LOW;
const _: () = assert!(
    training_set_2::request::LOW == 8 && training_set_2::answer::LOW == 12,
    "`update` has these places as numbers"
);
/// The bits in which TS2 differs from TS1.
const KIND_DIFFERENCE: u32 =
    ((ControlWordKind::Ts1.code() ^ ControlWordKind::Ts2.code()) as u32) << training_set_0::kind::LOW;

/// Sends training sets, in step on all lanes that send; see the [module](super).
///
/// One generator serves all lanes: they differ in word 0 (lane number, TS1 or TS2), and so in word 7, whose CRC is
/// the common one plus a constant per lane and kind. A word moves on when every lane that sends has taken it.
/// What a set says is taken when the set before it ends, so a set never mixes two states.
#[block("link_train_tx", new, lanes = LANES)]
pub struct TrainSetTx<const LANES: usize> {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear: no lane sends until the next set, whose count is 1.
    clear: In<Bit>,
    /// Lanes that send.
    send: In<Bits<4>>,
    /// Lanes that send TS2; the others send TS1.
    ts2: In<Bits<4>>,
    /// Word 1 but for `fresh`.
    offer: In<Bits<OFFER_BITS>>,
    /// Nothing is known from before.
    fresh: In<Bit>,
    /// Lanes driven.
    tx_mask: In<Bits<4>>,
    /// Lanes the peer is asked to use.
    rx_ok: In<Bits<4>>,
    /// Number of that request.
    request: In<Bits<4>>,
    /// The peer's last request that was seen.
    answer: In<Bits<4>>,
    /// Epoch.
    epoch: In<Bits<16>>,
    /// Bond index.
    bond_index: In<Bits<2>>,
    /// `NxtRxLTP`.
    next_rx: In<Bits<16>>,
    /// GUID, low half.
    guid_low: In<Bits<32>>,
    /// GUID, high half.
    guid_high: In<Bits<32>>,
    /// A set ends with this clock; also while no lane sends, every 8 clocks. From the lanes' `ready`, combinational.
    set_end: Out<Bit>,
    /// The lanes have the last word of a set.
    at_end: Out<Bit>,
    /// Training words: word in bits 31..0, ctl in bit 32.
    pub training: [StreamOut<Bits<LANE_BITS>>; LANES],

    #[wire(clock)]
    crc: SetCrc,
    index: Reg<Bits<3>>,
    /// `index` is not 0.
    inside: Reg<Bit>,
    /// `index` is 7.
    at_last: Reg<Bit>,
    #[init(FIRST_WORD)]
    word: Register<Bits<32>>,
    #[init(1)]
    next_count: Register<Bits<8>>,
    /// Lanes that have not taken the word yet.
    waits: Reg<Bits<4>>,
    /// The same with word 7, else 0: what ends a set goes far.
    last_waits: Reg<Bits<4>>,
    sending: Reg<Bits<4>>,
    is_ts2: Reg<Bits<4>>,
    sent_fresh: Reg<Bit>,
    sent_rx_ok: Reg<Bits<4>>,
    sent_request: Reg<Bits<4>>,
    sent_answer: Reg<Bits<4>>,
    sent_epoch: Reg<Bits<16>>,

    #[init(FIRST_WORD)]
    first_word: Constant<Bits<32>>,
    pattern: Constant<Bits<32>>,
    ctl: Constant<Bits<LANE_BITS>>,
    lane_field: [Constant<Bits<32>>; LANES],
    lane_change: [Constant<Bits<CRC_BITS>>; LANES],
    kind_difference: Constant<Bits<32>>,
    kind_change: Constant<Bits<CRC_BITS>>,
    advance: Local<Bit>,
    first: Local<Bit>,
    following: Local<Bits<32>>,
    left: Local<Bits<4>>,
    last_left: Local<Bits<4>>,
    lane_word: [Local<Bits<32>>; LANES],
    lane_crc: [Local<Bits<CRC_BITS>>; LANES],
    one_word: Local<Bits<32>>,
    one_crc: Local<Bits<CRC_BITS>>,
}

#[logic]
impl<const LANES: usize> TrainSetTx<LANES> {
    /// For `LANES` physical lanes, 1 to 4.
    pub fn new() -> Result<Self, ConfigError> {
        check_lanes("link_train_tx", LANES)?;
        let lane_field = |lane: usize| (lane as u32) << training_set_0::lane::LOW;
        Ok(Self {
            crc: SetCrc::new()?,
            pattern: Constant::new(u64::from(TRAINING_PATTERN).into()),
            ctl: Constant::new(Bits::default().replace_bit(32, true)),
            lane_field: array::from_fn(|lane| Constant::new(u64::from(lane_field(lane)).into())),
            lane_change: array::from_fn(|lane| Constant::new(change_by_word_0(lane_field(lane)).into())),
            kind_difference: Constant::new(u64::from(KIND_DIFFERENCE).into()),
            kind_change: Constant::new(change_by_word_0(KIND_DIFFERENCE).into()),
            ..
        })
    }

    fn update(&mut self) {
        self.move_word();
        self.next_word();
        next_count.enable = set_end;

        for i in 0..LANES {
            lane_crc[i] = crc.value ^ lane_change[i];
            lane_word[i] = word;
            if first {
                lane_word[i] = word | lane_field[i];
            }
            if is_ts2[i] {
                lane_crc[i] = (crc.value ^ lane_change[i]) ^ kind_change;
                if first {
                    lane_word[i] = (word | lane_field[i]) ^ kind_difference;
                }
            }
            one_crc = lane_crc[i];
            one_word = lane_word[i];
            if at_last {
                one_word = bit_cast::<32, CRC_BITS>(one_crc) | (bit_cast::<32, CRC_BITS>(!one_crc) << 16);
            }
            training[i].data = bit_cast::<LANE_BITS, 32>(one_word);
            if first {
                training[i].data = ctl | bit_cast::<LANE_BITS, 32>(one_word);
            }
            training[i].valid = waits[i];
        }

        if set_end {
            sending = send;
            is_ts2 = ts2;
            sent_fresh = fresh;
            sent_rx_ok = rx_ok;
            sent_request = request;
            sent_answer = answer;
            sent_epoch = epoch;
        }
        if clear {
            index = 0;
            inside = false;
            at_last = false;
            sending = 0;
            waits = 0;
            last_waits = 0;
        }
    }

    /// A word moves on when every lane that sends has it.
    fn move_word(&mut self) {
        left = 0;
        last_left = 0;
        for i in 0..LANES {
            last_left = last_left.with(i, last_waits[i] & !training[i].ready);
            left = left.with(i, waits[i] & !training[i].ready);
        }
        advance = !left.any();
        waits = left;
        last_waits = last_left;
        first = !inside;
        at_end = at_last;
        set_end = at_last & !last_left.any();
        if advance {
            index = index + 1;
            inside = !at_last;
            at_last = index == 6;
            last_waits = 0;
            if index == 6 {
                last_waits = sending;
            }
            waits = sending;
            if at_last {
                waits = send;
            }
        }
    }

    /// The word after the present one.
    fn next_word(&mut self) {
        following = pattern;
        if at_last {
            following =
                (first_word | (bit_cast::<32, 2>(bond_index) << 18)) | (bit_cast::<32, 8>(next_count) << 24);
        }
        if first {
            following = bit_cast::<32, OFFER_BITS>(offer) | (bit_cast::<32, 1>(sent_fresh.into()) << 20);
        }
        if index == 1 {
            following = (bit_cast::<32, 4>(tx_mask) | (bit_cast::<32, 4>(sent_rx_ok) << 4))
                | ((bit_cast::<32, 4>(sent_request) << 8) | (bit_cast::<32, 4>(sent_answer) << 12))
                | (bit_cast::<32, 16>(sent_epoch) << 16);
        }
        if index == 2 {
            following = bit_cast::<32, 16>(next_rx);
        }
        if index == 3 {
            following = guid_low;
        }
        if index == 4 {
            following = guid_high;
        }
        word = following;
        word.enable = advance;
        crc = In { word, first, enable: advance };
        next_count = next_count + 1;
    }
}
