//! Writes `docs/reference/link.md` from the tables of the protocol crate.

fn main() -> std::io::Result<()> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("link.md");
    std::fs::write(&file, flitforge_protocol::reference::markdown())?;
    println!("wrote docs/reference/link.md");
    Ok(())
}
