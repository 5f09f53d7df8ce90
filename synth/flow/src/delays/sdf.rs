//! The placer's SDF file as a graph of pins.

use crate::error::{FlowError, FlowResult};
use crate::ladder::place::DELAYS;
use std::borrow::Cow;
use std::collections::HashMap;

/// What lies between two pins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArcKind {
    Wire,
    Cell,
}

/// From a pin to another one, in picoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arc {
    pub from: u32,
    pub to: u32,
    pub ps: f64,
    pub kind: ArcKind,
}

/// A pin: its cell's number and its port.
#[derive(Clone, Debug)]
pub(super) struct Pin {
    pub cell: u32,
    pub port: String,
}

/// The delays of a placed design: of rising and falling edges the slower, at the slowest corner.
#[derive(Clone, Debug, Default)]
pub struct Delays {
    pub(super) cells: Vec<String>,
    pub(super) pins: Vec<Pin>,
    /// Wires and combinational paths through cells.
    pub(super) arcs: Vec<Arc>,
    /// Outputs of registers: pin, clock-to-output in picoseconds.
    pub(super) launches: Vec<(u32, f64)>,
    /// Inputs of registers: pin to set-up time in picoseconds.
    pub(super) captures: HashMap<u32, f64>,
    pin_numbers: HashMap<String, u32>,
    cell_numbers: HashMap<String, u32>,
}

impl Delays {
    /// Reads an SDF file.
    pub fn parse(text: &str) -> FlowResult<Delays> {
        let mut text = Text { text, at: 0 };
        let mut delays = Delays::default();
        text.open("DELAYFILE")?;
        while let Some(item) = text.item()? {
            if let ("CELL", fields) = item.head() {
                delays.cell(fields).ok_or_else(|| text.wrong("a cell that is not understood ends here"))?;
            }
        }
        text.close()?;
        Ok(delays)
    }

    /// `None` if a field is not what it should be.
    fn cell(&mut self, fields: &[Item<'_>]) -> Option<()> {
        let of = |name: &'static str| fields.iter().filter(move |f| f.head().0 == name);
        let instance = of("INSTANCE").next().and_then(|f| f.head().1.first()).map_or("", Item::word);
        let mut clocks: Vec<&str> = vec![];
        for check in of("TIMINGCHECK").flat_map(|f| f.head().1) {
            let ("SETUPHOLD", [data, clock, setup, ..]) = check.head() else { continue };
            let pin = self.pin(&format!("{instance}/{}", data.last_word()))?;
            let setup = setup.worst()?;
            let entry = self.captures.entry(pin).or_insert(setup);
            *entry = entry.max(setup);
            clocks.push(clock.last_word());
        }
        let delays = of("DELAY").flat_map(|f| f.head().1).flat_map(|f| f.head().1);
        for delay in delays {
            let (kind, [from, to, edges @ ..]) = delay.head() else { continue };
            let ps = edges.iter().map(Item::worst).collect::<Option<Vec<f64>>>()?;
            let ps = ps.into_iter().fold(0.0, f64::max);
            match kind {
                "INTERCONNECT" => {
                    let (from, to) = (self.pin(from.word())?, self.pin(to.word())?);
                    self.arcs.push(Arc { from, to, ps, kind: ArcKind::Wire });
                }
                "IOPATH" => {
                    let output = self.pin(&format!("{instance}/{}", to.word()))?;
                    if clocks.contains(&from.last_word()) {
                        self.launches.push((output, ps));
                    } else {
                        let from = self.pin(&format!("{instance}/{}", from.last_word()))?;
                        self.arcs.push(Arc { from, to: output, ps, kind: ArcKind::Cell });
                    }
                }
                _ => {}
            }
        }
        Some(())
    }

    /// The number of `cell/port`.
    fn pin(&mut self, name: &str) -> Option<u32> {
        if let Some(pin) = self.pin_numbers.get(name) {
            return Some(*pin);
        }
        let (cell, port) = name.rsplit_once('/')?;
        let cell = *self.cell_numbers.entry(cell.to_string()).or_insert_with(|| {
            self.cells.push(cell.to_string());
            self.cells.len() as u32 - 1
        });
        self.pins.push(Pin { cell, port: port.to_string() });
        let number = self.pins.len() as u32 - 1;
        self.pin_numbers.insert(name.to_string(), number);
        Some(number)
    }
}

/// A word, or a list in brackets.
#[derive(Clone, Debug, PartialEq)]
enum Item<'t> {
    Word(Cow<'t, str>),
    List(Vec<Item<'t>>),
}

impl<'t> Item<'t> {
    /// The first word of a list and what follows it; empty for anything else.
    fn head(&self) -> (&str, &[Item<'t>]) {
        match self {
            Item::List(items) => match items.split_first() {
                Some((Item::Word(word), rest)) => (word, rest),
                _ => ("", &[]),
            },
            Item::Word(_) => ("", &[]),
        }
    }

    fn word(&self) -> &str {
        match self {
            Item::Word(word) => word,
            Item::List(_) => "",
        }
    }

    /// The word, or the last one of a list: `(posedge CLK)`.
    fn last_word(&self) -> &str {
        match self {
            Item::Word(word) => word,
            Item::List(items) => items.last().map_or("", Item::word),
        }
    }

    /// The last number of `(fast:typical:slow)`.
    fn worst(&self) -> Option<f64> {
        self.last_word().rsplit(':').next()?.parse().ok()
    }
}

/// The file as far as it is read.
struct Text<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Text<'t> {
    fn wrong(&self, message: &str) -> FlowError {
        FlowError::ToolOutput {
            tool: "nextpnr-ecp5".into(),
            file: DELAYS.into(),
            message: format!("byte {}: {message}", self.at),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn open(&mut self, head: &str) -> FlowResult<()> {
        self.skip_space();
        if self.peek() != Some(b'(') {
            return Err(self.wrong("`(` expected"));
        }
        self.at += 1;
        match self.item()? {
            Some(Item::Word(word)) if word == head => Ok(()),
            _ => Err(self.wrong(&format!("`{head}` expected"))),
        }
    }

    fn close(&mut self) -> FlowResult<()> {
        self.skip_space();
        if self.peek() != Some(b')') {
            return Err(self.wrong("`)` expected; the file is cut off"));
        }
        self.at += 1;
        Ok(())
    }

    /// The next item; `None` before a closing bracket and at the end.
    fn item(&mut self) -> FlowResult<Option<Item<'t>>> {
        self.skip_space();
        match self.peek() {
            None | Some(b')') => Ok(None),
            Some(b'(') => {
                self.at += 1;
                let mut list = vec![];
                while let Some(item) = self.item()? {
                    list.push(item);
                }
                self.close()?;
                Ok(Some(Item::List(list)))
            }
            Some(b'"') => {
                let start = self.at + 1;
                let end = self.text[start..].find('"').ok_or_else(|| self.wrong("a string does not end"))?;
                self.at = start + end + 1;
                Ok(Some(Item::Word(self.text[start..start + end].into())))
            }
            Some(_) => Ok(Some(Item::Word(self.word()))),
        }
    }

    /// A word; a backslash takes the next character as it is.
    fn word(&mut self) -> Cow<'t, str> {
        let start = self.at;
        let mut escaped = false;
        while let Some(byte) = self.peek() {
            match byte {
                b'\\' => {
                    escaped = true;
                    self.at += 1;
                }
                b'(' | b')' => break,
                _ if byte.is_ascii_whitespace() => break,
                _ => {}
            }
            self.at = (self.at + 1).min(self.text.len());
        }
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
        let word = &self.text[start..self.at];
        if !escaped {
            return word.into();
        }
        let mut plain = String::with_capacity(word.len());
        let mut letters = word.chars();
        while let Some(letter) = letters.next() {
            plain.push(if letter == '\\' { letters.next().unwrap_or(letter) } else { letter });
        }
        plain.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lose_their_escapes_and_lists_nest() {
        let mut text = Text { text: r#"(A dut.cw\[0\]/Q "b c" (1:2:3) ())"#, at: 0 };
        let item = text.item().unwrap().unwrap();
        let (head, rest) = item.head();
        assert_eq!((head, rest[0].word(), rest[1].word()), ("A", "dut.cw[0]/Q", "b c"));
        assert_eq!((rest[2].worst(), rest[3].clone()), (Some(3.0), Item::List(vec![])));
    }

    #[test]
    fn what_is_no_such_file_is_refused_with_the_place() {
        for (text, part) in [
            ("", "byte 0: `(` expected"),
            ("(OTHER)", "`DELAYFILE` expected"),
            ("(DELAYFILE (CELL (INSTANCE a)", "cut off"),
            ("(DELAYFILE (DESIGN \"x))", "string does not end"),
            ("(DELAYFILE (CELL (DELAY (ABSOLUTE (INTERCONNECT a/Q b/D (x:y:z))))))", "not understood"),
            ("(DELAYFILE (CELL (DELAY (ABSOLUTE (INTERCONNECT a b (1:1:1))))))", "not understood"),
        ] {
            let message = Delays::parse(text).unwrap_err().to_string();
            assert!(message.contains(part) && message.contains(DELAYS), "{text}: {message}");
        }
    }
}
