use flitforge_elaborate::{elaborate, evaluate::Evaluator, Value};
use flitforge_hdl::node::link_loopback::LinkLoopback;
use rust_hdl::prelude::*;

/// The loopback on the evaluator of its elaborated graph.
struct Link {
    bench: Evaluator,
    counts: Counts,
}

/// Pulses counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    good: u64,
    bad: u64,
    beats: u64,
    wrong: u64,
    gaps: u64,
}

impl Link {
    fn new(lanes: u64, mode: u64) -> Self {
        let mut block = LinkLoopback::new().expect("valid");
        block.connect_all();
        let design = elaborate(&block, "link_loopback").expect("elaborates");
        let bench = Evaluator::new(&design).expect("flattens");
        let mut link = Self { bench, counts: Counts::default() };
        link.set("lanes", lanes - 1, 2);
        link.set("mode", mode, 2);
        link.set("clear", 1, 1);
        link.run(4);
        link.set("clear", 0, 1);
        link
    }

    fn set(&mut self, port: &str, value: u64, width: u32) {
        assert!(self.bench.set(port, &Value::from_u64(width, value)), "{port}");
    }

    fn get(&mut self, port: &str) -> u64 {
        self.bench.get(port).expect("port").low_u64()
    }

    fn run(&mut self, clocks: usize) -> Counts {
        for _ in 0..clocks {
            self.bench.settle();
            self.counts.good += self.get("ltp_good");
            self.counts.bad += self.get("ltp_bad");
            self.counts.beats += self.get("beat_good");
            self.counts.wrong += self.get("beat_wrong");
            self.counts.gaps += self.get("beat_gap");
            assert!(self.bench.clock(&["clock"]));
        }
        self.counts
    }

    fn inject(&mut self) {
        self.set("inject", 1, 1);
        self.run(1);
        self.set("inject", 0, 1);
    }
}

#[test]
fn traffic_arrives_whole_on_every_number_of_lanes_in_both_modes() {
    for lanes in 1..=4 {
        for mode in 0..=1 {
            let mut link = Link::new(lanes, mode);
            let counts = link.run(4000);
            // One LTP is 33 words; lanes carry `lanes` words per clock.
            let expected = 4000 * lanes / 33;
            assert!(counts.good + 20 > expected && counts.good <= expected, "{lanes} {mode} {counts:?}");
            assert!(counts.beats > 6 * counts.good, "{lanes} {mode} {counts:?}");
            assert_eq!((counts.bad, counts.wrong, counts.gaps), (0, 0, 0), "{lanes} {mode}");
        }
    }
}

#[test]
fn an_injected_error_is_one_bad_ltp_and_one_gap() {
    for lanes in 1..=4 {
        let mut link = Link::new(lanes, 0);
        for errors in 1..=5 {
            link.run(700);
            link.inject();
            let counts = link.run(700);
            assert_eq!(counts.bad, errors, "{lanes}");
            assert_eq!((counts.wrong, counts.gaps), (0, errors), "{lanes}");
        }
    }
}

#[test]
fn restart_in_mid_traffic_takes_new_lanes_and_mode() {
    let mut link = Link::new(4, 0);
    link.run(500);
    link.set("lanes", 1, 2);
    link.set("mode", 1, 2);
    link.set("restart", 1, 1);
    link.run(1);
    link.set("restart", 0, 1);
    link.run(200);
    assert_eq!((link.get("lanes_now"), link.get("mode_now")), (1, 1));
    let before = link.run(1);
    let after = link.run(3300);
    assert_eq!(after.good - before.good, 200);
    assert_eq!((after.bad, after.wrong, after.gaps), (0, 0, 0));
}

#[test]
fn alignment_rows_pass_without_a_trace() {
    let mut link = Link::new(4, 0);
    let counts = link.run(9000);
    assert!(counts.good > 1050, "{counts:?}");
    assert_eq!((counts.bad, counts.wrong, counts.gaps), (0, 0, 0));
}
