//! `flitforge doctor`: which tools are there, and setting up those that are missing.

use crate::dry;
use crate::exit::Failure;
use crate::progress::Terminal;
use crate::say::say;
use anyhow::Result;
use clap::Args;
use flitforge_flow::tools::{self, DoctorReport, Home, Pins, Source};

/// List the tools: path, version, source and what needs them.
#[derive(Args)]
pub struct Doctor {
    /// Set up the private environments of the missing tools.
    #[arg(long)]
    fix: bool,
    /// Machine-readable.
    #[arg(long)]
    json: bool,
    /// Print only the folders of the tools, in the form of PATH; no error if one is missing.
    #[arg(long)]
    path: bool,
}

impl Doctor {
    /// Prints the report; an error if a tool is missing that building or testing needs.
    pub fn run(&self) -> Result<()> {
        if dry::is() {
            return Ok(());
        }
        let mut report = tools::doctor()?;
        if self.fix {
            let (home, pins) = (Home::from_environment()?, Pins::embedded()?);
            for group in report.missing_groups() {
                tools::set_up(&home, &pins, group, &Terminal::new())?;
            }
            report = tools::doctor()?;
        }
        if self.path {
            say!("{}", folders(&report)?)?;
            return Ok(());
        }
        if self.json {
            say!("{}", serde_json::to_string_pretty(&report)?)?;
        } else {
            print_plain(&report)?;
        }
        let missing: Vec<&str> = report.missing().iter().map(|line| line.tool.as_str()).collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(Failure::tool(format!("missing: {}", missing.join(", "))).into())
    }
}

/// The folders of the private and chosen tools, in the form of PATH.
fn folders(report: &DoctorReport) -> Result<String> {
    let found = report.tools.iter().filter_map(|line| line.found.as_ref());
    let mut folders: Vec<_> =
        found.filter(|tool| tool.source != Source::Path).filter_map(|tool| tool.path.parent()).collect();
    folders.dedup();
    Ok(std::env::join_paths(folders)?.to_string_lossy().into_owned())
}

fn print_plain(report: &DoctorReport) -> Result<()> {
    for line in &report.tools {
        match &line.found {
            Some(found) => {
                say!(
                    "{:<16} {:<10} {} (for {})",
                    line.tool,
                    found.version,
                    found.path.display(),
                    line.needed_for
                )?;
            }
            None => {
                let kind = if line.optional { "optional, not there" } else { "missing" };
                let advice = line.advice.as_deref().unwrap_or_default();
                say!("{:<16} {kind}: {advice} (for {})", line.tool, line.needed_for)?;
            }
        }
    }
    say!("private environments: {}", report.home.display())?;
    Ok(())
}
