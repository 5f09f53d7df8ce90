//! Goodput of two ports without the whole command: `goodput rate=10000 lanes=4 degrade=1 allowed=15 mode=1 settle=100000 clocks=200000 seed=1`.

use flitforge_line::goodput::{GoodputRun, COUNTERS};
use flitforge_protocol::ltp::CrcMode;

/// Parts of the measurement.
const PARTS: usize = 16;

fn main() -> Result<(), flitforge_line::Failure> {
    let value = |name: &str, default: u64| {
        let given = std::env::args()
            .find_map(|argument| argument.strip_prefix(&format!("{name}=")).map(String::from));
        given.and_then(|text| text.parse::<u64>().ok()).unwrap_or(default)
    };
    let (lanes, rate) = (value("lanes", 4), value("rate", 10_000) as u32);
    let run = GoodputRun {
        degrade: value("degrade", 1) == 1,
        allowed: value("allowed", 15) as u8,
        mode: CrcMode::from_code(value("mode", 1) as u8).unwrap_or(CrcMode::Bits14),
        per_1e9: std::array::from_fn(|lane| if (lane as u64) < lanes { rate } else { 0 }),
        settle: value("settle", 100_000),
        part_clocks: value("clocks", 200_000) / PARTS as u64,
        parts: PARTS,
    };
    let begin = std::time::Instant::now();
    let found = run.run(value("seed", 1))?;
    let seconds = begin.elapsed().as_secs_f64();
    println!("{run:?}\n{found:?}\n{COUNTERS:?}");
    println!("{:.4} in the mean", found.shares.iter().sum::<f64>() / PARTS as f64);
    println!("{:.0} clocks per second, with the compiler's time", found.clocks as f64 / seconds);
    Ok(())
}
