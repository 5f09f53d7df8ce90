// halve_beats as emitted at revision bf307b5, before it was restructured: what hdl/tests/equivalence holds the block against. Children are named only.
`default_nettype none

module halve_beats (
    input  wire         clock,
    input  wire         clear,
    input  wire         wide,
    input  wire [271:0] wire_in_data,
    input  wire         wire_in_valid,
    output wire         wire_in_ready,
    output reg  [135:0] wire_out_data,
    output wire         wire_out_valid,
    input  wire         wire_out_ready
);

    reg upper_d;
    reg upper_q;

    always @(*) begin
        upper_d = upper_q;
        if (wire_in_valid & wire_out_ready) begin
            upper_d = ~upper_q;
        end
        if (clear) begin
            upper_d = 1'b0;
        end
    end

    assign wire_out_valid = wire_in_valid;
    assign wire_in_ready = ~clear & upper_q & wire_out_ready;

    always @(*) begin
        wire_out_data = wire_in_data[135:0];
        if (upper_q) begin
            wire_out_data = wire_in_data[267:132];
            if (wide) begin
                wire_out_data = wire_in_data[271:136];
            end
        end
    end

    initial upper_q = 1'b0;
    always @(posedge clock) upper_q <= upper_d;

endmodule

`default_nettype wire
