//! The whole link, flit in to flit out: `link_ltp_tx`, gearbox, lanes, `phy_loop` and back (chapter 10, 4.12).

#![allow(clippy::expect_used)] // tests

use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_elaborate::Value;
use flitforge_hdl::link::gearbox::{LinkGearboxRx, LinkGearboxTx, ROW_BITS, WIRE_BITS_2};
use flitforge_hdl::link::lane::{LinkLaneRx, LinkLaneTx, LANE_BITS, LANE_IN_BITS};
use flitforge_hdl::link::ltp_rx::LtpRx2;
use flitforge_hdl::link::ltp_tx::LtpTx2;
use flitforge_hdl::link::phy_loop::PhyLoop;
use flitforge_hdl::prim::stream::{FlowOut, StreamIn, StreamOut};
use flitforge_testkit::{BenchBlock, Clocked};
use rust_hdl::prelude::*;
use std::collections::BTreeMap;

/// Bits of a beat of two flits.
const BEAT: usize = 130;
/// Flit in to flit out, at most: chapter 10, 4.12.
const MOST_CLOCKS: u64 = 24;

/// Four lanes, two flits per beat, mode 0, nothing but the blocks of the table in 4.12.
#[derive(LogicBlock)]
struct Link {
    clock: Signal<In, Clock>,
    clear: Signal<In, Bit>,
    start: Signal<In, Bit>,
    flits_in: StreamIn<Bits<BEAT>>,
    flits_out: FlowOut<Bits<BEAT>>,
    rx_bad: Signal<Out, Bit>,
    /// Transfers between two blocks, in the order of `STAGES`: wire beats, rows, data words of lane 0, and back.
    passes: Signal<Out, Bits<6>>,
    ltp_tx: LtpTx2,
    gearbox_tx: LinkGearboxTx,
    lane_tx: LinkLaneTx<4>,
    phy: PhyLoop<4>,
    lane_rx: LinkLaneRx<4>,
    gearbox_rx: LinkGearboxRx,
    ltp_rx: LtpRx2,
    lane_numbers: [Constant<Bits<2>>; 4],
}

impl Link {
    fn new() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            start: Default::default(),
            flits_in: Default::default(),
            flits_out: Default::default(),
            rx_bad: Default::default(),
            passes: Default::default(),
            ltp_tx: LtpTx2::new().expect("valid"),
            gearbox_tx: Default::default(),
            lane_tx: LinkLaneTx::new().expect("valid"),
            phy: PhyLoop::new().expect("valid"),
            lane_rx: LinkLaneRx::new().expect("valid"),
            gearbox_rx: Default::default(),
            ltp_rx: LtpRx2::new().expect("valid"),
            lane_numbers: std::array::from_fn(|lane| Constant::new((lane as u64).into())),
        }
    }
}

impl Logic for Link {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, ltp_tx, gearbox_tx, lane_tx, phy, lane_rx, gearbox_rx, ltp_rx);
        self.ltp_tx.clear.next = self.clear.val();
        self.gearbox_tx.clear.next = self.clear.val();
        self.lane_tx.clear.next = self.clear.val();
        self.phy.clear.next = self.clear.val();
        self.lane_rx.clear.next = self.clear.val();
        self.gearbox_rx.clear.next = self.clear.val();
        self.ltp_rx.clear.next = self.clear.val();
        self.ltp_tx.mode.next = 0.into();
        self.ltp_tx.active.next = true;
        self.ltp_tx.time_mode.next = false;
        self.ltp_tx.time_in.valid.next = false;
        self.ltp_tx.time_in.data.next = 0.into();
        self.ltp_tx.null_in.valid.next = false;
        self.ltp_tx.null_in.data.next = 0.into();
        self.ltp_tx.side_in.valid.next = false;
        self.ltp_tx.side_in.data.next = 0.into();
        self.ltp_tx.replay_next.next = false;
        self.ltp_tx.replay_beat.next = 0.into();
        self.ltp_tx.replay_side.next = 0.into();
        self.ltp_tx.replay_corrupt.next = false;
        self.ltp_tx.hold.next = false;
        self.ltp_tx.drain.next = false;
        self.ltp_tx.restart.next = false;
        self.gearbox_tx.wide.next = false;
        self.gearbox_tx.last_lane.next = self.lane_tx.last_lane.val();
        self.lane_tx.start.next = self.start.val();
        self.lane_tx.active.next = 15.into();
        self.lane_tx.crc_mode.next = 0.into();
        self.lane_tx.bond_index.next = 0.into();
        self.phy.error_enable.next = false;
        self.phy.error_lanes.next = 0.into();
        self.phy.error_mask.next = 0.into();
        self.lane_rx.active.next = 15.into();
        self.lane_rx.crc_mode.next = 0.into();
        self.gearbox_rx.wide.next = false;
        self.gearbox_rx.last_lane.next = self.lane_rx.last_lane.val();
        self.gearbox_rx.row_error.next = self.lane_rx.row_error.val();
        self.gearbox_rx.row_start.next = self.lane_rx.row_start.val();
        self.ltp_rx.mode.next = 0.into();
        self.ltp_rx.lanes.next = 3.into();
        self.ltp_rx.code_err.next = self.gearbox_rx.code_err.val();
        self.ltp_rx.frame_start.next = self.gearbox_rx.frame_start.val();
        self.ltp_rx.retry.next = false;
        self.ltp_rx.reset_exchange.next = false;
        self.ltp_rx.fresh.next = false;
        self.ltp_rx.activate.next = false;
        self.ltp_rx.ltp_time.next = false;
        self.ltp_rx.toss_ltps.next = 0.into();
        self.ltp_rx.retry_limit.next = 0.into();
        self.ltp_rx.bad_run.next = 0.into();
        self.ltp_rx.retry_req.ready.next = false;
        self.rx_bad.next = self.ltp_rx.rx_bad.val();
        StreamIn::<Bits<BEAT>>::link(&mut self.flits_in, &mut self.ltp_tx.flits_in);
        StreamOut::<Bits<WIRE_BITS_2>>::join(&mut self.ltp_tx.wire_out, &mut self.gearbox_tx.wire_in);
        StreamOut::<Bits<ROW_BITS>>::join(&mut self.gearbox_tx.rows, &mut self.lane_tx.rows);
        for i in 0..4 {
            self.lane_tx.training[i].valid.next = false;
            self.lane_tx.training[i].data.next = 0.into();
            StreamOut::<Bits<LANE_BITS>>::join(&mut self.lane_tx.lanes[i], &mut self.phy.tx[i]);
            self.phy.delay[i].next = 0.into();
            self.lane_rx.source[i].next = self.lane_numbers[i].val();
            FlowOut::<Bits<LANE_IN_BITS>>::join(&mut self.phy.rx[i], &mut self.lane_rx.lanes[i]);
        }
        FlowOut::<Bits<ROW_BITS>>::join(&mut self.lane_rx.rows, &mut self.gearbox_rx.rows);
        FlowOut::<Bits<WIRE_BITS_2>>::join(&mut self.gearbox_rx.wire_out, &mut self.ltp_rx.wire_in);
        FlowOut::<Bits<BEAT>>::link(&mut self.flits_out, &mut self.ltp_rx.flits_out);
        self.passes.next = 0.into();
        self.passes.next = self
            .passes
            .val()
            .replace_bit(0, self.ltp_tx.wire_out.valid.val() & self.gearbox_tx.wire_in.ready.val());
        self.passes.next = self
            .passes
            .val()
            .replace_bit(1, self.gearbox_tx.rows.valid.val() & self.lane_tx.rows.ready.val());
        self.passes.next = self.passes.val().replace_bit(
            2,
            (self.lane_tx.lanes[0].valid.val() & self.phy.tx[0].ready.val())
                & !self.lane_tx.lanes[0].data.val().get_bit(32),
        );
        self.passes.next = self
            .passes
            .val()
            .replace_bit(3, self.phy.rx[0].valid.val() & !self.phy.rx[0].data.val().get_bit(32));
        self.passes.next = self.passes.val().replace_bit(4, self.lane_rx.rows.valid.val());
        self.passes.next = self.passes.val().replace_bit(5, self.gearbox_rx.wire_out.valid.val());
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("latency_link", &[])
    }
}

drive_ports!(impl[] Link { clock, clear, start, flits_in, flits_out, rx_bad, passes });

/// Clocks from the one that takes a beat to the one with it on `flits_out`, and how many beats took so many.
fn latencies(clocks: u64) -> BTreeMap<u64, u64> {
    let mut bench = BenchBlock::new("latency_link", Link::new());
    bench.pulse("clear");
    bench.pulse("start");
    let (mut taken, mut found) = (vec![], BTreeMap::new());
    bench.set("flits_in.valid", 1);
    let mut came = 0usize;
    for clock in 0..clocks {
        let mut beat = Value::from_u64(BEAT as u32, taken.len() as u64);
        beat.set_bit(64, true);
        bench.set_value("flits_in.data", &beat);
        bench.settle();
        if bench.get("flits_out.valid") == 1 {
            let out = bench.get_value("flits_out.data");
            assert_eq!(out.low_u64(), came as u64, "in order, none lost");
            let since: u64 = taken[came];
            *found.entry(clock - since).or_default() += 1;
            came += 1;
        }
        if bench.get("flits_in.ready") == 1 {
            taken.push(clock);
        }
        assert_eq!(bench.get("rx_bad"), 0);
        bench.clock();
    }
    found
}

/// Offered without a pause, so that every phase between beats of 132 and rows of 128 bits comes up, and no ALN row.
#[test]
fn a_flit_is_out_after_24_clocks_at_most() {
    let found = latencies(4000);
    println!("flit in to flit out, clocks: beats: {found:?}");
    let (beats, most) = (found.values().sum::<u64>(), found.keys().max().copied());
    assert!(beats > 3800, "{beats} beats");
    assert!(most.is_some_and(|most| most <= MOST_CLOCKS), "{found:?}");
}

/// Blocks in the order of a beat's way, with the clocks that it takes from transfer to transfer if nothing is waited for.
const STAGES: [(&str, u64); 7] = [
    ("link_ltp_tx", 3),
    ("link_gearbox_tx", 2),
    ("link_lane_tx", 2),
    ("phy_loop", 1),
    ("link_lane_rx", 2),
    ("link_gearbox_rx", 2),
    ("link_ltp_rx", 11),
];
/// Bits of a wire beat and of a row.
const WIRE: usize = 132;
const ROW: usize = 128;

/// Where the clocks are: least and most of each block. What is sent is the n-th beat, word or row of its kind; a beat is in the row, and
/// in the words, that its last bit is in.
#[test]
fn every_block_takes_the_clocks_of_the_budget() {
    let mut bench = BenchBlock::new("latency_stages", Link::new());
    // Clocks of transfers, in front of the first block and behind each one.
    let mut at: [Vec<u64>; 8] = Default::default();
    bench.set("flits_in.valid", 1);
    for clock in 0..3000 {
        bench.set("clear", u64::from(clock == 0));
        bench.set("start", u64::from(clock == 1));
        let mut beat = Value::from_u64(BEAT as u32, clock);
        beat.set_bit(64, true);
        bench.set_value("flits_in.data", &beat);
        bench.settle();
        let passes = bench.get("passes");
        let all = [bench.get("flits_in.ready")]
            .into_iter()
            .chain((0..6).map(|stage| passes >> stage & 1))
            .chain([bench.get("flits_out.valid")]);
        for (transfers, passed) in at.iter_mut().zip(all) {
            if passed == 1 && clock > 0 {
                transfers.push(clock);
            }
        }
        bench.clock();
    }
    let beats = at[7].len();
    assert!(beats > 2800, "{beats} beats");
    let of_beat = |beat: usize| {
        let row = (WIRE * beat + WIRE - 1) / ROW;
        let index = [beat, beat, row, row, row, row, beat, beat];
        [0, 1, 2, 3, 4, 5, 6, 7].map(|place: usize| at[place][index[place]])
    };
    // Behind the start row.
    let clocks: Vec<[u64; 8]> = (100..beats).map(of_beat).collect();
    let mut sum = 0;
    for (stage, (block, nominal)) in STAGES.into_iter().enumerate() {
        let taken = |clocks: &[u64; 8]| clocks[stage + 1] - clocks[stage];
        let (least, most) = (clocks.iter().map(taken).min(), clocks.iter().map(taken).max());
        let (least, most) = (least.expect("beats"), most.expect("beats"));
        println!("{block:16} {least:2} clocks, {most} at most");
        assert_eq!(least, nominal, "{block}");
        sum += nominal;
    }
    let whole = |clocks: &[u64; 8]| clocks[7] - clocks[0];
    let (least, most) = (clocks.iter().map(whole).min(), clocks.iter().map(whole).max());
    println!("{sum} in all; {least:?} to {most:?} from flit to flit");
    assert_eq!(least, Some(sum));
    assert!(most <= Some(MOST_CLOCKS));
}
