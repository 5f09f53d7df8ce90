//! Faults in the emitted Verilog of `link_regs`: each must be found by the block's own co-simulation. The module names
//! are those of the emitted text.

use crate::link_regs::stimulus::Load;
use crate::link_regs::{nearly_full, plan};
use flitforge_hdl::link::regs::LinkRegsConfig;
use flitforge_sim::cosim::fault::{find_all, Fault};

const TOP: &str = "fault_link_regs";
/// The registers, as their attribute makes them.
const PAGE: &str = "link_registers";

#[test]
fn faults_of_link_regs_are_found() {
    let plan = || {
        let plan = plan(TOP, LinkRegsConfig::default(), Load::Mixed);
        plan.clocks(30_000).stock_limit(50, "the faults are in the Verilog")
    };
    let faults = [
        // Not 1'b0: a block that hangs on nothing that changes has no value in Icarus, and that would be found instead.
        Fault::replace(
            "the sum of the clock before is not taken",
            "regs_store",
            "if (near_q) begin",
            "if (near_q & ~near_q) begin",
        ),
        Fault::replace(
            "the sum of two clocks before is not taken",
            "regs_store",
            "if (is_far & ~empty_1_q & ~write_1_q) begin",
            "if (is_far & ~is_far) begin",
        ),
        Fault::replace(
            "the sum of three clocks before is not taken",
            "regs_store",
            "if (is_farther & ~empty_1_q & ~write_1_q) begin",
            "if (is_farther & ~is_farther) begin",
        ),
        Fault::replace(
            "an accumulator has five bits",
            "tally_bits6_count1",
            "reg [5:0] sum_q;",
            "reg [4:0] sum_q;",
        ),
        Fault::replace(
            "an event in the clock of a visit is lost",
            "tally_bits6_count1",
            "assign sum_d = kept + {5'h0, count};",
            "assign sum_d = take ? 6'h0 : kept + {5'h0, count};",
        ),
        Fault::replace(
            "registers of Down can be written at any time",
            "regs_store",
            "(answer[65] & down)",
            "answer[65]",
        ),
        Fault::replace(
            "writing any value clears a counter",
            "regs_store",
            "(write_2_q & answer[66] & wdata_zero)",
            "(write_2_q & answer[66])",
        ),
        Fault::replace(
            "a counter that the sweep has not cleared yet shows its old value",
            "regs_store",
            "assign stale = clearing_q & (word >= sweep_q);",
            "assign stale = 1'b0;",
        ),
        Fault::replace(
            "an event is lost against a write of one",
            PAGE,
            "(event_happened_held_q & ~event_happened_cleared) | event_happened",
            "(event_happened_held_q | event_happened) & ~event_happened_cleared",
        ),
        Fault::replace(
            "one event alone is lost against a write of one",
            PAGE,
            "(event_happened_held_q & ~event_happened_cleared) | event_happened",
            "(event_happened_held_q & ~event_happened_cleared) | (event_happened & ~(event_happened_cleared & 11'h4))",
        ),
    ];
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn counters_that_wrap_are_found() {
    let plan = || {
        plan(TOP, nearly_full(), Load::Full).clocks(8_000).stock_limit(50, "the faults are in the Verilog")
    };
    let faults = [
        Fault::replace("a counter wraps", "regs_store", "full = counter_bits;", "full = no_value;"),
        Fault::replace("LANE_ERR wraps", "regs_store", "full = error_bits;", "full = no_value;"),
        Fault::replace(
            "the code errors of a lane wrap",
            "regs_store",
            "full = full | code_bits;",
            "full = full & ~code_bits;",
        ),
        Fault::replace(
            "the next event forgets an overflow",
            "regs_store",
            "(sum[48] | found[64])",
            "sum[48]",
        ),
    ];
    find_all(plan, &faults).expect("all are found");
}
