// link_probation as emitted at revision bf307b5, before it was restructured: what hdl/tests/equivalence holds the block against. Children are named only.
`default_nettype none

(* blackbox *)
module prbs_check_8be33836 (
    input  wire        clock,
    input  wire        restart,
    input  wire [33:0] lane_data,
    input  wire        lane_valid,
    output wire        received,
    output wire        bad
);
endmodule

(* blackbox *)
module probation_count_f2497ee3 (
    input  wire       clock,
    input  wire       flush,
    input  wire       ltp,
    input  wire [3:0] good,
    input  wire [3:0] waits,
    input  wire [3:0] lost_lanes,
    input  wire [2:0] removals_0,
    input  wire [2:0] removals_1,
    input  wire [2:0] removals_2,
    input  wire [2:0] removals_3,
    input  wire       enabled,
    input  wire [2:0] threshold,
    input  wire [2:0] safe,
    output wire [3:0] back
);
endmodule

module link_probation (
    input  wire        clock,
    input  wire        clear,
    input  wire [2:0]  state,
    input  wire [3:0]  allowed,
    input  wire [3:0]  tx_lanes,
    input  wire [3:0]  rx_lanes,
    input  wire [1:0]  source_0,
    input  wire [1:0]  source_1,
    input  wire [1:0]  source_2,
    input  wire [1:0]  source_3,
    input  wire        restore,
    input  wire        ltp,
    input  wire        enabled,
    input  wire [2:0]  threshold,
    input  wire [2:0]  safe,
    input  wire [33:0] lanes_0_data,
    input  wire        lanes_0_valid,
    input  wire [33:0] lanes_1_data,
    input  wire        lanes_1_valid,
    input  wire [33:0] lanes_2_data,
    input  wire        lanes_2_valid,
    input  wire [33:0] lanes_3_data,
    input  wire        lanes_3_valid,
    output wire [3:0]  probe,
    output wire [3:0]  returned,
    output wire        retrain
);

    localparam [2:0] active = 3'h4;
    localparam [2:0] degraded = 3'h6;
    localparam [2:0] one = 3'h1;
    localparam [3:0] all_signal = 4'hf;
    wire is_up;
    wire starts;
    wire forgets;
    wire flush;
    reg [3:0] seen_now;
    reg [3:0] failed_now;
    reg [3:0] own_0;
    reg [3:0] own_1;
    reg [3:0] own_2;
    reg [3:0] own_3;
    reg [3:0] used_now;
    wire [3:0] taken_0;
    wire [3:0] taken_1;
    wire [3:0] taken_2;
    wire [3:0] taken_3;
    reg [3:0] left;
    reg [3:0] first_left;
    reg [3:0] good;
    reg [3:0] back;
    wire checks_0_restart;
    wire checks_0_received;
    wire checks_0_bad;
    wire checks_1_restart;
    wire checks_1_received;
    wire checks_1_bad;
    wire checks_2_restart;
    wire checks_2_received;
    wire checks_2_bad;
    wire checks_3_restart;
    wire checks_3_received;
    wire checks_3_bad;
    wire [3:0] count_waits;
    reg [3:0] count_lost_lanes;
    wire [3:0] count_back;
    reg was_up_q;
    reg [3:0] probes_d;
    reg [3:0] probes_q;
    reg [3:0] wanted_d;
    reg [3:0] wanted_q;
    reg [3:0] waits_d;
    reg [3:0] waits_q;
    reg [2:0] removals_0_d;
    reg [2:0] removals_0_q;
    reg [2:0] removals_1_d;
    reg [2:0] removals_1_q;
    reg [2:0] removals_2_d;
    reg [2:0] removals_2_q;
    reg [2:0] removals_3_d;
    reg [2:0] removals_3_q;
    reg [3:0] seen_d;
    reg [3:0] seen_q;
    reg [3:0] failed_d;
    reg [3:0] failed_q;
    reg [3:0] clean_d;
    reg [3:0] clean_q;
    wire ltp_before_d;
    reg ltp_before_q;
    wire ltp_now_d;
    reg ltp_now_q;
    reg [3:0] inputs_used_q;
    reg [3:0] input_0_d;
    reg [3:0] input_0_q;
    reg [3:0] input_1_d;
    reg [3:0] input_1_q;
    reg [3:0] input_2_d;
    reg [3:0] input_2_q;
    reg [3:0] input_3_d;
    reg [3:0] input_3_q;
    reg [3:0] asked_d;
    reg [3:0] asked_q;
    wire asks_d;
    reg asks_q;
    reg [3:0] left_1;
    reg [3:0] left_2;
    reg [3:0] left_3;
    reg [3:0] first_left_1;
    reg [3:0] first_left_2;
    reg [3:0] first_left_3;

    always @(*) begin
        probes_d = 4'h0;
        if (is_up) begin
            probes_d = allowed & ~tx_lanes;
        end
    end

    always @(*) begin
        wanted_d = wanted_q | back;
        if (starts) begin
            wanted_d = rx_lanes;
        end
        if (forgets) begin
            wanted_d = 4'h0;
        end
    end

    always @(*) begin
        waits_d = waits_q & ~back;
        if (starts) begin
            waits_d = allowed & ~rx_lanes;
        end
        if (forgets) begin
            waits_d = 4'h0;
        end
    end

    always @(*) begin
        seen_d = seen_now;
        if (ltp_now_q) begin
            seen_d = 4'h0;
        end
        if (~was_up_q) begin
            seen_d = 4'h0;
        end
    end

    always @(*) begin
        failed_d = failed_now;
        if (ltp_now_q) begin
            failed_d = 4'h0;
        end
        if (~was_up_q) begin
            failed_d = all_signal;
        end
    end

    always @(*) begin
        clean_d = clean_q;
        if (ltp_now_q) begin
            clean_d = seen_now & ~failed_now;
        end
    end

    assign ltp_before_d = ltp & ~flush;
    assign ltp_now_d = ltp_before_q & ~flush;

    always @(*) begin
        asked_d = asked_q | back;
        if (flush) begin
            asked_d = 4'h0;
        end
    end

    assign asks_d = |back;
    assign is_up = (state == active) | (state == degraded);
    assign starts = is_up & ~was_up_q;
    assign forgets = clear | restore | ~(|state);
    assign flush = forgets | ~was_up_q;
    assign probe = probes_q;

    always @(*) begin
        seen_now = seen_q;
        if (checks_0_received) begin
            seen_now = {seen_now[3:1], 1'b1};
        end
        if (checks_1_received) begin
            seen_now = {seen_now[3:2], 1'b1, seen_now[0]};
        end
        if (checks_2_received) begin
            seen_now = {seen_now[3], 1'b1, seen_now[1:0]};
        end
        if (checks_3_received) begin
            seen_now = {1'b1, seen_now[2:0]};
        end
    end

    always @(*) begin
        failed_now = failed_q;
        if (checks_0_bad) begin
            failed_now = {failed_now[3:1], 1'b1};
        end
        if (checks_1_bad) begin
            failed_now = {failed_now[3:2], 1'b1, failed_now[0]};
        end
        if (checks_2_bad) begin
            failed_now = {failed_now[3], 1'b1, failed_now[1:0]};
        end
        if (checks_3_bad) begin
            failed_now = {1'b1, failed_now[2:0]};
        end
    end

    assign checks_0_restart = ~was_up_q;
    assign checks_1_restart = ~was_up_q;
    assign checks_2_restart = ~was_up_q;
    assign checks_3_restart = ~was_up_q;

    always @(*) begin
        used_now = 4'h0;
        if (rx_lanes[0]) begin
            used_now = used_now | own_0;
        end
        if (rx_lanes[1]) begin
            used_now = used_now | own_1;
        end
        if (rx_lanes[2]) begin
            used_now = used_now | own_2;
        end
        if (rx_lanes[3]) begin
            used_now = used_now | own_3;
        end
    end

    always @(*) begin
        own_0 = 4'h0;
        own_0 = (own_0 & ~(4'h1 << source_0)) | (4'h1 << source_0);
    end

    always @(*) begin
        own_1 = 4'h0;
        own_1 = (own_1 & ~(4'h1 << source_1)) | (4'h1 << source_1);
    end

    always @(*) begin
        own_2 = 4'h0;
        own_2 = (own_2 & ~(4'h1 << source_2)) | (4'h1 << source_2);
    end

    always @(*) begin
        own_3 = 4'h0;
        own_3 = (own_3 & ~(4'h1 << source_3)) | (4'h1 << source_3);
    end

    assign taken_0 = inputs_used_q;
    assign taken_1 = taken_0 | input_0_q;
    assign taken_2 = taken_1 | input_1_q;
    assign taken_3 = taken_2 | input_2_q;

    always @(*) begin
        good = 4'h0;
        good = {good[3:1], |(input_0_q & clean_q)};
        good = {good[3:2], |(input_1_q & clean_q), good[0]};
        good = {good[3], |(input_2_q & clean_q), good[1:0]};
        good = {|(input_3_q & clean_q), good[2:0]};
    end

    always @(*) begin
        left_1 = 4'h0;
        left_1 = {left_1[3:1], ~taken_0[0]};
        left_1 = {left_1[3:2], ~taken_0[1], left_1[0]};
        left_1 = {left_1[3], ~taken_0[2], left_1[1:0]};
        left_1 = {~taken_0[3], left_1[2:0]};
    end

    always @(*) begin
        left_2 = 4'h0;
        left_2 = {left_2[3:1], ~taken_1[0]};
        left_2 = {left_2[3:2], ~taken_1[1], left_2[0]};
        left_2 = {left_2[3], ~taken_1[2], left_2[1:0]};
        left_2 = {~taken_1[3], left_2[2:0]};
    end

    always @(*) begin
        left_3 = 4'h0;
        left_3 = {left_3[3:1], ~taken_2[0]};
        left_3 = {left_3[3:2], ~taken_2[1], left_3[0]};
        left_3 = {left_3[3], ~taken_2[2], left_3[1:0]};
        left_3 = {~taken_2[3], left_3[2:0]};
    end

    always @(*) begin
        left = 4'h0;
        left = {left[3:1], ~taken_3[0]};
        left = {left[3:2], ~taken_3[1], left[0]};
        left = {left[3], ~taken_3[2], left[1:0]};
        left = {~taken_3[3], left[2:0]};
    end

    always @(*) begin
        first_left_1 = 4'h0;
        if (left_1[0] & ~(|first_left_1)) begin
            first_left_1 = {first_left_1[3:1], 1'b1};
        end
        if (left_1[1] & ~(|first_left_1)) begin
            first_left_1 = {first_left_1[3:2], 1'b1, first_left_1[0]};
        end
        if (left_1[2] & ~(|first_left_1)) begin
            first_left_1 = {first_left_1[3], 1'b1, first_left_1[1:0]};
        end
        if (left_1[3] & ~(|first_left_1)) begin
            first_left_1 = {1'b1, first_left_1[2:0]};
        end
    end

    always @(*) begin
        first_left_2 = 4'h0;
        if (left_2[0] & ~(|first_left_2)) begin
            first_left_2 = {first_left_2[3:1], 1'b1};
        end
        if (left_2[1] & ~(|first_left_2)) begin
            first_left_2 = {first_left_2[3:2], 1'b1, first_left_2[0]};
        end
        if (left_2[2] & ~(|first_left_2)) begin
            first_left_2 = {first_left_2[3], 1'b1, first_left_2[1:0]};
        end
        if (left_2[3] & ~(|first_left_2)) begin
            first_left_2 = {1'b1, first_left_2[2:0]};
        end
    end

    always @(*) begin
        first_left_3 = 4'h0;
        if (left_3[0] & ~(|first_left_3)) begin
            first_left_3 = {first_left_3[3:1], 1'b1};
        end
        if (left_3[1] & ~(|first_left_3)) begin
            first_left_3 = {first_left_3[3:2], 1'b1, first_left_3[0]};
        end
        if (left_3[2] & ~(|first_left_3)) begin
            first_left_3 = {first_left_3[3], 1'b1, first_left_3[1:0]};
        end
        if (left_3[3] & ~(|first_left_3)) begin
            first_left_3 = {1'b1, first_left_3[2:0]};
        end
    end

    always @(*) begin
        first_left = 4'h0;
        if (left[0] & ~(|first_left)) begin
            first_left = {first_left[3:1], 1'b1};
        end
        if (left[1] & ~(|first_left)) begin
            first_left = {first_left[3:2], 1'b1, first_left[0]};
        end
        if (left[2] & ~(|first_left)) begin
            first_left = {first_left[3], 1'b1, first_left[1:0]};
        end
        if (left[3] & ~(|first_left)) begin
            first_left = {1'b1, first_left[2:0]};
        end
    end

    always @(*) begin
        input_0_d = own_0;
        if (~rx_lanes[0] & (|(taken_0 & own_0))) begin
            input_0_d = first_left_1;
        end
    end

    always @(*) begin
        input_1_d = own_1;
        if (~rx_lanes[1] & (|(taken_1 & own_1))) begin
            input_1_d = first_left_2;
        end
    end

    always @(*) begin
        input_2_d = own_2;
        if (~rx_lanes[2] & (|(taken_2 & own_2))) begin
            input_2_d = first_left_3;
        end
    end

    always @(*) begin
        input_3_d = own_3;
        if (~rx_lanes[3] & (|(taken_3 & own_3))) begin
            input_3_d = first_left;
        end
    end

    assign count_waits = waits_q & ~count_back;

    always @(*) begin
        count_lost_lanes = 4'h0;
        if (starts) begin
            count_lost_lanes = ~waits_q | (wanted_q & ~rx_lanes);
        end
    end

    always @(*) begin
        back = count_back;
        if (flush) begin
            back = 4'h0;
        end
    end

    always @(*) begin
        removals_0_d = removals_0_q;
        if (starts & wanted_q[0] & (~rx_lanes[0] & ~(&removals_0_q))) begin
            removals_0_d = removals_0_q + one;
        end
        if (forgets) begin
            removals_0_d = 3'h0;
        end
    end

    always @(*) begin
        removals_1_d = removals_1_q;
        if (starts & wanted_q[1] & (~rx_lanes[1] & ~(&removals_1_q))) begin
            removals_1_d = removals_1_q + one;
        end
        if (forgets) begin
            removals_1_d = 3'h0;
        end
    end

    always @(*) begin
        removals_2_d = removals_2_q;
        if (starts & wanted_q[2] & (~rx_lanes[2] & ~(&removals_2_q))) begin
            removals_2_d = removals_2_q + one;
        end
        if (forgets) begin
            removals_2_d = 3'h0;
        end
    end

    always @(*) begin
        removals_3_d = removals_3_q;
        if (starts & wanted_q[3] & (~rx_lanes[3] & ~(&removals_3_q))) begin
            removals_3_d = removals_3_q + one;
        end
        if (forgets) begin
            removals_3_d = 3'h0;
        end
    end

    assign returned = asked_q;
    assign retrain = asks_q;

    initial was_up_q = 1'b0;
    always @(posedge clock) was_up_q <= is_up;

    initial probes_q = 4'h0;
    always @(posedge clock) probes_q <= probes_d;

    initial wanted_q = 4'h0;
    always @(posedge clock) wanted_q <= wanted_d;

    initial waits_q = 4'h0;
    always @(posedge clock) waits_q <= waits_d;

    initial removals_0_q = 3'h0;
    always @(posedge clock) removals_0_q <= removals_0_d;

    initial removals_1_q = 3'h0;
    always @(posedge clock) removals_1_q <= removals_1_d;

    initial removals_2_q = 3'h0;
    always @(posedge clock) removals_2_q <= removals_2_d;

    initial removals_3_q = 3'h0;
    always @(posedge clock) removals_3_q <= removals_3_d;

    initial seen_q = 4'h0;
    always @(posedge clock) seen_q <= seen_d;

    initial failed_q = 4'h0;
    always @(posedge clock) failed_q <= failed_d;

    initial clean_q = 4'h0;
    always @(posedge clock) clean_q <= clean_d;

    initial ltp_before_q = 1'b0;
    always @(posedge clock) ltp_before_q <= ltp_before_d;

    initial ltp_now_q = 1'b0;
    always @(posedge clock) ltp_now_q <= ltp_now_d;

    initial inputs_used_q = 4'h0;
    always @(posedge clock) inputs_used_q <= used_now;

    initial input_0_q = 4'h0;
    always @(posedge clock) input_0_q <= input_0_d;

    initial input_1_q = 4'h0;
    always @(posedge clock) input_1_q <= input_1_d;

    initial input_2_q = 4'h0;
    always @(posedge clock) input_2_q <= input_2_d;

    initial input_3_q = 4'h0;
    always @(posedge clock) input_3_q <= input_3_d;

    initial asked_q = 4'h0;
    always @(posedge clock) asked_q <= asked_d;

    initial asks_q = 1'b0;
    always @(posedge clock) asks_q <= asks_d;

    prbs_check_8be33836 checks_0 (
        .clock(clock),
        .restart(checks_0_restart),
        .lane_data(lanes_0_data),
        .lane_valid(lanes_0_valid),
        .received(checks_0_received),
        .bad(checks_0_bad)
    );

    prbs_check_8be33836 checks_1 (
        .clock(clock),
        .restart(checks_1_restart),
        .lane_data(lanes_1_data),
        .lane_valid(lanes_1_valid),
        .received(checks_1_received),
        .bad(checks_1_bad)
    );

    prbs_check_8be33836 checks_2 (
        .clock(clock),
        .restart(checks_2_restart),
        .lane_data(lanes_2_data),
        .lane_valid(lanes_2_valid),
        .received(checks_2_received),
        .bad(checks_2_bad)
    );

    prbs_check_8be33836 checks_3 (
        .clock(clock),
        .restart(checks_3_restart),
        .lane_data(lanes_3_data),
        .lane_valid(lanes_3_valid),
        .received(checks_3_received),
        .bad(checks_3_bad)
    );

    probation_count_f2497ee3 count (
        .clock(clock),
        .flush(flush),
        .ltp(ltp_now_q),
        .good(good),
        .waits(count_waits),
        .lost_lanes(count_lost_lanes),
        .removals_0(removals_0_q),
        .removals_1(removals_1_q),
        .removals_2(removals_2_q),
        .removals_3(removals_3_q),
        .enabled(enabled),
        .threshold(threshold),
        .safe(safe),
        .back(count_back)
    );

endmodule

`default_nettype wire
