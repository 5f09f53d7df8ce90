//! Wrong wires in the emitted Verilog of the pair: each must be found by its co-simulation.

use crate::equal::plan;
use crate::pair::PortPairNarrow;
use flitforge_sim::cosim::fault::{find_all, Fault};

#[test]
fn wrong_wires_are_found() {
    const PORT: &str = "link_port_f1_lanes1_r16";
    let faults = [
        Fault::replace(
            "answers to the round trip are answered",
            "port_receive_f1",
            "receiver_round_trip_valid & ~is_reply",
            "receiver_round_trip_valid",
        ),
        Fault::replace(
            "rows of the lane test are taken outside Bist",
            PORT,
            "lanes_rows_in_ready & control_in_test",
            "lanes_rows_in_ready",
        ),
        Fault::replace(
            "lanes that are not built are allowed",
            "port_page_lanes1",
            "allowed_now = regs_allowed & built_lanes",
            "allowed_now = regs_allowed",
        ),
    ];
    let plan = || {
        plan("fault_link_port", || Box::new(PortPairNarrow::new()))
            .clocks(2_500)
            .stock_limit(1, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}
