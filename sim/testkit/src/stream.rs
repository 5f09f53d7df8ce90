//! Streams and flows of a compiled block, driven and watched clock by clock.

use crate::compiled::handles;
use flitforge_sim::compiled::{Compiled, Handle, Instance};

/// Offers numbered payloads to a stream; each stays on offer until it is taken.
#[derive(Clone, Debug)]
pub struct StreamDriver {
    valid: Handle,
    data: Handle,
    ready: Handle,
    offered: bool,
    sent: u64,
}

impl StreamDriver {
    /// The stream of a block at `path`.
    #[track_caller]
    pub fn new(program: &Compiled, path: &str) -> Self {
        let [valid, data, ready] = handles(program, path, ["valid", "data", "ready"]);
        Self { valid, data, ready, offered: false, sent: 0 }
    }

    /// Payloads taken: the number of the next one.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// A payload waits.
    pub fn is_offering(&self) -> bool {
        self.offered
    }

    /// Drives the stream for this clock: what waits, or a new payload if there is to be one.
    pub fn drive<P: AsRef<[u64]>>(
        &mut self,
        instance: &mut Instance,
        new: bool,
        payload: impl FnOnce(u64) -> P,
    ) {
        self.offered |= new;
        instance.set(self.valid, self.offered.into());
        if self.offered {
            instance.set_words(self.data, payload(self.sent).as_ref());
        }
    }

    /// What is offered is taken on the coming edge: its number.
    pub fn taken(&mut self, instance: &mut Instance) -> Option<u64> {
        if !self.offered || instance.get(self.ready) == 0 {
            return None;
        }
        self.offered = false;
        self.sent += 1;
        Some(self.sent - 1)
    }
}

/// Watches a flow, or a stream that is always taken.
#[derive(Clone, Copy, Debug)]
pub struct FlowTap {
    valid: Handle,
    data: Handle,
}

impl FlowTap {
    /// The flow of a block at `path`.
    #[track_caller]
    pub fn new(program: &Compiled, path: &str) -> Self {
        let [valid, data] = handles(program, path, ["valid", "data"]);
        Self { valid, data }
    }

    /// What comes in this clock.
    pub fn came(&self, instance: &mut Instance) -> Option<Vec<u64>> {
        (instance.get(self.valid) == 1).then(|| instance.words(self.data).to_vec())
    }
}
