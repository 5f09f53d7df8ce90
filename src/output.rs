//! Output folders that are there whole or not at all.

use crate::exit::Failure;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder being filled beside its final place; [`Staged::commit`] moves it there in one step. Dropped
/// without commit, nothing is left behind.
pub struct Staged {
    temporary: PathBuf,
    target: PathBuf,
    done: bool,
}

impl Staged {
    /// Prepares to write `target`. A folder with files in it is refused unless `replace`.
    pub fn new(target: &Path, replace: bool) -> Result<Self, Failure> {
        let shown = target.display();
        if target.exists() {
            let empty = fs::read_dir(target)
                .map_err(|error| Failure::files(format!("{shown}: {error}; give a folder to --out")))?
                .next()
                .is_none();
            if !empty && !replace {
                return Err(Failure::files(format!(
                    "{shown} exists and is not empty; choose another --out or add --force to replace it"
                )));
            }
        }
        let parent = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let name = target.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let temporary = parent.join(format!(".{name}.partial-{}", std::process::id()));
        fs::create_dir_all(&temporary).map_err(|error| {
            Failure::files(format!("cannot write below {}: {error}; choose another --out", parent.display()))
        })?;
        Ok(Self { temporary, target: target.into(), done: false })
    }

    /// The folder to write into.
    pub fn path(&self) -> &Path {
        &self.temporary
    }

    /// Writes one file.
    pub fn write(&self, name: &str, text: &str) -> Result<(), Failure> {
        let path = self.temporary.join(name);
        fs::write(&path, text).map_err(|error| Failure::files(format!("{}: {error}", path.display())))
    }

    /// Puts the folder in its place.
    pub fn commit(mut self) -> Result<(), Failure> {
        let failed = |error: std::io::Error| Failure::files(format!("{}: {error}", self.target.display()));
        let old = self.temporary.with_extension("old");
        if self.target.exists() {
            fs::rename(&self.target, &old).map_err(failed)?;
        }
        fs::rename(&self.temporary, &self.target).map_err(failed)?;
        self.done = true;
        if old.exists() {
            fs::remove_dir_all(&old).map_err(failed)?;
        }
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.done {
            let _ = fs::remove_dir_all(&self.temporary);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_appears_whole_or_not_at_all() {
        let root = tempfile::tempdir().expect("temporary folder");
        let target = root.path().join("out");
        {
            let staged = Staged::new(&target, false).expect("staged");
            staged.write("a.v", "module a; endmodule").expect("written");
        }
        assert_eq!(fs::read_dir(root.path()).expect("read").count(), 0);
        let staged = Staged::new(&target, false).expect("staged");
        staged.write("a.v", "1").expect("written");
        staged.commit().expect("committed");
        assert_eq!(fs::read_to_string(target.join("a.v")).expect("read"), "1");
    }

    #[test]
    fn existing_output_is_replaced_only_when_asked() {
        let root = tempfile::tempdir().expect("temporary folder");
        let target = root.path().join("out");
        fs::create_dir(&target).expect("created");
        fs::write(target.join("precious"), "").expect("written");
        let refused = Staged::new(&target, false).err().expect("refused").to_string();
        assert!(refused.contains("--force"), "{refused}");
        let staged = Staged::new(&target, true).expect("staged");
        staged.write("new", "").expect("written");
        staged.commit().expect("committed");
        assert!(!target.join("precious").exists() && target.join("new").exists());
        assert_eq!(fs::read_dir(root.path()).expect("read").count(), 1);
    }

    #[test]
    fn a_file_in_the_way_is_named() {
        let root = tempfile::tempdir().expect("temporary folder");
        let file = root.path().join("file");
        fs::write(&file, "").expect("written");
        assert!(Staged::new(&file, true).err().expect("refused").to_string().contains("file"));
        let below = Staged::new(&file.join("out"), true).err().expect("refused").to_string();
        assert!(below.contains("choose another --out"), "{below}");
    }
}
