//! Links that die and come back.

use crate::switch_node::rig::Rig;
use crate::switch_node::star::{PORTS, VLS};
use flitforge_protocol::flit::BadReason;
use flitforge_protocol::link_registers::{ctrl, CTRL};
use flitforge_sim::kit::seed;
use flitforge_testkit::Clocked;

/// A link killed in mid-packet, again and again: what was coming in ends with TailBad of reason 1, nothing else is lost, no virtual lane is stuck, and all
/// credits come back.
#[test]
fn a_link_killed_in_mid_packet_leaves_no_lane_stuck() {
    let mut rig = Rig::new(seed(0x10_D3));
    let mut before = 0;
    for round in 0..8 {
        let port = round % PORTS;
        rig.pace(0.5);
        // In every other round the readers are slow, so that buffers fill.
        rig.sinks.iter_mut().for_each(|sink| sink.pace = [1.0, 0.1][round % 2]);
        rig.run(1_500 + 37 * round as u64);
        rig.board.may_lose(port);
        // Both ends in turn.
        match round / PORTS {
            0 => rig.write(port, CTRL, 1 << ctrl::disable::LOW),
            _ => rig.write_far(port, CTRL, 1 << ctrl::disable::LOW),
        }
        for _ in 0..400 {
            rig.board.may_lose(port);
            rig.clock();
        }
        rig.enable(port);
        rig.write_far(port, CTRL, 1 << ctrl::enable::LOW);
        let up = rig
            .run_until(60_000, |rig| {
                rig.board.may_lose(port);
                (0..PORTS).all(|port| rig.is_up(port))
            })
            .is_some();
        assert!(up, "round {round}: up again");
        rig.board.may_lose(port);
        rig.drain("after the kill");
        // All ways are open again.
        before = before.max(rig.board.good);
        for index in 0..PORTS * VLS {
            rig.sources[index].pace = 1.0;
            let good = rig.board.good;
            assert!(
                rig.run_until(3_000, |rig| rig.board.good > good + 2).is_some(),
                "round {round}, source {index}"
            );
            rig.sources[index].pace = 0.0;
        }
        rig.drain("behind it");
    }
    let cut = rig.board.bad[usize::from(BadReason::InputLinkDown.code())];
    println!("{} packets good, {cut} cut, {} lost", rig.board.good, rig.board.lost);
    assert!(cut >= 4 && rig.board.good > before && rig.board.lost > 4);
}
