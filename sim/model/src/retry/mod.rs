//! The retry protocol of a link, at the granularity of LTPs (chapter 10, 4.2 and 4.3).
//!
//! | part | is |
//! |---|---|
//! | [`RetryTx`] | transmit side: replay buffer, states OFF to FREEZE, pads, marker pairs |
//! | [`RetryRx`] | receive side: the toss rule, requests, late LTPs |
//! | [`InitExchange`] | state Init: InitReq, InitAck, round trip |
//! | [`RetryPort`] | the three as one end of a link |
//!
//! Nothing here has a clock. An end is called once for each LTP that comes in and once for each that goes out; `now`
//! is in a unit of the caller's choice and only measures the round trip. Timers count LTP times of the transmit
//! direction, the unit RTT_LTP is measured in.
//!
//! ```
//! use flitforge_model::retry::{Arrival, LinkLtp, RetryConfig, RetryPort, Token};
//!
//! let mut ends = [0, 1].map(|_| RetryPort::new(RetryConfig::default(), 1).expect("the defaults are fine"));
//! ends.iter_mut().for_each(|end| end.start_init());
//! let mut delivered = Vec::new();
//! for now in 0..40 {
//!     let sent = [0, 1].map(|end| {
//!         let token = Token::new(end, ends[end].tx().next_write().into(), 0);
//!         ends[end].send(now, || token).sent.expect("not OFF").ltp
//!     });
//!     ends[0].receive(now + 1, Arrival::Good(sent[1]));
//!     let reception = ends[1].receive(now + 1, Arrival::Good(sent[0]));
//!     delivered.extend(reception.delivered.map(|ltp| ltp.payload.index));
//! }
//! assert!(ends[0].is_active() && ends[1].is_active());
//! assert!(delivered.len() > 20 && delivered.iter().copied().eq(0..delivered.len() as u64));
//! ```

mod config;
mod init;
mod ltp;
mod port;
mod rx;
mod tx;

pub use config::{Mutation, RetryConfig, RetryConfigError};
pub use init::{InitExchange, InitResult};
pub use ltp::{Arrival, LinkLtp, Payload, Token};
pub use port::{RetryPort, Turn};
pub use rx::{Delivered, Fault, LatchAction, NullEvent, Reception, RetryRx, RxRow, RxState};
pub use tx::{Origin, RetryTx, Sent};
