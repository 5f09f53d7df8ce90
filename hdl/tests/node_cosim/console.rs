//! The console's text line, clock by clock.

use crate::node_cosim::plan;
use flitforge_hdl::node::console::{Console, ConsoleConfig};
use flitforge_hdl::prim::uart::UartConfig;
use flitforge_sim::cosim::{standard, StandardInterface};
use flitforge_sim::kit::Testbench;
use flitforge_sim::{PortValues, SimError};
use flitforge_testkit::Count;
use std::collections::VecDeque;

const TEMPLATE: &str = "#=#;##\n";
const DIGITS: u32 = 4;
const INTERVAL: u64 = 37;
/// Clocks per bit on the line.
const BIT: usize = 8;

/// What is on the line and what comes next, by clocks counted from the clear.
struct Model {
    clock: u64,
    /// When the digits of the next line are stored.
    stored_at: u64,
    /// What is left of a line, and when its first character is offered.
    text: VecDeque<u8>,
    offered_at: u64,
    /// Levels of the frame on the line.
    frame: VecDeque<bool>,
    lines: Count,
}

impl Model {
    fn new(lines: Count) -> Self {
        let (text, frame) = Default::default();
        Self { clock: 0, stored_at: INTERVAL, text, offered_at: 0, frame, lines }
    }

    fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        outputs.set_bit("line", self.frame.pop_front().unwrap_or(true))?;
        if inputs.bit("clear")? {
            *self = Self::new(self.lines.clone());
            return Ok(());
        }
        if self.clock == self.stored_at {
            let digits = format!("{:0width$X}", inputs.u64("digits")?, width = DIGITS as usize);
            let mut digits = digits.bytes();
            self.text = TEMPLATE
                .bytes()
                .filter_map(|letter| if letter == b'#' { digits.next() } else { Some(letter) })
                .collect();
            self.offered_at = self.clock + 1;
        } else if self.clock >= self.offered_at && self.frame.is_empty() {
            if let Some(letter) = self.text.pop_front() {
                self.send(letter);
                self.offered_at = self.clock + 2;
                if self.text.is_empty() {
                    self.lines.add(1);
                    // The line's end is seen where the next character would be offered.
                    self.stored_at = self.offered_at + 1 + INTERVAL;
                }
            }
        }
        self.clock += 1;
        Ok(())
    }

    /// One clock of silence, start bit, eight bits from the lowest up, stop bit.
    fn send(&mut self, letter: u8) {
        let bits = [false].into_iter().chain((0..8).map(|bit| letter >> bit & 1 == 1)).chain([true]);
        self.frame.push_back(true);
        self.frame.extend(bits.flat_map(|bit| [bit; BIT]));
    }
}

#[test]
fn console() {
    let lines = Count::default();
    let mut model = Model::new(lines.clone());
    let config = ConsoleConfig {
        template: TEMPLATE.into(),
        uart: UartConfig { clock_hz: 16_000_000, baud: 2_000_000 },
        interval: INTERVAL,
    };
    let stimulus = |testbench: &mut Testbench<'_>, seed| {
        standard(&StandardInterface { clears: vec!["clear".into()], ..Default::default() }, testbench, seed)
    };
    plan("console", move || Console::<16>::new(&config).expect("valid"), stimulus)
        .cover(&["clear.pulses"])
        .model(move |inputs: &PortValues, outputs: &mut PortValues| model.step(inputs, outputs))
        .run()
        .expect("equal");
    lines.at_least(21, "whole lines");
}
