//! `fab_bonded_port`: a bond with its packets; one type per beat width of its links.

use super::block::fab_port;
use super::bonded::{FabBondedLink1, FabBondedLink2};
use super::receive::{FabReceive2, FabReceive4};
use super::transmit::{FabTransmit2, FabTransmit4};
use super::FabPortConfig;
use crate::config::ConfigError;
use crate::fabric::packet::{END_BITS, REQUEST_BITS};
use crate::link::bonded::BUS_ADDRESS_BITS;
use crate::link::lane::{LANE_BITS, LANE_IN_BITS};
use crate::link::position::{POSITION_BITS, WORD_COUNT_BITS};
use crate::prim::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::packet::{HEADER_BITS, REFUSAL_BITS};

macro_rules! of_bond {
    (
        $name:ident, $link:ident, $transmit:ident, $receive:ident, $flits:literal, $bits:literal, $said:literal, $word:literal,
        $share:literal, $links:literal, $all:literal
    ) => {
        fab_port! {
            self, {#[hdl_gen]}, $name, "fab_bonded_port", $link, $transmit, $receive, [SLOT_W, ADDRESS_W, COUNT_W], $flits, $bits, $said, $word,
            address: BUS_ADDRESS_BITS,
            doc: "Two links as one with `N` virtual lanes, `M` = `N` + 1, `VIEW_W` = 16 `N`; `SLOT_W`, `ADDRESS_W` and `COUNT_W` are those of \
                `link_bonded_port`; 2^`B` wide beats of buffer per lane, `C` = `B` + 1. See the [module](super).",
            ports: {
                /// Beats of time flits to send, by link; the payload may change while it waits.
                pub time_in: [StreamIn<Bits<$share>>; $links],
                /// What becomes of `time_in` while `tx_open` is low: 0 DROP, 1 HOLD.
                pub time_mode: Signal<In, Bit>,
                /// By link: an original LTP is open or may be opened.
                pub tx_open: Signal<Out, Bits<$links>>,
                /// SPC flits received, in their beats, by link.
                pub spc_out: [FlowOut<Bits<$share>>; $links],
                /// With `spc_out`: the beat comes from a replay.
                pub beat_late: Signal<Out, Bits<$links>>,
                /// With `spc_out`: place of the beat in its LTP.
                pub beat_index: [Signal<Out, Bits<4>>; $links],
                /// With `spc_out`: sequence state of the LTP.
                pub beat_state: [Signal<Out, Bits<2>>; $links],
                /// As of a port of the link, by link.
                pub tx_position: [Signal<Out, Bits<POSITION_BITS>>; $links],
                /// As of a port of the link, by link.
                pub tx_words: [Signal<Out, Bits<WORD_COUNT_BITS>>; $links],
                /// As of a port of the link, by link, with `spc_out`.
                pub rx_position: [Signal<Out, Bits<POSITION_BITS>>; $links],
                /// As of a port of the link, by link.
                pub rx_words: [Signal<Out, Bits<WORD_COUNT_BITS>>; $links],
                /// Numbers of link 0 start at 0: credits start at 0, open packets end.
                pub restart: Signal<Out, Bit>,
                /// All links are Active or Degraded, and their order is known.
                pub up: Signal<Out, Bit>,
                /// State of each link, as STATUS has it.
                pub state: [Signal<Out, Bits<3>>; $links],
                /// Two links received one bond index, or one that is none of theirs.
                pub order_error: Signal<Out, Bit>,
                /// Event: a share found no room; the bond goes Down.
                pub bond_overflow: Signal<Out, Bit>,
                /// BOND_SKEW starts at 0.
                pub clear_counters: Signal<In, Bit>,
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
            },
            defaults: {
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
                restart: Default::default(),
                up: Default::default(),
                state: defaults(),
                order_error: Default::default(),
                bond_overflow: Default::default(),
                clear_counters: Default::default(),
                signal_ok: defaults(),
                lane_lock: defaults(),
                invert: defaults(),
                slip: defaults(),
                elastic_error: Default::default(),
                elastic_fill: defaults(),
                tx: defaults(),
                rx: defaults(),
            },
            joins: {
                self.link.time_mode.next = self.time_mode.val();
                self.tx_open.next = self.link.tx_open.val();
                self.beat_late.next = self.link.beat_late.val();
                self.restart.next = self.link.restart.val();
                self.up.next = self.link.up.val();
                self.order_error.next = self.link.order_error.val();
                self.bond_overflow.next = self.link.bond_overflow.val();
                self.link.clear_counters.next = self.clear_counters.val();
                self.link.elastic_error.next = self.elastic_error.val();
                for i in 0..$links {
                    StreamIn::<Bits<$share>>::link(&mut self.time_in[i], &mut self.link.time_in[i]);
                    FlowOut::<Bits<$share>>::link(&mut self.spc_out[i], &mut self.link.spc_out[i]);
                    self.beat_index[i].next = self.link.beat_index[i].val();
                    self.beat_state[i].next = self.link.beat_state[i].val();
                    self.tx_position[i].next = self.link.tx_position[i].val();
                    self.tx_words[i].next = self.link.tx_words[i].val();
                    self.rx_position[i].next = self.link.rx_position[i].val();
                    self.rx_words[i].next = self.link.rx_words[i].val();
                    self.state[i].next = self.link.state[i].val();
                    self.link.signal_ok[i].next = self.signal_ok[i].val();
                    self.link.lane_lock[i].next = self.lane_lock[i].val();
                    self.invert[i].next = self.link.invert[i].val();
                    self.slip[i].next = self.link.slip[i].val();
                    self.link.elastic_fill[i].next = self.elastic_fill[i].val();
                }
                for i in 0..$all {
                    StreamOut::<Bits<LANE_BITS>>::link(&mut self.tx[i], &mut self.link.tx[i]);
                    FlowIn::<Bits<LANE_IN_BITS>>::link(&mut self.rx[i], &mut self.link.rx[i]);
                }
            },
            sizes: {
                ("links", $links.to_string()),
                ("r", (1usize << SLOT_W).to_string()),
            },
            drive: {
                time_in, time_mode, tx_open, spc_out, beat_late, beat_index, beat_state, tx_position, tx_words,
                rx_position, rx_words, restart, up, state, order_error, bond_overflow, clear_counters, signal_ok,
                lane_lock, invert, slip, elastic_error, elastic_fill, tx, rx
            }
        }
    };
}

of_bond!(FabBondedPort1, FabBondedLink1, FabTransmit2, FabReceive2, 2, 130, 139, 134, 65, 2, 2);
of_bond!(FabBondedPort2, FabBondedLink2, FabTransmit4, FabReceive4, 4, 260, 269, 263, 130, 2, 8);
