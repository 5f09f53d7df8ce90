//! One direction of a pair, held to the golden models: beats sorted by lane, packets, and the audit of credits in every clock.

use crate::fabric::encode::{end_value, header_value, word_value};
use flitforge_elaborate::Value;
use flitforge_model::credit::{Codes, CreditReceiver, CreditRules, CreditSender, SidebandReceiver};
use flitforge_model::ltp::Sideband;
use flitforge_model::packet::{PacketReceiver, PacketRules};
use flitforge_model::vl::{LaneBeat, VlBeatReceiver};
use flitforge_model::Flit;
use flitforge_protocol::flit::{
    control, credit_code_low, tail_bad, BadReason, Opcode, CREDIT_CODE_BITS, MAX_VLS,
};
use std::collections::VecDeque;

/// Clocks for which sums are kept.
const KEPT: usize = 10;
/// Clocks from something that happens to the register that shows it: an AU spent, one that has come, one given back, one that is back by CrdtRet, by
/// a message.
const SPENT: usize = 2;
const ARRIVED: usize = 8;
const GIVEN: usize = 3;
const BACK_BY_FLIT: usize = 4;
const BACK_BY_MESSAGE: usize = 5;

/// A sum of AU over time: `at(n)` is that of n clocks ago.
#[derive(Clone, Debug, Default)]
struct Sum {
    total: i64,
    before: VecDeque<i64>,
}

impl Sum {
    fn clock(&mut self) {
        self.before.push_front(self.total);
        self.before.truncate(KEPT);
    }

    /// What had happened up to `clocks` clocks ago, that clock included.
    fn at(&self, clocks: usize) -> i64 {
        self.before.get(clocks).copied().unwrap_or(0)
    }
}

/// The sums of one lane.
#[derive(Clone, Debug, Default)]
struct Lane {
    spent: Sum,
    arrived: Sum,
    given: Sum,
    by_flit: Sum,
    by_message: Sum,
}

/// What the sending end says in a clock.
pub struct Sending<'a> {
    pub sent: u64,
    pub ends: u64,
    pub available: &'a [u64],
    pub begins: bool,
    /// Beats and sideband it receives, which bring credits back.
    pub beat: Option<&'a [Flit]>,
    pub side: Option<(u64, u64)>,
}

/// What the receiving end says in a clock.
pub struct Receiving<'a> {
    pub beat: Option<&'a [Flit]>,
    /// Its slots whose flit had an undefined opcode.
    pub undefined: &'a [bool],
    pub released: u64,
    pub occupied: &'a [u64],
    pub pending: &'a [u64],
    /// Credits begin anew; these lanes had stopped.
    pub begins: Option<u64>,
    /// A search for credits to give back has ended: by message, to this lane, with these codes.
    pub search: Option<(bool, u64, u64)>,
}

/// What a lane's reader must get.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    pub headers: VecDeque<u64>,
    pub words: VecDeque<Value>,
    pub ends: VecDeque<u64>,
    /// The end is that of a packet that a start has cut.
    open: bool,
}

/// A direction.
pub struct Flow {
    flits: usize,
    rules: CreditRules,
    sender: CreditSender,
    receiver: CreditReceiver,
    side: SidebandReceiver,
    vl_rx: VlBeatReceiver,
    packets: Vec<PacketReceiver>,
    packet_rules: PacketRules,
    pub expected: Vec<Expected>,
    lanes: Vec<Lane>,
    /// Clocks for which both ends have been up since the last start.
    pub settled: u64,
    /// An injected fault: the audit and the models are left alone until the next start.
    pub faulty: bool,
    pub stack_errors: u64,
    /// Beats delivered to lanes.
    pub beats: u64,
    pub audited: u64,
    pub by_flit: u64,
    pub by_message: u64,
    /// Least credit and most occupied, of all lanes.
    pub full: u64,
}

impl Flow {
    pub fn new(flits: usize, lanes: usize, buffer: usize, v_au: u32, units: [u8; 8], mtu: usize) -> Self {
        let size = (buffer / (8 << v_au)) as u32;
        let rules = CreditRules { v_au, units, ..CreditRules::new(vec![size; lanes]) };
        let packet_rules = PacketRules { flits, mtu, lanes, management: false };
        Flow {
            flits,
            sender: CreditSender::new(rules.clone(), flits).expect("rules"),
            receiver: CreditReceiver::new(rules.clone(), flits).expect("rules"),
            rules,
            side: SidebandReceiver::default(),
            vl_rx: VlBeatReceiver::new(lanes, flits).expect("rules"),
            packets: (0..lanes).map(|_| PacketReceiver::new(packet_rules).expect("rules")).collect(),
            packet_rules,
            expected: vec![Expected::default(); lanes],
            lanes: vec![Lane::default(); lanes],
            settled: 0,
            faulty: false,
            stack_errors: 0,
            beats: 0,
            audited: 0,
            by_flit: 0,
            by_message: 0,
            full: 0,
        }
    }

    pub fn size(&self) -> u64 {
        self.rules.buffers[0].into()
    }

    /// AU the sender has by the model.
    pub fn available(&self, vl: usize) -> u32 {
        self.sender.available()[vl]
    }

    pub fn occupied(&self, vl: usize) -> u32 {
        self.receiver.occupied(vl)
    }

    /// The sending end: what it spends, and what comes back to it.
    pub fn send(&mut self, clock: u64, sending: &Sending) {
        for vl in (0..self.lanes.len()).filter(|vl| sending.sent >> vl & 1 == 1) {
            let ends = sending.ends >> vl & 1 == 1;
            let cost = self.sender.send(vl, self.flits, ends);
            let cost = cost.unwrap_or_else(|error| panic!("clock {clock}: {error}"));
            self.lanes[vl].spent.total += i64::from(cost);
        }
        for flit in sending.beat.unwrap_or_default() {
            if flit.opcode() == Some(Opcode::CrdtRet) {
                self.give(clock, &codes_of(flit.data()), false);
                self.by_flit += 1;
            }
        }
        if let Some((bits, place)) = sending.side {
            let bits = Sideband { c0: bits & 1 == 1, c1: bits & 2 == 2 };
            if let Some(message) = self.side.accept(place as u16, bits) {
                let mut codes: Codes = [0; MAX_VLS];
                codes[usize::from(message.vl())] = message.code();
                self.give(clock, &codes, true);
                self.by_message += 1;
            }
        }
        if sending.begins {
            self.clear_sender();
            for lane in &mut self.lanes {
                (lane.spent, lane.by_flit, lane.by_message) = Default::default();
            }
        }
    }

    /// The sending end has been cleared.
    pub fn clear_sender(&mut self) {
        self.sender = CreditSender::new(self.rules.clone(), self.flits).expect("rules");
        self.side = SidebandReceiver::default();
        self.settled = 0;
    }

    /// The receiving end has been cleared: nothing is there, nothing comes of it.
    pub fn clear_receiver(&mut self) {
        self.receiver = CreditReceiver::new(self.rules.clone(), self.flits).expect("rules");
        self.vl_rx = VlBeatReceiver::new(self.lanes.len(), self.flits).expect("rules");
        for (packets, expected) in self.packets.iter_mut().zip(&mut self.expected) {
            *packets = PacketReceiver::new(self.packet_rules).expect("rules");
            *expected = Expected::default();
        }
        self.settled = 0;
    }

    fn give(&mut self, clock: u64, codes: &Codes, by_message: bool) {
        let given = self.sender.give_all(codes);
        given.unwrap_or_else(|error| panic!("clock {clock}: {error}"));
        for (vl, lane) in self.lanes.iter_mut().enumerate() {
            let sum = if by_message { &mut lane.by_message } else { &mut lane.by_flit };
            sum.total += i64::from(self.rules.units_of(codes[vl]));
        }
    }

    /// The receiving end: what comes, what its readers empty, what it gives back.
    pub fn receive(&mut self, clock: u64, receiving: &Receiving) {
        for vl in (0..self.lanes.len()).filter(|vl| receiving.released >> vl & 1 == 1) {
            let released = self.receiver.release(vl, 1);
            assert!(self.faulty || released.is_ok(), "clock {clock}: {released:?}");
        }
        if let Some(beat) = receiving.beat {
            self.beat(clock, beat, receiving.undefined);
        }
        if let Some((by_message, lane, codes)) = receiving.search {
            for vl in (0..self.lanes.len()).filter(|vl| !by_message || lane >> vl & 1 == 1) {
                let units = self.rules.units_of((codes >> credit_code_low(vl)) as u8 & CODE_MASK);
                self.receiver.take_of(vl, units);
                self.lanes[vl].given.total += i64::from(units);
            }
        }
        if let Some(stopped) = receiving.begins {
            self.start(stopped);
        }
    }

    fn beat(&mut self, clock: u64, beat: &[Flit], undefined: &[bool]) {
        let received = self.vl_rx.step_with(beat, undefined).expect("F flits");
        self.stack_errors += u64::from(received.error);
        if let Some(came) = received.came {
            match self.receiver.come(&came) {
                Ok(units) => self.lanes[came.vl].arrived.total += i64::from(units),
                Err(error) => assert!(self.faulty, "clock {clock}: {error}"),
            }
        }
        if let Some(beat) = received.delivered {
            self.beats += 1;
            self.deliver(&beat);
        }
    }

    fn deliver(&mut self, beat: &LaneBeat) {
        let got = self.packets[beat.vl].step(&beat.beat).expect("F flits");
        let expected = &mut self.expected[beat.vl];
        expected.open = !beat.ends;
        expected.headers.extend(got.header.map(|(header, len)| header_value(&header, len)));
        expected.words.extend(got.words.iter().map(|word| word_value(word, self.flits)));
        expected.ends.extend(got.end.map(|end| end_value(&end)));
    }

    /// A start: packets that are open end with reason 1. Lanes that had stopped are empty.
    fn start(&mut self, stopped: u64) {
        for vl in (0..self.lanes.len()).filter(|vl| stopped >> vl & 1 == 1) {
            let all = self.receiver.occupied(vl);
            self.receiver.release(vl, all).expect("they are there");
        }
        self.receiver.restart();
        self.vl_rx = VlBeatReceiver::new(self.lanes.len(), self.flits).expect("rules");
        for vl in 0..self.lanes.len() {
            let payload = u128::from(BadReason::InputLinkDown.code()) << tail_bad::reason::LOW;
            let payload = tail_bad::vl::FIELD.set(payload, vl as u64) as u64;
            let mut beat = vec![Flit::IDLE; self.flits];
            beat[0] = Flit::control(Opcode::TailBad, payload);
            if self.expected[vl].open {
                self.deliver(&LaneBeat { vl, beat, flits: 1, opens: false, ends: true });
            }
            (self.lanes[vl].arrived, self.lanes[vl].given) = Default::default();
        }
        self.settled = 0;
    }

    /// Both ends of the clock; `up`: both are.
    pub fn audit(&mut self, clock: u64, up: bool, sending: &Sending, receiving: &Receiving) {
        for lane in &mut self.lanes {
            for sum in
                [&mut lane.spent, &mut lane.arrived, &mut lane.given, &mut lane.by_flit, &mut lane.by_message]
            {
                sum.clock();
            }
        }
        if self.settled > 0 || up {
            self.settled += 1;
        }
        if self.settled < 2 * KEPT as u64 || self.faulty {
            return;
        }
        for (vl, lane) in self.lanes.iter().enumerate() {
            let there = lane.spent.at(SPENT) - lane.arrived.at(ARRIVED);
            let back =
                lane.given.at(GIVEN) - lane.by_flit.at(BACK_BY_FLIT) - lane.by_message.at(BACK_BY_MESSAGE);
            let [sender, occupied, pending] =
                [sending.available[vl], receiving.occupied[vl], receiving.pending[vl]];
            assert!(there >= 0 && back >= 0, "clock {clock}, lane {vl}: {there} and {back} AU on their way");
            assert_eq!(
                sender as i64 + there + occupied as i64 + pending as i64 + back,
                self.size() as i64,
                "clock {clock}, lane {vl}: sender {sender}, there {there}, occupied {occupied}, pending {pending}, back {back}"
            );
            self.full = self.full.max(occupied);
        }
        self.audited += 1;
    }
}

const CODE_MASK: u8 = (1 << CREDIT_CODE_BITS) - 1;

fn codes_of(data: u64) -> Codes {
    std::array::from_fn(|vl| (data >> (control::payload::LOW + credit_code_low(vl))) as u8 & CODE_MASK)
}
