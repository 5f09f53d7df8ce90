// time_servo as emitted at revision 9266522, before it was restructured: what hdl/tests/equivalence holds the block against. Children of both are named only.
`default_nettype none

module word_parts_d9433295 (
    input  wire        clock,
    input  wire [3:0]  part,
    input  wire [31:0] word,
    output wire [7:0]  held
);

    reg [7:0] parts_0_d;
    reg [7:0] parts_0_q;
    reg [7:0] parts_1_d;
    reg [7:0] parts_1_q;
    reg [7:0] parts_2_d;
    reg [7:0] parts_2_q;
    reg [7:0] parts_3_d;
    reg [7:0] parts_3_q;
    wire [7:0] chosen_d;
    reg [7:0] chosen_q;

    always @(*) begin
        parts_0_d = 8'h0;
        if (part[0]) begin
            parts_0_d = word[7:0];
        end
    end

    always @(*) begin
        parts_1_d = 8'h0;
        if (part[1]) begin
            parts_1_d = word[15:8];
        end
    end

    always @(*) begin
        parts_2_d = 8'h0;
        if (part[2]) begin
            parts_2_d = word[23:16];
        end
    end

    always @(*) begin
        parts_3_d = 8'h0;
        if (part[3]) begin
            parts_3_d = word[31:24];
        end
    end

    assign chosen_d = parts_0_q | parts_1_q | parts_2_q | parts_3_q;
    assign held = chosen_q;

    initial parts_0_q = 8'h0;
    always @(posedge clock) parts_0_q <= parts_0_d;

    initial parts_1_q = 8'h0;
    always @(posedge clock) parts_1_q <= parts_1_d;

    initial parts_2_q = 8'h0;
    always @(posedge clock) parts_2_q <= parts_2_d;

    initial parts_3_q = 8'h0;
    always @(posedge clock) parts_3_q <= parts_3_d;

    initial chosen_q = 8'h0;
    always @(posedge clock) chosen_q <= chosen_d;

endmodule

(* blackbox *)
module magnitude_2ad3a30b (
    input  wire        clock,
    input  wire        restart,
    input  wire        run,
    input  wire [3:0]  part,
    input  wire [2:0]  place,
    input  wire        error_bit,
    input  wire        negative,
    input  wire [31:0] step_thr,
    input  wire [31:0] outlier_thr,
    input  wire [15:0] lock_thr,
    output wire        above_step,
    output wire        above_outlier,
    output wire        above_lock
);
endmodule

(* blackbox *)
module serial_multiplier_416b006b (
    input  wire        clock,
    input  wire        restart,
    input  wire        run,
    input  wire        gain_bit,
    input  wire [31:0] factor,
    output wire [63:0] product,
    output wire        shifted
);
endmodule

(* blackbox *)
module period_counter_397fb23e (
    input  wire        clock,
    input  wire        restart,
    input  wire        enter,
    input  wire        mask,
    input  wire [31:0] nclk,
    input  wire [23:0] limit,
    output wire        small_out,
    output wire        power,
    output wire [1:0]  shift,
    output wire        due
);
endmodule

module time_servo (
    // Rising edge counts.
    input  wire        clock,
    // Synchronous clear.
    input  wire        clear,
    // EN: samples are used.
    input  wire        settings_enable,
    // STEP_EN: SyncTime may be stepped.
    input  wire        settings_step_enable,
    // FREEZE: software is the servo.
    input  wire        settings_freeze,
    // KP.
    input  wire [31:0] settings_kp,
    // KI.
    input  wire [31:0] settings_ki,
    // KACQ.
    input  wire [31:0] settings_kacq,
    // NCLK, core clocks.
    input  wire [31:0] settings_nclk,
    // STEP_THR, 1/256 ns.
    input  wire [31:0] settings_step_thr,
    // OUTLIER_THR, 1/256 ns.
    input  wire [31:0] settings_outlier_thr,
    // LOCK_THR, ns.
    input  wire [15:0] settings_lock_thr,
    // LOCK_N.
    input  wire [7:0]  settings_lock_n,
    // OUTLIER_N.
    input  wire [7:0]  settings_outlier_n,
    // HOLD_N, periods.
    input  wire [7:0]  settings_hold_n,
    // HOLD_MAX, periods.
    input  wire [23:0] settings_hold_max,
    // Phase error e of a sample of the tree that is followed, signed, 1/256 ns.
    input  wire [31:0] sample_data,
    input  wire        sample_valid,
    // With `sample`: the first after another tree was followed.
    input  wire        changed_tree,
    // With `sample`: V + ClockOffset - SyncTime, whole, signed, 1/256 ns.
    input  wire [71:0] difference,
    // SyncTime is to be stepped by this, signed, 1/256 ns.
    output wire [71:0] step_data,
    output wire        step_valid,
    // To be added to F_ACC, signed, 2^-48 ns; with `adjust_slew` SLEW_P for SLEW_N clocks, the lowest 48 bits, 2^-32
    //     ns.
    output wire [63:0] adjust_data,
    output wire        adjust_valid,
    // `adjust` is a slew.
    output wire        adjust_slew,
    // State, coded as in SERVO_STAT.
    output wire [2:0]  state,
    // Last phase error, signed, 1/256 ns.
    output wire [31:0] error,
    // Event: ACQ to TRACK.
    output wire        lock,
    // Event: TRACK to HOLDOVER.
    output wire        holdover,
    // Event: HOLDOVER to INVALID.
    output wire        invalid,
    // Event: OUTLIER_N outliers of equal sign in a row.
    output wire        outlier_run,
    // Event: an outlier was dropped (OUTLIER).
    output wire        outlier,
    // Event: a sample came while one was worked on.
    output wire        late
);

    localparam [2:0] free = 3'h0;
    localparam [2:0] acquire = 3'h1;
    localparam [2:0] track = 3'h2;
    localparam [2:0] hold = 3'h3;
    localparam [2:0] gone = 3'h4;
    localparam [3:0] first_part = 4'h1;
    localparam [2:0] part_ends = 3'h5;
    localparam [7:0] one = 8'h01;
    localparam [5:0] last_bit = 6'h1e;
    localparam [5:0] last_slew = 6'h2e;
    wire accept;
    wire [7:0] kp_part;
    wire [7:0] ki_part;
    wire [7:0] kacq_part;
    wire [2:0] place;
    wire going_on;
    wire keeps_row;
    wire active;
    wire is_free;
    wire jumps;
    wire good;
    wire drops;
    wire runs;
    wire begins;
    wire used;
    wire begin_acquire;
    wire begin_track;
    wire begin_signal;
    wire enter_holdover;
    wire enter_invalid;
    wire negative;
    wire magnitude_above_step;
    wire magnitude_above_outlier;
    wire magnitude_above_lock;
    wire multiplier_restart;
    wire multiplier_gain_bit;
    wire [63:0] multiplier_product;
    wire multiplier_shifted;
    wire periods_restart;
    wire periods_mask;
    reg [23:0] periods_limit;
    wire periods_small;
    wire periods_power;
    wire [1:0] periods_shift;
    wire periods_due;
    wire [7:0] kp_word_held;
    wire [7:0] ki_word_held;
    wire [7:0] kacq_word_held;
    reg [2:0] phase_d;
    reg [2:0] phase_q;
    reg [31:0] error_held_d;
    reg [31:0] error_held_q;
    reg [71:0] difference_held_d;
    reg [71:0] difference_held_q;
    reg changed_d;
    reg changed_q;
    reg busy_d;
    reg busy_q;
    reg comparing_d;
    reg comparing_q;
    reg settling_d;
    reg settling_q;
    reg deciding_d;
    reg deciding_q;
    reg multiplying_d;
    reg multiplying_q;
    reg flushing_d;
    reg flushing_q;
    reg draining_d;
    reg draining_q;
    reg emitting_d;
    reg emitting_q;
    reg [5:0] index_d;
    reg [5:0] index_q;
    reg [3:0] part_d;
    reg [3:0] part_q;
    reg kp_bit_d;
    reg kp_bit_q;
    reg ki_bit_d;
    reg ki_bit_q;
    reg kacq_bit_d;
    reg kacq_bit_q;
    reg [5:0] last_d;
    reg [5:0] last_q;
    wire ending_d;
    reg ending_q;
    reg begun_q;
    reg choosing_q;
    wire running_d;
    reg running_q;
    reg started_q;
    reg slewing_d;
    reg slewing_q;
    reg acquiring_d;
    reg acquiring_q;
    reg more_d;
    reg more_q;
    reg [7:0] row_d;
    reg [7:0] row_q;
    reg row_negative_d;
    reg row_negative_q;
    reg [7:0] row_next_d;
    reg [7:0] row_next_q;
    wire row_enough_d;
    reg row_enough_q;
    reg [7:0] row_wanted_d;
    reg [7:0] row_wanted_q;
    reg row_goes_on_d;
    reg row_goes_on_q;
    wire row_ends_d;
    reg row_ends_q;
    wire is_acquire_d;
    reg is_acquire_q;
    wire is_locked_d;
    reg is_locked_q;
    wire is_track_d;
    reg is_track_q;
    wire is_holdover_d;
    reg is_holdover_q;
    wire may_jump_d;
    reg may_jump_q;
    wire may_lock_d;
    reg may_lock_q;
    wire may_run_d;
    reg may_run_q;
    reg stepping_d;
    reg stepping_q;
    reg lock_now_d;
    reg lock_now_q;
    reg holdover_now_d;
    reg holdover_now_q;
    reg invalid_now_d;
    reg invalid_now_q;
    reg run_now_d;
    reg run_now_q;
    reg outlier_now_d;
    reg outlier_now_q;
    reg late_now_d;
    reg late_now_q;

    always @(*) begin
        phase_d = phase_q;
        if (enter_holdover) begin
            phase_d = hold;
        end
        if (enter_invalid) begin
            phase_d = gone;
        end
        if (deciding_q & active) begin
            if (begins | (may_run_q & magnitude_above_outlier & settings_step_enable)) begin
                phase_d = acquire;
            end
            if (good) begin
                phase_d = track;
            end
            if (may_lock_q & ~magnitude_above_lock) begin
                phase_d = track;
            end
        end
        if (clear) begin
            phase_d = free;
        end
    end

    always @(*) begin
        error_held_d = error_held_q;
        if (accept) begin
            error_held_d = sample_data;
        end
        if (clear) begin
            error_held_d = 32'h0;
        end
    end

    always @(*) begin
        difference_held_d = difference_held_q;
        if (accept) begin
            difference_held_d = difference;
        end
    end

    always @(*) begin
        changed_d = changed_q;
        if (accept) begin
            changed_d = changed_tree;
        end
    end

    always @(*) begin
        busy_d = accept | (busy_q & ((~deciding_q & ~emitting_q) | begin_signal));
        if (clear) begin
            busy_d = 1'b0;
        end
    end

    always @(*) begin
        comparing_d = accept | (comparing_q & ~ending_q);
        if (clear) begin
            comparing_d = 1'b0;
        end
    end

    always @(*) begin
        settling_d = comparing_q & ending_q;
        if (clear) begin
            settling_d = 1'b0;
        end
    end

    always @(*) begin
        deciding_d = settling_q;
        if (clear) begin
            deciding_d = 1'b0;
        end
    end

    always @(*) begin
        multiplying_d = begin_signal | (multiplying_q & ~ending_q);
        if (clear) begin
            multiplying_d = 1'b0;
        end
    end

    always @(*) begin
        flushing_d = multiplying_q & ending_q;
        if (clear) begin
            flushing_d = 1'b0;
        end
    end

    always @(*) begin
        draining_d = flushing_q;
        if (clear) begin
            draining_d = 1'b0;
        end
    end

    always @(*) begin
        emitting_d = draining_q;
        if (clear) begin
            emitting_d = 1'b0;
        end
    end

    always @(*) begin
        index_d = 6'h0;
        if (going_on) begin
            index_d = index_q + 6'h01;
        end
    end

    always @(*) begin
        part_d = first_part;
        if (going_on) begin
            part_d = part_q;
            if (place == part_ends) begin
                part_d = {part_q[2:0], 1'b0};
            end
        end
        if (clear) begin
            part_d = first_part;
        end
    end

    always @(*) begin
        kp_bit_d = kp_part[place];
        if (~multiplying_q | ~slewing_q) begin
            kp_bit_d = 1'b0;
        end
    end

    always @(*) begin
        ki_bit_d = ki_part[place];
        if (~multiplying_q | slewing_q | acquiring_q) begin
            ki_bit_d = 1'b0;
        end
    end

    always @(*) begin
        kacq_bit_d = kacq_part[place];
        if (~multiplying_q | ~acquiring_q) begin
            kacq_bit_d = 1'b0;
        end
    end

    always @(*) begin
        last_d = last_q;
        if (begin_track) begin
            last_d = last_slew;
        end else if (begin_acquire) begin
            last_d = {5'h0f, periods_shift[0]};
            if (periods_shift[1]) begin
                last_d = {5'h10, periods_shift[0]};
            end
        end else if (emitting_q | ~busy_q) begin
            last_d = last_bit;
        end
    end

    assign ending_d = (comparing_q | multiplying_q) & (index_q == last_q);
    assign running_d = choosing_q | comparing_q;

    always @(*) begin
        slewing_d = slewing_q;
        if (emitting_q) begin
            slewing_d = 1'b0;
        end
        if (deciding_q) begin
            slewing_d = begin_track;
        end
    end

    always @(*) begin
        acquiring_d = acquiring_q;
        if (deciding_q) begin
            acquiring_d = begin_acquire;
        end
    end

    always @(*) begin
        more_d = more_q;
        if (emitting_q) begin
            more_d = 1'b0;
        end
        if (deciding_q) begin
            more_d = begin_track & periods_small;
        end
    end

    always @(*) begin
        row_d = row_q;
        if (row_goes_on_q) begin
            row_d = row_next_q;
        end
        if (row_ends_q) begin
            row_d = 8'h0;
        end
        if (clear) begin
            row_d = 8'h0;
        end
    end

    always @(*) begin
        row_negative_d = row_negative_q;
        if (deciding_q & active) begin
            row_negative_d = negative;
        end
    end

    always @(*) begin
        row_next_d = row_q + one;
        if (~is_acquire_q & (row_negative_q != negative)) begin
            row_next_d = one;
        end
    end

    assign row_enough_d = (row_next_q >= row_wanted_q);

    always @(*) begin
        row_wanted_d = settings_outlier_n;
        if (is_acquire_q) begin
            row_wanted_d = settings_lock_n;
        end
    end

    always @(*) begin
        row_goes_on_d = deciding_q & active & keeps_row;
        if (clear) begin
            row_goes_on_d = 1'b0;
        end
    end

    assign row_ends_d = deciding_q & active & ~keeps_row;
    assign is_acquire_d = (phase_q == acquire);
    assign is_locked_d = (phase_q != acquire) & (phase_q != free);
    assign is_track_d = (phase_q == track);
    assign is_holdover_d = (phase_q == hold);
    assign may_jump_d = is_locked_q & changed_q;
    assign may_lock_d = is_acquire_q & row_enough_q;
    assign may_run_d = is_locked_q & row_enough_q;

    always @(*) begin
        stepping_d = 1'b0;
        if (deciding_q & active) begin
            stepping_d = (begins | is_acquire_q) & settings_step_enable;
        end
        if (clear) begin
            stepping_d = 1'b0;
        end
    end

    always @(*) begin
        lock_now_d = 1'b0;
        if (deciding_q & active) begin
            if (may_lock_q & ~magnitude_above_lock) begin
                lock_now_d = 1'b1;
            end
        end
        if (clear) begin
            lock_now_d = 1'b0;
        end
    end

    always @(*) begin
        holdover_now_d = enter_holdover;
        if (clear) begin
            holdover_now_d = 1'b0;
        end
    end

    always @(*) begin
        invalid_now_d = enter_invalid;
        if (clear) begin
            invalid_now_d = 1'b0;
        end
    end

    always @(*) begin
        run_now_d = 1'b0;
        if (deciding_q & active) begin
            run_now_d = runs;
        end
        if (clear) begin
            run_now_d = 1'b0;
        end
    end

    always @(*) begin
        outlier_now_d = 1'b0;
        if (deciding_q & active) begin
            outlier_now_d = drops;
        end
        if (clear) begin
            outlier_now_d = 1'b0;
        end
    end

    always @(*) begin
        late_now_d = sample_valid & busy_q;
        if (clear) begin
            late_now_d = 1'b0;
        end
    end

    assign accept = sample_valid & ~busy_q;
    assign negative = error_held_q[31];
    assign place = index_q[2:0];
    assign kp_part = kp_word_held;
    assign ki_part = ki_word_held;
    assign kacq_part = kacq_word_held;
    assign multiplier_gain_bit = kp_bit_q | ki_bit_q | kacq_bit_q | started_q;
    assign active = settings_enable & ~settings_freeze;
    assign is_free = ~is_acquire_q & ~is_locked_q;
    assign jumps = may_jump_q & settings_step_enable & magnitude_above_step;
    assign drops = is_locked_q & ~jumps & magnitude_above_outlier;
    assign good = is_locked_q & ~jumps & ~magnitude_above_outlier;
    assign runs = may_run_q & ~jumps & magnitude_above_outlier;
    assign begins = is_free | jumps;
    assign begin_acquire = deciding_q & active & is_acquire_q & periods_power;
    assign begin_track = deciding_q & active & good;
    assign begin_signal = begin_acquire | begin_track | (emitting_q & more_q);
    assign used = deciding_q & active & ~drops;
    assign enter_holdover = periods_due & ~deciding_q & is_track_q;
    assign enter_invalid = periods_due & ~deciding_q & is_holdover_q;

    always @(*) begin
        periods_limit = {16'h0, settings_hold_n};
        if (phase_q == hold) begin
            periods_limit = settings_hold_max;
        end
    end

    assign periods_restart = used | clear;
    assign periods_mask = deciding_q | enter_invalid | clear;
    assign keeps_row = ~row_enough_q & (drops | (is_acquire_q & ~magnitude_above_lock));
    assign multiplier_restart = begun_q | started_q;
    assign going_on = (comparing_q | multiplying_q) & ~ending_q;
    assign step_valid = stepping_q;
    assign step_data = difference_held_q;
    assign adjust_valid = emitting_q;
    assign adjust_data = multiplier_product;
    assign adjust_slew = slewing_q;
    assign state = phase_q;
    assign error = error_held_q;
    assign lock = lock_now_q;
    assign holdover = holdover_now_q;
    assign invalid = invalid_now_q;
    assign outlier_run = run_now_q;
    assign outlier = outlier_now_q;
    assign late = late_now_q;

    initial phase_q = 3'h0;
    always @(posedge clock) phase_q <= phase_d;

    initial error_held_q = 32'h0;
    always @(posedge clock) error_held_q <= error_held_d;

    initial difference_held_q = 72'h0;
    always @(posedge clock) difference_held_q <= difference_held_d;

    initial changed_q = 1'b0;
    always @(posedge clock) changed_q <= changed_d;

    initial busy_q = 1'b0;
    always @(posedge clock) busy_q <= busy_d;

    initial comparing_q = 1'b0;
    always @(posedge clock) comparing_q <= comparing_d;

    initial settling_q = 1'b0;
    always @(posedge clock) settling_q <= settling_d;

    initial deciding_q = 1'b0;
    always @(posedge clock) deciding_q <= deciding_d;

    initial multiplying_q = 1'b0;
    always @(posedge clock) multiplying_q <= multiplying_d;

    initial flushing_q = 1'b0;
    always @(posedge clock) flushing_q <= flushing_d;

    initial draining_q = 1'b0;
    always @(posedge clock) draining_q <= draining_d;

    initial emitting_q = 1'b0;
    always @(posedge clock) emitting_q <= emitting_d;

    initial index_q = 6'h0;
    always @(posedge clock) index_q <= index_d;

    initial part_q = 4'h0;
    always @(posedge clock) part_q <= part_d;

    initial kp_bit_q = 1'b0;
    always @(posedge clock) kp_bit_q <= kp_bit_d;

    initial ki_bit_q = 1'b0;
    always @(posedge clock) ki_bit_q <= ki_bit_d;

    initial kacq_bit_q = 1'b0;
    always @(posedge clock) kacq_bit_q <= kacq_bit_d;

    initial last_q = 6'h0;
    always @(posedge clock) last_q <= last_d;

    initial ending_q = 1'b0;
    always @(posedge clock) ending_q <= ending_d;

    initial begun_q = 1'b0;
    always @(posedge clock) begun_q <= begin_signal;

    initial choosing_q = 1'b0;
    always @(posedge clock) choosing_q <= multiplying_q;

    initial running_q = 1'b0;
    always @(posedge clock) running_q <= running_d;

    initial started_q = 1'b0;
    always @(posedge clock) started_q <= accept;

    initial slewing_q = 1'b0;
    always @(posedge clock) slewing_q <= slewing_d;

    initial acquiring_q = 1'b0;
    always @(posedge clock) acquiring_q <= acquiring_d;

    initial more_q = 1'b0;
    always @(posedge clock) more_q <= more_d;

    initial row_q = 8'h0;
    always @(posedge clock) row_q <= row_d;

    initial row_negative_q = 1'b0;
    always @(posedge clock) row_negative_q <= row_negative_d;

    initial row_next_q = 8'h0;
    always @(posedge clock) row_next_q <= row_next_d;

    initial row_enough_q = 1'b0;
    always @(posedge clock) row_enough_q <= row_enough_d;

    initial row_wanted_q = 8'h0;
    always @(posedge clock) row_wanted_q <= row_wanted_d;

    initial row_goes_on_q = 1'b0;
    always @(posedge clock) row_goes_on_q <= row_goes_on_d;

    initial row_ends_q = 1'b0;
    always @(posedge clock) row_ends_q <= row_ends_d;

    initial is_acquire_q = 1'b0;
    always @(posedge clock) is_acquire_q <= is_acquire_d;

    initial is_locked_q = 1'b0;
    always @(posedge clock) is_locked_q <= is_locked_d;

    initial is_track_q = 1'b0;
    always @(posedge clock) is_track_q <= is_track_d;

    initial is_holdover_q = 1'b0;
    always @(posedge clock) is_holdover_q <= is_holdover_d;

    initial may_jump_q = 1'b0;
    always @(posedge clock) may_jump_q <= may_jump_d;

    initial may_lock_q = 1'b0;
    always @(posedge clock) may_lock_q <= may_lock_d;

    initial may_run_q = 1'b0;
    always @(posedge clock) may_run_q <= may_run_d;

    initial stepping_q = 1'b0;
    always @(posedge clock) stepping_q <= stepping_d;

    initial lock_now_q = 1'b0;
    always @(posedge clock) lock_now_q <= lock_now_d;

    initial holdover_now_q = 1'b0;
    always @(posedge clock) holdover_now_q <= holdover_now_d;

    initial invalid_now_q = 1'b0;
    always @(posedge clock) invalid_now_q <= invalid_now_d;

    initial run_now_q = 1'b0;
    always @(posedge clock) run_now_q <= run_now_d;

    initial outlier_now_q = 1'b0;
    always @(posedge clock) outlier_now_q <= outlier_now_d;

    initial late_now_q = 1'b0;
    always @(posedge clock) late_now_q <= late_now_d;

    magnitude_2ad3a30b magnitude (
        .clock(clock),
        .restart(started_q),
        .run(comparing_q),
        .part(part_q),
        .place(place),
        .error_bit(multiplier_shifted),
        .negative(negative),
        .step_thr(settings_step_thr),
        .outlier_thr(settings_outlier_thr),
        .lock_thr(settings_lock_thr),
        .above_step(magnitude_above_step),
        .above_outlier(magnitude_above_outlier),
        .above_lock(magnitude_above_lock)
    );

    serial_multiplier_416b006b multiplier (
        .clock(clock),
        .restart(multiplier_restart),
        .run(running_q),
        .gain_bit(multiplier_gain_bit),
        .factor(error_held_q),
        .product(multiplier_product),
        .shifted(multiplier_shifted)
    );

    period_counter_397fb23e periods (
        .clock(clock),
        .restart(periods_restart),
        .enter(enter_holdover),
        .mask(periods_mask),
        .nclk(settings_nclk),
        .limit(periods_limit),
        .small_out(periods_small),
        .power(periods_power),
        .shift(periods_shift),
        .due(periods_due)
    );

    word_parts_d9433295 kp_word (
        .clock(clock),
        .part(part_q),
        .word(settings_kp),
        .held(kp_word_held)
    );

    word_parts_d9433295 ki_word (
        .clock(clock),
        .part(part_q),
        .word(settings_ki),
        .held(ki_word_held)
    );

    word_parts_d9433295 kacq_word (
        .clock(clock),
        .part(part_q),
        .word(settings_kacq),
        .held(kacq_word_held)
    );

endmodule

`default_nettype wire
