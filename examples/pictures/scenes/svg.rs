//! A waveform as SVG: a line of clock edges, then a line for each signal.

use super::rig::{Row, Sample};
use super::Picture;

/// Height of a row, and of the signal in it.
const ROW: usize = 26;
const HIGH: usize = 16;
/// Width of a letter.
const LETTER: usize = 7;
/// Least width of a column.
const LEAST: usize = 14;
/// Height above the first row: what a column is, and its number.
const TOP: usize = 40;
const STYLE: &str = "text{font:12px monospace;fill:#111}.n{fill:#666}\
    path{fill:none;stroke:#1f4e8c;stroke-width:1.4}.v{fill:#eef3fa}.g{stroke:#d8d8d8;stroke-width:1}.t{fill:#ffe9a8}";

/// Neighbouring columns with the same sample: the first, how many, the sample.
fn runs(samples: &[Sample]) -> Vec<(usize, usize, &Sample)> {
    let mut runs: Vec<(usize, usize, &Sample)> = vec![];
    for (column, sample) in samples.iter().enumerate() {
        match runs.last_mut() {
            Some((_, length, last)) if *last == sample => *length += 1,
            _ => runs.push((column, 1, sample)),
        }
    }
    runs
}

/// The narrowest column in which every value has room.
fn column_width(rows: &[Row]) -> usize {
    let needed = rows.iter().flat_map(|row| runs(&row.samples)).map(|(_, length, sample)| match sample {
        Sample::Text(text) => (text.chars().count() * LETTER + 10).div_ceil(length),
        _ => 0,
    });
    needed.max().unwrap_or(0).max(LEAST)
}

/// The path of a signal of one bit, with its edges.
fn level(samples: &[Sample], left: usize, width: usize, top: usize) -> String {
    let height = |sample: &Sample| if *sample == Sample::Bit(true) { top } else { top + HIGH };
    let mut path = String::new();
    for (start, length, sample) in runs(samples) {
        let (x, y) = (left + start * width, height(sample));
        let begin = if start == 0 { "M" } else { "L" };
        path += &format!("{begin}{x} {y}H{}", x + length * width);
    }
    format!("<path d=\"{path}\"/>\n")
}

/// A value from column to column, with its text.
fn value(text: &str, x: usize, end: usize, top: usize) -> String {
    let (middle, bottom) = (top + HIGH / 2, top + HIGH);
    let (from, to) = (x + 3, end - 3);
    let shape = format!("M{x} {middle}L{from} {top}H{to}L{end} {middle}L{to} {bottom}H{from}Z");
    let (centre, base) = ((x + end) / 2, middle + 4);
    format!("<path class=\"v\" d=\"{shape}\"/><text x=\"{centre}\" y=\"{base}\" text-anchor=\"middle\">{text}</text>\n")
}

/// One signal: its name and what it does.
fn signal(row: &Row, left: usize, width: usize, top: usize) -> String {
    let base = top + HIGH / 2 + 4;
    let name = format!("<text x=\"{}\" y=\"{base}\" text-anchor=\"end\">{}</text>\n", left - 8, row.name);
    if row.samples.iter().all(|sample| matches!(sample, Sample::Bit(_))) {
        return name + &level(&row.samples, left, width, top);
    }
    let shapes = runs(&row.samples).into_iter().map(|(start, length, sample)| {
        let (x, end, middle) = (left + start * width, left + (start + length) * width, top + HIGH / 2);
        match sample {
            Sample::Text(text) => value(text, x, end, top),
            _ => format!("<path class=\"g\" d=\"M{x} {middle}H{end}\"/>\n"),
        }
    });
    name + &shapes.collect::<String>()
}

/// Shaded cells: the rows of a stream in the columns in which it makes a transfer.
fn transfers(picture: &Picture, left: usize, width: usize) -> String {
    let mut text = String::new();
    for stream in picture.streams {
        let of_stream = |row: &Row| row.name.strip_prefix(stream).is_some_and(|rest| rest.starts_with('.'));
        let strobes = picture.rows.iter().filter(|row| of_stream(row) && !row.name.ends_with(".data"));
        let strobes: Vec<&Row> = strobes.collect();
        for (index, _) in picture.rows.iter().enumerate().filter(|(_, row)| of_stream(row)) {
            for column in 0..columns(picture) {
                if strobes.iter().all(|row| row.samples[column] == Sample::Bit(true)) {
                    let (x, y) = (left + column * width, TOP + index * ROW);
                    text += &format!(
                        "<rect class=\"t\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{ROW}\"/>\n"
                    );
                }
            }
        }
    }
    text
}

fn columns(picture: &Picture) -> usize {
    picture.rows.first().map_or(0, |row| row.samples.len())
}

/// The columns' borders and numbers; as many numbers as have room.
fn grid(picture: &Picture, left: usize, width: usize, bottom: usize) -> String {
    let every = (3 * LETTER).div_ceil(width);
    let name = format!(
        "<text class=\"n\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n",
        left - 8,
        TOP - 14,
        picture.column
    );
    let lines = (0..=columns(picture)).map(|column| {
        let x = left + column * width;
        let number = match column % every == 0 && column < columns(picture) {
            true => format!("<text class=\"n\" x=\"{}\" y=\"{}\">{column}</text>", x + 2, TOP - 14),
            false => String::new(),
        };
        format!("<path class=\"g\" d=\"M{x} {}V{bottom}\"/>{number}\n", TOP - 8)
    });
    name + &lines.collect::<String>()
}

/// The picture as the text of an SVG file.
pub fn draw(picture: &Picture) -> String {
    let width = column_width(&picture.rows);
    let names = picture.rows.iter().map(|row| row.name.len());
    let left = names.chain([picture.column.len()]).max().unwrap_or(0) * LETTER + 24;
    let (across, down) = (left + columns(picture) * width + 12, TOP + picture.rows.len() * ROW + 8);
    let rows = picture.rows.iter().enumerate();
    let signals = rows.map(|(index, row)| signal(row, left, width, TOP + index * ROW + (ROW - HIGH) / 2));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{across}\" height=\"{down}\" \
         viewBox=\"0 0 {across} {down}\" role=\"img\">\n<title>{}</title>\n<style>{STYLE}</style>\n\
         <rect width=\"{across}\" height=\"{down}\" fill=\"#fff\"/>\n{}{}{}</svg>\n",
        picture.title,
        transfers(picture, left, width),
        grid(picture, left, width, down - 4),
        signals.collect::<String>()
    )
}
