`default_nettype none
/* verilator lint_off DECLFILENAME */

// top
module top (
    input  wire       clock,
    input  wire [3:0] enter,
    input  wire [3:0] masks_0,
    input  wire [3:0] masks_1,
    input  wire [3:0] masks_2,
    output wire       taken_0,
    output wire       taken_1,
    output wire       taken_2,
    output wire       first_0,
    output wire       first_1,
    output wire       first_2,
    output wire [3:0] sum
);

    localparam [3:0] weight_0 = 4'h1;
    localparam [3:0] weight_1 = 4'h2;
    reg [3:0] total;
    wire [3:0] masked;
    wire [3:0] stage_0_d;
    reg [3:0] stage_0_q;
    wire [3:0] stage_1_d;
    reg [3:0] stage_1_q;
    wire [3:0] stage_2_d;
    reg [3:0] stage_2_q;
    wire [3:0] masked_1;
    wire [3:0] masked_2;

    assign stage_0_d = enter ^ stage_2_q;
    assign stage_1_d = masked_1 + weight_0;
    assign stage_2_d = masked_2 + weight_1;

    always @(*) begin
        total = 4'h0;
        total = total + masked_1;
        total = total ^ 4'h1;
        total = total + masked_2;
        total = total ^ 4'h3;
        total = total + masked;
    end

    assign masked_1 = stage_0_q & masks_0;
    assign masked_2 = stage_1_q & masks_1;
    assign masked = stage_2_q & masks_2;
    assign taken_0 = (|masked_1) & enter[0];
    assign first_0 = (enter > 4'h0);
    assign taken_1 = (|masked_2) & enter[1];
    assign first_1 = 1'b0;
    assign taken_2 = (|masked) & enter[2];
    assign first_2 = 1'b0;
    assign sum = total;

    initial stage_0_q = 4'h0;
    always @(posedge clock) stage_0_q <= stage_0_d;

    initial stage_1_q = 4'h0;
    always @(posedge clock) stage_1_q <= stage_1_d;

    initial stage_2_q = 4'h0;
    always @(posedge clock) stage_2_q <= stage_2_d;

endmodule

/* verilator lint_on DECLFILENAME */
`default_nettype wire
