//! The rows of a block's ports: a row for each, one for a stream and one for all elements of an array.

use flitforge_elaborate::drive::Meanings;
use flitforge_elaborate::interface::{Direction, Port, PortShape};
use flitforge_hdl::registry::{InterfaceInfo, StreamInfo, StreamRole};

/// A row.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    /// Path with the range of each index.
    pub path: String,
    bits: u32,
    direction: &'static str,
    role: &'static str,
    /// What the sources say.
    pub meaning: String,
}

impl Row {
    /// As Markdown.
    pub fn text(&self) -> String {
        let Self { path, bits, direction, role, meaning } = self;
        format!("| `{path}` | {bits} | {direction} | {role} | {} |\n", meaning.replace('|', "\\|"))
    }
}

/// The rows of these ports, in their order.
pub fn rows(ports: &[Port], info: &InterfaceInfo, meanings: &Meanings) -> Vec<Row> {
    let mut rows: Vec<(String, Vec<usize>, Row)> = vec![];
    for port in ports {
        let stream = info
            .streams
            .iter()
            .find(|stream| port.path.strip_prefix(&stream.name).is_some_and(|rest| rest.starts_with('.')));
        let path = stream.map_or(port.path.as_str(), |stream| &stream.name);
        if stream.is_some() && !port.path.ends_with(".data") {
            continue;
        }
        let (pattern, indices) = taken_apart(path);
        match rows.iter_mut().find(|(known, ..)| *known == pattern) {
            Some((_, most, _)) => {
                most.iter_mut().zip(indices).for_each(|(most, index)| *most = index.max(*most))
            }
            None => rows.push((pattern, indices, row(port, path, stream, info, meanings))),
        }
    }
    let put =
        |(pattern, most, row): (String, Vec<usize>, Row)| Row { path: put_together(&pattern, &most), ..row };
    rows.into_iter().map(put).collect()
}

fn row(
    port: &Port,
    path: &str,
    stream: Option<&StreamInfo>,
    info: &InterfaceInfo,
    meanings: &Meanings,
) -> Row {
    let role = match stream.map(|stream| stream.role) {
        Some(StreamRole::StreamSink | StreamRole::StreamSource) => "stream",
        Some(StreamRole::FlowSink | StreamRole::FlowSource) => "flow",
        None if port.shape == PortShape::Clock => "clock",
        None if info.clears.contains(&port.path) => "clear",
        None => "",
    };
    let direction = match port.direction {
        Direction::Input => "in",
        Direction::Output => "out",
        Direction::InOut => "in and out",
    };
    let meaning = meanings.nearest(path).unwrap_or_default().to_owned();
    Row { path: path.into(), bits: port.width, direction, role, meaning }
}

/// `lanes[2].data` as `lanes[].data` and 2.
fn taken_apart(path: &str) -> (String, Vec<usize>) {
    let (mut pattern, mut indices) = (String::new(), vec![]);
    for (at, part) in path.split('[').enumerate() {
        let index = part.split_once(']').and_then(|(index, rest)| Some((index.parse().ok()?, rest)));
        match index.filter(|_| at > 0) {
            Some((index, rest)) => {
                indices.push(index);
                pattern += "[]";
                pattern += rest;
            }
            None => pattern += part,
        }
    }
    (pattern, indices)
}

/// `lanes[].data` and 3 as `lanes[0 to 3].data`.
fn put_together(pattern: &str, most: &[usize]) -> String {
    let mut parts = pattern.split("[]");
    let mut path = parts.next().unwrap_or_default().to_owned();
    for (part, most) in parts.zip(most) {
        path += &if *most == 0 { "[0]".to_owned() } else { format!("[0 to {most}]") };
        path += part;
    }
    path
}
