//! The credits of one virtual lane at the sender.

use super::gain::GAIN_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::link_registers::cred;

/// Bits of the credits of a lane.
pub const CREDIT_BITS: usize = cred::tx::WIDTH;
/// Bits that count the beats of an AU.
pub const PLACE_BITS: usize = 7;

/// Counts AU that may be filled, and the beats of the AU in work. Credit for the next beat is known from registers alone; what comes
/// back counts two clocks later.
#[block("credit_counter")]
pub struct CreditCounter {
    /// Rising edge counts.
    clock: In<Clock>,
    /// No credits, no packet.
    clear: In<Bit>,
    /// AU that come back.
    gain: In<Bits<GAIN_BITS>>,
    /// Beats of an AU, less one.
    last_place: In<Bits<PLACE_BITS>>,
    /// A beat of the lane goes.
    sent: In<Bit>,
    /// It ends a packet.
    ends: In<Bit>,
    /// There is credit for the next beat.
    credit: Out<Bit>,
    /// AU that may be filled, some clocks old.
    available: Out<Bits<CREDIT_BITS>>,
    /// More than there can be came back; it is not counted.
    overflow: Out<Bit>,

    units: Reg<Bits<CREDIT_BITS>>,
    /// Exactly one; two or more.
    one: Reg<Bit>,
    many: Reg<Bit>,
    /// The change that is not counted yet, and whether an AU is spent in it.
    change: Reg<Bits<12>>,
    spent: Reg<Bit>,
    /// The next beat is within an AU, at this place.
    within: Reg<Bit>,
    place: Reg<Bits<PLACE_BITS>>,

    #[init(0xFFF)]
    minus_one: Constant<Bits<12>>,
    #[init(0x1_F000)]
    sign: Constant<Bits<17>>,
    #[init(1)]
    next_place: Constant<Bits<PLACE_BITS>>,
}

#[logic]
impl CreditCounter {
    fn update(&mut self) {
        // The first beat of an AU costs it.
        let spends = sent & !within;
        let fills = place == last_place;
        if sent {
            within = !ends & !fills;
            place = place + next_place;
            if ends | fills {
                place = 0;
            }
        }
        let received = bit_cast::<12, GAIN_BITS>(gain);
        let less = received + minus_one;
        change = received;
        if spends {
            change = less;
        }
        spent = spends;

        // The count. Below 0 it cannot get, but for a beat without credit, which is not counted.
        let mut step = bit_cast::<17, 12>(change);
        if change[11] {
            step = bit_cast::<17, 12>(change) | sign;
        }
        let sum = bit_cast::<17, CREDIT_BITS>(units) + step;
        if !sum[16] {
            units = sum.bits::<CREDIT_BITS>(0);
            many = sum.bits::<15>(1).any();
            one = sum[0] & !sum.bits::<15>(1).any();
        }
        if clear {
            units = 0;
            many = false;
            one = false;
            change = 0;
            spent = false;
            within = false;
            place = 0;
        }
        overflow = sum[16];
        credit = within | many | (one & !spent);
        available = units;
    }
}

const _: () = assert!(CREDIT_BITS == 16);
