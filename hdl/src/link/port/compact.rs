//! A port without registers, for designs in which many ports share a device: one flit per beat, one lane.

use super::config::port_label;
use super::control::{PortControl, CHANGES};
use super::receive::PortReceiveLane;
use super::transmit::Sender1;
use super::PortConfig;
use crate::config::{check_derived, ConfigError};
use crate::link::gearbox::{LinkGearboxTxLane, WIRE_BITS_1};
use crate::link::lane::{LANE_BITS, LANE_IN_BITS};
use crate::link::position::{LinkPosition, PositionConfig, POSITION_BITS, WORD_COUNT_BITS};
use crate::link::replay::{INIT_BITS, POINTER_BITS, TOKEN_BITS};
use crate::link::train::{LinkLanes, OFFER_BITS};
use crate::prim::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_protocol::link_registers::{lanes, LANES, RETRY_CFG};

/// Bits of a beat.
const BEAT_BITS: usize = 65;

/// What a [`LinkPort1`](super::LinkPort1) of one lane does with its registers at their reset values, clock for clock, without
/// the registers: no page and counters, no isolation and removal of the only lane, no wrong bits on request, no lane test. `SLOT_W` = log2 R,
/// `ADDRESS_W` = log2(16 R). Training sets announce the GUID and the limits of the configuration. See the [module](super).
#[derive(LogicBlock)]
pub struct LinkPortCompact<const SLOT_W: usize, const ADDRESS_W: usize> {
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear: Down; with `enable` the port comes up again.
    pub clear: Signal<In, Bit>,
    /// What CTRL.enable is of a port with registers: 1, the link comes up; 0, it goes Down.
    pub enable: Signal<In, Bit>,
    /// Beats of flits to send.
    pub flits_in: StreamIn<Bits<BEAT_BITS>>,
    /// Beats of time flits to send; the payload may change while it waits.
    pub time_in: StreamIn<Bits<BEAT_BITS>>,
    /// What becomes of `time_in` while `tx_open` is low: 0 DROP, 1 HOLD.
    pub time_mode: Signal<In, Bit>,
    /// Sideband {c1, c0} of the LTP `tx_seq`, taken with `ltp_start`.
    pub side_in: FlowIn<Bits<2>>,
    /// An original LTP is open or may be opened.
    pub tx_open: Signal<Out, Bit>,
    /// An original LTP is opened on this edge.
    pub ltp_start: Signal<Out, Bit>,
    /// Its sequence number.
    pub tx_seq: Signal<Out, Bits<POINTER_BITS>>,
    /// Beats received, SPC flits taken out.
    pub flits_out: FlowOut<Bits<BEAT_BITS>>,
    /// The flit of the beat of this clock had an undefined opcode and is Idle on `flits_out`.
    pub undefined: Signal<Out, Bits<1>>,
    /// SPC flits received, in their beats.
    pub spc_out: FlowOut<Bits<BEAT_BITS>>,
    /// With `flits_out` and `spc_out`: the beat comes from a replay.
    pub beat_late: Signal<Out, Bit>,
    /// With `flits_out` and `spc_out`: place of the beat in its LTP.
    pub beat_index: Signal<Out, Bits<4>>,
    /// With `flits_out` and `spc_out`: sequence state of the LTP.
    pub beat_state: Signal<Out, Bits<2>>,
    /// Sideband {c1, c0} of an accepted LTP.
    pub side_out: FlowOut<Bits<2>>,
    /// With `side_out`: the LTP's sequence number mod 4.
    pub side_place: Signal<Out, Bits<2>>,
    /// Numbers start at 0 on this edge: credits start at 0, open packets end.
    pub restart: Signal<Out, Bit>,
    /// State, as STATUS of a port with registers has it.
    pub state: Signal<Out, Bits<3>>,
    /// Pulses: Active, Down, Retraining entered, RETRY_LIMIT reached.
    pub changes: Signal<Out, Bits<CHANGES>>,
    /// Pulse: a good LTP was received.
    pub ltp_good: Signal<Out, Bit>,
    /// Pulse: a bad LTP was received.
    pub ltp_bad: Signal<Out, Bit>,
    /// CRC mode sent in.
    pub tx_mode: Signal<Out, Bits<2>>,
    /// Lanes sent on.
    pub tx_lanes: Signal<Out, Bits<4>>,
    /// Lanes received on, by the sender's numbers.
    pub rx_lanes: Signal<Out, Bits<4>>,
    /// L - 1 sent on. Changes only while `tx_idle`.
    pub tx_last_lane: Signal<Out, Bits<2>>,
    /// No beat goes to the lane: the next one is the first behind a start row.
    pub tx_idle: Signal<Out, Bit>,
    /// Line position of the first bit of the beat that plane X takes in this clock (see [`LinkPosition`]).
    pub tx_position: Signal<Out, Bits<POSITION_BITS>>,
    /// Words sent before the clock before this one.
    pub tx_words: Signal<Out, Bits<WORD_COUNT_BITS>>,
    /// Line position of the first bit of the beat on `flits_out` and `spc_out`.
    pub rx_position: Signal<Out, Bits<POSITION_BITS>>,
    /// Words received before the clock before this one.
    pub rx_words: Signal<Out, Bits<WORD_COUNT_BITS>>,
    /// The PHY has a signal.
    pub signal_ok: Signal<In, Bit>,
    /// The PHY has found the word boundary.
    pub lane_lock: Signal<In, Bit>,
    /// The PHY is to invert the lane.
    pub invert: Signal<Out, Bit>,
    /// Pulse: the PHY is to move the word boundary by one bit.
    pub slip: Signal<Out, Bit>,
    /// Pulse: the FIFO of the PHY ran over or empty; counts in Init, Active and Degraded.
    pub elastic_error: Signal<In, Bit>,
    /// To the PHY: word in bits 31..0, ctl in bit 32.
    pub tx: [StreamOut<Bits<LANE_BITS>>; 1],
    /// From the PHY: word in bits 31..0, ctl in bit 32, code_err in bit 33.
    pub rx: [FlowIn<Bits<LANE_IN_BITS>>; 1],

    sender: Sender1<SLOT_W, ADDRESS_W, 0>,
    gearbox: LinkGearboxTxLane,
    receive: PortReceiveLane,
    lanes: LinkLanes<1>,
    control: PortControl,
    position: LinkPosition<1>,
    /// Rows and what becomes one are cleared, a clock late, as in `PortTransmit1`.
    stopped: DFF<Bit>,
    retry_cfg: Constant<Bits<56>>,
    allowed: Constant<Bits<4>>,
    offer: Constant<Bits<OFFER_BITS>>,
    /// CRC modes there are: 0, or 0 and 1.
    modes: Constant<Bits<2>>,
    guid_low: Constant<Bits<32>>,
    guid_high: Constant<Bits<32>>,
}

impl<const SLOT_W: usize, const ADDRESS_W: usize> LinkPortCompact<SLOT_W, ADDRESS_W> {
    /// A port that is Down, or the reason why not. `slots` of `config` must be that of the type, one flit per beat, one lane, no CRC
    /// modes 2 and 3, no probation, no bond.
    pub fn new(config: &PortConfig) -> Result<Self, ConfigError> {
        config.check()?;
        config.check_type(1, 1, SLOT_W, ADDRESS_W, [0, 0])?;
        check_derived("link_port", "bond", u64::from(config.bond.is_some()), "0 without registers", 0)?;
        let page = config.page();
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            enable: Default::default(),
            flits_in: Default::default(),
            time_in: Default::default(),
            time_mode: Default::default(),
            side_in: Default::default(),
            tx_open: Default::default(),
            ltp_start: Default::default(),
            tx_seq: Default::default(),
            flits_out: Default::default(),
            undefined: Default::default(),
            spc_out: Default::default(),
            beat_late: Default::default(),
            beat_index: Default::default(),
            beat_state: Default::default(),
            side_out: Default::default(),
            side_place: Default::default(),
            restart: Default::default(),
            state: Default::default(),
            changes: Default::default(),
            ltp_good: Default::default(),
            ltp_bad: Default::default(),
            tx_mode: Default::default(),
            tx_lanes: Default::default(),
            rx_lanes: Default::default(),
            tx_last_lane: Default::default(),
            tx_idle: Default::default(),
            tx_position: Default::default(),
            tx_words: Default::default(),
            rx_position: Default::default(),
            rx_words: Default::default(),
            signal_ok: Default::default(),
            lane_lock: Default::default(),
            invert: Default::default(),
            slip: Default::default(),
            elastic_error: Default::default(),
            tx: Default::default(),
            rx: Default::default(),
            sender: Sender1::<SLOT_W, ADDRESS_W, 0>::new(config.guard)?,
            gearbox: Default::default(),
            receive: PortReceiveLane::new()?,
            lanes: LinkLanes::new(config.training)?,
            control: PortControl::new(config.slots),
            position: LinkPosition::new(&PositionConfig { flits: 1, lanes: 1 })?,
            stopped: Default::default(),
            retry_cfg: Constant::new(page.power_on(RETRY_CFG).into()),
            allowed: Constant::new((page.power_on(LANES) >> lanes::allowed::LOW & 1).into()),
            offer: Constant::new(config.announced().into()),
            modes: Constant::new((config.crc_modes() & 1).into()),
            guid_low: Constant::new((config.guid & 0xFFFF_FFFF).into()),
            guid_high: Constant::new((config.guid >> 32).into()),
        })
    }
}

impl<const SLOT_W: usize, const ADDRESS_W: usize> Logic for LinkPortCompact<SLOT_W, ADDRESS_W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, stopped);
        clock!(self, clock, sender, gearbox, receive, lanes, control, position);
        self.sender.clear.next = self.clear.val();
        self.receive.clear.next = self.clear.val();
        self.lanes.clear.next = self.clear.val();
        self.control.clear.next = self.clear.val();
        self.position.clear.next = self.clear.val();
        self.stopped.d.next = self.clear.val() | !self.control.run.val();
        self.gearbox.clear.next = self.stopped.q.val();

        // Flits.
        StreamIn::<Bits<BEAT_BITS>>::link(&mut self.flits_in, &mut self.sender.flits_in);
        StreamIn::<Bits<BEAT_BITS>>::link(&mut self.time_in, &mut self.sender.time_in);
        FlowIn::<Bits<2>>::link(&mut self.side_in, &mut self.sender.side_in);
        self.sender.time_mode.next = self.time_mode.val();
        self.sender.damage.next = false;
        self.tx_open.next = self.sender.tx_open.val();
        self.ltp_start.next = self.sender.ltp_start.val();
        self.tx_seq.next = self.sender.tx_seq.val();
        FlowOut::<Bits<BEAT_BITS>>::link(&mut self.flits_out, &mut self.receive.flits_out);
        self.undefined.next = self.receive.undefined.val();
        FlowOut::<Bits<BEAT_BITS>>::link(&mut self.spc_out, &mut self.receive.spc_out);
        FlowOut::<Bits<2>>::link(&mut self.side_out, &mut self.receive.side_out);
        self.side_place.next = self.receive.next_rx.val().get_bits::<2>(0);
        self.beat_late.next = self.receive.beat_late.val();
        self.beat_index.next = self.receive.beat_index.val();
        self.beat_state.next = self.receive.beat_state.val();
        self.restart.next = self.sender.restart.val();

        // Retry: what the receiver found and wants.
        StreamOut::<Bits<POINTER_BITS>>::join(&mut self.receive.retry_req, &mut self.sender.retry_req);
        FlowOut::<Bits<POINTER_BITS>>::join(&mut self.receive.request, &mut self.sender.request_in);
        FlowOut::<Bits<TOKEN_BITS>>::join(&mut self.receive.answer, &mut self.sender.answer_in);
        FlowOut::<Bits<TOKEN_BITS>>::join(&mut self.receive.reply, &mut self.sender.reply_in);
        FlowOut::<Bits<INIT_BITS>>::join(&mut self.receive.init, &mut self.sender.init_in);
        self.sender.next_rx.next = self.receive.next_rx.val();
        self.sender.double_bad.next = self.receive.double_bad.val() | self.control.silence.val();
        self.sender.peer_active.next = self.receive.peer_active.val();
        self.sender.run.next = self.control.run.val();
        self.sender.fresh.next = self.lanes.fresh.val();
        self.sender.retry_limit.next = self.retry_cfg.val().get_bits::<8>(0);
        self.sender.reinit_limit.next = self.retry_cfg.val().get_bits::<8>(8);
        self.sender.freeze_ltps.next = self.retry_cfg.val().get_bits::<16>(40);
        self.receive.fresh.next = self.sender.restart.val();
        self.receive.activate.next = self.sender.init_done.val();
        self.receive.ltp_time.next = self.sender.ltp_time.val();
        self.receive.reset_exchange.next = !self.control.run.val();
        self.receive.toss_ltps.next = self.control.toss_ltps.val();
        self.receive.retry_cfg.next = self.retry_cfg.val();
        self.ltp_good.next = self.receive.ltp_good.val();
        self.ltp_bad.next = self.receive.ltp_bad.val();

        // Rows out.
        StreamOut::<Bits<WIRE_BITS_1>>::join(&mut self.sender.wire_out, &mut self.gearbox.wire_in);
        self.lanes.rows_in.valid.next = self.gearbox.rows.valid.val() & self.control.run.val();
        self.lanes.rows_in.data.next = self.gearbox.rows.data.val();
        self.gearbox.rows.ready.next = self.lanes.rows_in.ready.val();
        self.sender.mode.next = self.lanes.tx_mode.val() & self.modes.val();
        self.gearbox.wide.next = false;
        self.gearbox.last_lane.next = 0.into();

        // Rows in.
        self.receive.rows.valid.next = self.lanes.rows_out.valid.val();
        self.receive.rows.data.next = self.lanes.rows_out.data.val();
        self.receive.row_error.next = self.lanes.row_error.val();
        self.receive.row_start.next = self.lanes.row_start.val();
        self.receive.mode.next = self.lanes.rx_mode.val() & self.modes.val();
        self.receive.last_lane.next = 0.into();

        // The state.
        self.control.state.next = self.lanes.state.val();
        self.control.enable.next = self.enable.val();
        self.control.go_down.next = false;
        self.control.ctrl_retrain.next = false;
        self.control.retry_cfg.next = self.retry_cfg.val();
        self.control.tx_done.next = self.sender.init_done.val();
        self.control.tx_retrain.next = self.sender.retrain.val();
        self.control.tx_down.next = self.sender.down.val();
        self.control.bad_pointer.next = self.sender.bad_pointer.val();
        self.control.round_trip.next = self.sender.round_trip.val();
        self.control.gap.next = self.receive.gap.val();
        self.control.framing_lost.next = self.receive.framing_lost.val();
        self.control.request_limit.next = self.receive.request_limit.val();
        self.control.next_rx.next = self.receive.next_rx.val();
        self.control.overrun.next = self.receive.overrun.val();
        self.control.row.next = self.lanes.rows_out.valid.val();
        self.control.ltp_time.next = self.sender.ltp_time.val();
        self.control.elastic_error.next = self.elastic_error.val();
        self.control.deskew_lost.next = self.lanes.deskew_lost.val();
        self.changes.next = self.control.changes.val();
        self.lanes.enable.next = self.control.enable_link.val();
        self.lanes.init_done.next = self.control.init_done.val();
        self.lanes.retrain.next = self.control.retrain.val();
        self.lanes.give_up.next = self.control.give_up.val();
        self.lanes.remove.next = false;
        self.lanes.remove_lane.next = 0.into();
        self.lanes.restore.next = false;
        self.lanes.allowed.next = self.allowed.val();
        self.lanes.offer.next = self.offer.val();
        self.lanes.bond_index.next = 0.into();
        self.lanes.next_rx.next = self.receive.next_rx.val();
        self.lanes.guid_low.next = self.guid_low.val();
        self.lanes.guid_high.next = self.guid_high.val();
        self.lanes.bist_start.next = false;
        self.lanes.bist_end.next = false;
        self.state.next = self.lanes.state.val();
        self.tx_mode.next = self.lanes.tx_mode.val();
        self.tx_lanes.next = self.lanes.tx_lanes.val();
        self.rx_lanes.next = self.lanes.rx_lanes.val();

        // Where beats are on the line.
        self.position.tx_idle.next = self.sender.idle.val();
        self.position.tx_place.next = self.sender.place.val();
        self.position.tx_wide.next = false;
        self.position.tx_last_lane.next = 0.into();
        self.position.tx_lanes.next = self.lanes.tx_lanes.val();
        self.position.row_start.next = self.lanes.row_start.val();
        self.position.rx_idle.next = self.lanes.rx_clear.val() | self.lanes.deskew_lost.val();
        self.position.verdict.next = self.receive.ltp_good.val() | self.receive.ltp_bad.val();
        self.position.rx_wide.next = false;
        self.position.rx_last_lane.next = 0.into();
        self.position.rx_lanes.next = self.lanes.rx_lanes.val();
        self.tx_position.next = self.position.tx_position.val();
        self.tx_words.next = self.position.tx_words.val();
        self.rx_position.next = self.position.rx_position.val();
        self.rx_words.next = self.position.rx_words.val();
        self.tx_last_lane.next = 0.into();
        self.tx_idle.next = self.sender.idle.val();
        self.position.source[0].next = self.lanes.source[0].val();
        self.position.tx[0].valid.next = self.lanes.tx[0].valid.val() & self.tx[0].ready.val();
        self.position.tx[0].data.next = self.lanes.tx[0].data.val();
        self.position.rx[0].valid.next = self.rx[0].valid.val();
        self.position.rx[0].data.next = self.rx[0].data.val();

        // The lane.
        self.lanes.signal_ok.next = bit_cast::<4, 1>(self.signal_ok.val().into());
        self.lanes.lane_lock.next = bit_cast::<4, 1>(self.lane_lock.val().into());
        self.invert.next = self.lanes.invert.val().get_bit(0);
        self.slip.next = self.lanes.slip.val().get_bit(0);
        StreamOut::<Bits<LANE_BITS>>::link(&mut self.tx[0], &mut self.lanes.tx[0]);
        FlowIn::<Bits<LANE_IN_BITS>>::link(&mut self.rx[0], &mut self.lanes.rx[0]);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        port_label([1, 1, 1 << SLOT_W], &["compact"], [0, 0])
    }
}

drive_ports!(impl[const SLOT_W: usize, const ADDRESS_W: usize] LinkPortCompact<SLOT_W, ADDRESS_W> {
    clock, clear, enable, flits_in, time_in, time_mode, side_in, tx_open, ltp_start, tx_seq, flits_out, undefined, spc_out, beat_late, beat_index, beat_state, side_out, side_place, restart, state, changes, ltp_good, ltp_bad, tx_mode, tx_lanes, rx_lanes, tx_last_lane, tx_idle, tx_position, tx_words, rx_position, rx_words, signal_ok, lane_lock, invert, slip, elastic_error, tx, rx,
});
