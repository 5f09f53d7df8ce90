//! Link delay measurements between two devices (chapter 20, 4.8).

use super::Network;
use crate::line::Passage;
use crate::topology::{DeviceId, Port};
use flitforge_model::time::link_delay::{
    one_way, sent_to_received, turnaround, LinkDelayRun, RunStatus, Stamp,
};
use flitforge_protocol::time_registers::{ldm_ctl, ldm_mean, ldm_range};
use rand::Rng;

/// Core clocks from receiving a DelayReq to offering the DelayResp.
const RESPONSE_CLOCKS: u64 = 6;
/// Distance of two rounds in picoseconds, longer than any round trip; their phase is random.
const ROUND_PS: i64 = 30_000_000;

impl Network {
    /// Runs the measurement a port was told to start and leaves the result in its registers. The run's 30 us per round
    /// are not taken off the simulated time: rates move by less than 10^-9 in them.
    pub(super) fn measure(&mut self, port: Port) {
        let Some(state) = self.port(port).copied() else { return };
        let rounds_log2 = ldm_ctl::rounds::FIELD.get(state.control.into()) as u32;
        let period = (self.nodes[port.device as usize].source.inc_nom() >> 24) as i64;
        let Ok(mut run) = LinkDelayRun::new(rounds_log2, period) else { return };
        let mut start = self.now;
        while run.status() == RunStatus::Running {
            start += ROUND_PS + self.rng.random_range(0..1_000_000);
            match self.round(port, start, state.asymmetry) {
                Some(delay) => run.round(delay),
                None => run.void(),
            };
        }
        let Some(state) = self.port(port) else { return };
        let set = |word: u128, field: flitforge_protocol::Field, value: i64| field.set(word, value as u64);
        match run.status() {
            RunStatus::Done(result) => {
                let word = set(0, ldm_mean::mean::FIELD, result.mean);
                let word = set(word, ldm_mean::done::FIELD, 1);
                state.mean = set(word, ldm_mean::rounds::FIELD, 1 << rounds_log2) as u64;
                let word = set(0, ldm_range::min::FIELD, result.min);
                state.range = set(word, ldm_range::max::FIELD, result.max) as u64;
                state.measured_epoch = state.link_epoch;
            }
            _ => state.mean = set(0, ldm_mean::fail::FIELD, 1) as u64,
        }
    }

    pub(super) fn port(&mut self, port: Port) -> Option<&mut super::node::PortState> {
        self.nodes.get_mut(port.device as usize)?.ports.get_mut(usize::from(port.port))
    }

    /// One round from a port at a time; `None` if a marker was lost.
    fn round(&mut self, port: Port, start: i64, asymmetry: i32) -> Option<i64> {
        let connection = self.topology.connection(port)?;
        let peer = connection.peer.device;
        let usable = self.link_alive[connection.link as usize] && self.nodes[peer as usize].alive;
        if !usable || !self.nodes[port.device as usize].alive {
            return None;
        }
        let initiator = self.nodes[port.device as usize].oscillator;
        let responder = self.nodes[peer as usize].oscillator;
        let directions = self.directions[connection.link as usize];
        let (there, back) = (directions[connection.end], directions[1 - connection.end]);
        let mut send =
            |clocks, direction, ready| match self.line.send(clocks, direction, ready, &mut self.rng) {
                Passage::Crossed(crossing) => Some(crossing),
                _ => None,
            };
        let request = send((&initiator, &responder), &there, initiator.edge_from(start).0)?;
        let response = send((&responder, &initiator), &back, request.r_clock + RESPONSE_CLOCKS)?;
        let stamp = |clock, lag| Stamp { clock, lag };
        let turn = turnaround(
            stamp(request.r_clock, request.rx_lag),
            stamp(response.x_clock, response.tx_lag),
            self.inc_f(peer),
        )?;
        let round_trip = sent_to_received(
            stamp(request.x_clock, request.tx_lag),
            stamp(response.r_clock, response.rx_lag),
            self.inc_f(port.device),
        );
        Some(one_way(round_trip, turn, asymmetry))
    }

    fn inc_f(&self, device: DeviceId) -> u64 {
        self.nodes[device as usize].source.inc_f()
    }
}
