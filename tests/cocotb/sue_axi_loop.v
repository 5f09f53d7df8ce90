// sue_axi with its commands led back to itself: what goes to an XPU comes from it. Each command of virtual channel 0 is a PDU of
// port 1, told of a clock after its last word, and ended, with `status`, as many clocks later as PDUs may be under way.
module sue_axi_loop (
    input  wire        clock,
    input  wire        clear,
    input  wire        unordered,
    input  wire        early_responses,
    input  wire [1:0]  status,
    input  wire [3:0]  s_axi_awid,
    input  wire [63:0] s_axi_awaddr,
    input  wire [7:0]  s_axi_awlen,
    input  wire [2:0]  s_axi_awsize,
    input  wire [1:0]  s_axi_awburst,
    input  wire        s_axi_awlock,
    input  wire [3:0]  s_axi_awcache,
    input  wire [2:0]  s_axi_awprot,
    input  wire [3:0]  s_axi_awqos,
    input  wire [3:0]  s_axi_awregion,
    input  wire [39:0] s_axi_awuser,
    input  wire        s_axi_awvalid,
    output wire        s_axi_awready,
    input  wire [63:0] s_axi_wdata,
    input  wire [7:0]  s_axi_wstrb,
    input  wire        s_axi_wlast,
    input  wire        s_axi_wvalid,
    output wire        s_axi_wready,
    output wire [3:0]  s_axi_bid,
    output wire [1:0]  s_axi_bresp,
    output wire [39:0] s_axi_buser,
    output wire        s_axi_bvalid,
    input  wire        s_axi_bready,
    input  wire [3:0]  s_axi_arid,
    input  wire [63:0] s_axi_araddr,
    input  wire [7:0]  s_axi_arlen,
    input  wire [2:0]  s_axi_arsize,
    input  wire [1:0]  s_axi_arburst,
    input  wire        s_axi_arlock,
    input  wire [3:0]  s_axi_arcache,
    input  wire [2:0]  s_axi_arprot,
    input  wire [3:0]  s_axi_arqos,
    input  wire [3:0]  s_axi_arregion,
    input  wire [39:0] s_axi_aruser,
    input  wire        s_axi_arvalid,
    output wire        s_axi_arready,
    output wire [3:0]  s_axi_rid,
    output wire [63:0] s_axi_rdata,
    output wire [1:0]  s_axi_rresp,
    output wire        s_axi_rlast,
    output wire [39:0] s_axi_ruser,
    output wire        s_axi_rvalid,
    input  wire        s_axi_rready,
    output wire [4:0]  m_axi_awid,
    output wire [63:0] m_axi_awaddr,
    output wire [7:0]  m_axi_awlen,
    output wire [2:0]  m_axi_awsize,
    output wire [1:0]  m_axi_awburst,
    output wire        m_axi_awlock,
    output wire [3:0]  m_axi_awcache,
    output wire [2:0]  m_axi_awprot,
    output wire [3:0]  m_axi_awqos,
    output wire [3:0]  m_axi_awregion,
    output wire [39:0] m_axi_awuser,
    output wire        m_axi_awvalid,
    input  wire        m_axi_awready,
    output wire [63:0] m_axi_wdata,
    output wire [7:0]  m_axi_wstrb,
    output wire        m_axi_wlast,
    output wire        m_axi_wvalid,
    input  wire        m_axi_wready,
    input  wire [4:0]  m_axi_bid,
    input  wire [1:0]  m_axi_bresp,
    input  wire        m_axi_bvalid,
    output wire        m_axi_bready,
    output wire [4:0]  m_axi_arid,
    output wire [63:0] m_axi_araddr,
    output wire [7:0]  m_axi_arlen,
    output wire [2:0]  m_axi_arsize,
    output wire [1:0]  m_axi_arburst,
    output wire        m_axi_arlock,
    output wire [3:0]  m_axi_arcache,
    output wire [2:0]  m_axi_arprot,
    output wire [3:0]  m_axi_arqos,
    output wire [3:0]  m_axi_arregion,
    output wire [39:0] m_axi_aruser,
    output wire        m_axi_arvalid,
    input  wire        m_axi_arready,
    input  wire [4:0]  m_axi_rid,
    input  wire [63:0] m_axi_rdata,
    input  wire [1:0]  m_axi_rresp,
    input  wire        m_axi_rlast,
    input  wire        m_axi_rvalid,
    output wire        m_axi_rready,
    output wire        too_long,
    output wire        refused_response,
    output wire        refused_request,
    output wire        misplaced,
    output wire        stray
);
    wire [70:0] word;
    wire        word_valid, word_ready, credit_valid;
    wire [9:0]  credit;
    // flush [22], partition [21:12], vc [11:10], destination [9:0]
    wire [22:0] sent_head;
    // partition [23:14], port [13:12], vc [11:10], source [9:0]
    wire [23:0] head = {sent_head[21:12], 2'b00, sent_head[11:0]};

    // Bit 69 of a word: it is the last of its command.
    localparam DELAY = 40;
    wire        ends = word_valid & word_ready & word[69] & (sent_head[11:10] == 2'b00);
    reg         ended;
    reg  [9:0]  destination;
    reg  [DELAY-1:0] waits;
    reg  [9:0]  waiting [0:DELAY-1];
    integer     place;
    always @(posedge clock) begin
        ended <= ends & ~clear;
        destination <= sent_head[9:0];
        waits <= clear ? {DELAY{1'b0}} : {waits[DELAY-2:0], ended};
        waiting[0] <= destination;
        for (place = 1; place < DELAY; place = place + 1) waiting[place] <= waiting[place - 1];
    end
    wire [9:0]  oldest = waiting[DELAY-1];

    sue_axi adapter (
        // moved, from, commands, vc, destination, port
        .dispatches_data({1'b0, 2'b0, 10'd1, 2'b0, destination, 2'd1}), .dispatches_valid(ended),
        // status, commands, vc, destination, connection
        .completions_data({status, 10'd1, 2'b0, oldest, oldest, 2'b0}), .completions_valid(waits[DELAY-1]),
        .completion_of(3'b101),
        .commands_out_data(word), .commands_out_valid(word_valid), .commands_out_ready(word_ready),
        .command_head(sent_head),
        .commands_data(word), .commands_valid(word_valid), .commands_ready(word_ready), .head(head),
        .out_credits_data(credit), .out_credits_valid(credit_valid),
        .credits_data(credit), .credits_valid(credit_valid),
        .m_axi_buser(40'b0), .m_axi_ruser(40'b0),
        .*
    );
endmodule
