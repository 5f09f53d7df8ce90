//! The end that spends.

use super::config::CreditConfig;
use super::gain::{CreditGain, CODE_BITS, SLOT_CODES_BITS, UNITS_BITS};
use super::purse::{CreditPurse, PLACE_BITS};
use crate::config::{check_derived, ConfigError};
use crate::prim::ram::LutRam;
use crate::prim::stream::FlowIn;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::flit::{control, crdt_ret, Opcode, FLIT_BITS};
use flitforge_protocol::link::sideband_message;
use flitforge_protocol::link_registers::credit;

/// Bits of vAU.
pub const V_AU_BITS: usize = credit::v_au::WIDTH;
/// Bits of the codes of a CrdtRet.
pub const CODES_BITS: usize = crdt_ret::codes::WIDTH;
/// Bits of a sideband message, and of its lane.
const MESSAGE_BITS: usize = sideband_message::WIDTH;
const MESSAGE_VL_BITS: usize = sideband_message::vl::WIDTH;

/// `fab_credit_tx`: what the other end has room for; see the [module](super). `N` lanes, `FLITS_W` = 65 `F`, `VIEW_W` = 16 `N`.
#[derive(LogicBlock)]
pub struct CreditTx<const F: usize, const FLITS_W: usize, const N: usize, const VIEW_W: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// A start of the link: no credits.
    pub clear: Signal<In, Bit>,
    /// vAU (register CREDIT); changes in Down only.
    pub v_au: Signal<In, Bits<V_AU_BITS>>,
    /// The credit table (register CU); changes in Down only.
    pub units: Signal<In, Bits<64>>,
    /// Beats that are received.
    pub beats_in: FlowIn<Bits<FLITS_W>>,
    /// Sideband of an accepted LTP in mode 1.
    pub side_in: FlowIn<Bits<2>>,
    /// With `side_in`: the LTP's sequence number mod 4.
    pub side_place: Signal<In, Bits<2>>,
    /// The lane whose beat goes on this edge, or none.
    pub sent: Signal<In, Bits<N>>,
    /// It ends a packet.
    pub sent_ends: Signal<In, Bits<N>>,
    /// Lanes with credit for their next beat.
    pub credit: Signal<Out, Bits<N>>,
    /// AU that may be filled, lane v in bits 16v+15..16v (registers CRED, tx).
    pub available: Signal<Out, Bits<VIEW_W>>,
    /// Event: more credits than there can be (CREDIT_OVF).
    pub credit_ovf: Signal<Out, Bit>,

    gain: [CreditGain<F>; N],
    purse: [CreditPurse; N],
    message_table: LutRam<Bits<UNITS_BITS>, CODE_BITS>,
    entry: DFF<Bits<CODE_BITS>>,
    last_place: DFF<Bits<PLACE_BITS>>,
    slot_codes: [DFF<Bits<CODES_BITS>>; F],
    parts: DFF<Bits<6>>,
    message_there: DFF<Bit>,
    message: DFF<Bits<MESSAGE_BITS>>,
    message_lane: DFF<Bits<N>>,
    message_worth: DFF<Bits<UNITS_BITS>>,
    event: DFF<Bit>,

    entry_units: Signal<Local, Bits<UNITS_BITS>>,
    flit: Signal<Local, Bits<FLIT_BITS>>,
    found: Signal<Local, Bits<CODES_BITS>>,
    lane_codes: Signal<Local, Bits<SLOT_CODES_BITS>>,
    addressed: Signal<Local, Bits<N>>,
    message_vl: Signal<Local, Bits<MESSAGE_VL_BITS>>,
    places: Signal<Local, Bits<PLACE_BITS>>,
    ready: Signal<Local, Bits<N>>,
    view: Signal<Local, Bits<VIEW_W>>,
    lane_code: Signal<Local, Bits<CODE_BITS>>,
    lane_units: Signal<Local, Bits<16>>,
    too_many: Signal<Local, Bit>,
    return_code: Constant<Bits<6>>,
    one: Constant<Bits<CODE_BITS>>,
    entry_number: Vec<Constant<Bits<CODE_BITS>>>,
    slot_shift: Vec<Constant<Bits<4>>>,
    lane_number: Vec<Constant<Bits<MESSAGE_VL_BITS>>>,
    view_shift: Vec<Constant<Bits<9>>>,
    /// vAU at which the beats of an AU need one more bit to be counted.
    place_from: Vec<Constant<Bits<V_AU_BITS>>>,
}

impl<const F: usize, const FLITS_W: usize, const N: usize, const VIEW_W: usize>
    CreditTx<F, FLITS_W, N, VIEW_W>
{
    /// A sender's credits, or the reason why not.
    pub fn new() -> Result<Self, ConfigError> {
        let name = "fab_credit_tx";
        CreditConfig { lanes: N, ..CreditConfig::default() }.check(name, F, FLITS_W)?;
        check_derived(name, "VIEW_W", VIEW_W as u64, "16 lanes", 16 * N as u64)?;
        // AU of 2^vAU flits, of F in a beat.
        let from = |bit: usize| bit as u64 + u64::from(F.ilog2());
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            v_au: Default::default(),
            units: Default::default(),
            beats_in: Default::default(),
            side_in: Default::default(),
            side_place: Default::default(),
            sent: Default::default(),
            sent_ends: Default::default(),
            credit: Default::default(),
            available: Default::default(),
            credit_ovf: Default::default(),
            gain: defaults(),
            purse: defaults(),
            message_table: Default::default(),
            entry: Default::default(),
            last_place: Default::default(),
            slot_codes: defaults(),
            parts: Default::default(),
            message_there: Default::default(),
            message: Default::default(),
            message_lane: Default::default(),
            message_worth: Default::default(),
            addressed: Default::default(),
            event: Default::default(),
            entry_units: Default::default(),
            flit: Default::default(),
            found: Default::default(),
            lane_codes: Default::default(),
            message_vl: Default::default(),
            places: Default::default(),
            ready: Default::default(),
            view: Default::default(),
            lane_code: Default::default(),
            lane_units: Default::default(),
            too_many: Default::default(),
            return_code: Constant::new(u64::from(Opcode::CrdtRet.code()).into()),
            one: Constant::new(1.into()),
            entry_number: (0..8_u64).map(|entry| Constant::new(entry.into())).collect(),
            slot_shift: (0..F).map(|slot| Constant::new(((CODE_BITS * slot) as u64).into())).collect(),
            lane_number: (0..N).map(|lane| Constant::new((lane as u64).into())).collect(),
            view_shift: (0..N).map(|lane| Constant::new((16 * lane as u64).into())).collect(),
            place_from: (0..PLACE_BITS).map(|bit| Constant::new(from(bit).min(7).into())).collect(),
        })
    }
}

impl<const F: usize, const FLITS_W: usize, const N: usize, const VIEW_W: usize> Logic
    for CreditTx<F, FLITS_W, N, VIEW_W>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, entry, last_place, parts, message_there, message, event);
        dff_setup!(self, clock, message_lane, message_worth);
        clock!(self, clock, message_table);

        // The table is written over and over, an entry per clock; code 0 is nothing.
        self.entry.d.next = self.entry.q.val() + self.one.val();
        self.entry_units.next = 0.into();
        for c in 1..8 {
            if self.entry.q.val() == self.entry_number[c].val() {
                self.entry_units.next = self.units.val().get_bits::<UNITS_BITS>(c * 8);
            }
        }
        self.message_table.write_enable.next = true;
        self.message_table.write_address.next = self.entry.q.val();
        self.message_table.write_data.next = self.entry_units.val();
        self.places.next = 0.into();
        for i in 0..PLACE_BITS {
            self.places.next = self.places.val().replace_bit(i, self.v_au.val() > self.place_from[i].val());
        }
        self.last_place.d.next = self.places.val();

        // CrdtRet of every slot.
        for i in 0..F {
            self.slot_codes[i].clock.next = self.clock.val();
            self.flit.next = self.beats_in.data.val().get_bits::<FLIT_BITS>(i * 65);
            self.found.next = 0.into();
            if self.beats_in.valid.val()
                & !self.clear.val()
                & !self.flit.val().get_bits::<3>(62).any()
                & (self.flit.val().get_bits::<6>(56) == self.return_code.val())
            {
                self.found.next = self.flit.val().get_bits::<CODES_BITS>(0);
            }
            self.slot_codes[i].d.next = self.found.val();
        }

        // A message is complete with the fourth LTP.
        self.message_there.d.next = false;
        if self.side_in.valid.val() {
            if self.side_place.val() == 0 {
                self.parts.d.next = bit_cast::<6, 2>(self.side_in.data.val());
            }
            if self.side_place.val() == 1 {
                self.parts.d.next = bit_cast::<6, 2>(self.parts.q.val().get_bits::<2>(0))
                    | (bit_cast::<6, 2>(self.side_in.data.val()) << 2);
            }
            if self.side_place.val() == 2 {
                self.parts.d.next = bit_cast::<6, 4>(self.parts.q.val().get_bits::<4>(0))
                    | (bit_cast::<6, 2>(self.side_in.data.val()) << 4);
            }
            self.message_there.d.next = self.side_place.val().all();
        }
        self.message.d.next = bit_cast::<MESSAGE_BITS, 6>(self.parts.q.val())
            | (bit_cast::<MESSAGE_BITS, 2>(self.side_in.data.val()) << 6);
        if self.clear.val() {
            self.parts.d.next = 0.into();
            self.message_there.d.next = false;
        }
        self.message_table.read_address.next = self.message.q.val().get_bits::<CODE_BITS>(0);
        self.message_worth.d.next = self.message_table.read_data.val();
        self.message_vl.next = self.message.q.val().get_bits::<MESSAGE_VL_BITS>(3);
        self.addressed.next = 0.into();
        for v in 0..N {
            self.addressed.next = self.addressed.val().replace_bit(
                v,
                self.message_there.q.val()
                    & !self.clear.val()
                    & (self.message_vl.val() == self.lane_number[v].val()),
            );
        }
        self.message_lane.d.next = self.addressed.val();

        // The lanes.
        self.ready.next = 0.into();
        self.view.next = 0.into();
        self.too_many.next = false;
        for v in 0..N {
            self.lane_codes.next = 0.into();
            for i in 0..F {
                self.lane_code.next = self.slot_codes[i].q.val().get_bits::<CODE_BITS>(v * 3);
                self.lane_codes.next = self.lane_codes.val()
                    | (bit_cast::<SLOT_CODES_BITS, CODE_BITS>(self.lane_code.val())
                        << self.slot_shift[i].val());
            }
            self.gain[v].clock.next = self.clock.val();
            self.gain[v].clear.next = self.clear.val();
            self.gain[v].entry.next = self.entry.q.val();
            self.gain[v].entry_units.next = self.entry_units.val();
            self.gain[v].codes.next = self.lane_codes.val();
            self.gain[v].mine.next = self.message_lane.q.val().get_bit(v);
            self.gain[v].message_units.next = self.message_worth.q.val();
            self.purse[v].clock.next = self.clock.val();
            self.purse[v].clear.next = self.clear.val();
            self.purse[v].gain.next = self.gain[v].gain.val();
            self.purse[v].last_place.next = self.last_place.q.val();
            self.purse[v].sent.next = self.sent.val().get_bit(v);
            self.purse[v].ends.next = self.sent_ends.val().get_bit(v);
            self.ready.next = self.ready.val().replace_bit(v, self.purse[v].credit.val());
            self.lane_units.next = self.purse[v].available.val();
            self.view.next =
                self.view.val() | (bit_cast::<VIEW_W, 16>(self.lane_units.val()) << self.view_shift[v].val());
            self.too_many.next = self.too_many.val() | self.purse[v].overflow.val();
        }
        self.credit.next = self.ready.val();
        self.available.next = self.view.val();
        self.event.d.next = self.too_many.val() & !self.clear.val();
        self.credit_ovf.next = self.event.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("fab_credit_tx", &[("f", F.to_string()), ("lanes", N.to_string())])
    }
}

drive_ports!(impl[const F: usize, const FLITS_W: usize, const N: usize, const VIEW_W: usize] CreditTx<F, FLITS_W, N, VIEW_W> {
    clock, clear, v_au, units, beats_in, side_in, side_place, sent, sent_ends, credit, available, credit_ovf,
});

const _: () = assert!(control::payload::LOW == 0 && crdt_ret::codes::LOW == 0);
const _: () = assert!(sideband_message::code::LOW == 0 && sideband_message::vl::LOW == 3);
