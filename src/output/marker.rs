//! What this program wrote into a folder: the files and their digests, in a file of that folder.

use crate::exit::Failure;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Name of the file.
pub const MARKER: &str = ".flitforge";
/// Its first line; the others are as `sha256sum` writes them.
const HEAD: &str =
    "# Written by flitforge. It replaces these files if they are as it wrote them, and no others.";

/// Files by their path in the folder, each with the digests it may have.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Marker {
    files: BTreeMap<String, BTreeSet<String>>,
}

/// What stands in a folder beside the files of its marker.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Strangers {
    /// Not listed.
    pub foreign: Vec<String>,
    /// Listed, with another content.
    pub changed: Vec<String>,
}

impl Marker {
    /// The marker of a folder; `None` if it has none.
    pub fn read(folder: &Path) -> Option<Marker> {
        let text = fs::read_to_string(folder.join(MARKER)).ok()?;
        let mut lines = text.lines();
        (lines.next() == Some(HEAD)).then_some(())?;
        let mut marker = Marker::default();
        for (digest, path) in lines.filter_map(|line| line.split_once("  ")) {
            marker.files.entry(path.into()).or_default().insert(digest.into());
        }
        Some(marker)
    }

    /// A marker for all files of a folder.
    pub fn of(folder: &Path) -> Result<Marker, Failure> {
        let mut marker = Marker::default();
        for path in files(folder)? {
            let digest = digest(&folder.join(&path))?;
            marker.files.entry(path).or_default().insert(digest);
        }
        Ok(marker)
    }

    /// With what another one lists.
    pub fn joined(&self, other: &Marker) -> Marker {
        let mut joined = self.clone();
        for (path, digests) in &other.files {
            joined.files.entry(path.clone()).or_default().extend(digests.iter().cloned());
        }
        joined
    }

    /// Writes it into a folder.
    pub fn write(&self, folder: &Path) -> Result<(), Failure> {
        let mut text = format!("{HEAD}\n");
        for (path, digests) in &self.files {
            digests.iter().for_each(|digest| text += &format!("{digest}  {path}\n"));
        }
        let path = folder.join(MARKER);
        fs::write(&path, text).map_err(|error| Failure::files(format!("{}: {error}", path.display())))
    }

    /// The files it lists, by their path in the folder.
    pub fn paths(&self) -> impl Iterator<Item = &String> {
        self.files.keys()
    }

    /// What of the folder is not as this marker has it. A file that is gone is no stranger.
    pub fn strangers(&self, folder: &Path) -> Result<Strangers, Failure> {
        let mut strangers = Strangers::default();
        for path in files(folder)? {
            match self.files.get(&path) {
                None => strangers.foreign.push(path),
                Some(digests) if !digests.contains(&digest(&folder.join(&path))?) => {
                    strangers.changed.push(path)
                }
                Some(_) => (),
            }
        }
        Ok(strangers)
    }
}

/// All that is in a folder and no folder itself, links included, by its path there; the marker and folders being filled left out.
fn files(folder: &Path) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    let mut waiting = vec![PathBuf::new()];
    while let Some(inner) = waiting.pop() {
        let here = folder.join(&inner);
        let failed = |error: std::io::Error| Failure::files(format!("{}: {error}", here.display()));
        let mut entries = 0;
        for entry in fs::read_dir(&here).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            entries += 1;
            let path = inner.join(entry.file_name());
            let name = path.to_string_lossy().into_owned();
            if inner.as_os_str().is_empty() && (name == MARKER || super::is_partial(&entry.path())) {
                continue;
            }
            match entry.file_type().map_err(failed)?.is_dir() {
                true => waiting.push(path),
                false => found.push(name),
            }
        }
        if entries == 0 && !inner.as_os_str().is_empty() {
            // An empty folder is something of the user's too.
            found.push(inner.to_string_lossy().into_owned() + "/");
        }
    }
    found.sort();
    Ok(found)
}

/// SHA-256 of a file in hexadecimal digits; of a link, of where it leads; empty for what is neither.
fn digest(path: &Path) -> Result<String, Failure> {
    let failed = |error: std::io::Error| Failure::files(format!("{}: {error}", path.display()));
    let kind = fs::symlink_metadata(path).map_err(failed)?.file_type();
    let bytes = if kind.is_file() {
        fs::read(path).map_err(failed)?
    } else if kind.is_symlink() {
        let target = fs::read_link(path).map_err(failed)?;
        format!("link to {}", target.display()).into_bytes()
    } else {
        return Ok(String::new());
    };
    Ok(Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}
