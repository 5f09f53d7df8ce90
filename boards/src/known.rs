//! Names that could have been meant.

/// The names most like one that is unknown, else all of them.
pub(crate) fn known<'a>(name: &str, all: impl Iterator<Item = &'a str> + Clone) -> String {
    let list = format!("there are {}", all.clone().collect::<Vec<_>>().join(", "));
    flitforge_names::hint(name, all, &list)
}
