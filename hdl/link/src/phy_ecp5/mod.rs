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
//! - `elastic_error`: after a word of a lane came none, or a received word found its FIFO full.
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
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::{AsyncFifo, ClearCrossing, PulseSynchronizer, Synchronizer};

/// One lane of [`PhyEcp5`]; its ports are those of the whole.
#[block("serdes_lane", new)]
pub struct SerdesLane {
    /// Core clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Clock of the symbol pairs sent.
    tx_clock: In<Clock>,
    /// Clock of the symbol pairs received.
    rx_clock: In<Clock>,
    /// Words in.
    pub tx: StreamIn<Bits<LANE_BITS>>,
    /// Words out.
    pub rx: FlowOut<Bits<LANE_IN_BITS>>,
    /// The SerDes has a good line; of any clock.
    line_ok: In<Bit>,
    /// To be inverted.
    invert: In<Bit>,
    /// Pulse: the bit boundary is one bit later.
    slip: In<Bit>,
    /// The line is good and the word boundary known.
    locked: Out<Bit>,
    /// Besides, the sender sends.
    signal: Out<Bit>,
    /// Pulse: a FIFO ran empty or over.
    elastic_error: Out<Bit>,
    /// To the SerDes.
    tx_symbols: Out<Bits<20>>,
    /// From the SerDes.
    rx_symbols: In<Bits<20>>,
    #[wire(clock, clear)]
    tx_clearing: ClearCrossing,
    #[wire(clock)]
    rx_clearing: ClearCrossing,
    #[wire(write_clock = clock, read_clock = tx_clock)]
    waiting: AsyncFifo<Bits<LANE_BITS>, 3, 4>,
    #[wire(clock = tx_clock)]
    sender: SerdesTx,
    #[wire(clock = rx_clock)]
    receiver: SerdesRx,
    #[wire(write_clock = rx_clock, read_clock = clock)]
    elastic: AsyncFifo<Bits<LANE_IN_BITS>, 5, 6>,
    #[wire(clock)]
    line: Synchronizer<2>,
    #[wire(clock = rx_clock)]
    inverted: Synchronizer<2>,
    slipped: PulseSynchronizer,
    #[wire(clock)]
    found: Synchronizer<2>,
    #[wire(clock)]
    silent: Synchronizer<2>,
    starved: PulseSynchronizer,
    #[wire(d = _, clock = rx_clock)]
    overflow: Reg<Bit>,
    overflowed: PulseSynchronizer,
    good: Reg<Bit>,
    heard: Reg<Bit>,
}

#[logic]
impl SerdesLane {
    /// A lane that searches.
    pub fn new() -> Result<Self, ConfigError> {
        let (pulse, level) = (PulseSynchronizer::new()?, Synchronizer::new(false)?);
        Ok(Self {
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
            overflowed: pulse,
            ..
        })
    }

    fn update(&mut self) {
        line.d = line_ok;
        tx_clearing.far_clock = tx_clock;
        rx_clearing = In { clear: clear | !line.q, far_clock: rx_clock };

        // Out.
        waiting.write_clear = tx_clearing.near_clear;
        link(tx, waiting.words_in);
        waiting.read_clear = tx_clearing.far_clear;
        sender.clear = tx_clearing.far_clear;
        join(waiting.words_out, sender.words);
        tx_symbols = sender.symbols;

        // In.
        receiver = In { clear: rx_clearing.far_clear, symbols: rx_symbols };
        inverted.d = invert;
        receiver.invert = inverted.q;
        slipped = In { clock_in: clock, pulse: slip, clock_out: rx_clock };
        receiver.slip = slipped.pulse_out;
        elastic.write_clear = rx_clearing.far_clear;
        elastic.words_in = In { data: receiver.words.data, valid: receiver.words.valid };
        elastic.read_clear = rx_clearing.near_clear;
        elastic.words_out.ready = true;
        rx = In { data: elastic.words_out.data, valid: elastic.words_out.valid & !rx_clearing.near_clear };

        // What the core is told.
        found.d = receiver.locked;
        good = (found.q & line.q) & !rx_clearing.near_clear;
        locked = good;
        silent.d = receiver.silent;
        heard = ((found.q & line.q) & !silent.q) & !rx_clearing.near_clear;
        signal = heard;
        overflow = (receiver.words.valid & !elastic.words_in.ready) & !rx_clearing.far_clear;
        overflowed = In { clock_in: rx_clock, pulse: overflow, clock_out: clock };
        starved = In { clock_in: tx_clock, pulse: sender.starved, clock_out: clock };
        elastic_error = starved.pulse_out | overflowed.pulse_out;
    }
}

/// See the [module](self).
#[block("phy_ecp5", new, lanes = LANES)]
pub struct PhyEcp5<const LANES: usize> {
    /// Core clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Clock of the symbol pairs sent.
    tx_clock: In<Clock>,
    /// Clocks of the symbol pairs received.
    rx_clock: [In<Clock>; LANES],
    /// Words in: word in bits 31..0, ctl in bit 32.
    pub tx: [StreamIn<Bits<LANE_BITS>>; LANES],
    /// Words out: as in, code_err in bit 33.
    pub rx: [FlowOut<Bits<LANE_IN_BITS>>; LANES],
    /// Lanes to be inverted.
    invert: In<Bits<4>>,
    /// Pulses: the lane's bit boundary is one bit later.
    slip: In<Bits<4>>,
    /// Lanes with a signal.
    signal_ok: Out<Bits<4>>,
    /// Lanes whose word boundary is known.
    lane_lock: Out<Bits<4>>,
    /// Pulse: a FIFO ran empty or over.
    elastic_error: Out<Bit>,
    /// Lanes whose SerDes has a good line; of any clock.
    line_ok: In<Bits<4>>,
    /// To the SerDes: two symbols per lane, the first in bits 9..0, bit 0 first.
    tx_symbols: [Out<Bits<20>>; LANES],
    /// From the SerDes: twenty bits per lane, bit 0 came first.
    rx_symbols: [In<Bits<20>>; LANES],
    #[wire(clock, clear)]
    lane: [SerdesLane; LANES],
}

#[logic]
impl<const LANES: usize> PhyEcp5<LANES> {
    /// For `LANES` lanes, 1 to 4.
    pub fn new() -> Result<Self, ConfigError> {
        check_lanes("phy_ecp5", LANES)?;
        let lanes: Vec<SerdesLane> = (0..LANES).map(|_| SerdesLane::new()).collect::<Result<_, _>>()?;
        let refused = |_| ConfigError::new("phy_ecp5", "lanes", LANES, "1 to 4", "choose 1 to 4");
        Ok(Self { lane: lanes.try_into().map_err(refused)?, .. })
    }

    fn update(&mut self) {
        let mut good: Bits<4> = 0;
        let mut heard: Bits<4> = 0;
        let mut error = false;
        for i in 0..LANES {
            lane[i] = In { tx_clock, rx_clock: rx_clock[i] };
            link(tx[i], lane[i].tx);
            link(rx[i], lane[i].rx);
            lane[i] = In { line_ok: line_ok[i], invert: invert[i], slip: slip[i] };
            tx_symbols[i] = lane[i].tx_symbols;
            lane[i].rx_symbols = rx_symbols[i];
            good = good.with(i, lane[i].locked);
            heard = heard.with(i, lane[i].signal);
            error = error | lane[i].elastic_error;
        }
        signal_ok = heard;
        lane_lock = good;
        elastic_error = error;
    }
}

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
    parameters: &[ParameterInfo::new("lanes", 2, Allowed::Range(1, 4), "lanes")],
    presets: &[Preset { name: "default", values: &[] }],
    build: |settings| {
        shapes! {
            settings: (lanes) => build_as [lanes];
            presets { (2) }
            others { (1) in "sim/line/src/phy.rs" (3) in "sim/line/src/phy.rs" (4) in "sim/line/src/phy.rs" }
        }
    },
};

/// Builds the PHY for `N` lanes.
pub fn build_as<const N: usize>(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    Ok(BuiltBlock::new(PhyEcp5::<N>::new()?, interface(N)))
}

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
