//! Fabric packet: head and tail fields (chapter 10, 3.3).

/// Largest payload of a packet in bytes.
pub const MAX_PAYLOAD_BYTES: usize = 10_240;
/// Payload bytes in a body flit.
pub const BYTES_PER_BODY: usize = 8;
/// Header version that is sent.
pub const VERSION: u64 = 0;

layout! {
    /// Fields of a Head flit's 64 data bits. Bit 63, always 1, is [`crate::flit::head::head_bit`].
    head, "Packet header (Head flit)", 64 bits, "chapter 10, 3.3", {
        dst [0 +: 16] "destination port address";
        src [16 +: 16] "source port address";
        vl [32 +: 4] "virtual lane 0 to 15 (mutable)";
        len [36 +: 14] "payload bytes 0 to 10240";
        ptype [50 +: 4] "packet type";
        fecn [54 +: 1] "forward congestion mark (mutable)";
        becn [55 +: 1] "backward congestion mark (mutable)";
        sl [56 +: 4] "service level, end to end";
        ver [60 +: 3] "0";
    }
}
layout! {
    /// Fields of a Tail flit's 64 data bits. Bits 63 and 62 are the kind.
    tail, "Packet trailer (Tail flit)", 64 bits, "chapter 10, 3.3", {
        pcrc [0 +: 32] "CRC-32C over head (vl, fecn, becn as 0) and padded body flits";
        tag [32 +: 16] "sender's tag, opaque";
        len2 [48 +: 14] "copy of len";
    }
}

coded_enum! {
    /// Defined values of `ptype` (chapter 10, 3.3); others are reserved.
    PacketType: u8, {
        Data = 0, "data", "data";
        ManagementByDestination = 1, "management by destination", "management, routed by destination";
        ManagementSourceRouted = 2, "management source-routed", "management, always to the internal port";
        Test = 14, "test", "test traffic";
    }
}

/// Bits of the header that the packet CRC sees as 0, because switches may change them.
pub const MUTABLE_HEADER_BITS: u64 =
    (head::vl::FIELD.mask() | head::fecn::FIELD.mask() | head::becn::FIELD.mask()) as u64;

/// Body flits of a packet with `payload_bytes` bytes.
#[must_use]
pub const fn body_flits(payload_bytes: usize) -> usize {
    payload_bytes.div_ceil(BYTES_PER_BODY)
}

/// All flits of a packet with `payload_bytes` bytes: head, body flits, tail.
#[must_use]
pub const fn packet_flits(payload_bytes: usize) -> usize {
    2 + body_flits(payload_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_have_2_to_1282_flits() {
        assert_eq!((packet_flits(0), packet_flits(1), packet_flits(8), packet_flits(9)), (2, 3, 3, 4));
        assert_eq!(packet_flits(MAX_PAYLOAD_BYTES), 1282);
    }

    #[test]
    fn mutable_bits_are_vl_fecn_becn() {
        assert_eq!(MUTABLE_HEADER_BITS, 0x00C0_000F_0000_0000);
    }
}
