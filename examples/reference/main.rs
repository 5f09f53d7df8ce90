//! Writes the generated documents: `docs/blocks.md` and `docs/reference/constructs.md`.

mod blocks;
mod constructs;
mod source_docs;

use std::path::Path;

/// Blocks are built by value, and a whole node takes some megabytes of stack for that: more than the first thread may have.
const STACK_BYTES: usize = 128 << 20;

fn main() -> anyhow::Result<()> {
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(write)?;
    worker.join().map_err(|_| anyhow::anyhow!("the generator panicked; see above"))?
}

fn write() -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (file, text) in [(blocks::FILE, blocks::text()?), (constructs::FILE, constructs::text()?)] {
        std::fs::write(root.join(file), text)?;
        println!("{file}");
    }
    Ok(())
}
