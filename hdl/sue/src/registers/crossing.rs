//! `sue_page_crossing`: requests to the page of a port, whose clock is that of the MAC.

use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::registers::{RegisterBus, RegisterMaster, RegisterPort};
use flitforge_hdl_prim::word_crossing::WordCrossing;

/// Bits of a value.
const VALUE_BITS: usize = 64;

/// Carries requests from one clock to a page in another one, and its answers back; `W` = `A` + 65.
///
/// - A request is taken in its first clock, may be held until `ack`, and none is taken until then, as at a page.
/// - `page.request` comes 3 to 4 clocks of the page after 2 of `clock`; `ack` 3 to 4 clocks of `clock` after that of the page and 1 of its clock. One request at a time.
/// - `clear` forgets the request, which gets no `ack`; the page carries it out. The next one waits until the page has answered it.
/// - `page_clear` is that of the page. A request that it finds there, or that comes with it, is answered with 0, and was carried out or not.
/// - A clock of the page that stands still keeps requests waiting for ever: whoever asks has to give up by itself, and `clear`.
#[block("sue_page_crossing", new, address = A)]
pub struct PageCrossing<const A: usize, const W: usize> {
    /// Clock of `bus`.
    clock: In<Clock>,
    /// Forgets a request.
    clear: In<Bit>,
    /// Requests.
    pub bus: RegisterBus<A>,
    /// Clock of `page`.
    page_clock: In<Clock>,
    /// Clear of the page, in its clock.
    page_clear: In<Bit>,
    /// The page.
    pub page: RegisterMaster<A>,

    #[wire(clock, clear)]
    port: RegisterPort<A>,
    #[wire(clock_in = clock, clock_out = page_clock)]
    there: WordCrossing<W>,
    #[wire(clock_in = page_clock, clock_out = clock)]
    back: WordCrossing<VALUE_BITS>,
    /// A request has not gone.
    #[wire(d = _)]
    pending: Reg<Bit>,
    /// One has gone and was not answered.
    #[wire(d = _)]
    outstanding: Reg<Bit>,
    /// Nobody waits for the answer.
    #[wire(d = _)]
    stale: Reg<Bit>,
    /// The page has a request.
    #[wire(d = _, clock = page_clock)]
    works: Reg<Bit>,
}

#[logic]
impl<const A: usize, const W: usize> PageCrossing<A, W> {
    /// A crossing with no request in it.
    pub fn new() -> Result<Self, ConfigError> {
        check_derived("sue_page_crossing", "W", W as u64, "A + 65", A as u64 + 65)?;
        Ok(Self { there: WordCrossing::new()?, back: WordCrossing::new()?, .. })
    }

    fn update(&mut self) {
        link(bus, port.bus);
        self.ask();
        self.serve();
    }

    /// In the clock of requests.
    fn ask(&mut self) {
        let wants = (port.page.request | pending) & !clear;
        let sends = wants & !outstanding & there.ready;
        pending = wants & !sends;
        let request: Bits<W> = cat(port.page.write, port.page.address, port.page.wdata);
        there = In { send: sends, data: request };
        let answered = back.valid;
        outstanding = sends | (outstanding & !answered);
        stale = (stale | (clear & outstanding)) & !answered;
        let counts = answered & !stale;
        port.page.ack = counts;
        port.page.rdata = if counts { back.word } else { 0 };
    }

    /// In the clock of the page.
    fn serve(&mut self) {
        let word = there.word;
        let comes = there.valid;
        page = In { request: comes, write: word[0], address: word.bits::<A>(1) };
        page.wdata = word.bits::<VALUE_BITS>(A + 1);
        let has = works | comes;
        let done = has & (page.ack | page_clear);
        works = has & !done;
        back = In { send: done, data: page.rdata };
    }
}

/// Registry entry.
pub const CROSSING_ENTRY: BlockEntry = BlockEntry {
    name: "sue_page_crossing",
    chapter: "50-sue",
    summary: "requests to the page of a port, in the clock of the MAC",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build: |_| {
        let interface = InterfaceInfo {
            clocks: vec!["clock".into(), "page_clock".into()],
            latency_note: "request to request 2 clocks and 3 to 4 of the page".into(),
            ..Default::default()
        };
        const A: usize = super::PORT_WORD_BITS;
        Ok(BuiltBlock::new(PageCrossing::<A, { A + 65 }>::new()?, interface))
    },
};
