//! Two cores side by side.

use super::core::Core;
use std::collections::BTreeMap;
use std::fmt::Write;

/// How the registers before follow from those after. A file beside the text before, a line each, in Verilog over the registers after:
///
/// - `old = expression`: the register `old`; where there is no line, the register of the same name after;
/// - `always expression`: holds in every state that can be reached, and is proved to;
/// - `open child`: a child of both that has changed: what is in it is compared, too;
/// - `assume expression`: what the block may rely on, over its inputs, the pins of its parts and its registers.
///
/// A register of a child is `child.register`.
#[derive(Clone, Debug, Default)]
pub struct Relation {
    registers: BTreeMap<String, String>,
    /// Children that are looked into.
    pub open: Vec<String>,
    invariants: Vec<String>,
    assumptions: Vec<String>,
}

impl Relation {
    /// The relation of such a text; `#` begins a remark.
    pub fn new(text: &str) -> Self {
        let mut relation = Self::default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let line = line.replace('.', "__");
            if let Some(what) = line.strip_prefix("always ") {
                relation.invariants.push(what.into());
            } else if let Some(what) = line.strip_prefix("assume ") {
                relation.assumptions.push(what.into());
            } else if let Some(child) = line.strip_prefix("open ") {
                relation.open.push(child.into());
            } else {
                let (old, new) = line.split_once(" = ").expect("`old = expression`");
                relation.registers.insert(old.trim().into(), new.trim().into());
            }
        }
        relation
    }

    /// Of one register before: an expression over those after.
    fn of<'a>(&'a self, old: &'a str) -> &'a str {
        self.registers.get(old).map_or(old, String::as_str)
    }

    /// Refuses a relation that leaves a register out, and one over clocks that are not the register's own.
    fn check(&self, before: &Core, after: &Core) {
        for (old, register) in &before.registers {
            let names: Vec<&str> =
                words(self.of(old)).filter(|word| after.registers.contains_key(*word)).collect();
            assert!(!names.is_empty(), "no register after gives `{old}`: name those that do in its relation");
            for new in names {
                assert_eq!(after.registers[new].clock, register.clock, "clock of {old} and {new}");
            }
        }
    }
}

fn words(expression: &str) -> impl Iterator<Item = &str> {
    expression.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
}

fn range(width: usize) -> String {
    format!("[{}:0]", width - 1)
}

/// The miter: its output `bad` is 1 if a state after, its relation to one before, and inputs are found for which outputs differ or the
/// relation does not hold a clock later; its output `bad_start` is 1 if it does not hold at power-on.
pub fn text(before: &Core, after: &Core, relation: &Relation) -> String {
    assert_eq!(before.ports, after.ports, "ports, or pins of common parts");
    assert_eq!(before.parts, after.parts, "common parts");
    relation.check(before, after);
    let mut out = related(before, after, relation);
    let inputs = || before.ports.iter().filter(|(_, (is_output, _))| !is_output);
    let outputs = || before.ports.iter().filter(|(_, (is_output, _))| *is_output);

    let mut ports: Vec<String> =
        inputs().map(|(name, (_, width))| format!("input {} {name}", range(*width))).collect();
    ports.extend(
        after.registers.iter().map(|(name, register)| format!("input {} {name}", range(register.width))),
    );
    ports.push("output bad, output bad_start".into());
    let _ = writeln!(out, "module miter({});", ports.join(", "));
    let mut differences = vec![];
    for (side, core) in [("before", before), ("after", after)] {
        let mut pins: Vec<String> = inputs().map(|(name, _)| format!(".{name}({name})")).collect();
        for (name, (_, width)) in outputs() {
            let _ = writeln!(out, "wire {} {side}_{name};", range(*width));
            pins.push(format!(".{name}({side}_{name})"));
        }
        for (name, register) in &core.registers {
            let _ = writeln!(out, "wire {} then_{side}_{name};", range(register.width));
            let now = if side == "after" { name.clone() } else { format!("related_{name}") };
            pins.push(format!(".register_now_{name}({now}), .register_next_{name}(then_{side}_{name})"));
        }
        let _ = writeln!(out, "{side} {side}({});", pins.join(", "));
    }
    differences.extend(outputs().map(|(name, _)| format!("(before_{name} != after_{name})")));
    let mut starts = vec![];
    for (time, of_new) in [("related", ""), ("then", "then_after_"), ("start", "")] {
        let given = |name: &String| match time {
            "start" => format!("{}'b{}", after.registers[name].width, after.registers[name].initial),
            _ => format!("{of_new}{name}"),
        };
        let mut pins: Vec<String> =
            after.registers.keys().map(|name| format!(".{name}({})", given(name))).collect();
        for (name, register) in &before.registers {
            let _ = writeln!(out, "wire {} {time}_{name};", range(register.width));
            pins.push(format!(".before_{name}({time}_{name})"));
        }
        pins.push(format!(".holds({time}_holds)"));
        let _ = writeln!(out, "wire {time}_holds;\nrelated {time}({});", pins.join(", "));
    }
    for (name, register) in &before.registers {
        differences.push(format!("(then_before_{name} != then_{name})"));
        starts.push(format!("(start_{name} != {}'b{})", register.width, register.initial));
    }
    differences.push("!then_holds".into());
    starts.push("!start_holds".into());
    let assumed: String = relation.assumptions.iter().map(|what| format!(" && ({what})")).collect();
    let _ = writeln!(out, "assign bad = related_holds{assumed} && ({});", differences.join(" || "));
    let _ = writeln!(out, "assign bad_start = {};\nendmodule", starts.join(" || "));
    out
}

/// The module `related`: registers before, and whether all invariants hold, from registers after.
fn related(before: &Core, after: &Core, relation: &Relation) -> String {
    let news =
        after.registers.iter().map(|(name, register)| format!("input {} {name}", range(register.width)));
    let olds = before
        .registers
        .iter()
        .map(|(name, register)| format!("output {} before_{name}", range(register.width)));
    let ports: Vec<String> = news.chain(olds).chain(["output holds".to_string()]).collect();
    let mut out = format!("module related({});\n", ports.join(", "));
    for name in before.registers.keys() {
        let _ = writeln!(out, "assign before_{name} = {};", relation.of(name));
    }
    let invariants: String = relation.invariants.iter().map(|what| format!(" && ({what})")).collect();
    let _ = writeln!(out, "assign holds = 1'b1{invariants};\nendmodule");
    out
}
