//! `flitforge verilog`: a block as plain Verilog for somebody else's design.

use crate::blocks::{emit, Emitted};
use crate::output::Staged;
use anyhow::Result;
use clap::{Args, ValueEnum};
use flitforge_elaborate::verilog::Technology;
use flitforge_hdl::registry::{ClockMultiple, StreamRole};
use serde_json::{json, Value};
use std::path::PathBuf;

/// Write a block as Verilog with file list, interface description and FuseSoC core.
#[derive(Args)]
pub struct Verilog {
    /// Block name.
    block: String,
    /// Preset of the block.
    #[arg(long)]
    preset: Option<String>,
    /// Parameter of the block, key=value.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Folder to write.
    #[arg(long)]
    out: PathBuf,
    /// How memories with output registers are written.
    #[arg(long, value_enum, default_value_t = MemoryText::Generic)]
    technology: MemoryText,
    /// Replace a folder that exists.
    #[arg(long)]
    force: bool,
}

/// How memories with output registers are written.
#[derive(Clone, Copy, ValueEnum)]
enum MemoryText {
    /// Behavioural text for every tool.
    Generic,
    /// DP16KD instances.
    Ecp5,
}

impl Verilog {
    /// Writes the folder.
    pub fn run(&self) -> Result<()> {
        let emitted = emit(&self.block, self.preset.as_deref(), &self.set)?;
        let technology = match self.technology {
            MemoryText::Generic => Technology::Generic,
            MemoryText::Ecp5 => Technology::Ecp5,
        };
        let name = emitted.entry.name;
        let staged = Staged::new(&self.out, self.force)?;
        staged.write(&format!("{name}.v"), &emitted.verilog(technology))?;
        staged.write(&format!("{name}.f"), &format!("{name}.v\n"))?;
        staged
            .write(&format!("{name}.json"), &(serde_json::to_string_pretty(&describe(&emitted)?)? + "\n"))?;
        staged.write(&format!("{name}.core"), &core(&emitted))?;
        staged.commit()?;
        println!("{}: {name}.v, {name}.f, {name}.json, {name}.core", self.out.display());
        Ok(())
    }
}

/// The interface description: what a port is, not only how wide.
fn describe(emitted: &Emitted) -> Result<Value> {
    let mut description = serde_json::to_value(&emitted.interface)?;
    let info = &emitted.info;
    let streams: Vec<Value> = info
        .streams
        .iter()
        .map(|stream| json!({"name": stream.name, "role": role(stream.role), "clock": stream.clock}))
        .collect();
    let parameters: serde_json::Map<String, Value> =
        emitted.settings.iter().map(|(key, value)| (key.to_owned(), json!(value))).collect();
    for (key, value) in [
        ("block", json!(emitted.entry.name)),
        ("summary", json!(emitted.entry.summary)),
        ("parameters", Value::Object(parameters)),
        ("clocks", json!(info.clocks)),
        ("clears", json!(info.clears)),
        ("streams", json!(streams)),
        ("latency_clocks", json!(info.latency_clocks)),
        ("latency_note", json!(info.latency_note)),
    ] {
        description[key] = value;
    }
    if !info.multiples.is_empty() {
        let multiple = |multiple: &ClockMultiple| json!({"clock": multiple.clock, "of": multiple.of, "ratio": multiple.ratio});
        description["clock_multiples"] = info.multiples.iter().map(multiple).collect();
    }
    Ok(description)
}

fn role(role: StreamRole) -> &'static str {
    match role {
        StreamRole::StreamSink => "stream_sink",
        StreamRole::StreamSource => "stream_source",
        StreamRole::FlowSink => "flow_sink",
        StreamRole::FlowSource => "flow_source",
    }
}

/// A FuseSoC core (CAPI2).
fn core(emitted: &Emitted) -> String {
    let name = emitted.entry.name;
    format!(
        "CAPI=2:\nname: flitforge:{}:{name}:{}\ndescription: {}\nfilesets:\n  rtl:\n    files: [{name}.v]\n    \
         file_type: verilogSource\ntargets:\n  default:\n    filesets: [rtl]\n    toplevel: {name}\n",
        emitted.entry.chapter,
        env!("CARGO_PKG_VERSION"),
        emitted.entry.summary.replace(':', ","),
    )
}
