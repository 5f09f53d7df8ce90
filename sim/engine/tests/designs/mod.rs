//! Random designs of one module: every operation, widths from 1 to 200, registers with enable and clear,
//! memories of every kind, one to three clocks.
#![allow(dead_code)] // of the two modules of another crate a part is used

#[path = "../../../../synth/elaborate/tests/support/build.rs"]
pub mod build;
#[path = "../../../../synth/elaborate/tests/support/generate.rs"]
mod generate;

use build::{assign, bits, clock, module};
use flitforge_elaborate::graph::*;
use flitforge_elaborate::Value;
use generate::Generator;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// A width: mostly as the generator of expressions has them, sometimes up to 200.
fn width(random: &mut ChaCha8Rng) -> u32 {
    match random.random_range(0..4) {
        0 => random.random_range(1..=200),
        _ => generate::width(random),
    }
}

/// A value of all widths: mostly random bits, often extreme ones.
pub fn value(random: &mut ChaCha8Rng, width: u32) -> Value {
    match random.random_range(0..6) {
        0 => Value::zero(width),
        1 => Value::ones(width),
        2 => Value::from_u64(width, random.random_range(0..8)),
        _ => Value::from_words(width, &std::array::from_fn::<u64, 4, _>(|_| random.random())),
    }
}

/// Builds one random design.
pub struct Builder<'r> {
    random: &'r mut ChaCha8Rng,
    module: Module,
    clocks: Vec<SignalId>,
    /// What expressions may read so far.
    readable: Vec<(SignalId, u32)>,
    /// Element inputs still to be driven.
    driven: Vec<(SignalId, u32)>,
}

impl<'r> Builder<'r> {
    /// A random design.
    pub fn design(random: &'r mut ChaCha8Rng) -> Design {
        let mut builder =
            Self { random, module: module("random"), clocks: vec![], readable: vec![], driven: vec![] };
        for number in 0..builder.random.random_range(1..=3) {
            let clock = clock(&mut builder.module, &format!("clock{number}"));
            builder.clocks.push(clock);
        }
        for number in 0..builder.random.random_range(2..7) {
            let width = match number {
                0 => 1,
                _ => width(builder.random),
            };
            builder.readable_signal(&format!("in{number}"), width, SignalKind::Input);
        }
        let outputs: Vec<(SignalId, u32)> = (0..builder.random.random_range(1..6))
            .map(|number| {
                let width = width(builder.random);
                (bits(&mut builder.module, &format!("out{number}"), width, SignalKind::Output), width)
            })
            .collect();
        builder.registers();
        let combinational = builder.memories();
        builder.locals("early");
        for (address, width, data, data_width) in combinational {
            builder.drive(address, width);
            builder.readable.push((data, data_width));
        }
        builder.locals("late");
        builder.guards();
        for (signal, width) in std::mem::take(&mut builder.driven).into_iter().chain(outputs) {
            builder.drive(signal, width);
        }
        build::design(builder.module)
    }

    fn readable_signal(&mut self, path: &str, width: u32, kind: SignalKind) -> SignalId {
        let id = bits(&mut self.module, path, width, kind);
        self.readable.push((id, width));
        id
    }

    fn element_input(&mut self, path: &str, width: u32) -> SignalId {
        let id = bits(&mut self.module, path, width, SignalKind::ElementInput);
        self.driven.push((id, width));
        id
    }

    fn maybe_input(&mut self, path: &str) -> Option<SignalId> {
        self.random.random_bool(0.5).then(|| self.element_input(path, 1))
    }

    fn any_clock(&mut self) -> SignalId {
        self.clocks[self.random.random_range(0..self.clocks.len())]
    }

    fn drive(&mut self, signal: SignalId, width: u32) {
        let depth = self.random.random_range(0..4);
        let readable = self.readable.clone();
        let value = Generator { random: self.random, readable, literals: true }.expression(width, depth);
        self.module.body.push(assign(signal, value));
    }

    fn registers(&mut self) {
        for number in 0..self.random.random_range(1..9) {
            let width = width(self.random);
            let path = format!("r{number}");
            let q = self.readable_signal(&format!("{path}.q"), width, SignalKind::ElementOutput);
            let d = self.element_input(&format!("{path}.d"), width);
            let enable = self.maybe_input(&format!("{path}.enable"));
            let clear = self.maybe_input(&format!("{path}.clear"));
            let (clock, initial) = (self.any_clock(), value(self.random, width));
            let attributes = vec![];
            self.module.registers.push(Register { path, clock, d, q, enable, clear, initial, attributes });
        }
        self.swap();
    }

    /// Two registers that take each other's value.
    fn swap(&mut self) {
        let width = width(self.random);
        let clock = self.any_clock();
        let ids = ["a", "b"].map(|name| {
            let q = self.readable_signal(&format!("{name}.q"), width, SignalKind::ElementOutput);
            let d = bits(&mut self.module, &format!("{name}.d"), width, SignalKind::ElementInput);
            (name, q, d)
        });
        for (index, (name, q, d)) in ids.into_iter().enumerate() {
            let other = ids[1 - index].1;
            self.module.body.push(assign(d, Expr::read(other, width)));
            let initial = value(self.random, width);
            let path = name.into();
            let (enable, clear, attributes) = (None, None, vec![]);
            self.module.registers.push(Register { path, clock, d, q, enable, clear, initial, attributes });
        }
    }

    /// Memories; returns the combinational read ports: address, its width, data, its width.
    fn memories(&mut self) -> Vec<(SignalId, u32, SignalId, u32)> {
        let mut combinational = vec![];
        for number in 0..self.random.random_range(0..3) {
            let (depth, width) = (self.random.random_range(1..40), width(self.random));
            let path = format!("m{number}");
            let initial =
                (0..self.random.random_range(0..=depth)).map(|_| value(self.random, width)).collect();
            let styles =
                [MemoryStyle::Auto, MemoryStyle::Block, MemoryStyle::Distributed, MemoryStyle::Logic];
            let mut memory = Memory {
                name: path.clone(),
                depth,
                width,
                initial,
                reads: vec![],
                writes: vec![],
                style: styles[self.random.random_range(0..4)],
                path,
            };
            for port in 0..self.random.random_range(1..3) {
                memory.reads.push(self.read_port(number, port, &memory, &mut combinational));
            }
            for port in 0..self.random.random_range(0..3) {
                memory.writes.push(self.write_port(number, port, width));
            }
            self.module.memories.push(memory);
        }
        combinational
    }

    /// Mostly wide enough for the depth, sometimes wider than a word.
    fn address_width(&mut self) -> u32 {
        match self.random.random_range(0..8) {
            0 => self.random.random_range(1..4),
            1 => self.random.random_range(60..70),
            _ => self.random.random_range(4..7),
        }
    }

    fn read_port(
        &mut self,
        memory: u32,
        port: u32,
        item: &Memory,
        combinational: &mut Vec<(SignalId, u32, SignalId, u32)>,
    ) -> ReadPort {
        let path = |name: &str| format!("m{memory}.read{port}.{name}");
        let address_width = self.address_width();
        if self.random.random_bool(0.3) {
            let address = bits(&mut self.module, &path("address"), address_width, SignalKind::ElementInput);
            let data = bits(&mut self.module, &path("data"), item.width, SignalKind::ElementOutput);
            combinational.push((address, address_width, data, item.width));
            let (clock, enable, output_enable) = (None, None, None);
            return ReadPort { clock, address, data, enable, output_register: false, output_enable };
        }
        let output_register = self.random.random();
        ReadPort {
            clock: Some(self.any_clock()),
            address: self.element_input(&path("address"), address_width),
            data: self.readable_signal(&path("data"), item.width, SignalKind::ElementOutput),
            enable: self.maybe_input(&path("enable")),
            output_register,
            output_enable: match output_register {
                true => self.maybe_input(&path("output_enable")),
                false => None,
            },
        }
    }

    fn write_port(&mut self, memory: u32, port: u32, width: u32) -> WritePort {
        let path = |name: &str| format!("m{memory}.write{port}.{name}");
        let address_width = self.address_width();
        WritePort {
            clock: self.any_clock(),
            address: self.element_input(&path("address"), address_width),
            data: self.element_input(&path("data"), width),
            enable: self.maybe_input(&path("enable")),
        }
    }

    /// What state machines have: a register compared, and flags that follow the comparison and its opposite, so that
    /// both are needed while the register itself is already moving on.
    fn guards(&mut self) {
        let plain: Vec<(SignalId, u32)> =
            self.module.registers.iter().filter_map(|register| self.width_of(register.q)).collect();
        for number in 0..self.random.random_range(0..4) {
            let (q, wide) = plain[self.random.random_range(0..plain.len())];
            let small = self.random.random_range(0..4);
            let right = match self.random.random_bool(0.5) {
                true => Expr::constant(Value::from_u64(wide, small)),
                false => Generator { random: self.random, readable: self.readable.clone(), literals: true }
                    .expression(wide, 0),
            };
            let op = [CompareOp::Equal, CompareOp::Less][self.random.random_range(0..2)];
            let holds = build::compare(op, Expr::read(q, wide), right);
            let fails = build::expr(1, ExprKind::Not(Box::new(holds.clone())));
            let mut sides = [("is", holds), ("not", fails)];
            if self.random.random() {
                sides.reverse();
            }
            for (name, value) in sides {
                self.flag(&format!("guard{number}_{name}"), value);
            }
        }
    }

    /// A register of one bit that takes `value`, mostly together with something else.
    fn flag(&mut self, path: &str, value: Expr) {
        let q = self.readable_signal(&format!("{path}.q"), 1, SignalKind::ElementOutput);
        let d = bits(&mut self.module, &format!("{path}.d"), 1, SignalKind::ElementInput);
        let readable = self.readable.clone();
        let other = Generator { random: self.random, readable, literals: false }.expression(1, 1);
        let value = match self.random.random_range(0..3) {
            0 => value,
            1 => build::binary(BinaryOp::And, value, other),
            _ => build::binary(BinaryOp::Or, value, other),
        };
        self.module.body.push(assign(d, value));
        let (clock, initial) = (self.any_clock(), Value::zero(1));
        let (path, enable, clear, attributes) = (path.into(), None, None, vec![]);
        self.module.registers.push(Register { path, clock, d, q, enable, clear, initial, attributes });
    }

    fn width_of(&self, signal: SignalId) -> Option<(SignalId, u32)> {
        self.readable.iter().find(|(id, _)| *id == signal).copied()
    }

    /// A word of sums of bits, as CRCs and scramblers have them: scattered, in steps, or from neighbours.
    fn matrix(&mut self, name: &str) {
        let width = self.random.random_range(2..100);
        let id = bits(&mut self.module, name, width, SignalKind::Local);
        let kind = self.random.random_range(0..3);
        let sources: Vec<(SignalId, u32)> =
            (0..2).map(|_| self.readable[self.random.random_range(0..self.readable.len())]).collect();
        let taps: Vec<u32> = (0..self.random.random_range(2..7)).map(|_| self.random.random()).collect();
        let mut rows = vec![];
        for row in 0..width {
            let mut sum: Option<Expr> = None;
            for (number, tap) in taps.iter().enumerate() {
                let (source, wide) = sources[number % 2];
                let offset = match kind {
                    0 => self.random.random_range(0..wide),
                    1 => (tap % wide + row) % wide,
                    _ => (row / 4 * 4 + self.random.random_range(0..4)) % wide,
                };
                let value = Box::new(Expr::read(source, wide));
                let bit = build::expr(1, ExprKind::Slice { value, offset });
                sum = Some(match sum {
                    Some(sum) => build::binary(BinaryOp::Xor, sum, bit),
                    None => bit,
                });
            }
            rows.extend(sum);
        }
        let value = build::expr(width, ExprKind::Concat(rows));
        self.module.body.push(assign(id, value));
        self.readable.push((id, width));
    }

    fn locals(&mut self, name: &str) {
        if self.random.random_bool(0.4) {
            self.matrix(&format!("{name}_matrix"));
        }
        for number in 0..self.random.random_range(1..6) {
            let width = width(self.random);
            let id = bits(&mut self.module, &format!("{name}{number}"), width, SignalKind::Local);
            self.drive(id, width);
            self.readable.push((id, width));
        }
    }
}
