//! One direction of a link, with the flow control of both of its ends.

use super::super::format::classes::ClassTable;
use super::super::format::link_control::CreditCount;
use super::super::format::overhead::CellRule;
use super::super::format::PriorityPause;
use super::super::link::{
    headroom, CreditLimit, CreditReceiver, CreditRefusal, CreditSender, CreditSettings, PauseConfig,
    PauseSource, PauseThreshold, PauseTimers,
};
use super::xpu::{octets, Frame};
use super::{CreditUnit, FlowKind, IncastError, IncastParameters, CLOCK_NS};
use flitforge_protocol::sue::class::{ClassUse, CLASSES};
use flitforge_protocol::sue::link_control::CBFC_VCS;
use flitforge_protocol::sue::Profile;
use std::collections::VecDeque;

/// CELL of 256 octets: 32 * 2^3.
const CELL_EXPONENT: u8 = 3;
/// CF_TIMER, clocks.
const CF_TIMER: u64 = 1024;
/// Octets of a quantum of PFC: 512 bit times.
const QUANTUM: u64 = 64;
/// PFC_WD, nanoseconds.
const WATCHDOG: u64 = 1_000_000;

/// Which end of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    /// An XPU and its port.
    Xpu(u16, u8),
    /// The switch's port to this XPU.
    Switch(u16),
}

/// What is on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    Frame(Frame),
    /// CF_Update, for the other direction.
    Credits([CreditCount; 2]),
    /// A PFC frame, for the other direction.
    Pause(PriorityPause),
}

/// Room that a frame takes in the switch, until it has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// The line that it came in through.
    pub line: usize,
    pub class: ClassUse,
    pub bytes: usize,
}

/// The sending end's flow control.
#[derive(Debug)]
enum Sending {
    None,
    Pause(PauseTimers),
    Credit { sender: CreditSender, largest: usize },
}

/// The receiving end's.
#[derive(Debug)]
enum Receiving {
    None { occupied: [usize; CLASSES] },
    Pause(Box<PauseSource>),
    Credit(Box<CreditReceiver>),
}

/// One direction of a link.
#[derive(Debug)]
pub struct Line {
    pub from: Node,
    pub to: Node,
    /// The other direction.
    pub back: usize,
    pub delay: u64,
    pub busy_until: u64,
    /// An event at the end of what is being sent is due.
    pub is_busy: bool,
    pub under_way: VecDeque<(u64, Item)>,
    /// Of the frame that is being sent.
    pub leaving: Option<Held>,
    /// An event for CF_TIMER or for the renewal of a pause is due.
    pub has_timer: bool,
    cf_timer: u64,
    sending: Sending,
    receiving: Receiving,
    unit: CreditUnit,
    classes: ClassTable,
    /// Octets of a class's buffer where nothing keeps frames back, or with PFC.
    room: usize,
}

impl Line {
    pub fn new(
        (from, to): (Node, Node),
        back: usize,
        parameters: &IncastParameters,
    ) -> Result<Self, IncastError> {
        let classes = ClassTable::default();
        let delay = parameters.octets(parameters.link);
        let (largest, _) = octets(parameters.pack_max);
        let (sending, receiving) = match parameters.flow {
            FlowKind::None => (Sending::None, Receiving::None { occupied: [0; CLASSES] }),
            FlowKind::Pfc => {
                let xoff = parameters.xoff as usize;
                let threshold = PauseThreshold { xoff, xon: xoff / 2 };
                let reset = PauseConfig::new(classes, [threshold; CLASSES], 0);
                let config =
                    PauseConfig { quantum_clocks: QUANTUM, watchdog: parameters.octets(WATCHDOG), ..reset };
                (
                    Sending::Pause(PauseTimers::new(config)?),
                    Receiving::Pause(Box::new(PauseSource::new(config)?)),
                )
            }
            FlowKind::Cbfc => {
                let settings = credit_settings(parameters, &classes)?;
                let largest = charged(parameters.credit_unit, largest);
                let cells = settings.cells(largest);
                if cells > parameters.limit {
                    return Err(IncastError::Limit { limit: parameters.limit, cells });
                }
                let sender = CreditSender::new(settings)?;
                let receiver = Box::new(CreditReceiver::new(settings)?);
                (Sending::Credit { sender, largest }, Receiving::Credit(receiver))
            }
        };
        Ok(Line {
            from,
            to,
            back,
            delay,
            busy_until: 0,
            is_busy: false,
            under_way: VecDeque::new(),
            leaving: None,
            has_timer: false,
            cf_timer: parameters.octets(CF_TIMER * CLOCK_NS),
            sending,
            receiving,
            unit: parameters.credit_unit,
            classes,
            // a frame counts when it is complete, not as it comes: one more of the largest has to fit
            room: parameters.xoff as usize + headroom(delay as usize, largest) + largest,
        })
    }

    const fn vc(&self, class: ClassUse) -> u8 {
        self.classes.class(class).cbfc_vc
    }

    /// Whether a frame of this class may start, however long it is.
    pub fn is_open(&self, class: ClassUse, now: u64) -> bool {
        match &self.sending {
            Sending::None => true,
            Sending::Pause(timers) => !timers.is_paused(class, now),
            Sending::Credit { sender, largest } => sender.check(self.vc(class), *largest).is_ok(),
        }
    }

    /// A frame starts.
    pub fn consume(&mut self, frame: &Frame) -> Result<(), CreditRefusal> {
        let (vc, bytes) = (self.vc(frame.class), charged(self.unit, frame.bytes));
        if let Sending::Credit { sender, .. } = &mut self.sending {
            sender.send(vc, bytes)?;
        }
        Ok(())
    }

    /// A frame is there: false if it finds no room.
    pub fn receive(&mut self, class: ClassUse, bytes: usize) -> bool {
        let (vc, cost, room) = (self.vc(class), charged(self.unit, bytes), self.room);
        match &mut self.receiving {
            Receiving::None { occupied } => {
                let fits = occupied[class as usize] + bytes <= room;
                occupied[class as usize] += if fits { bytes } else { 0 };
                fits
            }
            Receiving::Pause(source) => {
                let fits = source.occupied(class) + bytes <= room;
                source.receive(class, if fits { bytes } else { 0 });
                fits
            }
            Receiving::Credit(receiver) => {
                receiver.receive(vc, cost);
                true
            }
        }
    }

    /// A frame has left the buffer.
    pub fn free(&mut self, class: ClassUse, bytes: usize) {
        let (vc, cost) = (self.vc(class), charged(self.unit, bytes));
        match &mut self.receiving {
            Receiving::None { occupied } => {
                occupied[class as usize] = occupied[class as usize].saturating_sub(bytes);
            }
            Receiving::Pause(source) => source.free(class, bytes),
            Receiving::Credit(receiver) => receiver.free(vc, cost),
        }
    }

    /// What the receiving end has to tell the sending one.
    pub fn news(&mut self, now: u64) -> Option<Item> {
        match &mut self.receiving {
            Receiving::None { .. } => None,
            Receiving::Pause(source) => source.due(now).map(Item::Pause),
            Receiving::Credit(receiver) => receiver.cf_update(now).map(Item::Credits),
        }
    }

    /// When it has to be asked again although nothing happens: CF_TIMER, or half of a pause.
    pub fn timer(&self) -> Option<u64> {
        match &self.receiving {
            Receiving::None { .. } => None,
            Receiving::Pause(_) => Some(u64::from(u16::MAX) * QUANTUM / 2 + 1),
            Receiving::Credit(_) => Some(self.cf_timer),
        }
    }

    /// The news of the other end has come back.
    pub fn learn(&mut self, item: &Item, now: u64) {
        match (&mut self.sending, item) {
            (Sending::Pause(timers), Item::Pause(pause)) => timers.receive(pause, now),
            (Sending::Credit { sender, .. }, Item::Credits(counts)) => sender.receive_cf(*counts),
            _ => {}
        }
    }

    /// Credits of a class, with CBFC.
    pub fn credits(&self, class: ClassUse) -> Option<u16> {
        match &self.sending {
            Sending::Credit { sender, .. } => Some(sender.available(self.vc(class))),
            Sending::None | Sending::Pause(_) => None,
        }
    }

    /// Classes that have been paused for PFC_WD.
    pub fn watchdog(&mut self, now: u64) -> usize {
        match &mut self.sending {
            Sending::Pause(timers) => timers.expire(now).len(),
            Sending::None | Sending::Credit { .. } => 0,
        }
    }
}

/// Octets that a frame is charged for: in credits of one frame all are the same.
const fn charged(unit: CreditUnit, bytes: usize) -> usize {
    match unit {
        CreditUnit::Cells => bytes,
        CreditUnit::Frames => 1,
    }
}

fn credit_settings(
    parameters: &IncastParameters,
    classes: &ClassTable,
) -> Result<CreditSettings, IncastError> {
    let overhead = Profile::Sue1.packet_overhead();
    // both numbers are in range
    let Ok(rule) = CellRule::new(CELL_EXPONENT, overhead) else {
        return Err(IncastError::Limit { limit: parameters.limit, cells: 0 });
    };
    let mut limits = [0; CBFC_VCS];
    for class in ClassUse::ALL.iter().filter(|class| **class != ClassUse::Management) {
        if let Some(limit) = limits.get_mut(usize::from(classes.class(*class).cbfc_vc)) {
            *limit = parameters.limit;
        }
    }
    let reset = CreditSettings::new(rule, CreditLimit::PerVc(limits));
    Ok(CreditSettings {
        cell_batch: parameters.cell_batch,
        cf_timer: parameters.octets(CF_TIMER * CLOCK_NS),
        ..reset
    })
}
