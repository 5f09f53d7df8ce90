//! A panic of rust-hdl's simulation, caught with the place it came from.

use std::backtrace::Backtrace;
use std::cell::{Cell, RefCell};
use std::panic::{catch_unwind, set_hook, take_hook, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

/// A caught panic.
pub(super) struct Panic {
    /// The `update` it happened in, with file and line, or where in rust-hdl if that is not known.
    pub place: String,
    /// Its message.
    pub message: String,
}

thread_local! {
    static WATCHED: Cell<bool> = const { Cell::new(false) };
    static CAUGHT: RefCell<Option<Panic>> = const { RefCell::new(None) };
}

/// Runs `work`. A panic in it is not printed but returned; those of other threads are printed as before.
pub(super) fn caught<R>(work: impl FnOnce() -> R) -> Result<R, Panic> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |info| match WATCHED.get() {
            true => CAUGHT.set(Some(noted(info))),
            false => others(info),
        }));
    });
    let before = WATCHED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    WATCHED.set(before);
    result.map_err(|_| {
        let unknown = || Panic { place: "an unknown place".into(), message: "no message".into() };
        CAUGHT.take().unwrap_or_else(unknown)
    })
}

fn noted(info: &PanicHookInfo) -> Panic {
    let payload = info.payload();
    let message = payload.downcast_ref::<String>().cloned();
    let message = message.or_else(|| payload.downcast_ref::<&str>().map(|text| text.to_string()));
    let frames = Backtrace::force_capture().to_string();
    let place = update_frame(&frames)
        .or_else(|| info.location().map(ToString::to_string))
        .unwrap_or_else(|| "an unknown place".into());
    Panic { place, message: message.unwrap_or_else(|| "no message".into()) }
}

/// The innermost `update` of a block: its name, file and line. Where debug information is line tables only, frames have no
/// type in their names.
fn update_frame(frames: &str) -> Option<String> {
    let mut lines = frames.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        let Some((_, name)) = line.split_once(": ") else { continue };
        if name == "update" || name.contains("Logic>::update") {
            return Some(match lines.peek().and_then(|line| line.strip_prefix("at ")) {
                Some(at) => format!("{name} at {at}"),
                None => name.into(),
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_update_is_the_place() {
        let frames = "   0: core::panicking::panic\n             at /rustc/x.rs:1:2\n   \
                      1: <user::Adder as rust_hdl_core::logic::Logic>::update\n             at ./src/adder.rs:9:5\n   \
                      2: <user::Top as rust_hdl_core::logic::Logic>::update\n             at ./src/top.rs:3:5\n";
        let place = "<user::Adder as rust_hdl_core::logic::Logic>::update at ./src/adder.rs:9:5";
        assert_eq!(update_frame(frames).as_deref(), Some(place));
        let short = "   3: get_bit\n   4: update\n             at ./src/adder.rs:9:5\n   5: update_all\n";
        assert_eq!(update_frame(short).as_deref(), Some("update at ./src/adder.rs:9:5"));
        assert_eq!(update_frame("0: main\n at x.rs:1:1"), None);
    }
}
