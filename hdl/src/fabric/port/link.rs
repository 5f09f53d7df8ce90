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
        $self:ident, {$($generates:tt)*}, $name:ident, $label:literal, $port:ident, [$($size:ident),*], $flits:tt, $bits:tt, $said:literal, $bytes:literal,
        address: $address:ident, doc: $doc:literal,
        ports: {$($ports:tt)*}, defaults: {$($defaults:tt)*}, port: |$config:ident| $make:expr,
        own: {$($own:tt)*}, own_defaults: {$($own_defaults:tt)*},
        start: {$($start:tt)*}, arrives: {$($arrives:tt)*}, sideband: {$($sideband:tt)*}, link: {$($link:tt)*},
        sizes: {$($sizes:tt)*}, drive: {$($drive:ident),*}
    ) => {
        #[doc = $doc]
        #[derive(LogicBlock)]
        pub struct $name<$(const $size: usize,)* const N: usize, const M: usize, const VIEW_W: usize> {
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
            /// Beats to send, without CrdtRet.
            pub beats_in: StreamIn<Bits<$bits>>,
            /// Lanes whose beat goes on this edge.
            pub sent: Signal<In, Bits<N>>,
            /// It ends a packet.
            pub sent_ends: Signal<In, Bits<N>>,
            /// Lanes with credit for their next beat.
            pub may_send: Signal<Out, Bits<N>>,
            /// AU that may be filled, by lane.
            pub available: Signal<Out, Bits<VIEW_W>>,
            /// Beats with packet flits that came, and above each what it is (`lane_beat`).
            pub beats_out: FlowOut<Bits<$said>>,
            /// Lanes for which more came than was granted.
            pub overrun: Signal<Out, Bits<N>>,
            /// Event: nobody has taken a beat; credits do not fit any more.
            pub spilled: Signal<In, Bit>,
            /// Lanes of which an AU is free.
            pub released: Signal<In, Bits<N>>,
            /// Lanes whose buffer a start empties.
            pub emptied: Signal<In, Bits<N>>,
            /// Event PKT_GOOD.
            pub good: Signal<In, Bit>,
            /// Event PKT_BAD.
            pub bad: Signal<In, Bit>,
            /// The link starts afresh.
            pub starts: Signal<Out, Bit>,
            /// With the last clock of `starts`: credits begin anew.
            pub begins: Signal<Out, Bit>,
            /// Register CREDIT.
            pub credit_cfg: Signal<Out, Bits<CREDIT_WORD_BITS>>,
            /// Register VL_ARB.
            pub vl_arb: Signal<Out, Bits<64>>,
            /// Register VL_EN.
            pub vl_en: Signal<Out, Bits<56>>,
            $($ports)*

            sorter: VlRx<$flits, $bits, $said, $bytes, N, M>,
            account: CreditRx<$flits, $bits, N, VIEW_W, ACCOUNT_BITS>,
            purse: CreditTx<$flits, $bits, N, VIEW_W>,
            start: FabStart,
            port: $port<$($size),*>,
            credit_word: DFF<Bits<CRED_BITS>>,
            overflow: Signal<Local, Bit>,
            of_lane: Signal<Local, Bits<CRED_BITS>>,
            part: Signal<Local, Bits<16>>,
            $($own)*
            lane_number: Vec<Constant<Bits<4>>>,
        }

        impl<$(const $size: usize,)* const N: usize, const M: usize, const VIEW_W: usize> $name<$($size,)* N, M, VIEW_W>
        {
            /// A port that is Down, or the reason why not. The numbers of `config` must be those of the type.
            pub fn new($config: &FabPortConfig) -> Result<Self, ConfigError> {
                $config.check()?;
                $config.check_lanes(N, M, VIEW_W)?;
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
                    beats_in: Default::default(),
                    sent: Default::default(),
                    sent_ends: Default::default(),
                    may_send: Default::default(),
                    available: Default::default(),
                    beats_out: Default::default(),
                    overrun: Default::default(),
                    spilled: Default::default(),
                    released: Default::default(),
                    emptied: Default::default(),
                    good: Default::default(),
                    bad: Default::default(),
                    starts: Default::default(),
                    begins: Default::default(),
                    credit_cfg: Default::default(),
                    vl_arb: Default::default(),
                    vl_en: Default::default(),
                    $($defaults)*
                    sorter: VlRx::new()?,
                    account: CreditRx::new($config.buffer)?,
                    purse: CreditTx::new()?,
                    start: Default::default(),
                    port: $make?,
                    credit_word: Default::default(),
                    overflow: Default::default(),
                    of_lane: Default::default(),
                    part: Default::default(),
                    $($own_defaults)*
                    lane_number: (0..N).map(|vl| Constant::new((vl as u64).into())).collect(),
                })
            }
        }

        impl<$(const $size: usize,)* const N: usize, const M: usize, const VIEW_W: usize> Logic for $name<$($size,)* N, M, VIEW_W>
        {
            $($generates)*
            fn update(&mut $self) {
                dff_setup!($self, clock, credit_word);
                clock!($self, clock, sorter, account, purse, start, port);
                $self.port.clear.next = $self.clear.val();
                $self.account.clear.next = $self.clear.val();
                $self.start.clear.next = $self.clear.val();

                // A start of the link.
                $($start)*
                $self.starts.next = $self.start.starts.val();
                $self.begins.next = $self.start.begins.val();
                $self.sorter.clear.next = $self.clear.val() | $self.start.starts.val();
                $self.purse.clear.next = $self.clear.val() | $self.start.starts.val();
                $self.account.restart.next = $self.start.begins.val();
                $self.account.emptied.next = $self.emptied.val();

                // Beats in, by lane; what brings credits.
                $self.sorter.beats_in.data.next = $self.port.flits_out.data.val();
                $($arrives)*
                $self.sorter.undefined.next = $self.port.undefined.val();
                $self.sorter.beats_out.ready.next = true;
                $self.beats_out.data.next = $self.sorter.beats_out.data.val();
                $self.beats_out.valid.next = $self.sorter.beats_out.valid.val();
                $self.purse.beats_in.data.next = $self.port.flits_out.data.val();
                $self.purse.beats_in.valid.next = $self.port.flits_out.valid.val();
                FlowOut::<Bits<2>>::join(&mut $self.port.side_out, &mut $self.purse.side_in);
                $self.purse.side_place.next = $self.port.side_place.val();
                $self.purse.sent.next = $self.sent.val();
                $self.purse.sent_ends.next = $self.sent_ends.val();
                $self.may_send.next = $self.purse.credit.val();
                $self.available.next = $self.purse.available.val();

                // Credits that go back.
                $self.account.arrived.data.next = $self.sorter.arrived.data.val();
                $self.account.arrived.valid.next = $self.sorter.arrived.valid.val();
                $self.account.released.next = $self.released.val();
                $self.overrun.next = $self.account.overrun.val();
                $($sideband)*

                // Beats out, CrdtRet among them. While the link starts nothing goes to it.
                $self.account.beats_in.data.next = $self.beats_in.data.val();
                $self.account.beats_in.valid.next = $self.beats_in.valid.val() & !$self.start.starts.val();
                $self.beats_in.ready.next = $self.account.beats_in.ready.val() & !$self.start.starts.val();
                $self.port.flits_in.data.next = $self.account.beats_out.data.val();
                $self.port.flits_in.valid.next =
                    $self.account.beats_out.valid.val() & !$self.start.starts.val();
                $self.account.beats_out.ready.next =
                    $self.port.flits_in.ready.val() & !$self.start.starts.val();

                // Registers.
                $self.purse.v_au.next = $self.port.credit.val().get_bits::<V_AU_BITS>(0);
                $self.purse.units.next = $self.port.cu.val();
                $self.account.v_au.next = $self.port.credit.val().get_bits::<V_AU_BITS>(0);
                $self.account.units.next = $self.port.cu.val();
                $self.account.delay.next = $self.port.credit.val().get_bits::<8>(8);
                $self.credit_cfg.next = $self.port.credit.val();
                $self.vl_arb.next = $self.port.vl_arb.val();
                $self.vl_en.next = $self.port.vl_en.val();
                $self.overflow.next =
                    $self.purse.credit_ovf.val() | $self.account.credit_ovf.val() | $self.spilled.val();
                $self.port.renew.next = $self.overflow.val();
                $self.port.fabric_events.next = bit_cast::<FABRIC_EVENTS, 1>($self.overflow.val().into())
                    | (bit_cast::<FABRIC_EVENTS, 1>($self.sorter.stack_error.val().into()) << 1)
                    | (bit_cast::<FABRIC_EVENTS, 1>($self.good.val().into()) << 2)
                    | (bit_cast::<FABRIC_EVENTS, 1>($self.bad.val().into()) << 3);
                $self.of_lane.next = 0.into();
                $self.part.next = 0.into();
                for v in 0..N {
                    if $self.port.credit_select.val() == $self.lane_number[v].val() {
                        $self.part.next = $self.purse.available.val().get_bits::<16>(v * 16);
                        $self.of_lane.next =
                            $self.of_lane.val() | bit_cast::<CRED_BITS, 16>($self.part.val());
                        $self.part.next = $self.account.occupied.val().get_bits::<16>(v * 16);
                        $self.of_lane.next =
                            $self.of_lane.val() | (bit_cast::<CRED_BITS, 16>($self.part.val()) << 16);
                        $self.part.next = $self.account.pending.val().get_bits::<16>(v * 16);
                        $self.of_lane.next =
                            $self.of_lane.val() | (bit_cast::<CRED_BITS, 16>($self.part.val()) << 32);
                    }
                }
                $self.credit_word.d.next = $self.of_lane.val();
                $self.port.credit_word.next = $self.credit_word.q.val();
                $self.port.addr.next = $self.addr.val();
                $self.port.wdata.next = $self.wdata.val();
                $self.port.we.next = $self.we.val();
                $self.port.re.next = $self.re.val();
                $self.rdata.next = $self.port.rdata.val();
                $self.ack.next = $self.port.ack.val();
                $self.interrupt.next = $self.port.interrupt.val();

                // What only the link looks at.
                $($link)*
            }

            fn timing(&$self) -> Vec<TimingInfo> {
                let parameters = [("f", $flits.to_string()), $($sizes)* ("vls", N.to_string())];
                block_label($label, &parameters)
            }
        }

        drive_ports!(impl[$(const $size: usize,)* const N: usize, const M: usize, const VIEW_W: usize] $name<$($size,)* N, M, VIEW_W> {
            clock, clear, addr, wdata, we, re, rdata, ack, interrupt, beats_in, sent, sent_ends, may_send, available, beats_out, overrun, spilled, released, emptied, good, bad, starts, begins, credit_cfg, vl_arb, vl_en, $($drive),*,
        });
    };
}
pub(super) use fab_link;

const _: () = assert!(cred::tx::LOW == 0 && cred::occupied::LOW == 16 && cred::pending::LOW == 32);
const _: () = assert!(cred::tx::WIDTH == 16 && CRED_BITS == 48);
const _: () = assert!(credit::v_au::LOW == 0 && credit::delay::LOW == 8 && CREDIT_WORD_BITS == 16);
