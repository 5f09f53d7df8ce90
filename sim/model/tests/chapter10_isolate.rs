//! Chapter 10, section 9, points 7, 8 and 11: the lane that broke an LTP is named, in every state, mode and lane count.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use flitforge_model::control::Control;
use flitforge_model::isolate::{physical_lanes, Isolate, IsolateMutation, LaneVerdict};
use flitforge_model::{CrcSearch, Flit, Ltp, LtpBits, LtpFormat, Stripe};
use flitforge_protocol::counter::LinkCounter;
use flitforge_protocol::lane_word::sequence_states;
use flitforge_protocol::ltp::{ltp_words, CrcMode, WORD_BITS};
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Bad LTPs of each set-up.
const BAD_LTPS: u64 = 10_000;

/// Residues of damaged LTPs: those of the wrong bits, added up, as `chapter10_crc` holds to the decoder bit by bit.
struct Residues {
    widths: Vec<usize>,
    syndromes: Vec<u64>,
}

impl Residues {
    fn new(format: &LtpFormat) -> Self {
        let widths = format.polynomials().iter().map(|polynomial| polynomial.width()).collect::<Vec<_>>();
        // Mode 3 has one polynomial for all its groups.
        let crcs = format.crcs(&format.encode(&Ltp::idle())).expect("an LTP").len();
        let widths = (0..crcs).map(|crc| widths[crc % widths.len()]).collect();
        let syndromes = CrcSearch::format(format).expect("syndromes").syndromes().to_vec();
        Residues { widths, syndromes }
    }

    fn of(&self, good: &LtpBits, bad: &LtpBits) -> Vec<u32> {
        let mut packed = 0;
        for (word, (good, bad)) in
            good.words().iter().zip(bad.words()).enumerate().filter(|(_, (good, bad))| good != bad)
        {
            let wrong = (0..WORD_BITS).filter(|bit| (good ^ bad) >> bit & 1 == 1);
            wrong.for_each(|bit| packed ^= self.syndromes[WORD_BITS * word + bit]);
        }
        let mut residues: Vec<u32> = self
            .widths
            .iter()
            .rev()
            .map(|width| {
                let residue = (packed & ((1 << width) - 1)) as u32;
                packed >>= width;
                residue
            })
            .collect();
        residues.reverse();
        residues
    }
}

fn seed() -> u64 {
    let Ok(text) = std::env::var("FLITFORGE_SEED") else { return 0x1044 };
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.expect("FLITFORGE_SEED: a decimal or 0x number")
}

/// Good LTPs, encoded once: encoding is the slow part.
fn good_ltps(rng: &mut ChaCha8Rng, format: &LtpFormat) -> Vec<LtpBits> {
    let ltp = |rng: &mut ChaCha8Rng| Ltp {
        flits: std::array::from_fn(|_| Flit::body(rng.random())),
        ..Ltp::idle()
    };
    (0..50).map(|_| format.encode(&ltp(rng))).collect()
}

/// Flips a burst of 1 to 16 bits, both ends wrong, among the bits that a lane carries of an LTP in this state.
fn burst(rng: &mut ChaCha8Rng, ltp: &mut LtpBits, stripe: Stripe, lane: usize) {
    let words: Vec<usize> = (0..ltp.words().len()).filter(|&word| stripe.lane(word) == lane).collect();
    let length = rng.random_range(1..=16);
    let start = rng.random_range(0..=words.len() * WORD_BITS - length);
    for bit in start..start + length {
        if bit == start || bit + 1 == start + length || rng.random() {
            ltp.flip(words[bit / WORD_BITS] * WORD_BITS + bit % WORD_BITS);
        }
    }
}

struct Trial {
    verdict: Option<LaneVerdict>,
    hit: Vec<usize>,
}

/// One bad LTP and its replay: bursts on some of the noisy logical lanes.
fn trial(
    rng: &mut ChaCha8Rng,
    crcs: &Residues,
    isolate: &mut Isolate,
    good: &LtpBits,
    physical: &[usize],
    noisy: &[usize],
) -> Option<Trial> {
    let (lanes, words) = (physical.len(), good.words().len());
    let (bad_number, replay_number) = (rng.random_range(0..100), rng.random_range(100..300));
    let stripe = |number| Stripe::groups(lanes).expect("lanes").of_ltp(words, number);
    let mut bad = good.clone();
    let count = rng.random_range(1..=noisy.len());
    let mut hit: Vec<usize> = noisy.to_vec();
    hit.shuffle(rng);
    hit.truncate(count);
    hit.iter().for_each(|&lane| burst(rng, &mut bad, stripe(bad_number), lane));
    let residues = crcs.of(good, &bad);
    if residues.iter().all(|&residue| residue == 0) {
        return None; // the CRC has missed it: no retry
    }
    let at_once = isolate.bad(bad.words(), &residues, stripe(bad_number).state(), true);
    let later = isolate.replayed(good.words(), stripe(replay_number).state());
    Some(Trial { verdict: at_once.or(later), hit: hit.iter().map(|&lane| physical[lane]).collect() })
}

const MODES: [CrcMode; 4] = [CrcMode::Standard, CrcMode::Bits14, CrcMode::Overlapping48, CrcMode::PerLane];
const LANES: [u8; 3] = [0b1111, 0b1011, 0b0110];

fn setups() -> impl Iterator<Item = (CrcMode, u8)> {
    let all = MODES.into_iter().flat_map(|mode| LANES.map(|lanes| (mode, lanes)));
    all.filter(|&(mode, lanes)| mode.allows_lanes(lanes.count_ones() as usize))
}

/// How many verdicts name the one lane that was hit, all lanes in turn, and the isolation that gave them.
fn right_verdicts(
    mode: CrcMode,
    lanes: u8,
    bad_ltps: u64,
    mutation: Option<IsolateMutation>,
) -> (u64, u64, Isolate) {
    let physical = physical_lanes(lanes);
    let mut rng = ChaCha8Rng::seed_from_u64(seed());
    let format = LtpFormat::new(mode, physical.len()).expect("a format");
    let (good, crcs) = (good_ltps(&mut rng, &format), Residues::new(&format));
    let mut isolate = Isolate::new(mode, lanes).expect("lanes");
    isolate = mutation.map_or(isolate.clone(), |mutation| isolate.with_mutation(mutation));
    let (mut right, mut total) = (0, 0);
    while total < bad_ltps {
        let (good, noisy) = (&good[total as usize % good.len()], total as usize % physical.len());
        let Some(trial) = trial(&mut rng, &crcs, &mut isolate, good, &physical, &[noisy]) else { continue };
        right += u64::from(trial.verdict == Some(LaneVerdict::Lane(physical[noisy])));
        total += 1;
    }
    (right, total, isolate)
}

/// Every bad LTP has exactly one verdict, and each kind its counter.
fn accounted(isolate: &Isolate) -> u64 {
    let counters = [LinkCounter::MultiLane, LinkCounter::IsoUnknown, LinkCounter::IsoNone];
    isolate.lane_errors().iter().sum::<u64>()
        + counters.iter().map(|counter| isolate.counters().get(*counter)).sum::<u64>()
}

#[test]
fn one_noisy_lane_is_named_in_999_of_1000_verdicts() {
    println!("seed {:#x}", seed());
    for (mode, lanes) in setups() {
        let count = lanes.count_ones() as usize;
        let (right, total, isolate) = right_verdicts(mode, lanes, BAD_LTPS, None);
        println!(
            "{mode:?}, lanes {lanes:04b}, {} states, every lane in turn: {right} of {total} right, charged {:?}, {:?}",
            sequence_states(ltp_words(mode), count),
            isolate.lane_errors(),
            isolate.counters(),
        );
        assert!(right * 1000 >= total * 999, "{mode:?} on {lanes:04b}: {right} of {total}");
        let charged: u64 = isolate.lane_errors().iter().sum();
        assert_eq!((charged, accounted(&isolate)), (right, total), "a healthy lane is charged");
        assert_eq!(isolate.counters().get(LinkCounter::IsoUnknown), 0, "one lane is never all of them");
    }
}

#[test]
fn two_noisy_lanes_never_charge_a_third() {
    println!("seed {:#x}", seed());
    for (mode, lanes) in setups() {
        let physical = physical_lanes(lanes);
        let mut rng = ChaCha8Rng::seed_from_u64(seed());
        let format = LtpFormat::new(mode, physical.len()).expect("a format");
        let (good, crcs) = (good_ltps(&mut rng, &format), Residues::new(&format));
        let mut isolate = Isolate::new(mode, lanes).expect("lanes");
        let (mut total, mut half_blamed, mut unknown) = (0u64, 0u64, 0u64);
        while total < BAD_LTPS {
            let ltp = &good[total as usize % good.len()];
            let Some(trial) = trial(&mut rng, &crcs, &mut isolate, ltp, &physical, &[0, 1]) else {
                continue;
            };
            total += 1;
            if let Some(LaneVerdict::Lane(lane)) = trial.verdict {
                assert!(
                    trial.hit.contains(&lane),
                    "{mode:?} on {lanes:04b}: lane {lane}, noise on {:?}",
                    trial.hit
                );
                half_blamed += u64::from(trial.hit.len() == 2);
            } else {
                unknown += u64::from(trial.verdict == Some(LaneVerdict::Unknown));
                let expected =
                    if physical.len() == 2 { LaneVerdict::Unknown } else { LaneVerdict::MultiLane };
                assert_eq!(trial.verdict, Some(expected), "{mode:?} on {lanes:04b}");
            }
        }
        let counters = isolate.counters();
        println!("{mode:?} on {lanes:04b}: {half_blamed} of {total} name one of two lanes, {counters:?}");
        assert_eq!((counters.get(LinkCounter::IsoUnknown), accounted(&isolate)), (unknown, total));
        // one of the two groups' CRCs misses a burst with a chance of 2^-r; r is 12 in mode 3 on four lanes
        let chance = if mode == CrcMode::PerLane && lanes == 0xF { 1 << 12 } else { 1 << 16 };
        assert!(half_blamed <= 3 + 4 * total / chance, "{half_blamed} of {total}");
        let others = counters.get(LinkCounter::MultiLane) + unknown;
        assert!(others > total / 4, "both lanes were hit often: {counters:?}");
    }
}

#[test]
fn mapping_by_the_state_of_the_replay_blames_healthy_lanes() {
    let states = |mode, lanes: u8| sequence_states(ltp_words(mode), lanes.count_ones() as usize);
    let several: Vec<_> =
        setups().filter(|&(mode, lanes)| mode != CrcMode::PerLane && states(mode, lanes) > 1).collect();
    assert!(several.len() >= 4, "{several:?}");
    for (mode, lanes) in several {
        let (right, total, _) = right_verdicts(mode, lanes, 1_000, Some(IsolateMutation::MapByReplayState));
        println!(
            "{mode:?} on {lanes:04b}, mapped by the replay: {right} of {total} right, seed {:#x}",
            seed()
        );
        assert!(right * 1000 < total * 999, "{mode:?} on {lanes:04b}: the mutation goes unnoticed");
    }
}

#[test]
fn a_null_that_was_bad_charges_no_lane() {
    let format = LtpFormat::new(CrcMode::Standard, 4).expect("a format");
    let mut filler = Ltp::idle();
    filler.flits[0] = "0_2800000000000000".parse().expect("a flit");
    let mut bad = format.encode(&filler);
    bad.flip(700);
    let residues = format.decode(&bad).expect("an LTP").residues;
    for replay in [Ltp::idle(), Ltp::filled(&[Flit::body(5); 16])] {
        let mut isolate = Isolate::new(CrcMode::Standard, 0xF).expect("four lanes");
        isolate.bad(bad.words(), &residues, 0, true);
        let verdict = isolate.replayed(format.encode(&replay).words(), 1);
        assert!(matches!(verdict, Some(LaneVerdict::MultiLane | LaneVerdict::Unknown)), "{verdict:?}");
        assert_eq!(isolate.lane_errors(), &[0; 4]);
    }
}

/// Chapter 10, section 9, point 11: the sender replays time flits as they were and the receiver takes them out after the
/// comparison, so that verdicts are the same with and without them. A sender that stripped them would blame healthy lanes.
#[test]
fn time_flits_of_a_replay_change_no_verdict() {
    println!("seed {:#x}", seed());
    let mut rng = ChaCha8Rng::seed_from_u64(seed());
    for (mode, lanes) in setups() {
        let physical = physical_lanes(lanes);
        let (format, groups) = (
            LtpFormat::new(mode, physical.len()).expect("a format"),
            Stripe::groups(physical.len()).expect("lanes"),
        );
        let crcs = Residues::new(&format);
        let (mut right, mut wrong_if_stripped) = (0, 0);
        for number in 0..200usize {
            let mut flits: [Flit; 16] = std::array::from_fn(|_| Flit::body(rng.random()));
            let beat = 2 * rng.random_range(0..8);
            let [low, high] = Control::master_time(rng.random());
            flits[beat..beat + 2].copy_from_slice(&[low, high].map(|time| time.encode().expect("fits")));
            let sent = Ltp { flits, ..Ltp::idle() };
            flits[beat..beat + 2].fill(Flit::IDLE);
            let stripped = Ltp { flits, ..Ltp::idle() };
            let (good, stripped) = (format.encode(&sent), format.encode(&stripped));
            let (mut bad, hit) = (good.clone(), number % physical.len());
            burst(&mut rng, &mut bad, groups.of_ltp(good.words().len(), number as u64), hit);
            let verdict = |replay: &LtpBits| {
                let mut isolate = Isolate::new(mode, lanes).expect("lanes");
                let state = groups.of_ltp(good.words().len(), number as u64).state();
                let at_once = isolate.bad(bad.words(), &crcs.of(&good, &bad), state, true);
                let later = isolate.replayed(replay.words(), 0);
                (at_once.or(later), isolate.counters().get(LinkCounter::IsoDisagree))
            };
            let expected = (Some(LaneVerdict::Lane(physical[hit])), 0);
            right += u32::from(verdict(&good) == expected);
            wrong_if_stripped += u32::from(verdict(&stripped) != expected);
        }
        println!(
            "{mode:?} on {lanes:04b}: {right} of 200 right, {wrong_if_stripped} wrong if the sender stripped"
        );
        assert_eq!(right, 200, "{mode:?} on {lanes:04b}");
        assert!(wrong_if_stripped > 150, "{mode:?} on {lanes:04b}: {wrong_if_stripped}");
    }
}
