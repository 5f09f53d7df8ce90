//! The end that honours pauses: PFC frames in, paused classes out.
//!
//! Eight timers take turns, one priority a clock: so each has its turn once in a quantum of 512 bit times, and one subtraction serves all.

use crate::frame::FrameWord;
use crate::mac_control::{ControlHead, ControlVerdicts};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::LutRam;
use flitforge_protocol::sue::class::CLASSES;
use flitforge_protocol::sue::link_control::{PFC_OPCODE, PRIORITIES};

/// The word of a PFC frame that begins with the class vector; timers follow it.
const VECTOR_PLACE: usize = 2;
/// The word with the last timer, and its octets.
const LAST_PLACE: usize = 4;
const LAST_OCTETS: usize = 2;
/// Bits of the count of quanta in 1024 clocks.
const ROUND_BITS: usize = 7;

/// What is kept of a pause.
#[packed]
struct Pause {
    /// Quanta that are left.
    left: Bits<16>,
    /// Marks of 1024 clocks that it has seen.
    marks: Bits<16>,
    /// The watchdog has told of it.
    told: Bit,
}

/// Pauses by priority; see the [module](self).
#[block("pfc_receive")]
pub struct PfcReceive {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Ends all pauses.
    clear: In<Bit>,
    /// PFC frames are heeded.
    enable: In<Bit>,
    /// Words of received frames, of any kind.
    pub frames: FlowIn<FrameWord>,
    /// Whether a frame is good.
    pub verdicts: FlowIn<Bit>,
    /// Priorities of the classes.
    priorities: [In<Bits<3>>; CLASSES],
    /// PFC_WD in 1024 clocks.
    watchdog: In<Bits<16>>,
    /// Classes that are paused.
    paused: Out<Bits<CLASSES>>,
    /// A PFC frame named the priority of these classes.
    received: Out<Bits<CLASSES>>,
    /// These classes have been paused for PFC_WD.
    storm: Out<Bits<CLASSES>>,

    #[wire(clock, clear)]
    head: ControlHead,
    #[wire(clock, clear)]
    slots: ControlVerdicts,
    /// The upper half of the class vector is 0.
    #[wire(clear = false)]
    is_vector: Register<Bit>,
    /// By slot: the class vector, and the words with the timers.
    #[wire(clock)]
    vectors: LutRam<Bits<PRIORITIES>, 2>,
    #[wire(clock)]
    timers: LutRam<Bits<64>, 4>,

    /// A frame is carried out.
    applying: Register<Bit>,
    /// Priorities whose turn is still to come for it.
    to_do: Register<Bits<PRIORITIES>>,
    /// Priorities that are held until their timer is set.
    pending: Register<Bits<PRIORITIES>>,
    /// Priorities that are paused.
    active: Register<Bits<PRIORITIES>>,
    /// Whose turn it is.
    #[wire(enable = true)]
    turn: Register<Bits<3>>,
    /// Where its timer stands in 16 bits after the class vector: one more than the turn, and the row of that.
    #[init(1)]
    #[wire(enable = true)]
    number: Register<Bits<4>>,
    #[init(VECTOR_PLACE)]
    #[wire(enable = true)]
    row: Register<Bits<2>>,
    /// Quanta in 1024 clocks.
    rounds: Register<Bits<ROUND_BITS>>,
    /// The turn a clock later: its priority, its new timer, whether it gets it, and whether a mark is to be counted.
    #[wire(d = _)]
    visited: Reg<Bits<3>>,
    #[wire(d = _)]
    quanta: Reg<Bits<16>>,
    #[wire(enable = true)]
    sets: Register<Bit>,
    #[wire(d = _)]
    counts: Reg<Bit>,
    /// The pause as it is. A clock later it is compared, for what comes from the memory comes late; it changes only two clocks after its turn.
    #[wire(d = _)]
    stored: Reg<Pause>,
    /// Two clocks later: the same, and the pause as it is.
    #[wire(d = _)]
    counted: Reg<Bits<3>>,
    #[wire(d = _)]
    new_quanta: Reg<Bits<16>>,
    #[wire(enable = true)]
    is_set: Register<Bit>,
    #[wire(d = _)]
    is_mark: Reg<Bit>,
    #[wire(enable = true)]
    is_active: Register<Bit>,
    #[wire(d = _)]
    pause: Reg<Pause>,
    /// What is known of the numbers already: the new timer is not 0, the pause ends in this turn, its marks are those of the watchdog.
    #[wire(d = _)]
    is_some: Reg<Bit>,
    #[wire(d = _)]
    is_end: Reg<Bit>,
    #[wire(d = _)]
    is_full: Reg<Bit>,
    #[wire(clock)]
    pauses: LutRam<Pause, 3>,
    #[wire(enable = true)]
    paused_now: Register<Bits<CLASSES>>,
    #[wire(enable = true)]
    received_now: Register<Bits<CLASSES>>,
    #[wire(enable = true)]
    storm_now: Register<Bits<CLASSES>>,
}

#[logic]
impl PfcReceive {
    fn update(&mut self) {
        self.parse();
        self.read_timer();
        let (left_any, fires) = self.count();
        let finished = self.apply(left_any);
        slots.done = finished;
        self.by_class(fires);
    }

    /// Words of frames to their slot.
    fn parse(&mut self) {
        head.frames = In { data: frames.data, valid: frames.valid };
        head.opcode = PFC_OPCODE;
        slots.verdicts = In { data: verdicts.data, valid: verdicts.valid };
        let word = head.words.data;
        let octets = word.data;
        let place = head.place;
        let arrives = head.words.valid;
        let at_vector = place == VECTOR_PLACE;
        is_vector.enable = arrives & at_vector;
        let upper: Bits<8> = octets[0..8];
        // Where a frame waits nothing is written. Room that is there stays until the frame ends.
        let room = slots.room;
        is_vector = !upper.any() & room;
        let slot = slots.slot;
        vectors =
            In { write_enable: arrives & at_vector & room, write_address: slot, write_data: octets[8..16] };
        let has_timers = at_vector | (place == VECTOR_PLACE + 1) | (place == LAST_PLACE);
        let place_row: Bits<2> = place[0..2];
        timers = In {
            write_enable: arrives & has_timers & room,
            write_address: cat(place_row, slot),
            write_data: octets,
        };
        let long_enough = (place > LAST_PLACE) | ((place == LAST_PLACE) & (word.bytes >= LAST_OCTETS));
        slots.ended = arrives & word.last;
        slots.recognised = head.is_control & is_vector & long_enough & !word.error & room & enable;
    }

    /// The timer of the frame that is carried out, for the priority whose turn it is.
    fn read_timer(&mut self) {
        turn = turn + 1;
        rounds.enable = turn.all();
        rounds = rounds + 1;
        // Timer p stands in 16 bits number p + 1, with those of the class vector as number 0. The row is known a clock ahead.
        let following: Bits<4> = if number == PRIORITIES { 1 } else { number + 1 };
        number = following;
        row = cat(following[2], !following[3]);
        timers.read_address = cat(row, slots.offered_slot);
        let lanes = timers.read_data;
        let lane: Bits<2> = number[0..2];
        let sent: Bits<16> = match lane {
            0 => lanes[0..16],
            1 => lanes[16..32],
            2 => lanes[32..48],
            _ => lanes[48..64],
        };
        quanta = cat(sent[8..16], sent[0..8]);
        visited = turn;
        sets = to_do[turn];
        counts = rounds.all();
    }

    /// The pause of that priority: set, or one quantum less; whether it lasts, and whether the watchdog tells of it.
    fn count(&mut self) -> (Bit, Bit) {
        pauses.read_address = turn;
        stored = pauses.read_data;
        pause = stored;
        is_end = stored.left == 1;
        is_full = stored.marks == watchdog;
        is_some = quanta.any();
        is_active = active[visited];
        counted = visited;
        new_quanta = quanta;
        is_set = sets;
        is_mark = counts;

        let left_any = if is_set { is_some } else { is_active & !is_end };
        let ripe = is_mark & is_active & !pause.told & is_full;
        let fires = ripe & left_any;
        let left = if is_set { new_quanta } else { pause.left - 1 };
        let mut marks = pause.marks;
        if is_mark {
            marks = pause.marks + 1;
        }
        if !is_active {
            marks = 0;
        }
        let told = is_active & (pause.told | ripe);
        pauses = In { write_enable: true, write_address: counted, write_data: Pause { left, marks, told } };
        (left_any, fires)
    }

    /// Which priorities are paused, and which timers are still to be set; whether the frame has been carried out.
    fn apply(&mut self, left_any: Bit) -> Bit {
        vectors.read_address = slots.offered_slot;
        let mut to_do_next = to_do;
        let mut pending_next = pending;
        let mut active_next = active;
        for i in 0..PRIORITIES {
            if turn == i {
                to_do_next = to_do_next.with(i, false);
            }
            if counted == i {
                active_next = active_next.with(i, left_any);
                pending_next = pending_next.with(i, pending[i] & (!is_set | to_do[i]));
            }
        }
        let finished = applying & !to_do_next.any();
        let begins = slots.offered & !applying;
        applying.enable = true;
        applying = begins | (applying & !finished);
        let begun = if begins { vectors.read_data } else { bits::<PRIORITIES>(0) };
        to_do.enable = true;
        to_do = begun | to_do_next;
        pending.enable = true;
        pending = begun | pending_next;
        active.enable = true;
        active = active_next;
        finished
    }

    /// By class, what is known by priority.
    fn by_class(&mut self, fires: Bit) {
        let held = active | pending;
        let mut paused_next: Bits<CLASSES> = 0;
        let mut received_next: Bits<CLASSES> = 0;
        let mut storm_next: Bits<CLASSES> = 0;
        for i in 0..CLASSES {
            let priority = priorities[i];
            let is_counted = priority == counted;
            paused_next = paused_next.with(i, held[priority]);
            received_next = received_next.with(i, is_counted & is_set);
            storm_next = storm_next.with(i, is_counted & fires);
        }
        paused_now = paused_next;
        received_now = received_next;
        storm_now = storm_next;
        paused = paused_now;
        received = received_now;
        storm = storm_now;
    }
}
