//! Ring slots (chapter 20, 3.3): what travels on the two time rings of a switch, and the delays of the ring.
//!
//! A slot is `data` followed by 17 control bits. The width W of `data` depends on the embodiment, so the control
//! fields stand at `W + low` of [`slot_control`].

use serde::{Deserialize, Serialize};

coded_enum! {
    /// What a slot carries of a time flit (chapter 20, 3.3).
    Embed: u8, {
        Value = 0, "VALUE", "the fields of the flit";
        Flit = 1, "FLIT", "the whole flit";
    }
}

impl Embed {
    /// Width W of a slot's data in bits.
    #[must_use]
    pub const fn data_bits(self) -> usize {
        match self {
            Embed::Value => value_low::WIDTH,
            Embed::Flit => crate::flit::FLIT_BITS,
        }
    }

    /// Width of a whole slot in bits: 63 or 82.
    #[must_use]
    pub const fn slot_bits(self) -> usize {
        self.data_bits() + slot_control::WIDTH
    }
}

coded_enum! {
    /// Kind of a slot's content (chapter 20, 3.3).
    SlotKind: u8, {
        None = 0, "none", "no content";
        Low = 1, "Low", "MasterTimeLow";
        High = 2, "High", "MasterTimeHigh";
        Token = 3, "token", "measures the ring";
    }
}

layout! {
    /// Control bits of a slot, above its data.
    slot_control, "Control bits of a ring slot", 17 bits, "chapter 20, 3.3", {
        src [0 +: 6] "stop that inserted it";
        tree [6 +: 2] "master id";
        kind [8 +: 2] "kind of the content";
        mon [10 +: 1] "set by the monitor of stop 0";
        par [11 +: 1] "even parity over wait, kind, tree, src and data";
        v [12 +: 1] "the slot is occupied";
        wait [13 +: 4] "ring cycles the source waited for a free slot";
    }
}
layout! {
    /// Data of a Low in the embodiment VALUE.
    value_low, "Ring slot data of a Low, VALUE", 46 bits, "chapter 20, 3.3", {
        time [0 +: 40] "time[39:0], nanoseconds";
        frac [40 +: 4] "units of 1/16 ns";
        era [44 +: 2] "era";
    }
}
layout! {
    /// Data of a High in the embodiment VALUE.
    value_high, "Ring slot data of a High, VALUE", 46 bits, "chapter 20, 3.3", {
        time [0 +: 32] "time[63:32]";
        index [32 +: 8] "master index";
        quality [40 +: 4] "quality";
        era [44 +: 2] "era";
    }
}
layout! {
    /// Data of a token, the low bits in both embodiments.
    token, "Ring slot data of a token", 46 bits, "chapter 20, 3.3", {
        target [0 +: 6] "target stop";
        returning [6 +: 1] "0 outbound, 1 returning";
        tag [7 +: 8] "tag";
        waited [15 +: 8] "ring cycles waited at the target";
    }
}

layout! {
    /// A token to be sent, as TOKEN_CMD names it.
    token_command, "Token to be sent", 21 bits, "chapter 20, 4.10", {
        src [0 +: 6] "source stop";
        target [6 +: 6] "target stop";
        ring [12 +: 1] "0 clockwise, 1 counter-clockwise";
        tag [13 +: 8] "tag";
    }
}

/// Direction of a ring: one of the two, and the value of RING_SEL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum RingDirection {
    /// Clockwise: from stop i to stop i + 1. RING_SEL 0.
    Clockwise = 0,
    /// Counter-clockwise: from stop i to stop i - 1. RING_SEL 1.
    CounterClockwise = 1,
}

impl RingDirection {
    /// Both directions, RING_SEL 0 first.
    pub const ALL: [RingDirection; 2] = [RingDirection::Clockwise, RingDirection::CounterClockwise];

    /// The other ring.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            RingDirection::Clockwise => RingDirection::CounterClockwise,
            RingDirection::CounterClockwise => RingDirection::Clockwise,
        }
    }

    /// Hops from stop `from` to stop `to` on a ring of `stops` (chapter 20, 4.4 rule 7).
    #[must_use]
    pub const fn hops(self, stops: u32, from: u32, to: u32) -> u32 {
        match self {
            RingDirection::Clockwise => (to + stops - from) % stops,
            RingDirection::CounterClockwise => (from + stops - to) % stops,
        }
    }
}

/// Fewest and most stops of a ring (chapter 20, 4.4).
pub const STOPS: (u32, u32) = (4, 64);
/// Most registers per hop S.
pub const MAX_HOP_REGISTERS: u32 = 2;
/// Most ring edges per core clock M.
pub const MAX_RING_RATIO: u32 = 4;
/// Default and largest RING_WAIT_MAX, ring cycles a Low may wait for a free slot (chapter 20, 4.4).
pub const RING_WAIT_MAX: (u32, u32) = (8, 15);
/// Ring cycles a High or a token may wait (chapter 20, 4.4 rule 3).
pub const SLOW_WAIT_MAX: u32 = 1 << 16;
/// Core clocks of a switch crossing that do not depend on the ring: extraction, injection, and the registers at
/// the source stop and after the copy register (chapter 20, 4.4 rule 7).
pub const CROSSING_CLOCKS: u64 = super::time::EXTRACT_CLOCKS + super::time::INJECT_CLOCKS + 2;
/// Ring cycles of a token's count that are not hops (chapter 20, 4.10).
pub const TOKEN_FIXED_CYCLES: u32 = 3;
/// Ring cycles after which a token is lost, beyond four revolutions (chapter 20, 4.10).
pub const TOKEN_LOST_SLACK: u32 = 512;

/// Core clocks from plane R of the upstream port to plane X of a downstream port over `ring_cycles` (hops times
/// registers per hop) with `ratio` ring edges per core clock (chapter 20, 4.4 rule 7).
#[must_use]
pub const fn crossing_clocks(ring_cycles: u32, ratio: u32) -> u64 {
    CROSSING_CLOCKS + (ring_cycles as u64 + 1) / ratio as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_have_the_widths_of_the_chapter() {
        assert_eq!((Embed::Value.data_bits(), Embed::Flit.data_bits()), (46, 65));
        assert_eq!((Embed::Value.slot_bits(), Embed::Flit.slot_bits()), (63, 82));
        assert_eq!(slot_control::LAYOUT.reserved(), 0);
        assert_eq!((value_low::WIDTH, value_high::WIDTH, token::WIDTH), (46, 46, 46));
    }

    #[test]
    fn six_clocks_and_the_ring() {
        assert_eq!(CROSSING_CLOCKS, 6);
        assert_eq!((crossing_clocks(3, 2), crossing_clocks(5, 2), crossing_clocks(2, 2)), (8, 9, 7));
    }

    #[test]
    fn hops_go_round() {
        assert_eq!(RingDirection::Clockwise.hops(12, 11, 1), 2);
        assert_eq!(RingDirection::CounterClockwise.hops(12, 11, 1), 10);
        assert_eq!(RingDirection::Clockwise.hops(12, 5, 5), 0);
    }
}
