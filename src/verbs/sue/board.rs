//! The node `sue-pair` in native code, at the other end of a serial line: a stream of characters, as an open serial port is one.

use anyhow::{anyhow, Result};
use flitforge_hdl::node::register_line::RegisterLineConfig;
use flitforge_hdl::prim::uart::UartConfig;
use flitforge_hdl::sue_node::pair::SuePair;
use flitforge_sim::compiled::{Clocks, Compiled, Handle, Instance};
use flitforge_sim::design_of;
use serialport::SerialPort;
use std::io::{self, ErrorKind, Read, Write};

/// Clock and rate of the simulated line: eight clocks per bit.
const CLOCK_HZ: u64 = 16_000_000;
const BAUD: u64 = 2_000_000;
const BIT_CLOCKS: u64 = CLOCK_HZ / BAUD;
/// Bits of a character, with start and stop.
const BITS: u64 = 10;
/// Clocks a device may take to answer.
const LIMIT: u64 = 255;
/// Characters in whose time an answer has begun, if there is one.
const PATIENCE: u64 = 64;
/// Characters that are taken at once.
const LONGEST: usize = 256;

/// The simulated board.
pub struct SimulatedPair {
    instance: Instance,
    clocks: Clocks,
    line_in: Handle,
    line_out: Handle,
    /// A character that comes: clocks since its start bit began, and its bits so far.
    coming: Option<(u64, u64)>,
    came: std::collections::VecDeque<u8>,
}

impl SimulatedPair {
    /// After power-on.
    pub fn new() -> Result<Self> {
        let line = RegisterLineConfig { uart: UartConfig { clock_hz: CLOCK_HZ, baud: BAUD }, limit: LIMIT };
        let pair = SuePair::new(&line)?;
        let program = Compiled::new(&design_of("sue_pair", &pair)?)?;
        let handle = |path: &str| program.handle(path).map_err(|error| anyhow!("{path}: {error}"));
        let (line_in, line_out) = (handle("line_in")?, handle("line_out")?);
        let (instance, clocks) = (program.instance(), program.all_clocks());
        let mut board = Self { instance, clocks, line_in, line_out, coming: None, came: Default::default() };
        board.instance.set(line_in, 1);
        board.run(BITS * BIT_CLOCKS);
        Ok(board)
    }

    /// So many clocks.
    pub fn run(&mut self, clocks: u64) {
        for _ in 0..clocks {
            self.instance.step(self.clocks);
            self.listen();
        }
    }

    /// So many microseconds of the board's clock.
    pub fn wait(&mut self, microseconds: u64) {
        self.run(microseconds * (CLOCK_HZ / 1_000_000));
    }

    /// A while at the other end of a serial port: its characters go in, and those that come go to it.
    pub fn serve(&mut self, port: &mut impl SerialPort) -> io::Result<()> {
        let waiting = port.bytes_to_read()? as usize;
        let mut characters = vec![0; waiting.min(LONGEST)];
        port.read_exact(&mut characters)?;
        self.write_all(&characters)?;
        self.run(BITS * BIT_CLOCKS);
        let came: Vec<u8> = self.came.drain(..).collect();
        port.write_all(&came)
    }

    /// A clock of the line out: bits are looked at in their middle.
    fn listen(&mut self) {
        let level = self.instance.get(self.line_out);
        let Some((age, bits)) = self.coming else {
            self.coming = (level == 0).then_some((0, 0));
            return;
        };
        let age = age + 1;
        let in_middle = age % BIT_CLOCKS == BIT_CLOCKS / 2;
        let bits = if in_middle { bits | level << (age / BIT_CLOCKS) } else { bits };
        self.coming = Some((age, bits));
        if in_middle && age / BIT_CLOCKS == BITS - 1 {
            self.came.push_back((bits >> 1) as u8);
            self.coming = None;
        }
    }
}

impl Write for SimulatedPair {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for byte in bytes {
            let bits = u64::from(*byte) << 1 | 1 << (BITS - 1);
            for bit in 0..BITS {
                self.instance.set(self.line_in, bits >> bit & 1);
                self.run(BIT_CLOCKS);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for SimulatedPair {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        for _ in 0..PATIENCE {
            if let Some(byte) = self.came.pop_front() {
                bytes[0] = byte;
                return Ok(1);
            }
            self.run(BITS * BIT_CLOCKS);
        }
        Err(io::Error::new(ErrorKind::TimedOut, "nothing came"))
    }
}
