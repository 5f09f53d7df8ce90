//! The gearboxes for one and four flits per beat: the core for two, behind an adapter.

use super::{LinkGearboxRx, LinkGearboxTx, ROW_BITS, WIRE_BITS_1, WIRE_BITS_2, WIRE_BITS_4};
use crate::prim::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
use crate::prim::Register;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Two beats of one flit to one of two flits. Latency 0 from the second beat; `clear` drops a waiting first.
#[derive(LogicBlock, Default)]
pub struct PairBeats {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Beats have 68 bits, else 66.
    pub wide: Signal<In, Bit>,
    /// Beats of one flit.
    pub wire_in: StreamIn<Bits<WIRE_BITS_1>>,
    /// Beats of two flits.
    pub wire_out: StreamOut<Bits<WIRE_BITS_2>>,
    half: DFF<Bit>,
    low: Register<Bits<WIRE_BITS_1>>,
    ready: Signal<Local, Bit>,
}

impl Logic for PairBeats {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, half);
        clock!(self, clock, low);
        self.low.clear.next = false;
        self.ready.next = !self.clear.val() & (!self.half.q.val() | self.wire_out.ready.val());
        self.wire_in.ready.next = self.ready.val();
        self.wire_out.valid.next = self.half.q.val() & self.wire_in.valid.val();
        self.wire_out.data.next = (bit_cast::<WIRE_BITS_2, 66>(self.wire_in.data.val().get_bits::<66>(0))
            << 66)
            | bit_cast::<WIRE_BITS_2, 66>(self.low.q.val().get_bits::<66>(0));
        if self.wide.val() {
            self.wire_out.data.next = (bit_cast::<WIRE_BITS_2, WIRE_BITS_1>(self.wire_in.data.val()) << 68)
                | bit_cast::<WIRE_BITS_2, WIRE_BITS_1>(self.low.q.val());
        }
        self.low.d.next = self.wire_in.data.val();
        self.low.enable.next = !self.half.q.val();
        if self.wire_in.valid.val() & self.ready.val() {
            self.half.d.next = !self.half.q.val();
        }
        if self.clear.val() {
            self.half.d.next = false;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("pair_beats", &[])
    }
}

drive_ports!(impl[] PairBeats { clock, clear, wide, wire_in, wire_out });

/// One beat of four flits to two of two flits. Latency 0; the beat is taken with its upper half.
#[derive(LogicBlock, Default)]
pub struct HalveBeats {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Beats have 272 bits, else 264.
    pub wide: Signal<In, Bit>,
    /// Beats of four flits.
    pub wire_in: StreamIn<Bits<WIRE_BITS_4>>,
    /// Beats of two flits; bits 132..135 mean nothing unless `wide`.
    pub wire_out: StreamOut<Bits<WIRE_BITS_2>>,
    upper: DFF<Bit>,
}

impl Logic for HalveBeats {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, upper);
        self.wire_out.valid.next = self.wire_in.valid.val();
        self.wire_in.ready.next = !self.clear.val() & self.upper.q.val() & self.wire_out.ready.val();
        self.wire_out.data.next = self.wire_in.data.val().get_bits::<WIRE_BITS_2>(0);
        if self.upper.q.val() {
            self.wire_out.data.next = self.wire_in.data.val().get_bits::<WIRE_BITS_2>(132);
            if self.wide.val() {
                self.wire_out.data.next = self.wire_in.data.val().get_bits::<WIRE_BITS_2>(136);
            }
        }
        if self.wire_in.valid.val() & self.wire_out.ready.val() {
            self.upper.d.next = !self.upper.q.val();
        }
        if self.clear.val() {
            self.upper.d.next = false;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("halve_beats", &[])
    }
}

drive_ports!(impl[] HalveBeats { clock, clear, wide, wire_in, wire_out });

/// One beat of two flits to two of one flit. Latency 0 when idle; holds two beats, then loses (`overrun`).
#[derive(LogicBlock, Default)]
pub struct QueueBeats {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Beats have 68 bits, else 66.
    pub wide: Signal<In, Bit>,
    /// Beats of two flits.
    pub wire_in: FlowIn<Bits<WIRE_BITS_2>>,
    /// Of the beat that comes in.
    pub code_err_in: Signal<In, Bit>,
    /// Of the beat that comes in.
    pub frame_start_in: Signal<In, Bit>,
    /// Beats of one flit.
    pub wire_out: FlowOut<Bits<WIRE_BITS_1>>,
    /// Of the beat that goes out.
    pub code_err: Signal<Out, Bit>,
    /// Of the beat that goes out.
    pub frame_start: Signal<Out, Bit>,
    /// A beat came in and was lost: rows come faster than the clock rule allows.
    pub overrun: Signal<Out, Bit>,
    head_valid: DFF<Bit>,
    head: Register<Bits<138>>,
    upper: DFF<Bit>,
    spare_valid: DFF<Bit>,
    spare: Register<Bits<138>>,
    arriving: Signal<Local, Bits<138>>,
    current: Signal<Local, Bits<138>>,
    done: Signal<Local, Bit>,
}

impl Logic for QueueBeats {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, head_valid, upper, spare_valid);
        clock!(self, clock, head, spare);
        self.head.clear.next = false;
        self.spare.clear.next = false;
        self.arriving.next = (bit_cast::<138, 1>(self.frame_start_in.val().into()) << 137)
            | (bit_cast::<138, 1>(self.code_err_in.val().into()) << 136)
            | bit_cast::<138, WIRE_BITS_2>(self.wire_in.data.val());
        self.current.next = self.arriving.val();
        if self.head_valid.q.val() {
            self.current.next = self.head.q.val();
        }
        self.wire_out.valid.next = self.head_valid.q.val() | self.wire_in.valid.val();
        self.wire_out.data.next = bit_cast::<WIRE_BITS_1, 66>(self.current.val().get_bits::<66>(0));
        if self.wide.val() {
            self.wire_out.data.next = self.current.val().get_bits::<WIRE_BITS_1>(0);
        }
        if self.upper.q.val() {
            self.wire_out.data.next = bit_cast::<WIRE_BITS_1, 66>(self.current.val().get_bits::<66>(66));
            if self.wide.val() {
                self.wire_out.data.next = self.current.val().get_bits::<WIRE_BITS_1>(68);
            }
        }
        self.code_err.next = self.current.val().get_bit(136);
        self.frame_start.next =
            self.current.val().get_bit(137) & self.wire_out.valid.val() & !self.upper.q.val();

        self.done.next = self.head_valid.q.val() & self.upper.q.val();
        self.upper.d.next = self.wire_out.valid.val() & !self.upper.q.val();
        self.head.d.next = self.arriving.val();
        self.head.enable.next = !self.head_valid.q.val() | self.done.val();
        self.spare.d.next = self.arriving.val();
        self.spare.enable.next = !self.spare_valid.q.val() | self.done.val();
        self.head_valid.d.next = (self.head_valid.q.val() & !self.done.val())
            | self.spare_valid.q.val()
            | self.wire_in.valid.val();
        self.overrun.next = false;
        if self.done.val() {
            self.spare_valid.d.next = self.spare_valid.q.val() & self.wire_in.valid.val();
            if self.spare_valid.q.val() {
                self.head.d.next = self.spare.q.val();
            }
        } else if self.head_valid.q.val() & self.wire_in.valid.val() {
            self.spare_valid.d.next = true;
            self.overrun.next = self.spare_valid.q.val();
        }
        if self.clear.val() {
            self.head_valid.d.next = false;
            self.spare_valid.d.next = false;
            self.upper.d.next = false;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("queue_beats", &[])
    }
}

drive_ports!(impl[] QueueBeats {
    clock, clear, wide, wire_in, code_err_in, frame_start_in, wire_out, code_err, frame_start, overrun,
});

/// Two beats of two flits to one of four flits. Latency 0 from the second; `frame_start_in` marks a first.
#[derive(LogicBlock, Default)]
pub struct JoinBeats {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Beats have 272 bits, else 264.
    pub wide: Signal<In, Bit>,
    /// Beats of two flits.
    pub wire_in: FlowIn<Bits<WIRE_BITS_2>>,
    /// Of the beat that comes in.
    pub code_err_in: Signal<In, Bit>,
    /// Of the beat that comes in.
    pub frame_start_in: Signal<In, Bit>,
    /// Beats of four flits; bits 264..271 are 0 unless `wide`.
    pub wire_out: FlowOut<Bits<WIRE_BITS_4>>,
    /// Of the beat that goes out.
    pub code_err: Signal<Out, Bit>,
    /// Of the beat that goes out.
    pub frame_start: Signal<Out, Bit>,
    half: DFF<Bit>,
    low: Register<Bits<WIRE_BITS_2>>,
    low_error: Register<Bit>,
    low_start: Register<Bit>,
    second: Signal<Local, Bit>,
}

impl Logic for JoinBeats {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, half);
        clock!(self, clock, low, low_error, low_start);
        self.low.clear.next = false;
        self.low_error.clear.next = false;
        self.low_start.clear.next = false;
        self.second.next = self.half.q.val() & !self.frame_start_in.val();
        self.wire_out.valid.next = self.wire_in.valid.val() & self.second.val();
        self.wire_out.data.next = (bit_cast::<WIRE_BITS_4, WIRE_BITS_2>(self.wire_in.data.val()) << 132)
            | bit_cast::<WIRE_BITS_4, WIRE_BITS_2>(self.low.q.val());
        if self.wide.val() {
            self.wire_out.data.next = (bit_cast::<WIRE_BITS_4, WIRE_BITS_2>(self.wire_in.data.val()) << 136)
                | bit_cast::<WIRE_BITS_4, WIRE_BITS_2>(self.low.q.val());
        }
        self.code_err.next = self.low_error.q.val() | self.code_err_in.val();
        self.frame_start.next = self.wire_in.valid.val() & self.second.val() & self.low_start.q.val();
        self.low.d.next = self.wire_in.data.val();
        self.low_error.d.next = self.code_err_in.val();
        self.low_start.d.next = self.frame_start_in.val();
        self.low.enable.next = !self.second.val() & self.wire_in.valid.val();
        self.low_error.enable.next = !self.second.val() & self.wire_in.valid.val();
        self.low_start.enable.next = !self.second.val() & self.wire_in.valid.val();
        if self.wire_in.valid.val() {
            self.half.d.next = !self.second.val();
        }
        if self.clear.val() {
            self.half.d.next = false;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("join_beats", &[])
    }
}

drive_ports!(impl[] JoinBeats {
    clock, clear, wide, wire_in, code_err_in, frame_start_in, wire_out, code_err, frame_start,
});

/// Gearbox of the sender for F = 1; ports as [`LinkGearboxTx`], see the [module](super).
#[derive(LogicBlock, Default)]
pub struct LinkGearboxTx1 {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Beats have 68 bits, else 66.
    pub wide: Signal<In, Bit>,
    /// L - 1.
    pub last_lane: Signal<In, Bits<2>>,
    /// Wire beats.
    pub wire_in: StreamIn<Bits<WIRE_BITS_1>>,
    /// Rows.
    pub rows: StreamOut<Bits<ROW_BITS>>,
    adapter: PairBeats,
    core: LinkGearboxTx,
}

impl Logic for LinkGearboxTx1 {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, adapter, core);
        self.adapter.clear.next = self.clear.val();
        self.core.clear.next = self.clear.val();
        self.adapter.wide.next = self.wide.val();
        self.core.wide.next = self.wide.val();
        self.core.last_lane.next = self.last_lane.val();
        StreamIn::<Bits<WIRE_BITS_1>>::link(&mut self.wire_in, &mut self.adapter.wire_in);
        StreamOut::<Bits<WIRE_BITS_2>>::join(&mut self.adapter.wire_out, &mut self.core.wire_in);
        StreamOut::<Bits<ROW_BITS>>::link(&mut self.rows, &mut self.core.rows);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("link_gearbox_tx", &[("f", "1".into())])
    }
}

drive_ports!(impl[] LinkGearboxTx1 { clock, clear, wide, last_lane, wire_in, rows });

/// Gearbox of the sender for F = 4; ports as [`LinkGearboxTx`], see the [module](super).
#[derive(LogicBlock, Default)]
pub struct LinkGearboxTx4 {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Beats have 272 bits, else 264.
    pub wide: Signal<In, Bit>,
    /// L - 1.
    pub last_lane: Signal<In, Bits<2>>,
    /// Wire beats.
    pub wire_in: StreamIn<Bits<WIRE_BITS_4>>,
    /// Rows.
    pub rows: StreamOut<Bits<ROW_BITS>>,
    adapter: HalveBeats,
    core: LinkGearboxTx,
}

impl Logic for LinkGearboxTx4 {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, adapter, core);
        self.adapter.clear.next = self.clear.val();
        self.core.clear.next = self.clear.val();
        self.adapter.wide.next = self.wide.val();
        self.core.wide.next = self.wide.val();
        self.core.last_lane.next = self.last_lane.val();
        StreamIn::<Bits<WIRE_BITS_4>>::link(&mut self.wire_in, &mut self.adapter.wire_in);
        StreamOut::<Bits<WIRE_BITS_2>>::join(&mut self.adapter.wire_out, &mut self.core.wire_in);
        StreamOut::<Bits<ROW_BITS>>::link(&mut self.rows, &mut self.core.rows);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("link_gearbox_tx", &[("f", "4".into())])
    }
}

drive_ports!(impl[] LinkGearboxTx4 { clock, clear, wide, last_lane, wire_in, rows });

/// Gearbox of the receiver for F = 1; ports as [`LinkGearboxRx`], see the [module](super).
#[derive(LogicBlock, Default)]
pub struct LinkGearboxRx1 {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Beats have 68 bits, else 66.
    pub wide: Signal<In, Bit>,
    /// L - 1.
    pub last_lane: Signal<In, Bits<2>>,
    /// Rows.
    pub rows: FlowIn<Bits<ROW_BITS>>,
    /// Bit i: word i of the row is bad.
    pub row_error: Signal<In, Bits<4>>,
    /// The next row is the first after the start row. Not with a row.
    pub row_start: Signal<In, Bit>,
    /// Wire beats.
    pub wire_out: FlowOut<Bits<WIRE_BITS_1>>,
    /// A word that has bits in the beat or in its pair is bad.
    pub code_err: Signal<Out, Bit>,
    /// The beat is the first after the start row.
    pub frame_start: Signal<Out, Bit>,
    /// A pair of beats was lost: rows come faster than the clock rule allows.
    pub overrun: Signal<Out, Bit>,
    adapter: QueueBeats,
    core: LinkGearboxRx,
}

impl Logic for LinkGearboxRx1 {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, adapter, core);
        self.adapter.clear.next = self.clear.val() | self.row_start.val();
        self.core.clear.next = self.clear.val();
        self.adapter.wide.next = self.wide.val();
        self.core.wide.next = self.wide.val();
        self.core.last_lane.next = self.last_lane.val();
        self.core.row_error.next = self.row_error.val();
        self.core.row_start.next = self.row_start.val();
        FlowIn::<Bits<ROW_BITS>>::link(&mut self.rows, &mut self.core.rows);
        FlowOut::<Bits<WIRE_BITS_2>>::join(&mut self.core.wire_out, &mut self.adapter.wire_in);
        self.adapter.code_err_in.next = self.core.code_err.val();
        self.adapter.frame_start_in.next = self.core.frame_start.val();
        FlowOut::<Bits<WIRE_BITS_1>>::link(&mut self.wire_out, &mut self.adapter.wire_out);
        self.code_err.next = self.adapter.code_err.val();
        self.frame_start.next = self.adapter.frame_start.val();
        self.overrun.next = self.adapter.overrun.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("link_gearbox_rx", &[("f", "1".into())])
    }
}

drive_ports!(impl[] LinkGearboxRx1 {
    clock, clear, wide, last_lane, rows, row_error, row_start, wire_out, code_err, frame_start, overrun,
});

/// Gearbox of the receiver for F = 4; ports as [`LinkGearboxRx`], see the [module](super).
#[derive(LogicBlock, Default)]
pub struct LinkGearboxRx4 {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Beats have 272 bits, else 264.
    pub wide: Signal<In, Bit>,
    /// L - 1.
    pub last_lane: Signal<In, Bits<2>>,
    /// Rows.
    pub rows: FlowIn<Bits<ROW_BITS>>,
    /// Bit i: word i of the row is bad.
    pub row_error: Signal<In, Bits<4>>,
    /// The next row is the first after the start row. Not with a row.
    pub row_start: Signal<In, Bit>,
    /// Wire beats.
    pub wire_out: FlowOut<Bits<WIRE_BITS_4>>,
    /// A word that has bits in the beat is bad.
    pub code_err: Signal<Out, Bit>,
    /// The beat is the first after the start row.
    pub frame_start: Signal<Out, Bit>,
    adapter: JoinBeats,
    core: LinkGearboxRx,
}

impl Logic for LinkGearboxRx4 {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, adapter, core);
        self.adapter.clear.next = self.clear.val() | self.row_start.val();
        self.core.clear.next = self.clear.val();
        self.adapter.wide.next = self.wide.val();
        self.core.wide.next = self.wide.val();
        self.core.last_lane.next = self.last_lane.val();
        self.core.row_error.next = self.row_error.val();
        self.core.row_start.next = self.row_start.val();
        FlowIn::<Bits<ROW_BITS>>::link(&mut self.rows, &mut self.core.rows);
        FlowOut::<Bits<WIRE_BITS_2>>::join(&mut self.core.wire_out, &mut self.adapter.wire_in);
        self.adapter.code_err_in.next = self.core.code_err.val();
        self.adapter.frame_start_in.next = self.core.frame_start.val();
        FlowOut::<Bits<WIRE_BITS_4>>::link(&mut self.wire_out, &mut self.adapter.wire_out);
        self.code_err.next = self.adapter.code_err.val();
        self.frame_start.next = self.adapter.frame_start.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("link_gearbox_rx", &[("f", "4".into())])
    }
}

drive_ports!(impl[] LinkGearboxRx4 {
    clock, clear, wide, last_lane, rows, row_error, row_start, wire_out, code_err, frame_start,
});
