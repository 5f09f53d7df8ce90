//! The loopback's console lines.

/// The numbers of a console line of `port_loopback_panel`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// STATUS.state.
    pub state: u64,
    /// Lanes sent on and received on.
    pub lanes: (u64, u64),
    pub mode: u64,
    pub good: u64,
    pub bad: u64,
    pub replay: u64,
    pub gaps: u64,
    pub wrong: u64,
}

impl Line {
    /// Reads a line; anything but the console's form fails.
    pub fn read(text: &str) -> Line {
        let names = ["state", "tx", "rx", "mode", "good", "bad", "replay", "gaps", "wrong"];
        let [state, tx, rx, mode, good, bad, replay, gaps, wrong] =
            numbers(text, names, [1, 1, 1, 1, 12, 12, 12, 12, 12]);
        Line { state, lanes: (tx, rx), mode, good, bad, replay, gaps, wrong }
    }
}

/// The hexadecimal numbers of `name=digits` pairs with these names and numbers of digits.
fn numbers<const N: usize>(text: &str, names: [&str; N], widths: [usize; N]) -> [u64; N] {
    let fail = || -> ! { panic!("no console line: {text:?}") };
    let body = text.strip_suffix("\r\n").unwrap_or_else(|| fail());
    let fields: Vec<(&str, &str)> =
        body.split(' ').map(|field| field.split_once('=').unwrap_or_else(|| fail())).collect();
    assert_eq!(fields.iter().map(|field| field.0).collect::<Vec<_>>(), names, "{text:?}");
    assert_eq!(fields.iter().map(|field| field.1.len()).collect::<Vec<_>>(), widths, "{text:?}");
    let upper = |digit: char| digit.is_ascii_digit() || ('A'..='F').contains(&digit);
    assert!(fields.iter().all(|field| field.1.chars().all(upper)), "{text:?}");
    std::array::from_fn(|at| u64::from_str_radix(fields[at].1, 16).unwrap_or_else(|_| fail()))
}
