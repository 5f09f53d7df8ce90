//! A simple dual port memory with an output register, its ports behind flip-flops.

use super::build::{assign, bits, clock, module};
use flitforge_elaborate::graph::*;
use flitforge_elaborate::Value;

/// A register of `width` bits fed by `d`; returns its output.
fn register(module: &mut Module, clock: SignalId, name: &str, source: SignalId) -> SignalId {
    let width = module.signal(source).width;
    let d = bits(module, &format!("{name}.d"), width, SignalKind::ElementInput);
    let q = bits(module, &format!("{name}.q"), width, SignalKind::ElementOutput);
    module.body.push(assign(d, Expr::read(source, width)));
    let (path, initial) = (name.to_owned(), Value::zero(width));
    let register = Register { path, clock, d, q, enable: None, clear: None, initial, attributes: vec![] };
    module.registers.push(register);
    q
}

/// The memory; inputs are `write_enable`, `write_address`, `write_data`, `read_enable`, `output_enable`,
/// `read_address`, the output is `data`.
pub fn registered(depth: u32, width: u32, initial: Vec<Value>) -> Design {
    memory(true, depth, width, initial)
}

/// The same with or without output register.
pub fn memory(output_register: bool, depth: u32, width: u32, initial: Vec<Value>) -> Design {
    let mut module = module("ram");
    let clock = clock(&mut module, "clock");
    let address_bits = (32 - (depth - 1).leading_zeros()).max(1);
    let widths = [1, address_bits, width, 1, 1, address_bits];
    let names =
        ["write_enable", "write_address", "write_data", "read_enable", "output_enable", "read_address"];
    let inputs: Vec<SignalId> = names
        .iter()
        .zip(widths)
        .map(|(name, width)| bits(&mut module, name, width, SignalKind::Input))
        .collect();
    let out = bits(&mut module, "data", width, SignalKind::Output);
    let q: Vec<SignalId> = inputs
        .iter()
        .zip(names)
        .map(|(id, name)| register(&mut module, clock, &format!("{name}_register"), *id))
        .collect();
    let word = bits(&mut module, "words.data", width, SignalKind::ElementOutput);
    let result = register(&mut module, clock, "result", word);
    module.body.push(assign(out, Expr::read(result, width)));
    module.memories.push(Memory {
        path: "words".into(),
        name: "words".into(),
        depth,
        width,
        initial,
        reads: vec![ReadPort {
            clock: Some(clock),
            address: q[5],
            data: word,
            enable: Some(q[3]),
            output_register,
            output_enable: output_register.then_some(q[4]),
        }],
        writes: vec![WritePort { clock, address: q[1], data: q[2], enable: Some(q[0]) }],
        style: MemoryStyle::Block,
    });
    super::build::design(module)
}
