//! Where everything lies in the state of an instance: one row of words.
//!
//! ```text
//! inputs | registers and memory outputs | memories | outputs | a zero memory word | a word for lost writes
//! └──────────────── kept by snapshots ─────────────┘
//! ```

use super::word::mask;
use flitforge_elaborate::flat::node::NodeId;
use flitforge_elaborate::flat::{Flat, FlatMemory, Source};
use flitforge_elaborate::value::words_for;

/// Words at most, so that byte offsets fit 31 bits.
const MOST_WORDS: u64 = 1 << 28;

/// A memory in the state.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryPlace {
    pub at: u32,
    pub stride: u32,
    pub depth: u32,
    pub width: u32,
}

/// Places of a design's inputs, registers and memories.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// First word of each source of the flat design, and its width.
    pub sources: Vec<(u32, u32)>,
    /// Source number of each register and of each clocked read port, by memory.
    pub registers: Vec<u32>,
    pub reads: Vec<Vec<u32>>,
    /// First words of the first registers of read ports with two, by memory and port.
    pub stages: Vec<Vec<Option<u32>>>,
    pub memories: Vec<MemoryPlace>,
    /// Words that snapshots keep, from 0.
    pub kept: u32,
    /// A memory word of zeros: what reads beyond a memory's depth see.
    pub zero: u32,
    /// Where writes beyond a memory's depth go.
    pub lost: u32,
    /// Words of the whole state.
    pub size: u32,
}

impl Layout {
    /// Lays out a design whose computed outputs need `outputs` words. Returns the layout and the first word of
    /// the outputs; `None` if the state is too large.
    pub fn new(flat: &Flat, outputs: u32) -> Option<(Self, u32)> {
        let width_of_source = source_widths(flat);
        let mut next = 0u64;
        let mut take = |words: u64| {
            let at = next;
            next += words;
            at.min(MOST_WORDS) as u32
        };
        let mut sources = vec![(0, 0); flat.sources.len()];
        for inputs in [true, false] {
            for (number, source) in flat.sources.iter().enumerate() {
                if matches!(source, Source::Input(_) | Source::Foreign(_)) == inputs {
                    let width = width_of_source[number];
                    sources[number] = (take(words_for(width) as u64), width);
                }
            }
        }
        let stage = |memory: &FlatMemory, take: &mut dyn FnMut(u64) -> u32| {
            let words = words_for(memory.width) as u64;
            memory.reads.iter().map(|read| read.output_register.then(|| take(words))).collect()
        };
        let stages = flat.memories.iter().map(|memory| stage(memory, &mut take)).collect();
        let mut memories = vec![];
        for memory in &flat.memories {
            let stride = words_for(memory.width) as u32;
            let at = take(u64::from(stride) * u64::from(memory.depth));
            memories.push(MemoryPlace { at, stride, depth: memory.depth, width: memory.width });
        }
        let widest = memories.iter().map(|memory| memory.stride).max().unwrap_or(0);
        let kept = take(0);
        let first_output = take(u64::from(outputs));
        let (zero, lost) = (take(u64::from(widest)), take(u64::from(widest)));
        let size = take(0);
        let (registers, reads) = element_sources(flat);
        let layout = Self { sources, registers, reads, stages, memories, kept, zero, lost, size };
        (next < MOST_WORDS).then_some((layout, first_output))
    }

    /// Bits of word `index` of a memory word.
    pub fn memory_bits(&self, memory: u32, index: u32) -> u64 {
        mask(self.memories[memory as usize].width.saturating_sub(64 * index))
    }
}

/// Width of each source: that of its node; a source that nothing reads has one bit.
fn source_widths(flat: &Flat) -> Vec<u32> {
    let mut widths = vec![1; flat.sources.len()];
    for node in flat.nodes.as_slice() {
        if let flitforge_elaborate::flat::node::Op::Source(number) = node.op {
            widths[number as usize] = node.width;
        }
    }
    widths
}

/// The source numbers of registers and clocked read ports: what their output nodes are.
fn element_sources(flat: &Flat) -> (Vec<u32>, Vec<Vec<u32>>) {
    let number = |id: NodeId| match flat.nodes.node(id).op {
        flitforge_elaborate::flat::node::Op::Source(number) => number,
        _ => 0,
    };
    let registers = flat.registers.iter().map(|register| number(register.q)).collect();
    let reads = flat.memories.iter();
    let reads = reads.map(|memory| memory.reads.iter().map(|read| number(read.data)).collect()).collect();
    (registers, reads)
}
