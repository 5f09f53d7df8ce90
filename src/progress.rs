//! Progress on the terminal: a bar for steps; plain lines where there is no terminal, one a minute for a step that takes long.

use flitforge_flow::tools::{Event, Progress};
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::mpsc::{channel, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often a step that goes on is told of where there is no terminal.
const MINUTE: Duration = Duration::from_secs(60);

/// Shows the flow's events with indicatif.
pub struct Terminal {
    bar: ProgressBar,
    /// Without a terminal: tells of steps that go on.
    clock: Option<Clock>,
}

/// A thread that writes a line a minute while a step goes on.
struct Clock {
    steps: Sender<String>,
    thread: Option<JoinHandle<()>>,
}

impl Clock {
    fn new() -> Self {
        let (steps, received) = channel::<String>();
        let thread = std::thread::spawn(move || {
            let (mut step, mut start) = (String::new(), Instant::now());
            loop {
                match received.recv_timeout(MINUTE) {
                    Ok(next) => (step, start) = (next, Instant::now()),
                    Err(RecvTimeoutError::Timeout) if !step.is_empty() => {
                        eprintln!("{step}: {} min", start.elapsed().as_secs() / MINUTE.as_secs());
                    }
                    Err(RecvTimeoutError::Timeout) => (),
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
        });
        Clock { steps, thread: Some(thread) }
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        // The thread ends when nobody can send any more.
        self.steps = channel().0;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Terminal {
    /// A new bar.
    pub fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed_precise} {msg}") {
            bar.set_style(style);
        }
        if bar.is_hidden() {
            return Self { bar, clock: Some(Clock::new()) };
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar, clock: None }
    }

    fn line(&self, text: &str) {
        match self.clock {
            None => self.bar.println(text),
            Some(_) => eprintln!("{text}"),
        }
    }
}

impl Progress for Terminal {
    fn event(&self, event: Event<'_>) {
        match event {
            Event::Step { step, steps, what } => {
                let text = format!("[{step}/{steps}] {what}");
                self.bar.set_message(text.clone());
                if let Some(clock) = &self.clock {
                    eprintln!("{text}");
                    // It listens as long as this is here.
                    let _ = clock.steps.send(text);
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
