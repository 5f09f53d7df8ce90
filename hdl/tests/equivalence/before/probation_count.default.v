// probation_count as emitted at revision bf307b5, before it was restructured: what hdl/tests/equivalence holds the block against. Children are named only.
`default_nettype none

module probation_count (
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
    output reg  [3:0] back
);

    localparam [2:0] codes_0 = 3'h0;
    localparam [2:0] codes_1 = 3'h1;
    localparam [2:0] codes_2 = 3'h2;
    localparam [2:0] codes_3 = 3'h3;
    localparam [2:0] codes_4 = 3'h4;
    localparam [2:0] codes_5 = 3'h5;
    localparam [2:0] codes_6 = 3'h6;
    localparam [2:0] codes_7 = 3'h7;
    localparam [14:0] shares_0 = 15'h0010;
    localparam [14:0] shares_1 = 15'h0020;
    localparam [14:0] shares_2 = 15'h0040;
    localparam [14:0] shares_3 = 15'h0080;
    localparam [14:0] shares_4 = 15'h0100;
    localparam [14:0] shares_5 = 15'h0200;
    localparam [14:0] shares_6 = 15'h0400;
    localparam [14:0] shares_7 = 15'h0800;
    localparam [14:0] leasts_0 = 15'h0;
    localparam [14:0] leasts_1 = 15'h0100;
    localparam [14:0] leasts_2 = 15'h0200;
    localparam [14:0] leasts_3 = 15'h0400;
    localparam [14:0] leasts_4 = 15'h0800;
    localparam [14:0] leasts_5 = 15'h1000;
    localparam [14:0] leasts_6 = 15'h2000;
    localparam [14:0] leasts_7 = 15'h4000;
    localparam [1:0] numbers_1 = 2'h1;
    localparam [1:0] numbers_2 = 2'h2;
    localparam [1:0] numbers_3 = 2'h3;
    localparam [3:0] size_codes_0 = 4'h0;
    localparam [3:0] size_codes_1 = 4'h1;
    localparam [3:0] size_codes_2 = 4'h2;
    localparam [3:0] size_codes_3 = 4'h3;
    localparam [3:0] size_codes_4 = 4'h4;
    localparam [3:0] size_codes_5 = 4'h5;
    localparam [3:0] size_codes_6 = 4'h6;
    localparam [3:0] size_codes_7 = 4'h7;
    localparam [3:0] size_codes_8 = 4'h8;
    localparam [3:0] size_codes_9 = 4'h9;
    localparam [3:0] size_codes_10 = 4'ha;
    localparam [3:0] size_codes_11 = 4'hb;
    localparam [3:0] size_codes_12 = 4'hc;
    localparam [3:0] size_codes_13 = 4'hd;
    localparam [23:0] sizes_0 = 24'h000400;
    localparam [23:0] sizes_1 = 24'h000800;
    localparam [23:0] sizes_2 = 24'h001000;
    localparam [23:0] sizes_3 = 24'h002000;
    localparam [23:0] sizes_4 = 24'h004000;
    localparam [23:0] sizes_5 = 24'h008000;
    localparam [23:0] sizes_6 = 24'h010000;
    localparam [23:0] sizes_7 = 24'h020000;
    localparam [23:0] sizes_8 = 24'h040000;
    localparam [23:0] sizes_9 = 24'h080000;
    localparam [23:0] sizes_10 = 24'h100000;
    localparam [23:0] sizes_11 = 24'h200000;
    localparam [23:0] sizes_12 = 24'h400000;
    localparam [23:0] sizes_13 = 24'h800000;
    localparam [24:0] minus_one = 25'h1ffffff;
    localparam [3:0] one = 4'h1;
    localparam [3:0] next_step = 4'h1;
    localparam [3:0] start = 4'h8;
    wire [1:0] lane;
    reg [2:0] lost;
    reg [3:0] doublings;
    wire [3:0] size;
    reg [14:0] share;
    reg [14:0] least;
    reg [23:0] before_signal;
    reg [24:0] term;
    wire [24:0] sum;
    reg [23:0] new_debt;
    wire returns;
    wire writes;
    wire [23:0] debts_read_data;
    reg [3:0] step_d;
    reg [3:0] step_q;
    reg [14:0] charge_d;
    reg [14:0] charge_q;
    reg [3:0] renewed_d;
    reg [3:0] renewed_q;
    reg [23:0] owed_q;
    reg [23:0] most_d;
    reg [23:0] most_q;
    wire is_new_d;
    reg is_new_q;
    wire is_good_d;
    reg is_good_q;
    wire may_return_d;
    reg may_return_q;
    reg [3:0] found_d;
    reg [3:0] found_q;
    reg ended_d;
    reg ended_q;
    reg [23:0] debts [0:3];
    integer debts_word;

    always @(*) begin
        step_d = step_q;
        if (step_q[3]) begin
            step_d = step_q + next_step;
        end
        if (ltp) begin
            step_d = start;
        end
        if (flush) begin
            step_d = 4'h0;
        end
    end

    always @(*) begin
        charge_d = least;
        if (share > least) begin
            charge_d = share;
        end
    end

    always @(*) begin
        renewed_d = renewed_q | lost_lanes;
        if (writes) begin
            renewed_d = ((renewed_q & ~(4'h1 << lane)) | (4'h0 << lane)) | lost_lanes;
        end
    end

    always @(*) begin
        most_d = 24'h0;
        if (size == size_codes_0) begin
            most_d = sizes_0;
        end
        if (size == size_codes_1) begin
            most_d = sizes_1;
        end
        if (size == size_codes_2) begin
            most_d = sizes_2;
        end
        if (size == size_codes_3) begin
            most_d = sizes_3;
        end
        if (size == size_codes_4) begin
            most_d = sizes_4;
        end
        if (size == size_codes_5) begin
            most_d = sizes_5;
        end
        if (size == size_codes_6) begin
            most_d = sizes_6;
        end
        if (size == size_codes_7) begin
            most_d = sizes_7;
        end
        if (size == size_codes_8) begin
            most_d = sizes_8;
        end
        if (size == size_codes_9) begin
            most_d = sizes_9;
        end
        if (size == size_codes_10) begin
            most_d = sizes_10;
        end
        if (size == size_codes_11) begin
            most_d = sizes_11;
        end
        if (size == size_codes_12) begin
            most_d = sizes_12;
        end
        if (size == size_codes_13) begin
            most_d = sizes_13;
        end
    end

    assign is_new_d = renewed_q[lane];
    assign is_good_d = good[lane];
    assign may_return_d = enabled & waits[lane];

    always @(*) begin
        found_d = found_q;
        if (ended_q) begin
            found_d = 4'h0;
        end
        if (writes & returns) begin
            found_d = (found_q & ~(4'h1 << lane)) | (4'h1 << lane);
        end
        if (flush) begin
            found_d = 4'h0;
        end
    end

    always @(*) begin
        ended_d = &step_q;
        if (flush) begin
            ended_d = 1'b0;
        end
    end

    always @(*) begin
        share = 15'h0;
        if (threshold == codes_0) begin
            share = shares_0;
        end
        if (threshold == codes_1) begin
            share = shares_1;
        end
        if (threshold == codes_2) begin
            share = shares_2;
        end
        if (threshold == codes_3) begin
            share = shares_3;
        end
        if (threshold == codes_4) begin
            share = shares_4;
        end
        if (threshold == codes_5) begin
            share = shares_5;
        end
        if (threshold == codes_6) begin
            share = shares_6;
        end
        if (threshold == codes_7) begin
            share = shares_7;
        end
    end

    always @(*) begin
        least = 15'h0;
        if (safe == codes_0) begin
            least = leasts_0;
        end
        if (safe == codes_1) begin
            least = leasts_1;
        end
        if (safe == codes_2) begin
            least = leasts_2;
        end
        if (safe == codes_3) begin
            least = leasts_3;
        end
        if (safe == codes_4) begin
            least = leasts_4;
        end
        if (safe == codes_5) begin
            least = leasts_5;
        end
        if (safe == codes_6) begin
            least = leasts_6;
        end
        if (safe == codes_7) begin
            least = leasts_7;
        end
    end

    assign lane = step_q[2:1];

    always @(*) begin
        lost = removals_0;
        if (lane == numbers_1) begin
            lost = removals_1;
        end
        if (lane == numbers_2) begin
            lost = removals_2;
        end
        if (lane == numbers_3) begin
            lost = removals_3;
        end
    end

    always @(*) begin
        doublings = 4'h0;
        if (|lost) begin
            doublings = {1'b0, lost} - one;
        end
    end

    assign size = doublings + {1'b0, threshold};

    always @(*) begin
        before_signal = owed_q;
        if (is_new_q) begin
            before_signal = most_q;
        end
    end

    always @(*) begin
        term = {10'h0, charge_q};
        if (is_good_q) begin
            term = minus_one;
        end
    end

    assign sum = {1'b0, before_signal} + term;

    always @(*) begin
        new_debt = sum[23:0];
        if (sum > {1'b0, most_q}) begin
            new_debt = most_q;
        end
        if (is_good_q & sum[24]) begin
            new_debt = 24'h0;
        end
    end

    assign returns = is_good_q & may_return_q & ~(|new_debt);
    assign writes = step_q[3] & step_q[0];

    always @(*) begin
        back = 4'h0;
        if (ended_q) begin
            back = found_q;
        end
    end

    initial begin
        for (debts_word = 0; debts_word < 4; debts_word = debts_word + 1) debts[debts_word] = 24'h0;
    end
    always @(posedge clock) if (writes) debts[lane] <= new_debt;
    assign debts_read_data = debts[lane];

    initial step_q = 4'h0;
    always @(posedge clock) step_q <= step_d;

    initial charge_q = 15'h0;
    always @(posedge clock) charge_q <= charge_d;

    initial renewed_q = 4'h0;
    always @(posedge clock) renewed_q <= renewed_d;

    initial owed_q = 24'h0;
    always @(posedge clock) owed_q <= debts_read_data;

    initial most_q = 24'h0;
    always @(posedge clock) most_q <= most_d;

    initial is_new_q = 1'b0;
    always @(posedge clock) is_new_q <= is_new_d;

    initial is_good_q = 1'b0;
    always @(posedge clock) is_good_q <= is_good_d;

    initial may_return_q = 1'b0;
    always @(posedge clock) may_return_q <= may_return_d;

    initial found_q = 4'h0;
    always @(posedge clock) found_q <= found_d;

    initial ended_q = 1'b0;
    always @(posedge clock) ended_q <= ended_d;

endmodule

`default_nettype wire
