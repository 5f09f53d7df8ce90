//! The end that gives credits back.

use super::account::{CreditAccount, DELAY_BITS};
use super::config::CreditConfig;
use super::gain::{CODE_BITS, UNITS_BITS};
use super::inserter::CreditInserter;
use super::progress::CreditProgress;
use super::returns::CreditReturns;
use super::transmit::{CODES_BITS, V_AU_BITS};
use crate::config::{check_derived, ConfigError};
use crate::fabric::vl::LANE_FLITS_BITS;
use crate::prim::stream::{FlowIn, FlowOut, StreamIn, StreamOut};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::flit::{credit_code_low, CREDIT_DUE_SHARE};
use flitforge_protocol::link::sideband_message;

/// Bits of a sideband message, and of its lane.
const MESSAGE_BITS: usize = sideband_message::WIDTH;
const MESSAGE_VL_BITS: usize = sideband_message::vl::WIDTH;

/// `fab_credit_rx`: the buffers of this end; see the [module](super). `N` lanes, `FLITS_W` = 65 `F`, `VIEW_W` = 16 `N`, counters of `W` bits.
#[derive(LogicBlock)]
pub struct CreditRx<const F: usize, const FLITS_W: usize, const N: usize, const VIEW_W: usize, const W: usize>
{
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// All buffers are free and not given back.
    pub clear: Signal<In, Bit>,
    /// A start of the link: what is occupied stays so, all else is free and not given back.
    pub restart: Signal<In, Bit>,
    /// With `restart`: lanes whose buffer is emptied.
    pub emptied: Signal<In, Bits<N>>,
    /// vAU (register CREDIT); changes in Down only.
    pub v_au: Signal<In, Bits<V_AU_BITS>>,
    /// The credit table (register CU); changes in Down only.
    pub units: Signal<In, Bits<64>>,
    /// CRDT_DELAY (register CREDIT).
    pub delay: Signal<In, Bits<DELAY_BITS>>,
    /// The link is in mode 1.
    pub sideband: Signal<In, Bit>,
    /// Packet flits as they came, from `fab_vl_rx`.
    pub arrived: FlowIn<Bits<LANE_FLITS_BITS>>,
    /// Lanes whose reader has emptied an AU.
    pub released: Signal<In, Bits<N>>,
    /// Beats to send.
    pub beats_in: StreamIn<Bits<FLITS_W>>,
    /// The same, and CrdtRet.
    pub beats_out: StreamOut<Bits<FLITS_W>>,
    /// An original LTP begins.
    pub ltp_start: Signal<In, Bit>,
    /// Its sequence number mod 4.
    pub ltp_place: Signal<In, Bits<2>>,
    /// Its sideband.
    pub side_out: FlowOut<Bits<2>>,
    /// AU that hold flits, lane v in bits 16v+15..16v (registers CRED, occupied).
    pub occupied: Signal<Out, Bits<VIEW_W>>,
    /// AU that are free and not given back (registers CRED, pending).
    pub pending: Signal<Out, Bits<VIEW_W>>,
    /// Event: more came than there is room for, or more was released than there is (CREDIT_OVF).
    pub credit_ovf: Signal<Out, Bit>,
    /// Event: lanes for which more came than there is room for.
    pub overrun: Signal<Out, Bits<N>>,

    progress: CreditProgress<N>,
    account: [CreditAccount<W>; N],
    returns: CreditReturns<N>,
    inserter: CreditInserter<F, FLITS_W>,
    codes_there: DFF<Bit>,
    codes: DFF<Bits<CODES_BITS>>,
    message_there: DFF<Bit>,
    message: DFF<Bits<MESSAGE_BITS>>,
    sending: DFF<Bits<MESSAGE_BITS>>,
    look_code: DFF<Bits<CODE_BITS>>,
    look_units: DFF<Bits<UNITS_BITS>>,
    event_found: DFF<Bit>,
    event: DFF<Bit>,

    starts: Signal<Local, Bit>,
    too_many: Signal<Local, Bits<N>>,
    size: Signal<Local, Bits<W>>,
    share: Signal<Local, Bits<W>>,
    entry_units: Signal<Local, Bits<UNITS_BITS>>,
    due: Signal<Local, Bits<N>>,
    lane_code: Signal<Local, Bits<CODE_BITS>>,
    lane_units: Signal<Local, Bits<W>>,
    found: Signal<Local, Bits<CODES_BITS>>,
    message_vl: Signal<Local, Bits<MESSAGE_VL_BITS>>,
    message_code: Signal<Local, Bits<CODE_BITS>>,
    side: Signal<Local, Bits<2>>,
    filled_view: Signal<Local, Bits<VIEW_W>>,
    pending_view: Signal<Local, Bits<VIEW_W>>,
    wrong: Signal<Local, Bit>,
    sizes: Vec<Constant<Bits<W>>>,
    shares: Vec<Constant<Bits<W>>>,
    number: Vec<Constant<Bits<CODE_BITS>>>,
    lane_number: Vec<Constant<Bits<MESSAGE_VL_BITS>>>,
    code_shift: Vec<Constant<Bits<6>>>,
    view_shift: Vec<Constant<Bits<9>>>,
}

impl<const F: usize, const FLITS_W: usize, const N: usize, const VIEW_W: usize, const W: usize>
    CreditRx<F, FLITS_W, N, VIEW_W, W>
{
    /// A receiver's credits for buffers of `buffer` bytes per lane, or the reason why not.
    pub fn new(buffer: usize) -> Result<Self, ConfigError> {
        let name = "fab_credit_rx";
        let config = CreditConfig { lanes: N, buffer, bits: W };
        config.check(name, F, FLITS_W)?;
        check_derived(name, "VIEW_W", VIEW_W as u64, "16 lanes", 16 * N as u64)?;
        let constants =
            |values: Vec<u64>| values.into_iter().map(|value| Constant::new(value.into())).collect();
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            restart: Default::default(),
            emptied: Default::default(),
            v_au: Default::default(),
            units: Default::default(),
            delay: Default::default(),
            sideband: Default::default(),
            arrived: Default::default(),
            released: Default::default(),
            beats_in: Default::default(),
            beats_out: Default::default(),
            ltp_start: Default::default(),
            ltp_place: Default::default(),
            side_out: Default::default(),
            occupied: Default::default(),
            pending: Default::default(),
            credit_ovf: Default::default(),
            overrun: Default::default(),
            progress: Default::default(),
            account: defaults(),
            returns: Default::default(),
            inserter: Default::default(),
            codes_there: Default::default(),
            codes: Default::default(),
            message_there: Default::default(),
            message: Default::default(),
            sending: Default::default(),
            look_code: Default::default(),
            look_units: Default::default(),
            event_found: Default::default(),
            event: Default::default(),
            starts: Default::default(),
            too_many: Default::default(),
            size: Default::default(),
            share: Default::default(),
            entry_units: Default::default(),
            due: Default::default(),
            lane_code: Default::default(),
            lane_units: Default::default(),
            found: Default::default(),
            message_vl: Default::default(),
            message_code: Default::default(),
            side: Default::default(),
            filled_view: Default::default(),
            pending_view: Default::default(),
            wrong: Default::default(),
            sizes: constants(config.sizes()),
            shares: constants(
                config.sizes().iter().map(|size| size.div_ceil(CREDIT_DUE_SHARE.into())).collect(),
            ),
            number: (0..8_u64).map(|number| Constant::new(number.into())).collect(),
            lane_number: (0..N).map(|lane| Constant::new((lane as u64).into())).collect(),
            code_shift: (0..N).map(|lane| Constant::new((credit_code_low(lane) as u64).into())).collect(),
            view_shift: (0..N).map(|lane| Constant::new((16 * lane as u64).into())).collect(),
        })
    }
}

impl<const F: usize, const FLITS_W: usize, const N: usize, const VIEW_W: usize, const W: usize> Logic
    for CreditRx<F, FLITS_W, N, VIEW_W, W>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, codes_there, codes, message_there, message, sending, event_found, event);
        dff_setup!(self, clock, look_code, look_units);
        clock!(self, clock, progress, returns, inserter);
        self.starts.next = self.clear.val() | self.restart.val();
        self.progress.clear.next = self.starts.val();
        self.progress.v_au.next = self.v_au.val();
        self.progress.arrived.data.next = self.arrived.data.val();
        self.progress.arrived.valid.next = self.arrived.valid.val();
        self.size.next = 0.into();
        self.share.next = 0.into();
        self.entry_units.next = 0.into();
        for c in 0..8 {
            if self.v_au.val() == self.number[c].val() {
                self.size.next = self.sizes[c].val();
                self.share.next = self.shares[c].val();
            }
            if self.returns.code.val() == self.number[c].val() {
                self.entry_units.next = self.units.val().get_bits::<UNITS_BITS>(c * 8);
            }
        }

        self.look_code.d.next = self.returns.code.val();
        self.look_units.d.next = self.entry_units.val();

        // The lanes.
        self.due.next = 0.into();
        self.found.next = 0.into();
        self.message_vl.next = 0.into();
        self.message_code.next = 0.into();
        self.filled_view.next = 0.into();
        self.pending_view.next = 0.into();
        self.wrong.next = false;
        self.too_many.next = 0.into();
        for v in 0..N {
            self.account[v].clock.next = self.clock.val();
            self.account[v].clear.next =
                self.clear.val() | (self.restart.val() & self.emptied.val().get_bit(v));
            self.account[v].restart.next = self.restart.val();
            self.account[v].size.next = self.size.val();
            self.account[v].share.next = self.share.val();
            self.account[v].delay.next = self.delay.val();
            self.account[v].filled.next = self.progress.filled.val().get_bit(v);
            self.account[v].tossed.next = self.progress.tossed.val().get_bit(v);
            self.account[v].released.next = self.released.val().get_bit(v);
            self.account[v].begins.next = self.returns.begins.val();
            self.account[v].chosen.next = self.returns.chosen.val().get_bit(v);
            self.account[v].code.next = self.look_code.q.val();
            self.account[v].units.next = self.look_units.q.val();
            self.account[v].ends.next = self.returns.ends.val();
            self.account[v].settles.next = self.returns.settles.val();
            self.due.next = self.due.val().replace_bit(v, self.account[v].due.val());
            self.lane_code.next = self.account[v].found.val();
            self.found.next = self.found.val()
                | (bit_cast::<CODES_BITS, CODE_BITS>(self.lane_code.val()) << self.code_shift[v].val());
            if self.returns.lane.val().get_bit(v) {
                self.message_vl.next = self.message_vl.val() | self.lane_number[v].val();
                self.message_code.next = self.message_code.val() | self.lane_code.val();
            }
            self.lane_units.next = self.account[v].occupied.val();
            self.filled_view.next = self.filled_view.val()
                | (bit_cast::<VIEW_W, W>(self.lane_units.val()) << self.view_shift[v].val());
            self.lane_units.next = self.account[v].pending.val();
            self.pending_view.next = self.pending_view.val()
                | (bit_cast::<VIEW_W, W>(self.lane_units.val()) << self.view_shift[v].val());
            self.wrong.next = self.wrong.val() | self.account[v].wrong.val();
            self.too_many.next = self.too_many.val().replace_bit(v, self.account[v].overrun.val());
        }
        self.occupied.next = self.filled_view.val();
        self.pending.next = self.pending_view.val();
        self.event_found.d.next = self.wrong.val() & !self.clear.val();
        self.event.d.next = self.event_found.q.val() & !self.clear.val();
        self.credit_ovf.next = self.event.q.val();
        self.overrun.next = self.too_many.val();

        // What was found waits for a beat, or for the first of four LTPs.
        self.returns.clear.next = self.starts.val();
        self.returns.sideband.next = self.sideband.val();
        self.returns.due.next = self.due.val();
        self.returns.flit_free.next = !self.codes_there.q.val();
        self.returns.message_free.next = !self.message_there.q.val();
        if self.inserter.codes_in.ready.val() {
            self.codes_there.d.next = false;
        }
        self.side.next = self.sending.q.val().get_bits::<2>(0);
        if self.ltp_place.val() == 0 {
            self.side.next = 0.into();
            if self.message_there.q.val() {
                self.side.next = self.message.q.val().get_bits::<2>(0);
            }
        }
        if self.ltp_start.val() {
            self.sending.d.next = self.sending.q.val() >> 2;
            if self.ltp_place.val() == 0 {
                self.sending.d.next = 0.into();
                if self.message_there.q.val() {
                    self.sending.d.next = self.message.q.val() >> 2;
                }
                self.message_there.d.next = false;
            }
        }
        if self.returns.ends.val() {
            if self.returns.by_message.val() {
                self.message_there.d.next = self.message_code.val().any();
                self.message.d.next = bit_cast::<MESSAGE_BITS, CODE_BITS>(self.message_code.val())
                    | (bit_cast::<MESSAGE_BITS, MESSAGE_VL_BITS>(self.message_vl.val()) << 3);
            } else {
                self.codes_there.d.next = self.found.val().any();
                self.codes.d.next = self.found.val();
            }
        }
        if self.starts.val() {
            self.codes_there.d.next = false;
            self.message_there.d.next = false;
            self.sending.d.next = 0.into();
        }
        self.side_out.data.next = self.side.val();
        self.side_out.valid.next = self.sideband.val();
        self.inserter.clear.next = self.starts.val();
        self.inserter.beats_in.data.next = self.beats_in.data.val();
        self.inserter.beats_in.valid.next = self.beats_in.valid.val();
        self.beats_in.ready.next = self.inserter.beats_in.ready.val();
        self.inserter.codes_in.data.next = self.codes.q.val();
        self.inserter.codes_in.valid.next = self.codes_there.q.val();
        self.beats_out.data.next = self.inserter.beats_out.data.val();
        self.beats_out.valid.next = self.inserter.beats_out.valid.val();
        self.inserter.beats_out.ready.next = self.beats_out.ready.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("fab_credit_rx", &[("f", F.to_string()), ("lanes", N.to_string()), ("w", W.to_string())])
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize, const N: usize, const VIEW_W: usize, const W: usize] CreditRx<F, FLITS_W, N, VIEW_W, W> {
    clock, clear, restart, emptied, v_au, units, delay, sideband, arrived, released, beats_in, beats_out, ltp_start, ltp_place,
    side_out, occupied, pending, credit_ovf, overrun,
});

const _: () = assert!(sideband_message::code::LOW == 0 && sideband_message::vl::LOW == 3);
