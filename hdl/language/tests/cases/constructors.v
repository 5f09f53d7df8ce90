`default_nettype none
/* verilator lint_off DECLFILENAME */

// constructors: words = 16
module top (
    input  wire       clock,
    input  wire [3:0] address,
    input  wire       write,
    input  wire [7:0] word,
    output wire       high,
    output wire       token
);

    localparam [7:0] threshold = 8'h64;
    localparam [7:0] kinds_0 = 8'h03;
    localparam [7:0] kinds_1 = 8'h02;
    localparam [7:0] odd = 8'h0a;
    reg [7:0] memory_read_data;
    reg [7:0] memory [0:15];
    integer memory_word;

    assign high = (memory_read_data > threshold);
    assign token = (word == kinds_0) | (word == kinds_1) | (word == odd);

    initial begin
        for (memory_word = 0; memory_word < 16; memory_word = memory_word + 1) memory[memory_word] = 8'h0;
    end
    always @(posedge clock) if (write) memory[address] <= word;
    initial memory_read_data = 8'h0;
    always @(posedge clock) memory_read_data <= memory[address];

endmodule

/* verilator lint_on DECLFILENAME */
`default_nettype wire
