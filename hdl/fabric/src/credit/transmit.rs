//! The end that spends.

use super::config::CreditConfig;
use super::counter::{CreditCounter, PLACE_BITS};
use super::gain::{CreditGain, CODE_BITS, SLOT_CODES_BITS, UNITS_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::LutRam;
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
#[block("fab_credit_tx", new, f = F, lanes = N)]
pub struct CreditTx<const F: usize, const FLITS_W: usize, const N: usize, const VIEW_W: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// A start of the link: no credits.
    clear: In<Bit>,
    /// vAU (register CREDIT); changes in Down only.
    v_au: In<Bits<V_AU_BITS>>,
    /// The credit table (register CU); changes in Down only.
    units: In<Bits<64>>,
    /// Beats that are received.
    pub beats_in: FlowIn<Bits<FLITS_W>>,
    /// Sideband of an accepted LTP in mode 1.
    pub side_in: FlowIn<Bits<2>>,
    /// With `side_in`: the LTP's sequence number mod 4.
    side_place: In<Bits<2>>,
    /// The lane whose beat goes on this edge, or none.
    sent: In<Bits<N>>,
    /// It ends a packet.
    sent_ends: In<Bits<N>>,
    /// Lanes with credit for their next beat.
    credit: Out<Bits<N>>,
    /// AU that may be filled, lane v in bits 16v+15..16v (registers CRED, tx).
    available: Out<Bits<VIEW_W>>,
    /// Event: more credits than there can be (CREDIT_OVF).
    credit_ovf: Out<Bit>,

    #[wire(clock, clear)]
    gain: [CreditGain<F>; N],
    #[wire(clock, clear)]
    counter: [CreditCounter; N],
    #[wire(clock, write_enable = true)]
    message_table: LutRam<Bits<UNITS_BITS>, CODE_BITS>,
    entry: Reg<Bits<CODE_BITS>>,
    last_place: Reg<Bits<PLACE_BITS>>,
    slot_codes: [Reg<Bits<CODES_BITS>>; F],
    parts: Reg<Bits<6>>,
    message_there: Reg<Bit>,
    message: Reg<Bits<MESSAGE_BITS>>,
    message_lane: Reg<Bits<N>>,
    message_worth: Reg<Bits<UNITS_BITS>>,
    event: Reg<Bit>,

    entry_units: Local<Bits<UNITS_BITS>>,
    flit: Local<Bits<FLIT_BITS>>,
    found: Local<Bits<CODES_BITS>>,
    lane_codes: Local<Bits<SLOT_CODES_BITS>>,
    addressed: Local<Bits<N>>,
    message_vl: Local<Bits<MESSAGE_VL_BITS>>,
    places: Local<Bits<PLACE_BITS>>,
    ready: Local<Bits<N>>,
    view: Local<Bits<VIEW_W>>,
    lane_code: Local<Bits<CODE_BITS>>,
    lane_units: Local<Bits<16>>,
    #[init(Opcode::CrdtRet)]
    return_code: Constant<Bits<6>>,
    #[init(1)]
    one: Constant<Bits<CODE_BITS>>,
    entry_number: Vec<Constant<Bits<CODE_BITS>>>,
    slot_shift: Vec<Constant<Bits<4>>>,
    lane_number: Vec<Constant<Bits<MESSAGE_VL_BITS>>>,
    view_shift: Vec<Constant<Bits<9>>>,
    /// vAU at which the beats of an AU need one more bit to be counted.
    place_from: Vec<Constant<Bits<V_AU_BITS>>>,
}

#[logic]
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
            entry_number: (0..8_u64).map(|entry| Constant::new(entry.into())).collect(),
            slot_shift: (0..F).map(|slot| Constant::new(((CODE_BITS * slot) as u64).into())).collect(),
            lane_number: (0..N).map(|lane| Constant::new((lane as u64).into())).collect(),
            view_shift: (0..N).map(|lane| Constant::new((16 * lane as u64).into())).collect(),
            place_from: (0..PLACE_BITS).map(|bit| Constant::new(from(bit).min(7).into())).collect(),
            ..
        })
    }

    fn update(&mut self) {
        // The table is written over and over, an entry per clock; code 0 is nothing.
        entry = entry + one;
        entry_units = 0;
        for c in 1..8 {
            if entry == entry_number[c] {
                entry_units = units.bits::<UNITS_BITS>(c * 8);
            }
        }
        message_table = In { write_address: entry, write_data: entry_units };
        places = 0;
        for i in 0..PLACE_BITS {
            places = places.with(i, v_au > place_from[i]);
        }
        last_place = places;

        // CrdtRet of every slot.
        for i in 0..F {
            flit = beats_in.data.bits::<FLIT_BITS>(i * 65);
            found = 0;
            if beats_in.valid & !clear & !flit.bits::<3>(62).any() & (flit.bits::<6>(56) == return_code) {
                found = flit.bits::<CODES_BITS>(0);
            }
            slot_codes[i] = found;
        }

        // A message is complete with the fourth LTP.
        message_there = false;
        if side_in.valid {
            if side_place == 0 {
                parts = bit_cast::<6, 2>(side_in.data);
            }
            if side_place == 1 {
                parts = bit_cast::<6, 2>(parts.bits::<2>(0)) | (bit_cast::<6, 2>(side_in.data) << 2);
            }
            if side_place == 2 {
                parts = bit_cast::<6, 4>(parts.bits::<4>(0)) | (bit_cast::<6, 2>(side_in.data) << 4);
            }
            message_there = side_place.all();
        }
        message = bit_cast::<MESSAGE_BITS, 6>(parts) | (bit_cast::<MESSAGE_BITS, 2>(side_in.data) << 6);
        if clear {
            parts = 0;
            message_there = false;
        }
        message_table.read_address = message.bits::<CODE_BITS>(0);
        message_worth = message_table.read_data;
        message_vl = message.bits::<MESSAGE_VL_BITS>(3);
        addressed = 0;
        for v in 0..N {
            addressed = addressed.with(v, message_there & !clear & (message_vl == lane_number[v]));
        }
        message_lane = addressed;

        // The lanes.
        ready = 0;
        view = 0;
        let mut too_many = false;
        for v in 0..N {
            lane_codes = 0;
            for i in 0..F {
                lane_code = slot_codes[i].bits::<CODE_BITS>(v * 3);
                lane_codes =
                    lane_codes | (bit_cast::<SLOT_CODES_BITS, CODE_BITS>(lane_code) << slot_shift[i]);
            }
            gain[v] = In { entry, entry_units, codes: lane_codes, mine: message_lane[v] };
            gain[v].message_units = message_worth;
            counter[v] = In { gain: gain[v].gain, last_place, sent: sent[v], ends: sent_ends[v] };
            ready = ready.with(v, counter[v].credit);
            lane_units = counter[v].available;
            view = view | (bit_cast::<VIEW_W, 16>(lane_units) << view_shift[v]);
            too_many = too_many | counter[v].overflow;
        }
        credit = ready;
        available = view;
        event = too_many & !clear;
        credit_ovf = event;
    }
}

const _: () = assert!(control::payload::LOW == 0 && crdt_ret::codes::LOW == 0);
const _: () = assert!(sideband_message::code::LOW == 0 && sideband_message::vl::LOW == 3);
