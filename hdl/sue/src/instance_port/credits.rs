//! What CBFC has to know of received frames: the class of each, and when it has left the receive buffer.

use crate::arbiter::{FrameCost, OCTETS_BITS};
use crate::frame::FrameWord;
use crate::reliability::{PduOperation, ReliabilityHeader};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};
use flitforge_hdl_prim::SmallFifo;
use flitforge_protocol::sue::class::{ClassUse, VCS};

const ACKNOWLEDGMENTS: usize = ClassUse::Acknowledgments as usize;
const MANAGEMENT: usize = ClassUse::Management as usize;
/// Clocks between two frames of a flow, less one.
const APART: usize = 7;

/// A PDU whose decision is to come.
#[packed]
pub struct CountedFrame {
    /// What it has cost.
    cost: FrameCost,
    /// It was counted as come.
    counts: Bit,
    /// How often, modulo 2, all had been forgotten when it came.
    round: Bit,
}

/// Tells of received frames by class.
///
/// - **Class.** A PDU of connection management and one without a body have that of acknowledgments, another one that of its virtual channel, as its reliability header says. A frame
///   for the management has that of the management.
/// - **Come** (`came`): each good frame, at its last word. A frame with a wrong network header has no class and is not told; CC_Update of the peer heals it.
/// - **Freed** (`freed`): frames for the management and PDUs that are not committed at once, others when their body leaves the receive buffer.
/// - Each flow has a frame every 8 clocks at most; others wait. Bodies leave at least 4 clocks apart.
/// - `forgets`: receiver and receive buffer are being cleared. What was in them is freed after that, so no credit is lost.
/// - `clear` forgets all, with the counts of CBFC: both ends of the link are cleared together, and the receive buffer is empty then.
///
/// `R` = `G` + 2, `Q` = `G` + 1; a ring of the receive buffer has 2^`G` bodies at most.
#[block("sue_frame_credits", new)]
pub struct FrameCredits<const R: usize, const G: usize, const Q: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets all.
    clear: In<Bit>,
    /// Receiver and receive buffer forget all.
    forgets: In<Bit>,
    /// Frames with a network header, before it is taken off.
    pub frames: FlowIn<FrameWord>,
    /// Frames for the management.
    pub managed: FlowIn<FrameWord>,
    /// PDUs of `frames`, 3 or 4 clocks later.
    pub pdus: FlowIn<FrameWord>,
    /// For each PDU, in order, whether its body is committed.
    pub committed: FlowIn<Bit>,
    /// A body, of this virtual channel, has left the receive buffer.
    pub released: FlowIn<Bits<2>>,
    /// Frames that came.
    pub came: FlowOut<FrameCost>,
    /// Frames that have left.
    pub freed: FlowOut<FrameCost>,

    /// Octets of the frame that comes, and of the last one.
    count: Reg<Bits<OCTETS_BITS>>,
    octets: Reg<Bits<OCTETS_BITS>>,
    managed_count: Reg<Bits<OCTETS_BITS>>,
    /// A frame for the management that is to be told: as come, as freed.
    managed_cost: Reg<FrameCost>,
    managed_comes: Reg<Bit>,
    managed_leaves: Reg<Bit>,
    /// Words of the PDU that have come, at most 2, and what they say.
    place: Reg<Bits<2>>,
    class: Reg<Bits<3>>,
    #[wire(clock, clear)]
    undecided: SmallFifo<CountedFrame, 4, 5>,
    #[wire(clock, clear)]
    arrivals: SmallFifo<FrameCost, 2, 3>,
    #[wire(clock, clear)]
    dropped: SmallFifo<FrameCost, 5, 6>,
    #[wire(clock, clear)]
    gone: SmallFifo<FrameCost, 4, 5>,
    /// Octets of the frames whose bodies are in the rings.
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    kept: Ram<Bits<OCTETS_BITS>, R>,
    newest: [Reg<Bits<Q>>; VCS],
    oldest: [Reg<Bits<Q>>; VCS],
    /// Bodies that were forgotten: their frames are to be told.
    debts: [Reg<Bits<Q>>; VCS],
    forgot: Register<Bit>,
    round: Register<Bit>,
    /// A body that has left: its octets are read.
    #[wire(d = _)]
    leaves: Reg<Bits<3>>,
    leaver: Reg<Bits<2>>,
    leaver_place: Reg<Bits<G>>,
    /// Clocks until each flow may have its next frame.
    rests_came: Reg<Bits<3>>,
    rests_freed: Reg<Bits<3>>,
}

#[logic]
impl<const R: usize, const G: usize, const Q: usize> FrameCredits<R, G, Q> {
    /// Nothing has come.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            undecided: SmallFifo::new()?,
            arrivals: SmallFifo::new()?,
            dropped: SmallFifo::new()?,
            gone: SmallFifo::new()?,
            kept: Ram::new(RamConfig::block(1 << R))?,
            ..
        })
    }

    fn update(&mut self) {
        self.count_octets();
        self.classify();
        self.decide();
        self.release();
        self.tell();
        if clear {
            place = 0;
            managed_comes = false;
            managed_leaves = false;
            leaves = 0;
            for i in 0..VCS {
                newest[i] = 0;
                oldest[i] = 0;
                debts[i] = 0;
            }
        }
    }

    /// Octets of frames; those for the management have one class.
    fn count_octets(&mut self) {
        let word = frames.data;
        let total = count + bit_cast::<OCTETS_BITS, 4>(word.bytes);
        if frames.valid {
            count = if word.last { 0 } else { total };
            if word.last {
                octets = total;
            }
        }
        let managed_word = managed.data;
        let managed_total = managed_count + bit_cast::<OCTETS_BITS, 4>(managed_word.bytes);
        if managed.valid {
            managed_count = if managed_word.last { 0 } else { managed_total };
            if managed_word.last & !managed_word.error {
                managed_cost = FrameCost { class: MANAGEMENT, octets: managed_total };
                managed_comes = true;
                managed_leaves = true;
            }
        }
        if clear {
            count = 0;
            managed_count = 0;
        }
    }

    /// The class of a PDU, and that it came.
    fn classify(&mut self) {
        let word = pdus.data;
        let top = Self::top_first(word.data);
        let header: ReliabilityHeader = top.into();
        let is_record = header.op == PduOperation::ConnectionManagement;
        let of_vc: Bits<3> = cat(header.vc, bits::<1>(0));
        let octets_now = word.data;
        let is_empty = !octets_now[0..16].any();
        let first_class: Bits<3> = if is_record { ACKNOWLEDGMENTS } else { of_vc };
        let second_class: Bits<3> = if is_empty { ACKNOWLEDGMENTS } else { class };
        let class_now = if place == 0 {
            first_class
        } else if place == 1 {
            second_class
        } else {
            class
        };
        if pdus.valid {
            class = class_now;
            place = if word.last {
                0
            } else if place == 0 {
                1
            } else {
                2
            };
        }
        let ends = pdus.valid & word.last;
        let good = !word.error;
        let cost = FrameCost { class: class_now, octets };
        undecided.words_in = In { data: CountedFrame { cost, counts: good, round }, valid: ends };
        let tells_pdu = ends & good;
        arrivals.words_in.valid = tells_pdu | managed_comes;
        arrivals.words_in.data = if tells_pdu { cost } else { managed_cost };
        if managed_comes & !tells_pdu & arrivals.words_in.ready {
            managed_comes = false;
        }
    }

    /// What is not committed has left, and so has what was forgotten; of the others the octets are kept.
    fn decide(&mut self) {
        forgot = forgets;
        // What comes while all is forgotten is still of the old round.
        round.enable = forgot & !forgets;
        round = !round;
        let frame = undecided.words_out.data;
        let there = undecided.words_out.valid;
        let is_old = there & (forgets | (frame.round != round));
        let decided = committed.valid & there & !is_old;
        undecided.words_out.ready = committed.valid | is_old;
        let commits = decided & committed.data;
        let drops = (is_old | (decided & !committed.data)) & frame.counts;
        dropped.words_in.valid = drops | managed_leaves;
        dropped.words_in.data = if drops { frame.cost } else { managed_cost };
        if managed_leaves & !drops & dropped.words_in.ready {
            managed_leaves = false;
        }
        let of_class = frame.cost.class;
        let vc: Bits<2> = of_class.bits::<2>(0);
        let mut ring_place: Bits<G> = 0;
        for i in 0..VCS {
            let front = newest[i];
            if vc == i {
                ring_place = front.bits::<G>(0);
            }
            if commits & (vc == i) {
                newest[i] = newest[i] + 1;
            }
        }
        kept =
            In { write_enable: commits, write_address: cat(ring_place, vc), write_data: frame.cost.octets };
    }

    /// A body has left, or was forgotten: what its frame has cost is read.
    fn release(&mut self) {
        let mut owes: Bit = false;
        let mut debtor: Bits<2> = 0;
        for i in 0..VCS {
            if debts[i].any() {
                owes = true;
                debtor = i;
            }
        }
        let quiet = !leaves.any() & !gone.words_out.valid & !released.valid & !forgets & !forgot;
        let pays = owes & quiet;
        let whose = if released.valid { released.data } else { debtor };
        let mut place_of: Bits<Q> = 0;
        let mut some: Bit = false;
        for i in 0..VCS {
            if whose == i {
                place_of = oldest[i];
                some = oldest[i] != newest[i];
            }
        }
        let takes = (released.valid | pays) & some & !forgets;
        leaves = cat(takes, leaves[0], leaves[1]);
        if takes {
            leaver = whose;
            leaver_place = place_of.bits::<G>(0);
        }
        for i in 0..VCS {
            let mine = whose == i;
            if takes & mine {
                oldest[i] = oldest[i] + 1;
            }
            if pays & mine {
                debts[i] = debts[i] - 1;
            }
            if forgets {
                debts[i] = newest[i] - oldest[i];
            }
        }
        kept.read_address = cat(leaver_place, leaver);
        let of_leaver: Bits<3> = cat(leaver, bits::<1>(0));
        gone.words_in = In { data: FrameCost { class: of_leaver, octets: kept.read_data }, valid: leaves[2] };
    }

    /// One frame of each flow every 8 clocks.
    fn tell(&mut self) {
        let may_come = rests_came == 0;
        came = In { data: arrivals.words_out.data, valid: arrivals.words_out.valid & may_come };
        arrivals.words_out.ready = may_come;
        rests_came = if came.valid {
            APART
        } else if may_come {
            0
        } else {
            rests_came - 1
        };
        let may_leave = rests_freed == 0;
        let first = dropped.words_out.valid;
        let some = first | gone.words_out.valid;
        freed.valid = some & may_leave;
        freed.data = if first { dropped.words_out.data } else { gone.words_out.data };
        dropped.words_out.ready = may_leave;
        gone.words_out.ready = may_leave & !first;
        rests_freed = if freed.valid {
            APART
        } else if may_leave {
            0
        } else {
            rests_freed - 1
        };
    }

    /// The first octet on top.
    fn top_first(word: Bits<64>) -> Bits<64> {
        let low: Bits<32> = cat(word[56..64], word[48..56], word[40..48], word[32..40]);
        let high: Bits<32> = cat(word[24..32], word[16..24], word[8..16], word[0..8]);
        cat(low, high)
    }
}
