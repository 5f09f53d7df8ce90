//! Faults in the texts of restructured blocks, each of which the proof must refute.

use flitforge_sim::cosim::fault::Fault;

/// What is wrong, the module it is in, the text and what it becomes.
type Replaced = (&'static str, &'static str, &'static str, &'static str);

/// Module and parameters of the proof, and what is to be refuted.
pub const ALL: &[(&str, &str, &[Replaced])] = &[
    ("ring_stop", "data46", RING_STOP),
    ("ring_stop", "data46_edges1", RING_STOP_EDGES),
    ("link_retry_tx", "f2_r16", RETRY_TX),
    ("switch_lane", "ports3", SWITCH_LANE),
    ("source_change", "default", SOURCE_CHANGE),
    ("time_servo", "default", TIME_SERVO),
    ("link_train", "default", LINK_TRAIN),
    ("link_probation", "lanes2", PROBATION),
    ("probation_count", "default", PROBATION_COUNT),
    ("pair_beats", "default", PAIR_BEATS),
    ("halve_beats", "default", HALVE_BEATS),
    ("queue_beats", "default", QUEUE_BEATS),
    ("join_beats", "default", JOIN_BEATS),
];

/// The fault of such a row.
pub fn fault((what, module, from, to): &Replaced) -> Fault {
    Fault::replace(what, module, from, to)
}

const RING_STOP: &[Replaced] = &[
    ("an insertion waits at power-on", "ring_stop", "initial idle_q = 1'b1;", "initial idle_q = 1'b0;"),
    (
        "the monitor does not mark",
        "ring_stop",
        "assign marked = monitor | slot[10];",
        "assign marked = slot[10];",
    ),
    (
        "an empty slot goes on",
        "ring_stop",
        "assign goes_on = forwards_in & slot[12];",
        "assign goes_on = forwards_in;",
    ),
    ("a token waits a clock longer", "ring_wait", "(long_low_q == 8'hfc)", "(long_low_q == 8'hfd)"),
];

const RING_STOP_EDGES: &[Replaced] = &[(
    "a Low enters between core edges",
    "ring_stop",
    "assign tries = core_edge_0 | (~is_low & ~idle_q);",
    "assign tries = core_edge_0 | ~idle_q;",
)];

const RETRY_TX: &[Replaced] = &[
    (
        "a Null is taken for an original",
        "link_retry_tx",
        ".active(replay_original_next)",
        ".active(replay_null_next)",
    ),
    (
        "another width of the same size",
        "link_retry_tx",
        "assign pad = replay_pad;",
        "assign pad = replay_round_trip;",
    ),
    (
        "a Null counts as no LTP",
        "link_retry_tx",
        "assign tx_ltp = sender_tx_ltp | sender_null_tx | sender_replayed;",
        "assign tx_ltp = sender_tx_ltp | sender_replayed;",
    ),
];

const SWITCH_LANE: &[Replaced] = &[
    ("the other port needs no credit", "switch_lane", "wants = other & fits_q;", "wants = other;"),
    (
        "a packet that waits is cut off",
        "switch_lane",
        "assign gives_up = dead & is_owned;",
        "assign gives_up = dead;",
    ),
    (
        "a route is not waited for",
        "switch_lane",
        "next_stage = STAGE_WAITING;",
        "next_stage = STAGE_DROPPING;",
    ),
    (
        "a HeadBad is marked",
        "switch_lane",
        "assign marks = occupancy_over & side[0] & head_unmarked;",
        "assign marks = occupancy_over & side[0];",
    ),
];

const SOURCE_CHANGE: &[Replaced] = &[
    (
        "registers are set a clock early",
        "source_change",
        "assign now = (age_q == 3'h6);",
        "assign now = (age_q == 3'h5);",
    ),
    (
        "a step does not go first",
        "change_queue",
        "assign take_adjust = idle & ~step_waits_q & adjust_waits_q;",
        "assign take_adjust = idle & adjust_waits_q;",
    ),
    (
        "INC_NOM may be a bit too wide",
        "source_change",
        "assign too_wide_d = sets_increment & (|word[63:38]);",
        "assign too_wide_d = sets_increment & (|word[63:39]);",
    ),
];

const TIME_SERVO: &[Replaced] = &[
    (
        "FREEZE does not stop the servo",
        "time_servo",
        "assign decided = deciding_q & settings_enable & ~settings_freeze;",
        "assign decided = deciding_q & settings_enable;",
    ),
    (
        "a sample that leads to a step is dropped, too",
        "time_servo",
        "assign judge_stays = in_state_q[1] & ~judge_jumps;",
        "assign judge_stays = in_state_q[1];",
    ),
    (
        "a sample is worked on at power-on",
        "time_servo",
        "initial stage_q = STAGE_IDLE;",
        "initial stage_q = STAGE_COMPARE;",
    ),
    ("a slew is shifted by a place less", "bit_walk", "last_d = 6'h2e;", "last_d = 6'h2d;"),
    (
        "outliers of equal sign make no row",
        "sample_row",
        "if (~acquiring & (row_negative_q != negative)) begin",
        "if (~acquiring & (row_negative_q == negative)) begin",
    ),
];

const PROBATION: &[Replaced] = &[
    ("the first LTP time may be clean", "link_probation", "failed_d = 4'hf;", "failed_d = 4'h0;"),
    ("a lane in use waits", "link_probation", "waits_d = allowed & absent;", "waits_d = allowed;"),
    ("a lane in use is lost", "link_probation", "starts & wanted_q[0] & absent[0]", "starts & wanted_q[0]"),
    (
        "an input is of two lanes",
        "probation_inputs_lanes2",
        "assign taken_2 = taken_1 | input_0_q;",
        "assign taken_2 = taken_1;",
    ),
];

const PROBATION_COUNT: &[Replaced] = &[
    (
        "the last size is the one before",
        "probation_count",
        "sizes_13 = 24'h800000;",
        "sizes_13 = 24'h400000;",
    ),
    ("a visit takes a clock", "probation_count", "if (busy) begin", "if (second_clock) begin"),
    (
        "lanes come back without the function",
        "probation_count",
        "assign may_return_d = enabled & waits[lane];",
        "assign may_return_d = waits[lane];",
    ),
];

const PAIR_BEATS: &[Replaced] = &[
    (
        "half a pair goes out",
        "pair_beats",
        "assign wire_out_valid = half_q & wire_in_valid;",
        "assign wire_out_valid = half_q;",
    ),
    ("half a pair is there at power-on", "pair_beats", "initial half_q = 1'b0;", "initial half_q = 1'b1;"),
    (
        "a beat counts before it is taken",
        "pair_beats",
        "assign half_enable = wire_in_valid & ready;",
        "assign half_enable = wire_in_valid;",
    ),
];

const HALVE_BEATS: &[Replaced] = &[
    (
        "a beat is taken with clear",
        "halve_beats",
        "assign wire_in_ready = ~clear & upper_q & wire_out_ready;",
        "assign wire_in_ready = upper_q & wire_out_ready;",
    ),
    ("the upper half goes first", "halve_beats", "initial upper_q = 1'b0;", "initial upper_q = 1'b1;"),
    (
        "a half is not waited for",
        "halve_beats",
        "assign upper_enable = wire_in_valid & wire_out_ready;",
        "assign upper_enable = wire_in_valid;",
    ),
];

const LINK_TRAIN: &[Replaced] = &[
    (
        "an event that means nothing in this state counts",
        "train_events",
        "assign counts = taken & enabled;",
        "assign counts = taken;",
    ),
    (
        "a lane that is not allowed is kept",
        "train_machine_lanes4",
        "assign still_allowed = asked_q & allowed;",
        "assign still_allowed = asked_q;",
    ),
    (
        "the epoch does not begin at 0",
        "train_machine_lanes4",
        "epoch_now_d = 16'h0;",
        "epoch_now_d = epoch_now_q;",
    ),
];

const QUEUE_BEATS: &[Replaced] = &[
    (
        "a full queue tells of a loss",
        "queue_beats",
        "assign overrun = fills & spare_valid_q;",
        "assign overrun = fills;",
    ),
    (
        "the second beat is forgotten",
        "queue_beats",
        "spare_valid_d = spare_valid_q | fills;",
        "spare_valid_d = fills;",
    ),
    (
        "the upper half begins late",
        "queue_beats",
        "narrow_half = both[131:66];",
        "narrow_half = both[133:68];",
    ),
];

const JOIN_BEATS: &[Replaced] = &[
    (
        "a start is a second half",
        "join_beats",
        "assign second = half_q & ~frame_start_in;",
        "assign second = half_q;",
    ),
    (
        "only the first half is bad",
        "join_beats",
        "assign code_err = low_error_q | code_err_in;",
        "assign code_err = low_error_q;",
    ),
    ("half a beat is there at power-on", "join_beats", "initial half_q = 1'b0;", "initial half_q = 1'b1;"),
];
