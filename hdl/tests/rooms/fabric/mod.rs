//! The blocks of the fabric sublayer.

mod packet;
mod vl;
