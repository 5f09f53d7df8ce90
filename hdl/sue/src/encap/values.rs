//! What headers are made of: settings, and what is worked out for each frame.

use super::plan::VALUE_BITS;
use crate::frame::PduHead;
use crate::network::NetworkSettings;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::class::{traffic_class, CLASSES};
use flitforge_protocol::sue::network::{
    entropy, entropy_fold, ipv4, IPV4_BYTES, IPV4_IHL, IPV4_VERSION, UDP_BYTES, UDP_PROTOCOL,
};

/// Octets from the start of the IPv4 header to the PDU.
const IPV4_AHEAD: usize = IPV4_BYTES + UDP_BYTES;
/// What is the same in the sum of every IPv4 header.
const FIXED_SUM: u64 = {
    let header = ipv4::version::FIELD.set(0, IPV4_VERSION)
        | ipv4::ihl::FIELD.set(0, IPV4_IHL)
        | ipv4::dont_fragment::FIELD.set(0, 1)
        | ipv4::protocol::FIELD.set(0, UDP_PROTOCOL);
    let (mut sum, mut unit) = (IPV4_AHEAD as u64, 0);
    while unit < ipv4::WIDTH {
        sum += (header >> unit) as u64 & 0xFFFF;
        unit += 16;
    }
    sum
};
/// Bits of TC below the DSCP.
const ECN_BITS: usize = traffic_class::ecn::WIDTH;
const _: () = assert!(CLASSES == 6 && entropy::WIDTH == 14 && FIXED_SUM < 1 << 16);

/// The values of [`VALUES`](super::plan::VALUES).
///
/// Sums of addresses need no carry between their halves in a checksum: 65536 and 1 are the same there. So the checksum is that of
/// `IP_BASE`, twice, of both XPUs and of the rest. What is fixed of it is added up in the first nine clocks after a clear.
#[block("sue_header_values")]
pub struct HeaderValues {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Starts adding.
    clear: In<Bit>,
    /// Registers.
    settings: In<NetworkSettings>,
    /// Ethertype of the format.
    ethertype: In<Bits<16>>,
    /// gg.
    generation: In<Bits<8>>,
    /// What the PDU is sent with.
    head: In<PduHead>,
    /// A frame begins: its head is taken.
    begins: In<Bit>,
    /// Clocks since a clear, at most 15.
    step: In<Bits<4>>,
    /// Frames are sent.
    runs: In<Bit>,
    /// All values.
    values: Out<Bits<VALUE_BITS>>,
    /// Class of the frame.
    class: Out<Bits<3>>,

    held: Reg<PduHead>,
    gg: Reg<Bits<8>>,
    dscp: Reg<Bits<6>>,
    priority: Reg<Bits<3>>,
    #[init(FIXED_SUM)]
    fixed: Register<Bits<16>>,
    carry: Register<Bit>,
    /// The next addend of the fixed sum, and whether there is one.
    #[wire(d = _)]
    addend: Reg<Bits<16>>,
    adds: Register<Bit>,
    #[wire(d = _)]
    xpu: Reg<Bits<12>>,
    #[wire(d = _)]
    address: Reg<Bits<32>>,
    own_address: Reg<Bits<32>>,
    #[wire(d = _)]
    ipv4_length: Reg<Bits<16>>,
    #[wire(d = _)]
    udp_length: Reg<Bits<16>>,
    #[wire(d = _)]
    fixed_and_class: Reg<Bits<17>>,
    #[wire(d = _)]
    length_and_peer: Reg<Bits<17>>,
    #[wire(d = _)]
    total: Reg<Bits<17>>,
    #[wire(d = _)]
    checksum: Reg<Bits<16>>,
}

#[logic]
impl HeaderValues {
    fn update(&mut self) {
        if begins {
            held = head;
            gg = generation;
            self.choose_class();
        }
        class = held.class;

        // Addresses: the own one until frames are sent, then that of the peer.
        let peer = bit_cast::<12, 10>(held.destination);
        xpu = if runs { peer } else { settings.own_xpu };
        address = settings.ip_base + bit_cast::<32, 12>(xpu);
        if !runs {
            own_address = address;
        }

        let length = bit_cast::<16, 13>(held.bytes);
        ipv4_length = length + IPV4_AHEAD;
        udp_length = length + UDP_BYTES;
        self.sum();

        let flow = cat(held.destination, bits::<2>(0), held.vc);
        let folded = Self::fold(flow);
        let ttl = settings.ttl;
        values = cat(
            bits::<1>(1),
            ethertype,
            settings.sue_ethertype,
            settings.vid,
            settings.hop,
            ttl,
            settings.machine_partition,
            settings.udp_port,
            settings.own_xpu,
            own_address,
            settings.ip6_middle,
            settings.ip6_high,
            gg,
            held.port,
            held.destination,
            address,
            bits::<ECN_BITS>(0),
            dscp,
            priority,
            flow,
            folded,
            ipv4_length,
            udp_length,
            held.bytes,
            checksum,
        );
    }

    fn choose_class(&mut self) {
        let chosen = match head.class {
            0 => settings.class_0,
            1 => settings.class_1,
            2 => settings.class_2,
            3 => settings.class_3,
            4 => settings.class_4,
            _ => settings.class_5,
        };
        dscp = chosen.dscp;
        priority = chosen.pcp;
    }

    /// The checksum of IPv4, four clocks after a frame begins.
    fn sum(&mut self) {
        let base = settings.ip_base;
        addend = match step {
            0 | 1 => base[16..32],
            2 | 3 => base[0..16],
            4 => bit_cast::<16, 12>(settings.own_xpu),
            5 => cat(bits::<8>(0), settings.ttl),
            _ => 0,
        };
        let carried: Bits<17> = cat(carry, bits::<16>(0));
        let added: Bits<17> = bit_cast::<17, 16>(fixed) + bit_cast::<17, 16>(addend) + carried;
        adds = !step[3];
        fixed.enable = adds;
        fixed = added[0..16];
        carry.enable = adds;
        carry = added[16];

        let octet: Bits<17> = cat(bits::<ECN_BITS>(0), dscp, bits::<9>(0));
        fixed_and_class = bit_cast::<17, 16>(fixed) + octet;
        length_and_peer = bit_cast::<17, 13>(held.bytes) + bit_cast::<17, 10>(held.destination);
        total = fixed_and_class + length_and_peer;
        let end_around: Bits<16> = cat(total[16], bits::<15>(0));
        checksum = !(total[0..16] + end_around);
    }

    fn fold(flow: Bits<14>) -> Bits<8> {
        let high = bit_cast::<8, 6>(flow[entropy_fold::high]);
        flow[entropy_fold::low] ^ high
    }
}
