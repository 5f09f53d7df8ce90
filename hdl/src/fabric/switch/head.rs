//! What the flit that begins a packet says of it.

use crate::fabric::packet::PacketPart;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::flit::{head_bad, FLIT_BITS};
use flitforge_protocol::packet::{head, PacketType};

/// Bits of the AU of a packet: at most 161, if an AU has 8 flits.
pub const UNITS_BITS: usize = 8;
/// Bits of a length.
pub const LEN_BITS: usize = head::len::WIDTH;
/// Bits of an address.
pub const ADDRESS_BITS: usize = head::dst::WIDTH;

/// Reads a Head or HeadBad; everything but `dst` is a register behind it. `high` are the address bits that have to be 0.
#[derive(LogicBlock)]
pub struct SwitchHead {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// The flit.
    pub flit: Signal<In, Bits<FLIT_BITS>>,
    /// Destination, at once.
    pub dst: Signal<Out, Bits<ADDRESS_BITS>>,
    /// A Head without fecn, at once.
    pub unmarked: Signal<Out, Bit>,
    /// AU of the packet.
    pub units: Signal<Out, Bits<UNITS_BITS>>,
    /// Longer than the MTU.
    pub too_long: Signal<Out, Bit>,
    /// An address above ADDR_W.
    pub too_far: Signal<Out, Bit>,
    /// For the internal port, whatever the address.
    pub management: Signal<Out, Bit>,

    part: PacketPart,
    unit_count: DFF<Bits<UNITS_BITS>>,
    long: DFF<Bit>,
    far: DFF<Bit>,
    at_agent: DFF<Bit>,
    len: Signal<Local, Bits<LEN_BITS>>,
    sum: Signal<Local, Bits<15>>,
    ptype: Signal<Local, Bits<4>>,
    mtu: Constant<Bits<LEN_BITS>>,
    mtu_units: Constant<Bits<UNITS_BITS>>,
    /// Bytes that two more flits and rounding up to an AU are worth.
    more: Constant<Bits<15>>,
    high: Constant<Bits<ADDRESS_BITS>>,
    source_routed: Constant<Bits<4>>,
}

/// Bytes of the Head, the Tail, and an AU less one byte, so that 64 divide the sum with a payload.
const MORE_BYTES: u64 = 16 + 63;

impl SwitchHead {
    /// A reader for this MTU and ADDR_W.
    #[must_use]
    pub fn new(mtu: usize, address_bits: usize) -> Self {
        let high = (1u64 << ADDRESS_BITS) - (1 << address_bits);
        Self {
            clock: Default::default(),
            flit: Default::default(),
            dst: Default::default(),
            unmarked: Default::default(),
            units: Default::default(),
            too_long: Default::default(),
            too_far: Default::default(),
            management: Default::default(),
            part: Default::default(),
            unit_count: Default::default(),
            long: Default::default(),
            far: Default::default(),
            at_agent: Default::default(),
            len: Default::default(),
            sum: Default::default(),
            ptype: Default::default(),
            mtu: Constant::new((mtu as u64).into()),
            mtu_units: Constant::new(((mtu as u64 + MORE_BYTES) / 64).into()),
            more: Constant::new(MORE_BYTES.into()),
            high: Constant::new(high.into()),
            source_routed: Constant::new(u64::from(PacketType::ManagementSourceRouted.code()).into()),
        }
    }
}

impl Logic for SwitchHead {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, unit_count, long, far, at_agent);
        self.part.flit.next = self.flit.val();
        self.dst.next = self.flit.val().get_bits::<ADDRESS_BITS>(0);
        self.len.next = self.flit.val().get_bits::<LEN_BITS>(36);
        self.sum.next = bit_cast::<15, LEN_BITS>(self.len.val()) + self.more.val();
        self.unit_count.d.next = self.sum.val().get_bits::<UNITS_BITS>(6);
        self.long.d.next = self.len.val() > self.mtu.val();
        self.ptype.next = self.flit.val().get_bits::<4>(50);
        if self.part.is_bad.val() {
            // It says no length.
            self.unit_count.d.next = self.mtu_units.val();
            self.long.d.next = false;
            self.ptype.next = self.flit.val().get_bits::<4>(36);
        }
        self.far.d.next = (self.flit.val().get_bits::<ADDRESS_BITS>(0) & self.high.val()).any();
        self.at_agent.d.next = self.ptype.val() == self.source_routed.val();
        self.unmarked.next = !self.part.is_bad.val() & !self.flit.val().get_bit(54);
        self.units.next = self.unit_count.q.val();
        self.too_long.next = self.long.q.val();
        self.too_far.next = self.far.q.val();
        self.management.next = self.at_agent.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("switch_head", &[("mtu", self.mtu.val().index().to_string())])
    }
}

drive_ports!(impl[] SwitchHead { clock, flit, dst, unmarked, units, too_long, too_far, management });

const _: () = assert!(head::dst::LOW == 0 && head_bad::dst::LOW == 0 && head::len::LOW == 36);
const _: () = assert!(head::ptype::LOW == 50 && head_bad::ptype::LOW == 36 && head::fecn::LOW == 54);
