//! How long a body is at least.

use crate::network::{shape_of, FormatChoice, NetworkSettings, KINDS, KIND_BITS};
use flitforge_hdl_prim::prelude::*;

/// Least octets of a body, so that its frame has MINF octets: even, at least 2 (chapter 50, 3.3: padding stands inside the body).
///
/// It follows its inputs 3 clocks later.
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
        let short = bit_cast::<7, 6>(minimum) > around;
        let missing = bit_cast::<7, 6>(minimum) - around;
        let even = missing.bits::<6>(0) + bit_cast::<6, 1>(missing.bits::<1>(0));
        body = if short & even.any() { even } else { 2 };
        least = body;
    }
}
