//! Random LTPs as a peer may send them, and as a line may corrupt them.

use crate::link_ltp::encode;
use flitforge_elaborate::Value;
use flitforge_model::control::{Control, Half};
use flitforge_model::retry::{Arrival, LinkLtp, RxRow, RxState};
use flitforge_model::{Ltp, NullLtp, RetryConfig, RetryRx};
use flitforge_protocol::flit::RetrainKind;
use flitforge_sim::kit::Rng;
use flitforge_testkit::wide::place;
use rand::Rng as _;
use std::collections::VecDeque;

/// What an LTP is to be.
#[derive(Clone, Copy)]
enum Kind {
    Reliable,
    Null(Control),
    /// A Null LTP with any request, of a kind that does not exist now and then.
    AnyNull,
}

/// Wire beats of random LTPs: reliable, Null LTPs in and out of their pairs, with errors, cut short.
pub struct Wire {
    flits: u32,
    ltp: Value,
    left: u32,
    place: u32,
    pub bits14: bool,
    /// Place of the beat with a code error.
    code_err: Option<u32>,
    next_kinds: VecDeque<Kind>,
    bad_left: u32,
    /// A receiver that hears the same, so that pointers can be right or just beside.
    shadow: RetryRx,
    /// The last reliable LTP was ahead of NxtRx: nothing but a marker helps.
    lost: bool,
}

/// One beat of the wire.
pub struct WireBeat {
    pub bits: Value,
    pub start: bool,
    pub code_err: bool,
}

impl Wire {
    pub fn new(flits: u32, config: RetryConfig) -> Self {
        Self {
            flits,
            ltp: Value::zero(1056),
            left: 0,
            place: 0,
            bits14: false,
            code_err: None,
            next_kinds: VecDeque::new(),
            bad_left: 0,
            shadow: RetryRx::new(config),
            lost: false,
        }
    }

    /// The next beat begins an LTP.
    pub fn is_between(&self) -> bool {
        self.left == 0
    }

    /// The receiver's exchange starts again.
    pub fn reset_exchange(&mut self, fresh: bool) {
        self.lost = false;
        if fresh {
            self.shadow.restart();
        } else {
            self.shadow.reset_exchange();
        }
    }

    pub fn next(&mut self, rng: &mut Rng) -> WireBeat {
        let mut start = false;
        if self.left == 0 {
            start = self.place < 16 / self.flits || rng.random_bool(0.02);
            self.open(rng);
        }
        let width = 66 * self.flits;
        let bits = self.ltp.slice(width * self.place, width);
        let code_err = self.code_err == Some(self.place);
        self.place += 1;
        self.left -= 1;
        WireBeat { bits, start, code_err }
    }

    fn open(&mut self, rng: &mut Rng) {
        let kind = self.next_kinds.pop_front().unwrap_or_else(|| self.choose(rng));
        let beats = 16 / self.flits;
        let mut data = Value::zero(1040);
        (0..beats).for_each(|k| {
            place(&mut data, 65 * self.flits * k, &encode::random_beat(rng, self.flits));
        });
        self.bits14 = rng.random_bool(0.5);
        self.place = 0;
        self.left = if rng.random_bool(0.02) { rng.random_range(1..=beats) } else { beats };
        let arrival = put_flit_0(&mut data, kind, rng);
        self.ltp = encode::ltp(&data, self.bits14, rng.random_range(0..4));
        self.code_err = None;
        let corrupted = self.corrupt(rng);
        if self.left == beats {
            let reception = self.shadow.receive(if corrupted { Arrival::Bad } else { arrival });
            self.lost = reception.row == RxRow::Gap || (self.lost && self.shadow.state() == RxState::Normal);
            self.lost &= !matches!(reception.row, RxRow::MarkerSecond | RxRow::MarkerAlone);
            // Somebody takes the requests: only the pointers are of interest here.
            self.shadow.request_sent();
        }
    }

    /// Errors on the line, now and then many in a row.
    fn corrupt(&mut self, rng: &mut Rng) -> bool {
        if self.bad_left == 0 && rng.random_bool(0.004) {
            self.bad_left = rng.random_range(2..=9);
        }
        let corrupted = self.bad_left > 0 || rng.random_bool(0.07);
        self.bad_left = self.bad_left.saturating_sub(1);
        if corrupted && rng.random_bool(0.3) {
            self.code_err = Some(rng.random_range(0..16 / self.flits));
        } else if corrupted {
            let first = rng.random_range(0..1054);
            (0..rng.random_range(1..=3))
                .for_each(|bit| self.ltp.set_bit(first + bit, !self.ltp.bit(first + bit)));
        }
        corrupted
    }

    fn choose(&mut self, rng: &mut Rng) -> Kind {
        let waits = self.lost || self.shadow.state() == RxState::Toss;
        let chance = if waits { 0.4 } else { 0.03 };
        if rng.random_bool(chance) {
            return self.marker(rng);
        }
        let half = Half::First;
        match rng.random_range(0..40) {
            0 | 1 => self.pair(rng, |half| Control::RetryReq { half, next_rx_ltp: 3 }),
            2 => self.pair(rng, |half| Control::RndTripMrkr { half, token: 0x5A, reply: false }),
            3 => self.pair(rng, |half| Control::RndTripMrkr { half, token: 0xA5, reply: true }),
            4 => {
                let (kind, fresh) = (RetrainKind::RetrainRetryReq.code(), rng.random());
                self.pair(rng, |half| Control::Retrain { kind, half, fresh, next_rx_ltp: 9 })
            }
            5 => {
                let (kind, next_rx_ltp) = (rng.random_range(0..6), rng.random());
                Kind::Null(Control::Retrain { kind, half, fresh: rng.random(), next_rx_ltp })
            }
            6 => Kind::AnyNull,
            _ => Kind::Reliable,
        }
    }

    /// A pair; one of it alone, twice the same, or one that belongs to another, now and then.
    fn pair(&mut self, rng: &mut Rng, make: impl Fn(Half) -> Control) -> Kind {
        let [first, second] = [Half::First, Half::Second].map(|half| Kind::Null(make(half)));
        match rng.random_range(0..8) {
            0 => return second,
            1 => return first,
            2 => self.next_kinds.push_back(first),
            3 => self.next_kinds.push_back(Kind::AnyNull),
            4 => self.next_kinds.extend([Kind::Reliable, second]),
            _ => self.next_kinds.push_back(second),
        }
        first
    }

    /// A RetryMrkr pair: at NxtRx mostly, after it or, rarely, ahead; the replay's end at or behind NxtRx.
    fn marker(&mut self, rng: &mut Rng) -> Kind {
        let next = self.shadow.next();
        let first_replayed = match rng.random_range(0..20) {
            0 if rng.random() => next.wrapping_add(rng.random_range(1..4)),
            1 if rng.random() => rng.random(),
            0..=6 => next.wrapping_sub(rng.random_range(1..6)),
            _ => next,
        };
        let next_write_ltp = next.wrapping_add(rng.random_range(0..6));
        self.pair(rng, |half| Control::RetryMrkr { half, first_replayed, next_write_ltp })
    }
}

/// Puts flit 0 of a Null LTP in front of the data; tells what arrives if nothing is corrupted.
fn put_flit_0(data: &mut Value, kind: Kind, rng: &mut Rng) -> Arrival<Ltp> {
    let flit = match kind {
        Kind::Null(null) => NullLtp::of(null).expect("a Null LTP").flit().data(),
        Kind::AnyNull if rng.random_bool(0.3) => 0x28 << 56 | rng.random_range(0..16u64) << 40,
        Kind::AnyNull => {
            let request = encode::random_null(rng).low_u64();
            request >> 48 << 56 | request & 0xFFFF_FFFF_FFFF
        }
        Kind::Reliable => {
            // Flit 0 alone tells a Null LTP: a random illegal flit must not be one.
            if encode::opcode(&data.slice(0, 65)).is_some_and(|code| (0x22..=0x28).contains(&code)) {
                data.set_bit(64, true);
            }
            return Arrival::Good(LinkLtp::Reliable(Ltp::idle()));
        }
    };
    place(data, 0, &Value::from_words(65, &[flit, 0]));
    let flit = flitforge_model::Flit::other(flit);
    Arrival::Good(LinkLtp::Null(Control::decode(flit).expect("a link-transfer flit")))
}
