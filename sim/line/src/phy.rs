//! One end's lane PHY: its signals by handle.

use crate::port::{all, LanePorts};
use crate::program::{handle, program, BlockChoice};
use flitforge_sim::compiled::{Clocks, Compiled, Handle};
use flitforge_sim::SimError;
use std::fmt;
use std::sync::Arc;

/// The lane PHYs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phy {
    /// `phy_loop`: registers only; both ends share the core clock.
    Loop,
    /// `phy_ecp5`: SerDes lanes.
    Ecp5,
    /// `phy_lvds`: differential pairs with a clock pair and a frame pair.
    Lvds,
}

impl Phy {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Loop, Self::Ecp5, Self::Lvds];

    /// Name of the block.
    pub fn block(self) -> &'static str {
        match self {
            Self::Loop => "phy_loop",
            Self::Ecp5 => "phy_ecp5",
            Self::Lvds => "phy_lvds",
        }
    }

    /// Clocks of the line per word; 1 for the loop, whose line is the core.
    pub fn clocks_per_word(self) -> u64 {
        match self {
            Self::Loop => 1,
            Self::Ecp5 => 2,
            Self::Lvds => 16,
        }
    }

    /// Bits per clock of the line and lane.
    pub fn bits_per_clock(self) -> u32 {
        match self {
            Self::Loop => 0,
            Self::Ecp5 => 20,
            Self::Lvds => 2,
        }
    }

    /// Bits of a word on the line.
    pub fn bits_per_word(self) -> i64 {
        i64::from(self.bits_per_clock()) * self.clocks_per_word() as i64
    }
}

impl fmt::Display for Phy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.block())
    }
}

/// Handles of a PHY.
#[derive(Clone, Debug)]
pub struct PhyHandles {
    /// Synchronous clear.
    pub clear: Handle,
    /// By lane: the port's side, seen from the port.
    pub lanes: Vec<LanePorts>,
    /// `signal_ok`, `lane_lock`, `elastic_error`.
    pub told: Option<[Handle; 3]>,
    /// Lanes to invert, boundaries to move.
    pub orders: Option<[Handle; 2]>,
    /// `phy_lvds`: lanes that carry rows.
    pub active: Option<Handle>,
    /// `phy_ecp5`: lanes whose SerDes has a good line.
    pub line_ok: Option<Handle>,
    /// By lane: what goes to the cells, what comes from them.
    pub cells: Vec<[Handle; 2]>,
    /// `phy_lvds`: the same of the frame pair.
    pub frame: Option<[Handle; 2]>,
}

/// A compiled PHY.
#[derive(Clone)]
pub struct PhyProgram {
    /// Which one.
    pub phy: Phy,
    /// The program.
    pub program: Arc<Compiled>,
    /// Its signals.
    pub handles: Arc<PhyHandles>,
    /// The core clock.
    pub core: Clocks,
    /// The clock of the cells that send.
    pub tx: Clocks,
    /// The clock of the cells that receive, by lane; `phy_lvds` has one for all.
    pub rx: Vec<Clocks>,
}

impl PhyProgram {
    /// The PHY for so many lanes.
    pub fn new(phy: Phy, lanes: usize) -> Result<Self, SimError> {
        let block = phy.block();
        let choice = BlockChoice { block, values: vec![("lanes", lanes as u64)] };
        let program = program(&choice, &outputs_of(phy, lanes))?;
        let get = |path: &str| handle(&program, block, path);
        let has_line = phy != Phy::Loop;
        let cell = |lane: usize| {
            let (out, back) = cell_names(phy);
            all([out, back], |name| get(&format!("{name}[{lane}]")))
        };
        let handles = PhyHandles {
            clear: get("clear")?,
            lanes: (0..lanes).map(|lane| LanePorts::find(lane, &get)).collect::<Result<_, _>>()?,
            told: has_line.then(|| all(["signal_ok", "lane_lock", "elastic_error"], get)).transpose()?,
            orders: has_line.then(|| all(["invert", "slip"], get)).transpose()?,
            active: (phy == Phy::Lvds).then(|| get("active")).transpose()?,
            line_ok: (phy == Phy::Ecp5).then(|| get("line_ok")).transpose()?,
            cells: if has_line { (0..lanes).map(cell).collect::<Result<_, _>>()? } else { vec![] },
            frame: (phy == Phy::Lvds).then(|| all(["tx_frame", "rx_frame"], get)).transpose()?,
        };
        let clock =
            |path: &str| program.clocks(&[path]).map_err(|error| crate::refusal::refused(block, &error));
        let core = clock("clock")?;
        let (tx, rx) = match phy {
            Phy::Loop => (core, vec![]),
            Phy::Lvds => (clock("tx_clock")?, vec![clock("rx_clock")?]),
            Phy::Ecp5 => {
                let rx = (0..lanes).map(|lane| clock(&format!("rx_clock[{lane}]")));
                (clock("tx_clock")?, rx.collect::<Result<_, _>>()?)
            }
        };
        Ok(Self { phy, program, handles: Arc::new(handles), core, tx, rx })
    }
}

fn cell_names(phy: Phy) -> (&'static str, &'static str) {
    if phy == Phy::Ecp5 {
        ("tx_symbols", "rx_symbols")
    } else {
        ("tx_pairs", "rx_pairs")
    }
}

fn outputs_of(phy: Phy, lanes: usize) -> Vec<String> {
    let mut names = vec![];
    for lane in 0..lanes {
        names.extend([format!("tx[{lane}].ready"), format!("rx[{lane}].valid"), format!("rx[{lane}].data")]);
        if phy != Phy::Loop {
            names.push(format!("{}[{lane}]", cell_names(phy).0));
        }
    }
    if phy != Phy::Loop {
        names.extend(["signal_ok", "lane_lock", "elastic_error"].map(String::from));
    }
    if phy == Phy::Lvds {
        names.push("tx_frame".into());
    }
    names
}
