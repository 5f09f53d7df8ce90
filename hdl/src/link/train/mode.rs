//! The CRC mode of both directions (chapter 10, 4.6 rule 4).

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::ltp::CrcMode;

/// Chooses the CRC modes from what both ends offer, as in word 1 of a training set: bits 2..0 capabilities, 5..3
/// preferred, 6 bonded. Latency 1 clock from the offers, and 2 from the lanes, to `tx_mode` and `rx_mode`.
#[derive(LogicBlock)]
pub struct TrainMode {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// This end's offer.
    pub mine: Signal<In, Bits<7>>,
    /// The peer's.
    pub yours: Signal<In, Bits<7>>,
    /// Lanes of the direction sent in.
    pub tx_lanes: Signal<In, Bits<4>>,
    /// Lanes of the direction received in.
    pub rx_lanes: Signal<In, Bits<4>>,
    /// There is a mode: an end is bonded and both can do mode 1, or none is bonded.
    pub possible: Signal<Out, Bit>,
    /// Mode of the direction sent in.
    pub tx_mode: Signal<Out, Bits<2>>,
    /// Mode of the direction received in.
    pub rx_mode: Signal<Out, Bits<2>>,
    is_possible: DFF<Bit>,
    chosen: DFF<Bits<2>>,
    fallback: DFF<Bits<2>>,
    tx_few: DFF<Bit>,
    rx_few: DFF<Bit>,
    mode_0: Constant<Bits<2>>,
    mode_1: Constant<Bits<2>>,
    mode_2: Constant<Bits<2>>,
    mode_3: Constant<Bits<2>>,
    common: Signal<Local, Bits<3>>,
    prefers: Signal<Local, Bits<4>>,
    wanted: Signal<Local, Bits<2>>,
    agree: Signal<Local, Bit>,
    bonded: Signal<Local, Bit>,
}

impl Default for TrainMode {
    fn default() -> Self {
        let code = |mode: CrcMode| Constant::new(u64::from(mode.code()).into());
        Self {
            clock: Default::default(),
            mine: Default::default(),
            yours: Default::default(),
            tx_lanes: Default::default(),
            rx_lanes: Default::default(),
            possible: Default::default(),
            tx_mode: Default::default(),
            rx_mode: Default::default(),
            is_possible: Default::default(),
            chosen: Default::default(),
            fallback: Default::default(),
            tx_few: Default::default(),
            rx_few: Default::default(),
            mode_0: code(CrcMode::Standard),
            mode_1: code(CrcMode::Bits14),
            mode_2: code(CrcMode::Overlapping48),
            mode_3: code(CrcMode::PerLane),
            common: Default::default(),
            prefers: Default::default(),
            wanted: Default::default(),
            agree: Default::default(),
            bonded: Default::default(),
        }
    }
}

impl Logic for TrainMode {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, is_possible, chosen, fallback, tx_few, rx_few);
        self.common.next = self.mine.val().get_bits::<3>(0) & self.yours.val().get_bits::<3>(0);
        self.bonded.next = self.mine.val().get_bit(6) | self.yours.val().get_bit(6);
        self.wanted.next = self.mine.val().get_bits::<2>(3);
        // An equal preference counts if both can do it; mode 0 can always be done.
        self.prefers.next = (bit_cast::<4, 3>(self.common.val()) << 1) | 1;
        self.agree.next = ((self.mine.val().get_bits::<3>(3) == self.yours.val().get_bits::<3>(3))
            & !self.mine.val().get_bit(5))
            & self.prefers.val().get_bit(self.wanted.val().index());

        self.is_possible.d.next = !self.bonded.val() | self.common.val().get_bit(0);
        self.chosen.d.next = self.mode_0.val();
        if self.common.val().get_bit(2) {
            self.chosen.d.next = self.mode_3.val();
        }
        if self.common.val().get_bit(1) {
            self.chosen.d.next = self.mode_2.val();
        }
        if self.common.val().get_bit(0) {
            self.chosen.d.next = self.mode_1.val();
        }
        if self.agree.val() {
            self.chosen.d.next = self.wanted.val();
        }
        if self.bonded.val() {
            self.chosen.d.next = self.mode_1.val();
        }
        self.fallback.d.next = self.mode_0.val();
        if self.common.val().get_bit(1) {
            self.fallback.d.next = self.mode_2.val();
        }

        // Fewer than three lanes: two or more are missing.
        self.tx_few.d.next = (((self.tx_lanes.val() & 3) != 3) & ((self.tx_lanes.val() & 12) != 12))
            | (!(self.tx_lanes.val() & 3).any() | !(self.tx_lanes.val() & 12).any());
        self.rx_few.d.next = (((self.rx_lanes.val() & 3) != 3) & ((self.rx_lanes.val() & 12) != 12))
            | (!(self.rx_lanes.val() & 3).any() | !(self.rx_lanes.val() & 12).any());
        self.possible.next = self.is_possible.q.val();
        self.tx_mode.next = self.chosen.q.val();
        if self.tx_few.q.val() & (self.chosen.q.val() == self.mode_3.val()) {
            self.tx_mode.next = self.fallback.q.val();
        }
        self.rx_mode.next = self.chosen.q.val();
        if self.rx_few.q.val() & (self.chosen.q.val() == self.mode_3.val()) {
            self.rx_mode.next = self.fallback.q.val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("train_mode", &[])
    }
}

drive_ports!(impl[] TrainMode { clock, mine, yours, tx_lanes, rx_lanes, possible, tx_mode, rx_mode });
