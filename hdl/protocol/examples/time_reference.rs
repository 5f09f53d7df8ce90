//! Writes `docs/reference/time.md` and `docs/reference/flitforge_time.h` from the tables of the protocol crate.

fn main() -> std::io::Result<()> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("time.md");
    std::fs::write(&file, flitforge_protocol::time_reference::markdown())?;
    let command = "cargo run --release -p flitforge-protocol --example time_reference";
    std::fs::write(
        folder.join("flitforge_time.h"),
        flitforge_protocol::time_registers::PAGE.c_header(command),
    )?;
    println!("wrote docs/reference/time.md and flitforge_time.h");
    Ok(())
}
