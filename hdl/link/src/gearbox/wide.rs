//! The gearboxes for one and four flits per beat: the core for two, after an adapter.

use super::{LinkGearboxRx, LinkGearboxTx, ROW_BITS, WIRE_BITS_1, WIRE_BITS_2, WIRE_BITS_4};
use flitforge_hdl_prim::prelude::*;

/// Bits of a beat of one flit and of two, where it is not `wide`.
const NARROW_1: usize = WIRE_BITS_1 - 2;
const NARROW_2: usize = 2 * NARROW_1;

/// Two beats of one flit to one of two flits. Latency 0 from the second beat; `clear` drops a waiting first.
#[block("pair_beats")]
pub struct PairBeats {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Beats have 68 bits, else 66.
    wide: In<Bit>,
    /// Beats of one flit.
    pub wire_in: StreamIn<Bits<WIRE_BITS_1>>,
    /// Beats of two flits.
    pub wire_out: StreamOut<Bits<WIRE_BITS_2>>,
    half: Register<Bit>,
    #[wire(clear = false)]
    low: Register<Bits<WIRE_BITS_1>>,
}

#[logic]
impl PairBeats {
    fn update(&mut self) {
        let ready = !clear & (!half | wire_out.ready);
        let narrow: Bits<NARROW_2> = cat(low[0..NARROW_1], wire_in.data[0..NARROW_1]);
        wire_in.ready = ready;
        wire_out = In {
            valid: half & wire_in.valid,
            data: if wide { cat(low, wire_in.data) } else { bit_cast::<WIRE_BITS_2, NARROW_2>(narrow) },
        };
        low = wire_in.data;
        low.enable = !half;
        half = !half;
        half.enable = wire_in.valid & ready;
    }
}

/// One beat of four flits to two of two flits. Latency 0; the beat is taken with its upper half.
#[block("halve_beats")]
pub struct HalveBeats {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Beats have 272 bits, else 264.
    wide: In<Bit>,
    /// Beats of four flits.
    pub wire_in: StreamIn<Bits<WIRE_BITS_4>>,
    /// Beats of two flits; bits 132..135 mean nothing unless `wide`.
    pub wire_out: StreamOut<Bits<WIRE_BITS_2>>,
    upper: Register<Bit>,
}

#[logic]
impl HalveBeats {
    fn update(&mut self) {
        let narrow = wire_in.data.bits::<WIRE_BITS_2>(NARROW_2);
        let high = if wide { wire_in.data[WIRE_BITS_2..WIRE_BITS_4] } else { narrow };
        wire_out = In { valid: wire_in.valid, data: if upper { high } else { wire_in.data[0..WIRE_BITS_2] } };
        wire_in.ready = !clear & upper & wire_out.ready;
        upper = !upper;
        upper.enable = wire_in.valid & wire_out.ready;
    }
}

/// A beat of two flits and what is known of it.
#[packed]
pub struct Pair {
    /// Lower beat of one flit, if the beats are wide.
    low: Bits<WIRE_BITS_1>,
    /// The upper one.
    high: Bits<WIRE_BITS_1>,
    /// It is bad.
    error: Bit,
    /// It is the first after the start row.
    start: Bit,
}

/// One beat of two flits to two of one flit. Latency 0 when idle; holds two beats, then loses (`overrun`).
#[block("queue_beats")]
pub struct QueueBeats {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Beats have 68 bits, else 66.
    wide: In<Bit>,
    /// Beats of two flits.
    pub wire_in: FlowIn<Bits<WIRE_BITS_2>>,
    /// Of the beat that comes in.
    code_err_in: In<Bit>,
    /// Of the beat that comes in.
    frame_start_in: In<Bit>,
    /// Beats of one flit.
    pub wire_out: FlowOut<Bits<WIRE_BITS_1>>,
    /// Of the beat that goes out.
    code_err: Out<Bit>,
    /// Of the beat that goes out.
    frame_start: Out<Bit>,
    /// A beat came in and was lost: rows come faster than the clock rule allows.
    overrun: Out<Bit>,
    head_valid: Register<Bit>,
    #[wire(clear = false)]
    head: Register<Pair>,
    upper: Register<Bit>,
    spare_valid: Register<Bit>,
    #[wire(clear = false)]
    spare: Register<Pair>,
}

#[logic]
impl QueueBeats {
    fn update(&mut self) {
        let low = wire_in.data[0..WIRE_BITS_1];
        let high = wire_in.data[WIRE_BITS_1..WIRE_BITS_2];
        let arriving = Pair { low, high, error: code_err_in, start: frame_start_in };
        let current = if head_valid { head } else { arriving };
        let valid = head_valid | wire_in.valid;
        let both: Bits<WIRE_BITS_2> = cat(current.low, current.high);
        let wide_half = if upper { current.high } else { current.low };
        let narrow_half = if upper { both[NARROW_1..NARROW_2] } else { both[0..NARROW_1] };
        wire_out =
            In { valid, data: if wide { wide_half } else { bit_cast::<WIRE_BITS_1, NARROW_1>(narrow_half) } };
        code_err = current.error;
        frame_start = current.start & valid & !upper;

        let done = head_valid & upper;
        upper = valid & !upper;
        head = if done & spare_valid { spare } else { arriving };
        head.enable = !head_valid | done;
        spare = arriving;
        spare.enable = !spare_valid | done;
        head_valid = (head_valid & !done) | spare_valid | wire_in.valid;
        let fills = !done & head_valid & wire_in.valid;
        spare_valid = if done { spare_valid & wire_in.valid } else { spare_valid | fills };
        overrun = fills & spare_valid;
    }
}

/// Two beats of two flits to one of four flits. Latency 0 from the second; `frame_start_in` marks a first.
#[block("join_beats")]
pub struct JoinBeats {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Beats have 272 bits, else 264.
    wide: In<Bit>,
    /// Beats of two flits.
    pub wire_in: FlowIn<Bits<WIRE_BITS_2>>,
    /// Of the beat that comes in.
    code_err_in: In<Bit>,
    /// Of the beat that comes in.
    frame_start_in: In<Bit>,
    /// Beats of four flits; bits 264..271 are 0 unless `wide`.
    pub wire_out: FlowOut<Bits<WIRE_BITS_4>>,
    /// Of the beat that goes out.
    code_err: Out<Bit>,
    /// Of the beat that goes out.
    frame_start: Out<Bit>,
    half: Register<Bit>,
    // Of the first beat.
    #[wire(clear = false)]
    low: Register<Bits<WIRE_BITS_2>>,
    #[wire(clear = false)]
    low_error: Register<Bit>,
    #[wire(clear = false)]
    low_start: Register<Bit>,
}

#[logic]
impl JoinBeats {
    fn update(&mut self) {
        let second = half & !frame_start_in;
        let first = wire_in.valid & !second;
        let narrow_high = bit_cast::<WIRE_BITS_4, WIRE_BITS_2>(wire_in.data) << NARROW_2;
        let narrow = narrow_high | bit_cast::<WIRE_BITS_4, WIRE_BITS_2>(low);
        wire_out =
            In { valid: wire_in.valid & second, data: if wide { cat(low, wire_in.data) } else { narrow } };
        code_err = low_error | code_err_in;
        frame_start = wire_in.valid & second & low_start;
        low = wire_in.data;
        low_error = code_err_in;
        low_start = frame_start_in;
        low.enable = first;
        low_error.enable = first;
        low_start.enable = first;
        half = !second;
        half.enable = wire_in.valid;
    }
}

/// Gearbox of the sender for F = 1; ports as [`LinkGearboxTx`], see the [module](super).
#[block("link_gearbox_tx", f = 1)]
pub struct LinkGearboxTx1 {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Beats have 68 bits, else 66.
    wide: In<Bit>,
    /// L - 1.
    last_lane: In<Bits<2>>,
    /// Wire beats.
    pub wire_in: StreamIn<Bits<WIRE_BITS_1>>,
    /// Rows.
    pub rows: StreamOut<Bits<ROW_BITS>>,
    #[wire(clock, clear)]
    adapter: PairBeats,
    #[wire(clock, clear)]
    core: LinkGearboxTx,
}

#[logic]
impl LinkGearboxTx1 {
    fn update(&mut self) {
        adapter.wide = wide;
        core = In { wide, last_lane };
        link(wire_in, adapter.wire_in);
        join(adapter.wire_out, core.wire_in);
        link(rows, core.rows);
    }
}

/// Gearbox of the sender for F = 4; ports as [`LinkGearboxTx`], see the [module](super).
#[block("link_gearbox_tx", f = 4)]
pub struct LinkGearboxTx4 {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Beats have 272 bits, else 264.
    wide: In<Bit>,
    /// L - 1.
    last_lane: In<Bits<2>>,
    /// Wire beats.
    pub wire_in: StreamIn<Bits<WIRE_BITS_4>>,
    /// Rows.
    pub rows: StreamOut<Bits<ROW_BITS>>,
    #[wire(clock, clear)]
    adapter: HalveBeats,
    #[wire(clock, clear)]
    core: LinkGearboxTx,
}

#[logic]
impl LinkGearboxTx4 {
    fn update(&mut self) {
        adapter.wide = wide;
        core = In { wide, last_lane };
        link(wire_in, adapter.wire_in);
        join(adapter.wire_out, core.wire_in);
        link(rows, core.rows);
    }
}

/// Gearbox of the receiver for F = 1; ports as [`LinkGearboxRx`], see the [module](super).
#[block("link_gearbox_rx", f = 1)]
pub struct LinkGearboxRx1 {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Beats have 68 bits, else 66.
    wide: In<Bit>,
    /// L - 1.
    last_lane: In<Bits<2>>,
    /// Rows.
    pub rows: FlowIn<Bits<ROW_BITS>>,
    /// Bit i: word i of the row is bad.
    row_error: In<Bits<4>>,
    /// The next row is the first after the start row. Not with a row.
    row_start: In<Bit>,
    /// Wire beats.
    pub wire_out: FlowOut<Bits<WIRE_BITS_1>>,
    /// A word that has bits in the beat or in its pair is bad.
    code_err: Out<Bit>,
    /// The beat is the first after the start row.
    frame_start: Out<Bit>,
    /// A pair of beats was lost: rows come faster than the clock rule allows.
    overrun: Out<Bit>,
    #[wire(clock)]
    adapter: QueueBeats,
    #[wire(clock, clear)]
    core: LinkGearboxRx,
}

#[logic]
impl LinkGearboxRx1 {
    fn update(&mut self) {
        adapter = In { clear: clear | row_start, wide };
        core = In { wide, last_lane, row_error, row_start };
        link(rows, core.rows);
        join(core.wire_out, adapter.wire_in);
        adapter = In { code_err_in: core.code_err, frame_start_in: core.frame_start };
        link(wire_out, adapter.wire_out);
        Out { code_err, frame_start, overrun } = adapter;
    }
}

/// Gearbox of the receiver for F = 4; ports as [`LinkGearboxRx`], see the [module](super).
#[block("link_gearbox_rx", f = 4)]
pub struct LinkGearboxRx4 {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Beats have 272 bits, else 264.
    wide: In<Bit>,
    /// L - 1.
    last_lane: In<Bits<2>>,
    /// Rows.
    pub rows: FlowIn<Bits<ROW_BITS>>,
    /// Bit i: word i of the row is bad.
    row_error: In<Bits<4>>,
    /// The next row is the first after the start row. Not with a row.
    row_start: In<Bit>,
    /// Wire beats.
    pub wire_out: FlowOut<Bits<WIRE_BITS_4>>,
    /// A word that has bits in the beat is bad.
    code_err: Out<Bit>,
    /// The beat is the first after the start row.
    frame_start: Out<Bit>,
    #[wire(clock)]
    adapter: JoinBeats,
    #[wire(clock, clear)]
    core: LinkGearboxRx,
}

#[logic]
impl LinkGearboxRx4 {
    fn update(&mut self) {
        adapter = In { clear: clear | row_start, wide };
        core = In { wide, last_lane, row_error, row_start };
        link(rows, core.rows);
        join(core.wire_out, adapter.wire_in);
        adapter = In { code_err_in: core.code_err, frame_start_in: core.frame_start };
        link(wire_out, adapter.wire_out);
        Out { code_err, frame_start } = adapter;
    }
}
