//! One virtual lane at the end that receives. One type per beat width.

use super::reader::{FabReader, MARK_BITS};
use crate::config::ConfigError;
use crate::fabric::credit::PLACE_BITS;
use crate::fabric::packet::{PacketConfig, PacketRx1, PacketRx2, PacketRx4, END_BITS};
use crate::fabric::switch::SwitchBuffer;
use crate::prim::stream::StreamOut;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::packet::HEADER_BITS;

macro_rules! fab_lane {
    ($name:ident, $packet:ident, $flits:literal, $bits:literal, $marked:literal, $word:literal) => {
        /// The buffer of a lane, 2^`B` beats in block RAM (`C` = `B` + 1), and the receiver of its packets.
        ///
        /// What has no room, or came without a grant, stops the lane: nothing is stored or read any more until the link starts afresh, and
        /// its buffer is emptied then.
        #[derive(LogicBlock)]
        pub struct $name<const B: usize, const C: usize> {
            /// Rising edge counts.
            pub clock: Signal<In, Clock>,
            /// Nothing is held.
            pub clear: Signal<In, Bit>,
            /// The link starts afresh.
            pub starts: Signal<In, Bit>,
            /// With its last clock.
            pub begins: Signal<In, Bit>,
            /// Beats of an AU, less one.
            pub last_place: Signal<In, Bits<PLACE_BITS>>,
            /// A beat has come.
            pub there: Signal<In, Bit>,
            /// The beat, and below it its marks.
            pub beat: Signal<In, Bits<$marked>>,
            /// More has come than was granted.
            pub overrun: Signal<In, Bit>,
            /// The lane has stopped.
            pub stopped: Signal<Out, Bit>,
            /// An AU is empty.
            pub released: Signal<Out, Bit>,
            /// Packets that begin.
            pub header_out: StreamOut<Bits<HEADER_BITS>>,
            /// Their payload.
            pub words_out: StreamOut<Bits<$word>>,
            /// Packets that have ended.
            pub end_out: StreamOut<Bits<END_BITS>>,

            buffer: SwitchBuffer<$marked, B, C>,
            reader: FabReader<$bits, $marked>,
            packet: $packet,
            stop: DFF<Bit>,
            word: Signal<Local, Bits<$marked>>,
            stores: Signal<Local, Bit>,
            empties: Signal<Local, Bit>,
        }

        impl<const B: usize, const C: usize> $name<B, C> {
            /// Lane `vl` for packets of `config`, or the reason why not.
            pub fn new(vl: usize, config: &PacketConfig) -> Result<Self, ConfigError> {
                Ok(Self {
                    clock: Default::default(),
                    clear: Default::default(),
                    starts: Default::default(),
                    begins: Default::default(),
                    last_place: Default::default(),
                    there: Default::default(),
                    beat: Default::default(),
                    overrun: Default::default(),
                    stopped: Default::default(),
                    released: Default::default(),
                    header_out: Default::default(),
                    words_out: Default::default(),
                    end_out: Default::default(),
                    buffer: SwitchBuffer::new()?,
                    reader: FabReader::new(vl),
                    packet: $packet::new(config)?,
                    stop: Default::default(),
                    word: Default::default(),
                    stores: Default::default(),
                    empties: Default::default(),
                })
            }
        }

        impl<const B: usize, const C: usize> Logic for $name<B, C> {
            #[hdl_gen]
            fn update(&mut self) {
                dff_setup!(self, clock, stop);
                clock!(self, clock, buffer, reader, packet);
                self.packet.clear.next = self.clear.val();
                self.reader.clear.next = self.clear.val();
                self.word.next = self.beat.val();
                self.empties.next = self.stop.q.val() & self.starts.val();
                self.buffer.clear.next = self.clear.val() | self.empties.val();
                self.buffer.words_in.data.next = self.word.val();
                self.buffer.words_in.valid.next = self.there.val() & !self.stop.q.val();
                self.stores.next =
                    self.there.val() & !self.stop.q.val() & self.buffer.words_in.ready.val();
                if self.overrun.val() | (self.there.val() & !self.buffer.words_in.ready.val()) {
                    self.stop.d.next = true;
                }
                if self.clear.val() | self.begins.val() {
                    self.stop.d.next = false;
                }
                self.stopped.next = self.stop.q.val();

                self.reader.last_place.next = self.last_place.val();
                self.reader.stored.next = self.stores.val();
                self.reader.stored_marks.next = self.word.val().get_bits::<MARK_BITS>(0);
                self.reader.severs.next = self.begins.val();
                self.reader.stops.next = self.stop.q.val();
                self.reader.empties.next = self.empties.val();
                self.reader.empty.next = self.buffer.empty.val();
                StreamOut::<Bits<$marked>>::join(&mut self.buffer.front, &mut self.reader.front);
                StreamOut::<Bits<$bits>>::join(&mut self.reader.beats_out, &mut self.packet.beats_in);
                self.released.next = self.reader.released.val();
                StreamOut::<Bits<HEADER_BITS>>::link(&mut self.header_out, &mut self.packet.header_out);
                StreamOut::<Bits<$word>>::link(&mut self.words_out, &mut self.packet.words_out);
                StreamOut::<Bits<END_BITS>>::link(&mut self.end_out, &mut self.packet.end_out);
            }

            fn timing(&self) -> Vec<TimingInfo> {
                block_label("fab_lane", &[("f", $flits.to_string()), ("depth", (1usize << B).to_string())])
            }
        }

        drive_ports!(impl[const B: usize, const C: usize] $name<B, C> {
            clock, clear, starts, begins, last_place, there, beat, overrun, stopped, released, header_out, words_out, end_out,
        });
    };
}

fab_lane!(FabLane1, PacketRx1, 1, 65, 67, 69);
fab_lane!(FabLane2, PacketRx2, 2, 130, 132, 134);
fab_lane!(FabLane4, PacketRx4, 4, 260, 262, 263);
