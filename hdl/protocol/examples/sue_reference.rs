//! Writes `docs/reference/sue.md`, `sue.lua`, `flitforge_sue.h`, `flitforge_sue_port.h` and `flitforge_sue_traffic.h` from the tables of the protocol crate.

fn main() -> std::io::Result<()> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("sue.md"), flitforge_protocol::sue::reference::markdown())?;
    std::fs::write(folder.join("sue.lua"), flitforge_protocol::sue::dissector::lua())?;
    let command = "cargo run --release -p flitforge-protocol --example sue_reference";
    let pages = [
        flitforge_protocol::sue_registers::PAGE,
        flitforge_protocol::sue_port_registers::PAGE,
        flitforge_protocol::sue_traffic_registers::PAGE,
    ];
    for page in pages {
        std::fs::write(folder.join(format!("flitforge_{}.h", page.name)), page.c_header(command))?;
    }
    println!("wrote docs/reference/sue.md, sue.lua, flitforge_sue.h, flitforge_sue_port.h, flitforge_sue_traffic.h");
    Ok(())
}
