//! Parameters and registry entry of `link_port`.

use super::{LinkPort1, LinkPort2, LinkPort4, LinkPortBits2, LinkPortCompact};
use crate::lane::lane_interface;
use crate::ltp_wide::{CrcModes, ALL_CAPS, CRC_MODES, NARROW_CAPS};
use crate::regs::LinkRegsConfig;
use crate::train::LinkTrainConfig;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_registry::StreamRole;
use flitforge_protocol::beat::{beats_per_ltp, FLITS_PER_BEAT};
use flitforge_protocol::lane_word::{training_set_0, training_set_1, MAX_LANES};
use flitforge_protocol::link::REPLAY_LTPS;
use flitforge_protocol::link_registers::{crc_cfg, credit as credit_register, CRC_CFG, CREDIT};
use flitforge_protocol::ltp::{ltp_words, CrcMode};
use flitforge_protocol::retry::{GUARD_LTPS, GUARD_LTPS_MAX, GUARD_LTPS_MIN};
use rust_hdl::prelude::TimingInfo;

const NAME: &str = "link_port";
/// Largest bond index that a training set can name.
const MAX_BOND_INDEX: u64 = (1 << training_set_0::bond::WIDTH) - 1;
/// Clocks from plane X to a wire beat, from a wire beat to its row, from a row to its lane words.
const TO_LANE_CLOCKS: u64 = 3 + 2 + 2;
/// Clocks from a lane word to its row and from a row to its wire beat.
const FROM_LANE_CLOCKS: u64 = 2 + 2;
/// Clocks from the last wire beat of an LTP to its first data beat, plane R.
const CHECK_CLOCKS: u64 = 3;

/// Build-time choice of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortConfig {
    /// Flits per beat, F.
    pub flits: usize,
    /// Physical lanes.
    pub lanes: usize,
    /// Replay slots, R.
    pub slots: usize,
    /// GUARD_LTPS.
    pub guard: u32,
    /// CRC modes built in besides mode 0.
    pub modes: CrcModes,
    /// Lanes that are not used carry PRBS, and come back once they are clean (4.5, *Probation*).
    pub probation: bool,
    /// Virtual lanes announced to the peer: what will stand in front of the port.
    pub vls: u64,
    /// MTU in bytes, as CAP shows it.
    pub mtu: u64,
    /// GUID after power-on.
    pub guid: u64,
    /// Bond index, if the port is a link of a bond (4.8); the CRC mode is then 1.
    pub bond: Option<usize>,
    /// Training; its lanes are those of the port.
    pub training: LinkTrainConfig,
}

impl PortConfig {
    /// The chapter's numbers for so many flits per beat, lanes and replay slots.
    pub fn new(flits: usize, lanes: usize, slots: usize) -> Self {
        let page = LinkRegsConfig::default();
        let training = LinkTrainConfig::new(lanes);
        Self {
            flits,
            lanes,
            slots,
            guard: GUARD_LTPS,
            modes: CrcModes::Narrow,
            probation: false,
            vls: page.vls,
            mtu: page.mtu,
            guid: page.guid,
            bond: None,
            training,
        }
    }

    /// The same with short timeouts of training, for simulation.
    pub fn short(flits: usize, lanes: usize, slots: usize) -> Self {
        Self { training: LinkTrainConfig::short(lanes), ..Self::new(flits, lanes, slots) }
    }

    /// Refuses what chapter 10 does not know.
    pub fn check(&self) -> Result<(), ConfigError> {
        check_one_of(NAME, "f", self.flits as u64, &FLITS_PER_BEAT.map(|f| f as u64))?;
        check_range(NAME, "lanes", self.lanes as u64, 1, MAX_LANES as u64)?;
        check_one_of(NAME, "r", self.slots as u64, &REPLAY_LTPS.map(|r| r as u64))?;
        check_range(NAME, "guard", self.guard.into(), GUARD_LTPS_MIN.into(), GUARD_LTPS_MAX.into())?;
        check_range(NAME, "bond", self.bond_index(), 0, MAX_BOND_INDEX)?;
        check_derived(NAME, "training.lanes", self.training.lanes as u64, "lanes", self.lanes as u64)?;
        self.training.check()?;
        self.page().check()
    }

    /// Refuses a type that was made for something else.
    pub(super) fn check_type(
        &self,
        flits: usize,
        lanes: usize,
        slot_bits: usize,
        address_bits: usize,
        [wide, probation]: [usize; 2],
    ) -> Result<(), ConfigError> {
        check_derived(NAME, "f", flits as u64, "f of the configuration", self.flits as u64)?;
        check_derived(NAME, "LANES", lanes as u64, "lanes", self.lanes as u64)?;
        check_derived(NAME, "WIDE", wide as u64, "1 with all CRC modes", self.modes.wide() as u64)?;
        check_derived(NAME, "PROBATION", probation as u64, "1 with probation", self.probation.into())?;
        check_derived(NAME, "SLOT_W", slot_bits as u64, "log2(r)", self.slots.ilog2().into())?;
        let address = u64::from((self.slots * beats_per_ltp(flits)).ilog2());
        check_derived(NAME, "ADDRESS_W", address_bits as u64, "log2(16 r / f)", address)
    }

    /// CRC modes built in besides mode 0, as CAP has them.
    pub(super) fn crc_modes(&self) -> u64 {
        self.modes.caps()
    }

    /// What the register page shows.
    pub(super) fn page(&self) -> LinkRegsConfig {
        LinkRegsConfig {
            crc_modes: self.crc_modes(),
            flits: self.flits as u64,
            lanes: self.lanes as u64,
            slots: self.slots as u64,
            vls: self.vls,
            mtu: self.mtu,
            guid: self.guid,
            started: vec![],
        }
    }

    /// What training sets announce in word 1, without what registers say.
    pub(super) fn offer(&self) -> u64 {
        u64::from(self.flits.ilog2()) << training_set_1::log2_flits_per_beat::LOW
            | u64::from(self.slots.ilog2()) << training_set_1::log2_replay_slots::LOW
            | (self.vls - 1) << training_set_1::vls_minus_1::LOW
            | u64::from(self.bond.is_some()) << training_set_1::bonded::LOW
    }

    /// The whole of word 1, with registers at their power-on values.
    pub(super) fn announced(&self) -> u64 {
        let page = self.page();
        let (modes, credit) = (page.power_on(CRC_CFG), page.power_on(CREDIT));
        let field = |value: u64, low: usize, width: usize| value >> low & ((1 << width) - 1);
        self.offer()
            | field(modes, crc_cfg::enabled::LOW, crc_cfg::enabled::WIDTH) & self.crc_modes()
            | field(modes, crc_cfg::preferred::LOW, crc_cfg::preferred::WIDTH)
                << training_set_1::preferred::LOW
            | field(credit, credit_register::v_au::LOW, credit_register::v_au::WIDTH)
                << training_set_1::v_au::LOW
    }

    /// Bond index in training sets; 0 without a bond.
    pub(super) fn bond_index(&self) -> u64 {
        self.bond.unwrap_or_default() as u64
    }

    /// Plane X to lane in clocks, nominal.
    pub fn to_lane_clocks(&self) -> u64 {
        TO_LANE_CLOCKS
    }

    /// Lane to plane R in clocks, nominal: on all lanes, in modes 0 and 1.
    pub fn from_lane_clocks(&self) -> u64 {
        let rows = ltp_words(CrcMode::Standard) / self.lanes;
        FROM_LANE_CLOCKS + beats_per_ltp(self.flits).max(rows) as u64 + CHECK_CLOCKS
    }
}

/// The label of a port of so many flits per beat, lanes and replay slots; `built` names what stands beside it.
pub(super) fn port_label(
    [flits, lanes, slots]: [usize; 3],
    built: &[&'static str],
    [wide, probation]: [usize; 2],
) -> Vec<TimingInfo> {
    let sizes = [("f", flits), ("lanes", lanes), ("r", slots)];
    let mut parameters: Vec<_> = sizes.map(|(name, value)| (name, value.to_string())).into();
    parameters.extend(built.iter().map(|name| (*name, "1".to_string())));
    parameters.extend((wide > 0).then(|| ("modes", CrcModes::All.caps().to_string())));
    parameters.extend((probation > 0).then(|| ("probation", "1".to_string())));
    block_label(NAME, &parameters)
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "link_port",
    chapter: "10-link",
    summary: "one port: retry, LTPs, lanes, training, lane removal, registers",
    parameters: &[
        ParameterInfo::new("f", 2, Allowed::OneOf(&[1, 2, 4]), "flits per beat"),
        ParameterInfo::new("lanes", 4, Allowed::Range(1, 4), "physical lanes"),
        ParameterInfo::new("r", 128, Allowed::PowerOfTwo(16, 256), "replay slots"),
        ParameterInfo::new("guard", GUARD_LTPS as u64, Allowed::Range(GUARD_LTPS_MIN as u64, GUARD_LTPS_MAX as u64), "LTPs beyond the round trip before a slot is reused"),
        ParameterInfo::new("guid", 0, Allowed::Range(0, u64::MAX), "GUID"),
        ParameterInfo::new("short", 0, Allowed::Range(0, 1), "1: short timeouts of training, for simulation"),
        ParameterInfo::new("bits", 0, Allowed::Range(0, 1), "1: every wrong bit is named (link_bit_isolate); F = 2, four lanes"),
        ParameterInfo::new("probation", 0, Allowed::Range(0, 1), "1: lanes that are not used come back once they are clean (link_probation); F = 2, four lanes, CRC modes 0 and 1"),
        ParameterInfo { allowed: Allowed::OneOf(&[0, NARROW_CAPS, ALL_CAPS]), ..CRC_MODES },
        ParameterInfo::new("registers", 1, Allowed::Range(0, 1), "0: without registers, isolation and error injection (LinkPortCompact); F = 1, one lane, crc_modes 0 or 1"),
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "small", values: &[("f", 1), ("lanes", 1), ("r", 16), ("short", 1)] },
        Preset { name: "compact", values: &[("f", 1), ("lanes", 1), ("r", 16), ("short", 1), ("registers", 0), ("crc_modes", 0)] },
        Preset { name: "all_modes", values: &[("crc_modes", ALL_CAPS)] },
        Preset { name: "probation", values: &[("probation", 1)] },
    ],
    build,
};

fn config(settings: &Settings) -> Result<PortConfig, ConfigError> {
    let (flits, lanes, slots) = (settings.size("f")?, settings.size("lanes")?, settings.size("r")?);
    let base = match settings.get("short")? {
        0 => PortConfig::new(flits, lanes, slots),
        _ => PortConfig::short(flits, lanes, slots),
    };
    let modes = CrcModes::from_caps(NAME, settings.get("crc_modes")?)?;
    let probation = settings.get("probation")? == 1;
    let guard = settings.get("guard")? as u32;
    Ok(PortConfig { guard, guid: settings.get("guid")?, modes, probation, ..base })
}

/// Refuses what there is no type for.
fn check_parts(settings: &Settings, config: &PortConfig) -> Result<(), ConfigError> {
    let (bits, registers) = (settings.get("bits")? == 1, settings.get("registers")? == 1);
    let small = (config.flits, config.lanes) == (1, 1) && config.modes != CrcModes::All;
    if !registers && (!small || bits || config.probation) {
        let expected = "0 with f and lanes = 1/1, crc_modes = 0 or 1 and without bits and probation only";
        return Err(settings.unsupported("registers", expected));
    }
    if registers && config.modes == CrcModes::Standard {
        return Err(settings.unsupported("crc_modes", "0 with registers = 0 only"));
    }
    let narrow = config.modes == CrcModes::Narrow && config.flits == 2;
    if bits && (!narrow || config.lanes != MAX_LANES || config.probation) {
        let expected = "1 with f and lanes = 2/4, crc_modes = 1 and without probation only";
        return Err(settings.unsupported("bits", expected));
    }
    if config.probation && (!narrow || config.lanes != MAX_LANES) {
        let expected = "1 with f and lanes = 2/4, crc_modes = 1 and without bits only";
        return Err(settings.unsupported("probation", expected));
    }
    Ok(())
}

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let config = config(settings)?;
    config.check()?;
    check_parts(settings, &config)?;
    if settings.get("registers")? == 0 {
        return shapes! {
            settings: (r) => build_compact_as of link::port [log2(r), log2(r * beats_per_ltp(1))];
            presets { (16) }
        };
    }
    if settings.get("bits")? == 1 {
        return shapes! {
            settings: (lanes, r) => build_bits_2_as of link::port [lanes, log2(r), log2(r * beats_per_ltp(2))];
            presets {}
            others { (4, 128) in "hdl/tests/link_port/bits.rs" }
        };
    }
    let wide = config.modes.wide();
    match config.flits {
        1 => shapes! {
            settings: (lanes, r, wide = wide, probation) =>
                build_1_as of link::port [lanes, log2(r), log2(r * beats_per_ltp(1)), wide, probation];
            presets { (1, 16, 0, 0) }
        },
        2 => shapes! {
            settings: (lanes, r, wide = wide, probation) =>
                build_2_as of link::port [lanes, log2(r), log2(r * beats_per_ltp(2)), wide, probation];
            presets { (4, 128, 0, 0) (4, 128, 1, 0) (4, 128, 0, 1) }
            others { (4, 16, 0, 1) in "hdl/tests/link_port/probation.rs" }
        },
        _ => shapes! {
            settings: (lanes, r, wide = wide, probation) =>
                build_4_as of link::port [lanes, log2(r), log2(r * beats_per_ltp(4)), wide, probation];
            presets {}
        },
    }
}

macro_rules! builder {
    ($name:ident, $block:ident, $interface:ident, [$($part:ident),*]) => {
        /// Builds the block with these const parameters, which are those of its type.
        // A stack frame holds one of these big blocks and not all of them.
        #[inline(never)]
        pub fn $name<$(const $part: usize),*>(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
            let config = config(settings)?;
            Ok(BuiltBlock::new($block::<$($part),*>::new(&config)?, $interface(&config)))
        }
    };
}
builder!(build_1_as, LinkPort1, interface, [LANES, SLOT_W, ADDRESS_W, WIDE, PROBATION]);
builder!(build_2_as, LinkPort2, interface, [LANES, SLOT_W, ADDRESS_W, WIDE, PROBATION]);
builder!(build_4_as, LinkPort4, interface, [LANES, SLOT_W, ADDRESS_W, WIDE, PROBATION]);
builder!(build_bits_2_as, LinkPortBits2, interface, [LANES, SLOT_W, ADDRESS_W]);
builder!(build_compact_as, LinkPortCompact, compact_interface, [SLOT_W, ADDRESS_W]);

/// Channels of every port.
const CHANNELS: [(&str, StreamRole); 6] = [
    ("flits_in", StreamSink),
    ("time_in", StreamSink),
    ("side_in", FlowSink),
    ("flits_out", FlowSource),
    ("spc_out", FlowSource),
    ("side_out", FlowSource),
];

fn interface(config: &PortConfig) -> InterfaceInfo {
    let tests = [("test_rows_in", StreamSink), ("test_rows_out", FlowSource)];
    interface_of(config, &[&CHANNELS[..], &tests].concat())
}

fn compact_interface(config: &PortConfig) -> InterfaceInfo {
    interface_of(config, &CHANNELS)
}

fn interface_of(config: &PortConfig, streams: &[(&'static str, StreamRole)]) -> InterfaceInfo {
    let per_lane = [("tx", StreamSource), ("rx", FlowSink)];
    let latency = config.to_lane_clocks() + config.from_lane_clocks();
    let note = "flit in to flit out, nominal, without the PHY";
    lane_interface(streams, &per_lane, config.lanes, latency as u32, note)
}
