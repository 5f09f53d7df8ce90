//! Transmit side of retry with the replay buffer (chapter 10, 4.2).

use super::config::{Mutation, RetryConfig};
use super::ltp::LinkLtp;
use super::rx::Fault;
use crate::control::{Control, Half};
use crate::counters::Counters;
use crate::pair::{moved, Numbered};
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::flit::RetrainKind;
use flitforge_protocol::retry::{slot, RetryState};

/// Where an LTP on the wire comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A Null LTP.
    Null,
    /// Sent for the first time, with this sequence number.
    Original(u16),
    /// Sent again from the replay buffer.
    Replayed(u16),
}

/// An LTP that goes on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sent<P> {
    /// The LTP.
    pub ltp: LinkLtp<P>,
    /// Where it comes from.
    pub origin: Origin,
    /// Its CRC is sent inverted, because its slot had a parity error (chapter 10, 6).
    pub corrupted: bool,
}

/// One slot of the replay buffer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Slot<P> {
    payload: P,
    parity_error: bool,
}

/// The transmit side: one [`RetryTx::send`] for each LTP.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RetryTx<P> {
    config: RetryConfig,
    round_trip: u32,
    /// The peer has shown since the start row that it is Active, so that its requests can come.
    peer_active: bool,
    slots: Vec<Option<Slot<P>>>,
    /// Originals since sequence number 0: how much of the buffer is in use.
    written: u64,
    state: RetryState,
    next_write: u16,
    next_tx: u16,
    /// The .1 of a pair whose .0 has gone out: always the next LTP.
    second: Option<Control>,
    /// A request that came while the RetryMrkr pair was going out.
    waiting: Option<u16>,
    /// Two consecutive bad LTPs came while the RetryMrkr pair was going out.
    freeze_wanted: bool,
    /// FREEZE: the RetrainRetryReq pair has to be sent.
    retrain_wanted: bool,
    freeze_timer: u32,
    /// Token of the RndTripMrkr to be answered.
    reply: Option<u8>,
    /// Fillers left of a pad.
    pad_left: u32,
    last_request: Option<u16>,
    retries: u32,
    counters: Counters,
}

impl<P: Clone> RetryTx<P> {
    /// A transmit side that is OFF, its buffer empty.
    #[must_use]
    pub fn new(config: RetryConfig) -> Self {
        RetryTx {
            config,
            round_trip: 0,
            peer_active: false,
            slots: vec![None; config.slots],
            written: 0,
            state: RetryState::Off,
            next_write: 0,
            next_tx: 0,
            second: None,
            waiting: None,
            freeze_wanted: false,
            retrain_wanted: false,
            freeze_timer: 0,
            reply: None,
            pad_left: 0,
            last_request: None,
            retries: 0,
            counters: Counters::new(),
        }
    }

    /// Its state.
    #[must_use]
    pub const fn state(&self) -> RetryState {
        self.state
    }

    /// NxtWr.
    #[must_use]
    pub const fn next_write(&self) -> u16 {
        self.next_write
    }

    /// NxtTx.
    #[must_use]
    pub const fn next_tx(&self) -> u16 {
        self.next_tx
    }

    /// RTT_LTP in force.
    #[must_use]
    pub const fn round_trip(&self) -> u32 {
        self.round_trip
    }

    /// Fillers of a pad at the round trip in force.
    #[must_use]
    pub fn pad(&self) -> u32 {
        self.config.pad(self.round_trip)
    }

    /// Its counters.
    #[must_use]
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Leaves Active or Init: OFF or INIT, the buffer and its pointers stay.
    pub fn reset_exchange(&mut self, state: RetryState) {
        *self = RetryTx {
            slots: std::mem::take(&mut self.slots),
            written: self.written,
            next_write: self.next_write,
            next_tx: self.next_write,
            state,
            counters: self.counters.clone(),
            last_request: self.last_request,
            ..RetryTx::new(RetryConfig { slots: 0, ..self.config })
        };
        self.config.slots = self.slots.len();
    }

    /// Starts at sequence number 0 (4.6 rule 5, fresh). What may not have been delivered is counted `LOST_ON_RESET`:
    /// the whole buffer, since its acknowledgements are known only by the passing of time.
    pub fn restart(&mut self) {
        self.counters.add(LinkCounter::LostOnReset, self.written.min(self.slots.len() as u64));
        self.slots.iter_mut().for_each(|slot| *slot = None);
        (self.written, self.next_write, self.next_tx) = (0, 0, 0);
        (self.last_request, self.retries) = (None, 0);
    }

    /// Enters Active: RetryMrkr pair and replay from the peer's NxtRx, even if there is nothing to replay.
    pub fn activate(&mut self, round_trip: u32, pointer: u16) -> Result<(), Fault> {
        self.round_trip = round_trip;
        self.check_pointer(pointer)?;
        (self.state, self.next_tx) = (RetryState::Mark, pointer);
        Ok(())
    }

    /// Rule 3: a pointer is valid if (NxtWr - p) mod 65536 <= R, and not before number 0.
    fn check_pointer(&mut self, pointer: u16) -> Result<(), Fault> {
        let behind = u64::from(self.next_write.wrapping_sub(pointer));
        if behind <= self.written.min(self.slots.len() as u64) {
            return Ok(());
        }
        self.counters.count(LinkCounter::BadPointer);
        Err(Fault::BadPointer)
    }

    /// Number, among the originals since sequence number 0, of the LTP that the last request named.
    pub(super) fn requested(&self) -> u64 {
        let behind = self.last_request.map_or(0, |pointer| self.next_write.wrapping_sub(pointer));
        self.written.saturating_sub(behind.into())
    }

    /// The peer sent what only an Active end sends.
    pub fn peer_is_active(&mut self) {
        self.peer_active = true;
    }

    /// Our reading: no original is sent, so no slot written, before the peer has shown that it is Active. An end in
    /// Init sends no RetryReq, and the silence of rule 1 would be taken for an acknowledgement.
    fn may_write(&self) -> bool {
        self.peer_active || self.config.lacks(Mutation::WriteBeforePeerActive)
    }

    fn is_active(&self) -> bool {
        !matches!(self.state, RetryState::Off | RetryState::Init)
    }

    /// The marker's .0 has gone out and its .1 not yet.
    fn is_marking(&self) -> bool {
        self.state == RetryState::Mark && matches!(self.second, Some(Control::RetryMrkr { .. }))
    }

    /// A good RetryReq (rules 1 and 3): ends a pad and a freeze; while the marker pair goes out it waits.
    pub fn request(&mut self, pointer: u16) -> Result<(), Fault> {
        self.counters.count(LinkCounter::RetryRx);
        if !self.is_active() {
            return Ok(()); // Init has named the pointer already
        }
        self.check_pointer(pointer)?;
        self.count_retry(pointer)?;
        if self.is_marking() {
            self.waiting = Some(pointer);
        } else {
            (self.state, self.next_tx) = (RetryState::Mark, pointer);
        }
        self.pad_left = 0;
        self.freeze_wanted = false;
        self.retrain_wanted = false;
        Ok(())
    }

    /// Rule 5: requests for one pointer without progress.
    fn count_retry(&mut self, pointer: u16) -> Result<(), Fault> {
        if self.last_request != Some(pointer) {
            self.last_request = Some(pointer);
            self.retries = 0;
        }
        self.retry()
    }

    fn retry(&mut self) -> Result<(), Fault> {
        if self.retries >= self.config.retry_limit {
            return Err(Fault::ReplayLimit);
        }
        self.retries += 1;
        Ok(())
    }

    /// Rule 2: two consecutive bad LTPs at the own receiver; a whole RetryReq pair may be lost.
    pub fn double_bad(&mut self) {
        if self.config.lacks(Mutation::NoFreeze) || !self.is_active() || self.state == RetryState::Freeze {
            return;
        }
        if self.is_marking() {
            self.freeze_wanted = true;
        } else {
            self.freeze();
        }
    }

    fn freeze(&mut self) {
        self.counters.count(LinkCounter::Freeze);
        self.state = RetryState::Freeze;
        self.freeze_wanted = false;
        self.waiting = None;
        self.pad_left = 0;
        self.retrain_wanted = true;
        self.freeze_timer = 0;
    }

    /// A RndTripMrkr to be answered at the next boundary (rule 6).
    pub fn answer(&mut self, token: u8) {
        self.reply = Some(token);
    }

    /// An error in the replay RAM: the slot's parity is wrong from now on.
    pub fn damage_slot(&mut self, number: usize) {
        if let Some(slot) = self.slots.get_mut(number).and_then(Option::as_mut) {
            slot.parity_error = true;
        }
    }

    /// One LTP time goes by: the FREEZE timer. A fault if its pair is one too many.
    pub fn tick(&mut self) -> Option<Fault> {
        if self.state != RetryState::Freeze || self.retrain_wanted {
            self.freeze_timer = 0;
            return None;
        }
        self.freeze_timer += 1;
        if self.freeze_timer < self.config.freeze_time(self.round_trip) {
            return None;
        }
        self.retrain_wanted = true;
        self.freeze_timer = 0;
        self.retry().err()
    }

    /// True if an original LTP may be opened (`tx_open`, 4.1): nothing of higher rank is to be sent.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.state == RetryState::Normal
            && self.may_write()
            && self.pad_left == 0
            && self.second.is_none()
            && self.reply.is_none()
    }

    /// The next LTP of the order of 4.1 rule 4, when the link is Active. `request` is what the own receiver wants to
    /// ask for; it is taken if a RetryReq.0 comes back. `original` is called for the content of an original LTP.
    pub fn send(&mut self, request: Option<u16>, original: impl FnOnce() -> P) -> Sent<P> {
        let sent = self.choose(request, original);
        self.counters.count(LinkCounter::TxLtp);
        match sent.origin {
            Origin::Null => self.counters.count(LinkCounter::NullTx),
            Origin::Original(_) => (),
            Origin::Replayed(_) => self.counters.count(LinkCounter::Replayed),
        }
        sent
    }

    /// A pair or an answer stands in front of what Init wants to send.
    pub(super) const fn has_work(&self) -> bool {
        self.second.is_some() || self.reply.is_some()
    }

    /// The next LTP in state INIT: what is due, else the first Null of `pair`.
    pub(super) fn send_init(&mut self, pair: Option<Control>) -> Sent<P> {
        self.counters.count(LinkCounter::TxLtp);
        self.counters.count(LinkCounter::NullTx);
        if let Some(second) = self.second.take() {
            return null(second);
        }
        match (self.reply.take(), pair) {
            (Some(token), _) => {
                self.start_pair(Control::RndTripMrkr { half: Half::First, token, reply: true })
            }
            (None, Some(first)) => self.start_pair(first),
            (None, None) => null(filler()),
        }
    }

    fn choose(&mut self, request: Option<u16>, original: impl FnOnce() -> P) -> Sent<P> {
        if let Some(second) = self.second.take() {
            return self.finish_pair(second);
        }
        if let Some(next_rx_ltp) = request {
            self.counters.count(LinkCounter::RetryTx);
            let first = Control::RetryReq { half: Half::First, next_rx_ltp };
            if self.config.lacks(Mutation::SingleRequest) {
                return null(first);
            }
            return self.start_pair(first);
        }
        if std::mem::take(&mut self.retrain_wanted) {
            return self.start_pair(Control::retrain(RetrainKind::RetrainRetryReq));
        }
        if let Some(token) = self.reply.take() {
            return self.start_pair(Control::RndTripMrkr { half: Half::First, token, reply: true });
        }
        match self.state {
            RetryState::Mark => self.start_pair(Control::RetryMrkr {
                half: Half::First,
                first_replayed: self.next_tx,
                next_write_ltp: self.next_write,
            }),
            RetryState::Replay | RetryState::Normal if self.pad_left > 0 => {
                self.pad_left -= 1;
                null(filler())
            }
            RetryState::Replay => self.send_slot(original),
            RetryState::Normal if self.may_write() => self.send_slot(original),
            RetryState::Normal | RetryState::Off | RetryState::Init | RetryState::Freeze => null(filler()),
        }
    }

    /// Sends the .0 of a pair.
    fn start_pair(&mut self, first: Control) -> Sent<P> {
        self.second = Some(second_of(first));
        null(first)
    }

    /// Sends the .1 of a pair. After a marker's: the replay, or what came up meanwhile.
    fn finish_pair(&mut self, second: Control) -> Sent<P> {
        if matches!(second, Control::RetryMrkr { .. }) {
            if self.freeze_wanted {
                self.freeze();
            } else if let Some(pointer) = self.waiting.take() {
                self.next_tx = pointer;
            } else if self.next_tx == self.next_write {
                self.state = RetryState::Normal;
            } else {
                self.state = RetryState::Replay;
            }
        }
        null(second)
    }

    /// The next slot: NORMAL writes and sends it, REPLAY sends it again. After slot R-1 a pad follows (rule 1).
    fn send_slot(&mut self, original: impl FnOnce() -> P) -> Sent<P> {
        let sequence = self.next_tx;
        let number = slot(sequence, self.slots.len());
        let is_original = self.state == RetryState::Normal;
        if is_original {
            self.write(sequence, original());
        }
        if number + 1 == self.slots.len() && (is_original || !self.config.lacks(Mutation::PadOnOriginalsOnly))
        {
            self.pad_left = self.pad();
        }
        self.next_tx = sequence.wrapping_add(1);
        if self.next_tx == self.next_write {
            self.state = RetryState::Normal;
        }
        let origin = if is_original { Origin::Original(sequence) } else { Origin::Replayed(sequence) };
        match &self.slots[number] {
            Some(slot) => {
                if slot.parity_error {
                    self.counters.count(LinkCounter::ReplayParity);
                }
                Sent { ltp: LinkLtp::Reliable(slot.payload.clone()), origin, corrupted: slot.parity_error }
            }
            // No valid pointer leads here; it is sent as an empty slot would be, with a CRC that fails.
            None => Sent { corrupted: true, ..null(filler()) },
        }
    }

    fn write(&mut self, sequence: u16, payload: P) {
        let number = slot(sequence, self.slots.len());
        self.slots[number] = Some(Slot { payload, parity_error: false });
        self.written += 1;
        self.next_write = sequence.wrapping_add(1);
        if self.last_request.is_some_and(|pointer| slot(pointer, self.slots.len()) == number) {
            self.last_request = None; // the slot asked for was given up: progress
            self.retries = 0;
        }
    }
}

impl RetryTx<Numbered> {
    /// Nothing waits to be sent.
    pub(super) const fn is_settled(&self) -> bool {
        self.second.is_none() && self.reply.is_none() && self.peer_active
    }

    /// The same transmitter with its numbers moved and what a proof does not need cut off: counters, the retry limit, and
    /// how much was written beyond a whole buffer.
    pub(super) fn fold(&mut self, data: u16, requests: u16) {
        self.next_write = self.next_write.wrapping_sub(data);
        self.next_tx = self.next_tx.wrapping_sub(data);
        self.waiting = self.waiting.map(|pointer| pointer.wrapping_sub(data));
        self.second = self.second.map(|null| moved(null, data, requests));
        self.slots.iter_mut().flatten().for_each(|slot| slot.payload.0 = slot.payload.0.wrapping_sub(data));
        self.written = self.written.min(self.slots.len() as u64);
        (self.last_request, self.retries) = (None, 0);
        self.counters = Counters::new();
    }
}

const fn filler() -> Control {
    Control::retrain(RetrainKind::Filler)
}

const fn null<P>(control: Control) -> Sent<P> {
    Sent { ltp: LinkLtp::Null(control), origin: Origin::Null, corrupted: false }
}

/// The .1 of the pair that `first` starts.
fn second_of(first: Control) -> Control {
    let half = Half::Second;
    match first {
        Control::RetryReq { next_rx_ltp, .. } => Control::RetryReq { half, next_rx_ltp },
        Control::RetryMrkr { first_replayed, next_write_ltp, .. } => {
            Control::RetryMrkr { half, first_replayed, next_write_ltp }
        }
        Control::RndTripMrkr { token, reply, .. } => Control::RndTripMrkr { half, token, reply },
        Control::Retrain { kind, fresh, next_rx_ltp, .. } => {
            Control::Retrain { kind, half, fresh, next_rx_ltp }
        }
        other => other,
    }
}
