//! `ring_crc`: a 16-stop time ring beside four CRC-16 engines of 132 bits per clock.
//!
//! The composite that simulation speed is measured with: some thousand flip-flops, two thirds of them moving on every
//! clock, wide words, no memory. Values offered on `insert[k]` go into both rings at stop `4 * k` and are taken when
//! both have a free slot. `seen` is the XOR of the data of all slots copied in a clock, 2 clocks after the copy.
//! `crc[k]` is the CRC of the frames on `beat[k]`, framed by `first[k]` and `last[k]`. `clear` clears all.

use crate::config::ConfigError;
use crate::link::crc::{CrcConfig, CrcPipeline, LinkCrc};
use crate::prim::stream::{FlowIn, FlowOut, StreamIn};
use crate::registry::StreamRole::{FlowSink, FlowSource, StreamSink};
use crate::registry::{BlockEntry, BuiltBlock, InterfaceInfo, Preset};
use crate::time::ring::{RingConfig, TimeRing16, INSERT_EXTRA_BITS, TREES, VALUE_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::beat::wire_beat_bits;
use flitforge_protocol::crc::STANDARD;
use flitforge_protocol::ltp::CrcMode;

const INSERT_BITS: usize = VALUE_BITS + INSERT_EXTRA_BITS;
/// Bits of a wire beat of two flits, modes 0 and 1.
const WIRE_BITS: usize = wire_beat_bits(CrcMode::Standard, 2);
const CRC_BITS: usize = STANDARD.width();

/// See the [module](self).
#[derive(LogicBlock)]
pub struct RingCrc {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// {data, parity, tree, kind} for stop 4k of both rings.
    pub insert: [StreamIn<Bits<INSERT_BITS>>; 4],
    /// XOR of what was copied.
    pub seen: FlowOut<Bits<VALUE_BITS>>,
    /// Wire beats.
    pub beat: [FlowIn<Bits<WIRE_BITS>>; 4],
    /// The beat is the first of its frame.
    pub first: [Signal<In, Bit>; 4],
    /// The beat is the last of its frame.
    pub last: [Signal<In, Bit>; 4],
    /// The frame's CRC.
    pub crc: [FlowOut<Bits<CRC_BITS>>; 4],

    ring: TimeRing16<VALUE_BITS, INSERT_BITS>,
    engine: [LinkCrc<WIRE_BITS, CRC_BITS>; 4],
    gated: [DFF<Bits<VALUE_BITS>>; 16],
    any: DFF<Bit>,
    mixed: DFF<Bits<VALUE_BITS>>,
    valid: DFF<Bit>,
    both: [Signal<Local, Bit>; 4],
    sum: Signal<Local, Bits<VALUE_BITS>>,
    some: Signal<Local, Bit>,
    all_trees: Constant<Bits<TREES>>,
}

impl RingCrc {
    /// The composite, or the reason why a part cannot be built.
    pub fn new() -> Result<Self, ConfigError> {
        let config = CrcConfig::sender(STANDARD, WIRE_BITS, CrcPipeline::Balanced);
        let engine = || LinkCrc::new(config);
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            insert: defaults(),
            seen: Default::default(),
            beat: defaults(),
            first: defaults(),
            last: defaults(),
            crc: defaults(),
            ring: TimeRing16::new(RingConfig::of_stops(16))?,
            engine: [engine()?, engine()?, engine()?, engine()?],
            gated: defaults(),
            any: Default::default(),
            mixed: Default::default(),
            valid: Default::default(),
            both: defaults(),
            sum: Default::default(),
            some: Default::default(),
            all_trees: Constant::new(Bits::from(u64::MAX >> (64 - TREES))),
        })
    }
}

impl Logic for RingCrc {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, any, mixed, valid);
        clock!(self, clock, ring);
        self.ring.clear.next = self.clear.val();
        self.some.next = false;
        self.sum.next = 0.into();
        for i in 0..16 {
            self.gated[i].clock.next = self.clock.val();
            self.ring.trees_cw[i].next = self.all_trees.val();
            self.ring.trees_ccw[i].next = self.all_trees.val();
            self.ring.insert_cw[i].valid.next = false;
            self.ring.insert_cw[i].data.next = 0.into();
            self.ring.insert_ccw[i].valid.next = false;
            self.ring.insert_ccw[i].data.next = 0.into();
            self.gated[i].d.next = 0.into();
            if self.ring.copy_cw[i].valid.val() {
                self.gated[i].d.next = self.ring.copy_cw[i].data.val();
            }
            if self.ring.copy_ccw[i].valid.val() {
                self.gated[i].d.next = self.ring.copy_ccw[i].data.val();
            }
            self.some.next =
                self.some.val() | self.ring.copy_cw[i].valid.val() | self.ring.copy_ccw[i].valid.val();
            self.sum.next = self.sum.val() ^ self.gated[i].q.val();
        }
        for i in 0..4 {
            self.both[i].next =
                self.ring.insert_cw[i * 4].ready.val() & self.ring.insert_ccw[i * 4].ready.val();
            self.ring.insert_cw[i * 4].valid.next = self.insert[i].valid.val() & self.both[i].val();
            self.ring.insert_cw[i * 4].data.next = self.insert[i].data.val();
            self.ring.insert_ccw[i * 4].valid.next = self.insert[i].valid.val() & self.both[i].val();
            self.ring.insert_ccw[i * 4].data.next = self.insert[i].data.val();
            self.insert[i].ready.next = self.both[i].val();
            self.engine[i].clock.next = self.clock.val();
            self.engine[i].clear.next = self.clear.val();
            self.engine[i].first.next = self.first[i].val();
            self.engine[i].last.next = self.last[i].val();
            FlowIn::<Bits<WIRE_BITS>>::link(&mut self.beat[i], &mut self.engine[i].beat);
            FlowOut::<Bits<CRC_BITS>>::link(&mut self.crc[i], &mut self.engine[i].crc);
        }
        self.any.d.next = self.some.val();
        self.mixed.d.next = self.sum.val();
        self.valid.d.next = self.any.q.val();
        if self.clear.val() {
            self.any.d.next = false;
            self.valid.d.next = false;
        }
        self.seen.valid.next = self.valid.q.val();
        self.seen.data.next = self.mixed.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("ring_crc", &[])
    }
}

drive_ports!(impl[] RingCrc { clock, clear, insert, seen, beat, first, last, crc });

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
            info.streams.extend((0..4).map(|k| crate::registry::StreamInfo {
                name: format!("{name}[{k}]"),
                role,
                clock: "clock".into(),
            }));
        }
        Ok(BuiltBlock::new(RingCrc::new()?, info))
    },
};
