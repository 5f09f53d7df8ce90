//! Lint: Verilator with all warnings, Yosys' check (drivers, loops), no latches.

use super::cache::WorkDirectory;
use crate::error::{FlowError, FlowResult};
use crate::process::ToolRun;
use crate::source::Source;
use crate::tools::Toolbox;
use serde::Deserialize;
use std::path::Path;

/// The text of `synth/lint.toml`.
pub const LINT_TOML: &str = include_str!("../../../lint.toml");

/// A rule that is switched off, and why.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exception {
    /// Verilator's code of the warning.
    pub code: String,
    /// Why it does not hold here.
    pub reason: String,
    /// Only in instances of this name (the top module's name for the top).
    pub module: Option<String>,
}

/// All exceptions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LintRules {
    /// The list.
    #[serde(rename = "accepted")]
    pub exceptions: Vec<Exception>,
}

impl LintRules {
    /// The embedded rules.
    pub fn embedded() -> FlowResult<LintRules> {
        LintRules::parse("synth/lint.toml", LINT_TOML)
    }

    /// From text; an exception without a reason is refused.
    pub fn parse(file: &str, text: &str) -> FlowResult<LintRules> {
        let rules: LintRules = crate::data::parse(file, text)?;
        for exception in &rules.exceptions {
            if exception.reason.trim().len() < 10 {
                return Err(FlowError::Data {
                    file: file.into(),
                    line: crate::data::line_containing(text, &format!("code = \"{}\"", exception.code)),
                    message: format!(
                        "exception `{}` gives no reason; say why the rule does not hold",
                        exception.code
                    ),
                });
            }
        }
        Ok(rules)
    }

    /// Verilator's configuration file.
    fn verilator_configuration(&self) -> String {
        // One file holds several modules, so exceptions for one module are filtered from the findings instead.
        let general = self.exceptions.iter().filter(|e| e.module.is_none());
        format!(
            "`verilator_config\n{}",
            general.map(|e| format!("lint_off -rule {}\n", e.code)).collect::<String>()
        )
    }

    /// True when an exception for one module covers the finding; `module` names the last instance of its path.
    fn covers(&self, finding: &str) -> bool {
        self.exceptions.iter().any(|e| match &e.module {
            Some(module) => {
                let at = finding.split_once("(in instance '").map_or("", |(_, i)| i.trim_end_matches("')"));
                finding.starts_with(&format!("warning {}: ", e.code)) && at.rsplit('.').next() == Some(module)
            }
            None => false,
        })
    }
}

/// The digest (SHA-256, hexadecimal) of all that a lint depends on: text, top module, rules, versions of tools, and how
/// they are run, for which this file stands.
pub fn lint_digest(source: &Source, rules: &LintRules, toolbox: &Toolbox) -> String {
    let (rules, versions) = (format!("{rules:?}"), format!("{:?}", toolbox.versions()));
    crate::data::hash_of(&[
        include_bytes!("lint.rs"),
        source.verilog.as_bytes(),
        source.top.as_bytes(),
        rules.as_bytes(),
        versions.as_bytes(),
    ])
}

/// Lints a source; findings that no exception covers are an error that lists them all.
pub fn lint(source: &Source, rules: &LintRules, toolbox: &Toolbox, work: &WorkDirectory) -> FlowResult<()> {
    source.check()?;
    let versions = format!("{:?}", toolbox.versions());
    let configuration = rules.verilator_configuration();
    let inputs =
        [source.verilog.as_bytes(), source.top.as_bytes(), configuration.as_bytes(), versions.as_bytes()];
    let finished = work.run("lint", &inputs, |directory| {
        let write = |name: &str, text: &str| {
            let path = directory.join(name);
            std::fs::write(&path, text).map_err(FlowError::file("write", path))
        };
        write("block.v", &source.verilog)?;
        write("rules.vlt", &configuration)?;
        let mut findings = verilator(source, toolbox, directory)?;
        if !findings.iter().any(|f| f.starts_with("error")) {
            findings.extend(yosys_check(source, toolbox, directory)?);
        }
        write("findings.txt", &findings.join("\n"))
    })?;
    let findings: Vec<String> =
        finished.read("findings.txt")?.lines().filter(|f| !rules.covers(f)).map(String::from).collect();
    match findings.is_empty() {
        true => Ok(()),
        false => Err(FlowError::Lint { block: source.top.clone(), findings }),
    }
}

fn verilator(source: &Source, toolbox: &Toolbox, directory: &Path) -> FlowResult<Vec<String>> {
    let arguments = [
        "--lint-only",
        "-Wall",
        "--default-language",
        "1364-2005",
        "--top-module",
        &source.top,
        "rules.vlt",
        "block.v",
    ];
    let run = ToolRun {
        tool: "verilator",
        program: toolbox.path("verilator")?,
        arguments: arguments.map(String::from).to_vec(),
        directory,
        subject: &source.top,
        log: "verilator.log",
        path_front: toolbox.path_front(),
    };
    let (ok, status, log) = run.run_any()?;
    let findings = verilator_findings(&log);
    if !ok && findings.is_empty() {
        let excerpt = crate::process::excerpt(&log);
        let log = directory.join("verilator.log").display().to_string();
        return Err(FlowError::ToolFailed {
            tool: "verilator".into(),
            status,
            subject: source.top.clone(),
            excerpt,
            log,
        });
    }
    Ok(findings)
}

/// One line per finding: `warning RULE: place: text` or `error: place: text`, with the instance it was found in.
fn verilator_findings(log: &str) -> Vec<String> {
    let mut findings: Vec<String> = Vec::new();
    for line in log.lines() {
        if let Some(rest) = line.strip_prefix("%Warning-") {
            let (rule, text) = rest.split_once(": ").unwrap_or((rest, ""));
            findings.push(format!("warning {rule}: {text}"));
        } else if let Some(rest) = line.strip_prefix("%Error") {
            if !rest.contains("Exiting due to") {
                findings.push(format!("error{rest}"));
            }
        } else if let (Some((_, instance)), Some(last)) =
            (line.split_once("In instance "), findings.last_mut())
        {
            last.push_str(&format!(" (in instance {instance})"));
        }
    }
    findings
}

fn yosys_check(source: &Source, toolbox: &Toolbox, directory: &Path) -> FlowResult<Vec<String>> {
    let script = format!(
        "read_verilog block.v\nhierarchy -check -top {}\nproc\nopt_clean\ncheck\n\
         tee -q -o latches.txt select -list t:$dlatch t:$adlatch t:$dlatchsr\n",
        source.top
    );
    let path = directory.join("check.ys");
    std::fs::write(&path, script).map_err(FlowError::file("write", &path))?;
    let run = ToolRun {
        tool: "yosys",
        program: toolbox.path("yosys")?,
        arguments: ["-q", "-l", "yosys.log", "-s", "check.ys"].map(String::from).to_vec(),
        directory,
        subject: &source.top,
        log: "console.log",
        path_front: toolbox.path_front(),
    };
    run.run()?;
    let read = |name: &str| {
        let path = directory.join(name);
        std::fs::read_to_string(&path).map_err(FlowError::file("read", path))
    };
    let mut findings: Vec<String> = super::synth::warnings(&read("yosys.log")?);
    findings.retain(|w| !w.starts_with("Selection \"t:$"));
    let mut findings: Vec<String> = findings.into_iter().map(|w| format!("check: {w}")).collect();
    findings.extend(read("latches.txt")?.lines().filter(|l| !l.is_empty()).map(|l| format!("latch: {l}")));
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_carry_rule_place_and_instance() {
        let log = "%Warning-WIDTHTRUNC: block.v:3:29: Operator ASSIGNDLY expects 3 bits\n\
                   \x20                    : ... note: In instance 'top.inner'\n\
                   %Error: block.v:9:1: syntax error\n%Error: Exiting due to 2 warning(s)\n";
        let findings = verilator_findings(log);
        assert_eq!(
            findings,
            [
                "warning WIDTHTRUNC: block.v:3:29: Operator ASSIGNDLY expects 3 bits (in instance 'top.inner')",
                "error: block.v:9:1: syntax error"
            ]
        );
    }

    #[test]
    fn an_exception_needs_a_reason() {
        let text = "[[accepted]]\ncode = \"WIDTH\"\nreason = \"\"\n";
        let message = LintRules::parse("lint.toml", text).unwrap_err().to_string();
        assert!(message.starts_with("lint.toml:2: exception `WIDTH`"), "{message}");
        let text = text.replace("\"\"", "\"widths are meant so\"");
        assert_eq!(LintRules::parse("lint.toml", &text).unwrap().exceptions.len(), 1);
        assert!(LintRules::embedded().unwrap().exceptions.is_empty(), "emitted text needs none");
    }
}
