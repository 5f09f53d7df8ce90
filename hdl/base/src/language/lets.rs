//! The `let`s of a body, with the types that Rust infers for them.

use super::read::Indexed;
use rust_hdl::prelude::ast::{VerilogLink, VerilogLiteral};
use rust_hdl::prelude::{
    clog2, Atom, AtomKind, LogicJoin, LogicLink, PinConstraint, Synth, TypeDescriptor, TypeKind, VCDValue,
};

/// What rust-hdl sees of a `let`: a local signal of its name and type. It has no value of its own, so rust-hdl's own
/// wave files show it as zero.
pub struct LetAtom {
    bits: usize,
    descriptor: TypeDescriptor,
    verilog: VerilogLiteral,
    vcd: VCDValue,
}

impl LetAtom {
    fn new<T: Synth>() -> Self {
        let value = T::default();
        Self { bits: T::BITS, descriptor: T::descriptor(), verilog: value.verilog(), vcd: value.vcd() }
    }
}

impl Atom for LetAtom {
    fn bits(&self) -> usize {
        self.bits
    }
    fn connected(&self) -> bool {
        true
    }
    fn changed(&self) -> bool {
        false
    }
    fn kind(&self) -> AtomKind {
        AtomKind::LocalSignal
    }
    fn descriptor(&self) -> TypeDescriptor {
        self.descriptor.clone()
    }
    fn vcd(&self) -> VCDValue {
        self.vcd.clone()
    }
    fn id(&self) -> usize {
        usize::MAX
    }
    fn verilog(&self) -> VerilogLiteral {
        self.verilog.clone()
    }
    fn constraints(&self) -> Vec<PinConstraint> {
        vec![]
    }
}

/// Bits of a type.
fn bits_of(descriptor: &TypeDescriptor) -> usize {
    match &descriptor.kind {
        TypeKind::Bits(bits) | TypeKind::Signed(bits) => *bits,
        TypeKind::Enum(variants) => clog2(variants.len()),
        TypeKind::Composite(fields) => fields.iter().map(|field| bits_of(&field.kind)).sum(),
    }
}

/// The lowest bit of the field at `path`. [`Described::low`] is compiled for every type; what it does stands here, once.
fn low_of(descriptor: fn() -> TypeDescriptor, path: &[&str]) -> usize {
    let (mut low, mut descriptor) = (0, descriptor());
    for name in path {
        let TypeKind::Composite(fields) = descriptor.kind else { panic!("no field `{name}`") };
        let at = fields.iter().position(|field| field.fieldname == *name);
        let at = at.unwrap_or_else(|| panic!("no field `{name}`"));
        low += fields.iter().take(at).map(|field| bits_of(&field.kind)).sum::<usize>();
        descriptor = fields[at].kind.clone();
    }
    low
}

/// What only the compiled block knows of its body.
#[derive(Default)]
pub struct Described {
    /// Names and types of the `let`s, in their order.
    pub lets: Vec<(&'static str, LetAtom)>,
    /// Numbers, by the places that the text names.
    pub numbers: Vec<usize>,
    /// Links and joins, by the places that the text names.
    pub links: Vec<Vec<VerilogLink>>,
}

impl Described {
    /// A `let` of the type of `value`, of which there is only the type.
    pub fn of<T: Synth>(&mut self, name: &'static str, _value: Option<T>) -> T {
        self.typed(name)
    }
    /// A `let` whose type is written.
    pub fn typed<T: Synth>(&mut self, name: &'static str) -> T {
        self.lets.push((name, LetAtom::new::<T>()));
        T::default()
    }
    /// The number that the text calls `#place`.
    pub fn number(&mut self, place: usize, number: usize) {
        if self.numbers.len() <= place {
            self.numbers.resize(place + 1, 0);
        }
        self.numbers[place] = number;
    }
    /// The width of `value`, of which there is only the type.
    pub fn width<T: Synth>(&mut self, place: usize, _value: Option<T>) {
        self.number(place, T::BITS);
    }
    /// The lowest bit of a field of `value`, of which there is only the type.
    ///
    /// # Panics
    /// If the value has no such field: then it is no packed struct, and the compiler has said so.
    pub fn low<T: Synth>(&mut self, place: usize, _value: Option<T>, path: &[&str]) {
        self.number(place, low_of(T::descriptor, path));
    }
    /// Whether `port`, which is never called, is an array.
    pub fn is_array<'a, T: Indexed + 'a>(&mut self, place: usize, _port: impl FnOnce() -> &'a T) {
        self.number(place, T::IS_ARRAY.into());
    }
    /// `link` of two interfaces of one type.
    pub fn link<'a, T: LogicLink + 'a>(&mut self, this: &str, that: &str, _of: impl FnOnce() -> &'a T) {
        self.links.push(T::link_hdl("", this, that));
    }
    /// `join` of two interfaces of opposite types.
    pub fn join<'a, T: LogicJoin + 'a>(&mut self, this: &str, that: &str, _of: impl FnOnce() -> &'a T) {
        self.links.push(T::join_hdl("", this, that));
    }
}
