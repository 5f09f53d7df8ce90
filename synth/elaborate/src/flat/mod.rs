//! A design without hierarchy: word operations in an order in which they can be computed, registers and
//! memories with their clocks.
//!
//! Every module is executed once ([`template`]); the values are then resolved through the hierarchy on demand
//! (`resolve`), from the outputs, registers and memories backwards, so that port copies and dead logic
//! vanish and the order comes free.

mod collect;
mod hierarchy;
pub mod node;
mod resolve;

pub mod template;

use crate::graph::MemoryStyle;
use crate::value::Value;
use node::{NodeId, Nodes};
use std::collections::BTreeMap;
use thiserror::Error;

pub use hierarchy::{Hierarchy, Place};
pub use resolve::operands;

/// A flat design.
#[derive(Clone, Debug)]
pub struct Flat {
    /// Operations; those below `live` decide outputs and state, the others only internal signals to look at.
    pub nodes: Nodes,
    /// Number of nodes that outputs, registers and memories need.
    pub live: usize,
    /// Sources; [`node::Op::Source`] counts into it.
    pub sources: Vec<Source>,
    /// Registers.
    pub registers: Vec<FlatRegister>,
    /// Memories.
    pub memories: Vec<FlatMemory>,
    /// Clocks: top input ports first as they occur, then outputs of foreign modules.
    pub clocks: Vec<FlatClock>,
    /// Every signal by its path from the top (without the top's name).
    pub signals: BTreeMap<String, NodeId>,
    /// Paths of foreign instances.
    pub foreign: Vec<String>,
}

/// A clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlatClock {
    /// Path: a top port, or an output of a foreign instance.
    pub path: String,
    /// True for an output of a foreign instance.
    pub foreign: bool,
}

/// Where a value comes from that no operation computes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// Input of the top, by path.
    Input(String),
    /// Register, by number.
    Register(u32),
    /// Read port of a memory, by numbers.
    Read(u32, u32),
    /// Output of a foreign instance or bidirectional port, by path.
    Foreign(String),
}

/// A register of the flat design.
#[derive(Clone, Debug)]
pub struct FlatRegister {
    /// Path from the top.
    pub path: String,
    /// Instance that holds it; 0 is the top.
    pub instance: u32,
    /// Clock number.
    pub clock: u32,
    /// Output.
    pub q: NodeId,
    /// Next value.
    pub d: NodeId,
    /// Enable.
    pub enable: Option<NodeId>,
    /// Clear.
    pub clear: Option<NodeId>,
    /// Power-on and clear value.
    pub initial: Value,
}

/// A memory of the flat design.
#[derive(Clone, Debug)]
pub struct FlatMemory {
    /// Path from the top.
    pub path: String,
    /// Instance that holds it; 0 is the top.
    pub instance: u32,
    /// Words.
    pub depth: u32,
    /// Bits of a word.
    pub width: u32,
    /// Contents from address 0.
    pub initial: Vec<Value>,
    /// Style asked for.
    pub style: MemoryStyle,
    /// Clocked read ports; combinational ones are operations.
    pub reads: Vec<FlatRead>,
    /// Write ports.
    pub writes: Vec<FlatWrite>,
}

/// A clocked read port.
#[derive(Clone, Debug)]
pub struct FlatRead {
    /// Clock number.
    pub clock: u32,
    /// Word address.
    pub address: NodeId,
    /// Output.
    pub data: NodeId,
    /// Enable of the first register.
    pub enable: Option<NodeId>,
    /// Has a second register.
    pub output_register: bool,
    /// Enable of the second register.
    pub output_enable: Option<NodeId>,
}

/// A write port.
#[derive(Clone, Debug)]
pub struct FlatWrite {
    /// Clock number.
    pub clock: u32,
    /// Word address.
    pub address: NodeId,
    /// Data.
    pub data: NodeId,
    /// Enable.
    pub enable: Option<NodeId>,
}

/// Why a design cannot be flattened.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FlattenError {
    /// A true combinational loop.
    #[error("combinational loop through {}; break it with a register", path.join(" -> "))]
    Loop {
        /// Signals on the loop, each reading the next.
        path: Vec<String>,
    },
    /// A clock that is not a copy of a top input or of a foreign output.
    #[error(
        "clock of {element} comes from {from}, which is no clock input and no foreign clock; copy a clock"
    )]
    Clock {
        /// Register or memory.
        element: String,
        /// Where it ends.
        from: String,
    },
    /// A fault of a module's body.
    #[error("{path}: {what}")]
    Body {
        /// Signal.
        path: String,
        /// Fault and what to do.
        what: &'static str,
    },
}
