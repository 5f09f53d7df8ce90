//! `time_port_page`: the window of a port.

use super::counters::{PageCounters, COUNTER_BITS, PLACE_BITS};
use super::{kept_mask, reset_value, window_word, WORD_BITS};
use crate::config::ConfigError;
use crate::prim::stream::{FlowIn, FlowOut};
use crate::prim::Register;
use crate::registry::StreamRole::{FlowSink, FlowSource};
use crate::registry::{BlockEntry, BuiltBlock, InterfaceInfo, Preset};
use crate::time::link_delay::{
    COUNT_BITS, DELAY_BITS, EPOCHS_BITS, EPOCH_BITS, ROUNDS_LOG2_BITS, TIMEOUT_BITS,
};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::{LAG_BITS, TX_WAIT_BITS};
use flitforge_protocol::time_registers as page;

/// Counters of a port.
pub const PORT_COUNTERS: usize = page::PORT_COUNTERS.names.len();
/// Bits of the events of a counter in a clock.
pub const EVENT_BITS: usize = 8;
/// Registers whose value is kept here as it was written.
const KEPT: usize = 6;
/// The registers of `TimePortPage::kept`.
const KEPT_OFFSETS: [u32; KEPT] =
    [page::ROLE, page::PATH, page::TX_WAIT, page::LDM_CTL, page::LDM_ASYM, page::LDM_ACK];
/// Registers whose values come from elsewhere.
const LIVE: usize = 5;
/// The registers of `TimePortPage::live`.
const LIVE_OFFSETS: [u32; LIVE] = [page::RX_CORR, page::LDM_MEAN, page::LDM_RANGE, page::EPOCH, page::LAG];

/// The registers and counters of one port, in the window that PORT_SEL opens (chapter 20, 5).
///
/// - A write of ROLE that names a tree in both UP_EN and DN_EN leaves the register as it is (`refused`).
/// - RX_CORR is what was written, or the link delay measurement's, whichever came last; of one clock the latter.
/// - `ldm_start` and `epoch_write` come 2 clocks behind `request`; a register's port shows a write 2 clocks behind it.
/// - `answer` 3 clocks behind `request`, of a counter 5 to 20; status is that of the clock before `answer`.
/// - Outputs are registers; `ldm_adjust` and parts of registers are a gate behind them.
/// - `clear` forgets a request; what was written and counted stays.
#[derive(LogicBlock)]
pub struct TimePortPage {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// A request for this port; none other until `answer`.
    pub request: Signal<In, Bit>,
    /// Word of the window, until `answer`.
    pub word: Signal<In, Bits<WORD_BITS>>,
    /// It is a write, until `answer`.
    pub write: Signal<In, Bit>,
    /// Its value, until `answer`.
    pub data: Signal<In, Bits<64>>,
    /// Done; the value of a read, else 0.
    pub answer: FlowOut<Bits<64>>,
    /// Event: a write was refused.
    pub refused: Signal<Out, Bit>,
    /// UP_EN by tree.
    pub up_en: Signal<Out, Bits<4>>,
    /// DN_EN by tree.
    pub dn_en: Signal<Out, Bits<4>>,
    /// ADVANCE.
    pub advance: Signal<Out, Bit>,
    /// HOLD_ON_EPOCH.
    pub hold_on_epoch: Signal<Out, Bit>,
    /// EXP_SRC of each tree, six bits.
    pub sources: Signal<Out, Bits<24>>,
    /// RING_SEL by tree.
    pub ring_select: Signal<Out, Bits<4>>,
    /// RX_CORR.
    pub rx_corr: Signal<Out, Bits<DELAY_BITS>>,
    /// TX_WAIT_MAX.
    pub tx_wait_max: Signal<Out, Bits<TX_WAIT_BITS>>,
    /// A measurement begins.
    pub ldm_start: Signal<Out, Bit>,
    /// AUTO.
    pub ldm_auto: Signal<Out, Bit>,
    /// ADJ_EN of an upstream port.
    pub ldm_adjust: Signal<Out, Bit>,
    /// K.
    pub ldm_rounds: Signal<Out, Bits<ROUNDS_LOG2_BITS>>,
    /// LDM_TIMEOUT less 1.
    pub ldm_timeout: Signal<Out, Bits<TIMEOUT_BITS>>,
    /// ASYM.
    pub asymmetry: Signal<Out, Bits<DELAY_BITS>>,
    /// LDM_ACK.
    pub acknowledged: Signal<Out, Bits<DELAY_BITS>>,
    /// EPOCH is written.
    pub epoch_write: FlowOut<Bits<EPOCHS_BITS>>,
    /// The port is an endpoint's upstream port: UP_EN does not say so.
    pub is_upstream: Signal<In, Bit>,
    /// The last run has a result.
    pub done: Signal<In, Bit>,
    /// The last run failed.
    pub failed: Signal<In, Bit>,
    /// Rounds of the result.
    pub rounds: Signal<In, Bits<COUNT_BITS>>,
    /// Mean delay.
    pub mean: Signal<In, Bits<DELAY_BITS>>,
    /// Smallest delay.
    pub min: Signal<In, Bits<DELAY_BITS>>,
    /// Largest delay.
    pub max: Signal<In, Bits<DELAY_BITS>>,
    /// A new RX_CORR.
    pub rx_corr_new: FlowIn<Bits<DELAY_BITS>>,
    /// LINK_EPOCH.
    pub link_epoch: Signal<In, Bits<EPOCH_BITS>>,
    /// MEASURED_EPOCH.
    pub measured_epoch: Signal<In, Bits<EPOCH_BITS>>,
    /// rx lag.
    pub rx_lag: Signal<In, Bits<LAG_BITS>>,
    /// tx lag.
    pub tx_lag: Signal<In, Bits<LAG_BITS>>,
    /// The phase is static.
    pub fixed: Signal<In, Bit>,
    /// Both lags are valid.
    pub phase_ok: Signal<In, Bit>,
    /// Events of the counters in their order; every 1 counts.
    pub events: [Signal<In, Bits<EVENT_BITS>>; PORT_COUNTERS],
    counters: PageCounters<PORT_COUNTERS, 8, 4>,
    kept: [Register<Bits<64>>; KEPT],
    correction: Register<Bits<DELAY_BITS>>,
    step_1: DFF<Bit>,
    step_2: DFF<Bit>,
    is_kept: DFF<Bits<KEPT>>,
    is_live: DFF<Bits<LIVE>>,
    is_counter: DFF<Bit>,
    possible: DFF<Bit>,
    zeroes: DFF<Bit>,
    starts: DFF<Bit>,
    epochs: DFF<Bit>,
    refused_now: DFF<Bit>,
    answered: DFF<Bit>,
    value: DFF<Bits<64>>,
    writes: Signal<Local, Bit>,
    match_kept: Signal<Local, Bits<KEPT>>,
    match_live: Signal<Local, Bits<LIVE>>,
    live: [Signal<Local, Bits<64>>; LIVE],
    part: Signal<Local, Bits<64>>,
    sum: Signal<Local, Bits<64>>,
    mask: Signal<Local, Bits<EVENT_BITS>>,
    number: Signal<Local, Bits<4>>,
    rings: Signal<Local, Bits<4>>,
    role: Signal<Local, Bits<64>>,
    path: Signal<Local, Bits<64>>,
    control: Signal<Local, Bits<64>>,
    kept_words: [Constant<Bits<WORD_BITS>>; KEPT],
    kept_masks: [Constant<Bits<64>>; KEPT],
    live_words: [Constant<Bits<WORD_BITS>>; LIVE],
    nothing: Constant<Bits<64>>,
}

impl TimePortPage {
    /// With counters at `started`: 0 but in tests of what happens at the end; `None`: none are built, they
    /// read 0.
    pub fn new(started: Option<u32>) -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            request: Default::default(),
            word: Default::default(),
            write: Default::default(),
            data: Default::default(),
            answer: Default::default(),
            refused: Default::default(),
            up_en: Default::default(),
            dn_en: Default::default(),
            advance: Default::default(),
            hold_on_epoch: Default::default(),
            sources: Default::default(),
            ring_select: Default::default(),
            rx_corr: Default::default(),
            tx_wait_max: Default::default(),
            ldm_start: Default::default(),
            ldm_auto: Default::default(),
            ldm_adjust: Default::default(),
            ldm_rounds: Default::default(),
            ldm_timeout: Default::default(),
            asymmetry: Default::default(),
            acknowledged: Default::default(),
            epoch_write: Default::default(),
            is_upstream: Default::default(),
            done: Default::default(),
            failed: Default::default(),
            rounds: Default::default(),
            mean: Default::default(),
            min: Default::default(),
            max: Default::default(),
            rx_corr_new: Default::default(),
            link_epoch: Default::default(),
            measured_epoch: Default::default(),
            rx_lag: Default::default(),
            tx_lag: Default::default(),
            fixed: Default::default(),
            phase_ok: Default::default(),
            events: Default::default(),
            counters: PageCounters::new(0, started)?,
            kept: KEPT_OFFSETS.map(|offset| Register::new(reset_value(offset).into())),
            correction: Default::default(),
            step_1: Default::default(),
            step_2: Default::default(),
            is_kept: Default::default(),
            is_live: Default::default(),
            is_counter: Default::default(),
            possible: Default::default(),
            zeroes: Default::default(),
            starts: Default::default(),
            epochs: Default::default(),
            refused_now: Default::default(),
            answered: Default::default(),
            value: Default::default(),
            writes: Default::default(),
            match_kept: Default::default(),
            match_live: Default::default(),
            live: Default::default(),
            part: Default::default(),
            sum: Default::default(),
            mask: Default::default(),
            number: Default::default(),
            rings: Default::default(),
            role: Default::default(),
            path: Default::default(),
            control: Default::default(),
            kept_words: KEPT_OFFSETS.map(|offset| Constant::new(window_word(page::PORT, offset).into())),
            kept_masks: KEPT_OFFSETS.map(|offset| Constant::new(kept_mask(offset).into())),
            live_words: LIVE_OFFSETS.map(|offset| Constant::new(window_word(page::PORT, offset).into())),
            nothing: Constant::new(0.into()),
        })
    }
}

impl Logic for TimePortPage {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, step_1, step_2, is_kept, is_live, is_counter, possible, zeroes, starts, epochs
        );
        dff_setup!(self, clock, refused_now, answered, value);
        clock!(self, clock, counters, correction);

        // Which register it is, one clock behind the request.
        self.step_1.d.next = self.request.val() & !self.clear.val();
        self.step_2.d.next = self.step_1.q.val() & !self.clear.val();
        self.match_kept.next = 0.into();
        for i in 0..6 {
            self.match_kept.next =
                self.match_kept.val().replace_bit(i, self.word.val() == self.kept_words[i].val());
        }
        self.match_live.next = 0.into();
        for i in 0..5 {
            self.match_live.next =
                self.match_live.val().replace_bit(i, self.word.val() == self.live_words[i].val());
        }
        self.is_kept.d.next = self.match_kept.val();
        self.is_live.d.next = self.match_live.val();
        self.is_counter.d.next = self.word.val().get_bit(4);
        self.possible.d.next = !(self.data.val().get_bits::<4>(0) & self.data.val().get_bits::<4>(4)).any();
        self.zeroes.d.next = self.write.val() & !self.data.val().any();

        // A write, one clock behind the request.
        self.writes.next = self.step_1.q.val() & self.write.val();
        for i in 0..6 {
            self.kept[i].clock.next = self.clock.val();
            self.kept[i].clear.next = false;
            self.kept[i].enable.next = self.writes.val() & self.is_kept.q.val().get_bit(i);
            self.kept[i].d.next = self.data.val() & self.kept_masks[i].val();
        }
        self.kept[0].enable.next =
            self.writes.val() & self.is_kept.q.val().get_bit(0) & self.possible.q.val();
        self.refused_now.d.next =
            self.writes.val() & self.is_kept.q.val().get_bit(0) & !self.possible.q.val();
        self.starts.d.next = self.writes.val() & self.is_kept.q.val().get_bit(3) & self.data.val().get_bit(0);
        self.epochs.d.next = self.writes.val() & self.is_live.q.val().get_bit(3);
        self.correction.clear.next = false;
        self.correction.enable.next =
            self.rx_corr_new.valid.val() | (self.writes.val() & self.is_live.q.val().get_bit(0));
        self.correction.d.next = self.data.val().get_bits::<DELAY_BITS>(0);
        if self.rx_corr_new.valid.val() {
            self.correction.d.next = self.rx_corr_new.data.val();
        }

        // A read, two clocks behind the request.
        self.live[0].next = bit_cast::<64, DELAY_BITS>(self.correction.q.val());
        self.live[1].next = (bit_cast::<64, DELAY_BITS>(self.mean.val())
            | (bit_cast::<64, COUNT_BITS>(self.rounds.val()) << 48))
            .replace_bit(32, self.done.val())
            .replace_bit(33, self.failed.val());
        self.live[2].next =
            bit_cast::<64, DELAY_BITS>(self.min.val()) | (bit_cast::<64, DELAY_BITS>(self.max.val()) << 32);
        self.live[3].next = bit_cast::<64, EPOCH_BITS>(self.link_epoch.val())
            | (bit_cast::<64, EPOCH_BITS>(self.measured_epoch.val()) << 16);
        self.live[4].next = (bit_cast::<64, LAG_BITS>(self.rx_lag.val())
            | (bit_cast::<64, LAG_BITS>(self.tx_lag.val()) << 20))
            .replace_bit(62, self.fixed.val())
            .replace_bit(63, self.phase_ok.val());
        self.sum.next = self.nothing.val();
        for i in 0..6 {
            self.part.next = self.nothing.val();
            if self.is_kept.q.val().get_bit(i) {
                self.part.next = self.kept[i].q.val();
            }
            self.sum.next = self.sum.val() | self.part.val();
        }
        for i in 0..5 {
            self.part.next = self.nothing.val();
            if self.is_live.q.val().get_bit(i) {
                self.part.next = self.live[i].val();
            }
            self.sum.next = self.sum.val() | self.part.val();
        }
        self.value.d.next = self.nothing.val();
        if self.step_2.q.val() & !self.write.val() & !self.clear.val() {
            self.value.d.next = self.sum.val();
        }
        if self.counters.answer.valid.val() & !self.write.val() & !self.clear.val() {
            self.value.d.next = bit_cast::<64, COUNTER_BITS>(self.counters.answer.data.val());
        }
        self.answered.d.next = ((self.step_2.q.val() & !self.is_counter.q.val())
            | self.counters.answer.valid.val())
            & !self.clear.val();
        self.answer.valid.next = self.answered.q.val();
        self.answer.data.next = self.value.q.val();

        // Counters.
        self.counters.clear.next = self.clear.val();
        self.counters.request.next = self.step_1.q.val() & self.is_counter.q.val();
        self.counters.place.next = self.word.val().get_bits::<PLACE_BITS>(0);
        self.counters.zero.next = self.zeroes.q.val();
        for i in 0..11 {
            self.mask.next = self.events[i].val();
            self.number.next = bit_cast::<4, 1>(self.mask.val().get_bits::<1>(0))
                + bit_cast::<4, 1>(self.mask.val().get_bits::<1>(1))
                + bit_cast::<4, 1>(self.mask.val().get_bits::<1>(2))
                + bit_cast::<4, 1>(self.mask.val().get_bits::<1>(3))
                + bit_cast::<4, 1>(self.mask.val().get_bits::<1>(4))
                + bit_cast::<4, 1>(self.mask.val().get_bits::<1>(5))
                + bit_cast::<4, 1>(self.mask.val().get_bits::<1>(6))
                + bit_cast::<4, 1>(self.mask.val().get_bits::<1>(7));
            self.counters.events[i].next = self.number.val();
        }

        // What follows from the registers.
        self.refused.next = self.refused_now.q.val();
        self.role.next = self.kept[0].q.val();
        self.path.next = self.kept[1].q.val();
        self.control.next = self.kept[3].q.val();
        self.up_en.next = self.role.val().get_bits::<4>(0);
        self.dn_en.next = self.role.val().get_bits::<4>(4);
        self.advance.next = self.role.val().get_bit(8);
        self.hold_on_epoch.next = self.role.val().get_bit(9);
        self.sources.next = bit_cast::<24, 6>(self.path.val().get_bits::<6>(0))
            | (bit_cast::<24, 6>(self.path.val().get_bits::<6>(16)) << 6)
            | (bit_cast::<24, 6>(self.path.val().get_bits::<6>(32)) << 12)
            | (bit_cast::<24, 6>(self.path.val().get_bits::<6>(48)) << 18);
        self.rings.next = 0.into();
        for i in 0..4 {
            self.rings.next = self.rings.val().replace_bit(i, self.path.val().get_bit(16 * i + 6));
        }
        self.ring_select.next = self.rings.val();
        self.rx_corr.next = self.correction.q.val();
        self.tx_wait_max.next = self.kept[2].q.val().get_bits::<TX_WAIT_BITS>(0);
        self.ldm_start.next = self.starts.q.val();
        self.ldm_auto.next = self.control.val().get_bit(1);
        self.ldm_adjust.next =
            self.control.val().get_bit(2) & (self.is_upstream.val() | self.role.val().get_bits::<4>(0).any());
        self.ldm_rounds.next = self.control.val().get_bits::<ROUNDS_LOG2_BITS>(4);
        self.ldm_timeout.next = self.control.val().get_bits::<TIMEOUT_BITS>(16);
        self.asymmetry.next = self.kept[4].q.val().get_bits::<DELAY_BITS>(0);
        self.acknowledged.next = self.kept[5].q.val().get_bits::<DELAY_BITS>(0);
        self.epoch_write.valid.next = self.epochs.q.val();
        self.epoch_write.data.next = self.data.val().get_bits::<EPOCHS_BITS>(0);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("time_port_page", &[])
    }
}

drive_ports!(impl[] TimePortPage {
    clock, clear, request, word, write, data, answer, refused, up_en, dn_en, advance, hold_on_epoch, sources, ring_select,
    rx_corr, tx_wait_max, ldm_start, ldm_auto, ldm_adjust, ldm_rounds, ldm_timeout, asymmetry, acknowledged, epoch_write,
    is_upstream, done, failed, rounds, mean, min, max, rx_corr_new, link_epoch, measured_epoch, rx_lag, tx_lag, fixed,
    phase_ok, events,
});

const _: () = assert!(
    page::role::dn_en::LOW == 4 && page::role::advance::LOW == 8 && page::role::hold_on_epoch::LOW == 9
);
const _: () = assert!(page::ldm_ctl::rounds::LOW == 4 && page::ldm_ctl::timeout::LOW == 16);
const _: () = assert!(
    page::ldm_mean::done::LOW == 32 && page::ldm_mean::fail::LOW == 33 && page::ldm_mean::rounds::LOW == 48
);

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_port_page",
    chapter: "20-time",
    summary: "registers and counters of a port's time",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build: |_| {
        let streams = [("answer", FlowSource), ("epoch_write", FlowSource), ("rx_corr_new", FlowSink)];
        let interface = InterfaceInfo::clocked(&streams, Some(3), "request to answer");
        Ok(BuiltBlock::new(TimePortPage::new(Some(0))?, interface))
    },
};
