//! The end that gives credits back.

use super::config::CreditConfig;
use super::gain::{CODE_BITS, UNITS_BITS};
use super::inserter::CreditInserter;
use super::occupancy::{CreditOccupancy, DELAY_BITS};
use super::progress::CreditProgress;
use super::returns::CreditReturns;
use super::transmit::{CODES_BITS, V_AU_BITS};
use crate::vl::LANE_FLITS_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::flit::{credit_code_low, CREDIT_DUE_SHARE};
use flitforge_protocol::link::sideband_message;

/// Bits of a sideband message, and of its lane.
const MESSAGE_BITS: usize = sideband_message::WIDTH;
const MESSAGE_VL_BITS: usize = sideband_message::vl::WIDTH;

/// `fab_credit_rx`: the buffers of this end; see the [module](super). `N` lanes, `FLITS_W` = 65 `F`, `VIEW_W` = 16 `N`, counters of `W` bits.
#[block("fab_credit_rx", new, f = F, lanes = N, w = W)]
pub struct CreditRx<const F: usize, const FLITS_W: usize, const N: usize, const VIEW_W: usize, const W: usize>
{
    /// Rising edge counts.
    clock: In<Clock>,
    /// All buffers are free and not given back.
    clear: In<Bit>,
    /// A start of the link: what is occupied stays so, all else is free and not given back.
    restart: In<Bit>,
    /// With `restart`: lanes whose buffer is emptied.
    emptied: In<Bits<N>>,
    /// vAU (register CREDIT); changes in Down only.
    v_au: In<Bits<V_AU_BITS>>,
    /// The credit table (register CU); changes in Down only.
    units: In<Bits<64>>,
    /// CRDT_DELAY (register CREDIT).
    delay: In<Bits<DELAY_BITS>>,
    /// The link is in mode 1.
    sideband: In<Bit>,
    /// Packet flits as they came, from `fab_vl_rx`.
    pub arrived: FlowIn<Bits<LANE_FLITS_BITS>>,
    /// Lanes whose reader has emptied an AU.
    released: In<Bits<N>>,
    /// Beats to send.
    pub beats_in: StreamIn<Bits<FLITS_W>>,
    /// The same, and CrdtRet.
    pub beats_out: StreamOut<Bits<FLITS_W>>,
    /// An original LTP begins.
    ltp_start: In<Bit>,
    /// Its sequence number mod 4.
    ltp_place: In<Bits<2>>,
    /// Its sideband.
    pub side_out: FlowOut<Bits<2>>,
    /// AU that hold flits, lane v in bits 16v+15..16v (registers CRED, occupied).
    occupied: Out<Bits<VIEW_W>>,
    /// AU that are free and not given back (registers CRED, pending).
    pending: Out<Bits<VIEW_W>>,
    /// Event: more came than there is room for, or more was released than there is (CREDIT_OVF).
    credit_ovf: Out<Bit>,
    /// Event: lanes for which more came than there is room for.
    overrun: Out<Bits<N>>,

    #[wire(clock)]
    progress: CreditProgress<N>,
    #[wire(clock)]
    occupancy: [CreditOccupancy<W>; N],
    #[wire(clock)]
    returns: CreditReturns<N>,
    #[wire(clock)]
    inserter: CreditInserter<F, FLITS_W>,
    codes_there: Reg<Bit>,
    codes: Reg<Bits<CODES_BITS>>,
    message_there: Reg<Bit>,
    message: Reg<Bits<MESSAGE_BITS>>,
    sending: Reg<Bits<MESSAGE_BITS>>,
    look_code: Reg<Bits<CODE_BITS>>,
    look_units: Reg<Bits<UNITS_BITS>>,
    event_found: Reg<Bit>,
    event: Reg<Bit>,

    starts: Local<Bit>,
    too_many: Local<Bits<N>>,
    size: Local<Bits<W>>,
    share: Local<Bits<W>>,
    entry_units: Local<Bits<UNITS_BITS>>,
    due: Local<Bits<N>>,
    lane_code: Local<Bits<CODE_BITS>>,
    lane_units: Local<Bits<W>>,
    found: Local<Bits<CODES_BITS>>,
    message_vl: Local<Bits<MESSAGE_VL_BITS>>,
    message_code: Local<Bits<CODE_BITS>>,
    side: Local<Bits<2>>,
    sizes: Vec<Constant<Bits<W>>>,
    shares: Vec<Constant<Bits<W>>>,
    number: Vec<Constant<Bits<CODE_BITS>>>,
    lane_number: Vec<Constant<Bits<MESSAGE_VL_BITS>>>,
    code_shift: Vec<Constant<Bits<6>>>,
    view_shift: Vec<Constant<Bits<9>>>,
}

#[logic]
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
            sizes: constants(config.sizes()),
            shares: constants(
                config.sizes().iter().map(|size| size.div_ceil(CREDIT_DUE_SHARE.into())).collect(),
            ),
            number: (0..8_u64).map(|number| Constant::new(number.into())).collect(),
            lane_number: (0..N).map(|lane| Constant::new((lane as u64).into())).collect(),
            code_shift: (0..N).map(|lane| Constant::new((credit_code_low(lane) as u64).into())).collect(),
            view_shift: (0..N).map(|lane| Constant::new((16 * lane as u64).into())).collect(),
            ..
        })
    }

    fn update(&mut self) {
        starts = clear | restart;
        progress = In { clear: starts, v_au };
        progress.arrived = In { data: arrived.data, valid: arrived.valid };
        size = 0;
        share = 0;
        entry_units = 0;
        for c in 0..8 {
            if v_au == number[c] {
                size = sizes[c];
                share = shares[c];
            }
            if returns.code == number[c] {
                entry_units = units.bits::<UNITS_BITS>(c * 8);
            }
        }

        look_code = returns.code;
        look_units = entry_units;

        self.fill_lanes();

        // What was found waits for a beat, or for the first of four LTPs.
        returns = In { clear: starts, sideband, due, flit_free: !codes_there, message_free: !message_there };
        if inserter.codes_in.ready {
            codes_there = false;
        }
        side = sending.bits::<2>(0);
        if ltp_place == 0 {
            side = 0;
            if message_there {
                side = message.bits::<2>(0);
            }
        }
        if ltp_start {
            sending = sending >> 2;
            if ltp_place == 0 {
                sending = 0;
                if message_there {
                    sending = message >> 2;
                }
                message_there = false;
            }
        }
        if returns.ends {
            if returns.by_message {
                message_there = message_code.any();
                message = bit_cast::<MESSAGE_BITS, CODE_BITS>(message_code)
                    | (bit_cast::<MESSAGE_BITS, MESSAGE_VL_BITS>(message_vl) << 3);
            } else {
                codes_there = found.any();
                codes = found;
            }
        }
        if starts {
            codes_there = false;
            message_there = false;
            sending = 0;
        }
        side_out = In { data: side, valid: sideband };
        inserter.clear = starts;
        inserter.beats_in = In { data: beats_in.data, valid: beats_in.valid };
        beats_in.ready = inserter.beats_in.ready;
        inserter.codes_in = In { data: codes, valid: codes_there };
        beats_out = In { data: inserter.beats_out.data, valid: inserter.beats_out.valid };
        inserter.beats_out.ready = beats_out.ready;
    }

    /// The lanes.
    fn fill_lanes(&mut self) {
        due = 0;
        found = 0;
        message_vl = 0;
        message_code = 0;
        let mut filled_view: Bits<VIEW_W> = 0;
        let mut pending_view: Bits<VIEW_W> = 0;
        let mut wrong = false;
        too_many = 0;
        for v in 0..N {
            occupancy[v] = In { clear: clear | (restart & emptied[v]), restart, size, share, delay };
            occupancy[v] =
                In { filled: progress.filled[v], tossed: progress.tossed[v], released: released[v] };
            occupancy[v] = In { begins: returns.begins, chosen: returns.chosen[v], code: look_code };
            occupancy[v] = In { units: look_units, ends: returns.ends, settles: returns.settles };
            due = due.with(v, occupancy[v].due);
            lane_code = occupancy[v].found;
            found = found | (bit_cast::<CODES_BITS, CODE_BITS>(lane_code) << code_shift[v]);
            if returns.lane[v] {
                message_vl = message_vl | lane_number[v];
                message_code = message_code | lane_code;
            }
            lane_units = occupancy[v].occupied;
            filled_view = filled_view | (bit_cast::<VIEW_W, W>(lane_units) << view_shift[v]);
            lane_units = occupancy[v].pending;
            pending_view = pending_view | (bit_cast::<VIEW_W, W>(lane_units) << view_shift[v]);
            wrong = wrong | occupancy[v].wrong;
            too_many = too_many.with(v, occupancy[v].overrun);
        }
        occupied = filled_view;
        pending = pending_view;
        event_found = wrong & !clear;
        event = event_found & !clear;
        credit_ovf = event;
        overrun = too_many;
    }
}

const _: () = assert!(sideband_message::code::LOW == 0 && sideband_message::vl::LOW == 3);
