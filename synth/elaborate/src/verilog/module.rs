//! One module as text.

use super::expression::Expressions;
use super::plan::Plan;
use super::table::{range, Entry, Net, Table};
use super::{body, ecp5, element, memory, Options, Technology};
use crate::graph::{Design, Foreign, Memory, Module, Shape, SignalId, SignalKind};
use crate::value::Value;
use std::collections::BTreeMap;

/// Comments at ports, by the port's Rust path.
type Comments = BTreeMap<String, String>;

/// The text of `module`, without compiler directives.
pub fn write(design: &Design, module: &Module, options: &Options) -> String {
    commented(design, module, options, &Comments::new())
}

/// The text of `module`, without compiler directives, with comments at its ports.
pub fn commented(design: &Design, module: &Module, options: &Options, comments: &Comments) -> String {
    let mut table = Table::new(module);
    if let Some(foreign) = &module.foreign {
        return foreign_module(&table, foreign, comments);
    }
    for register in &module.registers {
        element::declare_register(&mut table, register);
    }
    let explicit: Vec<bool> =
        module.memories.iter().map(|memory| is_explicit(&table, memory, options)).collect();
    for (memory, explicit) in module.memories.iter().zip(&explicit) {
        if !explicit {
            memory::declare(&mut table, memory);
        }
    }
    let plan = Plan::new(module, &mut table);
    let mut expressions = Expressions::new(table);
    body::write(&mut expressions, &plan);
    let Expressions { mut table, lines, .. } = expressions;
    let mut sections = vec![spaced(lines)];
    let mut declarations = vec![];
    for (memory, explicit) in module.memories.iter().zip(&explicit) {
        let text = match explicit {
            true => ecp5::explicit(&mut table, memory),
            false => memory::inferred(&mut table, memory, options.technology),
        };
        declarations.extend(text.declarations);
        sections.push(text.lines);
    }
    for register in &module.registers {
        sections.push(element::register(&mut table, register));
    }
    for instance in &module.instances {
        sections.push(element::instance(&mut table, design, instance));
    }
    sections.push(unused(&mut table));
    let mut head = localparams(&table);
    head.extend(declared(&table));
    head.extend(declarations);
    sections.insert(0, head);
    let mut text = header(&table, comments);
    for section in sections.iter().filter(|section| !section.is_empty()) {
        text.push('\n');
        for line in section {
            push_line(&mut text, line);
        }
    }
    text.push_str("\nendmodule\n");
    text
}

/// True if the memory is written as instances of the technology's RAM.
fn is_explicit(table: &Table, memory: &Memory, options: &Options) -> bool {
    options.technology == Technology::Ecp5 && ecp5::fits(table.module, memory)
}

fn push_line(text: &mut String, line: &str) {
    for part in line.split('\n') {
        if !part.is_empty() {
            text.push_str("    ");
            text.push_str(part);
        }
        text.push('\n');
    }
}

/// Empty lines around `always` blocks.
fn spaced(lines: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = vec![];
    for line in lines {
        let after_block = out.last().is_some_and(|last| last == "end");
        if (line.starts_with("always") || after_block) && !out.is_empty() {
            out.push(String::new());
        }
        out.push(line);
    }
    out
}

/// The comment, the module line and the ports.
fn header(table: &Table, comments: &Comments) -> String {
    let module = table.module;
    let mut text = match &module.label {
        Some(label) if label.parameters.is_empty() => format!("// {}\n", label.name),
        Some(label) => {
            let parameters: Vec<String> =
                label.parameters.iter().map(|(key, value)| format!("{key} = {value}")).collect();
            format!("// {}: {}\n", label.name, parameters.join(", "))
        }
        None => format!("// {}\n", module.name),
    };
    text.push_str(&format!("module {} (\n", module.name));
    let ports: Vec<(SignalId, _)> = module.ports().collect();
    let widest = ports.iter().map(|(_, port)| range(port.width).len()).max().unwrap_or(0);
    let last = ports.len().saturating_sub(1);
    for (at, (id, port)) in ports.iter().enumerate() {
        let entry = table.entry(*id);
        let direction = match (&port.kind, entry.net) {
            (SignalKind::Input, _) => "input  wire",
            (SignalKind::InOut, _) => "inout  wire",
            (_, Net::Reg) => "output reg ",
            _ => "output wire",
        };
        let comma = if at == last { "" } else { "," };
        let comment = fields(entry);
        for line in comments.get(&port.path).into_iter().flat_map(|comment| comment.lines()) {
            text.push_str(&format!("    // {line}\n"));
        }
        text.push_str(&format!(
            "    {}{direction} {:widest$}{}{comma}{comment}\n",
            entry.attributes,
            range(port.width),
            entry.name
        ));
    }
    text.push_str(");\n");
    text
}

/// The fields of a struct as a comment, or nothing.
fn fields(entry: &Entry) -> String {
    let Shape::Struct(fields) = entry.shape else { return String::new() };
    let list: Vec<String> = fields
        .iter()
        .rev()
        .map(|field| match field.width {
            1 => format!("{} [{}]", field.name, field.offset),
            _ => format!("{} [{}:{}]", field.name, field.offset + field.width - 1, field.offset),
        })
        .collect();
    format!("  // {}", list.join(", "))
}

/// Constants and enumeration values that the text uses.
fn localparams(table: &Table) -> Vec<String> {
    let constants = table.iter().filter(|(_, entry)| entry.net == Net::Constant && !entry.used.is_zero());
    let mut lines: Vec<String> = constants
        .filter_map(|(id, entry)| Some(element::localparam(&entry.name, &table.constant(id)?)))
        .collect();
    lines.extend(table.enumerations().map(|(name, value)| element::localparam(name, value)));
    lines
}

/// Declarations of everything that is neither port nor constant.
fn declared(table: &Table) -> Vec<String> {
    let is_port = |id: SignalId| table.is_own(id) && table.module.signal(id).kind.is_port();
    table
        .iter()
        .filter(|(id, _)| !is_port(*id))
        .filter_map(|(_, entry)| {
            let keyword = match entry.net {
                Net::Wire => "wire",
                Net::Reg => "reg",
                Net::Constant | Net::Alias | Net::Inline => return None,
            };
            let (range, comment) = (range(entry.width), fields(entry));
            Some(format!("{}{keyword} {range}{};{comment}", entry.attributes, entry.name))
        })
        .collect()
}

/// What nothing reads is gathered in one wire, so that a linter's list of unused signals stays empty.
fn unused(table: &mut Table) -> Vec<String> {
    let names: Vec<String> = table
        .iter()
        .filter(|(id, entry)| match entry.net {
            Net::Constant | Net::Alias => false,
            _ if table.is_own(*id) => {
                let kind = &table.module.signal(*id).kind;
                !matches!(kind, SignalKind::Output | SignalKind::InOut)
            }
            _ => true,
        })
        .filter(|(_, entry)| entry.used != Value::ones(entry.width))
        .map(|(_, entry)| entry.name.clone())
        .collect();
    if names.is_empty() {
        return vec![];
    }
    let name = table.names.exact("unused_bits");
    let mut lines = vec!["// Bits that nothing reads.".to_owned(), format!("wire {name} = &{{1'b0")];
    for name in names {
        let line = lines.len() - 1;
        lines[line].push(',');
        match lines[line].len() + name.len() > 100 {
            true => lines.push(format!("    {name}")),
            false => lines[line].push_str(&format!(" {name}")),
        }
    }
    if let Some(last) = lines.last_mut() {
        last.push_str("};");
    }
    lines
}

fn foreign_module(table: &Table, foreign: &Foreign, comments: &Comments) -> String {
    let mut text = header(table, comments);
    text.push('\n');
    text.push_str(foreign.body.trim_matches('\n'));
    text.push_str("\n\nendmodule\n");
    text
}
