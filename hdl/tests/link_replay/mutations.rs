//! Rules left out, one at a time: the co-simulation of the Verilog and the comparison with the model must notice.

use crate::link_replay::cosim::plan;
use crate::link_replay::pair::Pair;
use crate::link_replay::random::config;
use flitforge_hdl::link::retry_tx::LinkRetryTx2Small;
use flitforge_model::retry::{Mutation, RetryConfig};
use flitforge_protocol::retry::GUARD_LTPS;
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::cosim::CosimPlan;
use flitforge_sim::kit::seed;
use std::panic::{catch_unwind, AssertUnwindSafe};

#[test]
fn faults_of_link_retry_tx_are_found() {
    const TOP: &str = "fault_link_retry_tx";
    let small = || Box::new(LinkRetryTx2Small::new(GUARD_LTPS).expect("valid")) as _;
    let plan = || -> CosimPlan<'static> {
        plan(TOP, 2, small).clocks(24_000).stock_limit(200, "the faults are in the Verilog")
    };
    let faults = [
        Fault::replace(
            "two bad LTPs do not freeze",
            "replay_state",
            "assign freezes = (double_bad & ~marking) | (finishes & freeze_wanted_q);",
            "assign freezes = 1'b0;",
        ),
        Fault::replace(
            "no pad",
            "replay_timers_r16_guard8",
            "pad_ltps_d = excess[15:0];",
            "pad_ltps_d = 16'h0;",
        ),
        Fault::replace(
            "a pad only behind originals",
            "link_replay_f2_r16_guard8",
            "assign timers_pad_start = sends & pointers_at_last;",
            "assign timers_pad_start = writes & pointers_at_last;",
        ),
        Fault::replace(
            "originals before the peer is Active",
            "replay_state",
            "assign may_write = (code_q == code_normal) & peer_active_q;",
            "assign may_write = (code_q == code_normal);",
        ),
        Fault::replace(
            "a pointer one beyond the buffer is valid",
            "replay_pointers_r16",
            "oldest_d = write_q - slots;",
            "oldest_d = write_q - slots - 16'h1;",
        ),
        Fault::replace(
            "the CRC of a damaged LTP is sent as it is",
            "ltp_tx_assembler_f2",
            "trailer = crc16_following ^ inverted16;",
            "trailer = crc16_following;",
        ),
    ];
    find_all(plan, &faults).expect("all are found");
}

/// The hardware follows the rules that a model lacks: the comparison must notice each.
#[test]
fn a_model_that_lacks_a_rule_is_not_the_hardware() {
    let mutations =
        [Mutation::NoFreeze, Mutation::NoPad, Mutation::PadOnOriginalsOnly, Mutation::WriteBeforePeerActive];
    for mutation in mutations {
        let corrupted = RetryConfig { mutation: Some(mutation), ..config(16) };
        let mut pair = Pair::new(corrupted, false, 330, seed(0x42_60));
        pair.bad = [0.05; 2];
        let difference = catch_unwind(AssertUnwindSafe(|| pair.run(2_000)));
        let message = difference.expect_err("a difference");
        let text = message.downcast_ref::<String>().map_or("", String::as_str);
        println!("{mutation:?}: {}", text.lines().next().unwrap_or_default());
    }
}
