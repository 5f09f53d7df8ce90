//! Output folders that are there whole or not at all, and that take nothing away from the user.
//!
//! A folder is filled beside its place, or inside it if it is there, and put in place in the end. What was written is listed in the
//! folder's [`Marker`]; only what stands there, and as it was written, is ever replaced. A folder that a killed process has
//! left half filled is removed by the next one that writes at the same place.

mod marker;
#[cfg(test)]
mod tests;

use crate::exit::Failure;
use marker::{Marker, Strangers, MARKER};
use std::fs;
use std::path::{Path, PathBuf};

/// What the name of a folder being filled has before the number of the process.
const PARTIAL: &str = ".partial-";
/// Files named in a message.
const NAMED: usize = 3;

/// A folder being filled; [`Staged::commit`] puts it in place. Dropped without commit, nothing is left behind.
pub struct Staged {
    temporary: PathBuf,
    target: PathBuf,
    /// What stands in the target and is to be replaced.
    old: Marker,
}

impl Staged {
    /// Prepares to write `target`. A folder with something in it is refused, unless this program wrote all of it, it has not been
    /// changed since, and `replace` says so. Links are refused.
    pub fn new(target: &Path, replace: bool) -> Result<Self, Failure> {
        let shown = target.display();
        let failed =
            |error: std::io::Error| Failure::files(format!("{shown}: {error}; give a folder to --out"));
        let old = match fs::symlink_metadata(target) {
            Err(_) => None,
            Ok(found) if found.file_type().is_symlink() => {
                return Err(Failure::files(format!("{shown} is a link; give the folder itself to --out")));
            }
            Ok(found) if !found.is_dir() => {
                return Err(Failure::files(format!("{shown} is no folder; give a folder to --out")));
            }
            Ok(_) => Some(replaced(target, replace)?),
        };
        let parent = match (&old, target.parent()) {
            (Some(_), _) => target,
            (None, Some(parent)) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let name = target.file_name().filter(|_| old.is_none());
        let name = name.map(|name| format!(".{}", name.to_string_lossy())).unwrap_or_default();
        let front = format!("{name}{PARTIAL}");
        flitforge_process::sweep(parent, &front, |path| path.join(MARKER).is_file()).map_err(failed)?;
        let temporary = parent.join(format!("{front}{}", std::process::id()));
        fs::create_dir_all(&temporary).map_err(|error| {
            Failure::files(format!("cannot write below {}: {error}; choose another --out", parent.display()))
        })?;
        let staged = Self { temporary, target: target.into(), old: old.unwrap_or_default() };
        // So that it is known for one of this program's if nobody is left to remove it.
        Marker::default().write(&staged.temporary)?;
        Ok(staged)
    }

    /// The folder to write into.
    pub fn path(&self) -> &Path {
        &self.temporary
    }

    /// Writes one file.
    pub fn write(&self, name: &str, content: &(impl AsRef<[u8]> + ?Sized)) -> Result<(), Failure> {
        let path = self.temporary.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)
                .map_err(|error| Failure::files(format!("{}: {error}", folder.display())))?;
        }
        fs::write(&path, content).map_err(|error| Failure::files(format!("{}: {error}", path.display())))
    }

    /// Puts the folder in its place.
    pub fn commit(self) -> Result<(), Failure> {
        let failed = |error: std::io::Error| Failure::files(format!("{}: {error}", self.target.display()));
        let new = Marker::of(&self.temporary)?;
        if !self.target.exists() {
            new.write(&self.temporary)?;
            return fs::rename(&self.temporary, &self.target).map_err(failed);
        }
        // Both stand there for a moment.
        self.old.joined(&new).write(&self.target)?;
        for path in self.old.paths().filter(|path| !new.paths().any(|kept| kept == *path)) {
            remove(&self.target, path).map_err(failed)?;
        }
        for path in new.paths() {
            let place = self.target.join(path);
            if let Some(folder) = place.parent() {
                fs::create_dir_all(folder).map_err(failed)?;
            }
            fs::rename(self.temporary.join(path), place).map_err(failed)?;
        }
        new.write(&self.target)
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.temporary);
    }
}

/// The marker of a folder that may be filled: an empty one, or one that this program wrote and that `replace` gives up.
fn replaced(target: &Path, replace: bool) -> Result<Marker, Failure> {
    let shown = target.display();
    let marker = Marker::read(target);
    let Strangers { foreign, changed } = marker.clone().unwrap_or_default().strangers(target)?;
    let other = "choose another --out";
    if !foreign.is_empty() {
        let what = if marker.is_some() {
            "has files that flitforge did not write"
        } else {
            "is not empty and not flitforge's"
        };
        return Err(Failure::files(format!("{shown} {what} ({}); {other}", named(&foreign))));
    }
    if !changed.is_empty() {
        let advice = format!("move them away or {other}");
        return Err(Failure::files(format!(
            "{shown}: files were changed after flitforge wrote them ({}); {advice}",
            named(&changed)
        )));
    }
    let marker = marker.unwrap_or_default();
    if marker.paths().next().is_some() && !replace {
        return Err(Failure::files(format!(
            "{shown} exists and is not empty; {other} or add --force to replace it"
        )));
    }
    Ok(marker)
}

fn named(files: &[String]) -> String {
    let more = files.len().saturating_sub(NAMED);
    let shown = files[..files.len() - more].join(", ");
    if more > 0 {
        format!("{shown} and {more} more")
    } else {
        shown
    }
}

/// Removes a listed file, and folders that are empty then.
fn remove(folder: &Path, path: &str) -> std::io::Result<()> {
    let file = folder.join(path);
    match fs::remove_file(&file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => (),
    }
    for inner in Path::new(path).ancestors().skip(1).filter(|inner| !inner.as_os_str().is_empty()) {
        if fs::remove_dir(folder.join(inner)).is_err() {
            break;
        }
    }
    Ok(())
}

/// A folder that some process fills, or was filling.
fn is_partial(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let number = name.starts_with('.').then(|| name.rsplit_once(PARTIAL)).flatten();
    number.is_some_and(|(_, number)| number.parse::<u32>().is_ok())
}
