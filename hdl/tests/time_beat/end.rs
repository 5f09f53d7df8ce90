//! A `link_port` of one lane and a `time_hfi` beside it, as one block; the lane's words go in and out.

use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_hdl::link::lane::{LANE_BITS, LANE_IN_BITS};
use flitforge_hdl::link::port::{LinkPort1, PortConfig};
use flitforge_hdl::link::regs::WORD_ADDRESS_BITS;
use flitforge_hdl::prim::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
use flitforge_hdl::time::hfi::{TimeHfi, TimeHfiConfig};
use flitforge_hdl::time::page::PAGE_WORD_BITS;
use flitforge_hdl::time::port::FILL_BITS;
use rust_hdl::prelude::*;

/// Bits of a beat: one flit.
const FLIT: usize = 65;

/// `BEAT` and `DDMTD` as PHASE_SRC says, both 0 with NONE.
#[derive(LogicBlock)]
pub struct HfiEnd<const BEAT: usize, const DDMTD: usize> {
    pub clock: Signal<In, Clock>,
    pub tx_clock: Signal<In, Clock>,
    pub rx_clock: Signal<In, Clock>,
    pub helper_clock: [Signal<In, Clock>; DDMTD],
    pub clear: Signal<In, Bit>,
    pub link_addr: Signal<In, Bits<WORD_ADDRESS_BITS>>,
    pub link_wdata: Signal<In, Bits<64>>,
    pub link_we: Signal<In, Bit>,
    pub flits_in: StreamIn<Bits<FLIT>>,
    pub flits_out: FlowOut<Bits<FLIT>>,
    pub link_state: Signal<Out, Bits<3>>,
    /// Words to the PHY's FIFO, and from that of the other direction.
    pub words_out: StreamOut<Bits<LANE_BITS>>,
    pub words_in: FlowIn<Bits<LANE_IN_BITS>>,
    pub tx_fill: Signal<In, Bits<FILL_BITS>>,
    pub rx_fill: Signal<In, Bits<FILL_BITS>>,
    pub addr: Signal<In, Bits<PAGE_WORD_BITS>>,
    pub wdata: Signal<In, Bits<64>>,
    pub we: Signal<In, Bit>,
    pub re: Signal<In, Bit>,
    pub rdata: Signal<Out, Bits<64>>,
    pub ack: Signal<Out, Bit>,
    pub sync: Signal<Out, Bits<96>>,
    pub state: Signal<Out, Bits<3>>,
    port: LinkPort1<1, 4, 8>,
    time: TimeHfi<1, FLIT, BEAT, 0, 1, DDMTD>,
}

impl<const BEAT: usize, const DDMTD: usize> HfiEnd<BEAT, DDMTD> {
    pub fn new(guid: u64, config: &TimeHfiConfig) -> Self {
        Self {
            clock: Default::default(),
            tx_clock: Default::default(),
            rx_clock: Default::default(),
            helper_clock: std::array::from_fn(|_| Default::default()),
            clear: Default::default(),
            link_addr: Default::default(),
            link_wdata: Default::default(),
            link_we: Default::default(),
            flits_in: Default::default(),
            flits_out: Default::default(),
            link_state: Default::default(),
            words_out: Default::default(),
            words_in: Default::default(),
            tx_fill: Default::default(),
            rx_fill: Default::default(),
            addr: Default::default(),
            wdata: Default::default(),
            we: Default::default(),
            re: Default::default(),
            rdata: Default::default(),
            ack: Default::default(),
            sync: Default::default(),
            state: Default::default(),
            port: LinkPort1::new(&PortConfig { guid, ..PortConfig::short(1, 1, 16) }).expect("valid"),
            time: TimeHfi::new(config).expect("valid"),
        }
    }
}

impl<const BEAT: usize, const DDMTD: usize> Logic for HfiEnd<BEAT, DDMTD> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, port, time);
        self.port.clear.next = self.clear.val();
        self.time.clear.next = self.clear.val();

        // The link.
        self.port.addr.next = self.link_addr.val();
        self.port.wdata.next = self.link_wdata.val();
        self.port.we.next = self.link_we.val();
        self.port.re.next = false;
        self.port.side_in.valid.next = false;
        self.port.side_in.data.next = 0.into();
        self.port.renew.next = false;
        self.port.fabric_events.next = 0.into();
        self.port.credit_word.next = 0.into();
        self.port.bond_skew.next = 0.into();
        self.port.bist_start.next = false;
        self.port.bist_end.next = false;
        self.port.test_rows_in.valid.next = false;
        self.port.test_rows_in.data.next = 0.into();
        self.port.damage.next = false;
        self.port.signal_ok.next = 15.into();
        self.port.lane_lock.next = 15.into();
        self.port.elastic_error.next = false;
        self.port.elastic_fill.next = 0.into();
        StreamIn::<Bits<FLIT>>::link(&mut self.flits_in, &mut self.port.flits_in);
        FlowOut::<Bits<FLIT>>::link(&mut self.flits_out, &mut self.port.flits_out);
        StreamOut::<Bits<LANE_BITS>>::link(&mut self.words_out, &mut self.port.tx[0]);
        FlowIn::<Bits<LANE_IN_BITS>>::link(&mut self.words_in, &mut self.port.rx[0]);
        self.link_state.next = self.port.state.val();

        // Its time side.
        self.time.tx_clock.next = self.tx_clock.val();
        self.time.rx_clock.next = self.rx_clock.val();
        for i in 0..DDMTD {
            self.time.helper_clock[i].next = self.helper_clock[i].val();
        }
        self.time.tx_phase.valid.next = false;
        self.time.tx_phase.data.next = 0.into();
        self.time.rx_phase.valid.next = false;
        self.time.rx_phase.data.next = 0.into();
        self.time.tx_fill.next = self.tx_fill.val();
        self.time.rx_fill.next = self.rx_fill.val();
        self.time.link_state.next = self.port.state.val();
        self.time.tx_mode.next = self.port.tx_mode.val();
        self.time.tx_lanes.next = self.port.tx_lanes.val();
        self.time.rx_lanes.next = self.port.rx_lanes.val();
        self.time.tx_last_lane.next = self.port.tx_last_lane.val();
        self.time.tx_idle.next = self.port.tx_idle.val();
        self.time.tx_position.next = self.port.tx_position.val();
        self.time.tx_words.next = self.port.tx_words.val();
        self.time.rx_position.next = self.port.rx_position.val();
        self.time.rx_words.next = self.port.rx_words.val();
        self.time.tx_open.next = self.port.tx_open.val();
        self.port.time_mode.next = self.time.time_mode.val();
        self.time.spc_out.valid.next = self.port.spc_out.valid.val();
        self.time.spc_out.data.next = self.port.spc_out.data.val();
        self.port.time_in.valid.next = self.time.time_in.valid.val();
        self.port.time_in.data.next = self.time.time_in.data.val();
        self.time.time_in.ready.next = self.port.time_in.ready.val();

        // Registers and times.
        self.time.addr.next = self.addr.val();
        self.time.wdata.next = self.wdata.val();
        self.time.we.next = self.we.val();
        self.time.re.next = self.re.val();
        self.rdata.next = self.time.rdata.val();
        self.ack.next = self.time.ack.val();
        self.sync.next = self.time.sync.val();
        self.state.next = self.time.state.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("hfi_end", &[])
    }
}

drive_ports!(impl[const BEAT: usize, const DDMTD: usize] HfiEnd<BEAT, DDMTD> {
    clock, tx_clock, rx_clock, helper_clock, clear, link_addr, link_wdata, link_we, flits_in, flits_out, link_state, words_out, words_in, tx_fill, rx_fill, addr, wdata, we, re, rdata, ack, sync, state,
});
