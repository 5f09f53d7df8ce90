//! A block of any crate, with its inputs given by path: no implementation of [`Drive`] is needed, neither for the block
//! nor for the interfaces that are its ports.

use super::{Drive, FromValue};
use crate::value::Value;
use crate::walk::literal_value;
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::collections::HashMap;

/// A block and its inputs, each with the place of its signal in the block. Outputs are found by rust-hdl's probe.
///
/// ```
/// use flitforge_elaborate::driven;
/// use flitforge_elaborate::selfcheck::against_stock;
/// use rust_hdl::prelude::*;
///
/// # std::thread::Builder::new().stack_size(1 << 26).spawn(|| {
/// let make = || driven!(MuxSlaves::<4, 2>::default(), |top|
///     top.sel, top.from_master.mosi, top.from_master.msel, top.from_master.mclk,
///     top.to_slaves[0].miso, top.to_slaves[1].miso, top.to_slaves[2].miso, top.to_slaves[3].miso);
/// against_stock(make, 100, 1).unwrap();
/// # }).unwrap().join().unwrap();
/// ```
///
/// A bidirectional port `bus` is given with [`tristate`](Self::tristate) and becomes three ports: `bus`, what drives it from
/// outside while the block does not; `bus.enable`, whether the block drives it; and `bus.out`, what the block drives (0
/// while it does not). The elaborated design has the same three, see [`crate::models::with_models`].
pub struct Driven<B> {
    block: B,
    inputs: Vec<Input<B>>,
    buses: Vec<Bus<B>>,
    /// Passes since the last change.
    quiet: u32,
    outputs: RefCell<Option<HashMap<String, Value>>>,
}

/// Passes without a change after which a block with buses has settled. For rust-hdl a new direction of a bidirectional signal is no
/// change, although it moves by one level of the hierarchy in each pass.
const LEVELS: u32 = 16;

type Set<B> = Box<dyn Fn(&mut B, &Value)>;
type SetBus<B> = Box<dyn Fn(&mut B, &Value) -> bool>;
type GetBus<B> = Box<dyn Fn(&mut B) -> Option<Value>>;

struct Input<B> {
    path: String,
    width: u32,
    set: Set<B>,
}

struct Bus<B> {
    path: String,
    width: u32,
    outside: Value,
    pending: bool,
    /// Sets the signal if the block does not drive it; true if that changes it.
    set: SetBus<B>,
    /// What the block drives, if it does.
    get: GetBus<B>,
    driven: Option<Value>,
}

impl<B: Block> Driven<B> {
    /// `block`, without inputs yet.
    pub fn new(block: B) -> Self {
        Self { block, inputs: vec![], buses: vec![], quiet: 0, outputs: RefCell::default() }
    }

    /// The block itself.
    pub fn block(&self) -> &B {
        &self.block
    }

    /// Adds the input at `path`, whose signal is `place`. [`driven!`](crate::driven) writes both.
    pub fn input<T: Synth + FromValue>(
        mut self,
        path: &str,
        place: impl for<'a> Fn(&'a mut B) -> &'a mut Signal<In, T> + 'static,
    ) -> Self {
        let set = Box::new(move |block: &mut B, value: &Value| place(block).next = T::from_value(value));
        self.inputs.push(Input { path: plain(path), width: T::BITS as u32, set });
        self
    }

    /// Adds the bidirectional port at `path`, whose signal is `place`.
    pub fn tristate<T: Synth + FromValue>(
        mut self,
        path: &str,
        place: impl for<'a> Fn(&'a mut B) -> &'a mut Signal<InOut, T> + Clone + 'static,
    ) -> Self {
        let width = T::BITS as u32;
        let setter = place.clone();
        let set = Box::new(move |block: &mut B, value: &Value| {
            let (signal, value) = (setter(block), T::from_value(value));
            if signal.is_driving_tristate() {
                return false;
            }
            signal.next = value;
            signal.val() != value
        });
        let get = Box::new(move |block: &mut B| {
            let signal = place(block);
            signal.is_driving_tristate().then(|| signal.val().to_value())
        });
        let outside = Value::zero(width);
        self.buses.push(Bus { path: plain(path), width, outside, pending: false, set, get, driven: None });
        self
    }

    fn outputs(&self) -> HashMap<String, Value> {
        let mut walk = Outputs::default();
        self.block.accept("top", &mut walk);
        walk.values
    }

    /// The outside's values on the buses that the block does not drive.
    fn hold_buses(&mut self) {
        for bus in &mut self.buses {
            bus.pending = (bus.set)(&mut self.block, &bus.outside);
            bus.driven = (bus.get)(&mut self.block);
        }
        *self.outputs.get_mut() = None;
    }
}

/// `stringify!` puts spaces between the tokens of a path.
fn plain(path: &str) -> String {
    path.split_whitespace().collect()
}

impl<B: Block> Logic for Driven<B> {
    fn update(&mut self) {
        self.block.update();
    }
    fn connect(&mut self) {
        self.block.connect();
    }
    fn hdl(&self) -> Verilog {
        self.block.hdl()
    }
    fn timing(&self) -> Vec<TimingInfo> {
        self.block.timing()
    }
}

impl<B: Block> Block for Driven<B> {
    fn connect_all(&mut self) {
        self.block.connect_all();
    }
    fn update_all(&mut self) {
        self.block.update_all();
        self.hold_buses();
        let changed = self.block.has_changed() || self.buses.iter().any(|bus| bus.pending);
        self.quiet = if changed { 0 } else { self.quiet.saturating_add(1) };
    }
    fn has_changed(&self) -> bool {
        self.quiet == 0 || !self.buses.is_empty() && self.quiet < LEVELS
    }
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        self.block.accept(name, probe);
    }
}

impl<B: Block> Drive for Driven<B> {
    fn drive(&mut self, path: &str, value: &Value) -> bool {
        if let Some(input) =
            self.inputs.iter().find(|input| input.path == path && input.width == value.width())
        {
            (input.set)(&mut self.block, value);
            return true;
        }
        let Some(bus) = self.buses.iter_mut().find(|bus| bus.path == path && bus.width == value.width())
        else {
            return false;
        };
        bus.outside = value.clone();
        bus.pending = (bus.set)(&mut self.block, value);
        true
    }

    fn sample(&self, path: &str) -> Option<Value> {
        for bus in &self.buses {
            match path.strip_prefix(bus.path.as_str()) {
                Some("") => return Some(bus.outside.clone()),
                Some(".enable") => return Some(Value::from_u64(1, u64::from(bus.driven.is_some()))),
                Some(".out") => return Some(bus.driven.clone().unwrap_or_else(|| Value::zero(bus.width))),
                _ => {}
            }
        }
        let mut outputs = self.outputs.borrow_mut();
        outputs.get_or_insert_with(|| self.outputs()).get(path).cloned()
    }

    fn list(&self, prefix: &str, into: &mut Vec<(String, u32, bool)>) {
        let mut walk = Outputs::default();
        self.block.accept("top", &mut walk);
        let mut add = |path: &str, width: u32, input: bool| {
            let dot = if prefix.is_empty() { "" } else { "." };
            into.push((format!("{prefix}{dot}{path}"), width, input));
        };
        self.inputs.iter().for_each(|input| add(&input.path, input.width, true));
        walk.order.iter().for_each(|(path, width)| add(path, *width, false));
        for bus in &self.buses {
            add(&bus.path, bus.width, true);
            add(&format!("{}.enable", bus.path), 1, false);
            add(&format!("{}.out", bus.path), bus.width, false);
        }
    }
}

/// The ports of the outermost block: all values, and the outputs in order.
#[derive(Default)]
struct Outputs {
    depth: u32,
    namespaces: Vec<String>,
    values: HashMap<String, Value>,
    order: Vec<(String, u32)>,
}

impl Probe for Outputs {
    fn visit_start_scope(&mut self, _: &str, _: &dyn Block) {
        self.depth += 1;
    }
    fn visit_end_scope(&mut self, _: &str, _: &dyn Block) {
        self.depth -= 1;
    }
    fn visit_start_namespace(&mut self, name: &str, _: &dyn Block) {
        self.namespaces.push(crate::walk::rust_name(name));
    }
    fn visit_end_namespace(&mut self, _: &str, _: &dyn Block) {
        self.namespaces.pop();
    }
    fn visit_atom(&mut self, name: &str, atom: &dyn Atom) {
        let kind = atom.kind();
        if self.depth != 1 || !matches!(kind, AtomKind::InputParameter | AtomKind::OutputParameter) {
            return;
        }
        let mut path = self.namespaces.clone();
        path.push(crate::walk::rust_name(name));
        let (path, width) = (path.join("."), atom.bits() as u32);
        self.values.insert(path.clone(), literal_value(&atom.verilog(), width));
        if kind == AtomKind::OutputParameter {
            self.order.push((path, width));
        }
    }
}

/// A [`Driven`](crate::drive::Driven) block: the block, and after `|name|` its inputs as places of `name`.
///
/// ```ignore
/// driven!(MyTop::default(), |top| top.clock, top.spi.miso, top.lanes[1].data)
/// ```
///
/// Bidirectional ports follow after a semicolon: `|top| top.clock; top.pins`.
#[macro_export]
macro_rules! driven {
    ($block:expr, |$top:ident| $($input:expr),* $(; $($bus:expr),+)? $(,)?) => {
        $crate::drive::Driven::new($block)
            $(.input($crate::drive::below_top(stringify!($input)), |$top| &mut $input))*
            $($(.tristate($crate::drive::below_top(stringify!($bus)), |$top| &mut $bus))+)?
    };
}

/// `spi.miso` of `top.spi.miso`.
#[doc(hidden)]
pub fn below_top(place: &str) -> &str {
    place.split_once('.').map_or(place, |(_, path)| path)
}
