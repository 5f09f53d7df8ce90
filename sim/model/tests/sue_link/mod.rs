//! What the tests of the link of chapter 50 share: port settings, and a link whose deliveries are checked.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use flitforge_model::sue::format::classes::ClassTable;
use flitforge_model::sue::format::Profile;
use flitforge_model::sue::link::{
    CtlTwice, Eligibility, Fault, FlowControl, FrameCheck, Link, LinkFrame, LlrRxConfig, LlrSetting,
    LlrTxConfig, LlrTxEvent, Port, PortConfig, PortEvent, WireItem,
};
use flitforge_protocol::sue::class::{ClassUse, Loss, CLASSES};

/// Frame sizes of the SONiC scale-up test standard: each, one more and one less, within 64 to 9216 octets.
pub fn sizes() -> Vec<usize> {
    let about = |size: usize| [size - 1, size, size + 1];
    let all = [64, 128, 256, 512, 1518, 2048, 4096, 9216].into_iter().flat_map(about);
    all.filter(|size| (64..=9216).contains(size)).collect()
}

/// A port without retry and flow control.
pub fn plain(profile: Profile) -> PortConfig {
    PortConfig {
        profile,
        classes: ClassTable::default(),
        llr: None,
        eligible: [Eligibility::Llr; CLASSES],
        flow: FlowControl::None,
        twice: CtlTwice::Once,
        rx_capacity: [1 << 24; CLASSES],
        source: 0x0200_0000_0050,
    }
}

/// A port with link-layer retry.
pub fn with_llr(profile: Profile, tx: LlrTxConfig) -> PortConfig {
    let rx = LlrRxConfig { nack_timer: 2 * tx.replay_timer, ..LlrRxConfig::new(profile) };
    PortConfig { llr: Some(LlrSetting { tx, rx, nonce: 0 }), ..plain(profile) }
}

/// A link, what was offered at each end and what came, by class.
pub struct Harness {
    pub link: Link,
    pub offered: [[u64; CLASSES]; 2],
    /// By receiving end.
    pub received: [[Vec<u64>; CLASSES]; 2],
    pub events: Vec<(usize, PortEvent)>,
    /// By end and class: whether received frames are read at once.
    pub reads: [[bool; CLASSES]; 2],
}

impl Harness {
    pub fn new(config: PortConfig, latency: u64) -> Self {
        Self::of([config; 2], latency)
    }

    pub fn of(configs: [PortConfig; 2], latency: u64) -> Self {
        let ports = configs.map(|config| Port::new(config).expect("settings"));
        Harness {
            link: Link::new(ports, [latency; 2]),
            offered: [[0; CLASSES]; 2],
            received: Default::default(),
            events: Vec::new(),
            reads: [[true; CLASSES]; 2],
        }
    }

    pub fn offer_checked(&mut self, end: usize, class: ClassUse, bytes: usize, check: FrameCheck) {
        let number = &mut self.offered[end][class as usize];
        self.link.ports[end].offer(LinkFrame { number: *number, class, bytes, check });
        *number += 1;
    }

    pub fn offer(&mut self, end: usize, class: ClassUse, bytes: usize) {
        self.offer_checked(end, class, bytes, FrameCheck::Good);
    }

    pub fn step(&mut self, fault: impl FnMut(usize, u64, &WireItem) -> Fault) {
        for (end, event) in self.link.step(fault) {
            if let PortEvent::Delivered(frame) = event {
                let numbers = &mut self.received[end][frame.class as usize];
                assert!(numbers.last().is_none_or(|last| *last < frame.number), "order: {frame:?}");
                numbers.push(frame.number);
            } else if !matches!(event, PortEvent::Llr(LlrTxEvent::Acknowledged(_))) {
                self.events.push((end, event));
            }
        }
        for (end, class) in (0..2).flat_map(|end| ClassUse::ALL.iter().map(move |class| (end, *class))) {
            while self.reads[end][class as usize] && self.link.ports[end].read(class).is_some() {}
        }
    }

    /// Steps until `done`, at most `limit` clocks; says whether it came to that.
    pub fn run(
        &mut self,
        limit: u64,
        mut fault: impl FnMut(usize, u64, &WireItem) -> Fault,
        done: impl Fn(&Self) -> bool,
    ) -> bool {
        let end = self.link.now() + limit;
        while self.link.now() < end {
            if done(self) {
                return true;
            }
            self.step(&mut fault);
        }
        done(self)
    }

    /// Whether everything offered has come, all of it in order (which `step` checks).
    pub fn is_complete(&self) -> bool {
        (0..2).all(|end| {
            (0..CLASSES).all(|class| self.received[1 - end][class].len() as u64 == self.offered[end][class])
        })
    }

    /// Whether all of it is acknowledged as well, and nothing is under way.
    pub fn is_at_rest(&mut self) -> bool {
        let rest = |port: &mut Port| port.llr_tx().is_none_or(|tx| tx.outstanding() == 0);
        self.is_complete() && self.link.ports.iter_mut().all(rest)
    }

    pub fn flushes(&self) -> usize {
        let is = |event: &PortEvent| matches!(event, PortEvent::Llr(LlrTxEvent::Flushed(_)));
        self.events.iter().filter(|(_, event)| is(event)).count()
    }
}

/// No fault.
pub fn quiet(_: usize, _: u64, _: &WireItem) -> Fault {
    Fault::None
}

/// Lossless classes.
pub fn lossless() -> Vec<ClassUse> {
    let is = |class: &ClassUse| ClassTable::default().class(*class).loss == Loss::Lossless;
    ClassUse::ALL.iter().copied().filter(is).collect()
}

/// A data frame whose FCS the wire breaks.
pub const BREAK: Fault = Fault::Corrupt { bit: 0 };

/// Whether an item is a data frame.
pub fn is_data(item: &WireItem) -> bool {
    matches!(item, WireItem::Data(..))
}
