// pair_beats as emitted at revision bf307b5, before it was restructured: what hdl/tests/equivalence holds the block against. Children are named only.
`default_nettype none

module pair_beats (
    input  wire         clock,
    input  wire         clear,
    input  wire         wide,
    input  wire [67:0]  wire_in_data,
    input  wire         wire_in_valid,
    output wire         wire_in_ready,
    output reg  [135:0] wire_out_data,
    output wire         wire_out_valid,
    input  wire         wire_out_ready
);

    wire ready;
    reg half_d;
    reg half_q;
    wire low_enable;
    reg [67:0] low_q;

    always @(*) begin
        half_d = half_q;
        if (wire_in_valid & ready) begin
            half_d = ~half_q;
        end
        if (clear) begin
            half_d = 1'b0;
        end
    end

    assign ready = ~clear & (~half_q | wire_out_ready);
    assign wire_in_ready = ready;
    assign wire_out_valid = half_q & wire_in_valid;

    always @(*) begin
        wire_out_data = {4'h0, wire_in_data[65:0], low_q[65:0]};
        if (wide) begin
            wire_out_data = {wire_in_data, low_q};
        end
    end

    assign low_enable = ~half_q;

    initial half_q = 1'b0;
    always @(posedge clock) half_q <= half_d;

    initial low_q = 68'h0;
    always @(posedge clock) if (low_enable) low_q <= wire_in_data;

endmodule

`default_nettype wire
