//! The manager library at two ports in hardware, over the register bus.

use crate::link_port::rig::Rig;
use crate::link_port::wide;
use flitforge_fabric::link_manager::{
    AccessError, Action, DeviceId, LaneHistory, LaneRules, LinkManager, LinkManagerConfig, LinkManagerError,
    PortId, RegisterAccess,
};
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::link_registers::{degrade, DEGRADE};
use flitforge_sim::kit::seed;
use flitforge_testkit::{Clocked, Noise};

/// Clocks of a microsecond.
const CLOCKS_PER_US: u64 = 125;
const ENDS: [PortId; 2] = [PortId { device: 0, port: 0 }, PortId { device: 1, port: 0 }];

/// Each end is a device with one port.
struct Bus<'a>(&'a mut Rig);

impl RegisterAccess for Bus<'_> {
    fn read(&mut self, device: DeviceId, offset: u32) -> Result<u64, AccessError> {
        Ok(self.0.read(device as usize, offset))
    }

    fn write(&mut self, device: DeviceId, offset: u32, value: u64) -> Result<(), AccessError> {
        self.0.write(device as usize, offset, value);
        Ok(())
    }

    fn wait_us(&mut self, microseconds: u64) {
        self.0.run(microseconds * CLOCKS_PER_US);
    }
}

fn manager() -> LinkManager {
    let lanes = LaneRules { samples: 8, min_ltps: 2_000, remove_per_million: 500, restore_after: 2 };
    let config = LinkManagerConfig { up_limit_us: 200, up_poll_us: 10, lanes };
    LinkManager::new(config).expect("a configuration")
}

/// Nobody removes lanes but the manager: one that is noisy in one direction goes and comes back, and nothing is lost.
#[test]
fn the_manager_takes_a_noisy_lane_out_and_puts_it_back() {
    let mut rig = Rig::new(wide(), seed(0x10_A7));
    let mut manager = manager();
    rig.pace(0.9);
    // Alone, an end does not come up; then both do.
    let error = manager.bring_up(&mut Bus(&mut rig), ENDS[0]).expect_err("the peer is off");
    assert!(
        matches!(error, LinkManagerError::NotUp { state: Some(state), .. } if state != LinkState::Active),
        "{error}"
    );
    manager.enable(&mut Bus(&mut rig), ENDS[1]).unwrap_or_else(|error| panic!("{error}"));
    for end in ENDS {
        manager.bring_up(&mut Bus(&mut rig), end).unwrap_or_else(|error| panic!("{error}"));
    }
    for end in 0..2 {
        rig.write(end, DEGRADE, 2 << degrade::threshold::LOW | 2 << degrade::stand_out::LOW);
    }
    rig.noise[0] = Noise { bit: 0.002, lanes: 0b0010, ..Noise::default() };
    let sample = |manager: &mut LinkManager, rig: &mut Rig| {
        rig.run(8_000);
        for end in ENDS {
            manager.poll(&mut Bus(rig), end).unwrap_or_else(|error| panic!("{error}"));
        }
        manager.proposals()
    };
    let proposal = (0..20).find_map(|_| sample(&mut manager, &mut rig).pop()).expect("a proposal");
    assert_eq!((proposal.port, proposal.lane, proposal.action), (ENDS[1], 1, Action::Remove), "{proposal}");
    let bad = manager.last(ENDS[1]).map(|sample| sample.count(LinkCounter::RxBad));
    assert!(
        bad > Some(0)
            && manager.history(ENDS[0], 1).map(LaneHistory::totals).is_some_and(|(bad, _)| bad == 0)
    );
    manager.apply(&mut Bus(&mut rig), &proposal).expect("applied");
    rig.run(200);
    rig.come_up("a lane less");
    assert_eq!(rig.get("rx_lanes[1]"), 0b1101);
    rig.noise[0] = Noise::default();
    let proposal = (0..20).find_map(|_| sample(&mut manager, &mut rig).pop()).expect("a proposal");
    assert_eq!((proposal.port, proposal.lane, proposal.action), (ENDS[1], 1, Action::Restore), "{proposal}");
    manager.apply(&mut Bus(&mut rig), &proposal).expect("applied");
    rig.run(200);
    rig.come_up("restored");
    assert_eq!([rig.widths(0), rig.widths(1)], [(4, 4); 2]);
    rig.run(1_000);
    rig.drain("all lanes");
    assert_eq!(rig.ends[0].lost + rig.ends[1].lost, 0);
}

/// What a restart of the peer loses is reported once, by the end that had sent it.
#[test]
fn the_manager_reports_what_a_restart_lost() {
    let mut rig = Rig::up(wide(), seed(0x10_A8), 1.0);
    let mut manager = manager();
    for end in ENDS {
        manager.poll(&mut Bus(&mut rig), end).unwrap_or_else(|error| panic!("{error}"));
    }
    rig.run(500);
    rig.pulse("clear[1]");
    rig.run(100);
    rig.come_up("restarted");
    let lost = rig.count(0, LinkCounter::LostOnReset);
    let error = manager.poll(&mut Bus(&mut rig), ENDS[0]).map(|_| ()).expect_err("lost");
    assert_eq!(error, LinkManagerError::LostOnReset { port: ENDS[0], ltps: lost });
    assert!(manager.poll(&mut Bus(&mut rig), ENDS[0]).is_ok(), "once");
}
