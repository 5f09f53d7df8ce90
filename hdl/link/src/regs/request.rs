//! The register bus of the page.

use super::WORD_ADDRESS_BITS;
use flitforge_hdl_prim::prelude::*;

/// Takes a request in its first clock and gives `ack` 4 clocks after it; none is taken until then.
///
/// - What is asked stands from 1 clock after the request on, until the next one is taken.
/// - `clear` takes the `ack` from a request in work, which goes on without it. A request of that clock is not taken.
#[block("regs_request")]
pub struct RegsRequest {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Word of the page.
    addr: In<Bits<WORD_ADDRESS_BITS>>,
    /// Value of a write.
    wdata: In<Bits<64>>,
    /// Asks for a write.
    we: In<Bit>,
    /// Asks for a read.
    re: In<Bit>,
    /// A request was taken in the clock before.
    taken: Out<Bit>,
    /// Its word.
    word: Out<Bits<WORD_ADDRESS_BITS>>,
    /// Its value.
    data: Out<Bits<64>>,
    /// Its value is 0.
    data_zero: Out<Bit>,
    /// It is a write.
    writes: Out<Bit>,
    /// The request is done.
    ack: Out<Bit>,
    /// Clocks 1 to 4 of a request.
    step: [Reg<Bit>; 4],
    answers: Reg<Bit>,
    acknowledged: Reg<Bit>,
    #[wire(clear = false)]
    word_held: Register<Bits<WORD_ADDRESS_BITS>>,
    #[wire(clear = false)]
    data_held: Register<Bits<64>>,
    #[wire(clear = false)]
    zero_held: Register<Bit>,
    #[wire(clear = false)]
    write_held: Register<Bit>,
}

#[logic]
impl RegsRequest {
    fn update(&mut self) {
        let takes = (we | re) & !clear & !(step[0] | step[1] | step[2] | step[3]);
        step[0] = takes;
        step[1] = step[0];
        step[2] = step[1];
        step[3] = step[2];
        answers = (answers | takes) & !clear;
        acknowledged = step[2] & answers & !clear;
        word_held.enable = takes;
        word_held = addr;
        data_held.enable = takes;
        data_held = wdata;
        zero_held.enable = takes;
        zero_held = !wdata.any();
        write_held.enable = takes;
        write_held = we;
        taken = step[0];
        word = word_held;
        data = data_held;
        data_zero = zero_held;
        writes = write_held;
        ack = acknowledged;
    }
}
