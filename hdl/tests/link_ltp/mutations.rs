//! Faults in the emitted Verilog of `link_crc`, `link_ltp_tx` and `link_ltp_rx`: each must be found by the block's own
//! co-simulation. The module names are those of the emitted text.

use crate::link_ltp::crc::{self, Case};
use crate::link_ltp::{receiver, transmitter};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::verilog::{self, Options};
use flitforge_hdl::link::ltp_rx::LtpRx2;
use flitforge_hdl::link::ltp_tx::LtpTx2;
use flitforge_protocol::crc::LANE_ISOLATION;
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::cosim::CosimPlan;
use flitforge_sim::design_of;

/// Clocks of a run, far more than any of the faults needs; those on rust-hdl itself say nothing about the faults.
fn some_clocks(plan: CosimPlan<'static>) -> CosimPlan<'static> {
    plan.clocks(4_000).stock_limit(200, "the faults are in the Verilog")
}

/// The default preset with another generator.
const OTHER: Case =
    Case { preset: "default", changes: &[("polynomial", LANE_ISOLATION.coefficients() as u64)] };

#[test]
fn faults_of_link_crc_are_found() {
    const TOP: &str = "fault_link_crc";
    let plan = || some_clocks(crc::plan(TOP, Case { preset: "default", changes: &[] }));
    let other = design_of(TOP, OTHER.build().block.as_ref()).expect("elaborates");
    let mirrored: Vec<String> = (0..16).map(|bit| format!("exit_register_q[{bit}]")).collect();
    let faults = [
        Fault::replace(
            "a bit of the polynomial's mask is 0",
            "xor_matrix_n16_m16",
            "data[1] ^ data[15], sum[1:0]",
            "data[1], sum[1:0]",
        ),
        Fault::other_text("another polynomial, 0x1002D", verilog::write(&other, &Options::default())),
        Fault::replace(
            "the CRC is sent lowest coefficient first",
            TOP,
            "assign crc_data = exit_register_q;",
            &format!("assign crc_data = {{{}}};", mirrored.join(", ")),
        ),
        Fault::replace(
            "the register starts at 0, not all ones",
            TOP,
            "sum_register_d = sum ^ first_addend;",
            "sum_register_d = sum;",
        ),
        Fault::replace(
            "the register has lost its enable",
            TOP,
            "else if (valid_at_state_q) state_q <= state_d;",
            "else state_q <= state_d;",
        ),
    ];
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn faults_of_link_ltp_tx_are_found() {
    const TOP: &str = "fault_link_ltp_tx";
    let plan = || some_clocks(transmitter::plan(TOP, 2, || Box::new(LtpTx2::new().expect("valid"))));
    let faults = [
        Fault::replace(
            "the sequence counter has 4 bits, not 16",
            "ltp_tx_arbiter",
            "reg [15:0] next_sequence_q;",
            "reg [3:0] next_sequence_q;",
        ),
        Fault::replace(
            "an original LTP goes before a waiting Null LTP",
            "ltp_tx_arbiter",
            "is_open = active & ~null_valid & ~replay_next;",
            "is_open = active & ~replay_next;",
        ),
    ];
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn faults_of_link_ltp_rx_are_found() {
    const TOP: &str = "fault_link_ltp_rx";
    let plan = || {
        let make = || -> Box<dyn DriveBlock> { Box::new(LtpRx2::new().expect("valid")) };
        some_clocks(receiver::plan(TOP, 2, receiver::config(2), make).0)
    };
    let faults = [
        Fault::replace(
            "a good LTP behind NxtRx is delivered again",
            "ltp_rx_toss",
            "normal_q & at_next_q",
            "normal_q & (at_next_q | behind_q)",
        ),
        Fault::replace(
            "a RetryMrkr does not end TOSS",
            "ltp_rx_toss",
            "normal_d = 1'b1;",
            "normal_d = normal_q;",
        ),
        Fault::replace(
            "a bad LTP does not begin TOSS",
            "ltp_rx_toss",
            "if (breaks | restarts) begin\n            normal_d",
            "if (restarts) begin\n            normal_d",
        ),
        Fault::replace(
            "a RetryMrkr.1 has to be good",
            "ltp_rx_toss",
            "(good | bad) & marker_open_q",
            "good & marker_open_q",
        ),
        Fault::replace(
            "nothing is late",
            "ltp_rx_toss",
            "late_left_d = marker_write - marker_first;",
            "late_left_d = 16'h0;",
        ),
        Fault::replace(
            "what follows a replay is late too",
            "ltp_rx_toss",
            "late_left_q - 16'h0001",
            "late_left_q",
        ),
        Fault::replace(
            "every bad LTP in TOSS asks again",
            "ltp_rx_requests",
            "bad_in_toss & odd_q",
            "bad_in_toss",
        ),
        Fault::replace(
            "the timer is one LTP time late",
            "ltp_rx_requests",
            "timer_q >= toss_last_q",
            "timer_q > toss_last_q",
        ),
        Fault::replace(
            "a RetryReq pair counts twice",
            "ltp_rx_nulls",
            "request_found_q & ~same_message_q",
            "request_found_q",
        ),
    ];
    find_all(plan, &faults).expect("all are found");
}
