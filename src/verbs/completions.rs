//! `flitforge completions`: what a shell needs to complete the command line.

use crate::say;
use anyhow::Result;
use clap::{Args, Command};
use clap_complete::{generate, Shell};

/// Print the completions of a shell, to be read by it: `flitforge completions bash > ~/.local/share/bash-completion/completions/flitforge`.
#[derive(Args)]
pub struct Completions {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    /// Prints.
    pub fn run(&self, command: &mut Command) -> Result<()> {
        let mut text = vec![];
        generate(self.shell, command, "flitforge", &mut text);
        say::text(format_args!("{}", String::from_utf8_lossy(&text)))?;
        Ok(())
    }
}
