//! The `flitforge` command line.
fn main() {}
