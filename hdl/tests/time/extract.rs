//! `time_extract`.

use crate::support::build;
use crate::time::support::payload;
use flitforge_model::time::clocked::{ClockedExtractor, ExtractInputs};
use flitforge_model::time::{TimeFlit, TimeHigh, TimeLow, TimeValue};
use flitforge_model::Flit;
use flitforge_protocol::flit::Opcode;
use flitforge_sim::kit::{rng, seed, Rng as KitRng, StimulusFn};
use flitforge_sim::{open, Bench, CosimPlan, PortValues, SimError};
use flitforge_testkit::flits::{beat_value, flits_of};
use flitforge_testkit::{depth, drive_all, Seen};
use rand::Rng;

/// Any special flit, mostly of time; now and then something that is none.
fn any_flit(random: &mut KitRng) -> Flit {
    let (tree, era) = (random.random_range(0..4), random.random_range(0..4));
    let value = TimeValue::from_sixteenths(random.random());
    let flit = match random.random_range(0..10) {
        0..4 => TimeFlit::Low(TimeLow { value, tree, era }),
        4..6 => {
            let quality = random.random_range(0..16);
            TimeFlit::High(TimeHigh { time: random.random(), index: random.random(), tree, era, quality })
        }
        6 => TimeFlit::DelayReq { tag: random.random() },
        7 => TimeFlit::DelayResp {
            turnaround: random.random(),
            tag: random.random(),
            phase_valid: random.random(),
            locked: random.random(),
        },
        8 => {
            // No time flit: reserved bits of those are not the model's business.
            let subtype = [0, random.random_range(5..0x18_u64)][random.random_range(0..2)];
            return Flit::control(Opcode::Spc, subtype << 48 | random.random::<u64>() >> 16);
        }
        _ => return Flit::body(random.random()),
    };
    flit.encode().expect("fits")
}

fn stimulus(flits: usize) -> impl FnMut(u64, &mut dyn Bench) -> Result<(), SimError> {
    let mut random = rng(seed(0xE117), &format!("extract_{flits}"));
    move |clock, bench| {
        let beat: Vec<Flit> = (0..flits)
            .map(|_| if random.random() { any_flit(&mut random) } else { Flit::control(Opcode::Idle, 0) })
            .collect();
        let port = bench.port("spc_out.data")?;
        bench.set(port, &beat_value(&beat));
        drive_all(bench, &[("clear", u64::from(random.random_bool(0.005)))])?;
        drive_all(bench, &[("spc_out.valid", u64::from(random.random_bool(0.7)))])?;
        drive_all(
            bench,
            &[("lag", random.random_range(0..1 << 20)), ("phase_ok", u64::from(random.random_bool(0.8)))],
        )?;
        if clock % 50 == 0 {
            drive_all(bench, &[("up_en", random.random_range(0..16))])?;
            let corr = random.random::<i32>() >> random.random_range(0..32);
            drive_all(bench, &[("rx_corr", u64::from(corr as u32))])?;
        }
        Ok(())
    }
}

fn model(seen: Seen) -> impl FnMut(&PortValues, &mut PortValues) -> Result<(), SimError> {
    let mut extractor = ClockedExtractor::default();
    move |inputs, outputs| {
        let now = extractor.outputs();
        let marker = now
            .marker
            .map(|marker| payload(marker) | u64::from(matches!(marker, TimeFlit::DelayResp { .. })) << 48);
        seen.count_if("EXTRACTED", now.extracted != 0);
        seen.count_if("NOT_UPSTREAM", now.not_upstream != 0);
        seen.count_if("PHASE_INVALID", now.phase_invalid != 0);
        seen.count_if("UNKNOWN_SUB", now.unknown != 0);
        seen.count_if("marker", now.marker.is_some());
        let flits = [
            ("low", now.low.map(|low| payload(TimeFlit::Low(low)))),
            ("high", now.high.map(|high| payload(TimeFlit::High(high)))),
        ];
        for (path, flit) in flits {
            outputs.set_bit(&format!("{path}.valid"), flit.is_some())?;
            if let Some(flit) = flit {
                outputs.set_u64(&format!("{path}.data"), flit)?;
            }
        }
        outputs.set_bit("marker.valid", marker.is_some())?;
        if let Some(marker) = marker {
            outputs.set_u64("marker.data", marker)?;
        }
        outputs.set_u64("extracted", now.extracted.into())?;
        outputs.set_u64("not_upstream", now.not_upstream.into())?;
        outputs.set_u64("phase_invalid", now.phase_invalid.into())?;
        outputs.set_u64("unknown", now.unknown.into())?;
        let up_en = inputs.u64("up_en")?;
        let beat = inputs.get("spc_out.data")?;
        extractor.clock(&ExtractInputs {
            clear: inputs.bit("clear")?,
            beat: inputs.bit("spc_out.valid")?.then(|| flits_of(&beat)),
            lag: (inputs.u64("lag")? as i32) << 12 >> 12,
            phase_ok: inputs.bit("phase_ok")?,
            up_en: std::array::from_fn(|tree| up_en >> tree & 1 == 1),
            rx_corr: inputs.u64("rx_corr")? as u32 as i32,
        });
        Ok(())
    }
}

/// A co-simulation with the model.
pub fn plan(name: &str, flits: usize, clocks: u64, seen: &Seen) -> CosimPlan<'static> {
    let make = move || build("time_extract", &[("f", flits as u64)]).block;
    let plan = CosimPlan::new(name, seed(0xE117), make, move |testbench, _| {
        testbench.add(StimulusFn(stimulus(flits)));
        Ok(())
    });
    plan.clocks(clocks).stock_limit(500, "a quick run: rust-hdl itself is slow").model(model(seen.clone()))
}

#[test]
fn extract_is_its_model_whatever_flits_come() {
    let depth = depth();
    let seen = Seen::default();
    for flits in [1, 2, 4] {
        plan(&format!("time_extract_{flits}"), flits, 60_000, &seen).to_depth(depth).run().expect("equal");
    }
    seen.require_all();
}

/// Section 8, example 5, at 3 clocks; the High of the beat a clock later; both within a clock of `clear` are gone.
#[test]
fn the_worked_examples_and_the_latency() {
    let low = TimeLow { value: TimeValue::new(0x67_89AB_CDEF, 10), tree: 1, era: 2 };
    let high = TimeHigh { time: 0x0123_4567, index: 0x2C, tree: 1, era: 2, quality: 1 };
    let beat: Vec<Flit> =
        [TimeFlit::Low(low), TimeFlit::High(high)].map(|flit| flit.encode().expect("fits")).to_vec();
    for (lag, expected) in
        [(0x29A, 0x4967_89AB_CDF2_u64), (0x666, 0x0967_89AB_CDF6), (-0x19A, 0x0967_89AB_CDEE)]
    {
        let mut bench = open("time_extract", build("time_extract", &[]).block).expect("bench");
        let bench = bench.as_mut();
        let port = bench.port("spc_out.data").expect("port");
        bench.set(port, &beat_value(&beat));
        let lag = (lag as u64) & 0xF_FFFF;
        drive_all(bench, &[("spc_out.valid", 1), ("lag", lag), ("phase_ok", 1), ("up_en", 0b0010)])
            .expect("ports");
        let ports =
            ["low.valid", "low.data", "high.valid", "high.data"].map(|path| bench.port(path).expect("port"));
        let mut seen = vec![];
        for clock in 0..8 {
            bench.settle().expect("settles");
            if bench.get_bit(ports[0]) {
                seen.push((clock, bench.get_u64(ports[1])));
            }
            if bench.get_bit(ports[2]) {
                seen.push((clock, bench.get_u64(ports[3])));
            }
            bench.step().expect("steps");
            drive_all(bench, &[("spc_out.valid", 0)]).expect("ports");
        }
        // The payload of the example: frac and era and tree above the 40 bits of time.
        assert_eq!(seen, [(3, expected), (4, payload(TimeFlit::High(high)))]);
    }
}
