//! Which input each of the sender's lanes comes in at.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::lane_word::MAX_LANES;

/// Finds the input of each lane that the other end sends on or may send on, and says which of them are clean (chapter 10, 4.5, *Probation*).
///
/// A lane comes in where it was seen last. One that is not in use and was never seen, so that its place is that of another lane, comes in
/// at the first of the inputs left over. Latency 2 clocks from `source` to `good`, 0 from `clean`; all settles in training.
#[block("probation_inputs", lanes = LANES)]
pub struct ProbationInputs<const LANES: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Lanes received on, by the sender's numbers.
    rx_lanes: In<Bits<MAX_LANES>>,
    /// Where each of the sender's lanes comes in; 0 for a lane that was not seen.
    source: [In<Bits<2>>; LANES],
    /// Inputs on which the last LTP time was clean.
    clean: In<Bits<MAX_LANES>>,
    /// The sender's lanes that come in at these.
    good: Out<Bits<MAX_LANES>>,

    /// Inputs of the lanes in use.
    inputs_used: Reg<Bits<MAX_LANES>>,
    /// Input of each lane, one bit.
    #[wire(d = _)]
    input: [Reg<Bits<MAX_LANES>>; LANES],
}

#[logic]
impl<const LANES: usize> ProbationInputs<LANES> {
    fn update(&mut self) {
        let mut used: Bits<MAX_LANES> = 0;
        let mut cleans: Bits<MAX_LANES> = 0;
        // Inputs that the lanes in use and the lanes below have.
        let mut taken = inputs_used;
        for i in 0..LANES {
            let mut seen_at: Bits<MAX_LANES> = 0;
            seen_at = seen_at.with(source[i], true);
            if rx_lanes[i] {
                used = used | seen_at;
            }
            let mut first_left: Bits<MAX_LANES> = 0;
            for j in 0..LANES {
                if !taken[j] & !first_left.any() {
                    first_left = first_left.with(j, true);
                }
            }
            let moves = !rx_lanes[i] & (taken & seen_at).any();
            input[i] = if moves { first_left } else { seen_at };
            cleans = cleans.with(i, (input[i] & clean).any());
            taken = taken | input[i];
        }
        inputs_used = used;
        good = cleans;
    }
}
