`default_nettype none
/* verilator lint_off DECLFILENAME */

`ifndef FLITFORGE_adder_a103daae
`define FLITFORGE_adder_a103daae
// adder
module adder_a103daae (
    input  wire       clock,
    input  wire       clear,
    input  wire [3:0] by,
    output wire [3:0] flags,
    output wire [1:0] parts_0,
    output wire [1:0] parts_1
);

    reg [3:0] held_d;
    reg [3:0] held_q;

    always @(*) begin
        held_d = held_q + by;
        if (clear) begin
            held_d = 4'h0;
        end
    end

    assign flags = held_q;
    assign parts_0 = held_q[1:0];
    assign parts_1 = held_q[3:2];

    initial held_q = 4'h0;
    always @(posedge clock) held_q <= held_d;

endmodule
`endif

// top
module top (
    input  wire       clock,
    input  wire       clear,
    input  wire [3:0] first,
    output wire       flag,
    output wire [1:0] part,
    output wire [3:0] out_out,
    output wire [3:0] flags,
    output wire [3:0] again
);

    wire [3:0] head_flags;
    wire [1:0] head_parts_0;
    wire [1:0] head_parts_1;
    wire [3:0] tail_0_flags;
    wire [1:0] tail_0_parts_0;
    wire [1:0] tail_0_parts_1;
    wire [3:0] tail_1_flags;
    wire [1:0] tail_1_parts_0;
    wire [1:0] tail_1_parts_1;

    assign flag = head_flags[2] ^ tail_1_flags[0];
    assign part = head_parts_1;
    assign out_out = tail_1_flags;
    assign flags = tail_0_flags;
    assign again = head_flags;

    adder_a103daae head (
        .clock(clock),
        .clear(clear),
        .by(first),
        .flags(head_flags),
        .parts_0(head_parts_0),
        .parts_1(head_parts_1)
    );

    adder_a103daae tail_0 (
        .clock(clock),
        .clear(clear),
        .by(head_flags),
        .flags(tail_0_flags),
        .parts_0(tail_0_parts_0),
        .parts_1(tail_0_parts_1)
    );

    adder_a103daae tail_1 (
        .clock(clock),
        .clear(clear),
        .by(tail_0_flags),
        .flags(tail_1_flags),
        .parts_0(tail_1_parts_0),
        .parts_1(tail_1_parts_1)
    );

    // Bits that nothing reads.
    wire unused_bits = &{1'b0, head_parts_0, tail_0_parts_0, tail_0_parts_1, tail_1_parts_0,
        tail_1_parts_1};

endmodule

/* verilator lint_on DECLFILENAME */
`default_nettype wire
