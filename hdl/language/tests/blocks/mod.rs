//! Blocks of the library, written in the language: their Verilog is the library's, to the byte.

mod async_fifo;
mod console;
mod counter;
mod skid;
mod small_fifo;
mod synchronizer;

use crate::support;
use flitforge_elaborate::drive::DriveBlock;
use rust_hdl::prelude::Bits;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The digests of the library's texts.
const RECORD: &str = include_str!("../../../../docs/records/verilog.sha256");

/// Checks that the text of `make()` is that of the library's block with this preset, and that it is simulated alike.
#[track_caller]
fn check<B: DriveBlock + 'static>(name: &str, preset: &str, make: impl Fn() -> B, cycles: u64) {
    let text = support::verilog_of(make(), name);
    let digest = Sha256::digest(text.as_bytes()).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    });
    if let Some(folder) = std::env::var_os("FLITFORGE_TEXTS") {
        let file = std::path::Path::new(&folder).join(format!("{name}@{preset}.v"));
        std::fs::write(file, &text).expect("written");
    }
    let row = format!("{digest}  block {name} {preset} generic");
    let known = RECORD.lines().any(|line| line == row);
    support::same_in_both(name, make, cycles);
    assert!(known, "{name}: the text differs from the library's; FLITFORGE_TEXTS=FOLDER writes it\n{text}");
}

#[test]
fn skids() {
    check("skid", "default", skid::Skid::<Bits<64>>::default, 2000);
}

#[test]
fn counters() {
    check("counter", "default", || counter::Counter::<48, 12>::new().expect("a counter"), 2000);
}

#[test]
fn synchronizers() {
    let make = || synchronizer::Synchronizer::<2>::new(false).expect("a synchronizer");
    check("synchronizer", "default", make, 2000);
}

#[test]
fn small_fifos() {
    let sixteen = || small_fifo::SmallFifo::<Bits<64>, 4, 5>::new().expect("a FIFO");
    check("small_fifo", "default", sixteen, 2000);
    let four = || small_fifo::SmallFifo::<Bits<64>, 2, 3>::new().expect("a FIFO");
    check("small_fifo", "four", four, 2000);
}

#[test]
fn fifos_between_clocks() {
    let make = || async_fifo::AsyncFifo::<Bits<33>, 5, 6>::new().expect("a FIFO");
    check("async_fifo", "default", make, 2000);
}

#[test]
fn consoles() {
    check("console", "default", || console::sample().expect("a console"), 2000);
}
