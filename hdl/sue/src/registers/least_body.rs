//! How long a body is at least.

use crate::network::{shape_of, FormatChoice, NetworkSettings, KINDS, KIND_BITS};
use flitforge_hdl_prim::prelude::*;

/// Least octets of a body, so that its frame has MINF octets: even, at least 2 (chapter 50, 3.3: padding stands inside the body).
///
/// It follows its inputs 4 clocks later.
#[block("sue_least_body", new)]
pub struct LeastBody {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Registers.
    settings: In<NetworkSettings>,
    /// MINF, octets of the shortest frame without FCS.
    minimum: In<Bits<6>>,
    /// Least octets of a body.
    least: Out<Bits<6>>,
    #[wire(clock)]
    choice: FormatChoice,
    /// Octets of header, reliability header and R-CRC.
    around: Reg<Bits<7>>,
    /// MINF, made even.
    rounded: Reg<Bits<7>>,
    /// What a frame without body lacks; negative if it lacks nothing.
    missing: Reg<Bits<8>>,
    body: Reg<Bits<6>>,
    octets: [Constant<Bits<7>>; KINDS],
}

#[logic]
impl LeastBody {
    /// With the lengths of all headers.
    pub fn new() -> Self {
        const MOST: usize = 64;
        let around = |kind: usize| {
            // No body is needed to fill up what is missing to 0 octets: this is what stands around it, if that is less than MOST.
            shape_of(kind).map_or(MOST, |shape| MOST - shape.least_body_bytes(MOST))
        };
        Self { octets: std::array::from_fn(|kind| Constant::new((around(kind) as u64).into())), .. }
    }

    fn update(&mut self) {
        choice.settings = settings;
        let kind: Bits<KIND_BITS> = choice.kind;
        let mut length: Bits<7> = 0;
        for i in 0..KINDS {
            if kind == i {
                length = octets[i];
            }
        }
        around = length;
        // Headers are even, so rounding MINF rounds the body.
        rounded = bit_cast::<7, 6>(minimum) + bit_cast::<7, 1>(minimum.bits::<1>(0));
        missing = bit_cast::<8, 7>(rounded) - bit_cast::<8, 7>(around);
        let octets_missing = missing.bits::<6>(0);
        body = if missing[7] | !octets_missing.any() { 2 } else { octets_missing };
        least = body;
    }
}

impl Default for LeastBody {
    fn default() -> Self {
        Self::new()
    }
}
