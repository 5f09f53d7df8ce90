//! `sue_connection_memory`: the entries of the connections of a sender or a receiver, for a table that reads, changes and writes one entry after the other.
//!
//! | what the table says | what is done |
//! |---|---|
//! | `event_reads` | `entry_read` is that of `event_connection` 3 clocks later |
//! | `late_comes` | `same` says from now on whether `early_connection` and `late_connection` of 2 clocks before were one |
//! | `writes` | `entry_written` of the clock after it is written for `late_connection` of this clock |
//!
//! - **Looks.** `looks` is answered by `looked` 5 clocks later, or up to 5 more while events come: it is read in a clock in which no event reads or writes.
//!   It waits in registers of its own, so events never wait for it.
//! - `clear` forgets a look under way and puts zeros into all entries, one per clock: `entry_written` has to be 0 while `runs` is low. Looks are taken after that.

use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};

/// What the memory does.
#[packed]
enum Mode {
    Runs,
    Clears,
}

/// The entries `T` of 2^`A` connections. See the [module](self).
#[block("sue_connection_memory", new, width = T::BITS, connections = 1usize << A)]
pub struct ConnectionMemory<T: Synth, const A: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Puts zeros into all entries.
    clear: In<Bit>,
    /// All entries are cleared.
    runs: Out<Bit>,
    /// An event reads its entry.
    event_reads: In<Bit>,
    /// Its connection.
    event_connection: In<Bits<12>>,
    /// The connection of the event that was taken last.
    early_connection: In<Bits<12>>,
    /// The connection of the event whose entry is changed.
    late_connection: In<Bits<12>>,
    /// The former event becomes the latter.
    late_comes: In<Bit>,
    /// They have one connection.
    same: Out<Bit>,
    /// The entry that was read.
    entry_read: Out<T>,
    /// The entry is written in the next clock.
    writes: In<Bit>,
    /// What is written then.
    entry_written: In<T>,
    /// Connections that are looked at, one at a time; nothing is changed.
    pub looks: StreamIn<Bits<12>>,
    /// Its entry.
    pub looked: FlowOut<T>,

    mode: Register<Mode>,
    walk: Register<Bits<A>>,
    entries: Ram<T, A>,
    /// The connection that is read, and the one that is written: registers, for the way to all block RAMs is long.
    #[wire(d = _)]
    read_address: Reg<Bits<A>>,
    #[wire(d = _)]
    write_address: Reg<Bits<A>>,
    #[wire(d = _)]
    write_enable: Reg<Bit>,
    /// Thirds of the two connections that are not alike.
    #[wire(d = _)]
    differs: Reg<Bits<3>>,
    #[wire(d = _)]
    alike: Reg<Bit>,
    /// There was an event since the last clear.
    began: Register<Bit>,
    /// A look waits for a clock in which no event reads or writes.
    look_waits: Register<Bit>,
    look_connection: Reg<Bits<12>>,
    /// `read_address` is its.
    look_stands: Register<Bit>,
    /// Where a look is: the first clock after it was read, the second, the third.
    looking: Register<Bits<3>>,
    #[wire(d = _)]
    seen: Reg<T>,
}

#[logic]
impl<T: Synth, const A: usize> ConnectionMemory<T, A> {
    /// All entries are 0.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { entries: Ram::new(RamConfig::table(1 << A))?, .. })
    }

    fn update(&mut self) {
        let reads = if event_reads { event_connection } else { look_connection };
        read_address = reads.bits::<A>(0);
        entries = In { write_clock: clock, read_clock: clock, read_enable: true, output_enable: true };
        entries.read_address = read_address;
        entry_read = entries.read_data;
        self.compare();
        self.write();
        self.take_look();
    }

    /// Whether two events in a row are of one connection.
    fn compare(&mut self) {
        let differ_high = early_connection[8..12] != late_connection[8..12];
        let differ_middle = early_connection[4..8] != late_connection[4..8];
        let differ_low = early_connection[0..4] != late_connection[0..4];
        differs = cat(differ_high, differ_middle, differ_low);
        alike = began & !differs.any();
        began = began | late_comes;
        same = alike;
    }

    /// Entries, and zeros into all of them after a clear.
    fn write(&mut self) {
        walk.clear = clear;
        walk = walk + 1;
        mode.clear = false;
        let ends = walk.all();
        mode = if clear {
            Mode::Clears
        } else if ends {
            Mode::Runs
        } else {
            mode
        };
        let clears = mode == Mode::Clears;
        runs = !clears;
        write_enable = writes | clears;
        write_address = if clears { walk } else { late_connection.bits::<A>(0) };
        entries = In { write_enable, write_address, write_data: entry_written };
    }

    /// A look is read in a clock in which no event is read or written.
    fn take_look(&mut self) {
        let goes = look_stands & !write_enable;
        look_stands = look_waits & !goes & !event_reads;
        let takes_look = (mode == Mode::Runs) & !look_waits & !clear;
        looks.ready = takes_look;
        let look_comes = takes_look & looks.valid;
        look_waits = look_comes | (look_waits & !goes);
        if look_comes {
            look_connection = looks.data;
        }
        looking = cat(goes, looking[0..2]);
        seen = entries.read_data;
        looked = In { data: seen, valid: looking[2] };
    }
}
