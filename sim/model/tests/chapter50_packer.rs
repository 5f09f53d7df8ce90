//! Chapter 50, 4.3 and section 9 point 5: the packer against rules checked here, and E13.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::chapter50_channel::seed;
use flitforge_model::sue::{
    Command, CommandError, ConfigError, Flush, Gate, PackedBody, Packer, PackerConfig, QueueKey, CMD_MAX,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

fn command(destination: u16, vc: u8, bytes: u32, id: u64) -> Command {
    Command { destination, vc, partition: 1, bytes, flush: Flush::No, id }
}

fn packer(pack_max: u32, weights: &[u8]) -> Packer {
    let config = PackerConfig { pack_max, weights: weights.to_vec(), ..PackerConfig::default() };
    Packer::new(config).expect("a good configuration")
}

fn with(pack_max: u32, commands: &[Command]) -> Packer {
    let mut packer = packer(pack_max, &[1, 1, 1, 1]);
    commands.iter().for_each(|&command| packer.arrive(command).expect("a good command"));
    packer
}

fn open(_: QueueKey, _: u32) -> Gate {
    Gate::Open { port: 0 }
}

fn ids(body: &PackedBody) -> Vec<u64> {
    body.commands.iter().map(|command| command.id).collect()
}

/// All bodies until nothing is left.
fn drain(packer: &mut Packer) -> Vec<Vec<u64>> {
    std::iter::from_fn(|| packer.build(open)).map(|body| ids(&body)).collect()
}

#[test]
fn e13_commands_of_one_destination_share_a_body() {
    // A to E are 1 to 5
    let arrivals = [(1, 1), (2, 2), (3, 3), (4, 4), (3, 5)];
    let mut packer = with(2048, &arrivals.map(|(xpu, id)| command(xpu, 0, 48, id)));
    assert_eq!(drain(&mut packer), [vec![1], vec![2], vec![3, 5], vec![4]]);
    assert_eq!((packer.histogram()[0], packer.histogram()[1], packer.is_empty()), (3, 1, true));
}

#[test]
fn a_body_ends_at_the_limit_the_partition_and_a_flush() {
    let mut packer = with(400, &[0, 1, 2, 3].map(|id| command(1, 0, 200, id)));
    packer.arrive(command(1, 0, 202, 4)).expect("a good command");
    assert_eq!(drain(&mut packer), [vec![0, 1], vec![2, 3], vec![4]], "400 fit, 402 do not");
    let other = |id| Command { partition: 2, ..command(1, 0, 20, id) };
    let mut packer = with(400, &[command(1, 0, 20, 0), other(1), other(2), command(1, 0, 20, 3)]);
    let bodies: Vec<_> = std::iter::from_fn(|| packer.build(open)).collect();
    assert_eq!(bodies.iter().map(|body| body.partition).collect::<Vec<_>>(), [1, 2, 1]);
    assert_eq!(bodies.iter().map(ids).collect::<Vec<_>>(), [vec![0], vec![1, 2], vec![3]]);
    let flush = Command { flush: Flush::Yes, ..command(1, 0, 20, 1) };
    let mut packer = with(400, &[command(1, 0, 20, 0), flush, command(1, 0, 20, 2)]);
    assert_eq!(drain(&mut packer), [vec![0, 1], vec![2]]);
}

#[test]
fn a_flush_moves_its_queue_to_the_head_of_its_list() {
    let flush = |xpu, vc, id| Command { flush: Flush::Yes, ..command(xpu, vc, 20, id) };
    let mut packer = with(400, &[1, 2, 3].map(|xpu| command(xpu, 0, 20, xpu.into())));
    packer.arrive(flush(3, 0, 30)).expect("a good command");
    assert_eq!(packer.list(0).map(|key| key.destination).collect::<Vec<_>>(), [3, 1, 2]);
    packer.arrive(flush(2, 1, 31)).expect("another VC");
    assert_eq!(packer.list(0).map(|key| key.destination).collect::<Vec<_>>(), [3, 1, 2]);
    assert_eq!(packer.build(open).map(|body| ids(&body)), Some(vec![3, 30]));
    // it comes while its queue is parked: at the head when the window opens
    let parked = QueueKey { destination: 1, vc: 0 };
    let gate = |key, _| if key == parked { Gate::WindowClosed } else { Gate::Open { port: 0 } };
    assert_eq!(packer.build(gate).map(|body| ids(&body)), Some(vec![31]));
    assert_eq!(packer.build(gate).map(|body| ids(&body)), Some(vec![2]));
    packer.arrive(flush(1, 0, 32)).expect("a good command");
    packer.arrive(command(2, 0, 20, 33)).expect("a good command");
    packer.window_opened(parked);
    assert_eq!(packer.list(0).map(|key| key.destination).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn commands_that_come_during_a_build_join_it_as_far_as_they_fit() {
    let mut packer = with(400, &[command(1, 0, 100, 0), command(2, 0, 100, 1)]);
    assert_eq!(packer.start(open), Some(QueueKey { destination: 1, vc: 0 }));
    assert_eq!(packer.start(open), None, "one body at a time");
    for id in 10..14 {
        packer.arrive(command(1, 0, 100, id)).expect("a good command");
    }
    assert_eq!(packer.close().map(|body| ids(&body)), Some(vec![0, 10, 11, 12]));
    assert_eq!(packer.close(), None);
    // what is left has gone to the tail
    assert_eq!(drain(&mut packer), [vec![1], vec![13]]);
}

#[test]
fn a_closed_window_parks_its_queue_and_delays_no_other() {
    let mut packer = with(400, &[1, 2, 3].map(|xpu| command(xpu, 0, 20, xpu.into())));
    let blocked = QueueKey { destination: 1, vc: 0 };
    let gate = |key, _| if key == blocked { Gate::WindowClosed } else { Gate::Open { port: 0 } };
    assert_eq!(packer.build(gate).map(|body| ids(&body)), Some(vec![2]));
    packer.arrive(command(1, 0, 20, 10)).expect("a good command");
    packer.arrive(command(2, 0, 20, 20)).expect("a good command");
    let listed: Vec<_> = packer.list(0).map(|key| key.destination).collect();
    assert_eq!(listed, [3, 2], "parked, and not listed by a new command");
    packer.window_opened(blocked);
    packer.window_opened(blocked);
    assert_eq!(drain(&mut packer), [vec![3], vec![2 * 10], vec![1, 10]], "at the tail, once");
}

#[test]
fn a_blocked_class_blocks_its_vc_at_its_port_only() {
    let commands =
        [(1, 0), (2, 0), (3, 0), (1, 1)].map(|(xpu, vc)| (xpu, vc, u64::from(xpu) * 10 + u64::from(vc)));
    let mut packer = with(400, &commands.map(|(xpu, vc, id)| command(xpu, vc, 20, id)));
    // XPUs 1 and 2 by port 0, XPU 3 by port 1; VC 0 is out of credit at port 0
    let gate = |key: QueueKey, _| match (key.destination, key.vc) {
        (1, 0) => Gate::ClassBlocked { port: 0 },
        (3, _) => Gate::Open { port: 1 },
        _ => Gate::Open { port: 0 },
    };
    let sent: Vec<_> =
        std::iter::from_fn(|| packer.build(gate)).map(|body| (body.port, ids(&body))).collect();
    assert_eq!(sent, [(1, vec![30]), (0, vec![11])]);
    let order: Vec<_> = packer.list(0).map(|key| key.destination).collect();
    assert_eq!(order, [1, 2], "they keep their places");
    let mut asked = Vec::new();
    packer.build(|key, bytes| {
        asked.push((key.destination, bytes));
        Gate::NoSlot
    });
    assert!(
        asked.contains(&(1, 20)) && asked.contains(&(2, 20)),
        "no slot: each keeps its place, none parks"
    );
    assert_eq!(drain(&mut packer), [vec![10], vec![20]]);
}

#[test]
fn the_gate_is_asked_for_no_more_than_the_limit() {
    let mut packer = with(400, &[0, 1, 2].map(|id| command(1, 0, 300, id)));
    let mut asked = Vec::new();
    let mut gate = |_: QueueKey, bytes| {
        asked.push(bytes);
        Gate::Open { port: 0 }
    };
    while packer.build(&mut gate).is_some() {}
    assert_eq!(asked, [400, 400, 300]);
}

/// In every round of a busy packer each VC has its weight; one that has nothing gives its share away at once.
#[test]
fn weighted_round_robin_by_bodies() {
    let weights = [1, 2, 5, 255];
    let mut packer = packer(320, &weights);
    for id in 0..600 {
        for vc in 0..4 {
            packer.arrive(command(id as u16 % 3, vc, CMD_MAX, id)).expect("a good command");
        }
    }
    let round: usize = weights.iter().map(|&weight| usize::from(weight)).sum();
    let vcs: Vec<_> = (0..2 * round).map(|_| packer.build(open).expect("busy").queue.vc).collect();
    for (vc, &weight) in (0..).zip(&weights) {
        for part in vcs.chunks(round) {
            assert_eq!(part.iter().filter(|&&other| other == vc).count(), usize::from(weight), "VC {vc}");
        }
        // within one PDU per round, wherever the round is cut
        for start in 0..round {
            let share = vcs[start..start + round].iter().filter(|&&other| other == vc).count();
            assert!(share.abs_diff(usize::from(weight)) <= 1, "VC {vc} from {start}: {share}");
        }
    }
    let gate = |key: QueueKey, _| if key.vc == 0 { Gate::Open { port: 0 } } else { Gate::NoSlot };
    assert!((0..100).all(|_| packer.build(gate).is_some()), "the others are skipped at once");
}

/// What the random runs know by themselves: the commands of each queue in order of arrival.
struct Watch {
    waiting: BTreeMap<QueueKey, Vec<Command>>,
    /// Bodies of a VC since a queue was last served, for those that wait.
    passed: BTreeMap<QueueKey, usize>,
}

impl Watch {
    /// Rule 4 for a body without arrivals during the build: the longest prefix that the rules allow.
    fn check(&mut self, body: &PackedBody, pack_max: u32) {
        let waiting = self.waiting.get_mut(&body.queue).expect("it has a queue");
        let mut length = 1;
        while length < waiting.len()
            && waiting[..=length].iter().map(|command| command.bytes).sum::<u32>() <= pack_max
            && waiting[length].partition == waiting[0].partition
            && waiting[length - 1].flush == Flush::No
        {
            length += 1;
        }
        let expected: Vec<_> = waiting.drain(..length).collect();
        assert_eq!(body.commands, expected);
        assert_eq!(body.bytes, expected.iter().map(|command| command.bytes).sum::<u32>());
        self.passed.insert(body.queue, 0);
    }
}

/// Rules 1 to 6 with random arrivals and windows; a queue that is never blocked waits for each other queue of its VC
/// once at most, unless flushes come between.
#[test]
fn random_commands_are_packed_by_the_rules() {
    let mut random = ChaCha8Rng::seed_from_u64(seed());
    for pack_max in [320, 512, 2048, 4096] {
        let flushes = pack_max != 512;
        let mut packer = packer(pack_max, &[1, 3, 2, 1]);
        let mut watch = Watch { waiting: BTreeMap::new(), passed: BTreeMap::new() };
        let mut blocked: Vec<QueueKey> = Vec::new();
        let (mut built, mut arrived) = (0, 0);
        for id in 0..60_000 {
            for _ in 0..random.random_range(0..6) {
                let flush = if flushes && random.random_bool(0.05) { Flush::Yes } else { Flush::No };
                let bytes = 2 * random.random_range(1..=CMD_MAX / 2);
                let (destination, vc) = (random.random_range(0..8), random.random_range(0..4));
                let partition = random.random_range(0..2);
                let one = Command { destination, vc, partition, bytes, flush, id };
                packer.arrive(one).expect("a good command");
                watch.waiting.entry(QueueKey { destination, vc }).or_default().push(one);
                arrived += 1;
            }
            if random.random_bool(0.1) {
                blocked.drain(..).for_each(|key| packer.window_opened(key));
            }
            if random.random_bool(0.1) {
                // destination 0 is never blocked
                blocked
                    .push(QueueKey { destination: random.random_range(1..8), vc: random.random_range(0..4) });
            }
            let gate =
                |key, _| if blocked.contains(&key) { Gate::WindowClosed } else { Gate::Open { port: 0 } };
            let ready =
                watch.waiting.iter().any(|(key, waiting)| !waiting.is_empty() && !blocked.contains(key));
            let body = packer.build(gate);
            assert_eq!(body.is_some(), ready, "an eligible queue never waits");
            let Some(body) = body else { continue };
            watch.check(&body, pack_max);
            built += 1;
            let free = QueueKey { destination: 0, vc: body.queue.vc };
            let waits = watch.waiting.get(&free).is_some_and(|waiting| !waiting.is_empty());
            let passed = watch.passed.entry(free).or_default();
            *passed = if waits && body.queue != free { *passed + 1 } else { 0 };
            assert!(flushes || *passed <= 7, "{free:?} is passed by the seven others once at most");
        }
        println!("PACK_MAX {pack_max}: {arrived} commands in {built} bodies so far");
        assert!(built > 50_000);
    }
}

/// Section 9 point 5: a backlog needs at least ceil(bytes / limit) bodies, and what never fits two to a body one each.
#[test]
fn the_number_of_bodies_has_its_bounds() {
    for (pack_max, bytes, count) in
        [(2048, 64_u32, 1000_u32), (2048, 320, 999), (4096, 2, 9999), (320, 162, 77)]
    {
        let mut packer = packer(pack_max, &[1]);
        (0..count).for_each(|id| packer.arrive(command(1, 0, bytes, id.into())).expect("a good command"));
        let bodies = drain(&mut packer).len() as u32;
        assert!(bodies >= (count * bytes).div_ceil(pack_max));
        assert_eq!(
            bodies,
            count.div_ceil(pack_max / bytes),
            "equal commands: {pack_max} / {bytes} to a body"
        );
    }
}

#[test]
fn bad_commands_and_settings_are_refused() {
    let mut packer = packer(2048, &[1, 1]);
    for bytes in [0, 3, 321, 322] {
        assert_eq!(packer.arrive(command(1, 0, bytes, 0)), Err(CommandError::Length { bytes }));
    }
    assert_eq!(packer.arrive(command(1, 2, 2, 0)), Err(CommandError::Vc { vc: 2 }));
    assert_eq!(packer.arrive(command(64, 0, 2, 0)), Err(CommandError::Destination { destination: 64 }));
    assert!(packer.is_empty() && packer.build(open).is_none());
    let refused = |pack_max, weights: &[u8]| {
        Packer::new(PackerConfig { pack_max, weights: weights.to_vec(), peers: 64 }).err()
    };
    assert_eq!(refused(318, &[1]), Some(ConfigError::PackMax { pack_max: 318, min: 320, max: 4096 }));
    assert_eq!(refused(4097, &[1]), Some(ConfigError::PackMax { pack_max: 4097, min: 320, max: 4096 }));
    assert_eq!(refused(2048, &[1, 0]), Some(ConfigError::Weight));
    assert_eq!(refused(2048, &[1; 5]), Some(ConfigError::Vcs { vcs: 5 }));
}
