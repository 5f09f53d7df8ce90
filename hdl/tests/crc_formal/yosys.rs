//! Running yosys, and the next-state function of an emitted block.

use flitforge_sim::{tools, SimError};
use serde_json::{json, Value};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// What yosys says about a miter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Its outputs are 0 for all inputs.
    Proved,
    /// There are inputs for which one is 1.
    Refuted,
}

/// How a miter is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Binary decision diagrams, which are small where the sums cancel: for proofs.
    Diagrams,
    /// SAT search: quick at finding a counterexample, hopeless at proving that XOR sums are the same.
    Search,
}

/// Seconds of search.
const PATIENCE: u32 = 60;

/// A yosys that runs `abc` scripts, or `None` with a visible line (a failure where `CI` is set).
pub fn yosys(what: &str) -> Option<PathBuf> {
    let found = tools::find("yosys").and_then(|yosys| match runs_abc(&yosys, what) {
        true => Ok(yosys),
        false => Err(SimError::ToolMissing { tool: "yosys that runs abc scripts".into() }),
    });
    tools::skip_if_missing(found, what).expect("yosys")
}

/// The WebAssembly build ends at the first `abc`, and calls that a success.
fn runs_abc(yosys: &Path, what: &str) -> bool {
    let folder = folder(&format!("probe {what}"));
    std::fs::write(
        folder.join("probe.v"),
        "module probe(input a, b, output y); assign y = a ^ b; endmodule\n",
    )
    .expect("Verilog");
    let script = "read_verilog probe.v\ntechmap\nabc -g AND -script +strash\nlog behind abc\n";
    run(yosys, &folder, "probe", script).1.contains("behind abc")
}

/// A fresh folder for one proof.
pub fn folder(name: &str) -> PathBuf {
    let folder = tools::target_directory().join("formal").join(name);
    std::fs::create_dir_all(&folder).expect("a folder in target");
    folder
}

/// Runs a script in a folder: whether yosys was content, and what it said.
pub fn run(yosys: &Path, folder: &Path, name: &str, script: &str) -> (bool, String) {
    let file = format!("{name}.ys");
    std::fs::write(folder.join(&file), script).expect("script");
    let output = Command::new(yosys).arg(&file).current_dir(folder).output().expect("yosys starts");
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    std::fs::write(folder.join(format!("{name}.log")), text.as_bytes()).expect("log");
    (output.status.success(), text.into_owned())
}

/// A block as a combinational function, in `core.json` of a folder.
pub struct Core {
    /// Bits of its registers, the state not counted.
    pub registers: usize,
    /// Power-on value of the state.
    pub initial: u64,
}

/// Writes `core.json`: the emitted block `top`, its flip-flops replaced by the ports `register_now` and
/// `register_next`, those of the signal `state_q` by `state_now` and `state_next`.
pub fn core(yosys: &Path, folder: &Path, top: &str, verilog: &str) -> Core {
    std::fs::write(folder.join("block.v"), verilog).expect("Verilog");
    let script = format!(
        "read_verilog block.v\nhierarchy -check -top {top}\nproc\nflatten\ncheck -assert\ndffunmap\n\
         opt_clean -purge\nwrite_json flat.json\n"
    );
    let (succeeded, text) = run(yosys, folder, "core", &script);
    assert!(succeeded, "{text}");
    let text = std::fs::read_to_string(folder.join("flat.json")).expect("flat.json");
    let mut netlist: Value = serde_json::from_str(&text).expect("JSON");
    let mut module = netlist["modules"][top].take();
    let clock = module["ports"]["clock"]["bits"].clone();
    let state = bits(&module["netnames"]["state_q"]["bits"]);
    let initial = module["netnames"]["state_q"]["attributes"]["init"].as_str().expect("initial value");
    let initial = u64::from_str_radix(initial, 2).expect("binary");
    let mut next_of = vec![];
    let cells = module["cells"].as_object_mut().expect("cells");
    cells.retain(|name, cell| {
        let kind = cell["type"].as_str().expect("type").to_string();
        let connections = &cell["connections"];
        let undefined =
            connections.as_object().expect("pins").values().any(|pin| bits(pin).contains(&json!("x")));
        assert!(!undefined, "{name} has an undefined input");
        if kind != "$dff" {
            let known = !["ff", "latch", "mem"].iter().any(|part| kind.contains(part));
            assert!(known && kind.starts_with('$'), "{name} is a {kind}");
            return true;
        }
        assert_eq!(connections["CLK"], clock, "{name}");
        assert!(cell["parameters"]["CLK_POLARITY"].as_str().is_some_and(|bit| bit.ends_with('1')), "{name}");
        next_of.extend(bits(&connections["Q"]).into_iter().zip(bits(&connections["D"])));
        false
    });
    let (state_of, others): (Vec<_>, Vec<_>) = next_of.into_iter().partition(|(now, _)| state.contains(now));
    assert_eq!(state_of.len(), state.len(), "the state is a register");
    let next = |bit: &Value| state_of.iter().find(|(now, _)| now == bit).map(|(_, next)| next.clone());
    let next: Vec<Value> = state.iter().map(|bit| next(bit).expect("a register")).collect();
    let (now, then): (Vec<Value>, Vec<Value>) = others.into_iter().unzip();
    let registers = now.len();
    for (name, direction, bits) in [
        ("register_now", "input", now),
        ("register_next", "output", then),
        ("state_now", "input", state),
        ("state_next", "output", next),
    ] {
        module["ports"][name] = json!({ "direction": direction, "bits": bits });
    }
    // Names and power-on values have done their duty.
    module["netnames"] = json!({});
    module["attributes"] = json!({});
    let core = json!({ "creator": netlist["creator"], "modules": { "core": module } });
    std::fs::write(folder.join("core.json"), core.to_string()).expect("core.json");
    Core { registers, initial }
}

fn bits(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

/// Asks whether a miter over the `core.json` of `folder` is 0 for all inputs.
pub fn prove(
    yosys: &Path,
    folder: &Path,
    miter: &str,
    parameters: &[(&str, u64)],
    method: Method,
) -> (Verdict, Duration) {
    std::fs::write(folder.join("serial.vh"), include_str!("serial.vh")).expect("serial.vh");
    std::fs::write(folder.join("miter.v"), miter).expect("miter.v");
    let parameters: String =
        parameters.iter().map(|(name, value)| format!(" -chparam {name} {value}")).collect();
    let reduction = match method {
        Method::Diagrams => "strash;collapse;strash",
        Method::Search => "strash",
    };
    let script = format!(
        "read_json core.json\nread_verilog -defer miter.v\nhierarchy -check -top miter{parameters}\nproc\nflatten\n\
         rename -top miter\ncheck -assert\nopt_clean\ntechmap\nopt\nabc -g AND -script +{reduction}\n\
         opt_clean\nsat -timeout {PATIENCE} -verify -prove bad 0\n"
    );
    let begun = Instant::now();
    let (succeeded, text) = run(yosys, folder, "proof", &script);
    let verdict = match succeeded {
        true if text.contains("no model found: SUCCESS!") => Verdict::Proved,
        false if text.contains("model found: FAIL!") => Verdict::Refuted,
        _ => panic!("no verdict in {}:\n{text}", folder.display()),
    };
    (verdict, begun.elapsed())
}
