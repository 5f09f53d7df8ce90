//! Faults in the emitted Verilog of `link_isolate`, `link_bit_isolate`, `link_degrade` and `link_probation`: each must be found by the block's own
//! co-simulation. The module names are those of the emitted text.

use crate::link_isolation::{bits, degrade, isolate, probation};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_testkit::Seen;

#[test]
fn faults_of_link_isolate_are_found() {
    const TOP: &str = "fault_link_isolate";
    let plan = || {
        isolate::plan(TOP, Seen::default()).clocks(12_000).stock_limit(200, "the faults are in the Verilog")
    };
    let faults = [
        Fault::replace(
            "the state of the bad LTP is left out of the comparison",
            "isolate_verdict",
            "turn = ({1'b0, state} + lanes) - {1'b0, latch_state_q};",
            "turn = lanes;",
        ),
        Fault::replace(
            "the CRC of a lane runs on into the next LTP",
            "isolate_groups",
            "assign crc_1_restart = ended_q[1];",
            "assign crc_1_restart = 1'b0;",
        ),
        Fault::replace(
            "an LTP of mode 0 has 34 words",
            "isolate_groups",
            "localparam [5:0] narrow_words = 6'h21;",
            "localparam [5:0] narrow_words = 6'h22;",
        ),
        Fault::replace(
            "two LTPs that wait share their CRCs",
            "isolate_groups",
            "written_2_d = written_2_q + 2'h1;",
            "written_2_d = written_2_q;",
        ),
        Fault::replace(
            "what was compared is kept",
            "isolate_verdict",
            "held_d = latches;",
            "held_d = held_q | latches;",
        ),
        Fault::replace(
            "in mode 3 the comparison is charged, too",
            "isolate_verdict",
            "(compared_q & ~per_lane)",
            "compared_q",
        ),
        Fault::replace(
            "all lanes count as several",
            "isolate_verdict",
            "assign is_all = (marked_q == used);",
            "assign is_all = 1'b0;",
        ),
        Fault::replace(
            "the logical lane is charged, not the sender's",
            "isolate_verdict",
            "assign rank_now_1 = {1'b0, active[0]};",
            "assign rank_now_1 = 2'h1;",
        ),
    ];
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn faults_of_link_bit_isolate_are_found() {
    const TOP: &str = "fault_link_bit_isolate";
    let plan =
        || bits::plan(TOP, Seen::default()).clocks(12_000).stock_limit(200, "the faults are in the Verilog");
    let faults = [
        Fault::replace(
            "lanes are those of the replay",
            "bit_walk",
            "bad_lane_d = kept_state_q;",
            "bad_lane_d = compare_state_q;",
        ),
        Fault::replace(
            "the logical lane is named, not the sender's",
            "bit_walk",
            "sender_lane = physical_1_q;",
            "sender_lane = 2'h1;",
        ),
        Fault::replace(
            "an LTP that ends with its row has one row more",
            "ltp_places",
            "assign wraps = (advanced >= lanes);",
            "assign wraps = (advanced > lanes);",
        ),
        Fault::replace(
            "what was compared is kept",
            "bit_walk",
            "held_d = latches & ~compare_due_q;",
            "held_d = held_q | latches & ~compare_due_q;",
        ),
        Fault::replace(
            "what was missed is compared",
            "bit_walk",
            "held_d = latches & ~compare_due_q;",
            "held_d = latches;",
        ),
        Fault::replace(
            "the last of 34 words is not looked at",
            "bit_walk",
            "localparam [5:0] wide_last = 6'h21;",
            "localparam [5:0] wide_last = 6'h20;",
        ),
        Fault::replace("the number of wrong bits wraps", "bit_tally", "if (sum[8]) begin", "if (1'b0) begin"),
        Fault::replace(
            "a comparison goes on with the count of the one before",
            "bit_tally",
            "assign begins = ~(|number);",
            "assign begins = 1'b0;",
        ),
        Fault::replace(
            "the first is the first of the last word",
            "bit_tally",
            "if (begins | ~found_q) begin",
            "if (1'b1) begin",
        ),
    ];
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn faults_of_link_degrade_are_found() {
    const TOP: &str = "fault_link_degrade";
    let seen = Seen::default();
    let plan =
        || degrade::plan(TOP, seen.clone()).clocks(200_000).stock_limit(200, "the faults are in the Verilog");
    let faults = [
        Fault::replace("a verdict costs nothing", "degrade_charge", "taken_d = total;", "taken_d = 8'h0;"),
        Fault::replace(
            "charges of four lanes are those of two",
            "degrade_charge",
            "cost = quadruple;",
            "cost = double_signal;",
        ),
        Fault::replace("debts fall below 0", "degrade_debts", "if (sum[18]) begin", "if (1'b0) begin"),
        Fault::replace(
            "a lane goes at MIN_LANES",
            TOP,
            "assign may_go_d = (lanes_q > ({1'b0, min_lanes} + one));",
            "assign may_go_d = (lanes_q >= ({1'b0, min_lanes} + one));",
        ),
        Fault::replace(
            "a refused lane keeps its debt",
            TOP,
            "debts_drop_lanes = going;",
            "debts_drop_lanes = going & {4{may_go_q}};",
        ),
    ];
    let found = find_all(plan, &faults);
    seen.require_each(&["removed", "refused"]);
    found.expect("all are found");
}

#[test]
fn faults_of_link_probation_are_found() {
    const TOP: &str = "fault_link_probation";
    let plan = || {
        probation::plan(TOP, Seen::default())
            .clocks(150_000)
            .stock_limit(200, "the faults are in the Verilog")
    };
    let faults = [
        Fault::replace(
            "a lane that says nothing is clean",
            TOP,
            "clean_d = seen_now & ~failed_now;",
            "clean_d = ~failed_now;",
        ),
        Fault::replace(
            "a bad LTP time takes one off",
            "probation_count",
            "term = {10'h0, charge_q};",
            "term = minus_one;",
        ),
        Fault::replace(
            "debts are not doubled",
            "probation_count",
            "doublings = losses - 4'h1;",
            "doublings = 4'h0;",
        ),
        Fault::replace(
            "a debt rises without end",
            "probation_count",
            "new_debt = most_q;",
            "new_debt = sum[23:0];",
        ),
        Fault::replace(
            "a lane that is lost owes what was left",
            "probation_count",
            "before_signal = most_q;",
            "before_signal = owed_q;",
        ),
        Fault::replace(
            "a lane that is not allowed waits",
            TOP,
            "waits_d = allowed & absent;",
            "waits_d = absent;",
        ),
        Fault::replace(
            "restore forgets nothing",
            TOP,
            "forgets = clear | restore | ~(|state);",
            "forgets = clear | ~(|state);",
        ),
        Fault::replace(
            "who came back and is lost at once was not lost",
            TOP,
            "wanted_d = wanted_q | back;",
            "wanted_d = wanted_q;",
        ),
    ];
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn faults_of_prbs_check_are_found() {
    const TOP: &str = "fault_prbs_check";
    let plan = || {
        probation::plan_check(TOP, Seen::default())
            .clocks(10_000)
            .stock_limit(200, "the faults are in the Verilog")
    };
    let faults = [
        Fault::replace(
            "a line that stands still at 0 is good",
            TOP,
            "misfit_d = ~(plain_q & known_q);",
            "misfit_d = ~plain_q;",
        ),
        Fault::replace("a marked ALN word is overlooked", TOP, "(lane_data[33:32] == 2'h1)", "lane_data[32]"),
        Fault::replace(
            "a marked word is good",
            TOP,
            "plain_d = ~(|lane_data[33:32]);",
            "plain_d = ~lane_data[32];",
        ),
        Fault::replace(
            "ALN is the word before the next",
            TOP,
            "here_d = lane_valid & ~is_aln;",
            "here_d = lane_valid;",
        ),
        Fault::replace(
            "the last group of bits is not looked at",
            TOP,
            "(misfit_q | (|wrong_q))",
            "(misfit_q | (|wrong_q[6:0]))",
        ),
    ];
    find_all(plan, &faults).expect("all are found");
}
