//! Who follows whom, and what comes that should not.

use crate::time_hfi::rig::{handle, Rig, CORE, EPOCH_NS, PERIOD_CLOCKS};
use flitforge_hdl::time::hfi::{TimeHfi, TimeHfiConfig};
use flitforge_model::time::{TimeFlit, TimeHigh, TimeLow, TimeValue};
use flitforge_protocol::time::PhaseSource;
use flitforge_protocol::time_registers::{self as regs, mstr_ctl, tree_prio};
use flitforge_protocol::time_servo::ServoState;
use flitforge_testkit::Clocked;

fn tree_counter(rig: &mut Rig, name: &str) -> u64 {
    rig.register(1, regs::TREE_COUNTERS.offset_of(name).expect("a counter"))
}

fn generate(rig: &mut Rig, end: usize, tree: u64, on: bool) {
    let fields =
        [(mstr_ctl::gen_en::FIELD, on.into()), (mstr_ctl::tree::FIELD, tree), (mstr_ctl::index::FIELD, 9)];
    let word = fields.into_iter().fold(0, |word, (field, value)| field.set(word.into(), value) as u64);
    rig.put(end, regs::MSTR_CTL, word);
}

fn slave_of(trees: u64) -> u64 {
    tree_prio::slave_en::FIELD.set(0, trees) as u64
}

/// A Low of a tree that the slave does not follow is removed and counted.
#[test]
fn a_slave_takes_nothing_of_another_tree() {
    let mut rig = Rig::new("tree", [2, 2]);
    rig.come_up();
    rig.start(EPOCH_NS, 1);
    generate(&mut rig, 0, 2, true);
    rig.run(4 * PERIOD_CLOCKS);
    assert_eq!(rig.counter(1, "EXTRACTED"), 0);
    let (lows, highs) = (rig.core_counter(0, "GEN_LOW"), rig.core_counter(0, "GEN_HIGH"));
    assert!(lows >= 3 && highs >= 1);
    assert_eq!(rig.counter(1, "NOT_UPSTREAM"), lows + highs);
    assert_eq!((rig.state(1), rig.get("sync_epoch[1]")), (ServoState::Free, 0));
}

/// Per tree a device is master or slave: while it generates its tree it takes no other master's time; of another tree it may be both.
#[test]
fn a_device_is_master_or_slave_of_a_tree() {
    let mut rig = Rig::new("roles", [2, 2]);
    rig.come_up();
    rig.start(EPOCH_NS, 1);
    rig.lock(12);
    // Master of tree 1 and slave of tree 0, at once.
    rig.put(1, regs::GEN_CFG, every_period());
    generate(&mut rig, 1, 1, true);
    let samples = tree_counter(&mut rig, "SMP_OK");
    rig.run(4 * PERIOD_CLOCKS);
    assert!(tree_counter(&mut rig, "SMP_OK") >= samples + 3);
    assert!(rig.counter(0, "NOT_UPSTREAM") >= 4, "the peer does not follow tree 1");
    assert_eq!(rig.counter(1, "NOT_UPSTREAM"), 0);
    // Master of tree 0: the other master's Lows are not taken.
    generate(&mut rig, 1, 0, true);
    let samples = tree_counter(&mut rig, "SMP_OK");
    rig.run(4 * PERIOD_CLOCKS);
    assert_eq!(tree_counter(&mut rig, "SMP_OK"), samples);
    assert!(rig.counter(1, "NOT_UPSTREAM") >= 3);
    assert_eq!(rig.register(1, regs::TREE_PRIO), slave_of(1), "the register stays");
    // And a slave again.
    generate(&mut rig, 1, 0, false);
    rig.run(4 * PERIOD_CLOCKS);
    assert!(tree_counter(&mut rig, "SMP_OK") >= samples + 3);
    assert_eq!(rig.state(1), ServoState::Track);
}

/// GEN_CFG: a Low in every period of 2^20 ns, a High with every third.
fn every_period() -> u64 {
    let word = regs::gen_cfg::period::FIELD.set(0, 1);
    regs::gen_cfg::high_every::FIELD.set(word, 3) as u64
}

/// Special flits that no peer should send: each is removed and counted, and the slave's time does not notice.
#[test]
fn what_should_not_come_changes_no_time() {
    let mut rig = Rig::new("forged", [2, 2]);
    rig.come_up();
    rig.start(EPOCH_NS, 1);
    rig.lock(12);
    rig.run(4 * PERIOD_CLOCKS);
    rig.compare();
    let forge = |rig: &mut Rig, flit: u64| {
        let words = [flit, 0];
        rig.block.instance.set_words(handle("forged[1]"), &words);
        rig.set("forged_valid[1]", 1);
        rig.clock();
        rig.set("forged_valid[1]", 0);
        rig.run(200);
    };
    let coded = |flit: TimeFlit| flit.encode().expect("fits").data();
    let names = ["UNKNOWN_SUB", "NOT_UPSTREAM", "EXTRACTED"];
    let before = names.map(|name| rig.counter(1, name));
    let bad_era = tree_counter(&mut rig, "BAD_ERA");
    let outlier = rig.core_counter(1, "OUTLIER");
    // A reserved subtype.
    forge(&mut rig, 0x06 << 56 | 0x05 << 48 | 0x1234);
    // Another tree.
    let value = TimeValue::from_sixteenths(123_456 << 4);
    forge(&mut rig, coded(TimeFlit::Low(TimeLow { value, tree: 3, era: 1 })));
    // An era two ahead, and its High.
    let high = TimeHigh { time: 7, index: 1, tree: 0, era: 3, quality: 0 };
    forge(&mut rig, coded(TimeFlit::High(high)));
    forge(&mut rig, coded(TimeFlit::Low(TimeLow { value, tree: 0, era: 3 })));
    // Answers that nobody waits for.
    for turnaround in [0, 0x39980, u32::MAX] {
        let marker = TimeFlit::DelayResp { turnaround, tag: 0x5A, phase_valid: true, locked: true };
        forge(&mut rig, coded(marker));
    }
    let after = names.map(|name| rig.counter(1, name));
    assert_eq!([0, 1, 2].map(|name| after[name] - before[name]), [1, 1, 2]);
    assert_eq!(tree_counter(&mut rig, "BAD_ERA") - bad_era, 1);
    rig.run(8 * PERIOD_CLOCKS);
    let (least, most, _) = rig.differences();
    assert!(least >= -CORE && most <= CORE, "{least} {most}");
    assert_eq!((rig.state(1), rig.core_counter(1, "OUTLIER")), (ServoState::Track, outlier));
    // A port that is not there answers 0, and a write to it does nothing.
    rig.put(1, regs::PORT_SEL, 5);
    rig.put(1, regs::RX_CORR, 77);
    assert_eq!(rig.register(1, regs::ROLE), 0);
    rig.put(1, regs::PORT_SEL, 0);
    assert_eq!((rig.register(1, regs::ROLE), rig.register(1, regs::RX_CORR)), (0x200, 0));
    // ROLE with one tree up and down is refused.
    let refused = rig.core_counter(1, "REFUSED");
    rig.put(1, regs::ROLE, 0x11);
    assert_eq!((rig.register(1, regs::ROLE), rig.core_counter(1, "REFUSED")), (0x200, refused + 1));
}

/// What was not built reads 0 whatever is written, is acknowledged, and does nothing.
#[test]
fn registers_of_a_part_that_is_missing_read_0() {
    let mut rig = Rig::of_roles("missing", [2, 2]);
    rig.come_up();
    let servo = [regs::GAIN, regs::GAIN_ACQ, regs::THR, regs::LOCK_CFG, regs::SERVO_CTL, regs::TREE_PRIO];
    let generator = [regs::MSTR_CTL, regs::GEN_CFG];
    let tree = [regs::SMP_STAT, regs::SMP_POP, regs::CLOCK_OFFSET0, regs::CLOCK_OFFSET1];
    for (end, missing) in [(0, [&servo[..], &tree[..]].concat()), (1, generator.to_vec())] {
        for offset in missing {
            for value in [u64::MAX, 0x0000_000A_0000_0005] {
                rig.put(end, offset, value);
                assert_eq!(rig.register(end, offset), 0, "end {end}, {offset:#x}");
            }
        }
    }
    let trees = |rig: &mut Rig, end| regs::time_id::trees::FIELD.get(rig.register(end, regs::TIME_ID).into());
    assert_eq!((trees(&mut rig, 0), trees(&mut rig, 1)), (0, 1));
    // What the other end has is there: the same registers hold.
    for (end, offset) in
        servo.map(|offset| (1, offset)).into_iter().chain(generator.map(|offset| (0, offset)))
    {
        rig.put(end, offset, 0x0000_000A_0000_0005);
        assert_ne!(rig.register(end, offset), 0, "end {end}, {offset:#x}");
    }
    // A slave told to generate sends nothing.
    rig.put(1, regs::MSTR_CTL, 1);
    rig.run(4 * PERIOD_CLOCKS);
    assert_eq!((rig.core_counter(1, "GEN_LOW"), rig.counter(0, "EXTRACTED")), (0, 0));
    assert_eq!((rig.state(0), rig.get("sync_epoch[0]")), (ServoState::Free, 0));
    // Lows that come to a master without slave are removed and counted.
    let low = TimeFlit::Low(TimeLow { value: TimeValue::from_sixteenths(99), tree: 0, era: 0 });
    let (before, words) = (rig.counter(1, "NOT_UPSTREAM"), [low.encode().expect("fits").data(), 0]);
    assert_eq!(before, 0);
    let not_upstream = rig.counter(0, "NOT_UPSTREAM");
    rig.block.instance.set_words(handle("forged[0]"), &words);
    rig.set("forged_valid[0]", 1);
    rig.clock();
    rig.set("forged_valid[0]", 0);
    rig.run(200);
    assert_eq!(rig.counter(0, "NOT_UPSTREAM"), not_upstream + 1);
}

#[test]
fn configurations_that_cannot_work_are_refused() {
    let good = TimeHfiConfig::small(6_400_000, 95);
    assert!(good.check().is_ok());
    let mut slow = good;
    // INC_NOM has 6 bits of whole nanoseconds.
    slow.port = flitforge_hdl::time::port::TimePortConfig::one_clock(1, 64_000_000);
    let mut ratio = good;
    // BEAT where core and word clock are of one oscillator.
    ratio.port.phase_source = PhaseSource::Beat;
    let mut wide = good;
    wide.port.flits = 2;
    let bad = [
        slow,
        ratio,
        TimeHfiConfig { period: 0, ..good },
        TimeHfiConfig { fifo_depth: 3, ..good },
        TimeHfiConfig { trees: 5, ..good },
        TimeHfiConfig { pulse_clocks: 0, ..good },
    ];
    for config in bad {
        assert!(config.check().is_err(), "{config:?}");
        assert!(TimeHfi::<1, 65, 0, 0, 1>::new(&config).is_err(), "{config:?}");
    }
    assert!(wide.check().is_ok() && TimeHfi::<1, 65, 0, 0, 1>::new(&wide).is_err(), "F is not f");
    assert!(TimeHfi::<1, 65, 0, 0, 2>::new(&good).is_err(), "TREES is not trees");
}
