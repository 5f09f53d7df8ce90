//! T12 in small: links, measurements and rings of one oscillator, whose words are exact.

use super::rig::{Rig, CLOCK_FINE, INC_NOM, MASTER, SLAVES, SWITCHES};
use flitforge_fabric::manager::program::{Generation, Manager, TreePlan};
use flitforge_fabric::manager::tables::LinkMeasurement;
use flitforge_fabric::manager::tree::TreePolicy;
use flitforge_fabric::manager::RegisterAccess;
use flitforge_fabric::topology::{DeviceKind, Port, Topology};
use flitforge_model::time::delay::RingShape;
use flitforge_protocol::time_registers::{self as page, role};
use flitforge_sim::cosim::Depth;
use flitforge_testkit::{depth, Clocked};

/// Links on the way to each slave.
const LINKS: [i64; 2] = [3, 2];
/// T5 and T10: a Low is as late as the link, and the link is measured, to 1/8 ns.
const PER_LINK: i64 = 32 + 32;
/// T, 1/256 ns.
const T: i64 = CLOCK_FINE;

fn clocks() -> u64 {
    match depth() {
        Depth::Quick => 16_000,
        _ => 400_000,
    }
}

fn topology() -> Topology {
    let shape = RingShape { stops: 4, hop_registers: 1, ratio: 1 };
    let kinds = [
        DeviceKind::Hfi,
        DeviceKind::Switch(shape),
        DeviceKind::Switch(shape),
        DeviceKind::Hfi,
        DeviceKind::Hfi,
    ];
    let mut topology = Topology::new();
    for kind in kinds {
        topology.add(kind);
    }
    let [first, second] = SWITCHES;
    let links = [
        ((MASTER, 0), (first, 0)),
        ((first, 2), (second, 1)),
        ((second, 0), (SLAVES[0], 0)),
        ((first, 1), (SLAVES[1], 0)),
    ];
    for ((device, port), (peer, peer_port)) in links {
        let end = Port { device: peer, port: peer_port };
        topology.connect(Port { device, port }, end).expect("free ports");
    }
    topology
}

/// Measured and programmed: the tree runs.
fn started(rig: &mut Rig, era: u8) -> (Manager, TreePlan) {
    rig.come_up();
    // An end takes Lows as an HFI does with SLAVE_EN.
    for slave in SLAVES {
        let now = rig.read(slave, page::ROLE).expect("there");
        rig.write(slave, page::ROLE, now | 1 << role::up_en::LOW).expect("there");
    }
    let mut manager = Manager::new(topology(), INC_NOM, TreePolicy::ShortestDelay);
    let how = LinkMeasurement { rounds_log2: 4, asymmetry: 0, tolerance: T / 32 };
    manager.measure(rig, &how).expect("both ends of every link agree");
    manager.read_increments(rig).expect("read");
    let plan = manager.plan(MASTER, 0).expect("a tree");
    assert!(manager.unreached(&plan).is_empty());
    let generation = Generation { period: 95, phase: 0, high_every: 1, quality: 1 };
    manager.start(rig, &plan, era, &generation).expect("programmed");
    rig.run(2_000);
    rig.found.iter_mut().for_each(Vec::clear);
    (manager, plan)
}

/// Every Low that has come to a slave, with its ClockOffset, is the master's time at plane R.
fn check(rig: &mut Rig, era: u8, what: &str) -> [usize; 2] {
    std::array::from_fn(|slave| {
        let errors = rig.errors_of(slave, u32::from(era & 1));
        let (least, most) = (errors.iter().min().expect("some"), errors.iter().max().expect("some"));
        println!("{what}: slave {slave}, {} Lows, {least} to {most} / 256 ns", errors.len());
        let bound = LINKS[slave] * PER_LINK;
        assert!(bound < T && *least >= -bound && *most <= bound, "{what}, slave {slave}");
        errors.len()
    })
}

/// Equation (1) on compiled hardware: links measured by both ends, rings by D(h); the slaves' times are the master's at no and full load.
#[test]
fn t12_a_small_tree_gives_the_masters_time() {
    for delays in [[0; 8], [3, 3, 9, 9, 1, 1, 14, 14]] {
        let mut rig = Rig::new("tree", delays);
        let (_, plan) = started(&mut rig, 1);
        println!("{delays:?} words: offsets {:?} / 256 ns", plan.offsets.rows);
        for load in [0, 1] {
            rig.set("load", load);
            rig.run(1_000);
            rig.found.iter_mut().for_each(Vec::clear);
            let (sent, flits) = (rig.lows_sent, rig.flits);
            rig.run(clocks());
            let arrived = check(&mut rig, 1, &format!("load {load}"));
            let sent = rig.lows_sent - sent;
            assert!(
                arrived.iter().all(|arrived| (*arrived as u64).abs_diff(sent) <= 3),
                "{arrived:?} of {sent}"
            );
            assert_eq!(load == 1, rig.flits - flits > clocks() / 4);
        }
        assert!(rig.highs.iter().all(|highs| *highs > 10));
    }
}

/// Wrong bits on all lines: Lows are lost, none is wrong (T7).
#[test]
fn t07_errors_on_the_lines_lose_lows_and_change_none() {
    let mut rig = Rig::new("errors", [2; 8]);
    started(&mut rig, 2);
    rig.set("load", 1);
    rig.errors = 0.0003;
    let sent = rig.lows_sent;
    rig.run(2 * clocks());
    rig.quiet();
    rig.run(5_000);
    let arrived = check(&mut rig, 2, "errors");
    let sent = (rig.lows_sent - sent) as usize;
    println!("{arrived:?} of {sent} Lows came");
    assert!(arrived.iter().all(|arrived| *arrived < sent && *arrived > sent / 3));
}
