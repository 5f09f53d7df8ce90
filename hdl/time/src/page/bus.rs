//! The register bus: whose word is asked for, and the answer.

use super::config::{window_word, TimePageConfig};
use super::tree::TREE_WORD_BITS;
use super::{PAGE_WORD_BITS, PORT_BITS, WORD_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::registers::RegisterBus;
use flitforge_protocol::time::MAX_TREES;
use flitforge_protocol::time_registers as page;

/// Takes a request, asks the window it is for 2 clocks later, and acknowledges 1 clock after the answer.
///
/// A window that is not there is the device's own, which has no register at its words.
#[block(new)]
pub struct PageBus {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Register bus.
    pub bus: RegisterBus<PAGE_WORD_BITS>,
    /// PORT_SEL.
    port: In<Bits<PORT_BITS>>,
    /// Word of the page, from 1 clock after a request on.
    word: Out<Bits<PAGE_WORD_BITS>>,
    /// Value of a write, as `word`.
    data: Out<Bits<64>>,
    /// It is a write, as `word`.
    write: Out<Bit>,
    /// The device is asked.
    to_device: Out<Bit>,
    /// A tree is asked.
    to_tree: Out<Bits<MAX_TREES>>,
    /// The rings are asked.
    to_ring: Out<Bit>,
    /// The port is asked.
    to_port: Out<Bit>,
    /// Someone answers.
    answered: In<Bit>,
    /// With `answered`: the value.
    value: In<Bits<64>>,
    busy: Reg<Bit>,
    taken: Reg<Bit>,
    acknowledged: Reg<Bit>,
    shown: Reg<Bits<64>>,
    #[wire(clear = false)]
    addressed: Register<Bits<PAGE_WORD_BITS>>,
    #[wire(clear = false)]
    given: Register<Bits<64>>,
    #[wire(clear = false)]
    writing: Register<Bit>,
    device: Reg<Bit>,
    tree: Reg<Bits<MAX_TREES>>,
    ring: Reg<Bit>,
    ports: Reg<Bit>,
    tree_words: [Constant<Bits<4>>; MAX_TREES],
    ring_words: Constant<Bits<3>>,
    port_words: Constant<Bits<3>>,
    trees_built: Constant<Bits<MAX_TREES>>,
    ring_built: Constant<Bits<1>>,
    ports_built: Constant<Bits<7>>,
    #[init(0)]
    nothing: Constant<Bits<64>>,
}

#[logic]
impl PageBus {
    /// With the windows that were built.
    pub fn new(config: &TimePageConfig) -> Self {
        let tree = |tree: usize| window_word(0, page::tree(tree as u32)) >> TREE_WORD_BITS;
        Self {
            tree_words: std::array::from_fn(|index| Constant::new(tree(index).into())),
            ring_words: Constant::new((window_word(0, page::RING_CFG) >> WORD_BITS).into()),
            port_words: Constant::new((window_word(0, page::PORT) >> WORD_BITS).into()),
            trees_built: Constant::new(config.tree_bits().into()),
            ring_built: Constant::new(u64::from(config.stops > 0).into()),
            ports_built: Constant::new(config.ports.into()),
            ..
        }
    }

    fn update(&mut self) {
        let takes = bus.request & !busy & !clear;
        addressed.enable = takes;
        addressed = bus.address;
        given.enable = takes;
        given = bus.wdata;
        writing.enable = takes;
        writing = bus.write;
        taken = takes;
        busy = (takes | busy) & !acknowledged & !clear;

        // Whose word it is, one clock after the request.
        let page_word = addressed;
        let mut in_tree: Bits<MAX_TREES> = 0;
        for i in 0..4 {
            in_tree = in_tree.with(i, page_word.bits::<4>(4) == tree_words[i]);
        }
        in_tree = in_tree & trees_built;
        let in_ring = (page_word.bits::<3>(5) == ring_words) & ring_built.any();
        let in_port = (page_word.bits::<3>(5) == port_words) & (bit_cast::<7, PORT_BITS>(port) < ports_built);
        device = false;
        tree = 0;
        ring = false;
        ports = false;
        if taken & !clear {
            device = !in_tree.any() & !in_ring & !in_port;
            tree = in_tree;
            ring = in_ring;
            ports = in_port;
        }
        word = page_word;
        data = given;
        write = writing;
        to_device = device;
        to_tree = tree;
        to_ring = ring;
        to_port = ports;

        // The answer.
        acknowledged = answered & busy & !clear;
        shown = value;
        bus = In { ack: acknowledged, rdata: nothing };
        if acknowledged & !writing {
            bus.rdata = shown;
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label(
            "page_bus",
            &[
                ("trees", self.trees_built.val().index().count_ones().to_string()),
                ("ports", self.ports_built.val().index().to_string()),
                ("ring", self.ring_built.val().index().to_string()),
            ],
        )
    }
}
