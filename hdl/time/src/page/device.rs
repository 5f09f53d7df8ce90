//! `time_page`: the register bus of a device's time, and the device's own registers.

use super::bus::PageBus;
use super::check::GenCheck;
use super::config::TimePageConfig;
use super::offer::{SourceOffer, SOURCE_WORDS};
use super::{PAGE_WORD_BITS, PORT_BITS, WORD_BITS};
use crate::servo::{ServoRegisters, STATE_BITS};
use crate::slave::TIME_WORD_BITS;
use crate::source::WRITE_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::registers::RegisterBus;
use flitforge_protocol::time::MAX_TREES;
use flitforge_protocol::time_registers::{event, gen_cfg, limits};
use flitforge_protocol::time_servo::{
    ERROR_BITS, F_ACC_BITS, INC_BITS, INC_FRAC, SLEW_CNT_BITS, SLEW_P_BITS, SYNC_EPOCH_BITS,
};

/// The device's own registers and counters (chapter 20, 5); a window of the page's bus like the others.
#[register_page(
    flitforge_protocol::time_registers, "time_registers", address = 8,
    only(
        TIME_ID, INC_NOM, LOCAL_TIME, LOCAL_FRAC, SYNC_TIME, SYNC_INFO, SET_TIME, SET_CMD, F_ACC, SLEW_P, SLEW_CNT, LIMITS, GAIN, GAIN_ACQ,
        THR, LOCK_CFG, SERVO_CTL, SERVO_STAT, MSTR_CTL, GEN_CFG, EVENT, EVENT_MASK, TREE_PRIO, PORT_SEL,
    ),
    constant(TIME_ID), given(INC_NOM, F_ACC, SLEW_P, LIMITS, SLEW_CNT.left), read(LOCAL_TIME), written(MSTR_CTL),
    slow(INC_NOM, F_ACC, SLEW_P, LIMITS, SLEW_CNT, SET_CMD, GEN_CFG),
    masked(GAIN, GAIN_ACQ, THR, LOCK_CFG, SERVO_CTL, MSTR_CTL, GEN_CFG, TREE_PRIO),
    interrupt(EVENT, EVENT_MASK), counters(CORE_COUNTERS, REFUSED = 2),
)]
pub struct TimeRegisters;

/// The page; see the [module](super).
#[block(new)]
pub struct TimePage {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Register bus.
    pub bus: RegisterBus<PAGE_WORD_BITS>,
    /// Some event of EVENT_MASK has happened.
    interrupt: Out<Bit>,
    /// Windows: word of the window, from the request to the answer and on.
    word: Out<Bits<WORD_BITS>>,
    /// Windows: value of a write, as `word`.
    data: Out<Bits<64>>,
    /// Windows: it is a write, as `word`.
    write: Out<Bit>,
    /// Windows: a request for a tree.
    to_tree: Out<Bits<MAX_TREES>>,
    /// Windows: a request for the rings.
    to_ring: Out<Bit>,
    /// Windows: a request for the port `port`.
    to_port: Out<Bit>,
    /// PORT_SEL.
    port: Out<Bits<PORT_BITS>>,
    /// Answers of the trees' windows, 0 but with `valid`.
    pub tree_answer: FlowIn<Bits<64>>,
    /// Answer of the rings' window, 0 but with `valid`.
    pub ring_answer: FlowIn<Bits<64>>,
    /// Answers of the ports' windows, 0 but with `valid`.
    pub port_answer: FlowIn<Bits<64>>,
    /// Event: a port refused a write.
    port_refused: In<Bit>,
    /// Bits of EVENT.
    happened: In<Bits<8>>,
    /// Events of GEN_LOW, GEN_HIGH, STEPS, CLAMPS, REFUSED and OUTLIER.
    counted: In<Bits<6>>,
    /// A write to the registers of `time_source`.
    pub source_write: StreamOut<Bits<WRITE_BITS>>,
    /// LOCAL_TIME is read: `time_source` loads its shadow set.
    read_shadow: Out<Bit>,
    /// INC_NOM.
    inc_nom: In<Bits<INC_BITS>>,
    /// LIMITS.
    limits: In<Bits<64>>,
    /// F_ACC.
    f_acc: In<Bits<F_ACC_BITS>>,
    /// SLEW_P.
    slew_p: In<Bits<SLEW_P_BITS>>,
    /// SLEW_CNT.
    slew_left: In<Bits<SLEW_CNT_BITS>>,
    /// Shadow set: LocalTime.
    shadow_local: In<Bits<TIME_WORD_BITS>>,
    /// Shadow set: SyncTime.
    shadow_sync: In<Bits<TIME_WORD_BITS>>,
    /// Shadow set: SYNC_EPOCH.
    shadow_epoch: In<Bits<SYNC_EPOCH_BITS>>,
    /// The first clock of a new SyncTime.
    stepped: In<Bit>,
    /// SLEW_N.
    slew_n: Out<Bits<SLEW_CNT_BITS>>,
    /// SET_CMD steps SyncTime: up to the clock of `stepped`.
    new_era: Out<Bit>,
    /// GEN_EN.
    generate: Out<Bit>,
    /// MSTR_CTL was written with GEN_EN: the era.
    pub start: FlowOut<Bits<2>>,
    /// Master id.
    tree: Out<Bits<2>>,
    /// Master index.
    index: Out<Bits<8>>,
    /// Quality.
    quality: Out<Bits<4>>,
    /// HIGH_MODE.
    separate: Out<Bit>,
    /// GEN_PERIOD.
    period: Out<Bits<12>>,
    /// GEN_PHASE.
    phase: Out<Bits<16>>,
    /// HIGH_EVERY.
    high_every: Out<Bits<8>>,
    /// What the servo is told.
    pub servo: ServoRegisters,
    /// Servo state.
    state: In<Bits<STATE_BITS>>,
    /// Last phase error.
    error: In<Bits<ERROR_BITS>>,
    /// Tree followed.
    followed: In<Bits<2>>,
    /// TREE_PRIO: four trees, highest priority first.
    priority: Out<Bits<8>>,
    /// SLAVE_EN by tree.
    slave_en: Out<Bits<4>>,
    #[wire(clock, clear)]
    access: PageBus,
    #[wire(clock, clear)]
    registers: TimeRegisters,
    #[wire(clock, clear)]
    offer: SourceOffer,
    #[wire(clock, clear)]
    check: GenCheck,
    shadow_state: Reg<Bits<STATE_BITS>>,
    /// SET_CMD was written without a command.
    idles: Reg<Bit>,
    _config: TimePageConfig,
}

#[logic]
impl TimePage {
    /// The page of what was built.
    pub fn new(config: &TimePageConfig) -> Result<Self, ConfigError> {
        config.check()?;
        Ok(Self {
            access: PageBus::new(config),
            registers: TimeRegisters::new(config)?,
            _config: config.clone(),
            ..
        })
    }

    /// What was built.
    pub fn config(&self) -> &TimePageConfig {
        &self._config
    }

    fn update(&mut self) {
        // The bus, the windows and the device's own registers.
        link(bus, access.bus);
        access.port = registers.port_sel_port;
        access.answered = registers.bus.ack | tree_answer.valid | ring_answer.valid | port_answer.valid;
        access.value = registers.bus.rdata | tree_answer.data | ring_answer.data | port_answer.data;
        let given = access.data;
        registers.bus = In { request: access.to_device, address: access.word, write: access.write };
        registers.bus.wdata = given;
        word = access.word.bits::<WORD_BITS>(0);
        data = given;
        Out { write, to_tree, to_ring, to_port } = access;
        Out { port_sel_port: port, interrupt } = registers;

        // Writes that `time_source` carries out.
        let commands = registers.set_cmd_write & (registers.set_cmd_set | registers.set_cmd_add);
        idles = registers.set_cmd_write & !commands;
        let to_source: Bits<SOURCE_WORDS> = cat(
            registers.inc_nom_write,
            registers.limits_write,
            registers.f_acc_write,
            registers.slew_p_write,
            registers.slew_cnt_write,
        );
        offer = In { start: to_source.any() | commands, registers: to_source, command: commands };
        offer = In { data: given, set_time: registers.set_time };
        link(source_write, offer.source_write);
        offer.stepped = stepped;
        new_era = offer.new_era;
        registers.slew_cnt_store = registers.slew_cnt_write;

        // GEN_CFG only if it can be.
        check = In { start: registers.gen_cfg_write, period: given[gen_cfg::period] };
        check.high_every = given[gen_cfg::high_every];
        registers = In { gen_cfg_store: check.possible, done: check.done | offer.done | idles };

        // What a read shows.
        registers = In { inc_nom, limits_f: limits.bits::<32>(limits::f::LOW) };
        registers = In { limits_slew: limits.bits::<32>(limits::slew::LOW), f_acc, slew_p };
        registers.slew_cnt_left = slew_left;
        read_shadow = registers.local_time_read;
        if registers.local_time_read {
            shadow_state = state;
        }
        registers.local_time = shadow_local.bits::<64>(INC_FRAC);
        registers.local_frac = shadow_local.bits::<INC_FRAC>(0);
        registers.sync_time = shadow_sync.bits::<64>(INC_FRAC);
        registers = In { sync_info_frac: shadow_sync.bits::<INC_FRAC>(0), sync_info_epoch: shadow_epoch };
        registers = In { sync_info_state: shadow_state, servo_stat_error: error, servo_stat_state: state };
        registers.servo_stat_tree = followed;

        // Events and counters.
        let events = happened;
        registers = In { event_lock: events[event::lock], event_holdover: events[event::holdover] };
        registers = In { event_invalid: events[event::invalid], event_era: events[event::era] };
        registers = In { event_tree: events[event::tree], event_outliers: events[event::outliers] };
        registers = In { event_epoch: events[event::epoch], event_ldm_done: events[event::ldm_done] };
        registers = In { gen_low: counted[0], gen_high: counted[1], steps: counted[2], clamps: counted[3] };
        registers.outlier = counted[5];
        let mut refusals: Bits<2> = bit_cast::<2, 1>(counted.bits::<1>(4));
        if port_refused {
            refusals = refusals + 1;
        }
        if check.refused {
            refusals = refusals + 1;
        }
        registers.refused = refusals;

        self.show_registers();
    }

    /// What follows from the registers.
    fn show_registers(&mut self) {
        slew_n = registers.slew_cnt_length;
        servo = In { kp: registers.gain_kp, ki: registers.gain_ki, kacq: registers.gain_acq_kacq };
        servo = In {
            nclk: registers.gain_acq_nclk,
            step_thr: registers.thr_step,
            outlier_thr: registers.thr_outlier,
        };
        servo = In { lock_thr: registers.lock_cfg_thr, lock_n: registers.lock_cfg_samples };
        servo = In { outlier_n: registers.lock_cfg_outliers, hold_n: registers.lock_cfg_hold };
        servo = In { hold_max: registers.lock_cfg_hold_max, enable: registers.servo_ctl_en };
        servo = In { step_enable: registers.servo_ctl_step_en, freeze: registers.servo_ctl_freeze };
        generate = registers.mstr_ctl_gen_en;
        start.valid = registers.mstr_ctl_written & registers.mstr_ctl_gen_en;
        start.data = registers.mstr_ctl_era;
        Out { mstr_ctl_tree: tree, mstr_ctl_index: index, mstr_ctl_quality: quality } = registers;
        Out { mstr_ctl_high_mode: separate, gen_cfg_period: period, gen_cfg_phase: phase } = registers;
        high_every = registers.gen_cfg_high_every;
        priority = cat(
            registers.tree_prio_first,
            registers.tree_prio_second,
            registers.tree_prio_third,
            registers.tree_prio_fourth,
        );
        slave_en = registers.tree_prio_slave_en;
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
