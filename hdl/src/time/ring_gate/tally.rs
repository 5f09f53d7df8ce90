//! What happens in ring clocks, in core clocks.

use super::GATE_EVENTS;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_protocol::time_ring::MAX_RING_RATIO;

/// Bits of the events of a core clock.
pub const TALLY_BITS: usize = 4;

/// Counts two kinds of events of ring clocks in core clocks: none is lost and none counts twice.
///
/// - `count` is a register of the core clock: the events of a core clock stand in the one behind it.
/// - No clear: what happened is counted.
#[derive(LogicBlock, Default)]
pub struct RingTally {
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Ring clock.
    pub ring_clock: Signal<In, Clock>,
    /// The edge that ends this ring clock is a core edge, too.
    pub core_edge: Signal<In, Bit>,
    /// Events of a ring clock; every 1 counts.
    pub events: Signal<In, Bits<GATE_EVENTS>>,
    /// Events of a core clock.
    pub count: Signal<Out, Bits<TALLY_BITS>>,
    so_far: DFF<Bits<TALLY_BITS>>,
    counted: DFF<Bits<TALLY_BITS>>,
    now: Signal<Local, Bits<GATE_EVENTS>>,
    sum: Signal<Local, Bits<TALLY_BITS>>,
}

impl Logic for RingTally {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, counted);
        dff_setup!(self, ring_clock, so_far);
        self.now.next = self.events.val();
        self.sum.next = self.so_far.q.val()
            + bit_cast::<TALLY_BITS, 1>(self.now.val().get_bits::<1>(0))
            + bit_cast::<TALLY_BITS, 1>(self.now.val().get_bits::<1>(1));
        self.so_far.d.next = self.sum.val();
        if self.core_edge.val() {
            self.so_far.d.next = 0.into();
        }
        self.counted.d.next = self.sum.val();
        self.count.next = self.counted.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("ring_tally", &[])
    }
}

drive_ports!(impl[] RingTally { clock, ring_clock, core_edge, events, count });

const _: () = assert!(GATE_EVENTS == 2 && GATE_EVENTS * (MAX_RING_RATIO as usize) < 1 << TALLY_BITS);

/// Says of `N` lines of the ring clock whether they were high in a core clock, however short.
///
/// - `seen` is a register of the core clock: what was high in a core clock is high in the one behind it. Lines that are high once in a
///   core clock at most are counted by it.
/// - No clear: what was high is seen.
#[derive(LogicBlock)]
pub struct RingSeen<const N: usize> {
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Ring clock.
    pub ring_clock: Signal<In, Clock>,
    /// The edge that ends this ring clock is a core edge, too.
    pub core_edge: Signal<In, Bit>,
    /// Lines of the ring clock.
    pub lines: Signal<In, Bits<N>>,
    /// The same in core clocks.
    pub seen: Signal<Out, Bits<N>>,
    so_far: DFF<Bits<N>>,
    found: DFF<Bits<N>>,
    all: Signal<Local, Bits<N>>,
}

impl<const N: usize> Default for RingSeen<N> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            ring_clock: Default::default(),
            core_edge: Default::default(),
            lines: Default::default(),
            seen: Default::default(),
            so_far: Default::default(),
            found: Default::default(),
            all: Default::default(),
        }
    }
}

impl<const N: usize> Logic for RingSeen<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, found);
        dff_setup!(self, ring_clock, so_far);
        self.all.next = self.so_far.q.val() | self.lines.val();
        self.so_far.d.next = self.all.val();
        if self.core_edge.val() {
            self.so_far.d.next = 0.into();
        }
        self.found.d.next = self.all.val();
        self.seen.next = self.found.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("ring_seen", &[("lines", N.to_string())])
    }
}

drive_ports!(impl[const N: usize] RingSeen<N> { clock, ring_clock, core_edge, lines, seen });
