//! `rom`: read-only memory with a registered read, 1 clock latency, or 2 with the output register.
//!
//! Words at or above the contents read 0. There is no clear; `data` powers on as 0.
//!
//! Not in the block language, which has no memories: the text of the block has a marker by which the elaborator knows it.

use super::literal::hex_of;
use super::ram::RamConfig;
use crate::prelude::*;
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::graph::MemoryStyle;
use flitforge_elaborate::marker::{Marker, MemoryMarker, ReadMarker};

/// A ROM of words `T` with `A` address bits; see the [module](self).
#[derive(LogicBlock, Clone, Debug)]
pub struct Rom<T: Synth, const A: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// The array is read; while 0 its register holds.
    pub enable: Signal<In, Bit>,
    /// Word to read.
    pub address: Signal<In, Bits<A>>,
    /// The output register loads; without effect if there is none.
    pub output_enable: Signal<In, Bit>,
    /// Data read.
    pub data: Signal<Out, T>,
    _config: RamConfig<T>,
    _array_register: T,
}

impl<T: Synth, const A: usize> Rom<T, A> {
    /// A ROM with `config.initial` as its contents.
    pub fn new(config: RamConfig<T>) -> Result<Self, ConfigError> {
        config.check(A)?;
        Ok(Self {
            clock: Signal::default(),
            enable: Signal::default(),
            address: Signal::default(),
            output_enable: Signal::default(),
            data: Signal::default(),
            _array_register: T::default(),
            _config: config,
        })
    }
}

impl<T: Synth, const A: usize> Logic for Rom<T, A> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            if self._config.output_register && self.output_enable.val() {
                self.data.next = self._array_register;
            }
            if self.enable.val() {
                let word = self._config.initial.get(self.address.val().index()).copied().unwrap_or_default();
                if self._config.output_register {
                    self._array_register = word;
                } else {
                    self.data.next = word;
                }
            }
        }
    }

    fn connect(&mut self) {
        self.data.connect();
    }

    fn hdl(&self) -> Verilog {
        let marker = Marker::Memory(MemoryMarker {
            depth: self._config.depth,
            width: T::BITS as u32,
            style: self._config.style,
            initial: self._config.initial.iter().map(|word| hex_of(*word)).collect(),
            reads: vec![ReadMarker {
                clock: Some("clock".into()),
                address: "address".into(),
                data: "data".into(),
                enable: Some("enable".into()),
                output_register: self._config.output_register,
                output_enable: self._config.output_register.then(|| "output_enable".into()),
            }],
            writes: vec![],
        });
        let (width, last) = (T::BITS - 1, self._config.depth - 1);
        let (data, output) = if self._config.output_register {
            let declared = format!("reg [{width}:0] array_register = 0;\n");
            (
                "array_register",
                declared + "always @(posedge clock) if (output_enable) data <= array_register;\n",
            )
        } else {
            ("data", String::new())
        };
        Verilog::Custom(format!(
            "{marker}reg [{width}:0] mem [0:{last}];\n{initial}{output}\
             initial data = 0;\n\
             always @(posedge clock) if (enable) {data} <= mem[address];\n",
            marker = marker.line(),
            initial = self._config.initial_text(),
        ))
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("rom", &[("width", T::BITS.to_string()), ("depth", self._config.depth.to_string())])
    }
}

drive_ports!(impl[T: Synth + FromValue, const A: usize] Rom<T, A> {
    clock = "Rising edge counts.",
    enable = "The array is read; while 0 its register holds.",
    address = "Word to read.",
    output_enable = "The output register loads; without effect if there is none.",
    data = "Data read.",
});

/// Registry entry: a ROM that holds the squares of its addresses, as a sample.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "rom",
    chapter: "00-overview",
    summary: "read-only memory (sample contents: squares of the address)",
    parameters: &[
        ParameterInfo::new("depth", 256, Allowed::Range(2, 1024), "words of 20 bits"),
        ParameterInfo::new(
            "output_register",
            1,
            Allowed::OneOf(&[0, 1]),
            "1: second register behind the array, 2 clocks latency",
        ),
    ],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let depth = settings.get("depth")?;
    let output_register = settings.get("output_register")? == 1;
    let rom = Rom::<Bits<20>, 10>::new(RamConfig {
        depth: depth as u32,
        style: MemoryStyle::Block,
        output_register,
        initial: (0..depth).map(|address| Bits::from(address * address)).collect(),
    })?;
    let latency = 1 + u32::from(output_register);
    let mut interface = InterfaceInfo::clocked(&[], Some(latency), "address to data");
    interface.clears.clear();
    Ok(BuiltBlock::new(rom, interface))
}
