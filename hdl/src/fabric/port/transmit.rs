//! Packets of all lanes onto the beats of one link. One type per beat width, as those of the port below.

use super::gate::FabGate;
use crate::config::ConfigError;
use crate::fabric::packet::{PacketConfig, PacketTx1, PacketTx2, PacketTx4, REQUEST_BITS};
use crate::fabric::vl::{VlTx, AGE_BITS, PRIORITIES_BITS, RUN_BITS};
use crate::prim::stream::{FlowOut, StreamIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::link_registers::{vl_en, MAX_VLS};
use flitforge_protocol::packet::{head, request, REFUSAL_BITS};

/// A request with the lane `vl` and 0 elsewhere; with `vl` 15, the place of the lane.
fn lane_bits(vl: usize) -> Bits<REQUEST_BITS> {
    (0..head::vl::WIDTH).fold(Bits::default(), |bits, bit| {
        bits.replace_bit(request::header::LOW + head::vl::LOW + bit, vl >> bit & 1 == 1)
    })
}

macro_rules! fab_transmit {
    ($name:ident, $packet:ident, $flits:literal, $bits:literal, $word:literal) => {
        /// A sender of packets for each of `N` lanes, and `fab_vl_tx`; see the [module](super).
        #[derive(LogicBlock)]
        pub struct $name<const N: usize> {
            /// Rising edge counts.
            pub clock: Signal<In, Clock>,
            /// Synchronous clear.
            pub clear: Signal<In, Bit>,
            /// The link starts afresh.
            pub starts: Signal<In, Bit>,
            /// Register VL_ARB.
            pub vl_arb: Signal<In, Bits<PRIORITIES_BITS>>,
            /// Register VL_EN.
            pub vl_en: Signal<In, Bits<56>>,
            /// Packets to send, by lane: header and tag. The lane is that of the stream.
            pub header_in: [StreamIn<Bits<REQUEST_BITS>>; N],
            /// Their payload.
            pub words_in: [StreamIn<Bits<$word>>; N],
            /// Event: a packet is refused, and why.
            pub refused: [FlowOut<Bits<REFUSAL_BITS>>; N],
            /// Lanes with credit for their next beat.
            pub credit: Signal<In, Bits<N>>,
            /// Lanes whose beat is taken on this edge.
            pub sent: Signal<Out, Bits<N>>,
            /// It ends a packet.
            pub sent_ends: Signal<Out, Bits<N>>,
            /// Beats of all lanes, and markers.
            pub beats_out: StreamOut<Bits<$bits>>,

            packets: Vec<$packet>,
            gates: Vec<FabGate<$flits, $bits>>,
            lanes: VlTx<$flits, $bits, N>,
            ends: Signal<Local, Bits<N>>,
            header: Signal<Local, Bits<REQUEST_BITS>>,
            others: Constant<Bits<REQUEST_BITS>>,
            own: Vec<Constant<Bits<REQUEST_BITS>>>,
        }

        impl<const N: usize> $name<N> {
            /// Senders for packets of `config`, or the reason why not.
            pub fn new(config: &PacketConfig) -> Result<Self, ConfigError> {
                Ok(Self {
                    clock: Default::default(),
                    clear: Default::default(),
                    starts: Default::default(),
                    vl_arb: Default::default(),
                    vl_en: Default::default(),
                    header_in: defaults(),
                    words_in: defaults(),
                    refused: defaults(),
                    credit: Default::default(),
                    sent: Default::default(),
                    sent_ends: Default::default(),
                    beats_out: Default::default(),
                    packets: (0..N).map(|_| $packet::new(config)).collect::<Result<_, _>>()?,
                    gates: (0..N).map(|_| FabGate::new()).collect::<Result<_, _>>()?,
                    lanes: VlTx::new()?,
                    ends: Default::default(),
                    header: Default::default(),
                    others: Constant::new(!lane_bits(MAX_VLS - 1)),
                    own: (0..N).map(|vl| Constant::new(lane_bits(vl))).collect(),
                })
            }
        }

        impl<const N: usize> Logic for $name<N> {
            #[hdl_gen]
            fn update(&mut self) {
                clock!(self, clock, lanes);
                self.lanes.clear.next = self.clear.val() | self.starts.val();
                self.lanes.credit.next = self.credit.val();
                self.lanes.priorities.next = self.vl_arb.val();
                self.lanes.preempt.next = self.vl_en.val().get_bits::<MAX_VLS>(0);
                self.lanes.bubble.next = self.vl_en.val().get_bits::<MAX_VLS>(16);
                self.lanes.min_run.next = self.vl_en.val().get_bits::<RUN_BITS>(32);
                self.lanes.age.next = self.vl_en.val().get_bits::<AGE_BITS>(40);
                self.sent.next = self.lanes.sent.val();
                self.sent_ends.next = self.lanes.sent_ends.val();
                StreamOut::<Bits<$bits>>::link(&mut self.beats_out, &mut self.lanes.beats_out);
                self.ends.next = 0.into();
                for v in 0..N {
                    self.packets[v].clock.next = self.clock.val();
                    self.packets[v].clear.next = self.clear.val();
                    self.header.next = (self.header_in[v].data.val() & self.others.val()) | self.own[v].val();
                    self.packets[v].header_in.data.next = self.header.val();
                    self.packets[v].header_in.valid.next = self.header_in[v].valid.val();
                    self.header_in[v].ready.next = self.packets[v].header_in.ready.val();
                    StreamIn::<Bits<$word>>::link(&mut self.words_in[v], &mut self.packets[v].words_in);
                    FlowOut::<Bits<REFUSAL_BITS>>::link(&mut self.refused[v], &mut self.packets[v].refused);
                    self.gates[v].clock.next = self.clock.val();
                    self.gates[v].clear.next = self.clear.val();
                    self.gates[v].starts.next = self.starts.val();
                    self.ends.next = self.ends.val().replace_bit(v, self.gates[v].ends.val());
                    StreamOut::<Bits<$bits>>::join(
                        &mut self.packets[v].beats_out,
                        &mut self.gates[v].beats_in,
                    );
                    StreamOut::<Bits<$bits>>::join(
                        &mut self.gates[v].beats_out,
                        &mut self.lanes.lanes_in[v],
                    );
                }
                self.lanes.ends.next = self.ends.val();
            }

            fn timing(&self) -> Vec<TimingInfo> {
                block_label("fab_transmit", &[("f", $flits.to_string()), ("lanes", N.to_string())])
            }
        }

        drive_ports!(impl[const N: usize] $name<N> {
            clock, clear, starts, vl_arb, vl_en, header_in, words_in, refused, credit, sent, sent_ends, beats_out,
        });
    };
}

fab_transmit!(FabTransmit1, PacketTx1, 1, 65, 69);
fab_transmit!(FabTransmit2, PacketTx2, 2, 130, 134);
fab_transmit!(FabTransmit4, PacketTx4, 4, 260, 263);

const _: () = assert!(vl_en::preempt::LOW == 0 && vl_en::bubble::LOW == 16 && vl_en::min_run::LOW == 32);
const _: () = assert!(vl_en::age::LOW == 40 && vl_en::age::LOW + vl_en::age::WIDTH == 56);
