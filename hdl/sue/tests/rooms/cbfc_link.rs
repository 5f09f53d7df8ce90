//! Credit-based flow control over a line with faults: the cases of the SONiC scale-up test standard that concern these blocks, by name, and leaks, wraps
//! and LIMIT. CBFC-05 to 07 and 11 are about the classes of frames and about lossy ones, which are told apart elsewhere.

use super::cbfc::{between, cost, Registers};
use super::mac_control::{value_of, Gather};
use flitforge_hdl_sue::cbfc::EthCbfc;
use flitforge_model::sue::format::link_control::OrderedSet;
use flitforge_model::sue::format::{CreditsConsumed, Profile};
use flitforge_protocol::sue::class::CLASSES;
use flitforge_protocol::sue::crc::CRC_BYTES;
use flitforge_protocol::sue::link_control::{CC_OPCODE, CREDIT_BITS};
use flitforge_sim::kit::rng;
use flitforge_sim::Compiled;
use flitforge_testkit::{compiled, Clocked, CompiledBlock};
use rand::Rng;
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

const A: usize = 0;
const B: usize = 1;
/// Clocks from a frame's last word to its verdict.
const VERDICT: u64 = 12;

fn program() -> &'static Arc<Compiled> {
    static PROGRAM: OnceLock<Arc<Compiled>> = OnceLock::new();
    PROGRAM.get_or_init(|| compiled("eth_cbfc", &EthCbfc::default()))
}

/// What is on a cable.
#[derive(Clone, Debug)]
enum Item {
    Data(usize, usize),
    Set(u64),
    Word(u128),
}

/// What becomes of it.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Comes,
    Lost,
    /// The last word of a message says that the message is to be discarded.
    Broken,
}

/// One end: the block, frames to be sent, the receive buffer.
struct End {
    block: CompiledBlock,
    queues: [VecDeque<usize>; CLASSES],
    turn: usize,
    /// Clocks until the line is free.
    busy: u64,
    cable: VecDeque<(u64, Item)>,
    buffers: [VecDeque<usize>; CLASSES],
    reads: [bool; CLASSES],
    /// Clocks until the reader is free, and clocks it takes for a frame, in percent of the line's.
    reader: u64,
    rate: u64,
    verdicts: VecDeque<u64>,
    received: [Vec<usize>; CLASSES],
    healed: u64,
    /// Own account, in cells by class: sent, lost, freed.
    sent: [u64; CLASSES],
    freed: [u64; CLASSES],
}

/// Two ends and the cables between.
struct Rig {
    registers: Registers,
    delay: u64,
    now: u64,
    ends: [End; 2],
    lost: [u64; 2],
    /// CF and CC of VC 0 to 31 as last told by each end.
    told: [[u16; 32]; 2],
    consumed: [[u16; 32]; 2],
    gathers: [Gather; 2],
}

fn cells(registers: &Registers, octets: usize) -> u64 {
    let size = 32_i64 << registers.cell;
    ((octets + CRC_BYTES) as i64 + i64::from(registers.overhead) + size - 1) as u64 / size as u64
}

impl Rig {
    fn new(registers: Registers, delay: u64) -> Self {
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
        Self { registers, delay, now: 0, ends: [end(), end()], lost: [0; 2], told, consumed, gathers: Default::default() }
    }

    /// Octets without FCS.
    fn offer(&mut self, end: usize, class: usize, octets: usize) {
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
            let class = order.filter(|class| ready >> class & 1 == 1).find(|class| !this.queues[*class].is_empty());
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
                    let message = CreditsConsumed::decode(&frame, self.registers.profile, CC_OPCODE).expect("a message");
                    message.counts.iter().for_each(|count| self.consumed[end][usize::from(count.vc)] = count.cells);
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

    fn step(&mut self, mut fate: impl FnMut(usize, &Item) -> Fate) {
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

    fn run(&mut self, clocks: u64) {
        (0..clocks).for_each(|_| self.step(|_, _| Fate::Comes));
    }

    /// Cells in use of a class, by own account: sent, and neither freed nor lost and healed.
    fn in_use(&self, end: usize, class: usize) -> u64 {
        self.ends[end].sent[class] - self.ends[1 - end].freed[class]
    }
}

/// Frame sizes without FCS.
const SIZES: [usize; 7] = [60, 124, 252, 508, 1020, 1496, 1500];
const PROFILES: [Profile; 2] = [Profile::Sue1, Profile::Ue103];

fn no_wrap(count: u64) -> u16 {
    (count & ((1 << CREDIT_BITS) - 1)) as u16
}

/// Frames of all sizes on virtual channel 0, none read: CC is by the formula, CF is 0; then all are read.
#[test]
fn cbfc_01_sender_credits() {
    for profile in PROFILES {
        let mut rig = Rig::new(Registers::new(profile, 1000), 10);
        rig.ends[1].reads[A] = false;
        SIZES.iter().for_each(|octets| rig.offer(0, A, *octets));
        rig.run(6000);
        let expected: u64 = SIZES.iter().map(|octets| cells(&rig.registers, *octets)).sum();
        assert_eq!((rig.consumed[0][0], rig.told[1][0]), (no_wrap(expected), 0));
        rig.ends[1].reads[A] = true;
        rig.run(6000);
        assert_eq!((rig.consumed[0][0], rig.told[1][0]), (no_wrap(expected), no_wrap(expected)));
    }
}

/// Read one by one: CF is by the formula after each.
#[test]
fn cbfc_02_receiver_credits() {
    for profile in PROFILES {
        let mut rig = Rig::new(Registers { cell_batch: 1, ..Registers::new(profile, 1000) }, 10);
        rig.ends[1].rate = 0;
        SIZES.iter().for_each(|octets| rig.offer(0, A, *octets));
        rig.run(3000);
        let mut freed = 0;
        for octets in SIZES {
            (rig.ends[1].rate, rig.ends[1].reader) = (100, 0);
            rig.run(1);
            rig.ends[1].rate = 0;
            rig.run(40);
            freed += cells(&rig.registers, octets);
            assert_eq!(rig.told[1][0], no_wrap(freed), "{octets} octets");
        }
    }
}

/// A hundred frames and all CC_Update are lost; the first CC_Update after that heals all.
#[test]
fn cbfc_03_lost_credits() {
    for profile in PROFILES {
        // 100 frames, and one of the largest size has to fit before each.
        let registers = Registers::new(profile, 0);
        let limit = 99 * cells(&registers, 252) + cells(&registers, registers.largest);
        let mut rig = Rig::new(Registers::new(profile, limit as u16), 10);
        (0..100).for_each(|_| rig.offer(0, A, 252));
        for _ in 0..10_000 {
            rig.step(|_, item| if matches!(item, Item::Set(_)) { Fate::Comes } else { Fate::Lost });
        }
        let lost = 100 * cells(&rig.registers, 252);
        assert_eq!((rig.told[1][0], rig.consumed[0][0]), (0, no_wrap(lost)));
        assert_eq!((rig.lost[0], rig.ends[1].healed), (lost, 0));
        rig.run(10_000);
        assert_eq!((rig.told[1][0], rig.ends[1].healed), (no_wrap(lost), lost));
        assert_eq!(rig.ends[0].block.get("ready"), 0x3F);
    }
}

/// Share of the line when class A is read at `percent` of it.
fn throughput(profile: Profile, octets: usize, percent: u64) -> f64 {
    let mut rig = Rig::new(Registers::new(profile, 120), 20);
    rig.ends[1].rate = percent;
    let (line, clocks) = ((octets as u64 + 24).div_ceil(8), 20_000);
    (0..clocks / line + 100).for_each(|_| rig.offer(0, A, octets));
    for _ in 0..clocks {
        rig.run(1);
        assert!(rig.in_use(0, A) <= 120);
    }
    rig.ends[1].received[A].len() as f64 * line as f64 / clocks as f64
}

#[test]
fn cbfc_04_backpressure() {
    for profile in PROFILES {
        for octets in [60, 1020, 1500] {
            let full = throughput(profile, octets, 100);
            assert!(full > 0.95, "{octets}: {full}");
            let half = throughput(profile, octets, 50);
            // what the buffer takes at the start comes on top
            assert!((0.45..0.75).contains(&half), "{octets}: {half}");
            assert!(throughput(profile, octets, 0) < 0.25);
        }
    }
}

/// Two classes at once, class A not read.
fn beside_blocked(registers: Registers) -> Rig {
    let mut rig = Rig::new(registers, 20);
    rig.ends[1].reads[A] = false;
    for _ in 0..200 {
        rig.offer(0, A, 508);
        rig.offer(0, B, 508);
    }
    rig.run(30_000);
    rig
}

#[test]
fn cbfc_08_per_vc_credit() {
    for profile in PROFILES {
        let registers = Registers { largest: 508, ..Registers::new(profile, 60) };
        let mut rig = beside_blocked(registers);
        assert_eq!(rig.ends[1].received[B].len(), 200);
        assert_eq!(rig.ends[1].received[A].len() as u64, 60 / cells(&registers, 508));
        rig.ends[1].reads[A] = true;
        rig.run(30_000);
        assert_eq!(rig.ends[1].received[A].len(), 200);
    }
}

#[test]
fn cbfc_09_per_port_credit() {
    for profile in PROFILES {
        let limits = [60, 0, 0, 0, 0, 0];
        let registers = Registers { pool: true, limits, largest: 508, ..Registers::new(profile, 0) };
        let mut rig = beside_blocked(registers);
        assert!(rig.ends[1].received[B].len() < 200, "the pool is full of the other virtual channel");
        assert!(rig.in_use(0, A) + rig.in_use(0, B) <= 60);
        rig.ends[1].reads[A] = true;
        rig.run(40_000);
        assert_eq!([A, B].map(|class| rig.ends[1].received[class].len()), [200; 2]);
    }
}

/// Three links at line rate into one reader of line rate: a third each, and LIMIT is kept.
#[test]
fn cbfc_10_incast_lossless() {
    for profile in PROFILES {
        let mut rigs = [0; 3].map(|_| Rig::new(Registers::new(profile, 120), 20));
        for rig in &mut rigs {
            rig.ends[1].rate = 33;
            (0..100).for_each(|_| rig.offer(0, A, 1020));
        }
        for clock in 0..45_000 {
            for rig in &mut rigs {
                rig.run(1);
                assert!(rig.in_use(0, A) <= 120);
            }
            if clock == 20_000 {
                assert!(rigs.iter().all(|rig| !rig.ends[0].queues[A].is_empty()), "flow control has acted");
            }
        }
        assert!(rigs.iter().all(|rig| rig.ends[1].received[A].len() == 100));
    }
}

/// Share of the line of `count` frames over a round trip of 1000 clocks.
fn share(base: Registers, octets: usize, count: usize, limit: u64) -> f64 {
    let registers = Registers { limits: [limit as u16; CLASSES], cc_timer: 0xFFFF, ..base };
    let mut rig = Rig::new(registers, 500);
    (0..count).for_each(|_| rig.offer(0, A, octets));
    while rig.ends[1].received[A].len() < count {
        rig.run(1);
        assert!(rig.now < 1_000_000);
    }
    let line = (octets as u64 + 24).div_ceil(8);
    (count as u64 * line) as f64 / (rig.now - 500) as f64
}

/// LIMIT for a round trip of 1000 clocks fills the line; half of it does not.
#[test]
fn cbfc_12_buffer_capacity() {
    for profile in PROFILES {
        for (octets, count) in [(1500, 300), (60, 5000)] {
            let base = Registers { largest: octets, ..Registers::new(profile, 1) };
            let line = (octets as u64 + 24).div_ceil(8);
            let in_flight = 1000_u64.div_ceil(line) * cells(&base, octets);
            // and the clocks that counting takes
            let limit = in_flight + 4 * cells(&base, octets) + 8;
            let full = share(base, octets, count, limit);
            assert!(full > 0.98, "{octets}: {full}");
            let short = share(base, octets, count, limit / 2);
            assert!(short < 0.8, "{octets}: {short}");
        }
    }
}

/// Random losses of frames, of CF_Update and of CC_Update: every leak is healed, and LIMIT is kept.
#[test]
fn leaks_are_healed() {
    for profile in PROFILES {
        let mut random = rng(profile as u64, "leaks");
        let mut rig = Rig::new(Registers { cf_timer: 300, ..Registers::new(profile, 60) }, 20);
        for _ in 0..600 {
            (0..2).for_each(|end| rig.offer(end, A, random.random_range(60..1500)));
        }
        while rig.ends.iter().any(|end| !end.queues[A].is_empty()) {
            rig.step(|_, item| match item {
                Item::Data(..) if random.random_bool(0.02) => Fate::Lost,
                Item::Set(_) if random.random_bool(0.1) => Fate::Lost,
                Item::Word(word) if word >> 68 & 1 == 1 && random.random_bool(0.1) => Fate::Broken,
                _ => Fate::Comes,
            });
            for end in 0..2 {
                assert!(rig.in_use(end, A) - rig.ends[1 - end].healed <= 60);
            }
            assert!(rig.now < 1_000_000, "a leak has stopped the sender");
        }
        rig.run(10_000);
        for end in 0..2 {
            assert_eq!(rig.ends[1 - end].healed, rig.lost[end]);
            assert_eq!(rig.told[1 - end][0], no_wrap(rig.ends[end].sent[A]), "all credits are back");
        }
        assert!(rig.lost.iter().all(|lost| *lost > 0));
    }
}

/// Counts pass 2^15 three times, with the largest LIMIT and with a small one.
#[test]
fn counts_wrap() {
    for limit in [60, (1 << 14) - 1] {
        let registers = Registers { cell: 0, largest: 1500, ..Registers::new(Profile::Sue1, limit) };
        let mut rig = Rig::new(registers, 5);
        let each = cells(&registers, 1500);
        let frames = (3 << CREDIT_BITS) / each + 10;
        (0..frames).for_each(|_| rig.offer(0, A, 1500));
        rig.ends[1].rate = 90;
        while (rig.ends[1].received[A].len() as u64) < frames {
            rig.run(1);
            assert!(rig.in_use(0, A) <= u64::from(limit) && rig.now < 2_000_000);
        }
        // The reader is slower than the line: what LIMIT let come waits in the buffer.
        while !rig.ends[1].buffers[A].is_empty() {
            rig.run(1);
        }
        rig.run(3000);
        assert_eq!(rig.told[1][0], no_wrap(frames * each));
        assert_eq!((rig.ends[1].healed, between(rig.told[1][0], rig.consumed[0][0])), (0, 0));
    }
}
