//! `link_rack`: six link loopbacks side by side.
//!
//! The composite that simulation speed of large designs is measured with: about 16,000 word operations per clock, more code
//! than a processor's first cache holds. Lanes and mode are common, `restart` and `inject` have one bit per link, and so have
//! the outputs; see [`ltp_loopback`](super::ltp_loopback) for their meaning. `clear` clears all.

use super::ltp_loopback::LtpLoopback;
use flitforge_hdl_prim::prelude::*;

/// Links.
pub const LINKS: usize = 6;

/// See the [module](self).
#[block("link_rack", new)]
pub struct LinkRack {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Lanes in use minus one, of all links.
    lanes: In<Bits<2>>,
    /// CRC mode of all links, 0 or 1.
    mode: In<Bits<2>>,
    /// By link: start again with new `lanes` and `mode`.
    restart: In<Bits<LINKS>>,
    /// By link: ask for one error on lane 0.
    inject: In<Bits<LINKS>>,
    /// By link: a good LTP arrived.
    ltp_good: Out<Bits<LINKS>>,
    /// By link: a bad LTP arrived.
    ltp_bad: Out<Bits<LINKS>>,
    /// By link: the checker's beat has the right content.
    beat_good: Out<Bits<LINKS>>,
    /// By link: the checker's beat has another content.
    beat_wrong: Out<Bits<LINKS>>,
    /// By link: the checker missed beats.
    beat_gap: Out<Bits<LINKS>>,
    /// By link: it restarts.
    restarted: Out<Bits<LINKS>>,

    /// On the heap: together they are larger than the stack of a thread.
    links: Vec<LtpLoopback>,
}

#[logic]
impl LinkRack {
    /// The composite, or the reason why a part cannot be built.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { links: (0..LINKS).map(|_| LtpLoopback::new()).collect::<Result<_, _>>()?, .. })
    }

    fn update(&mut self) {
        ltp_good = 0;
        ltp_bad = 0;
        beat_good = 0;
        beat_wrong = 0;
        beat_gap = 0;
        restarted = 0;
        for i in 0..6 {
            links[i] = In { clock, clear, lanes, mode, restart: restart[i], inject: inject[i] };
            ltp_good = ltp_good.with(i, links[i].ltp_good);
            ltp_bad = ltp_bad.with(i, links[i].ltp_bad);
            beat_good = beat_good.with(i, links[i].beat_good);
            beat_wrong = beat_wrong.with(i, links[i].beat_wrong);
            beat_gap = beat_gap.with(i, links[i].beat_gap);
            restarted = restarted.with(i, links[i].restarted);
        }
    }
}

/// For `bench sim` only: it is not in the registry, because tests that go over all blocks would spend minutes on what
/// one link shows them.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "link_rack",
    chapter: "10-link",
    summary: "six link loopbacks, to measure the simulation speed of large designs with",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build: |_| {
        let interface = InterfaceInfo::clocked(&[], None, "see the blocks it is made of");
        Ok(BuiltBlock::new(LinkRack::new()?, interface))
    },
};
