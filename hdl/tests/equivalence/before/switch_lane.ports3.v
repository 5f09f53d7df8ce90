// switch_lane as emitted at revision bf307b5, before it was restructured: what hdl/tests/equivalence holds the block against. Children are named only.
`default_nettype none

(* blackbox *)
module switch_buffer_width139_depth32_bbd9faab (
    input  wire         clock,
    input  wire         clear,
    input  wire [138:0] words_in_data,
    input  wire         words_in_valid,
    output wire         words_in_ready,
    output wire [138:0] front_data,
    output wire         front_valid,
    input  wire         front_ready,
    output wire         empty
);
endmodule

(* blackbox *)
module switch_head_mtu256_b83cee9f (
    input  wire        clock,
    input  wire [64:0] flit,
    output wire [15:0] dst,
    output wire        unmarked,
    output wire [7:0]  units_out,
    output wire        too_long,
    output wire        too_far,
    output wire        management
);
endmodule

(* blackbox *)
module switch_occupancy_beats4_c26bdac2 (
    input  wire        clock,
    input  wire        clear,
    input  wire        pushes,
    input  wire        push_ends,
    input  wire        takes,
    input  wire        take_ends,
    input  wire        take_free,
    input  wire        cuts,
    input  wire [15:0] mark,
    output wire        released,
    output wire        over
);
endmodule

(* blackbox *)
module switch_age_f727e4df (
    input  wire clock,
    input  wire tick,
    input  wire restart,
    output wire old
);
endmodule

module switch_lane (
    input  wire         clock,
    input  wire         clear,
    input  wire [138:0] words_in_data,
    input  wire         words_in_valid,
    output wire         words_in_ready,
    input  wire         cut,
    output wire         asks,
    output wire         arrives,
    output wire [15:0]  dst,
    input  wire         asked,
    input  wire         found,
    input  wire [2:0]   port_in,
    input  wire [2:0]   alt,
    input  wire         use_alt,
    input  wire         adapts,
    input  wire         valid,
    input  wire [2:0]   up,
    input  wire [2:0]   free,
    input  wire [15:0]  usable_0,
    input  wire [15:0]  usable_1,
    input  wire [15:0]  usable_2,
    output reg  [2:0]   wants,
    input  wire [2:0]   owned,
    input  wire [2:0]   goes,
    output reg  [138:0] front,
    output wire         there,
    input  wire [15:0]  mark,
    input  wire         tick,
    output reg          gives_up,
    output wire         released,
    output wire         no_route,
    output wire         life_drop,
    output wire         alt_taken,
    output wire         fecn_set
);

    localparam [138:0] made = 139'h00000000000000000140000000000000206;
    localparam [138:0] fecn = 139'h00000000000000000008000000000000000;
    localparam [4:0] number_0 = 5'h02;
    localparam [4:0] number_1 = 5'h0;
    localparam [4:0] number_2 = 5'h01;
    localparam [2:0] at_agent = 3'h1;
    localparam [2:0] nothing = 3'h0;
    reg [2:0] directed_to;
    wire [4:0] given;
    reg [2:0] fitting;
    wire [64:0] first;
    wire opens;
    wire ends;
    wire directed;
    wire valid_front;
    wire idle;
    wire asks_late;
    wire asks_early;
    wire is_owned;
    wire lost;
    wire old;
    wire offers;
    reg takes;
    wire pushes;
    wire [2:0] way;
    reg [2:0] other;
    wire has_way;
    wire can_port;
    wire marks;
    wire [138:0] word;
    reg [138:0] buffer_words_in_data;
    reg buffer_words_in_valid;
    wire buffer_words_in_ready;
    wire [138:0] buffer_front_data;
    wire buffer_front_valid;
    wire buffer_empty;
    wire [15:0] head_dst;
    wire head_unmarked;
    wire [7:0] head_units;
    wire head_too_long;
    wire head_too_far;
    wire head_management;
    wire occupancy_push_ends;
    wire occupancy_take_free;
    wire occupancy_released;
    wire occupancy_over;
    wire age_restart;
    wire age_old;
    reg open_d;
    reg open_q;
    reg cutting_d;
    reg cutting_q;
    reg looking_d;
    reg looking_q;
    reg waiting_d;
    reg waiting_q;
    reg dropping_d;
    reg dropping_q;
    reg bad_d;
    reg bad_q;
    reg [2:0] to_port_d;
    reg [2:0] to_port_q;
    reg [2:0] to_alt_d;
    reg [2:0] to_alt_q;
    reg stands_in_d;
    reg stands_in_q;
    reg may_adapt_d;
    reg may_adapt_q;
    reg [2:0] fits_q;
    reg second_d;
    reg second_q;
    reg asked_second_q;
    reg was_owned_q;
    reg misses_d;
    reg misses_q;
    reg dies_d;
    reg dies_q;
    wire turns_d;
    reg turns_q;
    wire marked_d;
    reg marked_q;

    always @(*) begin
        open_d = open_q;
        if (pushes) begin
            open_d = ~words_in_data[1];
        end
        if (cutting_q & buffer_words_in_ready) begin
            open_d = 1'b0;
        end
        if (clear) begin
            open_d = 1'b0;
        end
    end

    always @(*) begin
        cutting_d = cutting_q;
        if (cutting_q & buffer_words_in_ready) begin
            cutting_d = 1'b0;
        end
        if (cut) begin
            cutting_d = 1'b1;
        end
        if (clear) begin
            cutting_d = 1'b0;
        end
    end

    always @(*) begin
        looking_d = looking_q;
        if (asks_early | (asks_late & asked)) begin
            looking_d = 1'b1;
        end
        if (found) begin
            looking_d = 1'b0;
        end
        if (clear) begin
            looking_d = 1'b0;
        end
    end

    always @(*) begin
        waiting_d = waiting_q;
        if (found) begin
            waiting_d = 1'b1;
        end
        if (waiting_q) begin
            if (lost | (~is_owned & ~has_way)) begin
                waiting_d = 1'b0;
            end else if (old) begin
                waiting_d = 1'b0;
            end
        end
        if (takes & ends) begin
            waiting_d = 1'b0;
        end
        if (clear) begin
            waiting_d = 1'b0;
        end
    end

    always @(*) begin
        dropping_d = dropping_q;
        if (idle & valid_front & ~opens) begin
            dropping_d = 1'b1;
        end
        if (waiting_q) begin
            if (lost | (~is_owned & ~has_way)) begin
                dropping_d = 1'b1;
            end else if (old) begin
                dropping_d = 1'b1;
            end
        end
        if (takes & ends) begin
            dropping_d = 1'b0;
        end
        if (clear) begin
            dropping_d = 1'b0;
        end
    end

    always @(*) begin
        bad_d = bad_q;
        if (found) begin
            bad_d = head_too_long | head_too_far | ~valid;
            if (head_management) begin
                bad_d = head_too_long;
            end
            if (directed) begin
                bad_d = head_too_long;
            end
        end
    end

    always @(*) begin
        to_port_d = to_port_q;
        if (found) begin
            to_port_d = port_in;
            if (head_management) begin
                to_port_d = at_agent;
            end
            if (directed) begin
                to_port_d = directed_to;
            end
        end
    end

    always @(*) begin
        to_alt_d = to_alt_q;
        if (found) begin
            to_alt_d = alt;
            if (head_management) begin
                to_alt_d = 3'h0;
            end
            if (directed) begin
                to_alt_d = 3'h0;
            end
        end
    end

    always @(*) begin
        stands_in_d = stands_in_q;
        if (found) begin
            stands_in_d = use_alt;
        end
    end

    always @(*) begin
        may_adapt_d = may_adapt_q;
        if (found) begin
            may_adapt_d = adapts;
        end
    end

    always @(*) begin
        second_d = waiting_q & (|other) & ~can_port;
        if (clear) begin
            second_d = 1'b0;
        end
    end

    always @(*) begin
        misses_d = 1'b0;
        if (waiting_q) begin
            if (lost | (~is_owned & ~has_way)) begin
                misses_d = 1'b1;
            end
        end
    end

    always @(*) begin
        dies_d = 1'b0;
        if (waiting_q) begin
            if (~(lost | (~is_owned & ~has_way))) begin
                if (old) begin
                    dies_d = 1'b1;
                end
            end
        end
    end

    assign turns_d = is_owned & ~was_owned_q & asked_second_q;
    assign marked_d = marks & takes & offers;
    assign words_in_ready = buffer_words_in_ready & ~cutting_q;

    always @(*) begin
        buffer_words_in_data = words_in_data;
        if (cutting_q) begin
            buffer_words_in_data = made;
        end
    end

    always @(*) begin
        buffer_words_in_valid = words_in_valid & ~cutting_q;
        if (cutting_q) begin
            buffer_words_in_valid = open_q;
        end
    end

    assign pushes = words_in_valid & buffer_words_in_ready & ~cutting_q;
    assign word = buffer_front_data;
    assign valid_front = buffer_front_valid;
    assign opens = word[0];
    assign ends = word[1];
    assign directed = word[3];
    assign given = word[8:4];
    assign first = word[73:9];
    assign dst = head_dst;

    always @(*) begin
        directed_to = 3'h0;
        directed_to = {directed_to[2:1], (given == number_0)};
        directed_to = {directed_to[2], (given == number_1), directed_to[0]};
        directed_to = {(given == number_2), directed_to[1:0]};
    end

    always @(*) begin
        fitting = 3'h0;
        fitting = {fitting[2:1], (usable_0 >= {8'h0, head_units})};
        fitting = {fitting[2], (usable_1 >= {8'h0, head_units}), fitting[0]};
        fitting = {(usable_2 >= {8'h0, head_units}), fitting[1:0]};
    end

    assign idle = ~looking_q & ~waiting_q & ~dropping_q;
    assign asks_late = idle & valid_front & opens;
    assign asks_early = idle & buffer_empty & pushes & words_in_data[0];
    assign asks = asks_late;
    assign arrives = asks_early;
    assign is_owned = |owned;
    assign lost = |(owned & ~up);
    assign old = age_old;
    assign way = to_port_q & up;

    always @(*) begin
        other = nothing;
        if (may_adapt_q | (stands_in_q & ~(|way))) begin
            other = to_alt_q & up;
        end
    end

    assign has_way = (|(way | other)) & ~bad_q;
    assign can_port = |(way & fits_q & free);

    always @(*) begin
        wants = nothing;
        if (waiting_q & ~bad_q & ~is_owned & ~old) begin
            wants = way & fits_q;
            if (second_q) begin
                wants = other & fits_q;
            end
        end
    end

    assign offers = waiting_q & valid_front & ~old;
    assign there = offers;

    always @(*) begin
        takes = dropping_q & valid_front;
        if (offers) begin
            takes = |(owned & goes);
        end
    end

    assign marks = occupancy_over & opens & head_unmarked;

    always @(*) begin
        front = word;
        if (marks) begin
            front = word | fecn;
        end
    end

    assign age_restart = ~waiting_q | takes;

    always @(*) begin
        gives_up = 1'b0;
        if (waiting_q) begin
            if (~(lost | (~is_owned & ~has_way))) begin
                if (old) begin
                    gives_up = is_owned;
                end
            end
        end
    end

    assign no_route = misses_q;
    assign life_drop = dies_q;
    assign alt_taken = turns_q;
    assign fecn_set = marked_q;
    assign occupancy_push_ends = words_in_data[1];
    assign occupancy_take_free = word[2];
    assign released = occupancy_released;

    initial open_q = 1'b0;
    always @(posedge clock) open_q <= open_d;

    initial cutting_q = 1'b0;
    always @(posedge clock) cutting_q <= cutting_d;

    initial looking_q = 1'b0;
    always @(posedge clock) looking_q <= looking_d;

    initial waiting_q = 1'b0;
    always @(posedge clock) waiting_q <= waiting_d;

    initial dropping_q = 1'b0;
    always @(posedge clock) dropping_q <= dropping_d;

    initial bad_q = 1'b0;
    always @(posedge clock) bad_q <= bad_d;

    initial to_port_q = 3'h0;
    always @(posedge clock) to_port_q <= to_port_d;

    initial to_alt_q = 3'h0;
    always @(posedge clock) to_alt_q <= to_alt_d;

    initial stands_in_q = 1'b0;
    always @(posedge clock) stands_in_q <= stands_in_d;

    initial may_adapt_q = 1'b0;
    always @(posedge clock) may_adapt_q <= may_adapt_d;

    initial fits_q = 3'h0;
    always @(posedge clock) fits_q <= fitting;

    initial second_q = 1'b0;
    always @(posedge clock) second_q <= second_d;

    initial asked_second_q = 1'b0;
    always @(posedge clock) asked_second_q <= second_q;

    initial was_owned_q = 1'b0;
    always @(posedge clock) was_owned_q <= is_owned;

    initial misses_q = 1'b0;
    always @(posedge clock) misses_q <= misses_d;

    initial dies_q = 1'b0;
    always @(posedge clock) dies_q <= dies_d;

    initial turns_q = 1'b0;
    always @(posedge clock) turns_q <= turns_d;

    initial marked_q = 1'b0;
    always @(posedge clock) marked_q <= marked_d;

    switch_buffer_width139_depth32_bbd9faab buffer_instance (
        .clock(clock),
        .clear(clear),
        .words_in_data(buffer_words_in_data),
        .words_in_valid(buffer_words_in_valid),
        .words_in_ready(buffer_words_in_ready),
        .front_data(buffer_front_data),
        .front_valid(buffer_front_valid),
        .front_ready(takes),
        .empty(buffer_empty)
    );

    switch_head_mtu256_b83cee9f head (
        .clock(clock),
        .flit(first),
        .dst(head_dst),
        .unmarked(head_unmarked),
        .units_out(head_units),
        .too_long(head_too_long),
        .too_far(head_too_far),
        .management(head_management)
    );

    switch_occupancy_beats4_c26bdac2 occupancy (
        .clock(clock),
        .clear(clear),
        .pushes(pushes),
        .push_ends(occupancy_push_ends),
        .takes(takes),
        .take_ends(ends),
        .take_free(occupancy_take_free),
        .cuts(cutting_q),
        .mark(mark),
        .released(occupancy_released),
        .over(occupancy_over)
    );

    switch_age_f727e4df age (
        .clock(clock),
        .tick(tick),
        .restart(age_restart),
        .old(age_old)
    );

endmodule

`default_nettype wire
