//! A port of one link with what lies between it and its virtual lanes; one type per beat width.

use super::link::{fab_link, CREDIT_WORD_BITS, CRED_BITS};
use super::receive::ACCOUNT_BITS;
use super::start::FabStart;
use super::FabPortConfig;
use crate::config::ConfigError;
use crate::fabric::credit::{CreditRx, CreditTx, V_AU_BITS};
use crate::fabric::vl::VlRx;
use crate::link::gearbox::ROW_BITS;
use crate::link::lane::{LANE_BITS, LANE_IN_BITS};
use crate::link::port::{LinkPort1, LinkPort2, LinkPort4, FABRIC_EVENTS};
use crate::link::regs::WORD_ADDRESS_BITS;
use crate::prim::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::ltp::CrcMode;

macro_rules! of_one_link {
    ($name:ident, $port:ident, $flits:literal, $bits:literal, $said:literal, $bytes:literal) => {
        fab_link! {
            self, {#[hdl_gen]}, $name, "fab_link", $port, [LANES, SLOT_W, ADDRESS_W], $flits, $bits, $said, $bytes,
            address: WORD_ADDRESS_BITS,
            doc: "A port of a link of `LANES` lanes with `fab_vl_rx`, `fab_credit_rx` and `fab_credit_tx` for `N` virtual lanes, `M` = `N` + 1, \
                `VIEW_W` = 16 `N`; `SLOT_W` and `ADDRESS_W` are those of the port of the link. What is in front, buffers and `fab_vl_tx`, is that \
                of an endpoint or of a switch. See the [module](super).",
            ports: {
                /// Beats of time flits to send; the payload may change while it waits.
                pub time_in: StreamIn<Bits<$bits>>,
                /// What becomes of `time_in` while `tx_open` is low: 0 DROP, 1 HOLD.
                pub time_mode: Signal<In, Bit>,
                /// An original LTP is open or may be opened.
                pub tx_open: Signal<Out, Bit>,
                /// SPC flits received, in their beats.
                pub spc_out: FlowOut<Bits<$bits>>,
                /// With `spc_out`: the beat comes from a replay.
                pub beat_late: Signal<Out, Bit>,
                /// With `spc_out`: place of the beat in its LTP.
                pub beat_index: Signal<Out, Bits<4>>,
                /// With `spc_out`: sequence state of the LTP.
                pub beat_state: Signal<Out, Bits<2>>,
                /// Numbers start at 0: credits start at 0, open packets end.
                pub restart: Signal<Out, Bit>,
                /// State, as STATUS has it.
                pub state: Signal<Out, Bits<3>>,
                /// Lanes sent on.
                pub tx_lanes: Signal<Out, Bits<4>>,
                /// Lanes received on, by the sender's numbers.
                pub rx_lanes: Signal<Out, Bits<4>>,
                /// Pulse: the lane test takes the lanes (state Bist).
                pub bist_start: Signal<In, Bit>,
                /// Pulse: it is over.
                pub bist_end: Signal<In, Bit>,
                /// Rows of the lane test, taken in Bist.
                pub test_rows_in: StreamIn<Bits<ROW_BITS>>,
                /// Rows received in Bist.
                pub test_rows_out: FlowOut<Bits<ROW_BITS>>,
                /// With `test_rows_out`: its bad words.
                pub test_row_error: Signal<Out, Bits<4>>,
                /// For tests: LTPs are kept with wrong parity.
                pub damage: Signal<In, Bit>,
                /// Lanes on which the PHY has a signal.
                pub signal_ok: Signal<In, Bits<4>>,
                /// Lanes on which the PHY has found the word boundary.
                pub lane_lock: Signal<In, Bits<4>>,
                /// Lanes the PHY is to invert.
                pub invert: Signal<Out, Bits<4>>,
                /// Pulse per lane: the PHY is to move the word boundary by one bit.
                pub slip: Signal<Out, Bits<4>>,
                /// Pulse: a lane FIFO of the PHY ran over or empty; counts in Init, Active and Degraded.
                pub elastic_error: Signal<In, Bit>,
                /// Words in lane 0's elastic FIFO.
                pub elastic_fill: Signal<In, Bits<8>>,
                /// To the PHY: word in bits 31..0, ctl in bit 32.
                pub tx: [StreamOut<Bits<LANE_BITS>>; LANES],
                /// From the PHY: word in bits 31..0, ctl in bit 32, code_err in bit 33.
                pub rx: [FlowIn<Bits<LANE_IN_BITS>>; LANES],
            },
            defaults: {
                time_in: Default::default(),
                time_mode: Default::default(),
                tx_open: Default::default(),
                spc_out: Default::default(),
                beat_late: Default::default(),
                beat_index: Default::default(),
                beat_state: Default::default(),
                restart: Default::default(),
                state: Default::default(),
                tx_lanes: Default::default(),
                rx_lanes: Default::default(),
                bist_start: Default::default(),
                bist_end: Default::default(),
                test_rows_in: Default::default(),
                test_rows_out: Default::default(),
                test_row_error: Default::default(),
                damage: Default::default(),
                signal_ok: Default::default(),
                lane_lock: Default::default(),
                invert: Default::default(),
                slip: Default::default(),
                elastic_error: Default::default(),
                elastic_fill: Default::default(),
                tx: defaults(),
                rx: defaults(),
            },
            port: |config| $port::new(&config.link),
            own: {
                sideband: Signal<Local, Bit>,
                with_sideband: Constant<Bits<2>>,
            },
            own_defaults: {
                sideband: Default::default(),
                with_sideband: Constant::new(u64::from(CrcMode::Bits14.code()).into()),
            },
            start: {
                self.start.restart.next = self.port.restart.val();
                self.restart.next = self.port.restart.val();
            },
            arrives: {
                self.sorter.beats_in.valid.next =
                    self.port.flits_out.valid.val() | self.port.undefined.val().any();
            },
            sideband: {
                self.sideband.next = self.port.tx_mode.val() == self.with_sideband.val();
                self.account.sideband.next = self.sideband.val();
                self.account.ltp_start.next = self.port.ltp_start.val();
                self.account.ltp_place.next = self.port.tx_seq.val().get_bits::<2>(0);
                FlowOut::<Bits<2>>::join(&mut self.account.side_out, &mut self.port.side_in);
            },
            link: {
                StreamIn::<Bits<$bits>>::link(&mut self.time_in, &mut self.port.time_in);
                self.port.time_mode.next = self.time_mode.val();
                self.tx_open.next = self.port.tx_open.val();
                FlowOut::<Bits<$bits>>::link(&mut self.spc_out, &mut self.port.spc_out);
                self.beat_late.next = self.port.beat_late.val();
                self.beat_index.next = self.port.beat_index.val();
                self.beat_state.next = self.port.beat_state.val();
                self.state.next = self.port.state.val();
                self.tx_lanes.next = self.port.tx_lanes.val();
                self.rx_lanes.next = self.port.rx_lanes.val();
                self.port.bond_skew.next = 0.into();
                self.port.bist_start.next = self.bist_start.val();
                self.port.bist_end.next = self.bist_end.val();
                StreamIn::<Bits<ROW_BITS>>::link(&mut self.test_rows_in, &mut self.port.test_rows_in);
                FlowOut::<Bits<ROW_BITS>>::link(&mut self.test_rows_out, &mut self.port.test_rows_out);
                self.test_row_error.next = self.port.test_row_error.val();
                self.port.damage.next = self.damage.val();
                self.port.signal_ok.next = self.signal_ok.val();
                self.port.lane_lock.next = self.lane_lock.val();
                self.invert.next = self.port.invert.val();
                self.slip.next = self.port.slip.val();
                self.port.elastic_error.next = self.elastic_error.val();
                self.port.elastic_fill.next = self.elastic_fill.val();
                for i in 0..LANES {
                    StreamOut::<Bits<LANE_BITS>>::link(&mut self.tx[i], &mut self.port.tx[i]);
                    FlowIn::<Bits<LANE_IN_BITS>>::link(&mut self.rx[i], &mut self.port.rx[i]);
                }
            },
            sizes: {
                ("lanes", LANES.to_string()),
                ("r", (1usize << SLOT_W).to_string()),
            },
            drive: {
                time_in, time_mode, tx_open, spc_out, beat_late, beat_index, beat_state, restart, state, tx_lanes,
                rx_lanes, bist_start, bist_end, test_rows_in, test_rows_out, test_row_error, damage, signal_ok,
                lane_lock, invert, slip, elastic_error, elastic_fill, tx, rx
            }
        }
    };
}

of_one_link!(FabLink1, LinkPort1, 1, 65, 74, 4);
of_one_link!(FabLink2, LinkPort2, 2, 130, 139, 5);
of_one_link!(FabLink4, LinkPort4, 4, 260, 269, 6);
