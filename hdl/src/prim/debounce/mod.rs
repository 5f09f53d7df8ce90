//! `debounce`: a clean level and a press pulse from a push button.
//!
//! The button is looked at once per `period` clocks; contacts that bounce for less than a period so give one
//! change. `level` follows the button one clock after a look; `pressed` is 1 for one clock when `level` rises.
//! `clear` takes the button as not pressed. `button` must be synchronous to `clock` (a synchroniser in front).

use crate::config::{check_range, ConfigError};
use crate::registry::{Allowed, BlockEntry, BuiltBlock, InterfaceInfo, ParameterInfo, Preset};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Longest period in clocks.
pub const MOST_PERIOD: u64 = (1 << 24) - 1;

/// See the [module](self).
#[derive(LogicBlock)]
pub struct Debounce {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// The button, 1 while pressed.
    pub button: Signal<In, Bit>,
    /// The button without bounces.
    pub level: Signal<Out, Bit>,
    /// One clock per press.
    pub pressed: Signal<Out, Bit>,
    last: Constant<Bits<24>>,
    timer: DFF<Bits<24>>,
    state: DFF<Bit>,
    pulse: DFF<Bit>,
    look: Signal<Local, Bit>,
}

impl Debounce {
    /// Looks every `period` clocks, 2 to [`MOST_PERIOD`].
    pub fn new(period: u64) -> Result<Self, ConfigError> {
        check_range("debounce", "period", period, 2, MOST_PERIOD)?;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            button: Default::default(),
            level: Default::default(),
            pressed: Default::default(),
            last: Constant::new((period - 1).into()),
            timer: Default::default(),
            state: Default::default(),
            pulse: Default::default(),
            look: Default::default(),
        })
    }
}

impl Logic for Debounce {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, timer, state, pulse);
        self.look.next = self.timer.q.val() == self.last.val();
        self.timer.d.next = self.timer.q.val() + 1;
        self.pulse.d.next = false;
        if self.look.val() {
            self.timer.d.next = 0.into();
            self.state.d.next = self.button.val();
            self.pulse.d.next = self.button.val() & !self.state.q.val();
        }
        if self.clear.val() {
            self.timer.d.next = 0.into();
            self.state.d.next = false;
            self.pulse.d.next = false;
        }
        self.level.next = self.state.q.val();
        self.pressed.next = self.pulse.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("debounce", &[("period", (self.last.val().index() + 1).to_string())])
    }
}

drive_ports!(impl[] Debounce { clock, clear, button, level, pressed });

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "debounce",
    chapter: "00-overview",
    summary: "clean level and press pulse from a push button",
    parameters: &[ParameterInfo {
        name: "period",
        default: 125_000,
        allowed: Allowed::Range(2, MOST_PERIOD),
        doc: "clocks between two looks at the button",
    }],
    presets: &[Preset { name: "default", values: &[] }, Preset { name: "fast", values: &[("period", 5)] }],
    build: |settings| {
        let interface = InterfaceInfo::clocked(&[], Some(1), "look at the button to level and pressed");
        Ok(BuiltBlock::new(Debounce::new(settings.get("period")?)?, interface))
    },
};
