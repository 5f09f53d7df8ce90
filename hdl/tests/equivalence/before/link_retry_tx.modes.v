// link_retry_tx as emitted at revision bf307b5, before it was restructured: what hdl/tests/equivalence holds the block against. Children are named only.
`default_nettype none

(* blackbox *)
module link_ltp_tx_f2_modes7_89afaf69 (
    input  wire         clock,
    input  wire         clear,
    input  wire [1:0]   mode,
    input  wire [1:0]   lanes_0,
    input  wire         active,
    input  wire [129:0] flits_in_data,
    input  wire         flits_in_valid,
    output wire         flits_in_ready,
    input  wire [129:0] time_in_data,
    input  wire         time_in_valid,
    output wire         time_in_ready,
    input  wire         time_mode,
    input  wire [55:0]  null_in_data,
    input  wire         null_in_valid,
    output wire         null_in_ready,
    input  wire [1:0]   side_in_data,
    input  wire         side_in_valid,
    input  wire         replay_next,
    input  wire [129:0] replay_beat,
    input  wire [1:0]   replay_side,
    input  wire         replay_corrupt,
    output wire         replay_take,
    input  wire         hold,
    input  wire         drain,
    input  wire         restart,
    output wire [129:0] stored_data,
    output wire         stored_valid,
    output wire [2:0]   stored_place,
    output wire [1:0]   stored_side,
    output wire [2:0]   ltp_place,
    output wire         ltp_opened,
    output wire [135:0] wire_out_data,
    output wire         wire_out_valid,
    input  wire         wire_out_ready,
    output wire         wire_wide,
    output wire         tx_open,
    output wire         ltp_start,
    output wire [15:0]  tx_seq,
    output wire         tx_ltp,
    output wire         null_tx,
    output wire         replayed,
    output wire [1:0]   tx_illegal,
    output wire         time_dropped
);
endmodule

(* blackbox *)
module link_replay_f2_r128_guard8_1f87010d (
    input  wire         clock,
    input  wire         clear,
    input  wire         run,
    input  wire         fresh,
    input  wire [7:0]   retry_limit,
    input  wire [7:0]   reinit_limit,
    input  wire [15:0]  freeze_ltps,
    input  wire [15:0]  retry_req_data,
    input  wire         retry_req_valid,
    output wire         retry_req_ready,
    input  wire [15:0]  next_rx,
    input  wire [15:0]  request_in_data,
    input  wire         request_in_valid,
    input  wire [7:0]   answer_in_data,
    input  wire         answer_in_valid,
    input  wire [7:0]   reply_in_data,
    input  wire         reply_in_valid,
    input  wire [17:0]  init_in_data,
    input  wire         init_in_valid,
    input  wire         double_bad,
    input  wire         peer_active,
    input  wire         damage,
    input  wire [129:0] stored_data,
    input  wire         stored_valid,
    input  wire [2:0]   stored_place,
    input  wire [1:0]   stored_side,
    input  wire [2:0]   ltp_place,
    input  wire         ltp_opened,
    input  wire         ltp_start,
    input  wire [15:0]  tx_seq,
    input  wire         replay_take,
    output wire         hold,
    output wire         drain,
    output wire         original_next,
    output wire         null_next,
    output wire [55:0]  null_flit,
    output wire         replay_next,
    output wire [129:0] replay_beat,
    output wire [1:0]   replay_side,
    output wire         replay_corrupt,
    output wire         restart,
    output wire         init_done,
    output wire         retrain,
    output wire         down,
    output wire [2:0]   state,
    output wire [15:0]  next_tx,
    output wire [15:0]  next_write,
    output wire [15:0]  round_trip,
    output wire [31:0]  round_trip_clocks,
    output wire [15:0]  pad,
    output wire         ltp_time,
    output wire         retry_tx,
    output wire         retry_rx,
    output wire         frozen,
    output wire         bad_pointer,
    output wire         replay_parity,
    output wire [8:0]   lost_data,
    output wire         lost_valid
);
endmodule

module link_retry_tx (
    input  wire         clock,
    input  wire         clear,
    input  wire         run,
    input  wire         fresh,
    input  wire [1:0]   mode,
    input  wire [1:0]   lanes_0,
    input  wire [7:0]   retry_limit,
    input  wire [7:0]   reinit_limit,
    input  wire [15:0]  freeze_ltps,
    input  wire [129:0] flits_in_data,
    input  wire         flits_in_valid,
    output wire         flits_in_ready,
    input  wire [129:0] time_in_data,
    input  wire         time_in_valid,
    output wire         time_in_ready,
    input  wire         time_mode,
    input  wire [1:0]   side_in_data,
    input  wire         side_in_valid,
    output wire [135:0] wire_out_data,
    output wire         wire_out_valid,
    input  wire         wire_out_ready,
    output wire         wire_wide,
    output wire         tx_open,
    output wire         ltp_start,
    output wire [15:0]  tx_seq,
    output wire [2:0]   place,
    output wire         idle,
    input  wire [15:0]  retry_req_data,
    input  wire         retry_req_valid,
    output wire         retry_req_ready,
    input  wire [15:0]  next_rx,
    input  wire [15:0]  request_in_data,
    input  wire         request_in_valid,
    input  wire [7:0]   answer_in_data,
    input  wire         answer_in_valid,
    input  wire [7:0]   reply_in_data,
    input  wire         reply_in_valid,
    input  wire [17:0]  init_in_data,
    input  wire         init_in_valid,
    input  wire         double_bad,
    input  wire         peer_active,
    input  wire         damage,
    output wire         restart,
    output wire         init_done,
    output wire         retrain,
    output wire         down,
    output wire [2:0]   state,
    output wire [15:0]  next_tx,
    output wire [15:0]  next_write,
    output wire [15:0]  round_trip,
    output wire [31:0]  round_trip_clocks,
    output wire [15:0]  pad,
    output wire         ltp_time,
    output wire         tx_ltp,
    output wire         null_tx,
    output wire         replayed,
    output wire         retry_tx,
    output wire         retry_rx,
    output wire         frozen,
    output wire         bad_pointer,
    output wire         replay_parity,
    output wire [8:0]   lost_data,
    output wire         lost_valid,
    output wire [1:0]   tx_illegal,
    output wire         time_dropped
);

    wire sender_flits_in_ready;
    wire sender_time_in_ready;
    wire sender_null_in_ready;
    wire sender_replay_take;
    wire [129:0] sender_stored_data;
    wire sender_stored_valid;
    wire [2:0] sender_stored_place;
    wire [1:0] sender_stored_side;
    wire [2:0] sender_ltp_place;
    wire sender_ltp_opened;
    wire [135:0] sender_wire_out_data;
    wire sender_wire_out_valid;
    wire sender_wire_wide;
    wire sender_tx_open;
    wire sender_ltp_start;
    wire [15:0] sender_tx_seq;
    wire sender_tx_ltp;
    wire sender_null_tx;
    wire sender_replayed;
    wire [1:0] sender_tx_illegal;
    wire sender_time_dropped;
    wire replay_retry_req_ready;
    wire replay_hold;
    wire replay_drain;
    wire replay_original_next;
    wire replay_null_next;
    wire [55:0] replay_null_flit;
    wire replay_replay_next;
    wire [129:0] replay_replay_beat;
    wire [1:0] replay_replay_side;
    wire replay_replay_corrupt;
    wire replay_restart;
    wire replay_init_done;
    wire replay_retrain;
    wire replay_down;
    wire [2:0] replay_state;
    wire [15:0] replay_next_tx;
    wire [15:0] replay_next_write;
    wire [15:0] replay_round_trip;
    wire [31:0] replay_round_trip_clocks;
    wire [15:0] replay_pad;
    wire replay_ltp_time;
    wire replay_retry_tx;
    wire replay_retry_rx;
    wire replay_frozen;
    wire replay_bad_pointer;
    wire replay_replay_parity;
    wire [8:0] replay_lost_data;
    wire replay_lost_valid;

    assign flits_in_ready = sender_flits_in_ready;
    assign time_in_ready = sender_time_in_ready;
    assign wire_out_data = sender_wire_out_data;
    assign wire_out_valid = sender_wire_out_valid;
    assign wire_wide = sender_wire_wide;
    assign tx_open = sender_tx_open;
    assign ltp_start = sender_ltp_start;
    assign tx_seq = sender_tx_seq;
    assign place = sender_ltp_place;
    assign idle = replay_drain;
    assign retry_req_ready = replay_retry_req_ready;
    assign restart = replay_restart;
    assign init_done = replay_init_done;
    assign retrain = replay_retrain;
    assign down = replay_down;
    assign state = replay_state;
    assign next_tx = replay_next_tx;
    assign next_write = replay_next_write;
    assign round_trip = replay_round_trip;
    assign round_trip_clocks = replay_round_trip_clocks;
    assign pad = replay_pad;
    assign ltp_time = replay_ltp_time;
    assign retry_tx = replay_retry_tx;
    assign retry_rx = replay_retry_rx;
    assign frozen = replay_frozen;
    assign bad_pointer = replay_bad_pointer;
    assign replay_parity = replay_replay_parity;
    assign lost_data = replay_lost_data;
    assign lost_valid = replay_lost_valid;
    assign tx_ltp = sender_tx_ltp | sender_null_tx | sender_replayed;
    assign null_tx = sender_null_tx;
    assign replayed = sender_replayed;
    assign tx_illegal = sender_tx_illegal;
    assign time_dropped = sender_time_dropped;

    link_ltp_tx_f2_modes7_89afaf69 sender (
        .clock(clock),
        .clear(clear),
        .mode(mode),
        .lanes_0(lanes_0),
        .active(replay_original_next),
        .flits_in_data(flits_in_data),
        .flits_in_valid(flits_in_valid),
        .flits_in_ready(sender_flits_in_ready),
        .time_in_data(time_in_data),
        .time_in_valid(time_in_valid),
        .time_in_ready(sender_time_in_ready),
        .time_mode(time_mode),
        .null_in_data(replay_null_flit),
        .null_in_valid(replay_null_next),
        .null_in_ready(sender_null_in_ready),
        .side_in_data(side_in_data),
        .side_in_valid(side_in_valid),
        .replay_next(replay_replay_next),
        .replay_beat(replay_replay_beat),
        .replay_side(replay_replay_side),
        .replay_corrupt(replay_replay_corrupt),
        .replay_take(sender_replay_take),
        .hold(replay_hold),
        .drain(replay_drain),
        .restart(replay_restart),
        .stored_data(sender_stored_data),
        .stored_valid(sender_stored_valid),
        .stored_place(sender_stored_place),
        .stored_side(sender_stored_side),
        .ltp_place(sender_ltp_place),
        .ltp_opened(sender_ltp_opened),
        .wire_out_data(sender_wire_out_data),
        .wire_out_valid(sender_wire_out_valid),
        .wire_out_ready(wire_out_ready),
        .wire_wide(sender_wire_wide),
        .tx_open(sender_tx_open),
        .ltp_start(sender_ltp_start),
        .tx_seq(sender_tx_seq),
        .tx_ltp(sender_tx_ltp),
        .null_tx(sender_null_tx),
        .replayed(sender_replayed),
        .tx_illegal(sender_tx_illegal),
        .time_dropped(sender_time_dropped)
    );

    link_replay_f2_r128_guard8_1f87010d replay (
        .clock(clock),
        .clear(clear),
        .run(run),
        .fresh(fresh),
        .retry_limit(retry_limit),
        .reinit_limit(reinit_limit),
        .freeze_ltps(freeze_ltps),
        .retry_req_data(retry_req_data),
        .retry_req_valid(retry_req_valid),
        .retry_req_ready(replay_retry_req_ready),
        .next_rx(next_rx),
        .request_in_data(request_in_data),
        .request_in_valid(request_in_valid),
        .answer_in_data(answer_in_data),
        .answer_in_valid(answer_in_valid),
        .reply_in_data(reply_in_data),
        .reply_in_valid(reply_in_valid),
        .init_in_data(init_in_data),
        .init_in_valid(init_in_valid),
        .double_bad(double_bad),
        .peer_active(peer_active),
        .damage(damage),
        .stored_data(sender_stored_data),
        .stored_valid(sender_stored_valid),
        .stored_place(sender_stored_place),
        .stored_side(sender_stored_side),
        .ltp_place(sender_ltp_place),
        .ltp_opened(sender_ltp_opened),
        .ltp_start(sender_ltp_start),
        .tx_seq(sender_tx_seq),
        .replay_take(sender_replay_take),
        .hold(replay_hold),
        .drain(replay_drain),
        .original_next(replay_original_next),
        .null_next(replay_null_next),
        .null_flit(replay_null_flit),
        .replay_next(replay_replay_next),
        .replay_beat(replay_replay_beat),
        .replay_side(replay_replay_side),
        .replay_corrupt(replay_replay_corrupt),
        .restart(replay_restart),
        .init_done(replay_init_done),
        .retrain(replay_retrain),
        .down(replay_down),
        .state(replay_state),
        .next_tx(replay_next_tx),
        .next_write(replay_next_write),
        .round_trip(replay_round_trip),
        .round_trip_clocks(replay_round_trip_clocks),
        .pad(replay_pad),
        .ltp_time(replay_ltp_time),
        .retry_tx(replay_retry_tx),
        .retry_rx(replay_retry_rx),
        .frozen(replay_frozen),
        .bad_pointer(replay_bad_pointer),
        .replay_parity(replay_replay_parity),
        .lost_data(replay_lost_data),
        .lost_valid(replay_lost_valid)
    );

    // Bits that nothing reads.
    wire unused_bits = &{1'b0, sender_null_in_ready};

endmodule

`default_nettype wire
