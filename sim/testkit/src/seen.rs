//! Coverage: how often things came about.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Counts by name. Clones share them, so that a model which is given away still counts for the test.
///
/// A test that never produced the hard case must fail: it names what has to have come about, and how often.
#[derive(Clone, Debug, Default)]
pub struct Seen(Rc<RefCell<BTreeMap<String, u64>>>);

impl Seen {
    /// Counts one.
    pub fn count(&self, what: &str) {
        self.add(what, 1);
    }

    /// Counts one if `now`. What is never counted is known by its name, and [`require_all`](Self::require_all) fails.
    pub fn count_if(&self, what: &str, now: bool) {
        self.add(what, u64::from(now));
    }

    /// Counts so many.
    pub fn add(&self, what: &str, times: u64) {
        let mut counts = self.0.borrow_mut();
        match counts.get_mut(what) {
            Some(count) => *count += times,
            None => drop(counts.insert(what.into(), times)),
        }
    }

    /// How often this came about.
    pub fn of(&self, what: &str) -> u64 {
        self.0.borrow().get(what).copied().unwrap_or(0)
    }

    /// Prints the counts; none of these may be below its number.
    #[track_caller]
    pub fn require(&self, wanted: &[(&str, u64)]) {
        println!("{:?}", self.0.borrow());
        let missing: Vec<_> = wanted.iter().filter(|(what, least)| self.of(what) < *least).collect();
        assert!(missing.is_empty(), "came about too rarely: {missing:?}, of {:?}", self.0.borrow());
    }

    /// Prints the counts; each of these came about.
    #[track_caller]
    pub fn require_each(&self, wanted: &[&str]) {
        let wanted: Vec<_> = wanted.iter().map(|what| (*what, 1)).collect();
        self.require(&wanted);
    }

    /// Prints the counts; everything that was ever asked about came about, and something was asked about.
    #[track_caller]
    pub fn require_all(&self) {
        let names: Vec<String> = self.0.borrow().keys().cloned().collect();
        assert!(!names.is_empty(), "nothing was looked for");
        self.require_each(&names.iter().map(String::as_str).collect::<Vec<_>>());
    }
}

#[cfg(test)]
mod tests {
    use super::Seen;

    #[test]
    fn clones_count_together() {
        let seen = Seen::default();
        seen.clone().add("bursts", 3);
        seen.count("bursts");
        seen.count_if("bursts", false);
        assert_eq!((seen.of("bursts"), seen.of("slips")), (4, 0));
        seen.require(&[("bursts", 4)]);
        seen.require_all();
    }

    #[test]
    #[should_panic(expected = "too rarely: [(\"bursts\", 2)]")]
    fn too_few_fail() {
        let seen = Seen::default();
        seen.count("bursts");
        seen.require(&[("bursts", 2)]);
    }

    #[test]
    #[should_panic(expected = "too rarely: [(\"slips\", 1)]")]
    fn what_never_was_true_fails() {
        let seen = Seen::default();
        seen.count("bursts");
        seen.count_if("slips", false);
        seen.require_all();
    }

    #[test]
    #[should_panic(expected = "nothing was looked for")]
    fn an_empty_list_fails() {
        Seen::default().require_all();
    }
}
