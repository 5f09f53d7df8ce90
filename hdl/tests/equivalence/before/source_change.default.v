// source_change as emitted at revision bf307b5, before it was restructured: what hdl/tests/equivalence holds the block against. Children are named only.
`default_nettype none

(* blackbox *)
module clamp_12cb422c (
    input  wire        clock,
    input  wire [64:0] base,
    input  wire [64:0] term,
    input  wire [31:0] limit,
    output wire [53:0] value,
    output wire        clamped
);
endmodule

module source_change (
    input  wire        clock,
    input  wire        clear,
    input  wire [66:0] write_data,
    input  wire        write_valid,
    output wire        write_ready,
    input  wire [71:0] step_data,
    input  wire        step_valid,
    input  wire [63:0] adjust_data,
    input  wire        adjust_valid,
    input  wire        adjust_slew,
    input  wire [31:0] slew_n,
    output wire [37:0] inc_nom,
    output wire [63:0] limits,
    output wire [53:0] f_acc,
    output wire [37:0] slew_p,
    output wire [31:0] slew_left,
    output wire        jump_now,
    output wire        jump_zero,
    output wire [95:0] jump,
    output wire        clamped,
    output wire        refused
);

    localparam [3:0] c_increment = 4'h1;
    localparam [3:0] c_limits = 4'h2;
    localparam [3:0] c_f_acc = 4'h3;
    localparam [3:0] c_slew_p = 4'h4;
    localparam [3:0] c_slew_cnt = 4'h5;
    localparam [3:0] c_set = 4'h6;
    localparam [3:0] c_add = 4'h7;
    localparam [3:0] c_move = 4'h8;
    localparam [3:0] c_slew = 4'h9;
    localparam [3:0] c_step = 4'ha;
    localparam [3:0] c_clamp_f = 4'hb;
    localparam [3:0] c_clamp_slew = 4'hc;
    localparam [2:0] first_clock = 3'h1;
    localparam [2:0] write_clock = 3'h6;
    localparam [64:0] above_f = 65'h1ffc0000000000000;
    wire idle;
    wire take_step;
    wire take_adjust;
    wire take_write;
    wire begins;
    wire now;
    wire is_jump;
    wire is_f;
    wire is_slew;
    wire sets_increment;
    wire sets_limits;
    wire [63:0] word;
    wire [53:0] register_f;
    reg [37:0] register_slew;
    wire [47:0] servo_slew;
    wire [53:0] value;
    wire [53:0] clamp_value;
    wire clamp_clamped;
    wire increment_enable;
    wire [37:0] increment_d;
    reg [37:0] increment_q;
    wire f_limit_enable;
    wire [31:0] f_limit_d;
    reg [31:0] f_limit_q;
    wire slew_limit_enable;
    wire [31:0] slew_limit_d;
    reg [31:0] slew_limit_q;
    reg [53:0] frequency_d;
    reg [53:0] frequency_q;
    reg [37:0] slew_d;
    reg [37:0] slew_q;
    reg [31:0] left_d;
    reg [31:0] left_q;
    reg step_waits_d;
    reg step_waits_q;
    reg [71:0] step_data_d;
    reg [71:0] step_data_q;
    reg adjust_waits_d;
    reg adjust_waits_q;
    reg [63:0] adjust_data_d;
    reg [63:0] adjust_data_q;
    reg adjust_is_slew_d;
    reg adjust_is_slew_q;
    reg [3:0] code_d;
    reg [3:0] code_q;
    reg [71:0] data_d;
    reg [71:0] data_q;
    reg [2:0] age_d;
    reg [2:0] age_q;
    reg jumps_d;
    reg jumps_q;
    reg zeroes_d;
    reg zeroes_q;
    reg [95:0] distance_d;
    reg [95:0] distance_q;
    reg [64:0] base_d;
    reg [64:0] base_q;
    reg [64:0] term_d;
    reg [64:0] term_q;
    reg [31:0] limit_d;
    reg [31:0] limit_q;
    reg [37:0] asked_increment_d;
    reg [37:0] asked_increment_q;
    reg [32:0] asked_sum_d;
    reg [32:0] asked_sum_q;
    reg too_wide_d;
    reg too_wide_q;
    wire allowed_d;
    reg allowed_q;
    reg clamped_now_d;
    reg clamped_now_q;
    reg refused_now_d;
    reg refused_now_q;

    always @(*) begin
        frequency_d = frequency_q;
        if (now) begin
            if (is_f) begin
                frequency_d = value;
            end
        end
        if (clear) begin
            frequency_d = 54'h0;
        end
    end

    always @(*) begin
        slew_d = slew_q;
        if (now) begin
            if (is_slew) begin
                slew_d = value[53:16];
            end
        end
        if (clear) begin
            slew_d = 38'h0;
        end
    end

    always @(*) begin
        left_d = left_q;
        if (|left_q) begin
            left_d = left_q - 32'h00000001;
        end
        if (now) begin
            if (code_q == c_slew) begin
                left_d = slew_n;
            end
            if (code_q == c_slew_cnt) begin
                left_d = word[31:0];
            end
        end
        if (clear) begin
            left_d = 32'h0;
        end
    end

    always @(*) begin
        step_waits_d = step_valid | (step_waits_q & ~take_step);
        if (clear) begin
            step_waits_d = 1'b0;
        end
    end

    always @(*) begin
        step_data_d = step_data_q;
        if (step_valid) begin
            step_data_d = step_data;
        end
    end

    always @(*) begin
        adjust_waits_d = adjust_valid | (adjust_waits_q & ~take_adjust);
        if (clear) begin
            adjust_waits_d = 1'b0;
        end
    end

    always @(*) begin
        adjust_data_d = adjust_data_q;
        if (adjust_valid) begin
            adjust_data_d = adjust_data;
        end
    end

    always @(*) begin
        adjust_is_slew_d = adjust_is_slew_q;
        if (adjust_valid) begin
            adjust_is_slew_d = adjust_slew;
        end
    end

    always @(*) begin
        code_d = code_q;
        if (begins) begin
            code_d = {1'b0, write_data[66:64]};
        end
        if (take_adjust) begin
            code_d = c_move;
            if (adjust_is_slew_q) begin
                code_d = c_slew;
            end
        end
        if (take_step) begin
            code_d = c_step;
        end
        if ((&age_q) & ((sets_limits & allowed_q) | (code_q == c_clamp_f))) begin
            code_d = c_clamp_slew;
            if (sets_limits) begin
                code_d = c_clamp_f;
            end
        end
    end

    always @(*) begin
        data_d = data_q;
        if (begins) begin
            data_d = {8'h0, write_data[63:0]};
        end
        if (take_adjust) begin
            data_d = {8'h0, adjust_data_q};
        end
        if (take_step) begin
            data_d = step_data_q;
        end
    end

    always @(*) begin
        age_d = age_q;
        if (begins | ~idle) begin
            age_d = age_q + first_clock;
        end
        if ((&age_q) & ((sets_limits & allowed_q) | (code_q == c_clamp_f))) begin
            age_d = first_clock;
        end
        if (clear) begin
            age_d = 3'h0;
        end
    end

    always @(*) begin
        jumps_d = is_jump & (age_q == first_clock);
        if (clear) begin
            jumps_d = 1'b0;
        end
    end

    always @(*) begin
        zeroes_d = (code_q == c_set) & (age_q == first_clock);
        if (clear) begin
            zeroes_d = 1'b0;
        end
    end

    always @(*) begin
        distance_d = distance_q;
        if (age_q == first_clock) begin
            distance_d = {word, 32'h0};
            if (code_q == c_step) begin
                distance_d = {data_q, 24'h0};
            end
        end
    end

    always @(*) begin
        base_d = 65'h0;
        if ((code_q == c_move) | (code_q == c_clamp_f)) begin
            base_d = {11'h0, frequency_q};
            if (frequency_q[53]) begin
                base_d = {11'h0, frequency_q} | above_f;
            end
        end
    end

    always @(*) begin
        term_d = 65'h0;
        if (code_q == c_move) begin
            term_d = {word[63], word};
        end
        if (code_q == c_f_acc) begin
            term_d = {11'h0, register_f};
            if (register_f[53]) begin
                term_d = {11'h0, register_f} | above_f;
            end
        end
        if ((code_q == c_slew_p) | (code_q == c_clamp_slew)) begin
            term_d = {11'h0, register_slew, 16'h0};
            if (register_slew[37]) begin
                term_d = {11'h0, register_slew, 16'h0} | above_f;
            end
        end
        if (code_q == c_slew) begin
            term_d = {servo_slew[47], servo_slew, 16'h0};
        end
    end

    always @(*) begin
        limit_d = f_limit_q;
        if (is_slew) begin
            limit_d = slew_limit_q;
        end
    end

    always @(*) begin
        asked_increment_d = increment_q;
        if (sets_increment) begin
            asked_increment_d = word[37:0];
        end
    end

    always @(*) begin
        asked_sum_d = {1'b0, f_limit_q} + {1'b0, slew_limit_q};
        if (sets_limits) begin
            asked_sum_d = {1'b0, word[31:0]} + {1'b0, word[63:32]};
        end
    end

    always @(*) begin
        too_wide_d = 1'b0;
        if (sets_increment) begin
            too_wide_d = |word[63:38];
        end
    end

    assign allowed_d = ~too_wide_q & ({5'h0, asked_sum_q} < asked_increment_q);

    always @(*) begin
        clamped_now_d = now & (is_f | is_slew) & clamp_clamped;
        if (clear) begin
            clamped_now_d = 1'b0;
        end
    end

    always @(*) begin
        refused_now_d = now & (sets_increment | sets_limits) & ~allowed_q;
        if (clear) begin
            refused_now_d = 1'b0;
        end
    end

    assign idle = ~(|age_q);
    assign take_step = idle & step_waits_q;
    assign take_adjust = idle & ~step_waits_q & adjust_waits_q;
    assign take_write = idle & ~step_waits_q & ~adjust_waits_q & ~clear;
    assign write_ready = take_write;
    assign begins = take_step | take_adjust | (take_write & write_valid);
    assign word = data_q[63:0];
    assign is_jump = (code_q == c_step) | (code_q == c_set) | (code_q == c_add);
    assign register_f = word[53:0];

    always @(*) begin
        register_slew = word[37:0];
        if (code_q == c_clamp_slew) begin
            register_slew = slew_q;
        end
    end

    assign servo_slew = word[47:0];
    assign is_f = (code_q == c_move) | (code_q == c_f_acc) | (code_q == c_clamp_f);
    assign is_slew = (code_q == c_slew) | (code_q == c_slew_p) | (code_q == c_clamp_slew);
    assign sets_increment = (code_q == c_increment);
    assign sets_limits = (code_q == c_limits);
    assign now = (age_q == write_clock);
    assign increment_d = word[37:0];
    assign increment_enable = now & sets_increment & allowed_q;
    assign f_limit_d = word[31:0];
    assign slew_limit_d = word[63:32];
    assign f_limit_enable = now & sets_limits & allowed_q;
    assign slew_limit_enable = now & sets_limits & allowed_q;
    assign value = clamp_value;
    assign inc_nom = increment_q;
    assign limits = {slew_limit_q, f_limit_q};
    assign f_acc = frequency_q;
    assign slew_p = slew_q;
    assign slew_left = left_q;
    assign jump_now = jumps_q;
    assign jump_zero = zeroes_q;
    assign jump = distance_q;
    assign clamped = clamped_now_q;
    assign refused = refused_now_q;

    initial increment_q = 38'h0666666666;
    always @(posedge clock) if (increment_enable) increment_q <= increment_d;

    initial f_limit_q = 32'h00cccccc;
    always @(posedge clock) if (f_limit_enable) f_limit_q <= f_limit_d;

    initial slew_limit_q = 32'h00cccccc;
    always @(posedge clock) if (slew_limit_enable) slew_limit_q <= slew_limit_d;

    initial frequency_q = 54'h0;
    always @(posedge clock) frequency_q <= frequency_d;

    initial slew_q = 38'h0;
    always @(posedge clock) slew_q <= slew_d;

    initial left_q = 32'h0;
    always @(posedge clock) left_q <= left_d;

    initial step_waits_q = 1'b0;
    always @(posedge clock) step_waits_q <= step_waits_d;

    initial step_data_q = 72'h0;
    always @(posedge clock) step_data_q <= step_data_d;

    initial adjust_waits_q = 1'b0;
    always @(posedge clock) adjust_waits_q <= adjust_waits_d;

    initial adjust_data_q = 64'h0;
    always @(posedge clock) adjust_data_q <= adjust_data_d;

    initial adjust_is_slew_q = 1'b0;
    always @(posedge clock) adjust_is_slew_q <= adjust_is_slew_d;

    initial code_q = 4'h0;
    always @(posedge clock) code_q <= code_d;

    initial data_q = 72'h0;
    always @(posedge clock) data_q <= data_d;

    initial age_q = 3'h0;
    always @(posedge clock) age_q <= age_d;

    initial jumps_q = 1'b0;
    always @(posedge clock) jumps_q <= jumps_d;

    initial zeroes_q = 1'b0;
    always @(posedge clock) zeroes_q <= zeroes_d;

    initial distance_q = 96'h0;
    always @(posedge clock) distance_q <= distance_d;

    initial base_q = 65'h0;
    always @(posedge clock) base_q <= base_d;

    initial term_q = 65'h0;
    always @(posedge clock) term_q <= term_d;

    initial limit_q = 32'h0;
    always @(posedge clock) limit_q <= limit_d;

    initial asked_increment_q = 38'h0;
    always @(posedge clock) asked_increment_q <= asked_increment_d;

    initial asked_sum_q = 33'h0;
    always @(posedge clock) asked_sum_q <= asked_sum_d;

    initial too_wide_q = 1'b0;
    always @(posedge clock) too_wide_q <= too_wide_d;

    initial allowed_q = 1'b0;
    always @(posedge clock) allowed_q <= allowed_d;

    initial clamped_now_q = 1'b0;
    always @(posedge clock) clamped_now_q <= clamped_now_d;

    initial refused_now_q = 1'b0;
    always @(posedge clock) refused_now_q <= refused_now_d;

    clamp_12cb422c clamp (
        .clock(clock),
        .base(base_q),
        .term(term_q),
        .limit(limit_q),
        .value(clamp_value),
        .clamped(clamp_clamped)
    );

endmodule

`default_nettype wire
