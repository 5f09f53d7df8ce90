//! AXI4 over commands (chapter 50, 4.2), without time: the subordinate's side makes commands of bursts, the manager's side bursts of commands.
//!
//! Bursts have data in whole words of the bus, [`BUS_BYTES`] octets for each transfer, also narrow ones.

mod control;
mod manager;
mod subordinate;

pub use control::{AxiRequest, AxiUser, ReadResponse, WriteResponse};
pub use manager::{AxiManager, ManagerRequest, Reply, TagRefusal};
pub use subordinate::{Answer, AxiSubordinate, Issued, IssuedCommand, SubordinateConfig};

use super::format::{Command, Payload};
use flitforge_protocol::sue::axi::{BUS_BYTES, MAX_TRANSFERS};
use flitforge_protocol::sue::command::CommandType;
use thiserror::Error;

/// Which channels: AW, W, B or AR, R.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// AW, W, B.
    Write,
    /// AR, R.
    Read,
}

/// A transfer of W.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteBeat {
    /// WDATA, lane 0 first.
    pub data: [u8; BUS_BYTES],
    /// WSTRB.
    pub strobes: u8,
}

/// A transfer of R.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadBeat {
    /// RDATA, lane 0 first.
    pub data: [u8; BUS_BYTES],
    /// RRESP.
    pub resp: u8,
}

/// Why a command is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum AxiRefusal {
    /// The type does not belong on this side.
    #[error("{} is no command of this side: requests go to the manager, responses to the subordinate", .0.name())]
    Kind(CommandType),
    /// The control octets are not those of 4.2.
    #[error("{0} control octets: a request has 16, WRESP 6 and RDATA 12")]
    Control(usize),
    /// The data do not go with the transfers.
    #[error("{octets} data octets, but {transfers} transfers of {BUS_BYTES}; at most {MAX_TRANSFERS} transfers fit")]
    Data {
        /// Octets of data.
        octets: usize,
        /// Transfers by AxLEN.
        transfers: usize,
    },
    /// Nothing with this ID is in flight to that XPU.
    #[error("a response from XPU {xpu} to ID {id}, of which nothing is in flight there")]
    Unasked {
        /// The sender.
        xpu: u16,
        /// The ID.
        id: u16,
    },
}

/// The command of a burst: WRITE if all strobes are set, else WRITE_S.
pub(crate) fn write_command(control: Vec<u8>, beats: &[WriteBeat]) -> Command {
    let data: Vec<u8> = beats.iter().flat_map(|beat| beat.data).collect();
    let strobes: Vec<u8> = beats.iter().map(|beat| beat.strobes).collect();
    if strobes.iter().all(|strobe| *strobe == u8::MAX) {
        return Command { kind: CommandType::Write, control, payload: Payload::Data(data) };
    }
    Command { kind: CommandType::WriteStrobes, control, payload: Payload::Strobed { strobes, data } }
}

/// The transfers of a data area.
pub(crate) fn beats_of(payload: &Payload) -> Vec<WriteBeat> {
    let whole = |octets: &[u8]| {
        let mut data = [0; BUS_BYTES];
        data[..octets.len()].copy_from_slice(octets);
        data
    };
    match payload {
        Payload::None => vec![],
        Payload::Data(data) => {
            let beat = |octets| WriteBeat { data: whole(octets), strobes: u8::MAX };
            data.chunks(BUS_BYTES).map(beat).collect()
        }
        Payload::Strobed { strobes, data } => {
            let beat = |(octets, strobe): (&[u8], &u8)| WriteBeat { data: whole(octets), strobes: *strobe };
            data.chunks(BUS_BYTES).zip(strobes).map(beat).collect()
        }
    }
}
