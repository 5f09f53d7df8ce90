//! Writes `docs/reference/link.md`, `flitforge_link.h` and `flitforge_switch.h` from the tables of the protocol crate.

fn main() -> std::io::Result<()> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("link.md");
    std::fs::write(&file, flitforge_protocol::reference::markdown())?;
    let command = "cargo run --release -p flitforge-protocol --example link_reference";
    for page in [flitforge_protocol::link_registers::PAGE, flitforge_protocol::switch_registers::PAGE] {
        std::fs::write(folder.join(format!("flitforge_{}.h", page.name)), page.c_header(command))?;
    }
    println!("wrote docs/reference/link.md, flitforge_link.h and flitforge_switch.h");
    Ok(())
}
