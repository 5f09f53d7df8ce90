//! Clocks of one PLL: what may take data from one to the other.
#![allow(clippy::expect_used)] // helpers of tests may panic

use flitforge_elaborate::check::{structure, CrossingCatalogue, Kind};
use flitforge_elaborate::elaborate;
use flitforge_elaborate::marker::block_label;
use rust_hdl::prelude::*;

/// Takes a bit from one clock to another; the label is the parameter.
#[derive(LogicBlock, Default)]
struct Hop<const THROUGH: bool> {
    from: Signal<In, Clock>,
    to: Signal<In, Clock>,
    d: Signal<In, Bit>,
    q: Signal<Out, Bit>,
    source: DFF<Bit>,
    taken: DFF<Bit>,
}
impl<const THROUGH: bool> Logic for Hop<THROUGH> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, from, source);
        clock!(self, to, taken);
        self.source.d.next = self.d.val();
        self.taken.d.next = self.source.q.val();
        self.q.next = self.taken.q.val();
    }
    fn timing(&self) -> Vec<TimingInfo> {
        block_label(if THROUGH { "gate" } else { "something" }, &[])
    }
}

/// Three clocks, two of which are of one PLL, and hops between them.
#[derive(LogicBlock, Default)]
struct OnePll {
    slow: Signal<In, Clock>,
    fast: Signal<In, Clock>,
    strange: Signal<In, Clock>,
    d: Signal<In, Bit>,
    q: Signal<Out, Bit>,
    up: Hop<true>,
    down: Hop<true>,
    elsewhere: Hop<true>,
    unlisted: Hop<false>,
}
impl Logic for OnePll {
    #[hdl_gen]
    fn update(&mut self) {
        self.up.from.next = self.slow.val();
        self.up.to.next = self.fast.val();
        self.down.from.next = self.fast.val();
        self.down.to.next = self.slow.val();
        self.elsewhere.from.next = self.strange.val();
        self.elsewhere.to.next = self.fast.val();
        self.unlisted.from.next = self.slow.val();
        self.unlisted.to.next = self.fast.val();
        self.up.d.next = self.d.val();
        self.down.d.next = self.d.val();
        self.elsewhere.d.next = self.d.val();
        self.unlisted.d.next = self.d.val();
        self.q.next = self.up.q.val() ^ self.down.q.val() ^ self.elsewhere.q.val() ^ self.unlisted.q.val();
    }
    fn timing(&self) -> Vec<TimingInfo> {
        block_label("one_pll", &[])
    }
}

/// Holds a block with clocks of one PLL; its own clocks have other names.
#[derive(LogicBlock, Default)]
struct Board {
    core: Signal<In, Clock>,
    double: Signal<In, Clock>,
    other: Signal<In, Clock>,
    d: Signal<In, Bit>,
    q: Signal<Out, Bit>,
    inner: OnePll,
}
impl Logic for Board {
    #[hdl_gen]
    fn update(&mut self) {
        self.inner.slow.next = self.core.val();
        self.inner.fast.next = self.double.val();
        self.inner.strange.next = self.other.val();
        self.inner.d.next = self.d.val();
        self.q.next = self.inner.q.val();
    }
}

/// Between clocks of one PLL only what is listed takes data, and from no third clock.
#[test]
fn clocks_of_one_pll_pass_listed_blocks_only() {
    let entry = |block: &str, clocks: &str| {
        let text = format!(
            "[[synchronous]]\nblock = '{block}'\nclocks = {clocks}\nthrough = ['gate']\nsafe = ''\nnextpnr = ''\nxilinx = ''"
        );
        CrossingCatalogue::parse(&text).expect("parses")
    };
    let crossings = |block: &dyn Block, catalogue: &CrossingCatalogue| {
        let found = structure(&elaborate(block, "top").expect("elaborates"), catalogue);
        let crossings = found.into_iter().filter(|problem| problem.kind == Kind::ClockCrossing);
        crossings.map(|problem| problem.path).collect::<Vec<_>>()
    };
    let right = entry("one_pll", "['slow', 'fast']");
    assert_eq!(crossings(&OnePll::default(), &right), ["elsewhere.taken", "unlisted.taken"]);
    assert_eq!(crossings(&Board::default(), &right), ["inner.elsewhere.taken", "inner.unlisted.taken"]);
    let all = ["up.taken", "down.taken", "elsewhere.taken", "unlisted.taken"];
    for wrong in [entry("another", "['slow', 'fast']"), entry("one_pll", "['slow', 'strange']")] {
        assert_eq!(crossings(&OnePll::default(), &wrong), all);
    }
}
