//! Rust accessors of registers.

use super::{RegisterValue, Writable, BYTES};
use thiserror::Error;

/// Number of a device with registers.
pub type DeviceId = u32;

/// How software reaches the registers of devices: a simulation, a board, a network of them.
pub trait RegisterAccess {
    /// Reads the register at a byte offset.
    fn read(&mut self, device: DeviceId, offset: u32) -> Result<u64, AccessError>;
    /// Writes it.
    fn write(&mut self, device: DeviceId, offset: u32, value: u64) -> Result<(), AccessError>;
    /// Lets so many microseconds pass.
    fn wait_us(&mut self, microseconds: u64);
}

/// A device that cannot be reached, has no such register, or a value that does not fit.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("device {device}, register {offset:#05x}: {problem}")]
pub struct AccessError {
    /// Device.
    pub device: DeviceId,
    /// Byte offset.
    pub offset: u32,
    /// What is wrong.
    pub problem: &'static str,
}

/// One page of one device, its registers by type: `page.read::<degrade::Value>()`.
#[derive(Debug)]
pub struct PageAccess<'a, A: RegisterAccess + ?Sized> {
    access: &'a mut A,
    device: DeviceId,
    base: u32,
}

impl<'a, A: RegisterAccess + ?Sized> PageAccess<'a, A> {
    /// The page of `device` that begins at byte offset `base`.
    pub fn new(access: &'a mut A, device: DeviceId, base: u32) -> Self {
        PageAccess { access, device, base }
    }

    /// Reads a register.
    pub fn read<V: RegisterValue>(&mut self) -> Result<V, AccessError> {
        self.read_at(0)
    }

    /// Reads the register with this number.
    pub fn read_at<V: RegisterValue>(&mut self, index: u32) -> Result<V, AccessError> {
        let offset = self.offset::<V>(index)?;
        self.access.read(self.device, offset).map(V::decode)
    }

    /// Writes a register.
    pub fn write<V: Writable>(&mut self, value: V) -> Result<(), AccessError> {
        self.write_at(0, value)
    }

    /// Writes the register with this number.
    pub fn write_at<V: Writable>(&mut self, index: u32, value: V) -> Result<(), AccessError> {
        let offset = self.offset::<V>(index)?;
        let word = value.encode().map_err(|_| AccessError {
            device: self.device,
            offset,
            problem: "the value of a field does not fit its bits",
        })?;
        self.access.write(self.device, offset, word)
    }

    /// Reads a register, changes it and writes it back.
    pub fn modify<V: Writable>(&mut self, change: impl FnOnce(&mut V)) -> Result<(), AccessError> {
        let mut value = self.read()?;
        change(&mut value);
        self.write(value)
    }

    /// Reads the counter at a byte offset of the page.
    pub fn counter(&mut self, offset: u32) -> Result<u64, AccessError> {
        self.access.read(self.device, self.base + offset)
    }

    /// Clears the counter, or register of counters, at a byte offset of the page.
    pub fn clear_counter(&mut self, offset: u32) -> Result<(), AccessError> {
        self.access.write(self.device, self.base + offset, 0)
    }

    fn offset<V: RegisterValue>(&self, index: u32) -> Result<u32, AccessError> {
        let offset = self.base + V::REGISTER.offset + index * BYTES;
        match index < V::REGISTER.count {
            true => Ok(offset),
            false => Err(AccessError {
                device: self.device,
                offset,
                problem: "there is no register with this number",
            }),
        }
    }
}
