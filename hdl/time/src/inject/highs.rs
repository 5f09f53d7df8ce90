//! Highs, with their Low or alone.

use super::COPY_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time::master_time_high;

/// Chooses a High for the next clock: that of the Low that stays, or without a Low that of the lowest tree (chapter 20, 4.5
/// rule 3). Indices are those of the rings, clockwise first. `clear` forgets all Highs.
#[block("inject_highs")]
pub struct InjectHighs {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// By tree: a High has come.
    arrived: [In<Bits<4>>; 2],
    /// The stored High of `read_tree`, see [`COPY_BITS`].
    stored: [In<Bits<COPY_BITS>>; 2],
    /// A Low stays for the next clock.
    low_pending: In<Bit>,
    /// Its tree.
    low_tree: In<Bits<2>>,
    /// A beat is taken in this clock.
    taken: In<Bit>,
    /// There is a High in it.
    high_taken: In<Bit>,
    /// EPOCH_HOLD.
    hold: In<Bit>,
    /// Tree whose stored High is read.
    read_tree: Out<Bits<2>>,
    /// A High that goes alone is chosen.
    lone: Out<Bit>,
    /// `payload` is that of the High of the Low that stayed.
    pair: Out<Bit>,
    /// A High has just come.
    fresh: Out<Bit>,
    /// Payload of the High that was chosen.
    payload: Out<Bits<48>>,
    /// Event by tree: removed by `hold`.
    held_back: Out<Bits<4>>,
    waits: Reg<Bits<4>>,
    /// By tree: ring its stored High came on.
    ring: Reg<Bits<4>>,
    /// Tree of the High that was chosen, and the ring it came on.
    tree: Reg<Bits<2>>,
    tree_ring: Reg<Bit>,
    pair_now: Reg<Bit>,
    held_now: Reg<Bits<4>>,
    #[init(0)]
    nobody: Constant<Bits<4>>,
    #[init(|tree| tree)]
    number: [Constant<Bits<2>>; 4],
}

#[logic]
impl InjectHighs {
    fn update(&mut self) {
        let any_arrived = arrived[0] | arrived[1];
        let here = waits | any_arrived;

        // The High for the next clock.
        let mut chosen = number[3];
        for i in 0..3 {
            if here[2 - i] {
                chosen = number[2 - i];
            }
        }
        if low_pending {
            chosen = low_tree;
        }
        let rings = (ring & !arrived[0]) | arrived[1];
        ring = rings;
        tree = chosen;
        tree_ring = rings[chosen];
        lone = here.any() & !low_pending & !hold;
        pair_now = low_pending & here[low_tree] & !taken & !hold & !clear;

        // The one that was chosen.
        read_tree = tree;
        let mut fields = stored[0];
        if tree_ring {
            fields = stored[1];
        }
        payload = bit_cast::<48, 40>(fields.bits::<40>(0))
            | (bit_cast::<48, 2>(tree) << 40)
            | (bit_cast::<48, 2>(fields.bits::<2>(44)) << 42)
            | (bit_cast::<48, 4>(fields.bits::<4>(40)) << 44);
        pair = pair_now;
        fresh = any_arrived.any();

        // What stays.
        waits = here;
        if high_taken {
            waits = here.with(tree, false);
        }
        held_now = nobody;
        if hold {
            waits = nobody;
            held_now = here;
        }
        if clear {
            waits = nobody;
            held_now = nobody;
        }
        held_back = held_now;
    }
}

const _: () = assert!(
    master_time_high::tree::LOW == 40
        && master_time_high::era::LOW == 42
        && master_time_high::quality::LOW == 44
);
const _: () = assert!(COPY_BITS == 46);
