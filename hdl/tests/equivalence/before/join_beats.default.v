// join_beats as emitted at revision bf307b5, before it was restructured: what hdl/tests/equivalence holds the block against. Children are named only.
`default_nettype none

module join_beats (
    input  wire         clock,
    input  wire         clear,
    input  wire         wide,
    input  wire [135:0] wire_in_data,
    input  wire         wire_in_valid,
    input  wire         code_err_in,
    input  wire         frame_start_in,
    output reg  [271:0] wire_out_data,
    output wire         wire_out_valid,
    output wire         code_err,
    output wire         frame_start
);

    wire second;
    reg half_d;
    reg half_q;
    wire low_enable;
    reg [135:0] low_q;
    wire low_error_enable;
    reg low_error_q;
    wire low_start_enable;
    reg low_start_q;

    always @(*) begin
        half_d = half_q;
        if (wire_in_valid) begin
            half_d = ~second;
        end
        if (clear) begin
            half_d = 1'b0;
        end
    end

    assign second = half_q & ~frame_start_in;
    assign wire_out_valid = wire_in_valid & second;

    always @(*) begin
        wire_out_data = {4'h0, wire_in_data, 132'h0} | {136'h0, low_q};
        if (wide) begin
            wire_out_data = {wire_in_data, low_q};
        end
    end

    assign code_err = low_error_q | code_err_in;
    assign frame_start = wire_in_valid & second & low_start_q;
    assign low_enable = ~second & wire_in_valid;
    assign low_error_enable = ~second & wire_in_valid;
    assign low_start_enable = ~second & wire_in_valid;

    initial half_q = 1'b0;
    always @(posedge clock) half_q <= half_d;

    initial low_q = 136'h0;
    always @(posedge clock) if (low_enable) low_q <= wire_in_data;

    initial low_error_q = 1'b0;
    always @(posedge clock) if (low_error_enable) low_error_q <= code_err_in;

    initial low_start_q = 1'b0;
    always @(posedge clock) if (low_start_enable) low_start_q <= frame_start_in;

endmodule

`default_nettype wire
