//! Hash-consed word operations: every node is computed once, operands stand before their users.

use crate::graph::{BinaryOp, CompareOp, ReduceOp, ShiftOp};
use crate::value::Value;
use std::collections::HashMap;

/// Index of a node in [`Nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// What a node computes; widths as at `graph::ExprKind`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A fixed value.
    Const(Value),
    /// A value from outside: an input, a register, a memory's output.
    Source(u32),
    /// Bitwise complement.
    Not(NodeId),
    /// Two's complement negation.
    Negate(NodeId),
    /// Reduction to one bit.
    Reduce(ReduceOp, NodeId),
    /// Both operands and the result of one width.
    Binary(BinaryOp, NodeId, NodeId),
    /// Comparison; `true` compares as two's complement.
    Compare(CompareOp, bool, NodeId, NodeId),
    /// Shift by a run-time amount.
    Shift(ShiftOp, NodeId, NodeId),
    /// Extension; `true` extends with the sign.
    Extend(bool, NodeId),
    /// Bits from an offset up, in range.
    Slice(NodeId, u32),
    /// Bits from a run-time offset up, zero beyond the end.
    Select(NodeId, NodeId),
    /// Value, index, bit.
    ReplaceBit(NodeId, NodeId, NodeId),
    /// Parts, least significant first.
    Concat(Vec<NodeId>),
    /// Condition, value if 1, value if 0.
    Mux(NodeId, NodeId, NodeId),
    /// The word at an address of a memory, combinationally.
    MemoryRead(u32, NodeId),
}

/// A node: width and operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// Bits.
    pub width: u32,
    /// Operation.
    pub op: Op,
}

/// Nodes in an order in which they can be computed.
#[derive(Clone, Debug, Default)]
pub struct Nodes {
    nodes: Vec<Node>,
    known: HashMap<Node, NodeId>,
}

impl Nodes {
    /// The nodes.
    pub fn as_slice(&self) -> &[Node] {
        &self.nodes
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A node by id.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// Width of a node.
    pub fn width(&self, id: NodeId) -> u32 {
        self.node(id).width
    }

    /// The node, without simplification.
    pub(crate) fn intern(&mut self, width: u32, op: Op) -> NodeId {
        let node = Node { width, op };
        if let Some(id) = self.known.get(&node) {
            return *id;
        }
        let id = NodeId(self.nodes.len() as u32);
        self.known.insert(node.clone(), id);
        self.nodes.push(node);
        id
    }

    /// A constant.
    pub fn constant(&mut self, value: Value) -> NodeId {
        self.intern(value.width(), Op::Const(value))
    }

    /// The value of a constant node.
    pub fn as_constant(&self, id: NodeId) -> Option<&Value> {
        match &self.node(id).op {
            Op::Const(value) => Some(value),
            _ => None,
        }
    }

    fn zero(&mut self, width: u32) -> NodeId {
        self.constant(Value::zero(width))
    }

    /// Complement.
    pub fn not(&mut self, a: NodeId) -> NodeId {
        match self.node(a).op {
            Op::Not(inner) => inner,
            _ => self.intern(self.width(a), Op::Not(a)),
        }
    }

    /// Binary operation; bitwise ones with a constant 0 or all ones fold away.
    pub fn binary(&mut self, op: BinaryOp, a: NodeId, b: NodeId) -> NodeId {
        let width = self.width(a);
        let is = |nodes: &Self, id, value: &Value| nodes.as_constant(id) == Some(value);
        let (zero, ones) = (Value::zero(width), Value::ones(width));
        for (constant, other) in [(a, b), (b, a)] {
            match op {
                BinaryOp::And if is(self, constant, &zero) => return constant,
                BinaryOp::And if is(self, constant, &ones) => return other,
                BinaryOp::Or if is(self, constant, &zero) => return other,
                BinaryOp::Or if is(self, constant, &ones) => return constant,
                BinaryOp::Xor | BinaryOp::Add if is(self, constant, &zero) => return other,
                _ => {}
            }
        }
        self.intern(width, Op::Binary(op, a, b))
    }

    /// Multiplexer.
    pub fn mux(&mut self, condition: NodeId, then: NodeId, otherwise: NodeId) -> NodeId {
        if then == otherwise {
            return then;
        }
        match self.as_constant(condition) {
            Some(value) if value.bit(0) => then,
            Some(_) => otherwise,
            None => self.intern(self.width(then), Op::Mux(condition, then, otherwise)),
        }
    }

    /// Bits `offset .. offset + width`, in range.
    pub fn slice(&mut self, a: NodeId, offset: u32, width: u32) -> NodeId {
        let node = self.node(a);
        if offset == 0 && width == node.width {
            return a;
        }
        match node.op.clone() {
            Op::Const(value) => self.constant(value.slice(offset, width)),
            Op::Slice(inner, below) => self.slice(inner, below + offset, width),
            Op::Extend(signed, inner) => {
                let inside = self.width(inner);
                if offset + width <= inside {
                    self.slice(inner, offset, width)
                } else if !signed && offset >= inside {
                    self.zero(width)
                } else if !signed {
                    let part = self.slice(inner, offset, inside - offset);
                    self.resize(false, part, width)
                } else {
                    self.intern(width, Op::Slice(a, offset))
                }
            }
            Op::Concat(parts) => self.slice_concat(&parts, offset, width),
            _ => self.intern(width, Op::Slice(a, offset)),
        }
    }

    fn slice_concat(&mut self, parts: &[NodeId], offset: u32, width: u32) -> NodeId {
        let mut below = 0;
        let mut picked = vec![];
        for part in parts {
            let part_width = self.width(*part);
            let (start, end) = (offset.max(below), (offset + width).min(below + part_width));
            if start < end {
                picked.push(self.slice(*part, start - below, end - start));
            }
            below += part_width;
        }
        self.concat(picked)
    }

    /// Parts side by side, the first in the least significant bits.
    pub fn concat(&mut self, parts: Vec<NodeId>) -> NodeId {
        let mut flat: Vec<NodeId> = vec![];
        for part in parts {
            match self.node(part).op.clone() {
                Op::Concat(inner) => inner.into_iter().for_each(|part| self.push_part(&mut flat, part)),
                _ => self.push_part(&mut flat, part),
            }
        }
        if let [only] = flat[..] {
            return only;
        }
        let width = flat.iter().map(|part| self.width(*part)).sum();
        self.intern(width, Op::Concat(flat))
    }

    /// Appends a part, joining it to its neighbour where both are stretches of one value or constants.
    fn push_part(&mut self, parts: &mut Vec<NodeId>, part: NodeId) {
        let Some(last) = parts.last().copied() else { return parts.push(part) };
        let joined = match (self.node(last).op.clone(), self.node(part).op.clone()) {
            (Op::Slice(a, low), Op::Slice(b, high)) if a == b && low + self.width(last) == high => {
                Some(self.slice(a, low, self.width(last) + self.width(part)))
            }
            (Op::Const(low), Op::Const(high)) => {
                let width = low.width() + high.width();
                let mut value = low.resize(width);
                (0..high.width()).for_each(|bit| value.set_bit(low.width() + bit, high.bit(bit)));
                Some(self.constant(value))
            }
            _ => None,
        };
        match joined {
            Some(joined) => {
                parts.pop();
                parts.push(joined);
            }
            None => parts.push(part),
        }
    }

    /// Extended or cut to `width`.
    pub fn resize(&mut self, signed: bool, a: NodeId, width: u32) -> NodeId {
        let own = self.width(a);
        if width <= own {
            return self.slice(a, 0, width);
        }
        match self.node(a).op.clone() {
            Op::Const(value) if !signed || !value.bit(own - 1) => self.constant(value.resize(width)),
            Op::Extend(false, inner) if !signed => self.resize(false, inner, width),
            _ => self.intern(width, Op::Extend(signed, a)),
        }
    }

    /// Shift; a constant amount becomes a slice.
    pub fn shift(&mut self, op: ShiftOp, a: NodeId, amount: NodeId) -> NodeId {
        let width = self.width(a);
        let Some(value) = self.as_constant(amount) else {
            return self.intern(width, Op::Shift(op, a, amount));
        };
        let amount = value.to_u64().map_or(width, |amount| amount.min(u64::from(width)) as u32);
        match op {
            _ if amount == 0 => a,
            ShiftOp::Left | ShiftOp::Right if amount == width => self.zero(width),
            ShiftOp::Left => {
                let (low, high) = (self.zero(amount), self.slice(a, 0, width - amount));
                self.concat(vec![low, high])
            }
            ShiftOp::Right => {
                let part = self.slice(a, amount, width - amount);
                self.resize(false, part, width)
            }
            ShiftOp::ArithmeticRight => {
                let amount = amount.min(width - 1);
                let part = self.slice(a, amount, width - amount);
                self.resize(true, part, width)
            }
        }
    }

    /// Select at a run-time offset; a constant offset becomes a slice.
    pub fn select(&mut self, a: NodeId, offset: NodeId, width: u32) -> NodeId {
        let own = self.width(a);
        let Some(value) = self.as_constant(offset) else {
            return self.intern(width, Op::Select(a, offset));
        };
        match value.to_u64() {
            Some(offset) if offset < u64::from(own) => {
                let offset = offset as u32;
                let part = self.slice(a, offset, width.min(own - offset));
                self.resize(false, part, width)
            }
            _ => self.zero(width),
        }
    }

    /// One bit replaced; a constant index becomes a concatenation.
    pub fn replace_bit(&mut self, a: NodeId, index: NodeId, bit: NodeId) -> NodeId {
        let width = self.width(a);
        let Some(value) = self.as_constant(index) else {
            return self.intern(width, Op::ReplaceBit(a, index, bit));
        };
        match value.to_u64() {
            Some(index) if index < u64::from(width) => self.replace(a, index as u32, bit),
            _ => a,
        }
    }

    /// The bits from `offset` up replaced by `part`.
    pub fn replace(&mut self, a: NodeId, offset: u32, part: NodeId) -> NodeId {
        let (width, part_width) = (self.width(a), self.width(part));
        let mut parts = vec![];
        if offset > 0 {
            parts.push(self.slice(a, 0, offset));
        }
        parts.push(part);
        let end = offset + part_width;
        if end < width {
            parts.push(self.slice(a, end, width - end));
        }
        self.concat(parts)
    }
}
