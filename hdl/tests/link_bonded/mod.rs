//! `link_bonded_port`: two links as one. Wide beats exactly once whatever each link does, crossed cables, a link that goes Down, the
//! registers of the bond, the sideband.

#![allow(clippy::expect_used)] // tests

mod equal;
mod pair;
mod rig;

use flitforge_hdl::link::bonded::{BondedConfig, LinkBondedPort1};
use flitforge_hdl::link::port::PortConfig;
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::link_registers::{counter_offset, ctrl, status, BOND_SKEW, CTRL, STATUS};
use flitforge_sim::kit::seed;
use flitforge_testkit::{is_full, Clocked};
use pair::SLOTS;
use rand::Rng as _;
use rig::Rig;

/// Shares in R LTPs at F = 1: what a port may be ahead of the other.
const ROOM: u64 = 16 * SLOTS as u64;

/// BOND_SKEW of both ends is what the shares on their ports say, and what the FIFOs hold.
fn skews(rig: &mut Rig, what: &str) -> [u64; 2] {
    [0, 1].map(|end| {
        let pages = [0, 1].map(|link| rig.read(end, link, BOND_SKEW));
        assert_eq!(pages, [rig.ends[end].most; 2], "{what}: end {end}");
        assert!(pages[0] <= ROOM + 2, "{what}: end {end} had {} shares of a port", pages[0]);
        pages[0]
    })
}

#[test]
fn wide_beats_come_once_and_in_order_whatever_each_link_does() {
    for crossed in [false, true] {
        let what = if crossed { "crossed" } else { "straight" };
        let mut rig = Rig::up(seed(0x10_B8), crossed, 0.5);
        for link in 0..4 {
            let page = rig.read(link / 2, link % 2, STATUS);
            assert_eq!(page >> status::bonded::LOW & 1, 1, "{what}: link {link}");
            assert_eq!(page >> status::tx_mode::LOW & 0xF, 0b0101, "{what}: link {link} is in mode 1");
        }
        let quiet = rig.clock;
        rig.run(1_500);
        let before = skews(&mut rig, what);
        println!(
            "{what}: {} wide beats in {} clocks, BOND_SKEW {before:?}",
            rig.ends[1].received,
            rig.clock - quiet
        );
        for round in 0..if is_full() { 60 } else { 4 } {
            rig.noise = [[0.003, 0.0, 0.001, 0.01], [0.01, 0.002, 0.0, 0.003]][round % 2];
            rig.run(4_000);
        }
        rig.noise = [0.0; 4];
        rig.come_up(what);
        rig.drain(what);
        let after = skews(&mut rig, what);
        let counts = [0, 1, 2, 3].map(|link| {
            let counters = [LinkCounter::RxBad, LinkCounter::Replayed, LinkCounter::LostOnReset];
            counters.map(|counter| rig.read(link / 2, link % 2, counter_offset(counter)))
        });
        println!(
            "{what}: {} and {} wide beats, RX_BAD, REPLAYED, LOST_ON_RESET {counts:?}, BOND_SKEW {after:?}",
            rig.ends[0].received, rig.ends[1].received
        );
        assert!(counts.iter().all(|[_, replayed, lost]| *replayed > 10 && *lost == 0), "{what}: {counts:?}");
        assert!(
            after[0] > before[0] && after[1] > before[1],
            "{what}: a port that repeats lets the other wait"
        );
        for end in &rig.ends {
            assert!(end.received > 1_200 && end.lost == 0, "{what}: {end:?}");
        }
    }
}

/// A late cable is waited for.
#[test]
fn a_late_link_shows_in_bond_skew() {
    let mut rig = Rig::new(seed(0x10_B9));
    rig.set("delay[1]", 15);
    rig.ends.iter_mut().for_each(|end| end.pace = 0.4);
    rig.enable();
    rig.come_up("a late link");
    rig.run(2_000);
    rig.drain("a late link");
    let [there, late] = skews(&mut rig, "a late link");
    println!("BOND_SKEW {there} at end 0, {late} behind the link that is 15 words late");
    assert!(late > there, "{late}, {there}");
    assert_eq!(rig.ends[0].lost + rig.ends[1].lost, 0);
}

#[test]
fn a_link_that_goes_down_takes_the_bond_down_and_all_come_up_afresh() {
    let mut rig = Rig::up(seed(0x10_BA), true, 0.5);
    rig.run(500);
    let restarts = [0, 1].map(|end| rig.ends[end].restarts);
    // Link 1 of end 0, which is link 0 of end 1, is cut.
    rig.set("alive", 0b1001);
    let down = rig.run_until(20_000, |rig| rig.get("up[0]") == 0 && rig.get("up[1]") == 0);
    assert!(down.is_some(), "the bond is down");
    rig.run(2);
    let fell = [0, 1].map(|end| rig.ends[end].restarts);
    assert!(fell[0] > restarts[0] && fell[1] > restarts[1]);
    let sent = [0, 1].map(|end| rig.ends[end].sent);
    rig.run(6_000);
    assert!(
        !rig.is_up() && sent == [0, 1].map(|end| rig.ends[end].sent),
        "nothing is taken with a link missing"
    );
    let states = rig.states();
    assert!(states.contains(&LinkState::Active.code().into()), "the other link waits: {states:?}");
    rig.set("alive", 0xF);
    let clocks = rig.come_up("joined again");
    let before = [0, 1].map(|end| rig.ends[end].received);
    rig.run(2_000);
    rig.drain("joined again");
    println!("down {} clocks behind the cut, up {clocks} behind the repair", down.unwrap_or_default());
    for (end, before) in rig.ends.iter().zip(before) {
        assert!(end.received > before + 200, "{end:?}");
    }
}

/// A link is disabled soon after the bond came up, when little or nothing has got into an LTP yet: what is lost, also of what waits at the ingress,
/// is what LOST_ON_RESET says, 16 flits per count of a link.
#[test]
fn nothing_is_lost_by_a_fall_beyond_what_the_links_count() {
    let seed = seed(0x10_BF);
    println!("FLITFORGE_SEED={seed}");
    let told = |rig: &mut Rig, end: usize| -> u64 {
        (0..2).map(|link| rig.read(end, link, counter_offset(LinkCounter::LostOnReset))).sum()
    };
    let disable = |rig: &mut Rig| {
        let (end, link) = (rig.rng.random_range(0..2), rig.rng.random_range(0..2));
        rig.write(end, link, CTRL, 1 << ctrl::enable::LOW | 1 << ctrl::disable::LOW);
    };
    let mut rig = Rig::up(seed, false, 0.0);
    let (mut ingresses, mut lost) = (0, 0);
    for round in 0..if is_full() { 200 } else { 24 } {
        let what = format!("round {round}");
        // A fall with nothing on its way, and soon after it one with traffic.
        disable(&mut rig);
        rig.run_until(20_000, |rig| rig.get("up[0]") == 0 && rig.get("up[1]") == 0);
        rig.enable();
        rig.ends.iter_mut().for_each(|end| end.pace = 1.0);
        rig.run_until(20_000, |rig| rig.get("up[0]") == 1 || rig.get("up[1]") == 1);
        let before = [0, 1].map(|end| (told(&mut rig, end), rig.ends[1 - end].lost));
        let clocks = rig.rng.random_range(0..80);
        rig.run(clocks);
        disable(&mut rig);
        rig.run(200);
        rig.enable();
        rig.run(3_000);
        rig.come_up(&what);
        rig.run(300);
        rig.drain(&what);
        rig.ends.iter_mut().for_each(|end| end.pace = 0.0);
        for (end, (told_before, lost_before)) in before.into_iter().enumerate() {
            let counted = told(&mut rig, end) - told_before;
            let missing = rig.ends[1 - end].lost - lost_before;
            assert!(missing <= 16 * counted, "{what}: {missing} wide beats of end {end}, {counted} LTPs");
            // One for the ingress of each link, and no LTP.
            ingresses += u64::from(missing > 0 && counted <= 2);
            lost += missing;
        }
    }
    println!("{lost} wide beats lost; {ingresses} times only ingresses had something to tell of");
    assert!(ingresses > 0, "some falls have only ingress to tell of");
}

/// CTRL.disable, Retraining, resets and cuts of single links at random: nothing comes twice, changed or out of order, shares are never put
/// together wrongly, and the bond always comes up again.
#[test]
fn whatever_happens_to_single_links_the_bond_comes_up_again() {
    let seed = seed(0x10_BB);
    println!("FLITFORGE_SEED={seed}");
    let mut rig = Rig::up(seed, false, 0.5);
    for round in 0..if is_full() { 200 } else { 14 } {
        for _ in 0..rig.rng.random_range(1..4) {
            let clocks = rig.rng.random_range(1..500);
            rig.run(clocks);
            let (end, link, way) =
                (rig.rng.random_range(0..2), rig.rng.random_range(0..2), rig.rng.random_range(0..4));
            match rig.rng.random_range(0..5) {
                0 => rig.write(end, link, CTRL, 1 << ctrl::enable::LOW | 1 << ctrl::disable::LOW),
                1 => rig.write(end, link, CTRL, 1 << ctrl::enable::LOW | 1 << ctrl::retrain::LOW),
                2 => {
                    rig.set(&format!("clear[{end}]"), 1);
                    rig.clock();
                    rig.set(&format!("clear[{end}]"), 0);
                }
                3 => rig.noise[way] = 0.02,
                _ => {
                    rig.set("alive", 0xF & !(1 << way));
                    let clocks = rig.rng.random_range(1..3_000);
                    rig.run(clocks);
                    rig.set("alive", 0xF);
                }
            }
        }
        rig.noise = [0.0; 4];
        rig.enable();
        rig.run(3_000);
        rig.come_up(&format!("round {round}"));
        rig.run(300);
        rig.drain(&format!("round {round}"));
    }
    println!("{:?}", rig.ends);
    assert!(rig.ends.iter().all(|end| end.received > 1_000 && end.restarts > 5));
}

#[test]
fn messages_of_the_sideband_come_out_of_one_flow() {
    let mut rig = Rig::up(seed(0x10_BC), true, 0.5);
    rig.noise = [0.002, 0.0, 0.0, 0.001];
    for message in 1..60 {
        rig.side = Some(message * 4 + 1);
        let taken = rig.run_until(3_000, |rig| rig.side.is_none());
        assert!(taken.is_some(), "message {message}");
    }
    rig.noise = [0.0; 4];
    rig.run(1_500);
    assert_eq!(rig.ends[1].messages, rig.side_sent);
    assert_eq!(rig.ends[1].messages.len(), 59);
    assert!(rig.ends[0].messages.is_empty(), "end 1 sends none");
}

/// A page of no link reads 0 and is answered.
#[test]
fn pages_that_are_not_there_read_0() {
    let mut rig = Rig::new(seed(0x10_BD));
    for link in 2..4 {
        rig.write(0, link, CTRL, 1);
        assert_eq!(rig.read(0, link, CTRL), 0);
    }
    assert_eq!([0, 1].map(|link| rig.read(0, link, CTRL)), [0; 2]);
    rig.write(0, 1, CTRL, 1);
    assert_eq!([0, 1].map(|link| rig.read(0, link, CTRL) & 1), [0, 1]);
}

#[test]
fn wrong_parameters_are_refused() {
    let good = BondedConfig { links: 2, port: PortConfig::short(1, 1, SLOTS) };
    let wrong =
        |config: BondedConfig| LinkBondedPort1::<4, 8, 9>::new(&config).err().map(|error| error.parameter);
    assert_eq!(wrong(good), None);
    assert_eq!(wrong(BondedConfig { links: 5, ..good }).as_deref(), Some("links"));
    assert_eq!(wrong(BondedConfig { links: 3, ..good }).as_deref(), Some("links of the type"));
    assert!(wrong(BondedConfig { port: PortConfig::short(1, 2, SLOTS), ..good }).is_some());
    assert!(wrong(BondedConfig { port: PortConfig::short(2, 1, SLOTS), ..good }).is_some());
}
