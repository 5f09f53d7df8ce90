//! `flitforge list`: what there is.

use crate::scenarios;
use crate::targets::targets;
use anyhow::Result;
use clap::Args;
use flitforge_boards::{boards, designs};
use flitforge_hdl::registry::{registry, Allowed, BlockEntry};
use serde_json::{json, Value};

/// List blocks, presets, boards, designs, targets and scenarios.
#[derive(Args)]
pub struct List {
    /// Machine-readable.
    #[arg(long)]
    json: bool,
}

impl List {
    /// Prints the list.
    pub fn run(&self) -> Result<()> {
        let list = describe()?;
        if self.json {
            println!("{}", serde_json::to_string_pretty(&list)?);
        } else {
            print_plain(&list);
        }
        Ok(())
    }
}

/// Everything there is, as JSON.
fn describe() -> Result<Value> {
    let boards: Vec<Value> = boards()?
        .iter()
        .map(|board| json!({"name": board.name, "summary": board.title, "device": board.device}))
        .collect();
    let designs: Vec<Value> = designs()
        .iter()
        .map(|design| json!({"name": design.name, "summary": design.summary, "boards": design.boards}))
        .collect();
    let targets: Vec<Value> = targets()?
        .targets
        .iter()
        .map(|target| {
            let goal = target.mhz.map(|mhz| format!(", {mhz} MHz")).unwrap_or_default();
            let summary = format!("{} {} on {}{goal}", target.block, target.preset, target.device);
            json!({"name": target.name, "summary": summary})
        })
        .collect();
    let scenarios: Vec<Value> = scenarios::all()?
        .list()
        .map(|scenario| {
            let parameters: Vec<Value> = scenario
                .parameters()
                .iter()
                .map(|parameter| {
                    json!({
                        "name": parameter.name,
                        "default": parameter.default,
                        "allowed": {"range": [parameter.min, parameter.max]},
                        "meaning": parameter.doc,
                    })
                })
                .collect();
            json!({"name": scenario.name(), "summary": scenario.summary(), "parameters": parameters})
        })
        .collect();
    Ok(json!({
        "blocks": registry().iter().map(block).collect::<Vec<_>>(),
        "boards": boards,
        "designs": designs,
        "targets": targets,
        "scenarios": scenarios,
    }))
}

fn block(entry: &BlockEntry) -> Value {
    let parameters: Vec<Value> = entry
        .parameters
        .iter()
        .map(|parameter| {
            json!({
                "name": parameter.name,
                "default": parameter.default,
                "allowed": allowed(parameter.allowed),
                "meaning": parameter.doc,
            })
        })
        .collect();
    let presets: Vec<Value> = entry
        .presets
        .iter()
        .map(|preset| {
            let values: serde_json::Map<_, _> =
                preset.values.iter().map(|(key, value)| ((*key).into(), json!(value))).collect();
            json!({"name": preset.name, "values": values})
        })
        .collect();
    json!({
        "name": entry.name,
        "chapter": entry.chapter,
        "summary": entry.summary,
        "parameters": parameters,
        "presets": presets,
    })
}

fn allowed(allowed: Allowed) -> Value {
    match allowed {
        Allowed::OneOf(values) => json!({"one_of": values}),
        Allowed::Range(least, most) => json!({"range": [least, most]}),
    }
}

fn print_plain(list: &Value) {
    let text = |item: &Value, key: &str| item[key].as_str().unwrap_or_default().to_owned();
    for kind in list.as_object().into_iter().flat_map(|object| object.keys()) {
        println!("{kind}:");
        for item in list[kind].as_array().into_iter().flatten() {
            println!("  {:<18} {}", text(item, "name"), text(item, "summary"));
            for parameter in item["parameters"].as_array().into_iter().flatten() {
                let allowed = match (&parameter["allowed"]["one_of"], &parameter["allowed"]["range"]) {
                    (Value::Null, range) => format!("{}..{}", range[0], range[1]),
                    (values, _) => values.to_string().replace(',', ", "),
                };
                println!(
                    "  {:<18}   {} = {} {allowed}: {}",
                    "",
                    text(parameter, "name"),
                    parameter["default"],
                    text(parameter, "meaning")
                );
            }
            let presets: Vec<String> =
                item["presets"].as_array().into_iter().flatten().map(|preset| text(preset, "name")).collect();
            if presets.len() > 1 {
                println!("  {:<18}   presets: {}", "", presets.join(", "));
            }
        }
    }
}
