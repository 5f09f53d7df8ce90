//! Faults in the emitted Verilog of `link_train` and its parts: each must be found by the co-simulation of the block.

use crate::{set_rx, whole};
use flitforge_sim::cosim::fault::{find_all, Fault};

#[test]
fn faults_of_the_receiver_are_found() {
    const TOP: &str = "fault_link_train_rx";
    let faults = [
        Fault::replace(
            "the complement of the CRC is not looked at",
            TOP,
            "high_right_d = ",
            "high_right_d = 1'b1 | ",
        ),
        Fault::replace(
            "the half of the last set is read, not that of the set held",
            TOP,
            "if (hold) begin",
            "begin",
        ),
    ];
    let plan = || {
        set_rx::plan(TOP, set_rx::Counts::default())
            .clocks(4_000)
            .stock_limit(200, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn faults_of_training_are_found() {
    const TOP: &str = "fault_link_train";
    let faults = [Fault::replace(
        "epochs stand still",
        "train_machine_lanes4",
        "epoch_now_d = epoch_now_q + ",
        "epoch_now_d = epoch_now_q & ",
    )];
    let plan = || {
        whole::plan(TOP, whole::Counts::default())
            .clocks(20_000)
            .stock_limit(200, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}
