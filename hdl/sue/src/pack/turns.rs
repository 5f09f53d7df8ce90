//! Whose turn it is: the arrival lists, and the weighted round robin of the virtual channels.
//!
//! Each virtual channel has two lists, rings of destinations: one of flushed queues, which goes first, and one of all others. A virtual channel
//! may build as many bodies per round as its weight says; one that has nothing or is not ready is skipped at once.

use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{LutRam, Ram, RamConfig};

/// What is done for the next turn.
#[packed]
enum Step {
    /// A list is chosen.
    Choose,
    /// Where its front is.
    Point,
    /// The front moves on.
    Move,
    /// The entry comes out of the ring.
    Fetch,
    /// The table is asked whether the queue is there.
    Ask,
    /// The table has not answered.
    Hear,
}

/// Bits that choose a list: the virtual channel, and above it whether it is the list of flushed queues.
const LIST_BITS: usize = 3;

/// Lists of 2^`P` destinations each; `R` = `P` + 3. See the [module](self).
#[block("sue_pack_turns", new, peers = 1usize << P)]
pub struct PackTurns<const P: usize, const R: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Empties the lists.
    clear: In<Bit>,
    /// A queue enters a list.
    push: In<Bit>,
    /// It is the list of flushed queues.
    push_urgent: In<Bit>,
    /// Virtual channel of a queue that enters or begins.
    vc: In<Bits<2>>,
    /// Destination of the queue that enters.
    destination: In<Bits<P>>,
    /// A body of the virtual channel `vc` begins.
    begins: In<Bit>,
    /// No body is being built.
    idle: In<Bit>,
    /// The table does not know yet that a body is complete.
    closing: In<Bit>,
    /// Virtual channels that can send.
    vc_ready: In<Bits<4>>,
    /// Bodies per round of virtual channel 0, and so on.
    weight_0: In<Bits<8>>,
    weight_1: In<Bits<8>>,
    weight_2: In<Bits<8>>,
    weight_3: In<Bits<8>>,
    /// A queue is next, if it is still there.
    start_valid: Out<Bit>,
    /// Its destination.
    start_destination: Out<Bits<P>>,
    /// Its virtual channel.
    start_vc: Out<Bits<2>>,
    /// It was in the list of flushed queues.
    start_urgent: Out<Bit>,
    /// It is being looked for.
    start_taken: In<Bit>,
    /// It begins, or was not there any more.
    start_done: In<Bit>,
    /// It is to be asked for again.
    start_again: In<Bit>,
    /// A clock ago no queue waited for its turn.
    quiet: Out<Bit>,
    /// `vc_ready`, a clock later.
    ready: Out<Bits<4>>,

    ring: Ram<Bits<P>, R>,
    fronts: LutRam<Bits<P>, LIST_BITS>,
    backs: LutRam<Bits<P>, LIST_BITS>,
    /// As `backs`, for a second reader.
    ends: LutRam<Bits<P>, LIST_BITS>,
    #[init(true)]
    wipes: Register<Bit>,
    wipe: Register<Bits<LIST_BITS>>,
    /// Lists that have entries: four of all queues, four of flushed ones.
    some: [Register<Bit>; 8],
    #[wire(d = _)]
    ready_now: Reg<Bits<4>>,
    /// Virtual channels that have a queue and are ready.
    #[wire(d = _)]
    wants: Reg<Bits<4>>,
    /// The virtual channel that is next, and whether there is one.
    #[wire(d = _)]
    chosen_now: Reg<Bits<2>>,
    #[wire(d = _)]
    any_wants: Reg<Bit>,
    #[wire(d = _)]
    was_quiet: Reg<Bit>,
    /// `allowance` is not 0.
    #[wire(d = _)]
    left: Reg<Bit>,
    step: Register<Step>,
    /// The step is `Ask`.
    asks: Register<Bit>,
    list: Reg<Bits<LIST_BITS>>,
    #[wire(d = _)]
    front_after: Reg<Bits<P>>,
    #[wire(d = _)]
    back: Reg<Bits<P>>,
    #[wire(clear = false)]
    read_address: Register<Bits<R>>,
    appends: Register<Bit>,
    #[wire(d = _)]
    append_list: Reg<Bits<LIST_BITS>>,
    #[wire(d = _)]
    append_place: Reg<Bits<P>>,
    #[wire(d = _)]
    append_data: Reg<Bits<P>>,
    /// A clock later: the back of a list is written.
    writes: Register<Bit>,
    #[wire(d = _)]
    write_list: Reg<Bits<LIST_BITS>>,
    #[wire(d = _)]
    place_after: Reg<Bits<P>>,
    /// The list that is being looked at has no other entry.
    #[wire(d = _)]
    was_last: Reg<Bit>,
    /// The first turn is that of virtual channel 0, with all it may have.
    #[init(3)]
    turn: Register<Bits<2>>,
    /// Bodies that the virtual channel of the turn may still build in this round.
    allowance: Register<Bits<8>>,
    counts: Register<Bit>,
    /// The choice does not know yet of the last body.
    counted: Register<Bits<2>>,
}

#[logic]
impl<const P: usize, const R: usize> PackTurns<P, R> {
    /// Empty lists.
    pub fn new() -> Result<Self, ConfigError> {
        check_derived("sue_pack", "R", R as u64, "P + 3", P as u64 + 3)?;
        Ok(Self { ring: Ram::new(RamConfig::table(1 << R))?, .. })
    }

    fn update(&mut self) {
        ready_now = vc_ready;
        ready = ready_now;
        self.choose();
        self.append();
        self.remove();
        self.ask();
        self.count();
    }

    /// The list that is next: of the virtual channel of the turn, else of the next one that has something.
    fn choose(&mut self) {
        let none = !(some[0] | some[1] | some[2] | some[3] | some[4] | some[5] | some[6] | some[7]);
        was_quiet = idle & !closing & none & (step == Step::Choose);
        quiet = was_quiet;
        let want_0 = (some[0] | some[4]) & ready_now[0];
        let want_1 = (some[1] | some[5]) & ready_now[1];
        let want_2 = (some[2] | some[6]) & ready_now[2];
        let want_3 = (some[3] | some[7]) & ready_now[3];
        wants = cat(want_0, want_1, want_2, want_3);
        left = allowance.any();
        let chosen: Bits<2> = match turn {
            0 => Self::first_of(wants, left),
            1 => {
                let turned: Bits<4> = cat(wants[1..4], wants[0]);
                Self::first_of(turned, left) + 1
            }
            2 => {
                let turned: Bits<4> = cat(wants[2..4], wants[0..2]);
                Self::first_of(turned, left) + 2
            }
            _ => {
                let turned: Bits<4> = cat(wants[3], wants[0..3]);
                Self::first_of(turned, left) + 3
            }
        };
        chosen_now = chosen;
        any_wants = wants.any();
        let urgent = match chosen_now {
            0 => some[4],
            1 => some[5],
            2 => some[6],
            _ => some[7],
        };
        let chooses = step == Step::Choose;
        if chooses {
            list = cat(chosen_now, urgent);
        }
        let settled = !counts & !counted[0] & !counted[1];
        let goes = idle & any_wants & settled & !wipes;
        step = match step {
            Step::Choose => {
                if goes {
                    Step::Point
                } else {
                    Step::Choose
                }
            }
            // The back of the list must hold still while it is compared.
            Step::Point => {
                if push | appends | writes {
                    Step::Point
                } else {
                    Step::Move
                }
            }
            Step::Move => {
                if push {
                    Step::Point
                } else {
                    Step::Fetch
                }
            }
            Step::Fetch => Step::Ask,
            Step::Ask => {
                if start_taken {
                    Step::Hear
                } else {
                    Step::Ask
                }
            }
            Step::Hear => {
                if start_again {
                    Step::Ask
                } else if start_done {
                    Step::Choose
                } else {
                    Step::Hear
                }
            }
        };
    }

    /// A queue at the back of a list.
    fn append(&mut self) {
        wipes = wipes & !wipe.all();
        wipe = wipe + 1;
        let push_list: Bits<LIST_BITS> = cat(vc, push_urgent);
        appends = push;
        append_list = push_list;
        append_place = backs.read_data;
        append_data = destination;
        writes = appends | wipes;
        write_list = if wipes { wipe } else { append_list };
        place_after = if wipes { 0 } else { append_place + 1 };
        backs = In { clock, read_address: push_list, write_enable: writes, write_address: write_list };
        backs.write_data = place_after;
        ends = In { clock, read_address: list, write_enable: writes, write_address: write_list };
        ends.write_data = place_after;
        ring =
            In { write_clock: clock, write_enable: appends, write_address: cat(append_place, append_list) };
        ring.write_data = append_data;
    }

    /// The queue at the front of the list leaves it.
    fn remove(&mut self) {
        let front = fronts.read_data;
        front_after = front + 1;
        back = ends.read_data;
        read_address.enable = step == Step::Point;
        read_address = cat(front, list);
        ring = In { read_clock: clock, read_enable: true, output_enable: true, read_address };
        let moves = (step == Step::Move) & !push;
        let front_written = if wipes { wipe } else { list };
        let front_data: Bits<P> = if wipes { 0 } else { front_after };
        fronts = In { clock, read_address: list, write_enable: moves | wipes, write_address: front_written };
        fronts.write_data = front_data;
        was_last = front_after == back;
        let empties = (step == Step::Fetch) & was_last;
        let entered: Bits<LIST_BITS> = cat(vc, push_urgent);
        for i in 0..8 {
            let enters = push & (entered == i);
            let ends_now = empties & (list == i);
            some[i] = enters | (some[i] & !ends_now);
        }
    }

    fn ask(&mut self) {
        let stays = (step == Step::Ask) & !start_taken;
        asks = (step == Step::Fetch) | stays | ((step == Step::Hear) & start_again);
        start_valid = asks;
        start_destination = ring.read_data;
        start_vc = list[0..2];
        start_urgent = list[2];
    }

    /// The body that begins counts in the round.
    fn count(&mut self) {
        let weight = match vc {
            0 => weight_0,
            1 => weight_1,
            2 => weight_2,
            _ => weight_3,
        };
        let fresh = (vc != turn) | !allowance.any();
        turn.enable = begins;
        turn = vc;
        counts = begins;
        counted = cat(counts, counted[0]);
        allowance.enable = (begins & fresh) | counts;
        allowance = if counts { allowance - 1 } else { weight };
    }

    /// The first of four that wants, the first one itself only if it has turns `left`, else last.
    fn first_of(wants: Bits<4>, left: Bit) -> Bits<2> {
        let stays = wants[0] & left;
        if stays {
            0
        } else if wants[1] {
            1
        } else if wants[2] {
            2
        } else if wants[3] {
            3
        } else {
            0
        }
    }
}
