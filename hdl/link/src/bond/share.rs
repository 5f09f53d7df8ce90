//! Shares of only Idles on their way over a port.

use crate::flit_codec::FlitCodec;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::flit::{Opcode, DATA_BITS, FLIT_BITS, PAYLOAD_BITS};

/// Bits of a flit above its payload: opcode and type bit.
const CODE_BITS: usize = FLIT_BITS - PAYLOAD_BITS;

/// A flit of this control opcode, payload 0.
const fn flit_of(opcode: Opcode) -> u128 {
    (opcode.code() as u128) << (DATA_BITS - 8)
}

/// Before a port: a share without a flit that `flits_out` of the other end would give becomes one of ForceIdles: Idles, illegal
/// flits, which a port sends as Idles, and SPC flits, which come out elsewhere. Combinational, six LUT levels.
#[block("bond_mark", new, f = F)]
pub struct BondMark<const F: usize, const S: usize> {
    /// A share of `F` flits.
    share: In<Bits<S>>,
    /// None of its flits would arrive.
    idle: Out<Bit>,
    /// The share as the port carries it.
    marked: Out<Bits<S>>,
    codec: FlitCodec<F, S>,
    forced: Constant<Bits<S>>,
}

#[logic]
impl<const F: usize, const S: usize> BondMark<F, S> {
    /// For shares of `F` flits, `S` = 65 `F`, or the reason why not.
    pub fn new() -> Result<Self, ConfigError> {
        let forced = (0..F).fold(Bits::<S>::default(), |share, slot| {
            (0..FLIT_BITS).fold(share, |share, bit| {
                share.replace_bit(slot * FLIT_BITS + bit, flit_of(Opcode::ForceIdle) >> bit & 1 == 1)
            })
        });
        Ok(Self { codec: FlitCodec::new()?, forced: Constant::new(forced), .. })
    }

    fn update(&mut self) {
        codec.beat = share;
        let busy = codec.carried & !codec.special;
        idle = !busy.any();
        marked = share;
        if !busy.any() {
            marked = forced;
        }
    }
}

/// Behind a port: a share of only ForceIdles becomes one of Idles. Combinational, four LUT levels.
#[block("bond_unmark", f = F)]
pub struct BondUnmark<const F: usize, const S: usize> {
    /// The share as the port carried it.
    marked: In<Bits<S>>,
    /// The share of `F` flits.
    share: Out<Bits<S>>,
    #[init(Opcode::ForceIdle)]
    forced: Constant<Bits<CODE_BITS>>,
}

#[logic]
impl<const F: usize, const S: usize> BondUnmark<F, S> {
    fn update(&mut self) {
        let mut other: Bits<F> = 0;
        for i in 0..F {
            other = other.with(i, marked.bits::<CODE_BITS>(i * 65 + 56) != forced);
        }
        share = 0;
        if other.any() {
            share = marked;
        }
    }
}
