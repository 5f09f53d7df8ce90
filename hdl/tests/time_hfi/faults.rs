//! Errors on the line, a link that trains again, `clear`, and a rate that moves while a round of the link delay is out.

use crate::time_hfi::rig::{Rig, CORE, EPOCH_NS, PERIOD_CLOCKS};
use flitforge_protocol::time_registers::{self as regs, ldm_ctl, ldm_mean, role};
use flitforge_protocol::time_servo::{ServoState, F_ACC_BITS};
use flitforge_sim::cosim::Depth;
use flitforge_testkit::{depth, Clocked};

/// A nanosecond, 2^-32 ns.
const NS: i128 = 1 << 32;

fn periods() -> u64 {
    match depth() {
        Depth::Quick => 40,
        _ => 400,
    }
}

fn within_a_clock(rig: &mut Rig, what: &str) {
    let (least, most, mean) = rig.differences();
    let picoseconds = [least, most, mean].map(|difference| difference * 1000 / NS);
    println!("{what}: slave less master {picoseconds:?} ps (least, most, mean)");
    assert!(least >= -CORE && most <= CORE && mean.abs() < NS, "{what}: {picoseconds:?} ps");
}

fn set_role(rig: &mut Rig, end: usize, advance: u64, hold_on_epoch: u64) {
    let word = role::advance::FIELD.set(0, advance);
    rig.put(end, regs::ROLE, role::hold_on_epoch::FIELD.set(word, hold_on_epoch) as u64);
}

/// T7 on one link, in both modes: some Lows are lost or wait, none makes the slave's time wrong, and packets come once.
///
/// A wrong bit in an ALN row makes the link train again: Lows and Highs are held then until AUTO has measured it, and the slave runs on.
#[test]
fn no_error_on_the_line_makes_the_time_wrong() {
    for advance in [0, 1] {
        let mut rig = Rig::new("errors", [4, 4]);
        rig.come_up();
        rig.start(EPOCH_NS, 3);
        rig.lock(12);
        rig.run(8 * PERIOD_CLOCKS);
        (0..2).for_each(|end| set_role(&mut rig, end, advance, 1));
        measure_at_each_training(&mut rig);
        let before = Counts::of(&mut rig);
        for way in &mut rig.ways {
            (way.pace, way.errors) = (0.5, 0.001);
        }
        rig.compare();
        rig.run(periods() * PERIOD_CLOCKS);
        within_a_clock(&mut rig, &format!("advance {advance}"));
        assert_eq!(rig.state(1), ServoState::Track);
        rig.drain();
        let Counts { sent, injected, held, over, advanced, came, trainings } =
            Counts::of(&mut rig).since(&before);
        println!(
            "advance {advance}: {sent} Lows and Highs, {injected} injected, {advanced} waited, {came} came; \
             {trainings} trainings, {held} held"
        );
        assert_eq!(injected + held + over, sent);
        assert!(trainings > 0 || (held, over) == (0, 0), "{held} held, {over} over while the link was up");
        assert!(came < injected && came > injected / 2);
        assert_eq!(advanced > 0, advance == 1);
    }
}

/// AUTO at the master: four rounds, since some are lost where the line has errors, and a short wait for an answer.
fn measure_at_each_training(rig: &mut Rig) {
    let word = u128::from(rig.register(0, regs::LDM_CTL));
    let word = ldm_ctl::rounds::FIELD.set(word, 2);
    let word = ldm_ctl::timeout::FIELD.set(word, 1_999);
    rig.put(0, regs::LDM_CTL, ldm_ctl::auto_run::FIELD.set(word, 1) as u64);
}

/// What the master has sent and what came of it, both ends' counters.
struct Counts {
    /// Lows and Highs of the generator.
    sent: u64,
    /// Taken by the link.
    injected: u64,
    /// EPOCH_HOLD.
    held: u64,
    /// TX_WAIT_OVER.
    over: u64,
    /// ADVANCED.
    advanced: u64,
    /// Extracted by the slave.
    came: u64,
    /// LINK_EPOCH: trainings.
    trainings: u64,
}

impl Counts {
    fn of(rig: &mut Rig) -> Self {
        Self {
            sent: rig.core_counter(0, "GEN_LOW") + rig.core_counter(0, "GEN_HIGH"),
            injected: rig.counter(0, "INJECTED"),
            held: rig.counter(0, "EPOCH_HOLD"),
            over: rig.counter(0, "TX_WAIT_OVER"),
            advanced: rig.counter(0, "ADVANCED"),
            came: rig.counter(1, "EXTRACTED"),
            trainings: regs::epoch::link::FIELD.get(rig.register(0, regs::EPOCH).into()),
        }
    }

    fn since(&self, before: &Self) -> Self {
        Self {
            sent: self.sent - before.sent,
            injected: self.injected - before.injected,
            held: self.held - before.held,
            over: self.over - before.over,
            advanced: self.advanced - before.advanced,
            came: self.came - before.came,
            trainings: self.trainings - before.trainings,
        }
    }
}

/// Training changes LINK_EPOCH: the master's flits are removed and counted until the link has been measured, the slave runs on, and then follows again.
#[test]
fn a_new_epoch_holds_time_flits_until_the_link_is_measured() {
    let mut rig = Rig::new("epochs", [2, 2]);
    rig.come_up();
    rig.start(EPOCH_NS, 1);
    rig.lock(12);
    rig.run(8 * PERIOD_CLOCKS);
    rig.compare();
    let steps = rig.get("sync_epoch[1]");
    for auto in [0, 1] {
        let word = rig.register(0, regs::LDM_CTL);
        // The peer may be up later: a request that it does not see is not to be waited for long.
        let word = ldm_ctl::timeout::FIELD.set(word.into(), 1_999);
        rig.put(0, regs::LDM_CTL, ldm_ctl::auto_run::FIELD.set(word, auto) as u64);
        let epoch = rig.register(0, regs::EPOCH);
        rig.retrain(0);
        rig.until("Active", 400_000, |rig| rig.is_up(0) && rig.is_up(1));
        let moved = rig.register(0, regs::EPOCH);
        assert_ne!(moved & 0xFFFF, epoch & 0xFFFF);
        let (held, injected) = (rig.counter(0, "EPOCH_HOLD"), rig.counter(0, "INJECTED"));
        let sent = rig.core_counter(0, "GEN_LOW") + rig.core_counter(0, "GEN_HIGH");
        rig.run(5 * PERIOD_CLOCKS);
        let sent = rig.core_counter(0, "GEN_LOW") + rig.core_counter(0, "GEN_HIGH") - sent;
        let (held, injected) = (rig.counter(0, "EPOCH_HOLD") - held, rig.counter(0, "INJECTED") - injected);
        println!("AUTO {auto}: of {sent} flits {held} held, {injected} injected");
        assert_eq!(sent, held + injected);
        assert!(if auto == 0 { held >= 5 && injected == 0 } else { injected >= 4 });
        // Measured on demand.
        let word = rig.register(0, regs::LDM_CTL);
        rig.put(0, regs::LDM_CTL, ldm_ctl::start::FIELD.set(word.into(), 1) as u64);
        rig.until("measured", 20_000, |rig| {
            ldm_mean::done::FIELD.get(rig.register(0, regs::LDM_MEAN).into()) == 1
        });
        let epochs = rig.register(0, regs::EPOCH);
        assert_eq!(epochs >> 16, epochs & 0xFFFF);
        let samples = regs::TREE_COUNTERS.offset_of("SMP_OK").expect("a counter");
        let before = rig.register(1, samples);
        rig.run(5 * PERIOD_CLOCKS);
        assert!(rig.register(1, samples) >= before + 4);
        assert_eq!(rig.state(1), ServoState::Track);
    }
    within_a_clock(&mut rig, "through two trainings");
    assert_eq!(rig.get("sync_epoch[1]"), steps, "no step");
}

/// With HOLD_ON_EPOCH 0 flits go on after a training without a measurement.
#[test]
fn without_hold_on_epoch_time_flits_go_on() {
    let mut rig = Rig::new("no hold", [2, 2]);
    rig.come_up();
    rig.start(EPOCH_NS, 1);
    rig.lock(12);
    set_role(&mut rig, 0, 0, 0);
    rig.retrain(1);
    rig.until("Active", 400_000, |rig| rig.is_up(0) && rig.is_up(1));
    let before = rig.counter(0, "INJECTED");
    rig.run(4 * PERIOD_CLOCKS);
    assert!(rig.counter(0, "INJECTED") >= before + 4);
    assert_eq!(rig.counter(0, "EPOCH_HOLD"), 0);
}

/// `clear` of the slave's time side, also while a Low is on the way: its time begins at 0, registers stay, and it locks again by itself.
#[test]
fn a_cleared_slave_locks_again() {
    let mut rig = Rig::new("clear", [2, 2]);
    rig.come_up();
    rig.start(EPOCH_NS, 1);
    rig.lock(12);
    for wait in [0, 1, 5, 9, 12, 20, 40] {
        // So many clocks after plane X of a Low.
        rig.until("a Low", 2 * PERIOD_CLOCKS, |rig| rig.get("taken[0].valid") == 1 && rig.low_taken(0));
        rig.run(wait);
        rig.set("clear_time[1]", 1);
        rig.clock();
        rig.set("clear_time[1]", 0);
        rig.clock();
        assert!(rig.sync(1) < 10 * CORE && rig.sync(1) >= 0, "{}", rig.sync(1));
        assert_eq!(rig.state(1), ServoState::Free);
    }
    let registers = [regs::TREE_PRIO, regs::CLOCK_OFFSET1, regs::ROLE];
    assert!(registers.iter().all(|register| rig.register(1, *register) != 0), "configuration stays");
    let periods = rig.lock(12);
    rig.run(8 * PERIOD_CLOCKS);
    rig.compare();
    rig.run(8 * PERIOD_CLOCKS);
    within_a_clock(&mut rig, &format!("locked again after {periods} periods"));
}

/// INC_F holds still while a round is out (4.8): a rate that is written in mid-round counts for the whole of it or not at all. Each round is
/// run three times from the same state of everything: at either rate, and with the rate written on the way.
#[test]
fn a_round_of_the_link_delay_has_one_rate() {
    let mut rig = Rig::new("rounds", [15, 15]);
    rig.come_up();
    let word = rig.register(0, regs::LDM_CTL);
    let word = ldm_ctl::rounds::FIELD.set(word.into(), 0);
    let start = ldm_ctl::start::FIELD.set(word, 1) as u64;
    // 450 ppm faster and slower, within LIMITS; F_ACC has 16 places more than INC_NOM.
    let rates = [450, -450]
        .map(|ppm: i64| (((50_i64 << 32) / 1_000_000 * ppm) << 16) as u64 & ((1 << F_ACC_BITS) - 1));
    let round = |rig: &mut Rig, before: u64, within: Option<(u64, u64)>| {
        rig.put(0, regs::F_ACC, before);
        rig.run(50);
        rig.put(0, regs::LDM_CTL, start);
        if let Some((wait, rate)) = within {
            rig.run(wait);
            rig.put(0, regs::F_ACC, rate);
        }
        rig.until("measured", 20_000, |rig| {
            ldm_mean::done::FIELD.get(rig.register(0, regs::LDM_MEAN).into()) == 1
        });
        ldm_mean::mean::FIELD.get(rig.register(0, regs::LDM_MEAN).into())
    };
    let mut seen = [0; 2];
    for wait in 0..120 {
        rig.run(37);
        let state = rig.block.instance.snapshot();
        let mut from = |rate: usize, within: Option<(u64, u64)>| {
            assert!(rig.block.instance.restore(&state));
            round(&mut rig, rates[rate], within)
        };
        let (fast, slow, moved) = (from(0, None), from(1, None), from(0, Some((wait, rates[1]))));
        assert!(fast > slow + 1, "{fast} {slow}");
        assert!(moved == fast || moved == slow, "{wait} clocks: {moved}, not {fast} or {slow}");
        seen[usize::from(moved == slow)] += 1;
    }
    println!("written in mid-round: {seen:?} rounds at the rate before and behind it");
    assert!(seen[0] > 10, "{seen:?}");
}
