//! How many slots each virtual channel has.

use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::LutRam;

/// What happens to the slots of a virtual channel.
#[packed]
struct ShareEvent {
    vc: Bits<2>,
    /// One slot more; else one less.
    more: Bit,
}

/// Which virtual channels may have one more of 2^`S` slots (chapter 50, 4.5 rule 2): those with fewer than SLOT_MIN, and all while there are common ones.
///
/// One event every 3 clocks: numbers, comparisons, `obtainable`.
#[block("sue_slot_share", slots = 1usize << S)]
pub struct SlotShare<const S: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Nobody has a slot. High for 4 clocks at least, with `place` counting.
    clear: In<Bit>,
    /// Counts while `clear` is high.
    place: In<Bits<2>>,
    /// SLOT_MIN: slots that each virtual channel has for itself; four times that is not more than there are slots.
    slot_min: In<Bits<8>>,
    /// One slot more for this virtual channel.
    pub begins: FlowIn<Bits<2>>,
    /// One less.
    pub returns: FlowIn<Bits<2>>,
    /// One less, too.
    pub frees: StreamIn<Bits<2>>,
    /// Who may have one more.
    obtainable: Out<Bits<4>>,
    /// Nobody has a slot.
    none_held: Out<Bit>,

    begun: Reg<Bits<2>>,
    begun_waits: Register<Bit>,
    returned: Reg<Bits<2>>,
    returned_waits: Register<Bit>,
    /// An event is compared, is counted.
    stage: Register<Bits<2>>,
    /// Fewer slots than this are not beyond SLOT_MIN after the event.
    threshold: Reg<Bits<9>>,
    #[wire(d = _)]
    least_after: Reg<Bits<9>>,
    event: Reg<ShareEvent>,
    #[wire(clock)]
    used: LutRam<Bits<9>, 2>,
    held: Reg<Bits<9>>,
    counted: Reg<Bits<9>>,
    changed: Reg<Bits<2>>,
    /// Slots beyond SLOT_MIN.
    common: Register<Bits<9>>,
    #[wire(d = _)]
    common_limit: Reg<Bits<9>>,
    #[wire(d = _)]
    has_common: Reg<Bit>,
    below: [Reg<Bit>; 4],
    /// Virtual channels that have a slot.
    holds: [Reg<Bit>; 4],
    #[init(1 << S)]
    slots: Constant<Bits<9>>,
}

#[logic]
impl<const S: usize> SlotShare<S> {
    fn update(&mut self) {
        let turn = self.choose();

        // Compared with SLOT_MIN, and counted.
        let least = bit_cast::<9, 8>(slot_min);
        least_after = least + 1;
        let counts = stage[0];
        let step: Bits<9> = if event.more { 1 } else { 511 };
        used.read_address = turn.vc;
        common.enable = counts & (held >= threshold);
        common = common + step;
        if counts {
            counted = held + step;
            changed = event.vc;
        }
        used.write_enable = stage[1] | clear;
        used.write_address = if clear { place } else { changed };
        used.write_data = if clear { 0 } else { counted };

        // A clock later: who may have one more.
        common_limit = slots - (least << 2);
        has_common = common < common_limit;
        for i in 0..4 {
            if stage[1] & (changed == i) {
                below[i] = counted < least;
                holds[i] = counted.any();
            }
            if clear {
                holds[i] = false;
                below[i] = slot_min.any();
            }
        }
        none_held = !(holds[0] | holds[1] | holds[2] | holds[3]);
        let own: Bits<4> = cat(below[0], below[1], below[2], below[3]);
        obtainable = if clear {
            0
        } else if has_common {
            15
        } else {
            own
        };
    }

    /// The next event: of those that cannot wait outside first.
    fn choose(&mut self) -> ShareEvent {
        let idle = !stage[0] & !stage[1];
        let begins_turn = idle & begun_waits;
        let returns_turn = idle & returned_waits & !begun_waits;
        let frees_turn = idle & !returned_waits & !begun_waits;
        begun_waits = begins.valid | (begun_waits & !begins_turn);
        if begins.valid {
            begun = begins.data;
        }
        returned_waits = returns.valid | (returned_waits & !returns_turn);
        if returns.valid {
            returned = returns.data;
        }
        frees.ready = frees_turn & !clear;
        let comes = begins_turn | returns_turn | (frees_turn & frees.valid);
        stage = cat(comes, stage[0]);
        let vc = if begun_waits {
            begun
        } else if returned_waits {
            returned
        } else {
            frees.data
        };
        let turn = ShareEvent { vc, more: begun_waits };
        if comes {
            event = turn;
            held = used.read_data;
            threshold = if begun_waits { bit_cast::<9, 8>(slot_min) } else { least_after };
        }
        turn
    }
}
