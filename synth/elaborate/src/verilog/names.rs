//! Names that are unique in a module.

use std::collections::BTreeSet;

/// Hands out identifiers that nothing else in the module uses.
#[derive(Debug, Default)]
pub struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// Marks `name` as used.
    pub fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_owned());
    }

    /// `wanted` if it is free, else `wanted_1`, `wanted_2`, ...
    pub fn exact(&mut self, wanted: &str) -> String {
        if self.taken.insert(wanted.to_owned()) {
            return wanted.to_owned();
        }
        self.numbered(wanted, 1)
    }

    /// `stem_0`, `stem_1`, ...: the first that is free from `start` on.
    pub fn numbered(&mut self, stem: &str, start: usize) -> String {
        let mut number = start;
        loop {
            let name = format!("{stem}_{number}");
            if self.taken.insert(name.clone()) {
                return name;
            }
            number += 1;
        }
    }
}

/// `LinkState` and `link_state` as `LINK_STATE`; anything that no identifier may hold becomes `_`.
pub fn upper_snake(text: &str) -> String {
    let mut out = String::new();
    let mut previous_lower = false;
    for letter in text.chars() {
        if !letter.is_ascii_alphanumeric() {
            if !out.ends_with('_') && !out.is_empty() {
                out.push('_');
            }
            previous_lower = false;
            continue;
        }
        if letter.is_ascii_uppercase() && previous_lower {
            out.push('_');
        }
        previous_lower = !letter.is_ascii_uppercase();
        out.push(letter.to_ascii_uppercase());
    }
    out.trim_end_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_stable() {
        let mut names = Names::default();
        names.reserve("acc_1");
        assert_eq!(names.exact("acc"), "acc");
        assert_eq!(names.exact("acc"), "acc_2");
        assert_eq!(names.numbered("sum", 0), "sum_0");
    }

    #[test]
    fn upper_snake_splits_words() {
        assert_eq!(upper_snake("LinkState::TxIdle"), "LINK_STATE_TX_IDLE");
        assert_eq!(upper_snake("P10_x"), "P10_X");
        assert_eq!(upper_snake("Opt<Foo>"), "OPT_FOO");
    }
}
