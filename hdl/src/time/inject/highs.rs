//! Highs, with their Low or alone.

use super::COPY_BITS;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::master_time_high;
use rust_hdl::prelude::*;

/// The High of the offered Low's tree, or without a Low that of the lowest tree (chapter 20, 4.5 rule 3). Outputs belong
/// to this clock, `held_back` to the clock before. Indices are those of the rings, clockwise first. `clear` forgets all Highs.
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
    /// A Low is offered.
    pub low_offered: Signal<In, Bit>,
    /// Its tree.
    pub low_tree: Signal<In, Bits<2>>,
    /// The Low's High is taken with it.
    pub pair_taken: Signal<In, Bit>,
    /// A lone High is taken.
    pub lone_taken: Signal<In, Bit>,
    /// Its tree.
    pub lone_tree: Signal<In, Bits<2>>,
    /// EPOCH_HOLD.
    pub hold: Signal<In, Bit>,
    /// Tree whose stored High is read.
    pub read_tree: Signal<Out, Bits<2>>,
    /// There is a High of the offered Low's tree.
    pub pair: Signal<Out, Bit>,
    /// There is a High that may go alone.
    pub lone: Signal<Out, Bit>,
    /// A High has just come.
    pub fresh: Signal<Out, Bit>,
    /// Payload of the High.
    pub payload: Signal<Out, Bits<48>>,
    /// Event by tree: removed by `hold`.
    pub held_back: Signal<Out, Bits<4>>,
    waits: DFF<Bits<4>>,
    /// By tree: ring its stored High came on.
    ring: DFF<Bits<4>>,
    held_now: DFF<Bits<4>>,
    any_came: Signal<Local, Bits<4>>,
    here: Signal<Local, Bits<4>>,
    lowest: Signal<Local, Bits<2>>,
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
            low_offered: Default::default(),
            low_tree: Default::default(),
            pair_taken: Default::default(),
            lone_taken: Default::default(),
            lone_tree: Default::default(),
            hold: Default::default(),
            read_tree: Default::default(),
            pair: Default::default(),
            lone: Default::default(),
            fresh: Default::default(),
            payload: Default::default(),
            held_back: Default::default(),
            waits: Default::default(),
            ring: Default::default(),
            held_now: Default::default(),
            any_came: Default::default(),
            here: Default::default(),
            lowest: Default::default(),
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
        dff_setup!(self, clock, waits, ring, held_now);
        self.any_came.next = self.came[0].val() | self.came[1].val();
        self.here.next = self.waits.q.val() | self.any_came.val();
        self.lowest.next = self.number[3].val();
        for i in 0..3 {
            if self.here.val().get_bit(2 - i) {
                self.lowest.next = self.number[2 - i].val();
            }
        }
        self.chosen.next = self.lowest.val();
        if self.low_offered.val() {
            self.chosen.next = self.low_tree.val();
        }
        self.read_tree.next = self.chosen.val();
        self.rings.next = (self.ring.q.val() & !self.came[0].val()) | self.came[1].val();
        self.ring.d.next = self.rings.val();
        self.fields.next = self.stored[0].val();
        if self.rings.val().get_bit(self.chosen.val().index()) {
            self.fields.next = self.stored[1].val();
        }
        self.payload.next = bit_cast::<48, 40>(self.fields.val().get_bits::<40>(0))
            | (bit_cast::<48, 2>(self.chosen.val()) << 40)
            | (bit_cast::<48, 2>(self.fields.val().get_bits::<2>(44)) << 42)
            | (bit_cast::<48, 4>(self.fields.val().get_bits::<4>(40)) << 44);
        self.pair.next = self.low_offered.val() & self.here.val().get_bit(self.low_tree.val().index());
        self.lone.next = self.here.val().any() & !self.low_offered.val() & !self.hold.val();
        self.fresh.next = self.any_came.val().any();

        self.waits.d.next = self.here.val();
        if self.pair_taken.val() {
            self.waits.d.next = self.here.val().replace_bit(self.low_tree.val().index(), false);
        }
        if self.lone_taken.val() {
            self.waits.d.next = self.here.val().replace_bit(self.lone_tree.val().index(), false);
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
    clock, clear, came, stored, low_offered, low_tree, pair_taken, lone_taken, lone_tree, hold, read_tree, pair, lone,
    fresh, payload, held_back,
});

const _: () = assert!(
    master_time_high::tree::LOW == 40 && master_time_high::era::LOW == 42 && master_time_high::quality::LOW == 44
);
const _: () = assert!(COPY_BITS == 46);
