`default_nettype none
/* verilator lint_off DECLFILENAME */

// ports: width = 8
module top (
    input  wire [7:0] a,
    input  wire [7:0] b,
    output reg  [7:0] sum,
    output reg        at_limit
);

    localparam [7:0] limit = 8'hc8;
    wire [7:0] added;

    assign added = a + b;

    always @(*) begin
        sum = added;
        if ((added >= limit) | ~((a & b) == 8'h0)) begin
            sum = limit;
        end
    end

    always @(*) begin
        at_limit = 1'b0;
        if ((added >= limit) | ~((a & b) == 8'h0)) begin
            at_limit = 1'b1;
        end
    end

endmodule

/* verilator lint_on DECLFILENAME */
`default_nettype wire
