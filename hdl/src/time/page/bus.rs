//! The register bus: whose word is asked for, and the answer.

use super::config::{window_word, TimePageConfig};
use super::device::{PAGE_WORD_BITS, PORT_BITS};
use super::tree::TREE_WORD_BITS;
use super::WORD_BITS;
use crate::prim::Register;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time::MAX_TREES;
use flitforge_protocol::time_registers as page;

/// Takes a request, asks the window it is for 2 clocks later, and acknowledges 1 clock behind the answer.
///
/// A window that is not there is the device's own, which has no register at its words.
#[derive(LogicBlock)]
pub struct PageBus {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Word of the page.
    pub addr: Signal<In, Bits<PAGE_WORD_BITS>>,
    /// Value of a write.
    pub wdata: Signal<In, Bits<64>>,
    /// Asks for a write.
    pub we: Signal<In, Bit>,
    /// Asks for a read.
    pub re: Signal<In, Bit>,
    /// With `ack` of a read: the value.
    pub rdata: Signal<Out, Bits<64>>,
    /// The request is done.
    pub ack: Signal<Out, Bit>,
    /// PORT_SEL.
    pub port: Signal<In, Bits<PORT_BITS>>,
    /// Word of the page, from 1 clock behind a request on.
    pub word: Signal<Out, Bits<PAGE_WORD_BITS>>,
    /// Value of a write, as `word`.
    pub data: Signal<Out, Bits<64>>,
    /// It is a write, as `word`.
    pub write: Signal<Out, Bit>,
    /// The device is asked.
    pub to_device: Signal<Out, Bit>,
    /// A tree is asked.
    pub to_tree: Signal<Out, Bits<MAX_TREES>>,
    /// The rings are asked.
    pub to_ring: Signal<Out, Bit>,
    /// The port is asked.
    pub to_port: Signal<Out, Bit>,
    /// Someone answers.
    pub answered: Signal<In, Bit>,
    /// With `answered`: the value.
    pub value: Signal<In, Bits<64>>,
    busy: DFF<Bit>,
    taken: DFF<Bit>,
    acknowledged: DFF<Bit>,
    shown: DFF<Bits<64>>,
    addressed: Register<Bits<PAGE_WORD_BITS>>,
    given: Register<Bits<64>>,
    writing: Register<Bit>,
    device: DFF<Bit>,
    tree: DFF<Bits<MAX_TREES>>,
    ring: DFF<Bit>,
    ports: DFF<Bit>,
    takes: Signal<Local, Bit>,
    page_word: Signal<Local, Bits<PAGE_WORD_BITS>>,
    in_tree: Signal<Local, Bits<MAX_TREES>>,
    in_ring: Signal<Local, Bit>,
    in_port: Signal<Local, Bit>,
    tree_words: [Constant<Bits<4>>; MAX_TREES],
    ring_words: Constant<Bits<3>>,
    port_words: Constant<Bits<3>>,
    trees_built: Constant<Bits<MAX_TREES>>,
    ring_built: Constant<Bits<1>>,
    ports_built: Constant<Bits<7>>,
    nothing: Constant<Bits<64>>,
}

impl PageBus {
    /// With the windows that were built.
    pub fn new(config: &TimePageConfig) -> Self {
        let tree = |tree: usize| window_word(0, page::tree(tree as u32)) >> TREE_WORD_BITS;
        Self {
            clock: Default::default(),
            clear: Default::default(),
            addr: Default::default(),
            wdata: Default::default(),
            we: Default::default(),
            re: Default::default(),
            rdata: Default::default(),
            ack: Default::default(),
            port: Default::default(),
            word: Default::default(),
            data: Default::default(),
            write: Default::default(),
            to_device: Default::default(),
            to_tree: Default::default(),
            to_ring: Default::default(),
            to_port: Default::default(),
            answered: Default::default(),
            value: Default::default(),
            busy: Default::default(),
            taken: Default::default(),
            acknowledged: Default::default(),
            shown: Default::default(),
            addressed: Default::default(),
            given: Default::default(),
            writing: Default::default(),
            device: Default::default(),
            tree: Default::default(),
            ring: Default::default(),
            ports: Default::default(),
            takes: Default::default(),
            page_word: Default::default(),
            in_tree: Default::default(),
            in_ring: Default::default(),
            in_port: Default::default(),
            tree_words: std::array::from_fn(|index| Constant::new(tree(index).into())),
            ring_words: Constant::new((window_word(0, page::RING_CFG) >> WORD_BITS).into()),
            port_words: Constant::new((window_word(0, page::PORT) >> WORD_BITS).into()),
            trees_built: Constant::new(config.tree_bits().into()),
            ring_built: Constant::new(u64::from(config.stops > 0).into()),
            ports_built: Constant::new(config.ports.into()),
            nothing: Constant::new(0.into()),
        }
    }
}

impl Logic for PageBus {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, busy, taken, acknowledged, shown, device, tree, ring, ports);
        clock!(self, clock, addressed, given, writing);

        self.takes.next = (self.we.val() | self.re.val()) & !self.busy.q.val() & !self.clear.val();
        self.addressed.clear.next = false;
        self.addressed.enable.next = self.takes.val();
        self.addressed.d.next = self.addr.val();
        self.given.clear.next = false;
        self.given.enable.next = self.takes.val();
        self.given.d.next = self.wdata.val();
        self.writing.clear.next = false;
        self.writing.enable.next = self.takes.val();
        self.writing.d.next = self.we.val();
        self.taken.d.next = self.takes.val();
        self.busy.d.next =
            (self.takes.val() | self.busy.q.val()) & !self.acknowledged.q.val() & !self.clear.val();

        // Whose word it is, one clock behind the request.
        self.page_word.next = self.addressed.q.val();
        self.in_tree.next = 0.into();
        for i in 0..4 {
            self.in_tree.next = self
                .in_tree
                .val()
                .replace_bit(i, self.page_word.val().get_bits::<4>(4) == self.tree_words[i].val());
        }
        self.in_tree.next = self.in_tree.val() & self.trees_built.val();
        self.in_ring.next =
            (self.page_word.val().get_bits::<3>(5) == self.ring_words.val()) & self.ring_built.val().any();
        self.in_port.next = (self.page_word.val().get_bits::<3>(5) == self.port_words.val())
            & (bit_cast::<7, PORT_BITS>(self.port.val()) < self.ports_built.val());
        self.device.d.next = false;
        self.tree.d.next = 0.into();
        self.ring.d.next = false;
        self.ports.d.next = false;
        if self.taken.q.val() & !self.clear.val() {
            self.device.d.next = !self.in_tree.val().any() & !self.in_ring.val() & !self.in_port.val();
            self.tree.d.next = self.in_tree.val();
            self.ring.d.next = self.in_ring.val();
            self.ports.d.next = self.in_port.val();
        }
        self.word.next = self.page_word.val();
        self.data.next = self.given.q.val();
        self.write.next = self.writing.q.val();
        self.to_device.next = self.device.q.val();
        self.to_tree.next = self.tree.q.val();
        self.to_ring.next = self.ring.q.val();
        self.to_port.next = self.ports.q.val();

        // The answer.
        self.acknowledged.d.next = self.answered.val() & self.busy.q.val() & !self.clear.val();
        self.shown.d.next = self.value.val();
        self.ack.next = self.acknowledged.q.val();
        self.rdata.next = self.nothing.val();
        if self.acknowledged.q.val() & !self.writing.q.val() {
            self.rdata.next = self.shown.q.val();
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

drive_ports!(impl[] PageBus {
    clock, clear, addr, wdata, we, re, rdata, ack, port, word, data, write, to_device, to_tree, to_ring, to_port, answered,
    value,
});
