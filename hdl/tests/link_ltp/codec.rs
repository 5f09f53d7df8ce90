//! `flit_codec` against the predicates of `encode`.

use crate::link_ltp::{encode, STOCK_CLOCKS};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Value;
use flitforge_hdl::link::flit_codec::{FlitCodec1, FlitCodec2, FlitCodec4};
use flitforge_protocol::flit::is_link_transfer_code;
use flitforge_sim::kit::{rng, seed, StimulusFn, Testbench};
use flitforge_sim::model::PortValues;
use flitforge_sim::{Bench, CosimPlan, SimError};
use flitforge_testkit::deep;

fn model(inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
    let beat = inputs.get("beat")?;
    let is_transfer = |flit: &Value| encode::opcode(flit).is_some_and(is_link_transfer_code);
    outputs.set_u64("carried", encode::mask(&beat, encode::is_carried))?;
    outputs.set_u64("illegal", encode::mask(&beat, encode::is_illegal))?;
    outputs.set_u64("link_transfer", encode::mask(&beat, is_transfer))?;
    outputs.set_u64("special", encode::mask(&beat, encode::is_special))?;
    outputs.set_u64("time_flits", encode::mask(&beat, encode::is_time))
}

fn cosim(name: &str, flits: u32, make: fn() -> Box<dyn DriveBlock>) {
    let stimulus = move |testbench: &mut Testbench<'_>, seed| {
        let beat = testbench.bench().port("beat")?;
        let mut rng = rng(seed, "beats");
        testbench.add(StimulusFn(move |_, bench: &mut dyn Bench| {
            bench.set(beat, &encode::random_beat(&mut rng, flits));
            Ok(())
        }));
        Ok(())
    };
    deep(CosimPlan::new(name, seed(0x10_31), make, stimulus).model(model), 20_000, STOCK_CLOCKS)
        .run()
        .expect("equal");
}

#[test]
fn every_width_is_equal_everywhere() {
    cosim("flit_codec_f1", 1, || Box::new(FlitCodec1::new().expect("valid")));
    cosim("flit_codec", 2, || Box::new(FlitCodec2::new().expect("valid")));
    cosim("flit_codec_f4", 4, || Box::new(FlitCodec4::new().expect("valid")));
}
