// link_train as emitted at revision 9cb04c7, before it was restructured: what hdl/tests/equivalence holds the block against. Children that are the same are named only.
`default_nettype none

(* blackbox *)
module link_train_tx_lanes4_24d2af69 (
    input  wire        clock,
    input  wire        clear,
    input  wire [3:0]  send,
    input  wire [3:0]  ts2,
    input  wire [19:0] offer,
    input  wire        fresh,
    input  wire [3:0]  tx_mask,
    input  wire [3:0]  rx_ok,
    input  wire [3:0]  request,
    input  wire [3:0]  answer,
    input  wire [15:0] epoch,
    input  wire [1:0]  bond_index,
    input  wire [15:0] next_rx,
    input  wire [31:0] guid_low,
    input  wire [31:0] guid_high,
    output wire        set_end,
    output wire        at_end,
    output reg  [32:0] training_0_data,
    output wire        training_0_valid,
    input  wire        training_0_ready,
    output reg  [32:0] training_1_data,
    output wire        training_1_valid,
    input  wire        training_1_ready,
    output reg  [32:0] training_2_data,
    output wire        training_2_valid,
    input  wire        training_2_ready,
    output reg  [32:0] training_3_data,
    output wire        training_3_valid,
    input  wire        training_3_ready
);
endmodule

(* blackbox *)
module link_train_rx_485a49c6 (
    input  wire        clock,
    input  wire        clear,
    input  wire        may_turn,
    input  wire        signal_ok,
    input  wire        lane_lock,
    input  wire [33:0] lane_data,
    input  wire        lane_valid,
    input  wire        hold,
    input  wire [2:0]  read_word,
    output wire [31:0] word,
    output wire        present,
    output wire        received,
    output wire [1:0]  number,
    output wire [1:0]  bond,
    output wire        is_ts2,
    output wire [7:0]  count,
    output wire [3:0]  words_after,
    output wire        invert,
    output wire        slip
);
endmodule

(* blackbox *)
module train_view_ef36bb97 (
    input  wire        clock,
    input  wire        clear,
    input  wire        tick,
    input  wire [3:0]  present,
    input  wire [3:0]  received,
    input  wire [3:0]  is_ts2,
    input  wire [1:0]  number_0,
    input  wire [1:0]  number_1,
    input  wire [1:0]  number_2,
    input  wire [1:0]  number_3,
    input  wire [7:0]  count_0,
    input  wire [7:0]  count_1,
    input  wire [7:0]  count_2,
    input  wire [7:0]  count_3,
    input  wire [3:0]  words_after_0,
    input  wire [3:0]  words_after_1,
    input  wire [3:0]  words_after_2,
    input  wire [3:0]  words_after_3,
    input  wire [31:0] word_0,
    input  wire [31:0] word_1,
    input  wire [31:0] word_2,
    input  wire [31:0] word_3,
    input  wire [3:0]  rx_ok,
    input  wire [3:0]  request,
    input  wire        keep,
    output wire        hold,
    output reg  [2:0]  read_word,
    output wire [3:0]  phase,
    output wire [3:0]  valid,
    output wire [1:0]  numbers_0,
    output wire [1:0]  numbers_1,
    output wire [1:0]  numbers_2,
    output wire [1:0]  numbers_3,
    output wire [3:0]  ts1,
    output wire        agreed,
    output wire        all_ts2,
    output wire        same,
    output wire        lined_up,
    output wire [3:0]  late,
    output wire [3:0]  used,
    output wire [3:0]  asked,
    output wire        answered,
    output wire [19:0] offer,
    output wire [1:0]  source_0,
    output wire [1:0]  source_1,
    output wire [1:0]  source_2,
    output wire [1:0]  source_3,
    output wire [3:0]  used_wires,
    output wire [19:0] peer_offer,
    output wire [3:0]  peer_request,
    output wire        peer_fresh,
    output wire [15:0] peer_epoch,
    output wire [31:0] peer_guid_low,
    output wire [31:0] peer_guid_high
);
endmodule

(* blackbox *)
module train_locks_lock8_d811dd5c (
    input  wire       clock,
    input  wire       forget,
    input  wire       step,
    input  wire [3:0] valid,
    input  wire [1:0] numbers_0,
    input  wire [1:0] numbers_1,
    input  wire [1:0] numbers_2,
    input  wire [1:0] numbers_3,
    output wire [3:0] locked
);
endmodule

module train_events_d5c833e6 (
    input  wire       clock,
    input  wire       clear,
    input  wire       give_up,
    input  wire       remove,
    input  wire [1:0] remove_lane,
    input  wire       restore,
    input  wire       retrain,
    input  wire       init_done,
    input  wire       bist_end,
    input  wire       bist_start,
    input  wire       confirming,
    input  wire [6:0] event_enable,
    input  wire       take,
    output wire [6:0] event_out,
    output wire       retrains,
    output wire [1:0] lane
);

    reg [6:0] received;
    reg [6:0] first;
    reg [6:0] taken;
    wire [6:0] counts;
    reg [6:0] waiting_d;
    reg [6:0] waiting_q;
    reg [6:0] event_now_d;
    reg [6:0] event_now_q;
    reg retrains_now_d;
    reg retrains_now_q;
    reg [1:0] lane_to_go_d;
    reg [1:0] lane_to_go_q;

    always @(*) begin
        waiting_d = (waiting_q & ~taken) | received;
        if (clear) begin
            waiting_d = 7'h0;
        end
    end

    always @(*) begin
        event_now_d = counts;
        if (clear) begin
            event_now_d = 7'h0;
        end
    end

    always @(*) begin
        retrains_now_d = (|counts[3:1]) | counts[5];
        if (clear) begin
            retrains_now_d = 1'b0;
        end
    end

    always @(*) begin
        lane_to_go_d = lane_to_go_q;
        if (remove) begin
            lane_to_go_d = remove_lane;
        end
    end

    always @(*) begin
        received = 7'h0;
        received = {received[6:1], give_up};
        received = {received[6:2], remove, received[0]};
        received = {received[6:3], restore, received[1:0]};
        received = {received[6:4], retrain, received[2:0]};
        received = {received[6:5], init_done, received[3:0]};
        received = {received[6], bist_end, received[4:0]};
        received = {bist_start, received[5:0]};
    end

    always @(*) begin
        first = 7'h0;
        if (waiting_q[0] & ~(|first)) begin
            first = {first[6:1], 1'b1};
        end
        if (waiting_q[1] & ~(|first)) begin
            first = {first[6:2], 1'b1, first[0]};
        end
        if (waiting_q[2] & ~(|first)) begin
            first = {first[6:3], 1'b1, first[1:0]};
        end
        if (waiting_q[3] & ~(|first)) begin
            first = {first[6:4], 1'b1, first[2:0]};
        end
        if (waiting_q[4] & ~(|first)) begin
            first = {first[6:5], 1'b1, first[3:0]};
        end
        if (waiting_q[5] & ~(|first)) begin
            first = {first[6], 1'b1, first[4:0]};
        end
        if (waiting_q[6] & ~(|first)) begin
            first = {1'b1, first[5:0]};
        end
    end

    always @(*) begin
        taken = 7'h0;
        if (take) begin
            taken = first;
            if (confirming) begin
                taken = {first[6:4], 1'b0, first[2:0]};
            end
        end
    end

    assign counts = taken & event_enable;
    assign retrains = retrains_now_q;
    assign event_out = event_now_q;
    assign lane = lane_to_go_q;

    initial waiting_q = 7'h0;
    always @(posedge clock) waiting_q <= waiting_d;

    initial event_now_q = 7'h0;
    always @(posedge clock) event_now_q <= event_now_d;

    initial retrains_now_q = 1'b0;
    always @(posedge clock) retrains_now_q <= retrains_now_d;

    initial lane_to_go_q = 2'h0;
    always @(posedge clock) lane_to_go_q <= lane_to_go_d;

endmodule

(* blackbox *)
module train_mode_180efb73 (
    input  wire       clock,
    input  wire [6:0] mine,
    input  wire [6:0] yours,
    input  wire [3:0] tx_lanes,
    input  wire [3:0] rx_lanes,
    output wire       possible,
    output reg  [1:0] tx_mode,
    output reg  [1:0] rx_mode
);
endmodule

module train_machine_lanes4_probation1_65d4fc3e (
    input  wire        clock,
    input  wire        clear,
    input  wire [3:0]  phase,
    input  wire        enable,
    input  wire [3:0]  allowed,
    input  wire [6:0]  event_in,
    input  wire        event_retrains,
    input  wire [1:0]  event_lane,
    input  wire [3:0]  locked,
    input  wire        called,
    input  wire        called_by_ts1,
    input  wire        row_start,
    input  wire        start_mismatch,
    input  wire        agreed,
    input  wire        all_ts2,
    input  wire        answered,
    input  wire [3:0]  peer_request,
    input  wire        same,
    input  wire        lined_up,
    input  wire [3:0]  used,
    input  wire [3:0]  to_send,
    input  wire        mode_possible,
    input  wire [1:0]  mode_to_send,
    input  wire [1:0]  mode_to_receive,
    input  wire [3:0]  late,
    input  wire        at_set_end,
    input  wire        row_waits,
    input  wire [3:0]  returned_0,
    output wire [2:0]  state,
    output wire [3:0]  reason,
    output wire        running,
    output reg  [6:0]  event_enable,
    output wire        training,
    output wire        confirming,
    output wire        announces,
    output wire        fresh,
    output wire [15:0] epoch,
    output wire [3:0]  rx_ok,
    output reg  [3:0]  sent_rx_ok,
    output wire [3:0]  request,
    output wire [3:0]  sent_answer,
    output reg  [3:0]  send,
    output wire [3:0]  tx_lanes,
    output wire [3:0]  rx_lanes,
    output wire [1:0]  tx_mode,
    output wire [1:0]  rx_mode,
    output wire        start,
    output wire        keep,
    output wire        agree,
    output wire        unlock
);

    localparam [3:0] built = 4'hf;
    localparam [17:0] agree_limit = 18'h20000;
    localparam [13:0] poll_limit = 14'h2000;
    localparam [13:0] stable_limit = 14'h0008;
    localparam [13:0] stable_before = 14'h0007;
    localparam [0:0] one_is_stable = 1'b0;
    localparam [4:0] seen_limit = 5'h08;
    localparam [4:0] seen_before = 5'h07;
    localparam [4:0] sent_limit = 5'h10;
    localparam [4:0] sent_before = 5'h0f;
    localparam [3:0] tries_before = 4'h7;
    localparam [2:0] down = 3'h0;
    localparam [2:0] polling = 3'h1;
    localparam [2:0] in_training = 3'h2;
    localparam [2:0] init = 3'h3;
    localparam [2:0] active = 3'h4;
    localparam [2:0] retraining = 3'h5;
    localparam [2:0] degraded = 3'h6;
    localparam [2:0] bist = 3'h7;
    localparam [1:0] sideband_mode = 2'h1;
    localparam [3:0] reasons_0 = 4'h0;
    localparam [3:0] reasons_1 = 4'h1;
    localparam [3:0] reasons_2 = 4'h2;
    localparam [3:0] reasons_3 = 4'h3;
    localparam [3:0] reasons_4 = 4'h4;
    localparam [3:0] reasons_5 = 4'h5;
    localparam [3:0] reasons_6 = 4'h6;
    localparam [3:0] reasons_7 = 4'h7;
    localparam [3:0] reasons_8 = 4'h8;
    localparam [3:0] reasons_9 = 4'h9;
    localparam [3:0] reasons_10 = 4'ha;
    localparam [3:0] reasons_11 = 4'hb;
    localparam [3:0] reasons_12 = 4'hc;
    localparam [3:0] reasons_13 = 4'hd;
    localparam [3:0] reasons_14 = 4'he;
    localparam [3:0] reasons_15 = 4'hf;
    wire waits_for_row;
    wire too_far;
    reg [3:0] kept;
    wire narrows;
    wire goes_to_init;
    reg [2:0] next_state;
    reg [3:0] wanted;
    wire [3:0] wanted_locked;
    wire in_view;
    wire still;
    wire confirms;
    wire peer_began;
    wire wrong_start;
    wire disabled;
    wire downs;
    wire retrains;
    wire begins;
    reg [3:0] gone;
    reg [2:0] state_now_q;
    wire is_up_d;
    reg is_up_q;
    wire is_polling_d;
    reg is_polling_q;
    wire trains_d;
    reg trains_q;
    wire is_init_d;
    reg is_init_q;
    wire is_active_d;
    reg is_active_q;
    wire is_bist_d;
    reg is_bist_q;
    wire linked_d;
    reg linked_q;
    reg was_init_q;
    wire phase_4_d;
    reg phase_4_q;
    reg [3:0] reason_now_d;
    reg [3:0] reason_now_q;
    reg is_locking_d;
    reg is_locking_q;
    reg is_confirming_d;
    reg is_confirming_q;
    wire is_known_clear;
    reg is_known_enable;
    reg is_known_q;
    reg [15:0] epoch_now_d;
    reg [15:0] epoch_now_q;
    reg [3:0] asked_d;
    reg [3:0] asked_q;
    reg [3:0] request_now_d;
    reg [3:0] request_now_q;
    reg [3:0] answer_now_d;
    reg [3:0] answer_now_q;
    reg peer_known_d;
    reg peer_known_q;
    reg has_agreed_d;
    reg has_agreed_q;
    reg [3:0] lanes_out_d;
    reg [3:0] lanes_out_q;
    reg [3:0] lanes_in_d;
    reg [3:0] lanes_in_q;
    reg [1:0] mode_out_d;
    reg [1:0] mode_out_q;
    reg [1:0] mode_in_d;
    reg [1:0] mode_in_q;
    reg begun_q;
    reg start_due_d;
    reg start_due_q;
    reg was_starting_q;
    reg row_waited_q;
    reg [2:0] apart_d;
    reg [2:0] apart_q;
    reg [3:0] unseen_d;
    reg [3:0] unseen_q;
    reg [13:0] stable_d;
    reg [13:0] stable_q;
    reg [4:0] seen_d;
    reg [4:0] seen_q;
    reg [4:0] sent_d;
    reg [4:0] sent_q;
    reg is_lined_up_d;
    reg is_lined_up_q;
    reg called_once_d;
    reg called_once_q;
    reg started_d;
    reg started_q;
    reg mismatched_d;
    reg mismatched_q;
    reg row_received_d;
    reg row_received_q;
    reg row_was_wrong_d;
    reg row_was_wrong_q;
    reg [17:0] timer_d;
    reg [17:0] timer_q;
    reg [3:0] tries_d;
    reg [3:0] tries_q;
    reg enabled_d;
    reg enabled_q;
    wire timer_over_d;
    reg timer_over_q;
    wire no_lane_d;
    reg no_lane_q;
    wire waited_d;
    reg waited_q;
    wire nearly_stable_d;
    reg nearly_stable_q;
    wire nearly_seen_d;
    reg nearly_seen_q;
    wire all_seen_d;
    reg all_seen_q;
    wire nearly_sent_d;
    reg nearly_sent_q;
    wire last_try_d;
    reg last_try_q;
    reg [3:0] found_q;
    wire found_all_d;
    reg found_all_q;
    reg phase_9_d;
    reg phase_9_q;
    wire in_time_d;
    reg in_time_q;
    wire too_late_d;
    reg too_late_q;
    wire viewed_d;
    reg viewed_q;
    wire no_view_d;
    reg no_view_q;
    wire changed_d;
    reg changed_q;
    wire directed_d;
    reg directed_q;
    wire sideband_d;
    reg sideband_q;
    wire lanes_found_d;
    reg lanes_found_q;
    reg stable_now_d;
    reg stable_now_q;
    wire seen_with_this_d;
    reg seen_with_this_q;
    reg leave_out_d;
    reg leave_out_q;
    reg relock_d;
    reg relock_q;
    reg [3:0] late_lane_d;
    reg [3:0] late_lane_q;
    reg go_down_d;
    reg go_down_q;
    wire for_sideband_d;
    reg for_sideband_q;
    reg go_up_d;
    reg go_up_q;
    reg poll_again_d;
    reg poll_again_q;
    reg train_d;
    reg train_q;
    reg train_again_d;
    reg train_again_q;
    reg retrain_d;
    reg retrain_q;
    reg settle_d;
    reg settle_q;
    reg fall_back_d;
    reg fall_back_q;
    reg confirm_d;
    reg confirm_q;
    reg begin_init_d;
    reg begin_init_q;
    reg renews_d;
    reg renews_q;
    wire is_full_d;
    reg is_full_q;

    assign is_up_d = (next_state != down);
    assign is_polling_d = (next_state == polling);
    assign trains_d = (next_state == in_training) | (next_state == retraining);
    assign is_init_d = (next_state == init);
    assign is_active_d = (next_state == active) | (next_state == degraded);
    assign is_bist_d = (next_state == bist);
    assign linked_d = (next_state == init) | ((next_state == active) | (next_state == degraded));
    assign phase_4_d = (phase == 4'h3) & ~clear;

    always @(*) begin
        reason_now_d = reason_now_q;
        if (go_up_q) begin
            reason_now_d = reasons_1;
        end
        if (poll_again_q) begin
            reason_now_d = reasons_7;
        end
        if (train_q | train_again_q) begin
            reason_now_d = reasons_13;
        end
        if (train_q) begin
            reason_now_d = reasons_2;
        end
        if (begin_init_q) begin
            reason_now_d = reasons_3;
        end
        if (event_in[4]) begin
            reason_now_d = reasons_4;
        end
        if (event_in[6]) begin
            reason_now_d = reasons_14;
        end
        if (retrains) begin
            reason_now_d = reasons_12;
            if (retrain_q & started_q & mismatched_q) begin
                reason_now_d = reasons_13;
            end
            if (event_in[1]) begin
                reason_now_d = reasons_11;
            end
            if (event_in[2]) begin
                reason_now_d = reasons_10;
            end
            if (event_in[3]) begin
                reason_now_d = reasons_9;
                if (|returned_0) begin
                    reason_now_d = reasons_10;
                end
            end
            if (event_in[5]) begin
                reason_now_d = reasons_15;
            end
        end
        if (downs) begin
            if (is_up_q) begin
                reason_now_d = reasons_7;
                if (for_sideband_q) begin
                    reason_now_d = reasons_8;
                end
                if (event_in[0]) begin
                    reason_now_d = reasons_6;
                end
                if (disabled) begin
                    reason_now_d = reasons_5;
                end
            end
        end
        if (clear) begin
            reason_now_d = reasons_0;
        end
    end

    always @(*) begin
        is_locking_d = is_locking_q;
        if (settle_q) begin
            is_locking_d = 1'b0;
        end
        if (relock_q) begin
            is_locking_d = 1'b1;
        end
        if (begins) begin
            is_locking_d = ~(train_q | train_again_q);
        end
    end

    always @(*) begin
        is_confirming_d = is_confirming_q;
        if (fall_back_q) begin
            is_confirming_d = 1'b0;
        end
        if (confirm_q) begin
            is_confirming_d = 1'b1;
        end
        if (relock_q) begin
            is_confirming_d = 1'b0;
        end
        if (leave_out_q) begin
            is_confirming_d = 1'b0;
        end
        if (begin_init_q) begin
            is_confirming_d = 1'b0;
        end
        if (begins) begin
            is_confirming_d = 1'b0;
        end
        if (clear) begin
            is_confirming_d = 1'b0;
        end
    end

    always @(*) begin
        epoch_now_d = epoch_now_q;
        if (go_up_q) begin
            epoch_now_d = epoch_now_q + 16'h0001;
        end
        if (clear) begin
            epoch_now_d = 16'h0;
        end
    end

    always @(*) begin
        asked_d = asked_q;
        if (train_q | settle_q) begin
            asked_d = found_q;
        end
        if (leave_out_q) begin
            asked_d = asked_q & ~late_lane_q;
        end
        if (retrains) begin
            asked_d = kept;
            if (event_in[1]) begin
                asked_d = kept & ~gone;
            end
            if (event_in[2]) begin
                asked_d = allowed;
            end
            if (event_in[3]) begin
                if (|returned_0) begin
                    asked_d = kept | (returned_0 & allowed);
                end
            end
        end
        if (downs) begin
            asked_d = 4'h0;
        end
        if (clear) begin
            asked_d = 4'h0;
        end
    end

    always @(*) begin
        request_now_d = request_now_q;
        if (train_q | train_again_q | (relock_q | leave_out_q) | retrains) begin
            request_now_d = request_now_q + 4'h1;
            if (&request_now_q) begin
                request_now_d = 4'h1;
            end
        end
        if (clear) begin
            request_now_d = 4'h0;
        end
    end

    always @(*) begin
        answer_now_d = answer_now_q;
        if (fall_back_q) begin
            answer_now_d = peer_request;
        end
        if (begins) begin
            answer_now_d = 4'h0;
        end
        if (clear) begin
            answer_now_d = 4'h0;
        end
    end

    always @(*) begin
        peer_known_d = peer_known_q;
        if (phase_9_q) begin
            if (~(is_polling_q | (in_time_q & is_locking_q))) begin
                if (viewed_q) begin
                    peer_known_d = 1'b1;
                end
            end
        end
        if (begins) begin
            peer_known_d = 1'b0;
        end
        if (clear) begin
            peer_known_d = 1'b0;
        end
    end

    always @(*) begin
        has_agreed_d = has_agreed_q;
        if (confirm_q) begin
            has_agreed_d = 1'b1;
        end
        if (downs) begin
            has_agreed_d = 1'b0;
        end
        if (clear) begin
            has_agreed_d = 1'b0;
        end
    end

    always @(*) begin
        lanes_out_d = lanes_out_q;
        if (confirm_q) begin
            lanes_out_d = to_send;
        end
        if (downs) begin
            lanes_out_d = 4'h0;
        end
        if (clear) begin
            lanes_out_d = 4'h0;
        end
    end

    always @(*) begin
        lanes_in_d = lanes_in_q;
        if (confirm_q) begin
            lanes_in_d = used;
        end
        if (downs) begin
            lanes_in_d = 4'h0;
        end
        if (clear) begin
            lanes_in_d = 4'h0;
        end
    end

    always @(*) begin
        mode_out_d = mode_out_q;
        if (confirm_q) begin
            mode_out_d = mode_to_send;
        end
        if (downs) begin
            mode_out_d = 2'h0;
        end
        if (clear) begin
            mode_out_d = 2'h0;
        end
    end

    always @(*) begin
        mode_in_d = mode_in_q;
        if (confirm_q) begin
            mode_in_d = mode_to_receive;
        end
        if (downs) begin
            mode_in_d = 2'h0;
        end
        if (clear) begin
            mode_in_d = 2'h0;
        end
    end

    always @(*) begin
        start_due_d = start_due_q;
        if (begun_q) begin
            start_due_d = 1'b1;
        end else if ((was_starting_q & ~at_set_end) | ~is_init_q) begin
            start_due_d = 1'b0;
        end
    end

    always @(*) begin
        apart_d = apart_q;
        if (phase_9_q) begin
            apart_d = 3'h0;
            if (too_far) begin
                apart_d = apart_q + 3'h1;
            end
        end
    end

    always @(*) begin
        unseen_d = unseen_q;
        if (phase_9_q) begin
            unseen_d = 4'h0;
            if (no_view_q) begin
                unseen_d = unseen_q + 4'h1;
            end
        end
    end

    always @(*) begin
        stable_d = stable_q;
        if (phase_9_q) begin
            if (is_polling_q | (in_time_q & is_locking_q)) begin
                stable_d = 14'h0;
                if (|found_q) begin
                    stable_d = stable_q + 14'h0001;
                end
            end else if (viewed_q) begin
                stable_d = stable_q + 14'h0001;
                if (nearly_stable_q) begin
                    stable_d = stable_limit;
                end
                if (changed_q) begin
                    stable_d = 14'h0001;
                end
            end
        end
        if (settle_q) begin
            stable_d = 14'h0;
        end
        if (relock_q) begin
            stable_d = 14'h0;
        end
        if (leave_out_q) begin
            stable_d = 14'h0;
        end
        if (begins) begin
            stable_d = 14'h0;
        end
    end

    always @(*) begin
        seen_d = seen_q;
        if (phase_9_q) begin
            if (still) begin
                if (all_ts2) begin
                    seen_d = seen_q + 5'h01;
                    if (nearly_seen_q) begin
                        seen_d = seen_limit;
                    end
                end
            end
            if (confirms) begin
                seen_d = {4'h0, all_ts2};
            end
        end
    end

    always @(*) begin
        sent_d = sent_q;
        if (phase_9_q) begin
            if (is_confirming_q) begin
                sent_d = sent_q + 5'h01;
                if (nearly_sent_q) begin
                    sent_d = sent_limit;
                end
            end
            if (confirms) begin
                sent_d = 5'h0;
            end
        end
    end

    always @(*) begin
        is_lined_up_d = is_lined_up_q;
        if (phase_9_q) begin
            if (still) begin
                is_lined_up_d = lined_up;
            end
            if (confirms) begin
                is_lined_up_d = lined_up;
            end
        end
        if (begins) begin
            is_lined_up_d = 1'b0;
        end
    end

    always @(*) begin
        called_once_d = called_once_q;
        if (phase_9_q) begin
            if (is_init_q) begin
                called_once_d = called_by_ts1;
            end
            if (is_active_q) begin
                called_once_d = called;
            end
        end
        if (begin_init_q) begin
            called_once_d = 1'b0;
        end
        if (event_in[4]) begin
            called_once_d = 1'b0;
        end
        if (begins) begin
            called_once_d = 1'b0;
        end
        if (clear) begin
            called_once_d = 1'b0;
        end
    end

    always @(*) begin
        started_d = started_q;
        if (phase == 4'h6) begin
            if (row_received_q) begin
                started_d = 1'b1;
            end else if (called) begin
                started_d = 1'b0;
            end
        end
        if (begins) begin
            started_d = 1'b0;
        end
    end

    always @(*) begin
        mismatched_d = mismatched_q;
        if (phase == 4'h6) begin
            if (row_received_q) begin
                mismatched_d = row_was_wrong_q;
            end
        end
        if (begins) begin
            mismatched_d = 1'b0;
        end
    end

    always @(*) begin
        row_received_d = row_received_q | row_start | start_mismatch;
        if (phase == 4'h6) begin
            row_received_d = row_start | start_mismatch;
        end
        if (clear) begin
            row_received_d = 1'b0;
        end
    end

    always @(*) begin
        row_was_wrong_d = row_was_wrong_q | start_mismatch;
        if (phase == 4'h6) begin
            row_was_wrong_d = start_mismatch;
        end
        if (clear) begin
            row_was_wrong_d = 1'b0;
        end
    end

    always @(*) begin
        timer_d = timer_q;
        if ((phase == 4'h5) & trains_q) begin
            timer_d = timer_q + 18'h00001;
        end
        if (begins) begin
            timer_d = 18'h0;
        end
    end

    always @(*) begin
        tries_d = tries_q;
        if (poll_again_q) begin
            tries_d = tries_q + 4'h1;
        end
        if (event_in[4]) begin
            tries_d = 4'h0;
        end
        if (downs) begin
            tries_d = 4'h0;
        end
        if (clear) begin
            tries_d = 4'h0;
        end
    end

    always @(*) begin
        enabled_d = enabled_q;
        if (phase_4_q) begin
            enabled_d = enable;
        end
        if (clear) begin
            enabled_d = 1'b0;
        end
    end

    assign timer_over_d = (timer_q > agree_limit);
    assign no_lane_d = ~(|asked_q);
    assign waited_d = (stable_q >= poll_limit);
    assign nearly_stable_d = (stable_q >= stable_before);
    assign nearly_seen_d = (seen_q >= seen_before);
    assign all_seen_d = (seen_q >= seen_limit);
    assign nearly_sent_d = (sent_q >= sent_before);
    assign last_try_d = (tries_q >= tries_before);
    assign found_all_d = (wanted_locked == wanted);

    always @(*) begin
        phase_9_d = (phase == 4'h8);
        if (clear) begin
            phase_9_d = 1'b0;
        end
    end

    assign in_time_d = trains_q & ~timer_over_q & ~no_lane_q;
    assign too_late_d = trains_q & (timer_over_q | no_lane_q);
    assign viewed_d = trains_q & ~timer_over_q & ~no_lane_q & (~is_locking_q & agreed);
    assign no_view_d = trains_q & ~timer_over_q & ~no_lane_q & (~is_locking_q & ~agreed);
    assign changed_d = ~same | ~peer_known_q;
    assign directed_d = mode_possible & (|to_send);
    assign sideband_d = is_known_q & has_agreed_q & ((mode_out_q == sideband_mode) != (mode_to_send == sideband_mode));
    assign lanes_found_d = (|found_q) & (found_all_q | waited_q);

    always @(*) begin
        stable_now_d = nearly_stable_q;
        if (~same | ~peer_known_q) begin
            stable_now_d = one_is_stable;
        end
    end

    assign seen_with_this_d = all_seen_q | (all_ts2 & nearly_seen_q);

    always @(*) begin
        leave_out_d = phase_9_q & ((too_far & (&apart_q)) | narrows);
        if (clear) begin
            leave_out_d = 1'b0;
        end
    end

    always @(*) begin
        relock_d = phase_9_q & no_view_q & ((&unseen_q) & ~goes_to_init);
        if (clear) begin
            relock_d = 1'b0;
        end
    end

    always @(*) begin
        late_lane_d = late_lane_q;
        if (phase_9_q) begin
            late_lane_d = late;
            if (narrows) begin
                late_lane_d = ~allowed;
            end
        end
    end

    always @(*) begin
        go_down_d = phase_9_q
            & ((too_late_q & (last_try_q | (state_now_q == retraining))) | (viewed_q & directed_q & sideband_q));
        if (clear) begin
            go_down_d = 1'b0;
        end
    end

    assign for_sideband_d = viewed_q & directed_q & sideband_q;

    always @(*) begin
        go_up_d = phase_9_q & ~is_up_q & enabled_q;
        if (clear) begin
            go_up_d = 1'b0;
        end
    end

    always @(*) begin
        poll_again_d = phase_9_q & too_late_q & (~last_try_q & (state_now_q == in_training));
        if (clear) begin
            poll_again_d = 1'b0;
        end
    end

    always @(*) begin
        train_d = phase_9_q & is_polling_q & lanes_found_q;
        if (clear) begin
            train_d = 1'b0;
        end
    end

    always @(*) begin
        train_again_d = phase_9_q & wrong_start & ~is_known_q;
        if (clear) begin
            train_again_d = 1'b0;
        end
    end

    always @(*) begin
        retrain_d = phase_9_q & (peer_began | (wrong_start & is_known_q));
        if (clear) begin
            retrain_d = 1'b0;
        end
    end

    always @(*) begin
        settle_d = phase_9_q & in_time_q & (is_locking_q & lanes_found_q);
        if (clear) begin
            settle_d = 1'b0;
        end
    end

    always @(*) begin
        fall_back_d = phase_9_q & viewed_q & changed_q;
        if (clear) begin
            fall_back_d = 1'b0;
        end
    end

    always @(*) begin
        confirm_d = phase_9_q & confirms;
        if (clear) begin
            confirm_d = 1'b0;
        end
    end

    always @(*) begin
        begin_init_d = goes_to_init;
        if (clear) begin
            begin_init_d = 1'b0;
        end
    end

    always @(*) begin
        renews_d = phase_9_q
            & ((~is_up_q & enabled_q) | (is_polling_q & lanes_found_q)
            | ((too_late_q & ~last_try_q & (state_now_q == in_training))
            | (peer_began | (is_init_q & started_q & mismatched_q))));
        if (clear) begin
            renews_d = 1'b0;
        end
    end

    assign is_full_d = (lanes_out_q == built) & (lanes_in_q == built);

    always @(*) begin
        next_state = state_now_q;
        if (go_up_q) begin
            next_state = polling;
        end
        if (poll_again_q) begin
            next_state = polling;
        end
        if (train_q | train_again_q) begin
            next_state = in_training;
        end
        if (begin_init_q) begin
            next_state = init;
        end
        if (event_in[4]) begin
            next_state = degraded;
            if (is_full_q) begin
                next_state = active;
            end
        end
        if (event_in[6]) begin
            next_state = bist;
        end
        if (retrains) begin
            next_state = retraining;
        end
        if (downs) begin
            next_state = down;
        end
        if (clear) begin
            next_state = down;
        end
    end

    always @(*) begin
        wanted = asked_q;
        if (|(asked_q & allowed)) begin
            wanted = asked_q & allowed;
        end
        if (is_polling_q) begin
            wanted = allowed;
        end
    end

    assign wanted_locked = locked & wanted;
    assign in_view = viewed_q & directed_q & ~sideband_q;
    assign still = in_view & is_confirming_q & ~changed_q;
    assign confirms = in_view & stable_now_q & (answered & (~is_confirming_q | changed_q));
    assign peer_began = called_once_q & ((is_init_q & called_by_ts1) | (is_active_q & called));
    assign wrong_start = is_init_q & started_q & (mismatched_q & ~peer_began);
    assign keep = phase_9_q & viewed_q;
    assign narrows = in_time_q & ~is_locking_q & ((|(asked_q & ~allowed)) & (|(asked_q & allowed)));
    assign too_far = in_view & ~changed_q & ~lined_up;
    assign goes_to_init = phase_9_q & is_confirming_q & nearly_sent_q
            & ((no_view_q & all_seen_q & is_lined_up_q) | (still & seen_with_this_q & lined_up));
    assign disabled = phase_4_q & ~enable;
    assign downs = disabled | event_in[0] | go_down_q;
    assign retrains = event_retrains | retrain_q;
    assign begins = downs | event_retrains | renews_q;

    always @(*) begin
        kept = asked_q & allowed;
        if (~(|(asked_q & allowed))) begin
            kept = allowed;
        end
    end

    always @(*) begin
        gone = 4'h0;
        gone = (gone & ~(4'h1 << event_lane)) | (4'h1 << event_lane);
    end

    always @(*) begin
        is_known_enable = 1'b0;
        if (event_in[4]) begin
            is_known_enable = 1'b1;
        end
    end

    assign is_known_clear = clear | downs | go_up_q;
    assign request = request_now_q;
    assign sent_answer = answer_now_q;
    assign running = linked_q | is_bist_q;
    assign start = start_due_q & row_waited_q & was_init_q & at_set_end;
    assign waits_for_row = (begun_q | start_due_q) & is_init_q & ~row_waits;
    assign announces = is_confirming_q | waits_for_row;

    always @(*) begin
        send = 4'h0;
        if (is_polling_q | trains_q | waits_for_row) begin
            send = built;
        end
        if (linked_q & ~waits_for_row) begin
            send = ~lanes_out_q;
        end
    end

    always @(*) begin
        sent_rx_ok = 4'h0;
        if ((trains_q & ~is_locking_q) | is_init_q) begin
            sent_rx_ok = asked_q;
        end
    end

    assign unlock = downs | retrains | poll_again_q;
    assign agree = confirm_q;

    always @(*) begin
        event_enable = 7'h0;
        event_enable = {event_enable[6:2], linked_q, event_enable[0]};
        event_enable = {event_enable[6:3], linked_q, event_enable[1:0]};
        event_enable = {event_enable[6:4], linked_q, event_enable[2:0]};
        event_enable = {is_active_q, is_bist_q, is_init_q, event_enable[3:1], 1'b1};
    end

    assign training = is_polling_q | trains_q;
    assign confirming = is_confirming_q;
    assign state = state_now_q;
    assign reason = reason_now_q;
    assign fresh = ~is_known_q;
    assign epoch = epoch_now_q;
    assign rx_ok = asked_q;
    assign tx_lanes = lanes_out_q;
    assign rx_lanes = lanes_in_q;
    assign tx_mode = mode_out_q;
    assign rx_mode = mode_in_q;

    initial state_now_q = 3'h0;
    always @(posedge clock) state_now_q <= next_state;

    initial is_up_q = 1'b0;
    always @(posedge clock) is_up_q <= is_up_d;

    initial is_polling_q = 1'b0;
    always @(posedge clock) is_polling_q <= is_polling_d;

    initial trains_q = 1'b0;
    always @(posedge clock) trains_q <= trains_d;

    initial is_init_q = 1'b0;
    always @(posedge clock) is_init_q <= is_init_d;

    initial is_active_q = 1'b0;
    always @(posedge clock) is_active_q <= is_active_d;

    initial is_bist_q = 1'b0;
    always @(posedge clock) is_bist_q <= is_bist_d;

    initial linked_q = 1'b0;
    always @(posedge clock) linked_q <= linked_d;

    initial was_init_q = 1'b0;
    always @(posedge clock) was_init_q <= is_init_q;

    initial phase_4_q = 1'b0;
    always @(posedge clock) phase_4_q <= phase_4_d;

    initial reason_now_q = 4'h0;
    always @(posedge clock) reason_now_q <= reason_now_d;

    initial is_locking_q = 1'b0;
    always @(posedge clock) is_locking_q <= is_locking_d;

    initial is_confirming_q = 1'b0;
    always @(posedge clock) is_confirming_q <= is_confirming_d;

    initial is_known_q = 1'b0;
    always @(posedge clock) begin
        if (is_known_clear) is_known_q <= 1'b0;
        else if (is_known_enable) is_known_q <= 1'b1;
    end

    initial epoch_now_q = 16'h0;
    always @(posedge clock) epoch_now_q <= epoch_now_d;

    initial asked_q = 4'h0;
    always @(posedge clock) asked_q <= asked_d;

    initial request_now_q = 4'h0;
    always @(posedge clock) request_now_q <= request_now_d;

    initial answer_now_q = 4'h0;
    always @(posedge clock) answer_now_q <= answer_now_d;

    initial peer_known_q = 1'b0;
    always @(posedge clock) peer_known_q <= peer_known_d;

    initial has_agreed_q = 1'b0;
    always @(posedge clock) has_agreed_q <= has_agreed_d;

    initial lanes_out_q = 4'h0;
    always @(posedge clock) lanes_out_q <= lanes_out_d;

    initial lanes_in_q = 4'h0;
    always @(posedge clock) lanes_in_q <= lanes_in_d;

    initial mode_out_q = 2'h0;
    always @(posedge clock) mode_out_q <= mode_out_d;

    initial mode_in_q = 2'h0;
    always @(posedge clock) mode_in_q <= mode_in_d;

    initial begun_q = 1'b0;
    always @(posedge clock) begun_q <= begin_init_q;

    initial start_due_q = 1'b0;
    always @(posedge clock) start_due_q <= start_due_d;

    initial was_starting_q = 1'b0;
    always @(posedge clock) was_starting_q <= start;

    initial row_waited_q = 1'b0;
    always @(posedge clock) row_waited_q <= row_waits;

    initial apart_q = 3'h0;
    always @(posedge clock) apart_q <= apart_d;

    initial unseen_q = 4'h0;
    always @(posedge clock) unseen_q <= unseen_d;

    initial stable_q = 14'h0;
    always @(posedge clock) stable_q <= stable_d;

    initial seen_q = 5'h0;
    always @(posedge clock) seen_q <= seen_d;

    initial sent_q = 5'h0;
    always @(posedge clock) sent_q <= sent_d;

    initial is_lined_up_q = 1'b0;
    always @(posedge clock) is_lined_up_q <= is_lined_up_d;

    initial called_once_q = 1'b0;
    always @(posedge clock) called_once_q <= called_once_d;

    initial started_q = 1'b0;
    always @(posedge clock) started_q <= started_d;

    initial mismatched_q = 1'b0;
    always @(posedge clock) mismatched_q <= mismatched_d;

    initial row_received_q = 1'b0;
    always @(posedge clock) row_received_q <= row_received_d;

    initial row_was_wrong_q = 1'b0;
    always @(posedge clock) row_was_wrong_q <= row_was_wrong_d;

    initial timer_q = 18'h0;
    always @(posedge clock) timer_q <= timer_d;

    initial tries_q = 4'h0;
    always @(posedge clock) tries_q <= tries_d;

    initial enabled_q = 1'b0;
    always @(posedge clock) enabled_q <= enabled_d;

    initial timer_over_q = 1'b0;
    always @(posedge clock) timer_over_q <= timer_over_d;

    initial no_lane_q = 1'b0;
    always @(posedge clock) no_lane_q <= no_lane_d;

    initial waited_q = 1'b0;
    always @(posedge clock) waited_q <= waited_d;

    initial nearly_stable_q = 1'b0;
    always @(posedge clock) nearly_stable_q <= nearly_stable_d;

    initial nearly_seen_q = 1'b0;
    always @(posedge clock) nearly_seen_q <= nearly_seen_d;

    initial all_seen_q = 1'b0;
    always @(posedge clock) all_seen_q <= all_seen_d;

    initial nearly_sent_q = 1'b0;
    always @(posedge clock) nearly_sent_q <= nearly_sent_d;

    initial last_try_q = 1'b0;
    always @(posedge clock) last_try_q <= last_try_d;

    initial found_q = 4'h0;
    always @(posedge clock) found_q <= wanted_locked;

    initial found_all_q = 1'b0;
    always @(posedge clock) found_all_q <= found_all_d;

    initial phase_9_q = 1'b0;
    always @(posedge clock) phase_9_q <= phase_9_d;

    initial in_time_q = 1'b0;
    always @(posedge clock) in_time_q <= in_time_d;

    initial too_late_q = 1'b0;
    always @(posedge clock) too_late_q <= too_late_d;

    initial viewed_q = 1'b0;
    always @(posedge clock) viewed_q <= viewed_d;

    initial no_view_q = 1'b0;
    always @(posedge clock) no_view_q <= no_view_d;

    initial changed_q = 1'b0;
    always @(posedge clock) changed_q <= changed_d;

    initial directed_q = 1'b0;
    always @(posedge clock) directed_q <= directed_d;

    initial sideband_q = 1'b0;
    always @(posedge clock) sideband_q <= sideband_d;

    initial lanes_found_q = 1'b0;
    always @(posedge clock) lanes_found_q <= lanes_found_d;

    initial stable_now_q = 1'b0;
    always @(posedge clock) stable_now_q <= stable_now_d;

    initial seen_with_this_q = 1'b0;
    always @(posedge clock) seen_with_this_q <= seen_with_this_d;

    initial leave_out_q = 1'b0;
    always @(posedge clock) leave_out_q <= leave_out_d;

    initial relock_q = 1'b0;
    always @(posedge clock) relock_q <= relock_d;

    initial late_lane_q = 4'h0;
    always @(posedge clock) late_lane_q <= late_lane_d;

    initial go_down_q = 1'b0;
    always @(posedge clock) go_down_q <= go_down_d;

    initial for_sideband_q = 1'b0;
    always @(posedge clock) for_sideband_q <= for_sideband_d;

    initial go_up_q = 1'b0;
    always @(posedge clock) go_up_q <= go_up_d;

    initial poll_again_q = 1'b0;
    always @(posedge clock) poll_again_q <= poll_again_d;

    initial train_q = 1'b0;
    always @(posedge clock) train_q <= train_d;

    initial train_again_q = 1'b0;
    always @(posedge clock) train_again_q <= train_again_d;

    initial retrain_q = 1'b0;
    always @(posedge clock) retrain_q <= retrain_d;

    initial settle_q = 1'b0;
    always @(posedge clock) settle_q <= settle_d;

    initial fall_back_q = 1'b0;
    always @(posedge clock) fall_back_q <= fall_back_d;

    initial confirm_q = 1'b0;
    always @(posedge clock) confirm_q <= confirm_d;

    initial begin_init_q = 1'b0;
    always @(posedge clock) begin_init_q <= begin_init_d;

    initial renews_q = 1'b0;
    always @(posedge clock) renews_q <= renews_d;

    initial is_full_q = 1'b0;
    always @(posedge clock) is_full_q <= is_full_d;

endmodule

module link_train (
    input  wire        clock,
    input  wire        clear,
    input  wire        enable,
    input  wire [3:0]  allowed,
    input  wire [19:0] offer,
    input  wire [1:0]  bond_index,
    input  wire [15:0] next_rx,
    input  wire [31:0] guid_low,
    input  wire [31:0] guid_high,
    input  wire        give_up,
    input  wire        remove,
    input  wire [1:0]  remove_lane,
    input  wire        restore,
    input  wire        retrain,
    input  wire [3:0]  returned_0,
    input  wire        init_done,
    input  wire        bist_start,
    input  wire        bist_end,
    input  wire [3:0]  signal_ok,
    input  wire [3:0]  lane_lock,
    output wire [3:0]  invert,
    output wire [3:0]  slip,
    output wire [2:0]  state,
    output wire [3:0]  reason,
    output wire        running,
    output wire        fresh,
    output wire [15:0] epoch,
    output wire [3:0]  rx_ok,
    output wire [3:0]  tx_lanes,
    output wire [3:0]  rx_lanes,
    output wire [1:0]  tx_mode,
    output wire [1:0]  rx_mode,
    output wire [19:0] peer_offer,
    output wire [1:0]  peer_bond,
    output wire        peer_fresh,
    output wire [15:0] peer_epoch,
    output wire [31:0] peer_guid_low,
    output wire [31:0] peer_guid_high,
    input  wire        row_start,
    input  wire        start_mismatch,
    input  wire        deskew_lost,
    input  wire        row_waits,
    output wire [1:0]  source_0,
    output wire [1:0]  source_1,
    output wire [1:0]  source_2,
    output wire [1:0]  source_3,
    output wire        rx_clear,
    output wire        tx_start,
    output wire        tx_clear,
    input  wire [33:0] lanes_0_data,
    input  wire        lanes_0_valid,
    input  wire [33:0] lanes_1_data,
    input  wire        lanes_1_valid,
    input  wire [33:0] lanes_2_data,
    input  wire        lanes_2_valid,
    input  wire [33:0] lanes_3_data,
    input  wire        lanes_3_valid,
    output wire [32:0] training_0_data,
    output wire        training_0_valid,
    input  wire        training_0_ready,
    output wire [32:0] training_1_data,
    output wire        training_1_valid,
    input  wire        training_1_ready,
    output wire [32:0] training_2_data,
    output wire        training_2_valid,
    input  wire        training_2_ready,
    output wire [32:0] training_3_data,
    output wire        training_3_valid,
    input  wire        training_3_ready
);

    reg [1:0] named_bond;
    reg named;
    reg [3:0] present;
    reg [3:0] received;
    reg [3:0] is_ts2;
    reg [3:0] turned;
    reg [3:0] slips;
    wire [3:0] to_send;
    reg [3:0] second;
    wire signal_lost;
    wire sets_out_set_end;
    wire sets_out_at_end;
    wire [32:0] sets_out_training_0_data;
    wire sets_out_training_0_valid;
    wire [32:0] sets_out_training_1_data;
    wire sets_out_training_1_valid;
    wire [32:0] sets_out_training_2_data;
    wire sets_out_training_2_valid;
    wire [32:0] sets_out_training_3_data;
    wire sets_out_training_3_valid;
    wire sets_in_0_signal_ok;
    wire sets_in_0_lane_lock;
    wire [31:0] sets_in_0_word;
    wire sets_in_0_present;
    wire sets_in_0_received;
    wire [1:0] sets_in_0_number;
    wire [1:0] sets_in_0_bond;
    wire sets_in_0_is_ts2;
    wire [7:0] sets_in_0_count;
    wire [3:0] sets_in_0_words_after;
    wire sets_in_0_invert;
    wire sets_in_0_slip;
    wire sets_in_1_signal_ok;
    wire sets_in_1_lane_lock;
    wire [31:0] sets_in_1_word;
    wire sets_in_1_present;
    wire sets_in_1_received;
    wire [1:0] sets_in_1_number;
    wire [1:0] sets_in_1_bond;
    wire sets_in_1_is_ts2;
    wire [7:0] sets_in_1_count;
    wire [3:0] sets_in_1_words_after;
    wire sets_in_1_invert;
    wire sets_in_1_slip;
    wire sets_in_2_signal_ok;
    wire sets_in_2_lane_lock;
    wire [31:0] sets_in_2_word;
    wire sets_in_2_present;
    wire sets_in_2_received;
    wire [1:0] sets_in_2_number;
    wire [1:0] sets_in_2_bond;
    wire sets_in_2_is_ts2;
    wire [7:0] sets_in_2_count;
    wire [3:0] sets_in_2_words_after;
    wire sets_in_2_invert;
    wire sets_in_2_slip;
    wire sets_in_3_signal_ok;
    wire sets_in_3_lane_lock;
    wire [31:0] sets_in_3_word;
    wire sets_in_3_present;
    wire sets_in_3_received;
    wire [1:0] sets_in_3_number;
    wire [1:0] sets_in_3_bond;
    wire sets_in_3_is_ts2;
    wire [7:0] sets_in_3_count;
    wire [3:0] sets_in_3_words_after;
    wire sets_in_3_invert;
    wire sets_in_3_slip;
    reg [1:0] kept_bond_d;
    reg [1:0] kept_bond_q;
    wire view_hold;
    wire [2:0] view_read_word;
    wire [3:0] view_phase;
    wire [3:0] view_valid;
    wire [1:0] view_numbers_0;
    wire [1:0] view_numbers_1;
    wire [1:0] view_numbers_2;
    wire [1:0] view_numbers_3;
    wire [3:0] view_ts1;
    wire view_agreed;
    wire view_all_ts2;
    wire view_same;
    wire view_lined_up;
    wire [3:0] view_late;
    wire [3:0] view_used;
    wire [3:0] view_asked;
    wire view_answered;
    wire [19:0] view_offer;
    wire [1:0] view_source_0;
    wire [1:0] view_source_1;
    wire [1:0] view_source_2;
    wire [1:0] view_source_3;
    wire [3:0] view_used_wires;
    wire [19:0] view_peer_offer;
    wire [3:0] view_peer_request;
    wire view_peer_fresh;
    wire [15:0] view_peer_epoch;
    wire [31:0] view_peer_guid_low;
    wire [31:0] view_peer_guid_high;
    wire locks_forget;
    wire locks_step;
    wire [3:0] locks_locked;
    wire events_retrain;
    wire events_take;
    wire [6:0] events_event;
    wire events_retrains;
    wire [1:0] events_lane;
    wire [6:0] mode_mine;
    wire [6:0] mode_yours;
    wire mode_possible;
    wire [1:0] mode_tx_mode;
    wire [1:0] mode_rx_mode;
    wire [2:0] machine_state;
    wire [3:0] machine_reason;
    wire machine_running;
    wire [6:0] machine_event_enable;
    wire machine_training;
    wire machine_confirming;
    wire machine_announces;
    wire machine_fresh;
    wire [15:0] machine_epoch;
    wire [3:0] machine_rx_ok;
    wire [3:0] machine_sent_rx_ok;
    wire [3:0] machine_request;
    wire [3:0] machine_sent_answer;
    wire [3:0] machine_send;
    wire [3:0] machine_tx_lanes;
    wire [3:0] machine_rx_lanes;
    wire [1:0] machine_tx_mode;
    wire [1:0] machine_rx_mode;
    wire machine_start;
    wire machine_keep;
    wire machine_agree;
    wire machine_unlock;
    reg [5:0] idle_d;
    reg [5:0] idle_q;
    reg has_called_d;
    reg has_called_q;
    reg has_called_by_ts1_d;
    reg has_called_by_ts1_q;
    reg [1:0] from_0_d;
    reg [1:0] from_0_q;
    reg [1:0] from_1_d;
    reg [1:0] from_1_q;
    reg [1:0] from_2_d;
    reg [1:0] from_2_q;
    reg [1:0] from_3_d;
    reg [1:0] from_3_q;
    reg [3:0] wires_d;
    reg [3:0] wires_q;
    wire rx_cleared_d;
    reg rx_cleared_q;
    wire tx_cleared_d;
    reg tx_cleared_q;
    reg ran_q;
    reg [3:0] shows_send_q;
    reg [3:0] shows_ts2_q;
    reg [3:0] shows_rx_ok_q;
    reg [3:0] shows_request_q;
    reg [3:0] shows_answer_q;
    reg shows_fresh_q;
    wire ticked_d;
    reg ticked_q;
    wire named_1;
    reg named_2;
    reg named_3;
    reg named_4;

    always @(*) begin
        kept_bond_d = kept_bond_q;
        if (machine_agree) begin
            kept_bond_d = named_bond;
        end
    end

    always @(*) begin
        idle_d = idle_q + 6'h01;
        if (ticked_q) begin
            idle_d = 6'h0;
        end
    end

    always @(*) begin
        has_called_d = 1'b0;
        if (view_valid[0] & machine_rx_lanes[view_numbers_0]) begin
            has_called_d = 1'b1;
        end
        if (view_valid[1] & machine_rx_lanes[view_numbers_1]) begin
            has_called_d = 1'b1;
        end
        if (view_valid[2] & machine_rx_lanes[view_numbers_2]) begin
            has_called_d = 1'b1;
        end
        if (view_valid[3] & machine_rx_lanes[view_numbers_3]) begin
            has_called_d = 1'b1;
        end
    end

    always @(*) begin
        has_called_by_ts1_d = 1'b0;
        if (view_valid[0] & machine_rx_lanes[view_numbers_0]) begin
            if (view_ts1[0]) begin
                has_called_by_ts1_d = 1'b1;
            end
        end
        if (view_valid[1] & machine_rx_lanes[view_numbers_1]) begin
            if (view_ts1[1]) begin
                has_called_by_ts1_d = 1'b1;
            end
        end
        if (view_valid[2] & machine_rx_lanes[view_numbers_2]) begin
            if (view_ts1[2]) begin
                has_called_by_ts1_d = 1'b1;
            end
        end
        if (view_valid[3] & machine_rx_lanes[view_numbers_3]) begin
            if (view_ts1[3]) begin
                has_called_by_ts1_d = 1'b1;
            end
        end
    end

    always @(*) begin
        wires_d = wires_q;
        if (machine_agree) begin
            wires_d = view_used_wires;
        end
    end

    assign rx_cleared_d = ~(machine_confirming | machine_running) | clear;
    assign tx_cleared_d = (ran_q & ~machine_running) | clear;
    assign ticked_d = sets_out_set_end | (&idle_q);

    always @(*) begin
        present = 4'h0;
        present = {present[3:1], sets_in_0_present};
        present = {present[3:2], sets_in_1_present, present[0]};
        present = {present[3], sets_in_2_present, present[1:0]};
        present = {sets_in_3_present, present[2:0]};
    end

    always @(*) begin
        received = 4'h0;
        received = {received[3:1], sets_in_0_received};
        received = {received[3:2], sets_in_1_received, received[0]};
        received = {received[3], sets_in_2_received, received[1:0]};
        received = {sets_in_3_received, received[2:0]};
    end

    always @(*) begin
        is_ts2 = 4'h0;
        is_ts2 = {is_ts2[3:1], sets_in_0_is_ts2};
        is_ts2 = {is_ts2[3:2], sets_in_1_is_ts2, is_ts2[0]};
        is_ts2 = {is_ts2[3], sets_in_2_is_ts2, is_ts2[1:0]};
        is_ts2 = {sets_in_3_is_ts2, is_ts2[2:0]};
    end

    always @(*) begin
        turned = 4'h0;
        turned = {turned[3:1], sets_in_0_invert};
        turned = {turned[3:2], sets_in_1_invert, turned[0]};
        turned = {turned[3], sets_in_2_invert, turned[1:0]};
        turned = {sets_in_3_invert, turned[2:0]};
    end

    always @(*) begin
        slips = 4'h0;
        slips = {slips[3:1], sets_in_0_slip};
        slips = {slips[3:2], sets_in_1_slip, slips[0]};
        slips = {slips[3], sets_in_2_slip, slips[1:0]};
        slips = {sets_in_3_slip, slips[2:0]};
    end

    assign sets_in_0_signal_ok = signal_ok[0];
    assign sets_in_0_lane_lock = lane_lock[0];
    assign sets_in_1_signal_ok = signal_ok[1];
    assign sets_in_1_lane_lock = lane_lock[1];
    assign sets_in_2_signal_ok = signal_ok[2];
    assign sets_in_2_lane_lock = lane_lock[2];
    assign sets_in_3_signal_ok = signal_ok[3];
    assign sets_in_3_lane_lock = lane_lock[3];
    assign invert = turned;
    assign slip = slips;
    assign locks_forget = clear | machine_unlock;
    assign locks_step = (view_phase == 4'h5) & machine_training;
    assign signal_lost = machine_running & (|(wires_q & ~signal_ok));
    assign events_take = (view_phase == 4'h3);
    assign events_retrain = retrain | deskew_lost | signal_lost;
    assign to_send = view_asked & allowed;
    assign mode_mine = offer[6:0];
    assign mode_yours = view_offer[6:0];

    always @(*) begin
        second = 4'h0;
        if (machine_announces) begin
            second = machine_tx_lanes;
        end
    end

    always @(*) begin
        from_0_d = from_0_q;
        if (machine_agree) begin
            from_0_d = view_source_0;
        end
    end

    assign source_0 = from_0_q;
    assign training_0_data = sets_out_training_0_data;
    assign training_0_valid = sets_out_training_0_valid;

    always @(*) begin
        from_1_d = from_1_q;
        if (machine_agree) begin
            from_1_d = view_source_1;
        end
    end

    assign source_1 = from_1_q;
    assign training_1_data = sets_out_training_1_data;
    assign training_1_valid = sets_out_training_1_valid;

    always @(*) begin
        from_2_d = from_2_q;
        if (machine_agree) begin
            from_2_d = view_source_2;
        end
    end

    assign source_2 = from_2_q;
    assign training_2_data = sets_out_training_2_data;
    assign training_2_valid = sets_out_training_2_valid;

    always @(*) begin
        from_3_d = from_3_q;
        if (machine_agree) begin
            from_3_d = view_source_3;
        end
    end

    assign source_3 = from_3_q;
    assign training_3_data = sets_out_training_3_data;
    assign training_3_valid = sets_out_training_3_valid;

    always @(*) begin
        named_bond = 2'h0;
        if (view_used_wires[0]) begin
            named_bond = sets_in_0_bond;
        end
        if (view_used_wires[1] & ~named_2) begin
            named_bond = sets_in_1_bond;
        end
        if (view_used_wires[2] & ~named_3) begin
            named_bond = sets_in_2_bond;
        end
        if (view_used_wires[3] & ~named_4) begin
            named_bond = sets_in_3_bond;
        end
    end

    assign named_1 = 1'b0;

    always @(*) begin
        named_2 = named_1;
        if (view_used_wires[0]) begin
            named_2 = 1'b1;
        end
    end

    always @(*) begin
        named_3 = named_2;
        if (view_used_wires[1] & ~named_2) begin
            named_3 = 1'b1;
        end
    end

    always @(*) begin
        named_4 = named_3;
        if (view_used_wires[2] & ~named_3) begin
            named_4 = 1'b1;
        end
    end

    always @(*) begin
        named = named_4;
        if (view_used_wires[3] & ~named_4) begin
            named = 1'b1;
        end
    end

    assign peer_bond = kept_bond_q;
    assign rx_clear = rx_cleared_q;
    assign tx_clear = tx_cleared_q;
    assign tx_start = machine_start;
    assign state = machine_state;
    assign reason = machine_reason;
    assign running = machine_running;
    assign fresh = machine_fresh;
    assign epoch = machine_epoch;
    assign rx_ok = machine_rx_ok;
    assign tx_lanes = machine_tx_lanes;
    assign rx_lanes = machine_rx_lanes;
    assign tx_mode = machine_tx_mode;
    assign rx_mode = machine_rx_mode;
    assign peer_offer = view_peer_offer;
    assign peer_fresh = view_peer_fresh;
    assign peer_epoch = view_peer_epoch;
    assign peer_guid_low = view_peer_guid_low;
    assign peer_guid_high = view_peer_guid_high;

    initial kept_bond_q = 2'h0;
    always @(posedge clock) kept_bond_q <= kept_bond_d;

    initial idle_q = 6'h0;
    always @(posedge clock) idle_q <= idle_d;

    initial has_called_q = 1'b0;
    always @(posedge clock) has_called_q <= has_called_d;

    initial has_called_by_ts1_q = 1'b0;
    always @(posedge clock) has_called_by_ts1_q <= has_called_by_ts1_d;

    initial from_0_q = 2'h0;
    always @(posedge clock) from_0_q <= from_0_d;

    initial from_1_q = 2'h0;
    always @(posedge clock) from_1_q <= from_1_d;

    initial from_2_q = 2'h0;
    always @(posedge clock) from_2_q <= from_2_d;

    initial from_3_q = 2'h0;
    always @(posedge clock) from_3_q <= from_3_d;

    initial wires_q = 4'h0;
    always @(posedge clock) wires_q <= wires_d;

    initial rx_cleared_q = 1'b0;
    always @(posedge clock) rx_cleared_q <= rx_cleared_d;

    initial tx_cleared_q = 1'b0;
    always @(posedge clock) tx_cleared_q <= tx_cleared_d;

    initial ran_q = 1'b0;
    always @(posedge clock) ran_q <= machine_running;

    initial shows_send_q = 4'h0;
    always @(posedge clock) shows_send_q <= machine_send;

    initial shows_ts2_q = 4'h0;
    always @(posedge clock) shows_ts2_q <= second;

    initial shows_rx_ok_q = 4'h0;
    always @(posedge clock) shows_rx_ok_q <= machine_sent_rx_ok;

    initial shows_request_q = 4'h0;
    always @(posedge clock) shows_request_q <= machine_request;

    initial shows_answer_q = 4'h0;
    always @(posedge clock) shows_answer_q <= machine_sent_answer;

    initial shows_fresh_q = 1'b0;
    always @(posedge clock) shows_fresh_q <= machine_fresh;

    initial ticked_q = 1'b0;
    always @(posedge clock) ticked_q <= ticked_d;

    link_train_tx_lanes4_24d2af69 sets_out (
        .clock(clock),
        .clear(clear),
        .send(shows_send_q),
        .ts2(shows_ts2_q),
        .offer(offer),
        .fresh(shows_fresh_q),
        .tx_mask(allowed),
        .rx_ok(shows_rx_ok_q),
        .request(shows_request_q),
        .answer(shows_answer_q),
        .epoch(machine_epoch),
        .bond_index(bond_index),
        .next_rx(next_rx),
        .guid_low(guid_low),
        .guid_high(guid_high),
        .set_end(sets_out_set_end),
        .at_end(sets_out_at_end),
        .training_0_data(sets_out_training_0_data),
        .training_0_valid(sets_out_training_0_valid),
        .training_0_ready(training_0_ready),
        .training_1_data(sets_out_training_1_data),
        .training_1_valid(sets_out_training_1_valid),
        .training_1_ready(training_1_ready),
        .training_2_data(sets_out_training_2_data),
        .training_2_valid(sets_out_training_2_valid),
        .training_2_ready(training_2_ready),
        .training_3_data(sets_out_training_3_data),
        .training_3_valid(sets_out_training_3_valid),
        .training_3_ready(training_3_ready)
    );

    link_train_rx_485a49c6 sets_in_0 (
        .clock(clock),
        .clear(clear),
        .may_turn(machine_training),
        .signal_ok(sets_in_0_signal_ok),
        .lane_lock(sets_in_0_lane_lock),
        .lane_data(lanes_0_data),
        .lane_valid(lanes_0_valid),
        .hold(view_hold),
        .read_word(view_read_word),
        .word(sets_in_0_word),
        .present(sets_in_0_present),
        .received(sets_in_0_received),
        .number(sets_in_0_number),
        .bond(sets_in_0_bond),
        .is_ts2(sets_in_0_is_ts2),
        .count(sets_in_0_count),
        .words_after(sets_in_0_words_after),
        .invert(sets_in_0_invert),
        .slip(sets_in_0_slip)
    );

    link_train_rx_485a49c6 sets_in_1 (
        .clock(clock),
        .clear(clear),
        .may_turn(machine_training),
        .signal_ok(sets_in_1_signal_ok),
        .lane_lock(sets_in_1_lane_lock),
        .lane_data(lanes_1_data),
        .lane_valid(lanes_1_valid),
        .hold(view_hold),
        .read_word(view_read_word),
        .word(sets_in_1_word),
        .present(sets_in_1_present),
        .received(sets_in_1_received),
        .number(sets_in_1_number),
        .bond(sets_in_1_bond),
        .is_ts2(sets_in_1_is_ts2),
        .count(sets_in_1_count),
        .words_after(sets_in_1_words_after),
        .invert(sets_in_1_invert),
        .slip(sets_in_1_slip)
    );

    link_train_rx_485a49c6 sets_in_2 (
        .clock(clock),
        .clear(clear),
        .may_turn(machine_training),
        .signal_ok(sets_in_2_signal_ok),
        .lane_lock(sets_in_2_lane_lock),
        .lane_data(lanes_2_data),
        .lane_valid(lanes_2_valid),
        .hold(view_hold),
        .read_word(view_read_word),
        .word(sets_in_2_word),
        .present(sets_in_2_present),
        .received(sets_in_2_received),
        .number(sets_in_2_number),
        .bond(sets_in_2_bond),
        .is_ts2(sets_in_2_is_ts2),
        .count(sets_in_2_count),
        .words_after(sets_in_2_words_after),
        .invert(sets_in_2_invert),
        .slip(sets_in_2_slip)
    );

    link_train_rx_485a49c6 sets_in_3 (
        .clock(clock),
        .clear(clear),
        .may_turn(machine_training),
        .signal_ok(sets_in_3_signal_ok),
        .lane_lock(sets_in_3_lane_lock),
        .lane_data(lanes_3_data),
        .lane_valid(lanes_3_valid),
        .hold(view_hold),
        .read_word(view_read_word),
        .word(sets_in_3_word),
        .present(sets_in_3_present),
        .received(sets_in_3_received),
        .number(sets_in_3_number),
        .bond(sets_in_3_bond),
        .is_ts2(sets_in_3_is_ts2),
        .count(sets_in_3_count),
        .words_after(sets_in_3_words_after),
        .invert(sets_in_3_invert),
        .slip(sets_in_3_slip)
    );

    train_view_ef36bb97 view (
        .clock(clock),
        .clear(clear),
        .tick(ticked_q),
        .present(present),
        .received(received),
        .is_ts2(is_ts2),
        .number_0(sets_in_0_number),
        .number_1(sets_in_1_number),
        .number_2(sets_in_2_number),
        .number_3(sets_in_3_number),
        .count_0(sets_in_0_count),
        .count_1(sets_in_1_count),
        .count_2(sets_in_2_count),
        .count_3(sets_in_3_count),
        .words_after_0(sets_in_0_words_after),
        .words_after_1(sets_in_1_words_after),
        .words_after_2(sets_in_2_words_after),
        .words_after_3(sets_in_3_words_after),
        .word_0(sets_in_0_word),
        .word_1(sets_in_1_word),
        .word_2(sets_in_2_word),
        .word_3(sets_in_3_word),
        .rx_ok(machine_rx_ok),
        .request(machine_request),
        .keep(machine_keep),
        .hold(view_hold),
        .read_word(view_read_word),
        .phase(view_phase),
        .valid(view_valid),
        .numbers_0(view_numbers_0),
        .numbers_1(view_numbers_1),
        .numbers_2(view_numbers_2),
        .numbers_3(view_numbers_3),
        .ts1(view_ts1),
        .agreed(view_agreed),
        .all_ts2(view_all_ts2),
        .same(view_same),
        .lined_up(view_lined_up),
        .late(view_late),
        .used(view_used),
        .asked(view_asked),
        .answered(view_answered),
        .offer(view_offer),
        .source_0(view_source_0),
        .source_1(view_source_1),
        .source_2(view_source_2),
        .source_3(view_source_3),
        .used_wires(view_used_wires),
        .peer_offer(view_peer_offer),
        .peer_request(view_peer_request),
        .peer_fresh(view_peer_fresh),
        .peer_epoch(view_peer_epoch),
        .peer_guid_low(view_peer_guid_low),
        .peer_guid_high(view_peer_guid_high)
    );

    train_locks_lock8_d811dd5c locks (
        .clock(clock),
        .forget(locks_forget),
        .step(locks_step),
        .valid(view_valid),
        .numbers_0(view_numbers_0),
        .numbers_1(view_numbers_1),
        .numbers_2(view_numbers_2),
        .numbers_3(view_numbers_3),
        .locked(locks_locked)
    );

    train_events_d5c833e6 events (
        .clock(clock),
        .clear(clear),
        .give_up(give_up),
        .remove(remove),
        .remove_lane(remove_lane),
        .restore(restore),
        .retrain(events_retrain),
        .init_done(init_done),
        .bist_end(bist_end),
        .bist_start(bist_start),
        .confirming(machine_confirming),
        .event_enable(machine_event_enable),
        .take(events_take),
        .event_out(events_event),
        .retrains(events_retrains),
        .lane(events_lane)
    );

    train_mode_180efb73 mode (
        .clock(clock),
        .mine(mode_mine),
        .yours(mode_yours),
        .tx_lanes(to_send),
        .rx_lanes(view_used),
        .possible(mode_possible),
        .tx_mode(mode_tx_mode),
        .rx_mode(mode_rx_mode)
    );

    train_machine_lanes4_probation1_65d4fc3e machine (
        .clock(clock),
        .clear(clear),
        .phase(view_phase),
        .enable(enable),
        .allowed(allowed),
        .event_in(events_event),
        .event_retrains(events_retrains),
        .event_lane(events_lane),
        .locked(locks_locked),
        .called(has_called_q),
        .called_by_ts1(has_called_by_ts1_q),
        .row_start(row_start),
        .start_mismatch(start_mismatch),
        .agreed(view_agreed),
        .all_ts2(view_all_ts2),
        .answered(view_answered),
        .peer_request(view_peer_request),
        .same(view_same),
        .lined_up(view_lined_up),
        .used(view_used),
        .to_send(to_send),
        .mode_possible(mode_possible),
        .mode_to_send(mode_tx_mode),
        .mode_to_receive(mode_rx_mode),
        .late(view_late),
        .at_set_end(sets_out_at_end),
        .row_waits(row_waits),
        .returned_0(returned_0),
        .state(machine_state),
        .reason(machine_reason),
        .running(machine_running),
        .event_enable(machine_event_enable),
        .training(machine_training),
        .confirming(machine_confirming),
        .announces(machine_announces),
        .fresh(machine_fresh),
        .epoch(machine_epoch),
        .rx_ok(machine_rx_ok),
        .sent_rx_ok(machine_sent_rx_ok),
        .request(machine_request),
        .sent_answer(machine_sent_answer),
        .send(machine_send),
        .tx_lanes(machine_tx_lanes),
        .rx_lanes(machine_rx_lanes),
        .tx_mode(machine_tx_mode),
        .rx_mode(machine_rx_mode),
        .start(machine_start),
        .keep(machine_keep),
        .agree(machine_agree),
        .unlock(machine_unlock)
    );

    // Bits that nothing reads.
    wire unused_bits = &{1'b0, named, view_offer};

endmodule
