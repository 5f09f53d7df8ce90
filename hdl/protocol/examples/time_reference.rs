//! Writes `docs/reference/time.md` from the tables of the protocol crate.

fn main() -> std::io::Result<()> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("time.md");
    std::fs::write(&file, flitforge_protocol::time_reference::markdown())?;
    println!("wrote docs/reference/time.md");
    Ok(())
}
