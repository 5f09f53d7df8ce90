//! Whole ports over lanes that are exchanged, inverted and late (chapter 10, 4.6 rules 1 to 3, and 9, point 10).

use crate::link_port::rig::{Program, Rig};
use crate::link_port::{quad, short};
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::link_registers::{ctrl, lanes, CTRL, LANES};
use flitforge_sim::kit::seed;
use flitforge_testkit::{is_full, lane_orders, Cable, Clocked, Noise};

/// Two ports with these cables, up.
fn joined(program: &Program, cables: [Cable; 2], seed: u64, what: &str) -> Rig {
    let mut rig = Rig::new(program, seed);
    rig.relayed();
    rig.cables = cables.map(Some);
    rig.pace(0.9);
    rig.enable(0);
    rig.enable(1);
    rig.come_up(what);
    rig
}

/// Traffic both ways comes exactly once.
fn carries(rig: &mut Rig, clocks: u64, what: &str) {
    rig.come_up(what);
    rig.run(300);
    let before = [rig.ends[0].received, rig.ends[1].received];
    rig.run(clocks);
    rig.come_up(what);
    rig.drain(what);
    for (end, before) in before.into_iter().enumerate() {
        let received = rig.ends[end].received - before;
        assert!(received > clocks / 4, "{what}: end {end} received {received} beats");
        assert_eq!(rig.ends[end].lost, 0, "{what}");
    }
}

/// LANES of the receiver of a cable: which lane of its own each of the sender's comes in at, and which are inverted.
fn shows(rig: &mut Rig, end: usize, cable: &Cable, what: &str) {
    let page = rig.read(end, LANES);
    for lane in 0..4 {
        let shown = page >> (lanes::rx_map::LOW + 2 * lane) & 3;
        assert_eq!(shown as usize, cable.to[lane], "{what}: lane {lane} of the peer comes in at");
        let inverted = page >> (lanes::inverted::LOW + cable.to[lane]) & 1;
        assert_eq!(inverted, cable.inverted >> lane & 1, "{what}: lane {lane} of the peer");
    }
    assert_eq!(page >> lanes::rx_active::LOW & 0xF, 0xF, "{what}");
}

/// Every order of lanes; in the quick run one polarity for each, all 16 among them, else all 384.
#[test]
fn lanes_may_be_exchanged_and_inverted() {
    let mut tried = 0;
    for (number, to) in lane_orders().into_iter().enumerate() {
        let polarities: Vec<u64> =
            if is_full() { (0..16).collect() } else { vec![(number as u64 * 5 + 3) % 16] };
        for inverted in polarities {
            // The other direction is another one.
            let cables = [
                Cable::new(to, inverted, [0; 4]),
                Cable::new([to[2], to[3], to[1], to[0]], inverted ^ 0b0110, [3, 0, 1, 2]),
            ];
            let what = format!("lanes {to:?}, polarity {inverted:04b}");
            let program = if number % 4 == 0 { quad() } else { short() };
            let mut rig = joined(program, cables.clone(), seed(0x10_D0), &what);
            assert_eq!([rig.state(0), rig.state(1)], [LinkState::Active; 2], "{what}");
            shows(&mut rig, 1, &cables[0], &what);
            shows(&mut rig, 0, &cables[1], &what);
            carries(&mut rig, 400, &what);
            tried += 1;
        }
    }
    println!("{tried} orders and polarities, each with traffic");
    assert_eq!(tried, if is_full() { 384 } else { 24 });
}

/// Each lane from 7 words early to 7 late against the others, and two lanes 14 words apart; errors in the traffic.
#[test]
fn lanes_may_be_seven_words_early_or_late() {
    let step = if is_full() { 1 } else { 7 };
    for lane in 0..4 {
        for skew in (0..=14).step_by(step) {
            let mut late = [7; 4];
            (late[lane], late[(lane + 1) % 4]) = (skew, 14 - skew);
            let cables = [
                Cable::new([3, 2, 1, 0], 5, late),
                Cable::new([0, 1, 2, 3], 0, [late[1], late[2], late[3], late[0]]),
            ];
            let what = format!("words late: {late:?}");
            let mut rig = joined(if lane == 0 { quad() } else { short() }, cables, seed(0x10_D1), &what);
            rig.noise = [Noise { bit: 0.003, lanes: 0xF, ..Noise::default() }; 2];
            rig.run(600);
            rig.noise = Default::default();
            carries(&mut rig, 400, &what);
        }
    }
}

/// A lane beyond what the FIFOs can take is left out, and the link stays up without it; as soon as it is right, restore brings it back.
#[test]
fn a_lane_with_more_skew_than_the_fifos_take_is_left_out() {
    let mut rig = Rig::new(short(), seed(0x10_D2));
    rig.relayed();
    rig.cables =
        [Some(Cable::new([0, 1, 2, 3], 0, [0, 0, 15, 0])), Some(Cable::new([0, 1, 2, 3], 0, [0; 4]))];
    rig.pace(0.9);
    rig.enable(0);
    rig.enable(1);
    rig.come_up("15 words");
    rig.run(5_000);
    carries(&mut rig, 400, "15 words");
    assert_eq!((noticed(&mut rig)[0], rig.widths(0), rig.widths(1)), (0, (3, 4), (4, 3)));
    rig.cables[0].as_mut().expect("a cable").late[2] = 14;
    rig.write(1, CTRL, 1 << ctrl::enable::LOW | 1 << ctrl::restore::LOW);
    rig.run(200);
    rig.come_up("14 words");
    carries(&mut rig, 400, "14 words");
    assert_eq!((rig.widths(0), rig.widths(1)), ((4, 4), (4, 4)));
}

/// REINIT, DESKEW_LOST and RX_BAD of end 1.
fn noticed(rig: &mut Rig) -> [u64; 3] {
    [LinkCounter::Reinit, LinkCounter::DeskewLost, LinkCounter::RxBad].map(|counter| rig.count(1, counter))
}

/// The skew changes under traffic (section 6). What the FIFOs take is not noticed. A lane that becomes shorter has lost words, and
/// one that becomes longer than the FIFOs stands still: Retraining on all lanes, without loss.
#[test]
fn skew_that_changes_under_traffic() {
    let straight = || Cable::new([0, 1, 2, 3], 0, [2, 4, 3, 2]);
    let mut rig = joined(short(), [straight(), straight()], seed(0x10_D3), "before");
    let late = |rig: &mut Rig, words: usize| rig.cables[0].as_mut().expect("a cable").late[2] = words;
    late(&mut rig, 9);
    carries(&mut rig, 600, "six words later");
    assert_eq!(noticed(&mut rig), [0; 3], "six words later: the FIFOs take it");

    late(&mut rig, 1);
    let gone = rig.run_until(2_000, |rig| !rig.is_up(0) || !rig.is_up(1));
    assert!(gone.is_some(), "eight words earlier: BAD_RUN notices");
    carries(&mut rig, 600, "eight words earlier");
    let [reinit, _, bad] = noticed(&mut rig);
    assert!(reinit == 1 && bad >= 8, "REINIT {reinit}, RX_BAD {bad}");

    late(&mut rig, 23);
    let gone = rig.run_until(2_000, |rig| !rig.is_up(0) || !rig.is_up(1));
    let counted = noticed(&mut rig);
    println!("22 words later: noticed after {gone:?} clocks, REINIT, DESKEW_LOST, RX_BAD {counted:?}");
    assert!(gone.is_some() && counted[1] >= 1, "22 words later: DESKEW_LOST {counted:?}");
    late(&mut rig, 3);
    carries(&mut rig, 600, "as before");
    assert_eq!([rig.state(0), rig.state(1)], [LinkState::Active; 2], "all lanes");
    assert!(noticed(&mut rig)[0] >= 2);
    assert_eq!(rig.ends[0].lost + rig.ends[1].lost, 0);
}
