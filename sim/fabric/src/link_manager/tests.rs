use super::*;
use flitforge_model::link_registers::{LinkRegisters, RegisterInputs, Request, ACK_CLOCKS};
use flitforge_model::switch::{RouteEntry, Switch, SwitchRules};
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::link_registers::{CAP, LANES, PEER_GUID, STATUS};
use flitforge_protocol::register::RegisterValue;
use flitforge_protocol::switch_registers as switch_page;

const PORT: PortId = PortId { device: 0, port: 1 };

/// A device of two ports and a switch: the golden models of their pages.
struct Device {
    ports: Vec<(LinkRegisters, RegisterInputs)>,
    switch: Switch,
    /// Microseconds after which an enabled port is up.
    training_us: u64,
}

impl Device {
    fn new() -> Self {
        let built = cap::Value { lanes: 4, vls: 4, ..Default::default() }.encode().expect("fits");
        let inputs = RegisterInputs { counts: vec![0; 39], ..RegisterInputs::default() };
        let page = LinkRegisters::new(&BTreeMap::from([(CAP, built)]));
        let rules = SwitchRules { ports: 2, ..SwitchRules::default() };
        Device {
            ports: vec![(page, inputs); 2],
            switch: Switch::new(rules).expect("rules"),
            training_us: 5_000,
        }
    }

    fn access(&mut self, offset: u32, write: Option<u64>) -> u64 {
        let (port, offset) = ((offset / PAGE_BYTES) as usize, offset % PAGE_BYTES);
        let Some((page, inputs)) = self.ports.get_mut(port) else {
            return match write {
                Some(word) => {
                    self.switch.write_register(offset, word);
                    0
                }
                None => self.switch.read_register(offset),
            };
        };
        let mut now = RegisterInputs { request: Some(Request { offset, write }), ..inputs.clone() };
        for _ in 0..=ACK_CLOCKS {
            let outputs = page.clock(&now);
            now.request = None;
            if let Some(value) = outputs.ack {
                page.clock(&now);
                return value;
            }
        }
        panic!("no answer to {offset:#x}");
    }

    /// What a port shows: its state, and lanes received on.
    fn show(&mut self, port: usize, state: LinkState, rx_active: u64) {
        let count = u64::from(rx_active.count_ones());
        let status =
            status::Value { state: state.code().into(), tx_lanes: 4, rx_lanes: count, ..Default::default() };
        let live = &mut self.ports[port].1.live;
        live.insert(STATUS, status.encode().expect("fits"));
        let lanes = lanes::Value { tx_active: 15, rx_active, rx_map: 0xE4, ..Default::default() };
        live.insert(LANES, lanes.encode().expect("fits"));
        live.insert(PEER_GUID, 0x1234);
    }

    fn removed(&mut self, port: usize, removed: u64) {
        let lanes = lanes::Value { removed, rx_active: 15 & !removed, ..Default::default() };
        self.ports[port].1.live.insert(LANES, lanes.encode().expect("fits"));
    }

    /// Events in one clock.
    fn happen(&mut self, port: usize, counts: &[(LinkCounter, u64)], verdicts: [u64; 4]) {
        let (page, inputs) = &mut self.ports[port];
        let mut now = inputs.clone();
        for (counter, events) in counts {
            now.counts[usize::from(counter.code())] = *events;
        }
        page.clock(&now);
        for (lane, verdicts) in verdicts.into_iter().enumerate() {
            let now = RegisterInputs { lanes: [1 << lane, 0], ..inputs.clone() };
            (0..verdicts).for_each(|_| _ = page.clock(&now));
        }
    }
}

impl RegisterAccess for Device {
    fn read(&mut self, device: DeviceId, offset: u32) -> Result<u64, AccessError> {
        match device {
            0 => Ok(self.access(offset, None)),
            _ => Err(AccessError { device, offset, problem: "no answer" }),
        }
    }

    fn write(&mut self, device: DeviceId, offset: u32, value: u64) -> Result<(), AccessError> {
        self.read(device, offset - offset % PAGE_BYTES).map(|_| _ = self.access(offset, Some(value)))
    }

    fn wait_us(&mut self, microseconds: u64) {
        self.training_us = self.training_us.saturating_sub(microseconds);
        for port in 0..self.ports.len() {
            if self.training_us == 0 && self.access(port as u32 * PAGE_BYTES + page::CTRL, None) & 1 == 1 {
                self.show(port, LinkState::Active, 15);
            }
        }
    }
}

fn manager() -> LinkManager {
    let lanes = LaneRules { samples: 4, min_ltps: 1_000, remove_per_million: 2_000, restore_after: 3 };
    let config = LinkManagerConfig { up_limit_us: 10_000, up_poll_us: 1_000, lanes };
    LinkManager::new(config).expect("a configuration")
}

/// A manager and a device whose port 1 is up.
fn up() -> (LinkManager, Device) {
    let (mut manager, mut device) = (manager(), Device::new());
    assert!(manager.bring_up(&mut device, PORT).expect("up").is_up());
    (manager, device)
}

#[test]
fn settings_and_places_without_a_port_are_refused() {
    for (config, parameter) in [
        (LinkManagerConfig { up_poll_us: 0, ..Default::default() }, "up_poll_us"),
        (LinkManagerConfig { up_limit_us: 1, ..Default::default() }, "up_limit_us"),
        (
            LinkManagerConfig { lanes: LaneRules { samples: 0, ..Default::default() }, ..Default::default() },
            "lanes.samples",
        ),
    ] {
        let error = LinkManager::new(config).expect_err(parameter).to_string();
        assert!(error.contains(parameter) && error.contains("at least"), "{error}");
    }
    let (mut manager, mut device) = (manager(), Device::new());
    let nowhere = PortId { device: 0, port: 2 };
    let error = manager.bring_up(&mut device, nowhere).expect_err("the switch page");
    assert_eq!(error, LinkManagerError::NoPort { port: nowhere, found: switch_page::PAGE_ID });
    let error = manager.poll(&mut device, PortId { device: 7, port: 0 }).map(|_| ()).expect_err("no device");
    assert!(matches!(error, LinkManagerError::Access(AccessError { device: 7, .. })), "{error}");
    assert!(manager.last(nowhere).is_none() && manager.proposals().is_empty());
}

#[test]
fn a_port_comes_up_or_says_where_it_stays() {
    let (manager, mut device) = up();
    let status = manager.status(&mut device, PORT).expect("reached");
    assert_eq!((status.lanes, status.peer), ([4, 4], 0x1234));
    assert_eq!(device.access(page::CTRL, None), 0, "port 0 was not touched");
    let (mut manager, mut device) = (self::manager(), Device::new());
    device.training_us = 11_000;
    device.show(1, LinkState::Polling, 0);
    let error = manager.bring_up(&mut device, PORT).expect_err("too slow");
    assert_eq!(
        error,
        LinkManagerError::NotUp { port: PORT, state: Some(LinkState::Polling), waited_us: 10_000 }
    );
    assert!(error.to_string().contains(LinkState::Polling.name()), "{error}");
}

#[test]
fn counters_are_differences_whoever_clears_them() {
    let (mut manager, mut device) = up();
    device.happen(1, &[(LinkCounter::RxGood, 500), (LinkCounter::RxBad, 2)], [0, 3, 0, 0]);
    let sample = manager.poll(&mut device, PORT).expect("reached");
    assert_eq!((sample.ltps(), sample.count(LinkCounter::RxBad), sample.lanes[1].verdicts), (502, 2, 3));
    device.happen(1, &[(LinkCounter::RxGood, 70)], [0; 4]);
    let sample = manager.poll(&mut device, PORT).expect("reached");
    assert_eq!((sample.ltps(), sample.lanes[1].verdicts), (70, 0));
    // Somebody clears all of them, and they count on.
    device.access(PAGE_BYTES + page::CTRL, Some(1 | 1 << ctrl::clear_counters::LOW));
    device.happen(1, &[(LinkCounter::RxGood, 9)], [1, 0, 0, 0]);
    let sample = manager.poll(&mut device, PORT).expect("reached");
    assert_eq!((sample.ltps(), sample.lanes[0].verdicts, sample.lanes[1].verdicts), (9, 1, 0));
    assert_eq!(sample.saturated, []);
    // The first look at a port counts nothing that was before.
    let other = PortId { device: 0, port: 0 };
    device.happen(0, &[(LinkCounter::RxGood, 40)], [0; 4]);
    assert_eq!(manager.poll(&mut device, other).expect("reached").ltps(), 0);
    device.happen(0, &[(LinkCounter::RxGood, 1 << 48)], [0; 4]);
    let sample = manager.poll(&mut device, other).expect("reached");
    assert_eq!(sample.saturated, [LinkCounter::RxGood]);
}

#[test]
fn events_are_taken_once() {
    let (mut manager, mut device) = up();
    let now = RegisterInputs {
        happened: 1 << flitforge_protocol::link_registers::event::gap::LOW,
        ..device.ports[1].1.clone()
    };
    device.ports[1].0.clock(&now);
    assert_eq!(manager.poll(&mut device, PORT).expect("reached").events.gap, 1);
    assert_eq!(manager.poll(&mut device, PORT).expect("reached").events.gap, 0);
}

#[test]
fn a_loss_is_an_error_and_the_sample_is_there() {
    let (mut manager, mut device) = up();
    device.happen(1, &[(LinkCounter::LostOnReset, 6), (LinkCounter::RxGood, 11)], [0; 4]);
    let error = manager.poll(&mut device, PORT).map(|_| ()).expect_err("lost");
    assert_eq!(error, LinkManagerError::LostOnReset { port: PORT, ltps: 6 });
    assert_eq!(manager.last(PORT).map(PortSample::ltps), Some(11));
    assert_eq!(manager.poll(&mut device, PORT).expect("once").lost_on_reset(), 0);
}

#[test]
fn the_worst_lane_is_proposed_and_the_last_one_never() {
    let (mut manager, mut device) = up();
    device.happen(1, &[(LinkCounter::RxGood, 900)], [9, 0, 0, 0]);
    manager.poll(&mut device, PORT).expect("reached");
    assert_eq!(manager.proposals(), [], "too few LTPs for a rate");
    assert_eq!(manager.history(PORT, 0).map(LaneHistory::totals), Some((9, 900)));
    device.happen(1, &[(LinkCounter::RxGood, 1_100)], [0, 0, 30, 4]);
    manager.poll(&mut device, PORT).expect("reached");
    let [proposal] = &manager.proposals()[..] else { panic!("{:?}", manager.proposals()) };
    let expected = (2, Action::Remove, 30, 2_000);
    assert_eq!((proposal.lane, proposal.action, proposal.verdicts, proposal.ltps), expected);
    assert_eq!(proposal.to_string(), "device 0, port 1: remove lane 2: 30 verdicts in 2000 LTPs");
    manager.apply(&mut device, proposal).expect("applied");
    assert_eq!(device.access(PAGE_BYTES + LANES, None) >> lanes::allowed::LOW & 0xF, 0b1011);
    assert_eq!(device.access(PAGE_BYTES + page::CTRL, None), 1, "restore clears itself, enable stays");
    // What is older than four samples is forgotten.
    device.show(1, LinkState::Degraded, 0b1011);
    for _ in 0..4 {
        device.happen(1, &[(LinkCounter::RxGood, 300)], [0; 4]);
        manager.poll(&mut device, PORT).expect("reached");
    }
    assert_eq!(manager.history(PORT, 0).map(LaneHistory::totals), Some((0, 1_200)));
    // One lane is left: however bad it is, it stays.
    device.show(1, LinkState::Degraded, 0b0001);
    device.happen(1, &[(LinkCounter::RxGood, 300)], [200, 0, 0, 0]);
    manager.poll(&mut device, PORT).expect("reached");
    assert!(manager.proposals().iter().all(|proposal| proposal.action == Action::Restore));
    for lane in [3, 1] {
        let proposal = Proposal { lane, ..proposal.clone() };
        manager.apply(&mut device, &proposal).expect("applied");
    }
    let last = Proposal { lane: 0, ..proposal.clone() };
    let error = manager.apply(&mut device, &last).expect_err("the last one").to_string();
    assert!(error.contains("lane 0") && error.contains("last one"), "{error}");
    let error = manager.apply(&mut device, &Proposal { lane: 4, ..last }).expect_err("no lane 4").to_string();
    assert!(error.contains("does not have it"), "{error}");
}

#[test]
fn a_removed_lane_is_tried_again_after_longer_and_longer() {
    let (mut manager, mut device) = up();
    manager.poll(&mut device, PORT).expect("reached");
    let mut waits = vec![];
    for _ in 0..3 {
        device.removed(1, 0b0100);
        let mut samples = 0;
        let proposal = loop {
            manager.poll(&mut device, PORT).expect("reached");
            samples += 1;
            if let Some(proposal) = manager.proposals().pop() {
                break proposal;
            }
        };
        assert_eq!((proposal.lane, proposal.action), (2, Action::Restore));
        manager.apply(&mut device, &proposal).expect("applied");
        waits.push(samples);
        device.removed(1, 0);
        manager.poll(&mut device, PORT).expect("reached");
        assert_eq!(manager.proposals(), []);
    }
    assert_eq!(waits, [3, 6, 12]);
    // A lane that somebody else does not allow is left alone.
    device.access(PAGE_BYTES + LANES, Some(0b0111 << lanes::allowed::LOW));
    device.show(1, LinkState::Degraded, 0b0111);
    for _ in 0..50 {
        manager.poll(&mut device, PORT).expect("reached");
    }
    assert_eq!(manager.proposals(), []);
}

#[test]
fn routes_are_written_and_read_back() {
    let (manager, mut device) = (manager(), Device::new());
    let routes: Vec<(u32, RouteEntry)> = [5, 6, 7, 1_023]
        .map(|index| (index, RouteEntry { alt: 1, ..RouteEntry::to(index as usize % 3) }))
        .to_vec();
    manager.write_routes(&mut device, (0, 2), &routes).expect("written");
    for (index, entry) in &routes {
        assert_eq!(device.switch.routes_mut().find(*index as u16), Some(*entry));
    }
    assert_eq!(device.switch.routes_mut().find(8), None);
    for (route, parameter) in [
        ((1_024, RouteEntry::to(0)), "index"),
        ((0, RouteEntry::to(3)), "port"),
        ((0, RouteEntry { alt: 3, ..RouteEntry::to(0) }), "alt"),
    ] {
        let error =
            manager.write_routes(&mut device, (0, 2), &[(9, RouteEntry::to(1)), route]).expect_err(parameter);
        assert!(error.to_string().contains(parameter), "{error}");
        assert_eq!(device.switch.routes_mut().find(9), None, "nothing is written");
    }
    let error = manager.write_routes(&mut device, (0, 1), &routes).expect_err("a port's page");
    assert_eq!(error, LinkManagerError::NoSwitch { device: 0, found: PAGE_ID });
}
