`default_nettype none
/* verilator lint_off DECLFILENAME */

// top
module top (
    input  wire       clock,
    output wire [5:0] value,
    output wire       close,
    output wire       topmost
);

    reg [5:0] count_d;
    reg [5:0] count_q;

    always @(*) begin
        count_d = count_q + 6'h03;
        if (count_q > 6'h14) begin
            count_d = 6'h05;
        end
    end

    assign close = (count_q == 6'h15);
    assign topmost = count_q[5];
    assign value = count_q;

    initial count_q = 6'h0;
    always @(posedge clock) count_q <= count_d;

endmodule

/* verilator lint_on DECLFILENAME */
`default_nettype wire
