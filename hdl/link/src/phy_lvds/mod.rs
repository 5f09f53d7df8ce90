//! `phy_lvds`: the lane PHY over differential pairs with a clock pair and a frame pair (chapter 10, 4.7).
//!
//! Per direction L data pairs, a clock pair and a frame pair, two bits per clock, bit 0 first. This block is what lies in the
//! fabric: its bit pairs go to and come from the double-data-rate cells of the pads, which belong to the platform.
//!
//! Its lane side is that of every lane PHY, in `clock`; the pad side is in `tx_clock` (own bit clock) and `rx_clock` (the peer's,
//! as it came in). Only the FIFOs and synchronizers here cross.
//!
//! - Words of all lanes leave as rows, because there is one frame pair and it tells the kind of word for all of them: a row goes
//!   when every lane in `active` has a word, or, with `active` 0 (training), when any has one.
//!
//!   It is a row of control words if a word of an active lane (training: of any) is one. So a lane beside the active ones keeps
//!   its bits, but not its `ctl`. `ready` follows from the lanes' `valid` without a register. A row leaves every 16 bit clocks.
//!   Without a row the line is quiet.
//! - Received words come out of an elastic FIFO of 32 words per lane, as soon as they are there, so it is empty most of the time.
//! - `lane_lock` and `signal_ok` are one: the peer's clock runs and the frame pair shows the word boundary (four good frame
//!   words; lost with four bad ones). A bad frame word marks its words with `code_err`. When the clock stops, both fall within
//!   `stopped_clocks` + 3, and nothing comes out until the clock runs again and a new boundary is found.
//! - `slip` and `invert` act on the lane alone, see [`LvdsRx`]. As the frame gives the boundary, `slip` is needed only for
//!   pairs that differ by more than half a bit; `link_train` asks for it if its `lane_lock` is held at 0.
//! - `elastic_error`: a word time passed without a row after a row, or a received word found its FIFO full.
//! - `clear` empties both directions, at any time, and begins a new search for the boundary. It is over when both bit clocks
//!   have answered, see [`ClearCrossing`]; until then `tx.ready` is low.
//!
//! Latency with all clocks alike: word taken to its first bit 5 to 20 clocks, to the word at the peer 39 to 54, line not counted.

mod frame;
mod receive;
mod transmit;
mod watch;

pub use frame::LvdsFrame;
pub use receive::{LvdsLane, LvdsRx, OFFSET_BITS};
pub use transmit::LvdsTx;
pub use watch::ClockWatch;

use super::lane::{check_lanes, lane_interface, LANE_BITS, LANE_IN_BITS, ROW_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::{AsyncFifo, ClearCrossing, PulseSynchronizer, Synchronizer};
use std::array;

/// Bits of a row: four words, and whether they are control words.
pub const LVDS_ROW_BITS: usize = ROW_BITS + 1;
/// Clocks of a word.
const MARK_BITS: usize = 16;

/// The frame pair's level in each clock of a word; both bits of a clock are alike.
const fn marks_of(frame: u32) -> u64 {
    let mut marks = 0;
    let mut clock = 0;
    while clock < MARK_BITS {
        let pair = frame >> (2 * clock) & 3;
        assert!(pair == 0 || pair == 3, "a frame word changes within a clock");
        marks |= ((pair & 1) as u64) << clock;
        clock += 1;
    }
    marks
}

/// Build-time choice of a [`PhyLvds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LvdsConfig {
    /// Lanes, 1 to 4.
    pub lanes: usize,
    /// Clocks without 8 clocks of the peer after which its clock counts as stopped, 16 to 1023. At least 10 times the
    /// ratio of `clock` to `rx_clock`.
    pub stopped_clocks: u64,
}

impl LvdsConfig {
    /// So many lanes; the peer's clock may be slower than `clock` by 6.
    pub fn new(lanes: usize) -> Self {
        Self { lanes, stopped_clocks: 64 }
    }

    /// Refuses what does not fit.
    pub fn check(&self) -> Result<(), ConfigError> {
        check_lanes("phy_lvds", self.lanes)?;
        let most = (1 << watch::TIMER_BITS) - 1;
        check_range("phy_lvds", "stopped_clocks", self.stopped_clocks, 16, most)
    }
}

/// See the [module](self).
#[block("phy_lvds", new, lanes = LANES)]
pub struct PhyLvds<const LANES: usize> {
    /// Core clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Own bit clock.
    tx_clock: In<Clock>,
    /// The peer's bit clock, as it came in; may stand still.
    rx_clock: In<Clock>,
    /// Lanes that carry rows; 0 while all train.
    active: In<Bits<4>>,
    /// Words in: word in bits 31..0, ctl in bit 32.
    pub tx: [StreamIn<Bits<LANE_BITS>>; LANES],
    /// Words out: as in, code_err in bit 33.
    pub rx: [FlowOut<Bits<LANE_IN_BITS>>; LANES],
    /// Lanes to be inverted.
    invert: In<Bits<4>>,
    /// Pulses: the lane's word boundary is one bit later.
    slip: In<Bits<4>>,
    /// Lanes with a signal.
    signal_ok: Out<Bits<4>>,
    /// Lanes whose word boundary is known.
    lane_lock: Out<Bits<4>>,
    /// Pulse: a FIFO ran empty or over.
    elastic_error: Out<Bit>,
    /// To the pads: two bits per lane, bit 0 first.
    tx_pairs: [Out<Bits<2>>; LANES],
    /// To the pads: two bits of the frame pair.
    tx_frame: Out<Bits<2>>,
    /// From the pads: two bits per lane, bit 0 first.
    rx_pairs: [In<Bits<2>>; LANES],
    /// From the pads: two bits of the frame pair.
    rx_frame: In<Bits<2>>,

    #[wire(clock, clear)]
    tx_clearing: ClearCrossing,
    #[wire(clock)]
    rx_clearing: ClearCrossing,
    #[wire(clock)]
    rx_running: ClockWatch,
    #[wire(write_clock = clock, read_clock = tx_clock)]
    rows: AsyncFifo<Bits<LVDS_ROW_BITS>, 3, 4>,
    #[wire(clock = tx_clock)]
    sender: LvdsTx<LANES>,
    #[wire(clock = rx_clock)]
    receiver: LvdsRx<LANES>,
    /// The clear of each lane's FIFO, one after the other: no register drives all lanes.
    #[wire(d = _)]
    lane_cleared: [Reg<Bit>; LANES],
    #[wire(d = _)]
    received: [Reg<Bit>; LANES],
    #[wire(d = _)]
    arrived: [Reg<Bits<LANE_IN_BITS>>; LANES],
    elastic: [AsyncFifo<Bits<LANE_IN_BITS>, 5, 6>; LANES],
    #[wire(clock = rx_clock)]
    inverted: [Synchronizer<2>; LANES],
    slipped: [PulseSynchronizer; LANES],
    #[wire(clock)]
    locked: Synchronizer<2>,
    starved: PulseSynchronizer,
    #[wire(d = _, clock = rx_clock)]
    overflow: Reg<Bit>,
    overflowed: PulseSynchronizer,
    takes: Local<Bit>,
    good: Register<Bit>,
    #[init((1u64 << LANES) - 1)]
    all_lanes: Constant<Bits<4>>,
    valid: Local<Bits<4>>,
    ctl: Local<Bits<4>>,
    there: Local<Bit>,
    control: Local<Bit>,
    row: Local<Bits<LVDS_ROW_BITS>>,
    one_word: Local<Bits<32>>,
}

#[logic]
impl<const LANES: usize> PhyLvds<LANES> {
    /// A PHY that searches, or the reason why it cannot be built. `config.lanes` must be `LANES`.
    pub fn new(config: &LvdsConfig) -> Result<Self, ConfigError> {
        config.check()?;
        check_range("phy_lvds", "lanes", config.lanes as u64, LANES as u64, LANES as u64)?;
        let (elastic, pulse) = (AsyncFifo::new()?, PulseSynchronizer::new()?);
        let level = Synchronizer::new(false)?;
        Ok(Self {
            tx_clearing: ClearCrossing::new()?,
            rx_clearing: ClearCrossing::new()?,
            rx_running: ClockWatch::new(config)?,
            rows: AsyncFifo::new()?,
            sender: LvdsTx::new()?,
            receiver: LvdsRx::new()?,
            elastic: array::from_fn(|_| elastic.clone()),
            inverted: array::from_fn(|_| level.clone()),
            slipped: array::from_fn(|_| pulse.clone()),
            locked: level.clone(),
            starved: pulse.clone(),
            overflowed: pulse.clone(),
            ..
        })
    }

    fn update(&mut self) {
        tx_clearing.far_clock = tx_clock;
        rx_running.other = rx_clock;
        rx_clearing = In { clear: clear | !rx_running.runs, far_clock: rx_clock };

        // A row, when all lanes that must have a word have one.
        valid = 0;
        ctl = 0;
        row = 0;
        for i in 0..LANES {
            valid = valid.with(i, tx[i].valid);
            ctl = ctl.with(i, tx[i].valid & tx[i].data[32]);
            one_word = 0;
            if tx[i].valid {
                one_word = tx[i].data.bits::<32>(0);
            }
            row = (row >> 32) | (bit_cast::<LVDS_ROW_BITS, 32>(one_word) << 96);
        }
        for _i in LANES..4 {
            row = row >> 32;
        }
        there = valid.any();
        control = ctl.any();
        if active.any() {
            there = !(active & !valid).any();
            control = (active & ctl).any();
        }
        takes = (there & rows.words_in.ready) & !tx_clearing.near_clear;
        for i in 0..LANES {
            tx[i].ready = takes;
        }
        rows.write_clear = tx_clearing.near_clear;
        rows.words_in = In { valid: takes, data: row.with(128, control) };

        // To the pads.
        rows.read_clear = tx_clearing.far_clear;
        sender.clear = tx_clearing.far_clear;
        sender.rows = In { data: rows.words_out.data, valid: rows.words_out.valid };
        rows.words_out.ready = sender.rows.ready;
        tx_frame = sender.frame;

        let full = self.receive_lanes();

        // What the core is told.
        locked.d = receiver.locked;
        good.clear = rx_clearing.near_clear;
        good = locked.q;
        lane_lock = 0;
        signal_ok = 0;
        if good {
            lane_lock = all_lanes;
            signal_ok = all_lanes;
        }
        overflow = full & !rx_clearing.far_clear;
        overflowed = In { clock_in: rx_clock, pulse: overflow, clock_out: clock };
        starved = In { clock_in: tx_clock, pulse: sender.starved, clock_out: clock };
        elastic_error = starved.pulse_out | overflowed.pulse_out;
    }

    /// From the pads.
    fn receive_lanes(&mut self) -> Bit {
        receiver = In { clear: rx_clearing.far_clear, frame: rx_frame };
        let mut slips: Bits<4> = 0;
        let mut inverts: Bits<4> = 0;
        let mut full = false;
        for i in 0..LANES {
            tx_pairs[i] = sender.pairs[i];
            receiver.pairs[i] = rx_pairs[i];
            inverted[i].d = invert[i];
            inverts = inverts.with(i, inverted[i].q);
            slipped[i] = In { clock_in: clock, pulse: slip[i], clock_out: rx_clock };
            slips = slips.with(i, slipped[i].pulse_out);
            lane_cleared[i].clock = rx_clock;
            received[i].clock = rx_clock;
            received[i] = receiver.words[i].valid & !lane_cleared[i];
            arrived[i].clock = rx_clock;
            arrived[i] = receiver.words[i].data;
            elastic[i] = In { write_clock: rx_clock, write_clear: lane_cleared[i] };
            elastic[i].words_in = In { data: arrived[i], valid: received[i] };
            if received[i] & !elastic[i].words_in.ready {
                full = true;
            }
            elastic[i] = In { read_clock: clock, read_clear: rx_clearing.near_clear };
            elastic[i].words_out.ready = true;
            rx[i].data = elastic[i].words_out.data;
            rx[i].valid = elastic[i].words_out.valid & !rx_clearing.near_clear;
        }
        // `far_clear` lasts for more clocks than there are lanes, and no word comes within four frames after it.
        lane_cleared[0] = rx_clearing.far_clear;
        for i in 1..LANES {
            lane_cleared[i] = lane_cleared[i - 1];
        }
        receiver = In { invert: inverts, slip: slips };
        full
    }
}

const LANES: ParameterInfo = ParameterInfo::new("lanes", 4, Allowed::Range(1, 4), "lanes");
const PRESETS: &[Preset] =
    &[Preset { name: "default", values: &[] }, Preset { name: "one_lane", values: &[("lanes", 1)] }];

/// Registry entry of the sender.
pub const TX_ENTRY: BlockEntry = BlockEntry {
    name: "lvds_tx",
    chapter: "10-link",
    summary: "rows to bit pairs for double-data-rate outputs, with frame pair",
    parameters: &[LANES],
    presets: PRESETS,
    build: |settings| {
        shapes! {
            settings: (lanes) => build_tx_as [lanes];
            presets { (4) (1) }
        }
    },
};

/// Builds the sender for `N` lanes.
pub fn build_tx_as<const N: usize>(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let interface = lane_interface(&[("rows", StreamSink)], &[], 0, 1, "row taken to its first bits");
    Ok(BuiltBlock::new(LvdsTx::<N>::new()?, interface))
}

/// Registry entry of the receiver.
pub const RX_ENTRY: BlockEntry = BlockEntry {
    name: "lvds_rx",
    chapter: "10-link",
    summary: "bit pairs of double-data-rate inputs to lane words, aligned by the frame pair",
    parameters: &[LANES],
    presets: PRESETS,
    build: |settings| {
        shapes! {
            settings: (lanes) => build_rx_as [lanes];
            presets { (4) (1) }
        }
    },
};

/// Builds the receiver for `N` lanes.
pub fn build_rx_as<const N: usize>(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let interface = lane_interface(&[], &[("words", FlowSource)], N, 12, "last bit of a word to the word");
    Ok(BuiltBlock::new(LvdsRx::<N>::new()?, interface))
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "phy_lvds",
    chapter: "10-link",
    summary: "lane PHY over differential pairs with clock and frame pair",
    parameters: &[
        LANES,
        ParameterInfo::new(
            "stopped_clocks",
            64,
            Allowed::Range(16, 1023),
            "core clocks after which the peer's clock counts as stopped",
        ),
    ],
    presets: PRESETS,
    build: |settings| {
        shapes! {
            settings: (lanes) => build_as [lanes];
            presets { (4) (1) }
            others { (2) in "sim/line/src/phy.rs" (3) in "sim/line/src/phy.rs" }
        }
    },
};

/// Builds the PHY for `N` lanes.
pub fn build_as<const N: usize>(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let config = LvdsConfig { lanes: N, stopped_clocks: settings.get("stopped_clocks")? };
    Ok(BuiltBlock::new(PhyLvds::<N>::new(&config)?, interface(N)))
}

fn interface(lanes: usize) -> InterfaceInfo {
    let stream = |name: String, role| StreamInfo { name, role, clock: "clock".into() };
    let words = |lane| [stream(format!("tx[{lane}]"), StreamSink), stream(format!("rx[{lane}]"), FlowSource)];
    InterfaceInfo {
        streams: (0..lanes).flat_map(words).collect(),
        clocks: vec!["clock".into(), "tx_clock".into(), "rx_clock".into()],
        multiples: vec![],
        clears: vec!["clear".into()],
        latency_clocks: None,
        latency_note: "see the block: three clocks".into(),
    }
}
