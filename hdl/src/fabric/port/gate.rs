//! Where a packet to send ends that its link has lost.

use crate::config::ConfigError;
use crate::fabric::vl::VlEnds;
use crate::prim::stream::{StreamIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Beats of one lane on their way to `fab_vl_tx`. A packet that has begun when the link starts afresh is taken and thrown away up to its end:
/// the peer knows nothing of it any more. Combinational. `FLITS_W` = 65 `F`.
#[derive(LogicBlock)]
pub struct FabGate<const F: usize, const FLITS_W: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// No packet has begun.
    pub clear: Signal<In, Bit>,
    /// The link starts afresh; nothing passes.
    pub starts: Signal<In, Bit>,
    /// Beats of packets.
    pub beats_in: StreamIn<Bits<FLITS_W>>,
    /// The beat that is offered ends a packet.
    pub ends: Signal<Out, Bit>,
    /// Those that go to the link.
    pub beats_out: StreamOut<Bits<FLITS_W>>,

    offered: VlEnds<F, FLITS_W>,
    open: DFF<Bit>,
    dropping: DFF<Bit>,
    passes: Signal<Local, Bit>,
}

impl<const F: usize, const FLITS_W: usize> FabGate<F, FLITS_W> {
    /// A gate without a packet.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            starts: Default::default(),
            beats_in: Default::default(),
            ends: Default::default(),
            beats_out: Default::default(),
            offered: Default::default(),
            open: Default::default(),
            dropping: Default::default(),
            passes: Default::default(),
        })
    }
}

impl<const F: usize, const FLITS_W: usize> Logic for FabGate<F, FLITS_W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, open, dropping);
        self.offered.beat.next = self.beats_in.data.val();
        self.passes.next = !self.dropping.q.val() & !self.starts.val() & !self.clear.val();
        self.ends.next = self.offered.ends.val();
        self.beats_out.data.next = self.beats_in.data.val();
        self.beats_out.valid.next = self.beats_in.valid.val() & self.passes.val();
        self.beats_in.ready.next =
            (self.beats_out.ready.val() & self.passes.val()) | (self.dropping.q.val() & !self.clear.val());
        if self.beats_in.valid.val() & self.beats_out.ready.val() & self.passes.val() {
            self.open.d.next = !self.offered.ends.val();
        }
        if self.dropping.q.val() & self.beats_in.valid.val() & self.offered.ends.val() {
            self.dropping.d.next = false;
        }
        if self.starts.val() & self.open.q.val() {
            self.open.d.next = false;
            self.dropping.d.next = true;
        }
        if self.clear.val() {
            self.open.d.next = false;
            self.dropping.d.next = false;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("fab_gate", &[("f", F.to_string())])
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize] FabGate<F, FLITS_W> { clock, clear, starts, beats_in, ends, beats_out });
