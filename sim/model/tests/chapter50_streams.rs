//! Random frames and random command streams: no hang, no partial delivery, and traffic goes on (chapter 50, 9, point 6); all partitions
//! (point 14).

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::support::{count, random};
use flitforge_model::sue::format::frame::{seal, FcsCover, FrameState};
use flitforge_model::sue::format::{Framing, ReliabilityHeader, TypeTable};
use flitforge_model::sue::soak::{SoakParameters, WireFaults, Xpu};
use flitforge_model::sue::{
    BodyCheck, CommandFault, CommandPort, CommandRules, CommandTarget, ConnectionKey, PassedCommand,
    PortEvent, PortWord, Psn, Receiver, ReceiverConfig, Room, Verdict,
};
use flitforge_protocol::sue::crc::CRC_BYTES;
use flitforge_protocol::sue::reliability::Operation;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet};

/// Clocks of a frame's way.
const DELAY: u64 = 40;
/// Frames that came last, from which rubbish is made.
const OLD: usize = 200;
/// Octets of an AFH Gen 2 frame with the FID of its destination.
const OWN_FID: std::ops::Range<usize> = 4..6;
/// XPUs of the rules of command streams.
const PEERS: u16 = 8;
/// Own XPU there.
const OWN: u16 = 1;

fn parameters() -> SoakParameters {
    SoakParameters {
        xpus: 2,
        framing: Framing::AfhGen2,
        vcs: 4,
        commands: u64::MAX,
        data_bytes: 64,
        flush: 20_000,
        window: 16,
        rto: 3_200,
        delay: DELAY,
        faults: WireFaults::default(),
        stalls: 0,
        time_limit: u64::MAX,
        capture: 0,
    }
}

/// A frame by chance: octets only, a good frame with bits turned, cut or lengthened, its FCS mostly made anew.
fn rubbish(random: &mut ChaCha8Rng, good: &[Vec<u8>]) -> Vec<u8> {
    let original = good.choose(random).filter(|_| random.random_bool(0.7));
    let mut octets = match original {
        Some(frame) => frame.clone(),
        None => (0..random.random_range(0..300)).map(|_| random.random()).collect(),
    };
    let places = octets.len();
    for _ in 0..random.random_range(1..6) {
        if places > 0 {
            octets[random.random_range(0..places)] ^= 1 << random.random_range(0..8);
        }
    }
    // Whom a frame is for stands in its network header only, which the R-CRC leaves out: one that a device turns to another XPU is that
    // XPU's, and PSNs alone tell. That is the format's, and not looked at here.
    if let (Some(places), Some(frame)) =
        (octets.get_mut(OWN_FID), original.and_then(|frame| frame.get(OWN_FID)))
    {
        places.copy_from_slice(frame);
    }
    match random.random_range(0..4) {
        0 => octets.truncate(random.random_range(0..=places)),
        1 => octets.extend((0..random.random_range(1..100)).map(|_| random.random::<u8>())),
        _ => {}
    }
    if random.random_bool(0.9) {
        octets = seal(&octets, FcsCover::Frame, FrameState::Good).expect("sealed");
    }
    octets
}

/// Between two XPUs that talk, frames of rubbish are dropped before their PDUs count, and every command still comes once, in order and
/// unaltered, without a replay. A frame that came before and is turned in places where nothing looks (TC, hops, entropy) is harmless: a
/// duplicate.
#[test]
fn random_frames_change_nothing() {
    let mut random = random("random_frames_change_nothing");
    let parameters = parameters();
    let xpu = |number: u16| {
        Xpu::new(number, &parameters, ChaCha8Rng::seed_from_u64(u64::from(number))).expect("an XPU")
    };
    let mut xpus = [xpu(0), xpu(1)];
    let mut wire: BTreeMap<(u64, u64), (usize, Vec<u8>)> = BTreeMap::new();
    let mut good = vec![vec![]; OLD];
    let (mut number, mut clock, mut sent, mut arrived, mut harmless) = (0, 0, 0, 0, 0);
    let frames = count(100_000, 1_000_000);
    while sent < frames || !xpus.iter().all(Xpu::is_idle) || !wire.is_empty() {
        clock += 4;
        for from in [0, 1] {
            if sent < frames {
                xpus[from].offer(&parameters).expect("offered");
            }
            if let Some((destination, _, frame)) = xpus[from].transmit(clock).expect("sent") {
                let sealed = seal(&frame, FcsCover::Frame, FrameState::Good).expect("sealed");
                number += 1;
                wire.insert((clock + DELAY, number), (destination.into(), sealed));
            }
            if sent < frames {
                sent += 1;
                let octets = rubbish(&mut random, &good);
                harmless +=
                    u64::from(xpus[from].receive(&octets, clock, &parameters).expect("nothing wrong"));
            }
        }
        while let Some(first) = wire.first_entry().filter(|first| first.key().0 <= clock) {
            let (to, octets) = first.remove();
            assert!(xpus[to].receive(&octets, clock, &parameters).expect("once and in order"));
            good[arrived % OLD] = octets[..octets.len() - CRC_BYTES].to_vec();
            arrived += 1;
        }
        assert!(clock < 100 * frames + 1_000_000, "a hang");
    }
    let offered: u64 = xpus.iter().map(Xpu::offered).sum();
    assert_eq!(xpus.iter().map(|xpu| xpu.delivered()).sum::<u64>(), offered);
    assert!(offered > frames / 100, "{offered}");
    let mut fates: BTreeMap<String, u64> = BTreeMap::new();
    for (name, times) in xpus.iter().flat_map(|xpu| &xpu.fates) {
        *fates.entry(name.clone()).or_default() += times;
    }
    println!("{offered} commands beside {frames} frames of rubbish: {fates:?}");
    assert!(xpus.iter().all(|xpu| xpu.endpoint().sender().counters().replay == 0));
    let dropped: u64 =
        ["FCS", "HDR_BAD", "AFH_BAD", "RH_BAD", "RCRC"].iter().filter_map(|name| fates.get(*name)).sum();
    assert_eq!(dropped + harmless, frames, "each of them counts once: {fates:?}");
    assert!(
        harmless < frames / 20 && fates.get("DUP").copied().unwrap_or(0) <= harmless,
        "{harmless}: {fates:?}"
    );
    assert!(!fates.contains_key("GAP"), "{fates:?}");
    for name in ["FCS", "HDR_BAD", "AFH_BAD", "RCRC"] {
        assert!(fates.contains_key(name), "{name}: {fates:?}");
    }
}

/// Words by chance, half of them those of a command with a few changes.
fn stream(random: &mut ChaCha8Rng) -> Vec<(CommandTarget, PortWord)> {
    let target = CommandTarget {
        destination: random.random_range(0..PEERS + 2),
        vc: random.random_range(0..4),
        partition: random.random_range(0..4),
    };
    let (kind, clen, dlen) =
        (random.random_range(0..16u8), random.random_range(0..16u8), random.random::<u8>());
    let data = match kind {
        0..8 => 0,
        11 => (usize::from(dlen) + 8) / 8 + usize::from(dlen) + 1,
        _ => usize::from(dlen) + 1,
    };
    let dlen = if kind < 8 && random.random_bool(0.9) { 0 } else { dlen };
    let control = [vec![kind << 4 | clen, dlen], vec![0x5A; 2 * usize::from(clen)]].concat();
    let mut words = vec![];
    for (octets, is_data) in [(control, false), (vec![0xA5; data], true)] {
        for chunk in octets.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            words.push(PortWord { data: word, bytes: chunk.len(), first: false, last: false, is_data });
        }
    }
    words.first_mut().expect("a header").first = true;
    words.last_mut().expect("a header").last = true;
    if random.random_bool(0.5) {
        for _ in 0..random.random_range(1..4) {
            let at = random.random_range(0..words.len());
            match random.random_range(0..6) {
                0 => words[at].first ^= true,
                1 => words[at].last ^= true,
                2 => words[at].is_data ^= true,
                3 => words[at].bytes = random.random_range(0..12),
                4 => words.insert(at, words[at]),
                _ if words.len() > 1 => drop(words.remove(at)),
                _ => {}
            }
        }
    }
    words.into_iter().map(|word| (target, word)).collect()
}

/// Octets that the header of a command asks for, worked out from chapter 50, 3.1, without the model; made even.
fn needed(octets: &[u8]) -> Option<usize> {
    let (kind, clen, dlen) =
        (octets.first()? >> 4, usize::from(octets[0] & 15), usize::from(*octets.get(1)?));
    let bytes = match kind {
        0 => return None,
        1..=7 if dlen != 0 => return None,
        1..=7 => 2 + 2 * clen,
        0xB => 2 + 2 * clen + (dlen + 8) / 8 + dlen + 1,
        _ => 2 + 2 * clen + dlen + 1,
    };
    Some(bytes + bytes % 2)
}

/// A right command of one word.
fn barrier() -> PortWord {
    PortWord { data: [0x30, 0, 0, 0, 0, 0, 0, 0], bytes: 2, first: true, last: true, is_data: false }
}

#[test]
fn random_command_streams_pass_whole_commands_only() {
    let mut random = random("random_command_streams_pass_whole_commands_only");
    let partitions: BTreeSet<u16> = [0, 2].into();
    let rules = CommandRules {
        types: TypeTable::default(),
        own: OWN,
        peers: PEERS,
        partitions: Some(partitions.clone()),
    };
    let mut port = CommandPort::new(rules);
    let (mut given, mut used) = ([0; 4], [0; 4]);
    let (mut passed, mut seen) = (0, BTreeMap::new());
    let mut look = |events: Vec<PortEvent>, used: &mut [u32; 4]| {
        for event in events {
            match event {
                PortEvent::Fault(fault) => *seen.entry(fault).or_insert(0) += 1,
                PortEvent::Passed(command) => {
                    let PassedCommand { target, octets, good } = &command;
                    used[usize::from(target.vc)] += command.cells();
                    assert!(octets.len() <= 320, "more than the largest command");
                    if *good {
                        passed += 1;
                        assert_eq!(needed(octets), Some(octets.len()), "{octets:02X?}");
                        assert!(target.destination < PEERS && target.destination != OWN);
                        assert!(partitions.contains(&target.partition));
                    }
                }
            }
        }
    };
    for _ in 0..count(100_000, 1_000_000) {
        let vc = random.random_range(0..4);
        let cells = random.random_range(0..3);
        port.give(vc, cells);
        given[usize::from(vc)] += cells;
        for (target, word) in stream(&mut random) {
            look(port.word(target, word), &mut used);
        }
    }
    // A right command ends what is open, and passes.
    let target = CommandTarget { destination: 3, vc: 2, partition: 2 };
    port.give(2, 1);
    given[2] += 1;
    let events = port.word(target, barrier());
    let is_whole = |event: &PortEvent| matches!(event, PortEvent::Passed(PassedCommand { octets, good: true, .. }) if octets.len() == 2);
    assert!(events.iter().any(is_whole), "{events:?}");
    look(events, &mut used);
    for vc in 0..4u8 {
        let at = usize::from(vc);
        assert_eq!(port.credits(vc) + used[at], given[at], "credits of VC {vc}");
    }
    println!("{passed} commands passed; faults {seen:?}");
    assert!(passed > 5_000);
    for fault in [CommandFault::Bad, CommandFault::Unfinished, CommandFault::Stray, CommandFault::Overrun] {
        assert!(seen.get(&fault).is_some_and(|times| *times > 100), "{fault:?}: {seen:?}");
    }
}

/// Every partition, allowed and not: at the sender's interface, in the header, at the receiver.
#[test]
fn all_partitions_pass_or_not_as_the_table_says() {
    let mut random = random("all_partitions_pass_or_not_as_the_table_says");
    let half: BTreeSet<u16> = (0..1024).filter(|_| random.random()).collect();
    let other: BTreeSet<u16> = (0..1024).filter(|partition| !half.contains(partition)).collect();
    for table in [half, other, BTreeSet::new(), (0..1024).collect()] {
        let rules = CommandRules {
            types: TypeTable::default(),
            own: OWN,
            peers: PEERS,
            partitions: Some(table.clone()),
        };
        let mut port = CommandPort::new(rules);
        port.give(0, 1024);
        let mut receiver = Receiver::<16>::new(ReceiverConfig::default()).expect("valid");
        let key = ConnectionKey { port: 0, peer: 3, vc: 0 };
        for partition in 0..1024 {
            let is_allowed = table.contains(&partition);
            let events = port.word(CommandTarget { destination: 3, vc: 0, partition }, barrier());
            let is_good = matches!(events.last(), Some(PortEvent::Passed(command)) if command.good);
            assert_eq!(is_good, is_allowed, "partition {partition} at the sender");
            let header = ReliabilityHeader {
                operation: Operation::None,
                source: 3,
                psn: partition,
                vc: 0,
                partition,
                acknowledged: 0,
            };
            let octets = header.encode().expect("ten bits");
            let header = ReliabilityHeader::decode(&octets).expect("a header");
            let check = match table.contains(&header.partition) {
                true => BodyCheck::Good,
                false => BodyCheck::Partition,
            };
            let psn = Psn::new(header.psn);
            let verdict = receiver.receive(key, psn, Room::Free, check, 0);
            let wanted = if is_allowed { Verdict::Accepted } else { Verdict::PartitionViolation };
            assert_eq!((verdict, header.partition), (wanted, partition), "at the receiver, its PSN consumed");
        }
        let beyond = ReliabilityHeader {
            operation: Operation::None,
            source: 3,
            psn: 0,
            vc: 0,
            partition: 1024,
            acknowledged: 0,
        };
        assert!(beyond.encode().is_err());
    }
}
