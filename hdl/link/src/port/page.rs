//! The register page and what the rest of the port puts on it.

use super::control::{CHANGES, CONTROL_COUNTERS, CONTROL_EVENTS};
use super::health::{HEALTH_COUNTERS, HEALTH_EVENTS};
use super::receive::{RECEIVE_COUNTERS, RECEIVE_EVENTS};
use super::transmit::{TRANSMIT_COUNTERS, TRANSMIT_EVENTS};
use super::PortConfig;
use crate::degrade::DEBT_BITS;
use crate::regs::{LinkRegs, EVENTS, WORD_ADDRESS_BITS};
use crate::replay::{LOST_BITS, POINTER_BITS};
use crate::train::OFFER_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::counter::{LinkCounter, LINK_COUNTERS};
use flitforge_protocol::lane_word::{training_set_1, MAX_LANES};
use flitforge_protocol::link_registers::{event, lanes, lat, rtt, seq, status};

/// Counters after the bits of [`PortPage::fabric_events`]. LOST_ON_RESET is for a bond's shares that did not get into an LTP.
pub const FABRIC_COUNTERS: [LinkCounter; FABRIC_EVENTS] = [
    LinkCounter::CreditOvf,
    LinkCounter::StackErr,
    LinkCounter::PktGood,
    LinkCounter::PktBad,
    LinkCounter::LostOnReset,
];
/// Number of events of the fabric sublayer and of a bond.
pub const FABRIC_EVENTS: usize = 5;
/// Bits of register EVENT after [`CHANGES`], in its order.
const CHANGE_BITS: [usize; CHANGES] =
    [event::up::LOW, event::down::LOW, event::retrain::LOW, event::retry_limit::LOW];
/// A position of a field in a register.
type Place = Constant<Bits<16>>;

/// [`LinkRegs`] with STATUS, LANES, RTT, SEQ, LAT and EVENT put together, every event on its counter, and what the
/// training sets announce. Combinational up to `link_regs` but for LINK_EPOCH and the elastic fill.
///
/// BOND_SKEW, of a block that is not there yet, reads 0.
#[block(new)]
pub struct PortPage {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Register bus: word of the page.
    addr: In<Bits<WORD_ADDRESS_BITS>>,
    /// Register bus: value of a write.
    wdata: In<Bits<64>>,
    /// Register bus: asks for a write.
    we: In<Bit>,
    /// Register bus: asks for a read.
    re: In<Bit>,
    /// Register bus: the value, with `ack` of a read.
    rdata: Out<Bits<64>>,
    /// Register bus: the request is done.
    ack: Out<Bit>,
    /// An event of MASK has happened.
    interrupt: Out<Bit>,
    /// State of `link_train`.
    state: In<Bits<3>>,
    /// Times the end came out of Down.
    epoch: In<Bits<16>>,
    /// Lanes sent on.
    tx_lanes: In<Bits<4>>,
    /// Lanes received on.
    rx_lanes: In<Bits<4>>,
    /// Lanes the peer is asked to use.
    rx_ok: In<Bits<4>>,
    /// Lanes received inverted.
    inverted: In<Bits<4>>,
    /// Where each of the sender's lanes comes in.
    rx_map: [In<Bits<2>>; MAX_LANES],
    /// CRC mode sent in.
    tx_mode: In<Bits<2>>,
    /// CRC mode received in.
    rx_mode: In<Bits<2>>,
    /// Transmit side in FREEZE.
    freezing: In<Bit>,
    /// Receive side in TOSS.
    tossing: In<Bit>,
    /// RTT_LTP.
    round_trip: In<Bits<16>>,
    /// Round trip, clocks.
    round_trip_clocks: In<Bits<32>>,
    /// Fillers of a pad.
    pad: In<Bits<16>>,
    /// NxtTx.
    next_tx: In<Bits<POINTER_BITS>>,
    /// NxtRx.
    next_rx: In<Bits<POINTER_BITS>>,
    /// NxtWr.
    next_write: In<Bits<POINTER_BITS>>,
    /// The peer's GUID, low half.
    peer_guid_low: In<Bits<32>>,
    /// The peer's GUID, high half.
    peer_guid_high: In<Bits<32>>,
    /// Levels of the buckets.
    debt: [In<Bits<DEBT_BITS>>; MAX_LANES],
    /// Active is entered.
    enter: In<Bit>,
    /// BOND_SKEW.
    bond_skew: In<Bits<16>>,
    /// Words in lane 0's elastic FIFO.
    elastic_fill: In<Bits<8>>,
    /// Events of the transmit side.
    transmit_events: In<Bits<TRANSMIT_EVENTS>>,
    /// Events of the receive side.
    receive_events: In<Bits<RECEIVE_EVENTS>>,
    /// Events of isolation and removal.
    health_events: In<Bits<HEALTH_EVENTS>>,
    /// Events of the state.
    control_events: In<Bits<CONTROL_EVENTS>>,
    /// Changes of the state.
    changes: In<Bits<CHANGES>>,
    /// A lane is removed.
    removed: In<Bit>,
    /// Events ILLEGAL_FLIT.
    illegal_flits: In<Bits<3>>,
    /// Events TX_ILLEGAL.
    tx_illegal: In<Bits<3>>,
    /// Events TIME_STALE.
    time_stale: In<Bits<3>>,
    /// Events TIME_DROPPED.
    time_dropped: In<Bits<3>>,
    /// Events LOST_ON_RESET.
    pub lost: FlowIn<Bits<LOST_BITS>>,
    /// Events LANE_ERR.
    lane_errors: In<Bits<4>>,
    /// Code errors of the lanes.
    code_errors: In<Bits<4>>,
    /// Events of [`FABRIC_COUNTERS`].
    fabric_events: In<Bits<FABRIC_EVENTS>>,
    /// Virtual lane whose register CRED is wanted.
    credit_select: Out<Bits<4>>,
    /// That register, within 2 clocks.
    credit_word: In<Bits<48>>,
    /// Register CREDIT.
    credit: Out<Bits<16>>,
    /// Register CU.
    cu: Out<Bits<64>>,
    /// Register VL_ARB.
    vl_arb: Out<Bits<64>>,
    /// Register VL_EN.
    vl_en: Out<Bits<56>>,
    /// CTRL.enable.
    enable: Out<Bit>,
    /// Pulse: CTRL.disable.
    go_down: Out<Bit>,
    /// Pulse: CTRL.retrain.
    retrain: Out<Bit>,
    /// Pulse: CTRL.restore.
    restore: Out<Bit>,
    /// LANES.allowed, of the lanes that were built.
    allowed: Out<Bits<4>>,
    /// Register RETRY_CFG.
    retry_cfg: Out<Bits<56>>,
    /// Register DEGRADE.
    degrade_cfg: Out<Bits<11>>,
    /// Register INJECT.
    inject: Out<Bits<57>>,
    /// Register GUID, low half.
    guid_low: Out<Bits<32>>,
    /// Register GUID, high half.
    guid_high: Out<Bits<32>>,
    /// What the training sets announce.
    offer: Out<Bits<OFFER_BITS>>,

    #[wire(clock, clear)]
    regs: LinkRegs,
    link_epoch: Reg<Bits<16>>,
    fill: Reg<Bits<8>>,
    allowed_now: Local<Bits<4>>,
    counts_lanes: Local<Bit>,
    removed_lanes: Local<Bits<4>>,
    tx_count: Local<Bits<3>>,
    rx_count: Local<Bits<3>>,
    source: Local<Bits<2>>,
    map: Local<Bits<24>>,
    /// What is counted and looked up for the page, a clock ahead of the choice of its word.
    shown_map: Reg<Bits<24>>,
    shown_tx: Reg<Bits<3>>,
    shown_rx: Reg<Bits<3>>,
    lost_now: Local<Bits<LOST_BITS>>,
    #[init(1)]
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
    preferred_place: Constant<Bits<16>>,
    v_au_place: Constant<Bits<16>>,
    status_places: [Constant<Bits<16>>; 7],
    /// STATUS.bonded.
    built_status: Constant<Bits<32>>,
    lanes_places: [Constant<Bits<16>>; 3],
    map_places: [Constant<Bits<16>>; MAX_LANES],
    rtt_places: [Constant<Bits<16>>; 2],
    seq_places: [Constant<Bits<16>>; 2],
    lat_places: [Constant<Bits<16>>; 2],
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

#[logic]
impl PortPage {
    /// The page of a port that is built so, or the reason why not.
    pub fn new(config: &PortConfig) -> Result<Self, ConfigError> {
        let latency = (config.to_lane_clocks() << lat::to_lane::LOW)
            | (config.from_lane_clocks() << lat::from_lane::LOW);
        Ok(Self {
            regs: LinkRegs::new(&config.page())?,
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
            ..
        })
    }

    fn update(&mut self) {
        regs = In { addr, wdata, we, re };
        Out { rdata, ack, interrupt } = regs;

        self.show_status();
        self.count_events();

        // What follows from the registers.
        Out { enable, go_down, retrain, restore } = regs;
        allowed = allowed_now;
        Out { retry_cfg, degrade: degrade_cfg, inject, credit, cu, vl_arb, vl_en } = regs;
        guid_low = regs.guid.bits::<32>(0);
        guid_high = regs.guid.bits::<32>(32);
        offer = built_offer
            | (bit_cast::<OFFER_BITS, 3>(regs.crc_cfg.bits::<3>(0)) & built_modes)
            | (bit_cast::<OFFER_BITS, 2>(regs.crc_cfg.bits::<2>(3)) << preferred_place)
            | (bit_cast::<OFFER_BITS, 3>(regs.credit.bits::<3>(0)) << v_au_place);
    }

    /// Status.
    fn show_status(&mut self) {
        tx_count = 0;
        rx_count = 0;
        for i in 0..4 {
            if tx_lanes[i] {
                tx_count = tx_count + one;
            }
            if rx_lanes[i] {
                rx_count = rx_count + one;
            }
        }
        shown_tx = tx_count;
        shown_rx = rx_count;
        regs.status = bit_cast::<32, 3>(state)
            | (bit_cast::<32, 3>(shown_tx) << status_places[0])
            | (bit_cast::<32, 3>(shown_rx) << status_places[1])
            | (bit_cast::<32, 2>(tx_mode) << status_places[2])
            | (bit_cast::<32, 2>(rx_mode) << status_places[3])
            | (bit_cast::<32, 1>(freezing.into()) << status_places[4])
            | (bit_cast::<32, 1>(tossing.into()) << status_places[5])
            | (bit_cast::<32, 16>(epoch) << status_places[6])
            | built_status;
        allowed_now = regs.allowed & built_lanes;
        // Init and what comes after it: before, no lane has been chosen yet.
        counts_lanes = state[2] | state.bits::<2>(0).all();
        removed_lanes = 0;
        if counts_lanes {
            removed_lanes = allowed_now & !rx_ok;
        }
        map = bit_cast::<24, 4>(tx_lanes)
            | (bit_cast::<24, 4>(rx_lanes) << lanes_places[0])
            | (bit_cast::<24, 4>(inverted) << lanes_places[1])
            | (bit_cast::<24, 4>(removed_lanes) << lanes_places[2]);
        for i in 0..4 {
            source = rx_map[i];
            map = map | (bit_cast::<24, 2>(source) << map_places[i]);
            regs.debt[i] = debt[i];
        }
        shown_map = map;
        regs.lanes = shown_map;
        regs.rtt = bit_cast::<64, 32>(round_trip_clocks)
            | (bit_cast::<64, 16>(round_trip) << rtt_places[0])
            | (bit_cast::<64, 16>(pad) << rtt_places[1]);
        regs.seq = bit_cast::<48, 16>(next_tx)
            | (bit_cast::<48, 16>(next_rx) << seq_places[0])
            | (bit_cast::<48, 16>(next_write) << seq_places[1]);
        regs.peer_guid = bit_cast::<64, 32>(peer_guid_low) | (bit_cast::<64, 32>(peer_guid_high) << 32);
        if enter {
            link_epoch = link_epoch + 1;
            fill = elastic_fill;
        }
        regs.lat = built_lat
            | (bit_cast::<40, 16>(link_epoch) << lat_places[0])
            | (bit_cast::<40, 8>(fill) << lat_places[1]);
        regs = In { bond_skew, credit_word };
        credit_select = regs.credit_select;
    }

    /// Events.
    fn count_events(&mut self) {
        let mut counted: Bits<LINK_COUNTERS> = 0;
        for i in 0..8 {
            if transmit_events[i] {
                counted = counted | transmit_masks[i];
            }
        }
        for i in 0..9 {
            if receive_events[i] {
                counted = counted | receive_masks[i];
            }
            if health_events[i] {
                counted = counted | health_masks[i];
            }
        }
        for i in 0..3 {
            if control_events[i] {
                counted = counted | control_masks[i];
            }
        }
        for i in 0..5 {
            if fabric_events[i] {
                counted = counted | fabric_masks[i];
            }
        }
        regs = In { events: counted, illegal_flits, tx_illegal, time_stale, time_dropped };
        lost_now = 0;
        if lost.valid {
            lost_now = lost.data;
        }
        if fabric_events[4] {
            lost_now = lost_now + 1;
        }
        regs = In { lost_on_reset: lost_now, lane_errors, code_errors };
        let mut happened: Bits<EVENTS> = 0;
        for i in 0..4 {
            if changes[i] {
                happened = happened | change_masks[i];
            }
        }
        if removed {
            happened = happened | removed_mask;
        }
        if health_events[4] {
            happened = happened | refused_mask;
        }
        if receive_events[6] | transmit_events[6] {
            happened = happened | gap_mask;
        }
        if lost_now.any() {
            happened = happened | lost_mask;
        }
        if transmit_events[7] {
            happened = happened | parity_mask;
        }
        if fabric_events[0] {
            happened = happened | credit_mask;
        }
        if fabric_events[1] {
            happened = happened | stack_mask;
        }
        regs.happened = happened;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("port_page", &[("lanes", self.built_lanes.val().index().count_ones().to_string())])
    }
}
