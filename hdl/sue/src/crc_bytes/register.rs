//! The register of a CRC over frames, a word per clock.

use super::plan::{BytesPlan, WIDTH};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::{ClearedDelay, Delay, XorMatrix};

/// Clocks from a word to the state after it.
pub const STATE_CLOCKS: usize = 5;

/// The state of a CRC, in the basis of [`BytesPlan`], [`STATE_CLOCKS`] clocks after each word of `W` bits (`N` bytes).
///
/// Bytes that the last word lacks are taken as zeros. `C` = log2(`N`) + 1; `G` = 15 `W` / 4; `Q` = 2 `W`.
#[block("crc_register", new, w = W)]
pub struct CrcRegister<const W: usize, const N: usize, const C: usize, const G: usize, const Q: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets frames.
    clear: In<Bit>,
    /// Words, byte 0 first.
    pub word: FlowIn<Bits<W>>,
    /// The word is the first of its frame.
    first: In<Bit>,
    /// The word is the last of its frame.
    last: In<Bit>,
    /// With `last`: valid bytes, 1 to `N`.
    bytes: In<Bits<C>>,
    /// The register after the word.
    state: Out<Bits<WIDTH>>,
    /// The word was the last of its frame.
    done: Out<Bit>,

    #[wire(d = _)]
    masked: [Reg<Bits<8>>; N],
    groups: XorMatrix<W, G>,
    #[wire(d = _)]
    group_sum: Reg<Bits<G>>,
    quarters: XorMatrix<G, Q>,
    #[wire(d = _)]
    quarter_sum: Reg<Bits<Q>>,
    sums: XorMatrix<Q, WIDTH>,
    #[wire(d = _)]
    share: Reg<Bits<WIDTH>>,
    feedback: XorMatrix<WIDTH, WIDTH>,
    #[wire(clear = false)]
    register: Register<Bits<WIDTH>>,
    #[wire(clock, clear)]
    valid_at_state: ClearedDelay<Bit>,
    #[wire(clock)]
    first_at_share: Delay<Bit>,
    #[wire(clock)]
    first_at_state: Delay<Bit>,
    #[wire(clock)]
    last_at_state: Delay<Bit>,
    ended: Register<Bit>,
    first_addend: Constant<Bits<WIDTH>>,
}

#[logic]
impl<const W: usize, const N: usize, const C: usize, const G: usize, const Q: usize>
    CrcRegister<W, N, C, G, Q>
{
    /// With the matrices of a plan for `W` bits.
    pub fn new(plan: &BytesPlan) -> Result<Self, ConfigError> {
        Ok(Self {
            groups: XorMatrix::new(plan.groups.clone())?,
            quarters: XorMatrix::new(plan.quarters.clone())?,
            sums: XorMatrix::new(plan.sums.clone())?,
            feedback: XorMatrix::new(plan.feedback.clone())?,
            valid_at_state: ClearedDelay::new(STATE_CLOCKS - 1)?,
            first_at_share: Delay::new(STATE_CLOCKS - 2)?,
            first_at_state: Delay::new(1)?,
            last_at_state: Delay::new(STATE_CLOCKS - 1)?,
            first_addend: Constant::new(Bits::from(LiteralType::from(plan.first))),
            ..
        })
    }

    fn update(&mut self) {
        // Bytes after the frame's end are zeros.
        let mut whole: Bits<W> = 0;
        for i in 0..N {
            let byte = word.data.bits::<8>(8 * i);
            masked[i] = byte;
            if last & (bytes <= i) {
                masked[i] = 0;
            }
            whole = whole | bit_cast::<W, 8>(masked[i]) << (8 * i);
        }

        // The word's own share of the register, without feedback.
        groups.data = whole;
        group_sum = groups.sum;
        quarters.data = group_sum;
        quarter_sum = quarters.sum;
        sums.data = quarter_sum;
        first_at_share.d = first;
        share = sums.sum;
        if first_at_share.q {
            share = sums.sum ^ first_addend;
        }

        // The register.
        valid_at_state.d = word.valid;
        first_at_state.d = first_at_share.q;
        last_at_state.d = last;
        feedback.data = register;
        register.enable = valid_at_state.q;
        register = share ^ feedback.sum;
        if first_at_state.q {
            register = share;
        }
        ended = valid_at_state.q & last_at_state.q;
        state = register;
        done = ended;
    }
}
