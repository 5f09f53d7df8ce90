//! `debounce`: a clean level and a press pulse from a push button.
//!
//! The button is looked at once per `period` clocks; contacts that bounce for less than a period so give one
//! change. `level` follows the button one clock after a look; `pressed` is 1 for one clock when `level` rises.
//! `clear` takes the button as not pressed. `button` must be synchronous to `clock` (a synchroniser in front).

use crate::prelude::*;

/// Longest period in clocks.
pub const MOST_PERIOD: u64 = (1 << 24) - 1;

/// See the [module](self).
#[block(new)]
pub struct Debounce {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// The button, 1 while pressed.
    button: In<Bit>,
    /// The button without bounces.
    level: Out<Bit>,
    /// One clock per press.
    pressed: Out<Bit>,
    last: Constant<Bits<24>>,
    timer: Reg<Bits<24>>,
    state: Reg<Bit>,
    pulse: Reg<Bit>,
}

#[logic]
impl Debounce {
    /// Looks every `period` clocks, 2 to [`MOST_PERIOD`].
    pub fn new(period: u64) -> Result<Self, ConfigError> {
        check_range("debounce", "period", period, 2, MOST_PERIOD)?;
        Ok(Self { last: Constant::new((period - 1).into()), .. })
    }

    fn update(&mut self) {
        let look = timer == last;
        timer = timer + 1;
        pulse = false;
        if look {
            timer = 0;
            state = button;
            pulse = button & !state;
        }
        if clear {
            timer = 0;
            state = false;
            pulse = false;
        }
        level = state;
        pressed = pulse;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("debounce", &[("period", (self.last.val().index() + 1).to_string())])
    }
}

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "debounce",
    chapter: "00-overview",
    summary: "clean level and press pulse from a push button",
    parameters: &[ParameterInfo::new(
        "period",
        125_000,
        Allowed::Range(2, MOST_PERIOD),
        "clocks between two looks at the button",
    )],
    presets: &[Preset { name: "default", values: &[] }, Preset { name: "fast", values: &[("period", 5)] }],
    build: |settings| {
        let interface = InterfaceInfo::clocked(&[], Some(1), "look at the button to level and pressed");
        Ok(BuiltBlock::new(Debounce::new(settings.get("period")?)?, interface))
    },
};
