//! A bond with what lies between it and its virtual lanes, as if it were one link of wide beats; one type per beat width.

use super::link::{fab_link, CREDIT_WORD_BITS, CRED_BITS};
use super::receive::ACCOUNT_BITS;
use super::start::FabStart;
use super::FabPortConfig;
use crate::config::ConfigError;
use crate::fabric::credit::{CreditRx, CreditTx, V_AU_BITS};
use crate::fabric::vl::VlRx;
use crate::link::bonded::{LinkBondedPort1, LinkBondedPort2, BUS_ADDRESS_BITS};
use crate::link::lane::{LANE_BITS, LANE_IN_BITS};
use crate::link::port::FABRIC_EVENTS;
use crate::link::position::{POSITION_BITS, WORD_COUNT_BITS};
use crate::prim::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

macro_rules! of_bond {
    ($name:ident, $port:ident, $flits:literal, $bits:literal, $said:literal, $bytes:literal, $share:literal, $links:literal, $all:literal) => {
        fab_link! {
            self, {#[hdl_gen]}, $name, "fab_bonded_link", $port, [SLOT_W, ADDRESS_W, COUNT_W], $flits, $bits, $said, $bytes,
            address: BUS_ADDRESS_BITS,
            doc: "Two links as one with `fab_vl_rx`, `fab_credit_rx` and `fab_credit_tx` for `N` virtual lanes, `M` = `N` + 1, `VIEW_W` = 16 `N`; \
                `SLOT_W`, `ADDRESS_W` and `COUNT_W` are those of `link_bonded_port`. See the [module](super).",
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
            port: |config| $port::new(&config.bonded()),
            own: {
                message: Signal<Local, Bits<2>>,
            },
            own_defaults: {
                message: Default::default(),
            },
            start: {
                // The registers of the credits are link 0's, and may be written as long as it is Down.
                self.start.restart.next = self.port.begins.val();
                self.restart.next = self.port.begins.val();
            },
            arrives: {
                // Also a wide beat that is all Idle by undefined opcodes.
                self.sorter.beats_in.valid.next = self.port.flits_out.valid.val();
            },
            sideband: {
                // All links of a bond are in mode 1. Link 0 may be Active before the others are; its cable may go to a link of the peer whose
                // link 0 has not started yet, and that start would forget a message. So messages wait for the bond, as wide beats do.
                self.account.sideband.next = true;
                self.account.ltp_start.next = self.port.ltp_start.val() & self.port.up.val();
                self.account.ltp_place.next = self.port.tx_seq.val().get_bits::<2>(0);
                self.message.next = 0.into();
                if self.port.up.val() {
                    self.message.next = self.account.side_out.data.val();
                }
                self.port.side_in.data.next = self.message.val();
                self.port.side_in.valid.next = self.account.side_out.valid.val();
            },
            link: {
                self.port.time_mode.next = self.time_mode.val();
                self.tx_open.next = self.port.tx_open.val();
                self.beat_late.next = self.port.beat_late.val();
                self.up.next = self.port.up.val();
                self.order_error.next = self.port.order_error.val();
                self.port.clear_counters.next = self.clear_counters.val();
                self.port.elastic_error.next = self.elastic_error.val();
                for i in 0..$links {
                    StreamIn::<Bits<$share>>::link(&mut self.time_in[i], &mut self.port.time_in[i]);
                    FlowOut::<Bits<$share>>::link(&mut self.spc_out[i], &mut self.port.spc_out[i]);
                    self.beat_index[i].next = self.port.beat_index[i].val();
                    self.beat_state[i].next = self.port.beat_state[i].val();
                    self.tx_position[i].next = self.port.tx_position[i].val();
                    self.tx_words[i].next = self.port.tx_words[i].val();
                    self.rx_position[i].next = self.port.rx_position[i].val();
                    self.rx_words[i].next = self.port.rx_words[i].val();
                    self.state[i].next = self.port.state[i].val();
                    self.port.signal_ok[i].next = self.signal_ok[i].val();
                    self.port.lane_lock[i].next = self.lane_lock[i].val();
                    self.invert[i].next = self.port.invert[i].val();
                    self.slip[i].next = self.port.slip[i].val();
                    self.port.elastic_fill[i].next = self.elastic_fill[i].val();
                }
                for i in 0..$all {
                    StreamOut::<Bits<LANE_BITS>>::link(&mut self.tx[i], &mut self.port.tx[i]);
                    FlowIn::<Bits<LANE_IN_BITS>>::link(&mut self.rx[i], &mut self.port.rx[i]);
                }
                self.bond_overflow.next = self.port.overflow.val();
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

of_bond!(FabBondedLink1, LinkBondedPort1, 2, 130, 139, 5, 65, 2, 2);
of_bond!(FabBondedLink2, LinkBondedPort2, 4, 260, 269, 6, 130, 2, 8);
