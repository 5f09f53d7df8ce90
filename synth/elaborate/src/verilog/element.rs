//! Registers and instances as text.

use super::table::{literal, Net, Table};
use crate::graph::{Design, Instance, Register, SignalKind};

/// The declaration-side marks of a register: its output is a `reg` with the register's attributes.
pub fn declare_register(table: &mut Table, register: &Register) {
    let attributes: Vec<String> =
        register.attributes.iter().map(|(key, value)| format!("{key} = \"{value}\"")).collect();
    let entry = table.entry_mut(register.q);
    entry.net = Net::Reg;
    if !attributes.is_empty() {
        entry.attributes = format!("(* {} *) ", attributes.join(", "));
    }
}

/// The power-on value and the `always` block of a register.
pub fn register(table: &mut Table, register: &Register) -> Vec<String> {
    let q = table.entry(register.q).name.clone();
    let shape = table.entry(register.q).shape;
    let initial = table.literal(&register.initial, shape);
    let clock = table.read_all(register.clock);
    let d = table.read_all(register.d);
    let enable = register.enable.map(|id| table.read_all(id)).filter(|text| text != "1'b1");
    let clear = register.clear.map(|id| table.read_all(id)).filter(|text| text != "1'b0");
    let mut lines = vec![format!("initial {q} = {initial};")];
    let load = match enable {
        Some(enable) => format!("if ({enable}) {q} <= {d};"),
        None => format!("{q} <= {d};"),
    };
    match clear {
        Some(clear) => lines.extend([
            format!("always @(posedge {clock}) begin"),
            format!("    if ({clear}) {q} <= {initial};"),
            format!("    else {load}"),
            "end".into(),
        ]),
        None => lines.push(format!("always @(posedge {clock}) {load}")),
    }
    lines
}

/// An instance, connected by name.
pub fn instance(table: &mut Table, design: &Design, instance: &Instance) -> Vec<String> {
    let child = design.module(instance.module);
    let connections: Vec<String> = child
        .ports()
        .zip(&instance.ports)
        .map(|((_, port), id)| {
            let name = match port.kind {
                SignalKind::Output => table.entry(*id).name.clone(),
                _ => table.read_all(*id),
            };
            format!("    .{}({name})", port.name)
        })
        .collect();
    let mut lines = vec![format!("{} {} (", child.name, instance.name)];
    let last = connections.len().saturating_sub(1);
    lines.extend(
        connections.into_iter().enumerate().map(|(at, line)| if at == last { line } else { line + "," }),
    );
    lines.push(");".into());
    lines
}

/// `name = value` for a `localparam` of the given width.
pub fn localparam(name: &str, value: &crate::value::Value) -> String {
    match value.width() {
        1 => format!("localparam [0:0] {name} = {};", literal(value)),
        width => format!("localparam [{}:0] {name} = {};", width - 1, literal(value)),
    }
}
