//! `sue_due_list`: connections to which an acknowledgment is due, each of them once (chapter 50, 4.6 rule 3).
//!
//! - `becomes_due` enters a connection, unless it waits in the list already; `due` gives them in the order in which they came.
//! - A connection waits until the clock of its transfer at `due`; one that becomes due after that enters again.
//! - Each connection has one place, so the list never overflows. Which connections wait is told by two bits each: one that changes when it enters,
//!   one that becomes equal when it leaves. Each bit has one writer.
//! - `becomes_due` at most every 3 clocks; 7 clocks from it to `due.valid`, empty.
//! - `clear` empties the list and walks through the bits, 2^A clocks; what becomes due meanwhile is lost, as are the entries of the table.

use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};
use flitforge_hdl_prim::Fifo;

/// Clocks from `becomes_due` to `due.valid`.
pub const LATENCY: u32 = 7;

/// A place in the list.
#[packed]
struct DuePlace {
    connection: Bits<12>,
    /// The first bit of the connection, as it became.
    mark: Bits<1>,
}

/// The list of 2^`A` connections; `C` = `A` + 1. See the [module](self).
#[block("sue_due_list", new, connections = 1usize << A)]
pub struct SueDueList<const A: usize, const C: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Empties the list.
    clear: In<Bit>,
    /// An acknowledgment becomes due to a connection.
    pub becomes_due: FlowIn<Bits<12>>,
    /// Whose turn it is.
    pub due: StreamOut<Bits<12>>,

    #[init(true)]
    clears: Register<Bit>,
    walk: Register<Bits<A>>,
    connection: Reg<Bits<12>>,
    stage: Register<Bits<3>>,
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    entered: Ram<Bits<1>, A>,
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    gone: Ram<Bits<1>, A>,
    #[wire(clock, clear)]
    list: Fifo<DuePlace, A, C>,
    leaves: Register<Bit>,
    #[wire(d = _)]
    leaver: Reg<DuePlace>,
}

#[logic]
impl<const A: usize, const C: usize> SueDueList<A, C> {
    /// An empty list.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("sue_due_list", "A", A as u64, 4, 12)?;
        Ok(Self {
            entered: Ram::new(RamConfig::table(1 << A))?,
            gone: Ram::new(RamConfig::table(1 << A))?,
            list: Fifo::new()?,
            ..
        })
    }

    fn update(&mut self) {
        walk.clear = clear;
        walk = walk + 1;
        clears.clear = false;
        clears = clear | (clears & !walk.all());

        // Who becomes due, and whether it waits already.
        let comes = becomes_due.valid & !clears;
        if comes {
            connection = becomes_due.data;
        }
        stage = cat(comes, stage[0..2]);
        entered.read_address = connection.bits::<A>(0);
        gone.read_address = connection.bits::<A>(0);
        let was = entered.read_data;
        let waits = was ^ gone.read_data;
        let enters = stage[2] & !waits[0];
        list.words_in.valid = enters;
        list.words_in.data = DuePlace { connection, mark: !was };
        entered.write_enable = enters | clears;
        entered.write_address = if clears { walk } else { connection.bits::<A>(0) };
        entered.write_data = if clears { 0 } else { !was };

        // Who leaves.
        let place = list.words_out.data;
        due = In { data: place.connection, valid: list.words_out.valid };
        list.words_out.ready = due.ready;
        leaves = list.words_out.valid & due.ready;
        leaver = place;
        let leaving = leaver.connection;
        gone.write_enable = leaves | clears;
        gone.write_address = if clears { walk } else { leaving.bits::<A>(0) };
        gone.write_data = if clears { 0 } else { leaver.mark };
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "sue_due_list",
    chapter: "50-sue",
    summary: "connections to which an acknowledgment is due",
    parameters: &[ParameterInfo::new(
        "connections",
        256,
        Allowed::PowerOfTwo(16, 4096),
        "{port, source, VC}, a power of two",
    )],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "most", values: &[("connections", 4096)] },
        Preset { name: "small", values: &[("connections", 16)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (connections) => build_as [log2(connections), log2(connections) + 1];
        presets { (256) (4096) (16) }
    }
}

/// Builds the block with these const parameters; see [`SueDueList`].
pub fn build_as<const A: usize, const C: usize>(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let streams = [("becomes_due", FlowSink), ("due", StreamSource)];
    let interface = InterfaceInfo::clocked(&streams, Some(LATENCY), "becomes_due to due.valid");
    Ok(BuiltBlock::new(SueDueList::<A, C>::new()?, interface))
}
