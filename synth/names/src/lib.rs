//! What a name that is unknown was probably meant to be.

/// Names of a suggestion at most.
const MOST: usize = 3;
/// Likeness from which a name is worth naming, of 1 for equal ones.
const LIKE: f64 = 0.8;

/// The known names that are most like `name`, the most like first: at most three, and none if none is like it. A name that
/// contains the other one is like it.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let plain = |name: &str| name.to_ascii_lowercase().replace('-', "_");
    let name = plain(name);
    let mut rated: Vec<(f64, &str)> = known
        .into_iter()
        .map(|known| {
            let other = plain(known);
            let within = name.len() > 2 && (other.contains(&name) || name.contains(&other));
            (strsim::jaro_winkler(&name, &other) + if within { 1.0 } else { 0.0 }, known)
        })
        .filter(|(likeness, _)| *likeness >= LIKE)
        .collect();
    rated.sort_by(|one, other| other.0.total_cmp(&one.0));
    rated.into_iter().take(MOST).map(|(_, known)| known).collect()
}

/// A clause for an error: "did you mean `link_port` or `link_lane_tx`?", or `instead` if no name is like it.
pub fn hint<'a>(name: &str, known: impl IntoIterator<Item = &'a str>, instead: &str) -> String {
    let names: Vec<String> = nearest(name, known).into_iter().map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        None => instead.into(),
        Some((only, [])) => format!("did you mean {only}?"),
        Some((last, others)) => format!("did you mean {} or {last}?", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 6] = ["link_port", "link_lane_tx", "link_lane_rx", "counter", "skid", "async_fifo"];

    #[test]
    fn slips_and_parts_find_the_name() {
        assert_eq!(nearest("link_prot", KNOWN)[0], "link_port");
        assert_eq!(nearest("conter", KNOWN), ["counter"]);
        assert_eq!(nearest("fifo", KNOWN), ["async_fifo"]);
        assert_eq!(nearest("Link-Port", KNOWN)[0], "link_port");
        assert_eq!(nearest("zebra", KNOWN), [""; 0]);
    }

    #[test]
    fn the_hint_is_a_clause() {
        assert_eq!(hint("conter", KNOWN, "see the list"), "did you mean `counter`?");
        assert_eq!(hint("zebra", KNOWN, "see the list"), "see the list");
        assert_eq!(hint("lane_tx", KNOWN, ""), "did you mean `link_lane_tx`?");
    }
}
