//! Parameters and registry entry of `link_replay`.

use super::LinkReplay;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::{beats_per_ltp, flit_beat_bits, FLITS_PER_BEAT, WIRE_BITS_PER_FLIT_1056};
use flitforge_protocol::link::REPLAY_LTPS;
use flitforge_protocol::ltp::SIDEBAND_BITS;
use flitforge_protocol::retry::{GUARD_LTPS, GUARD_LTPS_MAX, GUARD_LTPS_MIN};

/// Parameters of a [`LinkReplay`]; all but `flits`, `slots` and `guard` follow from these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayConfig {
    /// Flits per beat, `F`.
    pub flits: usize,
    /// Replay slots, R.
    pub slots: usize,
    /// LTPs beyond the round trip before a slot is reused, GUARD_LTPS.
    pub guard: u32,
    /// Bits of a beat, `FLITS_W`.
    pub flits_bits: usize,
    /// Bits of a word of the RAM, `WORD_W`.
    pub word_bits: usize,
    /// Bits that count an LTP's beats, `INDEX_W`.
    pub index_bits: usize,
    /// Bits that count the slots, `SLOT_W`.
    pub slot_bits: usize,
    /// Bits of an address of the RAM, `ADDRESS_W`.
    pub address_bits: usize,
}

impl ReplayConfig {
    /// Refuses what chapter 10 does not know, and derived widths that do not fit.
    pub fn check(&self) -> Result<(), ConfigError> {
        let (name, flits) = ("link_replay", self.flits as u64);
        check_one_of(name, "flits", flits, &FLITS_PER_BEAT.map(|f| f as u64))?;
        check_one_of(name, "slots", self.slots as u64, &REPLAY_LTPS.map(|r| r as u64))?;
        check_range(name, "guard", self.guard.into(), GUARD_LTPS_MIN.into(), GUARD_LTPS_MAX.into())?;
        let derived = |parameter, value: usize, formula, derived| {
            check_derived(name, parameter, value as u64, formula, derived)
        };
        let index_bits = u64::from(beats_per_ltp(self.flits).ilog2());
        let slot_bits = u64::from(self.slots.ilog2());
        derived("flits_bits", self.flits_bits, "65 * flits", 65 * flits)?;
        derived("word_bits", self.word_bits, "66 * flits + 2", 66 * flits + SIDEBAND_BITS as u64)?;
        derived("index_bits", self.index_bits, "log2(16 / flits)", index_bits)?;
        derived("slot_bits", self.slot_bits, "log2(slots)", slot_bits)?;
        derived("address_bits", self.address_bits, "slot_bits + index_bits", slot_bits + index_bits)
    }
}

/// Parameters of `link_replay` and of what is built with it.
pub(crate) const PARAMETERS: &[ParameterInfo] = &[
    ParameterInfo::new("f", 2, Allowed::OneOf(&[1, 2, 4]), "flits per beat"),
    ParameterInfo::new("r", REPLAY_LTPS[3] as u64, Allowed::OneOf(&[16, 32, 64, 128, 256]), "replay slots"),
    ParameterInfo::new(
        "guard",
        GUARD_LTPS as u64,
        Allowed::Range(GUARD_LTPS_MIN as u64, GUARD_LTPS_MAX as u64),
        "LTPs beyond the round trip before a slot is reused",
    ),
];

/// Presets of `link_replay` and of what is built with it.
pub(crate) const PRESETS: &[Preset] = &[
    Preset { name: "default", values: &[] },
    Preset { name: "small", values: &[("r", 16)] },
    Preset { name: "f1", values: &[("f", 1)] },
    Preset { name: "f4", values: &[("f", 4)] },
];

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "link_replay",
    chapter: "10-link",
    summary: "replay buffer, transmit side of the retry protocol",
    parameters: PARAMETERS,
    presets: PRESETS,
    build,
};

/// Streams that link-layer blocks share: what the receiver has found, and what it wants.
pub(crate) const EVENT_STREAMS: [(&str, StreamRole); 6] = [
    ("retry_req", StreamRole::StreamSink),
    ("request_in", StreamRole::FlowSink),
    ("answer_in", StreamRole::FlowSink),
    ("reply_in", StreamRole::FlowSink),
    ("init_in", StreamRole::FlowSink),
    ("lost", StreamRole::FlowSource),
];

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    shapes! {
        settings: (f, r) => build_as of link::replay [
            f,
            flit_beat_bits(f),
            WIRE_BITS_PER_FLIT_1056 * f + SIDEBAND_BITS,
            log2(beats_per_ltp(f)),
            log2(r),
            log2(r * beats_per_ltp(f))
        ];
        presets { (2, 128) (2, 16) (1, 128) (4, 128) }
    }
}

/// Builds the block with these const parameters; see [`LinkReplay`].
pub fn build_as<
    const F: usize,
    const FLITS_W: usize,
    const WORD_W: usize,
    const INDEX_W: usize,
    const SLOT_W: usize,
    const ADDRESS_W: usize,
>(
    settings: &Settings,
) -> Result<BuiltBlock, ConfigError> {
    let guard = settings.get("guard")? as u32;
    let streams: Vec<_> = EVENT_STREAMS.into_iter().chain([("stored", StreamRole::FlowSink)]).collect();
    let interface = InterfaceInfo::clocked(&streams, None, "an event counts 3 to 5 clocks later");
    let block = LinkReplay::<F, FLITS_W, WORD_W, INDEX_W, SLOT_W, ADDRESS_W>::new(guard)?;
    Ok(BuiltBlock::new(block, interface))
}
