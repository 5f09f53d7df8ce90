//! Recognises registers and memories: our marked primitives, and the stock ones whose meaning is known.

use super::literal::verilog_value;
use super::scope::{Scope, Wire};
use crate::error::Reason;
use crate::graph::{Foreign, MemoryStyle};
use crate::marker::{Marker, MemoryMarker, ReadMarker, RegisterMarker, WriteMarker};
use rust_hdl::prelude::{AtomKind, Verilog};

/// What a block is.
pub(crate) enum Kind {
    /// Logic and children.
    Module,
    /// A register.
    Register(RegisterMarker),
    /// A memory.
    Memory(MemoryMarker),
    /// Foreign text.
    Foreign(Foreign),
}

/// Classifies a block by its text, its marker or its timing information.
pub(crate) fn classify(scope: &Scope) -> Result<Kind, Reason> {
    let (text, cores, kind) = match &scope.text {
        Verilog::Combinatorial(_) => return Ok(Kind::Module),
        Verilog::Empty => return Err(Reason::NoText),
        Verilog::Blackbox(_) => return Err(Reason::UnmarkedText { kind: "a BlackBox" }),
        Verilog::Custom(text) => (text, "", "Verilog::Custom"),
        Verilog::Wrapper(wrapper) => (&wrapper.code, wrapper.cores.as_str(), "Verilog::Wrapper"),
    };
    match Marker::parse(text) {
        Some(Ok(Marker::Register(marker))) => Ok(Kind::Register(marker)),
        Some(Ok(Marker::Memory(marker))) => Ok(Kind::Memory(marker)),
        Some(Ok(Marker::Foreign(_))) => {
            let body = text.trim_start().split_once('\n').map_or("", |(_, body)| body);
            Ok(Kind::Foreign(Foreign { body: body.into(), cores: cores.into() }))
        }
        Some(Err(error)) => Err(Reason::Marker { why: error.to_string() }),
        None => stock(scope, text)?.ok_or(Reason::UnmarkedText { kind }),
    }
}

/// The stock primitives of rust-hdl-widgets 0.46.0, by their timing information; the asynchronous ROM, which
/// has none, by its ports and text.
fn stock(scope: &Scope, text: &str) -> Result<Option<Kind>, Reason> {
    let names: Vec<&str> = scope.timing.iter().map(|info| info.name.as_str()).collect();
    Ok(Some(match names.as_slice() {
        ["dff"] => Kind::Register(register(scope, text, "clock")?),
        ["edge_ff"] => Kind::Register(register(scope, text, "clk")?),
        ["ram_read", "ram_write"] => {
            let read = read(Some("read_clock"), "read_address", "read_data");
            let write = WriteMarker {
                clock: "write_clock".into(),
                address: "write_address".into(),
                data: "write_data".into(),
                enable: Some("write_enable".into()),
            };
            Kind::Memory(memory(scope, read, vec![write], memory_contents(text))?)
        }
        ["sync_rom"] => {
            let read = read(Some("clock"), "address", "data");
            Kind::Memory(memory(scope, read, vec![], memory_contents(text))?)
        }
        [] if is_rom(scope, text) => {
            let read = read(None, "address", "data");
            Kind::Memory(memory(scope, read, vec![], case_contents(text))?)
        }
        _ => return Ok(None),
    }))
}

fn is_rom(scope: &Scope, text: &str) -> bool {
    let ports = scope.atoms.iter().map(|wire| wire.path.as_str());
    ports.eq(["address", "data"]) && text.trim_start().starts_with("always @*\ncase (address)")
}

fn register(scope: &Scope, text: &str, clock: &str) -> Result<RegisterMarker, Reason> {
    let width = port(scope, "q")?.width;
    let initial = text
        .split_once("q = ")
        .and_then(|(_, rest)| rest.split_once(';'))
        .and_then(|(value, _)| verilog_value(value, width))
        .ok_or_else(|| Reason::Marker { why: "no initial value in a stock flip-flop".into() })?;
    Ok(RegisterMarker {
        clock: clock.into(),
        d: "d".into(),
        q: "q".into(),
        initial: format!("{initial:x}"),
        ..Default::default()
    })
}

fn read(clock: Option<&str>, address: &str, data: &str) -> ReadMarker {
    ReadMarker {
        clock: clock.map(String::from),
        address: address.into(),
        data: data.into(),
        ..Default::default()
    }
}

/// Address, word and the word of all other addresses.
type Contents = (Vec<(String, String)>, Option<String>);

fn memory_contents(text: &str) -> Contents {
    let entries = text.match_indices("mem[").filter_map(|(at, _)| {
        let (address, rest) = text[at + 4..].split_once("] = ")?;
        let word = rest.split([';', '\n']).next()?;
        (!address.contains([':', '\n'])).then(|| (address.to_string(), word.to_string()))
    });
    (entries.collect(), None)
}

fn case_contents(text: &str) -> Contents {
    let mut entries = vec![];
    let mut default = None;
    for line in text.lines() {
        let Some((address, word)) = line.trim().split_once(": data = ") else { continue };
        let word = word.trim_end_matches(';').to_string();
        match address {
            "default" => default = Some(word),
            _ => entries.push((address.to_string(), word)),
        }
    }
    (entries, default)
}

fn memory(
    scope: &Scope,
    read: ReadMarker,
    writes: Vec<WriteMarker>,
    (entries, default): Contents,
) -> Result<MemoryMarker, Reason> {
    let address_bits = port(scope, &read.address)?.width;
    let width = port(scope, &read.data)?.width;
    let unreadable = || Reason::Marker { why: "contents of a stock memory cannot be read".into() };
    let depth =
        1u32.checked_shl(address_bits).filter(|_| address_bits < 31).ok_or_else(|| Reason::Unsupported {
            what: format!("a memory of 2^{address_bits} words"),
            hint: "at most 2^30 words".into(),
        })?;
    let word = |text: &str| verilog_value(text, width).map(|value| format!("{value:x}"));
    let rest = match default {
        Some(text) => word(&text).ok_or_else(unreadable)?,
        None => "0".into(),
    };
    let mut initial: Vec<String> = vec![];
    if rest.chars().any(|digit| digit != '0') {
        initial.resize(depth as usize, rest.clone());
    }
    for (address, text) in entries {
        let address = verilog_value(&address, 32).ok_or_else(unreadable)?.low_u64() as usize;
        if initial.len() <= address {
            initial.resize(address + 1, rest.clone());
        }
        initial[address] = word(&text).ok_or_else(unreadable)?;
    }
    Ok(MemoryMarker { depth, width, style: MemoryStyle::Auto, initial, reads: vec![read], writes })
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
