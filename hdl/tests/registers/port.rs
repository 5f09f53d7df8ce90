//! `RegisterPort` before a page that answers when it likes.

use flitforge_hdl::registers::RegisterPort;
use flitforge_sim::kit::{rng, seed};
use flitforge_sim::Bench;
use rand::Rng;

/// Requests that are held or not, with clears between: each that is taken is asked once, and acknowledged once unless it was cleared.
#[test]
fn a_request_is_asked_once_and_acknowledged_once() {
    let seed = seed(0x9AE1);
    let mut random = rng(seed, "requests");
    let mut bench = flitforge_sim::open("register_port", Box::<RegisterPort<5>>::default()).expect("a bench");
    let handle = |bench: &dyn Bench, path: &str| bench.port(path).expect("a port");
    // A request at work: its address, kind and value.
    let mut work: Option<(u64, u64, u64)> = None;
    let mut asks = false;
    let (mut asked, mut acked, mut cleared) = (0, 0, 0);
    for clock in 0..20_000 {
        let clear = random.random_bool(0.02);
        let wanted = random.random_bool(0.6);
        let now = (random.random_range(0..32), random.random_range(0..2), random.random::<u64>());
        let answers = work.is_some() && !asks && random.random_bool(0.2);
        let shown = if answers { random.random::<u64>() } else { 0 };
        for (path, value) in [
            ("clear", clear.into()),
            ("bus.request", wanted.into()),
            ("bus.address", now.0),
            ("bus.write", now.1),
            ("bus.wdata", now.2),
            ("page.ack", answers.into()),
            ("page.rdata", shown),
        ] {
            let port = handle(bench.as_ref(), path);
            bench.set_u64(port, value);
        }
        bench.settle().expect("settles");
        let get = |path: &str| bench.get_u64(handle(bench.as_ref(), path));
        assert_eq!(get("page.request"), u64::from(asks), "clock {clock}, seed {seed}");
        if let Some((address, write, data)) = work {
            let given = (get("page.address"), get("page.write"), get("page.wdata"));
            assert_eq!(given, (address, write, data), "clock {clock}, seed {seed}");
        }
        assert_eq!((get("bus.ack"), get("bus.rdata")), (answers.into(), shown), "clock {clock}, seed {seed}");
        (asked, acked) = (asked + u64::from(asks), acked + u64::from(answers));
        let takes = wanted && work.is_none() && !clear;
        cleared += u64::from(work.is_some() && clear);
        asks = takes;
        work = match (takes, answers || clear) {
            (true, _) => Some(now),
            (false, true) => None,
            (false, false) => work,
        };
        bench.step().expect("steps");
    }
    assert!(asked > 1_000 && acked > 1_000 && cleared > 50, "{asked} {acked} {cleared}");
}
