//! The verbs, one file each.

pub mod list;
