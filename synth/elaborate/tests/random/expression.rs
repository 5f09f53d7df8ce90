//! Random expressions as Rust source, of a wanted type, in the subset that rust-hdl simulates without panics.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Widths of signals: small, around the 32 bits where rust-hdl's representation changes, around a word, wide.
pub const WIDTHS: [u32; 14] = [1, 2, 3, 4, 5, 8, 12, 16, 31, 32, 33, 40, 64, 130];

/// A type of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Bool,
    Bits(u32),
    Signed(u32),
}

impl Type {
    /// In Rust.
    pub fn text(self) -> String {
        match self {
            Self::Bool => "Bit".into(),
            Self::Bits(width) => format!("Bits<{width}>"),
            Self::Signed(width) => format!("Signed<{width}>"),
        }
    }
}

/// How tightly an operator binds in Rust.
mod level {
    pub const OR_OR: u32 = 0;
    pub const AND_AND: u32 = 1;
    pub const COMPARE: u32 = 2;
    pub const OR: u32 = 3;
    pub const XOR: u32 = 4;
    pub const AND: u32 = 5;
    pub const SHIFT: u32 = 6;
    pub const SUM: u32 = 7;
    pub const PRODUCT: u32 = 8;
    pub const UNARY: u32 = 9;
    pub const CALL: u32 = 10;
}

/// Source text, and how tightly its outermost operator binds.
pub struct Text {
    text: String,
    level: u32,
}

impl Text {
    fn new(level: u32, text: String) -> Self {
        Self { text, level }
    }

    /// As the operand of something that binds at `level`.
    fn under(self, level: u32) -> String {
        match self.level >= level {
            true => self.text,
            false => format!("({})", self.text),
        }
    }

    /// As a whole.
    pub fn whole(self) -> String {
        self.text
    }
}

/// Writes expressions over what may be read.
pub struct Writer<'r> {
    pub random: &'r mut ChaCha8Rng,
    /// Source text of every value that may be read: `self.a.val()`.
    pub readable: Vec<(String, Type)>,
}

impl Writer<'_> {
    pub fn below(&mut self, end: u32) -> u32 {
        self.random.random_range(0..end)
    }

    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.random.random_range(0..list.len())]
    }

    fn call(text: String) -> Text {
        Text::new(level::CALL, text)
    }

    /// A literal of at most `width` bits.
    pub fn literal(&mut self, width: u32) -> String {
        let most = u64::MAX >> (64 - width.min(64));
        let value = match self.below(4) {
            0 => self.random.random_range(0..=most.min(3)),
            1 => most,
            _ => self.random.random_range(0..=most),
        };
        let suffix = if value > i32::MAX as u64 { "_u64" } else { "" };
        match self.below(3) {
            0 => format!("0x{value:X}{suffix}"),
            _ => format!("{value}{suffix}"),
        }
    }

    /// A signal of type `wanted`, or one that is cast to it.
    fn leaf(&mut self, wanted: Type) -> Text {
        let fitting: Vec<String> =
            self.readable.iter().filter(|(_, ty)| *ty == wanted).map(|(text, _)| text.clone()).collect();
        if !fitting.is_empty() {
            return Self::call(fitting[self.random.random_range(0..fitting.len())].clone());
        }
        match wanted {
            Type::Bool => Self::call("true".into()),
            Type::Signed(width) => {
                let bits = self.leaf(Type::Bits(width)).whole();
                Self::call(format!("signed_cast({bits})"))
            }
            Type::Bits(width) => self.cast_leaf(width),
        }
    }

    fn cast_leaf(&mut self, width: u32) -> Text {
        let known: Vec<(String, u32)> = self
            .readable
            .iter()
            .filter_map(|(text, ty)| match ty {
                Type::Bits(from) if *from != width => Some((text.clone(), *from)),
                _ => None,
            })
            .collect();
        let (text, from) = known[self.random.random_range(0..known.len())].clone();
        if from > width && self.below(2) == 0 {
            let offset = self.below(from - width + 1);
            return Self::call(format!("{text}.get_bits::<{width}>({offset})"));
        }
        Self::call(format!("bit_cast::<{width}, {from}>({text})"))
    }

    /// An expression; `depth` limits how far it nests.
    pub fn expression(&mut self, wanted: Type, depth: u32) -> Text {
        if depth == 0 {
            return self.leaf(wanted);
        }
        let text = match wanted {
            Type::Bool => self.boolean(depth - 1),
            Type::Bits(width) => self.bits(width, depth - 1),
            Type::Signed(width) => self.signed(width, depth - 1),
        };
        match self.below(8) {
            0 => Self::call(format!("({})", text.whole())),
            _ => text,
        }
    }

    fn other_width(&mut self, width: u32) -> u32 {
        loop {
            let other = self.pick(&WIDTHS);
            if other != width {
                return other;
            }
        }
    }

    /// `left op right`; operators of one level bind to the left.
    fn binary(at: u32, left: Text, op: &str, right: Text) -> Text {
        Text::new(at, format!("{} {op} {}", left.under(at), right.under(at + 1)))
    }

    fn bits(&mut self, width: u32, depth: u32) -> Text {
        let own = Type::Bits(width);
        match self.below(16) {
            0..=4 => self.arithmetic(width, depth),
            5 => {
                let value = self.expression(own, depth);
                Text::new(level::UNARY, format!("!{}", value.under(level::UNARY)))
            }
            6 | 7 => self.shift(width, depth),
            8 => {
                let from = self.other_width(width);
                let value = self.expression(Type::Bits(from), depth).whole();
                Self::call(format!("bit_cast::<{width}, {from}>({value})"))
            }
            9 | 10 => self.select(width, depth),
            11 => {
                let value = self.expression(own, depth).under(level::CALL);
                let index = self.index(width - 1);
                let bit = self.expression(Type::Bool, depth).whole();
                Self::call(format!("{value}.replace_bit({index}, {bit})"))
            }
            12 if width > 1 => {
                let bit = self.expression(Type::Bool, depth).under(level::CALL);
                Self::call(format!("bit_cast::<{width}, 1>({bit}.into())"))
            }
            13 if width == 32 => {
                let (a, b) = (self.expression(Type::Bits(16), depth), self.expression(Type::Bits(16), depth));
                Self::binary(level::PRODUCT, a, "*", b)
            }
            14 => {
                let value = self.expression(Type::Signed(width), depth).whole();
                Self::call(format!("unsigned_cast({value})"))
            }
            15 => {
                let literal = self.literal(width);
                Self::call(format!("bits::<{width}>({literal})"))
            }
            _ => self.leaf(own),
        }
    }

    fn arithmetic(&mut self, width: u32, depth: u32) -> Text {
        let (op, at) = self.pick(&[
            ("+", level::SUM),
            ("-", level::SUM),
            ("+", level::SUM),
            ("&", level::AND),
            ("|", level::OR),
            ("^", level::XOR),
        ]);
        let left = self.expression(Type::Bits(width), depth);
        match self.below(6) {
            0 | 1 => {
                let literal = Self::call(self.literal(width));
                Self::binary(at, left, op, literal)
            }
            2 => {
                let literal = Self::call(self.literal(width));
                Self::binary(at, literal, op, left)
            }
            3 if op == "+" => {
                let bit = self.expression(Type::Bool, depth);
                Self::binary(at, left, op, bit)
            }
            _ => {
                let right = self.expression(Type::Bits(width), depth);
                Self::binary(at, left, op, right)
            }
        }
    }

    fn shift(&mut self, width: u32, depth: u32) -> Text {
        let op = self.pick(&["<<", ">>"]);
        let left = self.expression(Type::Bits(width), depth);
        let right = match self.below(2) {
            0 => Self::call(self.below(width + 3).to_string()),
            _ => {
                let by = self.pick(&[1, 2, 3, 5, 8, 12]);
                self.expression(Type::Bits(by), depth.min(1))
            }
        };
        Self::binary(level::SHIFT, left, op, right)
    }

    fn select(&mut self, width: u32, depth: u32) -> Text {
        let from = self.pick(&WIDTHS);
        let value = self.expression(Type::Bits(from), depth).under(level::CALL);
        let offset = self.index(from - 1);
        Self::call(format!("{value}.get_bits::<{width}>({offset})"))
    }

    /// An index of at most `most`: a number, or a `usize` that is calculated.
    fn index(&mut self, most: u32) -> String {
        let width = (32 - (most + 1).leading_zeros() - 1).min(6);
        if width == 0 || self.below(2) == 0 {
            return self.below(most + 1).to_string();
        }
        let index = self.plain(width);
        let room = most + 1 - (1 << width);
        match self.below(4) {
            0 if room > 0 => format!("{index}.index() + {}", 1 + self.below(room)),
            1 if room > 0 => format!("{} + {index}.index()", 1 + self.below(room)),
            2 if most >= 2 * ((1 << width) - 1) => format!("{index}.index() * 2"),
            _ => format!("{index}.index()"),
        }
    }

    /// `width` bits without arithmetic outside of a cast, as `.index()` needs them.
    pub fn plain(&mut self, width: u32) -> String {
        match self.below(4) {
            0 => {
                let from = self.other_width(width);
                let value = self.expression(Type::Bits(from), 1).whole();
                format!("bit_cast::<{width}, {from}>({value})")
            }
            1 => {
                let op = self.pick(&["&", "|", "^"]);
                let (a, b) = (self.leaf(Type::Bits(width)).whole(), self.leaf(Type::Bits(width)).whole());
                format!("({a} {op} {b})")
            }
            _ => self.leaf(Type::Bits(width)).whole(),
        }
    }

    fn boolean(&mut self, depth: u32) -> Text {
        match self.below(14) {
            0 => {
                let value = self.expression(Type::Bool, depth);
                Text::new(level::UNARY, format!("!{}", value.under(level::UNARY)))
            }
            1..=3 => {
                let (op, at) = self.pick(&[
                    ("&", level::AND),
                    ("|", level::OR),
                    ("^", level::XOR),
                    ("&&", level::AND_AND),
                    ("||", level::OR_OR),
                ]);
                let (a, b) = (self.expression(Type::Bool, depth), self.expression(Type::Bool, depth));
                Self::binary(at, a, op, b)
            }
            4..=7 => self.compare(depth),
            8 => {
                let width = self.pick(&WIDTHS);
                let (ty, index) =
                    (self.pick(&[Type::Bits(width), Type::Signed(width)]), self.index(width - 1));
                let value = self.expression(ty, depth).under(level::CALL);
                Self::call(format!("{value}.get_bit({index})"))
            }
            9..=11 => {
                let width = self.pick(&WIDTHS);
                let value = self.expression(Type::Bits(width), depth).under(level::CALL);
                let reduce = self.pick(&["any", "all", "xor"]);
                Self::call(format!("{value}.{reduce}()"))
            }
            12 => {
                let width = self.pick(&[2, 3, 4, 5]);
                let (index, literal) = (self.plain(width), self.literal(width));
                let op = self.pick(&["==", "!=", "<", ">="]);
                Text::new(level::COMPARE, format!("{index}.index() {op} {literal}"))
            }
            _ => self.leaf(Type::Bool),
        }
    }

    /// Comparisons do not chain: both operands bind more tightly.
    fn compare(&mut self, depth: u32) -> Text {
        let op = self.pick(&["==", "!=", "<", "<=", ">", ">="]);
        let width = self.pick(&WIDTHS);
        let (left, right) = match self.below(5) {
            0 => {
                let ty = Type::Signed(width);
                (self.expression(ty, depth), self.expression(ty, depth))
            }
            1 | 2 => (self.expression(Type::Bits(width), depth), Self::call(self.literal(width))),
            3 => (Self::call(self.literal(width)), self.expression(Type::Bits(width), depth)),
            _ => {
                let ty = Type::Bits(width);
                (self.expression(ty, depth), self.expression(ty, depth))
            }
        };
        let (left, right) = (left.under(level::COMPARE + 1), right.under(level::COMPARE + 1));
        Text::new(level::COMPARE, format!("{left} {op} {right}"))
    }

    fn signed(&mut self, width: u32, depth: u32) -> Text {
        let own = Type::Signed(width);
        match self.below(9) {
            0..=2 => {
                let op = self.pick(&["+", "-"]);
                let (a, b) = (self.expression(own, depth), self.expression(own, depth));
                Self::binary(level::SUM, a, op, b)
            }
            3 => {
                let value = self.expression(own, depth).under(level::UNARY);
                let value = if value.starts_with('-') { format!("({value})") } else { value };
                Text::new(level::UNARY, format!("-{value}"))
            }
            4 => {
                let value = self.expression(Type::Bits(width), depth).whole();
                Self::call(format!("signed_cast({value})"))
            }
            5 | 6 => self.widened(width),
            7 if width == 32 => {
                let (a, b) =
                    (self.expression(Type::Signed(16), depth), self.expression(Type::Signed(16), depth));
                Self::binary(level::PRODUCT, a, "*", b)
            }
            _ => self.leaf(own),
        }
    }

    /// A cast of a signed input: the inputs never have the most negative value, which rust-hdl cannot cast. It stands beside a
    /// signal, since rust-hdl drops the width of the cast and the walker refuses it where nothing else says it.
    fn widened(&mut self, width: u32) -> Text {
        let inputs: Vec<(String, u32)> = self
            .readable
            .iter()
            .filter_map(|(text, ty)| match ty {
                Type::Signed(from) if text.starts_with("self.s") && *from != width => {
                    Some((text.clone(), *from))
                }
                _ => None,
            })
            .collect();
        if inputs.is_empty() {
            return self.leaf(Type::Signed(width));
        }
        let (text, from) = inputs[self.random.random_range(0..inputs.len())].clone();
        let cast = Self::call(format!("signed_bit_cast::<{width}, {from}>({text})"));
        let op = self.pick(&["+", "-"]);
        let other = self.leaf(Type::Signed(width));
        match self.below(2) {
            0 => Self::binary(level::SUM, other, op, cast),
            _ => Self::binary(level::SUM, cast, op, other),
        }
    }
}
