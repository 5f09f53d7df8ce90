//! Pointers, count and flags of the block RAM FIFO.

use flitforge_base::prelude::*;
use flitforge_elaborate::marker::block_label;

use crate::prim::Register;

/// Pointers and flags of a FIFO of 2^`A` words, `C` = `A` + 1.
///
/// One counter serves both flags. It sees a transfer one clock after it happened, so that every path is short;
/// the flags make up for that:
/// - a word is counted, and may be fetched, 2 clocks after it was given: never while it is being written;
/// - a fetch counts one clock late, so with one word counted and a fetch in the clock before there is none left;
/// - `ready` is a register behind the counter and goes low with 2 words of room, as 2 transfers may be
///   uncounted by then. The two words behind the RAM make up for that in capacity.
///
/// The counter holds words + 2^`A` - 2, so its top bit means "two or more", and below that its lowest bit
/// means "one".
#[derive(LogicBlock, Clone, Debug)]
pub(super) struct FifoControl<const A: usize, const C: usize> {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, Bit>,
    /// A word is offered.
    pub valid: Signal<In, Bit>,
    /// It is taken.
    pub ready: Signal<Out, Bit>,
    /// It is written.
    pub push: Signal<Out, Bit>,
    pub write_address: Signal<Out, Bits<A>>,
    /// The output stages take a word.
    pub room: Signal<In, Bit>,
    /// A word is fetched.
    pub fetch: Signal<Out, Bit>,
    pub read_address: Signal<Out, Bits<A>>,

    accept: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    write_pointer: Register<Bits<A>>,
    read_pointer: Register<Bits<A>>,
    words: Register<Bits<C>>,
    pushed: Register<Bit>,
    fetched: Register<Bit>,
    not_full: Register<Bit>,
    minus: Signal<Local, Bit>,
    plus_or_minus: Signal<Local, Bit>,
    change: Signal<Local, Bits<C>>,
    all_ones: Constant<Bits<C>>,
    near_full: Constant<Bits<C>>,
    one: Constant<Bits<A>>,
    top: Constant<Bits<C>>,
}

impl<const A: usize, const C: usize> Default for FifoControl<A, C> {
    fn default() -> Self {
        let size: LiteralType = 1 << A;
        Self {
            clock: Signal::default(),
            clear: Signal::default(),
            valid: Signal::default(),
            ready: Signal::default(),
            push: Signal::default(),
            write_address: Signal::default(),
            room: Signal::default(),
            fetch: Signal::default(),
            read_address: Signal::default(),
            accept: Signal::default(),
            take: Signal::default(),
            write_pointer: Register::default(),
            read_pointer: Register::default(),
            words: Register::new(Bits::from(size - 2)),
            pushed: Register::default(),
            fetched: Register::default(),
            not_full: Register::new(true),
            minus: Signal::default(),
            plus_or_minus: Signal::default(),
            change: Signal::default(),
            all_ones: Constant::new(Bits::from(2 * size - 1)),
            near_full: Constant::new(Bits::from(2 * size - 4)),
            one: Constant::new(Bits::from(1)),
            top: Constant::new(Bits::from(size)),
        }
    }
}

impl<const A: usize, const C: usize> Logic for FifoControl<A, C> {
    #[hdl_gen]
    fn update(&mut self) {
        self.write_pointer.clock.next = self.clock.val();
        self.read_pointer.clock.next = self.clock.val();
        self.words.clock.next = self.clock.val();
        self.pushed.clock.next = self.clock.val();
        self.fetched.clock.next = self.clock.val();
        self.not_full.clock.next = self.clock.val();
        self.write_pointer.clear.next = self.clear.val();
        self.read_pointer.clear.next = self.clear.val();
        self.words.clear.next = self.clear.val();
        self.pushed.clear.next = self.clear.val();
        self.fetched.clear.next = self.clear.val();
        self.not_full.clear.next = self.clear.val();

        // Words in.
        self.ready.next = self.not_full.q.val() & !self.clear.val();
        self.accept.next = self.valid.val() & self.not_full.q.val() & !self.clear.val();
        self.push.next = self.accept.val();
        self.write_address.next = self.write_pointer.q.val();
        self.write_pointer.enable.next = self.accept.val();
        self.write_pointer.d.next = self.write_pointer.q.val() + self.one.val();

        // Words out.
        self.take.next = self.room.val()
            & ((self.words.q.val() & self.top.val()).any()
                | (self.words.q.val().get_bit(0) & !self.fetched.q.val()));
        self.fetch.next = self.take.val();
        self.read_address.next = self.read_pointer.q.val();
        self.read_pointer.enable.next = self.take.val();
        self.read_pointer.d.next = self.read_pointer.q.val() + self.one.val();

        // The count, one clock late: plus 1 is 0..01, minus 1 is 1..11.
        self.pushed.enable.next = true;
        self.pushed.d.next = self.accept.val();
        self.fetched.enable.next = true;
        self.fetched.d.next = self.take.val();
        self.minus.next = self.fetched.q.val() & !self.pushed.q.val();
        self.plus_or_minus.next = self.fetched.q.val() ^ self.pushed.q.val();
        self.change.next = bit_cast::<C, 1>(self.plus_or_minus.val().into());
        if self.minus.val() {
            self.change.next = self.all_ones.val();
        }
        self.words.enable.next = true;
        self.words.d.next = self.words.q.val() + self.change.val();
        self.not_full.enable.next = true;
        self.not_full.d.next = (self.words.q.val() & self.near_full.val()) != self.near_full.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("fifo_control", &[("depth", (1usize << A).to_string())])
    }
}
