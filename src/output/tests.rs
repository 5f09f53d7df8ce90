use super::*;
use tempfile::TempDir;

fn room() -> TempDir {
    tempfile::tempdir().expect("temporary folder")
}

/// Writes these files to `target`.
fn written(target: &Path, replace: bool, files: &[(&str, &str)]) -> Result<(), Failure> {
    let staged = Staged::new(target, replace)?;
    for (name, text) in files {
        if let Some(folder) = staged.path().join(name).parent() {
            fs::create_dir_all(folder).expect("made");
        }
        staged.write(name, text)?;
    }
    staged.commit()
}

fn refused(target: &Path, replace: bool) -> String {
    Staged::new(target, replace).err().expect("refused").to_string()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("read");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_folder_appears_whole_or_not_at_all() {
    let root = room();
    let target = root.path().join("out");
    {
        let staged = Staged::new(&target, false).expect("staged");
        staged.write("a.v", "module a; endmodule").expect("written");
    }
    assert_eq!(names(root.path()), [""; 0]);
    written(&target, false, &[("a.v", "1")]).expect("written");
    assert_eq!(fs::read_to_string(target.join("a.v")).expect("read"), "1");
    assert_eq!(names(root.path()), ["out"]);
    assert_eq!(names(&target), [MARKER, "a.v"]);
}

#[test]
fn own_output_is_replaced_only_when_asked() {
    let root = room();
    let target = root.path().join("out");
    written(&target, false, &[("old", "1"), ("both", "1"), ("deep/old", "1")]).expect("written");
    assert!(refused(&target, false).contains("--force"));
    written(&target, true, &[("new", "2"), ("both", "2")]).expect("replaced");
    assert_eq!(names(&target), [MARKER, "both", "new"]);
    assert_eq!(fs::read_to_string(target.join("both")).expect("read"), "2");
    // What is not committed changes nothing.
    drop(Staged::new(&target, true).expect("staged"));
    assert_eq!(names(&target), [MARKER, "both", "new"]);
    written(&target, true, &[("new", "3")]).expect("replaced again");
}

#[test]
fn what_belongs_to_the_user_stays_whatever_is_asked() {
    let root = room();
    let target = root.path().join("out");
    fs::create_dir_all(target.join(".git")).expect("made");
    fs::write(target.join("design.v"), "mine").expect("written");
    for replace in [false, true] {
        let message = refused(&target, replace);
        assert!(message.contains("design.v") && !message.contains("--force"), "{message}");
    }
    assert_eq!(names(&target), [".git", "design.v"]);
    // A file beside those of a folder of our own, an empty folder, and a file that was changed.
    let own = root.path().join("own");
    written(&own, false, &[("a.v", "1"), ("b.v", "1")]).expect("written");
    fs::write(own.join("notes"), "mine").expect("written");
    assert!(refused(&own, true).contains("did not write (notes)"), "{}", refused(&own, true));
    fs::remove_file(own.join("notes")).expect("removed");
    fs::create_dir(own.join("empty")).expect("made");
    assert!(refused(&own, true).contains("empty/"));
    fs::remove_dir(own.join("empty")).expect("removed");
    fs::write(own.join("b.v"), "mine").expect("written");
    assert!(refused(&own, true).contains("changed after flitforge wrote them (b.v)"));
    fs::remove_file(own.join("b.v")).expect("removed");
    written(&own, true, &[("a.v", "2")]).expect("a file that is gone is in nobody's way");
}

#[test]
fn links_and_files_in_the_way_are_named() {
    let root = room();
    let file = root.path().join("file");
    fs::write(&file, "").expect("written");
    assert!(refused(&file, true).contains("is no folder"));
    assert!(refused(&file.join("out"), true).contains("give a folder to --out"));
    let (folder, link) = (root.path().join("folder"), root.path().join("link"));
    fs::create_dir(&folder).expect("made");
    std::os::unix::fs::symlink(&folder, &link).expect("linked");
    assert!(refused(&link, true).contains("is a link"));
    assert!(link.is_symlink() && folder.is_dir());
}

#[test]
fn an_empty_folder_is_filled_and_stays_the_same_one() {
    use std::os::unix::fs::MetadataExt as _;
    let root = room();
    let before = fs::metadata(root.path()).expect("there").ino();
    written(root.path(), false, &[("a.v", "1"), ("deep/b.v", "2")]).expect("written");
    assert_eq!(names(root.path()), [MARKER, "a.v", "deep"]);
    assert_eq!(fs::metadata(root.path()).expect("there").ino(), before);
    let dot = root.path().join(".");
    written(&dot, true, &[("a.v", "3")]).expect("replaced");
    assert_eq!(names(root.path()), [MARKER, "a.v"]);
}

#[test]
fn what_a_killed_process_left_is_swept_and_nothing_else() {
    let root = room();
    // No process has such a number.
    let (stale, alive) = (root.path().join(".out.partial-4194999"), root.path().join(".out.partial-1"));
    let other = root.path().join(".mine.partial-4194999");
    let unmarked = root.path().join(".out.partial-4194998");
    for folder in [&stale, &alive, &other, &unmarked] {
        fs::create_dir(folder).expect("made");
    }
    Marker::default().write(&stale).expect("written");
    Marker::default().write(&alive).expect("written");
    written(&root.path().join("out"), false, &[("a.v", "1")]).expect("written");
    assert!(
        !stale.exists() && alive.exists() && other.exists() && unmarked.exists(),
        "{:?}",
        names(root.path())
    );
}
