//! The command interface of an XPU, inwards: which commands are taken, and which cells they use (chapter 50, 4.1).

use super::format::{Command, Payload, TypeTable};
use flitforge_protocol::sue::command::{COMMAND_CELL_BYTES, HEADER_BYTES, MAX_COMMAND_BYTES, UNIT_BYTES};
use std::collections::BTreeSet;

/// Octets of a word of the interface.
const WORD_BYTES: usize = 8;

/// What holds for all commands.
#[derive(Debug, Clone)]
pub struct CommandRules {
    /// TYPE_CFG.
    pub types: TypeTable,
    /// This XPU.
    pub own: u16,
    /// PEERS: XPU numbers are below it.
    pub peers: u16,
    /// Partitions that are allowed; all, if there is no table.
    pub partitions: Option<BTreeSet<u16>>,
}

/// Where a command goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandTarget {
    /// The XPU.
    pub destination: u16,
    /// The virtual channel, 0 to 3.
    pub vc: u8,
    /// The partition.
    pub partition: u16,
}

/// A word of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortWord {
    /// The octets; those beyond `bytes` say nothing.
    pub data: [u8; WORD_BYTES],
    /// Octets that count; 1 to 8 are right.
    pub bytes: usize,
    /// The first word of a command.
    pub first: bool,
    /// The last word of a command.
    pub last: bool,
    /// Data, not header and control.
    pub is_data: bool,
}

/// What is wrong with a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CommandFault {
    /// It fails a check: CMD_BAD.
    Bad,
    /// It has no last word: CMD_BAD.
    Unfinished,
    /// Words outside of a command: CMD_BAD.
    Stray,
    /// It needs more cells than its virtual channel has credits for: CRD_VIOL.
    Overrun,
}

/// A command that goes on to the packer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedCommand {
    /// Where it goes.
    pub target: CommandTarget,
    /// Its octets, even; of one that is dropped, those that went before.
    pub octets: Vec<u8>,
    /// It is not to be dropped.
    pub good: bool,
}

impl PassedCommand {
    /// Cells that it has used.
    #[must_use]
    pub fn cells(&self) -> u32 {
        self.octets.len().div_ceil(COMMAND_CELL_BYTES) as u32
    }
}

/// What comes of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PortEvent {
    /// A command ends here.
    Passed(PassedCommand),
    /// Something is wrong.
    Fault(CommandFault),
}

/// A command that has begun.
#[derive(Debug)]
struct Open {
    target: CommandTarget,
    /// Octets with each word made even.
    even: Vec<u8>,
    control_bytes: usize,
    data_bytes: usize,
    shapeless: bool,
    /// Whether the word before was data, and whether it was full.
    before: Option<(bool, bool)>,
    /// Words of eight octets, or fewer in the last, that have gone on.
    words: usize,
    swallowed: bool,
}

/// The interface.
#[derive(Debug)]
pub struct CommandPort {
    rules: CommandRules,
    credits: [u32; 4],
    open: Option<Open>,
    in_stray: bool,
}

impl CommandPort {
    /// An interface without credits.
    #[must_use]
    pub fn new(rules: CommandRules) -> Self {
        CommandPort { rules, credits: [0; 4], open: None, in_stray: false }
    }

    /// Credits of a virtual channel.
    #[must_use]
    pub fn credits(&self, vc: u8) -> u32 {
        self.credits[usize::from(vc)]
    }

    /// The virtual channel gets credits.
    pub fn give(&mut self, vc: u8, cells: u32) {
        self.credits[usize::from(vc)] += cells;
    }

    /// A word comes; `target` counts with the first one of a command.
    pub fn word(&mut self, target: CommandTarget, word: PortWord) -> Vec<PortEvent> {
        let mut events = vec![];
        if word.first {
            self.abandon(&mut events);
            self.open = Some(Open::new(target));
        }
        let Some(mut open) = self.open.take() else {
            if !self.in_stray {
                events.push(PortEvent::Fault(CommandFault::Stray));
            }
            self.in_stray = true;
            return events;
        };
        self.in_stray = false;
        open.take(word);
        self.go_on(&mut open, word.last, &mut events);
        if word.last {
            if !open.swallowed {
                let good = self.is_good(&open);
                if !good {
                    events.push(PortEvent::Fault(CommandFault::Bad));
                }
                events.push(PortEvent::Passed(open.pass(good)));
            }
        } else {
            self.open = Some(open);
        }
        events
    }

    /// The open command, if there is one, gets no last word.
    fn abandon(&mut self, events: &mut Vec<PortEvent>) {
        let Some(mut open) = self.open.take().filter(|open| !open.swallowed) else { return };
        events.push(PortEvent::Fault(CommandFault::Unfinished));
        open.even.truncate(open.words * WORD_BYTES);
        if open.words > 0 {
            events.push(PortEvent::Passed(open.pass(false)));
        }
    }

    /// Full words go on, at the end the rest; each cell needs a credit.
    fn go_on(&mut self, open: &mut Open, ends: bool, events: &mut Vec<PortEvent>) {
        let full = open.even.len() / WORD_BYTES;
        let words = if ends { open.even.len().div_ceil(WORD_BYTES) } else { full };
        while open.words < words && !open.swallowed {
            let at = open.words * WORD_BYTES;
            let credits = &mut self.credits[usize::from(open.target.vc)];
            let fault = if at == MAX_COMMAND_BYTES {
                Some(CommandFault::Bad)
            } else if at % COMMAND_CELL_BYTES == 0 && *credits == 0 {
                Some(CommandFault::Overrun)
            } else {
                *credits -= u32::from(at % COMMAND_CELL_BYTES == 0);
                open.words += 1;
                None
            };
            if let Some(fault) = fault {
                events.push(PortEvent::Fault(fault));
                open.even.truncate(at);
                open.swallowed = true;
                if at > 0 {
                    events.push(PortEvent::Passed(open.pass(false)));
                }
            }
        }
    }

    fn is_good(&self, open: &Open) -> bool {
        let rules = &self.rules;
        let target = open.target;
        let partition = rules.partitions.as_ref().is_none_or(|table| table.contains(&target.partition));
        let reachable = target.destination < rules.peers && target.destination != rules.own;
        let Ok((command, bytes)) = Command::decode(&open.even, &rules.types) else { return false };
        !open.shapeless
            && partition
            && reachable
            && bytes == open.even.len()
            && open.control_bytes == HEADER_BYTES + command.control.len()
            && open.data_bytes == area_bytes(&command)
    }
}

/// Octets of the data area of a command, strobes included, without padding.
fn area_bytes(command: &Command) -> usize {
    match &command.payload {
        Payload::None => 0,
        Payload::Data(data) => data.len(),
        Payload::Strobed { strobes, data } => strobes.len() + data.len(),
    }
}

impl Open {
    fn new(target: CommandTarget) -> Self {
        Open {
            target,
            even: vec![],
            control_bytes: 0,
            data_bytes: 0,
            shapeless: false,
            before: None,
            words: 0,
            swallowed: false,
        }
    }

    fn take(&mut self, word: PortWord) {
        let counts = (1..=WORD_BYTES).contains(&word.bytes);
        let out_of_order = self.before.is_some_and(|(was_data, was_full)| {
            was_data && !word.is_data || !was_full && was_data == word.is_data
        });
        self.shapeless |= !counts || out_of_order;
        self.before = Some((word.is_data, word.bytes == WORD_BYTES));
        *if word.is_data { &mut self.data_bytes } else { &mut self.control_bytes } += word.bytes;
        let bytes = word.bytes.min(WORD_BYTES);
        self.even.extend(&word.data[..bytes]);
        let even = bytes.max(1).next_multiple_of(UNIT_BYTES);
        self.even.extend(std::iter::repeat_n(0, even - bytes));
    }

    fn pass(&self, good: bool) -> PassedCommand {
        PassedCommand { target: self.target, octets: self.even.clone(), good }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port() -> CommandPort {
        let rules = CommandRules { types: TypeTable::default(), own: 1, peers: 8, partitions: None };
        let mut port = CommandPort::new(rules);
        port.give(0, 2);
        port
    }

    fn word(octets: &[u8], first: bool, last: bool, is_data: bool) -> PortWord {
        let mut data = [0xEE; WORD_BYTES];
        data[..octets.len()].copy_from_slice(octets);
        PortWord { data, bytes: octets.len(), first, last, is_data }
    }

    const TARGET: CommandTarget = CommandTarget { destination: 3, vc: 0, partition: 0 };

    #[test]
    fn a_write_of_three_octets_is_made_even() {
        let mut port = port();
        // WRITE, clen 1, dlen 2
        assert_eq!(port.word(TARGET, word(&[0x81, 0x02, 0xAA, 0xBB], true, false, false)), []);
        let octets = vec![0x81, 0x02, 0xAA, 0xBB, 1, 2, 3, 0];
        let passed = PassedCommand { target: TARGET, octets, good: true };
        assert_eq!(port.word(TARGET, word(&[1, 2, 3], false, true, true)), [PortEvent::Passed(passed)]);
        assert_eq!(port.credits(0), 1);
    }

    #[test]
    fn credits_end_a_command_at_its_cell() {
        let mut port = port();
        let mut events = port.word(TARGET, word(&[0x90, 0xFF], true, false, false));
        for index in 0..32 {
            events.extend(port.word(TARGET, word(&[5; 8], false, index == 31, true)));
        }
        let [PortEvent::Fault(CommandFault::Overrun), PortEvent::Passed(passed)] = &events[..] else {
            panic!("{events:?}")
        };
        assert_eq!((passed.octets.len(), passed.good, passed.cells(), port.credits(0)), (128, false, 2, 0));
        assert_eq!(
            port.word(TARGET, word(&[0x20, 0], true, true, false)),
            [PortEvent::Fault(CommandFault::Overrun)]
        );
        let unfinished = port.word(TARGET, word(&[1], false, true, true));
        assert_eq!(unfinished, [PortEvent::Fault(CommandFault::Stray)]);
    }
}
