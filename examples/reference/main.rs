//! Writes the generated documents: `docs/blocks.md` and `docs/reference/constructs.md`.

mod blocks;
mod constructs;
mod source_docs;

use std::path::Path;

fn main() -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (file, text) in [(blocks::FILE, blocks::text()?), (constructs::FILE, constructs::text()?)] {
        std::fs::write(root.join(file), text)?;
        println!("{file}");
    }
    Ok(())
}
