//! The clock stop: from a device's generator to the rings, and from the rings to its slave.

use super::entry::{RingEntry, INSERT_BITS};
use crate::generator::BEAT_BITS;
use crate::inject::{RingWait, TimeArrival, COPY_BITS};
use crate::ring::{CONTROL_BITS, ID_BITS, TREES, VALUE_BITS as DATA_BITS, WAIT_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::flit::SpcSubtype;
use flitforge_protocol::time::{master_time_high, master_time_low, EXTRACT_CLOCKS, LAG_BITS, VALUE_BITS};
use flitforge_protocol::time_ring::{slot_control, Embed};
use flitforge_protocol::time_servo::{INC_BITS, PERIOD_BITS};

/// Clocks that a Low of the rings comes after the clock which the edge ends that loads the core register (chapter 20, 7 rule 4): that of
/// `low` is the one after it.
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
///   after `copy`: that is 1 after the clock whose end loads the core register. `high` likewise. A ring's wait is added to V.
/// - Of two Lows, or two Highs, that land in one clock the counter-clockwise ring's is dropped (`dropped`): they are of different
///   masters, whose GEN_PHASE keeps them apart (4.6 rule 5).
/// - Outputs are registers, or gates after them: parity of an insertion, sum of V and the wait.
/// - `clear` drops what waits and what comes.
#[block(new)]
pub struct ClockStop<const N: usize> {
    /// Core clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// INC_F, 2^-32 ns per clock.
    inc_f: In<Bits<INC_BITS>>,
    /// RPER, 6.20 ns.
    rper: In<Bits<PERIOD_BITS>>,
    /// Stop of the port that is upstream for each tree.
    source: [In<Bits<ID_BITS>>; N],
    /// SLAVE_EN by tree.
    slave_en: In<Bits<4>>,
    /// Beats of the generator: all are taken.
    pub beats: StreamIn<Bits<BEAT_BITS>>,
    /// tx lag for the generator, signed, 1/256 ns.
    lag: Out<Bits<LAG_BITS>>,
    /// Insertions, clockwise and counter-clockwise.
    pub insert: [StreamOut<Bits<INSERT_BITS>>; 2],
    /// Trees copied from each ring.
    trees: [Out<Bits<TREES>>; 2],
    /// Data of copies.
    pub copy: [FlowIn<Bits<DATA_BITS>>; 2],
    /// Their control bits.
    copy_control: [In<Bits<CONTROL_BITS>>; 2],
    /// Payload of a MasterTimeLow.
    pub low: FlowOut<Bits<48>>,
    /// Payload of a MasterTimeHigh.
    pub high: FlowOut<Bits<48>>,
    /// Event: a Low, a High was dropped before the ring \[3:0\], see [`RingEntry`], or after it, a Low \[4\], a High \[5\].
    dropped: Out<Bits<STOP_DROPS>>,
    /// Event by ring: RING_PARITY.
    ring_parity: Out<Bits<2>>,

    #[wire(clock, clear)]
    entry: RingEntry,
    #[wire(clock, clear)]
    arrival: [TimeArrival<DATA_BITS>; 2],
    #[wire(clock)]
    ring_waits: RingWait,
    back: Reg<Bits<LAG_BITS>>,
    beat: Local<Bits<BEAT_BITS>>,
    subtype: Local<Bits<8>>,
    second: Local<Bits<8>>,
    is_high: Local<Bit>,
    follows: Local<Bit>,
    sources: Local<Bits<24>>,
    from: Local<Bits<ID_BITS>>,
    copied_cw: Local<Bits<TREES>>,
    copied_ccw: Local<Bits<TREES>>,
    low_arrived: Local<Bits<TREES>>,
    high_arrived: Local<Bits<TREES>>,
    low_comes: [Local<Bit>; 2],
    high_comes: [Local<Bit>; 2],
    drops: Local<Bits<STOP_DROPS>>,
    cycles: Local<Bits<WAIT_BITS>>,
    value: Local<Bits<VALUE_BITS>>,
    era: Local<Bits<2>>,
    fields: Local<Bits<COPY_BITS>>,
    control: Local<Bits<CONTROL_BITS>>,
    low_code: Constant<Bits<8>>,
    high_code: Constant<Bits<8>>,
    #[init(0)]
    nothing: Constant<Bits<LAG_BITS>>,
    first_clockwise: Constant<Bits<ID_BITS>>,
}

#[logic]
impl<const N: usize> ClockStop<N> {
    /// The last of so many stops.
    pub fn new(stops: u64) -> Self {
        let code = |subtype: SpcSubtype| Constant::new(u64::from(subtype.code()).into());
        Self {
            arrival: [TimeArrival::new(Embed::Value), TimeArrival::new(Embed::Value)],
            low_code: code(SpcSubtype::MasterTimeLow),
            high_code: code(SpcSubtype::MasterTimeHigh),
            // From stop u clockwise it is stops - 1 - u hops, and no more than half of them.
            first_clockwise: Constant::new((stops / 2 - 1).into()),
            ..
        }
    }

    fn update(&mut self) {
        // The generator's beats.
        back = nothing - bit_cast::<LAG_BITS, 16>(inc_f.bits::<16>(22));
        lag = back;
        beats.ready = true;
        beat = beats.data;
        subtype = beat.bits::<8>(48);
        second = beat.bits::<8>(113);
        is_high = subtype == high_code;
        entry.low = In { valid: beats.valid & (subtype == low_code), data: beat.bits::<48>(0) };
        entry.high = In { valid: beats.valid & (is_high | (second == high_code)), data: beat.bits::<48>(65) };
        if is_high {
            entry.high.data = beat.bits::<48>(0);
        }

        // Trees from the rings.
        copied_cw = 0;
        copied_ccw = 0;
        sources = 0;
        for i in 0..N {
            from = source[i];
            follows = slave_en[i];
            if from >= first_clockwise {
                copied_cw = copied_cw.with(i, follows);
            } else {
                copied_ccw = copied_ccw.with(i, follows);
            }
            for j in 0..6 {
                sources = sources.with(6 * i + j, from[j]);
            }
        }
        trees[0] = copied_cw;
        trees[1] = copied_ccw;
        ring_waits.rper = rper;
        let mut parity: Bits<2> = 0;
        for i in 0..2 {
            link(insert[i], entry.insert[i]);
            link(copy[i], arrival[i].copy);
            control = copy_control[i];
            arrival[i].control = control;
            cycles = control.bits::<WAIT_BITS>(13);
            ring_waits.cycles[i] = cycles;
            arrival[i] = In { ring_wait: ring_waits.time[i], sources, lag: 0, total: 0, low_tree: 0 };
            arrival[i].high_tree = 0;
            parity = parity.with(i, arrival[i].parity_bad);
            low_comes[i] = arrival[i].low_arrived.any();
            high_comes[i] = arrival[i].high_arrived.any();
        }
        ring_parity = parity;
        Out { value, era, low_arrived } = arrival[0];
        if !low_comes[0] {
            Out { value, era, low_arrived } = arrival[1];
        }
        Out { newest: fields, high_arrived } = arrival[0];
        if !high_comes[0] {
            Out { newest: fields, high_arrived } = arrival[1];
        }
        low.valid = low_comes[0] | low_comes[1];
        low.data = (bit_cast::<48, 40>(value.bits::<40>(4))
            | (bit_cast::<48, 2>(era) << 42)
            | (bit_cast::<48, 4>(value.bits::<4>(0)) << 44))
            .with(40, low_arrived[1] | low_arrived[3])
            .with(41, low_arrived[2] | low_arrived[3]);
        high.valid = high_comes[0] | high_comes[1];
        high.data = (bit_cast::<48, 40>(fields.bits::<40>(0))
            | (bit_cast::<48, 2>(fields.bits::<2>(44)) << 42)
            | (bit_cast::<48, 4>(fields.bits::<4>(40)) << 44))
            .with(40, high_arrived[1] | high_arrived[3])
            .with(41, high_arrived[2] | high_arrived[3]);
        drops = bit_cast::<STOP_DROPS, 4>(entry.dropped);
        dropped = drops.with(4, low_comes[0] & low_comes[1]).with(5, high_comes[0] & high_comes[1]);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label(
            "clock_stop",
            &[("clockwise", self.first_clockwise.val().index().to_string()), ("trees", N.to_string())],
        )
    }
}

const _: () = assert!(master_time_low::tree::LOW == 40 && master_time_high::tree::LOW == 40 && ID_BITS == 6);
const _: () = assert!(EXTRACT_CLOCKS == 3 && LAG_SHIFT + 16 == INC_BITS && slot_control::wait::LOW == 13);
