//! One port of a switch's time side.

use super::entry::{RingEntry, INSERT_BITS};
use crate::config::ConfigError;
use crate::link::position::{POSITION_BITS, WORD_COUNT_BITS};
use crate::prim::stream::{FlowIn, FlowOut, StreamOut};
use crate::time::link_delay::{DELAY_BITS, EPOCHS_BITS};
use crate::time::page::{TimePortPage, WORD_BITS};
use crate::time::port::{TimePort, TimePortConfig, FILL_BITS};
use crate::time::ring::{CONTROL_BITS, TREES, VALUE_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_servo::{INC_BITS, PERIOD_BITS};

/// `time_port` with its window and its entry to the rings: all that stands at one stop; parameters as of [`TimePort`].
///
/// - R to insertion 3 clocks, `copy` to the offer 1 clock later: those of the parts. Exact.
/// - Trees of DN_EN are copied from the ring of RING_SEL; with `SINGLE` 1 only tree 0 is.
/// - `clear` as of the parts.
#[derive(LogicBlock)]
pub struct SwitchPort<
    const F: usize,
    const FLITS_W: usize,
    const BEAT: usize,
    const PHY: usize,
    const SINGLE: usize = 0,
    const DDMTD: usize = 0,
> {
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Word clock sent with: BEAT, DDMTD.
    pub tx_clock: Signal<In, Clock>,
    /// Word clock received with: BEAT, DDMTD.
    pub rx_clock: Signal<In, Clock>,
    /// Helper clock of both meters: there with DDMTD.
    pub helper_clock: [Signal<In, Clock>; DDMTD],
    /// Fraction of a word sent, 1/256: PHY.
    pub tx_phase: FlowIn<Bits<8>>,
    /// Fraction of a word received, 1/256: PHY.
    pub rx_phase: FlowIn<Bits<8>>,
    /// Words in the PHY's FIFO of the first lane, sender.
    pub tx_fill: Signal<In, Bits<FILL_BITS>>,
    /// Words in the PHY's FIFO of the first lane, receiver.
    pub rx_fill: Signal<In, Bits<FILL_BITS>>,
    /// State of the link, as STATUS has it.
    pub state: Signal<In, Bits<3>>,
    /// CRC mode sent in.
    pub tx_mode: Signal<In, Bits<2>>,
    /// Lanes sent on.
    pub tx_lanes: Signal<In, Bits<4>>,
    /// Lanes received on.
    pub rx_lanes: Signal<In, Bits<4>>,
    /// L - 1 sent on.
    pub tx_last_lane: Signal<In, Bits<2>>,
    /// No beat goes to the lanes.
    pub tx_idle: Signal<In, Bit>,
    /// Position of the beat that X takes in this clock.
    pub tx_position: Signal<In, Bits<POSITION_BITS>>,
    /// Words sent.
    pub tx_words: Signal<In, Bits<WORD_COUNT_BITS>>,
    /// Position of the beat on `spc_out`.
    pub rx_position: Signal<In, Bits<POSITION_BITS>>,
    /// Words received.
    pub rx_words: Signal<In, Bits<WORD_COUNT_BITS>>,
    /// Special flits received.
    pub spc_out: FlowIn<Bits<FLITS_W>>,
    /// `tx_open` of the link.
    pub tx_open: Signal<In, Bit>,
    /// Beats of time flits, for `time_in` of the link.
    pub time_in: StreamOut<Bits<FLITS_W>>,
    /// What becomes of `time_in` while `tx_open` is low, for the link.
    pub time_mode: Signal<Out, Bit>,
    /// Window: a request for this port; none other until `answer`.
    pub request: Signal<In, Bit>,
    /// Window: word of it, until `answer`.
    pub word: Signal<In, Bits<WORD_BITS>>,
    /// Window: it is a write, until `answer`.
    pub write: Signal<In, Bit>,
    /// Window: value of a write, until `answer`.
    pub data: Signal<In, Bits<64>>,
    /// Window: done; the value of a read, else 0.
    pub answer: FlowOut<Bits<64>>,
    /// Event: a write was refused.
    pub refused: Signal<Out, Bit>,
    /// SyncTime of the device is locked.
    pub locked: Signal<In, Bit>,
    /// INC_F, 2^-32 ns per clock.
    pub inc_f: Signal<In, Bits<INC_BITS>>,
    /// RPER, 6.20 ns.
    pub rper: Signal<In, Bits<PERIOD_BITS>>,
    /// WPER, 6.20 ns.
    pub wper: Signal<In, Bits<PERIOD_BITS>>,
    /// Insertions, clockwise and counter-clockwise.
    pub insert: [StreamOut<Bits<INSERT_BITS>>; 2],
    /// Trees copied from each ring.
    pub trees: [Signal<Out, Bits<TREES>>; 2],
    /// Data of copies.
    pub copy: [FlowIn<Bits<VALUE_BITS>>; 2],
    /// Their control bits.
    pub copy_control: [Signal<In, Bits<CONTROL_BITS>>; 2],
    /// UP_EN.
    pub upstream: Signal<Out, Bits<4>>,
    /// Event: a Low, a High was dropped before the ring, see [`RingEntry`].
    pub dropped: Signal<Out, Bits<4>>,
    /// Event by ring: RING_PARITY.
    pub ring_parity: Signal<Out, Bits<2>>,
    /// Event: the link changed.
    pub changed: Signal<Out, Bit>,
    /// Event: a run of the link delay has ended.
    pub finished: Signal<Out, Bit>,
    time: TimePort<F, FLITS_W, VALUE_BITS, BEAT, PHY, SINGLE, DDMTD>,
    page: TimePortPage,
    entry: RingEntry,
    down: Signal<Local, Bits<TREES>>,
    select: Signal<Local, Bits<TREES>>,
    /// Trees that are there.
    built: Constant<Bits<TREES>>,
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const BEAT: usize,
        const PHY: usize,
        const SINGLE: usize,
        const DDMTD: usize,
    > SwitchPort<F, FLITS_W, BEAT, PHY, SINGLE, DDMTD>
{
    /// For a port of `F` flits per beat, counters at `started` or none built, or the reason why not.
    pub fn new(config: &TimePortConfig, started: Option<u32>) -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            tx_clock: Default::default(),
            rx_clock: Default::default(),
            helper_clock: defaults(),
            tx_phase: Default::default(),
            rx_phase: Default::default(),
            tx_fill: Default::default(),
            rx_fill: Default::default(),
            state: Default::default(),
            tx_mode: Default::default(),
            tx_lanes: Default::default(),
            rx_lanes: Default::default(),
            tx_last_lane: Default::default(),
            tx_idle: Default::default(),
            tx_position: Default::default(),
            tx_words: Default::default(),
            rx_position: Default::default(),
            rx_words: Default::default(),
            spc_out: Default::default(),
            tx_open: Default::default(),
            time_in: Default::default(),
            time_mode: Default::default(),
            request: Default::default(),
            word: Default::default(),
            write: Default::default(),
            data: Default::default(),
            answer: Default::default(),
            refused: Default::default(),
            locked: Default::default(),
            inc_f: Default::default(),
            rper: Default::default(),
            wper: Default::default(),
            insert: Default::default(),
            trees: Default::default(),
            copy: Default::default(),
            copy_control: Default::default(),
            upstream: Default::default(),
            dropped: Default::default(),
            ring_parity: Default::default(),
            changed: Default::default(),
            finished: Default::default(),
            time: TimePort::new(config)?,
            page: TimePortPage::new(started)?,
            entry: RingEntry::default(),
            down: Default::default(),
            select: Default::default(),
            built: Constant::new(if SINGLE == 1 { 1 } else { (1 << TREES) - 1 }.into()),
        })
    }
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const BEAT: usize,
        const PHY: usize,
        const SINGLE: usize,
        const DDMTD: usize,
    > Logic for SwitchPort<F, FLITS_W, BEAT, PHY, SINGLE, DDMTD>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, time, page, entry);
        self.time.clear.next = self.clear.val();
        self.page.clear.next = self.clear.val();
        self.entry.clear.next = self.clear.val();

        // The link.
        self.time.tx_clock.next = self.tx_clock.val();
        self.time.rx_clock.next = self.rx_clock.val();
        for i in 0..DDMTD {
            self.time.helper_clock[i].next = self.helper_clock[i].val();
        }
        FlowIn::<Bits<8>>::link(&mut self.tx_phase, &mut self.time.tx_phase);
        FlowIn::<Bits<8>>::link(&mut self.rx_phase, &mut self.time.rx_phase);
        self.time.tx_fill.next = self.tx_fill.val();
        self.time.rx_fill.next = self.rx_fill.val();
        self.time.state.next = self.state.val();
        self.time.tx_mode.next = self.tx_mode.val();
        self.time.tx_lanes.next = self.tx_lanes.val();
        self.time.rx_lanes.next = self.rx_lanes.val();
        self.time.tx_last_lane.next = self.tx_last_lane.val();
        self.time.tx_idle.next = self.tx_idle.val();
        self.time.tx_position.next = self.tx_position.val();
        self.time.tx_words.next = self.tx_words.val();
        self.time.rx_position.next = self.rx_position.val();
        self.time.rx_words.next = self.rx_words.val();
        FlowIn::<Bits<FLITS_W>>::link(&mut self.spc_out, &mut self.time.spc_out);
        self.time.tx_open.next = self.tx_open.val();
        StreamOut::<Bits<FLITS_W>>::link(&mut self.time_in, &mut self.time.time_in);
        self.time_mode.next = self.time.time_mode.val();

        // Registers.
        self.page.request.next = self.request.val();
        self.page.word.next = self.word.val();
        self.page.write.next = self.write.val();
        self.page.data.next = self.data.val();
        FlowOut::<Bits<64>>::link(&mut self.answer, &mut self.page.answer);
        self.refused.next = self.page.refused.val();
        self.page.is_upstream.next = false;
        self.time.up_en.next = self.page.up_en.val();
        self.time.sources.next = self.page.sources.val();
        self.time.tx_wait_max.next = self.page.tx_wait_max.val();
        self.time.advance.next = self.page.advance.val();
        self.time.hold_on_epoch.next = self.page.hold_on_epoch.val();
        self.time.rx_corr.next = self.page.rx_corr.val();
        self.time.ldm_start.next = self.page.ldm_start.val();
        self.time.ldm_auto.next = self.page.ldm_auto.val();
        self.time.ldm_adjust.next = self.page.ldm_adjust.val();
        self.time.ldm_rounds.next = self.page.ldm_rounds.val();
        self.time.ldm_timeout.next = self.page.ldm_timeout.val();
        self.time.asymmetry.next = self.page.asymmetry.val();
        self.time.acknowledged.next = self.page.acknowledged.val();
        FlowOut::<Bits<EPOCHS_BITS>>::join(&mut self.page.epoch_write, &mut self.time.epoch_write);
        FlowOut::<Bits<DELAY_BITS>>::join(&mut self.time.rx_corr_new, &mut self.page.rx_corr_new);
        self.page.done.next = self.time.done.val();
        self.page.failed.next = self.time.failed.val();
        self.page.rounds.next = self.time.rounds.val();
        self.page.mean.next = self.time.mean.val();
        self.page.min.next = self.time.min.val();
        self.page.max.next = self.time.max.val();
        self.page.link_epoch.next = self.time.link_epoch.val();
        self.page.measured_epoch.next = self.time.measured_epoch.val();
        self.page.rx_lag.next = self.time.rx_lag.val();
        self.page.tx_lag.next = self.time.tx_lag.val();
        self.page.fixed.next = self.time.fixed.val();
        self.page.phase_ok.next = self.time.phase_ok.val();
        for i in 0..11 {
            self.page.events[i].next = self.time.events[i].val();
        }
        self.time.locked.next = self.locked.val();
        self.time.inc_f.next = self.inc_f.val();
        self.time.rper.next = self.rper.val();
        self.time.wper.next = self.wper.val();

        // The rings.
        FlowOut::<Bits<48>>::join(&mut self.time.low, &mut self.entry.low);
        FlowOut::<Bits<48>>::join(&mut self.time.high, &mut self.entry.high);
        self.down.next = self.page.dn_en.val() & self.built.val();
        self.select.next = self.page.ring_select.val();
        self.trees[0].next = self.down.val() & !self.select.val();
        self.trees[1].next = self.down.val() & self.select.val();
        for i in 0..2 {
            StreamOut::<Bits<INSERT_BITS>>::link(&mut self.insert[i], &mut self.entry.insert[i]);
            FlowIn::<Bits<VALUE_BITS>>::link(&mut self.copy[i], &mut self.time.copy[i]);
            self.time.copy_control[i].next = self.copy_control[i].val();
        }

        // Events.
        self.upstream.next = self.page.up_en.val();
        self.dropped.next = self.entry.dropped.val();
        self.ring_parity.next = self.time.ring_parity.val();
        self.changed.next = self.time.changed.val();
        self.finished.next = self.time.finished.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let source = crate::time::port::source_label(BEAT, PHY, DDMTD);
        block_label(
            "switch_port",
            &[("f", F.to_string()), ("source", source.into()), ("single", SINGLE.to_string())],
        )
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize, const BEAT: usize, const PHY: usize, const SINGLE: usize, const DDMTD: usize] SwitchPort<F, FLITS_W, BEAT, PHY, SINGLE, DDMTD> {
    clock, clear, tx_clock, rx_clock, helper_clock, tx_phase, rx_phase, tx_fill, rx_fill, state, tx_mode, tx_lanes, rx_lanes, tx_last_lane, tx_idle, tx_position, tx_words, rx_position, rx_words, spc_out, tx_open, time_in, time_mode, request, word, write, data, answer, refused, locked, inc_f, rper, wper, insert, trees, copy, copy_control, upstream, dropped, ring_parity, changed, finished,
});
