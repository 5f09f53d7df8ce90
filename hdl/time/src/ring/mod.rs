//! `time_ring`: two rings of stops that carry time past a switch's crossbar (chapter 20, 4.4).
//!
//! One slot per stop and direction moves one stop per ring clock; clockwise from stop `i` to `i + 1`. A value
//! inserted at stop `u` is copied at every stop whose `copy_trees` names its tree and is removed when it comes back
//! to `u`. Everything here is in the ring clock domain.
//!
//! - Insertion taken to copy at the stop `h` hops on: `h S + 2` ring clocks (to the source's ring register 1, `h` hops of S =
//!   `hop_registers` clocks, to the copy register 1).
//! - With S = 2 a second register stands in each hop, in front of the stop that it leads to; a slot with all that is known of
//!   it stands there for a clock. A ring has N S slots then. The stops are the same.
//! - One slot per clock, stop and direction; an insertion waits only while occupied slots pass.
//! - With `core_edges` = 1 the ring's clock is M > 1 times the core clock, all edges of which are its own, too: `core_edge` is
//!   high in the clock that ends with one.
//!
//!   What is offered in a core clock, all through it, may enter at the core edge that ends it; a Low that finds no free slot is
//!   tried again M, 2 M ... ring clocks later (rule 2), so that its wait is whole core clocks, the others at every edge. M need
//!   not be known.
//! - `clear` empties both rings. Stop 0 is the monitor: it removes a slot that passes it twice.
//!
//! Tokens are inserted, carried and removed like other slots; catching them at target and source is the business of
//! the block that measures the ring.

mod fields;
mod hop;
mod rings;
mod stop;
mod wait;

pub use hop::HopRegister;
pub use rings::{TimeRing12, TimeRing16, TimeRing24, TimeRing32, TimeRing4, TimeRing48, TimeRing8};
pub use stop::RingStop;

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_ring::{slot_control as slot, Embed, MAX_HOP_REGISTERS, RING_WAIT_MAX};
use rust_hdl::prelude::TimingInfo;

/// Control bits of a slot.
pub const CONTROL_BITS: usize = slot::WIDTH;
/// Bits of a stop's number.
pub const ID_BITS: usize = slot::src::WIDTH;
/// Bits that a stop is told of a slot for stops to come.
pub const LOOK_AHEAD_BITS: usize = 5;
/// Copies of the bit that decides about a slot's data, each for as many bits.
pub const FORWARD_COPIES: usize = 3;
/// Bits of the clocks an insertion waited.
pub const WAIT_BITS: usize = slot::wait::WIDTH;
/// Clock trees.
pub const TREES: usize = 1 << slot::tree::WIDTH;
/// Registers of a hop where nothing else is said.
pub const HOP_CLOCKS: u32 = 1;
/// Registers from an insertion into the ring: the source's ring register.
pub const INSERT_CLOCKS: u32 = 1;
/// Registers from the ring register of a stop to its copy.
pub const COPY_CLOCKS: u32 = 1;
/// Bits of an insertion beside its data: parity, tree, kind.
pub const INSERT_EXTRA_BITS: usize = 5;
/// Data bits of a slot that carries the fields of a time flit.
pub const VALUE_BITS: usize = Embed::Value.data_bits();
/// Data bits of a slot that carries the whole flit.
pub const FLIT_BITS: usize = Embed::Flit.data_bits();

/// Numbers of stops that are built.
pub const STOPS: &[u64] = &[4, 8, 12, 16, 24, 32, 48];

/// What a ring is built with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingConfig {
    /// Stops of each ring.
    pub stops: u64,
    /// RING_WAIT_MAX: ring clocks a Low waits at most for a free slot, 1 to 15.
    pub wait_max: u64,
    /// S: registers per hop, 1 or 2.
    pub hop_registers: u64,
    /// 1 if the ring has several edges per core clock, M > 1: the rings are told which of them are core edges. Else 0.
    pub core_edges: u64,
}

impl RingConfig {
    /// RING_WAIT_MAX where nothing else is said (chapter 20, 4.4).
    pub const DEFAULT_WAIT_MAX: u64 = RING_WAIT_MAX.0 as u64;
    /// The largest.
    pub const MOST_WAIT_MAX: u64 = RING_WAIT_MAX.1 as u64;

    /// So many stops, everything else as where nothing is said.
    #[must_use]
    pub const fn of_stops(stops: u64) -> Self {
        Self { stops, wait_max: Self::DEFAULT_WAIT_MAX, hop_registers: HOP_CLOCKS as u64, core_edges: 0 }
    }

    /// Refuses a ring that cannot work; `data` and `insert` are the widths of the type to be built, `second` is the number of its second
    /// registers of hops, `core_edges` that of its inputs that say what is a core edge.
    pub fn check(
        &self,
        data: usize,
        insert: usize,
        second: usize,
        core_edges: usize,
    ) -> Result<(), ConfigError> {
        check_one_of("time_ring", "stops", self.stops, STOPS)?;
        check_range("time_ring", "wait_max", self.wait_max, 1, Self::MOST_WAIT_MAX)?;
        let most = u64::from(MAX_HOP_REGISTERS);
        check_range("time_ring", "hop_registers", self.hop_registers, 1, most)?;
        let registers = self.stops * (self.hop_registers - 1);
        check_derived("time_ring", "R", second as u64, "stops (hop_registers - 1)", registers)?;
        check_derived("time_ring", "E", core_edges as u64, "core_edges", self.core_edges)?;
        let derived = (data + INSERT_EXTRA_BITS) as u64;
        check_derived("time_ring", "I", insert as u64, "W + 5", derived)
    }
}

/// Registry entry of one stop.
pub const STOP_ENTRY: BlockEntry = BlockEntry {
    name: "ring_stop",
    chapter: "20-time",
    summary: "one stop of one time ring",
    parameters: &[
        ParameterInfo::new(
            "flit",
            0,
            Allowed::OneOf(&[0, 1]),
            "EMBED: 0 the fields of a time flit, 1 the whole flit",
        ),
        CORE_EDGE_PARAMETER,
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "flit", values: &[("flit", 1)] },
        Preset { name: "core_edges", values: &[("core_edges", 1)] },
    ],
    build: |settings| {
        let streams = [("insert", StreamSink), ("copy", FlowSource)];
        let interface = InterfaceInfo::clocked(&streams, Some(2), "slot in to copy out");
        Ok(match (settings.get("flit")?, settings.get("core_edges")?) {
            (0, 0) => BuiltBlock::new(RingStop::<VALUE_BITS, VALUE_INSERT>::default(), interface),
            (_, 0) => BuiltBlock::new(RingStop::<FLIT_BITS, FLIT_INSERT>::default(), interface),
            (0, _) => BuiltBlock::new(RingStop::<VALUE_BITS, VALUE_INSERT, 1>::default(), interface),
            _ => BuiltBlock::new(RingStop::<FLIT_BITS, FLIT_INSERT, 1>::default(), interface),
        })
    },
};

/// Registry entry of both rings.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_ring",
    chapter: "20-time",
    summary: "two rings of stops that carry time past a switch's crossbar",
    parameters: &[
        ParameterInfo::new("stops", 8, Allowed::OneOf(STOPS), "stops of each ring"),
        ParameterInfo::new(
            "flit",
            0,
            Allowed::OneOf(&[0, 1]),
            "EMBED: 0 the fields of a time flit, 1 the whole flit",
        ),
        ParameterInfo::new(
            "wait_max",
            RingConfig::DEFAULT_WAIT_MAX,
            Allowed::Range(1, RingConfig::MOST_WAIT_MAX),
            "RING_WAIT_MAX, ring clocks",
        ),
        HOP_PARAMETER,
        CORE_EDGE_PARAMETER,
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "stops_4", values: &[("stops", 4)] },
        Preset { name: "stops_16", values: &[("stops", 16)] },
        Preset { name: "stops_24", values: &[("stops", 24)] },
        Preset { name: "flit_4", values: &[("stops", 4), ("flit", 1)] },
        Preset { name: "core_edges_4", values: &[("stops", 4), ("core_edges", 1)] },
        Preset { name: "two_registers", values: &[("hop_registers", 2)] },
        Preset { name: "two_registers_flit_4", values: &[("stops", 4), ("flit", 1), ("hop_registers", 2)] },
    ],
    build,
};

/// S, as a setting of rings with and without tokens.
pub(super) const HOP_PARAMETER: ParameterInfo = ParameterInfo::new(
    "hop_registers",
    HOP_CLOCKS as u64,
    Allowed::Range(1, MAX_HOP_REGISTERS as u64),
    "S: registers per hop",
);

/// Whether the ring's clock is M > 1 times the core clock.
const CORE_EDGE_PARAMETER: ParameterInfo = ParameterInfo::new("core_edges", 0, Allowed::OneOf(&[0, 1]), "1: several ring edges per core clock, `core_edge` says which are core edges, and a Low enters at these only");

/// What the settings of rings with and without tokens say.
pub(super) fn config_of(settings: &Settings) -> Result<RingConfig, ConfigError> {
    Ok(RingConfig {
        stops: settings.get("stops")?,
        wait_max: settings.get("wait_max")?,
        hop_registers: settings.get("hop_registers")?,
        core_edges: 0,
    })
}

/// The label of a stop or of rings; numbers that are 0 in the standard builds are said where they are not.
pub(super) fn ring_label(
    name: &str,
    parameters: &[(&'static str, String)],
    options: [(&'static str, usize); 2],
) -> Vec<TimingInfo> {
    let mut parameters = parameters.to_vec();
    let chosen = options.into_iter().filter(|(_, number)| *number > 0);
    parameters.extend(chosen.map(|(name, number)| (name, number.to_string())));
    block_label(name, &parameters)
}

const VALUE_INSERT: usize = VALUE_BITS + INSERT_EXTRA_BITS;
const FLIT_INSERT: usize = FLIT_BITS + INSERT_EXTRA_BITS;

/// Bits of what a slot carries: the fields of a time flit, or the whole flit.
const fn data_bits(flit: usize) -> usize {
    if flit == 1 {
        FLIT_BITS
    } else {
        VALUE_BITS
    }
}

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    macro_rules! of_stops {
        ($stops:literal, $builder:ident, [$($preset:tt)*]) => {
            shapes! {
                settings: (flit, hop_registers, core_edges) => $builder of time::ring [
                    data_bits(flit),
                    data_bits(flit) + INSERT_EXTRA_BITS,
                    $stops * (hop_registers - 1),
                    core_edges
                ];
                presets { $($preset)* }
            }
        };
    }
    match settings.get("stops")? {
        4 => of_stops!(4, build_4_as, [(0, 1, 0)(1, 1, 0)(0, 1, 1)(1, 2, 0)]),
        8 => of_stops!(8, build_8_as, [(0, 1, 0)(0, 2, 0)]),
        12 => of_stops!(12, build_12_as, []),
        16 => of_stops!(16, build_16_as, [(0, 1, 0)]),
        24 => of_stops!(24, build_24_as, [(0, 1, 0)]),
        32 => of_stops!(32, build_32_as, []),
        _ => of_stops!(48, build_48_as, []),
    }
}

macro_rules! builder {
    ($name:ident, $block:ident) => {
        /// Builds the rings with these const parameters, which are those of their type.
        pub fn $name<const W: usize, const I: usize, const R: usize, const E: usize>(
            settings: &Settings,
        ) -> Result<BuiltBlock, ConfigError> {
            let config = RingConfig { core_edges: settings.get("core_edges")?, ..config_of(settings)? };
            let interface = interface(config.stops);
            Ok(BuiltBlock::new($block::<W, I, R, E>::new(config)?, interface))
        }
    };
}
builder!(build_4_as, TimeRing4);
builder!(build_8_as, TimeRing8);
builder!(build_12_as, TimeRing12);
builder!(build_16_as, TimeRing16);
builder!(build_24_as, TimeRing24);
builder!(build_32_as, TimeRing32);
builder!(build_48_as, TimeRing48);

fn interface(stops: u64) -> InterfaceInfo {
    let note = "insertion taken to copy at the stop h hops on: h hop_registers + 2 ring clocks";
    let mut info = InterfaceInfo::clocked(&[], None, note);
    for (ring, role) in [("insert", StreamSink), ("copy", FlowSource)] {
        for direction in ["cw", "ccw"] {
            info.streams.extend((0..stops).map(|stop| StreamInfo {
                name: format!("{ring}_{direction}[{stop}]"),
                role,
                clock: "clock".into(),
            }));
        }
    }
    info
}
