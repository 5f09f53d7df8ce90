//! ECP5 block RAM as explicit instances.
use super::memory::Text;
use super::table::Table;
use crate::graph::{Design, Memory};
/// True if the memory is written as instances.
pub fn fits(_: &Table, _: &Memory) -> bool {
    false
}
/// True if some memory of the design is.
pub fn used(_: &Design) -> bool {
    false
}
/// Declaration.
pub fn black_box() -> String {
    String::new()
}
/// The instances.
pub fn explicit(_: &mut Table, _: &Memory) -> Text {
    Text::default()
}
