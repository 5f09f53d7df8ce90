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

/// Something to put on the line: frames at 3 % more or less, broken frames, glitches, breaks, noise, silence.
fn levels(random: &mut Rng) -> Vec<bool> {
    let byte = random.random_range(0..256);
    match random.random_range(0..12) {
        0 => vec![false; random.random_range(1..BIT)],
        1 => vec![false; random.random_range(BIT..30 * BIT)],
        2 => (0..random.random_range(1..100)).map(|_| random.random()).collect(),
        3 => frame(byte, false),
        4 | 5 => vec![true; random.random_range(1..20 * BIT)],
        _ => {
            let (exact, stretch) = (frame(byte, true), random.random_range(97..=103));
            (0..exact.len() * stretch / 100).map(|clock| exact[clock * 100 / stretch]).collect()
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
    /// The line has not been idle since the last frame.
    Deaf,
    /// Waits for a start bit.
    Waiting,
    /// Clocks since the start bit began, bits sampled.
    Receiving(usize, Vec<bool>),
}

struct Model {
    receiver: Receiver,
    byte: Option<u64>,
    broken: bool,
    bytes: Rc<Cell<[u64; 2]>>,
}

impl Model {
    fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        outputs.set_bit("bytes.valid", self.byte.is_some())?;
        if let Some(byte) = self.byte {
            outputs.set_u64("bytes.data", byte)?;
        }
        outputs.set_bit("framing_error", self.broken)?;
        (self.byte, self.broken) = (None, false);
        if inputs.bit("clear")? {
            self.receiver = Receiver::Deaf;
            return Ok(());
        }
        let level = inputs.bit("line")?;
        match &mut self.receiver {
            Receiver::Deaf if level => self.receiver = Receiver::Waiting,
            Receiver::Waiting if !level => self.receiver = Receiver::Receiving(0, vec![]),
            Receiver::Deaf | Receiver::Waiting => {}
            Receiver::Receiving(clocks, bits) => {
                *clocks += 1;
                if *clocks % BIT == BIT / 2 {
                    bits.push(level);
                    self.sampled();
                }
            }
        }
        Ok(())
    }

    fn sampled(&mut self) {
        let Receiver::Receiving(_, bits) = &self.receiver else { return };
        let mut counts = self.bytes.get();
        if bits[0] {
            self.receiver = Receiver::Deaf;
        } else if bits.len() == FRAME_BITS {
            let stop = bits[FRAME_BITS - 1];
            let byte = (0..8).fold(0, |byte, i| byte | u64::from(bits[1 + i]) << i);
            self.byte = stop.then_some(byte);
            self.broken = !stop;
            counts[usize::from(stop)] += 1;
            self.receiver = Receiver::Deaf;
        }
        self.bytes.set(counts);
    }
}

#[test]
fn uart_rx() {
    let bytes = Rc::new(Cell::new([0; 2]));
    let mut model = Model { receiver: Receiver::Deaf, byte: None, broken: false, bytes: bytes.clone() };
    plan("prim_uart_rx", || UartRx::new(CONFIG).expect("valid"), line)
        .model(move |inputs: &PortValues, outputs: &mut PortValues| model.step(inputs, outputs))
        .run()
        .expect("equal");
    let [broken, good] = bytes.get();
    assert!(good > 300 && broken > 20, "{good} bytes, {broken} framing errors: too few");
}
