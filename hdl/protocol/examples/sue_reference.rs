//! Writes `docs/reference/sue.md` and `docs/reference/sue.lua` from the tables of the protocol crate.

fn main() -> std::io::Result<()> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("sue.md"), flitforge_protocol::sue::reference::markdown())?;
    std::fs::write(folder.join("sue.lua"), flitforge_protocol::sue::dissector::lua())?;
    println!("wrote docs/reference/sue.md, sue.lua");
    Ok(())
}
