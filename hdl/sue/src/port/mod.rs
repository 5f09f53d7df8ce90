//! `eth_port`: a whole Ethernet port (chapter 50, 4.7): arbiter, link-layer retry, MAC, flow control, demultiplexer and the register page.
//!
//! | part | does |
//! |---|---|
//! | `registers` | the page of the port: settings and counters |
//! | `arbiter` | whose frame goes next |
//! | `retry` | link-layer retry |
//! | `mac_tx`, `mac_rx` | frames to XGMII and back |
//! | `pause`, `credit` | PFC and CBFC; P_CTRL.flow_control says which one is there |
//! | `demux` | what kind of frame came |
//!
//! - **Off** (P_CTRL.enable = 0): all but the registers is cleared, the line is idle, what was inside is gone. Settings change only then.
//! - **Up** (`up`): on, with a PCS that has its link, and link-layer retry off or past INIT.
//! - **Frames to be sent.** `class_ready` says which classes are neither paused nor out of credits; frames of other classes should not be chosen. With CBFC
//!   a frame of `data` whose class has no credits waits, and others after it; with PFC it goes. While link-layer retry takes no frame, only PFC and
//!   CC_Update frames begin.
//! - **Frames that came.** `data` and `management` have `error` with the last word of a frame that does not count: who takes them drops it.
//! - **Credits.** `came` and `freed` tell of each good frame of a class with credits, and of each that has left the receive buffer.
//! - **SUE Lite** (`retry_mandatory`): no frame but those of PFC and CC_Update goes without link-layer retry; all wait while it is not running (`retry_runs`).
//!   `acknowledged` and `lost` say in order what becomes of the others; what is under way when the port is switched off is not told.
//! - **Loopback** (P_CTRL.loopback): what is sent is received, a clock later; `rxd` is not looked at.
//!
//! Latency: 9 clocks from a word of `data` to its column: arbiter 1, link-layer retry 1, MAC 7. A word per clock.
//! `clear` forgets everything but settings and counters.

mod counts;

use crate::arbiter::{EthArb, FrameCost, OCTETS_BITS};
use crate::cbfc::{EthCbfc, CREDIT_OCTETS_BITS};
use crate::demux::EthDemux;
use crate::frame::{FrameWord, WORD_BYTES};
use crate::llr::EthLlr;
use crate::llr_tx::{LlrTxState, FRAMES_BITS, MARGIN_WORDS};
use crate::mac_rx::EthMacRx;
use crate::mac_tx::EthMacTx;
use crate::network::NetworkSettings;
use crate::pfc::EthPfc;
use crate::registers::{EthPortRegs, PORT_WORD_BITS};
use counts::PortCounts;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::registers::RegisterBus;
use flitforge_protocol::sue::class::CLASSES;
use flitforge_protocol::sue::network::{mac, MAC_PREFIX};
use flitforge_protocol::sue_port_registers::FlowControl;

/// Clocks from a word of `data` to its column, if nothing else waits.
pub const LATENCY: u32 = 9;

/// Bits of an octet's place in a word.
const BYTE_BITS: usize = WORD_BYTES.ilog2() as usize;
const PAUSE: usize = FlowControl::Pause as usize;
const CREDITS: usize = FlowControl::Credits as usize;

/// A MAC address of the configuration.
#[packed(mac)]
pub struct PortAddress {
    /// FID: port and XPU.
    fid: Bits<16>,
    /// MAC_PART.
    machine_partition: Bits<16>,
    /// gg.
    generation: Bits<8>,
    /// Locally administered.
    prefix: Bits<8>,
}

/// A port with a replay buffer of 2^`A` words; `P` = `A` + 1. See the [module](self).
#[block("eth_port", new, words = 1usize << A)]
pub struct EthPort<const A: usize, const P: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything but settings and counters.
    clear: In<Bit>,
    /// Register bus.
    pub bus: RegisterBus<PORT_WORD_BITS>,
    /// Pulse: a write of a register was refused.
    refused: Out<Bit>,
    /// Number of the port.
    number: In<Bits<4>>,
    /// Registers of the instance: classes and addresses.
    network: In<NetworkSettings>,
    /// gg, 0 without GEN_EN.
    generation: In<Bits<8>>,
    /// Frames go with link-layer retry only (SUE Lite).
    retry_mandatory: In<Bit>,
    /// The PCS has its link.
    pcs_up: In<Bit>,
    /// Octets of a column to the PCS, octet 0 in bits 7:0.
    txd: Out<Bits<64>>,
    /// Which of them are control characters.
    txc: Out<Bits<8>>,
    /// Octets of a column from the PCS.
    rxd: In<Bits<64>>,
    /// Which of them are control characters.
    rxc: In<Bits<8>>,
    /// Event frames to be sent.
    pub aux: StreamIn<FrameWord>,
    /// Frames of the management to be sent.
    pub inject: StreamIn<FrameWord>,
    /// Octets of the frame of `inject` without FCS; holds through the frame.
    inject_octets: In<Bits<OCTETS_BITS>>,
    /// PDUs in their frames to be sent.
    pub data_in: StreamIn<FrameWord>,
    /// Class of the frame of `data_in`; holds through the frame.
    data_class: In<Bits<3>>,
    /// Octets of the frame of `data_in` without FCS, with its first word.
    data_octets: In<Bits<OCTETS_BITS>>,
    /// Classes that may send.
    class_ready: Out<Bits<CLASSES>>,
    /// A class of data.
    asked_class: In<Bits<2>>,
    /// Octets that its credits of CBFC are worth, a clock later; at most one less than 1 MiB, and 0 without CBFC.
    credit_octets: Out<Bits<CREDIT_OCTETS_BITS>>,
    /// Frames with a network header that came.
    pub data: FlowOut<FrameWord>,
    /// Frames for the management that came.
    pub management: FlowOut<FrameWord>,
    /// Pulse: the management has taken one.
    extracted: In<Bit>,
    /// Good frames that came, for CBFC.
    pub came: FlowIn<FrameCost>,
    /// Frames that have left the receive buffer, for CBFC.
    pub freed: FlowIn<FrameCost>,
    /// Fill of the classes' receive buffers in 64 octets, for PFC.
    fill: [In<Bits<8>>; CLASSES],
    /// Frames that the peer has.
    pub acknowledged: FlowOut<Bits<FRAMES_BITS>>,
    /// Frames that link-layer retry has dropped; some of them may have arrived.
    pub lost: FlowOut<Bits<FRAMES_BITS>>,
    /// MINF.
    minimum: Out<Bits<6>>,
    /// Partition of all commands of SUE Lite.
    lite_partition: Out<Bits<10>>,
    /// P_CTRL.enable.
    on: Out<Bit>,
    /// Link-layer retry takes frames.
    retry_runs: Out<Bit>,
    /// The port is up.
    up: Out<Bit>,
    /// Pulse: a class was paused longer than PFC_WD.
    storm: Out<Bit>,
    /// Pulse: link-layer retry has dropped its buffer.
    flushed: Out<Bit>,

    #[wire(clock, clear)]
    registers: EthPortRegs,
    #[wire(clock)]
    counts: PortCounts,
    #[wire(clock)]
    arbiter: EthArb,
    #[wire(clock)]
    retry: EthLlr<A, P>,
    #[wire(clock)]
    mac_tx: EthMacTx,
    #[wire(clock)]
    mac_rx: EthMacRx,
    #[wire(clock)]
    pause: EthPfc,
    #[wire(clock, asked_class)]
    credit: EthCbfc,
    #[wire(clock)]
    demux: EthDemux,
    #[wire(d = _)]
    paused: Reg<Bits<CLASSES>>,
    #[wire(d = _)]
    is_up: Reg<Bit>,
    #[wire(d = _)]
    room: Reg<Bits<13>>,
    #[wire(d = _)]
    room_words: Reg<Bits<13>>,
}

#[logic]
impl<const A: usize, const P: usize> EthPort<A, P> {
    /// A port that is off.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            registers: EthPortRegs::new(0)?,
            retry: EthLlr::new()?,
            mac_tx: EthMacTx::new()?,
            mac_rx: EthMacRx::new()?,
            ..
        })
    }

    fn update(&mut self) {
        link(bus, registers.bus);
        Out { refused } = registers;
        let off = clear | !registers.enable;
        arbiter.clear = off;
        retry.clear = off;
        mac_tx.clear = off;
        mac_rx.clear = off;
        pause.clear = off;
        credit.clear = off;
        demux.clear = off;
        self.send();
        self.receive();
        self.run_retry();
        self.control_flow();
        self.tell_classes();
        self.count();
    }

    /// From the sources to the line.
    fn send(&mut self) {
        link(aux, arbiter.aux);
        link(inject, arbiter.inject);
        link(data_in, arbiter.data);
        arbiter = In { inject_octets, data_class, data_octets, acknowledgment_octets: 0 };
        arbiter.acknowledgment = In { data: inject.data, valid: false };
        arbiter.data_waits = registers.flow_control == CREDITS;
        // A frame of PFC or CBFC: only one of them is there.
        let message = pause.frame.valid;
        let update_message = credit.frame.valid;
        arbiter.control.valid = message | update_message;
        arbiter.control.data = if message { pause.frame.data } else { credit.frame.data };
        pause.frame.ready = arbiter.control.ready;
        credit.frame.ready = arbiter.control.ready & !message;
        arbiter.hold = credit.hold | !retry.is_open;

        join(arbiter.frame, retry.frame);
        retry = In { class: arbiter.class, bypass: arbiter.bypass };
        join(retry.frames_out, mac_tx.frames);
        mac_tx.preamble = retry.preamble_out;
        join(retry.control_out, mac_tx.control);
        join(registers.mac_tx, mac_tx.settings);
        minimum = registers.mac_tx.minimum;
        Out { txd, txc } = mac_tx;
    }

    /// From the line to those who take frames.
    fn receive(&mut self) {
        let loops = registers.loopback;
        mac_rx.rxd = if loops { mac_tx.txd } else { rxd };
        mac_rx.rxc = if loops { mac_tx.txc } else { rxc };
        join(registers.mac_rx, mac_rx.settings);
        join(mac_rx.frames, retry.frames_in);
        retry.preamble_in = mac_rx.preamble;
        join(mac_rx.verdicts, retry.verdicts_in);
        join(mac_rx.control, retry.control_in);
        join(retry.received, demux.frames);
        join(retry.verdicts_out, demux.verdicts);
        demux.credit_opcode = registers.opcode;
        link(data, demux.data);
        link(management, demux.management);
    }

    fn run_retry(&mut self) {
        join(registers.retry_tx, retry.settings_tx);
        self.limit_room();
        join(registers.retry_rx, retry.settings_rx);
        retry = In { enable: registers.retry, restart: registers.retry_restart };
        let has_link = pcs_up | registers.loopback;
        retry.pcs_up = has_link;
        let starts = (retry.state_tx == LlrTxState::Init) | (retry.state_tx == LlrTxState::Flush);
        is_up = has_link & registers.enable & !starts;
        up = is_up;
        registers = In { up: is_up, retry_rx_state: retry.state_rx.into() };
        registers.retry_tx_state = retry.state_tx.into();
        flushed = retry.flushed.valid;
        retry.mandatory = retry_mandatory;
        Out { lite_partition, enable: on } = registers;
        retry_runs = (retry.state_tx == LlrTxState::Advance) | (retry.state_tx == LlrTxState::Replay);
        link(acknowledged, retry.acknowledged);
        let discarded = retry.events_tx.discarded;
        let dropped_frames = retry.flushed.data;
        let of_flush: Bits<FRAMES_BITS> = if retry.flushed.valid { dropped_frames.frames } else { 0 };
        let one: Bits<FRAMES_BITS> = bit_cast::<FRAMES_BITS, 1>(discarded.into());
        lost = In { data: of_flush + one, valid: retry.flushed.valid | discarded };
    }

    /// The replay buffer has room for the largest frame when one more begins, whatever P_LLR_START says.
    fn limit_room(&mut self) {
        let octets: Bits<15> = bit_cast::<15, 14>(registers.largest) + (WORD_BYTES - 1);
        let frame_words: Bits<14> = bit_cast::<14, 12>(octets.bits::<12>(BYTE_BITS));
        let left: Bits<14> = bits::<14>((1 << A) - MARGIN_WORDS) - frame_words;
        room = if left[13] { 0 } else { left[0..13] };
        let wanted = registers.retry_tx.room_words;
        room_words = if wanted > room { room } else { wanted };
        retry.settings_tx.room_words = room_words;
    }

    /// PFC and CBFC.
    fn control_flow(&mut self) {
        let kind = registers.flow_control;
        pause = In { enable: kind == PAUSE, quanta: registers.quanta, watchdog: registers.watchdog };
        let words = demux.control.data;
        let word_valid = demux.control.valid;
        let is_good = demux.control_verdicts.data;
        let judges = demux.control_verdicts.valid;
        pause.frames = In { data: words, valid: word_valid };
        pause.verdicts = In { data: is_good, valid: judges };
        credit.frames = In { data: words, valid: word_valid };
        credit.verdicts = In { data: is_good, valid: judges };
        let fid: Bits<16> = cat(number, network.own_xpu);
        let address =
            PortAddress { fid, machine_partition: network.machine_partition, generation, prefix: MAC_PREFIX };
        pause.source = address.into();
        credit.enable = kind == CREDITS;
        Out { credit_octets } = credit;
        credit.settings = In { cell: registers.cell, overhead: registers.overhead };
        credit.settings = In { cell_batch: registers.cell_batch, cf_timer: registers.cf_timer };
        credit.settings = In { cc_timer: registers.cc_timer, pool: registers.pool };
        credit.settings = In { largest: registers.largest, two_messages: registers.profile };
        credit.settings = In { opcode: registers.opcode, source: address.into() };
        credit.taken = In { data: arbiter.started.data, valid: arbiter.started.valid };
        credit.sent = In { data: arbiter.started.data, valid: arbiter.started.valid };
        link(came, credit.received);
        link(freed, credit.freed);
        credit.outstanding = !retry.empty;
        join(retry.credits_out, credit.sets);
        join(credit.control, retry.credits_in);
        paused = pause.paused;
        registers.paused = bit_cast::<8, CLASSES>(paused);
        let may = credit.ready & !paused;
        class_ready = may;
        arbiter.class_ready = may;
        storm = pause.storm.any();
    }

    /// What the registers of the instance say of classes.
    fn tell_classes(&mut self) {
        let first = network.class_0;
        let second = network.class_1;
        let third = network.class_2;
        let fourth = network.class_3;
        let fifth = network.class_4;
        let sixth = network.class_5;
        let lossless: Bits<CLASSES> = cat(
            first.lossless,
            second.lossless,
            third.lossless,
            fourth.lossless,
            fifth.lossless,
            sixth.lossless,
        );
        pause.lossless = lossless;
        credit.lossless = lossless;
        let priorities: Bits<18> = cat(first.pcp, second.pcp, third.pcp, fourth.pcp, fifth.pcp, sixth.pcp);
        let channels: Bits<30> =
            cat(first.cbfc_vc, second.cbfc_vc, third.cbfc_vc, fourth.cbfc_vc, fifth.cbfc_vc, sixth.cbfc_vc);
        for i in 0..CLASSES {
            pause.priorities[i] = priorities.bits::<3>(3 * i);
            credit.virtual_channels[i] = channels.bits::<5>(5 * i);
            credit.limits[i] = registers.limits[i];
            pause.fill[i] = fill[i];
            pause.xoff[i] = registers.xoff[i];
            pause.xon[i] = registers.xon[i];
        }
    }

    /// What the counters count.
    fn count(&mut self) {
        join(retry.events_tx, counts.events_tx);
        join(retry.events_rx, counts.events_rx);
        counts.sent = In { data: mac_tx.sent.data, valid: mac_tx.sent.valid };
        counts.found = In { data: mac_rx.verdicts.data, valid: mac_rx.verdicts.valid };
        counts.judged = In { data: retry.verdicts_out.data, valid: retry.verdicts_out.valid };
        counts.found_octets = mac_rx.octets;
        counts = In { pause_sent: pause.sent, pause_received: pause.received, storm: pause.storm.any() };
        counts = In { freed_sent: credit.freed_sent, freed_received: credit.freed_received };
        let word = inject.data;
        counts.injected = inject.valid & arbiter.inject.ready & word.last;
        counts.extracted = extracted;
        for i in 0..counts::COUNTED {
            registers.counted[i] = counts.counted[i];
        }
        registers = In { octets_sent: counts.octets_sent, octets_received: counts.octets_received };
        let dropped = retry.flushed.data;
        let frames: Bits<15> = bit_cast::<15, 7>(dropped.frames);
        registers.flushed = if retry.flushed.valid { frames } else { 0 };
        registers.healed = if credit.healed.valid { credit.healed.data } else { 0 };
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "eth_port",
    chapter: "50-sue",
    summary: "a whole Ethernet port: arbiter, link-layer retry, MAC, flow control, registers",
    parameters: crate::llr::ENTRY.parameters,
    presets: crate::llr::ENTRY.presets,
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (words) => build_as [log2(words), log2(words) + 1];
        presets { (2048) }
    }
}

/// Builds the block with these const parameters; see [`EthPort`].
pub fn build_as<const A: usize, const P: usize>(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("aux", StreamSink),
        ("inject", StreamSink),
        ("data_in", StreamSink),
        ("data", FlowSource),
        ("management", FlowSource),
        ("came", FlowSink),
        ("freed", FlowSink),
        ("acknowledged", FlowSource),
        ("lost", FlowSource),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "word of `data_in` to its column");
    Ok(BuiltBlock::new(EthPort::<A, P>::new()?, interface))
}
