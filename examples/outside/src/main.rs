//! Checks, simulates and emits one block: all the glue that there is.

mod ticker;

use flitforge_elaborate::{driven, elaborate, selfcheck, verilog};
use flitforge_sim::BackEnd;
use ticker::Ticker;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let make = || driven!(Ticker::default(), |top| top.clock, top.enable, top.spi.miso);
    // check: rust-hdl's own simulation and the graph agree
    selfcheck::against_stock(make, 2_000, 1)?;
    // simulate: the bytes that are sent, as bits
    let mut bench = BackEnd::Compiled.open("ticker", Box::new(make()))?;
    let (mclk, mosi) = (bench.port("spi.mclk")?, bench.port("spi.mosi")?);
    bench.set_u64(bench.port("enable")?, 1);
    for _ in 0..1_000 {
        let before = bench.get_bit(mclk);
        bench.step()?;
        if bench.get_bit(mclk) && !before {
            print!("{}", u8::from(bench.get_bit(mosi)));
        }
    }
    // emit
    let design = elaborate(&Ticker::default(), "ticker")?;
    Ok(std::fs::write("ticker.v", verilog::write(&design, &verilog::Options::default()))?)
}
