//! `time_merge` by itself against a model: order at plane X, pairs, hold, events.

use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Value;
use flitforge_hdl::time::hfi::TimeMerge;
use flitforge_model::time::{TimeFlit, TimeHigh, TimeLow, TimeValue};
use flitforge_protocol::flit::FLIT_BITS;
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::kit::{rng, seed, StimulusFn};
use flitforge_sim::{Bench, CosimPlan, PortValues, SimError};
use flitforge_testkit::wide::{bits_of, place_bits};
use flitforge_testkit::{depth, Seen};
use rand::Rng;

fn bits(flit: TimeFlit) -> u128 {
    flit.encode().expect("fits").bits()
}

/// Flits of 65 bits side by side.
fn beat(flits: &[u128], width: u32) -> Value {
    let mut value = Value::zero(width);
    flits
        .iter()
        .enumerate()
        .for_each(|(slot, flit)| place_bits(&mut value, slot * FLIT_BITS, FLIT_BITS, *flit));
    value
}

#[derive(Clone, Copy, PartialEq)]
enum Other {
    Marker(TimeFlit),
    LoneHigh,
}

/// What 4.11 rules 2 to 4 say.
#[derive(Default)]
struct Merge {
    other: Option<Other>,
    injected: u64,
    held: u64,
    advanced: bool,
    met_closed: bool,
}

impl Merge {
    fn clock(&mut self, inputs: &PortValues, outputs: &mut PortValues, seen: &Seen) -> Result<(), SimError> {
        let width = outputs.get("time_out.data")?.width();
        let count = |what, now: bool| seen.count_if(what, now);
        let bit = |path| inputs.bit(path);
        let (clear, hold, ready) = (bit("clear")?, bit("hold")?, bit("time_out.ready")?);
        let generated = inputs.get("generated.data")?;
        let flits = bit("generated.valid")?
            .then(|| [bits_of(&generated, 0, FLIT_BITS), bits_of(&generated, FLIT_BITS, FLIT_BITS)]);
        let subtype = |flit: u128| flit >> 48 & 0xFF;
        let low = flits.filter(|flits| subtype(flits[0]) == 1);
        let high = flits.filter(|flits| subtype(flits[0]) == 2);

        let low_offered = low.filter(|_| !hold);
        let high_offered =
            high.filter(|_| !hold && low_offered.is_none() && self.other == Some(Other::LoneHigh));
        let marker = match self.other {
            Some(Other::Marker(flit)) if low_offered.is_none() => Some(flit),
            _ => None,
        };
        let offered = match (low_offered, marker, high_offered) {
            (Some(flits), ..) => Some(flits),
            (_, Some(flit), _) => Some([bits(flit), 0]),
            (.., high) => high,
        };
        let taken = ready && offered.is_some();
        outputs.set_bit("time_out.valid", offered.is_some())?;
        if let Some(flits) = offered {
            outputs.set("time_out.data", beat(&flits, width))?;
        }
        let goes = taken && (low_offered.is_some() || high_offered.is_some());
        outputs.set_bit("generated.ready", goes || hold && !clear)?;
        let is_response = matches!(marker, Some(TimeFlit::DelayResp { .. }));
        let passes = taken && marker.is_some() && !clear;
        outputs.set_bit("response.ready", passes && is_response)?;
        outputs.set_bit("request.ready", passes && !is_response)?;
        outputs.set_u64("injected", self.injected)?;
        outputs.set_u64("epoch_hold", self.held)?;
        outputs.set_bit("advanced", self.advanced)?;
        count("pair", goes && flits.is_some_and(|flits| flits[1] != 0));
        count("lone high", goes && high_offered.is_some());
        count("response", passes && is_response);
        count("request", passes && !is_response);
        count("held", self.held > 0);
        count("advanced", self.advanced);
        count("marker behind a Low", low_offered.is_some() && matches!(self.other, Some(Other::Marker(_))));

        // The edge.
        let slots = flits.map_or(0, |flits| 1 | u64::from(flits[1] != 0) << 1);
        self.injected = if goes && !clear { slots } else { 0 };
        self.held = if hold && !clear { slots } else { 0 };
        let closed = bit("advance")? && !bit("tx_open")?;
        let waits = low_offered.is_some() && !taken && (self.met_closed || closed) && !clear;
        self.advanced = waits && !self.met_closed;
        self.met_closed = waits;
        let (response, tag) = (inputs.u64("response.data")?, inputs.u64("request.data")? as u8);
        self.other = if taken || clear {
            None
        } else if bit("response.valid")? {
            Some(Other::Marker(TimeFlit::DelayResp {
                turnaround: response as u32,
                tag: (response >> 32) as u8,
                phase_valid: response >> 40 & 1 == 1,
                locked: response >> 41 & 1 == 1,
            }))
        } else if bit("request.valid")? {
            Some(Other::Marker(TimeFlit::DelayReq { tag }))
        } else {
            (high.is_some() && !hold).then_some(Other::LoneHigh)
        };
        Ok(())
    }
}

/// A beat as `time_gen` makes one: a Low, a High, or with several flits per beat both.
fn generated(random: &mut impl Rng, flits: usize) -> Value {
    let (tree, era) = (random.random_range(0..4), random.random_range(0..4));
    let value = TimeValue::from_sixteenths(random.random::<u64>() & ((1 << 44) - 1));
    let low = bits(TimeFlit::Low(TimeLow { value, tree, era }));
    let (time, index, quality) = (random.random(), random.random(), random.random_range(0..16));
    let high = bits(TimeFlit::High(TimeHigh { time, index, tree, era, quality }));
    match random.random_range(0..3) {
        0 => beat(&[low], 130),
        1 => beat(&[high], 130),
        _ if flits == 1 => beat(&[low], 130),
        _ => beat(&[low, high], 130),
    }
}

fn plan(name: &str, flits: usize, clocks: u64, seen: &Seen) -> CosimPlan<'static> {
    let make = move || -> Box<dyn DriveBlock> {
        match flits {
            1 => Box::new(TimeMerge::<1, 65>::new().expect("valid")),
            2 => Box::new(TimeMerge::<2, 130>::new().expect("valid")),
            _ => Box::new(TimeMerge::<4, 260>::new().expect("valid")),
        }
    };
    let plan = CosimPlan::new(name, seed(0x3E6E), make, move |testbench, seed| {
        let mut random = rng(seed, "time flits");
        let mut shares = [0.0; 9];
        testbench.add(StimulusFn(move |clock, bench: &mut dyn Bench| {
            if clock % 500 == 0 {
                shares = std::array::from_fn(|_| [0.02, 0.3, 0.8][random.random_range(0..3)]);
                shares[0] /= 20.0;
                shares[1] /= 4.0;
            }
            let names = [
                "clear",
                "hold",
                "advance",
                "tx_open",
                "time_out.ready",
                "generated.valid",
                "request.valid",
                "response.valid",
            ];
            for (path, share) in names.into_iter().zip(shares) {
                let port = bench.port(path)?;
                bench.set_u64(port, random.random_bool(share).into());
            }
            let port = bench.port("generated.data")?;
            bench.set(port, &generated(&mut random, flits));
            for (path, width) in [("request.data", 8), ("response.data", 42)] {
                let port = bench.port(path)?;
                bench.set_u64(port, random.random::<u64>() & ((1 << width) - 1));
            }
            Ok(())
        }));
        Ok(())
    });
    let (mut model, seen) = (Merge::default(), seen.clone());
    plan.clocks(clocks)
        .stock_limit(300, "a quick run: rust-hdl itself is slow")
        .model(move |inputs: &PortValues, outputs: &mut PortValues| model.clock(inputs, outputs, &seen))
}

#[test]
fn time_flits_go_in_the_order_of_the_chapter() {
    let depth = depth();
    for flits in [1, 2, 4] {
        let seen = Seen::default();
        plan(&format!("time_merge_f{flits}"), flits, 30_000, &seen).to_depth(depth).run().expect("equal");
        seen.require_each(&["lone high", "response", "request", "held", "advanced", "marker behind a Low"]);
        seen.require(&[("pair", u64::from(flits > 1))]);
    }
    assert!(TimeMerge::<1, 130>::new().is_err() && TimeMerge::<3, 195>::new().is_err());
}

#[test]
fn faults_of_the_merge_are_found() {
    let module = "fault_time_merge";
    let faults = [
        Fault::replace(
            "a held Low is offered",
            module,
            "low_offered = is_low & ~hold",
            "low_offered = is_low",
        ),
        Fault::replace("what is held stays", module, "hold & ~clear", "1'b0"),
        Fault::replace("a marker goes before a Low", module, "other_valid & ~low_offered", "other_valid"),
    ];
    let plan = || {
        plan("fault_time_merge", 2, 20_000, &Seen::default())
            .stock_limit(200, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}
