//! Lines of text to requests, and answers to lines of text.

use super::states::{CommandState, LineField, Problem};
use flitforge_hdl_prim::prelude::*;

/// Most devices.
pub const MAX_DEVICES: usize = 8;
/// Most characters of a line, its end not counted.
pub const MAX_LINE: u64 = 31;
/// Bits of a byte offset: four digits.
const OFFSET_BITS: usize = 16;

/// Carries out lines of text on register buses; see the [module](super).
#[block("register_commands", new, devices = D, word_bits = W)]
pub struct RegisterCommands<const D: usize, const W: usize> {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Characters that come, ASCII.
    pub characters: FlowIn<Bits<8>>,
    /// Pulse: a character was lost.
    lost: In<Bit>,
    /// Characters of the answers.
    pub answer: StreamOut<Bits<8>>,
    /// Word of the page, for all devices.
    addr: Out<Bits<W>>,
    /// Value of a write, for all devices.
    wdata: Out<Bits<64>>,
    /// Pulse: a write, by device.
    we: Out<Bits<D>>,
    /// Pulse: a read, by device.
    re: Out<Bits<D>>,
    /// Values of reads, 0 without `ack`.
    rdata: [In<Bits<64>>; D],
    /// The request is done, by device.
    ack: In<Bits<D>>,

    state: Reg<CommandState>,
    problem: Reg<Problem>,
    field: Reg<LineField>,
    /// A space after the field that came last.
    gap: Reg<Bit>,
    writes: Reg<Bit>,
    /// Digits of the field, then digits that are to be sent.
    digits: Reg<Bits<5>>,
    /// Characters of the line.
    length: Reg<Bits<5>>,
    device: Reg<Bits<4>>,
    offset: Reg<Bits<16>>,
    value: Reg<Bits<64>>,
    /// The check that the line has.
    given: Reg<Bits<16>>,
    /// The check of what came and went so far, inverted: it starts at all ones.
    inverted: Reg<Bits<16>>,
    write_asked: Reg<Bits<D>>,
    read_asked: Reg<Bits<D>>,
    timer: Reg<Bits<8>>,
    /// A character came, or was lost, that no line has yet.
    missed: Reg<Bit>,
    /// So did the end of a line.
    missed_line: Reg<Bit>,

    character: Local<Bits<8>>,
    lower: Local<Bits<8>>,
    nibble: Local<Bits<4>>,
    is_end: Local<Bit>,
    is_space: Local<Bit>,
    is_digit: Local<Bit>,
    is_command: Local<Bit>,
    is_high: Local<Bit>,
    comes: Local<Bit>,
    full: Local<Bit>,
    whole: Local<Bit>,
    passes: Local<Bit>,
    begins_check: Local<Bit>,
    shown: Local<Bits<8>>,
    covers: Local<Bit>,
    check: Local<Bits<16>>,
    mixed: Local<Bits<16>>,
    folded: Local<Bits<16>>,
    extended: Local<Bits<16>>,
    numbers: Vec<Constant<Bits<4>>>,
    #[init(D)]
    devices: Constant<Bits<4>>,
    #[init(MAX_LINE)]
    most: Constant<Bits<5>>,
    no_register: Constant<Bits<16>>,
    limit: Constant<Bits<8>>,
}

#[logic]
impl<const D: usize, const W: usize> RegisterCommands<D, W> {
    /// For devices that answer within `limit` clocks, or the reason why it cannot be built.
    pub fn new(limit: u64) -> Result<Self, ConfigError> {
        check_range("register_commands", "D", D as u64, 1, MAX_DEVICES as u64)?;
        check_range("register_commands", "W", W as u64, 1, OFFSET_BITS as u64 - 3)?;
        check_range("register_commands", "limit", limit, 1, 255)?;
        let registers = ((1u64 << W) - 1) << 3;
        Ok(Self {
            numbers: (0..D).map(|device| Constant::new((device as u64).into())).collect(),
            no_register: Constant::new((!registers & 0xFFFF).into()),
            limit: Constant::new(limit.into()),
            ..
        })
    }

    fn update(&mut self) {
        self.read_character();
        let (found, chosen, joined, acked) = self.judge_line();
        let (missed_now, missed_line_now) = self.watch_missed();

        write_asked = 0;
        read_asked = 0;
        let sent = value.bits::<4>(60);
        answer.valid = true;
        shown = 0x0A;
        covers = answer.ready;
        match state {
            CommandState::Line => {
                self.take_line(found, chosen);
            }
            CommandState::Ask => {
                self.wait_for_answer(joined, acked);
            }
            CommandState::Digits => {
                self.send_digit(sent);
            }
            CommandState::First => {
                shown = 0x3F;
                if problem == Problem::Nothing {
                    shown = 0x6F;
                }
                if answer.ready {
                    state = CommandState::Second;
                }
            }
            CommandState::Second => {
                self.send_problem();
            }
            CommandState::Gap => {
                shown = 0x20;
                digits = 3;
                if answer.ready {
                    state = CommandState::Check;
                }
            }
            CommandState::Check => {
                self.send_check_digit(sent);
            }
            CommandState::Return => {
                shown = 0x0D;
                if answer.ready {
                    state = CommandState::Feed;
                }
            }
            CommandState::Feed => {
                self.end_line(missed_now, missed_line_now);
            }
        }

        self.cover();
        answer.data = shown;

        if clear {
            state = CommandState::Line;
            problem = Problem::Nothing;
            field = LineField::Start;
            gap = false;
            length = 0;
            missed = false;
            missed_line = false;
            write_asked = 0;
            read_asked = 0;
        }
        addr = offset.bits::<W>(3);
        wdata = value;
        we = write_asked;
        re = read_asked;
    }

    /// The character.
    fn read_character(&mut self) {
        character = characters.data;
        lower = character | 0x20;
        comes = characters.valid;
        is_end = (character == 0x0D) | (character == 0x0A);
        is_space = character == 0x20;
        is_command = (lower == 0x72) | (lower == 0x77);
        is_high = (lower >= 0x61) & (lower <= 0x66);
        is_digit = is_high | ((character >= 0x30) & (character <= 0x39));
        nibble = character.bits::<4>(0);
        if is_high {
            nibble = character.bits::<4>(0) + 9;
        }
    }

    /// The line so far: a field that takes no more digits, all fields there, the first problem.
    fn judge_line(&mut self) -> (Problem, Bits<D>, Bits<64>, Bit) {
        full = ((field == LineField::Device) & !gap)
            | ((field == LineField::Offset) & !gap & (digits == 4))
            | ((field == LineField::Value) & !gap & (digits == 16))
            | ((field == LineField::Check) & (gap | (digits == 4)))
            | ((field == LineField::Character) & !gap)
            | (field == LineField::Start);
        whole = ((field == LineField::Offset) & !writes)
            | (field == LineField::Value)
            | (field == LineField::Check);
        check = inverted ^ 0xFFFF;
        passes = ((field == LineField::Offset) & !writes)
            | ((field == LineField::Check) & (digits == 4) & (given == check));
        begins_check =
            is_digit & gap & ((field == LineField::Value) | ((field == LineField::Offset) & !writes));
        let mut found = problem;
        if problem == Problem::Nothing {
            if !whole {
                found = Problem::Syntax;
            } else if !passes {
                found = Problem::Check;
            } else if device >= devices {
                found = Problem::Device;
            } else if (offset & no_register).any() {
                found = Problem::Offset;
            }
        }
        let mut chosen: Bits<D> = 0;
        let mut joined: Bits<64> = 0;
        for i in 0..D {
            chosen = chosen.with(i, device == numbers[i]);
            joined = joined | rdata[i];
        }
        let acked = (ack & chosen).any();
        (found, chosen, joined, acked)
    }

    /// What comes while no line is taken.
    fn watch_missed(&mut self) -> (Bit, Bit) {
        let mut missed_now = missed | lost | (comes & !is_end);
        let mut missed_line_now = missed_line;
        if comes & is_end & (missed | lost) {
            missed_now = false;
            missed_line_now = true;
        }
        if state != CommandState::Line {
            missed = missed_now;
            missed_line = missed_line_now;
        }
        (missed_now, missed_line_now)
    }

    fn take_line(&mut self, found: Problem, chosen: Bits<D>) {
        answer.valid = false;
        shown = character;
        covers = comes & !is_end & !begins_check & (field != LineField::Check);
        timer = 0;
        if comes & !is_end {
            length = length + 1;
            if is_digit & !full {
                gap = false;
                digits = digits + 1;
                if gap {
                    digits = 1;
                }
                // A digit after a space begins the next field.
                if field == LineField::Character {
                    field = LineField::Device;
                    device = nibble;
                } else if field == LineField::Device {
                    field = LineField::Offset;
                    offset = bit_cast::<16, 4>(nibble);
                } else if (field == LineField::Offset) & !gap {
                    offset = (offset << 4) | bit_cast::<16, 4>(nibble);
                } else if begins_check {
                    field = LineField::Check;
                    given = bit_cast::<16, 4>(nibble);
                } else if field == LineField::Offset {
                    field = LineField::Value;
                    value = bit_cast::<64, 4>(nibble);
                } else if field == LineField::Value {
                    value = (value << 4) | bit_cast::<64, 4>(nibble);
                } else {
                    given = (given << 4) | bit_cast::<16, 4>(nibble);
                }
            } else if is_space {
                gap = field != LineField::Start;
            } else if is_command & (field == LineField::Start) {
                field = LineField::Character;
                writes = lower == 0x77;
            } else if problem == Problem::Nothing {
                problem = Problem::Syntax;
            }
            if length == most {
                length = length;
                if problem == Problem::Nothing {
                    problem = Problem::Long;
                }
            }
        }
        if comes & is_end & (length.any() | (problem != Problem::Nothing)) {
            problem = found;
            state = CommandState::First;
            if found == Problem::Nothing {
                state = CommandState::Ask;
                if writes {
                    write_asked = chosen;
                } else {
                    read_asked = chosen;
                }
            }
        } else if lost & (problem == Problem::Nothing) {
            problem = Problem::Lost;
        }
    }

    fn wait_for_answer(&mut self, joined: Bits<64>, acked: Bit) {
        answer.valid = false;
        covers = false;
        timer = timer + 1;
        digits = 15;
        if acked {
            state = CommandState::First;
            if !writes {
                value = joined;
                state = CommandState::Digits;
            }
        } else if timer == limit {
            problem = Problem::Silence;
            state = CommandState::First;
        }
    }

    fn send_digit(&mut self, sent: Bits<4>) {
        shown = bit_cast::<8, 4>(sent) + 0x30;
        if sent > 9 {
            shown = bit_cast::<8, 4>(sent) + 0x57;
        }
        if answer.ready {
            value = value << 4;
            digits = digits - 1;
            if !digits.any() {
                state = CommandState::Gap;
            }
        }
    }

    fn send_problem(&mut self) {
        match problem {
            Problem::Nothing => shown = 0x6B,
            Problem::Lost => shown = 0x6C,
            Problem::Long => shown = 0x74,
            Problem::Syntax => shown = 0x73,
            Problem::Check => shown = 0x63,
            Problem::Device => shown = 0x64,
            Problem::Offset => shown = 0x6F,
            Problem::Silence => shown = 0x61,
        }
        if answer.ready {
            state = CommandState::Return;
            if problem == Problem::Nothing {
                state = CommandState::Gap;
            }
        }
    }

    fn send_check_digit(&mut self, sent: Bits<4>) {
        shown = bit_cast::<8, 4>(sent) + 0x30;
        if sent > 9 {
            shown = bit_cast::<8, 4>(sent) + 0x57;
        }
        if answer.ready {
            value = value << 4;
            digits = digits - 1;
            if !digits.any() {
                state = CommandState::Return;
            }
        }
    }

    fn end_line(&mut self, missed_now: Bit, missed_line_now: Bit) {
        if answer.ready {
            field = LineField::Start;
            gap = false;
            length = 0;
            problem = Problem::Nothing;
            missed_line = false;
            if missed_line_now {
                problem = Problem::Lost;
                state = CommandState::First;
            } else {
                state = CommandState::Line;
                missed = false;
                if missed_now {
                    problem = Problem::Lost;
                }
            }
        }
    }

    /// The check of what is covered, bit 7 of a character first, eight bits at once.
    fn cover(&mut self) {
        mixed = (check >> 8) ^ bit_cast::<16, 8>(shown);
        folded = mixed ^ (mixed >> 4);
        extended = (check << 8) ^ (folded << 12) ^ (folded << 5) ^ folded;
        if state == CommandState::Gap {
            value = bit_cast::<64, 16>(extended) << 48;
        }
        if covers {
            inverted = extended ^ 0xFFFF;
        }
        if (state == CommandState::Feed) | clear {
            inverted = 0;
        }
    }
}
