//! Area from Yosys' `stat -json`: cells by type, counted as the device counts them.

use crate::device::Family;
use crate::error::{FlowError, FlowResult};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Area of a module or a whole design.
///
/// ECP5: `lut4` = LUT4 + 2 per CCU2C + 6 per 16x4 distributed RAM (two slices of data, one of write port).
/// 7-series: LUT1..LUT6 and distributed-RAM LUTs as they are; `lut4` then counts LUTs of any size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Area {
    /// Look-up tables in all, carry and distributed RAM included.
    pub lut4: u64,
    /// Flip-flops.
    pub ff: u64,
    /// Block RAMs (18 kbit on ECP5; on 7-series in halves of 18 kbit).
    pub ebr: u64,
    /// Carry cells (2 LUT4 each on ECP5, CARRY4 on 7-series where they cost no LUT).
    pub ccu2c: u64,
    /// Look-up tables used as distributed RAM.
    pub lut_ram: u64,
    /// Multipliers and wide ALUs.
    pub dsp: u64,
}

impl Area {
    /// Counts cells; `cells` maps a cell type to its number.
    pub fn count(family: Family, cells: &BTreeMap<String, u64>) -> Area {
        let sum = |names: &[&str]| -> u64 { names.iter().filter_map(|n| cells.get(*n)).sum() };
        match family {
            Family::Ecp5 => {
                let (ccu2c, lut_ram) = (sum(&["CCU2C"]), 6 * sum(&["TRELLIS_DPR16X4"]));
                Area {
                    lut4: sum(&["LUT4"]) + 2 * ccu2c + lut_ram,
                    ff: sum(&["TRELLIS_FF"]),
                    ebr: sum(&["DP16KD", "PDPW16KD"]),
                    ccu2c,
                    lut_ram,
                    dsp: sum(&["MULT18X18D", "ALU54B"]),
                }
            }
            Family::Xilinx7 => {
                let lut_ram = 2 * sum(&["RAM32X1D", "RAM64X1D"])
                    + 4 * sum(&["RAM32M", "RAM64M", "RAM128X1D"])
                    + sum(&["RAM32X1S", "RAM64X1S", "SRL16E", "SRLC32E"]);
                Area {
                    lut4: sum(&["LUT1", "LUT2", "LUT3", "LUT4", "LUT5", "LUT6", "INV"]) + lut_ram,
                    ff: sum(&["FDRE", "FDSE", "FDCE", "FDPE", "FDRE_1", "FDSE_1", "FDCE_1", "FDPE_1"]),
                    ebr: sum(&["RAMB18E1"]) + 2 * sum(&["RAMB36E1"]),
                    ccu2c: sum(&["CARRY4"]),
                    lut_ram,
                    dsp: sum(&["DSP48E1"]),
                }
            }
        }
    }

    /// The sum of two areas.
    pub fn plus(self, other: Area) -> Area {
        Area {
            lut4: self.lut4 + other.lut4,
            ff: self.ff + other.ff,
            ebr: self.ebr + other.ebr,
            ccu2c: self.ccu2c + other.ccu2c,
            lut_ram: self.lut_ram + other.lut_ram,
            dsp: self.dsp + other.dsp,
        }
    }
}

#[derive(Deserialize)]
struct StatFile {
    modules: BTreeMap<String, StatModule>,
}

#[derive(Deserialize)]
struct StatModule {
    num_cells_by_type: BTreeMap<String, u64>,
}

/// Cells by type of each module in a `stat -json` file; names without Yosys' backslash.
pub fn cells_by_module(text: &str) -> FlowResult<BTreeMap<String, BTreeMap<String, u64>>> {
    let stat: StatFile = serde_json::from_str(text).map_err(|e| FlowError::ToolOutput {
        tool: "yosys".into(),
        file: "stat.json".into(),
        message: e.to_string(),
    })?;
    let name = |n: String| n.trim_start_matches('\\').to_string();
    Ok(stat.modules.into_iter().map(|(n, m)| (name(n), m.num_cells_by_type)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(list: &[(&str, u64)]) -> BTreeMap<String, u64> {
        list.iter().map(|(n, c)| ((*n).to_string(), *c)).collect()
    }

    #[test]
    fn ecp5_counts_carry_and_distributed_ram_as_look_up_tables() {
        let list = [
            ("LUT4", 10),
            ("CCU2C", 4),
            ("TRELLIS_DPR16X4", 2),
            ("TRELLIS_FF", 7),
            ("DP16KD", 3),
            ("PFUMX", 9),
        ];
        let area = Area::count(Family::Ecp5, &cells(&list));
        assert_eq!(area, Area { lut4: 10 + 8 + 12, ff: 7, ebr: 3, ccu2c: 4, lut_ram: 12, dsp: 0 });
    }

    #[test]
    fn seven_series_counts_every_size_of_table() {
        let list = [
            ("LUT2", 3),
            ("LUT6", 4),
            ("FDRE", 5),
            ("RAMB36E1", 1),
            ("RAMB18E1", 1),
            ("CARRY4", 2),
            ("RAM32M", 1),
        ];
        let area = Area::count(Family::Xilinx7, &cells(&list));
        assert_eq!(area, Area { lut4: 11, ff: 5, ebr: 3, ccu2c: 2, lut_ram: 4, dsp: 0 });
    }

    #[test]
    fn a_stat_file_that_is_none_is_an_error() {
        assert!(matches!(cells_by_module("{}"), Err(FlowError::ToolOutput { .. })));
    }
}
