//! `sue_regs`: the register page of an instance.

use super::capture::{EventCapture, EVENTS};
use super::config::SueRegsConfig;
use super::counter_ram::{CounterRam, COUNTER_BITS};
use super::least_body::LeastBody;
use super::rules::RegsRules;
use super::types::{EventDetails, InstanceRegisters, ManagementFrame, TableAnswer, TableRequest};
use crate::network::NetworkSettings;
use crate::pack::PackRegisters;
use crate::send_table::SendRegisters;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::registers::{RegisterBus, RegisterPort};
use flitforge_protocol::register::BYTES;
use flitforge_protocol::sue_registers::{
    self as page, SueCounter, Table, COUNT, COUNTERS, HISTOGRAM_BINS, MAX_PORTS, XPU_BITS,
};

/// Bits that address a word of the page.
pub const WORD_BITS: usize = 9;
/// Counters of octets: their words.
pub const AMOUNTS: [usize; 2] = [SueCounter::BytesTx as usize, SueCounter::BytesRx as usize];
/// Counters of events.
pub const COUNTED: usize = COUNTERS - AMOUNTS.len();
/// Bits of octets per clock.
pub const OCTETS_BITS: usize = 7;
/// Bits of the accumulator of octets.
const OCTETS_SUM_BITS: usize = 13;
/// Bits that address a counter or bin.
const PLACE_BITS: usize = 7;
const FIRST_COUNTER: usize = (COUNT.offset / BYTES) as usize;
const FIRST_BIN: usize = (page::HIST / BYTES) as usize;
const LAST_BIN: usize = FIRST_BIN + HISTOGRAM_BINS - 1;
/// Tables that are only read.
const READ_ONLY_TABLES: usize = Table::Partitions as usize;
const LOAD_BITS: usize = 8;

/// Place of a counter in `counted`; BYTES_TX and BYTES_RX have ports of their own.
#[must_use]
pub const fn counted_place(counter: SueCounter) -> usize {
    let (code, mut below, mut i) = (counter.code() as usize, 0, 0);
    while i < AMOUNTS.len() {
        below += (AMOUNTS[i] < code) as usize;
        i += 1;
    }
    code - below
}

/// The registers of section 5, but counters and bins.
#[register_page(
    flitforge_protocol::sue_registers, "sue_registers", address = 9,
    only(
        ID, CAP, CTRL, STATUS, LOCAL, PACK, REL0, REL1, FMT, ETYPE, IP_BASE, IP6_HI, IP6_MID, REST, CLASS0, CLASS1, CLASS2, CLASS3,
        CLASS4, CLASS5, TYPE_CFG0, TYPE_CFG1, QTH, TBL_ADDR, TBL_DATA, CMD, INJ_DATA, INJ_CTL, EXT_DATA, EXT_CTL, INJ_GAP, EVENT, EVENT_EN,
        CAPTURE_HEADER, CAPTURE_PORT, CAPTURE_CAUSE, CAPTURE_MISSED,
    ),
    constant(ID, CAP), given(INJ_CTL.go), read(EXT_DATA), elsewhere(TBL_DATA), written(EVENT), interrupt(EVENT, EVENT_EN),
    whole(CTRL, CLASS0, CLASS1, CLASS2, CLASS3, CLASS4, CLASS5, TYPE_CFG0, TYPE_CFG1, EVENT),
    guarded(
        CTRL, LOCAL, PACK, REL0, REL1, FMT, ETYPE, IP_BASE, IP6_HI, IP6_MID, REST, CLASS0, CLASS1, CLASS2, CLASS3, CLASS4, CLASS5, TYPE_CFG0,
        TYPE_CFG1, QTH, TBL_ADDR, CMD, INJ_CTL, INJ_GAP,
    ),
)]
pub struct SueRegisters;

/// The page of an instance with up to 2^`E` - 1 events of a counter per clock, in accumulators of `W` bits. See the [module](super).
#[block("sue_regs", new, event_bits = E)]
pub struct SueRegs<const E: usize, const W: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets a request; registers and counters stay.
    clear: In<Bit>,
    /// Register bus.
    pub bus: RegisterBus<WORD_BITS>,
    /// Some event of EVENT_EN has happened.
    interrupt: Out<Bit>,
    /// STATUS: ports that are up.
    up: In<Bits<MAX_PORTS>>,
    /// STATUS: ports with a virtual channel that cannot send.
    blocked: In<Bits<MAX_PORTS>>,
    /// STATUS: tables are being cleared.
    clearing: In<Bit>,
    /// STATUS: fill of the ports.
    loads: [In<Bits<LOAD_BITS>>; MAX_PORTS],
    /// gg.
    generation: In<Bits<8>>,
    /// The page of a port, or the management, has refused a write: CFG_BAD.
    refused: [In<Bit>; MAX_PORTS],
    /// MINF of the ports, the largest.
    minimum: In<Bits<6>>,
    /// Events of each counter, see [`counted_place`].
    counted: [In<Bits<E>>; COUNTED],
    /// BYTES_TX: octets of this clock.
    octets_sent: In<Bits<OCTETS_BITS>>,
    /// BYTES_RX: octets of this clock.
    octets_received: In<Bits<OCTETS_BITS>>,
    /// A body has left the packer: its commands.
    pub body_commands: FlowIn<Bits<10>>,
    /// Bits of EVENT but CFG_BAD.
    happened: In<Bits<{ EVENTS - 1 }>>,
    /// What there is to say of them.
    details: In<EventDetails>,
    /// What most blocks are told.
    pub settings: InstanceRegisters,
    /// What the network headers are told.
    network: Out<NetworkSettings>,
    /// What the packer is told.
    pub pack: PackRegisters,
    /// What the sender's table is told.
    pub sender: SendRegisters,
    /// TBL_DATA is read or written.
    pub table: FlowOut<TableRequest>,
    /// The answer.
    pub table_answer: FlowIn<TableAnswer>,
    /// TBL_ADDR: the table that a command is about.
    command_table: Out<Bits<3>>,
    /// TBL_ADDR: the entry that a command is about.
    command_index: Out<Bits<16>>,
    /// Pulse: CMD.fail_over.
    fail_over: Out<Bit>,
    /// Pulse: CMD.open.
    open: Out<Bit>,
    /// Pulse: CMD.flush_all.
    flush_all: Out<Bit>,
    /// Words of a frame to be injected.
    pub inject_words: FlowOut<Bits<64>>,
    /// The frame is to be sent.
    pub inject: FlowOut<ManagementFrame>,
    /// It has not left.
    injecting: In<Bit>,
    /// INJ_GAP, clocks.
    inject_gap: Out<Bits<32>>,
    /// The next word of a frame that was extracted.
    extract_word: In<Bits<64>>,
    /// It was read.
    extract_taken: Out<Bit>,
    /// The frame.
    extracted: In<ManagementFrame>,
    /// There is one.
    extract_valid: In<Bit>,

    #[wire(clock, clear)]
    port: RegisterPort<WORD_BITS>,
    #[wire(clock, clear)]
    registers: SueRegisters,
    #[wire(clock)]
    rules: RegsRules,
    #[wire(clock)]
    capture: EventCapture,
    #[wire(clock)]
    shortest: LeastBody,
    #[wire(clock, clear)]
    counters: CounterRam<COUNTED, E, W, 2, OCTETS_BITS, OCTETS_SUM_BITS, PLACE_BITS>,
    /// The word of a bin.
    bin: Reg<Bits<PLACE_BITS>>,
    bin_valid: Reg<Bit>,
    /// A table has not answered.
    asked: Reg<Bit>,
    /// The table cannot be written.
    unwritable: Reg<Bit>,
    /// A write of a table was refused.
    table_bad: Reg<Bit>,
    injects: Reg<Bit>,
    takes: Reg<Bit>,
    takes_late: Reg<Bit>,
    bad: Reg<Bit>,
    lite: Constant<Bit>,
}

#[logic]
impl<const E: usize, const W: usize> SueRegs<E, W> {
    /// The page of what was built, or the reason why not.
    pub fn new(config: &SueRegsConfig) -> Result<Self, ConfigError> {
        config.check()?;
        Ok(Self {
            registers: SueRegisters::new(config)?,
            rules: RegsRules::new(&config.sizes),
            shortest: LeastBody::new(),
            counters: CounterRam::new(AMOUNTS, config.started)?,
            lite: Constant::new(config.sizes.lite),
            ..
        })
    }

    fn update(&mut self) {
        link(bus, port.bus);
        self.route();
        self.permit();
        self.refuse();
        self.look_up();
        self.show();
        self.manage();
        self.tell_network();
        self.tell_transport();
    }

    /// A request goes to the registers or to the counters.
    fn route(&mut self) {
        let word = port.page.address;
        let writes = port.page.write;
        let value = port.page.wdata;
        let is_counter = (word >= FIRST_COUNTER) & (word <= LAST_BIN);
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
        for i in 0..COUNTED {
            counters.events[i] = counted[i];
        }
        counters.amounts[0] = octets_sent;
        counters.amounts[1] = octets_received;
        let many = body_commands.data >= HISTOGRAM_BINS;
        let commands = body_commands.data.bits::<PLACE_BITS>(0);
        bin = if many { LAST_BIN - FIRST_COUNTER } else { commands + (FIRST_BIN - FIRST_COUNTER - 1) };
        bin_valid = body_commands.valid & body_commands.data.any();
        counters.bins = In { valid: bin_valid, data: bin };
    }

    /// Which writes are legal.
    fn permit(&mut self) {
        rules = In { data: port.page.wdata, control: registers.ctrl, format: registers.fmt_format };
        rules.injecting = injecting | injects;
        rules.classes[0] = registers.class0;
        rules.classes[1] = registers.class1;
        rules.classes[2] = registers.class2;
        rules.classes[3] = registers.class3;
        rules.classes[4] = registers.class4;
        rules.classes[5] = registers.class5;
        registers = In { ctrl_permit: rules.may_control, local_permit: rules.may_local };
        registers =
            In { pack_permit: rules.may_pack, rel0_permit: rules.may_rel0, rel1_permit: rules.may_rel1 };
        registers = In { fmt_permit: rules.may_format, etype_permit: rules.may_ethertypes };
        registers =
            In { ip_base_permit: rules.any, ip6_high_permit: rules.any, ip6_middle_permit: rules.any };
        registers.rest_permit = rules.any;
        registers = In { class0_permit: rules.may_class[0], class1_permit: rules.may_class[1] };
        registers = In { class2_permit: rules.may_class[2], class3_permit: rules.may_class[3] };
        registers = In { class4_permit: rules.may_class[4], class5_permit: rules.may_class[5] };
        registers = In { type_cfg0_permit: rules.may_types, type_cfg1_permit: rules.any };
        registers = In { qth_permit: rules.may_thresholds, tbl_addr_permit: rules.may_table };
        registers = In { cmd_permit: rules.may_command, inj_ctl_permit: rules.may_inject };
        registers.inj_gap_permit = rules.may_gap;
    }

    /// Writes that were not: CFG_BAD.
    fn refuse(&mut self) {
        let of_core = registers.ctrl_refused
            | registers.local_refused
            | registers.pack_refused
            | registers.rel0_refused;
        let of_format =
            registers.rel1_refused | registers.fmt_refused | registers.etype_refused | registers.qth_refused;
        let of_addresses = registers.ip_base_refused
            | registers.ip6_high_refused
            | registers.ip6_middle_refused
            | registers.rest_refused;
        let of_requests = registers.class0_refused | registers.class1_refused | registers.class2_refused;
        let of_classes = registers.class3_refused | registers.class4_refused | registers.class5_refused;
        let of_types = registers.type_cfg0_refused | registers.type_cfg1_refused | registers.tbl_addr_refused;
        let of_rest = registers.cmd_refused | registers.inj_ctl_refused | registers.inj_gap_refused;
        let mut of_others: Bit = table_bad;
        for i in 0..MAX_PORTS {
            of_others = of_others | refused[i];
        }
        bad = of_core | of_format | of_addresses | of_requests | of_classes | of_types | of_rest | of_others;
        let events: Bits<EVENTS> = cat(happened, bad);
        registers.event_happened = events;
        capture = In { happened: events, details, written: registers.event_written };
        capture.data = port.page.wdata.bits::<EVENTS>(0);
        registers = In { capture_cause_cause: capture.cause, capture_cause_full: capture.full };
        let of_event = capture.captured;
        registers.capture_cause_has_header = of_event.has_header & capture.full;
        registers.capture_header = of_event.header;
        registers = In { capture_port_port: of_event.port, capture_port_connection: of_event.connection };
        registers = In { capture_port_psn: of_event.psn, capture_missed_clocks: capture.missed };
        interrupt = registers.interrupt;
    }

    /// The window of tables.
    fn look_up(&mut self) {
        let number = registers.tbl_addr_table;
        let writes_entry = port.page.write;
        let cannot = writes_entry & (number < READ_ONLY_TABLES);
        let begins = registers.elsewhere;
        unwritable = begins & cannot & !clear;
        asked = (asked | (begins & !cannot)) & !table_answer.valid & !clear;
        let request = TableRequest {
            write: writes_entry,
            table: number[0..3],
            index: registers.tbl_addr_index,
            data: port.page.wdata,
        };
        table = In { valid: begins & !cannot & !clear, data: request };
        let entry = table_answer.data;
        let answered = table_answer.valid & asked;
        registers.elsewhere_done = answered | unwritable;
        registers.elsewhere_value = if answered { entry.data } else { 0 };
        table_bad = unwritable | (answered & writes_entry & entry.refused);
        command_table = number[0..3];
        command_index = registers.tbl_addr_index;
        let commands = !registers.cmd_refused;
        fail_over = registers.cmd_fail_over & commands;
        open = registers.cmd_open & commands;
        flush_all = registers.cmd_flush_all & commands;
    }

    /// What reads show.
    fn show(&mut self) {
        registers = In { status_up: up, status_blocked: blocked, status_clearing: clearing };
        registers = In { status_load_0: loads[0], status_load_1: loads[1] };
        registers = In { status_load_2: loads[2], status_load_3: loads[3], local_generation: generation };
    }

    /// Injected and extracted frames.
    fn manage(&mut self) {
        inject_words = In { valid: registers.inj_data_write, data: registers.inj_data };
        injects = registers.inj_ctl_write & registers.inj_ctl_go_new & rules.may_inject;
        let frame = ManagementFrame { octets: registers.inj_ctl_octets, port: registers.inj_ctl_port };
        inject = In { valid: injects, data: frame };
        registers.inj_ctl_go = injecting | injects;
        inject_gap = registers.inj_gap_clocks;
        // The word is shown a clock after the read is known, and may go then.
        takes = registers.ext_data_read;
        takes_late = takes & extract_valid;
        // Not if the read was forgotten meanwhile: nobody has seen the word.
        extract_taken = takes_late & registers.bus.ack;
        registers.ext_data = if extract_valid { extract_word } else { 0 };
        let front = extracted;
        registers =
            In { ext_ctl_octets: front.octets, ext_ctl_port: front.port, ext_ctl_valid: extract_valid };
    }

    fn tell_network(&mut self) {
        let told = NetworkSettings {
            format: registers.fmt_format,
            vlan: registers.fmt_vlan,
            shim: registers.fmt_shim,
            second_ethertype: registers.fmt_second_ethertype,
            vid: registers.fmt_vid,
            hop: registers.fmt_hop,
            ttl: registers.fmt_ttl,
            esun_payload: registers.fmt_esun_payload,
            lite,
            afh1_ethertype: registers.etype_afh1,
            sue_ethertype: registers.etype_sue,
            lite_ethertype: registers.etype_lite,
            esun_ethertype: registers.fmt_esun_ethertype,
            udp_port: registers.etype_udp_port,
            ip_base: registers.ip_base,
            ip6_middle: registers.ip6_middle,
            ip6_high: registers.ip6_high,
            own_xpu: registers.local_xpu,
            machine_partition: registers.local_machine_partition,
            class_0: registers.class0.into(),
            class_1: registers.class1.into(),
            class_2: registers.class2.into(),
            class_3: registers.class3.into(),
            class_4: registers.class4.into(),
            class_5: registers.class5.into(),
        };
        network = told;
        shortest = In { settings: told, minimum };
        settings.least = shortest.least;
    }

    fn tell_transport(&mut self) {
        let control = registers.ctrl;
        settings =
            In { enable: control[page::ctrl::enable::LOW], unordered: control[page::ctrl::unordered::LOW] };
        settings = In { renack: control[page::ctrl::renack::LOW] };
        settings.strict_failover = control[page::ctrl::strict_failover::LOW];
        settings.generation_enable = control[page::ctrl::generation_enable::LOW];
        settings.response_mode = control[page::ctrl::response_mode::LOW];
        settings.partition_check = control[page::ctrl::partition_check::LOW];
        let own = registers.local_xpu;
        settings.own = own[0..XPU_BITS];
        settings.acknowledgment_partition = registers.local_acknowledgment_partition;
        settings = In { timeout: registers.rel1_timeout, slot_min: registers.rel0_slot_min };
        settings.management_timeout = registers.rel1_management_timeout;
        settings.management_tries = registers.rel1_management_tries;
        settings.rest = registers.rest_clocks;
        settings = In { coalesce: registers.rel0_acknowledgment_coalesce };
        settings.acknowledgment_timer = registers.rel0_acknowledgment_timer;
        settings.types = cat(registers.type_cfg0, registers.type_cfg1);
        let credits = registers.qth_initial_credits;
        settings =
            In { initial: credits[0..10], queue_high: registers.qth_high, queue_low: registers.qth_low };
        pack = In {
            pack_max: registers.pack_most,
            weight_0: registers.pack_weight_0,
            weight_1: registers.pack_weight_1,
        };
        pack = In { weight_2: registers.pack_weight_2, weight_3: registers.pack_weight_3 };
        sender = In {
            window: registers.rel0_window,
            retry_max: registers.rel1_retry_max,
            backoff: registers.rel1_backoff,
        };
        sender = In { nack_max: registers.rel1_nack_max, stuck_fail: registers.rel1_stuck_fails };
    }
}
