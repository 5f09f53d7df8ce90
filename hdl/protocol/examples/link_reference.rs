//! Writes `docs/reference/link.md` and `docs/reference/flitforge_link.h` from the tables of the protocol crate.

fn main() -> std::io::Result<()> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("link.md");
    std::fs::write(&file, flitforge_protocol::reference::markdown())?;
    let command = "cargo run --release -p flitforge-protocol --example link_reference";
    std::fs::write(
        folder.join("flitforge_link.h"),
        flitforge_protocol::link_registers::PAGE.c_header(command),
    )?;
    println!("wrote docs/reference/link.md and flitforge_link.h");
    Ok(())
}
