// Behaviour of the ECP5 block RAM: both ports in every width, the wide pseudo dual port mode (DATA_WIDTH_A 36), output
// registers, write modes, chip select and reset. From the vendor's memory usage guide; it knows nothing of the writer
// that makes such instances.
//
// In pseudo dual port mode port A writes 36 bits (DIB and DIA, byte enables on ADA3..ADA0) whenever it is enabled,
// and port B reads; a word of 36 bits leaves on DOB (upper half) and DOA (lower half). Of accesses to one word through
// both ports on one edge the device promises nothing; here the read gets the old word.
`default_nettype none
`timescale 1ns / 1ps

module DP16KD #(
    parameter [319:0] INITVAL_00 = 320'h0, parameter [319:0] INITVAL_01 = 320'h0,
    parameter [319:0] INITVAL_02 = 320'h0, parameter [319:0] INITVAL_03 = 320'h0,
    parameter [319:0] INITVAL_04 = 320'h0, parameter [319:0] INITVAL_05 = 320'h0,
    parameter [319:0] INITVAL_06 = 320'h0, parameter [319:0] INITVAL_07 = 320'h0,
    parameter [319:0] INITVAL_08 = 320'h0, parameter [319:0] INITVAL_09 = 320'h0,
    parameter [319:0] INITVAL_0A = 320'h0, parameter [319:0] INITVAL_0B = 320'h0,
    parameter [319:0] INITVAL_0C = 320'h0, parameter [319:0] INITVAL_0D = 320'h0,
    parameter [319:0] INITVAL_0E = 320'h0, parameter [319:0] INITVAL_0F = 320'h0,
    parameter [319:0] INITVAL_10 = 320'h0, parameter [319:0] INITVAL_11 = 320'h0,
    parameter [319:0] INITVAL_12 = 320'h0, parameter [319:0] INITVAL_13 = 320'h0,
    parameter [319:0] INITVAL_14 = 320'h0, parameter [319:0] INITVAL_15 = 320'h0,
    parameter [319:0] INITVAL_16 = 320'h0, parameter [319:0] INITVAL_17 = 320'h0,
    parameter [319:0] INITVAL_18 = 320'h0, parameter [319:0] INITVAL_19 = 320'h0,
    parameter [319:0] INITVAL_1A = 320'h0, parameter [319:0] INITVAL_1B = 320'h0,
    parameter [319:0] INITVAL_1C = 320'h0, parameter [319:0] INITVAL_1D = 320'h0,
    parameter [319:0] INITVAL_1E = 320'h0, parameter [319:0] INITVAL_1F = 320'h0,
    parameter [319:0] INITVAL_20 = 320'h0, parameter [319:0] INITVAL_21 = 320'h0,
    parameter [319:0] INITVAL_22 = 320'h0, parameter [319:0] INITVAL_23 = 320'h0,
    parameter [319:0] INITVAL_24 = 320'h0, parameter [319:0] INITVAL_25 = 320'h0,
    parameter [319:0] INITVAL_26 = 320'h0, parameter [319:0] INITVAL_27 = 320'h0,
    parameter [319:0] INITVAL_28 = 320'h0, parameter [319:0] INITVAL_29 = 320'h0,
    parameter [319:0] INITVAL_2A = 320'h0, parameter [319:0] INITVAL_2B = 320'h0,
    parameter [319:0] INITVAL_2C = 320'h0, parameter [319:0] INITVAL_2D = 320'h0,
    parameter [319:0] INITVAL_2E = 320'h0, parameter [319:0] INITVAL_2F = 320'h0,
    parameter [319:0] INITVAL_30 = 320'h0, parameter [319:0] INITVAL_31 = 320'h0,
    parameter [319:0] INITVAL_32 = 320'h0, parameter [319:0] INITVAL_33 = 320'h0,
    parameter [319:0] INITVAL_34 = 320'h0, parameter [319:0] INITVAL_35 = 320'h0,
    parameter [319:0] INITVAL_36 = 320'h0, parameter [319:0] INITVAL_37 = 320'h0,
    parameter [319:0] INITVAL_38 = 320'h0, parameter [319:0] INITVAL_39 = 320'h0,
    parameter [319:0] INITVAL_3A = 320'h0, parameter [319:0] INITVAL_3B = 320'h0,
    parameter [319:0] INITVAL_3C = 320'h0, parameter [319:0] INITVAL_3D = 320'h0,
    parameter [319:0] INITVAL_3E = 320'h0, parameter [319:0] INITVAL_3F = 320'h0,
    parameter DATA_WIDTH_A = 18, parameter DATA_WIDTH_B = 18,
    parameter REGMODE_A = "NOREG", parameter REGMODE_B = "NOREG",
    parameter WRITEMODE_A = "NORMAL", parameter WRITEMODE_B = "NORMAL",
    parameter [39:0] CSDECODE_A = "0b000", parameter [39:0] CSDECODE_B = "0b000",
    parameter CLKAMUX = "CLKA", parameter CLKBMUX = "CLKB",
    parameter RESETMODE = "SYNC", parameter ASYNC_RESET_RELEASE = "SYNC", parameter GSR = "ENABLED"
) (
    input wire DIA0, DIA1, DIA2, DIA3, DIA4, DIA5, DIA6, DIA7, DIA8, DIA9, DIA10, DIA11, DIA12, DIA13, DIA14, DIA15,
    DIA16, DIA17,
    input wire ADA0, ADA1, ADA2, ADA3, ADA4, ADA5, ADA6, ADA7, ADA8, ADA9, ADA10, ADA11, ADA12, ADA13,
    input wire CEA, OCEA, CLKA, WEA, RSTA, CSA0, CSA1, CSA2,
    output wire DOA0, DOA1, DOA2, DOA3, DOA4, DOA5, DOA6, DOA7, DOA8, DOA9, DOA10, DOA11, DOA12, DOA13, DOA14, DOA15,
    DOA16, DOA17,
    input wire DIB0, DIB1, DIB2, DIB3, DIB4, DIB5, DIB6, DIB7, DIB8, DIB9, DIB10, DIB11, DIB12, DIB13, DIB14, DIB15,
    DIB16, DIB17,
    input wire ADB0, ADB1, ADB2, ADB3, ADB4, ADB5, ADB6, ADB7, ADB8, ADB9, ADB10, ADB11, ADB12, ADB13,
    input wire CEB, OCEB, CLKB, WEB, RSTB, CSB0, CSB1, CSB2,
    output wire DOB0, DOB1, DOB2, DOB3, DOB4, DOB5, DOB6, DOB7, DOB8, DOB9, DOB10, DOB11, DOB12, DOB13, DOB14, DOB15,
    DOB16, DOB17
);
    localparam PSEUDO = DATA_WIDTH_A == 36;
    // 1024 words of 18 bits, each in 20.
    localparam [20479:0] ROWS = {
        INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C,
        INITVAL_3B, INITVAL_3A, INITVAL_39, INITVAL_38,
        INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34,
        INITVAL_33, INITVAL_32, INITVAL_31, INITVAL_30,
        INITVAL_2F, INITVAL_2E, INITVAL_2D, INITVAL_2C,
        INITVAL_2B, INITVAL_2A, INITVAL_29, INITVAL_28,
        INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24,
        INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20,
        INITVAL_1F, INITVAL_1E, INITVAL_1D, INITVAL_1C,
        INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18,
        INITVAL_17, INITVAL_16, INITVAL_15, INITVAL_14,
        INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10,
        INITVAL_0F, INITVAL_0E, INITVAL_0D, INITVAL_0C,
        INITVAL_0B, INITVAL_0A, INITVAL_09, INITVAL_08,
        INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04,
        INITVAL_03, INITVAL_02, INITVAL_01, INITVAL_00
    };
    wire [17:0] dia = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4,
    DIA3, DIA2, DIA1, DIA0};
    wire [17:0] dib = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4,
    DIB3, DIB2, DIB1, DIB0};
    wire [13:0] ada = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
    wire [13:0] adb = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};
    // Index 0 is port A, 1 is port B.
    wire [1:0] clock = {(CLKBMUX == "INV") ? ~CLKB : CLKB, (CLKAMUX == "INV") ? ~CLKA : CLKA};
    wire [1:0] enable = {
        CEB & ({CSB2, CSB1, CSB0} == {CSDECODE_B[16], CSDECODE_B[8], CSDECODE_B[0]}),
        CEA & ({CSA2, CSA1, CSA0} == {CSDECODE_A[16], CSDECODE_A[8], CSDECODE_A[0]})
    };
    wire [1:0] write = {PSEUDO ? 1'b0 : WEB, PSEUDO ? 1'b1 : WEA};
    wire [1:0] output_enable = {OCEB, OCEA};
    wire [1:0] reset = {RSTB, RSTA};
    wire [1:0] reset_now = (RESETMODE == "ASYNC") ? reset : 2'b00;

    // 2048 bytes of nine bits; words below nine bits lie in a byte's low eight.
    reg [8:0] bytes [0:2047];
    genvar row;
    generate
        for (row = 0; row < 64; row = row + 1) begin : g_row
            localparam [319:0] WORDS = ROWS[row * 320 +: 320];
            integer at;
            initial for (at = 0; at < 32; at = at + 1) bytes[row * 32 + at] = WORDS[at / 2 * 20 + at % 2 * 9 +: 9];
        end
    endgenerate

    wire [35:0] result [0:1];
    genvar port;
    generate
        for (port = 0; port < 2; port = port + 1) begin : g_port
            localparam WIDTH = port ? DATA_WIDTH_B : DATA_WIDTH_A;
            localparam WRITEMODE = port ? WRITEMODE_B : WRITEMODE_A;
            localparam REGMODE = port ? REGMODE_B : REGMODE_A;
            wire [13:0] address = port ? adb : ada;
            wire [35:0] data = port ? {18'h0, dib} : {dib, dia};
            wire [10:0] first = (WIDTH == 36) ? {address[13:5], 2'h0}
                : (WIDTH == 18) ? {address[13:4], 1'h0} : address[13:3];
            wire [2:0] low = (WIDTH == 4) ? {address[2], 2'h0} : (WIDTH == 2) ? {address[2:1], 1'h0}
                : (WIDTH == 1) ? address[2:0] : 3'h0;
            wire [8:0] mask = (WIDTH >= 9) ? 9'h1ff : (9'h1ff >> (9 - WIDTH)) << low;
            wire [3:0] byte_enable = (WIDTH == 36) ? address[3:0] : (WIDTH == 18) ? {2'h0, address[1:0]} : 4'h1;
            reg [35:0] latch, register;
            integer i;
            initial begin
                latch = 36'h0;
                register = 36'h0;
            end
            always @(posedge clock[port])
                if (enable[port] & write[port])
                    for (i = 0; i < 4; i = i + 1)
                        if (byte_enable[i])
                            bytes[first + i] <= (bytes[first + i] & ~mask) | (data[i * 9 +: 9] << low & mask);
            always @(posedge clock[port] or posedge reset_now[port])
                if (reset_now[port]) latch <= 36'h0;
                else if (reset[port]) latch <= 36'h0;
                else if (enable[port] & ~(write[port] & WRITEMODE == "NORMAL"))
                    for (i = 0; i < 4; i = i + 1)
                        if (i * 9 < WIDTH)
                            latch[i * 9 +: 9] <= (write[port] & WRITEMODE == "WRITETHROUGH" & byte_enable[i])
                                ? data[i * 9 +: 9] & (mask >> low) : (bytes[first + i] & mask) >> low;
            always @(posedge clock[port] or posedge reset_now[port])
                if (reset_now[port]) register <= 36'h0;
                else if (reset[port]) register <= 36'h0;
                else if (output_enable[port]) register <= latch;
            assign result[port] = (REGMODE == "OUTREG") ? register : latch;
        end
    endgenerate
    wire wide = DATA_WIDTH_B == 36;
    wire [17:0] doa = wide ? result[1][17:0] : result[0][17:0];
    wire [17:0] dob = wide ? result[1][35:18] : result[1][17:0];
    assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2,
    DOA1, DOA0} = doa;
    assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2,
    DOB1, DOB0} = dob;
endmodule
`default_nettype wire
