//! Wrong wires in the emitted Verilog of the looped port: each must be found by its co-simulation.

use crate::fab_port::equal::plan;
use flitforge_sim::cosim::fault::{find_all, Fault};

#[test]
fn wrong_wires_are_found() {
    let faults = [
        Fault::replace(
            "in mode 1 credits go back by CrdtRet",
            "fab_link_f1_lanes1_r16_vls2",
            "sideband = (port_tx_mode == with_sideband)",
            "sideband = 1'b0",
        ),
        Fault::replace(
            "the lane of a packet is that of its header",
            "fab_transmit_f1_lanes2",
            "header_1 = header_in_0_data & others_signal",
            "header_1 = header_in_0_data",
        ),
        Fault::replace(
            "lane 0 gets the beats of lane 1",
            "fab_receive_f1_lanes2",
            "lanes_0_there = beats_in_valid & (marks[3:0] == lane_number_0)",
            "lanes_0_there = beats_in_valid & (marks[3:0] == lane_number_1)",
        ),
    ];
    let plan = || plan("fault_fab_port").clocks(1_100).stock_limit(1, "the faults are in the Verilog");
    find_all(plan, &faults).expect("all are found");
}
