//! The blocks of the fabric sublayer.

mod credit;
mod packet;
mod vl;
