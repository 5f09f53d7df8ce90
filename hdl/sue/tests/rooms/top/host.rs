//! A host that asks at its bus while both instances work.

use super::end::End;
use flitforge_testkit::Clocked;

/// Clocks after which a request has its answer.
const PATIENCE: u64 = 400;

/// Two instances at work, each with a host.
pub trait Host {
    /// An instance.
    fn end(&mut self, end: usize) -> &mut End;

    /// A clock of both.
    fn one_clock(&mut self);

    /// Reads at this offset, or writes; what was read.
    fn request(&mut self, end: usize, offset: u32, write: Option<u64>) -> u64 {
        let block = &mut self.end(end).block;
        block.set("bus.address", u64::from(offset / 8)).set("bus.wdata", write.unwrap_or(0));
        block.set("bus.write", write.is_some().into()).set("bus.request", 1);
        for _ in 0..PATIENCE {
            self.one_clock();
            let block = &mut self.end(end).block;
            if block.get("bus.ack") == 1 {
                let value = block.get("bus.rdata");
                block.set("bus.request", 0);
                self.one_clock();
                return value;
            }
        }
        panic!("{offset:#x}: no answer");
    }
}
