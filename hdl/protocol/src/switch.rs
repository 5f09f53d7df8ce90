//! The switch: sizes, defaults and the route table (chapter 10, 4.11 and 5).

/// Fewest ports of a switch.
pub const MIN_PORTS: usize = 2;
/// Most ports of a switch, without the internal one.
pub const MAX_PORTS: usize = 16;
/// Default of PORTS.
pub const PORTS: usize = 4;
/// Fewest address bits a route table is built for.
pub const MIN_ADDRESS_BITS: usize = 6;
/// Most address bits a route table is built for.
pub const MAX_ADDRESS_BITS: usize = 14;
/// Default of ADDR_W.
pub const ADDRESS_BITS: usize = 10;
/// Default of VL_BUF: bytes of buffer for each input and virtual lane.
pub const VL_BUFFER_BYTES: usize = 16_384;
/// Default of LIFE, clocks.
pub const LIFE_CLOCKS: u64 = 1 << 20;
/// Most clocks from a head at the link's receiver to the head at the other link's sender, switch idle.
pub const MAX_LATENCY_CLOCKS: u64 = 6;
/// Bits of a port number in the route table.
pub const PORT_BITS: usize = route_entry::port::WIDTH;

layout! {
    /// An entry of the route table, as register ROUTE_DATA has it.
    route_entry, "Route entry", 16 bits, "chapter 10, 4.11 and 5", {
        port [0 +: 5] "output port; PORTS is the internal port";
        alt [5 +: 5] "alternative output port";
        use_alt [10 +: 1] "packets take alt while the link of port is down";
        adapt [11 +: 1] "packets on a lane of ADAPT_VL take alt when it can grant and port cannot";
        valid [15 +: 1] "the entry holds; else NO_ROUTE";
    }
}

const _: () = assert!(MAX_PORTS < 1 << PORT_BITS && route_entry::alt::WIDTH == PORT_BITS);
