//! The register bus.

use super::rig::{Rig, Show};
use super::Picture;
use flitforge_hdl::time::page::{TimePortPage, WindowBuild};
use flitforge_protocol::time_registers::{LDM_ASYM, PORT};

/// Bytes of a register.
const REGISTER_BYTES: u64 = 8;
/// Clocks from a request to `ack` inside a port (chapter 00, where the chapters meet).
pub const ACK_CLOCKS: usize = 4;
/// A word of the window that names no register, below the counters: those take longer.
const UNKNOWN_WORD: u64 = 15;

/// A page is written, read, and asked for a word that it does not have.
pub fn register_bus() -> anyhow::Result<Picture> {
    let mut rig = Rig::new(
        "time_port_page",
        TimePortPage::new(&WindowBuild::counting(Some(0)))?,
        "",
        &[
            ("bus.request", "bus.request", Show::Plain),
            ("bus.write", "bus.write", Show::Plain),
            ("bus.address", "bus.address", Show::Plain),
            ("bus.wdata", "bus.wdata", Show::With("bus.write")),
            ("bus.ack", "bus.ack", Show::Plain),
            ("bus.rdata", "bus.rdata", Show::With("bus.ack")),
            ("ldm_asym", "ldm_asym", Show::Plain),
        ],
    )?;
    let word = u64::from(LDM_ASYM - PORT) / REGISTER_BYTES;
    for (write, word) in [(true, word), (false, word), (false, UNKNOWN_WORD)] {
        access(&mut rig, write, word, 0xc0de)?;
    }
    Ok(Picture {
        name: "register-bus",
        title: "The register bus at a page: a write, a read of the same word, a read of a word that is none",
        column: "clock",
        streams: &[],
        rows: rig.into_rows(),
    })
}

/// A request of one clock; address, kind and value stand until `ack`. A clock without a request follows.
fn access(rig: &mut Rig, write: bool, word: u64, value: u64) -> anyhow::Result<()> {
    rig.set("bus.request", 1)?;
    rig.set("bus.write", u64::from(write))?;
    rig.set("bus.address", word)?;
    rig.set("bus.wdata", value)?;
    for _ in 0..=ACK_CLOCKS {
        rig.settle()?;
        let done = rig.get("bus.ack")? == 1;
        rig.clock()?;
        rig.set("bus.request", 0)?;
        if done {
            rig.set("bus.write", 0)?;
            return rig.clock();
        }
    }
    anyhow::bail!("no ack of word {word} within {ACK_CLOCKS} clocks")
}
