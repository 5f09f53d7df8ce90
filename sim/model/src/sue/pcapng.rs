//! Frames in pcapng files, which Wireshark and tshark open.
//!
//! A file is a section header, one interface of link type Ethernet whose frames end with their FCS, and an enhanced packet
//! block per frame, with a time in nanoseconds and a comment if wanted. The order of octets is little-endian.
//!
//! ```
//! use flitforge_model::sue::pcapng::Capture;
//! use std::time::Duration;
//!
//! let mut capture = Capture::new(Vec::new(), "frames.pcapng")?;
//! capture.frame(Duration::from_nanos(1234), &[0; 64], Some("lost"))?;
//! assert_eq!(capture.finish()?.len(), 28 + 40 + 108);
//! # Ok::<(), flitforge_model::sue::pcapng::CaptureError>(())
//! ```

use flitforge_protocol::sue::crc::CRC_BYTES;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::{DataLink, Endianness, PcapError};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use thiserror::Error;

/// `if_tsresol`: times are in units of 10^-9 seconds.
const NANOSECONDS: u8 = 9;
/// `if_fcslen`.
const FCS_BYTES: u8 = CRC_BYTES as u8;
/// Most octets of an option.
const MAX_OPTION_BYTES: usize = u16::MAX as usize;
/// Most octets of a frame, what Wireshark reads.
pub const MAX_CAPTURED_BYTES: usize = 262_144;

/// Why a file cannot be written.
#[derive(Debug, Error)]
pub enum CaptureError {
    /// It cannot be created.
    #[error("{}: cannot be created: {source}", path.display())]
    Create {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It cannot be written.
    #[error("{}: cannot be written: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: PcapError,
    },
    /// A frame that no reader takes.
    #[error("{}: frame of {bytes} octets; at most {MAX_CAPTURED_BYTES} fit", path.display())]
    Frame {
        /// The file.
        path: PathBuf,
        /// Octets of the frame.
        bytes: usize,
    },
    /// A comment that is too long.
    #[error("{}: comment of {bytes} octets; at most {MAX_OPTION_BYTES} fit, so shorten it", path.display())]
    Comment {
        /// The file.
        path: PathBuf,
        /// Octets of the comment.
        bytes: usize,
    },
    /// A time that is too late.
    #[error("{}: time of {} s; at most {} s fit", path.display(), time.as_secs(), u64::MAX / 1_000_000_000)]
    Time {
        /// The file.
        path: PathBuf,
        /// The time.
        time: Duration,
    },
}

/// A pcapng file that is being written.
pub struct Capture<W: Write> {
    writer: PcapNgWriter<W>,
    path: PathBuf,
}

impl Capture<BufWriter<File>> {
    /// Creates a file, or replaces it.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, CaptureError> {
        let path = path.as_ref();
        let file =
            File::create(path).map_err(|source| CaptureError::Create { path: path.to_owned(), source })?;
        Capture::new(BufWriter::new(file), path)
    }
}

impl<W: Write> Capture<W> {
    /// Starts a file in `writer`; errors call it `path`.
    pub fn new(writer: W, path: impl Into<PathBuf>) -> Result<Self, CaptureError> {
        let path = path.into();
        let interface = InterfaceDescriptionBlock {
            linktype: DataLink::ETHERNET,
            snaplen: 0,
            options: vec![
                InterfaceDescriptionOption::IfTsResol(NANOSECONDS),
                InterfaceDescriptionOption::IfFcsLen(FCS_BYTES),
            ],
        };
        let started = PcapNgWriter::with_endianness(writer, Endianness::Little).and_then(|mut writer| {
            writer.write_pcapng_block(interface)?;
            Ok(writer)
        });
        match started {
            Ok(writer) => Ok(Capture { writer, path }),
            Err(source) => Err(CaptureError::Write { path, source }),
        }
    }

    /// Appends a frame with its FCS, as it is on the wire after the preamble. `time` counts from 1970.
    pub fn frame(&mut self, time: Duration, wire: &[u8], comment: Option<&str>) -> Result<(), CaptureError> {
        self.beginning(time, wire, wire.len() as u32, comment)
    }

    /// Appends the beginning of a frame that had `original_bytes` octets with its FCS.
    pub fn beginning(
        &mut self,
        time: Duration,
        wire: &[u8],
        original_bytes: u32,
        comment: Option<&str>,
    ) -> Result<(), CaptureError> {
        let path = || self.path.clone();
        if wire.len() > MAX_CAPTURED_BYTES {
            return Err(CaptureError::Frame { path: path(), bytes: wire.len() });
        }
        if u64::try_from(time.as_nanos()).is_err() {
            return Err(CaptureError::Time { path: path(), time });
        }
        let too_long = comment.map(str::len).filter(|bytes| *bytes > MAX_OPTION_BYTES);
        if let Some(bytes) = too_long {
            return Err(CaptureError::Comment { path: path(), bytes });
        }
        let block = EnhancedPacketBlock {
            interface_id: 0,
            timestamp: time,
            original_len: original_bytes,
            data: wire.into(),
            options: comment.map(|text| EnhancedPacketOption::Comment(text.into())).into_iter().collect(),
        };
        let written = self.writer.write_pcapng_block(block);
        written.map(|_| ()).map_err(|source| CaptureError::Write { path: path(), source })
    }

    /// Ends the file: everything is handed to the writer and flushed. A file that is dropped before may lack its last frames.
    pub fn finish(mut self) -> Result<W, CaptureError> {
        match self.writer.get_mut().flush() {
            Ok(()) => Ok(self.writer.into_inner()),
            Err(source) => Err(CaptureError::Write { path: self.path, source: PcapError::IoError(source) }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pcap_file::pcapng::{Block, PcapNgReader};

    /// By hand from the pcapng specification: sections 4.1, 4.2, 4.3 and options 3.5.
    const FILE: &[u8] = &[
        0x0A, 0x0D, 0x0D, 0x0A, 28, 0, 0, 0, // section header block, its length
        0x4D, 0x3C, 0x2B, 0x1A, 1, 0, 0, 0, // byte-order magic, version 1.0
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 28, 0, 0,
        0, // section length unknown; length again
        1, 0, 0, 0, 40, 0, 0, 0, // interface description block
        1, 0, 0, 0, 0, 0, 0, 0, // LINKTYPE_ETHERNET, reserved, no snapshot length
        9, 0, 1, 0, 9, 0, 0, 0, // if_tsresol: 10^-9
        13, 0, 1, 0, 4, 0, 0, 0, // if_fcslen: 4
        0, 0, 0, 0, 40, 0, 0, 0, // end of options
        6, 0, 0, 0, 52, 0, 0, 0, 0, 0, 0, 0, // enhanced packet block, interface 0
        2, 0, 0, 0, 3, 0, 0, 0, // time 2 * 2^32 + 3
        5, 0, 0, 0, 5, 0, 0, 0, // captured and original length
        0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0, 0, 0, // the frame, padded to 32 bits
        1, 0, 2, 0, b'h', b'i', 0, 0, // opt_comment
        0, 0, 0, 0, 52, 0, 0, 0, // end of options
        6, 0, 0, 0, 36, 0, 0, 0, 0, 0, 0, 0, // the second frame has no options
        2, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 0xB0, 0xB1, 0xB2, 0xB3, 36, 0, 0, 0,
    ];

    fn written() -> Vec<u8> {
        let mut capture = Capture::new(Vec::new(), "small").expect("a start");
        let time = Duration::from_nanos((2 << 32) + 3);
        capture.frame(time, &[0xA0, 0xA1, 0xA2, 0xA3, 0xA4], Some("hi")).expect("a frame");
        capture
            .frame(time + Duration::from_nanos(1), &[0xB0, 0xB1, 0xB2, 0xB3], None)
            .expect("a second frame");
        capture.finish().expect("an end")
    }

    #[test]
    fn octets_of_a_small_file() {
        assert_eq!(written(), FILE);
    }

    #[test]
    fn a_file_reads_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("frames.pcapng");
        let frames: Vec<Vec<u8>> = (60..70).map(|bytes| (0..bytes).collect()).collect();
        let mut capture = Capture::create(&path).expect("a file");
        for (frame, count) in frames.iter().zip(0..) {
            let comment = format!("frame {count}");
            capture.frame(Duration::new(count, 999_999_999), frame, Some(&comment)).expect("a frame");
        }
        capture.finish().expect("an end");
        let mut reader = PcapNgReader::new(File::open(&path).expect("the file")).expect("a section");
        let mut found = 0;
        while let Some(block) = reader.next_block() {
            let Block::EnhancedPacket(packet) = block.expect("a block") else { continue };
            assert_eq!(packet.data.as_ref(), frames[found]);
            assert_eq!(packet.timestamp, Duration::new(found as u64, 999_999_999));
            let comment = format!("frame {found}");
            assert_eq!(packet.options, [EnhancedPacketOption::Comment(comment.into())]);
            found += 1;
        }
        assert_eq!(found, frames.len());
    }

    #[test]
    fn errors_name_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("none/frames.pcapng");
        let error = Capture::create(&path).err().expect("no folder").to_string();
        assert!(error.starts_with(&format!("{}: cannot be created", path.display())), "{error}");
        let mut capture = Capture::new(Vec::new(), "small").expect("a start");
        let mut refusal = |time, frame: &[u8], comment: Option<&str>| {
            capture.frame(time, frame, comment).expect_err("refused").to_string()
        };
        let long = "x".repeat(0x1_0000);
        let refusals = [
            (refusal(Duration::ZERO, &[], Some(&long)), "small: comment of 65536 octets"),
            (refusal(Duration::ZERO, &[0; MAX_CAPTURED_BYTES + 1], None), "small: frame of 262145 octets"),
            (refusal(Duration::from_secs(18_446_744_074), &[], None), "small: time of 18446744074 s"),
        ];
        for (error, expected) in refusals {
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn a_writer_that_fails_is_an_error() {
        let error = Capture::new([0_u8; 8].as_mut_slice(), "full").err().expect("no room").to_string();
        assert!(error.starts_with("full: cannot be written"), "{error}");
    }
}
