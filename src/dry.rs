//! `--dry-run`: a verb ends once names, values and options are checked, before it makes, runs or opens anything.

use std::sync::atomic::{AtomicBool, Ordering};

static DRY: AtomicBool = AtomicBool::new(false);

/// Makes this run a dry one.
pub fn set() {
    DRY.store(true, Ordering::Relaxed);
}

/// True if this run is a dry one.
pub fn is() -> bool {
    DRY.load(Ordering::Relaxed)
}
