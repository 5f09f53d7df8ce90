//! The shape of a block: what its const parameters are.

use std::fmt;

/// A builder with its const parameters: `flitforge_hdl::prim::fifo::build_as::<64, 9, 10>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Path of the generic builder, by the facade `flitforge_hdl`.
    pub builder: String,
    /// Its const arguments.
    pub arguments: Vec<usize>,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arguments: Vec<String> = self.arguments.iter().map(usize::to_string).collect();
        write!(f, "{}::<{}>", self.builder, arguments.join(", "))
    }
}
