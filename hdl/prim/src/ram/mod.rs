//! `ram`: simple dual-port RAM, one write port and one read port.
//!
//! - Write: on the rising edge of `write_clock` with `write_enable`.
//! - Read: on the rising edge of `read_clock` with `read_enable`; `read_data` follows 1 clock after the address.
//!   With [`RamConfig::output_register`] a second register under `output_enable` stands after the array and
//!   the data follows 2 clocks after the address; block RAMs need it to be fast.
//! - A read that meets a write of the same word on the same edge gives the old word. Blocks of this library do
//!   not rely on that: RAMs of real devices with two clocks promise nothing there.
//! - Words at or above the depth read 0 and are not written. There is no clear: contents survive it, and what
//!   has not been written reads its power-on value.
//!
//! [`LutRam`] is the same memory with a combinational read, for LUT RAM.
//!
//! Not in the block language, which has no memories: the text of the block has a marker by which the elaborator knows it.

mod lut;

pub use lut::LutRam;

use super::literal::hex_of;
use crate::prelude::*;
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::graph::MemoryStyle;
use flitforge_elaborate::marker::{Marker, MemoryMarker, ReadMarker, WriteMarker};

/// What kind of RAM is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct RamConfig<T> {
    /// Words, 1 to 2^`A`.
    pub depth: u32,
    /// Kind of RAM.
    pub style: MemoryStyle,
    /// A second register after the array: 2 clocks read latency instead of 1.
    pub output_register: bool,
    /// Power-on contents from address 0; words not given are 0.
    pub initial: Vec<T>,
}

impl<T: Synth> RamConfig<T> {
    /// `depth` words of block RAM with output register, power-on contents 0.
    pub fn block(depth: u32) -> Self {
        Self { depth, style: MemoryStyle::Block, output_register: true, initial: vec![] }
    }

    /// `depth` words of LUT RAM with a registered read, power-on contents 0.
    pub fn distributed(depth: u32) -> Self {
        Self { depth, style: MemoryStyle::Distributed, output_register: false, initial: vec![] }
    }

    /// `depth` words with output register, power-on contents 0: block RAM, or LUT RAM up to 64 words. The clocks of a read are the same.
    pub fn table(depth: u32) -> Self {
        let style = if depth > 64 { MemoryStyle::Block } else { MemoryStyle::Distributed };
        Self { style, ..Self::block(depth) }
    }

    /// Refuses a depth beyond `address_bits` and more contents than words.
    pub fn check(&self, address_bits: usize) -> Result<(), ConfigError> {
        check_range("ram", "address_bits", address_bits as u64, 1, 20)?;
        check_range("ram", "depth", u64::from(self.depth), 1, 1 << address_bits)?;
        check_range("ram", "initial words", self.initial.len() as u64, 0, u64::from(self.depth))
    }

    pub(super) fn words(&self) -> Vec<T> {
        let mut words = self.initial.clone();
        words.resize(self.depth as usize, T::default());
        words
    }

    pub(super) fn initial_text(&self) -> String {
        let words: Vec<_> = self.initial.iter().map(|word| word.verilog()).collect();
        initial_text(self.depth, &words, &T::default().verilog())
    }
}

/// Every type of word has a copy of its RAM's functions; what does not depend on the type stands outside, once.
fn initial_text(depth: u32, words: &[VerilogLiteral], zero: &VerilogLiteral) -> String {
    let word = |(index, value): (usize, &VerilogLiteral)| format!("   mem[{index}] = {value:x};\n");
    let words: String = words.iter().enumerate().map(word).collect();
    let last = depth - 1;
    format!(
        "integer i;\ninitial begin\n   for (i = 0; i <= {last}; i = i + 1) mem[i] = {zero:x};\n{words}end\n"
    )
}

fn marker(
    depth: u32,
    width: usize,
    style: MemoryStyle,
    initial: Vec<String>,
    output_register: bool,
) -> Marker {
    Marker::Memory(MemoryMarker {
        depth,
        width: width as u32,
        style,
        initial,
        reads: vec![ReadMarker {
            clock: Some("read_clock".into()),
            address: "read_address".into(),
            data: "read_data".into(),
            enable: Some("read_enable".into()),
            output_register,
            output_enable: output_register.then(|| "output_enable".into()),
        }],
        writes: vec![WriteMarker {
            clock: "write_clock".into(),
            address: "write_address".into(),
            data: "write_data".into(),
            enable: Some("write_enable".into()),
        }],
    })
}

fn verilog(width: usize, depth: u32, output_register: bool, marker: &Marker, initial: &str) -> Verilog {
    let (width, last) = (width - 1, depth - 1);
    let data = if output_register { "array_register" } else { "read_data" };
    let output = if output_register {
        format!(
            "reg [{width}:0] array_register = 0;\n\
             always @(posedge read_clock) if (output_enable) read_data <= array_register;\n"
        )
    } else {
        String::new()
    };
    Verilog::Custom(format!(
        "{marker}reg [{width}:0] mem [0:{last}];\n{initial}{output}\
         initial read_data = 0;\n\
         always @(posedge read_clock) if (read_enable) {data} <= mem[read_address];\n\
         always @(posedge write_clock) if (write_enable) mem[write_address] <= write_data;\n",
        marker = marker.line(),
    ))
}

/// A simple dual-port RAM of words `T` with `A` address bits; see the [module](self).
#[derive(LogicBlock, Clone, Debug)]
pub struct Ram<T: Synth, const A: usize> {
    /// Clock of the write port.
    pub write_clock: Signal<In, Clock>,
    /// Writes `write_data`.
    pub write_enable: Signal<In, Bit>,
    /// Word to write.
    pub write_address: Signal<In, Bits<A>>,
    /// Data to write.
    pub write_data: Signal<In, T>,
    /// Clock of the read port.
    pub read_clock: Signal<In, Clock>,
    /// The array is read; while 0 its register holds.
    pub read_enable: Signal<In, Bit>,
    /// Word to read.
    pub read_address: Signal<In, Bits<A>>,
    /// The output register loads; without effect if there is none.
    pub output_enable: Signal<In, Bit>,
    /// Data read.
    pub read_data: Signal<Out, T>,
    _config: RamConfig<T>,
    _words: Vec<T>,
    _array_register: T,
}

impl<T: Synth, const A: usize> Ram<T, A> {
    /// A RAM as configured.
    pub fn new(config: RamConfig<T>) -> Result<Self, ConfigError> {
        config.check(A)?;
        Ok(Self::checked(config))
    }

    /// All 2^`A` words in block RAM without output register, for slow clocks: data 1 clock after the address.
    pub fn direct() -> Self {
        Self::checked(RamConfig { output_register: false, ..RamConfig::block(1 << A) })
    }

    fn checked(config: RamConfig<T>) -> Self {
        Self {
            write_clock: Signal::default(),
            write_enable: Signal::default(),
            write_address: Signal::default(),
            write_data: Signal::default(),
            read_clock: Signal::default(),
            read_enable: Signal::default(),
            read_address: Signal::default(),
            output_enable: Signal::default(),
            read_data: Signal::default(),
            _words: config.words(),
            _array_register: T::default(),
            _config: config,
        }
    }
}

/// All 2^`A` words in block RAM with output register.
impl<T: Synth, const A: usize> Default for Ram<T, A> {
    fn default() -> Self {
        Self::checked(RamConfig::block(1 << A))
    }
}

impl<T: Synth, const A: usize> Logic for Ram<T, A> {
    fn update(&mut self) {
        if self.read_clock.pos_edge() {
            if self._config.output_register && self.output_enable.val() {
                self.read_data.next = self._array_register;
            }
            if self.read_enable.val() {
                let word = self._words.get(self.read_address.val().index()).copied().unwrap_or_default();
                if self._config.output_register {
                    self._array_register = word;
                } else {
                    self.read_data.next = word;
                }
            }
        }
        if self.write_clock.pos_edge() && self.write_enable.val() {
            let data = self.write_data.val();
            if let Some(word) = self._words.get_mut(self.write_address.val().index()) {
                *word = data;
            }
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        let RamConfig { depth, style, output_register, initial } = &self._config;
        let words = initial.iter().map(|word| hex_of(*word)).collect();
        let marker = marker(*depth, T::BITS, *style, words, *output_register);
        verilog(T::BITS, *depth, *output_register, &marker, &self._config.initial_text())
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("ram", &[("width", T::BITS.to_string()), ("depth", self._config.depth.to_string())])
    }
}

drive_ports!(impl[T: Synth + FromValue, const A: usize] Ram<T, A> {
    write_clock = "Clock of the write port.",
    write_enable = "Writes `write_data`.",
    write_address = "Word to write.",
    write_data = "Data to write.",
    read_clock = "Clock of the read port.",
    read_enable = "The array is read; while 0 its register holds.",
    read_address = "Word to read.",
    output_enable = "The output register loads; without effect if there is none.",
    read_data = "Data read.",
});

/// Registry entry: a RAM of plain bits.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "ram",
    chapter: "00-overview",
    summary: "simple dual-port RAM",
    parameters: &[
        ParameterInfo::new("width", 64, WIDTHS, "bits of a word"),
        ParameterInfo::new(
            "depth",
            512,
            Allowed::Range(2, 1 << 20),
            "words; above 16 block RAM, else LUT RAM",
        ),
        ParameterInfo::new(
            "output_register",
            1,
            Allowed::OneOf(&[0, 1]),
            "1: second register behind the array, 2 clocks read latency",
        ),
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "small", values: &[("width", 8), ("depth", 16), ("output_register", 0)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let depth = settings.size("depth")?;
    let address_bits = if depth > MOST_DISTRIBUTED { log2(depth).max(10) } else { 4 };
    shapes! {
        settings: (width, address_bits = address_bits) => build_as [width, address_bits];
        presets { (64, 10) (8, 4) }
    }
}

/// Words that are still kept in LUT RAM.
const MOST_DISTRIBUTED: usize = 16;

/// Builds the block for words of `W` bits with `A` address bits; see [`Ram`].
pub fn build_as<const W: usize, const A: usize>(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let depth = settings.size("depth")?;
    let output_register = settings.get("output_register")? == 1;
    let style = if depth > MOST_DISTRIBUTED { MemoryStyle::Block } else { MemoryStyle::Distributed };
    let config = RamConfig::<Bits<W>> { depth: depth as u32, style, output_register, initial: vec![] };
    let interface = InterfaceInfo {
        clocks: vec!["write_clock".into(), "read_clock".into()],
        latency_clocks: Some(1 + u32::from(output_register)),
        latency_note: "read_address to read_data".into(),
        ..Default::default()
    };
    Ok(BuiltBlock::new(Ram::<Bits<W>, A>::new(config)?, interface))
}
