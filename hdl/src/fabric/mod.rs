//! The fabric sublayer (chapter 10, 3.3, 3.4, 4.9): packets on the flits of a link, virtual lanes on its beats.

pub mod packet;
pub mod vl;
