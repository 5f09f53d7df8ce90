//! Whether the text for every tool goes through the synthesis of the families that Yosys has. Nothing is measured here.

use super::cache::WorkDirectory;
use crate::error::{FlowError, FlowResult};
use crate::process::ToolRun;
use crate::source::Source;
use crate::tools::Toolbox;

/// A family that Yosys has a synthesis for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum YosysFamily {
    /// No family: gates and flip-flops.
    Generic,
    /// Lattice ECP5.
    Ecp5,
    /// Lattice iCE40.
    Ice40,
    /// Gowin.
    Gowin,
    /// Xilinx, 7 series.
    Xilinx,
}

impl YosysFamily {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Generic, Self::Ecp5, Self::Ice40, Self::Gowin, Self::Xilinx];

    /// As the command line spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Generic => "generic",
            Self::Ecp5 => "ecp5",
            Self::Ice40 => "ice40",
            Self::Gowin => "gowin",
            Self::Xilinx => "xilinx",
        }
    }

    /// Yosys' command.
    const fn command(self) -> &'static str {
        match self {
            Self::Generic => "synth",
            Self::Ecp5 => "synth_ecp5",
            Self::Ice40 => "synth_ice40",
            Self::Gowin => "synth_gowin",
            Self::Xilinx => "synth_xilinx",
        }
    }
}

/// Synthesises a source for a family; where Yosys stops, the error has its words.
pub fn synthesise_for(
    source: &Source,
    family: YosysFamily,
    toolbox: &Toolbox,
    work: &WorkDirectory,
) -> FlowResult<()> {
    source.check()?;
    let versions = format!("{:?}", toolbox.versions());
    let command = family.command();
    let script = format!("read_verilog block.v\n{command} -top {}\n", source.top);
    let inputs = [source.verilog.as_bytes(), script.as_bytes(), versions.as_bytes()];
    work.run("family", &inputs, |directory| {
        let write = |name: &str, text: &str| {
            let path = directory.join(name);
            std::fs::write(&path, text).map_err(FlowError::file("write", path))
        };
        write("block.v", &source.verilog)?;
        write("family.ys", &script)?;
        let run = ToolRun {
            tool: "yosys",
            program: toolbox.path("yosys")?,
            arguments: ["-q", "-l", "yosys.log", "-s", "family.ys"].map(String::from).to_vec(),
            directory,
            subject: &source.top,
            log: "console.log",
            path_front: toolbox.path_front(),
        };
        run.run().map(drop)
    })?;
    Ok(())
}
