//! What the scenarios of a looped block have in common: a bench that is cleared, pulses that are counted, inputs that are pulsed at
//! given clocks, waveform and recording.

use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Design;
use flitforge_sim::bench::Bench;
use flitforge_sim::design_of;
use flitforge_sim::kit;
use flitforge_sim::open;
use flitforge_sim::port::PortHandle;
use flitforge_sim::scenario::Progress;
use flitforge_sim::waves::{SignalTable, WaveRequest, Waves};
use flitforge_sim::{Recording, SimError, Trace};
use rand::Rng;

/// Clocks of clear at the start.
const CLEAR_CLOCKS: u64 = 4;
/// Clocks in which what an error leads to is seen.
pub const QUIET_CLOCKS: u64 = 500;
/// Clocks between two calls of the progress function.
const PROGRESS_CLOCKS: u64 = 1000;

/// A block on a bench.
pub struct Loopback {
    bench: Box<dyn Bench>,
    design: Design,
    counted: Vec<PortHandle>,
    /// All clocks so far, if they are recorded.
    trace: Option<Trace>,
}

/// What is pulsed: the input, and its clocks in order.
pub struct Event<'a> {
    /// Path of the port.
    pub port: &'a str,
    /// Clocks.
    pub times: Vec<u64>,
}

impl Loopback {
    /// The block `name` after its clear, with `inputs` set and the outputs `counted` counted.
    pub fn start(
        name: &str,
        block: Box<dyn DriveBlock>,
        inputs: &[(&str, u64)],
        counted: &[&str],
        record: bool,
    ) -> Result<Self, SimError> {
        let design = design_of(name, block.as_ref())?;
        let mut bench = open(name, block)?;
        for (path, value) in inputs {
            let port = bench.port(path)?;
            bench.set_u64(port, *value);
        }
        let counted = counted.iter().map(|path| bench.port(path)).collect::<Result<_, _>>()?;
        let clear = bench.port("clear")?;
        bench.set_u64(clear, 1);
        let trace = record.then(|| Trace::new(bench.ports()));
        let mut loopback = Self { bench, design, counted, trace };
        for _ in 0..CLEAR_CLOCKS {
            loopback.step()?;
        }
        loopback.bench.set_u64(clear, 0);
        Ok(loopback)
    }

    /// Runs `clocks` clocks with a pulse on an input at each of its times, and counts the outputs' pulses; `verdict` says whether they
    /// are right. Writes what is asked for, and a waveform if something is wrong.
    pub fn run<T>(
        &mut self,
        (scenario, seed): (&str, u64),
        clocks: u64,
        events: &[Event<'_>],
        (request, progress): (&WaveRequest, &mut Progress<'_>),
        verdict: impl FnOnce(&dyn Bench, &[u64]) -> Result<T, SimError>,
    ) -> Result<T, SimError> {
        let table = SignalTable::of_design(self.bench.ports(), &self.design);
        let mut waves = Waves::requested(request, scenario, self.bench.as_mut(), table)?;
        let counts = self.count(clocks, events, &mut waves, progress);
        let found = counts.and_then(|counts| verdict(self.bench.as_ref(), &counts));
        if let (Some(path), Some(trace)) = (&request.record, &self.trace) {
            Recording::of_trace(trace, "default", seed, true).write(path)?;
        }
        match found {
            Ok(found) => {
                waves.finish()?;
                Ok(found)
            }
            Err(error) => Err(waves.failed(error)),
        }
    }

    fn count(
        &mut self,
        clocks: u64,
        events: &[Event<'_>],
        waves: &mut Waves<'_>,
        progress: &mut Progress<'_>,
    ) -> Result<Vec<u64>, SimError> {
        let mut pending = vec![];
        for event in events {
            pending.push((self.bench.port(event.port)?, event.times.iter().peekable()));
        }
        let mut counts = vec![0; self.counted.len()];
        for clock in 0..clocks {
            for (port, times) in &mut pending {
                let now = times.next_if_eq(&&clock).is_some();
                self.bench.set_u64(*port, u64::from(now));
            }
            self.bench.settle()?;
            for (count, port) in counts.iter_mut().zip(&self.counted) {
                *count += self.bench.get_u64(*port);
            }
            waves.record(self.bench.as_ref())?;
            self.step()?;
            if clock % PROGRESS_CLOCKS == 0 {
                progress(clock, clocks);
            }
        }
        Ok(counts)
    }

    fn step(&mut self) -> Result<(), SimError> {
        if let Some(trace) = &mut self.trace {
            self.bench.settle()?;
            trace.record(self.bench.as_ref());
        }
        self.bench.step()
    }
}

/// When events of a run may happen.
pub struct Window {
    /// Clocks before the first one.
    pub first: u64,
    /// Clocks of the run.
    pub clocks: u64,
    /// Clocks after the last one, in which what it leads to is seen.
    pub quiet: u64,
}

/// One random clock in each of `count` equal slots of a window, early enough in its slot that two are well apart.
pub fn random_times(
    (scenario, parameter): (&str, &str),
    window: &Window,
    count: u64,
    seed: u64,
) -> Result<Vec<u64>, SimError> {
    let Window { first, clocks, quiet } = *window;
    if count == 0 {
        return Ok(vec![]);
    }
    let slot = clocks.saturating_sub(first + quiet) / count;
    if slot < 2 * QUIET_CLOCKS {
        let least = first + count * 2 * QUIET_CLOCKS + quiet;
        return Err(SimError::Format {
            what: format!("scenario `{scenario}`, parameter `{parameter}`"),
            problem: format!("{count} need at least {least} clocks"),
        });
    }
    let mut rng = kit::rng(seed, parameter);
    let time = |index| first + index * slot + QUIET_CLOCKS + rng.random_range(0..slot - QUIET_CLOCKS);
    Ok((0..count).map(time).collect())
}
