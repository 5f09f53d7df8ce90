//! The bitstream, with a read-back check.

use super::cache::{Finished, WorkDirectory};
use crate::error::{FlowError, FlowResult};
use crate::process::ToolRun;
use crate::tools::Toolbox;
use std::path::Path;

/// Packs a placed configuration into `design.bit` and `design.svf`.
///
/// Check: the bitstream is unpacked and packed again, and has to come out bit for bit. (The unpacked text itself also
/// names settings that are all zeros, so the two texts differ by defaults.) The unpacker reads no `.sysconfig`
/// settings (the configuration port's clock and voltage), so those are carried over.
pub fn pack(
    configuration: &str,
    subject: &str,
    toolbox: &Toolbox,
    work: &WorkDirectory,
) -> FlowResult<Finished> {
    let version = format!("{:?}", toolbox.versions().get("ecppack"));
    work.run("pack", &[configuration.as_bytes(), version.as_bytes()], |directory| {
        let path = directory.join("placed.config");
        std::fs::write(&path, configuration).map_err(FlowError::file("write", path))?;
        let run = |tool: &'static str, arguments: &[&str], log: &str| {
            let run = ToolRun {
                tool,
                program: toolbox.path(tool)?,
                arguments: arguments.iter().map(|a| (*a).to_string()).collect(),
                directory,
                subject,
                log,
                path_front: toolbox.path_front(),
            };
            run.run()
        };
        let packed = ["--input", "placed.config", "--bit", "design.bit", "--svf", "design.svf", "--compress"];
        run("ecppack", &packed, "ecppack.log")?;
        run("ecpunpack", &["--input", "design.bit", "--textcfg", "unpacked.config"], "ecpunpack.log")?;
        carry_system_settings(configuration, &directory.join("unpacked.config"))?;
        run(
            "ecppack",
            &["--input", "unpacked.config", "--bit", "again.bit", "--compress"],
            "ecppack-again.log",
        )?;
        compare(directory, subject)?;
        std::fs::remove_file(directory.join("again.bit")).map_err(FlowError::file("remove", directory))
    })
}

/// Adds the placed configuration's `.sysconfig` lines to the unpacked one.
fn carry_system_settings(placed: &str, unpacked: &Path) -> FlowResult<()> {
    let settings: Vec<&str> = placed.lines().filter(|line| line.starts_with(".sysconfig ")).collect();
    let text = std::fs::read_to_string(unpacked).map_err(FlowError::file("read", unpacked))?;
    let (device, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let joined = [&[device], settings.as_slice(), &[rest]].concat().join("\n");
    std::fs::write(unpacked, joined).map_err(FlowError::file("write", unpacked))
}

fn compare(directory: &Path, subject: &str) -> FlowResult<()> {
    let read = |name: &str| {
        let path = directory.join(name);
        std::fs::read(&path).map_err(FlowError::file("read", path))
    };
    let (first, again) = (read("design.bit")?, read("again.bit")?);
    if first.is_empty() {
        return Err(mismatch(subject, "the bitstream is empty".into()));
    }
    let differs = first.iter().zip(&again).position(|(a, b)| a != b);
    match differs.or((first.len() != again.len()).then(|| first.len().min(again.len()))) {
        None => Ok(()),
        Some(offset) => Err(mismatch(
            subject,
            format!(
                "byte {offset} of {} differs after unpacking and packing again ({})",
                first.len(),
                again.len()
            ),
        )),
    }
}

fn mismatch(subject: &str, first_difference: String) -> FlowError {
    FlowError::PackMismatch { block: subject.into(), first_difference }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bitstream_that_reads_back_differently_is_refused() {
        let room = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| std::fs::write(room.path().join(name), bytes).unwrap();
        write("design.bit", &[1, 2, 3]);
        write("again.bit", &[1, 2, 3]);
        compare(room.path(), "board").unwrap();
        write("again.bit", &[1, 9, 3]);
        assert!(compare(room.path(), "board").unwrap_err().to_string().contains("byte 1 of 3"));
        write("again.bit", &[1, 2]);
        assert!(matches!(compare(room.path(), "board"), Err(FlowError::PackMismatch { .. })));
        write("design.bit", &[]);
        assert!(compare(room.path(), "board").unwrap_err().to_string().contains("empty"));
    }
}
