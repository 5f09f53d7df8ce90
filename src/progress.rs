//! Progress on the terminal: a bar for steps, plain lines where there is no terminal.

use flitforge_flow::tools::{Event, Progress};
use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// Shows the flow's events with indicatif.
pub struct Terminal {
    bar: ProgressBar,
    is_terminal: bool,
}

impl Terminal {
    /// A new bar.
    pub fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed_precise} {msg}") {
            bar.set_style(style);
        }
        let is_terminal = !bar.is_hidden();
        if is_terminal {
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Self { bar, is_terminal }
    }

    fn line(&self, text: &str) {
        if self.is_terminal {
            self.bar.println(text);
        } else {
            eprintln!("{text}");
        }
    }
}

impl Progress for Terminal {
    fn event(&self, event: Event<'_>) {
        match event {
            Event::Step { step, steps, what } => {
                let text = format!("[{step}/{steps}] {what}");
                self.bar.set_message(text.clone());
                if !self.is_terminal {
                    eprintln!("{text}");
                }
            }
            Event::Note(text) => self.line(&format!("      {text}")),
            Event::Done(text) => self.line(text),
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
