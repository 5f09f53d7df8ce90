//! Which writes of a port's registers are legal.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::link_control::{CELL_EXPONENT_MAX, LEAST_GAP};
use flitforge_protocol::sue::MIN_FRAME_RANGE;
use flitforge_protocol::sue_port_registers::{
    self as page, FlowControl, LIMIT_MAX, OVERHEAD_REFUSED, RETRY_FRAMES,
};

/// Bits of P_CTRL.
pub const CONTROL_BITS: usize = page::p_ctrl::profile::LOW + 1;
const ENABLE: usize = page::p_ctrl::enable::LOW;
const FLOWS: usize = FlowControl::ALL.len();
const SHORTEST: usize = MIN_FRAME_RANGE.0;
const LONGEST: usize = MIN_FRAME_RANGE.1;
const POLICIES: usize = 3;
const REFUSED_FIRST: u64 = OVERHEAD_REFUSED.0;
const REFUSED_LAST: u64 = OVERHEAD_REFUSED.1;
/// Bits of LIMIT above the largest one.
const LIMIT_BITS: usize = LIMIT_MAX.trailing_ones() as usize;

/// For each register whether `data` may be written into it, one clock after `data`.
#[block("eth_port_rules", new)]
pub struct PortRules {
    /// Rising edge counts.
    clock: In<Clock>,
    /// What is to be written.
    data: In<Bits<64>>,
    /// P_CTRL, with 0 for what changes while it is enabled, but `enable`.
    control: In<Bits<CONTROL_BITS>>,
    /// Registers of any value that are locked while P_CTRL.enable is 1.
    any: Out<Bit>,
    /// P_CTRL.
    may_control: Out<Bit>,
    /// P_LLR.
    may_retry: Out<Bit>,
    /// P_PFC0.
    may_pause: Out<Bit>,
    /// P_PFC1.
    may_pause_more: Out<Bit>,
    /// P_CELL.
    may_cell: Out<Bit>,
    /// P_LIM0.
    may_limit: Out<Bit>,
    /// P_LIM1.
    may_limit_more: Out<Bit>,
    /// P_LLR_LIMITS.
    may_retry_limits: Out<Bit>,

    idle: Reg<Bit>,
    control_right: Reg<Bit>,
    retry_right: Reg<Bit>,
    pause_right: Reg<Bit>,
    pause_more_right: Reg<Bit>,
    cell_right: Reg<Bit>,
    limit_right: Reg<Bit>,
    limit_more_right: Reg<Bit>,
    retry_limits_right: Reg<Bit>,
    /// Fields of P_CTRL that are locked.
    locked: Constant<Bits<CONTROL_BITS>>,
}

#[logic]
impl PortRules {
    /// With the fields of P_CTRL that are locked.
    pub fn new() -> Self {
        use flitforge_protocol::register::RegisterValue;
        let fields = page::p_ctrl::Value::REGISTER.layout.fields.iter();
        let mask = fields
            .filter(|field| !page::LIVE.contains(&field.name))
            .fold(0, |mask, field| mask | field.mask() as u64);
        Self { locked: Constant::new(mask.into()), .. }
    }

    fn update(&mut self) {
        let now_idle = !control[ENABLE];
        idle = now_idle;
        any = idle;
        self.judge_control(now_idle);
        self.judge_retry(now_idle);
        self.judge_pause(now_idle);
        self.judge_credits(now_idle);
    }

    fn judge_control(&mut self, now_idle: Bit) {
        let differs = (data[0..CONTROL_BITS] ^ control) & locked;
        let minimum = data[page::p_ctrl::minimum];
        let frames_fit = (minimum >= SHORTEST) & (minimum <= LONGEST);
        let flows_known = data[page::p_ctrl::flow_control] < FLOWS;
        let gap_fits = data[page::p_ctrl::gap] >= LEAST_GAP;
        control_right = (now_idle | !differs.any()) & frames_fit & flows_known & gap_fits;
        may_control = control_right;
    }

    fn judge_retry(&mut self, now_idle: Bit) {
        let replay = data[page::p_llr::replay_timer];
        let start = data[page::p_llr::init_timer];
        let again = data[page::p_llr::nack_timer];
        retry_right = now_idle & replay.any() & start.any() & again.any();
        may_retry = retry_right;
        let frames = data[page::p_llr_limits::frames_max];
        let policy_known = data[page::p_llr_limits::waiting] < POLICIES;
        retry_limits_right = now_idle & frames.any() & (frames <= RETRY_FRAMES) & policy_known;
        may_retry_limits = retry_limits_right;
    }

    /// XON is at most XOFF.
    fn judge_pause(&mut self, now_idle: Bit) {
        let right_0 = data[page::p_pfc0::xon_0] <= data[page::p_pfc0::xoff_0];
        let right_1 = data[page::p_pfc0::xon_1] <= data[page::p_pfc0::xoff_1];
        let right_2 = data[page::p_pfc0::xon_2] <= data[page::p_pfc0::xoff_2];
        let right_3 = data[page::p_pfc0::xon_3] <= data[page::p_pfc0::xoff_3];
        pause_right = now_idle & right_0 & right_1 & right_2 & right_3;
        may_pause = pause_right;
        let right_4 = data[page::p_pfc1::xon_4] <= data[page::p_pfc1::xoff_4];
        let right_5 = data[page::p_pfc1::xon_5] <= data[page::p_pfc1::xoff_5];
        pause_more_right = now_idle & right_4 & right_5;
        may_pause_more = pause_more_right;
    }

    fn judge_credits(&mut self, now_idle: Bit) {
        let overhead = data[page::p_cell::overhead];
        let overhead_right = (overhead < REFUSED_FIRST) | (overhead > REFUSED_LAST);
        let batch = data[page::p_cell::cell_batch];
        let freed = data[page::p_cell::freed_timer];
        let consumed = data[page::p_cell::consumed_timer];
        let cell_known = data[page::p_cell::cell] <= CELL_EXPONENT_MAX;
        cell_right = now_idle & cell_known & overhead_right & batch.any() & freed.any() & consumed.any();
        may_cell = cell_right;
        let first = data[LIMIT_BITS..16];
        let second = data[16 + LIMIT_BITS..32];
        let third = data[32 + LIMIT_BITS..48];
        let fourth = data[48 + LIMIT_BITS..64];
        limit_right = now_idle & !first.any() & !second.any() & !third.any() & !fourth.any();
        may_limit = limit_right;
        limit_more_right = now_idle & !first.any() & !second.any();
        may_limit_more = limit_more_right;
    }
}

impl Default for PortRules {
    fn default() -> Self {
        Self::new()
    }
}
