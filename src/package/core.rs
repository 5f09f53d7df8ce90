//! FuseSoC cores (CAPI2): one for each block, one for what they share, one for each primitive.

use super::{Member, Shared, LICENCE, VERSION};
use flitforge_elaborate::verilog::Primitive;
use std::fmt::Write;

/// Text of a YAML string.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn head(name: &str, description: &str) -> String {
    format!("CAPI=2:\nname: {name}\ndescription: {}\nlicense: {}\n", quoted(description), quoted(LICENCE))
}

fn shared_name(shared: &Shared) -> String {
    format!("flitforge:shared:{}:{VERSION}", shared.name)
}

fn primitive_name(primitive: &Primitive) -> String {
    format!("flitforge:primitives:{}:{VERSION}", primitive.name.to_lowercase())
}

/// What blocks share.
pub fn shared(shared: &Shared) -> String {
    let file = format!("{}.v", shared.name);
    head(&shared_name(shared), "modules that more than one block of the folder has")
        + &format!(
            "filesets:\n  rtl:\n    files: [{file}]\n    file_type: verilogSource\n\
             targets:\n  default:\n    filesets: [rtl]\n"
        )
}

/// A primitive: its model for simulators, its stub for everything else.
pub fn primitive(primitive: &Primitive) -> String {
    let name = &primitive.name;
    let mut text = head(&primitive_name(primitive), &format!("{name} as simulators and other tools need it"));
    text += &format!("filesets:\n  stub:\n    files: [{name}_stub.v]\n    file_type: verilogSource\n");
    let filesets = match primitive.model {
        None => "[stub]",
        Some(_) => {
            text += &format!("  model:\n    files: [{name}.v]\n    file_type: verilogSource\n");
            "[\"tool_icarus? (model)\", \"!tool_icarus? (stub)\"]"
        }
    };
    text + &format!("targets:\n  default:\n    filesets: {filesets}\n")
}

/// A block, with targets that lint, simulate and synthesise it.
pub fn block(member: &Member, shared: Option<&Shared>) -> String {
    let (emitted, top) = (member.emitted, member.emitted.top());
    let name = format!("flitforge:{}:{top}:{VERSION}", emitted.entry.chapter);
    let mut depend: Vec<String> = member.parts.primitives.iter().map(primitive_name).collect();
    depend.extend(shared.map(shared_name));
    let mut text = head(&name, emitted.entry.summary);
    text += &format!("filesets:\n  rtl:\n    files: [{top}.v]\n    file_type: verilogSource\n");
    if !depend.is_empty() {
        let depend: Vec<String> = depend.iter().map(|name| quoted(name)).collect();
        let _ = writeln!(text, "    depend: [{}]", depend.join(", "));
    }
    let mut default = "[rtl]";
    if !member.crossings.is_empty() {
        text += &format!("  constraints:\n    files: [{top}.xdc]\n    file_type: xdc\n");
        default = "[rtl, \"tool_vivado? (constraints)\"]";
    }
    text += &format!("  smoke:\n    files: [{top}_smoke.v]\n    file_type: verilogSource\n");
    text + &format!(
        "targets:\n  default:\n    filesets: {default}\n    toplevel: {top}\n  \
         lint:\n    default_tool: verilator\n    filesets: [rtl]\n    toplevel: {top}\n    \
         tools:\n      verilator:\n        mode: lint-only\n        verilator_options: [-Wall]\n  \
         sim:\n    default_tool: icarus\n    filesets: [rtl, smoke]\n    toplevel: {top}_smoke\n  \
         synth:\n    default_tool: yosys\n    filesets: {default}\n    toplevel: {top}\n    \
         tools:\n      yosys:\n        arch: ecp5\n"
    )
}
