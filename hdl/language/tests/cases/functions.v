`default_nettype none
/* verilator lint_off DECLFILENAME */

// top
module top (
    input  wire [7:0] a,
    input  wire [7:0] b,
    input  wire [7:0] c,
    output wire [7:0] apart,
    output wire [1:0] parities,
    output reg  [7:0] limited
);

    wire distance_less;
    reg [7:0] distance_high;
    reg [7:0] at_most;
    wire [7:0] distance_low;
    wire distance_less_2;
    reg [7:0] distance_high_2;
    reg [7:0] at_most_2;
    wire [7:0] distance_low_2;
    wire [7:0] even_x;
    wire [7:0] at_most_most;
    reg [7:0] at_most_3;
    reg [7:0] at_most_x;
    reg [7:0] at_most_most_2;
    reg [7:0] at_most_4;

    always @(*) begin
        at_most_x = 8'h0;
        if (~(^c)) begin
            at_most_x = a ^ c;
        end
    end

    always @(*) begin
        at_most_most_2 = 8'h0;
        if (~(^c)) begin
            at_most_most_2 = 8'h03;
        end
    end

    always @(*) begin
        at_most_4 = 8'h0;
        if (~(^c)) begin
            if (at_most_x > at_most_most_2) begin
                at_most_4 = at_most_most_2;
            end else begin
                at_most_4 = at_most_x;
            end
        end
    end

    assign distance_less = (a < b);

    always @(*) begin
        if (distance_less) begin
            distance_high = b;
        end else begin
            distance_high = a;
        end
    end

    always @(*) begin
        if (a > b) begin
            at_most = b;
        end else begin
            at_most = a;
        end
    end

    assign distance_low = at_most;
    assign distance_less_2 = (b < c);

    always @(*) begin
        if (distance_less_2) begin
            distance_high_2 = c;
        end else begin
            distance_high_2 = b;
        end
    end

    always @(*) begin
        if (b > c) begin
            at_most_2 = c;
        end else begin
            at_most_2 = b;
        end
    end

    assign distance_low_2 = at_most_2;
    assign apart = (distance_high - distance_low) + (distance_high_2 - distance_low_2);
    assign even_x = a ^ b;
    assign parities = {~(^even_x), ~(^a)};
    assign at_most_most = 8'h09;

    always @(*) begin
        if (c > at_most_most) begin
            at_most_3 = at_most_most;
        end else begin
            at_most_3 = c;
        end
    end

    always @(*) begin
        limited = at_most_3;
        if (~(^c)) begin
            limited = at_most_4;
        end
    end

endmodule

/* verilator lint_on DECLFILENAME */
`default_nettype wire
