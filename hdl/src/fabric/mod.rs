//! The fabric sublayer (chapter 10, 3.3, 3.4, 4.9 to 4.11): packets on the flits of a link, virtual lanes on its beats, credits
//! for both, the switch.

pub mod credit;
pub mod packet;
pub mod port;
pub mod switch;
pub mod vl;
