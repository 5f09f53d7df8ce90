//! Whether a beat ends a packet.

use crate::packet::PacketPart;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::flit::FLIT_BITS;

/// A beat of `F` flits, `FLITS_W` = 65 `F` bits; combinational.
#[block("vl_ends", f = F)]
pub struct VlEnds<const F: usize, const FLITS_W: usize> {
    /// The beat.
    beat: In<Bits<FLITS_W>>,
    /// A Tail or TailBad is in it.
    ends: Out<Bit>,
    part: [PacketPart; F],
}

#[logic]
impl<const F: usize, const FLITS_W: usize> VlEnds<F, FLITS_W> {
    fn update(&mut self) {
        let mut any = false;
        for i in 0..F {
            part[i].flit = beat.bits::<FLIT_BITS>(i * 65);
            any = any | part[i].closes;
        }
        ends = any;
    }
}
