//! Both directions of a port.

use super::{
    PositionConfig, PositionRx, PositionStep, WordCount, PLACE_BITS, POSITION_BITS, WORD_COUNT_BITS,
};
use crate::config::ConfigError;
use crate::link::lane::{LANE_BITS, LANE_IN_BITS};
use crate::prim::stream::FlowIn;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::lane_word::{ControlWordKind, COMMA};
use std::array;

/// Bits of a control word that tell a start row: comma and kind.
const KIND_BITS: usize = 16;

/// Line positions and word counts of a port of `LANES` lanes; see the [module](super).
#[derive(LogicBlock)]
pub struct LinkPosition<const LANES: usize> {
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Start rows are waited for.
    pub clear: Signal<In, Bit>,
    /// No beat goes to the lanes: the next one, at place 0, is the first behind the start row.
    pub tx_idle: Signal<In, Bit>,
    /// Place in its LTP of the beat that plane X takes next.
    pub tx_place: Signal<In, Bits<PLACE_BITS>>,
    /// LTPs sent have 34 words. Changes only while `tx_idle`.
    pub tx_wide: Signal<In, Bit>,
    /// L - 1 sent on. Changes only while `tx_idle`.
    pub tx_last_lane: Signal<In, Bits<2>>,
    /// Lanes sent on.
    pub tx_lanes: Signal<In, Bits<4>>,
    /// Words as the PHY takes them: word in bits 31..0, ctl in bit 32.
    pub tx: [FlowIn<Bits<LANE_BITS>>; LANES],
    /// The next row received is the first behind the start row.
    pub row_start: Signal<In, Bit>,
    /// The receiver waits for start rows.
    pub rx_idle: Signal<In, Bit>,
    /// Verdict of the receiver on an LTP, good or bad; its beats come from the next clock on.
    pub verdict: Signal<In, Bit>,
    /// LTPs received have 34 words. Changes only before `row_start`.
    pub rx_wide: Signal<In, Bit>,
    /// L - 1 received on. Changes only before `row_start`.
    pub rx_last_lane: Signal<In, Bits<2>>,
    /// Lanes received on, by the sender's numbers.
    pub rx_lanes: Signal<In, Bits<4>>,
    /// Where each of the sender's lanes comes in.
    pub source: [Signal<In, Bits<2>>; LANES],
    /// Words from the PHY: word in bits 31..0, ctl in bit 32, code_err in bit 33.
    pub rx: [FlowIn<Bits<LANE_IN_BITS>>; LANES],
    /// Position of the first bit of the beat that plane X takes in this clock.
    pub tx_position: Signal<Out, Bits<POSITION_BITS>>,
    /// Words sent before the clock before this one.
    pub tx_words: Signal<Out, Bits<WORD_COUNT_BITS>>,
    /// Position of the first bit of the beat that stands at plane R in this clock.
    pub rx_position: Signal<Out, Bits<POSITION_BITS>>,
    /// Words received before the clock before this one.
    pub rx_words: Signal<Out, Bits<WORD_COUNT_BITS>>,

    sent: PositionStep,
    received: PositionRx,
    tx_count: WordCount,
    rx_count: WordCount,
    /// The first lane sent on.
    tx_first: DFF<Bits<4>>,
    /// Where the first lane received on comes in.
    rx_first: DFF<Bits<4>>,
    cleared: DFF<Bit>,
    first_tx: Signal<Local, Bits<4>>,
    first_rx: Signal<Local, Bits<4>>,
    earlier_tx: Signal<Local, Bit>,
    earlier_rx: Signal<Local, Bit>,
    tx_word: Signal<Local, Bit>,
    tx_start: Signal<Local, Bit>,
    rx_word: Signal<Local, Bit>,
    rx_start: Signal<Local, Bit>,
    kind: Constant<Bits<KIND_BITS>>,
    places: [Constant<Bits<2>>; LANES],
    control: Constant<Bits<2>>,
}

impl<const LANES: usize> LinkPosition<LANES> {
    /// Positions from 0, or the reason why not.
    pub fn new(config: &PositionConfig) -> Result<Self, ConfigError> {
        config.check()?;
        config.check_type(LANES)?;
        let kind = u64::from(ControlWordKind::Sds.code()) << 8 | u64::from(COMMA);
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            tx_idle: Default::default(),
            tx_place: Default::default(),
            tx_wide: Default::default(),
            tx_last_lane: Default::default(),
            tx_lanes: Default::default(),
            tx: defaults(),
            row_start: Default::default(),
            rx_idle: Default::default(),
            verdict: Default::default(),
            rx_wide: Default::default(),
            rx_last_lane: Default::default(),
            rx_lanes: Default::default(),
            source: defaults(),
            rx: defaults(),
            tx_position: Default::default(),
            tx_words: Default::default(),
            rx_position: Default::default(),
            rx_words: Default::default(),
            sent: PositionStep::new(config.flits),
            received: PositionRx::new(config.flits),
            tx_count: Default::default(),
            rx_count: Default::default(),
            tx_first: Default::default(),
            rx_first: Default::default(),
            cleared: Default::default(),
            first_tx: Default::default(),
            first_rx: Default::default(),
            earlier_tx: Default::default(),
            earlier_rx: Default::default(),
            tx_word: Default::default(),
            tx_start: Default::default(),
            rx_word: Default::default(),
            rx_start: Default::default(),
            kind: Constant::new(kind.into()),
            places: array::from_fn(|lane| Constant::new((lane as u64).into())),
            control: Constant::new(1.into()),
        })
    }
}

impl<const LANES: usize> Logic for LinkPosition<LANES> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, tx_first, rx_first, cleared);
        clock!(self, clock, sent, received, tx_count, rx_count);

        // Beats.
        // `clear` serves the whole port; what follows from it here may come a clock later.
        self.cleared.d.next = self.clear.val();
        self.sent.clear.next = self.cleared.q.val() | self.tx_idle.val();
        self.sent.place.next = self.tx_place.val();
        self.sent.wide.next = self.tx_wide.val();
        self.sent.last_lane.next = self.tx_last_lane.val();
        self.tx_position.next = self.sent.position.val();
        self.received.clear.next = self.cleared.q.val() | self.row_start.val();
        self.received.verdict.next = self.verdict.val();
        self.received.wide.next = self.rx_wide.val();
        self.received.last_lane.next = self.rx_last_lane.val();
        self.rx_position.next = self.received.position.val();

        // The lane whose words are counted.
        self.first_tx.next = 0.into();
        self.first_rx.next = 0.into();
        self.earlier_tx.next = false;
        self.earlier_rx.next = false;
        for i in 0..LANES {
            self.first_tx.next =
                self.first_tx.val().replace_bit(i, self.tx_lanes.val().get_bit(i) & !self.earlier_tx.val());
            for j in 0..LANES {
                if (self.rx_lanes.val().get_bit(i) & !self.earlier_rx.val())
                    & (self.source[i].val() == self.places[j].val())
                {
                    self.first_rx.next = self.first_rx.val().replace_bit(j, true);
                }
            }
            self.earlier_tx.next = self.earlier_tx.val() | self.tx_lanes.val().get_bit(i);
            self.earlier_rx.next = self.earlier_rx.val() | self.rx_lanes.val().get_bit(i);
        }
        self.tx_first.d.next = self.first_tx.val();
        self.rx_first.d.next = self.first_rx.val();

        // Its words.
        self.tx_word.next = false;
        self.tx_start.next = false;
        self.rx_word.next = false;
        self.rx_start.next = false;
        for i in 0..LANES {
            if self.tx_first.q.val().get_bit(i) {
                self.tx_word.next = self.tx[i].valid.val();
                self.tx_start.next = self.tx[i].data.val().get_bit(32)
                    & (self.tx[i].data.val().get_bits::<KIND_BITS>(0) == self.kind.val());
            }
            if self.rx_first.q.val().get_bit(i) {
                self.rx_word.next = self.rx[i].valid.val();
                self.rx_start.next = (self.rx[i].data.val().get_bits::<2>(32) == self.control.val())
                    & (self.rx[i].data.val().get_bits::<KIND_BITS>(0) == self.kind.val());
            }
        }
        self.tx_count.arm.next = self.cleared.q.val() | self.tx_idle.val();
        self.tx_count.word.next = self.tx_word.val();
        self.tx_count.start.next = self.tx_start.val();
        self.tx_words.next = self.tx_count.count.val();
        self.rx_count.arm.next = self.cleared.q.val() | self.rx_idle.val();
        self.rx_count.word.next = self.rx_word.val();
        self.rx_count.start.next = self.rx_start.val();
        self.rx_words.next = self.rx_count.count.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let flits = self.sent.flits();
        block_label("link_position", &[("f", flits.to_string()), ("lanes", LANES.to_string())])
    }
}

drive_ports!(impl[const LANES: usize] LinkPosition<LANES> {
    clock, clear, tx_idle, tx_place, tx_wide, tx_last_lane, tx_lanes, tx, row_start, rx_idle, verdict, rx_wide, rx_last_lane,
    rx_lanes, source, rx, tx_position, tx_words, rx_position, rx_words,
});
