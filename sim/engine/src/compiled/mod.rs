//! The compiled engine: the elaborated graph as native code in this process.
//!
//! ```text
//! Flat ──lower──► words (hash-consed, folded) ──roots──► plan ──► Cranelift ──► native code ─┐
//!                                                           └──► interpreter (fallback) ─────┴─► Instance
//! ```
//!
//! - `word`, `fold`, `parity`, `linear`, `wide`: operations on words of 64 bits, simplified as they are made;
//! - `layout`: where inputs, registers, memories and outputs lie in the state, one row of words;
//! - `lower`, `roots`: what the design's operations are in words, and what each function has to deliver;
//! - `guard`: which results matter only under a condition, and are computed in a branch;
//! - `order`, `plan`: in which order, with every store as early as it can do no harm, in pieces;
//! - `emit`, `native`: machine code, and the only unsafe code; `interpret`: the same plan without it;
//! - [`Compiled`] is what instances share, [`Instance`] is one of them, [`CompiledBench`] fits the test benches.

mod bench;
mod campaign;
mod emit;
mod fold;
mod guard;
mod instance;
mod interpret;
mod layout;
mod linear;
mod lower;
mod mutation;
mod native;
mod order;
mod parity;
mod plan;
mod program;
mod roots;
mod wide;
mod word;

pub use bench::CompiledBench;
pub use campaign::campaign;
pub use instance::{Instance, Snapshot};
#[doc(hidden)]
pub use mutation::Mutation;
pub use program::{Clocks, CompileError, Compiled, FunctionReport, Handle, Options};
