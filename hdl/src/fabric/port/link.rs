//! What lies between a link and its virtual lanes, with the port of the link; one type per beat width.

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
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::link_registers::{cred, credit};
use flitforge_protocol::ltp::CrcMode;
use rust_hdl::prelude::*;
use std::array;

/// Bits of register CRED.
const CRED_BITS: usize = cred::pending::LOW + cred::pending::WIDTH;
/// Bits of register CREDIT.
pub const CREDIT_WORD_BITS: usize = credit::delay::LOW + credit::delay::WIDTH;

macro_rules! fab_link {
    ($name:ident, $port:ident, $flits:literal, $bits:literal, $said:literal, $bytes:literal) => {
        /// A port of a link of `LANES` lanes with `fab_vl_rx`, `fab_credit_rx` and `fab_credit_tx` for `N` virtual lanes, `M` = `N` + 1,
        /// `VIEW_W` = 16 `N`; `SLOT_W` and `ADDRESS_W` are those of the port of the link. What is in front, buffers and `fab_vl_tx`, is that of an
        /// endpoint or of a switch. See the [module](super).
        #[derive(LogicBlock)]
        pub struct $name<
            const LANES: usize,
            const SLOT_W: usize,
            const ADDRESS_W: usize,
            const N: usize,
            const M: usize,
            const VIEW_W: usize,
        > {
            /// Core clock.
            pub clock: Signal<In, Clock>,
            /// Synchronous clear: Down, nothing is held. Registers and counters stay.
            pub clear: Signal<In, Bit>,
            /// Register bus: word of the page (byte offset / 8).
            pub addr: Signal<In, Bits<WORD_ADDRESS_BITS>>,
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

            sorter: VlRx<$flits, $bits, $said, $bytes, N, M>,
            account: CreditRx<$flits, $bits, N, VIEW_W, ACCOUNT_BITS>,
            purse: CreditTx<$flits, $bits, N, VIEW_W>,
            start: FabStart,
            port: $port<LANES, SLOT_W, ADDRESS_W>,
            credit_word: DFF<Bits<CRED_BITS>>,
            overflow: Signal<Local, Bit>,
            of_lane: Signal<Local, Bits<CRED_BITS>>,
            part: Signal<Local, Bits<16>>,
            sideband: Signal<Local, Bit>,
            with_sideband: Constant<Bits<2>>,
            lane_number: Vec<Constant<Bits<4>>>,
        }

        impl<
                const LANES: usize,
                const SLOT_W: usize,
                const ADDRESS_W: usize,
                const N: usize,
                const M: usize,
                const VIEW_W: usize,
            > $name<LANES, SLOT_W, ADDRESS_W, N, M, VIEW_W>
        {
            /// A port that is Down, or the reason why not. The numbers of `config` must be those of the type.
            pub fn new(config: &FabPortConfig) -> Result<Self, ConfigError> {
                config.check()?;
                config.check_lanes(N, M, VIEW_W)?;
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
                    tx: array::from_fn(|_| Default::default()),
                    rx: array::from_fn(|_| Default::default()),
                    sorter: VlRx::new()?,
                    account: CreditRx::new(config.buffer)?,
                    purse: CreditTx::new()?,
                    start: Default::default(),
                    port: $port::new(&config.link)?,
                    credit_word: Default::default(),
                    overflow: Default::default(),
                    of_lane: Default::default(),
                    part: Default::default(),
                    sideband: Default::default(),
                    with_sideband: Constant::new(u64::from(CrcMode::Bits14.code()).into()),
                    lane_number: (0..N).map(|vl| Constant::new((vl as u64).into())).collect(),
                })
            }
        }

        impl<
                const LANES: usize,
                const SLOT_W: usize,
                const ADDRESS_W: usize,
                const N: usize,
                const M: usize,
                const VIEW_W: usize,
            > Logic for $name<LANES, SLOT_W, ADDRESS_W, N, M, VIEW_W>
        {
            #[hdl_gen]
            fn update(&mut self) {
                dff_setup!(self, clock, credit_word);
                clock!(self, clock, sorter, account, purse, start, port);
                self.port.clear.next = self.clear.val();
                self.account.clear.next = self.clear.val();
                self.start.clear.next = self.clear.val();

                // A start of the link.
                self.start.restart.next = self.port.restart.val();
                self.restart.next = self.port.restart.val();
                self.starts.next = self.start.starts.val();
                self.begins.next = self.start.begins.val();
                self.sorter.clear.next = self.clear.val() | self.start.starts.val();
                self.purse.clear.next = self.clear.val() | self.start.starts.val();
                self.account.restart.next = self.start.begins.val();
                self.account.emptied.next = self.emptied.val();

                // Beats in, by lane; what brings credits.
                self.sorter.beats_in.data.next = self.port.flits_out.data.val();
                self.sorter.beats_in.valid.next =
                    self.port.flits_out.valid.val() | self.port.undefined.val().any();
                self.sorter.undefined.next = self.port.undefined.val();
                self.sorter.beats_out.ready.next = true;
                self.beats_out.data.next = self.sorter.beats_out.data.val();
                self.beats_out.valid.next = self.sorter.beats_out.valid.val();
                self.purse.beats_in.data.next = self.port.flits_out.data.val();
                self.purse.beats_in.valid.next = self.port.flits_out.valid.val();
                FlowOut::<Bits<2>>::join(&mut self.port.side_out, &mut self.purse.side_in);
                self.purse.side_place.next = self.port.side_place.val();
                self.purse.sent.next = self.sent.val();
                self.purse.sent_ends.next = self.sent_ends.val();
                self.may_send.next = self.purse.credit.val();
                self.available.next = self.purse.available.val();

                // Credits that go back.
                self.account.arrived.data.next = self.sorter.arrived.data.val();
                self.account.arrived.valid.next = self.sorter.arrived.valid.val();
                self.account.released.next = self.released.val();
                self.overrun.next = self.account.overrun.val();
                self.sideband.next = self.port.tx_mode.val() == self.with_sideband.val();
                self.account.sideband.next = self.sideband.val();
                self.account.ltp_start.next = self.port.ltp_start.val();
                self.account.ltp_place.next = self.port.tx_seq.val().get_bits::<2>(0);
                FlowOut::<Bits<2>>::join(&mut self.account.side_out, &mut self.port.side_in);

                // Beats out, CrdtRet among them. While the link starts nothing goes to it.
                self.account.beats_in.data.next = self.beats_in.data.val();
                self.account.beats_in.valid.next = self.beats_in.valid.val() & !self.start.starts.val();
                self.beats_in.ready.next = self.account.beats_in.ready.val() & !self.start.starts.val();
                self.port.flits_in.data.next = self.account.beats_out.data.val();
                self.port.flits_in.valid.next =
                    self.account.beats_out.valid.val() & !self.start.starts.val();
                self.account.beats_out.ready.next =
                    self.port.flits_in.ready.val() & !self.start.starts.val();

                // Registers.
                self.purse.v_au.next = self.port.credit.val().get_bits::<V_AU_BITS>(0);
                self.purse.units.next = self.port.cu.val();
                self.account.v_au.next = self.port.credit.val().get_bits::<V_AU_BITS>(0);
                self.account.units.next = self.port.cu.val();
                self.account.delay.next = self.port.credit.val().get_bits::<8>(8);
                self.credit_cfg.next = self.port.credit.val();
                self.vl_arb.next = self.port.vl_arb.val();
                self.vl_en.next = self.port.vl_en.val();
                self.overflow.next =
                    self.purse.credit_ovf.val() | self.account.credit_ovf.val() | self.spilled.val();
                self.port.renew.next = self.overflow.val();
                self.port.fabric_events.next = bit_cast::<FABRIC_EVENTS, 1>(self.overflow.val().into())
                    | (bit_cast::<FABRIC_EVENTS, 1>(self.sorter.stack_error.val().into()) << 1)
                    | (bit_cast::<FABRIC_EVENTS, 1>(self.good.val().into()) << 2)
                    | (bit_cast::<FABRIC_EVENTS, 1>(self.bad.val().into()) << 3);
                self.of_lane.next = 0.into();
                self.part.next = 0.into();
                for v in 0..N {
                    if self.port.credit_select.val() == self.lane_number[v].val() {
                        self.part.next = self.purse.available.val().get_bits::<16>(v * 16);
                        self.of_lane.next =
                            self.of_lane.val() | bit_cast::<CRED_BITS, 16>(self.part.val());
                        self.part.next = self.account.occupied.val().get_bits::<16>(v * 16);
                        self.of_lane.next =
                            self.of_lane.val() | (bit_cast::<CRED_BITS, 16>(self.part.val()) << 16);
                        self.part.next = self.account.pending.val().get_bits::<16>(v * 16);
                        self.of_lane.next =
                            self.of_lane.val() | (bit_cast::<CRED_BITS, 16>(self.part.val()) << 32);
                    }
                }
                self.credit_word.d.next = self.of_lane.val();
                self.port.credit_word.next = self.credit_word.q.val();
                self.port.addr.next = self.addr.val();
                self.port.wdata.next = self.wdata.val();
                self.port.we.next = self.we.val();
                self.port.re.next = self.re.val();
                self.rdata.next = self.port.rdata.val();
                self.ack.next = self.port.ack.val();
                self.interrupt.next = self.port.interrupt.val();

                // What only the link looks at.
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
            }

            fn timing(&self) -> Vec<TimingInfo> {
                let slots = (1usize << SLOT_W).to_string();
                let parameters = [
                    ("f", $flits.to_string()),
                    ("lanes", LANES.to_string()),
                    ("r", slots),
                    ("vls", N.to_string()),
                ];
                block_label("fab_link", &parameters)
            }
        }

        drive_ports!(impl[const LANES: usize, const SLOT_W: usize, const ADDRESS_W: usize, const N: usize, const M: usize, const VIEW_W: usize] $name<LANES, SLOT_W, ADDRESS_W, N, M, VIEW_W> {
            clock, clear, addr, wdata, we, re, rdata, ack, interrupt, beats_in, sent, sent_ends, may_send, available, beats_out, overrun, spilled, released, emptied, good, bad, starts, begins, credit_cfg, vl_arb, vl_en, time_in, time_mode, tx_open, spc_out, beat_late, beat_index, beat_state, restart, state, tx_lanes, rx_lanes, bist_start, bist_end, test_rows_in, test_rows_out, test_row_error, damage, signal_ok, lane_lock, invert, slip, elastic_error, elastic_fill, tx, rx,
        });
    };
}

fab_link!(FabLink1, LinkPort1, 1, 65, 74, 4);
fab_link!(FabLink2, LinkPort2, 2, 130, 139, 5);
fab_link!(FabLink4, LinkPort4, 4, 260, 269, 6);

const _: () = assert!(cred::tx::LOW == 0 && cred::occupied::LOW == 16 && cred::pending::LOW == 32);
const _: () = assert!(cred::tx::WIDTH == 16 && CRED_BITS == 48);
const _: () = assert!(credit::v_au::LOW == 0 && credit::delay::LOW == 8 && CREDIT_WORD_BITS == 16);
