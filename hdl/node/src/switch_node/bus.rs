//! Several register pages on one bus.

use flitforge_hdl_link::regs::WORD_ADDRESS_BITS;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::switch::MAX_PORTS;

/// Bits of the number of a page: ports, and the switch after them.
const PAGE_BITS: usize = 5;
const _: () = assert!(MAX_PORTS < 1 << PAGE_BITS);
/// Bits of a word's address: page, word of the page.
pub const NODE_ADDRESS_BITS: usize = WORD_ADDRESS_BITS + PAGE_BITS;

/// Gives a request to one of `Q` pages and the answer back, a clock later. A page that does not exist reads 0.
#[block("node_bus", pages = Q)]
pub struct NodeBus<const Q: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// No answer is on its way.
    clear: In<Bit>,
    /// Page and word.
    addr: In<Bits<NODE_ADDRESS_BITS>>,
    /// Asks for a write.
    we: In<Bit>,
    /// Asks for a read.
    re: In<Bit>,
    /// With `ack` of a read: the value.
    rdata: Out<Bits<64>>,
    /// The request is done.
    ack: Out<Bit>,
    /// Word, for all pages.
    word: Out<Bits<WORD_ADDRESS_BITS>>,
    /// Pages that are asked for a write.
    page_we: Out<Bits<Q>>,
    /// Pages that are asked for a read.
    page_re: Out<Bits<Q>>,
    /// Their values, 0 without `ack`.
    page_rdata: [In<Bits<64>>; Q],
    /// Pages whose request is done.
    page_ack: In<Bits<Q>>,

    asks: Reg<Bit>,
    done: Reg<Bit>,
    value: Reg<Bits<64>>,
    #[init((0..Q).map(|page| Constant::new((page as u64).into())).collect())]
    numbers: Vec<Constant<Bits<PAGE_BITS>>>,
}

#[logic]
impl<const Q: usize> NodeBus<Q> {
    fn update(&mut self) {
        let page = addr.bits::<PAGE_BITS>(7);
        word = addr.bits::<WORD_ADDRESS_BITS>(0);
        let mut chosen: Bits<Q> = 0;
        let mut joined: Bits<64> = 0;
        for i in 0..Q {
            chosen = chosen.with(i, page == numbers[i]);
            joined = joined | page_rdata[i];
        }
        // A page takes a request in its first clock, and may not take it for a second one.
        let starts = (we | re) & !asks & !clear;
        page_we = 0;
        page_re = 0;
        if starts & we {
            page_we = chosen;
        }
        if starts & !we {
            page_re = chosen;
        }
        if starts {
            asks = true;
        }
        done = (page_ack.any() | (starts & !chosen.any())) & !clear;
        value = joined;
        if done | clear {
            asks = false;
        }
        ack = done;
        rdata = value;
    }
}

const _: () = assert!(WORD_ADDRESS_BITS == 7);
