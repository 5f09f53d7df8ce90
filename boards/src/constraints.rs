//! Pin and clock constraints of a design on a board, as a Lattice preference file (LPF).
//!
//! `rust-hdl-fpga-support` can write an LPF too, but only from constraints that sit on the signals of the block
//! itself, so the block would have to know its board; it names ports by Rust path (`top$led`), has no pull
//! resistor and no drive strength, and writes `BLOCK ASYNCPATHS` over every design. Here the board's file says it all. Where both
//! can say the same thing, a test compares them.

use crate::board::{Board, Direction, Pin, Pull};
use std::fmt::Write;
use thiserror::Error;

/// A top-level port of a design.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopPort {
    /// Port name in the Verilog.
    pub name: String,
    /// Width in bits.
    pub width: u32,
    /// Seen from the FPGA.
    pub direction: Direction,
}

/// A port that cannot be constrained.
#[derive(Debug, Error, PartialEq)]
pub enum ConstraintError {
    /// The board has no such resource.
    #[error("port `{port}`: board `{board}` has no pins of this name; it has: {known}")]
    NoPins {
        /// The port.
        port: String,
        /// The board.
        board: String,
        /// Its resources.
        known: String,
    },
    /// Width or direction differ.
    #[error("port `{port}` is {have}, but `{board}` has {expected}; change the design's port")]
    Mismatch {
        /// The port.
        port: String,
        /// The board.
        board: String,
        /// What the design says.
        have: String,
        /// What the board says.
        expected: String,
    },
}

/// Where a clock that the board does not know enters the fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockSource {
    /// A port of the design.
    Port(&'static str),
    /// A net of the design, by its name in the flat netlist.
    Net(&'static str),
}

/// The LPF text for a design's own clocks.
pub fn clock_lines(clocks: &[(ClockSource, u64)]) -> String {
    let line = |(source, hertz): &(ClockSource, u64)| {
        let (kind, name) = match source {
            ClockSource::Port(name) => ("PORT", name),
            ClockSource::Net(name) => ("NET", name),
        };
        let (mhz, rest) = (hertz / 1_000_000, hertz % 1_000_000);
        format!("FREQUENCY {kind} \"{name}\" {mhz}.{rest:06} MHz;\n")
    };
    clocks.iter().map(line).collect()
}

/// The LPF text for `ports` on `board`. Every port must be a resource of the board, with its width and
/// direction; a resource that no port uses is left alone.
pub fn lpf(board: &Board, ports: &[TopPort]) -> Result<String, ConstraintError> {
    let mut text = format!("# {} ({} {})\n", board.title, board.device, board.package);
    for line in &board.system {
        let _ = writeln!(text, "{line};");
    }
    for port in ports {
        let pin = board.pin(&port.name).ok_or_else(|| ConstraintError::NoPins {
            port: port.name.clone(),
            board: board.name.clone(),
            known: board.pins.iter().map(|pin| pin.name.as_str()).collect::<Vec<_>>().join(", "),
        })?;
        if pin.sites.len() != port.width as usize || pin.direction != port.direction {
            return Err(ConstraintError::Mismatch {
                port: port.name.clone(),
                board: board.name.clone(),
                have: describe(port.width as usize, port.direction),
                expected: describe(pin.sites.len(), pin.direction),
            });
        }
        write_pin(&mut text, pin);
    }
    Ok(text)
}

fn describe(width: usize, direction: Direction) -> String {
    let direction = if direction == Direction::Input { "input" } else { "output" };
    format!("an {direction} of {width} bit(s)")
}

fn write_pin(text: &mut String, pin: &Pin) {
    for (index, site) in pin.sites.iter().enumerate() {
        let name = if pin.sites.len() == 1 { pin.name.clone() } else { format!("{}[{index}]", pin.name) };
        let pull = match pin.pull {
            Pull::None => "NONE",
            Pull::Up => "UP",
            Pull::Down => "DOWN",
        };
        let drive = pin.drive_ma.map(|drive| format!(" DRIVE={drive}")).unwrap_or_default();
        let _ = writeln!(text, "LOCATE COMP \"{name}\" SITE \"{site}\";");
        let _ = writeln!(text, "IOBUF PORT \"{name}\" IO_TYPE={} PULLMODE={pull}{drive};", pin.io_type);
    }
    if let Some(frequency) = pin.frequency_hz {
        let (mhz, rest) = (frequency / 1_000_000, frequency % 1_000_000);
        let _ = writeln!(text, "FREQUENCY PORT \"{}\" {mhz}.{rest:06} MHz;", pin.name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{board, Direction};
    use flitforge_base::prelude::*;

    fn port(name: &str, width: u32, direction: Direction) -> TopPort {
        TopPort { name: name.into(), width, direction }
    }

    #[test]
    fn every_bit_of_a_port_is_located() {
        let board = board("ulx3s-85f").expect("board");
        let text = lpf(&board, &[port("led", 8, Direction::Output), port("clk_25mhz", 1, Direction::Input)])
            .expect("constraints");
        assert!(text.contains("LOCATE COMP \"led[7]\" SITE \"H3\";"));
        assert!(text.contains("IOBUF PORT \"led[7]\" IO_TYPE=LVCMOS33 PULLMODE=NONE DRIVE=4;"));
        assert!(text.contains("FREQUENCY PORT \"clk_25mhz\" 25.000000 MHz;"));
        assert_eq!(text.matches("LOCATE").count(), 9);
    }

    #[test]
    fn a_designs_own_clocks_are_constrained_by_port_or_net() {
        let clocks = [(ClockSource::Port("line_clock"), 150_000_000), (ClockSource::Net("dcu.clock"), 1_500)];
        let text = clock_lines(&clocks);
        assert_eq!(
            text,
            "FREQUENCY PORT \"line_clock\" 150.000000 MHz;\nFREQUENCY NET \"dcu.clock\" 0.001500 MHz;\n"
        );
    }

    #[test]
    fn ports_that_do_not_fit_are_refused() {
        let board = board("ulx3s-85f").expect("board");
        let refuse = |port: TopPort| lpf(&board, &[port]).expect_err("refused").to_string();
        assert!(
            refuse(port("leds", 8, Direction::Output)).contains("no pins of this name; it has: clk_25mhz")
        );
        assert!(refuse(port("led", 7, Direction::Output)).contains("output of 7 bit(s)"));
        assert!(refuse(port("led", 8, Direction::Input)).contains("an input of 8"));
    }

    /// A block that carries the same facts the way `rust-hdl-fpga-support` wants them.
    #[derive(LogicBlock)]
    struct Constrained {
        clk_25mhz: Signal<In, Clock>,
        ftdi_txd: Signal<In, Bit>,
    }
    impl Logic for Constrained {
        fn update(&mut self) {}
    }

    #[test]
    fn sites_and_standards_equal_those_of_rust_hdl_fpga_support() {
        let mut block = Constrained { clk_25mhz: Default::default(), ftdi_txd: Default::default() };
        block.clk_25mhz.add_location(0, "G2");
        block.clk_25mhz.add_signal_type(0, SignalType::LowVoltageCMOS_3v3);
        block.ftdi_txd.add_location(0, "M1");
        block.ftdi_txd.add_signal_type(0, SignalType::LowVoltageCMOS_3v3);
        let theirs = rust_hdl_fpga_support::toolchains::ecp5::generate_lpf(&block);
        let board = board("ulx3s-85f").expect("board");
        let ours =
            lpf(&board, &[port("clk_25mhz", 1, Direction::Input), port("ftdi_txd", 1, Direction::Input)])
                .expect("lpf");
        let theirs: Vec<_> = theirs.lines().filter(|line| !line.starts_with("BLOCK")).collect();
        assert_eq!(theirs.len(), 4, "{theirs:?}");
        for line in theirs {
            let start = line.trim_end_matches(';');
            assert!(ours.lines().any(|own| own.starts_with(start)), "{line} is not in\n{ours}");
        }
    }
}
