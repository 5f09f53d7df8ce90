//! `eth_fc`: priority flow control (PFC), both ends (chapter 50, 4.7).

use super::super::format::classes::ClassTable;
use super::super::format::PriorityPause;
use flitforge_protocol::sue::class::{ClassUse, Loss, CLASSES};
use flitforge_protocol::sue::crc::CRC_BYTES;
use flitforge_protocol::sue::link_control::{PREAMBLE_BYTES, PRIORITIES};
use flitforge_protocol::sue::{INTER_PACKET_GAP, MIN_FRAME_BYTES};
use thiserror::Error;

/// Octets that a class's RX buffer must have beyond XOFF: two cables, two of the largest frames on the wire
/// (chapter 50, 4.7), and the PFC frame itself, which the chapter leaves out.
///
/// `cable` is the octets in flight one way, `largest_frame` those of the largest frame with its FCS.
#[must_use]
pub const fn headroom(cable: usize, largest_frame: usize) -> usize {
    let around = PREAMBLE_BYTES + INTER_PACKET_GAP;
    2 * cable + 2 * (largest_frame + around) + MIN_FRAME_BYTES + CRC_BYTES + around
}

/// Thresholds of a class's RX buffer, octets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PauseThreshold {
    /// From so many on, a pause is asked for.
    pub xoff: usize,
    /// At so few, it is ended.
    pub xon: usize,
}

/// Settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PauseConfig {
    /// Classes and their priorities.
    pub classes: ClassTable,
    /// Thresholds by class.
    pub thresholds: [PauseThreshold; CLASSES],
    /// Pause that is asked for, in quanta of 512 bit times.
    pub quanta: u16,
    /// MAC clocks of a quantum: 8 with 64 bits in a clock.
    pub quantum_clocks: u64,
    /// PFC_WD, MAC clocks.
    pub watchdog: u64,
    /// Own MAC address, 48 bits.
    pub source: u64,
}

/// Settings that cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PauseConfigError {
    /// XON not below XOFF.
    #[error("class {}: XON {xon} has to be below XOFF {xoff}", class.name())]
    Threshold {
        /// The class.
        class: ClassUse,
        /// XON, octets.
        xon: usize,
        /// XOFF, octets.
        xoff: usize,
    },
    /// A pause, a quantum or PFC_WD of 0.
    #[error("pause quanta, clocks of a quantum and PFC_WD must not be 0")]
    Zero,
}

impl PauseConfig {
    /// Reset values: 0xFFFF quanta of 8 clocks, PFC_WD 153 · 1024 clocks.
    #[must_use]
    pub const fn new(classes: ClassTable, thresholds: [PauseThreshold; CLASSES], source: u64) -> Self {
        let watchdog = 153 * 1024;
        PauseConfig { classes, thresholds, quanta: 0xFFFF, quantum_clocks: 8, watchdog, source }
    }

    fn check(&self) -> Result<(), PauseConfigError> {
        if self.quanta == 0 || self.quantum_clocks == 0 || self.watchdog == 0 {
            return Err(PauseConfigError::Zero);
        }
        for &class in ClassUse::ALL {
            let PauseThreshold { xoff, xon } = self.thresholds[class as usize];
            if self.classes.class(class).loss == Loss::Lossless && xon >= xoff {
                return Err(PauseConfigError::Threshold { class, xon, xoff });
            }
        }
        Ok(())
    }
}

/// Counters, by the names of the chapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PauseCounters {
    /// PFC tx: frames that ask for a pause or end one, by class.
    pub pfc_tx: [u64; CLASSES],
    /// PFC rx, by class.
    pub pfc_rx: [u64; CLASSES],
    /// PFC_WD.
    pub pfc_wd: u64,
}

/// A priority's timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Timer {
    Idle,
    Paused { since: u64, until: u64, watchdog: Watchdog },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Watchdog {
    Armed,
    Fired,
}

/// The end that honours pauses: eight timers and a watchdog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PauseTimers {
    config: PauseConfig,
    timers: [Timer; PRIORITIES],
    counters: PauseCounters,
}

impl PauseTimers {
    /// Nothing is paused.
    pub fn new(config: PauseConfig) -> Result<Self, PauseConfigError> {
        config.check()?;
        let timers = [Timer::Idle; PRIORITIES];
        Ok(PauseTimers { config, timers, counters: PauseCounters::default() })
    }

    /// The counters.
    #[must_use]
    pub const fn counters(&self) -> &PauseCounters {
        &self.counters
    }

    /// A PFC frame came. A pause that is renewed before it ends goes on, for the watchdog too.
    pub fn receive(&mut self, pause: &PriorityPause, now: u64) {
        for (timer, quanta) in self.timers.iter_mut().zip(pause.quanta) {
            let Some(quanta) = quanta else { continue };
            let end = now + u64::from(quanta) * self.config.quantum_clocks;
            *timer = match *timer {
                _ if quanta == 0 => Timer::Idle,
                Timer::Paused { since, until, watchdog } if now <= until => {
                    Timer::Paused { since, until: end, watchdog }
                }
                _ => Timer::Paused { since: now, until: end, watchdog: Watchdog::Armed },
            };
        }
        for &class in ClassUse::ALL {
            let priority = usize::from(self.config.classes.class(class).pcp);
            let is_named = pause.quanta.get(priority).is_some_and(Option::is_some);
            self.counters.pfc_rx[class as usize] += u64::from(is_named);
        }
    }

    fn timer(&self, class: ClassUse) -> Timer {
        let priority = usize::from(self.config.classes.class(class).pcp);
        self.timers.get(priority).copied().unwrap_or(Timer::Idle)
    }

    /// Whether a class may not start a frame now.
    #[must_use]
    pub fn is_paused(&self, class: ClassUse, now: u64) -> bool {
        matches!(self.timer(class), Timer::Paused { until, .. } if now < until)
    }

    /// The watchdog: the classes that have been paused for PFC_WD without end, each once until its pause ends.
    pub fn expire(&mut self, now: u64) -> Vec<ClassUse> {
        let mut fired = [false; PRIORITIES];
        for (timer, fired) in self.timers.iter_mut().zip(&mut fired) {
            match timer {
                // a pause may still be renewed in the clock in which it ends
                Timer::Paused { until, .. } if now > *until => *timer = Timer::Idle,
                Timer::Paused { since, watchdog: watchdog @ Watchdog::Armed, .. }
                    if now.saturating_sub(*since) > self.config.watchdog =>
                {
                    *watchdog = Watchdog::Fired;
                    *fired = true;
                }
                _ => {}
            }
        }
        let is_fired = |class: &ClassUse| {
            fired.get(usize::from(self.config.classes.class(*class).pcp)).copied().unwrap_or(false)
        };
        let classes: Vec<ClassUse> = ClassUse::ALL.iter().copied().filter(is_fired).collect();
        self.counters.pfc_wd += classes.len() as u64;
        classes
    }
}

/// What a class's buffer has asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Asked {
    On,
    Off { at: u64 },
}

/// The end that asks for pauses, by thresholds of its RX buffers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PauseSource {
    config: PauseConfig,
    occupied: [usize; CLASSES],
    asked: [Asked; CLASSES],
    counters: PauseCounters,
}

impl PauseSource {
    /// All buffers are empty.
    pub fn new(config: PauseConfig) -> Result<Self, PauseConfigError> {
        config.check()?;
        let counters = PauseCounters::default();
        Ok(PauseSource { config, occupied: [0; CLASSES], asked: [Asked::On; CLASSES], counters })
    }

    /// The counters.
    #[must_use]
    pub const fn counters(&self) -> &PauseCounters {
        &self.counters
    }

    /// Octets in a class's buffer.
    #[must_use]
    pub const fn occupied(&self, class: ClassUse) -> usize {
        self.occupied[class as usize]
    }

    /// Octets of a frame come. They count as they come, not when the frame is complete.
    pub fn receive(&mut self, class: ClassUse, octets: usize) {
        self.occupied[class as usize] += octets;
    }

    /// Octets leave.
    pub fn free(&mut self, class: ClassUse, octets: usize) {
        let occupied = &mut self.occupied[class as usize];
        *occupied = occupied.saturating_sub(octets);
    }

    fn lossless(&self) -> Vec<ClassUse> {
        let is_lossless = |class: &ClassUse| self.config.classes.class(*class).loss == Loss::Lossless;
        ClassUse::ALL.iter().copied().filter(is_lossless).collect()
    }

    fn priority(&self, class: ClassUse) -> usize {
        self.config.classes.class(class).pcp.into()
    }

    /// The PFC frame that is due, if one is: a buffer has reached XOFF, is down to XON, or half of a pause has run out.
    pub fn due(&mut self, now: u64) -> Option<PriorityPause> {
        let renewal = u64::from(self.config.quanta) * self.config.quantum_clocks / 2;
        let mut has_news = [false; PRIORITIES];
        for class in self.lossless() {
            let PauseThreshold { xoff, xon } = self.config.thresholds[class as usize];
            let occupied = self.occupied[class as usize];
            let asked = &mut self.asked[class as usize];
            *asked = match *asked {
                Asked::On if occupied >= xoff => Asked::Off { at: now },
                Asked::Off { .. } if occupied <= xon => Asked::On,
                Asked::Off { at } if now.saturating_sub(at) >= renewal => Asked::Off { at: now },
                _ => continue,
            };
            self.counters.pfc_tx[class as usize] += 1;
            if let Some(news) = has_news.get_mut(self.priority(class)) {
                *news = true;
            }
        }
        let mut quanta = [None; PRIORITIES];
        for (priority, entry) in quanta.iter_mut().enumerate().filter(|(priority, _)| has_news[*priority]) {
            let is_off = |class: &ClassUse| {
                self.priority(*class) == priority && matches!(self.asked[*class as usize], Asked::Off { .. })
            };
            // of two classes with one priority, a pause of either holds
            let is_paused = self.lossless().iter().any(is_off);
            *entry = Some(if is_paused { self.config.quanta } else { 0 });
        }
        let source = self.config.source;
        quanta.iter().any(Option::is_some).then_some(PriorityPause { source, quanta })
    }
}
