//! The test-bench kit: drivers, monitors and measurements that work on any [`Bench`].
//!
//! Everything that takes part in a simulation is an [`Agent`]; a [`Testbench`] runs agents on a bench, clock
//! by clock: every agent drives, the block settles, every agent observes, the clock rises.

pub mod axi;
pub mod channel;
mod clear;
mod coverage;
mod device;
mod flow;
pub mod i2c;
pub mod line;
mod monitor;
mod oscillator;
mod pace;
mod random;
mod scoreboard;
mod shrink;
mod sink;
mod source;
mod testbench;
pub mod uart;
pub mod xgmii;

pub use clear::{power_on, ClearDriver};
pub use coverage::Coverage;
pub use device::{Device, DeviceBench, DevicePorts};
pub use flow::{FlowMonitor, FlowSource};
pub use monitor::StreamMonitor;
pub use oscillator::Oscillator;
pub use pace::{Pace, Pacer};
pub use random::{random_value, rng, seed, Rng};
pub use scoreboard::{Latency, Scoreboard, SharedScoreboard};
pub use shrink::{find_failure, ShrunkFailure};
pub use sink::{StreamSink, Throughput};
pub use source::StreamSource;
pub use testbench::{Agent, StimulusFn, Testbench};

pub use crate::rule::Rule;

use crate::bench::Bench;
use crate::error::SimError;
use crate::port::{PortHandle, PortKind};

/// The three ports of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamPorts {
    /// Path of the stream, for instance `flits_in`.
    pub name: String,
    /// Payload.
    pub data: PortHandle,
    /// The payload is there.
    pub valid: PortHandle,
    /// The payload is taken; a flow has none.
    pub ready: Option<PortHandle>,
    /// True if the block gives the stream, false if it takes it.
    pub block_is_source: bool,
    /// Width of the payload in bits.
    pub width: u32,
}

impl StreamPorts {
    /// The stream (or flow) whose ports are `name.data`, `name.valid` and perhaps `name.ready`.
    pub fn find(bench: &dyn Bench, name: &str) -> Result<Self, SimError> {
        let ports = bench.ports();
        let data = ports.find(&format!("{name}.data"))?;
        let valid = ports.find(&format!("{name}.valid"))?;
        let ready = ports.get(&format!("{name}.ready"));
        let block_is_source = ports.port(valid).kind == PortKind::Output;
        Ok(Self { name: name.into(), data, valid, ready, block_is_source, width: ports.port(data).width })
    }

    /// As [`find`](Self::find), and the stream must have back-pressure and this direction.
    fn stream(bench: &dyn Bench, name: &str, block_is_source: bool) -> Result<(Self, PortHandle), SimError> {
        let found = Self::find(bench, name)?.directed(bench, block_is_source)?;
        match found.ready {
            Some(ready) => Ok((found, ready)),
            None => Err(bench
                .ports()
                .find(&format!("{name}.ready"))
                .err()
                .unwrap_or_else(|| SimError::Check { clock: 0, problem: format!("`{name}` has no ready") })),
        }
    }

    fn directed(self, bench: &dyn Bench, block_is_source: bool) -> Result<Self, SimError> {
        if self.block_is_source == block_is_source {
            return Ok(self);
        }
        let problem =
            if block_is_source { "enters the block: use a source" } else { "leaves the block: use a sink" };
        Err(SimError::PortMisuse {
            block: bench.ports().block().into(),
            path: self.name,
            problem: problem.into(),
        })
    }

    /// True if a transfer happens on the coming edge.
    pub fn transfers(&self, bench: &dyn Bench) -> bool {
        bench.get_bit(self.valid) && self.ready.is_none_or(|ready| bench.get_bit(ready))
    }
}
