//! Packet flits one way over a link, one in a beat, each once and in order.

use crate::flits::numbered_body;
use crate::stream::{FlowTap, StreamDriver};
use flitforge_sim::compiled::{Compiled, Instance};

/// Numbered Body flits from one end of a link to the other.
#[derive(Clone, Debug)]
pub struct FlitWay {
    from: usize,
    driver: StreamDriver,
    tap: FlowTap,
    came: u64,
}

impl FlitWay {
    /// From the stream at `input` of the block at end `from` to the flow at `output` of the block at the other end.
    #[track_caller]
    pub fn new(from: usize, input: (&Compiled, &str), output: (&Compiled, &str)) -> Self {
        Self {
            from,
            driver: StreamDriver::new(input.0, input.1),
            tap: FlowTap::new(output.0, output.1),
            came: 0,
        }
    }

    /// Both ways of a pair of ends in one block, from `flits_in[end]` to `flits_out[1 - end]`.
    #[track_caller]
    pub fn both(pair: &Compiled) -> [Self; 2] {
        [0, 1].map(|end| {
            let (input, output) = (format!("flits_in[{end}]"), format!("flits_out[{}]", 1 - end));
            Self::new(end, (pair, &input), (pair, &output))
        })
    }

    fn flit(&self, number: u64) -> [u64; 2] {
        let bits = numbered_body(self.from, number).bits();
        [bits as u64, (bits >> 64) as u64]
    }

    /// A clock of the sender: what waits is offered, or a new flit if there is to be one.
    pub fn drive(&mut self, sender: &mut Instance, new: bool) {
        let flit = self.flit(self.driver.sent());
        self.driver.drive(sender, new, |_| flit);
    }

    /// What the sender takes in this clock.
    pub fn take(&mut self, sender: &mut Instance) {
        self.driver.taken(sender);
    }

    /// What comes to the receiver in this clock must be the next flit.
    #[track_caller]
    pub fn receive(&mut self, receiver: &mut Instance) {
        let Some(found) = self.tap.came(receiver) else { return };
        assert_eq!(found, self.flit(self.came), "flit {} from end {}", self.came, self.from);
        self.came += 1;
    }

    /// A flit waits.
    pub fn is_offering(&self) -> bool {
        self.driver.is_offering()
    }

    /// Flits taken from the sender.
    pub fn sent(&self) -> u64 {
        self.driver.sent()
    }

    /// Flits that have come.
    pub fn arrived(&self) -> u64 {
        self.came
    }

    /// Every flit has come.
    #[track_caller]
    pub fn check_done(&self) {
        let is_done = !self.is_offering() && self.sent() == self.came;
        assert!(is_done, "from end {}: {} of {} flits came", self.from, self.came, self.sent());
    }
}
