//! Both directions of the MAC, line to line: the examples of chapter 50, section 8, and random traffic.

use crate::rooms::mac_rx::{Heard, Listener};
use crate::rooms::mac_tx::{columns_of, preamble_value, setup, value_of, words_of};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_hdl_sue::frame::FrameVerdict;
use flitforge_hdl_sue::mac_tx::EthMacTx;
use flitforge_model::sue::format::{OrderedSet, Preamble, Sequence};
use flitforge_model::sue::link::xgmii::Column;
use flitforge_testkit::{random, BenchBlock, Clocked};
use rand::Rng;
use std::collections::VecDeque;

/// E1: a WRITE of 32 octets.
const E1: &str =
    "87 1F 00 00 00 01 23 45 67 80 00 2A 00 00 00 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F \
                  10 11 12 13 14 15 16 17 18 19 1A 1B 1C 1D 1E 1F";
/// E2: its reliability header and R-CRC.
const E2: [&str; 2] = ["00 05 00 10 00 01 00 0F", "04 01 8E 5B"];
/// E3: its Ethernet headers without and with a generation.
const E3: [&str; 2] =
    ["02 68 00 00 00 70 42 07 00 00 00 50 88 B6", "02 68 18 00 00 70 42 07 18 00 00 50 88 B6"];

fn hex(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|octet| u8::from_str_radix(octet, 16).expect("hex")).collect()
}

fn e3(header: &str) -> Vec<u8> {
    [hex(header), hex(E2[0]), hex(E1), hex(E2[1])].concat()
}

/// E11: PFC of priority 3 from XPU 5, without padding.
fn e11() -> Vec<u8> {
    let mut frame = hex("01 80 C2 00 00 01 02 00 00 00 00 50 88 08 01 01 00 08");
    (0..8).for_each(|priority| frame.extend(if priority == 3 { [0xFF; 2] } else { [0; 2] }));
    frame
}

fn numbered(sequence: u32) -> Preamble {
    Preamble::Llr { sequence: Sequence::new(sequence).expect("20 bits"), flags: 0 }
}

fn number_of(preamble: Preamble) -> Option<u64> {
    match preamble {
        Preamble::Standard => None,
        Preamble::Llr { sequence, .. } => Some(sequence.value().into()),
    }
}

/// The octets of the only frame of these columns, with its FCS.
fn octets_of(columns: &[Column]) -> Vec<u8> {
    let data = |column: &Column| {
        let count = column.control.trailing_zeros().min(8) as usize;
        column.octets[..count].to_vec()
    };
    columns[1..].iter().flat_map(data).collect()
}

#[test]
fn e3_and_e11_go_out_and_come_in_bit_for_bit() {
    let plain = setup(60, 12, false, false);
    let over = setup(60, 12, true, false);
    let padded = |mut frame: Vec<u8>| {
        frame.resize(frame.len().max(60), 0);
        frame
    };
    for (setup, preamble, frame, fcs) in [
        (plain, Preamble::Standard, e3(E3[0]), "E3 2D 75 95"),
        (over, Preamble::Standard, e3(E3[0]), "E3 2D 75 95"),
        (plain, numbered(0x12345), e3(E3[0]), "E3 2D 75 95"),
        (over, numbered(0x12345), e3(E3[0]), "49 DF 46 3D"),
        (over, Preamble::Standard, e3(E3[1]), "07 1A 01 62"),
        (over, Preamble::Standard, e11(), "E9 3A A2 DB"),
    ] {
        let wanted = [padded(frame.clone()), hex(fcs)].concat();
        let columns = columns_of(setup, &[(preamble, frame.clone(), false)], wanted.len() / 8 + 2);
        assert_eq!(columns[0], Column::marked(preamble.encode().expect("fits")));
        assert_eq!(octets_of(&columns), wanted);
        let mut listener = Listener::new(&setup.config);
        columns.iter().for_each(|column| listener.column(*column));
        (0..8).for_each(|_| listener.column(Column::IDLE));
        let good = FrameVerdict { good: true, ..Default::default() };
        assert_eq!(
            listener.take(),
            vec![
                Heard::Frame { number: number_of(preamble), octets: padded(frame), error: false },
                Heard::Verdict(good),
            ]
        );
    }
}

#[test]
fn e10_sets_and_preambles_go_out_and_come_in_bit_for_bit() {
    let sets = [
        "5C 01 12 34 56 00 00 00",
        "5C 02 FF FF F6 00 00 00",
        "5C 03 00 00 06 EF BE 00",
        "5C 10 01 23 46 0F FF F0",
    ]
    .map(|text| <[u8; 8]>::try_from(hex(text)).expect("eight"));
    let mut loop_back = Loop::new(12);
    for set in sets {
        assert!(OrderedSet::decode(set).is_ok());
        loop_back.sets.push_back(u64::from_le_bytes(set));
    }
    loop_back.frames.push_back((numbered(0x12345), vec![0x11; 100], false));
    loop_back.run(60);
    let marked: Vec<[u8; 8]> =
        loop_back.line.iter().filter(|column| column.control == 1).map(|column| column.octets).collect();
    let preamble = <[u8; 8]>::try_from(hex("FB 55 55 DD 01 23 45 00")).expect("eight");
    assert!(sets.iter().all(|set| marked.contains(set)) && marked.contains(&preamble), "{marked:02X?}");
    let heard = loop_back.listener.take();
    let came: Vec<_> = heard
        .iter()
        .filter_map(|item| match item {
            Heard::Set(set) => Some(*set),
            _ => None,
        })
        .collect();
    assert_eq!(came, sets.map(u64::from_le_bytes));
}

/// A sender and a receiver, and what is to be sent.
struct Loop {
    sender: BenchBlock,
    listener: Listener,
    line: Vec<Column>,
    frames: VecDeque<(Preamble, Vec<u8>, bool)>,
    words: VecDeque<flitforge_hdl_sue::frame::FrameWord>,
    sets: VecDeque<u64>,
    pause: u64,
    random: flitforge_sim::kit::Rng,
    pauses: bool,
    offered: Option<u64>,
    clock: u64,
}

impl Loop {
    fn new(gap: usize) -> Self {
        let setup = setup(60, gap, true, true);
        let block: Box<dyn DriveBlock> = Box::new(EthMacTx::new().expect("valid"));
        let mut sender = BenchBlock::boxed("eth_mac_tx", block);
        sender.set("settings.minimum", 60).set("settings.gap", gap as u64);
        sender.set("settings.fcs_over_sequence", 1).set("settings.control_in_frame", 1);
        Loop {
            sender,
            listener: Listener::new(&setup.config),
            line: vec![],
            frames: VecDeque::new(),
            words: VecDeque::new(),
            sets: VecDeque::new(),
            pause: 0,
            random: random(),
            pauses: false,
            offered: None,
            clock: 0,
        }
    }

    fn clock(&mut self) {
        if self.words.is_empty() && self.pause == 0 {
            if let Some((preamble, frame, error)) = self.frames.pop_front() {
                self.words = words_of(&frame, error).into();
                self.sender.set_value("preamble", &preamble_value(preamble));
                self.pause = if self.pauses { self.random.random_range(0..12) } else { 0 };
            }
        }
        let waits = self.pause > 0;
        self.pause = self.pause.saturating_sub(1);
        let word = self.words.front().filter(|_| !waits).copied();
        self.sender.set("frames.valid", word.is_some().into());
        if let Some(word) = word {
            self.sender.set_value("frames.data", &value_of(word));
        }
        let set = self.sets.front().copied();
        self.sender.set("control.valid", set.is_some().into()).set("control.data", set.unwrap_or(0));
        let moves = word.is_some() && self.sender.get("frames.ready") == 1;
        if set.is_some() && self.sender.get("control.ready") == 1 {
            self.sets.pop_front();
        }
        if moves {
            if self.offered.is_none() {
                self.offered = Some(self.clock);
            }
            self.words.pop_front();
        }
        let control = self.sender.get("txc") as u8;
        let column = Column { octets: self.sender.get("txd").to_le_bytes(), control };
        self.line.push(column);
        self.listener.column(column);
        self.sender.clock();
        self.clock += 1;
    }

    fn run(&mut self, clocks: u64) {
        (0..clocks).for_each(|_| self.clock());
    }
}

/// Random frames with random pauses before them, ordered sets between and inside: all of it arrives, in order, as it was sent.
#[test]
fn random_traffic_arrives_as_it_was_sent() {
    let mut random = random();
    let mut loop_back = Loop::new(8);
    loop_back.pauses = true;
    let mut expected = vec![];
    let mut sets = vec![];
    for number in 0..300 {
        let length =
            if number % 40 == 7 { random.random_range(2100..3500) } else { random.random_range(1..200) };
        let frame: Vec<u8> = (0..length).map(|_| random.random()).collect();
        let preamble =
            if random.random() { numbered(random.random_range(0..1 << 20)) } else { Preamble::Standard };
        let poisoned = random.random_bool(0.1);
        loop_back.frames.push_back((preamble, frame.clone(), poisoned));
        let mut octets = frame;
        octets.resize(octets.len().max(60), 0);
        expected.push(Heard::Frame { number: number_of(preamble), octets, error: false });
        expected.push(Heard::Verdict(FrameVerdict { good: !poisoned, poisoned, ..Default::default() }));
    }
    let mut inside = 0;
    while !(loop_back.frames.is_empty() && loop_back.words.is_empty()) {
        if random.random_bool(0.02) {
            let set = random.random::<u64>() & !0xFF | 0x5C;
            sets.push(set);
            loop_back.sets.push_back(set);
        }
        loop_back.clock();
        inside += u64::from(loop_back.listener.set_inside);
    }
    loop_back.run(40);
    let heard = loop_back.listener.take();
    let (came_sets, came): (Vec<_>, Vec<_>) =
        heard.into_iter().partition(|item| matches!(item, Heard::Set(_)));
    assert_eq!(came_sets, sets.into_iter().map(Heard::Set).collect::<Vec<_>>());
    assert_eq!(by_kind(came), by_kind(expected));
    assert!(inside > 3, "{inside} ordered sets inside frames");
}

/// Frames in their order and verdicts in theirs; a verdict may come after the first words of the next frame.
fn by_kind(heard: Vec<Heard>) -> (Vec<Heard>, Vec<Heard>) {
    heard.into_iter().partition(|item| matches!(item, Heard::Frame { .. }))
}

/// From the first word of a lone frame to its first word at the other end, and from its last word to its verdict.
#[test]
fn how_long_a_lone_frame_takes() {
    let mut loop_back = Loop::new(12);
    loop_back.run(20);
    loop_back.frames.push_back((numbered(7), vec![0x22; 64], false));
    loop_back.run(60);
    let start = loop_back.offered.expect("taken");
    let [first, last, verdict] = loop_back.listener.clocks();
    // 7 clocks to the line, 3 to the word: its column, the next one, the word.
    assert_eq!(first - start, 10);
    // Eight words; the end character stands in octet 4 of the column after them.
    assert_eq!(last - start, 7 + 10);
    assert_eq!(verdict - last, 4);
}
