//! `flitforge list`: what there is.

use crate::exit::Failure;
use crate::say::say;
use crate::scenarios;
use crate::targets::targets;
use anyhow::Result;
use clap::Args;
use flitforge_boards::{boards, designs};
use flitforge_hdl::registry::{registry, Allowed, BlockEntry};
use serde_json::{json, Value};

/// List blocks, boards, designs, targets and scenarios, or show the parameters and presets of some.
#[derive(Args)]
pub struct List {
    /// Names to be shown with all there is to know: parameters, their ranges and defaults, presets.
    names: Vec<String>,
    /// Only what has this in its name or its line, in capitals or not.
    #[arg(long, value_name = "TEXT")]
    grep: Option<String>,
    /// Machine-readable, with parameters and presets.
    #[arg(long)]
    json: bool,
}

impl List {
    /// Prints the list.
    pub fn run(&self) -> Result<()> {
        let mut list = describe()?;
        self.check(&list)?;
        for items in list.as_object_mut().into_iter().flat_map(|object| object.values_mut()) {
            if let Value::Array(items) = items {
                items.retain(|item| self.wants(item));
            }
        }
        if let Some(text) = self.grep.as_ref().filter(|_| items(&list).next().is_none()) {
            return Err(Failure::usage(format!("nothing has `{text}` in its name or its line")).into());
        }
        if self.json {
            say!("{}", serde_json::to_string_pretty(&list)?)?;
        } else {
            print_plain(&list, !self.names.is_empty())?;
        }
        Ok(())
    }

    fn wants(&self, item: &Value) -> bool {
        let named = self.names.is_empty() || self.names.iter().any(|name| item["name"] == name.as_str());
        let has = |text: &String| {
            let line = format!("{} {}", word(item, "name"), word(item, "summary"));
            line.to_lowercase().contains(&text.to_lowercase())
        };
        named && self.grep.as_ref().is_none_or(has)
    }

    /// Every name must be there.
    fn check(&self, list: &Value) -> Result<(), Failure> {
        for name in &self.names {
            if !items(list).any(|item| item["name"] == name.as_str()) {
                let names = items(list).map(|item| item["name"].as_str().unwrap_or_default());
                let hint = flitforge_names::hint(name, names, "`flitforge list` has all names");
                return Err(Failure::usage(format!("nothing is called `{name}`; {hint}")));
            }
        }
        Ok(())
    }
}

/// All entries of all kinds.
fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_object().into_iter().flat_map(|object| object.values()).filter_map(Value::as_array).flatten()
}

fn word(item: &Value, key: &str) -> String {
    item[key].as_str().unwrap_or_default().to_owned()
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
        Allowed::PowerOfTwo(least, most) => json!({"power_of_two": [least, most]}),
    }
}

/// A line for each entry, and with `whole` what there is below it.
fn print_plain(list: &Value, whole: bool) -> Result<()> {
    for (kind, entries) in list.as_object().into_iter().flatten() {
        let entries = entries.as_array().map(Vec::as_slice).unwrap_or_default();
        if entries.is_empty() {
            continue;
        }
        say!("{kind}:")?;
        for entry in entries {
            say!("  {:<18} {}", word(entry, "name"), word(entry, "summary"))?;
            if whole {
                print_below(entry)?;
            }
        }
    }
    if !whole {
        say!("`flitforge list NAME` shows parameters and presets; `--grep TEXT` looks for something.")?;
    }
    Ok(())
}

fn print_below(entry: &Value) -> Result<()> {
    for (label, key) in [("chapter", "chapter"), ("device", "device")] {
        if let Some(text) = entry[key].as_str() {
            say!("      {label}: {text}")?;
        }
    }
    if let Some(boards) = entry["boards"].as_array() {
        let boards: Vec<&str> = boards.iter().filter_map(Value::as_str).collect();
        say!("      boards: {}", boards.join(", "))?;
    }
    for parameter in entry["parameters"].as_array().into_iter().flatten() {
        let kinds = &parameter["allowed"];
        let allowed = match (&kinds["one_of"], &kinds["range"], &kinds["power_of_two"]) {
            (Value::Null, Value::Null, powers) => format!("a power of two, {}..{}", powers[0], powers[1]),
            (Value::Null, range, _) => format!("{}..{}", range[0], range[1]),
            (values, ..) => values.to_string().replace(',', ", "),
        };
        say!(
            "      {} = {} {allowed}: {}",
            word(parameter, "name"),
            parameter["default"],
            word(parameter, "meaning")
        )?;
    }
    for preset in entry["presets"].as_array().into_iter().flatten() {
        let values: Vec<String> = preset["values"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(key, value)| format!("{key} = {value}"))
            .collect();
        say!(
            "      preset {}: {}",
            word(preset, "name"),
            if values.is_empty() { "the defaults".into() } else { values.join(", ") }
        )?;
    }
    Ok(())
}
