//! CF_Update to the peer: which classes are due, and the ordered set.
//!
//! Classes 0 and 1, 2 and 3, 4 and 5 share an ordered set. One without credits leaves the place to the other.

use super::operation::*;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::class::CLASSES;
use flitforge_protocol::sue::link_control::{OrderedSetType, ORDERED_SET_START, O_CODE};

/// Code of CF_Update.
const CF_UPDATE: usize = OrderedSetType::CfUpdate as usize;
/// Pairs of classes.
const PAIRS: usize = CLASSES / 2;

/// What is done.
#[packed]
enum Step {
    /// A pair of classes is looked at each clock.
    Watch,
    /// The counts of the first class are asked for.
    First,
    /// Those of the second.
    Second,
    /// Both are awaited; then the ordered set waits to be sent.
    Send,
}

/// CF_Update; see the [module](self).
#[block("freed_send")]
pub struct FreedSend {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Nothing is due.
    clear: In<Bit>,
    /// Updates are sent.
    enable: In<Bit>,
    /// Classes of which CELL_BATCH cells were freed.
    ripe: In<Bits<CLASSES>>,
    /// Lossless classes.
    lossless: In<Bits<CLASSES>>,
    /// CF_TIMER in clocks.
    cf_timer: In<Bits<16>>,
    /// Classes whose CF is asked for; with bit 3 as the second one.
    pub tell: StreamOut<Bits<4>>,
    /// Their CF.
    pub told: FlowIn<CreditTold>,
    /// Ordered sets, octet 0 in bits 7:0.
    pub control: StreamOut<Bits<64>>,

    step: Register<Step>,
    /// The pair that is looked at.
    pair: Register<Bits<2>>,
    #[wire(enable = true)]
    due: Register<Bits<CLASSES>>,
    elapsed: Register<Bits<16>>,
    #[wire(enable = true)]
    is_time: Register<Bit>,
    first: Reg<CreditTold>,
    second: Reg<CreditTold>,
    set_valid: Register<Bit>,
}

#[logic]
impl FreedSend {
    fn update(&mut self) {
        // CF_TIMER is periodic: a CF_Update may get lost. It takes two clocks more.
        elapsed.enable = true;
        elapsed = elapsed + 1;
        is_time = elapsed == cf_timer;
        elapsed.clear = clear | is_time;

        let codes: Bits<8> = cat(due, bits::<2>(0));
        let pairs_due: Bits<4> =
            cat(codes[0] | codes[1], codes[2] | codes[3], codes[4] | codes[5], bits::<1>(0));
        let begins = (step == Step::Watch) & pairs_due[pair] & enable;
        let sent = set_valid & control.ready;
        pair.enable = (step == Step::Watch) & !begins;
        pair = if pair == PAIRS - 1 { 0 } else { pair + 1 };
        let asks_second = step == Step::Second;
        tell.valid = (step == Step::First) | asks_second;
        tell.data = cat(asks_second, pair, asks_second);
        step.enable = true;
        step = match step {
            Step::Watch => {
                if begins {
                    Step::First
                } else {
                    Step::Watch
                }
            }
            Step::First => {
                if tell.ready {
                    Step::Second
                } else {
                    Step::First
                }
            }
            Step::Second => {
                if tell.ready {
                    Step::Send
                } else {
                    Step::Second
                }
            }
            Step::Send => {
                if sent {
                    Step::Watch
                } else {
                    Step::Send
                }
            }
        };
        self.keep_due(asks_second);
        self.write(sent);
    }

    /// Due until asked for. What is freed between is due again.
    fn keep_due(&mut self, asks_second: Bit) {
        let asked = tell.valid & tell.ready;
        let timed: Bits<CLASSES> = if is_time { lossless } else { 0 };
        let class: Bits<3> = cat(asks_second, pair);
        let mut left: Bits<CLASSES> = due;
        for i in 0..CLASSES {
            if asked & (class == i) {
                left = left.with(i, false);
            }
        }
        due = left | ripe | timed;
    }

    /// The ordered set: what is told first stands in both places until something comes for the second.
    fn write(&mut self, sent: Bit) {
        let count = told.data;
        let is_first = told.valid & !count.second;
        let is_second = told.valid & count.second;
        if is_first {
            first = count;
        }
        if is_first | (is_second & count.known) {
            second = count;
        }
        if is_second & !first.known {
            first = count;
        }
        set_valid.enable = is_second | sent;
        set_valid = is_second;
        let update = FreedUpdate {
            below: 0,
            cnt2: second.cells,
            vc2: second.vc,
            o_code: O_CODE,
            cnt1: first.cells,
            vc1: first.vc,
            kind: CF_UPDATE,
            start: ORDERED_SET_START,
        };
        let word: Bits<64> = update.into();
        control.data = cat(
            word[56..64],
            word[48..56],
            word[40..48],
            word[32..40],
            word[24..32],
            word[16..24],
            word[8..16],
            word[0..8],
        );
        control.valid = set_valid;
    }
}
