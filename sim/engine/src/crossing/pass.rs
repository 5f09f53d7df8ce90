//! Adds the input to every module on the way to a crossing register.

use super::find::places;
use super::{CrossingRegister, UncertainDesign, LATE_PORT};
use flitforge_elaborate::flat::Flat;
use flitforge_elaborate::graph::{
    BinaryOp, Design, Expr, ExprKind, Module, ModuleId, Shape, Signal, SignalId, SignalKind, Statement,
};
use std::collections::{BTreeSet, HashMap};

/// Changes the marked registers and connects their bits, from the leaves to the top: first a module's own
/// registers, then its instances, each from the lowest bit up.
pub(super) fn apply(design: &Design, flat: &Flat, marks: &BTreeSet<(ModuleId, String)>) -> UncertainDesign {
    let mut changed = design.clone();
    let mut widths: HashMap<ModuleId, u32> = HashMap::new();
    // A module stands after every module it instantiates.
    for (index, module) in changed.modules.iter_mut().enumerate() {
        let id = ModuleId(index as u32);
        let width = change(module, id, marks, &widths);
        if width > 0 {
            widths.insert(id, width);
        }
    }
    let mut registers = vec![];
    list(design, flat, marks, &widths, &mut registers);
    UncertainDesign { design: changed, registers }
}

fn add(module: &mut Module, path: String, name: String, width: u32, kind: SignalKind) -> SignalId {
    module.signals.push(Signal { path, name, width, kind, shape: Shape::Bits });
    SignalId(module.signals.len() as u32 - 1)
}

/// Returns the bits that the module needs.
fn change(
    module: &mut Module,
    id: ModuleId,
    marks: &BTreeSet<(ModuleId, String)>,
    widths: &HashMap<ModuleId, u32>,
) -> u32 {
    let own = |module: &Module, index: usize| marks.contains(&(id, module.registers[index].path.clone()));
    let marked: Vec<usize> = (0..module.registers.len()).filter(|index| own(module, *index)).collect();
    let of_register = |module: &Module, index: usize| module.signal(module.registers[index].d).width;
    let inner = module.instances.iter().filter_map(|instance| widths.get(&instance.module)).sum::<u32>();
    let width = inner + marked.iter().map(|index| of_register(module, *index)).sum::<u32>();
    if width == 0 {
        return 0;
    }
    let port = add(module, LATE_PORT.into(), LATE_PORT.into(), width, SignalKind::Input);
    let mut offset = 0;
    let mut part = |width: u32, all: u32| {
        let value = Expr::read(port, all);
        let slice = Expr { width, kind: ExprKind::Slice { value: Box::new(value), offset } };
        offset += width;
        slice
    };
    for index in marked {
        let (path, d) = (module.registers[index].path.clone(), module.registers[index].d);
        let bits = module.signal(d).width;
        let name = format!("{}_late_d", crate::port::verilog_name(&path));
        let target = add(module, format!("{path}.late_d"), name, bits, SignalKind::ElementInput);
        let operands = (Box::new(Expr::read(d, bits)), Box::new(part(bits, width)));
        let value = Expr { width: bits, kind: ExprKind::Binary(BinaryOp::Xor, operands.0, operands.1) };
        module.signals[d.0 as usize].kind = SignalKind::Local;
        module.registers[index].d = target;
        module.body.push(Statement::Assign { target, value });
    }
    for index in 0..module.instances.len() {
        let Some(bits) = widths.get(&module.instances[index].module).copied() else { continue };
        let path = format!("{}.{LATE_PORT}", module.instances[index].path);
        let name = crate::port::verilog_name(&path);
        let target = add(module, path, name, bits, SignalKind::InstanceInput);
        module.instances[index].ports.push(target);
        module.body.push(Statement::Assign { target, value: part(bits, width) });
    }
    width
}

/// The registers in the order of their bits.
fn list(
    design: &Design,
    flat: &Flat,
    marks: &BTreeSet<(ModuleId, String)>,
    widths: &HashMap<ModuleId, u32>,
    into: &mut Vec<CrossingRegister>,
) {
    let places = places(design);
    let by_path: HashMap<&str, u32> =
        flat.registers.iter().map(|register| (register.path.as_str(), register.clock)).collect();
    let mut offset = 0;
    // Instances are numbered as the bits are handed out: a module's own registers, then its children.
    for place in &places {
        if !widths.contains_key(&place.module) {
            continue;
        }
        let module = design.module(place.module);
        for own in module.registers.iter().filter(|own| marks.contains(&(place.module, own.path.clone()))) {
            let path = format!("{}{}", place.prefix, own.path);
            let width = module.signal(own.d).width;
            let data = format!("{}{}", place.prefix, module.signal(own.d).path);
            let clock = by_path.get(path.as_str()).map(|clock| flat.clocks[*clock as usize].path.clone());
            into.push(CrossingRegister { path, data, clock: clock.unwrap_or_default(), width, offset });
            offset += width;
        }
    }
}
