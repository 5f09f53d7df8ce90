//! A serial line: start bit, eight data bits from the lowest, stop bit.

use super::random::{rng, Rng};
use super::{Agent, Coverage, Pace, Pacer};
use crate::bench::Bench;
use crate::error::SimError;
use crate::port::PortHandle;
use rand::Rng as _;
use std::collections::VecDeque;

/// Millionths of a clock: bit times are kept this fine.
const FINE: u64 = 1_000_000;
/// Bits of a character: start, eight of data, stop.
const BITS: u64 = 10;

/// The length of a bit in millionths of a clock, off by a number of parts per million.
fn bit_time(clocks: u32, ppm: i32) -> u64 {
    (u64::from(clocks.max(1)) * FINE).saturating_add_signed(i64::from(clocks.max(1)) * i64::from(ppm)).max(1)
}

/// Sends octets into a block's receive pin, at a baud rate that may be off.
pub struct UartDriver {
    name: String,
    pin: PortHandle,
    bit: u64,
    rng: Rng,
    pacer: Pacer,
    queue: VecDeque<u8>,
    /// The octet on the line and the time since its start bit began.
    current: Option<(u8, u64)>,
    /// What the last octet was over before the clock that follows it.
    early: u64,
    /// A stop bit of 0 instead of 1, for the next octets.
    broken_stops: u32,
    /// Probability that a clock has the other level.
    noise: f64,
    sent: u64,
    wrong: u64,
}

impl UartDriver {
    /// A driver of the input `pin` with `clocks` per bit, off by `ppm` parts per million (positive: longer bits, a
    /// slower sender). It sends `octets`, one after the other; with [`Pace::Always`] a start bit begins where the stop bit in front of it ends,
    /// between two clocks, too.
    pub fn new(
        bench: &dyn Bench,
        pin: &str,
        clocks: u32,
        ppm: i32,
        octets: Vec<u8>,
        seed: u64,
    ) -> Result<Self, SimError> {
        Ok(Self {
            name: pin.into(),
            pin: bench.port(pin)?,
            bit: bit_time(clocks, ppm),
            rng: rng(seed, pin),
            pacer: Pacer::new(Pace::Always),
            queue: octets.into(),
            current: None,
            early: 0,
            broken_stops: 0,
            noise: 0.0,
            sent: 0,
            wrong: 0,
        })
    }

    /// Sets whether an octet follows at once or the line rests for a clock.
    pub fn pace(mut self, pace: Pace) -> Self {
        self.pacer = Pacer::new(pace);
        self
    }

    /// Gives the first `octets` a stop bit of 0: framing errors.
    pub fn broken_stops(mut self, octets: u32) -> Self {
        self.broken_stops = octets;
        self
    }

    /// Gives single clocks the other level, each with this probability.
    pub fn noise(mut self, probability: f64) -> Self {
        self.noise = probability;
        self
    }

    fn level(&self) -> bool {
        let Some((octet, time)) = self.current else { return true };
        match time / self.bit {
            0 => false,
            bit @ 1..=8 => octet >> (bit - 1) & 1 == 1,
            _ => self.broken_stops == 0,
        }
    }
}

impl Agent for UartDriver {
    fn drive(&mut self, _: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        if self.current.is_none() && !self.queue.is_empty() && self.pacer.next(&mut self.rng) {
            self.current = self.queue.pop_front().map(|octet| (octet, self.early));
        }
        self.early = 0;
        let wrong = self.noise > 0.0 && self.rng.random_bool(self.noise);
        self.wrong += u64::from(wrong);
        bench.set_u64(self.pin, u64::from(self.level() ^ wrong));
        if let Some((octet, time)) = self.current {
            let next = time + FINE;
            self.current = (next < BITS * self.bit).then_some((octet, next));
            if self.current.is_none() {
                self.early = next - BITS * self.bit;
                self.sent += 1;
                self.broken_stops = self.broken_stops.saturating_sub(1);
            }
        }
        Ok(())
    }

    fn coverage(&self, into: &mut Coverage) {
        into.add(format!("{}.octets_sent", self.name), self.sent);
        into.add(format!("{}.wrong_samples", self.name), self.wrong);
    }
}

/// What a decoder does with an octet: the clock of its stop bit and the octet.
type OnOctet<'a> = Box<dyn FnMut(u64, u8) -> Result<(), SimError> + 'a>;

/// Reads octets from a pin by sampling the middle of every bit, and checks that start and stop bits are right.
pub struct UartDecoder<'a> {
    name: String,
    pin: PortHandle,
    bit: u64,
    /// Time since the start bit began, and the data so far.
    current: Option<(u64, u8)>,
    last: bool,
    on_octet: Vec<OnOctet<'a>>,
    octets: u64,
    glitches: u64,
}

impl<'a> UartDecoder<'a> {
    /// A decoder of `pin` with `clocks` per bit, off by `ppm` parts per million.
    pub fn new(bench: &dyn Bench, pin: &str, clocks: u32, ppm: i32) -> Result<Self, SimError> {
        Ok(Self {
            name: pin.into(),
            pin: bench.port(pin)?,
            bit: bit_time(clocks, ppm),
            current: None,
            last: true,
            on_octet: vec![],
            octets: 0,
            glitches: 0,
        })
    }

    /// Calls `action` on every octet.
    pub fn on_octet(mut self, action: impl FnMut(u64, u8) -> Result<(), SimError> + 'a) -> Self {
        self.on_octet.push(Box::new(action));
        self
    }

    /// The bit whose middle lies between `time` and the next clock.
    fn sampled(&self, time: u64) -> Option<u64> {
        let bit = time / self.bit;
        let middle = bit * self.bit + self.bit / 2;
        (middle >= time && middle < time + FINE).then_some(bit)
    }
}

impl Agent for UartDecoder<'_> {
    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let level = bench.get_bit(self.pin);
        if self.current.is_none() && self.last && !level {
            self.current = Some((0, 0));
        }
        self.last = level;
        let Some((time, octet)) = self.current else { return Ok(()) };
        self.current = Some((time + FINE, octet));
        match self.sampled(time) {
            Some(0) if level => {
                self.glitches += 1;
                self.current = None;
            }
            Some(bit @ 1..=8) => self.current = Some((time + FINE, octet | u8::from(level) << (bit - 1))),
            Some(9) if !level => {
                return Err(SimError::Protocol {
                    clock,
                    interface: self.name.clone(),
                    rule: "a character ends with a stop bit",
                    detail: format!("0 in the middle of the stop bit of {octet:02x}"),
                });
            }
            Some(9) => {
                self.current = None;
                self.octets += 1;
                self.on_octet.iter_mut().try_for_each(|action| action(clock, octet))?;
            }
            _ => {}
        }
        Ok(())
    }

    fn coverage(&self, into: &mut Coverage) {
        into.add(format!("{}.octets", self.name), self.octets);
        into.add(format!("{}.glitches", self.name), self.glitches);
    }
}
