//! Faults in the emitted Verilog of `link_train` and its parts: each must be found by the co-simulation of the block.
//! The module names are those of the emitted text.

use crate::link_train::{set_rx, set_tx, whole};
use flitforge_hdl::link::train::TrainSetTx;
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_testkit::Count;

const REASON: &str = "the faults are in the Verilog";

#[test]
fn faults_of_the_sender_are_found() {
    const TOP: &str = "fault_link_train_tx";
    let faults = [
        Fault::replace(
            "a set mixes the states of two",
            TOP,
            "sent_rx_ok_d = sent_rx_ok_q;",
            "sent_rx_ok_d = rx_ok;",
        ),
        Fault::replace(
            "the CRC goes on from the set before",
            "train_set_crc",
            "held = start;",
            "held = state_q;",
        ),
    ];
    let plan = || {
        let make = || -> Box<dyn flitforge_elaborate::drive::DriveBlock> {
            Box::new(TrainSetTx::<4>::new().expect("valid"))
        };
        set_tx::plan(TOP, 4, make, Count::default()).clocks(2_000).stock_limit(200, REASON)
    };
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn faults_of_the_receiver_are_found() {
    const TOP: &str = "fault_link_train_rx";
    let faults = [
        Fault::replace(
            "the complement of the CRC is not looked at",
            TOP,
            "assign high_right_d = (last_word_q[31:16] == ~crc_value);",
            "assign high_right_d = 1'b1;",
        ),
        Fault::replace(
            "the last set is read, not the one held",
            TOP,
            "if (hold) begin\n            held_half_d",
            "if (1'b1) begin\n            held_half_d",
        ),
        Fault::replace(
            "a word between two sets is not noticed",
            TOP,
            "assign breaks = ",
            "assign breaks = 1'b0 & ",
        ),
        Fault::replace(
            "a good set is overwritten by one that comes after a bad one",
            TOP,
            "half_d = half_q;\n        if (good) begin",
            "half_d = half_q;\n        if (check_q) begin",
        ),
    ];
    let plan = || set_rx::plan(TOP, set_rx::Counts::default()).clocks(6_000).stock_limit(200, REASON);
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn faults_of_training_are_found() {
    const MACHINE: &str = "train_machine_lanes4";
    let faults = [
        Fault::replace(
            "epochs go up by two",
            MACHINE,
            "epoch_now_d = epoch_now_q + 16'h0001;",
            "epoch_now_d = epoch_now_q + 16'h0002;",
        ),
        Fault::replace("the start row goes out without 16 TS2", MACHINE, "(sent_q >= sent_before),", "1'b1,"),
        Fault::replace(
            "the answer to an earlier request counts",
            MACHINE,
            "assign confirmed = in_view & judged_q[8] & (peer[2] & ",
            "assign confirmed = in_view & judged_q[8] & (1'b1 & ",
        ),
        Fault::replace(
            "requests go up by two",
            MACHINE,
            "request_now_d = request_now_q + 4'h1;",
            "request_now_d = request_now_q + 4'h2;",
        ),
    ];
    let plan = || {
        let plan = whole::plan("fault_link_train", whole::Counts::default());
        plan.clocks(20_000).stock_limit(200, REASON)
    };
    find_all(plan, &faults).expect("all are found");
}
