//! The loopback's console line.

/// The numbers of a console line of `link_loopback_panel`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    pub good: u64,
    pub bad: u64,
    pub gaps: u64,
    pub wrong: u64,
    pub lanes: u64,
    pub mode: u64,
}

impl Line {
    /// Reads a line; anything but the console's form fails.
    pub fn read(text: &str) -> Line {
        let fail = || -> ! { panic!("no console line: {text:?}") };
        let body = text.strip_suffix("\r\n").unwrap_or_else(|| fail());
        let fields: Vec<(&str, &str)> =
            body.split(' ').map(|field| field.split_once('=').unwrap_or_else(|| fail())).collect();
        let names: Vec<&str> = fields.iter().map(|field| field.0).collect();
        assert_eq!(names, ["good", "bad", "gaps", "wrong", "lanes", "mode"], "{text:?}");
        let widths: Vec<usize> = fields.iter().map(|field| field.1.len()).collect();
        assert_eq!(widths, [12, 12, 12, 12, 1, 1], "{text:?}");
        let upper = |digit: char| digit.is_ascii_digit() || ('A'..='F').contains(&digit);
        assert!(fields.iter().all(|field| field.1.chars().all(upper)), "{text:?}");
        let number = |at: usize| u64::from_str_radix(fields[at].1, 16).unwrap_or_else(|_| fail());
        Line {
            good: number(0),
            bad: number(1),
            gaps: number(2),
            wrong: number(3),
            lanes: number(4),
            mode: number(5),
        }
    }
}
