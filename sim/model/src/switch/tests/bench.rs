//! A switch with a peer at every port, over links without delay.

use super::super::*;
use crate::control::Control;
use crate::credit::CreditReceiver;
use crate::packet::Packet;
use crate::vl::VlReceiver;
use std::collections::VecDeque;

/// What stands at the other end of a port's link.
pub(super) struct Peer {
    pub(super) transmit: Transmit,
    pub(super) queues: Vec<VecDeque<Vec<Flit>>>,
    pub(super) credit: CreditReceiver,
    receiver: VlReceiver,
    /// Beats that came and whose credits are not given back, by lane.
    kept: u32,
    /// Gives credits back.
    pub(super) reads: bool,
    /// The link takes beats of the switch.
    pub(super) ready: bool,
    /// The link carries beats of the peer.
    pub(super) sends: bool,
    parts: Vec<Vec<Flit>>,
    /// Complete packets.
    pub(super) packets: Vec<(usize, Vec<Flit>)>,
    /// Packet flits.
    pub(super) flits: usize,
}

impl Peer {
    fn new(rules: &SwitchRules) -> Self {
        let (flits, lanes) = (rules.packets.flits, rules.packets.lanes);
        Peer {
            transmit: Transmit::new(rules, false).expect("rules"),
            queues: vec![VecDeque::new(); lanes],
            credit: CreditReceiver::new(rules.credits(), flits).expect("rules"),
            receiver: VlReceiver::new(lanes, flits, flits).expect("rules"),
            kept: 0,
            reads: true,
            ready: true,
            sends: true,
            parts: vec![vec![]; lanes],
            packets: vec![],
            flits: 0,
        }
    }

    fn arrive(&mut self, flits: &[Flit]) {
        if let Some(Ok(Control::CrdtRet { codes })) = flits
            .iter()
            .map(|flit| Control::decode(*flit))
            .find(|control| matches!(control, Ok(Control::CrdtRet { .. })))
        {
            self.transmit.give(&codes).expect("credits fit");
        }
        let received = self.receiver.step(flits).expect("a beat");
        assert_eq!(received.errors, 0, "the switch makes no illegal sequence");
        let Some(vl) = received.vl else { return };
        let shape = Shape::of(&received.flits);
        self.flits += shape.flits;
        let units = self.credit.arrive(vl, shape.flits, shape.tail).expect("no overrun");
        match self.reads {
            true => self.credit.release(vl, units).expect("occupied"),
            false => self.kept += units,
        }
        self.parts[vl].extend(&received.flits[..shape.flits]);
        if shape.tail {
            self.packets.push((vl, std::mem::take(&mut self.parts[vl])));
        }
    }
}

/// The switch and its peers.
pub(super) struct Bench {
    pub(super) switch: Switch,
    pub(super) peers: Vec<Peer>,
    /// Beats of the internal port.
    pub(super) agent: Vec<SentBeat>,
    pub(super) clocks: u64,
}

impl Bench {
    /// All links up, the address of a port is its number, credits everywhere.
    pub(super) fn new(rules: SwitchRules) -> Self {
        let mut switch = Switch::new(rules.clone()).expect("rules");
        for port in 0..rules.ports {
            switch.set_link(port, true).expect("a port");
            switch.routes_mut().set(port, RouteEntry::to(port)).expect("an entry");
        }
        let peers = (0..rules.ports).map(|_| Peer::new(&rules)).collect();
        let mut bench = Bench { switch, peers, agent: vec![], clocks: 0 };
        bench.run(300);
        bench
    }

    pub(super) fn rules(&self) -> SwitchRules {
        self.switch.rules().clone()
    }

    /// Gives a packet to the peer of a port.
    pub(super) fn send(&mut self, port: usize, vl: usize, flits: &[Flit]) {
        let size = self.rules().packets.flits;
        let mut flits = flits.to_vec();
        flits.resize(flits.len().next_multiple_of(size), Flit::IDLE);
        self.peers[port].queues[vl].extend(flits.chunks(size).map(<[Flit]>::to_vec));
    }

    pub(super) fn clock(&mut self) {
        let flits = self.rules().packets.flits;
        for port in 0..self.peers.len() {
            let peer = &mut self.peers[port];
            peer.credit.clock();
            if !peer.sends {
                continue;
            }
            let shapes: Vec<_> =
                peer.queues.iter().map(|queue| queue.front().map(|beat| Shape::of(beat))).collect();
            let turn = peer.transmit.step(&shapes, Some(&mut peer.credit)).expect("a turn");
            if let Some(beat) = beat_of(&turn, flits, |vl| peer.queues[vl].pop_front()) {
                self.switch.arrive(port, &beat).expect("a beat");
            }
        }
        self.switch.clock().expect("a clock");
        for port in 0..self.peers.len() {
            if self.peers[port].ready {
                if let Some(sent) = self.switch.send(port).expect("a turn") {
                    self.peers[port].arrive(&sent.flits);
                }
            }
        }
        self.agent.extend(self.switch.send(self.peers.len()).expect("a turn"));
        self.clocks += 1;
    }

    pub(super) fn run(&mut self, clocks: usize) {
        (0..clocks).for_each(|_| self.clock());
    }

    /// Sender, occupied and pending are the buffer, in both directions of every link that is up.
    pub(super) fn audit(&self) {
        let size = self.rules().buffer_units();
        for (port, peer) in self.peers.iter().enumerate() {
            for vl in 0..peer.queues.len() {
                let (held, pending) = self.switch.buffer(port, vl).expect("a port");
                let into = [peer.transmit.available(vl), held, pending];
                assert_eq!(into.iter().sum::<u32>(), size, "into port {port}, lane {vl}: {into:?}");
                let available = self.switch.available(port, vl).expect("a port");
                let out = [available, peer.credit.occupied(vl), peer.credit.pending(vl)];
                assert_eq!(out.iter().sum::<u32>(), size, "out of port {port}, lane {vl}: {out:?}");
            }
        }
    }

    /// The link of a port goes down, or up again: both ends start afresh.
    pub(super) fn set_link(&mut self, port: usize, up: bool) {
        let rules = self.rules();
        self.switch.set_link(port, up).expect("a port");
        let packets = std::mem::take(&mut self.peers[port].packets);
        self.peers[port] = Peer { packets, sends: up, ready: up, ..Peer::new(&rules) };
    }

    /// Good packets that came to a port, in order.
    pub(super) fn good(&self, port: usize) -> Vec<Packet> {
        self.peers[port].packets.iter().filter_map(|(_, flits)| Packet::decode(flits).ok()).collect()
    }

    /// Why the packets that came to a port as bad are bad, by their last flit.
    pub(super) fn reasons(&self, port: usize) -> Vec<u8> {
        let ends = self.peers[port].packets.iter().filter_map(|(_, flits)| flits.last());
        ends.filter_map(|flit| match Control::decode(*flit) {
            Ok(Control::TailBad { reason, .. }) => Some(reason),
            _ => None,
        })
        .collect()
    }
}
