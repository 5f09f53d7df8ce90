//! Faults in the emitted Verilog of `link_lane_tx` and `link_gearbox_tx`: each must be found by the block's own
//! co-simulation. The module names are those of the emitted text.

use crate::link_lanes::{gearbox_tx, lane_tx};
use flitforge_elaborate::drive::DriveBlock;
use flitforge_hdl::link::gearbox::LinkGearboxTx;
use flitforge_hdl::link::lane::LinkLaneTx;
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::cosim::CosimPlan;
use flitforge_testkit::Count;

/// The clocks of every run; those on rust-hdl itself say nothing about the faults.
fn clocks(plan: CosimPlan<'static>, clocks: u64) -> CosimPlan<'static> {
    plan.clocks(clocks).stock_limit(200, "the faults are in the Verilog")
}

fn plan_lane_tx(name: &str, count: u64) -> CosimPlan<'static> {
    let make = || -> Box<dyn DriveBlock> { Box::new(LinkLaneTx::<4>::new().expect("valid")) };
    clocks(lane_tx::plan(name, 4, make, Count::default()), count)
}

#[test]
fn faults_of_a_lane_are_found() {
    const TOP: &str = "fault_link_lane_tx";
    let faults = [
        Fault::replace(
            "the scrambler of lane 0 starts with another seed",
            "lane_scrambler",
            "if (restart) state_q <= 32'h2e1efedc;",
            "if (restart) state_q <= 32'h2e1efedd;",
        ),
        Fault::replace(
            "the second lane takes the third lane's word",
            TOP,
            "assign ranks_1_d = count_1[1:0];",
            "assign ranks_1_d = count_2[1:0];",
        ),
        Fault::replace("the start row is lost", TOP, "start_due_d = 1'b1;", "start_due_d = 1'b0;"),
        Fault::replace(
            "the word register has lost its enable",
            "lane_tx_lane",
            "if (is_free) word_q <= word_d;",
            "word_q <= word_d;",
        ),
        Fault::replace(
            "training and rows are exchanged",
            "lane_tx_lane",
            "word_d = training_data;\n        if (in_use) begin",
            "word_d = training_data;\n        if (~in_use) begin",
        ),
    ];
    find_all(|| plan_lane_tx(TOP, 2_000), &faults).expect("all are found");
}

#[test]
fn faults_of_the_aln_interval_are_found() {
    const TOP: &str = "fault_link_lane_tx_aln";
    let faults = [
        Fault::replace(
            "ALN after 4095 rows, not 4096",
            "lane_row_count",
            "rows_d = 12'h0;",
            "rows_d = 12'h001;",
        ),
        Fault::replace(
            "the row counter has 11 bits, not 12",
            "lane_row_count",
            "reg [11:0] rows_q;",
            "reg [10:0] rows_q;",
        ),
    ];
    find_all(|| plan_lane_tx(TOP, 20_000), &faults).expect("all are found");
}

#[test]
fn faults_of_a_lane_on_probation_are_found() {
    const TOP: &str = "fault_link_lane_tx_probation";
    let faults = [
        Fault::replace(
            "a word that the PHY has no room for is lost",
            "lane_tx_lane_probation1",
            "if (blank_0 & ~may_come) begin",
            "if (1'b0) begin",
        ),
        Fault::replace(
            "a lane on probation carries words of the row",
            "lane_tx_lane_probation1",
            "chosen = 32'h0;",
            "chosen = row[31:0];",
        ),
        Fault::replace(
            "training waits for a lane on probation",
            "lane_tx_lane_probation1",
            "training_ready = 1'b1;",
            "training_ready = 1'b0;",
        ),
    ];
    let plan = || clocks(lane_tx::plan_probation(TOP, Count::default()), 20_000);
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn faults_of_link_gearbox_tx_are_found() {
    const TOP: &str = "fault_link_gearbox_tx";
    let plan = || {
        let plan = gearbox_tx::plan(TOP, 2, || Box::new(LinkGearboxTx::default()), Count::default());
        clocks(plan, 2_000)
    };
    let faults = [
        Fault::replace(
            "the second word of a row is the first again",
            TOP,
            "by_one_word_1 = by_two_words_2;",
            "by_one_word_1 = by_two_words_1;",
        ),
        Fault::replace(
            "the beat counter steps without a beat",
            TOP,
            "if (take) begin\n            beat_index_d = beat_index_q + 3'h1;",
            "begin\n            beat_index_d = beat_index_q + 3'h1;",
        ),
    ];
    find_all(plan, &faults).expect("all are found");
}
