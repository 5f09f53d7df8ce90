//! `time_tree_page`, `time_port_page` and `time_ring_page` against their models.

use crate::time::support::{expect_bits, set, Seen};
use flitforge_elaborate::Value;
use flitforge_hdl::time::page::{TimePortPage, TimeRingPage, TimeTreePage};
use flitforge_model::time::page::{
    PoppedSample, PortPage, PortStatus, RingPage, TreePage, TreeStatus, WindowInputs,
};
use flitforge_protocol::time_registers as regs;
use flitforge_sim::cosim::Depth;
use flitforge_sim::kit::{rng, seed, Rng as KitRng, StimulusFn};
use flitforge_sim::{Bench, CosimPlan, PortValues, SimError};
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
        let answered = bench.get_bit(bench.port("answer.valid")?);
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
            set(bench, &[("word", word), ("write", self.random.random_range(0..2)), ("data", data)])?;
        }
        set(bench, &[("request", asks.into()), ("clear", clear.into())])
    }
}

fn asked(inputs: &PortValues) -> Result<WindowInputs, SimError> {
    Ok(WindowInputs {
        clear: inputs.bit("clear")?,
        request: inputs.bit("request")?,
        word: inputs.u64("word")? as u32,
        write: if inputs.bit("write")? { Some(inputs.u64("data")?) } else { None },
    })
}

fn answer(outputs: &mut PortValues, answer: Option<u64>) -> Result<(), SimError> {
    outputs.set_bit("answer.valid", answer.is_some())?;
    outputs.set_u64("answer.data", answer.unwrap_or(0))
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

pub fn tree_plan(name: &str, started: Option<u32>, seen: &Seen) -> CosimPlan<'static> {
    let given = name.to_string();
    let make = move || Box::new(TimeTreePage::new(started).expect("valid")) as Box<_>;
    let mut model = TreePage::new(started);
    let seen = seen.clone();
    CosimPlan::new(name, seed(0x9A71), make, move |testbench, _| {
        let mut asks = Asks::new(&given, 16);
        let mut random = rng(seed(0x9A72), &given);
        testbench.add(StimulusFn(move |_: u64, bench: &mut dyn Bench| {
            asks.clock(bench)?;
            let words: Vec<u64> = (0..4).map(|_| random.random()).collect();
            let shadow = bench.port("shadow")?;
            bench.set(
                shadow,
                &Value::from_words(222, &[words[0], words[1], words[2], words[3] & ((1 << 30) - 1)]),
            );
            levels(bench, &mut random, &["popped", "level", "era", "era_known"], 0.3)?;
            let events = if random.random_bool(0.5) { random.random_range(0..256) } else { 0 };
            set(bench, &[("slave_events", events)])
        }));
        Ok(())
    })
    .model(move |inputs: &PortValues, outputs: &mut PortValues| {
        let (offsets, valid) = model.offsets();
        outputs.set_u64("offset[0]", offsets[0])?;
        outputs.set_u64("offset[1]", offsets[1])?;
        outputs.set_u64("offset_valid", valid)?;
        let shadow = inputs.get("shadow")?;
        let part =
            |low: u32, bits: u32| (0..bits).fold(0, |sum, i| sum | u64::from(shadow.bit(low + i)) << i);
        let events = inputs.u64("slave_events")?;
        let status = TreeStatus {
            sample: PoppedSample {
                high: part(128, 46),
                low: part(174, 46),
                full: shadow.bit(220),
                carry: shadow.bit(221),
                local: (part(64, 64), part(32, 32) as u32),
                error: part(0, 32) as u32,
            },
            popped: inputs.bit("popped")?,
            level: inputs.u64("level")?,
            era: (inputs.u64("era")?, inputs.bit("era_known")?),
            events: [7, 1, 3, 4, 5, 2].map(|bit| events >> bit & 1),
        };
        let (found, pops) = model.clock(&asked(inputs)?, &status);
        answer(outputs, found)?;
        expect_bits(outputs, &[("pop", pops)], &seen)
    })
}

pub fn port_plan(name: &str, started: Option<u32>, seen: &Seen) -> CosimPlan<'static> {
    let given = name.to_string();
    let make = move || Box::new(TimePortPage::new(started).expect("valid")) as Box<_>;
    let mut model = PortPage::new(started);
    let seen = seen.clone();
    CosimPlan::new(name, seed(0x9A73), make, move |testbench, _| {
        let mut asks = Asks::new(&given, 32);
        let mut random = rng(seed(0x9A74), &given);
        testbench.add(StimulusFn(move |_: u64, bench: &mut dyn Bench| {
            asks.clock(bench)?;
            let ports = ["is_upstream", "done", "failed", "rounds", "mean", "min", "max", "link_epoch"];
            levels(bench, &mut random, &ports, 0.2)?;
            levels(bench, &mut random, &["measured_epoch", "rx_lag", "tx_lag", "fixed", "phase_ok"], 0.2)?;
            let corrects = random.random_bool(0.05);
            set(
                bench,
                &[
                    ("rx_corr_new.valid", corrects.into()),
                    ("rx_corr_new.data", random.random::<u32>().into()),
                ],
            )?;
            for index in 0..11 {
                let events = if random.random_bool(0.6) { random.random_range(0..256) } else { 0 };
                set(bench, &[(&format!("events[{index}]"), events)])?;
            }
            Ok(())
        }));
        Ok(())
    })
    .model(move |inputs: &PortValues, outputs: &mut PortValues| {
        let upstream = inputs.bit("is_upstream")?;
        let kept = |offset: u32, low: u32, bits: u32| model.kept(offset) >> low & (u64::MAX >> (64 - bits));
        let path = |bits: u32, low: u32| {
            (0..4).fold(0, |sum, tree| sum | kept(regs::PATH, 16 * tree + low, bits) << (bits * tree))
        };
        for (port, value) in [
            ("up_en", kept(regs::ROLE, 0, 4)),
            ("dn_en", kept(regs::ROLE, 4, 4)),
            ("advance", kept(regs::ROLE, 8, 1)),
            ("hold_on_epoch", kept(regs::ROLE, 9, 1)),
            ("sources", path(6, 0)),
            ("ring_select", path(1, 6)),
            ("rx_corr", kept(regs::RX_CORR, 0, 32)),
            ("tx_wait_max", kept(regs::TX_WAIT, 0, 16)),
            ("ldm_auto", kept(regs::LDM_CTL, 1, 1)),
            ("ldm_adjust", kept(regs::LDM_CTL, 2, 1) & u64::from(upstream || kept(regs::ROLE, 0, 4) != 0)),
            ("ldm_rounds", kept(regs::LDM_CTL, 4, 4)),
            ("ldm_timeout", kept(regs::LDM_CTL, 16, 16)),
            ("asymmetry", kept(regs::LDM_ASYM, 0, 32)),
            ("acknowledged", kept(regs::LDM_ACK, 0, 32)),
        ] {
            outputs.set_u64(port, value)?;
        }
        let mut events = [0; 11];
        for (index, events) in events.iter_mut().enumerate() {
            *events = inputs.u64(&format!("events[{index}]"))?.count_ones().into();
        }
        let status = PortStatus {
            is_upstream: upstream,
            mean: (inputs.u64("mean")?, inputs.bit("done")?, inputs.bit("failed")?, inputs.u64("rounds")?),
            range: (inputs.u64("min")?, inputs.u64("max")?),
            rx_corr: if inputs.bit("rx_corr_new.valid")? {
                Some(inputs.u64("rx_corr_new.data")?)
            } else {
                None
            },
            epochs: (inputs.u64("link_epoch")?, inputs.u64("measured_epoch")?),
            lag: (
                inputs.u64("rx_lag")?,
                inputs.u64("tx_lag")?,
                inputs.bit("fixed")?,
                inputs.bit("phase_ok")?,
            ),
            events,
        };
        let (found, pulses) = model.clock(&asked(inputs)?, &status);
        answer(outputs, found)?;
        if let Some(epochs) = pulses.epochs {
            outputs.set_u64("epoch_write.data", epochs)?;
        }
        let bits = [
            ("refused", pulses.refused),
            ("ldm_start", pulses.start),
            ("epoch_write.valid", pulses.epochs.is_some()),
        ];
        expect_bits(outputs, &bits, &seen)
    })
}

pub fn ring_plan(name: &str, started: Option<u32>, seen: &Seen) -> CosimPlan<'static> {
    let given = name.to_string();
    let (rper, stop) = (0x33_3333, 5);
    let make = move || Box::new(TimeRingPage::new(rper, stop, started).expect("valid")) as Box<_>;
    let mut model = RingPage::new(rper, stop, started);
    let seen = seen.clone();
    CosimPlan::new(name, seed(0x9A75), make, move |testbench, _| {
        let mut asks = Asks::new(&given, 32);
        let mut random = rng(seed(0x9A76), &given);
        testbench.add(StimulusFn(move |_: u64, bench: &mut dyn Bench| {
            asks.clock(bench)?;
            levels(bench, &mut random, &["cycles", "waited", "tag", "done", "lost"], 0.2)?;
            for index in 0..5 {
                let events = if random.random_bool(0.6) { random.random_range(0..129) } else { 0 };
                set(bench, &[(&format!("events[{index}]"), events)])?;
            }
            Ok(())
        }));
        Ok(())
    })
    .model(move |inputs: &PortValues, outputs: &mut PortValues| {
        let config = model.kept(regs::RING_CFG);
        outputs.set_u64("own_stop", config & 63)?;
        outputs.set_u64("rper", config >> 32)?;
        let token = model.kept(regs::TOKEN_CMD);
        let command =
            token & 63 | (token >> 8 & 63) << 6 | (token >> 16 & 1) << 12 | (token >> 24 & 255) << 13;
        outputs.set_u64("command.data", command)?;
        let result = inputs.u64("cycles")?
            | inputs.u64("waited")? << 16
            | inputs.u64("tag")? << 24
            | inputs.u64("done")? << 32
            | inputs.u64("lost")? << 33;
        let mut events = [0; 5];
        for (index, events) in events.iter_mut().enumerate() {
            *events = inputs.u64(&format!("events[{index}]"))?;
        }
        let (found, sends) = model.clock(&asked(inputs)?, result, &events);
        answer(outputs, found)?;
        expect_bits(outputs, &[("command.valid", sends)], &seen)
    })
}

fn deep(plan: CosimPlan<'static>) -> CosimPlan<'static> {
    let depth = Depth::from_environment().expect("FLITFORGE_COSIM");
    plan.clocks(40_000)
        .stock_limit(300, "a quick run: wide values are slow in rust-hdl itself")
        .to_depth(depth)
}

/// Random requests; counters from 0 and from shortly before their end.
#[test]
fn windows_are_their_models() {
    let seen = Seen::default();
    for (started, name) in [(Some(0), "from_0"), (Some(STARTED), "to_the_end"), (None, "without")] {
        deep(tree_plan(&format!("time_tree_page_{name}"), started, &seen)).run().expect("equal");
        deep(port_plan(&format!("time_port_page_{name}"), started, &seen)).run().expect("equal");
        deep(ring_plan(&format!("time_ring_page_{name}"), started, &seen)).run().expect("equal");
    }
    seen.require_all();
}
