//! A block's Verilog as a function from inputs and registers to outputs and next registers.

use crate::crc_formal::yosys::run;
use flitforge_elaborate::verilog::DIGEST_BYTES;
use serde_json::{json, Map, Value};
use std::collections::BTreeMap;
use std::path::Path;

/// A register of the block, those of flattened children with `.` for `__` in their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// Bits.
    pub width: usize,
    /// Power-on value, binary.
    pub initial: String,
    /// Net of its clock.
    pub clock: String,
}

/// Something that stands in both texts and is left as it is: a child or a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Module or kind with its parameters.
    pub what: String,
}

/// The block without its registers and common parts. In the module of the same name, registers are ports `register_now_NAME` and `register_next_NAME`,
/// the pins of parts are ports `part_NAME_PIN`.
#[derive(Clone, Debug)]
pub struct Core {
    /// Ports of the block and pins of its parts: name to direction and width.
    pub ports: BTreeMap<String, (bool, usize)>,
    /// By name.
    pub registers: BTreeMap<String, Register>,
    /// By name.
    pub parts: BTreeMap<String, Part>,
}

/// A module's name without the digest of its contents.
fn stem(module: &str) -> &str {
    match module.rsplit_once('_') {
        Some((stem, end))
            if end.len() == 2 * DIGEST_BYTES && end.bytes().all(|byte| byte.is_ascii_hexdigit()) =>
        {
            stem
        }
        _ => module,
    }
}

/// A child of the block.
#[derive(Clone, Debug)]
pub struct Child {
    /// Its module.
    pub module: String,
}

impl PartialEq for Child {
    /// Whatever is in it.
    fn eq(&self, other: &Self) -> bool {
        stem(&self.module) == stem(&other.module)
    }
}

/// The children of `top` by instance.
pub fn children(yosys: &Path, folder: &Path, name: &str, top: &str) -> BTreeMap<String, Child> {
    let script = format!(
        "read_verilog {name}.v\nhierarchy -check -top {top}\nblackbox * {top} %d\nproc\nwrite_json {name}.tree.json\n"
    );
    let netlist = netlist(yosys, folder, &format!("{name}.tree"), &script);
    let cells = netlist["modules"][top]["cells"].as_object().cloned().unwrap_or_default();
    let children = cells.iter().filter(|(_, cell)| !text(&cell["type"]).starts_with('$'));
    children.map(|(name, cell)| (name.clone(), Child { module: text(&cell["type"]).into() })).collect()
}

/// Writes `NAME.core.json` with the module `NAME`; the children `kept` are parts, all others are flattened.
pub fn core(yosys: &Path, folder: &Path, name: &str, top: &str, kept: &[&Child]) -> Core {
    let keep: String = kept.iter().map(|child| format!("blackbox {}\n", child.module)).collect();
    let script = format!(
        "read_verilog {name}.v\nhierarchy -check -top {top}\n{keep}proc\nmemory_collect\nflatten\ncheck -assert\n\
         dffunmap\nopt_clean\nwrite_json {name}.flat.json\n"
    );
    let netlist = netlist(yosys, folder, &format!("{name}.flat"), &script);
    let mut module = netlist["modules"][top].clone();
    let names = initialised(&module["netnames"]);
    let clocks = named(&module);
    let mut cells = module["cells"].as_object().cloned().expect("cells");
    let mut core = Core { ports: BTreeMap::new(), registers: BTreeMap::new(), parts: BTreeMap::new() };
    let mut more = Map::new();
    cells.retain(|cell_name, cell| {
        let kind = text(&cell["type"]);
        match kind {
            "$dff" => {
                let pins = &cell["connections"];
                assert!(
                    text(&cell["parameters"]["CLK_POLARITY"]).ends_with('1'),
                    "{cell_name}: falling edge"
                );
                let (q, d) = (&pins["Q"], &pins["D"]);
                let key = pins["Q"].to_string();
                let (name, initial) =
                    names.get(&key).unwrap_or_else(|| panic!("{cell_name} has no power-on value"));
                assert!(initial.bytes().all(|bit| matches!(bit, b'0' | b'1')), "{name} starts undefined");
                let clock = clocks
                    .get(&pins["CLK"].to_string())
                    .cloned()
                    .unwrap_or_else(|| panic!("clock of {name}"));
                let name = name.replace('.', "__");
                more.insert(format!("register_now_{name}"), json!({ "direction": "input", "bits": q }));
                more.insert(format!("register_next_{name}"), json!({ "direction": "output", "bits": d }));
                core.registers
                    .insert(name, Register { width: initial.len(), initial: initial.clone(), clock });
                false
            }
            _ if kind.starts_with("$mem") || !kind.starts_with('$') => {
                let name = match kind.starts_with("$mem") {
                    true => text(&cell["parameters"]["MEMID"]).trim_start_matches('\\').replace('.', "__"),
                    false => cell_name.replace('.', "__"),
                };
                let pins = cell["connections"].as_object().expect("pins");
                for (pin, connected) in pins {
                    let is_output = text(&cell["port_directions"][pin]) == "output";
                    let direction = if is_output { "input" } else { "output" };
                    more.insert(
                        format!("part_{name}_{pin}"),
                        json!({ "direction": direction, "bits": connected }),
                    );
                }
                core.parts.insert(name, Part { what: format!("{} {}", stem(kind), cell["parameters"]) });
                false
            }
            _ => {
                let stateful = ["ff", "latch"].iter().any(|part| kind.contains(part));
                assert!(!stateful, "{cell_name} is a {kind}");
                true
            }
        }
    });
    for (port, value) in module["ports"].as_object().expect("ports").iter().chain(more.iter()) {
        let width = bits(&value["bits"]).len();
        if !port.starts_with("register_now_") && !port.starts_with("register_next_") {
            core.ports.insert(port.clone(), (text(&value["direction"]) == "output", width));
        }
    }
    module["ports"].as_object_mut().expect("ports").extend(more);
    module["cells"] = cells.into();
    module["netnames"] = json!({});
    module["attributes"] = json!({});
    let modules = json!({ "creator": netlist["creator"], "modules": { name: module } });
    std::fs::write(folder.join(format!("{name}.core.json")), modules.to_string()).expect("core");
    core
}

fn netlist(yosys: &Path, folder: &Path, name: &str, script: &str) -> Value {
    let (succeeded, said) = run(yosys, folder, name, script);
    assert!(succeeded, "{said}");
    let text = std::fs::read_to_string(folder.join(format!("{name}.json"))).expect("a netlist");
    serde_json::from_str(&text).expect("JSON")
}

/// Nets with a power-on value, by their bits.
fn initialised(nets: &Value) -> BTreeMap<String, (String, String)> {
    let nets = nets.as_object().expect("nets");
    let initial = |net: &Value| net["attributes"]["init"].as_str().map(str::to_string);
    let named =
        |(name, net): (&String, &Value)| Some((net["bits"].to_string(), (name.clone(), initial(net)?)));
    nets.iter().filter_map(named).collect()
}

/// Nets by their bits, ports first.
fn named(module: &Value) -> BTreeMap<String, String> {
    let of = |part: &str| module[part].as_object().cloned().expect("named things");
    let named = of("netnames").into_iter().chain(of("ports"));
    named.map(|(name, net)| (net["bits"].to_string(), name)).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn bits(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}
