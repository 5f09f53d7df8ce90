//! Fabric packet: head and tail fields (chapter 10, 3.3), and what `fab_packet` takes and gives (4.9).

/// Largest payload of a packet in bytes.
pub const MAX_PAYLOAD_BYTES: usize = 10_240;
/// Payload bytes in a body flit.
pub const BYTES_PER_BODY: usize = 8;
/// Header version that is sent.
pub const VERSION: u64 = 0;
/// Smallest MTU a port is built for (chapter 10, 4).
pub const MIN_MTU: usize = 256;
/// Bits of the header that its source gives: the fields of [`head`] below `ver`.
pub const HEADER_BITS: usize = head::ver::LOW;

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

layout! {
    /// What `fab_packet_tx` takes ahead of a packet's payload.
    request, "Packet to send", 76 bits, "chapter 10, 4.9", {
        header [0 +: 60] "the Head's fields below ver, in their places";
        tag [60 +: 16] "sender's tag, opaque";
    }
}
layout! {
    /// What `fab_packet_rx` gives after a packet's payload.
    packet_end, "End of a received packet", 25 bits, "chapter 10, 4.9", {
        tag [0 +: 16] "the Tail's tag; 0 if no Tail ended the packet";
        reason [16 +: 8] "reason of a bad packet, 0 of a good one";
        good [24 +: 1] "length, order and packet CRC are right, and no flit is marked bad";
    }
}

layout! {
    /// What `fab_vl_rx` says of a beat, above the beat.
    lane_beat, "Beat of a virtual lane", 9 bits, "chapter 10, 4.9", {
        vl [0 +: 4] "virtual lane";
        flits [4 +: 3] "packet flits, 1 to F";
        ends [7 +: 1] "the last of a packet is among them";
        opens [8 +: 1] "the first of a packet is among them";
    }
}
layout! {
    /// What `fab_vl_rx` says of the packet flits of a beat as they came, for their credits.
    lane_flits, "Packet flits that came", 13 bits, "chapter 10, 4.9", {
        vl [0 +: 4] "virtual lane";
        flits [4 +: 3] "packet flits, 1 to F";
        ends [7 +: 1] "a Tail or TailBad is among them";
        opens [8 +: 1] "a Head or HeadBad is the first of them";
        tossed [9 +: 3] "so many of them are thrown away";
        cut [12 +: 1] "a TailBad is delivered in place of the first of them";
    }
}

coded_enum! {
    /// Why a packet is refused at the ingress (chapter 10, 4.9).
    Refusal: u8, {
        TooLong = 1, "too long", "len is above the MTU";
        NoSuchLane = 2, "no such lane", "vl is NUM_VLS or above";
        NotManagement = 3, "not management", "another ptype than 2 on the management lane";
    }
}
/// Bits of a [`Refusal`]'s code.
pub const REFUSAL_BITS: usize = 2;

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

/// Data bits of a word of payload at F flits per beat: the payload of F Body flits.
#[must_use]
pub const fn word_data_bits(f: usize) -> usize {
    8 * BYTES_PER_BODY * f
}

/// Bits that count a payload word's bytes, 0 to 8 F.
#[must_use]
pub const fn word_count_bits(f: usize) -> usize {
    (BYTES_PER_BODY * f).ilog2() as usize + 1
}

/// Bits of a payload word: the data, above it the number of bytes that count, above that `last`.
#[must_use]
pub const fn word_bits(f: usize) -> usize {
    word_data_bits(f) + word_count_bits(f) + 1
}

/// Words of `payload_bytes` bytes at F flits per beat; a packet without payload has none.
#[must_use]
pub const fn payload_words(payload_bytes: usize, f: usize) -> usize {
    payload_bytes.div_ceil(BYTES_PER_BODY * f)
}

const _: () = assert!(request::header::WIDTH == HEADER_BITS && request::tag::LOW == HEADER_BITS);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_word_is_no_wider_than_a_wire_beat() {
        for (f, bits) in [(1, 69), (2, 134), (4, 263)] {
            assert_eq!(word_bits(f), bits);
            assert!(word_bits(f) <= 272, "chapter 10, 4");
        }
        assert_eq!([0, 1, 16, 17, 10_240].map(|bytes| payload_words(bytes, 2)), [0, 1, 1, 2, 640]);
    }

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
