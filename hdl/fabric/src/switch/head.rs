//! What the flit that begins a packet says of it.

use crate::packet::PacketPart;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::flit::{head_bad, FLIT_BITS};
use flitforge_protocol::packet::{head, PacketType};

/// Bits of the AU of a packet: at most 161, if an AU has 8 flits.
pub const UNITS_BITS: usize = 8;
/// Bits of a length.
pub const LEN_BITS: usize = head::len::WIDTH;
/// Bits of an address.
pub const ADDRESS_BITS: usize = head::dst::WIDTH;

/// Reads a Head or HeadBad; everything but `dst` is a register after it. `high` are the address bits that have to be 0.
#[block(new)]
pub struct SwitchHead {
    /// Rising edge counts.
    clock: In<Clock>,
    /// The flit.
    flit: In<Bits<FLIT_BITS>>,
    /// Destination, at once.
    dst: Out<Bits<ADDRESS_BITS>>,
    /// A Head without fecn, at once.
    unmarked: Out<Bit>,
    /// AU of the packet.
    units: Out<Bits<UNITS_BITS>>,
    /// Longer than the MTU.
    too_long: Out<Bit>,
    /// An address above ADDR_W.
    too_far: Out<Bit>,
    /// For the internal port, whatever the address.
    management: Out<Bit>,

    part: PacketPart,
    unit_count: Reg<Bits<UNITS_BITS>>,
    long: Reg<Bit>,
    far: Reg<Bit>,
    at_agent: Reg<Bit>,
    mtu: Constant<Bits<LEN_BITS>>,
    mtu_units: Constant<Bits<UNITS_BITS>>,
    /// Bytes that two more flits and rounding up to an AU are worth.
    #[init(MORE_BYTES)]
    more: Constant<Bits<15>>,
    high: Constant<Bits<ADDRESS_BITS>>,
    #[init(PacketType::ManagementSourceRouted)]
    source_routed: Constant<Bits<4>>,
}

/// Bytes of the Head, the Tail, and an AU less one byte, so that 64 divide the sum with a payload.
const MORE_BYTES: u64 = 16 + 63;

#[logic]
impl SwitchHead {
    /// A reader for this MTU and ADDR_W.
    #[must_use]
    pub fn new(mtu: usize, address_bits: usize) -> Self {
        let high = (1u64 << ADDRESS_BITS) - (1 << address_bits);
        Self {
            mtu: Constant::new((mtu as u64).into()),
            mtu_units: Constant::new(((mtu as u64 + MORE_BYTES) / 64).into()),
            high: Constant::new(high.into()),
            ..
        }
    }

    fn update(&mut self) {
        part.flit = flit;
        dst = flit.bits::<ADDRESS_BITS>(0);
        let len = flit.bits::<LEN_BITS>(36);
        let sum = bit_cast::<15, LEN_BITS>(len) + more;
        unit_count = sum.bits::<UNITS_BITS>(6);
        long = len > mtu;
        let mut ptype = flit.bits::<4>(50);
        if part.is_bad {
            // It says no length.
            unit_count = mtu_units;
            long = false;
            ptype = flit.bits::<4>(36);
        }
        far = (flit.bits::<ADDRESS_BITS>(0) & high).any();
        at_agent = ptype == source_routed;
        unmarked = !part.is_bad & !flit[54];
        units = unit_count;
        too_long = long;
        too_far = far;
        management = at_agent;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("switch_head", &[("mtu", self.mtu.val().index().to_string())])
    }
}

const _: () = assert!(head::dst::LOW == 0 && head_bad::dst::LOW == 0 && head::len::LOW == 36);
const _: () = assert!(head::ptype::LOW == 50 && head_bad::ptype::LOW == 36 && head::fecn::LOW == 54);
