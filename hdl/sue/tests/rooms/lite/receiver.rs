//! The receiver of SUE Lite against the golden one: frames of all kinds, credits, a full buffer, `off`.

use crate::rooms::body_check::{damage, good_body, some_types, types_value, word_value};
use crate::rooms::network::{random_config, settings_of, value_of, words_of};
use flitforge_elaborate::drive::FromValue;
use flitforge_hdl_sue::frame::{FrameWord, ReceivedHead};
use flitforge_hdl_sue::lite::{SueLiteReceiver, RECEIVER_LATENCY};
use flitforge_hdl_sue::network::NetworkSettings;
use flitforge_hdl_sue::rel_rx::PartitionEntry;
use flitforge_hdl_sue::unpack::OutCredit;
use flitforge_model::sue::format::{DropCounter, Fid, Framing, Network, NetworkConfig, TypeTable};
use flitforge_model::sue::lite::{frame_of, LiteFate, LiteReceiver, PartitionState, Refusal};
use flitforge_sim::compiled::Compiled;
use flitforge_sim::kit::{rng, seed, Coverage, Rng};
use flitforge_testkit::{compiled, is_full, Clocked, CompiledBlock};
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::panic::catch_unwind;
use std::sync::{Arc, OnceLock};

/// 4 XPUs, 1,024 octets for each virtual channel.
type Small = SueLiteReceiver<2, 9, 7, 5, 6>;
const PEERS: u16 = 4;
const PARTITION: u64 = 0x2A5;
/// Clocks in which a frame is done with.
const PATIENCE: u64 = 160;
/// Pulses of the block, and what they mean in the model.
const PULSES: [&str; 6] = ["header_bad", "afh_bad", "no_room", "partition_violation", "body_bad", "accepted"];

fn program() -> &'static Arc<Compiled> {
    static PROGRAM: OnceLock<Arc<Compiled>> = OnceLock::new();
    PROGRAM.get_or_init(|| compiled("sue_lite_receiver", &Small::new().expect("valid")))
}

/// A fault of the receiver as it would show at its ports.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Planted {
    /// A frame with a wrong header is not counted.
    Silent,
    /// A wrong shape of an AFH header counts as a wrong header.
    Mixed,
    /// A malformed body is told as a good one only.
    Praised,
    /// A command has the source of another XPU.
    Renamed,
    /// It has another virtual channel.
    Moved,
    /// One of its octets is altered.
    Altered,
    /// The end of a command is missing.
    Shortened,
    /// A frame that the port says is wrong is taken.
    Trusted,
    /// Every partition is a member.
    AnyPartition,
    /// Every type of command is taken.
    AnyType,
}

const ALL: [Planted; 10] = [
    Planted::Silent,
    Planted::Mixed,
    Planted::Praised,
    Planted::Renamed,
    Planted::Moved,
    Planted::Altered,
    Planted::Shortened,
    Planted::Trusted,
    Planted::AnyPartition,
    Planted::AnyType,
];

struct Rig {
    planted: Option<Planted>,
    block: CompiledBlock,
    model: LiteReceiver,
    random: Rng,
    pulses: [u64; PULSES.len()],
    /// Octets and head of commands that came.
    came: Vec<(Vec<u8>, ReceivedHead)>,
    open: Vec<u8>,
}

impl Rig {
    fn new(name: &str, partition: PartitionState) -> Self {
        let mut random = rng(seed(0x810), name);
        let mut config = random_config(&mut random, Framing::Lite, false);
        config.own.xpu %= PEERS;
        let types = some_types(&mut random);
        let model = LiteReceiver {
            network: Network::new(config.clone()).expect("settings"),
            types,
            peers: PEERS,
            partition,
        };
        let mut block = CompiledBlock::new(program());
        block.set_value(
            "settings",
            &value_of::<_, { <NetworkSettings as Synth>::BITS }>(settings_of(&config)),
        );
        block.set_value("types", &types_value(&types));
        block.set("port", config.own.port.into()).set("partition", PARTITION);
        block.set("partition_check", 1).set("commands.ready", 1);
        if partition == PartitionState::Member {
            let entry = PartitionEntry { partition: PARTITION.into(), member: true };
            block.set_value("partitions.data", &value_of::<_, 11>(entry)).set("partitions.valid", 1);
            block.step();
            block.set("partitions.valid", 0);
        }
        let mut rig =
            Self { planted: None, block, model, random, pulses: [0; 6], came: vec![], open: vec![] };
        (0..40).for_each(|_| rig.clock());
        rig
    }

    fn clock(&mut self) {
        for (place, pulse) in PULSES.iter().enumerate() {
            let value = self.block.get(pulse);
            match (self.planted, *pulse) {
                (Some(Planted::Silent), "header_bad") | (Some(Planted::Praised), "body_bad") => (),
                (Some(Planted::Mixed), "afh_bad") => self.pulses[0] += value,
                _ => self.pulses[place] += value,
            }
        }
        if self.block.get("commands.valid") == 1 && self.block.get("commands.ready") == 1 {
            let word: FrameWord = Bits::<70>::from_value(&self.block.get_value("commands.data")).into();
            let mut head: ReceivedHead = Bits::<24>::from_value(&self.block.get_value("command_head")).into();
            self.open.extend(&u64::from(word.data).to_le_bytes()[..u64::from(word.bytes) as usize]);
            if word.last {
                let mut octets = std::mem::take(&mut self.open);
                match self.planted {
                    Some(Planted::Renamed) => head.source = (u64::from(head.source) ^ 1).into(),
                    Some(Planted::Moved) => head.vc = (u64::from(head.vc) ^ 2).into(),
                    Some(Planted::Altered) => *octets.last_mut().expect("octets") ^= 1,
                    Some(Planted::Shortened) => octets.truncate(octets.len() - 1),
                    _ => (),
                }
                self.came.push((octets, head));
            }
        }
        self.block.step();
    }

    /// A fault from here on; the credits of before stay.
    fn plant(&mut self, planted: Option<Planted>) {
        self.planted = planted;
        match planted {
            Some(Planted::AnyPartition) => self.block.set("partition_check", 0),
            Some(Planted::AnyType) => self.block.set_value("types", &types_value(&TypeTable::default())),
            _ => &mut self.block,
        };
        (0..40).for_each(|_| self.clock());
    }

    fn give(&mut self, count: u64) {
        for vc in 0..4_u64 {
            let credit = OutCredit { vc: vc.into(), count: count.into() };
            self.block.set_value("credits.data", &value_of::<_, 10>(credit)).set("credits.valid", 1);
            self.clock();
        }
        self.block.set("credits.valid", 0);
    }

    /// The words of a frame, one per clock, then as many clocks as there are at least between two.
    fn send(&mut self, frame: &[u8], error: bool) {
        let error = error && self.planted != Some(Planted::Trusted);
        for word in words_of(frame, error, self.random.random()) {
            self.block.set_value("frame.data", &word_value(word)).set("frame.valid", 1);
            self.clock();
            self.block.set("frame.valid", 0);
        }
    }

    /// A frame for this port, good or not quite, and what is wrong with it.
    fn any_frame(&mut self) -> (Vec<u8>, &'static str) {
        let config = self.model.network.config().clone();
        let sender = |random: &mut Rng, change: &dyn Fn(&mut NetworkConfig, &mut Rng)| {
            let mut of = config.clone();
            of.own.xpu = random.random_range(0..PEERS);
            change(&mut of, random);
            Network::new(of)
        };
        let random = &mut self.random;
        let mut body = good_body(random, &self.model.types, 400);
        let (mut to, vc) = (config.own.xpu, random.random_range(0..4));
        let least = random.random_range(8..=60);
        let mut what = "good";
        let kind = random.random_range(0..15);
        let from = match kind {
            0 => {
                what = "another XPU";
                to ^= 1 << random.random_range(0..12);
                sender(random, &|_, _| ())
            }
            1 => {
                what = "another port";
                sender(random, &|of, random| of.own.port ^= 1 << random.random_range(0..4))
            }
            2 => {
                what = "another Ethertype";
                sender(random, &|of, random| of.ethertypes.lite ^= 1 << random.random_range(0..16))
            }
            3 => {
                what = "an unknown XPU";
                sender(random, &|of, random| of.own.xpu |= 1 << random.random_range(2..12))
            }
            4 => {
                what = "an empty body";
                body.fill(0);
                sender(random, &|_, _| ())
            }
            14 => {
                // Types that this end takes otherwise, or not at all.
                what = "types of another table";
                body = good_body(random, &TypeTable::default(), 400);
                sender(random, &|_, _| ())
            }
            5..=7 => {
                what = damage(random, &mut body);
                sender(random, &|_, _| ())
            }
            _ => sender(random, &|_, _| ()),
        };
        let from = from.expect("settings");
        let mut frame = frame_of(&from, to, vc, &body, least).expect("a frame");
        match kind {
            8 => {
                what = "a key";
                frame[0] ^= 1 << random.random_range(0..8);
            }
            9 => {
                what = "a TC";
                frame[1] = random.random();
            }
            10 => {
                what = "cut off";
                frame.truncate(random.random_range(1..12));
            }
            _ => (),
        }
        (frame, what)
    }
}

/// Pulses that a fate makes.
fn pulses_of(fate: &LiteFate) -> [u64; PULSES.len()] {
    match fate {
        LiteFate::Delivered { .. } => [0, 0, 0, 0, 0, 1],
        LiteFate::Refused(refusal) => match refusal {
            Refusal::Header(DropCounter::AfhBad) => [0, 1, 0, 0, 0, 0],
            Refusal::Header(_) => [1, 0, 0, 0, 0, 0],
            Refusal::Empty => [0; 6],
            Refusal::NoRoom => [0, 0, 1, 0, 0, 0],
            Refusal::Partition => [0, 0, 0, 1, 0, 1],
            Refusal::Malformed => [0, 0, 0, 0, 1, 1],
        },
    }
}

/// What comes of a fate: octets of the commands, and what goes with them.
fn commands_of(rig: &Rig, fate: LiteFate) -> Vec<(Vec<u8>, ReceivedHead)> {
    let LiteFate::Delivered { source, vc, commands } = fate else { return vec![] };
    let head = ReceivedHead {
        source: u64::from(source).into(),
        vc: u64::from(vc).into(),
        port: u64::from(rig.model.network.config().own.port & 3).into(),
        partition: PARTITION.into(),
    };
    let octets = |command: &flitforge_model::sue::format::Command| {
        command.encode(&rig.model.types).expect("it was taken")
    };
    commands.iter().map(|command| (octets(command), head)).collect()
}

/// Frame by frame: the pulses of each, and its commands.
fn judged_as_wanted(frames: u64, planted: Option<Planted>) -> Coverage {
    let mut seen = Coverage::default();
    for (name, partition) in [("member", PartitionState::Member), ("foreign", PartitionState::Foreign)] {
        let mut rig = Rig::new(name, partition);
        rig.plant(planted);
        rig.give(255);
        for number in 0..frames {
            let (frame, what) = rig.any_frame();
            let error = rig.random.random_bool(0.1);
            seen.hit(if error { "error" } else { what });
            let fate = if error { LiteFate::Refused(Refusal::Empty) } else { rig.model.judge(&frame, true) };
            let (wanted, commands) = (pulses_of(&fate), commands_of(&rig, fate));
            let cells: usize = commands.iter().map(|(octets, _)| octets.len().div_ceil(64)).sum();
            rig.pulses = [0; 6];
            rig.came.clear();
            rig.send(&frame, error);
            (0..PATIENCE).for_each(|_| rig.clock());
            assert_eq!(rig.pulses, wanted, "{name}, frame {number}, {what}: {frame:02X?}");
            assert_eq!(rig.came, commands, "{name}, frame {number}, {what}");
            if let Some((_, head)) = commands.first() {
                let credit = OutCredit { vc: head.vc, count: (cells as u64).into() };
                rig.block.set_value("credits.data", &value_of::<_, 10>(credit)).set("credits.valid", 1);
                rig.clock();
                rig.block.set("credits.valid", 0);
            }
        }
    }
    seen
}

/// Faults at the ports of the block: the comparison finds each.
#[test]
fn planted_faults_are_found() {
    judged_as_wanted(300, None);
    for planted in ALL {
        let found = catch_unwind(|| judged_as_wanted(300, Some(planted)));
        assert!(found.is_err(), "{planted:?} is not found");
    }
}

#[test]
fn each_frame_is_judged_as_the_model_does() {
    let seen = judged_as_wanted(if is_full() { 20_000 } else { 3_000 }, None);
    let all = [
        "good",
        "error",
        "another XPU",
        "another port",
        "another Ethertype",
        "an unknown XPU",
        "an empty body",
        "a key",
        "a TC",
        "cut off",
        "rubbish",
        "a type",
        "types of another table",
        "after END",
    ];
    seen.require("frames of SUE Lite", &all).expect("everything happened");
}

/// Frames as close as a line brings them, an XPU that takes nothing at first: what had room is delivered whole and in order, the rest is counted.
#[test]
fn what_has_no_room_is_counted_and_the_rest_is_delivered() {
    let mut rig = Rig::new("room", PartitionState::Member);
    let mut sent: Vec<(LiteFate, u8)> = vec![];
    let config = rig.model.network.config().clone();
    for round in 0..400 {
        let body = good_body(&mut rig.random, &rig.model.types, 300);
        let (xpu, vc) = (rig.random.random_range(0..PEERS), rig.random.random_range(0..4_u8));
        let mut of = config.clone();
        of.own.xpu = xpu;
        let from = Network::new(of).expect("settings");
        let frame = frame_of(&from, config.own.xpu, vc, &body, 60).expect("a frame");
        let fate = rig.model.judge(&frame, true);
        if !matches!(fate, LiteFate::Refused(Refusal::Empty)) {
            sent.push((fate, vc));
        }
        rig.send(&frame, false);
        // The demultiplexer may bring the next frame at once; on the average it does not.
        let pause = if rig.random.random() { 0 } else { rig.random.random_range(6..9) };
        (0..pause).for_each(|_| rig.clock());
        if round % 40 == 39 {
            (0..PATIENCE).for_each(|_| rig.clock());
            rig.give(60);
        }
    }
    (0..20).for_each(|_| {
        rig.give(60);
        (0..1_000).for_each(|_| rig.clock());
    });
    let [header, afh, full, foreign, malformed, accepted] = rig.pulses;
    println!("{full} of {} bodies had no room", sent.len());
    assert_eq!((header, afh, foreign, malformed), (0, 0, 0, 0));
    assert!(full > 20 && accepted > 20, "{full}, {accepted}");
    assert_eq!(full + accepted, sent.len() as u64);
    // By virtual channel: the commands that came are those of some of the bodies, whole and in order.
    for vc in 0..4_u8 {
        let of_vc = |head: &ReceivedHead| u64::from(head.vc) == u64::from(vc);
        let mut came = rig.came.iter().filter(|(_, head)| of_vc(head)).cloned().peekable();
        let bodies: Vec<LiteFate> =
            sent.iter().filter(|(_, of)| *of == vc).map(|(fate, _)| fate.clone()).collect();
        for fate in bodies {
            let wanted = commands_of(&rig, fate);
            if !wanted.is_empty() && came.peek() == wanted.first() {
                let got: Vec<_> = came.by_ref().take(wanted.len()).collect();
                assert_eq!(got, wanted, "VC {vc}");
            }
        }
        assert_eq!(came.next(), None, "VC {vc}: a command that was not sent, or out of order");
    }
}

/// `off` in the middle of a frame: nothing of it is seen, and the next one is.
#[test]
fn a_frame_that_is_switched_off_goes_away_whole() {
    let mut rig = Rig::new("off", PartitionState::Member);
    rig.give(255);
    let config = rig.model.network.config().clone();
    for at in 0..12 {
        let body = [0x20, 0].repeat(30);
        let mut of = config.clone();
        of.own.xpu = (config.own.xpu + 1) % PEERS;
        let from = Network::new(of).expect("settings");
        let frame = frame_of(&from, config.own.xpu, 1, &body, 60).expect("a frame");
        rig.pulses = [0; 6];
        for (place, word) in words_of(&frame, false, 0xA5).into_iter().enumerate() {
            rig.block.set("off", u64::from((at..at + 5).contains(&place)));
            rig.block.set_value("frame.data", &word_value(word)).set("frame.valid", 1);
            rig.clock();
        }
        rig.block.set("frame.valid", 0).set("off", u64::from(at >= 9));
        (0..5).for_each(|_| rig.clock());
        rig.block.set("off", 0);
        (0..PATIENCE).for_each(|_| rig.clock());
        assert_eq!(rig.pulses, [0; 6], "off with word {at}");
        rig.send(&frame, false);
        (0..PATIENCE).for_each(|_| rig.clock());
        assert_eq!(rig.pulses, [0, 0, 0, 0, 0, 1], "the next one");
    }
}

/// A port that is switched off in the middle of a frame: it is dropped, whatever of it came, and the next one is taken.
#[test]
fn a_frame_without_an_end_is_dropped() {
    let mut rig = Rig::new("torn", PartitionState::Member);
    rig.give(255);
    let config = rig.model.network.config().clone();
    for at in 1..9 {
        let body = [0x20, 0].repeat(30);
        let own = Fid { xpu: (config.own.xpu + 1) % PEERS, ..config.own };
        let from = Network::new(NetworkConfig { own, ..config.clone() }).expect("settings");
        let frame = frame_of(&from, config.own.xpu, 1, &body, 60).expect("a frame");
        rig.pulses = [0; 6];
        for word in words_of(&frame, false, 0xA5).into_iter().take(at) {
            rig.block.set_value("frame.data", &word_value(word)).set("frame.valid", 1);
            rig.clock();
        }
        rig.block.set("frame.valid", 0);
        (0..at % 4).for_each(|_| rig.clock());
        rig.block.set("port_off", 1);
        (0..5).for_each(|_| rig.clock());
        rig.block.set("port_off", 0);
        rig.send(&frame, false);
        (0..PATIENCE).for_each(|_| rig.clock());
        assert_eq!(rig.pulses, [0, 0, 0, 0, 0, 1], "{at} words");
    }
}

#[test]
fn latency_is_as_stated() {
    let mut rig = Rig::new("latency", PartitionState::Member);
    rig.model.types = TypeTable::default();
    rig.block.set_value("types", &types_value(&TypeTable::default()));
    (0..40).for_each(|_| rig.clock());
    rig.give(255);
    let config = rig.model.network.config().clone();
    let own = Fid { xpu: (config.own.xpu + 1) % PEERS, ..config.own };
    let from = Network::new(NetworkConfig { own, ..config.clone() }).expect("settings");
    for bytes in [4, 40, 400] {
        let mut body = vec![];
        while body.len() < bytes {
            body.extend([0x21, 0, 0xAB, 0xCD]);
        }
        let frame = frame_of(&from, config.own.xpu, 0, &body, 8).expect("a frame");
        rig.send(&frame, false);
        let clocks = 1 + rig.block.until_high("commands.valid", 60);
        assert_eq!(clocks, u64::from(RECEIVER_LATENCY), "{bytes} octets");
        (0..PATIENCE * 4).for_each(|_| rig.clock());
    }
}
