//! Both directions of a port.

use super::{
    PositionConfig, PositionRx, PositionStep, WordCount, PLACE_BITS, POSITION_BITS, WORD_COUNT_BITS,
};
use crate::lane::{LANE_BITS, LANE_IN_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::lane_word::{ControlWordKind, COMMA};

/// Bits of a control word that tell a start row: comma and kind.
const KIND_BITS: usize = 16;

/// Line positions and word counts of a port of `LANES` lanes; see the [module](super).
#[block(new)]
pub struct LinkPosition<const LANES: usize> {
    /// Core clock.
    clock: In<Clock>,
    /// Start rows are waited for.
    clear: In<Bit>,
    /// No beat goes to the lanes: the next one, at place 0, is the first after the start row.
    tx_idle: In<Bit>,
    /// Place in its LTP of the beat that plane X takes next.
    tx_place: In<Bits<PLACE_BITS>>,
    /// LTPs sent have 34 words. Changes only while `tx_idle`.
    tx_wide: In<Bit>,
    /// L - 1 sent on. Changes only while `tx_idle`.
    tx_last_lane: In<Bits<2>>,
    /// Lanes sent on.
    tx_lanes: In<Bits<4>>,
    /// Words as the PHY takes them: word in bits 31..0, ctl in bit 32.
    pub tx: [FlowIn<Bits<LANE_BITS>>; LANES],
    /// The next row received is the first after the start row.
    row_start: In<Bit>,
    /// The receiver waits for start rows.
    rx_idle: In<Bit>,
    /// Verdict of the receiver on an LTP, good or bad; its beats come from the next clock on.
    verdict: In<Bit>,
    /// LTPs received have 34 words. Changes only before `row_start`.
    rx_wide: In<Bit>,
    /// L - 1 received on. Changes only before `row_start`.
    rx_last_lane: In<Bits<2>>,
    /// Lanes received on, by the sender's numbers.
    rx_lanes: In<Bits<4>>,
    /// Where each of the sender's lanes comes in.
    source: [In<Bits<2>>; LANES],
    /// Words from the PHY: word in bits 31..0, ctl in bit 32, code_err in bit 33.
    pub rx: [FlowIn<Bits<LANE_IN_BITS>>; LANES],
    /// Position of the first bit of the beat that plane X takes in this clock.
    tx_position: Out<Bits<POSITION_BITS>>,
    /// Words sent before the clock before this one.
    tx_words: Out<Bits<WORD_COUNT_BITS>>,
    /// Position of the first bit of the beat that stands at plane R in this clock.
    rx_position: Out<Bits<POSITION_BITS>>,
    /// Words received before the clock before this one.
    rx_words: Out<Bits<WORD_COUNT_BITS>>,

    #[wire(clock)]
    sent: PositionStep,
    #[wire(clock)]
    received: PositionRx,
    #[wire(clock)]
    tx_count: WordCount,
    #[wire(clock)]
    rx_count: WordCount,
    /// The first lane sent on.
    tx_first: Reg<Bits<4>>,
    /// Where the first lane received on comes in.
    rx_first: Reg<Bits<4>>,
    cleared: Reg<Bit>,
    kind: Constant<Bits<KIND_BITS>>,
    #[init(|lane| lane)]
    places: [Constant<Bits<2>>; LANES],
    #[init(1)]
    control: Constant<Bits<2>>,
}

#[logic]
impl<const LANES: usize> LinkPosition<LANES> {
    /// Positions from 0, or the reason why not.
    pub fn new(config: &PositionConfig) -> Result<Self, ConfigError> {
        config.check()?;
        config.check_type(LANES)?;
        let kind = u64::from(ControlWordKind::Sds.code()) << 8 | u64::from(COMMA);
        Ok(Self {
            sent: PositionStep::new(config.flits),
            received: PositionRx::new(config.flits),
            kind: Constant::new(kind.into()),
            ..
        })
    }

    fn update(&mut self) {
        // Beats.
        // `clear` serves the whole port; what follows from it here may come a clock later.
        cleared = clear;
        sent = In { clear: cleared | tx_idle, place: tx_place, wide: tx_wide, last_lane: tx_last_lane };
        tx_position = sent.position;
        received = In { clear: cleared | row_start, verdict, wide: rx_wide, last_lane: rx_last_lane };
        rx_position = received.position;

        // The lane whose words are counted.
        let mut first_tx: Bits<4> = 0;
        let mut first_rx: Bits<4> = 0;
        let mut earlier_tx = false;
        let mut earlier_rx = false;
        for i in 0..LANES {
            first_tx = first_tx.with(i, tx_lanes[i] & !earlier_tx);
            for j in 0..LANES {
                if (rx_lanes[i] & !earlier_rx) & (source[i] == places[j]) {
                    first_rx = first_rx.with(j, true);
                }
            }
            earlier_tx = earlier_tx | tx_lanes[i];
            earlier_rx = earlier_rx | rx_lanes[i];
        }
        tx_first = first_tx;
        rx_first = first_rx;

        // Its words.
        let mut tx_word = false;
        let mut tx_start = false;
        let mut rx_word = false;
        let mut rx_start = false;
        for i in 0..LANES {
            if tx_first[i] {
                tx_word = tx[i].valid;
                tx_start = tx[i].data[32] & (tx[i].data.bits::<KIND_BITS>(0) == kind);
            }
            if rx_first[i] {
                rx_word = rx[i].valid;
                rx_start = (rx[i].data.bits::<2>(32) == control) & (rx[i].data.bits::<KIND_BITS>(0) == kind);
            }
        }
        tx_count = In { arm: cleared | tx_idle, word: tx_word, start: tx_start };
        tx_words = tx_count.count;
        rx_count = In { arm: cleared | rx_idle, word: rx_word, start: rx_start };
        rx_words = rx_count.count;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let flits = self.sent.flits();
        block_label("link_position", &[("f", flits.to_string()), ("lanes", LANES.to_string())])
    }
}
