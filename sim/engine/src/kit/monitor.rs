//! Watches the rules of streams (chapter 00, "Conventions of every block").

use super::testbench::Agent;
use super::{Coverage, StreamPorts};
use crate::bench::Bench;
use crate::error::SimError;
use crate::port::PortHandle;
use crate::rule::Rule;
use flitforge_elaborate::Value;

/// What the stream showed on the edge before.
struct Before {
    valid: bool,
    ready: bool,
    cleared: bool,
    data: Value,
}

/// Checks the rules on one stream, whichever direction it has. For a stream that leaves the block it also
/// flips `ready`, on every eighth clock by default, and looks whether `valid` or the payload follow.
pub struct StreamMonitor {
    ports: StreamPorts,
    ready: PortHandle,
    clear: Option<PortHandle>,
    payload_may_change: bool,
    probe_every: u64,
    valid_within: Option<u64>,
    starved: u64,
    before: Option<Before>,
    holds: u64,
    cleared: u64,
    probes: u64,
}

impl StreamMonitor {
    /// A monitor of the stream called `name`. The input `clear`, if the block has one, is watched.
    pub fn new(bench: &dyn Bench, name: &str) -> Result<Self, SimError> {
        let block_is_source = StreamPorts::find(bench, name)?.block_is_source;
        let (ports, ready) = StreamPorts::stream(bench, name, block_is_source)?;
        Ok(Self {
            ports,
            ready,
            clear: bench.ports().get("clear"),
            payload_may_change: false,
            probe_every: 8,
            valid_within: None,
            starved: 0,
            before: None,
            holds: 0,
            cleared: 0,
            probes: 0,
        })
    }

    /// Watches this clear input instead of `clear`.
    pub fn cleared_by(mut self, clear: PortHandle) -> Self {
        self.clear = Some(clear);
        self
    }

    /// The payload may change while it waits (`time_in`, chapter 00, "Where the chapters meet").
    pub fn payload_may_change(mut self) -> Self {
        self.payload_may_change = true;
        self
    }

    /// Flips `ready` on every n-th clock to look for a combinational path to `valid`; 0 never does.
    pub fn probing_every(mut self, clocks: u64) -> Self {
        self.probe_every = clocks;
        self
    }

    /// For a bench whose sink is never ready and whose sources always offer: `valid` must be 1 at the latest
    /// after this many clocks without `valid`, `ready` and clear.
    pub fn valid_within(mut self, clocks: u64) -> Self {
        self.valid_within = Some(clocks);
        self
    }

    fn broken(&self, clock: u64, rule: Rule, detail: String) -> SimError {
        SimError::Rule { clock, stream: self.ports.name.clone(), rule, detail }
    }

    fn check_hold(&mut self, clock: u64, valid: bool, data: &Value) -> Result<(), SimError> {
        let Some(before) = self.before.take() else { return Ok(()) };
        if !before.valid || before.ready || before.cleared {
            return Ok(());
        }
        self.holds += 1;
        if !valid {
            let detail = format!("valid fell without a transfer of {:x}", before.data);
            return Err(self.broken(clock, Rule::ValidHolds, detail));
        }
        if !self.payload_may_change && before.data != *data {
            let detail = format!("{:x} became {data:x} without a transfer", before.data);
            return Err(self.broken(clock, Rule::PayloadHolds, detail));
        }
        Ok(())
    }

    fn check_starved(&mut self, clock: u64, valid: bool, ready: bool, cleared: bool) -> Result<(), SimError> {
        self.starved = if valid || ready || cleared { 0 } else { self.starved + 1 };
        match self.valid_within {
            Some(limit) if self.starved > limit => {
                let detail = format!("no valid within {limit} clocks without ready");
                Err(self.broken(clock, Rule::ValidIgnoresReady, detail))
            }
            _ => Ok(()),
        }
    }

    fn probe(
        &mut self,
        clock: u64,
        bench: &mut dyn Bench,
        valid: bool,
        data: &Value,
    ) -> Result<(), SimError> {
        let ready = bench.get_u64(self.ready);
        bench.set_u64(self.ready, 1 - ready);
        bench.settle()?;
        let (other_valid, other_data) = (bench.get_bit(self.ports.valid), bench.get(self.ports.data));
        bench.set_u64(self.ready, ready);
        bench.settle()?;
        self.probes += 1;
        if valid != other_valid {
            let detail = format!("valid changes with ready within one clock ({valid} at ready={ready})");
            return Err(self.broken(clock, Rule::ValidIgnoresReady, detail));
        }
        if valid && other_data != *data && !self.payload_may_change {
            let detail = format!("{data:x} at ready={ready}, {other_data:x} otherwise, within one clock");
            return Err(self.broken(clock, Rule::PayloadHolds, detail));
        }
        Ok(())
    }
}

impl Agent for StreamMonitor {
    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let (valid, ready) = (bench.get_bit(self.ports.valid), bench.get_bit(self.ready));
        let cleared = self.clear.is_some_and(|clear| bench.get_bit(clear));
        let data = bench.get(self.ports.data);
        self.check_hold(clock, valid, &data)?;
        if cleared && !self.ports.block_is_source {
            self.cleared += 1;
            if ready {
                let detail = "clear and ready are both 1".into();
                return Err(self.broken(clock, Rule::ReadyLowWhileCleared, detail));
            }
        }
        self.check_starved(clock, valid, ready, cleared)?;
        let probes = self.ports.block_is_source && self.probe_every > 0;
        if probes && clock % self.probe_every == 0 {
            self.probe(clock, bench, valid, &data)?;
        }
        self.before = Some(Before { valid, ready, cleared, data });
        Ok(())
    }

    fn coverage(&self, into: &mut Coverage) {
        into.add(format!("{}.held", self.ports.name), self.holds);
        if self.ports.block_is_source {
            into.add(format!("{}.ready_flipped", self.ports.name), self.probes);
        } else {
            into.add(format!("{}.cleared", self.ports.name), self.cleared);
        }
    }
}
