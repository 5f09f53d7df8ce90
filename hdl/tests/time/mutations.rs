//! Faults in the emitted Verilog: each must be found by the block's own co-simulation. The module names are those of
//! the emitted text.

use crate::time::{extract, generator, inject, lag_tracker, link_delay, page, servo, slave, source, token};
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::cosim::CosimPlan;
use flitforge_testkit::Seen;

/// Those on rust-hdl itself say nothing about the faults.
fn some_clocks(plan: CosimPlan<'static>) -> CosimPlan<'static> {
    plan.stock_limit(200, "the faults are in the Verilog")
}

#[test]
fn faults_of_time_servo_are_found() {
    let faults = [
        Fault::replace(
            "gains are shifted by one place",
            "serial_multiplier",
            "assign product = {high_q, low_q};",
            "assign product = {high_q[30:0], low_q, 1'b0};",
        ),
        Fault::replace(
            "a negative error counts as positive",
            "serial_multiplier",
            "{addend_q[31], addend_q}",
            "{1'b0, addend_q}",
        ),
        Fault::replace(
            "LOCK_THR counts twice",
            "magnitude",
            "fine_lock_thr = {8'h0, lock_thr, 8'h0};",
            "fine_lock_thr = {7'h0, lock_thr, 9'h0};",
        ),
        Fault::replace(
            "a period is half as long",
            "period_counter",
            "assign half = nclk[31:1];",
            "assign half = {1'b0, nclk[31:2]};",
        ),
    ];
    let plan = || some_clocks(servo::plan("fault_time_servo", servo::CASES[1], 20_000, &Seen::default()));
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn faults_of_time_page_are_found() {
    let counters = "page_counters_counters6_first0_bits6";
    let faults = [
        Fault::replace("a counter wraps", counters, "sum_d = most;", "sum_d = total[31:0];"),
        Fault::replace("writing 0 clears nothing", counters, "sum_d = 32'h0;", "sum_d = total[31:0];"),
        Fault::replace("a refused GEN_CFG is kept", "gen_check", "place_q[8] & ~wrong", "place_q[8]"),
        Fault::replace(
            "every write to the counters of time raises the era",
            "source_offer",
            "(moves & commands_q)",
            "(moves)",
        ),
        Fault::replace(
            "there is a port more than was built",
            "page_bus_trees4_ports3_ring1",
            "{1'b0, port_in} < ports_built",
            "{1'b0, port_in} <= ports_built",
        ),
    ];
    let [_, switch] = page::cases();
    let plan = || some_clocks(page::plan("fault_time_page", &switch, 20_000, &Seen::default()));
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn faults_of_time_slave_are_found() {
    let faults = [
        Fault::replace(
            "the borrow of SyncTime's lowest part is lost",
            "phase_difference",
            "{1'b0, sync[47:24], less_0_q[24]}",
            "{1'b0, sync[47:24], 1'b0}",
        ),
        Fault::replace(
            "an overlap byte that has passed zero does not carry",
            "phase_difference",
            "plus = {plus[25:2], carry, more_1_q[24]};",
            "plus = {plus[25:2], 1'b0, more_1_q[24]};",
        ),
        Fault::replace(
            "negative errors saturate",
            "phase_difference",
            "assign fits_d = wanted & fitting;",
            "assign fits_d = wanted & fitting & ~sign;",
        ),
        Fault::replace(
            "a High never gets too old",
            "overlap_check",
            "stale_d = stale_q | wrapped_q;",
            "stale_d = stale_q;",
        ),
    ];
    let plan = || some_clocks(slave::plan("fault_time_slave", 4, 20_000, &Seen::default()));
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn faults_of_time_source_are_found() {
    let faults = [
        Fault::replace(
            "F_ACC has no lower limit",
            "clamp",
            "assign under_d = ~lower[32];",
            "assign under_d = 1'b0;",
        ),
        Fault::replace(
            "the lower limit has the wrong sign",
            "clamp",
            "assign minus_limit = nothing - {6'h0, limit};",
            "assign minus_limit = nothing + {6'h0, limit};",
        ),
        Fault::replace(
            "the carry into time[39:16] is lost",
            "time_counter",
            "{1'b0, addend_1_q[23:0], carry_1_q}",
            "{1'b0, addend_1_q[23:0], 1'b0}",
        ),
    ];
    let plan = || some_clocks(source::plan("fault_time_source", source::CASES[0], 20_000, &Seen::default()));
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn faults_of_time_gen_are_found() {
    let faults = [
        Fault::replace(
            "half a unit does not round up",
            "time_now",
            "wide_correction, look_ahead[27]}",
            "wide_correction, 1'b0}",
        ),
        Fault::replace("a negative lag counts as positive", "time_now", "sign = ones;", "sign = 34'h0;"),
        Fault::replace(
            "the period is twice as long",
            "time_due",
            "start + {32'h0, period}",
            "start + {31'h0, period, 1'b0}",
        ),
    ];
    let plan =
        || some_clocks(generator::plan("fault_time_gen", generator::CASES[0], 20_000, &Seen::default()));
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn faults_of_time_extract_are_found() {
    const TOP: &str = "fault_time_extract";
    let faults = [
        Fault::replace(
            "a negative lag counts as positive",
            TOP,
            "assign wide_lag = {lag[19], lag} + half;",
            "assign wide_lag = {1'b0, lag} + half;",
        ),
        Fault::replace("RX_CORR is not added", TOP, "lag_value + corr_value", "lag_value"),
    ];
    let plan = || some_clocks(extract::plan(TOP, 2, 5_000, &Seen::default()));
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn faults_of_time_inject_are_found() {
    const TOP: &str = "fault_time_inject";
    let faults = [
        Fault::replace(
            "a negative lag counts as positive",
            "running_wait",
            "assign wide_lag = {lag[19], lag} + half;",
            "assign wide_lag = {1'b0, lag} + half;",
        ),
        Fault::replace(
            "the mark of the monitor counts in the parity",
            "time_arrival_data46",
            "checked = 17'h1ebff",
            "checked = 17'h1efff",
        ),
        Fault::replace(
            "a Low is stored with the tree of the one before",
            "time_arrival_data46",
            "lows_write_enable = |low_now_q;",
            "lows_write_enable = |low_now_d;",
        ),
        Fault::replace(
            "half a unit of a wait does not round up",
            "time_arrival_data46",
            "offset = 60'h000000000008001",
            "offset = 60'h000000000000001",
        ),
        Fault::replace(
            "a Low is read from the ring of the one before",
            "inject_lows",
            "assign ring_d = (ring_q & ~arrived_0) | arrived_1;",
            "assign ring_d = ring_q;",
        ),
        Fault::replace(
            "a newer Low goes on waiting as the older did",
            "tree_wait",
            "ends = limit_is_none;",
            "ends = last_q;",
        ),
        Fault::replace(
            "a High goes alone in the clock in which a newer one came",
            TOP,
            "(hold | highs_fresh)",
            "hold",
        ),
    ];
    let plan = || some_clocks(inject::plan(TOP, inject::CASES[0], 5_000, &Seen::default()));
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn faults_of_link_delay_are_found() {
    let faults = [
        Fault::replace(
            "half a unit of a round trip does not round up",
            "delay_initiator",
            "elapsed_d = {minus_tx_q, 24'h0} | half;",
            "elapsed_d = {minus_tx_q, 24'h0};",
        ),
        Fault::replace(
            "an answer with another tag counts",
            "delay_initiator",
            "assign tag_fits = (answer_data[39:32] == tag_q);",
            "assign tag_fits = 1'b1;",
        ),
        Fault::replace(
            "the tx lag shortens a turn-around",
            "delay_responder",
            "elapsed_q[57:24] + wide_tx",
            "elapsed_q[57:24] - wide_tx",
        ),
        Fault::replace(
            "rounds up to 2 T above the smallest count",
            "delay_rounds",
            "{1'b0, lowest_q} + {19'h0, period}",
            "{1'b0, lowest_q} + {18'h0, period, 1'b0}",
        ),
        Fault::replace(
            "the mean is rounded down",
            "delay_rounds",
            "sum_d = {31'h0, rounding};",
            "sum_d = 40'h0;",
        ),
        Fault::replace(
            "a change of the link within a run does not begin it anew",
            "link_epoch",
            "(auto_run & (changed_now_q | fires))",
            "(auto_run & fires)",
        ),
    ];
    let plan =
        || some_clocks(link_delay::plan("fault_link_delay", link_delay::CASES[0], 20_000, &Seen::default()));
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn faults_of_ring_token_are_found() {
    let faults = [
        Fault::replace(
            "a returning token has the number of its target",
            "token_insert_insert51",
            "source = token_source;",
            "source = own_id;",
        ),
        Fault::replace(
            "a wait at the target is not counted",
            "token_insert_insert51",
            "waited_d = more;",
            "waited_d = waited_q;",
        ),
        Fault::replace(
            "any tag is that of the command",
            "token_catch",
            "assign tag_fits_d = (last_tag == tag);",
            "assign tag_fits_d = 1'b1;",
        ),
        Fault::replace(
            "a token is home that never was at its target",
            "token_catch",
            "(last_q[6] | (target == own_id))",
            "1'b1",
        ),
        Fault::replace(
            "the first cycle does not count",
            "token_control_limit525",
            "count_d = one;",
            "count_d = 16'h0;",
        ),
    ];
    let plan = || some_clocks(token::plan("fault_ring_token", [4, 1], 10_000, &Seen::default()));
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn faults_of_lag_tracker_are_found() {
    let faults = [
        Fault::replace(
            "an edge bounds the error from the other side",
            "lag_bounds_gap32_static_log224",
            "assign at_least_d = agrees_late_q ^ fraction_late_q[12];",
            "assign at_least_d = ~agrees_late_q ^ fraction_late_q[12];",
        ),
        Fault::replace(
            "bounds do not leak",
            "lag_bounds_gap32_static_log224",
            "leaked_low = low_now_q - one_bound;",
            "leaked_low = low_now_q;",
        ),
        Fault::replace(
            "a window is as short as the first",
            "lag_bounds_gap32_static_log224",
            "long_1 | (samples_now_q[6] & ~least[0])",
            "long_1 | samples_now_q[6]",
        ),
        Fault::replace(
            "an error is divided by half the length of its window",
            "lag_tag_gap32",
            "quotient_d = wide_error;",
            "quotient_d = {wide_error[34:0], 1'b0};",
        ),
        Fault::replace(
            "a tag that is off is good",
            "lag_tag_gap32",
            "assign is_good = (size < good_below);",
            "assign is_good = 1'b1;",
        ),
        Fault::replace(
            "the first tag moves the rate",
            "lag_tag_gap32",
            "moves_d = tagged_q & ~tag_timeout_q",
            "moves_d = ~tag_timeout_q",
        ),
        Fault::replace(
            "a slip does not turn the halved clock round",
            "lag_tracker_6241000",
            "flip_d = ~flip_q;",
            "flip_d = flip_q;",
        ),
    ];
    let plan = || some_clocks(lag_tracker::plan(lag_tracker::CASES[0], 40_000, &Seen::default()));
    find_all(plan, &faults).expect("all are found");
}
