//! Packets and the link with its virtual lanes, wired: written once for one link and for a bond.

/// Makes a type of `FabTransmit`, `FabReceive` and the link between them. What one link and a bond do not have in common is given: ports and how they
/// are joined.
macro_rules! fab_port {
    (
        $name:ident, $label:literal, $link:ident, $transmit:ident, $receive:ident, [$($size:ident),*], $flits:tt, $bits:tt,
        $descriptor:literal, $word:literal, address: $address:ident, doc: $doc:literal,
        ports: {$($ports:tt)*}, joins: {$($joins:tt)*}, sizes: {$($sizes:tt)*}
    ) => {
        #[doc = $doc]
        #[block($label, new, f = $flits, $($sizes)* vls = N, depth = 1usize << B)]
        pub struct $name<$(const $size: usize,)* const N: usize, const M: usize, const VIEW_W: usize, const B: usize, const C: usize> {
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
            /// Packets to send, by virtual lane: header and tag. The lane is that of the stream.
            pub header_in: [StreamIn<Bits<REQUEST_BITS>>; N],
            /// Their payload: data, bytes that count, last.
            pub words_in: [StreamIn<Bits<$word>>; N],
            /// Event: a packet is refused, and why (`Refusal`).
            pub refused: [FlowOut<Bits<REFUSAL_BITS>>; N],
            /// Packets that begin, by virtual lane: the Head's fields, with length 0 from a HeadBad.
            pub header_out: [StreamOut<Bits<HEADER_BITS>>; N],
            /// Their payload: data, bytes that count, last.
            pub words_out: [StreamOut<Bits<$word>>; N],
            /// Packets that have ended: tag, reason, good.
            pub end_out: [StreamOut<Bits<END_BITS>>; N],
            $($ports)*

            #[wire(clock, clear)]
            transmit: $transmit<N>,
            #[wire(clock, clear)]
            receive: $receive<N, B, C>,
            #[wire(clock, clear)]
            link: $link<$($size,)* N, M, VIEW_W>,
        }

        #[logic]
        impl<$(const $size: usize,)* const N: usize, const M: usize, const VIEW_W: usize, const B: usize, const C: usize> $name<$($size,)* N, M, VIEW_W, B, C>
        {
            /// A port that is Down, or the reason why not. The numbers of `config` must be those of the type.
            pub fn new(config: &FabPortConfig) -> Result<Self, ConfigError> {
                config.check()?;
                config.check_depth(B)?;
                Ok(Self {
                    transmit: $transmit::new(&config.packets())?,
                    receive: $receive::new(config)?,
                    link: $link::new(config)?,
                    ..
                })
            }

            fn update(&mut self) {
                restart = link.restart;
                transmit.starts = link.starts;
                receive = In { starts: link.starts, begins: link.begins };

                // Packets.
                for v in 0..N {
                    link(header_in[v], transmit.header_in[v]);
                    link(words_in[v], transmit.words_in[v]);
                    link(refused[v], transmit.refused[v]);
                    link(header_out[v], receive.header_out[v]);
                    link(words_out[v], receive.words_out[v]);
                    link(end_out[v], receive.end_out[v]);
                }

                // Beats out, and their credits.
                transmit.credit = link.may_send;
                link = In { sent: transmit.sent, sent_ends: transmit.sent_ends };
                join(transmit.beats_out, link.beats_in);

                // Beats in, by lane.
                join(link.beats_out, receive.beats_in);
                receive.overrun = link.overrun;
                link = In { spilled: false, released: receive.released, emptied: receive.stopped };
                link = In { good: receive.good, bad: receive.bad };

                // Registers.
                receive.credit_cfg = link.credit_cfg;
                transmit = In { vl_arb: link.vl_arb, vl_en: link.vl_en };
                link = In { addr, wdata, we, re };
                Out { rdata, ack, interrupt } = link;

                // What only the link looks at.
                $($joins)*
            }
        }
    };
}
pub(super) use fab_port;
