//! What the servo holds, field by field.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_servo;

/// State of the loop, chapter 20, 4.9.
#[packed(time_servo::ServoState)]
pub enum State {
    /// No sample was used yet.
    Free,
    /// The frequency is being found.
    Acquire,
    /// Locked.
    Track,
    /// No samples: the frequency is kept.
    Holdover,
    /// HOLDOVER has lasted too long.
    Invalid,
}

/// Where a sample is.
#[packed]
pub enum Stage {
    /// There is none.
    Idle,
    /// Its size is compared, a bit per clock.
    Compare,
    /// The last bit of it.
    Settle,
    /// The table of 4.9 is asked.
    Decide,
    /// It is multiplied by a gain, a bit per clock.
    Multiply,
    /// The last bit of the gain goes through its registers.
    Flush,
    /// That bit is added.
    Drain,
    /// The product is given.
    Emit,
}

/// What the state is, a clock later: no decision comes in that clock.
#[packed]
pub struct InState {
    /// ACQ.
    acquire: Bit,
    /// TRACK, HOLDOVER or INVALID.
    locked: Bit,
    /// TRACK.
    track: Bit,
    /// HOLDOVER.
    holdover: Bit,
}

/// What a decision takes from the state, the sample and the row.
#[packed]
pub struct May {
    /// The sample is the first of another tree: it may lead to a step.
    jump: Bit,
    /// With this sample LOCK_N are near enough.
    lock: Bit,
    /// With this sample OUTLIER_N are outliers.
    run: Bit,
}

/// The thresholds that |error| is above.
#[packed]
pub struct Above {
    /// STEP_THR.
    step: Bit,
    /// OUTLIER_THR.
    outlier: Bit,
    /// LOCK_THR.
    lock: Bit,
}

/// What the table of 4.9 says of a sample.
#[packed]
pub struct Verdict {
    /// The loop begins anew: to ACQ.
    begins: Bit,
    /// ACQ has ended: to TRACK.
    locks: Bit,
    /// It is followed by a slew and a move of F_ACC: to TRACK.
    follows: Bit,
    /// It is an outlier: dropped.
    drops: Bit,
    /// It is the last of a run of outliers.
    runs: Bit,
    /// It is one of those that the row counts: near enough in ACQ, an outlier after it.
    counts: Bit,
}

/// The product that is made or given.
#[packed]
pub struct Product {
    /// Error times KP, a slew.
    slews: Bit,
    /// Error times KACQ. With neither: error times KI.
    acquires: Bit,
    /// Another one follows: error times KI.
    more: Bit,
}

/// What the multiplier is told, a clock later.
#[packed]
pub struct Multiplied {
    /// A product begins.
    begun: Bit,
    /// A comparison begins: its first bit is that of a product with 1.
    started: Bit,
    /// A bit of a gain is chosen.
    choosing: Bit,
    /// A bit counts.
    running: Bit,
}

/// Events, one clock each.
#[packed]
pub struct ServoEvents {
    /// ACQ to TRACK.
    lock: Bit,
    /// TRACK to HOLDOVER.
    holdover: Bit,
    /// HOLDOVER to INVALID.
    invalid: Bit,
    /// OUTLIER_N outliers of equal sign in a row.
    outlier_run: Bit,
    /// An outlier was dropped.
    outlier: Bit,
    /// A sample came while one was worked on.
    late: Bit,
}
