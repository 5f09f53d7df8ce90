//! `link_ltp_rx` at the far end of the model's transmit side: whatever the line does, every LTP is delivered once and in
//! order, late ones are marked and lose their time flits, and the isolation is told of the right LTPs.

use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Value;
use flitforge_hdl::link::ltp_rx::{LtpRx1, LtpRx2, LtpRx4};
use flitforge_model::control::Control;
use flitforge_model::retry::{LinkLtp, Origin, Sent};
use flitforge_model::{Flit, Ltp, LtpFormat, NullLtp, RetryConfig, RetryTx};
use flitforge_protocol::flit::{Opcode, SpcSubtype};
use flitforge_protocol::ltp::CrcMode;
use flitforge_protocol::retry::{toss_ltps, IsolateAction};
use flitforge_sim::kit::{rng, seed, Rng};
use flitforge_testkit::{BenchBlock, Clocked, Pins};
use rand::Rng as _;
use std::collections::VecDeque;

/// LTP times from a request's start to its arrival at the peer.
const WAY_BACK: u64 = 3;
/// Round trip the transmit side is told of: it covers the way back, a request's waiting and the receiver itself.
const ROUND_TRIP: u32 = 12;
/// Slot of the time flit in every LTP.
const TIME_SLOT: usize = 15;

/// What reaches the peer's transmit side.
enum Feedback {
    Request(u16),
    DoubleBad,
}

/// An LTP on its way to its verdict.
struct Travelling {
    /// Number of the content, if it is a reliable LTP.
    number: Option<u64>,
    replayed: bool,
    corrupted: bool,
}

/// What happened how often.
#[derive(Debug, Default)]
struct Counts {
    accepted: u64,
    bad: u64,
    requests: u64,
    duplicates: u64,
    tossed: u64,
    late: u64,
    stale: u64,
    unexpected: u64,
    latched: u64,
    compared: u64,
    unknown: u64,
    lost_requests: u64,
    lost_markers: u64,
}

struct Line {
    bench: BenchBlock,
    flits: u32,
    rng: Rng,
    tx: RetryTx<Ltp>,
    format: LtpFormat,
    written: u64,
    time: u64,
    feedback: VecDeque<(u64, Feedback)>,
    travelling: VecDeque<Travelling>,
    judged: Option<Travelling>,
    /// Number of the LTP that the isolation keeps; `None` inside for a Null LTP.
    latched: Option<Option<u64>>,
    /// Body flits of accepted LTPs that have not left, with `late`.
    expected: VecDeque<(u64, bool)>,
    bad_left: u32,
    counts: Counts,
}

fn content(number: u64) -> Ltp {
    let mut flits = [Flit::IDLE; 16];
    (0..).zip(&mut flits).for_each(|(slot, flit)| *flit = Flit::body(number << 4 | slot));
    let low = Control::Spc { subtype: SpcSubtype::MasterTimeLow.code(), data: number & 0xFF_FFFF };
    flits[TIME_SLOT] = low.encode().expect("a time flit");
    Ltp::filled(&flits)
}

impl Clocked for Line {
    fn pins(&mut self) -> &mut dyn Pins {
        &mut self.bench
    }

    fn clock(&mut self) {
        self.bench.settle();
        self.watch_exchange();
        self.watch_isolation();
        self.watch_verdict();
        self.watch_beats();
        self.bench.clock();
    }
}

impl Line {
    fn new(name: &str, flits: u32, block: Box<dyn DriveBlock>) -> Self {
        let config = RetryConfig { slots: 16, retry_limit: 255, bad_run: 255, ..RetryConfig::default() };
        let mut tx = RetryTx::new(config);
        tx.activate(ROUND_TRIP, 0).expect("NxtWr is 0");
        tx.peer_is_active();
        let mut line = Self {
            bench: BenchBlock::boxed(name, block),
            flits,
            rng: rng(seed(0x10_4E + u64::from(flits)), name),
            tx,
            format: LtpFormat::new(CrcMode::Standard, 4).expect("four lanes"),
            written: 0,
            time: 0,
            feedback: VecDeque::new(),
            travelling: VecDeque::new(),
            judged: None,
            latched: None,
            expected: VecDeque::new(),
            bad_left: 0,
            counts: Counts::default(),
        };
        let toss = toss_ltps(ROUND_TRIP, config.slots).into();
        for (name, value) in [("retry", 1), ("retry_limit", 255), ("bad_run", 255), ("toss_ltps", toss)] {
            line.set(name, value);
        }
        line.set("activate", 1);
        line.set("frame_start", 1);
        line.clock();
        line.set("activate", 0);
        line.set("frame_start", 0);
        line
    }

    /// One LTP time: what is due at the transmit side, then its next LTP over the line.
    fn ltp(&mut self) {
        self.time += 1;
        while self.feedback.front().is_some_and(|(due, _)| *due <= self.time) {
            match self.feedback.pop_front().expect("there is one").1 {
                Feedback::Request(pointer) => self.tx.request(pointer).expect("a pointer in the buffer"),
                Feedback::DoubleBad => self.tx.double_bad(),
            }
        }
        assert_eq!(self.tx.tick(), None);
        let number = self.written;
        let Sent { ltp, origin, .. } = self.tx.send(None, || content(number));
        let replayed = matches!(origin, Origin::Replayed(_));
        self.written += u64::from(matches!(origin, Origin::Original(_)));
        let (sent, number) = match ltp {
            LinkLtp::Reliable(ltp) => (ltp, Some(ltp.flits[0].data() >> 4)),
            LinkLtp::Null(null) => (NullLtp::of(null).expect("a Null LTP").ltp(), None),
        };
        let mut bits = self.format.encode(&sent);
        let corrupted = self.corrupts();
        self.counts.lost_markers +=
            u64::from(corrupted && matches!(ltp, LinkLtp::Null(Control::RetryMrkr { .. })));
        if corrupted {
            let first = self.rng.random_range(0..1054);
            (first..first + self.rng.random_range(1..=3)).for_each(|bit| {
                bits.flip(bit);
            });
        }
        self.travelling.push_back(Travelling { number, replayed, corrupted });
        let words: Vec<u64> = bits
            .words()
            .chunks(2)
            .map(|pair| pair.iter().rev().fold(0, |word, half| word << 32 | u64::from(*half)))
            .collect();
        let bits = Value::from_words(1056, &words);
        for beat in 0..16 / self.flits {
            let width = 66 * self.flits;
            self.set_value("wire_in.data", &bits.slice(width * beat, width).resize(68 * self.flits));
            self.set("wire_in.valid", 1);
            self.set("ltp_time", u64::from(beat == 0));
            let ready = beat == 0 && (self.time % 3 == 0 || self.rng.random_bool(0.5));
            self.set("retry_req.ready", u64::from(ready));
            self.clock();
        }
    }

    /// One LTP in ten is corrupted, and now and then many in a row.
    fn corrupts(&mut self) -> bool {
        if self.bad_left == 0 && self.rng.random_bool(0.005) {
            self.bad_left = self.rng.random_range(2..=6);
        }
        let corrupted = self.bad_left > 0 || self.rng.random_bool(0.1);
        self.bad_left = self.bad_left.saturating_sub(1);
        corrupted
    }

    fn watch_exchange(&mut self) {
        if self.get("retry_req.valid") & self.get("retry_req.ready") == 1 {
            let lost = self.rng.random_bool(0.08);
            self.counts.requests += 1;
            self.counts.lost_requests += u64::from(lost);
            // A pair lost whole shows at its receiver as two consecutive bad LTPs.
            let pointer = self.get("retry_req.data") as u16;
            let feedback = if lost { Feedback::DoubleBad } else { Feedback::Request(pointer) };
            self.feedback.push_back((self.time + WAY_BACK, feedback));
        }
        for fault in ["rx_gap", "framing_lost", "request_limit"] {
            assert_eq!(self.get(fault), 0, "{fault} at LTP time {}", self.time);
        }
        self.counts.duplicates += self.get("rx_dup");
        self.counts.tossed += self.get("rx_tossed");
        self.counts.unexpected += self.get("unexp_mrkr");
        self.counts.stale += u64::from(self.get("time_stale").count_ones());
    }

    /// Comes one clock after the verdict, or two.
    fn watch_isolation(&mut self) {
        if self.get("iso.valid") == 0 {
            return;
        }
        let action = self.get("iso.data") >> 2;
        let judged = self.judged.as_ref().expect("there was a verdict");
        if action == u64::from(IsolateAction::Latch.code()) {
            assert!(judged.corrupted);
            assert!(judged.number.is_none_or(|number| number == self.counts.accepted), "the LTP NxtRx names");
            self.latched = Some(judged.number);
            self.counts.latched += 1;
        } else {
            let latched = self.latched.take().expect("something is kept");
            let unknown = action == u64::from(IsolateAction::Unknown.code());
            assert!(unknown || action == u64::from(IsolateAction::Compare.code()), "{action}");
            if unknown {
                assert_eq!(latched, None, "only a Null LTP has no replay");
                self.counts.unknown += 1;
            } else {
                assert!(latched.is_none() || latched == judged.number, "{latched:?} {:?}", judged.number);
                self.counts.compared += 1;
            }
        }
    }

    fn watch_verdict(&mut self) {
        let (good, bad) = (self.get("rx_good") == 1, self.get("rx_bad") == 1);
        if !good && !bad {
            return;
        }
        let judged = self.travelling.pop_front().expect("an LTP was sent");
        assert_eq!(bad, judged.corrupted, "verdict at LTP time {}", self.time);
        self.counts.bad += u64::from(bad);
        if self.get("rx_accepted") == 1 {
            let number = judged.number.expect("a reliable LTP");
            assert_eq!((number, number as u16), (self.counts.accepted, self.get("next_rx") as u16));
            self.counts.accepted += 1;
            self.counts.late += u64::from(judged.replayed);
            let bodies = (0..TIME_SLOT as u64).map(|slot| (number << 4 | slot, judged.replayed));
            self.expected.extend(bodies);
        }
        self.judged = Some(judged);
    }

    fn watch_beats(&mut self) {
        let late = self.get("beat_late") == 1;
        if self.get("flits_out.valid") == 1 {
            let beat = self.get_value("flits_out.data");
            for flit in (0..self.flits).map(|slot| beat.slice(65 * slot, 65)).filter(|flit| flit.bit(64)) {
                let expected = self.expected.pop_front();
                assert_eq!(expected, Some((flit.low_u64(), late)), "a flit and whether it is late");
            }
        }
        if self.get("spc_out.valid") == 1 {
            let beat = self.get_value("spc_out.data");
            let opcode = beat.slice(65 * (self.flits - 1), 65).low_u64() >> 56;
            assert_eq!(
                (opcode, late),
                (u64::from(Opcode::Spc.code()), false),
                "a time flit that is not late"
            );
        }
    }
}

fn run(name: &str, flits: u32, ltps: u64, block: Box<dyn DriveBlock>) {
    let mut line = Line::new(name, flits, block);
    while line.counts.accepted < ltps {
        line.ltp();
        assert!(line.time < 20 * ltps, "no progress: {:?}", line.counts);
    }
    let Counts { requests, duplicates, tossed, late, stale, unexpected, .. } = line.counts;
    let Counts { latched, compared, unknown, lost_requests, lost_markers, .. } = line.counts;
    println!("F = {flits}: {} LTP times, {:?}", line.time, line.counts);
    assert!(line.expected.len() < 32, "{} flits have not left", line.expected.len());
    assert!([requests, duplicates, tossed, late, stale, unexpected].iter().all(|count| *count > 0));
    assert!([latched, compared, unknown, lost_requests, lost_markers].iter().all(|count| *count > 0));
    assert!(late == stale || late == stale + 1, "a time flit in every late LTP");
}

#[test]
fn every_ltp_is_delivered_once_at_each_width() {
    run("exchange_f1", 1, 5_000, Box::new(LtpRx1::new().expect("valid")));
    run("exchange_f2", 2, 10_000, Box::new(LtpRx2::new().expect("valid")));
}

/// More than 65536 LTPs: the sequence numbers wrap.
#[test]
fn sequence_numbers_wrap() {
    run("exchange_f4", 4, 68_000, Box::new(LtpRx4::new().expect("valid")));
}
