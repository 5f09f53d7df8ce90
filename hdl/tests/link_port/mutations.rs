//! Wrong wires in the emitted Verilog of the pair: each must be found by its co-simulation.

use crate::link_port::equal::plan;
use crate::link_port::pair::PortPairNarrow;
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
        Fault::replace(
            "the LTP's last beat is as long as any",
            "position_step_f1",
            "if (is_last) begin",
            "if (1'b0) begin",
        ),
        Fault::replace(
            "the fraction of a position is that of two flits per beat",
            "position_step_f1",
            "assign fraction = {1'b0, place, 3'h0};",
            "assign fraction = {place, 4'h0};",
        ),
        Fault::replace(
            "words received are counted as words sent",
            "link_position_f1_lanes1",
            "assign tx_words = tx_count_count;",
            "assign tx_words = rx_count_count;",
        ),
    ];
    let plan = || {
        plan("fault_link_port", || Box::new(PortPairNarrow::new()))
            .clocks(2_500)
            .stock_limit(1, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}
