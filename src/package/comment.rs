//! What stands above a file, and at a block's ports.

use super::{LICENCE, VERSION};
use crate::blocks::Emitted;
use flitforge_elaborate::verilog::DIGEST_BYTES;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Columns of a comment.
const COLUMNS: usize = 110;

/// The head of a file: the block, if it is one's; version, licence and command.
pub fn header(block: Option<&Emitted>, command: &str) -> String {
    let mut lines = vec![];
    if let Some(emitted) = block {
        let (info, entry) = (&emitted.info, emitted.entry);
        let parameters: Vec<String> =
            emitted.settings.iter().map(|(key, value)| format!("{key} = {value}")).collect();
        lines.push(format!(
            "{} ({}, chapter {}): {}",
            emitted.top(),
            entry.name,
            entry.chapter,
            entry.summary
        ));
        lines.push(format!("Parameters: {}", or_none(&parameters)));
        let latency = match info.latency_clocks {
            Some(1) => format!("1 clock, {}", info.latency_note),
            Some(clocks) => format!("{clocks} clocks, {}", info.latency_note),
            None => or_none(std::slice::from_ref(&info.latency_note).iter().filter(|note| !note.is_empty())),
        };
        lines.push(format!("Latency: {latency}"));
        let clears = match info.clears.is_empty() {
            true => "none".into(),
            false => format!("{} (synchronous, active high)", info.clears.join(", ")),
        };
        lines.push(format!("Clocks: {} (rising edge). Clear: {clears}", or_none(&info.clocks)));
    }
    lines.push(format!("Written by flitforge {VERSION}: {command}"));
    lines.push(format!("SPDX-License-Identifier: {LICENCE}"));
    lines.iter().flat_map(|line| wrapped(line)).map(|line| format!("// {line}\n")).collect()
}

fn or_none<'a>(texts: impl IntoIterator<Item = &'a String>) -> String {
    let texts: Vec<&str> = texts.into_iter().map(String::as_str).collect();
    match texts.is_empty() {
        true => "none".into(),
        false => texts.join(", "),
    }
}

/// Comments at the ports of a block: by Rust path. The text of an interface stands at its first port.
pub fn port_comments(emitted: &Emitted) -> BTreeMap<String, String> {
    let mut comments = BTreeMap::new();
    let mut known = "";
    for port in &emitted.interface.ports {
        let first = port.path.split('.').next().unwrap_or_default();
        let text = match first == known {
            false => emitted.meanings.exact(first),
            // A bundle says of each port what it is; data, valid and ready of a stream are known.
            true => None,
        };
        let of_stream = emitted.info.streams.iter().any(|stream| stream.name == first);
        let own = emitted.meanings.exact(&port.path).filter(|_| !of_stream && port.path != first);
        known = first;
        let text: Vec<&str> = text.into_iter().chain(own).collect();
        if !text.is_empty() {
            comments.insert(port.path.clone(), wrapped(&text.join(" ")).join("\n"));
        }
    }
    comments
}

/// Lines of at most [`COLUMNS`], if the words allow it.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.len() + 1 + word.len() <= COLUMNS => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(format!("    {word}")),
        }
    }
    lines
}

/// The beginning of the SHA-256 of texts, in hexadecimal digits.
pub fn digest<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut digest = Sha256::new();
    texts.for_each(|text| digest.update(text));
    digest.finalize().iter().take(DIGEST_BYTES).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_wrapped_between_words() {
        let text = "word ".repeat(50);
        let lines = wrapped(&text);
        assert_eq!(lines.iter().map(|line| line.split_whitespace().count()).sum::<usize>(), 50);
        assert!(lines.len() == 3 && lines.iter().all(|line| line.len() <= COLUMNS), "{lines:?}");
        assert_eq!(wrapped("one two"), ["one two"]);
    }
}
