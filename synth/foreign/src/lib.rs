//! Every block of rust-hdl's own crates from crates.io, as an outsider meets them: elaborated, linted and co-simulated.

mod fpga;
mod hls;
pub mod measure;
mod sim;
pub mod table;
mod widgets;

use flitforge_elaborate::drive::{DriveBlock, Driven};
use rust_hdl::prelude::*;
use std::time::Duration;

/// Where the table is.
pub const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/foreign.md");

/// Why rust-hdl's own simulation of some blocks differs; `tests/late_clock.rs` shows it on two registers.
const LATE_CLOCK: &str = "a clock that passes through child blocks arrives some passes later there, so that registers take values \
that other registers of the same clock have after the edge";

type Make = Box<dyn Fn() -> Box<dyn DriveBlock>>;

/// One block with chosen generics.
pub struct Entry {
    /// The crate it comes from.
    pub from: &'static str,
    /// Its type.
    pub name: &'static str,
    make: Make,
    /// Inputs with their least and greatest value; rust-hdl's own simulation panics outside.
    pub limits: Vec<(&'static str, u64, u64)>,
    /// Why rust-hdl's own simulation differs from all others, if it does.
    pub stock_fault: Option<&'static str>,
}

impl Entry {
    fn new<B: Block + 'static>(
        from: &'static str,
        name: &'static str,
        make: impl Fn() -> Driven<B> + 'static,
    ) -> Self {
        Self { from, name, make: Box::new(move || Box::new(make())), limits: vec![], stock_fault: None }
    }

    /// Keeps an input in a range.
    fn limit(mut self, input: &'static str, least: u64, most: u64) -> Self {
        self.limits.push((input, least, most));
        self
    }

    /// rust-hdl's own simulation differs from all others.
    fn stock_fault(mut self, why: &'static str) -> Self {
        self.stock_fault = Some(why);
        self
    }

    /// A fresh one.
    pub fn make(&self) -> Box<dyn DriveBlock> {
        (self.make)()
    }
}

/// Every public block, by crate.
pub fn entries() -> Vec<Entry> {
    widgets::entries().chain(hls::entries()).chain(sim::entries()).chain(fpga::entries()).collect()
}

fn spi_config() -> SPIConfig {
    SPIConfig {
        clock_speed: 48_000_000,
        cs_off: true,
        mosi_off: true,
        speed_hz: 4_000_000,
        cpha: true,
        cpol: true,
    }
}

fn dynamic_spi_config() -> SPIConfigDynamicMode {
    SPIConfigDynamicMode { clock_speed: 48_000_000, cs_off: true, mosi_off: false, speed_hz: 4_000_000 }
}

fn i2c_config() -> I2CConfig {
    I2CConfig { delay_time: Duration::from_nanos(1500), clock_speed_hz: 10_000_000 }
}

fn words() -> Vec<Bits<8>> {
    (0u32..10).map(|number| Bits::from((number * 29 + 3) as LiteralType & 255)).collect()
}

fn pauses() -> Vec<Bits<32>> {
    (0u32..10).map(|number| Bits::from((number % 5) as LiteralType)).collect()
}

fn bridge() -> Bridge<16, 8, 6> {
    Bridge::new(["club", "spade", "diamond", "heart", "joker", "instruction"])
}

fn router() -> Router<16, 8, 3> {
    let (first, second) =
        (Bridge::<16, 8, 4>::new(["a", "b", "c", "d"]), Bridge::<16, 8, 2>::new(["e", "f"]));
    Router::new(["sides", "colors", "faces"], [&first, &second, &bridge()])
}

fn router_rom() -> RouterROM<16, 8, 3> {
    let (first, second) =
        (Bridge::<16, 8, 4>::new(["a", "b", "c", "d"]), Bridge::<16, 8, 2>::new(["e", "f"]));
    RouterROM::new(["sides", "colors", "faces"], [&first, &second, &bridge()])
}
