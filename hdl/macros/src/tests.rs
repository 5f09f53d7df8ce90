//! What is refused, and where the error points.

use crate::expand;
use proc_macro2::TokenStream;

fn expanded(body: &str) -> syn::Result<String> {
    let item: TokenStream = format!("fn update(&mut self) {{\n{body}\n}}").parse().expect("tokens");
    expand(TokenStream::new(), item).map(|tokens| tokens.to_string())
}

/// Line and column of the error, and what it says; the body's first line is 1.
#[track_caller]
fn refused(body: &str) -> (usize, usize, String) {
    let error = expanded(body).expect_err("refused");
    let start = error.span().start();
    (start.line - 1, start.column, error.to_string())
}

#[test]
fn a_function_is_known_by_its_whole_name() {
    for function in [
        "bits_rev",
        "bitset",
        "bit_cast_up",
        "Bits::from",
        "signed_castle",
        "unsigned_casting",
        "own::bits::<4>",
    ] {
        let (line, column, why) = refused(&format!("self.y.next =\n {function}(self.a.val());"));
        assert_eq!((line, column), (2, 1), "{function}");
        assert!(why.contains("no description"), "{function}: {why}");
    }
    for function in ["bits::<4>", "bit_cast::<4, 8>", "signed_cast", "unsigned_cast", "signed_bit_cast"] {
        expanded(&format!("self.y.next = {function}(self.a.val());")).expect("described");
    }
}

#[test]
fn a_statement_function_is_known_by_its_whole_name() {
    for function in ["Bus::joined", "Bus::linkage", "own::join_all", "link", "Bus::link::<4>"] {
        let (line, column, _) = refused(&format!("\n{function}(&mut self.a, &mut self.b);"));
        assert_eq!((line, column), (2, 0), "{function}");
    }
    assert!(refused("Bus::link(&mut self.a);").2.contains("two arguments"));
    assert!(refused("self.y.next = own::join(self.a.val());").2.contains("no description"));
    expanded("Bus::<4>::join(&mut self.a, &mut self.b);").expect("described");
}

#[test]
fn what_has_no_description_is_refused() {
    let bodies = [
        ("let x = self.a.val();", "no `let`"),
        ("self.a = self.b;", "assign to `.next`"),
        ("self.a.next.b.c = self.b.val();", "assign to `.next`"),
        ("self.a.next = self.b.next;", "`.next` is written only"),
        ("self.a.next += 1;", "no statement"),
        ("self.a.next = self.b.val() / 2;", "operator"),
        ("self.a.next = if x { 1 } else { 2 };", "expression"),
        ("self.a.next = self.b.val().get_bits(2);", "say the width"),
        ("self.a.next = bits(2);", "say the width"),
        ("self.a.next = bits::<_>(2);", "say the width"),
        ("self.a.next = self.b.val().count();", "no description"),
        ("self.a.next = self.b.val().get_bit(1, 2);", "2 arguments"),
        ("self.a.next = 5000000000;", "_u64"),
        ("self.a.next = 3_i8;", "i8"),
        ("self.a.next = 1.5;", "only numbers"),
        ("self.input.next = 1;", ""),
        ("self.a.next = self.config;", "word of Verilog"),
        ("for i in 0..=3 { self.a[i].next = 1; }", "from..to"),
        ("for i in self.list { self.a[i].next = 1; }", "from..to"),
        ("while true { }", "no statement"),
        ("match self.a.val() { X if true => {} _ => {} }", "no guard"),
        ("match self.a.val() { X | Y => {} _ => {} }", "an arm is"),
        ("dbg!(self.a);", "only `clock!`"),
        ("return;", "no statement"),
    ];
    for (body, why) in bodies {
        if why.is_empty() {
            // `input` is a word of Verilog as a whole name only.
            expanded(body).expect("described");
            continue;
        }
        let (line, _, said) = refused(body);
        assert!(said.contains(why) && line == 1, "{body}: {said}");
    }
}

#[test]
fn the_attribute_goes_on_update() {
    for item in ["fn other(&mut self) {}", "fn update(&mut self, x: u8) {}"] {
        let error = expand(TokenStream::new(), item.parse().expect("tokens")).expect_err("refused");
        assert!(error.to_string().contains("fn update(&mut self)"), "{error}");
    }
    let arguments: TokenStream = "fast".parse().expect("tokens");
    assert!(expand(arguments, "fn update(&mut self) {}".parse().expect("tokens")).is_err());
}

#[test]
fn what_is_driven_is_connected_once() {
    let body = "if self.a.val() { self.y.next = 1; } else { self.y.next = 2; } self.z[0].next.f = 1;";
    let text = expanded(body).expect("described");
    let connects = |signal: &str| text.matches(&format!("logic_connect_fn (& mut self . {signal})")).count();
    assert_eq!((connects("y"), connects("z [0]")), (1, 1), "{text}");
}
