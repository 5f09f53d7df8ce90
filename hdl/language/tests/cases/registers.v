`default_nettype none
/* verilator lint_off DECLFILENAME */

// top
module top (
    input  wire       clock,
    input  wire       clear,
    input  wire       up,
    input  wire       hold,
    output wire [2:0] count,
    output wire       full,
    output wire       was_up
);

    wire counted_enable;
    wire [2:0] counted_d;
    reg [2:0] counted_q;
    wire quiet_enable;
    wire quiet_d;
    reg quiet_q;
    reg seen_d;
    reg seen_q;
    reg before_q;

    assign quiet_enable = ~hold;

    always @(*) begin
        seen_d = seen_q;
        if (up) begin
            seen_d = 1'b1;
        end
    end

    assign counted_enable = up & ~hold;
    assign counted_d = counted_q + 3'h1;
    assign quiet_d = ~up;
    assign count = counted_q;
    assign full = &counted_q;
    assign was_up = before_q & ~quiet_q;

    initial counted_q = 3'h0;
    always @(posedge clock) begin
        if (clear) counted_q <= 3'h0;
        else if (counted_enable) counted_q <= counted_d;
    end

    initial quiet_q = 1'b1;
    always @(posedge clock) if (quiet_enable) quiet_q <= quiet_d;

    initial seen_q = 1'b0;
    always @(posedge clock) seen_q <= seen_d;

    initial before_q = 1'b0;
    always @(posedge clock) before_q <= seen_q;

endmodule

/* verilator lint_on DECLFILENAME */
`default_nettype wire
