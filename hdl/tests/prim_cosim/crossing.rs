//! Synchronizers and the FIFO between two clocks.

use crate::prim_cosim::{plan, random_plan};
use flitforge_elaborate::Value;
use flitforge_hdl::prim::synchronizer::ResetSynchronizer;
use flitforge_hdl::prim::{AsyncFifo, Synchronizer};
use flitforge_sim::kit::{rng, StimulusFn, StreamMonitor, StreamSink, StreamSource, Testbench};
use flitforge_sim::schedule::ClockSchedule;
use flitforge_sim::{Bench, PortValues, SimError};
use rand::Rng as _;
use rust_hdl::prelude::Bits;
use std::collections::VecDeque;

#[test]
fn synchronizer() {
    let mut stages = VecDeque::from([false; 3]);
    random_plan("prim_synchronizer", || Synchronizer::<3>::new(false).expect("valid"))
        .model(move |inputs: &PortValues, outputs: &mut PortValues| {
            outputs.set_bit("q", stages[0])?;
            stages.pop_front();
            stages.push_back(inputs.bit("d")?);
            Ok(())
        })
        .run()
        .expect("equal");
}

/// Reset pulses of one clock to many, pauses shorter and longer than the 18 clocks that `clear` takes to fall.
fn resets(testbench: &mut Testbench<'_>, seed: u64) -> Result<(), SimError> {
    let mut random = rng(seed, "reset");
    let (mut reset, mut left) = (false, 0);
    testbench.add(StimulusFn(move |_, bench: &mut dyn Bench| {
        if left == 0 {
            reset = !reset;
            left = if reset { random.random_range(1..6) } else { random.random_range(1..60) };
        }
        left -= 1;
        let port = bench.port("reset")?;
        bench.set_u64(port, u64::from(reset));
        Ok(())
    }));
    Ok(())
}

/// `clear` rises 3 clocks after the edge that meets `reset`, falls 18 clocks after the first that does not;
/// up from power-on, as if the reset had just ended.
#[test]
fn reset_synchronizer() {
    let mut since_reset = 0u32;
    let mut past = VecDeque::from([true; 3]);
    plan("prim_reset_synchronizer", || ResetSynchronizer::new().expect("valid"), resets)
        .model(move |inputs: &PortValues, outputs: &mut PortValues| {
            outputs.set_bit("clear", past[0] || since_reset < 16)?;
            since_reset = if past[0] { 1 } else { since_reset + 1 };
            past.pop_front();
            past.push_back(inputs.bit("reset")?);
            Ok(())
        })
        .run()
        .expect("equal");
}

/// One side's pointer, and what the other side knows of it: two flip-flops later.
#[derive(Default)]
struct Pointer {
    count: u64,
    first: u64,
    second: u64,
}

impl Pointer {
    /// An edge of the other side's clock, with the pointer before any edge of its own.
    fn seen_by_other(&mut self, before: u64) {
        (self.second, self.first) = (self.first, before);
    }
}

/// 16 words in the RAM, one at the output.
#[derive(Default)]
struct Model {
    write: Pointer,
    read: Pointer,
    full: bool,
    not_empty: bool,
    ram: VecDeque<Value>,
    output: Option<Value>,
}

const SIZE: u64 = 16;

impl Model {
    fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        let ready = !self.full && !inputs.bit("write_clear")?;
        outputs.set_bit("words_in.ready", ready)?;
        outputs.set_bit("words_out.valid", self.output.is_some())?;
        if let Some(word) = &self.output {
            outputs.set("words_out.data", word.clone())?;
        }
        let (written, read) = (self.write.count, self.read.count);
        let (writes, reads) = (inputs.rises("write_clock")?, inputs.rises("read_clock")?);
        if reads {
            self.read_edge(inputs)?;
            self.write.seen_by_other(written);
        }
        if writes {
            let transfer = ready && inputs.bit("words_in.valid")?;
            self.write_edge(transfer, inputs)?;
            self.read.seen_by_other(read);
        }
        Ok(())
    }

    fn write_edge(&mut self, transfer: bool, inputs: &PortValues) -> Result<(), SimError> {
        if inputs.bit("write_clear")? {
            (self.write.count, self.full) = (0, false);
            self.ram.clear();
            return Ok(());
        }
        if transfer {
            self.write.count += 1;
            self.ram.push_back(inputs.get("words_in.data")?);
        }
        self.full = self.write.count.wrapping_sub(self.read.second) % (2 * SIZE) == SIZE;
        Ok(())
    }

    fn read_edge(&mut self, inputs: &PortValues) -> Result<(), SimError> {
        let moves = self.output.is_none() || inputs.bit("words_out.ready")?;
        if inputs.bit("read_clear")? {
            (self.read.count, self.not_empty, self.output) = (0, false, None);
            return Ok(());
        }
        if moves {
            self.output = None;
            if self.not_empty {
                self.output = self.ram.pop_front();
                self.read.count += 1;
            }
        }
        self.not_empty = (self.read.count ^ self.write.second) % (2 * SIZE) != 0;
        Ok(())
    }
}

/// Streams on their own clocks, and both clears together for 30 to 60 edges, now and then. No word is offered
/// from the second edge of a clear until some edges after it.
fn two_clocks(
    testbench: &mut Testbench<'_>,
    seed: u64,
    write_period: u64,
    read_period: u64,
) -> Result<(), SimError> {
    let bench = testbench.bench();
    let (write, read) = (bench.port("write_clock")?, bench.port("read_clock")?);
    let clears = [bench.port("write_clear")?, bench.port("read_clear")?];
    let valid = bench.port("words_in.valid")?;
    let source = StreamSource::new(bench, "words_in", seed)?.cleared_by(clears[0]);
    let sink = StreamSink::new(bench, "words_out", seed)?;
    let monitor_in = StreamMonitor::new(bench, "words_in")?.cleared_by(clears[0]);
    let monitor_out = StreamMonitor::new(bench, "words_out")?.cleared_by(clears[1]).probing_every(5);
    testbench.add_on("write_clock", source)?;
    testbench.add_on("read_clock", sink)?;
    testbench.add_on("write_clock", monitor_in)?;
    testbench.add_on("read_clock", monitor_out)?;
    let mut random = rng(seed, "clears");
    let (mut left, mut length) = (60u32, 60);
    testbench.add(StimulusFn(move |_, bench: &mut dyn Bench| {
        if left == 0 && random.random_bool(0.001) {
            length = random.random_range(50..80);
            left = length;
        }
        // The last edges are the pause after the clear.
        for clear in clears {
            bench.set_u64(clear, u64::from(left > 10));
        }
        if left > 0 && length - left > 10 {
            bench.set_u64(valid, 0);
        }
        left = left.saturating_sub(1);
        Ok(())
    }));
    testbench.set_schedule(ClockSchedule::new(&[(write, write_period, 0), (read, read_period, 700)]));
    Ok(())
}

#[test]
fn async_fifo() {
    // Write side faster, slower, nearly equal, and a ratio with common edges.
    for (write, read) in [(3000, 7100), (8300, 3100), (5000, 5003), (2100, 1400)] {
        let mut model = Model::default();
        let name = format!("prim_async_fifo_{write}_{read}");
        let stimulus = move |testbench: &mut Testbench<'_>, seed| two_clocks(testbench, seed, write, read);
        plan(&name, || AsyncFifo::<Bits<33>, 4, 5>::new().expect("valid"), stimulus)
            .cover(&["words_in.transfers", "words_in.held", "words_out.held", "words_out.ready_flipped"])
            .model(move |inputs: &PortValues, outputs: &mut PortValues| model.step(inputs, outputs))
            .run()
            .expect("equal");
    }
}
