//! `sue_slot_store`: the replay slots of a go-back-N sender (chapter 50, 4.5 rule 2): bodies in block RAM, with parity.
//!
//! - **Writing.** A body waits at `body` until there is a free slot (`slots`) and its virtual channel may have one (`obtainable`); then `begins` tells the
//!   accounting, and its words come in, one per clock. `head` holds still from the first word to the last, `commands` counts with the last. When the whole
//!   body can be read `stored` tells so.
//! - A body with `error` at its last word (`discarded`) or with more words than a slot has (`too_long`) is forgotten: `returns` takes back what `begins` said,
//!   the slot serves the next body.
//! - **Reading.** Each transfer at `reads` gives the body of that slot at `body_out`, as often as it is asked for; `described` holds still from its first word
//!   to its last. Bodies of five words and more follow each other without a gap. `left` is high a clock after the last word has gone.
//! - **Parity.** Each octet has a bit, and so has what is kept of the body. A body with a wrong one goes out with `error` at its last word, and `damaged` names its
//!   slot. From then on the slot gives a body of the same length that holds one NOP and nothing else, without error (chapter 50, 6).
//!
//! | | clocks |
//! |---|---|
//! | last word in to `stored` | 2 |
//! | `reads` to the first word | 6 |
//! | from one `begins` to the next | 8 and more: so long the accounting needs |
//!
//! Reading stops when `body_out` is not ready; all its stages hold then. Slots that are not in use may be read, too, and give what they held. `clear`
//! forgets the body that comes in, those that go out and the slot at hand; what stands in slots stays there, and nothing names it any more.

mod entry;
mod read;
mod write;

pub use entry::*;
pub use read::SlotReader;
pub use write::SlotWriter;

use crate::frame::{BodyHead, FrameWord};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};

/// Clocks from the transfer of a slot's number to its first word.
pub const LATENCY: u32 = 6;

/// 2^`S` slots of 2^`W` words of 8 octets; `R` = `S` + `W`, `X` = `W` + 1. See the [module](self).
#[block("sue_slot_store", new, slots = 1usize << S, slot_bytes = 8usize << W)]
pub struct SueSlotStore<const S: usize, const W: usize, const R: usize, const X: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets bodies that come in and go out.
    clear: In<Bit>,
    /// Bodies to be stored.
    pub body: StreamIn<FrameWord>,
    /// What goes with the body.
    head: In<BodyHead>,
    /// Commands of the body, with its last word.
    commands: In<Bits<10>>,
    /// The word that comes is stored with a wrong parity: for tests of what follows.
    spoils: In<Bit>,
    /// Slots that are free.
    pub slots: StreamIn<Bits<8>>,
    /// Virtual channels that may have one more slot.
    obtainable: In<Bits<4>>,
    /// A body of this virtual channel has begun.
    pub begins: FlowOut<Bits<2>>,
    /// A body of this virtual channel that had begun is forgotten.
    pub returns: FlowOut<Bits<2>>,
    /// A body stands in its slot.
    pub stored: FlowOut<StoredBody>,
    /// A body was forgotten because of its error.
    discarded: Out<Bit>,
    /// A body was forgotten because it is longer than a slot.
    too_long: Out<Bit>,
    /// Slots to be read.
    pub reads: StreamIn<Bits<8>>,
    /// Their bodies.
    pub body_out: StreamOut<FrameWord>,
    /// What goes with the body that goes out.
    described: Out<SlotHead>,
    /// The last word of a body has gone out.
    left: Out<Bit>,
    /// The body of this slot had wrong parity.
    pub damaged: FlowOut<Bits<8>>,

    #[wire(clock, clear)]
    writer: SlotWriter<S, W, R, X>,
    #[wire(clock, clear)]
    reader: SlotReader<S, W, R>,
    #[wire(write_clock = clock, read_clock = clock)]
    memory: Ram<SlotWord, R>,
    #[wire(write_clock = clock, read_clock = clock)]
    entries: Ram<SlotEntry, S>,
    /// Slots that give a NOP.
    #[wire(write_clock = clock, read_clock = clock)]
    damages: Ram<Bits<1>, S>,
    /// A slot that is to be marked when no body is stored.
    marks: Register<Bit>,
    marked_slot: Reg<Bits<8>>,
}

#[logic]
impl<const S: usize, const W: usize, const R: usize, const X: usize> SueSlotStore<S, W, R, X> {
    /// An empty store.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("sue_slot_store", "S", S as u64, 2, 8)?;
        check_range("sue_slot_store", "W", W as u64, 6, 9)?;
        check_range("sue_slot_store", "R", R as u64, 8, MOST_ADDRESS_BITS)?;
        check_derived("sue_slot_store", "R", R as u64, "S + W", (S + W) as u64)?;
        check_derived("sue_slot_store", "X", X as u64, "W + 1", W as u64 + 1)?;
        Ok(Self {
            memory: Ram::new(RamConfig::block(1 << R))?,
            entries: Ram::new(RamConfig::block(1 << S))?,
            damages: Ram::new(RamConfig::block(1 << S))?,
            ..
        })
    }

    fn update(&mut self) {
        link(body, writer.body);
        link(slots, writer.slots);
        writer = In { head, commands, spoils, obtainable };
        link(begins, writer.begins);
        link(returns, writer.returns);
        link(stored, writer.stored);
        Out { discarded, too_long } = writer;
        link(reads, reader.reads);
        link(body_out, reader.body_out);
        link(damaged, reader.damaged);
        Out { described, left } = reader;

        let go = reader.moves;
        memory = In { write_enable: writer.write_enable, write_address: writer.write_address };
        memory = In { write_data: writer.write_data, read_address: reader.address };
        memory = In { read_enable: go, output_enable: go };
        reader.data = memory.read_data;

        let filled_slot = writer.entry_slot;
        let read_slot = reader.entry_slot;
        entries = In { write_enable: writer.entry_enable, write_data: writer.entry };
        entries = In { write_address: filled_slot.bits::<S>(0), read_address: read_slot.bits::<S>(0) };
        entries = In { read_enable: go, output_enable: go };
        reader.entry = entries.read_data;

        // A body that is stored is whole; one that was found to be wrong is marked.
        let fills = writer.entry_enable;
        let found = reader.damaged.valid;
        marks = found | (marks & fills);
        if found {
            marked_slot = reader.damaged.data;
        }
        damages = In { write_enable: fills | marks, write_data: (!fills).into() };
        damages.write_address = if fills { filled_slot.bits::<S>(0) } else { marked_slot.bits::<S>(0) };
        damages = In { read_enable: go, output_enable: go, read_address: read_slot.bits::<S>(0) };
        reader.was_damaged = damages.read_data;
    }
}

/// Address bits of the largest memory, of 256 KB.
const MOST_ADDRESS_BITS: u64 = 15;

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_slot_store",
    chapter: "50-sue",
    summary: "replay slots of a go-back-N sender",
    parameters: &[
        ParameterInfo::new("slots", 32, Allowed::PowerOfTwo(4, 256), "bodies, a power of two"),
        ParameterInfo::new(
            "slot_bytes",
            2048,
            Allowed::PowerOfTwo(512, 4096),
            "octets of a slot; all slots together 256 KB at most",
        ),
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "most", values: &[("slots", 256), ("slot_bytes", 512)] },
        Preset { name: "small", values: &[("slots", 4), ("slot_bytes", 512)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let (slots, words) = (log2(settings.size("slots")?), log2(settings.size("slot_bytes")? / 8));
    shapes! {
        settings: (slots = slots, words = words) => build_as [slots, words, slots + words, words + 1];
        presets { (5, 8) (8, 6) (2, 6) }
    }
}

/// Builds the block with these const parameters; see [`SueSlotStore`].
pub fn build_as<const S: usize, const W: usize, const R: usize, const X: usize>(
    _: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let streams = [
        ("body", StreamSink),
        ("slots", StreamSink),
        ("begins", FlowSource),
        ("returns", FlowSource),
        ("stored", FlowSource),
        ("reads", StreamSink),
        ("body_out", StreamSource),
        ("damaged", FlowSource),
    ];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "reads to body_out.valid");
    Ok(BuiltBlock::new(SueSlotStore::<S, W, R, X>::new()?, interface))
}
