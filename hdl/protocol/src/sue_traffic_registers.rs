//! The register page of the traffic of an end of the node `sue-pair`: commands that are sent and checked, and a line with wrong bits.
//!
//! A command is a WRITE, or a message without data. Its control octets are [`Control`](control): the receiver knows from them which command of which
//! virtual channel it is, and what its data have to be: see [`DATA_UNIT`].

use crate::register::{Page, Reset, BYTES};
use crate::sue::class::VCS;

/// Bytes of the page.
pub const PAGE_BYTES: u32 = 0x80;
/// What ID begins with: "SUET".
pub const PAGE_ID: u64 = 0x5355_4554;
/// Version of the page.
pub const PAGE_VERSION: u64 = 1;
/// Most data octets after power-on.
pub const MOST_DATA: u64 = 200;
/// Bits of the chance of a wrong bit: of 2^24 columns.
pub const CHANCE_BITS: usize = 24;
/// Credits of each virtual channel that the XPU gives after a start, cells of 64 octets.
pub const OUT_CREDITS: u64 = 16;
/// Octets of the data that follow from the number of the command and the place of the word: number, then number inverted plus place.
pub const DATA_UNIT: usize = 8;

layout! {
    /// Control octets of a command, the first in the lowest bits.
    control, "Control of test traffic", 48 bits, "node `sue-pair`", {
        vc [0 +: 8] "virtual channel";
        source [8 +: 8] "source, the low bits of its number";
        number [16 +: 32] "number of the command in its virtual channel, from 0 on";
    }
}

registers! {
    sue_traffic_registers_table, "node `sue-pair`", Reset::Value(0);
    /// What this page is.
    ID = 0x00, Read reset(Reset::Value(PAGE_ID << 32 | PAGE_VERSION << 16)), id, {
        version [16 +: 16] "version of the page"; magic [32 +: 32] "0x53554554, SUET"; }
    /// Control.
    TRAFFIC = 0x08, ReadWrite reset(Reset::Value(((1 << VCS) - 1) << 4 | MOST_DATA << 16)), traffic, {
        run [0 +: 1] "commands are sent"; fixed [1 +: 1] "all have the most data, not random lengths up to it"; stall [2 +: 1] "what comes is not taken";
        channels [4 +: 4] "virtual channels that are used, a bit each"; peer [8 +: 8] "XPU that they go to"; most [16 +: 9] "most data octets, 0 to 256"; }
    /// Commands that are sent; then it stops.
    LIMIT = 0x10, ReadWrite, limit, { commands [0 +: 32] "commands; 0: without end"; }
    /// Wrong bits on the line to this end.
    LOSS = 0x18, ReadWrite, loss, { chance [0 +: 24] "columns of 2^24 that get a wrong bit"; }
    /// Commands given to the instance.
    SENT = 0x20, Read, sent, { commands [0 +: 48] "commands since the instance is on"; }
    /// Commands that came, each in its turn and unaltered.
    RECEIVED = 0x28, Read, received, { commands [0 +: 48] "commands since the instance is on"; }
    /// Commands that came, and should not have.
    WRONG = 0x30, Read, wrong, { commands [0 +: 48] "commands out of turn or with other data"; }
    /// Columns with a wrong bit.
    DAMAGED = 0x38, Read, damaged, { columns [0 +: 48] "columns since the instance is on"; }
    /// Bodies that were delivered.
    DELIVERED = 0x40, Read, delivered, { bodies [0 +: 48] "bodies with status 0 since the instance is on"; }
    /// Bodies that were not.
    FAILED = 0x48, Read, failed, { bodies [0 +: 48] "bodies with another status"; }
}

/// The whole page.
pub const PAGE: Page = Page {
    name: "sue_traffic",
    title: "Registers of the traffic of an end of sue-pair",
    source: "node `sue-pair`",
    bytes: PAGE_BYTES,
    registers: REGISTERS,
    counters: &[],
};

const _: () = assert!(BYTES == 8 && control::WIDTH == 48);
