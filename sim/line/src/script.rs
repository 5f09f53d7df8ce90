//! What happens to a link, and when.

use crate::cable::LaneFault;
use flitforge_protocol::link::LinkState;
use std::fmt;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// CTRL.enable of an end, of all links.
    Enable(usize),
    /// CTRL.disable of an end, of its first link.
    Disable(usize),
    /// `clear` of an end for so many clocks, of the PHY too or of the port alone.
    Clear {
        /// The end.
        end: usize,
        /// Core clocks.
        clocks: u32,
        /// The PHY too.
        phy: bool,
    },
    /// An end loses its power.
    PowerOff(usize),
    /// It comes back, its port is enabled again.
    PowerOn(usize),
    /// The cable from an end is pulled out.
    Pull(usize),
    /// It is plugged in.
    Plug(usize),
    /// Lanes of the cable from an end get this fault.
    Lanes {
        /// The end that sends on them.
        from: usize,
        /// Mask.
        lanes: u64,
        /// The fault.
        fault: LaneFault,
    },
    /// The PHY of an end takes no words on these lanes any more; 0: takes them again.
    Stick {
        /// The end.
        end: usize,
        /// Mask.
        lanes: u64,
    },
    /// LANES.allowed of a link of an end.
    Allow {
        /// The end.
        end: usize,
        /// The link.
        link: usize,
        /// Mask of the link's lanes, from bit 0 on.
        lanes: u64,
    },
    /// CTRL.retrain of a link of an end.
    Retrain {
        /// The end.
        end: usize,
        /// The link.
        link: usize,
    },
    /// CTRL.restore of an end, of all links.
    Restore(usize),
    /// A lane of the cable from an end is so many words late.
    Skew {
        /// The end that sends on it.
        from: usize,
        /// Its number.
        lane: usize,
        /// Words.
        words: i64,
    },
    /// Wrong bits on lanes of the cable from an end: places per 10^9 bits, bits of a burst.
    Noise {
        /// The end that sends on them.
        from: usize,
        /// Mask.
        lanes: u64,
        /// Places per 10^9 bits.
        per_1e9: u32,
        /// Bits.
        burst: u32,
    },
}

/// When it is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum When {
    /// So many core clocks after the step before.
    After(u64),
    /// So many core clocks after an end is first seen in a state, after the step before; at the latest after `patience`.
    In {
        /// The end.
        end: usize,
        /// The state.
        state: LinkState,
        /// Core clocks.
        delay: u64,
        /// Core clocks.
        patience: u64,
    },
    /// So many core clocks after the link is up at both ends; at the latest after `patience`.
    Up {
        /// Core clocks.
        delay: u64,
        /// Core clocks.
        patience: u64,
    },
}

/// One step of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// When.
    pub when: When,
    /// What.
    pub action: Action,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.when {
            When::After(clocks) => write!(f, "after {clocks}: ")?,
            When::In { end, state, delay, .. } => write!(f, "{delay} in {} of end {end}: ", state.name())?,
            When::Up { delay, .. } => write!(f, "{delay} after up: ")?,
        }
        match self.action {
            Action::Enable(end) => write!(f, "end {end} enabled"),
            Action::Disable(end) => write!(f, "end {end} disabled"),
            Action::Clear { end, clocks, phy } => {
                write!(f, "end {end} cleared for {clocks}{}", if phy { " with its PHY" } else { "" })
            }
            Action::PowerOff(end) => write!(f, "end {end} without power"),
            Action::PowerOn(end) => write!(f, "end {end} with power"),
            Action::Pull(from) => write!(f, "cable from end {from} pulled"),
            Action::Plug(from) => write!(f, "cable from end {from} plugged"),
            Action::Lanes { from, lanes, fault } => write!(f, "lanes {lanes:04b} from end {from}: {fault:?}"),
            Action::Stick { end, lanes } => write!(f, "PHY of end {end} takes nothing on lanes {lanes:04b}"),
            Action::Allow { end, link, lanes } => {
                write!(f, "LANES.allowed of end {end}, link {link} = {lanes:04b}")
            }
            Action::Retrain { end, link } => write!(f, "CTRL.retrain of end {end}, link {link}"),
            Action::Restore(end) => write!(f, "CTRL.restore of end {end}"),
            Action::Skew { from, lane, words } => write!(f, "lane {lane} from end {from} {words} words late"),
            Action::Noise { from, lanes, per_1e9, burst } => {
                write!(f, "lanes {lanes:04b} from end {from}: {per_1e9}e-9 wrong places, {burst} bits each")
            }
        }
    }
}
