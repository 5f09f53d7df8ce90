//! Two ends of credit-based flow control, the cables between them, and an own account of cells.

use super::super::cbfc::{cost, Registers};
use super::super::mac_control::{value_of, Gather};
use flitforge_hdl_sue::cbfc::EthCbfc;
use flitforge_model::sue::format::link_control::OrderedSet;
use flitforge_model::sue::format::CreditsConsumed;
use flitforge_protocol::sue::class::CLASSES;
use flitforge_protocol::sue::crc::CRC_BYTES;
use flitforge_protocol::sue::link_control::CC_OPCODE;
use flitforge_sim::Compiled;
use flitforge_testkit::{compiled, Clocked, CompiledBlock};
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

/// Clocks from a frame's last word to its verdict.
const VERDICT: u64 = 12;

fn program() -> &'static Arc<Compiled> {
    static PROGRAM: OnceLock<Arc<Compiled>> = OnceLock::new();
    PROGRAM.get_or_init(|| compiled("eth_cbfc", &EthCbfc::default()))
}

/// What is on a cable.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Data(usize, usize),
    Set(u64),
    Word(u128),
}

/// What becomes of it.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Fate {
    Comes,
    Lost,
    /// The last word of a message says that the message is to be discarded.
    Broken,
}

/// One end: the block, frames to be sent, the receive buffer.
pub(super) struct End {
    pub(super) block: CompiledBlock,
    pub(super) queues: [VecDeque<usize>; CLASSES],
    pub(super) turn: usize,
    /// Clocks until the line is free.
    pub(super) busy: u64,
    pub(super) cable: VecDeque<(u64, Item)>,
    pub(super) buffers: [VecDeque<usize>; CLASSES],
    pub(super) reads: [bool; CLASSES],
    /// Clocks until the reader is free, and clocks it takes for a frame, in percent of the line's.
    pub(super) reader: u64,
    pub(super) rate: u64,
    pub(super) verdicts: VecDeque<u64>,
    pub(super) received: [Vec<usize>; CLASSES],
    pub(super) healed: u64,
    /// Own account, in cells by class: sent, lost, freed.
    pub(super) sent: [u64; CLASSES],
    pub(super) freed: [u64; CLASSES],
}

/// Two ends and the cables between.
pub(super) struct Rig {
    pub(super) registers: Registers,
    pub(super) delay: u64,
    pub(super) now: u64,
    pub(super) ends: [End; 2],
    pub(super) lost: [u64; 2],
    /// CF and CC of VC 0 to 31 as last told by each end.
    pub(super) told: [[u16; 32]; 2],
    pub(super) consumed: [[u16; 32]; 2],
    pub(super) gathers: [Gather; 2],
}

pub(super) fn cells(registers: &Registers, octets: usize) -> u64 {
    let size = 32_i64 << registers.cell;
    ((octets + CRC_BYTES) as i64 + i64::from(registers.overhead) + size - 1) as u64 / size as u64
}

impl Rig {
    pub(super) fn new(registers: Registers, delay: u64) -> Self {
        let end = || {
            let mut block = CompiledBlock::new(program());
            for (path, value) in registers.ports() {
                block.set(&path, value);
            }
            block.set("control.ready", 1);
            (0..30).for_each(|_| block.step());
            End {
                block,
                queues: Default::default(),
                turn: 0,
                busy: 0,
                cable: VecDeque::new(),
                buffers: Default::default(),
                reads: [true; CLASSES],
                reader: 0,
                rate: 100,
                verdicts: VecDeque::new(),
                received: Default::default(),
                healed: 0,
                sent: [0; CLASSES],
                freed: [0; CLASSES],
            }
        };
        let (told, consumed) = ([[0; 32]; 2], [[0; 32]; 2]);
        Self {
            registers,
            delay,
            now: 0,
            ends: [end(), end()],
            lost: [0; 2],
            told,
            consumed,
            gathers: Default::default(),
        }
    }

    /// Octets without FCS.
    pub(super) fn offer(&mut self, end: usize, class: usize, octets: usize) {
        self.ends[end].queues[class].push_back(octets);
    }

    /// What an end sends in this clock.
    fn transmit(&mut self, end: usize, fate: &mut impl FnMut(usize, &Item) -> Fate) {
        let (registers, now, delay) = (self.registers, self.now, self.delay);
        let this = &mut self.ends[end];
        let mut items = vec![];
        if this.block.get("control.valid") == 1 {
            items.push((0, Item::Set(this.block.get("control.data"))));
        }
        let control = this.block.get("frame.valid") == 1;
        this.busy = this.busy.saturating_sub(1);
        let (mut start, mut takes) = (None, 0);
        if control && this.busy == 0 {
            let word = this.block.get_wide("frame.data");
            takes = 1;
            this.busy = if word >> 68 & 1 == 1 { 4 } else { 0 };
            items.push((0, Item::Word(word)));
        } else if !control && this.busy == 0 && this.block.get("hold") == 0 {
            let ready = this.block.get("ready");
            let order = (0..CLASSES).map(|step| (this.turn + step) % CLASSES);
            let class =
                order.filter(|class| ready >> class & 1 == 1).find(|class| !this.queues[*class].is_empty());
            if let Some(class) = class {
                this.turn = class + 1;
                let octets = this.queues[class].pop_front().expect("a frame");
                this.busy = (octets as u64 + 24).div_ceil(8);
                items.push((this.busy, Item::Data(class, octets)));
                this.sent[class] += cells(&registers, octets);
                start = Some(cost(class, octets));
            }
        }
        for flow in ["taken", "sent"] {
            this.block.set(&format!("{flow}.valid"), start.is_some().into());
            this.block.set(&format!("{flow}.data"), start.unwrap_or(0));
        }
        this.block.set("frame.ready", takes);
        for (later, item) in items {
            self.note(end, &item);
            let item = match (fate(end, &item), item) {
                (Fate::Comes, item) => item,
                (Fate::Broken, Item::Word(word)) => Item::Word(word | 1 << 69),
                (_, Item::Data(class, octets)) => {
                    self.lost[end] += if class < CLASSES - 1 { cells(&registers, octets) } else { 0 };
                    continue;
                }
                _ => continue,
            };
            self.ends[end].cable.push_back((now + later + delay, item));
        }
    }

    /// What is told, whether it arrives or not.
    fn note(&mut self, end: usize, item: &Item) {
        match item {
            Item::Set(octets) => {
                let set = OrderedSet::decode(octets.to_le_bytes()).expect("a set");
                let OrderedSet::CfUpdate(counts) = set else { panic!("{set:?}") };
                counts.iter().for_each(|count| self.told[end][usize::from(count.vc)] = count.cells);
            }
            Item::Word(word) => {
                if let Some(frame) = self.gathers[end].word(&value_of(*word)) {
                    let message = CreditsConsumed::decode(&frame, self.registers.profile, CC_OPCODE)
                        .expect("a message");
                    message
                        .counts
                        .iter()
                        .for_each(|count| self.consumed[end][usize::from(count.vc)] = count.cells);
                }
            }
            Item::Data(..) => {}
        }
    }

    /// What comes to an end in this clock, and what it reads.
    fn receive(&mut self, end: usize) {
        let (registers, now) = (self.registers, self.now);
        let mut set = None;
        let mut word = None;
        let mut came = None;
        let cable = &mut self.ends[1 - end].cable;
        // sets overtake the frame in progress
        while let Some(place) = cable.iter().position(|(at, _)| *at <= now) {
            match cable.remove(place).expect("it is there").1 {
                Item::Set(octets) => set = Some(octets),
                Item::Word(octets) => word = Some(octets),
                Item::Data(class, octets) => came = Some((class, octets)),
            }
        }
        let this = &mut self.ends[end];
        if let Some((class, octets)) = came {
            this.buffers[class].push_back(octets);
            this.received[class].push(octets);
        }
        if word.is_some_and(|word| word >> 68 & 1 == 1) {
            this.verdicts.push_back(now + VERDICT);
        }
        let verdict = this.verdicts.front() == Some(&now);
        if verdict {
            this.verdicts.pop_front();
        }
        this.reader = this.reader.saturating_sub(this.rate);
        let mut read = None;
        if this.reader < 100 && this.rate > 0 {
            let class = (0..CLASSES).find(|class| this.reads[*class] && !this.buffers[*class].is_empty());
            if let Some(class) = class {
                let octets = this.buffers[class].pop_front().expect("a frame");
                this.reader += (octets as u64 + 24).div_ceil(8) * 100;
                this.freed[class] += cells(&registers, octets);
                read = Some(cost(class, octets));
            }
        }
        let received = came.map(|(class, octets)| cost(class, octets));
        for (flow, value) in [("received", received), ("freed", read), ("sets", set)] {
            this.block.set(&format!("{flow}.valid"), value.is_some().into());
            this.block.set(&format!("{flow}.data"), value.unwrap_or(0));
        }
        this.block.set("frames.valid", word.is_some().into()).set_wide("frames.data", word.unwrap_or(0));
        this.block.set("verdicts.valid", verdict.into()).set("verdicts.data", 1);
    }

    pub(super) fn step(&mut self, mut fate: impl FnMut(usize, &Item) -> Fate) {
        for end in 0..2 {
            self.transmit(end, &mut fate);
        }
        for end in 0..2 {
            self.receive(end);
            let this = &mut self.ends[end];
            if this.block.get("healed.valid") == 1 {
                this.healed += this.block.get("healed.data");
            }
        }
        for end in &mut self.ends {
            end.block.step();
        }
        self.now += 1;
    }

    pub(super) fn run(&mut self, clocks: u64) {
        (0..clocks).for_each(|_| self.step(|_, _| Fate::Comes));
    }

    /// Cells in use of a class, by own account: sent, and neither freed nor lost and healed.
    pub(super) fn in_use(&self, end: usize, class: usize) -> u64 {
        self.ends[end].sent[class] - self.ends[1 - end].freed[class]
    }
}
