//! Writes random blocks in the language: the source of `blocks.rs`.

use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt::Write;

/// Widths of values; 1 is a `Bit`.
const WIDTHS: [usize; 5] = [1, 4, 8, 13, 33];

/// The source of `count` blocks.
pub fn file(seed: u64, count: usize) -> String {
    let mut text =
        format!("// Written from seed {seed}; see `random/mod.rs`.\n\nuse flitforge_base::prelude::*;\n");
    for number in 0..count {
        let random = ChaCha8Rng::seed_from_u64(seed.wrapping_mul(1000).wrapping_add(number as u64));
        let mut writer = Writer { random, text: String::new(), known: vec![], next: 0, indent: 2 };
        writer.body();
        block(&mut text, number, &writer.text);
    }
    together(&mut text, count);
    let names = (0..count).map(|number| format!("R{number}")).collect::<Vec<_>>().join(", ");
    let _ = writeln!(text, "\nsuper::all!({names});");
    text
}

fn block(text: &mut String, number: usize, body: &str) {
    let _ = write!(text, "\n#[block]\npub struct R{number} {{\n    clock: In<Clock>,\n    k: In<Bits<2>>,\n");
    for width in WIDTHS {
        let ty = type_of(width);
        let _ = write!(
            text,
            "    a{width}: In<{ty}>,\n    b{width}: In<{ty}>,\n    y{width}: Out<{ty}>,\n    r{width}: Reg<{ty}>,\n"
        );
    }
    // A function that no body calls is plain Rust.
    let functions = [("Self::mix", MIX), ("Self::odd", ODD)];
    let functions: String =
        functions.iter().filter(|(call, _)| body.contains(call)).map(|(_, function)| *function).collect();
    let _ = write!(
        text,
        "}}\n\n#[logic]\nimpl R{number} {{\n    fn update(&mut self) {{\n{body}    }}\n{functions}}}\n"
    );
}

/// All blocks side by side: port `p` of block `N` is `p_N`. Inputs that several blocks had would let a tool share logic
/// between blocks and so treat it differently from that of a block alone.
fn together(text: &mut String, count: usize) {
    let (mut fields, mut body) = (String::from("    clock: In<Clock>,\n"), String::new());
    for number in 0..count {
        let _ = writeln!(fields, "    k_{number}: In<Bits<2>>,");
        let mut inputs = format!("k: k_{number}");
        let mut outputs = String::new();
        for width in WIDTHS {
            let ty = type_of(width);
            for name in ["a", "b"] {
                let _ = writeln!(fields, "    {name}{width}_{number}: In<{ty}>,");
                let _ = write!(inputs, ", {name}{width}: {name}{width}_{number}");
            }
            let _ = writeln!(fields, "    y{width}_{number}: Out<{ty}>,");
            let _ = writeln!(outputs, "        y{width}_{number} = block_{number}.y{width};");
        }
        let _ = writeln!(fields, "    #[wire(clock)]\n    block_{number}: R{number},");
        let _ = write!(body, "        block_{number} = In {{ {inputs} }};\n{outputs}");
    }
    let _ = write!(
        text,
        "\n#[block]\npub struct Together {{\n{fields}}}\n\n#[logic]\nimpl Together {{\n    fn update(&mut self) {{\n{body}    }}\n}}\n"
    );
}

const MIX: &str = "
    fn mix(x: Bits<8>, y: Bits<8>) -> Bits<8> {
        let both = x & y;
        if both.any() { both + 1 } else { x ^ y }
    }
";

const ODD: &str = "
    fn odd(x: Bits<13>) -> Bit {
        x.xor() ^ x[3]
    }
";

fn type_of(width: usize) -> String {
    if width == 1 {
        "Bit".into()
    } else {
        format!("Bits<{width}>")
    }
}

struct Writer {
    random: ChaCha8Rng,
    text: String,
    /// Signals that can be read, each with its width.
    known: Vec<(String, usize)>,
    next: u32,
    indent: usize,
}

impl Writer {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{}{line}", "    ".repeat(self.indent));
    }

    fn body(&mut self) {
        for width in WIDTHS {
            self.known.extend(["a", "b", "r"].map(|name| (format!("{name}{width}"), width)));
        }
        for _ in 0..9 {
            match self.random.random_range(0..6) {
                0 | 1 => self.straight(),
                2 => self.chosen(),
                3 => self.matched(),
                4 => self.looped(),
                _ => self.register(),
            }
        }
        for width in WIDTHS {
            let value = self.value(width, 3);
            self.line(&format!("y{width} = {value};"));
        }
    }

    fn name(&mut self) -> String {
        self.next += 1;
        format!("v{}", self.next)
    }

    fn width(&mut self) -> usize {
        *WIDTHS.choose(&mut self.random).expect("a width")
    }

    fn straight(&mut self) {
        let (width, name) = (self.width(), self.name());
        let value = self.value(width, 3);
        self.line(&format!("let {name} = {value};"));
        self.known.push((name, width));
    }

    fn chosen(&mut self) {
        let (width, name) = (self.width(), self.name());
        let (test, other) = (self.value(1, 2), self.value(1, 1));
        let [a, b, c] = [0; 3].map(|_| self.value(width, 2));
        self.line(&format!("let {name} = if {test} {{ {a} }} else if {other} {{ {b} }} else {{ {c} }};"));
        self.known.push((name, width));
    }

    fn matched(&mut self) {
        let (width, name) = (self.width(), self.name());
        let [a, b, c] = [0; 3].map(|_| self.value(width, 2));
        self.line(&format!("let {name} = match k {{ 0 => {a}, 1 | 2 => {b}, _ => {c} }};"));
        self.known.push((name, width));
    }

    fn looped(&mut self) {
        let name = self.name();
        let (start, each) = (self.value(8, 1), self.value(8, 1));
        let signal = self.signal(33);
        self.line(&format!("let mut {name} = {start};"));
        self.line("for i in 0..4 {");
        self.line(&format!("    if {signal}[i * 3 + 1] {{"));
        self.line(&format!("        {name} = ({name} << 1) ^ {each};"));
        self.line("    } else {");
        let inner = self.name();
        self.line(&format!("        let {inner} = {name} + i;"));
        self.line(&format!("        {name} = {inner}.with(i, {signal}[i]);"));
        self.line("    }");
        self.line("}");
        self.known.push((name, 8));
    }

    fn register(&mut self) {
        let width = self.width();
        let (test, a, b) = (self.value(1, 2), self.value(width, 2), self.value(width, 2));
        self.line(&format!("if {test} {{"));
        self.line(&format!("    r{width} = {a};"));
        self.line("} else if k[0] {");
        self.line(&format!("    r{width} = {b};"));
        self.line("}");
    }

    fn signal(&mut self, width: usize) -> String {
        let fitting: Vec<_> = self.known.iter().filter(|(_, known)| *known == width).collect();
        fitting.choose(&mut self.random).expect("a signal of each width").0.clone()
    }

    /// A value with parentheses around it where it is not a signal.
    fn value(&mut self, width: usize, depth: u32) -> String {
        if depth == 0 || self.random.random_bool(0.15) {
            return self.signal(width);
        }
        let depth = depth - 1;
        match width {
            1 => self.bit(depth),
            _ => self.bits(width, depth),
        }
    }

    fn bit(&mut self, depth: u32) -> String {
        let other = *[4, 8, 13, 33].choose(&mut self.random).expect("a width");
        match self.random.random_range(0..8) {
            0 => format!("(!{})", self.value(1, depth)),
            1 | 2 => {
                let operator = *["&", "|", "^", "&&", "||"].choose(&mut self.random).expect("an operator");
                format!("({} {operator} {})", self.value(1, depth), self.value(1, depth))
            }
            3 | 4 => {
                let operator =
                    *["==", "!=", "<", "<=", ">", ">="].choose(&mut self.random).expect("an operator");
                let right = match self.random.random_bool(0.3) {
                    true => self.random.random_range(0..1u64 << other.min(20)).to_string(),
                    false => self.value(other, depth),
                };
                format!("({} {operator} {right})", self.value(other, depth))
            }
            5 => {
                let method = *["any", "all", "xor"].choose(&mut self.random).expect("a method");
                format!("{}.{method}()", self.value(other, depth))
            }
            6 => format!("Self::odd({})", self.value(13, depth)),
            _ => {
                let index = if self.random.random_bool(0.3) {
                    "k".into()
                } else {
                    self.random.random_range(0..other).to_string()
                };
                format!("{}[{index}]", self.signal(other))
            }
        }
    }

    /// A concatenation, whose type is written: a method says nothing of it.
    fn together(&mut self, width: usize, parts: &str) -> String {
        let name = self.name();
        self.line(&format!("let {name}: Bits<{width}> = cat({parts});"));
        name
    }

    fn bits(&mut self, width: usize, depth: u32) -> String {
        match self.random.random_range(0..10) {
            0..=2 => {
                let operator = *["+", "-", "&", "|", "^"].choose(&mut self.random).expect("an operator");
                format!("({} {operator} {})", self.value(width, depth), self.value(width, depth))
            }
            3 => format!("(!{})", self.value(width, depth)),
            4 => {
                let operator = *["<<", ">>"].choose(&mut self.random).expect("an operator");
                let by = if self.random.random_bool(0.4) {
                    "k".into()
                } else {
                    self.random.random_range(0..width).to_string()
                };
                format!("({} {operator} {by})", self.value(width, depth))
            }
            5 => {
                let from = *[4, 8, 13, 33].choose(&mut self.random).expect("a width");
                format!("bit_cast::<{width}, {from}>({})", self.value(from, depth))
            }
            6 => {
                let low = self.random.random_range(0..=33 - width);
                format!("{}[{low}..{}]", self.signal(33), low + width)
            }
            7 => format!(
                "{}.with({}, {})",
                self.value(width, depth),
                self.random.random_range(0..width),
                self.value(1, depth)
            ),
            8 if width == 8 => format!("Self::mix({}, {})", self.value(8, depth), self.value(8, depth)),
            8 if width == 13 => {
                let parts =
                    format!("{}, {}, {}", self.value(4, depth), self.value(1, depth), self.value(8, depth));
                self.together(width, &parts)
            }
            8 if width == 33 => {
                let low = self.random.random_range(0..16);
                let (a, b, c) = (self.value(13, depth), self.value(4, depth), self.signal(33));
                self.together(width, &format!("{a}, {b}, {c}[{low}..{}]", low + 16))
            }
            _ => format!("({} + {})", self.value(width, depth), self.random.random_range(0..16)),
        }
    }
}
