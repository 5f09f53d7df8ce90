//! The interface of a block as JSON: what a port is, not only how wide.

use super::{Member, VERSION};
use anyhow::Result;
use flitforge_hdl::registry::{ClockMultiple, StreamRole};
use serde_json::{json, Value};

/// The description.
pub fn describe(member: &Member) -> Result<Value> {
    let emitted = member.emitted;
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
        ("preset", json!(emitted.preset)),
        ("version", json!(VERSION)),
        ("summary", json!(emitted.entry.summary)),
        ("parameters", Value::Object(parameters)),
        ("clocks", json!(info.clocks)),
        ("clears", json!(info.clears)),
        ("streams", json!(streams)),
        ("crossings", json!(member.crossings)),
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
