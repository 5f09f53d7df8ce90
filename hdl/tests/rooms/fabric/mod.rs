//! The blocks of the fabric sublayer.

mod credit;
mod packet;
mod port;
mod vl;
