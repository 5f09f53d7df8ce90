`default_nettype none
/* verilator lint_off DECLFILENAME */

// top
module top (
    input  wire [16:0] control,
    input  wire [3:0]  place,
    output wire [1:0]  tree,
    output wire        occupied,
    output wire        one,
    output wire [4:0]  middle,
    output wire [3:0]  nibble,
    output wire [16:0] marked,
    output wire [16:0] turned,
    output wire [3:0]  flags,
    output wire [7:0]  wide
);

    wire [7:0] low;

    assign tree = control[7:6];
    assign occupied = control[12];
    assign one = control[{1'b0, place}] ^ control[16];
    assign middle = control[6:2];
    assign nibble = control[11:8];
    assign marked = {control[16:11], 1'b1, control[9:1], ~control[0]};
    assign low = control[7:0];
    assign turned = {control[16], low, control[15:8]};
    assign flags = {(low == 8'h07), ^low, &low, |low};
    assign wide = {2'h0, place, 2'h0} | 8'h01 | {2'h0, control[7:6], place};

endmodule

/* verilator lint_on DECLFILENAME */
`default_nettype wire
