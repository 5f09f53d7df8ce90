//! Shares of only Idles on their way over a port.

use crate::config::ConfigError;
use crate::link::flit_codec::FlitCodec;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::flit::{Opcode, DATA_BITS, FLIT_BITS, PAYLOAD_BITS};

/// Bits of a flit above its payload: opcode and type bit.
const CODE_BITS: usize = FLIT_BITS - PAYLOAD_BITS;

/// A flit of this control opcode, payload 0.
const fn flit_of(opcode: Opcode) -> u128 {
    (opcode.code() as u128) << (DATA_BITS - 8)
}

/// Before a port: a share without a flit that `flits_out` of the other end would give becomes one of ForceIdles: Idles, illegal
/// flits, which a port sends as Idles, and SPC flits, which come out elsewhere. Combinational, six LUT levels.
#[derive(LogicBlock)]
pub struct BondMark<const F: usize, const S: usize> {
    /// A share of `F` flits.
    pub share: Signal<In, Bits<S>>,
    /// None of its flits would arrive.
    pub idle: Signal<Out, Bit>,
    /// The share as the port carries it.
    pub marked: Signal<Out, Bits<S>>,
    codec: FlitCodec<F, S>,
    busy: Signal<Local, Bits<F>>,
    forced: Constant<Bits<S>>,
}

impl<const F: usize, const S: usize> BondMark<F, S> {
    /// For shares of `F` flits, `S` = 65 `F`, or the reason why not.
    pub fn new() -> Result<Self, ConfigError> {
        let forced = (0..F).fold(Bits::<S>::default(), |share, slot| {
            (0..FLIT_BITS).fold(share, |share, bit| {
                share.replace_bit(slot * FLIT_BITS + bit, flit_of(Opcode::ForceIdle) >> bit & 1 == 1)
            })
        });
        Ok(Self {
            share: Default::default(),
            idle: Default::default(),
            marked: Default::default(),
            codec: FlitCodec::new()?,
            busy: Default::default(),
            forced: Constant::new(forced),
        })
    }
}

impl<const F: usize, const S: usize> Logic for BondMark<F, S> {
    #[hdl_gen]
    fn update(&mut self) {
        self.codec.beat.next = self.share.val();
        self.busy.next = self.codec.carried.val() & !self.codec.special.val();
        self.idle.next = !self.busy.val().any();
        self.marked.next = self.share.val();
        if !self.busy.val().any() {
            self.marked.next = self.forced.val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("bond_mark", &[("f", F.to_string())])
    }
}

drive_ports!(impl[const F: usize, const S: usize] BondMark<F, S> { share, idle, marked });

/// Behind a port: a share of only ForceIdles becomes one of Idles. Combinational, four LUT levels.
#[derive(LogicBlock)]
pub struct BondUnmark<const F: usize, const S: usize> {
    /// The share as the port carried it.
    pub marked: Signal<In, Bits<S>>,
    /// The share of `F` flits.
    pub share: Signal<Out, Bits<S>>,
    other: Signal<Local, Bits<F>>,
    forced: Constant<Bits<CODE_BITS>>,
}

impl<const F: usize, const S: usize> Default for BondUnmark<F, S> {
    fn default() -> Self {
        Self {
            marked: Default::default(),
            share: Default::default(),
            other: Default::default(),
            forced: Constant::new(u64::from(Opcode::ForceIdle.code()).into()),
        }
    }
}

impl<const F: usize, const S: usize> Logic for BondUnmark<F, S> {
    #[hdl_gen]
    fn update(&mut self) {
        self.other.next = 0.into();
        for i in 0..F {
            self.other.next = self
                .other
                .val()
                .replace_bit(i, self.marked.val().get_bits::<CODE_BITS>(i * 65 + 56) != self.forced.val());
        }
        self.share.next = 0.into();
        if self.other.val().any() {
            self.share.next = self.marked.val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("bond_unmark", &[("f", F.to_string())])
    }
}

drive_ports!(impl[const F: usize, const S: usize] BondUnmark<F, S> { marked, share });
