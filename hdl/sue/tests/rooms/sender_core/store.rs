//! The store of bodies beside the sender under test.

use super::*;

/// Plays the store: bodies for connections with a window, in slots that are offered.
pub(super) struct Store {
    pub(super) world: Rc<RefCell<World>>,
    pub(super) ports: BTreeMap<&'static str, PortHandle>,
    pub(super) begun: Option<(usize, u64)>,
    pub(super) last: u64,
    pub(super) takes: Option<(usize, u64)>,
}

impl Store {
    pub(super) fn new(bench: &dyn Bench, world: Rc<RefCell<World>>) -> Result<Self, SimError> {
        let names = [
            "clear",
            "obtainable",
            "slots.valid",
            "slots.ready",
            "slots.data",
            "begins.valid",
            "begins.data",
            "stored.valid",
            "stored.data",
            "left",
            "ready",
            "no_timer",
            "returned.valid",
            "returned.ready",
            "returned.data",
        ];
        let ports: Result<_, SimError> = names.iter().map(|name| Ok((*name, bench.port(name)?))).collect();
        Ok(Self { world, ports: ports?, begun: None, last: 0, takes: None })
    }
}

impl Agent for Store {
    fn drive(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let p = &self.ports;
        let mut world = self.world.borrow_mut();
        world.now = clock;
        let obtainable = bench.get_u64(p["obtainable"]);
        let number = world.random.random_range(0..CONNECTIONS);
        let connection = &world.connections[number];
        let may_come = connection.window || (connection.stage != Stage::Open && clock % 16 == 0);
        let may = may_come && !connection.pending && obtainable >> (number % 4) & 1 == 1;
        let apart = clock > self.last + 9;
        let begins = self.begun.is_none() && may && apart && world.opened() && world.random.random_bool(0.3);
        bench.set_u64(p["begins.valid"], begins.into());
        bench.set_u64(p["begins.data"], (number % 4) as u64);
        if begins {
            self.begun = Some((number, clock + world.random.random_range(5..20)));
            self.last = clock;
            world.connections[number].pending = true;
        }
        let offered = bench.get_bit(p["slots.valid"]);
        let ready = self.begun.filter(|(_, at)| *at <= clock && offered);
        self.takes = ready.map(|(number, _)| (number, bench.get_u64(p["slots.data"])));
        bench.set_u64(p["slots.ready"], self.takes.is_some().into());
        bench.set_u64(p["stored.valid"], self.takes.is_some().into());
        if let Some((number, slot)) = self.takes {
            let body = StoredBody {
                slot: slot.into(),
                destination: (number as u64 / 4).into(),
                vc: (number as u64 % 4).into(),
                commands: (world.bodies % 1024).into(),
            };
            bench.set(p["stored.data"], &bits_of::<StoredBody, 30>(body));
        }
        if clock % 256 == 0 {
            let all = clock % 2048 < 1280;
            let ready = if all { 15 } else { world.random.random_range(0..16) };
            bench.set_u64(p["ready"], ready);
        }
        let left = world.leaving.front().is_some_and(|(at, _)| *at <= clock);
        if left {
            world.leaving.pop_front();
        }
        bench.set_u64(p["left"], left.into());
        if world.back.is_none() && world.away.front().is_some_and(|(at, ..)| *at <= clock) {
            world.back = world.away.pop_front().map(|(_, slot, body, wrong)| (slot, body, wrong));
        }
        bench.set_u64(p["returned.valid"], world.back.is_some().into());
        if let Some((slot, body, failed)) = world.back {
            let number = world.owners[body as usize] as u64;
            let back = ReturnedSlot {
                slot: slot.into(),
                destination: (number / 4).into(),
                vc: (number % 4).into(),
                commands: (body % 1024).into(),
                failed,
            };
            bench.set(p["returned.data"], &bits_of::<ReturnedSlot, 31>(back));
        }
        Ok(())
    }

    fn observe(&mut self, clock: u64, bench: &mut dyn Bench) -> Result<(), SimError> {
        let wrong = |problem: String| SimError::Check { clock, problem };
        let mut world = self.world.borrow_mut();
        if let Some((number, slot)) = self.takes.take() {
            self.begun = None;
            let body = world.bodies;
            world.bodies += 1;
            let place = &mut world.memory[slot as usize];
            if place.is_some() {
                return Err(wrong(format!("slot {slot} is offered with body {place:?}")));
            }
            *place = Some(body);
            world.stored.push_back((number, body));
            world.owners.push(number);
        }
        if bench.get_bit(self.ports["returned.valid"]) && bench.get_bit(self.ports["returned.ready"]) {
            if let Some((slot, body, failed)) = world.back.take() {
                world.memory[slot as usize] = None;
                if failed {
                    world.failing.push(body);
                }
            }
        }
        world.deliver().map_err(wrong)?;
        if bench.get_bit(self.ports["no_timer"]) {
            return Err(wrong("a connection has no timer".into()));
        }
        if bench.get_bit(self.ports["clear"]) {
            self.begun = None;
            world.clear();
            world.seen.hit("cleared");
        }
        Ok(())
    }
}
