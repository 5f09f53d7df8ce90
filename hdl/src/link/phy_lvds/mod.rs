//! `phy_lvds`: the lane PHY over differential pairs with a clock pair and a frame pair (chapter 10, 4.7).
//!
//! Per direction L data pairs, a clock pair and a frame pair, two bits per clock, bit 0 first. This block is what lies in the
//! fabric: its bit pairs go to and come from the double-data-rate cells of the pads, which belong to the platform. Its lane
//! side is that of every lane PHY, in `clock`; the pad side is in `tx_clock` (own bit clock) and `rx_clock` (the peer's, as it
//! came in). Only the FIFOs and synchronizers here cross.
//!
//! - Words of all lanes leave as rows, because there is one frame pair and it tells the kind of word for all of them: a row
//!   goes when every lane in `active` has a word, or, with `active` 0 (training), when any has one. It is a row of control words
//!   if a word of an active lane (training: of any) is one. So a lane beside the active ones keeps its bits, but not its `ctl`.
//!   `ready` follows from the lanes' `valid` without a register. A row leaves every 16 bit clocks. Without a row the line is quiet.
//! - Received words come out of an elastic FIFO of 32 words per lane, as soon as they are there, so it is empty most of the time.
//! - `lane_lock` and `signal_ok` are one: the peer's clock runs and the frame pair shows the word boundary (four good frame
//!   words; lost with four bad ones). A bad frame word marks its words with `code_err`. When the clock stops, both fall within
//!   `stopped_clocks` + 3, and nothing comes out until the clock runs again and a new boundary is found.
//! - `slip` and `invert` act on the lane alone, see [`LvdsRx`]. As the frame gives the boundary, `slip` is needed only for
//!   pairs that differ by more than half a bit; `link_train` asks for it if its `lane_lock` is held at 0.
//! - `elastic_error`: a word time passed without a row behind a row, or a received word found its FIFO full.
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
use crate::config::{check_range, ConfigError};
use crate::prim::stream::{FlowOut, StreamIn};
use crate::prim::{AsyncFifo, ClearCrossing, PulseSynchronizer, Register, Synchronizer};
use crate::registry::StreamRole::{FlowSource, StreamSink};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset, StreamInfo};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
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
#[derive(LogicBlock)]
pub struct PhyLvds<const LANES: usize> {
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Own bit clock.
    pub tx_clock: Signal<In, Clock>,
    /// The peer's bit clock, as it came in; may stand still.
    pub rx_clock: Signal<In, Clock>,
    /// Lanes that carry rows; 0 while all train.
    pub active: Signal<In, Bits<4>>,
    /// Words in: word in bits 31..0, ctl in bit 32.
    pub tx: [StreamIn<Bits<LANE_BITS>>; LANES],
    /// Words out: as in, code_err in bit 33.
    pub rx: [FlowOut<Bits<LANE_IN_BITS>>; LANES],
    /// Lanes to be inverted.
    pub invert: Signal<In, Bits<4>>,
    /// Pulses: the lane's word boundary is one bit later.
    pub slip: Signal<In, Bits<4>>,
    /// Lanes with a signal.
    pub signal_ok: Signal<Out, Bits<4>>,
    /// Lanes whose word boundary is known.
    pub lane_lock: Signal<Out, Bits<4>>,
    /// Pulse: a FIFO ran empty or over.
    pub elastic_error: Signal<Out, Bit>,
    /// To the pads: two bits per lane, bit 0 first.
    pub tx_pairs: [Signal<Out, Bits<2>>; LANES],
    /// To the pads: two bits of the frame pair.
    pub tx_frame: Signal<Out, Bits<2>>,
    /// From the pads: two bits per lane, bit 0 first.
    pub rx_pairs: [Signal<In, Bits<2>>; LANES],
    /// From the pads: two bits of the frame pair.
    pub rx_frame: Signal<In, Bits<2>>,

    tx_clearing: ClearCrossing,
    rx_clearing: ClearCrossing,
    rx_running: ClockWatch,
    rows: AsyncFifo<Bits<LVDS_ROW_BITS>, 3, 4>,
    sender: LvdsTx<LANES>,
    receiver: LvdsRx<LANES>,
    /// The clear of each lane's FIFO, one behind the other: no register drives all lanes.
    lane_cleared: [DFF<Bit>; LANES],
    came: [DFF<Bit>; LANES],
    arrived: [DFF<Bits<LANE_IN_BITS>>; LANES],
    elastic: [AsyncFifo<Bits<LANE_IN_BITS>, 5, 6>; LANES],
    inverted: [Synchronizer<2>; LANES],
    slipped: [PulseSynchronizer; LANES],
    locked: Synchronizer<2>,
    starved: PulseSynchronizer,
    overflow: DFF<Bit>,
    overflowed: PulseSynchronizer,
    takes: Signal<Local, Bit>,
    good: Register<Bit>,
    all_lanes: Constant<Bits<4>>,
    valid: Signal<Local, Bits<4>>,
    ctl: Signal<Local, Bits<4>>,
    there: Signal<Local, Bit>,
    control: Signal<Local, Bit>,
    row: Signal<Local, Bits<LVDS_ROW_BITS>>,
    one_word: Signal<Local, Bits<32>>,
    slips: Signal<Local, Bits<4>>,
    inverts: Signal<Local, Bits<4>>,
    full: Signal<Local, Bit>,
}

impl<const LANES: usize> PhyLvds<LANES> {
    /// A PHY that searches, or the reason why it cannot be built. `config.lanes` must be `LANES`.
    pub fn new(config: &LvdsConfig) -> Result<Self, ConfigError> {
        config.check()?;
        check_range("phy_lvds", "lanes", config.lanes as u64, LANES as u64, LANES as u64)?;
        let (elastic, pulse) = (AsyncFifo::new()?, PulseSynchronizer::new()?);
        let level = Synchronizer::new(false)?;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            tx_clock: Default::default(),
            rx_clock: Default::default(),
            active: Default::default(),
            tx: defaults(),
            rx: defaults(),
            invert: Default::default(),
            slip: Default::default(),
            signal_ok: Default::default(),
            lane_lock: Default::default(),
            elastic_error: Default::default(),
            tx_pairs: defaults(),
            tx_frame: Default::default(),
            rx_pairs: defaults(),
            rx_frame: Default::default(),
            tx_clearing: ClearCrossing::new()?,
            rx_clearing: ClearCrossing::new()?,
            rx_running: ClockWatch::new(config)?,
            rows: AsyncFifo::new()?,
            sender: LvdsTx::new()?,
            receiver: LvdsRx::new()?,
            lane_cleared: defaults(),
            came: defaults(),
            arrived: defaults(),
            elastic: array::from_fn(|_| elastic.clone()),
            inverted: array::from_fn(|_| level.clone()),
            slipped: array::from_fn(|_| pulse.clone()),
            locked: level.clone(),
            starved: pulse.clone(),
            overflow: Default::default(),
            overflowed: pulse.clone(),
            takes: Default::default(),
            good: Default::default(),
            all_lanes: Constant::new(((1u64 << LANES) - 1).into()),
            valid: Default::default(),
            ctl: Default::default(),
            there: Default::default(),
            control: Default::default(),
            row: Default::default(),
            one_word: Default::default(),
            slips: Default::default(),
            inverts: Default::default(),
            full: Default::default(),
        })
    }
}

impl<const LANES: usize> Logic for PhyLvds<LANES> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, tx_clearing, rx_clearing, rx_running, good, locked);
        self.tx_clearing.clear.next = self.clear.val();
        self.tx_clearing.far_clock.next = self.tx_clock.val();
        self.rx_running.other.next = self.rx_clock.val();
        self.rx_clearing.clear.next = self.clear.val() | !self.rx_running.runs.val();
        self.rx_clearing.far_clock.next = self.rx_clock.val();

        // A row, when all lanes that must have a word have one.
        self.valid.next = 0.into();
        self.ctl.next = 0.into();
        self.row.next = 0.into();
        for i in 0..LANES {
            self.valid.next = self.valid.val().replace_bit(i, self.tx[i].valid.val());
            self.ctl.next =
                self.ctl.val().replace_bit(i, self.tx[i].valid.val() & self.tx[i].data.val().get_bit(32));
            self.one_word.next = 0.into();
            if self.tx[i].valid.val() {
                self.one_word.next = self.tx[i].data.val().get_bits::<32>(0);
            }
            self.row.next =
                (self.row.val() >> 32) | (bit_cast::<LVDS_ROW_BITS, 32>(self.one_word.val()) << 96);
        }
        for _i in LANES..4 {
            self.row.next = self.row.val() >> 32;
        }
        self.there.next = self.valid.val().any();
        self.control.next = self.ctl.val().any();
        if self.active.val().any() {
            self.there.next = !(self.active.val() & !self.valid.val()).any();
            self.control.next = (self.active.val() & self.ctl.val()).any();
        }
        self.takes.next =
            (self.there.val() & self.rows.words_in.ready.val()) & !self.tx_clearing.near_clear.val();
        for i in 0..LANES {
            self.tx[i].ready.next = self.takes.val();
        }
        self.rows.write_clock.next = self.clock.val();
        self.rows.write_clear.next = self.tx_clearing.near_clear.val();
        self.rows.words_in.valid.next = self.takes.val();
        self.rows.words_in.data.next = self.row.val().replace_bit(128, self.control.val());

        // To the pads.
        self.rows.read_clock.next = self.tx_clock.val();
        self.rows.read_clear.next = self.tx_clearing.far_clear.val();
        self.sender.clock.next = self.tx_clock.val();
        self.sender.clear.next = self.tx_clearing.far_clear.val();
        self.sender.rows.data.next = self.rows.words_out.data.val();
        self.sender.rows.valid.next = self.rows.words_out.valid.val();
        self.rows.words_out.ready.next = self.sender.rows.ready.val();
        self.tx_frame.next = self.sender.frame.val();

        // From the pads.
        self.receiver.clock.next = self.rx_clock.val();
        self.receiver.clear.next = self.rx_clearing.far_clear.val();
        self.receiver.frame.next = self.rx_frame.val();
        self.slips.next = 0.into();
        self.inverts.next = 0.into();
        self.full.next = false;
        for i in 0..LANES {
            self.tx_pairs[i].next = self.sender.pairs[i].val();
            self.receiver.pairs[i].next = self.rx_pairs[i].val();
            self.inverted[i].clock.next = self.rx_clock.val();
            self.inverted[i].d.next = self.invert.val().get_bit(i);
            self.inverts.next = self.inverts.val().replace_bit(i, self.inverted[i].q.val());
            self.slipped[i].clock_in.next = self.clock.val();
            self.slipped[i].pulse.next = self.slip.val().get_bit(i);
            self.slipped[i].clock_out.next = self.rx_clock.val();
            self.slips.next = self.slips.val().replace_bit(i, self.slipped[i].pulse_out.val());
            self.lane_cleared[i].clock.next = self.rx_clock.val();
            self.came[i].clock.next = self.rx_clock.val();
            self.came[i].d.next = self.receiver.words[i].valid.val() & !self.lane_cleared[i].q.val();
            self.arrived[i].clock.next = self.rx_clock.val();
            self.arrived[i].d.next = self.receiver.words[i].data.val();
            self.elastic[i].write_clock.next = self.rx_clock.val();
            self.elastic[i].write_clear.next = self.lane_cleared[i].q.val();
            self.elastic[i].words_in.data.next = self.arrived[i].q.val();
            self.elastic[i].words_in.valid.next = self.came[i].q.val();
            if self.came[i].q.val() & !self.elastic[i].words_in.ready.val() {
                self.full.next = true;
            }
            self.elastic[i].read_clock.next = self.clock.val();
            self.elastic[i].read_clear.next = self.rx_clearing.near_clear.val();
            self.elastic[i].words_out.ready.next = true;
            self.rx[i].data.next = self.elastic[i].words_out.data.val();
            self.rx[i].valid.next =
                self.elastic[i].words_out.valid.val() & !self.rx_clearing.near_clear.val();
        }
        // `far_clear` lasts for more clocks than there are lanes, and no word comes within four frames behind it.
        self.lane_cleared[0].d.next = self.rx_clearing.far_clear.val();
        for i in 1..LANES {
            self.lane_cleared[i].d.next = self.lane_cleared[i - 1].q.val();
        }
        self.receiver.invert.next = self.inverts.val();
        self.receiver.slip.next = self.slips.val();

        // What the core is told.
        self.locked.d.next = self.receiver.locked.val();
        self.good.enable.next = true;
        self.good.clear.next = self.rx_clearing.near_clear.val();
        self.good.d.next = self.locked.q.val();
        self.lane_lock.next = 0.into();
        self.signal_ok.next = 0.into();
        if self.good.q.val() {
            self.lane_lock.next = self.all_lanes.val();
            self.signal_ok.next = self.all_lanes.val();
        }
        self.overflow.clock.next = self.rx_clock.val();
        self.overflow.d.next = self.full.val() & !self.rx_clearing.far_clear.val();
        self.overflowed.clock_in.next = self.rx_clock.val();
        self.overflowed.pulse.next = self.overflow.q.val();
        self.overflowed.clock_out.next = self.clock.val();
        self.starved.clock_in.next = self.tx_clock.val();
        self.starved.pulse.next = self.sender.starved.val();
        self.starved.clock_out.next = self.clock.val();
        self.elastic_error.next = self.starved.pulse_out.val() | self.overflowed.pulse_out.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("phy_lvds", &[("lanes", LANES.to_string())])
    }
}

drive_ports!(impl[const LANES: usize] PhyLvds<LANES> {
    clock, clear, tx_clock, rx_clock, active, tx, rx, invert, slip, signal_ok, lane_lock, elastic_error, tx_pairs, tx_frame,
    rx_pairs, rx_frame,
});

const LANES: ParameterInfo =
    ParameterInfo { name: "lanes", default: 4, allowed: Allowed::Range(1, 4), doc: "lanes" };
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
        let interface = lane_interface(&[("rows", StreamSink)], &[], 0, 1, "row taken to its first bits");
        match settings.size("lanes")? {
            1 => Ok(BuiltBlock::new(LvdsTx::<1>::new()?, interface)),
            2 => Ok(BuiltBlock::new(LvdsTx::<2>::new()?, interface)),
            3 => Ok(BuiltBlock::new(LvdsTx::<3>::new()?, interface)),
            4 => Ok(BuiltBlock::new(LvdsTx::<4>::new()?, interface)),
            _ => Err(settings.unsupported("lanes", "1 to 4")),
        }
    },
};

/// Registry entry of the receiver.
pub const RX_ENTRY: BlockEntry = BlockEntry {
    name: "lvds_rx",
    chapter: "10-link",
    summary: "bit pairs of double-data-rate inputs to lane words, aligned by the frame pair",
    parameters: &[LANES],
    presets: PRESETS,
    build: |settings| {
        let lanes = settings.size("lanes")?;
        let interface =
            lane_interface(&[], &[("words", FlowSource)], lanes, 12, "last bit of a word to the word");
        match lanes {
            1 => Ok(BuiltBlock::new(LvdsRx::<1>::new()?, interface)),
            2 => Ok(BuiltBlock::new(LvdsRx::<2>::new()?, interface)),
            3 => Ok(BuiltBlock::new(LvdsRx::<3>::new()?, interface)),
            4 => Ok(BuiltBlock::new(LvdsRx::<4>::new()?, interface)),
            _ => Err(settings.unsupported("lanes", "1 to 4")),
        }
    },
};

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "phy_lvds",
    chapter: "10-link",
    summary: "lane PHY over differential pairs with clock and frame pair",
    parameters: &[
        LANES,
        ParameterInfo {
            name: "stopped_clocks",
            default: 64,
            allowed: Allowed::Range(16, 1023),
            doc: "core clocks after which the peer's clock counts as stopped",
        },
    ],
    presets: PRESETS,
    build: |settings| {
        let lanes = settings.size("lanes")?;
        let config = LvdsConfig { lanes, stopped_clocks: settings.get("stopped_clocks")? };
        let interface = interface(lanes);
        match lanes {
            1 => Ok(BuiltBlock::new(PhyLvds::<1>::new(&config)?, interface)),
            2 => Ok(BuiltBlock::new(PhyLvds::<2>::new(&config)?, interface)),
            3 => Ok(BuiltBlock::new(PhyLvds::<3>::new(&config)?, interface)),
            4 => Ok(BuiltBlock::new(PhyLvds::<4>::new(&config)?, interface)),
            _ => Err(settings.unsupported("lanes", "1 to 4")),
        }
    },
};

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
