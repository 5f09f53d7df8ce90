// Behaviour of the ECP5 phase-locked loop with its feedback from CLKOP: CLKOP = CLKI * CLKFB_DIV / CLKI_DIV, its
// oscillator at CLKOP * CLKOP_DIV. It measures its reference and locks when that is steady and every frequency lies
// within the family data sheet's range; otherwise it says what is wrong, as a line that begins with `error`, and stands still.
//
// The output starts again with every CLKI_DIV-th rising edge of the reference, so its average is exact whatever the
// time precision. Phase settings, standby and the other outputs are not modelled: settings that ask for them are refused.
`default_nettype none
`timescale 1ns / 1ps

module EHXPLLL #(
    parameter CLKI_DIV = 1, parameter CLKFB_DIV = 1, parameter CLKOP_DIV = 8, parameter CLKOP_ENABLE = "ENABLED",
    parameter CLKOP_CPHASE = 0, parameter CLKOP_FPHASE = 0, parameter FEEDBK_PATH = "CLKOP",
    parameter PLLRST_ENA = "DISABLED", parameter INTFB_WAKE = "DISABLED", parameter STDBY_ENABLE = "DISABLED",
    parameter DPHASE_SOURCE = "DISABLED", parameter OUTDIVIDER_MUXA = "DIVA", parameter OUTDIVIDER_MUXB = "DIVB",
    parameter OUTDIVIDER_MUXC = "DIVC", parameter OUTDIVIDER_MUXD = "DIVD"
) (
    input wire CLKI, input wire CLKFB, input wire RST, input wire STDBY,
    input wire PHASESEL0, input wire PHASESEL1, input wire PHASEDIR, input wire PHASESTEP, input wire PHASELOADREG,
    input wire PLLWAKESYNC, input wire ENCLKOP, input wire ENCLKOS, input wire ENCLKOS2, input wire ENCLKOS3,
    output reg CLKOP, output wire CLKOS, output wire CLKOS2, output wire CLKOS3,
    output reg LOCK, output wire INTLOCK, output wire REFCLK, output wire CLKINTFB
);
    assign {CLKOS, CLKOS2, CLKOS3, INTLOCK, REFCLK, CLKINTFB} = 6'b000000;

    localparam SETTINGS_KNOWN = FEEDBK_PATH == "CLKOP" && CLKOP_ENABLE == "ENABLED" && PLLRST_ENA == "DISABLED"
        && STDBY_ENABLE == "DISABLED" && DPHASE_SOURCE == "DISABLED" && OUTDIVIDER_MUXA == "DIVA" && CLKOP_FPHASE == 0;
    // Equal periods of the reference before the loop locks.
    localparam STEADY_PERIODS = 16;

    real last, period, detector_mhz, output_mhz, oscillator_mhz, half;
    integer steady, number;
    reg running, failed;
    initial begin
        CLKOP = 1'b0;
        LOCK = 1'b0;
        last = 0.0;
        period = 0.0;
        half = 0.0;
        steady = 0;
        running = 1'b0;
        failed = 1'b0;
    end

    always @(posedge CLKI) if (!running && !failed) begin
        // To half a picosecond, the precision of the times.
        if ($realtime - last - period < 0.0005 && period - ($realtime - last) < 0.0005) steady = steady + 1;
        else steady = 0;
        period = $realtime - last;
        last = $realtime;
        if (steady == STEADY_PERIODS) begin
            detector_mhz = 1000.0 / (period * CLKI_DIV);
            output_mhz = detector_mhz * CLKFB_DIV;
            oscillator_mhz = output_mhz * CLKOP_DIV;
            half = 500.0 / output_mhz;
            failed = 1'b1;
            if (!SETTINGS_KNOWN) $display("error: EHXPLLL has settings that its model does not know");
            else if (detector_mhz < 3.125 || detector_mhz > 400.0)
                $display("error: EHXPLLL compares at %0.3f MHz, allowed are 3.125 to 400", detector_mhz);
            else if (oscillator_mhz < 400.0 || oscillator_mhz > 800.0)
                $display("error: EHXPLLL oscillates at %0.3f MHz, allowed are 400 to 800", oscillator_mhz);
            else begin
                failed = 1'b0;
                running = 1'b1;
            end
        end
    end

    // CLKFB_DIV periods fill CLKI_DIV periods of the reference; the last half one ends with its edge.
    always begin
        if (!running) wait (running);
        @(posedge CLKI);
        number = 0;
        while (number < CLKFB_DIV) begin
            CLKOP = 1'b1;
            #(half);
            if (CLKFB !== 1'b1 && !failed) begin
                failed = 1'b1;
                $display("error: the feedback of EHXPLLL is not its own output");
            end
            CLKOP = 1'b0;
            number = number + 1;
            if (number < CLKFB_DIV) #(half);
        end
        LOCK = !failed;
    end
endmodule
`default_nettype wire
