`default_nettype none
/* verilator lint_off DECLFILENAME */

// top
module top (
    input  wire       clock,
    input  wire       clear,
    input  wire       go,
    output reg        busy,
    output wire [1:0] step
);

    localparam [1:0] STATE_IDLE = 2'h0;
    localparam [1:0] STATE_RUN = 2'h1;
    localparam [1:0] STATE_STOP = 2'h2;
    reg [1:0] state_d;
    reg [1:0] state_q;
    reg [1:0] count_d;
    reg [1:0] count_q;

    always @(*) begin
        state_d = state_q;
        case (state_q)
            STATE_IDLE: begin
                if (go) begin
                    state_d = STATE_RUN;
                end
            end
            STATE_RUN: begin
                case (count_q)
                    2'h1: begin
                        if (go) begin
                            state_d = STATE_STOP;
                        end
                    end
                    2'h2, 2'h3: state_d = STATE_IDLE;
                    default: ;
                endcase
            end
            default: state_d = STATE_IDLE;
        endcase
        if (clear) begin
            state_d = STATE_IDLE;
        end
    end

    always @(*) begin
        count_d = count_q;
        case (state_q)
            STATE_IDLE: count_d = 2'h0;
            STATE_RUN: count_d = count_q + 2'h1;
            default: ;
        endcase
    end

    always @(*) begin
        case (state_q)
            STATE_RUN, STATE_STOP: busy = 1'b1;
            default: busy = 1'b0;
        endcase
    end

    assign step = count_q;

    initial state_q = STATE_IDLE;
    always @(posedge clock) state_q <= state_d;

    initial count_q = 2'h0;
    always @(posedge clock) count_q <= count_d;

endmodule

/* verilator lint_on DECLFILENAME */
`default_nettype wire
