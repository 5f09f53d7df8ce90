//! The register page and what the rest of the port puts on it.

use super::control::{CHANGES, CONTROL_COUNTERS, CONTROL_EVENTS};
use super::health::{HEALTH_COUNTERS, HEALTH_EVENTS};
use super::receive::{RECEIVE_COUNTERS, RECEIVE_EVENTS};
use super::transmit::{TRANSMIT_COUNTERS, TRANSMIT_EVENTS};
use super::PortConfig;
use crate::config::ConfigError;
use crate::link::degrade::DEBT_BITS;
use crate::link::regs::{LinkRegs, EVENTS, WORD_ADDRESS_BITS};
use crate::link::replay::{LOST_BITS, POINTER_BITS};
use crate::link::train::OFFER_BITS;
use crate::prim::stream::FlowIn;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::counter::{LinkCounter, LINK_COUNTERS};
use flitforge_protocol::lane_word::{training_set_1, MAX_LANES};
use flitforge_protocol::link_registers::{event, lanes, lat, rtt, seq, status};

/// Counters behind the bits of [`PortPage::fabric_events`]. LOST_ON_RESET is for a bond's shares that did not get into an LTP.
pub const FABRIC_COUNTERS: [LinkCounter; FABRIC_EVENTS] = [
    LinkCounter::CreditOvf,
    LinkCounter::StackErr,
    LinkCounter::PktGood,
    LinkCounter::PktBad,
    LinkCounter::LostOnReset,
];
/// Number of events of the fabric sublayer and of a bond.
pub const FABRIC_EVENTS: usize = 5;
/// Bits of register EVENT behind [`CHANGES`], in its order.
const CHANGE_BITS: [usize; CHANGES] =
    [event::up::LOW, event::down::LOW, event::retrain::LOW, event::retry_limit::LOW];
/// A position of a field in a register.
type Place = Constant<Bits<16>>;

/// [`LinkRegs`] with STATUS, LANES, RTT, SEQ, LAT and EVENT put together, every event on its counter, and what the
/// training sets announce. Combinational up to `link_regs` but for LINK_EPOCH and the elastic fill.
///
/// BOND_SKEW, of a block that is not there yet, reads 0.
#[derive(LogicBlock)]
pub struct PortPage {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Register bus: word of the page.
    pub addr: Signal<In, Bits<WORD_ADDRESS_BITS>>,
    /// Register bus: value of a write.
    pub wdata: Signal<In, Bits<64>>,
    /// Register bus: asks for a write.
    pub we: Signal<In, Bit>,
    /// Register bus: asks for a read.
    pub re: Signal<In, Bit>,
    /// Register bus: the value, with `ack` of a read.
    pub rdata: Signal<Out, Bits<64>>,
    /// Register bus: the request is done.
    pub ack: Signal<Out, Bit>,
    /// An event of MASK has happened.
    pub interrupt: Signal<Out, Bit>,
    /// State of `link_train`.
    pub state: Signal<In, Bits<3>>,
    /// Times the end came out of Down.
    pub epoch: Signal<In, Bits<16>>,
    /// Lanes sent on.
    pub tx_lanes: Signal<In, Bits<4>>,
    /// Lanes received on.
    pub rx_lanes: Signal<In, Bits<4>>,
    /// Lanes the peer is asked to use.
    pub rx_ok: Signal<In, Bits<4>>,
    /// Lanes received inverted.
    pub inverted: Signal<In, Bits<4>>,
    /// Where each of the sender's lanes comes in.
    pub rx_map: [Signal<In, Bits<2>>; MAX_LANES],
    /// CRC mode sent in.
    pub tx_mode: Signal<In, Bits<2>>,
    /// CRC mode received in.
    pub rx_mode: Signal<In, Bits<2>>,
    /// Transmit side in FREEZE.
    pub freezing: Signal<In, Bit>,
    /// Receive side in TOSS.
    pub tossing: Signal<In, Bit>,
    /// RTT_LTP.
    pub round_trip: Signal<In, Bits<16>>,
    /// Round trip, clocks.
    pub round_trip_clocks: Signal<In, Bits<32>>,
    /// Fillers of a pad.
    pub pad: Signal<In, Bits<16>>,
    /// NxtTx.
    pub next_tx: Signal<In, Bits<POINTER_BITS>>,
    /// NxtRx.
    pub next_rx: Signal<In, Bits<POINTER_BITS>>,
    /// NxtWr.
    pub next_write: Signal<In, Bits<POINTER_BITS>>,
    /// The peer's GUID, low half.
    pub peer_guid_low: Signal<In, Bits<32>>,
    /// The peer's GUID, high half.
    pub peer_guid_high: Signal<In, Bits<32>>,
    /// Levels of the buckets.
    pub debt: [Signal<In, Bits<DEBT_BITS>>; MAX_LANES],
    /// Active is entered.
    pub enter: Signal<In, Bit>,
    /// BOND_SKEW.
    pub bond_skew: Signal<In, Bits<16>>,
    /// Words in lane 0's elastic FIFO.
    pub elastic_fill: Signal<In, Bits<8>>,
    /// Events of the transmit side.
    pub transmit_events: Signal<In, Bits<TRANSMIT_EVENTS>>,
    /// Events of the receive side.
    pub receive_events: Signal<In, Bits<RECEIVE_EVENTS>>,
    /// Events of isolation and removal.
    pub health_events: Signal<In, Bits<HEALTH_EVENTS>>,
    /// Events of the state.
    pub control_events: Signal<In, Bits<CONTROL_EVENTS>>,
    /// Changes of the state.
    pub changes: Signal<In, Bits<CHANGES>>,
    /// A lane is removed.
    pub removed: Signal<In, Bit>,
    /// Events ILLEGAL_FLIT.
    pub illegal_flits: Signal<In, Bits<3>>,
    /// Events TX_ILLEGAL.
    pub tx_illegal: Signal<In, Bits<3>>,
    /// Events TIME_STALE.
    pub time_stale: Signal<In, Bits<3>>,
    /// Events TIME_DROPPED.
    pub time_dropped: Signal<In, Bits<3>>,
    /// Events LOST_ON_RESET.
    pub lost: FlowIn<Bits<LOST_BITS>>,
    /// Events LANE_ERR.
    pub lane_errors: Signal<In, Bits<4>>,
    /// Code errors of the lanes.
    pub code_errors: Signal<In, Bits<4>>,
    /// Events of [`FABRIC_COUNTERS`].
    pub fabric_events: Signal<In, Bits<FABRIC_EVENTS>>,
    /// Virtual lane whose register CRED is wanted.
    pub credit_select: Signal<Out, Bits<4>>,
    /// That register, within 2 clocks.
    pub credit_word: Signal<In, Bits<48>>,
    /// Register CREDIT.
    pub credit: Signal<Out, Bits<16>>,
    /// Register CU.
    pub cu: Signal<Out, Bits<64>>,
    /// Register VL_ARB.
    pub vl_arb: Signal<Out, Bits<64>>,
    /// Register VL_EN.
    pub vl_en: Signal<Out, Bits<56>>,
    /// CTRL.enable.
    pub enable: Signal<Out, Bit>,
    /// Pulse: CTRL.disable.
    pub go_down: Signal<Out, Bit>,
    /// Pulse: CTRL.retrain.
    pub retrain: Signal<Out, Bit>,
    /// Pulse: CTRL.restore.
    pub restore: Signal<Out, Bit>,
    /// LANES.allowed, of the lanes that were built.
    pub allowed: Signal<Out, Bits<4>>,
    /// Register RETRY_CFG.
    pub retry_cfg: Signal<Out, Bits<56>>,
    /// Register DEGRADE.
    pub degrade_cfg: Signal<Out, Bits<11>>,
    /// Register INJECT.
    pub inject: Signal<Out, Bits<57>>,
    /// Register GUID, low half.
    pub guid_low: Signal<Out, Bits<32>>,
    /// Register GUID, high half.
    pub guid_high: Signal<Out, Bits<32>>,
    /// What the training sets announce.
    pub offer: Signal<Out, Bits<OFFER_BITS>>,

    regs: LinkRegs,
    link_epoch: DFF<Bits<16>>,
    fill: DFF<Bits<8>>,
    allowed_now: Signal<Local, Bits<4>>,
    counts_lanes: Signal<Local, Bit>,
    removed_lanes: Signal<Local, Bits<4>>,
    tx_count: Signal<Local, Bits<3>>,
    rx_count: Signal<Local, Bits<3>>,
    source: Signal<Local, Bits<2>>,
    map: Signal<Local, Bits<24>>,
    /// What is counted and looked up for the page, a clock ahead of the choice of its word.
    shown_map: DFF<Bits<24>>,
    shown_tx: DFF<Bits<3>>,
    shown_rx: DFF<Bits<3>>,
    lost_now: Signal<Local, Bits<LOST_BITS>>,
    counted: Signal<Local, Bits<LINK_COUNTERS>>,
    happened: Signal<Local, Bits<EVENTS>>,
    one: Constant<Bits<3>>,
    built_lanes: Constant<Bits<4>>,
    built_modes: Constant<Bits<OFFER_BITS>>,
    built_offer: Constant<Bits<OFFER_BITS>>,
    built_lat: Constant<Bits<40>>,
    transmit_masks: Vec<Constant<Bits<LINK_COUNTERS>>>,
    receive_masks: Vec<Constant<Bits<LINK_COUNTERS>>>,
    health_masks: Vec<Constant<Bits<LINK_COUNTERS>>>,
    control_masks: Vec<Constant<Bits<LINK_COUNTERS>>>,
    fabric_masks: Vec<Constant<Bits<LINK_COUNTERS>>>,
    change_masks: Vec<Constant<Bits<EVENTS>>>,
    removed_mask: Constant<Bits<EVENTS>>,
    refused_mask: Constant<Bits<EVENTS>>,
    gap_mask: Constant<Bits<EVENTS>>,
    lost_mask: Constant<Bits<EVENTS>>,
    parity_mask: Constant<Bits<EVENTS>>,
    credit_mask: Constant<Bits<EVENTS>>,
    stack_mask: Constant<Bits<EVENTS>>,
    preferred_place: Place,
    v_au_place: Place,
    status_places: [Place; 7],
    /// STATUS.bonded.
    built_status: Constant<Bits<32>>,
    lanes_places: [Place; 3],
    map_places: [Place; MAX_LANES],
    rtt_places: [Place; 2],
    seq_places: [Place; 2],
    lat_places: [Place; 2],
}

fn masks(counters: &[LinkCounter]) -> Vec<Constant<Bits<LINK_COUNTERS>>> {
    let mask = |counter: &LinkCounter| Bits::default().replace_bit(counter.code().into(), true);
    counters.iter().map(|counter| Constant::new(mask(counter))).collect()
}

fn flag(bit: usize) -> Constant<Bits<EVENTS>> {
    Constant::new(Bits::default().replace_bit(bit, true))
}

fn place(bit: usize) -> Place {
    Constant::new((bit as u64).into())
}

impl PortPage {
    /// The page of a port that is built so, or the reason why not.
    pub fn new(config: &PortConfig) -> Result<Self, ConfigError> {
        let latency = (config.to_lane_clocks() << lat::to_lane::LOW)
            | (config.from_lane_clocks() << lat::from_lane::LOW);
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            addr: Default::default(),
            wdata: Default::default(),
            we: Default::default(),
            re: Default::default(),
            rdata: Default::default(),
            ack: Default::default(),
            interrupt: Default::default(),
            state: Default::default(),
            epoch: Default::default(),
            tx_lanes: Default::default(),
            rx_lanes: Default::default(),
            rx_ok: Default::default(),
            inverted: Default::default(),
            rx_map: Default::default(),
            tx_mode: Default::default(),
            rx_mode: Default::default(),
            freezing: Default::default(),
            tossing: Default::default(),
            round_trip: Default::default(),
            round_trip_clocks: Default::default(),
            pad: Default::default(),
            next_tx: Default::default(),
            next_rx: Default::default(),
            next_write: Default::default(),
            peer_guid_low: Default::default(),
            peer_guid_high: Default::default(),
            debt: Default::default(),
            enter: Default::default(),
            bond_skew: Default::default(),
            elastic_fill: Default::default(),
            transmit_events: Default::default(),
            receive_events: Default::default(),
            health_events: Default::default(),
            control_events: Default::default(),
            changes: Default::default(),
            removed: Default::default(),
            illegal_flits: Default::default(),
            tx_illegal: Default::default(),
            time_stale: Default::default(),
            time_dropped: Default::default(),
            lost: Default::default(),
            lane_errors: Default::default(),
            code_errors: Default::default(),
            fabric_events: Default::default(),
            credit_select: Default::default(),
            credit_word: Default::default(),
            credit: Default::default(),
            cu: Default::default(),
            vl_arb: Default::default(),
            vl_en: Default::default(),
            enable: Default::default(),
            go_down: Default::default(),
            retrain: Default::default(),
            restore: Default::default(),
            allowed: Default::default(),
            retry_cfg: Default::default(),
            degrade_cfg: Default::default(),
            inject: Default::default(),
            guid_low: Default::default(),
            guid_high: Default::default(),
            offer: Default::default(),
            link_epoch: Default::default(),
            fill: Default::default(),
            allowed_now: Default::default(),
            counts_lanes: Default::default(),
            removed_lanes: Default::default(),
            tx_count: Default::default(),
            rx_count: Default::default(),
            source: Default::default(),
            map: Default::default(),
            shown_map: Default::default(),
            shown_tx: Default::default(),
            shown_rx: Default::default(),
            lost_now: Default::default(),
            counted: Default::default(),
            happened: Default::default(),
            regs: LinkRegs::new(&config.page())?,
            one: Constant::new(1.into()),
            built_lanes: Constant::new(((1u64 << config.lanes) - 1).into()),
            built_modes: Constant::new(config.crc_modes().into()),
            built_offer: Constant::new(config.offer().into()),
            built_lat: Constant::new(latency.into()),
            transmit_masks: masks(&TRANSMIT_COUNTERS),
            receive_masks: masks(&RECEIVE_COUNTERS),
            health_masks: masks(&HEALTH_COUNTERS),
            control_masks: masks(&CONTROL_COUNTERS),
            fabric_masks: masks(&FABRIC_COUNTERS),
            change_masks: CHANGE_BITS.into_iter().map(flag).collect(),
            removed_mask: flag(event::lane_removed::LOW),
            refused_mask: flag(event::remove_refused::LOW),
            gap_mask: flag(event::gap::LOW),
            lost_mask: flag(event::lost::LOW),
            parity_mask: flag(event::parity::LOW),
            credit_mask: flag(event::credit::LOW),
            stack_mask: flag(event::stack::LOW),
            preferred_place: place(training_set_1::preferred::LOW),
            v_au_place: place(training_set_1::v_au::LOW),
            status_places: [
                status::tx_lanes::LOW,
                status::rx_lanes::LOW,
                status::tx_mode::LOW,
                status::rx_mode::LOW,
                status::freeze::LOW,
                status::tossing::LOW,
                status::epoch::LOW,
            ]
            .map(place),
            built_status: Constant::new((u64::from(config.bond.is_some()) << status::bonded::LOW).into()),
            lanes_places: [lanes::rx_active::LOW, lanes::inverted::LOW, lanes::removed::LOW].map(place),
            map_places: std::array::from_fn(|lane| place(lanes::rx_map::LOW + 2 * lane)),
            rtt_places: [rtt::ltps::LOW, rtt::pad::LOW].map(place),
            seq_places: [seq::next_rx::LOW, seq::next_write::LOW].map(place),
            lat_places: [lat::epoch::LOW, lat::fill::LOW].map(place),
        })
    }
}

impl Logic for PortPage {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, link_epoch, fill, shown_map, shown_tx, shown_rx);
        clock!(self, clock, regs);
        self.regs.clear.next = self.clear.val();
        self.regs.addr.next = self.addr.val();
        self.regs.wdata.next = self.wdata.val();
        self.regs.we.next = self.we.val();
        self.regs.re.next = self.re.val();
        self.rdata.next = self.regs.rdata.val();
        self.ack.next = self.regs.ack.val();
        self.interrupt.next = self.regs.interrupt.val();

        // Status.
        self.tx_count.next = 0.into();
        self.rx_count.next = 0.into();
        for i in 0..4 {
            if self.tx_lanes.val().get_bit(i) {
                self.tx_count.next = self.tx_count.val() + self.one.val();
            }
            if self.rx_lanes.val().get_bit(i) {
                self.rx_count.next = self.rx_count.val() + self.one.val();
            }
        }
        self.shown_tx.d.next = self.tx_count.val();
        self.shown_rx.d.next = self.rx_count.val();
        self.regs.status.next = bit_cast::<32, 3>(self.state.val())
            | (bit_cast::<32, 3>(self.shown_tx.q.val()) << self.status_places[0].val())
            | (bit_cast::<32, 3>(self.shown_rx.q.val()) << self.status_places[1].val())
            | (bit_cast::<32, 2>(self.tx_mode.val()) << self.status_places[2].val())
            | (bit_cast::<32, 2>(self.rx_mode.val()) << self.status_places[3].val())
            | (bit_cast::<32, 1>(self.freezing.val().into()) << self.status_places[4].val())
            | (bit_cast::<32, 1>(self.tossing.val().into()) << self.status_places[5].val())
            | (bit_cast::<32, 16>(self.epoch.val()) << self.status_places[6].val())
            | self.built_status.val();
        self.allowed_now.next = self.regs.allowed.val() & self.built_lanes.val();
        // Init and what comes behind it: before, no lane has been chosen yet.
        self.counts_lanes.next = self.state.val().get_bit(2) | self.state.val().get_bits::<2>(0).all();
        self.removed_lanes.next = 0.into();
        if self.counts_lanes.val() {
            self.removed_lanes.next = self.allowed_now.val() & !self.rx_ok.val();
        }
        self.map.next = bit_cast::<24, 4>(self.tx_lanes.val())
            | (bit_cast::<24, 4>(self.rx_lanes.val()) << self.lanes_places[0].val())
            | (bit_cast::<24, 4>(self.inverted.val()) << self.lanes_places[1].val())
            | (bit_cast::<24, 4>(self.removed_lanes.val()) << self.lanes_places[2].val());
        for i in 0..4 {
            self.source.next = self.rx_map[i].val();
            self.map.next =
                self.map.val() | (bit_cast::<24, 2>(self.source.val()) << self.map_places[i].val());
            self.regs.debt[i].next = self.debt[i].val();
        }
        self.shown_map.d.next = self.map.val();
        self.regs.lanes.next = self.shown_map.q.val();
        self.regs.rtt.next = bit_cast::<64, 32>(self.round_trip_clocks.val())
            | (bit_cast::<64, 16>(self.round_trip.val()) << self.rtt_places[0].val())
            | (bit_cast::<64, 16>(self.pad.val()) << self.rtt_places[1].val());
        self.regs.seq.next = bit_cast::<48, 16>(self.next_tx.val())
            | (bit_cast::<48, 16>(self.next_rx.val()) << self.seq_places[0].val())
            | (bit_cast::<48, 16>(self.next_write.val()) << self.seq_places[1].val());
        self.regs.peer_guid.next = bit_cast::<64, 32>(self.peer_guid_low.val())
            | (bit_cast::<64, 32>(self.peer_guid_high.val()) << 32);
        if self.enter.val() {
            self.link_epoch.d.next = self.link_epoch.q.val() + 1;
            self.fill.d.next = self.elastic_fill.val();
        }
        self.regs.lat.next = self.built_lat.val()
            | (bit_cast::<40, 16>(self.link_epoch.q.val()) << self.lat_places[0].val())
            | (bit_cast::<40, 8>(self.fill.q.val()) << self.lat_places[1].val());
        self.regs.bond_skew.next = self.bond_skew.val();
        self.regs.credit_word.next = self.credit_word.val();
        self.credit_select.next = self.regs.credit_select.val();

        // Events.
        self.counted.next = 0.into();
        for i in 0..8 {
            if self.transmit_events.val().get_bit(i) {
                self.counted.next = self.counted.val() | self.transmit_masks[i].val();
            }
        }
        for i in 0..9 {
            if self.receive_events.val().get_bit(i) {
                self.counted.next = self.counted.val() | self.receive_masks[i].val();
            }
            if self.health_events.val().get_bit(i) {
                self.counted.next = self.counted.val() | self.health_masks[i].val();
            }
        }
        for i in 0..3 {
            if self.control_events.val().get_bit(i) {
                self.counted.next = self.counted.val() | self.control_masks[i].val();
            }
        }
        for i in 0..5 {
            if self.fabric_events.val().get_bit(i) {
                self.counted.next = self.counted.val() | self.fabric_masks[i].val();
            }
        }
        self.regs.events.next = self.counted.val();
        self.regs.illegal_flits.next = self.illegal_flits.val();
        self.regs.tx_illegal.next = self.tx_illegal.val();
        self.regs.time_stale.next = self.time_stale.val();
        self.regs.time_dropped.next = self.time_dropped.val();
        self.lost_now.next = 0.into();
        if self.lost.valid.val() {
            self.lost_now.next = self.lost.data.val();
        }
        if self.fabric_events.val().get_bit(4) {
            self.lost_now.next = self.lost_now.val() + 1;
        }
        self.regs.lost_on_reset.next = self.lost_now.val();
        self.regs.lane_errors.next = self.lane_errors.val();
        self.regs.code_errors.next = self.code_errors.val();
        self.happened.next = 0.into();
        for i in 0..4 {
            if self.changes.val().get_bit(i) {
                self.happened.next = self.happened.val() | self.change_masks[i].val();
            }
        }
        if self.removed.val() {
            self.happened.next = self.happened.val() | self.removed_mask.val();
        }
        if self.health_events.val().get_bit(4) {
            self.happened.next = self.happened.val() | self.refused_mask.val();
        }
        if self.receive_events.val().get_bit(6) | self.transmit_events.val().get_bit(6) {
            self.happened.next = self.happened.val() | self.gap_mask.val();
        }
        if self.lost_now.val().any() {
            self.happened.next = self.happened.val() | self.lost_mask.val();
        }
        if self.transmit_events.val().get_bit(7) {
            self.happened.next = self.happened.val() | self.parity_mask.val();
        }
        if self.fabric_events.val().get_bit(0) {
            self.happened.next = self.happened.val() | self.credit_mask.val();
        }
        if self.fabric_events.val().get_bit(1) {
            self.happened.next = self.happened.val() | self.stack_mask.val();
        }
        self.regs.happened.next = self.happened.val();

        // What follows from the registers.
        self.enable.next = self.regs.enable.val();
        self.go_down.next = self.regs.go_down.val();
        self.retrain.next = self.regs.retrain.val();
        self.restore.next = self.regs.restore.val();
        self.allowed.next = self.allowed_now.val();
        self.retry_cfg.next = self.regs.retry_cfg.val();
        self.degrade_cfg.next = self.regs.degrade.val();
        self.inject.next = self.regs.inject.val();
        self.credit.next = self.regs.credit.val();
        self.cu.next = self.regs.cu.val();
        self.vl_arb.next = self.regs.vl_arb.val();
        self.vl_en.next = self.regs.vl_en.val();
        self.guid_low.next = self.regs.guid.val().get_bits::<32>(0);
        self.guid_high.next = self.regs.guid.val().get_bits::<32>(32);
        self.offer.next = self.built_offer.val()
            | (bit_cast::<OFFER_BITS, 3>(self.regs.crc_cfg.val().get_bits::<3>(0)) & self.built_modes.val())
            | (bit_cast::<OFFER_BITS, 2>(self.regs.crc_cfg.val().get_bits::<2>(3))
                << self.preferred_place.val())
            | (bit_cast::<OFFER_BITS, 3>(self.regs.credit.val().get_bits::<3>(0)) << self.v_au_place.val());
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("port_page", &[("lanes", self.built_lanes.val().index().count_ones().to_string())])
    }
}

drive_ports!(impl[] PortPage {
    clock, clear, addr, wdata, we, re, rdata, ack, interrupt, state, epoch, tx_lanes, rx_lanes, rx_ok, inverted, rx_map, tx_mode,
    rx_mode, freezing, tossing, round_trip, round_trip_clocks, pad, next_tx, next_rx, next_write, peer_guid_low,
    peer_guid_high, debt, enter, bond_skew, elastic_fill, transmit_events, receive_events, health_events, control_events, changes,
    removed, illegal_flits, tx_illegal, time_stale, time_dropped, lost, lane_errors, code_errors, fabric_events, credit_select, credit_word,
    credit, cu, vl_arb, vl_en, enable, go_down, retrain, restore, allowed, retry_cfg, degrade_cfg, inject, guid_low, guid_high, offer,
});
