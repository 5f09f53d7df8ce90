//! What a port is set to: format, addresses, Ethertypes.

use crate::sue::format::classes::{ClassError, ClassTable};
use crate::sue::format::octets::{pack, FieldError, Word};
use flitforge_protocol::sue::esun::{self, EsunPayload};
use flitforge_protocol::sue::link_control::MAC_CONTROL_ETHERTYPE;
use flitforge_protocol::sue::network::{
    self, addresses, afh2, afh2_compressed, ethertype, fid, mac, shim, tag, HeaderFormat,
};
use flitforge_protocol::sue::reliability;
use thiserror::Error;

/// Forwarding identifier: an XPU and its port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fid {
    /// Number of the XPU, 12 bits; 10 bits where there is a reliability header.
    pub xpu: u16,
    /// Port, 4 bits, the same at both ends.
    pub port: u8,
}

impl Fid {
    /// The 16 bits.
    pub fn value(self) -> Result<u64, FieldError> {
        let fields = [(fid::xpu::FIELD, self.xpu.into()), (fid::port::FIELD, self.port.into())];
        Ok(pack(&fid::LAYOUT, &fields)? as u64)
    }

    /// The identifier with these 16 bits.
    #[must_use]
    pub fn from_value(value: u16) -> Self {
        let word = Word::of(value);
        Fid { xpu: word.get_u16(fid::xpu::FIELD), port: word.get_u8(fid::port::FIELD) }
    }
}

/// Generation of chapter 40 in the headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Generation {
    /// `GEN_EN` is 0: gg is 0.
    #[default]
    Off,
    /// The octet gg.
    On(u8),
}

impl Generation {
    /// Generation `number` of `bits` bits (GEN_W, 1 to 8), in the top bits of gg.
    pub fn new(number: u8, bits: u8) -> Result<Self, ConfigError> {
        let most = network::GENERATION_BITS_MAX;
        let is_wide_enough = (1..=most).contains(&bits) && u16::from(number) < 1 << bits;
        if is_wide_enough {
            Ok(Generation::On(number << (most - bits)))
        } else {
            Err(ConfigError::Generation { number, bits })
        }
    }

    /// gg.
    #[must_use]
    pub const fn octet(self) -> u8 {
        match self {
            Generation::Off => 0,
            Generation::On(octet) => octet,
        }
    }
}

/// Version of the Internet Protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InternetVersion {
    /// IPv4.
    V4,
    /// IPv6.
    V6,
}

/// Whether frames are sent with an 802.1Q tag. Both kinds are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tagging {
    /// Without.
    Untagged,
    /// With.
    Tagged,
}

/// Whether AFH Gen 1 has a second Ethertype (`ET2_EN`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecondEthertype {
    /// Without.
    Absent,
    /// With.
    Present,
}

/// Whether AFH Gen 1 has a shim (`SHIM_EN`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shim {
    /// Without.
    Absent,
    /// With.
    Present,
}

/// What stands after the network header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// Reliability header, body, R-CRC.
    Reliable,
    /// SUE Lite: the body alone.
    Lite,
}

/// Header format with its options, register FMT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// Ethernet, IP, UDP.
    Standard {
        /// IPv4 or IPv6.
        version: InternetVersion,
        /// 802.1Q tag.
        tagging: Tagging,
    },
    /// AFH Gen 1.
    AfhGen1 {
        /// 802.1Q tag.
        tagging: Tagging,
        /// Second Ethertype.
        second: SecondEthertype,
        /// Shim.
        shim: Shim,
    },
    /// AFH Gen 2, 12 octets.
    AfhGen2,
    /// AFH Gen 2, 6 octets.
    AfhGen2Compressed,
    /// SUE Lite: AFH Gen 2, 6 octets, without reliability header.
    Lite,
    /// ESUN header.
    Esun {
        /// What follows it.
        payload: EsunPayload,
    },
}

impl Framing {
    /// Value of register FMT.
    #[must_use]
    pub const fn format(self) -> HeaderFormat {
        match self {
            Framing::Standard { version: InternetVersion::V4, .. } => HeaderFormat::StandardV4,
            Framing::Standard { version: InternetVersion::V6, .. } => HeaderFormat::StandardV6,
            Framing::AfhGen1 { .. } => HeaderFormat::AfhGen1,
            Framing::AfhGen2 => HeaderFormat::AfhGen2,
            Framing::AfhGen2Compressed | Framing::Lite => HeaderFormat::AfhGen2Compressed,
            Framing::Esun { .. } => HeaderFormat::Esun,
        }
    }

    /// What stands after the header.
    #[must_use]
    pub const fn transport(self) -> Transport {
        match self {
            Framing::Lite => Transport::Lite,
            _ => Transport::Reliable,
        }
    }

    /// The tagging of frames that are sent.
    #[must_use]
    pub const fn tagging(self) -> Tagging {
        match self {
            Framing::Standard { tagging, .. } | Framing::AfhGen1 { tagging, .. } => tagging,
            _ => Tagging::Untagged,
        }
    }

    /// Octets of the network header, without reliability header.
    #[must_use]
    pub fn header_bytes(self) -> usize {
        let of_version = |version| match version {
            InternetVersion::V4 => network::IPV4_BYTES + network::UDP_BYTES,
            InternetVersion::V6 => network::IPV6_BYTES + network::UDP_BYTES,
        };
        let tag_bits = match self.tagging() {
            Tagging::Untagged => 0,
            Tagging::Tagged => tag::WIDTH,
        };
        let ethernet = (addresses::WIDTH + tag_bits + ethertype::WIDTH) / 8;
        match self {
            Framing::Standard { version, .. } => ethernet + of_version(version),
            Framing::AfhGen1 { second, shim, .. } => {
                let second_bits = if second == SecondEthertype::Present { ethertype::WIDTH } else { 0 };
                let shim_bits = if shim == Shim::Present { shim::WIDTH } else { 0 };
                ethernet + (second_bits + shim_bits) / 8
            }
            Framing::AfhGen2 => (afh2::WIDTH + ethertype::WIDTH) / 8,
            Framing::AfhGen2Compressed | Framing::Lite => (afh2_compressed::WIDTH + ethertype::WIDTH) / 8,
            Framing::Esun { payload } => {
                let header = ethernet + esun::header::WIDTH / 8;
                header + esun_version(payload).map_or(0, of_version)
            }
        }
    }
}

/// The version of the IP packet after an ESUN header, if there is one.
pub(super) const fn esun_version(payload: EsunPayload) -> Option<InternetVersion> {
    match payload {
        EsunPayload::ReliabilityHeader => None,
        EsunPayload::Ipv4 => Some(InternetVersion::V4),
        EsunPayload::Ipv6 => Some(InternetVersion::V6),
    }
}

/// IP addresses are these with the number of the XPU added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InternetBase {
    /// `IP_BASE`, the IPv4 address and the low 32 bits of the IPv6 one.
    pub base: u32,
    /// `IP6_MID`, the 32 bits above.
    pub middle: u32,
    /// `IP6_HI`, the upper 64 bits.
    pub high: u64,
}

impl InternetBase {
    /// The low 32 bits of the address of an XPU.
    #[must_use]
    pub const fn address(&self, xpu: u16) -> u32 {
        self.base.wrapping_add(xpu as u32)
    }
}

/// Registers of Ethertypes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ethertypes {
    /// `ET_AFH1`.
    pub afh1: u16,
    /// `ET_SUE`.
    pub sue: u16,
    /// `ET_LITE`.
    pub lite: u16,
    /// `ET_EVT`.
    pub event: u16,
    /// `ET_ESUN`.
    pub esun: u16,
}

impl Default for Ethertypes {
    fn default() -> Self {
        Ethertypes {
            afh1: network::AFH1_ETHERTYPE,
            sue: network::SUE_ETHERTYPE,
            lite: network::LITE_ETHERTYPE,
            event: network::EVENT_ETHERTYPE,
            esun: esun::ETHERTYPE,
        }
    }
}

/// Settings of a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkConfig {
    /// Header format.
    pub framing: Framing,
    /// Own XPU and port.
    pub own: Fid,
    /// Generation in force.
    pub generation: Generation,
    /// `MAC_PART`.
    pub machine_partition: u16,
    /// IP addresses.
    pub internet: InternetBase,
    /// Ethertypes.
    pub ethertypes: Ethertypes,
    /// UDP destination port.
    pub udp_port: u16,
    /// VLAN identifier, 12 bits.
    pub vid: u16,
    /// Hop count, 4 bits: AFH Gen 2, shim, ESUN.
    pub hop: u8,
    /// TTL or hop limit of IP.
    pub ttl: u8,
    /// Classes.
    pub classes: ClassTable,
}

/// Settings that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ConfigError {
    /// A value out of range.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// GEN_EN with a compressed header.
    #[error("GEN_EN: a compressed AFH Gen 2 header has no room for the generation; use another format")]
    GenerationInCompressed,
    /// A generation that does not fit.
    #[error("generation {number} of {bits} bits: it has to fit in GEN_W, which is 1 to 8")]
    Generation {
        /// The generation.
        number: u8,
        /// GEN_W.
        bits: u8,
    },
    /// An Ethertype that means something else.
    #[error("Ethertype {ethertype:#06x} of this format is taken by {owner}; choose another one")]
    EthertypeTaken {
        /// The Ethertype.
        ethertype: u16,
        /// What it means.
        owner: &'static str,
    },
    /// The IP addresses of the last XPUs would wrap.
    #[error("IP_BASE {base:#010x}: {} numbers of XPUs do not fit above it", fid::xpu::FIELD.ones() + 1)]
    InternetBase {
        /// IP_BASE.
        base: u32,
    },
    /// Classes that SUE Lite cannot tell apart.
    #[error(transparent)]
    Class(#[from] ClassError),
}

impl NetworkConfig {
    /// The reset values for an XPU's port in this format.
    #[must_use]
    pub fn new(framing: Framing, own: Fid) -> Self {
        NetworkConfig {
            framing,
            own,
            generation: Generation::Off,
            machine_partition: 0,
            internet: InternetBase { base: network::IP_BASE, middle: 0, high: 0 },
            ethertypes: Ethertypes::default(),
            udp_port: network::UDP_PORT,
            vid: 0,
            hop: network::HOP,
            ttl: network::TTL,
            classes: ClassTable::default(),
        }
    }

    /// The first Ethertype of the format.
    #[must_use]
    pub const fn ethertype(&self) -> u16 {
        match self.framing {
            Framing::Standard { version, .. } => internet_ethertype(version),
            Framing::AfhGen1 { .. } => self.ethertypes.afh1,
            Framing::AfhGen2 | Framing::AfhGen2Compressed => self.ethertypes.sue,
            Framing::Lite => self.ethertypes.lite,
            Framing::Esun { .. } => self.ethertypes.esun,
        }
    }

    fn check(&self) -> Result<(), ConfigError> {
        self.own.value()?;
        pack(&tag::LAYOUT, &[(tag::vid::FIELD, self.vid.into())])?;
        pack(&afh2::LAYOUT, &[(afh2::hop::FIELD, self.hop.into())])?;
        if self.framing.transport() == Transport::Reliable {
            pack(&reliability::header::LAYOUT, &[(reliability::header::xpuid::FIELD, self.own.xpu.into())])?;
        } else {
            self.classes.check_lite()?;
        }
        if self.internet.base.checked_add(fid::xpu::FIELD.ones() as u32).is_none() {
            return Err(ConfigError::InternetBase { base: self.internet.base });
        }
        let is_compressed = self.framing.format() == HeaderFormat::AfhGen2Compressed;
        match (is_compressed, self.generation) {
            (true, Generation::On(_)) => Err(ConfigError::GenerationInCompressed),
            (true, Generation::Off) => Ok(()),
            (false, _) => self.check_ethertype(),
        }
    }

    /// Behind addresses of twelve octets the Ethertype alone tells frames apart.
    fn check_ethertype(&self) -> Result<(), ConfigError> {
        let ethertype = self.ethertype();
        let taken = [
            (self.ethertypes.event, "event frames (ET_EVT)"),
            (MAC_CONTROL_ETHERTYPE, "MAC control"),
            (network::TAG_TPID as u16, "802.1Q tags"),
        ];
        match taken.iter().find(|(value, _)| *value == ethertype) {
            Some(&(_, owner)) => Err(ConfigError::EthertypeTaken { ethertype, owner }),
            None => Ok(()),
        }
    }
}

/// The Ethertype of an IP version.
const fn internet_ethertype(version: InternetVersion) -> u16 {
    match version {
        InternetVersion::V4 => network::IPV4_ETHERTYPE,
        InternetVersion::V6 => network::IPV6_ETHERTYPE,
    }
}

/// A port whose settings are checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Network(NetworkConfig);

impl Network {
    /// A port with these settings.
    pub fn new(config: NetworkConfig) -> Result<Self, ConfigError> {
        config.check()?;
        Ok(Network(config))
    }

    /// The settings.
    #[must_use]
    pub const fn config(&self) -> &NetworkConfig {
        &self.0
    }

    /// MAC address of this port.
    pub fn own_mac(&self) -> Result<u64, FieldError> {
        self.mac(self.0.own, self.0.generation.octet())
    }

    /// MAC address of an XPU's port, with this octet gg.
    pub(super) fn mac(&self, of: Fid, gg: u8) -> Result<u64, FieldError> {
        let fields = [
            (mac::prefix::FIELD, network::MAC_PREFIX),
            (mac::generation::FIELD, gg.into()),
            (mac::machine_partition::FIELD, self.0.machine_partition.into()),
            (mac::fid::FIELD, of.value()?),
        ];
        Ok(pack(&mac::LAYOUT, &fields)? as u64)
    }
}
