//! `link_delay`: the chapter's examples, latencies, and what goes wrong.

use crate::support::build;
use crate::time::link_delay::cut;
use flitforge_protocol::time::LDM_MAX_VOID;
use flitforge_testkit::{BenchBlock, Clocked, Pins};

/// An end of a link, clock by clock.
struct End {
    bench: BenchBlock,
    retries: u64,
}

impl Clocked for End {
    fn pins(&mut self) -> &mut dyn Pins {
        &mut self.bench
    }

    fn clock(&mut self) {
        self.retries += self.get("retry");
        self.bench.clock();
    }
}

impl End {
    fn new(inc: u64, settings: &[(&str, u64)]) -> Self {
        let mut bench = BenchBlock::boxed("link_delay", build("link_delay", &[]).block);
        bench.set_all(&[("inc_f", inc), ("phase_ok", 1), ("timeout", 0xFFFF)]).set_all(settings).run(4);
        Self { bench, retries: 0 }
    }

    fn marker(&mut self, marker: Option<u64>) {
        self.set_all(&[("marker.valid", marker.is_some().into()), ("marker.data", marker.unwrap_or(0))]);
    }

    /// A DelayResp in one clock only.
    fn answer(&mut self, tag: u64, turn: u64) {
        self.marker(Some(1 << 48 | 1 << 40 | tag << 32 | turn));
        self.clock();
        self.marker(None);
    }

    fn start(&mut self) {
        self.set_all(&[("start", 1)]);
        self.clock();
        self.set_all(&[("start", 0)]);
    }

    /// Takes the next request; its tag.
    fn take(&mut self) -> u64 {
        self.until_high("request.valid", 2_000);
        self.set_all(&[("request.ready", 1)]);
        let tag = self.get("request.data");
        self.clock();
        self.set_all(&[("request.ready", 0)]);
        tag
    }
}

/// 6.25 ns, so that the chapter's times are whole clocks.
const QUARTERS: u64 = 0x6_4000_0000;

/// Section 8, example 6: a round trip of 295 clocks, and the latencies.
#[test]
fn the_worked_example_of_the_initiator() {
    for (asymmetry, expected) in [(0, 0x1CD20), (-832, 0x1CB80)] {
        let mut end = End::new(QUARTERS, &[("asymmetry", cut(asymmetry, 32))]);
        end.start();
        assert_eq!(end.until_high("request.valid", 10), 2, "3 clocks after `start`");
        let tag = end.take();
        // Taken in the clock j; the marker of a round trip of 295 clocks is there in j + 297.
        end.run(296);
        end.answer(tag, 0x39980);
        assert_eq!(end.until_high("finished", 100), 11, "7 + 5 clocks after the answer");
        let read = ["done", "failed", "rounds", "mean", "min", "max"].map(|path| end.get(path));
        assert_eq!(read, [1, 0, 1, expected, expected, expected]);
        assert_eq!(end.retries, 0);
    }
}

/// Section 8, example 6: 147 clocks of 6.25 ns and 2.75 ns of lags are 921.5 ns.
#[test]
fn the_worked_example_of_the_responder() {
    let mut end = End::new(QUARTERS, &[("rx_lag", 300), ("tx_lag", 404)]);
    end.marker(Some(0x5A));
    end.clock();
    end.marker(None);
    assert_eq!(end.until_high("response.valid", 10), 2, "3 clocks after the request");
    // Data in the clock c after the request's m are those of a flit taken in c + 1: c + 3 - m clocks.
    (3..144).for_each(|_| end.clock());
    assert_eq!(end.get("response.data"), 0x015A_0003_9980);
    end.set_all(&[("locked", 1), ("phase_ok", 0)]);
    assert_eq!(end.get("response.data"), 0x025A_0003_9980);
    // A newer request takes its place.
    end.marker(Some(0x5B));
    end.clock();
    end.marker(None);
    assert_eq!(end.get("response.valid"), 0);
    end.set_all(&[("response.ready", 1)]);
    end.until_high("response.valid", 10);
    assert_eq!(end.get("response.data") >> 32, 0x25B);
    end.clock();
    assert_eq!(end.get("response.valid"), 0, "it was taken");
}

/// Rule 3: a turn-around of 2^32/256 ns is not sent.
#[test]
fn an_answer_that_waits_too_long_is_given_up() {
    let mut end = End::new((1 << 38) - 1, &[]);
    end.marker(Some(7));
    end.clock();
    end.marker(None);
    end.until_high("response.valid", 10);
    let mut clocks = 3_u64;
    while end.get("response.valid") == 1 {
        (clocks, _) = (clocks + 1, end.clock());
    }
    assert_eq!(clocks + 3, 1 << 18, "64 ns per clock make 2^24 ns");
    end.run(10);
    assert_eq!(end.get("response.valid"), 0);
}

/// Rule 3: 16 rounds without an answer.
#[test]
fn a_dead_link_fails_after_sixteen_timeouts() {
    let mut end = End::new(QUARTERS, &[("timeout", 49), ("rounds_log2", 3), ("request.ready", 1)]);
    end.start();
    let clocks = end.until_high("finished", 2_000);
    end.clock();
    // LDM_TIMEOUT and 5 clocks to the next request; 1 more at the start.
    assert_eq!((clocks, end.retries), (16 * (50 + 5) + 1, LDM_MAX_VOID.into()));
    assert_eq!((end.get("failed"), end.get("done")), (1, 0));
}

/// `clear` while a round is out: nothing comes of it, and its answer is not taken for that of a later one.
#[test]
fn clear_forgets_the_round_that_is_out() {
    let mut end = End::new(QUARTERS, &[]);
    end.start();
    let old = end.take();
    end.run(20);
    end.set_all(&[("clear", 1)]);
    end.clock();
    end.set_all(&[("clear", 0)]);
    end.run(20);
    assert_eq!(["request.valid", "done", "failed"].map(|path| end.get(path)), [0; 3]);
    end.start();
    let tag = end.take();
    assert_ne!(tag, old);
    end.run(30);
    end.answer(old, 0);
    end.run(30);
    end.answer(tag, 0);
    let next = end.take();
    assert_eq!(end.retries, 1, "the round of a wrong tag is void");
    end.run(61);
    end.answer(next, 0);
    end.until_high("finished", 100);
    assert_eq!(end.get("mean"), 60 * 1600 / 2, "60 clocks there and back");
}

/// Both ends measure each other over a line: the mean is the delay of the line, and both directions agree.
#[test]
fn two_ends_measure_the_line_between_them() {
    let (there, back) = (33_u64, 38_u64);
    let asymmetry = (there as i64 - back as i64) * 1600;
    let mut ends = [asymmetry, -asymmetry]
        .map(|asymmetry| End::new(QUARTERS, &[("asymmetry", cut(asymmetry, 32)), ("rounds_log2", 3)]));
    for end in &mut ends {
        end.set("start", 1);
    }
    let mut lines: [Vec<(u64, u64)>; 2] = Default::default();
    // What `time_inject` chose in the clock before: 0 a request, 1 a response.
    let mut chosen: [Option<(u64, u64)>; 2] = [None; 2];
    for clock in 0..20_000_u64 {
        for (number, end) in ends.iter_mut().enumerate() {
            let arriving = &mut lines[1 - number];
            let marker =
                arriving.iter().position(|(at, _)| *at == clock).map(|place| arriving.remove(place).1);
            end.marker(marker);
            let taken = chosen[number].filter(|_| clock % 3 == 0);
            end.set_all(&[("request.ready", 0), ("response.ready", 0)]);
            if let Some((kind, payload)) = taken {
                end.set_all(&[(["request.ready", "response.ready"][kind as usize], 1)]);
                lines[number].push((clock + 2 + [there, back][number], kind << 48 | payload));
            }
            chosen[number] = None;
            for (kind, name) in [(1, "response"), (0, "request")] {
                if taken.is_none() && chosen[number].is_none() && end.get(&format!("{name}.valid")) == 1 {
                    chosen[number] = Some((kind, end.get(&format!("{name}.data"))));
                }
            }
            end.clock();
            end.set_all(&[("start", 0)]);
        }
    }
    for (end, clocks) in ends.iter_mut().zip([there, back]) {
        let read = ["done", "rounds", "mean", "min", "max"].map(|path| end.get(path));
        assert_eq!(read, [1, 8, clocks * 1600, clocks * 1600, clocks * 1600]);
        assert_eq!(end.retries, 0);
    }
}

/// Rule 4: a change of the link holds the time back until the link is measured again, and RX_CORR makes up for it.
#[test]
fn a_changed_link_is_measured_and_made_up_for() {
    let registers = [("auto_run", 1), ("adjust", 1), ("hold_on_epoch", 1), ("acknowledged", 0x1CD20)];
    let mut end = End::new(QUARTERS, &registers);
    assert_eq!(end.get("hold"), 0);
    for (epoch, lanes, clocks, correction) in [(1, 0xFF, 295, 0), (2, 0xF7, 297, 100)] {
        end.set_all(&[("active", 1), ("lanes", lanes)]);
        end.until_high("request.valid", 10);
        assert_eq!(["link_epoch", "measured_epoch", "hold"].map(|path| end.get(path)), [epoch, epoch - 1, 1]);
        let tag = end.take();
        (0..=clocks).for_each(|_| end.clock());
        end.answer(tag, 0x39980);
        end.until_high("finished", 100);
        assert_eq!(end.until_high("rx_corr.valid", 10), 2);
        // Two clocks more of 6.25 ns, half of it in each direction: 100 / 16 ns.
        assert_eq!(end.get("rx_corr.data"), correction);
        assert_eq!(["measured_epoch", "hold"].map(|path| end.get(path)), [epoch, 0]);
    }
}
