//! `time_inject`.

use crate::support::build;
use crate::time::support::{expect_bits, payload};
use flitforge_hdl::registry::{find, Settings};
use flitforge_hdl::time::inject::TimeInject;
use flitforge_model::time::clocked::{ClockedInjector, InjectInputs};
use flitforge_model::time::inject::TimeBeat;
use flitforge_model::time::{RingContent, RingSlot, TimeFlit, TimeHigh, TimeLow, TimeValue};
use flitforge_model::Flit;
use flitforge_protocol::flit::Opcode;
use flitforge_protocol::time_ring::{slot_control, Embed};
use flitforge_sim::kit::{rng, seed, Rng as KitRng, StimulusFn};
use flitforge_sim::{open, Bench, CosimPlan, PortValues, SimError};
use flitforge_testkit::flits::{beat_value, flits_of};
use flitforge_testkit::wide::{drive_wide, wide};
use flitforge_testkit::{depth, drive_all, Seen};
use rand::Rng;

/// What a run is built with and what it is given.
#[derive(Clone, Copy)]
pub struct Case {
    pub name: &'static str,
    pub flits: usize,
    pub embed: Embed,
    pub tx_wait_max: u64,
    pub trees: u8,
    pub rper: u32,
    /// Share of clocks in which a ring has a copy.
    pub traffic: f64,
}

pub const CASES: [Case; 8] = [
    Case {
        name: "crowded",
        flits: 2,
        embed: Embed::Value,
        tx_wait_max: 40,
        trees: 4,
        rper: 0x33_3333,
        traffic: 0.3,
    },
    Case {
        name: "usual",
        flits: 2,
        embed: Embed::Value,
        tx_wait_max: 4096,
        trees: 4,
        rper: 0x66_6666,
        traffic: 0.02,
    },
    Case {
        name: "f1",
        flits: 1,
        embed: Embed::Flit,
        tx_wait_max: 3,
        trees: 4,
        rper: 0x3FF_FFFF,
        traffic: 0.1,
    },
    Case { name: "f4", flits: 4, embed: Embed::Flit, tx_wait_max: 1, trees: 4, rper: 1, traffic: 0.1 },
    Case {
        name: "impatient",
        flits: 2,
        embed: Embed::Value,
        tx_wait_max: 0,
        trees: 4,
        rper: 0x20_0000,
        traffic: 0.1,
    },
    Case {
        name: "single",
        flits: 1,
        embed: Embed::Value,
        tx_wait_max: 40,
        trees: 1,
        rper: 0x33_3333,
        traffic: 0.3,
    },
    Case {
        name: "single_usual",
        flits: 1,
        embed: Embed::Value,
        tx_wait_max: 4096,
        trees: 1,
        rper: 0x66_6666,
        traffic: 0.02,
    },
    Case {
        name: "single_flit",
        flits: 1,
        embed: Embed::Flit,
        tx_wait_max: 1,
        trees: 1,
        rper: 0x3FF_FFFF,
        traffic: 0.1,
    },
];

/// Clocks after power-on until RPER counts.
const RPER_CLOCKS: u64 = 32;

/// How a link and its manager go on.
struct Surroundings {
    random: KitRng,
    sources: [u8; 4],
    /// RING_SEL by tree.
    rings: [usize; 4],
    advance: bool,
    open: bool,
    hold: bool,
}

impl Surroundings {
    fn clock(&mut self, clock: u64) {
        let random = &mut self.random;
        if clock % 300 == 0 {
            self.sources = std::array::from_fn(|_| random.random_range(0..64));
            self.rings = std::array::from_fn(|_| random.random_range(0..2));
            self.advance = random.random();
        }
        self.open ^= random.random_bool(if self.open { 0.02 } else { 0.1 });
        self.hold ^= random.random_bool(if self.hold { 0.2 } else { 0.002 });
    }

    /// A slot in the copy register of a ring, now and then damaged or of another source.
    fn slot(&mut self, ring: usize, case: Case) -> Option<u128> {
        let embed = case.embed;
        let random = &mut self.random;
        let tree = random.random_range(0..case.trees);
        let place = usize::from(tree);
        if self.rings[place] != ring {
            return None;
        }
        let era = random.random_range(0..4);
        let content = if random.random_bool(0.6) {
            RingContent::Low(TimeLow { value: TimeValue::from_sixteenths(random.random()), tree, era })
        } else {
            let quality = random.random_range(0..16);
            RingContent::High(TimeHigh { time: random.random(), index: random.random(), tree, era, quality })
        };
        let wrong = if random.random_bool(0.1) { random.random_range(1..64) } else { 0 };
        let slot = RingSlot::new(content, self.sources[place] ^ wrong, random.random_range(0..16));
        let bits = RingSlot { mon: random.random(), ..slot }.encode(embed).expect("fits");
        // Neither mon nor v is covered by the parity.
        let unchecked = [slot_control::mon::LOW, slot_control::v::LOW].map(|bit| bit + embed.data_bits());
        let upset = random.random_range(0..embed.slot_bits());
        let damaged = random.random_bool(0.05) && !unchecked.contains(&upset);
        Some(bits ^ u128::from(damaged) << upset)
    }
}

fn stimulus(case: Case) -> impl FnMut(u64, &mut dyn Bench) -> Result<(), SimError> {
    let mut around = Surroundings {
        random: rng(seed(0x1213), case.name),
        sources: [0; 4],
        rings: [0; 4],
        advance: false,
        open: true,
        hold: false,
    };
    move |clock, bench| {
        around.clock(clock);
        for ring in 0..2 {
            let comes = around.random.random_bool(case.traffic);
            let bits = if comes { around.slot(ring, case) } else { None };
            drive_all(bench, &[(&format!("copy[{ring}].valid"), bits.is_some().into())])?;
            let bits = bits.unwrap_or_else(|| around.random.random());
            drive_wide(bench, &format!("copy[{ring}].data"), bits)?;
            drive_wide(bench, &format!("copy_control[{ring}]"), bits >> case.embed.data_bits())?;
        }
        let sources = around.sources.iter().rev().fold(0, |all, source| all << 6 | u64::from(*source));
        let random = &mut around.random;
        let ready = if around.open { random.random_bool(0.8) } else { !around.advance };
        let clear = clock < RPER_CLOCKS + 8 || random.random_bool(0.002);
        let inputs = [
            ("clear", clear.into()),
            ("sources", sources),
            ("rper", case.rper.into()),
            ("wper", random.random_range(0..1 << 26)),
            ("lag", random.random_range(0..1 << 20)),
            ("advance", around.advance.into()),
            ("hold", around.hold.into()),
            ("tx_wait_max", case.tx_wait_max),
            ("tx_open", around.open.into()),
            ("time_out.ready", ready.into()),
            ("request.valid", random.random_bool(0.1).into()),
            ("request.data", random.random_range(0..1 << 8)),
            ("response.valid", random.random_bool(0.1).into()),
            ("response.data", random.random_range(0..1 << 42)),
        ];
        drive_all(bench, &inputs)
    }
}

fn inputs_of(inputs: &PortValues, embed: Embed) -> Result<InjectInputs, SimError> {
    let copy = |ring: usize| -> Result<Option<u128>, SimError> {
        let control = u128::from(inputs.u64(&format!("copy_control[{ring}]"))?);
        let data = wide(&inputs.get(&format!("copy[{ring}].data"))?);
        let valid = inputs.bit(&format!("copy[{ring}].valid"))?;
        Ok(valid.then_some(data | control << embed.data_bits()))
    };
    let sources = inputs.u64("sources")?;
    let flit = |subtype: u64, data: u64| {
        TimeFlit::decode(Flit::control(Opcode::Spc, subtype << 48 | data)).expect("a marker")
    };
    let request = flit(3, inputs.u64("request.data")?);
    let response = flit(4, inputs.u64("response.data")?);
    Ok(InjectInputs {
        clear: inputs.bit("clear")?,
        copies: [copy(0)?, copy(1)?],
        sources: std::array::from_fn(|tree| (sources >> (6 * tree) & 63) as u8),
        rper: inputs.u64("rper")? as u32,
        wper: inputs.u64("wper")? as u32,
        lag: (inputs.u64("lag")? as i32) << 12 >> 12,
        advance: inputs.bit("advance")?,
        hold: inputs.bit("hold")?,
        request: inputs.bit("request.valid")?.then_some(request),
        response: inputs.bit("response.valid")?.then_some(response),
        ready: inputs.bit("time_out.ready")?,
        open: inputs.bit("tx_open")?,
    })
}

/// The flits of a beat, the rest Idle.
fn flits(beat: &TimeBeat, count: usize) -> Vec<Flit> {
    let second = beat.second.map(TimeFlit::High);
    let time = [Some(beat.first), second].into_iter().flatten();
    let mut flits: Vec<Flit> = time.map(|flit| flit.encode().expect("fits")).collect();
    flits.resize(count, Flit::control(Opcode::Idle, 0));
    flits
}

fn model(case: Case, seen: Seen) -> impl FnMut(&PortValues, &mut PortValues) -> Result<(), SimError> {
    let mut injector = ClockedInjector::new(case.embed, case.flits, case.tx_wait_max);
    move |inputs, outputs| {
        let given = inputs_of(inputs, case.embed)?;
        let beat = injector.offered(given.hold);
        let first = beat.map(|beat| beat.first);
        let taken = given.ready && !given.clear;
        let request = taken && matches!(first, Some(TimeFlit::DelayReq { .. }));
        let response = taken && matches!(first, Some(TimeFlit::DelayResp { .. }));
        let ready = [("request.ready", request), ("response.ready", response)];
        expect_bits(outputs, &ready, &seen)?;
        expect_bits(outputs, &[("time_out.valid", beat.is_some()), ("time_mode", given.advance)], &seen)?;
        if let Some(beat) = &beat {
            outputs.set("time_out.data", beat_value(&flits(beat, case.flits)))?;
        }
        seen.count_if("lone High", matches!(first, Some(TimeFlit::High(_))));
        if case.flits > 1 {
            seen.count_if("pair", beat.is_some_and(|beat| beat.second.is_some()));
        }
        let now = injector.outputs();
        let events = now.events;
        let ports = [
            ("injected", u64::from(events.injected)),
            ("advanced", events.advanced.into()),
            ("wait_over", u64::from(events.overtaken) | u64::from(events.expired) << 4),
            ("epoch_hold", u64::from(events.held_lows) | u64::from(events.held_highs) << 4),
            ("ring_parity", u64::from(now.parity[0]) | u64::from(now.parity[1]) << 1),
            ("wrong_source", u64::from(now.wrong_src[0]) | u64::from(now.wrong_src[1]) << 1),
        ];
        for (path, value) in ports {
            outputs.set_u64(path, value)?;
            seen.count_if(path, value != 0);
        }
        seen.count_if("overtaken", events.overtaken != 0);
        seen.count_if("expired", events.expired != 0);
        seen.count_if("held Low", events.held_lows != 0);
        seen.count_if("held High", events.held_highs != 0);
        injector.clock(&given);
        Ok(())
    }
}

/// A co-simulation with the model.
pub fn plan(name: &str, case: Case, clocks: u64, seen: &Seen) -> CosimPlan<'static> {
    let settings =
        [("f", case.flits as u64), ("flit", u64::from(case.embed.code())), ("trees", case.trees.into())];
    let make = move || build("time_inject", &settings).block;
    let plan = CosimPlan::new(name, seed(0x1213), make, move |testbench, _| {
        testbench.add(StimulusFn(stimulus(case)));
        Ok(())
    });
    plan.clocks(clocks)
        .stock_limit(300, "a quick run: rust-hdl itself is slow")
        .model(model(case, seen.clone()))
}

#[test]
fn widths_that_do_not_fit_are_refused() {
    for (name, value) in [("f", 3), ("flit", 2)] {
        let entry = find("time_inject").expect("registered");
        let error = Settings::new(entry, None, &[(name.into(), value)]).expect_err(name).to_string();
        assert!(error.contains(name) && error.contains("time_inject"), "{error}");
    }
    let error = TimeInject::<2, 65, 46>::new(Embed::Value).err().expect("65 F").to_string();
    assert!(error.contains("FLITS_W") && error.contains("130"), "{error}");
    let error = TimeInject::<2, 130, 46>::new(Embed::Flit).err().expect("W").to_string();
    assert!(error.contains('W') && error.contains("65"), "{error}");
}

#[test]
fn inject_is_its_model_whatever_rings_and_link_do() {
    let depth = depth();
    let seen = Seen::default();
    for case in CASES {
        let name = format!("time_inject_{}", case.name);
        plan(&name, case, 60_000, &seen).to_depth(depth).run().expect("equal");
    }
    seen.require_all();
}

/// A bench with RPER in force, ADVANCE, no lag and an open link that takes everything.
fn ready_bench(rper: u64) -> Box<dyn Bench> {
    let mut bench = open("time_inject", build("time_inject", &[]).block).expect("bench");
    let inputs = [
        ("rper", rper),
        ("wper", 0x66_6666),
        ("advance", 1),
        ("tx_open", 1),
        ("time_out.ready", 1),
        ("tx_wait_max", 4096),
        ("sources", 3 << 6),
    ];
    drive_all(bench.as_mut(), &inputs).expect("ports");
    (0..=RPER_CLOCKS).for_each(|_| bench.step().expect("steps"));
    bench
}

/// A copy on the clockwise ring in the coming clock only.
fn copy(bench: &mut dyn Bench, slot: Option<RingSlot>) {
    let bits = slot.map_or(0, |slot| slot.encode(Embed::Value).expect("fits"));
    drive_all(bench, &[("copy[0].valid", slot.is_some().into())]).expect("port");
    drive_wide(bench, "copy[0].data", bits).expect("port");
    drive_wide(bench, "copy_control[0]", bits >> Embed::Value.data_bits()).expect("port");
}

/// The beat on `time_out`.
fn offered(bench: &mut dyn Bench) -> Option<Vec<Flit>> {
    bench.settle().expect("settles");
    let [valid, data] = ["time_out.valid", "time_out.data"].map(|path| bench.port(path).expect("port"));
    bench.get_bit(valid).then(|| flits_of(&bench.get(data)))
}

const EXAMPLE: TimeLow = TimeLow { value: TimeValue::new(0x67_89AB_CDEF, 10), tree: 1, era: 2 };

/// Section 8, example 5: offered in the clock after the copy, corrected by lag, by a wait on the ring, and by one here.
#[test]
fn the_worked_examples_and_the_latency() {
    let cases = [
        (0_u8, 0x29A_u64, 0, "0_0601496789ABCDF2"),
        (0, 0x666, 0, "0_0601096789ABCDF6"),
        (0, 0x10_0000 - 0x19A, 0, "0_0601096789ABCDEE"),
        (0, 0, 9, "0_0601496789ABCE29"),
        (5, 0, 0, "0_0601A96789ABCDFF"),
    ];
    for (ring_wait, lag, wait, expected) in cases {
        let mut bench = ready_bench(0x33_3333);
        let bench = bench.as_mut();
        drive_all(bench, &[("lag", lag)]).expect("port");
        (0..3).for_each(|_| bench.step().expect("steps"));
        copy(bench, Some(RingSlot::new(RingContent::Low(EXAMPLE), 3, ring_wait)));
        assert_eq!(offered(bench), None);
        bench.step().expect("steps");
        copy(bench, None);
        drive_all(bench, &[("tx_open", 0), ("time_out.ready", 0)]).expect("ports");
        for clock in 0..wait {
            assert_eq!(offered(bench).is_some(), clock != 1, "it waits, and is stored in the second clock");
            bench.step().expect("steps");
        }
        drive_all(bench, &[("tx_open", 1), ("time_out.ready", 1)]).expect("ports");
        let flits = offered(bench).expect("a Low");
        assert_eq!((flits[0].to_string().as_str(), flits[1]), (expected, Flit::control(Opcode::Idle, 0)));
        bench.step().expect("steps");
        assert_eq!(offered(bench), None, "it was taken");
    }
}

/// `clear` while a Low waits, in the clock in which one comes and in which a marker is chosen.
#[test]
fn clear_leaves_nothing() {
    let mut bench = ready_bench(0);
    let bench = bench.as_mut();
    drive_all(bench, &[("tx_open", 0), ("time_out.ready", 0), ("request.valid", 1)]).expect("ports");
    let low =
        |tree| RingSlot::new(RingContent::Low(TimeLow { tree, ..EXAMPLE }), [0, 3][usize::from(tree)], 0);
    copy(bench, Some(low(0)));
    (0..3).for_each(|_| bench.step().expect("steps"));
    assert!(offered(bench).is_some());
    copy(bench, Some(low(1)));
    drive_all(bench, &[("clear", 1)]).expect("port");
    bench.step().expect("steps");
    copy(bench, None);
    drive_all(bench, &[("clear", 0), ("request.valid", 0)]).expect("ports");
    for _ in 0..10 {
        assert_eq!(offered(bench), None);
        bench.step().expect("steps");
    }
    let events = ["injected", "advanced", "wait_over", "epoch_hold", "ring_parity", "wrong_source"];
    assert!(events.iter().all(|path| bench.get_u64(bench.port(path).expect("port")) == 0));
}

/// Slots per clock: Lows that come one after the other go one after the other.
#[test]
fn a_low_in_every_clock_goes_in_every_clock() {
    let mut bench = ready_bench(0);
    let bench = bench.as_mut();
    let mut gone = 0;
    for clock in 0..100_u64 {
        let low = TimeLow { value: TimeValue::new(clock, 0), ..EXAMPLE };
        copy(bench, Some(RingSlot::new(RingContent::Low(low), 3, 0)));
        if let Some(flits) = offered(bench) {
            let low = TimeLow { value: TimeValue::new(clock - 1, 0), ..EXAMPLE };
            assert_eq!(flits[0].data() & ((1 << 48) - 1), payload(TimeFlit::Low(low)));
            gone += 1;
        }
        bench.step().expect("steps");
    }
    assert_eq!(gone, 99);
}
