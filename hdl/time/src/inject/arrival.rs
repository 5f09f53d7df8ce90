//! Copies of one ring: checked, corrected and stored.

use super::{COPY_BITS, RING_WAIT_BITS, RUNNING_BITS, STORED_BITS};
use crate::ring::CONTROL_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::LutRam;
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
#[block("time_arrival", new, data = W)]
pub struct TimeArrival<const W: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Data of a Low or a High in the copy register.
    pub copy: FlowIn<Bits<W>>,
    /// Its control bits.
    control: In<Bits<CONTROL_BITS>>,
    /// EXP_SRC of each tree, six bits.
    sources: In<Bits<24>>,
    /// Its wait on the ring, 1/16 ns.
    ring_wait: In<Bits<RING_WAIT_BITS>>,
    /// tx lag of a flit taken in the next clock, signed, 1/16 ns.
    lag: In<Bits<VALUE_BITS>>,
    /// What a Low that is stored has to lose, see [`super::RunningWait`].
    total: In<Bits<RUNNING_BITS>>,
    /// Tree whose Low is read.
    low_tree: In<Bits<2>>,
    /// Tree whose High is read.
    high_tree: In<Bits<2>>,
    /// By tree: a Low has come.
    low_arrived: Out<Bits<4>>,
    /// Its value in this clock, 1/16 ns.
    value: Out<Bits<VALUE_BITS>>,
    /// Its era.
    era: Out<Bits<2>>,
    /// By tree: a High has come.
    high_arrived: Out<Bits<4>>,
    /// The stored Low: value, with 16 more fraction bits, and era.
    low: Out<Bits<STORED_BITS>>,
    /// The stored High, see [`COPY_BITS`].
    high: Out<Bits<COPY_BITS>>,
    /// The Low or High that has come, see [`COPY_BITS`].
    newest: Out<Bits<COPY_BITS>>,
    /// Event: RING_PARITY.
    parity_bad: Out<Bit>,
    /// Event: WRONG_SRC.
    source_bad: Out<Bit>,
    #[wire(clock)]
    lows: LutRam<Bits<STORED_BITS>, 2>,
    #[wire(clock)]
    highs: LutRam<Bits<COPY_BITS>, 2>,
    low_now: Reg<Bits<4>>,
    high_now: Reg<Bits<4>>,
    /// The value without its wait on the ring.
    value_now: Reg<Bits<VALUE_BITS>>,
    wait_now: Reg<Bits<RING_WAIT_BITS>>,
    tree_now: Reg<Bits<2>>,
    fields_now: Reg<Bits<COPY_BITS>>,
    era_now: Local<Bits<2>>,
    parity_now: Reg<Bit>,
    source_now: Reg<Bit>,
    odd: Local<Bit>,
    expected: Local<Bits<6>>,
    known: Local<Bit>,
    good_low: Local<Bit>,
    good_high: Local<Bit>,
    checked: Constant<Bits<CONTROL_BITS>>,
    #[init(SlotKind::Low)]
    low_kind: Constant<Bits<2>>,
    #[init(SlotKind::High)]
    high_kind: Constant<Bits<2>>,
    #[init(|tree| tree)]
    number: [Constant<Bits<2>>; 4],
    #[init(0)]
    nobody: Constant<Bits<4>>,
    #[init(0x8001)]
    offset: Constant<Bits<RUNNING_BITS>>,
    nibble_place: Constant<Bits<6>>,
    era_place: Constant<Bits<6>>,
}

#[logic]
impl<const W: usize> TimeArrival<W> {
    /// For rings of this embodiment, which has `W` bits of data.
    pub fn new(embed: Embed) -> Self {
        let (nibble, era) = places(embed);
        let checked =
            (1_u64 << CONTROL_BITS) - 1 - slot::mon::FIELD.mask() as u64 - slot::v::FIELD.mask() as u64;
        Self {
            checked: Constant::new(checked.into()),
            nibble_place: Constant::new(nibble.into()),
            era_place: Constant::new(era.into()),
            ..
        }
    }

    fn update(&mut self) {
        // Is it good?
        odd = copy.data.xor() ^ (control & checked).xor();
        let tree = control.bits::<2>(6);
        let kind = control.bits::<2>(8);
        let source = control.bits::<6>(0);
        expected = sources.bits::<6>(0);
        for i in 1..4 {
            if tree == number[i] {
                expected = sources.bits::<6>(i * 6);
            }
        }
        known = source == expected;
        good_low = copy.valid & !odd & known & (kind == low_kind) & !clear;
        good_high = copy.valid & !odd & known & (kind == high_kind) & !clear;
        parity_now = copy.valid & odd & !clear;
        source_now = copy.valid & !odd & !known & !clear;
        low_now = nobody;
        if good_low {
            low_now = nobody.with(tree, true);
        }
        high_now = nobody;
        if good_high {
            high_now = nobody.with(tree, true);
        }

        // The value in the next clock.
        // The copy in one form, see [`COPY_BITS`].
        let fields = bit_cast::<COPY_BITS, 40>(copy.data.bits::<40>(0))
            | (bit_cast::<COPY_BITS, 4>(copy.data.bits::<4>(nibble_place)) << 40)
            | (bit_cast::<COPY_BITS, 2>(copy.data.bits::<2>(era_place)) << 44);
        let raw = (bit_cast::<VALUE_BITS, 40>(fields.bits::<40>(0)) << 4)
            | bit_cast::<VALUE_BITS, 4>(fields.bits::<4>(40));
        value_now = raw + lag;
        wait_now = ring_wait;
        tree_now = tree;
        fields_now = fields;
        era_now = fields_now.bits::<2>(44);

        // The Low that came is stored, half a unit and 1 higher, as the complement of the total is 1 less than it has to lose.
        let shifted = (bit_cast::<RUNNING_BITS, VALUE_BITS>(value_now) << 16) | offset;
        let shifted_wait = bit_cast::<RUNNING_BITS, RING_WAIT_BITS>(wait_now) << 16;
        let kept = shifted + shifted_wait + !total;
        lows = In { write_enable: low_now.any(), write_address: tree_now };
        lows.write_data =
            bit_cast::<STORED_BITS, RUNNING_BITS>(kept) | (bit_cast::<STORED_BITS, 2>(era_now) << 60);
        highs = In { write_enable: high_now.any(), write_address: tree_now, write_data: fields_now };

        lows.read_address = low_tree;
        highs.read_address = high_tree;
        low = lows.read_data;
        high = highs.read_data;
        newest = fields_now;
        low_arrived = low_now;
        value = value_now + bit_cast::<VALUE_BITS, RING_WAIT_BITS>(wait_now);
        era = era_now;
        high_arrived = high_now;
        parity_bad = parity_now;
        source_bad = source_now;
    }
}

// The positions written as numbers in `update` are those of the slot's layout.
const _: () = assert!(slot::src::LOW == 0 && slot::src::WIDTH == 6 && slot::tree::LOW == 6);
const _: () = assert!(slot::kind::LOW == 8 && FRAC_BITS == 4 && RUNNING_BITS == VALUE_BITS + 16);
