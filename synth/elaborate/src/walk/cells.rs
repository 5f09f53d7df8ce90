//! The I/O cells of rust-hdl-widgets and rust-hdl-fpga-support 0.46 by their whole text and their ports, with models for
//! simulators.

use super::kind::{foreign, has_ports, width, Kind};
use super::name_items;
use super::scope::{Scope, Wire};
use crate::error::Reason;
use crate::graph::{
    Expr, ExprKind, Foreign, Module, Register, Shape, Signal, SignalId, SignalKind, Statement,
};
use crate::value::Value;
use rust_hdl::prelude::AtomKind::{
    self, InOutParameter as InOut, InputParameter as In, OutputParameter as Out,
};

/// An I/O cell; `None` if the block is none.
pub(super) fn cell(scope: &Scope, text: &str) -> Result<Option<Kind>, Reason> {
    let kinds = [tristate, open_drain, registered_tristate, ice40_pll];
    Ok(kinds.into_iter().find_map(|kind| kind(scope, text)).map(Kind::Foreign))
}

fn tristate(scope: &Scope, text: &str) -> Option<Foreign> {
    let bits = width(scope, "bus");
    let wanted = format!("assign bus = write_enable ? write_data : {bits}'bz; always @(*) read_data = bus;");
    let ports = [("bus", InOut), ("write_enable", In), ("write_data", In), ("read_data", Out)];
    if text != wanted || !has_ports(scope, &ports) || !same_width(scope, &["write_data", "read_data"]) {
        return None;
    }
    let mut model = Model::new(scope, &["bus"]);
    let (enable, data) = (model.read("write_enable")?, model.read("write_data")?);
    let read = model.pin("bus", &enable, &data)?;
    model.assign("read_data", read)?;
    let body = format!("assign bus = write_enable ? write_data : {bits}'bz;\nassign read_data = bus;");
    Some(own(body, model))
}

fn open_drain(scope: &Scope, text: &str) -> Option<Foreign> {
    let wanted = "assign bus = control$drive_low ? 0 : 1'bz; always @(*) control$line_state = bus;";
    let ports = [("bus", InOut), ("control.drive_low", In), ("control.line_state", Out)];
    if text != wanted || !has_ports(scope, &ports) {
        return None;
    }
    let mut model = Model::new(scope, &["bus"]);
    let enable = model.read("control.drive_low")?;
    let read = model.pin("bus", &enable, &Expr::constant(Value::zero(1)))?;
    model.assign("control.line_state", read)?;
    let body = "assign bus = control_drive_low ? 1'b0 : 1'bz;\nassign control_line_state = bus;";
    Some(own(body.into(), model))
}

fn registered_tristate(scope: &Scope, text: &str) -> Option<Foreign> {
    let top = width(scope, "bus").checked_sub(1)?;
    let wanted = format!(
        "reg [{top}:0] dff_in; reg [{top}:0] dff_out; assign bus = write_enable ? dff_out : {top}'bz; \
         assign read_data = dff_in; always @(posedge clock) begin dff_in <= bus; end \
         always @(posedge clock) begin dff_out <= write_data; end"
    );
    let ports = [("bus", InOut), ("write_enable", In), ("write_data", In), ("read_data", Out), ("clock", In)];
    if text != wanted || !has_own_ports(scope, &ports) || !same_width(scope, &["write_data", "read_data"]) {
        return None;
    }
    let mut model = Model::new(scope, &["bus"]);
    let out = model.register("dff_out", "clock", width(scope, "bus"))?;
    let inward = model.register("dff_in", "clock", width(scope, "bus"))?;
    let (enable, data) = (model.read("write_enable")?, model.read("write_data")?);
    model.assign("dff_out.d", data)?;
    let read = model.pin("bus", &enable, &out)?;
    model.assign("dff_in.d", read)?;
    model.assign("read_data", inward)?;
    let bits = top + 1;
    let body = format!(
        "reg [{top}:0] dff_in;\nreg [{top}:0] dff_out;\n\
         assign bus = write_enable ? dff_out : {bits}'bz;\nassign read_data = dff_in;\n\
         initial dff_in = {bits}'h0;\nalways @(posedge clock) dff_in <= bus;\n\
         initial dff_out = {bits}'h0;\nalways @(posedge clock) dff_out <= write_data;"
    );
    Some(own(body, model))
}

/// `ICE40PLLBlock`: the text instantiates a black box and is taken as it is; there is no model.
fn ice40_pll(scope: &Scope, text: &str) -> Option<Foreign> {
    let ends =
        ".LOCK(locked), .RESETB(1'b1), .BYPASS(1'b0), .REFERENCECLK(clock_in), .PLLOUTCORE(clock_out));";
    let parameters = text.strip_prefix("SB_PLL40_CORE #( ")?.strip_suffix(ends)?.strip_suffix(" ) uut ( ")?;
    let known = |part: &str| {
        let names = ["FEEDBACK_PATH", "DIVR", "DIVF", "DIVQ", "FILTER_RANGE"];
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "\"'_".contains(letter);
        let parts = part.strip_prefix('.').and_then(|part| part.strip_suffix(')')?.split_once('('));
        parts.is_some_and(|(name, value)| names.contains(&name) && value.chars().all(plain))
    };
    let ports = [("clock_in", In), ("clock_out", Out), ("locked", Out)];
    (parameters.split(", ").all(known) && has_own_ports(scope, &ports)).then(|| foreign(scope))
}

/// As `has_ports`, whatever children the block has for rust-hdl's own simulation.
fn has_own_ports(scope: &Scope, ports: &[(&str, AtomKind)]) -> bool {
    let own = || scope.atoms.iter().filter(|wire| wire.is_port());
    own().count() == ports.len() && own().all(|wire| ports.contains(&(wire.path.as_str(), wire.kind)))
}

fn same_width(scope: &Scope, ports: &[&str]) -> bool {
    ports.iter().all(|port| width(scope, port) == width(scope, "bus"))
}

fn own(body: String, model: Model) -> Foreign {
    Foreign { body, model: Some(Box::new(model.finish())), ..Default::default() }
}

/// A module in the making.
struct Model {
    module: Module,
}

impl Model {
    /// The ports of the block, and `bus.out` and `bus.enable` of each bus.
    fn new(scope: &Scope, buses: &[&str]) -> Self {
        let mut model = Self { module: Module::default() };
        for wire in scope.atoms.iter().filter(|wire| wire.is_port()) {
            let kind = match wire.kind {
                Out => SignalKind::Output,
                _ => SignalKind::Input,
            };
            model.add(&wire.path, wire, kind);
        }
        for bus in buses.iter().filter_map(|bus| scope.wire(bus)) {
            model.add(&format!("{}.out", bus.path), bus, SignalKind::Output);
            model.signal(format!("{}.enable", bus.path), 1, SignalKind::Output, Shape::Bits);
        }
        model
    }

    fn add(&mut self, path: &str, like: &Wire, kind: SignalKind) {
        self.signal(path.into(), like.width, kind, like.shape.clone());
    }

    fn signal(&mut self, path: String, width: u32, kind: SignalKind, shape: Shape) -> SignalId {
        let id = SignalId(self.module.signals.len() as u32);
        self.module.signals.push(Signal { path, name: String::new(), width, kind, shape });
        id
    }

    fn id(&self, path: &str) -> Option<SignalId> {
        let place = self.module.signals.iter().position(|signal| signal.path == path)?;
        Some(SignalId(place as u32))
    }

    fn read(&self, path: &str) -> Option<Expr> {
        let id = self.id(path)?;
        Some(Expr::read(id, self.module.signal(id).width))
    }

    fn assign(&mut self, path: &str, value: Expr) -> Option<()> {
        let target = self.id(path)?;
        self.module.body.push(Statement::Assign { target, value });
        Some(())
    }

    /// Drives a bus with `data` while `enable`; returns the value on the wire.
    fn pin(&mut self, bus: &str, enable: &Expr, data: &Expr) -> Option<Expr> {
        let choose = |no: Expr| {
            let kind = ExprKind::Mux(Box::new(enable.clone()), Box::new(data.clone()), Box::new(no));
            Expr { width: data.width, kind }
        };
        let outside = self.read(bus)?;
        self.assign(&format!("{bus}.enable"), enable.clone())?;
        self.assign(&format!("{bus}.out"), choose(Expr::constant(Value::zero(data.width))))?;
        Some(choose(outside))
    }

    /// A register that starts at 0; its input is `NAME.d`. Returns its output.
    fn register(&mut self, name: &str, clock: &str, width: u32) -> Option<Expr> {
        let clock = self.id(clock)?;
        let d = self.signal(format!("{name}.d"), width, SignalKind::ElementInput, Shape::Bits);
        let q = self.signal(format!("{name}.q"), width, SignalKind::ElementOutput, Shape::Bits);
        self.module.registers.push(Register {
            path: name.into(),
            clock,
            d,
            q,
            enable: None,
            clear: None,
            initial: Value::zero(width),
            attributes: vec![],
        });
        Some(Expr::read(q, width))
    }

    fn finish(mut self) -> Module {
        name_items(&mut self.module);
        self.module
    }
}
