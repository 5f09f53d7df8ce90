//! gearbox tx, lane tx, phy_loop, lane rx, gearbox rx.

use crate::rooms::link::gearbox::beats_of;
use flitforge_elaborate::drive::DriveBlock;
use flitforge_hdl::link::gearbox::{
    LinkGearboxRx, LinkGearboxRx1, LinkGearboxRx4, LinkGearboxTx, LinkGearboxTx1, LinkGearboxTx4,
};
use flitforge_hdl::link::lane::{LinkLaneRx, LinkLaneTx};
use flitforge_hdl::link::phy_loop::PhyLoop;
use flitforge_testkit::{random, Clocked, StockBlock};
use rand::Rng;

/// The five blocks, wired port by port.
struct Loop<T: DriveBlock, R: DriveBlock> {
    gear_tx: StockBlock<T>,
    lane_tx: StockBlock<LinkLaneTx<4>>,
    phy: StockBlock<PhyLoop<4>>,
    lane_rx: StockBlock<LinkLaneRx<4>>,
    gear_rx: StockBlock<R>,
}

impl<T: DriveBlock, R: DriveBlock> Loop<T, R> {
    fn new(gear_tx: T, gear_rx: R) -> Self {
        Self {
            gear_tx: StockBlock::new(gear_tx),
            lane_tx: StockBlock::new(LinkLaneTx::new().unwrap()),
            phy: StockBlock::new(PhyLoop::new().unwrap()),
            lane_rx: StockBlock::new(LinkLaneRx::new().unwrap()),
            gear_rx: StockBlock::new(gear_rx),
        }
    }

    /// Clears all and starts with these lanes: the way to another L.
    fn restart(&mut self, active: u64, wide: bool, delays: [u64; 4]) {
        let (mode, wide) = (if wide { 2 } else { 0 }, u64::from(wide));
        for (lane, delay) in delays.iter().enumerate() {
            self.phy.set(&format!("delay[{lane}]"), *delay);
            self.lane_rx.set(&format!("source[{lane}]"), lane as u64);
        }
        self.lane_tx.set("active", active).set("crc_mode", mode).set("clear", 1);
        self.lane_rx.set("active", active).set("crc_mode", mode).set("clear", 1);
        let last = u64::from(active.count_ones()) - 1;
        self.gear_tx.set("wide", wide).set("last_lane", last).set("clear", 1).set("wire_in.valid", 0);
        self.gear_rx.set("wide", wide).set("last_lane", last).set("clear", 1);
        self.phy.set("clear", 1);
        self.clock();
        self.lane_tx.set("clear", 0).set("start", 1);
        for _ in 0..2 {
            self.lane_rx.set("clear", 0);
            self.gear_tx.set("clear", 0);
            self.gear_rx.set("clear", 0);
            self.phy.set("clear", 0);
            self.wire();
            self.clock();
            self.lane_tx.set("start", 0);
        }
    }

    fn wire(&mut self) {
        for lane in 0..4 {
            let (tx, rx, out) = (format!("tx[{lane}]"), format!("rx[{lane}]"), format!("lanes[{lane}]"));
            for port in ["data", "valid"] {
                let value = self.lane_tx.get_value(&format!("{out}.{port}"));
                self.phy.set_value(&format!("{tx}.{port}"), &value);
                let value = self.phy.get_value(&format!("{rx}.{port}"));
                self.lane_rx.set_value(&format!("{out}.{port}"), &value);
            }
            let ready = self.phy.get(&format!("{tx}.ready"));
            self.lane_tx.set(&format!("{out}.ready"), ready);
        }
        for port in ["rows.data", "rows.valid"] {
            let value = self.gear_tx.get_value(port);
            self.lane_tx.set_value(port, &value);
            let value = self.lane_rx.get_value(port);
            self.gear_rx.set_value(port, &value);
        }
        for port in ["row_error", "row_start"] {
            let value = self.lane_rx.get_value(port);
            self.gear_rx.set_value(port, &value);
        }
        let ready = self.lane_tx.get("rows.ready");
        self.gear_tx.set("rows.ready", ready);
    }

    fn clock(&mut self) {
        self.gear_tx.clock();
        self.lane_tx.clock();
        self.phy.clock();
        self.lane_rx.clock();
        self.gear_rx.clock();
    }

    /// Sends LTPs of random words and compares what comes back; gives the latency of the first beat in clocks.
    fn round(&mut self, f: usize, wide: bool, offer: f64, place: &str) -> usize {
        let mut rng = random();
        let words: Vec<u32> = (0..if wide { 34 } else { 33 } * 8).map(|_| rng.random()).collect();
        let beats = beats_of(&words, f, wide);
        let (mut sent, mut received, mut clock) = (0, 0, 0);
        let (mut first_sent, mut latency, mut waiting) = (None, None, false);
        // The last words of a stream stay in the gearboxes until more come, so more is sent than compared.
        let compared = beats.len() * 3 / 4;
        while received < compared {
            assert!(clock < 2500, "{place}: {received} of {compared} beats after {clock} clocks");
            waiting = waiting || rng.random_bool(offer);
            let offers = waiting && sent < beats.len();
            self.gear_tx.set("wire_in.valid", u64::from(offers));
            if offers {
                self.gear_tx.set_value("wire_in.data", &beats[sent]);
            }
            self.wire();
            if offers && self.gear_tx.get("wire_in.ready") == 1 {
                first_sent.get_or_insert(clock);
                sent += 1;
                waiting = false;
            }
            if self.gear_rx.get("wire_out.valid") == 1 {
                let start = self.gear_rx.get("frame_start") == 1;
                assert_eq!(
                    self.gear_rx.get_value("wire_out.data"),
                    beats[received],
                    "{place} beat {received}"
                );
                assert_eq!(start, received == 0, "{place} frame_start, beat {received}");
                latency.get_or_insert(clock - first_sent.unwrap_or(0));
                received += 1;
            }
            assert_eq!(self.gear_rx.get("code_err") & self.gear_rx.get("wire_out.valid"), 0, "{place}");
            assert_eq!(self.lane_rx.get("deskew_lost"), 0, "{place}");
            self.clock();
            clock += 1;
        }
        latency.unwrap_or(0)
    }

    fn all(&mut self, f: usize) {
        for wide in [false, true] {
            for (active, delays) in
                [(0b1111, [0; 4]), (0b1101, [7, 0, 0, 14]), (0b0110, [0, 3, 9, 0]), (0b1000, [0, 0, 0, 5])]
            {
                for offer in [1.0, 0.5] {
                    self.restart(active, wide, delays);
                    self.round(f, wide, offer, &format!("F={f} lanes {active:04b} wide={wide}"));
                }
            }
        }
    }
}

#[test]
fn two_flits_per_beat_on_four_to_one_lanes() {
    Loop::new(LinkGearboxTx::default(), LinkGearboxRx::default()).all(2);
}

#[test]
fn one_flit_per_beat_on_four_to_one_lanes() {
    Loop::new(LinkGearboxTx1::default(), LinkGearboxRx1::default()).all(1);
}

#[test]
fn four_flits_per_beat_on_four_to_one_lanes() {
    Loop::new(LinkGearboxTx4::default(), LinkGearboxRx4::default()).all(4);
}

/// Chapter 10, 4.12: gearbox tx 2, lane tx 2 (a skid buffer more than the table), phy_loop 1, deskew 2, gearbox rx 2, and 1 of phase: a beat of 132
/// bits needs a second row of 128.
#[test]
fn the_latency_of_the_loop_is_that_of_the_table() {
    let mut link = Loop::new(LinkGearboxTx::default(), LinkGearboxRx::default());
    link.restart(0xF, false, [0; 4]);
    let latency = link.round(2, false, 1.0, "latency");
    println!("first beat in to first beat out, L = 4, F = 2: {latency} clocks");
    assert_eq!(latency, 2 + 2 + 1 + 2 + 2 + 1);
}
