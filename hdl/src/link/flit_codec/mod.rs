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

use crate::config::{check_derived, check_one_of, ConfigError};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset, Settings};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
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
#[derive(LogicBlock)]
pub struct FlitClass {
    /// The flit.
    pub flit: Signal<In, Bits<FLIT_BITS>>,
    /// See the module.
    pub carried: Signal<Out, Bit>,
    /// See the module.
    pub illegal: Signal<Out, Bit>,
    /// See the module.
    pub link_transfer: Signal<Out, Bit>,
    /// See the module.
    pub special: Signal<Out, Bit>,
    /// See the module.
    pub time_flit: Signal<Out, Bit>,
    control: Signal<Local, Bit>,
    opcode: Signal<Local, Bits<6>>,
    subtype: Signal<Local, Bits<8>>,
    is_special: Signal<Local, Bit>,
    is_carried: Signal<Local, Bit>,
    is_idle: Signal<Local, Bit>,
    carried_opcodes: Constant<Bits<64>>,
    transfer_opcodes: Constant<Bits<64>>,
    idle_opcode: Constant<Bits<6>>,
    special_opcode: Constant<Bits<6>>,
    first_time: Constant<Bits<8>>,
    last_time: Constant<Bits<8>>,
}

impl Default for FlitClass {
    fn default() -> Self {
        let set = |member: fn(u8) -> bool| {
            Constant::new((0..64).fold(Bits::<64>::default(), |bits, opcode| {
                bits.replace_bit(usize::from(opcode), member(opcode))
            }))
        };
        Self {
            flit: Default::default(),
            carried: Default::default(),
            illegal: Default::default(),
            link_transfer: Default::default(),
            special: Default::default(),
            time_flit: Default::default(),
            control: Default::default(),
            opcode: Default::default(),
            subtype: Default::default(),
            is_special: Default::default(),
            is_carried: Default::default(),
            is_idle: Default::default(),
            carried_opcodes: set(|code| is_reliable_code(code) && code != Opcode::Idle.code()),
            transfer_opcodes: set(is_link_transfer_code),
            idle_opcode: Constant::new(u64::from(Opcode::Idle.code()).into()),
            special_opcode: Constant::new(u64::from(Opcode::Spc.code()).into()),
            first_time: Constant::new(u64::from(SpcSubtype::MasterTimeLow.code()).into()),
            last_time: Constant::new(u64::from(SpcSubtype::DelayResp.code()).into()),
        }
    }
}

impl Logic for FlitClass {
    #[hdl_gen]
    fn update(&mut self) {
        self.control.next = !self.flit.val().get_bits::<3>(62).any();
        self.opcode.next = self.flit.val().get_bits::<6>(56);
        self.subtype.next = self.flit.val().get_bits::<8>(48);
        self.is_special.next = self.control.val() & (self.opcode.val() == self.special_opcode.val());
        self.is_carried.next =
            !self.control.val() | self.carried_opcodes.val().get_bit(self.opcode.val().index());
        self.is_idle.next = self.control.val() & (self.opcode.val() == self.idle_opcode.val());
        self.carried.next = self.is_carried.val();
        self.illegal.next = !self.is_carried.val() & !self.is_idle.val();
        self.link_transfer.next =
            self.control.val() & self.transfer_opcodes.val().get_bit(self.opcode.val().index());
        self.special.next = self.is_special.val();
        self.time_flit.next = self.is_special.val()
            & (self.subtype.val() >= self.first_time.val())
            & (self.subtype.val() <= self.last_time.val());
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("flit_class", &[])
    }
}

drive_ports!(impl[] FlitClass { flit, carried, illegal, link_transfer, special, time_flit });

/// A beat of `F` flits, `FLITS_W` = 65 F bits; see the [module](self).
#[derive(LogicBlock)]
pub struct FlitCodec<const F: usize, const FLITS_W: usize> {
    /// The beat.
    pub beat: Signal<In, Bits<FLITS_W>>,
    /// See the module.
    pub carried: Signal<Out, Bits<F>>,
    /// See the module.
    pub illegal: Signal<Out, Bits<F>>,
    /// See the module.
    pub link_transfer: Signal<Out, Bits<F>>,
    /// See the module.
    pub special: Signal<Out, Bits<F>>,
    /// See the module.
    pub time_flits: Signal<Out, Bits<F>>,
    class: [FlitClass; F],
}

/// Codec of one flit per beat.
pub type FlitCodec1 = FlitCodec<1, 65>;
/// Codec of two flits per beat.
pub type FlitCodec2 = FlitCodec<2, 130>;
/// Codec of four flits per beat.
pub type FlitCodec4 = FlitCodec<4, 260>;

impl<const F: usize, const FLITS_W: usize> FlitCodec<F, FLITS_W> {
    /// A codec, or the reason why not.
    pub fn new() -> Result<Self, ConfigError> {
        FlitCodecConfig { flits: F, flits_bits: FLITS_W }.check()?;
        Ok(Self {
            beat: Default::default(),
            carried: Default::default(),
            illegal: Default::default(),
            link_transfer: Default::default(),
            special: Default::default(),
            time_flits: Default::default(),
            class: std::array::from_fn(|_| FlitClass::default()),
        })
    }
}

impl<const F: usize, const FLITS_W: usize> Logic for FlitCodec<F, FLITS_W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.carried.next = 0.into();
        self.illegal.next = 0.into();
        self.link_transfer.next = 0.into();
        self.special.next = 0.into();
        self.time_flits.next = 0.into();
        for i in 0..F {
            self.class[i].flit.next = self.beat.val().get_bits::<FLIT_BITS>(i * 65);
            self.carried.next = self.carried.val().replace_bit(i, self.class[i].carried.val());
            self.illegal.next = self.illegal.val().replace_bit(i, self.class[i].illegal.val());
            self.link_transfer.next =
                self.link_transfer.val().replace_bit(i, self.class[i].link_transfer.val());
            self.special.next = self.special.val().replace_bit(i, self.class[i].special.val());
            self.time_flits.next = self.time_flits.val().replace_bit(i, self.class[i].time_flit.val());
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("flit_codec", &[("f", F.to_string())])
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize] FlitCodec<F, FLITS_W> {
    beat, carried, illegal, link_transfer, special, time_flits,
});

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "flit_codec",
    chapter: "10-link",
    summary: "kinds of the flits of a beat",
    parameters: &[ParameterInfo {
        name: "f",
        default: 2,
        allowed: Allowed::OneOf(&[1, 2, 4]),
        doc: "flits per beat",
    }],
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
