//! What credit codes are worth.

use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::LutRam;

/// Bits of a credit code.
pub const CODE_BITS: usize = flitforge_protocol::flit::CREDIT_CODE_BITS;
/// Bits of an entry of the credit table.
pub const UNITS_BITS: usize = 8;
/// Bits of the AU that come back in a clock.
pub const GAIN_BITS: usize = 11;
/// Bits of the codes of a lane in the slots of a beat.
pub const SLOT_CODES_BITS: usize = 12;

/// AU of one lane's codes in `F` slots and in a sideband message; registered.
#[block("credit_gain", f = F)]
pub struct CreditGain<const F: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// What is on its way is gone.
    clear: In<Bit>,
    /// Entry of the credit table that is written on this edge.
    entry: In<Bits<CODE_BITS>>,
    /// Its AU.
    entry_units: In<Bits<UNITS_BITS>>,
    /// Codes of the slots, that of slot i in bits 3i+2..3i; 0 where there is none.
    codes: In<Bits<SLOT_CODES_BITS>>,
    /// The message is for this lane.
    mine: In<Bit>,
    /// AU of the message.
    message_units: In<Bits<UNITS_BITS>>,
    /// AU of all.
    gain: Out<Bits<GAIN_BITS>>,

    #[wire(clock)]
    table: [LutRam<Bits<UNITS_BITS>, CODE_BITS>; F],
    total: Reg<Bits<GAIN_BITS>>,
    sum: Local<Bits<GAIN_BITS>>,
    worth: Local<Bits<UNITS_BITS>>,
}

#[logic]
impl<const F: usize> CreditGain<F> {
    fn update(&mut self) {
        sum = 0;
        if mine {
            sum = bit_cast::<GAIN_BITS, UNITS_BITS>(message_units);
        }
        for i in 0..F {
            table[i] = In { write_enable: true, write_address: entry, write_data: entry_units };
            table[i].read_address = codes.bits::<CODE_BITS>(i * 3);
            worth = table[i].read_data;
            sum = sum + bit_cast::<GAIN_BITS, UNITS_BITS>(worth);
        }
        total = sum;
        if clear {
            total = 0;
        }
        gain = total;
    }
}

// Four slots and a message, 255 AU each.
const _: () = assert!(5 * 255 < 1 << GAIN_BITS && CODE_BITS == 3 && SLOT_CODES_BITS == 4 * CODE_BITS);
