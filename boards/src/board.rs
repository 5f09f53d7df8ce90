//! Board descriptions: one TOML file per board in the crate's folder, read and checked here.

use serde::Deserialize;
use std::collections::BTreeMap;
use thiserror::Error;

/// The board files, compiled in so that the command line needs no data folder.
const FILES: &[(&str, &str)] = &[
    ("boards/ulx3s-85f.toml", include_str!("../ulx3s-85f.toml")),
    ("boards/versa-ecp5-5g.toml", include_str!("../versa-ecp5-5g.toml")),
];

/// A board that cannot be used, and why.
#[derive(Debug, Error, PartialEq)]
pub enum BoardError {
    /// No such board.
    #[error("unknown board `{name}`: {known}")]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names most like it, or those there are.
        known: String,
    },
    /// The file is not what a board file must be.
    #[error("{file}: {reason}")]
    Invalid {
        /// The file.
        file: String,
        /// What is wrong, with line and column where the parser knows them.
        reason: String,
    },
}

/// Facts of one board.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// Name on the command line.
    pub name: String,
    /// Name for people.
    pub title: String,
    /// Part and speed grade, for instance `lfe5u-85f-6`.
    pub device: String,
    /// Package, for instance `CABGA381`.
    pub package: String,
    /// Programming command; `{bitstream}` stands for the file.
    pub program: String,
    /// Whole-device preferences, without the closing semicolon.
    #[serde(default)]
    pub system: Vec<String>,
    /// Pins by resource.
    pub pins: Vec<Pin>,
}

/// One resource of a board: a named group of pins.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// Resource name; a design's port of this name is connected to it.
    pub name: String,
    /// What it is.
    pub meaning: String,
    /// Seen from the FPGA.
    pub direction: Direction,
    /// Package sites, bit 0 first.
    pub sites: Vec<String>,
    /// I/O standard.
    pub io_type: String,
    /// Pull resistor.
    pub pull: Pull,
    /// Drive strength in milliampere, outputs only.
    pub drive_ma: Option<u32>,
    /// Set on clock inputs.
    pub frequency_hz: Option<u64>,
}

/// Direction seen from the FPGA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Into the FPGA.
    Input,
    /// Out of the FPGA.
    Output,
}

/// Pull resistor of a pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pull {
    /// No pull resistor.
    None,
    /// To the supply.
    Up,
    /// To ground.
    Down,
}

impl Board {
    /// Reads and checks one board file; `file` names it in errors.
    pub fn parse(file: &str, text: &str) -> Result<Self, BoardError> {
        let invalid = |reason: String| BoardError::Invalid { file: file.into(), reason };
        let board: Self = toml::from_str(text).map_err(|error| invalid(error.to_string()))?;
        board.check().map_err(invalid)?;
        Ok(board)
    }

    /// A resource by name.
    pub fn pin(&self, name: &str) -> Option<&Pin> {
        self.pins.iter().find(|pin| pin.name == name)
    }

    /// The programming command for `bitstream`.
    pub fn program_command(&self, bitstream: &str) -> String {
        self.program.replace("{bitstream}", bitstream)
    }

    fn check(&self) -> Result<(), String> {
        let mut sites: BTreeMap<&str, &str> = BTreeMap::new();
        let mut names = BTreeMap::new();
        for pin in &self.pins {
            let name = pin.name.as_str();
            if names.insert(name, ()).is_some() {
                return Err(format!("pin group `{name}` is there twice; give each group one name"));
            }
            if pin.sites.is_empty() {
                return Err(format!("pin group `{name}` has no sites; list at least one"));
            }
            for site in &pin.sites {
                if let Some(other) = sites.insert(site, name) {
                    return Err(format!("site {site} is used by `{other}` and `{name}`; a site has one use"));
                }
            }
            if pin.drive_ma.is_some() && pin.direction == Direction::Input {
                return Err(format!("pin group `{name}` is an input with `drive_ma`; remove it"));
            }
            if pin.frequency_hz.is_some() && (pin.direction == Direction::Output || pin.sites.len() != 1) {
                return Err(format!("clock `{name}` must be one input pin"));
            }
        }
        if !self.program.contains("{bitstream}") {
            return Err("`program` does not say where {bitstream} goes".into());
        }
        Ok(())
    }
}

/// All boards, in the order of their names.
pub fn boards() -> Result<Vec<Board>, BoardError> {
    FILES.iter().map(|(file, text)| Board::parse(file, text)).collect()
}

/// A board by name.
pub fn board(name: &str) -> Result<Board, BoardError> {
    let all = boards()?;
    let known = crate::known::known(name, all.iter().map(|board| board.name.as_str()));
    all.into_iter()
        .find(|board| board.name == name)
        .ok_or_else(|| BoardError::Unknown { name: name.into(), known })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(from: &str, to: &str) -> String {
        let (file, text) = FILES[0];
        assert!(text.contains(from), "{from}");
        Board::parse(file, &text.replacen(from, to, 1)).expect_err("must be refused").to_string()
    }

    #[test]
    fn every_board_file_is_valid() {
        assert!(boards().expect("valid").iter().any(|board| board.name == "ulx3s-85f"));
    }

    #[test]
    fn an_unknown_board_lists_the_known_ones() {
        let error = board("ulx3s").expect_err("unknown").to_string();
        assert!(error.contains("`ulx3s`") && error.contains("ulx3s-85f"), "{error}");
    }

    #[test]
    fn broken_files_are_refused_with_the_reason() {
        assert!(changed("\"L4\"", "\"G2\"").contains("site G2 is used by `clk_25mhz` and `ftdi_rxd`"));
        assert!(changed("name = \"ftdi_txd\"", "name = \"ftdi_rxd\"").contains("`ftdi_rxd` is there twice"));
        assert!(changed("pull = \"up\"", "pull = \"sideways\"").contains("sideways"));
        assert!(changed("drive_ma = 4", "drive = 4").contains("drive"));
        assert!(changed("sites = [\"M1\"]", "sites = []").contains("no sites"));
        assert!(changed("{bitstream}", "file").contains("bitstream"));
    }
}
