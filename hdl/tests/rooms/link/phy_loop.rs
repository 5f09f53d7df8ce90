use flitforge_elaborate::Value;
use flitforge_hdl::link::phy_loop::PhyLoop;
use flitforge_testkit::{random, Clocked, StockBlock};
use rand::Rng;
use std::collections::VecDeque;

#[test]
fn other_numbers_of_lanes_are_refused() {
    assert!(PhyLoop::<0>::new().is_err() && PhyLoop::<5>::new().is_err());
}

#[test]
fn clear_forgets_delayed_words_and_refuses_new_ones() {
    let mut bench = StockBlock::new(PhyLoop::<2>::new().unwrap());
    bench.set("delay[1]", 3).set("tx[0].valid", 1).set("tx[1].valid", 1);
    for _ in 0..3 {
        bench.clock();
        assert_eq!((bench.get("rx[0].valid"), bench.get("rx[1].valid")), (1, 0));
    }
    bench.set("clear", 1);
    assert_eq!(bench.get("tx[0].ready"), 0);
    bench.clock();
    assert_eq!(bench.get("rx[0].valid"), 0);
    bench.set("clear", 0);
    for _ in 0..3 {
        bench.clock();
        assert_eq!(bench.get("rx[1].valid"), 0, "words from before the clear");
    }
    bench.clock();
    assert_eq!(bench.get("rx[1].valid"), 1);
}

/// Words of delay, errors on some lanes and in some clocks, against queues.
#[test]
fn errors_and_delays_are_exactly_those_asked_for() {
    let mut rng = random();
    let mut bench = StockBlock::new(PhyLoop::<4>::new().unwrap());
    for round in 0..4u64 {
        bench.set("clear", 1).set("error_enable", 0);
        bench.clock();
        bench.set("clear", 0);
        let delays: Vec<u64> = (0..4).map(|lane| (round * 5 + lane * 4) % 16).collect();
        let mut queues: Vec<VecDeque<u64>> = vec![VecDeque::new(); 4];
        for (lane, delay) in delays.iter().enumerate() {
            bench.set(&format!("delay[{lane}]"), *delay);
        }
        for clock in 0..150 {
            let (enable, lanes, mask) =
                (rng.random_bool(0.3), rng.random_range(0..16u64), rng.random::<u64>() >> 30);
            bench.set("error_enable", u64::from(enable)).set("error_lanes", lanes).set("error_mask", mask);
            let mut expected = [None; 4];
            for lane in 0..4usize {
                let word = rng.random_bool(0.8).then(|| rng.random::<u64>() >> 31);
                bench.set(&format!("tx[{lane}].valid"), u64::from(word.is_some()));
                if let Some(word) = word {
                    bench.set_value(&format!("tx[{lane}].data"), &Value::from_u64(33, word));
                    let hit = enable && lanes >> lane & 1 == 1;
                    queues[lane].push_back(if hit { word ^ mask } else { word });
                    if queues[lane].len() as u64 > delays[lane] {
                        expected[lane] = queues[lane].pop_front();
                    }
                }
                assert_eq!(bench.get(&format!("tx[{lane}].ready")), 1);
            }
            bench.clock();
            for (lane, expected) in expected.iter().enumerate() {
                let got = (bench.get(&format!("rx[{lane}].valid")) == 1)
                    .then(|| bench.get(&format!("rx[{lane}].data")));
                assert_eq!(got, *expected, "round {round} clock {clock} lane {lane}");
            }
        }
    }
}
