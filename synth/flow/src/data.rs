//! Small helpers for data files: TOML with file and line in errors, hashes, atomic writes, records of a line per result.

use crate::error::{FlowError, FlowResult};
use serde::de::DeserializeOwned;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Parses TOML; an error names the file and the line.
pub fn parse<T: DeserializeOwned>(file: &str, text: &str) -> FlowResult<T> {
    toml::from_str(text).map_err(|error| FlowError::Data {
        file: file.to_string(),
        line: error.span().map_or(1, |span| line_of_offset(text, span.start)),
        message: error.message().to_string(),
    })
}

/// Reads and parses a TOML file.
pub fn load<T: DeserializeOwned>(path: &Path) -> FlowResult<(T, String)> {
    let text = std::fs::read_to_string(path).map_err(FlowError::file("read", path))?;
    Ok((parse(&path.display().to_string(), &text)?, text))
}

/// The rows of a record, which has a line of JSON for each; none if there is no such file.
pub fn read_record<T: DeserializeOwned>(path: &Path) -> FlowResult<Vec<T>> {
    if !path.exists() {
        return Ok(vec![]);
    }
    let text = std::fs::read_to_string(path).map_err(FlowError::file("read", path))?;
    let row = |(number, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| FlowError::Data {
            file: path.display().to_string(),
            line: number + 1,
            message: format!("not a line of a record: {error}"),
        })
    };
    text.lines().enumerate().map(row).collect()
}

/// Appends a row to a record.
pub fn append_record(path: &Path, row: &impl Serialize) -> FlowResult<()> {
    let failed = FlowError::file("write", path);
    let write = || {
        let line = serde_json::to_string(row).map_err(std::io::Error::other)? + "\n";
        OpenOptions::new().create(true).append(true).open(path)?.write_all(line.as_bytes())
    };
    write().map_err(failed)
}

/// The line (from 1) of a byte offset.
pub fn line_of_offset(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|&b| b == b'\n').count() + 1
}

/// The line (from 1) of the first occurrence of `needle`; 1 when there is none.
pub fn line_containing(text: &str, needle: &str) -> usize {
    text.find(needle).map_or(1, |offset| line_of_offset(text, offset))
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// The SHA-256 of several parts, each with its length, in hexadecimal.
pub fn hash_of(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hex(&hash.finalize())
}

/// What to do when the output is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Refuse with [`FlowError::OutputExists`]; an empty directory is taken.
    Refuse,
    /// Replace it, at the very end and in one step.
    Replace,
}

/// What the name of a directory being filled begins with; the number of the process follows.
const STAGING: &str = ".flitforge-";

/// Makes a directory whole or not at all: `fill` writes into a neighbour that is renamed at the end.
pub fn publish_directory<T>(
    target: &Path,
    existing: Existing,
    fill: impl FnOnce(&Path) -> FlowResult<T>,
) -> FlowResult<T> {
    let occupied = || match std::fs::read_dir(target) {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => target.symlink_metadata().is_ok(),
    };
    if existing == Existing::Refuse && occupied() {
        return Err(FlowError::OutputExists { path: target.to_path_buf() });
    }
    let parent = parent_of(target);
    std::fs::create_dir_all(&parent).map_err(FlowError::file("create", &parent))?;
    flitforge_process::sweep(&parent, STAGING, |_| true).map_err(FlowError::file("sweep", &parent))?;
    let staging = tempfile::Builder::new()
        .prefix(&format!("{STAGING}{}-", std::process::id()))
        .tempdir_in(&parent)
        .map_err(FlowError::file("write into", &parent))?;
    let fresh = staging.path().join("new");
    std::fs::create_dir(&fresh).map_err(FlowError::file("create", &fresh))?;
    let result = fill(&fresh)?;
    if target.symlink_metadata().is_ok() {
        std::fs::rename(target, staging.path().join("old")).map_err(FlowError::file("replace", target))?;
    }
    std::fs::rename(&fresh, target).map_err(FlowError::file("create", target))?;
    Ok(result)
}

/// Writes a file whole or not at all.
pub fn publish_file(target: &Path, existing: Existing, contents: &[u8]) -> FlowResult<()> {
    if target.symlink_metadata().is_ok() && existing == Existing::Refuse {
        return Err(FlowError::OutputExists { path: target.to_path_buf() });
    }
    let parent = parent_of(target);
    std::fs::create_dir_all(&parent).map_err(FlowError::file("create", &parent))?;
    let staging = tempfile::NamedTempFile::new_in(&parent).map_err(FlowError::file("write into", &parent))?;
    std::fs::write(staging.path(), contents).map_err(FlowError::file("write", target))?;
    staging.persist(target).map_err(|e| FlowError::file("write", target)(e.error))?;
    Ok(())
}

fn parent_of(target: &Path) -> PathBuf {
    match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_fill_leaves_nothing_behind() {
        let room = tempfile::tempdir().unwrap();
        let target = room.path().join("out");
        let refused: FlowResult<()> = publish_directory(&target, Existing::Refuse, |fresh| {
            std::fs::write(fresh.join("half"), "x").unwrap();
            Err(FlowError::Device { name: "d".into(), message: "m".into() })
        });
        assert!(refused.is_err());
        assert_eq!(std::fs::read_dir(room.path()).unwrap().count(), 0);
    }

    #[test]
    fn existing_output_is_refused_or_replaced_whole() {
        let room = tempfile::tempdir().unwrap();
        let target = room.path().join("out");
        std::fs::create_dir(&target).unwrap();
        std::fs::write(target.join("old"), "old").unwrap();
        let refused = publish_directory(&target, Existing::Refuse, |_| Ok(()));
        assert!(matches!(refused, Err(FlowError::OutputExists { ref path }) if *path == target));
        publish_directory(&target, Existing::Replace, |fresh| {
            std::fs::write(fresh.join("new"), "new").map_err(FlowError::file("write", fresh))
        })
        .unwrap();
        assert!(target.join("new").exists() && !target.join("old").exists());
        assert_eq!(std::fs::read_dir(room.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_place_that_cannot_be_written_is_a_clear_error() {
        let room = tempfile::tempdir().unwrap();
        let file = room.path().join("a_file");
        std::fs::write(&file, "").unwrap();
        let error = publish_directory(&file.join("out"), Existing::Replace, |_| Ok(())).unwrap_err();
        assert!(error.to_string().contains("a_file"), "{error}");
        assert_eq!(error.exit_code(), 4);
        let error =
            publish_file(Path::new("/proc/flitforge-report.json"), Existing::Replace, b"x").unwrap_err();
        assert!(error.to_string().contains("/proc"), "{error}");
    }

    #[test]
    fn a_toml_error_names_file_and_line() {
        #[derive(serde::Deserialize, Debug)]
        struct Two {
            #[allow(dead_code)]
            b: u32,
        }
        let error = parse::<Two>("x.toml", "# one\n# two\nb = \"no\"\n").unwrap_err();
        assert!(error.to_string().starts_with("x.toml:3: "), "{error}");
    }
}
