//! The cycle-exact model of `link_ltp_rx`: `flitforge_model`'s LTP format decides what is good, its [`RetryRx`] what
//! becomes of it; this file says in which clock.

use flitforge_elaborate::Value;
use flitforge_model::control::Control;
use flitforge_model::retry::{Arrival, Fault, LatchAction, LinkLtp, NullEvent, Payload, Reception, RxRow};
use flitforge_model::{Counters, Flit, Ltp, LtpBits, LtpFormat, RetryConfig, RetryRx};
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::flit::{is_time_subtype, Opcode, RetrainKind};
use flitforge_protocol::ltp::CrcMode;
use flitforge_protocol::retry::IsolateAction;
use flitforge_sim::model::PortValues;
use flitforge_sim::SimError;
use flitforge_testkit::flits::beat_value;
use flitforge_testkit::wide::place;
use std::cell::RefCell;
use std::rc::Rc;

/// How often each row of the table in 4.3 was taken.
pub type Rows = Rc<RefCell<[u64; RxRow::COUNT]>>;

/// A complete LTP as it came.
#[derive(Clone)]
struct Raw {
    bits: Value,
    bits14: bool,
    code_err: bool,
    state: u64,
}

/// An LTP with its verdict.
#[derive(Clone)]
struct Judged {
    /// Content of a good one, as it was sent.
    good: Option<Ltp>,
    bits14: bool,
    state: u64,
}

/// An LTP that leaves: as sent, and as `RetryRx` lets it out.
#[derive(Clone)]
struct Leaving {
    sent: Ltp,
    left: Ltp,
    late: bool,
    place: usize,
    state: u64,
}

/// What is said one clock after its cause.
#[derive(Clone, Default)]
struct Events {
    counts: Counters,
    null: Option<NullEvent>,
    peer_active: bool,
    double_bad: bool,
    fault: Option<Fault>,
    /// The timer found that the limit is reached.
    timer_fault: bool,
    unknown_kind: bool,
    iso: Option<(IsolateAction, u64)>,
}

/// The model.
pub struct Model {
    flits: usize,
    config: RetryConfig,
    formats: [LtpFormat; 2],
    rows: Rows,
    running: bool,
    place: u32,
    collecting: Raw,
    lane_state: u64,
    ended: Option<Raw>,
    checked: Option<Raw>,
    verdict: Option<Judged>,
    leaving: Option<Leaving>,
    out: Option<Leaving>,
    rx: RetryRx,
    active: bool,
    latched: bool,
    /// Control inputs of the clock before.
    held: bool,
    fresh: bool,
    open: bool,
    events: Events,
    /// The bad LTP was a Null: said two clocks after the marker.
    iso_unknown: bool,
}

fn format(mode: CrcMode) -> LtpFormat {
    LtpFormat::new(mode, 4).expect("four lanes")
}

/// What the receiver makes of a flit of a good LTP: an illegal one and any Idle is the Idle of 3.2.
fn legal(flit: Flit) -> Flit {
    if flit.is_reliable() && !flit.is_idle() {
        flit
    } else {
        Flit::IDLE
    }
}

fn is_special(flit: Flit) -> bool {
    flit.opcode() == Some(Opcode::Spc)
}

fn is_time(flit: Flit) -> bool {
    matches!(Control::decode(flit), Ok(Control::Spc { subtype, .. }) if is_time_subtype(subtype))
}

impl Model {
    /// A model of `flits` flits per beat with these limits (`toss_ltps` not 0).
    pub fn new(flits: usize, config: RetryConfig, rows: Rows) -> Self {
        let collecting = Raw { bits: Value::zero(1056), bits14: false, code_err: false, state: 0 };
        Self {
            flits,
            config,
            formats: [format(CrcMode::Standard), format(CrcMode::Bits14)],
            rows,
            running: false,
            place: 0,
            collecting,
            lane_state: 0,
            ended: None,
            checked: None,
            verdict: None,
            leaving: None,
            out: None,
            rx: RetryRx::new(config),
            active: false,
            latched: false,
            held: false,
            fresh: false,
            open: false,
            events: Events::default(),
            iso_unknown: false,
        }
    }

    /// One clock.
    pub fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        let clear = inputs.bit("clear")?;
        self.show_exchange(outputs)?;
        self.show_events(outputs)?;
        self.show_beat(outputs)?;
        let taken = self.rx.pending_request().is_some() && inputs.bit("retry_req.ready")?;
        let accepted = self.exchange(inputs, clear || self.held, taken)?;
        self.show_verdict(accepted.is_some() && !clear, outputs)?;
        if clear || self.fresh {
            self.rx.restart();
        }

        self.leaving = accepted.filter(|_| !clear).or(self.leaving.take());
        self.out = self.next_beat();
        self.verdict = match self.checked.take() {
            Some(raw) => Some(self.judge(&raw)?),
            None => None,
        };
        self.checked = self.ended.take();
        self.count_states(inputs.u64("lanes")?);
        self.take(inputs)?;
        let retry = inputs.bit("retry")?;
        self.fresh = inputs.bit("fresh")?;
        self.held = inputs.bit("reset_exchange")? || self.fresh || !retry;
        self.open = !retry;
        if clear {
            self.forget();
        }
        Ok(())
    }

    /// `clear`: everything but the exchange, which the caller has reset, and what stands for the next clock.
    fn forget(&mut self) {
        let fresh = Self::new(self.flits, self.config, self.rows.clone());
        *self = Self {
            lane_state: self.lane_state,
            rx: self.rx.clone(),
            held: self.held,
            fresh: self.fresh,
            open: self.open,
            events: std::mem::take(&mut self.events),
            ..fresh
        };
    }

    fn count_states(&mut self, lanes: u64) {
        if let Some(raw) = &mut self.checked {
            raw.state = self.lane_state;
            self.lane_state = match lanes {
                3 => (self.lane_state + 1) % 4,
                1 => (self.lane_state + 1) % 2,
                _ => 0,
            };
        }
    }

    fn take(&mut self, inputs: &PortValues) -> Result<(), SimError> {
        if inputs.bit("frame_start")? {
            (self.running, self.place, self.lane_state) = (true, 0, 0);
        }
        if !self.running || !inputs.bit("wire_in.valid")? {
            return Ok(());
        }
        if self.place == 0 {
            self.collecting.bits14 = inputs.u64("mode")? == 1;
            self.collecting.code_err = false;
        }
        let width = 66 * self.flits as u32;
        place(&mut self.collecting.bits, width * self.place, &inputs.get("wire_in.data")?.resize(width));
        self.collecting.code_err |= inputs.bit("code_err")?;
        self.place = (self.place + 1) % (16 / self.flits as u32);
        if self.place == 0 {
            self.ended = Some(self.collecting.clone());
        }
        Ok(())
    }

    fn judge(&self, raw: &Raw) -> Result<Judged, SimError> {
        let words: Vec<u32> = (0..33).map(|word| raw.bits.slice(32 * word, 32).low_u64() as u32).collect();
        let received = LtpBits::from_words(&words)
            .map_err(|error| error.to_string())
            .and_then(|bits| self.formats[usize::from(raw.bits14)].decode(&bits).map_err(|e| e.to_string()))
            .map_err(|problem| SimError::Format { what: "an LTP".into(), problem })?;
        let good = received.is_good() && !raw.code_err;
        Ok(Judged { good: good.then_some(received.ltp), bits14: raw.bits14, state: raw.state })
    }

    /// What this clock does to the exchange; the LTP that is accepted.
    fn exchange(
        &mut self,
        inputs: &PortValues,
        reset: bool,
        taken: bool,
    ) -> Result<Option<Leaving>, SimError> {
        self.events = Events::default();
        let (before, judged) = (self.rx.counters().clone(), self.verdict.clone());
        self.events.unknown_kind = judged.as_ref().is_some_and(is_unknown_null);
        let mut accepted = None;
        if reset {
            self.events.iso = std::mem::take(&mut self.latched).then_some((IsolateAction::Discard, 0));
            self.iso_unknown = false;
            self.active = false;
            self.rx.reset_exchange();
            if let (true, Some(judged)) = (self.open, &judged) {
                accepted = judged
                    .good
                    .filter(|ltp| ltp.null().is_none())
                    .map(|ltp| leaving(judged, ltp, ltp, false));
            }
            return Ok(accepted.map(Leaving::legal));
        }
        if std::mem::take(&mut self.iso_unknown) {
            (self.latched, self.events.iso) = (false, Some((IsolateAction::Unknown, 0)));
        }
        if taken {
            self.rx.request_sent();
        }
        if inputs.bit("ltp_time")? {
            self.events.timer_fault = self.rx.tick().is_some();
        }
        if let Some(judged) = judged {
            accepted = self.receive(&judged)?;
        }
        if inputs.bit("activate")? && !self.active {
            self.active = true;
            self.rx.activate(0);
        }
        for &counter in LinkCounter::ALL {
            self.events.counts.add(counter, self.rx.counters().get(counter) - before.get(counter));
        }
        *self.rows.borrow_mut() = *self.rx.rows();
        Ok(accepted)
    }

    fn receive(&mut self, judged: &Judged) -> Result<Option<Leaving>, SimError> {
        let arrival = match judged.good {
            None => Arrival::Bad,
            Some(ltp) => Arrival::Good(match LinkLtp::read(ltp) {
                Ok(LinkLtp::Reliable(sent)) => {
                    LinkLtp::Reliable(Ltp { flits: sent.flits.map(legal), ..sent })
                }
                Ok(null) => null,
                Err(error) => {
                    return Err(SimError::Format { what: "a Null LTP".into(), problem: error.to_string() })
                }
            }),
        };
        self.events.peer_active = shows_active(&arrival);
        let late_before = self.rx.counters().get(LinkCounter::LateBeats);
        let reception: Reception<Ltp> = self.rx.receive(arrival);
        self.events.unknown_kind = false; // `RetryRx` counts them
        self.events.null = reception.event;
        self.events.double_bad = reception.double_bad;
        self.events.fault = reception.fault;
        match reception.latch {
            Some(LatchAction::Latch) => {
                (self.latched, self.events.iso) = (true, Some((IsolateAction::Latch, judged.state)));
            }
            Some(LatchAction::Compare) => {
                (self.latched, self.events.iso) = (false, Some((IsolateAction::Compare, judged.state)));
            }
            Some(LatchAction::Unknown) => self.iso_unknown = true,
            None => (),
        }
        let (Some(sent), Some(delivered)) = (judged.good, reception.delivered) else { return Ok(None) };
        let item = leaving(judged, sent, delivered.payload, delivered.late);
        let late_beats = self.rx.counters().get(LinkCounter::LateBeats) - late_before;
        let carried = Ltp { flits: sent.flits.map(legal), ..sent }.beats(self.flits);
        assert_eq!(late_beats, if delivered.late { carried } else { 0 }, "LATE_BEATS");
        Ok(Some(item))
    }

    fn show_exchange(&self, outputs: &mut PortValues) -> Result<(), SimError> {
        outputs.set_u64("next_rx", self.rx.next().into())?;
        let tossing = self.active && self.rx.state() == flitforge_model::retry::RxState::Toss;
        outputs.set_bit("tossing", tossing)?;
        outputs.set_bit("retry_req.valid", self.rx.pending_request().is_some())?;
        if let Some(pointer) = self.rx.pending_request() {
            outputs.set_u64("retry_req.data", pointer.into())?;
        }
        Ok(())
    }

    fn show_events(&self, outputs: &mut PortValues) -> Result<(), SimError> {
        let events = &self.events;
        let counted = |counter| events.counts.get(counter) == 1;
        outputs.set_bit("rx_tossed", counted(LinkCounter::RxTossed))?;
        outputs.set_bit("rx_dup", counted(LinkCounter::RxDup))?;
        outputs.set_bit("rx_gap", counted(LinkCounter::RxGap))?;
        outputs.set_bit("unexp_mrkr", counted(LinkCounter::UnexpMrkr))?;
        outputs.set_bit("illegal_null", counted(LinkCounter::IllegalNull) || events.unknown_kind)?;
        outputs.set_bit("peer_active", events.peer_active)?;
        outputs.set_bit("double_bad", events.double_bad)?;
        outputs.set_bit("framing_lost", events.fault == Some(Fault::BadRun))?;
        // Of two faults of one LTP the model names the lost framing only.
        if events.fault != Some(Fault::BadRun) {
            let limit = events.timer_fault || events.fault == Some(Fault::RequestLimit);
            outputs.set_bit("request_limit", limit)?;
        }
        outputs.set_bit("iso.valid", events.iso.is_some())?;
        if let Some((action, state)) = events.iso {
            outputs.set_u64("iso.data", state | u64::from(action.code()) << 2)?;
        }
        for name in ["peer_request", "round_trip", "init"] {
            outputs.set_bit(&format!("{name}.valid"), false)?;
        }
        let (name, data) = match events.null {
            Some(NullEvent::RetryRequest(pointer)) => ("peer_request", u64::from(pointer)),
            Some(NullEvent::RoundTrip(token)) => ("round_trip", u64::from(token)),
            Some(NullEvent::RoundTripReply(token)) => ("round_trip", u64::from(token) | 1 << 8),
            Some(NullEvent::Init { ack, fresh, next_rx }) => {
                ("init", u64::from(next_rx) | u64::from(fresh) << 16 | u64::from(ack) << 17)
            }
            None => return Ok(()),
        };
        outputs.set_bit(&format!("{name}.valid"), true)?;
        outputs.set_u64(&format!("{name}.data"), data)
    }

    /// The outputs of the verdict.
    fn show_verdict(&self, accepted: bool, outputs: &mut PortValues) -> Result<(), SimError> {
        let good = self.verdict.as_ref().and_then(|judged| judged.good);
        outputs.set_bit("rx_good", good.is_some())?;
        outputs.set_bit("rx_bad", self.verdict.is_some() && good.is_none())?;
        outputs.set_bit("rx_accepted", accepted)?;
        let known_null = self.verdict.as_ref().is_some_and(|judged| !is_unknown_null(judged));
        let null = good.and_then(|ltp| ltp.null()).filter(|_| known_null);
        outputs.set_bit("null_out.valid", null.is_some())?;
        if let Some(null) = null {
            let data = null.flit().data();
            outputs.set_u64("null_out.data", data >> 56 << 48 | data & 0xFFFF_FFFF_FFFF)?;
        }
        let Some(judged) = &self.verdict else { return outputs.set_bit("side_out.valid", false) };
        outputs.set_bit("side_out.valid", accepted && judged.bits14)?;
        outputs.set_u64("ltp_state", judged.state)?;
        if let (true, Some(ltp)) = (accepted && judged.bits14, good) {
            outputs.set_u64("side_out.data", u64::from(ltp.sideband.c0) | u64::from(ltp.sideband.c1) << 1)?;
        }
        Ok(())
    }

    fn next_beat(&mut self) -> Option<Leaving> {
        let beat = self.leaving.take()?;
        if (beat.place + 1) * self.flits < 16 {
            self.leaving = Some(Leaving { place: beat.place + 1, ..beat.clone() });
        }
        Some(beat)
    }

    fn show_beat(&self, outputs: &mut PortValues) -> Result<(), SimError> {
        let Some(Leaving { sent, left, late, place, state }) = &self.out else {
            for name in ["flits_out.valid", "spc_out.valid", "illegal_flit", "late_beats", "time_stale"] {
                outputs.set_u64(name, 0)?;
            }
            return Ok(());
        };
        let slots = place * self.flits..(place + 1) * self.flits;
        let (sent, left) = (&sent.flits[slots.clone()], &left.flits[slots]);
        let pick = |keep: fn(Flit) -> bool| -> Vec<Flit> {
            left.iter().map(|&flit| if keep(flit) { flit } else { Flit::IDLE }).collect()
        };
        let mask = |is: &dyn Fn(Flit) -> bool| {
            sent.iter().enumerate().fold(0, |mask, (slot, &flit)| mask | u64::from(is(flit)) << slot)
        };
        let (flits, specials) = (pick(|flit| !is_special(flit)), pick(is_special));
        let any = |flits: &[Flit]| flits.iter().any(|flit| !flit.is_idle());
        outputs.set_bit("flits_out.valid", any(&flits))?;
        outputs.set_bit("spc_out.valid", any(&specials))?;
        if any(&flits) {
            outputs.set("flits_out.data", beat_value(&flits))?;
        }
        if any(&specials) {
            outputs.set("spc_out.data", beat_value(&specials))?;
        }
        if any(left) {
            outputs.set_bit("beat_late", *late)?;
            outputs.set_u64("beat_index", *place as u64)?;
            outputs.set_u64("beat_state", *state)?;
        }
        outputs.set_u64("illegal_flit", mask(&|flit| !flit.is_reliable()))?;
        outputs.set_bit("late_beats", *late && mask(&|flit| legal(flit) != Flit::IDLE) > 0)?;
        outputs.set_u64("time_stale", if *late { mask(&is_time) } else { 0 })
    }
}

fn leaving(judged: &Judged, sent: Ltp, left: Ltp, late: bool) -> Leaving {
    Leaving { sent, left, late, place: 0, state: judged.state }
}

impl Leaving {
    /// Without the toss rule: illegal flits are Idle.
    fn legal(self) -> Self {
        Self { left: Ltp { flits: self.left.flits.map(legal), ..self.left }, ..self }
    }
}

fn is_unknown_null(judged: &Judged) -> bool {
    let null = judged.good.and_then(|ltp| ltp.null()).map(|null| Control::decode(null.flit()));
    matches!(null, Some(Ok(Control::Retrain { kind, .. })) if RetrainKind::from_code(kind).is_none())
}

/// Only an Active end sends this (4.2 rule 7).
fn shows_active(arrival: &Arrival<Ltp>) -> bool {
    match arrival {
        Arrival::Bad => false,
        Arrival::Good(LinkLtp::Reliable(_)) => true,
        Arrival::Good(LinkLtp::Null(null)) => match *null {
            Control::RetryMrkr { .. } | Control::RetryReq { .. } => true,
            Control::Retrain { kind, .. } => kind == RetrainKind::RetrainRetryReq.code(),
            _ => false,
        },
    }
}
