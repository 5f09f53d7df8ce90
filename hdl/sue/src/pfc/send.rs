//! The end that asks for pauses: fill of receive buffers in, PFC frames out.

use crate::frame::FrameWord;
use crate::mac_control::{DESTINATION, ETHERTYPE};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::class::CLASSES;
use flitforge_protocol::sue::link_control::{PFC_OPCODE, PRIORITIES};
use flitforge_protocol::sue::MIN_FRAME_BYTES;

/// Octets of a word.
const WORD_OCTETS: usize = 8;
/// The last word of a frame, and its octets.
const LAST_PLACE: usize = (MIN_FRAME_BYTES - 1) / WORD_OCTETS;
const LAST_OCTETS: usize = MIN_FRAME_BYTES - LAST_PLACE * WORD_OCTETS;
/// Ethertype and opcode as they stand in the frame.
const KIND: u64 = (PFC_OPCODE.swap_bytes() as u64) << 16 | ETHERTYPE;

/// What is done.
#[packed]
enum Step {
    /// Nothing is to be told.
    Watch,
    /// Classes become priorities, one a clock.
    Gather,
    /// The frame leaves.
    Send,
    /// As `Watch`, which never follows it.
    Spare,
}

/// Requests of pauses; see the [module](self).
#[block("pfc_send")]
pub struct PfcSend {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Nothing was asked for.
    clear: In<Bit>,
    /// Pauses are asked for.
    enable: In<Bit>,
    /// Fill of the classes' receive buffers in 64 octets.
    fill: [In<Bits<8>>; CLASSES],
    /// From this fill on a pause is asked for.
    xoff: [In<Bits<8>>; CLASSES],
    /// Down to this fill it is ended.
    xon: [In<Bits<8>>; CLASSES],
    /// Lossless classes.
    lossless: In<Bits<CLASSES>>,
    /// Priorities of the classes.
    priorities: [In<Bits<3>>; CLASSES],
    /// The pause that is asked for.
    quanta: In<Bits<16>>,
    /// Own address, its first octet in the highest bits.
    source: In<Bits<48>>,
    /// PFC frames without FCS.
    pub frame: StreamOut<FrameWord>,
    /// A frame that names these classes begins.
    sent: Out<Bits<CLASSES>>,

    step: Register<Step>,
    place: Register<Bits<3>>,
    /// Classes for which a pause should be asked.
    #[wire(enable = true)]
    wanted: Register<Bits<CLASSES>>,
    /// Classes for which it was.
    asked: Register<Bits<CLASSES>>,
    /// Classes that the frame names.
    named: Register<Bits<CLASSES>>,
    /// Priorities that it names, and those that it pauses.
    vector: Register<Bits<PRIORITIES>>,
    pauses: Register<Bits<PRIORITIES>>,
    /// Clocks of a quantum, and quanta until the pauses are renewed.
    #[wire(enable = true)]
    clocks: Register<Bits<3>>,
    left: Reg<Bits<15>>,
    /// A frame has begun a clock ago.
    #[wire(enable = true)]
    begun: Register<Bit>,
    #[wire(enable = true)]
    told: Register<Bits<CLASSES>>,
}

#[logic]
impl PfcSend {
    fn update(&mut self) {
        self.watch();
        let goes = self.steps();
        self.gather();
        self.write();
        told = if goes { named } else { 0 };
        sent = told;
    }

    /// Fill against thresholds: against XOFF while nothing is asked, else against XON.
    fn watch(&mut self) {
        let mut above: Bits<CLASSES> = 0;
        for i in 0..CLASSES {
            let threshold = if asked[i] { xon[i] } else { xoff[i] };
            let level: Bits<9> = cat(!asked[i], fill[i]);
            let least: Bits<9> = cat(bits::<1>(1), threshold);
            above = above.with(i, lossless[i] & enable & (level >= least));
        }
        wanted = above;
    }

    /// What is done, and the time until pauses are renewed.
    fn steps(&mut self) -> Bit {
        let renews = asked.any() & !left.any();
        let begins = (step == Step::Watch) & ((wanted != asked) | renews);
        asked.enable = begins;
        asked = wanted;
        named.enable = begins;
        named = wanted | asked;
        clocks = clocks + 1;
        begun = begins;
        if begun {
            left = quanta[1..16];
        } else if clocks.all() & left.any() {
            left = left - 1;
        }
        let sends = step == Step::Send;
        let moves = (step == Step::Gather) | (sends & frame.ready);
        place.enable = moves;
        place = place + 1;
        step.enable = true;
        step = match step {
            Step::Watch | Step::Spare => {
                if begins {
                    Step::Gather
                } else {
                    Step::Watch
                }
            }
            Step::Gather => {
                if place.all() {
                    Step::Send
                } else {
                    Step::Gather
                }
            }
            Step::Send => {
                if frame.ready & (place == LAST_PLACE) {
                    Step::Watch
                } else {
                    Step::Send
                }
            }
        };
        let goes = sends & frame.ready & (place == 0);
        goes
    }

    /// Priorities of the classes, one a clock. Of two classes with one priority, a pause of either holds.
    fn gather(&mut self) {
        let mut is_named: Bit = false;
        let mut is_paused: Bit = false;
        for i in 0..CLASSES {
            let is_this = priorities[i] == place;
            is_named = is_named | (named[i] & is_this);
            is_paused = is_paused | (asked[i] & is_this);
        }
        vector.enable = step == Step::Gather;
        vector = cat(vector[1..8], is_named);
        pauses.enable = step == Step::Gather;
        pauses = cat(pauses[1..8], is_paused);
    }

    /// The words of the frame.
    fn write(&mut self) {
        let begin: Bits<64> = cat(bits::<48>(DESTINATION), source[40..48], source[32..40]);
        let kind: Bits<64> =
            cat(source[24..32], source[16..24], source[8..16], source[0..8], bits::<32>(KIND));
        let timer: Bits<16> = cat(quanta[8..16], quanta[0..8]);
        let first: Bits<64> = cat(
            bits::<8>(0),
            vector,
            Self::timer(timer, pauses[0]),
            Self::timer(timer, pauses[1]),
            Self::timer(timer, pauses[2]),
        );
        let second: Bits<64> = cat(
            Self::timer(timer, pauses[3]),
            Self::timer(timer, pauses[4]),
            Self::timer(timer, pauses[5]),
            Self::timer(timer, pauses[6]),
        );
        let third: Bits<64> = cat(Self::timer(timer, pauses[7]), bits::<48>(0));
        let octets: Bits<64> = match place {
            0 => begin,
            1 => kind,
            2 => first,
            3 => second,
            4 => third,
            _ => 0,
        };
        let last = place == LAST_PLACE;
        let bytes = if last { bits::<4>(LAST_OCTETS) } else { bits::<4>(WORD_OCTETS) };
        frame.data = FrameWord { data: octets, bytes, last, error: false };
        frame.valid = step == Step::Send;
    }

    fn timer(timer: Bits<16>, pauses: Bit) -> Bits<16> {
        if pauses {
            timer
        } else {
            bits::<16>(0)
        }
    }
}
