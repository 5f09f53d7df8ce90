//! Lanes that are exchanged, inverted and late.

use crate::relay::{Words, LANES};
use std::collections::VecDeque;

/// The lanes of one direction, by the sender's numbers.
#[derive(Clone, Debug, Default)]
pub struct Cable {
    /// The receiver's lane.
    pub to: [usize; LANES],
    /// One bit per lane: its wires are exchanged.
    pub inverted: u64,
    /// Words by which it is late.
    pub late: [usize; LANES],
    queues: [VecDeque<u64>; LANES],
}

impl Cable {
    /// A cable with nothing in it.
    pub fn new(to: [usize; LANES], inverted: u64, late: [usize; LANES]) -> Self {
        Cable { to, inverted, late, queues: Default::default() }
    }

    /// One clock: a word comes out of a lane when as many came after it as it is late. A lane that has become shorter has
    /// lost what was in it. `invert` is what the receiver asks its PHY for, by its own lanes.
    pub fn clock(&mut self, words: Words, invert: u64) -> Words {
        let mut out: Words = [None; LANES];
        for (lane, word) in words.into_iter().enumerate() {
            let Some(word) = word else { continue };
            let (queue, to) = (&mut self.queues[lane], self.to[lane]);
            queue.push_back(word);
            while queue.len() > self.late[lane] + 1 {
                queue.pop_front();
            }
            if queue.len() == self.late[lane] + 1 {
                let turned = (self.inverted >> lane ^ invert >> to) & 1 == 1;
                out[to] = queue.pop_front().map(|word| if turned { word ^ 0xFFFF_FFFF } else { word });
            }
        }
        out
    }
}

/// All orders of the lanes.
pub fn lane_orders() -> Vec<[usize; LANES]> {
    let codes = (0..256usize).map(|code| [code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6]);
    codes.filter(|to| (0..LANES).all(|lane| to.contains(&lane))).collect()
}

#[cfg(test)]
mod tests {
    use super::{lane_orders, Cable};

    #[test]
    fn a_word_comes_on_its_lane_when_it_is_due() {
        let mut cable = Cable::new([1, 0, 2, 3], 0b0010, [2, 0, 0, 0]);
        assert_eq!(
            cable.clock([Some(7), Some(8), None, Some(9)], 0),
            [Some(8 ^ 0xFFFF_FFFF), None, None, Some(9)]
        );
        assert_eq!(cable.clock([Some(10), None, None, None], 0), [None; 4]);
        assert_eq!(cable.clock([Some(11), Some(12), None, None], 0b0001), [Some(12), Some(7), None, None]);
    }

    #[test]
    fn there_are_24_orders() {
        assert_eq!(lane_orders().len(), 24);
    }
}
