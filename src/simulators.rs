//! Verilator for the verbs that simulate with it.

use crate::progress::Terminal;
use anyhow::Result;
use flitforge_flow::tools::Toolbox;

/// Finds Verilator where all verbs look for their tools, sets it up if it is missing, and puts it into this process's
/// PATH, where the simulators look. If that fails the reason is printed, and what needs Verilator says that it is missing.
pub fn provide_verilator() -> Result<()> {
    let toolbox = match Toolbox::ensure(&["verilator"], &Terminal::new()) {
        Ok(toolbox) => toolbox,
        Err(error) => {
            eprintln!("Verilator cannot be used: {error}");
            return Ok(());
        }
    };
    let before = std::env::var_os("PATH").unwrap_or_default();
    let folders = toolbox.path_front().iter().cloned().chain(std::env::split_paths(&before));
    std::env::set_var("PATH", std::env::join_paths(folders)?);
    Ok(())
}
