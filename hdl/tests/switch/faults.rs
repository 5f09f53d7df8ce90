//! Links that die, packets that grow old, clear in mid-transfer.

use crate::switch::directed::packet;
use crate::switch::rig::{Rig, DEFAULT, SMALL};
use flitforge_model::control::Control;
use flitforge_model::packet::Packet;
use flitforge_protocol::flit::BadReason;
use flitforge_protocol::switch_registers::LIFE as LIFE_CLOCKS;
use flitforge_sim::kit::seed;
use flitforge_testkit::Clocked;

/// Good packets pass on every lane between all ports, and every AU comes back.
fn still_works(rig: &mut Rig) {
    let (ports, lanes) = (rig.preset.ports, rig.preset.lanes);
    rig.sinks.iter_mut().for_each(|sink| (sink.pace, sink.reads) = (1.0, 1.0));
    rig.sources.iter_mut().for_each(|source| source.pace = 1.0);
    let before: Vec<usize> = (0..ports).map(|port| rig.good(port).len()).collect();
    for vl in 0..lanes {
        (0..ports)
            .for_each(|port| rig.send(port, vl, &packet(((port + 1) % ports) as u16, vl as u8, 200, 9), 0));
    }
    rig.drain();
    for (port, before) in before.into_iter().enumerate() {
        assert_eq!(rig.good(port).len(), before + lanes, "port {port}");
    }
    rig.audit();
}

/// Reasons of the TailBads that came to a port.
fn reasons(rig: &Rig, port: usize) -> Vec<u8> {
    let ends = rig.sinks[port].packets.iter().filter_map(|(_, flits)| flits.last());
    ends.filter_map(|flit| match Control::decode(*flit) {
        Ok(Control::TailBad { reason, .. }) => Some(reason),
        _ => None,
    })
    .collect()
}

/// At every beat of two packets on two lanes: what was there goes on, its end after it, no lane is stuck.
#[test]
fn an_input_that_dies_ends_its_packets() {
    let mut ends = 0;
    for clocks in 1..45 {
        let mut rig = Rig::new(SMALL, seed(20));
        (0..2).for_each(|vl| rig.send(0, vl, &packet(1, vl as u8, 200, 1), 0));
        rig.run(clocks);
        let whole = rig.sources[0].queues.iter().filter(|queue| queue.is_empty()).count();
        let none = rig.sources[0].queues.iter().filter(|queue| queue.len() == 14).count();
        rig.restart(0, 30);
        rig.run(60);
        assert_eq!(rig.good(1).len(), whole, "{clocks} clocks");
        assert_eq!(
            reasons(&rig, 1),
            vec![BadReason::InputLinkDown.code(); 2 - whole - none],
            "{clocks} clocks"
        );
        ends += 2 - whole - none;
        still_works(&mut rig);
    }
    assert!(ends > 20);
}

/// The rest of a packet whose output dies is taken off, one NO_ROUTE; what waits after it goes on.
#[test]
fn an_output_that_dies_frees_its_inputs() {
    let mut rig = Rig::new(DEFAULT, seed(21));
    rig.send(0, 0, &packet(1, 0, 1_000, 1), 0);
    rig.send(0, 0, &packet(2, 0, 100, 2), 0);
    rig.run(30);
    assert!(rig.sinks[1].flits > 0);
    rig.restart(1, 100);
    rig.run(50);
    assert_eq!(rig.counts[0], [1, 0, 0, 0, 0]);
    assert_eq!((rig.good(1).len(), rig.good(2).len()), (0, 1));
    still_works(&mut rig);
}

/// Between LIFE and a sixteenth more, and a few clocks.
#[test]
fn a_packet_that_waits_too_long_is_dropped() {
    const LIFE: u64 = 640;
    let mut rig = Rig::new(DEFAULT, seed(22));
    rig.write(LIFE_CLOCKS, LIFE);
    (rig.sinks[1].available[0], rig.sinks[1].held[0], rig.sinks[1].reads) = (3, 253, 0.0);
    rig.send(0, 0, &packet(1, 0, 200, 1), 0);
    rig.run(20);
    let from = rig.sources[0].head_at;
    while rig.counts[1][0] == 0 && rig.clock < from + 2 * LIFE {
        rig.clock();
    }
    let waited = rig.clock - from;
    println!("dropped after {waited} clocks, LIFE {LIFE}");
    assert!((LIFE..LIFE + LIFE / 16 + 12).contains(&waited), "{waited}");
    assert_eq!((rig.sinks[1].flits, rig.counts[1].clone()), (0, vec![1, 0, 0, 0, 0]));
    rig.write(LIFE_CLOCKS, 0);
    still_works(&mut rig);
}

/// Granted, and then the input gives no more, or the output takes no more: TailBad of reason 6, and the lane is free.
#[test]
fn a_packet_that_stands_still_is_ended() {
    for at_output in [false, true] {
        let mut rig = Rig::new(DEFAULT, seed(23));
        rig.write(LIFE_CLOCKS, 640);
        rig.send(0, 0, &packet(1, 0, 1_000, 1), 0);
        rig.run(20);
        match at_output {
            true => rig.sinks[1].pace = 0.0,
            false => rig.sources[0].pace = 0.0,
        }
        rig.run(600);
        assert_eq!(rig.counts[1], [0; 5]);
        rig.run(120);
        assert_eq!(rig.counts[1], [1, 0, 0, 0, 0], "at the output: {at_output}");
        rig.sinks[1].pace = 1.0;
        rig.send(2, 0, &packet(1, 0, 100, 2), 0);
        rig.run(100);
        assert_eq!(reasons(&rig, 1), [BadReason::LifetimeExpired.code()]);
        assert_eq!(rig.good(1).len(), 1);
        rig.write(LIFE_CLOCKS, 0);
        rig.sources[0].pace = 1.0;
        rig.run(200);
        still_works(&mut rig);
    }
}

#[test]
fn clear_in_mid_transfer_empties_everything() {
    for clocks in [5, 8, 12, 17] {
        let mut rig = Rig::new(SMALL, seed(24));
        for vl in 0..2 {
            (0..2).for_each(|port| rig.send(port, vl, &packet(1 - port as u16, vl as u8, 200, 1), 0));
            rig.send(2, vl, &packet(0, vl as u8, 200, 1), 0);
        }
        rig.run(clocks);
        rig.set("clear", 1);
        for input in ["lanes_in[0]", "lanes_in[1]", "agent_in"] {
            assert_eq!(rig.get(&format!("{input}.ready")), 0, "{input}: ready while cleared");
        }
        rig.forget(true);
        rig.run(3);
        rig.set("clear", 0);
        rig.forget(false);
        for output in ["beats_out[0]", "beats_out[1]", "agent_out[0]", "agent_out[1]"] {
            assert_eq!(rig.get(&format!("{output}.valid")), 0, "{output}");
        }
        still_works(&mut rig);
        let tags = |port: usize| rig.good(port).iter().map(|packet: &Packet| packet.tag).collect::<Vec<_>>();
        assert_eq!([tags(0), tags(1)], [vec![9; 2], vec![9; 2]], "nothing of before");
    }
}

/// A beat that goes on with no packet begun is thrown away up to the end of its packet.
#[test]
fn what_begins_without_a_head_is_thrown_away() {
    let mut rig = Rig::new(SMALL, seed(25));
    rig.send(0, 0, &packet(1, 0, 200, 1)[2..], 0);
    rig.run(100);
    assert_eq!((rig.sinks[1].flits, rig.counts[0].clone()), (0, vec![0, 0, 0]));
    still_works(&mut rig);
}

/// A lane that is not built does not hold the others up.
#[test]
fn a_lane_that_is_not_built_is_thrown_away() {
    let mut rig = Rig::new(SMALL, seed(26));
    for input in 0..3 {
        for beat in packet(1, 2, 40, 1).chunks(2).filter(|beat| beat.len() == 2) {
            assert!(rig.takes(input, 2, beat), "input {input}");
        }
    }
    rig.run(100);
    assert_eq!((rig.sinks[1].flits, rig.agent.len()), (0, 0));
    still_works(&mut rig);
}
