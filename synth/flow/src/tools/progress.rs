//! How long-running work tells what it does; a command line draws bars from it.

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// Step `step` of `steps` began (counted from 1).
    Step {
        /// This step.
        step: usize,
        /// How many there are.
        steps: usize,
        /// What it does, in a few words.
        what: &'a str,
    },
    /// Something worth telling that is not a step.
    Note(&'a str),
    /// All steps are done.
    Done(&'a str),
}

/// Receives progress. Calls may come from several threads.
pub trait Progress: Sync {
    /// One event.
    fn event(&self, event: Event<'_>);
}

/// Tells nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn event(&self, _: Event<'_>) {}
}

/// One line per event on standard error.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lines;

impl Progress for Lines {
    fn event(&self, event: Event<'_>) {
        match event {
            Event::Step { step, steps, what } => eprintln!("[{step}/{steps}] {what}"),
            Event::Note(text) => eprintln!("      {text}"),
            Event::Done(text) => eprintln!("{text}"),
        }
    }
}
