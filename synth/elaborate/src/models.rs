//! A design as simulators take it: foreign modules whose meaning is known are replaced by their models, and bidirectional
//! ports by three ports each.
//!
//! Two-state simulation knows no `z`. So a bidirectional port `bus` becomes the input `bus`, the value from outside while the
//! block does not drive it, and the outputs `bus.out`, what the block drives (0 while it does not), and `bus.enable`, whether it
//! does. The Verilog that is written for hardware keeps the bidirectional port.

use crate::graph::{Design, Expr, Module, ModuleId, Shape, Signal, SignalId, SignalKind, Statement};
use crate::value::Value;
use crate::walk::name_items;
use thiserror::Error;

/// A wire that several blocks of a module drive.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{port}` of module `{module}` is a wire that {count} blocks can drive, which cannot be simulated here; give each block a port of its own"
)]
pub struct SharedWire {
    /// Module.
    pub module: String,
    /// Its bidirectional port.
    pub port: String,
    /// Blocks at it.
    pub count: usize,
}

/// The design with models in place of foreign modules. A design with a foreign module that has a bidirectional port and no
/// model stays as it is; it cannot be simulated.
pub fn with_models(mut design: Design) -> Result<Design, SharedWire> {
    let has_bus = |module: &Module| module.signals.iter().any(|signal| signal.kind == SignalKind::InOut);
    let modelled = |module: &Module| module.foreign.as_ref().is_none_or(|foreign| foreign.model.is_some());
    let wanted = design.modules.iter().any(|module| has_bus(module) || !module_is_own(module));
    if !wanted || design.modules.iter().any(|module| has_bus(module) && !modelled(module)) {
        return Ok(design);
    }
    // children stand before the modules that instantiate them
    let mut buses: Vec<Vec<u32>> = vec![];
    for index in 0..design.modules.len() {
        let own: Vec<SignalId> = in_outs(&design.modules[index]);
        buses.push(bus_ports(&design.modules[index]));
        if let Some(model) = design.modules[index].foreign.as_mut().and_then(|foreign| foreign.model.take()) {
            let module = &mut design.modules[index];
            let (name, label) = (std::mem::take(&mut module.name), module.label.take());
            *module = Module { name, label, ..*model };
            continue;
        }
        split(&mut design, index, &own, &buses)?;
    }
    design.modules.iter_mut().filter(|module| module.fixed_names().is_none()).for_each(name_items);
    Ok(design)
}

fn module_is_own(module: &Module) -> bool {
    module.foreign.as_ref().is_none_or(|foreign| foreign.model.is_none())
}

fn in_outs(module: &Module) -> Vec<SignalId> {
    module.ports().filter(|(_, signal)| signal.kind == SignalKind::InOut).map(|(id, _)| id).collect()
}

/// The numbers of the ports that are bidirectional.
fn bus_ports(module: &Module) -> Vec<u32> {
    let ports = (0u32..).zip(module.ports());
    ports.filter(|(_, (_, signal))| signal.kind == SignalKind::InOut).map(|(number, _)| number).collect()
}

/// Makes three ports of every bidirectional port of a module, all of whose children are split.
fn split(design: &mut Design, index: usize, own: &[SignalId], buses: &[Vec<u32>]) -> Result<(), SharedWire> {
    let mut module = std::mem::take(&mut design.modules[index]);
    let result = split_module(&mut module, own, buses);
    design.modules[index] = module;
    result
}

fn split_module(module: &mut Module, own: &[SignalId], buses: &[Vec<u32>]) -> Result<(), SharedWire> {
    let mut outputs = vec![];
    for bus in own {
        let (path, width) = (module.signal(*bus).path.clone(), module.signal(*bus).width);
        module.signals[bus.0 as usize].kind = SignalKind::Input;
        let out = add(module, format!("{path}.out"), width, SignalKind::Output);
        let enable = add(module, format!("{path}.enable"), 1, SignalKind::Output);
        outputs.push((*bus, out, enable));
    }
    let mut drivers = vec![0usize; own.len()];
    for number in 0..module.instances.len() {
        let ModuleId(child) = module.instances[number].module;
        for port in &buses[child as usize] {
            let wire = module.instances[number].ports[*port as usize];
            let Some(place) = own.iter().position(|bus| *bus == wire) else { continue };
            drivers[place] += 1;
            connect(module, number, *port as usize, outputs[place]);
        }
    }
    for ((bus, out, enable), count) in outputs.iter().zip(&drivers) {
        match count {
            0 => {
                let width = module.signal(*out).width;
                assign(module, *out, Expr::constant(Value::zero(width)));
                assign(module, *enable, Expr::constant(Value::zero(1)));
            }
            1 => {}
            _ => {
                let (module, port) = (module.name.clone(), module.signal(*bus).path.clone());
                return Err(SharedWire { module, port, count: *count });
            }
        }
    }
    Ok(())
}

/// Connects the three ports of an instance's bidirectional port with those of the module.
fn connect(
    module: &mut Module,
    number: usize,
    port: usize,
    (bus, out, enable): (SignalId, SignalId, SignalId),
) {
    let width = module.signal(bus).width;
    let path = format!("{}.{}", module.instances[number].path, module.signal(bus).path);
    let input = add(module, path.clone(), width, SignalKind::InstanceInput);
    assign(module, input, Expr::read(bus, width));
    module.instances[number].ports[port] = input;
    for (target, name, width) in [(out, "out", width), (enable, "enable", 1)] {
        let source = add(module, format!("{path}.{name}"), width, SignalKind::InstanceOutput);
        module.instances[number].ports.push(source);
        assign(module, target, Expr::read(source, width));
    }
}

fn add(module: &mut Module, path: String, width: u32, kind: SignalKind) -> SignalId {
    let id = SignalId(module.signals.len() as u32);
    module.signals.push(Signal { path, name: String::new(), width, kind, shape: Shape::Bits });
    id
}

fn assign(module: &mut Module, target: SignalId, value: Expr) {
    module.body.push(Statement::Assign { target, value });
}
