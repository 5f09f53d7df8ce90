//! `time_tree_page`, `time_port_page` and `time_ring_page` against their models.

use crate::time::support::expect_bits;
use flitforge_elaborate::Value;
use flitforge_hdl::time::page::{TimePortPage, TimeRingPage, TimeTreePage, WindowBuild};
use flitforge_model::time::page::{
    PoppedSample, PortPage, PortStatus, RingPage, TreePage, TreeStatus, WindowInputs,
};
use flitforge_protocol::register::BYTES;
use flitforge_protocol::time_registers::{self as regs, master_high, master_low, role};
use flitforge_protocol::Field;
use flitforge_sim::kit::{rng, seed, Rng as KitRng, StimulusFn};
use flitforge_sim::{Bench, CosimPlan, PortValues, SimError};
use flitforge_testkit::{deep, drive_all, Seen};
use rand::Rng;

/// Counters start here where they are to end.
const STARTED: u32 = u32::MAX - 500;

/// Requests as the page makes them: word, value and kind stand until the answer and on.
struct Asks {
    random: KitRng,
    words: u64,
    wait: Option<u32>,
}

impl Asks {
    fn new(name: &str, words: u64) -> Self {
        Asks { random: rng(seed(0x9A70), name), words, wait: Some(2) }
    }

    /// Returns whether this is a clock of `clear`.
    fn clock(&mut self, bench: &mut dyn Bench) -> Result<(), SimError> {
        let clear = self.random.random_bool(0.004);
        let answered = bench.get_bit(bench.port("bus.ack")?);
        let was_cleared = bench.get_bit(bench.port("clear")?);
        if answered || was_cleared {
            self.wait = Some(self.random.random_range(0..8));
        }
        let asks = self.wait == Some(0);
        self.wait = self.wait.and_then(|wait| wait.checked_sub(1));
        if asks {
            let word = self.random.random_range(0..self.words);
            let any = self.random.random::<u64>();
            let data = match self.random.random_range(0..6) {
                0 => 0,
                1 => any & !0xFF | 0x21,
                2 => any & !0x100,
                _ => any,
            };
            let write = self.random.random_range(0..2);
            drive_all(bench, &[("bus.address", word), ("bus.write", write), ("bus.wdata", data)])?;
        }
        drive_all(bench, &[("bus.request", asks.into()), ("clear", clear.into())])
    }
}

fn asked(inputs: &PortValues) -> Result<WindowInputs, SimError> {
    Ok(WindowInputs {
        clear: inputs.bit("clear")?,
        request: inputs.bit("bus.request")?,
        word: inputs.u64("bus.address")? as u32,
        write: if inputs.bit("bus.write")? { Some(inputs.u64("bus.wdata")?) } else { None },
    })
}

fn answer(outputs: &mut PortValues, answer: Option<u64>) -> Result<(), SimError> {
    outputs.set_bit("bus.ack", answer.is_some())?;
    outputs.set_u64("bus.rdata", answer.unwrap_or(0))
}

/// Random values of ports up to 64 bits wide, changed now and then.
fn levels(bench: &mut dyn Bench, random: &mut KitRng, ports: &[&str], share: f64) -> Result<(), SimError> {
    for path in ports {
        if random.random_bool(share) {
            let port = bench.port(path)?;
            let width = bench.width(port);
            bench.set(port, &Value::from_u64(width, random.random::<u64>() & (u64::MAX >> (64 - width))));
        }
    }
    Ok(())
}

/// Events of a tree in the order of the counters.
const TREE_EVENTS: [&str; 6] = ["smp_ok", "smp_over", "overlap_bad", "old_era", "bad_era", "no_high"];

/// A sample, joined with its High or not; the fields as the register page shows them.
fn sample(bench: &mut dyn Bench, random: &mut KitRng) -> Result<(), SimError> {
    let paths = ["smp_err_error", "smp_err_frac", "smp_local", "master_high_index", "master_high_quality"];
    levels(bench, random, &paths, 1.0)?;
    levels(bench, random, &["master_high_era", "master_low_frac", "master_low_era"], 1.0)?;
    let (time, carry, full): (u64, bool, bool) = (random.random(), random.random(), random.random());
    let (upper, low) = (time >> 40, time & ((1 << 40) - 1));
    let joined = (upper + u64::from(carry)) << 40 | low;
    let high = upper << 8 | random.random_range(0..256);
    drive_all(
        bench,
        &[("master_high_time", high), ("master_low_time", low), ("master_low_full", full.into())],
    )?;
    drive_all(bench, &[("master_full", if full { joined } else { 0 })])
}

pub fn tree_plan(name: &str, started: Option<u32>, seen: &Seen) -> CosimPlan<'static> {
    let given = name.to_string();
    let make = move || Box::new(TimeTreePage::new(&WindowBuild::counting(started)).expect("valid")) as Box<_>;
    let mut model = TreePage::new(started);
    let seen = seen.clone();
    CosimPlan::new(name, seed(0x9A71), make, move |testbench, _| {
        let mut asks = Asks::new(&given, 16);
        let mut random = rng(seed(0x9A72), &given);
        testbench.add(StimulusFn(move |_: u64, bench: &mut dyn Bench| {
            asks.clock(bench)?;
            sample(bench, &mut random)?;
            levels(
                bench,
                &mut random,
                &["smp_pop_valid", "smp_stat_level", "smp_stat_era", "smp_stat_era_known"],
                0.3,
            )?;
            let events = if random.random_bool(0.5) { random.random_range(0..64) } else { 0 };
            let over = events >> 1 & 1;
            drive_all(bench, &[("smp_stat_overflow", over)])?;
            TREE_EVENTS
                .iter()
                .enumerate()
                .try_for_each(|(bit, path)| drive_all(bench, &[(path, events >> bit & 1)]))
        }));
        Ok(())
    })
    .model(move |inputs: &PortValues, outputs: &mut PortValues| {
        let (offsets, valid) = model.offsets();
        outputs.set_u64("clock_offset0", offsets[0])?;
        outputs.set_u64("clock_offset1", offsets[1])?;
        outputs.set_u64("smp_stat_valid", valid)?;
        let word = |fields: &[(Field, &str)]| -> Result<u64, SimError> {
            fields
                .iter()
                .try_fold(0, |word, (field, path)| Ok(field.set(word, inputs.u64(path)?)))
                .map(|word: u128| word as u64)
        };
        let full = inputs.bit("master_low_full")?;
        let upper = inputs.u64("master_full")? >> 40;
        let high_time = inputs.u64("master_high_time")?;
        let mut events = [0; 6];
        for (event, path) in events.iter_mut().zip(TREE_EVENTS) {
            *event = inputs.u64(path)?;
        }
        let status = TreeStatus {
            sample: PoppedSample {
                high: word(&[
                    (master_high::time::FIELD, "master_high_time"),
                    (master_high::index::FIELD, "master_high_index"),
                    (master_high::quality::FIELD, "master_high_quality"),
                    (master_high::era::FIELD, "master_high_era"),
                ])?,
                low: word(&[
                    (master_low::time::FIELD, "master_low_time"),
                    (master_low::frac::FIELD, "master_low_frac"),
                    (master_low::era::FIELD, "master_low_era"),
                ])?,
                full,
                carry: full && upper != high_time >> 8,
                local: (inputs.u64("smp_local")?, inputs.u64("smp_err_frac")? as u32),
                error: inputs.u64("smp_err_error")? as u32,
            },
            popped: inputs.bit("smp_pop_valid")?,
            level: inputs.u64("smp_stat_level")?,
            era: (inputs.u64("smp_stat_era")?, inputs.bit("smp_stat_era_known")?),
            events,
        };
        let (found, pops) = model.clock(&asked(inputs)?, &status);
        answer(outputs, found)?;
        expect_bits(outputs, &[("smp_pop_asked", pops)], &seen)
    })
}

pub fn port_plan(name: &str, started: Option<u32>, seen: &Seen) -> CosimPlan<'static> {
    let given = name.to_string();
    let make = move || Box::new(TimePortPage::new(&WindowBuild::counting(started)).expect("valid")) as Box<_>;
    let mut model = PortPage::new(started);
    let mut writes_epoch = false;
    let seen = seen.clone();
    CosimPlan::new(name, seed(0x9A73), make, move |testbench, _| {
        let mut asks = Asks::new(&given, 32);
        let mut random = rng(seed(0x9A74), &given);
        testbench.add(StimulusFn(move |_: u64, bench: &mut dyn Bench| {
            asks.clock(bench)?;
            let ports = ["ldm_mean_done", "ldm_mean_fail", "ldm_mean_mean", "ldm_range_min", "ldm_range_max"];
            levels(bench, &mut random, &ports, 0.2)?;
            levels(bench, &mut random, &["epoch_link", "epoch_measured", "lag_rx", "lag_tx"], 0.2)?;
            levels(bench, &mut random, &["ldm_mean_rounds", "lag_fixed", "lag_phase_ok"], 0.2)?;
            let written = bench.get_u64(bench.port("bus.wdata")?);
            let clash = role::up_en::FIELD.get(written.into()) & role::dn_en::FIELD.get(written.into());
            drive_all(bench, &[("role_permit", u64::from(clash == 0))])?;
            let corrects = random.random_bool(0.05);
            drive_all(
                bench,
                &[("rx_corr_load", corrects.into()), ("rx_corr_loaded", random.random::<u32>().into())],
            )?;
            for name in regs::PORT_COUNTERS.names {
                let events = if random.random_bool(0.6) { random.random_range(0..256) } else { 0 };
                drive_all(bench, &[(&name.to_lowercase(), events)])?;
            }
            Ok(())
        }));
        Ok(())
    })
    .model(move |inputs: &PortValues, outputs: &mut PortValues| {
        // The strobe comes a clock before the pulse, with the value that is written.
        outputs.set_bit("epoch_write", writes_epoch)?;
        let epoch = inputs.u64("bus.address")? == u64::from((regs::EPOCH - regs::PORT) / BYTES);
        writes_epoch =
            inputs.bit("bus.request")? && inputs.bit("bus.write")? && epoch && !inputs.bit("clear")?;
        let kept = |offset: u32, low: u32, bits: u32| model.kept(offset) >> low & (u64::MAX >> (64 - bits));
        for tree in 0..4 {
            outputs.set_u64(&format!("path_source{tree}"), kept(regs::PATH, 16 * tree, 6))?;
            outputs.set_u64(&format!("path_ring{tree}"), kept(regs::PATH, 16 * tree + 6, 1))?;
        }
        for (port, value) in [
            ("role_up_en", kept(regs::ROLE, 0, 4)),
            ("role_dn_en", kept(regs::ROLE, 4, 4)),
            ("role_advance", kept(regs::ROLE, 8, 1)),
            ("role_hold_on_epoch", kept(regs::ROLE, 9, 1)),
            ("rx_corr", kept(regs::RX_CORR, 0, 32)),
            ("tx_wait_max", kept(regs::TX_WAIT, 0, 16)),
            ("ldm_ctl_auto_run", kept(regs::LDM_CTL, 1, 1)),
            ("ldm_ctl_adj_en", kept(regs::LDM_CTL, 2, 1)),
            ("ldm_ctl_rounds", kept(regs::LDM_CTL, 4, 4)),
            ("ldm_ctl_timeout", kept(regs::LDM_CTL, 16, 16)),
            ("ldm_asym", kept(regs::LDM_ASYM, 0, 32)),
            ("ldm_ack", kept(regs::LDM_ACK, 0, 32)),
        ] {
            outputs.set_u64(port, value)?;
        }
        let mut events = [0; 11];
        for (events, name) in events.iter_mut().zip(regs::PORT_COUNTERS.names) {
            *events = inputs.u64(&name.to_lowercase())?.count_ones().into();
        }
        let status = PortStatus {
            is_upstream: true,
            mean: (
                inputs.u64("ldm_mean_mean")?,
                inputs.bit("ldm_mean_done")?,
                inputs.bit("ldm_mean_fail")?,
                inputs.u64("ldm_mean_rounds")?,
            ),
            range: (inputs.u64("ldm_range_min")?, inputs.u64("ldm_range_max")?),
            rx_corr: if inputs.bit("rx_corr_load")? { Some(inputs.u64("rx_corr_loaded")?) } else { None },
            epochs: (inputs.u64("epoch_link")?, inputs.u64("epoch_measured")?),
            lag: (
                inputs.u64("lag_rx")?,
                inputs.u64("lag_tx")?,
                inputs.bit("lag_fixed")?,
                inputs.bit("lag_phase_ok")?,
            ),
            events,
        };
        let (found, pulses) = model.clock(&asked(inputs)?, &status);
        answer(outputs, found)?;
        if let Some(epochs) = pulses.epochs {
            outputs.set_u64("epoch_link_new", epochs & 0xFFFF)?;
            outputs.set_u64("epoch_measured_new", epochs >> 16)?;
        }
        let bits = [
            ("role_refused", pulses.refused),
            ("ldm_ctl_start", pulses.start),
            ("epoch_written", pulses.epochs.is_some()),
        ];
        expect_bits(outputs, &bits, &seen)
    })
}

pub fn ring_plan(name: &str, started: Option<u32>, seen: &Seen) -> CosimPlan<'static> {
    let given = name.to_string();
    let (rper, stop) = (0x33_3333, 5);
    let make = move || {
        Box::new(TimeRingPage::new(&WindowBuild { rper, own_stop: stop, started }).expect("valid")) as Box<_>
    };
    let mut model = RingPage::new(rper, stop, started);
    let seen = seen.clone();
    CosimPlan::new(name, seed(0x9A75), make, move |testbench, _| {
        let mut asks = Asks::new(&given, 32);
        let mut random = rng(seed(0x9A76), &given);
        testbench.add(StimulusFn(move |_: u64, bench: &mut dyn Bench| {
            asks.clock(bench)?;
            let results =
                ["token_res_cycles", "token_res_waited", "token_res_tag", "token_res_done", "token_res_lost"];
            levels(bench, &mut random, &results, 0.2)?;
            for name in regs::RING_COUNTERS.names {
                // TOKEN_LOST has one event at most.
                let most = if *name == "TOKEN_LOST" { 2 } else { 129 };
                let events = if random.random_bool(0.6) { random.random_range(0..most) } else { 0 };
                drive_all(bench, &[(&name.to_lowercase(), events)])?;
            }
            Ok(())
        }));
        Ok(())
    })
    .model(move |inputs: &PortValues, outputs: &mut PortValues| {
        let config = model.kept(regs::RING_CFG);
        outputs.set_u64("ring_cfg_stop", config & 63)?;
        outputs.set_u64("ring_cfg_rper", config >> 32)?;
        let token = model.kept(regs::TOKEN_CMD);
        outputs.set_u64("token_cmd_src", token & 63)?;
        outputs.set_u64("token_cmd_target", token >> 8 & 63)?;
        outputs.set_u64("token_cmd_ring", token >> 16 & 1)?;
        outputs.set_u64("token_cmd_tag", token >> 24 & 255)?;
        let result = inputs.u64("token_res_cycles")?
            | inputs.u64("token_res_waited")? << 16
            | inputs.u64("token_res_tag")? << 24
            | inputs.u64("token_res_done")? << 32
            | inputs.u64("token_res_lost")? << 33;
        let mut events = [0; 5];
        for (events, name) in events.iter_mut().zip(regs::RING_COUNTERS.names) {
            *events = inputs.u64(&name.to_lowercase())?;
        }
        let (found, sends) = model.clock(&asked(inputs)?, result, &events);
        answer(outputs, found)?;
        expect_bits(outputs, &[("token_cmd_go", sends)], &seen)
    })
}

/// Random requests; counters from 0 and from shortly before their end.
#[test]
fn windows_are_their_models() {
    let seen = Seen::default();
    for (started, name) in [(Some(0), "from_0"), (Some(STARTED), "to_the_end"), (None, "without")] {
        deep(tree_plan(&format!("time_tree_page_{name}"), started, &seen), 40_000, 300).run().expect("equal");
        deep(port_plan(&format!("time_port_page_{name}"), started, &seen), 40_000, 300).run().expect("equal");
        deep(ring_plan(&format!("time_ring_page_{name}"), started, &seen), 40_000, 300).run().expect("equal");
    }
    seen.require_all();
}
