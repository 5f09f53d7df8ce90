//! Priority flow control against the golden model, on all simulators.

use super::mac_control::{shared, wrong, EachClock, FrameFeeder, Gather};
use flitforge_hdl_sue::pfc::EthPfc;
use flitforge_model::sue::format::classes::{Class, ClassTable};
use flitforge_model::sue::format::PriorityPause;
use flitforge_model::sue::link::{PauseConfig, PauseThreshold, PauseTimers};
use flitforge_protocol::sue::class::{ClassUse, Loss, CLASSES};
use flitforge_protocol::sue::link_control::PRIORITIES;
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::cosim::FULL_CLOCKS;
use flitforge_sim::kit::{
    rng, seed, ClearDriver, Coverage, Pace, Rng, StimulusFn, StreamMonitor, StreamSink, Testbench,
};
use flitforge_sim::{Bench, CosimPlan, SimError};
use flitforge_testkit::depth;
use rand::Rng as _;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

pub(super) const SOURCE: u64 = 0x0201_1234_0050;

/// What the registers say.
#[derive(Clone, Copy)]
pub(super) struct Settings {
    pub(super) classes: ClassTable,
    pub(super) thresholds: [(u64, u64); CLASSES],
    pub(super) quanta: u16,
    pub(super) watchdog: u64,
}

impl Settings {
    pub(super) fn new(quanta: u16, watchdog: u64) -> Self {
        let thresholds = [(40, 20), (200, 7), (3, 2), (255, 254), (16, 0), (1, 0)];
        Self { classes: ClassTable::default(), thresholds, quanta, watchdog }
    }

    fn class(&self, class: usize) -> Class {
        self.classes.class(ClassUse::ALL[class])
    }

    fn priority(&self, class: usize) -> usize {
        self.class(class).pcp.into()
    }

    fn is_lossless(&self, class: usize) -> bool {
        self.class(class).loss == Loss::Lossless
    }

    /// All ports that hold still.
    pub(super) fn ports(&self) -> Vec<(String, u64)> {
        let mut ports = vec![
            ("enable".into(), 1),
            ("quanta".into(), self.quanta.into()),
            ("watchdog".into(), self.watchdog),
            ("source".into(), SOURCE),
        ];
        let lossless = (0..CLASSES).filter(|class| self.is_lossless(*class));
        ports.push(("lossless".into(), lossless.fold(0, |mask, class| mask | 1 << class)));
        for (class, (xoff, xon)) in self.thresholds.into_iter().enumerate() {
            ports.push((format!("xoff[{class}]"), xoff));
            ports.push((format!("xon[{class}]"), xon));
            ports.push((format!("priorities[{class}]"), self.priority(class) as u64));
        }
        ports
    }

    /// The golden model's settings; a watchdog counts from one mark of 1024 clocks to another.
    pub(super) fn golden(&self) -> PauseConfig {
        let thresholds = self
            .thresholds
            .map(|(xoff, xon)| PauseThreshold { xoff: xoff as usize * 64, xon: xon as usize * 64 });
        let quanta = self.quanta;
        PauseConfig {
            quanta,
            watchdog: self.watchdog * 1024,
            ..PauseConfig::new(self.classes, thresholds, SOURCE)
        }
    }
}

/// A timer that is set.
struct Load {
    at: u64,
    priority: usize,
    quanta: u16,
}

/// The end that honours pauses: the golden model, each priority set when its turn comes.
struct Honours {
    settings: Settings,
    golden: PauseTimers,
    /// First clock after the last clear: priorities take turns from here.
    start: u64,
    loads: Vec<Load>,
    /// Priorities held until their timer is set: from, to, both included.
    held: Vec<(u64, u64, usize)>,
    fired: [Option<u64>; CLASSES],
    seen: Coverage,
}

impl Honours {
    fn new(settings: Settings, start: u64, seen: Coverage) -> Self {
        let golden = PauseTimers::new(settings.golden()).expect("settings");
        Self { settings, golden, start, loads: vec![], held: vec![], fired: [None; CLASSES], seen }
    }

    fn verdict(&mut self, clock: u64, frame: &[u8], good: bool) {
        let pause = match PriorityPause::decode(frame) {
            Ok(pause) if good => pause,
            Ok(_) => return self.seen.hit("bad PFC frame"),
            Err(_) => return self.seen.hit("no PFC frame"),
        };
        for (priority, quanta) in pause.quanta.into_iter().enumerate() {
            let Some(quanta) = quanta else { continue };
            let turn = |clock: u64| (clock - self.start) as usize % PRIORITIES;
            let visit = (clock + 3..).find(|clock| turn(*clock) == priority).expect("a turn");
            self.held.push((clock + 3, visit + 2, priority));
            self.loads.push(Load { at: visit + 3, priority, quanta });
            self.seen.hit(if quanta == 0 { "end of a pause" } else { "pause" });
        }
    }

    /// Outputs at `clock` show the state of the clock before.
    fn check(&mut self, clock: u64, paused: u64, received: u64, storm: u64) -> Result<(), SimError> {
        let of = |clock: u64| {
            let named = move |load: &&Load| load.at == clock;
            self.loads.iter().filter(named).fold(0, |mask: u64, load| mask | 1 << load.priority)
        };
        let by_class = |priorities: u64| {
            (0..CLASSES)
                .fold(0, |mask: u64, class| mask | (priorities >> self.settings.priority(class) & 1) << class)
        };
        let named = by_class(of(clock));
        if received != named {
            return Err(wrong(clock, format!("received {received:06b}, expected {named:06b}")));
        }
        let now = clock - 1;
        let mut quanta = [None; PRIORITIES];
        for load in self.loads.iter().filter(|load| load.at == now) {
            quanta[load.priority] = Some(load.quanta);
        }
        if quanta.iter().any(Option::is_some) {
            self.golden.receive(&PriorityPause { source: 0, quanta }, now);
        }
        self.loads.retain(|load| load.at > now);
        self.held.retain(|(_, to, _)| *to >= now);
        let held = self.held.iter().filter(|(from, ..)| *from <= now).fold(0, |mask, (.., p)| mask | 1 << p);
        let is_paused = |class: usize| {
            self.golden.is_paused(ClassUse::ALL[class], now) || held >> self.settings.priority(class) & 1 == 1
        };
        let expected = (0..CLASSES).fold(0, |mask, class| mask | u64::from(is_paused(class)) << class);
        if paused != expected {
            return Err(wrong(clock, format!("paused {paused:06b}, expected {expected:06b}")));
        }
        for class in self.golden.expire(now) {
            self.fired[class as usize] = Some(now);
        }
        for class in 0..CLASSES {
            let fires = storm >> class & 1 == 1;
            match self.fired[class] {
                Some(since) if fires && clock <= since + 1024 => {
                    self.fired[class] = None;
                    self.seen.hit("storm");
                }
                Some(since) if !fires && clock > since + 1024 => {
                    return Err(wrong(clock, format!("class {class}: no event of PFC_WD since {since}")));
                }
                None if fires => return Err(wrong(clock, format!("class {class}: event without PFC_WD"))),
                _ => {}
            }
            if !self.golden.is_paused(ClassUse::ALL[class], now) {
                self.fired[class] = None;
            }
        }
        Ok(())
    }
}

/// The end that asks for pauses, by the rules of the block's page.
struct Asks {
    settings: Settings,
    start: u64,
    fill: [u64; CLASSES],
    wanted: [bool; CLASSES],
    asked: [bool; CLASSES],
    /// A frame has begun and not left.
    busy: bool,
    /// Frames that must come: when they are offered, and what they say.
    due: VecDeque<(u64, [Option<u16>; PRIORITIES])>,
    /// Classes that the last frame names, and the clock at which it is said that it leaves.
    named: u64,
    sent: Option<u64>,
    within: bool,
    renewal: u64,
    begun: bool,
    gather: Gather,
    seen: Coverage,
}

impl Asks {
    fn new(settings: Settings, start: u64, seen: Coverage) -> Self {
        let none = [false; CLASSES];
        let fill = [0; CLASSES];
        let (due, gather) = (VecDeque::new(), Gather::default());
        Self {
            settings,
            start,
            fill,
            wanted: none,
            asked: none,
            busy: false,
            due,
            named: 0,
            sent: None,
            within: false,
            renewal: 0,
            begun: false,
            gather,
            seen,
        }
    }

    /// One clock: what the fill at it leads to.
    fn step(&mut self, clock: u64) {
        let renews = self.asked.contains(&true) && self.renewal == 0;
        let before = (self.asked, self.wanted);
        let begins = !self.busy && (self.wanted != self.asked || renews);
        let ticks = (clock - self.start) % 8 == 7;
        if begins {
            self.seen.hit(if self.wanted == self.asked { "renewal" } else { "news" });
            let mut quanta = [None; PRIORITIES];
            for class in 0..CLASSES {
                let priority = self.settings.priority(class);
                if self.wanted[class] {
                    quanta[priority] = Some(self.settings.quanta);
                } else if self.asked[class] && quanta[priority].is_none() {
                    quanta[priority] = Some(0);
                    self.seen.hit("XON");
                }
            }
            self.due.push_back((clock + 9, quanta));
            let is_named = |class: &usize| self.wanted[*class] || self.asked[*class];
            self.named = (0..CLASSES).filter(is_named).fold(0, |mask, class| mask | 1 << class);
            (self.asked, self.busy) = (self.wanted, true);
        }
        // The time is set a clock later.
        if std::mem::replace(&mut self.begun, begins) {
            self.renewal = u64::from(self.settings.quanta / 2);
        } else if ticks {
            self.renewal = self.renewal.saturating_sub(1);
        }
        self.wanted = std::array::from_fn(|class| {
            let (xoff, xon) = self.settings.thresholds[class];
            let fill = self.fill[class];
            self.settings.is_lossless(class) && if before.0[class] { fill > xon } else { fill >= xoff }
        });
    }
}

/// Frames of all kinds, most of them PFC; some changed, some cut off.
fn any_frame(random: &mut Rng, longest: u16) -> (Vec<u8>, bool) {
    let mut quanta = [None; PRIORITIES];
    for quanta in &mut quanta {
        *quanta = match random.random_range(0..10) {
            0..4 => None,
            4..6 => Some(0),
            6..9 => Some(random.random_range(1..40)),
            _ => Some(random.random_range(1..=longest)),
        };
    }
    let mut frame =
        PriorityPause { source: random.random_range(0..1 << 48), quanta }.encode().expect("a frame");
    match random.random_range(0..10) {
        0 => frame.truncate(random.random_range(1..=frame.len())),
        1 => frame[random.random_range(0..18)] ^= 1 << random.random_range(0..8),
        2 => frame = (0..random.random_range(1..100)).map(|_| random.random()).collect(),
        3 => frame.extend((0..random.random_range(1..200)).map(|_| random.random::<u8>())),
        _ => {}
    }
    (frame, random.random_bool(0.8))
}

/// A PFC frame that ends no pause.
fn long_pauses(random: &mut Rng) -> Vec<u8> {
    let quanta = std::array::from_fn(|_| random.random_bool(0.5).then(|| random.random_range(400..=1500)));
    PriorityPause { source: random.random_range(0..1 << 48), quanta }.encode().expect("a frame")
}

fn set_all(bench: &mut dyn Bench, ports: &[(String, u64)]) -> Result<(), SimError> {
    for (path, value) in ports {
        let port = bench.port(path)?;
        bench.set_u64(port, *value);
    }
    Ok(())
}

fn stimulus(
    settings: Settings,
    testbench: &mut Testbench<'static>,
    seed: u64,
    seen: &Rc<RefCell<Coverage>>,
) -> Result<(), SimError> {
    let honours = shared(Honours::new(settings, 0, Coverage::default()));
    let asks = shared(Asks::new(settings, 0, Coverage::default()));
    let still = settings.ports();
    let (mut random, filled) = (rng(seed, "fill"), asks.clone());
    testbench.add(StimulusFn(move |clock: u64, bench: &mut dyn Bench| {
        if clock == 0 {
            set_all(bench, &still)?;
        }
        let mut asks = filled.borrow_mut();
        // At times the fill rests, so that a frame is renewed.
        let rests = clock % 4096 > 2500;
        for class in 0..CLASSES {
            if !rests && random.random_bool(0.03) {
                let (xoff, xon) = settings.thresholds[class];
                asks.fill[class] = [0, xon, xon + 1, xoff - 1, xoff, 255][random.random_range(0..6)];
            }
            let port = bench.port(&format!("fill[{class}]"))?;
            bench.set_u64(port, asks.fill[class]);
        }
        Ok(())
    }));
    testbench.add(
        ClearDriver::new(testbench.bench(), "clear", seed)?.at_random(0.000_1, 1..=3).in_mid_transfer(
            testbench.bench(),
            "frame",
            0.000_3,
        )?,
    );
    let told = honours.clone();
    // At times nothing ends a pause, so that some last as long as the watchdog.
    let mut number = 0_u32;
    let make = move |random: &mut Rng| {
        number += 1;
        if number % 600 < 300 {
            any_frame(random, 600)
        } else {
            (long_pauses(random), true)
        }
    };
    testbench.add(FrameFeeder::new(testbench.bench(), seed, (12, 0.2), make, move |clock, frame, good| {
        told.borrow_mut().verdict(clock, frame, good);
    })?);
    let (took, offered) = (asks.clone(), asks.clone());
    testbench.add(StreamSink::new(testbench.bench(), "frame", seed)?.pace(Pace::mixed()).on_transfer(
        move |clock, word| {
            let mut asks = took.borrow_mut();
            if !std::mem::replace(&mut asks.within, !word.bit(68)) {
                asks.sent = Some(clock + 1);
            }
            let Some(frame) = asks.gather.word(word) else { return Ok(()) };
            let (_, expected) = asks.due.pop_front().ok_or_else(|| wrong(clock, "a frame too many"))?;
            let came = PriorityPause::decode(&frame).map_err(|error| wrong(clock, error.to_string()))?;
            asks.busy = false;
            let wanted = PriorityPause { source: SOURCE, quanta: expected };
            let is_right = came == wanted && frame == wanted.encode().expect("a frame");
            is_right.then_some(()).ok_or_else(|| wrong(clock, format!("{came:?}, expected {wanted:?}")))
        },
    ));
    testbench.add(StreamMonitor::new(testbench.bench(), "frame")?);
    let port = |path| testbench.bench().port(path);
    let [clear, valid, sent] = [port("clear")?, port("frame.valid")?, port("sent")?];
    let told = [port("paused")?, port("received")?, port("storm")?];
    let seen = seen.clone();
    testbench.add(EachClock(move |clock: u64, bench: &mut dyn Bench| {
        let (mut honours, mut asks) = (honours.borrow_mut(), offered.borrow_mut());
        if clock > honours.start {
            let [paused, received, storm] = told.map(|port| bench.get_u64(port));
            let named = if asks.sent == Some(clock) { asks.named } else { 0 };
            if bench.get_u64(sent) != named {
                return Err(wrong(clock, format!("sent, expected {named:06b}")));
            }
            honours.check(clock, paused, received, storm)?;
        }
        let is_offered = bench.get_bit(valid);
        let should = asks.due.front().is_some_and(|(at, _)| *at <= clock);
        // the last word has been taken in this clock, and the frame is off the list
        if is_offered != should && (asks.busy || !is_offered) {
            return Err(wrong(clock, format!("a frame is offered: {is_offered}, expected {should}")));
        }
        if bench.get_bit(clear) {
            let now = clock + 1;
            let coverage = (std::mem::take(&mut honours.seen), std::mem::take(&mut asks.seen));
            let fill = asks.fill;
            *honours = Honours::new(settings, now, coverage.0);
            *asks = Asks { fill, ..Asks::new(settings, now, coverage.1) };
        } else if is_offered && !asks.busy {
            // `Watch` is reached a clock later
            asks.busy = true;
            asks.step(clock);
            asks.busy = false;
        } else {
            asks.step(clock);
        }
        let mut all = seen.borrow_mut();
        *all = honours.seen.clone();
        all.merge(&asks.seen);
        Ok(())
    }));
    Ok(())
}

fn plan(name: &str, settings: Settings, seen: &Rc<RefCell<Coverage>>) -> CosimPlan<'static> {
    let seen = seen.clone();
    let make = || Box::new(EthPfc::default()) as _;
    CosimPlan::new(name, seed(0x9fc), make, move |testbench: &mut Testbench<'_>, seed| {
        stimulus(settings, testbench, seed, &seen)
    })
}

/// Two classes with one priority, and priorities 6 and 7.
fn shared_priorities() -> ClassTable {
    let mut classes =
        ClassUse::ALL.iter().map(|class| ClassTable::default().class(*class)).collect::<Vec<_>>();
    for (class, pcp) in [(1, 7), (2, 7), (3, 6), (5, 3)] {
        classes[class].pcp = pcp;
    }
    ClassTable::new(classes.try_into().expect("six")).expect("a table")
}

#[test]
fn it_does_what_the_model_does() {
    let shared = Settings { classes: shared_priorities(), ..Settings::new(60, 2) };
    for (name, settings) in [("eth_pfc", Settings::new(40, 1)), ("eth_pfc_shared", shared)] {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        plan(name, settings, &seen)
            .clocks(FULL_CLOCKS)
            .stock_limit(5_000, "a quick run: rust-hdl itself is slow")
            .to_depth(depth())
            .cover(&["clear.pulses"])
            .run()
            .expect("equal");
        let all =
            ["pause", "end of a pause", "bad PFC frame", "no PFC frame", "storm", "news", "renewal", "XON"];
        seen.borrow().require(name, &all).expect("everything happened");
    }
}

#[test]
fn faults_are_found() {
    const RECEIVE: &str = "pfc_receive";
    let faults = [
        Fault::replace(
            "a bad frame counts",
            "control_verdicts",
            "is_good_q <= verdicts_data",
            "is_good_q <= 1'b1",
        ),
        Fault::replace(
            "reserved bits are not looked at",
            RECEIVE,
            "is_vector_d = ~(|upper) & ",
            "is_vector_d = ",
        ),
        Fault::replace(
            "a pause that is renewed begins anew",
            RECEIVE,
            "if (~is_active_q) begin",
            "if (is_set_q) begin",
        ),
        Fault::replace("XON at XOFF", "pfc_send", "threshold_1 = xon_0;", "threshold_1 = xoff_0;"),
    ];
    let plan = || {
        plan("fault_eth_pfc", Settings::new(40, 1), &Rc::default())
            .clocks(20_000)
            .stock_limit(200, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}
