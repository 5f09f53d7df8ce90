//! Wrong bits on the lines of a link.

use crate::compiled::handle;
use flitforge_sim::compiled::{Compiled, Handle, Instance};
use flitforge_sim::kit::Rng;
use rand::Rng as _;

/// Bits of a lane word that its PHY hands over: 32 of data, the control flag, and that the code was wrong.
const CODE_ERROR: u64 = 1 << 33;

/// What a direction does to the words, in every clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct Noise {
    /// Chance per clock of one wrong bit on one lane.
    pub bit: f64,
    /// Chance per clock of a burst of up to 32 bits of one word.
    pub burst: f64,
    /// Chance per clock that the PHY marks the words of all lanes as wrong.
    pub code: f64,
    /// Lanes that bits and bursts hit.
    pub lanes: u64,
}

/// Lanes and bits that are wrong in a clock; no lanes: none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WordError {
    /// A bit for each lane.
    pub lanes: u64,
    /// The wrong bits of their words.
    pub mask: u64,
}

impl Noise {
    /// The error of a clock, on a lane that is drawn too.
    pub fn draw(&self, rng: &mut Rng) -> WordError {
        let mut error = WordError::default();
        if self.lanes != 0 {
            let lanes: Vec<usize> = (0..64).filter(|lane| self.lanes >> lane & 1 == 1).collect();
            error = self.draw_on(lanes[rng.random_range(0..lanes.len())], rng);
        }
        if self.code > 0.0 && rng.random_bool(self.code) {
            error = WordError { lanes: 0xF, mask: CODE_ERROR };
        }
        error
    }

    /// Wrong bits of a clock on this lane.
    pub fn draw_on(&self, lane: usize, rng: &mut Rng) -> WordError {
        let (mut error, lanes) = (WordError::default(), 1 << lane);
        if self.bit > 0.0 && rng.random_bool(self.bit) {
            error = WordError { lanes, mask: 1 << rng.random_range(0..32) };
        }
        if self.burst > 0.0 && rng.random_bool(self.burst) {
            error = WordError { lanes, mask: u64::from(rng.random::<u32>()) };
        }
        error
    }
}

/// The inputs of a line that make bits wrong: `error_enable` and `error_mask`, and `error_lanes` if there is more than one lane.
#[derive(Clone, Copy, Debug)]
pub struct ErrorPorts {
    enable: Handle,
    mask: Handle,
    lanes: Option<Handle>,
}

impl ErrorPorts {
    /// Those of direction `way`.
    #[track_caller]
    pub fn of(program: &Compiled, way: usize) -> Self {
        let [enable, mask] =
            ["error_enable", "error_mask"].map(|name| handle(program, &format!("{name}[{way}]")));
        Self { enable, mask, lanes: program.handle(&format!("error_lanes[{way}]")).ok() }
    }

    /// What is wrong in this clock.
    pub fn drive(&self, instance: &mut Instance, error: WordError) {
        instance.set(self.enable, u64::from(error.lanes != 0));
        instance.set(self.mask, error.mask);
        if let Some(lanes) = self.lanes {
            instance.set(lanes, error.lanes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Noise, WordError, CODE_ERROR};
    use crate::random::random;

    #[test]
    fn bits_hit_the_lanes_they_are_to() {
        let (mut rng, noise) = (random(), Noise { bit: 1.0, lanes: 0b1010, ..Noise::default() });
        let errors: Vec<WordError> = (0..100).map(|_| noise.draw(&mut rng)).collect();
        let is_one_bit = |error: &WordError| error.mask.count_ones() == 1 && error.mask < 1 << 32;
        assert!(errors.iter().all(|error| [0b0010, 0b1000].contains(&error.lanes) && is_one_bit(error)));
        assert!([0b0010, 0b1000].iter().all(|lane| errors.iter().any(|error| error.lanes == *lane)));
    }

    #[test]
    fn code_errors_hit_all_lanes_and_no_noise_hits_none() {
        let mut rng = random();
        let code = Noise { code: 1.0, ..Noise::default() };
        assert_eq!(code.draw(&mut rng), WordError { lanes: 0xF, mask: CODE_ERROR });
        assert_eq!(Noise::default().draw(&mut rng), WordError::default());
    }
}
