//! What the fabric link and fabric time share: lane words and line positions (chapter 10, 3.6 and 4.13).
//!
//! Fabric time stands on this and not on the link, so a change to the link does not compile it anew.

pub mod lane;
pub mod position;
