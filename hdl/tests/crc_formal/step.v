// One beat of link_crc, every register state: the induction step of the proof in docs/formal.md.
// `core` is the block with its N registers and the R bits of its state as ports. A beat of clock 0 reaches the
// state register at the end of clock CUT; there the state is replaced by the free input `state`.
module miter #(
    parameter W = 132, R = 16, MASK = 0, LAST = 116, LATENCY = 4, EXIT = 1, N = 1
) (
    input  [N-1:0] registers,
    input  [R-1:0] before_cut,
    input  [R-1:0] state,
    input  [(LATENCY+1)*W-1:0] beats,
    input  [LATENCY:0] valid, first, last, clear,
    output [3:0] bad
);
    localparam BITS = W;
    localparam CUT = LATENCY - 1 - EXIT;
    `include "serial.vh"

    wire [(LATENCY+2)*N-1:0] register;
    wire [(LATENCY+2)*R-1:0] register_of_state;
    wire [(LATENCY+1)*R-1:0] crc;
    wire [LATENCY:0] done, good;
    assign register[N-1:0] = registers;
    assign register_of_state[R-1:0] = before_cut;
    // The caller gives the bits of a last beat that are not covered as 0.
    wire [W-1:0] covered = {W{1'b1}} >> (W - LAST);
    wire [W-1:0] beat = last[0] ? beats[W-1:0] & covered : beats[W-1:0];
    genvar t;
    generate for (t = 0; t <= LATENCY; t = t + 1) begin : cycle
        wire [R-1:0] now = t == CUT ? state : register_of_state[t*R +: R];
        core core (
            .clock(1'b0), .clear(clear[t]), .first(first[t]), .last(last[t]),
            .beat_data(t == 0 ? beat : beats[t*W +: W]), .beat_valid(valid[t]),
            .register_now(register[t*N +: N]), .register_next(register[(t+1)*N +: N]),
            .state_now(now), .state_next(register_of_state[(t+1)*R +: R]),
            .crc_data(crc[t*R +: R]), .crc_valid(done[t]), .good(good[t])
        );
    end endgenerate

    // Chapter 10's register, seen through the CRC output: the output leaves out the W - LAST bits at the end of the
    // last beat, so that many zero bits further is the register after whole beats.
    wire [R-1:0] out_before = mirrored(crc[(LATENCY-1)*R +: R]);
    wire [R-1:0] out_after = mirrored(crc[LATENCY*R +: R]);
    wire [R-1:0] before = serial(out_before, {W{1'b0}}, W - LAST);
    wire [R-1:0] after = serial(out_after, {W{1'b0}}, W - LAST);
    wire [R-1:0] start = first[0] ? {R{1'b1}} : before;
    wire calm = ~|clear[LATENCY-1:0];
    wire [R-1:0] expected = valid[0] ? serial(start, beat, W) : before;

    // Differences are guarded bit by bit: an unguarded `or` of different parities has no small BDD.
    // 0: a beat takes the register where the definition takes it; without a beat it stays.
    assign bad[0] = |({R{calm}} & (after ^ expected));
    // 1: behind a last beat the output is the register after the covered bits.
    assign bad[1] = |({R{calm && valid[0] && last[0]}} & (out_after ^ serial(start, beat, LAST)));
    // 2: the output is valid for last beats only, and not if there was a clear on the way.
    assign bad[2] = done[LATENCY] != (valid[0] && last[0] && calm);
    // 3: `good` is said of a register that is 0, and of no other.
    assign bad[3] = good[LATENCY-1] != (out_before == 0);
endmodule
