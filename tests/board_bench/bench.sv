`timescale 1ns / 1ps
// Everything the bench reports begins with a word and the clock: received, leds, step, progress, end, error. After a
// step come the probes' counts, by name.
module bench;
DECLARATIONS
    TOP dut (CONNECTIONS);

    longint clocks = 0;
    longint lines = 0;
    always #HALF_PERIOD CLOCK_PIN = ~CLOCK_PIN;
    always @(posedge CLOCK_PIN) begin
        clocks <= clocks + 1;
        if (clocks % 1000000 == 999999) $display("progress %0d", clocks + 1);
        if (clocks > LIMIT) begin
            $display("error %0d: not done after the limit", clocks);
            $finish(0);
        end
    end

    // Receiver: samples the middle of each bit.
    int wait_for = 0;
    int bit_number = -1;
    reg [7:0] letter = 0;
    reg line_before = 1;
    always @(posedge CLOCK_PIN) begin
        line_before <= SERIAL_OUT;
        if (bit_number < 0) begin
            if (line_before & ~SERIAL_OUT) begin
                bit_number <= 0;
                wait_for <= DIVIDER / 2 - 1;
            end
        end else if (wait_for > 0) wait_for <= wait_for - 1;
        else begin
            wait_for <= DIVIDER - 1;
            bit_number <= bit_number + 1;
            if (bit_number == 0) begin
                if (SERIAL_OUT) $display("error %0d: the start bit is short", clocks);
            end else if (bit_number <= 8) letter <= {SERIAL_OUT, letter[7:1]};
            else begin
                bit_number <= -1;
                if (!SERIAL_OUT) $display("error %0d: no stop bit", clocks);
                $display("received %0d %02h", clocks, letter);
                if (letter == 8'h0a) lines <= lines + 1;
            end
        end
    end

    reg [$bits(LEDS)-1:0] leds_before = 0;
    always @(posedge CLOCK_PIN) begin
        leds_before <= LEDS;
        if (LEDS !== leds_before) $display("leds %0d %0h", clocks, LEDS);
    end

    // Inputs change between rising edges.
    task automatic wait_clocks(input longint count);
        repeat (count) @(negedge CLOCK_PIN);
    endtask
    task automatic wait_lines(input longint count);
        longint until_line = lines + count;
        while (lines < until_line) @(negedge CLOCK_PIN);
    endtask
    task automatic send(input [7:0] value);
        SERIAL_IN = 0;
        wait_clocks(DIVIDER);
        for (int at = 0; at < 8; at++) begin
            SERIAL_IN = value[at];
            wait_clocks(DIVIDER);
        end
        SERIAL_IN = 1;
        wait_clocks(2 * DIVIDER);
    endtask
    task automatic begin_step;
        $display("step %0d", clocks);
        COUNTS
    endtask
    initial begin
        wait_clocks(1);
STEPS        begin_step;
        $display("end %0d", clocks);
        $finish(0);
    end
endmodule
