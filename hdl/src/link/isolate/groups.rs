//! The isolation CRC of every transfer group of every LTP, kept until the LTP's verdict.

use super::{GROUP_CRC_BITS, QUEUE_ADDRESS_BITS};
use crate::config::ConfigError;
use crate::link::gearbox::ROW_BITS;
use crate::link::ltp_crc::LtpCrc;
use crate::prim::ram::LutRam;
use crate::prim::stream::FlowIn;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::crc::LANE_ISOLATION;
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::ltp::{BITS_1056, BITS_1088, WORD_BITS};

/// Bits that count the words of an LTP and a row.
const PLACE_BITS: usize = 6;

/// Rows in, group CRCs of whole LTPs out, oldest first; up to four LTPs wait.
///
/// All words of a lane that belong to one LTP are one transfer group, so one CRC runs over each lane and starts again
/// behind the group's last word. Group g of an LTP in sequence state s stands at logical lane (g + s) mod L.
///
/// A row is in the CRCs 1 clock later, the CRC of a group is kept 2 clocks after the row with its last word.
#[derive(LogicBlock)]
pub struct IsolateGroups {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear; the next row starts an LTP.
    pub clear: Signal<In, Bit>,
    /// LTPs have 34 words, else 33.
    pub wide: Signal<In, Bit>,
    /// L - 1; holds while rows come.
    pub last_lane: Signal<In, Bits<2>>,
    /// Rows: word i (logical lane i) in bits 32i..32i+31.
    pub rows: FlowIn<Bits<ROW_BITS>>,
    /// The next row starts the first LTP; nothing waits any more.
    pub row_start: Signal<In, Bit>,
    /// The oldest LTP is taken; without effect if none waits.
    pub take: Signal<In, Bit>,
    /// An LTP waits.
    pub waiting: Signal<Out, Bit>,
    /// Group CRCs of the oldest LTP by logical lane; bit 0 is the highest coefficient.
    pub crcs: [Signal<Out, Bits<GROUP_CRC_BITS>>; MAX_LANES],
    /// Sequence state of the oldest LTP.
    pub state: Signal<Out, Bits<2>>,

    crc: [LtpCrc<WORD_BITS, GROUP_CRC_BITS, GROUP_CRC_BITS>; MAX_LANES],
    kept: [LutRam<Bits<GROUP_CRC_BITS>, QUEUE_ADDRESS_BITS>; MAX_LANES],
    /// LTPs of which each lane's group is kept, modulo 4.
    written: [DFF<Bits<QUEUE_ADDRESS_BITS>>; MAX_LANES],
    taken: DFF<Bits<QUEUE_ADDRESS_BITS>>,
    /// Words of the LTP from the row's first word on.
    left: DFF<Bits<PLACE_BITS>>,
    /// The LTP ends with the row: `left` is L at most.
    ends: DFF<Bit>,
    /// L, 2 L and, for each lane, L + lane: `last_lane` stands since before the start.
    lanes: DFF<Bits<PLACE_BITS>>,
    twice: DFF<Bits<PLACE_BITS>>,
    above: [DFF<Bits<PLACE_BITS>>; MAX_LANES],
    used: DFF<Bits<4>>,
    /// Words of an LTP less L: first asked when an LTP ends, so it may be a clock late.
    beyond: DFF<Bits<PLACE_BITS>>,
    stepping: DFF<Bit>,
    /// Bit i: the word of lane i was its group's last.
    ended: DFF<Bits<4>>,
    completed: DFF<Bit>,
    complete_ltps: DFF<Bits<3>>,
    state_now: DFF<Bits<2>>,

    words: Signal<Local, Bits<PLACE_BITS>>,
    count: Signal<Local, Bits<PLACE_BITS>>,
    last_words: Signal<Local, Bits<4>>,
    in_use: Signal<Local, Bits<4>>,
    restart: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    advance: Signal<Local, Bits<3>>,
    advanced: Signal<Local, Bits<3>>,
    lanes_3: Signal<Local, Bits<3>>,
    one: Constant<Bits<PLACE_BITS>>,
    lane_number: [Constant<Bits<PLACE_BITS>>; MAX_LANES],
    narrow_words: Constant<Bits<PLACE_BITS>>,
    wide_words: Constant<Bits<PLACE_BITS>>,
}

impl IsolateGroups {
    /// Waits for the first row.
    pub fn new() -> Result<Self, ConfigError> {
        let crc = || LtpCrc::new(LANE_ISOLATION, 0);
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            wide: Default::default(),
            last_lane: Default::default(),
            rows: Default::default(),
            row_start: Default::default(),
            take: Default::default(),
            waiting: Default::default(),
            crcs: Default::default(),
            state: Default::default(),
            crc: [crc()?, crc()?, crc()?, crc()?],
            kept: Default::default(),
            written: Default::default(),
            taken: Default::default(),
            left: Default::default(),
            ends: Default::default(),
            lanes: Default::default(),
            twice: Default::default(),
            above: Default::default(),
            used: Default::default(),
            beyond: Default::default(),
            stepping: Default::default(),
            ended: Default::default(),
            completed: Default::default(),
            complete_ltps: Default::default(),
            state_now: Default::default(),
            words: Default::default(),
            count: Default::default(),
            last_words: Default::default(),
            in_use: Default::default(),
            restart: Default::default(),
            takes: Default::default(),
            advance: Default::default(),
            advanced: Default::default(),
            lanes_3: Default::default(),
            one: Constant::new(1.into()),
            lane_number: std::array::from_fn(|lane| Constant::new((lane as u64).into())),
            narrow_words: Constant::new(((BITS_1056 / WORD_BITS) as u64).into()),
            wide_words: Constant::new(((BITS_1088 / WORD_BITS) as u64).into()),
        })
    }
}

impl Logic for IsolateGroups {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, taken, left, ends, lanes, twice, used, beyond);
        dff_setup!(self, clock, stepping, ended, completed, complete_ltps, state_now);
        self.restart.next = self.clear.val() | self.row_start.val();
        self.words.next = self.narrow_words.val();
        if self.wide.val() {
            self.words.next = self.wide_words.val();
        }
        self.count.next = bit_cast::<PLACE_BITS, 2>(self.last_lane.val()) + self.one.val();
        self.lanes.d.next = self.count.val();
        self.twice.d.next = self.count.val() << 1;
        self.in_use.next = 0.into();
        for i in 0..4 {
            self.above[i].clock.next = self.clock.val();
            self.above[i].d.next = self.count.val() + self.lane_number[i].val();
            self.in_use.next = self.in_use.val().replace_bit(i, self.count.val() > self.lane_number[i].val());
        }
        self.used.d.next = self.in_use.val();

        // Where the row stands in its LTP: a group's last word is one of the LTP's last L words. An LTP has more than
        // 2 L words, so the row behind an end is no end.
        self.last_words.next = 0.into();
        for i in 0..4 {
            self.last_words.next = self.last_words.val().replace_bit(
                i,
                (self.left.q.val() > self.lane_number[i].val())
                    & (self.left.q.val() <= self.above[i].q.val())
                    & self.used.q.val().get_bit(i),
            );
        }
        self.beyond.d.next = self.words.val() - self.lanes.q.val();
        if self.rows.valid.val() {
            self.left.d.next = self.left.q.val() - self.lanes.q.val();
            if self.ends.q.val() {
                self.left.d.next = self.left.q.val() + self.beyond.q.val();
            }
            self.ends.d.next = !self.ends.q.val() & (self.left.q.val() <= self.twice.q.val());
        }
        if self.restart.val() {
            self.left.d.next = self.words.val();
            self.ends.d.next = false;
        }
        self.stepping.d.next = self.rows.valid.val() & !self.restart.val();
        self.ended.d.next = self.last_words.val();
        self.completed.d.next = self.rows.valid.val() & self.ends.q.val() & !self.restart.val();

        // A CRC over each lane.
        for i in 0..4 {
            self.crc[i].clock.next = self.clock.val();
            self.crc[i].clear.next = self.restart.val();
            self.crc[i].load.next = self.rows.valid.val();
            self.crc[i].beat.next = self.rows.data.val().get_bits::<32>(i * 32);
            self.crc[i].step.next = self.stepping.q.val();
            self.crc[i].restart.next = self.ended.q.val().get_bit(i);
            self.crc[i].appended.next = 0.into();
            self.kept[i].clock.next = self.clock.val();
            self.kept[i].write_enable.next = self.stepping.q.val() & self.ended.q.val().get_bit(i);
            self.kept[i].write_address.next = self.written[i].q.val();
            self.kept[i].write_data.next = self.crc[i].following.val();
            self.kept[i].read_address.next = self.taken.q.val();
            self.crcs[i].next = self.kept[i].read_data.val();
            self.written[i].clock.next = self.clock.val();
            self.written[i].d.next = self.written[i].q.val();
            if self.stepping.q.val() & self.ended.q.val().get_bit(i) {
                self.written[i].d.next = self.written[i].q.val() + 1;
            }
            if self.restart.val() {
                self.written[i].d.next = 0.into();
            }
        }

        // The LTPs that wait for their verdict, and the state of the oldest: N words on 4, 3, 2 lanes move the next
        // LTP by N mod L lanes.
        self.takes.next = self.take.val() & self.complete_ltps.q.val().any();
        if self.takes.val() {
            self.taken.d.next = self.taken.q.val() + 1;
        }
        if self.completed.q.val() & !self.takes.val() {
            self.complete_ltps.d.next = self.complete_ltps.q.val() + 1;
        }
        if !self.completed.q.val() & self.takes.val() {
            self.complete_ltps.d.next = self.complete_ltps.q.val() - 1;
        }
        self.advance.next = 0.into();
        self.lanes_3.next = bit_cast::<3, PLACE_BITS>(self.lanes.q.val());
        if self.wide.val() {
            if self.lanes_3.val().get_bit(2) {
                self.advance.next = 2.into();
            }
            if self.lanes_3.val().get_bits::<2>(0).all() {
                self.advance.next = 1.into();
            }
        } else if !self.lanes_3.val().get_bit(0) {
            self.advance.next = 1.into();
        }
        self.advanced.next = bit_cast::<3, 2>(self.state_now.q.val()) + self.advance.val();
        if self.advanced.val() >= self.lanes_3.val() {
            self.advanced.next = self.advanced.val() - self.lanes_3.val();
        }
        if self.takes.val() {
            self.state_now.d.next = bit_cast::<2, 3>(self.advanced.val());
        }
        if self.restart.val() {
            self.taken.d.next = 0.into();
            self.complete_ltps.d.next = 0.into();
            self.state_now.d.next = 0.into();
        }
        self.waiting.next = self.complete_ltps.q.val().any();
        self.state.next = self.state_now.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("isolate_groups", &[])
    }
}

drive_ports!(impl[] IsolateGroups { clock, clear, wide, last_lane, rows, row_start, take, waiting, crcs, state });
