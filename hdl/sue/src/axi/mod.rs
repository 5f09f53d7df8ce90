//! `sue_axi`, and its halves `sue_axi_subordinate` and `sue_axi_manager`: AXI4 over commands (chapter 50, 4.2), at 64 bits of data.
//!
//! The subordinate takes AW, W and AR of the SoC and sends READ, WRITE and WRITE_S on virtual channel 0 through
//! [`sue_command_in`](crate::command_in); what comes back on virtual channel 1 of [`sue_command_out`](crate::command_out) it gives as B and R.
//!
//! | request or response | what the subordinate does |
//! |---|---|
//! | AW and its W, with all strobes set | WRITE, once the whole burst has come |
//! | another strobe anywhere | WRITE_S |
//! | more than 32 transfers, or other ones of W than AWLEN says | SLVERR, `too_long`; nothing is sent |
//! | an ID in flight to another XPU, any in flight with `unordered`, 15 in flight | waits; the other direction goes on |
//! | with `early_responses` (`BRESP_MODE` 1): a write whose PDU has ended | B: OKAY if it has arrived, else SLVERR |
//! | a write response then | dropped |
//! | a response of another shape, or to an ID that is not in flight to its sender | dropped, `refused` |
//!
//! The manager takes READ, WRITE and WRITE_S of other XPUs from virtual channel 0 and gives AR, AW and W; B and R go back on virtual channel 1.
//!
//! | what comes | what the manager does |
//! |---|---|
//! | a request | gets the tag of its source and ID, or a free one of 32, and goes on under it; it waits without one, with 15 under its tag, or while its source and ID are in use with another partition |
//! | another command, more than 32 transfers, or other data than AxLEN says | dropped, `refused` |
//! | B, or R of any tags interleaved | WRESP, RDATA once the burst is whole, to the source, ID and partition of the tag |
//! | a tag that is not in use | dropped, `stray` |
//!
//! - W never waits for AWREADY. Reads and writes have tags of their own. Requests wait for each other, responses for none of them.
//! - A read takes about 20 clocks, a tag being looked for 4 entries at a time; a write as many and one per transfer.
//! - Words of commands are those of the command interface: well formed, control before data. Data areas have whole words of the bus, also of narrow bursts.
//! - A command starts with credits for eight cells, whatever it needs. AW and AR take turns.
//! - USER has no place for the opaque 16 bits of 4.2: they are sent 0 and not looked at. Type and octets in USER of a request are not looked at.
//! - The ten channels are valid and ready with buffers of 8 requests or bursts, not credit loops.
//! - With `early_responses` at most 255 commands are under way, of which `dispatches` and `completions` of [`sue_top`](crate::top) tell; others wait. It is cleared
//!   together with `sue_top`, and its requests begin 1,024 clocks later. Without it both flows say nothing.
//! - `clear` forgets everything; the table of IDs is wiped after it, an entry per clock.

pub mod both;
mod bursts;
mod commands;
mod early;
mod ids;
mod inbox;
pub mod manager;
mod ports;
mod read_store;
mod replies;
mod requests;
mod responses;
pub mod subordinate;
mod tags;

pub use both::*;
pub use early::{EARLY_LATENCY, TRACKED_COMMANDS, TRACK_WIPE};
pub use inbox::{AxiInbox, INBOX_CELLS};
pub use manager::*;
pub use ports::*;
pub use requests::AxiCommand;
pub use subordinate::*;
