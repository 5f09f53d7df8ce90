//! What comes from several ports becomes one.

use crate::frame::{BodyHead, FrameWord, ReceivedHead};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::SmallFifo;

/// Bits of the number of a source.
const SOURCE_BITS: usize = 3;

/// Flows of `J` sources become one. 33 words of each wait, the first source first; at most a word every `A` + 1 clocks leaves, 2 clocks after it came. `A` is 0 to 3.
/// `waits` says of which sources words wait: those that take their time then lose none, however many there are.
#[block("sue_flow_merge", new)]
pub struct FlowMerge<T: Synth, const J: usize, const A: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets all words.
    clear: In<Bit>,
    /// What comes.
    pub flows: [FlowIn<T>; J],
    /// What goes.
    pub merged: FlowOut<T>,
    /// Sources that wait.
    waits: Out<Bits<J>>,

    #[wire(clock, clear)]
    waiting: [SmallFifo<T, 5, 6>; J],
    rests: Reg<Bits<2>>,
}

#[logic]
impl<T: Synth, const J: usize, const A: usize> FlowMerge<T, J, A> {
    /// Nothing waits.
    pub fn new() -> Result<Self, ConfigError> {
        let waiting: Result<Vec<SmallFifo<T, 5, 6>>, ConfigError> =
            (0..J).map(|_| SmallFifo::new()).collect();
        let waiting = waiting?.try_into().unwrap_or_else(|_| unreachable!("J of them"));
        Ok(Self { waiting, .. })
    }

    fn update(&mut self) {
        let may = rests == 0;
        let mut some: Bit = false;
        merged.data = waiting[0].words_out.data;
        let mut waits_now: Bits<J> = 0;
        for i in 0..J {
            waiting[i].words_in = In { data: flows[i].data, valid: flows[i].valid };
            waiting[i].words_out.ready = may & !some;
            if !some {
                merged.data = waiting[i].words_out.data;
            }
            some = some | waiting[i].words_out.valid;
            waits_now = waits_now.with(i, waiting[i].words_out.valid);
        }
        waits = waits_now;
        merged.valid = some & may;
        rests = if merged.valid {
            A
        } else if may {
            0
        } else {
            rests - 1
        };
    }
}

/// Bodies that move from one of `K` ports to another. Whoever offers a word first has its body through, the first port before others, unless it is held. No latency.
#[block("sue_body_merge")]
pub struct BodyMerge<const K: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets whose body is under way.
    clear: In<Bit>,
    /// Bodies that move, by port.
    pub moved: [StreamIn<FrameWord>; K],
    /// What goes with them.
    moved_heads: [In<BodyHead>; K],
    /// Commands in them.
    moved_commands: [In<Bits<10>>; K],
    /// Ports whose bodies do not begin.
    held: In<Bits<K>>,
    /// All of them.
    pub merged: StreamOut<FrameWord>,
    /// What goes with them.
    merged_head: Out<BodyHead>,
    /// Commands in them.
    merged_commands: Out<Bits<10>>,
    /// The port that they come from.
    merged_from: Out<Bits<2>>,

    /// A body was offered, and has not gone.
    inside: Reg<Bit>,
    from: Reg<Bits<SOURCE_BITS>>,
}

#[logic]
impl<const K: usize> BodyMerge<K> {
    fn update(&mut self) {
        let mut first: Bits<SOURCE_BITS> = 0;
        let mut found: Bit = false;
        for i in 0..K {
            if moved[i].valid & !held[i] & !found {
                first = i;
                found = true;
            }
        }
        let chosen = if inside { from } else { first };
        let goes = inside | found;
        merged = In { data: moved[0].data, valid: false };
        merged_from = chosen[0..2];
        merged_head = moved_heads[0];
        merged_commands = moved_commands[0];
        for i in 0..K {
            let mine = chosen == i;
            if mine {
                merged = In { data: moved[i].data, valid: moved[i].valid & goes };
                merged_head = moved_heads[i];
                merged_commands = moved_commands[i];
            }
            moved[i].ready = merged.ready & mine & goes;
        }
        let word = merged.data;
        let ends = merged.valid & merged.ready & word.last;
        inside = (inside | merged.valid) & !ends & !clear;
        from = chosen;
    }
}

/// Commands of `K` ports, a command each in turn. No latency.
#[block("sue_command_merge")]
pub struct CommandMerge<const K: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets whose command is under way.
    clear: In<Bit>,
    /// Commands, by port.
    pub commands: [StreamIn<FrameWord>; K],
    /// What goes with them.
    heads: [In<ReceivedHead>; K],
    /// All of them.
    pub merged: StreamOut<FrameWord>,
    /// What goes with them.
    merged_head: Out<ReceivedHead>,

    /// A command was offered, and has not gone.
    inside: Reg<Bit>,
    from: Reg<Bits<SOURCE_BITS>>,
}

#[logic]
impl<const K: usize> CommandMerge<K> {
    fn update(&mut self) {
        // The next port after the last one, else the first of all.
        let mut lowest: Bits<SOURCE_BITS> = 0;
        let mut later: Bits<SOURCE_BITS> = 0;
        let mut some: Bit = false;
        let mut some_later: Bit = false;
        for i in 0..K {
            let offers = commands[i].valid;
            if offers & !some {
                lowest = i;
            }
            if offers & !some_later & (from < i) {
                later = i;
                some_later = true;
            }
            some = some | offers;
        }
        let following = if some_later { later } else { lowest };
        let chosen = if inside { from } else { following };
        merged = In { data: commands[0].data, valid: false };
        merged_head = heads[0];
        for i in 0..K {
            let mine = chosen == i;
            if mine {
                merged = In { data: commands[i].data, valid: commands[i].valid };
                merged_head = heads[i];
            }
            commands[i].ready = merged.ready & mine;
        }
        let word = merged.data;
        let ends = merged.valid & merged.ready & word.last;
        inside = (inside | merged.valid) & !ends & !clear;
        if merged.valid {
            from = chosen;
        }
    }
}
