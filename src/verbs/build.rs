//! `flitforge build`: a bitstream for a board.

use crate::blocks::source_of;
use crate::dry;
use crate::exit::Failure;
use crate::output::Staged;
use crate::progress::Terminal;
use crate::say::say;
use anyhow::{Context, Result};
use clap::Args;
use flitforge_boards::constraints::{clock_lines, lpf, TopPort};
use flitforge_boards::{board, design, Board};
use flitforge_elaborate::verilog::{self, Options, Technology};
use flitforge_elaborate::{elaborate, graph};
use flitforge_flow::board::{build_board, BoardBuild, BoardRequest, BOARD_TOOLS};
use flitforge_flow::placed::simulation_verilog;
use flitforge_flow::report::Made;
use flitforge_flow::tools::{Event, Home, Progress, Toolbox};
use flitforge_flow::{Device, Effort, Source, WorkDirectory};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Build a design for a board: Verilog, bitstream, report and programming command.
#[derive(Args)]
pub struct Build {
    /// Design name.
    design: String,
    /// Board name.
    #[arg(long)]
    board: String,
    /// Seeds of the placer; the best one becomes the bitstream.
    #[arg(long, default_value_t = 2)]
    seeds: u64,
    /// What the tools work for instead of what the design says: standard, delay (short paths in
    /// large designs, some 5 % more LUTs), narrow (no function wider than a LUT4), shallow (and as
    /// few LUTs deep as can be), area (few LUTs, at a slow clock), or dense (and a placer for full devices).
    #[arg(long)]
    effort: Option<String>,
    /// Folder to write; by default build/DESIGN-BOARD, replaced at every build.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Replace a folder given with --out.
    #[arg(long)]
    force: bool,
}

impl Build {
    /// Builds and prints where everything is.
    pub fn run(&self) -> Result<()> {
        let design = design(&self.design)?;
        let board = board(&self.board)?;
        if self.seeds == 0 {
            return Err(Failure::usage("--seeds 0: at least one seed is needed").into());
        }
        let effort = self.effort.as_deref().unwrap_or(design.effort).parse::<Effort>()?;
        if dry::is() {
            return Ok(());
        }
        let default = || Path::new("build").join(format!("{}-{}", design.name, board.name));
        let out = self.out.clone().unwrap_or_else(default);
        let staged = Staged::new(&out, self.force || self.out.is_none())?;
        let progress = Terminal::new();
        progress.event(Event::Note(&format!("{} for {}", design.name, board.title)));

        let top = design.build(&board)?;
        let graph = elaborate(top.as_ref(), &design.name.replace('-', "_"))?;
        let source = source_of(&graph, verilog::write(&graph, &Options { technology: Technology::Ecp5 }));
        let constraints =
            lpf(&board, &top_ports(&graph)).context("pin constraints")? + &clock_lines(design.clocks);
        staged.write(&format!("{}.v", design.name), &source.verilog)?;
        staged.write(&format!("{}.lpf", design.name), &constraints)?;
        let mut built = self.place(effort, &board, &source, &constraints, &progress)?;
        built.report.made = Some(Made {
            design: design.name.into(),
            board: board.name.clone(),
            date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
            seed: built.seed,
        });
        self.collect(&staged, design.name, &built, &progress)?;
        staged.commit()?;
        drop(progress);
        self.tell(&out, design.name, &board, &built)?;
        Ok(())
    }

    fn place(
        &self,
        effort: Effort,
        board: &Board,
        source: &Source,
        constraints: &str,
        progress: &Terminal,
    ) -> Result<BoardBuild> {
        let device: Device = board.device.parse::<Device>()?.with_package(&board.package);
        let toolbox = Toolbox::ensure(BOARD_TOOLS, progress)?;
        let seeds: Vec<u64> = (1..=self.seeds).collect();
        let request = BoardRequest { source, device: &device, constraints, effort, seeds: &seeds };
        let work = WorkDirectory::of_home(&Home::from_environment()?);
        Ok(build_board(&request, &toolbox, &work, progress)?)
    }

    /// Copies the results under the design's name. A placed netlist with cells that cannot be simulated is no failure.
    fn collect(&self, staged: &Staged, name: &str, built: &BoardBuild, progress: &Terminal) -> Result<()> {
        for (from, to) in [("design.bit", "bit"), ("design.svf", "svf"), ("placed.config", "config")] {
            let to = staged.path().join(format!("{name}.{to}"));
            std::fs::copy(built.files.path.join(from), &to).with_context(|| to.display().to_string())?;
        }
        match simulation_verilog(&built.netlist) {
            Ok(text) => staged.write(&format!("{name}.placed.v"), &text)?,
            Err(error) => progress.event(Event::Note(&format!("no placed netlist for simulation: {error}"))),
        }
        staged.write("report.json", &(serde_json::to_string_pretty(&built.report)? + "\n"))?;
        staged.write("report.md", &built.report.to_markdown())?;
        staged.write("report.html", &built.report.to_html())?;
        Ok(())
    }

    fn tell(&self, out: &Path, name: &str, board: &Board, built: &BoardBuild) -> Result<()> {
        let area = &built.report.area;
        say!("{} LUT4, {} FF, {} EBR on {}", area.lut4, area.ff, area.ebr, built.report.device)?;
        for clock in &built.report.clocks {
            say!(
                "clock {}: {:.1} MHz median, {:.1} to {:.1}, needs {:.1}",
                clock.name,
                clock.fmax_mhz.median,
                clock.fmax_mhz.min,
                clock.fmax_mhz.max,
                clock.constraint_mhz
            )?;
        }
        let bitstream = out.join(format!("{name}.bit"));
        say!("timing met with seed {}", built.seed)?;
        say!("bitstream: {}", bitstream.display())?;
        say!("report:    {}", out.join("report.html").display())?;
        say!("program:   {}", board.program_command(&quoted(&bitstream)))?;
        Ok(())
    }
}

fn top_ports(design: &flitforge_elaborate::Design) -> Vec<TopPort> {
    use flitforge_boards::Direction;
    design
        .top_module()
        .ports()
        .map(|(_, signal)| TopPort {
            name: signal.name.clone(),
            width: signal.width,
            direction: match signal.kind {
                graph::SignalKind::Input => Direction::Input,
                _ => Direction::Output,
            },
        })
        .collect()
}

/// A path as one word of a shell's command.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    // Only a name with a zero byte has no such form, and no file has one.
    shlex::try_quote(&text).map_or_else(|_| text.clone(), |word| word.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_of_a_command() {
        assert_eq!(quoted(Path::new("build/link.bit")), "build/link.bit");
        assert_eq!(quoted(Path::new("my build/a'b.bit")), "\"my build/a'b.bit\"");
    }
}
