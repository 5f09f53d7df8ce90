//! Priority flow control over a line: durations, malformed frames, the watchdog, and headroom. Names are those of the model's tests.

use super::mac_control::words_of;
use super::pfc::Settings;
use flitforge_hdl_sue::pfc::EthPfc;
use flitforge_model::sue::format::PriorityPause;
use flitforge_model::sue::link::{headroom, PauseSource};
use flitforge_protocol::sue::class::{ClassUse, CLASSES};
use flitforge_protocol::sue::link_control::PRIORITIES;
use flitforge_sim::kit::rng;
use flitforge_sim::Compiled;
use flitforge_testkit::{compiled, Clocked, CompiledBlock};
use rand::Rng;
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

const REQUESTS: usize = ClassUse::Requests as usize;
/// Clocks from a frame's last word to its verdict, as a MAC has them.
const VERDICT: u64 = 12;

fn program() -> &'static Arc<Compiled> {
    static PROGRAM: OnceLock<Arc<Compiled>> = OnceLock::new();
    PROGRAM.get_or_init(|| compiled("eth_pfc", &EthPfc::default()))
}

/// The block, its settings, and what is on its way to it.
struct Rig {
    block: CompiledBlock,
    now: u64,
    verdicts: VecDeque<(u64, bool)>,
}

impl Rig {
    fn new(settings: &Settings) -> Self {
        let mut block = CompiledBlock::new(program());
        for (path, value) in settings.ports() {
            block.set(&path, value);
        }
        block.set("frame.ready", 1);
        Self { block, now: 0, verdicts: VecDeque::new() }
    }

    fn step(&mut self, word: Option<u128>) {
        self.block.set("frames.valid", word.is_some().into()).set_wide("frames.data", word.unwrap_or(0));
        let due = self.verdicts.front().is_some_and(|(at, _)| *at <= self.now);
        let verdict = if due { self.verdicts.pop_front() } else { None };
        self.block.set("verdicts.valid", verdict.is_some().into());
        self.block.set("verdicts.data", verdict.is_some_and(|(_, good)| good).into());
        self.block.step();
        self.now += 1;
    }

    fn idle(&mut self, clocks: u64) {
        (0..clocks).for_each(|_| self.step(None));
    }

    /// A frame comes; its verdict follows.
    fn frame(&mut self, frame: &[u8], good: bool) {
        words_of(frame).into_iter().for_each(|word| self.step(Some(word)));
        self.verdicts.push_back((self.now - 1 + VERDICT, good));
    }

    fn paused(&mut self) -> u64 {
        self.block.get("paused")
    }
}

fn pause(quanta: [Option<u16>; PRIORITIES]) -> Vec<u8> {
    PriorityPause { source: 1, quanta }.encode().expect("a frame")
}

fn of_priority(priority: usize, quanta: u16) -> Vec<u8> {
    let mut all = [None; PRIORITIES];
    all[priority] = Some(quanta);
    pause(all)
}

#[test]
fn eight_timers_count_for_themselves() {
    let mut rig = Rig::new(&Settings::new(100, 1000));
    // default priorities of VC0, VC1, VC2, VC3, ACK, MGMT
    let priorities = [3, 4, 2, 1, 5, 0];
    let quanta = |priority: usize| 10 * (priority as u16 + 1);
    rig.frame(&pause(std::array::from_fn(|priority| Some(quanta(priority)))), true);
    rig.idle(VERDICT + 2);
    assert_eq!(rig.paused(), 0, "the verdict was three clocks ago");
    rig.idle(1);
    let mut ended = [None; CLASSES];
    for clocks in 0..1000 {
        let paused = rig.paused();
        for (class, ended) in ended.iter_mut().enumerate() {
            if paused >> class & 1 == 0 && ended.is_none() {
                *ended = Some(clocks);
            }
        }
        rig.idle(1);
    }
    for (class, ended) in ended.into_iter().enumerate() {
        let (ended, least) = (ended.expect("it ends"), 8 * u64::from(quanta(priorities[class])));
        assert!((least..=least + 11).contains(&ended), "class {class}: {ended} clocks for {least}");
    }
    // a pause is ended by quanta 0
    rig.frame(&of_priority(3, 0xFFFF), true);
    rig.idle(700);
    assert_eq!(rig.paused(), 1 << REQUESTS);
    rig.frame(&of_priority(3, 0), true);
    rig.idle(VERDICT + 16);
    assert_eq!(rig.paused(), 0);
}

/// Lock step with the golden model: one class, thresholds, renewal after half of the pause.
#[test]
fn thresholds_ask_and_renew() {
    let settings = Settings::new(100, 1000);
    let (xoff, xon) = settings.thresholds[REQUESTS];
    let mut rig = Rig::new(&settings);
    let mut golden = PauseSource::new(settings.golden()).expect("settings");
    let (mut offered, mut frames, mut word) = (Vec::new(), Vec::new(), 0);
    let mut last = 0;
    for clock in 0..6000_u64 {
        let fill = match clock {
            0..100 => xoff - 1,
            100..2000 => xoff,
            2000..3000 => xon + 1,
            _ => xon,
        };
        let octets = fill as usize * 64;
        let before = golden.occupied(ClassUse::Requests);
        golden.receive(ClassUse::Requests, octets.saturating_sub(before));
        golden.free(ClassUse::Requests, before.saturating_sub(octets));
        offered.extend(golden.due(clock).map(|pause| (clock, pause.encode().expect("a frame"))));
        rig.block.set(&format!("fill[{REQUESTS}]"), fill);
        if rig.block.get("frame.valid") == 1 {
            if word == 0 {
                frames.push((clock, Vec::new()));
            }
            let value = rig.block.get_wide("frame.data");
            let bytes = (value >> 64 & 15) as usize;
            frames.last_mut().expect("begun").1.extend(&(value as u64).to_le_bytes()[..bytes]);
            word = if value >> 68 & 1 == 1 { 0 } else { word + 1 };
            last = clock;
        }
        rig.idle(1);
    }
    let octets =
        |frames: &[(u64, Vec<u8>)]| frames.iter().map(|(_, frame)| frame.clone()).collect::<Vec<_>>();
    assert_eq!(octets(&frames), octets(&offered));
    assert!(frames.len() > 6 && last < 3100, "nothing is asked for after XON");
    for (ours, golden) in frames.iter().zip(&offered) {
        // ten clocks to make it; the first renewal may come some clocks early
        let late = ours.0 - golden.0;
        assert!((2..=10 + 8 * frames.len() as u64).contains(&late), "{} after {}", ours.0, golden.0);
    }
    let gaps: Vec<u64> = frames.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    assert!(gaps[..6].iter().all(|gap| (392..=400).contains(gap)), "{gaps:?}");
}

/// All classes paused for ten PFC_WD: one event each, however often the pause is renewed; again after its end.
#[test]
fn watchdog_fires_once_per_pause() {
    let watchdog = 3;
    let mut rig = Rig::new(&Settings::new(100, watchdog));
    for _ in 0..2 {
        let mut fired = vec![Vec::new(); CLASSES];
        let start = rig.now;
        while rig.now < start + 10 * watchdog * 1024 {
            if (rig.now - start) % 1000 == 0 {
                rig.frame(&pause([Some(200); PRIORITIES]), true);
            }
            rig.idle(1);
            let storm = rig.block.get("storm");
            (0..CLASSES)
                .filter(|class| storm >> class & 1 == 1)
                .for_each(|class| fired[class].push(rig.now - start));
        }
        for (class, fired) in fired.iter().enumerate() {
            let least = watchdog * 1024;
            assert!(
                matches!(fired[..], [at] if (least..least + 1080).contains(&at)),
                "class {class}: {fired:?}"
            );
        }
        rig.frame(&pause([Some(0); PRIORITIES]), true);
        rig.idle(VERDICT + 20);
        assert_eq!(rig.paused(), 0);
    }
}

#[test]
fn malformed_frames_change_nothing() {
    let mut rig = Rig::new(&Settings::new(100, 1000));
    let good = pause([Some(1000); PRIORITIES]);
    let mut try_frame = |frame: &[u8], verdict: bool, expected: u64, what: &str| {
        rig.frame(frame, verdict);
        rig.idle(VERDICT + 16);
        assert_eq!(rig.paused(), expected, "{what}");
        rig.frame(&pause([Some(0); PRIORITIES]), true);
        rig.idle(VERDICT + 16);
        assert_eq!(rig.paused(), 0, "{what}: the next good frame counts");
    };
    // destination, Ethertype, opcode, upper half of the class vector: every bit of them
    for bit in (0..6 * 8).chain(12 * 8..17 * 8) {
        let mut frame = good.clone();
        frame[bit / 8] ^= 1 << (bit % 8);
        assert!(PriorityPause::decode(&frame).is_err());
        try_frame(&frame, true, 0, &format!("bit {bit}"));
    }
    for length in 1..=good.len() {
        let is_whole = PriorityPause::decode(&good[..length]).is_ok();
        try_frame(&good[..length], true, if is_whole { 0x3F } else { 0 }, &format!("{length} octets"));
    }
    try_frame(&good, false, 0, "a bad frame");
    let mut longer = good.clone();
    longer.extend([0x5A; 300]);
    try_frame(&longer, true, 0x3F, "a long frame");
    // the last word says that the frame is to be discarded
    let mut words = words_of(&good);
    if let Some(last) = words.last_mut() {
        *last |= 1 << 69;
    }
    words.into_iter().for_each(|word| rig.step(Some(word)));
    rig.verdicts.push_back((rig.now, true));
    rig.idle(20);
    assert_eq!(rig.paused(), 0);
    // a verdict of no frame is ignored
    rig.verdicts.push_back((rig.now, true));
    rig.idle(20);
    rig.frame(&good, true);
    rig.idle(VERDICT + 16);
    assert_eq!(rig.paused(), 0x3F);
    // without PFC nothing counts, and clear ends all pauses
    rig.block.set("clear", 1);
    rig.idle(1);
    rig.block.set("clear", 0).set("enable", 0);
    assert_eq!(rig.paused(), 0);
    rig.frame(&good, true);
    rig.idle(VERDICT + 16);
    assert_eq!(rig.paused(), 0);
}

/// Verdicts that stay away: four frames wait, the fifth one is ignored and spoils none of them.
#[test]
fn a_fifth_frame_does_not_spoil_four_that_wait() {
    let mut rig = Rig::new(&Settings::new(100, 1000));
    let mut all: Vec<_> = [3, 4, 2, 1].map(|priority| of_priority(priority, 1000)).into();
    all.push(pause([Some(0); PRIORITIES]));
    for frame in &all {
        words_of(frame).into_iter().for_each(|word| rig.step(Some(word)));
    }
    rig.idle(20);
    assert_eq!(rig.paused(), 0);
    for paused in [1, 3, 7, 15, 15] {
        rig.verdicts.push_back((rig.now, true));
        rig.idle(40);
        assert_eq!(rig.paused(), paused);
    }
    rig.frame(&all[4], true);
    rig.idle(VERDICT + 16);
    assert_eq!(rig.paused(), 0, "the next one counts");
}

/// PFC frames as close as a line has them, 84 octets each: every one counts.
#[test]
fn frames_without_pause_between_all_count() {
    let mut rig = Rig::new(&Settings::new(100, 1000));
    let (mut counted, mut frames) = ([0_u32; CLASSES], 0);
    let frame = pause([Some(7); PRIORITIES]);
    for clock in 0..2000 * 21 {
        // two frames in 21 clocks
        let clock = clock % 21;
        let place = if clock < 11 { clock } else { clock - 11 };
        let words = words_of(&frame);
        let word = words.get(place).copied();
        rig.step(word);
        if place + 1 == words.len() {
            rig.verdicts.push_back((rig.now - 1 + VERDICT, true));
            frames += 1;
        }
        let received = rig.block.get("received");
        (0..CLASSES).filter(|class| received >> class & 1 == 1).for_each(|class| counted[class] += 1);
    }
    let under_way = 3;
    assert!(
        counted.iter().all(|count| (frames - under_way..=frames).contains(count)),
        "{counted:?} of {frames}"
    );
}

/// Octets beyond XOFF that the buffer came to hold, with the block at both ends of a line of eight octets a clock.
fn overrun(cable: usize, (smallest, largest): (usize, usize), seed: u64) -> usize {
    let mut random = rng(seed, "line");
    let xoff = (4 * largest).div_ceil(64).min(200);
    let mut settings = Settings::new(0xFFFF, 1000);
    settings.thresholds[REQUESTS] = (xoff as u64, xoff as u64 / 2);
    let mut rig = Rig::new(&settings);
    let mut way = VecDeque::from(vec![0; cable / 8]);
    let mut back = VecDeque::<(u64, u128)>::new();
    let (mut left, mut gap, mut occupied, mut most, mut drains) = (0_usize, 0_usize, 0_usize, 0, true);
    let mut busy = random.random_range(0..largest as u64 / 8);
    for now in 0..20_000_u64 {
        if now % 4096 == seed * 511 % 4096 {
            drains = !drains;
        }
        // sender: 20 octets of preamble and gap around a frame
        if left == 0 && gap == 0 && rig.paused() >> REQUESTS & 1 == 0 {
            (left, gap) = (random.random_range(smallest..=largest), 20);
        }
        let word = left.min(8);
        left -= word;
        gap = gap.saturating_sub(8 - word);
        way.push_back(word);
        occupied += way.pop_front().unwrap_or(0);
        most = most.max(occupied);
        occupied -= if drains { occupied.min(8) } else { 0 };
        rig.block.set(&format!("fill[{REQUESTS}]"), occupied.div_ceil(64).min(255) as u64);
        // way back: always busy; a PFC frame of 84 octets goes before the next
        let valid = rig.block.get("frame.valid") == 1;
        if busy == 0 {
            let is_pause = valid;
            let octets = if is_pause { 84 } else { random.random_range(smallest..=largest) as u64 + 20 };
            busy = octets.div_ceil(8);
            rig.block.set("frame.ready", is_pause.into());
        }
        busy -= 1;
        if valid && rig.block.get("frame.ready") == 1 {
            let word = rig.block.get_wide("frame.data");
            back.push_back((now + (cable / 8) as u64, word));
        }
        let comes = back.front().is_some_and(|(at, _)| *at <= now);
        let word = if comes { back.pop_front().map(|(_, word)| word) } else { None };
        if word.is_some_and(|word| word >> 68 & 1 == 1) {
            rig.verdicts.push_back((rig.now + VERDICT, true));
        }
        let is_last = valid && rig.block.get_wide("frame.data") >> 68 & 1 == 1;
        rig.step(word);
        if is_last && rig.block.get("frame.ready") == 1 {
            rig.block.set("frame.ready", 0);
        }
    }
    assert!(most >= xoff * 64, "the threshold was reached");
    most - xoff * 64
}

/// The headroom of the model, with what both ends take beyond the cable: ten clocks to make the frame, VERDICT and four to take it; fill in 64 octets.
#[test]
fn computed_headroom_drops_nothing() {
    let ends = (10 + VERDICT as usize + 4) * 8;
    let mut most: f64 = 0.0;
    for cable in [0, 400, 4000] {
        for (smallest, largest) in [(64, 64), (64, 1518), (1518, 1518), (64, 9216)] {
            let room = headroom(cable + ends / 2, largest);
            for seed in 0..4 {
                let used = overrun(cable, (smallest, largest), seed);
                assert!(used <= room, "cable {cable}, frames to {largest}: {used} of {room}");
                most = most.max(used as f64 / room as f64);
            }
        }
    }
    println!("at most {:.0} % was used", 100.0 * most);
    assert!(most > 0.5, "the bound is not idle");
}

/// A lost XON costs at most the rest of the pause.
#[test]
fn a_lost_xon_ends_with_its_timer() {
    let mut rig = Rig::new(&Settings::new(100, 1000));
    rig.frame(&of_priority(3, 500), true);
    rig.idle(VERDICT + 16);
    rig.frame(&of_priority(3, 0), false);
    let from = rig.now;
    while rig.paused() >> REQUESTS & 1 == 1 {
        rig.idle(1);
        assert!(rig.now < from + 500 * 8 + 8);
    }
    assert!(rig.now > from + 490 * 8);
}
