//! Words of one clock on their way.

/// Places that a line has.
const PLACES: usize = 256;

/// A line that takes and gives at most one word per clock: what comes out is what went in so many clocks before.
#[derive(Clone, Debug)]
pub struct WordLine {
    ring: Vec<Option<u64>>,
    write: usize,
    late: usize,
}

impl WordLine {
    /// An empty line on which words are `late` clocks late (at most 255).
    pub fn new(late: usize) -> Self {
        Self { ring: vec![None; PLACES], write: 0, late: late.min(PLACES - 1) }
    }

    /// One clock: what goes in, what comes out. With `late` 0 that is the same.
    pub fn clock(&mut self, word: Option<u64>) -> Option<u64> {
        self.ring[self.write] = word;
        let came = self.ring[(self.write + PLACES - self.late) % PLACES];
        self.write = (self.write + 1) % PLACES;
        came
    }

    /// Clocks by which words are late.
    pub fn late(&self) -> usize {
        self.late
    }

    /// From now on words are so many clocks late.
    pub fn set_late(&mut self, late: usize) {
        self.late = late.min(PLACES - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_late_by_what_was_set() {
        let mut line = WordLine::new(3);
        let came: Vec<_> = (0..6).map(|word| line.clock(Some(word))).collect();
        assert_eq!(came, [None, None, None, Some(0), Some(1), Some(2)]);
        line.set_late(0);
        assert_eq!(line.clock(Some(9)), Some(9));
        line.set_late(2);
        assert_eq!(line.clock(None), Some(5), "a change repeats or drops words");
    }
}
