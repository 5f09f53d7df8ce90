//! What the sources say of a block's ports.

use super::Drive;
use std::collections::BTreeMap;

/// The doc comments of a block's ports, of the interfaces among them and of the ports in these, by path. What a path says of an
/// index is left out, since all elements of an array mean the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meanings(BTreeMap<String, String>);

impl Meanings {
    /// Those of `block`.
    pub fn of(block: &dyn Drive) -> Self {
        let mut texts = vec![];
        block.meanings("", &mut texts);
        Self(texts.into_iter().map(|(path, text)| (without_indices(&path), plain(text))).collect())
    }

    /// What the sources say of this very port or interface: `bus.address`, `lanes[2]`.
    pub fn exact(&self, path: &str) -> Option<&str> {
        self.0.get(&without_indices(path)).map(String::as_str)
    }

    /// What they say of it, or else of the interface that it is in.
    pub fn nearest(&self, path: &str) -> Option<&str> {
        let mut path = path;
        loop {
            if let Some(text) = self.exact(path) {
                return Some(text);
            }
            path = path.rsplit_once('.')?.0;
        }
    }
}

/// `lanes[2].data` becomes `lanes.data`.
fn without_indices(path: &str) -> String {
    path.split('[')
        .enumerate()
        .map(|(at, part)| if at == 0 { part } else { part.split_once(']').map_or(part, |(_, rest)| rest) })
        .collect()
}

/// One line, in which the names of items stand without what they link to.
fn plain(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (mut out, mut rest) = (String::new(), text.as_str());
    while let Some(start) = rest.find("[`") {
        let Some(length) = rest[start..].find("`]") else { break };
        let (inside, mut after) = (&rest[start + 1..=start + length], &rest[start + length + 2..]);
        if let Some(target) = after.strip_prefix('(').and_then(|target| target.split(')').next()) {
            after = &after[target.len() + 2..];
        }
        out += &rest[..start];
        out += inside;
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Block;

    impl Drive for Block {
        fn drive(&mut self, _: &str, _: &crate::Value) -> bool {
            false
        }
        fn sample(&self, _: &str) -> Option<crate::Value> {
            None
        }
        fn list(&self, _: &str, _: &mut Vec<(String, u32, bool)>) {}
        fn meanings(&self, _: &str, into: &mut Vec<(String, &'static str)>) {
            into.push(("lanes".into(), "Words of [`Lane`](super::Lane), as\n [`Phy`] has them."));
            into.push(("lanes[0].data".into(), "The word."));
        }
    }

    #[test]
    fn the_nearest_text_counts_for_all_elements() {
        let meanings = Meanings::of(&Block);
        assert_eq!(meanings.nearest("lanes[3].valid"), Some("Words of `Lane`, as `Phy` has them."));
        assert_eq!(meanings.exact("lanes[3].data"), Some("The word."));
        assert_eq!(meanings.exact("lanes[3].valid"), None);
        assert_eq!(meanings.nearest("other"), None);
    }
}
