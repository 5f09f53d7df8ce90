//! What software, resets and the lane test do to a port, in mid-transfer too; and what the register page shows.

use crate::link_port::pair::{FAR_GUID, NEAR_GUID};
use crate::link_port::rig::Rig;
use crate::link_port::{short, wide};
use flitforge_elaborate::Value;
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::link_registers::{
    cap, ctrl, event, id, lanes, lat, rtt, status, CAP, CRC_CFG, CTRL, EVENT, GUID, ID, LANES, LAT, MASK,
    PAGE_ID, PEER_GUID, RTT, SEQ, STATUS,
};
use flitforge_sim::kit::seed;
use flitforge_testkit::{is_full, Clocked, Noise};
use rand::Rng as _;

#[test]
fn the_page_shows_the_port() {
    let mut rig = Rig::new(wide(), seed(0x10_90));
    rig.write(0, MASK, 1 << event::up::LOW);
    assert_eq!(rig.get("interrupt[0]"), 0);
    rig.pace(1.0);
    rig.enable(0);
    rig.enable(1);
    rig.come_up("registers");
    rig.run(2_000);
    rig.drain("registers");
    assert_eq!(rig.get("interrupt[0]"), 1, "up");
    rig.write(0, EVENT, 1 << event::up::LOW);
    rig.run(4);
    assert_eq!(rig.get("interrupt[0]"), 0, "cleared");
    assert_eq!(rig.read(0, ID) & id::magic::FIELD.ones(), PAGE_ID);
    let built = rig.read(0, CAP);
    let field = |low: usize, bits: usize| built >> low & ((1 << bits) - 1);
    assert_eq!(field(cap::crc::LOW, cap::crc::WIDTH), 1, "mode 1 beside mode 0");
    assert_eq!(field(cap::log2_flits::LOW, cap::log2_flits::WIDTH), 1);
    assert_eq!(field(cap::lanes::LOW, cap::lanes::WIDTH), 4);
    assert_eq!(field(cap::log2_slots::LOW, cap::log2_slots::WIDTH), 7);
    let now = rig.read(0, STATUS);
    assert_eq!(now & 7, u64::from(LinkState::Active.code()));
    assert_eq!(
        (now >> status::tx_mode::LOW & 3, now >> status::rx_mode::LOW & 3),
        (1, 1),
        "mode 1 is preferred"
    );
    assert_eq!(now >> status::epoch::LOW, 1);
    assert_eq!(rig.read(0, LANES), 0xF << lanes::allowed::LOW | 0xE4 << lanes::rx_map::LOW | 0xFF);
    assert_eq!((rig.read(0, GUID), rig.read(0, PEER_GUID)), (NEAR_GUID, FAR_GUID));
    assert_eq!((rig.read(1, GUID), rig.read(1, PEER_GUID)), (FAR_GUID, NEAR_GUID));
    let latency = rig.read(0, LAT);
    assert_eq!(latency >> lat::epoch::LOW & 0xFFFF, 1, "LINK_EPOCH");
    let trip = rig.read(0, RTT);
    let (clocks, ltps) = (trip & rtt::clocks::FIELD.ones(), trip >> rtt::ltps::LOW & 0xFFFF);
    assert!(
        (40..120).contains(&clocks) && ltps.abs_diff(clocks * 4 / 33) <= 2,
        "RTT {clocks} clocks, {ltps} LTPs"
    );
    // Numbers agree: what one has written, the other has accepted, but for what is on its way.
    let (near, far) = (rig.read(0, SEQ), rig.read(1, SEQ));
    let (write, next) = (near >> 32 & 0xFFFF, far >> 16 & 0xFFFF);
    assert!(next.abs_diff(write) < 16, "NxtWr {write}, NxtRx {next}");
    let (sent, nulls) = (rig.count(0, LinkCounter::TxLtp), rig.count(0, LinkCounter::NullTx));
    let good = rig.count(1, LinkCounter::RxGood);
    assert!(nulls > 4 && sent.abs_diff(good) < 16, "{sent} sent, {good} good, {nulls} Null");
}

/// Words of end 0 stop when it goes Down: a PHY has no signal then.
fn signals(rig: &mut Rig) {
    for end in 0..2 {
        let silent = rig.state(1 - end) == LinkState::Down;
        rig.set(&format!("signal_ok[{end}]"), if silent { 0 } else { 0xF });
    }
}

#[test]
fn disable_in_mid_transfer_and_enable_again() {
    let mut rig = Rig::up(wide(), seed(0x10_91), 0.9);
    for round in 0..5 {
        rig.run(700 + 13 * round);
        rig.write(0, CTRL, 1 << ctrl::enable::LOW | 1 << ctrl::disable::LOW);
        // Set again at once: the link goes Down all the same.
        rig.enable(0);
        assert!(rig.run_until(200, |rig| rig.state(0) == LinkState::Down).is_some(), "round {round}");
        assert!(rig.run_until(200, |rig| rig.state(0) == LinkState::Polling).is_some(), "round {round}");
        assert_eq!(rig.read(0, EVENT) >> event::down::LOW & 1, 1);
        rig.run(50);
        rig.come_up("enabled again");
        rig.run(500);
        rig.drain("enabled again");
    }
    assert!(rig.count(1, LinkCounter::LostOnReset) > 0);
    // Disabled for good: nothing is taken.
    rig.write(0, CTRL, 1 << ctrl::disable::LOW);
    rig.run_until(200, |rig| rig.state(0) == LinkState::Down).expect("Down");
    assert_eq!(rig.read(0, CTRL), 0);
    let sent = rig.ends[0].sent;
    for _ in 0..10_000 {
        signals(&mut rig);
        rig.clock();
    }
    assert_eq!(rig.ends[0].sent, sent);
    assert_eq!(rig.state(0), LinkState::Down);
}

#[test]
fn retrain_by_register_keeps_every_flit() {
    let mut rig = Rig::up(short(), seed(0x10_92), 0.9);
    for round in 0..10 {
        rig.run(300 + 37 * round);
        let end = (round % 2) as usize;
        rig.write(end, CTRL, 1 << ctrl::enable::LOW | 1 << ctrl::retrain::LOW);
        rig.run(100);
        rig.come_up("retrained");
    }
    rig.drain("retrained");
    assert_eq!(rig.ends[0].lost + rig.ends[1].lost, 0);
    assert_eq!((rig.count(0, LinkCounter::Reinit), rig.count(1, LinkCounter::Reinit)), (10, 10));
    assert_eq!(rig.count(0, LinkCounter::LostOnReset) + rig.count(1, LinkCounter::LostOnReset), 0);
    assert_eq!(rig.read(0, LAT) >> lat::epoch::LOW & 0xFFFF, 11);
}

#[test]
fn mode_0_if_it_is_preferred() {
    let mut rig = Rig::new(wide(), seed(0x10_93));
    for end in 0..2 {
        rig.write(end, CRC_CFG, 7);
    }
    rig.pace(0.9);
    rig.enable(0);
    rig.enable(1);
    rig.come_up("mode 0");
    // Only in Down it can be written.
    rig.write(0, CRC_CFG, 1);
    assert_eq!(rig.read(0, CRC_CFG), 7);
    rig.noise = [Noise { bit: 0.003, lanes: 0xF, ..Noise::default() }; 2];
    rig.run(6_000);
    rig.noise = Default::default();
    rig.come_up("mode 0");
    rig.drain("mode 0");
    assert_eq!(rig.read(0, STATUS) >> status::tx_mode::LOW & 0xF, 0);
    assert_eq!(rig.ends[0].lost + rig.ends[1].lost, 0);
}

#[test]
fn time_flits_are_dropped_or_held_while_no_ltp_takes_them() {
    let mut rig = Rig::new(wide(), seed(0x10_94));
    // A beat of two time flits in Down: DROP takes and counts both of them.
    let beat = {
        let mut beat = Value::zero(130);
        (0..48).for_each(|bit| beat.set_bit(bit, bit % 5 == 0));
        for slot in 0..2u32 {
            [57, 58].into_iter().for_each(|bit| beat.set_bit(65 * slot + bit, true));
            [48, 49].into_iter().for_each(|bit| beat.set_bit(65 * slot + bit, bit == 48 + slot));
        }
        beat
    };
    let (data, valid) = (rig.block.handle("time_in[0].data"), rig.block.handle("time_in[0].valid"));
    rig.block.instance.set_words(data, beat.words());
    rig.block.instance.set(valid, 1);
    rig.run(3);
    rig.block.instance.set(valid, 0);
    assert_eq!(rig.count(0, LinkCounter::TimeDropped), 6);
    // HOLD waits, and the beat comes out on the other side.
    rig.set("time_mode[0]", 1);
    rig.block.instance.set(valid, 1);
    rig.run(50);
    assert_eq!(rig.get("time_in[0].ready"), 0);
    rig.enable(0);
    rig.enable(1);
    let taken = rig.run_until(5_000, |rig| rig.get("time_in[0].ready") == 1);
    assert!(taken.is_some());
    rig.clock();
    rig.block.instance.set(valid, 0);
    let came = rig.run_until(200, |rig| rig.get("spc_out[1].valid") == 1);
    assert!(came.is_some());
    let out = rig.block.handle("spc_out[1].data");
    assert_eq!(rig.block.instance.words(out), beat.words());
    assert_eq!(rig.count(0, LinkCounter::TimeDropped), 6);
}

#[test]
fn the_lane_test_has_the_rows_and_no_flit_is_lost() {
    let mut rig = Rig::up(wide(), seed(0x10_95), 0.9);
    rig.run(500);
    for end in 0..2 {
        rig.set(&format!("bist_start[{end}]"), 1);
    }
    rig.clock();
    for end in 0..2 {
        rig.set(&format!("bist_start[{end}]"), 0);
    }
    let in_test = |rig: &mut Rig| (0..2).all(|end| rig.state(end) == LinkState::Bist);
    assert!(rig.run_until(200, in_test).is_some());
    rig.run(100);
    let sent = rig.ends[0].sent;
    let written = rig.read(0, SEQ);
    let (data, valid) = (rig.block.handle("test_rows_in[0].data"), rig.block.handle("test_rows_in[0].valid"));
    let (out, found) =
        (rig.block.handle("test_rows_out[1].data"), rig.block.handle("test_rows_out[1].valid"));
    let (mut given, mut came) = (0u64, 0u64);
    for _ in 0..200 {
        rig.block.instance.set_words(data, &[given, !given]);
        rig.block.instance.set(valid, 1);
        given += rig.get("test_rows_in[0].ready");
        if rig.block.instance.get(found) == 1 {
            assert_eq!(rig.block.instance.words(out), [came, !came]);
            came += 1;
        }
        rig.clock();
    }
    rig.block.instance.set(valid, 0);
    assert!(came > 180, "{came} rows of the test");
    assert_eq!(rig.ends[0].sent, sent, "no flit is taken in Bist");
    assert_eq!(rig.read(0, SEQ), written, "no slot is written in Bist");
    for end in 0..2 {
        rig.set(&format!("bist_end[{end}]"), 1);
    }
    rig.clock();
    for end in 0..2 {
        rig.set(&format!("bist_end[{end}]"), 0);
    }
    rig.run(300);
    rig.come_up("after the lane test");
    rig.run(500);
    rig.drain("after the lane test");
    assert_eq!(rig.ends[0].lost + rig.ends[1].lost, 0);
}

/// Resets, Retraining, Down, errors and dead lanes at random moments: nothing ever comes twice, out of order or changed,
/// the link always comes up again, and what is lost was announced by LOST_ON_RESET, or was in the buffer of an end that was reset.
#[test]
fn whatever_happens_the_link_comes_up_again() {
    let seed = seed(0x10_96);
    println!("FLITFORGE_SEED={seed}");
    let mut rig = Rig::up(short(), seed, 0.9);
    let rounds = if is_full() { 400 } else { 25 };
    let mut resets = [0u64; 2];
    for round in 0..rounds {
        for _ in 0..rig.rng.random_range(1..6) {
            let clocks = rig.rng.random_range(1..600);
            rig.run(clocks);
            let end = rig.rng.random_range(0..2);
            match rig.rng.random_range(0..6) {
                0 => {
                    resets[end] += 1;
                    rig.pulse(&format!("clear[{end}]"));
                }
                1 => rig.write(end, CTRL, 1 << ctrl::enable::LOW | 1 << ctrl::retrain::LOW),
                2 => rig.write(end, CTRL, 1 << ctrl::enable::LOW | 1 << ctrl::restore::LOW),
                3 => rig.write(end, CTRL, 1 << ctrl::disable::LOW),
                4 => rig.noise[end] = Noise { bit: 0.01, burst: 0.002, lanes: 0xF, ..Noise::default() },
                _ => rig.pulse(&format!("elastic_error[{end}]")),
            }
        }
        rig.noise = Default::default();
        for end in 0..2 {
            rig.enable(end);
        }
        for _ in 0..3_000 {
            signals(&mut rig);
            rig.clock();
        }
        for end in 0..2 {
            rig.set(&format!("signal_ok[{end}]"), 0xF);
        }
        rig.come_up(&format!("round {round}"));
        rig.run(300);
        rig.drain(&format!("round {round}"));
    }
    for end in 0..2 {
        println!("end {end}: {:?}", rig.ends[end]);
        assert!(rig.ends[end].received > 10_000);
        // A reset of the sender forgets a full buffer without a count.
        let announced = rig.count(1 - end, LinkCounter::LostOnReset) + 16 * resets[1 - end];
        assert!(
            rig.ends[end].lost <= announced * 8,
            "{} lost, {announced} LTPs announced",
            rig.ends[end].lost
        );
    }
}
