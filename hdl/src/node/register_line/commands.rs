//! Lines of text to requests, and answers to lines of text.

use super::states::{CommandState, LineField, Problem};
use crate::config::{check_range, ConfigError};
use crate::prim::stream::{FlowIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Most devices.
pub const MAX_DEVICES: usize = 8;
/// Most characters of a line, its end not counted.
pub const MAX_LINE: u64 = 31;
/// Bits of a byte offset: four digits.
const OFFSET_BITS: usize = 16;

/// Carries out lines of text on register buses; see the [module](super).
#[derive(LogicBlock)]
pub struct RegisterCommands<const D: usize, const W: usize> {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Characters that come, ASCII.
    pub letters: FlowIn<Bits<8>>,
    /// Pulse: a character was lost.
    pub lost: Signal<In, Bit>,
    /// Characters of the answers.
    pub answer: StreamOut<Bits<8>>,
    /// Word of the page, for all devices.
    pub addr: Signal<Out, Bits<W>>,
    /// Value of a write, for all devices.
    pub wdata: Signal<Out, Bits<64>>,
    /// Pulse: a write, by device.
    pub we: Signal<Out, Bits<D>>,
    /// Pulse: a read, by device.
    pub re: Signal<Out, Bits<D>>,
    /// Values of reads, 0 without `ack`.
    pub rdata: [Signal<In, Bits<64>>; D],
    /// The request is done, by device.
    pub ack: Signal<In, Bits<D>>,

    state: DFF<CommandState>,
    problem: DFF<Problem>,
    field: DFF<LineField>,
    /// A space behind the field that came last.
    gap: DFF<Bit>,
    writes: DFF<Bit>,
    /// Digits of the field, then digits that are to be sent.
    digits: DFF<Bits<5>>,
    /// Characters of the line.
    length: DFF<Bits<5>>,
    device: DFF<Bits<4>>,
    offset: DFF<Bits<16>>,
    value: DFF<Bits<64>>,
    /// The check that the line has.
    given: DFF<Bits<16>>,
    /// The check of what came and went so far, inverted: it starts at all ones.
    inverted: DFF<Bits<16>>,
    write_asked: DFF<Bits<D>>,
    read_asked: DFF<Bits<D>>,
    timer: DFF<Bits<8>>,
    /// A character came, or was lost, that no line has yet.
    missed: DFF<Bit>,
    /// So did the end of a line.
    missed_line: DFF<Bit>,

    letter: Signal<Local, Bits<8>>,
    lower: Signal<Local, Bits<8>>,
    nibble: Signal<Local, Bits<4>>,
    is_end: Signal<Local, Bit>,
    is_space: Signal<Local, Bit>,
    is_digit: Signal<Local, Bit>,
    is_command: Signal<Local, Bit>,
    is_high: Signal<Local, Bit>,
    comes: Signal<Local, Bit>,
    full: Signal<Local, Bit>,
    whole: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    begins_check: Signal<Local, Bit>,
    shown: Signal<Local, Bits<8>>,
    covers: Signal<Local, Bit>,
    check: Signal<Local, Bits<16>>,
    mixed: Signal<Local, Bits<16>>,
    folded: Signal<Local, Bits<16>>,
    extended: Signal<Local, Bits<16>>,
    found: Signal<Local, Problem>,
    chosen: Signal<Local, Bits<D>>,
    joined: Signal<Local, Bits<64>>,
    acked: Signal<Local, Bit>,
    missed_now: Signal<Local, Bit>,
    missed_line_now: Signal<Local, Bit>,
    sent: Signal<Local, Bits<4>>,
    numbers: Vec<Constant<Bits<4>>>,
    devices: Constant<Bits<4>>,
    most: Constant<Bits<5>>,
    no_register: Constant<Bits<16>>,
    limit: Constant<Bits<8>>,
}

impl<const D: usize, const W: usize> RegisterCommands<D, W> {
    /// For devices that answer within `limit` clocks, or the reason why it cannot be built.
    pub fn new(limit: u64) -> Result<Self, ConfigError> {
        check_range("register_commands", "D", D as u64, 1, MAX_DEVICES as u64)?;
        check_range("register_commands", "W", W as u64, 1, OFFSET_BITS as u64 - 3)?;
        check_range("register_commands", "limit", limit, 1, 255)?;
        let registers = ((1u64 << W) - 1) << 3;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            letters: Default::default(),
            lost: Default::default(),
            answer: Default::default(),
            addr: Default::default(),
            wdata: Default::default(),
            we: Default::default(),
            re: Default::default(),
            rdata: defaults(),
            ack: Default::default(),
            state: Default::default(),
            problem: Default::default(),
            field: Default::default(),
            gap: Default::default(),
            writes: Default::default(),
            digits: Default::default(),
            length: Default::default(),
            device: Default::default(),
            offset: Default::default(),
            value: Default::default(),
            given: Default::default(),
            inverted: Default::default(),
            write_asked: Default::default(),
            read_asked: Default::default(),
            timer: Default::default(),
            missed: Default::default(),
            missed_line: Default::default(),
            letter: Default::default(),
            lower: Default::default(),
            nibble: Default::default(),
            is_end: Default::default(),
            is_space: Default::default(),
            is_digit: Default::default(),
            is_command: Default::default(),
            is_high: Default::default(),
            comes: Default::default(),
            full: Default::default(),
            whole: Default::default(),
            passes: Default::default(),
            begins_check: Default::default(),
            shown: Default::default(),
            covers: Default::default(),
            check: Default::default(),
            mixed: Default::default(),
            folded: Default::default(),
            extended: Default::default(),
            found: Default::default(),
            chosen: Default::default(),
            joined: Default::default(),
            acked: Default::default(),
            missed_now: Default::default(),
            missed_line_now: Default::default(),
            sent: Default::default(),
            numbers: (0..D).map(|device| Constant::new((device as u64).into())).collect(),
            devices: Constant::new((D as u64).into()),
            most: Constant::new(MAX_LINE.into()),
            no_register: Constant::new((!registers & 0xFFFF).into()),
            limit: Constant::new(limit.into()),
        })
    }
}

impl<const D: usize, const W: usize> Logic for RegisterCommands<D, W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            state,
            problem,
            field,
            gap,
            writes,
            digits,
            length,
            device,
            offset,
            value,
            given,
            inverted,
            write_asked,
            read_asked,
            timer,
            missed,
            missed_line
        );

        // The character.
        self.letter.next = self.letters.data.val();
        self.lower.next = self.letter.val() | 0x20;
        self.comes.next = self.letters.valid.val();
        self.is_end.next = (self.letter.val() == 0x0D) | (self.letter.val() == 0x0A);
        self.is_space.next = self.letter.val() == 0x20;
        self.is_command.next = (self.lower.val() == 0x72) | (self.lower.val() == 0x77);
        self.is_high.next = (self.lower.val() >= 0x61) & (self.lower.val() <= 0x66);
        self.is_digit.next = self.is_high.val() | ((self.letter.val() >= 0x30) & (self.letter.val() <= 0x39));
        self.nibble.next = self.letter.val().get_bits::<4>(0);
        if self.is_high.val() {
            self.nibble.next = self.letter.val().get_bits::<4>(0) + 9;
        }

        // The line so far: a field that takes no more digits, all fields there, the first problem.
        self.full.next = ((self.field.q.val() == LineField::Device) & !self.gap.q.val())
            | ((self.field.q.val() == LineField::Offset) & !self.gap.q.val() & (self.digits.q.val() == 4))
            | ((self.field.q.val() == LineField::Value) & !self.gap.q.val() & (self.digits.q.val() == 16))
            | ((self.field.q.val() == LineField::Check) & (self.gap.q.val() | (self.digits.q.val() == 4)))
            | ((self.field.q.val() == LineField::Letter) & !self.gap.q.val())
            | (self.field.q.val() == LineField::Start);
        self.whole.next = ((self.field.q.val() == LineField::Offset) & !self.writes.q.val())
            | (self.field.q.val() == LineField::Value)
            | (self.field.q.val() == LineField::Check);
        self.check.next = self.inverted.q.val() ^ 0xFFFF;
        self.passes.next = ((self.field.q.val() == LineField::Offset) & !self.writes.q.val())
            | ((self.field.q.val() == LineField::Check)
                & (self.digits.q.val() == 4)
                & (self.given.q.val() == self.check.val()));
        self.begins_check.next = self.is_digit.val()
            & self.gap.q.val()
            & ((self.field.q.val() == LineField::Value)
                | ((self.field.q.val() == LineField::Offset) & !self.writes.q.val()));
        self.found.next = self.problem.q.val();
        if self.problem.q.val() == Problem::Nothing {
            if !self.whole.val() {
                self.found.next = Problem::Syntax;
            } else if !self.passes.val() {
                self.found.next = Problem::Check;
            } else if self.device.q.val() >= self.devices.val() {
                self.found.next = Problem::Device;
            } else if (self.offset.q.val() & self.no_register.val()).any() {
                self.found.next = Problem::Offset;
            }
        }
        self.chosen.next = 0.into();
        self.joined.next = 0.into();
        for i in 0..D {
            self.chosen.next = self.chosen.val().replace_bit(i, self.device.q.val() == self.numbers[i].val());
            self.joined.next = self.joined.val() | self.rdata[i].val();
        }
        self.acked.next = (self.ack.val() & self.chosen.val()).any();

        // What comes while no line is taken.
        self.missed_now.next =
            self.missed.q.val() | self.lost.val() | (self.comes.val() & !self.is_end.val());
        self.missed_line_now.next = self.missed_line.q.val();
        if self.comes.val() & self.is_end.val() & (self.missed.q.val() | self.lost.val()) {
            self.missed_now.next = false;
            self.missed_line_now.next = true;
        }
        if self.state.q.val() != CommandState::Line {
            self.missed.d.next = self.missed_now.val();
            self.missed_line.d.next = self.missed_line_now.val();
        }

        self.write_asked.d.next = 0.into();
        self.read_asked.d.next = 0.into();
        self.sent.next = self.value.q.val().get_bits::<4>(60);
        self.answer.valid.next = true;
        self.shown.next = 0x0A.into();
        self.covers.next = self.answer.ready.val();
        match self.state.q.val() {
            CommandState::Line => {
                self.answer.valid.next = false;
                self.shown.next = self.letter.val();
                self.covers.next = self.comes.val()
                    & !self.is_end.val()
                    & !self.begins_check.val()
                    & (self.field.q.val() != LineField::Check);
                self.timer.d.next = 0.into();
                if self.comes.val() & !self.is_end.val() {
                    self.length.d.next = self.length.q.val() + 1;
                    if self.is_digit.val() & !self.full.val() {
                        self.gap.d.next = false;
                        self.digits.d.next = self.digits.q.val() + 1;
                        if self.gap.q.val() {
                            self.digits.d.next = 1.into();
                        }
                        // A digit behind a space begins the next field.
                        if self.field.q.val() == LineField::Letter {
                            self.field.d.next = LineField::Device;
                            self.device.d.next = self.nibble.val();
                        } else if self.field.q.val() == LineField::Device {
                            self.field.d.next = LineField::Offset;
                            self.offset.d.next = bit_cast::<16, 4>(self.nibble.val());
                        } else if (self.field.q.val() == LineField::Offset) & !self.gap.q.val() {
                            self.offset.d.next =
                                (self.offset.q.val() << 4) | bit_cast::<16, 4>(self.nibble.val());
                        } else if self.begins_check.val() {
                            self.field.d.next = LineField::Check;
                            self.given.d.next = bit_cast::<16, 4>(self.nibble.val());
                        } else if self.field.q.val() == LineField::Offset {
                            self.field.d.next = LineField::Value;
                            self.value.d.next = bit_cast::<64, 4>(self.nibble.val());
                        } else if self.field.q.val() == LineField::Value {
                            self.value.d.next =
                                (self.value.q.val() << 4) | bit_cast::<64, 4>(self.nibble.val());
                        } else {
                            self.given.d.next =
                                (self.given.q.val() << 4) | bit_cast::<16, 4>(self.nibble.val());
                        }
                    } else if self.is_space.val() {
                        self.gap.d.next = self.field.q.val() != LineField::Start;
                    } else if self.is_command.val() & (self.field.q.val() == LineField::Start) {
                        self.field.d.next = LineField::Letter;
                        self.writes.d.next = self.lower.val() == 0x77;
                    } else if self.problem.q.val() == Problem::Nothing {
                        self.problem.d.next = Problem::Syntax;
                    }
                    if self.length.q.val() == self.most.val() {
                        self.length.d.next = self.length.q.val();
                        if self.problem.q.val() == Problem::Nothing {
                            self.problem.d.next = Problem::Long;
                        }
                    }
                }
                if self.comes.val()
                    & self.is_end.val()
                    & (self.length.q.val().any() | (self.problem.q.val() != Problem::Nothing))
                {
                    self.problem.d.next = self.found.val();
                    self.state.d.next = CommandState::First;
                    if self.found.val() == Problem::Nothing {
                        self.state.d.next = CommandState::Ask;
                        if self.writes.q.val() {
                            self.write_asked.d.next = self.chosen.val();
                        } else {
                            self.read_asked.d.next = self.chosen.val();
                        }
                    }
                } else if self.lost.val() & (self.problem.q.val() == Problem::Nothing) {
                    self.problem.d.next = Problem::Lost;
                }
            }
            CommandState::Ask => {
                self.answer.valid.next = false;
                self.covers.next = false;
                self.timer.d.next = self.timer.q.val() + 1;
                self.digits.d.next = 15.into();
                if self.acked.val() {
                    self.state.d.next = CommandState::First;
                    if !self.writes.q.val() {
                        self.value.d.next = self.joined.val();
                        self.state.d.next = CommandState::Digits;
                    }
                } else if self.timer.q.val() == self.limit.val() {
                    self.problem.d.next = Problem::Silence;
                    self.state.d.next = CommandState::First;
                }
            }
            CommandState::Digits => {
                self.shown.next = bit_cast::<8, 4>(self.sent.val()) + 0x30;
                if self.sent.val() > 9 {
                    self.shown.next = bit_cast::<8, 4>(self.sent.val()) + 0x57;
                }
                if self.answer.ready.val() {
                    self.value.d.next = self.value.q.val() << 4;
                    self.digits.d.next = self.digits.q.val() - 1;
                    if !self.digits.q.val().any() {
                        self.state.d.next = CommandState::Gap;
                    }
                }
            }
            CommandState::First => {
                self.shown.next = 0x3F.into();
                if self.problem.q.val() == Problem::Nothing {
                    self.shown.next = 0x6F.into();
                }
                if self.answer.ready.val() {
                    self.state.d.next = CommandState::Second;
                }
            }
            CommandState::Second => {
                match self.problem.q.val() {
                    Problem::Nothing => self.shown.next = 0x6B.into(),
                    Problem::Lost => self.shown.next = 0x6C.into(),
                    Problem::Long => self.shown.next = 0x74.into(),
                    Problem::Syntax => self.shown.next = 0x73.into(),
                    Problem::Check => self.shown.next = 0x63.into(),
                    Problem::Device => self.shown.next = 0x64.into(),
                    Problem::Offset => self.shown.next = 0x6F.into(),
                    Problem::Silence => self.shown.next = 0x61.into(),
                }
                if self.answer.ready.val() {
                    self.state.d.next = CommandState::Return;
                    if self.problem.q.val() == Problem::Nothing {
                        self.state.d.next = CommandState::Gap;
                    }
                }
            }
            CommandState::Gap => {
                self.shown.next = 0x20.into();
                self.digits.d.next = 3.into();
                if self.answer.ready.val() {
                    self.state.d.next = CommandState::Check;
                }
            }
            CommandState::Check => {
                self.shown.next = bit_cast::<8, 4>(self.sent.val()) + 0x30;
                if self.sent.val() > 9 {
                    self.shown.next = bit_cast::<8, 4>(self.sent.val()) + 0x57;
                }
                if self.answer.ready.val() {
                    self.value.d.next = self.value.q.val() << 4;
                    self.digits.d.next = self.digits.q.val() - 1;
                    if !self.digits.q.val().any() {
                        self.state.d.next = CommandState::Return;
                    }
                }
            }
            CommandState::Return => {
                self.shown.next = 0x0D.into();
                if self.answer.ready.val() {
                    self.state.d.next = CommandState::Feed;
                }
            }
            CommandState::Feed => {
                if self.answer.ready.val() {
                    self.field.d.next = LineField::Start;
                    self.gap.d.next = false;
                    self.length.d.next = 0.into();
                    self.problem.d.next = Problem::Nothing;
                    self.missed_line.d.next = false;
                    if self.missed_line_now.val() {
                        self.problem.d.next = Problem::Lost;
                        self.state.d.next = CommandState::First;
                    } else {
                        self.state.d.next = CommandState::Line;
                        self.missed.d.next = false;
                        if self.missed_now.val() {
                            self.problem.d.next = Problem::Lost;
                        }
                    }
                }
            }
        }

        // The check of what is covered, bit 7 of a character first, eight bits at once.
        self.mixed.next = (self.check.val() >> 8) ^ bit_cast::<16, 8>(self.shown.val());
        self.folded.next = self.mixed.val() ^ (self.mixed.val() >> 4);
        self.extended.next = (self.check.val() << 8)
            ^ (self.folded.val() << 12)
            ^ (self.folded.val() << 5)
            ^ self.folded.val();
        if self.state.q.val() == CommandState::Gap {
            self.value.d.next = bit_cast::<64, 16>(self.extended.val()) << 48;
        }
        if self.covers.val() {
            self.inverted.d.next = self.extended.val() ^ 0xFFFF;
        }
        if (self.state.q.val() == CommandState::Feed) | self.clear.val() {
            self.inverted.d.next = 0.into();
        }
        self.answer.data.next = self.shown.val();

        if self.clear.val() {
            self.state.d.next = CommandState::Line;
            self.problem.d.next = Problem::Nothing;
            self.field.d.next = LineField::Start;
            self.gap.d.next = false;
            self.length.d.next = 0.into();
            self.missed.d.next = false;
            self.missed_line.d.next = false;
            self.write_asked.d.next = 0.into();
            self.read_asked.d.next = 0.into();
        }
        self.addr.next = self.offset.q.val().get_bits::<W>(3);
        self.wdata.next = self.value.q.val();
        self.we.next = self.write_asked.q.val();
        self.re.next = self.read_asked.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("register_commands", &[("devices", D.to_string()), ("word_bits", W.to_string())])
    }
}

drive_ports!(impl[const D: usize, const W: usize] RegisterCommands<D, W> {
    clock, clear, letters, lost, answer, addr, wdata, we, re, rdata, ack,
});
