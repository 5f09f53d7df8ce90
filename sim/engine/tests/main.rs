//! The back ends, the test-bench kit, recordings and waveforms; `common` and `designs` are what they are tried on.

mod axi;
mod channels;
mod common;
mod compiled;
mod compiled_state;
mod cosim;
mod designs;
mod kit;
mod lines;
mod recording;
mod replay;
mod scenario;
mod shrink;
mod verilator;
mod wave;
