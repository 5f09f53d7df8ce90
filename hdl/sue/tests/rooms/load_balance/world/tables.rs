//! Tables of the load balance, and what it reports.

use super::{wrong, Past, World, CALM};
use flitforge_hdl_sue::load_balance::PORTS;
use flitforge_sim::{Bench, SimError};

impl World {
    /// Changes of the tables.
    pub(super) fn tables(&mut self, bench: &dyn Bench) {
        let up = self.inputs.up;
        let before = self.past.get(1).map_or(0, |past| past.up);
        for port in 0..PORTS {
            if before >> port & 1 == 1 && up >> port & 1 == 0 {
                self.inputs.balance.port_down(port as u8);
                self.hit("a port goes down");
                self.moved = 0;
            }
        }
        let [valid, ready, data] = self.pins.changes;
        if !(bench.get_bit(valid) && bench.get_bit(ready)) {
            return;
        }
        let change = bench.get(data).low_u64();
        let (peer, kind, port) = ((change & 0x3FF) as u16, change >> 10 & 3, (change >> 12) as usize);
        let is_up = up >> port & 1 == 1;
        match kind {
            0 if is_up => self.inputs.balance.set_reach(peer, port as u8, true),
            0 => self.hit("a port that is down is not opened"),
            1 => self.inputs.balance.set_reach(peer, port as u8, false),
            2 => self.inputs.balance.set_home(peer, port as u8),
            _ => {}
        }
    }

    /// Load, blocked channels, channels that can send.
    pub(super) fn reports(&self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        if self.past.len() < 4 || self.cleared < 4 {
            return Ok(());
        }
        let mut any = 0;
        for port in 0..PORTS {
            let load = (self.past[2].queued[port] / 256).min(255) as u64;
            if bench.get_u64(self.pins.load[port]) != load {
                return Err(wrong(clock, format!("load of port {port}, expected {load}")));
            }
            let [now, before] = [1, 2].map(|ago| self.past[ago].up >> port & 1 == 1);
            let blocked = if now { !self.past[1].ready[port] & 0xF } else { 0 };
            if bench.get_u64(self.pins.blocked[port]) != blocked {
                return Err(wrong(clock, format!("blocked channels of port {port}, expected {blocked}")));
            }
            any |= if before { self.past[1].ready[port] } else { 0 };
        }
        let vc_ready = bench.get_u64(self.pins.vc_ready);
        let calm = self.moved > CALM && self.cleared > CALM;
        if vc_ready & !any != 0 || calm && vc_ready != any {
            return Err(wrong(clock, format!("channels {vc_ready} can send, expected {any}")));
        }
        Ok(())
    }

    /// STRICT_MAP as it is shown.
    pub(super) fn homes(&self, clock: u64, bench: &dyn Bench) -> Result<(), SimError> {
        let Some(&peer) = self.looked.get(2) else {
            return Ok(());
        };
        let home = |past: &Past| past.balance.home(peer);
        let now = self.past.front().and_then(home);
        let shown = bench.get_u64(self.pins.home_shown);
        let calm = self.cleared > CALM && self.past.iter().take(7).all(|past| home(past) == now);
        if calm && Some(shown) != now.map(u64::from) {
            return Err(wrong(clock, format!("{shown} is the port of {peer}, expected {now:?}")));
        }
        Ok(())
    }
}
