//! RAM with a combinational read.
//!
//! Not in the block language, which has no memories: see [`Ram`](super::Ram).

use super::RamConfig;
use crate::literal::hex_of;
use crate::prelude::*;
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::{Marker, MemoryMarker, ReadMarker, WriteMarker};

/// A memory of words `T` with `A` address bits, one clocked write port and one combinational read port
/// (latency 0). A word written on an edge is read from that edge on.
#[derive(LogicBlock, Clone, Debug)]
pub struct LutRam<T: Synth, const A: usize> {
    /// Clock of the write port.
    pub clock: Signal<In, Clock>,
    /// Writes `write_data`.
    pub write_enable: Signal<In, Bit>,
    /// Word to write.
    pub write_address: Signal<In, Bits<A>>,
    /// Data to write.
    pub write_data: Signal<In, T>,
    /// Word to read.
    pub read_address: Signal<In, Bits<A>>,
    /// Data read.
    pub read_data: Signal<Out, T>,
    _config: RamConfig<T>,
    _words: Vec<T>,
}

impl<T: Synth, const A: usize> LutRam<T, A> {
    /// A RAM as configured; `output_register` must be off, as the read is not clocked.
    pub fn new(config: RamConfig<T>) -> Result<Self, ConfigError> {
        config.check(A)?;
        if config.output_register {
            return Err(ConfigError::new(
                "lut_ram",
                "output_register",
                true,
                "false: the read is combinational",
                "use Ram for a registered read",
            ));
        }
        Ok(Self::checked(config))
    }

    fn checked(config: RamConfig<T>) -> Self {
        Self {
            clock: Signal::default(),
            write_enable: Signal::default(),
            write_address: Signal::default(),
            write_data: Signal::default(),
            read_address: Signal::default(),
            read_data: Signal::default(),
            _words: config.words(),
            _config: config,
        }
    }
}

/// All 2^`A` words in LUT RAM.
impl<T: Synth, const A: usize> Default for LutRam<T, A> {
    fn default() -> Self {
        Self::checked(RamConfig::distributed(1 << A))
    }
}

impl<T: Synth, const A: usize> Logic for LutRam<T, A> {
    fn update(&mut self) {
        if self.clock.pos_edge() && self.write_enable.val() {
            let data = self.write_data.val();
            if let Some(word) = self._words.get_mut(self.write_address.val().index()) {
                *word = data;
            }
        }
        self.read_data.next = self._words.get(self.read_address.val().index()).copied().unwrap_or_default();
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        let marker = Marker::Memory(MemoryMarker {
            depth: self._config.depth,
            width: T::BITS as u32,
            style: self._config.style,
            initial: self._config.initial.iter().map(|word| hex_of(*word)).collect(),
            reads: vec![ReadMarker {
                address: "read_address".into(),
                data: "read_data".into(),
                ..Default::default()
            }],
            writes: vec![WriteMarker {
                clock: "clock".into(),
                address: "write_address".into(),
                data: "write_data".into(),
                enable: Some("write_enable".into()),
            }],
        });
        Verilog::Custom(format!(
            "{marker}reg [{width}:0] mem [0:{last}];\n{initial}\
             always @(*) read_data = mem[read_address];\n\
             always @(posedge clock) if (write_enable) mem[write_address] <= write_data;\n",
            marker = marker.line(),
            width = T::BITS - 1,
            last = self._config.depth - 1,
            initial = self._config.initial_text(),
        ))
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("lut_ram", &[("width", T::BITS.to_string()), ("depth", self._config.depth.to_string())])
    }
}

drive_ports!(impl[T: Synth + FromValue, const A: usize] LutRam<T, A> {
    clock = "Clock of the write port.",
    write_enable = "Writes `write_data`.",
    write_address = "Word to write.",
    write_data = "Data to write.",
    read_address = "Word to read.",
    read_data = "Data read.",
});
