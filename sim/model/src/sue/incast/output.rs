//! A port of the switch towards its XPU: a queue for each class.

use super::line::Held;
use super::xpu::Frame;
use flitforge_protocol::sue::class::{ClassUse, CLASSES};
use std::collections::VecDeque;

/// A frame in a queue.
#[derive(Debug, Clone, Copy)]
pub struct Queued {
    pub frame: Frame,
    /// Where its room is held.
    pub held: Held,
    /// When it has passed the switch.
    pub ready: u64,
}

#[derive(Debug, Default)]
pub struct Output {
    queues: [VecDeque<Queued>; CLASSES],
    /// Octets of all queues.
    pub octets: u64,
    /// Most of them so far.
    pub most: u64,
    turn: usize,
}

impl Output {
    pub fn push(&mut self, queued: Queued) {
        self.octets += queued.frame.bytes as u64;
        self.most = self.most.max(self.octets);
        self.queues[queued.frame.class as usize].push_back(queued);
    }

    /// The next frame of a class that may send: acknowledgments first, the others in turn.
    pub fn pop(&mut self, now: u64, is_open: impl Fn(ClassUse) -> bool) -> Option<Queued> {
        let acknowledgments = ClassUse::Acknowledgments as usize;
        let others = (0..CLASSES).map(|step| (self.turn + step) % CLASSES);
        let order = std::iter::once(acknowledgments).chain(others.filter(|class| *class != acknowledgments));
        let may_send = |class: &usize| {
            let front = self.queues.get(*class).and_then(VecDeque::front);
            front.is_some_and(|queued| queued.ready <= now && is_open(queued.frame.class))
        };
        let class = order.into_iter().find(may_send)?;
        if class != acknowledgments {
            self.turn = (class + 1) % CLASSES;
        }
        let queued = self.queues.get_mut(class)?.pop_front()?;
        self.octets -= queued.frame.bytes as u64;
        Some(queued)
    }
}
