//! Registers of the sublayer on the bus.

use crate::fab_port::flow::Flow;
use crate::fab_port::pair::{BUFFER, MTU};
use crate::fab_port::rig::Rig;
use crate::fab_port::{narrow, wide};
use flitforge_hdl::fabric::port::{FabPort2, FabPortConfig};
use flitforge_hdl::link::port::PortConfig;
use flitforge_protocol::link_registers::{cap, cred, CAP, CRED, CREDIT, CU};
use flitforge_sim::kit::seed;
use flitforge_testkit::Clocked;

/// Register CRED of a lane: tx, occupied, pending.
fn credits(rig: &mut Rig, end: usize, vl: usize) -> [u64; 3] {
    let value = rig.read(end, CRED + 8 * vl as u32);
    [cred::tx::LOW, cred::occupied::LOW, cred::pending::LOW].map(|low| value >> low & 0xFFFF)
}

#[test]
fn registers_say_where_the_credits_are() {
    let mut rig = Rig::up(wide(), seed(0x10_C4), 0.0);
    rig.run(1_000);
    let size = rig.flows[0].size();
    assert_eq!(size, BUFFER as u64 / 64);
    for vl in 0..rig.vls {
        assert_eq!(credits(&mut rig, 0, vl), [size, 0, 0], "lane {vl}: all is given");
    }
    let beyond = rig.vls;
    assert_eq!(credits(&mut rig, 0, beyond), [0; 3], "a lane that is not built");
    // End 1 takes nothing from lane 3: its buffer fills, and end 0 has no credit left for it.
    rig.sinks[1][3].pace = 0.0;
    rig.sources[0][3].pace = 1.0;
    rig.run(2_000);
    let occupied = u64::from(rig.flows[0].occupied(3));
    assert!(occupied >= size - 1, "{occupied}");
    assert_eq!(credits(&mut rig, 1, 3), [size, occupied, size - occupied - rig.flows[0].available(3) as u64]);
    assert_eq!(credits(&mut rig, 0, 3), [rig.flows[0].available(3).into(), 0, 0]);
    rig.drain("registers");
    assert_eq!(credits(&mut rig, 1, 3), [size, 0, 0]);
    let shown = rig.read(0, CAP);
    assert_eq!(shown >> cap::vls::LOW & 0x1F, rig.vls as u64);
    assert_eq!(shown >> cap::mtu::LOW & 0x3FFF, MTU as u64);
}

#[test]
fn unit_and_table_are_those_of_the_registers() {
    for (program, flits, v_au) in [(wide(), 2, 1), (wide(), 2, 5), (narrow(), 1, 0), (narrow(), 1, 4)] {
        let mut rig = Rig::new(program, seed(0x10_C5));
        let units = [0, 3, 1, 9, 1, 27, 2, 200];
        for end in 0..2 {
            rig.write(end, CREDIT, v_au | 20 << 8);
            rig.write(end, CU, u64::from_le_bytes(units));
            rig.flows[end] = Flow::new(flits, rig.vls, BUFFER, v_au as u32, units, MTU);
        }
        rig.sink_pace(0.4);
        rig.start(0.9);
        // Not any more: the link is not Down.
        rig.write(0, CREDIT, 7);
        assert_eq!(rig.read(0, CREDIT), v_au | 20 << 8);
        rig.run(3_000);
        rig.drain("other units");
        let good: u64 = rig.sinks.iter().flatten().map(|sink| sink.good).sum();
        println!("vAU {v_au}: {good} packets, {} clocks audited", rig.flows[0].audited);
        assert!(good > 50 && rig.flows[0].audited > 2_000);
    }
}

#[test]
fn what_cannot_work_is_refused() {
    let link = PortConfig::short(2, 4, 16);
    let good = FabPortConfig::new(link, 4, BUFFER).with_mtu(MTU);
    assert!(good.check().is_ok());
    let bad = [
        ("no virtual lane", FabPortConfig::new(link, 0, BUFFER).with_mtu(MTU)),
        ("17 virtual lanes", FabPortConfig::new(link, 17, BUFFER).with_mtu(MTU)),
        ("a packet larger than its buffer", FabPortConfig::new(link, 4, BUFFER).with_mtu(1_024)),
        ("a buffer below an AU", FabPortConfig::new(link, 4, 512).with_mtu(MTU)),
        ("an MTU below 256", FabPortConfig::new(link, 4, BUFFER).with_mtu(100)),
        (
            "management without a lane of its own",
            FabPortConfig { management: true, ..FabPortConfig::new(link, 1, BUFFER).with_mtu(MTU) },
        ),
    ];
    for (what, config) in bad {
        assert!(config.check().is_err(), "{what}");
    }
    type Port = FabPort2<4, 4, 7, 4, 5, 64, 6, 7>;
    let other = FabPortConfig::new(link, 4, 2 * BUFFER).with_mtu(MTU);
    assert!(Port::new(&other).err().is_some_and(|error| error.to_string().contains("B")));
}
