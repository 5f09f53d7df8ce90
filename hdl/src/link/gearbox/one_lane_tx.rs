//! Wire beats of 66 bits to words of one lane, shifted where a word leaves and not where a pair comes.

use super::{ROW_BITS, WIRE_BITS_1};
use crate::prim::ram::Ram;
use crate::prim::stream::{StreamIn, StreamOut};
use crate::prim::Register;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Bits of a wire beat in modes 0 and 1.
const NARROW_BITS: usize = 66;
/// Bits of a beat's address in the memory: eight pairs.
const ADDRESS_BITS: usize = 4;
/// Bits below a word that may belong to its row.
const BELOW_BITS: usize = 28;

/// What [`LinkGearboxTx1`](super::LinkGearboxTx1) does with `wide` and `last_lane` 0, clock for clock. The two inputs are there for the sake of
/// what takes either, and mean nothing.
///
/// Pair k of an LTP, 132 bits, begins 4k bits above a word: row j of its four is the 32 bits that end 4k bits below the top of its word j,
/// and the four bits left of pair 7 are the top of a fifth. So one shifter over {word, the 28 bits below it} makes every row. Two pairs and
/// a beat are held, as there; all of them in block RAM without output register, which is read a clock ahead.
#[derive(LogicBlock)]
pub struct LinkGearboxTxLane {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear; the next beat is beat 0 of an LTP.
    pub clear: Signal<In, Bit>,
    /// 0.
    pub wide: Signal<In, Bit>,
    /// 0.
    pub last_lane: Signal<In, Bits<2>>,
    /// Wire beats; bits 66 and 67 are ignored.
    pub wire_in: StreamIn<Bits<WIRE_BITS_1>>,
    /// Rows: a word in bits 0..31, the others are 0.
    pub rows: StreamOut<Bits<ROW_BITS>>,

    memory: Ram<Bits<NARROW_BITS>, ADDRESS_BITS>,
    /// The first beat of a pair is there.
    half: DFF<Bit>,
    /// There is a whole pair behind the one that is sent.
    behind_valid: DFF<Bit>,
    /// k of the pair that comes next, and of the one that is sent.
    pair_in: DFF<Bits<3>>,
    pair_out: DFF<Bits<3>>,
    /// A pair is sent.
    ahead_valid: DFF<Bit>,
    /// That pair has a fifth row; the next row is that one.
    has_fifth: DFF<Bit>,
    is_fifth: DFF<Bit>,
    /// j of the next row.
    offset: DFF<Bits<2>>,
    /// The bits below the next word.
    below: Register<Bits<BELOW_BITS>>,
    /// The two bits of a pair's first beat that begin its third word.
    between: Register<Bits<2>>,

    beat: Signal<Local, Bits<NARROW_BITS>>,
    pair_next: Signal<Local, Bits<3>>,
    offset_next: Signal<Local, Bits<2>>,
    room: Signal<Local, Bit>,
    accepts: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    row_taken: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    uses_up: Signal<Local, Bit>,
    refill: Signal<Local, Bit>,
    word: Signal<Local, Bits<32>>,
    window: Signal<Local, Bits<60>>,
    by_16: Signal<Local, Bits<44>>,
    by_8: Signal<Local, Bits<36>>,
    by_4: Signal<Local, Bits<32>>,
}

impl Default for LinkGearboxTxLane {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            wide: Default::default(),
            last_lane: Default::default(),
            wire_in: Default::default(),
            rows: Default::default(),
            memory: Ram::direct(),
            half: Default::default(),
            behind_valid: Default::default(),
            pair_in: Default::default(),
            pair_out: Default::default(),
            ahead_valid: Default::default(),
            has_fifth: Default::default(),
            is_fifth: Default::default(),
            offset: Default::default(),
            below: Default::default(),
            between: Default::default(),
            beat: Default::default(),
            pair_next: Default::default(),
            offset_next: Default::default(),
            room: Default::default(),
            accepts: Default::default(),
            take: Default::default(),
            row_taken: Default::default(),
            last: Default::default(),
            uses_up: Default::default(),
            refill: Default::default(),
            word: Default::default(),
            window: Default::default(),
            by_16: Default::default(),
            by_8: Default::default(),
            by_4: Default::default(),
        }
    }
}

impl Logic for LinkGearboxTxLane {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            half,
            behind_valid,
            pair_in,
            pair_out,
            ahead_valid,
            has_fifth,
            is_fifth,
            offset
        );
        clock!(self, clock, below, between);
        self.below.clear.next = false;
        self.between.clear.next = false;

        // What goes on in this clock.
        self.last.next = self.offset.q.val().all();
        self.uses_up.next = self.last.val() & !self.has_fifth.q.val();
        self.rows.valid.next = self.ahead_valid.q.val();
        self.row_taken.next = self.ahead_valid.q.val() & self.rows.ready.val();
        self.refill.next = self.behind_valid.q.val()
            & (!self.ahead_valid.q.val() | (self.rows.ready.val() & self.uses_up.val()));
        self.room.next = (!self.behind_valid.q.val() | !self.ahead_valid.q.val())
            | (self.rows.ready.val() & self.uses_up.val());
        self.accepts.next = !self.clear.val() & (!self.half.q.val() | self.room.val());
        self.wire_in.ready.next = self.accepts.val();
        self.take.next = self.half.q.val() & self.wire_in.valid.val() & self.room.val();

        // Beats into memory, by pair.
        self.memory.write_clock.next = self.clock.val();
        self.memory.write_enable.next = self.wire_in.valid.val() & self.accepts.val();
        self.memory.write_address.next =
            (bit_cast::<ADDRESS_BITS, 3>(self.pair_in.q.val()) << 1).replace_bit(0, self.half.q.val());
        self.memory.write_data.next = self.wire_in.data.val().get_bits::<NARROW_BITS>(0);

        // The word of the row, with what is below it.
        self.beat.next = self.memory.read_data.val();
        self.between.d.next = self.beat.val().get_bits::<2>(64);
        self.between.enable.next = self.row_taken.val();
        self.word.next = self.beat.val().get_bits::<32>(0);
        if self.offset.q.val().get_bit(0) {
            self.word.next = self.beat.val().get_bits::<32>(32);
        }
        if self.offset.q.val().get_bit(1) {
            self.word.next = (bit_cast::<32, 30>(self.beat.val().get_bits::<30>(0)) << 2)
                | bit_cast::<32, 2>(self.between.q.val());
            if self.offset.q.val().get_bit(0) {
                self.word.next = self.beat.val().get_bits::<32>(30);
            }
        }
        self.below.d.next = self.word.val().get_bits::<BELOW_BITS>(4);
        if self.uses_up.val() {
            self.below.d.next = self.beat.val().get_bits::<BELOW_BITS>(38);
        }
        self.below.enable.next = self.row_taken.val();
        self.window.next =
            (bit_cast::<60, 32>(self.word.val()) << 28) | bit_cast::<60, BELOW_BITS>(self.below.q.val());
        if self.is_fifth.q.val() {
            self.window.next = (bit_cast::<60, 4>(self.beat.val().get_bits::<4>(62)) << 28)
                | bit_cast::<60, BELOW_BITS>(self.below.q.val());
        }
        // 28 - 4k bits down.
        self.by_16.next = self.window.val().get_bits::<44>(16);
        if self.pair_out.q.val().get_bit(2) {
            self.by_16.next = self.window.val().get_bits::<44>(0);
        }
        self.by_8.next = self.by_16.val().get_bits::<36>(8);
        if self.pair_out.q.val().get_bit(1) {
            self.by_8.next = self.by_16.val().get_bits::<36>(0);
        }
        self.by_4.next = self.by_8.val().get_bits::<32>(4);
        if self.pair_out.q.val().get_bit(0) {
            self.by_4.next = self.by_8.val().get_bits::<32>(0);
        }
        self.rows.data.next = bit_cast::<ROW_BITS, 32>(self.by_4.val());

        // What is here in the next clock.
        if self.wire_in.valid.val() & self.accepts.val() {
            self.half.d.next = !self.half.q.val();
        }
        self.offset_next.next = self.offset.q.val();
        self.pair_next.next = self.pair_out.q.val();
        if self.row_taken.val() {
            self.offset_next.next = self.offset.q.val() + 1;
            if self.last.val() & self.has_fifth.q.val() {
                self.offset_next.next = self.offset.q.val();
                self.has_fifth.d.next = false;
                self.is_fifth.d.next = true;
            }
            if self.uses_up.val() {
                self.ahead_valid.d.next = false;
                self.is_fifth.d.next = false;
                self.pair_next.next = self.pair_out.q.val() + 1;
            }
        }
        self.offset.d.next = self.offset_next.val();
        self.pair_out.d.next = self.pair_next.val();
        self.memory.read_clock.next = self.clock.val();
        self.memory.read_enable.next = true;
        self.memory.output_enable.next = true;
        self.memory.read_address.next = (bit_cast::<ADDRESS_BITS, 3>(self.pair_next.val()) << 1)
            .replace_bit(0, self.offset_next.val().get_bit(1));
        if self.refill.val() {
            self.ahead_valid.d.next = true;
            // `pair_in` is that of the pair behind this one.
            self.has_fifth.d.next = !self.pair_in.q.val().any();
            self.behind_valid.d.next = false;
        }
        if self.take.val() {
            self.behind_valid.d.next = true;
            self.pair_in.d.next = self.pair_in.q.val() + 1;
        }
        if self.clear.val() {
            self.half.d.next = false;
            self.behind_valid.d.next = false;
            self.ahead_valid.d.next = false;
            self.has_fifth.d.next = false;
            self.is_fifth.d.next = false;
            self.offset.d.next = 0.into();
            self.pair_in.d.next = 0.into();
            self.pair_out.d.next = 0.into();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("link_gearbox_tx", &[("f", "1".into()), ("lanes", "1".into())])
    }
}

drive_ports!(impl[] LinkGearboxTxLane { clock, clear, wide, last_lane, wire_in, rows });
