//! Whether a beat ends a packet.

use crate::fabric::packet::PacketPart;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::flit::FLIT_BITS;

/// A beat of `F` flits, `FLITS_W` = 65 `F` bits; combinational.
#[derive(LogicBlock)]
pub struct VlEnds<const F: usize, const FLITS_W: usize> {
    /// The beat.
    pub beat: Signal<In, Bits<FLITS_W>>,
    /// A Tail or TailBad is in it.
    pub ends: Signal<Out, Bit>,
    part: [PacketPart; F],
    any: Signal<Local, Bit>,
}

impl<const F: usize, const FLITS_W: usize> Default for VlEnds<F, FLITS_W> {
    fn default() -> Self {
        Self { beat: Default::default(), ends: Default::default(), part: defaults(), any: Default::default() }
    }
}

impl<const F: usize, const FLITS_W: usize> Logic for VlEnds<F, FLITS_W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.any.next = false;
        for i in 0..F {
            self.part[i].flit.next = self.beat.val().get_bits::<FLIT_BITS>(i * 65);
            self.any.next = self.any.val() | self.part[i].closes.val();
        }
        self.ends.next = self.any.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("vl_ends", &[("f", F.to_string())])
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize] VlEnds<F, FLITS_W> { beat, ends });
