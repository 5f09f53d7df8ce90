//! `time_page`: the register bus of a device's time, and the device's own registers.

use super::bus::PageBus;
use super::check::GenCheck;
use super::config::{kept_mask, TimePageConfig};
use super::counters::{PageCounters, COUNTER_BITS, PLACE_BITS};
use super::decode::{PageDecode, KEPT, KEPT_OFFSETS, LIVE};
use super::offer::{SourceOffer, SOURCE_WORDS};
use super::WORD_BITS;
use crate::config::ConfigError;
use crate::prim::stream::{FlowIn, FlowOut, StreamOut};
use crate::prim::Register;
use crate::time::servo::STATE_BITS;
use crate::time::slave::TIME_WORD_BITS;
use crate::time::source::WRITE_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::MAX_TREES;
use flitforge_protocol::time_registers::{self as page, slew_cnt, tree_prio};
use flitforge_protocol::time_servo::{
    ERROR_BITS, F_ACC_BITS, INC_BITS, SLEW_CNT_BITS, SLEW_P_BITS, SYNC_EPOCH_BITS,
};

/// Bits that address a word of the page.
pub const PAGE_WORD_BITS: usize = 8;
/// Bits of PORT_SEL.
pub const PORT_BITS: usize = page::port_sel::port::WIDTH;
/// Counters of the device.
const CORE_COUNTERS: usize = page::CORE_COUNTERS.names.len();
/// Bits of a register that are kept here: of SLEW_CNT the length, of SLAVE_EN the trees that are there.
fn own_mask(config: &TimePageConfig, offset: u32) -> u64 {
    if config.is_missing(offset) {
        return 0;
    }
    let less = match offset {
        page::SLEW_CNT => slew_cnt::left::FIELD.mask() as u64,
        page::TREE_PRIO => tree_prio::slave_en::FIELD.set(0, !config.tree_bits() & 0xF) as u64,
        _ => 0,
    };
    kept_mask(offset) & !less
}

/// The page; see the [module](super).
#[derive(LogicBlock)]
pub struct TimePage {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Word of the page.
    pub addr: Signal<In, Bits<PAGE_WORD_BITS>>,
    /// Value of a write.
    pub wdata: Signal<In, Bits<64>>,
    /// Asks for a write.
    pub we: Signal<In, Bit>,
    /// Asks for a read.
    pub re: Signal<In, Bit>,
    /// With `ack` of a read: the value.
    pub rdata: Signal<Out, Bits<64>>,
    /// The request is done.
    pub ack: Signal<Out, Bit>,
    /// Some event of EVENT_MASK has happened.
    pub interrupt: Signal<Out, Bit>,
    /// Windows: word of the window, from the request to the answer and on.
    pub word: Signal<Out, Bits<WORD_BITS>>,
    /// Windows: value of a write, as `word`.
    pub data: Signal<Out, Bits<64>>,
    /// Windows: it is a write, as `word`.
    pub write: Signal<Out, Bit>,
    /// Windows: a request for a tree.
    pub to_tree: Signal<Out, Bits<MAX_TREES>>,
    /// Windows: a request for the rings.
    pub to_ring: Signal<Out, Bit>,
    /// Windows: a request for the port `port`.
    pub to_port: Signal<Out, Bit>,
    /// PORT_SEL.
    pub port: Signal<Out, Bits<PORT_BITS>>,
    /// Answers of the trees' windows, 0 but with `valid`.
    pub tree_answer: FlowIn<Bits<64>>,
    /// Answer of the rings' window, 0 but with `valid`.
    pub ring_answer: FlowIn<Bits<64>>,
    /// Answers of the ports' windows, 0 but with `valid`.
    pub port_answer: FlowIn<Bits<64>>,
    /// Event: a port refused a write.
    pub port_refused: Signal<In, Bit>,
    /// Bits of EVENT.
    pub happened: Signal<In, Bits<8>>,
    /// Events of GEN_LOW, GEN_HIGH, STEPS, CLAMPS, REFUSED and OUTLIER.
    pub counted: Signal<In, Bits<6>>,
    /// A write to the registers of `time_source`.
    pub source_write: StreamOut<Bits<WRITE_BITS>>,
    /// LOCAL_TIME is read: `time_source` loads its shadow set.
    pub read_shadow: Signal<Out, Bit>,
    /// INC_NOM.
    pub inc_nom: Signal<In, Bits<INC_BITS>>,
    /// LIMITS.
    pub limits: Signal<In, Bits<64>>,
    /// F_ACC.
    pub f_acc: Signal<In, Bits<F_ACC_BITS>>,
    /// SLEW_P.
    pub slew_p: Signal<In, Bits<SLEW_P_BITS>>,
    /// SLEW_CNT.
    pub slew_left: Signal<In, Bits<SLEW_CNT_BITS>>,
    /// Shadow set: LocalTime.
    pub shadow_local: Signal<In, Bits<TIME_WORD_BITS>>,
    /// Shadow set: SyncTime.
    pub shadow_sync: Signal<In, Bits<TIME_WORD_BITS>>,
    /// Shadow set: SYNC_EPOCH.
    pub shadow_epoch: Signal<In, Bits<SYNC_EPOCH_BITS>>,
    /// The first clock of a new SyncTime.
    pub stepped: Signal<In, Bit>,
    /// SLEW_N.
    pub slew_n: Signal<Out, Bits<SLEW_CNT_BITS>>,
    /// SET_CMD steps SyncTime: up to the clock of `stepped`.
    pub new_era: Signal<Out, Bit>,
    /// GEN_EN.
    pub generate: Signal<Out, Bit>,
    /// MSTR_CTL was written with GEN_EN: the era.
    pub start: FlowOut<Bits<2>>,
    /// Master id.
    pub tree: Signal<Out, Bits<2>>,
    /// Master index.
    pub index: Signal<Out, Bits<8>>,
    /// Quality.
    pub quality: Signal<Out, Bits<4>>,
    /// HIGH_MODE.
    pub separate: Signal<Out, Bit>,
    /// GEN_PERIOD.
    pub period: Signal<Out, Bits<12>>,
    /// GEN_PHASE.
    pub phase: Signal<Out, Bits<16>>,
    /// HIGH_EVERY.
    pub high_every: Signal<Out, Bits<8>>,
    /// GAIN.
    pub gain: Signal<Out, Bits<64>>,
    /// GAIN_ACQ.
    pub gain_acq: Signal<Out, Bits<64>>,
    /// THR.
    pub thr: Signal<Out, Bits<64>>,
    /// LOCK_CFG.
    pub lock_cfg: Signal<Out, Bits<64>>,
    /// SERVO_CTL.
    pub servo_ctl: Signal<Out, Bits<3>>,
    /// Servo state.
    pub state: Signal<In, Bits<STATE_BITS>>,
    /// Last phase error.
    pub error: Signal<In, Bits<ERROR_BITS>>,
    /// Tree followed.
    pub followed: Signal<In, Bits<2>>,
    /// TREE_PRIO: four trees, highest priority first.
    pub priority: Signal<Out, Bits<8>>,
    /// SLAVE_EN by tree.
    pub slave_en: Signal<Out, Bits<4>>,
    counters: PageCounters<CORE_COUNTERS, 6, 2>,
    bus: PageBus,
    offer: SourceOffer,
    decode: PageDecode,
    kept: [Register<Bits<64>>; KEPT],
    step_1: DFF<Bit>,
    step_2: DFF<Bit>,
    answered: DFF<Bit>,
    value: DFF<Bits<64>>,
    event_bits: DFF<Bits<8>>,
    interrupts: DFF<Bit>,
    shadow_state: DFF<Bits<STATE_BITS>>,
    starts: DFF<Bit>,
    check: GenCheck,
    page_word: Signal<Local, Bits<PAGE_WORD_BITS>>,
    is_kept: Signal<Local, Bits<KEPT>>,
    is_live: Signal<Local, Bits<LIVE>>,
    given: Signal<Local, Bits<64>>,
    writing: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    live: [Signal<Local, Bits<64>>; LIVE],
    part: Signal<Local, Bits<64>>,
    sum: Signal<Local, Bits<64>>,
    cleared: Signal<Local, Bits<8>>,
    refusals: Signal<Local, Bits<2>>,
    event_now: Signal<Local, Bits<6>>,
    one_event: Signal<Local, Bits<1>>,
    kept_masks: [Constant<Bits<64>>; KEPT],
    time_id: Constant<Bits<64>>,
    nothing: Constant<Bits<64>>,
    one: Constant<Bits<2>>,
    _config: TimePageConfig,
}

impl TimePage {
    /// The page of what was built.
    pub fn new(config: &TimePageConfig) -> Result<Self, ConfigError> {
        config.check()?;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            addr: Default::default(),
            wdata: Default::default(),
            we: Default::default(),
            re: Default::default(),
            rdata: Default::default(),
            ack: Default::default(),
            interrupt: Default::default(),
            word: Default::default(),
            data: Default::default(),
            write: Default::default(),
            to_tree: Default::default(),
            to_ring: Default::default(),
            to_port: Default::default(),
            port: Default::default(),
            tree_answer: Default::default(),
            ring_answer: Default::default(),
            port_answer: Default::default(),
            port_refused: Default::default(),
            happened: Default::default(),
            counted: Default::default(),
            source_write: Default::default(),
            read_shadow: Default::default(),
            inc_nom: Default::default(),
            limits: Default::default(),
            f_acc: Default::default(),
            slew_p: Default::default(),
            slew_left: Default::default(),
            shadow_local: Default::default(),
            shadow_sync: Default::default(),
            shadow_epoch: Default::default(),
            stepped: Default::default(),
            slew_n: Default::default(),
            new_era: Default::default(),
            generate: Default::default(),
            start: Default::default(),
            tree: Default::default(),
            index: Default::default(),
            quality: Default::default(),
            separate: Default::default(),
            period: Default::default(),
            phase: Default::default(),
            high_every: Default::default(),
            gain: Default::default(),
            gain_acq: Default::default(),
            thr: Default::default(),
            lock_cfg: Default::default(),
            servo_ctl: Default::default(),
            state: Default::default(),
            error: Default::default(),
            followed: Default::default(),
            priority: Default::default(),
            slave_en: Default::default(),
            counters: PageCounters::new(0, config.started)?,
            bus: PageBus::new(config),
            offer: Default::default(),
            decode: Default::default(),
            kept: KEPT_OFFSETS.map(|offset| Register::new(config.reset(offset).into())),
            step_1: Default::default(),
            step_2: Default::default(),
            answered: Default::default(),
            value: Default::default(),
            event_bits: Default::default(),
            interrupts: Default::default(),
            shadow_state: Default::default(),
            starts: Default::default(),
            check: GenCheck::default(),
            page_word: Default::default(),
            is_kept: Default::default(),
            is_live: Default::default(),
            given: Default::default(),
            writing: Default::default(),
            writes: Default::default(),
            live: Default::default(),
            part: Default::default(),
            sum: Default::default(),
            cleared: Default::default(),
            refusals: Default::default(),
            event_now: Default::default(),
            one_event: Default::default(),
            kept_masks: KEPT_OFFSETS.map(|offset| Constant::new(own_mask(config, offset).into())),
            time_id: Constant::new(config.reset(page::TIME_ID).into()),
            nothing: Constant::new(0.into()),
            one: Constant::new(1.into()),
            _config: config.clone(),
        })
    }

    /// What was built.
    pub fn config(&self) -> &TimePageConfig {
        &self._config
    }
}

impl Logic for TimePage {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            step_1,
            step_2,
            answered,
            value,
            event_bits,
            interrupts,
            shadow_state,
            starts
        );
        clock!(self, clock, bus, decode, offer, counters, check);

        // The bus.
        self.bus.clear.next = self.clear.val();
        self.bus.addr.next = self.addr.val();
        self.bus.wdata.next = self.wdata.val();
        self.bus.we.next = self.we.val();
        self.bus.re.next = self.re.val();
        self.rdata.next = self.bus.rdata.val();
        self.ack.next = self.bus.ack.val();
        self.bus.port.next = self.kept[10].q.val().get_bits::<PORT_BITS>(0);
        self.bus.answered.next = self.answered.q.val()
            | self.tree_answer.valid.val()
            | self.ring_answer.valid.val()
            | self.port_answer.valid.val();
        self.bus.value.next = self.value.q.val()
            | self.tree_answer.data.val()
            | self.ring_answer.data.val()
            | self.port_answer.data.val();
        self.page_word.next = self.bus.word.val();
        self.given.next = self.bus.data.val();
        self.writing.next = self.bus.write.val();
        self.word.next = self.page_word.val().get_bits::<WORD_BITS>(0);
        self.data.next = self.given.val();
        self.write.next = self.writing.val();
        self.to_tree.next = self.bus.to_tree.val();
        self.to_ring.next = self.bus.to_ring.val();
        self.to_port.next = self.bus.to_port.val();
        self.port.next = self.kept[10].q.val().get_bits::<PORT_BITS>(0);

        // Which of the own registers it is, two clocks behind the request.
        self.decode.word.next = self.page_word.val();
        self.decode.write.next = self.writing.val();
        self.decode.data.next = self.given.val();
        self.is_kept.next = self.decode.kept.val();
        self.is_live.next = self.decode.live.val();
        self.step_1.d.next = self.bus.to_device.val() & !self.clear.val();
        self.step_2.d.next = self.step_1.q.val() & !self.clear.val();

        // A write, three clocks behind the request; GEN_CFG only if it can be.
        self.writes.next = self.step_1.q.val() & self.writing.val();
        for i in 0..12 {
            self.kept[i].clock.next = self.clock.val();
            self.kept[i].clear.next = false;
            self.kept[i].enable.next = self.writes.val() & self.is_kept.val().get_bit(i);
            self.kept[i].d.next = self.given.val() & self.kept_masks[i].val();
        }
        self.check.clear.next = self.clear.val();
        self.check.start.next = self.writes.val() & self.is_kept.val().get_bit(7);
        self.check.period.next = self.given.val().get_bits::<12>(0);
        self.check.high_every.next = self.given.val().get_bits::<8>(32);
        self.kept[7].enable.next = self.check.possible.val();
        self.starts.d.next = self.writes.val() & self.is_kept.val().get_bit(6) & self.given.val().get_bit(0);
        self.cleared.next = 0.into();
        if self.writes.val() & self.is_live.val().get_bit(11) {
            self.cleared.next = self.given.val().get_bits::<8>(0);
        }
        self.event_bits.d.next = (self.event_bits.q.val() & !self.cleared.val()) | self.happened.val();
        self.interrupts.d.next = (self.event_bits.q.val() & self.kept[8].q.val().get_bits::<8>(0)).any();
        self.interrupt.next = self.interrupts.q.val();

        // A write to `time_source`.
        self.offer.clear.next = self.clear.val();
        self.offer.start.next = self.writes.val()
            & (self.is_live.val().get_bits::<SOURCE_WORDS>(0).any() | self.decode.command.val());
        self.offer.registers.next = self.is_live.val().get_bits::<SOURCE_WORDS>(0);
        self.offer.command.next = self.decode.command.val();
        self.offer.data.next = self.given.val();
        self.offer.set_time.next = self.kept[0].q.val();
        StreamOut::<Bits<WRITE_BITS>>::link(&mut self.source_write, &mut self.offer.source_write);
        self.offer.stepped.next = self.stepped.val();
        self.new_era.next = self.offer.new_era.val();

        // A read, four clocks behind the request.
        self.read_shadow.next = self.step_1.q.val() & !self.writing.val() & self.is_live.val().get_bit(6);
        if self.step_1.q.val() & !self.writing.val() & self.is_live.val().get_bit(6) {
            self.shadow_state.d.next = self.state.val();
        }
        self.live[0].next = bit_cast::<64, INC_BITS>(self.inc_nom.val());
        self.live[1].next = self.limits.val();
        self.live[2].next = bit_cast::<64, F_ACC_BITS>(self.f_acc.val());
        self.live[3].next = bit_cast::<64, SLEW_P_BITS>(self.slew_p.val());
        self.live[4].next = bit_cast::<64, SLEW_CNT_BITS>(self.slew_left.val());
        self.live[5].next = self.time_id.val();
        self.live[6].next = self.shadow_local.val().get_bits::<64>(32);
        self.live[7].next = bit_cast::<64, 32>(self.shadow_local.val().get_bits::<32>(0));
        self.live[8].next = self.shadow_sync.val().get_bits::<64>(32);
        self.live[9].next = bit_cast::<64, 32>(self.shadow_sync.val().get_bits::<32>(0))
            | (bit_cast::<64, SYNC_EPOCH_BITS>(self.shadow_epoch.val()) << 32)
            | (bit_cast::<64, STATE_BITS>(self.shadow_state.q.val()) << 40);
        self.live[10].next = bit_cast::<64, ERROR_BITS>(self.error.val())
            | (bit_cast::<64, STATE_BITS>(self.state.val()) << 32)
            | (bit_cast::<64, 2>(self.followed.val()) << 35);
        self.live[11].next = bit_cast::<64, 8>(self.event_bits.q.val());
        self.sum.next = self.nothing.val();
        for i in 0..12 {
            self.part.next = self.nothing.val();
            if self.is_kept.val().get_bit(i) {
                self.part.next = self.kept[i].q.val();
            }
            self.sum.next = self.sum.val() | self.part.val();
            self.part.next = self.nothing.val();
            if self.is_live.val().get_bit(i) {
                self.part.next = self.live[i].val();
            }
            self.sum.next = self.sum.val() | self.part.val();
        }
        self.value.d.next = self.nothing.val();
        if self.step_2.q.val() & !self.writing.val() & !self.clear.val() {
            self.value.d.next = self.sum.val();
        }
        if self.counters.answer.valid.val() & !self.writing.val() & !self.clear.val() {
            self.value.d.next = bit_cast::<64, COUNTER_BITS>(self.counters.answer.data.val());
        }
        self.answered.d.next = ((self.step_2.q.val() & !self.decode.counter.val() & !self.decode.slow.val())
            | self.counters.answer.valid.val()
            | self.check.done.val()
            | self.offer.done.val())
            & !self.clear.val();

        // Counters.
        self.counters.clear.next = self.clear.val();
        self.counters.request.next = self.step_1.q.val() & self.decode.counter.val();
        self.counters.place.next = self.page_word.val().get_bits::<PLACE_BITS>(0);
        self.counters.zero.next = self.decode.zero.val();
        self.event_now.next = self.counted.val();
        for i in 0..6 {
            self.one_event.next = self.event_now.val().get_bits::<1>(i);
            self.counters.events[i].next = bit_cast::<2, 1>(self.one_event.val());
        }
        self.refusals.next = bit_cast::<2, 1>(self.event_now.val().get_bits::<1>(4));
        if self.port_refused.val() {
            self.refusals.next = self.refusals.val() + self.one.val();
        }
        if self.check.refused.val() {
            self.refusals.next = self.refusals.val() + self.one.val();
        }
        self.counters.events[4].next = self.refusals.val();

        // What follows from the registers.
        self.slew_n.next = self.kept[11].q.val().get_bits::<SLEW_CNT_BITS>(32);
        self.gain.next = self.kept[1].q.val();
        self.gain_acq.next = self.kept[2].q.val();
        self.thr.next = self.kept[3].q.val();
        self.lock_cfg.next = self.kept[4].q.val();
        self.servo_ctl.next = self.kept[5].q.val().get_bits::<3>(0);
        self.generate.next = self.kept[6].q.val().get_bit(0);
        self.tree.next = self.kept[6].q.val().get_bits::<2>(1);
        self.start.valid.next = self.starts.q.val();
        self.start.data.next = self.kept[6].q.val().get_bits::<2>(3);
        self.index.next = self.kept[6].q.val().get_bits::<8>(5);
        self.quality.next = self.kept[6].q.val().get_bits::<4>(13);
        self.separate.next = self.kept[6].q.val().get_bit(17);
        self.period.next = self.kept[7].q.val().get_bits::<12>(0);
        self.phase.next = self.kept[7].q.val().get_bits::<16>(16);
        self.high_every.next = self.kept[7].q.val().get_bits::<8>(32);
        self.priority.next = self.kept[9].q.val().get_bits::<8>(0);
        self.slave_en.next = self.kept[9].q.val().get_bits::<4>(8);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let built = &self._config;
        let number = |value: u64| value.to_string();
        block_label(
            "time_page",
            &[
                ("inc_nom", format!("0x{:x}", built.inc_nom)),
                ("period", number(built.period)),
                ("trees", number(built.trees)),
                ("generates", built.generates.to_string()),
                ("ports", number(built.ports)),
                ("stops", number(built.stops)),
            ],
        )
    }
}

drive_ports!(impl[] TimePage {
    clock, clear, addr, wdata, we, re, rdata, ack, interrupt, word, data, write, to_tree, to_ring, to_port, port, tree_answer, ring_answer, port_answer, port_refused, happened, counted, source_write, read_shadow, inc_nom, limits, f_acc, slew_p, slew_left, shadow_local, shadow_sync, shadow_epoch, stepped, slew_n, new_era, generate, start, tree, index, quality, separate, period, phase, high_every, gain, gain_acq, thr, lock_cfg, servo_ctl, state, error, followed, priority, slave_en,
});

const _: () = assert!(
    page::mstr_ctl::era::LOW == 3 && page::mstr_ctl::index::LOW == 5 && page::mstr_ctl::quality::LOW == 13
);
const _: () = assert!(page::gen_cfg::phase::LOW == 16 && page::gen_cfg::high_every::LOW == 32);
const _: () = assert!(page::sync_info::state::LOW == 40 && page::servo_stat::tree::LOW == 35);
