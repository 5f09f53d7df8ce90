//! The description of a block: the text that [`hdl_gen`](crate::hdl_gen) makes of a body, read into rust-hdl's syntax
//! tree.
//!
//! The text is a list of words, statements and expressions in prefix order:
//!
//! | words | meaning |
//! |---|---|
//! | `A target value` | assignment |
//! | `S signal width first value` | assignment of a field |
//! | `I test then... }` and `N`, `E else... }` or `J if` | conditional |
//! | `M test (case statements... })... }` | match; a case is a name, digits or `#n` |
//! | `L index from to body... }` | loop; the bounds are literals |
//! | `K link` | `link` or `join`, by its place in the list of links |
//! | `X statements... }` | what `clock!` and `dff_setup!` stand for |
//! | `C xHEX` | comment, as the UTF-8 bytes of its text |
//! | `s name` | signal; in its brackets `#n` may stand for a number |
//! | `E is_array name value index` | element of an array, or bit of a value |
//! | `t`, `f`, `i32 5`, `u64 5`, `usize 5` ... | literal with its type |
//! | `c width value`, `us value`, `sg value`, `p value` | cast, unsigned, signed, parentheses |
//! | `i value index`, `w width value first`, `F width first value` | bit, slice, field |
//! | `r value index bit` | value with one bit replaced |
//! | `P total count (width first value)...` | fields put together |
//! | `cat count (width value)...` | concatenation, lowest bits first |
//! | `all value`, `any value`, `xor value`, `! value`, `- value` | unary operators |
//! | `+ left right`, `b- left right`, `&& left right` ... | binary operators |
//!
//! A number is its digits, or `#n` for entry n of the numbers that only the compiled block knows.

use rust_hdl::prelude::ast::{
    Verilog, VerilogBlock, VerilogBlockOrConditional, VerilogCase, VerilogConditional, VerilogExpression,
    VerilogLink, VerilogLiteral, VerilogLoop, VerilogMatch, VerilogOp, VerilogOpUnary, VerilogStatement,
};

/// Reads a description. It is called by what `#[hdl_gen]` writes, and by nobody else.
///
/// # Panics
/// If the text is not one that `#[hdl_gen]` makes: macro and decoder are of different versions.
pub fn decode(text: &str, numbers: &[usize], links: Vec<Vec<VerilogLink>>) -> Verilog {
    let mut decoder = Decoder { words: text.split_ascii_whitespace(), numbers, links };
    let mut body = vec![];
    while let Some(word) = decoder.words.next() {
        body.push(decoder.statement(word));
    }
    Verilog::Combinatorial(body)
}

struct Decoder<'a> {
    words: std::str::SplitAsciiWhitespace<'a>,
    numbers: &'a [usize],
    links: Vec<Vec<VerilogLink>>,
}

fn refuse(what: &str, word: &str) -> ! {
    panic!(
        "no {what} in a description: `{word}`; flitforge-macros and flitforge-base are of different versions"
    )
}

impl<'a> Decoder<'a> {
    fn word(&mut self) -> &'a str {
        self.words.next().unwrap_or_else(|| refuse("further word", ""))
    }

    fn parsed<T: std::str::FromStr>(&mut self) -> T {
        let word = self.word();
        word.parse().unwrap_or_else(|_| refuse("number", word))
    }

    fn number(&mut self) -> usize {
        let word = self.word();
        let number = match word.strip_prefix('#') {
            Some(index) => index.parse().ok().and_then(|index: usize| self.numbers.get(index).copied()),
            None => word.parse().ok(),
        };
        number.unwrap_or_else(|| refuse("number", word))
    }

    /// A name; `#n` in it stands for a number.
    fn name(&self, word: &str) -> String {
        let mut pieces = word.split('#');
        let mut name = pieces.next().unwrap_or_default().to_string();
        for piece in pieces {
            let end = piece.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(piece.len());
            let (index, rest) = piece.split_at(end);
            let number = index.parse().ok().and_then(|index: usize| self.numbers.get(index));
            let number = number.unwrap_or_else(|| refuse("number", word));
            name.push_str(&format!("{number}{rest}"));
        }
        name
    }

    fn named(&mut self) -> String {
        let word = self.word();
        self.name(word)
    }

    /// Statements up to `}`.
    fn block(&mut self) -> VerilogBlock {
        let mut block = vec![];
        loop {
            match self.word() {
                "}" => return block,
                word => block.push(self.statement(word)),
            }
        }
    }

    fn statement(&mut self, word: &str) -> VerilogStatement {
        match word {
            "A" => {
                let target = self.expression();
                VerilogStatement::Assignment(target, self.expression())
            }
            "S" => {
                let (base, width, offset) = (self.expression(), self.number(), self.number());
                VerilogStatement::SliceAssignment {
                    base,
                    width,
                    offset: VerilogExpression::Literal(offset.into()),
                    replacement: self.expression(),
                }
            }
            "I" => VerilogStatement::If(self.conditional()),
            "M" => VerilogStatement::Match(self.choice()),
            "L" => {
                let index = self.word().to_string();
                let (from, to) = (self.bound(), self.bound());
                VerilogStatement::Loop(VerilogLoop { index, from, to, block: self.block() })
            }
            "K" => {
                let index = self.number();
                VerilogStatement::Link(self.links.get_mut(index).map(std::mem::take).unwrap_or_default())
            }
            "X" => VerilogStatement::Macro(self.block()),
            "C" => VerilogStatement::Comment(self.text()),
            other => refuse("such statement", other),
        }
    }

    fn conditional(&mut self) -> VerilogConditional {
        let (test, then) = (self.expression(), self.block());
        let otherwise = match self.word() {
            "N" => VerilogBlockOrConditional::None,
            "E" => VerilogBlockOrConditional::Block(self.block()),
            "J" => {
                let word = self.word();
                VerilogBlockOrConditional::Conditional(Box::new(self.statement(word)))
            }
            other => refuse("such branch", other),
        };
        VerilogConditional { test, then, otherwise }
    }

    fn choice(&mut self) -> VerilogMatch {
        let test = self.expression();
        let mut cases = vec![];
        loop {
            match self.word() {
                "}" => return VerilogMatch { test, cases },
                condition => {
                    let condition = self.name(condition);
                    cases.push(VerilogCase { condition, block: self.block() })
                }
            }
        }
    }

    fn text(&mut self) -> String {
        let word = self.word();
        let digits = word.strip_prefix('x').unwrap_or_else(|| refuse("text", word));
        let byte = |at: usize| digits.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
        let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
        bytes.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_else(|| refuse("text", word))
    }

    fn bound(&mut self) -> VerilogLiteral {
        let word = self.word();
        self.literal(word).unwrap_or_else(|| refuse("bound", word))
    }

    /// A literal of the type that `word` names.
    fn literal(&mut self, word: &str) -> Option<VerilogLiteral> {
        Some(match word {
            "t" => true.into(),
            "f" => false.into(),
            "i32" => self.parsed::<i32>().into(),
            "u8" => self.parsed::<u8>().into(),
            "u16" => self.parsed::<u16>().into(),
            "u32" => self.parsed::<u32>().into(),
            "u64" => self.parsed::<u64>().into(),
            "u128" => self.parsed::<u128>().into(),
            "usize" => self.number().into(),
            _ => return None,
        })
    }

    /// What `x[i]` means where only the compiled block knows whether `x` is an array.
    fn element(&mut self) -> VerilogExpression {
        let (is_array, name) = (self.number() == 1, self.named());
        let (value, index) = (self.boxed(), self.boxed());
        match is_array {
            true => VerilogExpression::Signal(name),
            false => VerilogExpression::Index(value, index),
        }
    }

    fn packed(&mut self) -> VerilogExpression {
        let (total, count) = (self.number(), self.number());
        let parts = (0..count).map(|_| (self.number(), self.number(), self.expression())).collect();
        together(total, parts)
    }

    fn concatenation(&mut self) -> VerilogExpression {
        let count = self.number();
        let (mut first, mut parts) = (0, vec![]);
        for _ in 0..count {
            let (width, value) = (self.number(), self.expression());
            parts.push((width, first, value));
            first += width;
        }
        together(first, parts)
    }

    fn boxed(&mut self) -> Box<VerilogExpression> {
        Box::new(self.expression())
    }

    fn unary(&mut self, operator: VerilogOpUnary) -> VerilogExpression {
        VerilogExpression::Unary(operator, self.boxed())
    }

    fn binary(&mut self, operator: VerilogOp) -> VerilogExpression {
        let left = self.boxed();
        VerilogExpression::Binary(left, operator, self.boxed())
    }

    fn expression(&mut self) -> VerilogExpression {
        let word = self.word();
        if let Some(literal) = self.literal(word) {
            return VerilogExpression::Literal(literal);
        }
        match word {
            "s" => VerilogExpression::Signal(self.named()),
            "E" => self.element(),
            "P" => self.packed(),
            "cat" => self.concatenation(),
            "c" => {
                let width = self.number();
                VerilogExpression::Cast(self.boxed(), width)
            }
            "us" => VerilogExpression::Unsigned(self.boxed()),
            "sg" => VerilogExpression::Signed(self.boxed()),
            "p" => VerilogExpression::Paren(self.boxed()),
            "i" => {
                let value = self.boxed();
                VerilogExpression::Index(value, self.boxed())
            }
            "w" => {
                let (width, value) = (self.number(), self.boxed());
                VerilogExpression::Slice(value, width, self.boxed())
            }
            "F" => {
                let (width, first) = (self.number(), self.number());
                let first = Box::new(VerilogExpression::Literal(first.into()));
                VerilogExpression::Slice(self.boxed(), width, first)
            }
            "r" => {
                let (value, index) = (self.boxed(), self.boxed());
                VerilogExpression::IndexReplace(value, index, self.boxed())
            }
            "!" => self.unary(VerilogOpUnary::Not),
            "-" => self.unary(VerilogOpUnary::Neg),
            "all" => self.unary(VerilogOpUnary::All),
            "any" => self.unary(VerilogOpUnary::Any),
            "xor" => self.unary(VerilogOpUnary::Xor),
            _ => match binary(word) {
                Some(operator) => self.binary(operator),
                None => refuse("such expression", word),
            },
        }
    }
}

/// Values side by side, each with its width and the place of its lowest bit in a word of `total` bits.
fn together(total: usize, parts: Vec<(usize, usize, VerilogExpression)>) -> VerilogExpression {
    let placed = parts.into_iter().map(|(width, first, value)| {
        // A number gets the width of its part, so that one which does not fit is seen.
        let value = match value {
            VerilogExpression::Literal(_) => VerilogExpression::Cast(Box::new(value), width),
            value => value,
        };
        let value = VerilogExpression::Cast(Box::new(value), total);
        if first == 0 {
            return value;
        }
        let by = Box::new(VerilogExpression::Literal(first.into()));
        VerilogExpression::Paren(Box::new(VerilogExpression::Binary(Box::new(value), VerilogOp::Shl, by)))
    });
    let joined =
        placed.reduce(|low, high| VerilogExpression::Binary(Box::new(low), VerilogOp::BitOr, Box::new(high)));
    VerilogExpression::Paren(Box::new(joined.unwrap_or_else(|| refuse("empty concatenation", ""))))
}

fn binary(word: &str) -> Option<VerilogOp> {
    Some(match word {
        "+" => VerilogOp::Add,
        "b-" => VerilogOp::Sub,
        "*" => VerilogOp::Mul,
        "&&" => VerilogOp::LogicalAnd,
        "||" => VerilogOp::LogicalOr,
        "^" => VerilogOp::BitXor,
        "&" => VerilogOp::BitAnd,
        "|" => VerilogOp::BitOr,
        "<<" => VerilogOp::Shl,
        ">>" => VerilogOp::Shr,
        "==" => VerilogOp::Eq,
        "<" => VerilogOp::Lt,
        "<=" => VerilogOp::Le,
        "!=" => VerilogOp::Ne,
        ">=" => VerilogOp::Ge,
        ">" => VerilogOp::Gt,
        _ => return None,
    })
}
