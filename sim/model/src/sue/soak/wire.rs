//! A wire with faults between the ports of XPUs.

use super::super::format::frame::{seal, FcsCover, FrameState};
use super::SoakError;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::collections::{BTreeMap, BinaryHeap};

/// Chances per million frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WireFaults {
    /// A frame is lost.
    pub loss: u32,
    /// A frame comes twice.
    pub duplication: u32,
    /// A bit of a frame is turned on the wire: its FCS is wrong.
    pub corruption: u32,
    /// A bit of a frame is turned inside a device, which makes the FCS anew: only what is inside can tell.
    pub device_error: u32,
    /// Two frames of one virtual channel change places.
    pub swap: u32,
    /// Most clocks that the frames of a virtual channel take longer: frames of different channels overtake each other.
    pub spread: u64,
}

/// What was done to frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Injected {
    /// Frames lost.
    pub lost: u64,
    /// Frames doubled.
    pub duplicated: u64,
    /// Frames with a bit turned on the wire.
    pub corrupted: u64,
    /// Frames with a bit turned inside a device.
    pub device_errors: u64,
    /// Frames that changed places with the one before.
    pub swapped: u64,
}

/// What was done to the frame that arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Damage {
    /// Nothing.
    None,
    /// A bit was turned on the wire.
    Wire,
    /// A bit was turned inside a device.
    Device,
}

/// A frame on its way.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrival {
    /// Clock at which it is there.
    pub clock: u64,
    number: u64,
    /// XPU that it comes to.
    pub destination: u16,
    /// Octets, FCS included.
    pub frame: Vec<u8>,
    /// What was done to it.
    pub damage: Damage,
}

/// Frames on their way, earliest first.
#[derive(Debug)]
pub struct Wire {
    faults: WireFaults,
    delay: u64,
    random: ChaCha8Rng,
    under_way: BinaryHeap<std::cmp::Reverse<Arrival>>,
    /// By {source, destination, VC}: when the last frame arrives, so that the next one does after it.
    last: BTreeMap<(u16, u16, u8), u64>,
    numbers: u64,
    injected: Injected,
}

impl Wire {
    /// Frames take `delay` clocks and more.
    pub fn new(faults: WireFaults, delay: u64, random: ChaCha8Rng) -> Self {
        Wire {
            faults,
            delay,
            random,
            under_way: BinaryHeap::new(),
            last: BTreeMap::new(),
            numbers: 0,
            injected: Injected::default(),
        }
    }

    /// What was done so far.
    pub const fn injected(&self) -> &Injected {
        &self.injected
    }

    /// True if no frame is on its way.
    pub fn is_empty(&self) -> bool {
        self.under_way.is_empty()
    }

    fn happens(&mut self, per_million: u32) -> bool {
        per_million > 0 && self.random.random_range(0..1_000_000) < per_million
    }

    /// A frame without FCS leaves at clock `now`.
    pub fn send(
        &mut self,
        (source, destination, vc): (u16, u16, u8),
        frame: &[u8],
        now: u64,
    ) -> Result<(), SoakError> {
        if self.happens(self.faults.loss) {
            self.injected.lost += 1;
            return Ok(());
        }
        let copies = if self.happens(self.faults.duplication) { 2 } else { 1 };
        self.injected.duplicated += copies - 1;
        let spread = self.random.random_range(0..=self.faults.spread);
        let last = self.last.get(&(source, destination, vc)).copied();
        let earliest = last.map_or(0, |last| last + 1);
        let mut clock = (now + self.delay + spread).max(earliest);
        for _ in 0..copies {
            let (frame, damage) = self.damaged(frame)?;
            self.numbers += 1;
            // one that changes places arrives with the one before, and is looked at first
            let place = last.filter(|last| *last > now && self.happens(self.faults.swap));
            self.injected.swapped += u64::from(place.is_some());
            let (at, number) = place.map_or((clock, self.numbers), |last| (last, 0));
            self.under_way.push(std::cmp::Reverse(Arrival { clock: at, number, destination, frame, damage }));
            clock += 1;
        }
        self.last.insert((source, destination, vc), clock - 1);
        Ok(())
    }

    fn damaged(&mut self, frame: &[u8]) -> Result<(Vec<u8>, Damage), SoakError> {
        let sealed = |frame: &[u8]| Ok::<_, SoakError>(seal(frame, FcsCover::Frame, FrameState::Good)?);
        if self.happens(self.faults.corruption) {
            self.injected.corrupted += 1;
            let mut octets = sealed(frame)?;
            self.turn_a_bit(&mut octets);
            Ok((octets, Damage::Wire))
        } else if self.happens(self.faults.device_error) {
            self.injected.device_errors += 1;
            let mut octets = frame.to_vec();
            self.turn_a_bit(&mut octets);
            Ok((sealed(&octets)?, Damage::Device))
        } else {
            Ok((sealed(frame)?, Damage::None))
        }
    }

    fn turn_a_bit(&mut self, octets: &mut [u8]) {
        let bit = self.random.random_range(0..8 * octets.len());
        octets[bit / 8] ^= 1 << (bit % 8);
    }

    /// The next frame that is there at `clock`.
    pub fn arrival(&mut self, clock: u64) -> Option<Arrival> {
        let first = self.under_way.peek()?;
        (first.0.clock <= clock).then(|| self.under_way.pop()).flatten().map(|first| first.0)
    }
}
