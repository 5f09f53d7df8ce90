//! Which bodies of a port the XPU has got: for the order of commands over two ports (chapter 50, 4.4 rule 4).

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::class::VCS;

/// Tells when all bodies have been given to the XPU that were accepted before a mark.
///
/// - **Marks.** `marks` names a virtual channel: of all its bodies that were accepted until then, none is missing any more when its bit of `passed` is high. A later
///   mark takes the place of one that has not passed. Without a mark the bit is high.
/// - A body counts as given when the last word of its last command was taken.
/// - `passed` is right 2 clocks after a mark. `clear` forgets bodies and marks.
///
/// `Q` bits count the bodies of a virtual channel.
#[block("sue_delivery_watch")]
pub struct DeliveryWatch<const Q: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets bodies and marks.
    clear: In<Bit>,
    /// For each PDU, whether its body is accepted.
    pub committed: FlowIn<Bit>,
    /// Its virtual channel.
    committed_vc: In<Bits<2>>,
    /// A body, of this virtual channel, has left the receive buffer.
    pub released: FlowIn<Bits<2>>,
    /// A word of a command is offered and not taken.
    waits: In<Bit>,
    /// Virtual channels that are marked.
    pub marks: FlowIn<Bits<2>>,
    /// By virtual channel: nothing from before the mark is missing.
    passed: Out<Bits<VCS>>,

    /// Bodies that were accepted and have not left.
    #[wire(d = _)]
    kept: [Reg<Bits<Q>>; VCS],
    /// Those of them from before the mark.
    #[wire(d = _)]
    marked: [Reg<Bits<Q>>; VCS],
    /// The last word of one of them may wait.
    #[wire(d = _)]
    parting: [Reg<Bit>; VCS],
}

#[logic]
impl<const Q: usize> DeliveryWatch<Q> {
    fn update(&mut self) {
        let mut none: Bits<VCS> = 0;
        for i in 0..VCS {
            let comes = committed.valid & committed.data & (committed_vc == i);
            let leaves = released.valid & (released.data == i);
            let marks_it = marks.valid & (marks.data == i);
            let after: Bits<Q> = if leaves & !comes {
                kept[i] - 1
            } else if comes & !leaves {
                kept[i] + 1
            } else {
                kept[i]
            };
            let fewer: Bits<Q> = if leaves & marked[i].any() { marked[i] - 1 } else { marked[i] };
            kept[i] = if clear { 0 } else { after };
            marked[i] = if clear {
                0
            } else if marks_it {
                after
            } else {
                fewer
            };
            parting[i] = (leaves | parting[i]) & waits & !clear;
            none = none.with(i, !marked[i].any() & !parting[i]);
        }
        passed = none;
    }
}
