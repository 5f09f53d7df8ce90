//! What a start of the link does, and when.

use flitforge_hdl_prim::prelude::*;

/// Clocks from the start of the link to that of the credits: what had come before has been counted by then.
pub const START_CLOCKS: usize = 8;

/// `restart` of the link empties the ways to and from it for [`START_CLOCKS`] clocks; with the last of them credits begin anew.
#[block("fab_start")]
pub struct FabStart {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// The link starts afresh.
    restart: In<Bit>,
    /// Nothing goes to the link or comes from it; from the next clock on.
    starts: Out<Bit>,
    /// With its last clock: credits begin anew.
    begins: Out<Bit>,

    clocks: Reg<Bits<START_CLOCKS>>,
}

#[logic]
impl FabStart {
    fn update(&mut self) {
        let next_clocks: Bits<START_CLOCKS> = (clocks << 1) | bit_cast::<START_CLOCKS, 1>(restart.into());
        clocks = next_clocks;
        if clear {
            clocks = 0;
        }
        starts = clocks.any();
        begins = clocks[7];
    }
}

const _: () = assert!(START_CLOCKS == 8);
