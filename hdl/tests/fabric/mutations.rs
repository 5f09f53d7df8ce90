//! Faults in the emitted Verilog: each must be found by the block's own co-simulation. The module names are those of
//! the emitted text.

use crate::fabric::{credit_rx, credit_tx, link_bond, packet_rx, packet_tx, vl_rx, vl_tx};
use flitforge_model::vl::{InterleaveRules, VlRules};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_testkit::Seen;

#[test]
fn faults_of_fab_packet_tx_are_found() {
    let faults = [
        Fault::replace(
            "a last word with too few bytes is good",
            "packet_pacer_f2",
            "one_word_q & (word_bytes != last_bytes);",
            "one_word_q & (word_bytes > last_bytes);",
        ),
        Fault::replace(
            "a source that gives up is waited for",
            "packet_pacer_f2",
            "assign early = taken & word_last & ~one_word_q;",
            "assign early = 1'b0;",
        ),
        Fault::replace(
            "lane NUM_VLS is let in",
            "packet_ingress_f2",
            "if (lane >= lanes) begin",
            "if (lane > lanes) begin",
        ),
        Fault::replace(
            "the CRC steps over a Tail in slot 0",
            "packet_crc_w128",
            "assign state_enable = valid_1_q & ~skips_1_q;",
            "assign state_enable = valid_1_q;",
        ),
        Fault::replace(
            "the CRC counts an unused slot",
            "packet_crc_w128",
            "if (unused_at_back_0_q[0]) begin",
            "if (1'b0) begin",
        ),
        Fault::replace(
            "the last byte of the last word is not padded",
            "packet_assembler_f2",
            "if (with_word & (~last_word | byte_mask[15])) begin",
            "if (with_word) begin",
        ),
    ];
    let plan = || {
        let (plan, _) = packet_tx::plan("fault_fab_packet_tx", packet_tx::CASES[0], 3_000, &Seen::default());
        plan.stock_limit(20, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn faults_of_fab_packet_rx_are_found() {
    const TOP: &str = "fault_fab_packet_rx";
    let faults = [
        Fault::replace(
            "a head within a packet goes on with it",
            "packet_follower_f2",
            "assign breaks = illegal | (opens & open_q);",
            "assign breaks = illegal;",
        ),
        Fault::replace(
            "a packet without its Tail goes on",
            "packet_follower_f2",
            "assign overlong = sized_now & on_tail & ~closing;",
            "assign overlong = 1'b0;",
        ),
        Fault::replace(
            "a Tail may come at any time",
            "packet_follower_f2",
            "assign faulty = breaks | overlong | misplaced;",
            "assign faulty = breaks | overlong;",
        ),
        Fault::replace(
            "flits need not stand together",
            "packet_reader_f2",
            "broken = broken | kind_opens_q[1] | (any_kind[1] ^ (begun & ~ended_1));",
            "broken = broken | kind_opens_q[1];",
        ),
        Fault::replace(
            "the fields of a HeadBad are taken for those of a Head",
            "packet_reader_f2",
            "view_header_d = {6'h0, first_data[39:36], 14'h0, first_data[35:0]};",
            "view_header_d = first_data[59:0];",
        ),
        Fault::replace(
            "the CRC covers vl, fecn and becn",
            TOP,
            "covered = data & immutable;",
            "covered = data;",
        ),
    ];
    let plan = || {
        let (plan, _) = packet_rx::plan(TOP, packet_rx::CASES[0], 3_000, &Seen::default());
        plan.stock_limit(20, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn faults_of_fab_vl_tx_are_found() {
    const ARBITER: &str = "vl_arbiter_lanes4";
    let faults = [
        Fault::replace(
            "a lane that has aged needs PREEMPT",
            ARBITER,
            "eligible = preempt[3:0] | waits_aged;",
            "eligible = preempt[3:0];",
        ),
        Fault::replace(
            "no marker",
            ARBITER,
            "assign marks = |(goes & open_q & ~top_q);",
            "assign marks = 1'b0;",
        ),
        Fault::replace(
            "the turn stands still",
            "vl_ranks_lanes4",
            "next_below = ~passed;",
            "next_below = below_q;",
        ),
        Fault::replace(
            "a lane whose packet ends stays the one that is ranked",
            ARBITER,
            "over_may_d = above_second & eligible;",
            "over_may_d = above_top & eligible;",
        ),
        Fault::replace(
            "two packets deep there is no third",
            ARBITER,
            "second_d = third;",
            "second_d = 4'h0;",
        ),
        Fault::replace(
            "a lane takes a beat without credit",
            "vl_ingress_width130",
            "ready = room_q & credit & ~clear;",
            "ready = room_q & ~clear;",
        ),
        Fault::replace(
            "lane 1 stays above a lane that goes",
            ARBITER,
            "under_1_d = under_1_q | goes;",
            "under_1_d = under_1_q;",
        ),
        Fault::replace(
            "a bubble is filled without BUBBLE",
            ARBITER,
            "fill_may = bubble[3:0];",
            "fill_may = ~nobody;",
        ),
        Fault::replace(
            "ageing takes a beat time longer",
            "vl_waits_lanes4",
            "count_1 >= nearly_q",
            "count_1 > nearly_q",
        ),
    ];
    let lane = |(priority, preempt, bubble)| VlRules { priority, preempt, bubble };
    let lanes = [(0, false, true), (3, true, false), (3, false, true), (15, true, true)].map(lane);
    let rules = InterleaveRules { lanes: lanes.to_vec(), min_run: 3, age: 7 };
    let case = vl_tx::Case { flits: 2, rules };
    let plan = || {
        let plan = vl_tx::plan("fault_fab_vl_tx", &case, 4_000, &Seen::default());
        plan.stock_limit(20, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn faults_of_fab_vl_rx_are_found() {
    const TOP: &str = "fault_fab_vl_rx";
    const STACK: &str = "vl_stack_lanes5";
    const CLASSIFIER: &str = "vl_classifier_f2_lanes4";
    let faults = [
        Fault::replace(
            "a new packet forgets the one below it",
            STACK,
            "rest_d = (rest_q | current_q) & ~lane;",
            "rest_d = rest_q & ~lane;",
        ),
        Fault::replace(
            "lane 1 stays above a lane that comes to the top",
            STACK,
            "next_above_2 = (under_1_q | lane) & others_1;",
            "next_above_2 = under_1_q & others_1;",
        ),
        Fault::replace(
            "a packet of one beat takes the lane below off, too",
            STACK,
            "assign pops = ends & (~names | is_top);",
            "assign pops = ends;",
        ),
        Fault::replace(
            "a head of an open lane begins a packet",
            CLASSIFIER,
            "unknown = stack_known | ~(|kind_lane_q[3:0]);",
            "unknown = ~(|kind_lane_q[3:0]);",
        ),
        Fault::replace(
            "a beat need not be full",
            CLASSIFIER,
            "(kind_packet_q[1] ^ (kind_packet_q[0] & ~kind_closes_q[0]))",
            "(kind_packet_q[1] & ~(kind_packet_q[0] & ~kind_closes_q[0]))",
        ),
        Fault::replace(
            "a VlMrkr names its lane where a Head does",
            "vl_kinds_f2_lanes4",
            "wide_number = beat[4:0];",
            "wide_number = {1'b0, beat[35:32]};",
        ),
        Fault::replace(
            "the Tail may come in any beat",
            "vl_lengths_f2",
            "sized_now & (~on_tail | (slot != closes));",
            "sized_now & (slot != closes);",
        ),
        Fault::replace(
            "a flit that became Idle does not count",
            CLASSIFIER,
            "kind_packet_q | lost",
            "kind_packet_q",
        ),
        Fault::replace(
            "an Idle behind a Tail counts as a flit of its packet",
            "vl_kinds_f2_lanes4",
            " & ~ending[0]",
            "",
        ),
        Fault::replace(
            "a beat of illegal composition does not end its packet",
            TOP,
            "assign cuts = delivers & (classifier_corrupts | classifier_opens);",
            "assign cuts = delivers & classifier_opens;",
        ),
    ];
    let plan = || {
        let shape = vl_rx::Shape { flits: 2, lanes: 4, errors: true };
        let (plan, _) = vl_rx::plan(TOP, shape, 4_000, &Seen::default());
        plan.stock_limit(20, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn faults_of_fab_credit_tx_are_found() {
    const CREDIT_COUNTER: &str = "credit_counter";
    let faults = [
        Fault::replace(
            "an AU that is just spent can be spent again",
            CREDIT_COUNTER,
            "assign credit = within_q | many_q | (one_q & ~spent_q);",
            "assign credit = within_q | many_q | one_q;",
        ),
        Fault::replace(
            "the AU goes on over the end of a packet",
            CREDIT_COUNTER,
            "within_d = ~ends & ~fills;",
            "within_d = ~fills;",
        ),
        Fault::replace(
            "a clear leaves what is on its way",
            "credit_gain_f2",
            "total_d = 11'h0;",
            "total_d = sum;",
        ),
        Fault::replace(
            "a message is complete with the third LTP",
            "fault_fab_credit_tx",
            "message_there_d = &side_place;",
            "message_there_d = side_place == 2'h2;",
        ),
    ];
    let plan = || {
        let plan = credit_tx::plan("fault_fab_credit_tx", &credit_tx::cases()[0], 4_000, &Seen::default());
        plan.stock_limit(20, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn faults_of_fab_credit_rx_are_found() {
    const OCCUPANCY: &str = "credit_occupancy_w12";
    const PROGRESS: &str = "credit_progress_lanes4";
    let faults = [
        Fault::replace(
            "what comes without a grant counts",
            OCCUPANCY,
            "assign room = (held_q != size);",
            "assign room = 1'b1;",
        ),
        Fault::replace(
            "the last of equal codes is taken, and none is the largest",
            OCCUPANCY,
            "(units_in > best_q)",
            "(units_in != best_q)",
        ),
        Fault::replace(
            "CRDT_DELAY is a clock longer",
            OCCUPANCY,
            "assign late = (waited_q >= delay);",
            "assign late = (waited_q > delay);",
        ),
        Fault::replace(
            "an AU that begins within a beat is free",
            PROGRESS,
            "assign costs = cost_begins_q | at_boundary | ((|(cost_after_q & ~mask)) & (|rest));",
            "assign costs = cost_begins_q | at_boundary;",
        ),
        Fault::replace("tossed flits keep their AU", PROGRESS, "keeps = ~cost_tossed_q;", "keeps = 1'b1;"),
        Fault::replace(
            "the turn does not go on",
            "credit_returns_lanes4",
            "later_d = after_first;",
            "later_d = later_q;",
        ),
        Fault::replace(
            "a CrdtRet goes over packet flits",
            "credit_inserter_f2",
            "assign has_room = ~(|slot);",
            "assign has_room = 1'b1;",
        ),
    ];
    let plan = || {
        let plan = credit_rx::plan("fault_fab_credit_rx", &credit_rx::cases()[1], 6_000, &Seen::default());
        plan.stock_limit(20, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn faults_of_link_bond_are_found() {
    const TX: &str = "bond_tx_links4_f1";
    const RX: &str = "bond_rx_links4_f1_depth256";
    let faults = [
        Fault::replace(
            "a share of Idles goes as it is",
            "bond_mark_f1",
            "if (~busy) begin",
            "if (1'b0) begin",
        ),
        Fault::replace("ForceIdles stay ForceIdles", "bond_unmark_f1", "if (other) begin", "if (1'b1) begin"),
        Fault::replace(
            "a wide beat is dealt while a port has no room",
            TX,
            "assign takes = up & (&open_signal);",
            "assign takes = up & (|open_signal);",
        ),
        Fault::replace(
            "wide beats of only Idles are dealt",
            TX,
            "flits_in_valid & takes & (|busy);",
            "flits_in_valid & takes;",
        ),
        Fault::replace(
            "a fall does not tell what waited at the ingress",
            "fault_link_bond",
            "lost = transmit_waits;",
            "lost = 4'b0000;",
        ),
        Fault::replace("a wide beat leaves without a share", RX, "leaves = (&there)", "leaves = (|there)"),
        Fault::replace(
            "a port that fails takes nobody with it",
            "bond_control_links4",
            "assign falls = (|fell)",
            "assign falls = 1'b0",
        ),
        Fault::replace(
            "a message of an upper port goes past one of a lower",
            "bond_side_links4",
            "assign takes_2 = takes_1 & ~waits_0_q;",
            "assign takes_2 = takes_1;",
        ),
    ];
    let plan = || {
        let (plan, _) = link_bond::plan("fault_link_bond", link_bond::SHAPES[0], 6_000, &Seen::default());
        plan.stock_limit(20, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}
