use super::*;
use crate::flit::Flit;
use crate::packet::{Header, Packet};
use flitforge_protocol::flit::{vl_mrkr, FlitKind, Opcode};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// Packets of one lane as beats of `f` flits, padded with Idle after the tail.
fn beats(packet: &Packet, f: usize) -> Vec<Vec<Flit>> {
    let mut flits = packet.encode().expect("a packet");
    flits.resize(flits.len().next_multiple_of(f), Flit::IDLE);
    flits.chunks(f).map(<[Flit]>::to_vec).collect()
}

fn packet(vl: usize, bytes: usize, tag: u16) -> Packet {
    let payload = (0..bytes).map(|byte| byte as u8 ^ tag as u8).collect();
    Packet { header: Header { vl: vl as u8, ..Header::default() }, payload, tag }
}

fn offer(beat: &[Flit]) -> Offer {
    let has = |kind| beat.iter().any(|flit| flit.kind() == kind);
    Offer { head: has(FlitKind::Head), tail: has(FlitKind::Tail) }
}

fn marker(vl: usize, f: usize) -> Vec<Flit> {
    let mut beat = vec![Flit::IDLE; f];
    beat[0] = Flit::control(Opcode::VlMrkr, vl_mrkr::vl::FIELD.set(0, vl as u64) as u64);
    beat
}

fn rules(lanes: &[(u8, bool, bool)]) -> InterleaveRules {
    let lanes = lanes.iter().map(|&(priority, preempt, bubble)| VlRules { priority, preempt, bubble });
    InterleaveRules { lanes: lanes.collect(), min_run: 4, age: 0 }
}

const HEAD: Option<Offer> = Some(Offer { head: true, tail: false });
const BODY: Option<Offer> = Some(Offer { head: false, tail: false });
const TAIL: Option<Offer> = Some(Offer { head: false, tail: true });

/// Random packets on all lanes through interleaver and receiver: each lane's packets arrive whole and in order, the two
/// stacks are equal all the time, and nobody sees an error.
#[test]
fn every_lane_arrives_in_order_whatever_the_rules() {
    let mut deepest = 0;
    for seed in 0..60 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let lanes = if seed % 3 == 0 { MAX_VLS } else { random.random_range(1..=MAX_VLS) };
        let f = [1, 2, 4][random.random_range(0..3)];
        let rules = InterleaveRules {
            lanes: (0..lanes)
                .map(|_| VlRules {
                    priority: random.random_range(0..=15),
                    preempt: random.random(),
                    bubble: random.random(),
                })
                .collect(),
            min_run: random.random_range(0..8),
            age: [0, 1, 10, 100][random.random_range(0..4)],
        };
        let mut sender = VlSender::new(rules).expect("rules");
        let mut receiver = VlReceiver::new(lanes, f, f).expect("receiver");
        let mut beatwise = VlBeatReceiver::new(lanes, f).expect("receiver");
        let mut queues: Vec<VecDeque<Vec<Flit>>> = vec![VecDeque::new(); lanes];
        let (mut sent, mut got) = (vec![vec![]; lanes], vec![vec![]; lanes]);
        for clock in 0..3_000_u16 {
            for (vl, queue) in queues.iter_mut().enumerate() {
                if queue.len() < 4 && random.random_bool(0.05) && clock < 2_000 {
                    queue.extend(beats(&packet(vl, random.random_range(0..90), clock), f));
                }
            }
            let there = random.random_bool(0.5);
            let offers: Vec<Option<Offer>> = queues
                .iter()
                .map(|queue| {
                    queue.front().filter(|_| there || random.random_bool(0.7)).map(|beat| offer(beat))
                })
                .collect();
            let beat = match sender.step(&offers).expect("legal offers") {
                None => continue,
                Some(Grant::Marker(vl)) => marker(vl, f),
                Some(Grant::Beat(vl)) => {
                    let beat = queues[vl].pop_front().expect("offered");
                    sent[vl].push(beat.clone());
                    beat
                }
            };
            let received = receiver.step(&beat).expect("a beat");
            assert_eq!((received.errors, received.tossed.len()), (0, 0), "seed {seed}");
            assert_eq!(
                beatwise.step(&beat).map(|beat| flitwise(&beat, f)),
                Ok(received.clone()),
                "seed {seed}"
            );
            let stack: Vec<Option<usize>> = sender.stack().iter().map(|vl| Some(*vl)).collect();
            assert_eq!(receiver.stack(), stack, "seed {seed}");
            deepest = deepest.max(stack.len());
            if let Some(vl) = received.vl {
                got[vl].push(received.flits);
            }
        }
        assert_eq!(got, sent, "seed {seed}");
        assert!(queues.iter().all(VecDeque::is_empty), "seed {seed}: a lane starved");
    }
    assert_eq!(deepest, MAX_VLS, "the deepest stack is reached");
}

#[test]
fn a_lane_of_higher_priority_waits_one_beat_and_equal_ones_do_not_preempt() {
    let mut sender =
        VlSender::new(rules(&[(3, true, true), (3, true, true), (7, true, true)])).expect("rules");
    assert_eq!(sender.step(&[HEAD, None, None]), Ok(Some(Grant::Beat(0))));
    assert_eq!(sender.step(&[BODY, HEAD, None]), Ok(Some(Grant::Beat(0))), "equal PRIO");
    assert_eq!(sender.step(&[BODY, HEAD, HEAD]), Ok(Some(Grant::Beat(2))), "a new packet needs no marker");
    assert_eq!(sender.stack(), [0, 2]);
    // Lane 2 has nothing: lane 0 comes back by marker and is preempted again.
    assert_eq!(sender.step(&[BODY, None, None]), Ok(Some(Grant::Marker(0))));
    assert_eq!(sender.stack(), [2, 0]);
    assert_eq!(sender.step(&[BODY, None, TAIL]), Ok(Some(Grant::Marker(2))));
    assert_eq!(sender.step(&[BODY, None, TAIL]), Ok(Some(Grant::Beat(2))));
    assert_eq!(sender.step(&[BODY, None, None]), Ok(Some(Grant::Beat(0))), "current again without a marker");
}

#[test]
fn a_filler_keeps_its_place_for_min_run_beat_times() {
    let mut sender =
        VlSender::new(rules(&[(0, false, true), (0, false, true), (9, true, true)])).expect("rules");
    sender.step(&[HEAD, None, None]).expect("legal");
    assert_eq!(sender.step(&[None, HEAD, None]), Ok(Some(Grant::Beat(1))), "a bubble is filled");
    for _ in 0..3 {
        assert_eq!(sender.step(&[BODY, None, None]), Ok(None), "lane 1 keeps its place");
    }
    assert_eq!(sender.clone().step(&[BODY, None, HEAD]), Ok(Some(Grant::Beat(2))), "but for a preemption");
    assert_eq!(sender.step(&[BODY, None, None]), Ok(Some(Grant::Marker(0))));
    // A lane without BUBBLE fills nothing.
    let mut sender = VlSender::new(rules(&[(0, false, true), (0, true, false)])).expect("rules");
    sender.step(&[HEAD, None]).expect("legal");
    assert_eq!(sender.step(&[None, HEAD]), Ok(None));
}

#[test]
fn ageing_bounds_what_a_lane_waits() {
    let lanes = [(14, true, true), (0, false, false), (15, true, true)];
    let run = |age: u16| {
        let mut sender = VlSender::new(InterleaveRules { age, ..rules(&lanes) }).expect("rules");
        let mut begun = [false; 3];
        (0..1000)
            .filter(|clock| {
                // Lanes 0 and 1 always have a beat, the management lane every eighth.
                let has = [true, true, clock % 8 == 0];
                let offers: Vec<Option<Offer>> =
                    (0..3).map(|vl| has[vl].then_some(Offer { head: !begun[vl], tail: false })).collect();
                let grant = sender.step(&offers).expect("legal");
                if let Some(Grant::Beat(vl)) = grant {
                    begun[vl] = true;
                }
                grant == Some(Grant::Beat(1))
            })
            .count()
    };
    assert_eq!(run(0), 0, "without ageing lane 1 starves");
    // Two beats after every 50 of waiting, but for what the management lane and markers take: an age counts up to the beat time after the first.
    assert!((2 * 1000 / 58..=2 * 1000 / 50).contains(&run(50)), "{}", run(50));
}

/// Lanes that always have something: random packets, every offer held until it is taken.
struct Busy {
    sender: VlSender,
    offers: Vec<Option<Offer>>,
    random: ChaCha8Rng,
}

impl Busy {
    fn new(rules: InterleaveRules, seed: u64) -> Self {
        let offers = vec![None; rules.lanes.len()];
        Busy { sender: VlSender::new(rules).expect("rules"), offers, random: ChaCha8Rng::seed_from_u64(seed) }
    }

    /// A beat time. New offers come with this chance; gives the offers, the top of the stack before, and the grant.
    fn step(&mut self, chance: f64) -> (Vec<Option<Offer>>, Option<usize>, Option<Grant>) {
        for (vl, offer) in self.offers.iter_mut().enumerate() {
            if offer.is_none() && self.random.random_bool(chance) {
                let head = !self.sender.stack().contains(&vl);
                *offer = Some(Offer { head, tail: self.random.random_bool(0.2) });
            }
        }
        let (before, top) = (self.offers.clone(), self.sender.stack().last().copied());
        let grant = self.sender.step(&self.offers).expect("legal");
        if let Some(Grant::Beat(vl)) = grant {
            self.offers[vl] = None;
        }
        (before, top, grant)
    }
}

/// Chapter 10, 9, point 13: whoever may preempt has the place of a lane of lower PRIO at once, and its beat a marker later.
#[test]
fn no_lane_of_higher_priority_waits_more_than_one_beat() {
    let mut waited = 0;
    for seed in 0..100 {
        let mut random = ChaCha8Rng::seed_from_u64(1_000 + seed);
        let lanes: Vec<(u8, bool, bool)> = (0..random.random_range(2..=MAX_VLS))
            .map(|_| (random.random_range(0..=15), random.random_bool(0.8), random.random()))
            .collect();
        let mut busy = Busy::new(rules(&lanes), seed);
        let chance = [0.02, 0.2, 0.6][seed as usize % 3];
        // The lane that is due: it may preempt, and no other that offers has its PRIO.
        let mut due = None;
        for _ in 0..2_000 {
            let (offers, top, grant) = busy.step(chance);
            let place = match grant {
                Some(Grant::Beat(vl) | Grant::Marker(vl)) => Some(lanes[vl].0),
                None => None,
            };
            for vl in (0..lanes.len()).filter(|&vl| offers[vl].is_some()) {
                let may = top.is_none() || lanes[vl].1 && top.is_some_and(|top| lanes[top].0 < lanes[vl].0);
                assert!(!may || place >= Some(lanes[vl].0), "seed {seed}: lane {vl} waits, {grant:?}");
            }
            let best = (0..lanes.len()).filter(|&vl| offers[vl].is_some()).max_by_key(|&vl| lanes[vl].0);
            let alone = best.filter(|&vl| {
                lanes[vl].1
                    && (0..lanes.len())
                        .all(|other| other == vl || offers[other].is_none() || lanes[other].0 < lanes[vl].0)
            });
            let above_top = alone.filter(|&vl| top.is_none_or(|top| top == vl || lanes[top].0 < lanes[vl].0));
            if due.is_some() && due == above_top {
                assert_eq!(grant, due.map(Grant::Beat), "seed {seed}: a second beat of waiting");
                waited += 1;
            }
            due = above_top.filter(|&vl| grant != Some(Grant::Beat(vl)));
        }
    }
    assert!(waited > 1_000, "markers came about {waited} times");
}

/// An aged lane waits for the other aged ones at most, a marker and a beat each; without ageing it waits for ever.
#[test]
fn no_lane_waits_longer_than_age_and_a_turn_of_all() {
    let longest = |age: u16, seed: u64| {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let lanes: Vec<(u8, bool, bool)> = (0..random.random_range(2..=MAX_VLS))
            .map(|_| (random.random_range(0..15), random.random(), random.random()))
            .collect();
        let mut busy = Busy::new(InterleaveRules { age, ..rules(&lanes) }, seed);
        let (mut waits, mut longest) = (vec![0u16; lanes.len()], 0);
        for _ in 0..4_000 {
            let (offers, _, grant) = busy.step(0.9);
            for (vl, wait) in waits.iter_mut().enumerate() {
                let waits_on = offers[vl].is_some() && grant != Some(Grant::Beat(vl));
                *wait = if waits_on { *wait + 1 } else { 0 };
                longest = longest.max(*wait);
            }
        }
        (longest, age + 2 * lanes.len() as u16)
    };
    let mut aged = 0;
    for seed in 0..60 {
        let age = [50, 100, 400][seed as usize % 3];
        let (longest, bound) = longest(age, seed);
        assert!(longest <= bound, "seed {seed}: {longest} beat times, at most {bound}");
        aged += u32::from(longest >= age);
    }
    assert!(aged > 20, "ageing came about in {aged} of 60 runs");
    assert!((0..6).any(|seed| longest(0, seed).0 > 1_000), "without ageing a lane starves");
}

#[test]
fn impossible_settings_and_offers_are_refused() {
    assert_eq!(VlSender::new(rules(&[])).err(), Some(VlError::Lanes { lanes: 0 }));
    assert_eq!(VlSender::new(rules(&[(0, true, true); 17])).err(), Some(VlError::Lanes { lanes: 17 }));
    assert_eq!(
        VlSender::new(rules(&[(16, true, true)])).err(),
        Some(VlError::Priority { vl: 0, priority: 16 })
    );
    let mut sender = VlSender::new(rules(&[(0, true, true)])).expect("rules");
    assert_eq!(sender.step(&[BODY]), Err(VlError::OutOfOrder { vl: 0 }));
    assert_eq!(sender.step(&[]), Err(VlError::Offers { found: 0, expected: 1 }));
    sender.step(&[HEAD]).expect("legal");
    assert_eq!(sender.step(&[HEAD]), Err(VlError::OutOfOrder { vl: 0 }));
    assert_eq!(VlReceiver::new(4, 4, 2).err(), Some(VlError::Group { flits: 4, group: 2 }));
    assert_eq!(VlReceiver::new(4, 3, 4).err(), Some(VlError::Group { flits: 3, group: 4 }));
}

/// What one flit per beat does to four lanes; the flits in order, then (lane, errors, tossed) of each.
fn outcome(flits: &[Flit]) -> Vec<(Option<usize>, usize, usize)> {
    let mut receiver = VlReceiver::new(4, 1, 1).expect("receiver");
    flits
        .iter()
        .map(|flit| {
            let received = receiver.step(&[*flit]).expect("a beat");
            (received.vl, received.errors, received.tossed.iter().map(|(_, flits)| flits).sum())
        })
        .collect()
}

/// Every illegal sequence of chapter 10, 4.9.
#[test]
fn every_illegal_sequence_is_flagged_and_ends_with_its_packet() {
    let good = packet(2, 8, 1).encode().expect("a packet");
    let [head, body, tail] = good[..] else { panic!("three flits") };
    let (fine, toss, bad) = ((Some(2), 0, 0), (None, 0, 1), (Some(2), 1, 0));
    let unknown = (None, 1, 0);
    // Body and tail with an empty stack.
    assert_eq!(outcome(&[body, tail, head, body, tail]), [unknown, unknown, fine, fine, fine]);
    // A head of an open lane ends its packet; all up to the next legal head is tossed.
    let seen = outcome(&[head, body, head, body, tail, head, body, tail]);
    assert_eq!(seen, [fine, fine, bad, toss, toss, fine, fine, fine]);
    // A marker of a lane that is not open.
    let mark = marker(3, 1)[0];
    assert_eq!(outcome(&[mark, body, tail, head]), [unknown, toss, toss, fine]);
    // A lane that is not built: there is no credit to give back.
    let other = packet(9, 8, 1).encode().expect("a packet");
    assert_eq!(outcome(&other), [unknown, (None, 0, 0), (None, 0, 0)]);
    // Flits missing and too many, a wrong copy of the length.
    assert_eq!(outcome(&[head, tail]), [fine, bad]);
    assert_eq!(outcome(&[head, body, body, tail]), [fine, fine, fine, bad]);
    let long = packet(2, 16, 1).encode().expect("a packet");
    assert_eq!(outcome(&[head, body, long[3]]), [fine, fine, bad]);
    // A bad packet has no length to compare, but its own copy of a good tail is passed on.
    let ends = Flit::control(Opcode::TailBad, 0x0204);
    assert_eq!(outcome(&[head, ends, head, body, tail]), [fine, fine, fine, fine, fine]);
}

#[test]
fn groups_longer_than_a_beat_begin_with_their_head() {
    let good = packet(2, 8, 1).encode().expect("a packet");
    let mut receiver = VlReceiver::new(4, 2, 4).expect("receiver");
    let mut step = |flits: [Flit; 2]| receiver.step(&flits).expect("a beat");
    // Slot 2 of a group is no place for a head.
    assert_eq!(step([Flit::IDLE; 2]).errors, 0);
    let received = step([good[0], good[1]]);
    assert_eq!((received.vl, received.errors, received.tossed), (None, 1, vec![(2, 2)]));
    assert_eq!(step([good[2], Flit::IDLE]).tossed, [(2, 1)]);
    // After the tail the group has ended, in the next beat too.
    assert_eq!(step([Flit::IDLE; 2]).errors, 0);
    assert_eq!(step([good[0], good[1]]).vl, Some(2));
    assert_eq!(step([good[2], good[1]]).errors, 1);
    assert_eq!(step([good[0], good[1]]).errors, 0);
    assert_eq!(step([good[2], Flit::IDLE]).errors, 0);
}

/// What the beat-wise receiver says, in the words of the other one; it counts at most one error.
fn flitwise(received: &BeatReceived, f: usize) -> Received {
    let idle = vec![Flit::IDLE; f];
    let delivered = received.delivered.as_ref();
    Received {
        vl: delivered.map(|beat| beat.vl),
        flits: delivered.map_or(idle, |beat| beat.beat.clone()),
        tossed: received
            .came
            .iter()
            .filter(|came| came.tossed > 0)
            .map(|came| (came.vl, came.tossed))
            .collect(),
        errors: received.error.into(),
    }
}

/// A beat whose flits stand as in a sender's, but that may come at any time.
fn stray_beat(random: &mut ChaCha8Rng, f: usize, lanes: usize) -> Vec<Flit> {
    let vl = random.random_range(0..lanes + 2).min(MAX_VLS - 1);
    let good = packet(vl, random.random_range(0..20), random.random()).encode().expect("a packet");
    let bad_head = Flit::control(Opcode::HeadBad, (vl as u64) << 32 | 2 << 40);
    let head = if random.random_bool(0.8) { good[0] } else { bad_head };
    let body = [Flit::body(random.random()), Flit::control(Opcode::BodyBad, 2)][random.random_range(0..2)];
    let tail = [*good.last().expect("a tail"), Flit::control(Opcode::TailBad, 2)][random.random_range(0..2)];
    let mut beat = match random.random_range(0..6) {
        0 => return marker(random.random_range(0..lanes + 1), f),
        1 => return vec![Flit::IDLE; f],
        2 | 3 => vec![head],
        _ => vec![],
    };
    let bodies = if random.random() { f - beat.len() } else { random.random_range(0..=f - beat.len()) };
    beat.extend(vec![body; bodies]);
    if beat.len() < f {
        beat.push(tail);
    }
    beat.resize(f, Flit::IDLE);
    beat
}

/// Chapter 10, 4.9: flit by flit and beat by beat are the same while beats are composed as 3.4 asks, in whatever order they come.
#[test]
fn beats_in_any_order_are_what_their_flits_are() {
    let (mut delivered, mut tossed, mut wrong) = (0, 0, 0);
    for seed in 0..60 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let (lanes, f) = ([1, 2, 4, 16][seed as usize % 4], [1, 2, 4][seed as usize % 3]);
        let mut receiver = VlReceiver::new(lanes, f, f).expect("receiver");
        let mut beatwise = VlBeatReceiver::new(lanes, f).expect("receiver");
        let mut queue = VecDeque::new();
        for clock in 0..3_000_u16 {
            // Whole packets, and between them beats of none.
            if queue.is_empty() {
                let vl = random.random_range(0..lanes);
                queue.extend(beats(&packet(vl, random.random_range(0..60), clock), f));
            }
            let beat = match random.random_range(0..4) {
                0 => stray_beat(&mut random, f, lanes),
                _ => queue.pop_front().expect("a beat"),
            };
            let mut expected = receiver.step(&beat).expect("a beat");
            let found = beatwise.step(&beat).expect("a beat");
            expected.errors = expected.errors.min(1);
            delivered += u32::from(expected.vl.is_some());
            tossed += expected.tossed.len();
            wrong += expected.errors;
            assert_eq!(flitwise(&found, f), expected, "seed {seed}, clock {clock}: {beat:?}");
            assert_eq!(beatwise.stack(), receiver.stack(), "seed {seed}, clock {clock}");
            // Every packet flit of a built lane is delivered or tossed.
            if let Some(came) = found.came {
                let kept = found.delivered.map_or(0, |beat| beat.flits);
                assert_eq!(came.flits, kept + came.tossed, "seed {seed}, clock {clock}");
                assert_eq!(
                    came.opens,
                    matches!(beat[0].kind(), FlitKind::Head) || beat[0].opcode() == Some(Opcode::HeadBad)
                );
            }
        }
    }
    assert!(delivered > 10_000 && tossed > 5_000 && wrong > 5_000, "{delivered} {tossed} {wrong}");
}

/// Beats that 3.4 does not allow are an error of the lane on top with them; it ends at once.
#[test]
fn a_beat_of_illegal_composition_ends_the_packet_of_its_lane() {
    let open = packet(1, 40, 1).encode().expect("a packet");
    let other = packet(2, 8, 1).encode().expect("a packet");
    let [head, body, tail] = other[..] else { panic!("three flits") };
    let (idle, mark) = (Flit::IDLE, marker(1, 1)[0]);
    // Lane, flits, opens, ends and tossed flits.
    type Came = (usize, usize, bool, bool, usize);
    type Case<'a> = ([Flit; 4], Option<usize>, Option<Came>, &'a [usize]);
    // Beat, lane that is ended, what came, stack after it.
    let cases: [Case; 10] = [
        ([body, idle, body, body], Some(1), Some((1, 3, false, false, 2)), &[1]),
        ([idle, body, body, body], Some(1), Some((1, 3, false, false, 2)), &[1]),
        ([body, body, idle, idle], Some(1), Some((1, 2, false, false, 1)), &[1]),
        ([body, tail, body, idle], Some(1), Some((1, 3, false, true, 2)), &[]),
        ([tail, idle, tail, idle], Some(1), Some((1, 2, false, true, 1)), &[]),
        ([body, head, body, tail], Some(1), Some((1, 4, false, true, 3)), &[]),
        ([head, idle, body, tail], None, Some((2, 3, true, true, 3)), &[1]),
        ([head, body, body, idle], None, Some((2, 3, true, false, 3)), &[1, 2]),
        ([mark, body, body, body], Some(1), Some((1, 3, false, false, 2)), &[1]),
        // Without packet flits nothing ends.
        ([mark, mark, idle, idle], None, None, &[1]),
    ];
    for (beat, ended, came, stack) in cases {
        let mut receiver = VlBeatReceiver::new(4, 4).expect("receiver");
        let first = receiver.step(&open[..4]).expect("a beat");
        assert!(first.delivered.is_some_and(|beat| beat.opens && !beat.ends && beat.flits == 4));
        let received = receiver.step(&beat).expect("a beat");
        let cut = ended.is_some();
        let came =
            came.map(|(vl, flits, opens, ends, tossed)| CameFlits { vl, flits, opens, ends, tossed, cut });
        assert_eq!((received.error, received.came), (true, came), "{beat:?}");
        assert_eq!(receiver.stack(), stack.iter().map(|vl| Some(*vl)).collect::<Vec<_>>(), "{beat:?}");
        match (ended, received.delivered) {
            (None, None) => {}
            (Some(vl), Some(came)) => {
                let bad = Flit::control(Opcode::TailBad, (vl as u64) << 8 | 4);
                assert_eq!((came.vl, came.flits, came.opens, came.ends), (vl, 1, false, true));
                assert_eq!(came.beat, [bad, idle, idle, idle]);
            }
            other => panic!("{beat:?}: {other:?}"),
        }
        // Lane 1 goes on only if its packet did not end.
        let rest = receiver.step(&[body; 4]).expect("a beat");
        assert_eq!(rest.delivered.is_some(), ended.is_none() && stack == [1], "{beat:?}");
    }
    assert_eq!(VlBeatReceiver::new(17, 2).err(), Some(VlError::Lanes { lanes: 17 }));
    assert_eq!(VlBeatReceiver::new(4, 3).err(), Some(VlError::Group { flits: 3, group: 3 }));
    let mut receiver = VlBeatReceiver::new(4, 2).expect("receiver");
    assert_eq!(receiver.step(&[idle]), Err(VlError::Group { flits: 1, group: 2 }));
}

#[test]
fn a_flit_that_became_idle_counts_for_the_packet_it_stands_in() {
    let open = beats(&packet(1, 64, 0), 2);
    let (head, tail) = (beats(&packet(2, 64, 1), 1)[0][0], beats(&packet(1, 64, 0), 1)[9][0]);
    let (idle, mark, body) = (Flit::IDLE, marker(1, 1)[0], Flit::body(7));
    // With lane 1 open or not: beat, slots that became Idle; lane, flits, opens, ends and tossed flits; whether a packet ends.
    type Came = (usize, usize, bool, bool, usize);
    type Case = (bool, [Flit; 2], [bool; 2], Option<Came>, bool);
    let cases: [Case; 10] = [
        (true, [idle, body], [true, false], Some((1, 2, false, false, 1)), true),
        (true, [body, idle], [false, true], Some((1, 2, false, false, 1)), true),
        (true, [idle, tail], [true, false], Some((1, 2, false, true, 1)), true),
        (true, [idle, idle], [true, true], Some((1, 2, false, false, 1)), true),
        (true, [idle, idle], [true, false], Some((1, 1, false, false, 0)), true),
        (true, [head, idle], [false, true], Some((2, 2, true, false, 2)), false),
        // Where no flit of a packet stands, and without a packet.
        (true, [idle, idle], [false, true], None, false),
        (true, [mark, idle], [false, true], None, false),
        (false, [idle, idle], [true, true], None, false),
        (false, [head, idle], [false, true], Some((2, 2, true, false, 2)), false),
    ];
    for (is_open, beat, undefined, came, cut) in cases {
        let mut receiver = VlBeatReceiver::new(4, 2).expect("receiver");
        if is_open {
            receiver.step(&open[0]).expect("a beat");
        }
        let received = receiver.step_with(&beat, &undefined).expect("a beat");
        let came =
            came.map(|(vl, flits, opens, ends, tossed)| CameFlits { vl, flits, opens, ends, tossed, cut });
        assert_eq!((received.error, received.came), (came.is_some(), came), "{beat:?}");
        assert_eq!(received.delivered.is_some_and(|beat| beat.ends), cut, "{beat:?}");
    }
}
