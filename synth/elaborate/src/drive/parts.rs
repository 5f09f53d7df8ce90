//! [`Drive`](super::Drive) of what has named ports, and of arrays.
//!
//! Every block and every width of it has an implementation of its own. What such an implementation does stands here, once and
//! without types, so that an implementation is no more than a table of names and one line for each port.

use super::Drive;
use crate::value::Value;

/// A block or an interface as its ports.
pub trait Parts {
    /// The name of each port, and what the sources say of it.
    fn names(&self) -> &'static [(&'static str, &'static str)];
    /// The port of this place in the table.
    fn part(&self, at: usize) -> Option<&dyn Drive>;
    /// The port of this place in the table, to be driven.
    fn part_mut(&mut self, at: usize) -> Option<&mut dyn Drive>;
}

/// Splits `bus.address` and `lanes[2].data` after the first name.
fn split_name(path: &str) -> (&str, &str) {
    let (head, rest) = path.split_at(path.find(['.', '[']).unwrap_or(path.len()));
    (head, rest.strip_prefix('.').unwrap_or(rest))
}

fn place(item: &dyn Parts, name: &str) -> Option<usize> {
    item.names().iter().position(|(port, _)| *port == name)
}

fn below(prefix: &str, name: &str) -> String {
    let dot = if prefix.is_empty() { "" } else { "." };
    format!("{prefix}{dot}{name}")
}

/// [`Drive::drive`](super::Drive::drive).
pub fn drive(item: &mut dyn Parts, path: &str, value: &Value) -> bool {
    let (name, rest) = split_name(path);
    place(item, name).and_then(|at| item.part_mut(at)).is_some_and(|part| part.drive(rest, value))
}

/// [`Drive::sample`](super::Drive::sample).
pub fn sample(item: &dyn Parts, path: &str) -> Option<Value> {
    let (name, rest) = split_name(path);
    item.part(place(item, name)?)?.sample(rest)
}

/// [`Drive::list`](super::Drive::list).
pub fn list(item: &dyn Parts, prefix: &str, into: &mut Vec<(String, u32, bool)>) {
    for (at, (name, _)) in item.names().iter().enumerate() {
        if let Some(part) = item.part(at) {
            part.list(&below(prefix, name), into);
        }
    }
}

/// [`Drive::meanings`](super::Drive::meanings).
pub fn meanings(item: &dyn Parts, prefix: &str, into: &mut Vec<(String, &'static str)>) {
    for (at, (name, text)) in item.names().iter().enumerate() {
        let path = below(prefix, name);
        if let Some(part) = item.part(at) {
            part.meanings(&path, into);
        }
        if !text.is_empty() {
            into.push((path, text));
        }
    }
}

/// Splits `[2].data` after the index.
fn split_index(path: &str) -> Option<(usize, &str)> {
    let (index, rest) = path.strip_prefix('[')?.split_once(']')?;
    Some((index.parse().ok()?, rest.strip_prefix('.').unwrap_or(rest)))
}

/// The items of an array.
trait Items {
    fn item(&self, at: usize) -> Option<&dyn Drive>;
    fn item_mut(&mut self, at: usize) -> Option<&mut dyn Drive>;
}

impl<T: Drive, const N: usize> Items for [T; N] {
    fn item(&self, at: usize) -> Option<&dyn Drive> {
        if at < N {
            Some(&self[at])
        } else {
            None
        }
    }
    fn item_mut(&mut self, at: usize) -> Option<&mut dyn Drive> {
        if at < N {
            Some(&mut self[at])
        } else {
            None
        }
    }
}

fn drive_item(array: &mut dyn Items, path: &str, value: &Value) -> bool {
    split_index(path)
        .and_then(|(at, rest)| array.item_mut(at).map(|item| item.drive(rest, value)))
        .unwrap_or(false)
}

fn sample_item(array: &dyn Items, path: &str) -> Option<Value> {
    let (at, rest) = split_index(path)?;
    array.item(at)?.sample(rest)
}

fn list_items(array: &dyn Items, prefix: &str, into: &mut Vec<(String, u32, bool)>) {
    let items = (0..).map_while(|at| array.item(at));
    items.enumerate().for_each(|(at, item)| item.list(&format!("{prefix}[{at}]"), into));
}

impl<T: Drive, const N: usize> Drive for [T; N] {
    fn drive(&mut self, path: &str, value: &Value) -> bool {
        drive_item(self, path, value)
    }
    fn sample(&self, path: &str) -> Option<Value> {
        sample_item(self, path)
    }
    fn list(&self, prefix: &str, into: &mut Vec<(String, u32, bool)>) {
        list_items(self, prefix, into);
    }
    fn meanings(&self, prefix: &str, into: &mut Vec<(String, &'static str)>) {
        if let Some(item) = self.item(0) {
            item.meanings(prefix, into);
        }
    }
}
