//! `phy_ecp5`: the lane PHY over SerDes lanes, 8b10b with K28.5 as comma (chapter 10, 4.7).
//!
//! This block is what lies in the fabric in front of a SerDes that passes 20 bits, two symbols, per clock and neither codes nor aligns,
//! as the ECP5's DCU does in its 10-bit mode; the DCU itself belongs to the platform. Its lane side is that of every lane PHY, in
//! `clock`. The sender's lanes share `tx_clock`; each lane is received in its own recovered `rx_clock`. Only the FIFOs and synchronizers
//! here cross.
//!
//! - A word is four symbols, byte 0 first, two per clock. A lane without a word sends an idle word, K28.5 D16.2 D16.2 D16.2, which the
//!   receiver drops: the line stays balanced, and the receiver finds its boundaries before training begins.
//! - Received words come out of an elastic FIFO of 32 words per lane, as soon as they are there, so it is empty most of the time.
//! - `lane_lock` of a lane: the SerDes says that its line is good (`line_ok`, of any clock) and the word boundary is known. `signal_ok`:
//!   besides, the sender sends; after 64 idle words in a row, of a lane that is quiet, it falls. When `line_ok` falls, both fall, the
//!   lane's FIFO is emptied and the boundary is searched anew.
//! - `invert` turns the lane's symbols over before they are decoded, which turns the bytes of training sets over. `slip` moves the bit boundary by one.
//! - `elastic_error`: behind a word of a lane came none, or a received word found its FIFO full.
//! - `clear` empties both directions, at any time. It is over when all clocks have answered, see [`ClearCrossing`]; until then `tx.ready`
//!   is low.
//!
//! Throughput: one word per two clocks of `tx_clock` and lane.

mod code;
mod receive;
mod start;
mod transmit;

pub use code::{CodeRx, CodeTx};
pub use receive::{SerdesRx, SymbolShift, WordAlign};
pub use start::SerdesStart;
pub use transmit::SerdesTx;

use super::lane::{check_lanes, lane_interface, LANE_BITS, LANE_IN_BITS};
use crate::config::ConfigError;
use crate::prim::stream::{FlowOut, StreamIn, StreamOut};
use crate::prim::{AsyncFifo, ClearCrossing, PulseSynchronizer, Synchronizer};
use crate::registry::StreamRole::{FlowSource, StreamSink};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset, StreamInfo};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// One lane of [`PhyEcp5`]; its ports are those of the whole.
#[derive(LogicBlock)]
pub struct SerdesLane {
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Clock of the symbol pairs sent.
    pub tx_clock: Signal<In, Clock>,
    /// Clock of the symbol pairs received.
    pub rx_clock: Signal<In, Clock>,
    /// Words in.
    pub tx: StreamIn<Bits<LANE_BITS>>,
    /// Words out.
    pub rx: FlowOut<Bits<LANE_IN_BITS>>,
    /// The SerDes has a good line; of any clock.
    pub line_ok: Signal<In, Bit>,
    /// To be inverted.
    pub invert: Signal<In, Bit>,
    /// Pulse: the bit boundary is one bit later.
    pub slip: Signal<In, Bit>,
    /// The line is good and the word boundary known.
    pub locked: Signal<Out, Bit>,
    /// Besides, the sender sends.
    pub signal: Signal<Out, Bit>,
    /// Pulse: a FIFO ran empty or over.
    pub elastic_error: Signal<Out, Bit>,
    /// To the SerDes.
    pub tx_symbols: Signal<Out, Bits<20>>,
    /// From the SerDes.
    pub rx_symbols: Signal<In, Bits<20>>,
    tx_clearing: ClearCrossing,
    rx_clearing: ClearCrossing,
    waiting: AsyncFifo<Bits<LANE_BITS>, 3, 4>,
    sender: SerdesTx,
    receiver: SerdesRx,
    elastic: AsyncFifo<Bits<LANE_IN_BITS>, 5, 6>,
    line: Synchronizer<2>,
    inverted: Synchronizer<2>,
    slipped: PulseSynchronizer,
    found: Synchronizer<2>,
    silent: Synchronizer<2>,
    starved: PulseSynchronizer,
    overflow: DFF<Bit>,
    overflowed: PulseSynchronizer,
    good: DFF<Bit>,
    heard: DFF<Bit>,
}

impl SerdesLane {
    /// A lane that searches.
    pub fn new() -> Result<Self, ConfigError> {
        let (pulse, level) = (PulseSynchronizer::new()?, Synchronizer::new(false)?);
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            tx_clock: Default::default(),
            rx_clock: Default::default(),
            tx: Default::default(),
            rx: Default::default(),
            line_ok: Default::default(),
            invert: Default::default(),
            slip: Default::default(),
            locked: Default::default(),
            signal: Default::default(),
            elastic_error: Default::default(),
            tx_symbols: Default::default(),
            rx_symbols: Default::default(),
            tx_clearing: ClearCrossing::new()?,
            rx_clearing: ClearCrossing::new()?,
            waiting: AsyncFifo::new()?,
            sender: SerdesTx::new()?,
            receiver: SerdesRx::new()?,
            elastic: AsyncFifo::new()?,
            line: level.clone(),
            inverted: level.clone(),
            slipped: pulse.clone(),
            found: level.clone(),
            silent: level,
            starved: pulse.clone(),
            overflow: Default::default(),
            overflowed: pulse,
            good: Default::default(),
            heard: Default::default(),
        })
    }
}

impl Logic for SerdesLane {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, good, heard);
        clock!(self, clock, tx_clearing, rx_clearing, line, found, silent);
        self.line.d.next = self.line_ok.val();
        self.tx_clearing.clear.next = self.clear.val();
        self.tx_clearing.far_clock.next = self.tx_clock.val();
        self.rx_clearing.clear.next = self.clear.val() | !self.line.q.val();
        self.rx_clearing.far_clock.next = self.rx_clock.val();

        // Out.
        self.waiting.write_clock.next = self.clock.val();
        self.waiting.write_clear.next = self.tx_clearing.near_clear.val();
        StreamIn::<Bits<LANE_BITS>>::link(&mut self.tx, &mut self.waiting.words_in);
        self.waiting.read_clock.next = self.tx_clock.val();
        self.waiting.read_clear.next = self.tx_clearing.far_clear.val();
        self.sender.clock.next = self.tx_clock.val();
        self.sender.clear.next = self.tx_clearing.far_clear.val();
        StreamOut::<Bits<LANE_BITS>>::join(&mut self.waiting.words_out, &mut self.sender.words);
        self.tx_symbols.next = self.sender.symbols.val();

        // In.
        self.receiver.clock.next = self.rx_clock.val();
        self.receiver.clear.next = self.rx_clearing.far_clear.val();
        self.receiver.symbols.next = self.rx_symbols.val();
        self.inverted.clock.next = self.rx_clock.val();
        self.inverted.d.next = self.invert.val();
        self.receiver.invert.next = self.inverted.q.val();
        self.slipped.clock_in.next = self.clock.val();
        self.slipped.pulse.next = self.slip.val();
        self.slipped.clock_out.next = self.rx_clock.val();
        self.receiver.slip.next = self.slipped.pulse_out.val();
        self.elastic.write_clock.next = self.rx_clock.val();
        self.elastic.write_clear.next = self.rx_clearing.far_clear.val();
        self.elastic.words_in.data.next = self.receiver.words.data.val();
        self.elastic.words_in.valid.next = self.receiver.words.valid.val();
        self.elastic.read_clock.next = self.clock.val();
        self.elastic.read_clear.next = self.rx_clearing.near_clear.val();
        self.elastic.words_out.ready.next = true;
        self.rx.data.next = self.elastic.words_out.data.val();
        self.rx.valid.next = self.elastic.words_out.valid.val() & !self.rx_clearing.near_clear.val();

        // What the core is told.
        self.found.d.next = self.receiver.locked.val();
        self.good.d.next = (self.found.q.val() & self.line.q.val()) & !self.rx_clearing.near_clear.val();
        self.locked.next = self.good.q.val();
        self.silent.d.next = self.receiver.silent.val();
        self.heard.d.next = ((self.found.q.val() & self.line.q.val()) & !self.silent.q.val())
            & !self.rx_clearing.near_clear.val();
        self.signal.next = self.heard.q.val();
        self.overflow.clock.next = self.rx_clock.val();
        self.overflow.d.next = (self.receiver.words.valid.val() & !self.elastic.words_in.ready.val())
            & !self.rx_clearing.far_clear.val();
        self.overflowed.clock_in.next = self.rx_clock.val();
        self.overflowed.pulse.next = self.overflow.q.val();
        self.overflowed.clock_out.next = self.clock.val();
        self.starved.clock_in.next = self.tx_clock.val();
        self.starved.pulse.next = self.sender.starved.val();
        self.starved.clock_out.next = self.clock.val();
        self.elastic_error.next = self.starved.pulse_out.val() | self.overflowed.pulse_out.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("serdes_lane", &[])
    }
}

drive_ports!(impl[] SerdesLane {
    clock, clear, tx_clock, rx_clock, tx, rx, line_ok, invert, slip, locked, signal, elastic_error, tx_symbols, rx_symbols,
});

/// See the [module](self).
#[derive(LogicBlock)]
pub struct PhyEcp5<const LANES: usize> {
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Clock of the symbol pairs sent.
    pub tx_clock: Signal<In, Clock>,
    /// Clocks of the symbol pairs received.
    pub rx_clock: [Signal<In, Clock>; LANES],
    /// Words in: word in bits 31..0, ctl in bit 32.
    pub tx: [StreamIn<Bits<LANE_BITS>>; LANES],
    /// Words out: as in, code_err in bit 33.
    pub rx: [FlowOut<Bits<LANE_IN_BITS>>; LANES],
    /// Lanes to be inverted.
    pub invert: Signal<In, Bits<4>>,
    /// Pulses: the lane's bit boundary is one bit later.
    pub slip: Signal<In, Bits<4>>,
    /// Lanes with a signal.
    pub signal_ok: Signal<Out, Bits<4>>,
    /// Lanes whose word boundary is known.
    pub lane_lock: Signal<Out, Bits<4>>,
    /// Pulse: a FIFO ran empty or over.
    pub elastic_error: Signal<Out, Bit>,
    /// Lanes whose SerDes has a good line; of any clock.
    pub line_ok: Signal<In, Bits<4>>,
    /// To the SerDes: two symbols per lane, the first in bits 9..0, bit 0 first.
    pub tx_symbols: [Signal<Out, Bits<20>>; LANES],
    /// From the SerDes: twenty bits per lane, bit 0 came first.
    pub rx_symbols: [Signal<In, Bits<20>>; LANES],
    lane: [SerdesLane; LANES],
    good: Signal<Local, Bits<4>>,
    heard: Signal<Local, Bits<4>>,
    error: Signal<Local, Bit>,
}

impl<const LANES: usize> PhyEcp5<LANES> {
    /// For `LANES` lanes, 1 to 4.
    pub fn new() -> Result<Self, ConfigError> {
        check_lanes("phy_ecp5", LANES)?;
        let lanes: Vec<SerdesLane> = (0..LANES).map(|_| SerdesLane::new()).collect::<Result<_, _>>()?;
        let refused = |_| ConfigError::new("phy_ecp5", "lanes", LANES, "1 to 4", "choose 1 to 4");
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            tx_clock: Default::default(),
            rx_clock: defaults(),
            tx: defaults(),
            rx: defaults(),
            invert: Default::default(),
            slip: Default::default(),
            signal_ok: Default::default(),
            lane_lock: Default::default(),
            elastic_error: Default::default(),
            line_ok: Default::default(),
            tx_symbols: defaults(),
            rx_symbols: defaults(),
            lane: lanes.try_into().map_err(refused)?,
            good: Default::default(),
            heard: Default::default(),
            error: Default::default(),
        })
    }
}

impl<const LANES: usize> Logic for PhyEcp5<LANES> {
    #[hdl_gen]
    fn update(&mut self) {
        self.good.next = 0.into();
        self.heard.next = 0.into();
        self.error.next = false;
        for i in 0..LANES {
            self.lane[i].clock.next = self.clock.val();
            self.lane[i].clear.next = self.clear.val();
            self.lane[i].tx_clock.next = self.tx_clock.val();
            self.lane[i].rx_clock.next = self.rx_clock[i].val();
            StreamIn::<Bits<LANE_BITS>>::link(&mut self.tx[i], &mut self.lane[i].tx);
            FlowOut::<Bits<LANE_IN_BITS>>::link(&mut self.rx[i], &mut self.lane[i].rx);
            self.lane[i].line_ok.next = self.line_ok.val().get_bit(i);
            self.lane[i].invert.next = self.invert.val().get_bit(i);
            self.lane[i].slip.next = self.slip.val().get_bit(i);
            self.tx_symbols[i].next = self.lane[i].tx_symbols.val();
            self.lane[i].rx_symbols.next = self.rx_symbols[i].val();
            self.good.next = self.good.val().replace_bit(i, self.lane[i].locked.val());
            self.heard.next = self.heard.val().replace_bit(i, self.lane[i].signal.val());
            self.error.next = self.error.val() | self.lane[i].elastic_error.val();
        }
        self.signal_ok.next = self.heard.val();
        self.lane_lock.next = self.good.val();
        self.elastic_error.next = self.error.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("phy_ecp5", &[("lanes", LANES.to_string())])
    }
}

drive_ports!(impl[const LANES: usize] PhyEcp5<LANES> {
    clock, clear, tx_clock, rx_clock, tx, rx, invert, slip, signal_ok, lane_lock, elastic_error, line_ok, tx_symbols, rx_symbols,
});

const ONE_PRESET: &[Preset] = &[Preset { name: "default", values: &[] }];

/// Registry entry of the coder.
pub const CODE_TX_ENTRY: BlockEntry = BlockEntry {
    name: "code_8b10b_tx",
    chapter: "10-link",
    summary: "two bytes per clock to 8b10b symbols",
    parameters: &[],
    presets: ONE_PRESET,
    build: |_| {
        let mut interface = InterfaceInfo::clocked(&[], Some(3), "bytes to symbols");
        interface.clears.clear();
        Ok(BuiltBlock::new(CodeTx::new()?, interface))
    },
};

/// Registry entry of the decoder.
pub const CODE_RX_ENTRY: BlockEntry = BlockEntry {
    name: "code_8b10b_rx",
    chapter: "10-link",
    summary: "two 8b10b symbols per clock to bytes, with code and disparity errors",
    parameters: &[],
    presets: ONE_PRESET,
    build: |_| {
        let mut interface = InterfaceInfo::clocked(&[], Some(3), "symbols to bytes");
        interface.clears.clear();
        Ok(BuiltBlock::new(CodeRx::new()?, interface))
    },
};

/// Registry entry of a lane's sender.
pub const TX_ENTRY: BlockEntry = BlockEntry {
    name: "serdes_tx",
    chapter: "10-link",
    summary: "lane words to pairs of 8b10b symbols, with idle words",
    parameters: &[],
    presets: ONE_PRESET,
    build: |_| {
        let interface =
            lane_interface(&[("words", StreamSink)], &[], 0, 4, "word taken to its first symbols");
        Ok(BuiltBlock::new(SerdesTx::new()?, interface))
    },
};

/// Registry entry of a lane's receiver.
pub const RX_ENTRY: BlockEntry = BlockEntry {
    name: "serdes_rx",
    chapter: "10-link",
    summary: "pairs of 8b10b symbols at any bit offset to lane words",
    parameters: &[],
    presets: ONE_PRESET,
    build: |_| {
        let interface =
            lane_interface(&[("words", FlowSource)], &[], 0, 7, "last symbols of a word to the word");
        Ok(BuiltBlock::new(SerdesRx::new()?, interface))
    },
};

/// Registry entry of the start sequence.
pub const START_ENTRY: BlockEntry = BlockEntry {
    name: "serdes_start",
    chapter: "10-link",
    summary: "resets of a SerDes in their order, by its loss of lock and of signal",
    parameters: &[],
    presets: ONE_PRESET,
    build: |_| {
        let interface = InterfaceInfo::clocked(&[], None, "1024 clocks of reset, 1024 with lock");
        Ok(BuiltBlock::new(SerdesStart::new()?, interface))
    },
};

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "phy_ecp5",
    chapter: "10-link",
    summary: "lane PHY over SerDes lanes with 8b10b",
    parameters: &[ParameterInfo { name: "lanes", default: 2, allowed: Allowed::Range(1, 4), doc: "lanes" }],
    presets: &[Preset { name: "default", values: &[] }],
    build: |settings| {
        let lanes = settings.size("lanes")?;
        let interface = interface(lanes);
        match lanes {
            1 => Ok(BuiltBlock::new(PhyEcp5::<1>::new()?, interface)),
            2 => Ok(BuiltBlock::new(PhyEcp5::<2>::new()?, interface)),
            3 => Ok(BuiltBlock::new(PhyEcp5::<3>::new()?, interface)),
            4 => Ok(BuiltBlock::new(PhyEcp5::<4>::new()?, interface)),
            _ => Err(settings.unsupported("lanes", "1 to 4")),
        }
    },
};

fn interface(lanes: usize) -> InterfaceInfo {
    let stream = |name: String, role| StreamInfo { name, role, clock: "clock".into() };
    let words = |lane| [stream(format!("tx[{lane}]"), StreamSink), stream(format!("rx[{lane}]"), FlowSource)];
    let clocks = ["clock".into(), "tx_clock".into()].into_iter();
    InterfaceInfo {
        streams: (0..lanes).flat_map(words).collect(),
        clocks: clocks.chain((0..lanes).map(|lane| format!("rx_clock[{lane}]"))).collect(),
        multiples: vec![],
        clears: vec!["clear".into()],
        latency_clocks: None,
        latency_note: "see the block: a clock per lane and two more".into(),
    }
}
