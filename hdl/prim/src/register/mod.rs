//! `register`: a register with enable and synchronous clear.
//!
//! On the rising edge: `clear` loads the initial value, else `enable` loads `d`. Power-on value: the initial
//! value. Latency 1 clock, one value per clock. The elaborator makes one `graph::Register` of it, so its
//! enable and clear reach the flip-flops' own pins.
//!
//! Not in the block language: it is what `Register<T>` of the language stands for. Its text has a marker by which the
//! elaborator knows it.

use super::literal::hex_of;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::{block_label, Marker, RegisterMarker};
use flitforge_hdl_registry::config::ConfigError;
use flitforge_hdl_registry::{
    shapes, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset, Settings, WIDTHS,
};

/// A register with enable and synchronous clear; see the [module](self).
#[derive(LogicBlock, Clone, Debug)]
pub struct Register<T: Synth> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Loads the initial value; wins over `enable`.
    pub clear: Signal<In, Bit>,
    /// Loads `d`.
    pub enable: Signal<In, Bit>,
    /// Next value.
    pub d: Signal<In, T>,
    /// Value.
    pub q: Signal<Out, T>,
    _initial: T,
    _synchronizing: bool,
}

impl<T: Synth> Register<T> {
    /// A register that powers on with, and is cleared to, `initial`.
    pub fn new(initial: T) -> Self {
        Self {
            clock: Signal::default(),
            clear: Signal::default(),
            enable: Signal::default(),
            d: Signal::default(),
            q: Signal::new_with_default(initial),
            _initial: initial,
            _synchronizing: false,
        }
    }

    /// As [`new`](Self::new), for a stage of a synchronizer: the tools keep it a flip-flop of its own
    /// (`ASYNC_REG`).
    pub fn synchronizing(initial: T) -> Self {
        Self { _synchronizing: true, ..Self::new(initial) }
    }
}

impl<T: Synth> Default for Register<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: Synth> Logic for Register<T> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            if self.clear.val() {
                self.q.next = self._initial;
            } else if self.enable.val() {
                self.q.next = self.d.val();
            }
        }
    }

    fn connect(&mut self) {
        self.q.connect();
    }

    fn hdl(&self) -> Verilog {
        verilog(T::BITS, &hex_of(self._initial), self._synchronizing)
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("register", &[("width", T::BITS.to_string())])
    }
}

fn verilog(width: usize, initial: &str, synchronizing: bool) -> Verilog {
    let marker = Marker::Register(RegisterMarker {
        clock: "clock".into(),
        d: "d".into(),
        q: "q".into(),
        enable: Some("enable".into()),
        clear: Some("clear".into()),
        initial: initial.into(),
        attributes: synchronizing.then(|| ("ASYNC_REG".into(), "TRUE".into())).into_iter().collect(),
    });
    Verilog::Custom(format!(
        "{}initial q = {width}'h{initial};\n\
         always @(posedge clock) begin\n\
         \x20  if (clear) q <= {width}'h{initial};\n\
         \x20  else if (enable) q <= d;\n\
         end\n",
        marker.line()
    ))
}

drive_ports!(impl[T: Synth + FromValue] Register<T> {
    clock = "Rising edge counts.",
    clear = "Loads the initial value; wins over `enable`.",
    enable = "Loads `d`.",
    d = "Next value.",
    q = "Value.",
});

/// Registry entry: a register of plain bits.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "register",
    chapter: "00-overview",
    summary: "register with enable and synchronous clear",
    parameters: &[ParameterInfo { name: "width", default: 32, allowed: WIDTHS, doc: "bits" }],
    presets: &[Preset { name: "default", values: &[] }],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (width) => build_as [width];
        presets { (32) }
    }
}

/// Builds the block for `W` bits.
pub fn build_as<const W: usize>(_: &Settings) -> Result<BuiltBlock, ConfigError> {
    let interface = InterfaceInfo::clocked(&[], Some(1), "d to q");
    Ok(BuiltBlock::new(Register::<Bits<W>>::default(), interface))
}
