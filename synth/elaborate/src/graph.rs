//! The typed RTL graph: the one description of a design that every later stage reads.
//!
//! A [`Design`] is a set of [`Module`]s; instances with equal structure share one module. Inside a module
//! everything is a [`Signal`]: ports, locals, constants, and *the ports of children* (an instance's port is a
//! signal of the parent, so an expression never reaches across the hierarchy). Flip-flops and memories are
//! not instances but items of the module that owns them.
//!
//! Invariants, checked by `check::structure`:
//! - every expression carries its width; operands obey the rules written at [`ExprKind`];
//! - a signal is driven by exactly one of: the module's input, the body, an instance output, a register,
//!   a memory read port, a constant;
//! - a read of a local or an output that the body drives means, inside the body, *the value assigned so far in program
//!   order*; a read before the first assignment is an error. Every other read, also that of a child's input that the
//!   body drives, means the settled value: that of the last assignment, wherever the read stands;
//! - a path without assignment (latch) is an error.

use crate::value::Value;
use serde::{Deserialize, Serialize};

/// Index of a module in [`Design::modules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ModuleId(pub u32);

/// Index of a signal in [`Module::signals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SignalId(pub u32);

/// A whole elaborated design.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Design {
    /// Modules; a module stands after every module it instantiates, so the top is the last.
    pub modules: Vec<Module>,
    /// The top module.
    pub top: ModuleId,
}

/// One module: the hardware of one rust-hdl block, or of several blocks with equal structure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Module {
    /// Verilog name, for instance `link_crc_w132_r16_5d09f3a2`. Modules below the top are named after their contents: modules of one
    /// name have one text, whatever design they are of.
    pub name: String,
    /// What the block says about itself, if it does (see [`BlockLabel`]).
    pub label: Option<BlockLabel>,
    /// Signals; ports first, in the order of the block's fields.
    pub signals: Vec<Signal>,
    /// Child modules.
    pub instances: Vec<Instance>,
    /// Flip-flops.
    pub registers: Vec<Register>,
    /// Memories.
    pub memories: Vec<Memory>,
    /// Combinational logic in program order.
    pub body: Vec<Statement>,
    /// What was noticed while the body was made and cannot be seen in it.
    pub notes: Vec<Note>,
    /// Set when the module is foreign text (a vendor primitive); then the body is empty.
    pub foreign: Option<Foreign>,
}

/// Something that looks unintended in the source of a module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Note {
    /// The expression, as in the source.
    pub at: String,
    /// What was noticed and what to do.
    pub reason: String,
}

/// Name and parameters a block gives itself: one `TimingInfo` with name `flitforge.block`, `clock` the
/// block's name and `inputs` its parameters as `key=value`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BlockLabel {
    /// Block name, for instance `link_crc`.
    pub name: String,
    /// Parameters in the order given, for instance `("w", "132")`.
    pub parameters: Vec<(String, String)>,
}

/// A named bundle of wires inside one module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Signal {
    /// Rust spelling, for messages and waveforms: `flits_in.data`, `count.q`, `stops[2].cw_in`.
    pub path: String,
    /// Verilog name, unique in the module, never a keyword: `flits_in_data`, `count_q`, `stops_2_cw_in`.
    pub name: String,
    /// Width in bits, at least 1.
    pub width: u32,
    /// Where its value comes from.
    pub kind: SignalKind,
    /// How its bits are to be read.
    pub shape: Shape,
}

/// Where a signal's value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SignalKind {
    /// Input port of the module.
    Input,
    /// Output port of the module, driven by the body (or by a register or memory of the module).
    Output,
    /// Bidirectional port; only foreign modules and the wires between them may carry one.
    InOut,
    /// Driven by the body.
    Local,
    /// Fixed at elaboration.
    Constant(Value),
    /// Input port of an instance: driven by the body.
    InstanceInput,
    /// Output port of an instance: driven by the instance.
    InstanceOutput,
    /// Input of a register or memory of this module (`d`, `enable`, `address` ...): driven by the body.
    ElementInput,
    /// Output of a register or memory of this module (`q`, `read_data`).
    ElementOutput,
}

/// How a signal's bits are to be read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Unsigned number or plain bits.
    Bits,
    /// Two's complement.
    Signed,
    /// A clock; only copied, never computed with.
    Clock,
    /// An enumeration: the variant names, value 0 first.
    Enum(String, Vec<String>),
    /// A struct: fields, the first in the least significant bits.
    Struct(Vec<Field>),
}

/// One field of a struct-shaped signal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// Field name.
    pub name: String,
    /// Least significant bit.
    pub offset: u32,
    /// Width in bits.
    pub width: u32,
    /// Shape of the field.
    pub shape: Shape,
}

/// A child module; `ports[i]` is the parent's signal connected to the child's port `i`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Instance {
    /// Rust spelling of the field: `lanes[2]`.
    pub path: String,
    /// Verilog instance name, unique in the module: `lanes_2`.
    pub name: String,
    /// What is instantiated.
    pub module: ModuleId,
    /// Connections, in the order of the child's ports.
    pub ports: Vec<SignalId>,
}

/// A rising-edge register. On the edge: `clear` (if any) wins and loads `initial`; else `d` is loaded where
/// `enable` (if any) is 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Register {
    /// Rust spelling of the field, for instance `count`.
    pub path: String,
    /// Clock.
    pub clock: SignalId,
    /// Next value.
    pub d: SignalId,
    /// Current value; the register drives it.
    pub q: SignalId,
    /// Loads only when 1.
    pub enable: Option<SignalId>,
    /// Synchronous, active high, loads `initial`.
    pub clear: Option<SignalId>,
    /// Power-on value.
    pub initial: Value,
    /// Attributes for the synthesis tools, for instance `("ASYNC_REG", "TRUE")`.
    pub attributes: Vec<(String, String)>,
}

/// A memory. A read that meets a write of the same address on the same edge returns the old word.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Memory {
    /// Rust spelling of the field.
    pub path: String,
    /// Verilog name of the array.
    pub name: String,
    /// Number of words; addresses at or beyond it read 0 and write nothing.
    pub depth: u32,
    /// Bits of a word.
    pub width: u32,
    /// Power-on contents from address 0; words not given are 0.
    pub initial: Vec<Value>,
    /// Read ports.
    pub reads: Vec<ReadPort>,
    /// Write ports.
    pub writes: Vec<WritePort>,
    /// Which kind of RAM is asked for.
    pub style: MemoryStyle,
}

/// A read port.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReadPort {
    /// Clock; `None` reads combinationally.
    pub clock: Option<SignalId>,
    /// Word address.
    pub address: SignalId,
    /// Data; the memory drives it. One clock after the address, two with `output_register`.
    pub data: SignalId,
    /// The first register holds while 0.
    pub enable: Option<SignalId>,
    /// A second register after the array; it runs under `output_enable`.
    pub output_register: bool,
    /// The second register holds while 0.
    pub output_enable: Option<SignalId>,
}

/// A write port.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WritePort {
    /// Clock.
    pub clock: SignalId,
    /// Word address.
    pub address: SignalId,
    /// Data.
    pub data: SignalId,
    /// Writes only when 1.
    pub enable: Option<SignalId>,
}

/// Which kind of RAM is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryStyle {
    /// The synthesis tool decides.
    Auto,
    /// Block RAM.
    Block,
    /// LUT RAM.
    Distributed,
    /// Flip-flops or logic.
    Logic,
}

/// Foreign Verilog: a vendor primitive behind a wrapper.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Foreign {
    /// Text inside the module (between port declarations and `endmodule`).
    pub body: String,
    /// Black-box declarations the body needs, verbatim.
    pub cores: String,
    /// Whose text it is.
    pub origin: ForeignOrigin,
    /// What it does, for simulators: a module with the same ports, where a bidirectional port `bus` is an input, and after all
    /// ports stand the outputs `bus.out` and `bus.enable` of each. `None` if that is not known.
    pub model: Option<Box<Module>>,
}

/// Whose text a foreign module is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum ForeignOrigin {
    #[default]
    /// Written for this project's names (`wires_mosi`), with a marker, or recognised.
    Own,
    /// Written for rust-hdl's names: a port of an interface is `wires$mosi`.
    RustHdl,
    /// A module of this name outside the design; `cores` declares it, and no text is written for the module itself.
    BlackBox(String),
}

/// A statement of a module's body.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Statement {
    /// Whole-signal assignment; widths are equal.
    Assign {
        /// Driven signal.
        target: SignalId,
        /// New value.
        value: Expr,
    },
    /// Assignment of `value.width` bits from `offset` up; the other bits keep what they have so far.
    AssignSlice {
        /// Driven signal.
        target: SignalId,
        /// Lowest bit.
        offset: u32,
        /// New bits.
        value: Expr,
    },
    /// Two-way branch; `condition.width == 1`.
    If {
        /// Condition.
        condition: Expr,
        /// Taken when 1.
        then: Vec<Statement>,
        /// Taken when 0.
        otherwise: Vec<Statement>,
    },
    /// Multi-way branch on equal values; arms are distinct and of the selector's width.
    Case {
        /// Selector.
        selector: Expr,
        /// Arms.
        arms: Vec<(Value, Vec<Statement>)>,
        /// Taken when no arm matches.
        default: Vec<Statement>,
    },
}

/// An expression with its width.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expr {
    /// Width in bits, at least 1.
    pub width: u32,
    /// What it computes.
    pub kind: ExprKind,
}

/// What an expression computes. `w` is the expression's own width.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ExprKind {
    /// A literal of width `w`.
    Const(Value),
    /// A signal of width `w`.
    Read(SignalId),
    /// Bitwise complement; operand of width `w`.
    Not(Box<Expr>),
    /// Two's complement negation; operand of width `w`.
    Negate(Box<Expr>),
    /// All bits of the operand reduced to one; `w == 1`.
    Reduce(ReduceOp, Box<Expr>),
    /// Both operands of width `w`; the result wraps.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// Operands of equal width, `w == 1`; `signed` compares as two's complement.
    Compare {
        /// Comparison.
        op: CompareOp,
        /// Two's complement comparison.
        signed: bool,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// `value` of width `w`; `amount` of any width, unsigned; amounts of `w` and more give 0
    /// (all sign bits for [`ShiftOp::ArithmeticRight`]).
    Shift(ShiftOp, Box<Expr>, Box<Expr>),
    /// The operand zero-extended (or sign-extended) or cut to `w`.
    Resize {
        /// Extend with the sign bit.
        signed: bool,
        /// Operand.
        value: Box<Expr>,
    },
    /// Bits `offset .. offset + w` of the operand; in range.
    Slice {
        /// Operand.
        value: Box<Expr>,
        /// Lowest bit.
        offset: u32,
    },
    /// As `Slice` with a run-time offset; zero beyond the operand's end.
    SelectDynamic {
        /// Operand.
        value: Box<Expr>,
        /// Lowest bit, unsigned.
        offset: Box<Expr>,
    },
    /// `value` of width `w` with one bit replaced; unchanged if `index >= w`.
    ReplaceBit {
        /// Operand.
        value: Box<Expr>,
        /// Which bit, unsigned.
        index: Box<Expr>,
        /// New bit, width 1.
        bit: Box<Expr>,
    },
    /// Parts side by side, the first in the least significant bits; widths add up to `w`.
    Concat(Vec<Expr>),
    /// `condition ? then : otherwise`; `condition.width == 1`, branches of width `w`.
    Mux(Box<Expr>, Box<Expr>, Box<Expr>),
}

/// Reductions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceOp {
    /// 1 if all bits are 1.
    And,
    /// 1 if any bit is 1.
    Or,
    /// Parity.
    Xor,
}

/// Operators whose operands and result have one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// Sum modulo 2^w.
    Add,
    /// Difference modulo 2^w.
    Sub,
    /// Product modulo 2^w.
    Mul,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOp {
    /// Equal.
    Equal,
    /// Not equal.
    NotEqual,
    /// Less than.
    Less,
    /// Less than or equal.
    LessEqual,
    /// Greater than.
    Greater,
    /// Greater than or equal.
    GreaterEqual,
}

/// Shifts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShiftOp {
    /// Towards the most significant bit, zero fill.
    Left,
    /// Towards the least significant bit, zero fill.
    Right,
    /// Towards the least significant bit, sign fill.
    ArithmeticRight,
}

impl Design {
    /// The top module.
    pub fn top_module(&self) -> &Module {
        self.module(self.top)
    }

    /// A module by id.
    pub fn module(&self, id: ModuleId) -> &Module {
        &self.modules[id.0 as usize]
    }
}

impl Module {
    /// A signal by id.
    pub fn signal(&self, id: SignalId) -> &Signal {
        &self.signals[id.0 as usize]
    }

    /// The module as a foreign one of this origin, whose names are fixed by others.
    pub(crate) fn fixed_names(&self) -> Option<&ForeignOrigin> {
        let origin = self.foreign.as_ref().map(|foreign| &foreign.origin);
        origin.filter(|origin| **origin != ForeignOrigin::Own)
    }

    /// The ports in order, with their ids.
    pub fn ports(&self) -> impl Iterator<Item = (SignalId, &Signal)> {
        (0u32..).map(SignalId).zip(&self.signals).filter(|(_, signal)| signal.kind.is_port())
    }
}

impl SignalKind {
    /// True if the body reads it as assigned so far; every other signal is read as it is in the end.
    pub fn is_read_in_order(&self) -> bool {
        matches!(self, Self::Local | Self::Output)
    }

    /// True for the module's own ports.
    pub fn is_port(&self) -> bool {
        matches!(self, Self::Input | Self::Output | Self::InOut)
    }
}

impl Expr {
    /// A literal.
    pub fn constant(value: Value) -> Self {
        Self { width: value.width(), kind: ExprKind::Const(value) }
    }

    /// A read of `id`, which is `width` bits wide.
    pub fn read(id: SignalId, width: u32) -> Self {
        Self { width, kind: ExprKind::Read(id) }
    }

    /// The expressions it is made of.
    pub fn parts(&self) -> Vec<&Self> {
        match &self.kind {
            ExprKind::Const(_) | ExprKind::Read(_) => vec![],
            ExprKind::Not(a) | ExprKind::Negate(a) | ExprKind::Reduce(_, a) => vec![a],
            ExprKind::Binary(_, a, b) | ExprKind::Shift(_, a, b) => vec![a, b],
            ExprKind::Compare { left, right, .. } => vec![left, right],
            ExprKind::Resize { value, .. } | ExprKind::Slice { value, .. } => vec![value],
            ExprKind::SelectDynamic { value, offset } => vec![value, offset],
            ExprKind::ReplaceBit { value, index, bit } => vec![value, index, bit],
            ExprKind::Concat(parts) => parts.iter().collect(),
            ExprKind::Mux(a, b, c) => vec![a, b, c],
        }
    }
}
