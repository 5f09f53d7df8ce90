// queue_beats as emitted at revision bf307b5, before it was restructured: what hdl/tests/equivalence holds the block against. Children are named only.
`default_nettype none

module queue_beats (
    input  wire         clock,
    input  wire         clear,
    input  wire         wide,
    input  wire [135:0] wire_in_data,
    input  wire         wire_in_valid,
    input  wire         code_err_in,
    input  wire         frame_start_in,
    output reg  [67:0]  wire_out_data,
    output wire         wire_out_valid,
    output wire         code_err,
    output wire         frame_start,
    output reg          overrun
);

    wire [137:0] arriving;
    reg [137:0] current;
    wire done;
    reg head_valid_d;
    reg head_valid_q;
    wire head_enable;
    reg [137:0] head_d;
    reg [137:0] head_q;
    reg upper_d;
    reg upper_q;
    reg spare_valid_d;
    reg spare_valid_q;
    wire spare_enable;
    reg [137:0] spare_q;

    always @(*) begin
        head_valid_d = (head_valid_q & ~done) | spare_valid_q | wire_in_valid;
        if (clear) begin
            head_valid_d = 1'b0;
        end
    end

    always @(*) begin
        upper_d = wire_out_valid & ~upper_q;
        if (clear) begin
            upper_d = 1'b0;
        end
    end

    always @(*) begin
        spare_valid_d = spare_valid_q;
        if (done) begin
            spare_valid_d = spare_valid_q & wire_in_valid;
        end else if (head_valid_q & wire_in_valid) begin
            spare_valid_d = 1'b1;
        end
        if (clear) begin
            spare_valid_d = 1'b0;
        end
    end

    assign arriving = {frame_start_in, code_err_in, wire_in_data};

    always @(*) begin
        current = arriving;
        if (head_valid_q) begin
            current = head_q;
        end
    end

    assign wire_out_valid = head_valid_q | wire_in_valid;

    always @(*) begin
        wire_out_data = {2'h0, current[65:0]};
        if (wide) begin
            wire_out_data = current[67:0];
        end
        if (upper_q) begin
            wire_out_data = {2'h0, current[131:66]};
            if (wide) begin
                wire_out_data = current[135:68];
            end
        end
    end

    assign code_err = current[136];
    assign frame_start = current[137] & wire_out_valid & ~upper_q;
    assign done = head_valid_q & upper_q;

    always @(*) begin
        head_d = arriving;
        if (done) begin
            if (spare_valid_q) begin
                head_d = spare_q;
            end
        end
    end

    assign head_enable = ~head_valid_q | done;
    assign spare_enable = ~spare_valid_q | done;

    always @(*) begin
        overrun = 1'b0;
        if (~done) begin
            if (head_valid_q & wire_in_valid) begin
                overrun = spare_valid_q;
            end
        end
    end

    initial head_valid_q = 1'b0;
    always @(posedge clock) head_valid_q <= head_valid_d;

    initial head_q = 138'h0;
    always @(posedge clock) if (head_enable) head_q <= head_d;

    initial upper_q = 1'b0;
    always @(posedge clock) upper_q <= upper_d;

    initial spare_valid_q = 1'b0;
    always @(posedge clock) spare_valid_q <= spare_valid_d;

    initial spare_q = 138'h0;
    always @(posedge clock) if (spare_enable) spare_q <= arriving;

endmodule

`default_nettype wire
