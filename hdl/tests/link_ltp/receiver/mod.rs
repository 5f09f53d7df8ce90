//! `link_ltp_rx` against its model.

mod exchange;
mod model;
mod wire;

use crate::link_ltp::STOCK_CLOCKS;
use flitforge_elaborate::drive::DriveBlock;
use flitforge_hdl::link::ltp_rx::{LtpRx1, LtpRx2, LtpRx4};
use flitforge_model::retry::RxRow;
use flitforge_model::RetryConfig;
use flitforge_sim::kit::{rng, seed, ClearDriver, StimulusFn, Testbench};
use flitforge_sim::model::PortValues;
use flitforge_sim::{Bench, CosimPlan, PortHandle, SimError};
use flitforge_testkit::deep;
use model::{Model, Rows};
use rand::Rng as _;
use wire::Wire;

/// Ports the stimulus drives.
struct Ports {
    data: PortHandle,
    valid: PortHandle,
    code_err: PortHandle,
    start: PortHandle,
    mode: PortHandle,
    lanes: PortHandle,
    retry: PortHandle,
    reset_exchange: PortHandle,
    fresh: PortHandle,
    activate: PortHandle,
    ltp_time: PortHandle,
    request_ready: PortHandle,
}

impl Ports {
    fn new(bench: &dyn Bench) -> Result<Self, SimError> {
        let port = |name: &str| bench.port(name);
        Ok(Self {
            data: port("wire_in.data")?,
            valid: port("wire_in.valid")?,
            code_err: port("code_err")?,
            start: port("frame_start")?,
            mode: port("mode")?,
            lanes: port("lanes")?,
            retry: port("retry")?,
            reset_exchange: port("reset_exchange")?,
            fresh: port("fresh")?,
            activate: port("activate")?,
            ltp_time: port("ltp_time")?,
            request_ready: port("retry_req.ready")?,
        })
    }
}

/// The plan, without its number of clocks; how often each row of the table in 4.3 was taken.
pub fn plan(
    name: &str,
    flits: u32,
    config: RetryConfig,
    make: fn() -> Box<dyn DriveBlock>,
) -> (CosimPlan<'static>, Rows) {
    let stimulus = move |testbench: &mut Testbench<'_>, seed| {
        let bench = testbench.bench();
        let clear = ClearDriver::new(bench, "clear", seed)?.at_random(0.000_2, 1..=3);
        let ports = Ports::new(bench)?;
        let limits = [
            (bench.port("toss_ltps")?, config.toss_ltps),
            (bench.port("retry_limit")?, config.retry_limit),
            (bench.port("bad_run")?, config.bad_run),
        ];
        let mut rng = rng(seed, "wire");
        let mut wire = Wire::new(flits, config);
        let (mut retry, mut ticked) = (true, false);
        testbench.add(clear);
        testbench.add(StimulusFn(move |clock, bench: &mut dyn Bench| {
            limits.iter().for_each(|(port, value)| bench.set_u64(*port, (*value).into()));
            let gaps = if clock / 1000 % 2 == 0 { 0.0 } else { 0.3 };
            bench.set_u64(ports.start, 0);
            bench.set_u64(ports.code_err, 0);
            bench.set_u64(ports.mode, rng.random_range(0..4));
            let given = !rng.random_bool(gaps);
            bench.set_u64(ports.valid, u64::from(given));
            if given {
                let beat = wire.next(&mut rng);
                bench.set(ports.data, &beat.bits.resize(68 * flits));
                bench.set_u64(ports.start, u64::from(beat.start));
                bench.set_u64(ports.code_err, u64::from(beat.code_err));
                bench.set_u64(ports.mode, u64::from(wire.bits14));
            } else if rng.random_bool(0.01) && wire.is_between() {
                bench.set_u64(ports.start, 1);
            }
            if rng.random_bool(0.01) {
                bench.set_u64(ports.lanes, rng.random_range(0..4));
            }
            retry ^= rng.random_bool(if retry { 0.000_1 } else { 0.005 });
            bench.set_u64(ports.retry, u64::from(retry));
            let (reset, fresh) = (rng.random_bool(0.000_5), rng.random_bool(0.000_2));
            if reset || fresh {
                wire.reset_exchange(fresh);
            }
            bench.set_u64(ports.reset_exchange, u64::from(reset));
            bench.set_u64(ports.fresh, u64::from(fresh));
            bench.set_u64(ports.activate, u64::from(rng.random_bool(0.02)));
            ticked = !ticked && rng.random_bool(f64::from(flits) / 16.0);
            bench.set_u64(ports.ltp_time, u64::from(ticked));
            let willing = if clock / 4000 % 2 == 0 { 0.3 } else { 0.02 };
            bench.set_u64(ports.request_ready, u64::from(rng.random_bool(willing)));
            Ok(())
        }));
        Ok(())
    };
    let rows = Rows::default();
    let mut model = Model::new(flits as usize, config, rows.clone());
    let plan = CosimPlan::new(name, seed(0x10_43), make, stimulus)
        .model(move |inputs: &PortValues, outputs: &mut PortValues| model.step(inputs, outputs));
    (plan, rows)
}

/// Limits small enough to be reached.
pub fn config(flits: u32) -> RetryConfig {
    RetryConfig {
        flits_per_beat: flits as usize,
        retry_limit: 1 + flits,
        bad_run: 3 + flits,
        toss_ltps: 5 * flits,
        ..RetryConfig::default()
    }
}

fn cosim(name: &str, flits: u32, make: fn() -> Box<dyn DriveBlock>) {
    let (plan, rows) = plan(name, flits, config(flits), make);
    deep(plan, 100_000, STOCK_CLOCKS).run().expect("equal");
    for (row, taken) in RxRow::ALL.iter().zip(rows.borrow().iter()) {
        println!("{name}: {row:?} {taken}");
        assert!(*taken > 0, "{name}: the row {row:?} never came about");
    }
}

#[test]
fn two_flits_per_beat_are_equal_everywhere() {
    cosim("link_ltp_rx", 2, || Box::new(LtpRx2::new().expect("valid")));
}

#[test]
fn one_flit_per_beat_is_equal_everywhere() {
    cosim("link_ltp_rx_f1", 1, || Box::new(LtpRx1::new().expect("valid")));
}

#[test]
fn four_flits_per_beat_are_equal_everywhere() {
    cosim("link_ltp_rx_f4", 4, || Box::new(LtpRx4::new().expect("valid")));
}
