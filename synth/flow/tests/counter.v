/* verilator lint_off DECLFILENAME */
module leaf(input wire clock, input wire clear, input wire [7:0] step, output wire [7:0] value);
  reg [7:0] count;
  initial count = 8'd0;
  always @(posedge clock)
    if (clear) count <= 8'd0;
    else count <= count + step;
  assign value = count;
endmodule

module counter(input wire clock, input wire clear, input wire [7:0] step, output wire [7:0] value, output reg odd);
  leaf inner(.clock(clock), .clear(clear), .step(step), .value(value));
  initial odd = 1'b0;
  always @(posedge clock) odd <= ^value;
endmodule
