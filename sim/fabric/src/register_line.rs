//! Registers of devices behind a serial line: [`RegisterAccess`] by lines of text.
//!
//! | request | answer |
//! |---|---|
//! | `r DEVICE OFFSET CHECK` | 16 hexadecimal digits, check |
//! | `w DEVICE OFFSET VALUE CHECK` | `ok`, check |
//! | what cannot be carried out | `?` and a letter, see [`problem`] |
//!
//! Numbers are hexadecimal. A request ends with LF, an answer with CR LF; one request is out at a time. The checks are those of
//! [`flitforge_protocol::register_line`]: that of an answer goes over its request, too, so that no other request's is taken for it.
//!
//! A request that was refused because of its characters was not carried out, and is sent again. All other failures are the caller's: a
//! request that has no answer, or one with a wrong check, may have been carried out.

use crate::manager::{AccessError, RegisterAccess};
use crate::topology::DeviceId;
use flitforge_protocol::register_line::{checked, extend, DIGITS, INITIAL};
use std::io::{self, ErrorKind, Read, Write};

/// Characters of the longest answer that is waited for.
const LONGEST_ANSWER: usize = 64;
/// Times that a request is sent whose characters are lost or wrong.
const ATTEMPTS: u32 = 4;
/// Letters after `?` that say so: none of them can come for a request that arrives as it was sent.
const DAMAGED: [char; 4] = ['l', 'c', 's', 't'];
/// Characters that may come before the line is quiet.
const MOST_STALE: usize = 4096;

/// What a letter after `?` says.
#[must_use]
pub const fn problem(letter: char) -> &'static str {
    match letter {
        'l' => "characters of the request were lost on the serial line",
        't' => "the serial line's request is too long",
        's' => "the serial line does not know this request",
        'c' => "the check of the request was wrong on the serial line",
        'd' => "the serial line has no such device",
        'o' => "the serial line has no register at this offset",
        'a' => "the device did not answer",
        _ => "the serial line refused the request",
    }
}

/// Lets so many microseconds pass for what is behind the stream.
pub type Wait<S> = fn(&mut S, u64);

/// Registers behind a stream of characters, for instance an open serial port.
///
/// A read of the stream that gives nothing, or the error [`ErrorKind::TimedOut`] or [`ErrorKind::WouldBlock`], means that nothing
/// came within the stream's own time limit: it must have one, longer than an answer takes.
#[derive(Debug)]
pub struct RegisterLine<S> {
    stream: S,
    wait: Wait<S>,
    failure: Option<io::Error>,
    repeated: u64,
    /// No answer can come any more but that to the next request.
    in_step: bool,
}

/// Sleeps.
pub fn sleep<S>(_: &mut S, microseconds: u64) {
    std::thread::sleep(std::time::Duration::from_micros(microseconds));
}

impl<S: Read + Write> RegisterLine<S> {
    /// Brings the line into step: ends a line that may have begun, and takes what comes until there is silence.
    pub fn new(stream: S, wait: Wait<S>) -> io::Result<Self> {
        let mut line = Self { stream, wait, failure: None, repeated: 0, in_step: false };
        line.step_in()?;
        Ok(line)
    }

    /// Also after a request that had no answer: a late one would be taken for the next one's.
    fn step_in(&mut self) -> io::Result<()> {
        self.stream.write_all(b"\n")?;
        self.stream.flush()?;
        let mut stale = 0;
        while next(&mut self.stream)?.is_some() {
            stale += 1;
            if stale == MOST_STALE {
                let text = "the serial line does not fall silent: is this the right port and rate?";
                return Err(io::Error::new(ErrorKind::InvalidData, text));
            }
        }
        self.in_step = true;
        Ok(())
    }

    /// The stream.
    pub fn stream(&mut self) -> &mut S {
        &mut self.stream
    }

    /// Requests that were sent again.
    #[must_use]
    pub const fn repeated(&self) -> u64 {
        self.repeated
    }

    /// Why the stream itself failed, if the last error was that.
    pub fn take_failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }

    /// What the answer has in front of its check. The request is without its check.
    fn request(&mut self, device: DeviceId, offset: u32, text: &str) -> Result<String, AccessError> {
        let fail = |problem| AccessError { device, offset, problem };
        let request = checked(text);
        let mut refused = ' ';
        for _ in 0..ATTEMPTS {
            let answer = self.exchange(&request).map_err(|error| {
                self.failure = Some(error);
                fail("the serial line cannot be read or written")
            })?;
            if answer.is_empty() {
                return Err(fail("no answer on the serial line"));
            }
            if let Some(value) = without_check(text, &answer) {
                return Ok(value.into());
            }
            // What is left of the request may still be answered.
            self.in_step = false;
            let Some(code) = answer.strip_prefix('?') else {
                return Err(fail("an answer with a wrong check on the serial line"));
            };
            refused = code.trim().chars().next().unwrap_or(' ');
            if !DAMAGED.contains(&refused) {
                break;
            }
            self.repeated += 1;
        }
        Err(fail(problem(refused)))
    }

    /// The answer without its end; empty if there is none.
    fn exchange(&mut self, text: &str) -> io::Result<String> {
        if !self.in_step {
            self.step_in()?;
        }
        self.in_step = false;
        self.stream.write_all(format!("{text}\n").as_bytes())?;
        self.stream.flush()?;
        let mut answer = String::new();
        while let Some(byte) = next(&mut self.stream)? {
            match byte {
                b'\n' => {
                    self.in_step = true;
                    return Ok(answer);
                }
                b'\r' => {}
                _ => answer.push(char::from(byte)),
            }
            if answer.len() > LONGEST_ANSWER {
                break;
            }
        }
        Ok(String::new())
    }
}

/// The answer to this request in front of its check, if that is right.
fn without_check<'a>(request: &str, answer: &'a str) -> Option<&'a str> {
    let (value, check) = answer.rsplit_once(' ')?;
    let expected = extend(INITIAL, format!("{request} {value} ").as_bytes());
    let given = u16::from_str_radix(check, 16).ok().filter(|_| check.len() == DIGITS);
    (given == Some(expected)).then_some(value)
}

/// The next character; `None` if none comes within the stream's time limit.
fn next(stream: &mut impl Read) -> io::Result<Option<u8>> {
    let mut byte = [0];
    loop {
        return match stream.read(&mut byte) {
            Ok(0) => Ok(None),
            Ok(_) => Ok(Some(byte[0])),
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock) => Ok(None),
            Err(error) => Err(error),
        };
    }
}

impl<S: Read + Write> RegisterAccess for RegisterLine<S> {
    fn read(&mut self, device: DeviceId, offset: u32) -> Result<u64, AccessError> {
        let answer = self.request(device, offset, &format!("r {device:x} {offset:x}"))?;
        let value = u64::from_str_radix(&answer, 16).ok().filter(|_| answer.len() == 16);
        value.ok_or(AccessError { device, offset, problem: "an answer that is no value on the serial line" })
    }

    fn write(&mut self, device: DeviceId, offset: u32, value: u64) -> Result<(), AccessError> {
        match self.request(device, offset, &format!("w {device:x} {offset:x} {value:x}"))?.as_str() {
            "ok" => Ok(()),
            _ => Err(AccessError { device, offset, problem: "an answer that is not ok on the serial line" }),
        }
    }

    fn wait_us(&mut self, microseconds: u64) {
        (self.wait)(&mut self.stream, microseconds);
    }
}
