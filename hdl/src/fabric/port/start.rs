//! What a start of the link does, and when.

use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Clocks from the start of the link to that of the credits: what had come before has been counted by then.
pub const START_CLOCKS: usize = 8;

/// `restart` of the link empties the ways to and from it for [`START_CLOCKS`] clocks; with the last of them credits begin anew.
#[derive(LogicBlock, Default)]
pub struct FabStart {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// The link starts afresh.
    pub restart: Signal<In, Bit>,
    /// Nothing goes to the link or comes from it; from the next clock on.
    pub starts: Signal<Out, Bit>,
    /// With its last clock: credits begin anew.
    pub begins: Signal<Out, Bit>,

    clocks: DFF<Bits<START_CLOCKS>>,
    next_clocks: Signal<Local, Bits<START_CLOCKS>>,
}

impl Logic for FabStart {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, clocks);
        self.next_clocks.next =
            (self.clocks.q.val() << 1) | bit_cast::<START_CLOCKS, 1>(self.restart.val().into());
        self.clocks.d.next = self.next_clocks.val();
        if self.clear.val() {
            self.clocks.d.next = 0.into();
        }
        self.starts.next = self.clocks.q.val().any();
        self.begins.next = self.clocks.q.val().get_bit(7);
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("fab_start", &[])
    }
}

drive_ports!(impl[] FabStart { clock, clear, restart, starts, begins });

const _: () = assert!(START_CLOCKS == 8);
