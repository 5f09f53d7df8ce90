//! Memories.

use crate::prim_cosim::{plan, random_plan};
use flitforge_elaborate::graph::MemoryStyle;
use flitforge_elaborate::Value;
use flitforge_hdl::prim::{LutRam, Ram, RamConfig, Rom};
use flitforge_sim::cosim::{standard, StandardInterface};
use flitforge_sim::kit::Testbench;
use flitforge_sim::schedule::ClockSchedule;
use flitforge_sim::PortValues;
use rust_hdl::prelude::Bits;

/// 10 words, two of them not 0 at power-on.
fn config(output_register: bool) -> RamConfig<Bits<36>> {
    let initial = vec![Bits::from(7), Bits::from(9)];
    RamConfig { depth: 10, style: MemoryStyle::Auto, output_register, initial }
}

/// The power-on contents of [`config`].
fn contents() -> Vec<Value> {
    (0..10).map(|address| Value::from_u64(36, [7, 9].get(address).copied().unwrap_or(0))).collect()
}

/// The word, or 0 beyond the depth.
fn word(words: &[Value], address: u64, width: u32) -> Value {
    words.get(address as usize).cloned().unwrap_or(Value::zero(width))
}

/// Two clocks of periods 2 and 3, so that all orders and common edges occur.
fn two_clocks(testbench: &mut Testbench<'_>, seed: u64) -> Result<(), flitforge_sim::SimError> {
    standard(&StandardInterface::default(), testbench, seed)?;
    let (write, read) = (testbench.bench().port("write_clock")?, testbench.bench().port("read_clock")?);
    testbench.set_schedule(ClockSchedule::new(&[(write, 2000, 0), (read, 3000, 1000)]));
    Ok(())
}

#[test]
fn ram() {
    for output_register in [false, true] {
        let (mut words, mut array, mut output) = (contents(), Value::zero(36), Value::zero(36));
        let name = format!("prim_ram_{}", u8::from(output_register));
        plan(&name, || Ram::<Bits<36>, 4>::new(config(output_register)).expect("valid"), two_clocks)
            .model(move |inputs: &PortValues, outputs: &mut PortValues| {
                outputs.set("read_data", if output_register { output.clone() } else { array.clone() })?;
                if inputs.rises("read_clock")? {
                    if inputs.bit("output_enable")? {
                        output = array.clone();
                    }
                    if inputs.bit("read_enable")? {
                        array = word(&words, inputs.u64("read_address")?, 36);
                    }
                }
                if inputs.rises("write_clock")? && inputs.bit("write_enable")? {
                    if let Some(word) = words.get_mut(inputs.u64("write_address")? as usize) {
                        *word = inputs.get("write_data")?;
                    }
                }
                Ok(())
            })
            .run()
            .expect("equal");
    }
}

#[test]
fn lut_ram() {
    let mut words = contents();
    random_plan("prim_lut_ram", || LutRam::<Bits<36>, 4>::new(config(false)).expect("valid"))
        .model(move |inputs: &PortValues, outputs: &mut PortValues| {
            outputs.set("read_data", word(&words, inputs.u64("read_address")?, 36))?;
            if inputs.bit("write_enable")? {
                if let Some(word) = words.get_mut(inputs.u64("write_address")? as usize) {
                    *word = inputs.get("write_data")?;
                }
            }
            Ok(())
        })
        .run()
        .expect("equal");
}

#[test]
fn rom() {
    for output_register in [false, true] {
        let cubes: Vec<u64> = (0..10).map(|address| address * address * address).collect();
        let config = RamConfig::<Bits<20>> {
            depth: 10,
            style: MemoryStyle::Auto,
            output_register,
            initial: cubes.iter().map(|cube| Bits::from(*cube)).collect(),
        };
        let (mut array, mut output) = (0, 0);
        let name = format!("prim_rom_{}", u8::from(output_register));
        random_plan(&name, || Rom::<Bits<20>, 4>::new(config.clone()).expect("valid"))
            .model(move |inputs: &PortValues, outputs: &mut PortValues| {
                outputs.set_u64("data", if output_register { output } else { array })?;
                if inputs.bit("output_enable")? {
                    output = array;
                }
                if inputs.bit("enable")? {
                    array = cubes.get(inputs.u64("address")? as usize).copied().unwrap_or(0);
                }
                Ok(())
            })
            .run()
            .expect("equal");
    }
}
