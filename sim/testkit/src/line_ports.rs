//! Where a pair of ends lets somebody into a direction.

use crate::compiled::handles;
use crate::relay::{Words, LANES};
use flitforge_sim::compiled::{Compiled, Handle, Instance};
use std::ops::Range;

/// The ports of a direction: its words come out at `line_there` or `line_back`, and go on from `relay_there` or `relay_back`.
#[derive(Clone, Debug)]
pub struct LinePorts {
    /// Valid and data of each lane.
    out: Vec<[Handle; 2]>,
    back: Vec<[Handle; 2]>,
}

impl LinePorts {
    /// Those of the direction from `end`; the lanes are numbers of ports.
    #[track_caller]
    pub fn new(program: &Compiled, end: usize, lanes: Range<usize>) -> Self {
        assert!(lanes.len() <= LANES, "{} lanes", lanes.len());
        let of = |name: &str| -> Vec<_> {
            lanes
                .clone()
                .map(|lane| handles(program, &format!("{name}[{lane}]"), ["valid", "data"]))
                .collect()
        };
        let way = ["there", "back"][end];
        Self { out: of(&format!("line_{way}")), back: of(&format!("relay_{way}")) }
    }

    /// The words off the line in this clock.
    pub fn words(&self, instance: &mut Instance) -> Words {
        let mut words = [None; LANES];
        for ([valid, data], word) in self.out.iter().zip(&mut words) {
            *word = (instance.get(*valid) == 1).then(|| instance.get(*data));
        }
        words
    }

    /// What the receiver gets in this clock instead.
    pub fn pass_on(&self, instance: &mut Instance, words: Words) {
        for ([valid, data], word) in self.back.iter().zip(words) {
            instance.set(*valid, word.is_some().into());
            instance.set(*data, word.unwrap_or(0));
        }
    }
}
