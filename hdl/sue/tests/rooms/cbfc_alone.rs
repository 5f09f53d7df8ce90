//! Credit-based flow control alone: malformed and cut messages, clear in the middle of one, and how long counting takes.

use super::cbfc::{between, cost, messages, set_of, Registers};
use super::mac_control::words_of;
use flitforge_hdl_sue::cbfc::EthCbfc;
use flitforge_model::sue::format::link_control::{CreditCount, OrderedSet};
use flitforge_model::sue::format::{CreditsConsumed, MacControlError, Profile};
use flitforge_model::sue::link::CreditReceiver;
use flitforge_protocol::sue::class::CLASSES;
use flitforge_protocol::sue::crc::CRC_BYTES;
use flitforge_protocol::sue::link_control::{CBFC_VCS, CC_OPCODE, CREDIT_BITS};
use flitforge_sim::kit::rng;
use flitforge_sim::Compiled;
use flitforge_testkit::{compiled, Clocked, CompiledBlock};
use rand::Rng;
use std::sync::{Arc, OnceLock};

const PROFILES: [Profile; 2] = [Profile::Sue1, Profile::Ue103];
/// Clocks in which a message is carried out.
const HEALING: u64 = 70;

fn program() -> &'static Arc<Compiled> {
    static PROGRAM: OnceLock<Arc<Compiled>> = OnceLock::new();
    PROGRAM.get_or_init(|| compiled("eth_cbfc", &EthCbfc::default()))
}

/// The block, and what it has told.
struct Rig {
    block: CompiledBlock,
    registers: Registers,
    now: u64,
    healed: u64,
    /// Clocks of the last pulse of `healed` and of the last CF_Update.
    healed_at: u64,
    set_at: Option<u64>,
    messages: u64,
    bad: u64,
    told: [u16; CBFC_VCS],
}

impl Rig {
    fn new(registers: Registers) -> Self {
        let mut block = CompiledBlock::new(program());
        for (path, value) in registers.ports() {
            block.set(&path, value);
        }
        block.set("control.ready", 1).set("frame.ready", 1);
        let (told, set_at) = ([0; CBFC_VCS], None);
        let mut rig =
            Self { block, registers, now: 0, healed: 0, healed_at: 0, set_at, messages: 0, bad: 0, told };
        rig.idle(60);
        rig
    }

    /// One clock with what was set; flows are idle after it.
    fn step(&mut self) {
        if self.block.get("healed.valid") == 1 {
            self.healed += self.block.get("healed.data");
            self.healed_at = self.now;
        }
        self.messages += self.block.get("consumed_received");
        self.bad += self.block.get("consumed_bad");
        if self.block.get("control.valid") == 1 {
            self.set_at = self.set_at.or(Some(self.now));
            let octets = self.block.get("control.data").to_le_bytes();
            let OrderedSet::CfUpdate(counts) = OrderedSet::decode(octets).expect("a set") else {
                panic!("{octets:?}")
            };
            counts.iter().for_each(|count| self.told[usize::from(count.vc)] = count.cells);
        }
        self.block.step();
        for flow in ["taken", "sent", "received", "freed", "sets", "frames", "verdicts"] {
            self.block.set(&format!("{flow}.valid"), 0);
        }
        self.now += 1;
    }

    fn idle(&mut self, clocks: u64) {
        (0..clocks).for_each(|_| self.step());
    }

    fn put(&mut self, flow: &str, value: u64) {
        self.block.set(&format!("{flow}.valid"), 1).set(&format!("{flow}.data"), value);
    }

    fn words(&mut self, words: &[u128]) {
        for word in words {
            self.block.set("frames.valid", 1).set_wide("frames.data", *word);
            self.step();
        }
    }

    /// A frame and its verdict.
    fn frame(&mut self, frame: &[u8], good: bool) {
        self.words(&words_of(frame));
        self.idle(10);
        self.put("verdicts", good.into());
        self.idle(HEALING);
    }

    fn ready(&mut self, class: usize) -> bool {
        self.block.get("ready") >> class & 1 == 1
    }

    fn cells(&self, octets: usize) -> u16 {
        self.registers.golden().cells(octets + CRC_BYTES)
    }
}

/// CC of all virtual channels: `cells` of each lossless class's.
fn counts(registers: &Registers, cells: u16) -> Vec<CreditCount> {
    let is_of_class = |vc: u8| registers.lossless().any(|class| registers.vcs[class] == vc);
    (0..CBFC_VCS as u8).map(|vc| CreditCount { vc, cells: if is_of_class(vc) { cells } else { 0 } }).collect()
}

/// Messages with a bit inverted or cut off, and the model beside the block: what each heals and ignores. The golden model refuses padding that is not 0,
/// the block does not look at it.
#[test]
fn malformed_messages_heal_what_the_model_heals() {
    for profile in PROFILES {
        let registers = Registers { cell_batch: 1, ..Registers::new(profile, 100) };
        let mut rig = Rig::new(registers);
        let mut golden = CreditReceiver::new(registers.golden()).expect("settings");
        let mut random = rng(profile as u64, "messages");
        let (mut refused, mut healed) = (0, 0);
        let good = messages(profile, &counts(&registers, 0)).remove(0);
        let bits =
            (0..26 * 8).chain((0..150).map(|_| random.random_range(0..good.len() * 8)).collect::<Vec<_>>());
        let cut = (1..=good.len()).map(|length| (length, None));
        for (length, bit) in bits.map(|bit| (good.len(), Some(bit))).chain(cut) {
            // CC grows by up to three cells
            let all: Vec<_> = counts(&registers, 1)
                .into_iter()
                .map(|CreditCount { vc, cells }| {
                    let more = cells * random.random_range(0..4);
                    CreditCount {
                        vc,
                        cells: golden.consumed(vc).wrapping_add(more) & ((1 << CREDIT_BITS) - 1),
                    }
                })
                .collect();
            let mut frame = messages(profile, &all).remove(0);
            frame.truncate(length);
            if let Some(bit) = bit {
                frame[bit / 8] ^= 1 << (bit % 8);
            }
            let before =
                (golden.counters().cc_heal, golden.counters().cc_bad, rig.healed, rig.bad, rig.messages);
            let decoded = CreditsConsumed::decode(&frame, profile, CC_OPCODE);
            if matches!(decoded, Err(MacControlError::Padding { .. })) {
                continue;
            }
            rig.frame(&frame, true);
            let taken = decoded.is_ok();
            if let Ok(message) = decoded {
                let of_class =
                    |count: &&CreditCount| registers.lossless().any(|class| registers.vcs[class] == count.vc);
                let ours: Vec<_> = message.counts.iter().filter(of_class).copied().collect();
                golden.receive_cc(&ours);
            }
            let ours = (rig.healed - before.2, rig.bad - before.3, rig.messages - before.4);
            let expected =
                (golden.counters().cc_heal - before.0, golden.counters().cc_bad - before.1, taken.into());
            assert_eq!(ours, expected, "bit {bit:?} of {length} octets");
            (refused, healed) = (refused + u64::from(!taken), healed + ours.0);
            // what is healed is told
            rig.idle(40);
            for class in registers.lossless() {
                let vc = registers.vcs[class];
                assert_eq!(rig.told[usize::from(vc)], golden.freed(vc), "class {class}");
            }
        }
        assert!(refused > 150 && healed > 200, "{refused} refused, {healed} healed");
    }
}

/// A bad message, one that is to be discarded, and one cut by a clear change nothing; the next one counts.
#[test]
fn bad_and_cleared_messages_heal_nothing() {
    for profile in PROFILES {
        let registers = Registers::new(profile, 100);
        let mut rig = Rig::new(registers);
        let message = messages(profile, &counts(&registers, 9)).remove(0);
        rig.frame(&message, false);
        let mut words = words_of(&message);
        if let Some(last) = words.last_mut() {
            *last |= 1 << 69;
        }
        rig.words(&words);
        rig.put("verdicts", 1);
        rig.idle(HEALING);
        assert_eq!((rig.healed, rig.messages), (0, 0));
        // Clear after each word, and while the message is carried out.
        let words = words_of(&message);
        for place in (0..words.len() + 40).step_by(3) {
            rig.words(&words[..place.min(words.len())]);
            if place >= words.len() {
                rig.put("verdicts", 1);
                rig.idle((place - words.len()) as u64);
            }
            rig.block.set("clear", 1);
            rig.step();
            rig.block.set("clear", 0);
            assert_eq!(rig.block.get("runs"), 0);
            rig.idle(60);
            (rig.healed, rig.messages) = (0, 0);
            rig.frame(&message, true);
            assert_eq!((rig.healed, rig.messages), (5 * 9, 1), "cleared after {place}");
            rig.block.set("clear", 1);
            rig.step();
            rig.block.set("clear", 0);
            rig.idle(60);
        }
        // without CBFC nothing counts
        (rig.healed, rig.messages) = (0, 0);
        rig.block.set("enable", 0);
        rig.frame(&message, true);
        assert_eq!((rig.healed, rig.messages, rig.block.get("ready")), (0, 0, 0x3F));
    }
}

/// Verdicts that stay away: two messages wait, the third one is ignored and spoils neither.
#[test]
fn a_third_message_does_not_spoil_two_that_wait() {
    for profile in PROFILES {
        let registers = Registers::new(profile, 100);
        let mut rig = Rig::new(registers);
        for cells in [5, 9, 20] {
            let message = messages(profile, &counts(&registers, cells)).remove(0);
            rig.words(&words_of(&message));
        }
        for healed in [5 * 5, 5 * 9, 5 * 9] {
            rig.put("verdicts", 1);
            rig.idle(HEALING);
            assert_eq!(rig.healed, healed);
        }
        assert_eq!(rig.messages, 2);
        let message = messages(profile, &counts(&registers, 11)).remove(0);
        rig.frame(&message, true);
        assert_eq!((rig.healed, rig.messages), (5 * 11, 3));
    }
}

/// From each event to what follows it, at every phase of what goes round in the block.
#[test]
fn counting_takes_the_clocks_of_the_page() {
    for class in 0..CLASSES - 1 {
        for phase in 0..12 {
            // LIMIT is that of two frames: after one there are credits, after two none.
            let registers = Registers::new(Profile::Sue1, 0);
            let mut rig = Rig::new(Registers { limits: [12; CLASSES], cell_batch: 1, ..registers });
            assert_eq!(rig.cells(1500), 6);
            rig.idle(phase);
            for frame in 0..2 {
                assert!(rig.ready(class));
                rig.put("taken", cost(class, 1500));
                rig.put("sent", cost(class, 1500));
                rig.step();
                let clocks = (1..40).find(|_| {
                    let ready = rig.ready(class);
                    rig.step();
                    ready
                });
                assert_eq!(clocks, if frame == 0 { Some(8) } else { None }, "taken to ready");
                assert_eq!(rig.block.get("ready") | 1 << class, 0x3F, "other classes have their credits");
            }
            let start = rig.now;
            rig.put("sets", set_of([CreditCount { vc: class as u8, cells: 6 }; 2]));
            while !rig.ready(class) {
                rig.step();
            }
            assert!((11..=15).contains(&(rig.now - start)), "CF_Update to ready: {}", rig.now - start);

            rig.put("received", cost(class, 1500));
            rig.idle(30 + phase);
            rig.set_at = None;
            let start = rig.now;
            rig.put("freed", cost(class, 1500));
            rig.idle(30);
            let clocks = rig.set_at.expect("it is told") - start;
            assert!((15..=17).contains(&clocks), "freed to CF_Update: {clocks}");
            assert_eq!(rig.told[class], 6);

            let message = messages(Profile::Sue1, &counts(&rig.registers, 9)).remove(0);
            rig.words(&words_of(&message));
            let start = rig.now;
            rig.put("verdicts", 1);
            rig.idle(HEALING);
            assert!(
                (30..=50).contains(&(rig.healed_at - start)),
                "verdict to the last class: {}",
                rig.healed_at - start
            );
            assert_eq!(rig.healed, 4 * 9 + 3);
        }
    }
}

/// All four flows have a frame every eighth clock, together and with CF_Update between: every cell is counted.
#[test]
fn four_flows_every_eighth_clock() {
    for shift in 0..8_u64 {
        let registers = Registers { largest: 1500, cell_batch: 4, ..Registers::new(Profile::Sue1, 16_000) };
        let mut rig = Rig::new(registers);
        let mut random = rng(shift, "flows");
        let mut sums = [[0_u16; CLASSES]; 2];
        let frames = 300;
        let begun = rig.now;
        for clock in 0..8 * frames {
            for (number, flow) in ["taken", "sent", "received", "freed"].iter().enumerate() {
                if (clock + shift * number as u64) % 8 == 7 {
                    let (class, octets) = (random.random_range(0..CLASSES), random.random_range(60..=1500));
                    rig.put(flow, cost(class, octets));
                    if number % 2 == 1 {
                        sums[number / 2][class] += rig.cells(octets);
                    }
                }
            }
            if clock % 13 == 12 {
                rig.put("sets", set_of([CreditCount { vc: 0, cells: 0 }, CreditCount { vc: 1, cells: 0 }]));
            }
            rig.step();
        }
        assert_eq!(rig.now - begun, 8 * frames);
        rig.idle(2 * registers.cf_timer);
        for class in registers.lossless() {
            assert_eq!(between(rig.told[class], sums[1][class]), 0, "CF of class {class}");
        }
        // and CC, as the next message tells it
        while rig.block.get("frame.valid") == 0 {
            rig.step();
        }
        let mut octets = Vec::new();
        while rig.block.get("frame.valid") == 1 {
            octets.extend((rig.block.get_wide("frame.data") as u64).to_le_bytes());
            rig.step();
        }
        let message = CreditsConsumed::decode(&octets, Profile::Sue1, CC_OPCODE).expect("a message");
        for class in registers.lossless() {
            assert_eq!(message.counts[class].cells, sums[0][class], "CC of class {class}");
        }
    }
}
