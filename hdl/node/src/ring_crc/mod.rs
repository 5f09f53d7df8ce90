//! `ring_crc`: a 16-stop time ring beside four CRC-16 engines of 132 bits per clock.
//!
//! The composite that simulation speed is measured with: some thousand flip-flops, two thirds of them moving on every clock, wide
//! words, no memory. Values offered on `insert[k]` go into both rings at stop `4 * k` and are taken when both have a free slot.
//!
//! `seen` is the XOR of the data of all slots copied in a clock, 2 clocks after the copy. `crc[k]` is the CRC of the frames on
//! `beat[k]`, framed by `first[k]` and `last[k]`. `clear` clears all.

use flitforge_hdl_link::crc::{CrcConfig, CrcPipeline, LinkCrc};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_time::ring::{RingConfig, TimeRing16, INSERT_EXTRA_BITS, TREES, VALUE_BITS};
use flitforge_protocol::beat::wire_beat_bits;
use flitforge_protocol::crc::STANDARD;
use flitforge_protocol::ltp::CrcMode;

const INSERT_BITS: usize = VALUE_BITS + INSERT_EXTRA_BITS;
/// Bits of a wire beat of two flits, modes 0 and 1.
const WIRE_BITS: usize = wire_beat_bits(CrcMode::Standard, 2);
const CRC_BITS: usize = STANDARD.width();

/// See the [module](self).
#[block("ring_crc", new)]
pub struct RingCrc {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// {data, parity, tree, kind} for stop 4k of both rings.
    pub insert: [StreamIn<Bits<INSERT_BITS>>; 4],
    /// XOR of what was copied.
    pub seen: FlowOut<Bits<VALUE_BITS>>,
    /// Wire beats.
    pub beat: [FlowIn<Bits<WIRE_BITS>>; 4],
    /// The beat is the first of its frame.
    first: [In<Bit>; 4],
    /// The beat is the last of its frame.
    last: [In<Bit>; 4],
    /// The frame's CRC.
    pub crc: [FlowOut<Bits<CRC_BITS>>; 4],

    #[wire(clock, clear)]
    ring: TimeRing16<VALUE_BITS, INSERT_BITS>,
    #[wire(clock, clear)]
    engine: [LinkCrc<WIRE_BITS, CRC_BITS>; 4],
    #[wire(d = _)]
    gated: [Reg<Bits<VALUE_BITS>>; 16],
    any: Reg<Bit>,
    mixed: Reg<Bits<VALUE_BITS>>,
    valid: Reg<Bit>,
    both: [Local<Bit>; 4],
    sum: Local<Bits<VALUE_BITS>>,
    #[init(u64::MAX >> (64 - TREES))]
    all_trees: Constant<Bits<TREES>>,
}

#[logic]
impl RingCrc {
    /// The composite, or the reason why a part cannot be built.
    pub fn new() -> Result<Self, ConfigError> {
        let config = CrcConfig::sender(STANDARD, WIRE_BITS, CrcPipeline::Balanced);
        let engine = || LinkCrc::new(config);
        Ok(Self {
            ring: TimeRing16::new(RingConfig::of_stops(16))?,
            engine: [engine()?, engine()?, engine()?, engine()?],
            ..
        })
    }

    fn update(&mut self) {
        let mut some = false;
        sum = 0;
        for i in 0..16 {
            ring.trees_cw[i] = all_trees;
            ring.trees_ccw[i] = all_trees;
            ring.insert_cw[i] = In { valid: false, data: 0 };
            ring.insert_ccw[i] = In { valid: false, data: 0 };
            gated[i] = 0;
            if ring.copy_cw[i].valid {
                gated[i] = ring.copy_cw[i].data;
            }
            if ring.copy_ccw[i].valid {
                gated[i] = ring.copy_ccw[i].data;
            }
            some = some | ring.copy_cw[i].valid | ring.copy_ccw[i].valid;
            sum = sum ^ gated[i];
        }
        for i in 0..4 {
            both[i] = ring.insert_cw[i * 4].ready & ring.insert_ccw[i * 4].ready;
            ring.insert_cw[i * 4].valid = insert[i].valid & both[i];
            ring.insert_cw[i * 4].data = insert[i].data;
            ring.insert_ccw[i * 4].valid = insert[i].valid & both[i];
            ring.insert_ccw[i * 4].data = insert[i].data;
            insert[i].ready = both[i];
            engine[i] = In { first: first[i], last: last[i] };
            link(beat[i], engine[i].beat);
            link(crc[i], engine[i].crc);
        }
        any = some;
        mixed = sum;
        valid = any;
        if clear {
            any = false;
            valid = false;
        }
        seen = In { valid, data: mixed };
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "ring_crc",
    chapter: "20-time",
    summary: "a 16-stop time ring and four CRC engines, to measure simulation speed with",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build: |_| {
        let mut info = InterfaceInfo::clocked(&[("seen", FlowSource)], None, "see the blocks it is made of");
        for (name, role) in [("insert", StreamSink), ("beat", FlowSink), ("crc", FlowSource)] {
            info.streams.extend((0..4).map(|k| flitforge_hdl_registry::StreamInfo {
                name: format!("{name}[{k}]"),
                role,
                clock: "clock".into(),
            }));
        }
        Ok(BuiltBlock::new(RingCrc::new()?, info))
    },
};
