//! The cases and the tests of the block language.
