//! A port without registers, for designs in which many ports share a device: one flit per beat, one lane.

use super::config::port_label;
use super::control::{PortControl, CHANGES};
use super::receive::PortReceiveLane;
use super::transmit::Sender1;
use super::PortConfig;
use crate::gearbox::LinkGearboxTxLane;
use crate::lane::{LANE_BITS, LANE_IN_BITS};
use crate::replay::POINTER_BITS;
use crate::train::{LinkLanes, OFFER_BITS};
use flitforge_hdl_link_types::position::{LinkPosition, PositionConfig, POSITION_BITS, WORD_COUNT_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::link_registers::{lanes, LANES, RETRY_CFG};

/// Bits of a beat.
const BEAT_BITS: usize = 65;

/// What a [`LinkPort1`](super::LinkPort1) of one lane does with its registers at their reset values, clock for clock, without
/// the registers: no page and counters, no isolation and removal of the only lane, no wrong bits on request, no lane test. `SLOT_W` = log2 R,
/// `ADDRESS_W` = log2(16 R). Training sets announce the GUID and the limits of the configuration. See the [module](super).
#[block(new)]
pub struct LinkPortCompact<const SLOT_W: usize, const ADDRESS_W: usize> {
    /// Core clock.
    clock: In<Clock>,
    /// Synchronous clear: Down; with `enable` the port comes up again.
    clear: In<Bit>,
    /// What CTRL.enable is of a port with registers: 1, the link comes up; 0, it goes Down.
    enable: In<Bit>,
    /// Beats of flits to send.
    pub flits_in: StreamIn<Bits<BEAT_BITS>>,
    /// Beats of time flits to send; the payload may change while it waits.
    pub time_in: StreamIn<Bits<BEAT_BITS>>,
    /// What becomes of `time_in` while `tx_open` is low: 0 DROP, 1 HOLD.
    time_mode: In<Bit>,
    /// Sideband {c1, c0} of the LTP `tx_seq`, taken with `ltp_start`.
    pub side_in: FlowIn<Bits<2>>,
    /// An original LTP is open or may be opened.
    tx_open: Out<Bit>,
    /// An original LTP is opened on this edge.
    ltp_start: Out<Bit>,
    /// Its sequence number.
    tx_seq: Out<Bits<POINTER_BITS>>,
    /// Beats received, SPC flits taken out.
    pub flits_out: FlowOut<Bits<BEAT_BITS>>,
    /// The flit of the beat of this clock had an undefined opcode and is Idle on `flits_out`.
    undefined: Out<Bits<1>>,
    /// SPC flits received, in their beats.
    pub spc_out: FlowOut<Bits<BEAT_BITS>>,
    /// With `flits_out` and `spc_out`: the beat comes from a replay.
    beat_late: Out<Bit>,
    /// With `flits_out` and `spc_out`: place of the beat in its LTP.
    beat_index: Out<Bits<4>>,
    /// With `flits_out` and `spc_out`: sequence state of the LTP.
    beat_state: Out<Bits<2>>,
    /// Sideband {c1, c0} of an accepted LTP.
    pub side_out: FlowOut<Bits<2>>,
    /// With `side_out`: the LTP's sequence number mod 4.
    side_place: Out<Bits<2>>,
    /// Numbers start at 0 on this edge: credits start at 0, open packets end.
    restart: Out<Bit>,
    /// State, as STATUS of a port with registers has it.
    state: Out<Bits<3>>,
    /// Pulses: Active, Down, Retraining entered, RETRY_LIMIT reached.
    changes: Out<Bits<CHANGES>>,
    /// Pulse: a good LTP was received.
    ltp_good: Out<Bit>,
    /// Pulse: a bad LTP was received.
    ltp_bad: Out<Bit>,
    /// CRC mode sent in.
    tx_mode: Out<Bits<2>>,
    /// Lanes sent on.
    tx_lanes: Out<Bits<4>>,
    /// Lanes received on, by the sender's numbers.
    rx_lanes: Out<Bits<4>>,
    /// L - 1 sent on. Changes only while `tx_idle`.
    tx_last_lane: Out<Bits<2>>,
    /// No beat goes to the lane: the next one is the first after a start row.
    tx_idle: Out<Bit>,
    /// Line position of the first bit of the beat that plane X takes in this clock (see [`LinkPosition`]).
    tx_position: Out<Bits<POSITION_BITS>>,
    /// Words sent before the clock before this one.
    tx_words: Out<Bits<WORD_COUNT_BITS>>,
    /// Line position of the first bit of the beat on `flits_out` and `spc_out`.
    rx_position: Out<Bits<POSITION_BITS>>,
    /// Words received before the clock before this one.
    rx_words: Out<Bits<WORD_COUNT_BITS>>,
    /// The PHY has a signal.
    signal_ok: In<Bit>,
    /// The PHY has found the word boundary.
    lane_lock: In<Bit>,
    /// The PHY is to invert the lane.
    invert: Out<Bit>,
    /// Pulse: the PHY is to move the word boundary by one bit.
    slip: Out<Bit>,
    /// Pulse: the FIFO of the PHY ran over or empty; counts in Init, Active and Degraded.
    elastic_error: In<Bit>,
    /// To the PHY: word in bits 31..0, ctl in bit 32.
    pub tx: [StreamOut<Bits<LANE_BITS>>; 1],
    /// From the PHY: word in bits 31..0, ctl in bit 32, code_err in bit 33.
    pub rx: [FlowIn<Bits<LANE_IN_BITS>>; 1],

    #[wire(clock, clear)]
    sender: Sender1<SLOT_W, ADDRESS_W, 0>,
    #[wire(clock)]
    gearbox: LinkGearboxTxLane,
    #[wire(clock, clear)]
    receive: PortReceiveLane,
    #[wire(clock, clear)]
    lanes: LinkLanes<1>,
    #[wire(clock, clear, enable)]
    control: PortControl,
    #[wire(clock, clear)]
    position: LinkPosition<1>,
    /// Rows and what becomes one are cleared, a clock late, as in `PortTransmit1`.
    stopped: Reg<Bit>,
    retry_cfg: Constant<Bits<56>>,
    allowed: Constant<Bits<4>>,
    offer: Constant<Bits<OFFER_BITS>>,
    /// CRC modes there are: 0, or 0 and 1.
    modes: Constant<Bits<2>>,
    guid_low: Constant<Bits<32>>,
    guid_high: Constant<Bits<32>>,
}

#[logic]
impl<const SLOT_W: usize, const ADDRESS_W: usize> LinkPortCompact<SLOT_W, ADDRESS_W> {
    /// A port that is Down, or the reason why not. `slots` of `config` must be that of the type, one flit per beat, one lane, no CRC
    /// modes 2 and 3, no probation, no bond.
    pub fn new(config: &PortConfig) -> Result<Self, ConfigError> {
        config.check()?;
        config.check_type(1, 1, SLOT_W, ADDRESS_W, [0, 0])?;
        check_derived("link_port", "bond", u64::from(config.bond.is_some()), "0 without registers", 0)?;
        let page = config.page();
        Ok(Self {
            sender: Sender1::<SLOT_W, ADDRESS_W, 0>::new(config.guard)?,
            receive: PortReceiveLane::new()?,
            lanes: LinkLanes::new(config.training)?,
            control: PortControl::new(config.slots),
            position: LinkPosition::new(&PositionConfig { flits: 1, lanes: 1 })?,
            retry_cfg: Constant::new(page.power_on(RETRY_CFG).into()),
            allowed: Constant::new((page.power_on(LANES) >> lanes::allowed::LOW & 1).into()),
            offer: Constant::new(config.announced().into()),
            modes: Constant::new((config.crc_modes() & 1).into()),
            guid_low: Constant::new((config.guid & 0xFFFF_FFFF).into()),
            guid_high: Constant::new((config.guid >> 32).into()),
            ..
        })
    }

    fn update(&mut self) {
        stopped = clear | !control.run;
        gearbox.clear = stopped;

        // Flits.
        link(flits_in, sender.flits_in);
        link(time_in, sender.time_in);
        link(side_in, sender.side_in);
        sender = In { time_mode, damage: false };
        Out { tx_open, ltp_start, tx_seq } = sender;
        link(flits_out, receive.flits_out);
        undefined = receive.undefined;
        link(spc_out, receive.spc_out);
        link(side_out, receive.side_out);
        side_place = receive.next_rx.bits::<2>(0);
        Out { beat_late, beat_index, beat_state } = receive;
        restart = sender.restart;

        // Retry: what the receiver found and wants.
        join(receive.retry_req, sender.retry_req);
        join(receive.request, sender.request_in);
        join(receive.answer, sender.answer_in);
        join(receive.reply, sender.reply_in);
        join(receive.init, sender.init_in);
        sender = In { next_rx: receive.next_rx, double_bad: receive.double_bad | control.silence };
        sender = In { peer_active: receive.peer_active, run: control.run, fresh: lanes.fresh };
        sender = In { retry_limit: retry_cfg.bits::<8>(0), reinit_limit: retry_cfg.bits::<8>(8) };
        sender.freeze_ltps = retry_cfg.bits::<16>(40);
        receive = In { fresh: sender.restart, activate: sender.init_done, ltp_time: sender.ltp_time };
        receive = In { reset_exchange: !control.run, toss_ltps: control.toss_ltps, retry_cfg };
        Out { ltp_good, ltp_bad } = receive;

        // Rows out.
        join(sender.wire_out, gearbox.wire_in);
        lanes.rows_in = In { valid: gearbox.rows.valid & control.run, data: gearbox.rows.data };
        gearbox.rows.ready = lanes.rows_in.ready;
        sender.mode = lanes.tx_mode & modes;
        gearbox = In { wide: false, last_lane: 0 };

        // Rows in.
        receive.rows = In { valid: lanes.rows_out.valid, data: lanes.rows_out.data };
        receive = In { row_error: lanes.row_error, row_start: lanes.row_start, mode: lanes.rx_mode & modes };
        receive.last_lane = 0;

        // The state.
        control = In { state: lanes.state, go_down: false, ctrl_retrain: false, retry_cfg };
        control = In { tx_done: sender.init_done, tx_retrain: sender.retrain, tx_down: sender.down };
        control = In { bad_pointer: sender.bad_pointer, round_trip: sender.round_trip, gap: receive.gap };
        control = In { framing_lost: receive.framing_lost, request_limit: receive.request_limit };
        control = In { next_rx: receive.next_rx, overrun: receive.overrun, row: lanes.rows_out.valid };
        control = In { ltp_time: sender.ltp_time, elastic_error, deskew_lost: lanes.deskew_lost };
        changes = control.changes;
        lanes = In { enable: control.enable_link, init_done: control.init_done, retrain: control.retrain };
        lanes = In { give_up: control.give_up, remove: false, remove_lane: 0, restore: false, allowed };
        lanes = In { offer, bond_index: 0, next_rx: receive.next_rx, guid_low, guid_high, bist_start: false };
        lanes.bist_end = false;
        Out { state, tx_mode, tx_lanes, rx_lanes } = lanes;

        // Where beats are on the line.
        position = In { tx_idle: sender.idle, tx_place: sender.place, tx_wide: false, tx_last_lane: 0 };
        position = In { tx_lanes: lanes.tx_lanes, row_start: lanes.row_start };
        position.rx_idle = lanes.rx_clear | lanes.deskew_lost;
        position = In { verdict: receive.ltp_good | receive.ltp_bad, rx_wide: false, rx_last_lane: 0 };
        position.rx_lanes = lanes.rx_lanes;
        Out { tx_position, tx_words, rx_position, rx_words } = position;
        tx_last_lane = 0;
        tx_idle = sender.idle;
        position.source[0] = lanes.source[0];
        position.tx[0] = In { valid: lanes.tx[0].valid & tx[0].ready, data: lanes.tx[0].data };
        position.rx[0] = In { valid: rx[0].valid, data: rx[0].data };

        // The lane.
        lanes.signal_ok = bit_cast::<4, 1>(signal_ok.into());
        lanes.lane_lock = bit_cast::<4, 1>(lane_lock.into());
        invert = lanes.invert[0];
        slip = lanes.slip[0];
        link(tx[0], lanes.tx[0]);
        link(rx[0], lanes.rx[0]);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        port_label([1, 1, 1 << SLOT_W], &["compact"], [0, 0])
    }
}
