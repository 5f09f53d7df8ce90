//! The register page of the switch (chapter 10, 5), access by access.

use super::{RouteEntry, Switch};
use flitforge_protocol::counter::COUNTER_MAX;
use flitforge_protocol::register::RegisterValue;
use flitforge_protocol::switch_registers::{self as page, adapt, cap, life, PAGE};

impl Switch {
    /// Reads a register at its byte offset in the page; 0 where there is none.
    pub fn read_register(&mut self, offset: u32) -> u64 {
        let Some((register, index)) = PAGE.register_at(offset) else { return 0 };
        let counter = |counts: &[u64]| counts.get(index as usize).copied().unwrap_or(0).min(COUNTER_MAX);
        let word = |value: Result<u64, &'static str>| value.unwrap_or_default();
        match register.offset {
            page::ID => page::PAGE_ID,
            page::CAP => {
                let (ports, address_bits) = (self.rules.ports as u64 - 1, self.rules.address_bits as u64);
                word(cap::Value { ports, address_bits }.encode())
            }
            page::LIFE => word(life::Value { clocks: self.settings.life }.encode()),
            page::ROUTE_IDX => self.route_index as u64,
            page::ROUTE_DATA => {
                let entry = self.routes.get(self.route_index).unwrap_or_default();
                self.next_route();
                entry.encode().into()
            }
            page::ADAPT => {
                let (lanes, mark) = (self.settings.adapt_lanes.into(), self.settings.mark_units.into());
                word(adapt::Value { lanes, mark }.encode())
            }
            page::NO_ROUTE => counter(&self.counters.no_route),
            page::LIFE_DROP => counter(&self.counters.life_drop),
            page::ALT_TAKEN => counter(&[self.counters.alt_taken]),
            page::FECN_SET => counter(&[self.counters.fecn_set]),
            _ => 0,
        }
    }

    /// Writes a register at its byte offset in the page; nothing where there is none.
    pub fn write_register(&mut self, offset: u32, word: u64) {
        let Some((register, index)) = PAGE.register_at(offset) else { return };
        let index = index as usize;
        match register.offset {
            page::LIFE => self.settings.life = life::Value::decode(word).clocks,
            page::ROUTE_IDX => {
                let asked = page::route_index::Value::decode(word).index as usize;
                self.route_index = asked % self.routes.len();
            }
            page::ROUTE_DATA => {
                let entry = page::route_data::Value::decode(word).entry as u16;
                let placed = self.routes.set(self.route_index, RouteEntry::decode(entry));
                debug_assert!(placed.is_ok(), "the index is one of the table");
                self.next_route();
            }
            page::ADAPT => {
                let adapt::Value { lanes, mark } = adapt::Value::decode(word);
                (self.settings.adapt_lanes, self.settings.mark_units) = (lanes as u16, mark as u16);
            }
            page::NO_ROUTE if word == 0 => clear(&mut self.counters.no_route, index),
            page::LIFE_DROP if word == 0 => clear(&mut self.counters.life_drop, index),
            page::ALT_TAKEN if word == 0 => self.counters.alt_taken = 0,
            page::FECN_SET if word == 0 => self.counters.fecn_set = 0,
            _ => {}
        }
    }

    fn next_route(&mut self) {
        self.route_index = (self.route_index + 1) % self.routes.len();
    }
}

/// Counters of ports that are not there stay 0.
fn clear(counters: &mut [u64], index: usize) {
    counters.iter_mut().skip(index).take(1).for_each(|counter| *counter = 0);
}
