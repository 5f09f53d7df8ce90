//! Packets of all lanes onto the beats of one link. One type per beat width, as those of the port below.

use super::gate::FabGate;
use crate::packet::{PacketConfig, PacketTx1, PacketTx2, PacketTx4, REQUEST_BITS};
use crate::vl::{VlTx, AGE_BITS, PRIORITIES_BITS, RUN_BITS};
use flitforge_hdl_prim::prelude::*;
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
        #[block("fab_transmit", new, f = $flits, lanes = N)]
        pub struct $name<const N: usize> {
            /// Rising edge counts.
            clock: In<Clock>,
            /// Synchronous clear.
            clear: In<Bit>,
            /// The link starts afresh.
            starts: In<Bit>,
            /// Register VL_ARB.
            vl_arb: In<Bits<PRIORITIES_BITS>>,
            /// Register VL_EN.
            vl_en: In<Bits<56>>,
            /// Packets to send, by lane: header and tag. The lane is that of the stream.
            pub header_in: [StreamIn<Bits<REQUEST_BITS>>; N],
            /// Their payload.
            pub words_in: [StreamIn<Bits<$word>>; N],
            /// Event: a packet is refused, and why.
            pub refused: [FlowOut<Bits<REFUSAL_BITS>>; N],
            /// Lanes with credit for their next beat.
            credit: In<Bits<N>>,
            /// Lanes whose beat is taken on this edge.
            sent: Out<Bits<N>>,
            /// It ends a packet.
            sent_ends: Out<Bits<N>>,
            /// Beats of all lanes, and markers.
            pub beats_out: StreamOut<Bits<$bits>>,

            #[wire(clock, clear)]
            packets: Vec<$packet>,
            #[wire(clock, clear)]
            gates: Vec<FabGate<$flits, $bits>>,
            #[wire(clock)]
            lanes: VlTx<$flits, $bits, N>,
            ends: Local<Bits<N>>,
            header: Local<Bits<REQUEST_BITS>>,
            #[init(!lane_bits(MAX_VLS - 1))]
            others: Constant<Bits<REQUEST_BITS>>,
            own: Vec<Constant<Bits<REQUEST_BITS>>>,
        }

        #[logic]
        impl<const N: usize> $name<N> {
            /// Senders for packets of `config`, or the reason why not.
            pub fn new(config: &PacketConfig) -> Result<Self, ConfigError> {
                Ok(Self {
                    packets: (0..N).map(|_| $packet::new(config)).collect::<Result<_, _>>()?,
                    gates: (0..N).map(|_| FabGate::new()).collect::<Result<_, _>>()?,
                    lanes: VlTx::new()?,
                    own: (0..N).map(|vl| Constant::new(lane_bits(vl))).collect(),
                    ..
                })
            }

            fn update(&mut self) {
                lanes = In { clear: clear | starts, credit, priorities: vl_arb };
                lanes = In { preempt: vl_en.bits::<MAX_VLS>(0), bubble: vl_en.bits::<MAX_VLS>(16) };
                lanes = In { min_run: vl_en.bits::<RUN_BITS>(32), age: vl_en.bits::<AGE_BITS>(40) };
                Out { sent, sent_ends } = lanes;
                link(beats_out, lanes.beats_out);
                ends = 0;
                for v in 0..N {
                    header = (header_in[v].data & others) | own[v];
                    packets[v].header_in = In { data: header, valid: header_in[v].valid };
                    header_in[v].ready = packets[v].header_in.ready;
                    link(words_in[v], packets[v].words_in);
                    link(refused[v], packets[v].refused);
                    gates[v].starts = starts;
                    ends = ends.with(v, gates[v].ends);
                    join(packets[v].beats_out, gates[v].beats_in);
                    join(gates[v].beats_out, lanes.lanes_in[v]);
                }
                lanes.ends = ends;
            }
        }
    };
}

fab_transmit!(FabTransmit1, PacketTx1, 1, 65, 69);
fab_transmit!(FabTransmit2, PacketTx2, 2, 130, 134);
fab_transmit!(FabTransmit4, PacketTx4, 4, 260, 263);

const _: () = assert!(vl_en::preempt::LOW == 0 && vl_en::bubble::LOW == 16 && vl_en::min_run::LOW == 32);
const _: () = assert!(vl_en::age::LOW == 40 && vl_en::age::LOW + vl_en::age::WIDTH == 56);
