//! The two ways data moves between blocks (chapter 00, "Conventions of every block").
//!
//! A *stream* has back-pressure: a transfer happens on a clock edge with `valid & ready`; `valid` and `data`
//! hold until the transfer; `valid` never waits for `ready`; `ready` is low while the block is cleared. A
//! *flow* has no back-pressure: `data` counts on every clock with `valid`.
//!
//! Names are those of the block that owns the port: [`StreamIn`] enters the block, [`StreamOut`] leaves it.

#![allow(missing_docs)]

use flitforge_base::prelude::*;
use flitforge_elaborate::drive::FromValue;
use flitforge_elaborate::drive_ports;

/// A stream that enters the block.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "StreamOut"]
pub struct StreamIn<T: Synth> {
    /// Payload.
    pub data: Signal<In, T>,
    /// The payload is there.
    pub valid: Signal<In, bool>,
    /// The block takes the payload.
    pub ready: Signal<Out, bool>,
}

/// A stream that leaves the block.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "StreamIn"]
pub struct StreamOut<T: Synth> {
    /// Payload.
    pub data: Signal<Out, T>,
    /// The payload is there.
    pub valid: Signal<Out, bool>,
    /// The next block takes the payload.
    pub ready: Signal<In, bool>,
}

/// A flow that enters the block.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "FlowOut"]
pub struct FlowIn<T: Synth> {
    /// Payload.
    pub data: Signal<In, T>,
    /// The payload counts on this clock.
    pub valid: Signal<In, bool>,
}

/// A flow that leaves the block.
#[derive(LogicInterface, Clone, Debug, Default)]
#[join = "FlowIn"]
pub struct FlowOut<T: Synth> {
    /// Payload.
    pub data: Signal<Out, T>,
    /// The payload counts on this clock.
    pub valid: Signal<Out, bool>,
}

drive_ports!(impl[T: Synth + FromValue] StreamIn<T> { data, valid, ready });
drive_ports!(impl[T: Synth + FromValue] StreamOut<T> { data, valid, ready });
drive_ports!(impl[T: Synth + FromValue] FlowIn<T> { data, valid });
drive_ports!(impl[T: Synth + FromValue] FlowOut<T> { data, valid });
