//! Frames through tshark with the dissector of `docs/reference/sue.lua`.

#![allow(clippy::expect_used, reason = "in tests, helper functions included")]

use crate::sue_frames::hex;
use flitforge_model::sue::format::frame::{seal, FrameState};
use flitforge_model::sue::format::FcsCover;
use flitforge_model::sue::pcapng::Capture;
use std::io::{ErrorKind, Write};
use std::time::Duration;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/sue.lua");
/// Wireshark does not check by itself, and IPv6 frames here have no UDP checksum.
const CHECKS: [&str; 4] = [
    "ip.check_checksum:TRUE",
    "udp.check_checksum:TRUE",
    "udp.ignore_ipv6_zero_checksum:TRUE",
    "eth.check_fcs:TRUE",
];
/// Codes of Wireshark for a checksum.
pub const BAD: u64 = 0;
pub const GOOD: u64 = 1;
pub const NOT_PRESENT: u64 = 3;
/// Code of the dissector for an inverted FCS.
pub const POISONED: u64 = 3;

/// What tshark prints for these frames; `None` if it is missing.
pub fn tshark(frames: &[Vec<u8>], arguments: &[&str]) -> Option<String> {
    tshark_beginnings(frames, usize::MAX, arguments)
}

/// What tshark prints for the first octets of these frames; `None` if it is missing.
pub fn tshark_beginnings(frames: &[Vec<u8>], octets: usize, arguments: &[&str]) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("frames.pcapng");
    let mut capture = Capture::create(&path).expect("a file");
    for (frame, count) in frames.iter().zip(0..) {
        let (kept, comment) = (&frame[..octets.min(frame.len())], format!("frame {count}"));
        let time = Duration::from_nanos(count);
        capture.beginning(time, kept, frame.len() as u32, Some(&comment)).expect("a frame");
    }
    capture.finish().expect("an end");
    let mut command = std::process::Command::new("tshark");
    command.env("WIRESHARK_CONFIG_DIR", folder.path()).args(["-n", "-X", &format!("lua_script:{SCRIPT}")]);
    CHECKS.iter().for_each(|check| {
        command.args(["-o", check]);
    });
    let output = match command.arg("-r").arg(&path).args(arguments).output() {
        Err(error) if error.kind() == ErrorKind::NotFound && std::env::var_os("CI").is_none() => {
            // Past the capture of the test harness; nothing can be done if standard error is closed.
            let _ = writeln!(std::io::stderr(), "SKIPPED: frames in tshark: tshark missing");
            return None;
        }
        output => output.expect("tshark runs; install the package tshark"),
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !errors.contains("lua") && !errors.contains("Lua"), "{errors}");
    Some(String::from_utf8(output.stdout).expect("UTF-8"))
}

/// The values of fields, a row per frame; `None` if tshark is missing.
pub fn fields(frames: &[Vec<u8>], names: &[&str], arguments: &[&str]) -> Option<Vec<Vec<String>>> {
    let mut all = vec!["-T", "fields", "-E", "separator=/t", "-E", "occurrence=a", "-E", "aggregator=;"];
    names.iter().for_each(|name| all.extend(["-e", name]));
    all.extend(arguments);
    let text = tshark(frames, &all)?;
    let rows: Vec<Vec<String>> =
        text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect();
    assert_eq!(rows.len(), frames.len(), "{text}");
    Some(rows)
}

/// A number as tshark prints it, decimal or hexadecimal.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// What a frame has to show.
#[derive(Default)]
pub struct Expected {
    numbers: Vec<(&'static str, Vec<u64>)>,
    octets: Vec<(&'static str, Vec<Vec<u8>>)>,
}

impl Expected {
    /// A field with this value.
    pub fn number(mut self, name: &'static str, value: impl Into<u64>) -> Self {
        self.numbers.push((name, vec![value.into()]));
        self
    }

    /// A field with these values, or without any.
    pub fn numbers(mut self, name: &'static str, values: impl IntoIterator<Item = u64>) -> Self {
        self.numbers.push((name, values.into_iter().collect()));
        self
    }

    /// A field with these octets.
    pub fn octets(mut self, name: &'static str, values: Vec<Vec<u8>>) -> Self {
        self.octets.push((name, values));
        self
    }

    fn names(&self) -> Vec<&'static str> {
        self.numbers.iter().map(|row| row.0).chain(self.octets.iter().map(|row| row.0)).collect()
    }
}

/// Compares frames with what they have to show.
pub fn check(cases: &[(String, Vec<u8>, Expected)], arguments: &[&str]) {
    let mut names: Vec<&str> = cases.iter().flat_map(|case| case.2.names()).collect();
    names.sort_unstable();
    names.dedup();
    let frames: Vec<Vec<u8>> = cases.iter().map(|case| case.1.clone()).collect();
    let Some(rows) = fields(&frames, &names, arguments) else { return };
    for ((case, _, expected), row) in cases.iter().zip(rows) {
        let found = |name: &str| -> Vec<&str> {
            let column = names.iter().position(|other| *other == name).expect("a column");
            row[column].split(';').filter(|value| !value.is_empty()).collect()
        };
        for (name, values) in &expected.numbers {
            let numbers: Option<Vec<u64>> = found(name).into_iter().map(number).collect();
            assert_eq!(numbers.as_ref(), Some(values), "{case}: {name}: {:?}", found(name));
        }
        for (name, values) in &expected.octets {
            let octets: Vec<Vec<u8>> = found(name).into_iter().map(hex).collect();
            assert_eq!(&octets, values, "{case}: {name}");
        }
    }
}

/// A frame with its FCS.
pub fn sealed(frame: &[u8]) -> Vec<u8> {
    seal(frame, FcsCover::Frame, FrameState::Good).expect("sealed")
}
