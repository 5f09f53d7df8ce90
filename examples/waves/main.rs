//! Prints the text waveform of `docs/simulation.md`.

mod picture;

fn main() -> anyhow::Result<()> {
    print!("{}", picture::text()?);
    Ok(())
}
