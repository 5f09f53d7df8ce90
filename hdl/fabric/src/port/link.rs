//! What lies between a link and its virtual lanes: written once for the port of one link and for a bond.

use flitforge_protocol::link_registers::{cred, credit};

/// Bits of register CRED.
pub const CRED_BITS: usize = cred::pending::LOW + cred::pending::WIDTH;
/// Bits of register CREDIT.
pub const CREDIT_WORD_BITS: usize = credit::delay::LOW + credit::delay::WIDTH;

/// Makes a type of a port, `fab_vl_rx`, `fab_credit_rx` and `fab_credit_tx`. What one link and a bond do not have in common is given: ports and how
/// they are joined (`ports`, `link`), when credits begin (`start`), when a beat comes (`arrives`) and where messages go (`sideband`).
macro_rules! fab_link {
    (
        $name:ident, $label:literal, $port:ident, [$($size:ident),*], $flits:tt, $bits:tt, $descriptor:literal, $bytes:literal,
        address: $address:ident, doc: $doc:literal,
        ports: {$($ports:tt)*}, port: |$config:ident| $make:expr,
        own: {$($own:tt)*},
        start: {$($start:tt)*}, arrives: {$($arrives:tt)*}, sideband: {$($sideband:tt)*}, link: {$($link:tt)*},
        sizes: {$($sizes:tt)*}
    ) => {
        #[doc = $doc]
        #[block($label, new, f = $flits, $($sizes)* vls = N)]
        pub struct $name<$(const $size: usize,)* const N: usize, const M: usize, const VIEW_W: usize> {
            /// Core clock.
            clock: In<Clock>,
            /// Synchronous clear: Down, nothing is held. Registers and counters stay.
            clear: In<Bit>,
            /// Register bus: word (byte offset / 8).
            addr: In<Bits<$address>>,
            /// Register bus: value of a write.
            wdata: In<Bits<64>>,
            /// Register bus: asks for a write.
            we: In<Bit>,
            /// Register bus: asks for a read.
            re: In<Bit>,
            /// Register bus: the value, with `ack` of a read.
            rdata: Out<Bits<64>>,
            /// Register bus: the request is done.
            ack: Out<Bit>,
            /// An event of MASK has happened.
            interrupt: Out<Bit>,
            /// Beats to send, without CrdtRet.
            pub beats_in: StreamIn<Bits<$bits>>,
            /// Lanes whose beat goes on this edge.
            sent: In<Bits<N>>,
            /// It ends a packet.
            sent_ends: In<Bits<N>>,
            /// Lanes with credit for their next beat.
            may_send: Out<Bits<N>>,
            /// AU that may be filled, by lane.
            available: Out<Bits<VIEW_W>>,
            /// Beats with packet flits that came, and above each what it is (`lane_beat`).
            pub beats_out: FlowOut<Bits<$descriptor>>,
            /// Lanes for which more came than was granted.
            overrun: Out<Bits<N>>,
            /// Event: nobody has taken a beat; credits do not fit any more.
            spilled: In<Bit>,
            /// Lanes of which an AU is free.
            released: In<Bits<N>>,
            /// Lanes whose buffer a start empties.
            emptied: In<Bits<N>>,
            /// Event PKT_GOOD.
            good: In<Bit>,
            /// Event PKT_BAD.
            bad: In<Bit>,
            /// The link starts afresh.
            starts: Out<Bit>,
            /// With the last clock of `starts`: credits begin anew.
            begins: Out<Bit>,
            /// Register CREDIT.
            credit_cfg: Out<Bits<CREDIT_WORD_BITS>>,
            /// Register VL_ARB.
            vl_arb: Out<Bits<64>>,
            /// Register VL_EN.
            vl_en: Out<Bits<56>>,
            $($ports)*

            #[wire(clock)]
            vl_rx: VlRx<$flits, $bits, $descriptor, $bytes, N, M>,
            #[wire(clock, clear)]
            credit_rx: CreditRx<$flits, $bits, N, VIEW_W, CREDIT_RX_BITS>,
            #[wire(clock)]
            credit_tx: CreditTx<$flits, $bits, N, VIEW_W>,
            #[wire(clock, clear)]
            start: FabStart,
            #[wire(clock, clear)]
            port: $port<$($size),*>,
            credit_word: Reg<Bits<CRED_BITS>>,
            overflow: Local<Bit>,
            of_lane: Local<Bits<CRED_BITS>>,
            part: Local<Bits<16>>,
            $($own)*
            lane_number: Vec<Constant<Bits<4>>>,
        }

        #[logic]
        impl<$(const $size: usize,)* const N: usize, const M: usize, const VIEW_W: usize> $name<$($size,)* N, M, VIEW_W>
        {
            /// A port that is Down, or the reason why not. The numbers of `config` must be those of the type.
            pub fn new($config: &FabPortConfig) -> Result<Self, ConfigError> {
                $config.check()?;
                $config.check_lanes(N, M, VIEW_W)?;
                Ok(Self {
                    vl_rx: VlRx::new()?,
                    credit_rx: CreditRx::new($config.buffer)?,
                    credit_tx: CreditTx::new()?,
                    port: $make?,
                    lane_number: (0..N).map(|vl| Constant::new((vl as u64).into())).collect(),
                    ..
                })
            }

            fn update(&mut self) {
                // A start of the link.
                $($start)*
                Out { starts, begins } = start;
                vl_rx.clear = clear | start.starts;
                credit_tx.clear = clear | start.starts;
                credit_rx = In { restart: start.begins, emptied };

                // Beats in, by lane; what brings credits.
                vl_rx.beats_in.data = port.flits_out.data;
                $($arrives)*
                vl_rx.undefined = port.undefined;
                vl_rx.beats_out.ready = true;
                beats_out = In { data: vl_rx.beats_out.data, valid: vl_rx.beats_out.valid };
                credit_tx.beats_in = In { data: port.flits_out.data, valid: port.flits_out.valid };
                join(port.side_out, credit_tx.side_in);
                credit_tx = In { side_place: port.side_place, sent, sent_ends };
                Out { credit: may_send, available } = credit_tx;

                // Credits that go back.
                credit_rx.arrived = In { data: vl_rx.arrived.data, valid: vl_rx.arrived.valid };
                credit_rx.released = released;
                overrun = credit_rx.overrun;
                $($sideband)*

                // Beats out, CrdtRet among them. While the link starts nothing goes to it.
                credit_rx.beats_in = In { data: beats_in.data, valid: beats_in.valid & !start.starts };
                beats_in.ready = credit_rx.beats_in.ready & !start.starts;
                port.flits_in.data = credit_rx.beats_out.data;
                port.flits_in.valid = credit_rx.beats_out.valid & !start.starts;
                credit_rx.beats_out.ready = port.flits_in.ready & !start.starts;

                // Registers.
                credit_tx = In { v_au: port.credit.bits::<V_AU_BITS>(0), units: port.cu };
                credit_rx = In { v_au: port.credit.bits::<V_AU_BITS>(0), units: port.cu };
                credit_rx.delay = port.credit.bits::<8>(8);
                Out { credit: credit_cfg, vl_arb, vl_en } = port;
                overflow = credit_tx.credit_ovf | credit_rx.credit_ovf | spilled;
                port.renew = overflow;
                port.fabric_events = bit_cast::<FABRIC_EVENTS, 1>(overflow.into())
                    | (bit_cast::<FABRIC_EVENTS, 1>(vl_rx.stack_error.into()) << 1)
                    | (bit_cast::<FABRIC_EVENTS, 1>(good.into()) << 2)
                    | (bit_cast::<FABRIC_EVENTS, 1>(bad.into()) << 3);
                of_lane = 0;
                part = 0;
                for v in 0..N {
                    if port.credit_select == lane_number[v] {
                        part = credit_tx.available.bits::<16>(v * 16);
                        of_lane = of_lane | bit_cast::<CRED_BITS, 16>(part);
                        part = credit_rx.occupied.bits::<16>(v * 16);
                        of_lane = of_lane | (bit_cast::<CRED_BITS, 16>(part) << 16);
                        part = credit_rx.pending.bits::<16>(v * 16);
                        of_lane = of_lane | (bit_cast::<CRED_BITS, 16>(part) << 32);
                    }
                }
                credit_word = of_lane;
                port = In { credit_word, addr, wdata, we, re };
                Out { rdata, ack, interrupt } = port;

                // What only the link looks at.
                $($link)*
            }
        }
    };
}
pub(super) use fab_link;

const _: () = assert!(cred::tx::LOW == 0 && cred::occupied::LOW == 16 && cred::pending::LOW == 32);
const _: () = assert!(cred::tx::WIDTH == 16 && CRED_BITS == 48);
const _: () = assert!(credit::v_au::LOW == 0 && credit::delay::LOW == 8 && CREDIT_WORD_BITS == 16);
