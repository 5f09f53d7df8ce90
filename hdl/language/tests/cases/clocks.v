`default_nettype none
/* verilator lint_off DECLFILENAME */

`ifndef FLITFORGE_synchronizer_stages2_c68ed798
`define FLITFORGE_synchronizer_stages2_c68ed798
// synchronizer: stages = 2
module synchronizer_stages2_c68ed798 (
    input  wire clock,
    input  wire d,
    output wire q
);

    (* ASYNC_REG = "TRUE" *) reg stage_0_q;
    (* ASYNC_REG = "TRUE" *) reg stage_1_q;

    assign q = stage_1_q;

    initial stage_0_q = 1'b0;
    always @(posedge clock) stage_0_q <= d;

    initial stage_1_q = 1'b0;
    always @(posedge clock) stage_1_q <= stage_0_q;

endmodule
`endif

// top
module top (
    input  wire       fast,
    input  wire       fast_clear,
    input  wire       slow,
    input  wire       set,
    output wire       seen,
    output wire [3:0] count
);

    reg flag_q;
    wire across_q;
    wire counted_clear;
    wire [3:0] counted_d;
    reg [3:0] counted_q;

    assign counted_clear = ~across_q;
    assign counted_d = counted_q + 4'h1;
    assign seen = across_q;
    assign count = counted_q;

    initial flag_q = 1'b0;
    always @(posedge fast) begin
        if (fast_clear) flag_q <= 1'b0;
        else flag_q <= set;
    end

    initial counted_q = 4'h0;
    always @(posedge slow) begin
        if (counted_clear) counted_q <= 4'h0;
        else counted_q <= counted_d;
    end

    synchronizer_stages2_c68ed798 across (
        .clock(slow),
        .d(flag_q),
        .q(across_q)
    );

endmodule

/* verilator lint_on DECLFILENAME */
`default_nettype wire
