//! Frames that the host injects.

use crate::arbiter::OCTETS_BITS;
use crate::frame::{FrameWord, WORD_BYTES};
use crate::registers::ManagementFrame;
use flitforge_hdl_prim::fifo::Fifo;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue_registers::{inj_ctl, inj_gap};

/// log2 of the words of the FIFO.
const FIFO_BITS: usize = 9;
/// Bits of a number of its words.
const COUNT_BITS: usize = FIFO_BITS + 1;
/// Bits of INJ_CTL.octets.
const LENGTH_BITS: usize = inj_ctl::octets::WIDTH;
/// Bits of INJ_GAP.
const GAP_BITS: usize = inj_gap::clocks::WIDTH;

const _: () = assert!(1 << (LENGTH_BITS - 3) == 1 << FIFO_BITS && WORD_BYTES == 8);

/// What becomes of the frame that was ordered.
#[packed]
pub enum Injection {
    /// None was.
    Idle,
    /// Are there words enough?
    Checks,
    /// No token yet.
    Waits,
    /// Its words leave.
    Sends,
    /// Words beyond its octets go away.
    Skips,
}

/// Words wait in a FIFO until a frame is ordered of them; it leaves with the next token. See [`super`].
#[block("sue_inject", new)]
pub struct Inject {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets words and the frame; not when the last one has left.
    clear: In<Bit>,
    /// Clocks from the start of a frame to that of the next one, 3 at least.
    gap: In<Bits<GAP_BITS>>,
    /// Words of the next frame.
    pub words: FlowIn<Bits<64>>,
    /// A frame of the words so far.
    pub order: FlowIn<ManagementFrame>,
    /// It has not left.
    busy: Out<Bit>,
    /// Pulse: a word without room, or an order of more words than there are, or while `busy`.
    refused: Out<Bit>,
    /// The frame.
    pub frame: StreamOut<FrameWord>,
    /// Its octets; holds through the frame.
    octets: Out<Bits<OCTETS_BITS>>,
    /// Its port; holds through the frame.
    port: Out<Bits<4>>,
    /// Pulse: it begins to leave.
    started: Out<Bit>,

    #[wire(clock, clear)]
    fifo: Fifo<Bits<64>, FIFO_BITS, COUNT_BITS>,
    state: Register<Injection>,
    /// Words since the last order.
    since: Register<Bits<COUNT_BITS>>,
    #[wire(clear = false)]
    ordered: Register<ManagementFrame>,
    /// Words of the frame, and of them those that have not left.
    #[wire(clear = false)]
    left: Register<Bits<COUNT_BITS>>,
    /// Words beyond the frame.
    #[wire(clear = false)]
    beyond: Register<Bits<COUNT_BITS>>,
    #[wire(enable = true)]
    refuses: Register<Bit>,
    #[wire(enable = true)]
    starts: Register<Bit>,
    /// Clocks to the next token.
    wait: Reg<Bits<GAP_BITS>>,
    /// There is a token.
    #[wire(d = _)]
    token: Reg<Bit>,
}

#[logic]
impl Inject {
    /// Without words; the first token is there.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { fifo: Fifo::new()?, .. })
    }

    fn update(&mut self) {
        let idle = state == Injection::Idle;
        let takes = order.valid & idle;
        let checks = state == Injection::Checks;
        let wanted = left;
        let enough = (since >= wanted) & wanted.any();
        let begins = (state == Injection::Waits) & token;
        let accepts = checks & enough;
        self.count_words(accepts);
        self.order_frame(takes, checks);
        let (ends, skipped) = self.give();
        state.enable = true;
        state = match state {
            Injection::Idle => {
                if takes {
                    Injection::Checks
                } else {
                    Injection::Idle
                }
            }
            Injection::Checks => {
                if enough {
                    Injection::Waits
                } else {
                    Injection::Idle
                }
            }
            Injection::Waits => {
                if token {
                    Injection::Sends
                } else {
                    Injection::Waits
                }
            }
            Injection::Sends => {
                if ends {
                    Injection::Skips
                } else {
                    Injection::Sends
                }
            }
            Injection::Skips => {
                if skipped {
                    Injection::Idle
                } else {
                    Injection::Skips
                }
            }
        };
        busy = !idle;
        starts = begins;
        started = starts;
        let lost = words.valid & !fifo.words_in.ready;
        refuses = lost | (order.valid & !idle) | (checks & !enough);
        refused = refuses;

        // Tokens.
        let due = !wait[2..GAP_BITS].any() & !(wait[0] & wait[1]);
        token = due & !begins;
        if begins {
            wait = gap;
        } else if !due {
            wait = wait - 1;
        }
    }

    /// Words into the FIFO; an order that is taken begins a new count.
    fn count_words(&mut self, accepts: Bit) {
        fifo.words_in = In { data: words.data, valid: words.valid };
        let enters = words.valid & fifo.words_in.ready;
        since.enable = enters | accepts;
        since = if accepts { bit_cast::<COUNT_BITS, 1>(enters.into()) } else { since + 1 };
    }

    /// What is ordered, in words; then what is beyond it.
    fn order_frame(&mut self, takes: Bit, checks: Bit) {
        let asked = order.data;
        let length = asked.octets;
        let part = length[0..3];
        let whole: Bits<COUNT_BITS> = bit_cast::<COUNT_BITS, { LENGTH_BITS - 3 }>(length[3..LENGTH_BITS]);
        ordered.enable = takes;
        ordered = asked;
        let goes = (state == Injection::Sends) & fifo.words_out.valid & frame.ready;
        left.enable = takes | goes;
        left = if takes { whole + bit_cast::<COUNT_BITS, 1>(part.any().into()) } else { left - 1 };
        let skips = (state == Injection::Skips) & fifo.words_out.valid & beyond.any();
        beyond.enable = checks | skips;
        beyond = if checks { since - left } else { beyond - 1 };
    }

    /// Words out: those of the frame, then those beyond it away.
    fn give(&mut self) -> (Bit, Bit) {
        let sends = state == Injection::Sends;
        let offers = sends & fifo.words_out.valid;
        let is_last = left == 1;
        let length = ordered.octets;
        let part = length[0..3];
        let bytes = if is_last & part.any() { bit_cast::<4, 3>(part) } else { 8 };
        frame.data = FrameWord { data: fifo.words_out.data, bytes, last: is_last, error: false };
        frame.valid = offers;
        let drops = (state == Injection::Skips) & beyond.any();
        fifo.words_out.ready = (sends & frame.ready) | drops;
        octets = bit_cast::<OCTETS_BITS, LENGTH_BITS>(length);
        port = ordered.port;
        let ends = offers & frame.ready & is_last;
        let skipped = !beyond.any();
        (ends, skipped)
    }
}
