//! Memories as inferred arrays.
//!
//! The text is what synthesis tools recognise: a `reg` array, clocked reads into a register, clocked writes.
//! Both use non-blocking assignments, so a read that meets a write of its address returns the old word. Words
//! beyond the depth: an array asked for as block RAM is rounded up to a power of two, whose upper words are
//! never written and stay 0; other arrays have the exact depth and reads beyond it are forced to 0.

use super::node::index_width;
use super::table::{literal, range, Net, Table};
use super::Technology;
use crate::graph::{Memory, MemoryStyle, ReadPort, SignalId};
use crate::value::Value;

/// Declarations and logic of a memory.
#[derive(Default)]
pub struct Text {
    /// Declarations.
    pub declarations: Vec<String>,
    /// Logic.
    pub lines: Vec<String>,
}

/// Marks the memory's clocked outputs as variables.
pub fn declare(table: &mut Table, memory: &Memory) {
    for read in memory.reads.iter().filter(|read| read.clock.is_some()) {
        let direct = read.output_register || !masks_output(table, memory, read);
        table.entry_mut(read.data).net = if direct { Net::Reg } else { Net::Wire };
    }
}

/// The memory as an inferred array.
pub fn inferred(table: &mut Table, memory: &Memory, technology: Technology) -> Text {
    let mut text = Text::default();
    let words = array_words(memory);
    text.declarations.push(format!(
        "{}reg {}{} [0:{}];",
        style(memory, technology),
        range(memory.width),
        memory.name,
        words - 1
    ));
    initial(table, memory, words, &mut text);
    for write in &memory.writes {
        let clock = table.read_all(write.clock);
        let data = table.read_all(write.data);
        let guard = beyond(table, memory, write.address).then(|| inside(table, memory, write.address));
        let enable = write.enable.map(|id| table.read_all(id)).filter(|text| text != "1'b1");
        let condition: Vec<String> = [enable, guard].into_iter().flatten().collect();
        let condition = match condition.is_empty() {
            true => String::new(),
            false => format!("if ({}) ", condition.join(" & ")),
        };
        let index = index(table, memory, write.address);
        text.lines.push(format!("always @(posedge {clock}) {condition}{}[{index}] <= {data};", memory.name));
    }
    for read in &memory.reads {
        match read.clock {
            Some(clock) => clocked_read(table, memory, read, clock, &mut text),
            None => {
                let (word, data) = (word(table, memory, read.address), table.entry(read.data).name.clone());
                text.lines.push(format!("assign {data} = {word};"));
            }
        }
    }
    text
}

/// True if the text asks for a kind of RAM that only some technologies have.
pub fn asks_for_lut_ram(memory: &Memory, technology: Technology) -> bool {
    memory.style == MemoryStyle::Distributed && technology != Technology::Generic
}

/// Attributes that ask for the kind of RAM, for open and vendor tools. A tool for a technology without LUT RAM stops where it is asked
/// for one, so text for every tool does not.
fn style(memory: &Memory, technology: Technology) -> String {
    let (ours, lattice) = match memory.style {
        MemoryStyle::Auto => return String::new(),
        MemoryStyle::Distributed if !asks_for_lut_ram(memory, technology) => return String::new(),
        MemoryStyle::Block => ("block", if memory.writes.is_empty() { "ebr" } else { "block_ram" }),
        MemoryStyle::Distributed => ("distributed", "distributed"),
        MemoryStyle::Logic => ("logic", if memory.writes.is_empty() { "logic" } else { "registers" }),
    };
    let kind = if memory.writes.is_empty() { "rom" } else { "ram" };
    format!("(* {kind}_style = \"{ours}\", syn_{kind}style = \"{lattice}\" *) ")
}

fn array_words(memory: &Memory) -> u32 {
    match memory.style {
        MemoryStyle::Auto | MemoryStyle::Block => 1 << index_width(memory.depth),
        MemoryStyle::Distributed | MemoryStyle::Logic => memory.depth.max(2),
    }
}

/// Power-on contents.
fn initial(table: &mut Table, memory: &Memory, words: u32, text: &mut Text) {
    let counter = table.names.exact(&format!("{}_word", memory.name));
    text.declarations.push(format!("integer {counter};"));
    text.lines.push("initial begin".into());
    text.lines.push(format!(
        "    for ({counter} = 0; {counter} < {words}; {counter} = {counter} + 1) {}[{counter}] = {};",
        memory.name,
        literal(&Value::zero(memory.width))
    ));
    let given = memory.initial.iter().take(memory.depth as usize).enumerate();
    text.lines.extend(
        given
            .filter(|(_, value)| !value.is_zero())
            .map(|(at, value)| format!("    {}[{at}] = {};", memory.name, literal(value))),
    );
    text.lines.push("end".into());
}

/// True if the address can reach beyond the depth.
fn beyond(table: &Table, memory: &Memory, address: SignalId) -> bool {
    let bits = table.entry(address).width;
    bits >= 32 || 1u64 << bits > u64::from(memory.depth)
}

/// The condition that the address is below the depth.
fn inside(table: &mut Table, memory: &Memory, address: SignalId) -> String {
    let width = table.entry(address).width;
    let name = table.read_all(address);
    format!("({name} < {})", literal(&Value::from_u64(width, memory.depth.into())))
}

/// The address with exactly the bits that index the array.
fn index(table: &mut Table, memory: &Memory, address: SignalId) -> String {
    let (bits, width) = (index_width(array_words(memory)), table.entry(address).width);
    match width {
        _ if width > bits && bits == 1 => format!("{}[0]", table.read(address, 0, 1)),
        _ if width > bits => format!("{}[{}:0]", table.read(address, 0, bits), bits - 1),
        _ if width < bits => {
            format!("{{{}, {}}}", literal(&Value::zero(bits - width)), table.read_all(address))
        }
        _ => table.read_all(address),
    }
}

/// The addressed word, 0 beyond the array's end.
fn word(table: &mut Table, memory: &Memory, address: SignalId) -> String {
    let index = index(table, memory, address);
    let bits = table.entry(address).width;
    match bits < 32 && 1u64 << bits <= u64::from(array_words(memory)) {
        true => format!("{}[{index}]", memory.name),
        false => {
            let inside = inside(table, memory, address);
            format!("{inside} ? {}[{index}] : {}", memory.name, literal(&Value::zero(memory.width)))
        }
    }
}

/// True if a clocked read of a rounded array must be forced to 0 after the array's own register.
fn masks_output(table: &Table, memory: &Memory, read: &ReadPort) -> bool {
    matches!(memory.style, MemoryStyle::Auto | MemoryStyle::Block)
        && table.entry(read.address).width > index_width(memory.depth)
}

fn clocked_read(table: &mut Table, memory: &Memory, read: &ReadPort, clock: SignalId, text: &mut Text) {
    let masks = masks_output(table, memory, read);
    let clock = table.read_all(clock);
    let data = table.entry(read.data).name.clone();
    let enable = read.enable.map(|id| table.read_all(id));
    let condition = |enable: Option<String>| match enable {
        Some(enable) if enable != "1'b1" => format!("if ({enable}) "),
        _ => String::new(),
    };
    let zero = literal(&Value::zero(memory.width));
    let first = match masks || read.output_register {
        true => variable(table, &format!("{data}_word"), memory.width, text),
        false => data.clone(),
    };
    let array = match masks {
        true => format!("{}[{}]", memory.name, index(table, memory, read.address)),
        false => word(table, memory, read.address),
    };
    let enable = condition(enable);
    text.lines.push(format!("initial {first} = {zero};"));
    text.lines.push(format!("always @(posedge {clock}) {enable}{first} <= {array};"));
    let mut value = first;
    if masks {
        let flag = variable(table, &format!("{data}_inside"), 1, text);
        let inside = inside(table, memory, read.address);
        text.lines.push(format!("initial {flag} = 1'b0;"));
        text.lines.push(format!("always @(posedge {clock}) {enable}{flag} <= {inside};"));
        value = format!("{flag} ? {value} : {zero}");
    }
    if read.output_register {
        let enable = condition(read.output_enable.map(|id| table.read_all(id)));
        text.lines.push(format!("initial {data} = {zero};"));
        text.lines.push(format!("always @(posedge {clock}) {enable}{data} <= {value};"));
    } else if masks {
        text.lines.push(format!("assign {data} = {value};"));
    }
}

/// A new variable.
pub fn variable(table: &mut Table, wanted: &str, width: u32, text: &mut Text) -> String {
    let name = table.names.exact(wanted);
    text.declarations.push(format!("reg {}{name};", range(width)));
    name
}
