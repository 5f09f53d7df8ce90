//! Packets exactly once and in the order of their lane, whatever lines and readers do.

use crate::fab_port::rig::{noise_of, Program, Rig};
use crate::fab_port::{clocks, narrow, wide};
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::link_registers::{crc_cfg, ctrl, CRC_CFG, CTRL, VL_ARB, VL_EN};
use flitforge_sim::kit::seed;
use flitforge_testkit::Clocked;
use rand::Rng as _;

/// Both ends send in mode 0, or in mode 1.
fn up(program: &Program, seed: u64, sideband: bool) -> Rig {
    let mut rig = Rig::new(program, seed);
    for end in 0..2 {
        rig.write(end, CRC_CFG, u64::from(sideband) << crc_cfg::enabled::LOW | 1 << crc_cfg::preferred::LOW);
        // PRIO falls with the lane, PREEMPT on lane 1.
        rig.write(end, VL_ARB, 0x3310);
        rig.write(end, VL_EN, 1 << 1 | 0xFFFF << 16 | 4 << 32 | 200 << 40);
    }
    rig.start(0.9);
    rig
}

/// Sinks that now and then take little or nothing for a while; errors on both lines; now and then Retraining.
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
                let rate = [0.0, 1e-3, 3e-3, 1e-2][rig.rng.random_range(0..4)];
                rig.noise[end] = noise_of(rate);
            }
            changes += 1;
            if changes % 8 == 3 {
                rig.write(changes / 8 % 2, CTRL, 1 << ctrl::enable::LOW | 1 << ctrl::retrain::LOW);
            }
        }
        rig.clock();
    }
    rig.noise = Default::default();
}

fn packets_come(what: &str, program: &Program, sideband: bool, quick: u64) {
    let mut rig = up(program, seed(0x10_C0), sideband);
    let starts = rig.starts[0];
    disturb(&mut rig, clocks(quick));
    rig.come_up(what);
    rig.drain(what);
    let retrainings = rig.count(0, LinkCounter::Reinit);
    println!("{what}: {retrainings} Retrainings");
    assert!(retrainings > 0 && rig.starts[0] == starts, "{what}: Retraining, and no start");
    for end in 0..2 {
        let flow = &rig.flows[end];
        // One lane is slow to fill a buffer.
        let least = if rig.vls > 2 { flow.size() } else { 1 };
        println!(
            "{what}, from end {end}: {} clocks audited, {} CrdtRet, {} messages, at most {} AU occupied of {}",
            flow.audited,
            flow.by_flit,
            flow.by_message,
            flow.full,
            flow.size()
        );
        assert_eq!(flow.stack_errors, 0, "{what}");
        assert!(flow.audited > quick && flow.full >= least, "{what}: buffers fill, {}", flow.full);
        assert_eq!(flow.by_message > 20, sideband, "{what}: messages");
        // Two virtual lanes never have three that wait.
        assert_eq!(flow.by_flit > 20, !sideband || rig.vls > 2, "{what}: CrdtRet");
        let mut good = 0;
        for vl in 0..rig.vls {
            let sink = &rig.sinks[1 - end][vl];
            assert!(sink.good > 5 && rig.sources[end][vl].lost == 0, "{what}: lane {vl}: {}", sink.good);
            good += sink.good;
        }
        println!("{what}, from end {end}: {good} packets");
        assert_eq!(rig.count(1 - end, LinkCounter::PktGood), good, "{what}");
        for counter in [LinkCounter::PktBad, LinkCounter::StackErr, LinkCounter::CreditOvf] {
            assert_eq!(rig.count(end, counter), 0, "{what}: {}", counter.name());
        }
        assert!(rig.count(end, LinkCounter::RxBad) > 5, "{what}: LTPs are lost");
    }
}

#[test]
fn packets_come_exactly_once_with_sideband() {
    packets_come("mode 1", wide(), true, 30_000);
}

#[test]
fn packets_come_exactly_once_with_return_flits_alone() {
    packets_come("mode 0", wide(), false, 20_000);
}

#[test]
fn packets_come_exactly_once_on_one_lane() {
    packets_come("one lane, mode 1", narrow(), true, 20_000);
    packets_come("one lane, mode 0", narrow(), false, 20_000);
}

#[test]
fn latency_and_throughput_are_those_of_the_link_and_the_sublayer() {
    let mut rig = Rig::up(wide(), seed(0x10_C8), 0.0);
    rig.run(1_000);
    let mut latencies = vec![];
    for _ in 0..12 {
        rig.sources[0][1].pace = 1.0;
        assert!(rig
            .run_until(100, |rig| rig.get("header_in[1].valid") & rig.get("header_in[1].ready") == 1)
            .is_some());
        let start = rig.clock - 1;
        rig.sources[0][1].pace = 0.0;
        assert!(rig.run_until(200, |rig| rig.get("header_out[5].valid") == 1).is_some());
        latencies.push(rig.clock - start);
        rig.drain("latency");
    }
    println!("header in to header out: {latencies:?} clocks");
    let (least, most) = (latencies.iter().min(), latencies.iter().max());
    // Without the PHY 22 of the link and 17 of the sublayer; the loop has 1, the phase of an LTP's beats and an ALN row add up to 2.
    assert!(least >= Some(&40) && most <= Some(&42), "{latencies:?}");

    rig.pace(1.0);
    rig.sink_pace(1.0);
    rig.run(2_000);
    let before = rig.flows[0].beats;
    rig.run(4_000);
    let beats = rig.flows[0].beats - before;
    println!("{beats} beats of packets in 4000 clocks, buffers of 1024 bytes for each of four lanes");
    assert!(beats > 2_000);
}
