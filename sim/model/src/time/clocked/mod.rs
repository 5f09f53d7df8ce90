//! The blocks of fabric time clock by clock, as the hardware times them.
//!
//! The arithmetic is that of the models around this folder; what is added here is when a result shows. Each struct has `outputs`,
//! the registers before an edge, and `clock`, the edge.

mod extract;
mod generator;
mod inject;
mod lag_ddmtd;
mod lag_line;
mod lag_tracker;
mod link_delay;
mod selector;
mod servo;
mod slave;
mod source;

pub use extract::{ClockedExtractor, ExtractInputs, ExtractOutputs};
pub use generator::{ClockedGenerator, GeneratorInputs};
pub use inject::{ClockedInjector, InjectInputs, InjectOutputs};
pub use lag_ddmtd::{LagDdmtd, LagEdges};
pub use lag_line::{LagLine, LagPair};
pub use lag_tracker::{LagTracker, LagTrackerOutputs};
pub use link_delay::{ClockedLinkDelay, LinkDelayInputs, LinkDelayOutputs};
pub use selector::{ClockedSelector, SelectorInputs, SelectorOutputs};
pub use servo::{Adjust, ClockedServo, ServoInputs, ServoOutputs, ServoSample};
pub use slave::{ClockedSlave, SlaveInputs, SlaveOutputs};
pub use source::{ClockedSource, SourceInputs, SourceOutputs, SourceWrite};
