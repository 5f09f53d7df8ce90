//! Test traffic for a link: a source of numbered beats and a checker that knows what each must be.
//!
//! Beat `n` (32 bits, counting from 0) holds two flits. Sixteen beats make one packet: a Head, fourteen Body
//! beats, and a Tail followed by an Idle, so that mixed beats are part of the traffic. Every beat carries `n`
//! in bits 31..0 of its first flit, so that a checker that lost beats finds its place again at once.
//!
//! | beat in packet | flit 0 | flit 1 |
//! |---|---|---|
//! | 0 | Head, bits 31..0 `n` | Body, `n ^ A5C3F00F`, `!n ^ 5A0F3C69` |
//! | 1..14 | Body, `!n`, `n` | as above |
//! | 15 | Tail, bits 31..0 `n` | Idle |
//!
//! The headers are test patterns, not fabric packets: destination and source are the beat number.

mod beat;
mod checker;
mod source;

pub use beat::PatternBeat;
pub use checker::PatternChecker;
pub use source::PatternSource;

use flitforge_hdl_prim::prelude::*;

/// Bits of a beat of two flits.
pub const BEAT_BITS: usize = 2 * flitforge_protocol::flit::FLIT_BITS;

/// Mask on the beat number in the upper half of the second flit.
pub const UPPER_MASK: u64 = 0xA5C3_F00F;
/// Mask on the complement of the beat number in the lower half of the second flit.
pub const LOWER_MASK: u64 = 0x5A0F_3C69;

/// Registry entry of the source.
pub const SOURCE_ENTRY: BlockEntry = BlockEntry {
    name: "pattern_source",
    chapter: "00-overview",
    summary: "source of numbered test beats of two flits",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build: |_| {
        let interface = InterfaceInfo::clocked(
            &[("beats", StreamRole::StreamSource)],
            Some(2),
            "end of clear to the first beat",
        );
        Ok(BuiltBlock::new(PatternSource::default(), interface))
    },
};

/// Registry entry of the checker.
pub const CHECKER_ENTRY: BlockEntry = BlockEntry {
    name: "pattern_checker",
    chapter: "00-overview",
    summary: "checker of numbered test beats of two flits",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build: |_| {
        let interface =
            InterfaceInfo::clocked(&[("beats", StreamRole::FlowSink)], Some(3), "beat to good, wrong, gap");
        Ok(BuiltBlock::new(PatternChecker::default(), interface))
    },
};
