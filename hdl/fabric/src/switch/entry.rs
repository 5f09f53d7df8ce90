//! Registry entry.

use super::word::SIDE_BITS;
use super::{FabSwitch, CREDIT_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::flit_beat_bits;
use flitforge_protocol::flit::MAX_VLS;
use flitforge_protocol::packet::{lane_beat, BYTES_PER_BODY, MAX_PAYLOAD_BYTES, MIN_MTU};
use flitforge_protocol::switch::{MAX_ADDRESS_BITS, MAX_PORTS, MIN_ADDRESS_BITS, MIN_PORTS, PORT_BITS};

const SMALL: &[(&str, u64)] =
    &[("ports", 2), ("lanes", 2), ("vl_buf", 512), ("mtu", MIN_MTU as u64), ("addr_bits", 6)];

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "fab_switch",
    chapter: "10-link",
    summary: "packets from every port to every port, cut through virtually",
    parameters: &[
        ParameterInfo::new("f", 2, Allowed::OneOf(&[1, 2, 4]), "flits per beat"),
        ParameterInfo::new(
            "ports",
            4,
            Allowed::Range(MIN_PORTS as u64, MAX_PORTS as u64),
            "PORTS, without the internal one",
        ),
        ParameterInfo::new("lanes", 4, Allowed::Range(1, MAX_VLS as u64), "virtual lanes, NUM_VLS"),
        ParameterInfo::new(
            "vl_buf",
            16_384,
            Allowed::PowerOfTwo(512, 1 << 19),
            "bytes of buffer for each input and lane, VL_BUF; no less than a packet",
        ),
        ParameterInfo::new(
            "mtu",
            MAX_PAYLOAD_BYTES as u64,
            Allowed::Range(MIN_MTU as u64, MAX_PAYLOAD_BYTES as u64),
            "largest payload, bytes",
        ),
        ParameterInfo::new(
            "addr_bits",
            10,
            Allowed::Range(MIN_ADDRESS_BITS as u64, MAX_ADDRESS_BITS as u64),
            "bits of an address that choose a route",
        ),
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "small", values: SMALL },
        Preset { name: "small_f1", values: &[("f", 1), SMALL[0], SMALL[1], SMALL[2], SMALL[3], SMALL[4]] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (f, ports, lanes, addr_bits, vl_buf) => build_as of fabric::switch [
            f,
            flit_beat_bits(f),
            flit_beat_bits(f) + SIDE_BITS,
            flit_beat_bits(f) + PORT_BITS,
            flit_beat_bits(f) + lane_beat::WIDTH + PORT_BITS,
            lanes,
            CREDIT_BITS * lanes,
            ports,
            ports + 1,
            addr_bits,
            log2(vl_buf / (f * BYTES_PER_BODY)),
            log2(vl_buf / (f * BYTES_PER_BODY)) + 1
        ];
        presets { (2, 4, 4, 10, 16384) (2, 2, 2, 6, 512) (1, 2, 2, 6, 512) }
        others { (2, 16, 2, 6, 512) in "hdl/tests/switch/rig.rs" }
    }
}

/// Builds the block with these const parameters; see [`FabSwitch`].
pub fn build_as<
    const F: usize,
    const FLITS_W: usize,
    const W: usize,
    const X: usize,
    const AGENT_W: usize,
    const N: usize,
    const CR: usize,
    const P: usize,
    const Q: usize,
    const A: usize,
    const B: usize,
    const C: usize,
>(
    settings: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let block = FabSwitch::<F, FLITS_W, W, X, AGENT_W, N, CR, P, Q, A, B, C>::new(settings.size("mtu")?)?;
    Ok(BuiltBlock::new(block, interface(P, N)))
}

fn interface(ports: usize, lanes: usize) -> InterfaceInfo {
    let names =
        |name: &str, count: usize| (0..count).map(|index| format!("{name}[{index}]")).collect::<Vec<_>>();
    let (lanes_in, beats_out, agent_out) =
        (names("lanes_in", ports), names("beats_out", ports), names("agent_out", lanes));
    let mut streams: Vec<_> = lanes_in.iter().map(|name| (name.as_str(), StreamSink)).collect();
    streams.push(("agent_in", StreamSink));
    streams.extend(beats_out.iter().chain(&agent_out).map(|name| (name.as_str(), StreamSource)));
    InterfaceInfo::clocked(&streams, Some(6), "head taken to beats_out.valid, switch idle")
}
