//! What the letters of a path say.

use syn::{Expr, Path};

/// True for a path that ends in a name in capitals: a constant or a const generic.
pub fn is_constant_path(path: &Path) -> bool {
    path.segments.last().is_some_and(|last| {
        let name = last.ident.to_string();
        name.chars().any(|c| c.is_ascii_uppercase()) && !name.chars().any(|c| c.is_ascii_lowercase())
    })
}

/// True for the path of a field of a layout: `slot_control::v`.
pub fn is_layout_field(expression: &Expr) -> bool {
    let Expr::Path(path) = expression else { return false };
    path.path.segments.len() > 1
        && path
            .path
            .segments
            .last()
            .is_some_and(|last| last.ident.to_string().starts_with(|c: char| c.is_ascii_lowercase()))
}
