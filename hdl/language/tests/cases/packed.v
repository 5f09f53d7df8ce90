`default_nettype none
/* verilator lint_off DECLFILENAME */

// top
module top (
    input  wire        clock,
    input  wire [16:0] control_in,  // wait [16:13], v [12], par [11], mon [10], kind [9:8], tree [7:6], src [5:0]
    input  wire        monitor,
    output wire [16:0] control_out,  // wait [16:13], v [12], par [11], mon [10], kind [9:8], tree [7:6], src [5:0]
    output wire [16:0] first,
    output wire        is_token,
    output reg  [1:0]  urgent,
    input  wire [63:0] wdata,
    output wire        comes_up
);

    wire again;
    wire [63:0] written;  // above [63:6], clear_counters [5], between [4], restore [3], retrain [2], disable [1], enable [0]
    wire [1:0] tree;
    wire [16:0] fresh;  // wait [16:13], v [12], par [11], mon [10], kind [9:8], tree [7:6], src [5:0]
    reg [16:0] control_d;  // wait [16:13], v [12], par [11], mon [10], kind [9:8], tree [7:6], src [5:0]
    reg [16:0] control_q;  // wait [16:13], v [12], par [11], mon [10], kind [9:8], tree [7:6], src [5:0]

    always @(*) begin
        control_d = control_in;
        control_d[10] = control_in[10] | monitor;  // mon
        control_d[12] = control_in[12] & ~again;  // v
        if (again) begin
            control_d[16:13] = 4'h0;  // wait
        end
    end

    assign again = control_in[10] & monitor;
    assign control_out = control_q;
    assign is_token = (control_in[9:8] == 2'h3);

    always @(*) begin
        case (control_in[9:8])
            2'h1: urgent = 2'h3;
            2'h2, 2'h3: urgent = 2'h1;
            default: urgent = 2'h0;
        endcase
    end

    assign written = wdata;
    assign comes_up = written[0] & ~written[1];
    assign tree = control_q[7:6];
    assign fresh = 17'h00005 | {9'h0, tree, 6'h0} | 17'h00100 | {5'h0, ^tree, 11'h0} | 17'h01000;
    assign first = fresh;

    initial control_q = 17'h0;
    always @(posedge clock) control_q <= control_d;

    // Bits that nothing reads.
    wire unused_bits = &{1'b0, written};

endmodule

/* verilator lint_on DECLFILENAME */
`default_nettype wire
