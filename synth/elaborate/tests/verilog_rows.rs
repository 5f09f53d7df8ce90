//! The rows that rust-hdl's own text gets wrong, each with its verdict: our text in Icarus against the stock
//! `update_all`, or the reason why the row is refused.
#![allow(clippy::expect_used)] // helpers of tests may panic

use crate::rows::*;
use crate::support;
use flitforge_elaborate::check::{structure, CrossingCatalogue, Kind};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::error::Reason;
use flitforge_elaborate::lint::source;
use flitforge_elaborate::selfcheck::{against_stock, Mismatch};
use flitforge_elaborate::{elaborate, verilog};
use proc_macro2::TokenTree;
use rust_hdl::prelude::*;
use std::collections::BTreeSet;

/// The row's text does what `update_all` does, and lints clean.
fn same<B: DriveBlock + Default + 'static>(name: &str) {
    same_but_for::<B>(name, &[]);
}

/// [`same`], where the linter cannot follow the row: warnings `also` are left out.
fn same_but_for<B: DriveBlock + Default + 'static>(name: &str, also: &[&str]) {
    let (design, changes) = support::stock::same(B::default(), &snake(name), 1000);
    assert!(changes > 50, "{name}: only {changes} changes of the outputs");
    support::lint(&design, also);
}

/// The walker refuses the row.
fn refused<B: Block + Default>(name: &str, expected: fn(&Reason) -> bool) {
    let reason = elaborate(&B::default(), "top").expect_err("is refused").reason;
    assert!(expected(&reason), "{name}: {reason}");
}

/// The syntax tree does not hold the row, so text and graph differ from `update_all`: the comparison of every
/// block's test finds it, and the source lint refuses it.
fn refused_by_lint<B: DriveBlock + Default + 'static>(name: &str) {
    let found = against_stock(B::default, 10_000, 1);
    assert!(matches!(found, Err(Mismatch::Output(_))), "{name}: {found:?}");
    let file = syn::parse_file(include_str!("rows/mod.rs")).expect("is Rust");
    let update = file.items.iter().find_map(|item| row_update(item, name)).expect("the row's update");
    let text = format!("struct Row {{}}\nimpl Logic for Row {{ {update} }}");
    assert_eq!(source(&text, "row.rs").len(), 1, "{name}: {text}");
}

/// The structural check refuses the row.
fn refused_by_check<B: Block + Default>(name: &str, kind: Kind) {
    let design = elaborate(&B::default(), "top").expect("elaborates");
    let problems = structure(&design, &CrossingCatalogue::default());
    assert!(problems.iter().any(|problem| problem.kind == kind), "{name}: {problems:?}");
}

type Verdict = fn(&str);

/// Every row with its verdict.
const ROWS: &[(&str, Verdict)] = &[
    // Silent rows of stock rust-hdl.
    ("SumCompared", same::<SumCompared>),
    ("DifferenceShifted", same::<DifferenceShifted>),
    ("ComplementCompared", same::<ComplementCompared>),
    ("AndCompared", same::<AndCompared>),
    ("SumWidened", same::<SumWidened>),
    ("ReversedByFunction", refused_by_lint::<ReversedByFunction>),
    ("SelectBeyondEnd", same::<SelectBeyondEnd>),
    ("IndexArithmetic", refused_by_lint::<IndexArithmetic>),
    // Loud rows.
    ("IndexByGeneric", |name| {
        refused::<IndexByGeneric<3>>(name, |reason| matches!(reason, Reason::Index { .. }));
    }),
    ("NestedArrays", same::<NestedArrays>),
    ("ConstantAsValue", |name| {
        refused::<ConstantAsValue>(name, |reason| matches!(reason, Reason::ConstantAsValue { .. }));
    }),
    ("GenericAsOffset", |name| {
        refused::<GenericAsOffset<4>>(name, |reason| matches!(reason, Reason::ConstantAsValue { .. }));
    }),
    ("KeywordFields", same::<KeywordFields>),
    ("SelectOfExpression", same::<SelectOfExpression>),
    ("NestedStruct", same::<NestedStruct>),
    ("HexadecimalArms", same::<HexadecimalArms>),
    ("SingleVariant", |name| {
        refused::<SingleVariant>(name, |reason| matches!(reason, Reason::ZeroWidth { .. }));
    }),
    ("HiddenField", |name| {
        refused::<HiddenField>(name, |reason| matches!(reason, Reason::Unresolved { .. }));
    }),
    ("TwoWrappers", |name| {
        let design = elaborate(&TwoWrappers::default(), "top").expect("elaborates");
        let text = verilog::write(&design, &verilog::Options::default());
        assert_eq!(text.matches("module CELL_BUF").count(), 1, "{name}: {text}");
    }),
    ("DrivesChildOutput", |name| {
        refused::<DrivesChildOutput>(name, |reason| matches!(reason, Reason::NotDrivable { .. }));
    }),
    ("LoopAcrossHierarchy", |name| {
        refused_by_check::<LoopAcrossHierarchy>(name, Kind::CombinationalLoop);
    }),
    // A vector that goes round bit by bit. Verilator orders whole vectors and warns that it must iterate.
    ("FalseLoop", |name| same_but_for::<FalseLoop>(name, &["UNOPTFLAT"])),
];

/// Blocks of the file that are parts of rows.
const PARTS: &[&str] = &["Foreign", "Increment", "Complement"];

#[test]
fn silent_rows() {
    ROWS[..8].iter().for_each(|(name, verdict)| verdict(name));
}

#[test]
fn rows_that_broke_loudly() {
    ROWS[8..].iter().for_each(|(name, verdict)| verdict(name));
}

#[test]
fn every_block_of_the_rows_has_a_verdict() {
    let file = syn::parse_file(include_str!("rows/mod.rs")).expect("is Rust");
    let blocks: BTreeSet<String> = file.items.iter().filter_map(block_name).collect();
    assert!(blocks.len() > 20, "{blocks:?}");
    let judged: Vec<String> =
        ROWS.iter().map(|(name, _)| *name).chain(PARTS.iter().copied()).map(String::from).collect();
    assert_eq!(judged.len(), judged.iter().collect::<BTreeSet<_>>().len(), "a row with two verdicts");
    assert_eq!(blocks, judged.into_iter().collect());
}

/// The name of a block that `item` declares.
fn block_name(item: &syn::Item) -> Option<String> {
    match item {
        syn::Item::Struct(item) => {
            let derives = item.attrs.iter().filter(|attribute| attribute.path().is_ident("derive"));
            let text: String = derives.map(|attribute| quote::quote!(#attribute).to_string()).collect();
            (!text.contains("LogicStruct")).then(|| item.ident.to_string())
        }
        syn::Item::Macro(item) if item.mac.path.is_ident("row") => Some(row_parts(item).0),
        _ => None,
    }
}

/// Name and `update` of a `row!`: after the doc comment `name, width, type, update`.
fn row_parts(item: &syn::ItemMacro) -> (String, String) {
    let tokens: Vec<TokenTree> = item.mac.tokens.clone().into_iter().collect();
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ',');
    let name = tokens.iter().find(|token| matches!(token, TokenTree::Ident(_))).expect("a name").to_string();
    let commas: Vec<usize> = (0..tokens.len()).filter(|at| is_comma(&tokens[*at])).collect();
    let update: proc_macro2::TokenStream = tokens[commas[2] + 1..].iter().cloned().collect();
    (name, update.to_string())
}

fn row_update(item: &syn::Item, name: &str) -> Option<String> {
    let syn::Item::Macro(item) = item else { return None };
    let (row, update) = item.mac.path.is_ident("row").then(|| row_parts(item))?;
    (row == name).then_some(update)
}

/// `SumCompared` as `sum_compared`.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}
