//! What is recorded of the slaves' errors.

use crate::statistics::ErrorStatistics;
use crate::topology::DeviceId;
use std::collections::BTreeMap;

/// Neighbouring errors of a servo depend on each other; of so many samples one is kept for distribution tests.
const INDEPENDENT_EVERY: u64 = 24;

/// One device's record.
#[derive(Debug, Clone, Default)]
pub struct DeviceRecord {
    /// All errors, femtoseconds.
    pub statistics: ErrorStatistics,
    /// Errors just before a sample, far enough apart to be independent, femtoseconds.
    pub independent: Vec<i64>,
    /// (time ps, error fs) of every `series_every`-th error.
    pub series: Vec<(i64, i64)>,
    samples: u64,
    seen: u64,
}

/// Records of chosen devices.
#[derive(Debug, Clone, Default)]
pub struct Recorder {
    index: BTreeMap<DeviceId, usize>,
    records: Vec<DeviceRecord>,
    shared: Option<Box<DeviceRecord>>,
    series_every: u64,
}

impl Recorder {
    /// A record for each of these devices; of every `series_every`-th error time and value are kept (0: none).
    #[must_use]
    pub fn of(devices: &[DeviceId], series_every: u64) -> Self {
        let index = devices.iter().enumerate().map(|(place, device)| (*device, place)).collect();
        Self { index, records: vec![DeviceRecord::default(); devices.len()], shared: None, series_every }
    }

    /// One record for all devices together.
    #[must_use]
    pub fn shared() -> Self {
        Self { shared: Some(Box::default()), ..Self::default() }
    }

    /// True if a device's errors are recorded.
    #[must_use]
    pub fn wants(&self, device: DeviceId) -> bool {
        self.shared.is_some() || self.index.contains_key(&device)
    }

    /// Devices with a record of their own.
    #[must_use]
    pub fn devices(&self) -> Vec<DeviceId> {
        self.index.keys().copied().collect()
    }

    /// A device's record, or the shared one.
    #[must_use]
    pub fn record(&self, device: DeviceId) -> Option<&DeviceRecord> {
        match &self.shared {
            Some(shared) => Some(shared),
            None => self.records.get(*self.index.get(&device)?),
        }
    }

    /// Forgets what is recorded, not for whom.
    pub fn reset(&mut self) {
        self.records.iter_mut().for_each(|record| *record = DeviceRecord::default());
        if let Some(shared) = &mut self.shared {
            **shared = DeviceRecord::default();
        }
    }

    /// An error at a time; `at_sample` if it is the one a sample is about to correct.
    pub fn add(&mut self, device: DeviceId, time_ps: i64, error_fs: i64, at_sample: bool) {
        let series_every = self.series_every;
        let record = match &mut self.shared {
            Some(shared) => shared.as_mut(),
            None => match self.index.get(&device).and_then(|place| self.records.get_mut(*place)) {
                Some(record) => record,
                None => return,
            },
        };
        record.statistics.add(error_fs);
        if at_sample {
            record.samples += 1;
            if record.samples % INDEPENDENT_EVERY == 0 {
                record.independent.push(error_fs);
            }
        }
        if series_every > 0 && record.seen % series_every == 0 {
            record.series.push((time_ps, error_fs));
        }
        record.seen += 1;
    }
}
