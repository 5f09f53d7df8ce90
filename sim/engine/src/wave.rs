//! Waveforms of a running bench.

use crate::bench::Bench;
use crate::error::SimError;
use crate::port::{PortHandle, PortKind};
use crate::trace::FourState;
use crate::vcd::VcdWriter;
use flitforge_elaborate::Value;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

/// Writes a VCD of a bench: all ports, and any internal signals the back end can see.
pub struct WaveRecorder {
    path: PathBuf,
    writer: VcdWriter<BufWriter<File>>,
    ports: Vec<PortHandle>,
    internal: Vec<String>,
    clocks: Vec<PortHandle>,
    risen: u64,
}

impl WaveRecorder {
    /// Creates `path`; `internal` are hierarchical Rust paths such as `lane[2].count.q`. A path that the
    /// bench cannot see is an error.
    pub fn create(path: &Path, bench: &dyn Bench, internal: &[String]) -> Result<Self, SimError> {
        let list = bench.ports();
        let clocks = list.of_kind(PortKind::Clock);
        let ports: Vec<PortHandle> =
            list.iter().filter(|(_, port)| port.kind != PortKind::Clock).map(|(handle, _)| handle).collect();
        let mut signals: Vec<(String, u32)> =
            ports.iter().map(|handle| (list.port(*handle).path.clone(), list.port(*handle).width)).collect();
        for path in internal {
            let value = bench.peek(path).ok_or_else(|| SimError::PortMisuse {
                block: list.block().into(),
                path: path.clone(),
                problem: format!("no such signal on the {} back end", bench.back_end().name()),
            })?;
            signals.push((path.clone(), value.width()));
        }
        let names: Vec<String> = clocks.iter().map(|clock| list.port(*clock).path.clone()).collect();
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(SimError::io(folder))?;
        }
        let file = File::create(path).map_err(SimError::io(path))?;
        let writer = VcdWriter::new(BufWriter::new(file), list.block(), &names, &signals)
            .map_err(SimError::io(path))?;
        Ok(Self { path: path.into(), writer, ports, internal: internal.to_vec(), clocks, risen: 0 })
    }

    /// Records the settled state of `bench` before an edge of all its clocks.
    pub fn record(&mut self, bench: &dyn Bench) -> Result<(), SimError> {
        let clocks = self.clocks.clone();
        self.record_edge(bench, &clocks)
    }

    /// Records the settled state of `bench` before an edge on which these clocks rise.
    pub fn record_edge(&mut self, bench: &dyn Bench, rising: &[PortHandle]) -> Result<(), SimError> {
        let ports = self.ports.iter().map(|handle| bench.get(*handle));
        let internal = self.internal.iter().map(|path| bench.peek(path).unwrap_or_else(|| Value::zero(1)));
        let values = ports.chain(internal).map(|value| FourState::known(value.width(), value.words()));
        self.writer.row(self.risen, values).map_err(SimError::io(&self.path))?;
        let rises = self.clocks.iter().enumerate().filter(|(_, clock)| rising.contains(clock));
        self.risen = rises.fold(0, |mask, (index, _)| mask | 1 << index);
        Ok(())
    }

    /// Ends the file.
    pub fn finish(self) -> Result<(), SimError> {
        let path = self.path;
        self.writer.finish().map_err(SimError::io(path))
    }
}
