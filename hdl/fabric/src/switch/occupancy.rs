//! The AU of one buffer.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::flit::FLIT_BITS;

/// Bits of a number of AU.
pub const CREDIT_BITS: usize = 16;
/// Flits of an AU: vAU 3, 64 bytes.
pub const UNIT_FLITS: usize = 8;
const _: () = assert!(FLIT_BITS == 65);

/// Counts AU as beats go in and out, `F` flits each but the last of a packet; what happens in a clock is counted in the next one.
#[block(new)]
pub struct SwitchOccupancy {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Nothing is held.
    clear: In<Bit>,
    /// A beat of a packet goes in, and whether it is its last.
    pushes: In<Bit>,
    /// See `pushes`.
    push_ends: In<Bit>,
    /// A beat goes out, whether it is the last, and whether it came without credit.
    takes: In<Bit>,
    /// See `takes`.
    take_ends: In<Bit>,
    /// See `takes`.
    take_free: In<Bit>,
    /// The packet that goes in is cut off: what follows begins another.
    cuts: In<Bit>,
    /// MARK_AU; 0: off.
    mark: In<Bits<CREDIT_BITS>>,
    /// An AU is free by the beat that went out a clock ago.
    released: Out<Bit>,
    /// More than MARK_AU were held two clocks ago.
    over: Out<Bit>,

    pushing: Reg<Bit>,
    push_end: Reg<Bit>,
    taking: Reg<Bit>,
    take_end: Reg<Bit>,
    taking_free: Reg<Bit>,
    cutting: Reg<Bit>,
    written: Reg<Bits<3>>,
    read: Reg<Bits<3>>,
    held: Reg<Bits<CREDIT_BITS>>,
    is_over: Reg<Bit>,
    last: Constant<Bits<3>>,
    #[init(1)]
    one_beat: Constant<Bits<3>>,
    #[init(1)]
    one: Constant<Bits<CREDIT_BITS>>,
}

#[logic]
impl SwitchOccupancy {
    /// An account of beats of `flits` flits.
    #[must_use]
    pub fn new(flits: usize) -> Self {
        Self { last: Constant::new(((UNIT_FLITS / flits - 1) as u64).into()), .. }
    }

    fn update(&mut self) {
        pushing = pushes;
        push_end = push_ends;
        taking = takes;
        take_end = take_ends;
        taking_free = take_free;
        cutting = cuts;
        let begins = pushing & !written.any();
        if pushing {
            written = written + one_beat;
            if push_end | (written == last) {
                written = 0;
            }
        }
        if cutting {
            written = 0;
        }
        let frees = taking & ((read == last) | take_end) & !(taking_free & !read.any());
        if taking {
            read = read + one_beat;
            if take_end | (read == last) {
                read = 0;
            }
        }
        if begins & !frees {
            held = held + one;
        }
        if frees & !begins {
            held = held - one;
        }
        is_over = mark.any() & (held > mark);
        if clear {
            pushing = false;
            taking = false;
            cutting = false;
            written = 0;
            read = 0;
            held = 0;
            is_over = false;
        }
        released = frees & !clear;
        over = is_over;
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("switch_occupancy", &[("beats", (self.last.val().index() + 1).to_string())])
    }
}
