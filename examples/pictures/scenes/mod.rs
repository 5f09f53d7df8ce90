//! The protocols between blocks, each as what a real block does in simulation.

mod bus;
mod link;
mod rig;
#[cfg(test)]
mod rules;
mod streams;
mod svg;

use rig::Row;

/// Where the pictures are.
pub const FOLDER: &str = "docs/pictures";

/// A waveform to be drawn.
pub struct Picture {
    /// Name of its file.
    name: &'static str,
    /// What it shows, for readers who cannot see it.
    title: &'static str,
    /// What a column is.
    column: &'static str,
    /// Streams whose transfers are shaded.
    streams: &'static [&'static str],
    rows: Vec<Row>,
}

/// Every picture.
fn all() -> anyhow::Result<Vec<Picture>> {
    Ok(vec![
        streams::stream()?,
        streams::flow()?,
        streams::clear()?,
        bus::register_bus()?,
        link::training()?,
        link::replay()?,
    ])
}

/// Every picture's file, from the root of the project, and its text.
pub fn files() -> anyhow::Result<Vec<(String, String)>> {
    let file = |picture: &Picture| (format!("{FOLDER}/{}.svg", picture.name), svg::draw(picture));
    Ok(all()?.iter().map(file).collect())
}
