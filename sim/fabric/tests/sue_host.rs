//! The host's side of an instance of Scale-Up Ethernet, against a register double made of the protocol's tables (chapter 50, 7).

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

mod double;

use double::{Double, PEER_BITS, SIZES};
use flitforge_fabric::sue::balancer::{Balancer, ByLoad, Flow, Hash, Modulo, View};
use flitforge_fabric::sue::capture::{describe, pcap};
use flitforge_fabric::sue::{
    Config, ConfigError, Connection, Extracted, FrameError, LinkError, Peer, PeerError, Sue, SueError,
};
use flitforge_model::sue::format::{
    Command, Fid, Framing, Network, NetworkConfig, Payload, Pdu, ReliabilityHeader, Route, TypeTable,
};
use flitforge_model::sue::lldp::{decide, Advertisement, CreditOffer, LinkOptions, Neighbour};
use flitforge_model::sue::pcapng::Capture;
use flitforge_protocol::register::{RegisterAccess, RegisterValue};
use flitforge_protocol::sue::class::ClassUse;
use flitforge_protocol::sue::command::CommandType;
use flitforge_protocol::sue::reliability::Operation;
use flitforge_protocol::sue_port_registers::{self as port, FlowControl};
use flitforge_protocol::sue_registers::{self as page, port_page, Event, Table};
use std::time::Duration;

fn open() -> (Double, Sue) {
    let mut double = Double::new();
    let sue = Sue::open(&mut double, 0).expect("an instance");
    (double, sue)
}

fn peer_problem(result: Result<(), SueError>) -> PeerError {
    match result {
        Err(SueError::Peer { problem, .. }) => problem,
        other => panic!("{other:?}"),
    }
}

fn frame_problem(result: Result<(), SueError>) -> FrameError {
    match result {
        Err(SueError::Frame { problem, .. }) => problem,
        other => panic!("{other:?}"),
    }
}

#[test]
fn other_hardware_is_refused() {
    for (offset, word) in
        [(page::ID, 0), (page::ID, 0x5355_4531_0002_0000), (page::ID, 0x5355_4532_0001_0000)]
    {
        let mut double = Double::new();
        double.kept.insert(offset, word);
        let refused = Sue::open(&mut double, 3);
        assert_eq!(refused, Err(SueError::Hardware { device: 3, found: word }));
    }
}

#[test]
fn peers_that_cannot_be_are_refused_before_the_first_write() {
    let (mut double, sue) = open();
    let one = Peer::new(5);
    let mac = 0x0200_0000_0070;
    let cases = [
        (vec![Peer::new(64)], vec![1], PeerError::Number { xpu: 64, most: 63 }),
        (vec![Peer::new(0)], vec![1], PeerError::Own { xpu: 0 }),
        (vec![one.clone(), one.clone()], vec![1], PeerError::Twice { xpu: 5 }),
        (vec![Peer { ports: 0, ..one.clone() }], vec![1], PeerError::Ports { xpu: 5, ports: 0, count: 2 }),
        (vec![Peer { ports: 4, ..one.clone() }], vec![1], PeerError::Ports { xpu: 5, ports: 4, count: 2 }),
        (vec![Peer { home: Some(1), ..one.clone() }], vec![1], PeerError::Home { xpu: 5, home: 1, ports: 1 }),
        (vec![Peer { home: Some(9), ..one.clone() }], vec![1], PeerError::Home { xpu: 5, home: 9, ports: 1 }),
        (vec![Peer { mac: Some(0), ..one.clone() }], vec![1], PeerError::Mac { xpu: 5, mac: 0 }),
        (vec![Peer { mac: Some(1 << 48), ..one.clone() }], vec![1], PeerError::Mac { xpu: 5, mac: 1 << 48 }),
        (
            vec![Peer { mac: Some(mac | 1 << 40), ..one.clone() }],
            vec![1],
            PeerError::Mac { xpu: 5, mac: mac | 1 << 40 },
        ),
        (
            vec![Peer { mac: Some(mac), ..one.clone() }, Peer { mac: Some(mac), ..Peer::new(6) }],
            vec![1],
            PeerError::Shared { xpu: 6, kind: "MAC" },
        ),
        (
            vec![Peer { ip: Some(7), ..one.clone() }, Peer { ip: Some(7), ..Peer::new(6) }],
            vec![1],
            PeerError::Shared { xpu: 6, kind: "IP" },
        ),
        (vec![one], vec![1, 1024], PeerError::Partition { partition: 1024 }),
    ];
    for (peers, partitions, problem) in cases {
        assert_eq!(peer_problem(sue.connect(&mut double, &peers, &partitions)), problem, "{problem}");
    }
    assert_eq!(double.writes, [], "nothing was written");
}

#[test]
fn peers_are_written_and_reached_last() {
    let (mut double, sue) = open();
    let all = Peer { xpu: 63, ports: 3, home: Some(1), mac: Some(0x0200_0000_03F0), ip: Some(0x0A00_003F) };
    sue.connect(&mut double, &[Peer::new(5), all.clone()], &[1, 1023]).expect("connected");
    let table = |table: Table| double.tables[&(table as u64)].clone();
    let allowed: Vec<u64> =
        table(Table::Partitions).into_iter().filter(|(_, bit)| *bit == 1).map(|(index, _)| index).collect();
    assert_eq!((allowed, table(Table::Partitions).len()), (vec![1, 1023], 1024));
    assert_eq!(table(Table::PeerMac), [(63, 0x0200_0000_03F0)].into());
    assert_eq!(table(Table::PeerIp), [(63, 0x0A00_003F)].into());
    assert_eq!(table(Table::StrictMap), [(63, 1)].into());
    assert_eq!(table(Table::Reach), [(5, 1), (63, 3)].into());
    let order: Vec<u64> = double.entries.iter().map(|(table, ..)| *table).collect();
    assert!(order.is_sorted(), "reachability is told last");
    sue.disconnect(&mut double, 63).expect("disconnected");
    assert_eq!(double.tables[&(Table::Reach as u64)][&63], 0);
    assert_eq!(
        peer_problem(sue.disconnect(&mut double, 64)),
        PeerError::Number { xpu: 64, most: (1 << PEER_BITS) - 1 }
    );
    // Without the table of MAC addresses.
    double.tables.remove(&(Table::PeerMac as u64));
    let refused = sue.connect(&mut double, &[all], &[1]);
    assert_eq!(refused, Err(SueError::Unbuilt { device: 0, what: Table::PeerMac.name() }));
    assert_eq!(double.tables[&(Table::Reach as u64)][&63], 0, "not reached");
}

#[test]
fn frames_that_cannot_be_are_not_injected() {
    let (mut double, sue) = open();
    for octets in [0, 13, 2049] {
        let refused = frame_problem(sue.inject(&mut double, 0, &vec![0; octets]));
        assert_eq!(refused, FrameError::Length { octets });
    }
    assert_eq!(frame_problem(sue.inject(&mut double, 2, &[0; 60])), FrameError::Port { port: 2, count: 2 });
    double.busy = u32::MAX;
    assert_eq!(frame_problem(sue.inject(&mut double, 0, &[0; 60])), FrameError::Busy);
    assert_eq!((double.writes.len(), double.injected.len()), (0, 0));
}

#[test]
fn frames_go_and_come_with_all_their_octets() {
    let (mut double, sue) = open();
    // An old refusal is not taken for one of these.
    double.happen(Event::ConfigurationBad, 0, None);
    for octets in [14, 15, 16, 17, 60, 2041, 2048] {
        let frame: Vec<u8> = (0..octets).map(|octet| (octet * 7) as u8).collect();
        sue.inject(&mut double, 1, &frame).expect("injected");
        assert_eq!(double.injected.pop(), Some((1, frame.clone())));
        double.waiting.push_back((1, frame.clone()));
        let extracted = sue.extract(&mut double).expect("read");
        assert_eq!(extracted, Some(Extracted { port: 1, frame }));
    }
    assert_eq!(sue.extract(&mut double), Ok(None));
    double.waiting.push_back((0, vec![0; 2049]));
    let refused = sue.extract(&mut double).map(drop);
    assert_eq!(frame_problem(refused), FrameError::Extracted { octets: 2049 });
}

#[test]
fn events_come_one_by_one_the_captured_one_first() {
    let (mut double, sue) = open();
    let header = ReliabilityHeader {
        operation: Operation::Nack,
        source: 7,
        psn: 3,
        vc: 2,
        partition: 9,
        acknowledged: 5,
    };
    let word = u64::from_be_bytes(header.encode().expect("fits").try_into().expect("eight octets"));
    double.happen(Event::PartitionViolation, 1 | (7 << 2 | 2) << 16 | 0x1234 << 32, Some(word));
    double.happen(Event::CommandBad, 0, None);
    double.happen(Event::Stuck, 0, None);
    let found: Vec<_> = sue.events(&mut double).map(|event| event.expect("read")).collect();
    let events: Vec<Event> = found.iter().map(|found| found.event).collect();
    assert_eq!(events, [Event::PartitionViolation, Event::CommandBad, Event::Stuck]);
    let captured = found[0].captured.as_ref().expect("captured");
    assert_eq!((captured.port, captured.peer, captured.vc, captured.psn), (1, 7, 2, 0x1234));
    assert_eq!((captured.word, captured.header), (Some(word), Some(header)));
    assert_eq!((found[1].captured.as_ref(), found[2].captured.as_ref()), (None, None));
    assert_eq!((sue.events(&mut double).count(), double.kept[&page::EVENT]), (0, 0));
    // A header of another version is told as it stands, one without a PDU not at all.
    double.happen(Event::AckWild, 0, Some(u64::MAX));
    let found = sue.events(&mut double).next().expect("one").expect("read").captured.expect("captured");
    assert_eq!((found.word, found.header), (Some(u64::MAX), None));
    double.happen(Event::ConnectionFailed, 63 << 18, None);
    let found = sue.events(&mut double).next().expect("one").expect("read").captured.expect("captured");
    assert_eq!((found.peer, found.word, found.header), (63, None, None));
    // A cause of hardware that is newer ends it.
    double.captured = Some((40, 0, None));
    double.kept.insert(page::EVENT, 1);
    let found: Vec<_> = sue.events(&mut double).collect();
    assert_eq!(found, [Err(SueError::Cause { device: 0, cause: 40 })]);
}

#[test]
fn counters_of_all_pages_are_in_a_snapshot() {
    let (mut double, sue) = open();
    double.kept.extend([(page::COUNT.offset + 8, 40), (page::HIST, 5), (page::HIST + 8 * 32, 6)]);
    double.kept.insert(port_page(1) + port::P_COUNT.offset, 7);
    let before = sue.snapshot(&mut double).expect("read");
    assert_eq!((before.counters["CMD_OUT"], before.counters.len()), (40, 32));
    assert_eq!((before.histogram[0], before.histogram[32], before.histogram.iter().sum()), (5, 6, 11));
    assert_eq!((before.ports[1]["FRAMES_TX"], before.ports[0]["FRAMES_TX"], before.ports.len()), (7, 0, 2));
    double.kept.extend([(page::COUNT.offset + 8, 42), (page::HIST, 1)]);
    let since = sue.snapshot(&mut double).expect("read").since(&before);
    assert_eq!((since.counters["CMD_OUT"], since.histogram[0], since.histogram[32]), (2, 1, 0));
    assert_eq!(since.ports[1]["FRAMES_TX"], 0);
}

#[test]
fn connections_are_named_by_port_peer_and_channel() {
    let (mut double, sue) = open();
    let of = Connection { port: 1, peer: 63, vc: 3 };
    let cases = [
        (Connection { port: 2, ..of }, PeerError::Port { port: 2, count: 2 }),
        (Connection { peer: 64, ..of }, PeerError::Number { xpu: 64, most: 63 }),
        (Connection { vc: 4, ..of }, PeerError::Channel { vc: 4, count: 4 }),
    ];
    for (of, problem) in cases {
        assert_eq!(peer_problem(sue.failover(&mut double, of)), problem);
        assert_eq!(peer_problem(sue.reopen(&mut double, of)), problem);
    }
    assert_eq!(double.writes, []);
    sue.failover(&mut double, of).expect("taken");
    sue.reopen(&mut double, of).expect("taken");
    sue.flush(&mut double).expect("taken");
    let address = 1 << 12 | 63 << 2 | 3;
    assert_eq!(double.commands, [(1, address), (2, address), (4, address)]);
}

fn end(retry: bool, credits: bool) -> Neighbour {
    let credits = credits.then_some(CreditOffer { channels: 5, pool: 100, lossless: 0x1F });
    let options = LinkOptions { retry, credits: credits.is_some(), ..LinkOptions::default() };
    let advertisement = Some(Advertisement { options, credits });
    Neighbour { source: 0x0200_0000_0050, time_to_live: 120, advertisement }
}

/// LLDP from one end to the other, as the host does it: inject, extract, decide, write.
#[test]
fn two_ends_agree_by_lldp_and_set_their_ports() {
    let (mut one, sue) = open();
    let (own, other) = (end(true, true), end(true, true));
    sue.inject(&mut one, 1, &own.encode().expect("a frame")).expect("injected");
    assert_eq!(Neighbour::decode(&one.injected[0].1), Ok(own));
    one.waiting.push_back((1, other.encode().expect("a frame")));
    let heard = sue.extract(&mut one).expect("read").expect("a frame");
    let heard = Neighbour::decode(&heard.frame).expect("LLDP");
    let advertisement = own.advertisement.expect("said");
    let agreed = decide(&advertisement, Some(&heard), FlowControl::Pause, 9);
    // The port runs: it is turned off for the change, and all else stays.
    let control = port_page(1) + port::P_CTRL;
    *one.kept.get_mut(&control).expect("a register") |= 1;
    let before = one.kept[&control];
    sue.agree(&mut one, 1, &agreed).expect("set");
    assert_eq!(one.kept[&control], before | 1 << 1 | 2 << 2);
    assert_eq!(one.kept[&(port_page(1) + port::P_LIM0)], 20 * 0x0001_0001_0001_0001);
    assert_eq!(one.kept[&(port_page(1) + port::P_LIM1)], 20 * 0x0001_0001);
    // The neighbour is gone: plain Ethernet with PFC.
    let agreed = decide(&advertisement, None, FlowControl::Pause, 9);
    sue.agree(&mut one, 1, &agreed).expect("set");
    assert_eq!(one.kept[&control], before | 1 << 2);
    let refused = sue.agree(&mut one, 2, &agreed);
    assert_eq!(refused, Err(SueError::Link { device: 0, problem: LinkError::Port { port: 2, count: 2 } }));
    for limit in [0, 0x4000] {
        let mut agreed = decide(&advertisement, Some(&heard), FlowControl::Pause, 9);
        agreed.limit = limit;
        let refused = sue.agree(&mut one, 0, &agreed);
        assert_eq!(refused, Err(SueError::Link { device: 0, problem: LinkError::Limit { limit } }));
    }
}

#[test]
fn a_configuration_is_taken_by_the_tables() {
    let (mut double, sue) = open();
    sue.configure(&mut double, &Config { xpu: 5, window: 7, retries: 15, ..Config::default() })
        .expect("configured");
    assert_eq!((double.kept[&page::CTRL] & 1, double.kept[&page::REL0] & 0x7FFF), (1, 7));
    assert_eq!(page::rel1::Value::decode(double.kept[&page::REL1]).retry_max, 15);
    let refused = sue.configure(&mut double, &Config { retries: 16, ..Config::default() });
    assert!(matches!(refused, Err(SueError::Config { .. })), "{refused:?}");
    // What is locked while it runs is refused by the double as by the hardware.
    double.write(0, page::REL0, 1).expect("a register");
    assert_eq!(double.kept[&page::REL0] & 0x7FFF, 7);
    assert_eq!(sue.events(&mut double).next().expect("one").expect("read").event, Event::ConfigurationBad);
    assert_eq!(sue.sizes(), SIZES);
}

/// What is locked while a port runs changes with another configuration: link-layer retry sends control twice.
#[test]
fn a_running_port_takes_another_configuration() {
    let (mut double, sue) = open();
    for (retry, flow_control) in
        [(false, FlowControl::None), (true, FlowControl::Pause), (false, FlowControl::None)]
    {
        let config = Config { retry, flow_control, ..Config::default() };
        sue.configure(&mut double, &config).expect("configured");
        let control = port::p_ctrl::Value::decode(double.kept[&(port_page(0) + port::P_CTRL)]);
        assert_eq!(
            (control.enable, control.retry, control.flow_control),
            (1, retry.into(), flow_control as u64)
        );
    }
}

#[test]
fn balancers_choose_only_what_is_up() {
    let view = |up, load| View { up, load };
    let flow = |peer| Flow { peer, vc: 1 };
    let down = [view(false, 0), view(false, 0)];
    let all: [&mut dyn Balancer; 3] = [&mut ByLoad::default(), &mut Modulo, &mut Hash];
    for balancer in all {
        assert_eq!((balancer.choose(flow(3), &down), balancer.choose(flow(3), &[])), (None, None));
        assert_eq!(balancer.choose(flow(3), &[view(false, 0), view(true, 255), view(false, 1)]), Some(1));
    }
    let mut by_load = ByLoad::default();
    assert_eq!(by_load.choose(flow(0), &[view(true, 9), view(true, 3), view(false, 0)]), Some(1));
    let equal = [view(true, 3); 3];
    let turns: Vec<_> = (0..4).filter_map(|_| by_load.choose(flow(0), &equal)).collect();
    assert_eq!(turns, [2, 0, 1, 2]);
    let by_number: Vec<_> = (0..6).filter_map(|peer| Modulo.choose(flow(peer), &equal)).collect();
    assert_eq!(by_number, [0, 1, 2, 0, 1, 2]);
    assert_eq!(Modulo.choose(flow(4), &[equal[0], view(false, 0), equal[2]]), Some(2));
}

/// Flows spread evenly, and one instance that goes down moves its own flows only.
#[test]
fn a_hash_spreads_and_keeps_flows() {
    let up = [View { up: true, load: 0 }; 4];
    let flows = || (0..1024).flat_map(|peer| (0..4).map(move |vc| Flow { peer, vc }));
    let mut counts = [0; 4];
    for flow in flows() {
        counts[Hash.choose(flow, &up).expect("one")] += 1;
    }
    println!("{counts:?} of 4,096 flows");
    assert!(counts.iter().all(|count| (940..1110).contains(count)), "{counts:?}");
    let mut one_down = up;
    one_down[2].up = false;
    for flow in flows() {
        let (before, after) = (Hash.choose(flow, &up), Hash.choose(flow, &one_down));
        assert!(after != Some(2) && (before == Some(2) || before == after), "{flow:?}");
    }
}

/// The load of an instance is that of its emptiest port that is up.
#[test]
fn loads_are_those_of_status() {
    let (mut double, sue) = open();
    double.kept.insert(page::STATUS, 0b11 | 0x40 << 16 | 0x20 << 24);
    assert_eq!(sue.loads(&mut double), Ok(vec![(true, 0x40), (true, 0x20)]));
    assert_eq!(View::of(&sue, &mut double), Ok(View { up: true, load: 0x20 }));
    double.kept.insert(page::STATUS, 0b01 | 0x40 << 16 | 0x20 << 24);
    assert_eq!(View::of(&sue, &mut double), Ok(View { up: true, load: 0x40 }));
    double.kept.insert(page::STATUS, 0);
    assert_eq!(View::of(&sue, &mut double), Ok(View { up: false, load: 0 }));
}

#[test]
fn frames_go_to_wireshark_with_what_they_say() {
    let network =
        |xpu| Network::new(NetworkConfig::new(Framing::AfhGen2, Fid { xpu, port: 0 })).expect("settings");
    let (sender, receiver) = (network(5), network(7));
    let header = ReliabilityHeader {
        operation: Operation::Ack,
        source: 5,
        psn: 16,
        vc: 0,
        partition: 1,
        acknowledged: 15,
    };
    let barrier = Command { kind: CommandType::Barrier, control: vec![0; 30], payload: Payload::None };
    let body: Vec<u8> =
        (0..2).flat_map(|_| barrier.encode(&TypeTable::default()).expect("a command")).collect();
    let route = Route { peer: 7, vc: 0, class: ClassUse::Requests };
    let frame = sender.encapsulate(route, &Pdu { header, body }.encode().expect("a PDU")).expect("a frame");
    let said = describe(&frame, &receiver);
    assert_eq!(said, "XPU 5, VC 0, partition 1, PSN 16, ACK 15: 2 commands: BARRIER, BARRIER");
    let mut wrong = frame.clone();
    wrong[40] ^= 1;
    assert!(describe(&wrong, &receiver).starts_with("RCRC: "), "{}", describe(&wrong, &receiver));
    assert!(describe(&frame[..9], &receiver).contains("octets"), "{}", describe(&frame[..9], &receiver));
    let lldp = end(true, false).encode().expect("a frame");
    assert!(describe(&lldp, &receiver).starts_with("LLDP: Some(Advertisement"));
    let mut capture = Capture::new(Vec::new(), "memory").expect("a file");
    let frames = [&frame[..], &wrong, &lldp];
    let times = frames.iter().zip(1..).map(|(frame, time)| (Duration::from_micros(time), *frame));
    pcap(&mut capture, &receiver, times).expect("written");
    let file = capture.finish().expect("written");
    let has = |text: &[u8]| file.windows(text.len()).any(|window| window == text);
    assert!(has(said.as_bytes()) && has(&frame) && has(&lldp), "all frames with their comments");
}

/// CBFC with fewer cells than a largest frame takes would never send: refused before the first write.
#[test]
fn credits_below_a_largest_frame_are_refused() {
    let (mut double, sue) = open();
    // A slot, 14 octets of AFH Gen 2 with its Ethertype, 8 of the reliability header, 4 each of R-CRC and FCS, PKT_OVHD of 20.
    let least = (SIZES.slot_bytes + 14 + 8 + 4 + 4 + 20).div_ceil(256);
    let config = |limit| Config { xpu: 5, flow_control: FlowControl::Credits, limit, ..Config::default() };
    let refused = sue.configure(&mut double, &config(least - 1));
    let problem = ConfigError::Credits { limit: least - 1, least };
    assert_eq!(refused, Err(SueError::Config { device: 0, problem }));
    assert_eq!(double.writes, [], "nothing was written");
    sue.configure(&mut double, &config(least)).expect("a largest frame fits");
}
