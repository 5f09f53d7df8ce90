//! Timing constraints of the places where data cross from clock to clock, from the catalogue's templates.

use super::{Member, VERSION};
use anyhow::{Context, Result};
use flitforge_elaborate::check::{CrossingCatalogue, FoundCrossing};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// For Vivado, read into the scope of the block.
pub fn xdc(member: &Member, catalogue: &CrossingCatalogue) -> Result<String> {
    let top = member.emitted.top();
    let mut text = format!(
        "# Clock crossings of {top}, written by flitforge {VERSION}.\n\
         # Read it with `read_xdc -ref {top} {top}.xdc`, after the clocks are made.\n"
    );
    for crossing in &member.crossings {
        let kind = catalogue.crossing.iter().find(|kind| kind.block == crossing.block);
        let kind = kind.with_context(|| format!("{}: no crossing of the catalogue", crossing.block))?;
        let port =
            |path| member.emitted.port_name(path).with_context(|| format!("{path}: a clock that is no port"));
        let clock = |path| Ok::<_, anyhow::Error>(format!("-of_objects [get_ports {}]", port(path)?));
        let (from, to) = (clock(&crossing.from)?, clock(&crossing.to)?);
        let faster = format!("[get_property -min PERIOD [get_clocks {from}]]");
        let slower = format!("[get_property -min PERIOD [get_clocks {to}]]");
        let line = match crossing.instance.is_empty() {
            true => kind.xilinx.replace("{instance}/*", "*").replace("{instance}/", "*"),
            false => kind.xilinx.replace("{instance}", &format!("*{}", crossing.instance.join("/"))),
        };
        let line = line.replace("{from}", &from);
        let line = line.replace("{period}", &format!("[expr min({faster}, {slower})]"));
        writeln!(text, "# {}: {}\n{line}", place(crossing), kind.safe)?;
    }
    Ok(text)
}

/// For tools that read SDC: a pair of clocks at a time, because that is what all of them have in common.
pub fn sdc(member: &Member, catalogue: &CrossingCatalogue) -> Result<String> {
    let top = member.emitted.top();
    let mut pairs: BTreeMap<(&str, &str), BTreeSet<String>> = BTreeMap::new();
    for crossing in &member.crossings {
        let places = pairs.entry((&crossing.from, &crossing.to)).or_default();
        places.insert(format!("{} ({})", place(crossing), crossing.block));
    }
    let mut text = format!(
        "# Clock crossings of {top}, written by flitforge {VERSION}. Read it after the clocks are made, with their names and the\n\
         # shorter period in nanoseconds in these variables. Paths between two clocks of one PLL are not among them.\n\
         # Each line holds for all paths between the two clocks: crossings of your own need a look of their own.\n"
    );
    let clocks: BTreeSet<&str> = pairs.keys().flat_map(|(from, to)| [*from, *to]).collect();
    for path in &clocks {
        let port =
            member.emitted.port_name(path).with_context(|| format!("{path}: a clock that is no port"))?;
        writeln!(text, "if {{![info exists {port}_name]}} {{ set {port}_name {port} }}")?;
    }
    let variable = "crossing_ns";
    let advice = format!("set {variable} to the shorter period of the clocks that cross, in nanoseconds");
    writeln!(text, "if {{![info exists {variable}]}} {{ error \"{advice}\" }}")?;
    for ((from, to), places) in &pairs {
        let bounded = places.iter().any(|place| {
            catalogue.crossing.iter().any(|kind| {
                kind.xilinx.contains("set_max_delay") && place.ends_with(&format!("({})", kind.block))
            })
        });
        let name = |path| member.emitted.port_name(path).unwrap_or_default();
        let clocks = format!("-from [get_clocks ${}_name] -to [get_clocks ${}_name]", name(from), name(to));
        for place in places {
            writeln!(text, "# {place}")?;
        }
        match bounded {
            // Words and Gray pointers cross side by side: none may be a period later than another.
            true => writeln!(text, "set_max_delay ${variable} {clocks}\nset_false_path -hold {clocks}")?,
            false => writeln!(text, "set_false_path {clocks}")?,
        }
    }
    Ok(text)
}

fn place(crossing: &FoundCrossing) -> &str {
    match crossing.path.as_str() {
        "" => "the block itself",
        path => path,
    }
}
