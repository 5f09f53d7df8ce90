//! AXI4 and AXI4-Lite: manager and subordinate talk through a model of wires; a monitor stands on each side. Wires
//! that misbehave are caught by the rule they break.
#![allow(clippy::expect_used)] // helpers of tests

use flitforge_sim::kit::axi::{AxiManager, AxiMemory, AxiMonitor, AxiPorts, AxiSubordinate, AxiTraffic};
use flitforge_sim::kit::{seed, Coverage, Device, DeviceBench, DevicePorts, Pace, Testbench};
use flitforge_sim::{Port, PortKind, Ports, SimError};

/// What is wrong with the wires.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bug {
    None,
    ReadData,
    ReadLast,
    ResponseDrops,
    AddressChanges,
    ResponseIdentifier,
    Strobes,
    PageCrossed,
    WriteLast,
    ReservedBurst,
    NoResponses,
    ReadIdentifier,
}

/// Signals from the manager to the subordinate, then those back; width 0 is that of the data bus.
const FORTH: [(&str, u32); 18] = [
    ("awid", 3),
    ("awaddr", 16),
    ("awlen", 8),
    ("awsize", 3),
    ("awburst", 2),
    ("awvalid", 1),
    ("wdata", 0),
    ("wstrb", 0),
    ("wlast", 1),
    ("wvalid", 1),
    ("arid", 3),
    ("araddr", 16),
    ("arlen", 8),
    ("arsize", 3),
    ("arburst", 2),
    ("arvalid", 1),
    ("bready", 1),
    ("rready", 1),
];
const BACK: [(&str, u32); 11] = [
    ("awready", 1),
    ("wready", 1),
    ("arready", 1),
    ("bid", 3),
    ("bresp", 2),
    ("bvalid", 1),
    ("rid", 3),
    ("rdata", 0),
    ("rresp", 2),
    ("rlast", 1),
    ("rvalid", 1),
];
const FULL_ONLY: [&str; 12] = [
    "awid", "awlen", "awsize", "awburst", "wlast", "arid", "arlen", "arsize", "arburst", "bid", "rid",
    "rlast",
];

/// Wires from `up` to `down` and back.
struct Wires {
    bug: Bug,
    clock: u64,
}

impl Device for Wires {
    fn outputs(&self, ports: &mut DevicePorts) {
        for (signal, _) in FORTH {
            ports.set(&format!("down.{signal}"), ports.get(&format!("up.{signal}")));
        }
        for (signal, _) in BACK {
            ports.set(&format!("up.{signal}"), ports.get(&format!("down.{signal}")));
        }
        let now = self.clock % 64 == 63;
        let wrong = |ports: &mut DevicePorts, path: &str, bits: u64| ports.set(path, ports.get(path) ^ bits);
        match self.bug {
            Bug::ReadData if now => wrong(ports, "up.rdata", u64::MAX),
            Bug::ReadLast if now => wrong(ports, "up.rlast", 1),
            Bug::ResponseDrops if now && !ports.bit("up.bready") => ports.set("up.bvalid", 0),
            Bug::AddressChanges if self.clock % 2 == 1 && !ports.bit("down.awready") => {
                wrong(ports, "down.awid", 1)
            }
            Bug::ResponseIdentifier => ports.set("up.bid", ports.get("up.bid") | 4),
            Bug::Strobes if now => ports.set("down.wstrb", 0xff),
            Bug::PageCrossed if ports.get("up.arlen") > 0 && ports.get("up.arburst") == 1 => {
                ports.set("down.araddr", ports.get("down.araddr") | 0xffe)
            }
            Bug::WriteLast if now => wrong(ports, "down.wlast", 1),
            Bug::ReservedBurst => ports.set("down.arburst", 3),
            Bug::NoResponses => ports.set("up.bvalid", 0),
            Bug::ReadIdentifier => ports.set("up.rid", ports.get("up.rid") | 4),
            _ => {}
        }
    }

    fn edge(&mut self, _: &DevicePorts) {
        self.clock += 1;
    }
}

fn bench(bug: Bug, bits: u32, lite: bool) -> DeviceBench<Wires> {
    let mut ports = vec![Port::new("clock", 1, PortKind::Clock)];
    let there = |signal: &str| !lite || !FULL_ONLY.contains(&signal);
    for (side, forth, back) in
        [("up", PortKind::Input, PortKind::Output), ("down", PortKind::Output, PortKind::Input)]
    {
        for (list, kind) in [(&FORTH[..], forth), (&BACK[..], back)] {
            for (signal, width) in list.iter().filter(|(signal, _)| there(signal)) {
                let width = match (*width, *signal) {
                    (0, "wstrb") => bits / 8,
                    (0, _) => bits,
                    (width, _) => width,
                };
                ports.push(Port::new(format!("{side}.{signal}"), width, kind));
            }
        }
    }
    DeviceBench::new(Ports::new("wires", ports), Wires { bug, clock: 0 })
}

fn run(bug: Bug, bits: u32, lite: bool, clocks: u64) -> Result<Coverage, SimError> {
    let seed = seed(0xa814);
    let mut testbench = Testbench::new(Box::new(bench(bug, bits, lite)));
    let traffic =
        AxiTraffic { ids: if lite { 1 } else { 4 }, beats: 64, patience: 5_000, ..AxiTraffic::default() };
    let manager = AxiManager::new(testbench.bench(), "up", traffic, &AxiMemory::new(), seed)?;
    let subordinate = AxiSubordinate::new(testbench.bench(), "down", &AxiMemory::new(), seed)?;
    let up = AxiMonitor::new(testbench.bench(), "up")?;
    let down = AxiMonitor::new(testbench.bench(), "down")?;
    testbench.add(manager).add(subordinate).add(up).add(down);
    testbench.run(clocks)?;
    Ok(testbench.coverage())
}

#[test]
fn random_bursts_on_every_width_break_no_rule() {
    for bits in [8, 16, 32, 64] {
        let coverage = run(Bug::None, bits, false, 25_000).expect("no mistake");
        println!("{bits} bits\n{coverage}");
        let all = [
            "up.writes_done",
            "up.reads_done",
            "up.overlapping",
            "up.held",
            "up.data_before_address",
            "down.overtaken",
            "down.held",
        ];
        coverage.require("axi", &all).expect("covered");
        assert!(coverage.count("up.writes_done") > 100 && coverage.count("up.reads_done") > 100);
    }
}

#[test]
fn single_beats_of_axi4_lite_break_no_rule() {
    let coverage = run(Bug::None, 32, true, 25_000).expect("no mistake");
    coverage.require("axi lite", &["up.writes_done", "up.reads_done", "up.held"]).expect("covered");
    assert!(run(Bug::ReadData, 32, true, 25_000).is_err());
    assert!(run(Bug::NoResponses, 32, true, 25_000).is_err());
}

#[test]
fn every_mistake_is_found_by_its_rule() {
    let cases = [
        (Bug::ReadData, "up", "a read gives what was written"),
        (Bug::ReadLast, "up", "last stands on the last beat"),
        (Bug::ResponseDrops, "up", "valid holds until ready"),
        (Bug::AddressChanges, "down", "the payload holds until ready"),
        (Bug::ResponseIdentifier, "up", "a response follows its write"),
        (Bug::Strobes, "down", "strobes stay in the lanes of their beat"),
        (Bug::PageCrossed, "down", "a burst stays within 4096 bytes"),
        (Bug::WriteLast, "down", "last stands on the last beat"),
        (Bug::ReservedBurst, "down", "burst types are 0, 1 and 2"),
        (Bug::NoResponses, "up", "every transaction is answered"),
        (Bug::ReadIdentifier, "up", "a response follows its read"),
    ];
    for (bug, side, expected) in cases {
        match run(bug, 64, false, 25_000) {
            Err(SimError::Protocol { interface, rule, .. }) => {
                assert_eq!((interface.as_str(), rule), (side, expected), "{bug:?}");
            }
            other => panic!("{bug:?}: {other:?}"),
        }
    }
}

#[test]
fn an_address_without_memory_is_a_decode_error() {
    let mut testbench = Testbench::new(Box::new(bench(Bug::None, 32, false)));
    let memory = AxiMemory::new();
    let traffic = AxiTraffic { base: 0x4000, ..AxiTraffic::default() };
    let manager = AxiManager::new(testbench.bench(), "up", traffic, &memory, 1).expect("ports");
    let subordinate = AxiSubordinate::new(testbench.bench(), "down", &memory, 1).expect("ports");
    testbench.add(manager.pace(Pace::Always)).add(subordinate.limit(0x4000));
    let error = testbench.run(1_000).expect_err("no memory there").to_string();
    assert!(error.contains("resp 3"), "{error}");
}

#[test]
fn wrong_interfaces_and_traffic_are_refused() {
    let wires = bench(Bug::None, 32, false);
    let error = |result: Result<AxiManager, SimError>| result.err().expect("refused").to_string();
    let manager =
        |name: &str, traffic: AxiTraffic| AxiManager::new(&wires, name, traffic, &AxiMemory::new(), 1);
    assert!(error(manager("middle", AxiTraffic::default())).contains("middle.awaddr"));
    assert!(error(manager("down", AxiTraffic::default())).contains("use a subordinate"));
    for traffic in [
        AxiTraffic { ids: 9, ..AxiTraffic::default() },
        AxiTraffic { beats: 0, ..AxiTraffic::default() },
        AxiTraffic { region: 1000, ..AxiTraffic::default() },
        AxiTraffic { base: 64, ..AxiTraffic::default() },
    ] {
        assert!(error(manager("up", traffic)).contains("possible"));
    }
    assert!(AxiSubordinate::new(&wires, "up", &AxiMemory::new(), 1).is_err());
    let odd = bench(Bug::None, 24, false);
    assert!(AxiPorts::find(&odd, "up").expect_err("refused").to_string().contains("24"));
}
