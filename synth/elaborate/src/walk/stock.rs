//! The registers and memories of rust-hdl-widgets 0.46, by their whole text and their ports. What a block calls itself plays no part: a
//! text that differs in a word is another circuit.

use super::cells::cell;
use super::kind::{has_ports, single_spaced, width, Kind};
use super::literal::verilog_value;
use super::scope::Scope;
use crate::error::Reason;
use crate::graph::MemoryStyle;
use crate::marker::{MemoryMarker, ReadMarker, RegisterMarker, WriteMarker};
use rust_hdl::prelude::AtomKind::{InputParameter as In, OutputParameter as Out};

/// Most address bits of a memory.
const ADDRESS_BITS: u32 = 30;

/// A primitive of rust-hdl-widgets; `None` if the block is none.
pub(super) fn stock(scope: &Scope, text: &str) -> Result<Option<Kind>, Reason> {
    let text = single_spaced(text);
    let kinds = [dff, edge_dff, sync_rom, ram, rom, cell];
    kinds.into_iter().find_map(|kind| kind(scope, &text).transpose()).transpose()
}

fn dff(scope: &Scope, text: &str) -> Result<Option<Kind>, Reason> {
    register(scope, text, "clock", "; end always @(posedge clock) begin q <= d; end")
}

fn edge_dff(scope: &Scope, text: &str) -> Result<Option<Kind>, Reason> {
    register(scope, text, "clk", "; end always @(posedge clk) q <= d;")
}

fn register(scope: &Scope, text: &str, clock: &str, end: &str) -> Result<Option<Kind>, Reason> {
    let value = text.strip_prefix("initial begin q = ").and_then(|rest| rest.strip_suffix(end));
    let ports = has_ports(scope, &[("d", In), ("q", Out), (clock, In)]);
    let Some(value) = value.filter(|_| ports && width(scope, "d") == width(scope, "q")) else {
        return Ok(None);
    };
    let initial = verilog_value(value, width(scope, "q")).ok_or_else(|| Reason::Marker {
        why: format!("`{value}` is no initial value of a stock flip-flop"),
    })?;
    Ok(Some(Kind::Register(RegisterMarker {
        clock: clock.into(),
        d: "d".into(),
        q: "q".into(),
        initial: format!("{initial:x}"),
        ..Default::default()
    })))
}

fn ram(scope: &Scope, text: &str) -> Result<Option<Kind>, Reason> {
    let ports = [
        ("read_address", In),
        ("read_clock", In),
        ("read_data", Out),
        ("write_address", In),
        ("write_clock", In),
        ("write_data", In),
        ("write_enable", In),
    ];
    let (words, address_bits) = (width(scope, "read_data"), width(scope, "read_address"));
    let same = width(scope, "write_data") == words && width(scope, "write_address") == address_bits;
    let front = front("reg[D:0] mem[A:0]; ", words, address_bits);
    let end = "always @(posedge read_clock) begin read_data <= mem[read_address]; end \
               always @(posedge write_clock) begin if (write_enable) begin mem[write_address] <= write_data; end end";
    let contents = text.strip_prefix(&front).and_then(|rest| rest.strip_suffix(end));
    let Some(contents) = contents.filter(|_| same && has_ports(scope, &ports)) else { return Ok(None) };
    let contents = contents.trim();
    let entries = match contents.strip_prefix("initial begin ").and_then(|rest| rest.strip_suffix("; end")) {
        Some(entries) => assignments(entries),
        None if contents.is_empty() => Some(vec![]),
        None => None,
    };
    let Some(entries) = entries else { return Ok(None) };
    let write = WriteMarker {
        clock: "write_clock".into(),
        address: "write_address".into(),
        data: "write_data".into(),
        enable: Some("write_enable".into()),
    };
    let read = read(Some("read_clock"), "read_address", "read_data");
    memory((words, address_bits), read, vec![write], (&entries, None)).map(Some)
}

fn sync_rom(scope: &Scope, text: &str) -> Result<Option<Kind>, Reason> {
    let (words, address_bits) = (width(scope, "data"), width(scope, "address"));
    let front = front("reg[D:0] mem [A:0]; initial begin ", words, address_bits);
    let end = "; end always @(posedge clock) begin data <= mem[address]; end";
    let contents = text.strip_prefix(&front).and_then(|rest| rest.strip_suffix(end));
    let ports = [("address", In), ("clock", In), ("data", Out)];
    let contents = contents.filter(|_| has_ports(scope, &ports));
    let Some(entries) = contents.and_then(assignments) else { return Ok(None) };
    let read = read(Some("clock"), "address", "data");
    memory((words, address_bits), read, vec![], (&entries, None)).map(Some)
}

fn rom(scope: &Scope, text: &str) -> Result<Option<Kind>, Reason> {
    let contents =
        text.strip_prefix("always @* case (address) ").and_then(|rest| rest.strip_suffix("; endcase"));
    let Some(contents) = contents.filter(|_| has_ports(scope, &[("address", In), ("data", Out)])) else {
        return Ok(None);
    };
    let mut entries: Vec<(&str, &str)> = vec![];
    for entry in contents.split("; ") {
        let Some(parts) = entry.split_once(": data = ") else { return Ok(None) };
        entries.push(parts);
    }
    let Some(("default", rest)) = entries.pop() else { return Ok(None) };
    let read = read(None, "address", "data");
    memory((width(scope, "data"), width(scope, "address")), read, vec![], (&entries, Some(rest))).map(Some)
}

/// The declaration of a memory's words: `D` and `A` in `text` are the highest bit and the highest address.
fn front(text: &str, words: u32, address_bits: u32) -> String {
    let highest = 1u64.checked_shl(address_bits).unwrap_or(0).wrapping_sub(1);
    text.replace('D', &words.wrapping_sub(1).to_string()).replace('A', &highest.to_string())
}

/// `mem[a] = v` after `mem[a] = v`.
fn assignments(text: &str) -> Option<Vec<(&str, &str)>> {
    let entries = text.split(';').map(str::trim).filter(|entry| !entry.is_empty());
    entries.map(|entry| entry.strip_prefix("mem[")?.split_once("] = ")).collect()
}

fn read(clock: Option<&str>, address: &str, data: &str) -> ReadMarker {
    ReadMarker {
        clock: clock.map(String::from),
        address: address.into(),
        data: data.into(),
        ..Default::default()
    }
}

/// A memory of 2^`address_bits` words with these contents, by address, and this word everywhere else.
fn memory(
    (width, address_bits): (u32, u32),
    read: ReadMarker,
    writes: Vec<WriteMarker>,
    (entries, rest): (&[(&str, &str)], Option<&str>),
) -> Result<Kind, Reason> {
    if address_bits > ADDRESS_BITS {
        return Err(Reason::Unsupported {
            what: format!("a memory of 2^{address_bits} words"),
            hint: format!("at most 2^{ADDRESS_BITS} words"),
        });
    }
    let unreadable = |text: &str| Reason::Marker { why: format!("contents of a stock memory: `{text}`") };
    let word = |text: &str| {
        verilog_value(text, width).map(|value| format!("{value:x}")).ok_or_else(|| unreadable(text))
    };
    let rest = rest.map_or_else(|| Ok("0".into()), word)?;
    let depth = 1u32 << address_bits;
    let mut initial: Vec<String> = vec![];
    if rest.chars().any(|digit| digit != '0') {
        initial.resize(depth as usize, rest.clone());
    }
    for (address, text) in entries {
        let place =
            verilog_value(address, address_bits).ok_or_else(|| unreadable(address))?.low_u64() as usize;
        if initial.len() <= place {
            initial.resize(place + 1, rest.clone());
        }
        initial[place] = word(text)?;
    }
    let (style, reads) = (MemoryStyle::Auto, vec![read]);
    Ok(Kind::Memory(MemoryMarker { depth, width, style, initial, reads, writes }))
}
