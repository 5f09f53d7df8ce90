//! Writes the pictures of `docs/protocols.md`: waveforms of blocks, simulated, as `docs/pictures/*.svg`.

mod scenes;

use std::path::Path;

fn main() -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::create_dir_all(root.join(scenes::FOLDER))?;
    for (file, text) in scenes::files()? {
        std::fs::write(root.join(&file), text)?;
        println!("{file}");
    }
    Ok(())
}
