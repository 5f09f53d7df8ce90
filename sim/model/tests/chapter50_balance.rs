//! Choice of a port at 2 and 4 ports that drain at different rates (chapter 50, 9, point 15).

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::support::random;
use flitforge_model::sue::{Balance, BalanceMode, PortView, Route};
use rand::Rng;

/// Octets that may wait in front of a port.
const ROOM: i64 = 64 * 1024;
/// Largest body.
const LARGEST: i64 = 2048;
/// Octets that go into the ports, all together.
const OCTETS: i64 = 40_000_000;

/// Octets that each port has taken, with bodies offered as fast as the ports drain, or faster. Ports drain so many octets a step.
fn shares(rates: &[i64], credits: bool) -> Vec<i64> {
    let mut random = random("shares");
    let ports = rates.len() as u8;
    let mut balance = Balance::new(ports, 8);
    for (peer, port) in (0..8).flat_map(|peer| (0..ports).map(move |port| (peer, port))) {
        balance.set_reach(peer, port, true);
    }
    let (mut waiting, mut taken) = (vec![0; rates.len()], vec![0; rates.len()]);
    let mut refused = 0;
    while taken.iter().sum::<i64>() < OCTETS {
        for (waits, rate) in waiting.iter_mut().zip(rates) {
            *waits = (*waits - rate).max(0);
        }
        // As many bodies as find room.
        loop {
            let views: Vec<PortView> = waiting
                .iter()
                .map(|waits| PortView {
                    up: true,
                    ready: waits + LARGEST <= ROOM,
                    available: if credits { ROOM } else { 0 } - waits,
                })
                .collect();
            match balance.route(BalanceMode::Unordered, random.random_range(0..8), &views) {
                Route::Port(port) => {
                    let bytes = random.random_range(32..=LARGEST / 2) * 2;
                    waiting[usize::from(port)] += bytes;
                    taken[usize::from(port)] += bytes;
                    balance.went(port);
                }
                Route::Waits => break,
                Route::Nowhere => unreachable!("all ports reach all peers"),
            }
        }
        refused += 1;
    }
    assert!(refused > 1_000, "the ports were never full");
    taken
}

#[test]
fn octets_go_to_ports_as_they_drain() {
    for rates in [
        &[1_000, 3_000][..],
        &[2_000, 2_000],
        &[900, 100],
        &[1_000, 2_000, 3_000, 4_000],
        &[4_000, 1, 1, 4_000],
    ] {
        for credits in [true, false] {
            let taken = shares(rates, credits);
            let (all, rate): (i64, i64) = (taken.iter().sum(), rates.iter().sum());
            for (port, (taken, own)) in taken.iter().zip(rates).enumerate() {
                // Of a port that hardly drains only the first filling counts.
                let wanted = (all * own / rate).max(ROOM);
                let off = (taken - wanted).abs() as f64 / wanted as f64;
                println!("{rates:?}, credits {credits}: port {port} has {taken}, {wanted} wanted");
                assert!(
                    off <= 0.05 || *own == 1 && *taken <= ROOM + OCTETS * own / rate * 2,
                    "{rates:?}, port {port}: {off}"
                );
            }
        }
    }
}

/// A port that is down, or does not reach the peer, gets nothing; the others share.
#[test]
fn a_port_that_cannot_gets_nothing() {
    let mut balance = Balance::new(2, 2);
    balance.set_reach(1, 0, true);
    balance.set_reach(1, 1, true);
    let view = |up, available| PortView { up, ready: true, available };
    let route = |balance: &Balance, views: [PortView; 2]| balance.route(BalanceMode::Unordered, 1, &views);
    assert_eq!(route(&balance, [view(true, 10), view(true, 20)]), Route::Port(1));
    assert_eq!(route(&balance, [view(true, 10), view(false, 20)]), Route::Port(0));
    balance.port_down(1);
    assert_eq!(route(&balance, [view(true, 10), view(true, 20)]), Route::Port(0));
    balance.set_reach(1, 0, false);
    assert_eq!(route(&balance, [view(true, 10), view(true, 20)]), Route::Nowhere);
}
