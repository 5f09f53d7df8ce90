//! The register page of a link port, clock by clock (chapter 10, 5), from the page's description.
//!
//! It knows nothing of how the hardware keeps its counters: a counter is a number that every event raises at once.

use flitforge_protocol::counter::{COUNTER_MAX, LINK_COUNTERS};
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::link_registers::{
    self as page, ctrl, lane, status, CODE_ERROR_BITS, LANE_ERROR_BITS, PAGE,
};
use flitforge_protocol::register::{Access, Reset};
use std::collections::BTreeMap;

/// Clocks from a request to its `ack`.
pub const ACK_CLOCKS: u32 = 4;
/// Clocks from a request to the last event that a counter shows, or that a cleared counter has lost.
const COUNT_CLOCKS: u32 = 1;
/// Clocks from a request to the status it shows (a clock less to the state that a write in Down needs), and to the last event lost to CTRL.clear_counters.
const STATUS_CLOCKS: u32 = 3;

/// A request on the register bus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// Byte offset.
    pub offset: u32,
    /// The value of a write.
    pub write: Option<u64>,
}

/// What comes in on a clock.
#[derive(Debug, Clone, Default)]
pub struct RegisterInputs {
    /// `clear`.
    pub clear: bool,
    /// `re` or `we`.
    pub request: Option<Request>,
    /// Words and parts of words that other blocks give, by byte offset of their register.
    pub live: BTreeMap<u32, u64>,
    /// The word of the virtual lane last asked for.
    pub credit: u64,
    /// Levels of the buckets.
    pub levels: [u64; MAX_LANES],
    /// Events of each counter.
    pub counts: Vec<u64>,
    /// Lanes charged, lanes with a code error.
    pub lanes: [u64; 2],
    /// Bits of EVENT.
    pub happened: u64,
}

/// What goes out on a clock.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RegisterOutputs {
    /// `ack`, with the value of a read (0 for a write).
    pub ack: Option<u64>,
    /// Self-clearing bits of CTRL.
    pub commands: u64,
    /// `interrupt`.
    pub interrupt: bool,
}

#[derive(Debug, Clone, Copy)]
struct Pending {
    request: Request,
    /// Clocks since the request.
    age: u32,
    value: u64,
    allowed: bool,
    answers: bool,
}

/// The page.
#[derive(Debug, Clone)]
pub struct LinkRegisters {
    /// Kept values by byte offset.
    kept: BTreeMap<u32, u64>,
    counters: [u64; LINK_COUNTERS],
    /// LANE_ERR and code errors.
    lanes: [[u64; 2]; MAX_LANES],
    event: u64,
    /// STATUS.state was Down in the clock before.
    was_down: bool,
    pending: Option<Pending>,
    commands: u64,
    interrupt: bool,
}

fn saturating(value: &mut u64, events: u64, bits: usize) {
    *value = (*value + events).min((1 << bits) - 1);
}

impl LinkRegisters {
    /// Power-on values; `built` gives those of the registers that say what was built.
    #[must_use]
    pub fn new(built: &BTreeMap<u32, u64>) -> Self {
        let value = |reset, offset| match reset {
            Reset::Value(value) => value,
            Reset::Undescribed => 0,
            Reset::Build => built.get(&offset).copied().unwrap_or(0),
        };
        let kept = PAGE.registers.iter().map(|r| (r.offset, value(r.reset, r.offset))).collect();
        LinkRegisters {
            kept,
            counters: [0; LINK_COUNTERS],
            lanes: Default::default(),
            event: 0,
            was_down: true,
            pending: None,
            commands: 0,
            interrupt: false,
        }
    }

    /// Starts a word of counters elsewhere than at 0, for tests of saturation.
    pub fn start_word(&mut self, offset: u32, value: u64) {
        if let Some((_, index)) = PAGE.counter_at(offset) {
            self.counters[index] = value.min(COUNTER_MAX);
        } else if let Some((_, index)) = PAGE.register_at(offset).filter(|(r, _)| r.offset == page::LANE) {
            let fields = [lane::errors::FIELD, lane::code_errors::FIELD];
            self.lanes[index as usize] = fields.map(|field| field.get(value.into()));
        }
    }

    /// The kept value of a register, as its port shows it.
    #[must_use]
    pub fn kept(&self, offset: u32) -> u64 {
        self.kept.get(&offset).copied().unwrap_or(0)
    }

    /// One clock: what the ports show in it, then the edge.
    pub fn clock(&mut self, inputs: &RegisterInputs) -> RegisterOutputs {
        let acked = self.pending.filter(|pending| pending.age == ACK_CLOCKS && pending.answers);
        let outputs = RegisterOutputs {
            ack: acked.map(|pending| pending.value),
            commands: self.commands,
            interrupt: self.interrupt,
        };
        self.interrupt = self.event & self.kept(page::MASK) != 0;
        self.commands = 0;
        self.count(inputs);
        let mut cleared_events = 0;
        if let Some(mut pending) = self.pending.take() {
            match pending.age {
                COUNT_CLOCKS => self.access_counter(&mut pending),
                STATUS_CLOCKS => self.access_status(&mut pending, inputs),
                ACK_CLOCKS => cleared_events = self.commit(&pending),
                _ => (),
            }
            pending.answers &= !inputs.clear;
            pending.age += 1;
            self.pending = Some(pending).filter(|pending| pending.age <= ACK_CLOCKS);
        } else if let Some(request) = inputs.request.filter(|_| !inputs.clear) {
            self.pending = Some(Pending { request, age: 1, value: 0, allowed: false, answers: true });
        }
        self.event = self.event & !cleared_events | inputs.happened;
        let state = status::state::FIELD.get(inputs.live.get(&page::STATUS).copied().unwrap_or(0).into());
        self.was_down = state == u64::from(LinkState::Down.code());
        outputs
    }

    fn count(&mut self, inputs: &RegisterInputs) {
        for (counter, events) in self.counters.iter_mut().zip(&inputs.counts) {
            *counter = (*counter + events).min(COUNTER_MAX);
        }
        for (index, [errors, code_errors]) in self.lanes.iter_mut().enumerate() {
            saturating(errors, inputs.lanes[0] >> index & 1, LANE_ERROR_BITS);
            saturating(code_errors, inputs.lanes[1] >> index & 1, CODE_ERROR_BITS);
        }
    }

    fn access_counter(&mut self, pending: &mut Pending) {
        let offset = pending.request.offset;
        let clears = pending.request.write == Some(0);
        if let Some((_, index)) = PAGE.counter_at(offset) {
            pending.value = self.counters[index];
            if clears {
                self.counters[index] = 0;
            }
        }
        if let Some((register, index)) = PAGE.register_at(offset).filter(|(r, _)| r.offset == page::LANE) {
            debug_assert_eq!(register.access, Access::Counter);
            let [errors, code_errors] = &mut self.lanes[index as usize];
            pending.value = *errors | *code_errors << lane::code_errors::LOW;
            if clears {
                (*errors, *code_errors) = (0, 0);
            }
        }
    }

    fn access_status(&mut self, pending: &mut Pending, inputs: &RegisterInputs) {
        let offset = pending.request.offset;
        let Some((register, index)) = PAGE.register_at(offset) else {
            pending.value = if pending.request.write.is_some() { 0 } else { pending.value };
            return;
        };
        pending.allowed = match register.access {
            Access::ReadWriteDown => self.was_down,
            _ => true,
        };
        if let Some(word) = pending.request.write {
            pending.value = 0;
            if register.offset == page::CTRL && ctrl::clear_counters::FIELD.get(word.into()) == 1 {
                self.counters = [0; LINK_COUNTERS];
                self.lanes = Default::default();
            }
            return;
        }
        pending.value |= match register.offset {
            page::LANE => inputs.levels[index as usize] << lane::debt::LOW,
            page::CRED => inputs.credit,
            page::EVENT => self.event,
            _ => self.kept(register.offset) | inputs.live.get(&register.offset).copied().unwrap_or(0),
        };
    }

    /// The edge after the acknowledged write; gives the events it clears.
    fn commit(&mut self, pending: &Pending) -> u64 {
        let (Some(word), true) = (pending.request.write, pending.allowed) else { return 0 };
        let Some((register, _)) = PAGE.register_at(pending.request.offset) else { return 0 };
        let kept = register.mask(Access::is_kept);
        self.commands = word & register.mask(|access| access == Access::SelfClearing);
        let disables = register.offset == page::CTRL && ctrl::disable::FIELD.get(word.into()) == 1;
        let value = if disables { word & !(ctrl::enable::FIELD.mask() as u64) } else { word };
        if kept != 0 {
            let old = self.kept(register.offset);
            self.kept.insert(register.offset, old & !kept | value & kept);
        }
        word & register.mask(|access| access == Access::WriteOneClears)
    }
}
