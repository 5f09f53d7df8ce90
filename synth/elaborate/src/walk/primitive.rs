//! Recognises registers and memories: our marked primitives, and the stock ones whose meaning is known.

use super::kind::{foreign, single_spaced, Kind};
use super::scope::{Scope, Wire};
use super::stock::stock;
use crate::error::Reason;
use crate::graph::Foreign;
use crate::marker::Marker;
use rust_hdl::prelude::{AtomKind, Verilog};

/// A hand-written text whose meaning the caller knows.
#[derive(Debug)]
pub(crate) struct Primitive {
    text: String,
    ports: Vec<(String, AtomKind, u32)>,
    marker: Marker,
}

impl Primitive {
    /// Every block with the text and the ports of `example`.
    pub fn new(example: &Scope, marker: Marker) -> Result<Self, Reason> {
        let text = normalised(example).ok_or_else(|| Reason::Marker {
            why: "the example has no text of its own (Verilog::Custom, Wrapper or Blackbox), so it needs no meaning".into(),
        })?;
        Ok(Self { text, ports: ports(example), marker })
    }

    /// The marker, if `scope` has the text and the ports.
    pub fn meaning(&self, scope: &Scope) -> Option<Marker> {
        let same = normalised(scope).is_some_and(|text| text == self.text) && ports(scope) == self.ports;
        same.then(|| self.marker.clone())
    }
}

fn ports(scope: &Scope) -> Vec<(String, AtomKind, u32)> {
    let ports = scope.atoms.iter().filter(|wire| wire.is_port());
    ports.map(|wire| (wire.path.clone(), wire.kind, wire.width)).collect()
}

/// A hand-written text, and what it is, with single spaces.
fn normalised(scope: &Scope) -> Option<String> {
    let (kind, text) = match &scope.text {
        Verilog::Custom(text) => ("custom", text.clone()),
        Verilog::Wrapper(wrapper) => ("wrapper", format!("{} {}", wrapper.code, wrapper.cores)),
        Verilog::Blackbox(core) => ("blackbox", format!("{} {}", core.name, core.code)),
        Verilog::Combinatorial(_) | Verilog::Empty => return None,
    };
    Some(format!("{kind} {}", single_spaced(&text)))
}

/// Classifies a block by its text: its marker, or the whole of it.
pub(crate) fn classify(scope: &Scope) -> Result<Kind, Reason> {
    let (text, cores) = match &scope.text {
        Verilog::Combinatorial(_) => return Ok(Kind::Module),
        Verilog::Empty => return Err(Reason::NoText),
        Verilog::Blackbox(core) => (core.code.as_str(), ""),
        Verilog::Custom(text) => (text.as_str(), ""),
        Verilog::Wrapper(wrapper) => (wrapper.code.as_str(), wrapper.cores.as_str()),
    };
    match (&scope.marker, Marker::parse(text)) {
        (Some(marker), _) => Ok(marked(marker.clone(), || foreign(scope))),
        (None, Some(Ok(marker))) => Ok(marked(marker, || {
            let body = text.trim_start().split_once('\n').map_or("", |(_, body)| body);
            Foreign { body: body.into(), cores: cores.into(), ..Default::default() }
        })),
        (None, Some(Err(error))) => Err(Reason::Marker { why: error.to_string() }),
        (None, None) => match (stock(scope, text)?, &scope.text) {
            (Some(kind), _) => Ok(kind),
            (None, Verilog::Wrapper(_) | Verilog::Blackbox(_)) => Ok(Kind::Foreign(foreign(scope))),
            (None, _) => Err(Reason::UnmarkedText { kind: "Verilog::Custom" }),
        },
    }
}

fn marked(marker: Marker, foreign: impl FnOnce() -> Foreign) -> Kind {
    match marker {
        Marker::Register(marker) => Kind::Register(marker),
        Marker::Memory(marker) => Kind::Memory(marker),
        Marker::Foreign(_) => Kind::Foreign(foreign()),
    }
}

/// A port of a primitive.
pub(crate) fn port<'a>(scope: &'a Scope, name: &str) -> Result<&'a Wire, Reason> {
    let found = scope.wire(name).filter(|wire| wire.kind != AtomKind::Constant && wire.is_port());
    found.ok_or_else(|| Reason::Marker { why: format!("`{name}` is not a port of the block") })
}

/// The ports of a primitive that are clocks.
pub(crate) fn clock_ports(kind: &Kind) -> Vec<&str> {
    match kind {
        Kind::Register(marker) => vec![marker.clock.as_str()],
        Kind::Memory(marker) => {
            let reads = marker.reads.iter().filter_map(|read| read.clock.as_deref());
            reads.chain(marker.writes.iter().map(|write| write.clock.as_str())).collect()
        }
        Kind::Module | Kind::Foreign(_) => vec![],
    }
}
