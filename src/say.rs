//! Standard output. What cannot be written there is an error like that of any other file, not a panic.

use crate::exit::Failure;
use std::fmt::Arguments;
use std::io::Write as _;

/// Writes text.
pub fn text(text: Arguments<'_>) -> Result<(), Failure> {
    let mut output = std::io::stdout().lock();
    let written = output.write_fmt(text).and_then(|()| output.flush());
    written.map_err(|error| Failure::files(format!("standard output: {error}")))
}

/// Writes a line, as `println!` does; a failure is the value.
macro_rules! say {
    ($($text:tt)*) => {
        $crate::say::text(format_args!("{}\n", format_args!($($text)*)))
    };
}
pub(crate) use say;
