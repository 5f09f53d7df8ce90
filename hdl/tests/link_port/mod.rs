//! `link_port`: two ports over two `phy_loop`s come up, carry flits exactly once, lose lanes and survive faults.

#![allow(clippy::expect_used)] // tests

mod bits;
mod cables;
mod compact;
mod control;
mod equal;
mod faults;
mod lanes;
mod manager;
mod measure;
mod modes;
mod mutations;
mod pair;
mod position;
mod probation;
mod rig;
mod time;
mod traffic;

use pair::{
    PortPair, PortPairAll, PortPairAllNarrow, PortPairAllQuad, PortPairNarrow, PortPairOneProbation,
    PortPairProbation, PortPairQuad, PortPairSmall,
};
use rig::Program;
use std::sync::OnceLock;

/// Four lanes, two flits per beat, 128 slots.
fn wide() -> &'static Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    PROGRAM.get_or_init(|| Program::new("link_port_pair", &PortPair::new(), 2, 4))
}

/// The same with 16 slots.
fn short() -> &'static Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    PROGRAM.get_or_init(|| Program::new("link_port_pair", &PortPairSmall::new(), 2, 4))
}

/// Four lanes, four flits per beat, 16 slots.
fn quad() -> &'static Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    PROGRAM.get_or_init(|| Program::new("link_port_pair", &PortPairQuad::new(), 4, 4))
}

/// One lane, one flit per beat, 16 slots.
fn narrow() -> &'static Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    PROGRAM.get_or_init(|| Program::new("link_port_pair", &PortPairNarrow::new(), 1, 1))
}

/// Four lanes, two flits per beat, 16 slots, all CRC modes.
fn all_modes() -> &'static Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    PROGRAM.get_or_init(|| Program::new("link_port_pair", &PortPairAll::new(), 2, 4))
}

/// The same with four flits per beat.
fn all_modes_quad() -> &'static Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    PROGRAM.get_or_init(|| Program::new("link_port_pair", &PortPairAllQuad::new(), 4, 4))
}

/// The same with one flit per beat.
fn all_modes_narrow() -> &'static Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    PROGRAM.get_or_init(|| Program::new("link_port_pair", &PortPairAllNarrow::new(), 1, 4))
}

/// Four lanes, two flits per beat, 16 slots, with probation of lanes.
fn probation() -> &'static Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    PROGRAM.get_or_init(|| Program::new("link_port_pair", &PortPairProbation::new(), 2, 4))
}

/// The same with probation at end 0 only.
fn one_probation() -> &'static Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    PROGRAM.get_or_init(|| Program::new("link_port_pair", &PortPairOneProbation::new(), 2, 4))
}
