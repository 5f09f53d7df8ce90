//! Serial bits on their way.

/// Bits that a line can hold.
const CAPACITY: u64 = 1 << 14;

/// A line of serial bits: what comes out is what went in so many bits before. Bits that are not there are 0.
#[derive(Clone, Debug)]
pub struct BitLine {
    ring: Vec<u64>,
    read: u64,
    write: u64,
}

impl BitLine {
    /// A quiet line on which bits are `late` bits late (at most 8,192 are kept).
    pub fn new(late: u64) -> Self {
        Self { ring: vec![0; (CAPACITY / 64) as usize], read: 0, write: late.min(CAPACITY / 2) }
    }

    /// Bits on the line.
    pub fn late(&self) -> u64 {
        self.write - self.read
    }

    /// `count` (up to 32) bits go in, bit 0 first. A full line forgets its oldest ones.
    pub fn push(&mut self, bits: u64, count: u32) {
        for place in 0..count {
            let at = self.write % CAPACITY;
            let (word, bit) = ((at / 64) as usize, at % 64);
            if bit + u64::from(count - place) <= 64 {
                let left = count - place;
                let mask = ((1u64 << left) - 1) << bit;
                self.ring[word] = self.ring[word] & !mask | (bits >> place << bit) & mask;
                self.write += u64::from(left);
                break;
            }
            self.ring[word] = self.ring[word] & !(1 << bit) | (bits >> place & 1) << bit;
            self.write += 1;
        }
        self.read = self.read.max(self.write.saturating_sub(CAPACITY));
    }

    /// `count` (up to 32) bits come out, bit 0 first.
    pub fn pop(&mut self, count: u32) -> u64 {
        let there = (self.write - self.read).min(count.into());
        if there == 0 {
            return 0;
        }
        let at = self.read % CAPACITY;
        let (word, bit) = ((at / 64) as usize, at % 64);
        let mut bits = self.ring[word] >> bit;
        if bit + there > 64 {
            bits |= self.ring[(word + 1) % self.ring.len()] << (64 - bit);
        }
        self.read += there;
        bits & ((1 << there) - 1)
    }

    /// From now on bits are so many bits later than before; earlier if negative. What is lost or new on the way is junk.
    pub fn shift(&mut self, bits: i64) {
        let late = self.late().saturating_add_signed(bits).min(CAPACITY / 2);
        self.read = self.write.saturating_sub(late);
        if self.write < late {
            // No such bits were ever sent: the ring is 0 there.
            self.write = late;
            self.read = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{rng, seed};
    use rand::Rng as _;
    use std::collections::VecDeque;

    #[test]
    fn bits_come_out_as_they_went_in() {
        let mut random = rng(seed(0xb175), "bits");
        for late in [0, 1, 19, 64, 1000] {
            let (mut line, mut queue) = (BitLine::new(late), VecDeque::from(vec![false; late as usize]));
            for _ in 0..20_000 {
                let count = random.random_range(1..=32u32);
                let bits = u64::from(random.random::<u32>()) & ((1 << count) - 1);
                line.push(bits, count);
                queue.extend((0..count).map(|place| bits >> place & 1 == 1));
                let count = random.random_range(1..=32u32).min(queue.len() as u32);
                let expected = (0..count).map(|place| u64::from(queue[place as usize]) << place).sum::<u64>();
                queue.drain(..count as usize);
                assert_eq!(line.pop(count), expected, "{late} late");
                if queue.len() > 4_000 {
                    line.pop(32);
                    queue.drain(..32);
                }
            }
        }
    }

    #[test]
    fn a_shift_moves_what_comes_behind_it() {
        for shift in [-300i64, -1, 0, 7, 500] {
            let mut line = BitLine::new(400);
            for number in 0..200u64 {
                line.push(number & 0xFFFF, 16);
                line.pop(16);
            }
            line.shift(shift);
            assert_eq!(line.late() as i64, 400 + shift);
            let late = line.late();
            line.push(0x1234, 16);
            for _ in 0..late / 16 {
                line.push(0, 16);
            }
            for _ in 0..late / 16 {
                line.pop(16);
            }
            line.pop((late % 16) as u32);
            assert_eq!(line.pop(16), 0x1234, "shift {shift}");
        }
    }
}
