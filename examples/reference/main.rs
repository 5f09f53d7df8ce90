//! Writes the generated documents: `docs/blocks.md` and `docs/blocks`, `docs/reference/constructs.md` and `docs/records/verilog.sha256`.
//! With the argument `graphs` it prints the digest of every typed graph instead, with `ports` the ports that the sources say nothing of, with
//! `texts FOLDER` it writes the Verilog of every block and preset, and of every design and board, to files, so that two states can be compared.

mod blocks;
mod constructs;
mod manifest;
mod rows;
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
        Some("ports") => {
            blocks::ports_without_meaning()?.iter().for_each(|port| println!("{port}"));
            return Ok(());
        }
        Some("texts") => {
            let folder = std::env::args().nth(2).ok_or_else(|| anyhow::anyhow!("`texts` needs a folder"))?;
            println!("{} files in {folder}", manifest::write_texts(Path::new(&folder))?);
            return Ok(());
        }
        Some(other) => {
            anyhow::bail!("unknown argument `{other}`: none, `graphs`, `ports` or `texts FOLDER`")
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut written = blocks::files()?;
    written.push((constructs::FILE.to_owned(), constructs::text()?));
    written.push((manifest::FILE.to_owned(), manifest::text()?));
    std::fs::create_dir_all(root.join("docs/blocks"))?;
    for (file, text) in written {
        std::fs::write(root.join(&file), text)?;
        println!("{file}");
    }
    Ok(())
}
