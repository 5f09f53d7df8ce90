//! Highs, with their Low or alone.

use super::COPY_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::master_time_high;

/// Chooses a High for the next clock: that of the Low that stays, or without a Low that of the lowest tree (chapter 20, 4.5
/// rule 3). Indices are those of the rings, clockwise first. `clear` forgets all Highs.
#[derive(LogicBlock)]
pub struct InjectHighs {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// By tree: a High has come.
    pub came: [Signal<In, Bits<4>>; 2],
    /// The stored High of `read_tree`, see [`COPY_BITS`].
    pub stored: [Signal<In, Bits<COPY_BITS>>; 2],
    /// A Low stays for the next clock.
    pub low_stays: Signal<In, Bit>,
    /// Its tree.
    pub low_tree: Signal<In, Bits<2>>,
    /// A beat is taken in this clock.
    pub taken: Signal<In, Bit>,
    /// There is a High in it.
    pub high_taken: Signal<In, Bit>,
    /// EPOCH_HOLD.
    pub hold: Signal<In, Bit>,
    /// Tree whose stored High is read.
    pub read_tree: Signal<Out, Bits<2>>,
    /// A High that goes alone is chosen.
    pub lone: Signal<Out, Bit>,
    /// `payload` is that of the High of the Low that stayed.
    pub pair: Signal<Out, Bit>,
    /// A High has just come.
    pub fresh: Signal<Out, Bit>,
    /// Payload of the High that was chosen.
    pub payload: Signal<Out, Bits<48>>,
    /// Event by tree: removed by `hold`.
    pub held_back: Signal<Out, Bits<4>>,
    waits: DFF<Bits<4>>,
    /// By tree: ring its stored High came on.
    ring: DFF<Bits<4>>,
    /// Tree of the High that was chosen, and the ring it came on.
    tree: DFF<Bits<2>>,
    tree_ring: DFF<Bit>,
    pair_now: DFF<Bit>,
    held_now: DFF<Bits<4>>,
    any_came: Signal<Local, Bits<4>>,
    here: Signal<Local, Bits<4>>,
    chosen: Signal<Local, Bits<2>>,
    rings: Signal<Local, Bits<4>>,
    fields: Signal<Local, Bits<COPY_BITS>>,
    nobody: Constant<Bits<4>>,
    number: [Constant<Bits<2>>; 4],
}

impl Default for InjectHighs {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            came: Default::default(),
            stored: Default::default(),
            low_stays: Default::default(),
            low_tree: Default::default(),
            taken: Default::default(),
            high_taken: Default::default(),
            hold: Default::default(),
            read_tree: Default::default(),
            lone: Default::default(),
            pair: Default::default(),
            fresh: Default::default(),
            payload: Default::default(),
            held_back: Default::default(),
            waits: Default::default(),
            ring: Default::default(),
            tree: Default::default(),
            tree_ring: Default::default(),
            pair_now: Default::default(),
            held_now: Default::default(),
            any_came: Default::default(),
            here: Default::default(),
            chosen: Default::default(),
            rings: Default::default(),
            fields: Default::default(),
            nobody: Constant::new(0.into()),
            number: std::array::from_fn(|tree| Constant::new((tree as u64).into())),
        }
    }
}

impl Logic for InjectHighs {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, waits, ring, tree, tree_ring, pair_now, held_now);
        self.any_came.next = self.came[0].val() | self.came[1].val();
        self.here.next = self.waits.q.val() | self.any_came.val();

        // The High for the next clock.
        self.chosen.next = self.number[3].val();
        for i in 0..3 {
            if self.here.val().get_bit(2 - i) {
                self.chosen.next = self.number[2 - i].val();
            }
        }
        if self.low_stays.val() {
            self.chosen.next = self.low_tree.val();
        }
        self.rings.next = (self.ring.q.val() & !self.came[0].val()) | self.came[1].val();
        self.ring.d.next = self.rings.val();
        self.tree.d.next = self.chosen.val();
        self.tree_ring.d.next = self.rings.val().get_bit(self.chosen.val().index());
        self.lone.next = self.here.val().any() & !self.low_stays.val() & !self.hold.val();
        self.pair_now.d.next = self.low_stays.val()
            & self.here.val().get_bit(self.low_tree.val().index())
            & !self.taken.val()
            & !self.hold.val()
            & !self.clear.val();

        // The one that was chosen.
        self.read_tree.next = self.tree.q.val();
        self.fields.next = self.stored[0].val();
        if self.tree_ring.q.val() {
            self.fields.next = self.stored[1].val();
        }
        self.payload.next = bit_cast::<48, 40>(self.fields.val().get_bits::<40>(0))
            | (bit_cast::<48, 2>(self.tree.q.val()) << 40)
            | (bit_cast::<48, 2>(self.fields.val().get_bits::<2>(44)) << 42)
            | (bit_cast::<48, 4>(self.fields.val().get_bits::<4>(40)) << 44);
        self.pair.next = self.pair_now.q.val();
        self.fresh.next = self.any_came.val().any();

        // What stays.
        self.waits.d.next = self.here.val();
        if self.high_taken.val() {
            self.waits.d.next = self.here.val().replace_bit(self.tree.q.val().index(), false);
        }
        self.held_now.d.next = self.nobody.val();
        if self.hold.val() {
            self.waits.d.next = self.nobody.val();
            self.held_now.d.next = self.here.val();
        }
        if self.clear.val() {
            self.waits.d.next = self.nobody.val();
            self.held_now.d.next = self.nobody.val();
        }
        self.held_back.next = self.held_now.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("inject_highs", &[])
    }
}

drive_ports!(impl[] InjectHighs {
    clock, clear, came, stored, low_stays, low_tree, taken, high_taken, hold, read_tree, lone, pair, fresh, payload,
    held_back,
});

const _: () = assert!(
    master_time_high::tree::LOW == 40
        && master_time_high::era::LOW == 42
        && master_time_high::quality::LOW == 44
);
const _: () = assert!(COPY_BITS == 46);
