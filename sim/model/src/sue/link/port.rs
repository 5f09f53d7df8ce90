//! One port: arbiter, link-layer retry and flow control (chapter 50, 4.7).

use super::super::format::{CreditsConsumed, OrderedSet, Preamble, PriorityPause, Profile};
use super::cbfc::{CreditReceiver, CreditSender};
use super::filter::OrderedSetFilter;
use super::llr_config::{AckCheck, Offered, Pcs};
use super::llr_rx::{FrameCheck, LlrRx, LlrVerdict};
use super::llr_tx::LlrTx;
use super::pfc::{PauseSource, PauseTimers};
use super::port_config::{
    Eligibility, FlowControl, LinkFrame, PortConfig, PortConfigError, PortCounters, PortEvent, WireItem,
};
use flitforge_protocol::sue::class::{ClassUse, Loss, CLASSES};
use flitforge_protocol::sue::link_control::{CC_OPCODE, CC_VCS_PER_MESSAGE, PREAMBLE_BYTES};
use std::collections::VecDeque;

#[derive(Debug, Clone)]
struct Credits {
    sender: CreditSender,
    receiver: CreditReceiver,
}

#[derive(Debug, Clone)]
struct Pauses {
    timers: PauseTimers,
    source: PauseSource,
}

#[derive(Debug, Clone)]
struct Llr {
    tx: LlrTx<LinkFrame>,
    rx: LlrRx,
}

/// A port.
#[derive(Debug, Clone)]
pub struct Port {
    config: PortConfig,
    llr: Option<Llr>,
    credits: Option<Credits>,
    pauses: Option<Pauses>,
    filter: OrderedSetFilter,
    /// By class: frames that wait to be sent, frames received.
    queues: [VecDeque<LinkFrame>; CLASSES],
    buffers: [VecDeque<LinkFrame>; CLASSES],
    buffered: [usize; CLASSES],
    /// Ordered sets and MAC control frames that wait.
    first: VecDeque<WireItem>,
    /// Class that is looked at first.
    turn: usize,
    counters: PortCounters,
}

impl Port {
    /// A port with empty buffers; link-layer retry goes to INIT.
    pub fn new(config: PortConfig) -> Result<Self, PortConfigError> {
        let (credits, pauses) = match config.flow {
            FlowControl::None => (None, None),
            FlowControl::Pfc(pause) => {
                let (timers, source) = (PauseTimers::new(pause)?, PauseSource::new(pause)?);
                (None, Some(Pauses { timers, source }))
            }
            FlowControl::Cbfc(credit) => {
                let (sender, receiver) = (CreditSender::new(credit)?, CreditReceiver::new(credit)?);
                (Some(Credits { sender, receiver }), None)
            }
        };
        let llr = config.llr.map(|setting| {
            let mut tx = LlrTx::new(setting.tx, setting.nonce);
            tx.enable(0);
            Llr { tx, rx: LlrRx::new(setting.rx) }
        });
        Ok(Port {
            config,
            llr,
            credits,
            pauses,
            filter: OrderedSetFilter::new(config.twice),
            queues: Default::default(),
            buffers: Default::default(),
            buffered: [0; CLASSES],
            first: VecDeque::new(),
            turn: 0,
            counters: PortCounters::default(),
        })
    }

    /// The sender of link-layer retry.
    pub fn llr_tx(&mut self) -> Option<&mut LlrTx<LinkFrame>> {
        self.llr.as_mut().map(|llr| &mut llr.tx)
    }

    /// The receiver of link-layer retry.
    #[must_use]
    pub fn llr_rx(&self) -> Option<&LlrRx> {
        self.llr.as_ref().map(|llr| &llr.rx)
    }

    /// The sender of CBFC.
    #[must_use]
    pub fn credit_sender(&self) -> Option<&CreditSender> {
        self.credits.as_ref().map(|credits| &credits.sender)
    }

    /// The receiver of CBFC.
    #[must_use]
    pub fn credit_receiver(&self) -> Option<&CreditReceiver> {
        self.credits.as_ref().map(|credits| &credits.receiver)
    }

    /// The timers of PFC.
    #[must_use]
    pub fn pause_timers(&self) -> Option<&PauseTimers> {
        self.pauses.as_ref().map(|pauses| &pauses.timers)
    }

    /// The thresholds of PFC.
    #[must_use]
    pub fn pause_source(&self) -> Option<&PauseSource> {
        self.pauses.as_ref().map(|pauses| &pauses.source)
    }

    /// The counters.
    #[must_use]
    pub const fn counters(&self) -> &PortCounters {
        &self.counters
    }

    /// Frames of a class that wait to be sent.
    #[must_use]
    pub fn waiting(&self, class: ClassUse) -> usize {
        self.queues[class as usize].len()
    }

    /// Octets in the RX buffer of a class.
    #[must_use]
    pub const fn buffered(&self, class: ClassUse) -> usize {
        self.buffered[class as usize]
    }

    /// A frame to send.
    pub fn offer(&mut self, frame: LinkFrame) {
        self.queues[frame.class as usize].push_back(frame);
    }

    /// Takes a frame out of the RX buffer.
    pub fn read(&mut self, class: ClassUse) -> Option<LinkFrame> {
        let frame = self.buffers[class as usize].pop_front()?;
        self.buffered[class as usize] -= frame.bytes;
        if let Some(credits) = self.credits.as_mut() {
            credits.receiver.free(self.config.classes.class(class).cbfc_vc, frame.bytes);
        }
        if let Some(pauses) = self.pauses.as_mut() {
            pauses.source.free(class, frame.bytes);
        }
        Some(frame)
    }

    /// The PCS has lost its link, or has it again.
    pub fn set_pcs(&mut self, pcs: Pcs) {
        if let Some(llr) = self.llr.as_mut() {
            llr.tx.set_pcs(pcs);
        }
    }

    /// The timers.
    pub fn expire(&mut self, now: u64) -> Vec<PortEvent> {
        let mut events = Vec::new();
        if let Some(llr) = self.llr.as_mut() {
            llr.rx.expire(now);
            events.extend(llr.tx.expire(now).map(PortEvent::Llr));
        }
        if let Some(pauses) = self.pauses.as_mut() {
            events.extend(pauses.timers.expire(now).into_iter().map(PortEvent::Watchdog));
        }
        events
    }

    /// What is sent next, if anything may be: ordered sets, MAC control, a replay, then data.
    pub fn transmit(&mut self, now: u64, events: &mut Vec<PortEvent>) -> Option<WireItem> {
        if self.first.is_empty() {
            self.make_control(now);
        }
        if let Some(item) = self.first.pop_front() {
            return Some(item);
        }
        if let Some((sequence, frame, _)) = self.llr.as_mut().and_then(|llr| llr.tx.replay(now)) {
            self.counters.frames_tx += 1;
            let preamble = Preamble::Llr { sequence, flags: 0 }.encode().ok()?;
            return Some(WireItem::Data(preamble, frame));
        }
        // acknowledgments first, the others in turn
        let others = (0..CLASSES).map(|step| (self.turn + step) % CLASSES);
        let order: Vec<ClassUse> = std::iter::once(ClassUse::Acknowledgments as usize)
            .chain(others)
            .filter_map(|class| ClassUse::from_code(class as u8))
            .collect();
        let (item, class) =
            order.into_iter().find_map(|class| Some((self.send(class, now, events)?, class)))?;
        if class != ClassUse::Acknowledgments {
            self.turn = (class as usize + 1) % CLASSES;
        }
        Some(item)
    }

    fn make_control(&mut self, now: u64) {
        let mut set = None;
        if let Some(llr) = self.llr.as_mut() {
            set = llr.rx.ordered_set(now).or_else(|| llr.tx.ordered_set(now));
        }
        if let Some(credits) = self.credits.as_mut() {
            set = set.or_else(|| credits.receiver.cf_update(now).map(OrderedSet::CfUpdate));
        }
        if let Some(octets) = set.and_then(|set| set.encode().ok()) {
            self.first.extend((0..self.config.twice.copies()).map(|_| WireItem::Set(octets)));
            return;
        }
        let is_empty = self.llr.as_ref().is_none_or(|llr| llr.tx.outstanding() == 0);
        let mut frames = Vec::new();
        if let Some(pauses) = self.pauses.as_mut() {
            frames.extend(pauses.source.due(now).and_then(|pause| pause.encode().ok()));
        }
        if let Some(credits) =
            self.credits.as_mut().filter(|credits| is_empty && credits.sender.is_cc_due(now))
        {
            let counts = credits.sender.cc_update(now);
            let size = match self.config.profile {
                Profile::Sue1 => counts.len(),
                Profile::Ue103 => CC_VCS_PER_MESSAGE,
            };
            let message =
                |counts: &[_]| CreditsConsumed { source: self.config.source, counts: counts.to_vec() };
            let encode = |counts: &[_]| message(counts).encode(self.config.profile, CC_OPCODE).ok();
            frames.extend(counts.chunks(size).filter_map(encode));
        }
        self.first.extend(frames.into_iter().map(|frame| WireItem::Control(frame, FrameCheck::Good)));
    }

    fn has_credits(&self, class: ClassUse) -> bool {
        self.credits.is_some() && self.config.classes.class(class).loss == Loss::Lossless
    }

    fn send(&mut self, class: ClassUse, now: u64, events: &mut Vec<PortEvent>) -> Option<WireItem> {
        let frame = *self.queues[class as usize].front()?;
        if self.pauses.as_ref().is_some_and(|pauses| pauses.timers.is_paused(class, now)) {
            return None;
        }
        let vc = self.config.classes.class(class).cbfc_vc;
        let takes_credits = self.has_credits(class);
        let is_llr = self.config.eligible[class as usize] == Eligibility::Llr;
        if let Some(credits) = self.credits.as_ref() {
            // CC_Update waits until the replay buffer is empty
            if (takes_credits && credits.sender.check(vc, frame.bytes).is_err())
                || (is_llr && self.llr.is_some() && credits.sender.is_cc_due(now))
            {
                return None;
            }
        }
        let offered = match self.llr.as_mut().filter(|_| is_llr) {
            Some(llr) => llr.tx.offer(&frame, frame.bytes, now).ok()?,
            None => Offered::Unprotected,
        };
        self.queues[class as usize].pop_front();
        let preamble = match offered {
            Offered::Discarded => {
                events.push(PortEvent::Discarded(frame));
                return None;
            }
            Offered::Stored(sequence) => Preamble::Llr { sequence, flags: 0 },
            Offered::Unprotected => Preamble::Standard,
        };
        if let Some(credits) = self.credits.as_mut().filter(|_| takes_credits) {
            credits.sender.send(vc, frame.bytes).ok()?;
        }
        self.counters.frames_tx += 1;
        Some(WireItem::Data(preamble.encode().ok()?, frame))
    }

    /// Something has come whole.
    pub fn receive(&mut self, item: &WireItem, now: u64) -> Vec<PortEvent> {
        match item {
            WireItem::Set(octets) => match OrderedSet::decode(*octets) {
                Ok(set) => self.filter.pass(set, now).map_or_else(Vec::new, |set| self.control(set, now)),
                Err(_) => {
                    self.counters.ctlos_bad += 1;
                    Vec::new()
                }
            },
            WireItem::Control(frame, FrameCheck::Good) => self.mac_control(frame, now),
            WireItem::Control(..) => {
                self.counters.fcs += 1;
                Vec::new()
            }
            WireItem::Data(preamble, frame) => self.data(*preamble, *frame).into_iter().collect(),
        }
    }

    fn control(&mut self, set: OrderedSet, now: u64) -> Vec<PortEvent> {
        let taken = match (set, self.llr.as_mut(), self.credits.as_mut()) {
            (OrderedSet::LlrInit { data: 0, .. }, ..) => None,
            (OrderedSet::LlrInit { sequence, data }, Some(llr), _) => {
                llr.rx.receive_init(sequence, data);
                Some((AckCheck::Taken, Vec::new()))
            }
            (OrderedSet::LlrInitEcho { sequence, data }, Some(llr), _) => {
                Some(llr.tx.receive_echo(sequence, data, now))
            }
            (OrderedSet::LlrAck(sequence), Some(llr), _) => Some(llr.tx.receive_ack(sequence, now)),
            (OrderedSet::LlrNack(sequence), Some(llr), _) => Some(llr.tx.receive_nack(sequence, now)),
            (OrderedSet::CfUpdate(counts), _, Some(credits)) => {
                credits.sender.receive_cf(counts);
                Some((AckCheck::Taken, Vec::new()))
            }
            _ => None,
        };
        let (check, events) = taken.unwrap_or((AckCheck::Ignored, Vec::new()));
        self.counters.ctlos_bad += u64::from(check == AckCheck::Ignored);
        events.into_iter().map(PortEvent::Llr).collect()
    }

    fn mac_control(&mut self, frame: &[u8], now: u64) -> Vec<PortEvent> {
        if let Some(pauses) = self.pauses.as_mut() {
            if let Ok(pause) = PriorityPause::decode(frame) {
                pauses.timers.receive(&pause, now);
                return Vec::new();
            }
        }
        if let Some(credits) = self.credits.as_mut() {
            if let Ok(message) = CreditsConsumed::decode(frame, self.config.profile, CC_OPCODE) {
                let healed = credits.receiver.receive_cc(&message.counts);
                return healed.into_iter().map(PortEvent::Healed).collect();
            }
        }
        self.counters.control_bad += 1;
        Vec::new()
    }

    fn data(&mut self, preamble: [u8; PREAMBLE_BYTES], frame: LinkFrame) -> Option<PortEvent> {
        let verdict = match (Preamble::decode(preamble), self.llr.as_mut()) {
            (Ok(Preamble::Llr { sequence, .. }), Some(llr)) => llr.rx.receive(sequence, frame.check),
            (Err(_), Some(llr)) => llr.rx.lost(),
            (Ok(Preamble::Standard), _) if frame.check == FrameCheck::Good => LlrVerdict::Delivered,
            (Ok(_), None) if frame.check == FrameCheck::Good => LlrVerdict::Off,
            _ => {
                self.counters.fcs += 1;
                LlrVerdict::BadFcs
            }
        };
        let class = frame.class as usize;
        let takes_credits = self.has_credits(frame.class);
        let vc = self.config.classes.class(frame.class).cbfc_vc;
        match verdict {
            LlrVerdict::Poisoned => {
                if let Some(credits) = self.credits.as_mut().filter(|_| takes_credits) {
                    credits.receiver.receive(vc, frame.bytes);
                    credits.receiver.free(vc, frame.bytes);
                }
                Some(PortEvent::Poisoned(frame))
            }
            LlrVerdict::Delivered => {
                if let Some(credits) = self.credits.as_mut().filter(|_| takes_credits) {
                    credits.receiver.receive(vc, frame.bytes);
                }
                if self.buffered[class] + frame.bytes > self.config.rx_capacity[class] {
                    self.counters.rx_full += 1;
                    if let Some(credits) = self.credits.as_mut().filter(|_| takes_credits) {
                        credits.receiver.free(vc, frame.bytes);
                    }
                    return Some(PortEvent::RxFull(frame));
                }
                if let Some(pauses) = self.pauses.as_mut() {
                    pauses.source.receive(frame.class, frame.bytes);
                }
                self.buffered[class] += frame.bytes;
                self.buffers[class].push_back(frame);
                self.counters.frames_rx += 1;
                Some(PortEvent::Delivered(frame))
            }
            _ => None,
        }
    }
}
