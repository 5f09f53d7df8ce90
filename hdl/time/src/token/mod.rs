//! `ring_token`: the two rings of a switch with the means to measure them (chapter 20, 4.10).
//!
//! `time_ring` with a token stop beside each of its stops, and the counter. A token goes from its source to its target on one
//! ring and back on the other one; the count says how many ring cycles that took. Everything here is in the ring clock domain.
//!
//! - Insertions, copies and their latencies are those of `time_ring`. A token waits for them at its source and its target; a token
//!   that waits counts as `busy`, too.
//! - With no other traffic `cycles` is 2 h S + 3, with target = source N S + 1; in general h S = (`cycles` - 3 - `waited`) / 2.
//!   The cycles waited are exact up to 255. The wait at the source does not count.
//! - `command` to the ring register of stop i: i + 4 clocks; `command` to `done`: `cycles` + N + 6 clocks. Exact without other traffic.
//! - `lost` 4 N S + 512 clocks after a command whose token did not come home: no such stop, upset on the way, wrong tag.
//!   Tokens of one command after the other need different tags only if the first may still be on its way.
//! - `clear` empties the rings and ends the measurement without a result.
//!
//! | file | does |
//! |---|---|
//! | `stop` | a stop's part: sends, sends back, reports |
//! | `catch`, `insert` | what comes out of one ring, what goes into one |
//! | `control` | counts |
//! | `rings` | both rings, wired |

mod catch;
mod control;
mod insert;
mod rings;
mod stop;

pub use catch::TokenCatch;
pub use control::TokenControl;
pub use insert::TokenInsert;
pub use rings::{TokenRing12, TokenRing16, TokenRing24, TokenRing32, TokenRing4, TokenRing48, TokenRing8};
pub use stop::TokenStop;

use super::ring::{config_of, RingConfig, HOP_PARAMETER, INSERT_EXTRA_BITS, STOPS, VALUE_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_registers::token_res;
use flitforge_protocol::time_ring::{token, token_command};

/// Bits of a token in a slot.
pub const TOKEN_BITS: usize = token::waited::LOW + token::waited::WIDTH;
/// Bits of a token to be sent.
pub const COMMAND_BITS: usize = token_command::WIDTH;
/// Bits of the cycles waited at the target.
pub const WAITED_BITS: usize = token::waited::WIDTH;
/// Bits of a tag.
pub const TAG_BITS: usize = token::tag::WIDTH;
/// Bits of a report: sent, home, cycles waited.
pub const REPORT_BITS: usize = 2 + WAITED_BITS;
/// Bits of a count.
pub const CYCLES_BITS: usize = token_res::cycles::WIDTH;
/// Bits of an insertion.
const INSERT_BITS: usize = VALUE_BITS + INSERT_EXTRA_BITS;

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "ring_token",
    chapter: "20-time",
    summary: "two rings of stops, and tokens that measure them",
    parameters: &[
        ParameterInfo::new("stops", 8, Allowed::OneOf(STOPS), "stops of each ring"),
        ParameterInfo::new(
            "wait_max",
            RingConfig::DEFAULT_WAIT_MAX,
            Allowed::Range(1, RingConfig::MOST_WAIT_MAX),
            "RING_WAIT_MAX, ring clocks",
        ),
        HOP_PARAMETER,
    ],
    presets: &[
        Preset { name: "default", values: &[] },
        Preset { name: "stops_4", values: &[("stops", 4)] },
        Preset { name: "two_registers", values: &[("hop_registers", 2)] },
        Preset { name: "two_registers_4", values: &[("stops", 4), ("hop_registers", 2)] },
    ],
    build,
};

fn build(settings: &Settings) -> Result<BuiltBlock, ConfigError> {
    macro_rules! of_stops {
        ($stops:literal, $builder:ident, [$($preset:tt)*]) => {
            shapes! {
                settings: (hop_registers) => $builder of time::token
                    [VALUE_BITS, INSERT_BITS, $stops, $stops * (hop_registers - 1)];
                presets { $($preset)* }
            }
        };
    }
    match settings.get("stops")? {
        4 => of_stops!(4, build_4_as, [(1)(2)]),
        8 => of_stops!(8, build_8_as, [(1)(2)]),
        12 => of_stops!(12, build_12_as, []),
        16 => of_stops!(16, build_16_as, []),
        24 => of_stops!(24, build_24_as, []),
        32 => of_stops!(32, build_32_as, []),
        _ => of_stops!(48, build_48_as, []),
    }
}

macro_rules! builder {
    ($name:ident, $block:ident) => {
        /// Builds the rings with these const parameters, which are those of their type.
        pub fn $name<const W: usize, const I: usize, const T: usize, const R: usize>(
            settings: &Settings,
        ) -> Result<BuiltBlock, ConfigError> {
            let config = config_of(settings)?;
            Ok(BuiltBlock::new($block::<W, I, T, R>::new(config)?, interface(config.stops)))
        }
    };
}
builder!(build_4_as, TokenRing4);
builder!(build_8_as, TokenRing8);
builder!(build_12_as, TokenRing12);
builder!(build_16_as, TokenRing16);
builder!(build_24_as, TokenRing24);
builder!(build_32_as, TokenRing32);
builder!(build_48_as, TokenRing48);

fn interface(stops: u64) -> InterfaceInfo {
    let note = "a token to the stop h hops on and back counts 2 h hop_registers + 3 ring clocks";
    let mut info = InterfaceInfo::clocked(&[("command", FlowSink)], None, note);
    for (ring, role) in [("insert", StreamSink), ("copy", FlowSource)] {
        for direction in ["cw", "ccw"] {
            info.streams.extend((0..stops).map(|stop| StreamInfo {
                name: format!("{ring}_{direction}[{stop}]"),
                role,
                clock: "clock".into(),
            }));
        }
    }
    info
}
