//! `flitforge verilog`: blocks as plain Verilog for somebody else's design.

use crate::blocks::{emit, Emitted};
use crate::dry;
use crate::exit::Failure;
use crate::output::Staged;
use crate::package;
use crate::say::say;
use anyhow::Result;
use clap::{Args, ValueEnum};
use flitforge_elaborate::verilog::Technology;
use std::path::PathBuf;

/// Write blocks as Verilog with file lists, interface descriptions, FuseSoC cores and constraints.
#[derive(Args)]
pub struct Verilog {
    /// Blocks, as NAME or NAME:PRESET. What several have in common is written once.
    #[arg(required = true, value_name = "BLOCK[:PRESET]")]
    blocks: Vec<String>,
    /// Preset of the block, if there is one.
    #[arg(long)]
    preset: Option<String>,
    /// Parameter of the block, key=value, if there is one block.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Folder to write.
    #[arg(long)]
    out: PathBuf,
    /// Name of the top module, if there is one block; by default the block's, with the preset and the parameters that were given.
    #[arg(long)]
    name: Option<String>,
    /// What the names of all modules begin with.
    #[arg(long, default_value = "", hide_default_value = true)]
    prefix: String,
    /// How memories are written.
    #[arg(long, value_enum, default_value_t = MemoryText::Generic)]
    technology: MemoryText,
    /// Replace a folder that flitforge wrote.
    #[arg(long)]
    force: bool,
}

/// How memories are written.
#[derive(Clone, Copy, ValueEnum)]
enum MemoryText {
    /// Behavioural text for every tool.
    Generic,
    /// DP16KD instances, and arrays that ask for LUT RAM.
    Ecp5,
    /// Arrays that ask for block RAM or LUT RAM.
    Xilinx,
}

impl Verilog {
    /// Writes the folder.
    pub fn run(&self) -> Result<()> {
        let technology = match self.technology {
            MemoryText::Generic => Technology::Generic,
            MemoryText::Ecp5 => Technology::Ecp5,
            MemoryText::Xilinx => Technology::Xilinx,
        };
        let blocks = self.emitted(technology)?;
        let files = package::files(&blocks, &self.prefix, technology, &self.command(technology))?;
        if dry::is() {
            return Ok(());
        }
        let staged = Staged::new(&self.out, self.force)?;
        for (name, text) in &files {
            staged.write(name, text)?;
        }
        staged.commit()?;
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        say!("{}: {}", self.out.display(), names.join(", "))?;
        Ok(())
    }

    /// The blocks, elaborated and named.
    fn emitted(&self, technology: Technology) -> Result<Vec<Emitted>> {
        let alone = self.blocks.len() == 1;
        let given = [
            ("--preset", self.preset.is_some()),
            ("--set", !self.set.is_empty()),
            ("--name", self.name.is_some()),
        ];
        if let Some((option, _)) = given.iter().find(|(_, given)| *given && !alone) {
            let advice = "name presets as BLOCK:PRESET, and write a block with parameters or a name of its own by itself";
            return Err(Failure::usage(format!(
                "{option} is for one block, and {} are given; {advice}",
                self.blocks.len()
            ))
            .into());
        }
        let mut blocks = vec![];
        for text in &self.blocks {
            let (block, preset) = match (text.split_once(':'), &self.preset) {
                (Some(_), Some(_)) => {
                    return Err(Failure::usage(format!(
                        "{text} has a preset, and --preset gives one; leave one out"
                    ))
                    .into());
                }
                (Some((block, preset)), None) => (block, Some(preset)),
                (None, preset) => (text.as_str(), preset.as_deref()),
            };
            let mut emitted = emit(block, preset, &self.set)?;
            let name = match &self.name {
                Some(name) => name.clone(),
                None => emitted.plain_name(&self.set)? + emitted.suffix(technology),
            };
            emitted.rename(&name, &self.prefix)?;
            blocks.push(emitted);
        }
        Ok(blocks)
    }

    /// The command that writes the same folder, but for its place.
    fn command(&self, technology: Technology) -> String {
        let mut words = vec!["flitforge verilog".to_owned()];
        words.extend(self.blocks.iter().cloned());
        let mut option = |name: &str, value: &str| words.push(format!("--{name} {value}"));
        self.preset.iter().for_each(|preset| option("preset", preset));
        self.set.iter().for_each(|set| option("set", set));
        self.name.iter().for_each(|name| option("name", name));
        if !self.prefix.is_empty() {
            option("prefix", &self.prefix);
        }
        if technology != Technology::Generic {
            option("technology", technology.name());
        }
        words.join(" ")
    }
}
