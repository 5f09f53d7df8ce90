//! Metrics of a scenario as text for people: a line for each figure, a table where there are rows.

use flitforge_flow::report::markdown::table;
use flitforge_sim::scenario::Metrics;
use serde_json::{Map, Value};
use std::fmt::Write;

/// Digits after the point.
const DIGITS: usize = 3;

/// The metrics, in their order; what is within an object has its path as its name, `config.network.seed`.
pub fn text(metrics: &Metrics) -> String {
    let mut text = String::new();
    object(&mut text, "", metrics);
    text
}

fn object(text: &mut String, path: &str, members: &Map<String, Value>) {
    for (name, value) in members {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        match value {
            Value::Object(inner) if counts_of(name, inner).is_some() => {
                let rows = inner.iter().map(|(name, count)| vec![name.clone(), scalar(count)]);
                section(text, &path);
                table(text, &[counts_of(name, inner).unwrap_or_default(), "count"], rows);
            }
            Value::Object(inner) => object(text, &path, inner),
            Value::Array(rows) if !rows.is_empty() && rows.iter().all(Value::is_object) => {
                several(text, &path, rows);
            }
            other => {
                let _ = writeln!(text, "{path:<36} {}", scalar(other));
            }
        }
    }
}

/// What the names in an object of counts are, if it is one.
fn counts_of(name: &str, members: &Map<String, Value>) -> Option<&'static str> {
    let known = [("counters", "register"), ("rows", "LTP received (chapter 10, 4.3)")];
    let (_, head) = known.into_iter().find(|(known, _)| *known == name)?;
    (!members.is_empty() && members.values().all(Value::is_number)).then_some(head)
}

/// The line before a table.
fn section(text: &mut String, path: &str) {
    if !text.is_empty() && !text.ends_with("\n\n") {
        text.push('\n');
    }
    let _ = writeln!(text, "{path}:\n");
}

/// Rows of a table, or a section for each if they hold rows themselves.
fn several(text: &mut String, path: &str, rows: &[Value]) {
    let rows: Vec<_> = rows.iter().filter_map(Value::as_object).collect();
    let holds_rows =
        |row: &&Map<String, Value>| row.values().any(|value| value.is_array() || value.is_object());
    if rows.iter().any(holds_rows) {
        for (index, row) in rows.into_iter().enumerate() {
            let title = row.get("name").map_or_else(|| index.to_string(), scalar);
            let _ = writeln!(text, "\n## {path}: {title}\n");
            let mut members = row.clone();
            members.shift_remove("name");
            object(text, "", &members);
        }
        return;
    }
    let mut heads: Vec<&str> = vec![];
    for name in rows.iter().flat_map(|row| row.keys()) {
        if !heads.contains(&name.as_str()) {
            heads.push(name);
        }
    }
    let cells = |row: &Map<String, Value>| {
        heads.iter().map(|head| row.get(*head).map_or_else(String::new, scalar)).collect()
    };
    section(text, path);
    table(text, &heads, rows.iter().map(|row| cells(row)));
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(figure) => rounded(figure),
            None => number.to_string(),
        },
        Value::Array(values) => values.iter().map(scalar).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// Zeros at the end are left out, as in `0.5`; below 0.1 it is three digits and a power of ten, as in `1.20e-8`.
fn rounded(figure: f64) -> String {
    let fixed = format!("{figure:.DIGITS$}");
    let short = fixed.trim_end_matches('0').trim_end_matches('.');
    let kept = figure == 0.0 || figure.abs() >= 0.1;
    if kept {
        short.to_owned()
    } else {
        format!("{figure:.2e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shown(value: &Value) -> String {
        text(value.as_object().expect("an object"))
    }

    #[test]
    fn figures_are_lines_and_objects_are_paths() {
        let text = shown(
            &json!({"runs": 20, "errors": {"worst_ps": -519.5864, "part": 0.000_012}, "lanes": [1, 0], "who": "a b"}),
        );
        let lines: Vec<Vec<&str>> =
            text.lines().map(|line| line.splitn(2, ' ').map(str::trim).collect()).collect();
        assert_eq!(
            lines,
            [
                ["runs", "20"],
                ["errors.worst_ps", "-519.586"],
                ["errors.part", "1.20e-5"],
                ["lanes", "1, 0"],
                ["who", "a b"]
            ]
        );
    }

    #[test]
    fn rows_are_a_table_and_rows_of_rows_are_sections() {
        let text = shown(&json!({"results": [
            {"name": "BEAT", "hops": [{"switches": 1, "rms_ps": 49.5}, {"switches": 2, "rms_ps": 60.0}]},
            {"name": "NONE", "hops": []},
        ]}));
        let expected =
            "\n## results: BEAT\n\nhops:\n\n| switches | rms_ps |\n|---|---|\n| 1 | 49.5 |\n| 2 | 60 |\n\n\
            \n## results: NONE\n\nhops                                 \n";
        assert_eq!(text, expected);
    }

    #[test]
    fn counters_are_a_table_under_their_registers() {
        let text = shown(&json!({"flits": 3, "counters": {"RX_GOOD": 7, "RX_BAD": 1}, "rows": {}}));
        let expected = "\ncounters:\n\n| register | count |\n|---|---|\n| RX_GOOD | 7 |\n| RX_BAD | 1 |\n\n";
        assert!(text.ends_with(expected), "{text}");
    }

    #[test]
    fn nothing_of_rows_that_differ_is_lost() {
        let text = shown(&json!({"rows": [{"a": 1}, {"b": 2}], "mixed": [{"a": 1}, 3]}));
        assert!(text.contains("| a | b |\n|---|---|\n| 1 |  |\n|  | 2 |\n"), "{text}");
        assert!(text.contains("{\"a\":1}, 3"), "{text}");
    }

    #[test]
    fn a_whole_figure_keeps_its_zeros() {
        assert_eq!(
            ["100", "0", "0.5", "-1.001"],
            [100.0, 0.0, 0.5, -1.0009].map(rounded).each_ref().map(String::as_str)
        );
    }
}
