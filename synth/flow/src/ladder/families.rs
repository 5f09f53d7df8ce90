//! Whether the text for every tool goes through the synthesis of the families that Yosys has. Nothing is measured here.

use super::cache::WorkDirectory;
use crate::error::{FlowError, FlowResult};
use crate::process::ToolRun;
use crate::source::Source;
use crate::tools::Toolbox;
use std::collections::BTreeSet;

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

/// What is synthesised at a time: a module, with all below it or without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Name of the module.
    pub top: String,
    /// Verilog text.
    verilog: String,
    /// Modules of the text that stay empty: only their ports are known.
    empty: Vec<String>,
}

impl Unit {
    /// The whole text.
    pub fn whole(source: &Source) -> Self {
        Self { top: source.top.clone(), verilog: source.verilog.clone(), empty: vec![] }
    }

    /// Each module of the text by itself, with those it holds as empty boxes. Modules are called after their contents, so two
    /// texts that share one have the same unit for it.
    pub fn by_module(source: &Source) -> Vec<Self> {
        let modules = modules_of(&source.verilog);
        let units = modules.iter().map(|(name, text)| {
            let names: BTreeSet<&str> = words(text).collect();
            let held = modules.iter().filter(|(other, _)| other != name && names.contains(other));
            let held: Vec<&(&str, &str)> = held.collect();
            let texts: Vec<&str> = std::iter::once(*text).chain(held.iter().map(|(_, text)| *text)).collect();
            Self {
                top: name.to_string(),
                verilog: texts.concat(),
                empty: held.iter().map(|(name, _)| name.to_string()).collect(),
            }
        });
        units.collect()
    }

    /// Yosys' script.
    fn script(&self, family: YosysFamily) -> String {
        let empty: String = self.empty.iter().map(|name| format!("blackbox {name}\n")).collect();
        format!("read_verilog block.v\n{empty}{} -top {}\n", family.command(), self.top)
    }
}

/// Name and text of every module, from the line that begins with `module` to `endmodule`.
fn modules_of(verilog: &str) -> Vec<(&str, &str)> {
    const END: &str = "\nendmodule\n";
    let starts =
        verilog.match_indices("module ").filter(|(at, _)| *at == 0 || verilog[..*at].ends_with('\n'));
    let modules = starts.filter_map(|(at, _)| {
        let text = &verilog[at..];
        let text = &text[..text.find(END)? + END.len()];
        Some((words(text).nth(1)?, text))
    });
    modules.collect()
}

/// The words of a text: names, keywords, numbers.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let between = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$');
    text.split(between).filter(|word| !word.is_empty())
}

/// Synthesises a unit for a family; where Yosys stops, the error has its words.
pub fn synthesise_for(
    unit: &Unit,
    family: YosysFamily,
    toolbox: &Toolbox,
    work: &WorkDirectory,
) -> FlowResult<()> {
    let versions = format!("{:?}", toolbox.versions());
    let script = unit.script(family);
    let inputs = [unit.verilog.as_bytes(), script.as_bytes(), versions.as_bytes()];
    work.run("family", &inputs, |directory| {
        let write = |name: &str, text: &str| {
            let path = directory.join(name);
            std::fs::write(&path, text).map_err(FlowError::file("write", path))
        };
        write("block.v", &unit.verilog)?;
        write("family.ys", &script)?;
        let run = ToolRun {
            tool: "yosys",
            program: toolbox.path("yosys")?,
            arguments: ["-q", "-l", "yosys.log", "-s", "family.ys"].map(String::from).to_vec(),
            directory,
            subject: &unit.top,
            log: "console.log",
            path_front: toolbox.path_front(),
        };
        run.run().map(drop)
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// head\nmodule top (\n    input a,\n    output b\n);\n    // a leafless comment\n    leaf first (\n        .a(a),\n        .b(b)\n    );\n\
                        endmodule\n\nmodule leaf (\n    input a,\n    output b\n);\n    assign b = a;\nendmodule\n";

    fn source() -> Source {
        Source { verilog: TEXT.into(), top: "top".into(), ports: vec![] }
    }

    #[test]
    fn a_module_stands_alone_with_what_it_holds_as_empty_boxes() {
        let units = Unit::by_module(&source());
        assert_eq!(units.iter().map(|unit| unit.top.as_str()).collect::<Vec<_>>(), ["top", "leaf"]);
        assert_eq!(units[0].empty, ["leaf"]);
        assert_eq!(
            units[0].script(YosysFamily::Gowin),
            "read_verilog block.v\nblackbox leaf\nsynth_gowin -top top\n"
        );
        assert_eq!(units[0].verilog.matches("endmodule").count(), 2);
        assert!(units[1].empty.is_empty());
        assert!(units[1].verilog.starts_with("module leaf (") && units[1].verilog.ends_with("endmodule\n"));
    }

    #[test]
    fn the_same_module_of_two_texts_is_one_unit() {
        let other = Source { verilog: TEXT.replace("top", "another"), top: "another".into(), ports: vec![] };
        let (one, two) = (Unit::by_module(&source()), Unit::by_module(&other));
        assert_eq!(one[1], two[1]);
        assert_ne!(one[0], two[0]);
    }
}
