-- Scale-Up Ethernet for Wireshark and tshark.
-- Printed from `flitforge-protocol` by `cargo run --release -p flitforge-protocol --example sue_reference`. Do not edit.
-- Load it with `tshark -X lua_script:sue.lua -r FILE`.

local sue = Proto("sue", "Scale-Up Ethernet")

local const = {
    ET_AFH1 = 0x88B6,
    ET_SUE = 0x88B6,
    ET_LITE = 0x88B5,
    ET_ESUN = 0x88B6,
    UDP_PORT = 0xD05,
    TAG_TPID = 0x8100,
    KEY_NORMAL = 0x2,
    KEY_COMPRESSED = 0x82,
    SOURCE_KEY = 0x2,
    MAC_PREFIX = 0x2,
    SHIM_VERSION = 0x9,
    SHIM_WORDS = 0x2,
    SHIM_NEXT_RH = 0x1,
    ESUN_REVISION = 0x0,
    IPV4_VERSION = 0x4,
    IPV4_IHL = 0x5,
    IPV6_VERSION = 0x6,
    IPV6_BYTES = 0x28,
    RH_VERSION = 0x0,
    OP_CM = 0x3,
    KIND_END = 0x0,
    KIND_MESSAGE = 0x2,
    KIND_STROBES = 0xB,
    UNIT_BYTES = 0x2,
    DATA_PER_STROBE_BYTE = 0x8,
    CRC_BYTES = 0x4,
    R_CRC_REFLECTED = 0x82F63B78,
    R_CRC_INITIAL = 0xFFFFFFFF,
    R_CRC_FINAL_XOR = 0xFFFFFFFF,
    R_CRC_RESIDUE = 0xB798B438,
    FCS_REFLECTED = 0xEDB88320,
    FCS_INITIAL = 0xFFFFFFFF,
    FCS_FINAL_XOR = 0xFFFFFFFF,
    FCS_RESIDUE = 0xDEBB20E3,
    FCS_POISON_RESIDUE = 0x0,
}

-- Codes and their names.
local values = {}
values.operation = {
    [0x0] = "ACK",
    [0x1] = "NACK",
    [0x2] = "NONE",
    [0x3] = "CM",
}
values.cm_code = {
    [0x1] = "FREEZE_REQ",
    [0x2] = "FREEZE_RSP",
    [0x3] = "OPEN_REQ",
    [0x4] = "OPEN_RSP",
}
values.command_type = {
    [0x0] = "END",
    [0x1] = "READ",
    [0x2] = "MSG",
    [0x3] = "BARRIER",
    [0x4] = "WRESP",
    [0x5] = "user 5",
    [0x6] = "user 6",
    [0x7] = "user 7",
    [0x8] = "WRITE",
    [0x9] = "RDATA",
    [0xA] = "MSGD",
    [0xB] = "WRITE_S",
    [0xC] = "user C",
    [0xD] = "user D",
    [0xE] = "user E",
    [0xF] = "user F",
}
values.dscp = {
    [0x1A] = "class VC0 by reset",
    [0x22] = "class VC1 by reset",
    [0x12] = "class VC2 by reset",
    [0xA] = "class VC3 by reset",
    [0x2E] = "class ACK by reset",
    [0x0] = "class MGMT by reset",
}

-- Types of commands with a data area.
local has_data = { [0x8] = true, [0x9] = true, [0xA] = true, [0xB] = true, [0xC] = true, [0xD] = true, [0xE] = true, [0xF] = true }

-- Where the fields of each word are; `bit` counts from the first bit on the wire.
local part = {}
part.dst = {
    name = "Forwarding identifier (FID)", octets = 2,
    { name = "xpu", at = 0, octets = 2, bit = 0, bits = 12,
      field = ProtoField.uint16("sue.dst.xpu", "xpu", base.DEC_HEX, nil, 0xFFF0, "number of the XPU") },
    { name = "port", at = 1, octets = 1, bit = 12, bits = 4,
      field = ProtoField.uint8("sue.dst.port", "port", base.DEC_HEX, nil, 0xF, "port, the same at both ends") },
}
part.src = {
    name = "Forwarding identifier (FID)", octets = 2,
    { name = "xpu", at = 0, octets = 2, bit = 0, bits = 12,
      field = ProtoField.uint16("sue.src.xpu", "xpu", base.DEC_HEX, nil, 0xFFF0, "number of the XPU") },
    { name = "port", at = 1, octets = 1, bit = 12, bits = 4,
      field = ProtoField.uint8("sue.src.port", "port", base.DEC_HEX, nil, 0xF, "port, the same at both ends") },
}
part.tc = {
    name = "TC", octets = 1,
    { name = "dscp", at = 0, octets = 1, bit = 0, bits = 6,
      field = ProtoField.uint8("sue.tc.dscp", "dscp", base.DEC_HEX, values.dscp, 0xFC, "differentiated services code point") },
    { name = "ecn", at = 0, octets = 1, bit = 6, bits = 2,
      field = ProtoField.uint8("sue.tc.ecn", "ecn", base.DEC_HEX, nil, 0x3, "explicit congestion notification") },
}
part.entropy = {
    name = "Entropy", octets = 2,
    { name = "vc", at = 0, octets = 1, bit = 2, bits = 2,
      field = ProtoField.uint8("sue.entropy.vc", "vc", base.DEC_HEX, nil, 0x30, "virtual channel") },
    { name = "xpu", at = 0, octets = 2, bit = 4, bits = 12,
      field = ProtoField.uint16("sue.entropy.xpu", "xpu", base.DEC_HEX, nil, 0xFFF, "number of the destination") },
}
part.key = {
    name = "AFH Gen 2 key", octets = 1,
    { name = "w", at = 0, octets = 1, bit = 0, bits = 1,
      field = ProtoField.uint8("sue.key.w", "w", base.DEC, nil, 0x80, "1: compressed") },
    { name = "v", at = 0, octets = 1, bit = 1, bits = 1,
      field = ProtoField.uint8("sue.key.v", "v", base.DEC, nil, 0x40, "0") },
    { name = "reserved", at = 0, octets = 1, bit = 2, bits = 2,
      field = ProtoField.uint8("sue.key.reserved", "reserved", base.DEC_HEX, nil, 0x30, "0") },
    { name = "z", at = 0, octets = 1, bit = 4, bits = 1,
      field = ProtoField.uint8("sue.key.z", "z", base.DEC, nil, 0x8, "0") },
    { name = "y", at = 0, octets = 1, bit = 5, bits = 1,
      field = ProtoField.uint8("sue.key.y", "y", base.DEC, nil, 0x4, "0") },
    { name = "x", at = 0, octets = 1, bit = 6, bits = 1,
      field = ProtoField.uint8("sue.key.x", "x", base.DEC, nil, 0x2, "1") },
    { name = "m", at = 0, octets = 1, bit = 7, bits = 1,
      field = ProtoField.uint8("sue.key.m", "m", base.DEC, nil, 0x1, "1: multicast") },
}
part.da = {
    name = "MAC address", octets = 6,
    { name = "prefix", at = 0, octets = 1, bit = 0, bits = 8,
      field = ProtoField.uint8("sue.da.prefix", "prefix", base.DEC_HEX, nil, nil, "0x02, locally administered") },
    { name = "generation", at = 1, octets = 1, bit = 8, bits = 8,
      field = ProtoField.uint8("sue.da.generation", "generation", base.DEC_HEX, nil, nil, "gg: generation << (8 - GEN_W); 0 without GEN_EN") },
    { name = "machine_partition", at = 2, octets = 2, bit = 16, bits = 16,
      field = ProtoField.uint16("sue.da.machine_partition", "machine_partition", base.DEC_HEX, nil, nil, "register MAC_PART") },
    { name = "fid", at = 4, octets = 2, bit = 32, bits = 16, inner = part.dst,
      field = ProtoField.uint16("sue.da.fid", "fid", base.DEC_HEX, nil, nil, "FID") },
}
part.sa = {
    name = "MAC address", octets = 6,
    { name = "prefix", at = 0, octets = 1, bit = 0, bits = 8,
      field = ProtoField.uint8("sue.sa.prefix", "prefix", base.DEC_HEX, nil, nil, "0x02, locally administered") },
    { name = "generation", at = 1, octets = 1, bit = 8, bits = 8,
      field = ProtoField.uint8("sue.sa.generation", "generation", base.DEC_HEX, nil, nil, "gg: generation << (8 - GEN_W); 0 without GEN_EN") },
    { name = "machine_partition", at = 2, octets = 2, bit = 16, bits = 16,
      field = ProtoField.uint16("sue.sa.machine_partition", "machine_partition", base.DEC_HEX, nil, nil, "register MAC_PART") },
    { name = "fid", at = 4, octets = 2, bit = 32, bits = 16, inner = part.src,
      field = ProtoField.uint16("sue.sa.fid", "fid", base.DEC_HEX, nil, nil, "FID") },
}
part.ethertype = {
    name = "Ethertype", octets = 2,
    { name = "value", at = 0, octets = 2, bit = 0, bits = 16,
      field = ProtoField.uint16("sue.ethertype.value", "value", base.DEC_HEX, nil, nil, "Ethertype") },
}
part.tag = {
    name = "802.1Q tag", octets = 4,
    { name = "tpid", at = 0, octets = 2, bit = 0, bits = 16,
      field = ProtoField.uint16("sue.tag.tpid", "tpid", base.DEC_HEX, nil, nil, "0x8100") },
    { name = "pcp", at = 2, octets = 1, bit = 16, bits = 3,
      field = ProtoField.uint8("sue.tag.pcp", "pcp", base.DEC_HEX, nil, 0xE0, "priority of the class") },
    { name = "dei", at = 2, octets = 1, bit = 19, bits = 1,
      field = ProtoField.uint8("sue.tag.dei", "dei", base.DEC, nil, 0x10, "drop eligible, sent 0, ignored") },
    { name = "vid", at = 2, octets = 2, bit = 20, bits = 12,
      field = ProtoField.uint16("sue.tag.vid", "vid", base.DEC_HEX, nil, 0xFFF, "VLAN identifier") },
}
part.afh2 = {
    name = "AFH Gen 2, normal", octets = 12,
    { name = "key", at = 0, octets = 1, bit = 0, bits = 8, inner = part.key,
      field = ProtoField.uint8("sue.afh2.key", "key", base.DEC_HEX, nil, nil, "key") },
    { name = "traffic_class", at = 1, octets = 1, bit = 8, bits = 8, inner = part.tc,
      field = ProtoField.uint8("sue.afh2.traffic_class", "traffic_class", base.DEC_HEX, nil, nil, "TC") },
    { name = "generation", at = 2, octets = 1, bit = 16, bits = 8,
      field = ProtoField.uint8("sue.afh2.generation", "generation", base.DEC_HEX, nil, nil, "gg") },
    { name = "reserved", at = 3, octets = 1, bit = 24, bits = 8,
      field = ProtoField.uint8("sue.afh2.reserved", "reserved", base.DEC_HEX, nil, nil, "0") },
    { name = "fid", at = 4, octets = 2, bit = 32, bits = 16, inner = part.dst,
      field = ProtoField.uint16("sue.afh2.fid", "fid", base.DEC_HEX, nil, nil, "FID of the destination") },
    { name = "hop", at = 6, octets = 1, bit = 48, bits = 4,
      field = ProtoField.uint8("sue.afh2.hop", "hop", base.DEC_HEX, nil, 0xF0, "hops left") },
    { name = "source_key", at = 6, octets = 1, bit = 52, bits = 4,
      field = ProtoField.uint8("sue.afh2.source_key", "source_key", base.DEC_HEX, nil, 0xF, "2: a unicast AAI address, too") },
    { name = "entropy", at = 7, octets = 1, bit = 56, bits = 8,
      field = ProtoField.uint8("sue.afh2.entropy", "entropy", base.DEC_HEX, nil, nil, "folded entropy") },
    { name = "source_generation", at = 8, octets = 1, bit = 64, bits = 8,
      field = ProtoField.uint8("sue.afh2.source_generation", "source_generation", base.DEC_HEX, nil, nil, "gg of the source") },
    { name = "source_reserved", at = 9, octets = 1, bit = 72, bits = 8,
      field = ProtoField.uint8("sue.afh2.source_reserved", "source_reserved", base.DEC_HEX, nil, nil, "0") },
    { name = "source_fid", at = 10, octets = 2, bit = 80, bits = 16, inner = part.src,
      field = ProtoField.uint16("sue.afh2.source_fid", "source_fid", base.DEC_HEX, nil, nil, "FID of the source") },
}
part.afh2c = {
    name = "AFH Gen 2, compressed", octets = 6,
    { name = "key", at = 0, octets = 1, bit = 0, bits = 8, inner = part.key,
      field = ProtoField.uint8("sue.afh2c.key", "key", base.DEC_HEX, nil, nil, "key") },
    { name = "traffic_class", at = 1, octets = 1, bit = 8, bits = 8, inner = part.tc,
      field = ProtoField.uint8("sue.afh2c.traffic_class", "traffic_class", base.DEC_HEX, nil, nil, "TC") },
    { name = "fid", at = 2, octets = 2, bit = 16, bits = 16, inner = part.dst,
      field = ProtoField.uint16("sue.afh2c.fid", "fid", base.DEC_HEX, nil, nil, "FID of the destination") },
    { name = "source_fid", at = 4, octets = 2, bit = 32, bits = 16, inner = part.src,
      field = ProtoField.uint16("sue.afh2c.source_fid", "source_fid", base.DEC_HEX, nil, nil, "FID of the source") },
}
part.shim = {
    name = "AFH Gen 1 shim", octets = 8,
    { name = "version", at = 0, octets = 1, bit = 0, bits = 4,
      field = ProtoField.uint8("sue.shim.version", "version", base.DEC_HEX, nil, 0xF0, "9, never the first nibble of an RH of version 0") },
    { name = "words", at = 0, octets = 1, bit = 4, bits = 4,
      field = ProtoField.uint8("sue.shim.words", "words", base.DEC_HEX, nil, 0xF, "2, length in words of 32 bits") },
    { name = "traffic_class", at = 1, octets = 1, bit = 8, bits = 8, inner = part.tc,
      field = ProtoField.uint8("sue.shim.traffic_class", "traffic_class", base.DEC_HEX, nil, nil, "TC") },
    { name = "reserved", at = 2, octets = 1, bit = 16, bits = 2,
      field = ProtoField.uint8("sue.shim.reserved", "reserved", base.DEC_HEX, nil, 0xC0, "0") },
    { name = "entropy", at = 2, octets = 2, bit = 18, bits = 14, inner = part.entropy,
      field = ProtoField.uint16("sue.shim.entropy", "entropy", base.DEC_HEX, nil, 0x3FFF, "entropy") },
    { name = "hop_limit", at = 4, octets = 1, bit = 32, bits = 8,
      field = ProtoField.uint8("sue.shim.hop_limit", "hop_limit", base.DEC_HEX, nil, nil, "hop limit") },
    { name = "next", at = 5, octets = 1, bit = 40, bits = 8,
      field = ProtoField.uint8("sue.shim.next", "next", base.DEC_HEX, nil, nil, "1: RH follows") },
    { name = "pdu_bytes", at = 6, octets = 2, bit = 48, bits = 16,
      field = ProtoField.uint16("sue.shim.pdu_bytes", "pdu_bytes", base.DEC_HEX, nil, nil, "PDU length in octets") },
}
part.esun = {
    name = "ESUN header (order and widths ours)", octets = 4,
    { name = "ecn", at = 0, octets = 1, bit = 0, bits = 2,
      field = ProtoField.uint8("sue.esun.ecn", "ecn", base.DEC_HEX, nil, 0xC0, "explicit congestion notification") },
    { name = "cos", at = 0, octets = 1, bit = 2, bits = 3,
      field = ProtoField.uint8("sue.esun.cos", "cos", base.DEC_HEX, nil, 0x38, "class of service: the PCP of the class") },
    { name = "f", at = 0, octets = 1, bit = 5, bits = 1,
      field = ProtoField.uint8("sue.esun.f", "f", base.DEC, nil, 0x4, "F, sent 0, ignored") },
    { name = "flow_label", at = 0, octets = 3, bit = 6, bits = 16,
      field = ProtoField.uint24("sue.esun.flow_label", "flow_label", base.DEC_HEX, nil, 0x3FFFC, "entropy") },
    { name = "ttl", at = 2, octets = 2, bit = 22, bits = 4,
      field = ProtoField.uint16("sue.esun.ttl", "ttl", base.DEC_HEX, nil, 0x3C0, "hops left") },
    { name = "ud", at = 3, octets = 1, bit = 26, bits = 4,
      field = ProtoField.uint8("sue.esun.ud", "ud", base.DEC_HEX, nil, 0x3C, "user defined, sent 0, ignored") },
    { name = "rev", at = 3, octets = 1, bit = 30, bits = 2,
      field = ProtoField.uint8("sue.esun.rev", "rev", base.DEC_HEX, nil, 0x3, "revision, sent 0; frames of other revisions are dropped") },
}
part.ipv4 = {
    name = "IPv4 header, octets 0 to 11", octets = 12,
    { name = "version", at = 0, octets = 1, bit = 0, bits = 4,
      field = ProtoField.uint8("sue.ipv4.version", "version", base.DEC_HEX, nil, 0xF0, "4") },
    { name = "ihl", at = 0, octets = 1, bit = 4, bits = 4,
      field = ProtoField.uint8("sue.ipv4.ihl", "ihl", base.DEC_HEX, nil, 0xF, "5, header length in words of 32 bits") },
    { name = "traffic_class", at = 1, octets = 1, bit = 8, bits = 8,
      field = ProtoField.uint8("sue.ipv4.traffic_class", "traffic_class", base.DEC_HEX, nil, nil, "TC of the class") },
    { name = "total_length", at = 2, octets = 2, bit = 16, bits = 16,
      field = ProtoField.uint16("sue.ipv4.total_length", "total_length", base.DEC_HEX, nil, nil, "octets from here to the end of the PDU") },
    { name = "identification", at = 4, octets = 2, bit = 32, bits = 16,
      field = ProtoField.uint16("sue.ipv4.identification", "identification", base.DEC_HEX, nil, nil, "0") },
    { name = "dont_fragment", at = 6, octets = 1, bit = 49, bits = 1,
      field = ProtoField.uint8("sue.ipv4.dont_fragment", "dont_fragment", base.DEC, nil, 0x40, "1") },
    { name = "more_fragments", at = 6, octets = 1, bit = 50, bits = 1,
      field = ProtoField.uint8("sue.ipv4.more_fragments", "more_fragments", base.DEC, nil, 0x20, "0") },
    { name = "fragment_offset", at = 6, octets = 2, bit = 51, bits = 13,
      field = ProtoField.uint16("sue.ipv4.fragment_offset", "fragment_offset", base.DEC_HEX, nil, 0x1FFF, "0") },
    { name = "ttl", at = 8, octets = 1, bit = 64, bits = 8,
      field = ProtoField.uint8("sue.ipv4.ttl", "ttl", base.DEC_HEX, nil, nil, "register TTL") },
    { name = "protocol", at = 9, octets = 1, bit = 72, bits = 8,
      field = ProtoField.uint8("sue.ipv4.protocol", "protocol", base.DEC_HEX, nil, nil, "17, UDP") },
    { name = "checksum", at = 10, octets = 2, bit = 80, bits = 16,
      field = ProtoField.uint16("sue.ipv4.checksum", "checksum", base.DEC_HEX, nil, nil, "ones' complement of the sum of the header") },
}
part.ipv6 = {
    name = "IPv6 header, octets 0 to 7", octets = 8,
    { name = "version", at = 0, octets = 1, bit = 0, bits = 4,
      field = ProtoField.uint8("sue.ipv6.version", "version", base.DEC_HEX, nil, 0xF0, "6") },
    { name = "traffic_class", at = 0, octets = 2, bit = 4, bits = 8,
      field = ProtoField.uint16("sue.ipv6.traffic_class", "traffic_class", base.DEC_HEX, nil, 0xFF0, "TC of the class") },
    { name = "flow_label", at = 1, octets = 3, bit = 12, bits = 20,
      field = ProtoField.uint24("sue.ipv6.flow_label", "flow_label", base.DEC_HEX, nil, 0xFFFFF, "entropy") },
    { name = "payload_length", at = 4, octets = 2, bit = 32, bits = 16,
      field = ProtoField.uint16("sue.ipv6.payload_length", "payload_length", base.DEC_HEX, nil, nil, "octets after the IPv6 header") },
    { name = "next_header", at = 6, octets = 1, bit = 48, bits = 8,
      field = ProtoField.uint8("sue.ipv6.next_header", "next_header", base.DEC_HEX, nil, nil, "17, UDP") },
    { name = "hop_limit", at = 7, octets = 1, bit = 56, bits = 8,
      field = ProtoField.uint8("sue.ipv6.hop_limit", "hop_limit", base.DEC_HEX, nil, nil, "register TTL") },
}
part.rh = {
    name = "Reliability header (RH)", octets = 8,
    { name = "ver", at = 0, octets = 1, bit = 0, bits = 2,
      field = ProtoField.uint8("sue.rh.ver", "ver", base.DEC_HEX, nil, 0xC0, "0; PDUs of other versions are dropped") },
    { name = "op", at = 0, octets = 1, bit = 2, bits = 2,
      field = ProtoField.uint8("sue.rh.op", "op", base.DEC_HEX, values.operation, 0x30, "operation") },
    { name = "reserved_high", at = 0, octets = 1, bit = 4, bits = 2,
      field = ProtoField.uint8("sue.rh.reserved_high", "reserved_high", base.DEC_HEX, nil, 0xC, "sent 0, ignored, covered by the R-CRC as received") },
    { name = "xpuid", at = 0, octets = 2, bit = 6, bits = 10,
      field = ProtoField.uint16("sue.rh.xpuid", "xpuid", base.DEC_HEX, nil, 0x3FF, "source XPU") },
    { name = "npsn", at = 2, octets = 2, bit = 16, bits = 16,
      field = ProtoField.uint16("sue.rh.npsn", "npsn", base.DEC_HEX, nil, nil, "PSN of this PDU; without a body the next to be used, never checked") },
    { name = "vc", at = 4, octets = 1, bit = 32, bits = 2,
      field = ProtoField.uint8("sue.rh.vc", "vc", base.DEC_HEX, nil, 0xC0, "virtual channel of npsn and apsn") },
    { name = "reserved_low", at = 4, octets = 1, bit = 34, bits = 4,
      field = ProtoField.uint8("sue.rh.reserved_low", "reserved_low", base.DEC_HEX, nil, 0x3C, "sent 0, ignored, covered by the R-CRC as received") },
    { name = "partition", at = 4, octets = 2, bit = 38, bits = 10,
      field = ProtoField.uint16("sue.rh.partition", "partition", base.DEC_HEX, nil, 0x3FF, "partition of every command in the body") },
    { name = "apsn", at = 6, octets = 2, bit = 48, bits = 16,
      field = ProtoField.uint16("sue.rh.apsn", "apsn", base.DEC_HEX, nil, nil, "ACK: last PSN received in order; NACK: next PSN expected; NONE: 0, ignored") },
}
part.cm = {
    name = "CM record", octets = 6,
    { name = "code", at = 0, octets = 1, bit = 0, bits = 8,
      field = ProtoField.uint8("sue.cm.code", "code", base.DEC_HEX, values.cm_code, nil, "code") },
    { name = "port", at = 1, octets = 1, bit = 8, bits = 8,
      field = ProtoField.uint8("sue.cm.port", "port", base.DEC_HEX, nil, nil, "port") },
    { name = "vc", at = 2, octets = 1, bit = 16, bits = 8,
      field = ProtoField.uint8("sue.cm.vc", "vc", base.DEC_HEX, nil, nil, "virtual channel") },
    { name = "reserved", at = 3, octets = 1, bit = 24, bits = 8,
      field = ProtoField.uint8("sue.cm.reserved", "reserved", base.DEC_HEX, nil, nil, "sent 0, ignored") },
    { name = "psn", at = 4, octets = 2, bit = 32, bits = 16,
      field = ProtoField.uint16("sue.cm.psn", "psn", base.DEC_HEX, nil, nil, "by code") },
}
part.command = {
    name = "Command header", octets = 2,
    { name = "kind", at = 0, octets = 1, bit = 0, bits = 4,
      field = ProtoField.uint8("sue.command.kind", "kind", base.DEC_HEX, values.command_type, 0xF0, "type; its top bit says that there is data") },
    { name = "clen", at = 0, octets = 1, bit = 4, bits = 4,
      field = ProtoField.uint8("sue.command.clen", "clen", base.DEC_HEX, nil, 0xF, "control octets after the header, in units of two") },
    { name = "dlen", at = 1, octets = 1, bit = 8, bits = 8,
      field = ProtoField.uint8("sue.command.dlen", "dlen", base.DEC_HEX, nil, nil, "with data: data octets less one; without: 0") },
}

-- Fields that are no part of a word.
local status_names = { [0] = "Bad", [1] = "Good", [2] = "Unverified", [3] = "Poisoned" }
local BAD, GOOD, UNVERIFIED, POISONED = 0, 1, 2, 3
local f = {
    format = ProtoField.string("sue.format", "Format"),
    fcs = ProtoField.uint32("sue.fcs", "Frame check sequence", base.HEX),
    fcs_status = ProtoField.uint8("sue.fcs.status", "FCS status", base.DEC, status_names),
    r_crc = ProtoField.uint32("sue.r_crc", "R-CRC", base.HEX),
    r_crc_status = ProtoField.uint8("sue.r_crc.status", "R-CRC status", base.DEC, status_names),
    ack_only = ProtoField.bool("sue.ack_only", "Ack-only PDU"),
    command = ProtoField.none("sue.command", "Command"),
    control = ProtoField.bytes("sue.command.control", "Control"),
    strobes = ProtoField.bytes("sue.command.strobes", "Strobes"),
    data = ProtoField.bytes("sue.command.data", "Data"),
    data_bytes = ProtoField.uint16("sue.command.data_bytes", "Data octets", base.DEC),
    padding = ProtoField.bytes("sue.command.padding", "Padding"),
    end_padding = ProtoField.bytes("sue.end", "END and padding"),
}
local e = {
    fcs = ProtoExpert.new("sue.fcs.bad", "Bad FCS", expert.group.CHECKSUM, expert.severity.ERROR),
    poisoned = ProtoExpert.new("sue.fcs.poisoned", "Frame marked bad by its sender", expert.group.CHECKSUM,
        expert.severity.WARN),
    r_crc = ProtoExpert.new("sue.r_crc.bad", "Bad R-CRC", expert.group.CHECKSUM, expert.severity.ERROR),
    header = ProtoExpert.new("sue.header.bad", "Bad header", expert.group.PROTOCOL, expert.severity.WARN),
    body = ProtoExpert.new("sue.body.malformed", "Malformed body", expert.group.MALFORMED, expert.severity.ERROR),
    cut = ProtoExpert.new("sue.cut", "Too short", expert.group.MALFORMED, expert.severity.ERROR),
}

local all_fields, all_experts = {}, {}
for _, field in pairs(f) do
    all_fields[#all_fields + 1] = field
end
for _, word in pairs(part) do
    for _, row in ipairs(word) do
        all_fields[#all_fields + 1] = row.field
        word[row.name] = row
    end
end
for _, field in pairs(e) do
    all_experts[#all_experts + 1] = field
end
sue.fields = all_fields
sue.experts = all_experts

-- Settings, as `-o sue.NAME:VALUE` or in the preferences of the protocol.
local AUTO, GEN1, GEN2, ESUN = 0, 1, 2, 3
local PRESENT, ABSENT = 1, 2
sue.prefs.format = Pref.enum("Format after 12 octets of addresses", AUTO,
    "What a frame is whose Ethertype stands for several formats",
    { { 1, "auto", AUTO }, { 2, "gen1", GEN1 }, { 3, "gen2", GEN2 }, { 4, "esun", ESUN } }, false)
sue.prefs.fcs = Pref.enum("Frame check sequence", AUTO, "Whether captured frames end with their FCS",
    { { 1, "auto", AUTO }, { 2, "present", PRESENT }, { 3, "absent", ABSENT } }, false)
sue.prefs.et_afh1 = Pref.uint("ET_AFH1", const.ET_AFH1, "Ethertype of AFH Gen 1")
sue.prefs.et_sue = Pref.uint("ET_SUE", const.ET_SUE, "Ethertype of AFH Gen 2, second Ethertype of AFH Gen 1")
sue.prefs.et_lite = Pref.uint("ET_LITE", const.ET_LITE, "Ethertype of SUE Lite")
sue.prefs.et_esun = Pref.uint("ET_ESUN", const.ET_ESUN, "Ethertype of ESUN")
sue.prefs.udp_port = Pref.uint("UDP port", const.UDP_PORT, "UDP destination port")

-- Lua before 5.3 has no operators for bits; Wireshark brings a library, or the language has them.
local bits = bit32 or bit or load([[return {
    bxor = function(a, b) return a ~ b end,
    band = function(a, b) return a & b end,
    rshift = function(a, n) return a >> n end,
}]])()

-- A 32-bit number without sign.
local function unsigned(value)
    return value % 0x100000000
end

-- A reflected CRC with its table of 256 entries.
local function crc_of(reflected, initial)
    local entries = {}
    for octet = 0, 255 do
        local register = octet
        for _ = 1, 8 do
            local carry = bits.band(register, 1) == 1
            register = bits.rshift(register, 1)
            if carry then
                register = bits.bxor(register, reflected)
            end
        end
        entries[octet] = unsigned(register)
    end
    -- The register after octets `first` to `last` of a string, before the final XOR.
    return function(octets, first, last)
        local register = initial
        for place = first, last do
            local entry = entries[bits.band(bits.bxor(register, octets:byte(place)), 0xFF)]
            register = unsigned(bits.bxor(bits.rshift(register, 8), entry))
        end
        return register
    end
end
local fcs_register = crc_of(const.FCS_REFLECTED, const.FCS_INITIAL)
local r_crc_register = crc_of(const.R_CRC_REFLECTED, const.R_CRC_INITIAL)

-- The octets of a buffer as a string.
local function octets_of(tvb)
    return tvb:len() > 0 and tvb:raw(0, tvb:len()) or ""
end

-- True if the capture has the whole frame that is being dissected; a part of a buffer does not know.
local is_frame_whole = true

-- True if there is room for a word.
local function has(tvb, at, word)
    return tvb:len() >= at + word.octets
end

-- The value of a field.
local function get(tvb, at, word, name)
    return tvb(at, word.octets):bitfield(word[name].bit, word[name].bits)
end

-- The fields of a word under a tree.
local function add_fields(tvb, tree, at, word)
    for _, row in ipairs(word) do
        local item = tree:add(row.field, tvb(at + row.at, row.octets))
        if row.inner then
            add_fields(tvb, item, at + row.at, row.inner)
        end
    end
end

-- A word as a subtree with its fields.
local function add_word(tvb, tree, at, word, label)
    local item = tree:add(sue, tvb(at, word.octets), label or word.name)
    add_fields(tvb, item, at, word)
    return item
end

-- A CRC with its verdict: the octet string before it, its register function, and what else may be there.
local function add_crc(tree, range, field, status_field, status, expected, complaint)
    local item = tree:add_le(field, range)
    if status == GOOD then
        item:append_text(" [correct]")
    elseif status == POISONED then
        item:append_text(" [inverted]")
    elseif status == BAD then
        item:append_text(string.format(" [incorrect, should be 0x%08x]", expected))
    else
        item:append_text(" [unverified]")
    end
    local verdict = tree:add(status_field, status)
    verdict:set_generated()
    if complaint and status ~= GOOD and status ~= UNVERIFIED then
        verdict:add_proto_expert_info(complaint)
    end
end

-- The sizes of a command, or what is wrong with it.
local function measure(tvb, at, last)
    local kind = get(tvb, at, part.command, "kind")
    local clen, dlen = get(tvb, at, part.command, "clen"), get(tvb, at, part.command, "dlen")
    local size = { kind = kind, control = const.UNIT_BYTES * clen, strobes = 0, data = 0 }
    if kind == const.KIND_END then
        return nil, "END with lengths: its whole header has to be 0"
    end
    if has_data[kind] then
        size.data = dlen + 1
    elseif dlen ~= 0 then
        return nil, "a data length in a command without data"
    end
    if kind == const.KIND_STROBES then
        size.strobes = math.floor((size.data + const.DATA_PER_STROBE_BYTE - 1) / const.DATA_PER_STROBE_BYTE)
    end
    local bare = part.command.octets + size.control + size.strobes + size.data
    size.padding = bare % const.UNIT_BYTES
    size.all = bare + size.padding
    if at + size.all > last then
        return nil, "the lengths of a command go past the end of the body", not is_frame_whole
    end
    return size
end

-- Adds octets, if there are any; gives the place after them.
local function add_octets(tvb, tree, field, at, octets)
    if octets > 0 then
        tree:add(field, tvb(at, octets))
    end
    return at + octets
end

-- A command as a subtree; gives its short name.
local function add_command(tvb, tree, at, size, is_cm)
    local name = values.command_type[size.kind] or "?"
    if size.kind == const.KIND_MESSAGE and size.control == 0 then
        name = "NOP"
    end
    local item = tree:add(f.command, tvb(at, size.all))
    item:set_text("Command: " .. name)
    add_fields(tvb, item, at, part.command)
    local place = at + part.command.octets
    if size.control > 0 then
        local control = item:add(f.control, tvb(place, size.control))
        if is_cm and size.kind == const.KIND_MESSAGE and size.control == part.cm.octets then
            add_fields(tvb, control, place, part.cm)
            name = values.cm_code[get(tvb, place, part.cm, "code")] or "unknown CM record"
            item:append_text(", " .. name)
        end
    end
    place = add_octets(tvb, item, f.strobes, place + size.control, size.strobes)
    if size.data > 0 then
        item:append_text(string.format(", %d data octets", size.data))
        item:add(f.data_bytes, tvb(at, part.command.octets), size.data):set_generated()
        name = string.format("%s %d", name, size.data)
    end
    place = add_octets(tvb, item, f.data, place, size.data)
    add_octets(tvb, item, f.padding, place, size.padding)
    if size.padding > 0 and tvb(place, 1):uint() ~= 0 then
        item:add_proto_expert_info(e.body, "Malformed body: the padding octet of a command is not 0")
    end
    return name
end

-- END and what follows it, which has to be zero.
local function add_end(tvb, tree, at, last)
    local item = tree:add(f.end_padding, tvb(at, last - at))
    local octets = tvb:raw(at, last - at)
    if octets:find("[^%z]") then
        item:add_proto_expert_info(e.body, "Malformed body: only zeros may follow END")
    end
end

-- The commands of a body, octets `at` to `last`; gives their names.
local function add_body(tvb, tree, at, last, is_cm)
    local names = {}
    local function complain(why, is_cut)
        if is_cut then
            names[#names + 1] = "cut by the capture"
            return names
        end
        tree:add_proto_expert_info(e.body, "Malformed body: " .. why)
        names[#names + 1] = "malformed"
        return names
    end
    while at < last do
        if last - at < part.command.octets then
            return complain("the body ends inside the header of a command", not is_frame_whole)
        end
        if tvb(at, part.command.octets):uint() == 0 then
            add_end(tvb, tree, at, last)
            return names
        end
        local size, why, is_cut = measure(tvb, at, last)
        if not size then
            add_word(tvb, tree, at, part.command)
            return complain(why, is_cut)
        end
        names[#names + 1] = add_command(tvb, tree, at, size, is_cm)
        at = at + size.all
    end
    return names
end

-- True if octets `first` (from 0) to the end of a string end with their R-CRC.
local function ends_with_r_crc(octets, first)
    return #octets - first >= part.rh.octets + const.CRC_BYTES
        and r_crc_register(octets, first + 1, #octets) == const.R_CRC_RESIDUE
end

-- R-CRC, the last octets of a PDU.
local function add_r_crc(tvb, tree)
    local octets, covered = octets_of(tvb), tvb:len() - const.CRC_BYTES
    local status = ends_with_r_crc(octets, 0) and GOOD or BAD
    local expected = unsigned(bits.bxor(r_crc_register(octets, 1, covered), const.R_CRC_FINAL_XOR))
    add_crc(tree, tvb(covered, const.CRC_BYTES), f.r_crc, f.r_crc_status, status, expected, e.r_crc)
    return status
end

-- What the columns say.
local function set_columns(pinfo, protocol, text, names)
    pinfo.cols.protocol = protocol
    pinfo.cols.info = #names > 0 and text .. ": " .. table.concat(names, ", ") or text
end

-- A PDU: reliability header, body, R-CRC.
local function dissect_pdu(tvb, pinfo, tree)
    local root = tree:add(sue, tvb(), "Scale-Up Ethernet, PDU")
    local least = part.rh.octets + (is_frame_whole and const.CRC_BYTES or 0)
    if tvb:len() < least then
        root:add_proto_expert_info(e.cut, "Too short for reliability header and R-CRC")
        set_columns(pinfo, "SUE", "PDU that is too short", {})
        return
    end
    local header = add_word(tvb, root, 0, part.rh)
    if get(tvb, 0, part.rh, "ver") ~= const.RH_VERSION then
        header:add_proto_expert_info(e.header, "Bad header: another version of the reliability header")
    end
    local op = get(tvb, 0, part.rh, "op")
    local last = is_frame_whole and tvb:len() - const.CRC_BYTES or tvb:len()
    local names = {}
    if last > part.rh.octets then
        local body = root:add(sue, tvb(part.rh.octets, last - part.rh.octets), "Body")
        names = add_body(tvb, body, part.rh.octets, last, op == const.OP_CM)
    end
    if #names == 0 then
        root:add(f.ack_only, true):set_generated()
    end
    local text = string.format("XPU %d, VC %d, PSN %d, %s %d", get(tvb, 0, part.rh, "xpuid"),
        get(tvb, 0, part.rh, "vc"), get(tvb, 0, part.rh, "npsn"), values.operation[op],
        get(tvb, 0, part.rh, "apsn"))
    if is_frame_whole then
        text = add_r_crc(tvb, root) == BAD and text .. ", bad R-CRC" or text
    else
        root:add(f.r_crc_status, UNVERIFIED):set_generated()
    end
    root:append_text(", " .. text)
    set_columns(pinfo, "SUE", text, names)
end

-- SUE Lite: a body alone.
local function dissect_lite(tvb, pinfo, tree)
    local root = tree:add(sue, tvb(), "SUE Lite, body")
    set_columns(pinfo, "SUE Lite", "SUE Lite", add_body(tvb, root, 0, tvb:len(), false))
end

-- Complains about a field that has another value than the only one it may have.
local function expect(tvb, tree, at, word, name, wanted)
    local found = get(tvb, at, word, name)
    if found ~= wanted then
        tree:add_proto_expert_info(e.header,
            string.format("Bad header: %s of %s is 0x%x, not 0x%x", name, word.name, found, wanted))
    end
end

-- The rest of a buffer as a buffer of its own.
local function after(tvb, at)
    return tvb:len() > at and tvb(at):tvb() or nil
end

-- Hands a buffer to one of Wireshark's own dissectors, which ends in an error where a frame is too short for it.
local function call(name, tvb, pinfo, tree)
    if not pcall(function() Dissector.get(name):call(tvb, pinfo, tree) end) then
        tree:add(sue, tvb(), "Scale-Up Ethernet"):add_proto_expert_info(e.cut, "Too short: malformed frame")
    end
end

-- Passes what is after a header on; nothing if the frame ends there.
local function pass(dissect, tvb, at, pinfo, tree)
    local rest = after(tvb, at)
    if rest then
        dissect(rest, pinfo, tree)
    else
        tree:add_proto_expert_info(e.cut, "Too short: the frame ends after its header")
    end
end

-- AFH Gen 2 with all of its 12 octets.
local function dissect_afh2(tvb, pinfo, tree)
    local word, at = part.afh2, part.afh2.octets
    local root = add_word(tvb, tree, 0, word)
    root:add(f.format, "AFH Gen 2, 12 B"):set_generated()
    expect(tvb, root, 0, word, "key", const.KEY_NORMAL)
    expect(tvb, root, 0, word, "source_key", const.SOURCE_KEY)
    expect(tvb, root, 0, word, "reserved", 0)
    expect(tvb, root, 0, word, "source_reserved", 0)
    add_fields(tvb, root, at, part.ethertype)
    pass(dissect_pdu, tvb, at + part.ethertype.octets, pinfo, tree)
end

-- AFH Gen 2 with six octets, and SUE Lite.
local function dissect_compressed(tvb, pinfo, tree)
    local word, at = part.afh2c, part.afh2c.octets
    local root = add_word(tvb, tree, 0, word)
    expect(tvb, root, 0, word, "key", const.KEY_COMPRESSED)
    add_fields(tvb, root, at, part.ethertype)
    local is_lite = get(tvb, at, part.ethertype, "value") == sue.prefs.et_lite
        and sue.prefs.et_lite ~= sue.prefs.et_sue
    root:add(f.format, is_lite and "SUE Lite" or "AFH Gen 2, 6 B"):set_generated()
    pass(is_lite and dissect_lite or dissect_pdu, tvb, at + part.ethertype.octets, pinfo, tree)
end

-- Where the reliability header of AFH Gen 1 is, and where the shim is, if there is one.
local function gen1_places(tvb)
    local at, shim = 0, nil
    if has(tvb, at, part.ethertype) and get(tvb, at, part.ethertype, "value") == sue.prefs.et_sue then
        at = at + part.ethertype.octets
    end
    local second = at
    if has(tvb, at, part.shim) and get(tvb, at, part.shim, "version") == const.SHIM_VERSION then
        shim = at
        at = at + part.shim.octets
    end
    return at, second, shim
end

-- AFH Gen 1 after its Ethertype.
local function dissect_gen1(tvb, pinfo, tree)
    local at, second, shim = gen1_places(tvb)
    local root = tree:add(sue, tvb(0, at), "AFH Gen 1")
    root:add(f.format, shim and "AFH Gen 1, shim" or "AFH Gen 1"):set_generated()
    if second > 0 then
        add_fields(tvb, root, 0, part.ethertype)
    end
    if shim then
        local item = add_word(tvb, root, shim, part.shim)
        expect(tvb, item, shim, part.shim, "words", const.SHIM_WORDS)
        expect(tvb, item, shim, part.shim, "reserved", 0)
        expect(tvb, item, shim, part.shim, "next", const.SHIM_NEXT_RH)
        if is_frame_whole then
            expect(tvb, item, shim, part.shim, "pdu_bytes", tvb:len() - at)
        end
    end
    pass(dissect_pdu, tvb, at, pinfo, tree)
end

-- The name of the dissector of the IP packet after an ESUN header, if its lengths say that there is one.
local function internet_after(tvb, at)
    local octets = tvb:len() - at
    local function fits(length)
        return length == octets or (not is_frame_whole and length > octets)
    end
    if has(tvb, at, part.ipv4) and get(tvb, at, part.ipv4, "version") == const.IPV4_VERSION
        and get(tvb, at, part.ipv4, "ihl") == const.IPV4_IHL
        and fits(get(tvb, at, part.ipv4, "total_length")) then
        return "ip"
    end
    if has(tvb, at, part.ipv6) and get(tvb, at, part.ipv6, "version") == const.IPV6_VERSION
        and fits(get(tvb, at, part.ipv6, "payload_length") + const.IPV6_BYTES) then
        return "ipv6"
    end
    return nil
end

-- ESUN after its Ethertype.
local function dissect_esun(tvb, pinfo, tree)
    local word = part.esun
    if not has(tvb, 0, word) then
        tree:add(sue, tvb(), "ESUN"):add_proto_expert_info(e.cut, "Too short for an ESUN header")
        return
    end
    local root = add_word(tvb, tree, 0, word)
    root:add(f.format, "ESUN"):set_generated()
    expect(tvb, root, 0, word, "rev", const.ESUN_REVISION)
    local internet = internet_after(tvb, word.octets)
    if internet then
        call(internet, after(tvb, word.octets), pinfo, tree)
    else
        pass(dissect_pdu, tvb, word.octets, pinfo, tree)
    end
end

-- True if what is after this Ethertype is ESUN and not AFH Gen 1.
local function is_esun(tvb, ethertype)
    local prefs = sue.prefs
    if ethertype ~= prefs.et_esun or prefs.format == GEN1 then
        return false
    end
    if prefs.format == ESUN or (ethertype ~= prefs.et_afh1 and ethertype ~= prefs.et_sue) then
        return true
    end
    local octets = octets_of(tvb)
    if ends_with_r_crc(octets, (gen1_places(tvb))) then
        return false
    end
    return ends_with_r_crc(octets, part.esun.octets) or internet_after(tvb, part.esun.octets) ~= nil
end

-- The Ethertype of the frame that is being dissected, for what is called after it.
local current_ethertype = const.ET_AFH1

-- Behind the Ethertypes of AFH Gen 1 and ESUN, which Ethernet and 802.1Q look up.
local sue_ethertype = Proto("sue_ethertype", "Scale-Up Ethernet after an Ethertype")
function sue_ethertype.dissector(tvb, pinfo, tree)
    if tvb:len() > 0 then
        local dissect = is_esun(tvb, current_ethertype) and dissect_esun or dissect_gen1
        dissect(tvb, pinfo, tree)
    end
    return tvb:len()
end

-- Behind UDP.
function sue.dissector(tvb, pinfo, tree)
    if tvb:len() > 0 then
        dissect_pdu(tvb, pinfo, tree)
    end
    return tvb:len()
end

-- True if one of these Ethertypes is the given one.
local function is_one_of(ethertype, first, second, third)
    return ethertype == first or ethertype == second or ethertype == third
end

-- True if octet 0 has a compressed key and the Ethertype after six octets is ours.
local function is_compressed(tvb)
    local at = part.afh2c.octets
    if not has(tvb, at, part.ethertype) or get(tvb, 0, part.key, "w") ~= 1 then
        return false
    end
    local ethertype = get(tvb, at, part.ethertype, "value")
    return is_one_of(ethertype, sue.prefs.et_sue, sue.prefs.et_lite)
end

-- The Ethertype of ours after 12 octets of addresses and maybe a tag.
local function find_ethertype(tvb)
    local at = part.afh2.octets
    if not has(tvb, at, part.ethertype) then
        return nil
    end
    local prefs, is_tagged = sue.prefs, false
    local ethertype = get(tvb, at, part.ethertype, "value")
    if ethertype == const.TAG_TPID and has(tvb, at + part.tag.octets, part.ethertype) then
        ethertype = get(tvb, at + part.tag.octets, part.ethertype, "value")
        is_tagged = true
    end
    if is_one_of(ethertype, prefs.et_afh1, prefs.et_sue, prefs.et_esun) then
        return ethertype, is_tagged
    end
    return nil
end

-- True if the 12 octets in the place of addresses are AFH Gen 2. MAC addresses made of the configuration begin alike at both
-- ends, up to the FID; AFH Gen 2 has TC and entropy there, and the hop count in octet 6.
local function is_afh2(tvb, ethertype, is_tagged)
    if is_tagged or ethertype ~= sue.prefs.et_sue then
        return false
    end
    if sue.prefs.format ~= AUTO then
        return sue.prefs.format == GEN2
    end
    local key, half = get(tvb, 0, part.afh2, "key"), part.da.octets
    local is_key = key - get(tvb, 0, part.key, "m") == const.KEY_NORMAL
        and get(tvb, 0, part.afh2, "source_key") == const.SOURCE_KEY
        and get(tvb, 0, part.afh2, "reserved") == 0 and get(tvb, 0, part.afh2, "source_reserved") == 0
    local alike = part.da.fid.at
    local is_mac = get(tvb, half, part.sa, "prefix") == const.MAC_PREFIX
        and tvb:raw(0, alike) == tvb:raw(half, alike)
    return is_key and not is_mac
end

-- Whether a frame with a header of so many octets ends with its FCS, and what the FCS says. `ends_in_r_crc` tells it where
-- the FCS is wrong or missing.
local function judge_fcs(tvb, header, ends_in_r_crc)
    local octets = octets_of(tvb)
    if not is_frame_whole or #octets < header + const.CRC_BYTES or sue.prefs.fcs == ABSENT then
        return nil
    end
    local residue = fcs_register(octets, 1, #octets)
    if residue == const.FCS_RESIDUE then
        return GOOD
    elseif residue == const.FCS_POISON_RESIDUE then
        return POISONED
    elseif sue.prefs.fcs == AUTO and ends_in_r_crc(octets) then
        return nil
    end
    return BAD
end

-- The frame without its FCS, and a function that shows the FCS.
local function split_fcs(tvb, header, ends_in_r_crc)
    local status = judge_fcs(tvb, header, ends_in_r_crc)
    if not status then
        return tvb, function() end
    end
    local covered = tvb:len() - const.CRC_BYTES
    return tvb(0, covered):tvb(), function(tree)
        local expected = unsigned(bits.bxor(fcs_register(octets_of(tvb), 1, covered), const.FCS_FINAL_XOR))
        local root = tree:add(sue, tvb(covered, const.CRC_BYTES), "Scale-Up Ethernet, FCS")
        add_crc(root, tvb(covered, const.CRC_BYTES), f.fcs, f.fcs_status, status, expected,
            status == POISONED and e.poisoned or e.fcs)
    end
end

-- The FIDs in MAC addresses that are made of the configuration.
local function add_addresses(tvb, tree)
    local root = tree:add(sue, tvb(0, part.da.octets + part.sa.octets), "Scale-Up Ethernet, addresses")
    add_word(tvb, root, 0, part.da, "Destination")
    add_word(tvb, root, part.da.octets, part.sa, "Source")
end

-- A frame that is not ours goes to Wireshark's own dissector of Ethernet.
local function dissect_ethernet(tvb, pinfo, tree)
    local name = "eth_maybefcs"
    if sue.prefs.fcs == ABSENT then
        name = "eth_withoutfcs"
    elseif sue.prefs.fcs == PRESENT or judge_fcs(tvb, 1, function() return true end) then
        name = "eth_withfcs"
    end
    call(name, tvb, pinfo, tree)
end

-- In the place of Ethernet: a compressed header has its Ethertype where Ethernet has the source address.
local sue_frame = Proto("sue_frame", "Scale-Up Ethernet or Ethernet")
function sue_frame.dissector(tvb, pinfo, tree)
    is_frame_whole = tvb:len() == tvb:reported_len()
    if is_compressed(tvb) then
        local at = part.afh2c.octets + part.ethertype.octets
        local frame, add_fcs = split_fcs(tvb, at, function(octets) return ends_with_r_crc(octets, at) end)
        dissect_compressed(frame, pinfo, tree)
        add_fcs(tree)
        return
    end
    local ethertype, is_tagged = find_ethertype(tvb)
    if not ethertype then
        dissect_ethernet(tvb, pinfo, tree)
        return
    end
    local at = part.afh2.octets + part.ethertype.octets + (is_tagged and part.tag.octets or 0)
    local frame, add_fcs = split_fcs(tvb, at, function(octets)
        local rest = after(tvb, at)
        return rest and (ends_with_r_crc(octets, at + gen1_places(rest))
            or ends_with_r_crc(octets, at + part.esun.octets)
            or internet_after(rest, part.esun.octets) ~= nil)
    end)
    if is_afh2(frame, ethertype, is_tagged) then
        dissect_afh2(frame, pinfo, tree)
    else
        current_ethertype = ethertype
        add_addresses(frame, tree)
        call("eth_withoutfcs", frame, pinfo, tree)
    end
    add_fcs(tree)
end

-- Ports and Ethertypes follow the settings.
local registered = {}
local function register()
    for _, entry in ipairs(registered) do
        entry.table:remove(entry.number, entry.proto)
    end
    registered = {}
    local function add(name, number, proto)
        local entry = { table = DissectorTable.get(name), number = number, proto = proto }
        entry.table:add(number, proto)
        registered[#registered + 1] = entry
    end
    add("udp.port", sue.prefs.udp_port, sue)
    local seen = {}
    for _, ethertype in ipairs({ sue.prefs.et_afh1, sue.prefs.et_sue, sue.prefs.et_esun }) do
        if not seen[ethertype] then
            add("ethertype", ethertype, sue_ethertype)
            seen[ethertype] = true
        end
    end
end
sue.prefs_changed = register
register()
DissectorTable.get("wtap_encap"):add(wtap.ETHERNET, sue_frame)
