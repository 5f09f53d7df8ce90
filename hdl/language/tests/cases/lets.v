`default_nettype none
/* verilator lint_off DECLFILENAME */

// top
module top (
    input  wire [5:0] a,
    input  wire [5:0] b,
    input  wire [1:0] mode,
    output wire [5:0] larger,
    output reg  [5:0] between,
    output reg  [5:0] chosen
);

    wire swap;
    reg [5:0] high;
    reg [5:0] low;
    reg [5:0] gap;
    reg [5:0] sum;
    reg [5:0] twice;

    always @(*) begin
        gap = 6'h0;
        if (high != low) begin
            if (mode[0]) begin
                gap = high - low;
            end
        end
    end

    always @(*) begin
        twice = 6'h0;
        if (mode[1]) begin
            twice = {low[4:0], 1'b0};
        end
    end

    assign swap = (a < b);

    always @(*) begin
        if (swap) begin
            high = b;
        end else begin
            high = a;
        end
    end

    always @(*) begin
        if (swap) begin
            low = a;
        end else begin
            low = b;
        end
    end

    assign larger = high;

    always @(*) begin
        if (high == low) begin
            between = 6'h0;
        end else if (mode[0]) begin
            between = gap - 6'h01;
        end else begin
            between = high - low;
        end
    end

    always @(*) begin
        sum = 6'h01;
        sum = sum + high;
        if (mode[1]) begin
            sum = sum + twice;
        end
    end

    always @(*) begin
        case (mode)
            2'h0: chosen = high;
            2'h1, 2'h2: chosen = sum;
            default: chosen = 6'h3f;
        endcase
    end

endmodule

/* verilator lint_on DECLFILENAME */
`default_nettype wire
