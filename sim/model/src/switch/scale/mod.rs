//! 64 endpoints behind 16 switches, over links whose lanes fail at random (chapter 10, 9, points 15 and 17).
//!
//! Every link is the model of training, retry, isolation and lane removal; its LTPs carry the beats of the ports at its
//! ends. Lanes become noisy one after the other while packets go between all endpoints, are found and removed. Every
//! packet has to come once, unaltered and in order, and every credit has to be somewhere.

pub(in crate::switch) mod host;
pub(in crate::switch) mod ledger;
mod run;
#[cfg(test)]
mod tests;
mod topology;
mod wire;

pub use ledger::{Broken, Flow};
pub use run::{scale, ScaleError, ScaleParameters, ScaleReport};
pub use topology::{End, Plan, Topology, HOSTS, SWITCHES};
