//! The blocks that `random` writes. Not formatted, and with what no person would write.
#![allow(unused_parens, unused_comparisons, unreachable_patterns, dead_code, clippy::all)]

#[rustfmt::skip]
mod expressions_0;
#[rustfmt::skip]
mod expressions_1;
#[rustfmt::skip]
mod expressions_2;
#[rustfmt::skip]
mod expressions_3;
#[rustfmt::skip]
mod expressions_4;
#[rustfmt::skip]
mod expressions_5;
#[rustfmt::skip]
mod expressions_6;
#[rustfmt::skip]
mod expressions_7;
#[rustfmt::skip]
mod expressions_8;
#[rustfmt::skip]
mod machines_0;
#[rustfmt::skip]
mod machines_1;
#[rustfmt::skip]
mod machines_2;
#[rustfmt::skip]
mod machines_3;
#[rustfmt::skip]
mod machines_4;
#[rustfmt::skip]
mod machines_5;

/// The seed they are written from.
pub const SEED: u64 = include!("seed.rs");

pub const EXPRESSIONS: &[&[super::Block]] = &[
    expressions_0::BLOCKS,
    expressions_1::BLOCKS,
    expressions_2::BLOCKS,
    expressions_3::BLOCKS,
    expressions_4::BLOCKS,
    expressions_5::BLOCKS,
    expressions_6::BLOCKS,
    expressions_7::BLOCKS,
    expressions_8::BLOCKS,
];

pub const MACHINES: &[&[super::Block]] = &[
    machines_0::BLOCKS,
    machines_1::BLOCKS,
    machines_2::BLOCKS,
    machines_3::BLOCKS,
    machines_4::BLOCKS,
    machines_5::BLOCKS,
];
