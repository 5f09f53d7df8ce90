//! Placements of several rings with several seeds, with a record so that a run of hours can be stopped and resumed.

use crate::seed::{measure_seed, RingSource, SeedKey, SeedRow, EFFORT};
use flitforge_flow::data::{append_record, hash_of, read_record};
use flitforge_flow::tools::Toolbox;
use flitforge_flow::{FlowError, FlowResult, WorkDirectory};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What a placement needs.
pub const RING_TOOLS: &[&str] = &["yosys", "nextpnr-ecp5"];

/// What is to be placed, and where results are kept.
#[derive(Clone, Debug)]
pub struct RingCampaign {
    /// Seeds 1 to this one.
    pub seeds: u64,
    /// Placements at a time.
    pub jobs: usize,
    /// Where results are kept: a line of JSON for each placement.
    pub record: Option<PathBuf>,
}

/// Rows by ring, in the order of seeds.
pub type RingRows = Vec<Vec<SeedRow>>;

impl RingSource<'_> {
    /// The key of a placement.
    #[must_use]
    pub fn key(&self, seed: u64) -> SeedKey {
        SeedKey {
            stops: self.stops,
            hop_registers: self.hop_registers,
            embed: self.embed.name().into(),
            verilog: hash_of(&[self.source.verilog.as_bytes()]),
            device: self.device.name().into(),
            target_mhz: self.target_mhz,
            effort: EFFORT,
            floorplan: self.floorplan,
            seed,
        }
    }
}

impl RingCampaign {
    fn known(&self) -> FlowResult<Vec<SeedRow>> {
        self.record.as_deref().map_or(Ok(vec![]), read_record)
    }

    fn keys(&self, rings: &[RingSource<'_>]) -> Vec<SeedKey> {
        rings.iter().flat_map(|ring| (1..=self.seeds).map(move |seed| ring.key(seed))).collect()
    }

    fn by_ring(&self, rows: Vec<SeedRow>) -> RingRows {
        rows.chunks(self.seeds.max(1) as usize).map(<[SeedRow]>::to_vec).collect()
    }

    /// All of them from the record, whose rows must be of one set of tools; nothing is placed.
    pub fn recorded(&self, rings: &[RingSource<'_>]) -> FlowResult<RingRows> {
        let (known, keys) = (self.known()?, self.keys(rings));
        let row = |key: &SeedKey, tools: &BTreeMap<String, String>| {
            known.iter().find(|row| row.key == *key && row.tools == *tools)
        };
        for tools in known.iter().rev().map(|row| &row.tools) {
            let rows: Option<Vec<SeedRow>> = keys.iter().map(|key| row(key, tools).cloned()).collect();
            if let Some(rows) = rows {
                return Ok(self.by_ring(rows));
            }
        }
        let is_missing = |key: &&SeedKey| known.iter().all(|row| row.key != **key);
        let missing: Vec<String> = keys
            .iter()
            .filter(is_missing)
            .map(|key| format!("N = {} seed {}", key.stops, key.seed))
            .collect();
        let message = match missing.is_empty() {
            true => "the record's placements are of different tools; place them again".into(),
            false => format!("not in the record: {}; place them without --recorded", missing.join(", ")),
        };
        Err(FlowError::Interface { block: "time_ring".into(), message })
    }

    /// Those that the record does not have are placed, several at a time, and added to it; `each` is told of every row, and
    /// whether it was in the record.
    pub fn run(
        &self,
        rings: &[RingSource<'_>],
        toolbox: &Toolbox,
        work: &WorkDirectory,
        each: &(dyn Fn(&SeedRow, bool) + Sync),
    ) -> FlowResult<RingRows> {
        let (known, keys, tools) = (self.known()?, self.keys(rings), toolbox.versions());
        let (next, record) = (AtomicUsize::new(0), Mutex::new(()));
        let rows: Mutex<Vec<Option<FlowResult<SeedRow>>>> = Mutex::new(keys.iter().map(|_| None).collect());
        let one = |number: usize, key: &SeedKey| -> FlowResult<SeedRow> {
            if let Some(row) = known.iter().find(|row| row.key == *key && row.tools == tools) {
                each(row, true);
                return Ok(row.clone());
            }
            let row = measure_seed(&rings[number / self.seeds as usize], key, toolbox, work)?;
            if let Some(path) = &self.record {
                let _one_at_a_time = record.lock().unwrap_or_else(PoisonError::into_inner);
                append_record(path, &row)?;
            }
            each(&row, false);
            Ok(row)
        };
        let work = || loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(key) = keys.get(number) else { break };
            let row = one(number, key);
            if row.is_err() {
                next.store(keys.len(), Ordering::Relaxed);
            }
            rows.lock().unwrap_or_else(PoisonError::into_inner)[number] = Some(row);
        };
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.clamp(1, keys.len().max(1)) {
                scope.spawn(work);
            }
        });
        let rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(self.by_ring(rows.into_iter().flatten().collect::<FlowResult<Vec<SeedRow>>>()?))
    }
}
