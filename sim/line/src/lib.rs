//! The line bench: any two ports over any lane PHY, with clocks, cables and faults of their own.
//!
//! ```text
//!  beats ─► ┌──────┐ words ┌─────┐ bits  ┌───────┐ bits  ┌─────┐ words ┌──────┐ ─► beats
//!           │ port │◄─────►│ PHY │◄─────►│ cable │◄─────►│ PHY │◄─────►│ port │
//!  beats ◄─ └──────┘       └─────┘       └───────┘       └─────┘       └──────┘ ◄─ beats
//!   registers  core clock     line clock   faults    line clock   core clock  registers
//! ```
//!
//! A port and a PHY are compiled each by itself; the bench copies the lane interface between them once per core clock. Every end
//! has a core clock and a line clock of its own oscillator. A [`Case`] is drawn from a seed and a number: ports, PHY, ratio of the
//! clocks, and a [script](script::Step) of one class of [events](Event). In every case it is checked that nothing is lost beyond what
//! LOST_ON_RESET says, nothing comes twice, out of order or altered, that states are left in their documented times, and that
//! after the last fault the link is up at the width that the lanes allow, and stays so.

pub mod bench;
pub mod bus;
pub mod cable;
pub mod campaign;
pub mod case;
mod content;
pub mod end;
pub mod event;
pub mod facts;
pub mod failure;
pub mod goodput;
pub mod known;
pub mod limits;
pub mod packets;
pub mod phy;
pub mod port;
pub mod probe;
pub mod program;
pub mod report;
pub mod run;
pub mod script;
pub mod setup;
pub mod traffic;
pub mod watch;
pub mod wave;
pub mod wires;

use flitforge_line_ports::{ports, refusal, times};

pub use campaign::Campaign;
pub use case::{Case, Choice, KINDS};
pub use event::Event;
pub use failure::{Failure, FailureKind};
pub use known::{known, Example, Known, Mended, KNOWN, MENDED};
pub use phy::Phy;
pub use report::{Report, NEW_FAILURES};
pub use run::{run, run_with_waves, Outcome};
