//! `fab_bonded_port`: packets over two links as one exactly once, credits that add up in every clock, a link that is cut.

use crate::fab_port::bonded_pair::{BondedFabPair, BondedFabPairNarrow, LINKS};
use crate::fab_port::clocks;
use crate::fab_port::pair::{BUFFER, MTU};
use crate::fab_port::rig::{noise_of, Program, Rig};
use crate::fab_port::starts::{allow, bad};
use flitforge_hdl::fabric::port::{FabBondedPort1, FabPortConfig};
use flitforge_hdl::link::port::PortConfig;
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::flit::BadReason;
use flitforge_protocol::link_registers::{
    counter_offset, cred, ctrl, event, status, BOND_SKEW, CRED, CREDIT, CTRL, EVENT, PAGE_BYTES, STATUS,
};
use flitforge_sim::kit::seed;
use flitforge_testkit::Clocked;
use rand::Rng as _;
use std::sync::OnceLock;

/// Links of four lanes, two flits per beat: wide beats of four.
pub fn wide() -> &'static Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    let make = || Program::new("fab_bonded_pair", &BondedFabPair::new(), 2, 4, 4).bonding(LINKS);
    PROGRAM.get_or_init(make)
}

/// Links of one lane, one flit per beat: wide beats of two.
pub fn narrow() -> &'static Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    let make = || Program::new("fab_bonded_pair", &BondedFabPairNarrow::new(), 1, 1, 4).bonding(LINKS);
    PROGRAM.get_or_init(make)
}

/// Both ends up.
fn up(program: &Program, seed: u64, crossed: bool, pace: f64) -> Rig {
    let mut rig = Rig::new(program, seed);
    rig.set("crossed", crossed.into());
    rig.start(pace);
    rig
}

/// A register of a link of an end.
fn page(rig: &mut Rig, end: usize, link: usize, offset: u32) -> u64 {
    rig.read(end, link as u32 * PAGE_BYTES + offset)
}

/// Errors of its own on each way, readers and sources at changing paces; now and then one link of one end retrains.
fn disturb(rig: &mut Rig, clocks: u64) {
    let (mut next, mut changes) = (0, 0);
    for clock in 0..clocks {
        if clock == next {
            next += rig.rng.random_range(300..1_500);
            for end in 0..2 {
                for vl in 0..rig.vls {
                    rig.sinks[end][vl].pace = [1.0, 0.6, 0.3, 0.02, 0.0][rig.rng.random_range(0..5)];
                    rig.sources[end][vl].pace = [1.0, 0.9, 0.5, 0.02][rig.rng.random_range(0..4)];
                }
            }
            for way in 0..2 * LINKS {
                let rate = [0.0, 1e-3, 3e-3, 1e-2][rig.rng.random_range(0..4)];
                rig.noise[way] = noise_of(rate);
            }
            changes += 1;
            if changes % 8 == 3 {
                let (end, link) = (changes / 8 % 2, (changes / 16 % LINKS) as u32);
                rig.write(end, link * PAGE_BYTES + CTRL, 1 << ctrl::enable::LOW | 1 << ctrl::retrain::LOW);
            }
        }
        rig.clock();
    }
    rig.noise = Default::default();
}

fn packets_come(what: &str, program: &Program, crossed: bool, quick: u64) {
    let seed = seed(0x10_CB);
    println!("FLITFORGE_SEED={seed}");
    let mut rig = up(program, seed, crossed, 0.9);
    let starts = rig.starts;
    disturb(&mut rig, clocks(quick));
    rig.come_up(what);
    rig.drain(what);
    assert_eq!(rig.starts, starts, "{what}: no start");
    for end in 0..2 {
        let flow = &rig.flows[end];
        println!(
            "{what}, from end {end}: {} clocks audited, {} CrdtRet, {} messages, at most {} AU occupied of {}",
            flow.audited,
            flow.by_flit,
            flow.by_message,
            flow.full,
            flow.size()
        );
        assert_eq!(flow.stack_errors, 0, "{what}");
        // On one lane a buffer is slow to fill.
        let least = if program.is_wide() { flow.size() } else { flow.size() / 2 };
        assert!(flow.audited > quick && flow.full >= least, "{what}: buffers fill, {}", flow.full);
        assert!(flow.by_message > 10 && flow.by_flit > 10, "{what}: both return ways");
        let mut good = 0;
        for vl in 0..rig.vls {
            let sink = &rig.sinks[1 - end][vl];
            assert!(sink.good > 5 && rig.sources[end][vl].lost == 0, "{what}: lane {vl}: {}", sink.good);
            good += sink.good;
        }
        let counts = [0, 1].map(|link| {
            [LinkCounter::RxBad, LinkCounter::Reinit]
                .map(|counter| page(&mut rig, 1 - end, link, counter_offset(counter)))
        });
        let skew = [0, 1].map(|link| page(&mut rig, 1 - end, link, BOND_SKEW));
        println!(
            "{what}, from end {end}: {good} packets, by link RX_BAD and REINIT {counts:?}, BOND_SKEW {skew:?}"
        );
        assert!(counts.iter().all(|[wrong, _]| *wrong > 5), "{what}: LTPs are lost on each link");
        assert!(counts.iter().any(|[_, again]| *again > 0), "{what}: Retraining");
        assert_eq!(rig.count(1 - end, LinkCounter::PktGood), good, "{what}");
        for link in 0..LINKS {
            for counter in [LinkCounter::PktBad, LinkCounter::StackErr, LinkCounter::CreditOvf] {
                assert_eq!(
                    page(&mut rig, end, link, counter_offset(counter)),
                    0,
                    "{what}: {}",
                    counter.name()
                );
            }
        }
        // What is counted is counted on page 0.
        assert_eq!(page(&mut rig, end, 1, counter_offset(LinkCounter::PktGood)), 0, "{what}");
        let read = page(&mut rig, end, 0, CRED) >> cred::tx::LOW & 0xFFFF;
        assert_eq!(read, rig.flows[end].size(), "{what}: CRED");
        assert_eq!(page(&mut rig, end, 1, STATUS) >> status::bonded::LOW & 1, 1, "{what}");
    }
}

#[test]
fn packets_come_exactly_once_over_two_links() {
    packets_come("two links of one lane", narrow(), false, 30_000);
}

#[test]
fn packets_come_exactly_once_over_crossed_links() {
    packets_come("crossed links of one lane", narrow(), true, 20_000);
}

#[test]
fn packets_come_exactly_once_over_two_links_of_four_lanes() {
    packets_come("two links of four lanes", wide(), false, 20_000);
}

#[test]
fn packets_come_exactly_once_over_crossed_links_of_four_lanes() {
    packets_come("crossed links of four lanes", wide(), true, 12_000);
}

/// A cable of the bond is cut in mid-packet, at any place: all links go Down, come up with the cable, and all credits are there again.
#[test]
fn a_link_that_is_cut_takes_the_bond_down_and_credits_are_whole_again() {
    for (what, program, crossed) in
        [("one lane", narrow(), false), ("crossed", narrow(), true), ("four lanes", wide(), true)]
    {
        let mut rig = up(program, seed(0x10_CC), crossed, 0.9);
        allow(&mut rig, BadReason::InputLinkDown);
        for round in 0..if program.is_wide() { 4 } else { 8 } {
            // In every other round the readers stand still, so that buffers are full.
            rig.sink_pace([0.5, 0.0][round / 2 % 2]);
            rig.run(400 + 37 * round as u64);
            let (before, link) = (rig.starts, round % LINKS);
            // Both directions of a cable, or one of them.
            let ends = [0..2, 0..1, 1..2][round % 3].clone();
            for end in ends {
                let link = if crossed && end == 1 { LINKS - 1 - link } else { link };
                rig.set(&format!("signal_ok[{}]", end * LINKS + link), 0);
            }
            let is_down = rig.run_until(20_000, |rig| !rig.is_up(0) && !rig.is_up(1)).is_some();
            assert!(is_down, "{what}, round {round}: the bond is down");
            // In some rounds the other link is Active long before this one is.
            let waits = rig.rng.random_range(0..500) + [0, 3_000][round / 2 % 2];
            rig.run(waits);
            for way in 0..2 * LINKS {
                rig.set(&format!("signal_ok[{way}]"), 0xF);
            }
            rig.come_up(what);
            assert!((0..2).all(|end| rig.starts[end] > before[end]), "{what}: both ends start afresh");
            rig.run(400);
            rig.drain(what);
            rig.pace(0.9);
        }
        let cut = bad(&rig, BadReason::InputLinkDown);
        let lost: u64 = rig.sources.iter().flatten().map(|source| source.lost).sum();
        let good: u64 = rig.sinks.iter().flatten().map(|sink| sink.good).sum();
        let audited = [0, 1].map(|end| rig.flows[end].audited);
        println!(
            "{what}: {good} packets good, {cut} cut, {lost} lost, starts {:?}, audited {audited:?}",
            rig.starts
        );
        assert!(cut >= 4 && good > 100 && audited[0] > 1_000, "{what}: {cut} of {good}");
        for end in 0..2 {
            let seen: u64 = rig.sinks[end].iter().map(|sink| sink.bad.iter().sum::<u64>()).sum();
            assert_eq!(rig.count(end, LinkCounter::PktBad), seen, "{what}: PKT_BAD");
            for counter in [LinkCounter::StackErr, LinkCounter::CreditOvf] {
                assert_eq!(rig.count(end, counter), 0, "{what}: {}", counter.name());
            }
        }
    }
}

#[test]
fn clear_of_an_end_forgets_everything_there_and_the_bond_starts_afresh() {
    for (what, program) in [("one lane", narrow()), ("four lanes", wide())] {
        let mut rig = up(program, seed(0x10_CD), true, 0.9);
        allow(&mut rig, BadReason::InputLinkDown);
        rig.sink_pace(0.5);
        for round in 0..6 {
            rig.run(500 + 41 * round as u64);
            rig.clear_end(round % 2);
            rig.run(200);
            rig.come_up(what);
        }
        rig.run(500);
        rig.drain(what);
        let good: u64 = rig.sinks.iter().flatten().map(|sink| sink.good).sum();
        println!("{what}: {good} packets good, {} cut", bad(&rig, BadReason::InputLinkDown));
        assert!(good > 50 && bad(&rig, BadReason::InputLinkDown) > 1, "{what}");
        for end in 0..2 {
            for counter in [LinkCounter::StackErr, LinkCounter::CreditOvf] {
                assert_eq!(rig.count(end, counter), 0, "{what}: {}", counter.name());
            }
        }
    }
}

/// vAU and CU are written while link 0 is Down; the bond's first start, and every one after it, goes by them.
#[test]
fn registers_written_in_down_count_from_the_next_start_on() {
    let mut rig = Rig::new(narrow(), seed(0x10_CE));
    let set = |rig: &mut Rig, v_au: u64| {
        for end in 0..2 {
            rig.write(end, CREDIT, v_au | 20 << 8);
            let units = flitforge_protocol::link::CREDIT_UNITS;
            rig.flows[end] = crate::fab_port::flow::Flow::new(2, 4, BUFFER, v_au as u32, units, MTU);
        }
    };
    set(&mut rig, 2);
    rig.start(0.9);
    rig.run(2_000);
    rig.drain("vAU 2");
    for end in 0..2 {
        rig.write(end, CTRL, 1 << ctrl::disable::LOW);
    }
    rig.run(500);
    set(&mut rig, 5);
    rig.start(0.0);
    rig.pace(0.9);
    rig.run(2_000);
    rig.drain("vAU 5");
    let audited = [0, 1].map(|end| rig.flows[end].audited);
    println!("vAU 5: {} AU, {audited:?} clocks audited", rig.flows[0].size());
    assert!(rig.flows[0].size() == BUFFER as u64 / 256 && audited[0] > 1_000);
}

/// An overflow of credits takes all links Down, and they come up afresh.
#[test]
fn an_end_that_is_renewed_takes_both_links_along() {
    let mut rig = Rig::new(narrow(), seed(0x10_CF));
    rig.relayed(2);
    rig.relayed(3);
    allow(&mut rig, BadReason::InputLinkDown);
    rig.start(0.9);
    rig.run(500);
    rig.sinks[1][2].pace = 0.0;
    rig.run(2_000);
    let starts = rig.starts;
    // End 0 is told that there is room for 64 AU more, by a good LTP of either link.
    (rig.flows[0].faulty, rig.sinks[1][2].unchecked) = (true, true);
    for way in [2, 3] {
        crate::fab_port::starts::change(&mut rig, way, 1, |ltp| {
            let Some(idle) = (0..16).find(|flit| ltp.flits[*flit].opcode() == Some(FORCED)) else {
                return false;
            };
            ltp.flits[idle] =
                flitforge_model::Flit::control(flitforge_protocol::flit::Opcode::CrdtRet, 7 << 6);
            true
        });
    }
    rig.pace(0.3);
    let has_started =
        rig.run_until(60_000, |rig: &mut Rig| (0..2).all(|end| rig.starts[end] > starts[end])).is_some();
    assert!(has_started, "starts {:?}", rig.starts);
    rig.come_up("afresh");
    rig.sinks[1][2].pace = 1.0;
    rig.flows[0].faulty = false;
    rig.pace(0.9);
    rig.run(3_000);
    rig.drain("afresh");
    assert!(rig.count(1, LinkCounter::CreditOvf) >= 1);
    assert_eq!(rig.read(1, EVENT) >> event::credit::LOW & 1, 1);
    assert!(rig.sinks[1][2].good > 20, "lane 2 works again");
}

/// A share that is all Idle, on its way.
const FORCED: flitforge_protocol::flit::Opcode = flitforge_protocol::flit::Opcode::ForceIdle;

#[test]
fn latency_and_throughput_are_those_of_the_bond_and_the_sublayer() {
    let mut rig = up(wide(), seed(0x10_D0), false, 0.0);
    rig.run(1_000);
    let mut latencies = vec![];
    for _ in 0..12 {
        // From its first beat on: that of a packet of one beat waits for the CRC.
        rig.sources[0][1].pace = 1.0;
        assert!(rig
            .run_until(100, |rig| rig.get("header_in[1].valid") & rig.get("header_in[1].ready") == 1)
            .is_some());
        rig.sources[0][1].pace = 0.0;
        let is_sent = |rig: &mut Rig| {
            let sent = rig.block.instance.peek("near.transmit.packets[1].beats_out.valid");
            sent.expect("a signal").low_u64() == 1
        };
        assert!(rig.run_until(100, is_sent).is_some());
        let start = rig.clock;
        assert!(rig.run_until(200, |rig| rig.get("header_out[5].valid") == 1).is_some());
        latencies.push(rig.clock - start);
        rig.drain("latency");
    }
    println!("first beat to header out: {latencies:?} clocks");
    let (least, most) = (latencies.iter().min(), latencies.iter().max());
    // Without the PHY 22 of a link, 7 of the bond and 12 of the sublayer after that beat; the loop has 1, the phase of an LTP's beats and an ALN
    // row add up to 2 on each link.
    assert!(least >= Some(&42) && most <= Some(&46), "{latencies:?}");

    rig.pace(1.0);
    rig.sink_pace(1.0);
    rig.run(2_000);
    let before = rig.flows[0].beats;
    rig.run(4_000);
    let beats = rig.flows[0].beats - before;
    println!("{beats} wide beats of packets in 4000 clocks, buffers of 1024 bytes for each of four lanes");
    assert!(beats > 1_000);
}

#[test]
fn what_cannot_work_is_refused() {
    type Port = FabBondedPort1<4, 8, 9, 4, 5, 64, 6, 7>;
    let link = PortConfig::short(1, 1, 16);
    let good = FabPortConfig::new(link, 4, BUFFER).with_mtu(MTU).bonding(LINKS);
    let wrong = |config: FabPortConfig| Port::new(&config).err().map(|error| error.parameter);
    assert_eq!(wrong(good), None);
    assert!(wrong(good.bonding(1)).is_some(), "no bond");
    assert!(wrong(good.bonding(3)).is_some() && wrong(good.bonding(5)).is_some(), "other bonds");
    assert!(wrong(FabPortConfig { buffer: 2 * BUFFER, ..good }).is_some(), "another buffer");
    assert!(wrong(FabPortConfig::new(link, 2, BUFFER).with_mtu(MTU).bonding(LINKS)).is_some(), "other lanes");
    assert!(
        wrong(FabPortConfig { link: PortConfig { flits: 2, ..good.link }, ..good }).is_some(),
        "other links"
    );
    assert!(
        wrong(FabPortConfig { link: PortConfig { mtu: 1_024, ..good.link }, ..good }).is_some(),
        "a packet larger than its buffer"
    );
}
