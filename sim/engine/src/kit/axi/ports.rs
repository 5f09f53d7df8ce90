//! The ports of an interface, and what their bits mean.

use crate::bench::Bench;
use crate::error::SimError;
use crate::port::{PortHandle, PortKind};
use flitforge_elaborate::Value;

/// How addresses go on within a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Burst {
    /// Every beat at the same address.
    Fixed,
    /// Rising addresses.
    Incrementing,
    /// Rising addresses that go back at a boundary of the burst's size.
    Wrapping,
}

impl Burst {
    /// The code on `awburst` and `arburst`.
    pub fn code(self) -> u64 {
        match self {
            Self::Fixed => 0,
            Self::Incrementing => 1,
            Self::Wrapping => 2,
        }
    }

    /// The burst of a code; 3 is reserved.
    pub fn of(code: u64) -> Option<Self> {
        [Self::Fixed, Self::Incrementing, Self::Wrapping].into_iter().find(|burst| burst.code() == code)
    }
}

/// Codes of `bresp` and `rresp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Response {
    /// Done.
    Okay,
    /// The subordinate refuses.
    SubordinateError,
    /// Nothing is at this address.
    DecodeError,
}

impl Response {
    /// The code on the bus.
    pub fn code(self) -> u64 {
        match self {
            Self::Okay => 0,
            Self::SubordinateError => 2,
            Self::DecodeError => 3,
        }
    }
}

/// One transaction's address phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) id: u64,
    pub(super) address: u64,
    /// Beats: 1 to 256.
    pub(super) beats: u64,
    /// Bytes of a beat.
    pub(super) size: u64,
    pub(super) burst: Burst,
}

impl Address {
    /// Address of a beat; the first is 0. Beats after the first are aligned.
    pub(super) fn beat(&self, number: u64) -> u64 {
        let aligned = self.address & !(self.size - 1);
        match (self.burst, number) {
            (Burst::Fixed, _) | (_, 0) => self.address,
            (Burst::Incrementing, _) => aligned.wrapping_add(number * self.size),
            (Burst::Wrapping, _) => {
                let whole = self.size * self.beats;
                let base = self.address / whole * whole;
                base + (aligned - base + number * self.size) % whole
            }
        }
    }
}

/// `aw` or `ar`.
#[derive(Clone, Copy, Debug)]
pub(super) struct AddressPorts {
    pub(super) id: Option<PortHandle>,
    pub(super) address: PortHandle,
    pub(super) length: Option<PortHandle>,
    pub(super) size: Option<PortHandle>,
    pub(super) burst: Option<PortHandle>,
    pub(super) handshake: Handshake,
}

/// `w` or `r`.
#[derive(Clone, Copy, Debug)]
pub(super) struct DataPorts {
    pub(super) id: Option<PortHandle>,
    pub(super) data: PortHandle,
    pub(super) strobe: Option<PortHandle>,
    pub(super) response: Option<PortHandle>,
    pub(super) last: Option<PortHandle>,
    pub(super) handshake: Handshake,
}

/// `b`.
#[derive(Clone, Copy, Debug)]
pub(super) struct ResponsePorts {
    pub(super) id: Option<PortHandle>,
    pub(super) response: PortHandle,
    pub(super) handshake: Handshake,
}

/// `valid` and `ready` of a channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handshake {
    pub(super) valid: PortHandle,
    pub(super) ready: PortHandle,
}

impl Handshake {
    pub(super) fn transfers(&self, bench: &dyn Bench) -> bool {
        bench.get_bit(self.valid) && bench.get_bit(self.ready)
    }
}

/// The ports of an AXI4 or AXI4-Lite interface.
#[derive(Clone, Debug)]
pub struct AxiPorts {
    /// Path of the interface.
    pub name: String,
    /// Single beats, no identifiers.
    pub lite: bool,
    /// The block gives addresses.
    pub block_is_manager: bool,
    /// Bytes of the data bus.
    pub bytes: u64,
    /// Bits of an identifier; 0 without.
    pub id_width: u32,
    /// Bits of an address.
    pub address_width: u32,
    pub(super) aw: AddressPorts,
    pub(super) w: DataPorts,
    pub(super) b: ResponsePorts,
    pub(super) ar: AddressPorts,
    pub(super) r: DataPorts,
}

impl AxiPorts {
    /// The interface whose ports are `name.awvalid` and so on. Missing ports, data of another width than 8, 16,
    /// 32 or 64 bits, or strobes that do not fit it are errors.
    pub fn find(bench: &dyn Bench, name: &str) -> Result<Self, SimError> {
        let need = |signal: &str| bench.port(&format!("{name}.{signal}"));
        let may = |signal: &str| bench.ports().get(&format!("{name}.{signal}"));
        let lite = may("awlen").is_none();
        let full = |signal: &str| if lite { Ok(None) } else { need(signal).map(Some) };
        let handshake = |channel: &str| -> Result<Handshake, SimError> {
            Ok(Handshake {
                valid: need(&format!("{channel}valid"))?,
                ready: need(&format!("{channel}ready"))?,
            })
        };
        let address = |channel: &str| -> Result<AddressPorts, SimError> {
            Ok(AddressPorts {
                id: may(&format!("{channel}id")),
                address: need(&format!("{channel}addr"))?,
                length: full(&format!("{channel}len"))?,
                size: full(&format!("{channel}size"))?,
                burst: full(&format!("{channel}burst"))?,
                handshake: handshake(channel)?,
            })
        };
        let (aw, ar) = (address("aw")?, address("ar")?);
        let w = DataPorts {
            id: None,
            data: need("wdata")?,
            strobe: Some(need("wstrb")?),
            response: None,
            last: full("wlast")?,
            handshake: handshake("w")?,
        };
        let r = DataPorts {
            id: may("rid"),
            data: need("rdata")?,
            strobe: None,
            response: Some(need("rresp")?),
            last: full("rlast")?,
            handshake: handshake("r")?,
        };
        let b = ResponsePorts { id: may("bid"), response: need("bresp")?, handshake: handshake("b")? };
        let bits = bench.width(w.data);
        let found = Self {
            name: name.into(),
            lite,
            block_is_manager: bench.ports().port(aw.handshake.valid).kind == PortKind::Output,
            bytes: u64::from(bits / 8),
            id_width: aw.id.map_or(0, |id| bench.width(id)),
            address_width: bench.width(aw.address),
            aw,
            w,
            b,
            ar,
            r,
        };
        let strobes = found.w.strobe.map_or(0, |strobe| bench.width(strobe));
        if ![8, 16, 32, 64].contains(&bits) || bench.width(r.data) != bits || strobes * 8 != bits {
            let problem = format!(
                "write data of {bits}, read data of {}, {strobes} strobes; 8, 16, 32 or 64 bits with a strobe per byte \
                 are possible",
                bench.width(r.data)
            );
            return Err(found.misuse(bench, problem));
        }
        Ok(found)
    }

    pub(super) fn misuse(&self, bench: &dyn Bench, problem: String) -> SimError {
        SimError::PortMisuse { block: bench.ports().block().into(), path: self.name.clone(), problem }
    }

    /// An error unless the block has this role.
    pub(super) fn with_block_as_manager(self, bench: &dyn Bench, manager: bool) -> Result<Self, SimError> {
        match (self.block_is_manager == manager, manager) {
            (true, _) => Ok(self),
            (false, true) => Err(self.misuse(bench, "the block is a subordinate: use a manager".into())),
            (false, false) => Err(self.misuse(bench, "the block is a manager: use a subordinate".into())),
        }
    }

    /// Mask of the data bus.
    pub(super) fn data_mask(&self) -> u64 {
        u64::MAX >> (64 - 8 * self.bytes)
    }

    /// The address phase on a channel; `Err` with the code if the burst is reserved.
    pub(super) fn address(&self, bench: &dyn Bench, ports: &AddressPorts) -> Result<Address, u64> {
        let get = |port: Option<PortHandle>| port.map(|port| bench.get_u64(port));
        let burst = get(ports.burst).unwrap_or(Burst::Incrementing.code());
        Ok(Address {
            id: get(ports.id).unwrap_or(0),
            address: bench.get_u64(ports.address),
            beats: get(ports.length).unwrap_or(0) + 1,
            size: get(ports.size).map_or(self.bytes, |size| 1 << size),
            burst: Burst::of(burst).ok_or(burst)?,
        })
    }

    /// Puts an address phase, or random bits without `valid`, on a channel.
    pub(super) fn drive_address(
        &self,
        bench: &mut dyn Bench,
        ports: &AddressPorts,
        address: Option<&Address>,
        noise: u64,
    ) {
        let mut put = |port: Option<PortHandle>, value: Option<u64>| {
            if let Some(port) = port {
                bench.set_u64(port, value.unwrap_or(noise));
            }
        };
        put(ports.id, address.map(|address| address.id));
        put(Some(ports.address), address.map(|address| address.address));
        put(ports.length, address.map(|address| address.beats - 1));
        put(ports.size, address.map(|address| u64::from(address.size.trailing_zeros())));
        put(ports.burst, address.map(|address| address.burst.code()));
        put(Some(ports.handshake.valid), Some(u64::from(address.is_some())));
    }
}

/// Payload of a channel as one value, to see whether it holds.
pub(super) fn payload(bench: &dyn Bench, ports: &[Option<PortHandle>]) -> Vec<Value> {
    ports.iter().flatten().map(|port| bench.get(*port)).collect()
}
