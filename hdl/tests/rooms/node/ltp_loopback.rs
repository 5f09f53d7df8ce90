use flitforge_hdl::node::ltp_loopback::LtpLoopback;
use flitforge_sim::BackEnd;
use flitforge_testkit::{BenchBlock, Clocked};

/// The loopback on the evaluator of its elaborated graph.
struct Link {
    bench: BenchBlock,
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
        let block = Box::new(LtpLoopback::new().expect("valid"));
        let bench = BenchBlock::on(BackEnd::Graph, "ltp_loopback", block);
        let mut link = Self { bench, counts: Counts::default() };
        link.bench.set("lanes", lanes - 1);
        link.bench.set("mode", mode);
        link.bench.set("clear", 1);
        link.run(4);
        link.bench.set("clear", 0);
        link
    }

    fn run(&mut self, clocks: usize) -> Counts {
        for _ in 0..clocks {
            self.counts.good += self.bench.get("ltp_good");
            self.counts.bad += self.bench.get("ltp_bad");
            self.counts.beats += self.bench.get("beat_good");
            self.counts.wrong += self.bench.get("beat_wrong");
            self.counts.gaps += self.bench.get("beat_gap");
            self.bench.clock();
        }
        self.counts
    }

    fn inject(&mut self) {
        self.bench.set("inject", 1);
        self.run(1);
        self.bench.set("inject", 0);
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
    link.bench.set("lanes", 1);
    link.bench.set("mode", 1);
    link.bench.set("restart", 1);
    link.run(1);
    link.bench.set("restart", 0);
    link.run(200);
    assert_eq!((link.bench.get("lanes_now"), link.bench.get("mode_now")), (1, 1));
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
