//! Random statements that assign a signal on every path, as Rust source.

use super::expression::{Type, Writer};

/// How a signal is written: `self.y.next`.
pub struct Target<'t> {
    pub text: &'t str,
    pub ty: Type,
    /// How it is read, if it is read in program order.
    pub read: Option<String>,
}

impl Writer<'_> {
    /// Statements that assign `target`, each with its indentation.
    pub fn assigned(&mut self, target: &Target, depth: u32, indent: &str) -> String {
        match self.below(6) {
            0 | 1 => self.branches(target, depth, indent),
            2 => self.matched(target, depth, indent),
            3 => match self.looped(target, depth, indent) {
                Some(text) => text,
                None => self.plainly(target, depth, indent),
            },
            _ => self.plainly(target, depth, indent),
        }
    }

    pub fn plainly(&mut self, target: &Target, depth: u32, indent: &str) -> String {
        let value = self.expression(target.ty, depth).whole();
        format!("{indent}{} = {value};\n", target.text)
    }

    fn branches(&mut self, target: &Target, depth: u32, indent: &str) -> String {
        let inner = format!("{indent}    ");
        let mut text = String::new();
        let default_first = self.below(2) == 0;
        if default_first {
            text += &self.plainly(target, 1, indent);
        }
        let condition = self.expression(Type::Bool, depth.min(2)).whole();
        text += &format!("{indent}if {condition} {{\n{}{indent}}}", self.plainly(target, depth, &inner));
        if self.below(2) == 0 {
            let condition = self.expression(Type::Bool, 1).whole();
            text += &format!(" else if {condition} {{\n{}{indent}}}", self.plainly(target, 1, &inner));
        }
        if !default_first || self.below(2) == 0 {
            text += &format!(" else {{\n{}{indent}}}", self.plainly(target, depth, &inner));
        }
        text + "\n"
    }

    fn matched(&mut self, target: &Target, depth: u32, indent: &str) -> String {
        let inner = format!("{indent}    ");
        let width = self.pick(&[1, 2, 3]);
        let selector = self.plain(width);
        let all = 1 << width;
        let complete = self.below(2) == 0;
        let count = if complete { all } else { 1 + self.below(all) };
        let mut text = format!("{indent}match {selector}.index() {{\n");
        for number in 0..count {
            let arm = if complete { number } else { self.below(all) };
            let value = self.expression(target.ty, depth.min(2)).whole();
            text += &format!("{inner}{arm} => {} = {value},\n", target.text);
        }
        if complete && self.below(2) == 0 {
            text += &format!("{inner}_ => {{}}\n");
        } else {
            let value = self.expression(target.ty, 1).whole();
            text += &format!("{inner}_ => {} = {value},\n", target.text);
        }
        text + &format!("{indent}}}\n")
    }

    /// A loop that changes the target step by step.
    fn looped(&mut self, target: &Target, depth: u32, indent: &str) -> Option<String> {
        let read = target.read.clone()?;
        let Type::Bits(width) = target.ty else { return None };
        let inner = format!("{indent}    ");
        let turns = 1 + self.below(width.min(6));
        let start = self.plainly(target, depth, indent);
        let step = match self.below(4) {
            3 => {
                let lane = self.pick(&["i", "(i + 1) % 4", "3 - i % 4", "(i * 2 + 1) % 4"]);
                let lane = if lane == "i" && turns > 4 { "i % 4" } else { lane };
                // not inside a cast: the code that rust-hdl makes of one has no loop variable
                let test = self.pick(&["any()", "all()", "xor()", "get_bit(1)"]);
                let change = self.pick(&["+ 1", "- 1", ">> 1"]);
                format!(
                    "{inner}if self.k[{lane}].val().{test} {{\n{inner}    {} = {read} {change};\n{inner}}}\n",
                    target.text
                )
            }
            0 => {
                let bit = self.expression(Type::Bool, 1).whole();
                format!("{inner}{} = {read}.replace_bit(i, {bit});\n", target.text)
            }
            1 => {
                let from = self.pick(&[8, 12, 16, 33, 64, 130]);
                let value = self.plain(from);
                let ahead = self.below(3);
                let change = self.pick(&["+ 1", "<< 1", "^ 1"]);
                format!(
                    "{inner}if {value}.get_bit(i + {ahead}) {{\n{inner}    {} = {read} {change};\n{inner}}}\n",
                    target.text
                )
            }
            _ => {
                let index = self.plain(2);
                let op = self.pick(&["==", "!=", "<", ">="]);
                let value = self.expression(target.ty, 1).whole();
                format!(
                    "{inner}if {index}.index() {op} i + 1 {{\n{inner}    {} = {value};\n{inner}}}\n",
                    target.text
                )
            }
        };
        Some(format!("{start}{indent}for i in 0..{turns} {{\n{step}{indent}}}\n"))
    }
}
