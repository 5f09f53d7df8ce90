// One beat of ltp_crc, every register state: the induction step of the proof in docs/formal.md.
// The block's register runs APPENDED zero bits ahead of chapter 10's, which is the free input `state` here.
module miter #(
    parameter W = 130, R = 16, MASK = 0, APPENDED = 0, N = 1, INITIAL = 0
) (
    input  [N-1:0] registers,
    input  [R-1:0] before_cut,
    input  [R-1:0] state,
    input  [3*W-1:0] beats,
    input  [2:0] load, step, restart, clear,
    input  [3*2-1:0] appended,
    output [3:0] bad
);
    localparam BITS = W;
    `include "serial.vh"

    wire [4*N-1:0] register;
    wire [4*R-1:0] register_of_state;
    wire [3*R-1:0] following;
    wire [R-1:0] ahead = serial(state, {W{1'b0}}, APPENDED);
    assign register[N-1:0] = registers;
    assign register_of_state[R-1:0] = before_cut;
    genvar t;
    generate for (t = 0; t < 3; t = t + 1) begin : cycle
        wire [R-1:0] now = t == 1 ? mirrored(ahead) : register_of_state[t*R +: R];
        core core (
            .clock(1'b0), .clear(clear[t]), .load(t == 0 ? 1'b1 : load[t]), .beat(beats[t*W +: W]),
            .step(step[t]), .restart(restart[t]), .appended(appended[t*2 +: 2]),
            .register_now(register[t*N +: N]), .register_next(register[(t+1)*N +: N]),
            .state_now(now), .state_next(register_of_state[(t+1)*R +: R]),
            .following(following[t*R +: R])
        );
    end endgenerate

    wire [R-1:0] with_beat = serial(state, beats[W-1:0], W);
    wire [R-1:0] anew = serial({R{1'b1}}, {W{1'b0}}, APPENDED);
    wire [R-1:0] ahead_with_beat = serial(with_beat, {W{1'b0}}, APPENDED);
    wire starts = clear[1] || step[1] && restart[1];
    wire [R-1:0] next = starts ? anew : step[1] ? ahead_with_beat : ahead;
    // Before the last beat nothing is appended.
    wire allowed = starts || !step[1] || appended[3:2] == 0;

    // 0: `following` is the register with the beat loaded one clock before and the appended bits.
    assign bad[0] = mirrored(following[R +: R]) != serial(with_beat, {{W-2{1'b0}}, appended[3:2]}, APPENDED);
    // 1: the register steps, stays, or starts anew.
    assign bad[1] = |({R{allowed}} & (mirrored(register_of_state[2*R +: R]) ^ next));
    // 2: without `load` the beat stays.
    assign bad[2] = |({N{!load[1]}} & (register[2*N +: N] ^ register[N +: N]));
    // 3: power-on is a start.
    assign bad[3] = mirrored(INITIAL) != anew;
endmodule
