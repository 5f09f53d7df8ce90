//! One virtual lane at the end that receives. One type per beat width.

use super::reader::{FabReader, MARK_BITS};
use crate::credit::PLACE_BITS;
use crate::packet::{PacketConfig, PacketRx1, PacketRx2, PacketRx4, END_BITS};
use crate::switch::SwitchBuffer;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::packet::HEADER_BITS;

macro_rules! fab_lane {
    ($name:ident, $packet:ident, $flits:literal, $bits:literal, $marked:literal, $word:literal) => {
        /// The buffer of a lane, 2^`B` beats in block RAM (`C` = `B` + 1), and the receiver of its packets.
        ///
        /// What has no room, or came without a grant, stops the lane: nothing is stored or read any more until the link starts afresh, and
        /// its buffer is emptied then.
        #[block("fab_lane", new, f = $flits, depth = 1usize << B)]
        pub struct $name<const B: usize, const C: usize> {
            /// Rising edge counts.
            clock: In<Clock>,
            /// Nothing is held.
            clear: In<Bit>,
            /// The link starts afresh.
            starts: In<Bit>,
            /// With its last clock.
            begins: In<Bit>,
            /// Beats of an AU, less one.
            last_place: In<Bits<PLACE_BITS>>,
            /// A beat has come.
            there: In<Bit>,
            /// The beat, and below it its marks.
            beat: In<Bits<$marked>>,
            /// More has come than was granted.
            overrun: In<Bit>,
            /// The lane has stopped.
            stopped: Out<Bit>,
            /// An AU is empty.
            released: Out<Bit>,
            /// Packets that begin.
            pub header_out: StreamOut<Bits<HEADER_BITS>>,
            /// Their payload.
            pub words_out: StreamOut<Bits<$word>>,
            /// Packets that have ended.
            pub end_out: StreamOut<Bits<END_BITS>>,

            #[wire(clock)]
            buffer: SwitchBuffer<$marked, B, C>,
            #[wire(clock, clear)]
            reader: FabReader<$bits, $marked>,
            #[wire(clock, clear)]
            packet: $packet,
            stop: Reg<Bit>,
            word: Local<Bits<$marked>>,
            stores: Local<Bit>,
        }

        #[logic]
        impl<const B: usize, const C: usize> $name<B, C> {
            /// Lane `vl` for packets of `config`, or the reason why not.
            pub fn new(vl: usize, config: &PacketConfig) -> Result<Self, ConfigError> {
                Ok(Self {
                    buffer: SwitchBuffer::new()?,
                    reader: FabReader::new(vl),
                    packet: $packet::new(config)?,
                    ..
                })
            }

            fn update(&mut self) {
                word = beat;
                let empties = stop & starts;
                buffer.clear = clear | empties;
                buffer.words_in = In { data: word, valid: there & !stop };
                stores = there & !stop & buffer.words_in.ready;
                if overrun | (there & !buffer.words_in.ready) {
                    stop = true;
                }
                if clear | begins {
                    stop = false;
                }
                stopped = stop;

                reader = In { last_place, stored: stores, stored_marks: word.bits::<MARK_BITS>(0) };
                reader = In { severs: begins, stops: stop, empties, empty: buffer.empty };
                join(buffer.front, reader.front);
                join(reader.beats_out, packet.beats_in);
                released = reader.released;
                link(header_out, packet.header_out);
                link(words_out, packet.words_out);
                link(end_out, packet.end_out);
            }
        }
    };
}

fab_lane!(FabLane1, PacketRx1, 1, 65, 67, 69);
fab_lane!(FabLane2, PacketRx2, 2, 130, 132, 134);
fab_lane!(FabLane4, PacketRx4, 4, 260, 262, 263);
