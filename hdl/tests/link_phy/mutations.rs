//! Faults in the emitted Verilog of `lvds_tx` and `lvds_rx`: each must be found by the block's own co-simulation.

use crate::link_phy::lvds_rx::Found;
use crate::link_phy::{lvds_rx, lvds_tx};
use flitforge_hdl::link::phy_lvds::{LvdsRx, LvdsTx};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::cosim::CosimPlan;
use flitforge_testkit::Count;

fn clocks(plan: CosimPlan<'static>, clocks: u64) -> CosimPlan<'static> {
    plan.clocks(clocks).stock_limit(200, "the faults are in the Verilog")
}

#[test]
fn faults_of_lvds_tx_are_found() {
    const TOP: &str = "fault_lvds_tx";
    let plan = || {
        let make = || Box::new(LvdsTx::<2>::new().expect("valid")) as _;
        clocks(lvds_tx::plan(TOP, 2, make, Count::default()), 10_000)
    };
    let faults = [
        Fault::replace(
            "the last bit leaves first",
            TOP,
            "assign pairs_0 = lane_0_q[1:0];",
            "assign pairs_0 = lane_0_q[31:30];",
        ),
        Fault::replace(
            "control words have the frame of data words",
            TOP,
            "marks_d = control_marks;",
            "marks_d = data_marks;",
        ),
        Fault::replace(
            "a row is taken while cleared",
            TOP,
            "assign goes = rows_valid & ~clear;",
            "assign goes = rows_valid;",
        ),
        Fault::replace(
            "a word may begin a clock early",
            TOP,
            "assign last_d = (slot_q == 4'he);",
            "assign last_d = (slot_q >= 4'hd);",
        ),
    ];
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn faults_of_lvds_rx_are_found() {
    const TOP: &str = "fault_lvds_rx";
    let plan = || {
        let make = || Box::new(LvdsRx::<2>::new().expect("valid")) as _;
        clocks(lvds_rx::plan(TOP, 2, make, Found::default()), 20_000)
    };
    let frame = |what: &str, from: &str, to: &str| Fault::replace(what, "lvds_frame", from, to);
    let lane = |what: &str, from: &str, to: &str| Fault::replace(what, "lvds_lane", from, to);
    let faults = [
        frame(
            "a boundary in the second bit counts as one in the first",
            "is_odd_d = second_rises;",
            "is_odd_d = 1'b0;",
        ),
        frame("the first frame word need not be whole", "& found_q & ~fresh_q;", "& found_q;"),
        frame("any frame word is good", "(word_q != control_frame) & (word_q != data_frame);", "1'b0;"),
        frame(
            "three good frame words lock",
            "localparam [1:0] enough = 2'h3;",
            "localparam [1:0] enough = 2'h2;",
        ),
        frame(
            "a bad frame word does not end the run",
            "run_d = 2'h0;\n            if (is_bad_q == is_locked_q) begin",
            "if (is_bad_q == is_locked_q) begin",
        ),
        frame(
            "a search that finds a bad frame word is not begun anew",
            "if (is_bad_q & ~is_locked_q) begin",
            "if (1'b0) begin",
        ),
        lane("a slip moves by two bits", "offset_d = offset_q + 5'h01;", "offset_d = offset_q + 5'h02;"),
        lane("the lane is not inverted", "kept_d = ~chosen;", "kept_d = chosen;"),
        lane(
            "a clear keeps the slips",
            "if (clear) begin\n            offset_d = 5'h0;",
            "if (1'b0) begin\n            offset_d = 5'h0;",
        ),
        Fault::replace(
            "lanes are read before the latest has its word",
            TOP,
            "localparam [3:0] together = 4'h9;",
            "localparam [3:0] together = 4'h3;",
        ),
    ];
    find_all(plan, &faults).expect("all are found");
}
