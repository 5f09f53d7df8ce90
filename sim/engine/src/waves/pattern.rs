//! Patterns of signal paths.

/// True if `path` fits `pattern`: `*` stands for any part of one name, `**` for anything, `?` for one character.
/// A pattern without them names a signal, or everything inside an instance, bundle or register.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    if pattern.contains(['*', '?']) {
        return fits(pattern.as_bytes(), path.as_bytes());
    }
    path.strip_prefix(pattern).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

fn fits(pattern: &[u8], path: &[u8]) -> bool {
    match pattern {
        [] => path.is_empty(),
        [b'*', b'*', rest @ ..] => (0..=path.len()).any(|skip| fits(rest, &path[skip..])),
        [b'*', rest @ ..] => {
            let name = path.iter().take_while(|byte| **byte != b'.').count();
            (0..=name).any(|skip| fits(rest, &path[skip..]))
        }
        [b'?', rest @ ..] => path.first().is_some_and(|byte| *byte != b'.') && fits(rest, &path[1..]),
        [byte, rest @ ..] => path.first() == Some(byte) && fits(rest, &path[1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stop_at_dots_and_double_stars_do_not() {
        assert!(matches("link.ltp_tx.**", "link.ltp_tx.crc.state.q"));
        assert!(!matches("link.*", "link.ltp_tx.valid"));
        assert!(matches("link.*.valid", "link.ltp_tx.valid"));
        assert!(matches("lane[?].q", "lane[2].q"));
        assert!(!matches("lane[?].q", "lane[12].q"));
        assert!(matches("**", "a.b"));
        assert!(!matches("a?b", "a.b"));
    }

    #[test]
    fn a_plain_name_stands_for_what_is_inside() {
        assert!(matches("flits_in", "flits_in.data"));
        assert!(matches("lane", "lane[2].q"));
        assert!(matches("flits_in.data", "flits_in.data"));
        assert!(!matches("flits", "flits_in.data"));
        assert!(!matches("", "flits_in.data"));
    }
}
