`default_nettype none
/* verilator lint_off DECLFILENAME */

`ifndef FLITFORGE_giver_83df618e
`define FLITFORGE_giver_83df618e
// giver
module giver_83df618e (
    input  wire [7:0] n,
    input  wire       asked_wants,
    output reg  [7:0] asked_word
);

    always @(*) begin
        if (asked_wants) begin
            asked_word = n;
        end else begin
            asked_word = 8'h0;
        end
    end

endmodule
`endif

`ifndef FLITFORGE_skid_width8_3c4d8acc
`define FLITFORGE_skid_width8_3c4d8acc
// skid: width = 8
module skid_width8_3c4d8acc (
    input  wire       clock,
    input  wire       clear,
    input  wire [7:0] words_in_data,
    input  wire       words_in_valid,
    output wire       words_in_ready,
    output wire [7:0] words_out_data,
    output wire       words_out_valid,
    input  wire       words_out_ready,
    output wire       has_room
);

    wire arrives;
    wire moves;
    wire keeps;
    reg [7:0] word_d;
    reg [7:0] word_q;
    reg word_valid_q;
    wire spare_enable;
    reg [7:0] spare_q;
    reg spare_valid_q;
    wire room_d;
    reg room_q;

    assign has_room = room_q;
    assign words_in_ready = room_q & ~clear;
    assign arrives = words_in_valid | spare_valid_q;
    assign moves = ~word_valid_q | words_out_ready;

    always @(*) begin
        word_d = words_in_data;
        if (spare_valid_q) begin
            word_d = spare_q;
        end
    end

    assign spare_enable = ~spare_valid_q;
    assign keeps = ~moves & arrives;
    assign room_d = ~keeps;
    assign words_out_data = word_q;
    assign words_out_valid = word_valid_q;

    initial word_q = 8'h0;
    always @(posedge clock) if (moves) word_q <= word_d;

    initial word_valid_q = 1'b0;
    always @(posedge clock) begin
        if (clear) word_valid_q <= 1'b0;
        else if (moves) word_valid_q <= arrives;
    end

    initial spare_q = 8'h0;
    always @(posedge clock) if (spare_enable) spare_q <= words_in_data;

    initial spare_valid_q = 1'b0;
    always @(posedge clock) begin
        if (clear) spare_valid_q <= 1'b0;
        else spare_valid_q <= keeps;
    end

    initial room_q = 1'b1;
    always @(posedge clock) begin
        if (clear) room_q <= 1'b1;
        else room_q <= room_d;
    end

endmodule
`endif

// top
module top (
    input  wire       clock,
    input  wire       clear,
    input  wire [7:0] words_in_0_data,
    input  wire       words_in_0_valid,
    output wire       words_in_0_ready,
    input  wire [7:0] words_in_1_data,
    input  wire       words_in_1_valid,
    output wire       words_in_1_ready,
    output wire [7:0] words_out_0_data,
    output wire       words_out_0_valid,
    input  wire       words_out_0_ready,
    output wire [7:0] words_out_1_data,
    output wire       words_out_1_valid,
    input  wire       words_out_1_ready,
    output wire [7:0] moved_data,
    output wire       moved_valid,
    output wire       asks_wants,
    input  wire [7:0] asks_word,
    input  wire       asked_wants,
    output wire [7:0] asked_word
);

    wire [7:0] giver_asked_word;
    wire front_0_words_in_ready;
    wire [7:0] front_0_words_out_data;
    wire front_0_words_out_valid;
    wire front_0_has_room;
    wire front_1_words_in_ready;
    wire [7:0] front_1_words_out_data;
    wire front_1_words_out_valid;
    wire front_1_has_room;
    wire back_0_words_in_ready;
    wire [7:0] back_0_words_out_data;
    wire back_0_words_out_valid;
    wire back_0_has_room;
    wire back_1_words_in_ready;
    wire [7:0] back_1_words_out_data;
    wire back_1_words_out_valid;
    wire back_1_has_room;

    assign words_in_0_ready = front_0_words_in_ready;
    assign words_out_0_data = back_0_words_out_data;
    assign words_out_0_valid = back_0_words_out_valid;
    assign words_in_1_ready = front_1_words_in_ready;
    assign words_out_1_data = back_1_words_out_data;
    assign words_out_1_valid = back_1_words_out_valid;
    assign asked_word = giver_asked_word;
    assign asks_wants = front_0_has_room & asks_word[7];
    assign moved_data = front_0_words_out_data;
    assign moved_valid = front_0_words_out_valid & back_0_words_in_ready;

    giver_83df618e giver (
        .n(asks_word),
        .asked_wants(asked_wants),
        .asked_word(giver_asked_word)
    );

    skid_width8_3c4d8acc front_0 (
        .clock(clock),
        .clear(clear),
        .words_in_data(words_in_0_data),
        .words_in_valid(words_in_0_valid),
        .words_in_ready(front_0_words_in_ready),
        .words_out_data(front_0_words_out_data),
        .words_out_valid(front_0_words_out_valid),
        .words_out_ready(back_0_words_in_ready),
        .has_room(front_0_has_room)
    );

    skid_width8_3c4d8acc front_1 (
        .clock(clock),
        .clear(clear),
        .words_in_data(words_in_1_data),
        .words_in_valid(words_in_1_valid),
        .words_in_ready(front_1_words_in_ready),
        .words_out_data(front_1_words_out_data),
        .words_out_valid(front_1_words_out_valid),
        .words_out_ready(back_1_words_in_ready),
        .has_room(front_1_has_room)
    );

    skid_width8_3c4d8acc back_0 (
        .clock(clock),
        .clear(clear),
        .words_in_data(front_0_words_out_data),
        .words_in_valid(front_0_words_out_valid),
        .words_in_ready(back_0_words_in_ready),
        .words_out_data(back_0_words_out_data),
        .words_out_valid(back_0_words_out_valid),
        .words_out_ready(words_out_0_ready),
        .has_room(back_0_has_room)
    );

    skid_width8_3c4d8acc back_1 (
        .clock(clock),
        .clear(clear),
        .words_in_data(front_1_words_out_data),
        .words_in_valid(front_1_words_out_valid),
        .words_in_ready(back_1_words_in_ready),
        .words_out_data(back_1_words_out_data),
        .words_out_valid(back_1_words_out_valid),
        .words_out_ready(words_out_1_ready),
        .has_room(back_1_has_room)
    );

    // Bits that nothing reads.
    wire unused_bits = &{1'b0, front_1_has_room, back_0_has_room, back_1_has_room};

endmodule

/* verilator lint_on DECLFILENAME */
`default_nettype wire
