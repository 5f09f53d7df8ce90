//! A link port as the tree uses it.

use super::{ClockTreeConfig, Link, BEAT};
use crate::config::ConfigError;
use crate::link::lane::{LANE_BITS, LANE_IN_BITS};
use crate::link::position::{POSITION_BITS, WORD_COUNT_BITS};
use crate::prim::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Bits that tell one packet flit of the load from the next.
const COUNT_BITS: usize = 16;

/// A `link_port` of one lane; only its time side, its load and its lane are there.
#[derive(LogicBlock)]
pub struct TreePort {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// The link comes up; 0: it goes Down.
    pub enable: Signal<In, Bit>,
    /// Packet flits are sent as fast as the link takes them.
    pub load: Signal<In, Bit>,
    /// The link's state.
    pub state: Signal<Out, Bits<3>>,
    /// CRC mode of the transmitter.
    pub tx_mode: Signal<Out, Bits<2>>,
    /// Lanes sent on.
    pub tx_lanes: Signal<Out, Bits<4>>,
    /// Lanes received on.
    pub rx_lanes: Signal<Out, Bits<4>>,
    /// The last of the lanes sent on.
    pub tx_last_lane: Signal<Out, Bits<2>>,
    /// Nothing is on its way to the lanes.
    pub tx_idle: Signal<Out, Bit>,
    /// Place of the beat that is taken now on the line.
    pub tx_position: Signal<Out, Bits<POSITION_BITS>>,
    /// Words sent.
    pub tx_words: Signal<Out, Bits<WORD_COUNT_BITS>>,
    /// Place of the beat on `spc_out` on the line.
    pub rx_position: Signal<Out, Bits<POSITION_BITS>>,
    /// Words that came.
    pub rx_words: Signal<Out, Bits<WORD_COUNT_BITS>>,
    /// Time flits may be offered.
    pub tx_open: Signal<Out, Bit>,
    /// Time flits that came.
    pub spc_out: FlowOut<Bits<BEAT>>,
    /// Time flits to be sent.
    pub time_in: StreamIn<Bits<BEAT>>,
    /// What becomes of time flits while the link replays.
    pub time_mode: Signal<In, Bit>,
    /// To the line: word in bits 31..0, ctl in bit 32.
    pub tx: StreamOut<Bits<LANE_BITS>>,
    /// From the line: word in bits 31..0, ctl in bit 32, code_err in bit 33.
    pub rx: FlowIn<Bits<LANE_IN_BITS>>,

    link: Link,
    count: DFF<Bits<COUNT_BITS>>,
    /// A flit stands at the link.
    offers: DFF<Bit>,
    one: Constant<Bits<COUNT_BITS>>,
}

impl TreePort {
    /// A port with this GUID, or the reason why it cannot be built.
    pub fn new(config: &ClockTreeConfig, guid: u64) -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            enable: Default::default(),
            load: Default::default(),
            state: Default::default(),
            tx_mode: Default::default(),
            tx_lanes: Default::default(),
            rx_lanes: Default::default(),
            tx_last_lane: Default::default(),
            tx_idle: Default::default(),
            tx_position: Default::default(),
            tx_words: Default::default(),
            rx_position: Default::default(),
            rx_words: Default::default(),
            tx_open: Default::default(),
            spc_out: Default::default(),
            time_in: Default::default(),
            time_mode: Default::default(),
            tx: Default::default(),
            rx: Default::default(),
            link: config.link(guid)?,
            count: Default::default(),
            offers: Default::default(),
            one: Constant::new(1.into()),
        })
    }
}

impl Logic for TreePort {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count, offers);
        clock!(self, clock, link);
        self.link.clear.next = self.clear.val();
        self.link.enable.next = self.enable.val();

        // The load: a flit that is offered stays until it is taken.
        self.offers.d.next = self.load.val() | (self.offers.q.val() & !self.link.flits_in.ready.val());
        if self.offers.q.val() & self.link.flits_in.ready.val() {
            self.count.d.next = self.count.q.val() + self.one.val();
        }
        if self.clear.val() {
            self.offers.d.next = false;
        }
        self.link.flits_in.valid.next = self.offers.q.val();
        self.link.flits_in.data.next = bit_cast::<BEAT, COUNT_BITS>(self.count.q.val()).replace_bit(64, true);

        // The time side and the lane.
        self.state.next = self.link.state.val();
        self.tx_mode.next = self.link.tx_mode.val();
        self.tx_lanes.next = self.link.tx_lanes.val();
        self.rx_lanes.next = self.link.rx_lanes.val();
        self.tx_last_lane.next = self.link.tx_last_lane.val();
        self.tx_idle.next = self.link.tx_idle.val();
        self.tx_position.next = self.link.tx_position.val();
        self.tx_words.next = self.link.tx_words.val();
        self.rx_position.next = self.link.rx_position.val();
        self.rx_words.next = self.link.rx_words.val();
        self.tx_open.next = self.link.tx_open.val();
        self.spc_out.valid.next = self.link.spc_out.valid.val();
        self.spc_out.data.next = self.link.spc_out.data.val();
        StreamIn::<Bits<BEAT>>::link(&mut self.time_in, &mut self.link.time_in);
        self.link.time_mode.next = self.time_mode.val();
        StreamOut::<Bits<LANE_BITS>>::link(&mut self.tx, &mut self.link.tx[0]);
        FlowIn::<Bits<LANE_IN_BITS>>::link(&mut self.rx, &mut self.link.rx[0]);

        // What nobody needs here.
        self.link.side_in.valid.next = false;
        self.link.side_in.data.next = 0.into();
        self.link.signal_ok.next = true;
        self.link.lane_lock.next = true;
        self.link.elastic_error.next = false;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("tree_port", &[])
    }
}

drive_ports!(impl[] TreePort {
    clock, clear, enable, load, state, tx_mode, tx_lanes, rx_lanes, tx_last_lane, tx_idle, tx_position, tx_words,
    rx_position, rx_words, tx_open, spc_out, time_in, time_mode, tx, rx,
});
