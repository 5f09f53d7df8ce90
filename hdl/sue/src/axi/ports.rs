//! The channels of AXI4 and what goes through the adapter.

#![allow(missing_docs, reason = "what the derive of an interface makes")]

use crate::command_in::CommandWord;
use crate::frame::ReceivedHead;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::{axi, command};

/// USER of AW, AR, B and R.
#[packed(axi::user)]
pub struct AxiUser {
    /// Destination at the subordinate, source at the manager.
    xpu_id: Bits<10>,
    /// Type of the command.
    kind: Bits<4>,
    /// Data octets less one.
    bytes: Bits<8>,
    /// Partition.
    partition: Bits<10>,
    /// Nothing is packed after the command.
    flush: Bit,
    /// In no field.
    #[reserved]
    above: Bits<7>,
}

/// AW or AR without USER; the control of a request.
#[packed(axi::request)]
pub struct AxiRequest {
    /// In no field.
    #[reserved]
    below: Bits<3>,
    /// Opaque.
    user: Bits<16>,
    /// AxREGION.
    region: Bits<4>,
    /// AxQOS.
    qos: Bits<4>,
    /// AxPROT.
    prot: Bits<3>,
    /// AxCACHE.
    cache: Bits<4>,
    /// AxLOCK.
    lock: Bit,
    /// AxBURST.
    burst: Bits<2>,
    /// AxSIZE.
    size: Bits<3>,
    /// AxLEN.
    len: Bits<8>,
    /// AxID.
    id: Bits<16>,
    /// AxADDR.
    address: Bits<64>,
}

/// Control of WRESP.
#[packed(axi::write_response)]
pub struct AxiWriteResponse {
    /// In no field.
    #[reserved]
    below: Bits<14>,
    /// Opaque.
    user: Bits<16>,
    /// BRESP.
    resp: Bits<2>,
    /// ID of the request.
    id: Bits<16>,
}

/// Control of RDATA.
#[packed(axi::read_response)]
pub struct AxiReadResponse {
    /// RRESP, the first transfer in the top bits.
    resps: Bits<64>,
    /// Opaque.
    user: Bits<16>,
    /// ID of the request.
    id: Bits<16>,
}

/// Header of a command.
#[packed(command::header)]
pub struct HeaderFields {
    /// Data octets less one.
    dlen: Bits<8>,
    /// Control octets, in units of two.
    clen: Bits<4>,
    /// Type.
    kind: Bits<4>,
}

/// AW or AR.
#[packed]
pub struct AxiAsked {
    /// All but USER.
    request: AxiRequest,
    /// USER.
    user: AxiUser,
}

/// W.
#[packed]
pub struct AxiWriteBeat {
    /// WDATA.
    data: Bits<64>,
    /// WSTRB.
    strobes: Bits<8>,
    /// WLAST.
    last: Bit,
}

/// R.
#[packed]
pub struct AxiReadBeat {
    /// RDATA.
    data: Bits<64>,
    /// RID.
    tag: Bits<5>,
    /// RRESP.
    resp: Bits<2>,
    /// RLAST.
    last: Bit,
}

/// B.
#[packed]
pub struct AxiWritten {
    /// BID.
    tag: Bits<5>,
    /// BRESP.
    resp: Bits<2>,
}

/// A word of a command with what belongs to the command.
#[packed]
pub struct ReceivedCommand {
    /// The word.
    word: CommandWord,
    /// Of its command.
    head: ReceivedHead,
}

/// AXI4 of the SoC's manager, as the subordinate sees it: 64 bits of data, IDs of `I` bits.
#[interface(join = AxiManagerPort)]
pub struct AxiSubordinatePort<const I: usize> {
    /// AWID.
    pub awid: In<Bits<I>>,
    /// AWADDR.
    pub awaddr: In<Bits<64>>,
    /// AWLEN: transfers less one.
    pub awlen: In<Bits<8>>,
    /// AWSIZE.
    pub awsize: In<Bits<3>>,
    /// AWBURST.
    pub awburst: In<Bits<2>>,
    /// AWLOCK.
    pub awlock: In<Bit>,
    /// AWCACHE.
    pub awcache: In<Bits<4>>,
    /// AWPROT.
    pub awprot: In<Bits<3>>,
    /// AWQOS.
    pub awqos: In<Bits<4>>,
    /// AWREGION.
    pub awregion: In<Bits<4>>,
    /// AWUSER.
    pub awuser: In<AxiUser>,
    /// AWVALID.
    pub awvalid: In<Bit>,
    /// AWREADY.
    pub awready: Out<Bit>,
    /// WDATA.
    pub wdata: In<Bits<64>>,
    /// WSTRB.
    pub wstrb: In<Bits<8>>,
    /// WLAST.
    pub wlast: In<Bit>,
    /// WVALID.
    pub wvalid: In<Bit>,
    /// WREADY.
    pub wready: Out<Bit>,
    /// BID.
    pub bid: Out<Bits<I>>,
    /// BRESP.
    pub bresp: Out<Bits<2>>,
    /// BUSER.
    pub buser: Out<AxiUser>,
    /// BVALID.
    pub bvalid: Out<Bit>,
    /// BREADY.
    pub bready: In<Bit>,
    /// ARID.
    pub arid: In<Bits<I>>,
    /// ARADDR.
    pub araddr: In<Bits<64>>,
    /// ARLEN: transfers less one.
    pub arlen: In<Bits<8>>,
    /// ARSIZE.
    pub arsize: In<Bits<3>>,
    /// ARBURST.
    pub arburst: In<Bits<2>>,
    /// ARLOCK.
    pub arlock: In<Bit>,
    /// ARCACHE.
    pub arcache: In<Bits<4>>,
    /// ARPROT.
    pub arprot: In<Bits<3>>,
    /// ARQOS.
    pub arqos: In<Bits<4>>,
    /// ARREGION.
    pub arregion: In<Bits<4>>,
    /// ARUSER.
    pub aruser: In<AxiUser>,
    /// ARVALID.
    pub arvalid: In<Bit>,
    /// ARREADY.
    pub arready: Out<Bit>,
    /// RID.
    pub rid: Out<Bits<I>>,
    /// RDATA.
    pub rdata: Out<Bits<64>>,
    /// RRESP.
    pub rresp: Out<Bits<2>>,
    /// RLAST.
    pub rlast: Out<Bit>,
    /// RUSER.
    pub ruser: Out<AxiUser>,
    /// RVALID.
    pub rvalid: Out<Bit>,
    /// RREADY.
    pub rready: In<Bit>,
}

/// AXI4 to a subordinate of the SoC: 64 bits of data, IDs of `I` bits.
#[interface(join = AxiSubordinatePort)]
pub struct AxiManagerPort<const I: usize> {
    /// AWID.
    pub awid: Out<Bits<I>>,
    /// AWADDR.
    pub awaddr: Out<Bits<64>>,
    /// AWLEN: transfers less one.
    pub awlen: Out<Bits<8>>,
    /// AWSIZE.
    pub awsize: Out<Bits<3>>,
    /// AWBURST.
    pub awburst: Out<Bits<2>>,
    /// AWLOCK.
    pub awlock: Out<Bit>,
    /// AWCACHE.
    pub awcache: Out<Bits<4>>,
    /// AWPROT.
    pub awprot: Out<Bits<3>>,
    /// AWQOS.
    pub awqos: Out<Bits<4>>,
    /// AWREGION.
    pub awregion: Out<Bits<4>>,
    /// AWUSER.
    pub awuser: Out<AxiUser>,
    /// AWVALID.
    pub awvalid: Out<Bit>,
    /// AWREADY.
    pub awready: In<Bit>,
    /// WDATA.
    pub wdata: Out<Bits<64>>,
    /// WSTRB.
    pub wstrb: Out<Bits<8>>,
    /// WLAST.
    pub wlast: Out<Bit>,
    /// WVALID.
    pub wvalid: Out<Bit>,
    /// WREADY.
    pub wready: In<Bit>,
    /// BID.
    pub bid: In<Bits<I>>,
    /// BRESP.
    pub bresp: In<Bits<2>>,
    /// BUSER.
    pub buser: In<AxiUser>,
    /// BVALID.
    pub bvalid: In<Bit>,
    /// BREADY.
    pub bready: Out<Bit>,
    /// ARID.
    pub arid: Out<Bits<I>>,
    /// ARADDR.
    pub araddr: Out<Bits<64>>,
    /// ARLEN: transfers less one.
    pub arlen: Out<Bits<8>>,
    /// ARSIZE.
    pub arsize: Out<Bits<3>>,
    /// ARBURST.
    pub arburst: Out<Bits<2>>,
    /// ARLOCK.
    pub arlock: Out<Bit>,
    /// ARCACHE.
    pub arcache: Out<Bits<4>>,
    /// ARPROT.
    pub arprot: Out<Bits<3>>,
    /// ARQOS.
    pub arqos: Out<Bits<4>>,
    /// ARREGION.
    pub arregion: Out<Bits<4>>,
    /// ARUSER.
    pub aruser: Out<AxiUser>,
    /// ARVALID.
    pub arvalid: Out<Bit>,
    /// ARREADY.
    pub arready: In<Bit>,
    /// RID.
    pub rid: In<Bits<I>>,
    /// RDATA.
    pub rdata: In<Bits<64>>,
    /// RRESP.
    pub rresp: In<Bits<2>>,
    /// RLAST.
    pub rlast: In<Bit>,
    /// RUSER.
    pub ruser: In<AxiUser>,
    /// RVALID.
    pub rvalid: In<Bit>,
    /// RREADY.
    pub rready: Out<Bit>,
}
