//! The clock stop: from a device's generator to the rings, and from the rings to its slave.

use super::entry::{RingEntry, INSERT_BITS};
use crate::prim::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
use crate::time::generator::BEAT_BITS;
use crate::time::inject::{RingWait, TimeArrival, COPY_BITS};
use crate::time::ring::{CONTROL_BITS, ID_BITS, TREES, VALUE_BITS as DATA_BITS, WAIT_BITS};
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::flit::SpcSubtype;
use flitforge_protocol::time::{EXTRACT_CLOCKS, LAG_BITS, VALUE_BITS};
use flitforge_protocol::time_ring::{slot_control, Embed};
use flitforge_protocol::time_servo::{INC_BITS, PERIOD_BITS};
use rust_hdl::prelude::*;

/// Clocks that a Low of the rings comes behind the clock which the edge ends that loads the core register (chapter 20, 7 rule 4): that of
/// `low` is the one behind it.
pub const STOP_CLOCKS: usize = 1;
/// INC_F to 1/256 ns, times 4: L_EXT clocks, and the one from the edge at which a port's `tval` comes to that which the generator's V is of.
const LAG_SHIFT: usize = 22;

/// The clock stop of a switch (chapter 20, 4.4, 4.6 rule 2), beside a `TimeDevice` which is master of a tree, slave of tree 0, or both, of
/// different trees.
///
/// - A beat of the generator is offered to both rings in its clock, as a port's `tval` is; `lag` takes 4 T off its V: so V is
///   of the R edge that a port's Low of that clock would have, and D(h) holds.
/// - Tree 0 is copied from the shorter ring from `source`, clockwise on a tie, while `slave_en` has it. `low` 1 clock behind `copy`: that is
///   1 behind the clock whose end loads the core register. `high` likewise. A ring's wait is added to V.
/// - Outputs are registers, or gates behind them: parity of an insertion, sum of V and the wait.
/// - `clear` drops what waits and what comes.
#[derive(LogicBlock)]
pub struct ClockStop {
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// INC_F, 2^-32 ns per clock.
    pub inc_f: Signal<In, Bits<INC_BITS>>,
    /// RPER, 6.20 ns.
    pub rper: Signal<In, Bits<PERIOD_BITS>>,
    /// Stop of the port that is upstream for tree 0.
    pub source: Signal<In, Bits<ID_BITS>>,
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
    /// Event: a Low, a High was dropped before the ring, see [`RingEntry`].
    pub dropped: Signal<Out, Bits<4>>,
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
    clockwise: Signal<Local, Bit>,
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
    tree: [Constant<Bits<TREES>>; 2],
}

impl ClockStop {
    /// The last of so many stops.
    pub fn new(stops: u64) -> Self {
        let code = |subtype: SpcSubtype| Constant::new(u64::from(subtype.code()).into());
        Self {
            clock: Default::default(),
            clear: Default::default(),
            inc_f: Default::default(),
            rper: Default::default(),
            source: Default::default(),
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
            clockwise: Default::default(),
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
            tree: [Constant::new(0.into()), Constant::new(1.into())],
        }
    }
}

impl Logic for ClockStop {
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
        self.dropped.next = self.entry.dropped.val();

        // Tree 0 from the rings.
        self.follows.next = self.slave_en.val().get_bit(0);
        self.clockwise.next = self.source.val() >= self.first_clockwise.val();
        self.trees[0].next = self.tree[0].val();
        self.trees[1].next = self.tree[0].val();
        if self.follows.val() {
            if self.clockwise.val() {
                self.trees[0].next = self.tree[1].val();
            } else {
                self.trees[1].next = self.tree[1].val();
            }
        }
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
            self.arrival[i].sources.next = bit_cast::<24, ID_BITS>(self.source.val());
            self.arrival[i].lag.next = 0.into();
            self.arrival[i].total.next = 0.into();
            self.arrival[i].low_tree.next = 0.into();
            self.arrival[i].high_tree.next = 0.into();
            self.parity.next = self.parity.val().replace_bit(i, self.arrival[i].parity_bad.val());
        }
        self.ring_parity.next = self.parity.val();
        self.value.next = self.arrival[0].value.val();
        self.era.next = self.arrival[0].era.val();
        self.fields.next = self.arrival[0].newest.val();
        if !self.clockwise.val() {
            self.value.next = self.arrival[1].value.val();
            self.era.next = self.arrival[1].era.val();
            self.fields.next = self.arrival[1].newest.val();
        }
        self.low.valid.next = self.arrival[0].low_came.val().any() | self.arrival[1].low_came.val().any();
        self.low.data.next = bit_cast::<48, 40>(self.value.val().get_bits::<40>(4))
            | (bit_cast::<48, 2>(self.era.val()) << 42)
            | (bit_cast::<48, 4>(self.value.val().get_bits::<4>(0)) << 44);
        self.high.valid.next = self.arrival[0].high_came.val().any() | self.arrival[1].high_came.val().any();
        self.high.data.next = bit_cast::<48, 40>(self.fields.val().get_bits::<40>(0))
            | (bit_cast::<48, 2>(self.fields.val().get_bits::<2>(44)) << 42)
            | (bit_cast::<48, 4>(self.fields.val().get_bits::<4>(40)) << 44);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("clock_stop", &[("clockwise", self.first_clockwise.val().index().to_string())])
    }
}

drive_ports!(impl[] ClockStop {
    clock, clear, inc_f, rper, source, slave_en, beats, lag, insert, trees, copy, copy_control, low, high, dropped, ring_parity,
});

const _: () = assert!(EXTRACT_CLOCKS == 3 && LAG_SHIFT + 16 == INC_BITS && slot_control::wait::LOW == 13);
