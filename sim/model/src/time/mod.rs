//! Golden models of fabric time (chapter 20).
//!
//! Pure arithmetic is a function or a value; what the chapter times in clocks is a struct with a method per clock.
//!
//! | module | section | one call is |
//! |---|---|---|
//! | [`flits`] | 3.1 | a flit |
//! | [`slot`] | 3.3 | a ring slot |
//! | [`config`] | 4 | a configuration checked |
//! | [`source`] | 4.1 | a core clock, or any number of them |
//! | [`correction`] | 4.3, 4.4, 4.5 | a corrected value |
//! | [`extract`] | 4.3 | a beat's special flits |
//! | [`delay`] | 4.4 rule 7, equation (1) | a delay in clocks or 1/256 ns |
//! | [`ring`] | 4.4, 4.10 | a ring edge of both rings of a switch |
//! | [`inject`] | 4.5 | a core clock |
//! | [`generator`] | 4.6 | a core clock |
//! | [`mod@join`] | 4.7 rule 2 | a High and a Low joined |
//! | [`slave`] | 4.7 | a flit received |
//! | [`mod@lag`] | 4.2 rule 1 | the lag of a flit |
//! | [`link_delay`] | 4.8 | a round of a measurement |
//! | [`servo`] | 4.9 | a sample, or time without one |
//! | [`page`] | 5 | a core clock |
//! | [`clocked`] | 4.1 to 4.3, 4.5 to 4.9 | a core clock, with the latencies of the hardware |

pub mod clocked;
pub mod config;
pub mod correction;
pub mod delay;
pub mod extract;
pub mod flits;
pub mod generator;
pub mod inject;
pub mod join;
pub mod lag;
pub mod link_delay;
pub mod page;
pub mod ring;
pub mod servo;
pub mod slave;
pub mod slot;
pub mod source;

pub use config::{TimeConfig, TimeConfigError};
pub use correction::TimeValue;
pub use extract::Extractor;
pub use flits::{TimeFlit, TimeHigh, TimeLow};
pub use generator::{Generator, GeneratorConfig};
pub use inject::Injector;
pub use join::join;
pub use lag::lag;
pub use link_delay::LinkDelayRun;
pub use ring::DualRing;
pub use servo::{Servo, ServoConfig};
pub use slave::{TreeSelector, TreeSlave};
pub use slot::{RingContent, RingSlot};
pub use source::TimeSource;
