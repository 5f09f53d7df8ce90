use flitforge_hdl::prim::AsyncFifo;
use flitforge_testkit::{random, Clocked, StockBlock};
use rand::Rng;
use rust_hdl::prelude::*;
use std::collections::VecDeque;

type Uut = AsyncFifo<Bits<32>, 4, 5>;

#[test]
fn wrong_parameters_are_refused() {
    assert!(AsyncFifo::<Bits<8>, 4, 4>::new().is_err());
    assert!(AsyncFifo::<Bits<8>, 2, 3>::new().is_err());
}

#[test]
fn it_takes_no_more_than_it_holds_and_gives_no_more_than_it_took() {
    let mut bench = StockBlock::new(Uut::new().unwrap());
    bench.set("words_in.valid", 1);
    let mut taken = 0;
    for _ in 0..60 {
        taken += bench.get("words_in.ready");
        bench.set("words_in.data", taken);
        bench.edge(&["write_clock", "read_clock"]);
    }
    assert_eq!(taken, 17);
    bench.set("words_in.valid", 0).set("words_out.ready", 1);
    let mut given = 0;
    for _ in 0..60 {
        given += bench.get("words_out.valid");
        bench.edge(&["write_clock", "read_clock"]);
    }
    assert_eq!(given, 17);
    bench.set("write_clear", 1).set("words_in.valid", 1);
    assert_eq!(bench.get("words_in.ready"), 0, "ready while cleared");
}

/// Edges of two clocks of different, wandering rates; order and number of the words.
#[test]
fn words_cross_in_order() {
    let mut rng = random();
    let mut bench = StockBlock::new(Uut::new().unwrap());
    let (mut held, mut next, mut given) = (VecDeque::new(), 1u64, 0);
    for step in 0..30_000 {
        let write_share = [0.2, 0.5, 0.8][step / 1000 % 3];
        let writes = rng.random_bool(write_share);
        let reads = !writes || rng.random_bool(0.1);
        let (offer, take) = (rng.random_bool(0.8), rng.random_bool(0.8));
        bench.set("words_in.valid", offer.into()).set("words_in.data", next);
        bench.set("words_out.ready", take.into());
        let ready = bench.get("words_in.ready") == 1;
        let valid = bench.get("words_out.valid") == 1;
        if reads && valid && take {
            assert_eq!(Some(bench.get("words_out.data")), held.pop_front(), "step {step}");
            given += 1;
        }
        if writes && offer && ready {
            held.push_back(next);
            next += 1;
        }
        let clocks: &[&str] = match (writes, reads) {
            (true, true) => &["write_clock", "read_clock"],
            (true, false) => &["write_clock"],
            _ => &["read_clock"],
        };
        bench.edge(clocks);
    }
    assert!(given > 3000, "only {given} words crossed");
}
