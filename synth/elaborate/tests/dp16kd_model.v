// Behaviour of the ECP5 block RAM in the modes the writer uses, from the vendor's memory usage guide: port A
// writes, port B reads, both output registers on. Written for the tests; it knows nothing of the writer.
module DP16KD (
    input DIA0, DIA1, DIA2, DIA3, DIA4, DIA5, DIA6, DIA7, DIA8, DIA9, DIA10, DIA11, DIA12, DIA13, DIA14, DIA15, DIA16, DIA17,
    input DIB0, DIB1, DIB2, DIB3, DIB4, DIB5, DIB6, DIB7, DIB8, DIB9, DIB10, DIB11, DIB12, DIB13, DIB14, DIB15, DIB16, DIB17,
    input ADA0, ADA1, ADA2, ADA3, ADA4, ADA5, ADA6, ADA7, ADA8, ADA9, ADA10, ADA11, ADA12, ADA13,
    input ADB0, ADB1, ADB2, ADB3, ADB4, ADB5, ADB6, ADB7, ADB8, ADB9, ADB10, ADB11, ADB12, ADB13,
    input CEA, OCEA, CLKA, WEA, RSTA, CSA0, CSA1, CSA2,
    input CEB, OCEB, CLKB, WEB, RSTB, CSB0, CSB1, CSB2,
    output DOA0, DOA1, DOA2, DOA3, DOA4, DOA5, DOA6, DOA7, DOA8, DOA9, DOA10, DOA11, DOA12, DOA13, DOA14, DOA15, DOA16, DOA17,
    output DOB0, DOB1, DOB2, DOB3, DOB4, DOB5, DOB6, DOB7, DOB8, DOB9, DOB10, DOB11, DOB12, DOB13, DOB14, DOB15, DOB16, DOB17
);
    parameter DATA_WIDTH_A = 18, DATA_WIDTH_B = 18;
    parameter REGMODE_A = "NOREG", REGMODE_B = "NOREG", RESETMODE = "SYNC", ASYNC_RESET_RELEASE = "SYNC";
    parameter WRITEMODE_A = "NORMAL", WRITEMODE_B = "NORMAL", CLKAMUX = "CLKA", CLKBMUX = "CLKB", GSR = "ENABLED";
INITVALS
    wire [35:0] di = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0,
        DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
    wire [13:0] ada = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
    wire [13:0] adb = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};
    // 2048 bytes of nine bits; a data word of w bits below nine takes 8/w-th of a byte's low eight.
    reg [8:0] bytes [0:2047];
    reg [35:0] read, out;
    integer i;
    wire [35:0] word_a = DATA_WIDTH_A >= 9 ? 36'h0 : {27'h0, bytes[ada[13:3]]};
    initial begin
        read = 0; out = 0;
        for (i = 0; i < 2048; i = i + 1) bytes[i] = INITIAL[i * 9 +: 9];
    end
    always @(posedge CLKA) if (CEA & WEA & ~CSA0 & ~CSA1 & ~CSA2) begin
        case (DATA_WIDTH_A)
            36: for (i = 0; i < 4; i = i + 1) if (ada[i]) bytes[{ada[13:5], 2'h0} + i] <= di[i * 9 +: 9];
            18: for (i = 0; i < 2; i = i + 1) if (ada[i]) bytes[{ada[13:4], 1'h0} + i] <= di[i * 9 +: 9];
            9: bytes[ada[13:3]] <= di[8:0];
            4: bytes[ada[13:3]][ada[2] * 4 +: 4] <= di[3:0];
            2: bytes[ada[13:3]][ada[2:1] * 2 +: 2] <= di[1:0];
            1: bytes[ada[13:3]][ada[2:0]] <= di[0];
        endcase
    end
    always @(posedge CLKB) begin
        if (OCEB) out <= read;
        if (CEB & ~CSB0 & ~CSB1 & ~CSB2) case (DATA_WIDTH_B)
            36: read <= {bytes[{adb[13:5], 2'h3}], bytes[{adb[13:5], 2'h2}], bytes[{adb[13:5], 2'h1}], bytes[{adb[13:5], 2'h0}]};
            18: read <= {bytes[{adb[13:4], 1'h1}], bytes[{adb[13:4], 1'h0}]};
            9: read <= bytes[adb[13:3]];
            4: read <= bytes[adb[13:3]] >> (adb[2] * 4) & 4'hf;
            2: read <= bytes[adb[13:3]] >> (adb[2:1] * 2) & 2'h3;
            1: read <= bytes[adb[13:3]] >> adb[2:0] & 1'h1;
        endcase
    end
    wire wide = DATA_WIDTH_B == 36;
    wire [17:0] doa = wide ? out[17:0] : 18'h0;
    wire [17:0] dob = wide ? out[35:18] : out[17:0];
    assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0} = doa;
    assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0} = dob;
endmodule
