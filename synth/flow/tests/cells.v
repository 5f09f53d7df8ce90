// Uses every kind of cell and every form of it that synthesis makes of this library's text.
module cells (
    input wire clock,
    input wire clear,
    input wire write,
    input wire enable,
    input wire [5:0] write_address,
    input wire [5:0] read_address,
    input wire [35:0] data,
    input wire [7:0] a,
    input wire [7:0] b,
    output wire [35:0] pseudo_dual,
    output wire [8:0] own_write,
    output wire [17:0] two_bytes,
    output wire [3:0] narrow,
    output wire [7:0] logic_ram,
    output reg [15:0] sum,
    output reg [15:0] difference,
    output wire less,
    output wire [1:0] constant,
    output reg selected,
    output reg wide_or,
    output reg falling,
    output reg asynchronous,
    output reg [7:0] shifted,
    output reg [3:0] held
);
    integer i;

    // Block RAM: one write and one read port of 36 bits.
    reg [35:0] deep [0:511];
    reg [35:0] deep_out = 36'h0;
    initial for (i = 0; i < 512; i = i + 1) deep[i] = {i[3:0], 32'h9e3779b9 * i};
    always @(posedge clock) begin
        if (write) deep[{3'b101, write_address}] <= data;
        if (enable) deep_out <= deep[{3'b101, read_address}];
    end
    assign pseudo_dual = deep_out;

    // One port that reads what it writes.
    reg [8:0] through [0:2047];
    reg [8:0] through_out = 9'h0;
    initial for (i = 0; i < 2048; i = i + 1) through[i] = 73 * i;
    always @(posedge clock) begin
        if (write) through[{5'b01101, write_address}] <= data[8:0];
        if (enable) through_out <= write ? data[8:0] : through[{5'b01101, write_address}];
    end
    assign own_write = through_out;

    // Byte enables; two ports of 18 bits.
    (* ram_style = "block" *) reg [17:0] bytes [0:1023];
    reg [17:0] bytes_out = 18'h0;
    initial for (i = 0; i < 1024; i = i + 1) bytes[i] = 613 * i;
    always @(posedge clock) begin
        if (write & a[0]) bytes[{4'h9, write_address}][8:0] <= data[8:0];
        if (write & a[1]) bytes[{4'h9, write_address}][17:9] <= data[17:9];
        if (clear) bytes_out <= 18'h0;
        else bytes_out <= bytes[{4'h9, read_address}];
    end
    assign two_bytes = bytes_out;

    // Words of four bits.
    (* ram_style = "block" *) reg [3:0] nibbles [0:4095];
    reg [3:0] nibbles_out = 4'h0;
    initial for (i = 0; i < 4096; i = i + 1) nibbles[i] = i / 3;
    always @(posedge clock) begin
        if (write) nibbles[{6'h2b, write_address}] <= data[3:0];
        nibbles_out <= nibbles[{6'h2b, read_address}];
    end
    assign narrow = nibbles_out;

    // LUT RAM.
    reg [7:0] distributed [0:15];
    initial for (i = 0; i < 16; i = i + 1) distributed[i] = 7 * i + 1;
    always @(posedge clock) if (write) distributed[write_address[3:0]] <= data[7:0];
    assign logic_ram = distributed[read_address[3:0]];

    // Carry chains: up, down, compare.
    initial sum = 16'h0;
    initial difference = 16'h1234;
    always @(posedge clock) begin
        if (clear) sum <= 16'h0;
        else if (enable) sum <= sum + {a, b} + 16'h1;
        if (clear) difference <= 16'h1234;
        else difference <= difference - {8'h0, a};
    end
    assign less = {a, data[7:0]} < {b, data[15:8]};
    assign constant = 2'b10;

    // Wide multiplexers: sixteen to one, and seven inputs.
    initial selected = 1'b0;
    initial wide_or = 1'b0;
    always @(posedge clock) begin
        selected <= data[read_address[4:0]];
        wide_or <= (a[0] & b[1] & a[6]) ^ (a[2] | (b[3] & a[4] & ~b[5]));
    end

    // Falling edge, asynchronous set, data that bypasses the tables, synchronous set, enable that is active low.
    initial falling = 1'b0;
    always @(negedge clock) falling <= ^a;
    initial asynchronous = 1'b1;
    always @(posedge clock or posedge clear)
        if (clear) asynchronous <= 1'b1;
        else asynchronous <= a[1];
    initial shifted = 8'hff;
    always @(posedge clock)
        if (clear) shifted <= 8'hff;
        else shifted <= {shifted[6:0], a[0]};
    initial held = 4'h0;
    always @(posedge clock) if (!enable) held <= a[3:0];
endmodule
