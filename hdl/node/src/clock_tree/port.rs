//! A link port as the tree uses it.

use super::{ClockTreeConfig, Link, BEAT};
use flitforge_hdl_link::lane::{LANE_BITS, LANE_IN_BITS};
use flitforge_hdl_link_types::position::{POSITION_BITS, WORD_COUNT_BITS};
use flitforge_hdl_prim::prelude::*;

/// Bits that tell one packet flit of the load from the next.
const COUNT_BITS: usize = 16;

/// A `link_port` of one lane; only its time side, its load and its lane are there.
#[block("tree_port", new)]
pub struct TreePort {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// The link comes up; 0: it goes Down.
    enable: In<Bit>,
    /// Packet flits are sent as fast as the link takes them.
    load: In<Bit>,
    /// The link's state.
    state: Out<Bits<3>>,
    /// CRC mode of the transmitter.
    tx_mode: Out<Bits<2>>,
    /// Lanes sent on.
    tx_lanes: Out<Bits<4>>,
    /// Lanes received on.
    rx_lanes: Out<Bits<4>>,
    /// The last of the lanes sent on.
    tx_last_lane: Out<Bits<2>>,
    /// Nothing is on its way to the lanes.
    tx_idle: Out<Bit>,
    /// Place of the beat that is taken now on the line.
    tx_position: Out<Bits<POSITION_BITS>>,
    /// Words sent.
    tx_words: Out<Bits<WORD_COUNT_BITS>>,
    /// Place of the beat on `spc_out` on the line.
    rx_position: Out<Bits<POSITION_BITS>>,
    /// Words that came.
    rx_words: Out<Bits<WORD_COUNT_BITS>>,
    /// Time flits may be offered.
    tx_open: Out<Bit>,
    /// Time flits that came.
    pub spc_out: FlowOut<Bits<BEAT>>,
    /// Time flits to be sent.
    pub time_in: StreamIn<Bits<BEAT>>,
    /// What becomes of time flits while the link replays.
    time_mode: In<Bit>,
    /// To the line: word in bits 31..0, ctl in bit 32.
    pub tx: StreamOut<Bits<LANE_BITS>>,
    /// From the line: word in bits 31..0, ctl in bit 32, code_err in bit 33.
    pub rx: FlowIn<Bits<LANE_IN_BITS>>,

    #[wire(clock, clear, enable)]
    link: Link,
    count: Reg<Bits<COUNT_BITS>>,
    /// A flit stands at the link.
    offers: Reg<Bit>,
    #[init(1)]
    one: Constant<Bits<COUNT_BITS>>,
}

#[logic]
impl TreePort {
    /// A port with this GUID, or the reason why it cannot be built.
    pub fn new(config: &ClockTreeConfig, guid: u64) -> Result<Self, ConfigError> {
        Ok(Self { link: config.link(guid)?, .. })
    }

    fn update(&mut self) {
        // The load: a flit that is offered stays until it is taken.
        offers = load | (offers & !link.flits_in.ready);
        if offers & link.flits_in.ready {
            count = count + one;
        }
        if clear {
            offers = false;
        }
        link.flits_in = In { valid: offers, data: bit_cast::<BEAT, COUNT_BITS>(count).with(64, true) };

        // The time side and the lane.
        Out { state, tx_mode, tx_lanes, rx_lanes, tx_last_lane, tx_idle, tx_position, tx_words } = link;
        Out { rx_position, rx_words, tx_open } = link;
        spc_out = In { valid: link.spc_out.valid, data: link.spc_out.data };
        link(time_in, link.time_in);
        link.time_mode = time_mode;
        link(tx, link.tx[0]);
        link(rx, link.rx[0]);

        // What nobody needs here.
        link.side_in = In { valid: false, data: 0 };
        link = In { signal_ok: true, lane_lock: true, elastic_error: false };
    }
}
