//! Several register pages on one bus.

use crate::link::regs::WORD_ADDRESS_BITS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::switch::MAX_PORTS;

/// Bits of the number of a page: ports, and the switch behind them.
const PAGE_BITS: usize = 5;
const _: () = assert!(MAX_PORTS < 1 << PAGE_BITS);
/// Bits of a word's address: page, word of the page.
pub const NODE_ADDRESS_BITS: usize = WORD_ADDRESS_BITS + PAGE_BITS;

/// Gives a request to one of `Q` pages and the answer back, a clock later. A page that does not exist reads 0.
#[derive(LogicBlock)]
pub struct NodeBus<const Q: usize> {
    /// Rising edge counts.
    pub clock: Signal<In, Clock>,
    /// No answer is on its way.
    pub clear: Signal<In, Bit>,
    /// Page and word.
    pub addr: Signal<In, Bits<NODE_ADDRESS_BITS>>,
    /// Asks for a write.
    pub we: Signal<In, Bit>,
    /// Asks for a read.
    pub re: Signal<In, Bit>,
    /// With `ack` of a read: the value.
    pub rdata: Signal<Out, Bits<64>>,
    /// The request is done.
    pub ack: Signal<Out, Bit>,
    /// Word, for all pages.
    pub word: Signal<Out, Bits<WORD_ADDRESS_BITS>>,
    /// Pages that are asked for a write.
    pub page_we: Signal<Out, Bits<Q>>,
    /// Pages that are asked for a read.
    pub page_re: Signal<Out, Bits<Q>>,
    /// Their values, 0 without `ack`.
    pub page_rdata: [Signal<In, Bits<64>>; Q],
    /// Pages whose request is done.
    pub page_ack: Signal<In, Bits<Q>>,

    asks: DFF<Bit>,
    done: DFF<Bit>,
    value: DFF<Bits<64>>,
    page: Signal<Local, Bits<PAGE_BITS>>,
    chosen: Signal<Local, Bits<Q>>,
    joined: Signal<Local, Bits<64>>,
    starts: Signal<Local, Bit>,
    numbers: Vec<Constant<Bits<PAGE_BITS>>>,
}

impl<const Q: usize> Default for NodeBus<Q> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            clear: Default::default(),
            addr: Default::default(),
            we: Default::default(),
            re: Default::default(),
            rdata: Default::default(),
            ack: Default::default(),
            word: Default::default(),
            page_we: Default::default(),
            page_re: Default::default(),
            page_rdata: defaults(),
            page_ack: Default::default(),
            asks: Default::default(),
            done: Default::default(),
            value: Default::default(),
            page: Default::default(),
            chosen: Default::default(),
            joined: Default::default(),
            starts: Default::default(),
            numbers: (0..Q).map(|page| Constant::new((page as u64).into())).collect(),
        }
    }
}

impl<const Q: usize> Logic for NodeBus<Q> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, asks, done, value);
        self.page.next = self.addr.val().get_bits::<PAGE_BITS>(7);
        self.word.next = self.addr.val().get_bits::<WORD_ADDRESS_BITS>(0);
        self.chosen.next = 0.into();
        self.joined.next = 0.into();
        for i in 0..Q {
            self.chosen.next = self.chosen.val().replace_bit(i, self.page.val() == self.numbers[i].val());
            self.joined.next = self.joined.val() | self.page_rdata[i].val();
        }
        // A page takes a request in its first clock, and may not take it for a second one.
        self.starts.next = (self.we.val() | self.re.val()) & !self.asks.q.val() & !self.clear.val();
        self.page_we.next = 0.into();
        self.page_re.next = 0.into();
        if self.starts.val() & self.we.val() {
            self.page_we.next = self.chosen.val();
        }
        if self.starts.val() & !self.we.val() {
            self.page_re.next = self.chosen.val();
        }
        if self.starts.val() {
            self.asks.d.next = true;
        }
        self.done.d.next =
            (self.page_ack.val().any() | (self.starts.val() & !self.chosen.val().any())) & !self.clear.val();
        self.value.d.next = self.joined.val();
        if self.done.q.val() | self.clear.val() {
            self.asks.d.next = false;
        }
        self.ack.next = self.done.q.val();
        self.rdata.next = self.value.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("node_bus", &[("pages", Q.to_string())])
    }
}

drive_ports!(impl[const Q: usize] NodeBus<Q> {
    clock, clear, addr, we, re, rdata, ack, word, page_we, page_re, page_rdata, page_ack,
});

const _: () = assert!(WORD_ADDRESS_BITS == 7);
