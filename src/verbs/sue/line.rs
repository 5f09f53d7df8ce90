//! Where frames go: a UDP socket, or a TAP interface of Linux.

// `tap` below is the only place: one call of the kernel with a structure of its own.
#![allow(unsafe_code)]

use crate::exit::Failure;
use anyhow::{Context, Result};
use std::io::ErrorKind;
use std::net::{SocketAddr, UdpSocket};

/// Most octets of a datagram.
const MOST: usize = 65_536;
/// Octets of the FCS, which a TAP interface leaves out.
const FCS: usize = flitforge_protocol::sue::crc::CRC_BYTES;

/// A line for frames.
pub enum Line {
    /// Whole frames, FCS included, as datagrams to and from one other socket.
    Udp {
        /// The own socket.
        socket: UdpSocket,
        /// The other one.
        peer: SocketAddr,
    },
    /// Frames without FCS.
    #[cfg(target_os = "linux")]
    Tap(std::fs::File),
}

impl Line {
    /// A socket here that talks to one there.
    pub fn udp(own: SocketAddr, peer: SocketAddr) -> Result<Self> {
        let bind = || -> std::io::Result<UdpSocket> {
            let socket = UdpSocket::bind(own)?;
            socket.set_nonblocking(true)?;
            Ok(socket)
        };
        let socket = bind().map_err(|error| Failure::usage(format!("--listen {own}: {error}")))?;
        Ok(Line::Udp { socket, peer })
    }

    /// The TAP interface of this name, which is made if there is none.
    #[cfg(target_os = "linux")]
    pub fn tap(name: &str) -> Result<Self> {
        use std::os::fd::AsRawFd;
        use std::os::unix::fs::OpenOptionsExt;
        const DEVICE: &str = "/dev/net/tun";
        let refused = |error: std::io::Error| {
            Failure::tool(format!(
                "TAP interface {name}: {error}; it needs {DEVICE} and the right CAP_NET_ADMIN. --listen and --to need neither"
            ))
        };
        let mut open = std::fs::OpenOptions::new();
        let file =
            open.read(true).write(true).custom_flags(libc::O_NONBLOCK).open(DEVICE).map_err(refused)?;
        // SAFETY: all zeros are a valid `ifreq`: it is plain C data.
        let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
        if name.is_empty() || name.len() >= request.ifr_name.len() {
            let most = request.ifr_name.len() - 1;
            return Err(Failure::usage(format!("--tap {name}: a name has 1 to {most} characters")).into());
        }
        for (place, octet) in request.ifr_name.iter_mut().zip(name.bytes()) {
            *place = octet as libc::c_char;
        }
        request.ifr_ifru.ifru_flags = (libc::IFF_TAP | libc::IFF_NO_PI) as libc::c_short;
        // SAFETY: the file is open, and TUNSETIFF takes a pointer to an `ifreq`, which lives until after the call.
        let result = unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF as _, &request) };
        if result < 0 {
            return Err(refused(std::io::Error::last_os_error()).into());
        }
        Ok(Line::Tap(file))
    }

    /// There are none elsewhere.
    #[cfg(not(target_os = "linux"))]
    pub fn tap(name: &str) -> Result<Self> {
        Err(Failure::tool(format!("TAP interface {name}: only Linux has them; take --listen and --to"))
            .into())
    }

    /// Sends a frame with its FCS. Whether it arrives is not known.
    pub fn send(&mut self, frame: &[u8]) -> Result<()> {
        match self {
            Line::Udp { socket, peer } => match socket.send_to(frame, *peer) {
                Err(error) if !is_loss(&error) => Err(error).context("a datagram could not be sent"),
                _ => Ok(()),
            },
            #[cfg(target_os = "linux")]
            Line::Tap(file) => {
                use std::io::Write;
                match file.write(frame.get(..frame.len() - FCS).unwrap_or_default()) {
                    // the interface is down: as if the cable were out
                    Err(error) if !is_loss(&error) && error.raw_os_error() != Some(libc::EIO) => {
                        Err(error).context("a frame could not be sent; `ip link set NAME up`?")
                    }
                    _ => Ok(()),
                }
            }
        }
    }

    /// The next frame that is there, with its FCS.
    pub fn receive(&mut self) -> Result<Option<Vec<u8>>> {
        let mut octets = vec![0; MOST];
        let length = match self {
            Line::Udp { socket, peer } => match socket.recv_from(&mut octets) {
                Ok((length, from)) if from == *peer => length,
                // somebody else's
                Ok(_) => 0,
                Err(error) if is_loss(&error) => return Ok(None),
                Err(error) => return Err(error).context("no datagram could be received"),
            },
            #[cfg(target_os = "linux")]
            Line::Tap(file) => {
                use flitforge_model::sue::format::frame::{seal, FcsCover, FrameState};
                use std::io::Read;
                match file.read(&mut octets) {
                    Ok(length) => {
                        let frame = octets.get(..length).unwrap_or_default();
                        return Ok(Some(seal(frame, FcsCover::Frame, FrameState::Good)?));
                    }
                    Err(error) if is_loss(&error) || error.raw_os_error() == Some(libc::EIO) => {
                        return Ok(None)
                    }
                    Err(error) => return Err(error).context("no frame could be received"),
                }
            }
        };
        octets.truncate(length);
        Ok(Some(octets))
    }
}

/// Nothing is there, nobody listens yet, or a queue is full: go-back-N is there for that.
fn is_loss(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::ConnectionRefused | ErrorKind::Interrupted)
        || error.kind() == ErrorKind::ConnectionReset
}
