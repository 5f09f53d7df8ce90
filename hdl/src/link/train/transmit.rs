//! Training sets to the lanes.

use super::set_crc::{change_by_word_0, SetCrc, CRC_BITS};
use crate::config::ConfigError;
use crate::link::lane::{check_lanes, LANE_BITS};
use crate::prim::stream::StreamOut;
use crate::prim::Register;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
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
#[derive(LogicBlock)]
pub struct TrainSetTx<const LANES: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear: no lane sends until the next set, whose count is 1.
    pub clear: Signal<In, Bit>,
    /// Lanes that send.
    pub send: Signal<In, Bits<4>>,
    /// Lanes that send TS2; the others send TS1.
    pub ts2: Signal<In, Bits<4>>,
    /// Word 1 but for `fresh`.
    pub offer: Signal<In, Bits<OFFER_BITS>>,
    /// Nothing is known from before.
    pub fresh: Signal<In, Bit>,
    /// Lanes driven.
    pub tx_mask: Signal<In, Bits<4>>,
    /// Lanes the peer is asked to use.
    pub rx_ok: Signal<In, Bits<4>>,
    /// Number of that request.
    pub request: Signal<In, Bits<4>>,
    /// The peer's last request that was seen.
    pub answer: Signal<In, Bits<4>>,
    /// Epoch.
    pub epoch: Signal<In, Bits<16>>,
    /// Bond index.
    pub bond_index: Signal<In, Bits<2>>,
    /// `NxtRxLTP`.
    pub next_rx: Signal<In, Bits<16>>,
    /// GUID, low half.
    pub guid_low: Signal<In, Bits<32>>,
    /// GUID, high half.
    pub guid_high: Signal<In, Bits<32>>,
    /// A set ends with this clock; also while no lane sends, every 8 clocks. From the lanes' `ready`, combinational.
    pub set_end: Signal<Out, Bit>,
    /// The lanes have the last word of a set.
    pub at_end: Signal<Out, Bit>,
    /// Training words: word in bits 31..0, ctl in bit 32.
    pub training: [StreamOut<Bits<LANE_BITS>>; LANES],

    crc: SetCrc,
    index: DFF<Bits<3>>,
    /// `index` is not 0.
    inside: DFF<Bit>,
    /// `index` is 7.
    at_last: DFF<Bit>,
    word: Register<Bits<32>>,
    next_count: Register<Bits<8>>,
    /// Lanes that have not taken the word yet.
    waits: DFF<Bits<4>>,
    /// The same with word 7, else 0: what ends a set goes far.
    last_waits: DFF<Bits<4>>,
    sending: DFF<Bits<4>>,
    is_ts2: DFF<Bits<4>>,
    told_fresh: DFF<Bit>,
    told_rx_ok: DFF<Bits<4>>,
    told_request: DFF<Bits<4>>,
    told_answer: DFF<Bits<4>>,
    told_epoch: DFF<Bits<16>>,

    first_word: Constant<Bits<32>>,
    pattern: Constant<Bits<32>>,
    ctl: Constant<Bits<LANE_BITS>>,
    lane_field: [Constant<Bits<32>>; LANES],
    lane_change: [Constant<Bits<CRC_BITS>>; LANES],
    kind_difference: Constant<Bits<32>>,
    kind_change: Constant<Bits<CRC_BITS>>,
    advance: Signal<Local, Bit>,
    first: Signal<Local, Bit>,
    following: Signal<Local, Bits<32>>,
    left: Signal<Local, Bits<4>>,
    last_left: Signal<Local, Bits<4>>,
    lane_word: [Signal<Local, Bits<32>>; LANES],
    lane_crc: [Signal<Local, Bits<CRC_BITS>>; LANES],
    one_word: Signal<Local, Bits<32>>,
    one_crc: Signal<Local, Bits<CRC_BITS>>,
}

impl<const LANES: usize> TrainSetTx<LANES> {
    /// For `LANES` physical lanes, 1 to 4.
    pub fn new() -> Result<Self, ConfigError> {
        check_lanes("link_train_tx", LANES)?;
        let lane_field = |lane: usize| (lane as u32) << training_set_0::lane::LOW;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            send: Default::default(),
            ts2: Default::default(),
            offer: Default::default(),
            fresh: Default::default(),
            tx_mask: Default::default(),
            rx_ok: Default::default(),
            request: Default::default(),
            answer: Default::default(),
            epoch: Default::default(),
            bond_index: Default::default(),
            next_rx: Default::default(),
            guid_low: Default::default(),
            guid_high: Default::default(),
            set_end: Default::default(),
            at_end: Default::default(),
            training: defaults(),
            crc: SetCrc::new()?,
            index: Default::default(),
            inside: Default::default(),
            at_last: Default::default(),
            word: Register::new(FIRST_WORD.into()),
            next_count: Register::new(1.into()),
            waits: Default::default(),
            last_waits: Default::default(),
            sending: Default::default(),
            is_ts2: Default::default(),
            told_fresh: Default::default(),
            told_rx_ok: Default::default(),
            told_request: Default::default(),
            told_answer: Default::default(),
            told_epoch: Default::default(),
            first_word: Constant::new(FIRST_WORD.into()),
            pattern: Constant::new(u64::from(TRAINING_PATTERN).into()),
            ctl: Constant::new(Bits::default().replace_bit(32, true)),
            lane_field: array::from_fn(|lane| Constant::new(u64::from(lane_field(lane)).into())),
            lane_change: array::from_fn(|lane| Constant::new(change_by_word_0(lane_field(lane)).into())),
            kind_difference: Constant::new(u64::from(KIND_DIFFERENCE).into()),
            kind_change: Constant::new(change_by_word_0(KIND_DIFFERENCE).into()),
            advance: Default::default(),
            first: Default::default(),
            following: Default::default(),
            left: Default::default(),
            last_left: Default::default(),
            lane_word: defaults(),
            lane_crc: defaults(),
            one_word: Default::default(),
            one_crc: Default::default(),
        })
    }
}

impl<const LANES: usize> Logic for TrainSetTx<LANES> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            index,
            inside,
            at_last,
            waits,
            last_waits,
            sending,
            is_ts2,
            told_fresh,
            told_rx_ok,
            told_request,
            told_answer,
            told_epoch
        );
        clock!(self, clock, crc, word, next_count);

        // A word moves on when every lane that sends has it.
        self.left.next = 0.into();
        self.last_left.next = 0.into();
        for i in 0..LANES {
            self.last_left.next = self
                .last_left
                .val()
                .replace_bit(i, self.last_waits.q.val().get_bit(i) & !self.training[i].ready.val());
            self.left.next =
                self.left.val().replace_bit(i, self.waits.q.val().get_bit(i) & !self.training[i].ready.val());
        }
        self.advance.next = !self.left.val().any();
        self.waits.d.next = self.left.val();
        self.last_waits.d.next = self.last_left.val();
        self.first.next = !self.inside.q.val();
        self.at_end.next = self.at_last.q.val();
        self.set_end.next = self.at_last.q.val() & !self.last_left.val().any();
        if self.advance.val() {
            self.index.d.next = self.index.q.val() + 1;
            self.inside.d.next = !self.at_last.q.val();
            self.at_last.d.next = self.index.q.val() == 6;
            self.last_waits.d.next = 0.into();
            if self.index.q.val() == 6 {
                self.last_waits.d.next = self.sending.q.val();
            }
            self.waits.d.next = self.sending.q.val();
            if self.at_last.q.val() {
                self.waits.d.next = self.send.val();
            }
        }

        // The word behind the present one.
        self.following.next = self.pattern.val();
        if self.at_last.q.val() {
            self.following.next = (self.first_word.val() | (bit_cast::<32, 2>(self.bond_index.val()) << 18))
                | (bit_cast::<32, 8>(self.next_count.q.val()) << 24);
        }
        if self.first.val() {
            self.following.next = bit_cast::<32, OFFER_BITS>(self.offer.val())
                | (bit_cast::<32, 1>(self.told_fresh.q.val().into()) << 20);
        }
        if self.index.q.val() == 1 {
            self.following.next = (bit_cast::<32, 4>(self.tx_mask.val())
                | (bit_cast::<32, 4>(self.told_rx_ok.q.val()) << 4))
                | ((bit_cast::<32, 4>(self.told_request.q.val()) << 8)
                    | (bit_cast::<32, 4>(self.told_answer.q.val()) << 12))
                | (bit_cast::<32, 16>(self.told_epoch.q.val()) << 16);
        }
        if self.index.q.val() == 2 {
            self.following.next = bit_cast::<32, 16>(self.next_rx.val());
        }
        if self.index.q.val() == 3 {
            self.following.next = self.guid_low.val();
        }
        if self.index.q.val() == 4 {
            self.following.next = self.guid_high.val();
        }
        self.word.d.next = self.following.val();
        self.word.enable.next = self.advance.val();
        self.word.clear.next = self.clear.val();
        self.crc.word.next = self.word.q.val();
        self.crc.first.next = self.first.val();
        self.crc.enable.next = self.advance.val();
        self.next_count.d.next = self.next_count.q.val() + 1;
        self.next_count.enable.next = self.set_end.val();
        self.next_count.clear.next = self.clear.val();

        for i in 0..LANES {
            self.lane_crc[i].next = self.crc.value.val() ^ self.lane_change[i].val();
            self.lane_word[i].next = self.word.q.val();
            if self.first.val() {
                self.lane_word[i].next = self.word.q.val() | self.lane_field[i].val();
            }
            if self.is_ts2.q.val().get_bit(i) {
                self.lane_crc[i].next =
                    (self.crc.value.val() ^ self.lane_change[i].val()) ^ self.kind_change.val();
                if self.first.val() {
                    self.lane_word[i].next =
                        (self.word.q.val() | self.lane_field[i].val()) ^ self.kind_difference.val();
                }
            }
            self.one_crc.next = self.lane_crc[i].val();
            self.one_word.next = self.lane_word[i].val();
            if self.at_last.q.val() {
                self.one_word.next = bit_cast::<32, CRC_BITS>(self.one_crc.val())
                    | (bit_cast::<32, CRC_BITS>(!self.one_crc.val()) << 16);
            }
            self.training[i].data.next = bit_cast::<LANE_BITS, 32>(self.one_word.val());
            if self.first.val() {
                self.training[i].data.next = self.ctl.val() | bit_cast::<LANE_BITS, 32>(self.one_word.val());
            }
            self.training[i].valid.next = self.waits.q.val().get_bit(i);
        }

        if self.set_end.val() {
            self.sending.d.next = self.send.val();
            self.is_ts2.d.next = self.ts2.val();
            self.told_fresh.d.next = self.fresh.val();
            self.told_rx_ok.d.next = self.rx_ok.val();
            self.told_request.d.next = self.request.val();
            self.told_answer.d.next = self.answer.val();
            self.told_epoch.d.next = self.epoch.val();
        }
        if self.clear.val() {
            self.index.d.next = 0.into();
            self.inside.d.next = false;
            self.at_last.d.next = false;
            self.sending.d.next = 0.into();
            self.waits.d.next = 0.into();
            self.last_waits.d.next = 0.into();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("link_train_tx", &[("lanes", LANES.to_string())])
    }
}

drive_ports!(impl[const LANES: usize] TrainSetTx<LANES> {
    clock, clear, send, ts2, offer, fresh, tx_mask, rx_ok, request, answer, epoch, bond_index, next_rx, guid_low, guid_high, set_end,
    at_end, training,
});
