//! I2C (NXP UM10204, standard features with one controller): controller, target, monitor, and the wires between.
//!
//! Open-drain wires are two ports each: the block gives `NAME.scl_low` and `NAME.sda_low` (1 pulls the wire low) and gets
//! the wires' levels on `NAME.scl` and `NAME.sda`. A wire is high if nobody pulls it.

mod controller;
mod monitor;
mod target;

pub use controller::{I2cController, I2cOutcome, I2cTransfer};
pub use monitor::{I2cLimits, I2cMonitor};
pub use target::I2cTarget;

use super::{Agent, Coverage};
use crate::bench::Bench;
use crate::error::SimError;
use crate::port::PortHandle;

/// Levels of the two wires; true is high.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct I2cLevels {
    /// The clock.
    pub scl: bool,
    /// The data.
    pub sda: bool,
}

/// Which wires somebody pulls low.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct I2cPulls {
    /// The clock.
    pub scl: bool,
    /// The data.
    pub sda: bool,
}

/// Somebody on the bus.
pub trait I2cDevice {
    /// One clock: sees the wires, says what it pulls from now on.
    fn tick(&mut self, levels: I2cLevels) -> I2cPulls;

    /// Adds the device's counters under the name of the bus.
    fn coverage(&self, _name: &str, _into: &mut Coverage) {}
}

/// The wires, with a block on them and any number of devices.
pub struct I2cBus<'a> {
    name: String,
    inputs: [PortHandle; 2],
    outputs: [PortHandle; 2],
    devices: Vec<Box<dyn I2cDevice + 'a>>,
    pulls: I2cPulls,
    block: I2cPulls,
    monitor: I2cMonitor,
}

impl<'a> I2cBus<'a> {
    /// The bus of the block's ports `name.scl` and so on, watched by a monitor with these limits.
    pub fn new(bench: &dyn Bench, name: &str, limits: I2cLimits) -> Result<Self, SimError> {
        let port = |wire: &str| bench.port(&format!("{name}.{wire}"));
        Ok(Self {
            name: name.into(),
            inputs: [port("scl")?, port("sda")?],
            outputs: [port("scl_low")?, port("sda_low")?],
            devices: vec![],
            pulls: I2cPulls::default(),
            block: I2cPulls::default(),
            monitor: I2cMonitor::new(limits),
        })
    }

    /// Puts a device on the bus.
    pub fn with(mut self, device: impl I2cDevice + 'a) -> Self {
        self.devices.push(Box::new(device));
        self
    }
}

impl Agent for I2cBus<'_> {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let levels =
            I2cLevels { scl: !(self.pulls.scl || self.block.scl), sda: !(self.pulls.sda || self.block.sda) };
        self.monitor.look(levels).map_err(|(rule, detail)| SimError::Protocol {
            clock,
            interface: self.name.clone(),
            rule,
            detail,
        })?;
        bench.set_u64(self.inputs[0], u64::from(levels.scl));
        bench.set_u64(self.inputs[1], u64::from(levels.sda));
        self.pulls = I2cPulls::default();
        for device in &mut self.devices {
            let pulls = device.tick(levels);
            self.pulls.scl |= pulls.scl;
            self.pulls.sda |= pulls.sda;
        }
        Ok(())
    }

    fn observe(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        self.block = I2cPulls { scl: bench.get_bit(self.outputs[0]), sda: bench.get_bit(self.outputs[1]) };
        Ok(())
    }

    fn coverage(&self, into: &mut Coverage) {
        self.monitor.coverage(&self.name, into);
        self.devices.iter().for_each(|device| device.coverage(&self.name, into));
    }
}
