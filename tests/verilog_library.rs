//! The emitted Verilog as a library for strangers: any blocks in one design, in tools that are not ours, and as FuseSoC cores.
#![allow(clippy::expect_used)] // helpers of tests may panic

use crate::kept::{unless_kept, Kept};
use flitforge_flow::tools::Toolbox;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The tools, or a visible skip; under CI a missing tool fails.
fn tools(names: &[&str]) -> Option<Toolbox> {
    match Toolbox::locate(names) {
        Ok(toolbox) => Some(toolbox),
        Err(error) if std::env::var_os("CI").is_some() => panic!("{error}"),
        Err(error) => {
            eprintln!("SKIPPED: the library in other tools: {error}");
            None
        }
    }
}

fn flitforge(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_flitforge")).args(arguments).output().expect("started");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Runs a tool, and returns all it says; it must succeed.
fn run(toolbox: &Toolbox, tool: &str, folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(toolbox.path(tool).expect("located"));
    let given = std::env::var_os("PATH").unwrap_or_default();
    let path = toolbox.path_front().iter().cloned().chain(std::env::split_paths(&given));
    command.args(arguments).current_dir(folder).env("PATH", std::env::join_paths(path).expect("a path"));
    let output = command.output().expect("started");
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{tool} {arguments:?}: {}", &text[text.len().saturating_sub(4000)..]);
    text
}

/// Every preset, as `BLOCK:PRESET`.
fn presets() -> Vec<String> {
    let list: serde_json::Value = serde_json::from_str(&flitforge(&["list", "--json"])).expect("JSON");
    let name = |entry: &serde_json::Value| entry["name"].as_str().expect("a name").to_owned();
    let blocks = list["blocks"].as_array().expect("blocks");
    let of = |block: &serde_json::Value| {
        let block_name = name(block);
        let presets = block["presets"].as_array().expect("presets").iter();
        presets.map(move |preset| format!("{block_name}:{}", name(preset))).collect::<Vec<_>>()
    };
    blocks.iter().flat_map(of).collect()
}

/// Writes blocks into a folder below `root`.
fn written(root: &Path, name: &str, blocks: &[&str], options: &[&str]) -> PathBuf {
    let folder = root.join(name);
    let out = folder.display().to_string();
    flitforge(&[&["verilog"], blocks, options, &["--out", &out]].concat());
    folder
}

/// Names in a folder that end so, in order.
fn ending(folder: &Path, end: &str) -> Vec<String> {
    let names =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.retain(|name| name.ends_with(end));
    names.sort();
    names
}

/// The texts of blocks, without their benches.
fn texts(folder: &Path) -> Vec<String> {
    let mut names = ending(folder, ".v");
    names.retain(|name| !name.ends_with("_smoke.v"));
    names
}

/// Every module of a folder's texts, with its text.
fn modules(folder: &Path) -> BTreeMap<String, String> {
    let mut modules = BTreeMap::new();
    for file in texts(folder) {
        let text = std::fs::read_to_string(folder.join(&file)).expect("text");
        for part in text.split("\nmodule ").skip(1) {
            let name = part.split([' ', '(']).next().expect("a name").to_owned();
            let body = part.split("\nendmodule").next().expect("an end").to_owned();
            assert!(modules.insert(name.clone(), body).is_none(), "{name} is in the folder twice");
        }
    }
    modules
}

#[test]
fn all_presets_stand_in_one_elaboration() {
    let Some(toolbox) = tools(&["iverilog", "yosys", "verilator"]) else { return };
    let root = tempfile::tempdir().expect("temporary folder");
    let presets = presets();
    assert!(presets.len() > 100, "{presets:?}");
    let blocks: Vec<&str> = presets.iter().map(String::as_str).collect();
    let folder = written(root.path(), "all", &blocks, &[]);
    let tops = ending(&folder, ".json").len();
    assert_eq!(tops, presets.len(), "a folder has a top for each preset");
    assert!(modules(&folder).len() > 2 * tops, "and modules below them");
    names_suit_every_language(&folder);
    let texts = texts(&folder);
    // A design with one instance of each, so that every tool elaborates all of them.
    std::fs::write(folder.join("all_of_them.v"), one_of_each(&folder)).expect("written");
    let files: Vec<&str> = texts.iter().map(String::as_str).chain(["all_of_them.v"]).collect();
    let read = |file: &&str| std::fs::read_to_string(folder.join(file)).expect("text");
    let content: Vec<String> = files.iter().map(read).collect();
    let content: Vec<&str> = content.iter().map(String::as_str).collect();
    let kept = Kept::new("verilog_library.one_elaboration", "tests/verilog_library.rs", &content, &toolbox);
    unless_kept(&kept, || every_tool_elaborates(&folder, &files, &toolbox));
}

/// `all_of_them`, elaborated by three tools.
fn every_tool_elaborates(folder: &Path, files: &[&str], toolbox: &Toolbox) {
    let lint = ["--lint-only", "-Wall", "-Werror-MODDUP", "-Wno-MULTITOP", "--top-module", "all_of_them"];
    run(
        toolbox,
        "verilator",
        folder,
        &[&lint[..], &["-Wno-PINMISSING", "-Wno-UNUSEDSIGNAL"], files].concat(),
    );
    run(toolbox, "iverilog", folder, &[&["-g2005", "-t", "null", "-s", "all_of_them"], files].concat());
    let script = format!("read_verilog {}; hierarchy -check -top all_of_them", files.join(" "));
    let said = run(toolbox, "yosys", folder, &["-q", "-p", &script]);
    assert!(!said.contains("ERROR"), "{said}");
}

/// A VHDL design may have every top as an entity: names of modules and ports are legal there, and differ in more than case.
fn names_suit_every_language(folder: &Path) {
    for file in ending(folder, ".json") {
        let json = std::fs::read_to_string(folder.join(&file)).expect("text");
        let interface: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let ports = interface["ports"].as_array().expect("ports").iter().map(|port| &port["name"]);
        let names: Vec<&str> =
            std::iter::once(&interface["module"]).chain(ports).filter_map(|name| name.as_str()).collect();
        for name in &names {
            let plain = name.starts_with(|first: char| first.is_ascii_alphabetic())
                && !name.ends_with('_')
                && !name.contains("__");
            assert!(plain && !flitforge_elaborate::identifier::is_reserved(name), "{file}: {name}");
        }
        let mut folded: Vec<String> = names[1..].iter().map(|name| name.to_lowercase()).collect();
        folded.sort();
        folded.dedup();
        assert_eq!(folded.len(), names.len() - 1, "{file}");
    }
}

/// A module with an instance of every top of the folder, all ports open but the inputs, which are 0.
fn one_of_each(folder: &Path) -> String {
    let mut text =
        String::from("`default_nettype none\n/* verilator lint_off DECLFILENAME */\nmodule all_of_them;\n");
    for file in ending(folder, ".json") {
        let json = std::fs::read_to_string(folder.join(file)).expect("text");
        let interface: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let module = interface["module"].as_str().expect("a module");
        let ports = interface["ports"].as_array().expect("ports").iter();
        let inputs = ports.filter(|port| port["direction"] == "input");
        let connections: Vec<String> = inputs
            .map(|port| format!(".{}({}'d0)", port["name"].as_str().expect("a name"), port["width"]))
            .collect();
        text += &format!("    {module} u_{module} ({});\n", connections.join(", "));
    }
    text + "endmodule\n`default_nettype wire\n"
}

#[test]
fn folders_that_were_written_apart_share_modules_and_stand_in_one_design() {
    let Some(toolbox) = tools(&["iverilog", "yosys", "verilator"]) else { return };
    let root = tempfile::tempdir().expect("temporary folder");
    let names = ["link_ltp_tx", "link_retry_tx", "link_replay"];
    let folders: Vec<PathBuf> = names.iter().map(|name| written(root.path(), name, &[name], &[])).collect();
    let mut all: BTreeMap<String, String> = BTreeMap::new();
    let mut shared = 0;
    for (name, text) in folders.iter().flat_map(|folder| modules(folder)) {
        if let Some(known) = all.insert(name.clone(), text.clone()) {
            shared += 1;
            assert_eq!(known, text, "{name} has two texts");
        }
    }
    assert!(shared > 0, "the blocks have something in common");
    let files: Vec<String> = names.iter().map(|name| format!("{name}/{name}.v")).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    run(&toolbox, "iverilog", root.path(), &[&["-g2005", "-t", "null"], &files[..]].concat());
    run(
        &toolbox,
        "verilator",
        root.path(),
        &[&["--lint-only", "-Wall", "-Werror-MODDUP", "-Wno-MULTITOP"], &files[..]].concat(),
    );
    run(
        &toolbox,
        "yosys",
        root.path(),
        &["-q", "-p", &format!("read_verilog {}; hierarchy -check -top link_retry_tx", files.join(" "))],
    );
}

#[test]
fn names_are_what_was_asked_for() {
    let root = tempfile::tempdir().expect("temporary folder");
    let folder =
        written(root.path(), "named", &["link_crc"], &["--name", "crc_of_mine", "--prefix", "acme_"]);
    let names: Vec<String> = modules(&folder).into_keys().collect();
    assert!(names.contains(&"acme_crc_of_mine".to_owned()), "{names:?}");
    assert!(names.iter().all(|name| name.starts_with("acme_")), "{names:?}");
    let presets = written(root.path(), "presets", &["uart_tx", "uart_tx:fast"], &[]);
    assert_eq!(ending(&presets, ".core"), ["uart_tx.core", "uart_tx_fast.core"]);
    let set = written(root.path(), "set", &["register"], &["--set", "width=8"]);
    assert_eq!(ending(&set, ".f"), ["register_module_width8.f"]);
    let refused = |arguments: &[&str]| {
        let out = root.path().join("refused").display().to_string();
        let all = [&["verilog"], arguments, &["--out", &out]].concat();
        let output = Command::new(env!("CARGO_BIN_EXE_flitforge")).args(&all).output().expect("started");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    for (arguments, part) in [
        (&["uart_tx", "uart_rx", "--name", "x"][..], "--name is for one block"),
        (&["uart_tx", "uart_tx"], "given twice"),
        (&["uart_tx:fast", "--preset", "fast"], "leave one out"),
        (&["uart_tx", "--name", "2x"], "letter first"),
        (&["uart_tx", "--name", "entity"], "no word of Verilog, VHDL or C++"),
    ] {
        let said = refused(arguments);
        assert!(said.contains(part), "{arguments:?}: {said}");
    }
}

#[test]
fn the_head_of_a_file_says_what_it_is() {
    let root = tempfile::tempdir().expect("temporary folder");
    let folder = written(root.path(), "head", &["fifo"], &[]);
    let text = std::fs::read_to_string(folder.join("fifo.v")).expect("text");
    let head: Vec<&str> = text.lines().take_while(|line| line.starts_with("//")).collect();
    let head = head.join("\n");
    for part in [
        "fifo (fifo, chapter 00-overview): ",
        "Parameters: ",
        "Latency: ",
        "Clocks: clock (rising edge). Clear: clear (synchronous, active high)",
        "flitforge verilog fifo",
        "SPDX-License-Identifier: MIT OR Apache-2.0",
    ] {
        assert!(head.contains(part), "`{part}` is missing in\n{head}");
    }
    assert!(text.contains("    // Empties the FIFO."), "ports have the comments of the sources\n{text}");
}

/// Text for every tool goes through the synthesis of every family that Yosys has, here a choice in one design; `check
/// --synthesise` does all.
#[test]
fn text_for_every_tool_is_synthesised_for_every_family() {
    let Some(toolbox) = tools(&["yosys"]) else { return };
    let root = tempfile::tempdir().expect("temporary folder");
    let blocks = ["ram", "rom", "fifo", "small_fifo", "async_fifo"];
    let folder = written(root.path(), "blocks", &blocks, &[]);
    let (files, all) = (texts(&folder), side_by_side(&folder));
    std::fs::write(folder.join("side_by_side.v"), &all).expect("written");
    let text = |file: &String| std::fs::read_to_string(folder.join(file)).expect("text");
    let contents: Vec<String> = files.iter().map(text).chain([all]).collect();
    let contents: Vec<&str> = contents.iter().map(String::as_str).collect();
    let kept = Kept::new("verilog_library.families", "tests/verilog_library.rs", &contents, &toolbox);
    unless_kept(&kept, || {
        for family in ["synth_ice40", "synth_gowin", "synth_xilinx", "synth_ecp5", "synth"] {
            let script = format!(
                "read_verilog {} side_by_side.v; {family} -top side_by_side; select -assert-min 200 t:*",
                files.join(" ")
            );
            run(&toolbox, "yosys", &folder, &["-q", "-p", &script]);
        }
    });
}

/// A module with an instance of every top of the folder, all their ports its own.
fn side_by_side(folder: &Path) -> String {
    let (mut ports, mut instances) = (vec![], String::new());
    for file in ending(folder, ".json") {
        let json = std::fs::read_to_string(folder.join(file)).expect("text");
        let interface: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        let module = interface["module"].as_str().expect("a module");
        let mut connections = vec![];
        for port in interface["ports"].as_array().expect("ports") {
            let name = port["name"].as_str().expect("a name");
            let direction = port["direction"].as_str().expect("a direction");
            let width = port["width"].as_u64().expect("a width");
            ports.push(format!("{direction} [{}:0] {module}_{name}", width - 1));
            connections.push(format!(".{name}({module}_{name})"));
        }
        instances += &format!("    {module} u_{module} ({});\n", connections.join(", "));
    }
    format!("module side_by_side ({});\n{instances}endmodule\n", ports.join(", "))
}

#[test]
fn block_rams_of_a_technology_have_a_stub_and_a_model() {
    let Some(toolbox) = tools(&["iverilog", "vvp", "verilator"]) else { return };
    let root = tempfile::tempdir().expect("temporary folder");
    let folder = written(root.path(), "ecp5", &["fifo"], &["--technology", "ecp5"]);
    let text = std::fs::read_to_string(folder.join("fifo_ecp5.v")).expect("text");
    assert!(text.contains("DP16KD #(") && !text.contains("module DP16KD"), "{text}");
    let list = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a list");
    assert!(list("fifo_ecp5.f").contains("primitives/DP16KD_stub.v"));
    assert!(list("fifo_ecp5_sim.f").contains("primitives/DP16KD.v"));
    run(
        &toolbox,
        "verilator",
        &folder,
        &["--lint-only", "-Wall", "--top-module", "fifo_ecp5", "-f", "fifo_ecp5.f"],
    );
    let compiled =
        ["-g2005", "-o", "smoke.vvp", "-s", "fifo_ecp5_smoke", "-c", "fifo_ecp5_sim.f", "fifo_ecp5_smoke.v"];
    run(&toolbox, "iverilog", &folder, &compiled);
    let said = run(&toolbox, "vvp", &folder, &["smoke.vvp"]);
    assert!(said.contains("outputs known"), "{said}");
}

/// Benches of blocks with streams, flows, clocks of their own and clocks of one PLL.
#[test]
fn smoke_benches_pass_in_a_simulator_and_count_words() {
    let Some(toolbox) = tools(&["iverilog", "vvp"]) else { return };
    let root = tempfile::tempdir().expect("temporary folder");
    let blocks = ["fifo", "async_fifo", "link_crc", "skid", "time_ring"];
    let folder = written(root.path(), "smoke", &blocks, &[]);
    for block in blocks {
        let (bench, list) = (format!("{block}_smoke"), format!("{block}.f"));
        let (program, source) = (format!("{block}.vvp"), format!("{block}_smoke.v"));
        run(&toolbox, "iverilog", &folder, &["-g2005", "-o", &program, "-s", &bench, "-c", &list, &source]);
        let said = run(&toolbox, "vvp", &folder, &[&program]);
        assert!(said.contains("passed: "), "{block}: {said}");
        if block.ends_with("fifo") {
            let words = said
                .lines()
                .filter_map(|line| line.strip_suffix(" words")?.rsplit(' ').next()?.parse::<u64>().ok());
            let words: Vec<u64> = words.collect();
            assert!(words.len() == 2 && words.iter().all(|words| *words > 100), "{said}");
        }
    }
}

#[test]
fn crossings_are_in_the_description_and_have_constraints() {
    let root = tempfile::tempdir().expect("temporary folder");
    let folder = written(root.path(), "crossing", &["async_fifo", "fifo"], &[]);
    assert_eq!(ending(&folder, ".xdc"), ["async_fifo.xdc"]);
    let json = std::fs::read_to_string(folder.join("async_fifo.json")).expect("text");
    let interface: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let crossings = interface["crossings"].as_array().expect("crossings");
    assert!(!crossings.is_empty());
    let clocks: Vec<&str> =
        interface["clocks"].as_array().expect("clocks").iter().filter_map(|clock| clock.as_str()).collect();
    for crossing in crossings {
        assert!(clocks.contains(&crossing["from"].as_str().expect("from")), "{crossing}");
        assert!(clocks.contains(&crossing["to"].as_str().expect("to")), "{crossing}");
        assert_ne!(crossing["from"], crossing["to"]);
    }
    let xdc = std::fs::read_to_string(folder.join("async_fifo.xdc")).expect("text");
    let sdc = std::fs::read_to_string(folder.join("async_fifo.sdc")).expect("text");
    assert!(xdc.contains("read_xdc -ref async_fifo") && xdc.contains("-of_objects [get_ports"), "{xdc}");
    assert!(sdc.contains("set_max_delay $crossing_ns -from [get_clocks $"), "{sdc}");
    for text in [&xdc, &sdc] {
        assert!(
            !text.contains("{from}") && !text.contains("{instance}") && !text.contains("{period}"),
            "{text}"
        );
        assert_eq!(text.matches('[').count(), text.matches(']').count(), "{text}");
    }
}

#[test]
fn cores_lint_and_simulate_in_fusesoc_and_set_up_synthesis() {
    let Some(toolbox) = tools(&["fusesoc", "iverilog", "verilator", "yosys"]) else { return };
    let root = tempfile::tempdir().expect("temporary folder");
    written(root.path(), "generic", &["link_crc", "fifo", "async_fifo"], &[]);
    written(root.path(), "ecp5", &["fifo"], &["--technology", "ecp5"]);
    let version = env!("CARGO_PKG_VERSION");
    for core in ["10-link:link_crc", "00-overview:fifo", "00-overview:async_fifo", "00-overview:fifo_ecp5"] {
        for target in ["lint", "sim"] {
            let (target, core) = (format!("--target={target}"), format!("flitforge:{core}:{version}"));
            run(&toolbox, "fusesoc", root.path(), &["--cores-root", ".", "run", &target, &core]);
        }
    }
    // Edalize drives Yosys by Tcl, which the Yosys of the Python package index lacks: the project is set up, not run.
    let core = format!("flitforge:10-link:link_crc:{version}");
    run(&toolbox, "fusesoc", root.path(), &["--cores-root", ".", "run", "--setup", "--target=synth", &core]);
    let build = root.path().join(format!("build/flitforge_10-link_link_crc_{version}/synth-yosys"));
    let script = std::fs::read_to_string(build.join("edalize_yosys_procs.tcl")).expect("a project for Yosys");
    assert!(script.contains("link_crc.v") && script.contains("link_crc"), "{script}");
}
