//! `time_page` against its model.

use crate::time::support::expect_bits;
use flitforge_elaborate::Value;
use flitforge_hdl::time::page::{TimePage, TimePageConfig};
use flitforge_model::time::page::{DeviceInputs, DevicePage, SourceLevels};
use flitforge_model::time::ServoConfig;
use flitforge_protocol::register::BYTES;
use flitforge_protocol::time_registers::{self as regs, gen_cfg, lock_cfg, PAGE};
use flitforge_protocol::time_servo::{HOLD_MAX_DEFAULT, INC_NOM_DEFAULT};
use flitforge_sim::kit::{rng, seed, Rng as KitRng, StimulusFn};
use flitforge_sim::{Bench, CosimPlan, PortValues, SimError};
use flitforge_testkit::wide::{drive_wide, wide};
use flitforge_testkit::{depth, drive_all, Seen};
use rand::seq::IndexedRandom;
use rand::Rng;

/// A device of the stimulus: what was built, and how often it is cleared.
#[derive(Clone)]
pub struct Case {
    pub name: &'static str,
    pub config: TimePageConfig,
    pub clear: f64,
    /// Share of clocks with an event.
    pub events: f64,
}

/// An endpoint and a switch; the switch's counters are about to end.
pub fn cases() -> [Case; 2] {
    let switch = TimePageConfig {
        trees: 4,
        ports: 3,
        stops: 8,
        started: Some(u32::MAX - 300),
        ..TimePageConfig::default()
    };
    [
        Case { name: "endpoint", config: TimePageConfig::default(), clear: 0.002, events: 0.05 },
        Case { name: "switch", config: switch, clear: 0.000_2, events: 0.9 },
    ]
}

/// Requests as a bus master makes them: one after the other, some held until `ack`, to registers, counters and other words.
pub struct Requests {
    random: KitRng,
    wait: u32,
    held: bool,
}

impl Requests {
    pub fn new(name: &str) -> Self {
        Requests { random: rng(seed(0x9A6E), name), wait: 3, held: false }
    }

    fn offset(&mut self) -> u32 {
        let registers: Vec<u32> = PAGE.registers.iter().map(|register| register.offset).collect();
        let tree = regs::TREE_STEP * self.random.random_range(0..4);
        match self.random.random_range(0..10) {
            0 => self.random.random_range(0..256) * BYTES,
            1 => regs::CORE_COUNTERS.offset + BYTES * self.random.random_range(0..8),
            2 => [regs::SET_TIME, regs::SET_CMD, regs::GEN_CFG, regs::MSTR_CTL, regs::LOCAL_TIME]
                [self.random.random_range(0..5)],
            3 => regs::PORT_SEL,
            _ => {
                let offset = registers.choose(&mut self.random).copied().unwrap_or(0);
                let of_tree = (regs::TREE..regs::TREE + regs::TREE_STEP).contains(&offset);
                offset + if of_tree { tree } else { 0 }
            }
        }
    }

    fn data(&mut self, offset: u32) -> u64 {
        let any: u64 = self.random.random::<u64>() >> self.random.random_range(0..64);
        match offset {
            regs::PORT_SEL => self.random.random_range(0..5),
            regs::GEN_CFG => {
                // Around the largest product.
                let high_every = self.random.random_range(0..40_u64);
                let period = 3814 / high_every.max(1) + self.random.random_range(0..2);
                (gen_cfg::high_every::FIELD.set(u128::from(any), high_every) as u64) & !0xFFF | period
            }
            _ if self.random.random_bool(0.3) => 0,
            _ => any,
        }
    }

    /// Sets `bus` for this clock.
    pub fn clock(&mut self, bench: &mut dyn Bench) -> Result<(), SimError> {
        let acked = bench.get_bit(bench.port("bus.ack")?);
        if self.held && !acked && !self.random.random_bool(0.02) {
            return Ok(());
        }
        if self.held || self.wait > 0 {
            self.wait = if self.held { self.random.random_range(0..30) } else { self.wait - 1 };
            self.held = false;
            return drive_all(bench, &[("bus.request", 0)]);
        }
        let offset = self.offset();
        let write = self.random.random_bool(0.5);
        let data = self.data(offset);
        self.held = true;
        drive_all(
            bench,
            &[("bus.address", (offset / BYTES).into()), ("bus.write", write.into()), ("bus.request", 1)],
        )?;
        drive_wide(bench, "bus.wdata", data.into())
    }
}

/// A window that answers after a while, and shows 0 else.
struct Answers {
    path: &'static str,
    ask: &'static str,
    wait: Option<u32>,
}

impl Answers {
    fn clock(&mut self, bench: &mut dyn Bench, random: &mut KitRng) -> Result<(), SimError> {
        if bench.get_u64(bench.port(self.ask)?) != 0 {
            self.wait = Some(random.random_range(0..20));
        }
        let now = self.wait == Some(0);
        self.wait = self.wait.and_then(|wait| wait.checked_sub(1));
        let data = if now { random.random::<u64>() } else { 0 };
        drive_all(
            bench,
            &[(&format!("{}.valid", self.path), now.into()), (&format!("{}.data", self.path), data)],
        )
    }
}

fn stimulus(case: &Case) -> impl FnMut(u64, &mut dyn Bench) -> Result<(), SimError> {
    let mut requests = Requests::new(case.name);
    let mut random = rng(seed(0x9A6F), case.name);
    let (clear, density) = (case.clear, case.events);
    let mut windows = [("tree_answer", "to_tree"), ("ring_answer", "to_ring"), ("port_answer", "to_port")]
        .map(|(path, ask)| Answers { path, ask, wait: None });
    move |_, bench| {
        for window in &mut windows {
            window.clock(bench, &mut random)?;
        }
        requests.clock(bench)?;
        let mut one = |share: f64| u64::from(random.random_bool(share));
        drive_all(bench, &[("clear", one(clear)), ("port_refused", one(density)), ("stepped", one(0.1))])?;
        drive_all(bench, &[("source_write.ready", one(0.2))])?;
        let some = |random: &mut KitRng, bits: u32| {
            let any = random.random::<u64>() & ((1 << bits) - 1);
            if random.random_bool(density) {
                any
            } else {
                0
            }
        };
        let levels = [("inc_nom", 38), ("f_acc", 54), ("slew_p", 38), ("slew_left", 32), ("state", 3)];
        let more = [("error", 32), ("followed", 2), ("shadow_epoch", 8), ("limits", 63)];
        for (path, bits) in levels.into_iter().chain(more) {
            if random.random_bool(0.1) {
                drive_all(bench, &[(path, random.random::<u64>() & ((1 << bits) - 1))])?;
            }
        }
        for path in ["shadow_local", "shadow_sync"] {
            drive_wide(bench, path, random.random())?;
        }
        let happened = some(&mut random, 8) & some(&mut random, 8);
        let counted = some(&mut random, 6);
        drive_all(bench, &[("happened", happened), ("counted", counted)])
    }
}

fn inputs_of(inputs: &PortValues) -> Result<DeviceInputs, SimError> {
    let write = inputs.bit("bus.write")?;
    let data = inputs.u64("bus.wdata")?;
    let mut levels = SourceLevels {
        state: inputs.u64("state")?,
        error: inputs.u64("error")?,
        followed: inputs.u64("followed")?,
        ..SourceLevels::default()
    };
    for (path, offset) in [
        ("inc_nom", regs::INC_NOM),
        ("limits", regs::LIMITS),
        ("f_acc", regs::F_ACC),
        ("slew_p", regs::SLEW_P),
        ("slew_left", regs::SLEW_CNT),
    ] {
        levels.registers.insert(offset, inputs.u64(path)?);
    }
    let time = |path: &str| -> Result<(u64, u64), SimError> {
        let time = wide(&inputs.get(path)?);
        Ok(((time >> 32) as u64, time as u64 & u64::from(u32::MAX)))
    };
    levels.shadow = (time("shadow_local")?, time("shadow_sync")?, inputs.u64("shadow_epoch")?);
    let windows = ["tree_answer", "ring_answer", "port_answer"];
    let (mut answered, mut shown) = (false, 0);
    for path in windows {
        answered |= inputs.bit(&format!("{path}.valid"))?;
        shown |= inputs.u64(&format!("{path}.data"))?;
    }
    let counted = inputs.u64("counted")?;
    Ok(DeviceInputs {
        clear: inputs.bit("clear")?,
        request: match inputs.bit("bus.request")? {
            true => Some((inputs.u64("bus.address")? as u32, write.then_some(data))),
            false => None,
        },
        answered,
        shown,
        port_refused: inputs.bit("port_refused")?,
        happened: inputs.u64("happened")?,
        counted: std::array::from_fn(|index| counted >> index & 1),
        data,
        ready: inputs.bit("source_write.ready")?,
        stepped: inputs.bit("stepped")?,
        levels,
    })
}

/// Ports that show a field: path, offset, lowest bit, bits.
const KEPT: [(&str, u32, u32, u32); 27] = [
    ("slew_n", regs::SLEW_CNT, 32, 32),
    ("servo.kp", regs::GAIN, 0, 32),
    ("servo.ki", regs::GAIN, 32, 32),
    ("servo.kacq", regs::GAIN_ACQ, 0, 32),
    ("servo.nclk", regs::GAIN_ACQ, 32, 32),
    ("servo.step_thr", regs::THR, 0, 32),
    ("servo.outlier_thr", regs::THR, 32, 32),
    ("servo.lock_thr", regs::LOCK_CFG, 0, 16),
    ("servo.lock_n", regs::LOCK_CFG, 16, 8),
    ("servo.outlier_n", regs::LOCK_CFG, 24, 8),
    ("servo.hold_n", regs::LOCK_CFG, 32, 8),
    ("servo.hold_max", regs::LOCK_CFG, 40, 24),
    ("servo.enable", regs::SERVO_CTL, 0, 1),
    ("servo.step_enable", regs::SERVO_CTL, 1, 1),
    ("servo.freeze", regs::SERVO_CTL, 2, 1),
    ("generate", regs::MSTR_CTL, 0, 1),
    ("tree", regs::MSTR_CTL, 1, 2),
    ("start.data", regs::MSTR_CTL, 3, 2),
    ("index", regs::MSTR_CTL, 5, 8),
    ("quality", regs::MSTR_CTL, 13, 4),
    ("separate", regs::MSTR_CTL, 17, 1),
    ("period", regs::GEN_CFG, 0, 12),
    ("phase", regs::GEN_CFG, 16, 16),
    ("high_every", regs::GEN_CFG, 32, 8),
    ("priority", regs::TREE_PRIO, 0, 8),
    ("slave_en", regs::TREE_PRIO, 8, 4),
    ("port", regs::PORT_SEL, 0, 6),
];

fn model_of(config: &TimePageConfig) -> DevicePage {
    let windows = (config.trees, config.ports, config.stops > 0);
    DevicePage::new(config.built().into_iter().collect(), windows, config.started)
}

fn model(case: &Case, seen: Seen) -> impl FnMut(&PortValues, &mut PortValues) -> Result<(), SimError> {
    let mut page = model_of(&case.config);
    move |inputs, outputs| {
        for (path, offset, low, bits) in KEPT {
            outputs.set_u64(path, page.kept(offset) >> low & (u64::MAX >> (64 - bits)))?;
        }
        let now = page.clock(&inputs_of(inputs)?);
        outputs.set_u64("bus.rdata", now.ack.unwrap_or(0))?;
        let (word, write, data) = now.asked;
        outputs.set_u64("word", (word & 31).into())?;
        outputs.set_u64("data", data)?;
        outputs.set_bit("write", write)?;
        outputs.set_u64("to_tree", now.windows.0)?;
        if let Some((code, data)) = now.offer {
            outputs.set("source_write.data", Value::from_words(67, &[data, code.code().into()]))?;
        }
        let bits = [
            ("bus.ack", now.ack.is_some()),
            ("interrupt", now.interrupt),
            ("to_ring", now.windows.1),
            ("to_port", now.windows.2),
            ("source_write.valid", now.offer.is_some()),
            ("read_shadow", now.read_shadow),
            ("new_era", now.new_era),
            ("start.valid", now.start.is_some()),
        ];
        expect_bits(outputs, &bits, &seen)
    }
}

/// A co-simulation with the model.
pub fn plan(name: &str, case: &Case, clocks: u64, seen: &Seen) -> CosimPlan<'static> {
    let config = case.config.clone();
    let make = move || Box::new(TimePage::new(&config).expect("valid")) as Box<_>;
    let given = case.clone();
    CosimPlan::new(name, seed(0x9A6E), make, move |testbench, _| {
        testbench.add(StimulusFn(stimulus(&given)));
        Ok(())
    })
    .clocks(clocks)
    .stock_limit(300, "a quick run: many wide values are slow in rust-hdl itself")
    .model(model(case, seen.clone()))
}

#[test]
fn the_page_is_its_model_under_random_requests() {
    let depth = depth();
    let seen = Seen::default();
    for case in cases() {
        let name = format!("time_page_{}", case.name);
        plan(&name, &case, 60_000, &seen).to_depth(depth).run().expect("equal");
    }
    seen.require_all();
}

/// Gains, periods and thresholds after power-on are those of the servo's model; 4.9 gives them for period 95.
#[test]
fn power_on_values_are_those_of_the_chapter() {
    for (period, inc_nom) in [(95, INC_NOM_DEFAULT), (1, INC_NOM_DEFAULT), (95, 8 << 32), (4095, 10 << 32)] {
        let config = TimePageConfig { period, inc_nom, ..TimePageConfig::default() };
        let servo = ServoConfig::new(period, inc_nom).expect("possible");
        assert_eq!(config.slew_n(), u64::from(servo.slew_n));
        assert_eq!(config.reset(regs::GAIN), u64::from(servo.kp) | u64::from(servo.ki) << 32);
        assert_eq!(config.reset(regs::GAIN_ACQ), u64::from(servo.kacq) | u64::from(servo.nclk) << 32);
    }
    let config = TimePageConfig::default();
    assert_eq!(config.reset(regs::GAIN), 0x227E_0001_13F1, "section 8, 9");
    assert_eq!(config.reset(regs::THR), 0x4000_0000_4000);
    let hold = lock_cfg::hold_max::FIELD.get(config.reset(regs::LOCK_CFG).into());
    assert_eq!(
        (hold, config.reset(regs::LOCK_CFG) & 0xFFFF_FFFF),
        (u64::from(HOLD_MAX_DEFAULT), 0x0804_0040)
    );
    assert_eq!(config.reset(regs::GEN_CFG), 95 | 10 << 32);
    assert_eq!((config.reset(regs::SERVO_CTL), config.reset(regs::TREE_PRIO)), (3, 0x100));
}

#[test]
fn what_cannot_be_built_is_refused() {
    let default = TimePageConfig::default;
    for (config, parameter) in [
        (TimePageConfig { inc_nom: 0, ..default() }, "inc_nom"),
        (TimePageConfig { period: 0, ..default() }, "period"),
        (TimePageConfig { period: 4096, ..default() }, "period"),
        (TimePageConfig { trees: 5, ..default() }, "trees"),
        (TimePageConfig { trees: 0, generates: false, ..default() }, "trees"),
        (TimePageConfig { ports: 65, ..default() }, "ports"),
        (TimePageConfig { stops: 65, ..default() }, "stops"),
        (TimePageConfig { phase_source: 4, ..default() }, "phase_source"),
        (TimePageConfig { period: 4095, inc_nom: 1, ..default() }, "clocks of a period"),
    ] {
        assert_eq!(config.check().expect_err(parameter).parameter, parameter);
    }
}
