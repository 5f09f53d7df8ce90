`default_nettype none
/* verilator lint_off DECLFILENAME */

// top
module top (
    input  wire       clock,
    input  wire       clear,
    input  wire [7:0] a,
    input  wire [7:0] b,
    output wire [7:0] loudest,
    output wire [3:0] changes
);

    wire is_a;
    reg [7:0] level;
    reg [3:0] more;
    reg was_a_q;
    reg [3:0] changed_d;
    reg [3:0] changed_q;

    always @(*) begin
        more = 4'h0;
        if (is_a != was_a_q) begin
            more = changed_q + 4'h1;
        end
    end

    always @(*) begin
        changed_d = changed_q;
        if (is_a != was_a_q) begin
            changed_d = more;
        end
        if (clear) begin
            changed_d = 4'h0;
        end
    end

    assign is_a = (a > b);

    always @(*) begin
        if (is_a) begin
            level = a;
        end else begin
            level = b;
        end
    end

    assign loudest = level;
    assign changes = changed_q;

    initial was_a_q = 1'b0;
    always @(posedge clock) was_a_q <= is_a;

    initial changed_q = 4'h0;
    always @(posedge clock) changed_q <= changed_d;

endmodule

/* verilator lint_on DECLFILENAME */
`default_nettype wire
