//! `eth_port_regs`: the register page of a port.

use super::counter_ram::{CounterRam, COUNTER_BITS};
use super::port_rules::{PortRules, CONTROL_BITS};
use crate::llr_rx::LlrRxRegisters;
use crate::llr_tx::{LlrTxRegisters, LlrWaiting};
use crate::mac_rx::MacReceiveRegisters;
use crate::mac_tx::MacTransmitRegisters;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::registers::{Described, RegisterBus, RegisterPort};
use flitforge_protocol::register::BYTES;
use flitforge_protocol::sue::class::CLASSES;
use flitforge_protocol::sue_port_registers::{PortCounter, COUNTERS, P_COUNT};

/// Bits that address a word of the page.
pub const PORT_WORD_BITS: usize = 7;
/// Counters of amounts: their words.
pub const PORT_AMOUNTS: [usize; 4] = [
    PortCounter::BytesTx as usize,
    PortCounter::BytesRx as usize,
    PortCounter::RetryFlush as usize,
    PortCounter::ConsumedHeal as usize,
];
/// Counters of events.
pub const PORT_COUNTED: usize = COUNTERS - PORT_AMOUNTS.len();
/// Bits of an amount per clock: octets of a frame, cells of a link.
pub const PORT_AMOUNT_BITS: usize = 15;
/// Bits of the accumulator of an amount.
const AMOUNT_SUM_BITS: usize = 21;
/// Bits of the events of a counter in a clock, and of their accumulator.
const EVENT_BITS: usize = 2;
const EVENT_SUM_BITS: usize = 8;
/// Bits that address a counter.
const PLACE_BITS: usize = 6;
const FIRST_COUNTER: usize = (P_COUNT.offset / BYTES) as usize;
const LAST_COUNTER: usize = FIRST_COUNTER + COUNTERS - 1;
const LIMIT_BITS: usize = 14;

/// Place of a counter in `counted`; those of [`PORT_AMOUNTS`] have ports of their own.
#[must_use]
pub const fn port_counted_place(counter: PortCounter) -> usize {
    let (code, mut below, mut i) = (counter.code() as usize, 0, 0);
    while i < PORT_AMOUNTS.len() {
        below += (PORT_AMOUNTS[i] < code) as usize;
        i += 1;
    }
    code - below
}

/// The registers of a port but its counters.
#[register_page(
    flitforge_protocol::sue_port_registers,
    "sue_port_registers",
    address = 7,
    guarded(P_CTRL, P_LLR, P_PFC0, P_PFC1, P_CELL, P_LIM0, P_LIM1, P_LLR_LIMITS, P_LLR_START, P_CONTROL)
)]
pub struct SuePortRegisters;

/// The page of a port. See the [module](super).
#[block("eth_port_regs", new)]
pub struct EthPortRegs {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets a request; registers and counters stay.
    clear: In<Bit>,
    /// Register bus.
    pub bus: RegisterBus<PORT_WORD_BITS>,
    /// Pulse: a write was refused (CFG_BAD).
    refused: Out<Bit>,
    /// P_STAT: the link is up.
    up: In<Bit>,
    /// P_STAT: state of the sender of link-layer retry.
    retry_tx_state: In<Bits<3>>,
    /// P_STAT: state of its receiver.
    retry_rx_state: In<Bits<2>>,
    /// P_STAT: classes that are paused.
    paused: In<Bits<8>>,
    /// Events of each counter, see [`port_counted_place`].
    counted: [In<Bits<EVENT_BITS>>; PORT_COUNTED],
    /// BYTES_TX: octets of this clock.
    octets_sent: In<Bits<PORT_AMOUNT_BITS>>,
    /// BYTES_RX: octets of this clock.
    octets_received: In<Bits<PORT_AMOUNT_BITS>>,
    /// LLR_FLUSH: frames of this clock.
    flushed: In<Bits<PORT_AMOUNT_BITS>>,
    /// CC_HEAL: cells of this clock.
    healed: In<Bits<PORT_AMOUNT_BITS>>,
    /// P_CTRL.enable.
    enable: Out<Bit>,
    /// P_CTRL: link-layer retry is on.
    retry: Out<Bit>,
    /// Pulse: link-layer retry starts anew.
    retry_restart: Out<Bit>,
    /// P_CTRL: flow control, as `flitforge_protocol::sue_port_registers::FlowControl`.
    flow_control: Out<Bits<2>>,
    /// P_CTRL: what is sent is received.
    loopback: Out<Bit>,
    /// P_CTRL: partition of SUE Lite.
    lite_partition: Out<Bits<10>>,
    /// P_CTRL: PROFILE ue103.
    profile: Out<Bit>,
    /// What the sending MAC is told.
    pub mac_tx: MacTransmitRegisters,
    /// What the receiving MAC is told.
    pub mac_rx: MacReceiveRegisters,
    /// What the sender of link-layer retry is told.
    pub retry_tx: LlrTxRegisters,
    /// What its receiver is told.
    pub retry_rx: LlrRxRegisters,
    /// XOFF of each class, 64 octets.
    xoff: [Out<Bits<8>>; CLASSES],
    /// XON of each class, 64 octets.
    xon: [Out<Bits<8>>; CLASSES],
    /// Pause quanta.
    quanta: Out<Bits<16>>,
    /// PFC_WD, 1024 clocks.
    watchdog: Out<Bits<16>>,
    /// Cells of 32·2^n octets.
    cell: Out<Bits<3>>,
    /// PKT_OVHD, signed.
    overhead: Out<Bits<8>>,
    /// CELL_BATCH.
    cell_batch: Out<Bits<8>>,
    /// CF_TIMER, clocks.
    cf_timer: Out<Bits<16>>,
    /// CC_TIMER, 64 clocks.
    cc_timer: Out<Bits<16>>,
    /// All classes share the LIMIT of class 0.
    pool: Out<Bit>,
    /// LIMIT of each class.
    limits: [Out<Bits<LIMIT_BITS>>; CLASSES],
    /// Octets without FCS of the largest frame that is sent.
    largest: Out<Bits<14>>,
    /// CC_OPC.
    opcode: Out<Bits<16>>,

    #[wire(clock, clear)]
    port: RegisterPort<PORT_WORD_BITS>,
    #[wire(clock, clear)]
    registers: SuePortRegisters,
    #[wire(clock)]
    rules: PortRules,
    #[wire(clock, clear)]
    counters: CounterRam<
        PORT_COUNTED,
        EVENT_BITS,
        EVENT_SUM_BITS,
        4,
        PORT_AMOUNT_BITS,
        AMOUNT_SUM_BITS,
        PLACE_BITS,
    >,
    bad: Reg<Bit>,
}

#[logic]
impl EthPortRegs {
    /// The page with its counters at `started`: 0 but in tests of what happens at the end.
    pub fn new(started: u64) -> Result<Self, ConfigError> {
        Ok(Self {
            registers: SuePortRegisters::new(&Described)?,
            rules: PortRules::new(),
            counters: CounterRam::new(PORT_AMOUNTS, started)?,
            ..
        })
    }

    fn update(&mut self) {
        link(bus, port.bus);
        self.route();
        self.permit();
        registers = In { p_stat_up: up, p_stat_retry_tx: retry_tx_state, p_stat_paused: paused };
        registers.p_stat_retry_rx = bit_cast::<3, 2>(retry_rx_state);
        self.tell_mac();
        self.tell_retry();
        self.tell_flow();
    }

    /// A request goes to the registers or to the counters.
    fn route(&mut self) {
        let word = port.page.address;
        let writes = port.page.write;
        let value = port.page.wdata;
        let is_counter = (word >= FIRST_COUNTER) & (word <= LAST_COUNTER);
        let asks = port.page.request;
        registers.bus = In { request: asks & !is_counter, write: writes, address: word, wdata: value };
        let place = word - FIRST_COUNTER;
        counters = In { request: asks & is_counter, address: place.bits::<PLACE_BITS>(0) };
        counters.zero = writes & !value.any();
        let mut counter_value: Bits<64> = 0;
        if counters.answer.valid & !writes {
            counter_value = bit_cast::<64, COUNTER_BITS>(counters.answer.data);
        }
        port.page.ack = registers.bus.ack | counters.answer.valid;
        port.page.rdata = registers.bus.rdata | counter_value;
        for i in 0..PORT_COUNTED {
            counters.events[i] = counted[i];
        }
        counters.amounts[0] = octets_sent;
        counters.amounts[1] = octets_received;
        counters.amounts[2] = flushed;
        counters.amounts[3] = healed;
        counters.bins = In { valid: false, data: 0 };
    }

    /// Which writes are legal.
    fn permit(&mut self) {
        let control: Bits<CONTROL_BITS> = cat(
            registers.p_ctrl_enable,
            bits::<1>(0),
            registers.p_ctrl_flow_control,
            registers.p_ctrl_fcs_over_sequence,
            registers.p_ctrl_loopback,
            bits::<2>(0),
            registers.p_ctrl_minimum,
            bits::<2>(0),
            registers.p_ctrl_gap,
            registers.p_ctrl_lite_partition,
            registers.p_ctrl_control_in_frame,
            registers.p_ctrl_control_twice,
            registers.p_ctrl_profile,
        );
        rules = In { data: port.page.wdata, control };
        registers = In { p_ctrl_permit: rules.may_control, p_llr_permit: rules.may_retry };
        registers = In { p_pfc0_permit: rules.may_pause, p_pfc1_permit: rules.may_pause_more };
        registers = In { p_cell_permit: rules.may_cell, p_lim0_permit: rules.may_limit };
        registers = In { p_lim1_permit: rules.may_limit_more, p_llr_limits_permit: rules.may_retry_limits };
        registers = In { p_llr_start_permit: rules.any, p_control_permit: rules.any };
        let of_port = registers.p_ctrl_refused | registers.p_llr_refused | registers.p_llr_limits_refused;
        let of_pause = registers.p_pfc0_refused | registers.p_pfc1_refused | registers.p_llr_start_refused;
        let of_credits = registers.p_cell_refused | registers.p_lim0_refused | registers.p_lim1_refused;
        bad = of_port | of_pause | of_credits | registers.p_control_refused;
        refused = bad;
        retry_restart = registers.p_ctrl_retry_restart & !registers.p_ctrl_refused;
    }

    fn tell_mac(&mut self) {
        Out { p_ctrl_enable: enable, p_ctrl_retry: retry, p_ctrl_flow_control: flow_control } = registers;
        Out { p_ctrl_loopback: loopback, p_ctrl_lite_partition: lite_partition, p_ctrl_profile: profile } =
            registers;
        mac_tx = In { minimum: registers.p_ctrl_minimum, gap: registers.p_ctrl_gap };
        mac_tx.fcs_over_sequence = registers.p_ctrl_fcs_over_sequence;
        mac_tx.control_in_frame = registers.p_ctrl_control_in_frame;
        mac_rx.minimum = registers.p_ctrl_minimum;
        mac_rx.fcs_over_sequence = registers.p_ctrl_fcs_over_sequence;
    }

    fn tell_retry(&mut self) {
        retry_tx = In { first: registers.p_llr_start_first, replay_timer: registers.p_llr_replay_timer };
        retry_tx = In { init_interval: registers.p_llr_init_timer, replays_max: registers.p_llr_replays_max };
        retry_tx = In { pcs_lost: registers.p_llr_limits_pcs_lost, age: registers.p_llr_limits_age };
        retry_tx = In {
            frames_max: registers.p_llr_limits_frames_max,
            room_words: registers.p_llr_start_room_words,
        };
        let policy = registers.p_llr_limits_waiting;
        retry_tx.waiting = match policy {
            0 => LlrWaiting::Block,
            1 => LlrWaiting::BestEffort,
            2 => LlrWaiting::Discard,
            _ => LlrWaiting::Reserved,
        };
        retry_tx =
            In { automatic: registers.p_llr_limits_automatic, eligible: registers.p_llr_limits_eligible };
        retry_tx.twice = registers.p_ctrl_control_twice;
        retry_rx = In { nack_timer: registers.p_llr_nack_timer, accepts_poison: registers.p_ctrl_profile };
        retry_rx =
            In { twice: registers.p_ctrl_control_twice, twice_within: registers.p_llr_start_twice_within };
    }

    fn tell_flow(&mut self) {
        xoff[0] = registers.p_pfc0_xoff_0;
        xon[0] = registers.p_pfc0_xon_0;
        xoff[1] = registers.p_pfc0_xoff_1;
        xon[1] = registers.p_pfc0_xon_1;
        xoff[2] = registers.p_pfc0_xoff_2;
        xon[2] = registers.p_pfc0_xon_2;
        xoff[3] = registers.p_pfc0_xoff_3;
        xon[3] = registers.p_pfc0_xon_3;
        xoff[4] = registers.p_pfc1_xoff_4;
        xon[4] = registers.p_pfc1_xon_4;
        xoff[5] = registers.p_pfc1_xoff_5;
        xon[5] = registers.p_pfc1_xon_5;
        Out {
            p_pfc1_quanta: quanta,
            p_pfc1_watchdog: watchdog,
            p_cell_cell: cell,
            p_cell_overhead: overhead,
        } = registers;
        Out {
            p_cell_cell_batch: cell_batch,
            p_cell_freed_timer: cf_timer,
            p_cell_consumed_timer: cc_timer,
        } = registers;
        Out { p_cell_pool: pool, p_control_largest: largest, p_control_opcode: opcode } = registers;
        let words: Bits<64> = cat(
            registers.p_lim0_limit_0,
            registers.p_lim0_limit_1,
            registers.p_lim0_limit_2,
            registers.p_lim0_limit_3,
        );
        let more: Bits<32> = cat(registers.p_lim1_limit_4, registers.p_lim1_limit_5);
        for i in 0..4 {
            limits[i] = words.bits::<LIMIT_BITS>(16 * i);
        }
        for i in 0..2 {
            limits[4 + i] = more.bits::<LIMIT_BITS>(16 * i);
        }
    }
}

/// Registry entry.
pub const PORT_ENTRY: BlockEntry = BlockEntry {
    name: "eth_port_regs",
    chapter: "50-sue",
    summary: "register page of a port: settings, counters",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build: |_| {
        let interface = InterfaceInfo::clocked(&[], Some(4), "request to ack");
        Ok(BuiltBlock::new(EthPortRegs::new(0)?, interface))
    },
};
