//! What was built, and the values of registers behind power-on.

use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::registers::{described, PageBuild};
use flitforge_protocol::register::{Register, Reset, BYTES};
use flitforge_protocol::time::{GEN_PERIOD_DEFAULT, GEN_PERIOD_SHIFT, MAX_TREES};
use flitforge_protocol::time_registers::{
    self as page, gain, gain_acq, gen_cfg, ring_cfg, slew_cnt, time_id, tree_prio, PAGE,
};
use flitforge_protocol::time_ring::MAX_RING_RATIO;
use flitforge_protocol::time_servo::{GAIN_SHIFT, INC_BITS, INC_FRAC, INC_NOM_DEFAULT, KI, KP, PERIOD_BITS};

/// Most ports of a device: as many as PORT_SEL can name; and most stops of its rings, one per port.
pub const MAX_PORTS: u64 = 1 << page::port_sel::port::WIDTH;

/// What was built, as TIME_ID and the decoder have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimePageConfig {
    /// INC_NOM at power-on, 2^-32 ns per clock: gains and periods follow from it.
    pub inc_nom: u64,
    /// GEN_PERIOD for which GAIN, GAIN_ACQ and SLEW_N are made, 2^20 ns.
    pub period: u64,
    /// Trees with a window, from tree 0 on. 0: nothing is followed, and the registers of the servo read 0.
    pub trees: u64,
    /// There is a generator; else its registers read 0.
    pub generates: bool,
    /// Ports with a window.
    pub ports: u64,
    /// Stops of the rings, 0 without rings.
    pub stops: u64,
    /// M: ring edges per core clock.
    pub ring_ratio: u64,
    /// PHASE_SRC.
    pub phase_source: u64,
    /// EMBED: whole flits on the rings.
    pub flit: bool,
    /// Counters start here: 0 but in tests of what happens at the end. `None`: none are built but those of trees, they
    /// read 0.
    pub started: Option<u32>,
}

impl Default for TimePageConfig {
    /// An endpoint of one tree with one port.
    fn default() -> Self {
        Self {
            inc_nom: INC_NOM_DEFAULT,
            period: GEN_PERIOD_DEFAULT,
            trees: 1,
            generates: true,
            ports: 1,
            stops: 0,
            ring_ratio: 1,
            phase_source: 0,
            flit: false,
            started: Some(0),
        }
    }
}

impl TimePageConfig {
    /// Refuses what the registers cannot say.
    pub fn check(&self) -> Result<(), ConfigError> {
        let name = "time_page";
        check_range(name, "inc_nom", self.inc_nom, 1, (1 << INC_BITS) - 1)?;
        check_range(name, "period", self.period, 1, (1 << gen_cfg::period::WIDTH) - 1)?;
        check_range(name, "trees", self.trees, u64::from(!self.generates), MAX_TREES as u64)?;
        check_range(name, "ports", self.ports, 0, MAX_PORTS)?;
        check_range(name, "stops", self.stops, 0, MAX_PORTS)?;
        check_range(name, "ring_ratio", self.ring_ratio, 1, MAX_RING_RATIO.into())?;
        check_range(name, "phase_source", self.phase_source, 0, 3)?;
        // The gains have 32 bits, so a period has 512 clocks or more.
        check_range(name, "clocks of a period", self.clocks(), 512, u32::MAX.into())
    }

    /// NCLK: core clocks of a period.
    fn clocks(&self) -> u64 {
        let period = u128::from(self.period) << (GEN_PERIOD_SHIFT as usize + INC_FRAC);
        u64::try_from(period / u128::from(self.inc_nom.max(1))).unwrap_or(u64::MAX)
    }

    /// SLEW_N after power-on: half a period.
    pub fn slew_n(&self) -> u64 {
        self.clocks() / 2
    }

    /// Power-on values of the page's own registers that say what was built, by byte offset.
    pub fn built(&self) -> Vec<(u32, u64)> {
        let put = |fields: &[(flitforge_protocol::Field, u64)]| {
            fields.iter().fold(0, |word, (field, value)| field.set(word, *value)) as u64
        };
        let rounded = |(above, below): (u64, u64), clocks: u64| {
            let (above, below) = (above << GAIN_SHIFT, below * clocks.max(1));
            (above + below / 2) / below
        };
        let clocks = self.clocks();
        vec![
            (
                page::TIME_ID,
                put(&[
                    (time_id::version::FIELD, page::PAGE_VERSION),
                    (time_id::trees::FIELD, self.trees),
                    (time_id::stops::FIELD, self.stops),
                    (time_id::phase::FIELD, self.phase_source),
                    (time_id::embed::FIELD, self.flit.into()),
                    (time_id::ratio::FIELD, self.ring_ratio),
                    (time_id::hop::FIELD, 1),
                ]),
            ),
            (page::SLEW_CNT, put(&[(slew_cnt::length::FIELD, self.slew_n())])),
            (
                page::GAIN,
                put(&[(gain::kp::FIELD, rounded(KP, self.slew_n())), (gain::ki::FIELD, rounded(KI, clocks))]),
            ),
            (
                page::GAIN_ACQ,
                put(&[(gain_acq::kacq::FIELD, rounded((1, 1), clocks)), (gain_acq::nclk::FIELD, clocks)]),
            ),
        ]
    }

    /// Bits of SLAVE_EN that can be set: those of trees that are there.
    pub fn tree_bits(&self) -> u64 {
        (1 << self.trees) - 1
    }

    /// The register is of a part that was not built: servo or generator. It reads 0.
    pub fn is_missing(&self, offset: u32) -> bool {
        let servo = [page::GAIN, page::GAIN_ACQ, page::THR, page::LOCK_CFG, page::SERVO_CTL, page::TREE_PRIO];
        let generator = [page::MSTR_CTL, page::GEN_CFG];
        (self.trees == 0 && servo.contains(&offset)) || (!self.generates && generator.contains(&offset))
    }

    /// Value of one of the page's own registers behind power-on.
    pub fn reset(&self, offset: u32) -> u64 {
        if self.is_missing(offset) {
            return 0;
        }
        let built = self.built().into_iter().find(|(known, _)| *known == offset);
        built.map_or_else(|| reset_value(offset), |(_, value)| value)
    }
}

impl PageBuild for TimePageConfig {
    fn power_on(&self, register: &Register) -> u64 {
        self.reset(register.offset)
    }

    fn writable(&self, register: &Register) -> u64 {
        match register.offset {
            offset if self.is_missing(offset) => 0,
            page::TREE_PRIO => tree_prio::slave_en::FIELD.set(u64::MAX.into(), self.tree_bits()) as u64,
            _ => u64::MAX,
        }
    }

    fn counters(&self) -> Option<u32> {
        self.started
    }
}

/// What was built, as a window has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowBuild {
    /// Counters start here, as in [`TimePageConfig::started`].
    pub started: Option<u32>,
    /// RPER at power-on, 2^-20 ns per ring clock: of the rings' window.
    pub rper: u64,
    /// The switch's own clock stop: of the rings' window.
    pub own_stop: u64,
}

impl WindowBuild {
    /// Of a tree or a port.
    #[must_use]
    pub const fn counting(started: Option<u32>) -> Self {
        Self { started, rper: 0, own_stop: 0 }
    }

    /// Refuses what RING_CFG cannot say.
    pub fn check(&self) -> Result<(), ConfigError> {
        check_range("time_ring_page", "rper", self.rper, 1, (1 << PERIOD_BITS) - 1)?;
        check_range("time_ring_page", "own_stop", self.own_stop, 0, MAX_PORTS - 1)
    }
}

impl PageBuild for WindowBuild {
    fn power_on(&self, register: &Register) -> u64 {
        match register.offset {
            page::RING_CFG => {
                ring_cfg::stop::FIELD.set(0, self.own_stop) as u64
                    | ring_cfg::rper::FIELD.set(0, self.rper) as u64
            }
            _ => described(register),
        }
    }

    fn counters(&self) -> Option<u32> {
        self.started
    }
}

/// Word of a register in a window.
pub fn window_word(window: u32, offset: u32) -> u64 {
    u64::from((offset - window) / BYTES)
}

/// Power-on value of a register, where the description has it.
pub fn reset_value(offset: u32) -> u64 {
    match PAGE.register_at(offset).map(|(register, _)| register.reset) {
        Some(Reset::Value(value)) => value,
        _ => 0,
    }
}
