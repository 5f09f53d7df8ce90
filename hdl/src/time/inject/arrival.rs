//! Copies of one ring: checked, corrected and stored.

use super::{COPY_BITS, RING_WAIT_BITS, RUNNING_BITS, STORED_BITS};
use crate::prim::stream::FlowIn;
use crate::prim::LutRam;
use crate::time::ring::CONTROL_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::{FRAC_BITS, VALUE_BITS};
use flitforge_protocol::time_ring::{slot_control as slot, Embed, SlotKind};

/// Places of the fields that the embodiments have elsewhere: the lowest bit of frac or quality and of the era.
pub(super) const fn places(embed: Embed) -> (u64, u64) {
    match embed {
        Embed::Value => (40, 44),
        Embed::Flit => (44, 42),
    }
}

/// The copies of one ring (chapter 20, 4.4 rules 3 and 4, 4.5 rule 1); `W` bits of data.
///
/// What is behind registers follows a copy by 1 clock. A good Low is in `value`, corrected by its wait on the ring and by
/// `lag`, ready for plane X in that clock. Less `total` it is in the memory of its tree from the clock after on, and so is a good High.
/// A Low comes on one ring of the two, so no memory is written by both. `clear` drops what comes.
#[derive(LogicBlock)]
pub struct TimeArrival<const W: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Data of a Low or a High in the copy register.
    pub copy: FlowIn<Bits<W>>,
    /// Its control bits.
    pub control: Signal<In, Bits<CONTROL_BITS>>,
    /// EXP_SRC of each tree, six bits.
    pub sources: Signal<In, Bits<24>>,
    /// Its wait on the ring, 1/16 ns.
    pub ring_wait: Signal<In, Bits<RING_WAIT_BITS>>,
    /// tx lag of a flit taken in the next clock, signed, 1/16 ns.
    pub lag: Signal<In, Bits<VALUE_BITS>>,
    /// What a Low that is stored has to lose, see [`super::RunningWait`].
    pub total: Signal<In, Bits<RUNNING_BITS>>,
    /// Tree whose Low is read.
    pub low_tree: Signal<In, Bits<2>>,
    /// Tree whose High is read.
    pub high_tree: Signal<In, Bits<2>>,
    /// By tree: a Low has come.
    pub low_came: Signal<Out, Bits<4>>,
    /// Its value in this clock, 1/16 ns.
    pub value: Signal<Out, Bits<VALUE_BITS>>,
    /// Its era.
    pub era: Signal<Out, Bits<2>>,
    /// By tree: a High has come.
    pub high_came: Signal<Out, Bits<4>>,
    /// The stored Low: value, with 16 more fraction bits, and era.
    pub low: Signal<Out, Bits<STORED_BITS>>,
    /// The stored High, see [`COPY_BITS`].
    pub high: Signal<Out, Bits<COPY_BITS>>,
    /// The Low or High that has come, see [`COPY_BITS`].
    pub newest: Signal<Out, Bits<COPY_BITS>>,
    /// Event: RING_PARITY.
    pub parity_bad: Signal<Out, Bit>,
    /// Event: WRONG_SRC.
    pub source_bad: Signal<Out, Bit>,
    lows: LutRam<Bits<STORED_BITS>, 2>,
    highs: LutRam<Bits<COPY_BITS>, 2>,
    low_now: DFF<Bits<4>>,
    high_now: DFF<Bits<4>>,
    /// The value without its wait on the ring.
    value_now: DFF<Bits<VALUE_BITS>>,
    wait_now: DFF<Bits<RING_WAIT_BITS>>,
    tree_now: DFF<Bits<2>>,
    fields_now: DFF<Bits<COPY_BITS>>,
    era_now: Signal<Local, Bits<2>>,
    parity_now: DFF<Bit>,
    source_now: DFF<Bit>,
    odd: Signal<Local, Bit>,
    expected: Signal<Local, Bits<6>>,
    known: Signal<Local, Bit>,
    good_low: Signal<Local, Bit>,
    good_high: Signal<Local, Bit>,
    tree: Signal<Local, Bits<2>>,
    kind: Signal<Local, Bits<2>>,
    source: Signal<Local, Bits<6>>,
    /// The copy in one form, see [`COPY_BITS`].
    fields: Signal<Local, Bits<COPY_BITS>>,
    raw: Signal<Local, Bits<VALUE_BITS>>,
    shifted: Signal<Local, Bits<RUNNING_BITS>>,
    shifted_wait: Signal<Local, Bits<RUNNING_BITS>>,
    kept: Signal<Local, Bits<RUNNING_BITS>>,
    checked: Constant<Bits<CONTROL_BITS>>,
    low_kind: Constant<Bits<2>>,
    high_kind: Constant<Bits<2>>,
    number: [Constant<Bits<2>>; 4],
    nobody: Constant<Bits<4>>,
    offset: Constant<Bits<RUNNING_BITS>>,
    nibble_place: Constant<Bits<6>>,
    era_place: Constant<Bits<6>>,
}

impl<const W: usize> TimeArrival<W> {
    /// For rings of this embodiment, which has `W` bits of data.
    pub fn new(embed: Embed) -> Self {
        let (nibble, era) = places(embed);
        let checked =
            (1_u64 << CONTROL_BITS) - 1 - slot::mon::FIELD.mask() as u64 - slot::v::FIELD.mask() as u64;
        Self {
            clock: Default::default(),
            clear: Default::default(),
            copy: Default::default(),
            control: Default::default(),
            sources: Default::default(),
            ring_wait: Default::default(),
            lag: Default::default(),
            total: Default::default(),
            low_tree: Default::default(),
            high_tree: Default::default(),
            low_came: Default::default(),
            value: Default::default(),
            era: Default::default(),
            high_came: Default::default(),
            low: Default::default(),
            high: Default::default(),
            newest: Default::default(),
            parity_bad: Default::default(),
            source_bad: Default::default(),
            lows: Default::default(),
            highs: Default::default(),
            low_now: Default::default(),
            high_now: Default::default(),
            value_now: Default::default(),
            wait_now: Default::default(),
            tree_now: Default::default(),
            fields_now: Default::default(),
            era_now: Default::default(),
            parity_now: Default::default(),
            source_now: Default::default(),
            odd: Default::default(),
            expected: Default::default(),
            known: Default::default(),
            good_low: Default::default(),
            good_high: Default::default(),
            tree: Default::default(),
            kind: Default::default(),
            source: Default::default(),
            fields: Default::default(),
            raw: Default::default(),
            shifted: Default::default(),
            shifted_wait: Default::default(),
            kept: Default::default(),
            checked: Constant::new(checked.into()),
            low_kind: Constant::new(u64::from(SlotKind::Low.code()).into()),
            high_kind: Constant::new(u64::from(SlotKind::High.code()).into()),
            number: std::array::from_fn(|tree| Constant::new((tree as u64).into())),
            nobody: Constant::new(0.into()),
            offset: Constant::new(0x8001.into()),
            nibble_place: Constant::new(nibble.into()),
            era_place: Constant::new(era.into()),
        }
    }
}

impl<const W: usize> Logic for TimeArrival<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, low_now, high_now, value_now, wait_now, tree_now, fields_now, parity_now, source_now
        );
        clock!(self, clock, lows, highs);

        // Is it good?
        self.odd.next = self.copy.data.val().xor() ^ (self.control.val() & self.checked.val()).xor();
        self.tree.next = self.control.val().get_bits::<2>(6);
        self.kind.next = self.control.val().get_bits::<2>(8);
        self.source.next = self.control.val().get_bits::<6>(0);
        self.expected.next = self.sources.val().get_bits::<6>(0);
        for i in 1..4 {
            if self.tree.val() == self.number[i].val() {
                self.expected.next = self.sources.val().get_bits::<6>(i * 6);
            }
        }
        self.known.next = self.source.val() == self.expected.val();
        self.good_low.next = self.copy.valid.val()
            & !self.odd.val()
            & self.known.val()
            & (self.kind.val() == self.low_kind.val())
            & !self.clear.val();
        self.good_high.next = self.copy.valid.val()
            & !self.odd.val()
            & self.known.val()
            & (self.kind.val() == self.high_kind.val())
            & !self.clear.val();
        self.parity_now.d.next = self.copy.valid.val() & self.odd.val() & !self.clear.val();
        self.source_now.d.next =
            self.copy.valid.val() & !self.odd.val() & !self.known.val() & !self.clear.val();
        self.low_now.d.next = self.nobody.val();
        if self.good_low.val() {
            self.low_now.d.next = self.nobody.val().replace_bit(self.tree.val().index(), true);
        }
        self.high_now.d.next = self.nobody.val();
        if self.good_high.val() {
            self.high_now.d.next = self.nobody.val().replace_bit(self.tree.val().index(), true);
        }

        // The value in the next clock.
        self.fields.next = bit_cast::<COPY_BITS, 40>(self.copy.data.val().get_bits::<40>(0))
            | (bit_cast::<COPY_BITS, 4>(self.copy.data.val().get_bits::<4>(self.nibble_place.val().index()))
                << 40)
            | (bit_cast::<COPY_BITS, 2>(self.copy.data.val().get_bits::<2>(self.era_place.val().index()))
                << 44);
        self.raw.next = (bit_cast::<VALUE_BITS, 40>(self.fields.val().get_bits::<40>(0)) << 4)
            | bit_cast::<VALUE_BITS, 4>(self.fields.val().get_bits::<4>(40));
        self.value_now.d.next = self.raw.val() + self.lag.val();
        self.wait_now.d.next = self.ring_wait.val();
        self.tree_now.d.next = self.tree.val();
        self.fields_now.d.next = self.fields.val();
        self.era_now.next = self.fields_now.q.val().get_bits::<2>(44);

        // The Low that came is stored, half a unit and 1 higher, as the complement of the total is 1 less than it has to lose.
        self.shifted.next =
            (bit_cast::<RUNNING_BITS, VALUE_BITS>(self.value_now.q.val()) << 16) | self.offset.val();
        self.shifted_wait.next = bit_cast::<RUNNING_BITS, RING_WAIT_BITS>(self.wait_now.q.val()) << 16;
        self.kept.next = self.shifted.val() + self.shifted_wait.val() + !self.total.val();
        self.lows.write_enable.next = self.low_now.q.val().any();
        self.lows.write_address.next = self.tree_now.q.val();
        self.lows.write_data.next = bit_cast::<STORED_BITS, RUNNING_BITS>(self.kept.val())
            | (bit_cast::<STORED_BITS, 2>(self.era_now.val()) << 60);
        self.highs.write_enable.next = self.high_now.q.val().any();
        self.highs.write_address.next = self.tree_now.q.val();
        self.highs.write_data.next = self.fields_now.q.val();

        self.lows.read_address.next = self.low_tree.val();
        self.highs.read_address.next = self.high_tree.val();
        self.low.next = self.lows.read_data.val();
        self.high.next = self.highs.read_data.val();
        self.newest.next = self.fields_now.q.val();
        self.low_came.next = self.low_now.q.val();
        self.value.next =
            self.value_now.q.val() + bit_cast::<VALUE_BITS, RING_WAIT_BITS>(self.wait_now.q.val());
        self.era.next = self.era_now.val();
        self.high_came.next = self.high_now.q.val();
        self.parity_bad.next = self.parity_now.q.val();
        self.source_bad.next = self.source_now.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("time_arrival", &[("data", W.to_string())])
    }
}

drive_ports!(impl[const W: usize] TimeArrival<W> {
    clock, clear, copy, control, sources, ring_wait, lag, total, low_tree, high_tree, low_came, value, era, high_came,
    low, high, newest, parity_bad, source_bad,
});

// The positions written as numbers in `update` are those of the slot's layout.
const _: () = assert!(slot::src::LOW == 0 && slot::src::WIDTH == 6 && slot::tree::LOW == 6);
const _: () = assert!(slot::kind::LOW == 8 && FRAC_BITS == 4 && RUNNING_BITS == VALUE_BITS + 16);
