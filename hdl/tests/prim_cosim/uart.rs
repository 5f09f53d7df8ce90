//! UART: 8 clocks per bit.

use crate::prim_cosim::{plan, random_plan};
use flitforge_hdl::prim::uart::{UartConfig, UartRx, UartTx, FRAME_BITS};
use flitforge_sim::kit::{rng, ClearDriver, FlowMonitor, Rng, StimulusFn, Testbench};
use flitforge_sim::{Bench, PortValues, SimError};
use rand::Rng as _;
use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

const CONFIG: UartConfig = UartConfig { clock_hz: 16_000_000, baud: 2_000_000 };
const BIT: usize = 8;

/// The levels of a byte's frame, one per clock.
fn frame(byte: u64, stop: bool) -> Vec<bool> {
    let bits = std::iter::once(false).chain((0..8).map(|i| byte >> i & 1 == 1)).chain([stop]);
    bits.flat_map(|bit| [bit; BIT]).collect()
}

/// A byte's start bit leaves 2 clocks after it was taken; the next byte is taken when its frame is on the line
/// but for one clock.
#[test]
fn uart_tx() {
    let mut line: VecDeque<bool> = VecDeque::new();
    random_plan("prim_uart_tx", || UartTx::new(CONFIG).expect("valid"))
        .cover(&["bytes.held", "bytes.cleared", "bytes.transfers"])
        .model(move |inputs: &PortValues, outputs: &mut PortValues| {
            outputs.set_bit("line", line.pop_front().unwrap_or(true))?;
            let clear = inputs.bit("clear")?;
            let ready = line.is_empty() && !clear;
            outputs.set_bit("bytes.ready", ready)?;
            if ready && inputs.bit("bytes.valid")? {
                line.push_back(true);
                line.extend(frame(inputs.u64("bytes.data")?, true));
            }
            if clear {
                line.clear();
            }
            Ok(())
        })
        .run()
        .expect("equal");
}

/// Something to put on the line: frames at 4.4 % more or less, with wrong samples, broken frames, glitches, breaks, noise, silence.
fn levels(random: &mut Rng) -> Vec<bool> {
    let byte = random.random_range(0..256);
    match random.random_range(0..14) {
        0 => vec![false; random.random_range(1..BIT)],
        1 => vec![false; random.random_range(BIT..30 * BIT)],
        2 => (0..random.random_range(1..100)).map(|_| random.random()).collect(),
        3 => frame(byte, false),
        4 | 5 => vec![true; random.random_range(1..20 * BIT)],
        6 | 7 => frame(byte, true).into_iter().map(|level| level ^ random.random_ratio(1, 50)).collect(),
        _ => {
            let (exact, stretch) = (frame(byte, true), random.random_range(956..=1044));
            (0..exact.len() * stretch / 1000).map(|clock| exact[clock * 1000 / stretch]).collect()
        }
    }
}

fn line(testbench: &mut Testbench<'_>, seed: u64) -> Result<(), SimError> {
    let mut random = rng(seed, "line");
    let mut queue: VecDeque<bool> = VecDeque::new();
    let clear = ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.001, 1..=4);
    let monitor = FlowMonitor::new(testbench.bench(), "bytes")?;
    testbench.add(clear).add(monitor);
    testbench.add(StimulusFn(move |_, bench: &mut dyn Bench| {
        if queue.is_empty() {
            queue.extend(levels(&mut random));
        }
        let port = bench.port("line")?;
        bench.set_u64(port, u64::from(queue.pop_front().unwrap_or(true)));
        Ok(())
    }));
    Ok(())
}

/// What the receiver is doing.
enum Receiver {
    /// Waits for a start bit.
    Waiting,
    /// Clocks since the start bit was seen, bits taken.
    Receiving(usize, Vec<bool>),
}

struct Model {
    receiver: Receiver,
    /// Samples of the line, the last one first.
    samples: [bool; 4],
    byte: Option<u64>,
    broken: bool,
    bytes: Rc<Cell<[u64; 2]>>,
}

/// What most of three samples say.
fn most(samples: &[bool]) -> bool {
    samples.iter().filter(|sample| **sample).count() > samples.len() / 2
}

impl Model {
    fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        outputs.set_bit("bytes.valid", self.byte.is_some())?;
        if let Some(byte) = self.byte {
            outputs.set_u64("bytes.data", byte)?;
        }
        outputs.set_bit("framing_error", self.broken)?;
        (self.byte, self.broken) = (None, false);
        let (level, before) = (most(&self.samples[..3]), most(&self.samples[1..]));
        let [first, second, third, _] = self.samples;
        self.samples = [inputs.bit("line")?, first, second, third];
        if inputs.bit("clear")? {
            self.receiver = Receiver::Waiting;
            return Ok(());
        }
        if let Receiver::Receiving(clocks, bits) = &mut self.receiver {
            *clocks += 1;
            // Of an even number of clocks the one in front of the middle; the stop bit has one more.
            let middle = bits.len() * BIT + (BIT - 1) / 2;
            if bits.len() < FRAME_BITS - 1 && *clocks == middle {
                bits.push(level);
                if bits[0] {
                    self.receiver = Receiver::Waiting;
                }
            } else if *clocks == middle + 1 && bits.len() == FRAME_BITS - 1 {
                let byte = (0..8).fold(0, |byte, i| byte | u64::from(bits[1 + i]) << i);
                self.ends(byte, level || before);
            }
        }
        if matches!(self.receiver, Receiver::Waiting) && before && !level {
            self.receiver = Receiver::Receiving(0, vec![]);
        }
        Ok(())
    }

    fn ends(&mut self, byte: u64, stop: bool) {
        let mut counts = self.bytes.get();
        self.byte = stop.then_some(byte);
        self.broken = !stop;
        counts[usize::from(stop)] += 1;
        self.receiver = Receiver::Waiting;
        self.bytes.set(counts);
    }
}

#[test]
fn uart_rx() {
    let bytes = Rc::new(Cell::new([0; 2]));
    let mut model = Model {
        receiver: Receiver::Waiting,
        samples: [false; 4],
        byte: None,
        broken: false,
        bytes: bytes.clone(),
    };
    plan("prim_uart_rx", || UartRx::new(CONFIG).expect("valid"), line)
        .model(move |inputs: &PortValues, outputs: &mut PortValues| model.step(inputs, outputs))
        .run()
        .expect("equal");
    let [broken, good] = bytes.get();
    assert!(good > 300 && broken > 20, "{good} bytes, {broken} framing errors: too few");
}
