//! The links of a bond and the bond itself, wired; one type per beat width of its links.

use super::{BondedConfig, BUS_ADDRESS_BITS, PAGE_SELECT_BITS, UNDEFINED_MARK};
use crate::bond::{LinkBond1, LinkBond2};
use crate::gearbox::ROW_BITS;
use crate::lane::{LANE_BITS, LANE_IN_BITS};
use crate::port::{LinkPort1, LinkPort2, FABRIC_EVENTS};
use crate::regs::WORD_ADDRESS_BITS;
use crate::replay::POINTER_BITS;
use flitforge_hdl_link_types::position::{POSITION_BITS, WORD_COUNT_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::flit::{control, FLIT_BITS};

macro_rules! bonded_port {
    ($name:ident, $port:ident, $bond:ident, $flits:tt, $bits:tt, $links:tt, $wide:tt, $wide_flits:tt, $lanes:tt, $all:tt) => {
        /// Two links as one port; `SLOT_W` = log2 R, `A` = log2(16 R / F), `C` = `A` + 1. See the [module](super).
        #[block("link_bonded_port", new, f = $flits, r = 1usize << SLOT_W)]
        pub struct $name<const SLOT_W: usize, const A: usize, const C: usize> {
            /// Core clock.
            clock: In<Clock>,
            /// Synchronous clear: all links Down. Registers and counters stay.
            clear: In<Bit>,
            /// BOND_SKEW starts at 0.
            clear_counters: In<Bit>,
            /// Register bus: link's page in the top bits, word of the page (byte offset / 8) below.
            addr: In<Bits<BUS_ADDRESS_BITS>>,
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
            /// An event of a MASK has happened.
            interrupt: Out<Bit>,
            /// Wide beats to send.
            pub flits_in: StreamIn<Bits<$wide>>,
            /// Wide beats received.
            pub flits_out: FlowOut<Bits<$wide>>,
            /// With `flits_out`: slots whose flit had an undefined opcode and is Idle there; the beat may be all Idle by that.
            undefined: Out<Bits<$wide_flits>>,
            /// Beats of time flits to send, by link.
            pub time_in: [StreamIn<Bits<$bits>>; $links],
            /// What becomes of `time_in` while `tx_open` is low: 0 DROP, 1 HOLD.
            time_mode: In<Bit>,
            /// By link: an original LTP is open or may be opened.
            tx_open: Out<Bits<$links>>,
            /// SPC flits received, in their beats, by link.
            pub spc_out: [FlowOut<Bits<$bits>>; $links],
            /// With `spc_out`: the beat comes from a replay.
            beat_late: Out<Bits<$links>>,
            /// With `spc_out`: place of the beat in its LTP.
            beat_index: [Out<Bits<4>>; $links],
            /// With `spc_out`: sequence state of the LTP.
            beat_state: [Out<Bits<2>>; $links],
            /// As of a port, by link.
            tx_position: [Out<Bits<POSITION_BITS>>; $links],
            /// As of a port, by link.
            tx_words: [Out<Bits<WORD_COUNT_BITS>>; $links],
            /// As of a port, by link, with `spc_out`.
            rx_position: [Out<Bits<POSITION_BITS>>; $links],
            /// As of a port, by link.
            rx_words: [Out<Bits<WORD_COUNT_BITS>>; $links],
            /// Sideband {c1, c0} of the LTP `tx_seq` of link 0, taken with `ltp_start`.
            pub side_in: FlowIn<Bits<2>>,
            /// Link 0 opens an original LTP on this edge.
            ltp_start: Out<Bit>,
            /// Its sequence number.
            tx_seq: Out<Bits<POINTER_BITS>>,
            /// Messages of all links, 2 bits per clock.
            pub side_out: FlowOut<Bits<2>>,
            /// With `side_out`: place in the message.
            side_place: Out<Bits<2>>,
            /// All links are Active or Degraded, and their order is known.
            up: Out<Bit>,
            /// The bond begins afresh: credits start at 0, open packets end.
            restart: Out<Bit>,
            /// Link 0 starts its numbers at 0 on this edge, as it does once, at the latest, between a fall of the bond and `up`.
            begins: Out<Bit>,
            /// Pulse: all links go Down and come up afresh, CTRL.enable given.
            renew: In<Bit>,
            /// Two links received one bond index, or one that is none of theirs.
            order_error: Out<Bit>,
            /// Event: a share found no room; the bond goes Down.
            overflow: Out<Bit>,
            /// State of each link, as STATUS has it.
            state: [Out<Bits<3>>; $links],
            /// Events of [`FABRIC_COUNTERS`](crate::port::FABRIC_COUNTERS), counted on page 0; the bond adds its own, by link.
            fabric_events: In<Bits<FABRIC_EVENTS>>,
            /// Virtual lane whose register CRED of page 0 is wanted.
            credit_select: Out<Bits<4>>,
            /// That register, within 2 clocks.
            credit_word: In<Bits<48>>,
            /// Register CREDIT of page 0.
            credit: Out<Bits<16>>,
            /// Register CU of page 0.
            cu: Out<Bits<64>>,
            /// Register VL_ARB of page 0.
            vl_arb: Out<Bits<64>>,
            /// Register VL_EN of page 0.
            vl_en: Out<Bits<56>>,
            /// By link: lanes on which the PHY has a signal.
            signal_ok: [In<Bits<4>>; $links],
            /// By link: lanes on which the PHY has found the word boundary.
            lane_lock: [In<Bits<4>>; $links],
            /// By link: lanes the PHY is to invert.
            invert: [Out<Bits<4>>; $links],
            /// By link, pulse per lane: the PHY is to move the word boundary by one bit.
            slip: [Out<Bits<4>>; $links],
            /// By link, pulse: a lane FIFO of the PHY ran over or empty.
            elastic_error: In<Bits<$links>>,
            /// By link: words in lane 0's elastic FIFO.
            elastic_fill: [In<Bits<8>>; $links],
            /// To the PHY: lane l of link b is entry b times the lanes of a link, plus l.
            pub tx: [StreamOut<Bits<LANE_BITS>>; $all],
            /// From the PHY, likewise.
            pub rx: [FlowIn<Bits<LANE_IN_BITS>>; $all],

            /// On the heap: the parts of a port are too many for a stack.
            link: Vec<$port<$lanes, SLOT_W, A>>,
            #[wire(clock, clear)]
            bond: $bond<$links, $wide, A, C>,
            /// A request for a page of no link, answered in the next clock.
            stray: Reg<Bit>,
            page: Local<Bits<PAGE_SELECT_BITS>>,
            mine: Local<Bits<$links>>,
            /// A share with its undefined flits marked, a wide beat with them, and without.
            share: Local<Bits<$bits>>,
            #[init(|link| link)]
            places: [Constant<Bits<PAGE_SELECT_BITS>>; $links],
            #[init(0)]
            no_row: Constant<Bits<ROW_BITS>>,
        }

        #[logic]
        impl<const SLOT_W: usize, const A: usize, const C: usize> $name<SLOT_W, A, C> {
            /// Links that are Down, or the reason why not. `config` must be that of the type.
            pub fn new(config: &BondedConfig) -> Result<Self, ConfigError> {
                config.check()?;
                config.check_type($links, $lanes)?;
                let link: Vec<_> =
                    (0..$links).map(|link| $port::new(&config.link(link))).collect::<Result<_, _>>()?;
                Ok(Self { link, bond: $bond::new(&config.bond())?, .. })
            }

            fn update(&mut self) {
                // Wide beats.
                bond.clear_counters = clear_counters;
                link(flits_in, bond.flits_in);
                link(side_out, bond.side_out);
                Out { side_place, up, restart, order_error, overflow } = bond;

                self.wire_links();
                self.clean_flits();

                // What link 0 does for all.
                for i in 1..$links {
                    link[i].side_in = In { valid: false, data: 0 };
                    link[i].fabric_events = bit_cast::<FABRIC_EVENTS, 1>(bond.lost.bits::<1>(i)) << 4;
                    link[i].credit_word = 0;
                }
                link(side_in, link[0].side_in);
                Out { restart: begins, ltp_start, tx_seq } = link[0];
                link[0].fabric_events =
                    fabric_events | (bit_cast::<FABRIC_EVENTS, 1>(bond.lost.bits::<1>(0)) << 4);
                link[0].credit_word = credit_word;
                Out { credit_select, credit, cu, vl_arb, vl_en } = link[0];
            }

            /// Links.
            fn wire_links(&mut self) {
                page = addr.bits::<PAGE_SELECT_BITS>(7);
                mine = 0;
                ack = stray;
                rdata = 0;
                interrupt = false;
                tx_open = 0;
                beat_late = 0;
                for i in 0..$links {
                    link[i] = In { clock, clear };
                    join(bond.shares_out[i], link[i].flits_in);
                    share = link[i].flits_out.data;
                    for j in 0..$flits {
                        share = share.with(j * 65 + 61, share[j * 65 + 61] | link[i].undefined[j]);
                    }
                    bond.shares_in[i].data = share;
                    bond.shares_in[i].valid = link[i].flits_out.valid | link[i].undefined.any();
                    join(link[i].side_out, bond.side_in[i]);
                    bond.side_in_place[i] = link[i].side_place;
                    bond.bond_index[i] = link[i].peer_bond_index;
                    bond.state[i] = link[i].state;
                    bond.restarted[i] = link[i].restart;
                    link[i] = In { renew: bond.renew[i] | renew, bond_skew: bond.skew };
                    state[i] = link[i].state;

                    // Registers.
                    mine = mine.with(i, page == places[i]);
                    link[i] = In { addr: addr.bits::<WORD_ADDRESS_BITS>(0), wdata };
                    link[i] = In { we: we & (page == places[i]), re: re & (page == places[i]) };
                    if link[i].ack {
                        ack = true;
                        rdata = link[i].rdata;
                    }
                    interrupt = interrupt | link[i].interrupt;

                    // Time flits.
                    link(time_in[i], link[i].time_in);
                    link(spc_out[i], link[i].spc_out);
                    link[i].time_mode = time_mode;
                    tx_open = tx_open.with(i, link[i].tx_open);
                    beat_late = beat_late.with(i, link[i].beat_late);
                    beat_index[i] = link[i].beat_index;
                    beat_state[i] = link[i].beat_state;
                    tx_position[i] = link[i].tx_position;
                    tx_words[i] = link[i].tx_words;
                    rx_position[i] = link[i].rx_position;
                    rx_words[i] = link[i].rx_words;

                    // What is for ports alone.
                    link[i] = In { damage: false, bist_start: false, bist_end: false };
                    link[i].test_rows_in = In { valid: false, data: no_row };

                    // Lanes.
                    link[i] = In { signal_ok: signal_ok[i], lane_lock: lane_lock[i] };
                    invert[i] = link[i].invert;
                    slip[i] = link[i].slip;
                    link[i] = In { elastic_error: elastic_error[i], elastic_fill: elastic_fill[i] };
                    for j in 0..$lanes {
                        link(tx[i * $lanes + j], link[i].tx[j]);
                        link(rx[i * $lanes + j], link[i].rx[j]);
                    }
                }
                stray = (we | re) & !mine.any();
            }

            /// A flit with an undefined opcode is there again in the wide beat, and Idle.
            fn clean_flits(&mut self) {
                let received = bond.flits_out.data;
                let mut cleaned = received;
                let mut marked: Bits<$wide_flits> = 0;
                for j in 0..$wide_flits {
                    marked = marked.with(
                        j,
                        !received[j * 65 + 64]
                            & !received[j * 65 + 63]
                            & !received[j * 65 + 62]
                            & received[j * 65 + 61],
                    );
                    cleaned = cleaned.with(j * 65 + 61, received[j * 65 + 61] & !marked[j]);
                }
                flits_out = In { data: cleaned, valid: bond.flits_out.valid };
                undefined = marked;
            }
        }
    };
}

bonded_port!(LinkBondedPort1, LinkPort1, LinkBond1, 1, 65, 2, 130, 2, 1, 2);
bonded_port!(LinkBondedPort2, LinkPort2, LinkBond2, 2, 130, 2, 260, 4, 4, 8);

const _: () = assert!(
    FLIT_BITS == 65 && control::type_bit::LOW == 64 && UNDEFINED_MARK == 1 << (61 - control::opcode::LOW)
);
