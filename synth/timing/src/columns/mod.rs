//! Ring cycles between every two stops of both rings, by each of three ways, beside what the chapter says (4.4 rule 7).
//!
//! | column | from |
//! |---|---|
//! | static | the elaborated `time_ring`: registers between the ring registers of two stops |
//! | simulated | the compiled `time_ring`: clocks from an insertion to its copies |
//! | token | the compiled `ring_token`: what its counter shows, (C - 3 - waited) / 2 |

mod simulated;
mod statics;
mod token;

pub use simulated::simulated_column;
pub use statics::static_column;
pub use token::token_column;

use crate::ring_name;
use flitforge_elaborate::flat::FlattenError;
use flitforge_elaborate::{elaborate, ElaborateError};
use flitforge_hdl::registry::{find, BuiltBlock, Settings};
use flitforge_hdl::ConfigError;
use flitforge_model::time::delay::RingShape;
use flitforge_protocol::time_ring::{Embed, RingDirection};
use flitforge_sim::{open, SimError};
use std::fmt;

/// Why a column cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ColumnError {
    /// No such ring is built.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The block cannot be elaborated.
    #[error(transparent)]
    Elaborate(#[from] ElaborateError),
    /// The design cannot be flattened.
    #[error(transparent)]
    Flatten(#[from] FlattenError),
    /// The simulation stops.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// A way that cannot be measured.
    #[error("{column} column, {ring} ring, stop {from} to stop {to}: {problem}")]
    Way {
        /// The column.
        column: &'static str,
        /// The ring.
        ring: &'static str,
        /// First stop.
        from: u32,
        /// Last stop.
        to: u32,
        /// What is wrong.
        problem: String,
    },
    /// The columns differ.
    #[error("the columns of {stops} stops differ on {} way(s): {}", differences.len(), list(differences))]
    Differ {
        /// Stops of a ring.
        stops: u32,
        /// The ways, in order.
        differences: Vec<Difference>,
    },
}

/// Differences shown in a message.
const SHOWN: usize = 8;

fn list(differences: &[Difference]) -> String {
    let shown: Vec<String> = differences.iter().take(SHOWN).map(Difference::to_string).collect();
    let more = if differences.len() > SHOWN { "; ..." } else { "" };
    shown.join("; ") + more
}

/// A way from a stop to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// The ring.
    pub ring: RingDirection,
    /// First stop.
    pub from: u32,
    /// Last stop.
    pub to: u32,
}

impl Way {
    /// All ways between different stops.
    pub fn all(stops: u32) -> impl Iterator<Item = Way> {
        RingDirection::ALL.into_iter().flat_map(move |ring| {
            (0..stops).flat_map(move |from| {
                (0..stops).filter(move |to| *to != from).map(move |to| Way { ring, from, to })
            })
        })
    }

    pub(crate) fn wrong(self, column: &'static str, problem: impl Into<String>) -> ColumnError {
        let Way { ring, from, to } = self;
        ColumnError::Way { column, ring: ring_name(ring), from, to, problem: problem.into() }
    }
}

/// Ring cycles of every way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    stops: u32,
    cycles: Vec<u32>,
}

impl Column {
    /// Asks for every way.
    pub fn of<E>(stops: u32, mut cycles: impl FnMut(Way) -> Result<u32, E>) -> Result<Self, E> {
        let mut column = Self { stops, cycles: vec![0; (2 * stops * stops) as usize] };
        for way in Way::all(stops) {
            let place = column.place(way);
            column.cycles[place] = cycles(way)?;
        }
        Ok(column)
    }

    fn place(&self, way: Way) -> usize {
        ((way.ring as u32 * self.stops + way.from) * self.stops + way.to) as usize
    }

    /// Ring cycles of a way; 0 from a stop to itself.
    #[must_use]
    pub fn get(&self, way: Way) -> u32 {
        self.cycles.get(self.place(way)).copied().unwrap_or_default()
    }
}

/// A way on which the columns differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The way.
    pub way: Way,
    /// What the chapter says.
    pub rule: u32,
    /// Registers of the design.
    pub statics: u32,
    /// Simulated.
    pub simulated: u32,
    /// Counted by a token.
    pub token: u32,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Way { ring, from, to } = self.way;
        let Difference { rule, statics, simulated, token, .. } = self;
        write!(f, "{} {from} to {to}: rule {rule}, static {statics}, ", ring_name(ring))?;
        write!(f, "simulated {simulated}, token {token}")
    }
}

/// The columns of a ring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// Stops of a ring.
    pub stops: u32,
    /// What the chapter says.
    pub rule: Column,
    /// Registers of the design.
    pub statics: Column,
    /// Simulated.
    pub simulated: Column,
    /// Counted by tokens.
    pub token: Column,
}

impl Columns {
    /// Of the blocks that are built for so many stops and registers per hop.
    pub fn measure(stops: u32, hop_registers: u32, embed: Embed) -> Result<Self, ColumnError> {
        let design = elaborate(time_ring(stops, hop_registers, embed)?.block.as_ref(), "time_ring")?;
        let mut ring = open("time_ring", time_ring(stops, hop_registers, embed)?.block)?;
        let settings = [("stops", stops.into()), ("hop_registers", hop_registers.into())];
        let mut tokens = open("ring_token", built("ring_token", &settings)?.block)?;
        let length = stops * hop_registers;
        Ok(Self {
            stops,
            rule: rule_column(stops, hop_registers),
            statics: static_column(&design, stops)?,
            simulated: simulated_column(ring.as_mut(), stops, length)?,
            token: token_column(tokens.as_mut(), stops, length)?,
        })
    }

    /// Ways on which not all are equal.
    #[must_use]
    pub fn differences(&self) -> Vec<Difference> {
        let of = |way| Difference {
            way,
            rule: self.rule.get(way),
            statics: self.statics.get(way),
            simulated: self.simulated.get(way),
            token: self.token.get(way),
        };
        let differs = |d: &Difference| [d.statics, d.simulated, d.token] != [d.rule; 3];
        Way::all(self.stops).map(of).filter(differs).collect()
    }

    /// The error if there is one.
    pub fn check(&self) -> Result<(), ColumnError> {
        match self.differences() {
            differences if differences.is_empty() => Ok(()),
            differences => Err(ColumnError::Differ { stops: self.stops, differences }),
        }
    }
}

/// Hops times registers per hop (4.4 rule 7).
#[must_use]
pub fn rule_column(stops: u32, hop_registers: u32) -> Column {
    let shape = RingShape { stops, hop_registers, ratio: 1 };
    let cycles = |way: Way| Ok(shape.path_on(way.ring, way.from, way.to).ring_cycles);
    let column: Result<Column, std::convert::Infallible> = Column::of(stops, cycles);
    match column {
        Ok(column) => column,
        Err(never) => match never {},
    }
}

/// The rings that are reported.
pub fn time_ring(stops: u32, hop_registers: u32, embed: Embed) -> Result<BuiltBlock, ConfigError> {
    let hop_registers = ("hop_registers", hop_registers.into());
    built("time_ring", &[("stops", stops.into()), ("flit", embed.code().into()), hop_registers])
}

fn built(block: &str, settings: &[(&str, u64)]) -> Result<BuiltBlock, ConfigError> {
    let entry = find(block)?;
    let settings: Vec<(String, u64)> =
        settings.iter().map(|(name, value)| ((*name).to_string(), *value)).collect();
    (entry.build)(&Settings::new(entry, None, &settings)?)
}
