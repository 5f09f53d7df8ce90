//! The identifiers of one emitted module: the graph's signals, and the versions, copies and named
//! sub-expressions the writer adds.

use super::names::{upper_snake, Names};
use crate::graph::{Module, Shape, Signal, SignalId, SignalKind};
use crate::value::Value;
use std::collections::BTreeMap;

/// How an identifier is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Net {
    /// Driven by continuous assignment or an instance.
    Wire,
    /// Driven in an `always` block.
    Reg,
    /// A `localparam`.
    Constant,
    /// Stands for another identifier or a literal; not declared.
    Alias,
    /// Declared where it is assigned.
    Inline,
}

/// One identifier.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// Verilog name, or the text an alias stands for.
    pub name: String,
    /// Width in bits.
    pub width: u32,
    /// Declaration.
    pub net: Net,
    /// How its bits read.
    pub shape: &'a Shape,
    /// Bits that something reads.
    pub used: Value,
    /// What an alias stands for, if it is another identifier.
    pub alias_of: Option<SignalId>,
    /// Attributes in front of the declaration, with a trailing space, or empty.
    pub attributes: String,
}

/// Bits without structure.
pub static BITS: Shape = Shape::Bits;

/// The identifiers of a module; [`SignalId`]s beyond the module's signals are the writer's own.
pub struct Table<'a> {
    /// The module.
    pub module: &'a Module,
    entries: Vec<Entry<'a>>,
    /// Identifiers in use.
    pub names: Names,
    enumerations: BTreeMap<(String, u32, u64), (String, Value)>,
    /// Values of signals whose logic folded to a constant.
    learned: BTreeMap<SignalId, Value>,
}

impl<'a> Table<'a> {
    /// The table with the module's own signals.
    pub fn new(module: &'a Module) -> Self {
        let mut names = Names::default();
        module.signals.iter().for_each(|signal| names.reserve(&signal.name));
        module.instances.iter().for_each(|instance| names.reserve(&instance.name));
        module.memories.iter().for_each(|memory| names.reserve(&memory.name));
        // No other module's name: what a module's text holds must not depend on what else the design has.
        names.reserve(&module.name);
        let entries = module.signals.iter().map(entry).collect();
        Self { module, entries, names, enumerations: BTreeMap::new(), learned: BTreeMap::new() }
    }

    /// An identifier by id.
    pub fn entry(&self, id: SignalId) -> &Entry<'a> {
        &self.entries[id.0 as usize]
    }

    /// An identifier by id.
    pub fn entry_mut(&mut self, id: SignalId) -> &mut Entry<'a> {
        &mut self.entries[id.0 as usize]
    }

    /// All identifiers with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (SignalId, &Entry<'a>)> {
        (0u32..).map(SignalId).zip(&self.entries)
    }

    /// True if the graph itself has this signal.
    pub fn is_own(&self, id: SignalId) -> bool {
        (id.0 as usize) < self.module.signals.len()
    }

    /// Adds an identifier of the writer.
    pub fn add(&mut self, name: String, width: u32, net: Net, shape: &'a Shape) -> SignalId {
        let id = SignalId(self.entries.len() as u32);
        let (used, attributes) = (Value::zero(width), String::new());
        self.entries.push(Entry { name, width, net, shape, used, alias_of: None, attributes });
        id
    }

    /// The name for reading bits `offset .. offset + width`; counts them as used.
    pub fn read(&mut self, id: SignalId, offset: u32, width: u32) -> String {
        let end = self.resolve(id);
        let entry = self.entry_mut(end);
        (offset..offset + width).for_each(|bit| entry.used.set_bit(bit, true));
        entry.name.clone()
    }

    /// The name for reading all bits.
    pub fn read_all(&mut self, id: SignalId) -> String {
        let width = self.entry(id).width;
        self.read(id, 0, width)
    }

    /// The identifier behind a chain of aliases.
    pub fn resolve(&self, id: SignalId) -> SignalId {
        match self.entry(id).alias_of {
            Some(next) => self.resolve(next),
            None => id,
        }
    }

    /// The value of a signal that is fixed at elaboration, or whose logic folded to a constant.
    pub fn constant(&self, id: SignalId) -> Option<Value> {
        let id = self.resolve(id);
        self.fixed(id).or_else(|| self.learned.get(&id)).cloned()
    }

    /// True if `id` is written as a `localparam`, of which no bits can be selected.
    pub fn is_parameter(&self, id: SignalId) -> bool {
        self.fixed(self.resolve(id)).is_some()
    }

    fn fixed(&self, id: SignalId) -> Option<&'a Value> {
        match &self.module.signals.get(id.0 as usize)?.kind {
            SignalKind::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// Notes that the logic of `id` folded to a constant; true if that is new.
    pub fn learn(&mut self, id: SignalId, value: Value) -> bool {
        self.learned.insert(id, value).is_none()
    }

    /// A literal of `shape`: the variant's name if it is an enumeration.
    pub fn literal(&mut self, value: &Value, shape: &Shape) -> String {
        let Shape::Enum(name, variants) = shape else { return literal(value) };
        let Some((code, variant)) =
            value.to_u64().and_then(|code| Some((code, variants.get(usize::try_from(code).ok()?)?)))
        else {
            return literal(value);
        };
        let key = (name.clone(), value.width(), code);
        if let Some((known, _)) = self.enumerations.get(&key) {
            return known.clone();
        }
        let variant = variant.rsplit("::").next().unwrap_or(variant);
        let prefix = upper_snake(name.rsplit("::").next().unwrap_or(name));
        let separator = if prefix.is_empty() { "" } else { "_" };
        let chosen = self.names.exact(&format!("{prefix}{separator}{}", upper_snake(variant)));
        self.enumerations.insert(key, (chosen.clone(), value.clone()));
        chosen
    }

    /// The variants that were named: name and value.
    pub fn enumerations(&self) -> impl Iterator<Item = &(String, Value)> {
        self.enumerations.values()
    }
}

fn entry(signal: &Signal) -> Entry<'_> {
    let net = match signal.kind {
        SignalKind::Constant(_) => Net::Constant,
        _ => Net::Wire,
    };
    Entry {
        name: signal.name.clone(),
        width: signal.width,
        net,
        shape: &signal.shape,
        used: Value::zero(signal.width),
        alias_of: None,
        attributes: String::new(),
    }
}

/// A sized literal.
pub fn literal(value: &Value) -> String {
    match value.width() {
        1 => format!("1'b{}", value.low_u64()),
        width if value.is_zero() => format!("{width}'h0"),
        width => format!("{width}'h{value:x}"),
    }
}

/// `[7:0] ` for eight bits, nothing for one.
pub fn range(width: u32) -> String {
    match width {
        1 => String::new(),
        _ => format!("[{}:0] ", width - 1),
    }
}
