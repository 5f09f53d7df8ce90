//! `link_rack`: six link loopbacks side by side.
//!
//! The composite that simulation speed of large designs is measured with: about 16,000 word operations per clock, more code
//! than a processor's first cache holds. Lanes and mode are common, `restart` and `inject` have one bit per link, and so have
//! the outputs; see [`link_loopback`](super::link_loopback) for their meaning. `clear` clears all.

use super::link_loopback::LinkLoopback;
use crate::config::ConfigError;
use crate::registry::{BlockEntry, BuiltBlock, InterfaceInfo, Preset};
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// Links.
pub const LINKS: usize = 6;

/// See the [module](self).
#[derive(LogicBlock)]
pub struct LinkRack {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// Lanes in use minus one, of all links.
    pub lanes: Signal<In, Bits<2>>,
    /// CRC mode of all links, 0 or 1.
    pub mode: Signal<In, Bits<2>>,
    /// By link: start again with new `lanes` and `mode`.
    pub restart: Signal<In, Bits<LINKS>>,
    /// By link: ask for one error on lane 0.
    pub inject: Signal<In, Bits<LINKS>>,
    /// By link: a good LTP arrived.
    pub ltp_good: Signal<Out, Bits<LINKS>>,
    /// By link: a bad LTP arrived.
    pub ltp_bad: Signal<Out, Bits<LINKS>>,
    /// By link: the checker's beat has the right content.
    pub beat_good: Signal<Out, Bits<LINKS>>,
    /// By link: the checker's beat has another content.
    pub beat_wrong: Signal<Out, Bits<LINKS>>,
    /// By link: the checker missed beats.
    pub beat_gap: Signal<Out, Bits<LINKS>>,
    /// By link: it restarts.
    pub restarted: Signal<Out, Bits<LINKS>>,

    /// On the heap: together they are larger than the stack of a thread.
    links: Vec<LinkLoopback>,
}

impl LinkRack {
    /// The composite, or the reason why a part cannot be built.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            lanes: Default::default(),
            mode: Default::default(),
            restart: Default::default(),
            inject: Default::default(),
            ltp_good: Default::default(),
            ltp_bad: Default::default(),
            beat_good: Default::default(),
            beat_wrong: Default::default(),
            beat_gap: Default::default(),
            restarted: Default::default(),
            links: (0..LINKS).map(|_| LinkLoopback::new()).collect::<Result<_, _>>()?,
        })
    }
}

impl Logic for LinkRack {
    #[hdl_gen]
    fn update(&mut self) {
        self.ltp_good.next = 0.into();
        self.ltp_bad.next = 0.into();
        self.beat_good.next = 0.into();
        self.beat_wrong.next = 0.into();
        self.beat_gap.next = 0.into();
        self.restarted.next = 0.into();
        for i in 0..6 {
            self.links[i].clock.next = self.clock.val();
            self.links[i].clear.next = self.clear.val();
            self.links[i].lanes.next = self.lanes.val();
            self.links[i].mode.next = self.mode.val();
            self.links[i].restart.next = self.restart.val().get_bit(i);
            self.links[i].inject.next = self.inject.val().get_bit(i);
            self.ltp_good.next = self.ltp_good.val().replace_bit(i, self.links[i].ltp_good.val());
            self.ltp_bad.next = self.ltp_bad.val().replace_bit(i, self.links[i].ltp_bad.val());
            self.beat_good.next = self.beat_good.val().replace_bit(i, self.links[i].beat_good.val());
            self.beat_wrong.next = self.beat_wrong.val().replace_bit(i, self.links[i].beat_wrong.val());
            self.beat_gap.next = self.beat_gap.val().replace_bit(i, self.links[i].beat_gap.val());
            self.restarted.next = self.restarted.val().replace_bit(i, self.links[i].restarted.val());
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("link_rack", &[])
    }
}

drive_ports!(impl[] LinkRack {
    clock, clear, lanes, mode, restart, inject, ltp_good, ltp_bad, beat_good, beat_wrong, beat_gap, restarted,
});

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
