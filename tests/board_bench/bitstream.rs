//! What a bitstream holds, read with `ecpunpack`, beside the configuration that was placed.

use flitforge_flow::tools::Toolbox;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// A configuration's settings by tile; those of a group of tiles stand under its whole line.
pub type Tiles = BTreeMap<String, BTreeSet<String>>;

/// Reads a configuration's text.
pub fn tiles(configuration: &str) -> Tiles {
    let mut tiles = Tiles::new();
    let mut tile = String::new();
    for line in configuration.lines().filter(|line| !line.is_empty()) {
        let head = line.strip_prefix(".tile ").or_else(|| line.strip_prefix(".tile_group "));
        match head {
            Some(name) => tile = name.to_string(),
            None if line.starts_with('.') => tile.clear(),
            None => {
                tiles.entry(tile.clone()).or_default().insert(line.to_string());
            }
        }
    }
    tiles
}

/// Unpacks the bitstream `from` in `folder` into `to`.
pub fn unpack(toolbox: &Toolbox, folder: &Path, from: &str, to: &str) -> Tiles {
    tool(toolbox, "ecpunpack", folder, &["--input", from, "--textcfg", to]);
    tiles(&std::fs::read_to_string(folder.join(to)).expect("unpacked"))
}

/// Packs the configuration `from` in `folder` into the bitstream `to`.
pub fn pack(toolbox: &Toolbox, folder: &Path, from: &str, to: &str) {
    tool(toolbox, "ecppack", folder, &["--input", from, "--bit", to, "--compress"]);
}

fn tool(toolbox: &Toolbox, name: &str, folder: &Path, arguments: &[&str]) {
    let program = toolbox.path(name).expect("there");
    let output = Command::new(program).args(arguments).current_dir(folder).output().expect("started");
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A logic tile's contents of look-up tables, and its routing. Two kinds of lines stand in one of the texts only: a table of
/// all ones is the erased state, and the way from a slice to its own output is a default.
fn logic(settings: &BTreeSet<String>) -> BTreeSet<&str> {
    let counts = |line: &&str| match line.split_once(": ") {
        Some(("arc", arc)) => !arc.starts_with('F'),
        Some(("word", word)) => word.contains(".INIT ") && !word.ends_with(" 1111111111111111"),
        _ => false,
    };
    settings.iter().map(String::as_str).filter(counts).collect()
}

/// Every routing arc and every look-up table of every logic tile is the placed one; returns how many tables and arcs.
pub fn logic_is_the_placed_one(placed: &str, unpacked: &Tiles) -> (usize, usize) {
    let (mut tables, mut arcs) = (0, 0);
    for (tile, settings) in tiles(placed).iter().filter(|(tile, _)| tile.ends_with(":PLC2")) {
        let placed = logic(settings);
        assert_eq!(placed, unpacked.get(tile).map(logic).unwrap_or_default(), "{tile}");
        tables += placed.iter().filter(|line| line.starts_with("word")).count();
        arcs += placed.iter().filter(|line| line.starts_with("arc")).count();
    }
    println!("{tables} look-up tables and {arcs} routing arcs are equal");
    (tables, arcs)
}

/// Values of the words of one kind of cell, such as `DCU.`, without the kind. A word that lies in several tiles has ones
/// where a tile does not hold the bit.
pub fn words<'a>(tiles: &'a Tiles, kind: &str) -> BTreeMap<&'a str, String> {
    let mut words: BTreeMap<&str, String> = BTreeMap::new();
    let lines = tiles.values().flatten().filter_map(|line| line.strip_prefix("word: "));
    for (name, value) in lines.filter_map(|line| line.strip_prefix(kind)?.split_once(' ')) {
        let known = words.entry(name).or_insert_with(|| value.into());
        let both = |(a, b): (char, char)| if a == b { a } else { '0' };
        *known = known.chars().zip(value.chars()).map(both).collect();
    }
    words
}

/// The DCU's settings in the bitstream are all the placed ones; returns how many are not zero.
pub fn dcu_is_the_placed_one(placed: &str, unpacked: &Tiles) -> usize {
    let placed = tiles(placed);
    let (wanted, found) = (words(&placed, "DCU."), words(unpacked, "DCU."));
    let set = |words: &BTreeMap<&str, String>| -> BTreeMap<String, String> {
        let set = words.iter().filter(|(_, value)| value.contains('1'));
        set.map(|(name, value)| ((*name).to_string(), value.clone())).collect()
    };
    let (wanted, found) = (set(&wanted), set(&found));
    assert_eq!(wanted, found);
    let modes = unpacked.values().flatten().filter(|line| *line == "enum: DCU.MODE DCUA").count();
    assert!(modes > 0, "no DCU in the bitstream");
    found.len()
}
