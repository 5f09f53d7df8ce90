//! A time flit from its master through switches to the slaves.

use super::node::Node;
use super::{Arrival, Event, Network};
use crate::line::{Crossing, Passage};
use crate::topology::{Connection, DeviceId, DeviceKind};
use flitforge_model::time::delay::RingShape;
use flitforge_model::time::slave::SampleVerdict;
use flitforge_model::time::{TimeHigh, TimeLow, TreeSlave};
use flitforge_protocol::time::{FINE_BITS, INJECT_CLOCKS};
use flitforge_protocol::time_registers::tree_prio;
use flitforge_protocol::time_ring::{crossing_clocks, RingDirection, RING_WAIT_MAX};
use rand::Rng;

/// Share of a period at which a slave's error is looked at once more, at random: up to here, of 256.
const PROBE_SHARE: u64 = 240;

impl Network {
    /// Puts a device's next Low into the queue.
    pub(super) fn schedule(&mut self, device: DeviceId) {
        let node = &self.nodes[device as usize];
        let Some(due) = node.generator.as_ref().and_then(|generator| generator.due()) else { return };
        let missing = (u128::from(due) << 32).wrapping_sub(node.source.sync());
        // A step may have put the due time behind: then at once.
        let missing = super::signed(missing).max(0) as u128;
        let clocks = missing.div_ceil(u128::from(node.source.inc_eff())).max(1) as u64;
        let time = node.oscillator.edge(node.at + clocks);
        self.push(time.max(self.now + 1), Event::Generate(device));
    }

    /// A Low is due: it goes out on the master's link, sampled at plane X.
    pub(super) fn generate(&mut self, device: DeviceId) {
        let Some(connection) = self.topology.connections(device).first().copied() else { return };
        let node = &mut self.nodes[device as usize];
        if !node.alive || node.generator.is_none() {
            return;
        }
        let edge = node.oscillator.edge_from(self.now).0;
        node.advance(edge);
        let crossing = self.pass(device, connection, edge);
        let node = &mut self.nodes[device as usize];
        let at = node.at;
        let Some(generator) = node.generator.as_mut() else { return };
        let (x_clock, lag) = crossing.map_or((edge, 0), |crossing| (crossing.x_clock, crossing.tx_lag));
        let sync = node.source.sync_after(x_clock.saturating_sub(at));
        let beat = generator.clock(sync, lag, true);
        if let (Some(crossing), Some(low)) = (crossing, beat.and_then(|beat| beat.low)) {
            self.fly(connection, crossing, low, beat.and_then(|beat| beat.high));
        }
        self.schedule(device);
    }

    /// Tries to get a flit over a link; counts what is lost.
    fn pass(&mut self, device: DeviceId, connection: Connection, ready: u64) -> Option<Crossing> {
        self.losses.offered += 1;
        let peer = connection.peer.device as usize;
        if !self.link_alive[connection.link as usize] || !self.nodes[peer].alive {
            self.losses.gone += 1;
            return None;
        }
        let clocks = (&self.nodes[device as usize].oscillator, &self.nodes[peer].oscillator);
        let direction = &self.directions[connection.link as usize][connection.end];
        match self.line.send(clocks, direction, ready, &mut self.rng) {
            Passage::Crossed(crossing) => return Some(crossing),
            Passage::Stale => self.losses.stale += 1,
            Passage::Dropped => self.losses.dropped += 1,
            Passage::WaitedTooLong => self.losses.waited_too_long += 1,
        }
        None
    }

    fn fly(&mut self, connection: Connection, crossing: Crossing, low: TimeLow, high: Option<TimeHigh>) {
        let arrival = Arrival {
            device: connection.peer.device,
            port: connection.peer.port,
            link: connection.link,
            edge: crossing.r_clock,
            rx_lag: crossing.rx_lag,
            low,
            high,
        };
        self.push(crossing.r_time, Event::Arrive(arrival));
    }

    /// A flit is at plane R.
    pub(super) fn arrive(&mut self, arrival: &Arrival) {
        let tree = arrival.low.tree;
        let node = &mut self.nodes[arrival.device as usize];
        if !node.alive || !self.link_alive[arrival.link as usize] {
            self.losses.gone += 1;
            return;
        }
        let kind = self.topology.devices()[arrival.device as usize];
        let slave_en = tree_prio::slave_en::FIELD.get(node.tree_prio.into()) >> tree & 1 == 1;
        let port = &mut node.ports[usize::from(arrival.port)];
        let accepted = match kind {
            DeviceKind::Hfi => slave_en,
            DeviceKind::Switch(_) => port.up(tree),
        };
        if !accepted {
            port.not_upstream = port.not_upstream.saturating_add(1);
            return;
        }
        let value = arrival.low.value.received(arrival.rx_lag, port.rx_corr);
        let low = TimeLow { value, ..arrival.low };
        node.history.received += 1;
        match kind {
            DeviceKind::Hfi => self.sample(arrival.device, arrival.edge, low, arrival.high),
            DeviceKind::Switch(shape) => {
                self.forward(arrival, &shape, low);
                if slave_en {
                    let clock_stop = shape.path(arrival.port.into(), shape.stops - 1);
                    let edge = arrival.edge + clock_stop.clocks - INJECT_CLOCKS;
                    self.sample(arrival.device, edge, low, arrival.high);
                }
            }
        }
    }

    /// The rings carry a flit to every downstream port of its tree.
    fn forward(&mut self, arrival: &Arrival, shape: &RingShape, low: TimeLow) {
        let device = arrival.device;
        for index in 0..self.topology.connections(device).len() {
            let connection = self.topology.connections(device)[index];
            let port = &mut self.nodes[device as usize].ports[usize::from(connection.port)];
            if !port.down(low.tree) {
                continue;
            }
            let (source, ring) = port.path_of(low.tree);
            if source != arrival.port {
                port.wrong_src = port.wrong_src.saturating_add(1);
                continue;
            }
            if port.held() {
                port.epoch_hold = port.epoch_hold.saturating_add(1);
                continue;
            }
            let ring = RingDirection::ALL[usize::from(ring)];
            let path = shape.path_on(ring, source.into(), connection.port.into());
            self.inject(arrival, connection, (path.ring_cycles, shape.ratio), low);
        }
    }

    /// From the ring over a link: the wait on the ring and the wait for the line are added.
    fn inject(
        &mut self,
        arrival: &Arrival,
        connection: Connection,
        (cycles, ratio): (u32, u32),
        low: TimeLow,
    ) {
        let busy = self.config.ring_busy > 0.0 && self.rng.random_bool(self.config.ring_busy);
        // A Low that missed its slot is tried again every core clock.
        let wait = if busy { ratio * self.rng.random_range(1..=RING_WAIT_MAX.0 / ratio) } else { 0 };
        let offered = arrival.edge + crossing_clocks(cycles + wait, ratio);
        let Some(crossing) = self.pass(arrival.device, connection, offered) else { return };
        let wper = self.nodes[arrival.device as usize].source.wper();
        let value = low.value.waited_on_ring(wait, wper / ratio).offered(
            crossing.x_clock - offered,
            wper,
            crossing.tx_lag,
        );
        self.fly(connection, crossing, TimeLow { value, ..low }, arrival.high);
    }

    /// A slave takes a sample at a core edge.
    fn sample(&mut self, device: DeviceId, edge: u64, low: TimeLow, high: Option<TimeHigh>) {
        let recorded = self.recorder.wants(device);
        let node = &mut self.nodes[device as usize];
        node.advance(edge);
        if recorded && node.is_locked() {
            let time = node.oscillator.edge(edge);
            let error = self.error_at(device, time);
            self.recorder.add(device, time, error, true);
        }
        let node = &mut self.nodes[device as usize];
        let (local, sync) = (node.source.local(), node.source.sync());
        let Some(slave) = slave_of(node, low.tree, self.config.fifo_depth) else { return };
        if let Some(high) = high {
            slave.receive_high(high, local);
        }
        let verdict = slave.receive_low(low, local, sync);
        node.history.old_era += u32::from(verdict == SampleVerdict::OldEra);
        let SampleVerdict::Use { difference, .. } = verdict else { return };
        if self.delivered.is_some() {
            self.record_delivery(device, edge, low.tree, difference);
        }
        let node = &mut self.nodes[device as usize];
        let Some(changed) = node.selector.sample(low.tree) else { return };
        discipline(node, difference, changed, self.now);
        if recorded {
            self.look_ahead(device, edge);
        }
    }

    /// The error of a delivered time is the slave's own error and what the sample says is missing.
    fn record_delivery(&mut self, device: DeviceId, edge: u64, tree: u8, difference: i128) {
        let time = self.nodes[device as usize].oscillator.edge(edge);
        let missing_fs =
            ((difference * 1_000_000) >> FINE_BITS).clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        let error = self.error_at(device, time).saturating_add(missing_fs);
        if let Some(delivered) = &mut self.delivered {
            delivered[usize::from(tree)].add(error);
        }
    }

    /// The error until the next sample follows from what was just written: at the end of the slew and at random.
    fn look_ahead(&mut self, device: DeviceId, edge: u64) {
        let node = &self.nodes[device as usize];
        let Some(servo) = node.servo.as_ref().filter(|_| node.is_locked()) else { return };
        let random = u64::from(servo.config().nclk) * self.rng.random_range(0..PROBE_SHARE) / 256;
        for clocks in [u64::from(servo.config().slew_n), random] {
            let time = node.oscillator.edge(edge + clocks);
            let error = self.error_at(device, time);
            self.recorder.add(device, time, error, false);
        }
    }
}

/// The slave of a tree, made when its first flit comes.
fn slave_of(node: &mut Node, tree: u8, depth: usize) -> Option<&mut TreeSlave> {
    let index = usize::from(tree);
    if node.slaves[index].is_none() {
        let mut slave = TreeSlave::new(depth).ok()?;
        for bank in 0..2 {
            let valid = node.valid[index] >> bank & 1 == 1;
            slave.set_offset(bank, valid.then_some(node.offsets[index][bank]));
        }
        node.slaves[index] = Some(Box::new(slave));
    }
    node.slaves[index].as_deref_mut()
}

/// A usable sample reaches the servo.
fn discipline(node: &mut Node, difference: i128, changed: bool, now: i64) {
    let Some(servo) = node.servo.as_mut() else { return };
    let events = servo.sample(&mut node.source, difference, changed);
    node.history.used += 1;
    node.history.first_sample.get_or_insert(now);
    node.check_order();
    if events.lock {
        node.history.locked.get_or_insert(now);
    }
}
