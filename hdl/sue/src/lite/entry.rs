//! What the blocks of SUE Lite tell each other, and how its header is a word.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::class::{traffic_class, VCS};
use flitforge_protocol::sue::network::{afh2_compressed, ethertype, fid};

/// Octets of a network header of SUE Lite: one word.
pub const HEADER_BYTES: usize = (afh2_compressed::WIDTH + ethertype::WIDTH) / 8;
/// Bits of the number of octets of a frame, 2,047 at most.
pub const FRAME_BITS: usize = 11;
const _: () = assert!(HEADER_BYTES == crate::frame::WORD_BYTES);
const _: () = assert!(VCS == 4);

/// Number and port of an XPU.
#[packed(fid)]
pub struct LiteFid {
    /// Port.
    port: Bits<4>,
    /// XPU.
    xpu: Bits<12>,
}

/// TC of a frame.
#[packed(traffic_class)]
pub struct LiteTrafficClass {
    /// Congestion mark.
    ecn: Bits<2>,
    /// DSCP of the class.
    dscp: Bits<6>,
}

/// The header ahead of the Ethertype. Its top octet is the first on the line.
#[packed(afh2_compressed)]
pub struct LiteAddresses {
    /// Who sends it.
    source_fid: Bits<16>,
    /// Who gets it.
    fid: Bits<16>,
    /// TC.
    traffic_class: Bits<8>,
    /// Key of AFH Gen 2.
    key: Bits<8>,
}

/// A body that waits to be sent.
#[packed]
pub struct LiteBody {
    /// XPU that it goes to.
    destination: Bits<10>,
    /// Virtual channel.
    vc: Bits<2>,
    /// Commands in it.
    commands: Bits<10>,
    /// Octets of its frame without padding and FCS.
    octets: Bits<FRAME_BITS>,
    /// It had an error and was forgotten: none of its words is stored.
    failed: Bit,
}

/// A frame whose fate is not known.
#[packed]
pub struct LiteFrame {
    /// XPU that it goes to.
    destination: Bits<10>,
    /// Virtual channel.
    vc: Bits<2>,
    /// Commands in it.
    commands: Bits<10>,
    /// It is not sent.
    failed: Bit,
}

/// Frames, one after the other, that have the same fate.
#[packed]
pub struct LiteRun {
    /// How many.
    frames: Bits<7>,
    /// They are lost.
    lost: Bit,
}
