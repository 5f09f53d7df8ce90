//! Where a packet to send ends that its link has lost.

use crate::vl::VlEnds;
use flitforge_hdl_prim::prelude::*;

/// Beats of one lane on their way to `fab_vl_tx`. A packet that has begun when the link starts afresh is taken and thrown away up to its end:
/// the peer knows nothing of it any more. Combinational. `FLITS_W` = 65 `F`.
#[block("fab_gate", new, f = F)]
pub struct FabGate<const F: usize, const FLITS_W: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// No packet has begun.
    clear: In<Bit>,
    /// The link starts afresh; nothing passes.
    starts: In<Bit>,
    /// Beats of packets.
    pub beats_in: StreamIn<Bits<FLITS_W>>,
    /// The beat that is offered ends a packet.
    ends: Out<Bit>,
    /// Those that go to the link.
    pub beats_out: StreamOut<Bits<FLITS_W>>,

    offered: VlEnds<F, FLITS_W>,
    open: Reg<Bit>,
    dropping: Reg<Bit>,
}

#[logic]
impl<const F: usize, const FLITS_W: usize> FabGate<F, FLITS_W> {
    /// A gate without a packet.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { .. })
    }

    fn update(&mut self) {
        offered.beat = beats_in.data;
        let passes = !dropping & !starts & !clear;
        ends = offered.ends;
        beats_out = In { data: beats_in.data, valid: beats_in.valid & passes };
        beats_in.ready = (beats_out.ready & passes) | (dropping & !clear);
        if beats_in.valid & beats_out.ready & passes {
            open = !offered.ends;
        }
        if dropping & beats_in.valid & offered.ends {
            dropping = false;
        }
        if starts & open {
            open = false;
            dropping = true;
        }
        if clear {
            open = false;
            dropping = false;
        }
    }
}
