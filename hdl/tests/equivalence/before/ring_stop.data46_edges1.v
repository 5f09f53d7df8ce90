// ring_stop as emitted at revision bf307b5, before it was restructured: what hdl/tests/equivalence holds the block against. Children are named only.
`default_nettype none

module ring_stop (
    input  wire        clock,
    input  wire        clear,
    input  wire [5:0]  own_id,
    input  wire        own_parity,
    input  wire        own_is_next,
    input  wire [5:0]  second_id,
    input  wire [5:0]  third_id,
    input  wire        monitor,
    input  wire        second_is_monitor,
    input  wire [3:0]  wait_max,
    input  wire [3:0]  copy_trees,
    input  wire        core_edge_0,
    input  wire [16:0] control_in,
    input  wire [45:0] data_in,
    input  wire        own_in,
    input  wire        forwards_in,
    input  wire [2:0]  forward_copies_in,
    input  wire [4:0]  look_ahead_in,
    output wire [16:0] control_out,
    output wire [45:0] data_out,
    output wire        own_out,
    output wire        forwards_out,
    output wire [2:0]  forward_copies_out,
    output wire [4:0]  look_ahead_out,
    input  wire [50:0] insert_data,
    input  wire        insert_valid,
    output wire        insert_ready,
    output wire [45:0] copy_data,
    output wire        copy_valid,
    output wire [16:0] copy_control,
    output wire        busy,
    output wire        wait_over,
    output wire        orphan
);

    localparam [1:0] low_kind = 2'h1;
    localparam [45:0] third_0 = 46'h00000000ffff;
    localparam [45:0] third_1 = 46'h00007fff0000;
    localparam [45:0] third_2 = 46'h3fff80000000;
    localparam [2:0] every_hold = 3'h7;
    localparam [5:0] every_id_bit = 6'h3f;
    localparam [3:0] every_wait_bit = 4'hf;
    localparam [7:0] near_end = 8'hfc;
    wire occupied;
    wire again;
    wire marked;
    wire expired;
    wire may_enter;
    wire goes_on;
    wire enter;
    wire arrives;
    wire [2:0] hold_before;
    reg [2:0] stay_mask;
    reg [2:0] arrive_mask;
    reg [45:0] held_third_0;
    reg [45:0] held_third_1;
    reg [45:0] held_third_2;
    wire [45:0] held;
    reg [5:0] id_mask;
    wire timed;
    wire [4:0] next_look_ahead;
    wire [5:0] source;
    wire [2:0] source_low;
    wire [2:0] source_high;
    wire [2:0] own_low;
    wire [2:0] own_high;
    wire [2:0] third_low;
    wire [2:0] third_high;
    wire own_is_second;
    wire kept;
    wire leaves;
    wire like_low;
    wire like_high;
    wire [1:0] kind;
    wire [1:0] tree;
    wire is_low;
    wire is_last;
    wire [3:0] waited;
    reg [3:0] wait_mask;
    wire [3:0] more;
    wire [10:0] entering;
    reg [10:0] rest;
    wire [10:0] next_rest;
    wire [16:0] next_slot;
    wire parity;
    wire [1:0] held_tree;
    wire tries_0;
    wire goes_on_waiting_0;
    reg [16:0] control_d;
    reg [16:0] control_q;
    wire [45:0] data_d;
    reg [45:0] data_q;
    reg own_d;
    reg own_q;
    reg forwards_d;
    reg forwards_q;
    wire [2:0] forward_copies_d;
    reg [2:0] forward_copies_q;
    reg [4:0] look_ahead_d;
    reg [4:0] look_ahead_q;
    reg copy_valid_d;
    reg copy_valid_q;
    reg [16:0] copied_control_q;
    reg [45:0] copied_data_q;
    reg low_waits_d;
    reg low_waits_q;
    reg [3:0] wait_count_q;
    wire wait_parity_d;
    reg wait_parity_q;
    wire wait_full_d;
    reg wait_full_q;
    reg was_last_q;
    wire was_nearly_d;
    reg was_nearly_q;
    reg [7:0] long_low_d;
    reg [7:0] long_low_q;
    wire long_carry_d;
    reg long_carry_q;
    reg [7:0] long_high_d;
    reg [7:0] long_high_q;
    wire long_end_d;
    reg long_end_q;
    wire long_nearly_d;
    reg long_nearly_q;
    wire idle_d;
    reg idle_q;
    reg over_now_d;
    reg over_now_q;
    reg orphan_now_d;
    reg orphan_now_q;

    always @(*) begin
        control_d = next_slot;
        if (clear) begin
            control_d = {next_slot[16:13], 1'b0, next_slot[11:0]};
        end
    end

    assign data_d = (data_in & held) | (insert_data[50:5] & ~held);

    always @(*) begin
        own_d = (goes_on & look_ahead_in[2]) | (enter & own_is_next);
        if (clear) begin
            own_d = 1'b0;
        end
    end

    always @(*) begin
        forwards_d = (forward_copies_in[2] & look_ahead_in[3]) | (~forward_copies_in[2] & arrives);
        if (clear) begin
            forwards_d = 1'b0;
        end
    end

    always @(*) begin
        look_ahead_d = next_look_ahead;
        if (clear) begin
            look_ahead_d = {1'b0, next_look_ahead[3:0]};
        end
    end

    always @(*) begin
        copy_valid_d = look_ahead_q[4] & copy_trees[held_tree];
        if (clear) begin
            copy_valid_d = 1'b0;
        end
    end

    always @(*) begin
        low_waits_d = goes_on_waiting_0 & is_low & (core_edge_0 | low_waits_q);
        if (clear) begin
            low_waits_d = 1'b0;
        end
    end

    assign wait_parity_d = ^more;
    assign wait_full_d = (more == wait_max);
    assign was_nearly_d = ~idle_q & long_nearly_q;

    always @(*) begin
        long_low_d = long_low_q + 8'h01;
        if (idle_q) begin
            long_low_d = 8'h0;
        end
    end

    assign long_carry_d = ~idle_q & (&long_low_q);

    always @(*) begin
        long_high_d = long_high_q + {7'h0, long_carry_q};
        if (idle_q) begin
            long_high_d = 8'h0;
        end
    end

    assign long_end_d = &long_high_q;
    assign long_nearly_d = ~idle_q & long_end_q & (long_low_q == near_end);

    always @(*) begin
        over_now_d = insert_valid & expired;
        if (clear) begin
            over_now_d = 1'b0;
        end
    end

    always @(*) begin
        orphan_now_d = occupied & again & ~own_in;
        if (clear) begin
            orphan_now_d = 1'b0;
        end
    end

    assign occupied = control_in[12];
    assign again = monitor & control_in[10];
    assign marked = monitor | control_in[10];
    assign expired = ~idle_q & was_last_q;
    assign may_enter = insert_valid & ~expired & tries_0;
    assign enter = may_enter & ~forwards_in;
    assign goes_on = forwards_in & occupied;
    assign insert_ready = ((~forwards_in & tries_0) | expired) & ~clear;
    assign kind = insert_data[1:0];
    assign is_low = (kind == low_kind);
    assign tries_0 = core_edge_0 | (~is_low & ~idle_q);

    always @(*) begin
        wait_mask = 4'h0;
        if (low_waits_q) begin
            wait_mask = every_wait_bit;
        end
    end

    assign waited = wait_count_q & wait_mask;
    assign parity = insert_data[4] ^ own_parity ^ (low_waits_q & wait_parity_q);
    assign tree = insert_data[3:2];
    assign entering = {waited, 1'b0, parity, 1'b0, kind, tree};

    always @(*) begin
        if (forwards_in) begin
            rest = control_in[16:6];
        end else begin
            rest = entering;
        end
    end

    always @(*) begin
        held_third_0 = 46'h0;
        if (forward_copies_in[0]) begin
            held_third_0 = third_0;
        end
    end

    always @(*) begin
        held_third_1 = 46'h0;
        if (forward_copies_in[1]) begin
            held_third_1 = third_1;
        end
    end

    always @(*) begin
        held_third_2 = 46'h0;
        if (forward_copies_in[2]) begin
            held_third_2 = third_2;
        end
    end

    assign held = held_third_0 | held_third_1 | held_third_2;
    assign next_rest = {rest[10:7], goes_on | enter, rest[5], forwards_in & marked, rest[3:0]};

    always @(*) begin
        id_mask = 6'h0;
        if (forwards_in) begin
            id_mask = every_id_bit;
        end
    end

    assign source = (control_in[5:0] & id_mask) | (own_id & ~id_mask);
    assign next_slot = {next_rest, source};
    assign source_low = control_in[2:0];
    assign source_high = control_in[5:3];
    assign own_low = own_id[2:0];
    assign own_high = own_id[5:3];
    assign third_low = third_id[2:0];
    assign third_high = third_id[5:3];
    assign own_is_second = (own_id == second_id);
    assign like_low = (forwards_in & (source_low == third_low)) | (~forwards_in & (own_low == third_low));
    assign like_high = (forwards_in & (source_high == third_high)) | (~forwards_in & (own_high == third_high));
    assign leaves = (forwards_in & look_ahead_in[0] & look_ahead_in[1]) | (~forwards_in & own_is_second);
    assign kept = (forwards_in & ~(look_ahead_in[0] & look_ahead_in[1])
            & ((second_is_monitor & ~marked) | (~second_is_monitor & occupied)))
            | (~forwards_in & ~own_is_second);
    assign timed = (forwards_in & look_ahead_in[4]) | (~forwards_in & (may_enter & (kind[0] ^ kind[1])));
    assign next_look_ahead = {timed, kept, leaves, like_high, like_low};
    assign arrives = may_enter & ~own_is_next;
    assign hold_before = {forward_copies_in[1:0], forwards_in};

    always @(*) begin
        stay_mask = 3'h0;
        if (look_ahead_in[3]) begin
            stay_mask = every_hold;
        end
    end

    always @(*) begin
        arrive_mask = 3'h0;
        if (arrives) begin
            arrive_mask = every_hold;
        end
    end

    assign forward_copies_d = (hold_before & stay_mask) | (~hold_before & arrive_mask);
    assign idle_d = ~goes_on_waiting_0;
    assign goes_on_waiting_0 = insert_valid & ~expired & ~enter & (core_edge_0 | ~idle_q);
    assign more = waited + 4'h1;
    assign is_last = (low_waits_q & wait_full_q) | (~is_low & ~idle_q & was_nearly_q);
    assign held_tree = control_q[7:6];
    assign control_out = control_q;
    assign data_out = data_q;
    assign own_out = own_q;
    assign forwards_out = forwards_q;
    assign forward_copies_out = forward_copies_q;
    assign look_ahead_out = look_ahead_q;
    assign copy_valid = copy_valid_q;
    assign copy_data = copied_data_q;
    assign copy_control = copied_control_q;
    assign busy = ~idle_q;
    assign wait_over = over_now_q;
    assign orphan = orphan_now_q;

    initial control_q = 17'h0;
    always @(posedge clock) control_q <= control_d;

    initial data_q = 46'h0;
    always @(posedge clock) data_q <= data_d;

    initial own_q = 1'b0;
    always @(posedge clock) own_q <= own_d;

    initial forwards_q = 1'b0;
    always @(posedge clock) forwards_q <= forwards_d;

    initial forward_copies_q = 3'h0;
    always @(posedge clock) begin
        if (clear) forward_copies_q <= 3'h0;
        else forward_copies_q <= forward_copies_d;
    end

    initial look_ahead_q = 5'h0;
    always @(posedge clock) look_ahead_q <= look_ahead_d;

    initial copy_valid_q = 1'b0;
    always @(posedge clock) copy_valid_q <= copy_valid_d;

    initial copied_control_q = 17'h0;
    always @(posedge clock) copied_control_q <= control_q;

    initial copied_data_q = 46'h0;
    always @(posedge clock) copied_data_q <= data_q;

    initial low_waits_q = 1'b0;
    always @(posedge clock) low_waits_q <= low_waits_d;

    initial wait_count_q = 4'h0;
    always @(posedge clock) wait_count_q <= more;

    initial wait_parity_q = 1'b0;
    always @(posedge clock) wait_parity_q <= wait_parity_d;

    initial wait_full_q = 1'b0;
    always @(posedge clock) wait_full_q <= wait_full_d;

    initial was_last_q = 1'b0;
    always @(posedge clock) was_last_q <= is_last;

    initial was_nearly_q = 1'b0;
    always @(posedge clock) was_nearly_q <= was_nearly_d;

    initial long_low_q = 8'h0;
    always @(posedge clock) long_low_q <= long_low_d;

    initial long_carry_q = 1'b0;
    always @(posedge clock) long_carry_q <= long_carry_d;

    initial long_high_q = 8'h0;
    always @(posedge clock) long_high_q <= long_high_d;

    initial long_end_q = 1'b0;
    always @(posedge clock) long_end_q <= long_end_d;

    initial long_nearly_q = 1'b0;
    always @(posedge clock) long_nearly_q <= long_nearly_d;

    initial idle_q = 1'b1;
    always @(posedge clock) begin
        if (clear) idle_q <= 1'b1;
        else idle_q <= idle_d;
    end

    initial over_now_q = 1'b0;
    always @(posedge clock) over_now_q <= over_now_d;

    initial orphan_now_q = 1'b0;
    always @(posedge clock) orphan_now_q <= orphan_now_d;

    // Bits that nothing reads.
    wire unused_bits = &{1'b0, rest};

endmodule

`default_nettype wire
