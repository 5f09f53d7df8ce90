//! Data beats to wire beats in modes 2 and 3 (chapter 10, 3.5).

use crate::config::ConfigError;
use crate::link::crc::XorMatrix;
use crate::link::ltp_wide::layout::{spread_data, spread_end, END_BITS};
use crate::link::ltp_wide::{window, WideCrc, CRC_BITS};
use crate::prim::stream::StreamOut;
use crate::prim::Skid;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Bits of the end of an LTP and its CRCs.
const PARTS_BITS: usize = END_BITS + CRC_BITS;

/// Wire beats of 68F bits from the data beats that [`LtpTxAssembler`](super::LtpTxAssembler) has taken.
///
/// As there, wire beat `k` is data beat `k` without its low `3F k` bits, then the low `3F (k + 1)` bits of data beat
/// `k + 1`; behind the last one stand 48 bits of CRC. That is mode 2. In mode 3 the last 136 bits of an LTP are then
/// put together anew. All registers move on `step`: the older beat and the beat moved to its place for the CRCs; the
/// wire beat and what it adds to the CRCs; the wire beat with its CRCs. A skid buffer follows.
#[derive(LogicBlock)]
pub struct LtpTxWide<
    const F: usize,
    const FLITS_W: usize,
    const WIRE_W: usize,
    const INDEX_W: usize,
    const WINDOW_W: usize,
> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Mode 3. It and `three` change only while cleared.
    pub per_lane: Signal<In, Bit>,
    /// With `per_lane`: on three lanes, else on four.
    pub three: Signal<In, Bit>,
    /// All registers move on.
    pub step: Signal<In, Bit>,
    /// A beat taken on this edge is a replayed one.
    pub replayed: Signal<In, Bit>,
    /// The replayed beat taken last is wrong: the CRCs of its LTP are sent inverted.
    pub spoil: Signal<In, Bit>,
    /// The beat taken last.
    pub beat: Signal<In, Bits<FLITS_W>>,
    /// Its place in its LTP.
    pub place: Signal<In, Bits<INDEX_W>>,
    /// There is room for a wire beat.
    pub has_room: Signal<Out, Bit>,
    /// Wire beats.
    pub wire_out: StreamOut<Bits<WIRE_W>>,

    crc: WideCrc<WINDOW_W>,
    spread_four: XorMatrix<WINDOW_W, WINDOW_W>,
    spread_three: XorMatrix<WINDOW_W, WINDOW_W>,
    end_four: XorMatrix<PARTS_BITS, END_BITS>,
    end_three: XorMatrix<PARTS_BITS, END_BITS>,
    wire_skid: Skid<Bits<WIRE_W>>,
    taken_valid: DFF<Bit>,
    taken_replayed: DFF<Bit>,
    sent: DFF<Bits<FLITS_W>>,
    sent_window: DFF<Bits<WINDOW_W>>,
    sent_valid: DFF<Bit>,
    sent_place: DFF<Bits<INDEX_W>>,
    sent_last: DFF<Bit>,
    sent_spoilt: DFF<Bit>,
    formed: DFF<Bits<WIRE_W>>,
    formed_valid: DFF<Bit>,
    formed_last: DFF<Bit>,
    formed_spoilt: DFF<Bit>,
    finished: DFF<Bits<WIRE_W>>,
    finished_valid: DFF<Bit>,
    moved: Signal<Local, Bits<FLITS_W>>,
    in_window: Signal<Local, Bits<WINDOW_W>>,
    for_crc: Signal<Local, Bits<WINDOW_W>>,
    ahead: Signal<Local, Bits<CRC_BITS>>,
    crcs: Signal<Local, Bits<CRC_BITS>>,
    parts: Signal<Local, Bits<PARTS_BITS>>,
    end: Signal<Local, Bits<END_BITS>>,
    upper: Signal<Local, Bits<WIRE_W>>,
    lower: Signal<Local, Bits<WIRE_W>>,
    ones: Constant<Bits<CRC_BITS>>,
    /// Bits of the last wire beat ahead of the end; and of the beat before that belong to the end.
    below: Constant<Bits<WIRE_W>>,
    borrowed: Constant<Bits<WIRE_W>>,
    crc_shift: Constant<Bits<16>>,
    below_shift: Constant<Bits<16>>,
    borrowed_shift: Constant<Bits<16>>,
    parts_shift: Constant<Bits<16>>,
    place_shift: Vec<Constant<Bits<16>>>,
    window_shift: Vec<Constant<Bits<16>>>,
}

/// The low `count` bits.
fn low_bits<const N: usize>(count: usize) -> Bits<N> {
    (0..count).fold(Bits::default(), |bits, index| bits.replace_bit(index, true))
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const WIRE_W: usize,
        const INDEX_W: usize,
        const WINDOW_W: usize,
    > LtpTxWide<F, FLITS_W, WIRE_W, INDEX_W, WINDOW_W>
{
    /// Nothing under way.
    pub fn new() -> Result<Self, ConfigError> {
        let shift = |amount: usize| Constant::new((amount as u64).into());
        let (below, borrowed) = (WIRE_W.saturating_sub(END_BITS), END_BITS.saturating_sub(WIRE_W));
        let wide_shift = CRC_BITS / 16;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            per_lane: Default::default(),
            three: Default::default(),
            step: Default::default(),
            replayed: Default::default(),
            spoil: Default::default(),
            beat: Default::default(),
            place: Default::default(),
            has_room: Default::default(),
            wire_out: Default::default(),
            crc: WideCrc::new(F)?,
            spread_four: XorMatrix::new(spread_data(F, 4))?,
            spread_three: XorMatrix::new(spread_data(F, 3))?,
            end_four: XorMatrix::new(spread_end(4))?,
            end_three: XorMatrix::new(spread_end(3))?,
            wire_skid: Default::default(),
            taken_valid: Default::default(),
            taken_replayed: Default::default(),
            sent: Default::default(),
            sent_window: Default::default(),
            sent_valid: Default::default(),
            sent_place: Default::default(),
            sent_last: Default::default(),
            sent_spoilt: Default::default(),
            formed: Default::default(),
            formed_valid: Default::default(),
            formed_last: Default::default(),
            formed_spoilt: Default::default(),
            finished: Default::default(),
            finished_valid: Default::default(),
            moved: Default::default(),
            in_window: Default::default(),
            for_crc: Default::default(),
            ahead: Default::default(),
            crcs: Default::default(),
            parts: Default::default(),
            end: Default::default(),
            upper: Default::default(),
            lower: Default::default(),
            ones: Constant::new(low_bits(CRC_BITS)),
            below: Constant::new(low_bits(below)),
            borrowed: Constant::new(low_bits(borrowed)),
            crc_shift: shift(WIRE_W - CRC_BITS),
            below_shift: shift(below),
            borrowed_shift: shift(borrowed),
            parts_shift: shift(END_BITS),
            place_shift: (0..INDEX_W).map(|bit| shift((wide_shift * F) << bit)).collect(),
            window_shift: (0..INDEX_W).map(|bit| shift((FLITS_W - window(F)) << bit)).collect(),
        })
    }
}

impl<
        const F: usize,
        const FLITS_W: usize,
        const WIRE_W: usize,
        const INDEX_W: usize,
        const WINDOW_W: usize,
    > Logic for LtpTxWide<F, FLITS_W, WIRE_W, INDEX_W, WINDOW_W>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, taken_valid, taken_replayed);
        dff_setup!(self, clock, sent, sent_window, sent_valid, sent_place, sent_last, sent_spoilt);
        dff_setup!(self, clock, formed, formed_valid, formed_last, formed_spoilt, finished, finished_valid);
        clock!(self, clock, crc, wire_skid);

        // The older beat, moved down to its place in the wire beat, and up to its place in the window.
        self.moved.next = self.beat.val();
        self.in_window.next = bit_cast::<WINDOW_W, FLITS_W>(self.beat.val());
        for i in 0..INDEX_W {
            if self.place.val().get_bit(i) {
                self.moved.next = self.moved.val() >> self.place_shift[i].val();
                self.in_window.next = self.in_window.val() << self.window_shift[i].val();
            }
        }
        self.spread_four.data.next = self.in_window.val();
        self.spread_three.data.next = self.in_window.val();
        self.for_crc.next = self.in_window.val();
        if self.per_lane.val() & self.place.val().all() {
            self.for_crc.next = self.spread_four.sum.val();
            if self.three.val() {
                self.for_crc.next = self.spread_three.sum.val();
            }
        }

        // What follows it: the low bits of the newer one, behind the last one nothing yet.
        self.ahead.next = self.beat.val().get_bits::<CRC_BITS>(0);
        for i in 0..INDEX_W {
            if !self.sent_place.q.val().get_bit(i) {
                self.ahead.next = self.ahead.val() << self.place_shift[i].val();
            }
        }
        if self.sent_last.q.val() {
            self.ahead.next = 0.into();
        }

        // The CRCs: behind the data in mode 2, else among it.
        self.crc.per_lane.next = self.per_lane.val();
        self.crc.three.next = self.three.val();
        self.crc.beat.next = self.sent_window.q.val();
        self.crc.load.next = self.step.val() & self.sent_valid.q.val();
        self.crc.first.next = !self.sent_place.q.val().any();
        self.crc.step.next = self.step.val() & self.formed_valid.q.val();
        self.crcs.next = self.crc.crcs.val();
        if self.formed_spoilt.q.val() {
            self.crcs.next = self.crc.crcs.val() ^ self.ones.val();
        }
        self.parts.next = (bit_cast::<PARTS_BITS, WIRE_W>(self.formed.q.val() >> self.below_shift.val())
            << self.borrowed_shift.val())
            | bit_cast::<PARTS_BITS, WIRE_W>(self.finished.q.val() & self.borrowed.val())
            | (bit_cast::<PARTS_BITS, CRC_BITS>(self.crcs.val()) << self.parts_shift.val());
        self.end_four.data.next = self.parts.val();
        self.end_three.data.next = self.parts.val();
        self.end.next = self.end_four.sum.val();
        if self.three.val() {
            self.end.next = self.end_three.sum.val();
        }
        self.upper.next = self.formed.q.val();
        self.lower.next = self.finished.q.val();
        if self.formed_last.q.val() {
            if self.per_lane.val() {
                self.upper.next = (bit_cast::<WIRE_W, END_BITS>(self.end.val() >> self.borrowed_shift.val())
                    << self.below_shift.val())
                    | (self.formed.q.val() & self.below.val());
                self.lower.next = (self.finished.q.val() & !self.borrowed.val())
                    | (bit_cast::<WIRE_W, END_BITS>(self.end.val()) & self.borrowed.val());
            } else {
                self.upper.next = self.formed.q.val()
                    | (bit_cast::<WIRE_W, CRC_BITS>(self.crcs.val()) << self.crc_shift.val());
            }
        }

        if self.step.val() {
            self.taken_valid.d.next = true;
            self.taken_replayed.d.next = self.replayed.val();
            self.sent.d.next = self.moved.val();
            self.sent_window.d.next = self.for_crc.val();
            self.sent_valid.d.next = self.taken_valid.q.val();
            self.sent_place.d.next = self.place.val();
            self.sent_last.d.next = self.place.val().all();
            self.sent_spoilt.d.next = self.taken_replayed.q.val()
                & (self.spoil.val() | (self.sent_spoilt.q.val() & self.place.val().any()));
            self.formed.d.next = bit_cast::<WIRE_W, FLITS_W>(self.sent.q.val())
                | (bit_cast::<WIRE_W, CRC_BITS>(self.ahead.val()) << self.crc_shift.val());
            self.formed_valid.d.next = self.sent_valid.q.val();
            self.formed_last.d.next = self.sent_last.q.val();
            self.formed_spoilt.d.next = self.sent_spoilt.q.val();
            self.finished.d.next = self.upper.val();
            self.finished_valid.d.next = self.formed_valid.q.val();
        }
        if self.clear.val() {
            self.taken_valid.d.next = false;
            self.sent_valid.d.next = false;
            self.formed_valid.d.next = false;
            self.finished_valid.d.next = false;
        }

        self.wire_skid.clear.next = self.clear.val();
        self.wire_skid.words_in.data.next = self.lower.val();
        self.wire_skid.words_in.valid.next = self.finished_valid.q.val() & self.step.val();
        self.has_room.next = self.wire_skid.has_room.val();
        StreamOut::<Bits<WIRE_W>>::link(&mut self.wire_out, &mut self.wire_skid.words_out);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("ltp_tx_wide", &[("f", F.to_string())])
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize, const WIRE_W: usize, const INDEX_W: usize, const WINDOW_W: usize] LtpTxWide<F, FLITS_W, WIRE_W, INDEX_W, WINDOW_W> { clock, clear, per_lane, three, step, replayed, spoil, beat, place, has_room, wire_out });
