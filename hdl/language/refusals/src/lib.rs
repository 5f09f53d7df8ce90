//! What the block language refuses.
//!
//! A crate of its own, because `trybuild` compiles everything that the crate of its test needs once more.
