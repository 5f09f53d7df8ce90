//! Writes the generated documents: `docs/blocks.md`, `docs/reference/constructs.md`, `docs/records/verilog.sha256` and
//! `docs/records/ports.json`.
//! With the argument `graphs` it prints the digest of every typed graph instead.

mod blocks;
mod constructs;
mod manifest;
mod ports;
mod source_docs;

use std::path::Path;

/// Blocks are built by value, and a whole node takes some megabytes of stack for that: more than the first thread may have.
const STACK_BYTES: usize = 128 << 20;

fn main() -> anyhow::Result<()> {
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(write)?;
    worker.join().map_err(|_| anyhow::anyhow!("the generator panicked; see above"))?
}

fn write() -> anyhow::Result<()> {
    match std::env::args().nth(1).as_deref() {
        None => {}
        Some("graphs") => {
            print!("{}", manifest::graphs()?);
            return Ok(());
        }
        Some(other) => anyhow::bail!("unknown argument `{other}`: none, or `graphs`"),
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let written = [
        (blocks::FILE, blocks::text()?),
        (constructs::FILE, constructs::text()?),
        (manifest::FILE, manifest::text()?),
        (ports::FILE, ports::text()?),
    ];
    for (file, text) in written {
        std::fs::write(root.join(file), text)?;
        println!("{file}");
    }
    Ok(())
}
