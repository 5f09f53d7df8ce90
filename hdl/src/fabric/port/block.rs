//! Packets and the link with its virtual lanes, wired: written once for one link and for a bond.

/// Makes a type of `FabTransmit`, `FabReceive` and the link between them. What one link and a bond do not have in common is given: ports and how they
/// are joined.
macro_rules! fab_port {
    (
        $self:ident, {$($generates:tt)*}, $name:ident, $label:literal, $link:ident, $transmit:ident, $receive:ident, [$($size:ident),*], $flits:tt, $bits:tt,
        $said:literal, $word:literal, address: $address:ident, doc: $doc:literal,
        ports: {$($ports:tt)*}, defaults: {$($defaults:tt)*}, joins: {$($joins:tt)*},
        sizes: {$($sizes:tt)*}, drive: {$($drive:ident),*}
    ) => {
        #[doc = $doc]
        #[derive(LogicBlock)]
        pub struct $name<$(const $size: usize,)* const N: usize, const M: usize, const VIEW_W: usize, const B: usize, const C: usize> {
            /// Core clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous clear: Down, nothing is held. Registers and counters stay.
            pub clear: Signal<In, Bit>,
            /// Register bus: word (byte offset / 8).
            pub addr: Signal<In, Bits<$address>>,
            /// Register bus: value of a write.
            pub wdata: Signal<In, Bits<64>>,
            /// Register bus: asks for a write.
            pub we: Signal<In, Bit>,
            /// Register bus: asks for a read.
            pub re: Signal<In, Bit>,
            /// Register bus: the value, with `ack` of a read.
            pub rdata: Signal<Out, Bits<64>>,
            /// Register bus: the request is done.
            pub ack: Signal<Out, Bit>,
            /// An event of MASK has happened.
            pub interrupt: Signal<Out, Bit>,
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

            transmit: $transmit<N>,
            receive: $receive<N, B, C>,
            link: $link<$($size,)* N, M, VIEW_W>,
        }

        impl<$(const $size: usize,)* const N: usize, const M: usize, const VIEW_W: usize, const B: usize, const C: usize> $name<$($size,)* N, M, VIEW_W, B, C>
        {
            /// A port that is Down, or the reason why not. The numbers of `config` must be those of the type.
            pub fn new(config: &FabPortConfig) -> Result<Self, ConfigError> {
                config.check()?;
                config.check_depth(B)?;
                Ok(Self {
                    clock: Default::default(),
                    clear: Default::default(),
                    addr: Default::default(),
                    wdata: Default::default(),
                    we: Default::default(),
                    re: Default::default(),
                    rdata: Default::default(),
                    ack: Default::default(),
                    interrupt: Default::default(),
                    header_in: defaults(),
                    words_in: defaults(),
                    refused: defaults(),
                    header_out: defaults(),
                    words_out: defaults(),
                    end_out: defaults(),
                    $($defaults)*
                    transmit: $transmit::new(&config.packets())?,
                    receive: $receive::new(config)?,
                    link: $link::new(config)?,
                })
            }
        }

        impl<$(const $size: usize,)* const N: usize, const M: usize, const VIEW_W: usize, const B: usize, const C: usize> Logic for $name<$($size,)* N, M, VIEW_W, B, C>
        {
            $($generates)*
            fn update(&mut $self) {
                clock!($self, clock, transmit, receive, link);
                $self.link.clear.next = $self.clear.val();
                $self.transmit.clear.next = $self.clear.val();
                $self.receive.clear.next = $self.clear.val();
                $self.restart.next = $self.link.restart.val();
                $self.transmit.starts.next = $self.link.starts.val();
                $self.receive.starts.next = $self.link.starts.val();
                $self.receive.begins.next = $self.link.begins.val();

                // Packets.
                for v in 0..N {
                    StreamIn::<Bits<REQUEST_BITS>>::link(
                        &mut $self.header_in[v],
                        &mut $self.transmit.header_in[v],
                    );
                    StreamIn::<Bits<$word>>::link(&mut $self.words_in[v], &mut $self.transmit.words_in[v]);
                    FlowOut::<Bits<REFUSAL_BITS>>::link(&mut $self.refused[v], &mut $self.transmit.refused[v]);
                    StreamOut::<Bits<HEADER_BITS>>::link(
                        &mut $self.header_out[v],
                        &mut $self.receive.header_out[v],
                    );
                    StreamOut::<Bits<$word>>::link(&mut $self.words_out[v], &mut $self.receive.words_out[v]);
                    StreamOut::<Bits<END_BITS>>::link(&mut $self.end_out[v], &mut $self.receive.end_out[v]);
                }

                // Beats out, and their credits.
                $self.transmit.credit.next = $self.link.may_send.val();
                $self.link.sent.next = $self.transmit.sent.val();
                $self.link.sent_ends.next = $self.transmit.sent_ends.val();
                StreamOut::<Bits<$bits>>::join(&mut $self.transmit.beats_out, &mut $self.link.beats_in);

                // Beats in, by lane.
                FlowOut::<Bits<$said>>::join(&mut $self.link.beats_out, &mut $self.receive.beats_in);
                $self.receive.overrun.next = $self.link.overrun.val();
                $self.link.spilled.next = false;
                $self.link.released.next = $self.receive.released.val();
                $self.link.emptied.next = $self.receive.stopped.val();
                $self.link.good.next = $self.receive.good.val();
                $self.link.bad.next = $self.receive.bad.val();

                // Registers.
                $self.receive.credit_cfg.next = $self.link.credit_cfg.val();
                $self.transmit.vl_arb.next = $self.link.vl_arb.val();
                $self.transmit.vl_en.next = $self.link.vl_en.val();
                $self.link.addr.next = $self.addr.val();
                $self.link.wdata.next = $self.wdata.val();
                $self.link.we.next = $self.we.val();
                $self.link.re.next = $self.re.val();
                $self.rdata.next = $self.link.rdata.val();
                $self.ack.next = $self.link.ack.val();
                $self.interrupt.next = $self.link.interrupt.val();

                // What only the link looks at.
                $($joins)*
            }

            fn timing(&$self) -> Vec<TimingInfo> {
                let parameters = [
                    ("f", $flits.to_string()),
                    $($sizes)*
                    ("vls", N.to_string()),
                    ("depth", (1usize << B).to_string()),
                ];
                block_label($label, &parameters)
            }
        }

        drive_ports!(impl[$(const $size: usize,)* const N: usize, const M: usize, const VIEW_W: usize, const B: usize, const C: usize] $name<$($size,)* N, M, VIEW_W, B, C> {
            clock, clear, addr, wdata, we, re, rdata, ack, interrupt, header_in, words_in, refused, header_out, words_out, end_out,
            $($drive),*,
        });
    };
}
pub(super) use fab_port;
