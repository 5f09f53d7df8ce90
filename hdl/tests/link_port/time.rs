//! Time flits of a whole port (chapter 10, 9, point 11): how long they take from plane X to plane R, and what becomes of those that
//! are caught in a replay or find no open LTP.

use crate::link_port::rig::Rig;
use crate::link_port::{short, wide};
use flitforge_elaborate::Value;
use flitforge_protocol::counter::LinkCounter;
use flitforge_sim::kit::seed;
use flitforge_testkit::{is_full, Clocked, Noise};
use rand::Rng as _;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The control flag of a lane word.
const CTL: u64 = 1 << 32;
/// A time flit is next to an ALN row if that stands on the line within so many clocks of it.
const NEXT_TO: u64 = 20;

/// MasterTimeLow and MasterTimeHigh with a number.
fn time_beat(number: u64) -> Value {
    let mut beat = Value::zero(130);
    for slot in 0..2u32 {
        let flit = 0x06 << 56 | u64::from(slot + 1) << 48 | number & 0xFFFF_FFFF;
        (0..64).for_each(|bit| beat.set_bit(65 * slot + bit, flit >> bit & 1 == 1));
    }
    beat
}

/// What happened to time flits from end 0 to end 1.
#[derive(Default)]
struct Passage {
    /// Number, clock of plane X.
    taken: VecDeque<(u64, u64)>,
    next: u64,
    offered: bool,
    /// Taken without an LTP that is open, and clocks of waiting for one.
    dropped: u64,
    waited: u64,
    /// Clock of plane R, clocks from X to R, {beat index, state}.
    came: Vec<(u64, u64, (u64, u64))>,
    /// Taken and never delivered.
    stale: u64,
    /// Clocks with an ALN row on the line.
    aln: Vec<u64>,
}

impl Passage {
    /// A clock of the rig. Every time flit offered has the number of its clock, as in HOLD the value may change while it waits.
    fn clock(&mut self, rig: &mut Rig, chance: f64) {
        self.offered |= rig.rng.random_bool(chance);
        if self.offered {
            self.next = rig.clock;
            let data = rig.block.handle("time_in[0].data");
            rig.block.instance.set_words(data, time_beat(self.next).words());
        }
        rig.set("time_in[0].valid", self.offered.into());
        let took = self.offered && rig.get("time_in[0].ready") == 1;
        // With an LTP open a wait is the lanes' pace.
        self.waited += u64::from(self.offered && !took && rig.get("tx_open[0]") == 0);
        if took {
            // In DROP a beat that finds no LTP is taken too.
            match rig.get("tx_open[0]") {
                1 => self.taken.push_back((self.next, rig.clock)),
                _ => self.dropped += 1,
            }
            self.offered = false;
        }
        if rig.get("line_there[0].valid") == 1 {
            let word = rig.get("line_there[0].data");
            if word & CTL != 0 && word >> 8 & 0xFF == 0x1C {
                self.aln.push(rig.clock);
            }
        }
        if rig.get("spc_out[1].valid") == 1 {
            self.arrives(rig);
        }
        rig.clock();
    }

    fn arrives(&mut self, rig: &mut Rig) {
        let out = rig.block.handle("spc_out[1].data");
        let number = rig.block.instance.words(out)[0] & 0xFFFF_FFFF;
        assert_eq!(rig.block.instance.words(out), time_beat(number).words(), "clock {}", rig.clock);
        // What comes is the last value that was offered, and none comes late or twice.
        loop {
            let (taken, clock) = self.taken.pop_front().expect("a time flit that was sent, once");
            if taken == number {
                let place = (rig.get("beat_index[1]"), rig.get("beat_state[1]"));
                assert_eq!(rig.get("beat_late[1]"), 0, "clock {}: of a replay", rig.clock);
                self.came.push((rig.clock, rig.clock - clock, place));
                return;
            }
            self.stale += 1;
        }
    }
}

/// Without errors every time flit takes as long as any other but for a clock; where in the LTP and in which state it came says
/// exactly how long.
#[test]
fn from_plane_x_to_plane_r_is_known_to_the_clock() {
    let mut rig = Rig::up(wide(), seed(0x10_E0), 0.9);
    rig.run(500);
    let mut seen = Passage::default();
    for _ in 0..if is_full() { 400_000 } else { 25_000 } {
        seen.clock(&mut rig, 0.1);
    }
    let near_aln = |clock: u64, took: u64| {
        seen.aln.iter().any(|aln| (clock - took).saturating_sub(NEXT_TO) <= *aln && *aln <= clock + NEXT_TO)
    };
    let mut by_place: BTreeMap<(u64, u64), BTreeSet<u64>> = BTreeMap::new();
    let (mut all, mut with_aln) = (BTreeSet::new(), BTreeSet::new());
    for &(clock, took, place) in &seen.came {
        with_aln.insert(took);
        if !near_aln(clock, took) {
            all.insert(took);
            by_place.entry(place).or_default().insert(took);
        }
    }
    println!(
        "{} time flits, {} places, clocks {all:?}, with ALN rows ({}) {with_aln:?}",
        seen.came.len(),
        by_place.len(),
        seen.aln.len()
    );
    assert!(seen.came.len() > 1_000 && seen.aln.len() >= 4 && seen.stale == 0);
    let spread = |clocks: &BTreeSet<u64>| clocks.last().expect("some") - clocks.first().expect("some");
    assert_eq!(spread(&all), 1, "{all:?}");
    assert!(spread(&with_aln) <= 2, "{with_aln:?}");
    assert_eq!(by_place.len(), 8 * 4, "every beat of every state");
    let corrected = by_place.iter().filter(|(_, clocks)| clocks.len() > 1).count();
    assert_eq!(corrected, 0, "after correction by place nothing is left: {by_place:?}");
}

/// Under errors: none of a replay is used, DROP counts every flit that found no open LTP, HOLD sends the last value.
#[test]
fn time_flits_of_replays_are_not_used_and_those_without_an_ltp_are_counted_or_wait() {
    for hold in [0, 1] {
        let mut rig = Rig::up(short(), seed(0x10_E1), 0.9);
        rig.set("time_mode[0]", hold);
        let mut seen = Passage::default();
        for round in 0..if is_full() { 60 } else { 4 } {
            let bit = [0.003, 0.02][round % 2];
            rig.noise[0] = Noise { bit, lanes: 0xF, ..Noise::default() };
            (0..5_000).for_each(|_| seen.clock(&mut rig, 0.2));
        }
        rig.noise = Default::default();
        (0..4_000).for_each(|_| seen.clock(&mut rig, 0.0));
        assert!(rig.is_up(0) && rig.is_up(1));
        let stale = seen.stale + seen.taken.len() as u64;
        let counted = [(1, LinkCounter::TimeStale), (0, LinkCounter::TimeDropped)];
        let counted = counted.map(|(end, counter)| rig.count(end, counter));
        let (came, dropped, waited) = (seen.came.len(), seen.dropped, seen.waited);
        println!(
            "time_mode {hold}: {came} beats came, {stale} were caught in a replay, {dropped} dropped, {waited} clocks waited; \
             TIME_STALE, TIME_DROPPED {counted:?}"
        );
        assert!(came > 1_000 && stale > 20);
        // Two flits in a beat.
        assert_eq!(counted, [2 * stale, 2 * dropped]);
        assert_eq!(dropped > 100, hold == 0, "{dropped} dropped");
        assert!(if hold == 1 { waited > 1_000 } else { waited == 0 }, "{waited} clocks waited");
        assert_eq!(rig.ends[0].lost + rig.ends[1].lost, 0);
    }
}
