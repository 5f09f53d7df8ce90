//! Link delay, lock and error of a slave whose words and clocks are those of other oscillators.

use crate::time_beat::net::{port_config, Net, CORE_FS, DDMTD_WORD_FS};
use flitforge_fabric::manager::program::{Generation, Manager};
use flitforge_fabric::manager::tables::LinkMeasurement;
use flitforge_fabric::manager::tree::TreePolicy;
use flitforge_fabric::manager::RegisterAccess;
use flitforge_fabric::topology::{DeviceKind, Port, Topology};
use flitforge_model::time::config::increment;
use flitforge_protocol::time::PhaseSource;
use flitforge_protocol::time_registers::{self as regs, lag};
use flitforge_protocol::time_servo::ServoState;
use flitforge_sim::cosim::Depth;
use flitforge_testkit::depth;

/// Core clocks of a period of 2^20 ns, and a few more.
const PERIOD_CLOCKS: u64 = (1 << 20) / 50 + 3;
const MASTER_NS: u64 = 1_700_000_000_000_000_000;
/// What the oscillators are off, and the line, fs; the last one in full runs only. With the second one a meter's count begins where the port's
/// count is just going to rise: half a word of error if it began with a single reading.
const LINES: [([i64; 2], u64); 3] =
    [([100, -150], 403_700_000), ([44, -62], 444_684_000), ([-180, 35], 1_207_300_000)];
/// A nanosecond.
const NS: i128 = 1_000_000;

/// What came of a run, fs: the smallest and largest error of the slave, and its mean.
struct Outcome {
    periods: u64,
    least: i128,
    most: i128,
    mean: i128,
}

impl Outcome {
    fn worst(&self) -> i128 {
        self.most.max(-self.least)
    }
}

/// Core clocks until all four meters say `phase_ok`.
fn meters_ready(net: &mut Net) -> u64 {
    for clocks in (0..2_000_000).step_by(1_000) {
        let ready = |end| lag::phase_ok::FIELD.get(net.read(end, regs::LAG).expect("there").into()) == 1;
        if [0, 1].map(ready) == [true; 2] {
            return clocks;
        }
        net.run(1_000);
    }
    panic!("meters without a phase");
}

/// The manager measures the link, programs end 0 as master and end 1 as its slave.
fn follow(source: PhaseSource, (ppm, delay_fs): ([i64; 2], u64), periods: u64) -> Outcome {
    let mut net = Net::new(source, ppm, delay_fs);
    net.come_up();
    let ready = meters_ready(&mut net);
    let mut topology = Topology::new();
    let [master, slave] = [(); 2].map(|()| topology.add(DeviceKind::Hfi));
    let port = |device| Port { device, port: 0 };
    topology.connect(port(master), port(slave)).expect("free");
    let mut manager = Manager::new(topology, increment(CORE_FS), TreePolicy::ShortestDelay);
    let clock = 50 * 256;
    let tolerance = if source == PhaseSource::None { 4 * clock } else { clock / 32 };
    let how = LinkMeasurement { rounds_log2: 4, asymmetry: 0, tolerance };
    manager.measure(&mut net, &how).expect("measured");
    let plan = manager.plan(master, 0).expect("a tree");
    net.write(0, regs::SET_TIME, MASTER_NS).expect("there");
    net.write(0, regs::SET_CMD, 1).expect("there");
    let generation = Generation { period: 1, phase: 0, high_every: 3, quality: 1 };
    manager.start(&mut net, &plan, 2, &generation).expect("programmed");
    net.pace = 0.3;
    let mut until_lock = 0;
    while net.state(1) != ServoState::Track {
        net.run(PERIOD_CLOCKS);
        until_lock += 1;
        assert!(until_lock <= 12, "{:?}", net.state(1));
    }
    net.run(8 * PERIOD_CLOCKS);
    let mut errors = vec![];
    for _ in 0..periods * 100 {
        net.run(PERIOD_CLOCKS / 100);
        errors.push(net.apart_fs());
    }
    assert_eq!(net.state(1), ServoState::Track);
    assert_eq!(net.gaps(), [0, 0], "words that did not go");
    assert!(net.flits().iter().all(|arrived| *arrived > 1000), "packets came");
    let mean = errors.iter().sum::<i128>() / errors.len() as i128;
    let least = *errors.iter().min().expect("some");
    let most = *errors.iter().max().expect("some");
    println!(
        "{source:?}, {ppm:?} ppm, {} ns: meters ready after {ready} clocks, TRACK after {until_lock} periods, then slave less master {} to {} ps, mean {} ps",
        delay_fs / 1_000_000,
        least / 1000,
        most / 1000,
        mean / 1000
    );
    Outcome { periods: until_lock, least, most, mean }
}

/// T10, T12 and T13 at one hop with real meters: the manager measures the link, the slave locks within 12 periods, |error| <= T, |mean| < 1 ns; without a phase
/// source the same slave is worse.
#[test]
fn a_slave_locks_over_a_real_link_with_beat_meters() {
    let (periods, lines) = match depth() {
        Depth::Quick => (16, &LINES[..2]),
        _ => (200, &LINES[..]),
    };
    for line in lines {
        let beat = follow(PhaseSource::Beat, *line, periods);
        assert!(beat.periods <= 12 && beat.worst() <= i128::from(CORE_FS) && beat.mean.abs() < NS);
        let none = follow(PhaseSource::None, *line, periods);
        assert!(none.worst() > 4 * beat.worst(), "{} fs, {} fs", none.worst(), beat.worst());
    }
}

/// T10, T12 and T13 the same with word clocks of 4/3 of the core clock's period, where BEAT is refused, and DDMTD meters with helper clocks of their own oscillators.
#[test]
fn a_slave_locks_over_a_real_link_with_ddmtd_meters() {
    let refused = port_config(PhaseSource::Beat, DDMTD_WORD_FS).check().expect_err("within 0.1 % of 4/3");
    assert!(refused.to_string().contains("DDMTD"), "{refused}");
    port_config(PhaseSource::Ddmtd, DDMTD_WORD_FS).check().expect("DDMTD sees it");
    let (periods, lines) = match depth() {
        Depth::Quick => (16, &LINES[..1]),
        _ => (200, &LINES[..]),
    };
    for line in lines {
        // Core clock and words sent are of one oscillator: the meter sees four places of a word, and its constant part is off by an eighth at most.
        let ddmtd = follow(PhaseSource::Ddmtd, *line, periods);
        assert!(ddmtd.periods <= 12 && ddmtd.worst() <= i128::from(DDMTD_WORD_FS / 8));
    }
}
