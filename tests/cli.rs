//! The command line as a user meets it: what is refused, with which words and which exit code, and that nothing
//! is left half written.

#![allow(clippy::expect_used)] // helpers of a test

use flitforge_elaborate::verilog::Technology;
use flitforge_flow::data::hash_of;
use flitforge_flow::tools::Toolbox;
use flitforge_flow::Level;
use std::path::Path;
use std::process::{Command, Output};

fn flitforge(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flitforge")).args(arguments).output().expect("started")
}

/// Runs, expects `code`, returns standard error.
fn refused(code: i32, arguments: &[&str]) -> String {
    let output = flitforge(arguments);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
    error
}

fn contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is missing in: {text}");
    }
}

fn entries(folder: &Path) -> usize {
    std::fs::read_dir(folder).expect("readable").count()
}

#[test]
fn unknown_names_are_refused_with_the_nearest() {
    let root = tempfile::tempdir().expect("temporary folder");
    let out = root.path().join("out").display().to_string();
    contains(&refused(2, &["verilog", "link_crk", "--out", &out]), &["link_crk", "link_crc"]);
    contains(&refused(2, &["verilog", "uart_tx", "--preset", "slow", "--out", &out]), &["slow", "fast"]);
    contains(&refused(2, &["verilog", "uart_tx", "--set", "bauds=1", "--out", &out]), &["bauds", "baud"]);
    contains(&refused(2, &["build", "link-loopback", "--board", "ulx3s", "--out", &out]), &["ulx3s-85f"]);
    contains(&refused(2, &["build", "link-loop", "--board", "ulx3s-85f", "--out", &out]), &["link-loopback"]);
    contains(&refused(2, &["sim", "link-loop"]), &["link-loopback"]);
    contains(&refused(2, &["synth", "uart_tx", "--device", "lfe5u-86f"]), &["lfe5u-85f-6"]);
    let far = refused(2, &["synth", "zebra"]);
    contains(&far, &["zebra", "flitforge list"]);
    assert!(far.len() < 200, "a hint, no list of all names: {far}");
    assert_eq!(entries(root.path()), 0);
}

#[test]
fn values_that_cannot_work_are_refused_with_what_would() {
    let root = tempfile::tempdir().expect("temporary folder");
    let out = root.path().join("out").display().to_string();
    let verilog = |set: &str| refused(2, &["verilog", "uart_tx", "--set", set, "--out", &out]);
    contains(&verilog("baud=0"), &["uart_tx", "baud", "1 to 50000000"]);
    contains(&verilog("baud=300"), &["uart", "8 to 65535 clocks per bit"]);
    contains(&verilog("baud=fast"), &["baud=fast", "number"]);
    contains(&verilog("baud"), &["key=value"]);
    assert_eq!(entries(root.path()), 0);
}

#[test]
fn a_serial_port_that_is_none_is_named() {
    let root = tempfile::tempdir().expect("temporary folder");
    let file = root.path().join("port");
    let path = file.display().to_string();
    let words = ["1000000 baud", "--serial", &path];
    contains(&refused(4, &["clock-tree", "--serial", &path]), &words);
    std::fs::write(&file, "").expect("written");
    contains(&refused(4, &["clock-tree", "--once", "--serial", &path]), &words);
    contains(&refused(2, &["clock-tree"]), &["--serial"]);
    contains(&refused(2, &["clock-tree", "--serial", &path, "--period", "0"]), &["1..=4095"]);
}

#[test]
fn verilog_is_written_whole_and_never_over_something_else() {
    let root = tempfile::tempdir().expect("temporary folder");
    let out = root.path().join("uart");
    let path = out.display().to_string();
    let output = flitforge(&["verilog", "uart_tx", "--preset", "fast", "--out", &path]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for file in ["uart_tx_fast.v", "uart_tx_fast.f", "uart_tx_fast.json", "uart_tx_fast.core"] {
        assert!(out.join(file).exists(), "{file}");
    }
    let interface: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(out.join("uart_tx_fast.json")).expect("readable"))
            .expect("JSON");
    assert_eq!(interface["parameters"]["baud"], 2_000_000);
    let line = interface["ports"].as_array().expect("ports").iter().find(|port| port["name"] == "line");
    assert_eq!(line.expect("port line")["direction"], "output");

    contains(&refused(4, &["verilog", "uart_tx", "--out", &path]), &["not empty", "--force"]);
    assert!(flitforge(&["verilog", "uart_rx", "--force", "--out", &path]).status.success());
    assert!(!out.join("uart_tx_fast.v").exists() && out.join("uart_rx.v").exists());
    assert_eq!(entries(root.path()), 1);
    // What the user put there stays, and so does what was changed, whatever is asked.
    std::fs::create_dir(out.join(".git")).expect("folder");
    std::fs::write(out.join(".git/config"), "mine").expect("written");
    for force in [&["--force"][..], &[]] {
        let arguments = [&["verilog", "uart_tx", "--out", &path], force].concat();
        contains(&refused(4, &arguments), &["did not write", ".git/config"]);
    }
    std::fs::remove_dir_all(out.join(".git")).expect("removed");
    std::fs::write(out.join("uart_rx.v"), "mine").expect("written");
    contains(&refused(4, &["verilog", "uart_tx", "--force", "--out", &path]), &["changed", "uart_rx.v"]);
    assert_eq!(std::fs::read_to_string(out.join("uart_rx.v")).expect("there"), "mine");
}

#[test]
fn an_empty_folder_is_filled_where_it_is() {
    let root = tempfile::tempdir().expect("temporary folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_flitforge"));
    let output = command.args(["verilog", "uart_tx", "--out", "."]).current_dir(root.path()).output();
    assert!(output.expect("started").status.success());
    assert!(root.path().join("uart_tx.v").exists());
}

#[test]
fn what_cannot_be_said_is_an_error_and_no_panic() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full");
    let output =
        Command::new(env!("CARGO_BIN_EXE_flitforge")).arg("list").stdout(full).output().expect("started");
    assert_eq!(output.status.code(), Some(4));
    contains(&String::from_utf8_lossy(&output.stderr), &["standard output", "No space left"]);
}

#[test]
fn an_output_folder_that_cannot_be_made_is_named() {
    let root = tempfile::tempdir().expect("temporary folder");
    let file = root.path().join("file");
    std::fs::write(&file, "").expect("written");
    let below = file.join("out").display().to_string();
    contains(&refused(4, &["verilog", "uart_tx", "--out", &below]), &["Not a directory", "--out"]);
    assert_eq!(entries(root.path()), 1);
}

#[test]
fn the_doctor_fails_for_needed_tools_only() {
    let root = tempfile::tempdir().expect("temporary folder");
    let tools = root.path().join("tools");
    std::fs::create_dir(&tools).expect("folder");
    let all = flitforge(&["doctor", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&all.stdout).expect("JSON");
    let lines = report["tools"].as_array().expect("tools");
    for line in lines.iter().filter(|line| line["optional"] == false) {
        std::fs::write(tools.join(line["tool"].as_str().expect("name")), "").expect("written");
    }
    // Nothing but the folder of stand-ins, then one of them taken away.
    let doctor = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flitforge"));
        command.arg("doctor").env("PATH", "").env("FLITFORGE_TOOLS", &tools);
        command.env("FLITFORGE_HOME", root.path().join("home")).output().expect("started")
    };
    let complete = doctor();
    let text = String::from_utf8_lossy(&complete.stdout).into_owned();
    assert!(complete.status.success(), "{}", String::from_utf8_lossy(&complete.stderr));
    contains(
        &text,
        &[
            "openFPGALoader",
            "optional",
            "apt install openfpgaloader",
            "programming a board",
            "apt install iverilog",
        ],
    );
    std::fs::remove_file(tools.join("verilator")).expect("removed");
    let broken = doctor();
    assert_eq!(broken.status.code(), Some(3));
    contains(&String::from_utf8_lossy(&broken.stderr), &["missing: verilator"]);
    contains(&String::from_utf8_lossy(&broken.stdout), &["verilator        missing: "]);
}

#[test]
fn the_list_names_every_kind() {
    let output = flitforge(&["list", "--json"]);
    let list: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for (kind, name) in [
        ("blocks", "link_crc"),
        ("boards", "ulx3s-85f"),
        ("designs", "link-loopback"),
        ("scenarios", "link-loopback"),
        ("targets", "link_crc_132"),
    ] {
        let items = list[kind].as_array().unwrap_or_else(|| panic!("{kind}"));
        assert!(items.iter().any(|item| item["name"] == name), "{kind} {name}");
    }
    let plain = String::from_utf8(flitforge(&["list"]).stdout).expect("text");
    contains(&plain, &["blocks:", "uart_tx", "boards:", "flitforge list NAME"]);
    assert!(!plain.contains("baud = 115200"), "a line each");
    let one = String::from_utf8(flitforge(&["list", "uart_tx"]).stdout).expect("text");
    contains(&one, &["uart_tx", "baud = 115200", "preset fast"]);
    assert!(!one.contains("link_crc"));
    let found = String::from_utf8(flitforge(&["list", "--grep", "UART"]).stdout).expect("text");
    contains(&found, &["uart_tx", "uart_rx"]);
    assert!(!found.contains("link_crc"));
    contains(&refused(2, &["list", "uart_t"]), &["uart_t", "did you mean `uart_tx`"]);
    contains(&refused(2, &["list", "--grep", "zebra"]), &["zebra"]);
}

#[test]
fn waveforms_are_refused_or_written_as_asked_for() {
    let root = tempfile::tempdir().expect("temporary folder");
    let file = |name: &str| root.path().join(name).display().to_string();
    let sim = ["sim", "ltp-loopback", "--set", "clocks=2000", "--set", "errors=1"];
    fn joined<'a>(first: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
        [first, more].concat()
    }
    contains(&refused(2, &joined(&sim, &["--wave", &file("a.lxt")])), &["a.lxt", ".fst", ".vcd"]);
    contains(&refused(2, &joined(&sim, &["--wave-signals", "x"])), &["--wave"]);
    contains(&refused(2, &joined(&sim, &["--wave", &file("a.fst"), "--wave-last", "0"])), &["--wave-last"]);
    contains(
        &refused(2, &joined(&sim, &["--wave", &file("a.fst"), "--wave-signals", "ltp_god"])),
        &["`ltp_god`", "ltp_good"],
    );
    assert_eq!(entries(root.path()), 0);

    for name in ["part.fst", "part.vcd"] {
        let path = file(name);
        let part = ["--wave-signals", "ltp_*", "--wave-last", "100", "--wave-from", "50"];
        let output = flitforge(&joined(&sim, &joined(&["--wave", &path], &part)));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mut wave = wellen::simple::read(&path).expect("a waveform");
        let hierarchy = wave.hierarchy();
        let names: Vec<String> = hierarchy.iter_vars().map(|var| var.full_name(hierarchy)).collect();
        assert_eq!(names, ["clock", "ltp_good", "ltp_bad"].map(|name| format!("ltp_loopback.{name}")));
        let clock = hierarchy.iter_vars().next().expect("a variable").signal_ref();
        wave.load_signals(&[clock]);
        let rises = wave.get_signal(clock).expect("loaded").iter_changes();
        let rises = rises.filter(|(_, value)| value.to_bit_string().as_deref() == Some("1")).count();
        assert_eq!(rises, 100, "{name}: an edge before each of the last rows");
    }
    std::os::unix::fs::symlink("/dev/full", root.path().join("full.fst")).expect("link");
    contains(&refused(4, &joined(&sim, &["--wave", &file("full.fst")])), &["full.fst", "No space left"]);
}

#[test]
fn a_run_is_recorded_and_replayed_on_other_back_ends() {
    let root = tempfile::tempdir().expect("temporary folder");
    let file = |name: &str| root.path().join(name).display().to_string();
    let run = file("run.jsonl");
    let sim = ["sim", "ltp-loopback", "--set", "clocks=2000", "--set", "errors=1", "--record"];
    let output = flitforge(&[&sim[..], &[&run]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for backend in ["compiled", "graph", "stock"] {
        let output = flitforge(&["sim", "--replay", &run, "--backend", backend, "--json"]);
        assert!(output.status.success(), "{backend}: {}", String::from_utf8_lossy(&output.stderr));
        let metrics: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(metrics["block"], "ltp_loopback");
        assert_eq!((&metrics["clocks"], &metrics["backend"]), (&2004.into(), &backend.into()));
    }
    // an LTP that was good, said to be bad on its clock
    let text = std::fs::read_to_string(&run).expect("recording");
    let wrong = text.replacen("\"ltp_good\":\"1\"", "\"ltp_good\":\"0\"", 1);
    assert_ne!(text, wrong);
    std::fs::write(file("wrong.jsonl"), wrong).expect("written");
    let mismatch = refused(1, &["sim", "--replay", &file("wrong.jsonl")]);
    contains(&mismatch, &["wrong.jsonl", "`ltp_good`", "recording"]);

    contains(&refused(2, &[&sim[..], &[&file("run.vcd")]].concat()), &["run.vcd", ".jsonl"]);
    contains(&refused(2, &["sim", "link-soak", "--record", &file("a.jsonl")]), &["link-soak", "--record"]);
    contains(&refused(2, &["sim", "link-soak", "--wave", &file("a.fst")]), &["link-soak", "--wave"]);
    contains(&refused(2, &["sim"]), &["SCENARIO"]);
    contains(&refused(4, &["sim", "--replay", &file("none.jsonl")]), &["none.jsonl"]);
    assert_eq!(entries(root.path()), 2);
}

/// Structure and lint of the whole library: a warning is an error here. CI goes over all presets, other runs over the
/// first of each block. A text that docs/records/lint.jsonl has, by its digest, is not linted again.
#[test]
fn every_block_passes_check() {
    let (ci, linter) = (std::env::var_os("CI").is_some(), Level::Lint.tools());
    if !ci && Toolbox::locate(linter).is_err() {
        eprintln!("SKIPPED: lint of the library: one of {linter:?} missing");
        return;
    }
    let list = flitforge(&["list", "--json"]);
    let list: serde_json::Value = serde_json::from_slice(&list.stdout).expect("JSON");
    let blocks = list["blocks"].as_array().expect("blocks");
    let chosen: Vec<String> = blocks
        .iter()
        .flat_map(|block| {
            let presets = block["presets"].as_array().expect("presets");
            let some = if ci { presets.len() } else { 1 };
            presets[..some].iter().map(|preset| {
                format!(
                    "{}:{}",
                    block["name"].as_str().expect("name"),
                    preset["name"].as_str().expect("name")
                )
            })
        })
        .collect();
    assert!(chosen.len() > 50, "{chosen:?}");
    // a copy: the test adds what is missing
    let room = tempfile::tempdir().expect("temporary folder");
    let record = room.path().join("lint.jsonl");
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/records/lint.jsonl");
    std::fs::copy(kept, &record).expect("the record");
    let record = record.display().to_string();
    let names = chosen.iter().map(String::as_str);
    let arguments: Vec<&str> = ["check", "--lint-record", &record].into_iter().chain(names).collect();
    let output = flitforge(&arguments);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text} {}", String::from_utf8_lossy(&output.stderr));
    let known = text.matches(" ok (lint from the record)").count();
    let linted = text.lines().filter(|line| line.ends_with(" ok")).count();
    eprintln!("{linted} presets linted, {known} known");
    assert_eq!(linted + known, chosen.len(), "{text}");
}

#[test]
fn a_record_of_lints_is_of_one_text() {
    if std::env::var_os("CI").is_none() && Toolbox::locate(Level::Lint.tools()).is_err() {
        eprintln!("SKIPPED: a record of lints: a tool is missing");
        return;
    }
    let room = tempfile::tempdir().expect("temporary folder");
    let record = room.path().join("lint.jsonl").display().to_string();
    let check = |arguments: &[&str]| {
        let output = flitforge(&[&["check", "--lint-record", &record], arguments].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(check(&["debounce:default"]).ends_with(" ok\n"));
    assert!(check(&["debounce:default"]).ends_with(" ok (lint from the record)\n"));
    assert!(check(&["debounce", "--set", "period=7"]).ends_with(" ok\n"), "another text");
    std::fs::write(&record, "{}\n").expect("written");
    contains(&refused(2, &["check", "--lint-record", &record, "debounce"]), &["lint.jsonl:1", "record"]);
}

#[test]
fn a_preset_is_compared_on_every_simulator() {
    if std::env::var_os("CI").is_none() && Toolbox::locate(&["verilator"]).is_err() {
        eprintln!("SKIPPED: a preset on every simulator: verilator missing");
        return;
    }
    let output = flitforge(&["check", "debounce:default", "--no-lint", "--simulate", "600"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text} {}", String::from_utf8_lossy(&output.stderr));
    contains(&text, &["debounce", "ok, equal on 750 clocks: rust-hdl", "compiled", "Verilator"]);
    assert_eq!(text.lines().count(), 1, "{text}");

    // A campaign keeps what it has done: the second run has only the longer preset left to do.
    let room = tempfile::tempdir().expect("temporary folder");
    let record = room.path().join("record.jsonl").display().to_string();
    let campaign = |clocks: &str| {
        let run =
            ["check", "debounce", "--no-lint", "--simulate", clocks, "--jobs", "2", "--record", &record];
        let output = flitforge(&run);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let first = campaign("500");
    assert_eq!((first.lines().count() > 0, first.matches("record").count()), (true, 0), "{first}");
    let again = campaign("500");
    assert_eq!(again.matches("(from the record)").count(), first.lines().count(), "{again}");
    assert_eq!(campaign("750").matches("record").count(), 0);
    // In parts: each has a row with a seed of its own, and the preset's line has their sum.
    let parted = room.path().join("parts.jsonl").display().to_string();
    let run = ["check", "debounce:default", "--no-lint", "--simulate", "750", "--part", "250", "--jobs", "2"];
    let output = flitforge(&[&run[..], &["--record", &parted]].concat());
    contains(&String::from_utf8_lossy(&output.stdout), &["ok, equal on 750 clocks"]);
    let rows = std::fs::read_to_string(&parted).expect("record");
    assert_eq!(rows.lines().count(), 3, "{rows}");
    contains(&rows, &["\"seed\":1,\"clocks\":250", "\"seed\":2,\"clocks\":250", "\"seed\":3,\"clocks\":250"]);
    std::fs::write(&record, "no row\n").expect("written");
    let run = ["check", "debounce", "--no-lint", "--simulate", "500", "--record", &record];
    contains(&refused(2, &run), &["record.jsonl:1", "not a line of a record"]);
    contains(&refused(2, &["check", "debounce:defualt"]), &["defualt", "default"]);
}

#[test]
fn link_scenarios_run_and_refuse_what_cannot_work() {
    let metrics = |arguments: &[&str]| {
        let output = flitforge(arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<serde_json::Value>(&output.stdout).expect("JSON")
    };
    let soak = metrics(&["sim", "link-soak", "--set", "flits=200000", "--set", "ber=100000", "--json"]);
    assert!(
        soak["flits"].as_u64() >= Some(200_000) && soak["counters"]["RX_BAD"].as_u64() > Some(100),
        "{soak}"
    );
    let fault = metrics(&["sim", "lane-fault", "--set", "lane1=0", "--set", "lane3=1000000", "--json"]);
    assert_eq!(fault["removals"][0]["lane"], 3, "{fault}");
    assert_eq!((&fault["lanes"][0], &fault["lanes"][1]), (&7.into(), &15.into()), "{fault}");
    let switch = metrics(&["sim", "switch-64", "--set", "flits=60000", "--set", "noise=2000000", "--json"]);
    assert_eq!((&switch["packets"][0], &switch["dropped"]), (&switch["packets"][1], &0.into()), "{switch}");
    assert!(switch["flits"].as_u64() >= Some(60_000) && switch["bad_ltps"].as_u64() > Some(0), "{switch}");
    for (arguments, parts) in [
        (
            &["sim", "link-soak", "--set", "slots=17"][..],
            ["number of replay slots `17`", "16, 32, 64, 128, 256"],
        ),
        (&["sim", "link-loopback", "--backend", "fast"][..], ["back end `fast`", "compiled, graph, stock"]),
    ] {
        let output = flitforge(arguments);
        assert_eq!(output.status.code(), Some(2));
        contains(&String::from_utf8_lossy(&output.stderr), &parts);
    }
}

#[test]
fn every_back_end_without_a_tool_measures_the_same() {
    let run = |backend: &str| {
        let arguments = ["sim", "ltp-loopback", "--set", "clocks=3000", "--set", "errors=2", "--json"];
        let output = flitforge(&[&arguments[..], &["--backend", backend]].concat());
        assert!(output.status.success(), "{backend}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    let compiled = run("compiled");
    assert!(compiled.contains("\"ltps_bad\": 2"), "{compiled}");
    assert_eq!(compiled, run("graph"));
    assert_eq!(compiled, run("stock"));
}

#[test]
fn the_speed_of_a_design_is_measured_in_one_run() {
    let arguments = ["bench", "sim", "counter", "--time", "20", "--rounds", "1", "--json"];
    let output = flitforge(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let names: Vec<_> = rows.as_array().expect("rows").iter().map(|row| row["design"].as_str()).collect();
    assert_eq!(names, [Some("counter")]);
    for row in rows.as_array().expect("rows") {
        for figure in ["operations", "cycles_per_second", "vs_stock", "start_up_ms", "code_bytes"] {
            assert!(row[figure].as_f64() > Some(0.0), "{figure}: {row}");
        }
    }
    let unknown = flitforge(&["bench", "sim", "fifi"]);
    assert_eq!(unknown.status.code(), Some(2));
    contains(&String::from_utf8_lossy(&unknown.stderr), &["fifi", "fifo"]);
}

/// Nothing is placed here: what is refused, and a report from a record.
#[test]
fn the_report_of_the_rings_refuses_what_cannot_work() {
    let root = tempfile::tempdir().expect("temporary folder");
    let (out, record) = (root.path().join("out"), root.path().join("record.jsonl"));
    let (out_path, record_path) = (out.display().to_string(), record.display().to_string());
    let ring = |more: &[&str]| {
        let first = ["timing", "ring", "--out", &out_path, "--stops", "4"];
        first.iter().chain(more).map(|word| (*word).to_string()).collect::<Vec<String>>()
    };
    let no = |code: i32, more: &[&str]| {
        let arguments = ring(more);
        refused(code, &arguments.iter().map(String::as_str).collect::<Vec<&str>>())
    };
    contains(&no(2, &["--stops", "5"]), &["time_ring", "stops", "4, 8, 12, 16, 24, 32, 48"]);
    contains(&no(2, &["--device", "lfe5u-86f"]), &["lfe5u-85f-6", "lfe5um5g-85f-8"]);
    contains(&no(2, &["--device", "xc7a35t-1"]), &["xc7a35t-1", "ECP5"]);
    contains(&no(2, &["--hop-registers", "3"]), &["--hop-registers", "3", "1..=2"]);
    contains(&no(2, &["--embed", "both"]), &["both", "value", "flit"]);
    contains(&no(2, &["--floorplan", "circle"]), &["circle", "rows", "free"]);
    contains(
        &no(2, &["--device", "lfe5u-25f-6", "--floorplan", "rows"]),
        &["lfe5u-25f-6", "--floorplan free"],
    );
    contains(&no(2, &["--seeds", "0"]), &["--seeds"]);
    contains(&no(2, &["--target", "0"]), &["--target 0", "MHz"]);
    contains(&no(2, &["--core", "nan"]), &["--core", "MHz"]);
    contains(&no(2, &["--recorded"]), &["--record"]);
    let missing = no(2, &["--seeds", "2", "--record", &record_path, "--recorded"]);
    contains(&missing, &["N = 4 seed 1, N = 4 seed 2", "--recorded"]);
    std::fs::write(&record, "no row\n").expect("written");
    let wrong = no(2, &["--record", &record_path, "--recorded"]);
    contains(&wrong, &["record.jsonl:1", "not a line of a record"]);
    assert_eq!(entries(root.path()), 1, "the record alone");
    std::fs::create_dir(&out).expect("folder");
    std::fs::write(out.join("precious"), "").expect("written");
    contains(&no(4, &["--record", &record_path, "--recorded"]), &["not empty", "precious"]);
    assert_eq!((entries(root.path()), entries(&out)), (2, 1));
}

/// The rows of `docs/records` for N = 4, as if they were of the rings as they are now and of these tools.
fn recorded_rings(tools: Option<&Toolbox>) -> String {
    let ring = crate::board_bench::block("time_ring", "default", &[("stops".into(), 4)], Technology::Ecp5);
    let hash = hash_of(&[ring.verilog.as_bytes()]);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/records/timing-ring.jsonl");
    let text = std::fs::read_to_string(path).expect("docs/records/timing-ring.jsonl");
    let row = |line: &str| {
        let mut row: serde_json::Value = serde_json::from_str(line).expect("JSON");
        row["verilog"] = hash.as_str().into();
        if let Some(tools) = tools {
            row["tools"] = serde_json::to_value(tools.versions()).expect("JSON");
        }
        (row["stops"] == 4).then(|| row.to_string() + "\n")
    };
    text.lines().filter_map(row).collect()
}

#[test]
fn recorded_rings_are_reported_whole_and_not_placed_again() {
    let root = tempfile::tempdir().expect("temporary folder");
    let record = root.path().join("record.jsonl");
    std::fs::write(&record, recorded_rings(None)).expect("written");
    let (out, record_path) = (root.path().join("out"), record.display().to_string());
    let out_path = out.display().to_string();
    let ring = ["timing", "ring", "--stops", "4", "--record", &record_path, "--out", &out_path];
    let output = flitforge(&[&ring[..], &["--recorded"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    contains(&String::from_utf8_lossy(&output.stdout), &["| 4 | VALUE | lfe5u-85f-6 |"]);
    let json = std::fs::read_to_string(out.join("ring-4.json")).expect("JSON");
    let report: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let pairs = report["pairs"].as_array().expect("pairs");
    assert_eq!(pairs.len(), 12);
    for pair in pairs {
        let columns = ["static_cycles", "simulated_cycles", "token_cycles"].map(|name| &pair[name]);
        assert_eq!(columns, [&pair["ring_cycles"]; 3], "{pair}");
    }
    assert_eq!(report["header"]["seeds"].as_array().map(Vec::len), Some(5));
    assert_eq!(report["hops"].as_array().map(Vec::len), Some(8));
    for file in ["ring-4.md", "ring-4.svg", "summary.md", "clock.svg"] {
        assert!(out.join(file).exists(), "{file}");
    }
    assert_eq!(entries(&out), 6, "these, the JSON, and the list of what was written");

    // With the tools that are here, the rows of the record are taken as they are.
    let Ok(tools) = Toolbox::locate(&["yosys", "nextpnr-ecp5"]) else {
        assert!(std::env::var_os("CI").is_none(), "Yosys and nextpnr are missing");
        eprintln!("SKIPPED: rings from the record: Yosys or nextpnr missing");
        return;
    };
    let rows = recorded_rings(Some(&tools));
    std::fs::write(&record, &rows).expect("written");
    let output = flitforge(&[&ring[..], &["--force"]].concat());
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{error}");
    assert_eq!(error.matches("(from the record)").count(), 5, "{error}");
    assert_eq!(std::fs::read_to_string(&record).expect("record"), rows, "no row is added");
}

/// The real tools: a placement goes into the record, and is not made again. Every hop is as fast as chapter 20 asks at speed 6.
#[test]
fn rings_of_four_and_eight_stops_are_placed_once() {
    if std::env::var_os("FLITFORGE_PLACED").is_none() {
        println!("SKIPPED: rings are placed with FLITFORGE_PLACED=1 only, as in .ci/run");
        return;
    }
    let root = tempfile::tempdir().expect("temporary folder");
    let (out, record) = (root.path().join("out"), root.path().join("record.jsonl"));
    let (out_path, record_path) = (out.display().to_string(), record.display().to_string());
    let rings = ["timing", "ring", "--stops", "4", "--stops", "8", "--seeds", "1", "--force", "--json"];
    let run = || {
        let output = flitforge(&[&rings[..], &["--record", &record_path, "--out", &out_path]].concat());
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{error}");
        (serde_json::from_slice::<serde_json::Value>(&output.stdout).expect("JSON"), error)
    };
    let (reports, first) = run();
    contains(&first, &["N = 4 seed 1: slowest hop", "N = 8 seed 1: slowest hop"]);
    assert!(!first.contains("from the record"), "{first}");
    for (report, stops) in [(&reports[0], 4), (&reports[1], 8)] {
        let hops = report["hops"].as_array().expect("hops");
        assert_eq!(hops.len(), 2 * stops, "both rings");
        assert!(hops.iter().all(|hop| hop["mhz"]["median"].as_f64() >= Some(300.0)), "{report}");
    }
    let (again, second) = run();
    assert_eq!(second.matches("(from the record)").count(), 2, "{second}");
    assert_eq!(again, reports);
    assert_eq!(std::fs::read_to_string(&record).expect("record").lines().count(), 2);
}
