//! A module of its own for every stop.
//!
//! Instances with equal structure share a module, and flattening keeps one of several names of a wire, which may be that of the stop
//! after it. When each stop has lines of its own, a cell's line says for certain which stop it belongs to.

use std::collections::BTreeMap;
use std::fmt::Write;

/// The text with a copy of its module for every instance that `chosen` names.
pub fn unshare(verilog: &str, chosen: impl Fn(&str) -> bool) -> String {
    let modules = modules(verilog);
    let mut copies = String::new();
    let mut text = String::with_capacity(2 * verilog.len());
    for line in verilog.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [module, instance, "("] if chosen(instance) && modules.contains_key(module) => {
                let own = format!("{module}__{instance}");
                text += &line.replacen(module, &own, 1);
                if let Some(body) = modules.get(module) {
                    let head = format!("module {module} (");
                    let _ = write!(copies, "\n{}", body.replacen(&head, &format!("module {own} ("), 1));
                }
            }
            _ => text += line,
        }
        text.push('\n');
    }
    text + &copies
}

/// The text of every module, by name.
fn modules(verilog: &str) -> BTreeMap<&str, String> {
    let mut modules = BTreeMap::new();
    let mut current: Option<(&str, String)> = None;
    for line in verilog.lines() {
        if let Some(name) = line.strip_prefix("module ").and_then(|rest| rest.split_whitespace().next()) {
            current = Some((name, String::new()));
        }
        if let Some((_, body)) = &mut current {
            let _ = writeln!(body, "{line}");
        }
        if line.starts_with("endmodule") {
            modules.extend(current.take());
        }
    }
    modules
}

/// The instance whose own module each line of the text is in.
pub fn owners(text: &str) -> Vec<Option<&str>> {
    let mut owner = None;
    let mut result = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("module ").and_then(|rest| rest.split_whitespace().next()) {
            owner = name.split_once("__").map(|(_, instance)| instance);
        }
        result.push(owner);
    }
    result
}

/// The register that an `always` block beginning in line `at` assigns.
pub fn register_of_lines<'t>(lines: &[&'t str], at: usize) -> Option<&'t str> {
    lines.iter().skip(at).take(2).find_map(|line| register_of_line(line))
}

/// The register that a line of the text assigns.
pub fn register_of_line(line: &str) -> Option<&str> {
    line.split_once(" <= ")?.0.split_whitespace().last()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chosen_instances_have_modules_of_their_own() {
        let text = "module leaf (\n    input a\n);\n    always @(posedge clock) q <= d;\nendmodule\n\
                    module top (\n);\n    leaf cw_0 (\n    );\n    leaf cw_1 (\n    );\n    leaf other (\n    );\nendmodule\n";
        let own = unshare(text, |instance| instance.starts_with("cw_"));
        for part in [
            "module leaf (",
            "module leaf__cw_0 (",
            "module leaf__cw_1 (",
            "    leaf__cw_1 cw_1 (",
            "    leaf other (",
        ] {
            assert_eq!(own.matches(part).count(), 1, "{part}: {own}");
        }
        assert_eq!(own.matches("q <= d;").count(), 3);
        assert_eq!(unshare(text, |_| false), text);
        assert_eq!(register_of_line("    always @(posedge clock) q <= d;"), Some("q"));
        assert_eq!(register_of_line("    assign a = b;"), None);
        let lines = ["always @(posedge clock) begin", "    if (clear) held <= 1'h0;", "end"];
        assert_eq!([0, 1, 2].map(|at| register_of_lines(&lines, at)), [Some("held"), Some("held"), None]);
        let own = owners("module a (\n);\nmodule a__cw_1 (\n);\nmodule b (");
        assert_eq!(own, [None, None, Some("cw_1"), Some("cw_1"), None]);
    }
}
