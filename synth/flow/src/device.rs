//! The devices a block or board is taken to, by name: `lfe5u-85f-6` is part and speed grade.

use crate::error::{FlowError, FlowResult};
use std::str::FromStr;

/// The device family: which synthesis pass, which place and route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Lattice ECP5: the whole ladder.
    Ecp5,
    /// Xilinx 7-series: netlist and area here; place and route need the openXC7 tools.
    Xilinx7,
}

/// A part at a speed grade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    name: String,
    family: Family,
    place_flag: &'static str,
    speed: u8,
    package: String,
}

struct Part {
    name: &'static str,
    family: Family,
    /// nextpnr's option for the die; empty for a family placed elsewhere.
    flag: &'static str,
    speeds: &'static [u8],
    package: &'static str,
}

const ECP5_SPEEDS: &[u8] = &[6, 7, 8];
/// The 5G parts exist only in speed 8.
const ECP5_5G_SPEEDS: &[u8] = &[8];
const XILINX_SPEEDS: &[u8] = &[1, 2, 3];

const fn ecp5(name: &'static str, flag: &'static str, speeds: &'static [u8]) -> Part {
    Part { name, family: Family::Ecp5, flag, speeds, package: "CABGA381" }
}

const PARTS: &[Part] = &[
    ecp5("lfe5u-12f", "--12k", ECP5_SPEEDS),
    ecp5("lfe5u-25f", "--25k", ECP5_SPEEDS),
    ecp5("lfe5u-45f", "--45k", ECP5_SPEEDS),
    ecp5("lfe5u-85f", "--85k", ECP5_SPEEDS),
    ecp5("lfe5um-25f", "--um-25k", ECP5_SPEEDS),
    ecp5("lfe5um-45f", "--um-45k", ECP5_SPEEDS),
    ecp5("lfe5um-85f", "--um-85k", ECP5_SPEEDS),
    ecp5("lfe5um5g-25f", "--um5g-25k", ECP5_5G_SPEEDS),
    ecp5("lfe5um5g-45f", "--um5g-45k", ECP5_5G_SPEEDS),
    ecp5("lfe5um5g-85f", "--um5g-85k", ECP5_5G_SPEEDS),
    Part { name: "xc7a35t", family: Family::Xilinx7, flag: "", speeds: XILINX_SPEEDS, package: "csg324" },
    Part { name: "xc7a100t", family: Family::Xilinx7, flag: "", speeds: XILINX_SPEEDS, package: "csg324" },
];

impl Device {
    /// The name it was made from.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its family.
    pub fn family(&self) -> Family {
        self.family
    }

    /// Speed grade.
    pub fn speed(&self) -> u8 {
        self.speed
    }

    /// Package, `CABGA381` unless set.
    pub fn package(&self) -> &str {
        &self.package
    }

    /// The same die in another package.
    pub fn with_package(mut self, package: &str) -> Device {
        self.package = package.to_string();
        self
    }

    /// The die and package options of the placer.
    pub fn place_arguments(&self) -> Vec<String> {
        let speed = self.speed.to_string();
        [self.place_flag, "--speed", &speed, "--package", &self.package].map(str::to_string).to_vec()
    }

    /// The primary clock tree's limit in MHz (ECP5 data sheet, external switching characteristics). The placer
    /// models no such limit, so figures above it are the tool's alone.
    pub fn clock_tree_limit_mhz(&self) -> Option<f64> {
        match (self.family, self.speed) {
            (Family::Ecp5, 6) => Some(257.0),
            (Family::Ecp5, 7) => Some(303.0),
            (Family::Ecp5, 8) => Some(370.0),
            _ => None,
        }
    }

    /// Every name that is understood.
    pub fn known_names() -> Vec<String> {
        PARTS.iter().flat_map(|p| p.speeds.iter().map(move |s| format!("{}-{s}", p.name))).collect()
    }
}

/// A part and a speed, `lfe5u-85f-6`. A part alone has its slowest speed, which the device's name then says.
impl FromStr for Device {
    type Err = FlowError;

    fn from_str(name: &str) -> FlowResult<Device> {
        let unknown = || FlowError::Device {
            name: name.to_string(),
            message: format!("not known; known are {}", Device::known_names().join(", ")),
        };
        let of_part = |part: &str| PARTS.iter().find(|known| known.name == part);
        let alone = of_part(name).and_then(|part| Some((part, *part.speeds.first()?)));
        let with_speed = || {
            let (part, speed) = name.rsplit_once('-')?;
            let speed = speed.parse::<u8>().ok()?;
            of_part(part).filter(|part| part.speeds.contains(&speed)).map(|part| (part, speed))
        };
        let (part, speed) = alone.or_else(with_speed).ok_or_else(unknown)?;
        Ok(Device {
            name: format!("{}-{speed}", part.name),
            family: part.family,
            place_flag: part.flag,
            speed,
            package: part.package.to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_give_part_speed_and_clock_limit() {
        let device: Device = "lfe5u-85f-6".parse().unwrap();
        assert_eq!(device.place_arguments(), ["--85k", "--speed", "6", "--package", "CABGA381"]);
        assert_eq!(device.clock_tree_limit_mhz(), Some(257.0));
        let device: Device = "lfe5um5g-85f-8".parse().unwrap();
        assert_eq!(device.place_arguments()[0], "--um5g-85k");
        assert_eq!("xc7a35t-1".parse::<Device>().unwrap().family(), Family::Xilinx7);
        for name in ["lfe5u-45f-6", "lfe5u-25f-6"] {
            assert_eq!(name.parse::<Device>().unwrap().name(), name);
        }
    }

    #[test]
    fn a_part_alone_has_its_slowest_speed() {
        for (part, name) in
            [("xc7a35t", "xc7a35t-1"), ("lfe5u-85f", "lfe5u-85f-6"), ("lfe5um5g-25f", "lfe5um5g-25f-8")]
        {
            assert_eq!(part.parse::<Device>().unwrap().name(), name);
        }
    }

    #[test]
    fn an_unknown_device_lists_the_known_ones() {
        for name in ["lfe5u-85", "lfe5u-85f-9", "lfe5um5g-85f-6", "ice40", ""] {
            let message = name.parse::<Device>().unwrap_err().to_string();
            assert!(message.contains("lfe5u-85f-6") && message.contains(name), "{message}");
        }
    }
}
