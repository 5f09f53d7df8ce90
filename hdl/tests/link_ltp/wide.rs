//! `link_ltp_tx` and `link_ltp_rx` with all CRC modes: equal everywhere, and wrong wires in the parts of modes 2 and 3.

use crate::link_ltp::encode;
use crate::link_ltp::transmitter::Replay;
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::selfcheck::against_stock;
use flitforge_elaborate::Value;
use flitforge_hdl::link::ltp_rx::{LtpRxAll1, LtpRxAll2, LtpRxAll4};
use flitforge_hdl::link::ltp_tx::{LtpTxAll1, LtpTxAll2, LtpTxAll4};
use flitforge_model::{Flit, Ltp, LtpFormat, NullLtp};
use flitforge_protocol::beat::{beats_per_ltp, max_wire_beat_bits, wire_beat_bits};
use flitforge_protocol::ltp::{ltp_bits, CrcMode, FLITS_PER_LTP};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::kit::{rng, seed, Pace, Rng, StimulusFn, StreamSink, StreamSource, Testbench};
use flitforge_sim::{Bench, CosimPlan, SimError, Simulator};
use flitforge_testkit::deep;
use rand::Rng as _;

/// Clocks in one mode.
const MODE_CLOCKS: u64 = 150;
/// Clocks without wire beats ahead of another mode.
const QUIET_CLOCKS: u64 = 30;

/// A mode and L - 1.
fn random_mode(rng: &mut Rng) -> (u64, u64) {
    (rng.random_range(0..8).clamp(1, 3), rng.random_range(0..4))
}

/// Makes a block of a beat width.
type Make = fn() -> Box<dyn DriveBlock>;

fn plan_of_tx(name: &str, flits: u32, make: Make) -> CosimPlan<'static> {
    let stimulus = move |testbench: &mut Testbench<'_>, seed| {
        let bench = testbench.bench();
        let flits_in = StreamSource::new(bench, "flits_in", seed)?
            .items(move |rng, _| Some(encode::random_beat(rng, flits)));
        let null_in = StreamSource::new(bench, "null_in", seed)?
            .pace(Pace::Random(0.02))
            .items(|rng, _| Some(encode::random_null(rng)));
        let wire = StreamSink::new(bench, "wire_out", seed)?;
        let replay = Replay::new(bench, seed)?;
        let ports = ["mode", "lanes[0]", "active", "clear"].map(|name| bench.port(name));
        let [mode, lanes, active, clear] = ports;
        let [mode, lanes, active, clear] = [mode?, lanes?, active?, clear?];
        let mut rng = rng(seed, "controls");
        testbench.add(flits_in).add(null_in).add(wire).add(replay);
        testbench.add(StimulusFn(move |clock, bench: &mut dyn Bench| {
            let changes = clock % MODE_CLOCKS == 0;
            bench.set_u64(clear, u64::from(changes || rng.random_bool(0.002)));
            bench.set_u64(active, u64::from(rng.random_bool(0.9)));
            if changes {
                let values = random_mode(&mut rng);
                bench.set_u64(mode, values.0);
                bench.set_u64(lanes, values.1);
            }
            Ok(())
        }));
        Ok(())
    };
    CosimPlan::new(name, seed(0x10_42), make, stimulus).simulators(&[Simulator::Icarus])
}

/// Wire beats of an LTP, now and then with a wrong bit.
fn random_ltp(rng: &mut Rng, flits: usize, (mode, lanes): (u64, u64)) -> Vec<Value> {
    let code = if mode == 3 && lanes < 2 { 2 } else { mode as u8 };
    let mode = CrcMode::from_code(code).unwrap_or(CrcMode::Standard);
    let format = LtpFormat::new(mode, lanes as usize + 1).expect("lanes of the mode");
    let mut ltp = Ltp::filled(&std::array::from_fn::<_, FLITS_PER_LTP, _>(|_| Flit::body(rng.random())));
    if rng.random_bool(0.2) {
        let kind = rng.random_range(0x22..0x28u64);
        ltp = NullLtp::new(Flit::other(kind << 56 | rng.random_range(0..1 << 48))).expect("a Null LTP").ltp();
    }
    let bits = format.encode(&ltp);
    let mut value = Value::zero(ltp_bits(mode) as u32);
    bits.bits().iter().by_vals().enumerate().for_each(|(index, bit)| value.set_bit(index as u32, bit));
    if rng.random_bool(0.3) {
        let wrong = rng.random_range(0..value.width());
        value.set_bit(wrong, !value.bit(wrong));
    }
    let width = wire_beat_bits(mode, flits) as u32;
    let beats = 0..beats_per_ltp(flits) as u32;
    beats.map(|k| value.slice(width * k, width).resize(max_wire_beat_bits(flits) as u32)).collect()
}

fn plan_of_rx(name: &str, flits: usize, make: Make) -> CosimPlan<'static> {
    let stimulus = move |testbench: &mut Testbench<'_>, seed| {
        let bench = testbench.bench();
        let port = |name: &str| -> Result<_, SimError> { bench.port(name) };
        let (data, valid, start) = (port("wire_in.data")?, port("wire_in.valid")?, port("frame_start")?);
        let (mode, lanes, code_err) = (port("mode")?, port("lanes")?, port("code_err")?);
        let (clear, retry) = (port("clear")?, port("retry")?);
        let (mut rng, mut now, mut beats) = (rng(seed, "wire"), (0, 0), vec![]);
        testbench.add(StimulusFn(move |clock, bench: &mut dyn Bench| {
            let (phase, round) = (clock % MODE_CLOCKS, clock / MODE_CLOCKS);
            if phase == QUIET_CLOCKS / 2 {
                now = random_mode(&mut rng);
                beats.clear();
                bench.set_u64(mode, now.0);
                bench.set_u64(lanes, now.1);
            }
            bench.set_u64(retry, round % 2);
            bench.set_u64(clear, u64::from(rng.random_bool(0.000_5)));
            bench.set_u64(start, u64::from(phase == QUIET_CLOCKS || rng.random_bool(0.001)));
            let given = phase > QUIET_CLOCKS && rng.random_bool(if round % 3 == 0 { 0.6 } else { 1.0 });
            bench.set_u64(valid, u64::from(given));
            bench.set_u64(code_err, u64::from(rng.random_bool(0.01)));
            if given {
                if beats.is_empty() {
                    beats = random_ltp(&mut rng, flits, now);
                    beats.reverse();
                }
                bench.set(data, &beats.pop().expect("a beat"));
            }
            Ok(())
        }));
        Ok(())
    };
    CosimPlan::new(name, seed(0x10_44), make, stimulus).simulators(&[Simulator::Icarus])
}

fn tx2() -> Box<dyn DriveBlock> {
    Box::new(LtpTxAll2::new().expect("valid"))
}

fn rx2() -> Box<dyn DriveBlock> {
    Box::new(LtpRxAll2::new().expect("valid"))
}

#[test]
fn the_graphs_equal_rust_hdl_under_random_inputs() {
    against_stock(|| LtpTxAll2::new().expect("valid"), 40, 6).expect("equal");
    against_stock(|| LtpRxAll2::new().expect("valid"), 40, 7).expect("equal");
}

#[test]
fn the_sender_is_equal_everywhere() {
    let one = || -> Box<dyn DriveBlock> { Box::new(LtpTxAll1::new().expect("valid")) };
    let four = || -> Box<dyn DriveBlock> { Box::new(LtpTxAll4::new().expect("valid")) };
    let makes: [(_, Make); 3] = [(1, one), (2, tx2), (4, four)];
    for (flits, make) in makes {
        let plan = plan_of_tx(&format!("link_ltp_tx_all_f{flits}"), flits, make);
        deep(plan, 2_000, 100).run().expect("equal");
    }
}

#[test]
fn the_receiver_is_equal_everywhere() {
    let one = || -> Box<dyn DriveBlock> { Box::new(LtpRxAll1::new().expect("valid")) };
    let four = || -> Box<dyn DriveBlock> { Box::new(LtpRxAll4::new().expect("valid")) };
    let makes: [(_, Make); 3] = [(1, one), (2, rx2), (4, four)];
    for (flits, make) in makes {
        let plan = plan_of_rx(&format!("link_ltp_rx_all_f{flits}"), flits, make);
        deep(plan, 2_000, 100).run().expect("equal");
    }
}

#[test]
fn wrong_wires_of_modes_2_and_3_are_found() {
    let quick = |plan: CosimPlan<'static>, clocks| {
        plan.clocks(clocks).stock_limit(1, "the faults are in the Verilog")
    };
    let faults = [
        Fault::replace(
            "three lanes are taken for four",
            "ltp_tx_wide_f2",
            "end_signal = end_three_sum;",
            "end_signal = end_four_sum;",
        ),
        Fault::replace(
            "the CRCs of a corrupted LTP are right",
            "ltp_tx_wide_f2",
            "crcs = ~crc_crcs;",
            "crcs = crc_crcs;",
        ),
        Fault::replace(
            "an LTP's CRCs go on in the next",
            "wide_crc_w240",
            "assign state_clear = load & first;",
            "assign state_clear = 1'b0;",
        ),
    ];
    find_all(|| quick(plan_of_tx("fault_link_ltp_tx_all", 2, tx2), 2_000), &faults).expect("all are found");
    let faults = [
        Fault::replace(
            "34 words on four lanes move the next LTP by one lane",
            "ltp_rx_wide_f2",
            "step = 2'h2;",
            "step = 2'h1;",
        ),
        Fault::replace(
            "a code error is forgotten",
            "ltp_rx_wide_f2",
            "check_good = ~(|failed) & ~ended_err_q;",
            "check_good = ~(|failed);",
        ),
        Fault::replace(
            "the last data beat of mode 3 is taken as it stands",
            "ltp_rx_wide_f2",
            "data_d = gather_four_sum;",
            "data_d = plain[129:0];",
        ),
    ];
    find_all(|| quick(plan_of_rx("fault_link_ltp_rx_all", 2, rx2), 5_000), &faults).expect("all are found");
}
