//! What the tests of this folder share.

use flitforge_model::time::TimeFlit;
use flitforge_sim::{PortValues, SimError};
use flitforge_testkit::Seen;

/// Payload of a time flit.
pub fn payload(flit: TimeFlit) -> u64 {
    flit.encode().expect("fits").data() & ((1 << 48) - 1)
}

/// Expected outputs of one bit, each counted.
pub fn expect_bits(outputs: &mut PortValues, bits: &[(&str, bool)], seen: &Seen) -> Result<(), SimError> {
    bits.iter().try_for_each(|(path, bit)| {
        seen.count_if(path, *bit);
        outputs.set_bit(path, *bit)
    })
}
