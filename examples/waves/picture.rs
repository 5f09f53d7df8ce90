//! A skid buffer whose sink stops for three clocks, as a text waveform.

use flitforge_hdl::prim::skid::Skid;
use flitforge_sim::design_of;
use flitforge_sim::waves::{render, SignalTable, WaveLog};
use flitforge_sim::{BackEnd, SimError};
use rust_hdl::prelude::Bits;

/// Clocks shown.
const CLOCKS: u64 = 9;

/// The waveform of ports and of the register that holds the word in the way.
pub fn text() -> Result<String, SimError> {
    let design = design_of("skid", &Skid::<Bits<8>>::default())?;
    let mut bench = BackEnd::Graph.open("skid", Box::new(Skid::<Bits<8>>::default()))?;
    let table = SignalTable::of_design(bench.ports(), &design);
    let patterns = ["words_in", "spare_valid.q", "words_out"].map(String::from);
    let mut log = WaveLog::new(bench.as_mut(), table, &patterns, CLOCKS as usize)?;
    let (data, valid) = (bench.port("words_in.data")?, bench.port("words_in.valid")?);
    let (ready_in, ready_out) = (bench.port("words_in.ready")?, bench.port("words_out.ready")?);
    let mut word = 0xa0;
    for clock in 0..CLOCKS {
        bench.set_u64(data, word);
        bench.set_u64(valid, u64::from(word < 0xa4));
        bench.set_u64(ready_out, u64::from(!(2..5).contains(&clock)));
        bench.settle()?;
        log.record(bench.as_ref());
        word += u64::from(word < 0xa4 && bench.get_bit(ready_in));
        bench.step()?;
    }
    Ok(render(&log))
}
