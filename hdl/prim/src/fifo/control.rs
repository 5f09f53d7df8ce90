//! Pointers, count and flags of the block RAM FIFO.

use crate::prelude::*;

/// Pointers and flags of a FIFO of 2^`A` words, `C` = `A` + 1.
///
/// One counter serves both flags. It sees a transfer one clock after it happened, so that every path is short;
/// the flags make up for that:
/// - a word is counted, and may be fetched, 2 clocks after it was given: never while it is being written;
/// - a fetch counts one clock late, so with one word counted and a fetch in the clock before there is none left;
/// - `ready` is a register after the counter and goes low with 2 words of room, as 2 transfers may be
///   uncounted by then. The two words after the RAM make up for that in capacity.
///
/// The counter holds words + 2^`A` - 2, so its top bit means "two or more", and below that its lowest bit
/// means "one".
#[block("fifo_control", depth = 1usize << A)]
#[derive(Clone, Debug)]
pub(super) struct FifoControl<const A: usize, const C: usize> {
    clock: In<Clock>,
    clear: In<Bit>,
    /// A word is offered.
    valid: In<Bit>,
    /// It is taken.
    ready: Out<Bit>,
    /// It is written.
    push: Out<Bit>,
    write_address: Out<Bits<A>>,
    /// The output stages take a word.
    room: In<Bit>,
    /// A word is fetched.
    fetch: Out<Bit>,
    read_address: Out<Bits<A>>,

    write_pointer: Register<Bits<A>>,
    read_pointer: Register<Bits<A>>,
    #[init((1 << A) - 2)]
    words: Register<Bits<C>>,
    pushed: Register<Bit>,
    fetched: Register<Bit>,
    #[init(true)]
    not_full: Register<Bit>,
    #[init((2 << A) - 1)]
    all_ones: Constant<Bits<C>>,
    #[init((2 << A) - 4)]
    near_full: Constant<Bits<C>>,
    #[init(1)]
    one: Constant<Bits<A>>,
    #[init(1 << A)]
    top: Constant<Bits<C>>,
}

#[logic]
impl<const A: usize, const C: usize> FifoControl<A, C> {
    fn update(&mut self) {
        // Words in.
        ready = not_full & !clear;
        let accept = valid & not_full & !clear;
        push = accept;
        write_address = write_pointer;
        write_pointer.enable = accept;
        write_pointer = write_pointer + one;

        // Words out.
        let take = room & ((words & top).any() | (words[0] & !fetched));
        fetch = take;
        read_address = read_pointer;
        read_pointer.enable = take;
        read_pointer = read_pointer + one;

        // The count, one clock late: plus 1 is 0..01, minus 1 is 1..11.
        pushed = accept;
        fetched = take;
        let minus = fetched & !pushed;
        let plus_or_minus = fetched ^ pushed;
        let mut change: Bits<C> = bit_cast::<C, 1>(plus_or_minus.into());
        if minus {
            change = all_ones;
        }
        words = words + change;
        not_full = (words & near_full) != near_full;
    }
}
