//! The 8b10b coder and decoder against the model of the standard's tables.

use crate::link_phy::STOCK_CLOCKS;
use flitforge_elaborate::drive::DriveBlock;
use flitforge_hdl::link::phy_ecp5::{CodeRx, CodeTx};
use flitforge_model::code_8b10b::{decode, encode, Character, Disparity};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::kit::{rng, seed, StimulusFn, Testbench};
use flitforge_sim::model::PortValues;
use flitforge_sim::{Bench, CosimPlan, SimError, Simulator};
use flitforge_testkit::{deep, Count};
use rand::Rng as _;
use std::collections::{BTreeSet, VecDeque};

/// Clocks from bytes to symbols and back.
const LATENCY: usize = 3;
/// Characters, each at two disparities.
const CASES: usize = 2 * 257;
/// Symbols, each at two disparities.
const SYMBOLS: u64 = 2 * 1024;

fn coder_plan(name: &str, seen: Count) -> CosimPlan<'static> {
    let stimulus = |testbench: &mut Testbench<'_>, seed| {
        let bench = testbench.bench();
        let (bytes, control) = (bench.port("bytes")?, bench.port("control")?);
        let mut random = rng(seed, "bytes");
        testbench.add(StimulusFn(move |_, bench: &mut dyn Bench| {
            // One in ten is a comma, some are control bytes that have no symbol.
            let mut word = random.random::<u16>();
            let mut flags = 0;
            for place in 0..2 {
                if random.random_bool(0.1) {
                    word = word & !(0xFF << (8 * place)) | 0xBC << (8 * place);
                }
                flags |= u64::from(random.random_bool(0.2)) << place;
            }
            bench.set_u64(bytes, word.into());
            bench.set_u64(control, flags);
            Ok(())
        }));
        Ok(())
    };
    let make = || -> Box<dyn DriveBlock> { Box::new(CodeTx::new().expect("valid")) };
    let mut running = Disparity(-1);
    let mut waiting = VecDeque::from(vec![0u64; LATENCY]);
    let mut cases = BTreeSet::new();
    CosimPlan::new(name, seed(0x8b_10b), make, stimulus).simulators(&[Simulator::Icarus]).model(
        move |inputs: &PortValues, outputs: &mut PortValues| -> Result<(), SimError> {
            outputs.set_u64("symbols", waiting.pop_front().unwrap_or(0))?;
            let mut symbols = 0;
            for place in 0..2 {
                let byte = (inputs.u64("bytes")? >> (8 * place)) as u8;
                let control = inputs.u64("control")? >> place & 1 == 1;
                let character = Character { byte, control };
                if cases.insert((byte, control && byte == 0xBC, running)) {
                    seen.add(1);
                }
                let (symbol, behind) = encode(character, running);
                symbols |= u64::from(symbol) << (10 * place);
                running = behind;
            }
            waiting.push_back(symbols);
            Ok(())
        },
    )
}

fn decoder_plan(name: &str, seen: Count) -> CosimPlan<'static> {
    let stimulus = |testbench: &mut Testbench<'_>, seed| {
        let symbols = testbench.bench().port("symbols")?;
        let mut random = rng(seed, "symbols");
        let mut sent = Disparity(-1);
        testbench.add(StimulusFn(move |clock, bench: &mut dyn Bench| {
            // First every symbol after ten zeros and after ten ones; then what a coder sends, with wrong bits.
            let pair = match clock {
                0..SYMBOLS => (clock % 1024) << 10 | if clock < 1024 { 0 } else { 0x3FF },
                _ => (0..2).fold(0, |pair, place| {
                    let control = random.random_bool(0.1);
                    let byte = if control { 0xBC } else { random.random() };
                    let (symbol, behind) = encode(Character { byte, control }, sent);
                    sent = behind;
                    let wrong = if random.random_bool(0.05) { 1 << random.random_range(0..10) } else { 0 };
                    pair | u64::from(symbol ^ wrong) << (10 * place)
                }),
            };
            bench.set_u64(symbols, pair);
            Ok(())
        }));
        Ok(())
    };
    let make = || -> Box<dyn DriveBlock> { Box::new(CodeRx::new().expect("valid")) };
    let mut running = Disparity(-1);
    let mut waiting = VecDeque::from(vec![(0u64, 0u64, 0u64); LATENCY]);
    let mut cases = BTreeSet::new();
    CosimPlan::new(name, seed(0x8b_10c), make, stimulus).simulators(&[Simulator::Icarus]).model(
        move |inputs: &PortValues, outputs: &mut PortValues| -> Result<(), SimError> {
            let (bytes, control, bad) = waiting.pop_front().unwrap_or_default();
            outputs.set_u64("bytes", bytes)?;
            outputs.set_u64("control", control)?;
            outputs.set_u64("bad", bad)?;
            let mut out = (0, 0, 0);
            for place in 0..2 {
                let symbol = (inputs.u64("symbols")? >> (10 * place) & 0x3FF) as u16;
                if cases.insert((symbol, running)) {
                    seen.add(1);
                }
                let (decoded, behind) = decode(symbol, running);
                running = behind;
                let character = decoded.character.unwrap_or(Character { byte: 0, control: false });
                out.0 |= u64::from(character.byte) << (8 * place);
                out.1 |= u64::from(character.control) << place;
                out.2 |= u64::from(decoded.bad) << place;
            }
            waiting.push_back(out);
            Ok(())
        },
    )
}

#[test]
fn every_character_is_coded_at_both_disparities() {
    let seen = Count::default();
    deep(coder_plan("code_8b10b_tx", seen.clone()), 20_000, STOCK_CLOCKS).run().expect("equal");
    seen.at_least(CASES as u64, "characters and disparities");
}

#[test]
fn every_symbol_is_decoded_at_both_disparities() {
    let seen = Count::default();
    deep(decoder_plan("code_8b10b_rx", seen.clone()), 20_000, STOCK_CLOCKS).run().expect("equal");
    seen.at_least(SYMBOLS, "symbols and disparities");
}

#[test]
fn mutations_of_the_coder_and_the_decoder_are_found() {
    const TX: &str = "fault_code_8b10b_tx";
    const RX: &str = "fault_code_8b10b_rx";
    let quick =
        |plan: CosimPlan<'static>| plan.clocks(6_000).stock_limit(200, "the faults are in the Verilog");
    let tx = [
        Fault::replace(
            "the second symbol is coded at the first's disparity",
            TX,
            "if (middle) begin",
            "if (positive_q) begin",
        ),
        Fault::replace(
            "the disparity stays as it is",
            TX,
            "assign positive_d = middle ^ second_data[20];",
            "assign positive_d = positive_q;",
        ),
    ];
    find_all(|| quick(coder_plan(TX, Count::default())), &tx).expect("all are found");
    let rx = [
        Fault::replace(
            "a symbol of the other disparity is good",
            RX,
            "first_bad = first_data[10];",
            "first_bad = first_data[9];",
        ),
        Fault::replace(
            "the disparity goes on as if all were well",
            RX,
            "middle = first_data[12];",
            "middle = positive_q;",
        ),
    ];
    find_all(|| quick(decoder_plan(RX, Count::default())), &rx).expect("all are found");
}
