//! The clock stop: from a device's generator to the rings, and from the rings to its slave.

use super::entry::{RingEntry, INSERT_BITS};
use crate::prim::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
use crate::time::generator::BEAT_BITS;
use crate::time::inject::{RingWait, TimeArrival, COPY_BITS};
use crate::time::ring::{CONTROL_BITS, ID_BITS, TREES, VALUE_BITS as DATA_BITS, WAIT_BITS};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::flit::SpcSubtype;
use flitforge_protocol::time::{master_time_high, master_time_low, EXTRACT_CLOCKS, LAG_BITS, VALUE_BITS};
use flitforge_protocol::time_ring::{slot_control, Embed};
use flitforge_protocol::time_servo::{INC_BITS, PERIOD_BITS};

/// Clocks that a Low of the rings comes behind the clock which the edge ends that loads the core register (chapter 20, 7 rule 4): that of
/// `low` is the one behind it.
pub const STOP_CLOCKS: usize = 1;
/// Kinds of Lows and Highs that a clock stop drops.
pub const STOP_DROPS: usize = 6;
/// INC_F to 1/256 ns, times 4: L_EXT clocks, and the one from the edge at which a port's `tval` comes to that which the generator's V is of.
const LAG_SHIFT: usize = 22;

/// The clock stop of a switch (chapter 20, 4.4, 4.6 rule 2), beside a `TimeDevice` which is master of a tree, slave of tree 0, or both, of
/// different trees.
///
/// - A beat of the generator is offered to both rings in its clock, as a port's `tval` is; `lag` takes 4 T off its V: so V is
///   of the R edge that a port's Low of that clock would have, and D(h) holds.
/// - Trees 0 to `N` - 1 are each copied from the shorter ring from their `source`, clockwise on a tie, while `slave_en` has them. `low` 1 clock
///   behind `copy`: that is 1 behind the clock whose end loads the core register. `high` likewise. A ring's wait is added to V.
/// - Of two Lows, or two Highs, that land in one clock the counter-clockwise ring's is dropped (`dropped`): they are of different
///   masters, whose GEN_PHASE keeps them apart (4.6 rule 5).
/// - Outputs are registers, or gates behind them: parity of an insertion, sum of V and the wait.
/// - `clear` drops what waits and what comes.
#[derive(LogicBlock)]
pub struct ClockStop<const N: usize> {
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// INC_F, 2^-32 ns per clock.
    pub inc_f: Signal<In, Bits<INC_BITS>>,
    /// RPER, 6.20 ns.
    pub rper: Signal<In, Bits<PERIOD_BITS>>,
    /// Stop of the port that is upstream for each tree.
    pub source: [Signal<In, Bits<ID_BITS>>; N],
    /// SLAVE_EN by tree.
    pub slave_en: Signal<In, Bits<4>>,
    /// Beats of the generator: all are taken.
    pub beats: StreamIn<Bits<BEAT_BITS>>,
    /// tx lag for the generator, signed, 1/256 ns.
    pub lag: Signal<Out, Bits<LAG_BITS>>,
    /// Insertions, clockwise and counter-clockwise.
    pub insert: [StreamOut<Bits<INSERT_BITS>>; 2],
    /// Trees copied from each ring.
    pub trees: [Signal<Out, Bits<TREES>>; 2],
    /// Data of copies.
    pub copy: [FlowIn<Bits<DATA_BITS>>; 2],
    /// Their control bits.
    pub copy_control: [Signal<In, Bits<CONTROL_BITS>>; 2],
    /// Payload of a MasterTimeLow.
    pub low: FlowOut<Bits<48>>,
    /// Payload of a MasterTimeHigh.
    pub high: FlowOut<Bits<48>>,
    /// Event: a Low, a High was dropped before the ring \[3:0\], see [`RingEntry`], or behind it, a Low \[4\], a High \[5\].
    pub dropped: Signal<Out, Bits<STOP_DROPS>>,
    /// Event by ring: RING_PARITY.
    pub ring_parity: Signal<Out, Bits<2>>,

    entry: RingEntry,
    arrival: [TimeArrival<DATA_BITS>; 2],
    ring_waits: RingWait,
    back: DFF<Bits<LAG_BITS>>,
    beat: Signal<Local, Bits<BEAT_BITS>>,
    subtype: Signal<Local, Bits<8>>,
    second: Signal<Local, Bits<8>>,
    is_high: Signal<Local, Bit>,
    follows: Signal<Local, Bit>,
    sources: Signal<Local, Bits<24>>,
    from: Signal<Local, Bits<ID_BITS>>,
    copied_cw: Signal<Local, Bits<TREES>>,
    copied_ccw: Signal<Local, Bits<TREES>>,
    low_came: Signal<Local, Bits<TREES>>,
    high_came: Signal<Local, Bits<TREES>>,
    low_comes: [Signal<Local, Bit>; 2],
    high_comes: [Signal<Local, Bit>; 2],
    drops: Signal<Local, Bits<STOP_DROPS>>,
    cycles: Signal<Local, Bits<WAIT_BITS>>,
    value: Signal<Local, Bits<VALUE_BITS>>,
    era: Signal<Local, Bits<2>>,
    fields: Signal<Local, Bits<COPY_BITS>>,
    control: Signal<Local, Bits<CONTROL_BITS>>,
    parity: Signal<Local, Bits<2>>,
    low_code: Constant<Bits<8>>,
    high_code: Constant<Bits<8>>,
    nothing: Constant<Bits<LAG_BITS>>,
    first_clockwise: Constant<Bits<ID_BITS>>,
}

impl<const N: usize> ClockStop<N> {
    /// The last of so many stops.
    pub fn new(stops: u64) -> Self {
        let code = |subtype: SpcSubtype| Constant::new(u64::from(subtype.code()).into());
        Self {
            clock: Default::default(),
            clear: Default::default(),
            inc_f: Default::default(),
            rper: Default::default(),
            source: defaults(),
            slave_en: Default::default(),
            beats: Default::default(),
            lag: Default::default(),
            insert: Default::default(),
            trees: Default::default(),
            copy: Default::default(),
            copy_control: Default::default(),
            low: Default::default(),
            high: Default::default(),
            dropped: Default::default(),
            ring_parity: Default::default(),
            entry: Default::default(),
            arrival: [TimeArrival::new(Embed::Value), TimeArrival::new(Embed::Value)],
            ring_waits: Default::default(),
            back: Default::default(),
            beat: Default::default(),
            subtype: Default::default(),
            second: Default::default(),
            is_high: Default::default(),
            follows: Default::default(),
            sources: Default::default(),
            from: Default::default(),
            copied_cw: Default::default(),
            copied_ccw: Default::default(),
            low_came: Default::default(),
            high_came: Default::default(),
            low_comes: Default::default(),
            high_comes: Default::default(),
            drops: Default::default(),
            cycles: Default::default(),
            value: Default::default(),
            era: Default::default(),
            fields: Default::default(),
            control: Default::default(),
            parity: Default::default(),
            low_code: code(SpcSubtype::MasterTimeLow),
            high_code: code(SpcSubtype::MasterTimeHigh),
            nothing: Constant::new(0.into()),
            // From stop u clockwise it is stops - 1 - u hops, and no more than half of them.
            first_clockwise: Constant::new((stops / 2 - 1).into()),
        }
    }
}

impl<const N: usize> Logic for ClockStop<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, back);
        clock!(self, clock, entry, ring_waits);
        self.entry.clear.next = self.clear.val();

        // The generator's beats.
        self.back.d.next = self.nothing.val() - bit_cast::<LAG_BITS, 16>(self.inc_f.val().get_bits::<16>(22));
        self.lag.next = self.back.q.val();
        self.beats.ready.next = true;
        self.beat.next = self.beats.data.val();
        self.subtype.next = self.beat.val().get_bits::<8>(48);
        self.second.next = self.beat.val().get_bits::<8>(113);
        self.is_high.next = self.subtype.val() == self.high_code.val();
        self.entry.low.valid.next = self.beats.valid.val() & (self.subtype.val() == self.low_code.val());
        self.entry.low.data.next = self.beat.val().get_bits::<48>(0);
        self.entry.high.valid.next =
            self.beats.valid.val() & (self.is_high.val() | (self.second.val() == self.high_code.val()));
        self.entry.high.data.next = self.beat.val().get_bits::<48>(65);
        if self.is_high.val() {
            self.entry.high.data.next = self.beat.val().get_bits::<48>(0);
        }

        // Trees from the rings.
        self.copied_cw.next = 0.into();
        self.copied_ccw.next = 0.into();
        self.sources.next = 0.into();
        for i in 0..N {
            self.from.next = self.source[i].val();
            self.follows.next = self.slave_en.val().get_bit(i);
            if self.from.val() >= self.first_clockwise.val() {
                self.copied_cw.next = self.copied_cw.val().replace_bit(i, self.follows.val());
            } else {
                self.copied_ccw.next = self.copied_ccw.val().replace_bit(i, self.follows.val());
            }
            for j in 0..6 {
                self.sources.next = self.sources.val().replace_bit(6 * i + j, self.from.val().get_bit(j));
            }
        }
        self.trees[0].next = self.copied_cw.val();
        self.trees[1].next = self.copied_ccw.val();
        self.ring_waits.rper.next = self.rper.val();
        self.parity.next = 0.into();
        for i in 0..2 {
            StreamOut::<Bits<INSERT_BITS>>::link(&mut self.insert[i], &mut self.entry.insert[i]);
            self.arrival[i].clock.next = self.clock.val();
            self.arrival[i].clear.next = self.clear.val();
            FlowIn::<Bits<DATA_BITS>>::link(&mut self.copy[i], &mut self.arrival[i].copy);
            self.control.next = self.copy_control[i].val();
            self.arrival[i].control.next = self.control.val();
            self.cycles.next = self.control.val().get_bits::<WAIT_BITS>(13);
            self.ring_waits.cycles[i].next = self.cycles.val();
            self.arrival[i].ring_wait.next = self.ring_waits.time[i].val();
            self.arrival[i].sources.next = self.sources.val();
            self.arrival[i].lag.next = 0.into();
            self.arrival[i].total.next = 0.into();
            self.arrival[i].low_tree.next = 0.into();
            self.arrival[i].high_tree.next = 0.into();
            self.parity.next = self.parity.val().replace_bit(i, self.arrival[i].parity_bad.val());
            self.low_comes[i].next = self.arrival[i].low_came.val().any();
            self.high_comes[i].next = self.arrival[i].high_came.val().any();
        }
        self.ring_parity.next = self.parity.val();
        self.value.next = self.arrival[0].value.val();
        self.era.next = self.arrival[0].era.val();
        self.low_came.next = self.arrival[0].low_came.val();
        if !self.low_comes[0].val() {
            self.value.next = self.arrival[1].value.val();
            self.era.next = self.arrival[1].era.val();
            self.low_came.next = self.arrival[1].low_came.val();
        }
        self.fields.next = self.arrival[0].newest.val();
        self.high_came.next = self.arrival[0].high_came.val();
        if !self.high_comes[0].val() {
            self.fields.next = self.arrival[1].newest.val();
            self.high_came.next = self.arrival[1].high_came.val();
        }
        self.low.valid.next = self.low_comes[0].val() | self.low_comes[1].val();
        self.low.data.next = (bit_cast::<48, 40>(self.value.val().get_bits::<40>(4))
            | (bit_cast::<48, 2>(self.era.val()) << 42)
            | (bit_cast::<48, 4>(self.value.val().get_bits::<4>(0)) << 44))
            .replace_bit(40, self.low_came.val().get_bit(1) | self.low_came.val().get_bit(3))
            .replace_bit(41, self.low_came.val().get_bit(2) | self.low_came.val().get_bit(3));
        self.high.valid.next = self.high_comes[0].val() | self.high_comes[1].val();
        self.high.data.next = (bit_cast::<48, 40>(self.fields.val().get_bits::<40>(0))
            | (bit_cast::<48, 2>(self.fields.val().get_bits::<2>(44)) << 42)
            | (bit_cast::<48, 4>(self.fields.val().get_bits::<4>(40)) << 44))
            .replace_bit(40, self.high_came.val().get_bit(1) | self.high_came.val().get_bit(3))
            .replace_bit(41, self.high_came.val().get_bit(2) | self.high_came.val().get_bit(3));
        self.drops.next = bit_cast::<STOP_DROPS, 4>(self.entry.dropped.val());
        self.dropped.next = self
            .drops
            .val()
            .replace_bit(4, self.low_comes[0].val() & self.low_comes[1].val())
            .replace_bit(5, self.high_comes[0].val() & self.high_comes[1].val());
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label(
            "clock_stop",
            &[("clockwise", self.first_clockwise.val().index().to_string()), ("trees", N.to_string())],
        )
    }
}

drive_ports!(impl[const N: usize] ClockStop<N> {
    clock, clear, inc_f, rper, source, slave_en, beats, lag, insert, trees, copy, copy_control, low, high, dropped, ring_parity,
});

const _: () = assert!(master_time_low::tree::LOW == 40 && master_time_high::tree::LOW == 40 && ID_BITS == 6);
const _: () = assert!(EXTRACT_CLOCKS == 3 && LAG_SHIFT + 16 == INC_BITS && slot_control::wait::LOW == 13);
