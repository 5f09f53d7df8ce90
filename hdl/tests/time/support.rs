//! What the tests of this folder share.

use flitforge_elaborate::Value;
use flitforge_hdl::registry::{find, BuiltBlock, Settings};
use flitforge_model::time::TimeFlit;
use flitforge_model::Flit;
use flitforge_protocol::flit::FLIT_BITS;
use flitforge_sim::{Bench, PortValues, SimError};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A registered block.
pub fn build(block: &str, settings: &[(&str, u64)]) -> BuiltBlock {
    let entry = find(block).expect("registered");
    let settings: Vec<(String, u64)> =
        settings.iter().map(|(name, value)| ((*name).to_string(), *value)).collect();
    (entry.build)(&Settings::new(entry, None, &settings).expect("settings")).expect("builds")
}

/// Sets ports by path.
pub fn set(bench: &mut dyn Bench, values: &[(&str, u64)]) -> Result<(), SimError> {
    for (path, value) in values {
        let port = bench.port(path)?;
        bench.set_u64(port, *value);
    }
    Ok(())
}

/// Sets a port of up to 128 bits.
pub fn set_wide(bench: &mut dyn Bench, path: &str, value: u128) -> Result<(), SimError> {
    let port = bench.port(path)?;
    let width = bench.width(port);
    let cut = value & (u128::MAX >> (128 - width));
    bench.set(port, &Value::from_words(width, &[cut as u64, (cut >> 64) as u64]));
    Ok(())
}

/// A port of up to 128 bits.
pub fn wide(value: &Value) -> u128 {
    value.words().iter().rev().fold(0, |word, part| word << 64 | u128::from(*part))
}

/// A signed port of up to 128 bits.
pub fn signed(value: &Value) -> i128 {
    let unused = 128 - value.width();
    ((wide(value) << unused) as i128) >> unused
}

/// An expected output of up to 128 bits; higher bits are cut off.
pub fn expect_wide(outputs: &mut PortValues, path: &str, value: u128) -> Result<(), SimError> {
    let width = outputs.get(path)?.width();
    let cut = value & (u128::MAX >> (128 - width));
    outputs.set(path, Value::from_words(width, &[cut as u64, (cut >> 64) as u64]))
}

/// Flits of a beat as a port's value.
pub fn beat_value(flits: &[Flit]) -> Value {
    let mut value = Value::zero((flits.len() * FLIT_BITS) as u32);
    for (slot, flit) in flits.iter().enumerate() {
        for bit in 0..FLIT_BITS {
            value.set_bit((slot * FLIT_BITS + bit) as u32, flit.bits() >> bit & 1 == 1);
        }
    }
    value
}

/// The flits of a beat.
pub fn flits_of(value: &Value) -> Vec<Flit> {
    (0..value.width() as usize / FLIT_BITS)
        .map(|slot| {
            let bits = (0..FLIT_BITS)
                .fold(0, |bits, bit| bits | u128::from(value.bit((slot * FLIT_BITS + bit) as u32)) << bit);
            Flit::from_bits(bits).expect("65 bits")
        })
        .collect()
}

/// Payload of a time flit.
pub fn payload(flit: TimeFlit) -> u64 {
    flit.encode().expect("fits").data() & ((1 << 48) - 1)
}

/// How often each event of a model came about, over all runs of a test.
#[derive(Clone, Default)]
pub struct Seen(Rc<RefCell<BTreeMap<String, u64>>>);

impl Seen {
    /// Counts one if `now`.
    pub fn count(&self, what: &str, now: bool) {
        *self.0.borrow_mut().entry(what.into()).or_default() += u64::from(now);
    }

    /// Prints the counts; none may be 0.
    pub fn require_all(&self) {
        println!("{:?}", self.0.borrow());
        let never: Vec<String> =
            self.0.borrow().iter().filter(|(_, count)| **count == 0).map(|(what, _)| what.clone()).collect();
        assert!(never.is_empty(), "never came about: {never:?}");
    }
}

/// Expected outputs of one bit, each counted.
pub fn expect_bits(outputs: &mut PortValues, bits: &[(&str, bool)], seen: &Seen) -> Result<(), SimError> {
    bits.iter().try_for_each(|(path, bit)| {
        seen.count(path, *bit);
        outputs.set_bit(path, *bit)
    })
}
