//! The links of a bond and the bond itself, wired; one type per beat width of its links.

use super::{BondedConfig, BUS_ADDRESS_BITS, PAGE_SELECT_BITS, UNDEFINED_MARK};
use crate::config::ConfigError;
use crate::link::bond::{LinkBond1, LinkBond2};
use crate::link::gearbox::ROW_BITS;
use crate::link::lane::{LANE_BITS, LANE_IN_BITS};
use crate::link::port::{LinkPort1, LinkPort2, FABRIC_EVENTS};
use crate::link::position::{POSITION_BITS, WORD_COUNT_BITS};
use crate::link::regs::WORD_ADDRESS_BITS;
use crate::link::replay::POINTER_BITS;
use crate::prim::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::flit::{control, FLIT_BITS};
use std::array;

macro_rules! bonded_port {
    ($name:ident, $port:ident, $bond:ident, $flits:tt, $bits:tt, $links:tt, $wide:tt, $wide_flits:tt, $lanes:tt, $all:tt) => {
        /// Two links as one port; `SLOT_W` = log2 R, `A` = log2(16 R / F), `C` = `A` + 1. See the [module](super).
        #[derive(LogicBlock)]
        pub struct $name<const SLOT_W: usize, const A: usize, const C: usize> {
            /// Core clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous clear: all links Down. Registers and counters stay.
            pub clear: Signal<In, Bit>,
            /// BOND_SKEW starts at 0.
            pub clear_counters: Signal<In, Bit>,
            /// Register bus: link's page in the top bits, word of the page (byte offset / 8) below.
            pub addr: Signal<In, Bits<BUS_ADDRESS_BITS>>,
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
            /// An event of a MASK has happened.
            pub interrupt: Signal<Out, Bit>,
            /// Wide beats to send.
            pub flits_in: StreamIn<Bits<$wide>>,
            /// Wide beats received.
            pub flits_out: FlowOut<Bits<$wide>>,
            /// With `flits_out`: slots whose flit had an undefined opcode and is Idle there; the beat may be all Idle by that.
            pub undefined: Signal<Out, Bits<$wide_flits>>,
            /// Beats of time flits to send, by link.
            pub time_in: [StreamIn<Bits<$bits>>; $links],
            /// What becomes of `time_in` while `tx_open` is low: 0 DROP, 1 HOLD.
            pub time_mode: Signal<In, Bit>,
            /// By link: an original LTP is open or may be opened.
            pub tx_open: Signal<Out, Bits<$links>>,
            /// SPC flits received, in their beats, by link.
            pub spc_out: [FlowOut<Bits<$bits>>; $links],
            /// With `spc_out`: the beat comes from a replay.
            pub beat_late: Signal<Out, Bits<$links>>,
            /// With `spc_out`: place of the beat in its LTP.
            pub beat_index: [Signal<Out, Bits<4>>; $links],
            /// With `spc_out`: sequence state of the LTP.
            pub beat_state: [Signal<Out, Bits<2>>; $links],
            /// As of a port, by link.
            pub tx_position: [Signal<Out, Bits<POSITION_BITS>>; $links],
            /// As of a port, by link.
            pub tx_words: [Signal<Out, Bits<WORD_COUNT_BITS>>; $links],
            /// As of a port, by link, with `spc_out`.
            pub rx_position: [Signal<Out, Bits<POSITION_BITS>>; $links],
            /// As of a port, by link.
            pub rx_words: [Signal<Out, Bits<WORD_COUNT_BITS>>; $links],
            /// Sideband {c1, c0} of the LTP `tx_seq` of link 0, taken with `ltp_start`.
            pub side_in: FlowIn<Bits<2>>,
            /// Link 0 opens an original LTP on this edge.
            pub ltp_start: Signal<Out, Bit>,
            /// Its sequence number.
            pub tx_seq: Signal<Out, Bits<POINTER_BITS>>,
            /// Messages of all links, 2 bits per clock.
            pub side_out: FlowOut<Bits<2>>,
            /// With `side_out`: place in the message.
            pub side_place: Signal<Out, Bits<2>>,
            /// All links are Active or Degraded, and their order is known.
            pub up: Signal<Out, Bit>,
            /// The bond begins afresh: credits start at 0, open packets end.
            pub restart: Signal<Out, Bit>,
            /// Link 0 starts its numbers at 0 on this edge, as it does once, at the latest, between a fall of the bond and `up`.
            pub begins: Signal<Out, Bit>,
            /// Pulse: all links go Down and come up afresh, CTRL.enable given.
            pub renew: Signal<In, Bit>,
            /// Two links received one bond index, or one that is none of theirs.
            pub order_error: Signal<Out, Bit>,
            /// Event: a share found no room; the bond goes Down.
            pub overflow: Signal<Out, Bit>,
            /// State of each link, as STATUS has it.
            pub state: [Signal<Out, Bits<3>>; $links],
            /// Events of [`FABRIC_COUNTERS`](crate::link::port::FABRIC_COUNTERS), counted on page 0; the bond adds its own, by link.
            pub fabric_events: Signal<In, Bits<FABRIC_EVENTS>>,
            /// Virtual lane whose register CRED of page 0 is wanted.
            pub credit_select: Signal<Out, Bits<4>>,
            /// That register, within 2 clocks.
            pub credit_word: Signal<In, Bits<48>>,
            /// Register CREDIT of page 0.
            pub credit: Signal<Out, Bits<16>>,
            /// Register CU of page 0.
            pub cu: Signal<Out, Bits<64>>,
            /// Register VL_ARB of page 0.
            pub vl_arb: Signal<Out, Bits<64>>,
            /// Register VL_EN of page 0.
            pub vl_en: Signal<Out, Bits<56>>,
            /// By link: lanes on which the PHY has a signal.
            pub signal_ok: [Signal<In, Bits<4>>; $links],
            /// By link: lanes on which the PHY has found the word boundary.
            pub lane_lock: [Signal<In, Bits<4>>; $links],
            /// By link: lanes the PHY is to invert.
            pub invert: [Signal<Out, Bits<4>>; $links],
            /// By link, pulse per lane: the PHY is to move the word boundary by one bit.
            pub slip: [Signal<Out, Bits<4>>; $links],
            /// By link, pulse: a lane FIFO of the PHY ran over or empty.
            pub elastic_error: Signal<In, Bits<$links>>,
            /// By link: words in lane 0's elastic FIFO.
            pub elastic_fill: [Signal<In, Bits<8>>; $links],
            /// To the PHY: lane l of link b is entry b times the lanes of a link, plus l.
            pub tx: [StreamOut<Bits<LANE_BITS>>; $all],
            /// From the PHY, likewise.
            pub rx: [FlowIn<Bits<LANE_IN_BITS>>; $all],

            /// On the heap: the parts of a port are too many for a stack.
            link: Vec<$port<$lanes, SLOT_W, A>>,
            bond: $bond<$links, $wide, A, C>,
            /// A request for a page of no link, answered in the next clock.
            stray: DFF<Bit>,
            page: Signal<Local, Bits<PAGE_SELECT_BITS>>,
            mine: Signal<Local, Bits<$links>>,
            /// A share with its undefined flits marked, a wide beat with them, and without.
            share: Signal<Local, Bits<$bits>>,
            came: Signal<Local, Bits<$wide>>,
            cleaned: Signal<Local, Bits<$wide>>,
            marked: Signal<Local, Bits<$wide_flits>>,
            places: [Constant<Bits<PAGE_SELECT_BITS>>; $links],
            no_row: Constant<Bits<ROW_BITS>>,
        }

        impl<const SLOT_W: usize, const A: usize, const C: usize> $name<SLOT_W, A, C> {
            /// Links that are Down, or the reason why not. `config` must be that of the type.
            pub fn new(config: &BondedConfig) -> Result<Self, ConfigError> {
                config.check()?;
                config.check_type($links, $lanes)?;
                let link: Vec<_> =
                    (0..$links).map(|link| $port::new(&config.link(link))).collect::<Result<_, _>>()?;
                Ok(Self {
                    clock: Default::default(),
                    clear: Default::default(),
                    clear_counters: Default::default(),
                    addr: Default::default(),
                    wdata: Default::default(),
                    we: Default::default(),
                    re: Default::default(),
                    rdata: Default::default(),
                    ack: Default::default(),
                    interrupt: Default::default(),
                    flits_in: Default::default(),
                    flits_out: Default::default(),
                    undefined: Default::default(),
                    time_in: defaults(),
                    time_mode: Default::default(),
                    tx_open: Default::default(),
                    spc_out: defaults(),
                    beat_late: Default::default(),
                    beat_index: defaults(),
                    beat_state: defaults(),
                    tx_position: defaults(),
                    tx_words: defaults(),
                    rx_position: defaults(),
                    rx_words: defaults(),
                    side_in: Default::default(),
                    ltp_start: Default::default(),
                    tx_seq: Default::default(),
                    side_out: Default::default(),
                    side_place: Default::default(),
                    up: Default::default(),
                    restart: Default::default(),
                    begins: Default::default(),
                    renew: Default::default(),
                    order_error: Default::default(),
                    overflow: Default::default(),
                    state: defaults(),
                    fabric_events: Default::default(),
                    credit_select: Default::default(),
                    credit_word: Default::default(),
                    credit: Default::default(),
                    cu: Default::default(),
                    vl_arb: Default::default(),
                    vl_en: Default::default(),
                    signal_ok: defaults(),
                    lane_lock: defaults(),
                    invert: defaults(),
                    slip: defaults(),
                    elastic_error: Default::default(),
                    elastic_fill: defaults(),
                    tx: defaults(),
                    rx: defaults(),
                    link,
                    bond: $bond::new(&config.bond())?,
                    stray: Default::default(),
                    page: Default::default(),
                    mine: Default::default(),
                    share: Default::default(),
                    came: Default::default(),
                    cleaned: Default::default(),
                    marked: Default::default(),
                    places: array::from_fn(|link| Constant::new((link as u64).into())),
                    no_row: Constant::new(Bits::default()),
                })
            }
        }

        impl<const SLOT_W: usize, const A: usize, const C: usize> Logic for $name<SLOT_W, A, C> {
            #[hdl_gen]
            fn update(&mut self) {
                dff_setup!(self, clock, stray);
                clock!(self, clock, bond);

                // Wide beats.
                self.bond.clear.next = self.clear.val();
                self.bond.clear_counters.next = self.clear_counters.val();
                StreamIn::<Bits<$wide>>::link(&mut self.flits_in, &mut self.bond.flits_in);
                FlowOut::<Bits<2>>::link(&mut self.side_out, &mut self.bond.side_out);
                self.side_place.next = self.bond.side_place.val();
                self.up.next = self.bond.up.val();
                self.restart.next = self.bond.restart.val();
                self.order_error.next = self.bond.order_error.val();
                self.overflow.next = self.bond.overflow.val();

                // Links.
                self.page.next = self.addr.val().get_bits::<PAGE_SELECT_BITS>(7);
                self.mine.next = 0.into();
                self.ack.next = self.stray.q.val();
                self.rdata.next = 0.into();
                self.interrupt.next = false;
                self.tx_open.next = 0.into();
                self.beat_late.next = 0.into();
                for i in 0..$links {
                    self.link[i].clock.next = self.clock.val();
                    self.link[i].clear.next = self.clear.val();
                    StreamOut::<Bits<$bits>>::join(&mut self.bond.shares_out[i], &mut self.link[i].flits_in);
                    self.share.next = self.link[i].flits_out.data.val();
                    for j in 0..$flits {
                        self.share.next = self.share.val().replace_bit(
                            j * 65 + 61,
                            self.share.val().get_bit(j * 65 + 61) | self.link[i].undefined.val().get_bit(j),
                        );
                    }
                    self.bond.shares_in[i].data.next = self.share.val();
                    self.bond.shares_in[i].valid.next =
                        self.link[i].flits_out.valid.val() | self.link[i].undefined.val().any();
                    FlowOut::<Bits<2>>::join(&mut self.link[i].side_out, &mut self.bond.side_in[i]);
                    self.bond.side_in_place[i].next = self.link[i].side_place.val();
                    self.bond.bond_index[i].next = self.link[i].peer_bond_index.val();
                    self.bond.state[i].next = self.link[i].state.val();
                    self.bond.restarted[i].next = self.link[i].restart.val();
                    self.link[i].renew.next = self.bond.renew.val().get_bit(i) | self.renew.val();
                    self.link[i].bond_skew.next = self.bond.skew.val();
                    self.state[i].next = self.link[i].state.val();

                    // Registers.
                    self.mine.next = self.mine.val().replace_bit(i, self.page.val() == self.places[i].val());
                    self.link[i].addr.next = self.addr.val().get_bits::<WORD_ADDRESS_BITS>(0);
                    self.link[i].wdata.next = self.wdata.val();
                    self.link[i].we.next = self.we.val() & (self.page.val() == self.places[i].val());
                    self.link[i].re.next = self.re.val() & (self.page.val() == self.places[i].val());
                    if self.link[i].ack.val() {
                        self.ack.next = true;
                        self.rdata.next = self.link[i].rdata.val();
                    }
                    self.interrupt.next = self.interrupt.val() | self.link[i].interrupt.val();

                    // Time flits.
                    StreamIn::<Bits<$bits>>::link(&mut self.time_in[i], &mut self.link[i].time_in);
                    FlowOut::<Bits<$bits>>::link(&mut self.spc_out[i], &mut self.link[i].spc_out);
                    self.link[i].time_mode.next = self.time_mode.val();
                    self.tx_open.next = self.tx_open.val().replace_bit(i, self.link[i].tx_open.val());
                    self.beat_late.next = self.beat_late.val().replace_bit(i, self.link[i].beat_late.val());
                    self.beat_index[i].next = self.link[i].beat_index.val();
                    self.beat_state[i].next = self.link[i].beat_state.val();
                    self.tx_position[i].next = self.link[i].tx_position.val();
                    self.tx_words[i].next = self.link[i].tx_words.val();
                    self.rx_position[i].next = self.link[i].rx_position.val();
                    self.rx_words[i].next = self.link[i].rx_words.val();

                    // What is for ports alone.
                    self.link[i].damage.next = false;
                    self.link[i].bist_start.next = false;
                    self.link[i].bist_end.next = false;
                    self.link[i].test_rows_in.valid.next = false;
                    self.link[i].test_rows_in.data.next = self.no_row.val();

                    // Lanes.
                    self.link[i].signal_ok.next = self.signal_ok[i].val();
                    self.link[i].lane_lock.next = self.lane_lock[i].val();
                    self.invert[i].next = self.link[i].invert.val();
                    self.slip[i].next = self.link[i].slip.val();
                    self.link[i].elastic_error.next = self.elastic_error.val().get_bit(i);
                    self.link[i].elastic_fill.next = self.elastic_fill[i].val();
                    for j in 0..$lanes {
                        StreamOut::<Bits<LANE_BITS>>::link(
                            &mut self.tx[i * $lanes + j],
                            &mut self.link[i].tx[j],
                        );
                        FlowIn::<Bits<LANE_IN_BITS>>::link(
                            &mut self.rx[i * $lanes + j],
                            &mut self.link[i].rx[j],
                        );
                    }
                }
                self.stray.d.next = (self.we.val() | self.re.val()) & !self.mine.val().any();

                // A flit with an undefined opcode is there again in the wide beat, and Idle.
                self.came.next = self.bond.flits_out.data.val();
                self.cleaned.next = self.came.val();
                self.marked.next = 0.into();
                for j in 0..$wide_flits {
                    self.marked.next = self.marked.val().replace_bit(
                        j,
                        !self.came.val().get_bit(j * 65 + 64)
                            & !self.came.val().get_bit(j * 65 + 63)
                            & !self.came.val().get_bit(j * 65 + 62)
                            & self.came.val().get_bit(j * 65 + 61),
                    );
                    self.cleaned.next = self.cleaned.val().replace_bit(
                        j * 65 + 61,
                        self.came.val().get_bit(j * 65 + 61) & !self.marked.val().get_bit(j),
                    );
                }
                self.flits_out.data.next = self.cleaned.val();
                self.flits_out.valid.next = self.bond.flits_out.valid.val();
                self.undefined.next = self.marked.val();

                // What link 0 does for all.
                for i in 1..$links {
                    self.link[i].side_in.valid.next = false;
                    self.link[i].side_in.data.next = 0.into();
                    self.link[i].fabric_events.next =
                        bit_cast::<FABRIC_EVENTS, 1>(self.bond.lost.val().get_bits::<1>(i)) << 4;
                    self.link[i].credit_word.next = 0.into();
                }
                FlowIn::<Bits<2>>::link(&mut self.side_in, &mut self.link[0].side_in);
                self.begins.next = self.link[0].restart.val();
                self.ltp_start.next = self.link[0].ltp_start.val();
                self.tx_seq.next = self.link[0].tx_seq.val();
                self.link[0].fabric_events.next = self.fabric_events.val()
                    | (bit_cast::<FABRIC_EVENTS, 1>(self.bond.lost.val().get_bits::<1>(0)) << 4);
                self.link[0].credit_word.next = self.credit_word.val();
                self.credit_select.next = self.link[0].credit_select.val();
                self.credit.next = self.link[0].credit.val();
                self.cu.next = self.link[0].cu.val();
                self.vl_arb.next = self.link[0].vl_arb.val();
                self.vl_en.next = self.link[0].vl_en.val();
            }

            fn timing(&self) -> Vec<TimingInfo> {
                let slots = (1usize << SLOT_W).to_string();
                block_label("link_bonded_port", &[("f", $flits.to_string()), ("r", slots)])
            }
        }

        drive_ports!(impl[const SLOT_W: usize, const A: usize, const C: usize] $name<SLOT_W, A, C> {
            clock, clear, clear_counters, addr, wdata, we, re, rdata, ack, interrupt, flits_in, flits_out, undefined, time_in,
            time_mode, tx_open, spc_out, beat_late, beat_index, beat_state, tx_position, tx_words, rx_position,
            rx_words, side_in, ltp_start, tx_seq, side_out, side_place, up, restart, begins, renew, order_error, overflow,
            state, fabric_events, credit_select, credit_word, credit, cu, vl_arb, vl_en, signal_ok, lane_lock,
            invert, slip, elastic_error, elastic_fill, tx, rx,
        });
    };
}

bonded_port!(LinkBondedPort1, LinkPort1, LinkBond1, 1, 65, 2, 130, 2, 1, 2);
bonded_port!(LinkBondedPort2, LinkPort2, LinkBond2, 2, 130, 2, 260, 4, 4, 8);

const _: () = assert!(
    FLIT_BITS == 65 && control::type_bit::LOW == 64 && UNDEFINED_MARK == 1 << (61 - control::opcode::LOW)
);
