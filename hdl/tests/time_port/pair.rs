//! Two links' ends with their time side and a `phy_loop` for each direction between them, as one block.

use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_hdl::link::lane::{LANE_BITS, LANE_IN_BITS};
use flitforge_hdl::link::phy_loop::PhyLoop;
use flitforge_hdl::link::port::{LinkPort1, PortConfig};
use flitforge_hdl::link::regs::WORD_ADDRESS_BITS;
use flitforge_hdl::prim::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
use flitforge_hdl::time::page::{EVENT_BITS, PORT_COUNTERS};
use flitforge_hdl::time::port::{TimePort, TimePortConfig};
use flitforge_hdl::time::ring::{CONTROL_BITS, VALUE_BITS};
use rust_hdl::prelude::*;
use std::array;

/// Bits of a beat: one flit.
const BEAT: usize = 65;

/// End 0 and end 1. Element 0 of an array belongs to end 0, of a channel to the direction from it.
#[derive(LogicBlock)]
pub struct TimePair {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, Bit>,
    pub addr: [Signal<In, Bits<WORD_ADDRESS_BITS>>; 2],
    pub wdata: [Signal<In, Bits<64>>; 2],
    pub we: [Signal<In, Bit>; 2],
    pub flits_in: [StreamIn<Bits<BEAT>>; 2],
    pub flits_out: [FlowOut<Bits<BEAT>>; 2],
    pub state: [Signal<Out, Bits<3>>; 2],
    pub delay: [Signal<In, Bits<4>>; 2],
    pub error_enable: [Signal<In, Bit>; 2],
    pub error_mask: [Signal<In, Bits<LANE_IN_BITS>>; 2],
    pub copy: [FlowIn<Bits<VALUE_BITS>>; 2],
    pub copy_control: [Signal<In, Bits<CONTROL_BITS>>; 2],
    pub advance: [Signal<In, Bit>; 2],
    pub hold_on_epoch: [Signal<In, Bit>; 2],
    pub ldm_start: [Signal<In, Bit>; 2],
    pub ldm_auto: [Signal<In, Bit>; 2],
    pub asymmetry: [Signal<In, Bits<32>>; 2],
    /// Tree 0 comes from stop 1.
    pub sources: Signal<In, Bits<24>>,
    pub inc_f: Signal<In, Bits<38>>,
    pub period: Signal<In, Bits<26>>,
    pub low: [FlowOut<Bits<48>>; 2],
    pub high: [FlowOut<Bits<48>>; 2],
    pub done: [Signal<Out, Bit>; 2],
    pub failed: [Signal<Out, Bit>; 2],
    pub mean: [Signal<Out, Bits<32>>; 2],
    pub min: [Signal<Out, Bits<32>>; 2],
    pub max: [Signal<Out, Bits<32>>; 2],
    pub link_epoch: [Signal<Out, Bits<16>>; 2],
    pub measured_epoch: [Signal<Out, Bits<16>>; 2],
    pub phase_ok: [Signal<Out, Bit>; 2],
    pub events_of_0: [Signal<Out, Bits<EVENT_BITS>>; PORT_COUNTERS],
    pub events_of_1: [Signal<Out, Bits<EVENT_BITS>>; PORT_COUNTERS],
    port: [LinkPort1<1, 4, 8>; 2],
    time: [TimePort<1, BEAT, VALUE_BITS, 0, 0>; 2],
    line: [PhyLoop<1>; 2],
}

impl TimePair {
    pub fn new(core_fs: u64) -> Self {
        let port = |guid| LinkPort1::new(&PortConfig { guid, ..PortConfig::short(1, 1, 16) }).expect("valid");
        let time = || TimePort::new(&TimePortConfig::one_clock(1, core_fs)).expect("valid");
        Self {
            clock: Default::default(),
            clear: Default::default(),
            addr: Default::default(),
            wdata: Default::default(),
            we: Default::default(),
            flits_in: Default::default(),
            flits_out: Default::default(),
            state: Default::default(),
            delay: Default::default(),
            error_enable: Default::default(),
            error_mask: Default::default(),
            copy: Default::default(),
            copy_control: Default::default(),
            advance: Default::default(),
            hold_on_epoch: Default::default(),
            ldm_start: Default::default(),
            ldm_auto: Default::default(),
            asymmetry: Default::default(),
            sources: Default::default(),
            inc_f: Default::default(),
            period: Default::default(),
            low: Default::default(),
            high: Default::default(),
            done: Default::default(),
            failed: Default::default(),
            mean: Default::default(),
            min: Default::default(),
            max: Default::default(),
            link_epoch: Default::default(),
            measured_epoch: Default::default(),
            phase_ok: Default::default(),
            events_of_0: array::from_fn(|_| Default::default()),
            events_of_1: array::from_fn(|_| Default::default()),
            port: [port(0x11), port(0x22)],
            time: [time(), time()],
            line: array::from_fn(|_| PhyLoop::new().expect("valid")),
        }
    }
}

impl Logic for TimePair {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..2 {
            self.port[i].clock.next = self.clock.val();
            self.time[i].clock.next = self.clock.val();
            self.line[i].clock.next = self.clock.val();
            self.port[i].clear.next = self.clear.val();
            self.time[i].clear.next = self.clear.val();
            self.line[i].clear.next = self.clear.val();
            self.line[i].error_enable.next = self.error_enable[i].val();
            self.line[i].error_lanes.next = 1.into();
            self.line[i].error_mask.next = self.error_mask[i].val();
            self.line[i].delay[0].next = self.delay[i].val();

            // The link.
            self.port[i].addr.next = self.addr[i].val();
            self.port[i].wdata.next = self.wdata[i].val();
            self.port[i].we.next = self.we[i].val();
            self.port[i].re.next = false;
            self.port[i].side_in.valid.next = false;
            self.port[i].side_in.data.next = 0.into();
            self.port[i].renew.next = false;
            self.port[i].fabric_events.next = 0.into();
            self.port[i].credit_word.next = 0.into();
            self.port[i].bond_skew.next = 0.into();
            self.port[i].bist_start.next = false;
            self.port[i].bist_end.next = false;
            self.port[i].test_rows_in.valid.next = false;
            self.port[i].test_rows_in.data.next = 0.into();
            self.port[i].damage.next = false;
            self.port[i].signal_ok.next = 15.into();
            self.port[i].lane_lock.next = 15.into();
            self.port[i].elastic_error.next = false;
            self.port[i].elastic_fill.next = 0.into();
            StreamIn::<Bits<BEAT>>::link(&mut self.flits_in[i], &mut self.port[i].flits_in);
            FlowOut::<Bits<BEAT>>::link(&mut self.flits_out[i], &mut self.port[i].flits_out);
            StreamOut::<Bits<LANE_BITS>>::join(&mut self.port[i].tx[0], &mut self.line[i].tx[0]);
            self.port[i].rx[0].valid.next = self.line[(i + 1) % 2].rx[0].valid.val();
            self.port[i].rx[0].data.next = self.line[(i + 1) % 2].rx[0].data.val();
            self.state[i].next = self.port[i].state.val();

            // Its time side.
            self.time[i].tx_clock.next = self.clock.val();
            self.time[i].rx_clock.next = self.clock.val();
            self.time[i].tx_phase.valid.next = false;
            self.time[i].tx_phase.data.next = 0.into();
            self.time[i].rx_phase.valid.next = false;
            self.time[i].rx_phase.data.next = 0.into();
            self.time[i].tx_fill.next = 0.into();
            self.time[i].rx_fill.next = 0.into();
            self.time[i].state.next = self.port[i].state.val();
            self.time[i].tx_mode.next = self.port[i].tx_mode.val();
            self.time[i].tx_lanes.next = self.port[i].tx_lanes.val();
            self.time[i].rx_lanes.next = self.port[i].rx_lanes.val();
            self.time[i].tx_last_lane.next = self.port[i].tx_last_lane.val();
            self.time[i].tx_idle.next = self.port[i].tx_idle.val();
            self.time[i].tx_position.next = self.port[i].tx_position.val();
            self.time[i].tx_words.next = self.port[i].tx_words.val();
            self.time[i].rx_position.next = self.port[i].rx_position.val();
            self.time[i].rx_words.next = self.port[i].rx_words.val();
            self.time[i].tx_open.next = self.port[i].tx_open.val();
            self.port[i].time_mode.next = self.time[i].time_mode.val();
            self.time[i].spc_out.valid.next = self.port[i].spc_out.valid.val();
            self.time[i].spc_out.data.next = self.port[i].spc_out.data.val();
            StreamOut::<Bits<BEAT>>::join(&mut self.time[i].time_in, &mut self.port[i].time_in);

            // Registers.
            self.time[i].up_en.next = 15.into();
            self.time[i].advance.next = self.advance[i].val();
            self.time[i].hold_on_epoch.next = self.hold_on_epoch[i].val();
            self.time[i].tx_wait_max.next = 4096.into();
            self.time[i].rx_corr.next = 0.into();
            self.time[i].ldm_start.next = self.ldm_start[i].val();
            self.time[i].ldm_auto.next = self.ldm_auto[i].val();
            self.time[i].ldm_adjust.next = false;
            self.time[i].ldm_rounds.next = 4.into();
            self.time[i].ldm_timeout.next = 65535.into();
            self.time[i].asymmetry.next = self.asymmetry[i].val();
            self.time[i].acknowledged.next = 0.into();
            self.time[i].epoch_write.valid.next = false;
            self.time[i].epoch_write.data.next = 0.into();
            self.time[i].locked.next = true;
            self.time[i].sources.next = self.sources.val();
            self.time[i].inc_f.next = self.inc_f.val();
            self.time[i].rper.next = self.period.val();
            self.time[i].wper.next = self.period.val();
            FlowIn::<Bits<VALUE_BITS>>::link(&mut self.copy[i], &mut self.time[i].copy[0]);
            self.time[i].copy_control[0].next = self.copy_control[i].val();
            self.time[i].copy[1].valid.next = false;
            self.time[i].copy[1].data.next = 0.into();
            self.time[i].copy_control[1].next = 0.into();
            FlowOut::<Bits<48>>::link(&mut self.low[i], &mut self.time[i].low);
            FlowOut::<Bits<48>>::link(&mut self.high[i], &mut self.time[i].high);
            self.done[i].next = self.time[i].done.val();
            self.failed[i].next = self.time[i].failed.val();
            self.mean[i].next = self.time[i].mean.val();
            self.min[i].next = self.time[i].min.val();
            self.max[i].next = self.time[i].max.val();
            self.link_epoch[i].next = self.time[i].link_epoch.val();
            self.measured_epoch[i].next = self.time[i].measured_epoch.val();
            self.phase_ok[i].next = self.time[i].phase_ok.val();
        }
        for i in 0..11 {
            self.events_of_0[i].next = self.time[0].events[i].val();
            self.events_of_1[i].next = self.time[1].events[i].val();
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("time_pair", &[])
    }
}

drive_ports!(impl[] TimePair {
    clock, clear, addr, wdata, we, flits_in, flits_out, state, delay, error_enable, error_mask, copy, copy_control, advance,
    hold_on_epoch, ldm_start, ldm_auto, asymmetry, sources, inc_f, period, low, high, done, failed, mean, min, max, link_epoch,
    measured_epoch, phase_ok, events_of_0, events_of_1,
});
