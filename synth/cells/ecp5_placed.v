// Behaviour of the cells in a netlist that nextpnr-ecp5 has placed and routed (its JSON output), for simulation.
//
// The models follow the device: the slice's look-up tables with carry and wide multiplexers, the flip-flop with
// both data inputs, LUT RAM, I/O buffers. Inputs that the netlist leaves open must be tied beforehand: look-up
// table inputs A..D to 1 (the device's pull-up), everything else to 0. Block RAM is in ecp5_dp16kd.v, the phase-locked
// loop in ecp5_pll.v; there is no SerDes here.
`default_nettype none
`timescale 1ns / 1ps

module TRELLIS_COMB #(
    parameter MODE = "LOGIC",
    parameter [15:0] INITVAL = 16'h0000,
    parameter CCU2_INJECT1 = "NO",
    parameter WCKMUX = "WCK",
    parameter WREMUX = "WRE",
    parameter IS_Z1 = 1'b0
) (
    input wire A, input wire B, input wire C, input wire D, input wire M,
    input wire FCI, input wire F1, input wire FXA, input wire FXB,
    input wire WD, input wire WAD0, input wire WAD1, input wire WAD2, input wire WAD3,
    input wire WRE, input wire WCK,
    output wire F, output wire FCO, output wire OFX
);
    generate
        if (MODE == "DPRAM") begin : g_ram
            // The read address is the table's inputs; the write address reaches the same order from RAMW's.
            reg [15:0] memory;
            wire write_clock = (WCKMUX == "INV") ? ~WCK : WCK;
            wire write_enable = (WREMUX == "INV") ? ~WRE : (WREMUX == "1") ? 1'b1 : (WREMUX == "0") ? 1'b0 : WRE;
            initial memory = INITVAL;
            always @(posedge write_clock)
                if (write_enable) memory[{WAD0, WAD2, WAD1, WAD3}] <= WD;
            assign F = memory[{D, C, B, A}];
            assign FCO = 1'b0;
        end else begin : g_lut
            wire table4 = INITVAL[{D, C, B, A}];
            if (MODE == "CCU2") begin : g_carry
                // The propagate term is the table; the generate term is its lowest quarter, a function of A and B.
                wire generate_term = (CCU2_INJECT1 == "YES") ? 1'b0 : INITVAL[{2'b00, B, A}];
                wire carry_into_sum = (CCU2_INJECT1 == "YES") ? 1'b0 : FCI;
                assign F = table4 ^ carry_into_sum;
                assign FCO = table4 ? FCI : generate_term;
            end else begin : g_plain
                assign F = table4;
                assign FCO = 1'b0;
            end
        end
    endgenerate
    // The wide multiplexer: a slice's two tables, or two other multiplexers.
    assign OFX = IS_Z1 ? (M ? FXB : FXA) : (M ? F1 : F);
endmodule

module TRELLIS_RAMW (
    input wire A0, input wire B0, input wire C0, input wire D0,
    input wire A1, input wire B1, input wire C1, input wire D1,
    output wire WDO0, output wire WDO1, output wire WDO2, output wire WDO3,
    output wire WADO0, output wire WADO1, output wire WADO2, output wire WADO3
);
    assign {WDO3, WDO2, WDO1, WDO0} = {B1, D1, A1, C1};
    assign {WADO3, WADO2, WADO1, WADO0} = {A0, C0, B0, D0};
endmodule

module TRELLIS_FF #(
    parameter CEMUX = "CE",
    parameter CLKMUX = "CLK",
    parameter LSRMUX = "LSR",
    parameter REGSET = "RESET",
    parameter SRMODE = "LSR_OVER_CE",
    parameter SD = "1",
    parameter GSR = "DISABLED"
) (
    input wire CLK, input wire LSR, input wire CE, input wire DI, input wire M,
    output reg Q
);
    wire clock = (CLKMUX == "INV") ? ~CLK : CLK;
    wire enable = (CEMUX == "1") ? 1'b1 : (CEMUX == "0") ? 1'b0 : (CEMUX == "INV") ? ~CE : CE;
    wire set_reset = (LSRMUX == "INV") ? ~LSR : LSR;
    wire data = (SD == "0") ? M : DI;
    localparam VALUE = (REGSET == "SET") ? 1'b1 : 1'b0;
    initial Q = VALUE;
    generate
        if (SRMODE == "ASYNC") begin : g_async
            always @(posedge clock or posedge set_reset)
                if (set_reset) Q <= VALUE;
                else if (enable) Q <= data;
        end else begin : g_sync
            always @(posedge clock)
                if (set_reset & (enable | SRMODE != "CE_OVER_LSR")) Q <= VALUE;
                else if (enable) Q <= data;
        end
    endgenerate
endmodule

module TRELLIS_IO #(
    parameter DIR = "INPUT",
    parameter DATAMUX_ODDR = "PADDO",
    parameter DATAMUX_MDDR = "PADDO"
) (
    inout wire B, input wire I, input wire T, output wire O
);
    generate
        if (DIR == "OUTPUT") begin : g_output
            assign B = I;
            assign O = 1'b0;
        end else if (DIR == "BIDIR") begin : g_both
            assign B = T ? 1'bz : I;
            assign O = B;
        end else begin : g_input
            assign O = B;
        end
    endgenerate
endmodule

module DCCA (input wire CLKI, input wire CE, output wire CLKO);
    assign CLKO = CLKI;
endmodule
`default_nettype wire
