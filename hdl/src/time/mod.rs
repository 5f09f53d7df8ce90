//! Fabric time (chapter 20): the ring that carries time past a switch's crossbar.

pub mod ring;
