//! The table of headers against the golden model, and what the tests of both sides of the network headers share.

use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::Value;
use flitforge_hdl_sue::frame::FrameWord;
use flitforge_hdl_sue::network::{kind_of, shape_of, ClassSettings, NetworkSettings, KINDS};
use flitforge_model::sue::format::classes::{Class, ClassTable};
use flitforge_model::sue::format::network::{
    Ethertypes, Framing, Generation, InternetBase, InternetVersion, Network, NetworkConfig, SecondEthertype,
    Shim, Tagging,
};
use flitforge_model::sue::format::Fid;
use flitforge_protocol::sue::class::ClassUse;
use flitforge_protocol::sue::esun::EsunPayload;
use flitforge_protocol::sue::header::HeaderShape;
use rand::Rng;
use rust_hdl::prelude::*;

pub type WordBits = Bits<{ <FrameWord as Synth>::BITS }>;

/// Every format with every combination of its options.
pub fn every_framing() -> Vec<Framing> {
    let mut all = vec![Framing::AfhGen2, Framing::AfhGen2Compressed, Framing::Lite];
    for tagging in [Tagging::Untagged, Tagging::Tagged] {
        for version in [InternetVersion::V4, InternetVersion::V6] {
            all.push(Framing::Standard { version, tagging });
        }
        for second in [SecondEthertype::Absent, SecondEthertype::Present] {
            for shim in [Shim::Absent, Shim::Present] {
                all.push(Framing::AfhGen1 { tagging, second, shim });
            }
        }
    }
    all.extend(EsunPayload::ALL.iter().map(|payload| Framing::Esun { payload: *payload }));
    all
}

/// The same as the table of headers has it.
pub fn shape(framing: Framing) -> HeaderShape {
    let plain = HeaderShape::plain(framing.format());
    let tagged = framing.tagging() == Tagging::Tagged;
    match framing {
        Framing::AfhGen1 { second, shim, .. } => HeaderShape {
            tagged,
            second_ethertype: second == SecondEthertype::Present,
            shim: shim == Shim::Present,
            ..plain
        },
        Framing::Esun { payload } => HeaderShape { payload, ..plain },
        _ => HeaderShape { tagged, ..plain },
    }
}

/// A configuration of a format in which every register has a value of its own.
pub fn random_config(random: &mut impl Rng, framing: Framing, generation: bool) -> NetworkConfig {
    let carries = !matches!(framing, Framing::AfhGen2Compressed | Framing::Lite);
    loop {
        let own = Fid { xpu: random.random_range(0..1024), port: random.random_range(0..4) };
        let mut class = |number: usize| Class {
            dscp: random.random_range(0..64),
            pcp: random.random_range(0..8),
            ..ClassTable::default().class(ClassUse::ALL[number])
        };
        let classes = ClassTable::new([class(0), class(1), class(2), class(3), class(4), class(5)]);
        let Ok(classes) = classes else { continue };
        let config = NetworkConfig {
            generation: if generation && carries { Generation::On(random.random()) } else { Generation::Off },
            machine_partition: random.random(),
            internet: InternetBase {
                base: if random.random() { random.random() } else { 0x0A00_FFF0 },
                middle: random.random(),
                high: random.random(),
            },
            ethertypes: Ethertypes {
                afh1: random.random(),
                sue: random.random(),
                lite: random.random(),
                esun: random.random(),
                ..Default::default()
            },
            udp_port: random.random(),
            vid: random.random_range(0..4096),
            hop: random.random_range(0..16),
            ttl: random.random(),
            classes,
            ..NetworkConfig::new(framing, own)
        };
        let config = if random.random() { near_a_carry(random, config) } else { config };
        if Network::new(config.clone()).is_ok() {
            return config;
        }
    }
}

/// The configuration with an IP_BASE with which the checksum of IPv4 carries in some frames and not in others.
fn near_a_carry(random: &mut impl Rng, mut config: NetworkConfig) -> NetworkConfig {
    let fixed = 0x4500 + 28 + 0x4000 + (u64::from(config.ttl) << 8 | 17) + u64::from(config.own.xpu);
    for _ in 0..2000 {
        let base: u32 = random.random();
        let sum = fixed + 2 * u64::from(base >> 16) + 2 * u64::from(base & 0xFFFF);
        if sum % 0xFFFF > 0xFFFF - 400 {
            config.internet.base = base;
            break;
        }
    }
    config
}

fn wide<const N: usize>(value: u16) -> Bits<N> {
    u64::from(value).into()
}

/// What the registers hold for a configuration.
pub fn settings_of(config: &NetworkConfig) -> NetworkSettings {
    let class = |number: usize| {
        let class = config.classes.class(ClassUse::ALL[number]);
        let (pcp, dscp) = (u64::from(class.pcp).into(), u64::from(class.dscp).into());
        ClassSettings { pcp, dscp, ..Default::default() }
    };
    let shape = shape(config.framing);
    NetworkSettings {
        format: u64::from(shape.format.code()).into(),
        vlan: shape.tagged,
        shim: shape.shim,
        second_ethertype: shape.second_ethertype,
        vid: wide(config.vid),
        hop: u64::from(config.hop).into(),
        ttl: u64::from(config.ttl).into(),
        esun_payload: u64::from(shape.payload.code()).into(),
        lite: config.framing == Framing::Lite,
        afh1_ethertype: wide(config.ethertypes.afh1),
        sue_ethertype: wide(config.ethertypes.sue),
        lite_ethertype: wide(config.ethertypes.lite),
        esun_ethertype: wide(config.ethertypes.esun),
        udp_port: wide(config.udp_port),
        ip_base: u64::from(config.internet.base).into(),
        ip6_middle: u64::from(config.internet.middle).into(),
        ip6_high: config.internet.high.into(),
        own_xpu: wide(config.own.xpu),
        machine_partition: wide(config.machine_partition),
        class_0: class(0),
        class_1: class(1),
        class_2: class(2),
        class_3: class(3),
        class_4: class(4),
        class_5: class(5),
    }
}

/// Octets as words of a frame; those beyond the end are `filler`.
pub fn words_of(octets: &[u8], error: bool, filler: u8) -> Vec<FrameWord> {
    let count = octets.len().div_ceil(8);
    let word = |(place, chunk): (usize, &[u8])| {
        let mut eight = [filler; 8];
        eight[..chunk.len()].copy_from_slice(chunk);
        let last = place + 1 == count;
        FrameWord {
            data: u64::from_le_bytes(eight).into(),
            bytes: (chunk.len() as u64).into(),
            last,
            error: error && last,
        }
    };
    octets.chunks(8).enumerate().map(word).collect()
}

/// The octets of a word.
pub fn octets_of(word: FrameWord) -> Vec<u8> {
    let bytes = u64::from(word.bytes) as usize;
    u64::from(word.data).to_le_bytes()[..bytes.min(8)].to_vec()
}

/// A packed value for a port.
pub fn value_of<T: Synth + Into<Bits<N>>, const N: usize>(packed: T) -> Value {
    let bits: Bits<N> = packed.into();
    bits.to_value()
}

#[test]
fn headers_have_the_octets_of_the_model() {
    for framing in every_framing() {
        assert_eq!(shape(framing).bytes(), framing.header_bytes(), "{framing:?}");
        assert_eq!(shape(framing).bytes() % 2, 0, "{framing:?}");
    }
}

/// A body of the least octets fills the frame to MINF and no further.
#[test]
fn the_least_body_fills_the_frame() {
    for framing in every_framing().into_iter().filter(|framing| *framing != Framing::Lite) {
        for least in [60, 61, 64, 8] {
            let around = framing.header_bytes() + 8 + 4;
            let body = shape(framing).least_body_bytes(least);
            assert!(body % 2 == 0 && around + body >= least, "{framing:?} {least}");
            assert!(body == 0 || around + body - 2 < least, "{framing:?} {least}");
        }
    }
}

#[test]
fn every_format_has_its_numbers() {
    for framing in every_framing() {
        let kinds = kind_of(shape(framing));
        assert!(!kinds.is_empty(), "{framing:?}");
        assert!(kinds.iter().all(|kind| shape_of(*kind) == Some(shape(framing))), "{framing:?}");
    }
    let in_use = (0..KINDS).filter(|kind| shape_of(*kind).is_some()).count();
    let all: usize = every_framing()
        .into_iter()
        .filter(|framing| *framing != Framing::Lite)
        .map(|framing| kind_of(shape(framing)).len())
        .sum();
    assert_eq!(in_use, all, "no number has two meanings");
}
