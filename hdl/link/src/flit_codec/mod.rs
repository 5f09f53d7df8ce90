//! `flit_codec`: what each flit of a beat is (chapter 10, 3.1 and 3.2).
//!
//! Combinational, three LUT levels. One output bit per slot; slot `i` holds bits `65i .. 65i + 64` of the
//! beat. The opcode sets come from the protocol crate's table.
//!
//! | output | the flit in the slot is |
//! |---|---|
//! | `carried` | Body, Head, Tail or a control flit of a reliable LTP other than Idle |
//! | `illegal` | a control flit that no reliable LTP may carry: undefined opcode, or one of a Null LTP |
//! | `link_transfer` | a control flit of a Null LTP |
//! | `special` | SPC (in `carried` too) |
//! | `time` | SPC of a time subtype, 0x01 to 0x04 (in `special` too) |
//!
//! Idle flits are in none of them, whatever their payload.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::{flit_beat_bits, FLITS_PER_BEAT};
use flitforge_protocol::flit::{is_link_transfer_code, is_reliable_code, Opcode, SpcSubtype, FLIT_BITS};

/// Parameters of a [`FlitCodec`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlitCodecConfig {
    /// Flits per beat, `F`.
    pub flits: usize,
    /// Bits per beat, `FLITS_W`.
    pub flits_bits: usize,
}

impl FlitCodecConfig {
    /// Refuses beats that chapter 10 does not know.
    pub fn check(&self) -> Result<(), ConfigError> {
        check_one_of("flit_codec", "flits", self.flits as u64, &FLITS_PER_BEAT.map(|f| f as u64))?;
        let derived = flit_beat_bits(self.flits) as u64;
        check_derived("flit_codec", "flits_bits", self.flits_bits as u64, "65 * flits", derived)
    }
}

/// One flit; see the [module](self).
#[block("flit_class")]
pub struct FlitClass {
    /// The flit.
    flit: In<Bits<FLIT_BITS>>,
    /// See the module.
    carried: Out<Bit>,
    /// See the module.
    illegal: Out<Bit>,
    /// See the module.
    link_transfer: Out<Bit>,
    /// See the module.
    special: Out<Bit>,
    /// See the module.
    time_flit: Out<Bit>,
    #[init(bits_where(|code| is_reliable_code(code as u8) && code as u8 != Opcode::Idle.code()))]
    carried_opcodes: Constant<Bits<64>>,
    #[init(bits_where(|code| is_link_transfer_code(code as u8)))]
    transfer_opcodes: Constant<Bits<64>>,
    #[init(Opcode::Idle)]
    idle_opcode: Constant<Bits<6>>,
    #[init(Opcode::Spc)]
    special_opcode: Constant<Bits<6>>,
    #[init(SpcSubtype::MasterTimeLow)]
    first_time: Constant<Bits<8>>,
    #[init(SpcSubtype::DelayResp)]
    last_time: Constant<Bits<8>>,
}

#[logic]
impl FlitClass {
    fn update(&mut self) {
        let control = !flit.bits::<3>(62).any();
        let opcode = flit.bits::<6>(56);
        let subtype = flit.bits::<8>(48);
        let is_special = control & (opcode == special_opcode);
        let is_carried = !control | carried_opcodes[opcode];
        let is_idle = control & (opcode == idle_opcode);
        carried = is_carried;
        illegal = !is_carried & !is_idle;
        link_transfer = control & transfer_opcodes[opcode];
        special = is_special;
        time_flit = is_special & (subtype >= first_time) & (subtype <= last_time);
    }
}

/// A beat of `F` flits, `FLITS_W` = 65 F bits; see the [module](self).
#[block("flit_codec", new, f = F)]
pub struct FlitCodec<const F: usize, const FLITS_W: usize> {
    /// The beat.
    beat: In<Bits<FLITS_W>>,
    /// See the module.
    carried: Out<Bits<F>>,
    /// See the module.
    illegal: Out<Bits<F>>,
    /// See the module.
    link_transfer: Out<Bits<F>>,
    /// See the module.
    special: Out<Bits<F>>,
    /// See the module.
    time_flits: Out<Bits<F>>,
    class: [FlitClass; F],
}

/// Codec of one flit per beat.
pub type FlitCodec1 = FlitCodec<1, 65>;
/// Codec of two flits per beat.
pub type FlitCodec2 = FlitCodec<2, 130>;
/// Codec of four flits per beat.
pub type FlitCodec4 = FlitCodec<4, 260>;

#[logic]
impl<const F: usize, const FLITS_W: usize> FlitCodec<F, FLITS_W> {
    /// A codec, or the reason why not.
    pub fn new() -> Result<Self, ConfigError> {
        FlitCodecConfig { flits: F, flits_bits: FLITS_W }.check()?;
        Ok(Self { class: std::array::from_fn(|_| FlitClass::default()), .. })
    }

    fn update(&mut self) {
        carried = 0;
        illegal = 0;
        link_transfer = 0;
        special = 0;
        time_flits = 0;
        for i in 0..F {
            class[i].flit = beat.bits::<FLIT_BITS>(i * 65);
            carried = carried.with(i, class[i].carried);
            illegal = illegal.with(i, class[i].illegal);
            link_transfer = link_transfer.with(i, class[i].link_transfer);
            special = special.with(i, class[i].special);
            time_flits = time_flits.with(i, class[i].time_flit);
        }
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "flit_codec",
    chapter: "10-link",
    summary: "kinds of the flits of a beat",
    parameters: &[ParameterInfo::new("f", 2, Allowed::OneOf(&[1, 2, 4]), "flits per beat")],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "f1", values: &[("f", 1)] },
        Preset { name: "f4", values: &[("f", 4)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    let interface =
        InterfaceInfo { latency_clocks: Some(0), latency_note: "combinational".into(), ..Default::default() };
    Ok(match settings.get("f")? {
        1 => BuiltBlock::new(FlitCodec1::new()?, interface),
        2 => BuiltBlock::new(FlitCodec2::new()?, interface),
        4 => BuiltBlock::new(FlitCodec4::new()?, interface),
        _ => return Err(settings.unsupported("f", "1, 2 or 4")),
    })
}
