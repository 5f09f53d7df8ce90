//! Devices written in Rust behind a [`Bench`]: models to test drivers and monitors against, and stand-ins for
//! blocks that do not exist yet.

use crate::bench::{BackEnd, Bench};
use crate::error::SimError;
use crate::port::{PortHandle, PortKind, Ports};
use flitforge_elaborate::Value;

/// A synchronous device with one clock.
pub trait Device {
    /// Sets the outputs from inputs and state, as combinational logic does.
    fn outputs(&self, ports: &mut DevicePorts);

    /// A rising edge: the state moves on from the settled ports.
    fn edge(&mut self, ports: &DevicePorts);
}

/// Values of a device's ports, by path. A path that is no port reads 0 and sets nothing.
#[derive(Clone, Debug)]
pub struct DevicePorts {
    ports: Ports,
    values: Vec<Value>,
}

impl DevicePorts {
    /// The low 64 bits of a port.
    pub fn get(&self, path: &str) -> u64 {
        self.ports.get(path).map_or(0, |port| self.values[port.index()].low_u64())
    }

    /// Bit 0 of a port.
    pub fn bit(&self, path: &str) -> bool {
        self.get(path) & 1 == 1
    }

    /// Sets a port from its low 64 bits.
    pub fn set(&mut self, path: &str, value: u64) {
        if let Some(port) = self.ports.get(path) {
            self.values[port.index()] = Value::from_u64(self.ports.port(port).width, value);
        }
    }
}

/// A bench around a [`Device`]. It counts as [`BackEnd::Stock`]: Rust that is run as it stands.
pub struct DeviceBench<D> {
    device: D,
    ports: DevicePorts,
    misuse: Option<SimError>,
}

impl<D: Device> DeviceBench<D> {
    /// A bench with these ports, settled with all inputs 0.
    pub fn new(ports: Ports, device: D) -> Self {
        let values = ports.list().iter().map(|port| Value::zero(port.width)).collect();
        let mut ports = DevicePorts { ports, values };
        device.outputs(&mut ports);
        Self { device, ports, misuse: None }
    }

    /// The device.
    pub fn device(&self) -> &D {
        &self.device
    }
}

impl<D: Device> Bench for DeviceBench<D> {
    fn ports(&self) -> &Ports {
        &self.ports.ports
    }

    fn set_words(&mut self, port: PortHandle, words: &[u64]) {
        let known = self.ports.ports.port(port);
        if known.kind == PortKind::Input {
            self.ports.values[port.index()] = Value::from_words(known.width, words);
            return;
        }
        self.misuse.get_or_insert(SimError::PortMisuse {
            block: self.ports.ports.block().into(),
            path: known.path.clone(),
            problem: "cannot be set: it is no input".into(),
        });
    }

    fn read_words(&self, port: PortHandle, into: &mut [u64]) {
        into.fill(0);
        let value = &self.ports.values[port.index()];
        into.iter_mut().zip(value.words()).for_each(|(to, from)| *to = *from);
    }

    fn settle(&mut self) -> Result<(), SimError> {
        if let Some(misuse) = self.misuse.take() {
            return Err(misuse);
        }
        self.device.outputs(&mut self.ports);
        Ok(())
    }

    fn step_clocks(&mut self, _: &[PortHandle]) -> Result<(), SimError> {
        self.settle()?;
        self.device.edge(&self.ports);
        self.settle()
    }

    fn peek(&self, path: &str) -> Option<Value> {
        self.ports.ports.get(path).map(|port| self.ports.values[port.index()].clone())
    }

    fn back_end(&self) -> BackEnd {
        BackEnd::Stock
    }
}
