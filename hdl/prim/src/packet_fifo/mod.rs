//! `packet_fifo`: a FIFO of packets that stores, then commits or drops (chapter 00, "Conventions of every block").
//!
//! - Words of a packet come in one after the other, the last with `last_in`. With `bad_in` on the last word the packet is *dropped*:
//!   the FIFO is as before its first word. Else it is *committed*: only now may it come out, whole and without gaps of the FIFO's own.
//! - No room for a word of a packet:
//!   - `when_full` = wait: `words_in.ready` is low until there is room. A packet of more than 2^A words can never be stored: it is
//!     taken and dropped (`overflow`), nothing else is lost.
//!   - `when_full` = drop: `words_in.ready` is never low for want of room. The packet is taken and dropped (`overflow`).
//! - Room for 2^A words, exact flags. Two more committed words wait in the output registers.
//! - Latency 4 clocks from the transfer of the last word to `words_out.valid`, empty; one word per clock on both sides at once.
//! - `stored`, `dropped` and `overflow` are high for one clock, 1 clock after the word that decided.
//! - `clear` empties the FIFO and forgets the packet that comes in: what follows is a new packet.

use super::ram::{Ram, RamConfig};
use super::stream::{StreamIn, StreamOut};
use super::Register;
use crate::prelude::*;

/// What becomes of the words that come in.
#[packed]
enum Intake {
    Stores,
    Drops,
}

/// Room for 2^`A` words of `W` bits; `M` = `W` + 1, `C` = `A` + 1; `D` = 1: a packet without room is dropped. See the [module](self).
///
/// `free` and `words` have a top bit that says "at least one": they hold 2^`A` - 1 more than they count.
#[block("packet_fifo", new, width = W, depth = 1usize << A, when_full = WHEN_FULL[D])]
pub struct PacketFifo<const W: usize, const M: usize, const A: usize, const C: usize, const D: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Empties the FIFO.
    clear: In<Bit>,
    /// Words of packets in.
    pub words_in: StreamIn<Bits<W>>,
    /// The word in is the last of its packet.
    last_in: In<Bit>,
    /// With `last_in`: the packet is to be dropped.
    bad_in: In<Bit>,
    /// Words of packets out, in the same order.
    pub words_out: StreamOut<Bits<W>>,
    /// The word out is the last of its packet.
    last_out: Out<Bit>,
    /// A packet was committed.
    stored: Out<Bit>,
    /// A packet was dropped because it was bad.
    dropped: Out<Bit>,
    /// A packet was dropped because there was no room.
    overflow: Out<Bit>,

    memory: Ram<Bits<M>, A>,
    intake: Register<Intake>,
    write_pointer: Register<Bits<A>>,
    /// Where the packet that comes in begins.
    packet_start: Register<Bits<A>>,
    /// Words of that packet in the memory.
    length: Register<Bits<C>>,
    /// Room for words.
    #[init(every_bit())]
    free: Register<Bits<C>>,
    read_pointer: Register<Bits<A>>,
    /// Committed words in the memory.
    #[init(every_bit() >> 1)]
    words: Register<Bits<C>>,
    /// Words committed one clock ago, less 1.
    #[init(every_bit())]
    gain: Register<Bits<C>>,
    array_valid: Register<Bit>,
    output_valid: Register<Bit>,
    #[wire(d = _)]
    stored_now: Reg<Bit>,
    #[wire(d = _)]
    dropped_now: Reg<Bit>,
    #[wire(d = _)]
    overflow_now: Reg<Bit>,
    #[init(D == 1)]
    drops_when_full: Constant<Bit>,
    #[init(every_bit())]
    minus_one: Constant<Bits<C>>,
}

/// Names of the two ways, by number.
const WHEN_FULL: [&str; 2] = ["wait", "drop"];

fn every_bit<const N: usize>() -> Bits<N> {
    !Bits::default()
}

#[logic]
impl<const W: usize, const M: usize, const A: usize, const C: usize, const D: usize>
    PacketFifo<W, M, A, C, D>
{
    /// An empty FIFO.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("packet_fifo", "A", A as u64, 4, 16)?;
        check_range("packet_fifo", "D", D as u64, 0, 1)?;
        check_derived("packet_fifo", "M", M as u64, "W + 1", W as u64 + 1)?;
        check_derived("packet_fifo", "C", C as u64, "A + 1", A as u64 + 1)?;
        Ok(Self { memory: Ram::new(RamConfig::block(1 << A))?, .. })
    }

    fn update(&mut self) {
        // What becomes of the word that comes in. A packet that fills the memory alone can never be stored.
        let room = free[A];
        let stores = intake == Intake::Stores;
        let never_fits = length[A];
        let takes = !clear & (room | !stores | never_fits | drops_when_full);
        let taken = words_in.valid & takes;
        let push = taken & stores & room;
        let lost = taken & stores & !room;
        let commit = push & last_in & !bad_in;
        let bad = push & last_in & bad_in;
        let back = lost | bad;
        words_in.ready = takes;
        intake = match intake {
            Intake::Stores => {
                if lost & !last_in {
                    Intake::Drops
                } else {
                    Intake::Stores
                }
            }
            Intake::Drops => {
                if taken & last_in {
                    Intake::Stores
                } else {
                    Intake::Drops
                }
            }
        };

        // The packet in the memory, not yet committed.
        memory = In { write_clock: clock, write_enable: push, write_address: write_pointer };
        memory.write_data = cat(words_in.data, last_in);
        let next_address = write_pointer + 1;
        write_pointer = if back {
            packet_start
        } else if push {
            next_address
        } else {
            write_pointer
        };
        packet_start.enable = commit;
        packet_start = next_address;
        length = if back | commit {
            0
        } else if push {
            length + 1
        } else {
            length
        };

        let fetch = self.read_out();

        // Counts. A fetch adds 1 to the room; no fetch makes up for the 1 that `gain` lacks.
        let room_change = if back {
            length
        } else if push {
            minus_one
        } else {
            bits::<C>(0)
        };
        free = free + room_change + bit_cast::<C, 1>(fetch.into());
        gain = if commit { length } else { minus_one };
        words = words + gain + bit_cast::<C, 1>((!fetch).into());

        stored_now = commit;
        dropped_now = bad;
        overflow_now = lost;
        stored = stored_now;
        dropped = dropped_now;
        overflow = overflow_now;
    }

    /// Committed words out: a stage moves on when it is empty or the one after it moves on.
    fn read_out(&mut self) -> Bit {
        let output_moves = !output_valid | words_out.ready;
        let array_moves = !array_valid | output_moves;
        let fetch = array_moves & words[A];
        memory = In { read_clock: clock, read_enable: array_moves, read_address: read_pointer };
        memory.output_enable = output_moves;
        read_pointer.enable = fetch;
        read_pointer = read_pointer + 1;
        array_valid.enable = array_moves;
        array_valid = fetch;
        output_valid.enable = output_moves;
        output_valid = array_valid;
        words_out.valid = output_valid;
        let word_out = memory.read_data;
        words_out.data = word_out.bits::<W>(0);
        last_out = word_out[W];
        fetch
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "packet_fifo",
    chapter: "00-overview",
    summary: "FIFO of packets that stores, then commits or drops",
    parameters: &[
        ParameterInfo::new("width", 64, WIDTHS, "bits of a word"),
        ParameterInfo::new("depth", 512, Allowed::PowerOfTwo(16, 1 << 16), "words of room"),
        ParameterInfo::new(
            "drop_when_full",
            1,
            Allowed::Range(0, 1),
            "1: a packet without room is dropped; 0: it waits",
        ),
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "waits", values: &[("drop_when_full", 0)] },
        Preset { name: "small", values: &[("width", 8), ("depth", 16), ("drop_when_full", 0)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (width, depth, drop_when_full) =>
            build_as [width, width + 1, log2(depth), log2(depth) + 1, drop_when_full];
        presets { (64, 512, 1) (64, 512, 0) (8, 16, 0) }
    }
}

/// Builds the block with these const parameters; see [`PacketFifo`].
pub fn build_as<const W: usize, const M: usize, const A: usize, const C: usize, const D: usize>(
    _: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let streams = [("words_in", StreamSink), ("words_out", StreamSource)];
    let interface =
        InterfaceInfo::clocked(&streams, Some(4), "transfer of the last word in to valid out, empty");
    Ok(BuiltBlock::new(PacketFifo::<W, M, A, C, D>::new()?, interface))
}
